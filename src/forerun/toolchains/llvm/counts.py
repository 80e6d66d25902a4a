"""What is left of LLVM IR once it is compiled, counted without LLVM: what decides how much code comes of it.

The text is IR as clang emits it before any optimisation. What every optimiser does is reckoned first
(`forerun.toolchains.llvm._reduced`); what is left then is counted. Time is linear in the text, a few seconds for 10 MB.
"""

from __future__ import annotations

from collections import Counter

from forerun.toolchains.llvm._graph import Inliner
from forerun.toolchains.llvm._ir import Function, Module, read
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._reduced import reduced
from forerun.toolchains.llvm._tally import NAMES, tally

_INLINED = 10_000
"""Instructions that are inlined at least, however short a text is."""


def counts(text: str) -> dict[str, float]:
    """By name, always in the same order; 0 everywhere for a text that is no IR. Never raises.

    `functions` that are defined, `local` ones among them that nobody else sees, `kept` ones that are compiled on their
    own: not inlined at once, and reached from outside. Bytes of `globals`, the variables that are defined.

    All else is of what is left of those that are kept, with what is inlined into them: `forerun.toolchains.llvm._tally`
    says what is counted.
    """
    module = read(text)
    layout = Layout(module.types)
    found, kept = _total(module, layout)
    return {
        "functions": float(len(module.functions)),
        "local": float(sum(function.local for function in module.functions.values())),
        "kept": float(kept),
        "globals": float(sum(map(layout.size, module.variables))),
        **{name: float(found[name]) for name in NAMES},
    }


def _total(module: Module, layout: Layout) -> tuple[Counter[str], int]:
    """What is left of all functions, and how many are kept."""
    reached = _reached(module)
    inlined = _inlined(module, reached)
    inliner = Inliner(inlined.get, _INLINED + 2 * sum(f.instructions for f in module.functions.values()))
    waiting = [name for name in reached if name not in inlined]
    kept, total = set(waiting), Counter[str]()
    for name in waiting:  # grows while it is read
        function = module.functions[name]
        if not function.blocks:
            continue
        graph = inliner.graph(function)
        total.update(tally(reduced(module, layout, graph, function.parameters)))
        refused = sorted(graph.refused - kept)
        waiting += refused
        kept.update(refused)
    return total, len(kept)


def _reached(module: Module) -> dict[str, None]:
    """The names of the functions that somebody outside sees, or that are named in what is reached; in order."""
    functions = module.functions
    waiting = [name for name, function in functions.items() if not function.local or name in module.named]
    found = dict.fromkeys(waiting)
    for name in waiting:  # grows while it is read
        more = [other for other in functions[name].named if other in functions and other not in found]
        found.update(dict.fromkeys(more))
        waiting += more
    return found


def _inlined(module: Module, reached: dict[str, None]) -> dict[str, Function]:
    """Functions whose calls are inlined: those that must be, and local ones that are called once and used for nothing
    else."""
    named, called = Counter[str](), Counter[str]()
    for name in reached:
        named.update(module.functions[name].named)
        called.update(module.functions[name].called)

    def vanishes(function: Function) -> bool:
        once = function.local and function.name not in module.named and named[function.name] == 1
        return "alwaysinline" in module.groups.get(function.group, ()) or (once and called[function.name] == 1)

    return {name: module.functions[name] for name in reached if vanishes(module.functions[name])}
