"""What expressions of a plain Python program give, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any

from forerun.tasks._copying import Copying
from forerun.tasks._figures import (
    ANEW,
    BUILTINS,
    FEW,
    HARDLY,
    PARTS,
    SINGLY,
    WRITTEN_OUT,
    any_of,
    calculated,
    compared,
    number,
    place_in,
    wide,
)
from forerun.tasks._objects import (
    MANY,
    THERE,
    Bound,
    Boxes,
    Classed,
    Defined,
    Layout,
    Match,
    Module,
    Number,
    Passing,
    Place,
    Written,
    among,
    any_where_unknown,
    differing,
    drawn,
    known,
    merged,
    placed,
)
from forerun.tasks._rowed import as_word, mark_of, rowed
from forerun.tasks._searching import chooses
from forerun.tasks._shapes import measured
from forerun.tasks._speeds import missed

_FLAGGED = 0.1
"""Bytes that are no zero, and flags that were set in the beginning: where a program asks, of primes most of all."""
_FIRST = 3.0
"""How many times as many of the first tenth of such flags stay."""
_LACKING = 0.05
"""How often there is nothing of what is looked for first."""
_ANOTHER = 0.9
"""Of so many that are asked for, which share is made anew at least where each is another one."""
_ALIKE = 0.1
"""How often all elements of two lists are the same."""
_INSIDE = 0.97
"""How often a place is inside."""
_NO_BLANK = 0.97
"""How often a text that has letters in the mean has any."""
_BY_KNOWN = 0.3
"""Which share of the time of a division it takes to divide by what is written out."""
_LETTERS = 128
"""Numbers that may stand for letters."""
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_AWAY = 1e6
"""Numbers from which on one may stand for what was not reached."""
OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.Pow: "pow", ast.MatMult: "matmul",
}  # fmt: skip
"""What a class calls its own operators."""
Factors = tuple[ast.expr, ...]
"""What something is multiplied by."""
_LONG = 1000
"""Elements that are written out from which on not all are looked at."""


class Terms(Copying):
    """All expressions but calls."""

    def _of_constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool):
            return Number.of(float(node.value), True)
        if isinstance(node.value, (int, float)):
            with suppress(OverflowError):
                return Number.of(float(node.value), isinstance(node.value, int))
        if isinstance(node.value, str):
            return Written.like(node.value)
        if isinstance(node.value, bytes):
            return replace(Written.like(node.value.decode("latin-1")), raw=True)
        return None

    def _of_joinedstr(self, node: ast.JoinedStr) -> Any:
        sample, length, distinct, random, whole = "", 0.0, 1.0, False, Written()
        mark, row = mark_of(node), list[Written | None]()
        for part in node.values:
            if isinstance(part, ast.Constant):
                sample, length = sample + str(part.value), length + len(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                value = self.value(part.value)
                spec = "".join(
                    str(each.value)
                    for each in (part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else ())
                    if isinstance(each, ast.Constant)
                )
                long = wide(value, spec)
                row.append(as_word(value, spec) if mark else None)
                known = value.known if isinstance(value, Written) else None
                if isinstance(value, Number) and value.known is not None and not (spec or value.usual):
                    known = str(int(value.known) if value.whole else value.known)
                    long = len(known)
                if known is None and isinstance(value, Written) and value.pieces is not None and value.words is None:
                    known = value.sample
                    whole = value if value.length > whole.length else whole
                letter = "1" if self.layout is not None and isinstance(value, Number) and value.whole else "x"
                sample += known if known is not None else letter * int(min(long, WRITTEN_OUT))
                length += long
                distinct = min(distinct * differing(any_where_unknown(value)), MANY)
                random = random or drawn(value)
        pieces = whole.pieces if 2 * whole.length >= length else None  # with something around it
        words = rowed(row, mark) if pieces is None else None
        return Written(sample[:WRITTEN_OUT], length, max(distinct, ANEW), pieces=pieces, drawn=random, words=words)

    def _of_name(self, node: ast.Name) -> Any:
        found = self.named(node.id)
        return Module(node.id) if found is None and node.id in BUILTINS else found

    def _of_tuple(self, node: ast.Tuple) -> Any:
        if any(isinstance(each, ast.Starred) for each in node.elts):
            return self._of_list(node, "tuple")
        return self.tupled([self.value(each) for each in node.elts], node)

    def _of_list(self, node: ast.List | ast.Tuple | ast.Set, kind: str = "list") -> Any:
        if len(node.elts) > _LONG:  # data: all are like the first ones
            times, alike = self.times, len(node.elts) / FEW
            self.times = times * alike
            values = [self.value(each) for each in node.elts[:FEW]]
            self.times = times
            made = self.new(kind, node)
            for value in values:
                self.add(made, value, alike)
            return made
        found = [(each, self.value(each.value if isinstance(each, ast.Starred) else each)) for each in node.elts]
        made = self.new(kind, node)
        for place, (each, value) in enumerate(found):
            if isinstance(each, ast.Starred):
                self.extend(made, value)
            else:
                self.add(made, value)
                if len(found) <= FEW and kind == "list":
                    made.fields[str(place)] = merged(made.fields.get(str(place)), value)
        if len(made.fields) == len(found) > 1:
            made.one = any_of([value for _, value in found], made.one)
        return made

    def _of_set(self, node: ast.Set) -> Any:
        return self._of_list(node, "set")

    def _of_dict(self, node: ast.Dict) -> Any:
        pairs = [
            (self.value(key), self.value(each), key is None) for key, each in zip(node.keys, node.values, strict=True)
        ]
        made = self.new("dict", node)
        for key, value, spread in pairs:
            if spread and isinstance(value, Boxes):
                made.fields |= value.fields
                self.extend(made, value) if value.puts else None
            elif isinstance(key, Written) and key.known is not None:
                old = made.fields.get(key.known)
                made.fields[key.known] = merged(old, made.hold(value, self.times))
            else:
                made.keyed(any_where_unknown(key), value, self.times)
        return made

    def _of_starred(self, node: ast.Starred) -> Any:
        return self.value(node.value)

    def _of_await(self, node: ast.Await) -> Any:
        return self.value(node.value)

    def _of_namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _of_ifexp(self, node: ast.IfExp) -> Any:
        often = self.likely(node.test)
        if often in (0.0, 1.0):
            return self.value(node.body if often else node.orelse)
        times, share = self.times, 0.5 if often is None else often
        self.times = times * share
        one = self.value(node.body)
        self.times = times * (1 - share)
        other = self.value(node.orelse)
        self.times = times
        if isinstance(one, Boxes) and isinstance(other, Boxes):
            if self.layout is not None and one.puts and not (other.puts or other.fields):  # that, or nothing
                return one.joins(other, 1 - share)
            return other.joins(one, share)
        return one if isinstance(one, Boxes) else merged(one, other)

    def _of_boolop(self, node: ast.BoolOp) -> Any:
        found, times = list[Any](), self.times
        for each in node.values:
            found.append(self.value(each))
            if isinstance(node.op, ast.Or) and isinstance(found[-1], Boxes):  # `known.get(key) or made()`
                self.times = min(self.times, times * _LACKING)
        self.times = times
        if isinstance(node.op, ast.Or) and _holds(found[0]):
            return found[0]
        if isinstance(node.op, ast.Or) and self.layout is not None and _full(found[0]) and not _full(found[-1]):
            return self._or_nothing(node.values[0], found[0])
        return next((one for one in reversed(found) if one is not None), None)

    def _or_nothing(self, node: ast.expr, found: Any) -> Any:
        """Of `rows[key] or []` what is there, as often as that key is."""
        box = self.value(node.value) if isinstance(node, ast.Subscript) else None
        if not isinstance(node, ast.Subscript) or not isinstance(box, Boxes) or found.kind != "list":
            return found
        if box.kind != "dict" or found in box.fields.values():
            return found
        key = self.value(node.slice)
        keys = differing(any_where_unknown(key))
        share = box.entries / keys if keys < MANY else self._inside(key, box, True)
        return Passing(found.entries * min(0.5 if share is None else share, 1.0), found.one)

    def _of_unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(value, Number) and isinstance(node.op, ast.USub):
            turned = -value.value if value.value is not None else None
            return replace(value, value=turned, low=-value.high, high=-value.low)
        if isinstance(value, Number) and isinstance(node.op, ast.Invert):
            turned = -value.value - 1 if value.value is not None else None
            return replace(value, value=turned, low=-value.high - 1, high=-value.low - 1, atom=None)
        return value if isinstance(value, Number) and isinstance(node.op, ast.UAdd) else Number(0.0, 0.0, 1.0, 2.0)

    def _of_compare(self, node: ast.Compare) -> Any:
        if self.layout is not None and len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            often = self.likely(node)  # whether it is there is kept to be asked for later
            return Number(often if often is not None else 0.5, 0.0, 1.0, 2.0)
        found = [self.value(each) for each in (node.left, *node.comparators)]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            self.sought(found[1])
        return Number(0.0, 0.0, 1.0, 2.0)

    def likely(self, test: ast.expr) -> float | None:
        """How often a test holds; None where nobody knows."""
        if id(test) in self.told:
            self.value(test)
            return self.told[id(test)]
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            often = self.likely(test.operand)
            return None if often is None else 1.0 - often
        if isinstance(test, ast.BoolOp):
            found = self._in_turn(test)
            if isinstance(test.op, ast.And):
                return (
                    None
                    if all(one is None for one in found)
                    else math.prod(0.5 if one is None else one for one in found)
                )
            return (
                None
                if any(one is None for one in found)
                else 1 - math.prod(1 - one for one in found if one is not None)
            )
        if isinstance(test, ast.Compare) and len(test.ops) > 1:
            inside = self._between(test) if self.layout is not None else None
            return self._mostly(test) if inside is None else inside
        if isinstance(test, ast.Compare):
            left, right, op = self.value(test.left), self.value(test.comparators[0]), test.ops[0]
            if isinstance(op, (ast.In, ast.NotIn)):
                if self.letters and isinstance(test.left, ast.Name) and test.left.id == self.letters[-1].name:
                    new = self.letters[-1].new if isinstance(right, Boxes) and right.kind == "dict" else None
                    return new if new is None or isinstance(op, ast.NotIn) else 1 - new
                self.sought(right)
                return self._inside(left, right, isinstance(op, ast.In))
            if isinstance(op, (ast.Is, ast.IsNot)):
                new = self._new_letters(test)
                new = self._lacking(test, left) if new is None else new
                return None if new is None else new if isinstance(op, ast.Is) else 1 - new
            if (same := self._untouched(test.left, right, op)) is not None:
                return same
            if self.layout is not None and (begins := self._first_letter(test.left, right, op)) is not None:
                return begins
            lists = all(isinstance(one, Boxes) and one.kind == "list" for one in (left, right))
            if self.layout is not None and lists and isinstance(op, (ast.Eq, ast.NotEq)):
                return _ALIKE if isinstance(op, ast.Eq) else 1 - _ALIKE
            if self.times > 1 and isinstance(right, Number) and (asked := measured(test.left)) is not None:
                return self._full(asked, op, right)
            return compared(op, left, right)
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "startswith":
            return self._begins(self.value(test.func.value), self.value(test.args[0]) if test.args else None)
        value = self.value(test)
        if isinstance(value, (Number, Written)) and value.known is not None:
            return float(bool(value.known))
        if (same := self._untouched(test, Number.of(0.0, True), ast.NotEq())) is not None:
            return same
        either = isinstance(value, Number) and (value.low, value.high, value.distinct) == (0.0, 1.0, 2.0)
        if either and isinstance(value, Number) and 0.0 < (often := value.value or 0.0) < 1.0:
            return often
        if isinstance(value, Written) and value.empty is not None:
            return 1.0 - value.empty
        if isinstance(value, Written) and value.length >= 1:
            return _NO_BLANK
        if isinstance(value, Defined):
            return 1.0
        if isinstance(value, Match) and value.often is not None:
            return value.often
        if self.layout is not None and isinstance(value, Match) and value.parts:
            return 1.0 - _LACKING
        if isinstance(value, Number) and (value.low, value.high) == (0.0, 255.0):
            return _FLAGGED
        if isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod) and isinstance(value, Number):
            return 1.0 - 1.0 / max(value.distinct, 1.0)
        return None

    def _mostly(self, test: ast.Compare) -> float:
        """How often a number is between two others: mostly, as of a place whether it is inside; of several between
        these, `0 < a < b <= n`, as seldom as their bounds tell, but sometimes."""
        if len(test.ops) < 3 or not all(isinstance(op, _ORDERS) for op in test.ops):
            return _INSIDE
        sides = [self.value(each) for each in (test.left, *test.comparators)]
        pairs = zip(test.ops, sides[:-1], sides[1:], strict=True)
        told = (often for one in pairs if (often := compared(*one)) is not None)
        return max(min([_INSIDE, *told]), _LACKING)

    def _in_turn(self, test: ast.BoolOp) -> list[float | None]:
        """How often each part of a test holds: functions are only called where what stands before has not told."""
        times, goes_on, found = self.times, 1.0, list[float | None]()
        for each in test.values:
            names = (one.func for one in ast.walk(each) if isinstance(one, ast.Call))
            own = any(isinstance(one, ast.Name) and isinstance(self.named(one.id), Defined) for one in names)
            self.times = times * goes_on if own else times
            found.append(often := self.likely(each))
            goes_on *= 1.0 if often is None else max(often if isinstance(test.op, ast.And) else 1.0 - often, HARDLY)
        self.times = times
        return found

    def _between(self, test: ast.Compare) -> float | None:
        """How often a number that is drawn is in a range, `60 <= n <= 84`; None of others."""
        low, number, high = (self.value(each) for each in (test.left, *test.comparators[:2]))
        if not (isinstance(low, Number) and isinstance(number, Number) and isinstance(high, Number)):
            return None
        if len(test.ops) > 2 or not number.drawn or not math.isfinite(number.high - number.low):
            return None
        if low.known is None or high.known is None:
            return None
        more = float(number.whole and isinstance(test.ops[1], ast.LtE))
        wide = min(high.known + more, number.high + number.whole) - max(low.known, number.low)
        return min(max(wide / max(number.high - number.low + number.whole, 1e-9), 0.0), 1.0)

    def _untouched(self, test: ast.expr, value: Any, op: ast.cmpop) -> float | None:
        """How often a comparison holds that asks whether a place of a list still has what it was filled with: where
        more is asked than it has places, a search finds each new once. Of flags that are all set first few stay so."""
        if not isinstance(test, ast.Subscript) or not isinstance(value, Number) or value.known is None:
            return None
        box = self.value(test.value)
        if not (isinstance(box, Boxes) and box.kind == "list" and isinstance(box.start, Number)):
            return None
        start, most = box.start.known, box.entries
        if start is None or getattr(box.one, "known", None) is not None or most <= 0:
            return None
        equal = isinstance(op, (ast.Eq, ast.NotEq))
        sifted = equal and _sieve(box)
        if (
            value.known not in (0.0, 1.0)
            if sifted
            else start != value.known
            if equal
            else not (start < 0 or start >= _AWAY)
        ):
            return None
        holds = compared(op, box.start, value)
        each = self.times / max(box.made, 1e-12)
        few = _FLAGGED * (1.0 if each > _FLAGGED * most else _FIRST)  # more of the first ones
        same = most / each if each > most else few if sifted else 0.5
        return same if holds == 1.0 else 1 - same if holds == 0.0 else None

    def of_sieve(self, test: ast.expr) -> bool:
        """Whether it asks for a flag of a sieve."""
        asked = test.operand if isinstance(test, ast.UnaryOp) else test.left if isinstance(test, ast.Compare) else test
        return isinstance(asked, ast.Subscript) and _sieve(self.value(asked.value))

    def _first_letter(self, test: ast.expr, letter: Any, op: ast.cmpop) -> float | None:
        """How often a line begins with a letter, or with another one: `line[0] == '#'`."""
        if not (isinstance(test, ast.Subscript) and isinstance(test.slice, ast.Constant) and test.slice.value == 0):
            return None
        if not isinstance(letter, Number) or letter.known is None or not 0 < letter.known < _LETTERS:
            return None
        text = self.value(test.value) if isinstance(op, (ast.Eq, ast.NotEq)) else None
        often = self._begins(text, Written.like(chr(int(letter.known))))
        return often if often is None or isinstance(op, ast.Eq) else 1.0 - often

    def _begins(self, text: Any, mark: Any) -> float | None:
        """How often a text begins with a mark."""
        if not (isinstance(text, Written) and isinstance(mark, Written) and mark.known):
            return None
        if text.known is not None:
            return float(text.known.startswith(mark.known))
        if text.shares is not None:
            return sum(share for one, share in text.shares.items() if one.startswith(mark.known))
        if text.begins is None and self.layout is not None and text.words is not None:
            # lines are mostly like one of them
            return 1 - _LACKING if text.sample.startswith(mark.known) else _LACKING
        return text.begins.get(mark.known[0], 0.0) if text.begins is not None else None

    def _full(self, container: ast.expr, op: ast.cmpop, limit: Number) -> float | None:
        """How often something that grows has so many: one time in these, always where it holds no more."""
        box = self.value(container)
        if not isinstance(box, Boxes) or limit.value is None or limit.value < 2:
            return None
        if box.bound <= limit.value + 1 and id(box) not in self.halved:
            return 1.0 if isinstance(op, (ast.Eq, ast.GtE)) else 0.0
        if self.layout is not None and box.puts and box.made >= _ANOTHER * self.times:  # that does not grow any more
            holds = compared(op, Number.of(round(box.entries), True), limit)
            return None if holds is None else min(max(holds, _LACKING), 1.0 - _LACKING)
        if isinstance(op, (ast.Gt, ast.GtE, ast.Eq)):
            return 1.0 / limit.value
        return 1.0 - 1.0 / limit.value

    def _lacking(self, test: ast.Compare, value: Any) -> float | None:
        """How often there is nothing of what was looked for: a key, or what a pattern finds."""
        if not (isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None):
            return None
        if isinstance(value, Match) and value.often is not None:
            return 1.0 - value.often
        if isinstance(value, Match) and value.parts:
            return _LACKING
        if self.given and isinstance(test.left, ast.Name) and test.left.id in self.asked_for:
            box, key = self.asked_for[test.left.id]
            return self._inside(key, box, False)
        return None

    def _new_letters(self, test: ast.Compare) -> float | None:
        """How often a node of a tree of letters is new: words have so many beginnings that differ."""
        return self.letters[-1].new if self.letters and isinstance(test.comparators[0], ast.Constant) else None

    def _inside(self, key: Any, box: Any, inside: bool) -> float | None:
        """How often a key is there, of all times it is asked for while they are added."""
        if isinstance(key, Written) and isinstance(box, Written) and key.known is not None and box.known is not None:
            return float((key.known in box.known) == inside)
        if (
            self.layout is not None
            and isinstance(key, Written)
            and isinstance(box, Written)
            and key.known
            and box.words
        ):
            there = 1 - _LACKING if key.known in box.sample else _LACKING  # lines are mostly like one of them
            return there if inside else 1 - there
        if isinstance(box, Boxes) and box.kind in ("dict", "set"):
            if self.layout is not None and isinstance(key, Boxes) and key.kind == "list":  # states that come again
                return 1 - _LACKING if inside else _LACKING
            each = max(self.times / max(box.made, 1e-12), 1.0)
            most = differing(any_where_unknown(key))
            if box.puts and self.times < 0.5 * box.puts and box.most < MANY:  # what was there before
                there = min(box.entries / max(most, 1.0), 1.0) if most < MANY else 0.97
                return there if inside else 1 - there
            if self.reach and most > self.reach[-1]:
                most = self.reach[-1]
            if most < MANY:
                new = most * -math.expm1(-each / most) / each
                return 1 - new if inside else new
            return None if inside else 0.9
        return None

    def _written_out(self, node: ast.expr) -> bool:
        """Whether a compiler knows the number: it stands there, or in a constant of the program's."""
        shared = self.frames[0].get(node.id) if isinstance(node, ast.Name) else None
        return isinstance(node, ast.Constant) or (isinstance(shared, Number) and shared.known is not None)

    def _of_binop(self, node: ast.BinOp) -> Any:
        if self.tempo.divided and isinstance(node.op, (ast.Mod, ast.FloorDiv, ast.Div)):
            self.work(self.tempo.divided * (_BY_KNOWN if self._written_out(node.right) else 1.0))
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, Place):
            return Place(f"{left.key}/{placed(right)}")
        if isinstance(left, Boxes) and (left.kind in ("object", "slots") or isinstance(left.of, Classed)):
            method = self.attribute(left, f"__{OPERATORS.get(type(node.op), '')}__")
            if isinstance(method, Defined):
                return self.call(method, [right], {})
        if isinstance(node.op, ast.Mult):
            for one, times in ((left, right), (right, left)):
                if isinstance(one, Boxes) and one.kind in ("list", "tuple", "bytearray", "array"):
                    return self._repeated(one, times, node)
        if isinstance(node.op, ast.Add) and isinstance(left, Boxes) and isinstance(right, Boxes):
            both = [(one, self.through(one)) for one in (left, right)]
            made = self.new(left.kind, node)
            made.each = left.each
            for one, told in both:
                self.extend(made, one, told)
            return made
        fewer = isinstance(node.op, ast.Sub) and self.layout is not None and isinstance(right, Boxes)
        if fewer and isinstance(left, Boxes) and left.kind == "list":  # all but these
            made = self.new("list", node)
            self.extend(made, left)
            return made
        if isinstance(left, Boxes) and left.kind == "set" and isinstance(right, Boxes):
            made = self.new("set", node)
            self.extend(made, left)
            if isinstance(node.op, ast.BitOr):
                self.extend(made, right)
            return made
        return self.operated(node.op, left, right)

    def _repeated(self, one: Boxes, times: Any, node: ast.AST) -> Boxes:
        count = times.value if isinstance(times, Number) and times.value is not None else 0.0
        many = one.entries * max(count, 0.0) * self.times
        made = self.new(one.kind, node)
        made.each = 8.0 if one.kind == "list" else one.each
        made.put(one.one, many)
        made.start = one.one
        return made

    def operated(self, op: ast.operator, left: Any, right: Any) -> Any:
        """What an operator gives of numbers and texts."""
        if isinstance(left, Written) and isinstance(op, ast.Add) and isinstance(right, Written):
            sample, of = (left.sample + right.sample)[:WRITTEN_OUT], left.of or right.of
            distinct = min(left.distinct * right.distinct, MANY)
            return Written(
                sample,
                left.length + right.length,
                max(distinct, ANEW),
                left.raw,
                of=of,
                drawn=left.drawn or right.drawn,
            )
        if isinstance(op, ast.Mult) and (isinstance(left, Written) or isinstance(right, Written)):
            one, times = (left, right) if isinstance(left, Written) else (right, left)
            count = times.value if isinstance(times, Number) and times.value is not None else 1.0
            sample = (one.sample * int(min(max(count, 0), WRITTEN_OUT)))[:WRITTEN_OUT]
            return Written(sample, one.length * max(count, 0.0), max(one.distinct * differing(times), ANEW), one.raw)
        if isinstance(left, Written) and isinstance(op, ast.Mod):
            return Written(left.sample, left.length + 2.0, max(differing(right), 2.0), left.raw, drawn=drawn(right))
        if isinstance(left, Number) and isinstance(right, Number):
            if isinstance(op, ast.Pow) and left.known is not None and right.known is not None:
                self.powered(left.known, right.known)
            made = calculated(op, left, right)
            return replace(made, drawn=True) if left.drawn or right.drawn else made
        known = left if isinstance(left, Number) else right if isinstance(right, Number) else None
        if known is not None:
            if isinstance(op, ast.Mod) and isinstance(right, Number) and right.value and right.value > 0:
                return number(0.0, right.high, right.high, right.whole)
            return Number(
                known.value, distinct=MANY, whole=known.whole and not isinstance(op, ast.Div), usual=known.usual
            )
        return None

    def _of_listcomp(self, node: ast.ListComp) -> Any:
        return self._comprehended(node, "list")

    def _of_setcomp(self, node: ast.SetComp) -> Any:
        return self._comprehended(node, "set")

    def _one_by_one(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        """What a comprehension gives that takes a few lines or words of the input, one after the other."""
        one = node.generators[0]
        plain = (ast.Call, ast.Name, ast.Constant, ast.expr_context)  # `range(3)`: it may be asked again
        if len(node.generators) > 1 or one.ifs or not any(_takes(each) for each in ast.walk(node.elt)):
            return []
        inside = [*ast.walk(one.iter)]
        if not all(isinstance(each, plain) for each in inside) or sum(isinstance(x, ast.Call) for x in inside) > 1:
            return []
        count = self.through(self.value(one.iter))[0]
        return [self.value(node.elt) for _ in range(int(count))] if count is not None and 1 < count <= SINGLY else []

    def _comprehended(self, node: ast.ListComp | ast.SetComp, kind: str) -> Boxes:
        if isinstance(node, ast.ListComp) and (each := self._one_by_one(node)):
            return self.listed(Passing(float(len(each)), reduce(merged, each), tuple(each)))
        with Rounds(self, node.generators) as rounds:
            value, times = self.value(node.elt), self.times
        first = self._each(node, rounds.first) if kind == "list" else {}
        if not all(isinstance(each, (Number, Written)) for each in first.values()):
            first = {}
        elif first and len(first) == rounds.count:
            value = reduce(merged, first.values())
        made = self.new(kind, node)
        self.add(made, value, times / max(self.times, 1e-300))
        if first or made.fields:
            made.fields = first
        return made

    def _each(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, each: dict[str, Any]) -> dict[str, Any]:
        """What a comprehension gives for the first ones of what it goes through, where they are known, and whether it
        does."""
        found, one, path = list[Any](), node.generators[0], self.path
        if len(node.generators) > 1 or len(each) > FEW:
            return {}
        with self.hardly():
            for place, value in enumerate(each.values()):
                self.path = (*path, -place)
                self.bind(one.target, value)
                holds = [self.likely(test) for test in one.ifs]
                if any(often not in (0.0, 1.0) for often in holds):
                    found = []
                    break
                if all(holds):
                    found.append(self.value(node.elt))
        self.path = path
        return {str(place): made for place, made in enumerate(found)}

    def _of_dictcomp(self, node: ast.DictComp) -> Any:
        with Rounds(self, node.generators):
            key, value, times = self.value(node.key), self.value(node.value), self.times
        made = self.new("dict", node)
        made.keyed(any_where_unknown(key), value, times)
        return made

    def _of_generatorexp(self, node: ast.GeneratorExp) -> Any:
        if each := self._one_by_one(node):
            return Passing(float(len(each)), reduce(merged, each), tuple(each))
        before = self.times
        with Rounds(self, node.generators) as rounds:
            value, count = self.value(node.elt), self.times / max(before, 1e-300)
        first = tuple(self._each(node, rounds.first).values()) if len(rounds.first) == rounds.count else ()
        return Passing(float(len(first)) if first else count, value, first)

    def _of_attribute(self, node: ast.Attribute) -> Any:
        return self.attribute(self.value(node.value), node.attr)

    def attribute(self, owner: Any, name: str) -> Any:
        """What stands behind a point."""
        if isinstance(owner, Module):
            inside = Module(f"{owner.path}.{name}")
            if inside.path == "sys.argv" and self.layout is None:  # it is told nothing
                return self.listed(Passing(1.0, None))
            return (self.library(inside, [], {}) if owner.path == "string" else None) or inside
        if isinstance(owner, Boxes):
            if name in owner.fields:
                return owner.fields[name]
            if isinstance(owner.of, Classed):
                return self._of_class(owner.of, name, owner)
            return Bound(owner, name) if owner.kind in ("list", "dict", "set", "deque", "file", "array") else None
        if isinstance(owner, Classed):
            return self._of_class(owner, name, owner)
        if isinstance(owner, Place) and name in ("parent", "name"):
            folder, _, last = owner.key.rpartition("/")
            return Place(folder or ".") if name == "parent" else Written.like(last)
        if isinstance(owner, Layout) and name == "size":
            return self.library(Module("struct.calcsize"), [Written.like(owner.text)], {})
        if isinstance(owner, Written) or (isinstance(owner, Passing) and name == "__next__"):
            return Bound(owner, name)
        if isinstance(owner, Number) and owner.usual:
            few = PARTS.get(name)
            return number(0.0, few - 1, min(few, owner.distinct)) if few else Number(None, whole=True)
        return None

    def _of_class(self, of: Classed, name: str, owner: Any) -> Any:
        for line in of.lines():
            for each in line.node.body:
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name:
                    marks = {one.id for one in each.decorator_list if isinstance(one, ast.Name)}
                    if marks & {"property", "cached_property"}:
                        return self.call(Defined(each, owner), [], {})
                    bound = None if "staticmethod" in marks else of if "classmethod" in marks else owner
                    return Defined(each, None if isinstance(bound, Classed) and "classmethod" not in marks else bound)
            if name in line.values:
                found = line.values[name]
                bare = isinstance(found, Defined) and found.own is None and isinstance(owner, Boxes)
                return replace(found, own=owner) if bare else found
        return None

    def _of_subscript(self, node: ast.Subscript) -> Any:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(owner, node.slice, node)
        key = self.value(node.slice)
        if isinstance(owner, Boxes):
            if owner.kind == "dict":
                self.work(self.tempo.keyed)
                return self._under(owner, key, node)
            if self.tempo.missed:
                self.far(owner, node)
            if isinstance(key, Number) and key.known is not None and owner.fields:
                place = int(key.known) + (len(owner.fields) if key.known < 0 else 0)
                if str(place) in owner.fields:
                    return owner.fields[str(place)]
                found = list(owner.fields.values())
                return found[place] if 0 <= place < len(found) and owner.kind == "named" else owner.one
            if owner.kind in ("object", "slots") and isinstance(own := self.attribute(owner, "__getitem__"), Defined):
                return self.call(own, [key], {})
            return self.through(owner)[1] if owner.kind != "config" else Written("xxxxxxxx", 12.0, MANY)
        if isinstance(owner, (Written, Passing)):
            return self.through(owner)[1]
        return self._piece(owner, key) if isinstance(owner, Match) else None

    def _apart(self, lower: ast.expr, upper: ast.expr) -> float | None:
        """How far two places are apart that have something in common: `i - 3` and `i + 1`, `i * n` and `(i + 1) * n`;
        None of others."""
        left, alike = dict[tuple[str, ...], tuple[float, Factors]](), False
        for sign, node in ((1.0, upper), (-1.0, lower)):
            for by, factors in _summands(node, sign):
                key = tuple(sorted(map(ast.dump, factors)))
                before = left.get(key, (0.0, factors))[0]
                alike = alike or bool(factors and before and before == -by)
                left[key] = before + by, factors
        if not alike:
            return None
        found = 0.0
        for by, factors in (each for each in left.values() if each[0]):
            values = [getattr(self.value(one), "value", None) for one in factors]
            if any(value is None for value in values):
                return None
            found += by * math.prod(value for value in values if value is not None)
        return found

    def far(self, owner: Boxes, node: ast.Subscript) -> None:
        """How long it takes to reach a place of a list, where that is large and no place beside the last one."""
        place, rows = node.slice, node.value
        size = owner.entries * owner.each if owner.kind in ("list", "bytearray") else 0.0
        names = {one.id for one in ast.walk(place) if isinstance(one, ast.Name)} if size > 0 else set()
        names |= {self.along[one] for one in names if one in self.along}
        if names and isinstance(rows, ast.Subscript) and isinstance(rows.value, ast.Name) and self.steady:
            around = {one.id for one in ast.walk(rows.slice) if isinstance(one, ast.Name)}
            whole = self.named(rows.value.id)
            if self.steady[-1][0] in around - names and isinstance(whole, Boxes):  # down a column
                self.work(missed(size * whole.entries, True))
                return
        along = bool(self.steady) and self.steady[-1][0] in names and not _told_by(place, self.steady[-1][0])
        if names and not (along and self.steady[-1][1]):
            self.work(missed(size, along))

    def _piece(self, of: Match, key: Any = None) -> Written:
        """A part of a text that a pattern found: of so many, there are about as many different ones as their root."""
        if of.parts:
            named = of.names.get(key.known) if isinstance(key, Written) and key.known else None
            place = key.known if isinstance(key, Number) else 0.0 if key is None else named
            return of.parts[int(place)] if place is not None and place < len(of.parts) else of.parts[-1]
        if of.whole is not None:
            return replace(of.whole, atom=None)
        return Written("xxxxxx", min(of.length / 4 + 1, 12.0), max(self.times, 1.0) ** 0.5)

    def _under(self, box: Boxes, key: Any, node: ast.AST) -> Any:
        """A value of a mapping; one that makes values makes one for a new key."""
        if isinstance(key, Written) and key.known is not None and key.known in box.fields:
            return box.fields[key.known]
        there = self.layout is None or self.times <= box.puts  # none of them is asked for the first time
        if box.makes is not None and there and _same(key, box.key):
            return box.one
        asks = self.layout is not None and isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
        if box.makes is not None and asks and box.puts and isinstance(box.one, (Number, Written)):
            return box.one  # which puts nothing there
        if box.makes is not None:
            made = box.one
            before = box.entries
            box.keyed(any_where_unknown(key), made, self.times)
            if made is None or isinstance(made, Boxes):
                times, self.times = self.times, max(box.entries - before, 0.0) * box.made
                if isinstance(made, Boxes):
                    self._made_with(made)
                    made.made += self.times
                elif (made := self.built(box.makes, node, key)) is not None:
                    box.one = made
                    box.link(made, self.times)
                self.times = times
            self.grown = True
            return box.one
        if box.one is None and box.fields:
            return among(box.fields)
        return box.one

    def _made_with(self, made: Boxes) -> None:
        """What things were made with, that are made anew, is made as often."""
        for inner in made.fields.values():
            if isinstance(inner, Boxes) and inner.made == made.made and id(inner) in made.links:
                inner.made += self.times
                made.links[id(inner)][1] += self.times

    def cut(self, owner: Boxes, part: ast.Slice) -> float:
        """How many elements a part has."""
        size = self.length(owner) or 0.0
        lower, upper = (self.value(each) for each in (part.lower, part.upper))
        start, stop = place_in(lower, size, 0.0), place_in(upper, size, size)
        return max(stop - start, 0.0) if start is not None and stop is not None else size / 2

    def _sliced(self, owner: Any, part: ast.Slice, node: ast.AST) -> Any:
        size = self.length(owner)
        if size is None:
            return None
        lower, upper, step = (self.value(each) for each in (part.lower, part.upper, part.step))
        if isinstance(owner, Boxes) and owner.kind == "dict":  # all of it
            return self.call(Bound(owner, "copy"), [], {})
        start, stop = place_in(lower, size, 0.0), place_in(upper, size, size)
        long: float | None = None
        if isinstance(part.upper, ast.BinOp) and isinstance(part.upper.op, ast.Add) and part.lower is not None:
            behind = self.value(part.upper.right)  # data[i : i + n]
            if ast.dump(part.upper.left) == ast.dump(part.lower) and isinstance(behind, Number) and behind.value:
                long = min(behind.value, size)
        if long is None and part.lower is not None and part.upper is not None:
            long = self._apart(part.lower, part.upper)
            long = long if long is None else min(max(long, 0.0), size)
        if long is None:
            long = max(stop - start, 0.0) if start is not None and stop is not None else size / 2
        if isinstance(step, Number) and step.value:
            long /= abs(step.value)
        if isinstance(owner, Written):
            same = long >= size
            if same:
                return owner
            some = max(owner.distinct ** (long / max(size, 1.0)), 2.0)
            return Written(owner.sample[: int(long)], long, some, owner.raw, drawn=owner.drawn)
        if isinstance(owner, Boxes) and owner.kind == "view":
            return owner
        if isinstance(owner, Passing) or (self.layout is not None and self.layout.views):
            return Passing(long, self.through(owner)[1])
        first = known(owner) if isinstance(owner, Boxes) and owner.kind == "list" and start is not None else {}
        made = self.new(owner.kind if isinstance(owner, Boxes) else "list", node)
        if isinstance(owner, Boxes):
            made.each = owner.each
            made.put(self.through(owner)[1], long * self.times)
        if isinstance(owner, Boxes) and owner.kind == "list":
            begin = int(start or 0.0)
            kept = [one for place, one in first.items() if begin <= int(place) < begin + long] if not step else []
            made.fields = {str(place): one for place, one in enumerate(kept)}
        return made


def _sieve(box: Any) -> bool:
    """Whether it has flags that were all set in the beginning, and some are not any more."""
    flags = isinstance(box, Boxes) and isinstance(box.start, Number) and isinstance(box.one, Number)
    return flags and box.start.known == 1.0 and (box.one.low, box.one.high) == (0.0, 1.0)


class Rounds:
    """The loops of a comprehension: what is inside happens as often as they go round."""

    def __init__(self, library: Terms, generators: Sequence[ast.comprehension]) -> None:
        self.library, self.generators, self.before = library, generators, library.times
        self.begun = library.hidden, library.seconds
        self.count: float | None = None
        self.first: dict[str, Any] = {}
        """The first ones that it goes through, as far as they are known."""

    def __enter__(self) -> Rounds:
        own = self.library
        for place, each in enumerate(self.generators):
            over = own.value(each.iter)
            self.first = {} if place else known(over)
            count, one = own.through(over)
            self.count = count = own.told.get(id(each), count)
            own.bind(each.target, one)
            own.times = min(own.times * max(count if count is not None else 1.0, 0.0), MANY)
            for test in each.ifs:
                often = own.likely(test)
                own.times *= 0.5 if often is None else often
        return self

    def __exit__(self, *_: object) -> None:
        self.library.times = self.before
        if any(chooses(each.iter) for each in self.generators):
            self.library.hide(*self.begun)


def _told_by(place: ast.expr, name: str) -> bool:
    """Whether another list tells the place by this: `count[rank[i]]`."""
    inner = [one for one in ast.walk(place) if isinstance(one, ast.Subscript)]
    return any(isinstance(one, ast.Name) and one.id == name for each in inner for one in ast.walk(each))


def _takes(node: ast.AST) -> bool:
    """`input()`, `next(words)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("input", "next")


def _summands(node: ast.expr, by: float, factors: Factors = ()) -> Iterator[tuple[float, Factors]]:
    """What is added up, each as a number and what that is multiplied by; `max(i - 3, 0)` is mostly `i - 3`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _summands(node.left, by, factors)
        yield from _summands(node.right, -by if isinstance(node.op, ast.Sub) else by, factors)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _summands(node.left, by, (*factors, node.right))
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield by * node.value, factors
    elif isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in ("max", "min"):
        yield from _summands(node.args[0], by, factors)
    else:
        yield by, (node, *factors)


def _full(value: Any) -> bool:
    """Whether something holds anything."""
    return isinstance(value, Boxes) and bool(value.puts or value.fields)


def _holds(value: Any) -> bool:
    """Whether something is known to be true where a truth is asked for."""
    return isinstance(value, (Number, Written)) and bool(value.known)


def _same(key: Any, other: Any) -> bool:
    """Whether one is a key that a mapping has."""
    both = isinstance(key, (Number, Written)) and isinstance(other, (Number, Written))
    return both and key.atom not in (None, THERE) and key.atom is other.atom
