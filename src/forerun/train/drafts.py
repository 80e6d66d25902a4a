"""Schedules that nobody measured, which the cost model finds the best of many random ones: a network learns them too.

Measured kernels are few, and what tells a good one from a bad one drowns in what is random about both. A cost model
looks at hundreds of schedules in the time of a few runs; those that it likes most are independent of each other, so
that what they have in common is what makes them good. The network learns to write such ones at once.
"""

from __future__ import annotations

import math

from forerun.corpora.workloads import Workload
from forerun.grammars.decisions import Decisions, Plan
from forerun.models._judge import REFUSED, Judge
from forerun.tables.schedules import Sentences, sentence
from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm.space import Program

ORIGIN = "believed"
_AT_ONCE = 128
"""Schedules that are drawn before the cost model looks at them."""
_FEW = 8
"""Of a program with fewer distinct schedules than this for each one that is kept, fewer are kept."""


def drafted(workload: Workload, target: str, judge: Judge, n: int, kept: int, seed: int) -> Sentences:
    """The program with the `kept` best of `n` random schedules, the best first; `seconds` say what is thought of them
    beside each other.

    Same arguments, same sentences. Raises InputError, ToolMissing.
    """
    source, task = workload.source(target), Schedule()
    program = Program(source)
    grammar, scores = Decisions(program), dict[Plan, float]()
    for done in range(0, n, _AT_ONCE):
        plans = dict.fromkeys(program.random(min(_AT_ONCE, n - done), seed + done))
        new = [plan for plan in plans if plan not in scores]
        scores.update(zip(new, judge.scores(program, new).tolist(), strict=True))
    legal = sorted((plan for plan in scores if scores[plan] > REFUSED), key=lambda plan: -scores[plan])
    best = legal[: min(kept, len(legal) // _FEW)]
    about = (workload.name, tuple(sorted(workload.families)), source.text, source.target, task.prompt(source))
    sentences = (sentence(grammar, plan, math.exp(-scores[plan]), False, ORIGIN) for plan in best)
    return Sentences(*about, len(program), None, tuple(sentences))
