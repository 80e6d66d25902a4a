"""Operators of ONNX as other ones, where an importer lacks them or takes them for something else.

Many operators are functions: ONNX itself says of which others they are made, and that is what they become. Of those
that are none, `_RULES` says it. What nobody knows stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from forerun.toolchains.onnx import (
    arithmetic,
    attended,
    channels,
    fused,
    grouped,
    quantised,
    resized,
    unrolled,
    various,
)
from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.bodies import opened
from forerun.toolchains.onnx.facts import Facts, Given, Rule
from forerun.toolchains.onnx.settled import settle
from forerun.toolchains.onnx.written import Written

_TABLES = (
    arithmetic.RULES, attended.RULES, channels.RULES, fused.RULES, grouped.RULES, quantised.RULES, resized.RULES,
    unrolled.RULES, various.RULES,
)  # fmt: skip
_RULES: Mapping[str, Rule] = {name: rule for table in _TABLES for name, rule in table.items()}
_WIDE = fused.widened(lambda given, written: False)
_MOVING = frozenset(
    "Cast CastLike Compress Concat Constant ConstantOfShape DepthToSpace DequantizeLinear Dropout Expand EyeLike"
    " Flatten Gather GatherElements GatherND Identity OneHot Pad QuantizeLinear Reshape ReverseSequence Scatter"
    " ScatterElements ScatterND Shape Size Slice SpaceToDepth Split Squeeze Tile Transpose Trilu Unsqueeze"
    " Where".split()
)
"""Operators that compute nothing with numbers, or are told beforehand what they are quantised by."""
_ROUNDS = 256
"""What a node is made of may be made of others, and sizes that follow from it may be what another one waits for."""


def lower(light: Any, whole: Any, known: Collection[str], halves: bool) -> Sequence[str]:
    """Rewrites a model whose inputs have sizes in place, and `light`, which is it without the values of its weights;
    nothing in branches. `known` are the operators that need no other form, unless a rule has one, or `halves` are
    nothing to compute with: they become floats before each operator then. What nobody knows is told, each node by its
    operator, its name and why."""
    left: Sequence[str] = ()
    for _ in range(_ROUNDS):
        for each in (light, whole):
            _named(each.graph)
        settle(light, whole)
        changed = unrolled.straighten(light, whole)
        if not changed:
            changed, left = _ruled(light, whole, known, halves)
        if not changed:
            break
    for each in (light, whole):
        _shed(each.graph)
    return left


def _shed(graph: Any) -> None:
    """Weights that nothing reads any more go, and what gives them on: an importer may not even know their types."""
    ends = {value.name for value in (*graph.input, *graph.output)}
    while True:
        read = ends.union(name for node in graph.node for name in (*node.input, *onnx_model.captured(node)))
        kept = [node for node in graph.node if node.op_type != "Identity" or not read.isdisjoint(node.output)]
        if len(kept) == len(graph.node):
            break
        onnx_model.replace_nodes(graph, kept)
    kept = [tensor for tensor in graph.initializer if tensor.name in read]
    if len(kept) < len(graph.initializer):
        del graph.initializer[:]
        graph.initializer.extend(kept)


def operator(node: Any) -> str:
    """An operator's name, with its domain where that is not ONNX's own."""
    return str(node.op_type) if onnx_model.standard(node) else f"{node.domain}.{node.op_type}"


def called(node: Any) -> str:
    """A node as people find it: by its operator and its name, or what it gives where it has none."""
    told = f" {node.name}" if node.name else f", output {next(filter(None, node.output), '')}"
    return operator(node) + told


def _named(graph: Any) -> None:
    """Constants that are nodes become initializers, whichever way they are told, and what gives them on."""
    ends, nodes = {value.name for value in graph.output}, list[Any]()
    for node in graph.node:
        tensor = onnx_model.valued(node) if node.op_type == "Constant" and onnx_model.standard(node) else None
        if tensor is None:
            nodes.append(node)
            continue
        if tensor.name in ends:
            tensor.name += "/value"
            nodes.append(onnx_model.library().helper.make_node("Identity", [tensor.name], [node.output[0]]))
        graph.initializer.append(tensor)
    onnx_model.replace_nodes(graph, nodes)


def _ruled(light: Any, whole: Any, known: Collection[str], halves: bool) -> tuple[bool, Sequence[str]]:
    """Operators become what a rule says, or what they are made of where they are not `known`: whether any did, and what
    is told of those that nobody knows."""
    rules = {place: rules for place, node in enumerate(light.graph.node) if (rules := _rules(node, known))}
    if not rules and halves:
        return False, ()
    facts, nodes, tensors = Facts(light, whole), list[Any](), list[Any]()
    if not halves and fused.HALF in facts.types.values():
        wide = (place for place, node in enumerate(light.graph.node) if _computes(node))
        rules |= {place: [_WIDE, *rules.get(place, ())] for place in wide}
    changed, left = False, list[str]()
    for place, node in enumerate(light.graph.node):
        written = Written(f"{node.output[0]}/{node.op_type}{place}")
        answers = (rule(Given(node, facts), written) for rule in rules.get(place, ()))
        done = next((answer for answer in answers if answer), False)
        if isinstance(done, str):
            left.append(f"{called(node)}: {done}")
        changed |= done is True
        nodes += written.nodes if done is True else [node]
        tensors += written.tensors if done is True else []
    if changed:
        onnx_model.rewrite(light, whole, nodes, tensors)
    return changed, left


def _computes(node: Any) -> bool:
    """Whether an operator of ONNX's own does more than to move numbers, or to say what they are quantised to."""
    return onnx_model.standard(node) and node.op_type not in _MOVING and not onnx_model.branches(node)


def _rules(node: Any, known: Collection[str]) -> Sequence[Rule]:
    """What is asked of a node, one after the other."""
    own = [_RULES[operator(node)]] if operator(node) in _RULES else []
    return [*own, opened] if onnx_model.standard(node) and node.op_type not in known else own
