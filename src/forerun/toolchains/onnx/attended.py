"""Attention of onnxruntime's own operators, as products, masks and softmax.

Names of shapes: batch, heads, steps of queries, total steps of keys, size of a head.
https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.fused import OPEN, widened
from forerun.toolchains.onnx.written import Written

LEAST = float(np.finfo(np.float32).min)
"""What is added to scores of what is not seen."""
_NONE = 1 << 10
"""The place of an input that an operator has not."""


def _attention(given: Given, written: Written) -> bool | str:
    """Input, weights of queries, keys and values, biases, a mask, past keys and values, what is added to scores."""
    told, shape, weights = given.told, given.shape(0), given.shape(1)
    if told.get("do_rotary") or told.get("past_present_share_buffer") or given.input(6):
        return "rotations, and past values in a buffer of their own, are not known: export it without"
    if shape is None or weights is None or (given.input(4) and given.shape(4) is None):
        return OPEN
    if given.dtype(0) != np.float32:
        return OPEN if given.dtype(0) is None else "it is known for float32 and float16"
    projected = written.node("MatMul", given.input(0), given.input(1))
    if given.input(2):
        projected = written.node("Add", projected, given.input(2))
    return _of_projection(given, written, projected, shape, weights[1], (4, 3, 5))


def _quantised(given: Given, written: Written) -> bool | str:
    """Input and weights in 8 bits, biases, both scales, a mask, both zeros, and past keys and values."""
    shape, weights = given.shape(0), given.shape(1)
    if given.told.get("do_rotary"):
        return "rotations are not known: export it without"
    if shape is None or weights is None or (given.input(8) and given.shape(8) is None):
        return OPEN
    parts = (given.input(place) for place in (0, 1, 3, 4, 6, 7, 2))
    projected = written.node("MatMulIntegerToFloat", *parts, domain="com.microsoft")
    return _of_projection(given, written, projected, shape, weights[1], (8, 5, _NONE))


def _of_projection(
    given: Given, written: Written, projected: str, shape: Sequence[int], width: int, places: tuple[int, int, int]
) -> bool | str:
    """Queries, keys and values side by side, of an input's shape; `places` are those of what is past, of a mask and of
    what is added to scores."""
    past_at, *masks = places
    heads, sizes = given.told["num_heads"], given.told.get("qkv_hidden_sizes") or [width // 3] * 3
    ends = np.cumsum([0, *sizes])
    parts = [written.slice(projected, 2, int(a), int(b)) for a, b in pairwise(ends)]
    query, key, value = (by_heads(written, part, heads) for part in parts)
    past = 0
    if before := given.input(past_at):
        past = (given.shape(past_at) or ())[3]
        key, value = (
            written.node("Concat", _half(written, before, place), new, axis=2) for place, new in ((0, key), (1, value))
        )
    if given.output(1):
        one = written.constant(np.array([0], np.int64))
        axes = [_unsqueezed(given, written, each, one) for each in (key, value)]
        written.node("Concat", *axes, axis=0, output=given.output(1))
    sized = (shape[0], shape[1], shape[1] + past)
    return _attended(given, written, (query, key, value), sized, (masks[0], masks[1]), sizes[0] // heads)


def _unsqueezed(given: Given, written: Written, value: str, axis: str) -> str:
    """With a first axis more; which axis is an input from opset 13 on."""
    if given.facts.opset < 13:
        return written.node("Unsqueeze", value, axes=[0])
    return written.node("Unsqueeze", value, axis)


def _half(written: Written, past: str, place: int) -> str:
    """Past keys or values of a pair of them."""
    return written.node("Gather", past, written.constant(np.array(place)), axis=0)


def by_heads(written: Written, value: str, heads: int) -> str:
    """`[batch, steps, heads * size]` as `[batch, heads, steps, size]`."""
    return written.node("Transpose", written.shaped(value, [0, 0, heads, -1]), perm=[0, 2, 1, 3])


def _many_headed(given: Given, written: Written) -> bool | str:
    """Queries, keys, values, biases of all, a mask, what is added to scores, past keys and past values."""
    told, shape, keys, values = given.told, given.shape(0), given.shape(1), given.shape(2)
    if given.input(8) or given.input(9) or given.output(3):
        return "past values in a buffer of their own, and scores as outputs, are not known: export it without"
    if not given.input(1) or not given.input(2):
        return "queries, keys and values in one input are not known: export them apart"
    if shape is None or keys is None or values is None or (given.input(6) and given.shape(6) is None):
        return OPEN
    if given.dtype(0) != np.float32:
        return OPEN if given.dtype(0) is None else "it is known for float32 and float16"
    if len(shape) != 3 or len(keys) not in (3, 4) or len(keys) != len(values):
        return "queries, keys and values packed together are not known: export them apart"
    heads, parts = told["num_heads"], [given.input(place) for place in range(3)]
    if given.input(3):
        ends = np.cumsum([0, shape[2], shape[2], values[2] if len(values) == 3 else heads * values[3]])
        for place, (start, end) in enumerate(pairwise(ends)):
            if place == 0 or len(keys) == 3:
                bias = written.slice(given.input(3), 0, int(start), int(end))
                parts[place] = written.node("Add", parts[place], bias)
    query = by_heads(written, parts[0], heads)
    key, value = (each if len(keys) == 4 else by_heads(written, each, heads) for each in parts[1:])
    past = 0
    if given.input(6):
        past = (given.shape(6) or ())[2]
        key, value = (written.node("Concat", given.input(place), new, axis=2) for place, new in ((6, key), (7, value)))
    for name, each in ((given.output(1), key), (given.output(2), value)):
        if name:
            written.node("Identity", each, output=name)
    sized = (shape[0], shape[1], past + keys[-2])
    return _attended(given, written, (query, key, value), sized, (4, 5), shape[2] // heads)


def _attended(
    given: Given,
    written: Written,
    parts: Sequence[str],
    sized: tuple[int, int, int],
    masks: tuple[int, int],
    size: int,
) -> bool | str:
    """Writes what is made of queries, keys and values by heads; `masks` are the places of the mask and of what is
    added to scores, `sized` the batch, the steps of queries and of keys."""
    query, key, value = parts
    scale = given.told.get("scale", 0.0) or 1 / math.sqrt(size)
    scores = written.node("MatMul", query, written.node("Transpose", key, perm=[0, 1, 3, 2]))
    scores = written.node("Mul", scores, written.constant(np.float32(scale)))
    least = given.told.get("mask_filter_value", -10000.0)
    if given.told.get("unidirectional"):
        _, steps, total = sized
        hidden = np.triu(np.full((steps, total), LEAST, np.float32), 1 + total - steps)
        scores = written.node("Add", scores, written.constant(hidden))
    if given.input(masks[0]):
        mask = _mask(given, written, masks[0], sized, least)
        if not mask:
            return OPEN if given.shape(masks[0]) is None else "a mask of this shape is not known"
        scores = written.node("Add", scores, mask)
    if given.input(masks[1]):
        scores = written.node("Add", scores, given.input(masks[1]))
    shares = written.node("Softmax", scores, axis=-1)
    found = written.node("Transpose", written.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    written.shaped(found, [0, 0, -1], output=given.output(0))
    return True


def _mask(given: Given, written: Written, place: int, sized: tuple[int, int, int], least: float) -> str:
    """What is added to scores: where the mask is 0, or beyond a text's end or before its start; empty where its shape
    is not known."""
    shape, name, (batch, steps, total) = given.shape(place), given.input(place), sized
    if shape in ([batch, total], [batch, steps, total]):
        lying = [batch, 1, 1 if len(shape) == 2 else steps, total]
        seen = written.node("Cast", written.shaped(name, lying), to=9)
    elif shape in ([batch], [2 * batch]):
        place_of = written.constant(np.arange(total, dtype=np.int32))
        ends = name if shape == [batch] else written.slice(name, 0, 0, batch)
        seen = written.node("Less", place_of, written.shaped(ends, [batch, 1, 1, 1]))
        if shape == [2 * batch]:
            start = written.shaped(written.slice(name, 0, batch, 2 * batch), [batch, 1, 1, 1])
            seen = written.node("And", seen, written.node("Not", written.node("Less", place_of, start)))
    else:
        return ""
    return hidden(written, seen, least)


def hidden(written: Written, seen: str, least: float) -> str:
    """What is added to scores, 0 where they are seen. It is a product, since a product of queries and keys that is
    fused with a choice has no design space in TVM."""
    unseen = written.node("Cast", written.node("Not", seen), to=1)
    return written.node("Mul", unseen, written.constant(np.float32(least)))


def _rotated(given: Given, written: Written) -> bool | str:
    """Pairs of an input's last axis turned by angles whose cosines and sines lie by places."""
    shape, places, cosines = given.shape(0), given.shape(1), given.shape(2)
    told, heads = given.told, given.told.get("num_heads", 0)
    if shape is None or places is None or cosines is None or given.dtype(0) is None:
        return OPEN
    if told.get("scale", 1.0) != 1 or told.get("is_packed_batching") or len(shape) not in (3, 4):
        return "its scale and packed texts are not known"
    value, four = given.input(0), len(shape) == 4
    size = shape[3] if four else (told.get("rotary_embedding_dim", 0) and shape[2] // heads) or 2 * cosines[1]
    turned = told.get("rotary_embedding_dim", 0) or size
    value = value if four else by_heads(written, value, shape[2] // size)
    steps, where = shape[2] if four else shape[1], given.input(1)
    if list(places) in ([1], []):
        start = written.node("Cast", where, to=7)
        where = written.shaped(written.node("Add", start, written.constant(np.arange(steps))), [1, steps])
    factors = []
    for place in (2, 3):
        found = written.node("Gather", given.input(place), where, axis=0)
        factors.append(written.shaped(found, [-1, 1, steps, turned // 2]))
    cosine, sine = factors
    own = written.slice(value, 3, 0, turned) if turned < size else value
    if told.get("interleaved"):
        pairs = written.shaped(own, [0, 0, 0, turned // 2, 2])
        first, second = (written.node("Gather", pairs, written.constant(np.array(each)), axis=4) for each in (0, 1))
    else:
        first, second = (written.slice(own, 3, each, each + turned // 2) for each in (0, turned // 2))
    left = written.node("Sub", written.node("Mul", first, cosine), written.node("Mul", second, sine))
    right = written.node("Add", written.node("Mul", first, sine), written.node("Mul", second, cosine))
    if told.get("interleaved"):
        lying = [written.shaped(each, [0, 0, 0, turned // 2, 1]) for each in (left, right)]
        made = written.shaped(written.node("Concat", *lying, axis=4), [0, 0, 0, turned])
    else:
        made = written.node("Concat", left, right, axis=3)
    if turned < size:
        made = written.node("Concat", made, written.slice(value, 3, turned, size), axis=3)
    if four:
        written.node("Identity", made, output=given.output(0))
    else:
        back = written.node("Transpose", made, perm=[0, 2, 1, 3])
        written.shaped(back, [0, 0, -1], output=given.output(0))
    return True


RULES: Mapping[str, Any] = {
    "com.microsoft.Attention": widened(_attention),
    "com.microsoft.QAttention": widened(_quantised),
    "com.microsoft.MultiHeadAttention": widened(_many_headed),
    "com.microsoft.RotaryEmbedding": _rotated,
}
