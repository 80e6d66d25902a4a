"""What things take that a text writes out: `{"id": i, "tags": [i, j]}`, `Point(i, f"p{i}")`, `f"user {i}"`, or what
functions give that return such."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from forerun.tasks._functions import Functions
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_CONSTANTS = frozenset("True False None true false nil null undefined".split())
"""Words for what is there once."""
_SIGNS = frozenset((":", "=>", "="))
"""What stands between a key and what is under it."""
_NO_THINGS = frozenset((("[", "lua"), ("{", "php")))
"""Brackets that hold no elements."""
_TUPLES = frozenset(("namedtuple", "Struct"))
"""What makes types of things that are only listed."""
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ENDS = frozenset(("", ";", "\n", ",", ")", "]", "}", "end", "if", "unless", "for"))
_LEADING = frozenset("new & + await bless".split())
"""What stands in front of a thing."""
_FAR, _NEAR, _DEEPEST = 400, 8, 4
"""Tokens that a thing may have, those in which a text is made, and things in each other."""
_THING = 40.0
"""Bytes that a thing of its own takes at least."""


class Written:
    """Bytes of one of each thing that is written out, in languages whose lists hold things of their own."""

    def __init__(self, text: Text, functions: Functions) -> None:
        self._text, self._tokens, self._takes = text, text.tokens, text.speech.takes
        self._language = text.speech.language
        self._given: dict[str, float] = {}
        """What functions give."""
        self._bound: dict[str, list[int]] = {}
        """Where names are bound to something that is written out, in the order of the text."""
        self._listed: set[str] = set()
        """Types of things that are only listed."""
        self._closed: dict[int, int] = {}
        """Where brackets end, by where they open."""
        self._looped: dict[int, int] = {}
        """Where a loop's word stands in brackets, in no others."""
        self._several: set[int] = set()
        """Brackets with a comma."""
        self._known: dict[int, float] = {}
        """What was found of names, by where they are bound."""
        self._loops = [i for i, token in enumerate(self._tokens) if token in text.speech.loops]
        self._things = self._takes.node > _THING
        if self._things:
            self._pair()
            self._bind()
            for name, start in functions.returned():
                self._given[name] = max(self._given.get(name, 0.0), self.taken(start))

    def _pair(self) -> None:
        opened = list[int]()
        for i, token in enumerate(self._tokens):
            if token in _OPENING:
                opened.append(i)
            elif not opened:
                continue
            elif token in _CLOSING:
                self._closed[opened.pop()] = i
            elif token == ",":
                self._several.add(opened[-1])
            elif token in self._text.speech.loops:
                self._looped.setdefault(opened[-1], i)

    def _bind(self) -> None:
        for i, token in enumerate(self._tokens):
            if token == "=" and is_word(name := self._text.bound(i)):
                self._bound.setdefault(name, []).append(i + 1)
                if not _TUPLES.isdisjoint(self._tokens[i + 1 : i + 4]):
                    self._listed.add(name)

    def thing(self, start: int) -> float:
        """Bytes of the thing that is written from `start` on, with its place in a list; 0 where nothing tells that
        there is one, as of texts."""
        return self._thing(start, 0, _DEEPEST) if self._things else 0.0

    def taken(self, start: int) -> float:
        """The same, or of a text that is made there."""
        return self._taken(start, 0, _DEEPEST) if self._things else 0.0

    def comprehended(self, opened: int) -> float:
        """Bytes of one of what a comprehension makes whose bracket opens there, with its place; 0 where there is none,
        or nothing tells."""
        loop = self._looped.get(opened, 0) if self._text.speech.comprehends else 0
        if not 0 < loop <= opened + _FAR:
            return 0.0
        start, end = self._trimmed(opened + 1, loop)
        keyed = self._tokens[opened] == "{"
        if keyed and (sign := self._sign(start, end)):
            return self._takes.keyed + self._more(start, sign) + self._more(sign + 1, end)
        more = self._more(start, end)
        return (self._takes.keyed if keyed else self._takes.listed) + more if more or keyed else 0.0

    def block(self, opened: int) -> float:
        """Bytes of what a block gives that opens there, `{ |i| [i, i * 2] }`, with its place; 0 where nothing tells."""
        start = opened + (self._tokens[opened] != "+")
        if self._tokens[start] == "|" and "|" in self._tokens[start + 1 : start + 9]:
            start = self._tokens.index("|", start + 1) + 1
        return self.taken(start + (self._text.part(start) == "\n"))

    def _more(self, start: int, end: int, levels: int = _DEEPEST) -> float:
        """Bytes of what stands there more than of a number in a list."""
        return max(self._taken(start, end, levels) - self._takes.listed, 0.0)

    def _taken(self, start: int, end: int, levels: int) -> float:
        """Bytes of the thing or text that is written from `start` on, up to `end` where it is given."""
        if found := self._thing(start, end, levels):
            return found
        if self._text.part(start + 1) == "(" and is_word(self._tokens[start]):  # `str(i)`, but not `len(str(i))`
            whole = self._whole(self._closed.get(start + 1, start), end)
            return self._takes.text if whole and self._text.spelt(start, 1) else 0.0
        return self._takes.text if self._text.spelt(start, min(end, start + _FAR) - start if end else _NEAR) else 0.0

    def _thing(self, start: int, end: int, levels: int) -> float:
        """The same, of no text."""
        while self._tokens[start] in _LEADING or (self._tokens[start] == "(" and self._text.part(start + 1) == "{"):
            start += 1
        if self._opens(start):
            return self._literal(start, levels) if self._whole(self._closed[start], end) else 0.0
        token, opened = self._tokens[start], start + 1
        if not is_word(token):
            return 0.0
        if self._tokens[opened : opened + 2] == [".", "new"]:  # Ruby
            opened = start + 3
        if self._text.part(opened) != "(":
            return self._named(token, start, levels) if self._whole(start, end) else 0.0
        closed = self._closed.get(opened, 0)
        return self._called(token, opened, levels) if 0 < closed <= start + _FAR and self._whole(closed, end) else 0.0

    def _called(self, name: str, opened: int, levels: int) -> float:
        """The same of what is made or given by what is called with the parentheses there."""
        if name in self._text.records.sizes:
            values = self._values(opened) if levels else ()
            return self._text.records.sizes[name] + sum(self._more(a, b, levels - 1) for _, a, b in values)
        if name in self._listed or (name, self._language) in (("dict", "python"), ("array", "php")):
            return self._literal(opened, levels)
        return self._given.get(name, 0.0)

    def _named(self, name: str, i: int, levels: int) -> float:
        """The same of what the name there was bound to in the same round of the same loop."""
        places = self._bound.get(name, [])
        at = places[place - 1] if (place := bisect_left(places, i)) and levels else 0
        if not at or not (self._opens(at) or self._text.part(at + 1) in ("(", ".")):
            return 0.0
        end = self._closed.get(at, at)
        if end > i or bisect_right(self._loops, i) != bisect_right(self._loops, end):
            return 0.0
        if at not in self._known:
            self._known[at] = self._thing(at, 0, levels - 1)
        return self._known[at]

    def _opens(self, i: int) -> bool:
        """Whether a thing is written out from the bracket there on."""
        token = self._tokens[i]
        if token not in _OPENING or not self._takes.record or self._closed.get(i, i + _FAR) >= i + _FAR:
            return False
        if token == "(":
            return self._language == "python" and i in self._several
        return (token, self._language) not in _NO_THINGS

    def _literal(self, opened: int, levels: int) -> float:
        takes, count, more = self._takes, 0, 0.0
        keyed = self._tokens[opened] == "{" and self._language != "lua"
        if levels and opened not in self._looped:
            for sign, start, end in self._values(opened):
                keyed = keyed or sign
                if not self._constant(start, end):
                    count, more = count + 1, more + self._more(start, end, levels - 1)
        return (takes.record if keyed else takes.node) + max(count - 2, 0) * takes.listed + more

    def _constant(self, start: int, end: int) -> bool:
        """Whether what stands there is there once, however often it is written."""
        words = self._tokens[start:end]
        words = words[words[:1] == ["-"] :]
        one = words[0] if len(words) == 1 else ""
        made = one == '"' and self._text.spelt(end - 1, 1)
        return not words or one[:1].isdecimal() or one in _CONSTANTS or (one == '"' and not made)

    def _values(self, opened: int) -> Iterator[tuple[bool, int, int]]:
        """Where what stands between the commas begins and ends, and whether under a key."""
        i = start = opened + 1
        closed = self._closed[opened]
        while i <= closed:
            if i == closed or self._tokens[i] == ",":
                first, end = self._trimmed(start, i)
                sign = self._sign(first, end)
                if first < end:
                    yield sign > 0, sign + 1 if sign else first, end
                start = i + 1
            i = self._closed.get(i, i) + 1

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Without the ends of lines."""
        while start < end and self._tokens[start] == "\n":
            start += 1
        while start < end and self._tokens[end - 1] == "\n":
            end -= 1
        return start, end

    def _sign(self, start: int, end: int) -> int:
        """Where the sign stands there behind which what is under a key is written; 0 where there is none."""
        i = start
        while i < end and self._tokens[i] not in ("?", "lambda"):
            if self._tokens[i] in _SIGNS and i > start:
                return i
            i = self._closed.get(i, i) + 1
        return 0

    def _whole(self, closed: int, end: int) -> bool:
        """Whether what ends with the bracket there is all that is written, up to `end` where it is given."""
        return closed + 1 == end if end else self._text.part(closed + 1) in _ENDS
