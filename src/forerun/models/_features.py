"""What the simple rivals see of a prompt: its categories, its length, its numbers, and the kinds of its syntax."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.models._conditionals import compiled
from forerun.models._regression import Vector, missing
from forerun.prompts import Parts
from forerun.tasks._trees import parsed

Table = NDArray[np.float64]

SYNTAX = frozenset("c c++ python javascript java go rust ruby php".split())
"""The languages whose nodes are counted; of others the words are."""

SYNTAX_TREES, WORDS, COMPILED = READINGS = "syntax", "words", "compiled"
"""How a program is read: the nodes of its syntax (its words where there is no parser), its words, or the nodes of what
of C and C++ is compiled (`_conditionals`), the parsers of which every installation has."""
COMPILED_LANGUAGES = frozenset(("c", "c++"))

_WORD = re.compile(r"(?<![%@!#\w.])[^\W\d][\w.]*")
"""An operator, opcode, type or keyword: what LLVM IR marks as a name of its own is none."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FEW, _FEW_LINES = 32, 64
"""Words, and lines, whose places are told."""
_NOTE = 60
"""Characters of a line of the head that are told apart."""
FREQUENT = 300
"""Names that make columns, of those that stand in enough rows."""
COUNTER = "counter "
"""What the names of the prompt's counters begin with."""
_HEAD = ("metric", "unit", "language", "device")
_TEMPLATES = frozenset(("template_type", "template_function"))
_NAMES = frozenset(
    "identifier type_identifier field_identifier namespace_identifier primitive_type system_lib_string".split()
)
_DECLARING = frozenset(("declarator", "name"))
_QUALIFYING = _TEMPLATES | frozenset(("qualified_identifier", "dependent_name"))
"""Whose name is one that is used."""
_GIVING = frozenset(("type_parameter_declaration", "optional_type_parameter_declaration"))


class Categories:
    """Texts as numbers, the most frequent first; NaN for what was not there or is too rare."""

    def __init__(self, values: Sequence[str], most: int = 200) -> None:
        frequent = sorted(Counter(values).items(), key=lambda entry: (-entry[1], entry[0]))
        self._codes = {value: float(code) for code, (value, _) in enumerate(frequent[:most])}

    def codes(self, values: Sequence[str]) -> Vector:
        """One number each."""
        return np.array([self._codes.get(value, math.nan) for value in values], dtype=np.float64)


def language(found: Parts) -> str:
    """The language without the tool: `c` of `c, clang 22.1.8`."""
    return found.head.get("language", "").partition(",")[0]


def device(found: Parts) -> str:
    """Where it runs."""
    return found.head.get("device", "")


def log_length(found: Parts) -> float:
    """ln(characters + 1) of the program."""
    return math.log1p(len(found.text))


def line(x: Vector, y: Vector) -> tuple[float, float]:
    """Slope and height of the least-squares line; level where all x are the same."""
    spread = x - x.mean()
    square = float(spread @ spread)
    slope = float(spread @ (y - y.mean())) / square if np.ptp(x) > 1e-9 else 0.0
    return slope, float(y.mean() - slope * x.mean())


def facts(found: Parts, reading: str = SYNTAX_TREES) -> dict[str, float]:
    """Named numbers of a prompt: counts and sizes as ln(1 + n), of one of the `READINGS`.

    Raises ToolMissing where a parser is missing.
    """
    numbers = [float(number) for number in _NUMBER.findall(found.text)]
    sizes = {
        "length": len(found.text),
        "lines": found.text.count("\n"),
        "numbers": len(numbers),
        "largest": min(max(numbers, default=0.0), 1e300),
        **kinds(found, reading),
    }
    counters = {f"{COUNTER}{name}": value for name, value in found.counters.items() if math.isfinite(value)}
    logs = {name: math.copysign(math.log1p(abs(value)), value) for name, value in (sizes | counters).items()}
    return logs | dict(_notes(found))


def _notes(found: Parts) -> Iterator[tuple[str, float]]:
    """Every other line of the head: what it says, and its first number, as in `input 120 B: …`."""
    for name, value in found.head.items():
        if name in _HEAD:
            continue
        yield f"{name} {value[:_NOTE]}", 1.0
        if number := _NUMBER.search(value):
            yield f"note {name}", math.log1p(min(float(number[0]), 1e300))


def kinds(found: Parts, reading: str = SYNTAX_TREES) -> Counter[str]:
    """How often each kind of syntax node stands in a program; where it is not parsed each word and pair.

    Of short texts, such as an architecture's or a network's, also each line and pair of lines, and which word or line
    stands where.
    """
    name = language(found).lower()
    if reading == COMPILED and name in COMPILED_LANGUAGES:
        text, unsure = compiled(found.text, name == "c++")
        more = {"lines compiled": text.count("\n"), "lines unsure": unsure}
        tree = _parsed(name, text)
        return _nodes(tree) + _used(tree) + Counter(more)
    if reading == SYNTAX_TREES and name in SYNTAX:
        return _nodes(_parsed(name, found.text))
    return words(found.text)


@lru_cache(maxsize=2)
def words(text: str) -> Counter[str]:
    """How often each word and pair of words stands in a text; of short ones also each line, and what stands where."""
    found, lines = _WORD.findall(text), text.split("\n")
    counts = Counter(_runs("word", found))
    if len(found) <= _FEW:
        counts.update(f"place {i} {word}" for i, word in enumerate(found))
    if 1 < len(lines) <= _FEW_LINES:
        counts.update(_runs("line", lines))
        counts.update(f"place {i} {line}" for i, line in enumerate(lines))
    return counts


def _runs(kind: str, items: Sequence[str]) -> list[str]:
    """The items, and the pairs of neighbours."""
    return [f"{kind} {item}" for item in items] + [f"{kind}s {a} {b}" for a, b in pairwise(items)]


def _parsed(name: str, text: str) -> Any:
    try:
        return parsed(name, text)
    except ImportError as error:
        raise missing(error, f"counting the syntax of {name}") from error


def _nodes(tree: Any) -> Counter[str]:
    """Named nodes by kind, operators and keywords too, and the depth of the tree."""
    counts: Counter[str] = Counter()
    deepest = 0
    for depth, cursor in _walked(tree):
        counts[f"node {cursor.node.type}"] += 1
        deepest = max(deepest, depth)
    return counts + Counter({"depth": deepest})


def _used(tree: Any) -> Counter[str]:
    """Names that C or C++ uses and does not declare, headers among them, and how many instances it has of templates: a
    line that sorts or prints becomes as much code as a page that counts."""
    names, own, instances = Counter[str](), set[str](), set[str]()
    for _, cursor in _walked(tree):
        node = cursor.node
        if node.type in _NAMES:
            found = node.text.decode("utf-8", "replace")
            names[found] += 1
            if (cursor.field_name in _DECLARING and node.parent.type not in _QUALIFYING) or node.parent.type in _GIVING:
                own.add(found)
        elif node.type in _TEMPLATES:
            instances.add("".join(node.text.decode("utf-8", "replace").split()))
    used = Counter({f"used {found}": count for found, count in names.items() if found not in own})
    return used + Counter({"instances": len(instances)})


def _walked(tree: Any) -> Iterator[tuple[int, Any]]:
    """The cursor at each node of a syntax tree, with its depth."""
    cursor, depth = tree.walk(), 0
    while True:
        yield depth, cursor
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1


@dataclass(frozen=True, slots=True)
class Columns:
    """Named numbers as a table."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]], most: int = FREQUENT) -> Columns:
        """The names that stand in enough rows, the most frequent first."""
        counts = Counter(name for row in rows for name in row)
        least = max(2, len(rows) // 200)
        frequent = sorted((-count, name) for name, count in counts.items() if count >= least)
        return cls(tuple(name for _, name in frequent[:most]))

    def table(self, rows: Sequence[Mapping[str, float]]) -> Table:
        """`[rows, names]`: 0 for what is counted and not there, NaN for a counter or a note that is missing."""
        absent = [math.nan if name.startswith((COUNTER, "note ")) else 0.0 for name in self.names]
        cells = [[row.get(name, none) for name, none in zip(self.names, absent, strict=True)] for row in rows]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(self.names))
