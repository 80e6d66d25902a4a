"""Operators of ONNX on 8-bit integers that stand for numbers, as operators on floats.

A number is `scale * (whole - zero)`. Products are taken of the whole numbers themselves, as float32: sums of products
are exact up to 2^24, as far as the 8 bits of a result see, and kernels of floats are fast on any processor. Other
functions are those of the numbers. https://onnx.ai/onnx/operators/onnx__QLinearConv.html,
https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from forerun.toolchains.onnx.facts import Array, Given
from forerun.toolchains.onnx.written import Written

_FLOAT = 1
_EXACT = 1 << 24
"""Whole numbers up to which all are a float32."""
_MICROSOFT = "com.microsoft."
SMALL = 17
"""From here on ONNX counts types of 8 bits with a point, and of fewer bits."""
_OF_FOUR_BITS = (21, 22)
"""uint4 and int4."""
_OWN = frozenset(("channels_last", "opset"))
"""Attributes of Microsoft's operators that ONNX's have not: where the channels are, and whose softmax is meant."""


def _whole(given: Given, written: Written, value: int, zero: int, shape: Sequence[int] = ()) -> str:
    """An input less its zero, as float32; `shape` is the zero's where there is one for each channel."""
    cast = written.node("Cast", given.input(value), to=_FLOAT)
    known = given.constant(zero)
    if not given.input(zero) or (known is not None and not known.any()):
        return cast
    return written.node("Sub", cast, _factor(given, written, zero, shape))


def _factor(given: Given, written: Written, place: int, shape: Sequence[int] = ()) -> str:
    """A scale or zero as float32."""
    known = given.constant(place)
    if known is not None:
        return written.constant(_lying(known, shape))
    cast = written.node("Cast", given.input(place), to=_FLOAT)
    many = shape and given.shape(place) not in ([], [1])
    return written.shaped(cast, shape) if many else cast


def _lying(known: Any, shape: Sequence[int] = ()) -> Array:
    """Known scales in a shape, a single one in none."""
    array = np.asarray(known, np.float32)
    return array.reshape(()) if array.size == 1 else array.reshape(shape or array.shape)


def _scaled(
    given: Given, written: Written, first: int, second: int, made: int, shape: Sequence[int] = (), alpha: float = 1.0
) -> str:
    """What products of whole numbers are multiplied by: both scales by that of the result, where there is one."""
    known = [given.constant(place) if given.input(place) else np.float32(1) for place in (first, second, made)]
    if all(each is not None for each in known):
        a, b, c = _lying(known[0]), _lying(known[1], shape), _lying(known[2])
        return written.constant(np.asarray(np.float32(alpha) * (a * b) / c))
    product = written.node("Mul", _factor(given, written, first), _factor(given, written, second, shape))
    if alpha != 1:
        product = written.node("Mul", product, written.constant(np.float32(alpha)))
    return written.node("Div", product, _factor(given, written, made)) if given.input(made) else product


def _rounded(given: Given, written: Written, steps: str, zero: int, dtype: Any) -> bool:
    """The result, of `steps` from its zero: to the next whole number, halves to the even one, within the type."""
    about = np.iinfo(dtype)
    value = written.node("Round", steps)
    if given.input(zero):
        value = written.node("Add", value, _factor(given, written, zero))
    least = written.node("Max", value, written.constant(np.float32(about.min)))
    most = written.node("Min", least, written.constant(np.float32(about.max)))
    written.node("Cast", most, to=_code(dtype), output=given.output(0))
    return True


def _code(dtype: Any) -> int:
    from forerun.toolchains.onnx.model import library

    return int(library().helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def _bytes(given: Given, *places: int) -> Any:
    """The type of the first of these inputs that is there and known; None where it is no integer of 8 or 16 bits."""
    for place in places:
        dtype = given.dtype(place) if given.input(place) else None
        if dtype is not None:
            return dtype if dtype.kind in "iu" and dtype.itemsize <= 2 else None
    return None


def _convolution(given: Given, written: Written) -> bool:
    """x, its scale and zero, weights, theirs, the result's, and a bias in products of scales."""
    dtype, weights = _bytes(given, 7), given.shape(3)
    if dtype is None or weights is None:
        return False
    ones = [1] * (len(weights) - 2)
    operands = [
        _whole(given, written, 0, 2),
        _whole(given, written, 3, 5, [weights[0], 1, *ones]),
        *([written.node("Cast", given.input(8), to=_FLOAT)] if given.input(8) else []),
    ]
    sums = written.node("Conv", *operands, **given.told)
    # With as many dimensions as the sums have, or TVM would bring those to another layout first.
    scale = _scaled(given, written, 1, 4, 6, [1, weights[0], *ones])
    return _rounded(given, written, written.node("Mul", sums, scale), 7, dtype)


def _product(given: Given, written: Written) -> bool:
    """a, its scale and zero, b, its, and the result's; those of `a` may be one for each row, of `b` for each column."""
    dtype = _bytes(given, 7)
    rows = next((known.size for place in (1, 2) if (known := given.constant(place)) is not None and known.ndim), 1)
    if dtype is None or rows > 1 or any(given.dtype(place) is None for place in (0, 3)):
        return False
    sums = written.node("MatMul", _whole(given, written, 0, 2), _whole(given, written, 3, 5))
    return _rounded(given, written, written.node("Mul", sums, _scaled(given, written, 1, 4, 6)), 7, dtype)


def _dense(given: Given, written: Written) -> bool:
    """Of Microsoft: a, its scale and zero, b, its, a bias, and the result's; without them the result is a float."""
    a, b = _whole(given, written, 0, 2), _whole(given, written, 3, 5)
    dtype = _bytes(given, 8) if given.input(7) else np.float32
    if dtype is None:
        return False
    a, b = (
        written.node("Transpose", each, perm=[1, 0]) if given.told.get(name) else each
        for each, name in ((a, "transA"), (b, "transB"))
    )
    sums = written.node("MatMul", a, b)
    if given.input(6):
        sums = written.node("Add", sums, written.node("Cast", given.input(6), to=_FLOAT))
    scale = _scaled(given, written, 1, 4, 7, alpha=given.told.get("alpha", 1.0))
    if dtype is np.float32:
        written.node("Mul", sums, scale, output=given.output(0))
        return True
    return _rounded(given, written, written.node("Mul", sums, scale), 8, dtype)


def _exact(given: Given, place: int, zero: int) -> bool:
    """Whether sums of products with these weights and 8 bits are exact in float32, whatever they are of."""
    weights, less = given.constant(place), given.constant(zero)
    if weights is None or (given.input(zero) and less is None):
        return False
    rows = weights.reshape(weights.shape[0], -1).astype(np.int64)
    rows = rows - (0 if less is None else less.reshape(-1, 1).astype(np.int64))
    return bool(np.abs(rows).sum(1).max(initial=0) * 255 < _EXACT)


def _whole_convolution(given: Given, written: Written) -> bool:
    """x, weights, and their zeros; the result has 32 bits."""
    weights = given.shape(1)
    if weights is None:
        return False
    channels = [weights[0], *[1] * (len(weights) - 1)]
    operands = [_whole(given, written, 0, 2), _whole(given, written, 1, 3, channels)]
    if not _exact(given, 1, 3):
        operands = [written.node("Cast", each, to=_code(np.float64)) for each in operands]
    sums = written.node("Conv", *operands, **given.told)
    written.node("Cast", sums, to=_code(np.int32), output=given.output(0))
    return True


def _dynamic(given: Given, written: Written) -> bool:
    """To 8 bits, by the least and the largest of its numbers; zeros alone have the scale 1, as in onnxruntime."""
    zero, most = written.constant(np.float32(0)), written.constant(np.float32(255))
    high, low = (
        written.node(kind, written.node(f"Reduce{kind}", given.input(0), keepdims=0), zero) for kind in ("Max", "Min")
    )
    span = written.node("Sub", high, low)
    flat = written.node("Equal", span, zero)
    one = written.constant(np.float32(1))
    scale = written.node("Where", flat, one, written.node("Div", span, most), output=given.output(1))
    place = written.node("Round", written.node("Sub", zero, written.node("Div", low, scale)))
    place = written.node("Min", written.node("Max", place, zero), most)
    written.node("Cast", place, to=_code(np.uint8), output=given.output(2))
    steps = written.node("Add", written.node("Round", written.node("Div", given.input(0), scale)), place)
    within = written.node("Min", written.node("Max", steps, zero), most)
    written.node("Cast", within, to=_code(np.uint8), output=given.output(0))
    return True


def _to_float(given: Given, written: Written) -> bool | str:
    """Of Microsoft: a product of 8 bits as a float: a, b, their scales, their zeros, and a bias."""
    if any(given.dtype(place) is None for place in (0, 1)):
        return "what it reads has a type that is known only when it runs"
    sums = written.node("MatMul", _whole(given, written, 0, 4), _whole(given, written, 1, 5))
    scale = written.node("Mul", _factor(given, written, 2), _factor(given, written, 3))
    found = written.node("Mul", sums, scale, output="" if given.input(6) else given.output(0))
    if given.input(6):
        written.node("Add", found, given.input(6), output=given.output(0))
    return True


def _dynamic_product(given: Given, written: Written) -> bool | str:
    """Of Microsoft: a, which is quantised while it runs, b, its scale and zero, and a bias."""
    if given.dtype(1) is None:
        return "what it reads has a type that is known only when it runs"
    steps, scale, zero = (f"{written.name}/{name}" for name in ("steps", "scale", "zero"))
    written.nodes.append(_made("DynamicQuantizeLinear", [given.input(0)], [steps, scale, zero]))
    whole = written.node("Sub", written.node("Cast", steps, to=_FLOAT), written.node("Cast", zero, to=_FLOAT))
    sums = written.node("MatMul", whole, _whole(given, written, 1, 3))
    factor = written.node("Mul", scale, _factor(given, written, 2))
    found = written.node("Mul", sums, factor, output="" if given.input(4) else given.output(0))
    if given.input(4):
        written.node("Add", found, given.input(4), output=given.output(0))
    return True


def _made(kind: str, inputs: Sequence[str], outputs: Sequence[str]) -> Any:
    from forerun.toolchains.onnx.model import library

    return library().helper.make_node(kind, inputs, outputs)


def _number(given: Given, written: Written, value: int, scale: int, zero: int) -> str:
    """What an input stands for."""
    return written.node("Mul", _whole(given, written, value, zero), _factor(given, written, scale))


def _of_numbers(kind: str, triples: Sequence[int], made: int, given: Given, written: Written) -> bool:
    """An operator on the numbers that inputs stand for, each with its scale and zero behind it; at `made` are the
    result's."""
    dtype = _bytes(given, made + 1, *triples)
    told = {name: value for name, value in given.told.items() if name not in _OWN}
    last = bool(given.told.get("channels_last"))
    if dtype is None or given.told.get("opset", 13) < 13 or (last and given.shape(0) is None):
        return False
    values = [_number(given, written, place, place + 1, place + 2) for place in triples]
    ahead, behind = [given.input(0)] if kind == "Where" else [], len(given.shape(0) or ()) - 1
    if last:
        values = [written.node("Transpose", each, perm=[0, behind, *range(1, behind)]) for each in values]
    found = written.node(kind, *ahead, *values, **told)
    if last:
        found = written.node("Transpose", found, perm=[0, *range(2, behind + 1), 1])
    steps = written.node("Div", found, _factor(given, written, made))
    return _rounded(given, written, steps, made + 1, dtype)


def _joined(given: Given, written: Written) -> bool:
    """The result's scale and zero come first."""
    return _of_numbers("Concat", range(2, len(given.node.input), 3), 0, given, written)


def _along(given: Given, known: Array | None) -> list[int] | None:
    """The shape in which scales lie along an axis; empty for a single one, None where it is not known."""
    if known is None or known.ndim == 0 or known.size == 1:
        return []
    shape = given.shape(0)
    if shape is None or known.ndim != 1 or given.told.get("block_size"):
        return None
    axis = given.told.get("axis", 1)
    return [known.size if place == axis % len(shape) else 1 for place in range(len(shape))]


def _read(given: Given, written: Written) -> bool:
    """Of Microsoft: 8 and 16 bits as what they stand for."""
    along = _along(given, given.constant(1))
    if along is None:
        return False
    whole = _whole(given, written, 0, 2, along)
    written.node("Mul", whole, _factor(given, written, 1, along), output=given.output(0))
    return True


def _stored(given: Given, written: Written) -> bool:
    """Of Microsoft: numbers as 8 or 16 bits, one scale for all."""
    dtype = _bytes(given, 2) if given.input(2) else np.uint8
    if dtype is None or _along(given, given.constant(1)) != []:
        return False
    return _rounded(given, written, written.node("Div", given.input(0), _factor(given, written, 1)), 2, dtype)


def _in_blocks(given: Given, written: Written) -> bool | str:
    """Weights as numbers that have a scale for every few of them along an axis, or fewer than 8 bits."""
    size, axis = given.told.get("block_size", 0), given.told.get("axis", 1)
    if not size and given.facts.types.get(given.input(0), 0) < SMALL:
        return False
    whole, scales, zeros = (given.constant(place) for place in range(3))
    if whole is None or scales is None or (given.input(2) and zeros is None):
        return "what is quantised in blocks, or to fewer than 8 bits, is known where it is a weight"
    lying = [-1 if place == axis % whole.ndim else 1 for place in range(whole.ndim)]

    def spread(values: Array) -> Array:
        if not size:
            return _lying(values, lying)
        return values.astype(np.float32).repeat(size, axis).take(range(whole.shape[axis]), axis)

    less = np.float32(0) if zeros is None else spread(zeros)
    numbers = (whole.astype(np.float32) - less) * spread(scales)
    written.node("Identity", written.constant(numbers.astype(scales.dtype)), output=given.output(0))
    return True


def _gathered(given: Given, written: Written) -> bool | str:
    """Of Microsoft: rows of weights in blocks."""
    if given.facts.types.get(given.input(0)) not in _OF_FOUR_BITS:
        return "its weights are known as int4 and uint4, not several in a byte"
    told, parts = given.told, [given.input(place) for place in (0, 2, 3) if given.input(place)]
    blocks = {"axis": told.get("quantize_axis", 1), "block_size": told.get("block_size", 128)}
    numbers = written.node("DequantizeLinear", *parts, **blocks)
    written.node("Gather", numbers, given.input(1), axis=told.get("gather_axis", 0), output=given.output(0))
    return True


def _embedded(given: Given, written: Written) -> bool:
    """Of Microsoft: tables, scale and shift of a norm in 8 bits, their scales and their zeros behind the mask."""
    parts = [
        written.node("DequantizeLinear", *(given.input(place + each) for each in (0, 6, 11)), domain="com.microsoft")
        if given.input(place)
        else ""
        for place in range(2, 7)
    ]
    made = _made("EmbedLayerNormalization", [*given.node.input[:2], *parts, given.input(7)], given.node.output)
    made.domain = given.node.domain
    made.attribute.extend(given.node.attribute)
    written.nodes.append(made)
    return True


_SINGLE = {
    "QLinearSigmoid": "Sigmoid",
    "QLinearLeakyRelu": "LeakyRelu",
    "QLinearGlobalAveragePool": "GlobalAveragePool",
    "QLinearAveragePool": "AveragePool",
    "QLinearSoftmax": "Softmax",
}
RULES: Mapping[str, Any] = {
    "QLinearConv": _convolution,
    "QLinearMatMul": _product,
    "ConvInteger": _whole_convolution,
    "DequantizeLinear": _in_blocks,
    "DynamicQuantizeLinear": _dynamic,
    f"{_MICROSOFT}QGemm": _dense,
    f"{_MICROSOFT}MatMulIntegerToFloat": _to_float,
    f"{_MICROSOFT}DynamicQuantizeMatMul": _dynamic_product,
    f"{_MICROSOFT}QLinearAdd": partial(_of_numbers, "Add", (0, 3), 6),
    f"{_MICROSOFT}QLinearMul": partial(_of_numbers, "Mul", (0, 3), 6),
    f"{_MICROSOFT}QLinearConcat": _joined,
    f"{_MICROSOFT}QLinearWhere": partial(_of_numbers, "Where", (1, 4), 7),
    f"{_MICROSOFT}DequantizeLinear": _read,
    f"{_MICROSOFT}QuantizeLinear": _stored,
    f"{_MICROSOFT}GatherBlockQuantized": _gathered,
    f"{_MICROSOFT}QEmbedLayerNormalization": _embedded,
    **{_MICROSOFT + name: partial(_of_numbers, kind, (0,), 3) for name, kind in _SINGLE.items()},
}
