"""Fair timing on a noisy machine: warm-up, interleaved with what it is compared to, and spread beside the value."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forerun.stats import median, quantile

Clock = Callable[[], float]
"""Seconds since whenever."""

_SAMPLE_S = 1e-3
"""A sample holds as many runs as take so long: the clock and the call are then under 1% of it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of repeated runs."""

    seconds: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The middle run."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """Interquartile range over the median: above about .1 the machine was busy."""
        return (quantile(self.seconds, 0.75) - quantile(self.seconds, 0.25)) / self.median_s


def interleaved(
    runs: Mapping[str, Callable[[], object]], repeats: int = 5, warm_up: int = 1, clock: Clock = time.perf_counter
) -> dict[str, Timing]:
    """Times each function `repeats` times, in turn, so that a slow minute of the machine slows all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(warm_up + repeats):
        for name, run in runs.items():
            start = clock()
            run()
            if turn >= warm_up:
                seconds[name].append(clock() - start)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


def steady(
    sample: Callable[[int], object], repeats: int, seconds: float, clock: Clock = time.perf_counter
) -> tuple[Timing, int]:
    """Samples of `sample(runs)`, and of how many runs each is: as many as the clock can tell.

    There are `repeats` samples, fewer where they would take longer than `seconds` together, but 3 at least.
    """

    def timed(runs: int, samples: int) -> Timing:
        return interleaved({"": lambda: sample(runs)}, samples, clock=clock)[""]

    once = timed(1, 3).median_s
    runs = runs_of(once)
    return timed(runs, samples_of(once * runs, repeats, seconds)), runs


def runs_of(once_s: float, sample_s: float = _SAMPLE_S) -> int:
    """How many runs a sample holds, so that it takes `sample_s` at least."""
    return max(1, math.ceil(sample_s / max(once_s, 1e-7)))


def samples_of(sample_s: float, repeats: int, seconds: float) -> int:
    """How many samples are taken: `repeats`, fewer where they would take longer than `seconds`, but 3 at least."""
    return max(3, min(repeats, int(seconds / (sample_s or 1e-7))))
