"""Functions that nobody calls: of a whole program what stands in them is never run, and costs nothing.

Only what is safe is told. A function counts as called where its name stands anywhere outside of itself and of functions
that are not called either, also in a string; and where the text could name functions in ways that are not seen (`eval`,
`globals`, `#include "other.h"`, `a ## b`), or does nothing by itself, as modules do, or is one file of several, which
calls of what it lacks tell, all of its functions are. Methods are called by what is not in the text, so only those of
Java that are private or static are looked at, and in a package that are private. A body is believed where indentation
and brackets agree on it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from forerun.tasks._stdin import is_word


@dataclass(frozen=True, slots=True)
class _Style:
    """How functions of a language are defined, and called in ways that are not seen."""

    defining: frozenset[str] = frozenset()
    """Words in front of their names; without one a type stands there."""
    ends: str = "}"
    """How a body ends: with a brace, with a word, or (empty) with its indentation."""
    main: str = "main"
    """What has to be defined where a program starts there; empty where it starts with its first line."""
    hidden: frozenset[str] = frozenset()
    """Words that call what they do not name, or bring code that may."""
    marks: tuple[str, ...] = ()
    """What says so that is no word."""
    called: frozenset[str] = frozenset()
    """Functions that the language or its library calls."""


def _style(defining: str, ends: str, main: str, hidden: str, called: str = "", marks: tuple[str, ...] = ()) -> _Style:
    split = (frozenset(words.split()) for words in (defining, hidden, called))
    words, unseen, known = split
    return _Style(words, ends, main, unseen, marks, known)


_C = _style(
    "", "}", "main", "constructor destructor alias weak ifunc section dlsym",
    "WinMain wmain malloc calloc realloc free memalign swap begin end get to_json from_json hash_value tag_invoke",
    ("##",),
)  # fmt: skip
_STYLES: Mapping[str, _Style] = {
    "c": _C,
    "c++": _C,
    "java": _style(
        "", "}", "main", "",
        "premain agentmain readObject writeObject readResolve writeReplace readObjectNoData valueOf",
    ),
    "go": _style("func", "}", "main", "", "init", ("//export ", "//go:linkname")),
    "rust": _style("fn", "}", "main", "no_mangle export_name paste concat_idents"),
    "python": _style(
        "def", "", "", "globals locals vars eval exec modules __all__ doctest Fire getmembers", "load_tests"
    ),
    "ruby": _style(
        "def", "end", "",
        "send public_send __send__ eval instance_eval class_eval methods private_methods require_relative",
        "method_missing respond_to_missing inherited included extended prepended const_missing inspect to_s",
    ),
    "lua": _style("function", "end", "", "_G _ENV load loadstring setfenv getfenv dofile loadfile"),
    "javascript": _style(
        "function", "}", "", "eval Function window document globalThis global self importScripts export"
    ),
    "php": _style(
        "function", "}", "",
        "eval create_function call_user_func call_user_func_array include include_once require require_once"
        " ReflectionFunction get_defined_functions",
    ),
    "perl": _style(
        "sub", "}", "", "AUTOLOAD can EXPORT EXPORT_OK do_file", "import unimport", ("no strict", "->$", "&$", "&{")
    ),
}  # fmt: skip

_KEYWORDS = frozenset(
    "if else for while switch catch do return sizeof try synchronized new class struct union enum record interface"
    " namespace operator define defined asm".split()
)
_OWN = frozenset(("static", "private"))
"""Java: methods that nothing overrides."""
_NO_METHOD = _KEYWORDS | {"=", "(", "->", "native", "abstract"}
_GO = frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte"
    " complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64"
    " uintptr any func if for switch return go defer select case range import var const type else chan".split()
)
"""Go: what may stand in front of a parenthesis in any program."""
_PLAIN = frozenset("inline allow must_use cold".split())
"""Rust: attributes of functions that are called by their names."""
_DOING = frozenset(
    "print println puts p pp say echo printf console write exit die for foreach while each times upto loop".split()
)
"""What a program does with its own lines that modules seldom do."""
_TYPES = frozenset("class module interface trait abstract final export enum package".split())
_INSIDE = frozenset("{ # ) rescue ensure else public private protected".split())
"""What may stand as far left as the definition that it belongs to."""
_HEAD = 60
"""Tokens between a function's name and its body, those in brackets aside."""
_WORD = re.compile(r"\w+")
_LONGEST = 1 << 19
"""Characters: longer texts are seldom programs, and all of their functions count."""


@dataclass(frozen=True, slots=True)
class _Function:
    """By places of tokens, the end included."""

    name: str
    named: int
    start: int
    end: int


def unused(
    language: str, text: str, tokens: Sequence[str], starts: Sequence[int], strings: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Where functions stand in a text that nobody calls, in its order, each up to what follows it.

    `tokens` are those of `forerun.tasks._tokens.TOKEN`, which begin at `starts`, and four empty ones behind them;
    `strings` are the lengths of those that are strings, by their places. Never raises.
    """
    style = _STYLES.get(language)
    if style is None or len(text) > _LONGEST or not style.hidden.isdisjoint(tokens):
        return []
    if any(mark in text for mark in style.marks):
        return []
    program = _Program(language, style, text, tokens, starts, strings)
    ends = [*starts[1:], len(text)]
    return [(starts[one.start], ends[one.end]) for one in program.dead()]


class _Program:
    """The functions of a text, and who names them."""

    def __init__(
        self,
        language: str,
        style: _Style,
        text: str,
        tokens: Sequence[str],
        starts: Sequence[int],
        strings: Mapping[int, int],
    ) -> None:
        self._language, self._style, self._text = language, style, text
        self._tokens, self._starts, self._strings = tokens, starts, strings
        self._count = len(starts)
        self._packaged = "package" in tokens
        self._lines = [k for k in range(self._count) if tokens[k] != "\n" and (not k or tokens[k - 1] == "\n")]
        """The first tokens of lines."""
        self._pairs: dict[int, int] = {}
        """Brackets, by where they open and close."""

    def dead(self) -> list[_Function]:
        """Those that nobody calls, in the order of the text."""
        if not self._whole() or (self._style.main and self._style.main not in self._tokens):
            return []
        functions = list(self._functions())
        names = {self._folded(one.name) for one in functions}
        if not functions or (self._style.main and self._style.main not in names):
            return []
        if self._lacks(names):
            return []
        begins = [one.start for one in functions]
        named: dict[int, set[str]] = {}
        own = {one.named for one in functions}
        for k in range(self._count):
            if k not in own and (words := names.intersection(self._words(k))):
                at = bisect_right(begins, k) - 1
                inside = at if at >= 0 and k <= functions[at].end else -1
                named.setdefault(inside, set()).update(words)
        if not self._style.main and not self._acts(functions, names):
            return []
        living = {name for name in names if self._always(name)} | named.get(-1, set())
        new = set(living)
        while new:
            reached = [place for place, one in enumerate(functions) if self._folded(one.name) in new]
            new = set().union(*(named.get(place, set()) for place in reached)) - living
            living |= new
        return [one for one in functions if self._folded(one.name) not in living]

    def _whole(self) -> bool:
        """Whether nothing of the program is in other files, which may call its functions."""
        tokens = self._tokens
        parts = {"c": ("include", '"'), "c++": ("include", '"'), "python": ("from", ".")}.get(self._language)
        if parts:
            return all(pair != parts for pair in pairwise(tokens))
        if self._language == "rust":
            return all(tokens[k] != "mod" or tokens[k + 2] != ";" for k in range(self._count - 2))
        return self._language != "ruby" or self._indented()

    def _lacks(self, names: Collection[str]) -> bool:
        """C and Go: whether the text calls functions that other files define, or may not be the one that begins."""
        if self._language == "go":
            return self._calls_others()
        if self._style is not _C:
            return False
        tokens, places = self._tokens, range(self._count)
        told = {tokens[k] for k in places if self._declared(k)}.difference(names)
        if told.difference(tokens[k] for k in places if tokens[k] in told and tokens[k + 1] == "(" and self._body(k)):
            return True
        conditions = [word for sign, word in pairwise(tokens[: tokens.index("main")]) if sign == "#"]
        return sum(word.startswith("if") for word in conditions) > conditions.count("endif")

    def _calls_others(self) -> bool:
        """Go: whether something is called that stands nowhere but in calls."""
        tokens = self._tokens
        called, known = set[str](), set(_GO)
        for k in range(self._count):
            if tokens[k : k + 2] == ["interface", "{"]:
                known.update(tokens[k : self._pairs.get(k + 1, k)])
            if tokens[k + 1] != "(" or (k and tokens[k - 1] in ("func", ")")):
                known.add(tokens[k])
            elif is_word(tokens[k]) and tokens[k - 1] != ".":
                called.add(tokens[k])
        return not called <= known

    def _indented(self) -> bool:
        """Ruby: whether what stands in classes stands further right, so that methods are told from functions."""
        tokens, left = self._tokens, [k for k in self._lines if not self._column(k)]
        return all(tokens[k] not in ("class", "module") or tokens[end] == "end" for k, end in pairwise(left))

    def _folded(self, name: str) -> str:
        return name.casefold() if self._language == "php" else name

    def _always(self, name: str) -> bool:
        """Whether something calls it that is not in the text."""
        if name == self._style.main or name in self._style.called or name.startswith("__"):
            return True
        if self._style is _C:
            return name.startswith("_") or name.isupper()
        if self._language == "go" and name[0].isupper():  # exported
            return True
        return name.isupper() if self._language == "perl" else name.startswith("test")

    def _words(self, k: int) -> list[str]:
        """The words of a token; of a string those in it, and none of a name that is only declared."""
        if k in self._strings:
            start = self._starts[k]
            found = _WORD.findall(self._text, start, start + self._strings[k] + 2)
            return [self._folded(word) for word in found]
        return [] if self._declared(k) else [self._folded(self._tokens[k])]

    def _declared(self, k: int) -> bool:
        """C: `int f(int);` outside of functions."""
        if self._style is not _C or self._tokens[k + 1] != "(" or self._depths[k] or not self._typed(k):
            return False
        return k + 1 in self._pairs and self._tokens[self._pairs[k + 1] + 1] == ";"

    def _typed(self, k: int) -> bool:
        before = self._tokens[k - 1] if k else ""
        return before in ("*", "&", ">", "\n") or (is_word(before) and before not in _KEYWORDS)

    def _functions(self) -> Iterator[_Function]:
        """Those that are looked at, one behind the other."""
        if self._style.ends == "}":
            self._pair()
        last = -1
        for k in range(self._count):
            found = self._defined(k) if k > last else None
            if found:
                last = found.end
                yield found

    def _pair(self) -> None:
        self._depths: list[int] = []
        """How many braces are open at each token."""
        opened: list[int] = []
        depth = 0
        closing = {")": "(", "]": "[", "}": "{"}
        for k in range(self._count):
            token = self._tokens[k]
            if token == "}":
                depth = max(depth - 1, 0)
            self._depths.append(depth)
            if token == "{":
                depth += 1
            if token in ("(", "[", "{"):
                opened.append(k)
            elif token in closing and opened and self._tokens[opened[-1]] == closing[token]:
                self._pairs[opened.pop()] = k

    def _defined(self, k: int) -> _Function | None:
        """The function that is defined by the word at `k`, or whose name stands there; None where that is in doubt."""
        tokens, style = self._tokens, self._style
        if style.defining:
            if tokens[k] not in style.defining:
                return None
            name = k + 1 + (tokens[k + 1] in ("&", "*"))
            if not is_word(tokens[name]) or tokens[name + 1] in (".", ":"):
                return None
            return self._within(k, name) if style.ends != "}" else self._braced(k, name)
        called = tokens[k + 1] == "(" and is_word(tokens[k]) and tokens[k] not in _KEYWORDS
        return self._braced(k, k) if called else None

    def _braced(self, k: int, name: int) -> _Function | None:
        """With a body in braces."""
        opened = self._body(name)
        end = self._pairs.get(opened, 0)
        if not end or not self._looked_at(k, opened):
            return None
        first = self._line(k)
        column = self._column(self._lines[first])
        for line in range(first + 1, len(self._lines)):
            at = self._lines[line]
            if at >= end:
                break
            if self._column(at) <= column and self._tokens[at] not in _INSIDE and self._tokens[at + 1] != ":":
                return None
        if self._language in ("javascript", "perl") and "\n" not in self._tokens[k:end] and "/" in self._tokens[k:end]:
            return None  # a pattern may hold a brace
        return _Function(self._tokens[name], name, self._head(k), end)

    def _body(self, name: int) -> int:
        """Where the braces of the body open; 0 where none do."""
        tokens, k = self._tokens, name + 1
        for _ in range(_HEAD):
            token = tokens[k]
            if token == "{" and tokens[k - 1] not in ("interface", "struct"):
                return k
            if token in ("(", "[", "{"):
                k = self._pairs.get(k, self._count)
                if not self._style.defining and tokens[k + 1] not in ("{", "\n", "throws"):
                    return 0
            elif token in (";", "}", "=", ""):
                return 0
            k = min(k + 1, self._count)
        return 0

    def _looked_at(self, k: int, opened: int) -> bool:
        """Whether the function may be one that nobody calls."""
        tokens = self._tokens
        head = self._head(k)
        before = tokens[head:k]
        if self._language == "java":
            own = {"private"} if self._packaged and tokens[k] != "main" else _OWN
            if own.isdisjoint(before) or not _NO_METHOD.isdisjoint(before):
                return False
            return all(self._text[self._starts[i]] != "@" for i in range(head, k))
        if self._depths[k]:
            return False
        if self._style is _C:
            return self._typed(k) and not {"=", "(", "extern", "#"} & {*before} and ":" not in tokens[k - 2 : k]
        if self._language == "rust":
            return "extern" not in before and "]" not in before and self._attributed(head)
        return before in ([], ["async"]) and (head == 0 or tokens[head - 1] in ("\n", ";", "}", "php"))

    def _attributed(self, head: int) -> bool:
        """Rust: whether the attributes in the lines above call nothing."""
        line = self._line(head)
        while line and self._tokens[self._before(line)] == "]":
            line -= 1
            first = self._lines[line]
            if self._tokens[first : first + 2] != ["#", "["] or self._tokens[first + 2] not in _PLAIN:
                return False
        return True

    def _before(self, line: int) -> int:
        """The last token in front of a line, ends of lines aside."""
        k = self._lines[line] - 1
        while k and self._tokens[k] == "\n":
            k -= 1
        return k

    def _head(self, k: int) -> int:
        """Where the statement begins that defines what stands at `k`: of Java with its annotations."""
        ends = (";", "{", "}") if self._language == "java" else (";", "{", "}", "\n")
        start = k
        while start and self._tokens[start - 1] not in ends:
            start -= 1
        while self._tokens[start] == "\n" and start < k:
            start += 1
        return start

    def _within(self, k: int, name: int) -> _Function | None:
        """With a body that is indented."""
        first = self._line(k)
        head = self._lines[first]
        if self._tokens[head:k] not in ([], ["async"], ["local"]) or self._column(head) or self._decorated(first):
            return None
        for line in range(first + 1, len(self._lines)):
            token = self._tokens[at := self._lines[line]]
            if self._column(at) or token in ")]}" or (self._style.ends and token in _INSIDE):
                continue
            if self._style.ends:
                return _Function(self._tokens[name], name, head, at) if token == self._style.ends else None
            return _Function(self._tokens[name], name, head, at - 1)
        return None if self._style.ends else _Function(self._tokens[name], name, head, self._count - 1)

    def _decorated(self, line: int) -> bool:
        """Python: whether a decorator, or the end of one, stands in the line above."""
        above = self._lines[line - 1] if line else -1
        return above >= 0 and (self._text[self._starts[above]] == "@" or self._tokens[above] == ")")

    def _line(self, k: int) -> int:
        return bisect_right(self._lines, k) - 1

    def _column(self, k: int) -> int:
        start = self._starts[k]
        return len(self._text[self._text.rfind("\n", 0, start) + 1 : start].expandtabs(8))

    def _acts(self, functions: Sequence[_Function], names: Collection[str]) -> bool:
        """Whether something is said, repeated or called outside of all functions and classes, as modules seldom do."""
        begins = [one.start for one in functions]
        kind = ""
        for at, following in pairwise([*self._lines, self._count]):
            if not self._column(at):
                kind = self._tokens[at]
            place = bisect_right(begins, at) - 1
            if kind in _TYPES or (place >= 0 and at <= functions[place].end):
                continue
            if self._folded(self._tokens[at]) in names or not _DOING.isdisjoint(self._tokens[at:following]):
                return True
        return False
