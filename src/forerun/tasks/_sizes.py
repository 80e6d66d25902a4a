"""Sizes that stand in a program's text: how much it asks for at once, and how often its loops go round.

Numbers, names that are bound to them, arithmetic on both, and parameters that are given a number by a call are worked
out; nothing runs. A name that is bound several times has the largest value. What cannot be worked out is left out of
its expression; a loop whose bound is not known goes round `UNKNOWN` times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from forerun.tasks._footprint import Footprint
from forerun.tasks._stdin import is_word, read

UNKNOWN = 10.0
"""Rounds of a loop whose bound is not told: enough to see that there is one."""

_DEEPEST = 80.0
"""A parameter that is larger is no depth."""
_FAR, _DEEP = 60, 12
"""Tokens that an expression or a loop's head may have, and parentheses in each other: so all of it stays linear."""
_MOST = 1e15

TOKEN = (
    r"(?P<skip>{skip})|(?P<number>0[xX][0-9a-fA-F_]{{1,16}}|[0-9][0-9_']*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{{1,2}})?)(?:[a-zA-Z]\w*+)?"
    r"|[$@%]?(?P<word>[^\W\d]\w*)|\*\*|<<|>>|<=|>=|===?|!==?|=>|:=|\.\.[.=<]?|[-+*/%]=|&&|\|\||[-+*/%^<>=(){{}}\[\],;:.!?|&~#\n]"
)

_ASKING = frozenset(
    "malloc calloc realloc alloca valloc aligned_alloc reserve resize make zeros ones empty full arange linspace"
    " bytearray bytes array_fill range_fill SplFixedArray str_repeat repeat with_capacity StringBuilder ArrayList"
    " HashMap HashSet ArrayDeque BitSet Array Buffer allocUnsafe alloc allocate setlength SetLength make_unique"
    " make_shared ensureCapacity Vec vec ints longs doubles rep Repeat".split()
)
"""What is called with how much is wanted."""
_UNTYPED = frozenset("malloc realloc alloca valloc aligned_alloc calloc".split())
"""What is called with bytes, unless it says the size of what."""
_WORDS = frozenset("zeros ones empty full arange linspace ints longs doubles".split())
"""What makes arrays of words, where nothing else is told."""
_BY_SIZES, _BY_SHAPE = frozenset(("rand", "randn")), frozenset(("random", "random_sample", "standard_normal"))
"""What NumPy draws numbers with, for so many rows and columns, and for a shape."""
_REPEATING = frozenset("repeat Repeat rep str_repeat".split())
"""What makes a text of many copies of one."""
_TYPED = frozenset("vector string deque valarray".split())
"""C++: a name may stand in front of the parentheses."""
_KEYED = frozenset("map unordered_map".split())
"""C++: of what, stands in angle brackets in front of the name."""
_EMPTY = ("[ ]", "( )", "array ( )")
"""What a name is bound to that grows as something is put into it."""
_EMPTY_KEYED = (
    "{ }", "new Map", "make ( map", "map [", "Hash . new", "Set . new", "dict ( )",
    "defaultdict (", "collections . defaultdict", "Counter ( )", "collections . Counter",
)  # fmt: skip
"""Such as holds its elements under keys."""
_HOLDING = frozenset("list set tuple sorted dict frozenset deque bytes bytearray array".split())
_FILLING = frozenset("to_a to_h to_set map collect select shuffle toArray toList boxed grep".split())
"""What makes a list of a range."""
_ITERATING = _FILLING | frozenset(
    "sum count reduce inject fold filter reject for_each forEach each_slice each_cons each_with_object any all find max"
    " min product mapToObj anyMatch allMatch zip any? all? flat_map sort_by group_by partition tally".split()
)
"""What goes through it."""
_FIBONACCI = (1 + math.sqrt(5)) / 2
"""How many times as many calls there are for each level that a function goes deeper, which calls itself twice."""
_PASSED = frozenset("int float long round floor ceil trunc abs Integer Number parseInt usize i64 u64 size_t".split())
_DEFINING = frozenset("def fn func function sub fun proc".split())
_NO_TYPE = frozenset(
    "return in and or not if else elif case print puts echo yield new delete throw while for do of await use".split()
)
_HALVING = frozenset((">>", "<<", "%"))
_COMPARED = frozenset("< <= > >= != !== == ===".split())
GROWING = frozenset(
    "push append push_back emplace_back add put insert extend unshift WriteString push_str addAll concat emplace set"
    " enqueue offer appendleft array_push heappush malloc calloc merge setdefault or_insert or_default".split()
)
"""What adds to something that grows."""
_UNDER_KEYS = frozenset("put set insert setdefault or_insert or_default".split())
_ALONE = frozenset("malloc calloc".split())


@dataclass(slots=True)
class Sizes:
    """What was heard."""

    elements: float = 0.0
    """The most that one allocation asks for, as so many elements of the language's lists; 0 where none tells."""
    rounds: dict[int, float] = field(default_factory=dict)
    """How often each loop goes round, by where its word stands in the text."""
    implied: list[tuple[int, float]] = field(default_factory=list)
    """Where something is gone through without a loop's word, and how often, in the order of the text."""
    functions: dict[int, str] = field(default_factory=dict)
    """The names of functions, by where they stand in their definitions."""
    grown: list[tuple[int, float, float]] = field(default_factory=list)
    """Where an element is put into something that was empty, in the order of the text; how many keys there can be; and
    how many elements of a list one counts for."""


def heard(
    pattern: re.Pattern[str], loops: frozenset[str], braces: bool, takes: Footprint, text: str, stdin: bytes = b""
) -> Sizes:
    """Reads a text, and what it reads itself. `pattern` is `TOKEN` with what is skipped; `braces` tells languages like
    C; `takes` is what elements take. Never raises.
    """
    reader = _Reader(pattern, loops, braces, takes, text)
    if stdin:
        reader.read(stdin)
    reader.bind()
    reader.give()
    return reader.hear()


@dataclass(slots=True)
class _Open:
    """A bracket that is open."""

    at: int
    holds: bool
    """Whether it holds elements."""
    times: float = 1.0
    """How often, by a comprehension or a call that asks, there is the largest thing inside."""
    each: float = 1.0
    """What one of them counts for, where nothing inside is large."""
    inner: float = 1.0
    """The largest thing inside."""


class _Reader:
    """The tokens of a text, and what names are worth."""

    def __init__(
        self, pattern: re.Pattern[str], loops: frozenset[str], braces: bool, takes: Footprint, text: str
    ) -> None:
        self._loops, self._braces, self._takes = loops, braces, takes
        self._tokens: list[str] = []
        self._starts: list[int] = []
        self._lengths: dict[int, int] = {}
        """Characters of the strings, by the places of their tokens."""
        self._suffixes: dict[int, str] = {}
        """The types that numbers tell, by the places of their tokens: Rust's `0u8`."""
        for found in pattern.finditer(text):
            kind = found.lastgroup
            if kind == "skip":
                if found[0][0] not in "\"'`":
                    continue
                token = '"'
                self._lengths[len(self._tokens)] = len(found[0]) - 2
            else:
                token = found[kind] if kind else found[0]
                if kind == "number" and len(found[0]) > len(token):
                    self._suffixes[len(self._tokens)] = found[0][len(token) :].lstrip("_")
            self._tokens.append(token)
            self._starts.append(found.start())
        self._tokens += [""] * 4
        self._known: dict[str, float] = {}
        self._parameters: dict[str, list[str]] = {}
        self._bodies: dict[str, int] = {}
        """Where each function is defined."""
        self._growing: dict[str, bool] = {}
        """Names that were bound to something empty, and whether it holds its elements under keys."""
        self._comprehending = not braces and "each" not in loops
        """Whether braces hold elements: in Ruby they are blocks."""
        self._headed: set[int] = set()
        """Ranges that stand in the head of a loop."""

    def read(self, stdin: bytes) -> None:
        """Names that are read from the input."""
        for name, value in read(self._tokens, stdin):
            self._known[name] = max(value, self._known.get(name, 0.0))

    def bind(self) -> None:
        """Names that are bound to what can be worked out: `N = 10`, `#define N 10`, `N: int = 10`."""
        tokens = self._tokens
        for i, token in enumerate(tokens):
            if token in ("=", ":=", "=>") and i:
                self._bind(self._bound_name(i), i + 1)
                empty = " ".join(tokens[i + 1 : i + 4])
                if empty.startswith((*_EMPTY, *_EMPTY_KEYED)):
                    self._grows(self._bound_name(i), empty.startswith(_EMPTY_KEYED))
            elif token == "my" and tokens[i + 2] == ";":
                self._grows(tokens[i + 1], False)
            elif token in _KEYED and tokens[i + 1] == "<":
                self._grows(tokens[self._angled(i + 1) + 1], True)
            elif token == "define" and tokens[i - 1] == "#":
                self._bind(tokens[i + 1], i + 2)

    def _grows(self, name: str, keyed: bool) -> None:
        if is_word(name):
            self._growing[name] = keyed

    def _angled(self, opened: int) -> int:
        """Where an angle bracket ends."""
        depth = 0
        for i in range(opened, min(opened + _FAR, len(self._tokens) - 2)):
            depth += {"<": 1, ">": -1, ">>": -2}.get(self._tokens[i], 0)
            if depth <= 0:
                return i
        return opened

    def _put(self, i: int) -> int:
        """Where an element is written that is put into something that was empty, if it is: `a[k] = v`, `a[k]++`, Ruby's
        `a << v`; else 0.
        """
        following = self.part(i + 1)
        if following not in ("[", "{"):
            return i + 2 if following == "<<" else 0
        end = self._closing(i + 1) + 1
        if self.part(end) in ("=", "+=", "||") or (self.part(end), self.part(end + 1)) in (("+", "+"), (".", "=")):
            return end + 1
        return 0

    def _keys(self, opened: int) -> float:
        """How many keys there can be in the brackets there: of a remainder as many as what it is divided by."""
        inside = range(opened, self._closing(opened))
        rests = [self.work_out(i + 1) for i in inside if self._tokens[i] == "%"]
        return min((rest for rest in rests if rest > 1.0), default=_MOST)

    def _bound_name(self, i: int) -> str:
        before = self._tokens[max(0, i - 4) : i]
        if ":" in before:  # a type stands between: `n: i64 = 5`
            before = before[: before.index(":")]
        return before[-1] if before else ""

    def _bind(self, name: str, start: int) -> None:
        if is_word(name):
            value, _ = _Sum(self, strict=True).value(start)
            if value is not None and value > self._known.get(name, -1.0):
                self._known[name] = value

    def give(self) -> None:
        """Parameters of functions that are called with what can be worked out."""
        tokens = self._tokens
        calls = [i for i, token in enumerate(tokens) if token == "(" and i and is_word(tokens[i - 1])]
        for i in calls:
            before = tokens[i - 2] if i > 1 else ""
            if before in _DEFINING or (self._braces and is_word(before) and before not in _NO_TYPE):
                self._parameters.setdefault(tokens[i - 1], [_named(part) for part in self._parts(i)])
                self._bodies.setdefault(tokens[i - 1], i)
        for i in (i for i, token in enumerate(tokens) if token == "sub"):  # Perl: `sub f { my ($n) = @_;`
            if is_word(tokens[i + 1]):
                self._bodies.setdefault(tokens[i + 1], i + 2)
            if tokens[i + 2 : i + 5] == ["{", "\n", "my"] or tokens[i + 2 : i + 4] == ["{", "my"]:
                opened = i + 4 + (tokens[i + 3] == "\n")
                if tokens[opened] == "(":
                    self._parameters[tokens[i + 1]] = [_named(part) for part in self._parts(opened)]
        for i in calls:
            names = self._parameters.get(tokens[i - 1], ())
            for name, place in zip(names, self._places(i), strict=False):
                self._bind(name, place)

    def _parts(self, opened: int) -> list[list[str]]:
        """What stands between the commas behind a parenthesis."""
        places = [*self._places(opened), self._closing(opened) + 1]
        return [self._tokens[a : b - 1] for a, b in pairwise(places)]

    def _places(self, opened: int) -> list[int]:
        """Where each argument behind a parenthesis begins."""
        places, depth = [opened + 1], 0
        for i in range(opened, min(opened + _FAR, len(self._tokens))):
            token = self._tokens[i]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                break
            if token == "," and depth == 1:
                places.append(i + 1)
        return places

    def _closing(self, opened: int) -> int:
        depth = 0
        end = min(opened + _FAR, len(self._tokens) - 1)
        for i in range(opened, end):
            token = self._tokens[i]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                return i
        return end

    def part(self, i: int) -> str:
        """A token; nothing past the end."""
        return self._tokens[i] if i < len(self._tokens) else ""

    def worth(self, name: str) -> float | None:
        """The value of a name."""
        return self._known.get(name)

    def work_out(self, i: int) -> float:
        """What can be known of an expression; 0 of none."""
        value, _ = _Sum(self, strict=False).value(i)
        return min(max(value or 0.0, 0.0), _MOST)

    def hear(self) -> Sizes:
        """All that the text tells."""
        found = Sizes()
        open_: list[_Open] = []
        filled = 0.0  # Ruby: what `Array.new(n) { … }` asked for, in front of the brace
        tokens, loops = self._tokens, self._loops
        for i, token in enumerate(tokens):
            size = 0.0
            if token in self._growing and (put := self._put(i)):
                keyed = self._growing[token] or tokens[i + 1] == "{"
                found.grown.append((self._starts[i], self._keys(i + 1), self._added(keyed, put)))
            elif token in GROWING:
                keyed, alone = token in _UNDER_KEYS, token in _ALONE
                found.grown.append((self._starts[i], _MOST, self._added(keyed, i + 2, alone)))
            if token in ("(", "[", "{"):
                holds = token == "[" or tokens[i - 1] in _HOLDING or (token == "{" and self._comprehending)
                times, each = self._asked(i) if token != "{" else (0.0, 1.0)
                size = times * each
                if token == "{" and tokens[i - 1] == ")":
                    times = filled
                elif token == "[":  # of types and of what follows a name
                    times, each = 1.0, self._first(i)
                if token == "{" and holds:
                    each = self._share(self._takes.keyed)
                open_.append(_Open(i, holds, max(times, 1.0), each))
            elif token in (")", "]", "}"):
                filled = open_[-1].times if token == ")" and open_ else 0.0
                size = self._closed(i, open_.pop()) if open_ else 0.0
            elif token in loops:
                rounds = found.rounds[self._starts[i]] = self._rounds(i)
                if open_ and open_[-1].holds:
                    open_[-1].times *= rounds
            elif token == ";" and open_ and open_[-1].holds:  # Rust: [0; n]
                open_[-1].times *= max(self.work_out(i + 1), 1.0)
                open_[-1].each = self._share(self._literal(i - 1) or self._stated(open_[-1].at) or self._takes.filled)
            elif token == '"' and tokens[i + 1] in ("*", "x"):
                size = self.work_out(i + 2) * self._text(i)
            elif token in ("range", "rangeClosed") and tokens[i + 1] == "(" and i not in self._headed:
                rounds = self._ranged(i)
                found.implied.append((self._starts[i], rounds))
                if any(one.holds for one in open_) or (
                    self._braces and (tokens[i - 1] != "." or self._near(i, _FILLING))
                ):
                    size = rounds * self._share(self._stated(i) or self._takes.listed)  # in PHP a range is a list
            elif token[:2] == ".." and i not in self._headed:
                rounds = self._spanned(i)
                if self._near(i, _ITERATING):
                    found.implied.append((self._starts[i], rounds))
                if self._near(i, _FILLING) or self._listed(i):
                    size = rounds * self._share(self._stated(i) or self._takes.listed)
            elif token == "length" and tokens[i + 1] == ":":  # JavaScript: Array.from({ length: n })
                rounds = self.work_out(i + 2)
                size = rounds * self._share(self._takes.filled)
                found.implied.append((self._starts[i], rounds))
            if size > 1.0:
                found.elements = max(found.elements, size)
                if open_ and token not in ("(", "[", "{"):
                    open_[-1].inner = max(open_[-1].inner, size)
        found.elements = min(found.elements, _MOST)
        found.implied = sorted([*found.implied, *self._branching()])
        found.functions = {self._starts[i - 1]: name for name, i in self._bodies.items()}
        return found

    def _branching(self) -> Iterator[tuple[int, float]]:
        """Calls of functions that call themselves twice, a little less deep: `f(n - 1) + f(n - 2)`."""
        tokens, starts = self._tokens, sorted(self._bodies.values())
        for name, start in self._bodies.items():
            deep = self._known.get((self._parameters.get(name) or [""])[0], 0.0)
            end = next((other for other in starts if other > start), len(tokens))
            calls = [i for i in range(1, len(tokens)) if tokens[i] == "(" and tokens[i - 1] == name and i != start]
            own = [i for i in calls if start < i < end and "-" in tokens[i : i + 4]]
            if len(own) > 1 and 1 < deep <= _DEEPEST:
                yield from ((self._starts[i], _FIBONACCI**deep) for i in calls if i not in own)

    def _closed(self, i: int, opened: _Open) -> float:
        """How much a bracket that ends here holds: a comprehension, or a list that is repeated."""
        size, sign = opened.times * (opened.inner if opened.inner > 1.0 else opened.each), self._tokens[i + 1]
        if sign == "x" or (sign == "*" and opened.holds and self._tokens[i] != "}"):
            called = self._takes.typed([self._tokens[opened.at - 1]]) if opened.at > 0 else None
            each = self._share(called or self._takes.filled)
            size = max(self.work_out(i + 2), 1.0) * (max(opened.times, 1.0) * each if opened.inner <= 1.0 else size)
        return size

    def _first(self, i: int) -> float:
        """What one counts for of what stands first in the brackets there: of constants, there is only the place."""
        word = self._tokens[i + 1]
        constant = word[:1].isdecimal() or word in ('"', "True", "False", "None", "nil", "null", "true", "false")
        return self._share(self._takes.filled) if constant and self._tokens[i + 2] in self._loops else 1.0

    def _share(self, taken: float) -> float:
        """How many elements of the language's lists take so many bytes."""
        return taken / self._takes.listed

    def _added(self, keyed: bool, i: int, alone: bool = False) -> float:
        """How many elements of a list one counts for that is added, and written from `i` on."""
        whole = alone or self.part(i) in ("[", "{", "new") or (self.part(i) == "(" and "," in self.part(i + 2))
        more = self._takes.node if whole else 0.0
        return self._share(max(self._takes.keyed + more if keyed else self._takes.listed, more))

    def _literal(self, i: int) -> float | None:
        """Bytes of what stands there, where it says what it is: `0u8`, `true`."""
        if self._tokens[i] in ("true", "false"):
            return 1.0
        return self._takes.typed([self._suffixes.get(i, self._tokens[i])])

    def _stated(self, i: int) -> float | None:
        """Bytes of an element by a type that its statement tells in front of `i`, the nearest first."""
        return self._takes.typed(self._statement(i, 16))

    def _text(self, i: int) -> float:
        """What a copy of the string at `i` counts for."""
        return self._share(max(self._lengths.get(i, 1), 1))

    def _near(self, i: int, words: frozenset[str]) -> bool:
        """Whether one of the words stands beside a range."""
        return not words.isdisjoint(self._tokens[max(0, i - 24) : i + 8])

    def _listed(self, i: int) -> bool:
        """Perl: `@a = (1 .. n)`; Ruby: `[*1..n]`."""
        before = self._tokens[max(0, i - 3) : i - 1]
        return before in (["=", "("], ["[", "*"])

    def _asked(self, i: int) -> tuple[float, float]:
        """How much is asked for by the bracket that opens here, and what one of it counts for."""
        tokens = self._tokens
        before = tokens[i - 1] if i else ""
        if tokens[i] == "[":
            typed = is_word(before) and is_word(tokens[i - 2]) and tokens[i - 2] not in _NO_TYPE
            made = i > 1 and tokens[i - 2] == "new"
            fixed = not is_word(before) and before not in (")", "]", '"') and self._typed_behind(i)
            if not (self._braces and (typed or made or fixed)):
                return 0.0, 1.0
            of = before if made else self.part(i + 3) if fixed else tokens[i - 2]
            return self._multiplied(i), self._share(self._takes.typed([of]) or 8.0)
        if tokens[max(0, i - 4) : i - 1] == [".", "random", "."]:
            return self._drawn(i), self._share(8.0)
        called = before in _ASKING or before.endswith("Array") or (before == "new" and tokens[i - 3] == "Array")
        declared = not called and self._declared(i)
        if not (called or declared):
            return 0.0, 1.0
        wanted = [self._shaped(place) for place in self._places(i)]
        most = math.prod(max(one, 1.0) for one in wanted) if before == "calloc" else max(wanted, default=0.0)
        return most, self._each(i, before, declared)

    def _drawn(self, i: int) -> float:
        """How many numbers NumPy draws: `np.random.rand(n, m)`, `np.random.normal(0, 1, size=(n, m))`."""
        called, places = self._tokens[i - 1], self._places(i)
        if sized := [place + 2 for place in places if self._tokens[place : place + 2] == ["size", "="]]:
            return self._shaped(sized[0])
        if called in _BY_SIZES:
            return math.prod(max(self.work_out(place), 1.0) for place in places)
        return self._shaped(i + 1) if called in _BY_SHAPE else 0.0

    def _each(self, i: int, called: str, declared: bool) -> float:
        """What one counts for of what is asked for in the parentheses at `i`."""
        if called in _REPEATING:
            text = next((k for k in (i - 3, i + 1) if self.part(k) == '"'), None)
            return self._text(text) if text is not None else self._share(8.0 if called == "rep" else 1.0)
        inside = self._tokens[i : self._closing(i)]
        if called in _UNTYPED and "sizeof" not in inside:
            return self._share(1.0)
        if declared:
            before = self._statement(i, 8)
            return self._share(1.0 if "string" in before and "<" not in before else self._takes.typed(before) or 8.0)
        near = [*inside, called, self.part(i - 3) if self.part(i - 2) == "." else ""]
        plain = 8.0 if called in _WORDS else self._takes.filled
        return self._share(self._takes.typed(near) or plain)

    def _shaped(self, i: int) -> float:
        """What an argument asks for; of a shape in brackets the product: `ones((n, m))`, `zeros([n, m])`."""
        places = self._places(i) if self.part(i) in ("(", "[") else []
        if len(places) < 2:
            return self.work_out(i)
        return math.prod(max(self.work_out(place), 1.0) for place in places)

    def _typed_behind(self, i: int) -> bool:
        """Go: `[N]int`."""
        return self.part(i + 2) == "]" and is_word(self.part(i + 3))

    def _declared(self, i: int) -> bool:
        """C++: `vector<int> v(n)`, `vector<int>(n)`, `string s(n, 'x')`."""
        return self._braces and not _TYPED.isdisjoint(self._statement(i, 8))

    def _statement(self, i: int, most: int) -> list[str]:
        """At most so many tokens in front of `i` that belong to its statement, the nearest first."""
        before = self._tokens[max(0, i - most) : i][::-1]
        return before[: next((n for n, token in enumerate(before) if token in (";", "{", "}", "\n")), len(before))]

    def _multiplied(self, i: int) -> float:
        """`[n][m]`."""
        size = 1.0
        for _ in range(4):
            if self.part(i) != "[":
                break
            size *= max(self.work_out(i + 1), 1.0)
            i = self._closing(i) + 1
        return size

    def _spanned(self, i: int) -> float:
        """`a..b` with the dots at `i`; where it begins counts if that is a number, and more than one."""
        before, last = self._tokens[i - 1], self.work_out(i + 1)
        first = _number(before) if before[:1].isdecimal() else 0.0
        return last - first if 1.0 < first < last else last

    def _ranged(self, i: int) -> float:
        """`range(n)`, `range(a, b)`, `range(a, b, s)` with the word at `i`."""
        first, *rest = self._places(i + 1)
        last = self.work_out(rest[0] if rest else first)
        if rest and last <= 1.0:  # counting down
            last = self.work_out(first)
        elif rest and self._tokens[first][:1].isdecimal():
            last = max(last - self.work_out(first), 0.0)
        return self._stepped(last, rest[1]) if len(rest) > 1 else last

    def _stepped(self, rounds: float, i: int) -> float:
        """With the step at `i`; where another loop counts that, both together go round about once for each place."""
        return max(rounds / max(self.work_out(i), 1.0), 1.001) if rounds > 1.0 else rounds

    def _rounds(self, i: int) -> float:
        """How often the loop goes round whose word stands at `i`."""
        tokens = self._tokens
        if tokens[i - 1] == "." and i > 1:  # Ruby: what is counted stands in front
            return self._counted(i)
        found, bounded, name = 0.0, False, ""
        end = self._closing(i + 1) if tokens[i + 1] == "(" else i + _FAR
        for k in range(i + 1, min(end, len(tokens))):
            token = tokens[k]
            if token in ("{", "do", "loop", "then") or (token == "\n" and k > i + 2):
                break
            if token in ("range", "rangeClosed") and tokens[k + 1] == "(":
                self._headed.add(k)
                found = self._ranged(k)
                break
            if token[:2] == ".." or token == "to":
                self._headed.add(k)
                found = self._spanned(k)
                break
            if token in _COMPARED:
                value, name = self._compared(k), tokens[k - 1 if is_word(tokens[k - 1]) else k + 1]
                if token[0] == "<" and value > 1.0 and not bounded:  # from where it begins, if that is below
                    found, bounded = value - (found if 1.0 < found < value else 0.0), True
                else:
                    found = max(found, value)
            elif token == "=" and found <= 1.0:
                found = self._from_to(k)
            elif token == "+=":
                found = self._stepped(found, k + 1)
        rounds = self._by_factors(i, name, found) if found > 1.0 else UNKNOWN
        self._remember(i, rounds)
        return rounds

    def _by_factors(self, i: int, name: str, rounds: float) -> float:
        """As many times as a number of this size can be divided, where that is how the name goes on: `n /= 10`,
        `n = n // 10`, `i *= 2`, `n >>= 1`, and in Euclid's algorithm `b = a % b`.
        """
        tokens = self._tokens
        for k in range(i + 1, min(i + _FAR, len(tokens) - 4)):
            if tokens[k] != name or tokens[k - 1] in (".", "=="):
                continue
            after = tokens[k + 1 : k + 10]
            after = after[: next((n for n, t in enumerate(after) if t in (";", "\n", "}")), len(after))] + [""] * 2
            for_itself, factor = after[0] == "=" and name in after[:6], 0.0
            if after[0] in ("*=", "/=") or after[:2] == ["/", "/="]:
                factor = self.work_out(k + 2 + (after[0] == "/"))
            elif (after[0] in _HALVING and after[1] == "=") or (for_itself and not _HALVING.isdisjoint(after[:4])):
                factor = 2.0
            elif for_itself and (sign := next((t for t in after[2:8] if t in ("*", "/")), "")):
                at = k + 1 + after.index(sign)
                factor = self.work_out(at + 1 + (tokens[at + 1] == "/"))
            if factor > 1.0:
                return max(math.log(rounds, factor), 1.001)
        return rounds

    def _from_to(self, k: int) -> float:
        """Where a loop begins that may count down, `i = n`; Lua and Fortran: `i = 1, n` and `i = n, 1, -1`."""
        places = [k + 1]
        for at in range(k + 1, min(k + 24, len(self._tokens))):
            if self._tokens[at] in (";", "\n", "{", "do"):
                break
            if self._tokens[at] == ",":
                places.append(at + 1)
        down = len(places) < 2 or (len(places) > 2 and self._tokens[places[2]] == "-")
        rounds = self.work_out(places[0 if down else 1])
        return self._stepped(rounds, places[2]) if len(places) > 2 else rounds

    def _compared(self, k: int) -> float:
        """The larger side of a comparison; `i * i < n` goes as far as its root."""
        tokens = self._tokens
        value, name = self.work_out(k + 1), tokens[k - 1]
        if name == "]":  # what a list holds says nothing of how often
            return min(value, UNKNOWN)
        if tokens[k - 2] == "*" and name == tokens[k - 3]:
            value = math.sqrt(value)
        if value > 1.0 and is_word(name):
            self._known[name] = max(value, self._known.get(name, 0.0))
        elif tokens[k] in (">", ">=", "!="):  # down to next to nothing
            return self._known.get(name, 0.0)
        return value

    def _counted(self, i: int) -> float:
        """`n.times`, `a.upto(n)`, `(a..n).each`, `(a..n).step(s)`."""
        tokens = self._tokens
        rounds = 0.0
        if tokens[i] in ("upto", "downto") and tokens[i + 1] == "(":
            rounds = max(self.work_out(i + 2), self._alone(i - 2))
        elif tokens[i] == "times":
            rounds = self._alone(i - 2)
        for k in range(i - 2, max(i - 16, 0), -1):
            if rounds or tokens[k] in ("\n", ";"):
                break
            if tokens[k][:2] == "..":
                rounds = self._spanned(k)
        if tokens[i] == "step" and tokens[i + 1] == "(":
            rounds = self._stepped(rounds, i + 2)
        return rounds if rounds > 1.0 else UNKNOWN

    def _alone(self, i: int) -> float:
        """The token there, by itself; of a closing parenthesis what stands inside."""
        if self._tokens[i] == ")":
            opened = next((k for k in range(i, max(i - _FAR, -1), -1) if self._tokens[k] == "("), i)
            return self.work_out(opened + 1)
        token = self._tokens[i]
        return _number(token) if token[:1].isdecimal() else self._known.get(token, 0.0)

    def _remember(self, i: int, rounds: float) -> None:
        """The loop's variable is worth its bound: loops inside may go as far."""
        for k in range(i + 1, min(i + 8, len(self._tokens))):
            if self._tokens[k] in ("=", ":=", "in", "(") and is_word(self._tokens[k - 1]) and k > i + 1:
                name = self._tokens[k - 1]
                if rounds > self._known.get(name, 0.0):
                    self._known[name] = rounds
                return


class _Sum:
    """Arithmetic on tokens, by precedence climbing. What is unknown is None; unless `strict` it is left out."""

    _LEVELS: ClassVar[dict[str, int]] = {"+": 2, "-": 2, "*": 3, "/": 3, "%": 3, "<<": 1, ">>": 1, "**": 4, "^": 4}

    def __init__(self, reader: _Reader, strict: bool) -> None:
        self._reader, self._strict = reader, strict
        self._left, self._depth = _FAR, 0

    def value(self, i: int, level: int = 1) -> tuple[float | None, int]:
        """The value of the expression at `i`, and where it ends."""
        left, i = self._atom(i)
        while True:
            sign = self._reader.part(i)
            rank = self._LEVELS.get(sign, 0)
            if rank < level or self._left <= 0:
                return left, i
            double = sign == "/" and self._reader.part(i + 1) == sign  # Python's //
            right, i = self.value(i + 1 + double, rank + (sign not in ("**", "^")))
            left = self._join(left, sign, right)

    def _join(self, left: float | None, sign: str, right: float | None) -> float | None:
        if left is None or right is None:
            known = left if right is None else right if sign in "+*%" else None
            return None if self._strict else known
        return _reckoned(sign, left, right)

    def _atom(self, i: int) -> tuple[float | None, int]:
        self._left -= 1
        self._depth += 1
        try:
            if self._left <= 0 or self._depth > _DEEP:
                return None, i + 1
            return self._suffixed(*self._bare(i))
        finally:
            self._depth -= 1

    def _suffixed(self, value: float | None, i: int) -> tuple[float | None, int]:
        """`n as usize`, `n.to_i`, `n[0]`."""
        if self._reader.part(i) == "as":
            i += 2
        if self._reader.part(i) == "[" or (self._reader.part(i) == "." and is_word(self._reader.part(i + 1))):
            return None, i
        return value, i

    def _bare(self, i: int) -> tuple[float | None, int]:
        token = self._reader.part(i)
        if token[:1].isdecimal():
            return _number(token), i + 1
        if token in ("-", "+", "&"):
            value, end = self._atom(i + 1)
            return (-value if value is not None and token == "-" else value), end
        if token == "(":
            value, end = self.value(i + 1)
            if self._reader.part(end) != ")":
                return value, end
            cast = value is None and (is_word(self._reader.part(end + 1)) or self._reader.part(end + 1)[:1].isdecimal())
            if cast or (value is None and self._reader.part(end + 1) == "("):
                return self._atom(end + 1)
            return value, end + 1
        if not is_word(token):
            return None, i
        return self._named(token, i)

    def _named(self, token: str, i: int) -> tuple[float | None, int]:
        following = self._reader.part(i + 1)
        if following == "." and is_word(self._reader.part(i + 2)) and token in ("Math", "math", "Main", "self", "this"):
            return self._named(self._reader.part(i + 2), i + 2)
        if following != "(":
            return self._reader.worth(token), i + 1
        values, end = self._arguments(i + 1)
        return _called(token, values), end

    def _arguments(self, i: int) -> tuple[list[float | None], int]:
        values: list[float | None] = []
        while self._left > 0:
            value, i = self.value(i + 1)
            values.append(value)
            if self._reader.part(i) != ",":
                break
        return values, i + (self._reader.part(i) == ")")


def _called(name: str, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if name == "sizeof":
        return 1.0
    if not known:
        return None
    if name in ("sqrt", "isqrt", "sqrtf") and known[0] >= 0:
        return math.sqrt(known[0])
    if name == "pow" and len(known) == 2:
        return _reckoned("**", *known)
    if name in ("min", "max", "Min", "Max"):
        return min(known) if name.lower() == "min" else max(known)
    return known[0] if name in _PASSED else None


def _reckoned(sign: str, left: float, right: float) -> float | None:
    """The value of an operation; None where it has none."""
    try:
        return _ARITHMETIC[sign](left, right)
    except (OverflowError, ZeroDivisionError, ValueError):
        return None


def _power(left: float, right: float) -> float:
    if abs(right) > 64 or (right < 0 and not left):
        raise ValueError
    return math.pow(left, right)


def _shifted(left: float, right: float) -> float:
    if not 0 <= right <= 64:
        raise ValueError
    return left * math.pow(2.0, right)


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "**": _power,
    "^": _power,
    "<<": _shifted,
    ">>": lambda a, b: _shifted(a, 0.0) / 2.0 ** min(max(b, 0.0), 64.0),
}


def _number(text: str) -> float:
    plain = text.replace("_", "").replace("'", "")
    if plain[:2] in ("0x", "0X"):
        return float(int(plain[2:] or "0", 16))
    return min(float(plain), _MOST)


def _named(part: Sequence[str]) -> str:
    """The name of a parameter: before a colon, alone, last (`long n`), or first (Go: `n int`)."""
    words = [token for token in (part[: part.index(":")] if ":" in part else part) if is_word(token)]
    if len(words) == 2 and words[1] in ("int", "int64", "uint64", "float64", "int32"):
        return words[0]
    return words[-1] if words else ""
