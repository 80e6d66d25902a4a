"""Summaries that carry their uncertainty: geometric means, bootstrap intervals, rank correlation with ties.

Pure Python: the core install stays light, and none of these is ever the slow part.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive values. Raises ValueError where there are none or one is not positive."""
    if not values or min(values) <= 0:
        raise ValueError("a geometric mean needs at least one value, all positive")
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean. Raises ValueError where there are no values."""
    if not values:
        raise ValueError("a mean needs at least one value")
    return math.fsum(values) / len(values)


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile with linear interpolation (type 7 of Hyndman and Fan, 1996)."""
    if not values:
        raise ValueError("a quantile needs at least one value")
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return quantile(values, 0.5)


def bootstrap(
    groups: Sequence[Sequence[float]],
    statistic: Callable[[Sequence[float]], float],
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of a statistic over whole groups (Efron and Tibshirani 1993, chapter 13).

    Rows of one project are not independent: they are drawn together, so give one sequence for each project.
    """
    rows = [value for group in groups for value in group]
    draw = random.Random(seed)
    estimates = []
    for _ in range(resamples):
        chosen = draw.choices(groups, k=len(groups))
        estimates.append(statistic([value for group in chosen for value in group]))
    tail = (1 - level) / 2
    return Interval(statistic(rows), quantile(estimates, tail), quantile(estimates, 1 - tail), len(rows))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    at = 0
    for _, tied in groupby(order, key=values.__getitem__):
        places = list(tied)
        for place in places:
            result[place] = at + (len(places) + 1) / 2
        at += len(places)
    return result


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's rho: Pearson's correlation of mean ranks; nan where one side is constant."""
    a, b = ranks(_paired(x, y)), ranks(y)
    ma, mb = mean(a), mean(b)
    covariance = math.fsum((p - ma) * (q - mb) for p, q in zip(a, b, strict=True))
    spread = math.sqrt(math.fsum((p - ma) ** 2 for p in a) * math.fsum((q - mb) ** 2 for q in b))
    return covariance / spread if spread else math.nan


def kendall(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's tau-b in O(n log n) (Knight 1966); nan where one side is constant."""
    n = len(_paired(x, y))
    pairs = sorted(zip(x, y, strict=True))
    total = n * (n - 1) // 2
    ties_x, ties_y = _ties([p[0] for p in pairs]), _ties(sorted(y))
    ties_both = _ties(pairs)
    swaps = _inversions([p[1] for p in pairs])[1]
    denominator = math.sqrt((total - ties_x) * (total - ties_y))
    return (total - ties_x - ties_y + ties_both - 2 * swaps) / denominator if denominator else math.nan


def _paired(x: Sequence[float], y: Sequence[float]) -> Sequence[float]:
    if len(x) != len(y) or len(x) < 2:
        raise ValueError(f"a correlation needs two sequences of one length, at least 2: got {len(x)} and {len(y)}")
    return x


def _ties(ordered: Sequence[object]) -> int:
    counts = [len(list(group)) for _, group in groupby(ordered)]
    return sum(c * (c - 1) // 2 for c in counts)


def _inversions(values: list[float]) -> tuple[list[float], int]:
    if len(values) < 2:
        return values, 0
    half = len(values) // 2
    (left, a), (right, b) = _inversions(values[:half]), _inversions(values[half:])
    merged: list[float] = []
    count, i = a + b, 0
    for value in right:
        while i < len(left) and left[i] <= value:
            merged.append(left[i])
            i += 1
        merged.append(value)
        count += len(left) - i
    return merged + left[i:], count
