"""How often a function runs that calls itself, where nothing but what it is given tells whether it does:
`def part(n, m): if n < 0 or m == 0: …; return part(n - m, m) + part(n, m - 1)`. It is gone through once for all that it
may be given.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from forerun.tasks._lengths import PLAIN, Many, altered, compared, joined, long_of, moved, through
from forerun.tasks._shapes import stored

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
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len, "min": min, "max": max, "abs": abs, "list": through, "tuple": through, "sorted": through,
    "reversed": through, "range": lambda *ends: through(range(*ends)), "enumerate": through,
    "_tongue.filled": lambda many, *_: Many(max(many, 0)),
}  # fmt: skip
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


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
    longs: dict[str, float] = field(default_factory=dict)
    """How long the lists are together that each run is given, by their names."""
    gives: Any = None

    def add(self, other: Tally, times: float = 1.0) -> None:
        """So many times as well."""
        self.runs += other.runs * times
        for own, more in (
            (self.asked, other.asked), (self.holds, other.holds), (self.rounds, other.rounds), (self.begun, other.begun)
        ):  # fmt: skip
            for key, many in more.items():
                own[key] = own.get(key, 0.0) + many * times
        for name, long in other.longs.items():
            self.longs[name] = self.longs.get(name, 0.0) + long * times


class Skeleton:
    """A function, without what it makes: which names it is given, and those that are the same all the time."""

    def __init__(self, node: ast.FunctionDef, itself: Callable[[ast.expr], bool], around: Mapping[str, Any]) -> None:
        self._node, self._itself = node, itself
        self._names = [each.arg for each in node.args.args]
        self._altered = altered(node)
        self._around = {key: value for key, value in around.items() if key not in self._altered}
        self._steps = 0
        self._known = dict[Given, Tally]()
        self._within = dict[int, bool]()
        """Whether parts of it call it, by their identity."""
        self._making = dict[int, list[ast.ListComp]]()
        """Comprehensions in parts that do not."""
        self._lacking = dict[Given, None]()
        """What it is given by the run that is under way, where nothing is known of that."""

    def tally(self, given: Given) -> Tally:
        """All that follows from this. Raises NotToldError."""
        given = tuple(self._as_given(name, one) for name, one in zip(self._names, given, strict=True))
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
        longs = {name: long for name, one in zip(self._names, given, strict=True) if (long := long_of(one)) is not None}
        made = Tally(longs={name: float(long) for name, long in longs.items()})
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
            if isinstance(each, ast.If) and self._aside(each, names):
                self._blank(each, names)
            elif isinstance(each, ast.If):
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

    def _as_given(self, name: str, value: Any) -> Any:
        """What a run is given: how long a list is that it alters nobody knows."""
        return UNKNOWN if name in self._altered and long_of(value) is not None else value

    def _aside(self, node: ast.If, names: dict[str, Any]) -> bool:
        """Whether nobody knows what a test gives, which decides nothing here: all goes on behind it."""
        inside = [one for stmt in (*node.body, *node.orelse) for one in ast.walk(stmt)]
        if self._calls_itself(node) or any(isinstance(one, _LEAVING) for one in inside):
            return False
        return self._value(node.test, names) is UNKNOWN

    def _blank(self, node: ast.AST, names: dict[str, Any]) -> None:
        """What something may give a name, or alter, is not told behind it."""
        names |= dict.fromkeys(stored([node]) | altered(node), UNKNOWN)

    def _go_round(self, loop: ast.For, names: dict[str, Any], made: Tally) -> bool:
        """Whether what stands behind a loop is come to."""
        self._calls(loop.iter, names, made)
        rounds = self._through(loop.iter, names)
        made.begun[id(loop)] = made.begun.get(id(loop), 0.0) + 1.0
        made.rounds[id(loop)] = made.rounds.get(id(loop), 0.0) + len(rounds)
        if isinstance(rounds, Many) and not any(map(self._calls_itself, loop.body)):
            self._all_alike(loop, rounds, names, made)
            return True
        if len(rounds) > _ROUNDS:
            self._not_told()
        for place, one in enumerate(range(len(rounds)) if isinstance(rounds, Many) else rounds):
            self._bind(loop.target, loop.iter, place, _one(rounds, one), names)
            if not self._run(loop.body, names, made):
                made.rounds[id(loop)] += place + 1.0 - len(rounds)
                return False
        return True

    def _through(self, over: ast.expr, names: Mapping[str, Any]) -> Any:
        """What a loop goes through: a list, or how long it is. Raises NotToldError, _Ahead."""
        found = self._value(over, names)
        if long_of(found) is None and not isinstance(found, str):
            self._not_told()
        return found

    def _bind(self, target: ast.expr, over: ast.expr, place: int, one: Any, names: dict[str, Any]) -> None:
        """Names of a loop; of `enumerate` the first one counts."""
        self._blank(target, names)
        if isinstance(target, ast.Name):
            names[target.id] = one
        elif isinstance(target, ast.Tuple) and isinstance(over, ast.Call) and ast.unparse(over.func) == "enumerate":
            for name, each in zip(target.elts, (place, one), strict=False):
                if isinstance(name, ast.Name):
                    names[name.id] = each

    def _all_alike(self, loop: ast.For, rounds: Many, names: dict[str, Any], made: Tally) -> None:
        """Goes through all rounds of a loop at once that are told by none of what it goes through: each adds as many to
        a list as another one. Raises NotToldError, _Ahead."""
        if not (many := len(rounds)):
            return
        grows = {one.target.id for one in ast.walk(loop) if isinstance(one, ast.AugAssign)
                 and isinstance(one.op, ast.Add) and isinstance(one.target, ast.Name)}  # fmt: skip
        first = {key: one for key, one in names.items() if key in grows and long_of(one) is not None}
        kept = first | {key: one for key, one in names.items() if key in altered(loop)}
        self._blank(loop, names)
        names |= kept
        if isinstance(loop.target, ast.Name):
            names[loop.target.id] = _one(rounds)
        before, once = dict(names), Tally(0.0)
        if not self._run(loop.body, names, once):
            self._not_told()
        second = dict(names)
        self._run(loop.body, second, Tally(0.0))
        for key, one in names.items():
            longs = [long_of(each.get(key)) for each in (before, names, second)]
            start, further, last = (-1 if one is None else one for one in longs)
            if min(start, further, last) >= 0 and further - start == last - further:
                whole = start + (further - start) * many
                names[key] = one if further == start else Many(whole, second[key].one)
            elif one is not before.get(key) and one != before.get(key):
                names[key] = UNKNOWN
        made.add(once, many)

    def _comprehends(self, node: ast.AST, names: dict[str, Any], made: Tally) -> None:
        """Counts the rounds of comprehensions in an expression that does not call it, where these are told."""
        if id(node) not in self._making:
            self._making[id(node)] = [one for one in ast.walk(node) if isinstance(one, ast.ListComp)]
        for one in self._making[id(node)]:
            once = Tally(0.0)
            with suppress(NotToldError):
                self._comprehended(one, 0, dict(names), once)
                made.add(once)

    def _comprehended(self, node: ast.ListComp, place: int, names: dict[str, Any], made: Tally) -> int:
        """How many a comprehension makes from one of its loops on. Raises NotToldError, _Ahead."""
        if place == len(node.generators):
            self._calls(node.elt, names, made)
            return 1
        over = node.generators[place]
        self._calls(over.iter, names, made)
        rounds = self._through(over.iter, names)
        many, count = len(rounds), 0
        made.begun[id(over)] = made.begun.get(id(over), 0.0) + 1.0
        made.rounds[id(over)] = made.rounds.get(id(over), 0.0) + many
        alike = isinstance(rounds, Many)
        inside = (
            node.elt,
            *over.ifs,
            *(one for each in node.generators[place + 1 :] for one in (each.iter, *each.ifs)),
        )
        if alike and not any(map(self._calls_itself, inside)):
            once = Tally(0.0)
            self._bind(over.target, over.iter, 0, _one(rounds), names)
            if many and all(self._asked(test, names, once) for test in over.ifs):
                count = many * self._comprehended(node, place + 1, names, once)
            made.add(once, many)
            return count
        if many > _ROUNDS:
            self._not_told()
        for at, one in enumerate(range(many) if alike else rounds):
            self._bind(over.target, over.iter, at, _one(rounds, one), names)
            if all(self._asked(test, names, made) for test in over.ifs):
                count += self._comprehended(node, place + 1, names, made)
        return count

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
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):  # another one in its place
                owner = names.get(target.value.id)
                names |= {target.value.id: Many(len(owner))} if isinstance(owner, tuple) else {}
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name):  # two names of one
            both = {each.value.id, *(one.id for one in each.targets if isinstance(one, ast.Name))}
            if both & self._altered and long_of(names.get(each.value.id)) is not None:
                names |= dict.fromkeys(both, UNKNOWN)
        for call in (one for one in ast.walk(each) if isinstance(one, ast.Call)):
            self._alter(call, names)

    def _alter(self, call: ast.Call, names: dict[str, Any]) -> None:
        """What a call does to lists, its own or those that it is given."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and long_of(names.get(owner.id)) is not None:
            given = [self._value(one, names) for one in call.args]
            names[owner.id] = moved(names[owner.id], ast.unparse(call.func).rpartition(".")[2], given, UNKNOWN)
        if self._itself(call.func):
            gone = [one for name, one in zip(self._names, call.args, strict=False) if name in self._altered]
        else:
            gone = [] if ast.unparse(call.func) in PLAIN or owner is not None else call.args
        for one in gone:
            if isinstance(one, ast.Name) and isinstance(names.get(one.id), Many):
                names[one.id] = UNKNOWN

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
        if node is None or isinstance(node, ast.Lambda):
            return
        if not self._calls_itself(node):
            self._comprehends(node, names, made)
            return
        if isinstance(node, ast.IfExp):
            self._calls(node.body if self._asked(node.test, names, made) else node.orelse, names, made)
            return
        if isinstance(node, ast.BoolOp):
            self._in_turn(node, names, made)
            return
        if isinstance(node, ast.ListComp):
            self._comprehended(node, 0, dict(names), made)
            return
        if isinstance(node, (ast.GeneratorExp, ast.SetComp, ast.DictComp)):
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
        for name, each in zip(self._names, given, strict=False):
            yield self._as_given(name, self._value(each, names))

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
        if isinstance(node, (ast.List, ast.Tuple)):
            return joined([(isinstance(one, ast.Starred), self._value(one, names)) for one in node.elts], UNKNOWN)
        if isinstance(node, ast.Starred):
            return self._value(node.value, names)
        if isinstance(node, ast.ListComp):
            try:
                return Many(self._comprehended(node, 0, dict(names), Tally()))
            except NotToldError:
                return UNKNOWN
        parts = self._parts(node, names)
        if parts is None or any(one is UNKNOWN for one in parts):
            return UNKNOWN
        try:
            found = self._made(node, parts)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return UNKNOWN
        large = isinstance(found, (int, float)) and abs(found) > _LARGE
        if isinstance(found, tuple) and len(found) > _LONG:
            return Many(len(found))
        return UNKNOWN if large or (isinstance(found, str) and len(found) > _LONG) else found

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
            if isinstance(whole, Many):
                return Many(len(range(len(whole))[places[0] : places[1]])) if len(places) > 1 else UNKNOWN
            return whole[places[0] : places[1]] if len(places) > 1 else whole[places[0]]
        if isinstance(node, ast.Call):
            return _FUNCTIONS[ast.unparse(node.func)](*parts)
        if any(isinstance(one, Many) for one in parts):
            if isinstance(node, ast.Compare):
                return compared(node.ops[0], parts[0], parts[1], UNKNOWN)
            return _put_together(node, parts)
        return _OPERATORS[type(node.op if isinstance(node, ast.BinOp) else node.ops[0])](*parts)  # type: ignore[attr-defined]


def _one(rounds: Any, one: Any = UNKNOWN) -> Any:
    """An element of what a loop goes through, or what all of them are alike."""
    return one if not isinstance(rounds, Many) else UNKNOWN if rounds.one is None else rounds.one


def _put_together(node: ast.AST, parts: list[Any]) -> Any:
    """What an operator makes of two, one of which is a list of which only the length is told."""
    one, other = (len(each) if isinstance(each, str) else long_of(each) for each in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and one is not None and other is not None:
        return Many(one + other)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and any(isinstance(x, int) for x in parts):
        return Many(max((one or 0) * parts[1] if one is not None else (other or 0) * parts[0], 0))
    return UNKNOWN
