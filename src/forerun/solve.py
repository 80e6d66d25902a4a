"""The flow: a model proposes, the machine checks, the task chooses.

Work goes in rounds, so that a model may learn from what was just measured: a search, a frequency table and a language
model that asks for better take the same path. Rounds have a fixed size and are recorded in the order drafted, so the
answer does not depend on how many workers measured, nor on what the store already knew.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from forerun.core import Draft, Grammar, Measurement, Model, Result, Source, Task, Trial
from forerun.errors import ForerunError, InputError, UsageError

if TYPE_CHECKING:  # given by the caller: `import forerun` loads neither processes nor a database
    from forerun.sandbox import Pool
    from forerun.store import Store

A = TypeVar("A")

ROUND = 16
"""Drafts in a round: enough to keep workers busy, few enough to learn often."""

_PATIENCE = 4
"""Rounds without a new draft after which a model has no more to say."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent on one source: distinct candidates, and seconds of wall-clock time where given."""

    candidates: int = 20
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """`100` is candidates, `5s` seconds. Raises UsageError."""
        number, seconds = text.removesuffix("s"), text.endswith("s")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not 0 < value < math.inf or (not seconds and not value.is_integer()):
            raise UsageError(f"not a budget: {text!r}", "it is compilations or seconds", "for example: 100, or 5s")
        return cls(1_000_000, value) if seconds else cls(int(value))


def solve(
    task: Task[A],
    model: Model,
    source: Source,
    *,
    pool: Pool,
    budget: Budget | None = None,
    seed: int = 0,
    store: Store | None = None,
    on_trial: Callable[[Trial[A]], None] | None = None,
    at_once: int = ROUND,
    searching: Callable[..., Search[A]] | None = None,
) -> Result[A]:
    """The best checked answer that the model finds within the budget, never worse than the baseline. It is asked for
    `at_once` drafts in a round. `searching` is another kind of `Search` than the plain one.

    Raises InputError where the baseline itself fails: then there is nothing to compare with.
    """
    budget = budget or Budget()
    ends = None if budget.seconds is None else time.monotonic() + budget.seconds
    search = (searching or Search)(task, model, source, pool=pool, seed=seed, store=store, on_trial=on_trial)
    search.spend(budget.candidates, at_once, ends)
    return search.result()


def _todo(measurement: Measurement) -> str:
    if measurement.transient:
        return "give it more: FORERUN_TIMEOUT (seconds), FORERUN_MEMORY (MiB)"
    if "__main__" in measurement.error:
        return "define the task in a module that workers can import, not in the script or notebook itself"
    return "look at the source and at how it is compiled"


class Search(Generic[A]):
    """What `solve` does, round by round, for a caller who deals out the rounds. `trials` are those so far, of which the
    store had `recalled`."""

    def __init__(
        self,
        task: Task[A],
        model: Model,
        source: Source,
        *,
        pool: Pool,
        seed: int = 0,
        store: Store | None = None,
        on_trial: Callable[[Trial[A]], None] | None = None,
    ) -> None:
        """Measures the baseline. Raises InputError where that fails."""
        self.task, self.source, self.trials = task, source, list[Trial[A]]()
        self._model, self._pool, self._seed, self._store, self._on_trial = model, pool, seed, store, on_trial
        self._seen, self._known = set[str](), dict[str, Measurement]()
        self._silent = self._turn = self.recalled = 0
        self.baseline = self._measured_baseline()

    @cached_property
    def grammar(self) -> Grammar[A]:
        """What may be written. Raises InputError, ToolMissing."""
        return self.task.grammar(self.source)

    @cached_property
    def _prompt(self) -> str:
        return self.task.prompt(self.source)

    @property
    def dry(self) -> bool:
        """Whether the model has no more to say: it gave no draft, or none that is new for some rounds."""
        return self._silent >= _PATIENCE

    def spend(self, candidates: int, at_once: int = ROUND, ends: float | None = None) -> None:
        """Rounds of `at_once` drafts until there are so many `candidates`, the model has no more to say, or it is the
        time `ends` (`time.monotonic`)."""
        while (left := candidates - len(self.trials)) > 0 and not self.dry:
            if ends is not None and time.monotonic() >= ends:
                break
            # The last draft is asked for alone, so that it may build on everything measured before it.
            self.round(min(at_once, max(1, left - 1)), ends)

    def round(self, n: int, ends: float | None = None, model: Model | None = None) -> list[Trial[A]]:
        """Asks for `n` drafts, and measures those that are new; what is done at the time `ends` (`time.monotonic`).
        `model` is another one that is asked this time, whose silence says nothing of this one's."""
        seed = self._seed * 1_000_003 + self._turn
        drafts = self._drafted(model or self._model, n, seed)
        fresh = self._new(drafts)[:n]
        if model is None:
            self._silent = _PATIENCE if not drafts else 0 if fresh else self._silent + 1
        self._turn += 1
        return self._run(fresh, ends)

    def result(self) -> Result[A]:
        """The best so far."""
        best = self.task.choose(self.baseline, self.trials)
        return Result(self.task.metric, self.baseline, best, tuple(self.trials))

    def text(self, answer: A) -> str:
        """An answer as the store has it."""
        return self.grammar.text(answer)

    def _drafted(self, model: Model, n: int, seed: int) -> list[Draft[A]]:
        return model.sample(self._prompt, self.grammar, n, seed, self.history())

    def _measured_baseline(self) -> Trial[A]:
        _ = self.grammar, self._prompt  # what cannot be asked is told before anything is measured
        return self._accepted(next(m for _, m in self._pool.measure(self.task, self.source, [None])))

    def _accepted(self, measurement: Measurement) -> Trial[A]:
        """The baseline's trial, kept. Raises InputError for one that failed."""
        _ = self.grammar, self._prompt  # what cannot be asked is no failure of the store
        if measurement.error or math.isnan(measurement.values.get(self.task.metric.name, math.nan)):
            why = measurement.error or f"it has no {self.task.metric.name}"
            raise InputError(f"{self.source.name}: the baseline cannot be measured", why, _todo(measurement))
        trial = self._begun(measurement)
        self._keep([trial])
        return trial

    def _begun(self, measurement: Measurement) -> Trial[A]:
        """The baseline's trial, from whose tool on answers are known."""
        self._tool = measurement.tool
        if self._store:
            self._known = self._store.known(self.task, self.source, self._tool)
        return self._trial(Draft(None, origin="baseline"), measurement)

    def _new(self, drafts: Sequence[Draft[A]]) -> list[Draft[A]]:
        """The drafts that no earlier one spelled."""
        fresh = []
        for draft in drafts:
            assert draft.answer is not None
            text = self.text(draft.answer)
            if text not in self._seen:
                self._seen.add(text)
                fresh.append(draft)
        return fresh

    def _run(self, drafts: Sequence[Draft[A]], ends: float | None) -> list[Trial[A]]:
        """Measures a round, or what of it is done when the time is over. What was measured is kept in any case."""
        texts = [self.text(d.answer) for d in drafts if d.answer is not None]
        made = {i: self._trial(drafts[i], self._known[t]) for i, t in enumerate(texts) if t in self._known}
        self.recalled += len(made)
        for trial in made.values():
            self._tell(trial)
        todo = [i for i in range(len(drafts)) if i not in made]
        measuring = self._pool.measure(self.task, self.source, [drafts[i].answer for i in todo])
        try:
            for place, measurement in measuring:
                # A worker that died cannot say which tool it used.
                trial = self._trial(drafts[todo[place]], replace(measurement, tool=self._tool))
                made[todo[place]] = trial
                self._tell(trial)
                if ends is not None and time.monotonic() >= ends:
                    break
        finally:
            measuring.close()
            self._keep([made[i] for i in todo if i in made])
        found = [made[i] for i in sorted(made)]
        self.trials += found
        return found

    def _trial(self, draft: Draft[A], measurement: Measurement) -> Trial[A]:
        return Trial(self.task.id, self.source, draft, measurement)

    def _tell(self, trial: Trial[A]) -> None:
        if self._on_trial:
            self._on_trial(trial)

    def _keep(self, trials: list[Trial[A]]) -> None:
        if trials:
            self._write(lambda store: store.add(trials, self.grammar))

    def _write(self, write: Callable[[Store], None]) -> None:
        """A store that fails in the middle (a full disk) must not cost the answer: the search goes on without it."""
        if self._store and not self._store.failed:
            try:
                write(self._store)
            except ForerunError as error:
                self._store.failed = True
                told = "%s: %s; what is measured from here on is not kept"
                logging.getLogger(__name__).warning(told, error.what, error.why)

    def history(self) -> list[Trial[A]]:
        """Best first, then those that failed, in the order they were made."""
        ranked = self.task.rank(self.trials)
        good = set(map(id, ranked))
        return ranked + [t for t in self.trials if id(t) not in good]
