"""P10, the code for numbers of regress-lm: for comparison with `floats`, not for new models.

A sign, decimal digits as a whole number, and last the power of ten that multiplies it. With four digits:

    123.4     <+> <1> <2> <3> <4> <E-1>
    -12345    <-> <1> <2> <3> <4> <E1>
    1.005     <+> <1> <0> <0> <5> <E-3>    read as 1.0050000000000001
    0         <+> <0> <0> <0> <0> <E0>
    1e30      <+> <9> <9> <9> <9> <E10>    read as 99990000000000.0

Its weaknesses are kept, since they are what is compared: leading zeros are legal, so numbers have several spellings,
and small ones are readable but not written; what is out of range is clipped in silence, infinity too; small negative
numbers become a zero with a minus; reading multiplies, and is an ulp off for many numbers; the magnitude comes last, so
a prefix is no interval. Digits are rounded as they should be.

The code is that of Charton, Linear algebra with transformers (arXiv:2112.01898), as google-deepmind/regress-lm has it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from forerun.core import END, Grammar

SIGNS = ("<+>", "<->")


class Places(Grammar[tuple[float, ...]]):
    """A code in which each number has as many pieces, and the place alone says what may stand there."""

    broken: ClassVar[tuple[str, ...]]
    """The laws of a grammar that the code does not keep."""
    metrics: int

    @cached_property
    @abstractmethod
    def places(self) -> tuple[tuple[str, ...], ...]:
        """The pieces that may stand at each place of one number."""

    @abstractmethod
    def spell(self, value: float) -> list[str]:
        """One number, as near as the code brings it. Raises ValueError for NaN."""

    @abstractmethod
    def value(self, pieces: Sequence[str]) -> float:
        """The number that the pieces spell, each of which is legal in its place."""

    def write(self, answer: Sequence[float]) -> list[str]:
        """Raises ValueError for NaN, which has no spelling, and for a wrong count of numbers."""
        if len(answer) != self.metrics or any(math.isnan(value) for value in answer):
            raise ValueError(f"expected {self.metrics} numbers, none of them NaN: {answer}")
        return [piece for value in answer for piece in self.spell(float(value))]

    def read(self, pieces: Sequence[str]) -> tuple[float, ...]:
        """Raises ValueError for a piece in the wrong place, and for too few or too many."""
        places = self.places * self.metrics
        if len(pieces) != len(places) or any(p not in known for p, known in zip(pieces, places, strict=True)):
            raise ValueError(f"not the spelling of {self.metrics} numbers: {' '.join(pieces)!r}")
        size = len(self.places)
        return tuple(self.value(pieces[i : i + size]) for i in range(0, len(pieces), size))

    def allowed(self, prefix: Sequence[str]) -> tuple[str, ...]:
        """What the place asks for; the prefix itself is not looked at. Raises ValueError after the end."""
        if len(prefix) > self.metrics * len(self.places):
            raise ValueError(f"an answer has {self.metrics} numbers: {' '.join(prefix)!r}")
        return (END,) if len(prefix) == self.metrics * len(self.places) else self.places[len(prefix) % len(self.places)]

    def round(self, values: Sequence[float]) -> tuple[float, ...]:
        """What is read after the values are written."""
        return self.read(self.write(values))


@dataclass(frozen=True)
class P10(Places):
    """`digits` decimal digits (1 to 17), times ten to a power between `-exponent` and `exponent`.

    Raises ValueError where the largest number would be past the range of doubles.
    """

    broken: ClassVar[tuple[str, ...]] = ("one answer has one spelling", "read(write(a)) == a for all that can be read")
    metrics: int = 1
    digits: int = 4
    exponent: int = 10

    def __post_init__(self) -> None:
        if self.metrics < 1 or self.digits not in range(1, 18) or not 0 <= self.exponent <= 308 - self.digits:
            raise ValueError(f"no such code, or past the range of doubles: {self}")

    @cached_property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """Sign, digits, power."""
        powers = tuple(f"<E{power}>" for power in range(-self.exponent, self.exponent + 1))
        return (SIGNS, *[tuple(f"<{digit}>" for digit in range(10))] * self.digits, powers)

    def spell(self, value: float) -> list[str]:
        """Clipped at the largest; below the smallest, which has no leading zero, it becomes that or zero."""
        size = min(abs(value), float("9" * self.digits) * 10.0**self.exponent)
        smallest = 10.0 ** (self.digits - 1) * 10.0**-self.exponent
        if size < smallest:
            size = smallest * round(size / smallest)
        mantissa, _, power = format(size, f".{self.digits - 1}e").partition("e")
        places = int(power) - self.digits + 1 if size else 0
        return [SIGNS[value < 0], *[f"<{digit}>" for digit in mantissa.replace(".", "")], f"<E{places}>"]

    def value(self, pieces: Sequence[str]) -> float:
        """A product of two rounded numbers where the power is negative."""
        sign, *digits, power = (piece[1:-1] for piece in pieces)
        return float(int(f"{sign}{''.join(digits)}") * 10 ** int(power[1:]))
