"""Models of scikit-learn: how long learning and answering take, what is held meanwhile, and what stays.

Each was measured once at several sizes (scikit-learn 1.9, one thread of an AMD EPYC, Zen 4). How often an iterative
method goes round depends on the data: what it did on the library's own drawn problems is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from forerun.tasks._arrays import Array, Many, Shape, Sparse, Table, Thing, length_of, shape_of
from forerun.tasks._expressions import FLOP, Expressions

Asked = Callable[[str, float], float]
"""What an estimator was made with, by name, or else so much."""
Cost = Callable[[float, float, Asked], float]
"""Of so many rows, so many columns."""

_CELL = 8.0
"""Bytes of a number."""


def _log(n: float) -> float:
    return math.log2(max(n, 2.0))


def _trees(each: float, share: Callable[[float], float] = float, many: float = 100.0) -> Cost:
    def cost(n: float, d: float, o: Asked) -> float:
        asked = o("max_features", 0.0)
        looked = share(d) if not asked else asked * d if asked <= 1.0 else asked
        return o("n_estimators", many) * each * n * looked * min(_log(n), o("max_depth", math.inf))

    return cost


def _binned(n: float, d: float, o: Asked) -> float:
    return o("max_iter", 100.0) * (2e6 + 6.0 * n * d)


def _epochs(n: float, d: float, o: Asked) -> float:
    return o("max_iter", 200.0) * n * (1500.0 + 0.3 * (d + 1.0) * o("hidden_layer_sizes", 100.0))


_FITS: Mapping[str, Cost] = {
    "LinearRegression": lambda n, d, o: n * d * (25.0 + 0.1 * d),
    "Ridge": lambda n, d, o: n * d * (8.0 + 0.01 * d),
    "Lasso": lambda n, d, o: n * d * 12.0,
    "ElasticNet": lambda n, d, o: n * d * 12.0,
    "LogisticRegression": lambda n, d, o: n * d * 50.0,
    "SGDClassifier": lambda n, d, o: n * d * 300.0,
    "SGDRegressor": lambda n, d, o: n * d * 300.0,
    "Perceptron": lambda n, d, o: n * d * 100.0,
    "LinearSVC": lambda n, d, o: n * d * 80.0,
    "SVC": lambda n, d, o: n * n * (3.5 + 0.15 * d),
    "SVR": lambda n, d, o: n * n * (15.0 + 0.25 * d),
    "KNeighborsClassifier": lambda n, d, o: n * d * (90.0 if d <= _FLAT else 5.0),
    "KNeighborsRegressor": lambda n, d, o: n * d * (90.0 if d <= _FLAT else 5.0),
    "NearestNeighbors": lambda n, d, o: n * d * (90.0 if d <= _FLAT else 5.0),
    "GaussianNB": lambda n, d, o: n * d * 12.0,
    "DecisionTreeClassifier": _trees(85.0, many=1.0),
    "DecisionTreeRegressor": _trees(58.0, many=1.0),
    "RandomForestClassifier": _trees(48.0, math.sqrt),
    "RandomForestRegressor": _trees(34.0),
    "ExtraTreesClassifier": _trees(12.0, math.sqrt),
    "ExtraTreesRegressor": _trees(12.0),
    "GradientBoostingClassifier": _trees(20.0),
    "GradientBoostingRegressor": _trees(20.0),
    "HistGradientBoostingClassifier": _binned,
    "HistGradientBoostingRegressor": _binned,
    "AdaBoostClassifier": _trees(9.5, many=50.0),
    "IsolationForest": lambda n, d, o: o("n_estimators", 100.0) * 1e6,
    "KMeans": lambda n, d, o: o("n_init", 1.0) * n * d * (20.0 + 10.0 * o("n_clusters", 8.0)),
    "MiniBatchKMeans": lambda n, d, o: n * d * 40.0,
    "DBSCAN": lambda n, d, o: n * math.sqrt(n) * 50.0,
    "AgglomerativeClustering": lambda n, d, o: n * n * 25.0,
    "GaussianMixture": lambda n, d, o: n * d * o("n_components", 1.0) * 200.0,
    "OPTICS": lambda n, d, o: n * 600_000.0,
    "HDBSCAN": lambda n, d, o: n * math.sqrt(n) * 300.0,
    "MeanShift": lambda n, d, o: n * 1.2e6,
    "SpectralClustering": lambda n, d, o: n * n * 90.0,
    "Birch": lambda n, d, o: n * 70_000.0,
    "AffinityPropagation": lambda n, d, o: n * n * 190.0,
    "Isomap": lambda n, d, o: n * n * 130.0,
    "LocallyLinearEmbedding": lambda n, d, o: n * 70_000.0,
    "SpectralEmbedding": lambda n, d, o: n * n * 115.0,
    "MDS": lambda n, d, o: n * n * 500.0 * o("n_init", 4.0),
    "NMF": lambda n, d, o: n * d * o("n_components", d) * 55.0,
    "FastICA": lambda n, d, o: n * d * 70.0,
    "LatentDirichletAllocation": lambda n, d, o: n * d * o("max_iter", 10.0) * 1500.0,
    "PCA": lambda n, d, o: n * d * (4.0 + 0.03 * d),
    "TruncatedSVD": lambda n, d, o: n * d * o("n_components", 2.0) * 3.0,
    "TSNE": lambda n, d, o: n * 4400.0 * o("max_iter", 1000.0),
    "MLPClassifier": _epochs,
    "MLPRegressor": _epochs,
}  # fmt: skip
"""Nanoseconds of learning; of what has no line, `_PLAIN` for each number."""
_FLAT = 15.0
"""Columns from which on neighbours are looked for among all rows."""


def _near(n: float, d: float, o: Asked) -> float:
    return 28.0 * d * math.sqrt(n) if d <= _FLAT else n * (2.0 + 0.05 * d)


_ANSWERS: Mapping[str, Cost] = {
    "SVC": lambda n, d, o: n * (8.0 + 0.18 * d),
    "SVR": lambda n, d, o: n * (28.0 + 0.35 * d),
    "KNeighborsClassifier": _near,
    "KNeighborsRegressor": _near,
    "NearestNeighbors": _near,
    "IsolationForest": lambda n, d, o: 40.0 * o("n_estimators", 100.0),
    "GradientBoostingClassifier": lambda n, d, o: 25.0 * o("n_estimators", 100.0),
    "GradientBoostingRegressor": lambda n, d, o: 25.0 * o("n_estimators", 100.0),
    "HistGradientBoostingClassifier": lambda n, d, o: 50.0 * o("max_iter", 100.0),
    "HistGradientBoostingRegressor": lambda n, d, o: 50.0 * o("max_iter", 100.0),
    "AdaBoostClassifier": lambda n, d, o: 40.0 * o("n_estimators", 50.0),
    "MLPClassifier": lambda n, d, o: 300.0 + (d + 1.0) * o("hidden_layer_sizes", 100.0) * 2 * FLOP,
    "MLPRegressor": lambda n, d, o: 300.0 + (d + 1.0) * o("hidden_layer_sizes", 100.0) * 2 * FLOP,
}
"""Nanoseconds for each row of those that learned from so many; of those that have trees, `_LEAF` for each."""
_LEARN_NS, _ANSWER_NS = 1e6, 1e5
"""Nanoseconds that a call takes, whatever is learned or asked."""
_LEAF, _PLAIN, _MADE_NS = 120.0, 3.0, 20.0
"""Nanoseconds to a row's leaf, of a number that goes into something plain, and of one that is drawn."""
_FORESTS: Mapping[str, float] = {
    "DecisionTreeClassifier": 0.2, "RandomForestClassifier": 0.2, "ExtraTreesClassifier": 0.5,
    "DecisionTreeRegressor": 2.0, "RandomForestRegressor": 1.3, "ExtraTreesRegressor": 2.0,
}  # fmt: skip
"""Nodes of a tree that is fully grown, for each row."""
_NODE, _ROW = 64.0, 70.0
"""Bytes of one, and of what is kept in mind of a row while trees grow."""
_COPIES: Mapping[str, float] = {
    "LinearRegression": 2.0, "Ridge": 1.0, "Lasso": 1.0, "ElasticNet": 1.0, "GaussianNB": 1.0, "KMeans": 2.0,
    "TruncatedSVD": 1.6, "StandardScaler": 1.0,
}  # fmt: skip
"""How often what is learned from is there beside itself, meanwhile."""


def _powers(d: float, degree: float) -> float:
    """Products of at most so many of so many columns."""
    found = math.lgamma(d + degree + 1) - math.lgamma(d + 1) - math.lgamma(degree + 1)
    return round(math.exp(min(found, 40.0)))


_SCALERS = frozenset("StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer PowerTransformer".split())
_COLUMNS: Mapping[str, Cost] = {
    "PCA": lambda n, d, o: o("n_components", min(n, d)),
    "TruncatedSVD": lambda n, d, o: o("n_components", 2.0),
    "NMF": lambda n, d, o: o("n_components", d),
    "FastICA": lambda n, d, o: o("n_components", d),
    "KernelPCA": lambda n, d, o: o("n_components", d),
    "LatentDirichletAllocation": lambda n, d, o: o("n_components", 10.0),
    **dict.fromkeys(
        "TSNE Isomap LocallyLinearEmbedding SpectralEmbedding MDS".split(), lambda n, d, o: o("n_components", 2.0)
    ),
    "PolynomialFeatures": lambda n, d, o: _powers(d, o("degree", 2.0)),
} | {name: lambda n, d, o: d for name in (*_SCALERS, "SimpleImputer")}
"""Of what changes columns: how many there are then."""
_READERS = frozenset("TfidfVectorizer CountVectorizer HashingVectorizer".split())
_WORDS, _VOCABULARY, _WORD_NS = 50.0, 5000.0, 700.0
"""Different words of a text, and of all texts, where nobody knows, and what reading one takes."""
_SEARCHES = frozenset("GridSearchCV RandomizedSearchCV".split())
_CLUSTERS = frozenset(
    "KMeans MiniBatchKMeans DBSCAN AgglomerativeClustering GaussianMixture OPTICS HDBSCAN MeanShift SpectralClustering"
    " Birch AffinityPropagation".split()
)
_KNOWN = _FITS.keys() | _COLUMNS.keys() | _SEARCHES | _READERS | {"Pipeline", "make_pipeline"}
_LOADED: Mapping[str, Shape] = {
    "load_iris": (150.0, 4.0), "load_wine": (178.0, 13.0), "load_breast_cancer": (569.0, 30.0),
    "load_digits": (1797.0, 64.0), "load_diabetes": (442.0, 10.0),
}  # fmt: skip
_FEATURES: Mapping[str, float] = {"make_classification": 20.0, "make_regression": 100.0, "make_blobs": 2.0}
_DRAWN = _FEATURES.keys() | {"make_moons", "make_circles", "make_friedman1"}
_FOLDS = 5.0
"""Of a cross validation."""


@dataclass(slots=True)
class Estimator(Thing):
    """A model, or several behind each other; `values` has what it keeps."""

    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    inner: tuple[Estimator, ...] = ()
    fitted: Shape = ()
    """Rows and columns that it learned from."""

    @property
    def trees(self) -> float:
        """Of a forest."""
        return 1.0 if self.name.startswith("DecisionTree") else self.asked("n_estimators", 100.0)

    def asked(self, name: str, otherwise: float) -> float:
        """A number that it was made with."""
        given = self.options.get(name)
        if isinstance(given, tuple):  # sizes of layers: the first one reads, the others read each other
            sizes = [one for one in given if isinstance(one, float)]
            return sum(sizes[:1]) + sum(map(math.prod, pairwise(sizes))) / 20.0
        return given if isinstance(given, float) else otherwise


class Estimating(Expressions):
    """Calls of scikit-learn."""

    def _estimator(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a class or a function of the package gives."""
        if name in _KNOWN:
            given = {"n_clusters" if name == "KMeans" else "n_components": arguments[0]} if arguments else {}
            inner = tuple(_inner([*arguments, *options.values()]))
            made = Estimator(name=name, options=given | dict(options), inner=inner)
            made.values |= {f"{place}": one for place, one in enumerate(inner)}
            return made
        if name in _LOADED or name in _DRAWN:
            return self._data(name, arguments, options)
        if name == "train_test_split":
            return tuple(self._split(arguments, options))
        if name in ("cross_val_score", "cross_validate", "cross_val_predict"):
            model, data = (*arguments, None, None)[:2]
            if isinstance(model, Estimator) and (shape := table_of(data)):
                self._cross(model, shape, options, 1.0)
            return self._alloc((_FOLDS,), "f", _CELL)
        return None

    def _data(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """A problem: what is learned from, and what is to be told."""
        if name in _LOADED:
            shape = _LOADED[name]
        else:
            count = options.get("n_samples", arguments[0] if arguments else 100.0)
            columns = options.get("n_features", _FEATURES.get(name, 2.0))
            if len(arguments) > 1 and name in _FEATURES:
                columns = arguments[1]
            if not isinstance(count, float) or not isinstance(columns, float) or min(count, columns) < 1:
                return None
            shape = (count, columns)
        data = self._alloc(shape, "f", _CELL)
        kind = "f" if name in ("make_regression", "load_diabetes", "make_friedman1") else "i"
        target = self._alloc(shape[:1], kind, _CELL)
        if name in _DRAWN:
            self._alloc(shape, "f", _CELL)  # shuffled, there are two for a while
            self._work(data, each=_MADE_NS)
        if name in _DRAWN or options.get("return_X_y") is True:
            return data, target
        return Thing(values={"data": data, "target": target})

    def _split(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> Iterator[Any]:
        share = options.get("test_size", 0.25)
        for each in arguments:
            long = length_of(each) or 0.0
            test = share if isinstance(share, float) and share > 1 else math.ceil(long * (share or 0.25))
            for count in (long - test, test):
                yield self._rows(each, count)

    def _rows(self, value: Any, count: float) -> Any:
        """So many rows of a value, copied."""
        if isinstance(value, Array) and value.shape:
            made = self._alloc((count, *value.shape[1:]), value.kind, value.each)
            self._work(made, each=3.0)
            return made
        if isinstance(value, Sparse):
            return self._part(value, count, value.shape[1])
        if isinstance(value, Table):
            copied = Table(rows=count)
            copied.values |= {name: self._rows(one, count) for name, one in value.values.items()}
            return copied
        return Many(count, value.one) if isinstance(value, Many) else value

    def _cross(self, model: Estimator, shape: Shape, options: Mapping[str, Any], times: float) -> None:
        """Learns from all folds but one, for each of them, so many times."""
        folds = options.get("cv")
        folds = folds if isinstance(folds, float) and folds > 1 else _FOLDS
        before, self._times = self._times, self._times * folds * times
        kept = shape[0] * (1 - 1 / folds), shape[1]
        self._learn(model, kept, self._alloc(kept, "f", _CELL))
        self._answer(model, (shape[0] / folds, shape[1]))
        self._times = before

    def _estimated(self, own: Estimator, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """A method of an estimator."""
        data = arguments[0] if arguments else options.get("X")
        shape = table_of(data)
        if own.name in _READERS:
            return self._read_texts(own, shape[0], name) if shape else None
        if name in ("fit", "partial_fit", "fit_transform", "fit_predict"):
            if shape:
                self._learn(own, shape, data)
            if name in ("fit", "partial_fit"):
                return own
            name = name.removeprefix("fit_")
        if name in ("predict", "decision_function", "score", "score_samples", "transform", "predict_proba"):
            return self._answer(own, shape, name) if shape else None
        if name == "kneighbors" and shape:
            count = own.asked("n_neighbors", 5.0)
            self._answer(own, shape)
            return tuple(self._alloc((shape[0], count), kind, _CELL) for kind in "fi")
        return None

    def _read_texts(self, own: Estimator, texts: float, name: str) -> Any:
        """Words of so many texts: a sparse matrix."""
        self._spend(texts * _WORDS * _WORD_NS)
        if name == "fit":
            return own
        columns = own.asked("max_features", _VOCABULARY)
        held = self._alloc((texts * _WORDS * 12.0,), "u", 1.0)
        return Sparse(values={"": held}, shape=(texts, columns), count=texts * _WORDS)

    def _learn(self, own: Estimator, shape: Shape, data: Any = None) -> Shape:
        """Gives the shape of what comes out where it changes columns."""
        own.fitted = shape
        if own.name in _SEARCHES:
            for model in own.inner[:1]:
                self._cross(model, shape, own.options, _candidates(own))
                self._learn(model, shape, Array(shape))
            return shape
        if own.inner:
            for each in own.inner:
                gives = self._learn(each, shape, Array(shape))
                if each is not own.inner[-1]:
                    self._answer(each, shape, "transform")
                shape = gives
            return shape
        if own.name in _READERS:
            return shape[0], _WORDS
        (n, d), before = shape, len(self._passing)
        cost = _FITS.get(own.name)
        self._spend((cost(n, d, own.asked) if cost else n * d * _PLAIN) + _LEARN_NS)
        if not (isinstance(data, Array) and data.each == _CELL):
            self._alloc(shape, "f", _CELL)
        own.values.pop("", None)
        nodes = _FORESTS.get(own.name, 0.0) * n * own.trees
        stays = nodes * _NODE + (0.4 * n * d * _CELL if own.name in ("SVC", "SVR") else 0.0)
        self._alloc((_COPIES.get(own.name, 0.0) * n * d + _meanwhile(own, n, d) / _CELL,), "f", _CELL)
        if stays:
            own.values[""] = self._alloc((stays / _CELL,), "f", _CELL)
        del self._passing[before:]
        if own.name in _CLUSTERS:
            own.values["labels_"] = self._alloc((n,), "i", 4.0)
        return n, _COLUMNS[own.name](n, d, own.asked) if own.name in _COLUMNS else d

    def _answer(self, own: Estimator, shape: Shape, name: str = "predict") -> Any:
        """What it says of rows; what it makes of them, where it changes columns."""
        if own.inner:
            *before, last = own.inner[:1] if own.name in _SEARCHES else own.inner
            for one in before:
                shape = table_of(self._answer(one, shape, "transform")) or shape
            return self._answer(last, shape, name)
        if own.name in _READERS:
            return self._read_texts(own, shape[0], name)
        rows, columns = shape
        learned, wide = own.fitted or shape
        cost = _ANSWERS.get(own.name)
        each = cost(learned, wide, own.asked) if cost else columns * _PLAIN
        if own.name in _FORESTS:
            each = _LEAF * own.trees
        if own.name == "PolynomialFeatures":
            each = 20.0 * _COLUMNS[own.name](rows, columns, own.asked)
        self._spend(rows * each + _ANSWER_NS)
        if name == "transform" and own.name in _COLUMNS:
            return self._alloc((rows, _COLUMNS[own.name](rows, columns, own.asked)), "f", _CELL)
        if name == "score":
            return None
        return self._alloc((rows, 2.0) if name == "predict_proba" else (rows,), "f", _CELL)


_OF_PAIRS: Mapping[str, float] = {
    "AgglomerativeClustering": 4.5, "SpectralClustering": 32.0, "AffinityPropagation": 48.0, "Isomap": 25.0,
    "SpectralEmbedding": 7.6, "MDS": 53.0, "MeanShift": 7.0, "KernelPCA": 24.0,
}  # fmt: skip
"""Bytes for each two rows."""


def _meanwhile(own: Estimator, n: float, d: float) -> float:
    """Bytes that are held while it learns, beside copies."""
    if own.name in ("SVC", "SVR"):  # rows of the kernel, as many as its cache has place for
        return min(own.asked("cache_size", 200.0) * 2**20, n * n * 4.0)
    if own.name in _FORESTS or own.name in ("IsolationForest", "AdaBoostClassifier") or own.name.startswith("Gradient"):
        return n * (d * 4.0 + _ROW)
    if own.name == "PCA" and (n < 10 * d or d > 1000):  # else of the covariance
        return n * d * _CELL
    components = own.asked("n_components", 1.0)
    of_row = {"DBSCAN": 260.0, "GaussianMixture": components * 55.0, "TSNE": 7000.0}.get(own.name, 0.0)
    of_pair = _OF_PAIRS.get(own.name, 0.0)
    return n * (n * of_pair + of_row) + (15.0 * n * d if own.name.startswith("Hist") else 0.0)


def _candidates(own: Estimator) -> float:
    """How many settings a search tries."""
    if own.name == "RandomizedSearchCV":
        return own.asked("n_iter", 10.0)
    grids = [one for one in own.options.values() if type(one) is Thing]
    return math.prod(length_of(one) or 1.0 for grid in grids for one in grid.values.values())


def _inner(values: Sequence[Any]) -> Iterator[Estimator]:
    """Estimators among what one is made of: themselves, or each with its name."""
    for one in values:
        if isinstance(one, Estimator):
            yield one
        elif isinstance(one, tuple):
            yield from _inner(one)


def table_of(value: Any) -> Shape | None:
    """Rows and columns of what is learned from."""
    if isinstance(value, Sparse):
        return value.shape[0], max(value.count / max(value.shape[0], 1.0), 1.0)
    if isinstance(value, Table):
        return value.rows, value.width
    shape = shape_of(value)
    if shape and all(shape):
        return (shape[0], shape[1]) if len(shape) > 1 else (shape[0], 1.0)
    return None
