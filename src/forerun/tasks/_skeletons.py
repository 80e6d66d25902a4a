"""How often a function runs that calls itself, where nothing but what it is given tells whether it does:
`def part(n, m): if n < 0 or m == 0: …; return part(n - m, m) + part(n, m - 1)`. It is gone through once for all that it
may be given.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Given = tuple[Any, ...]
"""What a function is given; `UNKNOWN` where that is not told."""
_STATES, _STEPS, _ROUNDS, _LONG, _LARGE = 20_000, 400_000, 1000, 64, 1e15
"""Different things that it is given, steps, rounds of a loop, elements of a list or a text, and the largest number."""
_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.BitAnd: operator.and_, ast.RShift: operator.rshift,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"len": len, "min": min, "max": max, "abs": abs}


class _Unknown:
    """What is not told."""


UNKNOWN = _Unknown()


class NotToldError(Exception):
    """Something decides that is not told, or there is too much of it."""


@dataclass(slots=True)
class Tally:
    """Of one that is given something, and of all that it calls: how often it runs, and how often each test is asked and
    holds, by its identity."""

    runs: float = 1.0
    asked: dict[int, float] = field(default_factory=dict)
    holds: dict[int, float] = field(default_factory=dict)
    rounds: dict[int, float] = field(default_factory=dict)
    begun: dict[int, float] = field(default_factory=dict)
    """Rounds of loops, and how often these begin."""

    def add(self, other: Tally) -> None:
        """As well."""
        self.runs += other.runs
        for own, more in (
            (self.asked, other.asked), (self.holds, other.holds), (self.rounds, other.rounds), (self.begun, other.begun)
        ):  # fmt: skip
            for key, many in more.items():
                own[key] = own.get(key, 0.0) + many


@dataclass(slots=True)
class _Round:
    """One run: what it calls, and what it asks."""

    calls: list[Given]
    own: Tally


class Skeleton:
    """A function, without what it makes: which names it is given, and those that are the same all the time."""

    def __init__(self, node: ast.FunctionDef, itself: Callable[[ast.expr], bool], around: Mapping[str, Any]) -> None:
        self._node, self._itself, self._around = node, itself, around
        self._names = [each.arg for each in node.args.args]
        self._steps = 0
        self._known = dict[Given, Tally]()

    def tally(self, given: Given) -> Tally:
        """All that follows from this. Raises NotToldError."""
        under_way, waiting = set[Given](), [(given, self._once(given))]
        under_way.add(given)
        while waiting:
            state, each = waiting[-1]
            ahead = next((one for one in each.calls if one not in self._known), None)
            if ahead is None:
                for one in each.calls:
                    each.own.add(self._known[one])
                self._known[state] = each.own
                under_way.discard(state)
                waiting.pop()
            elif ahead in under_way or len(self._known) > _STATES:
                raise NotToldError
            else:
                under_way.add(ahead)
                waiting.append((ahead, self._once(ahead)))
        return self._known[given]

    def _once(self, given: Given) -> _Round:
        made = _Round([], Tally())
        self._run(self._node.body, dict(zip(self._names, given, strict=True)), made)
        return made

    def _run(self, body: list[ast.stmt], names: dict[str, Any], made: _Round) -> bool:
        """Whether what stands behind is come to."""
        for each in body:
            self._steps += 1
            if self._steps > _STEPS:
                raise NotToldError
            if isinstance(each, ast.If):
                holds = self._asked(each.test, names, made)
                if not self._run(each.body if holds else each.orelse, names, made):
                    return False
            elif isinstance(each, ast.Return):
                self._calls(each.value, names, made)
                return False
            elif isinstance(each, ast.For):
                self._go_round(each, names, made)
            elif isinstance(each, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)):
                self._assign(each, names, made)
            elif not isinstance(each, (ast.Pass, ast.Global, ast.Nonlocal)):
                raise NotToldError
        return True

    def _go_round(self, loop: ast.For, names: dict[str, Any], made: _Round) -> None:
        over = loop.iter
        bounds = [self._value(one, names) for one in over.args] if isinstance(over, ast.Call) else []
        plain = isinstance(over, ast.Call) and ast.unparse(over.func) == "range" and isinstance(loop.target, ast.Name)
        if not plain or not all(isinstance(one, int) for one in bounds) or len(rounds := range(*bounds)) > _ROUNDS:
            raise NotToldError
        made.own.begun[id(loop)] = made.own.begun.get(id(loop), 0.0) + 1.0
        made.own.rounds[id(loop)] = made.own.rounds.get(id(loop), 0.0) + len(rounds)
        for one in rounds:
            names[ast.unparse(loop.target)] = one
            if not self._run(loop.body, names, made):
                raise NotToldError

    def _assign(
        self, each: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr, names: dict[str, Any], made: _Round
    ) -> None:
        self._calls(each.value, names, made)
        targets = each.targets if isinstance(each, ast.Assign) else [] if isinstance(each, ast.Expr) else [each.target]
        for target in targets:
            for one in ast.walk(target):
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                    plain = isinstance(each, ast.Assign) and one is target
                    names[one.id] = self._value(each.value, names) if plain and each.value is not None else UNKNOWN

    def _asked(self, test: ast.expr, names: dict[str, Any], made: _Round) -> bool:
        """What a test gives. Raises NotToldError."""
        if any(isinstance(one, ast.Call) and self._itself(one.func) for one in ast.walk(test)):
            raise NotToldError
        value = self._value(test, names)
        if value is UNKNOWN:
            raise NotToldError
        made.own.asked[id(test)] = made.own.asked.get(id(test), 0.0) + 1.0
        made.own.holds[id(test)] = made.own.holds.get(id(test), 0.0) + bool(value)
        return bool(value)

    def _calls(self, node: ast.AST | None, names: dict[str, Any], made: _Round) -> None:
        """All calls of itself in an expression."""
        if node is None or isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.IfExp):
            self._calls(node.body if self._asked(node.test, names, made) else node.orelse, names, made)
            return
        own = isinstance(node, ast.Call) and self._itself(node.func)
        several = isinstance(node, (ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp))
        if several and any(isinstance(one, ast.Call) and self._itself(one.func) for one in ast.walk(node)):
            raise NotToldError
        for each in ast.iter_child_nodes(node):
            self._calls(each, names, made)
        if own and isinstance(node, ast.Call):
            made.calls.append(tuple(self._arguments(node, names)))

    def _arguments(self, call: ast.Call, names: dict[str, Any]) -> Iterator[Any]:
        given = call.args
        if isinstance(call.func, ast.Attribute) and self._names[:1] in (["self"], ["cls"]):
            yield UNKNOWN
        if call.keywords or len(given) + isinstance(call.func, ast.Attribute) < len(self._names):
            raise NotToldError
        for each in given[: len(self._names)]:
            yield self._value(each, names)

    def _value(self, node: ast.AST, names: Mapping[str, Any]) -> Any:
        """What an expression gives, as far as that is told."""
        self._steps += 1
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id] if node.id in names else self._around.get(node.id, UNKNOWN)
        parts = self._parts(node, names)
        if parts is None or any(one is UNKNOWN for one in parts):
            return UNKNOWN
        try:
            found = self._made(node, parts)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return UNKNOWN
        large = isinstance(found, (int, float)) and abs(found) > _LARGE
        return UNKNOWN if large or (isinstance(found, (tuple, str)) and len(found) > _LONG) else found

    def _parts(self, node: ast.AST, names: Mapping[str, Any]) -> list[Any] | None:
        """What it is made of."""
        inner: list[ast.expr | None]
        if isinstance(node, ast.BinOp):
            inner = [node.left, node.right]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            inner = [node.left, node.comparators[0]]
        elif isinstance(node, ast.BoolOp):
            found = [self._value(one, names) for one in node.values]
            either = isinstance(node.op, ast.Or)
            sure = [one for one in found if one is not UNKNOWN and bool(one) == either]
            return [either] if sure else found
        elif isinstance(node, ast.UnaryOp):
            inner = [node.operand]
        elif isinstance(node, ast.Subscript):
            part = node.slice
            inner = [node.value, part.lower, part.upper] if isinstance(part, ast.Slice) else [node.value, part]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in _FUNCTIONS:
            inner = [*node.args]
        else:
            return None
        return [None if one is None else self._value(one, names) for one in inner]

    def _made(self, node: ast.AST, parts: list[Any]) -> Any:
        if isinstance(node, ast.BoolOp):
            return any(parts) if isinstance(node.op, ast.Or) else all(parts)
        if isinstance(node, ast.UnaryOp):
            return not parts[0] if isinstance(node.op, ast.Not) else -parts[0]
        if isinstance(node, ast.Subscript):
            whole, *places = parts
            return whole[places[0] : places[1]] if len(places) > 1 else whole[places[0]]
        if isinstance(node, ast.Call):
            return _FUNCTIONS[ast.unparse(node.func)](*parts)
        return _OPERATORS[type(node.op if isinstance(node, ast.BinOp) else node.ops[0])](*parts)  # type: ignore[attr-defined]
