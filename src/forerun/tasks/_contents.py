"""How many elements hold what a program's text binds: `a = [0] * n`, `vec![0; n]`, `vector<int> a(n)`."""

from __future__ import annotations

from forerun.tasks._arithmetic import FAR
from forerun.tasks._asked import Asked
from forerun.tasks._functions import Functions
from forerun.tasks._names import LENGTHS, Names
from forerun.tasks._spans import RANGING, Spans
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_NEAR = 24
"""Tokens behind a name that tell how many elements it holds."""
_KEEPING = frozenset(
    "list tuple set frozenset dict sorted reversed deque array asarray bytes bytearray copy deepcopy clone append"
    " concat concatenate vstack hstack stack map filter zip pair make_pair make_tuple make_unique make_shared move new"
    " from of vec some table".split()
)
"""What is called with something and gives what holds it, or as much: of others, a list's length or its sum, it is not
known."""


class Contents:
    """How many elements there are, and how many of the language's lists they count for."""

    def __init__(self, text: Text, names: Names, functions: Functions, spans: Spans, asked: Asked) -> None:
        self._text, self._tokens, self._names, self._spans, self._asked = text, text.tokens, names, spans, asked
        self._functions = functions
        self._given: dict[str, float] = {}
        """What functions give counts for."""
        self._large: dict[str, float] = {}
        """Names that were bound to what holds many elements, and how many."""
        self._weights: dict[int, float] = {}
        """What is bound at a place counts for."""

    def contain(self) -> None:
        """Names of lists of which it is told how many elements they hold."""
        self.forget()
        for i, token in enumerate(self._tokens):
            if token in ("=", ":=") and i and not self._spans.walked(i + 1):
                count, self._weights[i] = self.told(i + 1)
                if i + 1 in self._text.strings and self._text.part(i + 2) in (";", "\n", ""):
                    count = float(self._text.strings[i + 1])
                self._names.hold(self._text.bound(i), count)
                self.enlarge(i)
            elif token in ("(", "[") and (name := self._asked.declared(i)):
                wanted = self._spans.shaped(i + 1) if token == "(" else self._names.work_out(i + 1)
                self._names.hold(name, wanted)
            elif token == "return" and (name := self._functions.at(i)):
                self._given[name] = max(self._given.get(name, 0.0), self.told(i + 1)[1])

    def forget(self) -> None:
        """The text is read from its beginning."""
        self._large.clear()

    def enlarge(self, i: int) -> None:
        """From what is bound at `i` on a name is worth as much as that."""
        if self._weights.get(i, 0.0) > 1.0 and is_word(name := self._text.bound(i)):
            self._large[name] = self._weights[i]

    def told(self, start: int, but: str = "") -> tuple[float, float]:
        """How many elements what is written there holds, as far as its statement tells, and how many of the language's
        lists they count for: `[0] * n`, `vec![0; n]`, `new int[n]`, `malloc(n)`, `range(n)`, or the name of such, `but`
        for one. Zeros where it does not tell."""
        tokens, count, weight, ended, kept = self._tokens, -1.0, 0.0, False, [True]
        for i in range(start, min(start + FAR, len(tokens) - 1)):
            token, near = tokens[i], count < 0 and i < start + _NEAR
            ended = ended or (token == "}" and i > start)
            if token in (";", "\n", "") or (ended and not near):
                break
            if token in ("(", "["):
                held, counted = self._bracketed(i)
                weight = weight if ended else max(weight, counted)
                count = held if near else count
                kept.append(kept[-1] and (token == "[" or self._keeps(i)))
            elif token in (")", "]") and len(kept) > 1:
                kept.pop()
            elif not ended and kept[-1] and token != but and token in self._large and self._whole(i):
                weight = max(weight, self._large[token])
            elif not ended and kept[-1] and token in self._given and tokens[i + 1] == "(":
                weight = max(weight, self._given[token])
            if near and count < 0:
                count = self._gone_through(i)
        return max(count, 0.0), weight

    def _keeps(self, opened: int) -> bool:
        """Whether what is called with the parenthesis there may give all that it is given."""
        called = self._tokens[opened - 1]
        return not is_word(called) or called in _KEEPING or called[:1].isupper() or self._tokens[opened - 2] == "new"

    def _whole(self, i: int) -> bool:
        """Whether the name there stands for all that it holds: neither for a part nor for how much that is."""
        return self._tokens[i + 1] not in ("[", ".", "(") and self._tokens[i - 1] != "#"

    def _bracketed(self, i: int) -> tuple[float, float]:
        """The same of the bracket that opens there; negative where how many is not told."""
        tokens, part, work_out, takes = self._tokens, self._text.part, self._names.work_out, self._text.speech.takes
        end = self._text.closing(i)
        times, each = self._asked.asked(i)
        many, weight = times if times > 1.0 else -1.0, times * each
        if tokens[i] == "(":
            listed = part(end + 1) == "x" and self._text.speech.language == "perl"  # `(0) x n`
            repeated = listed or (tokens[i + 1] == '"' and part(end + 1) in ("x", "*"))
            if not repeated:
                return many, weight
            many = work_out(end + 2)
            return many, max(weight, many * takes.share(takes.filled)) if listed else weight
        if part(end + 1) == "*" and tokens[i + 1] != "]":
            many = work_out(end + 2)
            return many, max(weight, many * takes.share(takes.filled))
        depth = 0
        for k in range(i + 1, end):
            depth += (tokens[k] in ("(", "[", "{")) - (tokens[k] in (")", "]", "}"))
            if tokens[k] == ";":
                many = work_out(k + 1)
                return many, max(weight, many * takes.share(self._asked.literal(k - 1) or takes.filled))
            if tokens[k] == "range" and part(k + 1) == "(" and self._text.speech.comprehends:
                found = self._spans.ranged(k)
                return found if not depth else -1.0, max(weight, found * self._asked.first(i))
        return work_out(i + 1) if many > 1.0 else many, weight

    def _gone_through(self, i: int) -> float:
        """How many elements the range or list has that is named at `i`; negative where none is."""
        tokens, token, counts = self._tokens, self._tokens[i], self._names.counts
        if token in RANGING and tokens[i + 1] == "(":
            return self._spans.ranged(i)
        if token in self._text.dots:
            return self._spans.spanned(i)
        if token == "length" and tokens[i + 1] == ":":
            return self._names.work_out(i + 2)
        if token in counts and tokens[i + 1] not in ("[", "(", ".", "=", "=="):
            return counts[token] if tokens[i - 2] not in LENGTHS else 0.0
        return -1.0
