"""What the most similar programs cost."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from forerun.models._ngrams import NgramRegression
from forerun.models._regression import Estimate, Mask, Vector

_COUNTS = (1, 2, 3, 5, 8, 13, 21, 34)
_AT_ONCE = 256
"""Rows whose similarities are held at one time."""


class Neighbours(NgramRegression):
    """The similarity-weighted mean of log values of the nearest programs by TF-IDF; how many, held-out groups say."""

    name: ClassVar[str] = "neighbours"

    def _choose(self, x: Any, y: Vector, held: Mask, seed: int) -> int:
        places, weights = nearest(x[held], x[~held], max(_COUNTS))

        def error(count: int) -> float:
            return float(np.mean((_mean(y[~held], places[:, :count], weights[:, :count]) - y[held]) ** 2))

        return min(_COUNTS, key=error)

    def _regress(self, x: Any, y: Vector, setting: int, seed: int) -> Estimate:
        return lambda asked: _mean(y, *nearest(asked, x, setting))


def nearest(asked: Any, known: Any, count: int) -> tuple[NDArray[np.int64], Vector]:
    """Places in `known` and cosines of the nearest rows, nearest first: `[asked, count]` or as many as there are."""
    turned, places, cosines = known.T.tocsr(), [], []
    for start in range(0, asked.shape[0], _AT_ONCE):
        similar = (asked[start : start + _AT_ONCE] @ turned).toarray()
        order = np.argsort(-similar, axis=1, kind="stable")[:, :count]
        places.append(order)
        cosines.append(np.take_along_axis(similar, order, axis=1))
    return np.concatenate(places), np.concatenate(cosines).astype(np.float64)


def _mean(y: Vector, places: NDArray[np.int64], weights: Vector) -> Vector:
    """Those with nothing in common count next to nothing, all alike."""
    weights = np.maximum(weights, 1e-6)
    return np.asarray((y[places] * weights).sum(axis=1) / weights.sum(axis=1))
