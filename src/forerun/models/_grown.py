"""What a program takes when all that its text asks for is held, and gone through: what its language always takes, and
so much for each element and each round.

Most programs say what is always there, and hardly any of them asks for much; trees on such rows have next to nothing to
learn from about the others. What one element takes is much the same everywhere, so each kind of prompt (a language, a
device) has a rate of its own that leans on that of all others. Half of the sizes that are heard are never asked for,
and many loops are left early: such rows must not bend a rate, so it is where the pinball loss of the logarithm (Koenker
and Bassett 1978) is least at a quantile above the middle.
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
    """`terms` are `[kinds, 2 + counts]`: what is always taken, the least that any program took, and what one of each
    count adds. Those of kind 0 are for any other kind.
    """

    terms: Table

    FEW: ClassVar[float] = 1e3
    """A program whose counts are all below shows what is always taken."""
    MANY: ClassVar[float] = 1e4
    """From here on a count shows what one takes."""
    HEARD: ClassVar[float] = 0.5
    """The share beyond what is always taken from which on counts say what a program takes."""
    _BOLD: ClassVar[float] = 0.75
    """The quantile."""
    _LEAN: ClassVar[float] = 10.0
    """Rows of its own kind that count as much as the mean of all."""
    _RATES: ClassVar[int] = 61
    """That are tried, as far apart as what programs take for each but for the most and the least."""

    @classmethod
    def of(cls, counts: Table, kinds: Vector, values: Vector, most: Vector) -> Grown:
        """From counts `[n, counts]`, kinds `[n]` numbered from 1, 0 for any other, and positive values `[n]`.

        Counts above `most` `[counts]` are moduli, masks and bounds of what is hardly ever reached more often than
        sizes: nothing is learned from them.
        """
        heard = _heard(counts)
        heard = np.where(heard > most, 0.0, heard)
        small, own = (
            np.asarray((heard < cls.FEW).all(axis=1)),
            [kinds == n for n in range(int(kinds.max(initial=0)) + 1)],
        )
        own[0] = np.ones(len(kinds), dtype=np.bool_)
        floors = np.array([_floor(values, small, among) for among in own])
        least = np.array([values[among].min() if among.any() else values.min() for among in own])
        rates = [cls._rates(one, values, floors, kinds.astype(np.intp)) for one in heard.T]
        return cls(np.stack([floors, least, *rates], axis=1))

    @classmethod
    def _rates(cls, heard: Vector, values: Vector, floors: Vector, kinds: NDArray[np.intp]) -> Vector:
        """What one adds, for each kind."""
        large = heard >= cls.MANY
        each = (values - floors[kinds])[large] / heard[large]
        more = each[each > 0]
        low, high = np.quantile(more, [0.02, 0.98]) if more.size else (1e-12, 1e-12)
        rates = np.geomspace(low, high, cls._RATES)
        of = [large & (kinds == n) for n in range(len(floors))]
        errors = np.array([cls._errors(floors[n], rates, heard[m], values[m]) for n, m in enumerate(of)])
        mean = errors.sum(0) / max(int(large.sum()), 1)
        own = rates[(errors + cls._LEAN * mean).argmin(axis=1)]
        own[0] = rates[mean.argmin()]
        return np.asarray(own)

    @classmethod
    def _errors(cls, floor: float, rates: Vector, heard: Vector, values: Vector) -> Vector:
        """The sum of the losses of the logarithm, for each rate."""
        above = np.log(values) - np.log(floor + rates[:, None] * heard)
        return np.asarray(np.where(above > 0, cls._BOLD * above, (cls._BOLD - 1) * above).sum(1))

    def __call__(self, counts: Table, kinds: Vector, most: Vector) -> Table:
        """The logarithms `[n, 2 + counts]` of what is taken, of 1 + the share that counts add, and of what would be
        taken if each count were alone. Counts above `most` are taken for so many.
        """
        found = self._of(kinds)
        shares = found[:, 2:] * np.minimum(_heard(counts), most) / found[:, :1]
        floors, more = np.log(found[:, :1]), np.log1p(shares.sum(1, keepdims=True))
        return np.concatenate([floors + more, more, floors + np.log1p(shares)], axis=1)

    def least(self, kinds: Vector) -> Vector:
        """What no program takes less than `[n]`."""
        return self._of(kinds)[:, 1]

    def _of(self, kinds: Vector) -> Table:
        return np.asarray(self.terms[np.where(kinds < len(self.terms), kinds, 0).astype(np.intp)])


def _heard(counts: Table) -> Table:
    return np.asarray(np.maximum(np.nan_to_num(counts), 0.0))


def _floor(values: Vector, small: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    shown = small & among
    return float(np.median(values[shown if shown.any() else among])) if among.any() else 1.0
