from __future__ import annotations

import bisect
import itertools
import math
import pickle
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.core import END
from forerun.grammars.floats import DECADES, LEADS, PAIRS, PIECES, Floats, position
from forerun.testing import check_grammar

SMALLEST, LARGEST = math.ulp(0.0), sys.float_info.max
DIGITS = range(2, 17, 2)
TABLE = [
    (0.0, "0", "0", 0.0),
    (-0.0, "0", "0", 0.0),
    (1.0, "+ e0 10 00", "1e0", 1.0),
    (-0.5, "- e-1 50 00", "-5e-1", -0.5),
    (1536.0, "+ e3 15 36", "1.536e3", 1536.0),
    (1.005, "+ e0 10 05", "1.005e0", 1.005),
    (12345.0, "+ e4 12 34", "1.234e4", 12340.0),  # a tie goes to the even digit
    (12355.0, "+ e4 12 36", "1.236e4", 12360.0),
    (9.9996, "+ e1 10 00", "1e1", 10.0),
    (6.02e23, "+ e23 60 20", "6.02e23", 6.02e23),
    (2.2250738585072014e-308, "+ e-308 22 25", "2.225e-308", 2.225e-308),
    (5e-324, "+ e-324 49 41", "4.941e-324", 5e-324),
    (1e-323, "+ e-324 98 81", "9.881e-324", 1e-323),
    (LARGEST, "+ e308 17 97", "1.797e308", 1.797e308),
    (-LARGEST, "- e308 17 97", "-1.797e308", -1.797e308),
    (math.inf, "+inf", "inf", math.inf),
    (-math.inf, "-inf", "-inf", -math.inf),
    (math.nan, "nan", "nan", math.nan),
]

DECADE = st.integers(-323, 308)
doubles = st.floats()
subnormals = st.builds(lambda n, sign: sign * n * SMALLEST, st.integers(1, 10**6), st.sampled_from((1, -1)))
near_powers = st.builds(lambda decade, steps: stepped(float(f"1e{decade}"), steps), DECADE, st.integers(-12, 12))
values = st.one_of(doubles, subnormals, near_powers)
positive = values.map(abs).filter(lambda value: 0 < value < math.inf)
grammars = st.builds(Floats, digits=st.sampled_from(DIGITS))


def stepped(value: float, steps: int) -> float:
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.inf if steps > 0 else 0.0)
    return value


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def spelled(value: float, digits: int) -> str:
    """Python's own decimal of a double, as pieces."""
    mantissa, _, decade = f"{value:.{digits - 1}e}".partition("e")
    whole = mantissa.replace(".", "")
    return " ".join(["+", f"e{int(decade)}", *[whole[i : i + 2] for i in range(0, digits, 2)]])


def exists(decade: int, whole: int, digits: int) -> bool:
    """Whether a decimal is what its double is written as."""
    value = float(f"{whole}e{decade - digits + 1}")
    if not 0 < value < math.inf:
        return False
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return (int(mantissa.replace(".", "")), int(power)) == (whole, decade)


def offered(grammar: Floats, prefix: list[str]) -> list[int]:
    """The digits of all numbers that `allowed` lets follow, as whole numbers."""
    allowed = grammar.allowed(prefix)
    if allowed == (END,):
        return [int("".join(prefix[2:]))]
    return [whole for piece in allowed for whole in offered(grammar, [*prefix, piece])]


@pytest.mark.parametrize(("value", "pieces", "text", "read"), TABLE)
def test_literal_encodings(value: float, pieces: str, text: str, read: float) -> None:
    grammar = Floats()
    assert grammar.write((value,)) == pieces.split()
    assert grammar.text((value,)) == text
    assert same(grammar.read(pieces.split())[0], read)
    assert same(grammar.parse(text)[0], read)


def test_pieces_of_different_kinds_are_distinct_strings() -> None:
    assert len(set(PIECES)) == len(PIECES) == 6 + 633 + 100
    assert END not in PIECES
    assert Floats(metrics=3, digits=8).longest == 18


@pytest.mark.parametrize("digits", DIGITS)
def test_the_laws_of_a_grammar(digits: int) -> None:
    grammar = Floats(digits=digits)
    check_grammar(grammar, [grammar.round((value,)) for value, *_ in TABLE], walks=400, seed=digits)
    check_grammar(Floats(metrics=3, digits=digits), walks=200, seed=digits)


@given(grammars, values)
def test_what_is_rounded_comes_back(grammar: Floats, value: float) -> None:
    rounded = grammar.round((value,))
    assert grammar.read(grammar.write(rounded)) == rounded
    assert grammar.round(rounded) == rounded
    check_grammar(grammar, [rounded], walks=0)


@given(st.lists(values, min_size=1, max_size=5), st.sampled_from(DIGITS))
def test_several_numbers_need_no_separator(numbers: list[float], digits: int) -> None:
    one, grammar = Floats(digits=digits), Floats(metrics=len(numbers), digits=digits)
    parts = [tuple(one.write((number,))) for number in numbers]
    pieces = grammar.write(numbers)
    assert grammar.split(pieces) == parts
    assert grammar.round(numbers) == tuple(one.round((number,))[0] for number in numbers)
    check_grammar(grammar, [grammar.round(numbers)], walks=0)


@given(st.floats(1e-300, 1e308, exclude_max=True), st.sampled_from(DIGITS[:-1]))
def test_digits_are_rounded_as_decimal_and_format_do(value: float, digits: int) -> None:
    written = Floats(digits=digits).write((value,))
    nearest = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(value))
    assert Decimal("".join(written[2:])).scaleb(int(written[1][1:]) - digits + 1) == nearest
    assert " ".join(written) == spelled(value, digits)


@given(positive, st.sampled_from(DIGITS))
def test_nothing_is_rounded_far_away(value: float, digits: int) -> None:
    """Half a unit of the last digit; where doubles are as sparse as decimals, some doubles more."""
    _, decade, *pairs = Floats(digits=digits).write((value,))
    found = Fraction(f"{''.join(pairs)}e{int(decade[1:]) - digits + 1}")
    unit = Fraction(10) ** (Decimal(value).adjusted() - digits + 1)
    past_the_last = math.isinf(float(f"{value:.{digits - 1}e}"))
    assert abs(found - Fraction(value)) <= (unit + 3 * Fraction(math.ulp(value))) / (1 if past_the_last else 2)


@pytest.mark.parametrize("digits", [2, 4, 6, 16])
def test_the_smallest_doubles_go_to_the_nearest_spelling(digits: int) -> None:
    """Every spelling below a bound, found without the grammar; every double goes to the nearest of them."""
    numbers = [n * SMALLEST for n in range(1, 2500)]
    decimals = {Decimal(f"{number:.{digits - 1}e}") for number in numbers}
    spellings = sorted(d for d in decimals if f"{float(d):.{digits - 1}e}" == f"{d:.{digits - 1}e}")
    for number in numbers:
        _, decade, *pairs = Floats(digits=digits).write((number,))
        found = Decimal(f"{''.join(pairs)}e{int(decade[1:]) - digits + 1}")
        at = bisect.bisect(spellings, Decimal(number))
        nearest = min(
            spellings[max(at - 1, 0) : at + 2], key=lambda spelling: abs(Fraction(spelling) - Fraction(number))
        )
        assert found == nearest


@pytest.mark.parametrize("value", [1e23, float("9.5e-323"), 1.0375e-322, LARGEST, SMALLEST])
@pytest.mark.parametrize("digits", DIGITS)
def test_where_the_nearest_decimal_is_no_spelling(value: float, digits: int) -> None:
    grammar = Floats(digits=digits)
    check_grammar(grammar, [grammar.round((value,)), grammar.round((-value,))], walks=0)
    assert 0 < grammar.round((value,))[0] < math.inf


@pytest.mark.parametrize(("digits", "decades"), [(2, range(-324, 309)), (4, [*range(-324, -317), -308, -307, 0, 308])])
def test_allowed_is_exact(digits: int, decades: list[int]) -> None:
    """All decades with two digits, both ends of the range with four: what is offered, and what is a fixed point."""
    grammar = Floats(digits=digits)
    wholes = range(10 ** (digits - 1), 10**digits)
    assert grammar.allowed(["-"]) == DECADES
    for decade in decades:
        expected = [whole for whole in wholes if exists(decade, whole, digits)]
        assert offered(grammar, ["+", f"e{decade}"]) == expected
        assert expected


@given(st.sampled_from(DIGITS[1:]), st.one_of(DECADE, st.sampled_from((-324, -323, 307, 308))), st.data())
def test_allowed_is_exact_in_the_last_pair(digits: int, decade: int, data: st.DataObject) -> None:
    grammar, pieces = Floats(digits=digits), ["-", f"e{decade}"]
    while len(pieces) < grammar.longest - 1:
        pieces.append(data.draw(st.sampled_from(grammar.allowed(pieces))))
    lead = "".join(pieces[2:])
    fixed = [pair for pair in PAIRS if exists(decade, int(lead + pair), digits)]
    assert list(grammar.allowed(pieces)) == fixed
    assert fixed, "a dead end"


def test_what_is_offered_in_the_usual_range_is_one_shared_object() -> None:
    grammar = Floats(digits=4)
    assert grammar.allowed(["+", "e3"]) is LEADS
    assert grammar.allowed(["-", "e-300", "15"]) is PAIRS
    assert grammar.allowed([]) is grammar.allowed([])
    assert grammar.allowed(["+", "e308"])[-1] == "17"
    assert grammar.allowed(["+", "e308", "17"])[-1] == "97"
    assert grammar.allowed(["+", "e-324"]) == ("49", "98")
    assert grammar.allowed(["+", "e-324", "49"]) == ("41",)


@given(positive, positive, st.sampled_from(DIGITS))
def test_the_order_of_spellings_is_the_order_of_numbers(a: float, b: float, digits: int) -> None:
    grammar = Floats(digits=digits)
    ranks = {piece: rank for rank, piece in enumerate(PIECES)}
    low, high = ([ranks[p] for p in grammar.write((value,))] for value in sorted((a, b)))
    assert low <= high
    assert grammar.round((min(a, b),)) <= grammar.round((max(a, b),))


@given(values.filter(lambda v: not math.isnan(v)), values.filter(lambda v: not math.isnan(v)))
def test_position_keeps_the_order(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert position(low) <= position(high)
    assert position(-a) == -position(a)
    if math.isfinite(a):
        assert position(a) <= position(math.nextafter(a, math.inf))
    low, high = Floats(metrics=2, digits=12).round((low, high))
    assert (position(low) < position(high)) == (low < high)


@pytest.mark.parametrize(
    ("value", "place"),
    [(0.0, 0), (-0.0, 0), (1.0, 325), (-1000.0, -328), (SMALLEST, 1.694), (LARGEST, 633.255), (-math.inf, -634)],
)
def test_positions_are_decades(value: float, place: float) -> None:
    assert position(value) == pytest.approx(place, abs=1e-3)
    assert math.isnan(position(math.nan))


@given(values.filter(lambda value: not math.isnan(value)), values, st.sampled_from(DIGITS), st.data())
def test_intervals_hold_what_begins_so_and_nothing_else(
    value: float, other: float, digits: int, data: st.DataObject
) -> None:
    grammar = Floats(digits=digits)
    pieces = grammar.write((value,))
    prefix = pieces[: data.draw(st.integers(1, len(pieces)))]
    low, high = grammar.interval(prefix)
    assert low <= value <= high
    outside = [math.nextafter(low, -math.inf), math.nextafter(high, math.inf)]
    for number in (low, high, other, *outside):
        begins = grammar.write((number,))[: len(prefix)] == prefix
        assert begins == (low <= number <= high)


@pytest.mark.parametrize("digits", [2, 4, 14, 16])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_intervals_of_what_follows_divide_their_own(digits: int, sign: str) -> None:
    grammar, most = Floats(digits=digits), 2 + digits // 2
    starts = [[sign], *[[sign, f"e{decade}"] for decade in (-324, -323, -322, -321, -310, -1, 0, 22, 23, 307, 308)]]
    for prefix in starts:
        while len(prefix) < most:
            allowed = grammar.allowed(prefix)
            parts = sorted(grammar.interval([*prefix, piece]) for piece in allowed)
            assert (parts[0][0], parts[-1][1]) == grammar.interval(prefix)
            assert all(math.nextafter(a, math.inf) == b for (_, a), (b, _) in itertools.pairwise(parts))
            prefix = [*prefix, allowed[-1]]


def test_intervals_of_short_prefixes() -> None:
    grammar = Floats()
    assert grammar.interval(()) == (-math.inf, math.inf)
    assert grammar.interval(["+"]) == (SMALLEST, LARGEST)
    assert grammar.interval(["-"]) == (-LARGEST, -SMALLEST)
    assert grammar.interval(["0"]) == (0, 0)
    assert grammar.interval(["-inf"]) == (-math.inf, -math.inf)
    low, high = grammar.interval(["+", "e3", "15"])
    assert (low, high) == (1499.5, math.nextafter(1599.5, 0))  # both are ties, and go to 1500 and 1600


@pytest.mark.parametrize("given", [{"digits": 3}, {"digits": 0}, {"digits": 18}, {"digits": 4.0}, {"digits": "4"}])
def test_digits_come_in_pairs(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="digits come in pairs"):
        Floats(**given)


@pytest.mark.parametrize("metrics", [0, -1, True, 1.0])
def test_an_answer_has_numbers(metrics: int) -> None:
    with pytest.raises(ValueError, match="at least one number"):
        Floats(metrics=metrics)


@pytest.mark.parametrize(
    "pieces",
    [
        "", "+", "e3", "+ e3", "+ e3 15", "+ e3 15 36 00", "+ e3 05 36", "+ 15 e3 36", "+ e309 10 00", "x", "0 0",
        "+ e-324 10 00", "+ e-324 49 40", "+ e308 17 98", "+ e308 18 00", "00", "inf", "- e-323 10 00", "+ 0",
    ],
)  # fmt: skip
def test_what_is_no_spelling_is_refused(pieces: str) -> None:
    with pytest.raises(ValueError, match=r"expected|number|spelling"):
        Floats().read(pieces.split())


def test_what_no_double_comes_near_is_refused() -> None:
    for refusing in (Floats().write, Floats().round, Floats().text):
        with pytest.raises(ValueError, match="no double is so large"):
            refusing((10**400,))


@pytest.mark.parametrize("pieces", ["x", "e3", "+ 15", "+ e3 05", "+ e3 e3", "0 0", "+ e3 15 36 00", "+ x", "1"])
def test_prefixes_that_cannot_stand_are_refused(pieces: str) -> None:
    with pytest.raises(ValueError, match="number"):
        Floats().allowed(pieces.split())


@pytest.mark.parametrize("pieces", ["x", "+ e-324 10", "+ e308 18", "+ e3 15 36 00", "0 0", "e3"])
def test_prefixes_of_nothing_have_no_interval(pieces: str) -> None:
    with pytest.raises(ValueError, match="number"):
        Floats().interval(pieces.split())


@pytest.mark.parametrize(
    "text", ["1", "1536", "1.0e0", "1.5360e3", "+inf", "NaN", "1e0 ", "1e0 1e0", "", "1.798e308", "x"]
)
def test_text_has_one_spelling(text: str) -> None:
    with pytest.raises(ValueError, match=r"written|expected|convert"):
        Floats().parse(text)


def test_other_spellings_can_be_adapted() -> None:
    assert Floats().adapt("1536.4") == (1536.0,)
    assert Floats(metrics=3).adapt(" 1 -0.25  Infinity") == (1.0, -0.25, math.inf)
    assert Floats(metrics=3, digits=6).text((1234567, 2.5e-1, -0.0)) == "1.23457e6 2.5e-1 0"


def test_the_count_of_numbers_is_checked() -> None:
    for numbers in ((), (1.0, 2.0)):
        with pytest.raises(ValueError, match="expected 1 numbers"):
            Floats().write(numbers)


def test_grammars_are_values() -> None:
    assert Floats(2, 6) == pickle.loads(pickle.dumps(Floats(metrics=2, digits=6)))
    assert hash(Floats()) == hash(Floats(1, 4))
