"""What is known to stand in memory, within a block: loads of it are no loads."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from forerun.toolchains.llvm._values import Operand, is_own, place

_MOST = 64
"""Places that are remembered."""


class _Held(NamedTuple):
    value: Operand
    access: str
    """The access's type for alias analysis."""
    base: Operand
    offset: int | None
    size: int


class Memory:
    """Values by where they stand and as what type."""

    def __init__(self, held: dict[tuple[Operand, str], _Held] | None = None) -> None:
        self._held = held or {}

    def copy(self) -> Memory:
        """One that is changed without the other."""
        return Memory(dict(self._held))

    def clear(self) -> None:
        """Anything may have been written."""
        self._held.clear()

    def get(self, pointer: Operand, type_: str) -> Operand | None:
        """The value that stands there, if that is known."""
        held = self._held.get((pointer, type_))
        return held.value if held else None

    def put(self, pointer: Operand, type_: str, value: Operand, access: str, size: int) -> None:
        """A value stands there."""
        if len(self._held) >= _MOST:
            del self._held[next(iter(self._held))]
        self._held[pointer, type_] = _Held(value, access, *place(pointer), size)

    def overwrite(self, pointer: Operand, access: str, size: int, escaped: Set[str]) -> None:
        """Forgets what a store may change.

        Other places stay, and so do variables that have not `escaped`, but for those that the address is reckoned from.
        Accesses of other types stay, too, even where one is of characters, which may be of anything: hardly ever is it
        of what was just read.
        """
        base, offset = place(pointer)
        new = _Held(0, access, base, offset, size)
        changed = [key for key, held in self._held.items() if not _apart(new, held, escaped)]
        for key in changed:
            del self._held[key]


def _apart(a: _Held, b: _Held, escaped: Set[str]) -> bool:
    """Whether two accesses are certainly of different bytes."""
    if a.base == b.base:
        if a.offset is not None and b.offset is not None:
            return a.offset + a.size <= b.offset or b.offset + b.size <= a.offset
    elif is_own(a.base) or is_own(b.base):
        if (is_own(a.base) and is_own(b.base)) or _hidden(a.base, escaped) or _hidden(b.base, escaped):
            return True
    elif _is_name(a.base) and _is_name(b.base):
        return True
    return bool(a.access and b.access and a.access != b.access)


def _hidden(base: Operand, escaped: Set[str]) -> bool:
    """Whether nobody else knows it."""
    return is_own(base) and base.detail not in escaped


def _is_name(base: Operand) -> bool:
    return isinstance(base, str) and base[:1] == "@"
