"""Distributions on the number line, against sums by hand and against draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.distribution import Distribution

PARTS = [(10.0, 10.0, 0.2), (20.0, 40.0, 0.5), (100.0, 100.0, 0.3)]
positive = st.floats(1e-300, 1e300)
points = st.lists(st.tuples(positive, st.floats(0.01, 1)), min_size=1, max_size=8)


def of_points(rows: list[tuple[float, float]]) -> Distribution:
    return Distribution.of((value, value, weight) for value, weight in rows)


def test_quantiles_and_probabilities() -> None:
    found = Distribution.of(reversed(PARTS))
    assert found.quantile(0.1) == 10 and found.quantile(0.9) == 100
    assert found.quantile(0.45) == pytest.approx(math.sqrt(20 * 40)) and found.median == pytest.approx(20 * 2**0.6)
    assert found.interval(0.8) == (10, 100)
    assert found.at_most(9) == 0 and found.at_most(10) == pytest.approx(0.2) and found.at_most(100) == 1
    assert found.at_most(math.sqrt(800)) == pytest.approx(0.45) and found.above(99) == pytest.approx(0.3)


@given(points)
def test_quantiles_never_go_down_and_invert_probabilities(rows: list[tuple[float, float]]) -> None:
    found = of_points(rows)
    quantiles = [found.quantile(q / 20) for q in range(21)]
    assert quantiles == sorted(quantiles)
    for q in (0.1, 0.5, 0.9):
        assert found.at_most(found.quantile(q)) >= q - 1e-9


@pytest.mark.parametrize(
    "low, high", [(-40.0, -20.0), (-3.0, 5.0), (0.0, 8.0), (5e-324, 1.7e308), (-math.inf, math.inf)]
)
def test_intervals_of_every_kind(low: float, high: float) -> None:
    found = Distribution.of([(low, high, 1.0)])
    inside = [found.quantile(q) for q in (0.1, 0.5, 0.9)]
    assert all(low <= value <= high for value in inside) and inside == sorted(inside)
    assert found.at_most(high) == 1


@given(points, positive)
def test_crps_is_that_of_the_two_expectations(rows: list[tuple[float, float]], truth: float) -> None:
    found = of_points(rows)
    logs = [math.log10(value) for value in found.lows]
    weights = found.weights
    floor, ceiling = min(logs), max(logs)
    first = sum(w * abs(x - math.log10(truth)) for w, x in zip(weights, logs, strict=True))
    second = sum(
        v * w * abs(x - y) for v, x in zip(weights, logs, strict=True) for w, y in zip(weights, logs, strict=True)
    )
    assert found.log_crps(truth) == pytest.approx(first - second / 2, rel=1e-6, abs=1e-6 * (1 + ceiling - floor))


@pytest.mark.parametrize("truth", [0.5, 2.0, 4.0, 6.0, 30.0, 100.0, 2000.0])
def test_crps_is_as_far_from_the_integral_as_is_said(truth: float) -> None:
    found = Distribution.of([(1, 4, 0.5), (4, 5, 0.1), (10, 1000, 0.4)])
    grid = [-2 + 7 * (i + 0.5) / 70_000 for i in range(70_000)]
    integral = sum((found.at_most(10**x) - (10**x >= truth)) ** 2 for x in grid) * 7 / 70_000
    at = math.log10(truth)
    told = 0.0
    for low, high, weight in zip(found.lows, found.highs, found.weights, strict=True):
        width, off = math.log10(high / low), abs(at - (math.log10(low) + math.log10(high)) / 2)
        told += weight**2 * width / 6 - weight * max(width / 2 - off, 0) ** 2 / width
    assert found.log_crps(truth) == pytest.approx(integral + told, abs=2e-4)
    assert (told > 0) == (truth != 100)  # in the middle of a wide interval


def test_a_sure_and_right_forecast_scores_zero() -> None:
    assert Distribution.point(7.0).log_crps(7.0) == 0
    assert Distribution.point(70.0).log_crps(7.0) == pytest.approx(1)


def test_widening_keeps_the_median_and_stretches_logarithms() -> None:
    found = Distribution.of(PARTS)
    wide = found.widened(2.0)
    assert wide.median == pytest.approx(found.median)
    before, after = (math.log(d.quantile(0.9) / d.median) for d in (found, wide))
    assert after == pytest.approx(2 * before)
    signed = Distribution.of([(-1.0, 1.0, 1.0)])
    assert signed.widened(3.0) == signed
    mirrored = Distribution.of((-high, -low, weight) for low, high, weight in PARTS)
    assert [-mirrored.widened(2.0).quantile(q) for q in (0.9, 0.5, 0.1)] == pytest.approx(
        [wide.quantile(q) for q in (0.1, 0.5, 0.9)]
    )


def test_what_is_too_far_lies_at_the_ends() -> None:
    found = Distribution.of([(0, 1, 0.25), (2, 8, 0.5), (100, math.inf, 0.25)]).within(0.5, 10)
    assert (found.quantile(0), found.quantile(1), found.at_most(9)) == (0.5, 10, 0.75)
    assert found.median == Distribution.of([(0, 1, 0.25), (2, 8, 0.5), (100, math.inf, 0.25)]).median


def test_intervals_that_overlap_are_cut() -> None:
    found = Distribution.of([(1e-3, 1e3, 0.5), (0.1, 0.2, 0.5)])
    assert found.lows == (1e-3, 0.1, 0.2) and found.highs == (0.1, 0.2, 1e3)
    assert 0.1 < found.quantile(0.4) < found.median < found.quantile(0.6) < 0.2 < found.quantile(0.75)


ENDS = st.sampled_from([0.0, 1e-3, 0.5, 1.0, 3.0, 1e4, math.inf])


@given(st.lists(st.tuples(ENDS, ENDS, st.floats(0.01, 1)), min_size=1, max_size=12))
def test_quantiles_invert_probabilities_whatever_overlaps(rows: list[tuple[float, float, float]]) -> None:
    parts = [(min(a, b), max(a, b), weight) for a, b, weight in rows]
    found = Distribution.of(parts)
    assert math.fsum(found.weights) == pytest.approx(1)
    values = [found.quantile(q / 20) for q in range(21)]
    assert values == sorted(values)
    total = math.fsum(weight for *_, weight in parts)
    for value in {end for low, high, _ in parts for end in (low, high)} - {math.inf}:
        apart = [Distribution.of([part]).at_most(value) * part[2] for part in parts]
        assert found.at_most(value) == pytest.approx(math.fsum(apart) / total, abs=1e-9)


@pytest.mark.parametrize("parts", [[], [(1.0, 1.0, 0.0)], [(math.nan, math.nan, 1.0)]])
def test_nothing_is_no_distribution(parts: list[tuple[float, float, float]]) -> None:
    with pytest.raises(ValueError):
        Distribution.of(parts)


@pytest.mark.parametrize("most", [50.0, math.inf])
def test_an_interval_reaches_as_far_as_it_is_told(most: float) -> None:
    belief = Distribution.of([(1.0, 2.0, 1.0)])
    found = belief.reaching(most, 0.9)
    assert found.interval(0.9)[1] == most and found.median == pytest.approx(belief.median, rel=0.05)
    assert found.above(3.0) == pytest.approx(0.05) and belief.reaching(1.5, 0.9) is belief


def test_an_interval_spans_what_it_is_told_and_keeps_its_median() -> None:
    found = Distribution.of(PARTS)
    low, high = found.interval(0.9)
    wide = found.spanning(low / 5, high * 50, 0.9)
    assert wide.median == pytest.approx(found.median)
    assert wide.interval(0.9) == (pytest.approx(low / 5), pytest.approx(high * 50))
    assert wide.above(high * 2) == pytest.approx(found.above(high * 0.99)), "what lay at the end moves with it"
    one_sided = found.spanning(low, high * 50, 0.9)
    assert one_sided.quantile(0.1) == pytest.approx(found.quantile(0.1)) and one_sided.interval(0.9)[1] > high * 49
    assert found.spanning(low * 2, high / 2, 0.9).interval(0.9) == pytest.approx((low, high)), "it never narrows"
    point = Distribution.point(2.0).spanning(1.0, 9.0, 0.9)
    assert point.median == 2 and point.interval(0.9) == (1, 9)
    mirrored = Distribution.of((-b, -a, weight) for a, b, weight in PARTS).spanning(-high * 50, -low / 5, 0.9)
    assert mirrored.interval(0.9) == (pytest.approx(-high * 50), pytest.approx(-low / 5))
    signed = Distribution.of([(-1.0, 2.0, 1.0)]).spanning(-8.0, 9.0, 0.9)
    assert signed.interval(0.9) == (-8, 9)


def test_draws_agree() -> None:
    draw = np.random.default_rng(0)
    values = np.exp(draw.normal(3, 1, 4000))
    found = Distribution.of((float(v), float(v), 1.0) for v in values)
    assert found.median == pytest.approx(float(np.median(values)), rel=0.01)
    assert found.quantile(0.9) == pytest.approx(float(np.quantile(values, 0.9)), rel=0.02)
