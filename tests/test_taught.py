"""How far the numbers of a table reach, and intervals of what lies beyond them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forerun.core import Metric
from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._taught import Extent, Taught, numbers
from forerun.models.encoder_decoder import LEVEL, SHIPPED, EncoderDecoder
from forerun.models.encoder_decoder.calibration import Calibration, taught
from forerun.models.transfer import Linear
from forerun.prompts import Parts, parts, prompt
from forerun.rows import Row

TIME = Metric("time", "s")


def asked(text: str, **counters: float) -> Parts:
    return parts(prompt(TIME, "text", "", text, counters=counters))


def row(text: str, value: float, **counters: float) -> Row:
    return Row("time", "s", prompt(TIME, "text", "", text, counters=counters), value, text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for i in range(10, 2000):", {"range": 2000}),
        ('{"rows": 1_000, "keep": 0.25}', {"rows": 1000, "keep": 0.25}),
        ("Conv 1x64x56 pad 2", {"Conv": 64, "pad": 2}),
        ("limit: 512MB, was 8MB", {"limit MB": 512, "was MB": 8}),
        ("%12 = load i32, ptr %3, align 4 !dbg !77", {"align": 4}),
        ("tol 1e-9 v2 x86_64 1e999 2nd", {"tol": 1e-9, "x86_64 nd": 2}),
        ("7 at the front", {"": 7}),
        ("no number", {}),
    ],
)
def test_numbers_are_called_by_the_word_in_front(text: str, found: dict[str, float]) -> None:
    assert numbers(Parts({}, {}, text)) == found
    assert numbers(Parts({}, {"loops": 3.0, "none": math.inf}, text)) == found | {"counter loops": 3.0}


def squares(n: int, seed: int = 0) -> list[Row]:
    """Work of n squared, n from 10 to 1,000."""
    draw = random.Random(seed)
    sizes = [round(10 ** draw.uniform(1, 3)) for _ in range(n)]
    return [row(f"run({n}) seed {draw.randint(0, 9999)}", 1e-6 * n**2, lines=1) for n in sizes]


def test_a_number_far_beyond_the_rows_moves_the_end_it_may_move() -> None:
    told = Taught.of(squares(100))
    assert told.extents["run"].power == pytest.approx(2, abs=0.1) and told.extents["run"].most > math.log(900)
    usual = told.doubt(asked("run(500) seed 777", lines=1))
    assert usual.outside == () and (usual.below, usual.above, usual.far) == (1, 1, False)
    large = told.doubt(asked("run(1000000) seed 777", lines=1))
    assert large.far and large.below == 1 and 5e5 < large.above < 5e6, "a thousand times, to about the second power"
    assert [one.name for one in large.outside] == ["run"] and "run is 1,000,000, more than in any row" in str(
        large.outside[0]
    )
    small = told.doubt(asked("run(0) seed 777", lines=1))
    assert small.above == 1 and small.below > 3 and "less than in any row (at least 1" in str(small.outside[0])
    assert not told.doubt(asked("run(1500) seed 777", lines=1)).far, "half as much again is no other world"
    assert told.doubt(asked("walk(1000000)", lines=1)).outside == (), "of such a name no row tells"


def test_sizes_multiply_and_counters_tell_of_them_again() -> None:
    sizes = [round(size) for size in np.geomspace(10, 100, 9)]
    told = Taught.of([row(f"a {a} b {b}", 1e-6 * a * b, largest=max(a, b)) for a in sizes for b in sizes])
    one = told.doubt(asked("a 5000 b 50"))
    both, counted = told.doubt(asked("a 5000 b 5000")), told.doubt(asked("a 5000 b 50", largest=5000))
    assert 40 < one.above < 400 and both.above > 2000
    assert counted.above < one.above * both.above / 10, "it is the same size, which may weigh more as a counter"
    assert told.doubt(asked("no numbers", largest=5000)).above == counted.above


def test_what_rows_of_other_groups_show_of_each_other_is_usual() -> None:
    """One row in ten names a number ten times as large as all others do: another one that does is nothing new."""
    steady = Extent.of(np.log(np.linspace(10, 100, 50)), np.ones(50), [np.arange(50) == i for i in range(50)])
    wild = Extent.of(np.log([*np.linspace(10, 100, 49), 1e4]), np.ones(50), [np.arange(50) == i for i in range(50)])
    assert steady.usual < 0.2 and wild.usual == pytest.approx(math.log(100))
    assert steady.beyond(math.log(1000)) == pytest.approx(math.log(10)) and wild.beyond(math.log(5e4)) == 0


def test_what_falls_with_a_number_rises_below_it() -> None:
    """Twice the threads take half the time: of a tenth of them nobody has shown how long it takes."""
    told = Taught.of([row(f"threads {n}", 64 / n) for n in range(20, 80)])
    few, many = told.doubt(asked("threads 1")), told.doubt(asked("threads 9999"))
    assert few.above > 3 and few.below > 3 and many.below > 50, "either way nobody knows"
    assert many.above > 50


@pytest.mark.parametrize("power", [1, 2, 3])
def test_intervals_hold_what_lies_beyond_the_rows(power: int) -> None:
    """Beliefs that say no more than was learned, as trees do: whatever grows as sizes do is in their intervals."""
    rows = [replace(one, value=1e-6 * numbers(parts(one.prompt))["run"] ** power) for one in squares(200)]
    told, most = Taught.of(rows), max(one.value for one in rows)
    belief = Distribution.of((most * by, most * by, 1.0) for by in np.geomspace(0.5, 2, 50))
    inside, before = 0, 0
    for n in (3000, 10_000, 100_000, 1_000_000):
        doubt = told.doubt(asked(f"run({n})"))
        low, high = belief.interval(LEVEL)
        before += low <= 1e-6 * n**power <= high
        wide = belief.spanning(low / doubt.below, high * doubt.above, LEVEL)
        inside += wide.interval(LEVEL)[0] <= 1e-6 * n**power <= wide.interval(LEVEL)[1]
        assert wide.median == pytest.approx(belief.median)
    assert (before, inside) == (0, 4)


def test_of_what_is_unlike_all_values_count_and_more() -> None:
    told = Taught.of(squares(100))
    sure = Distribution.of([(1e-3, 1.1e-3, 1.0)])
    low, high = told.among(sure, LEVEL)
    assert low < 4e-4 and high > 0.3, "the middle 80% of values of 1e-4 to 1"
    signed = Taught.of([row(f"x {n}", n - 50.0) for n in range(100)])
    low, high = signed.among(sure, LEVEL)
    assert low < -30 and high > 30


def test_it_is_kept_with_the_calibration_and_what_ships_has_none(tmp_path: Path) -> None:
    made = Calibration(taught=taught(squares(50)))
    assert set(made.taught) == {"time"}, "one language alone is all of it"
    more = replace(squares(1)[0], prompt=prompt(TIME, "c", "", "run(7)"))
    assert set(taught([*squares(50), more])) == {"time", "time/text", "time/c"}
    made.save(tmp_path)
    assert Calibration.load(tmp_path) == made and made.rows(asked("x")) == made.taught["time"]
    assert made.rows(parts(prompt(Metric("memory", "B"), "text", "", "x"))) is None
    assert Calibration.load(SHIPPED).taught == {} and Calibration.load(SHIPPED).rows(asked("x")) is None
    file = tmp_path / "calibration.json"
    found = json.loads(file.read_text())
    wrong: list[Callable[[dict[str, object]], object]] = [
        lambda one: one.update(values=[1.0, 2.0]),
        lambda one: one.update(values=[2.0, *[1.0] * 40]),
        lambda one: one.update(extents={"run": [1.0]}),
        lambda one: one.pop("extents"),
    ]
    for spoil in wrong:
        spoiled = json.loads(json.dumps(found))
        spoil(spoiled["taught"]["time"])
        file.write_text(json.dumps(spoiled))
        with pytest.raises(InputError, match="cannot be read"):
            Calibration.load(tmp_path)


def test_what_beliefs_beyond_the_rows_leave_open() -> None:
    """Twice as much, as the model has it, is between 2 to the .5 and to the 1.5; of another metric also nothing."""
    line = Linear(np.array([1.0, 4.0]), 0.0, np.zeros(2), np.ones(2), np.array([1.0, 4.0]))
    inside, above, below = np.array([[0.5, 0.5], [3.0, 1.0], [0.0, -2.0]])
    for powers, far in (((0.5, 1.5), 1.0), ((0.0, 1.5), 2.0)):
        lower, higher = line.doubt(np.stack([inside, above]), 2, powers)
        assert lower.tolist() == [0, far] and higher.tolist() == [0, 1], "it counts once, and may count 1.5 times"
    lower, higher = line.doubt(below[None], 2, (0.5, 1.5))
    assert lower.tolist() == [0] and higher.tolist() == [7], "4 times 2 less are told, and half of 2 may be"
    assert line.doubt(above[None], 1, (0.0, 1.5))[1].tolist() == [1], "counters are no beliefs"


def test_packages_that_rows_use_are_known() -> None:
    """Of a table of programs with NumPy nobody has to measure what importing it takes."""

    def program(package: str) -> str:
        return prompt(Metric("runtime", "s"), "python", "", f"import {package}\nprint({package})\n")

    rows = [Row("runtime", "s", program("numpy"), 1.0 + i, str(i)) for i in range(8)]
    model = EncoderDecoder.__new__(EncoderDecoder)
    model.calibration = Calibration(taught=taught(rows))
    assert model.unknown(program("numpy")) == [] and model.unknown(program("sympy")) == ["sympy"]
    told = model.calibration.taught["runtime"]
    assert Taught.from_json(json.loads(json.dumps(told.to_json()))) == told
    assert Taught.from_json({"extents": {}, "values": [*told.values]}).packages == frozenset(), "of an older version"
    model.calibration = Calibration()
    assert model.unknown(program("numpy")) == ["numpy"]
