"""Sums of products over some axes: matrix products, convolutions, and all that is like them, by BLAS in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from forerun.toolchains.tvm._expressions import Array


def contract(factors: Sequence[Array], sizes: Sequence[int], reduced: frozenset[int]) -> Array:
    """The sum over the axes `reduced` of the product of the factors.

    Each factor has one axis for each of `sizes`, of that length or of length 1 where it is constant in it; so has the
    result, of length 1 in the axes summed over. It has the type of the factors.
    """
    rest = sorted(factors, key=lambda factor: factor.size)
    while len(rest) > 1 and (len(rest) > 2 or _axes(rest[0]) <= _axes(rest[1])):
        rest = sorted([rest[0] * rest[1], *rest[2:]], key=lambda factor: factor.size)
    if len(rest) == 1:
        total = _summed(rest[0], reduced)
    else:
        a, b = (_summed(one, reduced & (_axes(one) - _axes(other))) for one, other in (rest, reversed(rest)))
        total = _product(a, b, reduced)
    repeats = math.prod(sizes[k] for k in reduced if all(factor.shape[k] == 1 for factor in rest))
    return np.multiply(total, repeats, dtype=total.dtype)


def _axes(array: Array) -> frozenset[int]:
    return frozenset(k for k, size in enumerate(array.shape) if size > 1)


def _summed(array: Array, axes: frozenset[int]) -> Array:
    return np.add.reduce(array, axis=tuple(sorted(axes)), keepdims=True, dtype=array.dtype)


def _product(a: Array, b: Array, reduced: frozenset[int]) -> Array:
    """As a batch of matrix products: axes of both that stay, of one that stay, of both that are summed over."""
    both, first, second = _axes(a) & _axes(b), _axes(a) - _axes(b), _axes(b) - _axes(a)
    batch, inner = sorted(both - reduced), sorted(both & reduced)
    rows, columns = sorted(first), sorted(second)
    left = _matrix(a, batch, rows, inner)
    right = _matrix(b, batch, inner, columns)
    order = batch + rows + columns
    lengths = [a.shape[k] for k in batch + rows] + [b.shape[k] for k in columns]
    product: Array = np.matmul(left, right).reshape(lengths)
    shape = [1] * a.ndim
    for k, length in zip(order, lengths, strict=True):
        shape[k] = length
    return product.transpose(np.argsort(order)).reshape(shape)


def _matrix(array: Array, *groups: list[int]) -> Array:
    """The array with three axes, one for each group of its own."""
    order = [k for group in groups for k in group]
    others = [k for k in range(array.ndim) if k not in order]
    moved = array.transpose(others + order)
    return moved.reshape([math.prod(array.shape[k] for k in group) for group in groups])
