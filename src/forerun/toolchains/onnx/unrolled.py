"""`If` of ONNX whose condition is known, `Loop` whose count is, as the nodes that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.written import Written, renamed

_MOST = 8192
"""Nodes of one loop, at most."""


def straighten(light: Any, whole: Any) -> bool:
    """Writes them out, in place, in a model and in what it is without the values of its weights; nothing in branches.
    Whether there were any."""
    if not any(onnx_model.branches(node) and onnx_model.standard(node) for node in light.graph.node):
        return False
    known = {tensor.name: tensor for tensor in whole.graph.initializer}
    version = onnx_model.opset(light)
    found = [_straight(each.graph, known, version) for each in (light, whole)]
    return any(found)


def _straight(graph: Any, known: Mapping[str, Any], version: int) -> bool:
    nodes, changed = list[Any](), False
    for node in graph.node:
        written = _Runs(f"{node.output[0]}/{node.op_type}", version)
        if written.branch(node, known) or written.loop(node, known):
            nodes += written.nodes
            graph.initializer.extend(written.tensors)
            changed = True
        else:
            nodes.append(node)
    if changed:
        onnx_model.replace_nodes(graph, nodes)
    return changed


def _value(known: Mapping[str, Any], name: str) -> Any:
    """A single number that is known; None where it is not."""
    tensor = known.get(name)
    if tensor is None or onnx_model.is_empty(tensor):
        return None
    array = onnx_model.library().numpy_helper.to_array(tensor)
    return array.reshape(()).item() if array.size == 1 else None


class _Runs(Written):
    """The nodes of one operator."""

    def __init__(self, name: str, version: int) -> None:
        super().__init__(name)
        self.version = version

    def branch(self, node: Any, known: Mapping[str, Any]) -> bool:
        """An `If`; False where it is none, or its condition is not known."""
        condition = _value(known, node.input[0]) if node.op_type == "If" and onnx_model.standard(node) else None
        if condition is None:
            return False
        name = "then_branch" if condition else "else_branch"
        (body,) = (each.g for each in node.attribute if each.name == name)
        for made, output in zip(self._run(body, {}, ""), node.output, strict=True):
            if output:
                self.node("Identity", made, output=output)
        return True

    def loop(self, node: Any, known: Mapping[str, Any]) -> bool:
        """A `Loop`; False where it is none, or how often it goes round is not known."""
        if node.op_type != "Loop" or not onnx_model.standard(node):
            return False
        count, first, *state = [*node.input, ""][: max(2, len(node.input))]
        rounds, begins = _value(known, count), _value(known, first) if first else True
        (body,) = onnx_model.branches(node)
        endless = body.output[0].name == body.input[1].name or _given_on(body)
        if rounds is None or not begins or not endless or not 0 < rounds * len(body.node) <= _MOST:
            return False
        kept = list[list[str]]()
        for number in range(int(rounds)):
            ends = [self.constant(np.array(number, np.int64)), self.constant(np.array(True)), *state]
            given = dict(zip((each.name for each in body.input), ends, strict=True))
            _, *made = self._run(body, given, f"/{number}")
            state = made[: len(state)]
            kept.append(made[len(state) :])
        behind = [self._stacked(parts) for parts in zip(*kept, strict=True)]
        for value, output in zip([*state, *behind], node.output, strict=True):
            if output:
                self.node("Identity", value, output=output)
        return True

    def _run(self, body: Any, given: Mapping[str, str], turn: str) -> Sequence[str]:
        """One run of a graph; the names of its outputs."""
        names = {tensor.name: f"{self.name}/{tensor.name}" for tensor in body.initializer}
        there = {tensor.name for tensor in self.tensors}
        for tensor in body.initializer:
            if names[tensor.name] not in there:
                made = type(tensor)()
                made.CopyFrom(tensor)
                made.name = names[tensor.name]
                self.tensors.append(made)
        names |= given
        names |= {name: f"{self.name}{turn}/{name}" for node in body.node for name in node.output if name}
        self.nodes += (renamed(node, names) for node in body.node)
        return [names.get(each.name, each.name) for each in body.output]

    def _stacked(self, parts: Sequence[str]) -> str:
        """What each turn gives, one behind the other along a new first axis."""
        if self.version < 13:
            each = [self.node("Unsqueeze", part, axes=[0]) for part in parts]
        else:
            axes = self.constant(np.array([0], np.int64))
            each = [self.node("Unsqueeze", part, axes) for part in parts]
        return self.node("Concat", *each, axis=0)


def _given_on(body: Any) -> bool:
    """Whether the condition that a loop goes on is the one that it was given, or always true."""
    made = {node.output[0]: node for node in body.node if node.output}
    known = {tensor.name: tensor for tensor in body.initializer}
    name = body.output[0].name
    while name in made and made[name].op_type == "Identity":
        name = made[name].input[0]
    if name == body.input[1].name:
        return True
    if name in made and made[name].op_type == "Constant":
        known = {name: onnx_model.valued(made[name])}
    return bool(_value(known, name))
