"""How often a plain Python program's functions run that call themselves, for `forerun.tasks._walked`: which halve a
list, count down, try one thing after another, remember what they know, or parse a text.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._descending import STATES, best_first, itself
from forerun.tasks._inputs import Input
from forerun.tasks._levels import marked
from forerun.tasks._looping import NEXT
from forerun.tasks._objects import MANY, Boxes, Defined, Number, Written, differing, power
from forerun.tasks._searching import in_turn, leaving
from forerun.tasks._shapes import called
from forerun.tasks._visiting import Visiting

DEEP = 24
"""Calls in each other."""
_LEVELS = 4.0
"""How deep functions call each other with one less each time, at most, where that is followed."""
_SPELT = 64.0
"""Letters of a text from which on it is one that somebody parses."""
_STARTS, _STEPS, _CALLS = 1000.0, 1e5, 1e13
"""Numbers that a function is called with, at most, of which that is told which counts down, what these are, and how
often it calls itself."""
_ASKED = (ast.Lt, ast.LtE, ast.Eq, ast.Gt, ast.GtE, ast.NotEq)
"""Comparisons with the last number for which nothing is left to do."""


class Recursive(Visiting):
    """What calls itself."""

    def __init__(self, module: ast.Module, given: Input) -> None:
        super().__init__(module, given)
        self._numbers = list[dict[str, float]]()
        """Numbers that they were given."""
        self._advanced = dict[str, float]()
        """How far names were counted on, by their last names."""
        self._places: list[tuple[str, ast.expr]] | None = None
        self._leads: dict[str, set[str]] | None = None
        """Which functions each calls, by their names."""

    def _nearer(self, node: ast.AST, arguments: list[Any]) -> bool:
        """Whether another function calls one that is under way with a number that is less than the last time: so
        often as that goes down to nothing."""
        if self.layout is None or len(self._calls) > DEEP or self._calls[-1][0] is node:
            return False
        under_way = zip(reversed(self._calls), reversed(self._numbers), strict=True)
        before = next(numbers for (each, _), numbers in under_way if each is node)
        now = numbers_of(node, arguments)
        return any(0 <= one < before.get(name, -1.0) <= _LEVELS for name, one in now.items())

    def _unread(self, function: Defined, before: Mapping[str, float]) -> float:
        """How many times as much of a text is left as a function that calls itself, by others or not, has gone through
        once: what parses a text goes through all of it, however often it calls itself."""
        node = function.node
        if not isinstance(node, ast.FunctionDef):
            return 0.0
        reads = {key: made for key, many in self._advanced.items() if (made := many - before.get(key, 0.0)) > 0}
        if not reads or not self._comes_back(node.name):
            return 0.0
        own = {"self": function.own} if function.own is not None else {}
        self.frames.append(own)
        left = 0.0
        for place, text in self._cursors():
            value = self.value(text) if place in reads else None
            long = value.length if isinstance(value, Written) and value.known is None else 0.0
            if long > _SPELT and (self.times <= 1 or long < _SPELT * _SPELT):
                left = max(left, long * self.times / reads[place] - 1.0)
        self.frames.pop()
        if left < 1.0:
            return 0.0
        self.guessed.add(node.lineno)
        return left

    def _cursors(self) -> list[tuple[str, ast.expr]]:
        """Places of texts, by their last names, and the texts: of `text[pos]`, and of `*p`."""
        if self._places is None:
            found = dict[str, tuple[str, ast.expr]]()
            for one in ast.walk(self.module):
                if isinstance(one, ast.Subscript) and isinstance(one.value, (ast.Name, ast.Attribute)):
                    if isinstance(one.slice, (ast.Name, ast.Attribute)):
                        found[ast.unparse(one)] = last(one.slice), one.value
                    elif isinstance(one.slice, ast.Constant) and one.slice.value == 0:
                        found[ast.unparse(one)] = last(one.value), one.value
            self._places = [*found.values()]
        return self._places

    def _comes_back(self, name: str) -> bool:
        """Whether a function leads to itself."""
        if self._leads is None:
            self._leads = {
                each.name: {called(one) for one in ast.walk(each) if isinstance(one, ast.Call)}
                for each in ast.walk(self.module) if isinstance(each, ast.FunctionDef)
            }  # fmt: skip
        seen, left = set[str](), [name]
        while left:
            for each in self._leads.get(left.pop(), set()) - seen:
                if each == name:
                    return True
                seen.add(each)
                left.append(each)
        return False

    def _goes_again(self, node: ast.AST, frame: dict[str, Any], names: Sequence[str], own: Any) -> float:
        """How often a function runs each time that another one calls it."""
        if isinstance(node, ast.FunctionDef) and (count := self.counted_runs(node, frame)):
            self.pace *= self.tempo.again
            return count
        if count := self.visited(node, frame):
            return count
        return max(self._remembered(node, frame, names), self._branching(node, frame, own), self._descending(node))

    def _dividing(self, node: ast.AST, frame: dict[str, Any]) -> float:
        """How many times as long a function works as it does once that calls itself with parts of a list, two of them
        or more: as often as that can be halved."""
        if not isinstance(node, ast.FunctionDef) or sum(each is node for each, _ in self._calls) > 1:
            return 1.0
        inside = self.everything(node)
        parts = {
            target.id for one in inside if isinstance(one, ast.Assign) and _part(one.value)
            for target in one.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        calls = [one for one in inside if isinstance(one, ast.Call) and itself(one.func, node.name)]
        divided = [
            one for one in calls
            if any(_part(each) or (isinstance(each, ast.Name) and each.id in parts) for each in one.args)
        ]  # fmt: skip
        long = [self.many(one) for one in frame.values() if isinstance(one, Boxes) and one.kind == "list"]
        return math.log2(max(*long, 2.0, 2.0)) if len(divided) > 1 and long else 1.0

    def _branching(self, node: ast.AST, frame: dict[str, Any], own: Any) -> float:
        """How often a function runs that calls itself with one less: of `tree(depth - 1)` twice 2 to that power; of a
        constructor that makes others like itself as well."""
        if not isinstance(node, ast.FunctionDef) or sum(each is node for each, _ in self._calls) > 1:
            return 1.0
        of = own.of.node.name if node.name == "__init__" and isinstance(own, Boxes) and own.of else ""
        calls = [
            one
            for one in self.everything(node)
            if isinstance(one, ast.Call)
            and (itself(one.func, node.name) or (of and isinstance(one.func, ast.Name) and one.func.id == of))
        ]
        steps = {
            (part.left.id, isinstance(part.op, ast.Sub))
            for call in calls
            for part in call.args
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Sub, ast.Add))
            and isinstance(part.left, ast.Name) and isinstance(part.right, ast.Constant)
        }  # fmt: skip
        if len(calls) > 1 and (count := self._recurring(node, frame, calls)):
            self.recurring.add(id(node))
            self.settled = True
            return count
        limits = self._limits_of(node) if steps else {}
        deep = list[float]()
        for name, less in steps:
            start = frame.get(name)
            if isinstance(start, Number) and start.value is not None:
                two = start.distinct <= 2 and math.isfinite(start.high)  # one thing or the other
                ahead = start.high if two else start.value
                deep.append(ahead if less else limits.get(name, start.value) - start.value)
        if len(calls) == 1 and not deep and (bits := self._filled_up(node, calls[0])):
            several = [power(math.sqrt(each), each) for each in bits]
            return max(min(sum(several) / len(several) / UNKNOWN, self.states), 1.0)  # whose loop goes so often
        if not calls or not deep or (len(calls) > 1 and self._keeps(node)):
            return 1.0
        counted_down = self.layout is not None and all(less for _, less in steps)
        if len(calls) < 2 or counted_down:
            tried = self._tried(node, calls, max(deep), (ast.For, ast.While) if counted_down else (ast.For,))
            if len(calls) < 2 or tried > 1:
                return tried
        if not any(less for _, less in steps):
            return 1.0
        many = min(len(calls), max(in_turn(node.body, calls)))  # one way or another
        count = power(many, max(max(deep), 0.0) + 1.0)
        return count if count <= self.states else 1.0

    def _several_ways(self, node: ast.AST, of: str) -> bool:
        """Whether a function calls itself several times each time, or in a loop, by others or not; a constructor of a
        class makes others like itself."""
        if not isinstance(node, ast.FunctionDef) or self._keeps(node):
            return False
        calls = [
            one for one in self.everything(node) if isinstance(one, ast.Call)
            and (itself(one.func, node.name) or called(one) in (of, *self._back_to(node.name)))
        ]  # fmt: skip
        loops = [
            one for one in self.everything(node)
            if isinstance(one, (ast.For, ast.While, ast.ListComp, ast.GeneratorExp))
            and any(inner in calls for inner in ast.walk(one))
        ]  # fmt: skip
        return bool(loops) or (bool(calls) and max(in_turn(node.body, calls)) > 1)

    def _back_to(self, name: str) -> set[str]:
        """Other functions that lead to this one, and that it leads to."""
        self._comes_back(name)
        leads = self._leads or {}
        return {each for each in leads.get(name, set()) & leads.keys() if name in leads[each]}

    def _recurring(self, node: ast.FunctionDef, frame: dict[str, Any], calls: Sequence[ast.Call]) -> float:
        """How often a function runs that calls itself with one less, and with two less, all of them each time, until
        there is nothing left: `f(n - 1) + f(n - 2)`; 0 of others."""
        names = [each.arg for each in node.args.args]
        falls = [_falls(call, names) for call in calls]
        name = falls[0][0] if falls and falls[0] else ""
        if not name or any(one is None or one[0] != name for one in falls) or self._keeps(node) or marked(node):
            return 0.0
        if any(isinstance(one, (ast.For, ast.While, ast.comprehension, ast.Try)) for one in self.everything(node)):
            return 0.0
        ends = _ends_below(node, name)
        start = frame.get(name)
        if ends is None or max(in_turn(node.body, calls)) != len(calls):
            return 0.0
        if not isinstance(start, Number) or start.value is None or not 0 <= start.high - start.low <= _STARTS:
            return 0.0
        if not ends < start.high <= _STEPS:
            return 0.0
        runs = [1.0] * (int(start.high) + 1)
        for each in range(int(ends) + 1, len(runs)):
            before = (each - int(one[1]) for one in falls if one is not None)
            runs[each] = min(1.0 + sum(runs[one] if one >= 0 else 1.0 for one in before), _CALLS)
        begun = runs[max(int(start.low), 0) :]
        return sum(begun) / len(begun)

    def _descending(self, node: ast.AST) -> float:
        """How often a function runs that calls itself for one of those below, once each time: as often as what there is
        can be halved."""
        if not isinstance(node, ast.FunctionDef) or sum(each is node for each, _ in self._calls) > 1:
            return 1.0
        calls = [one for one in self.everything(node) if isinstance(one, ast.Call) and _again(one.func, node.name)]
        if not calls or max(in_turn(node.body, calls)) > 1:
            return 1.0
        given = {arg.arg for arg in node.args.args}
        stands = {target.id: one.value for one in self.everything(node) if isinstance(one, ast.Assign)
                  for target in one.targets if isinstance(target, ast.Name)}  # fmt: skip
        many = 1.0
        with self.hardly():
            for call in calls:
                for part in (*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else ())):
                    below = stands.get(part.id, part) if isinstance(part, ast.Name) else part
                    if not isinstance(below, ast.Attribute) or below.attr in NEXT:
                        continue
                    one = below.value
                    one = stands.get(one.id, one) if isinstance(one, ast.Name) and one.id not in given else one
                    if isinstance(one, ast.Name) and one.id in given and isinstance(box := self.value(one), Boxes):
                        many = max(many, box.made)
                    elif isinstance(one, ast.Subscript) and given & {getattr(x, "id", "") for x in ast.walk(one.slice)}:
                        many = max(many, self.length(self.value(one.value)) or 0.0)
        return max(math.log2(many), 1.0)

    def _filled_up(self, node: ast.FunctionDef, call: ast.Call) -> Sequence[float]:
        """Bits of a number that is filled up one by one: `if used == full: return 1`, `tried(used | bit)`, each time
        that it is; none of others."""
        adding = [one for part in call.args for one in ast.walk(part) if isinstance(one, ast.BinOp)]
        if not any(isinstance(one.op, ast.BitOr) for one in adding) or marked(node) or self._keeps(node):
            return ()
        with self.hardly():
            for each in node.body:
                if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):  # what it is compared with
                    self.bind(each.targets[0], self.value(each.value))
            most = max(self._limits_of(node).values(), default=0.0)
            named = {one.id for each in self.everything(node) if isinstance(each, ast.Compare)
                     for one in (each.left, *each.comparators) if isinstance(one, ast.Name)}  # fmt: skip
            fulls = [one for each in named if isinstance(one := self.named(each), Number) and one.high == most]
        bits = math.log2(most + 1) if 3 <= most < MANY else 0.0
        if not bits.is_integer() or not bits:
            return ()
        self.guessed.add(node.lineno)
        least = min((math.log2(max(one.low, 0.0) + 1) for one in fulls), default=bits)
        return [bits - less for less in range(int(bits - max(least, 1.0)) + 1)] if self.layout is not None else [bits]

    def _tried(
        self, node: ast.FunctionDef, calls: Sequence[ast.Call], deep: float, kinds: tuple[type[ast.stmt], ...]
    ) -> float:
        """How often a function runs that tries several things and goes on with each: as many as the root of those that
        it tries at each step, as most of them fail."""
        loops = [
            one for one in self.everything(node) if isinstance(one, kinds) and any(x in calls for x in ast.walk(one))
        ]
        with self.hardly():
            counts = [self._several(one) for one in loops]
        inside = [{id(one) for one in ast.walk(each)} for each in loops]
        several = max((  # those in each other: it goes through one or another of the rest
            math.prod(many or 1.0 for many, within in zip(counts, inside, strict=True) if id(each) in within)
            for each in loops
        ), default=1.0)  # fmt: skip
        if not loops or any(one is None for one in counts) or several < 2:
            return 1.0
        if self.layout is not None and all(best_first(one, calls) for one in loops):
            self.guessed.add(node.lineno)
            return max(deep, 1.0)  # mostly the first one is the one
        endless = power(math.sqrt(several), max(deep, 0.0)) > self.states
        if endless and any(isinstance(one, ast.While) for one in loops):  # most of it never happens
            return 1.0
        self.guessed.add(node.lineno)
        return max(min(power(math.sqrt(several), max(deep, 0.0)), self.states), 1.0)

    def _several(self, loop: ast.stmt) -> float | None:
        """How many things a loop tries."""
        if isinstance(loop, ast.For):
            return self.through(self.value(loop.iter))[0]
        return self.pursued(loop) if isinstance(loop, ast.While) else None

    def _keeps(self, node: ast.FunctionDef) -> bool:
        """Whether a function remembers what it knows."""
        return any(
            isinstance(one, ast.Assign) and any(isinstance(target, ast.Subscript) for target in one.targets)
            for one in self.everything(node)
        )

    def _remembered(self, node: ast.AST, frame: dict[str, Any], names: Sequence[str]) -> float:
        """How many states a function goes through that calls itself and keeps in a mapping what it knows: all that its
        numbers may be."""
        if (
            isinstance(node, ast.Lambda)
            or sum(each is node for each, _ in self._calls) > 1
            or not isinstance(node, ast.FunctionDef)
        ):
            return 1.0
        inside = self.everything(node)
        calls = [one for one in inside if isinstance(one, ast.Call) and itself(one.func, node.name)]
        again = bool(calls)
        keeps = any(
            isinstance(one, ast.Assign) and any(isinstance(t, ast.Subscript) for t in one.targets) for one in inside
        )
        asks = any(isinstance(one, ast.Compare) and isinstance(one.ops[0], (ast.In, ast.NotIn)) for one in inside)
        asks |= any(isinstance(one, ast.Call) and called(one) == "get" for one in inside)
        if not (again and keeps and asks):
            return 1.0
        passed = {one.id for call in calls for a in call.args for one in ast.walk(a) if isinstance(one, ast.Name)}
        known = [(name, one) for name in names if name in passed and isinstance(one := frame.get(name), Number)]
        limits = self._limits_of(node)
        reach = [max(abs(one.high), abs(one.low), limits.get(name, 0.0)) for name, one in known]
        top = max((r for r in reach if math.isfinite(r) and r < MANY), default=0.0)
        count = _reach([r if 0 < r < MANY else top for r in reach], calls)
        if not known or not count:
            return 1.0
        for (name, one), r in zip(known, reach, strict=True):
            r = r if 0 < r < MANY else top
            frame[name] = Number(r / 2, 0.0, r, max(r, 1.0), one.whole)
        return max(count / max(self.times, 1.0), 1.0)

    def _limits_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, float]:
        """How far the arguments of a function go that calls itself: `if i == len(a): return 0`."""
        found = dict[str, float]()
        for one in (each.test for each in self.everything(node) if isinstance(each, ast.If) and leaving(each.body)):
            for test in one.values if isinstance(one, ast.BoolOp) else [one]:
                if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
                    most = self.value(test.comparators[0])
                    if isinstance(test.ops[0], (ast.Eq, ast.GtE, ast.Gt)) and isinstance(most, Number) and most.value:
                        far = most.high if most.high < MANY else most.value
                        found[test.left.id] = max(found.get(test.left.id, 0.0), far)
        return found

    def _remember(self, function: Defined, arguments: list[Any]) -> None:
        """What a cache holds: all there may be of each argument where the function calls itself."""
        cached, node = function.cached, function.node
        if cached is None or any(each is node for each, _ in self._calls):
            return
        name = "" if isinstance(node, ast.Lambda) else node.name
        calls = [one for one in self.everything(node) if isinstance(one, ast.Call) and itself(one.func, name)]
        often = math.prod(min(differing(one), max(self.times, 1.0)) for one in arguments)
        count = min(often, self.times)
        if calls:
            limits = self._limits_of(node)
            names = [each.arg for each in node.args.args]
            numbers = [
                max(abs(one.high), abs(one.low), limits.get(name, 0.0))
                for name, one in zip(names, arguments, strict=False) if isinstance(one, Number)
            ]  # fmt: skip
            count = max(count, _reach([r if 0 < r < MANY else 1.0 for r in numbers], calls))
        new = min(count, cached.bound)
        if new > cached.puts:
            more = new - cached.puts
            several = len(arguments) != 1
            cached.puts = new
            cached.spilt += more * ((56.0 + 8 * len(arguments) + 32.0) if several else 32.0)
            self.grown = True


def _reach(tops: Sequence[float], calls: Sequence[ast.Call]) -> float:
    """How many states a function goes through that calls itself: all that its numbers may be up to these, a few where
    they are divided each time; 0 where that would be more than anybody waits for."""
    inside = [one for call in calls for part in call.args for one in ast.walk(part) if isinstance(one, ast.BinOp)]
    divided = [one for one in inside if isinstance(one.op, (ast.FloorDiv, ast.Div, ast.RShift, ast.Mod))]
    if divided:
        plain, top = all(isinstance(one.right, ast.Constant) for one in divided), max(tops, default=0.0)
        count = 2.0 * math.log2(top + 2) if plain else 2.0 * math.sqrt(top)
    else:
        count = math.prod(top + 1 for top in tops) / (2.0 if len(tops) > 1 else 1.0)
    return count if tops and count <= STATES else 0.0


def _falls(call: ast.Call, names: Sequence[str]) -> tuple[str, float] | None:
    """Which of its numbers a call makes less, and by how much: `f(n - 1, to, of)`; None where none, or several."""
    found = [
        (one.left.id, float(one.right.value)) for one in call.args
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and isinstance(one.left, ast.Name)
        and isinstance(one.right, ast.Constant) and isinstance(one.right.value, (int, float)) and one.right.value >= 1
    ]  # fmt: skip
    plain = sum(isinstance(one, (ast.Name, ast.Constant)) for one in call.args)
    return found[0] if len(found) == 1 and plain + 1 == len(call.args) and found[0][0] in names else None


def _ends_below(node: ast.FunctionDef, name: str) -> float | None:
    """The largest number with which a function does not call itself again: 1 of `if n < 2: return n`."""
    for test in (one.test for one in ast.walk(node) if isinstance(one, (ast.If, ast.IfExp))):
        first = test.values[0] if isinstance(test, ast.BoolOp) else test
        if isinstance(first, ast.Compare) and len(first.ops) == 1 and isinstance(first.left, ast.Name):
            end = first.comparators[0]
            if first.left.id == name and isinstance(end, ast.Constant) and isinstance(end.value, (int, float)):
                less = isinstance(first.ops[0], (ast.Lt, ast.GtE))
                return float(end.value) - less if isinstance(first.ops[0], _ASKED) else None
        plain = first.operand if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not) else first
        if isinstance(plain, ast.Name) and plain.id == name:
            return 0.0
    return None


def _part(node: ast.expr) -> bool:
    """`rows[:middle]`, `[x for x in rows if x < p]`."""
    return (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)) or isinstance(node, ast.ListComp)


def _again(node: ast.expr, name: str) -> bool:
    """Whether a function calls itself by this, or the same method of one below: `self.left.insert(…)`."""
    below = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.value, ast.Attribute)
    return itself(node, name) or below


def last(node: ast.expr) -> str:
    """What it is called, whosever it is."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def numbers_of(node: ast.AST, arguments: Sequence[Any]) -> dict[str, float]:
    """The numbers that a function is given, where they are known."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return {}
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return {
        name: one.known for name, one in zip(names, arguments, strict=False)
        if isinstance(one, Number) and one.known is not None
    }  # fmt: skip
