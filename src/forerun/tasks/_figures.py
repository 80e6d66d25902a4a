"""Numbers and texts that are not known, but between which bounds, and how many different ones there are of them, for
`forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

from forerun.tasks._objects import (
    MANY,
    THERE,
    Boxes,
    Number,
    Passing,
    Written,
    among,
    merged,
    power,
)

_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: lambda a, b: a * 2**b,
    ast.RShift: lambda a, b: a // 2**b, ast.BitAnd: lambda a, b: float(int(a) & int(b)),
    ast.BitOr: lambda a, b: float(int(a) | int(b)), ast.BitXor: lambda a, b: float(int(a) ^ int(b)),
}  # fmt: skip
ANEW = 1.0 + 1e-9
"""Different ones of what is always the same, but made anew each time."""
WORD, FEW, WRITTEN_OUT = 6.0, 64, 400
SINGLY = 12
"""Rounds of a loop, at most, that are gone through one by one."""
_FAR, _FARTHER = 1e8, 1e3
"""From where on a number may stand for infinity, and how many times as far away as all others."""
_UNREACHED = 0.1
"""How often a number is as large as what stands for infinity."""
HARDLY = 1e-12
"""How often what is only asked happens."""
USUAL = {
    "datetime": "datetime",
    "date": "date",
    "timedelta": "timedelta",
    "Decimal": "Decimal",
    "Fraction": "Fraction",
}
PARTS: Mapping[str, float] = {"hour": 24, "minute": 60, "second": 60, "month": 12, "day": 31, "year": 10, "weekday": 7}
"""How many different ones there are of a date."""
DIGESTS: Mapping[str, float] = {
    "md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128, "blake2b": 128, "blake2s": 64,
}  # fmt: skip
BUILTINS = frozenset(
    "range len list sorted set frozenset tuple dict enumerate zip reversed iter filter map int float round abs bool ord"
    " hash pow divmod id min max sum next any all str repr chr hex bin oct format ascii bytes bytearray memoryview open"
    " super print input isinstance setattr getattr callable type vars exit hasattr object __import__ exec eval".split()
)
_TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip
_ENDLESS = 1e300
"""Rounds up to infinity, as the largest number of a language may say it."""


def widened(value: Any, places: float, ranked: bool = False) -> Any:
    """What comes back from where a search puts what it finds: any of its so many places, two numbers are one of a
    square. What is `ranked` has a number beside its place."""
    if isinstance(value, Number) and not value.usual:
        return replace(value, low=0.0, high=places, distinct=max(places, 2.0), atom=None)
    if isinstance(value, Written):
        return replace(value, distinct=MANY)
    if isinstance(value, Boxes) and value.kind in ("tuple", "named", "object", "slots"):
        pair = not ranked and len(value.fields) == 2 and all(isinstance(one, Number) for one in value.fields.values())
        each = math.sqrt(places) if pair else places
        value.fields = {name: widened(one, each) for name, one in value.fields.items()}
        value.one = widened(value.one, each)
    return value


def number(low: float, high: float, distinct: float = MANY, whole: bool = True) -> Number:
    """One between two."""
    return Number((low + high) / 2, low, high, max(distinct, 1.0), whole)


def ranged(arguments: Sequence[Any]) -> Passing:
    known = [one for one in arguments if isinstance(one, Number) and one.value is not None]
    if len(known) != len(arguments) or not known:
        return Passing(None, Number(None))
    start, stop, step = known[0], known[-1] if len(known) < 3 else known[1], known[2] if len(known) > 2 else None
    low = 0.0 if len(known) == 1 else start.value or 0.0
    high, by = stop.value or 0.0, _step(step) if step else 1.0
    count = max(math.ceil((high - low) / by), 0.0) if abs(high - low) < _ENDLESS else None
    least, most = min(low, high), max(low, high)
    if len(known) > 1 and start.low < low:
        least = min(least, start.low)
    most = max(most, stop.high) if stop.high < MANY else most
    return Passing(count, Number((low + high) / 2, least, most - (1 if by > 0 else 0), max(count or 1.0, 1.0)))


def _step(of: Number) -> float:
    """As long as steps are that differ: of `i = 2; while …: for j in range(i * i, n, i)` the harmonic mean."""
    value = of.value or 1.0
    if 0 < of.low < of.high < MANY and value * value < of.low * of.high:
        return (of.high - of.low) / math.log(of.high / of.low)
    return value


def chosen(owner: Any, count: float | None, one: Any) -> Any:
    """One of several, of which there are no more than these."""
    few = max(count or 1.0, 1.0)
    if isinstance(owner, Boxes) and owner.fields and owner.kind in ("list", "tuple"):
        one = among(owner.fields, one)
    return (
        replace(one, distinct=min(max(one.distinct, few if one.distinct < 2 else 1.0), few))
        if isinstance(one, (Number, Written))
        else one
    )


def any_of(values: Sequence[Any], kept: Any = None) -> Any:
    """What stands for each of these, as it is kept: where all are told there are as many as differ, and a text is as
    long as they are in the mean."""
    some = kept if kept is not None else reduce(merged, values)
    kind = Number if isinstance(some, Number) else Written
    if not isinstance(some, (Number, Written)) or not all(isinstance(one, kind) for one in values):
        return some
    told = {one.known for one in values}
    some = replace(some, distinct=max(float(len(told)), some.distinct)) if None not in told else some
    if isinstance(some, Number):
        return some
    return replace(some, length=sum(one.length for one in values) / len(values))


def worded(text: Written) -> tuple[float, Any]:
    """Words that a text was put together of, no more than there is room for, and one of them: what is put together
    itself, with blanks in it, is gone into."""
    count, one = text.pieces or (1.0, text)
    while isinstance(one, Written) and (several := len(one.sample.split())) > 1:
        if one.pieces is None:
            count, one = count * several, replace(one, length=one.length / several, sample=one.sample.split()[0])
        else:
            count, one = count * one.pieces[0], one.pieces[1]
    long = one.length if isinstance(one, Written) else WORD
    return min(count, max(text.length / (long + 1.0), 1.0)), one


def dated(kind: str, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> float | None:
    """Seconds of a date or of a time between two, where all of it is known."""
    known = [one.known if isinstance(one, Number) else None for one in arguments]
    named = {key: one.known for key, one in options.items() if isinstance(one, Number)}
    with suppress(Exception):
        if kind == "timedelta":
            return timedelta(*known, **named).total_seconds()  # type: ignore[arg-type]
        if name in ("datetime", "date") and len(known) >= 3:
            return datetime(*[int(one) for one in known if one is not None]).replace(tzinfo=UTC).timestamp()  # type: ignore[arg-type]
        if name == "combine" and known[0] is not None:
            return known[0]
    return None


def spelt(fields: Mapping[str, Any]) -> Any:
    if not fields:
        return None
    longest = max(fields, key=len)
    return Written(longest, sum(map(len, fields)) / len(fields), float(len(fields)))


def place_in(value: Any, size: float, otherwise: float) -> float | None:
    if value is None:
        return otherwise
    if not isinstance(value, Number) or value.value is None:
        return None
    return min(max(value.value + (size if value.value < 0 else 0.0), 0.0), size)


def put_together(parts: Sequence[tuple[float, Written]], random: bool) -> Written:
    """A text that is made of so many of each of these, one after the other."""
    rounds = max(often for often, _ in parts)
    long = sum(often * piece.length for often, piece in parts)
    sample = "".join(piece.sample for often, piece in parts if 2 * often >= rounds)
    distinct = min(math.prod(power(piece.distinct, often / rounds) for often, piece in parts), MANY)
    random = random or any(piece.drawn for _, piece in parts)
    one = Written(sample, long / rounds, distinct, drawn=random) if len(parts) > 1 else parts[0][1]
    return Written(one.sample, long, max(power(distinct, rounds), ANEW), pieces=(rounds, one), drawn=random)


_BASES = {"x": 16.0, "X": 16.0, "o": 8.0, "b": 2.0}
"""In which numbers are written, by what their format ends with; ten otherwise."""


def wide(value: Any, spec: str) -> float:
    """Characters that a value is written in."""
    asked = re.match(r"[^\d]?[<>^=]?[+ ]?#?0?(\d+)", spec)
    least = float(asked[1]) if asked else 0.0
    if isinstance(value, Written):
        return max(value.length, least)
    if isinstance(value, Number):
        if value.usual:
            return max(19.0 if value.usual == "datetime" else 10.0, least)
        top = max(abs(value.high if math.isfinite(value.high) else value.value or 1e4), abs(value.value or 0.0), 1.0)
        digits = math.floor(math.log10(min(top, 1e300)) / math.log10(_BASES.get(spec[-1:], 10.0))) + 1
        after = re.search(r"\.(\d+)f", spec)
        return max(digits + (int(after[1]) + 1 if after else 0 if value.whole else 15), least)
    return max(WORD, least)


def compared(op: ast.cmpop, left: Any, right: Any) -> float | None:
    """How often a comparison holds between numbers that are drawn evenly."""
    if isinstance(left, Written) and isinstance(right, Written):
        if left.known is not None and right.known is not None and isinstance(op, (ast.Eq, ast.NotEq)):
            return float((left.known == right.known) == isinstance(op, ast.Eq))
        few = max(left.distinct, right.distinct)
        same = 1.0 / few if 1 < few < MANY else None
        for text, mark in ((left, right), (right, left)):
            if text.empty is not None and not mark.length:
                same = text.empty
            elif text.shares is not None and mark.known is not None:
                same = text.shares.get(mark.known, 0.0)
        return None if same is None else same if isinstance(op, ast.Eq) else 1 - same
    if not isinstance(left, Number) or not isinstance(right, Number):
        return None
    if isinstance(op, (ast.Eq, ast.NotEq)):
        if left.known is not None and right.known is not None:
            return float((left.known == right.known) == isinstance(op, ast.Eq))
        for one, other in ((left, right), (right, left)):  # `is_prime(n) == True`
            if (one.low, one.high, one.distinct) == (0.0, 1.0, 2.0) and other.known in (0.0, 1.0):
                often = one.value if one.value is not None and 0 < one.value < 1 else 0.5
                return often if (other.known == 1.0) == isinstance(op, ast.Eq) else 1 - often
        few = max(left.distinct, right.distinct)
        if few >= MANY:
            return None
        return 1 / few if isinstance(op, ast.Eq) else 1 - 1 / few
    if left.known is None and right.known is None:
        return None
    one, other, up = (
        (left, right, isinstance(op, (ast.Lt, ast.LtE)))
        if right.known is not None
        else (right, left, isinstance(op, (ast.Gt, ast.GtE)))
    )
    limit = other.known
    if limit is None or not one.high - one.low < MANY or _endless(one):
        return None
    if limit >= _FAR and one.low < limit <= one.high and math.log10(limit).is_integer():  # which stands for infinity
        return 1 - _UNREACHED if up else _UNREACHED
    if one.high == one.low:
        less = {
            ast.Lt: one.high < limit,
            ast.LtE: one.high <= limit,
            ast.Gt: one.high > limit,
            ast.GtE: one.high >= limit,
        }
        holds = less.get(type(op) if right.known is not None else _TURNED[type(op)])
        return None if holds is None else float(holds)
    share = min(max((limit - one.low) / (one.high - one.low), 0.0), 1.0)
    return share if up else 1 - share


def _endless(one: Number) -> bool:
    """Whether its lower bound only stands for what is less than all others: `best = [-10**9] * n`."""
    return one.low <= -_FAR and abs(one.high) * _FARTHER < -one.low


def calculated(op: ast.operator, left: Number, right: Number) -> Number:
    """What an operator gives of two numbers, and between which bounds."""
    made = _worked_out(op, left, right)
    if isinstance(op, ast.Sub) and left.atom is right.atom and left.atom not in (None, THERE):
        return replace(made, distinct=max(math.sqrt(made.distinct), 2.0))  # neighbours in one list
    return made


def _worked_out(op: ast.operator, left: Number, right: Number) -> Number:
    usual = left.usual or right.usual
    function = _OPERATORS.get(type(op))
    whole = left.whole and right.whole and not isinstance(op, ast.Div)
    if usual in ("datetime", "date", "timedelta") and isinstance(op, (ast.Add, ast.Sub, ast.Mult)):
        plain = calculated(op, replace(left, usual=""), replace(right, usual=""))
        both = left.usual == right.usual and isinstance(op, ast.Sub)
        times = {left.usual, right.usual} - {"timedelta", ""}
        return replace(plain, usual="timedelta" if both or not times else times.pop())
    if function is None or usual:
        return Number(None, distinct=min(max(left.distinct * right.distinct, 2.0), MANY), whole=whole, usual=usual)
    found = list[float]()
    value: float | None = None
    with suppress(ArithmeticError, ValueError, OverflowError, TypeError):
        if left.value is not None and right.value is not None:
            value = float(function(left.value, right.value))
    distinct = min(left.distinct * right.distinct, MANY)
    if value is not None and left.known is not None and right.known is not None:
        return Number(value, value, value, ANEW, whole)
    if isinstance(op, ast.Mod) and right.high > 0 and math.isfinite(right.high):
        top = right.high - (1 if whole else 0)
        return Number(
            min(top / 2, value if value is not None else top / 2),
            0.0,
            min(top, max(left.high, 0.0)),
            min(distinct, right.high if whole else MANY),
            whole,
        )
    if isinstance(op, (ast.BitAnd, ast.FloorDiv, ast.RShift)) and right.known is not None:
        by = max(2.0 ** min(right.known, 900) if isinstance(op, ast.RShift) else right.known, 1.0)
        both = isinstance(op, ast.BitAnd)
        low, top = (0.0, min(left.high, right.known)) if both else (left.low / by, left.high / by)
        return Number(value, low, top, max(min(distinct, top - low + 1), 1.0) if whole else distinct, whole)
    for one in (left.low, left.high):
        for other in (right.low, right.high):
            with suppress(ArithmeticError, ValueError, OverflowError, TypeError):
                each = function(one, other)
                if isinstance(each, (int, float)) and not math.isnan(each):
                    found.append(float(each))
    low, high = (min(found), max(found)) if found else (-math.inf, math.inf)
    if whole and math.isfinite(high - low):
        distinct = min(distinct, high - low + 1)
    return Number(value, low, high, max(distinct, 1.0), whole)
