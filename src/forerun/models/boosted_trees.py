"""Gradient-boosted trees on counts: the strongest rival on tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from forerun.models._features import Columns, Table, device, facts, language
from forerun.models._forest import Forest
from forerun.models._regression import Estimate, Fitted, Mask, Regression, Scale, Vector, missing, untaught
from forerun.prompts import Parts
from forerun.stats import spearman

_MOST = 300
"""Trees; few rows get fewer."""


class BoostedTrees(Regression):
    """Histogram gradient boosting on counts of syntax nodes (of words where there is no parser) and the counters.

    Without `syntax` words are counted in every language, which needs no parser. What was learned can be kept as arrays,
    and predicts without scikit-learn.
    """

    name: ClassVar[str] = "boosted_trees"
    folds: ClassVar[int] = 3

    def __init__(self, syntax: bool = True) -> None:
        super().__init__()
        self.syntax = syntax

    def _learn(self, found: Sequence[Parts]) -> Table:
        rows = self._facts(found)
        self._columns = Columns.of(rows)
        return self._columns.table(rows)

    def _features(self, found: Sequence[Parts]) -> Table:
        return self._columns.table(self._facts(found))

    def _facts(self, found: Sequence[Parts]) -> list[dict[str, float]]:
        """Counts, and which language and device it is."""
        return [
            {**facts(one, self.syntax), f"language {language(one)}": 1.0, f"device {device(one)}": 1.0} for one in found
        ]

    def _choose(self, x: Table, y: Vector, held: Mask, seed: int) -> _Setting:
        """The target that orders the held-out rows better, and after how many trees (early stopping, but by group)."""
        tried = [_tried(x, y, held, ranked, seed) for ranked in (False, True)]
        return max(tried, key=lambda entry: entry[0])[1]

    def _regress(self, x: Table, y: Vector, setting: _Setting, seed: int) -> Estimate:
        target = _Target.of(y, setting.ranked)
        return _Estimate(Forest.of(_fitted(x, target.to(y), setting.trees, seed)), target)

    def arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """What was learned: arrays by name, and the rest as plain data. Raises InputError before `fit`."""
        if self._fitted is None:
            raise untaught(self.name)
        fitted, estimate = self._fitted, self._fitted.estimate
        assert isinstance(estimate, _Estimate)
        arrays = estimate.forest.arrays() | {"errors": fitted.errors}
        arrays |= {"target_values": estimate.target.values, "target_places": estimate.target.places}
        scale = {"unit": fitted.scale.unit, "least": fitted.scale.least}
        rest = {"columns": self._columns.names, "syntax": self.syntax, "low": fitted.low, "high": fitted.high}
        return arrays, {**rest, "scale": scale, "ranked": estimate.target.ranked}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], rest: Mapping[str, Any]) -> BoostedTrees:
        """From what `arrays` gave. Raises KeyError, TypeError."""
        made = cls(rest["syntax"])
        made._columns = Columns(tuple(rest["columns"]))
        target = _Target(arrays["target_values"], arrays["target_places"], rest["ranked"])
        estimate = _Estimate(Forest.from_arrays(arrays), target)
        made._fitted = Fitted(Scale(**rest["scale"]), arrays["errors"], estimate, rest["low"], rest["high"])
        return made


@dataclass(frozen=True)
class _Setting:
    ranked: bool
    trees: int


@dataclass(frozen=True)
class _Target:
    """What the trees learn: the logarithm, or its rank among the training rows, which far-off values do not bend.

    On 1,000 architectures of NAS-Bench-201 Kendall's tau of the accuracy is .632 with the first and .688 with the
    second.
    """

    values: Vector
    places: Vector
    ranked: bool

    @classmethod
    def of(cls, y: Vector, ranked: bool) -> _Target:
        if not ranked:
            return cls(np.empty(0), np.empty(0), False)
        values, counts = np.unique(y, return_counts=True)
        return cls(values, (np.cumsum(counts) - counts / 2) / len(y), True)

    def to(self, y: Vector) -> Vector:
        return np.interp(y, self.values, self.places) if self.ranked else y

    def back(self, places: Vector) -> Vector:
        return np.interp(places, self.places, self.values) if self.ranked else places


@dataclass(frozen=True)
class _Estimate:
    """From features to places on the scale."""

    forest: Forest
    target: _Target

    def __call__(self, asked: Table) -> Vector:
        return self.target.back(self.forest.predict(asked))


def _tried(x: Table, y: Vector, held: Mask, ranked: bool, seed: int) -> tuple[float, _Setting]:
    """Spearman's rho on the held-out rows, and the setting."""
    target = _Target.of(y, ranked)
    found = _fitted(x[~held], target.to(y[~held]), min(_MOST, 60 + 2 * len(y)), seed)
    with _alone():
        stages = list(found.staged_predict(x[held]))
    best = int(np.argmin([np.mean((stage - target.to(y[held])) ** 2) for stage in stages]))
    rho = spearman(stages[best].tolist(), y[held].tolist()) if len(stages[best]) > 1 else math.nan
    return -1.0 if math.isnan(rho) else rho, _Setting(ranked, best + 1)


def _fitted(x: Table, y: Vector, trees: int, seed: int) -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
    except ImportError as error:
        raise missing(error, BoostedTrees.name) from error
    found = HistGradientBoostingRegressor(
        max_iter=trees,
        learning_rate=0.06,
        min_samples_leaf=min(max(len(y) // 50, 2), 20),
        early_stopping=False,
        random_state=seed,
    )
    with _alone():
        return found.fit(x, y)


def _alone() -> Any:
    """One thread: two that wait for each other on a busy machine took 50 times as long as one."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)
