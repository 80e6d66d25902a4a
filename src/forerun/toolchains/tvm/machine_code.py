"""What LLVM makes of a schedule, in numbers: instructions of a kernel's hottest loop, of what is around it, of all.

A schedule does not say how its loops become code: whether sums stay in registers or are spilled, how many elements a
load fills, whether indices are computed each time. Machine code does, before it runs. That of x86-64 is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

KINDS = (
    "all", "sums of 16", "sums of 8", "sums of 4", "sums of 1", "sums from memory", "broadcasts", "sums of broadcasts",
    "loads", "stores", "reloads", "spills", "whole numbers", "shuffles", "scalars", "divisions", "registers", "chain",
)  # fmt: skip
"""What is counted: instructions, of them fused multiply-adds by how many floats they sum up, what these read, …;
spills and reloads are to and from the stack. Last, how many registers hold sums, and the most sums one of them gets."""
_RATES = 11
WIDTH = 3 * len(KINDS) + _RATES
"""Features."""
_LABEL = re.compile(r"(\.?[\w$.]+):")
_INSTRUCTION = re.compile(r"\t([a-z][\w.]*)\s*([^#]*)")
_SUM = re.compile(r"vfn?m(?:add|sub)")
_SHUFFLES = tuple("vperm vshuf vunpck vinsert vextract vpgather vgather vscatter vblend vpinsr vpextr".split())
_SCALARS = frozenset(("vmovss", "vmovsd", "vmovd", "vmovq"))
_VECTORS = {"zmm": "sums of 16", "ymm": "sums of 8"}
_NESTED = 4.0
"""How many times as often what is one loop deeper is taken to run."""
_PAIRED, _PORTS, _LATENCY = 2, 8, 4
"""Sums, loads or shuffles that a core begins in a cycle, instructions, and cycles until a sum can be added to."""

Instruction = tuple[str, str]
"""Its operation, and its operands in AT&T's order."""
Counts = Counter[str]


def features(assembly: str) -> NDArray[np.float64]:
    """`[WIDTH]`, of a module's assembly."""
    code, loops = _parsed(assembly)
    depth = np.zeros(len(code), int)
    for first, last in loops:
        depth[first : last + 1] += 1
    sums = np.array([bool(_SUM.match(operation)) for operation, _ in code], bool)
    worked = [_NESTED ** depth[a] * (sums[a : b + 1] & (depth[a : b + 1] == depth[a])).sum() for a, b in loops]
    hot, around, deep = counted(code), Counts(), 0
    if any(worked):
        first, last = loops[int(np.argmax(worked))]
        hot, deep = counted(code[first : last + 1]), int(depth[first])
        outer = [(a, b) for a, b in loops if a <= first and b >= last and (a, b) != (first, last)]
        if outer:
            a, b = min(outer, key=lambda loop: loop[1] - loop[0])
            around = counted(code[a:first] + code[last + 1 : b + 1])
    counts = [part[kind] for part in (hot, around, counted(code)) for kind in KINDS]
    return np.concatenate([np.log2(1.0 + np.array(counts)), _rates(hot, deep, len(loops))])


def _parsed(assembly: str) -> tuple[list[Instruction], list[tuple[int, int]]]:
    """Instructions, and the first and last one of each loop: what a jump back goes over."""
    code, labels = list[Instruction](), dict[str, int]()
    for line in assembly.split("\n"):
        if label := _LABEL.match(line):
            labels[label[1]] = len(code)
        elif found := _INSTRUCTION.match(line):
            code.append((found[1], found[2].strip()))
    loops = dict[int, int]()
    for place, (operation, operands) in enumerate(code):
        if operation.startswith("j") and operands.startswith(".L") and labels.get(operands, place + 1) <= place:
            loops[labels[operands]] = place  # the last one that goes there
    return code, sorted(loops.items())


def counted(code: Iterable[Instruction]) -> Counts:
    """How many there are of each of `KINDS`."""
    found, into = Counts(), Counts()
    for operation, operands in code:
        found["all"] += 1
        found[_kind(operation, operands)] += 1
        if _SUM.match(operation):
            into[operands.rpartition(",")[2].strip()] += 1
            if kind := _read(operands):
                found[kind] += 1
    found["registers"], found["chain"] = len(into), max(into.values(), default=0)
    return found


def _kind(operation: str, operands: str) -> str:
    if _SUM.match(operation):
        if operation.endswith(("ss", "sd")):
            return "sums of 1"
        return next((kind for register, kind in _VECTORS.items() if register in operands), "sums of 4")
    if operation.startswith("vbroadcast"):
        return "broadcasts"
    if operation.startswith(("vmov", "vlddqu")):
        return _moved(operation, operands)
    if operation.startswith(_SHUFFLES):
        return "shuffles"
    if operation.startswith(("vdiv", "vsqrt")):
        return "divisions"
    if operation.startswith("v"):
        return "scalars" if operation.endswith(("ss", "sd")) else "others"
    return "whole numbers"


def _moved(operation: str, operands: str) -> str:
    if "(" not in operands:
        return "shuffles"
    stored = operands.endswith(")") or (operands.endswith("}") and "), " not in operands)
    if _on_stack(operands):
        return "spills" if stored else "reloads"
    if operation in _SCALARS:
        return "scalars"
    return "stores" if stored else "loads"


def _read(operands: str) -> str:
    """What a sum reads from memory."""
    if "{1to" in operands:
        return "sums of broadcasts"
    if "(" not in operands:
        return ""
    return "reloads" if _on_stack(operands) else "sums from memory"


def _on_stack(operands: str) -> bool:
    return "(%rsp" in operands or ("(%rbp" in operands and "%rbp," not in operands)


def _rates(hot: Counts, deep: int, loops: int) -> Sequence[float]:
    """Of the hottest loop, beside its sums; what a core can do at most of what it could, by what it begins in a
    cycle."""
    vectors = hot["sums of 16"] + hot["sums of 8"] / 2 + hot["sums of 4"] / 4 + hot["sums of 1"] / 16
    vectors = max(vectors, 1 / 16)
    sums = hot["sums of 16"] + hot["sums of 8"] + hot["sums of 4"] + hot["sums of 1"]
    reads = ("sums from memory", "broadcasts", "sums of broadcasts", "loads", "reloads", "scalars")
    loads, stack = sum(hot[kind] for kind in reads), hot["reloads"] + hot["spills"]
    cycles = max(
        sums / _PAIRED, loads / _PAIRED, hot["stores"] + hot["spills"], hot["all"] / _PORTS,
        hot["chain"] * _LATENCY, hot["shuffles"] / _PAIRED,
    )  # fmt: skip
    beside = [each / max(sums, 1) for each in (loads, stack, hot["whole numbers"], hot["shuffles"], hot["all"])]
    return [vectors, vectors / _PAIRED / max(cycles, 1 / 4), sums, *beside, deep, loops, cycles / vectors]
