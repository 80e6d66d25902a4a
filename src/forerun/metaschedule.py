"""Our models in TVM's MetaSchedule: `search_strategy` and `local_builder` are the library's entries."""

from __future__ import annotations

import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forerun.core import Model
from forerun.models._proposer import proposer
from forerun.models.scheduler import Scheduler
from forerun.sandbox import Pool
from forerun.tasks.schedule import Schedule

if TYPE_CHECKING:
    from forerun.toolchains.tvm.space import Program

_BUILDING_S = 120.0


def search_strategy(model: Model | str | None = None, checkpoint: str | Path | None = None, seed: int = 0) -> Any:
    """A strategy for TVM's `tune_tir` and `tune_relax`: `tune_relax(..., strategy=forerun.search_strategy(),
    builder=forerun.local_builder())`.

    `model` proposes the schedules: the scheduler that ships, or another one's name (`uniform`), or a `Model`. The
    scheduler can be read from the folder of a `checkpoint`. Equal seeds propose the same where the same is
    measured. A task whose design space is none that models can write is sampled by TVM itself; a warning says so.

    TVM's runner times kernels and does not look at what they compute. Raises InputError for a checkpoint that cannot be
    read, ToolMissing, UsageError.
    """
    from forerun.toolchains.tvm.strategy import strategy

    return strategy(Schedule(), _Reading(proposer(model or Scheduler.name, checkpoint)), seed)


class _Reading:
    """A model as it proposes for a program: one that reads machine code, where workers make the same of it. They serve
    all tasks of a strategy, are begun with the first one whose model reads, and end with the strategy."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def _pool(self) -> Pool:
        from forerun.toolchains.tvm.device import IMPORTS

        made = Pool(imports=IMPORTS)
        weakref.finalize(self, made.close)
        return made

    def __call__(self, program: Program) -> Model:
        if not (isinstance(self._model, Scheduler) and self._model.looks_at(program) and program.usual):
            return self._model
        return self._model.reading(self._pool)


def local_builder(timeout_s: float = _BUILDING_S, workers: int | None = None, target: Any = None) -> Any:
    """TVM's `LocalBuilder` for kernels of processors, of which a busy machine builds some, too.

    TVM loads the tensor intrinsics of all hardware before a first task, 36 seconds of a core, and so does each of its
    workers, within the 30 that it gives a kernel: on two busy cores every candidate is "too slow". From here on this
    process loads what processors need, in half a second, and so do these workers, which have `timeout_s` for a kernel.
    There are as many `workers` as cores where no number is given. `target`, TVM's, is the one that is tuned for, where
    TVM has tensor intrinsics for it: an AArch64 through RPC.
    Raises ToolMissing.
    """
    from forerun.toolchains.tvm._load import plain

    plain(target)
    from tvm.s_tir.meta_schedule.builder import LocalBuilder

    return LocalBuilder(max_workers=workers, timeout_sec=timeout_s, initializer=plain)
