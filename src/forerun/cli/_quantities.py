"""Amounts with their units, as people write and read them: 12.3 MB, 4.5 ms; and lists of names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from forerun.errors import UsageError

VAST = 1e15
"""From here on numbers are written with an exponent: nobody counts 300 digits."""
_BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_SHOWN: Mapping[str, Mapping[str, float]] = {"B": _BYTES, "s": _SECONDS}
_READ = (
    _BYTES | {"KB": 1e3} | {f"{letter}iB": 1024.0**i for i, letter in enumerate("KMGT", 1)},
    _SECONDS | {"us": 1e-6, "min": 60.0, "h": 3600.0},
)


def sized(text: str) -> tuple[str, int]:
    """A name and a size of an ONNX model, of NAME=N. Raises UsageError."""
    from forerun.toolchains.onnx.model import MOST_SIZE

    name, _, size = text.rpartition("=")
    if name and size.isdecimal() and int(size) > MOST_SIZE:
        raise UsageError(f"--size {text}", "it is too large", f"name one from 1 to {MOST_SIZE}")
    if not name or not size.isdecimal() or not int(size):
        raise UsageError(f"--size {text}", "it is no name with a positive number", "for example: --size batch=1")
    return name, int(size)


def quantity(value: float, unit: str) -> str:
    """Three digits and the unit that suits them; of other units than bytes and seconds the one that there is."""
    scale = _SHOWN.get(unit)
    if scale is None or not math.isfinite(value):
        return f"{_three(value)} {'' if unit == '1' else unit}".strip()
    # By what is shown: 999.6 kB are 1 MB.
    fitting = [name for name, size in scale.items() if abs(float(f"{value / size:.3g}")) >= 1]
    name = fitting[-1] if fitting else next(iter(scale))
    return f"{_three(value / scale[name])} {name}"


def _three(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < VAST or rounded == 0 else f"{rounded:g}"


def amount(text: str, unit: str) -> float:
    """The inverse, in `unit`: 512MB, 3 ms, 1e6. Raises UsageError for what is no amount of that unit."""
    found = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([a-zA-Zµ]*)\s*", text)
    try:
        number, name = float(found[1] if found else ""), found[2] if found else ""
    except ValueError:
        raise _wrong(text, unit) from None
    if not math.isfinite(number):
        raise _wrong(text, unit)
    if name.lower() in ("", unit.lower()):
        return number
    for units in _READ:
        known = {each.lower(): size for each, size in units.items()}
        if name.lower() in known and unit.lower() in known:
            return number * known[name.lower()] / known[unit.lower()]
    raise _wrong(text, unit)


def is_amount(text: str, unit: str) -> bool:
    """Whether `amount` reads it."""
    try:
        amount(text, unit)
    except UsageError:
        return False
    return True


MOST_SEED = (1 << 32) - 1
"""Trees of scikit-learn take no larger seed."""


def names(text: str) -> list[str]:
    """What stands between commas, for options that may also be given several times: `type=names, action="extend"`."""
    return [name for part in text.split(",") if (name := part.strip())]


def _wrong(text: str, unit: str) -> UsageError:
    why = f"the metric is measured in {unit}" if unit not in ("", "1") else "the metric is a number without a unit"
    if text.lstrip().startswith("-"):
        why = "an amount is not below zero"
    examples = {"B": "512MB, 1.5GiB or 4096", "s": "3ms, 1.5s or 0.25"}
    return UsageError(f"not an amount: {text!r}", why, f"for example: {examples.get(unit, '1000')}")
