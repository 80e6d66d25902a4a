"""Who proposes schedules, as a user names it."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from forerun.core import Model
from forerun.errors import UsageError
from forerun.models._chain import model as named
from forerun.models.scheduler import Scheduler
from forerun.models.uniform import Uniform

WRITERS = (Scheduler.name, Uniform.name)
"""The models that write schedules."""
_CODE = ("models", "grammars", "toolchains/tvm")
"""What drafts of schedules are made by."""
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


def identity(model: Model) -> str:
    """Names all that a proposer's drafts depend on but its arguments: weights, options, code. Empty for others' models,
    of which nobody knows. Raises InputError where the weights cannot be read."""
    if type(model) is Uniform:
        return json.dumps([_code(), model.name, model.longest])
    return json.dumps([_code(), model.name, *model.depends]) if type(model) is Scheduler else ""


@lru_cache(maxsize=1)
def _code() -> str:
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(path for room in _CODE for path in (package / room).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
