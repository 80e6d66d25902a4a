"""Which functions are inlined wherever they are called, and which are compiled on their own.

Inlined are those that must be, local ones with one caller, and those that are about as small as their calls. The prices
are those of LLVM's inliner, https://llvm.org/doxygen/InlineCost_8cpp_source.html, with an instruction as the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass

from forerun.toolchains.llvm._graph import Inliner
from forerun.toolchains.llvm._instructions import CASTS
from forerun.toolchains.llvm._ir import Function, Module
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._nodes import Reduced
from forerun.toolchains.llvm._reduced import reduced
from forerun.toolchains.llvm._tally import tally
from forerun.toolchains.llvm._values import Value

_INLINED = 10_000
"""Instructions that are inlined at least, however short a text is."""
_CALL = 6
"""What a call costs, its arguments aside."""
_SMALLEST, _SMALL = 7, 50
"""What a function may cost, its arguments aside, to be inlined: where size alone matters, and elsewhere."""
_UNREDUCED = 8
"""Instructions as clang writes them for one that is left, at most."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of a module's functions."""

    kept: list[str]
    """Compiled on their own."""
    inliner: Inliner
    tallies: dict[str, Counter[str]]
    """What is left of those of which that is known by now."""


def plan_of(module: Module, layout: Layout) -> Plan:
    """The plan for a module."""
    reached = _reached(module)
    named, called = Counter[str](), Counter[str]()
    for function in reached:
        named.update(function.named)
        called.update(function.called)
    called_alone = {
        function.name
        for function in reached
        if called[function.name] == named[function.name] and function.name not in module.named
    }
    inlined = {
        function.name: function
        for function in reached
        if _must(module, function) or _once(module, function, called_alone, called)
    }
    inliner = Inliner(inlined.get, _INLINED + 2 * sum(function.instructions for function in reached))
    gone, tallies = set(inlined), dict[str, Counter[str]]()
    for function in reached:  # what a function calls comes first
        if function.name in inlined or not called[function.name] or not _may_be_small(module, function):
            continue
        graph = inliner.graph(function)
        left = reduced(module, layout, graph, function.parameters)
        if _cost(left) <= _most(module, function):
            inlined[function.name] = function
            if function.optional and function.name in called_alone:
                gone.add(function.name)
                continue
        if not graph.refused:
            tallies[function.name] = tally(left)
    return Plan([function.name for function in reached if function.name not in gone], inliner, tallies)


def _reached(module: Module) -> list[Function]:
    """The functions that somebody outside sees, or that are named in what is reached; each behind those that it names,
    unless these name it, too."""
    functions = module.functions
    seen, found = set[str](), list[Function]()
    for root, function in functions.items():
        if root in seen or (function.optional and root not in module.named):
            continue
        seen.add(root)
        stack = [(function, iter(function.named))]
        while stack:
            last, names = stack[-1]
            name = next((name for name in names if name in functions and name not in seen), None)
            if name is None:
                found.append(last)
                stack.pop()
            else:
                seen.add(name)
                stack.append((functions[name], iter(functions[name].named)))
    return found


def _attributes(module: Module, function: Function) -> frozenset[str]:
    return module.groups.get(function.group, frozenset())


def _must(module: Module, function: Function) -> bool:
    """Whether it is inlined whatever it costs."""
    return "alwaysinline" in _attributes(module, function)


def _once(module: Module, function: Function, called_alone: Set[str], called: Counter[str]) -> bool:
    """Whether it is local, and called once and used for nothing else."""
    once = function.local and function.name in called_alone and called[function.name] == 1
    return once and "noinline" not in _attributes(module, function)


def _most(module: Module, function: Function) -> int:
    """What a function may cost to be inlined."""
    smallest = "minsize" in _attributes(module, function)
    return (_SMALLEST if smallest else _SMALL) + len(function.parameters)


def _may_be_small(module: Module, function: Function) -> bool:
    if "noinline" in _attributes(module, function) or function.varargs or not function.blocks:
        return False
    return function.instructions <= _UNREDUCED * _most(module, function)


def _cost(found: Reduced) -> int:
    """About how many instructions it is."""
    ends = sum(node.end.kind == "branch" or len(node.end.cases) for node in found.nodes)
    return ends + sum(_price(value) for node in found.nodes for value in node.left)


def _price(value: Value) -> int:
    if value.op == "call":
        return _CALL + len(value.args)
    return not (value.op in CASTS or (value.op == "getelementptr" and not value.scales))
