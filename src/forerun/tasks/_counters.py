"""Cheap facts about a program's text, for prompts: what a model would need many pieces to count for itself.

One pass over the tokens; comments and strings are skipped. It is light: no macro is expanded, no regular expression of
Perl is understood, and a string that spans lines ends at the first of them, except in Python and Lisp. Time is linear
in the text (every repeat in the patterns is possessive): about a second for a megabyte of C.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._footprint import footprint
from forerun.tasks._functions import GONE, KEPT
from forerun.tasks._growth import GROWING
from forerun.tasks._inputs import long
from forerun.tasks._nesting import Blocks, Braces, Ends, Indents, Mixed, Nest, Parens
from forerun.tasks._packages import foreign
from forerun.tasks._sizes import Sizes, heard
from forerun.tasks._stdin import kept, may_read
from forerun.tasks._tokens import TOKEN, Speech
from forerun.tasks._used import used
from forerun.toolchains.llvm.counts import counts

_LINE, _HASH = r"//[^\n]*+", r"(?<![$&{\\])\#[^\n]*+"
_BLOCK = r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?"
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]++|\\(?s:.))*"?', r"'(?:[^'\\\n]++|\\(?s:.))*'?"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n][^'\n]{0,8}+)'"
_BACKTICK = r"`[^`]*+`?"
_TRIPLE = r'"""(?:[^"\\]++|\\(?s:.)|"(?!""))*(?:""")?' + r"|'''(?:[^'\\]++|\\(?s:.)|'(?!''))*(?:''')?"
_STARRED = r"\(\*(?:[^*]++|\*(?!\)))*(?:\*\))?"
_DASHES = r"--\[\[(?:[^\]]++|\](?!\]))*(?:\]\])?|--[^\n]*+"

_TOKENS = (
    r"(?P<skip>{skip})|(?P<number>(?<![\w.])(?:0[xX][0-9a-fA-F]{{1,16}}+|[0-9]{{1,19}}+(?:[_'][0-9]{{3}})*"
    r"(?:[eE][0-9]{{1,2}})?)(?:_?[ui](?:8|16|32|64|size)|[uUlL]{{1,3}}+|n)?(?!\w|\.[0-9]))"
    r"|(?P<word>\b[^\W\d]{word}*+)(?P<call>{call})?|(?P<open>[{{(])|(?P<close>[)}}])|(?P<end>;){line}"
)

_READ = b"1000003 1000003 1000003\n" * 4
"""An input of large numbers."""
_LEVELS = 4
"""Of functions that call each other."""
_BRANCHES = frozenset("if elif elsif elseif unless case when match cond".split())
_NO_CALLS = _BRANCHES | frozenset(
    "for foreach while until switch return sizeof catch and or not in else def function fn func lambda print echo do"
    " define let let* letrec set! setq setf begin progn quote defun defvar new throw typeof with except".split()
)
_ALLOCATIONS = frozenset(
    "malloc calloc realloc alloca strdup mmap new make make_unique make_shared vector push_back emplace_back emplace"
    " resize reserve append extend insert push unshift list dict set bytearray array zeros ones empty full Vec Box"
    " with_capacity collect Array ArrayList HashMap HashSet StringBuilder map unordered_map deque allocate vec"
    " make-array make-vector make-hash-table cons table".split()
)


_NESTS: Mapping[str, type[Nest]] = {"(": Parens, "{": Braces, "{}": Blocks, "end": Ends, "end{}": Mixed}


@dataclass(frozen=True, slots=True)
class _Syntax:
    """`nesting`: `{` blocks in braces, `{}` where each loop must have one, `(` in parentheses, a blank one in
    indentation, `end` with words that end blocks, `end{}` in braces too."""

    skip: str
    loops: frozenset[str]
    nesting: str = " "


def _syntax(skip: str, loops: str, nesting: str = " ") -> _Syntax:
    return _Syntax(skip, frozenset(loops.split()), nesting)


_C = _syntax(f"{_LINE}|{_BLOCK}|{_DOUBLE}|{_CHARACTER}", "for while do", "{")
_SCRIPT = f"{_HASH}|{_DOUBLE}|{_SINGLE}"
_LISP = _syntax(
    r';[^\n]*+|\#\|(?:[^|]++|\|(?!\#))*(?:\|\#)?|"(?:[^"\\]++|\\(?s:.))*"?|\#\\.',
    "do do* dotimes dolist while until for-each map mapcar vector-for-each",
    "(",
)
_PASCAL = _syntax(rf"\{{[^}}]*+\}}?|{_STARRED}|{_LINE}|{_SINGLE}", "for while repeat FOR WHILE REPEAT For While Repeat")
_SYNTAX: Mapping[str, _Syntax] = {
    "c": _C,
    "c++": _C,
    "d": _syntax(f"{_C.skip}|{_BACKTICK}", "for while do foreach", "{"),
    "java": _C,
    "go": _syntax(f"{_C.skip}|{_BACKTICK}", "for", "{}"),
    "rust": _syntax(_C.skip, "for while loop", "{}"),
    "javascript": _syntax(f"{_LINE}|{_BLOCK}|{_DOUBLE}|{_SINGLE}|{_BACKTICK}", "for while do forEach", "{"),
    "php": _syntax(f"{_LINE}|{_BLOCK}|{_SCRIPT}", "for while do foreach", "{"),
    "perl": _syntax(_SCRIPT, "for while foreach until", "{"),
    "awk": _syntax(f"{_HASH}|{_DOUBLE}", "for while do", "{"),
    "r": _syntax(_SCRIPT, "for while repeat", "{"),
    "tcl": _syntax(f"{_HASH}|{_DOUBLE}", "for while foreach", "{"),
    "python": _syntax(f"{_HASH}|{_TRIPLE}|{_DOUBLE}|{_SINGLE}", "for while"),
    "ruby": _syntax(_SCRIPT, "for while until loop each times upto downto step each_with_index each_char", "end{}"),
    "shell": _syntax(_SCRIPT, "for while until"),
    "julia": _syntax(f"{_HASH}|{_TRIPLE}|{_DOUBLE}|{_CHARACTER}", "for while"),
    "nim": _syntax(f"{_HASH}|{_TRIPLE}|{_DOUBLE}|{_CHARACTER}", "for while"),
    "icon": _syntax(f"{_HASH}|{_DOUBLE}", "every while until repeat"),
    "lua": _syntax(f"{_DASHES}|{_DOUBLE}|{_SINGLE}", "for while repeat", "end"),
    "ada": _syntax(rf"--[^\n]*+|{_DOUBLE}|{_CHARACTER}", "for while"),
    "haskell": _syntax(rf"--[^\n]*+|\{{-(?:[^-]++|-(?!\}}))*(?:-\}})?|{_DOUBLE}|{_CHARACTER}", "forM_ mapM_ foldl"),
    "ocaml": _syntax(f"{_STARRED}|{_DOUBLE}|{_CHARACTER}", "for while"),
    "pascal": _PASCAL,
    "fortran": _syntax(rf"![^\n]*+|{_DOUBLE}|{_SINGLE}", "do DO Do"),
    "scheme": _LISP,
    "lisp": _Syntax(_LISP.skip, _LISP.loops | {"loop"}, "("),
    "forth": _syntax(r"\\ [^\n]*+|\( [^)]*+\)?", "do DO begin BEGIN"),
}
_OTHER = _syntax(f"{_DOUBLE}|{_LINE}|{_BLOCK}|{_HASH}", "for while foreach until loop repeat do")


def counters(language: str, text: str, stdin: bytes = b"") -> dict[str, float]:
    """What can be counted in a program's text, by name, always in the same order. Never raises.

    Of source: lines, bytes, loops, how deep loops and blocks are nested, branches, calls (and definitions that look
    like them), words that allocate, the largest integer that is written out; and as far as sizes in the text tell, the
    most elements that are asked for at once or gathered in loops (as many as of the language's lists take as much:
    `forerun.tasks._footprint`; of Python with packages as many as take what it holds: `forerun.tasks._used`), and how
    often the innermost loop of any nest goes round, where names are worth what is read from `stdin`; what stands in
    functions of a program that nobody calls adds to neither. Of LLVM IR (`llvm`): see
    `forerun.toolchains.llvm.counts`. A language that is not known is read as something like C or Python.
    """
    return dict(_counters(language, text, stdin, long(stdin)))


@lru_cache(maxsize=8)
def _counters(language: str, text: str, stdin: bytes, size: int) -> dict[str, float]:
    """Kept, as a program is asked about for one metric after another; the input has `size` bytes."""
    if language == "llvm":
        return counts(text)
    syntax = _SYNTAX.get(language, _OTHER)
    braces = syntax.nesting[0] == "{"
    speech = Speech(language, _size_pattern(syntax), syntax.loops, braces, footprint(language))
    sizes = heard(speech, text, stdin)
    scan = _Scan(syntax, sizes)
    for token in _pattern(syntax).finditer(text):
        scan.push(token)
    grown = scan.grown()
    read = speech.takes.share(kept(language, text, stdin, size, speech.takes))
    asked = max(sizes.elements, _times(grown) if grown else 0.0, read)
    if language == "python" and foreign(language, text):
        asked = speech.takes.share(used(text).bytes) or asked
    return {
        "lines": float(text.count("\n") + (not text.endswith("\n") and text != "")),
        "bytes": float(len(text.encode("utf-8", "surrogatepass"))),
        "loops": float(scan.nest.loops),
        "loop_depth": float(scan.nest.loop_depth),
        "depth": float(scan.nest.depth),
        "branches": float(scan.branches),
        "calls": float(scan.calls),
        "allocations": float(scan.allocations),
        "largest": scan.largest,
        "elements": asked,
        "iterations": _times(scan.heaviest()) if scan.nest.heaviest else 0.0,
    }


def reads_sizes(language: str, text: str) -> bool:
    """Whether what a program takes follows from numbers that it reads, as far as its text tells. Never raises."""
    if language not in _SYNTAX or not may_read(text):
        return False
    told, read = counters(language, text), counters(language, text, _READ)
    return any(read[name] > told[name] for name in ("elements", "iterations"))


def skipped(language: str) -> str:
    """The pattern of comments and strings of a language that is known."""
    return _SYNTAX[language].skip


@cache
def _pattern(syntax: _Syntax) -> re.Pattern[str]:
    # In Lisp the parenthesis stands in front of what is called.
    word, call = (r"[\w!?*<>=/-]", "(?!)") if syntax.nesting == "(" else (r"\w", r"[ \t]*+\(")
    line = r"|(?P<line>\n[ \t]*+)" if syntax.nesting[0] not in "({" else ""
    return re.compile(_TOKENS.format(skip=syntax.skip, word=word, call=call, line=line))


@cache
def _size_pattern(syntax: _Syntax) -> re.Pattern[str]:
    return re.compile(TOKEN.format(skip=syntax.skip))


class _Scan:
    """What was counted so far."""

    def __init__(self, syntax: _Syntax, sizes: Sizes) -> None:
        self.nest = _NESTS.get(syntax.nesting, Indents)()
        self.branches = self.calls = self.allocations = 0
        self.largest = 0.0
        self._grown: dict[str, list[tuple[float, float, float, int]]] = {}
        """What adds to something in each function: the weight of the loops around it, the logarithms of how many keys
        there can be and of what one counts for."""
        self._written = 0.0
        """The weight of what most is added to a text since it began, in the same function."""
        self._begun, self._since = sizes.begun[::-1], dict[tuple[str, str], float]()
        """Where texts begin, and the weight of the loops around the latest place, by function and name."""
        self._rounds, self._functions = sizes.rounds, sizes.functions
        self._names = frozenset(sizes.functions.values())
        self._inside: list[tuple[str, int]] = []
        """Functions whose bodies are open, and the depth that each was defined at."""
        self._within: dict[str, float] = {}
        """The weight of the heaviest nest of each function."""
        self._called: dict[str, dict[str, float]] = {}
        """What each function calls, and the weight of the loops around it."""
        self._stored: dict[tuple[str, str], float] = {}
        """The same, of calls whose results are kept beside others."""
        self._storing, self._headed = sizes.storing, sizes.headed
        self._implied, self._put = sizes.implied[::-1], sizes.grown[::-1]
        self._unused = sizes.unused[::-1]
        self._lisp, self._loops = syntax.nesting == "(", syntax.loops
        self._known = _BRANCHES | _ALLOCATIONS | GROWING | syntax.loops
        self._only_known = syntax.nesting[0] == "{"
        """Whether words that mean nothing here can be passed over: they are most of a text."""

    def push(self, token: re.Match[str]) -> None:
        """The next token."""
        start = token.start()
        while self._implied and self._implied[-1][0] <= start:
            self.nest.through(math.log(max(self._implied.pop()[1], 1.0)))
        while self._begun and self._begun[-1][0] <= start:
            self._since[self._here, self._begun.pop()[1]] = self.nest.passed
        while self._put and self._put[-1].at <= start:
            _, keys, each, times, onto, lasting = self._put.pop()
            passed, since = self.nest.passed + math.log(times), self._since.get((self._here, onto))
            if since is not None:
                self._written = max(self._written, min(passed - since, math.log(keys)) + math.log(each))
            else:
                self._grown.setdefault(self._here, []).append((passed, math.log(keys), math.log(each), lasting))
        kind = token.lastgroup
        if self._names:
            self._follow(token, kind, start)
        if kind == "word":
            text = token[0]
            if not self._only_known or text in self._known:
                self._word(text, self._lisp and self.nest.last == "(", start)
        elif kind == "call":
            self._word(token["word"], True, start)
            self.nest.mark("(")
        elif kind == "number":
            self.largest = max(self.largest, _integer(token[0]))
            self.nest.mark("0")
        elif kind != "skip":
            self.nest.mark(token[0])

    @property
    def _here(self) -> str:
        """The function that is open; empty outside of all."""
        return self._inside[-1][0] if self._inside else ""

    def _follow(self, token: re.Match[str], kind: str | None, start: int) -> None:
        """Which function is open, how heavy it is, and what it calls."""
        depth = self.nest.levels
        while self._inside and depth <= self._inside[-1][1] and self._inside[-1][0] in self._within:
            self._inside.pop()
        here = self._here
        if not self._inside or depth > self._inside[-1][1]:
            self._within[here] = max(self._within.get(here, 0.0), self.nest.passed)
        if start in self._functions:
            self._inside.append((self._functions[start], depth))
        elif kind == "call" and (name := token["word"]) in self._names and name != here:
            calls, weight = self._called.setdefault(here, {}), self.nest.passed
            weight = max(weight - math.log(self._headed.get(start, 1.0)), 0.0)
            calls[name] = max(calls.get(name, 0.0), weight)
            if start in self._storing:
                self._stored[here, name] = max(self._stored.get((here, name), 0.0), weight)

    def grown(self) -> float:
        """The weight of what most is added to something in loops, which may stand around calls of the function."""
        around, given = {"": 0.0}, dict[str, float]()
        edges = self._forward()
        for _ in range(_LEVELS):
            for name, other, weight in edges:
                around[other] = max(around.get(other, 0.0), around.get(name, 0.0) + weight)
        for name, other, _ in edges:
            if (stored := self._stored.get((name, other))) is not None:
                given[other] = max(given.get(other, 0.0), around.get(name, 0.0) + stored)
        found = self._written
        for name, added in self._grown.items():
            for passed, keys, each, lasting in added:
                outside = 0.0 if lasting == GONE else (around if lasting == KEPT else given).get(name, 0.0)
                weight = outside + passed
                found = max(found, min(weight, keys) + each if weight else 0.0)
        return found

    def _forward(self) -> list[tuple[str, str, float]]:
        """Who calls whom, and the weight of the loops around it, but for what calls its caller."""
        of = _rings(self._called)
        edges = ((name, other, weight) for name, calls in self._called.items() for other, weight in calls.items())
        return [edge for edge in edges if of[edge[0]] != of[edge[1]]]

    def heaviest(self) -> float:
        """The weight of the heaviest nest of loops, of which some may stand in functions that the others call."""
        found = dict(self._within)
        for _ in range(_LEVELS if self._called else 0):
            for name, calls in self._called.items():
                inner = max(weight + found.get(other, 0.0) for other, weight in calls.items())
                found[name] = max(found.get(name, 0.0), inner)
        return max(self.nest.heaviest, *found.values()) if found else self.nest.heaviest

    def _word(self, word: str, called: bool, start: int) -> None:
        loop = word in self._loops
        if word in self._known:
            self.branches += word in _BRANCHES
            self.allocations += word in _ALLOCATIONS
        if called and not loop and word not in _NO_CALLS:
            self.calls += 1
        while self._unused and self._unused[-1][1] <= start:
            self._unused.pop()
        weighs = loop and not (self._unused and self._unused[-1][0] <= start)
        self.nest.word(word, loop, math.log(self._rounds.get(start, UNKNOWN)) if weighs else 0.0)


def _rings(called: Mapping[str, Mapping[str, float]]) -> dict[str, int]:
    """Which functions call each other, by turns too: those of one number (Sharir 1981), in linear time."""
    callers: dict[str, list[str]] = {}
    for name, calls in called.items():
        for other in calls:
            callers.setdefault(other, []).append(name)
    ended, seen = list[str](), set[str]()
    for first in called:
        path = [] if first in seen else [(first, iter(called[first]))]
        seen.add(first)
        while path:
            name, calls_of = path[-1]
            following = next((other for other in calls_of if other not in seen), None)
            if following is None:
                ended.append(name)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(called.get(following, {}))))
    found: dict[str, int] = {}
    for number, first in enumerate(reversed(ended)):
        left = [first]
        while left:
            name = left.pop()
            if name not in found:
                found[name] = number
                left += callers.get(name, ())
    return found


def _times(weight: float) -> float:
    """Rounds of loops of this weight, as far as they mean anything."""
    return math.exp(min(weight, 100.0))


def _integer(text: str) -> float:
    """A literal's value; 1e9 is one too."""
    if text[:2] in ("0x", "0X"):
        return float(int(re.match("0[xX][0-9a-fA-F]+", text)[0], 16))  # type: ignore[index]
    return float(re.match("[0-9]+(?:[eE][0-9]+)?", re.sub("[_']", "", text))[0])  # type: ignore[index]
