"""Scores of predictions on weighted rows, for many weightings at once: `[B, n]` weights give `[B]` scores.

A bootstrap resample of whole groups is a weight for each row, how often its group was drawn; all ones is the score
itself. So every score here is exact on each resample, and three hundred of them cost about as much as ten.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forerun.stats import kendall, spearman

Vector = NDArray[np.float64]
Weights = NDArray[np.float64]

_AT_ONCE = 256
"""Rows compared with all others at one time."""


def resamples(groups: Sequence[str], count: int, seed: int) -> Weights:
    """`[1 + count, n]`: all ones, then how often the row's group was drawn."""
    _, where = np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)
    most = int(where.max()) + 1
    draws = np.random.default_rng(seed).multinomial(most, np.full(most, 1 / most), size=count)
    return np.concatenate([np.ones((1, len(where))), draws[:, where].astype(np.float64)])


def weighted_mean(values: Vector, weights: Weights) -> Vector:
    """The mean; NaN where nothing weighs."""
    totals = weights.sum(axis=1)
    return np.where(totals > 0, weights @ values / np.maximum(totals, 1e-300), np.nan)


def weighted_median(values: Vector, weights: Weights) -> Vector:
    """The middle value, or the mean of the two; NaN where nothing weighs."""
    order = np.argsort(values)
    ordered, upto = values[order], np.cumsum(weights[:, order], axis=1)
    half = upto[:, -1:] / 2
    low, high = (upto < half).sum(axis=1), (upto <= half).sum(axis=1)
    last = len(values) - 1
    middles = (ordered[np.minimum(low, last)] + ordered[np.minimum(high, last)]) / 2
    return np.where(half[:, 0] > 0, middles, np.nan)


def weighted_spearman(x: Vector, y: Vector, weights: Weights) -> Vector:
    """Pearson's correlation of mean ranks; 0 where x is constant (it tells nothing apart), NaN where y is."""
    a, b = _ranks(x, weights), _ranks(y, weights)
    totals = weights.sum(axis=1, keepdims=True)
    a -= (weights * a).sum(axis=1, keepdims=True) / totals
    b -= (weights * b).sum(axis=1, keepdims=True) / totals
    both, of_a, of_b = ((weights * p * q).sum(axis=1) for p, q in ((a, b), (a, a), (b, b)))
    return _ratio(both, of_a, of_b)


def weighted_kendall(x: Vector, y: Vector, weights: Weights) -> Vector:
    """Tau-b over all pairs; 0 and NaN as `weighted_spearman` has them. Copies of one row are ties on both sides."""
    turned = np.ascontiguousarray(weights.T, dtype=np.float32)
    sums = np.zeros((3, len(weights)))
    for start in range(0, len(x), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        by_x, by_y = np.sign(x[rows, None] - x), np.sign(y[rows, None] - y)
        for i, signs in enumerate((by_x * by_y, np.abs(by_x), np.abs(by_y))):
            sums[i] += ((signs.astype(np.float32) @ turned) * turned[rows]).sum(axis=0, dtype=np.float64)
    return _ratio(*sums)


def within(x: Sequence[float], y: Sequence[float]) -> tuple[float, float] | None:
    """Spearman's rho and the share of pairs in order inside one group; None with fewer than three distinct truths.

    Pairs of equal truth do not count, and a tie of x is half right. A constant x has 0 and one half.
    """
    if len(set(y)) < 3:
        return None
    if len(set(x)) == 1:
        return 0.0, 0.5
    pairs_x, pairs_y = _untied(x), _untied(y)
    return spearman(x, y), 0.5 + kendall(x, y) * (pairs_x / pairs_y) ** 0.5 / 2


def _untied(values: Sequence[float]) -> float:
    counts = np.unique(np.asarray(values), return_counts=True)[1]
    return (len(values) ** 2 - float((counts.astype(np.float64) ** 2).sum())) / 2


def _ranks(values: Vector, weights: Weights) -> Vector:
    """Mean ranks in each resample, where a row of weight w stands w times."""
    _, where = np.unique(values, return_inverse=True)
    totals = np.zeros((len(weights), int(where.max()) + 1))
    for column, place in enumerate(where):
        totals[:, place] += weights[:, column]
    upto = np.cumsum(totals, axis=1)
    return np.asarray((upto - totals / 2 + 0.5)[:, where])


def _ratio(both: Vector, of_x: Vector, of_y: Vector) -> Vector:
    known = (of_x > 1e-12) & (of_y > 1e-12)
    found = np.divide(both, np.sqrt(of_x * of_y), out=np.zeros_like(both), where=known)
    return np.where(of_y > 1e-12, found, np.nan)
