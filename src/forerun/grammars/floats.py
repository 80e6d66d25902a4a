"""Numbers as a language: a sign or a special, then the decade, then pairs of decimal digits.

Magnitude comes first, so every prefix of a spelling is an interval of numbers, and a longer prefix an interval inside
it. With four significant digits:

    0            0
    1            + e0 10 00
    -0.5         - e-1 50 00
    1536         + e3 15 36
    1.005        + e0 10 05
    6.02e23      + e23 60 20
    5e-324       + e-324 49 41
    max double   + e308 17 97
    inf          +inf
    nan          nan

Every double can be written: as the nearest decimal to its exact value (ties to even), or where that is no spelling, as
the nearest that is. What is written is read as the nearest double (ties to even): the conversions of IEEE 754-2019,
section 5.12. A spelling exists if and only if the double that it reads to has it as its nearest decimal. That leaves
out some decimals at the ends of the range: 1.000e-324 is nearest to zero, 1.798e308 is past the largest double, and
among subnormals decimals are closer together than doubles. With 16 digits they are so in parts of every decade, and the
same rule holds there.

The first piece of a number tells how many follow, so several numbers stand behind one another without a separator.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from forerun.core import END, Grammar

SIGNS = ("+", "-")
SPECIALS = {"0": 0.0, "nan": math.nan, "+inf": math.inf, "-inf": -math.inf}
"""Numbers of one piece."""
DECADES = tuple(f"e{decade}" for decade in range(-324, 309))
PAIRS = tuple(f"{tens}{ones}" for tens, ones in product("0123456789", repeat=2))
LEADS = PAIRS[10:]
"""The pairs that a number may begin with: no leading zero."""
PIECES = (*SPECIALS, *SIGNS, *DECADES, *PAIRS)
"""The whole vocabulary, END aside: 6 first pieces, 633 decades, 100 pairs."""

_FIRST, _LAST = (*SPECIALS, *SIGNS), (END,)
_DECADE_OF = {piece: decade for decade, piece in enumerate(DECADES, -324)}
_PLACES = tuple(map(frozenset, (SIGNS, DECADES, LEADS, *[PAIRS] * 7)))
_SMALLEST, _LARGEST = math.ulp(0.0), sys.float_info.max

_Spelling = tuple[int, str]
"""Decade and digits of a positive number. They compare as the numbers do."""


@dataclass(frozen=True)
class Floats(Grammar[tuple[float, ...]]):
    """Answers of `metrics` doubles with `digits` significant decimal digits each: an even number, 2 to 16.

    Raises ValueError for other counts.
    """

    metrics: int = 1
    digits: int = 4

    def __post_init__(self) -> None:
        if not _is_int(self.metrics) or self.metrics < 1:
            raise ValueError(f"an answer has at least one number: metrics={self.metrics!r}")
        if not _is_int(self.digits) or self.digits not in range(2, 17, 2):
            raise ValueError(f"digits come in pairs, 2 to 16 digits in all: digits={self.digits!r}")

    @property
    def longest(self) -> int:
        """Pieces in the longest answer, without END."""
        return self.metrics * self._length

    @property
    def _length(self) -> int:
        return 2 + self.digits // 2

    def write(self, answer: Sequence[float]) -> list[str]:
        """The spelling of the nearest numbers that have one, those of `round`.

        It rounds and does not refuse, because answers are measurements: hardly any of them has few digits, and the
        nearest spelling is what a model has to learn. Raises ValueError for a wrong count of numbers, and where one is
        an integer that is larger than any double.
        """
        if len(answer) != self.metrics:
            raise ValueError(f"expected {self.metrics} numbers, not {len(answer)}: {answer}")
        try:
            doubles = [float(value) for value in answer]
        except OverflowError as error:
            raise ValueError(f"no double is so large: {error}") from error
        return [piece for value in doubles for piece in _write(value, self.digits)]

    def read(self, pieces: Sequence[str]) -> tuple[float, ...]:
        """Raises ValueError unless the pieces are the one spelling of an answer.

        NaN is always the object `math.nan`, so that answers which hold it compare equal.
        """
        values = tuple(_read(part, self.digits) for part in self.split(pieces))
        if len(values) != self.metrics:
            raise ValueError(f"expected {self.metrics} numbers, not {len(values)}: {' '.join(pieces)!r}")
        return values

    def allowed(self, prefix: Sequence[str]) -> tuple[str, ...]:
        """Shared constant tuples; only at the ends of the range, and for the last of 16 digits, are they computed.

        Raises ValueError for a prefix that has a piece in the wrong place. Numbers that are complete are not looked at.
        """
        start, count, end = 0, 0, len(prefix)
        while start < end and count < self.metrics:
            step = 1 if prefix[start] in SPECIALS else self._length
            if start + step > end:
                return _following(self.digits, prefix[start:])
            start, count = start + step, count + 1
        if start < end:
            raise ValueError(f"an answer has {self.metrics} numbers, nothing may follow: {prefix[start]!r}")
        return _LAST if count == self.metrics else _FIRST

    def text(self, answer: Sequence[float]) -> str:
        """As in `1.536e3 -5e-1 0 inf nan`, without zeros at the end."""
        return " ".join(_text(part) for part in self.split(self.write(answer)))

    def parse(self, text: str) -> tuple[float, ...]:
        """The inverse of `text`, and of nothing else; `adapt` is for other spellings. Raises ValueError."""
        answer = self.adapt(text)
        if self.text(answer) != text:
            raise ValueError(f"{text!r} is written {self.text(answer)!r} with {self.digits} digits")
        return answer

    def adapt(self, text: str) -> tuple[float, ...]:
        """The nearest answer to numbers as Python reads them, however many digits they have. Raises ValueError."""
        return self.round([float(word) for word in text.split()])

    def round(self, values: Sequence[float]) -> tuple[float, ...]:
        """What is read where the values are written: the numbers with the nearest spellings.

        A finite number stays finite (with four digits the largest doubles become 1.797e308), one that is not zero does
        not become zero, and negative zero becomes zero. Raises ValueError as `write` does.
        """
        return self.read(self.write(values))

    def split(self, pieces: Sequence[str]) -> list[tuple[str, ...]]:
        """The pieces of each number, those of the last one perhaps unfinished."""
        parts, start = [], 0
        while start < len(pieces):
            end = start + (1 if pieces[start] in SPECIALS else self._length)
            parts.append(tuple(pieces[start:end]))
            start = end
        return parts

    def interval(self, pieces: Sequence[str]) -> tuple[float, float]:
        """The smallest and the largest double whose spelling begins with the pieces, which are those of one number.

        The intervals of all that may follow a prefix divide its own: none overlap, and no double is between them. No
        pieces stand for everything but NaN. Raises ValueError where nothing begins so.
        """
        if not pieces:
            return -math.inf, math.inf
        if len(pieces) == 1 and pieces[0] in SPECIALS:
            return SPECIALS[pieces[0]], SPECIALS[pieces[0]]
        low, high = _bounds(self.digits, tuple(pieces))
        return (low, high) if pieces[0] == "+" else (-high, -low)


def position(value: float) -> float:
    """A place on the line of all doubles, in decades: for losses that must know which numbers are near each other.

    It never goes down as the number goes up, and is symmetric in the sign: 0 for zero, 325 + log10(value) for positive
    numbers (1.69 for the smallest double, 633.25 for the largest), 634 for infinity. NaN has none, and gives NaN.
    Distinct numbers of up to 12 digits have distinct places.
    """
    size = abs(value)
    if size == 0 or math.isnan(size):
        return size
    # log10 may go down between neighbours by its rounding error; each step here, rounding included, never does.
    fraction, exponent = math.frexp(size)
    log = 309.0 if size == math.inf else (exponent + math.log2(fraction)) * math.log10(2)
    return math.copysign(325 + log, value)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _write(value: float, digits: int) -> list[str]:
    size = abs(value)
    if not 0 < size < math.inf:
        return ["0" if size == 0 else "nan" if math.isnan(size) else "+inf" if value > 0 else "-inf"]
    decade, written = _spell(size, digits)
    return ["+" if value > 0 else "-", f"e{decade}", *[written[i : i + 2] for i in range(0, digits, 2)]]


def _read(pieces: Sequence[str], digits: int) -> float:
    if len(pieces) == 1 and pieces[0] in SPECIALS:
        return SPECIALS[pieces[0]]
    _check(pieces)
    if len(pieces) != 2 + digits // 2:
        raise ValueError(f"a number has {digits} digits: {' '.join(pieces)!r}")
    spelling = _spelling(pieces)
    if not _exists(spelling, digits):
        raise ValueError(f"{' '.join(pieces)!r} is no spelling: its double is out of range, or is written otherwise")
    return _double(spelling) if pieces[0] == "+" else -_double(spelling)


def _text(pieces: Sequence[str]) -> str:
    first, *rest = pieces
    if not rest:
        return first.removeprefix("+")
    digits = "".join(rest[1:]).rstrip("0")
    return f"{first.removeprefix('+')}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}{rest[0]}"


def _check(pieces: Sequence[str]) -> None:
    for piece, known in zip(pieces, _PLACES, strict=False):
        if piece not in known:
            raise ValueError(f"{piece!r} cannot stand here: {' '.join(pieces)!r} does not begin a number")


def _following(digits: int, pieces: Sequence[str]) -> tuple[str, ...]:
    _check(pieces)
    if len(pieces) == 1:
        return DECADES
    decade, written = _spelling(pieces)
    if _dense(decade, len(written) // 2):
        return PAIRS if written else LEADS
    return _sparse(digits, decade, written)


def _spelling(pieces: Sequence[str]) -> _Spelling:
    return _DECADE_OF[pieces[1]], "".join(pieces[2:])


def _dense(decade: int, pair: int) -> bool:
    """Whether doubles lie at least ten times closer than the steps of a pair (0 is the first), all over the decade.

    Then every such pair can be written. A step of the pair is 10**(decade - 1 - 2 * pair). Subnormals lie 4.94e-324
    apart; normal doubles at most 2.3e-15 times their decade, so the seventh pair is the last that is dense. The highest
    decade ends before its decimals do.
    """
    return pair < 7 and 2 * pair - 321 <= decade < 308


@lru_cache(maxsize=1 << 16)
def _sparse(digits: int, decade: int, written: str) -> tuple[str, ...]:
    """The pairs with which a spelling can go on, where not all can."""
    pairs = PAIRS if written else LEADS
    if len(written) == digits - 2 and _finer(decade, written, digits):
        return pairs
    return tuple(pair for pair in pairs if _begins((decade, written + pair), digits))


def _finer(decade: int, written: str, digits: int) -> bool:
    """Whether doubles lie closer than decimals wherever a number goes on so, powers of ten left out."""
    largest = _double((decade, written.ljust(digits, "9")))
    return written.rstrip("0") not in ("", "1") and math.ulp(largest) < 10.0 ** (decade - digits + 1)


def _begins(prefix: _Spelling, digits: int) -> bool:
    """Whether a number is written so, or so and further."""
    decade, written = prefix
    low, high = (decade, written.ljust(digits, "0")), (decade, written.ljust(digits, "9"))
    if low == high:
        return _exists(low, digits)
    first = _edge(low, digits)
    return first < math.inf and _spell(first, digits) <= high


def _exists(spelling: _Spelling, digits: int) -> bool:
    if _dense(spelling[0], digits // 2 - 1):
        return True
    value = _double(spelling)
    return 0 < value < math.inf and _decimal(value, digits) == spelling


def _double(spelling: _Spelling) -> float:
    decade, written = spelling
    return float(f"{written}e{decade - len(written) + 1}")


def _decimal(value: float, digits: int) -> _Spelling:
    """The nearest decimal to a positive number. Python's formatting rounds the exact value, ties to even."""
    text = format(value, f".{digits - 1}e")
    return int(text[digits + 2 :]), text[0] + text[2 : digits + 1]


def _spell(value: float, digits: int) -> _Spelling:
    """How a positive number is written."""
    nearest = _decimal(value, digits)
    return nearest if _exists(nearest, digits) else _neighbour(value, nearest, digits)


def _neighbour(value: float, nearest: _Spelling, digits: int) -> _Spelling:
    """The nearest spelling to a number whose nearest decimal is none: past the range, or a power of ten.

    Decimals are ten times closer below a power of ten than above it. Where doubles are sparse, the double nearest to
    the power can lie below it and have a decimal of its own there; then nothing is written as that power, and numbers
    just above it go to what is next on either side. Between two as near, the smaller.
    """
    if _double(nearest) == math.inf:
        return 308, str(int(_LARGEST))[:digits]
    sides = (_decimal(_double(nearest), digits), _next(nearest), _decimal(math.nextafter(value, math.inf), digits))
    exist = [side for side in sides if _exists(side, digits)]
    return min(exist, key=lambda side: (abs(_exact(side) - Fraction(value)), side))


def _exact(spelling: _Spelling) -> Fraction:
    decade, written = spelling
    return int(written) * Fraction(10) ** (decade - len(written) + 1)


def _next(spelling: _Spelling) -> _Spelling:
    decade, written = spelling
    if written == "9" * len(written):
        return decade + 1, "1".ljust(len(written), "0")
    return decade, str(int(written) + 1)


def _edge(spelling: _Spelling, digits: int) -> float:
    """The smallest double that is written so or higher, infinity where none is."""
    decade, written = spelling
    if _double(spelling) == math.inf:
        return math.inf
    # Half a step below, and below a power of ten steps are ten times smaller. The edge is a few doubles from there.
    half = 5 if int(written) == 10 ** (digits - 1) else 50
    value = float(f"{int(written) * 100 - half}e{decade - digits - 1}")
    value = min(max(value, _SMALLEST), _LARGEST)
    while value > _SMALLEST and _spell(math.nextafter(value, 0), digits) >= spelling:
        value = math.nextafter(value, 0)
    while value < math.inf and _spell(value, digits) < spelling:
        value = math.nextafter(value, math.inf)
    return value


@lru_cache(maxsize=1 << 16)
def _bounds(digits: int, pieces: tuple[str, ...]) -> tuple[float, float]:
    """The ends of an interval, the sign left out."""
    _check(pieces)
    if len(pieces) > 2 + digits // 2:
        raise ValueError(f"a number has {digits} digits: {' '.join(pieces)!r}")
    if len(pieces) == 1:
        return _SMALLEST, _LARGEST
    decade, written = _spelling(pieces)
    low = _edge((decade, (written or "1").ljust(digits, "0")), digits)
    high = math.nextafter(_edge(_next((decade, written.ljust(digits, "9"))), digits), 0)
    if low > high:
        raise ValueError(f"no number begins with {' '.join(pieces)!r}")
    return low, high
