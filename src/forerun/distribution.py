"""What a model believes of one number: probability on intervals of the real line, and what is asked of it.

A decoder that spells numbers gives such a distribution: each leaf of its tree of answers is a complete number, or a
prefix that stands for all numbers whose spelling begins so. Inside an interval of one sign mass is spread evenly over
the logarithm, so that .9 to 1.1 is as wide as 9e9 to 1.1e10.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise


@dataclass(frozen=True)
class Distribution:
    """Intervals in ascending order, which may touch but not overlap, and the probability of each; NaN has none."""

    lows: tuple[float, ...]
    highs: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[float, float, float]]) -> Distribution:
        """From intervals with their weights, in any order; the weights need not add up to 1. Raises ValueError.

        Where intervals overlap they are cut at each other's ends, and what each holds is spread over its pieces.
        """
        kept = sorted(part for part in parts if part[2] > 0 and not math.isnan(part[0]))
        if any(following[0] < part[1] for part, following in pairwise(kept)):
            kept = _cut(kept)
        total = math.fsum(weight for *_, weight in kept)
        if not total > 0:
            raise ValueError("a distribution needs at least one interval with a positive weight")
        lows, highs, weights = zip(*kept, strict=True)
        return cls(lows, highs, tuple(weight / total for weight in weights))

    @classmethod
    def point(cls, value: float) -> Distribution:
        """All mass on one number."""
        return cls((value,), (value,), (1.0,))

    @cached_property
    def _upto(self) -> list[float]:
        return list(accumulate(self.weights))

    def quantile(self, q: float) -> float:
        """The smallest number at or below which lies the share `q`."""
        place = min(bisect_left(self._upto, q * self._upto[-1]), len(self.weights) - 1)
        before = self._upto[place] - self.weights[place]
        share = min(max((q * self._upto[-1] - before) / self.weights[place], 0.0), 1.0)
        return _between(self.lows[place], self.highs[place], share)

    @property
    def median(self) -> float:
        """Half of the mass lies on either side."""
        return self.quantile(0.5)

    def interval(self, level: float) -> tuple[float, float]:
        """The central interval that holds the share `level`."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def above(self, value: float) -> float:
        """The probability of more than `value`."""
        return 1 - self.at_most(value)

    def at_most(self, value: float) -> float:
        """The probability of `value` or less."""
        parts = zip(self.lows, self.highs, self.weights, strict=True)
        return min(1.0, math.fsum(weight * _share(low, high, value) for low, high, weight in parts))

    def log_crps(self, truth: float) -> float:
        """The continuous ranked probability score of log10 of a positive number, 0 at best (Gneiting and Raftery 2007),
        of the distribution with the mass of each interval at its middle: what is spread within intervals is not seen.

        With w the weights of intervals and d their widths in decades, this is the sum of w²d/6 more than the integral
        over the distribution itself where the truth lies in none of them. For a truth in an interval, t decades from
        its middle, it is w(d/2 - |t|)²/d of that one less than so: less than the integral where the truth is near the
        middle of a wide one. For beliefs of 40 to 101 intervals the two differ by about 1%.

        Mass that is not positive counts as the smallest positive interval does, infinite mass as the largest finite
        one.
        """
        positive = [m for m in self._middles if 0 < m < math.inf] or [truth]
        floor, ceiling = min(positive), max(positive)
        logs = [math.log10(min(max(m, floor), ceiling)) for m in self._middles]
        to_truth = math.fsum(w * abs(x - math.log10(truth)) for w, x in zip(self.weights, logs, strict=True))
        return to_truth - _mean_difference(logs, self.weights) / 2

    def widened(self, factor: float) -> Distribution:
        """Every distance from the median, in logarithms, times `factor`; what is not finite or of its sign stays.

        It does nothing where the median itself is zero or infinite.
        """
        return self._stretched(factor, factor)

    def spanning(self, low: float, high: float, level: float) -> Distribution:
        """With a central interval of `level` that begins at `low` or below, and ends at `high` or above: distances from
        the median grow, in logarithms, on either side as far as it takes; else mass lies at these ends."""
        middle, ends = self.median, self.interval(level)
        wanted = min(low, ends[0]), max(high, ends[1])
        below, above = (_times(middle, end, want) for end, want in zip(ends, wanted, strict=True))
        found = self._parted(middle)._stretched(below, above)
        least, most = found.interval(level)
        if least <= low and high <= most:
            return found
        share = (1 - level) / 2 + 1e-9
        parts = zip(found.lows, found.highs, found.weights, strict=True)
        kept = [(a, b, weight * (1 - 2 * share)) for a, b, weight in parts]
        return Distribution.of([(low, low, share), *kept, (high, high, share)])

    def _parted(self, value: float) -> Distribution:
        """The same with an interval that ends, and another that begins, at a value."""
        parts = list[tuple[float, float, float]]()
        for low, high, weight in zip(self.lows, self.highs, self.weights, strict=True):
            if low < value < high:
                share = _share(low, high, value)
                parts += [(low, value, weight * share), (value, high, weight * (1 - share))]
            else:
                parts.append((low, high, weight))
        return Distribution.of(parts)

    def _stretched(self, below: float, above: float) -> Distribution:
        """Distances from the median, in logarithms, times a factor on either side."""
        middle = self.median
        if not 0 < abs(middle) < math.inf:
            return self
        sign, log = math.copysign(1.0, middle), math.log(abs(middle))

        def moved(value: float) -> float:
            if not 0 < value * sign < math.inf:
                return value
            factor = above if value > middle else below
            return sign * math.exp(min(max(log + (math.log(value * sign) - log) * factor, -744.0), 709.0))

        return Distribution(tuple(map(moved, self.lows)), tuple(map(moved, self.highs)), self.weights)

    def scaled(self, factor: float) -> Distribution:
        """Of the number times a positive factor."""
        return Distribution(tuple(x * factor for x in self.lows), tuple(x * factor for x in self.highs), self.weights)

    def within(self, least: float, most: float) -> Distribution:
        """With what lies below `least` or above `most` at these ends."""
        lows, highs = (tuple(min(max(x, least), most) for x in ends) for ends in (self.lows, self.highs))
        return Distribution(lows, highs, self.weights)

    def reaching(self, most: float, level: float) -> Distribution:
        """With so much of the mass at `most`, or at infinity, that the central interval of `level` reaches it."""
        if self.interval(level)[1] >= most:
            return self
        share = (1 - level) / 2 + 1e-9
        parts = zip(self.lows, self.highs, self.weights, strict=True)
        kept = [(low, high, weight * (1 - share)) for low, high, weight in parts]
        return Distribution.of([*kept, (most, most, share)])

    def from_least(self, least: float, level: float) -> Distribution:
        """With so much of the mass at `least` that the central interval of `level` begins there, or below."""
        if self.interval(level)[0] <= least:
            return self
        share = (1 - level) / 2 + 1e-9
        parts = zip(self.lows, self.highs, self.weights, strict=True)
        return Distribution.of([(least, least, share), *((low, high, part * (1 - share)) for low, high, part in parts)])

    @cached_property
    def _middles(self) -> list[float]:
        return [_between(low, high, 0.5) for low, high in zip(self.lows, self.highs, strict=True)]


def _times(middle: float, end: float, wanted: float) -> float:
    """How many times as far from the middle what is wanted lies, in logarithms; 1 where there are none."""
    if middle == 0 or not all(0 < value / middle < math.inf for value in (end, wanted)) or end == middle:
        return 1.0
    return max(math.log(wanted / middle) / math.log(end / middle), 1.0) * (1 + 1e-12)


def _cut(parts: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """The same mass on intervals that do not overlap."""
    ends = sorted({end for low, high, _ in parts for end in (low, high)})
    mass: dict[tuple[float, float], float] = defaultdict(float)
    for low, high, weight in parts:
        if low == high:
            mass[low, high] += weight
        before = 0.0
        for place in range(bisect_left(ends, low), bisect_left(ends, high)):
            share = _share(low, high, ends[place + 1])
            mass[ends[place], ends[place + 1]] += weight * (share - before)
            before = share
    return sorted((low, high, weight) for (low, high), weight in mass.items() if weight > 0)


def _between(low: float, high: float, share: float) -> float:
    if low == high:
        return low
    if low > 0 or high < 0:
        sign = 1 if low > 0 else -1
        a, b = sorted((abs(low), min(abs(high), 1.7e308)) if sign > 0 else (abs(high), min(abs(low), 1.7e308)))
        share = share if sign > 0 else 1 - share
        return sign * min(max(math.exp(math.log(a) + share * (math.log(b) - math.log(a))), a), b)
    return low + share * (high - low) if math.isfinite(high - low) else 0.0


def _share(low: float, high: float, value: float) -> float:
    """The share of an interval's mass at or below a value."""
    if value >= high:
        return 1.0
    if value <= low:
        return 0.0
    if low > 0:
        return (math.log(value) - math.log(low)) / (math.log(min(high, 1.7e308)) - math.log(low))
    if high < 0:
        return 1 - _share(-high, -low, -value)
    return (value - low) / (high - low) if math.isfinite(high - low) else 0.5


def _mean_difference(values: Sequence[float], weights: Sequence[float]) -> float:
    """E|X - Y| of two independent draws."""
    below = mass = total = 0.0
    for value, weight in sorted(zip(values, weights, strict=True)):
        total += weight * (value * mass - below)
        below, mass = below + weight * value, mass + weight
    return 2 * total
