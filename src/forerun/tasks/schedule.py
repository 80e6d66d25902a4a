"""Which schedule makes this tensor program fast? A design space and its decisions, checked by running the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from forerun import settings
from forerun.core import Measurement, Metric, Source, Trial
from forerun.errors import InputError
from forerun.grammars.decisions import Decisions, Plan
from forerun.sandbox import TimedAlone
from forerun.tasks.latency import LATENCY

if TYPE_CHECKING:
    from forerun.toolchains.tvm.extract import Weights
    from forerun.toolchains.tvm.measure import Bounds
    from forerun.toolchains.tvm.remote import Remote

_OTHER = 1_000_003
"""From the seed of the inputs that a kernel was measured on to that of those that it is checked on again."""
_BUILDING = 1 / 12
"""The share of the time of a candidate (`FORERUN_TIMEOUT`) that the processor may build it: 2.5 seconds, where the best
kernels of 319 programs took 1.9 at most and half of them .1; what takes longer is unrolled so far that LLVM's passes
take quadratic time. CUDA's compiler may have all of it: it takes 3 to 20 seconds for a product of matrices."""
APART = 0.25
"""Of the median: a wider interquartile range is of a machine that did something else, and tells little."""
AGAIN = 0.05
"""Built and measured again, a kernel takes another time: by less than this of it mostly, however little its samples
spread."""

ELSEWHERE = "with"
"""What stands behind the task's name before the weights that were out of the caches."""


@dataclass(frozen=True)
class Schedule(TimedAlone[Plan]):
    """Choose the schedule of a tensor program: TensorIR with one function `main`, as `Source` text in TVMScript.

    `source.target` says where it runs (`forerun.toolchains.tvm.target`). The baseline is the program as it is. A kernel
    counts only where what it computes is what NumPy computes.
    """

    name: ClassVar[str] = "schedule"
    version: ClassVar[int] = 3
    reads: ClassVar[tuple[str, ...]] = ("tensorir",)
    metrics: ClassVar[Mapping[str, Metric]] = {"latency": LATENCY}
    metric: ClassVar[Metric] = LATENCY  # type: ignore[misc]

    samples: int = 10
    seconds: float = 0.1
    """Of a kernel there are `samples`, fewer where they would take longer than `seconds` together."""
    remote: Remote | None = None
    """The machine that measures; this one where none is named."""
    seed: int = 0
    """Of the inputs that kernels are checked on. It is not in the name: a right kernel is right whatever they were."""
    weights: Weights | None = None
    """Inputs that have left the near caches when the program runs in its network."""

    @property
    def id(self) -> str:
        """What another machine measured is another row in the store, and known to it alone; as is what was measured
        with other inputs out of the caches."""
        where = f" on {self.remote}" if self.remote else ""
        if self.weights:
            where += f" {ELSEWHERE} {','.join(map(str, self.weights.places))} among {self.weights.among}"
        return super().id + where

    def prompt(self, source: Source) -> str:
        """The hardware, the program, its design spaces. Raises InputError, ToolMissing."""
        from forerun.toolchains.tvm.text import prompt

        return prompt(_world(source).spaces)  # type: ignore[arg-type]

    def grammar(self, source: Source) -> Decisions:
        """What may be decided. Raises InputError, ToolMissing."""
        return _world(source)

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        """Builds and checks the kernel; what it gives times it. On another machine all is done. Raises InputError,
        ToolMissing."""
        from forerun.toolchains.tvm.measure import begin, measure

        bounds = self._bounds(source, answer)
        return measure(source, answer, bounds, self.remote) if self.remote else begin(source, answer, bounds)

    def _bounds(self, source: Source, answer: Plan | None) -> Bounds:
        """How it is built and timed, and on which inputs."""
        from forerun.toolchains.tvm.measure import Bounds
        from forerun.toolchains.tvm.target import device

        # What is there anyway is built, however long it takes.
        share = math.inf if answer is None else _BUILDING if device(source.target) == "cpu" else 1.0
        build_s = share * settings.number("timeout")
        return Bounds(self.samples, self.seconds, seed=self.seed, build_s=build_s, weights=self.weights)

    def choose(self, baseline: Trial[Plan], trials: Sequence[Trial[Plan]]) -> Trial[Plan]:
        """The fastest checked kernel that gains something (`gains`), else the baseline."""
        found = (trial for trial in self.rank(trials) if gains(baseline.measurement, trial.measurement))
        return next(found, baseline)


@dataclass(frozen=True)
class Again(Schedule):
    """Whether a kernel that was measured is right on other inputs, too, and how long it takes on them, built anew.

    A program that has no value on those (it would divide by zero) says nothing against a kernel: then its measurement
    has no values.
    """

    @property
    def id(self) -> str:
        """What it says is another row in the store than what was measured first."""
        return f"{super().id} timed again"

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        """As any schedule's. Raises ToolMissing."""
        try:
            return super().begin(source, answer)
        except InputError:
            return Measurement(checked=True)

    def _bounds(self, source: Source, answer: Plan | None) -> Bounds:
        """However long it takes to build: it was built before."""
        return replace(super()._bounds(source, None), seed=self.seed + _OTHER)


@dataclass(frozen=True)
class Reading(Schedule):
    """What is in the machine code of a schedule (`forerun.toolchains.tvm.machine_code`), which does not run."""

    name: ClassVar[str] = "machine code"
    version: ClassVar[int] = 1

    def begin(self, source: Source, answer: Plan | None) -> Measurement:
        """Its features, named by their places. Raises InputError, ToolMissing."""
        from forerun.toolchains.tvm.measure import read

        assert answer is not None, "what nobody scheduled is not read"
        return read(source, answer, self._bounds(source, answer).build_s)


def gains(default: Measurement, found: Measurement) -> bool:
    """Whether a kernel is right, and faster than the default by more than noise: than the wider interquartile range of
    the two and what measuring again changes; or, its own range included, than the fastest sample of the default: noise
    only ever adds."""
    if not found.ok:
        return False
    before, after = default.values["latency"], found.values["latency"]
    ranges = [each.values["latency"] * each.values.get("latency_spread", 0.0) for each in (default, found)]
    if before - after > max(ranges) + AGAIN * before:
        return True
    return after + ranges[1] < (1 - AGAIN) * default.values.get("latency_least", 0.0)


def unsteady(found: Measurement) -> bool:
    """Whether samples of a kernel lie so far apart that their median may be of something else that ran."""
    return found.values.get("latency_spread", 0.0) > APART


@lru_cache(maxsize=8)
def _world(source: Source) -> Decisions:
    from forerun.toolchains.tvm.space import Program

    return Decisions(Program(source))
