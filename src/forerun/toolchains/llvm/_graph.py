"""The blocks of a function with those of the functions that are inlined into it.

What every optimiser inlines: functions that must be, and local ones with one caller. A frame is one function or one
inlined call of it: each has names of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import ClassVar

from forerun.toolchains.llvm._instructions import Instruction, Written
from forerun.toolchains.llvm._ir import Function

_DEEPEST = 12
"""Calls that are inlined into each other."""
_MOST = 3000
"""Instructions that are inlined into one function."""
_JUMPS = frozenset(("br", "switch", "indirectbr"))
_ENDS = _JUMPS | {"ret", "unreachable", "resume"}


@dataclass(slots=True)
class Enter:
    """Goes into an inlined function."""

    op: ClassVar[str] = "enter"
    frame: int
    parameters: list[str]
    args: tuple[Written, ...]


@dataclass(slots=True)
class Leave:
    """Goes back to where a frame was called from."""

    op: ClassVar[str] = "leave"
    frame: int
    value: Written | None


@dataclass(slots=True)
class Result:
    """Names what an inlined function has returned."""

    op: ClassVar[str] = "result"
    name: str
    frame: int


Step = Instruction | Enter | Leave | Result


@dataclass(eq=False, slots=True)
class Block:
    """Steps, the last of which says where to go on."""

    frame: int
    label: str
    steps: list[Step] = field(default_factory=list)
    targets: list[Block] = field(default_factory=list)
    """One for each label of the last step."""
    number: int = -1
    """In reverse postorder."""


@dataclass(slots=True)
class Graph:
    """The blocks that the first one leads to, each behind all that lead to it but those that loop back."""

    blocks: list[Block]
    frames: int
    refused: set[str]
    """Functions that could not be inlined."""


class Inliner:
    """Makes graphs, and inlines into all of them together no more than `allowed` instructions."""

    def __init__(self, inlined: Callable[[str], Function | None], allowed: int) -> None:
        """`inlined` gives the function of a name if its calls are to be inlined."""
        self._inlined, self._allowed = inlined, allowed

    def graph(self, function: Function) -> Graph:
        """Of a function that has blocks."""
        copy = _Copy(self._inlined, min(self._allowed, _MOST))
        graph = copy.graph(function)
        self._allowed -= copy.spent
        return graph


class _Copy:
    """The blocks of one function, as they are copied."""

    def __init__(self, inlined: Callable[[str], Function | None], allowed: int) -> None:
        self._inlined, self._allowed = inlined, allowed
        self._frames = self.spent = 0
        self._refused: set[str] = set()

    def graph(self, function: Function) -> Graph:
        entry, _ = self._copied(function, (function.name,), None)
        return Graph(_ordered(entry), self._frames, self._refused)

    def _copied(self, function: Function, callers: Collection[str], back: Block | None) -> tuple[Block, int]:
        """The first of the function's blocks, and its frame; returns go `back`."""
        frame, self._frames = self._frames, self._frames + 1
        blocks = {label: Block(frame, label) for label in function.blocks}
        for label, instructions in function.blocks.items():
            block = blocks[label]
            for instruction in instructions:
                callee = self._callee(instruction, callers)
                if callee:
                    block = self._entered(block, instruction, callee, callers)
                elif instruction.op == "ret" and back:
                    block.steps.append(Leave(frame, instruction.args[0] if instruction.args else None))
                    block.targets = [back]
                    break
                else:
                    block.steps.append(instruction)
                    if instruction.op in _ENDS or (instruction.labels and instruction.op != "phi"):
                        block.targets = [blocks[name] for name in instruction.labels if name in blocks]
                        break
        return next(iter(blocks.values())), frame

    def _callee(self, call: Instruction, callers: Collection[str]) -> Function | None:
        """The function that is inlined where it is called."""
        if call.op != "call" or call.detail[:1] != "@" or not (callee := self._inlined(call.detail)):
            return None
        refused = call.labels or callee.varargs or callee.name in callers or len(callers) > _DEEPEST
        if refused or self.spent + callee.instructions > self._allowed or not callee.blocks:
            self._refused.add(callee.name)
            return None
        self.spent += callee.instructions
        return callee

    def _entered(self, block: Block, call: Instruction, callee: Function, callers: Collection[str]) -> Block:
        """The block that follows the call."""
        after = Block(block.frame, block.label)
        first, frame = self._copied(callee, (*callers, callee.name), after)
        block.steps.append(Enter(frame, callee.parameters, call.args))
        block.targets = [first]
        after.steps.append(Result(call.name, frame))
        return after


def _ordered(entry: Block) -> list[Block]:
    """Reverse postorder: what a block leads to stands behind it, but for loops."""
    seen, found, stack = {entry}, list[Block](), [(entry, iter(entry.targets))]
    while stack:
        block, targets = stack[-1]
        target = next((target for target in targets if target not in seen), None)
        if target:
            seen.add(target)
            stack.append((target, iter(target.targets)))
        else:
            found.append(block)
            stack.pop()
    found.reverse()
    for number, block in enumerate(found):
        block.number = number
    return found
