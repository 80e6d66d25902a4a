"""Functions that go one level further each time they call themselves, down to nothing or up to all there is: all
orders, all subsets, all boards. Nothing is known of values here.

Of `def place(row): if row == n: …; for c in range(n): if free(c): place(row + 1)` the level is `row`, it ends at `n`,
and what a level calls follows from the loop around the call and from what is asked before.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from forerun.tasks._shapes import isolates, measured, stepping

Through = ast.For | ast.comprehension
Loop = Through | ast.While
_LEAVES = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_ADDING, _TAKING = frozenset("append add push".split()), frozenset("pop remove discard popleft".split())
_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip
_BOUND = ("staticmethod", "classmethod")
"""What only says of what a function is given."""
_PRUNED, _ON, _SOON, _DEEPEST = 0.62, 0.9, 0.4, 200.0
"""To which power of all that a board may hold a search comes that asks whether each is allowed (queens on boards of 4
to 14 rows), which share goes on of what is asked for once, to which power of all a search comes that ends with the
first one found, and levels at most."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where a function calls itself."""

    call: ast.Call
    loops: tuple[Loop, ...] = ()
    tests: tuple[tuple[ast.expr, bool], ...] = ()
    """What is asked before, and what the answer is where it goes on."""
    first: bool = False
    """Whether nothing else is tried once it succeeds."""
    block: tuple[ast.stmt, ...] = ()
    """What is done before it, in the same block."""


@dataclass(frozen=True, slots=True)
class Level:
    """What goes further by so much in each call; of a list its length."""

    name: str
    steps: tuple[int, ...]
    listed: bool = False

    @property
    def by(self) -> int:
        """Up or down."""
        return 1 if self.steps[0] > 0 else -1


@dataclass(frozen=True, slots=True)
class End:
    """A test that the last level answers in this way, and with what it compares the level: from so much more than that
    on, or less, there is nothing left to do."""

    test: ast.expr
    holds: bool
    limit: ast.expr
    more: int = 0
    beside: tuple[ast.expr, ...] = ()
    """What the test asks as well: what goes on asks it too."""


CHOSEN, ALL = Level("", (1,)), End(ast.Constant(None), True, ast.Constant(None))
"""Of a function that chooses among what comes behind what it has chosen: as many levels as there are to choose from."""


@dataclass(slots=True)
class Counts:
    """How often a function runs, and its loops go round, in all levels together."""

    within: float = 0.0
    """Calls that go further."""
    last: float = 0.0
    """Those that do not."""
    rounds: dict[int, float] = field(default_factory=dict)
    """Of loops, by their identity."""
    tried: dict[int, float] = field(default_factory=dict)
    """How often each call may be made, by its identity, and how often it is."""
    made: dict[int, float] = field(default_factory=dict)
    low: float = math.inf
    high: float = -math.inf

    @property
    def calls(self) -> float:
        return self.within + self.last

    def add(self, other: Counts, of: int) -> None:
        """One of so many that there may be."""
        self.within, self.last = self.within + other.within / of, self.last + other.last / of
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        for own, more in ((self.rounds, other.rounds), (self.tried, other.tried), (self.made, other.made)):
            for key, many in more.items():
                own[key] = own.get(key, 0.0) + many / of


def ways(node: ast.FunctionDef, calls: Sequence[ast.Call], ends: End | None = None) -> list[Way]:
    """All of these calls; what ends the last level is no test."""
    return [*_ways(node.body, Way(calls[0]), calls, ends)] if calls else []


def _asks(test: ast.expr, holds: bool, ends: End | None) -> tuple[tuple[ast.expr, bool], ...]:
    """What is asked where a test is answered so: of what ends the last level all else."""
    if ends is None or test is not ends.test:
        return ((test, holds),)
    return tuple((one, holds) for one in ends.beside) if holds != ends.holds else ()


def _ways(body: Sequence[ast.stmt], around: Way, calls: Sequence[ast.Call], ends: End | None) -> Iterator[Way]:
    for place, each in enumerate(body):
        here = replace(around, block=(*around.block, *body[:place]))
        if isinstance(each, ast.If):
            first = bool(each.body) and isinstance(each.body[-1], (ast.Return, ast.Break))
            yield from _inside(each.test, replace(here, first=here.first or first), calls)
            for branch, holds in ((each.body, True), (each.orelse, False)):
                asked = here.tests + _asks(each.test, holds, ends)
                yield from _ways(branch, replace(here, tests=asked), calls, ends)
            if each.body and isinstance(each.body[-1], _LEAVES):
                around = replace(around, tests=around.tests + _asks(each.test, False, ends))
        elif isinstance(each, ast.For):
            yield from _inside(each.iter, here, calls)
            yield from _ways(each.body, replace(here, loops=(*here.loops, each)), calls, ends)
        elif isinstance(each, ast.While) and through_bits(each):
            yield from _ways(each.body, replace(here, loops=(*here.loops, each)), calls, ends)
        elif isinstance(each, ast.With):
            yield from _ways(each.body, here, calls, ends)
        elif not isinstance(each, (ast.FunctionDef, ast.ClassDef, ast.While)):
            yield from _inside(
                each, replace(here, first=here.first or _ends_with(each, body[place + 1 :])), calls, ends
            )


def through_bits(loop: ast.While) -> bool:
    """`while free: bit = free & -free; free ^= bit`, `while free: …; free &= free - 1`."""
    tested = {one.id for one in ast.walk(loop.test) if isinstance(one, ast.Name)}
    steps = [step for stmt in loop.body for one in ast.walk(stmt) for step in stepping(one)]
    clears = (f"{name} & {name} - 1" for name in tested)
    return any(isolates(value) for _, value in steps) or any(
        name in tested and ast.unparse(value).replace("(", "").replace(")", "") in clears for name, value in steps
    )


def allowed(wide: float, done: float) -> float:
    """Of so many places how many a search tries after so many levels that tries none that is not allowed."""
    return float(max(wide - done, 1.0) ** _PRUNED)


def _ends_with(made: ast.stmt, behind: Sequence[ast.stmt]) -> bool:
    """`found = tried(i + 1); if found: return found`."""
    name = ast.unparse(made.targets[0]) if isinstance(made, ast.Assign) else ""
    for each in behind[:1]:
        if name and isinstance(each, ast.If) and each.body and isinstance(each.body[-1], (ast.Return, ast.Break)):
            return ast.unparse(each.test) in (name, f"{name} is not None", f"{name} != None", f"not {name} is None")
    return False


def _inside(node: ast.AST, around: Way, calls: Sequence[ast.Call], ends: End | None = None) -> Iterator[Way]:
    """Those in an expression, or a statement that is none of several."""
    own, stack = {id(one) for one in calls}, [(node, around)]
    while stack:
        one, way = stack.pop()
        if id(one) in own and isinstance(one, ast.Call):
            yield replace(way, call=one)
        if isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            asks = tuple((test, True) for each in one.generators for test in each.ifs)
            way = replace(way, loops=(*way.loops, *one.generators), tests=(*way.tests, *asks))
        if isinstance(one, ast.IfExp):
            for branch, holds in ((one.orelse, False), (one.body, True)):
                stack.append((branch, replace(way, tests=way.tests + _asks(one.test, holds, ends))))
            stack.append((one.test, way))
        else:
            stack += [(each, way) for each in reversed([*ast.iter_child_nodes(one)])]


def levels(node: ast.FunctionDef, found: Sequence[Way]) -> list[Level]:
    """What all calls take further, in the same direction: what falls first."""
    arguments = node.args.args
    own = bool(arguments) and arguments[0].arg in ("self", "cls")
    given = dict[str, ast.expr]()
    for one in ast.walk(node):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            given.setdefault(one.targets[0].id, one.value)
    made = list[Level]()
    for place, each in enumerate(arguments):
        parts = [_argument(way.call, place - (own and isinstance(way.call.func, ast.Attribute))) for way in found]
        for listed in (False, True):
            steps = tuple(
                _grown(way, part, each.arg, given) if listed else _step(part, each.arg)
                for way, part in zip(found, parts, strict=True)
            )
            if _alike(steps):
                made.append(Level(each.arg, steps, listed))
                break
    asked = (measured(one) for one in ast.walk(node) if isinstance(one, ast.Call))
    for name in sorted({ast.unparse(one) for one in asked if one is not None} - {one.name for one in made}):
        steps = tuple(_moved(way.block, name) for way in found)
        if _alike(steps) and steps[0] > 0:
            made.append(Level(name, steps, True))
    return sorted(made, key=lambda one: one.by)


def _alike(steps: Sequence[int]) -> bool:
    """Whether all go in the same direction."""
    return bool(steps) and (all(step < 0 for step in steps) or all(step > 0 for step in steps))


def _argument(call: ast.Call, place: int) -> ast.expr | None:
    part = call.args[place] if 0 <= place < len(call.args) else None
    return None if any(isinstance(one, ast.Starred) for one in call.args) else part


def _step(part: ast.expr | None, name: str) -> int:
    """By how much a call makes a number more, or less: `n - 1`."""
    if not (isinstance(part, ast.BinOp) and isinstance(part.left, ast.Name) and isinstance(part.right, ast.Constant)):
        return 0
    by = part.right.value if part.left.id == name and isinstance(part.right.value, int) else 0
    return by if isinstance(part.op, ast.Add) else -by if isinstance(part.op, ast.Sub) else 0


def _grown(way: Way, part: ast.expr | None, name: str, given: Mapping[str, ast.expr]) -> int:
    """By how much a call makes a list longer, or shorter; 0 where that is not told."""
    if not isinstance(part, ast.Name):
        return _longer(part, name) if part is not None else 0
    moved = _moved(way.block, part.id)
    if part.id == name:
        return moved
    source = given.get(part.id)
    if source is None:
        return 0
    return moved if moved and _copies(source, name) else _longer(source, name)


def _moved(block: Sequence[ast.stmt], name: str) -> int:
    """Whether a list has one more, or one less, by the first thing that is done to it."""
    for one in (each for stmt in block for each in ast.walk(stmt)):
        if isinstance(one, ast.Delete) and ast.unparse(one.targets[0]).startswith(f"{name}["):
            return -1
        function = one.func if isinstance(one, ast.Call) else None
        if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != name:
            continue
        if function.attr in _ADDING | _TAKING:
            return 1 if function.attr in _ADDING else -1
    return 0


def paths(node: ast.FunctionDef) -> list[ast.expr]:
    """Lists that one more is put into before a function calls itself, and taken out of behind that."""
    added, taken = dict[str, ast.expr](), set[str]()
    for one in ast.walk(node):
        if isinstance(one, ast.Delete) and isinstance(one.targets[0], ast.Subscript):
            taken.add(ast.unparse(one.targets[0].value))
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            if one.func.attr in _ADDING:
                added[ast.unparse(one.func.value)] = one.func.value
            elif one.func.attr in _TAKING:
                taken.add(ast.unparse(one.func.value))
    return [one for name, one in added.items() if name in taken]


def _copies(source: ast.expr, name: str) -> bool:
    """`name`, `list(name)`, `name[:]`, `name.copy()`."""
    return ast.unparse(source) in (name, f"list({name})", f"{name}[:]", f"{name}.copy()", f"[*{name}]", f"set({name})")


def _longer(part: ast.expr, name: str) -> int:
    """How much longer than the list of this name one is that is made of it: `name[1:]`, `name[:i] + name[i + 1:]`,
    `[x for x in name if x != y]`, `name + [x]`, `[*name, x]`."""
    if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) and ast.unparse(part.value) == name:
        low, high = part.slice.lower, part.slice.upper
        if isinstance(low, ast.Constant) and isinstance(low.value, int) and high is None:
            return -low.value
        return -1 if low is None and high is not None and ast.unparse(high) in ("-1", f"len({name}) - 1") else 0
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
        sides = (part.left, part.right)
        if all(isinstance(side, ast.Subscript) and ast.unparse(side.value) == name for side in sides):
            return -1
        return len(part.right.elts) if isinstance(part.right, (ast.List, ast.Tuple)) and _copies(part.left, name) else 0
    if isinstance(part, (ast.ListComp, ast.SetComp)) and len(part.generators) == 1:
        over = part.generators[0]
        same = ast.unparse(over.iter) in (name, f"enumerate({name})", f"range(len({name}))")
        test = over.ifs[0] if len(over.ifs) == 1 else None
        return -1 if same and isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotEq, ast.IsNot)) else 0
    if isinstance(part, (ast.List, ast.Tuple)):
        stars = [ast.unparse(one.value) for one in part.elts if isinstance(one, ast.Starred)]
        return len(part.elts) - 1 if stars == [name] else 0
    return -1 if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub) and ast.unparse(part.left) == name else 0


def ends(node: ast.FunctionDef, level: Level, calls: Sequence[ast.Call]) -> Iterator[End]:
    """Tests that may end the last level: behind those it is left, or all calls stand in one of their branches."""
    for one in ast.walk(node):
        left = isinstance(one, ast.If) and bool(one.body) and isinstance(one.body[-1], _LEAVES)
        if isinstance(one, (ast.If, ast.IfExp)) and (left or any(each in calls for each in ast.walk(one))):
            both = one.test if isinstance(one.test, ast.BoolOp) else None
            for test in both.values if both else [one.test]:
                for end in _ends(one.test, test, level):
                    if both is None:
                        yield end
                    elif isinstance(both.op, ast.Or) == end.holds:
                        yield replace(end, beside=tuple(other for other in both.values if other is not test))


def _ends(whole: ast.expr, test: ast.expr, level: Level) -> Iterator[End]:
    turned, falls = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not), level.by < 0
    plain = test.operand if turned and isinstance(test, ast.UnaryOp) else test
    if falls and ast.unparse(plain) in (level.name, f"len({level.name})"):  # `if not rest: return`
        yield End(whole, turned, ast.Constant(0))
    if not (isinstance(plain, ast.Compare) and len(plain.ops) == 1):
        return
    kind, right = type(plain.ops[0]), plain.comparators[0]
    for left, other, asks in ((plain.left, right, kind), (right, plain.left, _MIRRORED.get(kind, kind))):
        own = measured(left) if level.listed else left
        if own is None or ast.unparse(own) != level.name:
            continue
        if asks not in (*_MIRRORED, ast.Eq, ast.NotEq):
            continue
        holds = asks is ast.Eq or (asks is not ast.NotEq and (asks in (ast.Lt, ast.LtE)) == falls)
        beyond = asks in ((ast.Lt, ast.GtE) if falls else (ast.Gt, ast.LtE))
        yield End(whole, holds != turned, other, level.by * beyond)


def chosen(way: Way, node: ast.FunctionDef) -> tuple[Through, int] | None:
    """The loop that begins where the one a level above was, `for i in range(start, n): found(i + 1)`, and by how much
    further; None of others."""
    own = bool(node.args.args) and node.args.args[0].arg in ("self", "cls") and isinstance(way.call.func, ast.Attribute)
    for loop in way.loops:
        if isinstance(loop, ast.While):
            continue
        place, over = ast.unparse(loop.target), loop.iter
        for at, each in enumerate(node.args.args):
            part = _argument(way.call, at - own)
            begins = isinstance(over, ast.Call) and len(over.args) > 1 and ast.unparse(over.args[0]) == each.arg
            if begins and part is not None and ast.unparse(part) in (place, f"{place} + 1"):
                return loop, int(ast.unparse(part) != place)
            first = place.strip("()").partition(",")[0]
            text = ast.unparse(part) if part is not None else ""
            through = ast.unparse(over) in (f"enumerate({each.arg})", f"range(len({each.arg}))")
            if through and text in (f"{each.arg}[{first}:]", f"{each.arg}[{first} + 1:]"):
                return loop, int(text.endswith("+ 1:]"))
    return None


def remembers(node: ast.FunctionDef) -> bool:
    """Whether a function gives what it kept, where it has kept it."""
    kept = {
        ast.unparse(target.value) for one in ast.walk(node) if isinstance(one, ast.Assign)
        for target in one.targets if isinstance(target, ast.Subscript)
    }  # fmt: skip
    for one in (each for each in ast.walk(node) if isinstance(each, ast.If)):
        asked = {ast.unparse(each) for each in ast.walk(one.test) if isinstance(each, (ast.Name, ast.Attribute))}
        given = [
            stmt.value for stmt in one.body if isinstance(stmt, ast.Return) and stmt.value is not None
            and not isinstance(stmt.value, ast.Constant)
        ]  # fmt: skip
        if given and kept & asked:
            return True
    return marked(node)


def marked(node: ast.FunctionDef) -> bool:
    """Whether something else stands in the place of a function, as `lru_cache` does."""
    return any(getattr(mark, "id", "") not in _BOUND for mark in node.decorator_list)


def marks(way: Way) -> bool:
    """Whether all that is asked is whether one is taken already: `if used[i]: continue`, `if x not in path`."""
    loop = way.loops[-1] if way.loops else None
    if len(way.tests) != 1 or loop is None or isinstance(loop, ast.While):
        return False
    test = way.tests[0][0]
    test = test.operand if isinstance(test, ast.UnaryOp) else test
    place = ast.unparse(loop.target)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return ast.unparse(test.left) == place
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        test = test.left
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitAnd):  # `used & 1 << i`
        return place in {ast.unparse(one) for one in ast.walk(test.right)}
    return isinstance(test, ast.Subscript) and ast.unparse(test.slice) == place


def _going(way: Way, wide: float, done: float, deep: float, picks: bool) -> float:
    """Of so many that a level tries, `done` levels behind the first of `deep` in all, how many go on."""
    if not way.tests or any(isinstance(loop, ast.While) for loop in way.loops):
        return wide
    if not way.loops:
        return _ON
    if marks(way):
        return max(wide - done, 0.0)
    if picks:
        return float(wide**_PRUNED)
    return allowed(wide, done) if deep <= wide else math.sqrt(wide)


def counts(
    found: Sequence[Way], level: Level, start: int, end: int, wide: Mapping[int, Mapping[int, float]],
    picks: Collection[int] = (), drawn: Mapping[int, float] | None = None,
) -> Counts | None:  # fmt: skip
    """All levels from one number to another, where each loop goes round so often in each level, by its identity; None
    where there are too many. Calls that are `picks`, by their identity, go on behind what was chosen; of those that
    are `drawn` this share is made."""
    by = level.by
    deep = (end - start) * by / min(map(abs, level.steps))
    if not 0 < deep <= _DEEPEST:
        return None
    made, waiting = Counts(low=min(start, end), high=max(start, end)), {start: 1.0}
    for at in range(start, end + by * max(map(abs, level.steps)), by):
        many = waiting.pop(at, 0.0)
        if (at - end) * by >= 0:
            made.last += many
            continue
        made.within += many
        for loops in {way.loops[: k + 1]: None for way in found for k in range(len(way.loops))}:
            each = many * math.prod(wide[id(loop)][at] for loop in loops)
            made.rounds[id(loops[-1])] = made.rounds.get(id(loops[-1]), 0.0) + each
        for way, step in zip(found, level.steps, strict=True):
            tried = math.prod(wide[id(loop)][at] for loop in way.loops)
            told = (drawn or {}).get(id(way.call))
            goes = _going(way, tried, float((at - start) * by), deep, id(way.call) in picks)
            goes = many * (goes if told is None else tried * told)
            made.tried[id(way.call)] = made.tried.get(id(way.call), 0.0) + many * tried
            made.made[id(way.call)] = made.made.get(id(way.call), 0.0) + goes
            waiting[at + step] = waiting.get(at + step, 0.0) + goes
    return made


def soon(many: float, found: Sequence[Way]) -> float:
    """Of so many calls how many a search makes that ends with the first that it finds: half of them where it asks
    nothing on the way but what is taken already."""
    return many / 2 if all(not way.tests or marks(way) for way in found) else many**_SOON
