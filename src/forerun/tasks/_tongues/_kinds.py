"""What a program says that its names hold, as far as its translation into Python needs it."""

from __future__ import annotations

import ast
from typing import NamedTuple

_FLOATING = frozenset("double float f32 f64 float32 float64 Double Float real".split())
_WHOLE = frozenset(
    "int long short unsigned signed char bool bool:1 size_t ssize_t usize isize byte Integer Long Short Byte boolean"
    " rune uintptr intptr_t ptrdiff_t u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 uint int8 int16 int32 int64 uint8 uint16"
    " uint32 uint64 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t int_fast64_t int_fast32_t"
    " uint_fast32_t uint_fast64_t ll ull i128 __int128".split()
)
_BYTES = (
    dict.fromkeys("char bool byte boolean Byte u8 i8 int8 uint8 int8_t uint8_t".split(), 1.0)
    | {"bool:1": 0.125}
    | dict.fromkeys("short Short u16 i16 int16 uint16 int16_t uint16_t".split(), 2.0)
    | dict.fromkeys("int unsigned float f32 u32 i32 int32 uint32 float32 int32_t uint32_t rune Integer".split(), 4.0)
)
_UNSIGNED = dict.fromkeys("u32 uint32 uint32_t unsigned".split(), 32) | dict.fromkeys(
    "u64 uint64 uint64_t ull uint".split(), 64
)


class Kind(NamedTuple):
    """A type: its name, what it holds, and how many of that, where a declaration says so."""

    name: str = ""
    of: tuple[Kind, ...] = ()
    size: ast.expr | None = None

    @property
    def floating(self) -> bool:
        return self.name in _FLOATING

    @property
    def whole(self) -> bool:
        return self.name in _WHOLE

    @property
    def scalar(self) -> bool:
        return self.floating or self.whole

    @property
    def bits(self) -> int:
        """Of a number without a sign, which begins again at zero; 0 of others."""
        return _UNSIGNED.get(self.name, 0)

    @property
    def bytes(self) -> float:
        """Of a number, or of a reference to what is no number."""
        return _BYTES.get(self.name, 8.0)

    @property
    def wide(self) -> float:
        """The same, a whole number unless it is a bit."""
        return int(self.bytes) or self.bytes

    @property
    def one(self) -> Kind:
        """What it holds."""
        return self.of[-1] if self.of else NOTHING


NOTHING = Kind()
"""Nobody knows."""
