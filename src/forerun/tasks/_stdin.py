"""Numbers that a program reads: which of its names are worth what stands on its standard input.

What is read is taken in the order of the text, a number for each name, as programs do that ask for a size first. Loops
are passed once, so of what they read only the first round is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from forerun.tasks._footprint import Footprint

_MOST = 1 << 16
"""Bytes of the input that are looked at: sizes stand at its beginning."""
_NUMBER = re.compile(rb"(?<![\w.])-?\d{1,18}(?:\.\d+)?(?![\w.])")

_READING = frozenset(
    "input raw_input stdin STDIN readline readLine read_line gets fgets getline nextLine nextInt nextLong nextDouble"
    " readFileSync Scanner BufferedReader".split()
)
_CONVERTING = frozenset(
    "int float long Number parseInt parseFloat parseLong parseDouble parse to_i to_f intval atoi atol atoll strtol"
    " stoi stol stoll nextInt nextLong nextDouble Integer tonumber Atoi ParseInt next STDIN".split()
)
_SCANNING = frozenset("scanf fscanf scanf_s Scan Scanln Scanf Fscan Fscanln Fscanf Sscanf Sscan".split())
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(_READING | _SCANNING | {'cin', 'read'}))})\b")
_WHOLE: Mapping[str, str] = {
    "python": r"\bstdin(?:\.buffer)?\.(?:read|readlines)\(\)|\bopen\(0\)|\b(?:list|set|sorted)\((?:sys\.)?stdin\b",
    "javascript": r"\breadFileSync\(\s*(?:0|['\"]/dev/stdin['\"]|process\.stdin\.fd)",
    "ruby": r"(?:\bSTDIN|\$stdin|\bARGF|\$<)\.(?:read|readlines|to_a|map)\b|=\s*readlines\b",
    "perl": r"@\w+\s*=[^;\n]*<(?:STDIN)?>|\blocal\s+\$/",
    "lua": r"\bio\.read\s*\(?\s*['\"]\*?a",
    "php": r"\b(?:stream_get_contents|file)\(\s*(?:STDIN|['\"]php://stdin)|\bfile_get_contents\(\s*['\"]php://stdin",
    "go": r"\bReadAll\(\s*(?:os\.Stdin|bufio\.)",
    "rust": r"\bread_to_(?:string|end)\(|\bstdin\(\)[^;]*\.lines\(\)[^;]*\.collect\b",
    "java": r"\bSystem\.in\.readAllBytes\(|\.lines\(\)[^;]*\.(?:toList|collect)\(",
}
"""How a program takes all of its input at once."""
_SPLIT = re.compile(r"(?i)\b(?:split|fields|split_whitespace|scan|explode|gmatch|words|preg_split)\b")
_LINES = re.compile(r"(?i)\b(?:readlines|lines|splitlines|each_line|file)\b|\blist\((?:sys\.)?stdin|@\w+\s*=")
_ENDS = frozenset("\n ; { }".split(" "))


def read(tokens: Sequence[str], stdin: bytes) -> Iterator[tuple[str, float]]:
    """Names and what they are worth, in the order of the text. `tokens` are those of `forerun.tasks._tokens.TOKEN`."""
    reading = _Reading(stdin)
    start = 0
    for i, token in enumerate(tokens):
        if token in _ENDS:
            if i > start:
                yield from reading.statement(tokens[start:i])
            start = i + 1
    yield from reading.statement(tokens[start:])


def may_read(text: str) -> bool:
    """Whether a word stands there without which `read` finds nothing."""
    return _WORDS.search(text) is not None


def kept(language: str, text: str, stdin: bytes, size: int, takes: Footprint) -> float:
    """Bytes of its input that a program keeps which takes all of it at once: its characters, and as many short texts,
    or numbers, as it makes of them. 0 of one that does not. It has `size` bytes, and begins with these."""
    pattern = _WHOLE.get(language)
    if not stdin or not pattern or not re.search(pattern, text, re.MULTILINE):
        return 0.0
    pieces = len(stdin.split()) if _SPLIT.search(text) else stdin.count(b"\n") if _LINES.search(text) else 0
    numbers = any(word in _CONVERTING for word in re.findall(r"\w+", text))
    return size * takes.written + pieces * size / len(stdin) * (takes.text + takes.listed * numbers)


class _Reading:
    """What is left of the input, and the names that hold some of it."""

    def __init__(self, stdin: bytes) -> None:
        lines = [[float(n) for n in _NUMBER.findall(line)] for line in stdin[:_MOST].split(b"\n")]
        self._lines = lines
        self._numbers = [number for line in lines for number in line]
        self._next = 0
        self._raw: set[str] = set()
        """Names that hold lines or words."""
        self._converted: set[str] = set()
        """Names that hold several numbers."""

    def statement(self, tokens: Sequence[str]) -> Iterator[tuple[str, float]]:
        """One statement, or the head of a block."""
        words = set(tokens)
        if words & _SCANNING:
            yield from self._taken(_scanned(tokens))
        elif "cin" in words:
            places = [i for i, token in enumerate(tokens[:-1]) if token == ">>"]
            yield from self._taken([tokens[i + 1] for i in places if "".join(tokens[i + 2 : i + 3]) not in ("[", ".")])
        elif "read_line" in words and "mut" in tokens:  # Rust: `stdin().read_line(&mut line)`
            self._raw.update(tokens[i + 1] for i, token in enumerate(tokens[:-1]) if token == "mut")
        else:
            yield from self._assigned(tokens, words)

    def _assigned(self, tokens: Sequence[str], words: set[str]) -> Iterator[tuple[str, float]]:
        sign = next((i for i, token in enumerate(tokens) if token in ("=", ":=")), 0)
        names, right = _names(tokens[:sign]), tokens[sign + 1 :]
        held = [name for name in right if name in self._raw or name in self._converted]
        io = "io" in right and "read" in right
        if not sign or not names or not (io or held or words & _READING):
            return
        converting = io or not _CONVERTING.isdisjoint(right)
        if held and (place := _index(right, held[0])) is not None:
            found = self._numbers if held[0] in self._converted else [line[0] for line in self._lines if line]
            if place < len(found):
                yield names[0], found[place]
        elif held and held[0] in self._converted and not converting:
            self._converted.update(names)
        elif not converting:
            self._raw.update(names)
        elif len(names) == 1 and _many(right):
            self._converted.update(names)
            yield from self._taken(names[:1])
        else:
            yield from self._taken(names)

    def _taken(self, names: Sequence[str]) -> Iterator[tuple[str, float]]:
        for name in names:
            if self._next < len(self._numbers):
                yield name, self._numbers[self._next]
                self._next += 1


def _scanned(tokens: Sequence[str]) -> list[str]:
    """The names behind `&`; in PHP, which has none, those behind the format."""
    behind = [i + 1 for i, token in enumerate(tokens[:-1]) if token == "&"]
    if not behind and '"' in tokens:
        behind = [i + 1 for i, token in enumerate(tokens[:-1]) if token == "," and i > tokens.index('"')]
    return [tokens[i] for i in behind if is_word(tokens[i]) and "".join(tokens[i + 1 : i + 2]) != "["]


def _names(left: Sequence[str]) -> list[str]:
    """What is assigned to: the last word of each part between commas, the first where its type stands behind it."""
    parts: list[list[str]] = [[]]
    for token in left:
        if token == ",":
            parts.append([])
        elif token == ":":  # a type stands behind it: skip what follows
            parts[-1].append("")
        elif token not in "()[]":
            parts[-1].append(token)
    found = [part[: part.index("")] if "" in part else part for part in parts]
    return [part[-1] for part in found if part and is_word(part[-1])]


def _index(right: Sequence[str], name: str) -> int | None:
    """The number in brackets behind a name."""
    i = right.index(name) + 1
    found = right[i + 1] if i + 2 < len(right) and right[i] == "[" and right[i + 2] == "]" else ""
    return int(found) if found.isdecimal() else None


def _many(right: Sequence[str]) -> bool:
    """Whether all of a line is converted."""
    return not {"map", "split", "collect"}.isdisjoint(right)


def is_word(token: str) -> bool:
    """Whether a token may be a name."""
    return token[:1].isalpha() or token[:1] == "_"
