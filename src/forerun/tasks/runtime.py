"""How long does this program compute? CPU seconds, checked by running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from forerun.core import Measurement, Metric
from forerun.tasks._programs import Programs, metrics


@dataclass(frozen=True)
class Runtime(Programs):
    """Predict the CPU time of a program in seconds, user and system, of all its processes."""

    name: ClassVar[str] = "runtime"
    metrics: ClassVar[Mapping[str, Metric]] = metrics("runtime")
    metric: ClassVar[Metric] = metrics["runtime"]  # type: ignore[misc]

    def accepts(self, measurement: Measurement) -> bool:
        """Programs beside each other take each other's time: only as quiet as asked for will do, or a failure."""
        quiet = not measurement.ok or measurement.values.get("beside", 0.0) <= self.beside
        return quiet and super().accepts(measurement)
