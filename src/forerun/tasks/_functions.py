"""A text's functions: what their parameters are given, and calls that cost more than their number tells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from forerun.tasks._arithmetic import number
from forerun.tasks._names import Names
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_DEEPEST = 80.0
"""A parameter that is larger is no depth."""
_MAKING = frozenset("malloc calloc new".split())
"""What makes something of its own, where nothing is freed."""
_DEFINING = frozenset("def fn func function sub fun proc".split())
_REMEMBERING = frozenset("cache lru_cache memoize".split())
_REMEMBERED = 1e7
"""Results of a function; what would give more is not called with all of them."""


class Functions:
    """Where functions are defined and called."""

    def __init__(self, text: Text, names: Names) -> None:
        self._text, self._tokens, self._starts, self._names = text, text.tokens, text.starts, names
        self._called = [i for i, token in enumerate(self._tokens) if token == "(" and is_word(self._tokens[i - 1])]
        """Parentheses behind names, of calls and of definitions."""
        self._parameters: dict[str, list[str]] = {}
        self._bodies: dict[str, int] = {}
        """Where each function is defined."""
        self._define()
        self._define_subs()

    def _define(self) -> None:
        for i in self._called:
            if self._defines(i):
                name = self._tokens[i - 1]
                self._parameters.setdefault(name, [_named(part) for part in self._text.parts(i)])
                self._bodies.setdefault(name, i)

    def _defines(self, i: int) -> bool:
        """Whether the parenthesis there is of a definition."""
        before = self._tokens[i - 2]
        if before in _DEFINING or not self._text.speech.braces:
            return before in _DEFINING
        pointed = before in ("*", "&", ">") and self._text.part(self._text.closing(i) + 1) == "{"
        return pointed or self._text.may_be_type(i - 2)

    def _define_subs(self) -> None:
        """Perl: `sub f { my ($n) = @_;`."""
        tokens = self._tokens
        for i in (i for i, token in enumerate(tokens) if token == "sub"):
            if is_word(tokens[i + 1]):
                self._bodies.setdefault(tokens[i + 1], i + 2)
            if tokens[i + 2 : i + 5] == ["{", "\n", "my"] or tokens[i + 2 : i + 4] == ["{", "my"]:
                opened = i + 4 + (tokens[i + 3] == "\n")
                if tokens[opened] == "(":
                    self._parameters[tokens[i + 1]] = [_named(part) for part in self._text.parts(opened)]

    def give(self) -> None:
        """Parameters of functions that are called with what can be worked out."""
        part, names = self._text.part, self._names
        for i in self._called:
            parameters = self._parameters.get(self._tokens[i - 1])
            for name, place in zip(parameters, self._text.places(i), strict=False) if parameters else ():
                names.give(name, place)
                place += part(place) in ("&", "*", "mut")
                if part(place + 1) in (",", ")"):
                    names.hold(name, names.counts.get(part(place), 0.0))

    def places(self) -> dict[int, str]:
        """Their names, by where they stand in their definitions."""
        return {self._starts[i - 1]: name for name, i in self._bodies.items()}

    def branching(self) -> Iterator[tuple[int, float, bool]]:
        """Calls of functions that call themselves twice, a little less deep: `f(n - 1) + f(n - 2)`; how many calls that
        makes, and whether something is made in each that stays."""
        tokens, starts, calls = self._tokens, [*sorted(self._bodies.values()), len(self._tokens)], self._calls()
        for name, start in self._bodies.items():
            deep = self._names.worth((self._parameters.get(name) or [""])[0]) or 0.0
            if not 1 < deep <= _DEEPEST or self._remembers(start):
                continue
            end = starts[bisect_right(starts, start)]
            own = [i for i in calls.get(name, ()) if start < i < end and "-" in tokens[i : i + 4]]
            if len(own) > 1:
                times, makes = _branches(*map(self._shallower, own[:2])) ** deep, self._makes(start, end, own)
                yield from ((self._starts[i], times, makes) for i in calls[name] if i not in own)

    def _shallower(self, i: int) -> float:
        """By how much the call at `i` is less deep."""
        less = self._tokens.index("-", i) + 1
        return max(number(self._tokens[less]), 1.0) if self._tokens[less][:1].isdecimal() else 1.0

    def _makes(self, start: int, end: int, own: Sequence[int]) -> bool:
        """Whether a function that stands there and calls itself at those places puts together what it gets."""
        tokens = self._tokens
        inside = set(tokens[start:end])
        built = any(self._held(i - 2) for i in own)
        named = any(token == "(" and tokens[k - 1][:1].isupper() for k, token in enumerate(tokens[start:end], start))
        return "free" not in inside and (built or named or not _MAKING.isdisjoint(inside))

    def remembering(self) -> Iterator[tuple[int, float]]:
        """Calls of Python's functions that remember what they gave, and of how many arguments: `@cache`."""
        kept = {name for name, start in self._bodies.items() if self._remembers(start)}
        for name, calls in self._calls().items() if kept else ():
            for i in calls if name in kept else ():
                yield self._starts[i], min(self._names.product(self._text.places(i)), _REMEMBERED)

    def _calls(self) -> dict[str, list[int]]:
        """Where each function that is defined here is called."""
        calls: dict[str, list[int]] = {}
        for i in self._called if self._bodies else ():
            if self._bodies.get(name := self._tokens[i - 1], i) != i:
                calls.setdefault(name, []).append(i)
        return calls

    def _remembers(self, start: int) -> bool:
        """Whether the function whose parameters stand at `start` keeps its results."""
        before = pairwise(["\n", *self._tokens[max(0, start - 12) : start]])
        return any(word in _REMEMBERING and front in ("\n", ".") for front, word in before)

    def _held(self, i: int) -> bool:
        """Whether what follows the token at `i` is the first of a list, a tuple, or what is under a key."""
        before, token = self._tokens[max(i - 2, 0) : i], self._tokens[i]
        if token == "(":
            return not before or before[-1] == "return" or not is_word(before[-1])
        return token in ("[", "{") or (token == ":" and before[:1] in (["{"], [","]))


def _branches(one: float, other: float) -> float:
    """How many times as many calls there are for each level, where each calls itself so many levels less deep twice:
    the x where x**-one + x**-other is 1, 2 of n - 1 and n - 1, the golden ratio of n - 1 and n - 2."""
    low, high = 1.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**-one + middle**-other > 1 else (low, middle)
    return high


def _named(part: Sequence[str]) -> str:
    """The name of a parameter: before a colon, alone, last (`long n`), or first (Go: `n int`)."""
    words = [token for token in (part[: part.index(":")] if ":" in part else part) if is_word(token)]
    if len(words) == 2 and words[1] in ("int", "int64", "uint64", "float64", "int32"):
        return words[0]
    return words[-1] if words else ""
