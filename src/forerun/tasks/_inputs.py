"""What a program reads, in few words: which of its lines are alike, how many there are, what they hold.

    [[1, "5 20000", …], [20000, "17 add 3", …]]

Stands in a prompt instead of an input that may have a million lines. Numbers of different words are estimated where
there are many: of what is drawn evenly from D, n draws show D(1 - exp(-n/D)).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from typing import Any, Self

SHOWN, _WIDE = 80, 160
"""Characters of a line that are shown, of one that is alone."""
_MOST, _LEADING, _PERIOD, _ALONE = 10, 4, 4, 12
"""Stretches, those that are kept where there are more, lines that come again and again, and lines of an input each of
which is told."""
_ALIKE = 0.95
"""Which share of lines is to be as the pattern has it."""
_COLUMNS, _FIRST, _SAMPLE, BYTES = 8, 2, 20_000, 1 << 24
"""Columns that are looked at one by one, the first ones where there are more, lines or words that are, and bytes."""
_SOME, _DEEP, _KEYS, _RARE = 500, 6, 24, 10
"""Values of JSON that are looked at, how deep, keys of an object, and times that a word comes which is rare."""
_FEW, _SHORT = 12, 16
"""Words of which it is told how often they come, and their letters."""
_MARKS = (",", "\t", ";", "|")
"""What parts words, where it is no space."""
_BEGUN, _MAIN = 1 << 22, 0.25
"""Characters of JSON that goes on which are looked at, and which share the last lines have at least that go on."""
_NEXT = re.compile(r"\s*")


class Beginning(bytes):
    """What something begins with that has so many bytes, and whether the rest looks like it."""

    size: int
    alike: bool

    def __new__(cls, data: bytes, size: int, alike: bool = True) -> Self:
        made = super().__new__(cls, data)
        made.size, made.alike = size, alike
        return made


def long(data: bytes) -> int:
    """Bytes of an input, of which there may be the beginning only."""
    return data.size if isinstance(data, Beginning) else len(data)


@dataclass(frozen=True, slots=True)
class Column:
    """The words of one place, or all words: how many there are that differ, how long they are, and if they are numbers
    the least, the most, and their mean; else NaN, as JSON has it."""

    distinct: float
    length: float
    low: float = math.nan
    high: float = math.nan
    mean: float = math.nan
    whole: bool = True
    shares: Mapping[str, float] | None = None
    """How often it is which, where few differ."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines behind each other that are alike: how many, the first one, words and characters of one in the mean, what
    parts its words (nothing: spaces), how many lines differ, what all words are, and those of each place."""

    lines: float
    first: str
    words: float
    length: float
    mark: str
    distinct: float
    all: Column
    columns: tuple[Column, ...] = ()
    every: int = 1
    """Of so many lines that come again and again one is such a line."""
    says: Any = None
    """What lines say that are JSON: see `_shape`."""
    begins: Mapping[str, float] | None = None
    """How often lines begin with which letter, where few differ."""


@dataclass(frozen=True, slots=True)
class Input:
    """Its stretches; what all of it says, if that is JSON over several lines; and how often there is a blank line."""

    stretches: tuple[Stretch, ...] = ()
    says: Any = None
    blanks: float = 0.0
    files: Mapping[str, Input] = field(default_factory=dict)
    """Those that it may open, by their names."""


def described(stdin: bytes, size: int = 0) -> str:
    """An input as `understood` reads it. Of one that has more than this its `size` is given; what is known of the
    beginning is taken to hold of the rest."""
    return _described(stdin, max(size, long(stdin)))


@lru_cache(maxsize=2)
def _described(stdin: bytes, size: int) -> str:
    """Kept, as each metric of each program asks for it."""
    data = stdin[:BYTES]
    if goes_on := size > len(data):
        data = data[: data.rfind(b"\n") + 1] or data  # the last line may be cut
    text, scale = data.decode("utf-8", "replace"), size / max(len(data), 1) if goes_on else 1.0
    found = _stretches(text, scale)
    whole = _begun(text[:_BEGUN], size) if goes_on else _said([text]) if len(found) > 1 else None
    return json.dumps(
        [_short([astuple(one) for one in found]), _short(whole), _short(text.count("\n\n") * scale)],
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip


def understood(text: str) -> Input:
    """What `described` wrote. Raises ValueError."""
    try:
        runs, whole, blanks = json.loads(text)
        found = [
            Stretch(lines, first, words, length, mark, distinct, Column(*inside), tuple(Column(*one) for one in places),
                    every, says, begins)
            for lines, first, words, length, mark, distinct, inside, places, every, says, begins in runs
        ]  # fmt: skip
    except (TypeError, IndexError) as error:
        raise ValueError(f"{text[:40]!r} describes no input") from error
    return Input(tuple(found), whole, float(blanks))


def _short(value: Any) -> Any:
    """Numbers with four digits, whole ones as such."""
    if isinstance(value, (list, tuple)):
        return [_short(one) for one in value]
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return int(value) if value == int(value) and abs(value) < 1e15 else float(f"{value:.4g}")


def _said(texts: Sequence[str], scale: float = 1.0) -> Any:
    """What these say, and as many times more, if all are objects or lists of JSON."""
    if not texts or not all(text.lstrip()[:1] in ("{", "[") for text in texts):
        return None
    try:
        return _shape([json.loads(text) for text in texts], scale)
    except (ValueError, RecursionError):
        return None


def _begun(text: str, size: float) -> Any:
    """What a text says that begins with this, and is so long, if that is an object or a list of JSON."""
    read, at, more = json.JSONDecoder(), len(text) - len(text.lstrip()), max(size / max(len(text), 1), 1.0)
    kind = text[at : at + 1]
    if kind not in ("{", "["):
        return None
    keys, values, rest = list[str](), list[Any](), None
    try:
        while True:
            at = _NEXT.match(text, at + 1).end()  # type: ignore[union-attr]
            if kind == "{":
                key, at = read.raw_decode(text, at)
                at = _NEXT.match(text, at).end()  # type: ignore[union-attr]
                keys.append(str(key))
                if text[at : at + 1] != ":":
                    break
                at = _NEXT.match(text, at + 1).end()  # type: ignore[union-attr]
            rest = at
            value, at = read.raw_decode(text, at)
            values.append(value)
            at = _NEXT.match(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] != ",":
                break
    except (ValueError, RecursionError):
        pass  # here it is cut
    if kind == "{" and len(keys) <= _KEYS:
        made = {key: _shape([value], 1.0, 1) for key, value in zip(keys, values, strict=False)}
        last = _begun(text[rest:], size) if len(values) < len(keys) and rest is not None else None
        return made | ({} if last is None else {keys[-1]: last}) or None
    if not values:
        return None
    inner = _shape(values, more, 1)
    if kind == "[":
        return ["list", len(values) * more, inner]
    return ["mapping", len(values) * more, astuple(_column(keys, len(keys) * more)), inner]


def _shape(values: Sequence[Any], scale: float, deep: int = 0) -> Any:
    """What stands for all these, and as many times more: an object as its keys with what they hold, a list, or a
    mapping with keys of all kinds, as how many it has and what these are, else a `Column`."""
    count = len(values) * scale
    some = values[:: max(len(values) // _SOME, 1)]
    objects, lists = [one for one in some if isinstance(one, dict)], [one for one in some if isinstance(one, list)]
    if deep < _DEEP and len(objects) > len(some) / 2:
        keys = {key for one in objects for key in one}
        if len(keys) > _KEYS:
            inner = [each for one in objects for each in one.values()]
            many = len(inner) / len(objects)
            own = _column([key for one in objects for key in one], many * count)
            return ["mapping", many, astuple(own), _shape(inner, many * count / max(len(inner), 1), deep + 1)]
        spread = {key: [one[key] for one in objects if key in one] for one in objects[:1] for key in [*one, *keys]}
        return {key: _shape(own, count / len(some), deep + 1) for key, own in spread.items()}
    if deep < _DEEP and len(lists) > len(some) / 2:
        inner = [each for one in lists for each in one]
        many = len(inner) / len(lists)
        return ["list", many, _shape(inner, many * count / max(len(inner), 1), deep + 1)]
    return astuple(_column([str(one) for one in some], count))


def _stretches(text: str, scale: float) -> list[Stretch]:
    """Those of an input, of which this is the beginning: it is so many times as long."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        return []
    mark = _mark(lines)
    signs = [min(_count(line, mark), _COLUMNS + 1) for line in lines]
    runs = list(_runs(signs))
    start, period = _periodic(signs) if len(runs) > _LEADING else (0, 0)
    if period:
        found = [_stretch(lines[i : i + 1]) for i in range(start)]
        return [*found, *(_stretch(lines[start + n :: period], period, scale) for n in range(period))]
    if len(lines) == 1 and scale > 1:  # which goes on
        one = _stretch(lines)
        words = lines[0].split(one.mark or None)
        inside = _column(words[:: max(len(words) // _SAMPLE, 1)], one.words * scale)
        return [replace(one, words=one.words * scale, length=one.length * scale, all=inside)]
    if len(lines) <= _ALONE and scale <= 1:
        runs = [(i, i + 1) for i in range(len(lines))]
    elif len(runs) > _MOST:
        runs = [*runs[:_LEADING], (runs[_LEADING][0], len(lines))]
    letters = [sum(map(len, lines[a:b])) + b - a for a, b in runs]
    if scale > 1 and letters[-1] < _MAIN * sum(letters):  # what goes on is most of it
        most = letters.index(max(letters))
        runs, letters = [*runs[:most], (runs[most][0], len(lines))], [*letters[:most], sum(letters[most:])]
    last, more = len(runs) - 1, 1.0 + (scale - 1.0) * sum(letters) / max(letters[-1], 1)
    return [_stretch(lines[a:b], 1, more if i == last else 1.0) for i, (a, b) in enumerate(runs)]


def _mark(lines: Sequence[str]) -> str:
    """What parts the words of most lines: nothing for spaces."""
    some = lines[: _SAMPLE // 10]
    for mark in _MARKS:
        counts = [line.count(mark) for line in some]
        usual = max({*counts}, key=counts.count)
        if usual and counts.count(usual) >= _ALIKE * len(some):
            return mark
    return ""


def _count(line: str, mark: str) -> int:
    return line.count(mark) + 1 if mark else len(line.split(None, _COLUMNS + 1))


def _runs(signs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first line, which mostly says how many others there are, and those that are alike."""
    start = 0
    for i in range(1, len(signs) + 1):
        if i in (1, len(signs)) or signs[i] != signs[start]:
            yield start, i
            start = i


def _periodic(signs: Sequence[int]) -> tuple[int, int]:
    """From which line on a few come again and again, and how many; 0 of none."""
    kinds = [0 if sign == 0 else 1 if sign == 1 else 2 for sign in signs]
    for period in range(2, _PERIOD + 1):
        for start in range(_LEADING):
            rest = kinds[start:]
            if len(rest) < 3 * period or len({*rest[:period]}) < 2:
                continue
            same = sum(one == rest[i % period] for i, one in enumerate(rest))
            if same >= _ALIKE * len(rest):
                return start, period
    return 0, 0


def _stretch(lines: Sequence[str], every: int = 1, scale: float = 1.0) -> Stretch:
    mark = _mark(lines)
    step = max(len(lines) // _SAMPLE, 1)
    some = lines[::step]
    rows = [line.split(mark or None) for line in some]
    flat = [word for row in rows for word in row]
    words = len(flat) / max(len(rows), 1)
    count = len(lines) * scale
    usual = max(len(row) for row in rows)
    places = 0 if len(lines) == 1 or usual == 1 else usual if usual <= _COLUMNS else _FIRST
    columns = [[row[place] for row in rows if place < len(row)] for place in range(places)]
    return Stretch(
        count,
        lines[0][: _WIDE if len(lines) == 1 else SHOWN],
        words,
        sum(map(len, some)) / max(len(some), 1),
        mark,
        _different(some, count),
        _column(flat[:: max(len(flat) // _SAMPLE, 1)], words * count),
        tuple(_column(column, count) for column in columns),
        every,
        _said(some[:_SOME], count / min(len(some), _SOME)),
        _shares([line[:1] for line in some]) if len(some) > 1 else None,
    )


def _column(words: Sequence[str], count: float) -> Column:
    distinct = _different(words, count)
    length = sum(map(len, words)) / max(len(words), 1)
    shares = _shares(words)
    numbers = _numbers(words) or (_numbers(words := words[1:]) if len(words) > 2 else [])  # behind a head
    if not numbers or not all(map(math.isfinite, numbers)):
        return Column(distinct, length, shares=shares)
    whole = all(word.lstrip("+-").isdecimal() for word in words)
    return Column(distinct, length, min(numbers), max(numbers), sum(numbers) / len(numbers), whole, shares)


def _shares(words: Sequence[str]) -> dict[str, float] | None:
    """How often each comes, where few differ and come several times."""
    found = Counter(words)
    few = len(found) <= _FEW and len(words) > 2 * len(found) and max(map(len, found)) <= _SHORT
    return {word: count / len(words) for word, count in found.most_common()} if few else None


def _numbers(words: Sequence[str]) -> list[float]:
    """All of them as numbers, if they are."""
    try:
        return [float(word) for word in words]
    except ValueError:
        return []


def _different(some: Sequence[str], count: float) -> float:
    """How many different ones there are among so many, of which these were looked at. Those that come often are all
    seen, the others are taken for equally frequent (Chao and Lee 1992)."""
    found = Counter(some)
    rare = [often for often in found.values() if often <= _RARE]
    looked_at = sum(rare)
    often = float(len(found) - len(rare))
    return often + (_rare(len(rare), looked_at, count * looked_at / len(some)) if rare else 0.0)


def _rare(seen: int, looked_at: int, count: float) -> float:
    if looked_at >= count or seen <= 1:
        return float(seen)
    if seen >= looked_at:
        return count
    low, high = float(seen), count * 1e3
    for _ in range(60):
        middle = math.sqrt(low * high)
        if middle * -math.expm1(-looked_at / middle) < seen:
            low = middle
        else:
            high = middle
    return min(max(low * -math.expm1(-count / low), float(seen)), count)
