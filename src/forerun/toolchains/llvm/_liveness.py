"""Which values live across calls: these need registers that calls preserve, or places on the stack."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Set

from forerun.toolchains.llvm._nodes import Node, Reduced
from forerun.toolchains.llvm._values import Operand, Value, is_own, place

_DEEPEST = 30
"""Loops around a block that are looked at."""


def across_calls(reduced: Reduced, calls: Set[Value]) -> int:
    """How many values are made in front of one of the calls and used behind it.

    Blocks stand in reverse postorder, one behind the other; what is made in front of a loop and used in it lives to the
    loop's end. Addresses of variables and of global names are made where they are used.
    """
    lives = _Lives(reduced, calls)
    for node in reduced.nodes:
        lives.use(node)
    return lives.crossing()


class _Lives:
    """When values are made and last used."""

    def __init__(self, reduced: Reduced, calls: Set[Value]) -> None:
        self._calls: list[int] = []
        self._made: dict[Value, int] = {}
        self._used: dict[Value, int] = {}
        self._spans: dict[Node, tuple[int, int]] = {}
        now = 0
        for node in reduced.nodes:
            begin = now
            now += 1  # when the block's phis are made
            for value in node.left:
                now += 1
                self._made[value] = now
                if value in calls:
                    self._calls.append(now)
            now += 1
            self._spans[node] = (begin, now)
        self._joins: dict[Node, list[tuple[Operand, Node]]] = {}
        for phi, node in reduced.phis.items():
            self._made[phi] = self._spans[node][0] + 1
            for operand, way in zip(phi.args, [*node.predecessors, *node.latches], strict=False):
                self._joins.setdefault(way, []).append((operand, node))
        ends = {node.number: self._spans[node] for node in reduced.nodes}
        loops = [(ends[first][0], ends[last][1]) for first, last in reduced.loops.items() if first in ends]
        self._loops = sorted(loops, reverse=True)
        self._around: list[tuple[int, int]] = []
        """The loops around a block, the outermost first."""

    def use(self, node: Node) -> None:
        """Notes what a block uses; blocks come in order."""
        begin, end = self._spans[node]
        while self._loops and self._loops[-1][0] <= begin:
            self._around.append(self._loops.pop())
        self._around = [loop for loop in self._around if loop[1] > begin][-_DEEPEST:]
        starts = [loop[0] for loop in self._around]
        for value in node.left:
            for operand in value.args:
                self._until(operand, self._made[value], starts)
        if node.end.value is not None:
            self._until(node.end.value, end, starts)
        for operand, _ in self._joins.get(node, ()):
            self._until(operand, end, starts)

    def _until(self, operand: Operand, when: int, starts: list[int]) -> None:
        if not isinstance(operand, Value) or is_own(place(operand)[0]):
            return
        loop = bisect_left(starts, self._made.get(operand, 0))
        if loop < len(starts):
            when = max(when, self._around[loop][1])
        self._used[operand] = max(self._used.get(operand, 0), when)

    def crossing(self) -> int:
        """How many are in use during a call."""
        found = 0
        for value, last in self._used.items():
            call = bisect_right(self._calls, self._made.get(value, 0))
            found += call < len(self._calls) and self._calls[call] < last
        return found
