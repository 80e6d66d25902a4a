"""How long does a network take to run? Seconds, checked by onnxruntime on this machine's processor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from forerun.core import Measurement, Metric, Source
from forerun.tasks._graphs import Graphs, counted, question
from forerun.toolchains.onnx.target import Target, release, runtime

LATENCY = Metric("latency", "s")


@dataclass(frozen=True)
class Latency(Graphs):
    """Predict the time of one run of a neural network in seconds.

    `source.target` says where (`forerun.toolchains.onnx.target`): this machine, which is measured, or a device on which
    others have measured: asked to measure there, it says that it cannot, as a Measurement's error.
    """

    name: ClassVar[str] = "latency"
    metrics: ClassVar[Mapping[str, Metric]] = {"latency": LATENCY}
    metric: ClassVar[Metric] = LATENCY  # type: ignore[misc]

    repeats: int = 30
    """Samples of a network; fewer where all of them together would take longer than `seconds`."""
    seconds: float = 2.0

    def prompt(self, source: Source) -> str:
        """Metric, unit, language, device, counters; an empty line; the network."""
        target = Target.parse(source.target)
        return question(self.metric, target.where, source.text, counted(source.reference), target.tool)

    def facts(self, source: Source) -> Measurement:
        """Runs it. Raises ToolMissing."""
        from forerun.toolchains.onnx.run import Bounds, measure

        here = release(runtime().version)
        try:
            asked = Target.parse(source.target)
        except ValueError as error:
            return Measurement(error=f"device: {error}", tool=here)
        if not asked.tool:
            return Measurement(error=f"device: {asked.device} is not this machine, it cannot be measured", tool=here)
        if asked.tool != here:
            return Measurement(error=f"tool: it ran with {asked.tool}, here is {here}", tool=here)
        return measure(source.reference, Bounds(asked.threads, self.repeats, self.seconds))
