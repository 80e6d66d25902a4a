"""What of an ONNX graph follows from the sizes of its inputs alone, as constants instead of nodes.

Exporters write sizes that were open as nodes that read them while the network runs: `Shape`, `Gather`, `Concat`, then a
`Reshape` to what came of it. Where sizes are given it is known beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.toolchains.onnx import model as onnx_model

Array = NDArray[Any]

_READING = ("Shape", "Size")
_OPERATORS = frozenset(
    "Abs Add And Cast CastLike Ceil Concat ConstantOfShape Div Equal Expand Floor Gather Greater GreaterOrEqual"
    " Identity Less LessOrEqual Max Min Mod Mul Neg Not Or Pow Range ReduceMax ReduceMin ReduceProd ReduceSum Reshape"
    " Slice Split Sqrt Squeeze Sub Tile Transpose Unsqueeze Where".split()
)
"""What is done with sizes."""
_LARGEST = 64
"""Elements of what is worked out: more are no sizes."""
_ROUNDS = 16
"""A `Reshape` to known sizes tells those of what comes behind it."""


def sized(proto: Any, sizes: Mapping[str, Sequence[int]]) -> None:
    """Sets the sizes of a model's inputs, in place; what was known of others while they were open is forgotten."""
    del proto.graph.value_info[:]
    for value in proto.graph.input:
        if value.name in sizes:
            shape = value.type.tensor_type.shape
            del shape.dim[:]
            for size in sizes[value.name]:
                shape.dim.add().dim_value = size


def settle(light: Any, proto: Any) -> None:
    """Replaces such nodes, in place, of a model whose inputs have sizes, and of what it is without the values of its
    weights (`model.load`), from which they follow; nothing in branches."""
    for _ in range(_ROUNDS):
        found = _known(light)
        if not found:
            return
        for graph in (light.graph, proto.graph):
            _replace(graph, found)


def shapes_of(light: Any) -> dict[str, list[int]]:
    """The sizes of all values of a model whose inputs have sizes, as far as they are known."""
    return shapes_in(onnx_model.infer(light).graph)


def shapes_in(inferred: Any) -> dict[str, list[int]]:
    """The same, of a graph in which they stand."""
    shapes = {}
    for value in (*inferred.input, *inferred.value_info, *inferred.output):
        own = value.type.tensor_type
        if own.HasField("shape") and all(size.HasField("dim_value") for size in own.shape.dim):
            shapes[value.name] = [size.dim_value for size in own.shape.dim]
    return shapes | {tensor.name: [*tensor.dims] for tensor in inferred.initializer}


def _known(light: Any) -> dict[str, Array]:
    """The values of nodes of a model without weights that can be worked out."""
    onnx, shapes = onnx_model.library(), shapes_of(light)
    values = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in light.graph.initializer
        if onnx_model.is_setting(tensor) and not onnx_model.is_empty(tensor)
    }
    opsets = {each.domain: each.version for each in light.opset_import}
    found = dict[str, Array]()
    for node in light.graph.node:
        if not onnx_model.standard(node) or not node.output:
            continue
        made = dict[str, Array]()
        with suppress(Exception):  # the evaluator's share no base; what it does not know stays
            made = _made(node, shapes, values, opsets)
        if made and all(array.size <= _LARGEST for array in made.values()):
            values |= made
            if node.op_type != "Constant":
                found |= made
    return found


def _made(
    node: Any, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Array], opsets: Mapping[str, int]
) -> dict[str, Array]:
    """The outputs of a node whose inputs are known; nothing where they are not."""
    read = [name for name in node.input if name]
    if node.op_type in _READING and read[0] in shapes:
        shape, told = shapes[read[0]], {each.name: each.i for each in node.attribute}
        part = np.array(shape[told.get("start", 0) : told.get("end", len(shape))], dtype=np.int64)
        return {node.output[0]: part if node.op_type == "Shape" else np.array(np.prod(shape), dtype=np.int64)}
    constant = node.op_type == "Constant"
    if not constant and not (node.op_type in _OPERATORS and read and all(name in values for name in read)):
        return {}
    if any(each.HasField("t") and onnx_model.is_empty(each.t) for each in node.attribute):
        return {}  # a weight
    from onnx.reference import ReferenceEvaluator

    arrays = ReferenceEvaluator(node, opsets=dict(opsets)).run(None, {name: values[name] for name in read})
    return dict(zip(node.output, map(np.asarray, arrays), strict=True))


def _replace(graph: Any, found: Mapping[str, Array]) -> None:
    """By initializers, and what is an output of the graph by a node, as outputs have to be."""
    library, ends = onnx_model.library(), {value.name for value in graph.output}
    tensors = {name: library.numpy_helper.from_array(array, name) for name, array in found.items()}
    constants = [
        library.helper.make_node("Constant", [], [name], value=tensor)
        for name, tensor in tensors.items()
        if name in ends
    ]
    kept = [node for node in graph.node if not {*node.output} & found.keys()]
    onnx_model.replace_nodes(graph, [*constants, *kept])
    graph.initializer.extend(tensor for name, tensor in tensors.items() if name not in ends)
