"""The blocks of a function that can be reached, with what is left of them, and how they end."""

from __future__ import annotations

from dataclasses import dataclass, field

from forerun.toolchains.llvm._graph import Block
from forerun.toolchains.llvm._memory import Memory
from forerun.toolchains.llvm._values import Operand, Shape, Value
from forerun.toolchains.llvm._variables import Slot

_FAR = 24
"""Tables of dominators that are asked what they know."""
_STEPS = 2000
"""Dominators that are passed to find a common one."""


@dataclass(slots=True)
class End:
    """Where a block goes on."""

    kind: str = "dead"
    """`jump`, `branch`, `switch`, `return`, `dead` (it goes nowhere), `other` (an invoke's call, a computed jump)."""
    value: Operand | None = None
    """The condition, what is switched on, or what is returned."""
    targets: list[Node] = field(default_factory=list)
    """Of a branch where it goes if the condition holds and where if not; of a switch the default first."""
    cases: list[int] = field(default_factory=list)
    """One for each target of a switch but the first."""


@dataclass(eq=False, slots=True)
class Node:
    """A block that can be reached."""

    block: Block
    predecessors: list[Node] = field(default_factory=list)
    """Those in front of it."""
    latches: list[Node] = field(default_factory=list)
    """Those behind it that loop back."""
    dominator: Node | None = None
    above: Node | None = None
    """The nearest dominator with another table of what is known."""
    known: dict[Shape, Operand] = field(default_factory=dict)
    """What has been computed, and what branches have told."""
    variables: dict[Slot, Operand] = field(default_factory=dict)
    """What parts of own variables hold at the end, as far as that was asked."""
    memory: Memory = field(default_factory=Memory)
    left: list[Value] = field(default_factory=list)
    """What it computes and does, phis aside."""
    end: End = field(default_factory=End)

    @property
    def number(self) -> int:
        """In reverse postorder."""
        return self.block.number

    def lookup(self, shape: Shape) -> Operand | None:
        """What is known of an operation here."""
        node: Node | None = self
        for _ in range(_FAR):
            if node is None:
                return None
            found = node.known.get(shape)
            if found is not None:
                return found
            node = node.above
        return None

    def follow(self, looped: bool) -> None:
        """Finds its place among the nodes in front of it, by Cooper, Harvey and Kennedy (2001): A Simple, Fast
        Dominance Algorithm. What comes `looped` back is not known here yet."""
        if not self.predecessors:
            return
        first = self.dominator = self.predecessors[0]
        if len(self.predecessors) == 1:
            straight = len(first.end.targets) == 1 and not looped
            self.above = first.above if straight else first
            if straight:
                self.known, self.memory = first.known, first.memory
            elif not looped:
                self.memory = first.memory.copy()
            return
        steps = _STEPS
        one: Node | None = first
        for way in self.predecessors[1:]:
            other: Node | None = way
            while one is not other:
                steps -= 1
                if one is None or other is None or not steps:
                    self.dominator = None
                    return
                if one.number > other.number:
                    one = one.dominator
                else:
                    other = other.dominator
        self.above = self.dominator = one
