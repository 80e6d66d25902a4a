"""How often loops go round: by their bounds, their steps, and what they go through."""

from __future__ import annotations

import math
import re

from forerun.tasks._arithmetic import FAR, UNKNOWN, number
from forerun.tasks._functions import Functions
from forerun.tasks._growth import SEARCH, Growth
from forerun.tasks._names import LENGTHS, Names
from forerun.tasks._spans import COMBINING, RANGING, Spans
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_HALVING = frozenset((">>", "<<", "%"))
_COMPARED = frozenset("< <= > >= != !== == ===".split())
_ABOVE = frozenset("< <=".split())
_SEEN = re.compile(r"\w*(?:seen|visited|visit|dist|explored|known|reached|closed)\w*", re.IGNORECASE)
"""What places are called that a search has been at, or how far they are."""
_WALKING = frozenset(
    "iter iter_mut into_iter begin values keys items entries chars each sort sorted clone reverse rev enumerate".split()
)
"""What follows a list that is gone through."""


class Rounds:
    """The loops of a text, one after the other: what the variables of one are worth, the next ones know."""

    def __init__(self, text: Text, names: Names, functions: Functions, spans: Spans, growth: Growth) -> None:
        self._text, self._tokens, self._names, self._spans, self._growth = text, text.tokens, names, spans, growth
        self._functions = functions
        self._within: dict[str, float] = {}
        """How often the loop of each function goes round that does so most."""
        self.calls: dict[int, float] = {}
        """Where functions are called in the head of a loop that goes through what they give, and how often."""
        self.headed: set[int] = set()
        """Ranges that stand in the head of a loop."""

    def rounds(self, i: int) -> float:
        """How often the loop goes round whose word stands at `i`."""
        found, name = self._told(i), self._functions.at(i)
        self._within[name] = max(found, self._within.get(name, 0.0))
        return found

    def _told(self, i: int) -> float:
        tokens = self._tokens
        if tokens[i - 1] == "." and i > 1:  # Ruby: what is counted stands in front
            return self._counted(i)
        if self._text.speech.language == "rust" and tokens[i] == "for" and not self._loops_in(i):
            return 1.0
        end = self._text.closing(i + 1) if tokens[i + 1] == "(" else i + FAR
        found, name = self._bound(i, min(end, len(tokens)))
        if found <= 1.0 and (through := self._through(i, end)):
            return through
        rounds = self._by_factors(i, name, found) if found > 1.0 else self._searched(i) or UNKNOWN
        self._remember(i, rounds)
        return rounds

    def _searched(self, i: int) -> float:
        """How many places a search has been at that goes on until none is left, `while queue`, and enters only those of
        a grid that it has not seen: `0 <= x < n and 0 <= y < m`; 0 where the loop at `i` is none."""
        tokens = self._tokens
        body = range(i + 1, min(i + SEARCH, len(tokens) - 4))
        going_on = tokens[i] == "while" or (self._text.speech.language == "go" and tokens[i + 1] in ("len", "{"))
        if not going_on or not any(_SEEN.fullmatch(tokens[k]) for k in body):
            return 0.0
        asked = dict.fromkeys(tokens[k] for k in body if tokens[k + 1] == "(" and is_word(tokens[k]))
        for span in (body, *(self._functions.span(name)[:SEARCH] for name in asked)):
            bounds: dict[str, float] = {}
            for k in span:
                if tokens[k] in _ABOVE and is_word(tokens[k - 1]) and (bound := self._names.work_out(k + 1)) > 1.0:
                    bounds.setdefault(tokens[k - 1], bound)
                elif tokens[k] in ("\n", ";", "{") and len(bounds) < 2:
                    bounds.clear()
            if len(bounds) > 1:
                places = math.prod([*bounds.values()][:2])
                self._growth.search(i, places)
                return places
        return 0.0

    def _loops_in(self, i: int) -> bool:
        """Rust: whether `for` at `i` is of a loop, and not of `impl Drop for A` or `for<'a>`."""
        part = self._text.part
        return "in" in self._tokens[i : next((k for k in range(i, i + FAR) if part(k) in ("{", ";", "")), i + FAR)]

    def _bound(self, i: int, end: int) -> tuple[float, str]:
        """How far the loop at `i` goes by what its head says, and the last name that is compared there."""
        tokens, spans = self._tokens, self._spans
        found, bounded, name = 0.0, False, ""
        for k in range(i + 1, end):
            token = tokens[k]
            if token in ("{", "do", "loop", "then") or (token == "\n" and k > i + 2):
                break
            if token in COMBINING and tokens[k + 1] == "(" and (chosen := spans.combined(k)):
                self.headed.update(range(k, self._text.closing(k + 1)))
                return chosen, name
            if token in RANGING and tokens[k + 1] == "(":
                self.headed.add(k)
                return spans.ranged(k), name
            if spans.walked(k):
                return self._names.work_out(k + 1), name
            if token in self._text.dots or token == "to":
                self.headed.add(k)
                return spans.spanned(k), name
            if token in _COMPARED:
                value, name = self._compared(k), tokens[k - 1 if is_word(tokens[k - 1]) else k + 1]
                below = token[0] == "<" and value > 1.0
                if below and (filled := self._measured(k)):
                    self._growth.fill(filled, value)
                if below and not bounded:  # from where it begins, if that is below
                    found, bounded = value - (found if 1.0 < found < value else 0.0), True
                else:
                    found = max(found, value)
            elif token == "=" and found <= 1.0:
                found = self._from_to(k)
            elif token == "+=":
                found = spans.stepped(found, k + 1)
        return found, name

    def _compared(self, k: int) -> float:
        """The larger side of a comparison; `i * i < n` goes as far as its root."""
        tokens = self._tokens
        value, name = self._names.work_out(k + 1), tokens[k - 1]
        if name == "]":  # what a list holds says nothing of how often
            return min(value, UNKNOWN)
        if tokens[k - 2] == "*" and name == tokens[k - 3]:
            value = math.sqrt(value)
        if value > 1.0 and is_word(name):
            self._names.reach(name, value)
        elif tokens[k] in (">", ">=", "!="):  # down to next to nothing
            return self._names.worth(name) or 0.0
        return value

    def _measured(self, k: int) -> str:
        """The list whose length stands in front of the comparison at `k`: `len(a) <`, `a.size() <`, `#a <`."""
        *_, e, d, c, b, a = [""] * 5 + self._tokens[max(0, k - 5) : k]
        if a == ")":
            called = b if c == "(" and d in LENGTHS else ""
            return e if [b, d] == ["(", "."] and c in LENGTHS else called
        return c if b == "." and a in LENGTHS else a if b == "#" else ""

    def _from_to(self, k: int) -> float:
        """Where a loop begins that may count down, `i = n`; Lua and Fortran: `i = 1, n` and `i = n, 1, -1`."""
        places = [k + 1]
        for at in range(k + 1, min(k + 24, len(self._tokens))):
            if self._tokens[at] in (";", "\n", "{", "do"):
                break
            if self._tokens[at] == ",":
                places.append(at + 1)
        down = len(places) < 2 or (len(places) > 2 and self._tokens[places[2]] == "-")
        rounds = self._names.work_out(places[0 if down else 1])
        return self._spans.stepped(rounds, places[2]) if len(places) > 2 else rounds

    def _through(self, i: int, end: int) -> float:
        """How many elements the list has that the loop at `i` goes through; 0 where that is not told."""
        tokens, counts = self._tokens, self._names.counts
        if tokens[i] in ("while", "until"):
            return 0.0
        for k in range(i + 1, min(end, len(tokens) - 2)):
            if tokens[k] in ("{", "do", "\n", ";", "") and k > i + 2:
                break
            if tokens[k] == "Array" and (made := self._spans.array(k)):
                return made
            if tokens[k + 1] == "(" and self._within.get(tokens[k], 0.0) > UNKNOWN:  # what a function gives
                self.calls[k] = self._within[tokens[k]]
                return self.calls[k]
            walked = tokens[k + 1] not in ("[", "(", "=") and (tokens[k + 1] != "." or tokens[k + 2] in _WALKING)
            if walked and (count := counts.get(tokens[k])):
                return count
        return 0.0

    def _by_factors(self, i: int, name: str, rounds: float) -> float:
        """As many times as a number of this size can be divided, where that is how the name goes on: `n /= 10`,
        `n = n // 10`, `i *= 2`, `n >>= 1`, and in Euclid's algorithm `b = a % b`.
        """
        tokens, work_out = self._tokens, self._names.work_out
        for k in range(i + 1, min(i + FAR, len(tokens) - 4)):
            if tokens[k] in ("=", ":=") and self._halved(i, k, name):
                return max(math.log2(rounds), 1.001)
            if tokens[k] != name or tokens[k - 1] in (".", "=="):
                continue
            after = tokens[k + 1 : k + 10]
            after = after[: next((n for n, t in enumerate(after) if t in (";", "\n", "}")), len(after))] + [""] * 2
            for_itself, factor = after[0] == "=" and name in after[:6], 0.0
            if after[0] in ("*=", "/=") or after[:2] == ["/", "/="]:
                factor = work_out(k + 2 + (after[0] == "/"))
            elif (after[0] in _HALVING and after[1] == "=") or (for_itself and not _HALVING.isdisjoint(after[:4])):
                factor = 2.0
            elif for_itself and (sign := next((t for t in after[2:8] if t in ("*", "/")), "")):
                at = k + 1 + after.index(sign)
                factor = work_out(at + 1 + (tokens[at + 1] == "/"))
            if factor > 1.0:
                return max(math.log(rounds, factor), 1.001)
        return rounds

    def _halved(self, i: int, k: int, name: str) -> bool:
        """Whether what is bound at `k` lies between two names that the loop at `i` compares: a binary search."""
        after = self._tokens[k + 1 : k + 14]
        after = after[: next((n for n, token in enumerate(after) if token in (";", "\n", "{", "}")), len(after))]
        other = [token for token in self._tokens[i + 1 : k] if token in after and is_word(token) and token != name]
        return self._tokens[i] != "for" and name in after and bool(other) and not {"/", ">>"}.isdisjoint(after)

    def _counted(self, i: int) -> float:
        """`n.times`, `a.upto(n)`, `(a..n).each`, `(a..n).step(s)`."""
        tokens = self._tokens
        rounds = 0.0
        if tokens[i] in ("upto", "downto") and tokens[i + 1] == "(":
            rounds = max(self._names.work_out(i + 2), self._alone(i - 2))
        elif tokens[i] == "times":
            rounds = self._alone(i - 2)
        for k in range(i - 2, max(i - 16, 0), -1):
            if rounds or tokens[k] in ("\n", ";"):
                break
            if tokens[k] in self._text.dots:
                rounds = self._spans.spanned(k)
            elif tokens[k] == "Array":
                rounds = self._spans.array(k)
        if tokens[i] == "step" and tokens[i + 1] == "(":
            rounds = self._spans.stepped(rounds, i + 2)
        if not rounds:
            rounds = self._names.count(tokens[i - 2]) or 0.0
        return rounds if rounds > 1.0 else UNKNOWN

    def _alone(self, i: int) -> float:
        """The token there, by itself; of a closing parenthesis what stands inside."""
        token = self._tokens[i]
        if token == ")":
            opened = next((k for k in range(i, max(i - FAR, -1), -1) if self._tokens[k] == "("), i)
            return self._names.work_out(opened + 1)
        return number(token) if token[:1].isdecimal() else self._names.worth(token) or 0.0

    def _remember(self, i: int, rounds: float) -> None:
        """The loop's variable is worth its bound: loops inside may go as far."""
        for k in range(i + 1, min(i + 8, len(self._tokens))):
            if self._tokens[k] in ("=", ":=", "in", "(") and is_word(self._tokens[k - 1]) and k > i + 1:
                self._names.reach(self._tokens[k - 1], rounds)
                return
