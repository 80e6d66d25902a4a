"""What a program takes when it holds all that its text asks for: what its language always takes, and so much for each.

Small programs say what is always there, and hardly any of them holds much; so trees on a language's rows have next to
nothing to learn from about large ones. What one element takes is much the same everywhere, so each kind of prompt (a
language, a device) has a rate of its own that leans on that of all others. It is where the mean absolute error of the
logarithm is least: half of the sizes that are heard are never asked for, and must not bend it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from forerun.models._regression import Vector

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Grown:
    """`terms` are `[kinds, 3]`: what is always taken, what for each element, and the least that any program took.

    Those of kind 0 are for any other kind.
    """

    terms: Table

    FEW: ClassVar[float] = 1e3
    """Elements up to which a program shows what is always taken."""
    MANY: ClassVar[float] = 1e4
    """Elements from which on it shows what one takes."""
    MOST: ClassVar[float] = 1e9
    """Larger numbers are moduli, masks and bounds of what is only counted more often than sizes: nothing is learned
    from them, and they are taken for so many."""
    HEARD: ClassVar[float] = 0.5
    """The share beyond what is always taken from which on sizes say what a program takes."""
    _LEAN: ClassVar[float] = 10.0
    """Rows of its own kind that count as much as the mean of all."""
    _RATES: ClassVar[int] = 61
    """That are tried, as far apart as what programs take for each element but for the most and the least."""

    @classmethod
    def of(cls, elements: Vector, kinds: Vector, values: Vector) -> Grown:
        """From elements `[n]`, kinds `[n]` numbered from 1, 0 for any other, and positive values `[n]`."""
        heard, names = _heard(elements), range(int(kinds.max(initial=0)) + 1)
        heard = np.where(heard > cls.MOST, 0.0, heard)
        floors = np.array([_floor(heard, values, kinds == name if name else heard >= 0) for name in names])
        large = heard >= cls.MANY
        rates = _rates((values - floors[kinds.astype(np.intp)])[large] / heard[large], cls._RATES)
        found = [_errors(floors[n], rates, heard[m], values[m]) for n in names for m in (large & (kinds == n),)]
        errors = np.array(found)
        mean = errors.sum(0) / max(int(large.sum()), 1)
        own = rates[(errors + cls._LEAN * mean).argmin(axis=1)]
        own[0] = rates[mean.argmin()]
        least = np.array([values[kinds == n].min() if n and (kinds == n).any() else values.min() for n in names])
        return cls(np.stack([floors, own, least], axis=1))

    def __call__(self, elements: Vector, kinds: Vector) -> tuple[Vector, Vector]:
        """The logarithms of what is taken `[n]`, and how much of that, as ln(1 + share), elements add `[n]`."""
        floors, rates, _ = self._terms(kinds).T
        share = rates * np.minimum(_heard(elements), self.MOST) / floors
        return np.asarray(np.log(floors) + np.log1p(share)), np.asarray(np.log1p(share))

    def least(self, kinds: Vector) -> Vector:
        """What no program takes less than `[n]`."""
        return self._terms(kinds)[:, 2]

    def _terms(self, kinds: Vector) -> Table:
        return np.asarray(self.terms[np.where(kinds < len(self.terms), kinds, 0).astype(np.intp)])


def _heard(elements: Vector) -> Vector:
    return np.asarray(np.maximum(np.nan_to_num(elements), 0.0))


def _rates(each: Vector, count: int) -> Vector:
    """From the least to the most of what is taken for each element; where nothing grows, next to nothing."""
    more = each[each > 0]
    low, high = np.quantile(more, [0.02, 0.98]) if more.size else (1e-12, 1e-12)
    return np.asarray(np.geomspace(low, high, count))


def _errors(floor: float, rates: Vector, heard: Vector, values: Vector) -> Vector:
    """The sum of the absolute errors of the logarithm, for each rate."""
    return np.asarray(np.abs(np.log(floor + rates[:, None] * heard) - np.log(values)).sum(1))


def _floor(heard: Vector, values: Vector, among: NDArray[np.bool_]) -> float:
    small = among & (heard < Grown.FEW)
    return float(np.median(values[small if small.any() else among])) if among.any() else 1.0
