"""A search strategy for MetaSchedule: what one of our models proposes, TVM builds, runs and keeps in its database.

The other way round from `forerun.solve`: TVM's task scheduler asks for candidates and tells what they took. How a
kernel is built and timed, and whether anybody checks what it computes, is up to the builder and the runner it is given.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from forerun.core import Draft, Measurement, Model, Source, Task, Trial
from forerun.errors import ForerunError
from forerun.grammars.decisions import Decisions, Plan
from forerun.stats import median
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.space import Program, Refused
from forerun.toolchains.tvm.text import prompt

_PATIENCE = 4
"""Turns without a new candidate after which a model has no more to say."""


Proposer = Callable[[Program], Model]
"""The model that proposes for a program."""


def strategy(task: Task[Plan], proposer: Proposer, seed: int) -> Any:
    """A model as a `SearchStrategy` of MetaSchedule, with the drafts that `solve` gets of it. Raises ToolMissing.

    It is made of functions, as `derived_object` makes it of a class, which could stand only where TVM is imported.
    """
    load()
    from tvm.s_tir.meta_schedule.search_strategy.search_strategy import _PySearchStrategy

    search = Search(task, proposer, seed)
    return _PySearchStrategy(
        search.initialize,
        search.begin,
        lambda: search.running.post_tuning(),
        lambda: search.running.generate_measure_candidates(),
        lambda candidates, results: search.running.notify_runner_results(candidates, results),
        lambda: strategy(task, proposer, seed),
    )


class Search:
    """What is known of a tuning context. It is not kept itself: it owns the strategy."""

    def __init__(self, task: Task[Plan], proposer: Proposer, seed: int) -> None:
        self.task, self.proposer, self.seed = task, proposer, seed
        self.running: Any = None
        """Between `begin` and its end: `Proposals`, or TVM's own strategy."""

    def initialize(self, context: Any) -> None:
        """May come more than once before `begin`."""
        from tvm.s_tir.meta_schedule import SearchStrategy

        self.name, self.module = str(context.task_name), context.mod
        self.target = targets.text(context.target)
        self.postprocs = context.space_generator.postprocs or ()
        self.own = SearchStrategy.create("replay-trace")
        self.own._initialize_with_tune_context(context)

    def begin(self, trials: int, at_once: int, spaces: Sequence[Any], database: Any, cost_model: Any) -> None:
        """Makes the proposals for the context's design spaces; TVM's own sampling where they cannot be written."""
        source = Source(self.module.script(), self.task.reads[0], self.name, self.target)
        try:
            program = Program(source, spaces, self.postprocs)
            model = self.proposer(program)
            self.running = Proposals(self.task, model, self.seed, program, int(trials), int(at_once))
        except ForerunError as error:
            told = "%s: %s: %s; TVM's own random sampling (replay-trace) tunes this task"
            logging.getLogger(__name__).warning(told, self.name, error.what, error.why)
            self.own.pre_tuning(trials, at_once, spaces, database, cost_model)
            self.running = self.own


class Proposals:
    """What a model proposes for one program, and what became of it. Methods are named as those of TVM's strategies."""

    def __init__(self, task: Task[Plan], model: Model, seed: int, program: Program, trials: int, at_once: int) -> None:
        self.task, self.model, self.seed, self.program = task, model, seed, program
        self.prompt, self.grammar = prompt(program), Decisions(program)
        self.left, self.at_once, self.turn = trials, at_once, 0
        self.trials: list[Trial[Plan]] = []
        self.seen: set[Plan] = set()
        self.pending: list[Draft[Plan]] = []

    def generate_measure_candidates(self) -> Any:
        """The next ones, post-processed; None when trials are used up or the model has no more to say."""
        for _ in range(_PATIENCE if self.left > 0 else 0):
            n = min(self.left, self.at_once)
            ranked = self.task.rank(self.trials)
            history = ranked + [trial for trial in self.trials if not trial.measurement.ok]
            drafts = self.model.sample(self.prompt, self.grammar, n, self.seed * 1_000_003 + self.turn, history)
            self.turn += 1
            if not drafts:
                return None
            if candidates := self._candidates(drafts[:n]):
                return candidates
        return None

    def notify_runner_results(self, candidates: Sequence[Any], results: Sequence[Any]) -> None:
        """What the runner says of the last candidates."""
        for draft, result in zip(self.pending, results, strict=True):
            self._tell(draft, _measurement(result))
        self.left -= len(self.pending)
        self.pending = []

    def post_tuning(self) -> None:
        """After the last trial."""

    def _candidates(self, drafts: Sequence[Draft[Plan]]) -> list[Any]:
        from tvm.s_tir.meta_schedule import MeasureCandidate
        from tvm.s_tir.meta_schedule.arg_info import ArgInfo

        found = []
        for draft in drafts:
            assert draft.answer is not None
            if draft.answer in self.seen:
                continue
            self.seen.add(draft.answer)
            try:
                schedule = self.program.scheduled(draft.answer)
            except Refused as error:
                self._tell(draft, Measurement(error=f"schedule: {error}"))
                continue
            self.pending.append(draft)
            found.append(MeasureCandidate(schedule, ArgInfo.from_entry_func(schedule.mod)))
        return found

    def _tell(self, draft: Draft[Plan], measurement: Measurement) -> None:
        self.trials.append(Trial(self.task.id, self.program.source, draft, measurement))


def _measurement(result: Any) -> Measurement:
    """A runner's result. That it counts as checked says that the runner took it: nobody else does here."""
    if result.error_msg is not None:
        return Measurement(error=f"run: {result.error_msg}")
    return Measurement({"latency": median([float(seconds) for seconds in result.run_secs])}, checked=True)
