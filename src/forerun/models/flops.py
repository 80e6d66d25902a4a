"""The more arithmetic, the slower: how architectures are ranked without a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from forerun.models._features import Table, line, log_length
from forerun.models._regression import Estimate, Regression, Vector
from forerun.prompts import Parts


class Flops(Regression):
    """A line through log value over log of the prompt's counter `flops`; over log length where there is none."""

    name: ClassVar[str] = "flops"

    def _learn(self, found: Sequence[Parts]) -> Table:
        return self._features(found)

    def _features(self, found: Sequence[Parts]) -> Table:
        """`[n, 2]`: ln(flops + 1) or NaN, and the logarithm of the length."""
        return np.array([(_log_flops(one), log_length(one)) for one in found])

    def _regress(self, x: Table, y: Vector, setting: None, seed: int) -> Estimate:
        known = ~np.isnan(x[:, 0])
        length = line(x[:, 1], y)
        flops = line(x[known, 0], y[known]) if known.any() else None

        def estimate(asked: Table) -> Vector:
            by_length = length[0] * asked[:, 1] + length[1]
            if flops is None:
                return np.asarray(by_length)
            return np.where(np.isnan(asked[:, 0]), by_length, flops[0] * asked[:, 0] + flops[1])

        return estimate


def _log_flops(found: Parts) -> float:
    flops = found.counters.get("flops", math.nan)
    return math.log1p(flops) if 0 <= flops < math.inf else math.nan
