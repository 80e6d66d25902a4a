"""Whether a kernel's result is the reference's: exactly for integers, within the error of reordered sums for floats."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from forerun.toolchains.tvm._expressions import Array
from forerun.toolchains.tvm._nodes import REDUCTION, children, dtype, kind, walk

LARGE = 1e4
"""Constants of this magnitude stand for what a mask hides: -10,000 where numbers are halves, -1e9, the least float."""
_HIDDEN = 1e-3
"""Of the constant: what is as large as this share of it was hidden by it, or added to it."""
_FEW = 64
"""Where fewer than one in so many elements are below that, a sum of large terms came near to zero by chance."""
_STEPS = 0.05
"""Root mean square of the difference, in that of the result, up to which outputs of a network that rounds agree."""
WHOLE = "whole"
"""Beside names of types: whole numbers."""
_STEP, _SELDOM = 0.1, 100
"""How far an element is off at most that a program rounded the other way, and of how many there is one at most: of a
product of 192 terms that becomes 8 bits a step is .012, and 2 of 10,000 elements lie so near to where one begins."""
_FEW_DIGITS, _ROUNDING = ("float16", "bfloat16"), ("round", "nearbyint")
_TOLERANCES = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}


def error(found: Array, expected: Array, large: float = math.inf) -> float:
    """The largest difference of two arrays' elements, infinite where they differ in shape, type, NaN or infinities.

    Of floats, a difference is counted in the mean magnitude of the expected elements plus that of the element itself:
    a sum that cancels carries the error of its terms, and those are as large as the terms of its neighbours. Of
    integers and truth values it is 0 or infinite.

    `large` is the smallest large constant of the program (`large`). Elements from a thousandth of it on are what a mask
    hides, and they and the others have a mean each: beside -1e9 any product would be nothing.
    """
    return float(_errors(found, expected, large).max(initial=0.0))


def _errors(found: Array, expected: Array, large: float) -> Array:
    """Of all elements that are finite, in no order; one that is infinite where the arrays cannot be compared."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return np.array([np.inf])
    if found.dtype.kind in "iub":
        return np.array([0.0 if np.array_equal(found, expected) else np.inf])
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return np.array([np.inf])
    a, b = a[finite] / 4, b[finite] / 4  # no sum of two overflows
    hidden = np.abs(b) >= large * _HIDDEN / 4
    if np.count_nonzero(~hidden) * _FEW < b.size or not hidden.any():
        return _differences(a, b)
    return np.concatenate([_differences(a[part], b[part]) for part in (hidden, ~hidden)])


def _differences(a: Array, b: Array) -> Array:
    """Of each element, in the mean of `b` plus the element of it."""
    most = np.abs(b).max(initial=0.0)
    size = np.abs(b) + (most * np.mean(np.abs(b) / most) if most else 0.0)
    off = np.abs(a - b)
    found: Array = np.divide(off, size, out=np.where(off > 0, np.inf, 0.0), where=size > 0)
    return found


def large(func: Any) -> list[float]:
    """The magnitudes of a function's constants from `LARGE` on, infinity among them: not of those that its reductions
    begin with, that it divides by or clips at."""
    values = (abs(float(value)) for value in map(_constant, _masking(func.body)) if value is not None)
    return [value for value in values if value >= LARGE]


def _constant(node: Any) -> float | int | None:
    """The number that a node is, as a float; None where it is none."""
    if kind(node) == "Cast" and kind(node.value) == "IntImm" and dtype(node).kind == "f":
        return int(node.value.value)
    return float(node.value) if kind(node) == "FloatImm" else None


def _masking(node: Any) -> Iterator[Any]:
    """What a statement or expression holds, where a constant in its place may mask something."""
    yield node
    held = [node.body] if kind(node) == "SBlock" else [node.a] if kind(node) == "Div" else children(node)
    for child in held:
        if kind(node) not in ("Min", "Max") or _constant(child) is None:
            yield from _masking(child)


def terms(func: Any) -> int:
    """The most values that a function reduces into one element, where its loops tell it; 1 where it reduces nothing."""
    blocks = [part for part in walk(func.body) if kind(part) == "SBlock"]
    return max((math.prod(_lengths(block)) for block in blocks), default=1)


def rounding(func: Any) -> frozenset[str]:
    """What a function rounds floats to before its result: types of few digits, by their names, and `WHOLE` numbers."""
    found = set[str]()
    for part in walk(func.body):
        if kind(part) == "Cast" and (name := str(part.ty.dtype)) in _FEW_DIGITS:
            found.add(name)
        elif kind(part) == "Call" and str(part.op.name).rpartition(".")[2] in _ROUNDING:
            found.add(WHOLE)
    return frozenset(found)


def _lengths(block: Any) -> list[int]:
    extents = [one.dom.extent for one in block.iter_vars if int(one.iter_type) == REDUCTION]
    return [int(extent) for extent in extents if kind(extent) == "IntImm"]


def agrees(
    found: Array, expected: Array, terms: int = 1, large: float = math.inf, rounding: Collection[str] = ()
) -> bool:
    """Whether a kernel's result is right: no element's `error` is above the tolerance of its type.

    It is 1e-4 for float32, and grows with the root of the `terms` of a sum above 10,000 (2e-3 at four million).
    Measured on TVM's own kernels, unscheduled and with six random schedules each: up to 5e-7 for sums of up to 100,
    2e-6 of 512, 1.5e-5 of 4,608 and 16,384, 6e-5 for a softmax of products as large as 16, 9e-4 for four million
    squares one after the other. An element off by 1% is 5e-3 where it is as large as the mean, one term of 4,608 left
    out some 1e-2, a tile left out 0.5. What stays unseen is a wrong element a hundred times nearer to zero than the
    others, and a few terms of a million; of a mask with a `large` constant what it hides, what it lets through where
    that is less than one in 64 elements, and parts of sums above a thousandth of the constant (10 at -10,000). Where
    what is large follows from the inputs, and is no constant of the program, small elements beside it stay unseen too.
    float64 has 1e-10; float16 2e-2 and bfloat16 1e-1, where a kernel may round each sum of a few hundred terms to them.

    What a program rounds on its way (`rounding`) the last digit of a sum decides where it lies between two steps: of
    halves their tolerance counts, whatever the result is, and where it rounds to whole numbers one in a hundred
    elements may be a step off.
    """
    floats = expected.dtype.kind not in "iub"
    types = {expected.dtype.name, *(rounding if floats else ())}
    tolerance = max(_TOLERANCES.get(name, 0.0) for name in types) * max(1, terms / 1e4) ** 0.5
    errors, most = _errors(found, expected, large), _STEP
    if WHOLE in rounding and not floats and found.shape == expected.shape and found.dtype == expected.dtype:
        errors, most = np.abs(found.astype(np.float64) - expected.astype(np.float64)), 1.0
    off = int(np.count_nonzero(errors > tolerance))
    return bool(off == 0 or (WHOLE in rounding and off <= max(1, errors.size // _SELDOM) and errors.max() <= most))


def agrees_in_steps(found: Array, expected: Array) -> bool:
    """Whether two results of a network agree that rounds on its way, as one of 8-bit integers does.

    A sum that lies between two steps is rounded to either by the last digit of its error, and all that is computed from
    it is a step off. So what counts is the root mean square of the differences, in that of what is expected. Three
    convolutions have it at 4e-3 where 23 of 16,384 elements are a step apart; a tile left out has 0.1 and more.
    """
    if found.shape != expected.shape or found.dtype != expected.dtype or found.dtype.kind not in "iuf":
        return False
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return False
    a, b = a[finite], b[finite]
    off, size = (float(np.sqrt(np.mean(np.square(part)))) if part.size else 0.0 for part in (a - b, b))
    return off <= _STEPS * size
