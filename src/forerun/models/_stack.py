"""Several predictors as one: a convex combination in logarithms (stacked regressions, Breiman 1996)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from forerun.distribution import Distribution
from forerun.errors import UsageError
from forerun.models._predictor import Predictor
from forerun.models._regression import Scale, Vector, folds, labels, missing, thinned, untaught
from forerun.rows import Row

_FOLDS = 5
_ROUNDS = 20
_SUM = 1e3
"""How much heavier than all rows together the weights' sum counts."""


class Stack(Predictor):
    """The weighted mean of fitted predictors' medians, with the errors of weights that other groups gave."""

    name: ClassVar[str] = "stack"

    def __init__(self, members: Mapping[str, Predictor]) -> None:
        """Of at least one predictor, fitted on other rows than the stack will be. Raises UsageError for none."""
        if not members:
            raise UsageError("a stack needs members", "none were given", "name at least one predictor")
        self.members = dict(members)
        self.weights: dict[str, float] = {}
        self._scale, self._errors = Scale(), np.empty(0)

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns the weights from rows that the members have not learned from. Raises InputError, ToolMissing."""
        values = labels(rows)
        self._scale = Scale.of(values)
        x, y = self._medians([row.prompt for row in rows]), self._scale.to(values)
        errors = np.empty_like(y)
        for held in folds([row.group for row in rows], _FOLDS, seed):
            errors[held] = y[held] - x[held] @ convex(x[~held], y[~held])
        self.weights = dict(zip(self.members, convex(x, y).tolist(), strict=True))
        self._errors = thinned(errors)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What the members believe together. Raises InputError before `fit`."""
        if not self.weights:
            raise untaught(self.name)
        places = self._medians(prompts) @ np.array(list(self.weights.values()))
        return [self._scale.distribution(place, self._errors) for place in places.tolist()]

    def _medians(self, prompts: Sequence[str]) -> NDArray[np.float64]:
        """`[prompts, members]`, on the scale."""
        found = [[one.median for one in member.predict(prompts)] for member in self.members.values()]
        values = np.array(found, dtype=np.float64).reshape(len(self.members), len(prompts)).T
        if self._scale.unit == 0:
            values = np.clip(values, 1e-280, 1e280)
        return self._scale.to(values)


def convex(x: NDArray[np.float64], y: Vector) -> Vector:
    """The weights, none negative and 1 in all, of the columns that are nearest to y in absolute distance.

    Non-negative least squares (Lawson and Hanson 1974), the sum as one more row that outweighs the others, repeated
    with each row weighed by the inverse of its distance (Schlossmacher 1973): a few rows far off decide nothing.
    """
    try:
        from scipy.optimize import nnls
    except ImportError as error:
        raise missing(error, Stack.name) from error
    centred = x - y[:, None]
    least = 1e-3 * float(np.abs(centred).mean()) + 1e-12
    weights = np.full(x.shape[1], 1 / x.shape[1])
    for _ in range(_ROUNDS):
        rows = centred / np.sqrt(np.maximum(np.abs(centred @ weights), least))[:, None]
        heavy = _SUM * (float(np.linalg.norm(rows)) + 1e-12)
        found = nnls(np.vstack([rows, np.full(x.shape[1], heavy)]), np.append(np.zeros(len(y)), heavy))[0]
        weights = found / found.sum()
    return np.asarray(weights)
