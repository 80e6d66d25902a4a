"""Operators of ONNX that are no functions by its own words, and yet are made of others where sizes are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from forerun.toolchains.onnx.bodies import opened
from forerun.toolchains.onnx.facts import Array, Given
from forerun.toolchains.onnx.written import Written

_OPEN = "what it reads has a size that is known only when it runs"


def _one_hot(given: Given, written: Written) -> bool | str:
    """Which class each index is, those from the end too; https://onnx.ai/onnx/operators/onnx__OneHot.html."""
    depth, shape, dtype = given.constant(1), given.shape(0), given.dtype(0)
    if depth is None:
        return "how many classes it has is known only when it runs"
    if shape is None or dtype is None:
        return _OPEN
    classes, rank = int(depth.ravel()[0]), len(shape) + 1
    axis = given.told.get("axis", -1) % rank
    index = written.shaped(given.input(0), [*shape[:axis], 1, *shape[axis:]])
    if dtype.kind != "u":
        below = written.node("Less", index, written.constant(np.zeros((), dtype)))
        ahead = written.node("Add", index, written.constant(np.array(classes, dtype)))
        index = written.node("Where", below, ahead, index)
    lying = [-1 if place == axis else 1 for place in range(rank)]
    hit = written.node("Equal", index, written.constant(np.arange(classes).astype(dtype).reshape(lying)))
    off, on = (written.node("Gather", given.input(2), written.constant(np.array(place)), axis=0) for place in (0, 1))
    written.node("Where", hit, on, off, output=given.output(0))
    return True


def _pooled(given: Given, written: Written) -> bool | str:
    """Maxima and where they lie, https://onnx.ai/onnx/operators/onnx__MaxPool.html: the importer knows no places."""
    if not given.output(1):
        return False
    shape, dtype, made = given.shape(0), given.dtype(0), given.facts.shapes.get(given.output(0))
    if shape is None or dtype is None or made is None:
        return _OPEN
    if given.told.get("auto_pad", "NOTSET") != "NOTSET":
        return "places of maxima are known with pads that are told alone"
    windows = _windows(given.told, shape[2:], made[2:])
    count, taps = windows.shape
    flat = written.shaped(given.input(0), [*shape[:2], math.prod(shape[2:])])
    values = written.node("Gather", flat, written.constant(np.maximum(windows, 0)), axis=2)
    if (windows < 0).any():
        least = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
        values = written.node("Where", written.constant(windows < 0), written.constant(np.array(least, dtype)), values)
    first = written.node("ArgMax", values, axis=3, keepdims=0)
    window = written.node("Add", first, written.constant(np.arange(count) * taps))
    if given.told.get("storage_order"):
        windows = np.ravel_multi_index(np.unravel_index(np.maximum(windows, 0), shape[2:]), shape[2:], order="F")
    place = written.node("Gather", written.constant(windows.ravel()), window, axis=0)
    images = np.arange(shape[0] * shape[1]).reshape(*shape[:2], 1) * math.prod(shape[2:])
    written.shaped(written.node("Add", place, written.constant(images)), made, output=given.output(1))
    told = {name: value for name, value in given.told.items() if name != "storage_order"}
    written.node("MaxPool", given.input(0), output=given.output(0), **told)
    return True


def _windows(told: Mapping[str, Any], sizes: Sequence[int], made: Sequence[int]) -> Array:
    """What each window holds, `[windows, places]`, as places of a flat image; -1 is outside."""
    rank, kernel = len(sizes), told["kernel_shape"]
    strides, dilations = (told.get(name, [1] * rank) for name in ("strides", "dilations"))
    pads = told.get("pads", [0] * 2 * rank)
    rows = []
    for axis in range(rank):
        starts = np.arange(made[axis])[:, None] * strides[axis] - pads[axis]
        rows.append(starts + np.arange(kernel[axis]) * dilations[axis])
    grids = np.meshgrid(*(row.ravel() for row in rows), indexing="ij")
    inside = np.all([(grid >= 0) & (grid < size) for grid, size in zip(grids, sizes, strict=True)], axis=0)
    flat = np.ravel_multi_index(tuple(np.where(inside, grid, 0) for grid in grids), tuple(sizes))
    split = np.where(inside, flat, -1).reshape([size for row in rows for size in row.shape])
    order = [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)]
    return np.asarray(split.transpose(order).reshape(math.prod(made), -1))


def _folded(given: Given, written: Written) -> bool | str:
    """Windows put together to an image, https://onnx.ai/onnx/operators/onnx__Col2Im.html: as a transposed convolution,
    of each channel with a window that has one 1 for each of its places."""
    image, kernel, shape = given.constant(1), given.constant(2), given.shape(0)
    if image is None or kernel is None or shape is None:
        return _OPEN
    rank, taps = len(image), int(kernel.prod())
    strides, dilations = (given.told.get(name, [1] * rank) for name in ("strides", "dilations"))
    pads, dtype, channels = given.told.get("pads", [0] * 2 * rank), given.dtype(0), shape[1] // taps
    reach = [d * (int(k) - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    padded = [int(size) + pads[axis] + pads[axis + rank] for axis, size in enumerate(image)]
    counts = [(whole - own) // step + 1 for whole, own, step in zip(padded, reach, strides, strict=True)]
    left = [
        whole - (count - 1) * step - own for whole, count, step, own in zip(padded, counts, strides, reach, strict=True)
    ]
    weights = np.tile(np.eye(taps, dtype=dtype), (channels, 1)).reshape(channels * taps, 1, *kernel.tolist())
    written.node(
        "ConvTranspose", written.shaped(given.input(0), [*shape[:2], *counts]), written.constant(weights),
        output=given.output(0), group=channels, strides=strides, dilations=dilations, pads=pads, output_padding=left,
    )  # fmt: skip
    return True


def _transposed(given: Given, written: Written) -> bool | str:
    """A transposed convolution that is told how large its result is, or to be as large as its steps say: the importer
    knows pads alone. https://onnx.ai/onnx/operators/onnx__ConvTranspose.html"""
    told, shape, weights = dict(given.told), given.shape(0), given.shape(1)
    automatic, asked = told.pop("auto_pad", "NOTSET"), told.pop("output_shape", None)
    if asked is None and automatic in ("NOTSET", "VALID"):
        return False
    if shape is None or weights is None:
        return _OPEN
    rank = len(shape) - 2
    strides, dilations = (told.get(name, [1] * rank) for name in ("strides", "dilations"))
    behind = told.get("output_padding", [0] * rank)
    sizes = asked[-rank:] if asked is not None else [n * step for n, step in zip(shape[2:], strides, strict=True)]
    before, after, left = [], [], []
    for axis in range(rank):
        whole = strides[axis] * (shape[2 + axis] - 1) + dilations[axis] * (weights[2 + axis] - 1) + 1 + behind[axis]
        over = max(whole - sizes[axis], 0)
        small, large = over // 2, over - over // 2
        before.append(small if automatic != "SAME_LOWER" else large)
        after.append(large if automatic != "SAME_LOWER" else small)
        left.append(behind[axis] + max(sizes[axis] - whole, 0))
    told |= {"pads": before + after, "output_padding": left}
    written.node("ConvTranspose", *given.node.input, output=given.output(0), **told)
    return True


def _dropped(given: Given, written: Written) -> bool | str:
    """Nothing is, and the mask says so, https://onnx.ai/onnx/operators/onnx__Dropout.html."""
    training = given.constant(2) if given.input(2) else np.array(False)
    if training is None or training.any():
        return "it drops at random: export the network in evaluation mode"
    if given.output(1) and given.shape(0) is None:
        return _OPEN
    written.node("Identity", given.input(0), output=given.output(0))
    if given.output(1):
        kept = written.constant(np.array(True))
        sizes = written.constant(np.array(given.shape(0), np.int64))
        written.node("Expand", kept, sizes, output=given.output(1))
    return True


def _infinite(given: Given, written: Written) -> bool:
    """Of one sign alone: the importer knows both."""
    up, down = (given.told.get(f"detect_{sign}", 1) for sign in ("positive", "negative"))
    dtype = given.dtype(0)
    if (up and down) or dtype is None:
        return False
    wanted = np.inf if up else -np.inf if down else np.nan
    written.node("Equal", given.input(0), written.constant(np.array(wanted, dtype)), output=given.output(0))
    return True


def _over_all(given: Given, written: Written) -> bool | str:
    """The importer's kernel cannot take all axes together."""
    shape = given.shape(0)
    return opened(given, written) if shape and given.told.get("axis", -1) % len(shape) == 0 else False


def _moved(given: Given, written: Written) -> bool | str:
    """The importer knows one order of channels."""
    return opened(given, written) if given.told.get("mode", "DCR") != "DCR" else False


def _trained(given: Given, written: Written) -> bool | str:
    """The importer takes the means that were learned."""
    training = given.told.get("training_mode")
    return "it is in training mode: export the network in evaluation mode" if training else False


def _aligned(given: Given, written: Written) -> bool | str:
    """The importer takes maxima of other places."""
    return "maxima of regions are not known, their means are" if given.told.get("mode") == "max" else False


def _expanded(given: Given, written: Written) -> bool | str:
    """The importer takes sizes for those of the result, which are the larger ones of both."""
    return False if given.constant(1) is not None else "its sizes are known only when it runs"


def _cut(given: Given, written: Written) -> bool | str:
    """TVM has no kernel of what is cut out where data say so."""
    known = all(given.constant(place) is not None for place in range(1, len(given.node.input)) if given.input(place))
    return False if known else "where it begins and ends is known only when it runs"


def _filled(given: Given, written: Written) -> bool | str:
    """TVM has no kernel of a size that data say."""
    return False if given.constant(0) is not None else "its sizes are known only when it runs"


def _window(given: Given, written: Written) -> bool | str:
    """TVM cannot multiply as many numbers as data say."""
    return opened(given, written) if given.constant(0) is not None else "its size is known only when it runs"


RULES: Mapping[str, Any] = {
    "CastLike": opened,
    "OneHot": _one_hot,
    "MaxPool": _pooled,
    "Col2Im": _folded,
    "ConvTranspose": _transposed,
    "Dropout": _dropped,
    "IsInf": _infinite,
    "RMSNormalization": _over_all,
    "SpaceToDepth": _moved,
    "BatchNormalization": _trained,
    "RoiAlign": _aligned,
    "Expand": _expanded,
    "Slice": _cut,
    "ConstantOfShape": _filled,
    **dict.fromkeys(("HannWindow", "HammingWindow", "BlackmanWindow"), _window),
}
