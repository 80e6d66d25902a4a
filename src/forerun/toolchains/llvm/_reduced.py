"""A function as it is after what every optimiser does: walked until a walk finds nothing that another one needs."""

from __future__ import annotations

from dataclasses import replace

from forerun.toolchains.llvm._graph import Graph
from forerun.toolchains.llvm._ir import Module
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._nodes import Reduced
from forerun.toolchains.llvm._values import Operand, Value
from forerun.toolchains.llvm._variables import Variables, by_name, by_value
from forerun.toolchains.llvm._walk import Walk, loops_of

_WALKS = 3


def reduced(module: Module, layout: Layout, graph: Graph, parameters: list[str]) -> Reduced:
    """What is left of a function with these parameters.

    Another walk follows where the address of a variable has turned out to be used by loads and stores alone, and where
    a loop has turned out to be none.
    """
    variables, loops = by_name(graph, layout), loops_of(graph)
    for number in range(1, _WALKS + 1):
        found = Walk(module, layout, graph, variables, loops).reduced(parameters)
        used = _needed(found)
        for node in found.nodes:
            node.left = [value for value in node.left if value in used]
        found.phis = {phi: node for phi, node in found.phis.items() if phi in used}
        later = _later(found, used, variables, layout)
        reached = {node.number for node in found.nodes}
        ended = any(first in reached and first not in found.loops for first in loops)
        if number == _WALKS or not (ended or len(later.parts) > len(variables.parts)):
            break
        variables, loops = later, found.loops
    return found


def _needed(found: Reduced) -> set[Value]:
    """The values that something uses which has to be done."""
    seen: set[Value] = set()
    waiting: list[Operand] = [node.end.value for node in found.nodes if node.end.value is not None]
    waiting += [value for node in found.nodes for value in node.left if value.effect]
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, Value) and operand not in seen:
            seen.add(operand)
            waiting += operand.args
    return seen


def _later(found: Reduced, used: set[Value], variables: Variables, layout: Layout) -> Variables:
    """What is known of variables once what is left is known."""
    others = [node.end.value for node in found.nodes if node.end.value is not None]
    others += [operand for value in used if value.op in ("phi", "aggregate") for operand in value.args]
    later = by_value((node.left for node in found.nodes), others, layout)
    return replace(later, parts=variables.parts | later.parts, written=found.written)
