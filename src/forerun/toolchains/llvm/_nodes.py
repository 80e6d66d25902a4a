"""The blocks of a function that can be reached, with what is left of them, and how they end."""

from __future__ import annotations

from dataclasses import dataclass, field

from forerun.toolchains.llvm._folding import INVERSE
from forerun.toolchains.llvm._graph import Block
from forerun.toolchains.llvm._memory import Memory
from forerun.toolchains.llvm._values import Operand, Shape, Value, same
from forerun.toolchains.llvm._variables import Slot

_FAR = 24
"""Tables of dominators that are asked what they know."""
_DEEPEST = 4
"""Conditions within a condition that a branch tells of."""
_REPLACED = 8
"""Phis in place of each other."""
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

    def holds(self, condition: Operand) -> int | None:
        """Whether a condition is known to hold here (1) or not (0)."""
        found = self.lookup(_truth(condition)) if isinstance(condition, Value) else condition
        return found & 1 if isinstance(found, int) else None

    def learn(self, condition: Operand, truth: int, deep: int = _DEEPEST) -> None:
        """Notes that a condition holds (1) or not (0), and what follows."""
        self.known[_truth(condition)] = truth
        if not isinstance(condition, Value) or not deep:
            return
        if condition.op == "icmp":
            self.known["icmp", condition.type, condition.args, condition.detail] = truth
            if inverse := INVERSE.get(condition.detail):
                self.known["icmp", condition.type, condition.args, inverse] = 1 - truth
        elif condition.op == ("and" if truth else "or"):
            for part in condition.args:
                self.learn(part, truth, deep - 1)
        elif condition.op == "xor" and condition.args[1] == 1:
            self.learn(condition.args[0], 1 - truth, deep - 1)

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


@dataclass(slots=True)
class Reduced:
    """What a walk has left."""

    nodes: list[Node]
    """In reverse postorder."""
    phis: dict[Value, Node] = field(default_factory=dict)
    """Where each stands. Their operands are in the order of the node's predecessors and latches."""
    loops: dict[int, int] = field(default_factory=dict)
    """The number of the block that a loop begins with, and of the last that goes back there."""
    written: dict[Slot, list[int]] = field(default_factory=dict)
    """The numbers of the blocks that write to parts of own variables, in order."""


def _truth(condition: Operand) -> Shape:
    """Under which it is known whether a condition holds."""
    return "truth", "", (condition,), ""


def drop_single_phis(reduced: Reduced) -> None:
    """Puts what phis join in place of those that join one thing."""
    replaced: dict[Operand, Operand] = {}

    def final(operand: Operand) -> Operand:
        for _ in range(_REPLACED):
            if operand not in replaced:
                break
            operand = replaced[operand]
        return operand

    for phi in reduced.phis:
        only = same([operand for operand in map(final, phi.args) if operand is not phi])
        if only is not None:
            replaced[phi] = only
    if not replaced:
        return
    for node in reduced.nodes:
        node.end.value = None if node.end.value is None else final(node.end.value)
        for value in node.left:
            value.args = tuple(map(final, value.args))
            for operand in value.args:
                if isinstance(operand, Value) and operand.op == "aggregate":
                    operand.args = tuple(map(final, operand.args))
    reduced.phis = {phi: node for phi, node in reduced.phis.items() if phi not in replaced}
    for phi in reduced.phis:
        phi.args = tuple(map(final, phi.args))
