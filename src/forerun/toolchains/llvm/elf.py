"""Section sizes and symbols of a relocatable ELF object.

Written here because the search reads one object every few milliseconds, and only needs two tables of it:
a general reader costs as much as the code generator does on a small module.
Layout: System V ABI, chapters 4 ("Object Files") and 5; 32 and 64 bits, little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection
from dataclasses import dataclass, field

_EXECUTABLE, _ALLOCATED, _NO_BITS, _SYMBOL_TABLE = 0x4, 0x2, 8, 2
# Functions that any hosted C library has. Optimisation turns one into another (printf into puts), so two objects of one
# program may need different ones. Those of libm are not among them: needing one can break a link without -lm.
_C_LIBRARY = frozenset(
    "printf vprintf puts putchar putc fprintf vfprintf fputs fputc fwrite fread sprintf vsprintf snprintf vsnprintf"
    " perror strlen strnlen strcpy stpcpy strncpy stpncpy strcat strncat strcmp strncmp strchr strrchr strstr strpbrk"
    " strspn strcspn strdup strndup memcpy mempcpy memmove memset memchr memrchr memcmp bcmp bcopy bzero malloc calloc"
    " realloc free atoi atol atoll strtol strtoul strtoll strtoull abs labs llabs isdigit isascii toascii"
    " __sprintf_chk __snprintf_chk __memcpy_chk __memset_chk __memmove_chk __strcpy_chk __stpcpy_chk"
    " __strcat_chk".split()
)
_CXX_RUNTIME = re.compile(
    r"_ZN?K?St|_ZNK?S[sabiod]|_ZT[IVS](N10__cxxabiv1|St|NSt|P?K?[a-z]$)|_Zn[wa]|_Zd[la]|__cxa_|__gxx_personality_v0$"
    r"|_Unwind_|__dynamic_cast$"
)
"""What libstdc++ or libc++ defines: inlining less or more of std:: needs more or less of it."""
_PERSONALITY = "DW.ref."
"""How names begin that every object with unwind tables has for itself."""
_FRAME_BYTES, _EXPORT_BYTES, _IMPORT_BYTES = 32, 56, 120
"""At most, about: what unwinding of one function takes, a symbol that a shared library has too and so becomes dynamic,
and one of another library, with its PLT, GOT and relocation; their names come on top."""
_OF_FORMAT = re.compile(r"$|\.(symtab|strtab|shstrtab|rela?|group|comment|debug|zdebug|note\.GNU-stack|llvm_addrsig)\b")
"""Unloaded sections that are there for the linker or the debugger, and may differ."""
_UNWIND = (".eh_frame", ".gcc_except_table", ".ARM.exidx", ".ARM.extab")


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the symbol table that other objects can see."""

    name: str
    binding: int
    kind: int
    visibility: int
    defined: bool


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Sizes in bytes, global symbols, and the bytes of code of each function."""

    text: int
    data: int
    unwind: int
    zero: int
    symbols: frozenset[Symbol]
    functions: dict[str, int]
    notes: frozenset[str] = frozenset()
    """The unloaded sections that some other tool reads: `.stack_sizes`, `.pseudo_probe`."""

    sizes: dict[str, int] = field(default_factory=dict, repr=False)
    """Bytes of each global definition."""

    @property
    def size(self) -> int:
        """Code and data that is stored and loaded; unwind tables and zero-filled data are apart."""
        return self.text + self.data

    @property
    def defined(self) -> frozenset[Symbol]:
        """What this object offers to others."""
        return frozenset(s for s in self.symbols if s.defined)

    @property
    def needed(self) -> frozenset[str]:
        """The names that others must define."""
        return frozenset(s.name for s in self.symbols if not s.defined)

    def replaces(self, other: ObjectFile, discardable: Collection[str] = ()) -> str:
        """Why this object cannot stand in for the other at link time; "" where it can.

        Definitions of `discardable` names (C++ inline functions: linkonce) may come and go: whoever uses one has its
        own copy, and the linker keeps one of them. They may not make the program larger, though.
        """
        changed = {s for s in self.defined ^ other.defined if s.name not in discardable}
        if changed := {s for s in changed if not s.name.startswith(_PERSONALITY)}:
            return f"the symbol table differs: {', '.join(sorted({s.name for s in changed})[:5])}"
        new = self.needed - other.needed - _C_LIBRARY
        if any(map(_CXX_RUNTIME.match, other.needed)):  # it is linked with that runtime already
            new = frozenset(name for name in new if not _CXX_RUNTIME.match(name))
        if new:
            return f"it needs symbols that the reference does not: {', '.join(sorted(new)[:5])}"
        if discardable and (grown := self._growth(other)) > 0:
            return f"linked, it may be {grown} bytes larger"
        return ""

    def _growth(self, other: ObjectFile) -> int:
        """By how many bytes a program may grow at most, whatever its other objects hold.

        What this object defines no more may stay in the program from another object, what it newly defines or needs may
        be there for the first time.
        """
        names, before = ({s.name for s in found.defined} for found in (self, other))
        dropped = sum(other.sizes.get(name, 0) + _FRAME_BYTES for name in before - names)
        added = sum(_EXPORT_BYTES + len(name) for name in names - before)
        needed = sum(_IMPORT_BYTES + len(name) for name in self.needed - other.needed)
        loaded = self.size + self.unwind - other.size - other.unwind
        return loaded + dropped + added + needed

    def lacks(self, other: ObjectFile) -> str:
        """Which sections of the other for further tools are missing; "" where none is."""
        lost = sorted(other.notes - self.notes)
        return f"it lacks sections of the reference: {', '.join(lost[:5])}" if lost else ""


def read_object(data: bytes) -> ObjectFile:
    """Raises ValueError where the data is not a little-endian ELF object."""
    if len(data) < 52 or data[:4] != b"\x7fELF" or data[5] != 1:
        raise ValueError("not a little-endian ELF object")
    wide = data[4] == 2
    try:
        return _read(data, wide)
    except (struct.error, IndexError, OverflowError) as error:
        raise ValueError(f"a damaged ELF object: {error}") from error


def _read(data: bytes, wide: bool) -> ObjectFile:
    offset = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)[0]
    stride, count, names_at = struct.unpack_from("<HHH", data, 58 if wide else 46)
    layout = struct.Struct("<IIQQQQIIQQ" if wide else "<IIIIIIIIII")
    if offset and count == 0:  # more than 0xff00 sections: the count is in the first header's size
        count = layout.unpack_from(data, offset)[5]
    headers = [layout.unpack_from(data, offset + i * stride) for i in range(count)]
    if names_at == 0xFFFF:
        names_at = headers[0][6]
    sizes = {"text": 0, "data": 0, "unwind": 0, "zero": 0}
    names = _table(data, headers[names_at])
    notes = set()
    for header in headers:
        name = _string(names, header[0])
        if kind := _kind(name, header[1], header[2]):
            sizes[kind] += header[5]
        elif not header[2] & _ALLOCATED and not _OF_FORMAT.match(name):
            notes.add(name)
    symbols, functions, defined = _symbols(data, headers, wide)
    sums = (sizes["text"], sizes["data"], sizes["unwind"], sizes["zero"])
    return ObjectFile(*sums, symbols, functions, frozenset(notes), defined)


def _kind(name: str, type_: int, flags: int) -> str:
    if not flags & _ALLOCATED:
        return ""
    if name.startswith(_UNWIND):
        return "unwind"
    if type_ == _NO_BITS:
        return "zero"
    return "text" if flags & _EXECUTABLE else "data"


def _symbols(
    data: bytes, headers: list[tuple[int, ...]], wide: bool
) -> tuple[frozenset[Symbol], dict[str, int], dict[str, int]]:
    """All that others see, the bytes of each function, and of each definition that others see."""
    symbols: set[Symbol] = set()
    functions: dict[str, int] = {}
    defined: dict[str, int] = {}
    entry = struct.Struct("<IBBHQQ" if wide else "<IIIBBH")
    for header in (h for h in headers if h[1] == _SYMBOL_TABLE):
        names = _table(data, headers[header[6]])
        for row in entry.iter_unpack(_table(data, header)):
            name, info, other, section = (row[0], *row[1:4]) if wide else (row[0], *row[3:6])
            size = row[5] if wide else row[2]
            label = _string(names, name)
            if info & 15 in (2, 10) and section:
                functions[label] = size
            if info >> 4 != 0:
                kind = info & 15 if section else 0
                symbols.add(Symbol(label, info >> 4, kind, other & 3, section != 0))
                if section:
                    defined[label] = size
    return frozenset(symbols), functions, defined


def _table(data: bytes, header: tuple[int, ...]) -> bytes:
    return data[header[4] : header[4] + header[5]]


def _string(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode("utf-8", "surrogateescape")
