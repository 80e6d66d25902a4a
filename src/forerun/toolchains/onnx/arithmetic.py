"""Operators of ONNX that TVM's importer computes otherwise for some types of numbers, as those that it has right."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.fused import widened
from forerun.toolchains.onnx.quantised import SMALL
from forerun.toolchains.onnx.written import Written

_INT32, _BOOL, _DOUBLE = 6, 9, 11
"""Types, as ONNX counts them."""


def _remainder(given: Given, written: Written) -> bool | str:
    """Of floats, with the sign of what divides: the importer takes a product from the dividend, which is none of
    infinities. https://onnx.ai/onnx/operators/onnx__Mod.html"""
    dtype = given.dtype(0)
    if given.told.get("fmod") or dtype is None or dtype.kind != "f":
        return False
    return widened(_signed)(given, written)


def _signed(given: Given, written: Written) -> bool:
    """The remainder of C's, which has the sign of what is divided, and once more what divides where that differs."""
    zero = written.constant(np.array(0, given.dtype(0)))
    left = written.node("Mod", given.input(0), given.input(1), fmod=1)
    below, above = written.node("Less", left, zero), written.node("Less", zero, left)
    other = written.node("Less", given.input(1), zero)
    unlike = written.node(
        "Or", written.node("And", below, written.node("Not", other)), written.node("And", above, other)
    )
    written.node("Where", unlike, written.node("Add", left, given.input(1)), left, output=given.output(0))
    return True


def _power(given: Given, written: Written) -> bool:
    """Of integers, as onnxruntime has it: TVM knows powers of floats alone, and of two numbers of one type."""
    base, exponent = given.dtype(0), given.dtype(1)
    if base is None or exponent is None or (base == exponent and base.kind not in "iu"):
        return False
    kind = given.facts.types[given.input(0)]
    wide = _DOUBLE if base.kind in "iu" else kind
    made = written.node("Pow", *(written.node("Cast", given.input(place), to=wide) for place in (0, 1)))
    written.node("Cast", made, to=kind, output=given.output(0))
    return True


def _of_truths(kind: str, given: Given, written: Written) -> bool:
    """Whether all or any are true: TVM has no least one."""
    if given.dtype(0) != np.bool_:
        return False
    numbers = written.node("Cast", given.input(0), to=_INT32)
    found = written.node(kind, numbers, *given.node.input[1:], **given.told)
    written.node("Cast", found, to=_BOOL, output=given.output(0))
    return True


def _small(kinds: tuple[int, ...]) -> bool | str:
    """Why numbers of a type are refused, if there is one of few bits among them; else the importer has them."""
    small = next((kind for kind in kinds if kind >= SMALL), 0)
    name = onnx_model.library().TensorProto.DataType.Name(small)
    return f"numbers of the type {name.lower()} are known as quantised weights alone" if small else False


def _cast(given: Given, written: Written) -> bool | str:
    """The importer takes the bits of small numbers for others."""
    return _small((given.told["to"], given.facts.types.get(given.input(0), 0)))


def _stored(given: Given, written: Written) -> bool | str:
    """The importer has no zeros of few bits."""
    return _small((given.told.get("output_dtype", 0), given.facts.types.get(given.input(2), 0)))


def _ordered(given: Given, written: Written) -> bool | str:
    """TVM's kernel has no 64 bits without a sign."""
    return "numbers of the type uint64 are not known" if given.dtype(0) == np.uint64 else False


RULES: Mapping[str, Any] = {
    "Mod": _remainder,
    "Pow": _power,
    "ReduceMax": partial(_of_truths, "ReduceMax"),
    "ReduceMin": partial(_of_truths, "ReduceMin"),
    "Cast": _cast,
    "QuantizeLinear": _stored,
    "TopK": _ordered,
}
