"""`If` of ONNX whose condition is known, `Loop` whose count is and `Scan` of known sizes, as the nodes that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.settled import shapes_of
from forerun.toolchains.onnx.written import Written, renamed

_MOST = 8192
"""Nodes of one loop, at most."""
_BATCHED = 9
"""The version of ONNX before which `Scan` takes several sequences at once, each with a length of its own."""

Shapes = Mapping[str, Sequence[int]]


def straighten(light: Any, whole: Any) -> bool:
    """Writes them out, in place, in a model and in what it is without the values of its weights; nothing in branches.
    Whether there were any."""
    kinds = {node.op_type for node in light.graph.node if onnx_model.branches(node) and onnx_model.standard(node)}
    if not kinds:
        return False
    known = {tensor.name: tensor for tensor in whole.graph.initializer}
    version, shapes = onnx_model.opset(light), shapes_of(light) if "Scan" in kinds else {}
    found = [_straight(each.graph, known, shapes, version) for each in (light, whole)]
    return any(found)


def _straight(graph: Any, known: Mapping[str, Any], shapes: Shapes, version: int) -> bool:
    nodes, changed = list[Any](), False
    for node in graph.node:
        name = next((each for each in node.output if each), "")
        written = _Runs(f"{name}/{node.op_type}", version)
        if written.branch(node, known) or written.loop(node, known) or written.scan(node, shapes):
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
        self.weights = set[str]()
        """The names of those that all runs share."""

    def branch(self, node: Any, known: Mapping[str, Any]) -> bool:
        """An `If`; False where it is none, or its condition is not known."""
        condition = _value(known, node.input[0]) if node.op_type == "If" and onnx_model.standard(node) else None
        if condition is None:
            return False
        name = "then_branch" if condition else "else_branch"
        (body,) = (each.g for each in node.attribute if each.name == name)
        self._named(self._run(body, {}, ""), node.output)
        return True

    def loop(self, node: Any, known: Mapping[str, Any]) -> bool:
        """A `Loop`; False where it is none, or how often it goes round is not known."""
        if node.op_type != "Loop" or not onnx_model.standard(node):
            return False
        count, first, *state = [*node.input, ""][: max(2, len(node.input))]
        rounds, begins = _value(known, count), _value(known, first) if first else True
        (body,) = onnx_model.branches(node)
        if rounds is None or not begins or not _given_on(body) or not 0 < rounds * _length(body) <= _MOST:
            return False
        kept = list[list[str]]()
        for number in range(int(rounds)):
            ends = [self.constant(np.array(number, np.int64)), self.constant(np.array(True)), *state]
            given = dict(zip((each.name for each in body.input), ends, strict=True))
            _, *made = self._run(body, given, f"/{number}")
            state = made[: len(state)]
            kept.append(made[len(state) :])
        behind = [self._stacked(parts, 0) for parts in zip(*kept, strict=True)]
        self._named([*state, *behind], node.output)
        return True

    def scan(self, node: Any, shapes: Shapes) -> bool:
        """A `Scan` (https://onnx.ai/onnx/operators/onnx__Scan.html); False where it is none, or of an open size."""
        if node.op_type != "Scan" or not onnx_model.standard(node) or self.version < _BATCHED:
            return False
        (body,), told = onnx_model.branches(node), _told(node)
        count = told["num_scan_inputs"]
        state, read = [*node.input][:-count], node.input[-count:]
        rounds = _rounds(node, shapes)
        if rounds is None or not 0 < rounds * _length(body) <= _MOST:
            return False
        places = [self.constant(np.array(number, np.int64)) for number in range(rounds)]
        axes, back = (told.get(f"scan_input_{name}", [0] * count) for name in ("axes", "directions"))
        kept = list[Sequence[str]]()
        for number in range(rounds):
            turns = (places[rounds - 1 - number if turned else number] for turned in back)
            parts = (self.node("Gather", *each, axis=axis) for *each, axis in zip(read, turns, axes, strict=True))
            given = dict(zip((each.name for each in body.input), [*state, *parts], strict=True))
            made = self._run(body, given, f"/{number}")
            state = [*made[: len(state)]]
            kept.append(made[len(state) :])
        each = [*zip(*kept, strict=True)]
        axes, back = (told.get(f"scan_output_{name}", [0] * len(each)) for name in ("axes", "directions"))
        turned = [parts[::-1] if turned else parts for parts, turned in zip(each, back, strict=True)]
        self._named([*state, *map(self._stacked, turned, axes)], node.output)
        return True

    def _run(self, body: Any, given: Mapping[str, str], turn: str) -> Sequence[str]:
        """One run of a graph, whose constants are the same each time; the names of its outputs."""
        constants = {node.output[0]: onnx_model.valued(node) for node in body.node if _fixed(node)}
        weights = {tensor.name: tensor for tensor in body.initializer}
        weights |= {name: tensor for name, tensor in constants.items() if tensor is not None}
        names = {name: f"{self.name}/{name}" for name in weights}
        for name, tensor in weights.items():
            if names[name] not in self.weights:
                self.weights.add(names[name])
                self.tensors.append(type(tensor)())
                self.tensors[-1].CopyFrom(tensor)
                self.tensors[-1].name = names[name]
        nodes = [node for node in body.node if not {*node.output} & weights.keys()]
        names |= given
        names |= {name: f"{self.name}{turn}/{name}" for node in nodes for name in node.output if name}
        self.nodes += (renamed(node, names) for node in nodes)
        return [names.get(each.name, each.name) for each in body.output]

    def _named(self, values: Sequence[str], outputs: Sequence[str]) -> None:
        """Gives what was made the names of the operator's outputs."""
        for value, output in zip(values, outputs, strict=False):  # the last ones may be left out
            if output:
                self.node("Identity", value, output=output)

    def _stacked(self, parts: Sequence[str], axis: int) -> str:
        """What each turn gives, one behind the other along a new axis."""
        if self.version < 13:
            each = [self.node("Unsqueeze", part, axes=[axis]) for part in parts]
        else:
            axes = self.constant(np.array([axis], np.int64))
            each = [self.node("Unsqueeze", part, axes) for part in parts]
        return self.node("Concat", *each, axis=axis)


def _fixed(node: Any) -> bool:
    """Whether it is a constant."""
    return bool(node.op_type == "Constant" and onnx_model.standard(node))


def _length(body: Any) -> int:
    """How many nodes one run of a graph is, one at least."""
    return max(1, sum(1 for _ in onnx_model.nodes(body)))


def _told(node: Any) -> dict[str, Any]:
    """The attributes of a node that are no graphs."""
    read = onnx_model.library().helper.get_attribute_value
    return {each.name: read(each) for each in node.attribute if not each.HasField("g")}


def _rounds(node: Any, shapes: Shapes) -> int | None:
    """How often a `Scan` goes round; None where that is not known."""
    told = _told(node)
    axes = told.get("scan_input_axes", [0] * told["num_scan_inputs"])
    read = node.input[-told["num_scan_inputs"] :]
    sizes = [shapes[name][axis] for name, axis in zip(read, axes, strict=True) if name in shapes]
    return sizes[0] if sizes else None


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


def _winding(given: Given, written: Written) -> str:
    """Why a `Loop` or a `Scan` is there still."""
    node, version = given.node, given.facts.opset
    (body,) = onnx_model.branches(node)
    if node.op_type == "Scan" and version < _BATCHED:
        return (
            f"it is of opset {version}, which scans several sequences at once: export it with opset {_BATCHED} or later"
        )
    rounds = _rounds(node, given.facts.shapes) if node.op_type == "Scan" else given.constant(0)
    if rounds is None:
        return "how often it goes round is known only when it runs"
    if node.op_type == "Loop" and not _given_on(body):
        return "when it ends is known only when it runs"
    many = int(np.asarray(rounds).reshape(()))
    if many * _length(body) > _MOST:
        return f"{many} rounds of {_length(body)} nodes are more than the {_MOST} that are written out"
    return "it does not go round, or whether it does is known only when it runs"


RULES: Mapping[str, Any] = {"Loop": _winding, "Scan": _winding}
