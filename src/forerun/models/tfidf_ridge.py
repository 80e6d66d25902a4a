"""A linear model of character n-grams: hard to beat on source code."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from forerun.models._ngrams import NgramRegression
from forerun.models._regression import Estimate, Mask, Vector, missing

_ALPHAS = (0.03, 0.1, 0.3, 1.0, 3.0)


class TfidfRidge(NgramRegression):
    """Ridge regression of log value on TF-IDF of character n-grams; the penalty is chosen on held-out groups."""

    name: ClassVar[str] = "tfidf_ridge"

    def _choose(self, x: Any, y: Vector, held: Mask, seed: int) -> float:
        def error(alpha: float) -> float:
            return float(np.mean((self._regress(x[~held], y[~held], alpha, seed)(x[held]) - y[held]) ** 2))

        return min(_ALPHAS, key=error)

    def _regress(self, x: Any, y: Vector, setting: float, seed: int) -> Estimate:
        try:
            from sklearn.linear_model import Ridge
        except ImportError as error:
            raise missing(error, self.name) from error
        middle = float(y.mean())  # the features are in single precision, and then the target is too
        found = Ridge(alpha=setting, solver="sparse_cg", tol=1e-4).fit(x, y - middle)
        return lambda asked: np.asarray(found.predict(asked), dtype=np.float64) + middle
