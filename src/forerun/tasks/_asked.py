"""What is asked for at once, `malloc(n)`, `new int[n]`, `zeros((n, m))`, and what one of it counts for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from forerun.tasks._names import Names
from forerun.tasks._spans import Spans
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

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


class Asked:
    """How much, and what one counts for: so many elements of the language's lists."""

    def __init__(self, text: Text, names: Names, spans: Spans) -> None:
        self._text, self._tokens, self._names, self._spans = text, text.tokens, names, spans
        self._braces, self._loops, self._takes = text.speech.braces, text.speech.loops, text.speech.takes
        vectors = [i for i, token in enumerate(self._tokens) if token in ("vector", "valarray")]
        of_cpp = vectors if text.speech.language == "c++" else []
        self._fields = {name: each for i in of_cpp for name, each in self._vectors(i)}
        """C++: bytes of what the vectors hold that a type or a program declares, by their names."""

    def _vectors(self, i: int) -> Iterator[tuple[str, float]]:
        """What is declared with the type at `i`: `vector<double> a, b;`."""
        tokens, end = self._tokens, self._text.angled(i + 1) + 1
        each = self._text.records.typed(tokens[i + 1 : end]) or 8.0
        while end > i + 2 and is_word(tokens[end]) and tokens[end + 1] in (",", ";"):
            yield tokens[end], each
            end += 2

    def asked(self, i: int) -> tuple[float, float]:
        """How much is asked for by the bracket that opens here, and what one of it counts for."""
        tokens = self._tokens
        if tokens[i] == "[":
            return self._dimensioned(i) if self._braces else (0.0, 1.0)
        if tokens[max(0, i - 4) : i - 1] == [".", "random", "."]:
            return self._drawn(i), self._takes.share(8.0)
        before = tokens[i - 1]
        named = before in _ASKING or before in self._names.allocating
        called = named or before.endswith("Array") or (before == "new" and tokens[i - 3] == "Array")
        if not called and before in self._fields and tokens[i - 2] in (":", ","):  # C++: `Grid(int n) : cells(n * n)`
            return self._spans.shaped(i + 1), self._takes.share(self._fields[before])
        declared = not called and self._declared(i)
        if not (called or declared):
            return 0.0, 1.0
        wanted = [self._spans.shaped(place) for place in self._text.places(i)]
        most = math.prod(max(one, 1.0) for one in wanted) if before == "calloc" else max(wanted, default=0.0)
        return most, self._each(i, before, declared)

    def _dimensioned(self, i: int) -> tuple[float, float]:
        """The same of brackets in languages like C: `new int[n]`, `int a[n][m]`, Go's `[N]int`."""
        before = self._tokens[i - 1]
        made = i > 1 and self._tokens[i - 2] == "new"
        fixed = not is_word(before) and before not in (")", "]", '"') and self._typed_behind(i)
        if not (made or fixed or self._typed_before(i)):
            return 0.0, 1.0
        of = before if made else self._text.part(i + 3) if fixed else self._tokens[i - 2]
        return self._spans.multiplied(i), self._takes.share(self._text.records.typed([of]) or 8.0)

    def _drawn(self, i: int) -> float:
        """How many numbers NumPy draws: `np.random.rand(n, m)`, `np.random.normal(0, 1, size=(n, m))`."""
        called, places = self._tokens[i - 1], self._text.places(i)
        if sized := [place + 2 for place in places if self._tokens[place : place + 2] == ["size", "="]]:
            return self._spans.shaped(sized[0])
        if called in _BY_SIZES:
            return self._names.product(places)
        return self._spans.shaped(i + 1) if called in _BY_SHAPE else 0.0

    def _each(self, i: int, called: str, declared: bool) -> float:
        """What one counts for of what is asked for in the parentheses at `i`."""
        part, takes = self._text.part, self._takes
        if called in _REPEATING:
            text = next((k for k in (i - 3, i + 1) if part(k) == '"'), None)
            return self.copied(text) if text is not None else takes.share(8.0 if called == "rep" else 1.0)
        inside = self._tokens[i : self._text.closing(i)]
        if (called in _UNTYPED or called in self._names.allocating) and "sizeof" not in inside:
            return takes.share(1.0)
        if declared:
            before = self._text.before(i, 8)
            characters = "string" in before and "<" not in before
            return takes.share(1.0 if characters else self._text.records.typed(before) or 8.0)
        near = [*inside, called, part(i - 3) if part(i - 2) == "." else ""]
        return takes.share(self._text.records.typed(near) or (8.0 if called in _WORDS else takes.filled))

    def declared(self, i: int) -> str:
        """The name of what the bracket at `i` declares to hold so many: `vector<int> a(n)`, `int a[n]`; or nothing."""
        name, token = self._tokens[i - 1], self._tokens[i]
        if token == "(":
            return name if is_word(name) and name not in _TYPED and self._declared(i) else ""
        sized = token == "[" and self._braces and self._typed_before(i) and self._tokens[i - 2] != "new"
        return name if sized else ""

    def _declared(self, i: int) -> bool:
        """C++: `vector<int> v(n)`, `vector<int>(n)`, `string s(n, 'x')`."""
        return self._braces and not _TYPED.isdisjoint(self._text.before(i, 8))

    def _typed_before(self, i: int) -> bool:
        """C: `int a[n]`."""
        return is_word(self._tokens[i - 1]) and self._text.may_be_type(i - 2)

    def _typed_behind(self, i: int) -> bool:
        """Go: `[N]int`."""
        return self._text.part(i + 2) == "]" and is_word(self._text.part(i + 3))

    def copied(self, i: int) -> float:
        """What a copy of the string at `i` counts for."""
        return self._takes.share(max(self._text.strings.get(i, 1), 1))

    def first(self, i: int) -> float:
        """What one counts for of what stands first in the brackets there: of constants, there is only the place."""
        word = self._tokens[i + 1]
        constant = word[:1].isdecimal() or word in ('"', "True", "False", "None", "nil", "null", "true", "false")
        return self._takes.share(self._takes.filled) if constant and self._tokens[i + 2] in self._loops else 1.0

    def literal(self, i: int) -> float | None:
        """Bytes of what stands there, where it says what it is: `0u8`, `true`."""
        if self._tokens[i] in ("true", "false"):
            return 1.0
        return self._text.records.typed([self._text.suffixes.get(i, self._tokens[i])])

    def stated(self, i: int) -> float | None:
        """Bytes of an element by a type that its statement tells in front of `i`, the nearest first."""
        return self._text.records.typed(self._text.before(i, 16))
