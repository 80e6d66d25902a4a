"""What elements take, as far as their types and their language tell: a list of Python's integers takes five times what
NumPy's array of them does.

Bytes of each of 2 to 4 million elements, measured as the growth of the peak resident set (CPython 3.11, Node 20, Ruby
3.1, PHP 8.2, Perl 5.36, Lua 5.4, Java 17, Go 1.19, GCC 12, Rust 1.95; 64 bits).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_BITS = re.compile(r"(?:[iuf]|u?int|float|U?[Ii]nt|Float|Big(?:Ui|I)nt)(8|16|32|64)(?:_t|Array|ClampedArray)?")
_NAMED: Mapping[str, float] = dict.fromkeys(
    "char bool boolean byte bool_ _Bool bytes bytearray Buffer StringBuilder".split(), 1.0
) | {"short": 2.0, "rune": 4.0, "single": 4.0, "double": 8.0, "long": 8.0, "size_t": 8.0, "usize": 8.0, "isize": 8.0}
_NARROW: Mapping[str, float] = {"int": 4.0, "unsigned": 4.0, "float": 4.0}


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes that one takes in a language."""

    listed: float = 8.0
    """In a list that grows."""
    filled: float = 8.0
    """In a list that is made at once, of one value."""
    keyed: float = 48.0
    """Under a key."""
    node: float = 32.0
    """That is a thing of its own, which holds one or two others."""
    record: float = 0.0
    """That is written out with its fields, of which one or two are its own; 0 where that is not measured."""
    text: float = 56.0
    """That is a short text of its own, in a list that grows."""
    written: float = 1.0
    """A character that is added to a text."""
    piece: float = 0.0
    """What is kept of each piece that is added to one, beside its characters."""
    narrow: bool = False
    """Whether `int` and `float` take four bytes."""

    def typed(self, words: Iterable[str]) -> float | None:
        """An element of the first type that is named; None where none is."""
        for word in words:
            if found := _NAMED.get(word) or (_NARROW.get(word) if self.narrow else None):
                return found
            if bits := _BITS.fullmatch(word):
                return int(bits[1]) / 8
        return None

    def share(self, taken: float) -> float:
        """How many elements of a list that grows take so many bytes."""
        return taken / self.listed


_C = Footprint(text=45.0, written=1.5, narrow=True)
_FOOTPRINTS: Mapping[str, Footprint] = {
    "c": _C,
    "c++": _C,
    "d": _C,
    "java": Footprint(listed=44.0, keyed=104.0, node=48.0, text=99.0, written=2.5, narrow=True),
    "go": Footprint(listed=17.0, keyed=78.0, text=62.0, written=2.0),
    "javascript": Footprint(listed=20.0, keyed=60.0, node=73.0, record=90.0, text=76.0, piece=36.0),
    "python": Footprint(listed=40.0, keyed=85.0, node=136.0, record=265.0, text=72.0),
    "ruby": Footprint(keyed=38.0, node=51.0, record=199.0, text=61.0),
    "php": Footprint(listed=16.0, filled=16.0, keyed=41.0, node=236.0, record=393.0, written=2.0),
    "perl": Footprint(listed=30.0, filled=46.0, keyed=196.0, node=174.0, record=267.0, text=81.0),
    # Lua's are mostly numbered; under strings an element takes 110.
    "lua": Footprint(listed=14.0, filled=14.0, keyed=14.0, node=107.0, record=145.0, text=88.0, written=4.0),
}
_OTHER = Footprint()


def footprint(language: str) -> Footprint:
    """That of a language; of one that was not measured, as of compiled ones."""
    return _FOOTPRINTS.get(language, _OTHER)


def asked(language: str, elements: float) -> float:
    """Bytes that so many elements take, as counters tell them: as many as of the language's lists."""
    return elements * footprint(language).listed
