"""Convolutions of 3 x 3 with a quarter of the multiplications: Winograd's algorithm, F(4x4, 3x3).

A tile of 4 x 4 results needs 6 x 6 elements of the data. Both these and the weights are taken to the values of
polynomials at six points, where the convolution is a product for each point: a matrix product over the channels, 36 of
them, which is where the time goes. From the products the tile is put together again. What becomes of the weights is
worked out beforehand, in float64.

S. Winograd, Arithmetic complexity of computations, 1980; for networks: A. Lavin, S. Gray, Fast algorithms for
convolutional neural networks, 2016 (https://arxiv.org/abs/1509.09308). The points are those of B. Barabasz et al.,
Error analysis and improving the accuracy of Winograd convolution for deep neural networks, 2020
(https://arxiv.org/abs/1803.10986): of sums of 256 channels the largest error is then 2.6 times a direct sum's, of 0, 1,
-1, 2 and -2 it is 5 times that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from forerun.toolchains.tvm import _panels
from forerun.toolchains.tvm._programs import ALONE, FUSED, block, called, inner, legal, program, tensor

_CONVOLUTION = "relax.nn.conv2d"
_KERNEL, _TILE = 3, 4
_SIDE = _TILE + _KERNEL - 1
POINTS = (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(-2))
"""Where polynomials are looked at; and at infinity."""
_READ, _MOVED = 32.0, 16.0
"""What a core computes while it reads a number of the weights from memory, and while one of the parts or products,
which caches hold mostly, is written and read again (an AMD EPYC, Zen 4: 115 GFLOP/s beside 14 GB/s)."""
_GAIN = 0.8
"""How much of a direct sum's time is to be saved at least, by what is known beforehand."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution with channels last, stride 1 and a kernel of 3 x 3."""

    data: tuple[int, int, int, int]
    """Samples, rows, columns, channels."""
    made: int
    """Channels of the result."""
    padding: tuple[int, int, int, int]
    """Rows above, columns before, rows below, columns after."""

    @property
    def result(self) -> tuple[int, int, int, int]:
        """The result's shape."""
        samples, rows, columns, _ = self.data
        top, left, bottom, right = self.padding
        less = _KERNEL - 1
        return samples, rows + top + bottom - less, columns + left + right - less, self.made

    @property
    def tiles(self) -> tuple[int, int]:
        """Tiles from top to bottom and from left to right."""
        _, rows, columns, _ = self.result
        return -(-rows // _TILE), -(-columns // _TILE)

    @property
    def count(self) -> int:
        """Tiles of all samples."""
        return self.data[0] * math.prod(self.tiles)

    @property
    def worth(self) -> bool:
        """Whether it takes less time so, by what is to be computed and read: four times as many weights are, which of
        small maps with many channels is what takes the time."""
        samples, rows, columns, made = self.result
        channels, elements = self.data[3], samples * rows * columns
        points = self.count * _SIDE**2
        direct = channels * made * _KERNEL**2 * (2 * elements + _READ)
        products = channels * made * (2 * points + _READ * _SIDE**2)
        return products + _MOVED * points * (channels + made) < _GAIN * direct


def transforms(points: Sequence[Fraction]) -> tuple[Matrix, Matrix, Matrix]:
    """The matrices of Cook and Toom for kernels of 3: of the data [n, n], the weights [n, 3] and the result [n - 2, n],
    where n is one more than there are points: y = R ((W g) * (D d)) has the n - 2 sums of three neighbours in d."""
    finite = [(point, [other for other in points if other != point]) for point in points]
    last = len(points)
    data = [[*_polynomial(others), Fraction(0)] for _, others in finite] + [_polynomial(points)]
    scale = [math.prod((point - other for other in others), start=Fraction(1)) for point, others in finite]
    weights = [[point**power / by for power in range(_KERNEL)] for (point, _), by in zip(finite, scale, strict=True)]
    weights.append([Fraction(power == _KERNEL - 1) for power in range(_KERNEL)])
    rows = last + 1 - (_KERNEL - 1)
    result = [[*(point**power for point in points), Fraction(power == rows - 1)] for power in range(rows)]
    made = [np.array([[float(value) for value in row] for row in each]) for each in (data, weights, result)]
    return made[0], made[1], made[2]


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the product of all x - root, from the lowest power on."""
    zero = Fraction(0)
    return reduce(
        lambda sofar, root: [high - root * low for high, low in zip([zero, *sofar], [*sofar, zero], strict=True)],
        roots, [Fraction(1)],
    )  # fmt: skip


@cache
def _matrices() -> tuple[Matrix, Matrix, Matrix]:
    return transforms(POINTS)


def legalized(tvm: Any, lanes: int) -> dict[str, Any]:
    """What `relax.transform.LegalizeOps` takes, of a processor with so many floats in a vector: convolutions of float32
    with channels last and known weights become three programs where that is faster; all others are sums of products. So
    are those whose weights are whole numbers: what was quantised is summed up exactly, and is rounded behind."""
    others = _panels.legalized(tvm, lanes)
    otherwise = others[_CONVOLUTION]

    def made(builder: Any, call: Any) -> Any:
        found = _recognised(tvm, call)
        if found is None or not found.worth or not (call.args[1].value.numpy() % 1).any():
            return otherwise(builder, call)
        return _three(tvm, builder, call, found, lanes)

    return others | {_CONVOLUTION: made}


def _recognised(tvm: Any, call: Any) -> Convolution | None:
    data, weights = call.args
    if not isinstance(weights, tvm.ir.GenericConst):
        return None
    own = call.attrs
    sizes: list[Any] = [getattr(each.ty, "shape", None) for each in (data, weights)]
    known = all(shape and all(isinstance(size, tvm.tirx.IntImm) for size in shape) for shape in sizes)
    said = [str(each) for each in (own.data_layout, own.kernel_layout, own.out_layout)]
    types = {str(each.ty.dtype) for each in call.args}
    if not known or said != ["NHWC", "HWIO", "NHWC"] or types != {"float32"}:
        return None
    samples, rows, columns, channels, *kernel, of, made = (int(size) for shape in sizes for size in shape)
    steps = [int(each) for each in (*own.strides, *own.dilation, own.groups)]
    if kernel != [_KERNEL, _KERNEL] or {*steps} != {1} or of != channels:
        return None
    top, left, bottom, right = (int(each) for each in own.padding)
    return Convolution((samples, rows, columns, channels), made, (top, left, bottom, right))


def _three(tvm: Any, builder: Any, call: Any, asked: Convolution, lanes: int) -> Any:
    """What takes the data apart, the products, and what puts the result together, which others are fused into.

    What is used several times is bound to a name where that costs no time: a text half as long is parsed in half the
    time, which is most of what reading a network of them takes.
    """
    from tvm import relax

    values = call.args[1].value.numpy().astype(np.float64)
    _, by, _ = _matrices()
    taken = (np.kron(by, by) @ values.reshape(_KERNEL**2, -1)).reshape(_SIDE**2, *values.shape[2:])
    apart = called(builder, _apart(asked), "winograd_apart", call.args[:1], (_SIDE**2, asked.count, asked.data[3]))
    product = relax.op.matmul(builder.emit(apart), relax.const(taken.astype(np.float32)))
    product = builder.normalize(product)
    weights, legalised = product.args[1], legal(tvm, "relax.matmul")
    products = _panels.laid(tvm, builder, weights, lanes, lambda builder: legalised(builder, product), batch=1)
    made = builder.emit(products)
    return called(builder, _together(asked), "winograd_together", [made], asked.result)


def _apart(asked: Convolution) -> Any:
    """[samples, rows, columns, channels] to [36, tiles, channels]: first along the rows, then along the columns, so
    that neighbouring tiles share what they have in common."""
    from tvm.script.ir_builder import IRBuilder, tirx

    by, _, _ = _matrices()
    (samples, rows, columns, channels), (down, across) = asked.data, asked.tiles
    top, left, *_ = asked.padding
    wide = _TILE * across + _KERNEL - 1
    builder = IRBuilder()
    with program(builder, tirx, ALONE):
        data = tirx.arg("data", tensor(tirx, asked.data))
        made = tirx.arg("parts", tensor(tirx, (_SIDE**2, asked.count, channels)))
        half = inner(tirx, (_SIDE, samples, down, wide, channels))
        with block(tirx, "rows", (samples, down, wide, channels)) as (n, y, x, c):
            at = _TILE * y - top
            tirx.reads(data[n, at : at + _SIDE, x - left, c])
            tirx.writes(half[0:_SIDE, n, y, x, c])
            inside = tirx.And(x >= left, x < left + columns)
            read = [
                tirx.bind(
                    tirx.if_then_else(
                        tirx.And(inside, tirx.And(at + row >= 0, at + row < rows)), data[n, at + row, x - left, c],
                        tirx.float32(0),
                    )
                )
                for row in range(_SIDE)
            ]  # fmt: skip
            for row in range(_SIDE):
                tirx.buffer_store(half, _sum(tirx, by[row], read), [row, n, y, x, c])
        with block(tirx, "columns", (samples, down, across, channels)) as (n, y, x, c):
            place = (n * down + y) * across + x
            tirx.reads(half[0:_SIDE, n, y, _TILE * x : _TILE * x + _SIDE, c])
            tirx.writes(made[0 : _SIDE**2, place, c])
            for row in range(_SIDE):
                read = [half[row, n, y, _TILE * x + column, c] for column in range(_SIDE)]
                for column in range(_SIDE):
                    tirx.buffer_store(made, _sum(tirx, by[column], read), [_SIDE * row + column, place, c])
    return builder.get()


def _together(asked: Convolution) -> Any:
    """[36, tiles, channels] to the result, without what tiles reach beyond it."""
    from tvm.script.ir_builder import IRBuilder, tirx

    _, _, by = _matrices()
    (samples, *_, made), (down, across) = asked.result, asked.tiles
    whole = (samples, _TILE * down, _TILE * across, made)
    builder = IRBuilder()
    with program(builder, tirx, FUSED):
        parts = tirx.arg("products", tensor(tirx, (_SIDE**2, asked.count, made)))
        result = tirx.arg("result", tensor(tirx, asked.result))
        tiled = result if whole == asked.result else inner(tirx, whole)
        with block(tirx, "tiles", (samples, down, across, made)) as (n, y, x, c):
            place = (n * down + y) * across + x
            tirx.reads(parts[0 : _SIDE**2, place, c])
            tirx.writes(tiled[n, _TILE * y : _TILE * y + _TILE, _TILE * x : _TILE * x + _TILE, c])
            read = [[parts[_SIDE * i + j, place, c] for i in range(_SIDE)] for j in range(_SIDE)]
            half = [[tirx.bind(_sum(tirx, by[row], each)) for each in read] for row in range(_TILE)]
            for row in range(_TILE):
                for column in range(_TILE):
                    tirx.buffer_store(
                        tiled, _sum(tirx, by[column], half[row]), [n, _TILE * y + row, _TILE * x + column, c]
                    )
        if tiled is not result:
            with block(tirx, "inside", asked.result) as place:
                tirx.reads(tiled[tuple(place)])
                tirx.writes(result[tuple(place)])
                tirx.buffer_store(result, tiled[tuple(place)], place)
    return builder.get()


def _sum(tirx: Any, factors: Matrix, terms: Sequence[Any]) -> Any:
    """Of the terms times their factors, those of zero left out."""
    found = [
        term if factor == 1 else tirx.float32(float(factor)) * term
        for factor, term in zip(factors, terms, strict=True)
        if factor
    ]
    return reduce(lambda left, right: left + right, found)
