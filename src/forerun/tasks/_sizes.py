"""Sizes that stand in a program's text: how much it asks for at once, and how often its loops go round.

Numbers, names that are bound to them, arithmetic on both, and parameters that are given a number by a call are worked
out; nothing runs. A name that is bound several times has the largest value. What cannot be worked out is left out of
its expression; a loop whose bound is not known goes round `UNKNOWN` times.

Each of these knows only those before it: `_tokens` (what stands where), `_names` (what a name is worth), `_functions`
(what their parameters are given), `_spans` (how many there are of a range or a shape), `_asked` (how much is asked for
at once), `_contents` (how much a name holds), `_texts`, `_growth` (what is added to it), `_rounds` (how often).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from forerun.tasks._arithmetic import FAR, MOST
from forerun.tasks._asked import Asked
from forerun.tasks._contents import Contents
from forerun.tasks._functions import Functions
from forerun.tasks._growth import Grown, Growth
from forerun.tasks._names import Names
from forerun.tasks._rounds import Rounds
from forerun.tasks._spans import COMBINING, RANGING, Spans
from forerun.tasks._stdin import read
from forerun.tasks._tokens import Speech, Text
from forerun.tasks._unused import unused
from forerun.tasks._written import Written

_PAIRING = frozenset(("zip", "enumerate"))
_HOLDING = frozenset("join list set tuple sorted dict frozenset deque bytes bytearray array".split())
_FILLING = frozenset("to_a to_h to_set map collect select shuffle toArray toList boxed grep".split())
"""What makes a list of a range."""
_ITERATING = _FILLING | frozenset(
    "sum count reduce inject fold filter reject for_each forEach each_slice each_cons each_with_object any all find max"
    " min product mapToObj anyMatch allMatch zip any? all? flat_map sort_by group_by partition tally".split()
)
"""What goes through it."""
_COLLECTING = frozenset("collect toList toArray boxed".split())
"""Java: what keeps all that goes through."""
_NEAR, _HEAD, _FAR = 24, 6, 80
"""Tokens beside a range in which such words stand, behind a block in which what it goes through does, and of a block in
front of that."""
_BETWEEN = frozenset(("", ";", "{", "}", "\n", ":"))
"""Statements."""


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
    storing: frozenset[int] = frozenset()
    """Where functions are called whose results are kept beside others."""
    headed: dict[int, float] = field(default_factory=dict)
    """Where functions are called in the head of a loop, and how often that goes round."""
    grown: list[Grown] = field(default_factory=list)
    """Where an element is put into something that was empty, in the order of the text."""
    begun: list[tuple[int, str]] = field(default_factory=list)
    """Where texts begin, and their names, in the order of the text."""
    unused: list[tuple[int, int]] = field(default_factory=list)
    """Where functions stand that nobody calls, of which nothing else here tells; in the order of the text."""


def heard(speech: Speech, source: str, stdin: bytes = b"") -> Sizes:
    """Reads a text, and what it reads itself. Never raises."""
    text = Text(speech, source)
    places = unused(speech.language, source, text.tokens, text.starts, text.strings)
    if places:
        text = Text(speech, _without(source, places))
    names = Names(text)
    for name, value in read(text.tokens, stdin) if stdin else ():
        names.reach(name, value)
    functions, spans = Functions(text, names), Spans(text, names)
    asked = Asked(text, names, spans)
    contents = Contents(text, names, functions, spans, asked)
    for _ in range(2):  # how many a list holds tells what its length is worth
        names.bind()
        functions.give()
        contents.contain()
    found = _Hearing(text, names, functions, spans, asked, contents).sizes()
    remembered = list(functions.remembering())
    takes = speech.takes
    kept = max((count for _, count in remembered), default=0.0) * takes.share(takes.keyed + takes.node)
    found.elements = min(max(found.elements, kept), MOST)
    branching, node = list(functions.branching()), takes.share(takes.node)
    found.grown = sorted([*found.grown, *(Grown(at, MOST, node, times) for at, times, makes in branching if makes)])
    found.implied = sorted([*found.implied, *((at, times) for at, times, _ in branching), *remembered])
    found.functions, found.unused, found.storing = functions.places(), places, functions.storing()
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
    headed: bool = False
    """Whether what follows is what a comprehension goes through."""
    made: float = 0.0
    """What one of them counts for at least, as it is written out."""


class _Hearing:
    """One pass over the text, in which loops and brackets stand in each other."""

    def __init__(
        self, text: Text, names: Names, functions: Functions, spans: Spans, asked: Asked, contents: Contents
    ) -> None:
        self._text, self._tokens, self._starts, self._speech = text, text.tokens, text.starts, text.speech
        self._takes = text.speech.takes
        self._names, self._spans, self._asked, self._contents = names, spans, asked, contents
        self._written = Written(text, functions)
        self._growth = Growth(text, names, functions, contents, self._written)
        self._rounds = Rounds(text, names, functions, spans, self._growth)
        self._found = Sizes()
        self._open: list[_Open] = []
        self._latest, self._loop_at = 0.0, 0
        """Rounds of the loop before, and where its word stands."""
        self._filled = 0.0
        """Ruby: what `Array.new(n) { … }` asked for, in front of the brace."""

    def sizes(self) -> Sizes:
        """What is heard. For each kind of token there is a method, which gives how much is asked for there, or 0."""
        found = self._found
        listeners = {
            **dict.fromkeys(("(", "["), self._bracket),
            "{": self._brace,
            **dict.fromkeys((")", "]", "}"), self._closed),
            ";": self._repeated,
            '"': self._copied,
            "Array": self._array,
            "length": self._length,
            **dict.fromkeys(_PAIRING, self._paired),
            **dict.fromkeys(COMBINING, self._combined),
            **dict.fromkeys(RANGING, self._ranged),
            **dict.fromkeys(self._text.dots, self._spanned),
            **dict.fromkeys(self._speech.loops, self._loop),
        }
        self._contents.forget()
        for i, token in enumerate(self._tokens[: len(self._starts)]):
            if token in ("=", ":="):
                self._contents.enlarge(i)
            self._growth.hear(i, self._latest, self._loop_at)
            listener = listeners.get(token)
            size = listener(i) if listener else 0.0
            if size > 1.0:
                found.elements = max(found.elements, size)
                if self._open and token not in ("(", "[", "{") and not self._open[-1].headed:
                    self._open[-1].inner = max(self._open[-1].inner, size)
        found.grown, found.begun = self._growth.grown, self._growth.texts.begun
        found.headed = {self._starts[k]: rounds for k, rounds in self._rounds.calls.items()}
        return found

    def _bracket(self, i: int) -> float:
        """What is asked for by one that opens; square ones are also of types, and of what follows a name."""
        square = self._tokens[i] == "["
        times, each = self._asked.asked(i)
        size = times * each
        holds = square or self._tokens[i - 1] in _HOLDING
        made = self._takes.share(self._written.comprehended(i)) if holds else 0.0
        if square:
            times, each = 1.0, self._asked.first(i)
        self._open.append(_Open(i, holds, max(times, 1.0), each, made=made))
        return size

    def _brace(self, i: int) -> float:
        """One that opens: elements under keys, or a block; Ruby's may be run for each element of what is made."""
        before = self._tokens[i - 1]
        holds = before in _HOLDING or self._speech.comprehends
        times = max(self._filled, 1.0) if before == ")" else 1.0
        each = self._takes.share(self._takes.keyed) if holds else 1.0
        made = self._written.comprehended(i) if holds else self._written.block(i) if times > 1.0 else 0.0
        self._open.append(_Open(i, holds, times, each, made=self._takes.share(made)))
        return 0.0

    def _closed(self, i: int) -> float:
        """How much a bracket that ends here holds: a comprehension, or a list that is repeated."""
        self._filled = 0.0
        if not self._open:
            return 0.0
        opened, token, sign = self._open.pop(), self._tokens[i], self._tokens[i + 1]
        if token == ")":
            self._filled = opened.times
        size = opened.times * max(opened.inner if opened.inner > 1.0 else opened.each, opened.made)
        if sign == "x" or (sign == "*" and opened.holds and token != "}"):
            called = self._takes.typed([self._tokens[opened.at - 1]]) if opened.at > 0 else None
            each = self._takes.share(called or self._takes.filled)
            one = max(opened.times, 1.0) * each if opened.inner <= 1.0 else size
            size = max(self._names.work_out(i + 2), 1.0) * one
        elif token == "}" and opened.inner > 1.0 and self._tokens[opened.at - 1] == "map":
            # Perl: `map { [(0) x $m] } 1 .. $n`
            dots = next((k for k in range(i, i + _HEAD) if self._text.part(k) in self._text.dots), 0)
            size = max(self._spans.spanned(dots), 1.0) * opened.inner if dots else size
        return size

    def _loop(self, i: int) -> float:
        """A loop's word: of a loop, of a comprehension, or behind what it repeats."""
        rounds = self._latest = self._found.rounds[self._starts[i]] = self._rounds.rounds(i)
        self._loop_at = i
        if self._speech.modifies and i and self._tokens[i - 1] not in _BETWEEN:
            self._growth.repeated(i, rounds)
        if self._open and self._open[-1].holds:
            self._open[-1].times *= rounds
            self._open[-1].headed = self._speech.comprehends
        return 0.0

    def _repeated(self, i: int) -> float:
        """Rust: `[0; n]`."""
        if self._open and self._open[-1].holds:
            opened, asked, takes = self._open[-1], self._asked, self._takes
            opened.times *= max(self._names.work_out(i + 1), 1.0)
            opened.each = takes.share(asked.literal(i - 1) or asked.stated(opened.at) or takes.filled)
        return 0.0

    def _copied(self, i: int) -> float:
        """A string: `"ab" * n`."""
        repeated = self._tokens[i + 1] in ("*", "x")
        return self._names.work_out(i + 2) * self._asked.copied(i) if repeated else 0.0

    def _combined(self, i: int) -> float:
        """Python: `permutations(a)`, where no loop's head has it."""
        if self._tokens[i + 1] != "(" or i in self._rounds.headed:
            return 0.0
        rounds = self._spans.combined(i)
        if rounds:
            self._rounds.headed.update(range(i, self._text.closing(i + 1)))
        self._implied(i, rounds)
        return rounds * self._takes.share(self._takes.node) if self._held() else 0.0

    def _paired(self, i: int) -> float:
        """Python: `list(zip(a, b))`, where no loop's head has it."""
        held = bool(self._open) and self._open[-1].holds and not self._open[-1].headed
        if self._tokens[i + 1] != "(" or not (held and self._speech.comprehends):
            return 0.0
        count = max(self._names.counts.get(self._text.part(place), 0.0) for place in self._text.places(i + 1))
        return count * self._takes.share(self._takes.node)

    def _ranged(self, i: int) -> float:
        """`range(n)`, where no loop's head has it; in PHP it is a list."""
        if self._tokens[i + 1] != "(" or i in self._rounds.headed:
            return 0.0
        rounds = self._spans.ranged(i)
        self._implied(i, rounds)
        if self._speech.language == "java" and (chain := self._chained(i)) & _COLLECTING:
            each = self._takes.node if "mapToObj" in chain else self._takes.listed
            return rounds * self._takes.share(self._asked.stated(i) or each)
        if self._held() or (self._speech.braces and (self._tokens[i - 1] != "." or self._near(i, _FILLING))):
            return rounds * self._takes.share(self._asked.stated(i) or self._takes.listed)
        return 0.0

    def _chained(self, i: int) -> set[str]:
        """What stands behind `i` in its statement."""
        behind = self._tokens[i : i + FAR]
        return set(behind[: behind.index(";")] if ";" in behind else behind)

    def _array(self, i: int) -> float:
        """JavaScript: `Array(n)`, which was asked for at its parenthesis."""
        rounds = self._spans.array(i) if self._speech.braces else 0.0
        if rounds and not _ITERATING.isdisjoint(self._text.behind(i, _NEAR)):
            self._implied(i, rounds)
        made = next((k + 1 for k in range(i, i + _NEAR) if self._text.part(k) == "=>"), 0)
        return rounds * self._takes.share(self._made(made)) if made and "map" in self._tokens[i:made] else 0.0

    def _spanned(self, i: int) -> float:
        """`a..b`, where no loop's head has it."""
        if i in self._rounds.headed:
            return 0.0
        rounds = self._spans.spanned(i)
        if self._near(i, _ITERATING):
            self._implied(i, rounds)
        if self._near(i, _FILLING) or self._listed(i):
            each = self._mapped(i) or (self._takes.text if self._text.spelt(i, 14) else self._takes.listed)
            return rounds * self._takes.share(self._asked.stated(i) or each)
        return 0.0

    def _mapped(self, i: int) -> float:
        """Bytes of what a block makes of each number of the range at `i`: Ruby's `(1..9).map { |k| [k, k] }`, Perl's
        `map { [$_, $_] } 1 .. 9`; 0 where none does."""
        words = range(max(i - _FAR, 0), i) if self._speech.language == "perl" else range(i, i + _HEAD)
        opened = (k + 1 for k in words if self._text.part(k) in _FILLING)
        return next((self._written.block(k) for k in opened if self._text.part(k) in ("{", "do", "+")), 0.0)

    def _length(self, i: int) -> float:
        """JavaScript: `Array.from({ length: n })`."""
        if self._tokens[i + 1] != ":":
            return 0.0
        rounds = self._names.work_out(i + 2)
        self._implied(i, rounds)
        if len(self._open) > 1 and rounds > 1.0:  # what the call is given makes each of them
            around = self._open[-2]
            around.holds, around.times = True, around.times * rounds
            made = next((k for k in range(i, self._text.closing(around.at)) if self._tokens[k] == "=>"), i) + 1
            around.each = self._takes.share(self._made(made))
            around.made = self._takes.share(self._written.taken(made))
            return 0.0
        return rounds * self._takes.share(self._takes.filled)

    def _made(self, i: int) -> float:
        """JavaScript: bytes of what an arrow function gives whose body begins at `i`."""
        at = i + (self._text.part(i) in ("(", "new"))
        thing = self._text.part(at) in ("{", "[") or self._tokens[at - 1] == "new"
        return self._written.taken(i) or (self._takes.node if thing else self._takes.filled)

    def _implied(self, i: int, rounds: float) -> None:
        """Something is gone through without a loop's word."""
        self._found.implied.append((self._starts[i], rounds))

    def _held(self) -> bool:
        """Whether something that is open holds elements."""
        return any(one.holds for one in self._open)

    def _near(self, i: int, words: frozenset[str]) -> bool:
        """Whether one of the words stands beside a range."""
        return not words.isdisjoint(self._tokens[max(0, i - _NEAR) : i + 8])

    def _listed(self, i: int) -> bool:
        """Perl: `@a = (1 .. n)`; Ruby: `[*1..n]`."""
        return self._tokens[max(0, i - 3) : i - 1] in (["=", "("], ["[", "*"])
