"""Whether a kernel's result is the reference's: exactly for integers, within the error of reordered sums for floats."""

from __future__ import annotations

import numpy as np

from forerun.toolchains.tvm._expressions import Array

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


def agrees(found: Array, expected: Array) -> bool:
    """Whether a kernel's result is right: no element off by more than the tolerance of its type (see `error`)."""
    return error(found, expected) <= _TOLERANCES.get(expected.dtype.name, 0)
