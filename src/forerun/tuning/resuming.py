"""What was done before: the default's measurement, what a proposer wrote in each round, what the best kernels were
found to be on other inputs; and kernels that other calls found for the same program, as a database of MetaSchedule has
them.

What was measured is in the store for every search. But to ask for it a proposer would draft, mutate and rank all over
again, which takes longer than the look. A round's drafts follow from the program, the proposer, the seed and what was
measured before: they are kept by the digest of these, so that what is looked up is what would have been written.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from forerun import settings
from forerun.core import Draft, Measurement, Model, Result, Trial
from forerun.errors import InputError
from forerun.grammars.decisions import Plan, plan_of
from forerun.models._proposer import identity
from forerun.solve import Search
from forerun.store import Written
from forerun.tasks.schedule import Again, gains, unsteady
from forerun.toolchains.tvm import measure
from forerun.toolchains.tvm.space import Refused

_TURNS = 3
"""How often a default is measured whose samples do not agree."""
_EARLIER = 4
"""Kernels of other calls that are looked at: the next one, where one is wrong on other inputs."""
_FINALISTS, _CLOSE = 4, 0.05
"""Kernels that are built and timed once more, those that take at most so much longer than the fastest: of 16 candidates
of 30 programs the one that is fastest by both measurements is 1.004 times as fast as the one that was by the first, on
a quiet machine; which of several is measured luckily is chance."""


class Resuming(Search[Plan]):
    """Measures, drafts and asks for design spaces only where the store does not have the answer."""

    def __init__(self, *given: Any, default: Measurement | None = None, **how: Any) -> None:
        """As `Search`; `default` is what was measured of it already, beside others."""
        self._default, self._finals = default, list[Trial[Plan]]()
        super().__init__(*given, **how)

    remembered = False
    """Whether the default was measured by an earlier call."""
    stopped: InputError | None = None
    """What stopped the default, where it ran for longer than a candidate may."""

    @cached_property
    def _texts(self) -> dict[Plan, str]:
        """Plans that were written or read: to write one TVM is asked for all that is legal."""
        return {}

    def text(self, answer: Plan) -> str:
        """An answer as the store has it."""
        if answer not in self._texts:
            self._texts[answer] = super().text(answer)
        return self._texts[answer]

    def result(self) -> Result[Plan]:
        """The best so far, of this call's trials and of earlier ones: of the finalists, where there were any."""
        found = self._finals or [*self.trials, *self._earlier]
        return Result(self.task.metric, self.baseline, self.task.choose(self.baseline, found), tuple(self.trials))

    @property
    def inherited(self) -> bool:
        """Whether the best is a kernel that this call did not ask for."""
        best = self.result().best.draft
        return best.answer is not None and all(best.answer != trial.draft.answer for trial in self.trials)

    @cached_property
    def _earlier(self) -> list[Trial[Plan]]:
        """The fastest kernels of this program that were measured before, whoever proposed them, as far as its design
        spaces have them: those of another version may be others."""
        found = [
            self._trial(Draft(plan_of(text), origin="earlier"), told) for text, told in self._known.items() if told.ok
        ]
        return [*islice((trial for trial in self.task.rank(found) if self._fits(trial.draft)), _EARLIER)]

    def _fits(self, draft: Draft[Plan]) -> bool:
        """Whether a schedule can be made of a draft."""
        spaces, plan = self.grammar.spaces, draft.answer  # type: ignore[attr-defined]
        return plan is not None and plan.space < len(spaces) and bool(spaces.takes(plan))

    def confirm(self, task: Again) -> None:
        """Builds the fastest kernels once more, checks them on other inputs and times them there; from then on the one
        that is fastest by both measurements is the best. One that is wrong on those inputs, crashes or hangs is
        recorded so, and others take its place, until all are right or the default is left. Raises ToolMissing."""
        known = self._store.known(task, self.source, self._tool) if self._store else {}
        self._finals = []
        while finals := {self._written(trial.draft).answer: trial for trial in self._finalists()}:
            known |= self._asked(task, [trial.draft for text, trial in finals.items() if text not in known])
            if all(known[text].ok for text in finals):
                name = self.task.metric.name
                self._finals = [replace(t, measurement=_both(t.measurement, known[x], name)) for x, t in finals.items()]
                break
            for text, trial in finals.items():
                if not known[text].ok:
                    self._failed(trial, known[text].error)

    def _finalists(self) -> list[Trial[Plan]]:
        """The fastest kernels, one of which is to be the answer."""
        name, found = self.task.metric.name, dict[Plan | None, Trial[Plan]]()
        for trial in self.task.rank([*self.trials, *self._earlier]):
            if gains(self.baseline.measurement, trial.measurement):
                found.setdefault(trial.draft.answer, trial)
        fastest = min((trial.measurement.values[name] for trial in found.values()), default=0.0)
        near = (each for each in found.values() if each.measurement.values[name] <= (1 + _CLOSE) * fastest)
        return [*islice(near, _FINALISTS)]

    def _failed(self, trial: Trial[Plan], error: str) -> None:
        """What is said from now on of a kernel that failed on other inputs."""
        failed = Measurement(error=f"{error} (on other inputs than at first)", tool=self._tool)
        for trials in (self.trials, self._earlier):
            trials[:] = [replace(t, measurement=failed) if t.draft.answer == trial.draft.answer else t for t in trials]
        self._keep([replace(trial, measurement=failed)])

    def _asked(self, task: Again, drafts: Sequence[Draft[Plan]]) -> dict[str, Measurement]:
        """What the pool says of each, by its text."""
        measured = self._pool.measure(task, self.source, [draft.answer for draft in drafts])
        found = {drafts[place]: replace(told, tool=self._tool) for place, told in measured}
        self._keep([Trial(task.id, self.source, draft, told) for draft, told in found.items()])
        return {self._written(draft).answer: told for draft, told in found.items()}

    def _measured_baseline(self) -> Trial[Plan]:
        """The default; where it runs for longer than a candidate may, that time stands for it: what is so slow has the
        most to gain."""
        known = self._store.baseline(self.task, self.source, measure.named()) if self._store else None
        if known:
            self.remembered = True
            return self._begun(known)
        try:
            return self._steadier()
        except InputError as error:
            if not error.why.startswith("timeout:"):
                raise
            self.stopped = error
        values = {self.task.metric.name: settings.number("timeout")}
        return self._begun(Measurement(values, checked=True, tool=measure.named()))

    def _steadier(self) -> Trial[Plan]:
        """The default, measured until its samples agree, a few times at most; the one that took least is kept."""
        found = list[Trial[Plan]]()
        for _ in range(_TURNS):
            given, self._default = self._default, None
            found.append(self._accepted(given) if given else super()._measured_baseline())
            if not unsteady(found[-1].measurement):
                break
        best = min(found, key=lambda trial: trial.measurement.values[self.task.metric.name])
        if best is not found[-1]:
            self._keep([best])
        return best

    def _drafted(self, model: Model, n: int, seed: int) -> list[Draft[Plan]]:
        key = self._key(identity(model), n, seed)
        if self._store and key and (known := self._store.drafts(key)) is not None:
            return [self._read(each) for each in known]
        drafts = [draft for draft in super()._drafted(model, n, seed) if self._writes(draft)]
        if key:
            written = [self._written(each) for each in drafts]
            self._write(lambda store: store.add_drafts(key, written))
        return drafts

    def _key(self, writer: str, n: int, seed: int) -> str:
        """Of all that drafts follow from; empty where nobody knows what their writer depends on."""
        if not writer:
            return ""
        past = [[self._written(trial.draft).answer, _told(trial)] for trial in self.history()]
        asked = [self.task.id, self.source.key, self._tool, writer, n, seed, past]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _writes(self, draft: Draft[Plan]) -> bool:
        """Whether a draft can be written down: TVM may refuse to begin what it makes as a whole."""
        try:
            self._written(draft)
        except Refused:
            return False
        return True

    def _written(self, draft: Draft[Plan]) -> Written:
        assert draft.answer is not None
        return Written(self.text(draft.answer), None if math.isnan(draft.logprob) else draft.logprob, draft.origin)

    def _read(self, written: Written) -> Draft[Plan]:
        plan = plan_of(written.answer)
        self._texts[plan] = written.answer
        return Draft(plan, math.nan if written.logprob is None else written.logprob, written.origin)


def _told(trial: Trial[Plan]) -> list[object]:
    """What a model may read of a measurement."""
    found = trial.measurement
    return [dict(found.values), dict(found.parts), found.checked, found.error]


def _both(first: Measurement, again: Measurement, name: str) -> Measurement:
    """What two measurements of a kernel say: the geometric mean of its seconds, where the second one has any."""
    if name not in again.values:
        return first
    return replace(first, values={**first.values, name: math.sqrt(first.values[name] * again.values[name])})
