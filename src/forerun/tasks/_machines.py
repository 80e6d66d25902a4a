"""Programs that run programs, for `forerun.tasks._walked`: `while True: op = code[pc]; pc += 1; …; pc = target` goes
round as often as nobody knows who does not run what stands in `code`, but hardly less often than its numbers say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._chasing import Chasing
from forerun.tasks._inputs import Input
from forerun.tasks._objects import MANY, Boxes, Number
from forerun.tasks._shapes import dispatches

_ROUNDS, _MANY, _DEEP = 6.0, 1000.0, 3
"""Steps of a round of a loop that such a program has, a number from which on it says how often one goes round, and
things in things that are looked at."""
_NUMBER = re.compile(r"(?<![\w.])\d{3,9}(?![\w.])")
"""One that stands in a text."""


class Machines(Chasing):
    """Loops that do what a list says, one after the other, or elsewhere."""

    def __init__(self, given: Input) -> None:
        super().__init__(given)
        self._spoken: float | None = None

    def _goes(self, node: ast.While) -> None:
        programs = read_by(node.body) if self.layout is not None and id(node) not in self.told else []
        if not programs:
            super()._goes(node)
            return
        self.value(node.test)
        with self.hardly():
            boxes = [one for each in programs if isinstance(one := self.value(each), Boxes)]
        most = max((_largest(one) for one in boxes), default=0.0)
        most = most if most >= _MANY else self._written_most()
        self.guess(node.lineno)
        if most < _MANY:
            self.endless.add(node.lineno)
        long = max((one.entries for one in boxes), default=1.0)
        self._rounds(node.body, _ROUNDS * most if most >= _MANY else max(long, 1.0) * UNKNOWN)
        self.run(node.orelse)

    def _written_most(self) -> float:
        """The largest number that stands in a text of the program, or in its input, which it may read as one."""
        if self._spoken is None:
            texts = [one.value for one in ast.walk(self.module) if isinstance(one, ast.Constant)]
            texts += [one.first for _, _, turns in self._blocks for one in turns]
            found = (float(each) for one in texts if isinstance(one, str) for each in _NUMBER.findall(one))
            self._spoken = max(found, default=0.0)
        return self._spoken


def read_by(body: Sequence[ast.stmt]) -> list[ast.expr]:
    """Lists that a loop reads at a place that goes on by itself, or elsewhere, where it does one of many things each
    time; nothing of others."""
    if not dispatches(body):
        return []
    inside = [one for stmt in body for one in ast.walk(stmt)]
    counted = (one for one in inside if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add))
    steps = {ast.unparse(one.target) for one in counted}
    goes = {
        ast.unparse(target) for one in inside if isinstance(one, ast.Assign) for target in one.targets
        if isinstance(one.value, (ast.Name, ast.Subscript, ast.Attribute, ast.Call))
    }  # fmt: skip
    return [
        one.value for one in inside
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and ast.unparse(one.slice) in steps & goes
    ]  # fmt: skip


def _largest(value: Any, deep: int = 0) -> float:
    """The largest number in something, where that is known."""
    if isinstance(value, Number):
        return value.high if value.high < MANY else 0.0
    inner = _inside(value) if isinstance(value, Boxes) and deep < _DEEP else ()
    return max((_largest(one, deep + 1) for one in inner), default=0.0)


def _inside(box: Boxes) -> Iterator[Any]:
    yield box.one
    yield from box.fields.values()
    yield from (link[0] for link in box.links.values())
