"""ONNX files: read, shorn of their weights, their shapes inferred, and made a Graph.

A model is carried without the values of its weights: their shapes and types stay, so it is small, and it can be filled
with random numbers and run. What is a setting rather than a weight keeps its values: single numbers, short lists of
integers, and what `Resize` is told.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forerun.errors import ForerunError, InputError, ToolMissing, UsageError

MOST_BYTES = (1 << 31) - 1
"""What protobuf can hold in one message."""
MOST_SIZE = 1 << 31
"""What an open size may be set to."""
_STANDARD = frozenset(("", "ai.onnx"))
"""The domains of ONNX's own operators."""
_SETTING = 64
"""Integers that a list of settings may have."""
_TOLD = {"Resize": (1, 2, 3), "Upsample": (1,)}
"""Inputs that are settings although they are lists of floats."""


def library() -> Any:
    """The module `onnx`. Raises ToolMissing."""
    try:
        import onnx
        import onnx.inliner
        import onnx.parser
        import onnx.shape_inference
    except ImportError as error:
        raise ToolMissing("ONNX models need onnx", str(error), "pip install --force-reinstall forerun") from error
    return onnx


def load(path: Path) -> Any:
    """A ModelProto without the values of its weights. Raises InputError, ToolMissing."""
    try:
        size = os.stat(path).st_size  # noqa: PTH116 - one call for missing, forbidden and too large
        if size > MOST_BYTES:
            raise InputError(f"{path} is too large", f"it has {size:,} bytes, protobuf takes 2 GiB", _EXTERNAL)
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}", error.strerror or str(error), "name an ONNX file") from error
    return parse(data, str(path))


_EXTERNAL = "export it with its weights in a file of their own (external data): only their shapes are read"


def written(text: str, name: str = "the text") -> Any:
    """A ModelProto, as `parse` gives it, of a text in ONNX's own syntax. Raises InputError, ToolMissing."""
    onnx = library()
    try:
        model = onnx.parser.parse_model(text)
    except Exception as error:  # the parser's own exceptions differ between its versions
        why = next(
            (line for line in str(error).split("\n") if "]" not in line[:3] and line.strip()), "it cannot be read"
        )
        raise InputError(f"{name} is no network in ONNX's syntax", why.strip(), "export it again") from error
    return parse(model.SerializeToString(), name)


def parse(data: bytes, name: str = "the model") -> Any:
    """A ModelProto without the values of its weights. Raises InputError, ToolMissing."""
    onnx = library()
    try:
        model = onnx.ModelProto.FromString(data)
    except Exception as error:  # protobuf's own exceptions differ between its versions
        raise damaged(name, str(error)) from error
    if not model.ir_version or not model.opset_import or not model.graph.output:
        raise damaged(name, "it has no version, no operator set or no output")
    newest = onnx.defs.onnx_opset_version()
    if (asked := opset(model)) > newest:
        why = f"onnx {onnx.__version__} knows them up to {newest}"
        raise InputError(f"{name} has operators of opset {asked}", why, "export it for an older one, or update onnx")
    if model.functions:
        model = _guarded(name, onnx.inliner.inline_local_functions, model)
    shear(model.graph)
    return model


def damaged(name: str, why: str) -> InputError:
    """The error about a file that cannot be read."""
    return InputError(f"{name} is no ONNX model, or damaged", why.partition("\n")[0], "export it again")


def _guarded(name: str, function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except ForerunError:
        raise
    except Exception as error:  # the library's own exceptions share no base
        raise damaged(name, str(error)) from error


def shear(graph: Any) -> None:
    """Takes the values of all weights out of a GraphProto, in place."""
    kept = told(graph)
    named = [(tensor.name, tensor) for tensor in graph.initializer]
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.HasField("t"):
                named.append((node.output[0], attribute.t))
            for inner in _inner(attribute):
                shear(inner)
    for name, tensor in named:
        if not is_setting(tensor) and name not in kept:
            _empty(tensor)


def told(graph: Any) -> set[str]:
    """The names of lists of floats that are settings."""
    return {node.input[i] for node in graph.node for i in _TOLD.get(node.op_type, ()) if i < len(node.input)}


def is_setting(tensor: Any) -> bool:
    """Single numbers, and short lists of integers or texts, that lie in the file itself."""
    count = math.prod(tensor.dims)
    of_integers = tensor.data_type in (6, 7, 8, 9)  # INT32, INT64, STRING, BOOL
    return not tensor.external_data and (count <= 1 or (of_integers and len(tensor.dims) < 3 and count <= _SETTING))


_DATA = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data",
         "external_data", "data_location")  # fmt: skip


def _empty(tensor: Any) -> None:
    for name in _DATA:
        tensor.ClearField(name)


def is_empty(tensor: Any) -> bool:
    """Whether a TensorProto has lost its values."""
    return not any(len(getattr(tensor, name)) for name in _DATA[:-1]) and math.prod(tensor.dims) > 0


def symbols(model: Any) -> list[str]:
    """The names of the sizes of its inputs that are known only when it runs, `?` for those without a name."""
    sizes = (size for value in inputs(model.graph) for size in value.type.tensor_type.shape.dim)
    return list(dict.fromkeys(s.dim_param or "?" for s in sizes if not s.HasField("dim_value")))


def inputs(graph: Any) -> list[Any]:
    """The inputs of a GraphProto that are not weights."""
    weights = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def fix(model: Any, sizes: Mapping[str, int]) -> Any:
    """The model with symbolic sizes of its inputs set, in place. Raises UsageError for a name that it has not."""
    if unknown := sorted(set(sizes) - set(symbols(model))):
        there = ", ".join(symbols(model)) or "none"
        raise UsageError(f"the model has no size {unknown[0]!r}", f"its symbolic sizes: {there}", "name one of them")
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for size in value.type.tensor_type.shape.dim:
            name = "" if size.HasField("dim_value") else size.dim_param or "?"
            if name in sizes:
                size.dim_value = sizes[name]
    return model


def infer(model: Any, name: str = "the model") -> Any:
    """The model with the shapes of all values, as far as they can be known. Raises InputError."""
    return _guarded(name, lambda: library().shape_inference.infer_shapes(model, data_prop=True))


def valued(node: Any) -> Any:
    """What a constant holds, as a TensorProto with the name of its output; None for texts and sparse ones."""
    onnx, (attribute, *_) = library(), node.attribute
    if attribute.name == "value":
        tensor = onnx.TensorProto()
        tensor.CopyFrom(attribute.t)
        tensor.name = node.output[0]
        return tensor
    kinds = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    if attribute.name not in kinds:
        return None
    told = onnx.helper.get_attribute_value(attribute)
    return onnx.numpy_helper.from_array(np.array(told, kinds[attribute.name]), node.output[0])


def replace_nodes(graph: Any, nodes: Iterable[Any]) -> None:
    """Gives a GraphProto other nodes, some of which may be its own."""
    kept = [*nodes]
    del graph.node[:]
    graph.node.extend(kept)


def nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a GraphProto that are no constants."""
    return (node for node in graph.node if not (node.op_type == "Constant" and not node.domain))


def every(graph: Any) -> Iterator[Any]:
    """The nodes of a GraphProto, and of the branches in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in _inner(attribute):
                yield from every(inner)


def standard(node: Any) -> bool:
    """Whether its operator is one of ONNX's own."""
    return node.domain in _STANDARD


def opset(model: Any) -> int:
    """The version of ONNX's own operators that a model has; 0 where it does not say."""
    return max((each.version for each in model.opset_import if each.domain in _STANDARD), default=0)


def operators(graph: Any) -> tuple[str, ...]:
    """The names of a GraphProto's operators."""
    return tuple(node.op_type for node in nodes(graph))


def captured(node: Any) -> list[str]:
    """Names that the subgraphs of a node read and do not make: values from around them."""
    inner = [found for attribute in node.attribute for found in _inner(attribute)]
    nodes = [each for found in inner for each in found.node]
    made = {name for each in nodes for name in each.output}
    made |= {value.name for found in inner for value in (*found.input, *found.initializer)}
    read = [name for each in nodes for name in (*each.input, *captured(each))]
    return list(dict.fromkeys(name for name in read if name and name not in made))


def check_sizes(model: Any, name: str = "the model", others: Sequence[str] = ()) -> None:
    """Raises UsageError where an input has a size that is known only when the model runs, or none at all; `others` are
    names that were given sizes and that it has not."""
    found = symbols(model)
    if found or any(not value.type.tensor_type.HasField("shape") for value in inputs(model.graph)):
        example = " ".join(f"--size {name}=1" for name in found) or "export it with fixed shapes"
        why = f"open sizes: {', '.join(found) or 'all'}"
        if others:
            why += f"; {' and '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} none of its sizes"
        raise UsageError(f"inputs of {name} have no fixed shape", why, example)


def tensors(graph: Any) -> Iterator[Any]:
    """Every TensorProto of a GraphProto that may be a weight: initialisers and what constants hold, also inside."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.HasField("t"):
                yield attribute.t
            for inner in _inner(attribute):
                yield from tensors(inner)


def rewrite(light: Any, whole: Any, nodes: Sequence[Any], tensors: Sequence[Any]) -> None:
    """Gives a model, and what it is without the values of its weights, other nodes, most of them `light`'s own, and
    more constants. Nodes with branches keep those that have weights."""
    own = {node.output[0]: node for node in whole.graph.node if branches(node)}
    replace_nodes(light.graph, nodes)
    replace_nodes(whole.graph, [own.get(node.output[0], node) for node in nodes])
    for each in (light, whole):
        each.graph.initializer.extend(tensors)


def branches(node: Any) -> list[Any]:
    """The subgraphs of a node."""
    return [inner for attribute in node.attribute for inner in _inner(attribute)]


def _inner(attribute: Any) -> Iterator[Any]:
    """The subgraphs of an attribute."""
    yield from [attribute.g] if attribute.HasField("g") else []
    yield from attribute.graphs
