"""Sums, and what else is one number of many, over what does not lie side by side: a mean over a picture, channels last.

TVM goes along what is summed before it turns to the next channel: of [112, 112, 32] every 32nd number, one after the
other, and none of its schedules has it the other way round. Here the channels are the innermost loop, a few vectors of
them, into which one position after the other is added.
"""

from __future__ import annotations

import math
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
    program,
    tensor,
)

_MEAN = "relax.mean"
_AS_IT_IS = {"schedule_rule": "None"}
"""No rule of TVM's takes such a block apart: the order of its loops is the point of it."""
Way = tuple[float, Into]
"""What it begins with, and of two numbers one."""


def legalized(tvm: Any, lanes: int) -> dict[str, Callable[[Any, Any], Any]]:
    """What `relax.transform.LegalizeOps` takes, of a processor with so many floats in a vector: sums, means,
    maxima and minima of float32 that keep the last axis, where it fills half a vector; all others as TVM has them."""
    ways: dict[str, Way] = {
        "relax.sum": (0.0, add), _MEAN: (0.0, add), "relax.max": (-LARGEST, tvm.tirx.max),
        "relax.min": (LARGEST, tvm.tirx.min),
    }  # fmt: skip

    def of(name: str) -> Callable[[Any, Any], Any]:
        otherwise = legal(tvm, name)

        def made(builder: Any, call: Any) -> Any:
            shape, axes = known_shape(tvm, call.args[0]) or (), call.attrs.axis
            over = sorted({int(axis) % len(shape) for axis in axes}) if shape and axes else []
            if not over or len(shape) - 1 in over or shape[-1] < lanes // 2:
                return otherwise(builder, call)
            function, result = _function(shape, over, bool(call.attrs.keepdims), ways[name], name == _MEAN)
            return called(builder, function, name.rpartition(".")[2], call.args, result)

        return made

    return {name: of(name) for name in ways}


def _function(shape: Sequence[int], over: Sequence[int], keeps: bool, way: Way, mean: bool) -> tuple[Any, list[int]]:
    """The program, and the shape of its result: axes that it `keeps` are 1 there. A `mean` is a share."""
    from tvm.script.ir_builder import IRBuilder, tirx

    there = [axis for axis in range(len(shape)) if keeps or axis not in over]
    left = [1 if axis in over else shape[axis] for axis in there]
    outer = [axis for axis in range(len(shape) - 1) if axis not in over]
    order = [*outer, *over, len(shape) - 1]
    count = math.prod(shape[axis] for axis in over)
    (least, into), builder = way, IRBuilder()
    with program(builder, tirx, FUSED):
        data, result = tirx.arg("data", tensor(tirx, shape)), tirx.arg("result", tensor(tirx, left))
        total = inner(tirx, left) if mean else result
        kinds = "S" * len(outer) + "R" * len(over) + "S"
        with block(tirx, "total", [shape[axis] for axis in order], kinds) as found:
            axes = dict(zip(order, found, strict=True))
            at = [tirx.int64(0) if axis in over else axes[axis] for axis in there]
            place = tuple(axes[axis] for axis in range(len(shape)))
            tirx.reads(data[place])
            tirx.writes(total[tuple(at)])
            tirx.sblock_attr(_AS_IT_IS)
            with tirx.init():
                tirx.buffer_store(total, tirx.float32(least), at)
            tirx.buffer_store(total, into(total[tuple(at)], data[place]), at)
        if mean:
            with block(tirx, "share", left) as shares:
                tirx.reads(total[tuple(shares)])
                tirx.writes(result[tuple(shares)])
                tirx.buffer_store(result, total[tuple(shares)] / tirx.float32(float(count)), shares)
    return builder.get(), left
