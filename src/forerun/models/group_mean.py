"""What programs of this language cost on this device: the rival that does not read the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from forerun.models._features import Categories, Table, device, language
from forerun.models._regression import Estimate, Regression, Vector
from forerun.prompts import Parts

_ENOUGH = 5
"""Rows that make a mean."""


class GroupMean(Regression):
    """The geometric mean of the language on the device; of the language, or of all, where there are few rows."""

    name: ClassVar[str] = "group_mean"

    def _learn(self, found: Sequence[Parts]) -> Table:
        self._languages = Categories([language(one) for one in found])
        self._devices = Categories([device(one) for one in found])
        return self._features(found)

    def _features(self, found: Sequence[Parts]) -> Table:
        """`[n, 2]`: the language, the device."""
        languages = self._languages.codes([language(one) for one in found])
        return np.column_stack([languages, self._devices.codes([device(one) for one in found])])

    def _regress(self, x: Table, y: Vector, setting: None, seed: int) -> Estimate:
        everyone = float(y.mean())
        languages, pairs = _means(x[:, :1], y), _means(x, y)

        def estimate(asked: Table) -> Vector:
            keys = [tuple(row) for row in asked.tolist()]
            return np.array([pairs.get(key, languages.get(key[:1], everyone)) for key in keys])

        return estimate


def _means(keys: Table, y: Vector) -> dict[tuple[float, ...], float]:
    """The mean for each key that has enough rows. NaN is no key."""
    found, where, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    sums = np.bincount(where.reshape(-1), weights=y, minlength=len(found))
    enough = (counts >= _ENOUGH) & ~np.isnan(found).any(axis=1)
    means = (sums[enough] / counts[enough]).tolist()
    return {tuple(key): mean for key, mean in zip(found[enough].tolist(), means, strict=True)}
