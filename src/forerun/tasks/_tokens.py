"""The tokens of a program's text, and what stands where: brackets, arguments, statements. Nothing is worked out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from forerun.tasks._arithmetic import FAR
from forerun.tasks._footprint import Footprint
from forerun.tasks._records import Records
from forerun.tasks._stdin import is_word

TOKEN = (
    r"(?P<skip>{skip})|(?P<number>0[xX][0-9a-fA-F_]{{1,16}}|[0-9][0-9_']*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{{1,2}})?)(?:[a-zA-Z]\w*+)?"
    r"|[$@%]?(?P<word>[^\W\d]\w*)|\*\*|<<|>>|<=|>=|===?|!==?|=>|:=|\.\.[.=<]?|[-+*/%]=|&&|\|\||[-+*/%^<>=(){{}}\[\],;:.!?|&~#\n]"
)

_NO_TYPE = frozenset(
    "return in and or not if else elif case print puts echo yield new delete throw while for do of await use".split()
)
_LINE = 400
"""Characters of a line that are read."""
_NO_NAME, _TYPE = frozenset("else try finally default".split()), 14
"""What a colon also stands behind, and the tokens that a type has at most, with what is in front of it."""
_DECLARING = frozenset("let mut var val const static readonly ( , . *".split())
"""What stands in front of a name that a type stands behind, if anything does."""
_SPELLING = frozenset(
    "str String to_s to_string toString valueOf format sprintf Sprintf strdup repr join substr substring slice clone"
    " to_owned hex Itoa from tostring".split()
)
"""What makes a text."""
_SPELT, _JOINING = frozenset(("(", "!", ")", "}", ":", "")), frozenset(("+", "..", "%"))
"""What follows that, and what puts texts together."""
_FILLED_IN = re.compile(r"[#$]\{|^\"[^\"]*[$]\w")
"""A string with something in it."""


@dataclass(frozen=True, slots=True)
class Speech:
    """How a language is read."""

    language: str
    pattern: re.Pattern[str]
    """`TOKEN` with what is skipped."""
    loops: frozenset[str]
    braces: bool
    """Whether it is like C."""
    takes: Footprint

    @property
    def comprehends(self) -> bool:
        """Whether braces hold elements: in Ruby they are blocks."""
        return not self.braces and "each" not in self.loops

    @property
    def modifies(self) -> bool:
        """Whether loops may stand behind what they repeat: in Perl and Ruby."""
        return "until" in self.loops


class Text:
    """A text as its tokens. A string is one quotation mark; behind the last token stand four empty ones."""

    def __init__(self, speech: Speech, source: str) -> None:
        self.speech = speech
        self.tokens: list[str] = []
        self.starts: list[int] = []
        self.source = source
        self.strings: dict[int, int] = {}
        """Characters of the strings, by the places of their tokens."""
        self.suffixes: dict[int, str] = {}
        """The types that numbers tell, by the places of their tokens: Rust's `0u8`."""
        self.dots = frozenset(("..", "..=", "..<") if speech.braces else ("..", "..=", "..<", "..."))
        """What makes a range: in languages like C three dots are of arguments, or spread a list."""
        self._made: set[int] = set()
        """Strings that something is filled into, by the places of their tokens."""
        for found in speech.pattern.finditer(source):
            kind = found.lastgroup
            if kind == "skip":
                if found[0][0] not in "\"'`":
                    continue
                token = '"'
                self.strings[len(self.tokens)] = len(found[0]) - 2
                if _FILLED_IN.search(found[0]) or (self.tokens and self.tokens[-1] in ("f", "rf", "fr")):
                    self._made.add(len(self.tokens))
            else:
                token = found[kind] if kind else found[0]
                if kind == "number" and len(found[0]) > len(token):
                    self.suffixes[len(self.tokens)] = found[0][len(token) :].lstrip("_")
            self.tokens.append(token)
            self.starts.append(found.start())
        self.tokens += [""] * 4
        self.records = Records(speech.language, self.tokens, speech.takes)

    def part(self, i: int) -> str:
        """A token; nothing past the end."""
        return self.tokens[i] if i < len(self.tokens) else ""

    def string(self, i: int) -> str:
        """What stands in the string at `i`."""
        start = self.starts[i] + 1
        return self.source[start : start + self.strings[i]]

    def indented(self, start: int) -> int:
        """How far the line is indented that the character at `start` stands in, of a line that is not very long."""
        begins = max(self.source.rfind("\n", max(start - _LINE, 0), start) + 1, start - _LINE)
        line = self.source[begins:start]
        return len(line) - len(line.lstrip())

    def closing(self, opened: int) -> int:
        """Where the bracket ends that opens there."""
        depth = 0
        end = min(opened + FAR, len(self.tokens) - 1)
        for i in range(opened, end):
            token = self.tokens[i]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                return i
        return end

    def past(self, opened: int) -> int:
        """What stands behind the brackets that open there, and those of their kind that follow: `[i][j]`."""
        end = self.closing(opened) + 1
        while self.part(end) == self.part(opened):
            end = self.closing(end) + 1
        return end

    def angled(self, opened: int) -> int:
        """Where an angle bracket ends."""
        depth = 0
        for i in range(opened, min(opened + FAR, len(self.tokens) - 2)):
            depth += {"<": 1, ">": -1, ">>": -2}.get(self.tokens[i], 0)
            if depth <= 0:
                return i
        return opened

    def opening(self, closed: int) -> int:
        """Where the parenthesis begins that ends there; 0 where that is far."""
        depth = 0
        for i in range(closed, max(closed - FAR, 0), -1):
            depth += (self.tokens[i] == ")") - (self.tokens[i] == "(")
            if not depth:
                return i
        return 0

    def around(self, i: int) -> int:
        """Where the parenthesis opens that what stands at `i` is in; 0 where that is far."""
        depth = 0
        for k in range(i - 1, max(i - FAR, 0), -1):
            depth += (self.tokens[k] == "(") - (self.tokens[k] == ")")
            if depth > 0:
                return k
        return 0

    def places(self, opened: int) -> list[int]:
        """Where each argument behind a parenthesis begins."""
        places, depth = [opened + 1], 0
        for i in range(opened, min(opened + FAR, len(self.tokens))):
            token = self.tokens[i]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                break
            if token == "," and depth == 1:
                places.append(i + 1)
        return places

    def parts(self, opened: int) -> list[list[str]]:
        """What stands between the commas behind a parenthesis."""
        places = [*self.places(opened), self.closing(opened) + 1]
        return [self.tokens[a : b - 1] for a, b in pairwise(places)]

    def before(self, i: int, most: int) -> list[str]:
        """At most so many tokens in front of `i` that belong to its statement, the nearest first."""
        before = self.tokens[max(0, i - most) : i][::-1]
        return before[: next((n for n, token in enumerate(before) if token in (";", "{", "}", "\n")), len(before))]

    def behind(self, i: int, most: int) -> list[str]:
        """At most so many tokens from `i` on that belong to its statement."""
        behind = self.tokens[i : i + most]
        return behind[: next((n for n, token in enumerate(behind) if token in (";", "\n")), len(behind))]

    def bound(self, i: int) -> str:
        """The name that is bound by the sign at `i`; a type may stand between: `n: i64 = 5`."""
        before = [*self.before(i, _TYPE), ""]
        name, ahead = [*before[before.index(":") + 1 :], ""][:2] if ":" in before else ("", "")
        if is_word(name) and name not in _NO_NAME and (ahead in _DECLARING or not ahead):
            return name
        return before[0]

    def may_be_type(self, i: int) -> bool:
        """Whether a type may stand there: a word that nothing else is said with."""
        return is_word(self.tokens[i]) and self.tokens[i] not in _NO_TYPE

    def spelt(self, start: int, most: int = 8) -> bool:
        """Whether a text is made there."""
        for i in range(start, min(start + most, len(self.tokens))):
            token, following = self.tokens[i], self.part(i + 1)
            if token in (";", "\n", "", ","):
                return False
            joined = (token in _JOINING and following == '"') or (token == '"' and following in _JOINING)
            if joined or i in self._made or (token in _SPELLING and following in _SPELT):
                return True
        return False
