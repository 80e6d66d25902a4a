"""What is wrong with an ONNX model that can be read all the same: why it would not run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forerun.toolchains.onnx import model as proto

_MOST_BYTES = 1 << 26
"""Of a file whose weights lie in others: it holds their names and shapes."""
_LOCATION = b"\x0a\x08location"
"""How such a name begins in the file."""
_HARMLESS = ("should contain one and only one value field", "is required")
"""What the checker says of a weight without values and of what is left out, in a branch."""
_LETTERS = 160
"""Of what the checker says, at most."""


def faults(model: Any) -> Iterator[str]:
    """Of a ModelProto without the values of its weights, each in a clause. Raises ToolMissing."""
    names = Counter(node.name for node in model.graph.node if node.name)
    if twice := [name for name, times in names.items() if times > 1]:
        yield f"{names[twice[0]]} nodes have the name {twice[0]!r}"
    checker, whole = proto.library().checker, _valued(model)
    try:
        checker.check_model(whole)
    except checker.ValidationError as error:
        if not any(words in str(error) for words in _HARMLESS):
            yield f"onnx.checker says: {' '.join(str(error).split())[:_LETTERS]}"


def missing(path: Path) -> list[str]:
    """Files in which a model's weights should lie, beside it, and do not."""
    if path.stat().st_size > _MOST_BYTES or _LOCATION not in (data := path.read_bytes()):
        return []
    tensors = proto.tensors(proto.library().ModelProto.FromString(data).graph)
    named = {each.value for tensor in tensors for each in tensor.external_data if each.key == "location"}
    return sorted(name for name in named if not (path.parent / name).is_file())


def _valued(model: Any) -> Any:
    """A copy in which weights without values are inputs, and what is left out has its default: the checker asks for
    more than who runs it."""
    onnx = proto.library()
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph, there = made.graph, {value.name for value in made.graph.input}
    graph.name = graph.name or "graph"
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.shape.SetInParent()
    empty = {tensor.name: tensor for tensor in graph.initializer if proto.is_empty(tensor)}
    constants = [(node.output[0], each.t) for node in graph.node for each in node.attribute if each.HasField("t")]
    empty |= {name: tensor for name, tensor in constants if proto.is_empty(tensor)}
    inputs = [
        onnx.helper.make_tensor_value_info(name, tensor.data_type, tensor.dims)
        for name, tensor in empty.items()
        if name not in there
    ]
    weights = [copied for tensor in graph.initializer if (copied := _copy(tensor)).name not in empty]
    nodes = [copied for node in graph.node if not {*(copied := _copy(node)).output} & empty.keys()]
    graph.ClearField("initializer")
    graph.ClearField("node")
    graph.initializer.extend(weights)
    graph.node.extend(nodes)
    graph.input.extend(inputs)
    return made


def _copy(message: Any) -> Any:
    """A message of its own: those of a list go when it is cleared."""
    made = type(message)()
    made.CopyFrom(message)
    return made
