"""What is counted of a function that has been reduced: what decides how much machine code comes of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from forerun.toolchains.llvm._ends import merged, selecting, tail_call
from forerun.toolchains.llvm._instructions import BINARY, CASTS
from forerun.toolchains.llvm._layout import bits
from forerun.toolchains.llvm._liveness import across_calls
from forerun.toolchains.llvm._nodes import End, Node, Reduced
from forerun.toolchains.llvm._values import Operand, Value, is_global, is_own, place

NAMES = (
    *"instructions loads stores arithmetic multiplications divisions shifts floats conversions vectors".split(),
    *"small wide literals free intrinsics calls tails indirect varargs variadic assembly copies copied".split(),
    *"constant_args own_args moved_args conditions runs cases bits loops inner_stores straight_loops".split(),
    *"own with_own registers spilled references scaled displaced indexed".split(),
    *"merged phis phi_constants phi_values blocks".split(),
)
"""The counters.

`instructions`, with the return of each function, without other ends of blocks and what is `merged`. Of them `loads`,
`stores`, `arithmetic` and logic, `multiplications`, `divisions`, `shifts` and rotations, `floats`: all that works on
floating-point numbers, `conversions` among them, and `vectors`; `small` loads and stores of up to 16 bits, `wide` ones
and other operations of 64; operations with `literals` that take more than 31 bits, `free` casts.

`intrinsics` that are code, `calls` of functions, `tails`: calls that end their function, `indirect` and `varargs` ones
among both, `variadic` functions, lines of `assembly`, `copies`: calls that copy or fill memory, `copied`: pieces of 16
bytes where these are few. Arguments that are constants but zero, addresses of own variables, or parameters in another
place: `constant_args`, `own_args`, `moved_args`.

`conditions` that are branched on; switches by `runs` of cases that go the same way, by `cases` that are looked up in a
table, and by `bits` of a mask. `loops`, `inner_stores` in innermost ones without calls, `straight_loops`: those of them
with one condition. `own` variables that stay in memory, functions `with_own` ones; values that live across calls in
`registers`, and those that are `spilled`.

`references` to global names; addresses that are `scaled` by what is no size of a register or by two values, `displaced`
by constants, `indexed` by values. `merged`: instructions that stand at the end of another block, too. `phis`, the
constants but zero and the values that are moved into them: `phi_constants`, `phi_values`; `blocks`.
"""

_REGISTERS = 6
"""That calls preserve."""
_FEW = 128
"""Bytes that are copied without a call."""
_TABLE = 3
"""More runs of cases become a table, if it is filled to 40%, as in LLVM's SwitchLoweringUtils."""
_SCALES = frozenset((1, 2, 4, 8))
_FLOATS = frozenset(("half", "bfloat", "float", "double", "x86_fp80", "fp128"))
_KINDS = {
    **dict.fromkeys(("add", "sub", "and", "or", "xor"), "arithmetic"),
    "mul": "multiplications",
    **dict.fromkeys(("udiv", "sdiv", "urem", "srem"), "divisions"),
    **dict.fromkeys(("shl", "lshr", "ashr"), "shifts"),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem", "fcmp", "fneg"), "floats"),
}
_OF_VECTORS = frozenset(("extractelement", "insertelement", "shufflevector"))
_CONVERSIONS = frozenset("sitofp uitofp fptosi fptoui fpext fptrunc".split())
_MEMORY = "@llvm.mem"


def tally(reduced: Reduced) -> Counter[str]:
    """The counters of one function."""
    return _Tally(reduced).found


class _Tally:
    def __init__(self, reduced: Reduced) -> None:
        self.found: Counter[str] = Counter(instructions=1, blocks=len(reduced.nodes), loops=len(reduced.loops))
        self._reduced = reduced
        self._tails = {call for node in reduced.nodes if (call := tail_call(node))}
        self._merged = merged(reduced)
        self._selecting = selecting(reduced)
        for node in reduced.nodes:
            for value in node.left:
                if value not in self._merged.values:
                    self._value(value)
            if node not in self._merged.nodes:
                self._end(node)
        self.found["merged"] = len(self._merged.values)
        self._joined()
        self._used_as_values()
        self._inner_loops()
        self._variables()

    def _value(self, value: Value) -> None:
        self.found["instructions"] += 1
        match value.op:
            case "load":
                self.found["loads"] += 1
                self._access(value.args[0], value.type)
            case "store":
                self.found["stores"] += 1
                self._access(value.args[1], value.type)
                self._reference(value.args[0])
            case "call":
                self._call(value)
            case "intrinsic" if value.detail.startswith("@llvm.va_start"):
                self.found["variadic"] += 1
            case "intrinsic" if value.detail.startswith("@llvm.fsh"):
                self.found["shifts"] += 1
            case "intrinsic":
                self.found["intrinsics"] += 1
                self._typed(value.type)
            case op if op in CASTS:
                self._cast(value)
            case op if op in BINARY or op in ("icmp", "fcmp", "fneg"):
                self._operation(value)
            case op if op in _OF_VECTORS:
                self.found["vectors"] += 1

    def _typed(self, type_: str) -> None:
        self.found["wide"] += bits(type_) == 64
        self.found["floats"] += type_ in _FLOATS
        self.found["vectors"] += " x " in type_

    def _access(self, pointer: Operand, type_: str) -> None:
        self._typed(type_)
        self.found["small"] += 0 < bits(type_) <= 16
        self._address(pointer)

    def _operation(self, value: Value) -> None:
        kind = _KINDS.get(value.op, "")
        if kind:
            self.found[kind] += 1
        if kind != "floats":
            self._typed(value.type)
        self.found["literals"] += any(isinstance(x, int) and not -(1 << 31) <= x < 1 << 31 for x in value.args)

    def _cast(self, value: Value) -> None:
        if value.op in _CONVERSIONS:
            self.found["floats"] += 1
            self.found["conversions"] += 1
        elif value.op not in ("zext", "sext"):
            self.found["free"] += 1

    def _call(self, call: Value) -> None:
        if call.detail == "asm":
            lines = re.split(r"\\0A|;", call.type)
            self.found["assembly"] += sum(bool(line.strip("\\09 ")) for line in lines)
            return
        args = call.args
        if call.detail.startswith(_MEMORY):
            args = args[:2]
            length = call.args[2] if len(call.args) > 2 else 0
            if isinstance(length, int) and 0 <= length <= _FEW:
                self.found["copied"] += -(-length // 16)
                for arg in args:
                    self._argument(arg, -1)
                return
            self.found["copies"] += 1
        self.found["tails" if call in self._tails else "calls"] += 1
        self.found["varargs"] += "..." in call.type
        if call.detail == "%":
            self.found["indirect"] += 1
            args = args[:-1]
        for position, arg in enumerate(args):
            self._argument(arg, position)

    def _argument(self, arg: Operand, position: int) -> None:
        if isinstance(arg, int):
            self.found["constant_args"] += arg != 0
        elif is_own(arg):
            self.found["own_args"] += 1
        elif isinstance(arg, Value):
            self.found["moved_args"] += arg.op == "parameter" and arg.number != position + 1
        else:
            self._reference(arg)

    def _reference(self, operand: Operand) -> None:
        self.found["references"] += is_global(operand)

    def _address(self, pointer: Operand) -> None:
        """What it takes to reckon an address."""
        if not isinstance(pointer, Value) or pointer.op != "getelementptr":
            self._reference(pointer)
            return
        self._reference(pointer.args[0])
        odd = sum(scale not in _SCALES for scale in pointer.scales)
        self.found["scaled"] += odd + max(0, len(pointer.scales) - 1)
        self.found["displaced"] += pointer.offset != 0
        self.found["indexed"] += len(pointer.scales) > 0

    def _end(self, node: Node) -> None:
        if node.end.kind == "branch":
            self.found["conditions"] += node not in self._selecting
        elif node.end.kind == "switch":
            self._switch(node.end)
        elif node.end.kind == "return" and node.end.value is not None:
            self._reference(node.end.value)

    def _switch(self, end: End) -> None:
        ways = [(value, way) for value, way in zip(end.cases, end.targets[1:], strict=False) if way != end.targets[0]]
        ways.sort(key=lambda entry: entry[0])
        if not ways:
            return
        runs = 1 + sum(a != b - 1 or one is not other for (a, one), (b, other) in pairwise(ways))
        targets, span = len({way for _, way in ways}), ways[-1][0] - ways[0][0] + 1
        if runs > _TABLE and targets > 1 and len(ways) * 10 >= span * 4:
            self.found["cases"] += len(ways)
        elif targets == 1 and runs > 1 and span <= 64:
            self.found["bits"] += 1
        else:
            self.found["runs"] += runs

    def _joined(self) -> None:
        self.found["phis"] += len(self._reduced.phis)
        for phi in self._reduced.phis:
            for operand in dict.fromkeys(phi.args):
                if isinstance(operand, int):
                    self.found["phi_constants"] += operand != 0
                elif isinstance(operand, Value):
                    self.found["phi_values"] += operand is not phi
                else:
                    self._reference(operand)

    def _used_as_values(self) -> None:
        """Addresses that are reckoned for more than loads and stores."""
        used = [node.end.value for node in self._reduced.nodes]
        used += [operand for phi in self._reduced.phis for operand in phi.args]
        for node in self._reduced.nodes:
            for value in node.left:
                if value.op == "store":
                    used.append(value.args[0])
                elif value.op != "load":
                    used += value.args
        for operand in dict.fromkeys(used):
            if isinstance(operand, Value) and operand.op == "getelementptr":
                self._address(operand)

    def _inner_loops(self) -> None:
        nodes = {node.number: node for node in self._reduced.nodes}
        begins = sorted(self._reduced.loops)
        for at, first in enumerate(begins):
            last = self._reduced.loops[first]
            if at + 1 < len(begins) and begins[at + 1] <= last:
                continue
            inside = [nodes[number] for number in range(first, last + 1) if number in nodes]
            values = [value for node in inside for value in node.left]
            if not any(value.op == "call" and not value.detail.startswith(_MEMORY) for value in values):
                self.found["inner_stores"] += sum(value.op == "store" for value in values)
                self.found["straight_loops"] += sum(node.end.kind == "branch" for node in inside) == 1

    def _variables(self) -> None:
        used: Iterable[Operand] = (
            operand for node in self._reduced.nodes for value in node.left for operand in value.args
        )
        own = len({base for base in (place(operand)[0] for operand in used) if is_own(base)})
        own += sum(value.op == "alloca" for node in self._reduced.nodes for value in node.left)
        self.found["own"] += own
        self.found["with_own"] += own > 0
        calls = {value for node in self._reduced.nodes for value in node.left if value.op == "call"}
        across = across_calls(self._reduced, calls - self._tails)
        self.found["registers"] += min(across, _REGISTERS)
        self.found["spilled"] += max(0, across - _REGISTERS)
