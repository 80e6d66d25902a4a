"""From a Graph to an ONNX model whose weights have shapes and no values, and networks put together node by node."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from forerun.toolchains.onnx.graph import Constant, Graph, Node, Operand, Parameter, Setting, Value, canonical
from forerun.toolchains.onnx.model import library

OPSET, _IR = 17, 8
"""What models are written for: understood by every onnxruntime that is supported."""
_NUMBERS = {"f32": 1, "u8": 2, "i8": 3, "i32": 6, "i64": 7, "str": 8, "bool": 9, "f16": 10, "f64": 11, "bf16": 16}


def serialised(graph: Graph) -> bytes:
    """The model of a Graph that has default-domain operators of opset 17. Raises ToolMissing."""
    onnx = library()
    helper, names = onnx.helper, [f"v{i}" for i in range(len(graph.values))]
    weights: dict[str, Any] = {}
    nodes = [_node(helper, node, names, weights) for node in graph.nodes]
    inputs = [_info(helper, names[i], graph.values[i]) for i in range(graph.inputs)]
    outputs = [_info(helper, names[i], graph.values[i]) for i in graph.outputs]
    proto = helper.make_graph(nodes, "g", inputs, outputs, list(weights.values()))
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)
    return bytes(model.SerializeToString())


def _node(helper: Any, node: Node, names: Sequence[str], weights: dict[str, Any]) -> Any:
    read = [_operand(helper, operand, names, weights) for operand in node.inputs]
    made = ["" if place is None else names[place] for place in node.outputs]
    settings = {name: _setting(helper, value) for name, value in node.attributes}
    return helper.make_node(node.operator, read, made, **settings)


def _operand(helper: Any, operand: Operand, names: Sequence[str], weights: dict[str, Any]) -> str:
    if operand is None:
        return ""
    if isinstance(operand, int):
        return names[operand]
    name = f"w{operand.place}" if isinstance(operand, Parameter) else f"s{len(weights)}"
    if name not in weights:
        weights[name] = _tensor(helper, name, operand)
    return name


def _tensor(helper: Any, name: str, operand: Parameter | Constant) -> Any:
    if isinstance(operand, Constant):
        return helper.make_tensor(name, _NUMBERS[operand.dtype], operand.shape, operand.values)
    tensor = library().TensorProto(name=name, data_type=_NUMBERS[operand.dtype])
    tensor.dims.extend(operand.shape)
    return tensor


def _setting(helper: Any, value: Setting) -> Any:
    return _tensor(helper, "", value) if isinstance(value, Constant) else value


def _info(helper: Any, name: str, value: Value) -> Any:
    return helper.make_tensor_value_info(name, _NUMBERS[value.dtype], value.shape)


Sizes = tuple[int, ...]


class Builder:
    """A network of float32 values, each named by its place. Methods give the place of what they add.

    Images are `[N, C, H, W]`, sequences `[N, T, D]`.
    """

    def __init__(self, *inputs: Sizes, dtype: str = "f32") -> None:
        self.values = [Value(shape, dtype) for shape in inputs]
        self.inputs = len(inputs)
        self.nodes: list[Node] = []
        self.weights = 0

    def graph(self, *outputs: int) -> Graph:
        """The canonical network, whose output is the last value where none is named."""
        return canonical(Graph(tuple(self.values), self.inputs, tuple(self.nodes), outputs or (len(self.values) - 1,)))

    def shape(self, place: int) -> Sizes:
        """The shape of a value."""
        found = self.values[place].shape
        assert found and all(isinstance(size, int) for size in found)
        return found  # type: ignore[return-value]

    def weight(self, *shape: int) -> Parameter:
        """A new weight."""
        self.weights += 1
        return Parameter(shape, place=self.weights)

    def node(
        self, operator: str, inputs: Sequence[Operand], shape: Sizes, *more: Sizes | None, **settings: Setting
    ) -> int:
        """Any operator, with the shapes of its outputs; the place of the first that is used."""
        first = len(self.values)
        places: list[int | None] = []
        for each in (shape, *more):
            places.append(None if each is None else len(self.values))
            self.values += [] if each is None else [Value(each)]
        self.nodes.append(Node(operator, tuple(inputs), tuple(places), tuple(sorted(settings.items()))))
        return first

    def each(self, operator: str, x: int, *others: Operand, **settings: Setting) -> int:
        """Element by element, other values broadcast."""
        shapes = [self.shape(x), *(self._operand_shape(other) for other in others)]
        return self.node(operator, (x, *others), _broadcast(shapes), **settings)

    def _operand_shape(self, operand: Operand) -> Sizes:
        if isinstance(operand, int):
            return self.shape(operand)
        return () if operand is None else operand.shape

    def conv(self, x: int, channels: int, kernel: int, stride: int = 1, groups: int = 1, bias: bool = False) -> int:
        """Convolution with a square kernel and half its size as padding."""
        n, c, *size = self.shape(x)
        pad = kernel // 2
        weight = self.weight(channels, c // groups, *[kernel] * len(size))
        settings = _given(strides=(stride,) * len(size), pads=(pad,) * 2 * len(size), group=groups)
        out = [(s + 2 * pad - kernel) // stride + 1 for s in size]
        return self.node("Conv", (x, weight, *([self.weight(channels)] * bias)), (n, channels, *out), **settings)

    def norm(self, x: int) -> int:
        """Batch normalisation."""
        c = self.shape(x)[1]
        return self.node("BatchNormalization", (x, *(self.weight(c) for _ in range(4))), self.shape(x))

    def layer_norm(self, x: int) -> int:
        """Layer normalisation of the last axis."""
        d = self.shape(x)[-1]
        return self.node("LayerNormalization", (x, self.weight(d), self.weight(d)), self.shape(x))

    def pool(self, kind: str, x: int, kernel: int, stride: int, pad: int = 0) -> int:
        """`AveragePool` or `MaxPool` with a square window."""
        n, c, *size = self.shape(x)
        window = {"kernel_shape": (kernel,) * len(size)}
        settings = _given(strides=(stride,) * len(size), pads=(pad,) * 2 * len(size))
        out = [(s + 2 * pad - kernel) // stride + 1 for s in size]
        return self.node(kind, (x,), (n, c, *out), **window, **settings)

    def global_pool(self, x: int) -> int:
        """The mean of each channel, `[N, C]`."""
        n, c, *size = self.shape(x)
        return self.flatten(self.node("GlobalAveragePool", (x,), (n, c, *[1] * len(size))))

    def flatten(self, x: int) -> int:
        """`[N, everything else]`."""
        n, *rest = self.shape(x)
        return self.node("Flatten", (x,), (n, math.prod(rest)))

    def linear(self, x: int, out: int, bias: bool = True) -> int:
        """`[N, D]` by Gemm, more axes by MatMul with Add."""
        *lead, width = self.shape(x)
        if len(lead) == 1:
            weights = (self.weight(out, width), *([self.weight(out)] * bias))
            return self.node("Gemm", (x, *weights), (*lead, out), transB=1)
        y = self.node("MatMul", (x, self.weight(width, out)), (*lead, out))
        return self.each("Add", y, self.weight(out)) if bias else y

    def matmul(self, a: int, b: int) -> int:
        """The product of two values of the same leading axes."""
        return self.node("MatMul", (a, b), (*self.shape(a)[:-1], self.shape(b)[-1]))

    def reshape(self, x: int, *shape: int) -> int:
        """Another shape of as many elements."""
        return self.node("Reshape", (x, Constant(shape, (len(shape),), "i64")), shape)

    def transpose(self, x: int, *order: int) -> int:
        """The axes in another order."""
        return self.node("Transpose", (x,), tuple(self.shape(x)[axis] for axis in order), perm=order)

    def concat(self, *parts: int, axis: int = 1) -> int:
        """Values behind one another."""
        shape = list(self.shape(parts[0]))
        shape[axis] = sum(self.shape(part)[axis] for part in parts)
        return self.node("Concat", parts, tuple(shape), axis=axis)


def _given(**settings: Setting) -> dict[str, Setting]:
    """Without those that have their default, which a Graph leaves out."""
    defaults = {"strides": {1}, "pads": {0}, "group": {1}}
    return {k: v for k, v in settings.items() if set(v if isinstance(v, tuple) else [v]) != defaults[k]}


def _broadcast(shapes: Sequence[Sizes]) -> Sizes:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(sizes) for sizes in zip(*padded, strict=True))
