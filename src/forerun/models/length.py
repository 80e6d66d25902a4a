"""The longer, the more: the first rival of anything that reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from forerun.models._features import Categories, Table, language, line, log_length
from forerun.models._regression import Estimate, Regression, Vector
from forerun.prompts import Parts

_ENOUGH = 30
"""Rows for which a language gets a line of its own."""


class Length(Regression):
    """A line through log value over log length of the program, one a language where there are enough rows."""

    name: ClassVar[str] = "length"

    def _learn(self, found: Sequence[Parts]) -> Table:
        self._languages = Categories([language(one) for one in found])
        return self._features(found)

    def _features(self, found: Sequence[Parts]) -> Table:
        """`[n, 2]`: the language, the logarithm of the length."""
        codes = self._languages.codes([language(one) for one in found])
        return np.column_stack([codes, [log_length(one) for one in found]])

    def _regress(self, x: Table, y: Vector, setting: None, seed: int) -> Estimate:
        everyone = line(x[:, 1], y)
        codes, counts = np.unique(x[:, 0][~np.isnan(x[:, 0])], return_counts=True)
        own = {code: line(x[x[:, 0] == code, 1], y[x[:, 0] == code]) for code in codes[counts >= _ENOUGH]}

        def estimate(asked: Table) -> Vector:
            lines = np.array([own.get(code, everyone) for code in asked[:, 0]])
            return np.asarray(lines[:, 0] * asked[:, 1] + lines[:, 1])

        return estimate
