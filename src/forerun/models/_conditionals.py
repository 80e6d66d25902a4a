"""Which lines of C and C++ a compiler on Linux and x86-64 reads, as far as the conditions in the text tell.

A file of a portable project holds code for other systems, which becomes nothing. What the project's own flags decide is
not known: both sides stay, and their lines are counted.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = (
    "__linux__ __linux linux __gnu_linux__ __unix__ __unix unix __ELF__ __x86_64__ __x86_64 __amd64__ __LP64__ _LP64"
    " __SSE__ __SSE2__ __STDC__ __clang__"
).split()
_HERE: dict[str, int | None] = {
    **dict.fromkeys(_NAMES, 1),
    "__GNUC__": 4, "__GNUC_MINOR__": 2, "__clang_major__": 22, "__SIZEOF_POINTER__": 8, "__STDC_VERSION__": 202311,
}  # fmt: skip
"""What clang defines there."""
_ELSEWHERE = re.compile(
    r"_*(?:WIN(?:DOWS|32|64|NT|CE)?|MSC_VER|MSC|MINGW(?:32|64)?|CYGWIN(?:32)?|APPLE|MACH|MACOSX?|TARGET_OS_\w+|MSDOS|DOS|"
    r"DJGPP|OS2|AMIGA|BEOS|HAIKU|VMS|QNX|sun|SVR4|sgi|hpux|AIX|(?:Free|Net|Open)BSD|DragonFly|ANDROID|EMSCRIPTEN|wasm\w*|"
    r"BORLANDC|WATCOMC|TURBOC|SUNPRO_CC?|INTEL_COMPILER|ICC|arm|ARM\w*|aarch64|M_(?:X64|IX86|ARM\w*|AMD64)|i[3-6]86|mips\w*|"
    r"powerpc\w*|ppc\w*|PPC\w*|sparc\w*|s390x?|riscv|ia64|alpha|hppa|AVX\w*|SSE3|SSSE3|SSE4_[12]|VSX|ALTIVEC|CUDA\w+)_*"
)
"""What names other systems, compilers, processors, and what not every x86-64 has. A `_` stands before or after some."""
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(.*)", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|//.*", re.DOTALL)
_TOKEN = re.compile(r"\s*(?:(\d\w*)|(\w+)|(&&|\|\||[!=<>]=|<<|>>|.))", re.DOTALL)
_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_DEEPEST = 50
"""Brackets in a condition."""
_OPENING, _ELSE = ("if", "ifdef", "ifndef"), ("elif", "elifdef", "elifndef", "else")

Truth = int | None
"""None where nobody can tell (Kleene's third value)."""


def compiled(text: str, plus: bool = False) -> tuple[str, int]:
    """The lines of a text that may be compiled, without the conditions that were decided, and how many of them stand
    under one that was not. `plus` is C++."""
    macros, kept, unsure = _Macros(plus), list[str](), 0
    sides = list[_Side]()
    lines = list(_lines(text))
    for number, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        name, rest = (match[1], _COMMENT.sub(" ", match[2]).strip()) if match else ("", "")
        outer = sides[:-1] if name.startswith(("el", "endif")) else sides
        dead = any(side.read == 0 for side in outer)
        if name in _OPENING:
            said = 1 if _guards(name, rest, lines[number + 1 : number + 4]) else macros.said(name, rest)
            sides.append(_Side(said, said, told=said is None))
        elif name in _ELSE and sides:
            said = 1 if name == "else" else macros.said(name[2:], rest)
            sides[-1].turn(said)
        if name in (*_OPENING, *_ELSE, "endif") and sides:
            if sides[-1].told and not dead:
                kept.append(line)
            if name == "endif":
                sides.pop()
            continue
        if any(side.read == 0 for side in sides):
            continue
        if name in ("define", "undef"):
            macros.change(name, rest, sure=all(side.read for side in sides))
        kept.append(line)
        unsure += any(side.read is None for side in sides)
    return "\n".join(kept), unsure


@dataclass(slots=True)
class _Side:
    """Of a condition: whether its present side is read, whether that or an earlier one was, and whether its lines are
    to be told, since nobody knows."""

    read: Truth
    taken: Truth
    told: bool

    def turn(self, said: Truth) -> None:
        """To the next side."""
        self.read = _and(_not(self.taken), said)
        self.taken = _or(self.taken, said)


class _Macros:
    """What is known of names at a line."""

    def __init__(self, plus: bool) -> None:
        self._there: dict[str, Truth] = {**dict.fromkeys(_HERE, 1), "__cplusplus": int(plus)}
        self._values: dict[str, Truth] = {**_HERE, "__cplusplus": 201703}

    def defined(self, name: str) -> Truth:
        """Whether it has a value."""
        return self._there[name] if name in self._there else 0 if _ELSEWHERE.fullmatch(name) else None

    def value(self, name: str) -> Truth:
        """As `#if` takes it: 0 for what has none."""
        there = self.defined(name)
        return self._values.get(name) if there else there

    def change(self, kind: str, rest: str, sure: bool) -> None:
        """By `#define` or `#undef`."""
        name, value = [*rest.split(None, 1), "", ""][:2]
        self._there[name] = int(kind == "define") if sure else None
        self._values[name] = int(value) if value.isdecimal() else None

    def said(self, kind: str, rest: str) -> Truth:
        """Of `#if`, `#ifdef` or `#ifndef`."""
        if kind == "if":
            return _Condition(rest, self).value()
        found = self.defined((rest.split() or [""])[0])
        return _not(found) if kind == "ifndef" else found


def _lines(text: str) -> Iterator[str]:
    """Lines, those that a backslash continues as one."""
    held = ""
    for line in text.split("\n"):
        if line.endswith("\\") and (held or _DIRECTIVE.match(line)):
            held += line[:-1] + " "
            continue
        yield held + line
        held = ""
    if held:
        yield held


def _guards(kind: str, name: str, following: list[str]) -> bool:
    """Whether the condition keeps a header from being read twice."""
    found = (_DIRECTIVE.match(line) for line in following)
    return kind == "ifndef" and any(one and one[1] == "define" and one[2].split()[:1] == [name] for one in found)


def _not(a: Truth) -> Truth:
    return None if a is None else int(not a)


def _and(a: Truth, b: Truth) -> Truth:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else 1


def _or(a: Truth, b: Truth) -> Truth:
    return _not(_and(_not(a), _not(b)))


class _Condition:
    """An expression behind `#if`; what is not understood of it cannot be told."""

    def __init__(self, text: str, macros: _Macros) -> None:
        self._tokens = [match for match in _TOKEN.finditer(text) if match[0].strip()]
        self._macros, self._at, self._depth = macros, 0, 0

    def value(self) -> Truth:
        try:
            found = self._or()
        except (ValueError, IndexError):
            return None
        return found if self._at == len(self._tokens) else None

    def _next(self) -> str:
        return self._tokens[self._at][0].strip() if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        """The next token where it is one of these."""
        found = self._next()
        if found not in wanted:
            return ""
        self._at += 1
        return found

    def _or(self) -> Truth:
        found = self._and()
        while self._take("||"):
            found = _or(found, self._and())
        return found

    def _and(self) -> Truth:
        found = self._compared()
        while self._take("&&"):
            found = _and(found, self._compared())
        return found

    def _compared(self) -> Truth:
        left = self._one()
        while sign := self._take(*_OPERATORS):
            right = self._one()
            left = None if left is None or right is None else int(_OPERATORS[sign](left, right))
        return left

    def _one(self) -> Truth:
        if self._take("!"):
            return _not(self._one())
        if self._take("("):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise ValueError("too deep")
            found = self._or()
            if not self._take(")"):
                raise ValueError("no bracket")
            return found
        number, name, _ = self._tokens[self._at].groups()
        self._at += 1
        if number:
            return int(number.rstrip("uUlL"), 0 if number[:2].lower() == "0x" else 10)
        if name == "defined":
            bracket = self._take("(")
            what = self._next()
            self._at += 1
            if bracket and not self._take(")"):
                raise ValueError("no bracket")
            return self._macros.defined(what)
        if not name:
            raise ValueError("no value")
        if self._next() == "(":  # of a macro: __has_include(<x>)
            raise ValueError("called")
        return self._macros.value(name)
