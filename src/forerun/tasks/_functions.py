"""A text's functions: what their parameters are given, and calls that cost more than their number tells."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from forerun.tasks._arithmetic import MOST, number
from forerun.tasks._names import LENGTHS, Names
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_DEEPEST = 80.0
"""A parameter that is larger is no depth."""
_REACHING = frozenset("== === >= >".split())
_LEFT, _MANY = 0.7, 1e7
"""What is left of the orders, as a logarithm; and the most calls: what takes longer nobody waits for."""
_MAKING = frozenset("malloc calloc new".split())
"""What makes something of its own, where nothing is freed."""
_DEFINING = frozenset("def fn func function sub fun proc".split())
_BY_WORD = frozenset("go perl php rust".split())
"""Languages with braces where no function is defined without such a word."""
_CLASSES = frozenset("class struct".split())
_CONSTRUCTING = frozenset("__init__ initialize constructor __construct".split())
_SELF = frozenset("self this cls".split())
_CONTROLLING = frozenset("if for while switch catch function return".split())
_REMEMBERING = frozenset("cache lru_cache memoize".split())
_MEMO = re.compile(r"_?(?:memo|cache|known|seen|dp|table|results?|computed|best)\w*", re.IGNORECASE)
"""What results are remembered in."""
_ALLOCATING = frozenset("malloc calloc realloc".split())
_GATHERING = frozenset("list sorted set tuple dict deque frozenset from Set".split())
"""What is called with something and holds all that it gives."""
_FEW_LINES, _BODY, _HEAD, _HALVING = 40, 400, 14, 16
"""Tokens of a function that does nothing else, of any that is read, of the head of a loop, and of a middle's sum."""
GONE, GIVEN, KEPT = range(3)
FREED = "free"
"""What frees memory."""
_GIVING = frozenset("yield ( , = [ { : => &".split())
_ONLY_LOOKING = LENGTHS | frozenset(
    "print println printf sorted sum max min any all join range enumerate sort reversed free sqrt log in".split()
)
"""What is called with something and keeps nothing of it."""
_REMEMBERED = 1e7
"""Results of a function; what would give more is not called with all of them."""


class Functions:
    """Where functions are defined and called."""

    def __init__(self, text: Text, names: Names) -> None:
        self._text, self._tokens, self._starts, self._names = text, text.tokens, text.starts, names
        self._called = [i for i, token in enumerate(self._tokens) if token == "(" and is_word(self._tokens[i - 1])]
        """Parentheses behind names, of calls and of definitions."""
        self._classes = {
            name: i for i, (before, name) in enumerate(pairwise(self._tokens)) if before in _CLASSES and is_word(name)
        }
        """Where they are defined."""
        self._parameters: dict[str, list[str]] = {}
        self._bodies: dict[str, int] = {}
        """Where each function is defined."""
        self._expressions: dict[str, int] = {}
        """Where those begin that are an expression and no block."""
        self._places: dict[str, list[int]] = {}
        """Where each token stands, once that is asked."""
        self._lasting: dict[tuple[str, str], int] = {}
        self._defined: set[int] = set()
        """Parentheses of parameters."""
        self._define()
        self._define_subs()
        self._begins = sorted(self._bodies.values())
        self._named_at = {start: name for name, start in self._bodies.items()}
        names.allocating = frozenset(name for name, start in self._bodies.items() if self._allocates(name, start))

    def _define(self) -> None:
        classes = sorted((i, name) for name, i in self._classes.items())
        for i in self._called:
            if self._defines(i):
                name = self._tokens[i - 1]
                if name in _CONSTRUCTING and (at := bisect_right(classes, (i, ""))):
                    self._take(classes[at - 1][1], i)
                self._take(name, i)
                self._bodies.setdefault(name, i)
        for i, token in enumerate(self._tokens):
            if token != "=":
                continue
            opened, begins = i + 1, i + 3
            if self._text.part(opened) == "lambda":  # Python: `f = lambda n: …`
                name = self._text.bound(i)
                self._parameters.setdefault(name, [self._tokens[i + 2]])
                self._expressions.setdefault(name, i + 2)
                continue
            if self._text.part(opened) == "(" and self._arrow(end := self._text.closing(opened) + 1):
                name, begins = self._text.bound(i), end + 1
                self._take(name, opened)
            elif self._arrow(i + 2):
                name = self._text.bound(i)
                self._parameters.setdefault(name, [self._tokens[opened]])
            else:
                continue
            if self._text.part(begins) == "{":  # JavaScript: `const f = (a, b) => { … }`
                self._bodies.setdefault(name, i)
            else:
                self._expressions.setdefault(name, begins)

    def _take(self, name: str, i: int) -> None:
        """The parameters of a function or class in the parentheses there; what a method is called on is none."""
        found = [_named(part) for part in self._text.parts(i)]
        self._defined.add(i)
        self._parameters.setdefault(name, found[found[0] in _SELF :])

    def _arrow(self, i: int) -> bool:
        return self._text.speech.language == "javascript" and self._text.part(i) == "=>"

    def _defines(self, i: int) -> bool:
        """Whether the parenthesis there is of a definition."""
        before = self._tokens[i - 2]
        if before in (".", ":") and i > 3 and self._tokens[i - 4] in _DEFINING:  # Lua: `function Pool.new(n)`
            return True
        if before == ")" and self._tokens[self._text.opening(i - 2) - 1] == "func":  # Go: `func (s *Store) Put(`
            return True
        if before in _DEFINING or not self._text.speech.braces or self._text.speech.language in _BY_WORD:
            return before in _DEFINING
        behind = self._text.part(self._text.closing(i) + 1)
        if self._text.speech.language == "javascript":
            return behind == "{" and self._tokens[i - 1] not in _CONTROLLING
        pointed = before in ("*", "&", ">") and behind == "{"
        constructs = self._tokens[i - 1] in self._classes and before != "new" and behind in ("{", ":")
        if before in self._classes and behind == ";":  # C++: `Grid grid(5, 7);`
            return False
        return pointed or constructs or self._text.may_be_type(i - 2)

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
            if i in self._defined:
                continue
            called = self._tokens[i - 1]
            if called == "new" and self._tokens[i - 2] == "." and self._tokens[i - 3] in self._parameters:  # Ruby
                called = self._tokens[i - 3]
            elif called not in self._parameters and self._tokens[i - 2] in self._classes:  # C++: `Grid grid(5, 7)`
                called = self._tokens[i - 2]
            parameters = self._parameters.get(called)
            for name, place in zip(parameters, self._text.places(i), strict=False) if parameters else ():
                names.give(name, place)
                place += part(place) in ("&", "*", "mut")
                if part(place + 1) in (",", ")"):
                    names.hold(name, names.counts.get(part(place), 0.0))
                elif part(place) == '"':
                    copies = names.work_out(place + 2) if part(place + 1) == "*" else 1.0
                    names.hold(name, self._text.strings.get(place, 0) * max(copies, 1.0))

    def returned(self) -> Iterator[tuple[str, int]]:
        """The names of functions, and where what they give is written."""
        for i, token in enumerate(self._tokens):
            if token == "return" and (name := self.at(i)):
                yield name, i + 1
        for name, start in self._expressions.items():
            head = self._tokens[start : start + _HEAD] if self._tokens[start - 1] == "lambda" else ()
            yield name, start + head.index(":") + 1 if ":" in head else start

    def places(self) -> dict[int, str]:
        """Their names, by where they stand in their definitions."""
        return {self._starts[i - 1]: name for name, i in self._bodies.items()}

    def branching(self) -> Iterator[tuple[int, float, bool]]:
        """Calls of functions that call themselves twice, a little less deep: `f(n - 1) + f(n - 2)`; or for both halves
        of what they were called for; or in a loop, one deeper: `place(row + 1)`, as what tries all orders does. How
        many calls that makes, and whether something is made in each that stays."""
        tokens, calls = self._tokens, self._calls
        for name, start in [*self._bodies.items(), *self._expressions.items()]:
            end = self._end(start) if name in self._bodies else self._expression(start)
            inside = [i for i in calls.get(name, ()) if start < i < end]
            if not inside or self._remembers(start):
                continue
            own = [i for i in inside if "-" in tokens[i : i + 4]]
            deep = self._names.worth((self._parameters.get(name) or [""])[0]) or 0.0
            times, makes = 0.0, False
            halved, halving = self._halved(name, start, inside)
            if halved > 1.0 and self._makes(start, end, halving):
                own, times, makes = halving, halved, True  # what makes nothing may look into one half alone
            elif len(own) > 1 and 1 < deep <= _DEEPEST:
                times, makes = _branches(*map(self._shallower, own[:2])) ** deep, self._makes(start, end, own)
            elif not own:
                own, bound = self._deepening(name, start, inside)
                times = self._tried(start, own, bound) if own else 0.0
            if times > 1.0:
                yield from ((self._starts[i], times, makes) for i in calls[name] if i not in own)

    def _halved(self, name: str, start: int, inside: Sequence[int]) -> tuple[float, list[int]]:
        """How many there are up to a parameter where a function calls itself for what is before the middle and for what
        is behind it, `build(lo, mid - 1)`, `build(mid + 1, hi)`, and these calls; else 0 and none."""
        parameters, tokens = self._parameters.get(name, []), self._tokens
        given = [(i, self._text.places(i)) for i in inside if i < start + _BODY]
        for (one, before), (other, behind) in pairwise(each for each in given if len(each[1]) == len(parameters)):
            for (least, low, first), (most, high, second) in pairwise(zip(parameters, before, behind, strict=True)):
                middle = tokens[first]
                whole = [tokens[place] for place in (low, high, second)] == [least, middle, most]
                if whole and self._middle(middle, start, one):
                    return min(self._names.worth(most) or 0.0, MOST), [one, other]
        return 0.0, []

    def _middle(self, name: str, start: int, end: int) -> bool:
        """Whether the name is bound there to half of something."""
        tokens = self._tokens
        bound = (i for i in range(start, end) if tokens[i] == name and tokens[i + 1] in ("=", ":="))
        return any(
            tokens[k] in ("/", ">", ">>") and tokens[k + 1] in ("1", "2") for i in bound for k in range(i, i + _HALVING)
        )

    def _expression(self, start: int) -> int:
        """Where the expression ends that begins there: with its statement."""
        tokens = self._tokens
        for i in range(start, min(start + _BODY, len(tokens))):
            if tokens[i] == ";" or (tokens[i] == "\n" and tokens[i + 1] not in ("?", ":", ".") and i > start):
                return i
        return min(start + _BODY, len(tokens))

    def _deepening(self, name: str, start: int, inside: Sequence[int]) -> tuple[list[int], int]:
        """Which calls of a function inside of itself give a parameter that is one more, and where what stands that it
        is to become: `if (row == n)`. No calls where that is not told."""
        parameters, tokens = frozenset(self._parameters.get(name, ())), self._tokens
        inside = [i for i in inside if i < start + _BODY]
        for first in inside:
            for place in self._text.places(first):
                if tokens[place] not in parameters or tokens[place + 1 : place + 3] != ["+", "1"]:
                    continue
                for k in range(start, first):
                    if tokens[k] == tokens[place] and tokens[k + 1] in _REACHING:
                        return [i for i in inside if "+" in tokens[i : self._text.closing(i)]], k + 2
        return [], 0

    def _tried(self, start: int, own: Sequence[int], bound: int) -> float:
        """How many calls that makes in a loop that goes as far: as many as there are orders of so many, of which what
        looks before it calls leaves e^(.7 log): about as many positions of queens there are on boards of 8 to 12."""
        tokens, deep = self._tokens, min(self._names.work_out(bound), _DEEPEST)
        loops = [k for k in range(start, own[0]) if tokens[k] in self._text.speech.loops]
        body, behind = tokens[loops[-1] : own[0]] if loops else [], self._text.behind(own[0], _BODY)
        if not loops and self._text.speech.comprehends and "for" in behind:  # `sum(place(r + 1) for c in range(n))`
            body = behind[behind.index("for") :]
        if not body or (tokens[bound] not in body[:_HEAD] and body[0] != "while"):  # `while (free)`: bits of a mask
            return 0.0
        looks = not {"if", "continue", "unless"}.isdisjoint(body)
        return math.exp(min(math.lgamma(deep + 1.0) * (_LEFT if looks else 1.0), math.log(_MANY)))

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
        """Calls of functions that remember what they gave, and of how many arguments: `@cache`, `memo[i, j] = r`."""
        kept = {name: self._bounds(name, start) for name, start in self._bodies.items() if self._remembers(start)}
        for name, calls in self._calls.items() if kept else ():
            for i in calls if name in kept else ():
                count = max(self._names.product(self._text.places(i)), kept[name])
                yield self._starts[i], min(count, _REMEMBERED)

    def _bounds(self, name: str, start: int) -> float:
        """For how many arguments a function goes on, by what its parameters are compared with: `i == len(a)`."""
        parameters, bounds = self._parameters.get(name, ()), dict[str, float]()
        for k in range(start, min(self._end(start), start + _BODY, len(self._starts))):
            if self._tokens[k] in parameters and self._tokens[k + 1] in _REACHING:
                bounds.setdefault(self._tokens[k], max(self._names.work_out(k + 2), 1.0))
        return math.prod(bounds.values())

    @cached_property
    def _calls(self) -> dict[str, list[int]]:
        """Where each function that is defined here is called."""
        calls: dict[str, list[int]] = {}
        for i in self._called if self._bodies or self._expressions else ():
            name = self._tokens[i - 1]
            if self._bodies.get(name, i) != i or name in self._expressions:
                calls.setdefault(name, []).append(i)
        return calls

    def span(self, name: str) -> range:
        """The places of the tokens of a function; none of one that is not defined here."""
        start = self._bodies.get(name)
        return range(0) if start is None else range(start, self._end(start))

    def calls(self, i: int) -> bool:
        """Whether a function that is defined here is called by the name there, and no method of something: what it does
        is read where it is defined. Of C, whose containers are all written by hand, that is little."""
        tokens = self._tokens
        plain = tokens[i + 1] == "(" and tokens[i - 1] not in (".", ">", ":") and i + 1 not in self._defined
        return plain and tokens[i] in self._bodies and self._text.speech.language != "c"

    def at(self, i: int) -> str:
        """The function that the token at `i` stands in; empty in none."""
        begun = bisect_right(self._begins, i)
        return self._named_at[self._begins[begun - 1]] if begun else ""

    def lasting(self, name: str, i: int) -> int:
        """What becomes of what has that name in the function around `i`: it is `GONE` when that ends, where it is made
        there and nothing else has it, `GIVEN` back, or `KEPT`. Of `FREED`, what is asked for there: gone where
        something is freed."""
        where = self.at(i)
        if (where, name) not in self._lasting:
            self._lasting[where, name] = self._lasts(name, self.span(where))
        return self._lasting[where, name]

    def _lasts(self, name: str, inside: range) -> int:
        tokens, made, given = self._tokens, False, False
        if not self._places:
            for k, token in enumerate(tokens):
                self._places.setdefault(token, []).append(k)
        places = self._places.get(name, [])
        here = places[bisect_right(places, inside.start) : bisect_right(places, inside.stop - 2)] if inside else []
        if name == FREED:
            return GONE if here else KEPT
        for k in here:
            before, behind = tokens[k - 1], tokens[k + 1]
            if behind in ("=", ":="):
                made = made or before not in (".", ">")
            elif behind in (".", "[", "(", ":"):
                continue
            elif before == "return" or (before in ("\n", "}", ";") and behind in ("\n", "}", "end")):
                given = True
            elif before in _GIVING and tokens[k - 2] not in _ONLY_LOOKING:
                return KEPT
        return KEPT if not made else GIVEN if given else GONE

    def storing(self) -> frozenset[int]:
        """Where functions are called whose results are kept beside others: `rows.append(f(x))`, `rows[i] = f(x)`,
        `[f(x) for …]`, `return f(x)`."""
        tokens, found = self._tokens, set[int]()
        for calls in self._calls.values():
            for i in calls:
                before = tokens[i - 2 - (tokens[i - 2] in ("*", "&", "await"))]
                plain = before in ("=", ":=") and is_word(self._text.bound(i - 2))
                if not plain and before in ("(", ",", "[", "=", ":=", "return", "=>", ":", "yield", "<<", "{"):
                    found.add(self._starts[i - 1])
        return frozenset(found)

    def gathered(self, i: int) -> bool:
        """Whether all that a function gives one after the other, with the `yield` at `i`, is held at once where it is
        called: `list(rows(n))`, `[...rows(n)]`."""
        tokens, name = self._tokens, self.at(i)
        return any(
            tokens[k - 2] in ("*", "...") or (tokens[k - 2] == "(" and tokens[k - 3] in _GATHERING)
            for k in self._calls.get(name, ())
        )

    def _end(self, start: int) -> int:
        """Where the next function begins behind the one at `start`."""
        following = bisect_right(self._begins, start)
        return self._begins[following] if following < len(self._begins) else len(self._tokens)

    def _allocates(self, name: str, start: int) -> bool:
        """Whether a function gives so many bytes as it is told, like `malloc`, in a few lines."""
        tokens, parameters = self._tokens, self._parameters.get(name, [])
        if not self._text.speech.takes.narrow:
            return False
        return any(
            tokens[k] in _ALLOCATING and tokens[k + 1] == "(" and self._text.closing(k + 1) < k + 6
            and not {*parameters}.isdisjoint(tokens[k + 2 : self._text.closing(k + 1)])
            for k in range(start, min(self._end(start), start + _FEW_LINES))
        )  # fmt: skip

    def _remembers(self, start: int) -> bool:
        """Whether the function whose parameters stand at `start` keeps its results: `@cache`, `memo[key] = value`."""
        before = pairwise(["\n", *self._tokens[max(0, start - 12) : start]])
        if any(word in _REMEMBERING and front in ("\n", ".") for front, word in before):
            return True
        own = self._tokens[start - 1]
        inside = range(start + 1, min(self._end(start), start + _BODY))
        again = any(self._tokens[k] == own and self._tokens[k + 1] == "(" for k in inside)
        return again and any(self._stores(k) for k in inside)

    def _stores(self, k: int) -> bool:
        """Whether something is put there into what remembers: `memo[key] = value`, `cache.set(key, value)`."""
        part = self._text.part
        if not _MEMO.fullmatch(self._tokens[k]):
            return False
        if part(k + 1) == "[":
            return part(self._text.past(k + 1)) == "="
        return part(k + 1) == "." and part(k + 2) in ("set", "put", "insert", "emplace")

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
