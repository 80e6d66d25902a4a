"""Sizes that stand in a program's text: how much it asks for at once, and how often its loops go round.

Numbers, names that are bound to them, arithmetic on both, and parameters that are given a number by a call are worked
out; nothing runs. A name that is bound several times has the largest value. What cannot be worked out is left out of
its expression; a loop whose bound is not known goes round `UNKNOWN` times.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from forerun.tasks._arithmetic import FAR, MOST, Sum, number, reckoned
from forerun.tasks._footprint import Footprint
from forerun.tasks._stdin import is_word, read
from forerun.tasks._unused import unused

UNKNOWN = 10.0
"""Rounds of a loop whose bound is not told: enough to see that there is one."""

_DEEPEST = 80.0
"""A parameter that is larger is no depth."""

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
_LENGTHS = frozenset("len length size count sizeof scalar max min sum".split())
"""What is said of a list that is one number."""
_WALKING = frozenset(
    "iter iter_mut into_iter begin values keys items entries chars each sort sorted clone reverse rev enumerate".split()
)
"""What follows a list that is gone through."""
_NEAR = 24
"""Tokens behind a name that tell how many elements it holds."""
_BETWEEN = frozenset(("", ";", "{", "}", "\n", ":"))
"""Statements."""
_COMBINING = frozenset("permutations combinations combinations_with_replacement product".split())
"""Of what there are many more than of what they are given."""
_REMEMBERING = frozenset("cache lru_cache memoize".split())
_REMEMBERED = 1e7
"""Results of a function; what would give more is not called with all of them."""
_SPELLING = frozenset(
    "str String to_s to_string toString valueOf format sprintf Sprintf strdup repr join substr substring slice clone"
    " to_owned hex Itoa from tostring".split()
)
"""What makes a text."""
_SPELT, _JOINING = frozenset(("(", "!", ")", "}", ":", "")), frozenset(("+", "..", "%"))
"""What follows that, and what puts texts together."""
_FILLED_IN = re.compile(r"[#$]\{|^\"[^\"]*[$]\w")
"""A string with something in it."""


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
    grown: list[tuple[int, float, float, float]] = field(default_factory=list)
    """Where an element is put into something that was empty, in the order of the text; how many keys there can be; how
    many elements of a list one counts for; and how often, by a loop's word behind it."""
    unused: list[tuple[int, int]] = field(default_factory=list)
    """Where functions stand that nobody calls, of which nothing else here tells; in the order of the text."""


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


def heard(speech: Speech, text: str, stdin: bytes = b"") -> Sizes:
    """Reads a text, and what it reads itself. Never raises."""
    reader = _Reader(speech, text)
    places = reader.unused()
    if places:
        reader = _Reader(speech, _without(text, places))
    if stdin:
        reader.read(stdin)
    for _ in range(2):  # how many a list holds tells what its length is worth
        reader.bind()
        reader.give()
        reader.contain()
    found = reader.hear()
    found.unused = places
    return found


def _without(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The text with blanks at those places, its lines where they are."""
    parts, last = list[str](), 0
    for start, end in places:
        parts += [text[last:start], re.sub(r"[^\n]", " ", text[start:end])]
        last = end
    return "".join([*parts, text[last:]])


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

    def __init__(self, speech: Speech, text: str) -> None:
        self._language, self._source = speech.language, text
        self._loops, self._braces, self._takes = speech.loops, speech.braces, speech.takes
        self._tokens: list[str] = []
        self._starts: list[int] = []
        self._lengths: dict[int, int] = {}
        """Characters of the strings, by the places of their tokens."""
        self._made: set[int] = set()
        """Strings that something is filled into, by the places of their tokens."""
        self._suffixes: dict[int, str] = {}
        """The types that numbers tell, by the places of their tokens: Rust's `0u8`."""
        for found in speech.pattern.finditer(text):
            kind = found.lastgroup
            if kind == "skip":
                if found[0][0] not in "\"'`":
                    continue
                token = '"'
                self._lengths[len(self._tokens)] = len(found[0]) - 2
                if _FILLED_IN.search(found[0]) or (self._tokens and self._tokens[-1] in ("f", "rf", "fr")):
                    self._made.add(len(self._tokens))
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
        self._counts: dict[str, float] = {}
        """Names of lists, and how many elements they hold."""
        self._large: dict[str, float] = {}
        """Names that were bound to what holds many elements, and how many."""
        self._weights: dict[int, float] = {}
        """What is bound at a place counts for."""
        self._bounded: dict[str, float] = {}
        """Names of what holds no more than so many elements, whatever is put into it."""
        self._puts: Counter[str] | None = None
        """At how many places something is put into what has a name."""
        self._growing: dict[str, bool] = {}
        """Names that were bound to something empty, and whether it holds its elements under keys."""
        self._comprehending = not speech.braces and "each" not in speech.loops
        """Whether braces hold elements: in Ruby they are blocks."""
        self._modifying = "until" in speech.loops
        """Whether loops may stand behind what they repeat: in Perl and Ruby."""
        self._headed: set[int] = set()
        """Ranges that stand in the head of a loop."""

    def unused(self) -> list[tuple[int, int]]:
        """Where functions stand that nobody calls."""
        return unused(self._language, self._source, self._tokens, self._starts, self._lengths)

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
            elif token == "deque" and tokens[i + 1] == "(":
                self._limit(i)
            elif token == "my" and tokens[i + 2] == ";":
                self._grows(tokens[i + 1], False)
            elif token in _KEYED and tokens[i + 1] == "<":
                self._grows(tokens[self._angled(i + 1) + 1], True)
            elif token == "define" and tokens[i - 1] == "#":
                self._bind(tokens[i + 1], i + 2)

    def _grows(self, name: str, keyed: bool) -> None:
        if is_word(name):
            self._growing[name] = keyed

    def _limit(self, i: int) -> None:
        """Python: `d = deque(maxlen=n)`, `d = collections.deque([], n)`, with the word at `i`."""
        places = self._places(i + 1)
        at = next((place + 2 for place in places if self.part(place) == "maxlen"), places[1] if len(places) > 1 else 0)
        bound = i - 3 if self._tokens[i - 1] == "." else i - 1
        if at and bound > 0 and self._tokens[bound] == "=" and (most := self.work_out(at)) >= 1.0:
            self._bounded[self._bound_name(bound)] = most

    def _angled(self, opened: int) -> int:
        """Where an angle bracket ends."""
        depth = 0
        for i in range(opened, min(opened + FAR, len(self._tokens) - 2)):
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

    def _placed(self, opened: int) -> float:
        """What is put into the place of a list that those brackets name: `rows[i] = new int[n]`."""
        end = self._closing(opened) + 1
        return self._told(end + 1)[1] if self.part(end) == "=" else 0.0

    def _keys(self, opened: int) -> float:
        """How many keys there can be in the brackets there: of a remainder as many as what it is divided by."""
        inside = range(opened, self._closing(opened))
        rests = [self.work_out(i + 1) for i in inside if self._tokens[i] == "%"]
        return min((rest for rest in rests if rest > 1.0), default=MOST)

    def _bound_name(self, i: int) -> str:
        before = self._tokens[max(0, i - 4) : i]
        if ":" in before:  # a type stands between: `n: i64 = 5`
            before = before[: before.index(":")]
        return before[-1] if before else ""

    def _bind(self, name: str, start: int) -> None:
        if is_word(name):
            value, _ = Sum(self, strict=True).value(start)
            if value is not None and value > self._known.get(name, -1.0):
                self._known[name] = value

    def give(self) -> None:
        """Parameters of functions that are called with what can be worked out."""
        tokens = self._tokens
        calls = [i for i, token in enumerate(tokens) if token == "(" and i and is_word(tokens[i - 1])]
        for i in calls:
            before = tokens[i - 2] if i > 1 else ""
            typed = is_word(before) and before not in _NO_TYPE
            typed = typed or (before in ("*", "&", ">") and self.part(self._closing(i) + 1) == "{")
            if before in _DEFINING or (self._braces and typed):
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
                place += self.part(place) in ("&", "*", "mut")
                if self.part(place + 1) in (",", ")"):
                    self._hold(name, self._counts.get(self.part(place), 0.0))

    def contain(self) -> None:
        """Names of lists of which it is told how many elements they hold: `a = [0] * n`, `vector<int> a(n)`."""
        tokens = self._tokens
        self._large.clear()
        for i, token in enumerate(tokens):
            if token in ("=", ":=") and i:
                count, self._weights[i] = self._told(i + 1)
                self._hold(self._bound_name(i), count)
                self._enlarge(i)
            elif token == "(" and i and is_word(tokens[i - 1]) and tokens[i - 1] not in _TYPED and self._declared(i):
                self._hold(tokens[i - 1], self._shaped(i + 1))
            elif token == "[" and self._braces and i > 1 and self._typed_before(i) and tokens[i - 2] != "new":
                self._hold(tokens[i - 1], self.work_out(i + 1))

    def _hold(self, name: str, count: float) -> None:
        if count > 1.0 and is_word(name):
            self._counts[name] = max(count, self._counts.get(name, 0.0))

    def _enlarge(self, i: int) -> None:
        """From what is bound at `i` on a name is worth as much as that."""
        if self._weights.get(i, 0.0) > 1.0 and is_word(self._tokens[i - 1]):
            self._large[self._tokens[i - 1]] = self._weights[i]

    def _told(self, start: int, but: str = "") -> tuple[float, float]:
        """How many elements what is written there holds, as far as its statement tells, and how many of the language's
        lists they count for: `[0] * n`, `vec![0; n]`, `new int[n]`, `malloc(n)`, `range(n)`, or the name of such, `but`
        for one. Zeros where it does not tell."""
        tokens, count, weight, ended = self._tokens, -1.0, 0.0, False
        for i in range(start, min(start + FAR, len(tokens) - 1)):
            token, near = tokens[i], count < 0 and i < start + _NEAR
            ended = ended or (token == "}" and i > start)
            if token in (";", "\n", "") or (ended and not near):
                break
            if token in ("(", "["):
                held, counted = self._bracketed(i)
                weight = weight if ended else max(weight, counted)
                count = held if near else count
            elif not ended and token != but and token in self._large and tokens[i + 1] not in ("[", ".", "("):
                weight = max(weight, self._large[token])
            if near and count < 0:
                count = self._gone_through(i)
        return max(count, 0.0), weight

    def _bracketed(self, i: int) -> tuple[float, float]:
        """The same of the bracket that opens there; negative where how many is not told."""
        tokens, end = self._tokens, self._closing(i)
        times, each = self._asked(i)
        many, weight = times if times > 1.0 else -1.0, times * each
        if tokens[i] == "(":
            repeated = tokens[i + 1] == '"' and self.part(end + 1) in ("x", "*")
            return self.work_out(end + 2) if repeated else many, weight
        if self.part(end + 1) == "*" and tokens[i + 1] != "]":
            many = self.work_out(end + 2)
            return many, max(weight, many * self._share(self._takes.filled))
        for k in range(i + 1, end):
            if tokens[k] == ";":
                many = self.work_out(k + 1)
                return many, max(weight, many * self._share(self._literal(k - 1) or self._takes.filled))
            if tokens[k] == "range" and self.part(k + 1) == "(" and self._comprehending:
                return -1.0, max(weight, self._ranged(k) * self._first(i))
        return self.work_out(i + 1) if many > 1.0 else many, weight

    def _gone_through(self, i: int) -> float:
        """How many elements the range or list has that is named at `i`; negative where none is."""
        tokens, token = self._tokens, self._tokens[i]
        if token in ("range", "rangeClosed") and tokens[i + 1] == "(":
            return self._ranged(i)
        if self._ranges(i):
            return self._spanned(i)
        if token == "length" and tokens[i + 1] == ":":
            return self.work_out(i + 2)
        if token in self._counts and tokens[i + 1] not in ("[", "(", ".", "=", "=="):
            return self._counts[token] if tokens[i - 2] not in _LENGTHS else 0.0
        return -1.0

    def count(self, name: str) -> float | None:
        """How many elements a list holds."""
        return self._counts.get(name)

    def _parts(self, opened: int) -> list[list[str]]:
        """What stands between the commas behind a parenthesis."""
        places = [*self._places(opened), self._closing(opened) + 1]
        return [self._tokens[a : b - 1] for a, b in pairwise(places)]

    def _places(self, opened: int) -> list[int]:
        """Where each argument behind a parenthesis begins."""
        places, depth = [opened + 1], 0
        for i in range(opened, min(opened + FAR, len(self._tokens))):
            token = self._tokens[i]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                break
            if token == "," and depth == 1:
                places.append(i + 1)
        return places

    def _closing(self, opened: int) -> int:
        depth = 0
        end = min(opened + FAR, len(self._tokens) - 1)
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
        value, _ = Sum(self, strict=False).value(i)
        return min(max(value or 0.0, 0.0), MOST)

    def hear(self) -> Sizes:
        """All that the text tells."""
        self._large.clear()
        found = Sizes()
        open_: list[_Open] = []
        latest = 0.0  # rounds of the loop before
        filled = 0.0  # Ruby: what `Array.new(n) { … }` asked for, in front of the brace
        tokens, loops = self._tokens, self._loops
        for i, token in enumerate(tokens):
            size = 0.0
            self._enlarge(i)
            if grows := self._grower(i):
                self._hold(grows, min(latest, self._bounded.get(grows, latest)))
            if token in self._growing and (put := self._put(i)):
                keyed = self._growing[token] or tokens[i + 1] == "{" or tokens[i + 1 : i + 3] == ["[", '"']
                found.grown.append((self._starts[i], self._keys(i + 1), self._added(keyed, put), 1.0))
            elif self.part(i + 1) == "[" and is_word(token) and (held := self._placed(i + 1)) > 1.0:
                found.grown.append((self._starts[i], MOST, held, 1.0))
            elif token in GROWING:
                keyed, alone = token in _UNDER_KEYS, token in _ALONE
                each = self._added(keyed, i + 2, alone, grows)
                found.grown.append((self._starts[i], self._bounded.get(grows, MOST), each, 1.0))
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
                rounds = latest = found.rounds[self._starts[i]] = self._rounds(i)
                if self._modifying and tokens[i - 1] not in _BETWEEN and i:
                    self._behind(i, rounds, found)
                if open_ and open_[-1].holds:
                    open_[-1].times *= rounds
            elif token == ";" and open_ and open_[-1].holds:  # Rust: [0; n]
                open_[-1].times *= max(self.work_out(i + 1), 1.0)
                open_[-1].each = self._share(self._literal(i - 1) or self._stated(open_[-1].at) or self._takes.filled)
            elif token == '"' and tokens[i + 1] in ("*", "x"):
                size = self.work_out(i + 2) * self._text(i)
            elif token in _COMBINING and tokens[i + 1] == "(" and i not in self._headed:
                rounds = self._combined(i)
                self._headed.update(range(i, self._closing(i + 1)) if rounds else ())
                found.implied.append((self._starts[i], rounds))
                if any(one.holds for one in open_):
                    size = rounds * self._share(self._takes.node)
            elif token in ("range", "rangeClosed") and tokens[i + 1] == "(" and i not in self._headed:
                rounds = self._ranged(i)
                found.implied.append((self._starts[i], rounds))
                if any(one.holds for one in open_) or (
                    self._braces and (tokens[i - 1] != "." or self._near(i, _FILLING))
                ):
                    size = rounds * self._share(self._stated(i) or self._takes.listed)  # in PHP a range is a list
            elif token == "Array" and self._braces and (rounds := self._array(i)):
                if not _ITERATING.isdisjoint(self._behind_it(i)):
                    found.implied.append((self._starts[i], rounds))
            elif self._ranges(i) and i not in self._headed:
                rounds = self._spanned(i)
                if self._near(i, _ITERATING):
                    found.implied.append((self._starts[i], rounds))
                if self._near(i, _FILLING) or self._listed(i):
                    each = self._takes.text if self._spelt(i, 14) else self._takes.listed
                    size = rounds * self._share(self._stated(i) or each)
            elif token == "length" and tokens[i + 1] == ":":  # JavaScript: Array.from({ length: n })
                rounds = self.work_out(i + 2)
                size = rounds * self._share(self._takes.filled)
                found.implied.append((self._starts[i], rounds))
            if size > 1.0:
                found.elements = max(found.elements, size)
                if open_ and token not in ("(", "[", "{"):
                    open_[-1].inner = max(open_[-1].inner, size)
        remembered = list(self._remembering())
        kept = max((count for _, count in remembered), default=0.0) * self._share(self._takes.keyed + self._takes.node)
        found.elements = min(max(found.elements, kept), MOST)
        found.implied = sorted([*found.implied, *self._branching(), *remembered])
        found.functions = {self._starts[i - 1]: name for name, i in self._bodies.items()}
        return found

    def _behind(self, i: int, rounds: float, found: Sizes) -> None:
        """What the statement adds that a loop's word at `i` ends: `push @a, $_ for 1 .. 9`."""
        start, depth = i, 0
        while start > max(i - FAR, 0) and depth >= 0:
            start -= 1
            token = self._tokens[start]
            if token in (";", "\n") and not depth:
                break
            depth += (token == "}") - (token == "{")
        for k in range(len(found.grown) - 1, -1, -1):
            at, keys, each, _ = found.grown[k]
            if at < self._starts[start]:
                break
            found.grown[k] = (at, keys, each, max(rounds, 1.0))

    def _grower(self, i: int) -> str:
        """The list that grows by what is written at `i`: `a.append(x)`, `push @a, $x`, `a = append(a, x)`, `a[] = x`;
        empty where none does."""
        tokens, token = self._tokens, self._tokens[i]
        if token in GROWING and tokens[i + 1] != "=":
            if tokens[i - 1] == "." and i > 1:
                return tokens[i - 2]
            return tokens[i + 1 + (tokens[i + 1] == "(")]
        return token if token in self._growing and self._put(i) else ""

    def _branching(self) -> Iterator[tuple[int, float]]:
        """Calls of functions that call themselves twice, a little less deep: `f(n - 1) + f(n - 2)`."""
        tokens, starts, calls = self._tokens, [*sorted(self._bodies.values()), len(self._tokens)], self._calls()
        for name, start in self._bodies.items():
            deep = self._known.get((self._parameters.get(name) or [""])[0], 0.0)
            if not 1 < deep <= _DEEPEST or self._remembers(start):
                continue
            end = starts[bisect_right(starts, start)]
            own = {i for i in calls.get(name, ()) if start < i < end and "-" in tokens[i : i + 4]}
            if len(own) > 1:
                yield from ((self._starts[i], _FIBONACCI**deep) for i in calls[name] if i not in own)

    def _calls(self) -> dict[str, list[int]]:
        """Where each function that is defined here is called."""
        calls: dict[str, list[int]] = {}
        for i in range(1, len(self._tokens)):
            if self._tokens[i] == "(" and self._bodies.get(name := self._tokens[i - 1], i) != i:
                calls.setdefault(name, []).append(i)
        return calls

    def _remembering(self) -> Iterator[tuple[int, float]]:
        """Calls of Python's functions that remember what they gave, and of how many arguments: `@cache`."""
        kept = {name for name, start in self._bodies.items() if self._remembers(start)}
        for name, calls in self._calls().items() if kept else ():
            for i in calls if name in kept else ():
                yield self._starts[i], min(math.prod(max(self.work_out(k), 1.0) for k in self._places(i)), _REMEMBERED)

    def _remembers(self, start: int) -> bool:
        """Whether the function whose parameters stand at `start` keeps its results."""
        before = pairwise(["\n", *self._tokens[max(0, start - 12) : start]])
        return any(word in _REMEMBERING and front in ("\n", ".") for front, word in before)

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

    def _added(self, keyed: bool, i: int, alone: bool = False, onto: str = "") -> float:
        """How many elements of a list one counts for that is added, and written from `i` on, perhaps behind what it is
        put `onto`."""
        whole = alone or self.part(i) in ("[", "{", "new") or (self.part(i) == "(" and "," in self.part(i + 2))
        takes = self._takes
        more = takes.node if whole else takes.text - takes.listed if self._spelt(i) else 0.0
        listed = max(takes.listed, more) if whole else takes.listed + more
        if keyed and self._tokens[i - 1] == "=" and self._named_by_text(i - 2):
            more += takes.text - takes.listed
        return max(self._share(takes.keyed + more if keyed else listed), self._told(i - 1 if alone else i, onto)[1])

    def _named_by_text(self, i: int) -> bool:
        """Whether the key is a text that is made, whose bracket ends at `i`."""
        opened = next((k for k in range(i, max(i - 8, -1), -1) if self._tokens[k] in ("[", "{")), i)
        return self._spelt(opened + 1, i - opened - 1)

    def _spelt(self, start: int, most: int = 8) -> bool:
        """Whether a text is made there."""
        for i in range(start, min(start + most, len(self._tokens))):
            token, following = self._tokens[i], self.part(i + 1)
            if token in (";", "\n", "", ","):
                return False
            joined = (token in _JOINING and following == '"') or (token == '"' and following in _JOINING)
            if joined or i in self._made or (token in _SPELLING and following in _SPELT):
                return True
        return False

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
            typed = self._typed_before(i)
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

    def _typed_before(self, i: int) -> bool:
        """C: `int a[n]`."""
        return is_word(self._tokens[i - 1]) and is_word(of := self._tokens[i - 2]) and of not in _NO_TYPE

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

    def _combined(self, i: int) -> float:
        """How many there are of Python's `permutations(a)`, `combinations(a, k)`, `product(a, b)`, `product(a,
        repeat=k)`; 0 where that is not told."""
        places, kind = self._places(i + 1), self._tokens[i]
        named = {self.part(place): self.work_out(place + 2) for place in places if self.part(place + 1) == "="}
        parts = [self._many(place) for place in places if self.part(place + 1) != "="]
        if kind == "product":
            many = reckoned("**", math.prod(parts), named.get("repeat", 1.0)) if parts else 0.0
            return min(many or 0.0, MOST)
        n = int(min(parts[0] if parts else 0.0, 100.0))
        k = int(self.work_out(places[1])) if len(parts) > 1 else int(named.get("r", n))
        if not 0 < k <= n:
            return 0.0
        return min(float(math.perm(n, k) if kind == "permutations" else math.comb(n, k)), MOST)

    def _many(self, i: int) -> float:
        """How many elements the argument at `i` has."""
        token = self._tokens[i]
        if token == "range" and self.part(i + 1) == "(":
            return self._ranged(i)
        if token in ("[", "("):
            return float(len(self._places(i)))
        return float(self._lengths.get(i, 0)) or self._counts.get(token, 0.0)

    def _ranges(self, i: int) -> bool:
        """Whether dots at `i` make a range: in languages like C three are of arguments, or spread a list."""
        return self._tokens[i][:2] == ".." and not (self._braces and self._tokens[i] == "...")

    def _array(self, i: int) -> float:
        """JavaScript: how many there are of `Array(n)`; 0 where that is not told."""
        return self.work_out(i + 2) if self.part(i + 1) == "(" and len(self._places(i + 1)) == 1 else 0.0

    def _behind_it(self, i: int) -> list[str]:
        """What stands in the statement from `i` on."""
        behind = self._tokens[i : i + _NEAR]
        return behind[: next((n for n, token in enumerate(behind) if token in (";", "\n")), len(behind))]

    def _spanned(self, i: int) -> float:
        """`a..b` with the dots at `i`; where it begins counts if that is a number, and more than one."""
        before, last = self._tokens[i - 1], self.work_out(i + 1)
        first = number(before) if before[:1].isdecimal() else 0.0
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
        end = self._closing(i + 1) if tokens[i + 1] == "(" else i + FAR
        if self._language == "rust" and tokens[i] == "for" and not self._loops_in(i):
            return 1.0
        for k in range(i + 1, min(end, len(tokens))):
            token = tokens[k]
            if token in ("{", "do", "loop", "then") or (token == "\n" and k > i + 2):
                break
            if token in _COMBINING and tokens[k + 1] == "(" and (chosen := self._combined(k)):
                found = chosen
                self._headed.update(range(k, self._closing(k + 1)))
                break
            if token in ("range", "rangeClosed") and tokens[k + 1] == "(":
                self._headed.add(k)
                found = self._ranged(k)
                break
            if self._ranges(k) or token == "to":
                self._headed.add(k)
                found = self._spanned(k)
                break
            if token in _COMPARED:
                value, name = self._compared(k), tokens[k - 1 if is_word(tokens[k - 1]) else k + 1]
                if token[0] == "<" and value > 1.0 and (filled := self._measured(k)):
                    self._fill(filled, value)
                if token[0] == "<" and value > 1.0 and not bounded:  # from where it begins, if that is below
                    found, bounded = value - (found if 1.0 < found < value else 0.0), True
                else:
                    found = max(found, value)
            elif token == "=" and found <= 1.0:
                found = self._from_to(k)
            elif token == "+=":
                found = self._stepped(found, k + 1)
        if found <= 1.0 and (through := self._through(i, end)):
            return through
        rounds = self._by_factors(i, name, found) if found > 1.0 else UNKNOWN
        self._remember(i, rounds)
        return rounds

    def _loops_in(self, i: int) -> bool:
        """Rust: whether `for` at `i` is of a loop, and not of `impl Drop for A` or `for<'a>`."""
        return "in" in self._tokens[i : next((k for k in range(i, i + FAR) if self.part(k) in ("{", ";", "")), i + FAR)]

    def _fill(self, name: str, count: float) -> None:
        """A loop goes on until a list holds so many; what is put into it at one place only makes no more."""
        self._hold(name, count)
        if self._puts is None:
            self._puts = Counter(self._grower(i) for i in range(len(self._tokens) - 4))
        if self._puts[name] == 1:
            self._bounded[name] = count

    def _measured(self, k: int) -> str:
        """The list whose length stands in front of the comparison at `k`: `len(a) <`, `a.size() <`, `#a <`."""
        *_, e, d, c, b, a = [""] * 5 + self._tokens[max(0, k - 5) : k]
        if a == ")":
            called = b if c == "(" and d in _LENGTHS else ""
            return e if [b, d] == ["(", "."] and c in _LENGTHS else called
        return c if b == "." and a in _LENGTHS else a if b == "#" else ""

    def _through(self, i: int, end: int) -> float:
        """How many elements the list has that the loop at `i` goes through; 0 where that is not told."""
        tokens = self._tokens
        if tokens[i] in ("while", "until"):
            return 0.0
        for k in range(i + 1, min(end, len(tokens) - 2)):
            if tokens[k] in ("{", "do", "\n", ";", "") and k > i + 2:
                break
            if tokens[k] == "Array" and (made := self._array(k)):
                return made
            walked = tokens[k + 1] not in ("[", "(", "=") and (tokens[k + 1] != "." or tokens[k + 2] in _WALKING)
            if walked and (count := self._counts.get(tokens[k])):
                return count
        return 0.0

    def _by_factors(self, i: int, name: str, rounds: float) -> float:
        """As many times as a number of this size can be divided, where that is how the name goes on: `n /= 10`,
        `n = n // 10`, `i *= 2`, `n >>= 1`, and in Euclid's algorithm `b = a % b`.
        """
        tokens = self._tokens
        for k in range(i + 1, min(i + FAR, len(tokens) - 4)):
            if tokens[k] in ("=", ":=") and self._halved(i, k, name):
                return max(math.log2(rounds), 1.001)
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

    def _halved(self, i: int, k: int, name: str) -> bool:
        """Whether what is bound at `k` lies between two names that the loop at `i` compares: a binary search."""
        after = self._tokens[k + 1 : k + 14]
        after = after[: next((n for n, token in enumerate(after) if token in (";", "\n", "{", "}")), len(after))]
        other = [token for token in self._tokens[i + 1 : k] if token in after and is_word(token) and token != name]
        return self._tokens[i] != "for" and name in after and bool(other) and not {"/", ">>"}.isdisjoint(after)

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
            if self._ranges(k):
                rounds = self._spanned(k)
            elif tokens[k] == "Array":
                rounds = self._array(k)
        if tokens[i] == "step" and tokens[i + 1] == "(":
            rounds = self._stepped(rounds, i + 2)
        if not rounds:
            rounds = self._counts.get(tokens[i - 2], 0.0)
        return rounds if rounds > 1.0 else UNKNOWN

    def _alone(self, i: int) -> float:
        """The token there, by itself; of a closing parenthesis what stands inside."""
        if self._tokens[i] == ")":
            opened = next((k for k in range(i, max(i - FAR, -1), -1) if self._tokens[k] == "("), i)
            return self.work_out(opened + 1)
        token = self._tokens[i]
        return number(token) if token[:1].isdecimal() else self._known.get(token, 0.0)

    def _remember(self, i: int, rounds: float) -> None:
        """The loop's variable is worth its bound: loops inside may go as far."""
        for k in range(i + 1, min(i + 8, len(self._tokens))):
            if self._tokens[k] in ("=", ":=", "in", "(") and is_word(self._tokens[k - 1]) and k > i + 1:
                name = self._tokens[k - 1]
                if rounds > self._known.get(name, 0.0):
                    self._known[name] = rounds
                return


def _named(part: Sequence[str]) -> str:
    """The name of a parameter: before a colon, alone, last (`long n`), or first (Go: `n int`)."""
    words = [token for token in (part[: part.index(":")] if ":" in part else part) if is_word(token)]
    if len(words) == 2 and words[1] in ("int", "int64", "uint64", "float64", "int32"):
        return words[0]
    return words[-1] if words else ""
