"""Schedules that nobody measured, with what the cost model thinks of them: a network learns from them too.

Measured kernels are few, and what tells a good one from a bad one drowns in what is random about both. A cost model
looks at hundreds of schedules in the time of a few runs. They are drawn independently of each other: what the good ones
have in common, and the bad ones have not, is what makes them good. Then a network learns from what the scheduler made
of its own drafts, too: generate, judge, train, again.
"""

from __future__ import annotations

import math

from forerun.corpora.workloads import Workload
from forerun.grammars.decisions import Decisions, Plan
from forerun.models._judge import REFUSED, Judge
from forerun.models.scheduler import Scheduler
from forerun.tables.schedules import Sentences, sentence
from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm.space import Beginnings, Program

ORIGIN = "believed"
_AT_ONCE = 128
"""Schedules that are drawn before the cost model looks at them."""


def drafted(
    workload: Workload, target: str, judge: Judge, n: int, seed: int, scheduler: Scheduler | None = None
) -> Sentences:
    """The program with the beginnings (`forerun.toolchains.tvm.space.Beginnings`) of `n` random schedules, and of what
    a scheduler would look at before anything is measured, those that are distinct and that post-processing takes;
    `seconds` say what is thought of them beside each other.

    Same arguments, same sentences. Raises InputError, ToolMissing.
    """
    source, task = workload.source(target), Schedule()
    program = Program(source)
    begun, scores = Beginnings(program), dict[Plan, float]()
    grammar = Decisions(begun)
    if scheduler is not None:
        bred = list(scheduler.population(task.prompt(source), Decisions(program)))
        scores.update(zip(bred, judge.scores(program, bred).tolist(), strict=True))
    for done in range(0, n, _AT_ONCE):
        plans = dict.fromkeys(program.random(min(_AT_ONCE, n - done), seed + done))
        new = [plan for plan in plans if plan not in scores]
        scores.update(zip(new, judge.scores(program, new).tolist(), strict=True))
    about = (workload.name, tuple(sorted(workload.families)), source.text, source.target, task.prompt(source))
    sentences = (
        sentence(grammar, begun.of(plan), math.exp(-score), False, ORIGIN)
        for plan, score in scores.items()
        if score > REFUSED
    )
    return Sentences(*about, len(program), None, tuple(sentences))
