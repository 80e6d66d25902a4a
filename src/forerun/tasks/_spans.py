"""How many there are of what is written: of ranges, of shapes, of choices."""

from __future__ import annotations

import math

from forerun.tasks._arithmetic import MOST, number, reckoned
from forerun.tasks._names import Names
from forerun.tasks._tokens import Text

COMBINING = frozenset("permutations combinations combinations_with_replacement product".split())
"""Of what there are many more than of what they are given."""
RANGING = frozenset("range rangeClosed".split())
"""What makes a range, where a parenthesis follows."""


class Spans:
    """How many, by what names are worth when it is asked."""

    def __init__(self, text: Text, names: Names) -> None:
        self._text, self._tokens, self._names = text, text.tokens, names

    def ranged(self, i: int) -> float:
        """`range(n)`, `range(a, b)`, `range(a, b, s)` with the word at `i`."""
        first, *rest = self._text.places(i + 1)
        last = self._names.work_out(rest[0] if rest else first)
        if rest and last <= 1.0:  # counting down
            last = self._names.work_out(first)
        elif rest and (
            self._tokens[first][:1].isdecimal() or self._tokens[first] in self._tokens[rest[0] : rest[0] + 4]
        ):
            last = max(last - self._names.work_out(first), 0.0)  # of `range(a, a + n)` n
        return self.stepped(last, rest[1]) if len(rest) > 1 else last

    def walked(self, i: int) -> bool:
        """Whether Go's `range a` or `range n` stands there: what it binds are places, and what stands at them."""
        return self._tokens[i] == "range" and self._text.part(i + 1) != "("

    def spanned(self, i: int) -> float:
        """`a..b` with the dots at `i`; where it begins counts if that is a number, and more than one."""
        before, last = self._tokens[i - 1], self._names.work_out(i + 1)
        first = number(before) if before[:1].isdecimal() else 0.0
        return last - first if 1.0 < first < last else last

    def stepped(self, rounds: float, i: int) -> float:
        """With the step at `i`; where another loop counts that, both together go round about once for each place."""
        return max(rounds / max(self._names.work_out(i), 1.0), 1.001) if rounds > 1.0 else rounds

    def array(self, i: int) -> float:
        """JavaScript: how many there are of `Array(n)`; 0 where that is not told."""
        alone = self._text.part(i + 1) == "(" and len(self._text.places(i + 1)) == 1
        return self._names.work_out(i + 2) if alone else 0.0

    def shaped(self, i: int) -> float:
        """What an argument asks for; of a shape in brackets the product: `ones((n, m))`, `zeros([n, m])`."""
        places = self._text.places(i) if self._text.part(i) in ("(", "[") else []
        return self._names.work_out(i) if len(places) < 2 else self._names.product(places)

    def multiplied(self, i: int) -> float:
        """`[n][m]`."""
        size = 1.0
        for _ in range(4):
            if self._text.part(i) != "[":
                break
            size *= max(self._names.work_out(i + 1), 1.0)
            i = self._text.closing(i) + 1
        return size

    def combined(self, i: int) -> float:
        """How many there are of Python's `permutations(a)`, `combinations(a, k)`, `product(a, b)`, `product(a,
        repeat=k)`; 0 where that is not told."""
        part, work_out = self._text.part, self._names.work_out
        places, kind = self._text.places(i + 1), self._tokens[i]
        named = {part(place): work_out(place + 2) for place in places if part(place + 1) == "="}
        many = [self._many(place) for place in places if part(place + 1) != "="]
        if kind == "product":
            found = reckoned("**", math.prod(many), named.get("repeat", 1.0)) if many else 0.0
            return min(found or 0.0, MOST)
        n = math.floor(many[0]) if many else 0
        k = math.floor(work_out(places[1]) if len(many) > 1 else named.get("r", n))
        if not 0 < k <= n:
            return 0.0
        found = math.lgamma(n + 1) - math.lgamma(n - k + 1)
        if kind != "permutations":
            found -= math.lgamma(k + 1)
        return min(math.exp(min(found, math.log(MOST))), MOST)

    def _many(self, i: int) -> float:
        """How many elements the argument at `i` has."""
        token = self._tokens[i]
        if token == "range" and self._text.part(i + 1) == "(":
            return self.ranged(i)
        if token in ("[", "("):
            return float(len(self._text.places(i)))
        return float(self._text.strings.get(i, 0)) or self._names.counts.get(token, 0.0)
