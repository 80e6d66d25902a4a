"""`Resize` of ONNX, in all its modes, as what it takes along each axis.

Each axis is resized by itself: an element comes from one, two or four places of the axis, or from a whole window where
it smooths, with weights that follow from the sizes. What onnxruntime makes of the identity says which.
https://onnx.ai/onnx/operators/onnx__Resize.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx import run
from forerun.toolchains.onnx.facts import Array, Given
from forerun.toolchains.onnx.written import Written

_TAPS = 4
"""Places that are read one by one; more are a product with a matrix."""
_OUTSIDE = "tf_crop_and_resize"
_SETTINGS = frozenset(
    "antialias coordinate_transformation_mode cubic_coeff_a exclude_outside mode nearest_mode".split()
)


def _resized(given: Given, written: Written) -> bool | str:
    shape, dtype = given.shape(0), given.dtype(0)
    mode = given.told.get("mode", "nearest")
    if given.told.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        return "sizes that keep the ratio of an image are not known"
    if shape is None or dtype is None:
        return "what it resizes has a size that is known only when it runs"
    if mode != "nearest" and dtype.kind in "iub":
        return f"integers are resized by their nearest ones alone, not by {mode}"
    asked = _asked(given, shape)
    if asked is None:
        return "its scales or sizes are known only when it runs"
    settings = {name: value for name, value in given.told.items() if name in _SETTINGS}
    value = given.input(0)
    outside = np.zeros((), bool)
    for axis, (size, target) in enumerate(zip(shape, asked, strict=True)):
        if target is None:
            continue
        matrix, beyond = _matrix(size, target, settings, given.facts.opset)
        value = _along(written, value, axis, len(shape), matrix, dtype)
        outside = outside | beyond.reshape([-1 if place == axis else 1 for place in range(len(shape))])
    if outside.any():
        left = written.constant(np.array(given.told.get("extrapolation_value", 0.0), dtype))
        value = written.node("Where", written.constant(outside), left, value)
    written.node("Identity", value, output=given.output(0))
    return True


def _asked(given: Given, shape: Sequence[int]) -> Sequence[dict[str, Any] | None] | None:
    """Of each axis its roi, and its scale or size; None of one that stays, None in all where they are not known."""
    axes = [axis % len(shape) for axis in given.told.get("axes", range(len(shape)))]
    told = {name: given.constant(place) for place, name in ((1, "roi"), (2, "scale"), (3, "size"))}
    name = "size" if given.input(3) else "scale"
    values, roi = told[name], told["roi"]
    if values is None or (given.input(1) and roi is None):
        return None
    found: list[dict[str, Any] | None] = [None] * len(shape)
    crops = given.told.get("coordinate_transformation_mode") == _OUTSIDE
    if crops and (roi is None or roi.size != 2 * len(axes)):
        return None
    for place, (axis, value) in enumerate(zip(axes, values.tolist(), strict=True)):
        part = [float(roi[place]), float(roi[len(axes) + place])] if crops and roi is not None else [0.0, 1.0]
        if (value != (shape[axis] if name == "size" else 1)) or part != [0.0, 1.0]:
            found[axis] = {name: value, "roi": part}
    return found


def _matrix(size: int, target: Mapping[str, Any], settings: Mapping[str, Any], opset: int) -> tuple[Array, Array]:
    """What an axis is multiplied by, `[after, before]`, and which of its places lie outside."""
    onnx = onnx_model.library()
    helper = onnx.helper
    first, last = target["roi"]
    tensors = [("roi", np.array([0, 0, first, 0, 1, 1, last, 1], np.float32))]
    if "size" in target:
        tensors.append(("sizes", np.array([1, size + 1, target["size"], 1], np.int64)))
    else:
        tensors.append(("scales", np.array([1, 1, target["scale"], 1], np.float32)))
    inputs = ["x", "roi", *(["", "sizes"] if "size" in target else ["scales"])]
    node = helper.make_node("Resize", inputs, ["y"], **settings)
    ends = [
        helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, (1, size + 1, size, 1)),
        helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None),
    ]
    weights = [onnx.numpy_helper.from_array(array, name) for name, array in tensors]
    graph = helper.make_graph([node], "axis", ends[:1], ends[1:], weights)
    version = helper.make_opsetid("", max(opset, 11))
    model = helper.make_model(graph, opset_imports=[version], ir_version=8)
    x = np.concatenate([np.eye(size, dtype=np.float32), np.ones((1, size), np.float32)])
    (found,) = run.session(model.SerializeToString(), 1).run(None, {"x": x[None, :, :, None]})
    by_place = found[0, :, :, 0]
    return by_place[:-1].T, np.asarray(np.abs(by_place[-1]) < 0.5)


def _along(written: Written, value: str, axis: int, rank: int, matrix: Array, dtype: np.dtype[Any]) -> str:
    """An axis multiplied by a matrix, by as few numbers as it has in a row."""
    taps = int((matrix != 0).sum(1).max(initial=1))
    if taps > _TAPS:
        return _multiplied(written, value, axis, rank, matrix.astype(dtype))
    order = np.argsort(matrix == 0, axis=1, kind="stable")[:, :taps]
    weights = np.take_along_axis(matrix, order, 1)
    found = ""
    for tap in range(taps):
        part = written.node("Gather", value, written.constant(order[:, tap]), axis=axis)
        if not (weights[:, tap] == 1).all() and dtype.kind not in "iub":
            lying = [-1 if place == axis else 1 for place in range(rank)]
            part = written.node("Mul", part, written.constant(weights[:, tap].reshape(lying).astype(dtype)))
        found = written.node("Add", found, part) if found else part
    return found


def _multiplied(written: Written, value: str, axis: int, rank: int, matrix: Array) -> str:
    if axis == rank - 1:
        return written.node("MatMul", value, written.constant(np.ascontiguousarray(matrix.T)))
    if axis == rank - 2:
        return written.node("MatMul", written.constant(matrix), value)
    order = [place for place in range(rank) if place != axis] + [axis]
    last = written.node("Transpose", value, perm=order)
    product = written.node("MatMul", last, written.constant(np.ascontiguousarray(matrix.T)))
    return written.node("Transpose", product, perm=[int(place) for place in np.argsort(order)])


RULES: Mapping[str, Any] = {"Resize": _resized}
