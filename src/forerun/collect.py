"""Gathering trials over many programs, in parallel, resumable: `solve` where answers are searched, else plain facts.

What was measured is in the store, so an interrupted collection goes on where it stopped: models draw the same drafts
again, and known ones are not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar
from zlib import crc32

from forerun import parallel
from forerun.core import Draft, Grammar, Measurement, Model, Result, Source, Trial
from forerun.corpora.units import Unit
from forerun.errors import ForerunError
from forerun.grammars.pipelines import Pipelines, Plan
from forerun.improve import Options, prepare
from forerun.models.uniform import Uniform
from forerun.sandbox import Pool
from forerun.solve import solve
from forerun.store import Store
from forerun.tasks import passes
from forerun.tasks._numbers import NOT_STARTED, Answer, Numbers
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


class Measurable(Protocol):
    """A program or a network, with what does not belong to its Source."""

    @property
    def source(self) -> Source:
        """What is measured."""


X = TypeVar("X", bound=Measurable)


@dataclass(frozen=True, slots=True)
class Measured(Generic[X]):
    """What was measured of one item, now or before."""

    item: X
    measurement: Measurement
    known: bool


def measure(
    items: Iterable[X], task: Numbers, store: Path, workers: int = 1, again: bool = False
) -> Iterator[Measured[X]]:
    """Measures each item that the store does not know for this task; yields the known ones first, the rest in no order.

    `again` measures those once more that ran into a limit of time or memory. What the task does not shut in by itself
    is measured in a worker that may die. Raises ToolMissing where the machine lacks a tool.
    """
    distinct = {item.source.key: item for item in items}
    with Store(store) as opened:
        known = {
            key: found
            for key, found in opened.baselines(task.id).items()
            if key in distinct and task.accepts(found) and not (again and found.transient)
        }
    yield from (Measured(distinct[key], found, True) for key, found in known.items())

    def work(item: X, pool: Pool, opened: Store) -> Measured[X]:
        return measure_one(item, task, pool, opened)

    yield from parallel.each((item for key, item in distinct.items() if key not in known), work, store, workers)


def measure_one(item: X, task: Numbers, pool: Pool, store: Store) -> Measured[X]:
    """Measures an item, in a worker unless the task shuts it in by itself, and stores what was found."""
    if task.shut_in:
        found = task.measure(item.source, None)
    else:
        found = next(m for _, m in pool.measure(task, item.source, [None]))
    if not found.error.startswith(NOT_STARTED):  # our failure, not the program's
        draft: Draft[Answer] = Draft(None, origin="baseline")
        store.add([Trial(task.id, item.source, draft, found)], task.grammar(item.source))
    return Measured(item, found, False)


def stream(
    groups: Iterable[Iterable[X]], task: Numbers, store: Path, again: bool = False
) -> Generator[Measured[X], None, None]:
    """As `measure`, one item at a time in one worker, for items that are made while others are measured."""
    with Store(store) as opened, Pool(1) as pool:
        known = opened.baselines(task.id)
        for item in chain.from_iterable(groups):
            found = known.get(item.source.key)
            if found and task.accepts(found) and not (again and found.transient):
                yield Measured(item, found, True)
            else:
                done = measure_one(item, task, pool, opened)
                known[item.source.key] = done.measurement
                yield done
