"""What the simple rivals share: they estimate one number on an even scale, and learn from held-out groups how far off.

A rival gives features and a regression. Its errors come from rows whose group it had not seen (cross-conformal
prediction, Vovk 2015), so that intervals hold for programs that are new; each class of rows that errs in its own way
has its own, where they are enough (Mondrian conformal prediction, Vovk et al. 2005). Where features tell how far off an
estimate will be, errors are counted in that (normalized conformal prediction, Papadopoulos et al. 2008).
"""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from forerun.distribution import Distribution
from forerun.errors import InputError, ToolMissing
from forerun.models._predictor import Predictor, around
from forerun.prompts import Parts, parts
from forerun.rows import Row

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Classes = NDArray[np.int64]
Estimate = Callable[[Any], Vector]

FEWEST = 5
"""Rows to learn from."""
FEWEST_APART = 100
"""Rows of a class that has errors of its own."""
QUANTILES = 200
"""Errors that are kept, of each class half as many."""
_LARGEST = 650.0
"""Of logarithms: e to that, times an error, is still a double."""


@dataclass(frozen=True)
class Scale:
    """Where errors are even: ln v. Where some values are zero or negative, asinh(v / 2u), u the smallest that is not 0.

    Far above u that is ln(v / u), and it goes on through zero: such values rank below the positive ones.
    """

    unit: float = 0.0
    """u; 0 for the logarithm."""
    least: float = -math.inf
    """No estimate is below: 0 where no value was negative."""

    @classmethod
    def of(cls, values: Vector) -> Scale:
        """The scale of these values."""
        if values.min() > 0:
            return cls()
        sizes = np.abs(values[values != 0])
        return cls(float(sizes.min()) if sizes.size else 1.0, 0.0 if values.min() >= 0 else -math.inf)

    def to(self, values: Vector) -> Vector:
        """Values to the scale."""
        return np.log(values) if self.unit == 0 else np.arcsinh(values / (2 * self.unit))

    def distribution(self, place: float, errors: Vector) -> Distribution:
        """Around a place on the scale, with the errors that such places had."""
        if self.unit == 0:
            return around(math.exp(place), np.exp(np.clip(errors, -50, 50)).tolist())
        values = 2 * self.unit * np.sinh(np.clip(place + errors, -_LARGEST, _LARGEST))
        return Distribution.of((v, v, 1.0) for v in np.maximum(values, self.least).tolist())


@dataclass(frozen=True)
class Fitted:
    """What a regression learned: `estimate` gives places on the scale, kept between `low` and `high`."""

    scale: Scale
    errors: Vector
    own: Mapping[int, Vector]
    """Errors of the classes of rows that had enough."""
    estimate: Estimate
    low: float
    high: float
    spread: Estimate | None = None
    """What errors are counted in; None where all are alike."""

    def distributions(self, features: Any, classes: Classes) -> list[Distribution]:
        """No estimate is further from the known values than they are from one another."""
        places = np.clip(self.estimate(features), self.low, self.high)
        wide = np.ones_like(places) if self.spread is None else self.spread(features)
        rows = zip(places.tolist(), wide.tolist(), classes.tolist(), strict=True)
        return [self.scale.distribution(place, by * self.own.get(name, self.errors)) for place, by, name in rows]


class Regression(Predictor):
    """A point estimate from features, made a distribution by the errors on groups that were held out."""

    folds: ClassVar[int] = 5

    def __init__(self) -> None:
        self._fitted: Fitted | None = None

    @abstractmethod
    def _learn(self, found: Sequence[Parts]) -> Any:
        """Decides on the features and gives those of the training rows: one a row, `[n, …]`, indexable by masks."""

    @abstractmethod
    def _features(self, found: Sequence[Parts]) -> Any:
        """The features of other prompts."""

    def _choose(self, x: Any, y: Vector, held: Mask, seed: int) -> Any:
        """The setting that does best on the held-out rows when it learns from the others; None where there is none."""
        return None

    @abstractmethod
    def _regress(self, x: Any, y: Vector, setting: Any, seed: int) -> Estimate:
        """From features to places on the scale."""

    def _classes(self, estimate: Any, x: Any) -> Classes:
        """What errs alike: all rows."""
        return np.zeros(x.shape[0], dtype=np.int64)

    def _spread(self, x: Any, errors: Vector, seed: int) -> Estimate | None:
        """How far off estimates are by their features, from the errors of rows that were held out; None where that is
        not told."""
        return None

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns from rows of one metric. Raises InputError where they are too few or a value is not finite."""
        values = labels(rows)
        scale = Scale.of(values)
        x, y = self._learn([parts(row.prompt) for row in rows]), scale.to(values)
        masks = list(folds([row.group for row in rows], self.folds, seed))
        setting = self._choose(x, y, masks[0], seed)
        errors = np.empty_like(y)
        for held in masks:
            errors[held] = y[held] - self._regress(x[~held], y[~held], setting, seed)(x[held])
        spread, wide = self._spread(x, errors, seed), np.ones_like(y)
        for held in masks if spread else ():
            by = self._spread(x[~held], errors[~held], seed)
            if by is None:  # too few without them: nobody knows how sure it is of rows that it has not seen
                spread, wide = None, np.ones_like(y)
                break
            wide[held] = by(x[held])
        errors /= wide
        span = float(y.max() - y.min()) + 1
        low, high = max(y.min() - span, -_LARGEST), min(y.max() + span, _LARGEST)
        estimate = self._regress(x, y, setting, seed)
        classes = self._classes(estimate, x)
        names, counts = np.unique(classes, return_counts=True)
        many = names[counts >= FEWEST_APART].tolist()
        own = {name: thinned(errors[classes == name], QUANTILES // 2) for name in many}
        self._fitted = Fitted(scale, thinned(errors), own, estimate, low, high, spread)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before `fit`."""
        if self._fitted is None:
            raise untaught(self.name)
        if not prompts:
            return []
        return self._asked(self._fitted, self._features([parts(prompt) for prompt in prompts]))[0]

    def _asked(self, fitted: Fitted, x: Any) -> tuple[list[Distribution], Classes]:
        """What it believes of rows with these features, and what they err like."""
        classes = self._classes(fitted.estimate, x)
        return fitted.distributions(x, classes), classes


def labels(rows: Sequence[Row]) -> Vector:
    """The values. Raises InputError where they are too few, not finite, of several metrics, or too far apart
    (`check_reach`)."""
    if len(rows) < FEWEST:
        why = f"{len(rows)} rows, at least {FEWEST} are needed"
        raise InputError("there is too little to learn from", why, "give more rows")
    metrics = sorted({row.metric for row in rows})
    if len(metrics) > 1:
        raise InputError("rows of several metrics are no scale", ", ".join(metrics), "give the rows of one of them")
    bad = next((row for row in rows if not math.isfinite(row.value)), None)
    if bad:
        what = f"a value of {bad.metric} is not finite"
        raise InputError(what, f"{bad.name or bad.group or 'a row'}: {bad.value}", "leave such rows out")
    check_reach(rows)
    return np.array([row.value for row in rows], dtype=np.float64)


def check_reach(rows: Sequence[Row]) -> None:
    """Raises InputError where the values of one metric are too far apart for a `Scale` of both signs: it holds twice
    the largest, and the largest as a multiple of the smallest."""
    values = [row.value for row in rows]
    sizes = [abs(value) for value in values if value] or [1.0]
    if min(values) <= 0 and math.inf in (2 * max(sizes), max(sizes) / min(sizes)):
        reach = f"they reach from {min(values):g} to {max(values):g}, and {min(sizes):g} is next to zero"
        why = f"{reach}: no scale holds that where some are zero or negative"
        raise InputError(f"the values of {rows[0].metric} are too far apart", why, "leave the farthest ones out")


def untaught(name: str) -> InputError:
    """For a predictor that is asked before it has learned."""
    return InputError(f"{name} has learned nothing yet", "it has no weights that ship", "fit it on rows first")


def folds(groups: Sequence[str], count: int, seed: int) -> Iterator[Mask]:
    """Masks of rows to hold out: whole groups, about as many rows in each; single rows where there is one group only.

    Rows without a group stand alone.
    """
    keys = [group or f"\0{i}" for i, group in enumerate(groups)]
    if len(set(keys)) == 1:
        keys = [str(i) for i in range(len(keys))]
    sizes = sorted(Counter(keys).items())
    random.Random(seed).shuffle(sizes)
    filled, place = [0] * count, {}
    for key, size in sizes:
        place[key] = filled.index(min(filled))
        filled[place[key]] += size
    where = np.array([place[key] for key in keys])
    return (where == fold for fold in range(count) if filled[fold])


def thinned(errors: Vector, count: int = QUANTILES) -> Vector:
    """At most `count` of them in order, each standing for as many.

    As wide as what is to come: among n errors the next one is as likely in each of the n + 1 gaps, those beyond the
    ends too, so the share p ends at place p (n + 1) (split conformal prediction; Weibull 1939).
    """
    count = min(len(errors), count)
    return np.quantile(errors, (np.arange(count) + 0.5) / count, method="weibull")


def missing(error: ImportError, what: str) -> ToolMissing:
    """For an optional library that is not installed."""
    return ToolMissing(f"{what} needs {error.name or 'scikit-learn'}", str(error), "pip install 'forerun[eval]'")
