"""Intervals that hold what they promise: split conformal prediction in logarithms (Papadopoulos et al. 2002).

Each row that was not learned from says by which factor its distribution would have to be widened for the interval to
reach the truth; the factor that is enough for nine rows in ten, or where they are few would be enough for the next one,
is used from then on. Like the rows, it speaks for groups that were not learned from.

Costs are positive, and that is what logarithms are for; a difference of costs lies on either side of zero. No factor
moves the end of an interval across: rows whose sign a belief rules out are beyond it, and a belief of zero stays.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import ClassVar

from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._predictor import Predictor
from forerun.models._regression import missing
from forerun.prompts import Parts, parts
from forerun.rows import Row
from forerun.splits import groups_of

LEVEL = 0.9
_ENOUGH = 100
"""Rows for which a kind gets a factor of its own, and groups whose rows alone say how wide intervals are."""
_PRIOR = 3
"""Groups that what is believed counts for."""


class Calibrated(Predictor):
    """A predictor whose distributions are widened, or narrowed, for each kind of question."""

    name: ClassVar[str] = "calibrated"

    def __init__(self, inner: Predictor, level: float = LEVEL) -> None:
        self.inner, self.level = inner, level
        self.factor, self.factors = 1.0, dict[str, float]()

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns the factors from rows that the inner predictor has not learned from. Raises InputError without any,
        ToolMissing."""
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
    """The factor that is enough for what was believed of rows, and those of kinds with enough of them. Raises
    ToolMissing."""
    found, groups = defaultdict(list), defaultdict(set)
    for row, group, one in zip(rows, groups_of(rows), beliefs, strict=True):
        name = kind(parts(row.prompt))
        found[name].append(needed(one, row.value, level))
        groups[name].add(group)
    own = {
        name: _factor(factors, level, len(groups[name])) for name, factors in found.items() if len(factors) >= _ENOUGH
    }
    every = [factor for factors in found.values() for factor in factors]
    return _factor(every, level, len(set().union(*groups.values()))), own


def _factor(factors: Sequence[float], level: float, groups: int) -> float:
    """Of rows of many groups what is enough for the share `level` of them; of fewer what `predictive` says."""
    return enough(factors, level) if groups >= _ENOUGH else predictive(factors, level, groups)


def predictive(factors: Sequence[float], level: float, groups: int) -> float:
    """The factor that the next row needs at most, with the probability `level`, by the mean square of all.

    The order of a few rows says little of one in ten. Measured factors are spread as absolute values of a normal
    distribution, so the next one is as Student's t says, with as many degrees of freedom as there are groups, since
    those of a group err together, and `_PRIOR` more (Bayesian prediction with a conjugate prior; Gelman et al. 2013,
    chapter 3). Those say that what is believed is as wide as it should be, unless the rows say that it is too narrow.
    Rows that no factor reaches do not count. Raises ToolMissing.
    """
    reached = [factor for factor in factors if factor < math.inf]
    found, usual = min(groups, len(reached)), _quantile(math.inf, level) ** -2
    square = math.fsum(factor**2 for factor in reached) / max(len(reached), 1)
    spread = (_PRIOR * max(square, usual) + found * square) / (_PRIOR + found)
    return max(_quantile(_PRIOR + found, level) * math.sqrt(spread), 1e-3) if reached else 1.0


@cache
def _quantile(freedom: float, level: float) -> float:
    """Below which lies the absolute value of Student's t with the probability `level`."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf((1 + level) / 2)
    try:
        from scipy.special import stdtrit
    except ImportError as error:
        raise missing(error, Calibrated.name) from error
    return float(stdtrit(freedom, (1 + level) / 2))


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
