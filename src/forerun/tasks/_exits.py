"""Loops that can be left before they are through: by `break`, `return`, an error, or the end of the program.

No counter of the prompts, and no weight, by what was measured. Of 548 real programs whose loops are
heard to go 10^5 rounds or more, the rounds a second that the counts imply (over the median of the language) hardly
follow `share`: Spearman .06. Where more than half of the rounds can be cut short they are 1.7 times as many in the
median, and the tenth that is farthest off is off by seven decades instead of five: it makes answers less sure, not
lower, for nothing in the text tells how early a loop ends. A fixed weight would be wrong for most of them, and a
counter more makes each prompt longer. Most bounds that are far too high stand in loops that nothing leaves.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ONE = frozenset("break last leave".split())
"""What leaves the loop that it stands in; what a label or a number follows leaves more."""
_ALL = frozenset("return raise throw exit _exit die abort panic goto croak quick_exit Exit".split())
"""What leaves all loops of its function."""
_SWITCHES = frozenset(("switch", "select"))
"""What `break` leaves too."""
_WITHOUT = frozenset("forEach array_walk for_each map".split())
"""What calls a function for each element, which `return` leaves and nothing more."""
_INDENTED = frozenset(("python", "ruby", "lua"))
_SWITCHED = frozenset("c c++ java javascript php go".split())
_CLOSURES = frozenset(("=>", "->", "function", "func", "lambda", "sub", "def"))
_HEAD = 80
"""Tokens of a loop's head, those in brackets aside."""
_TOKEN = re.compile(r"\n|[{}()\[\];]|=>|->|[^\W\d]\w*|\d+|\S")


@dataclass(frozen=True, slots=True)
class _Block:
    """By places of tokens, the end included. Of a loop it begins at its word."""

    start: int
    end: int
    kind: str


def left_early(language: str, text: str, loops: frozenset[str], skipped: re.Pattern[str]) -> dict[int, bool]:
    """Whether each loop can be left, by where its word stands in the text. `loops` are the words, `skipped` comments
    and strings. Linear in the text, but for what is nested. Never raises."""
    plain = skipped.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found = list(_TOKEN.finditer(plain))
    blocks = _Blocks(language, plain, [one[0] for one in found], [one.start() for one in found], loops)
    return blocks.left()


def share(left: Mapping[int, bool], weights: Mapping[int, float]) -> float:
    """How much of the rounds (by the logarithms of how often the places of loops are passed) can be cut short, from 0
    to 1; 0 where there are no loops."""
    rounds = {place: math.exp(min(weight, 100.0)) for place, weight in weights.items()}
    whole = math.fsum(rounds.values())
    return math.fsum(times for place, times in rounds.items() if left.get(place)) / whole if whole else 0.0


class _Blocks:
    """Loops, switches and functions of a text."""

    def __init__(
        self, language: str, text: str, tokens: Sequence[str], starts: Sequence[int], loops: frozenset[str]
    ) -> None:
        self._language, self._text, self._loops = language, text, loops
        self._tokens, self._starts = tokens, starts
        self._pairs = self._paired()
        self._lines = [k for k, token in enumerate(tokens) if token != "\n" and (not k or tokens[k - 1] == "\n")]

    def left(self) -> dict[int, bool]:
        """Of each loop whether it can be left."""
        found = {self._starts[k]: False for k, token in enumerate(self._tokens) if token in self._loops}
        open_: list[_Block] = []
        for k, token in enumerate(self._tokens):
            while open_ and open_[-1].end < k:
                open_.pop()
            kind = self._kind(k)
            if kind and (end := self._end(k)) > k:
                open_.append(_Block(k, end, kind))
            elif token in _ONE or token in _ALL:
                for one in self._leaves(k, open_):
                    found[self._starts[one.start]] = True
        return found

    def _kind(self, k: int) -> str:
        token = self._tokens[k]
        if token in _WITHOUT:
            return "function"
        if token in self._loops:
            return "loop"
        if token in _SWITCHES and self._language in _SWITCHED:
            return "switch"
        return "function" if token in _CLOSURES and (token != "->" or self._language == "java") else ""

    def _leaves(self, k: int, open_: Sequence[_Block]) -> list[_Block]:
        """The loops that the word at `k` leaves, the innermost first."""
        around: list[_Block] = []
        for one in reversed(open_):
            if one.kind == "function":
                break
            around.append(one)
        following = self._tokens[k + 1] if k + 1 < len(self._tokens) else ""
        labelled = following[:1].isalnum() and following not in ("if", "unless", "end") and self._language != "lua"
        if self._tokens[k] in _ONE and not labelled:
            around = around[:1]
        return [one for one in around if one.kind == "loop"]

    def _end(self, k: int) -> int:
        """Where the block ends whose word stands at `k`; `k` where it has none."""
        if self._language == "python":
            return self._indented(k)
        opened, i, headed = -1, k + 1, self._language in ("go", "rust")
        for _ in range(_HEAD):
            token = self._tokens[i] if i < len(self._tokens) else ""
            if token == "{":
                opened = i
                break
            if token in ("", "}", ")") or (token == ";" and not headed):
                break
            if self._language in _INDENTED and token in ("do", "then", "\n"):
                break
            i = self._pairs.get(i, len(self._tokens)) + 1 if token in ("(", "[") else i + 1
        if self._language in _INDENTED and (opened < 0 or self._language == "lua"):
            return self._indented(k)
        if opened >= 0:
            return self._pairs.get(opened, k)
        return i if i < len(self._tokens) and self._tokens[i] == ";" else k

    def _indented(self, k: int) -> int:
        """By lines that stand further right than that of `k`."""
        line = bisect_right(self._lines, k) - 1
        column = self._column(line)
        while line + 1 < len(self._lines):
            line += 1
            if self._column(line) <= column:
                return self._lines[line] - 1
        return len(self._tokens) - 1

    def _column(self, line: int) -> int:
        start = self._starts[self._lines[line]]
        return len(self._text[self._text.rfind("\n", 0, start) + 1 : start].expandtabs(8))

    def _paired(self) -> dict[int, int]:
        opened: list[int] = []
        pairs: dict[int, int] = {}
        closing = {")": "(", "]": "[", "}": "{"}
        for k, token in enumerate(self._tokens):
            if token in ("(", "[", "{"):
                opened.append(k)
            elif token in closing and opened and self._tokens[opened[-1]] == closing[token]:
                pairs[opened.pop()] = k
        return pairs
