"""Which of a function's own variables become values, as SROA and mem2reg make them.

Those do of which only loads and stores know the address, and of these each constant part that does not overlap another:
https://llvm.org/docs/Passes.html#sroa-scalar-replacement-of-aggregates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from forerun.toolchains.llvm._graph import Enter, Graph, Leave, Step
from forerun.toolchains.llvm._instructions import Instruction, Written, locals_of
from forerun.toolchains.llvm._layout import Layout, is_aggregate
from forerun.toolchains.llvm._values import Operand, Value, is_own, place

Slot = tuple[str, int]
"""A part of a variable: the variable's name, and the bytes to where the part begins."""
UNUSED = ("@llvm.lifetime.", "@llvm.dbg.", "@llvm.assume", "@llvm.experimental.noalias", "@llvm.invariant.")
"""Calls that are no code and no use of what they are given."""
_MOST = 400
"""Parts of one variable that become values."""
_NOWHERE: tuple[str, int | None] = ("", None)


def returned(frame: int) -> Slot:
    """Where an inlined function leaves what it returns."""
    return f"return {frame}", 0


@dataclass(slots=True)
class Variables:
    """What is known of a function's own variables."""

    parts: dict[str, list[int]] = field(default_factory=dict)
    """Where those begin, in order, of each variable that becomes values."""
    escaped: set[str] = field(default_factory=set)
    """Variables that others may know."""
    written: dict[Slot, list[int]] = field(default_factory=dict)
    """The numbers of the blocks that write to each part, in order."""

    def writes(self, slot: Slot, first: int, last: int) -> bool:
        """Whether one of the blocks from the first to the last writes to a part."""
        numbers = self.written.get(slot, ())
        at = bisect_left(numbers, first)
        return at < len(numbers) and numbers[at] <= last


def note(written: dict[Slot, list[int]], slot: Slot, number: int) -> None:
    """Adds a block, the last one so far, to those that write to a part."""
    numbers = written.setdefault(slot, [])
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def by_name(graph: Graph, layout: Layout) -> Variables:
    """What the names of addresses tell."""
    names = _Names(graph.frames, layout)
    for block in graph.blocks:
        for step in block.steps:
            names.note(step, block.frame, block.number)
    return names.uses.variables()


def by_value(lefts: Iterable[Iterable[Value]], others: Iterable[Operand], layout: Layout) -> Variables:
    """What is left of all blocks tells, and which operands else are used; nothing of who writes."""
    uses = _Uses(layout)
    for left in lefts:
        for value in left:
            match value.op:
                case "load":
                    uses.access(*own_place(value.args[0]), value.type, kept=value.effect)
                case "store":
                    uses.access(*own_place(value.args[1]), value.type, kept=value.detail == "volatile")
                    uses.escape(own_place(value.args[0])[0])
                case "getelementptr":
                    pass
                case _:
                    for operand in value.args:
                        uses.escape(own_place(operand)[0])
    for operand in others:
        uses.escape(own_place(operand)[0])
    return uses.variables()


def own_place(pointer: Operand) -> tuple[str, int | None]:
    """The variable that an address leads to, "" where it leads to none; and how far into it."""
    base, offset = place(pointer)
    return (base.detail, offset) if is_own(base) else _NOWHERE


class _Uses:
    """What is done with variables."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._sizes: dict[str, dict[int, int]] = {}
        """Of each variable the parts that are used: where they begin, and the most bytes that are used there."""
        self._wholes: set[str] = set()
        self._escaped: set[str] = set()
        self._written: dict[Slot, list[int]] = {}

    def access(self, variable: str, offset: int | None, type_: str, kept: bool = False) -> None:
        """A load or store; none of a variable with the name ""."""
        if not variable:
            return
        parts = self._sizes.setdefault(variable, {})
        if offset is None or kept or len(parts) > _MOST:
            self._wholes.add(variable)
        else:  # an aggregate covers its parts, and is one only where there are no others
            size = 0 if is_aggregate(type_) else self._layout.size(type_)
            parts[offset] = max(parts.get(offset, 0), size)

    def write(self, slot: Slot, number: int) -> None:
        """A block writes to a part."""
        note(self._written, slot, number)

    def escape(self, variable: str) -> None:
        """Others may know it."""
        self._escaped.add(variable)

    def variables(self) -> Variables:
        """All that was told."""
        stay = self._escaped | self._wholes
        parts = {name: sorted(sizes) for name, sizes in self._sizes.items() if name not in stay and _apart(sizes)}
        return Variables(parts, self._escaped, self._written)


def _apart(sizes: dict[int, int]) -> bool:
    """Whether no part reaches into the next one."""
    end = -(1 << 70)
    for at in sorted(sizes):
        if at < end:
            return False
        end = at + sizes[at]
    return True


class _Names:
    """The addresses of variables and of their parts, by name."""

    def __init__(self, frames: int, layout: Layout) -> None:
        self.uses = _Uses(layout)
        self._layout = layout
        self._places: list[dict[str, tuple[str, int | None]]] = [{} for _ in range(frames)]

    def note(self, step: Step, frame: int, number: int) -> None:
        """What one step of a block does with variables."""
        match step:
            case Instruction():
                self._instruction(step, frame, number)
            case Enter():
                self._escape(frame, *step.args)
            case Leave():
                self.uses.write(returned(step.frame), number)
                self._escape(frame, *([] if step.value is None else [step.value]))

    def _place(self, frame: int, pointer: Written) -> tuple[str, int | None]:
        return self._places[frame].get(str(pointer), _NOWHERE)

    def _instruction(self, step: Instruction, frame: int, number: int) -> None:
        match step.op:
            case "alloca" if not step.args:
                self._places[frame][step.name] = (f"{frame}{step.name}", 0)
            case "getelementptr":
                variable, offset = self._place(frame, step.args[0])
                if variable:
                    self._places[frame][step.name] = (variable, _further(offset, step, self._layout))
                self._escape(frame, *step.args[1 if variable else 0 :])
            case "load":
                self.uses.access(*self._place(frame, step.args[0]), step.type, kept=step.volatile)
            case "store":
                variable, offset = self._place(frame, step.args[1])
                self.uses.access(variable, offset, step.type, kept=step.volatile)
                if variable and offset is not None:
                    self.uses.write((variable, offset), number)
                self._escape(frame, step.args[0])
            case "call" if step.detail.startswith(UNUSED):
                pass
            case _:
                self._escape(frame, *step.args)

    def _escape(self, frame: int, *operands: Written) -> None:
        for operand in operands:
            if isinstance(operand, str):
                names = [operand] if operand[:1] == "%" else locals_of(operand)
                for name in names:
                    self.uses.escape(self._place(frame, name)[0])


def _further(offset: int | None, step: Instruction, layout: Layout) -> int | None:
    """Where an address leads that is reckoned from one that leads so far; None where that varies."""
    if offset is None or not all(isinstance(index, int) for index in step.args[1:]):
        return None
    indices = [int(index) for index in step.args[1:]]
    offset, type_ = offset + sum(indices[:1]) * layout.size(step.type), step.type
    for index in indices[1:]:
        more, type_ = layout.part(type_, index)
        offset += more
    return offset
