"""How much memory does this program need? A number of bytes, checked by running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from forerun.core import Metric
from forerun.errors import UsageError
from forerun.tasks._programs import Programs, metrics


@dataclass(frozen=True)
class Memory(Programs):
    """Predict the peak memory of a program in bytes.

    The objective `memory` is the peak resident set of its largest process; `traced`, for Python, is what it allocates
    itself, by tracemalloc, without the interpreter. Raises UsageError for another objective.
    """

    name: ClassVar[str] = "memory"
    metrics: ClassVar[Mapping[str, Metric]] = metrics("memory", "traced")

    objective: str = "memory"

    def __post_init__(self) -> None:
        if self.objective not in self.metrics:
            raise UsageError(
                f"`memory` has no objective {self.objective!r}",
                f"objectives: {', '.join(self.metrics)}",
                "name one of them",
            )

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The objective."""
        return self.metrics[self.objective]
