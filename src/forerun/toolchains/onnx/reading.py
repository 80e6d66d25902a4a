"""From a ModelProto with inferred shapes to a Graph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from forerun.errors import InputError
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.graph import Constant, Dim, Graph, Node, Operand, Parameter, Setting, Value, canonical

_TYPES = {"FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "STRING": "str", "BOOL": "bool",
          "COMPLEX64": "c64", "COMPLEX128": "c128", "UNDEFINED": "?"}  # fmt: skip
_OPEN = {"strides": 1, "dilations": 1, "pads": 0}
"""Lists whose default, this number for each axis, stands in the operators' descriptions and not in their schemas."""


def graph(model: Any, name: str = "the model") -> Graph:
    """The canonical Graph of a ModelProto. Raises InputError where it is damaged, ToolMissing."""
    return canonical(_Reader(proto.infer(model, name), name).read())


def dtype(number: int) -> str:
    """The short name of an element type."""
    names = {v: k for k, v in proto.library().TensorProto.DataType.items()}
    long = names.get(number, "UNDEFINED")
    return _TYPES.get(long) or long.lower().replace("uint", "u").replace("int", "i").replace("float", "f")


class _Reader:
    def __init__(self, model: Any, name: str) -> None:
        self.name = name
        self.proto = model.graph
        self.opsets = {o.domain or "": o.version for o in model.opset_import}
        self.known = {v.name: _value(v) for v in (*self.proto.value_info, *self.proto.output)}
        self.values: list[Value] = []
        self.operands: dict[str, Operand] = {"": None}

    def read(self) -> Graph:
        inputs = proto.inputs(self.proto)
        for value in inputs:
            self._define(value.name, _value(value))
        self._weights()
        nodes = tuple(self._node(node) for node in proto.nodes(self.proto))
        outputs = [self._operand(value.name) for value in self.proto.output]
        made = tuple(place for place in outputs if isinstance(place, int))
        if not made:
            raise InputError(f"{self.name} computes nothing", "its outputs are constants", "export it again")
        return Graph(tuple(self.values), len(inputs), nodes, made)

    def _weights(self) -> None:
        told = proto.told(self.proto)
        constants = [n for n in self.proto.node if n.op_type == "Constant" and not n.domain]
        tensors = [*((t.name, t) for t in self.proto.initializer)]
        for node in constants:
            attribute = node.attribute[0]
            if attribute.HasField("t"):
                tensors.append((node.output[0], attribute.t))
            else:
                self.operands[node.output[0]] = _plain(proto.library().helper.get_attribute_value(attribute))
        for place, (name, tensor) in enumerate(tensors):
            kept = proto.is_setting(tensor) or name in told
            self.operands[name] = (
                _constant(tensor)
                if kept and not proto.is_empty(tensor)
                else Parameter(tuple(tensor.dims), dtype(tensor.data_type), place)
            )

    def _define(self, name: str, value: Value) -> int:
        if name in self.operands:
            raise proto.damaged(self.name, f"two values are called {name!r}")
        self.operands[name] = len(self.values)
        self.values.append(value)
        return len(self.values) - 1

    def _operand(self, name: str) -> Operand:
        if name not in self.operands:
            raise proto.damaged(self.name, f"nothing makes the value {name!r} before it is used")
        return self.operands[name]

    def _node(self, node: Any) -> Node:
        read = tuple(self._operand(name) for name in node.input)
        while read and read[-1] is None:
            read = read[:-1]
        read += tuple(self._operand(name) for name in proto.captured(node) if name in self.operands)
        made = tuple(
            self._define(name, self.known.get(name, Value(None, "?"))) if name else None for name in node.output
        )
        domain = "" if proto.standard(node) else node.domain
        defaults = _defaults(node.op_type, domain, self.opsets.get(domain, 1))
        found = sorted((a.name, _attribute(a)) for a in node.attribute)
        kept = tuple((k, v) for k, v in found if not _is_default(k, v, defaults, self._kernel(node, read)))
        return Node(f"{domain}.{node.op_type}".lstrip("."), read, made, kept)

    def _kernel(self, node: Any, read: tuple[Operand, ...]) -> tuple[int, ...] | None:
        weight = read[1] if node.op_type.startswith("Conv") and len(read) > 1 else None
        return weight.shape[2:] if isinstance(weight, Parameter) else None


def _is_default(name: str, value: Setting, defaults: Mapping[str, Setting], kernel: tuple[int, ...] | None) -> bool:
    if name in _OPEN and isinstance(value, tuple):
        return all(number == _OPEN[name] for number in value)
    return (name == "kernel_shape" and value == kernel) or (name in defaults and defaults[name] == value)


@cache
def _defaults(operator: str, domain: str, version: int) -> Mapping[str, Setting]:
    """The defaults that an operator's schema names; none where there is no schema."""
    onnx = proto.library()
    try:
        schema = onnx.defs.get_schema(operator, version, domain)
    except onnx.defs.SchemaError:
        return {}
    given = {name: a.default_value for name, a in schema.attributes.items()}
    return {name: _attribute(value) for name, value in given.items() if value.type}


def _attribute(attribute: Any) -> Setting:
    onnx = proto.library()
    if attribute.type == onnx.AttributeProto.GRAPH:
        return proto.operators(attribute.g)
    if attribute.type == onnx.AttributeProto.TENSOR:
        return _constant(attribute.t)
    return _tidy(onnx.helper.get_attribute_value(attribute))


def _tidy(value: Any) -> Setting:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | int | str):
        return value
    if hasattr(value, "__iter__"):
        return tuple(_tidy(v) for v in value)  # type: ignore[return-value]
    return type(value).__name__


def _plain(value: Any) -> Constant:
    values = _tidy(value)
    flat = values if isinstance(values, tuple) else (values,)
    shape = (len(flat),) if isinstance(values, tuple) else ()
    return Constant(flat, shape, "i64" if all(isinstance(v, int) for v in flat) else "f32")  # type: ignore[arg-type]


def _constant(tensor: Any) -> Constant:
    values = proto.library().numpy_helper.to_array(tensor)
    flat = tuple(v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in values.ravel().tolist())
    return Constant(flat, tuple(tensor.dims), dtype(tensor.data_type))


def _value(value: Any) -> Value:
    kind = value.type.tensor_type
    shape = tuple(map(_dim, kind.shape.dim)) if kind.HasField("shape") else None
    return Value(shape, dtype(kind.elem_type))


def _dim(size: Any) -> Dim:
    known = size.HasField("dim_value") and size.dim_value >= 0  # some exporters write -1 where they do not know
    return int(size.dim_value) if known else size.dim_param or None
