"""How often functions of a plain Python program run that go one level further each time they call themselves, for
`forerun.tasks._walked`, by what `forerun.tasks._levels` sees in their text.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from forerun.tasks import _levels as levels
from forerun.tasks import _shapes as shapes
from forerun.tasks._figures import number
from forerun.tasks._inputs import Input
from forerun.tasks._lengths import Many, long_of, one_of
from forerun.tasks._objects import MANY, Boxes, Number, Passing, Written, power
from forerun.tasks._shapes import called
from forerun.tasks._skeletons import UNKNOWN, NotToldError, Skeleton, Tally
from forerun.tasks._speeds import PYTHON
from forerun.tasks._tests import Tests

STATES = 3e6
"""States of a search, at most."""
_CALLS = 1e13
"""How often a function runs, at most."""
_SEVERAL, _DEEPER = 16, 64
"""Different first levels that are looked at, and levels whose loops are."""
_ALONE, _ELEMENTS = 1e-6, 1e6
"""By how much a number may be off that is a whole one, and elements of a list at most."""
_PATH = 64.0
"""Elements of a list that has one for each level, at most."""
_PATIENT, _PRUNED, _BOUND = 1e3, 0.85, 0.5
"""How many times as many states as anybody waits for there may be, of which a search leaves out most, and to which
power of these it comes then: one that tries several each time, and one that takes something or does not."""


class Descending(Tests):
    """What calls itself one level further."""

    def __init__(self, module: ast.Module, given: Input) -> None:
        super().__init__(module, given)
        self._calls = list[tuple[ast.AST, float]]()
        """Functions that are under way, and how often."""
        self._within = dict[int, list[ast.AST]]()
        self.recurring = set[int]()
        """Functions that call themselves as often as is told, by their identity."""
        self._exactly = dict[int, set[int]]()
        """What is told of those that were given what is known to the last."""
        self.gathered = dict[int, Many]()
        """The lists that these give when others call them, where it is told how long they are."""

    def everything(self, node: ast.AST) -> list[ast.AST]:
        """All that stands in a function, which is gone through again and again."""
        if id(node) not in self._within:
            self._within[id(node)] = [*ast.walk(node)]
        return self._within[id(node)]

    @property
    def states(self) -> float:
        """How many times a function may call itself, at most, that somebody waits for."""
        return STATES * PYTHON.followed / self.tempo.followed

    def counted_runs(self, node: ast.FunctionDef, frame: dict[str, Any]) -> float:
        """How often a function runs that calls itself each time that another one calls it; 0 where that is not told."""
        if sum(each is node for each, _ in self._calls) > 1:
            return 0.0
        calls = [one for one in self.everything(node) if isinstance(one, ast.Call) and itself(one.func, node.name)]
        for key in self._exactly.pop(id(node), ()):  # what was so the last time says nothing of this one
            self.told.pop(key, None)
            self.recurring.discard(id(node))
        self.gathered.pop(id(node), None)
        if not calls or levels.remembers(node):
            return 0.0
        count = self._by_all(node, frame) or self._by_levels(node, frame, calls)
        for path in levels.paths(node) if count else ():
            with self.hardly():
                box = self.value(path)
            if isinstance(box, Boxes) and box.kind == "list" and box.of is None:
                box.bound = min(box.bound, max(2 * box.entries, _PATH))
        return count

    def _by_levels(self, node: ast.FunctionDef, frame: dict[str, Any], calls: Sequence[ast.Call]) -> float:
        """The same of one that goes by levels."""
        found = levels.ways(node, calls)
        loops = [loop for way in found for loop in way.loops]
        if len(found) < len(calls) or len(loops) + len(found) < 2:
            return 0.0
        if any(best_first(loop, calls) for loop in loops if isinstance(loop, ast.For)):
            self.guess(node.lineno)
            return 0.0
        picks = all(levels.chosen(way, node) for way in found)
        several = [(level, end) for level in levels.levels(node, found) for end in levels.ends(node, level, calls)]
        for level, end in several or ([(levels.CHOSEN, levels.ALL)] if picks else []):
            found = [
                replace(way, tests=tuple(one for one in way.tests if not self._given(one[0])))
                for way in levels.ways(node, calls, end)
            ]
            before, flying = dict(frame), len(self.flight)
            with self.hardly():
                counted = self._all_levels(node, frame, level, end, found)
            del self.flight[flying:]
            frame.clear()
            frame |= before
            if counted.calls > 1:
                if level.name in frame and not level.listed:
                    frame[level.name] = number(counted.low, counted.high, counted.high - counted.low + 1)
                self._tell(end, found, counted)
                return self._runs(node, found, counted.calls)
        if loops:  # whether it is come to or not
            self.guess(node.lineno)
        return 0.0

    def _by_all(self, node: ast.FunctionDef, frame: dict[str, Any]) -> float:
        """The same of one of which nothing but what it is given tells whether it calls itself."""
        shared = {name for one in node.body if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        used = {one.id for one in self.everything(node) if isinstance(one, ast.Name)} - shared - frame.keys()
        around = {name: one for name in used if (one := _told(self.named(name))) is not UNKNOWN}
        given = tuple(_given(frame.get(each.arg)) for each in node.args.args)
        found = self._tallied(node, given, around)
        if found is None or found.runs <= 1.0:
            return 0.0
        for test, many in found.asked.items():
            self.told[test] = found.holds[test] / many
        for loop, many in found.begun.items():
            self.told[loop] = found.rounds[loop] / many
        self.recurring.add(id(node))
        self._exactly[id(node)] = {*found.asked, *found.begun}
        if long_of(found.gives) is not None:
            self.gathered[id(node)] = Many(len(found.gives), one_of(found.gives))
        self.settled = True
        for name, one in zip((each.arg for each in node.args.args), given, strict=True):
            if isinstance(one, int) and one > 1:
                frame[name] = number(0.0, float(one), one + 1.0)
        for name, long in found.longs.items():
            if isinstance(box := frame.get(name), Boxes):
                frame[name] = _as_long(box, long / found.runs)
            elif isinstance(box, Written) and long > box.length * found.runs:  # another one each time
                frame[name] = Written("", long / found.runs, found.runs)
        return min(found.runs, _CALLS)

    @staticmethod
    def _tallied(node: ast.FunctionDef, given: Sequence[Any], around: Mapping[str, Any]) -> Tally | None:
        """What follows from what a function is given: from how long its lists and texts are, else its lists, else from
        what they have as well."""
        longs, lists = (
            tuple(Many(len(one)) if isinstance(one, kinds) else one for one in given) for kinds in ((tuple, str), tuple)
        )
        plain = tuple(UNKNOWN if isinstance(one, Many) else one for one in given)
        for each in dict.fromkeys((longs, lists, plain)):
            with suppress(NotToldError):
                return Skeleton(node, lambda function: itself(function, node.name), around).tally(each)
        return None

    def _all_levels(
        self, node: ast.FunctionDef, frame: dict[str, Any], level: levels.Level, end: levels.End,
        found: Sequence[levels.Way],
    ) -> levels.Counts:  # fmt: skip
        """All levels, in the mean of where they may begin and end; none where that is not known."""
        self._defaults_of(node, frame)
        picked = {id(way.call): one for way in found if (one := levels.chosen(way, node))}
        starts, limits = self._first_levels(frame, level, picked), _each_of(self.value(end.limit))
        if level is levels.CHOSEN:
            starts, limits = [0], starts
        cases = [(one, max(limits)) for one in starts] if len(starts) > 1 else [(s, e) for s in starts for e in limits]
        counted = levels.Counts()
        for start, most in cases if limits else ():
            if isinstance(end.limit, ast.Name) and len(limits) > 1:
                frame[end.limit.id] = Number.of(most, True)
            for stmt in node.body:
                plain = isinstance(stmt, ast.Assign) and shapes.plain(stmt.value, True)
                if plain and isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
                    frame[stmt.targets[0].id] = self.value(stmt.value)
            last = most + end.more
            wide = self._wide(frame, level, range(start, last, level.by), found, picked)
            drawn = {id(way.call): often for way in found if (often := self._by_luck(way)) is not None}
            each = levels.counts(found, level, start, last, wide, picked, drawn) if wide is not None else None
            if each is not None:
                counted.add(each, len(cases))
        return counted

    def _defaults_of(self, node: ast.FunctionDef, frame: dict[str, Any]) -> None:
        """`if n is None: n = len(rest)`."""
        for each in node.body:
            given = each.body[0] if isinstance(each, ast.If) and len(each.body) == 1 and not each.orelse else None
            name = given.targets[0] if isinstance(given, ast.Assign) else None
            if isinstance(given, ast.Assign) and isinstance(name, ast.Name) and frame.get(name.id) is None:
                frame[name.id] = self.value(given.value)

    def _first_levels(
        self, frame: Mapping[str, Any], level: levels.Level, picked: Mapping[int, tuple[levels.Through, int]]
    ) -> list[int]:
        """The first levels that there may be; of what chooses among all there is, how many these are."""
        first = frame.get(level.name)
        if level is levels.CHOSEN:
            counts = [self.through(self.value(loop.iter))[0] for loop, _ in picked.values()]
            return [round(max(many or 0.0 for many in counts))]
        if not level.listed:
            return _each_of(first)
        long = self.length(first) if first is not None or level.by < 0 else 0.0
        return [round(long)] if long is not None and long < MANY else []

    def _wide(
        self, frame: dict[str, Any], level: levels.Level, places: range, found: Sequence[levels.Way],
        picked: Mapping[int, tuple[levels.Through, int]],
    ) -> dict[int, dict[int, float]] | None:  # fmt: skip
        """How often each loop goes round in each level, by its identity; None where that is not known."""
        loops = {loop: None for way in found for loop in way.loops}
        picks = {id(loop): more for loop, more in picked.values()}
        wide = dict[int, dict[int, float]]()
        if loops and len(places) > _DEEPER:
            return None
        for loop in loops:
            own = wide[id(loop)] = {}
            for done, at in enumerate(places):
                one = getattr(frame.get(level.name), "one", None)
                frame[level.name] = Passing(float(at), one) if level.listed else Number.of(float(at), True)
                if isinstance(loop, ast.While):
                    board = levels.allowed(float(len(places)), float(done))
                    own[at] = board if level.by > 0 else math.sqrt(shapes.HALVINGS)  # of moves in so many turns
                    continue
                if (many := self.through(self.value(loop.iter))[0]) is None:
                    return None
                if id(loop) in picks:  # of so many more, as many as leave enough for the rest, the one that comes next
                    further = 0.0 if many > own.get(places[0], many) else float(-done if picks[id(loop)] else done)
                    many = max(many + further, 0.0) / (done + 1)
                own[at] = many
        return wide

    def _given(self, test: ast.expr) -> bool:
        """Whether it asks only for what is given, which is always there, or never."""
        plain = test.operand if isinstance(test, ast.UnaryOp) else test
        return isinstance(plain, ast.Name) and self.likely(plain) in (0.0, 1.0)

    def _by_luck(self, way: levels.Way) -> float | None:
        """How often what is asked before a call is so, where all of it is drawn; None of others."""
        shares = list[float]()
        for test, holds in way.tests:
            sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
            drawn = any(isinstance(one := self.value(side), Number) and one.drawn for side in sides)
            if not drawn or (often := self.likely(test)) is None:
                return None
            shares.append(often if holds else 1.0 - often)
        return math.prod(shares) if shares else None

    def _tell(self, end: levels.End, found: Sequence[levels.Way], counted: levels.Counts) -> None:
        """Keeps how tests are answered, and how often loops go round."""
        goes_on = counted.within / counted.calls
        if end.beside:
            goes_on *= min(sum(counted.made.values()) / max(sum(counted.tried.values()), 1e-300), 1.0)
        self.told[id(end.test)] = 1.0 - goes_on if end.holds else goes_on
        for way in found:
            before = counted.within
            for loop in way.loops:
                self.told[id(loop)] = counted.rounds[id(loop)] / max(before, 1e-300)
                before = counted.rounds[id(loop)]
            tried, made = counted.tried[id(way.call)], counted.made[id(way.call)]
            for test, holds in way.tests:
                goes = min(made / max(tried, 1e-300), 1.0) ** (1.0 / len(way.tests))
                self.told[id(test)] = goes if holds else 1.0 - goes

    def _runs(self, node: ast.FunctionDef, found: Sequence[levels.Way], many: float) -> float:
        """Of so many calls those that a search does not leave out."""
        first, loops = any(way.first for way in found), [loop for way in found for loop in way.loops]
        sure = not first and not any(isinstance(loop, ast.While) for loop in loops)
        if sure and all(not way.tests or levels.marks(way) for way in found):
            self.recurring.add(id(node))
            self.settled = True
            return min(many, _CALLS)
        self.guessed.add(node.lineno)
        many = levels.soon(many, found) if first else many
        if many > _PATIENT * self.states:
            return power(self.states, _PRUNED if loops else _BOUND)
        return min(many, self.states)


def _each_of(value: Any) -> list[int]:
    """All that a number may be, where these are few; nothing where it is not known."""
    if not isinstance(value, Number) or value.value is None or not abs(value.value) < MANY:
        return []
    if value.whole and 0 < value.high - value.low < _SEVERAL:
        return [*range(round(value.low), round(value.high) + 1)]
    return [round(value.value)]


def _as_long(box: Boxes, many: float) -> Boxes:
    """A list that is so long in the mean, of what another one has."""
    puts = many * box.made
    links = {key: [one, held * puts / box.puts] for key, (one, held) in box.links.items()} if box.puts else {}
    return replace(box, puts=puts, top=0.0, links=links, fields={}, amid=0.0, due=0.0, later=0.0)


def _given(value: Any) -> Any:
    """The same, and how long a list is of which no more is known."""
    found = _told(value)
    if found is not UNKNOWN or not isinstance(value, Boxes) or value.kind != "list" or value.made > 1 + _ALONE:
        return found
    many = value.entries
    return Many(round(many)) if many < _ELEMENTS and abs(many - round(many)) < _ALONE else UNKNOWN


def _told(value: Any) -> Any:
    """A number, a text or a list that is known to the last."""
    if isinstance(value, Number) and value.known is not None:
        return int(value.known) if value.whole and abs(value.known) < MANY else value.known
    if isinstance(value, Written) and value.known is not None:
        return value.known
    if isinstance(value, Boxes) and value.kind in ("list", "tuple") and value.entries == len(value.fields):
        each = [_told(one) for one in value.fields.values()]
        return tuple(each) if UNKNOWN not in each else UNKNOWN
    return UNKNOWN


def best_first(loop: ast.stmt, calls: Sequence[ast.Call]) -> bool:
    """`for move in sorted(moves, key=…): if tried(move): return True`."""
    if not (isinstance(loop, ast.For) and called(loop.iter) == "sorted"):
        return False
    ends = [one for one in ast.walk(loop) if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return)]
    return any(one in calls for each in ends for one in ast.walk(each.test))


def itself(node: ast.expr, name: str) -> bool:
    """Whether a function calls itself by this: `f(…)`, `self.f(…)`, `self(…)` of `__call__`."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    return isinstance(node, ast.Name) and node.id == ("self" if name == "__call__" else name)
