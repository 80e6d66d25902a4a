"""A network as plain data: operators in a canonical order, values by their places, weights by their shapes alone.

Nothing here needs onnx: `model` reads an ONNX file into a Graph, `build` writes a Graph as an ONNX file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Dim = int | str | None
"""A size, the name of one that is known only when the model runs, or nothing known at all."""

WIDTHS = {
    "f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i4": 0.5, "i2": 0.25,
    "u64": 8, "u32": 4, "u16": 2, "u8": 1, "u4": 0.5, "u2": 0.25, "bool": 1, "c64": 8, "c128": 16, "str": 8,
    "f8e4m3fn": 1, "f8e4m3fnuz": 1, "f8e5m2": 1, "f8e5m2fnuz": 1, "f8e8m0": 1, "f4e2m1": 0.5, "f6e2m3": 0.75,
    "f6e3m2": 0.75, "?": 4,
}  # fmt: skip
"""Bytes of one element, by the short name of its type; `?` where the type is not known."""


@dataclass(frozen=True, slots=True)
class Value:
    """What flows: its shape, None where not even the rank is known, and its element type."""

    shape: tuple[Dim, ...] | None
    dtype: str = "f32"

    @property
    def elements(self) -> int:
        """How many; a size that is not known counts as 1."""
        return math.prod(size for size in self.shape or () if isinstance(size, int))

    @property
    def size_bytes(self) -> float:
        """Its elements in bytes."""
        return self.elements * WIDTHS[self.dtype]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A weight. `place` tells one that is used twice from two of one shape."""

    shape: tuple[int, ...]
    dtype: str = "f32"
    place: int = field(default=0, compare=False)

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Constant:
    """A setting that is given as a tensor, such as the axes of a reduction: its values matter, in row-major order."""

    values: tuple[float | int | bool | str, ...]
    shape: tuple[int, ...] = ()
    dtype: str = "f32"


Operand = int | Parameter | Constant | None
"""The place of a value, a weight, a setting, or an optional input that is left out."""

Setting = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | Constant
"""What an attribute holds. Of a subgraph it is the names of its operators."""


@dataclass(frozen=True, slots=True)
class Node:
    """One operator. `attributes` are those that differ from its defaults, in the order of their names."""

    operator: str
    inputs: tuple[Operand, ...]
    outputs: tuple[int | None, ...]
    """Places of the values that it makes; None for one that nothing uses."""
    attributes: tuple[tuple[str, Setting], ...] = ()

    def attribute(self, name: str) -> Setting | None:
        """An attribute's value, None where it has its default."""
        return dict(self.attributes).get(name)

    @property
    def reads(self) -> Iterator[int]:
        """The places of the values that it reads."""
        return (operand for operand in self.inputs if isinstance(operand, int))


@dataclass(frozen=True, slots=True)
class Graph:
    """Values stand in the order in which they are made, the inputs first; nodes so that what they read is made before.

    The order is that of a depth-first walk from the outputs, so it does not depend on the file's.
    """

    values: tuple[Value, ...]
    inputs: int
    """How many of the values are inputs."""
    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]

    def parameters(self) -> list[Parameter]:
        """Every weight, once."""
        found = {p.place: p for node in self.nodes for p in node.inputs if isinstance(p, Parameter)}
        return list(found.values())

    def shape(self, operand: Operand) -> tuple[Dim, ...] | None:
        """The shape of an operand; None where it is not known."""
        if isinstance(operand, int):
            return self.values[operand].shape
        return None if operand is None else operand.shape


def canonical(graph: Graph) -> Graph:
    """The same network with its nodes in the order of a depth-first walk from the outputs, without dead ones.

    A model's inputs stay in their order, used or not.
    """
    maker = {place: node for node in graph.nodes for place in node.outputs if place is not None}
    order = _walk(graph, maker)
    used = {place for node in order for place in node.reads} | set(graph.outputs)
    places = {place: place for place in range(graph.inputs)}
    for node in order:
        for place in node.outputs:
            if place is not None and place in used:
                places[place] = len(places)
    weights: dict[int, int] = {}
    nodes = tuple(_moved(node, places, weights) for node in order)
    values = tuple(graph.values[old] for old in places)
    return Graph(values, graph.inputs, nodes, tuple(places[place] for place in graph.outputs))


def _walk(graph: Graph, maker: dict[int, Node]) -> list[Node]:
    """Post-order, without recursion: networks are deep."""
    order: list[Node] = []
    done: set[int] = set()
    stack: list[tuple[Node, bool]] = []
    for output in graph.outputs:
        stack += [(maker[output], False)] if output in maker else []
        while stack:
            node, ready = stack.pop()
            if id(node) in done:
                continue
            if ready:
                done.add(id(node))
                order.append(node)
            else:
                stack.append((node, True))
                stack += [(maker[place], False) for place in reversed(list(node.reads)) if place in maker]
    return order


def _moved(node: Node, places: dict[int, int], weights: dict[int, int]) -> Node:
    def operand(old: Operand) -> Operand:
        if isinstance(old, Parameter):
            return Parameter(old.shape, old.dtype, weights.setdefault(old.place, len(weights)))
        return places[old] if isinstance(old, int) else old

    outputs = [None if place is None else places.get(place) for place in node.outputs]
    return Node(node.operator, tuple(map(operand, node.inputs)), _trimmed(outputs), node.attributes)


def _trimmed(outputs: Sequence[int | None]) -> tuple[int | None, ...]:
    last = max((i for i, place in enumerate(outputs) if place is not None), default=-1)
    return tuple(outputs[: last + 1])
