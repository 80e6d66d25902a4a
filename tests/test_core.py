from __future__ import annotations

import dataclasses
import math

import pytest

from forerun.core import Draft, Measurement, Metric, Result, Source, Trial

SIZE = Metric("size", "B")
SPEED = Metric("speed", "1/s", lower_is_better=False)


def test_a_source_is_named_by_its_content() -> None:
    one = Source("int x;", "c", name="a.c")
    assert one.key == Source("int x;", "c", name="b.c", reference=b"object").key
    assert one.key != Source("int y;", "c").key
    assert one.key != Source("int x;", "c++").key
    assert one.key != Source("int x;", "c", target="arm").key
    # Parts are told apart: no text can slide from one field into the next.
    assert Source("bc", "a").key != Source("c", "ab").key


@pytest.mark.parametrize(
    ("metric", "before", "after", "gain"),
    [(SIZE, 100, 90, 0.1), (SIZE, 100, 110, -0.1), (SPEED, 100, 110, 0.1), (SPEED, 100, 90, -0.1), (SIZE, 0, 5, 0.0)],
)
def test_gain_is_positive_when_better(metric: Metric, before: float, after: float, gain: float) -> None:
    assert math.isclose(metric.gain(before, after), gain)
    assert metric.better(after, before) == (gain > 0 or (before == 0 and metric.better(after, before)))


def test_values_are_shown_with_their_unit() -> None:
    assert SIZE.show(12345) == "12,345 B"
    assert Metric("time", "s").show(0.00123456) == "0.001235 s"


def test_a_result_compares_with_its_baseline() -> None:
    source = Source("", "c")

    def trial(size: float, answer: str | None) -> Trial[str]:
        return Trial("t/1", source, Draft(answer), Measurement({"size": size}, checked=True))

    result = Result(SIZE, trial(200, None), trial(150, "a"))
    assert (result.before, result.after, result.gain) == (200, 150, 0.25)


def test_a_failure_is_a_value() -> None:
    assert not Measurement(error="crash").ok
    assert not Measurement({"size": 1}).ok
    assert Measurement({"size": 1}, checked=True).ok
    assert Measurement(error="timeout: stopped").transient and not Measurement(error="crash: SIGSEGV").transient


def test_nouns_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Source("", "c").text = "x"  # type: ignore[misc]
