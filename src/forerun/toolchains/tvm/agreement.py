"""Whether a kernel's result is the reference's: exactly for integers, within the error of reordered sums for floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from forerun.toolchains.tvm._expressions import Array
from forerun.toolchains.tvm._nodes import REDUCTION, kind, walk

_TOLERANCES = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}


def error(found: Array, expected: Array) -> float:
    """The largest difference of two arrays' elements, infinite where they differ in shape, type, NaN or infinities.

    Of floats, a difference is counted in the mean magnitude of the expected elements plus that of the element itself:
    a sum that cancels carries the error of its terms, and those are as large as the terms of its neighbours. Of
    integers and truth values it is 0 or infinite.
    """
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return np.inf
    if found.dtype.kind in "iub":
        return 0.0 if np.array_equal(found, expected) else np.inf
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return np.inf
    if not finite.any():
        return 0.0
    a, b = a[finite], b[finite]
    size = np.abs(b) + np.abs(b).mean()
    off = np.abs(a - b)
    return float(np.max(np.divide(off, size, out=np.where(off > 0, np.inf, 0.0), where=size > 0)))


def terms(func: Any) -> int:
    """The most values that a function reduces into one element, where its loops tell it; 1 where it reduces nothing."""
    blocks = [part for part in walk(func.body) if kind(part) == "SBlock"]
    return max((math.prod(_lengths(block)) for block in blocks), default=1)


def _lengths(block: Any) -> list[int]:
    extents = [one.dom.extent for one in block.iter_vars if int(one.iter_type) == REDUCTION]
    return [int(extent) for extent in extents if kind(extent) == "IntImm"]


def agrees(found: Array, expected: Array, terms: int = 1) -> bool:
    """Whether a kernel's result is right: no element's `error` is above the tolerance of its type.

    It is 1e-4 for float32, and grows with the root of the `terms` of a sum above 10,000 (2e-3 at four million).
    Measured on TVM's own kernels, unscheduled and with six random schedules each: up to 5e-7 for sums of up to 100,
    2e-6 of 512, 1.5e-5 of 4,608 and 16,384, 6e-5 for a softmax of products as large as 16, 9e-4 for four million
    squares one after the other. An element off by 1% is 5e-3 where it is as large as the mean, one term of 4,608 left
    out some 1e-2, a tile left out 0.5. What stays unseen is a wrong element a hundred times nearer to zero than the
    others, and a few terms of a million.
    float64 has 1e-10; float16 2e-2 and bfloat16 1e-1, where a kernel may round each sum of a few hundred terms to them.
    """
    return bool(error(found, expected) <= _TOLERANCES.get(expected.dtype.name, 0) * max(1, terms / 1e4) ** 0.5)
