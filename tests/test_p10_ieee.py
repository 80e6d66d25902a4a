"""The codes that `floats` is compared with: what they write, and what is wrong with it."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.core import END
from forerun.grammars.floats import Floats
from forerun.grammars.ieee import IEEE
from forerun.grammars.p10 import P10, Places
from forerun.testing.grammars import walk

P10_TABLE = [
    (123.4, "<+><1><2><3><4><E-1>", 123.4),
    (12345.0, "<+><1><2><3><4><E1>", 12340.0),
    (12355.0, "<+><1><2><3><6><E1>", 12360.0),
    (-0.1234, "<-><1><2><3><4><E-4>", -0.12340000000000001),
    (1.005, "<+><1><0><0><5><E-3>", 1.0050000000000001),
    (0.0, "<+><0><0><0><0><E0>", 0.0),
    (-1e-13, "<-><0><0><0><0><E0>", 0.0),
    (5.1e-8, "<+><1><0><0><0><E-10>", 1.0000000000000001e-7),
    (1e30, "<+><9><9><9><9><E10>", 99990000000000.0),
    (math.inf, "<+><9><9><9><9><E10>", 99990000000000.0),
]
IEEE_TABLE = [
    (123.4, "<+><+><2><1><2><3><4>", 123.4),
    (1000.0, "<+><+><3><1><0><0><0>", 1000.0),
    (-0.1234, "<-><-><1><1><2><3><4>", -0.12340000000000001),
    (1.005, "<+><+><0><1><0><0><4>", 1.004),
    (1.001, "<+><+><0><1><0><0><0>", 1.0),
    (12355.0, "<+><+><4><1><2><3><5>", 12350.000000000002),
    (0.0, "<+><+><0><0><0><0><0>", 0.0),
    (1.234e-10, "<+><-><0><0><0><0><0>", 0.0),
    (-1.234e10, "<-><+><9><9><9><9><9>", -9999000000.0),
    (-math.inf, "<-><+><9><9><9><9><9>", -9999000000.0),
]
CODES = [P10(), P10(metrics=2, digits=6, exponent=30), IEEE(), IEEE(2, exponent_digits=2, digits=6), IEEE(1, 2, 4, 11)]


@pytest.mark.parametrize(
    ("code", "value", "written", "read"),
    [*[(P10(), *row) for row in P10_TABLE], *[(IEEE(), *row) for row in IEEE_TABLE]],
)
def test_literal_encodings(code: Places, value: float, written: str, read: float) -> None:
    pieces = code.write((value,))
    assert "".join(pieces) == written
    assert code.read(pieces) == code.round((value,)) == (read,)
    assert code.parse(code.text((value,))) == (read,)


@pytest.mark.parametrize("code", CODES)
def test_all_that_is_allowed_can_be_read_and_written(code: Places) -> None:
    draw = random.Random(0)
    for _ in range(200):
        answer = code.read(walk(code, draw))
        again = code.write(answer)
        assert all(piece in code.allowed(again[:i]) for i, piece in enumerate(again))
        assert code.allowed(again) == (END,)


@given(st.sampled_from(CODES), st.floats(allow_nan=False))
def test_every_number_is_written_with_legal_pieces(code: Places, value: float) -> None:
    pieces = code.write((value,) * code.metrics)
    assert all(piece in code.allowed(pieces[:i]) for i, piece in enumerate(pieces))
    assert all(map(math.isfinite, code.read(pieces)))


@given(st.floats(allow_nan=False))
def test_p10_is_stable_once_rounded(value: float) -> None:
    rounded = P10().round((value,))
    assert P10().round(rounded) == rounded


def test_defect_ieee_cuts_off_where_it_should_round() -> None:
    assert IEEE().round((1.005,)) == (1.004,)
    assert Floats().round((1.005,)) == (1.005,)


def test_defect_ieee_drifts_when_its_own_numbers_are_written() -> None:
    once = IEEE().read(["<+>", "<+>", "<0>", "<1>", "<0>", "<0>", "<1>"])
    assert once == (1.001,)
    assert IEEE().round(once) == (1.0,)
    assert Floats().round(once) == once


@pytest.mark.parametrize(("code", "largest"), [(P10(), 9.999e13), (IEEE(), 9.999e9)])
def test_defect_clipping_is_silent(code: Places, largest: float) -> None:
    assert code.round((1e15,)) == code.round((math.inf,)) == (largest,)
    assert Floats().round((1e15,)) == (1e15,)


@pytest.mark.parametrize(
    ("code", "one", "two"),
    [
        (P10(), "<+> <0> <0> <1> <0> <E0>", "<+> <0> <0> <0> <1> <E1>"),
        (P10(), "<+> <0> <0> <0> <0> <E0>", "<-> <0> <0> <0> <0> <E7>"),
        (IEEE(), "<+> <+> <0> <1> <0> <0> <0>", "<+> <-> <0> <1> <0> <0> <0>"),
        (IEEE(), "<+> <+> <1> <0> <1> <0> <0>", "<+> <+> <0> <1> <0> <0> <0>"),
    ],
)
def test_defect_a_number_has_several_spellings(code: Places, one: str, two: str) -> None:
    assert code.parse(one) == code.parse(two)
    assert "one answer has one spelling" in code.broken


@pytest.mark.parametrize("code", CODES)
def test_nan_and_wrong_counts_are_refused(code: Places) -> None:
    for answer in ((math.nan,) * code.metrics, (1.0,) * (code.metrics + 1)):
        with pytest.raises(ValueError, match="none of them NaN"):
            code.write(answer)
    pieces = code.write((1.0,) * code.metrics)
    for wrong in (pieces[:-1], [*pieces, "<0>"], ["<E99>", *pieces[1:]]):
        with pytest.raises(ValueError, match="not the spelling"):
            code.read(wrong)
    with pytest.raises(ValueError, match="an answer has"):
        code.allowed([*pieces, "<0>"])


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (P10, {"metrics": 0}),
        (P10, {"digits": 0}),
        (P10, {"exponent": 305}),
        (IEEE, {"base": 16}),
        (IEEE, {"exponent_digits": 3}),
        (IEEE, {"digits": 0}),
    ],
)
def test_codes_past_the_doubles_are_refused(code: type[P10] | type[IEEE], arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no such code"):
        code(**arguments)
