"""How numbers are spread that a program draws, as far as that says how many of them a comparison holds for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NAMES: Mapping[str, tuple[str, str]] = {
    "normal": ("loc", "scale"), "lognormal": ("mean", "sigma"), "uniform": ("low", "high"), "laplace": ("loc", "scale"),
    "exponential": ("scale", ""), "integers": ("low", "high"), "randint": ("low", "high"),
}  # fmt: skip
"""What their parameters are called."""
_PLAIN: Mapping[str, tuple[str, float, float]] = {
    "random": ("uniform", 0.0, 1.0), "rand": ("uniform", 0.0, 1.0), "random_sample": ("uniform", 0.0, 1.0),
    "standard_normal": ("normal", 0.0, 1.0), "randn": ("normal", 0.0, 1.0),
    "standard_exponential": ("exponential", 1.0, 0.0),
}  # fmt: skip
_USUAL: Mapping[str, tuple[float, float]] = {"exponential": (1.0, 0.0), "uniform": (0.0, 1.0)}
_BELOW: Mapping[str, Callable[[float, float, float], float]] = {
    "uniform": lambda x, a, b: (x - a) / (b - a),
    "normal": lambda x, a, b: 0.5 * math.erfc((a - x) / (b * math.sqrt(2.0))),
    "lognormal": lambda x, a, b: 0.5 * math.erfc((a - math.log(x)) / (b * math.sqrt(2.0))) if x > 0 else 0.0,
    "laplace": lambda x, a, b: 0.5 * math.exp((x - a) / b) if x < a else 1.0 - 0.5 * math.exp((a - x) / b),
    "exponential": lambda x, a, b: -math.expm1(-x / a),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Law:
    """A distribution with its two parameters."""

    name: str
    first: float
    second: float

    def below(self, x: float) -> float:
        """The share of what is drawn that is less than `x`."""
        try:
            return min(max(_BELOW[self.name](x, self.first, self.second), 0.0), 1.0)
        except (ArithmeticError, ValueError):
            return 0.5


def law(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Law | None:
    """What a function of NumPy's generators of this name draws from; None where that is not known."""
    if name in _PLAIN:
        return Law(*_PLAIN[name])
    if name not in _NAMES:
        return None
    first, second = _USUAL.get(name, (0.0, 1.0))
    given = [arguments[place] if len(arguments) > place else options.get(key) for place, key in enumerate(_NAMES[name])]
    if not all(one is None or isinstance(one, float) for one in given):
        return None
    first, second = (
        one if isinstance(one, float) else usual for one, usual in zip(given, (first, second), strict=True)
    )
    if name in ("integers", "randint"):
        low, high = (first, second) if isinstance(given[1], float) else (0.0, first)
        return Law("uniform", low, high)
    return Law(name, first, second)
