"""Operators of ONNX that TVM's importer has otherwise than they are computed best, or at all, in Relax.

`CONVERTED` has functions of what binds an expression and so gives it a type, of a node's inputs as Relax (None where
one is left out), and of its attributes. One that gives None leaves the node to TVM's importer, as constants are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

Relax = Any
Emit = Callable[[Relax], Relax]
Convert = Callable[[Emit, Sequence[Relax], Mapping[str, Any]], Relax | None]


def _op() -> Any:
    from tvm import relax

    return relax.op


def _number(value: float, like: Relax) -> Relax:
    from tvm import relax

    return relax.const(value, str(like.ty.dtype))


def _pairwise(name: str, emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax:
    """TVM stacks what it takes the largest of."""
    return reduce(lambda first, second: emit(getattr(_op(), name)(first, second)), inputs)


def _mean(emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax:
    found = _pairwise("add", emit, inputs, told)
    return emit(_op().multiply(found, _number(1 / len(inputs), found)))


def _cast(emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax | None:
    """Floats to integers by what processors do, as onnxruntime: TVM tests each number first, and takes 32 bits of 64 by
    a division that stops the process where its result is not used as such."""
    from tvm.relax.frontend.onnx.onnx_frontend import get_type

    (tensor,), kind = inputs, str(get_type(told["to"]))
    if not _floats(tensor) or kind.lstrip("u") not in ("int8", "int16", "int32", "int64"):
        return None
    wide = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "uint32": "int64"}
    if kind in wide:
        tensor = emit(_op().astype(tensor, wide[kind]))
    return emit(_op().astype(tensor, kind))


def _floats(tensor: Relax) -> bool:
    return "float" in str(getattr(tensor.ty, "dtype", ""))


def _extremum(name: str, emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax | None:
    """Infinity where all are: TVM begins with the largest number there is, so it looks at halves of them."""
    from tvm import relax

    op, tensor, axes = _op(), inputs[0], _axes(inputs, told)
    if not _floats(tensor) or (not axes and told.get("noop_with_empty_axes", 0)):
        return None
    kind = str(tensor.ty.dtype)
    sign = -1 if name == "max" else 1
    most = {"float64": np.finfo(np.float64).max, "float16": 65504.0}.get(kind, float(np.finfo(np.float32).max))
    half = emit(op.multiply(tensor, relax.const(0.5, kind)))
    found = emit(getattr(op, name)(half, axes, bool(told.get("keepdims", 1))))
    beyond = emit((op.less if sign < 0 else op.greater)(found, relax.const(sign * float(most) * 0.75, kind)))
    whole = emit(op.multiply(found, relax.const(2.0, kind)))
    return emit(op.where(beyond, relax.const(sign * np.inf, kind), whole))


def _axes(inputs: Sequence[Relax], told: Mapping[str, Any]) -> list[int] | None:
    """What is reduced, which newer versions of ONNX have as an input; None where that is all."""
    axes = told.get("axes")
    if len(inputs) > 1 and inputs[1] is not None:
        axes = _constant(inputs[1]).tolist()
    return [*axes] if axes else None


def _log_sum_exp(emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax | None:
    """Less the largest number, where that is one: TVM takes infinity from infinity."""
    from tvm import relax

    op, tensor, axes = _op(), inputs[0], _axes(inputs, told)
    if not axes and told.get("noop_with_empty_axes", 0):
        return None
    largest = emit(op.max(tensor, axes, True))
    finite = emit(op.where(emit(op.isfinite(largest)), largest, relax.const(0, str(largest.ty.dtype))))
    total = emit(op.sum(emit(op.exp(emit(op.subtract(tensor, finite)))), axes, True))
    found = emit(op.add(emit(op.log(total)), finite))
    return found if told.get("keepdims", 1) else emit(op.squeeze(found, axes))


def _suppressed(emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax:
    """TVM takes boxes with scores of 0 and less for such as were dropped, so where they count, scores become places in
    the order of scores, from the end; it takes 0 where there is no least score, and drops boxes that overlap just as
    much as they may. Raises NotImplementedError."""
    from tvm import relax

    op = _op()
    boxes, scores, *numbers = [*inputs, None, None, None][:5]
    most, overlap, least = (None if each is None else _constant(each).reshape(()).item() for each in numbers)
    if told.get("center_point_box", 0):
        x, y, width, height = (emit(relax.TupleGetItem(emit(op.split(boxes, 4, axis=2)), place)) for place in range(4))
        half = relax.const(0.5, str(boxes.ty.dtype))
        down, along = emit(op.multiply(height, half)), emit(op.multiply(width, half))
        corners = [op.subtract(y, down), op.subtract(x, along), op.add(y, down), op.add(x, along)]
        boxes = emit(op.concat([emit(each) for each in corners], axis=2))
    if least is None or least < 0:
        count = relax.const(float(int(scores.ty.shape[2])), "float32")
        order = emit(op.argsort(scores, axis=2, descending=True, dtype="int32"))
        rank = emit(op.astype(emit(op.argsort(order, axis=2, descending=False, dtype="int32")), "float32"))
        place = emit(op.subtract(count, rank))
        if least is not None:
            counts = emit(op.greater(scores, relax.const(least, str(scores.ty.dtype))))
            place = emit(op.where(counts, place, relax.const(0.0, "float32")))
        scores, least = place, 0.5
    found = op.vision.all_class_non_max_suppression(
        boxes,
        scores,
        relax.const(int(most or 0), "int64"),
        relax.const(np.nextafter(np.float32(overlap or 0), np.float32(np.inf)), "float32"),
        relax.const(least, "float32"),
        output_format="onnx",
    )
    selected = emit(found)
    return emit(relax.TupleGetItem(selected, 0))


def _constant(value: Relax) -> Any:
    """The values of a constant, as NumPy has them. Raises NotImplementedError for what is none."""
    from tvm.ir import GenericConst

    if not isinstance(value, GenericConst):
        raise NotImplementedError("a setting of it is known only when it runs")
    return value.value.numpy()


def _shifted(emit: Emit, inputs: Sequence[Relax], told: Mapping[str, Any]) -> Relax:
    """By as many bits as there are and more, too, as unsigned numbers of bits: a processor takes what is left over."""
    from tvm import relax

    op, (tensor, bits), left = _op(), inputs, told["direction"] == b"LEFT"
    kind = str(tensor.ty.dtype)
    width = int(kind.lstrip("uint"))

    def number(value: int) -> Relax:
        return relax.const(value, kind)

    inside = emit(op.less(bits, number(width)))
    if kind.startswith("i"):
        inside = emit(op.logical_and(inside, emit(op.greater_equal(bits, number(0)))))
    most = emit(op.where(inside, bits, number(width - 1)))
    found = emit((op.left_shift if left else op.right_shift)(tensor, most))
    return found if kind.startswith("i") and not left else emit(op.where(inside, found, number(0)))


CONVERTED: Mapping[str, Convert] = {
    "Max": partial(_pairwise, "maximum"),
    "Min": partial(_pairwise, "minimum"),
    "Sum": partial(_pairwise, "add"),
    "Mean": _mean,
    "Cast": _cast,
    "BitShift": _shifted,
    "NonMaxSuppression": _suppressed,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": partial(_extremum, "max"),
    "ReduceMin": partial(_extremum, "min"),
}
