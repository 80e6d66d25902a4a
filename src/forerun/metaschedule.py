"""Our models in TVM's MetaSchedule: `search_strategy` is the library's entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from forerun.core import Model
from forerun.models._proposer import proposer
from forerun.models.scheduler import Scheduler
from forerun.tasks.schedule import Schedule


def search_strategy(model: Model | str | None = None, checkpoint: str | Path | None = None, seed: int = 0) -> Any:
    """A strategy for TVM's `tune_tir` and `tune_relax`: `tune_relax(..., strategy=forerun.search_strategy())`.

    `model` proposes the schedules: the scheduler that ships, or another one's name (`uniform`), or a `Model`. The
    scheduler can be read from the folder of a `checkpoint`. Equal seeds propose the same where the same is
    measured. A task whose design space is none that models can write is sampled by TVM itself; a warning says so.

    TVM's runner times kernels and does not look at what they compute. Raises InputError for a checkpoint that cannot be
    read, ToolMissing, UsageError.
    """
    from forerun.toolchains.tvm.strategy import strategy

    return strategy(Schedule(), proposer(model or Scheduler.name, checkpoint), seed)
