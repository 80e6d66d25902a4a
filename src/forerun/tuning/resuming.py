"""What was done before: the default's measurement, what a proposer wrote in each round, what the best kernel was found
to be on other inputs; and kernels that other calls found for the same program, as a database of MetaSchedule has them.

What was measured is in the store for every search. But to ask for it a proposer would draft, mutate and rank all over
again, which takes longer than the look. A round's drafts follow from the program, the proposer, the seed and what was
measured before: they are kept by the digest of these, so that what is looked up is what would have been written.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from functools import cached_property
from typing import Any

from forerun import settings
from forerun.core import Draft, Measurement, Model, Result, Trial
from forerun.errors import InputError
from forerun.grammars.decisions import Plan, plan_of
from forerun.models._proposer import identity
from forerun.solve import Search
from forerun.store import Written
from forerun.tasks.schedule import Again, unsteady
from forerun.toolchains.tvm import measure

_TURNS = 3
"""How often a default is measured whose samples do not agree."""
_EARLIER = 4
"""Kernels of other calls that are looked at: the next one, where one is wrong on other inputs."""


class Resuming(Search[Plan]):
    """Measures, drafts and asks for design spaces only where the store does not have the answer."""

    def __init__(self, *given: Any, default: Measurement | None = None, **how: Any) -> None:
        """As `Search`; `default` is what was measured of it already, beside others."""
        self._default = default
        super().__init__(*given, **how)

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
        """The best so far, of this call's trials and of earlier ones."""
        best = self.task.choose(self.baseline, [*self.trials, *self._earlier])
        return Result(self.task.metric, self.baseline, best, tuple(self.trials))

    @property
    def inherited(self) -> bool:
        """Whether the best is a kernel that this call did not ask for."""
        best = self.result().best.draft
        return best.answer is not None and all(best.answer != trial.draft.answer for trial in self.trials)

    @cached_property
    def _earlier(self) -> list[Trial[Plan]]:
        """The fastest kernels of this program that were measured before, whoever proposed them."""
        found = [
            self._trial(Draft(plan_of(text), origin="earlier"), told) for text, told in self._known.items() if told.ok
        ]
        return self.task.rank(found)[:_EARLIER]

    def confirm(self, task: Again) -> None:
        """Checks the best kernel on other inputs. One that is wrong there, crashes or hangs is recorded so, and the
        next best is checked, until one is right or the default is left. Raises ToolMissing."""
        known = self._store.known(task, self.source, self._tool) if self._store else {}
        while (best := self.result().best).draft.answer is not None:
            found = known.get(self.text(best.draft.answer)) or self._asked(task, best.draft)
            if found.ok:
                return
            failed = Measurement(error=f"{found.error} (on other inputs than at first)", tool=self._tool)
            for trials in (self.trials, self._earlier):
                trials[:] = [
                    replace(t, measurement=failed) if t.draft.answer == best.draft.answer else t for t in trials
                ]
            self._keep([replace(best, measurement=failed)])

    def _asked(self, task: Again, draft: Draft[Plan]) -> Measurement:
        found = next(m for _, m in self._pool.measure(task, self.source, [draft.answer]))
        self._keep([Trial(task.id, self.source, draft, replace(found, tool=self._tool))])
        return found

    def _measured_baseline(self) -> Trial[Plan]:
        """The default; where it runs for longer than a candidate may, that time stands for it: what is so slow has the
        most to gain."""
        known = self._store.baseline(self.task, self.source, measure.named()) if self._store else None
        if known:
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
        drafts = super()._drafted(model, n, seed)
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
