"""What is computed and done in a function, once its text has been reduced: values, and how they are written as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from forerun.toolchains.llvm._instructions import UNDEF

_DEEPEST = 8
"""Addresses that are reckoned from each other."""


@dataclass(eq=False, slots=True)
class Value:
    """What one instruction computes or does, told apart by what it is and not by what it holds."""

    op: str
    """As in the text, of an intrinsic `intrinsic`; `parameter`, `phi`; `aggregate` of parts that are loaded as one."""
    type: str
    args: tuple[Operand, ...]
    detail: str = ""
    """A comparison's predicate, a cast's source type, a call's callee, a variable's own name."""
    number: int = 0
    """In the order in which they were made: operands are sorted by it."""
    effect: bool = False
    """It stays though nothing uses it."""
    offset: int = 0
    """Of an address: the constant bytes from its base, the first operand."""
    scales: tuple[int, ...] = ()
    """Of an address: the bytes that each further operand is multiplied with."""


Operand: TypeAlias = "Value | int | str"
"""A value, an integer, or the text of any other constant: `@name`, `UNDEF`, an expression, a floating-point number."""
Shape: TypeAlias = tuple[str, str, tuple[Operand, ...], str]
"""Operation, type, operands and detail: what is the same twice is computed once."""


def is_global(operand: Operand) -> bool:
    """Whether it is the address of something global, or reckoned from one."""
    return isinstance(operand, str) and "@" in operand


def is_own(operand: Operand) -> TypeGuard[Value]:
    """Whether it is a variable of the function's own."""
    return isinstance(operand, Value) and operand.op == "alloca"


def place(pointer: Operand) -> tuple[Operand, int | None]:
    """What an address is reckoned from, and how many bytes further on it is; None where that varies."""
    offset: int | None = 0
    for _ in range(_DEEPEST):
        if not isinstance(pointer, Value) or pointer.op != "getelementptr":
            break
        offset = None if offset is None or pointer.scales else offset + pointer.offset
        pointer = pointer.args[0]
    return pointer, offset


def same(operands: list[Operand]) -> Operand | None:
    """The only one there is, what may be anything aside; None where there are several."""
    found: Operand = UNDEF
    for operand in operands:
        if operand in (UNDEF, found):
            continue
        if found != UNDEF:
            return None
        found = operand
    return found
