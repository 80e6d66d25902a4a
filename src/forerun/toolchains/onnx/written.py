"""Nodes of ONNX that stand for other ones, with the constants that they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model


@dataclass
class Written:
    """Nodes, one after the other. Methods give the name of what they make, which begins with the `name` of them all;
    the operators have the same inputs in all versions that are read, from opset 11 on (`renewed.renew`)."""

    name: str
    nodes: list[Any] = field(default_factory=list)
    tensors: list[Any] = field(default_factory=list)

    def node(self, kind: str, *inputs: str, output: str = "", **told: Any) -> str:
        """An operator of ONNX's own; `told` are its attributes."""
        output = output or f"{self.name}/{len(self.nodes)}"
        self.nodes.append(onnx_model.library().helper.make_node(kind, [*inputs], [output], **told))
        return output

    def constant(self, array: Any) -> str:
        """A NumPy array."""
        name = f"{self.name}/constant{len(self.tensors)}"
        self.tensors.append(onnx_model.library().numpy_helper.from_array(np.asarray(array), name))
        return name

    def shaped(self, name: str, shape: Sequence[int], output: str = "") -> str:
        """A value in another shape of as many elements."""
        return self.node("Reshape", name, self.constant(np.array(shape, np.int64)), output=output)

    def slice(self, name: str, axis: int, start: int, end: int) -> str:
        """What lies between two places of an axis."""
        return self.node("Slice", name, *(self.constant(np.array([each], np.int64)) for each in (start, end, axis)))


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A copy of a node, in which values have other names, also in its branches."""
    made = type(node)()
    made.CopyFrom(node)
    _rename(made, names)
    return made


def _rename(node: Any, names: Mapping[str, str]) -> None:
    for values in (node.input, node.output):
        for place, name in enumerate(values):
            values[place] = names.get(name, name)
    for body in onnx_model.branches(node):
        for each in (*body.output, *body.initializer, *body.input):
            each.name = names.get(each.name, each.name)
        for inner in body.node:
            _rename(inner, names)
