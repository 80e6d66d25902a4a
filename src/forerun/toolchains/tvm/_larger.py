"""Matrix products whose rows or columns divide into no tiles, computed a little larger.

TVM's tiles divide a loop without a rest, so that of 197 rows (the tokens of a picture of 224 x 224, and one more) there
are one or all. Of 200 rows eight at a time stay in registers. Rows beyond the last one are the last one again: an index
that is clamped, and nothing is copied. Columns beyond are zeros, which are put behind the second operand: beforehand
where it is known, else by what makes it. What lies beyond is not written. An operand that is known lies in panels
(`_panels`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forerun.toolchains.tvm import _panels
from forerun.toolchains.tvm._programs import FUSED, block, called, inner, known_shape, legal, program, tensor

_PRODUCT, _PADDING = "relax.matmul", "relax.nn.pad"
_TILES = range(4, 15)
"""Rows of a register tile."""
_ROWS = 17
"""Fewer are a tile."""
_WIDE = 1 << 14
"""Columns that are many."""
_MORE = 0.08
"""How much larger a product becomes at most."""
_COPIED = 64
"""Rows that columns are multiplied with, at least, where these are copied while the network runs."""


@dataclass(frozen=True, slots=True)
class Product:
    """[batch, rows, steps] times [batch, steps, columns]."""

    rows: int
    columns: int
    known: bool
    """Whether the second operand is known beforehand."""

    def larger(self, lanes: int) -> tuple[int, int]:
        """Rows and columns to compute, of a processor with so many floats in a vector: as they are where they divide,
        or where those that do are many more."""
        return self._more_rows(), self._more_columns(lanes)

    def _more_rows(self) -> int:
        most = int(self.rows * (1 + _MORE))
        fitting = (rows for rows in range(self.rows, most + 1) if any(rows % tile == 0 for tile in _TILES))
        return next(fitting, self.rows) if self.rows >= _ROWS else self.rows

    def _more_columns(self, lanes: int) -> int:
        if self.rows < (_ROWS if self.known else _COPIED):
            return self.columns
        for each in (lanes, lanes // 2):
            found = -(-self.columns // each) * each
            if found <= self.columns * (1 + _MORE):
                return found
        return self.columns


def in_panels(rows: int, columns: int) -> bool:
    """Whether weights in panels make a product faster, which by 1x768x3072 takes 1.75 times as long, by 2 rows .93
    times, by 8 .45 times: of a single row, or a few of very many columns, the best candidates add whole rows of the
    weights to the result, one after the other."""
    return rows >= _ROWS or (rows > 1 and columns <= _WIDE)


def legalized(tvm: Any, lanes: int) -> dict[str, Callable[[Any, Any], Any]]:
    """What `relax.transform.LegalizeOps` takes, of a processor with so many floats in a vector: products of float32
    that are computed larger, and by weights in panels; all others as TVM has them."""
    otherwise = legal(tvm, _PRODUCT)

    def made(builder: Any, call: Any) -> Any:
        left, right = (known_shape(tvm, each) or () for each in call.args)
        if min(len(left), len(right)) < 2 or str(call.ty.dtype) != "float32":
            return otherwise(builder, call)
        asked = Product(left[-2], right[-1], isinstance(call.args[1], tvm.ir.GenericConst))
        rows, columns = asked.larger(lanes)
        data, weights = call.args
        if columns != asked.columns:
            weights, right = _wider(tvm, builder, weights, columns - asked.columns), (*right[:-1], columns)
        result = [int(size) for size in call.ty.shape]

        def as_asked(builder: Any) -> Any:
            if (rows, columns) == (asked.rows, asked.columns):
                return otherwise(builder, call)
            return called(builder, _function(left, right, result, rows), "matmul", [data, weights], result)

        every = math.prod(left[:-1]) if len(right) == 2 else left[-2]
        if not in_panels(every, columns):
            return as_asked(builder)
        return _panels.laid(tvm, builder, weights, lanes, as_asked, len(right) - 2)

    return {_PRODUCT: made}


def _wider(tvm: Any, builder: Any, weights: Any, more: int) -> Any:
    """With so many columns of zeros behind it."""
    if isinstance(weights, tvm.ir.GenericConst):
        values = weights.value.numpy()
        return tvm.relax.const(np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, more)]))
    padded = tvm.relax.op.nn.pad(weights, [0] * (2 * len(weights.ty.shape) - 1) + [more])
    return builder.emit(legal(tvm, _PADDING)(builder, builder.normalize(padded)))


def _function(left: Sequence[int], right: Sequence[int], result: Sequence[int], rows: int) -> Any:
    """The product of `rows` and of all columns of the second operand, of which `result` is written."""
    from tvm.script.ir_builder import IRBuilder, tirx

    batch, whole = result[:-2], [*result[:-2], rows, right[-1]]
    builder = IRBuilder()
    with program(builder, tirx, FUSED):
        a, b, c = (
            tirx.arg(name, tensor(tirx, shape)) for name, shape in zip("abc", (left, right, result), strict=True)
        )
        made = inner(tirx, whole) if whole != [*result] else c
        with block(tirx, "matmul", [*whole, left[-1]], "S" * len(whole) + "R") as (*places, row, column, step):
            last = row if left[-2] == rows else tirx.min(row, tirx.int64(left[-2] - 1))
            first = (*_broadcast(tirx, places, batch, left[:-2]), last, step)
            second = (*_broadcast(tirx, places, batch, right[:-2]), step, column)
            at = (*places, row, column)
            tirx.reads(a[first], b[second])
            tirx.writes(made[at])
            with tirx.init():
                tirx.buffer_store(made, tirx.float32(0), [*at])
            tirx.buffer_store(made, made[at] + a[first] * b[second], [*at])
        if made is not c:
            with block(tirx, "inside", result) as place:
                tirx.reads(made[tuple(place)])
                tirx.writes(c[tuple(place)])
                tirx.buffer_store(c, made[tuple(place)], place)
    return builder.get()


def _broadcast(tirx: Any, places: Sequence[Any], batch: Sequence[int], own: Sequence[int]) -> list[Any]:
    """Where an operand is read for an element of the batch: it may have fewer axes, or one element in some."""
    last = places[len(places) - len(own) :]
    return [
        tirx.int64(0) if size == 1 and of > 1 else place
        for place, size, of in zip(last, own, batch[len(batch) - len(own) :], strict=True)
    ]
