"""A network as text for a language model: short, without names, the same for the same structure.

    input 1x3x32x32
    Conv 16xcx3x3 pads=1 > sx16xsxs BatchNormalization c*4
    5x {
    Relu Conv cxcx3x3 pads=1 BatchNormalization c*4
    Add ^4 ^1
    }

A node is its operator, inputs, attributes that differ from the default, and after `>` shapes of its outputs. The next
one stands on the same line unless its inputs begin with a reference.

- Inputs: `^2` is the last value but one, `$1` the model's first input, `16x3x3x3` a weight's shape, `[0,-1]` and `0.5`
  settings that are given as tensors, `_` one that is left out. A first input `^1` is not written.
- `c` is the channels of the first value read: its second size with four sizes or more, else its last. It stands for
  such a size of a weight (the first two where it has more than two).
- `c*4` is the same input four times. Lists whose numbers are all the same are one number: `pads=1`.
- Outputs that have shape and type of the first value read are not written; among several, `~` is such a one, `_` one
  that nothing uses. In a shape with as many sizes as that value's, `s` is a size that is the same. `?1` is a size known
  only when the model runs, `?` an unknown one. Types that are not float32 stand behind a shape: `1x77:i64`.
- `output ^1 ^5` at the end names the outputs where they are not just the last value.
- Repeated blocks are folded (`forerun.toolchains.onnx.fold`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from forerun.errors import InputError
from forerun.toolchains.onnx.fold import fold, unfold
from forerun.toolchains.onnx.graph import Constant, Dim, Graph, Node, Operand, Parameter, Setting, Value

_NAME = r"(?:[A-Z]\w*|[A-Za-z_][\w\-]*(?:\.[\w\-]+)+)"
"""With a capital, or behind its domain: no other word looks so."""
_OPERATOR = re.compile(rf" (?={_NAME}(?: |$))")
_WORD = re.compile(r"[\w.\-,]+")


def text(graph: Graph) -> str:
    """The text, its repeated blocks folded. Raises InputError where an operator's name is none."""
    return "\n".join(_joined(fold(flat(graph))))


def flat(graph: Graph) -> list[str]:
    """A line for each node, without folds: what `unfolded` gives of the text. Raises InputError."""
    return list(_Writer(graph).lines())


def unfolded(text: str) -> list[str]:
    """A line for each node of a text. Raises ValueError where its folds do not fit together."""
    return unfold([node for line in text.split("\n") for node in _OPERATOR.split(line)])


def operators(text: str) -> Counter[str]:
    """How often each operator stands in a text, folds counted out: for those who count instead of read.

    Raises ValueError where the folds do not fit together.
    """
    return Counter(_kinds(unfolded(text)))


def _kinds(lines: Sequence[str]) -> Iterator[str]:
    words = (line.partition(" ")[0] for line in lines)
    return (word for word in words if word not in ("input", "output"))


def _joined(lines: Sequence[str]) -> Iterator[str]:
    chain = ""
    for line in lines:
        operator, _, rest = line.partition(" ")
        if chain and re.fullmatch(_NAME, operator) and not rest.startswith(("^", "$")):
            chain += f" {line}"
            continue
        yield from [chain] if chain else []
        chain = line if re.fullmatch(_NAME, operator) else ""
        yield from [] if chain else [line]
    yield from [chain] if chain else []


_NEW = -1
"""A size that no value has."""


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.symbols: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        values = self.graph.values
        yield from (f"input {self._value(value)}" for value in values[: self.graph.inputs])
        made = self.graph.inputs
        for node in self.graph.nodes:
            yield self._line(node, made)
            made += sum(place is not None for place in node.outputs)
        if self.graph.outputs != (made - 1,):
            yield " ".join(["output", *(self._reference(place, made) for place in self.graph.outputs)])

    def _line(self, node: Node, made: int) -> str:
        if not re.fullmatch(_NAME, node.operator):
            raise InputError("the model has an operator without a proper name", repr(node.operator), "export it again")
        first = next((self.graph.values[place] for place in node.reads), None)
        inputs = node.inputs[1:] if node.inputs and node.inputs[0] == made - 1 else node.inputs
        words = [self._operand(operand, made, _channels(first)) for operand in inputs]
        settings = [f"{name}={_setting(value)}" for name, value in node.attributes]
        return " ".join([node.operator, *_counted(words), *settings, *self._outputs(node, first)])

    def _operand(self, operand: Operand, made: int, channels: Dim) -> str:
        if isinstance(operand, int):
            return self._reference(operand, made)
        if isinstance(operand, Parameter):
            return _weight(operand, channels)
        return "_" if operand is None else _constant(operand)

    def _reference(self, place: int, made: int) -> str:
        return f"${place + 1}" if place < self.graph.inputs else f"^{made - place}"

    def _outputs(self, node: Node, first: Value | None) -> list[str]:
        found = [None if place is None else self.graph.values[place] for place in node.outputs]
        if all(value == first for value in found):
            return []
        return [">", *("_" if v is None else "~" if v == first else self._value(v, first) for v in found)]

    def _value(self, value: Value, like: Value | None = None) -> str:
        if value.shape is None:
            return _typed("?", value.dtype)
        other = like.shape if like and like.shape and len(like.shape) == len(value.shape) else [_NEW] * len(value.shape)
        sizes = ("s" if a == b is not None else self._dim(a) for a, b in zip(value.shape, other, strict=True))
        return _typed("x".join(sizes) or "scalar", value.dtype)

    def _dim(self, size: Dim) -> str:
        if isinstance(size, str):
            return self.symbols.setdefault(size, f"?{len(self.symbols) + 1}")
        return "?" if size is None else str(size)


def _channels(value: Value | None) -> Dim:
    if value is None or not value.shape:
        return None
    return value.shape[1] if len(value.shape) >= 4 else value.shape[-1]


def _weight(parameter: Parameter, channels: Dim) -> str:
    named = 2 if len(parameter.shape) > 2 else len(parameter.shape)
    sizes = ["c" if i < named and size == channels else str(size) for i, size in enumerate(parameter.shape)]
    return _typed("x".join(sizes) or "scalar", parameter.dtype)


def _typed(shape: str, dtype: str) -> str:
    return shape if dtype == "f32" else f"{shape}:{dtype}"


def _constant(constant: Constant) -> str:
    words = ",".join(
        json.dumps(v).replace(" ", "\\u0020") if isinstance(v, str) else _scalar(v) for v in constant.values
    )
    usual = "i64" if all(isinstance(v, int) and not isinstance(v, bool) for v in constant.values) else "f32"
    shape = "" if len(constant.shape) < 2 else "@" + "x".join(map(str, constant.shape))
    return (
        (words if constant.shape == () else f"[{words}]")
        + shape
        + _typed("", constant.dtype) * (constant.dtype != usual)
    )


def _scalar(value: float | int | bool | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else json.dumps(value).replace(" ", "\\u0020")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _setting(value: Setting) -> str:
    if isinstance(value, Constant):
        return _constant(value)
    if not isinstance(value, tuple):
        return _scalar(value)
    words = [*map(_scalar, value)]
    return words[0] if len(set(words)) == 1 else ",".join(words) or "[]"


def _counted(words: Sequence[str]) -> Iterator[str]:
    runs = ((word, len(list(run))) for word, run in groupby(words))
    return (word if count == 1 else f"{word}*{count}" for word, count in runs)
