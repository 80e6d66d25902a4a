"""Shorter plans with the same effect or a better one, and what each pass of a plan does.

Removes runs of steps, long ones first, and keeps a removal where no size becomes larger: the complement half of
ddmin (Zeller and Hildebrandt 2002). Functions are independent of each other, so all of them shrink in one measurement.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from forerun.core import Draft, Measurement, Result, Source, Trial
from forerun.grammars.pipelines import Plan
from forerun.models.mix import Steps, compose
from forerun.sandbox import Pool
from forerun.tasks.passes import EFFORT, Passes, instructions

Measure = Callable[[Plan], Measurement]


def minimise(
    task: Passes, source: Source, result: Result[Plan], pool: Pool, seconds: float | None = None
) -> Result[Plan]:
    """The same result with the passes removed from its best plan that make nothing smaller, in so many seconds."""
    best = result.best
    if best.draft.answer is None:
        return result

    ends = math.inf if seconds is None else time.monotonic() + seconds
    left = iter(range(max(1, EFFORT // max(1, instructions(source.text)))))

    def measure(plan: Plan) -> Measurement:
        if next(left, None) is None or time.monotonic() >= ends:
            return Measurement(error="a huge module: its plan stays longer than it must be")
        return next(measurement for _, measurement in pool.measure(task, source, [plan]))

    goal, keys = best.measurement, ("text", "data", task.metric.name)

    def good(plan: Plan) -> bool:
        nonlocal goal
        found = measure(plan)
        if not found.ok or any(found.values[key] > goal.values[key] for key in keys):
            return False
        goal = found
        return True

    own = _without_own_steps(best.draft.answer, goal, measure)
    plan = _without_steps(own if good(own) else best.draft.answer, good)
    draft = Draft(plan, best.draft.logprob, best.draft.origin)
    shorter: Trial[Plan] = replace(best, draft=draft, measurement=goal)
    trials = tuple(shorter if trial is best else trial for trial in result.trials)
    return replace(result, best=shorter, trials=trials)


def _without_steps(plan: Plan, good: Callable[[Plan], bool]) -> Plan:
    cut = _Cut(plan.steps)
    while not cut.done:
        cut.judge(good(Plan(cut.shorter, plan.functions)))
    return Plan(cut.steps, plan.functions)


def _without_own_steps(plan: Plan, goal: Measurement, measure: Measure) -> Plan:
    cuts = {name: _Cut(steps) for name, steps in plan.functions}
    sizes = dict(goal.parts)
    while busy := {name: cut for name, cut in cuts.items() if not cut.done}:
        lists = {name: cut.shorter if name in busy else cut.steps for name, cut in cuts.items()}
        found = measure(compose(plan.steps, lists))
        for name, cut in busy.items():
            smaller = found.ok and found.parts.get(name, 0.0) <= sizes.get(name, 0.0)
            if smaller:
                sizes[name] = found.parts.get(name, 0.0)
            cut.judge(smaller)
    return compose(plan.steps, {name: cut.steps for name, cut in cuts.items()})


@dataclass
class _Cut:
    """The state of one list that is being shortened."""

    steps: Steps
    at: int = 0
    length: int = 0
    shrunk: bool = False

    def __post_init__(self) -> None:
        self.length = max(1, len(self.steps) // 2)

    @property
    def done(self) -> bool:
        return self.length == 0 or not self.steps

    @property
    def shorter(self) -> Steps:
        """The list without the run that is in question."""
        return self.steps[: self.at] + self.steps[self.at + self.length :]

    def judge(self, good: bool) -> None:
        """Takes the removal or goes on to the next run."""
        if good:
            self.steps, self.shrunk = self.shorter, True
        else:
            self.at += self.length
        if self.at >= len(self.steps):
            # Single steps are gone through until every one of them is needed: what one undoes may leave with it.
            again = self.length == 1 and self.shrunk
            self.at, self.length, self.shrunk = 0, 1 if again else self.length // 2, False


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one pass does in its plan: the objective when the plan stops after it, and when only it is left out.

    `function` is empty for a pass of the whole module.
    """

    function: str
    step: str
    after: float
    without: float


def explain(task: Passes, source: Source, plan: Plan, pool: Pool) -> list[Contribution]:
    """One row for each pass of the plan, in the order they run."""
    places = list(_places(plan))
    prefixes = [_until(plan, *place) for place in places]
    without = [_leaving_out(plan, *place) for place in places]
    measured = dict(pool.measure(task, source, [*prefixes, *without]))
    values = [measured[i].values.get(task.metric.name, float("nan")) for i in range(2 * len(places))]
    steps = dict(plan.functions)
    return [
        Contribution(name, (steps[name] if name else plan.steps)[i], values[row], values[len(places) + row])
        for row, (name, i) in enumerate(places)
    ]


def _places(plan: Plan) -> list[tuple[str, int]]:
    own = [(name, i) for name, steps in plan.functions for i in range(len(steps))]
    return [("", i) for i in range(len(plan.steps))] + own


def _until(plan: Plan, name: str, at: int) -> Plan:
    if not name:
        return Plan(plan.steps[: at + 1])
    before = {other: steps for other, steps in plan.functions if other < name}
    return compose(plan.steps, before | {name: dict(plan.functions)[name][: at + 1]})


def _leaving_out(plan: Plan, name: str, at: int) -> Plan:
    if not name:
        return Plan(plan.steps[:at] + plan.steps[at + 1 :], plan.functions)
    lists = dict(plan.functions)
    return compose(plan.steps, lists | {name: lists[name][:at] + lists[name][at + 1 :]})
