"""Softmax along rows that vectors do not divide.

TVM takes a row's maximum and its sum apart by factors of its length, and has none of 197 (the tokens of a picture of
224 x 224, and one more): each addition waits for the one before, four cycles each. Here a vector of partial maxima or
sums goes along the row; what is in it in the end and what is left of the row come together by pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add
from typing import Any

from forerun.toolchains.tvm._programs import (
    FUSED,
    LARGEST,
    Into,
    block,
    called,
    inner,
    known_shape,
    legal,
    long,
    program,
    tensor,
)

_SOFTMAX = "relax.nn.softmax"
_VECTORS = 2
"""Of a row, at least."""


def legalized(tvm: Any, lanes: int) -> dict[str, Callable[[Any, Any], Any]]:
    """What `relax.transform.LegalizeOps` takes, of a processor with so many floats in a vector: softmax of float32
    along the last axis where no half vectors divide it; all others as TVM has them."""
    otherwise = legal(tvm, _SOFTMAX)

    def made(builder: Any, call: Any) -> Any:
        shape, axis = known_shape(tvm, call.args[0]) or (), int(call.attrs.axis)
        if len(shape) < 2 or axis not in (-1, len(shape) - 1) or not apart(shape[-1], lanes):
            return otherwise(builder, call)
        return called(builder, _function(shape, lanes), "softmax", call.args, shape)

    return {_SOFTMAX: made}


def apart(columns: int, lanes: int) -> bool:
    """Whether a row of so many elements is taken apart here."""
    return columns >= _VECTORS * lanes and columns % max(lanes // 2, 2) != 0


def _function(shape: Sequence[int], lanes: int) -> Any:
    from tvm.script.ir_builder import IRBuilder, tirx

    *rows, columns = shape
    whole = columns // lanes * lanes
    builder = IRBuilder()

    def gathered(source: Any, name: str, least: float, into: Into) -> Any:
        """Of each row what `into` makes of all its elements."""
        parts, made = inner(tirx, [*rows, lanes]), inner(tirx, rows)
        sizes, kinds = [*rows, lanes, columns // lanes], "S" * len(parts.shape) + "R"
        with block(tirx, f"{name}s", sizes, kinds) as (*row, lane, vector):
            at, place = (*row, lane), (*row, vector * lanes + lane)
            tirx.reads(source[place])
            tirx.writes(parts[at])
            with tirx.init():
                tirx.buffer_store(parts, tirx.float32(least), [*at])
            tirx.buffer_store(parts, into(parts[at], source[place]), [*at])
        with block(tirx, name, rows) as row:
            own, rest = (slice(*long(tirx, ends)) for ends in ((0, lanes), (whole, columns)))
            tirx.reads(parts[(*row, own)], source[(*row, rest)])
            tirx.writes(made[tuple(row)])
            values = [parts[(*row, lane)] for lane in long(tirx, range(lanes))]
            values += [source[(*row, place)] for place in long(tirx, range(whole, columns))]
            tirx.buffer_store(made, _paired(into, values), row)
        return made

    with program(builder, tirx, FUSED):
        data, result = (tirx.arg(name, tensor(tirx, shape)) for name in ("data", "result"))
        each = inner(tirx, shape)
        largest = gathered(data, "maximum", -LARGEST, tirx.max)
        with block(tirx, "exponential", shape) as at:
            tirx.reads(data[tuple(at)], largest[tuple(at[:-1])])
            tirx.writes(each[tuple(at)])
            tirx.buffer_store(each, tirx.exp(data[tuple(at)] - largest[tuple(at[:-1])]), at)
        total = gathered(each, "sum", 0.0, add)
        with block(tirx, "share", shape) as at:
            tirx.reads(each[tuple(at)], total[tuple(at[:-1])])
            tirx.writes(result[tuple(at)])
            tirx.buffer_store(result, each[tuple(at)] / total[tuple(at[:-1])], at)
    return builder.get()


def _paired(into: Into, values: Sequence[Any]) -> Any:
    """All of them, as a tree that is as low as can be."""
    while len(values) > 1:
        pairs = [into(*values[place : place + 2]) for place in range(0, len(values) - 1, 2)]
        values = [*pairs, *values[len(values) - len(values) % 2 :]]
    return values[0]
