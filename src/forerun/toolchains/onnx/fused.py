"""Operators of onnxruntime's own that its tools fuse others to, as those others: activations, norms, products.

https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from forerun.toolchains.onnx.bodies import opened
from forerun.toolchains.onnx.facts import Array, Given, Rule
from forerun.toolchains.onnx.written import Written

OPEN = "what it reads has a size or type that is known only when it runs"
_MICROSOFT = "com.microsoft."
_NORMS = 17
"""The version of ONNX from which on it has norms of its own."""
_BITS = (2, 4, 8)
_FLOAT, HALF = 1, 10
"""Types, as ONNX counts them."""


def _number(given: Given, written: Written, value: float, place: int = 0) -> str:
    """A constant of the type of an input."""
    return written.constant(np.array(value, given.dtype(place)))


def _typed(rule: Rule) -> Rule:
    """A rule that is asked only when the type of the first input is known."""
    return lambda given, written: OPEN if given.dtype(0) is None else rule(given, written)


def widened(rule: Rule, others: tuple[int, ...] = ()) -> Rule:
    """A rule for float32, also for float16: it is computed in float32, as onnxruntime does. `others` are the places of
    outputs that are no halves then."""

    def asked(given: Given, written: Written) -> bool | str:
        halves = {place for place, _ in enumerate(given.node.input) if given.dtype(place) == np.float16}
        if not halves:
            return rule(given, written)
        if any(name and given.dtype(place) is None for place, name in enumerate(given.node.input)):
            return OPEN  # until what makes it is known
        inputs = [
            written.node("Cast", name, to=_FLOAT) if place in halves else name
            for place, name in enumerate(given.node.input)
        ]
        outputs = [
            f"{written.name}/wide{place}" if name and place not in others and _half(given, name) else name
            for place, name in enumerate(given.node.output)
        ]
        made = type(given.node)()
        made.CopyFrom(given.node)
        for values, names in ((made.input, inputs), (made.output, outputs)):
            del values[:]
            values.extend(names)
        written.nodes.append(made)
        for wide, name in zip(outputs, given.node.output, strict=True):
            if wide != name:
                written.node("Cast", wide, to=HALF, output=name)
        return True

    return asked


def _half(given: Given, name: str) -> bool:
    """Whether an output is one, as far as that is known."""
    return bool(given.facts.types.get(name, HALF) == HALF)


def _gelu(given: Given, written: Written) -> bool:
    """x (1 + erf(x / √2)) / 2, of x and a bias where there is one."""
    x = written.node("Add", given.input(0), given.input(1)) if given.input(1) else given.input(0)
    inner = written.node("Erf", written.node("Mul", x, _number(given, written, math.sqrt(0.5))))
    half = written.node("Mul", x, _number(given, written, 0.5))
    written.node("Mul", half, written.node("Add", inner, _number(given, written, 1)), output=given.output(0))
    return True


def _fast_gelu(given: Given, written: Written) -> bool:
    """x (1 + tanh(√(2/π) (x + .044715 x³))) / 2, of x and a bias where there is one."""
    x = written.node("Add", given.input(0), given.input(1)) if given.input(1) else given.input(0)
    square = written.node("Mul", written.node("Mul", x, x), _number(given, written, 0.044715))
    factor = written.node("Mul", written.node("Add", square, _number(given, written, 1)), x)
    inner = written.node("Tanh", written.node("Mul", factor, _number(given, written, math.sqrt(2 / math.pi))))
    half = written.node("Mul", x, _number(given, written, 0.5))
    written.node("Mul", half, written.node("Add", inner, _number(given, written, 1)), output=given.output(0))
    return True


def _quick_gelu(given: Given, written: Written) -> bool:
    """x sigmoid(alpha x)."""
    inner = written.node("Mul", given.input(0), _number(given, written, given.told.get("alpha", 1.702)))
    written.node("Mul", given.input(0), written.node("Sigmoid", inner), output=given.output(0))
    return True


def _mean(given: Given, written: Written, value: str) -> str:
    """Along the last axis, which stays."""
    if given.facts.opset < 18:
        return written.node("ReduceMean", value, axes=[-1], keepdims=1)
    return written.node("ReduceMean", value, written.constant(np.array([-1], np.int64)), keepdims=1)


def normalised(
    given: Given, written: Written, x: str, scale: str, bias: str, epsilon: float, outputs: tuple[str, str, str]
) -> None:
    """Writes the norm of the last axis with its mean and the inverse of its deviation, as far as they have a name."""
    mean = _mean(given, written, x)
    if outputs[1]:
        written.node("Identity", mean, output=outputs[1])
    _scaled(given, written, written.node("Sub", x, mean), scale, bias, epsilon, (outputs[0], outputs[2]))


def _scaled(
    given: Given, written: Written, x: str, scale: str, bias: str, epsilon: float, outputs: tuple[str, str]
) -> None:
    """What is divided by the root of the mean of its squares."""
    square = _mean(given, written, written.node("Mul", x, x))
    root = written.node("Sqrt", written.node("Add", square, written.constant(np.float32(epsilon))))
    inverse = written.node("Div", written.constant(np.float32(1)), root, output=outputs[1])
    found = written.node("Mul", written.node("Mul", x, inverse), scale, output="" if bias else outputs[0])
    if bias:
        written.node("Add", found, bias, output=outputs[0])


def _skipped(simple: bool, given: Given, written: Written) -> bool | str:
    """The norm of a sum, and the sum: input, skip, scale, and of the one with means a shift, then a bias."""
    if given.dtype(0) != np.float32:
        return OPEN if given.dtype(0) is None else "it is known for float32 and float16"
    bias = given.input(3 if simple else 4)
    total = written.node("Add", given.input(0), bias) if bias else given.input(0)
    total = written.node("Add", total, given.input(1), output=given.output(3))
    epsilon = given.told.get("epsilon", 1e-12)
    if simple:
        _scaled(given, written, total, given.input(2), "", epsilon, (given.output(0), given.output(2)))
    else:
        ends = (given.output(0), given.output(1), given.output(2))
        normalised(given, written, total, given.input(2), given.input(3), epsilon, ends)
    return True


def _simplified(given: Given, written: Written) -> bool | str:
    """Of the last axis: the scale, without means."""
    if given.dtype(0) != np.float32:
        return OPEN if given.dtype(0) is None else "it is known for float32 and float16"
    shape, axis = given.shape(0), given.told.get("axis", -1)
    if axis != -1 and (shape is None or axis != len(shape) - 1):
        return OPEN if shape is None else "it is known for the last axis alone"
    ends = (given.output(0), given.output(1))
    _scaled(given, written, given.input(0), given.input(1), "", given.told.get("epsilon", 1e-5), ends)
    return True


def _norm(given: Given, written: Written) -> bool | str:
    """onnxruntime writes ONNX's norm also where the version of ONNX has none yet; the importer has it without its mean
    and its deviation."""
    if given.facts.opset < _NORMS:
        return widened(_written_norm, (1, 2))(given, written)
    return opened(given, written) if given.output(1) or given.output(2) else False


def _written_norm(given: Given, written: Written) -> bool | str:
    """That norm, written."""
    rank = len(given.shape(0) or ())
    if given.dtype(0) is None or not rank:
        return OPEN
    if given.dtype(0) != np.float32 or given.told.get("axis", -1) % rank != rank - 1:
        return "it is known for float32 and float16 along the last axis alone"
    ends = (given.output(0), given.output(1), given.output(2))
    epsilon = given.told.get("epsilon", 1e-5)
    normalised(given, written, given.input(0), given.input(1), given.input(2), epsilon, ends)
    return True


def _embedded(given: Given, written: Written) -> bool | str:
    """Sums of what words, places and segments stand for, and their norm; how many words a mask lets through."""
    shape, dtype = given.shape(0), given.facts.dtype(given.input(2))
    if shape is None or dtype != np.float32:
        return OPEN if shape is None or dtype is None else "it is known for float32 and float16"
    words = written.node("Gather", given.input(2), given.input(0), axis=0)
    places = given.input(8) or written.constant(np.arange(shape[1])[None])
    total = written.node("Add", words, written.node("Gather", given.input(3), places, axis=0))
    if given.input(4):
        segments = given.input(1) or written.constant(np.zeros((1, 1), np.int64))
        total = written.node("Add", total, written.node("Gather", given.input(4), segments, axis=0))
    if given.output(2):
        written.node("Identity", total, output=given.output(2))
    epsilon = given.told.get("epsilon", 1e-12)
    normalised(given, written, total, given.input(5), given.input(6), epsilon, (given.output(0), "", ""))
    if given.output(1) and given.input(7):
        counted = written.node("Cast", given.input(7), to=1)
        ones = written.constant(np.ones((shape[1], 1), np.float32))
        count = written.shaped(written.node("MatMul", counted, ones), [shape[0]])
        written.node("Cast", count, to=6, output=given.output(1))
    elif given.output(1):
        written.node("Identity", written.constant(np.zeros(shape[0], np.int32)), output=given.output(1))
    return True


def _product(given: Given, written: Written) -> bool | str:
    """A product of what may be transposed, times alpha."""
    sides = []
    for place, name in enumerate("AB"):
        value, shape = given.input(place), given.shape(place)
        batch, last = given.told.get(f"transBatch{name}", 0), given.told.get(f"trans{name}", 0)
        if batch or last:
            if shape is None:
                return OPEN
            order = [*range(len(shape))]
            if batch:
                order = [*order[1:-1], 0, order[-1]]
            if last and len(order) > 1:
                order[-2:] = order[:-3:-1]
            value = written.node("Transpose", value, perm=order)
        sides.append(value)
    alpha = given.told.get("alpha", 1.0)
    if alpha == 1:
        written.node("MatMul", *sides, output=given.output(0))
        return True
    if given.dtype(0) is None:
        return OPEN
    written.node("Mul", written.node("MatMul", *sides), _number(given, written, alpha), output=given.output(0))
    return True


def _activated(kind: str, given: Given, written: Written) -> bool | str:
    """A product or convolution, to which another value may be added, and a function of it."""
    told = {name: value for name, value in given.told.items() if not name.startswith("activation")}
    name, numbers = given.told.get("activation", ""), [*given.told.get("activation_params", ())]
    numbers = numbers or [given.told[key] for key in ("activation_alpha", "activation_beta") if key in given.told]
    inputs = [each for each in (given.input(0), given.input(1), given.input(2)) if each]
    more = kind == "Conv" and bool(given.input(3))
    value = written.node(kind, *inputs, output="" if name or more else given.output(0), **told)
    if more:
        value = written.node("Add", value, given.input(3), output="" if name else given.output(0))
    if name == "Clip":
        if given.dtype(0) is None or len(numbers) != 2:
            return OPEN
        written.node(name, value, *(_number(given, written, each) for each in numbers), output=given.output(0))
    elif name in ("Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "HardSwish", "Elu", "Softplus"):
        settings = dict(zip(("alpha", "beta"), numbers, strict=False))
        written.node(name, value, output=given.output(0), **settings)
    elif name:
        return f"its activation {name} is not known"
    return True


def unpacked(packed: Array, bits: int) -> Array:
    """Numbers of few bits along the last axis, the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return (packed[..., None] >> shifts & np.uint8((1 << bits) - 1)).reshape(*packed.shape[:-1], -1)


def _few_bits(given: Given, written: Written) -> bool | str:
    """A product with weights of 2, 4 or 8 bits, `[N, blocks, bytes]`, each block with a scale and a zero point. They
    become numbers once, before anything runs, in up to eight times the memory: kernels are those of other products."""
    bits, size, n, k = (given.told.get(name, 0) for name in ("bits", "block_size", "N", "K"))
    bits = bits or 4
    weights, scales, dtype = given.constant(1), given.constant(2), given.dtype(0)
    if weights is None or scales is None or (given.input(3) and given.constant(3) is None):
        return "its packed weights are known where they are constants"
    if bits not in _BITS or given.input(4) or given.told.get("weight_prepacked"):
        return "its packed weights are known with 2, 4 or 8 bits, not in another order (g_idx, weight_prepacked)"
    if dtype is None:
        return OPEN
    blocks = -(-k // size)
    numbers = unpacked(weights.reshape(n, blocks, -1), bits).astype(np.float32)
    zeros = given.constant(3)
    if zeros is None:
        numbers -= 1 << (bits - 1)
    elif zeros.dtype == np.uint8:
        numbers -= unpacked(zeros.reshape(n, -1), bits)[:, :blocks, None]
    else:
        numbers -= zeros.reshape(n, blocks, 1).astype(np.float32)
    numbers *= scales.reshape(n, blocks, 1).astype(np.float32)
    whole = np.ascontiguousarray(numbers.reshape(n, -1)[:, :k].T).astype(dtype)
    bias = given.input(5)
    found = written.node("MatMul", given.input(0), written.constant(whole), output="" if bias else given.output(0))
    if bias:
        written.node("Add", found, bias, output=given.output(0))
    return True


RULES: Mapping[str, Any] = {
    "LayerNormalization": _norm,
    "SimplifiedLayerNormalization": widened(_simplified, (1,)),
    **{
        _MICROSOFT + name: rule
        for name, rule in {
            "Gelu": _typed(_gelu),
            "BiasGelu": _typed(_gelu),
            "FastGelu": _typed(_fast_gelu),
            "QuickGelu": _typed(_quick_gelu),
            "SkipLayerNormalization": widened(partial(_skipped, False), (1, 2)),
            "SkipSimplifiedLayerNormalization": widened(partial(_skipped, True), (1, 2)),
            "SimplifiedLayerNormalization": widened(_simplified, (1,)),
            "EmbedLayerNormalization": widened(_embedded, (1,)),
            "FusedMatMul": _product,
            "TransposeMatMul": _product,
            "FusedConv": partial(_activated, "Conv"),
            "FusedGemm": partial(_activated, "Gemm"),
            "MatMulNBits": _few_bits,
        }.items()
    },
}
