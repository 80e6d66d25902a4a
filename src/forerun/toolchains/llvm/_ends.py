"""How blocks end once code is made of them: with tail calls, with what another block ends with, too, and with choices
between values instead of branches."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from forerun.toolchains.llvm._instructions import CASTS
from forerun.toolchains.llvm._nodes import Node, Reduced
from forerun.toolchains.llvm._values import Operand, Value, is_own, place

_JUMPS = 6
"""Blocks with nothing in them that are passed on the way to a return."""
_DEEPEST = 12
"""Operands of operands that are compared."""
_CHEAP = CASTS | frozenset("add sub and or xor shl lshr ashr icmp select getelementptr".split())
_UNLIKE = frozenset(("phi", "alloca", "parameter"))
"""Values that are like no other."""


def tail_call(node: Node) -> Value | None:
    """The call that a block's function ends with: the last thing done, and what it gives is what is returned."""
    call = node.left[-1] if node.left else None
    if call is None or call.op != "call" or call.detail == "asm" or any(is_own(place(arg)[0]) for arg in call.args):
        return None
    for _ in range(_JUMPS):
        if node.end.kind == "return":
            return call if _gives(call, node.end.value) else None
        if node.end.kind != "jump" or not node.end.targets or node.end.targets[0].left:
            return None
        node = node.end.targets[0]
    return None


def _gives(call: Value, returned: Operand | None) -> bool:
    """Whether what is returned is what a call gives; the C library's copies give where they copy to."""
    if returned is None or returned is call:
        return True
    if isinstance(returned, Value) and returned.op == "phi":
        return call in returned.args
    return call.detail.startswith("@llvm.mem") and call.args[:1] == (returned,)


def selecting(reduced: Reduced) -> set[Node]:
    """Blocks whose branch is around nothing: what it chooses between is selected without one."""
    found = set()
    for node in reduced.nodes:
        if node.end.kind == "branch":
            sides = node.end.targets
            after = [_after(side) for side in sides]
            for join in (sides[0], sides[1], after[0]):
                ways = [join is side or join is behind for side, behind in zip(sides, after, strict=True)]
                if join and all(ways) and len(join.predecessors) == 2:
                    found.add(node)
    return found


def _after(node: Node) -> Node | None:
    """The block that follows one with nothing in it, which only one other leads to."""
    if not _is_cheap(node.left) or node.end.kind != "jump" or len(node.predecessors) != 1 or node.latches:
        return None
    return node.end.targets[0] if node.end.targets else None


def _is_cheap(values: list[Value]) -> bool:
    """Whether it may be computed on both ways: one operation, or none."""
    return len(values) <= 1 and all(not value.effect and value.op in _CHEAP for value in values)


@dataclass(slots=True)
class Merged:
    """What stands twice and is kept once."""

    values: set[Value] = field(default_factory=set)
    nodes: set[Node] = field(default_factory=set)
    """Those of whose ends another has the like."""


@dataclass(slots=True)
class _Tail:
    """What some blocks end with, read backwards."""

    before: dict[Hashable, _Tail] = field(default_factory=dict)
    whole: Node | None = None
    """A block that is this and no more."""


def merged(reduced: Reduced) -> Merged:
    """The ends of blocks that are like those of blocks behind them, as branch folding finds them."""
    found, tails, alike = Merged(), dict[Hashable, _Tail](), _Alike()
    instead: dict[Node, Node] = {}
    for node in reversed(reduced.nodes):
        end = _end(node, alike, instead)
        tail, same, known = tails.setdefault(end, _Tail()), list[Value](), True
        for value in reversed(node.left):
            if value.op in ("getelementptr", "alloca"):
                continue
            key = (value.op, value.type, value.detail, *map(alike, value.args))
            known = known and key in tail.before
            if known:
                same.append(value)
            tail = tail.before.setdefault(key, _Tail())
        if not same:
            tail.whole = tail.whole or node
            continue
        found.values.update(same)
        if node.end.kind in ("return", "branch", "dead"):
            found.nodes.add(node)
        if known and tail.whole:
            instead[node] = tail.whole
        else:
            tail.whole = tail.whole or node
    return found


def _end(node: Node, alike: _Alike, instead: dict[Node, Node]) -> Hashable:
    """What two blocks have in common that go on alike."""
    end = node.end
    if end.kind in ("switch", "other"):
        return node
    value = None if end.value is None else alike(end.value)
    return end.kind, value, *(instead.get(target, target) for target in end.targets)


class _Alike:
    """Stands the first of those that are computed alike for all of them."""

    def __init__(self) -> None:
        self._known: dict[Value, Operand] = {}
        self._first: dict[Hashable, Value] = {}

    def __call__(self, operand: Operand, deep: int = 0) -> Operand:
        if not isinstance(operand, Value) or operand.op in _UNLIKE or deep > _DEEPEST:
            return operand
        if operand not in self._known:
            args = tuple(self(arg, deep + 1) for arg in operand.args)
            key = (operand.op, operand.type, operand.detail, operand.offset, operand.scales, args)
            self._known[operand] = self._first.setdefault(key, operand)
        return self._known[operand]
