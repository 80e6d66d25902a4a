"""What PyTorch's autograd engine does, in its order: its own asks a driver for streams."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

Node = Any
"""What a function's outputs remember of it (`grad_fn`)."""

Gradient = torch.Tensor | None


def run(
    outputs: Sequence[torch.Tensor],
    gradients: Sequence[Gradient],
    keep_graph: bool = False,
    create_graph: bool = False,
    inputs: Sequence[torch.Tensor] = (),
    *_: bool,
    **__: bool,
) -> tuple[Gradient, ...]:
    """The gradients of the inputs, as `torch.autograd.grad` gives them; without inputs all that is below is run."""
    roots, wanted = (
        [(edge.node, edge.output_nr) for edge in map(get_gradient_edge, each)] for each in (outputs, inputs)
    )
    edges = _edges([node for node, _ in roots])
    waiting = Counter([node for node, _ in roots] + [below for _, below in edges])
    useful = _leading([node for node, _ in wanted], edges) if wanted else set(waiting) - {None}
    sums: dict[Node, list[Gradient]] = {}
    found: dict[tuple[Node, int], Gradient] = {}
    order, ready = count(), list[tuple[int, int, Node]]()

    def give(places: Sequence[tuple[Node, int]], values: Sequence[Gradient]) -> None:
        for (node, place), value in zip(places, values, strict=True):
            waiting[node] -= 1
            if node in useful:
                into = sums.setdefault(node, [None] * len(node._input_metadata))
                if value is not None:
                    fitted, before = _fitted(value, node._input_metadata[place]), into[place]
                    into[place] = fitted if before is None else before + fitted
                if waiting[node] == 0:
                    heapq.heappush(ready, (-node._sequence_nr(), next(order), node))

    with torch.set_grad_enabled(create_graph):
        give(roots, gradients)
        while ready:
            node = heapq.heappop(ready)[2]
            values = sums.pop(node)
            found |= {edge: values[edge[1]] for edge in wanted if edge[0] is node}
            if any(below in useful for below, _ in node.next_functions):
                results = (node.apply if hasattr(node, "apply") else node)(*values)
                give(node.next_functions, results if isinstance(results, tuple) else (results,))
    return tuple(found.get(edge) for edge in wanted)


def _edges(rest: list[Node]) -> list[tuple[Node, Node]]:
    """From each node at or below these to those that it gives gradients."""
    edges, seen = list[tuple[Node, Node]](), set[Node]()
    while rest:
        node = rest.pop()
        if node not in seen:
            seen.add(node)
            own = [(node, below) for below, _ in node.next_functions]
            edges += own
            rest += [below for _, below in own if below is not None]
    return edges


def _leading(rest: list[Node], edges: Sequence[tuple[Node, Node]]) -> set[Node]:
    """These, and the nodes that lead to them."""
    above: dict[Node, list[Node]] = {}
    for node, below in edges:
        above.setdefault(below, []).append(node)
    leading = set[Node]()
    while rest:
        node = rest.pop()
        if node not in leading:
            leading.add(node)
            rest += above.get(node, [])
    return leading


def _fitted(gradient: torch.Tensor, like: Any) -> torch.Tensor:
    """A gradient in the shape and the type of what it is of: what was broadcast is summed up."""
    if tuple(gradient.shape) != tuple(like.shape):
        gradient = gradient.sum_to_size(like.shape)
    return gradient if gradient.dtype == like.dtype else gradient.to(like.dtype)
