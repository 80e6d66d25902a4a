"""What things of a program's own types take, as far as their fields tell: `struct`, `class`, `record`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from forerun.tasks._arithmetic import number
from forerun.tasks._footprint import Footprint
from forerun.tasks._stdin import is_word

_DEFINING = frozenset("struct class record".split())
_LONGER = {"string": 32.0, "String": 24.0, "vector": 24.0, "Vec": 24.0, "map": 48.0, "HashMap": 48.0, "deque": 80.0}
"""Types of C++, Rust and Go that take more than a word themselves."""
_NO_FIELDS = frozenset("return public private protected static using typedef friend".split())
_FAR = 4000
"""Tokens that a definition may have."""


class Records:
    """Bytes of one of each type, and what the lists hold that have such in them."""

    def __init__(self, language: str, tokens: Sequence[str], takes: Footprint) -> None:
        self._language, self._tokens, self._takes = language, tokens, takes
        self.sizes: dict[str, float] = {}
        """By the type's name."""
        self.holds: dict[str, str] = {}
        """The type of what names hold."""
        self.types: dict[str, str] = {}
        """The type of what names are, or point to."""
        for i, (token, name) in enumerate(pairwise(tokens)):
            if token in _DEFINING:
                self._define(i, name)
        if self.sizes:
            self._declare()

    def typed(self, words: Sequence[str]) -> float | None:
        """As `Footprint.typed`, of types of the program's own, too: the first that is named."""
        for word in words:
            found = self.sizes.get(word)
            if found is None:
                found = self._takes.typed([word])
            if found is not None:
                return found
        return None

    def held(self, name: str) -> float:
        """Bytes of one of what a list holds; 0 where it is not told."""
        return self.sizes.get(self.holds.get(name, ""), 0.0)

    def alone(self, name: str) -> float:
        """Bytes of what has that name; 0 where it is not told."""
        return self.sizes.get(self.types.get(name, ""), 0.0)

    def _define(self, i: int, name: str) -> None:
        """The type whose definition has its word at `i`: by what is assigned to it in dynamic languages, else by its
        fields."""
        tokens, language = self._tokens, self._language
        if language == "go":
            name = tokens[i - 1]
        opened = self._first(("{", "(", ":", ";", "\n"), i + 1, 11)
        if not opened or tokens[opened] == ";":
            return
        if language in ("python", "ruby"):
            self._put(name, self._by_names(opened))
            return
        if tokens[opened] == ":":  # C++: what it is derived from
            opened = self._first(("{", ";"), opened, 24) or opened
        if tokens[opened] == "\n":
            return
        if language in ("javascript", "php"):
            self._put(name, self._by_names(opened))
            return
        end = self._end(opened)
        size = sum(map(self._field, self._fields(opened, end))) + 16.0 * (language == "java")
        behind = tokens[min(end + 1, len(tokens) - 1)]
        if language == "c" and (tokens[i - 1] == "typedef" or not is_word(name)):
            self._put(behind, size)
        self._put(name, size)

    def _first(self, signs: Sequence[str], start: int, most: int) -> int:
        """Where one of them stands first among so many tokens; 0 where none does."""
        return next((k for k in range(start, min(start + most, len(self._tokens))) if self._tokens[k] in signs), 0)

    def _by_names(self, opened: int) -> float:
        """Bytes of what has so many names of its own; a thing alone holds one or two."""
        names = self._assigned(opened)
        return self._takes.node + max(names - 2, 0) * self._takes.listed if names else 0.0

    def _put(self, name: str, size: float) -> None:
        if is_word(name) and size > 0:
            self.sizes.setdefault(name, size)

    def _end(self, opened: int) -> int:
        depth = 0
        for k in range(opened, min(opened + _FAR, len(self._tokens))):
            token = self._tokens[k]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if not depth:
                return k
        return opened

    def _fields(self, opened: int, end: int) -> Iterator[list[str]]:
        """What stands between the marks of a definition's fields, but for what is in the braces of functions."""
        ends = (";",) if self._language in ("c", "c++", "java") and self._tokens[opened] == "{" else (",", "\n", ";")
        part, depth = list[str](), 0
        for token in self._tokens[opened + 1 : end]:
            depth += (token in ("(", "{")) - (token in (")", "}"))
            if token in ends and not depth:
                yield part
                part = []
            elif token == "}" and not depth:
                part = []
            else:
                part.append(token)
        yield part

    def _field(self, part: Sequence[str]) -> float:
        """Bytes of one, or of several that are declared together."""
        words = [token for token in part if is_word(token)]
        if len(words) < 2 - (self._language == "go") or "(" in part or not _NO_FIELDS.isdisjoint(words[:1]):
            return 0.0
        if "static" in words or ("const" in words[:1] and "=" in part):
            return 0.0
        pointed = "*" in part or "&" in part
        times = 1.0
        for before, token in pairwise(part):
            if before == "[" and token[:1].isdecimal():
                times *= max(number(token), 1.0)
        several = 1 if "<" in part else 1 + part.count(",")
        if pointed:
            return 8.0 * several * times
        if self._language == "go" and part[1:3] == ["[", "]"]:
            return 24.0
        longer = next((_LONGER[word] for word in words if word in _LONGER and self._language != "java"), None)
        found = longer if longer is not None else self.typed(words)
        return (8.0 if found is None else found) * several * times

    def _assigned(self, opened: int) -> int:
        """How many names of its own a class of a dynamic language gives values to, or declares."""
        tokens, names = self._tokens, set[str]()
        end = next(
            (k for k in range(opened + 1, min(opened + _FAR, len(tokens) - 1)) if tokens[k] in ("class", "module")),
            min(opened + _FAR, len(tokens) - 1),
        )
        for k in range(opened, end):
            token = tokens[k]
            if token in ("self", "this") and tokens[k + 1] == "." and tokens[k + 3] == "=":
                names.add(tokens[k + 2])
            elif token == "this" and tokens[k + 1 : k + 3] == ["-", ">"] and tokens[k + 4] == "=":
                names.add(tokens[k + 3])
            elif token == "\n" and is_word(tokens[k + 1]) and tokens[k + 2] == ":" and self._language == "python":
                names.add(tokens[k + 1])
            elif token == "initialize" and tokens[k + 1] == "(" and self._language == "ruby":  # `@a = a`, mostly
                names |= {name for name in tokens[k + 2 : self._end(k + 1)] if is_word(name)}
        return len(names)

    def _declare(self) -> None:
        """`vector<T> a`, `[]T`, `Vec<T>`, `List<T> a`; and `a = T(…)`, `a := &T{…}`, `T a = …`."""
        tokens = self._tokens
        for i, token in enumerate(tokens[:-4]):
            if token not in self.sizes:
                continue
            before, behind, kept = tokens[i - 1], tokens[i + 1], self.holds
            if before == "<" or (before == "," and behind == ">"):
                k = i + 1
                while tokens[k] in (">", "*", "&", "[", "]", ">>"):
                    k += 1
                name = tokens[k] if is_word(tokens[k]) else self._in_front(i)
            elif before == "]" or tokens[i - 2] == "]":
                name = self._in_front(i)
            elif behind in ("(", "{") and before in ("=", ":=", "new", "&"):
                k = i - 1 - (before in ("new", "&"))
                name, kept = tokens[k - 1] if tokens[k] in ("=", ":=") else "", self.types
            else:
                at = i + 1 + (behind == "*")
                name = tokens[at] if is_word(tokens[at]) and tokens[at + 1] in ("=", ";", "[", "(", ",", ")") else ""
                kept = self.holds if tokens[at + 1] == "[" else self.types
            if is_word(name):
                kept.setdefault(name, token)

    def _in_front(self, i: int) -> str:
        """The name that is declared with the type in which the one at `i` stands."""
        tokens, k = self._tokens, i
        while k > i - 10 and tokens[k] not in ("=", ":=", ":", ";", "\n", "(", "{", "}"):
            k -= 1
        if tokens[k] in ("=", ":=", ":"):
            return tokens[k - 1]
        if tokens[k] == "(" and tokens[k - 1] in ("make", "new") and tokens[k - 2] in ("=", ":="):
            return tokens[k - 3]
        return tokens[k + 1 + (tokens[k + 1] == "var")]
