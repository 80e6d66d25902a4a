"""Operators of ONNX that TVM's importer has otherwise than they are computed best, or at all, in Relax.

`CONVERTED` has functions of what binds an expression and so gives it a type, of a node's inputs as Relax (None where
one is left out), and of its attributes. One that gives None leaves the node to TVM's importer, as constants are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

Relax = Any
Emit = Callable[[Relax], Relax]
Convert = Callable[[Emit, Sequence[Relax | None], Mapping[str, Any]], Relax | None]


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


CONVERTED: Mapping[str, Convert] = {
    "Max": partial(_pairwise, "maximum"),
    "Min": partial(_pairwise, "minimum"),
    "Sum": partial(_pairwise, "add"),
    "Mean": _mean,
    "Cast": _cast,
}
