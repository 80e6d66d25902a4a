"""What is added to texts, a piece at a time: `s += "x"`, `b.append(c)`, `s << w`, `s = s .. w`."""

from __future__ import annotations

import re
from itertools import pairwise

from forerun.tasks._arithmetic import FAR, MOST
from forerun.tasks._names import Names
from forerun.tasks._stdin import is_word
from forerun.tasks._tokens import Text

_MADE = (
    "String : : new", "String : : from", "String : : with_capacity", "String . new", "StringIO . new", "StringIO (",
    "io . StringIO", "BytesIO (", "io . BytesIO", "bytearray (", "new StringBuilder", "new StringBuffer",
    "new String (", "StringBuilder (", "strings . Builder", "bytes . Buffer", "& strings . Builder", "& bytes . Buffer",
    '+ "',
)  # fmt: skip
"""What a name is bound to that holds a text."""
_TYPES = frozenset("string String StringBuilder StringBuffer stringstream ostringstream".split())
_BUILDERS = frozenset("string Builder Buffer".split())
"""Go: types that stand behind the name, `var b strings.Builder`."""
ADDING = frozenset(("+=", ".", "<<", "="))
"""What stands behind the name of a text that something is added to."""
_WRITING = frozenset(
    "append push_str push push_back write WriteString WriteByte WriteRune Write concat print put extend".split()
)
_ENDS, _JOINED = frozenset(("", ";", "\n", ",", ")", "}", "end", "if", "unless")), frozenset(("+", "..", "."))
_COMPARED = frozenset("== === != !== < > <= >=".split())
_KEPT = frozenset("to_string to_owned into dup encode freeze".split())
"""What is called with a text and gives it."""
_ONE = frozenset("chr char fromCharCode chars charAt".split())
"""What makes a text of one character."""
_PREFIXES = frozenset("f b r rf fr u".split())
"""Python: what stands in front of a string."""
_ESCAPED = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
"""What is written for one character."""
_FEW = 8.0
"""Characters of a piece of which nothing is told."""
_DOUBLED = 60.0
"""Nothing is doubled more often."""


class Texts:
    """The names of texts, and how long the texts are that they are bound to first."""

    def __init__(self, text: Text, names: Names) -> None:
        self._text, self._tokens, self._names = text, text.tokens, names
        self.names: dict[str, float] = {}
        self.begun: list[tuple[int, str]] = []
        """Where in the text one begins anew, in its order, and its name."""
        for i, token in enumerate(self._tokens):
            name, length = "", 0.0
            if token in ("=", ":="):
                name, length = text.bound(i), self._made(i + 1)
            elif token in _TYPES and self._tokens[i + 2] in (";", ",", ")"):
                name = self._tokens[i + 1]
            elif token in _BUILDERS:
                name = self._variable(i)
            if length >= 0.0 and is_word(name) and name not in names.growing:
                self.names[name] = max(length, self.names.get(name, 0.0))
                self.begun.append((text.starts[i], name))
        for before, name in pairwise(self._tokens):  # `vector<int> s`, `int[] s`: elsewhere it is a list
            if before in (">", "]"):
                self.names.pop(name, None)

    def grows(self, i: int) -> str:
        """The text to whose name at `i` something is added there; empty where nothing is."""
        name, start = self._tokens[i], self._start(i)
        return name if start and (name in self.names or self._piece(start, "")[1]) else ""

    def added(self, i: int, times: float) -> float:
        """Characters that are added there each time; in the mean of so many times where it is added to itself."""
        name, start = self._tokens[i], self._start(i)
        length, _, itself = self._piece(start, name)
        if name in self._names.bounded:
            return 1.0
        if itself:
            times = max(times, 1.0)
            length = max(length, doubled(self.names.get(name, 0.0), times) / times)
        return max(length, 1.0)

    def written(self, i: int) -> bool:
        """Whether what is called at `i` adds to a text: `s.append(a).append(b)`."""
        k = i
        while i - FAR < k > 1 and self._tokens[k - 1] == "." and self._tokens[k] in _WRITING:
            if self._tokens[k - 2] != ")":
                return self._tokens[k - 2] in self.names
            k = self._text.opening(k - 2) - 1
        return False

    def repeated(self, i: int) -> float:
        """Characters of the string that is written there several times, `"ab" * n`; 0 where none is."""
        at = i + (self._tokens[i] in _PREFIXES)
        copies = self._copies(at) if self._tokens[at] == '"' else 1.0
        return copies * len(_ESCAPED.sub("c", self._text.string(at))) if copies > 1.0 else 0.0

    def _made(self, i: int) -> float:
        """How long the text is that stands at `i`; negative where none does."""
        if self._tokens[i] == '"':
            behind = self._text.part(i + 1)
            whole = behind in _ENDS or behind in ("*", "x") or (behind == "." and self._text.part(i + 2) in _KEPT)
            return self._copies(i) * self._text.strings.get(i, 0) if whole else -1.0
        return 0.0 if " ".join(self._tokens[i : i + 4]).startswith(_MADE) else -1.0

    def _variable(self, i: int) -> str:
        """Go: the name in front of the type whose last word stands at `i`: `var s string`, `var b strings.Builder`."""
        at = i - 3 if self._tokens[i - 1] == "." else i - 1
        return self._tokens[at] if at > 0 and self._tokens[at - 1] == "var" else ""

    def _start(self, i: int) -> int:
        """Where what is added to the name at `i` is written; 0 where nothing is."""
        tokens, part = self._tokens, self._text.part
        name, sign, after = tokens[i], tokens[i + 1], part(i + 2)
        if sign == "+=":
            return i + 2
        if sign == "." and after == "=":
            return i + 3
        if sign == "<<" and name in self.names:
            return i + 2
        if sign == "." and after in _WRITING and part(i + 3) == "(" and name in self.names:
            return i + 4
        if sign == "=" and after == name:
            if part(i + 3) in _JOINED and part(i + 4) not in _KEPT:
                return i + 4
            return i + 3 if self._text.speech.language == "awk" and part(i + 3) not in _ENDS else 0
        return 0

    def _piece(self, start: int, name: str) -> tuple[float, bool, bool]:
        """How many characters are written there, whether it is told that they are, and whether the name is among
        them."""
        tokens, part, length, told, itself = self._tokens, self._text.part, 0.0, False, False
        ends = _ENDS | self._text.speech.loops if self._text.speech.modifies else _ENDS
        k, end = start, min(start + FAR, len(tokens) - 4)
        while k < end:
            token = tokens[k]
            if token == ")" and part(k + 1) == "." and part(k + 2) in _WRITING and part(k + 3) == "(":
                k += 3
            elif token in ends and token != ",":
                break
            elif token == '"':
                length, told = length + self._copies(k) * self._text.strings.get(k, 1), True
            elif token in ("(", "["):
                length += _FEW * (token == "(" and not is_word(tokens[k - 1]) and k > start)
                k = self._text.closing(k)
            elif token == "?":  # what decides is not added
                length = 0.0
            elif token in _COMPARED and not self._asks(k):
                return 0.0, False, False
            elif token == name and part(k + 1) not in (".", "["):
                itself = True
            elif is_word(token) and tokens[k - 1] != "." and token not in _PREFIXES:
                length += 1.0 if token in _ONE or part(k + 1) == "[" else _FEW
            elif token[:1].isdecimal() and tokens[k - 1] not in ("*", "x"):
                length += len(token)
            k += 1
        return length, told, itself

    def _asks(self, k: int) -> bool:
        """Whether what is compared at `k` chooses what is added: `s += i > 3 ? "a" : "b"`, `"a" if i > 3 else "b"`."""
        return any(token in ("?", "else") for token in self._text.behind(k, FAR))

    def _copies(self, i: int) -> float:
        """How many there are of the string at `i`: `"x" * n`, `"x".repeat(n)`."""
        if self._tokens[i + 1] in ("*", "x"):
            return max(self._names.work_out(i + 2), 1.0)
        repeated = self._tokens[i + 1] == "." and self._tokens[i + 2] in ("repeat", "repeated")
        return max(self._names.work_out(i + 4), 1.0) if repeated else 1.0


def doubled(first: float, times: float) -> float:
    """How much there is of a text or a list after so much of it, one at least, was added to itself so often."""
    return float(min(max(first, 1.0) * 2.0 ** min(times, _DOUBLED), MOST))
