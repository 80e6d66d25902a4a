"""What is known of the values of an ONNX graph before it runs, and of one of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.settled import shapes_in
from forerun.toolchains.onnx.written import Written

Array = NDArray[Any]


class Facts:
    """Of a model whose inputs have sizes: `whole`, and `light`, which is it without the values of its weights."""

    def __init__(self, light: Any, whole: Any) -> None:
        self.opset = onnx_model.opset(light)
        inferred = onnx_model.infer(light).graph
        self.shapes = shapes_in(inferred)
        """Sizes by the name of a value, where all are known."""
        self.types = {
            value.name: value.type.tensor_type.elem_type
            for value in (*inferred.input, *inferred.value_info, *inferred.output)
            if value.type.HasField("tensor_type")
        }
        """Of the numbers, as ONNX counts types, by the name of a value."""
        self._tensors = {tensor.name: tensor for tensor in whole.graph.initializer}
        for node in whole.graph.node:  # constants that are outputs, too
            if node.op_type == "Identity" and node.input[0] in self._tensors:
                self._tensors[node.output[0]] = self._tensors[node.input[0]]
            elif node.op_type == "Constant" and (tensor := onnx_model.valued(node)) is not None:
                self._tensors[node.output[0]] = tensor
        self.types |= {name: tensor.data_type for name, tensor in self._tensors.items()}

    def constant(self, name: str) -> Array | None:
        """The values of a weight or another constant; None for what is none."""
        tensor = self._tensors.get(name)
        return None if tensor is None else np.asarray(onnx_model.library().numpy_helper.to_array(tensor))

    def dtype(self, name: str) -> np.dtype[Any] | None:
        """The type of a value's numbers; None where it is not known."""
        kind = self.types.get(name)
        return np.dtype(onnx_model.library().helper.tensor_dtype_to_np_dtype(kind)) if kind else None


@dataclass(frozen=True)
class Given:
    """A node, and what is known of what it reads."""

    node: Any
    facts: Facts

    @cached_property
    def told(self) -> dict[str, Any]:
        """Its attributes; texts as such."""
        read = onnx_model.library().helper.get_attribute_value
        found = {each.name: read(each) for each in self.node.attribute}
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}

    def input(self, place: int) -> str:
        """The name of an input; empty where there is none."""
        return str(self.node.input[place]) if place < len(self.node.input) else ""

    def output(self, place: int) -> str:
        """The name of an output; empty where nobody asks for it."""
        return str(self.node.output[place]) if place < len(self.node.output) else ""

    def constant(self, place: int) -> Array | None:
        """The values of an input that is a weight."""
        return self.facts.constant(self.input(place))

    def shape(self, place: int) -> Sequence[int] | None:
        """The sizes of an input, where all are known."""
        return self.facts.shapes.get(self.input(place))

    def dtype(self, place: int) -> np.dtype[Any] | None:
        """The type of an input's numbers."""
        return self.facts.dtype(self.input(place))


Rule = Callable[[Given, Written], bool | str]
"""Writes what a node is made of, its outputs named as they are. It is False, and nothing is written, where the importer
has the node right; or why nobody has it."""
