"""Rows from stored trials: what was measured of programs and networks, and what pass pipelines made of modules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from forerun import parallel
from forerun.core import Measurement, Source
from forerun.corpora.programs import group_of
from forerun.errors import UsageError
from forerun.rows import Row
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tasks import size
from forerun.tasks._numbers import Numbers
from forerun.tasks.kernels import Kernels
from forerun.tasks.latency import Latency
from forerun.tasks.memory import Memory
from forerun.tasks.passes import Passes
from forerun.tasks.runtime import Runtime
from forerun.tasks.size import Size
from forerun.toolchains.llvm.target import Target as Emitted
from forerun.toolchains.onnx.target import Target as Machine
from forerun.toolchains.process.target import Target

EACH = 8
"""Pipelines of one module: trials of one search are much alike, and each row holds the module's text."""

_LONGEST = 2000
"""Characters that a pipeline may have in a prompt, where the module wants room as well."""


def rows_of(store: Store, task: str, each: int = EACH) -> Iterator[Row]:
    """The rows that a store holds for a task: `memory`, `runtime`, `latency`, `kernels`, `size` (and from `passes`).

    A row's group is the project, the problem, the network's topology or its family. Of a module's pipelines `size`
    takes the compiler's own level and at most `each` others at random, the same ones each time, none of them with
    passes for single functions. Raises UsageError for another task, ForerunError where the store cannot be used.
    """
    if task not in _ROWS:
        raise UsageError(f"no rows are made of the task {task!r}", f"tasks: {', '.join(TASKS)}", "name one of them")
    return _ROWS[task](store, each)


def _of_facts(views: Sequence[Numbers], device: Callable[[str], str], store: Store, _: int) -> Iterator[Row]:
    for key, found in store.baselines(views[0].id).items():
        source = store.source(key)
        for view in views:
            metric = view.metric
            if found.ok and metric.name in found.values and view.accepts(found):
                value, where = found.values[metric.name], device(source.target)
                yield Row(metric.name, metric.unit, view.prompt(source), value, group_of(source), where, source.name)


def _computer(target: str) -> str:
    return Target.parse(target).device


def _processor(target: str) -> str:
    return Machine.parse(target).where


def _of_kernels(store: Store, _: int) -> Iterator[Row]:
    task = Kernels()
    for key, found in store.baselines(task.id).items():
        if found.ok:
            source = store.source(key)
            device, value = Machine.parse(source.target).device, found.values[task.metric.name]
            text, family = task.prompt(source), source.name.split("/")[1]
            yield Row(task.metric.name, task.metric.unit, text, value, family, device, source.name)


def _of_sizes(store: Store, each: int) -> Iterator[Row]:
    yield from _of_modules(store, each)
    for key, found in store.baselines(Size("", 0).id).items():  # no LLVM: nothing is measured
        if found.ok:
            yield from _of_code(store.source(key), "", found)


def _of_modules(store: Store, each: int) -> Iterator[Row]:
    """In the order of the trials; counting a module takes a third of a second, so workers do it."""

    def counted(asked: tuple[int, tuple[Source, str, Measurement]], pool: Pool, _: Store) -> tuple[int, list[Row]]:
        place, trial = asked
        return place, pool.call(_of_code, *trial)

    due, early = 0, dict[int, list[Row]]()
    for place, rows in parallel.each(enumerate(_of_pipelines(store, each)), counted, store.path):
        early[place] = rows
        while due in early:
            yield from early.pop(due)
            due += 1


def _of_pipelines(store: Store, each: int) -> Iterator[tuple[Source, str, Measurement]]:
    trials = store.trials(f"{Passes.name}/{Passes.version}")
    for key, stored in groupby(trials, key=lambda row: row.source.key):
        good = [row for row in stored if row.measurement.ok]
        levels = [row for row in good if row.answer is None]
        plans = [row for row in good if row.answer and " @" not in row.answer and len(row.answer) <= _LONGEST]
        for row in levels + random.Random(key).sample(plans, min(each, len(plans))):
            yield row.source, row.answer or "", row.measurement


def _of_code(source: Source, pipeline: str, found: Measurement) -> list[Row]:
    major = int(found.tool.removeprefix("LLVM ").partition(".")[0])
    device, group = Emitted.parse(source.target).triple, group_of(source)
    return [
        Row(m.name, m.unit, size.question(m, source, pipeline, major), found.values[m.name], group, device, source.name)
        for m in size.METRICS.values()
        if m.name in found.values
    ]


_ROWS: Mapping[str, Callable[[Store, int], Iterator[Row]]] = {
    "memory": partial(_of_facts, (Memory(), Memory(objective="traced")), _computer),
    "runtime": partial(_of_facts, (Runtime(),), _computer),
    "latency": partial(_of_facts, (Latency(),), _processor),
    "kernels": _of_kernels,
    "size": _of_sizes,
}
TASKS = tuple(_ROWS)
