"""Who proposes schedules, as a user names it."""

from __future__ import annotations

from pathlib import Path

from forerun.core import Model
from forerun.errors import UsageError
from forerun.models._chain import model as named
from forerun.models.scheduler import Scheduler
from forerun.models.uniform import Uniform

WRITERS = (Scheduler.name, Uniform.name)
"""The models that write schedules."""
_TODO = f"name {' or '.join(WRITERS)}"


def check(model: Model | str) -> None:
    """Raises UsageError for a name that writes no schedules, before anything is loaded."""
    if not isinstance(model, Model) and model not in WRITERS:
        raise UsageError(f"{model!r} writes no schedules", "other models write pass lists, or numbers", _TODO)


def proposer(model: Model | str, checkpoint: str | Path | None) -> Model:
    """A model, or the one behind a name; the scheduler with the weights of a checkpoint where one is named.

    Raises InputError for a checkpoint that cannot be read, ToolMissing, UsageError for what writes no schedules.
    """
    check(model)
    if checkpoint is None:
        return named(model) if isinstance(model, str) else model
    if model != Scheduler.name:
        name = model if isinstance(model, str) else model.name
        todo = "leave out the model, or the checkpoint"
        raise UsageError(f"the model {name!r} reads no checkpoint", f"{checkpoint} was named", todo)
    return Scheduler(checkpoint)
