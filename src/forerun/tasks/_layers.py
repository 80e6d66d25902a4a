"""Layers of PyTorch: how many parameters they have, and arrays of what shape they give."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forerun.tasks._arrays import Layer, Shape, dims
from forerun.tasks._rules import Alloc

_FOUR = 4.0
"""Bytes of a parameter."""
_SIZES = (
    "in_features out_features in_channels out_channels kernel_size num_embeddings embedding_dim input_size hidden_size"
)
"""Arguments that are named as often as not, in the order in which they stand."""
_PARAMETERS: Mapping[str, Callable[..., float]] = {
    "Linear": lambda inner, out, *_: inner * out + out,
    "Bilinear": lambda one, other, out, *_: one * other * out,
    "Conv1d": lambda inner, out, k, *_: inner * out * k + out,
    "Conv2d": lambda inner, out, k, *_: inner * out * k * k + out,
    "Conv3d": lambda inner, out, k, *_: inner * out * k**3 + out,
    "ConvTranspose2d": lambda inner, out, k, *_: inner * out * k * k + out,
    "Embedding": lambda count, size, *_: count * size,
    "RNN": lambda inner, hidden, layers=1.0, *_: (inner + hidden) * hidden * layers,
    "GRU": lambda inner, hidden, layers=1.0, *_: 3 * (inner + hidden) * hidden * layers,
    "LSTM": lambda inner, hidden, layers=1.0, *_: 4 * (inner + hidden) * hidden * layers,
    "MultiheadAttention": lambda size, *_: 4 * size * size,
    "TransformerEncoderLayer": lambda size, heads, inner=2048.0, *_: 4 * size * size + 2 * size * inner,
}
PLAIN = frozenset(
    "ReLU LeakyReLU GELU SiLU ELU Tanh Sigmoid Softmax LogSoftmax Dropout Dropout2d BatchNorm1d BatchNorm2d LayerNorm"
    " GroupNorm Identity MaxPool1d MaxPool2d AvgPool2d AdaptiveAvgPool2d Flatten Upsample".split()
)
"""Without parameters to speak of."""
LAYERS = PLAIN | _PARAMETERS.keys()


def made(alloc: Alloc, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Layer:
    """`Linear(512, 10)`."""
    named = [options[each] for each in _SIZES.split() if isinstance(options.get(each), float)]
    given = [one[0] if isinstance(one, tuple) and one else one for one in (*arguments, *named)]
    sizes = tuple(one for one in given if isinstance(one, float))
    try:
        count = _PARAMETERS[name](*sizes) if name in _PARAMETERS else 0.0
    except (TypeError, ArithmeticError):  # sizes that are not known, or none
        count = 0.0
    return Layer(name, sizes, dict(options), alloc((count,), "f", _FOUR) if count else None)


def given(layer: Layer, shape: Shape | None) -> Shape | None:
    """The shape of what it gives for one of this."""
    name, sizes, options = layer.name, layer.sizes, layer.options or {}
    if not shape:
        return None
    if name in ("Linear", "RNN", "GRU", "LSTM") and len(sizes) > 1:
        return (*shape[:-1], sizes[1])
    if name == "Embedding" and len(sizes) > 1:
        return (*shape, sizes[1])
    if name == "Flatten":
        return (shape[0], math.prod(shape[1:]))
    if name.startswith("AdaptiveAvgPool") and sizes:
        return (*shape[:2], *(sizes[0] for _ in shape[2:]))
    if name.startswith(("MaxPool", "AvgPool")) and sizes and sizes[0] >= 1:
        return (*shape[:2], *(max(one // sizes[0], 1.0) for one in shape[2:]))
    if name.startswith("Conv") and len(sizes) > 2 and len(shape) > 2:
        step, more = (_option(options, *place, sizes) for place in (("stride", 3, 1.0), ("padding", 4, 0.0)))
        if options.get("padding") == "same":
            more = (sizes[2] - 1) / 2
        along = [_strided(one, sizes[2], step, more, "Transpose" in name) for one in shape[2:]]
        return (shape[0], sizes[1], *along)
    return shape


def kept(layer: Layer, shape: Shape | None) -> float:
    """Elements that stay for the gradients beside what it gives: of attention its weights and what goes in."""
    if layer.name not in ("MultiheadAttention", "TransformerEncoderLayer") or not shape or len(shape) < 3:
        return 0.0
    size, heads, inner = (*layer.sizes, 1.0, 2048.0)[:3] if len(layer.sizes) > 1 else (shape[-1], 1.0, 2048.0)
    first = (layer.options or {}).get("batch_first") is True
    batch, long = shape[:2] if first else (shape[1], shape[0])
    attention = 4 * math.prod(shape) + 2 * batch * heads * long * long
    if layer.name == "MultiheadAttention":
        return attention
    inner = told if isinstance(told := (layer.options or {}).get("dim_feedforward"), float) else inner
    return attention + math.prod(shape) * (5 + 2 * inner / max(size, 1.0))


def work(layer: Layer) -> float:
    """Multiplications and additions for an element of what it gives."""
    if layer.name.startswith("Conv") and len(layer.sizes) > 2:
        return 2 * layer.sizes[0] * layer.sizes[2] ** 2
    return 2 * layer.sizes[0] if layer.name in _PARAMETERS and layer.sizes else 1.0


def _option(options: Mapping[str, Any], name: str, place: int, usual: float, sizes: tuple[float, ...]) -> float:
    told = dims(options.get(name))
    return told[0] if told else sizes[place] if len(sizes) > place else usual


def _strided(size: float, kernel: float, step: float, more: float, back: bool) -> float:
    if back:
        return (size - 1) * step - 2 * more + kernel
    return max((size + 2 * more - kernel) // max(step, 1.0) + 1, 1.0)
