"""Fair timing on a noisy machine: warm-up, interleaved with what it is compared to, and spread beside the value."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forerun.stats import median, quantile


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall-clock seconds of repeated runs."""

    seconds: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The middle run."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """Interquartile range over the median: above about .1 the machine was busy."""
        return (quantile(self.seconds, 0.75) - quantile(self.seconds, 0.25)) / self.median_s


def interleaved(runs: Mapping[str, Callable[[], object]], repeats: int = 5, warm_up: int = 1) -> dict[str, Timing]:
    """Times each function `repeats` times, in turn, so that a slow minute of the machine slows all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(warm_up + repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if turn >= warm_up:
                seconds[name].append(time.perf_counter() - start)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}
