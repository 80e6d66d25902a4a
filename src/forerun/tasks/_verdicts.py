"""How often a function says yes that says yes or no, for `forerun.tasks._walked`: `is_prime`, `is_palindrome`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forerun.tasks._objects import MANY, Number, Written
from forerun.tasks._shapes import called, uses

_LETTERS, _LONG = 10.0, 15.0
"""Different letters that a text is compared by, at least, and how many, at most."""
_SELDOM = 1e-4
"""How often what a function asks for is so, at least: otherwise nobody would ask."""


@dataclass(slots=True)
class Verdict:
    """Of the calls of a function those that are still under way, and those that said yes, and no."""

    left: float = 1.0
    yes: float = 0.0
    no: float = 0.0
    told: bool = True
    """Whether all of that is told."""
    leaves: float | None = None
    """Which share of those under way a branch leaves that is gone through."""

    def says(self, value: Any, often: float) -> None:
        """A call ends, so often where it is come to."""
        share = yes(value)
        if share is None:
            self.told = False
            return
        gone = self.left * min(often if self.leaves is None else self.leaves, 1.0)
        self.yes, self.no = self.yes + gone * share, self.no + gone * (1 - share)
        if self.leaves is not None:
            self.left -= gone

    @property
    def share(self) -> float | None:
        """How often it says yes; None where that is not told, or always the same."""
        if not (self.told and self.yes and self.no):
            return None
        return min(max(self.yes / (self.yes + self.no), _SELDOM), 1 - _SELDOM)


def yes(value: Any) -> float | None:
    """How often a number that is 0 or 1 is 1, where that is told."""
    if not isinstance(value, Number) or not 0 <= value.low <= value.high <= 1 or value.value is None:
        return None
    return value.value if value.known is not None or 0 < value.value < 1 else None


def gone(value: Any, often: float, rounds: float) -> float:
    """Which share has left a loop after so many rounds that it leaves where a test holds: so `often`, or where a number
    is divided by `value`, which grows. By Mertens' third theorem one of .56 / log n has no divisor below n."""
    if isinstance(value, Number) and (low := max(value.low, 2.0)) < value.high < MANY:
        few = (value.distinct if value.distinct < MANY else value.high - value.low) * until_divided(
            value.low, value.high
        )
        return 1.0 - math.pow(math.log(low) / math.log(value.high), min(rounds / max(few, 1.0), 1.0))
    return -math.expm1(rounds * math.log1p(-min(often, 1.0 - 1e-9)))


def rest(test: ast.expr, named: Mapping[str, ast.expr]) -> ast.BinOp | None:
    """The rest that `n % i == 0`, `not n % i` and `n % i == 0 or n % (i + 2) == 0` ask for, or one that has a name."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return rest(test.values[0], named)
    found: ast.expr | None = None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        found = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and len(test.ops) == 1:
        found = test.left if getattr(test.comparators[0], "value", None) == 0 else None
    found = named.get(found.id) if isinstance(found, ast.Name) else found
    return found if isinstance(found, ast.BinOp) and isinstance(found.op, ast.Mod) else None


def divided(body: Sequence[ast.stmt], name: str) -> ast.expr | None:
    """What a loop divides by what it counts, which it leaves once nothing is left: `if n % i == 0: return False`, and
    `d, m = divmod(n, i)` with `if m == 0: return d`."""
    named = dict[str, ast.expr]()
    for one in body:
        named |= _rests(one) if isinstance(one, ast.Assign) else {}
        if not isinstance(one, ast.If):
            continue
        asked = rest(one.test, named) if _left(one.body) else None
        if asked is not None and ast.unparse(asked.right) == name and not uses(asked.left, name):
            return asked.left
        if (found := divided(one.body, name)) is not None:
            return found
    return None


def _rests(one: ast.Assign) -> dict[str, ast.expr]:
    """Rests that are given names."""
    target, value = one.targets[0], one.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and called(value) == "divmod":
        return {ast.unparse(target.elts[-1]): ast.BinOp(value.args[0], ast.Mod(), value.args[-1])}
    return {target.id: value} if isinstance(target, ast.Name) else {}


def _left(body: Sequence[ast.stmt]) -> bool:
    """Whether a block leaves a loop, one way or another."""
    last = body[-1]
    if isinstance(last, ast.If) and last.orelse:
        return _left(last.body) and _left(last.orelse)
    return isinstance(last, (ast.Break, ast.Return))


def until_divided(low: float, high: float) -> float:
    """Which share of these divisors is tried in the mean until one divides."""
    low = max(low, 2.0)
    return 1.0 if not low < high < MANY else min(math.log(low) / max(math.log(high) - 1.0, 1e-9), 1.0)


def alone(test: ast.expr) -> ast.Call | None:
    """The call that is asked alone: `f(n)`, `not f(n)`, `f(n) == True`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return alone(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        return alone(test.left)
    return test if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) else None


def alike(left: Any, right: Any) -> float | None:
    """How often two things are the same that follow from the same one: as many of those that may be as their root, by
    the palindromes and the squares among numbers."""
    if isinstance(left, Written) and isinstance(right, Written):
        few = min(max(left.distinct, right.distinct), _LETTERS ** min(max(left.length, right.length), _LONG))
        return few**-0.5 if left.known is None and right.known is None and few >= 2 else None
    if not (isinstance(left, Number) and isinstance(right, Number)) or None in (left.value, right.value):
        return None
    if left.known is not None or right.known is not None:
        return None
    spans = [one.high - one.low + 1 for one in (left, right) if one.whole]
    few = min(*spans, max(left.distinct, right.distinct)) if len(spans) > 1 else MANY
    return max(few, 1.0) ** -0.5 if few < MANY else None
