"""Where trials are dealt: a hand for each program of a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from zlib import crc32

from forerun.core import Measurement, Model, Source, Trial
from forerun.errors import InputError
from forerun.grammars.decisions import Plan
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tasks.schedule import Again, Schedule, gains
from forerun.toolchains.tvm import database, measure
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import Place
from forerun.toolchains.tvm.extract import Extracted
from forerun.tuning.answers import Kernel, Progress
from forerun.tuning.dealing import Hand, deal
from forerun.tuning.resuming import Resuming

TRIALS = 16
"""Candidates of each program, in the mean, where the user gives no number."""
_INSTEAD = 4
"""Kernels of which one has to run where the default ran for too long."""
Task = TypeVar("Task", bound=Schedule)
_SOME = 3
"""Programs whose reasons are told where none can be tuned."""


@dataclass
class Table:
    """Where trials are dealt: a hand for each program."""

    proposer: Model
    place: Place
    seed: int
    pool: Pool
    store: Store
    tell: Callable[[Progress], None]
    trials: int | None = None
    """In all, and of each program, where they are given."""
    per_task: int | None = None
    programs: int = 0
    """Those that may have a hand."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Others, each with the reason."""

    def __post_init__(self) -> None:
        self.hands: list[Hand] = []
        self._defaults: dict[str, Measurement] = {}
        self.order: list[int] = []
        self._todo = "run it as it is"
        """What to do where no program can be tuned."""
        hasty = self.proposer.hasty()
        # CUDA's compiler takes as long for one kernel as, side by side, for a round.
        self._hasty = None if hasty is self.proposer or targets.device(self.place.target) != "cpu" else hasty

    @property
    def total(self) -> int:
        """Trials of all programs."""
        given = (self.trials, None if self.per_task is None else self.per_task * self.programs)
        return min((number for number in given if number is not None), default=TRIALS * self.programs)

    def fill(self, network: str, programs: Sequence[Extracted]) -> None:
        """Seats the programs of a network, the one with most work first. Raises InputError where all are left out."""
        self._prepare(programs)
        for program in sorted(programs, key=lambda program: -program.weight * program.flops):
            if why := self._seat(program):
                self.left_out[program.name] = why
        if not self.hands:
            reasons = "; ".join(f"{name}: {why}" for name, why in list(self.left_out.items())[:_SOME])
            raise InputError(f"no program of {network} can be tuned", reasons, self._todo)

    def _prepare(self, programs: Sequence[Extracted]) -> None:
        """Measures the defaults that the store does not have, built side by side."""
        if len(self.pool) < 2:
            return
        asked = [(self._task(Schedule, program), self._source(program), None) for program in programs]
        unknown = [each for each in asked if self.store.baseline(*each[:2], measure.named()) is None]
        for place, found in self.pool.measure_each(unknown):
            source = unknown[place][1]
            self.tell(Progress("default", source.name))
            self._defaults[source.key] = found

    def _task(self, kind: type[Task], program: Extracted) -> Task:
        """How a program's kernels are measured: on a processor of this machine as its network finds its weights."""
        own = self.place.remote is None and targets.device(self.place.target) == "cpu"
        return kind(remote=self.place.remote, seed=self.seed, weights=program.weights if own else None)

    def _source(self, program: Extracted) -> Source:
        return Source(program.text, "tensorir", program.name, self.place.target)

    def _seat(self, program: Extracted) -> str:
        """Measures a program's default, and at once one kernel, where the proposer can be hasty: most of what there is
        to gain. Gives the reason where it is left out."""
        self.tell(Progress("default", program.name))
        place, source = len(self.hands), self._source(program)
        own = crc32(program.text.encode()) ^ self.seed
        try:
            search = Resuming(
                self._task(Schedule, program), self.proposer, source, pool=self.pool, seed=own, store=self.store,
                default=self._defaults.pop(source.key, None),
                on_trial=lambda trial: self._measured(place, trial),
            )  # fmt: skip
        except InputError as error:
            return self._left_out(program, error)
        self.hands.append(Hand(program, search))
        left = self.total - len(self.order)
        if left and (self._hasty or search.stopped):
            self.hands[-1].round(min(_INSTEAD, left) if search.stopped else 1, self._hasty)
        if search.stopped and not any(trial.measurement.ok for trial in search.trials):
            self.hands.pop()
            self.order = [each for each in self.order if each != place]
            return self._left_out(program, search.stopped)
        return ""

    def _left_out(self, program: Extracted, error: InputError) -> str:
        self.programs -= 1
        if error.why.startswith(("timeout:", "memory:")):
            self._todo = error.todo
        return f"{error.what.removeprefix(f'{program.name}: ')}: {error.why}"

    def play(self) -> None:
        """Deals all trials, then checks and times the fastest ones of each program once more, on other inputs."""
        deal(self.hands, self.total, self.per_task)
        for hand in self.hands:
            self.tell(Progress("checking", hand.program.name))
            hand.search.confirm(self._task(Again, hand.program))

    def _measured(self, place: int, trial: Trial[Plan]) -> None:
        hand, found = self.hands[place], trial.measurement
        self.order.append(place)
        if gains(hand.search.baseline.measurement, found):
            hand.best_s = min(hand.best_s, found.values[Schedule.metric.name])
        before = sum(each.program.weight * each.before_s for each in self.hands)
        best = sum(each.program.weight * each.best_s for each in self.hands)
        faster = sum(each.best_s < each.before_s for each in self.hands)
        self.tell(
            Progress(
                "tuning", hand.program.name, len(self.order), self.total, hand.before_s, hand.best_s, before, best,
                faster, len(self.hands),
            )
        )  # fmt: skip

    @property
    def recalled(self) -> int:
        """Trials that the store had."""
        return sum(hand.search.recalled for hand in self.hands)

    def told(self) -> tuple[int, ...]:
        """The kernel of each trial, in their order, without those of a round that was interrupted."""
        left = [len(hand.search.trials) for hand in self.hands]
        found = []
        for place in self.order:
            if left[place]:
                left[place] -= 1
                found.append(place)
        return tuple(found)

    def kernels(self) -> tuple[Kernel, ...]:
        """What became of each program."""
        found = []
        for hand in self.hands:
            result, program = hand.search.result(), hand.program
            plan = result.best.draft.answer
            decisions = "" if plan is None else hand.search.text(plan)
            found.append(Kernel(program.name, program.weight, program.flops, result, decisions))
        return tuple(found)

    def records(self) -> list[database.Record]:
        """Those of the programs that have something better than the default."""
        found = []
        for hand in self.hands:
            result = hand.search.result()
            if (plan := result.best.draft.answer) is not None:
                program = hand.search.grammar.spaces  # type: ignore[attr-defined]
                found.append(database.Record(program, plan, result.after))
        return found
