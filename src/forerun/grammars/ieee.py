"""The IEEE-style code for numbers of regress-lm: for comparison with `floats`, not for new models.

A sign, the exponent's sign and digits, and the digits of the mantissa, all in one base. In base ten, with one digit for
the exponent and four for the mantissa:

    123.4       <+> <+> <2> <1> <2> <3> <4>
    -0.1234     <-> <-> <1> <1> <2> <3> <4>
    1.005       <+> <+> <0> <1> <0> <0> <4>    read as 1.004
    1.234e10    <+> <+> <9> <9> <9> <9> <9>    read as 9999000000.0
    1.234e-10   <+> <-> <0> <0> <0> <0> <0>    read as 0

Its weaknesses are kept, since they are what is compared: digits are cut off, not rounded, and after a product that is
itself rounded, so that even 1.001 is written as 1.000; mantissas may begin with zeros, and an exponent of zero may have
either sign, so numbers have several spellings; what is out of range is clipped in silence, infinity too. Its exponent
comes before the digits, as in `floats`.

The code is that of google-deepmind/regress-lm, for bases up to ten. Above ten, that one writes letters and allows
numbers, which do not go together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from forerun.grammars.p10 import SIGNS, Places


@dataclass(frozen=True)
class IEEE(Places):
    """`exponent_digits` and `digits` (of the mantissa) in a base from 2 to 10.

    Raises ValueError where the largest number, or the scale of the smallest, would be past the range of doubles.
    """

    broken: ClassVar[tuple[str, ...]] = ("one answer has one spelling", "read(write(a)) == a")
    metrics: int = 1
    base: int = 10
    exponent_digits: int = 1
    digits: int = 4

    def __post_init__(self) -> None:
        small = min(self.metrics, self.exponent_digits, self.digits) < 1 or self.exponent_digits > 10
        if small or self.base not in range(2, 11) or (self._highest + self.digits) * math.log10(self.base) > 308:
            raise ValueError(f"no such code, or past the range of doubles: {self}")

    @property
    def _highest(self) -> int:
        return int(self.base**self.exponent_digits) - 1

    @property
    def _largest(self) -> float:
        mantissa = (self.base**self.digits - 1) / self.base ** (self.digits - 1)
        return float(self.base**self._highest * mantissa)

    @cached_property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """Sign, the exponent's sign, and digits."""
        digits = tuple(f"<{digit}>" for digit in range(self.base))
        return (SIGNS, SIGNS, *[digits] * (self.exponent_digits + self.digits))

    def spell(self, value: float) -> list[str]:
        """Clipped at the largest, zero below the smallest, cut off between."""
        size = min(abs(value), self._largest)
        exponent = self._exponent(size)
        if exponent < -self._highest:
            return [SIGNS[value < 0], "<->", *["<0>"] * (self.exponent_digits + self.digits)]
        scaled = int(size * self.base ** (self.digits - 1 - exponent))
        # A product that was rounded may have a digit too many or too few.
        mantissa = _digits(scaled, self.base)[: self.digits].ljust(self.digits, "0")
        power = _digits(abs(exponent), self.base).rjust(self.exponent_digits, "0")
        return [SIGNS[value < 0], SIGNS[exponent < 0], *[f"<{digit}>" for digit in power + mantissa]]

    def _exponent(self, size: float) -> int:
        """By logarithms, whose quotient is below a whole number for many powers of the base: those are put right."""
        if size == 0:
            return 0
        exponent = math.floor(math.log(size) / math.log(self.base))
        return exponent + 1 if self.base ** (exponent + 1) <= size else exponent

    def value(self, pieces: Sequence[str]) -> float:
        """Whole numbers in the base; the mantissa is divided, then multiplied."""
        sign, power_sign, *digits = (piece[1:-1] for piece in pieces)
        power = int(f"{power_sign}{''.join(digits[: self.exponent_digits])}", self.base)
        mantissa = int("".join(digits[self.exponent_digits :]), self.base) / self.base ** (self.digits - 1)
        return float(int(f"{sign}1") * self.base**power * mantissa)


def _digits(number: int, base: int) -> str:
    """A whole number in a base up to ten."""
    digits = ""
    while number or not digits:
        number, digit = divmod(number, base)
        digits = f"{digit}{digits}"
    return digits
