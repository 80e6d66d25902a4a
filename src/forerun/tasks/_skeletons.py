"""How often a function runs that calls itself, where nothing but what it is given tells whether it does:
`def part(n, m): if n < 0 or m == 0: …; return part(n - m, m) + part(n, m - 1)`. It is gone through once for all that it
may be given.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

Given = tuple[Any, ...]
"""What a function is given; `UNKNOWN` where that is not told."""
_STATES, _STEPS, _ROUNDS, _LONG, _LARGE = 20_000, 800_000, 1000, 64, 1e15
"""Different things that it is given, steps, rounds of a loop, elements of a list or a text, and the largest number."""
_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.BitAnd: operator.and_, ast.RShift: operator.rshift,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: lambda a, b: a * 2 ** min(b, _WIDE),
}  # fmt: skip
_WIDE = 64
"""By how many bits a number is moved, at most."""
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"len": len, "min": min, "max": max, "abs": abs}


class _Unknown:
    """What is not told."""


UNKNOWN = _Unknown()


class NotToldError(Exception):
    """Something decides that is not told, or there is too much of it."""


class _Ahead(Exception):
    """What it is given in other runs has to be known first."""


@dataclass(slots=True)
class Tally:
    """Of one that is given something, and of all that it calls: how often it runs, how often each test is asked and
    holds, by its identity, and what it gives."""

    runs: float = 1.0
    asked: dict[int, float] = field(default_factory=dict)
    holds: dict[int, float] = field(default_factory=dict)
    rounds: dict[int, float] = field(default_factory=dict)
    begun: dict[int, float] = field(default_factory=dict)
    """Rounds of loops, and how often these begin."""
    gives: Any = None

    def add(self, other: Tally) -> None:
        """As well."""
        self.runs += other.runs
        for own, more in (
            (self.asked, other.asked), (self.holds, other.holds), (self.rounds, other.rounds), (self.begun, other.begun)
        ):  # fmt: skip
            for key, many in more.items():
                own[key] = own.get(key, 0.0) + many


class Skeleton:
    """A function, without what it makes: which names it is given, and those that are the same all the time."""

    def __init__(self, node: ast.FunctionDef, itself: Callable[[ast.expr], bool], around: Mapping[str, Any]) -> None:
        self._node, self._itself, self._around = node, itself, around
        self._names = [each.arg for each in node.args.args]
        self._steps = 0
        self._known = dict[Given, Tally]()
        self._within = dict[int, bool]()
        """Whether parts of it call it, by their identity."""
        self._lacking = dict[Given, None]()
        """What it is given by the run that is under way, where nothing is known of that."""

    def tally(self, given: Given) -> Tally:
        """All that follows from this. Raises NotToldError."""
        under_way, waiting = {given}, [given]
        while waiting:
            state = waiting[-1]
            try:
                self._known[state] = self._once(state)
            except _Ahead:
                ahead = next(iter(self._lacking))
                if ahead in under_way or len(self._known) > _STATES:
                    raise NotToldError from None
                under_way.add(ahead)
                waiting.append(ahead)
                continue
            under_way.discard(state)
            waiting.pop()
        return self._known[given]

    def _once(self, given: Given) -> Tally:
        """One run. Raises _Ahead where others have to be known first."""
        self._lacking = {}
        made = Tally()
        self._run(self._node.body, dict(zip(self._names, given, strict=True)), made)
        if self._lacking:
            raise _Ahead
        return made

    def _run(self, body: list[ast.stmt], names: dict[str, Any], made: Tally) -> bool:
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
                made.gives = None if each.value is None else self._value(each.value, names)
                return False
            elif isinstance(each, ast.For):
                if not self._go_round(each, names, made):
                    return False
            elif isinstance(each, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)):
                self._assign(each, names, made)
            elif not isinstance(each, (ast.Pass, ast.Global, ast.Nonlocal)):
                raise NotToldError
        return True

    def _go_round(self, loop: ast.For, names: dict[str, Any], made: Tally) -> bool:
        """Whether what stands behind a loop is come to."""
        over = loop.iter
        bounds = [self._value(one, names) for one in over.args] if isinstance(over, ast.Call) else []
        plain = isinstance(over, ast.Call) and ast.unparse(over.func) == "range" and isinstance(loop.target, ast.Name)
        if not plain or not all(isinstance(one, int) for one in bounds) or len(rounds := range(*bounds)) > _ROUNDS:
            self._not_told()
        made.begun[id(loop)] = made.begun.get(id(loop), 0.0) + 1.0
        for one in rounds:
            made.rounds[id(loop)] = made.rounds.get(id(loop), 0.0) + 1.0
            names[ast.unparse(loop.target)] = one
            if not self._run(loop.body, names, made):
                return False
        made.rounds.setdefault(id(loop), 0.0)
        return True

    def _assign(
        self, each: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr, names: dict[str, Any], made: Tally
    ) -> None:
        self._calls(each.value, names, made)
        targets = each.targets if isinstance(each, ast.Assign) else [] if isinstance(each, ast.Expr) else [each.target]
        for target in targets:
            for one in ast.walk(target):
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                    plain = one is target and each.value is not None
                    names[one.id] = self._given_to(each, one, names) if plain else UNKNOWN

    def _given_to(self, each: ast.stmt, name: ast.Name, names: Mapping[str, Any]) -> Any:
        """What a statement gives a name."""
        if isinstance(each, ast.AugAssign):
            return self._value(ast.BinOp(ast.Name(name.id, ast.Load()), each.op, each.value), names)
        return self._value(each.value, names) if isinstance(each, (ast.Assign, ast.AnnAssign)) and each.value else None

    def _not_told(self) -> NoReturn:
        """Leaves the run, for good unless another one may tell. Raises NotToldError, _Ahead."""
        if self._lacking:
            raise _Ahead
        raise NotToldError

    def _asked(self, test: ast.expr, names: dict[str, Any], made: Tally) -> bool:
        """What a test gives. Raises NotToldError."""
        self._calls(test, names, made)
        value = self._value(test, names)
        if value is UNKNOWN:
            self._not_told()
        made.asked[id(test)] = made.asked.get(id(test), 0.0) + 1.0
        made.holds[id(test)] = made.holds.get(id(test), 0.0) + bool(value)
        return bool(value)

    def _calls(self, node: ast.AST | None, names: dict[str, Any], made: Tally) -> None:
        """All calls of itself in an expression."""
        if node is None or isinstance(node, ast.Lambda) or not self._calls_itself(node):
            return
        if isinstance(node, ast.IfExp):
            self._calls(node.body if self._asked(node.test, names, made) else node.orelse, names, made)
            return
        if isinstance(node, ast.BoolOp):
            self._in_turn(node, names, made)
            return
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            raise NotToldError
        for each in ast.iter_child_nodes(node):
            self._calls(each, names, made)
        if isinstance(node, ast.Call) and self._itself(node.func):
            found = self._run_of(node, names)
            if found is not None:
                made.add(found)

    def _in_turn(self, node: ast.BoolOp, names: dict[str, Any], made: Tally) -> None:
        """The same of `a or b`, of which the second one is only asked where the first does not tell."""
        for place, each in enumerate(node.values):
            self._calls(each, names, made)
            if not any(self._calls_itself(one) for one in node.values[place + 1 :]):
                return
            value = self._value(each, names)
            if value is UNKNOWN:
                self._not_told()
            if bool(value) == isinstance(node.op, ast.Or):
                return

    def _calls_itself(self, node: ast.AST) -> bool:
        """Whether a call of itself stands in something."""
        found = self._within.get(id(node))
        if found is None:
            found = any(isinstance(one, ast.Call) and self._itself(one.func) for one in ast.walk(node))
            self._within[id(node)] = found
        return found

    def _run_of(self, call: ast.Call, names: Mapping[str, Any]) -> Tally | None:
        """What is known of a call of itself; None where that is for later."""
        given = tuple(self._arguments(call, names))
        if given not in self._known:
            if self._lacking and UNKNOWN in given:  # which another run may tell
                raise _Ahead
            self._lacking[given] = None
        return self._known.get(given)

    def _arguments(self, call: ast.Call, names: Mapping[str, Any]) -> Iterator[Any]:
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
        if isinstance(node, ast.Call) and self._itself(node.func):
            found = self._run_of(node, names)
            return UNKNOWN if found is None else found.gives
        if isinstance(node, ast.IfExp):
            test = self._value(node.test, names)
            return UNKNOWN if test is UNKNOWN else self._value(node.body if test else node.orelse, names)
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
            return self._each(node, names)
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

    def _each(self, node: ast.BoolOp, names: Mapping[str, Any]) -> list[Any]:
        """What `a or b` is made of, as far as it is asked for."""
        found = list[Any]()
        for one in node.values:
            if UNKNOWN in found and self._calls_itself(one):
                return found
            value = self._value(one, names)
            if value is not UNKNOWN and bool(value) == isinstance(node.op, ast.Or):
                return [value]
            found.append(value)
        return found

    def _made(self, node: ast.AST, parts: list[Any]) -> Any:
        if isinstance(node, ast.BoolOp):
            either = isinstance(node.op, ast.Or)
            return next((one for one in parts if bool(one) == either), parts[-1])
        if isinstance(node, ast.UnaryOp):
            return not parts[0] if isinstance(node.op, ast.Not) else -parts[0]
        if isinstance(node, ast.Subscript):
            whole, *places = parts
            return whole[places[0] : places[1]] if len(places) > 1 else whole[places[0]]
        if isinstance(node, ast.Call):
            return _FUNCTIONS[ast.unparse(node.func)](*parts)
        return _OPERATORS[type(node.op if isinstance(node, ast.BinOp) else node.ops[0])](*parts)  # type: ignore[attr-defined]
