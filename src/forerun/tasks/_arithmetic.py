"""Arithmetic in a program's text: what an expression is worth, as far as its names are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from forerun.tasks._stdin import is_word

FAR, _DEEP = 60, 12
"""Tokens that an expression or a loop's head may have, and parentheses in each other: so all of it stays linear."""
MOST = 1e15
"""No size is larger."""
UNKNOWN = 10.0
"""Rounds of a loop whose bound is not told: enough to see that there is one."""
_PASSED = frozenset("int float long round floor ceil trunc abs Integer Number parseInt usize i64 u64 size_t".split())


class Known(Protocol):
    """Tokens, and what is known of names."""

    def part(self, i: int) -> str:
        """A token; nothing past the end."""

    def worth(self, name: str) -> float | None:
        """The value of a name."""

    def count(self, name: str) -> float | None:
        """How many elements a list holds."""


class Sum:
    """Arithmetic on tokens, by precedence climbing. What is unknown is None; unless `strict` it is left out."""

    _LEVELS: ClassVar[dict[str, int]] = {"+": 2, "-": 2, "*": 3, "/": 3, "%": 3, "<<": 1, ">>": 1, "**": 4, "^": 4}

    def __init__(self, reader: Known, strict: bool) -> None:
        self._reader, self._strict = reader, strict
        self._left, self._depth = FAR, 0

    def value(self, i: int, level: int = 1) -> tuple[float | None, int]:
        """The value of the expression at `i`, and where it ends."""
        left, i = self._atom(i)
        while True:
            sign = self._reader.part(i)
            rank = self._LEVELS.get(sign, 0)
            if rank < level or self._left <= 0:
                return left, i
            double = sign == "/" and self._reader.part(i + 1) == sign  # Python's //
            right, i = self.value(i + 1 + double, rank + (sign not in ("**", "^")))
            left = self._join(left, sign, right)

    def _join(self, left: float | None, sign: str, right: float | None) -> float | None:
        if left is None or right is None:
            known = left if right is None else right if sign in "+*%" else None
            return None if self._strict else known
        return reckoned(sign, left, right)

    def _atom(self, i: int) -> tuple[float | None, int]:
        self._left -= 1
        self._depth += 1
        try:
            if self._left <= 0 or self._depth > _DEEP:
                return None, i + 1
            return self._suffixed(*self._bare(i))
        finally:
            self._depth -= 1

    def _suffixed(self, value: float | None, i: int) -> tuple[float | None, int]:
        """`n as usize`, `n.to_i`, `n[0]`."""
        if self._reader.part(i) == "as":
            i += 2
        if self._reader.part(i) == "[" or (self._reader.part(i) == "." and is_word(self._reader.part(i + 1))):
            return None, i
        return value, i

    def _bare(self, i: int) -> tuple[float | None, int]:
        token = self._reader.part(i)
        if token[:1].isdecimal():
            return number(token), i + 1
        if token in ("#", "scalar") and self._reader.count(self._reader.part(i + 1)):
            return self._reader.count(self._reader.part(i + 1)), i + 2
        if token in ("-", "+", "&", "*"):  # an address and what is there, too
            value, end = self._atom(i + 1)
            return (-value if value is not None and token == "-" else value), end
        if token == "(":
            value, end = self.value(i + 1)
            if self._reader.part(end) != ")":
                return value, end
            cast = value is None and (is_word(self._reader.part(end + 1)) or self._reader.part(end + 1)[:1].isdecimal())
            if cast or (value is None and self._reader.part(end + 1) == "("):
                return self._atom(end + 1)
            return value, end + 1
        if not is_word(token):
            return None, i
        return self._named(token, i)

    def _named(self, token: str, i: int) -> tuple[float | None, int]:
        following = self._reader.part(i + 1)
        member = i + 2 if following == "." else i + 3 if (following, self._reader.part(i + 2)) == ("-", ">") else 0
        if member and is_word(name := self._reader.part(member)):
            if name in ("len", "size", "length", "count"):
                held, called = self._reader.count(token), self._reader.part(member + 1) == "("
                return self._reader.worth(name) if held is None and not called else held, member + 1 + 2 * called
            if token in ("Math", "math", "Main", "self", "this") or self._reader.worth(name) is not None:
                return self._named(name, member)
        if following != "(":
            return self._reader.worth(token), i + 1
        if token in ("len", "count", "sizeof", "scalar"):
            end = i + 3 + 2 * (self._reader.part(i + 3) == ".")  # `len(self.items)`
            if self._reader.part(end) == ")":
                return self._reader.count(self._reader.part(end - 1)), end + 1
        values, end = self._arguments(i + 1)
        return _called(token, values), end

    def _arguments(self, i: int) -> tuple[list[float | None], int]:
        values: list[float | None] = []
        while self._left > 0:
            value, i = self.value(i + 1)
            values.append(value)
            if self._reader.part(i) != ",":
                break
        return values, i + (self._reader.part(i) == ")")


def _called(name: str, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if name == "sizeof":
        return 1.0
    if not known:
        return None
    if name in ("sqrt", "isqrt", "sqrtf") and known[0] >= 0:
        return math.sqrt(known[0])
    if name == "pow" and len(known) == 2:
        return reckoned("**", *known)
    if name in ("min", "max", "Min", "Max"):
        return min(known) if name.lower() == "min" else max(known)
    return known[0] if name in _PASSED else None


def reckoned(sign: str, left: float, right: float) -> float | None:
    """The value of an operation; None where it has none."""
    try:
        return _ARITHMETIC[sign](left, right)
    except (OverflowError, ZeroDivisionError, ValueError):
        return None


def _power(left: float, right: float) -> float:
    """No more than `MOST` where it is no size any more: `10 ** 10 ** 10`."""
    try:
        return math.pow(left, right)
    except OverflowError:
        return MOST


def _either(left: float, right: float) -> float:
    """A power or, in most languages, an exclusive or: of a large number that."""
    if abs(right) > 64:
        raise ValueError
    return _power(left, right)


def _shifted(left: float, right: float) -> float:
    if right < 0:
        raise ValueError
    return left * _power(2.0, right)


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "**": _power,
    "^": _either,
    "<<": _shifted,
    ">>": lambda a, b: _shifted(a, 0.0) / 2.0 ** min(max(b, 0.0), 64.0),
}


def number(text: str) -> float:
    """The value of a literal."""
    plain = text.replace("_", "").replace("'", "")
    if plain[:2] in ("0x", "0X"):
        return float(int(plain[2:] or "0", 16))
    return min(float(plain), MOST)
