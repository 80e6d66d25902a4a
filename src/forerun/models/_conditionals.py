"""Which lines of C and C++ a compiler on Linux and x86-64 reads, as far as the conditions in the text tell.

A file of a portable project holds code for other systems, which becomes nothing. What the project's own flags decide is
not known: both sides stay, and their lines are counted.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_NAMES = (
    "__linux__ __linux linux __gnu_linux__ __unix__ __unix unix __ELF__ __x86_64__ __x86_64 __amd64__ __LP64__ _LP64"
    " __SSE__ __SSE2__ __STDC__ __clang__"
).split()
_HERE: dict[str, int | None] = {
    **dict.fromkeys(_NAMES, 1),
    "__GNUC__": 4, "__GNUC_MINOR__": 2, "__clang_major__": 22, "__SIZEOF_POINTER__": 8, "__STDC_VERSION__": 201710,
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
_SKIPPED = re.compile(r'//[^\n]*+|"(?:[^"\\\n]++|\\.)*+"|\'(?:[^\'\\\n]++|\\.)*+\'|(/\*.*?(?:\*/|\Z))', re.DOTALL)
_END = re.compile("\n")
_NAME = re.compile(r"\w*")
_TOKEN = re.compile(r"\s*(?:(\d[\w']*)|(\w+)|(&&|\|\||[!=<>]=|<<|>>|.))", re.DOTALL)
_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_ORDERING = ("<=", ">=", "<", ">")
"""Those that bind more."""
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
    for number, (line, match) in enumerate(lines):
        name, rest = (match[1], _COMMENT.sub(" ", match[2]).strip()) if match else ("", "")
        here = sides[-1].here if sides else 1
        if name in _OPENING:
            said = macros.said(name, rest)
            if said is None and _guards(name, rest, lines[number + 1 : number + 4]):
                said = 1
            sides.append(_Side(here, said, said, told=said is None))
        elif name in _ELSE and sides:
            said = 1 if name == "else" else macros.said(name[2:], rest)
            sides[-1].turn(said)
        if name in (*_OPENING, *_ELSE, "endif") and sides:
            if sides[-1].told and sides[-1].outer != 0:
                kept.append(line)
            if name == "endif":
                sides.pop()
            continue
        if here == 0:
            continue
        if name in ("define", "undef"):
            macros.change(name, rest, sure=here is not None)
        kept.append(line)
        unsure += here is None
    return "\n".join(kept), unsure


@dataclass(slots=True)
class _Side:
    """Of a condition: whether what is around it is read, its present side, and that or an earlier one; and whether its
    lines are to be told, since nobody knows."""

    outer: Truth
    read: Truth
    taken: Truth
    told: bool

    @property
    def here(self) -> Truth:
        """Whether lines of the present side are read."""
        return _and(self.outer, self.read)

    def turn(self, said: Truth) -> None:
        """To the next side."""
        self.read = _and(_not(self.taken), said)
        self.taken = _or(self.taken, said)


class _Macros:
    """What is known of names at a line."""

    def __init__(self, plus: bool) -> None:
        self._there: dict[str, Truth] = {**dict.fromkeys(_HERE, 1), "__cplusplus": int(plus)}
        self._values: dict[str, Truth] = {**_HERE, "__cplusplus": 201703}
        if plus:
            self._there["__STDC_VERSION__"] = 0

    def defined(self, name: str) -> Truth:
        """Whether it has a value."""
        return self._there[name] if name in self._there else 0 if _ELSEWHERE.fullmatch(name) else None

    def value(self, name: str) -> Truth:
        """As `#if` takes it: 0 for what has none."""
        there = self.defined(name)
        return self._values.get(name) if there else there

    def change(self, kind: str, rest: str, sure: bool) -> None:
        """By `#define` or `#undef`."""
        name = _NAME.match(rest)[0]  # type: ignore[index]
        self._there[name] = int(kind == "define") if sure else None
        try:
            self._values[name] = _number(rest.removeprefix(name).strip())
        except ValueError:  # also of a macro with arguments
            self._values[name] = None

    def said(self, kind: str, rest: str) -> Truth:
        """Of `#if`, `#ifdef` or `#ifndef`."""
        if kind == "if":
            return _Condition(rest, self).value()
        found = self.defined(_NAME.match(rest)[0])  # type: ignore[index]
        return _not(found) if kind == "ifndef" else found


_Line = tuple[str, re.Match[str] | None]
"""With what it tells the preprocessor, if anything."""


def _lines(text: str) -> Iterator[_Line]:
    """Lines, directives that a backslash continues as one; none begins within a comment."""
    within = {end.end() for found in _SKIPPED.finditer(text) if found[1] for end in _END.finditer(text, *found.span())}
    held, start = "", 0
    for line in text.split("\n"):
        told = bool(held or (start not in within and _DIRECTIVE.match(line)))
        start += len(line) + 1
        if told and (continued := line.rstrip()).endswith("\\"):
            held += continued[:-1] + " "
            continue
        whole, held = held + line, ""
        yield whole, _DIRECTIVE.match(whole) if told else None
    if held:
        yield held, _DIRECTIVE.match(held)


def _guards(kind: str, name: str, following: list[_Line]) -> bool:
    """Whether the condition keeps a header from being read twice."""
    found = (match for _, match in following)
    return kind == "ifndef" and any(one and one[1] == "define" and one[2].split()[:1] == [name] for one in found)


def _number(text: str) -> int:
    """The value of an integer literal. Raises ValueError."""
    digits = text.rstrip("uUlLzZ").replace("'", "")
    return int(digits, 8 if digits.isdecimal() and digits[0] == "0" else 0)


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
        return self._chain(lambda: self._chain(self._one, *_ORDERING), "==", "!=")

    def _chain(self, part: Callable[[], Truth], *signs: str) -> Truth:
        left = part()
        while sign := self._take(*signs):
            right = part()
            left = None if left is None or right is None else int(_OPERATORS[sign](left, right))
        return left

    def _one(self) -> Truth:
        signs = 0
        while self._take("!"):
            signs += 1
        if signs:
            found = _not(self._one())
            return found if signs % 2 else _not(found)
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
            return _number(number)
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
