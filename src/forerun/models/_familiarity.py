"""How far a row lies from those that were learned from (Mahalanobis distance, Lee et al. 2018), among others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHRINKAGE = 0.05
"""Of the covariance towards its mean variance: rows may lie in a subspace."""
_NEARER = 0.95
"""The share of what is beside the validation that counts."""
_QUANTILES = np.linspace(0, 1, 101)

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class Known:
    """Where the rows of a training lie: mean `[F]`, whitening `[F, F]`, and 101 quantiles of distances."""

    mean: Floats32
    whitening: Floats32
    distances: Floats32

    @classmethod
    def of(cls, training_NF: Floats32, validation_NF: Floats32) -> Known:
        """From summaries; the distances are those of the validation, which the network has not seen either."""
        mean = training_NF.mean(0)
        covariance = np.cov(training_NF, rowvar=False).reshape(len(mean), len(mean))
        spread = max(float(np.trace(covariance)) / len(mean), 1e-12)
        shrunk = (1 - _SHRINKAGE) * covariance + _SHRINKAGE * spread * np.eye(len(mean))
        whitening = np.linalg.inv(np.linalg.cholesky(shrunk)).T
        made = cls(mean.astype(np.float32), whitening.astype(np.float32), np.zeros(101, np.float32))
        return made.among(made.distance(validation_NF))

    @classmethod
    def alone(cls, rows_NF: Floats32) -> Known:
        """From few rows: the distances are those of each from all others."""
        others = [np.arange(len(rows_NF)) != i for i in range(len(rows_NF))]
        out = [cls.of(rows_NF[mask], rows_NF[~mask]).distance(rows_NF[~mask]) for mask in others]
        return cls.of(rows_NF, rows_NF).among(np.concatenate(out))

    def among(self, distances_N: Floats32) -> Known:
        """With the quantiles of these distances."""
        return replace(self, distances=np.quantile(distances_N, _QUANTILES).astype(np.float32))

    def beside(self, others_NF: Floats32) -> Known:
        """With the distances of others that are as familiar as the validation, and count as much all together, but for
        the farthest ones: a few odd ones would make all familiar that lies nearer."""
        quantiles = np.quantile(self.distance(others_NF), _NEARER * _QUANTILES).astype(np.float32)
        return self.among(np.concatenate([self.distances, quantiles]))

    def distance(self, summaries_BF: Floats32) -> Floats32:
        """`[B]`, in standard deviations."""
        moved = (summaries_BF - self.mean) @ self.whitening
        return np.asarray(np.linalg.norm(moved, axis=1) / np.sqrt(len(self.mean)), np.float32)

    def familiarity(self, summaries_BF: Floats32) -> NDArray[np.float64]:
        """`[B]`: the share of validation rows that lie at least as far out; 0 is farther than any of them."""
        place = np.searchsorted(self.distances, self.distance(summaries_BF), side="left")
        return 1 - place / len(self.distances)

    def to_json(self) -> dict[str, Any]:
        """As plain data, to five digits."""
        return {name: np.vectorize(lambda x: float(f"{x:.5g}"))(array).tolist() for name, array in vars(self).items()}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Known:
        """What `to_json` gave. Raises ValueError, TypeError."""
        known = cls(**{name: np.array(x, np.float32) for name, x in found.items()})
        if (known.mean.ndim, known.distances.ndim, known.whitening.shape) != (1, 1, 2 * known.mean.shape):
            raise ValueError("the arrays of `known` do not fit each other")
        return known
