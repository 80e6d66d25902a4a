"""What names are worth, as far as a program's text binds them: numbers, and lists of so many elements."""

from __future__ import annotations

import math
from collections.abc import Iterable

from forerun.tasks._arithmetic import FAR, MOST, Sum
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

LENGTHS = frozenset("len length size count sizeof scalar max min sum".split())
"""What is said of a list that is one number."""
_KEYED = frozenset("map unordered_map".split())
"""C++: of what, stands in angle brackets in front of the name."""
_EMPTY = ("[ ]", "( )", "array ( )")
"""What a name is bound to that grows as something is put into it."""
_EMPTY_KEYED = (
    "{ }", "new Map", "make ( map", "map [", "Hash . new", "Set . new", "dict ( )",
    "defaultdict (", "collections . defaultdict", "Counter ( )", "collections . Counter",
)  # fmt: skip
"""Such as holds its elements under keys."""
_BEFORE_KEYS = frozenset("{ , ( [ \n".split(" "))
_BEFORE_NAMES = frozenset("\n ; { } : const var let local my mut".split(" ")) | {""}
"""What stands in front of several names that are bound together."""


_ARGUMENTS = frozenset("argv ARGV args Args arg argc process env getenv ENV environ shift nth flag".split())
"""What a program is told when it is run."""
_WITHOUT = frozenset(": || or else ?".split())
"""What stands in front of what it takes where it is told nothing; of two slashes and two question marks the second."""
_OTHERWISE = frozenset("unwrap_or unwrap_or_else get getenv fetch getOrDefault Int Int64 Uint".split())
"""What is called with it."""
_OPTIONS = frozenset("add_argument option".split())
"""Python: what is called with what a program may be told, and `default=`."""


class Names:
    """A name that is bound several times has the largest value."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self.part = text.part
        """A token, for arithmetic on them."""
        self._asks = not _ARGUMENTS.isdisjoint(text.tokens)
        """Whether the program may be told something when it is run."""
        self._values: dict[str, float] = {}
        self.counts: dict[str, float] = {}
        """Names of lists, and how many elements they hold."""
        self.bounded: dict[str, float] = {}
        """Names of what holds no more than so many elements, whatever is put into it."""
        self.growing: dict[str, bool] = {}
        """Names that were bound to something empty, and whether it holds its elements under keys."""
        self.allocating: frozenset[str] = frozenset()
        """Functions of the program's own that give what `malloc` does."""

    def worth(self, name: str) -> float | None:
        """The value of a name."""
        return self._values.get(name)

    def count(self, name: str) -> float | None:
        """How many elements a list holds."""
        return self.counts.get(name)

    def work_out(self, i: int) -> float:
        """What can be known of an expression; 0 of none."""
        value, _ = Sum(self, strict=False).value(i)
        return min(max(value or 0.0, 0.0), MOST)

    def product(self, places: Iterable[int]) -> float:
        """Of what can be known of several expressions."""
        return math.prod(max(self.work_out(place), 1.0) for place in places)

    def reach(self, name: str, value: float) -> None:
        """A name is worth no less than this."""
        self._values[name] = max(value, self._values.get(name, 0.0))

    def hold(self, name: str, count: float) -> None:
        """A list holds no fewer elements."""
        if count > 1.0 and is_word(name):
            self.counts[name] = max(count, self.counts.get(name, 0.0))

    def bind(self) -> None:
        """Names that are bound to what can be worked out: `N = 10`, `#define N 10`, `N: int = 10`,
        PHP's `define('N', 10)`."""
        tokens = self._text.tokens
        for i, token in enumerate(tokens):
            if token in (":", "=>") and i and (key := self._key(i)):
                self.give(key, i + 1)
            elif token in ("=", ":=", "=>") and i:
                name = self._text.bound(i)
                if not self._together(i):
                    self.give(name, i + 1)
                self._empty(name, i + 1)
            elif token == "deque" and tokens[i + 1] == "(":
                self._limit(i)
            elif token in _OPTIONS and tokens[i + 1] == "(":
                self._optional(i + 1)
            elif token == "my" and tokens[i + 2] == ";":
                self._grows(tokens[i + 1], False)
            elif token == "my" and tokens[i + 1] == "(" and self.part(self._text.closing(i + 1) + 1) == ";":
                for place in self._text.places(i + 1):
                    self._grows(tokens[place], False)
            elif token in _KEYED and tokens[i + 1] == "<":
                self._grows(tokens[self._text.angled(i + 1) + 1], True)
            elif token == "define" and tokens[i - 1] == "#":
                self.give(tokens[i + 1], i + 2)
            elif token == "define" and tokens[i + 1 : i + 4 : 2] == ["(", ","] and i + 2 in self._text.strings:
                self.give(self._text.string(i + 2), i + 4)

    def _key(self, i: int) -> str:
        """The key in front of the colon or arrow at `i`, where one may be: `{ width: 640 }`, `("rows" => 5)`."""
        tokens = self._text.tokens
        if tokens[i - 2] not in _BEFORE_KEYS:
            return ""
        return self._text.string(i - 1) if i - 1 in self._text.strings else tokens[i - 1]

    def _together(self, i: int) -> bool:
        """Whether several names are bound by the sign at `i`, which then are: `a, b = 5, 7`, `let (a, b) = (5, 7)`."""
        tokens, part = self._text.tokens, self.part
        bracketed = tokens[i - 1] in (")", "]")
        k = i - 1 - bracketed
        while k > 1 and tokens[k - 1] == "," and is_word(tokens[k - 2]):
            k -= 2
        names = tokens[k : i - bracketed : 2]
        fronts = ("(", "[") if bracketed else _BEFORE_NAMES
        if len(names) < 2 or not is_word(tokens[k]) or tokens[k - 1] not in fronts:
            return False
        start, places = i + 1 + (bracketed and part(i + 1) in ("(", "[")), list[int]()
        for _ in names:
            places.append(start)
            opened = part(start) in ("{", "[")
            end = self._text.closing(start) + 1 if opened else Sum(self, strict=False).value(start)[1]
            if part(end) != ",":
                break
            start = end + 1
        if len(places) == len(names):
            for name, place in zip(names, places, strict=True):
                self.give(name, place)
                self._empty(name, place)
        return len(places) == len(names)

    def give(self, name: str, start: int) -> None:
        """A name is bound to the expression there, if that can be worked out."""
        if is_word(name):
            value, _ = Sum(self, strict=True).value(start)
            value = self._otherwise(start) if value is None else value
            if value is not None and value > self._values.get(name, -1.0):
                self._values[name] = value

    def _otherwise(self, start: int) -> float | None:
        """What an expression is worth where the program is run without arguments: `argc > 1 ? atoi(argv[1]) : 1000`,
        `Number(process.argv[2] || 1000)`, `args().nth(1).unwrap_or("1000".into())`."""
        if not self._asks:
            return None
        tokens, told, found = self._text.tokens, False, None
        for i in range(start, min(start + FAR, len(tokens))):
            token = tokens[i]
            if token == ";" or (token == "\n" and i > start and tokens[i + 1] not in (".", "?", ":", "||", "or")):
                break
            told = told or token in _ARGUMENTS
            if told and self._default(i):
                text = self._text.string(i).replace("_", "") if i in self._text.strings else ""
                value = float(text) if text.isdecimal() else Sum(self, strict=True).value(i)[0]
                found = found if value is None else min(value, MOST)
        return found

    def _default(self, i: int) -> bool:
        """Whether what stands at `i` is for a program that is told nothing."""
        tokens = self._text.tokens
        before, front = tokens[i - 1], tokens[i - 2]
        if before in ("/", "?"):
            return front == before
        if before == "|" and front == "|":  # Rust: a function without arguments
            return True
        if before in (",", "(") and (opened := self._text.around(i)):
            return tokens[opened - 1] in _OTHERWISE
        return before in _WITHOUT

    def _optional(self, opened: int) -> None:
        """`add_argument("-n", "--size", default=1000)`."""
        strings = [self._text.string(place) for place in self._text.places(opened) if place in self._text.strings]
        for place in self._text.places(opened):
            if strings and self._text.tokens[place : place + 2] == ["default", "="]:
                self.give(strings[-1].lstrip("-").replace("-", "_"), place + 2)

    def _empty(self, name: str, i: int) -> None:
        """Whether what stands at `i` is empty, and grows."""
        empty = " ".join(self._text.tokens[i : i + 3])
        if empty.startswith((*_EMPTY, *_EMPTY_KEYED)):
            self._grows(name, empty.startswith(_EMPTY_KEYED))

    def _grows(self, name: str, keyed: bool) -> None:
        if is_word(name):
            self.growing[name] = keyed

    def _limit(self, i: int) -> None:
        """Python: `d = deque(maxlen=n)`, `d = collections.deque([], n)`, with the word at `i`."""
        tokens, places = self._text.tokens, self._text.places(i + 1)
        at = next((place + 2 for place in places if self.part(place) == "maxlen"), places[1] if len(places) > 1 else 0)
        bound = i - 3 if tokens[i - 1] == "." else i - 1
        if at and bound > 0 and tokens[bound] == "=" and (most := self.work_out(at)) >= 1.0:
            self.bounded[self._text.bound(bound)] = most
