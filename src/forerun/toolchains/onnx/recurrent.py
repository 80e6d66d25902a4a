"""Recurrent operators of ONNX (`LSTM`, `GRU`, `RNN`) as the products, sums and functions that their steps are.

TVM's importer knows none of them. Where the number of steps is known each step is written out: what all inputs are
multiplied with is one product for all steps, and the steps share one program each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.settled import shapes_of
from forerun.toolchains.onnx.written import Written

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_FUNCTIONS = {"LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh"), "RNN": ("Tanh",)}
_PLAIN = frozenset(("Sigmoid", "Tanh", "Relu"))
"""Functions that take no numbers of their own."""
_TOLD = frozenset(("hidden_size", "direction", "activations", "linear_before_reset"))
"""Attributes that are followed."""
_USUAL = {"clip": 0.0, "input_forget": 0, "layout": 0}
"""What others may say; else the operator stays."""
_MOST = 1024
"""Steps of all such operators of a network, at most: each is ten nodes."""


def unroll(light: Any, proto: Any) -> None:
    """Writes the steps of such operators out, in place, in a model whose inputs have sizes, `light` being what it is
    without the values of its weights; nothing in branches. What it does not know (peepholes, clipping) stays."""
    if not any(node.op_type in _GATES and onnx_model.standard(node) for node in proto.graph.node):
        return
    shapes, left = shapes_of(light), _MOST
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    nodes, tensors = list[Any](), list[Any]()
    for place, node in enumerate(light.graph.node):
        layer = _read(node, shapes, constants) if node.op_type in _GATES and onnx_model.standard(node) else None
        if layer is None or layer.steps * layer.directions > left:
            nodes.append(node)
            continue
        left -= layer.steps * layer.directions
        written = _Steps(f"{node.name or node.op_type}/{place}")
        written.layer(layer)
        nodes += written.nodes
        tensors += written.tensors
    onnx_model.rewrite(light, proto, nodes, tensors)


@dataclass(frozen=True, slots=True)
class _Layer:
    """An operator, its inputs (empty where there is none) and its sizes."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    functions: Sequence[Sequence[str]]
    """Of each direction."""
    reverse: Sequence[bool]
    steps: int
    batch: int
    hidden: int
    type: int
    """Of the numbers, as ONNX counts types."""
    linear: bool
    """Whether a GRU multiplies before it resets."""
    lengths: str
    """Of each sequence how many of the steps are its own; empty where all are."""

    @property
    def directions(self) -> int:
        return len(self.reverse)


def _read(node: Any, shapes: dict[str, list[int]], constants: dict[str, Any]) -> _Layer | None:
    """What a node asks for; None for what is not written out."""
    told = {each.name: each for each in node.attribute}
    for name, each in told.items():
        if name not in _TOLD and (each.f if name == "clip" else each.i) != _USUAL.get(name):
            return None
    inputs = [*node.input, *[""] * (8 - len(node.input))]
    x, weights, recurrent = (shapes.get(name, []) for name in inputs[:3])
    if inputs[7] or len(x) != 3 or len(weights) != 3 or len(recurrent) != 3:
        return None
    lengths = "" if _all(constants.get(inputs[4]), x[0]) else inputs[4]
    direction = told["direction"].s.decode() if "direction" in told else "forward"
    reverse = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    names = [each.decode() for each in told["activations"].strings] if "activations" in told else []
    each = _FUNCTIONS[node.op_type]
    names = names or [*each] * len(reverse)
    if not {*names} <= _PLAIN or len(names) != len(each) * len(reverse):
        return None
    functions = [names[len(each) * i : len(each) * (i + 1)] for i in range(len(reverse))]
    kind = constants[inputs[2]].data_type if inputs[2] in constants else 1
    outputs = [*node.output, *[""] * (3 - len(node.output))]
    linear = bool(told["linear_before_reset"].i) if "linear_before_reset" in told else False
    return _Layer(node.op_type, inputs, outputs, functions, reverse, x[0], x[1], recurrent[2], kind, linear, lengths)


def _all(tensor: Any, steps: int) -> bool:
    """Whether lengths of sequences are a constant, and all of them so long."""
    if tensor is None or onnx_model.is_empty(tensor):
        return False
    return bool((onnx_model.library().numpy_helper.to_array(tensor) == steps).all())


class _Steps(Written):
    """The nodes of one operator, and their constants."""

    def layer(self, layer: _Layer) -> None:
        """Its outputs, from those of its directions."""
        sides = [self._direction(layer, side) for side in range(layer.directions)]
        for output, axis, parts in zip(layer.outputs, (1, 0, 0), zip(*sides, strict=True), strict=False):
            if output:
                self.node("Concat", *parts, output=output, axis=axis)

    def _direction(self, layer: _Layer, side: int) -> Sequence[str]:
        """All states `[steps, 1, batch, hidden]`, the last one `[1, batch, hidden]`, and of an LSTM its cell."""
        gates, hidden = _GATES[layer.kind], layer.hidden
        x, weights, recurrent, biases = layer.inputs[:4]
        into, back = (
            self.node("Transpose", self._of_side(name, side, [gates * hidden, -1]), perm=[1, 0])
            for name in (weights, recurrent)
        )
        given = self.node("MatMul", x, into)  # [steps, batch, gates * hidden]
        bias = ""
        if biases:
            whole = self._of_side(biases, side, [2 * gates * hidden])
            own, bias = (self.slice(whole, 0, i * gates * hidden, (i + 1) * gates * hidden) for i in (0, 1))
            given = self.node("Add", given, own)
        from_state = [(back, bias)]
        if layer.kind == "GRU":  # of the two that say how much, and of what is new
            from_state = [
                (self.slice(back, 1, start, end), self.slice(bias, 0, start, end) if bias else "")
                for start, end in ((0, 2 * hidden), (2 * hidden, 3 * hidden))
            ]
        state, cell = (self._state(layer, layer.inputs[i], side) for i in (5, 6))
        states, nothing, within = [""] * layer.steps, self._state(layer, "", side), self._within(layer)
        for step in reversed(range(layer.steps)) if layer.reverse[side] else range(layer.steps):
            # No slice: each of them would be a program of its own.
            place = self.constant(np.array(step, np.int64))
            now = self.node("Gather", given, place, axis=0)
            before, (state, cell) = (state, cell), self._step(layer, side, now, state, cell, from_state)
            shown = state
            if within:  # what is behind a sequence's end leaves its state as it is
                inside = self.node("Gather", within, place, axis=0)
                shown = self.node("Where", inside, state, nothing)
                state, cell = (
                    self.node("Where", inside, *each) if each[0] else ""
                    for each in zip((state, cell), before, strict=True)
                )
            states[step] = self.shaped(shown, [1, 1, layer.batch, hidden])
        ends = [self.shaped(each, [1, layer.batch, hidden]) for each in (state, cell) if each]
        return [self.node("Concat", *states, axis=0), *ends]

    def _within(self, layer: _Layer) -> str:
        """Which steps are of which sequence, `[steps, batch, 1]`; none where all are of all."""
        if not layer.lengths:
            return ""
        steps = self.constant(np.arange(layer.steps, dtype=np.int32).reshape(-1, 1, 1))
        return self.node("Less", steps, self.shaped(layer.lengths, [1, layer.batch, 1]))

    def _step(
        self, layer: _Layer, side: int, now: str, state: str, cell: str, from_state: Sequence[tuple[str, str]]
    ) -> tuple[str, str]:
        """The next state `[batch, hidden]`, and the next cell, from what the input gives, `[batch, gates * hidden]`,
        and the weights and biases of the state."""
        functions = layer.functions[side]
        if layer.kind == "GRU":
            return self._gated(layer, functions, now, state, *from_state), ""
        every = self.node("Add", now, self._product(state, *from_state[0]))
        if layer.kind == "RNN":
            return self.node(functions[0], every), ""
        first, last, forget, new = self._gates(every, layer.hidden, 4)
        first, forget, last = (self.node(functions[0], each) for each in (first, forget, last))
        new = self.node("Mul", first, self.node(functions[1], new))
        cell = self.node("Add", self.node("Mul", forget, cell), new)
        return self.node("Mul", last, self.node(functions[2], cell)), cell

    def _gated(
        self,
        layer: _Layer,
        functions: Sequence[str],
        now: str,
        state: str,
        to_gates: tuple[str, str],
        to_new: tuple[str, str],
    ) -> str:
        *into, new = self._gates(now, layer.hidden, 3)
        gates = zip(into, self._gates(self._product(state, *to_gates), layer.hidden, 2), strict=True)
        update, reset = (self.node(functions[0], self.node("Add", *pair)) for pair in gates)
        if layer.linear:
            remembered = self.node("Mul", reset, self._product(state, *to_new))
        else:
            remembered = self._product(self.node("Mul", reset, state), *to_new)
        new = self.node(functions[1], self.node("Add", new, remembered))
        return self.node("Add", new, self.node("Mul", update, self.node("Sub", state, new)))

    def _product(self, state: str, weights: str, bias: str) -> str:
        product = self.node("MatMul", state, weights)
        return self.node("Add", product, bias) if bias else product

    def _gates(self, every: str, hidden: int, count: int) -> Iterator[str]:
        return (self.slice(every, 1, i * hidden, (i + 1) * hidden) for i in range(count))

    def _state(self, layer: _Layer, given: str, side: int) -> str:
        """What it begins with: what was given, else zeros."""
        if given:
            return self._of_side(given, side, [layer.batch, layer.hidden])
        helper = onnx_model.library().helper
        zeros = np.zeros((layer.batch, layer.hidden), helper.tensor_dtype_to_np_dtype(layer.type))
        return self.constant(zeros)

    def _of_side(self, name: str, side: int, shape: Sequence[int]) -> str:
        return self.shaped(self.slice(name, 0, side, side + 1), shape)
