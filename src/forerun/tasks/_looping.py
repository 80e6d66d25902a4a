"""How often loops of a plain Python program go round, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, TypeGuard

from forerun.tasks import _deadlines as deadlines
from forerun.tasks import _flushing as flushing
from forerun.tasks import _searching as searching
from forerun.tasks import _shapes as shapes
from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._containers import Letters
from forerun.tasks._figures import HARDLY, SINGLY, any_of, number
from forerun.tasks._foreign import Foreign
from forerun.tasks._gathering import multiplied
from forerun.tasks._inputs import Input
from forerun.tasks._objects import (
    MANY,
    Boxes,
    Number,
    Passing,
    Written,
    known,
)
from forerun.tasks._shapes import called
from forerun.tasks._sums import counters, rounds_along, rounds_to
from forerun.tasks._verdicts import alone, divided, until_divided

_LOOPS = 3
"""Loops in each other whose first round is gone through apart."""
_ADDING = frozenset("append add put heappush".split())
_MARKING = frozenset("add remove discard".split())
_NOTHING, _WAITING = 0.05, 0.3
"""Of what is put in, which share is left of what is taken out again; and of all places, which share waits at once."""
_ROUNDS, _STAYING = 1e8, 256.0
"""Rounds of a loop, and what stays in a queue that is emptied from time to time, at most."""
_BATCH = 2.0
"""Elements, at least, of what is full."""
_DRAWN = frozenset("random randrange randint uniform getrandbits".split())
_READING = frozenset("next readline input word letter".split())
_HALFWAY = 0.5
"""Which share of the rounds a loop goes that ends when a number that it reckons with is large or small enough."""
_ESCAPED = 0.25
"""The same of one that ends when a point has gone far: of Mandelbrot's, seen as a whole, a quarter of all rounds."""
_SETTLED, _TOLERANCE = 0.15, 1e-2
"""The same where what changes is less than so little at the end: as many rounds are allowed as nearly never happen."""
_KEYS = 1e6
"""Keys that a loop fills a mapping with, at most, until it has all."""
_ROUND_S = 2e-8
"""Seconds of a round that asks what time it is, at the least."""
_EVENTS = 1e7
"""Rounds of a loop, at most, that goes on until a time is reached."""
_AGAIN = 2.0
"""Rounds of a loop in others that goes on as long as something changes."""
_FEWER = 0.1
"""Which share of the rounds is much less than all of them."""
_HALVED, _HALVED_SELDOM = 40, 12
"""Steps in which a threshold is found."""
_EIGHTHS = (0.125, 0.375, 0.625, 0.875)
"""Where a number is looked at that may be any between two."""
_DOUBLED, _MULTIPLIED = 40, 1.5
"""Rounds of a loop whose list becomes many times as long, each of which adds so many times as many as the last."""
NEXT = frozenset("next nxt prev following".split())
"""Where the rest of a list is, from one of its places."""
_REWRITTEN = 40
"""Rounds of a loop, at most, that are gone through one by one where each makes a longer text of one."""
_ORDERED, _ORDER_NS = 15.0, 4.0
"""Elements of a list all of whose orders a loop goes through, at most, and nanoseconds of the next one."""
_LETTERS = 12.0
"""Different letters that words have in one place, at most."""


class Looping(Foreign):
    """Loops: the first round, and all others at once."""

    module: ast.Module

    def __init__(self, given: Input) -> None:
        super().__init__(given)
        self.begun_at: list[float] = []
        """How often loops begin that are under way in the same function."""
        self.since: dict[int, dict[str, float]] = {}
        """How often a name was given its value, by its frame, and an attribute, by what has it."""
        self.again = 0
        """Functions that are under way a second time."""
        self.loops = 0
        """Loops that are under way."""
        self.sources = dict[str, ast.expr]()
        """What names were given: how often a number has another one in it, or when something is to end."""
        self._sizes: tuple[float, float | None] | None = None
        """Of a loop that fills something: how much is enough, and how much there was."""
        self._asked = list[ast.While]()
        """What loops ask that are under way."""
        self.removing: frozenset[str] = frozenset()
        """Functions of the program's own that take something out of what they are given, or of what is theirs."""
        self.parting: frozenset[str] = frozenset()
        """Those that take all that is behind a place."""
        self._functions: dict[str, ast.FunctionDef] | None = None
        self._asking = dict[int, list[ast.FunctionDef]]()
        """Functions of the program's own that loops call, by their bodies' identity."""
        self._compared = dict[int, list[ast.Compare]]()
        """What functions compare of what is not theirs alone, by their identity."""
        self._filled: dict[int, float] = {}
        """Rounds of such loops, by their place."""

    @abstractmethod
    def run(self, body: Iterable[ast.stmt]) -> None: ...

    @abstractmethod
    def look(self) -> None: ...

    @abstractmethod
    def counted(self, body: Sequence[ast.stmt]) -> None: ...

    @abstractmethod
    def _repeats(self, name: str) -> float: ...

    @abstractmethod
    def full(self, asked: ast.expr, most: float, another: bool) -> None: ...

    def _limits(self, node: ast.If | ast.While) -> None:
        """What is taken out of where there are more than so many: `if len(cache) > 100: cache.popitem()`."""
        both = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)  # `while queue and len(a) < n`
        for test in (one for one in ast.walk(node.test) if isinstance(one, ast.Compare) and len(one.ops) == 1):
            asked, right = shapes.measured(test.left), test.comparators[0]
            if asked is None:
                continue
            full = (ast.Gt, ast.GtE) if self.layout is None else (ast.Gt, ast.GtE, ast.Eq)
            if isinstance(test.ops[0], (*full, ast.Lt, ast.LtE)) and isinstance(most := self.value(right), Number):
                box = self.value(asked)
                takes = shapes.TAKING | self.removing if isinstance(test.ops[0], full) else _ADDING
                goes = any(
                    (isinstance(one, ast.Call) and called(one) in takes)
                    or (isinstance(one, ast.Delete) and takes is not _ADDING)
                    for stmt in node.body
                    for one in ast.walk(stmt)
                ) and not (isinstance(node, ast.While) and takes is _ADDING and (self.layout is None or not both))
                if isinstance(box, Boxes) and goes and most.value is not None and most.value > 0:
                    few = max(most.value, most.high if most.high < MANY else 0.0) + 1
                    parts = self.parting & {called(one) for stmt in node.body for one in ast.walk(stmt)
                                            if isinstance(one, ast.Call)}  # fmt: skip
                    if parts and isinstance(asked, ast.Attribute):  # all that a node has
                        owner = self.value(asked.value)
                        for each in owner.fields.values() if isinstance(owner, Boxes) else ():
                            if isinstance(each, Boxes) and each.kind == "list":
                                each.bound = min(each.bound, few)
                                self.halved.add(id(each))
                    for each in (box, *(self._beside(node.body) if takes is not _ADDING else ())):
                        each.bound = min(each.bound, few)
            if isinstance(node, ast.If) and isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Eq)):
                how = flushing.flushed(node.body, asked, self.own_function)
                most = self.value(right) if how else None
                if isinstance(most, Number) and most.value is not None and most.value >= _BATCH:
                    self.full(asked, most.value, how == flushing.ANOTHER)

    def _beside(self, body: Sequence[ast.stmt]) -> list[Boxes]:
        """Lists that one is taken out of as well: `if len(window) > n: ordered.pop(place(window.popleft()))`."""
        calls = [one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.Call) and called(one) == "pop"]
        found = [self.value(one.func.value) for one in calls if isinstance(one.func, ast.Attribute)]
        return [one for one in found if isinstance(one, Boxes) and one.kind == "list"]

    def _do_while(self, node: ast.While) -> None:
        """What is asked is known to loops inside, which may go on with the same counter."""
        self._asked.append(node)
        self._goes(node)
        self._asked.pop()

    def _until_then(self, node: ast.While) -> bool:
        """Goes through a loop that goes on until a time has passed that stands in the text."""
        if (end := deadlines.ends_at(node, self.sources)) is None:
            return False
        long = self.value(deadlines.in_seconds(end))
        if not isinstance(long, Number) or not long.value or long.value < 0:
            return False
        wanted = deadlines.seconds(long.value, self.language, deadlines.counts_nano(node)) * self.times * self.pace
        before = self.seconds
        self.value(node.test)
        self._rounds(node.body, 1.0)
        each = max((self.seconds - before) / max(self.times * self.pace, 1e-300), _ROUND_S)
        self._rounds(node.body, min(wanted / max(self.times * self.pace, 1e-300) / each - 1.0, _ROUNDS))
        self.spend(wanted - (self.seconds - before))
        self.clocked += wanted
        self.run(node.orelse)
        return True

    def _goes(self, node: ast.While) -> None:
        if id(node) in self.told:
            self.value(node.test)
            self._rounds(node.body, self.told[id(node)])
            return
        if self._until_then(node):
            return
        ahead, read, gone = self.ahead, self.read, [(each, each.gone[0]) for each in self.streams]
        self.value(node.test)
        if self.read == read and (fed := self._taken(gone)) is not None:  # `while c := letter():`
            stream, taken, before = fed
            stream.gone[0] = before
            body = [ast.copy_location(ast.Expr(node.test), node.test), *node.body]
            self._rounds(body, max(((stream.count or 0.0) - before) / taken, 1.0))
            return
        if self.read > read:  # `while line := read():`
            self.read = read
            body = [ast.copy_location(ast.Expr(node.test), node.test), *node.body]
            self._rounds(body, 1.0)
            self._rounds(body, ahead / (self.read - read) - 1.0)
            return
        if not self.loops and self._texts(node.test):  # `while not line.strip(): line = read()`
            for _ in range(SINGLY):
                if (holds := self.likely(node.test)) == 0.0:
                    return
                if holds != 1.0:
                    break
                self.run(node.body)
        if self._never(node) and (not shapes.asks_behind(node) or shapes.goes_up(node)):
            self.run(node.body if shapes.asks_behind(node) else node.orelse)
            return
        if self._ends_soon(node):
            self.run([one for one in node.body if not (isinstance(one, ast.If) and shapes.breaks(one))])
            return
        if (many := self._worked_off(node)) is not None:
            self._rounds(node.body, many / 2)  # there is still half of it
            self._rounds(node.body, many / 2)
            self.run(node.orelse)
            return
        self._limits(node)
        if self._drains(node) or self._waits(node) or self._multiplies(node):
            return
        if (level := self._level(node)) is not None:
            name, count = level
            self.frames[-1][name] = Passing(count, self.through(self.named(name))[1])
            self._rounds(node.body, 1.0)
            return
        before_reach, guess, ended, reached = len(self.reach), False, False, 0.0
        fed_on = False  # by the input, whose end is the loop's
        asked = node.test.left if isinstance(node.test, ast.Compare) else None
        anew = isinstance(asked, ast.Name) and asked.id in shapes.renewed(node.body)
        anew = anew or any(_reaches(one.test, node.body) for one in filter(shapes.leaves, node.body))
        rounds, counter = self._until(node) if anew else (None, None)
        if rounds is None:
            rounds = self._while(node)
        if rounds is None:
            rounds, counter = self._until(node)
        if rounds is None:
            rounds = self._lucky_end(node)
        if rounds is None and (said := self._says(node)) is not None:
            self._rounds([ast.copy_location(ast.Expr(node.test), node.test), *node.body], said)
            self.run(node.orelse)
            return
        if rounds is None:  # what a round changes is known after one
            puts = {key: box.puts for key, box in self.sites.items()}
            waiting = [(box, box.entries) for box in self._waiting(node)]
            gone = [(each, each.gone[0]) for each in self.streams]
            clocks = [(one, now.high) for one in shapes.clocks(node) if isinstance(now := self.value(one.left), Number)]
            self._rounds(node.body, 1.0)
            found = self._while(node)
            fed = self._taken(gone)
            if found is None and ahead and self.read > read:  # until the input ends
                found, ended, fed_on = ahead / (self.read - read), True, True
            elif found is None and fed is not None and fed[0].count is not None:
                found, ended, fed_on = max((fed[0].count - fed[2]) / fed[1], 1.0), True, True
                if not self.loops and found <= SINGLY and len(fed[0].first) == fed[0].count:
                    for _ in range(round(found) - 1):
                        self.run(node.body)
                    return
            elif found is None:
                grown = (box for key, box in self.sites.items() if box.puts > puts.get(key, 0.0))
                keys = [
                    box.most
                    for box in grown
                    if box.kind in ("dict", "set") and box.most <= _KEYS and box.made <= self.times
                ]
                reached = 0.0 if shapes.reckoned(node) else self._reached(node)
                found = max([reached, self._guarded(node) or 0.0, UNKNOWN, *keys])
                if self.times > 1 and shapes.flagged(node):  # until nothing changes any more
                    reached, found = 0.0, _AGAIN
                elif self.layout is not None and shapes.flagged(node) and shapes.sweeps(node):
                    reached, found = 0.0, UNKNOWN
                if isinstance(node.test, ast.Constant):  # until something happens
                    reached, found = 0.0, max(self._guarded(node) or 0.0, UNKNOWN)
                if (many := self._emptied(node)) is not None:
                    reached, found = 0.0, min(found, many)
                elif self.layout is not None and (tries := self._drawn(node)) is not None:
                    reached, found = 0.0, tries
                elif self.layout is not None and self.loops and shapes.scans(node):
                    reached, found = 0.0, shapes.HOPS
                elif (
                    self.layout is not None and self.loops and reached >= UNKNOWN
                    and (shapes.ends_at_free(node) or shapes.prunes(node))
                ):  # fmt: skip
                    reached, found = 0.0, max(math.sqrt(reached), UNKNOWN)
                elif self.layout is not None and clocks and found <= UNKNOWN:
                    found = max(found, *(self._elapsed(one, before) for one, before in clocks))
                less = [had / (had - box.entries) for box, had in waiting if had - _NOTHING > box.entries > 1]
                if less:  # each round takes some out of it
                    reached, found, ended = 0.0, max(less), True
                if reached >= UNKNOWN and isinstance(node.test, (ast.Name, ast.Attribute)):
                    self.reach.append(reached)
                    if isinstance(waiting := self.value(node.test), Boxes):
                        waiting.bound = min(waiting.bound, _WAITING * reached)
            if not ended and (sifts := self._sifts(node)) is not None:
                reached, found = 0.0, min(found, sifts)
            share = self._shared(node) if not ended and reached >= UNKNOWN else 1.0
            found = max(found * share, 1.0)
            rounds = found - 1
            guess = not ended
            if share < 1.0 and shapes.works_off(node):  # all searches together come to each place once
                guess = False
                self.guessed.discard(node.lineno)
        if rounds > 1 and (counts := counter or self._counts(node, rounds)) is not None:
            rounds *= self._divided(node.body, *counts)
        if rounds > UNKNOWN and shapes.leaps(node):
            rounds = max(rounds / shapes.HOPS, UNKNOWN)
        reach, pace = len(self.reach), self.pace
        if not fed_on and (goes := self.pursued(node)) is not None:
            if self.layout is not None:
                rounds = min(rounds, goes)
            self.pace *= min(goes / max(rounds, 1.0), 1.0)
        elif guess:
            self.guessed.add(node.lineno)
        self._rounds(node.body, min(rounds, _ROUNDS), counter)
        self.pace = pace
        del self.reach[before_reach:reach]
        self.run(node.orelse)

    def _multiplies(self, node: ast.While) -> bool:
        """`while len(series) < n: …; series = longer`, round by round where each has many times as many as the last."""
        test = node.test
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Lt, ast.LtE))):
            return False
        asked, given = shapes.measured(test.left), (each for each in node.body if isinstance(each, ast.Assign))
        if not isinstance(asked, ast.Name) or all(ast.unparse(each.targets[0]) != asked.id for each in given):
            return False
        sizes, multiplies = [self.length(self.named(asked.id)) or 0.0], False
        for _ in range(_DOUBLED):
            if self.likely(test) == 0.0:
                return True
            self._rounds(node.body, 1.0)
            sizes.append(self.length(self.named(asked.id)) or 0.0)
            if len(sizes) > 2 and sizes[-1] - sizes[-2] < _MULTIPLIED * (sizes[-2] - sizes[-3]):
                return multiplies or self.likely(test) == 0.0  # as many more as before: others know how often
            multiplies = len(sizes) > 2
        return multiplies

    def _elapsed(self, test: ast.Compare, before: float) -> float:
        """Rounds until the time of what comes next has gone so far, by how far the first one went."""
        now, end = self.value(test.left), self.value(test.comparators[0])
        if not (isinstance(now, Number) and isinstance(end, Number)) or end.value is None or before >= MANY:
            return 0.0
        step = (now.high - before) / (2.0 if now.drawn else 1.0)
        if now.drawn and now.value is not None and now.value > before:  # most are nearer than halfway
            step = min(step, now.value - before)
        if not 0 < step < MANY:
            return 0.0
        for one in ast.walk(test.left):
            if isinstance(one, ast.Subscript) and isinstance(box := self.value(one.value), Boxes):
                box.bound = min(box.bound, max(_STAYING, 2 * box.entries))  # what happens leads to one other thing
        return min((end.value - before) / step, _EVENTS)

    def _waiting(self, node: ast.While) -> list[Boxes]:
        """Lists that a loop goes on with as long as they have something: `while len(circle) > 1`."""
        found = list[Boxes]()
        for test in node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]:
            one = test.left if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Gt, ast.GtE)) else test
            one = shapes.measured(one) or one
            box = self.value(one) if isinstance(one, (ast.Name, ast.Attribute)) else None
            if isinstance(box, Boxes) and box.kind in ("list", "deque"):
                found.append(box)
        return found

    def _taken(self, gone: Sequence[tuple[Passing, float]]) -> tuple[Passing, float, float] | None:
        """From which of what is given one by one most was taken since so many were gone, how many, and these."""
        before = {id(each): many for each, many in gone}
        found = [(each, each.gone[0] - before.get(id(each), 0.0), before.get(id(each), 0.0)) for each in self.streams]
        most = max(found, key=itemgetter(1), default=None)
        return most if most and most[1] > 0 else None

    def _texts(self, test: ast.expr) -> bool:
        """Whether a test is about texts alone, which a loop reads."""
        asked = test.values if isinstance(test, ast.BoolOp) else [test]
        inner = [one.operand if isinstance(one, ast.UnaryOp) else one for one in asked]
        return all(isinstance(self.value(one), Written) for one in inner)

    def _never(self, node: ast.While) -> bool:
        """Whether a loop does not go round: `while i < most: …`, where it is known that it does not hold."""
        test = node.test
        if self.loops or self.times != 1 or not (isinstance(test, ast.Compare) and shapes.ordered(test)):
            return False
        with self.hardly():
            sides = [self.value(one) for one in (test.left, *test.comparators)]
            return all(isinstance(one, Number) and one.known is not None for one in sides) and self.likely(test) == 0.0

    def _ends_soon(self, node: ast.While) -> bool:
        """Whether a loop ends in its first round: `while True: …; if over: break`, where that holds and stays so."""
        if self.loops or self.times != 1 or not (isinstance(node.test, ast.Constant) and node.test.value):
            return False
        last = node.body[-1]
        if not isinstance(last, ast.If) or not shapes.breaks(last) or any(map(shapes.leaves, node.body[:-1])):
            return False
        names = {one.id for one in ast.walk(last.test) if isinstance(one, ast.Name)}
        given = {one.id for stmt in node.body for one in ast.walk(stmt)
                 if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}  # fmt: skip
        if not shapes.plain(_asked(last.test)) or names & given:
            return False
        with self.hardly():
            return self.likely(last.test) == 1.0

    def _drains(self, node: ast.While) -> bool:
        """`while queue and queue[0] < now: queue.popleft()` in a loop: what stays is not much."""
        if not self.loops or len(node.body) > 2:
            return False
        calls = [one for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.Call)]
        if not calls or any(called(one) not in shapes.TAKING for one in calls) or not isinstance(node.test, ast.BoolOp):
            return False
        for one in calls:
            box = (
                self.value(one.func.value)
                if isinstance(one.func, ast.Attribute)
                else self.value(one.args[0])
                if one.args
                else None
            )
            if isinstance(box, Boxes):
                box.bound = min(box.bound, _STAYING)
        return True

    def _waits(self, node: ast.While) -> bool:
        """`while len(queue) >= most: …`, where nothing in it takes anything out or adds it: until others do so."""
        test = node.test
        if self.layout is None or not (isinstance(test, ast.Compare) and len(test.ops) == 1):
            return False
        asked, most = shapes.measured(test.left), self.value(test.comparators[0])
        if not isinstance(asked, ast.Name):
            return False
        box, inside = self.named(asked.id), (one for each in node.body for one in ast.walk(each))
        if not isinstance(box, Boxes) or any(shapes.uses(one, asked.id) for one in inside):
            return False
        if isinstance(test.ops[0], (ast.Gt, ast.GtE)) and isinstance(most, Number) and most.value:
            box.bound = min(box.bound, most.value + 1)
        times, self.times = self.times, self.times * _WAITING
        self.run(node.body)
        self.times = times
        return True

    def _level(self, node: ast.While) -> tuple[str, float] | None:
        """`while level: for node in level: …; level = next`: all levels together have as many as are found."""
        tested = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
        moved = {
            target.id for one in node.body if isinstance(one, ast.Assign)
            for target in one.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        through = {one.iter.id for one in node.body if isinstance(one, ast.For) and isinstance(one.iter, ast.Name)}
        names = tested & moved & through
        if not names:
            return None
        limits = [
            most.value
            for one in ast.walk(node.test)
            if isinstance(one, ast.Compare) and isinstance(one.left, ast.Call)
            and isinstance(most := self.value(one.comparators[0]), Number) and most.value
        ]  # fmt: skip
        return min(names), max([*limits, self._reached(node), UNKNOWN])

    def _while(self, node: ast.While) -> float | None:
        """How often a loop goes round; None where nobody knows."""
        test = node.test
        if isinstance(test, ast.Call) and ast.unparse(test.func) == "_tongue.permuted" and test.args:  # all orders
            many = self.length(self.value(test.args[0])) or 0.0
            orders = math.gamma(min(many, _ORDERED) + 1.0)
            self.work(orders * _ORDER_NS)
            return orders
        if self.layout is not None and isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):  # one or the other
            each = [self._while(ast.While(one, node.body, [])) for one in test.values if isinstance(one, ast.Compare)]
            told = [one for one in each if one is not None]
            return sum(told) if len(told) == len(test.values) else None
        for one in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
            if self.layout is not None and isinstance(one, ast.Name):  # `while n: n -= 1`
                one = ast.Compare(one, [ast.NotEq()], [ast.Constant(0)])
            if isinstance(one, ast.Compare) and len(one.ops) == 1:
                left, right = one.left, one.comparators[0]
                up = isinstance(one.ops[0], (ast.Lt, ast.LtE, ast.NotEq))
                small, large = self.value(left), self.value(right)
                if isinstance(right, ast.Name) and shapes.counts(node.body, right.id) and up:  # `queue[tail++] = …`
                    continue
                if isinstance(left, ast.Call) and isinstance(large, Number) and large.value and up:
                    return self._filling(small, large.value, node)  # while len(found) < n
                own = isinstance(left, (ast.Name, ast.Attribute))
                known = own and isinstance(small, Number) and isinstance(large, Number)
                known = known and not (self.layout is not None and shapes.set_back(node.body, ast.unparse(left)))
                drift = shapes.drift(node.body, left.id) if known and isinstance(left, ast.Name) else None
                if drift is not None and small.value is not None:
                    self.guessed.add(node.lineno)
                    first = large.value if isinstance(one.ops[0], (ast.Gt, ast.GtE)) else None  # `while n >= first`
                    down = first or 0.0
                    far = small.value / max(self._left_below(node.body, ast.unparse(left)), down, 1.0)
                    return (math.log(max(far, 1.0)) + 1.0) / drift  # it goes some way below
                if known and (found := self._stepping(node.body, ast.unparse(left), small, large)) is not None:
                    if shapes.jumps(node.body, ast.unparse(left)):
                        self.guessed.add(node.lineno)
                    before = self._repeats(left.id) if isinstance(left, ast.Name) else max(self.times, 1.0)
                    few = shapes.HOPS if test is not one and self._goes_on(one) else MANY
                    few = min(few, shapes.letters_asked(test, ast.unparse(left)) if self.layout is not None else MANY)
                    asked = test.values if self.layout is not None and isinstance(test, ast.BoolOp) else []
                    if any(shapes.orbits(each, node.body) for each in asked):
                        found *= _ESCAPED
                    return max(min(found / before, self._lucky(test), few), 1.0)  # it may go on where it was left
        return None

    def _goes_on(self, test: ast.Compare) -> bool:
        """Whether a loop around it asks the same, which goes on where this one ends: `j = i; while j < n and …: j += 1`
        with `i = j` behind it."""
        place = test.left
        if not isinstance(place, (ast.Name, ast.Attribute)) or not self._asked[:-1]:
            return False
        around, asked = self._asked[-2], ast.unparse(test)
        if asked == ast.unparse(around.test):
            return True
        source = self.sources.get(place.id) if isinstance(place, ast.Name) else None
        first = source.left if isinstance(source, ast.BinOp) and isinstance(source.right, ast.Constant) else source
        if not isinstance(first, (ast.Name, ast.Attribute)):
            return False
        moved = ast.Compare(first, test.ops, test.comparators)
        return ast.unparse(moved) == ast.unparse(around.test) and shapes.moves(around.body, first, place)

    def _left_below(self, body: Sequence[ast.stmt], name: str) -> float:
        """Where a loop ends before what it asks: `if n < known and seen[n]: return`."""
        most = 0.0
        for one in filter(shapes.leaves, body):
            both = isinstance(one.test, ast.BoolOp) and isinstance(one.test.op, ast.And)
            for test in one.test.values if isinstance(one.test, ast.BoolOp) and both else [one.test]:
                if isinstance(test, ast.Compare) and ast.unparse(test.left) == name and shapes.ordered(test, True):
                    end = self.value(test.comparators[0])
                    less = isinstance(test.ops[0], (ast.Lt, ast.LtE)) and isinstance(end, Number)
                    most = max(most, end.value or 0.0) if less else most
        return most

    def _lucky(self, test: ast.expr) -> float:
        """Rounds of a loop at most that goes on as long as what is drawn each time is as it should be."""
        tests = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else []
        shares = [often for one in filter(_draws, tests) if (often := self._drawn_so(one)) is not None]
        return 1 / max(1 - math.prod(shares), 1e-9) if shares else MANY

    def _lucky_end(self, node: ast.While) -> float | None:
        """Rounds of `while True: …; if random() < 1e-7: break`, in the mean; None of others."""
        if not (isinstance(node.test, ast.Constant) and node.test.value) or self.layout is not None:
            return None
        ends = [*filter(shapes.leaves, node.body)]
        if len(ends) != 1 or not _draws(ends[0].test):
            return None
        with self.hardly():
            often = self._drawn_so(ends[0].test)
        if not often:
            return None
        self.guess(node.lineno)  # as it happens
        return 1.0 / often

    def _drawn_so(self, test: ast.expr) -> float | None:
        """How often a number that is drawn is as it is asked to be."""
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
            drawn = self.value(test.left)
            if not isinstance(drawn, Number) or not math.isfinite(drawn.high - drawn.low):
                return None
            same = 1 / max(drawn.high - drawn.low + 1, drawn.distinct if drawn.distinct < MANY else 1.0, 1.0)
            return same if isinstance(test.ops[0], ast.Eq) else 1 - same
        return self.likely(test)

    def pursued(self, node: ast.While) -> float | None:
        """Rounds of a loop that goes from one thing to the next: to a parent, down a tree, to half of what is left."""
        tested = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
        if (many := self._emptied(node)) is not None:
            return many
        steps = [
            step
            for stmt in node.body
            for one in ast.walk(stmt)
            for step in (*shapes.stepping(one), *shapes.further(one))
        ]
        lowest = {name for name, value in steps if shapes.isolates(value)}
        halves = {name for name, value in steps if shapes.halves(value)}
        grows = {name for name, value in steps if shapes.grows(value, name)}
        ends = {name for name, value in steps if name in tested and isinstance(value, ast.Name)}
        if self.layout is not None and len(ends) > 1 and shapes.ordered(node.test):  # `if k <= j: r = j; else: l = i`
            return self._halvings(node.test)
        for name, value in steps:
            if name in grows:  # `n // 2 if n % 2 == 0 else 3 * n + 1`
                continue
            own = [one for one in ast.walk(value) if isinstance(one, ast.Name) and one.id == name]
            if name not in tested and not isinstance(node.test, ast.Constant):
                continue
            if own and isinstance(value, ast.BinOp) and isinstance(value.right, ast.Name) and value.right.id in lowest:
                return shapes.HALVINGS  # `bit = left & -left; left ^= bit`
            if isinstance(value, ast.Name) and value.id in halves:  # `low = middle`
                return self._halvings(node.test)
            if not own:
                if halves & {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}:
                    return self._halvings(node.test)
                continue
            if shapes.halves(value):
                return shapes.HALVINGS
            if isinstance(value, ast.Subscript) and any(one in own for one in ast.walk(value.slice)):
                return shapes.HOPS
            if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
                made = self.value(value.value)
                many = made.made if isinstance(made, Boxes) else 0.0
                return math.log2(max(many, 2.0)) + 1.0 if value.attr not in NEXT else None
            if isinstance(value, ast.Attribute) and any(one in own for one in ast.walk(value)):
                return shapes.HALVINGS  # `i = nodes[i].next`
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.value in own:
                return shapes.HALVINGS
            if any(isinstance(one, ast.BinOp) and shapes.shortens(one, name) for one in ast.walk(value)):
                return shapes.HALVINGS
        return None

    def _halvings(self, test: ast.expr) -> float:
        """Rounds of `while low < high`, where half of what is between them is left each time."""
        if self.layout is None or not shapes.ordered(test) or not isinstance(test, ast.Compare):
            return shapes.HALVINGS
        ends = [one for each in (test.left, *test.comparators) if isinstance(one := self.value(each), Number)]
        span = max(one.high for one in ends) - min(one.low for one in ends) if len(ends) > 1 else math.inf
        return math.log2(max(span, 1.0) + 1.0) if span < MANY else shapes.HALVINGS

    def _emptied(self, node: ast.While) -> float | None:
        """Rounds of `while waiting and …: … waiting.pop()`, where nothing is added to that: as many as it has been
        given each time; None of other loops."""
        asked = [one.func for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.Call)]
        methods = [one for one in asked if isinstance(one, ast.Attribute)]
        for test in node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]:
            if not isinstance(test, (ast.Name, ast.Attribute)):
                continue
            own = [one.attr for one in methods if ast.unparse(one.value) == ast.unparse(test)]
            if own and isinstance(test, ast.Attribute) and self.layout is not None:  # by what is called there
                own += [
                    one.attr for function in self._asked_in(node) for one in ast.walk(function)
                    if isinstance(one, ast.Attribute) and ast.unparse(one.value) == ast.unparse(test)
                ]  # fmt: skip
            if own and all(name in shapes.TAKING for name in own) and isinstance(box := self.value(test), Boxes):
                return max(box.puts / max(self.times, 1.0), 1.0)
        return None

    def _worked_off(self, node: ast.While) -> float | None:
        """Rounds of `while len(left) > 2: one = left.pop(); …`, where nothing is added to that; None of other loops."""
        test = node.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Gt, ast.GtE)):
            return None
        of = shapes.measured(test.left)
        each = shapes.takes_each(node.body, of.id) if isinstance(of, ast.Name) else 0
        if of is None or not each or not isinstance(box := self.value(of), Boxes) or box.kind not in ("list", "deque"):
            return None
        with self.hardly():
            least = self.value(test.comparators[0])
        if not isinstance(least, Number) or least.known is None:
            return None
        left = min(box.entries, box.puts / max(self.times, 1e-300)) - least.known
        return max((left + isinstance(test.ops[0], ast.GtE)) / each, 1.0)

    def _drawn(self, node: ast.While) -> float | None:
        """Rounds of a loop that goes on as long as numbers that are drawn anew each time are not as they should be;
        None of others."""
        tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        either = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or)
        anew = {name for stmt in node.body for name, value in shapes.stepping(stmt) if not shapes.uses(value, name)}
        shares = list[float]()
        for one in (each for each in tests if shapes.ordered(each)):
            used = {each.id for each in ast.walk(one) if isinstance(each, ast.Name)}
            random = any(isinstance(value := self.named(name), Number) and value.drawn for name in used & anew)
            if random and (often := self.likely(one)) is not None:
                shares.append(1 - often if either else often)
        if not shares or (len(shares) < len(tests) and not either):
            return None
        goes = 1 - math.prod(shares) if either else math.prod(shares)
        return min(1 / max(1 - goes, 1e-9), UNKNOWN)

    def _filling(self, size: Any, enough: float, node: ast.While) -> float | None:
        """Rounds until something is as large as it has to be, by how much the first one added; None before that."""
        now = size.high if isinstance(size, Number) and size.high < MANY else None
        before, self._sizes = self._sizes, (enough, now)
        if now is None or before is None or before[0] != enough or before[1] is None:
            return None if before is None or before[0] != enough else max(enough, 1.0)
        self._sizes, more = None, now - before[1]
        if more <= 0:  # others of this place were filled before: as often as the first one
            return self._filled.get(id(node), enough + 1.0)
        return self._filled.setdefault(id(node), max((enough - now) / more, 0.0) + 1.0)

    def _guarded(self, node: ast.While) -> float | None:
        """Rounds that a loop goes until something in it has counted so far: `if made < n: … made += 1`."""
        found = list[float]()
        for function in self._asked_in(node) if self.layout is not None else ():
            for each in self._shared_limits(function):
                small, large = self.value(each.left), self.value(each.comparators[0])
                if not (isinstance(small, Number) and isinstance(large, Number) and large.known is not None):
                    continue
                if (rounds := self._stepping(function.body, ast.unparse(each.left), small, large)) is not None:
                    found.append(rounds)
        anew = {target.id for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.Assign)
                for target in one.targets if isinstance(target, ast.Name)}  # fmt: skip
        for test in (one.test for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.If)):
            for one in (each for each in ast.walk(test) if isinstance(each, ast.Compare) and len(each.ops) == 1):
                small, large = self.value(one.left), self.value(one.comparators[0])
                counts = isinstance(one.left, ast.Name) and one.left.id not in anew
                counts = counts or isinstance(one.left, ast.Attribute)
                known = counts and isinstance(small, Number) and isinstance(large, Number)
                if known and (rounds := self._stepping(node.body, ast.unparse(one.left), small, large)) is not None:
                    found.append(rounds)
        return max(found) if found else None

    def _shared_limits(self, function: ast.FunctionDef) -> list[ast.Compare]:
        """What a function compares of what is the thing's or the program's: `if self.made < most: …`."""
        if id(function) not in self._compared:
            shared = {each for one in function.body if isinstance(one, ast.Global) for each in one.names}
            self._compared[id(function)] = [
                one for stmt in function.body for one in ast.walk(stmt)
                if isinstance(one, ast.Compare) and len(one.ops) == 1
                and isinstance(one.comparators[0], (ast.Name, ast.Constant, ast.Attribute))
                and ((own := ast.unparse(one.left)) in shared or own.startswith("self."))
            ]  # fmt: skip
        return self._compared[id(function)]

    def _asked_in(self, node: ast.While) -> list[ast.FunctionDef]:
        """Functions of the program's own that a loop calls."""
        if id(node.body) not in self._asking:
            names = dict.fromkeys(
                called(one) for stmt in node.body for one in ast.walk(stmt)
                if isinstance(one, ast.Call)
                and (isinstance(one.func, ast.Name) or ast.unparse(one.func).startswith("self."))
            )  # fmt: skip
            self._asking[id(node.body)] = [one for each in names if (one := self.own_function(each)) is not None]
        return self._asking[id(node.body)]

    def own_function(self, name: str) -> ast.FunctionDef | None:
        """The program's own function, or method, of this name."""
        if self._functions is None:
            inside = (one for one in ast.walk(self.module) if isinstance(one, ast.FunctionDef))
            self._functions = {one.name: one for one in inside}
        return self._functions.get(name)

    def _stepping(self, body: Sequence[ast.stmt], name: str, small: Number, large: Number) -> float | None:
        start, end = small.value, large.high if math.isfinite(large.high) else large.value
        if start is None or end is None:
            return None
        start = small.low if math.isfinite(small.low) else start
        each_round = sorted(body, key=lambda one: not (isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Mult)))
        for one in (each for stmt in each_round for each in ast.walk(stmt)):  # what is multiplied, whatever is added
            own = isinstance(one, ast.AugAssign) and isinstance(one.target, (ast.Name, ast.Attribute))
            if own and isinstance(one, ast.AugAssign) and ast.unparse(one.target) == name:
                step = self.value(one.value)
                by = step.value if isinstance(step, Number) else None
                if by is None:
                    return None
                if by and isinstance(one.op, (ast.Add, ast.Sub)):
                    by = shapes.unrolled(body, name) or by
                    if (
                        one in body
                        and isinstance(one.op, ast.Add)
                        and (long := self._longer_each(body, one, start, end))
                    ):
                        return long
                    far = max(abs(end - start) / abs(by), 1.0)
                    return far if one not in body else self._further_each(body, one.value, abs(end - start)) or far
                if by and abs(by) > 1 and isinstance(one.op, (ast.Mult, ast.FloorDiv, ast.Div)):
                    return max(math.log(max(abs(end), abs(start), 2.0)) / math.log(abs(by)), 1.0)
                if isinstance(one.op, ast.RShift):
                    return max(math.log2(max(abs(end), abs(start), 2.0)), 1.0)
        return None

    def _counts(self, node: ast.While, rounds: float) -> tuple[ast.expr, Number] | None:
        """What a loop counts that asks whether that is small, and which numbers that is."""
        test = node.test
        if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and shapes.ordered(test)):
            return None
        one, last = self.named(test.left.id), self.value(test.comparators[0])
        if not (isinstance(one, Number) and isinstance(last, Number) and math.isfinite(one.low) and last.high < MANY):
            return None
        return test.left, number(min(one.low, last.high), max(one.low, last.high), rounds, one.whole)

    def _divided(self, body: Sequence[ast.stmt], name: ast.expr, one: Number) -> float:
        """Which share of its rounds a loop goes that tries to divide by what it counts until something does."""
        of = divided(body, name.id) if isinstance(name, ast.Name) else None
        with self.hardly():
            what = self.value(of) if of is not None else None
        differs = isinstance(what, Number) and what.known is None
        return until_divided(one.low, one.high) if differs else 1.0

    def _sifts(self, node: ast.While) -> float | None:
        """Rounds of a loop that leaves at the first flag of a sieve that is not set; None of others."""
        with self.hardly():
            ends = [one.test for one in node.body if shapes.leaves(one)]
            often = [self.likely(test) for test in ends if self.of_sieve(test)]
        return max(1.0 / max(max(one or 0.0 for one in often), HARDLY), 1.0) if often else None

    def _says(self, node: ast.While) -> float | None:
        """Rounds of `while not is_prime(n): n += 1`, where it is told how often a function says so; None of others.
        What seldom says so may do so soon, as what it is asked of follows from the round before."""
        call = alone(node.test)
        if call is None or self.own_function(called(call)) is None:
            return None
        with self.hardly():
            often = self.likely(node.test)
        if often is None or not 0 < often < 1:
            return None
        self.guessed.add(node.lineno)
        return min(often / (1 - often), UNKNOWN)

    def _longer_each(self, body: Sequence[ast.stmt], step: ast.AugAssign, start: float, end: float) -> float | None:
        """Rounds of `x += max(x / 1000, 1)`, whose steps follow from what has been reached; None of others."""
        if not isinstance(step.op, ast.Add):
            return None
        name, given = step.target, [one.value for one in body if shapes.gives(one, step.value)]
        by = given[0] if len(given) == 1 else step.value
        if not isinstance(name, ast.Name) or not shapes.follows(by, name.id) or not 0 <= start < end < MANY:
            return None
        return rounds_along(start, end, lambda value: self._with(name.id, by, value, 0.0))

    def _further_each(self, body: Sequence[ast.stmt], step: ast.expr, far: float) -> float | None:
        """Rounds in which a sum goes so far whose steps follow from what counts: the mean over where that may begin."""
        for name, each in counters(body, step):
            start, by = self.named(name), self.value(each)
            if not (isinstance(start, Number) and isinstance(by, Number) and by.known and by.known > 0):
                continue
            wide = start.high - start.low if math.isfinite(start.high - start.low) else 0.0
            least = start.low if wide else start.value
            if least is not None:
                length = partial(self._with, name, step)
                found = [rounds_to(far, partial(length, least + share * wide), by.known) for share in _EIGHTHS]
                return sum(found) / len(found)
        return None

    def _with(self, name: str, node: ast.expr, value: float, more: float) -> float:
        """What an expression is where a name has this value, and so much more."""
        with self.hardly():
            self.frames.append({**self.frames[-1], name: Number.of(value + more, True)})
            found = self.value(node)
            self.frames.pop()
        return found.value or 0.0 if isinstance(found, Number) else 0.0

    def _shared(self, node: ast.While) -> float:
        """Which share of all places a search reaches each time it begins, where what it marks is not forgotten
        meanwhile: all searches together reach each once."""
        marked = list[ast.expr]()
        for one in (each for stmt in node.body for each in ast.walk(stmt)):
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
                if self.layout is None or not isinstance(one.slice, ast.Constant):
                    marked.append(one.value)
            elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _MARKING:
                marked.append(one.func.value)
            elif self.layout is not None and (slot := shapes.cleared(one, node.test)) is not None:
                marked.append(slot)
        for place, each in enumerate(marked):  # `grid[row][column] = …`
            while isinstance(each, ast.Subscript):
                each = marked[place] = each.value
        boxes = [self.value(one) for one in marked if isinstance(one, (ast.Name, ast.Attribute))]
        made = [
            one.made for one in boxes if isinstance(one, Boxes) and one.kind in ("list", "dict", "set", "bytearray")
        ]
        return min(max(made) / self.times, 1.0) if made and self.times > 1 else 1.0

    def _reached(self, node: ast.While) -> float:
        """As many as the largest thing has that the loop looks something up in: a search reaches all."""
        most = 0.0
        added = {
            ast.unparse(one.func.value)
            for stmt in node.body
            for one in ast.walk(stmt)
            if isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in ("append", "add", "push")
        }
        inside = [each for stmt in node.body for each in ast.walk(stmt)]
        twice = {id(one.value) for one in inside if isinstance(one, ast.Subscript)}
        around = {id(one.iter) for one in inside if isinstance(one, ast.For) and self.layout is not None}  # neighbours
        around |= shapes.rows_gone_through(inside) if self.layout is not None else set()
        for one in inside:
            if isinstance(one, ast.Subscript) and isinstance(one.value, (ast.Name, ast.Attribute)):
                box = self.value(one.value)
                wide = box.one.length if isinstance(box, Boxes) and isinstance(box.one, Written) else 1.0
                if isinstance(box, Boxes) and box.kind == "list" and id(one) in twice and wide > 1:  # a grid of letters
                    most = max(most, box.entries * wide)
                elif isinstance(box, Boxes) and box.kind in ("list", "dict") and ast.unparse(one.value) not in added:
                    inner = box.one if isinstance(box.one, Boxes) and box.kind == "list" else None
                    flat = inner is not None and all(link[0].kind == "atom" for link in inner.links.values())
                    grid = flat and inner is not None and inner.kind in ("list", "bytearray") and id(one) not in around
                    most = max(most, box.entries * (max(inner.entries, 1.0) if grid and inner is not None else 1.0))
        return most

    def _do_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.to_blank = shapes.ends_at_blank(node)
        over = self.over(self.value(node.iter))
        self.to_blank = False
        keyed = self.layout is not None and isinstance(over, Boxes) and over.kind == "dict"
        if keyed and shapes.pair(node.target) and not isinstance(over.key, Boxes):  # nobody knew that it is a mapping
            over = self.over(self.asked(over, "items", [], {}))
        if isinstance(over, Boxes):
            self.flight.append(over)
        if isinstance(over, (Boxes, Passing)):
            each, many = known(over), (over.entries if isinstance(over, Boxes) else over.left) or 0.0
            if not each and many <= SINGLY and not self.loops and self.times <= 1 and isinstance(over, Passing):
                each = _numbered(node, over)
            if self.layout is not None and isinstance(over, Boxes) and over.kind == "tuple":
                many = len(each)
            if 1 < len(each) == many <= SINGLY and not self.again and id(node) not in self.told:
                path = self.path
                for place, one in enumerate(each.values()):
                    self.path = (*path, -place)
                    self.bind(node.target, one)
                    self.run(node.body)
                self.path = path
                self.run(node.orelse)
                return
        count, one = self.through(over)
        count = self.told.get(id(node), count)
        one = _columns(node.target, over) or one
        cut, seconds, spare, hidden = None, self.seconds, self.spare, self.hidden
        if count is None:
            self.guess(node.lineno)
        elif isinstance(one, Number) and (cut := self._broken(node, one)) is not None:
            share, one = cut
            self.settled = self.settled or share * count < _FEWER * count
            count = max(share * count, 2.0)
        if count is not None and count <= _REWRITTEN and self._rewrites(node.body):
            for _ in range(round(count)):
                self.run(node.body)
            return
        if count is not None and any(isinstance(self.named(x), (Boxes, Written)) for x in multiplied(node.body)):
            if count <= _REWRITTEN:
                self._each_by_itself(node, math.ceil(count), one)
                return
            self.guess(node.lineno)
        if self.layout is not None and count is not None and count > SINGLY and shapes.escapes(node):
            orbits = any(isinstance(one, ast.If) and shapes.orbits(one.test, node.body) for one in node.body)
            count *= _SETTLED if self._settles(node) else _ESCAPED if orbits else _HALFWAY
        if self.layout is not None and count is not None and (places := self._sifted(node)) is not None:
            count = min(count, max(places / max(self.times, 1.0), 1.0))
        if count is not None and isinstance(one, Number) and not _falls(node.iter):
            count = self._divided(node.body, node.target, one) * count
        if count is not None and cut is None and searching.chooses(node.iter) and searching.may_end(node.body):
            count *= searching.HALFWAY
        spelt = isinstance(over, Written) and not over.raw and isinstance(one, Written)
        if spelt:
            words = min(over.distinct, self.times)
            name = node.target.id if isinstance(node.target, ast.Name) else ""
            self.letters.append(Letters(name, over.length, words, min(one.distinct, _LETTERS), self.times))
        counts = isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call) and called(node.iter) == "range"
        if counts and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call):
            step = node.iter.args[2] if len(node.iter.args) > 2 else None
            self.steady.append((node.target.id, step is None or isinstance(step, ast.UnaryOp)))
        self._rounds(node.body, UNKNOWN if count is None else count, (node.target, one))
        if counts:
            self.steady.pop()
        if searching.chooses(node.iter):
            self.hide(hidden, seconds)
        told = cut is not None or (self.layout is not None and shapes.escapes(node))
        if not told and searching.matters(node.iter, self.seconds - seconds) and searching.may_end(node.body):
            self.may_spare(node.lineno, seconds, spare)
        if spelt:
            self.letters.pop()
        self.run(node.orelse)

    _do_asyncfor = _do_for

    def _each_by_itself(self, node: ast.For | ast.AsyncFor, count: int, one: Any) -> None:
        """Goes through the rounds of a loop one after another."""
        path, times, self.loops = self.path, self.times, self.loops + 1
        for place in range(count):
            self.path, self.times = (*path, -place), times
            self.bind(node.target, one)
            self.run(node.body)
        self.path, self.times, self.loops = path, times, self.loops - 1
        self.run(node.orelse)

    def _settles(self, node: ast.For | ast.AsyncFor) -> bool:
        """`for n in range(most): …; if change < 1e-9: break`, where what changes becomes next to nothing."""
        with self.hardly():
            tests = [one.test for one in node.body if isinstance(one, ast.If) and shapes.breaks(one)]
            least = [
                self.value(one.comparators[0]) for one in tests if isinstance(one, ast.Compare) and shapes.ordered(one)
            ]
        return any(isinstance(one, Number) and one.known and 0 < one.known < _TOLERANCE for one in least)

    def _sifted(self, node: ast.For | ast.AsyncFor) -> float | None:
        """Of `for p in primes: m = p * i; if m > n: break; least[m] = p; if i % p == 0: break` how many places there
        are, each of which is given something once; None of other loops."""
        ends = [each.test for each in node.body if isinstance(each, ast.If) and shapes.breaks(each)]
        ends = [one for test in ends for one in (test.values if isinstance(test, ast.BoolOp) else [test])]
        sifts = any(
            isinstance(one, ast.Compare)
            and any(isinstance(x, ast.BinOp) and isinstance(x.op, ast.Mod) for x in ast.walk(one.left))
            for one in ends
        ) or any(isinstance(x, ast.Subscript) for one in ends if isinstance(one, ast.Compare) for x in one.comparators)
        limited = {one.left.id for one in ends if isinstance(one, ast.Compare) and isinstance(one.left, ast.Name)}
        products = limited & {
            target.id for each in node.body if isinstance(each, ast.Assign)
            for target in each.targets if isinstance(target, ast.Name)
            if any(isinstance(x, ast.BinOp) and isinstance(x.op, ast.Mult) for x in ast.walk(each.value))
        }  # fmt: skip
        stored = [
            one.value for stmt in node.body for one in ast.walk(stmt)
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)
            and isinstance(one.slice, ast.Name) and one.slice.id in products
        ]  # fmt: skip
        boxes = [self.value(one) for one in stored] if sifts else []
        return max((one.entries for one in boxes if isinstance(one, Boxes)), default=None)

    def _rewrites(self, body: Sequence[ast.stmt]) -> bool:
        """Whether each round makes another text of one, which may be much longer: `s = re.sub(…, rules, s)`."""
        step = body[0]
        if self.layout is None or len(body) > 1 or not isinstance(step, ast.Assign):
            return False
        named, call = ast.unparse(step.targets[0]), step.value
        if not (isinstance(call, ast.Call) and called(call) == "sub" and len(call.args) == 3):
            return False
        return ast.unparse(call.args[2]) == named and isinstance(self.value(call.args[1]), Boxes)

    def _broken(self, node: ast.For | ast.AsyncFor, one: Number) -> tuple[float, Number] | None:
        """Of `for p in primes: if p * p > n: break` which share of the rounds it goes, and over which numbers."""
        if not (isinstance(node.target, ast.Name) and math.isfinite(one.high - one.low) and one.low < one.high):
            return None
        before = list[ast.Assign]()
        for each in node.body:
            if isinstance(each, ast.Assign) and all(map(shapes.plain, each.targets)) and self._from_numbers(each.value):
                before.append(each)
                continue
            if not (isinstance(each, ast.If) and (shapes.breaks(each) or _returns(each, node.target.id))):
                return None
            either = each.test if isinstance(each.test, ast.BoolOp) and isinstance(each.test.op, ast.Or) else None
            tests = [test for test in (either.values if either else [each.test]) if shapes.ordered(test)]
            passes = partial(self._passes, node.target, before, tests)
            first, last = passes(one.low), passes(one.high)
            plain = all(shapes.plain(each.value) for each in before)
            if not first and not last:
                return None
            if first and last:  # it is left in its first round
                return 0.0, one if plain else replace(one, value=one.low, high=one.low, distinct=1.0)
            ends = [one.low, one.high]
            for _ in range(_HALVED if plain else _HALVED_SELDOM):
                middle = sum(ends) / 2
                ends[passes(middle) == last] = middle
            low, high = (one.low, ends[1]) if last else (ends[0], one.high)
            share = (high - low) / (one.high - one.low)
            few = max(one.distinct * share, 2.0)
            return share, replace(one, value=(low + high) / 2, low=low, high=high, distinct=few)
        return None

    def _from_numbers(self, value: ast.expr) -> bool:
        """Whether something is reckoned with names and numbers, or by a function that is given these and does nothing
        else."""
        if shapes.plain(value):
            return True
        if self.layout is None or not isinstance(value, ast.Call) or not all(map(shapes.plain, value.args)):
            return False
        function = self.own_function(called(value)) if isinstance(value.func, ast.Name) and value.args else None
        return function is not None and shapes.reckons(function)

    def cut_short(self, ends: tuple[ast.GeneratorExp, ast.expr]) -> float | None:
        """Which share of all that it goes through a search does: `any(i > 5 for i in range(n))`, where that is told."""
        over, frame = ends[0].generators[0], self.frames[-1]
        if not (isinstance(over.iter, ast.Call) and called(over.iter) == "range"):
            return None
        with self.hardly():
            count, one = self.through(self.value(over.iter))
            told = self._broken(searching.as_loop(ends), one) if isinstance(one, Number) and count else None
            if told is None and isinstance(over.target, ast.Name) and count and shapes.rests(ends[1], over.target.id):
                self.frames.append({**frame, over.target.id: one})
                often = self.likely(ends[1])
                self.frames.pop()
                told = (min(1.0 / often / count, 1.0), one) if often and isinstance(one, Number) else None
        self.settled = self.settled or (told is not None and told[0] < _FEWER)
        return max(told[0], 2.0 / count) if told is not None and count else None

    def _until(self, node: ast.While) -> tuple[float | None, tuple[ast.expr, Any] | None]:
        """Rounds of `while i * i <= n: …; i += 1` and `while True: g = k * k; if g > n: break; …; k += 1`, and what
        counts them; None of others."""
        before = [
            each
            for each in node.body
            if isinstance(each, ast.Assign) and all(map(shapes.plain, (*each.targets, each.value)))
        ]
        ends = [each.test for each in node.body if isinstance(each, ast.If) and shapes.breaks(each)]
        other = self.layout is not None
        tests: list[ast.expr] = [test for test in ends if shapes.ordered(test)]
        tests += [ast.Compare(test.left, [ast.GtE()], test.comparators) for test in ends if _reaches(test, node.body)]
        if shapes.ordered(node.test, other):
            tests.append(ast.UnaryOp(ast.Not(), node.test))
        elif not isinstance(node.test, ast.Constant):
            return None, None
        used = {
            one.id
            for each in (*tests, *(each.value for each in before))
            for one in ast.walk(each)
            if isinstance(one, ast.Name)
        }
        for each in node.body:
            if not (
                isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add) and isinstance(each.target, ast.Name)
            ):
                continue
            start, step = self.named(each.target.id), self.value(each.value)
            anew = {one.id for assigned in before for one in assigned.targets if isinstance(one, ast.Name)}
            if any(shapes.counts(node.body, name) for name in used - anew - {each.target.id}):  # `queue[tail++] = …`
                continue
            if not (tests and each.target.id in used and isinstance(start, Number) and isinstance(step, Number)):
                continue
            begin = start.value if other else start.known
            if begin is None or not step.known:
                continue
            passes = partial(self._passes, each.target, before, tests)
            few, many = 0.0, 1.0
            while many < _ROUNDS and not passes(begin + step.known * many):
                few, many = many, 2 * many
            for _ in range(_HALVED):
                middle = (few + many) / 2
                few, many = (few, middle) if passes(begin + step.known * middle) else (middle, many)
            if many >= _ROUNDS:
                break
            rounds, far = max(many, 1.0), begin + step.known * many
            return rounds, (each.target, number(min(begin, far), max(begin, far), rounds, start.whole))
        return None, None

    def _passes(self, target: ast.Name, before: Sequence[ast.Assign], tests: Sequence[ast.expr], value: float) -> bool:
        """Whether one of these tests holds once a name has this value, and others what follows from it."""
        times, self.times = self.times, HARDLY
        self.frames.append({target.id: Number.of(value, True)})
        for each in before:
            self.bind(each.targets[0], self.value(each.value))
        found = any((self.likely(test) or 0.0) > 0.5 for test in tests)
        self.frames.pop()
        self.times = times
        return found

    def _rounds(self, body: list[ast.stmt], count: float, given: tuple[ast.expr, Any] | None = None) -> None:
        if count <= 0:
            return
        times, self.loops, late = self.times, self.loops + 1, dict[Any, Boxes]()
        growing, theirs = list[Boxes](), list[Boxes]()
        self.begun_at.append(times)
        ahead, read = self.ahead, self.read
        if self.loops <= _LOOPS and count > 1:  # the first round, and all others
            if given:
                self.bind(*given)
            before = {key: (box.puts, box.given) for key, box in self.sites.items() if box.given}
            anew = shapes.anew(body)
            made = {key: box.made for key, box in self.sites.items()}
            lists = (box for box in self.sites.values() if box.kind == "list" and 0 < box.made <= 1)
            there = [(box, box.puts, box.made) for box in lists]
            bound = dict(self.since.get(id(self.frames[-1]), {}))
            self.run(body)
            if self.read > read and ahead > 0:  # not beyond the end of the input
                count = min(count, max(ahead / (self.read - read), 1.0))
            late = {key: box for key, box in self.sites.items() if key[0] in anew}
            if self.layout is not None:  # those of functions that are called
                theirs = [box for key, box in self.sites.items() if key not in made and key not in late]
                for box in theirs:
                    box.later = box.made * count
            for key, box in late.items():
                box.due = box.made + (box.made - made.get(key, 0.0)) * (count - 1)
            stacks = self.layout is not None and shapes.dispatches(body)
            for key, box in self.sites.items():  # what takes out as much as it puts in keeps what it has
                puts, ever = before.get(key, (0.0, 0.0))
                stays = _NOTHING if not stacks or box.kind not in ("list", "deque") else 1.0 - _NOTHING
                if not self.reach and box.given > ever and box.puts - puts <= stays * (box.given - ever):
                    box.bound = min(box.bound, max(_STAYING, 2 * box.entries))
            count -= 1
            self._begin_again(bound, times, count, body)
            inside = {id(box.one) for box in self.sites.values()}
            for box, puts, ever in there:
                alone = box.made == ever and id(box) not in inside
                if alone and box.puts > puts and box.top >= 0 and not box.amid:
                    growing.append(box)
                    box.amid = (box.puts + (box.puts - puts) * count / 2) / box.made
        self.times = min(times * count, MANY)
        self.work(self.tempo.round)
        if given:
            self.bind(*given)
        self.run(body)
        self.times, self.loops = times, self.loops - 1
        self.begun_at.pop()
        self.counted(body)
        for box in late.values():
            box.due = 0.0
        for box in growing:
            box.amid = 0.0
        for box in theirs:
            box.later = 0.0
        self.look()
        if not self.loops:  # all are made that are filled
            for box in self.sites.values():
                box.top = min(box.top, box.entries)

    def _begin_again(self, before: dict[str, float], times: float, count: float, body: Sequence[ast.stmt]) -> None:
        """What a branch of a round gives a name anew, all other rounds do as often, and what each reckons anew."""
        since, anew = self.since.get(id(self.frames[-1]), {}), shapes.renewed(body)
        for name, often in since.items():
            if (often < times and before.get(name) != often) or (often == times and name in anew):
                since[name] = often * count


def _falls(over: ast.expr) -> bool:
    """Whether it counts down."""
    steps = over.args[2:] if isinstance(over, ast.Call) and called(over) == "range" else []
    return any(isinstance(step, ast.UnaryOp) for step in steps)


def _reaches(test: ast.expr, body: Sequence[ast.stmt]) -> TypeGuard[ast.Compare]:
    """`i == 9`, where each round counts on by one."""
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and isinstance(test.ops[0], ast.Eq)):
        return False
    last = test.comparators[0]
    steps = [one for one in body if isinstance(one, ast.AugAssign) and ast.unparse(one.target) == test.left.id]
    by = steps[0] if len(steps) == 1 else None
    if by is None or not isinstance(by.op, ast.Add) or not isinstance(by.value, ast.Constant) or by.value.value != 1:
        return False
    return isinstance(last, ast.Constant) or (isinstance(last, ast.Name) and not shapes.counts(body, last.id))


def _asked(test: ast.expr) -> ast.expr:
    """What has to hold, or must not."""
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test


def _draws(test: ast.expr) -> bool:
    """Whether it asks for what is drawn there."""
    return any(isinstance(one, ast.Call) and called(one) in _DRAWN for one in ast.walk(test))


def _returns(node: ast.If, name: str) -> bool:
    """`if n * n > most: return n`, which asks for what the loop counts."""
    asked = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
    return isinstance(node.body[-1], ast.Return) and name in asked


def _columns(target: ast.expr, over: Any) -> Passing | None:
    """What several names stand for that are given the rows of a table that is written out."""
    rows = [*known(over).values()] if isinstance(over, Boxes) and over.layout is not None else []
    if not isinstance(target, ast.Tuple) or len(rows) < 2 or len(rows) != over.entries:
        return None
    wide = len(target.elts)
    if not all(isinstance(row, Boxes) and row.kind in ("list", "tuple") and len(row.fields) == wide for row in rows):
        return None
    columns = [*zip(*(row.fields.values() for row in rows), strict=True)]
    return Passing(float(wide), None, tuple(map(_column, columns)))


def _column(values: Sequence[Any]) -> Any:
    """What stands for each of these, a number in the middle of them."""
    some = any_of(values)
    if all(isinstance(one, Number) and one.value is not None for one in values):
        return replace(some, value=sum(one.value for one in values) / len(values), distinct=float(len(values)))
    return some


def _numbered(node: ast.For | ast.AsyncFor, over: Passing) -> dict[str, Any]:
    """The numbers of `for case in range(cases)`, where each time something else is read."""
    one, count = over.one, int(over.count or 0.0)
    inside = [one for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.Call)]
    if count < 2 or not isinstance(one, Number) or not any(called(each) in _READING for each in inside):
        return {}
    step = (one.high - one.low) / (count - 1)
    return {str(place): Number.of(one.low + step * place, one.whole) for place in range(count)}
