"""Addresses as a processor takes them: a base, constant bytes, and values times constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from forerun.toolchains.llvm._instructions import UNDEF
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._values import Operand, Value

_LARGEST = 1 << 40
"""Bytes that one step of an index leads on: no program's is larger."""


class Address(NamedTuple):
    """What an address is reckoned from."""

    base: Operand
    offset: int
    indices: tuple[Operand, ...] = ()
    scales: tuple[int, ...] = ()
    """Bytes, one for each index."""


def reckoned(
    pointer: Operand,
    type_: str,
    indices: tuple[Operand, ...],
    layout: Layout,
    widened: Callable[[str, str, Operand, str], Operand],
) -> Address:
    """Where indices lead from a pointer, the first of which steps over things of a type.

    Constants that are added to an index move to the offset; `widened` makes an index as wide as an address again: it is
    given the cast, its type, what is cast and that one's type.
    """
    varying = any(isinstance(index, Value) for index in indices)
    base, offset, found, scales = _start(pointer, varying)
    for position, index in enumerate(indices):
        if position and isinstance(index, int):
            more, type_ = layout.part(type_, index)
            offset += more
            continue
        if position:
            _, type_ = layout.part(type_, 0)
        size = min(layout.size(type_), _LARGEST)
        if isinstance(index, Value):
            index, more, scale = _split(index, widened)
            offset += more * size
            found, scales = (*found, index), (*scales, size * scale)
        elif isinstance(index, int):
            offset += index * size
        elif index != UNDEF:
            found, scales = (*found, index), (*scales, size)
    return Address(base, offset, found, scales)


def _start(pointer: Operand, varying: bool) -> Address:
    """What an address that is reckoned from another begins with: two that vary stay two."""
    if isinstance(pointer, Value) and pointer.op == "getelementptr" and not (varying and pointer.scales):
        return Address(pointer.args[0], pointer.offset, pointer.args[1:], pointer.scales)
    return Address(pointer, 0)


def _split(index: Value, widened: Callable[[str, str, Operand, str], Operand]) -> tuple[Operand, int, int]:
    """An index without the constant that is added to it, that constant, and what both are multiplied with."""
    if index.op == "shl" and isinstance(index.args[1], int) and isinstance(index.args[0], Value):
        power = index.args[1] if 0 < index.args[1] < 32 else 0
        return (index.args[0], 0, 1 << power) if power else (index, 0, 1)
    if index.op == "add" and isinstance(index.args[1], int):
        return index.args[0], index.args[1], 1
    narrow = index.args[0] if index.op in ("sext", "zext") else None
    if isinstance(narrow, Value) and narrow.op == "add" and isinstance(narrow.args[1], int):
        return widened(index.op, index.type, narrow.args[0], index.detail), narrow.args[1], 1
    return index, 0, 1
