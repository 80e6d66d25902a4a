"""Gathering trials over many programs, in parallel, resumable: `solve` where answers are searched, else plain facts.

What was measured is in the store, so an interrupted collection goes on where it stopped: models draw the same drafts
again, and known ones are not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar
from zlib import crc32

from forerun import parallel
from forerun.core import Draft, Grammar, Measurement, Model, Result, Trial
from forerun.corpora.onnx_models import Network
from forerun.corpora.programs import Program
from forerun.corpora.units import Unit
from forerun.errors import ForerunError
from forerun.grammars.pipelines import Pipelines, Plan
from forerun.improve import Options, prepare
from forerun.models.uniform import Uniform
from forerun.sandbox import Pool
from forerun.solve import solve
from forerun.store import Store
from forerun.tasks import passes
from forerun.tasks._numbers import Answer
from forerun.tasks._programs import NOT_STARTED, Programs
from forerun.tasks.latency import Latency
from forerun.toolchains.llvm import clang

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Collected:
    """What became of one unit: its unoptimised instructions, and the result or why there is none."""

    unit: Unit
    instructions: int
    result: Result[Plan] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """How to collect: the model to ask, its budget, and which modules."""

    model: Callable[[], Model]
    options: Options
    compiler: str
    least: int = 10
    most: int = 20_000
    """Unoptimised IR instructions that a module may have."""
    extra: tuple[str, ...] = ()
    """Flags added to every command, for example another target."""


class RandomPipelines(Model):
    """Random pipelines of whole modules, other ones for each module: what was measured so is a fair sample."""

    name: ClassVar[str] = "pipelines"

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Independent drafts without passes for single functions."""
        whole = Pipelines(grammar.vocabulary) if isinstance(grammar, Pipelines) else grammar
        own = crc32(prompt.encode("utf-8", "surrogatepass"))
        return Uniform().sample(prompt, whole, n, seed ^ own)  # type: ignore[arg-type]


def collect(units: Iterable[Unit], job: Job, store: Path) -> Iterator[Collected]:
    """Yields each unit as it is done, in no order."""

    def work(unit: Unit, pool: Pool, opened: Store) -> Collected:
        return one(unit, job, pool, opened)

    return parallel.each(units, work, store)


def one(unit: Unit, job: Job, pool: Pool, store: Store) -> Collected:
    """One unit. What cannot be compiled or has not the asked size is a value with its reason."""
    command = clang.read_command([job.compiler, *unit.command[1:], *job.extra], unit.directory)
    if isinstance(command, str):
        return Collected(unit, 0, None, command)
    size = 0
    try:
        frontend = clang.front_end(command)
        size = passes.instructions(frontend.text)
        if not job.least <= size <= job.most:
            return Collected(unit, size, None, "size")
        task, source = prepare(command, job.options, frontend, name=f"{unit.project}/{Path(unit.file).name}")
        result = solve(
            task, job.model(), source, pool=pool, budget=job.options.budget, seed=job.options.seed, store=store
        )
    except ForerunError as error:
        return Collected(unit, size, None, str(error))
    return Collected(unit, size, result)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one program, now or before."""

    program: Program
    measurement: Measurement
    known: bool


def measure(
    programs: Iterable[Program], task: Programs, store: Path, workers: int, again: bool = False
) -> Iterator[Measured]:
    """Runs each program that the store does not know for this task; yields the known ones first, the rest in no order.

    `again` runs those once more that ran into a limit of time or memory. Programs are shut in by the toolchain, so
    they take no worker of ours. Raises ToolMissing where a language has no tool here.
    """
    distinct = {program.source.key: program for program in programs}
    with Store(store) as opened:
        known = {
            key: found
            for key, found in opened.baselines(task.id).items()
            if key in distinct and task.accepts(found) and not (again and found.transient)
        }
    yield from (Measured(distinct[key], found, True) for key, found in known.items())

    def work(program: Program, _: Pool, opened: Store) -> Measured:
        found = task.measure(program.source, None)
        if not found.error.startswith(NOT_STARTED):  # our failure, not the program's
            draft: Draft[Answer] = Draft(None, origin="baseline")
            opened.add([Trial(task.id, program.source, draft, found)], task.grammar(program.source))
        return Measured(program, found, False)

    todo = (program for key, program in distinct.items() if key not in known)
    yield from parallel.each(todo, work, store, workers)


@dataclass(frozen=True, slots=True)
class Timed:
    """What was measured of one network, now or before."""

    network: Network
    measurement: Measurement
    known: bool


def time_networks(
    networks: Iterable[Network], task: Latency, store: Path, workers: int = 1, again: bool = False
) -> Iterator[Timed]:
    """Times each network that the store does not know, in a worker that may die; yields the known ones first.

    `again` runs those once more that ran into a limit of time or memory. Raises ToolMissing without onnxruntime.
    """
    distinct = {network.source.key: network for network in networks}
    with Store(store) as opened:
        stored = opened.baselines(task.id).items()
    known = {key: found for key, found in stored if key in distinct and not (again and found.transient)}
    yield from (Timed(distinct[key], found, True) for key, found in known.items())

    def work(network: Network, pool: Pool, opened: Store) -> Timed:
        found = next(measured for _, measured in pool.measure(task, network.source, [None]))
        draft: Draft[Answer] = Draft(None, origin="baseline")
        opened.add([Trial(task.id, network.source, draft, found)], task.grammar(network.source))
        return Timed(network, found, False)

    yield from parallel.each((n for key, n in distinct.items() if key not in known), work, store, workers)
