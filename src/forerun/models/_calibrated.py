"""Intervals that hold what they promise: split conformal prediction in logarithms (Papadopoulos et al. 2002).

Each row that was not learned from says by which factor its distribution would have to be widened for the interval to
reach the truth; the factor that is enough for nine rows in ten is used from then on. Like the rows, it speaks for
groups that were not learned from.

Costs are positive, and that is what logarithms are for; a difference of costs lies on either side of zero. No factor
moves the end of an interval across: rows whose sign a belief rules out are beyond it, and a belief of zero stays.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import ClassVar

from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._predictor import Predictor
from forerun.prompts import Parts, parts
from forerun.rows import Row

LEVEL = 0.9
_MOST = 9.0
"""Times the largest error: what one row tells of 90% of others."""
_ENOUGH = 100
"""Rows for which a kind gets a factor of its own."""


class Calibrated(Predictor):
    """A predictor whose distributions are widened, or narrowed, for each kind of question."""

    name: ClassVar[str] = "calibrated"

    def __init__(self, inner: Predictor, level: float = LEVEL) -> None:
        self.inner, self.level = inner, level
        self.factor, self.factors = 1.0, dict[str, float]()

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns the factors from rows that the inner predictor has not learned from. Raises InputError without any."""
        if not rows:
            raise InputError("there is nothing to calibrate with", "no rows were given", "give more rows")
        self.factor, self.factors = widths(rows, self.inner.predict([row.prompt for row in rows]), self.level)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What the inner predictor believes, as wide as it has to be."""
        found = zip(prompts, self.inner.predict(prompts), strict=True)
        return [one.widened(self.factors.get(kind(parts(prompt)), self.factor)) for prompt, one in found]


def calibrated(predictor: Predictor, rows: Sequence[Row], level: float = LEVEL) -> Calibrated:
    """The predictor with intervals at `level` that cover `level` of such rows. Raises InputError without rows."""
    made = Calibrated(predictor, level)
    made.fit(rows)
    return made


def widths(
    rows: Sequence[Row], beliefs: Sequence[Distribution], level: float = LEVEL
) -> tuple[float, dict[str, float]]:
    """The factor that is enough for what was believed of rows, and those of kinds with enough of them."""
    found, groups = defaultdict(list), defaultdict(set)
    for row, one in zip(rows, beliefs, strict=True):
        name = kind(parts(row.prompt))
        found[name].append(needed(one, row.value, level))
        groups[name].add(row.group)
    own = {
        name: _careful(factors, level, len(groups[name])) for name, factors in found.items() if len(factors) >= _ENOUGH
    }
    every = [factor for factors in found.values() for factor in factors]
    return _careful(every, level, len(set().union(*groups.values()))), own


def _careful(factors: Sequence[float], level: float, groups: int) -> float:
    """Wider as soon as it is needed, and wider than the largest error where rows are too few; narrower than what is
    believed only as far as that would be enough of a standard deviation more of the rows, too: those of a group err
    together, so that it is groups that count."""
    factor = enough(factors, level) * _more(len(factors), level)
    if factor >= 1 or not groups:
        return factor
    sure = min(level + math.sqrt(level * (1 - level) / groups), 1.0)
    return max(factor, min(enough(factors, sure), 1.0))


def kind(found: Parts) -> str:
    """The language with its tool, and the pipeline where one is asked about: `c, gcc 12 -O2`, `llvm, LLVM 22, -Oz`."""
    return ", ".join(found.head[name] for name in ("language", "pipeline") if found.head.get(name))


def needed(found: Distribution, truth: float, level: float) -> float:
    """The factor by which the interval just reaches the truth; infinite where none does, NaN where none changes it.

    An end that is zero, infinite or of another sign than the median stays where it is: it holds the truth or does not.
    """
    low, high = found.interval(level)
    middle = found.median
    if not 0 < abs(middle) < math.inf:
        return math.nan
    end = high if truth > middle else low
    if truth == middle:
        return 0.0
    if not 0 < end / middle < math.inf:
        return 0.0 if low <= truth <= high else math.inf
    return math.log(truth / middle) / math.log(end / middle) if truth / middle > 0 and end != middle else math.inf


def enough(factors: Sequence[float], level: float) -> float:
    """The factor that is enough for the share `level` of rows, one more among them; where none is, for that share of
    the rows that one reaches; 1 where no factor helps.

    It is a hair larger than the row that decides, which rounding would else put outside.
    """
    ordered = sorted(factor for factor in factors if not math.isnan(factor))
    for reached in (ordered, [factor for factor in ordered if factor < math.inf]):
        place = min(math.ceil((len(reached) + 1) * level), len(reached))
        if reached and reached[place - 1] < math.inf:
            return max(reached[place - 1], 1e-3) * (1 + 1e-9)
    return 1.0


@cache
def _more(n: int, level: float) -> float:
    """How many times the largest of `n` errors is enough for the share `level` of others; at most `_MOST`, and 1 from
    nine on where that is 90%.

    Errors with an exponential tail are above c times the largest of n with the probability 1 / binomial(n + c, n): the
    integral of the chance of one over the density of the largest.
    """

    def above(times: float) -> float:
        return math.exp(math.lgamma(n + 1) + math.lgamma(times + 1) - math.lgamma(n + times + 1))

    low, high = 1.0, _MOST
    if above(low) <= 1 - level:
        return low
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > 1 - level else (low, middle)
    return high
