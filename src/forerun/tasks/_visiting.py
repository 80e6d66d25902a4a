"""How often functions of a plain Python program run that go through all that is below something, for
`forerun.tasks._walked`: `def count(n): return 1 + count(n.left) + count(n.right) if n else 0`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from forerun.tasks import _levels as levels
from forerun.tasks._descending import Descending
from forerun.tasks._objects import Boxes
from forerun.tasks._searching import in_turn, leaving
from forerun.tasks._shapes import called

_CALLS = 1e13
"""How often a function runs, at most."""
_WITHIN = frozenset("items values enumerate reversed list tuple sorted".split())
"""Functions and methods that give what is in what they are given."""
_EARLY = frozenset("any all next".split())
"""Functions that end with the first one that they look for."""
_EACH = "*"
"""Stands for all fields."""


class Visiting(Descending):
    """What calls itself for each of those below."""

    def visited(self, node: ast.AST, frame: Mapping[str, Any]) -> float:
        """How often a function runs each time that another one calls it; 0 of one that does not go through all that is
        below something it is given."""
        if not isinstance(node, ast.FunctionDef) or sum(each is node for each, _ in self._calls) > 1:
            return 0.0
        calls = [one for one in self.everything(node) if isinstance(one, ast.Call) and called(one) == node.name]
        if not calls or levels.remembers(node):
            return 0.0
        for name in (each.arg for each in node.args.args):
            box = frame.get(name)
            if isinstance(box, Boxes) and (steps := _Steps(node, self.everything(node), name)).lead(calls):
                return self._all_below(node, box, steps, calls)
        return 0.0

    def _all_below(self, node: ast.FunctionDef, box: Boxes, steps: _Steps, calls: Sequence[ast.Call]) -> float:
        found = levels.ways(node, calls)
        asked = [*(test for way in found for test, _ in way.tests), *self._first_asked(node, calls)]
        loops = [loop for way in found for loop in way.loops]
        if len(found) < len(calls) or any(way.first for way in found) or any(self._decided(x, steps) for x in asked):
            return 0.0
        if any(isinstance(loop, ast.While) or not steps.within(loop.iter) for loop in loops):
            return 0.0
        each = max(in_turn(node.body, calls))
        if not loops and each < 2:
            return 0.0
        below = _below(box, steps.fields)
        many = sum(min(one.made, one.below) if one.below else one.made / self._first_ones(box) for one in below)
        if many <= 1.0:
            return 0.0
        ended = [] if loops or any(steps.within(test) for test in asked) else _ended(node, steps.name)
        if ended:  # those that are not there are asked as well
            many = many * each + 1.0
            self.told |= {id(test): 1.0 - 1.0 / each for test in ended}
        self._exactly[id(node)] = {id(test) for test in ended}
        self.recurring.add(id(node))
        return min(many, _CALLS)

    def _first_asked(self, node: ast.FunctionDef, calls: Sequence[ast.Call]) -> Iterator[ast.expr]:
        """What is asked in an expression before it comes to a call: the `n` of `n and 1 + count(n.left)`."""
        for one in self.everything(node):
            if isinstance(one, ast.BoolOp):
                asking = [place for place, each in enumerate(one.values) if any(x in calls for x in ast.walk(each))]
                yield from one.values[: max(asking, default=0)]
            elif isinstance(one, ast.Call) and called(one) in _EARLY and any(x in calls for x in ast.walk(one)):
                yield one

    def _decided(self, test: ast.expr, steps: _Steps) -> bool:
        """Whether a test asks for more than what is given, and what that is compared with: a search."""
        if any(isinstance(one, ast.Call) and called(one) in (steps.of, *_EARLY) for one in ast.walk(test)):
            return True
        functions = {id(one.func) for one in ast.walk(test) if isinstance(one, ast.Call)}
        names = [one for one in ast.walk(test) if isinstance(one, ast.Name) and id(one) not in functions]
        return any(one.id not in steps.names and not _fixed(self.named(one.id)) for one in names)

    def _first_ones(self, box: Boxes) -> float:
        """How many there are of which others are below, as far as that is told: as often as the name was given one that
        has it now."""
        bound = [
            self.since.get(id(frame), {}).get(name, 1.0)
            for frame in (self.frames[0], *self.frames[-2:-1]) for name, one in frame.items() if one is box
        ]  # fmt: skip
        return max(min(bound, default=1.0), 1.0)


class _Steps:
    """How a function comes from what it is given, of a name, to what is below: names that have it, and its fields."""

    def __init__(self, node: ast.FunctionDef, inside: Sequence[ast.AST], name: str) -> None:
        self.of, self._given = node.name, [each.arg for each in node.args.args]
        self.name, self.names, self.fields = name, {name}, set[str]()
        before = -1
        while before < len(self.names):
            before = len(self.names)
            for one in inside:
                if isinstance(one, (ast.For, ast.comprehension)) and self.within(one.iter):
                    self._keep(one.target)
                elif isinstance(one, ast.Assign) and self.within(one.value):
                    self._keep(one.targets[0])
                elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple) and self._is(one.value):
                    self.fields.add(_EACH)
                    self._keep(one.targets[0])

    def _keep(self, target: ast.expr) -> None:
        self.names |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}

    def _is(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def within(self, node: ast.expr) -> bool:
        """Whether something is below what is given; keeps by which field."""
        if isinstance(node, ast.Name):
            return node.id in self.names and node.id != self.name
        if isinstance(node, ast.Call):
            inner = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
            return called(node) in _WITHIN and inner is not None and self.within(inner)
        if isinstance(node, ast.UnaryOp) or (isinstance(node, ast.Compare) and len(node.ops) == 1):
            return self.within(node.operand if isinstance(node, ast.UnaryOp) else node.left)
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return False
        if not (self._is(node.value) or self.within(node.value)):
            return False
        if isinstance(node, ast.Attribute):
            self.fields.add(node.attr)
        else:
            self.fields.add(str(node.slice.value) if isinstance(node.slice, ast.Constant) else _EACH)
        return True

    def lead(self, calls: Sequence[ast.Call]) -> bool:
        """Whether all calls are given something below in its place."""
        place = self._given.index(self.name)
        for call in calls:
            own = isinstance(call.func, ast.Attribute) and self._given[0] in ("self", "cls")
            given = [call.func.value, *call.args] if own and isinstance(call.func, ast.Attribute) else call.args
            if place >= len(given) or not self._goes_down(given[place]):
                return False
        return True

    def _goes_down(self, node: ast.expr) -> bool:
        return not isinstance(node, (ast.Compare, ast.UnaryOp)) and self.within(node)


def _fixed(value: Any) -> bool:
    """Whether it is the same for all: a number or a text that is known, a class, a module."""
    return not isinstance(value, Boxes) and (not hasattr(value, "known") or value.known is not None)


def _below(box: Boxes, fields: Collection[str]) -> list[Boxes]:
    """All populations that are below one, by these fields, with itself."""
    found, left = dict[int, Boxes](), [one for one, _ in box.ways()]
    while left:
        one = left.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        left += _next(one, fields)
    return [*found.values()]


def _next(box: Boxes, fields: Collection[str]) -> Iterator[Boxes]:
    """Those that are in its fields, or in lists that these have."""
    for name, value in box.fields.items():
        if not isinstance(value, Boxes) or (name not in fields and _EACH not in fields):
            continue
        for one, _ in value.ways():
            if one.kind in ("list", "dict", "set", "deque") and one.kind != box.kind and one.of is None:
                yield from (inner for inner, _ in one.links.values() if inner.kind != "atom")
            else:
                yield one


def _ended(node: ast.FunctionDef, name: str) -> list[ast.expr]:
    """Tests that hold where what it is given is not there: `if n is None: return`."""
    found = list[ast.expr]()
    for one in node.body:
        if isinstance(one, ast.If) and leaving(one.body) and not one.orelse:
            test = one.test.operand if isinstance(one.test, ast.UnaryOp) else one.test
            first = test.left if isinstance(test, ast.Compare) else test
            if isinstance(first, ast.Name) and first.id == name:
                found.append(one.test)
    return found[:1]
