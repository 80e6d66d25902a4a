"""Which functions are inlined wherever they are called, and which are compiled on their own.

Inlined are those that must be, local ones with one caller, and those that are about as small as their calls: what LLVM's
inliner takes for cheap, https://llvm.org/doxygen/InlineCost_8cpp_source.html, with an instruction as the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from forerun.toolchains.llvm._graph import Inliner
from forerun.toolchains.llvm._ir import CASTS, Function, Module
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._reduced import reduced
from forerun.toolchains.llvm._values import Value
from forerun.toolchains.llvm._walk import Reduced

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


def plan_of(module: Module, layout: Layout) -> Plan:
    """The plan for a module."""
    reached = _reached(module)
    named, called = Counter[str](), Counter[str]()
    for name in reached:
        named.update(module.functions[name].named)
        called.update(module.functions[name].called)
    free = {name for name in reached if called[name] == named[name] and name not in module.named}
    """Functions that nothing does more with than to call them."""
    allowed = _INLINED + 2 * sum(function.instructions for function in module.functions.values())
    must = {name: module.functions[name] for name in reached if _vanishes(module, module.functions[name], called, free)}
    first = Inliner(must.get, allowed)
    cheap = {
        name: module.functions[name]
        for name in reached
        if name not in must and called[name] and _is_small(module, layout, first, module.functions[name])
    }
    inlined = must | cheap
    kept = [
        name
        for name in reached
        if name not in inlined or not module.functions[name].optional or (name in cheap and name not in free)
    ]
    return Plan([name for name in kept if name not in must], Inliner(inlined.get, allowed))


def _reached(module: Module) -> list[str]:
    """The names of the functions that somebody outside sees, or that are named in what is reached."""
    functions = module.functions
    found = dict.fromkeys(name for name, function in functions.items() if not function.optional or name in module.named)
    waiting = list(found)
    for name in waiting:  # grows while it is read
        more = [other for other in functions[name].named if other in functions and other not in found]
        found.update(dict.fromkeys(more))
        waiting += more
    return waiting


def _vanishes(module: Module, function: Function, called: Counter[str], free: Iterable[str]) -> bool:
    """Whether it must be inlined, or is local and called once."""
    attributes = module.groups.get(function.group, frozenset())
    once = function.local and function.name in free and called[function.name] == 1
    return "alwaysinline" in attributes or (once and "noinline" not in attributes)


def _is_small(module: Module, layout: Layout, inliner: Inliner, function: Function) -> bool:
    attributes = module.groups.get(function.group, frozenset())
    most = (_SMALLEST if "minsize" in attributes else _SMALL) + len(function.parameters)
    refused = "noinline" in attributes or function.varargs or not function.blocks
    if refused or function.instructions > _UNREDUCED * most:
        return False
    return _cost(reduced(module, layout, inliner.graph(function), function.parameters)) <= most


def _cost(found: Reduced) -> int:
    """About how many instructions it is."""
    ends = sum(node.end.kind == "branch" or len(node.end.cases) for node in found.nodes)
    return ends + sum(_price(value) for node in found.nodes for value in node.left)


def _price(value: Value) -> int:
    if value.op == "call":
        return _CALL + len(value.args)
    return not (value.op in CASTS or (value.op == "getelementptr" and not value.scales))
