"""What the parts of a function's own variables hold, where these become values.

They are looked up when they are read, as in Braun and others (2013), Simple and Efficient Construction of Static Single
Assignment Form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from forerun.toolchains.llvm._instructions import UNDEF
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._nodes import Node, Reduced
from forerun.toolchains.llvm._values import Operand, Value, same
from forerun.toolchains.llvm._variables import Slot, Variables, note, own_place

_STEPS = 2_000_000
"""Blocks that are asked in one function for what a variable holds."""


class Parts:
    """The parts of one function's variables."""

    def __init__(
        self,
        variables: Variables,
        loops: Mapping[int, int],
        layout: Layout,
        reduced: Reduced,
        phi: Callable[[str], Value],
    ) -> None:
        """`phi` makes one of a type; those that are made here are noted in `reduced`."""
        self._variables, self._loops, self._layout = variables, loops, layout
        self._reduced, self._phi, self._steps = reduced, phi, 0
        self.open: list[tuple[Value, Node, Slot]] = []
        """Phis at the beginnings of loops: what comes back there is known at the end."""

    def slot(self, pointer: Operand) -> tuple[Slot | None, bool]:
        """The part of an own variable that an address leads to, and whether that is kept as a value."""
        variable, offset = own_place(pointer)
        return (None, False) if offset is None else ((variable, offset), variable in self._variables.parts)

    def within(self, slot: Slot, type_: str) -> list[Slot]:
        """The parts that an aggregate at a part covers."""
        end = slot[1] + self._layout.size(type_)
        return [(slot[0], at) for at in self._variables.parts[slot[0]] if slot[1] <= at < end]

    def write(self, node: Node, slot: Slot, value: Operand) -> None:
        """A node writes a value to a part."""
        node.variables[slot] = value
        self.note(node, slot)

    def note(self, node: Node, slot: Slot) -> None:
        """A node writes to a part, wherever that is kept."""
        note(self._reduced.written, slot, node.number)

    def read(self, node: Node, slot: Slot) -> Operand:
        """What a part holds at the end of a node, as far as that has been walked."""
        waiting = [node]
        while waiting:
            node = waiting[-1]
            if slot in node.variables:
                waiting.pop()
                continue
            self._steps += 1 + len(node.predecessors)
            last = self._loops.get(node.number)
            if not node.predecessors or self._steps > _STEPS:
                node.variables[slot] = UNDEF
            elif last is not None and self._variables.writes(slot, node.number, last):
                phi = node.variables[slot] = self._phi("")
                self.open.append((phi, node, slot))
            elif unknown := [other for other in node.predecessors if slot not in other.variables]:
                waiting += unknown
            else:
                node.variables[slot] = self.joined(node, [other.variables[slot] for other in node.predecessors], "")
        return node.variables[slot]

    def joined(self, node: Node, values: list[Operand], type_: str) -> Operand:
        """What comes of several ways."""
        only = same(values)
        if only is None:
            only = self._phi(type_)
            only.args = tuple(values)
            self._reduced.phis[only] = node
        return only
