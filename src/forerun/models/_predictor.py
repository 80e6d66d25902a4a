"""Models that answer with a number: they learn from rows, and say what they believe as a distribution.

A point estimate becomes a distribution by the errors that it made on rows that it had not seen (split conformal
prediction, Papadopoulos et al. 2002), as factors: costs are positive and their errors are relative.
"""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from forerun.core import Draft, Grammar, Model, Trial
from forerun.distribution import Distribution
from forerun.rows import Row

A = TypeVar("A")


class Predictor(Model):
    """A model of numbers. Whatever it reads stands in the prompts (`forerun.prompts`)."""

    @abstractmethod
    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns from rows of one metric. Raises InputError where they are too few."""

    @abstractmethod
    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before `fit`."""

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Draws from the distribution, each the nearest answer that the grammar has."""
        found, draw = self.predict([prompt])[0], random.Random(seed)
        values = [found.quantile(draw.random()) for _ in range(n)]
        return [Draft(grammar.adapt(repr(value)), math.nan, self.name) for value in values]


def around(value: float, errors: Sequence[float]) -> Distribution:
    """A positive estimate with the errors, truth over estimate, that such estimates made: sorted or not."""
    if not errors or value <= 0:
        return Distribution.point(value)
    return Distribution.of((value * e, value * e, 1.0) for e in errors)
