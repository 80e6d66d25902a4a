"""What is left of LLVM IR once it is compiled, counted without LLVM: what decides how much code comes of it.

The text is IR as clang emits it before any optimisation. What every optimiser does is reckoned first
(`forerun.toolchains.llvm._reduced`); what is left then is counted. Time is linear in the text, a few seconds for 10 MB.
"""

from __future__ import annotations

from collections import Counter

from forerun.toolchains.llvm._inlining import plan_of
from forerun.toolchains.llvm._ir import Module, read
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm._reduced import reduced
from forerun.toolchains.llvm._tally import NAMES, tally


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
    plan = plan_of(module, layout)
    waiting, total = list(plan.kept), Counter[str]()
    kept = set(waiting)
    for name in waiting:  # grows while it is read
        function = module.functions[name]
        if known := plan.tallies.get(name):
            total.update(known)
        elif function.blocks:
            graph = plan.inliner.graph(function)
            total.update(tally(reduced(module, layout, graph, function.parameters)))
            refused = sorted(graph.refused - kept)
            waiting += refused
            kept.update(refused)
    return total, len(kept)
