"""Language models that read code, know what it costs, and make it better; every answer checked by the machine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from forerun.core import (
    Draft,
    Grammar,
    Measurement,
    Metric,
    Model,
    Result,
    Source,
    Task,
    Trial,
)
from forerun.errors import ForerunError, GateFailed, InputError, ToolMissing, UsageError

# Not lazily: the submodule of that name would stand in the function's place once anything imports it.
from forerun.solve import Budget, solve

if TYPE_CHECKING:
    from forerun.estimate import Estimate, predict
    from forerun.improve import optimize
    from forerun.metaschedule import local_builder, search_strategy
    from forerun.sandbox import Limits, Pool
    from forerun.store import Store
    from forerun.tuning import Tuned, tune

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Draft",
    "Estimate",
    "ForerunError",
    "GateFailed",
    "Grammar",
    "InputError",
    "Limits",
    "Measurement",
    "Metric",
    "Model",
    "Pool",
    "Result",
    "Source",
    "Store",
    "Task",
    "ToolMissing",
    "Trial",
    "Tuned",
    "UsageError",
    "local_builder",
    "optimize",
    "predict",
    "search_strategy",
    "solve",
    "tune",
]

_LAZY = {
    "Estimate": "forerun.estimate",
    "Limits": "forerun.sandbox",
    "Pool": "forerun.sandbox",
    "Store": "forerun.store",
    "Tuned": "forerun.tuning",
    "local_builder": "forerun.metaschedule",
    "optimize": "forerun.improve",
    "predict": "forerun.estimate",
    "search_strategy": "forerun.metaschedule",
    "tune": "forerun.tuning",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'forerun' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
