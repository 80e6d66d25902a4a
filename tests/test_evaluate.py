"""Scores against sums by hand, SciPy and plain resampling; the evaluation on rows whose answer is known."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun import registry, stats
from forerun.distribution import Distribution
from forerun.errors import InputError, UsageError
from forerun.evaluate import HIGHER_IS_BETTER, Scores, evaluate, score
from forerun.models.group_mean import GroupMean
from forerun.models.length import Length
from forerun.rows import Row
from forerun.scores import (
    resamples,
    weighted_kendall,
    weighted_mean,
    weighted_median,
    weighted_spearman,
    within,
)
from forerun.splits import split
from forerun.testing import toy_rows

pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30)


def repeated(values: np.ndarray, weights: np.ndarray) -> list[float]:
    return [float(v) for v, w in zip(values, weights, strict=True) for _ in range(int(w))]


@given(pairs, st.integers(0, 5))
def test_a_weighted_score_is_the_score_of_repeated_rows(rows: list[tuple[int, int]], seed: int) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    weights = resamples([f"g{i % 4}" for i in range(len(rows))], 5, seed)
    assert weights.shape == (6, len(rows)) and (weights[0] == 1).all()
    found = [f(x, y, weights) for f in (weighted_spearman, weighted_kendall)]
    middles, means = weighted_median(x, weights), weighted_mean(x, weights)
    for i, w in enumerate(weights):
        a, b = repeated(x, w), repeated(y, w)
        if len(a) < 2:
            continue
        for ours, theirs in zip(found, (stats.spearman, stats.kendall), strict=True):
            if len(set(b)) == 1:
                assert math.isnan(ours[i])
            elif len(set(a)) == 1:
                assert ours[i] == 0
            else:
                assert ours[i] == pytest.approx(theirs(a, b), abs=1e-5)
        assert middles[i] == stats.median(a) and means[i] == pytest.approx(stats.mean(a))


@given(pairs)
def test_pairs_inside_a_group_are_counted_one_by_one(rows: list[tuple[int, int]]) -> None:
    x, y = (list(map(float, side)) for side in zip(*rows, strict=True))
    found = within(x, y)
    if len(set(y)) < 3:
        assert found is None
        return
    told = [
        0.5 if x[i] == x[j] else float((x[i] < x[j]) == (y[i] < y[j]))
        for i in range(len(x))
        for j in range(i)
        if y[i] != y[j]
    ]
    assert found is not None and found[1] == pytest.approx(stats.mean(told))
    assert found[0] == pytest.approx(stats.spearman(x, y) if len(set(x)) > 1 else 0.0)


def rows_of(values: list[float], groups: list[str]) -> list[Row]:
    return [Row("memory", "B", f"p{i}", v, g) for i, (v, g) in enumerate(zip(values, groups, strict=True))]


def test_scores_by_hand() -> None:
    rows = rows_of([1.0, 2.0, 4.0, 8.0, 0.0], ["a", "a", "a", "b", "b"])
    beliefs = [Distribution.of([(m / 2, m * 2, 1.0)]) for m in (1.0, 3.0, 2.0, 8.0, 1.0)]
    found = score(rows, beliefs)
    assert set(found) == set(HIGHER_IS_BETTER)
    assert found["mape"].value == pytest.approx((0 + 0.5 + 0.5 + 0) / 4)
    assert found["mdape"].value == pytest.approx(0.25)
    assert found["coverage"].value == pytest.approx(3 / 5)  # 2 to 4 times .9 does not reach 4, nothing reaches 0
    assert found["width"].value == pytest.approx(4**0.45 - 4**-0.45)
    assert found["within_spearman"].value == pytest.approx(0.5)
    assert found["within_pairs"].value == pytest.approx(2 / 3)
    crps = [one.log_crps(r.value) for one, r in zip(beliefs[:4], rows[:4], strict=True)]
    assert found["log_crps"].value == pytest.approx(sum(crps) / 4)


def test_what_rounding_puts_outside_is_covered() -> None:
    for off, covered in ((1e-15, 1.0), (1e-6, 0.0)):
        for sign in (1, -1):
            found = score(rows_of([5.0, 5.0], ["a", "b"]), [Distribution.point(5.0 * (1 + sign * off))] * 2)
            assert found["coverage"].value == covered
    assert (
        evaluate([replace(row, value=5.0) for row in known(300)], {"length": Length})[0].values["coverage"].value == 1
    )


def test_errors_beyond_doubles_are_infinite_without_a_warning() -> None:
    beliefs = [Distribution.point(1e300), *(Distribution.point(float(i)) for i in range(1, 6))]
    found = score(rows_of([1e-300, 1.0, 2.0, 3.0, 4.0, 5.0], ["a", "a", "b", "b", "c", "c"]), beliefs)
    assert found["mape"].value == math.inf and found["mdape"].value == 0


def test_values_that_no_scale_holds_are_named() -> None:
    for values in ([1e308, -1e308], [1.7e308, 5e-324, -1.0], [1e200, -1e-200]):
        rows = [replace(row, value=values[i % len(values)]) for i, row in enumerate(known(300))]
        with pytest.raises(InputError, match="the values of size are too far apart") as caught:
            evaluate(rows, {"length": Length})
        assert f"from {min(values):g} to {max(values):g}" in caught.value.why
    rows = [replace(row, value=[1e300, 1e-300][i % 2]) for i, row in enumerate(known(300))]
    assert evaluate(rows, {"length": Length})[0].n  # of one sign they are


def test_intervals_are_those_of_whole_groups() -> None:
    draw = random.Random(0)
    groups = [f"g{i // 10}" for i in range(400)]
    shift = [draw.gauss(0, 1) for _ in range(40)]
    truth = [math.exp(shift[i // 10]) for i in range(400)]
    found = score(rows_of(truth, groups), [Distribution.point(1.0)] * 400)["mape"]
    apes = [abs(1 / t - 1) for t in truth]
    whole = stats.bootstrap([apes[i : i + 10] for i in range(0, 400, 10)], stats.mean, resamples=1000)
    single = stats.bootstrap([[a] for a in apes], stats.mean, resamples=300)
    assert found.value == pytest.approx(whole.value)
    assert found.high - found.low == pytest.approx(whole.high - whole.low, rel=0.3)
    assert found.high - found.low > 2 * (single.high - single.low)


def test_one_group_has_no_interval() -> None:
    beliefs = [Distribution.point(float(i)) for i in (2, 1, 3, 4)]
    found = score(rows_of([1.0, 2.0, 3.0, 5.0], ["a"] * 4), beliefs)
    assert all(math.isfinite(one.value) and math.isnan(one.low) and math.isnan(one.high) for one in found.values())
    found = score(rows_of([1.0, 2.0, 3.0, -5.0], ["a", "a", "a", "b"]), beliefs)
    assert all(math.isnan(found[name].high) for name in ("mape", "mdape", "log_crps", "within_spearman"))
    assert found["coverage"].low < found["coverage"].value < found["coverage"].high


def known(count: int) -> list[Row]:
    """What a program costs is its length, but for a tenth."""
    draw = random.Random(1)
    made = []
    for i in range(count):
        text = " ".join(f"w{draw.randrange(10_000)}" for _ in range(draw.randrange(3, 300)))
        made.append(Row("size", "B", text, len(text) * math.exp(draw.gauss(0, 0.1)), f"g{i % (count // 3)}"))
    return made


@pytest.fixture(scope="module")
def table() -> dict[str, Scores]:
    found = evaluate(known(900), {"length": Length, "mean": GroupMean}, seeds=(0, 1), stack=("length", "mean"))
    return {one.model: one for one in found}


def test_an_evaluation_finds_who_is_right(table: dict[str, Scores]) -> None:
    pytest.importorskip("scipy")
    assert list(table) == ["length", "mean", "stack"]
    right, mean, stack = (table[name].values for name in table)
    assert right["spearman"].low > 0.95 > mean["spearman"].high and mean["spearman"].value == 0
    assert right["mdape"].value < 0.12 < mean["mdape"].low
    assert stack["mdape"].value < 1.2 * right["mdape"].value
    for one in (right, mean, stack):
        assert 0.82 < one["coverage"].value < 0.97
        assert all(s.low <= s.value <= s.high for s in one.values())
        assert one["mdape"].spread > 0
    assert right["width"].value < mean["width"].value / 3


def test_a_row_says_what_it_is_about(table: dict[str, Scores]) -> None:
    found = table["length"]
    assert (found.metric, found.by, found.seeds) == ("size", "group", (0, 1))
    assert found.n == 3 * found.groups and 100 < found.n < 260


def test_one_seed_has_no_spread() -> None:
    found = evaluate(known(300), {"length": Length}, "random")[0]
    assert math.isnan(found.values["mdape"].spread)


def test_metrics_are_split_together_and_devices_apart() -> None:
    rows = known(300)
    others = [replace(row, metric="other", device="ab"[i % 2]) for i, row in enumerate(rows[:150])]
    found = {one.metric: one for one in evaluate([*rows, *others], {"length": Length}, seeds=(3,))}
    assert list(found) == ["size", "other"]
    for metric, one in found.items():
        assert one.n == sum(row.metric == metric for row in split([*rows, *others], seed=3).test) > 5
    assert [one.metric for one in evaluate([*rows, *others], {"length": Length}, metrics=["other"])] == ["other"]
    devices = [replace(row, metric=f"m{i % 2}", device=f"d{i % 10}") for i, row in enumerate(rows)]
    assert {one.n for one in evaluate(devices, {"length": Length}, "device")} == {30}


def test_bad_requests() -> None:
    with pytest.raises(UsageError, match="cannot be done"):
        evaluate(toy_rows(), {"length": Length}, stack=("lengthy",))
    with pytest.raises(UsageError, match="cannot be done"):
        evaluate(toy_rows(), {"length": Length}, seeds=())
    with pytest.raises(InputError, match="too little"):
        evaluate([], {"length": Length})
    with pytest.raises(InputError, match="fewer than 5 rows") as caught:
        evaluate(known(30), {"length": Length})
    assert "of 10 groups" in caught.value.why and "more groups" in caught.value.todo
    with pytest.raises(InputError, match="fewer than 5 rows") as caught:
        evaluate([replace(row, group="one") for row in known(30)], {"length": Length}, "random")
    assert "of 30 distinct programs" in caught.value.why and "more distinct programs" in caught.value.todo
    assert registry.find("models", "length") is Length
