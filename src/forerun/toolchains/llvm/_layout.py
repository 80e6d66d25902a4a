"""How many bytes types take, and where their parts stand, as on 64-bit machines.

The rules are those of the data layout of x86-64 and AArch64:
https://llvm.org/docs/LangRef.html#data-layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from forerun.toolchains.llvm._instructions import pieces

_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16, "ptr": 8}
_DEEPEST = 40
"""Types nested deeper than this are taken for nothing: no program has them."""
_LARGEST = 1 << 62
_WIDEST = 1 << 16
"""Bits of an integer."""


class Extent(NamedTuple):
    """Of a type, in bytes."""

    size: int
    align: int


_NOTHING = Extent(0, 1)


def bits(type_: str) -> int:
    """The bits of an integer or a pointer; 0 for any other type."""
    if type_[:1] == "i" and type_[1:].isdecimal() and len(type_) < 9:
        return min(int(type_[1:]), _WIDEST)
    return 64 if type_ == "ptr" else 0


def is_aggregate(type_: str) -> bool:
    """Whether it is a structure or an array."""
    return type_[:1] in ("{", "[", "%") or type_[:2] == "<{"


class Layout:
    """The types of one module. Text that is no type takes nothing."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self._known: dict[str, Extent] = {}
        self._places: dict[str, list[tuple[int, str]]] = {}

    def size(self, type_: str) -> int:
        """How far apart two of them stand."""
        return self.extent(type_).size

    def extent(self, type_: str, deep: int = 0) -> Extent:
        """Size and alignment."""
        known = self._known.get(type_)
        if known is None:
            self._known[type_] = _NOTHING  # a type may hold itself in a text, never in a program
            known = self._known[type_] = self._extent(type_, deep) if deep <= _DEEPEST else _NOTHING
        return known

    def part(self, type_: str, index: int) -> tuple[int, str]:
        """Where a part begins, and its type; 0 and "" where there is no such part."""
        type_ = self._types.get(type_, type_)
        if type_[:1] == "[" or (type_[:1] == "<" and type_[:2] != "<{"):
            element = type_[1:-1].partition(" x ")[2]
            return index * self.size(element), element
        if type_[:1] not in ("{", "<"):
            return 0, ""
        if type_ not in self._places:
            self._places[type_] = self._fields(type_, 0)
        places = self._places[type_]
        return places[index] if 0 <= index < len(places) else (0, "")

    def _extent(self, type_: str, deep: int) -> Extent:
        if scalar := _SCALARS.get(type_):
            return Extent(scalar, scalar)
        if width := bits(type_):
            size = _power(-(-width // 8))
            return Extent(size, min(size, 16))
        if type_[:1] == "%":
            return self.extent(self._types.get(type_, ""), deep + 1)
        if type_[:1] == "{" or type_[:2] == "<{":
            return self._structure(type_, deep)
        if type_[:1] in ("[", "<"):
            count, _, element = type_[1:-1].partition(" x ")
            each = self.extent(element, deep + 1)
            size = min(each.size * (int(count) if count.isdecimal() and len(count) < 19 else 0), _LARGEST)
            return Extent(size, each.align) if type_[0] == "[" else Extent(_power(size), min(_power(size), 16))
        return _NOTHING

    def _structure(self, type_: str, deep: int) -> Extent:
        places = self._fields(type_, deep)
        if not places:
            return _NOTHING
        end = places[-1][0] + self.extent(places[-1][1], deep + 1).size
        align = 1 if type_[0] == "<" else max(self.extent(field, deep + 1).align for _, field in places)
        return Extent(min(_aligned(end, align), _LARGEST), align)

    def _fields(self, type_: str, deep: int) -> list[tuple[int, str]]:
        """Where each begins, and its type."""
        packed = type_[0] == "<"
        found, at = [], 0
        for field in pieces((type_[2:-2] if packed else type_[1:-1]).strip()):
            size, align = self.extent(field, deep + 1)
            at = at if packed else _aligned(at, align)
            found.append((at, field))
            at = min(at + size, _LARGEST)
        return found


def _power(size: int) -> int:
    """The next power of two."""
    return 1 << (size - 1).bit_length() if 0 < size < _LARGEST else size or 1


def _aligned(at: int, align: int) -> int:
    return -(-at // align) * align
