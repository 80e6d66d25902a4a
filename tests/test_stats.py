from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from forerun import stats

numbers = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=40)
pairs = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(-5, 5).map(float), min_size=n, max_size=n) for _ in range(2)))
)


@given(pairs)
def test_rank_correlations_agree_with_scipy_ties_included(pair: tuple[list[float], list[float]]) -> None:
    x, y = pair
    constant = len(set(x)) == 1 or len(set(y)) == 1
    if constant:
        assert math.isnan(stats.spearman(x, y)) and math.isnan(stats.kendall(x, y))
        return
    assert math.isclose(stats.spearman(x, y), reference.spearmanr(x, y).statistic, abs_tol=1e-9)
    assert math.isclose(stats.kendall(x, y), reference.kendalltau(x, y).statistic, abs_tol=1e-9)


@given(numbers)
def test_ranks_and_quantiles_agree_with_scipy(values: list[float]) -> None:
    assert stats.ranks(values) == list(reference.rankdata(values))
    for q in (0.0, 0.1, 0.5, 1.0):
        assert math.isclose(
            stats.quantile(values, q), float(reference.mstats.mquantiles(values, [q], 1, 1)[0]), abs_tol=1e-9
        )


def test_geometric_mean() -> None:
    assert math.isclose(stats.geometric_mean([1, 4, 16]), 4)
    with pytest.raises(ValueError):
        stats.geometric_mean([1, 0])
    with pytest.raises(ValueError):
        stats.geometric_mean([])


def test_bootstrap_draws_groups_whole_and_is_repeatable() -> None:
    groups = [[1.0] * 50, [2.0] * 50]
    found = stats.bootstrap(groups, stats.mean)
    assert found == stats.bootstrap(groups, stats.mean)
    # Two groups with replacement: all ones, all twos, or half each. Rows drawn alone would give a narrow interval.
    assert (found.value, found.low, found.high, found.n) == (1.5, 1.0, 2.0, 100)


def test_a_correlation_needs_two_sequences_of_one_length() -> None:
    with pytest.raises(ValueError, match="one length"):
        stats.spearman([1, 2], [1])
