"""Costs that add up: so much for each thing that is counted, none of it negative, learned from relative errors.

A module's code is about the sum of what its instructions take, a network's latency of what its operators do. Trees
cannot add, so they are given the sum, and learn what it leaves. Every kind of prompt with enough rows (a language, a
device, a pipeline) has weights of its own, by non-negative least squares (Lawson and Hanson 1974), weighted anew
(Schlossmacher 1973) until it is the sum of absolute errors that is least: a few modules that no count explains would
else bend what the others cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forerun.models._regression import Vector, missing

Table = NDArray[np.float64]

FEWEST = 40
"""Rows of a kind that has weights of its own."""
_SMALL, _LEAST = 0.05, 1e-140
"""Errors of values below this quantile, or this value, whose square would be none, count as if they were that large."""
_ROUNDS, _CLOSE = 6, 0.03
"""Times that rows are weighted anew, and the relative error below which they are weighted alike."""


@dataclass(frozen=True)
class Sums:
    """`weights` are `[kinds, counts + 1]`, the last for what is always there; those of kind 0 are for all rows."""

    weights: Table

    @classmethod
    def of(cls, counts: Table, kinds: Vector, values: Vector) -> Sums:
        """From counts `[n, counts]`, kinds `[n]` numbered from 1, 0 for any other, and positive values `[n]`.

        Raises ToolMissing without SciPy.
        """
        shared = _weights(counts, values)
        own = (kinds == kind for kind in range(1, int(kinds.max(initial=0)) + 1))
        found = (_weights(counts[m], values[m]) if m.sum() >= FEWEST else shared for m in own)
        return cls(np.array([shared, *found]))

    def __call__(self, counts: Table, kinds: Vector) -> Vector:
        """The logarithms of the sums `[n]`."""
        rows = self.weights[np.where(kinds < len(self.weights), kinds, 0).astype(np.intp)]
        return np.asarray(np.log(np.maximum(np.einsum("nc,nc->n", _with_one(counts), rows), 1e-12)))


def _weights(counts: Table, values: Vector) -> Vector:
    try:
        from scipy.optimize import nnls
    except ImportError as error:
        raise missing(error, "learning what adds up") from error
    scale = 1 / np.maximum(values, max(float(np.quantile(values, _SMALL)), _LEAST))
    counted = _with_one(counts)
    most = np.maximum(counted.max(0), 1.0)
    table, truth, heavy = counted / most * scale[:, None], values * scale, np.ones_like(values)
    sizes = np.sqrt((table**2).sum(0))
    sizes[sizes == 0] = 1.0
    table /= sizes
    for _ in range(1 + _ROUNDS):
        found = nnls(table * heavy[:, None], truth * heavy, maxiter=100 * table.shape[1])[0]
        heavy = 1 / np.sqrt(np.maximum(np.abs(table @ found - truth), _CLOSE))
    return np.asarray(found / sizes / most)


def _with_one(counts: Table) -> Table:
    return np.concatenate([counts, np.ones((len(counts), 1))], axis=1)
