"""How long does a kernel that PyTorch's compiler made take? Seconds, checked by running it alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from forerun import settings
from forerun.core import Measurement, Metric, Source
from forerun.errors import ForerunError
from forerun.prompts import prompt
from forerun.tasks._numbers import Numbers
from forerun.tasks.latency import LATENCY
from forerun.toolchains.inductor import target, text
from forerun.toolchains.inductor.kernel import CPP, TRITON, Kernel
from forerun.toolchains.onnx.target import Target


@dataclass(frozen=True)
class Kernels(Numbers):
    """Predict the time of one run of a kernel in seconds: C++ on one thread of a processor, or Triton on a GPU.

    A Source's text is the kernel as a model reads it, its reference the kernel itself with the arguments of one launch
    (`forerun.toolchains.inductor.kernel`): enough to run it. `source.target` says where, in the words of
    `forerun.toolchains.inductor.target`.
    """

    name: ClassVar[str] = "kernels"
    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = (CPP, TRITON)
    metrics: ClassVar[Mapping[str, Metric]] = {"latency": LATENCY}
    metric: ClassVar[Metric] = LATENCY  # type: ignore[misc]

    repeats: int = 15
    """Samples of a kernel; fewer where all of them together would take longer than `seconds`."""
    seconds: float = 0.3

    def prompt(self, source: Source) -> str:
        """Metric, unit, language, device, counters; an empty line; the kernel."""
        asked = Target.parse(source.target)
        return question(self.metric, f"{source.lang}, {asked.tool}", target.prompted(asked, source.lang), source)

    def judged(self, truth: Measurement) -> Iterator[str]:
        """The objective alone."""
        yield self.metric.name

    def facts(self, source: Source) -> Measurement:
        """Runs it. Raises ToolMissing."""
        here = target.tool("cpu" if source.lang == CPP else "cuda")
        asked = Target.parse(source.target)
        if asked.tool != here:
            return Measurement(error=f"tool: it ran with {asked.tool}, here is {here}", tool=here)
        kernel = Kernel.parse(source.reference)
        try:
            if source.lang == CPP:
                from forerun.toolchains.inductor import native

                values = native.measure(kernel, folder(), self.repeats, self.seconds)
            else:
                from forerun.toolchains.inductor import gpu

                values = gpu.measure(kernel, self.repeats, self.seconds)
        except ForerunError as error:
            return Measurement(error=f"kernel: {error.what}: {error.why}", tool=here)
        return Measurement(values, checked=True, tool=here)


def source(kernel: Kernel, where: str, name: str) -> Source:
    """A kernel to run at a target."""
    return Source(text.text(kernel), kernel.lang, name, where, kernel.serialised())


def question(metric: Metric, language: str, device: str, source: Source) -> str:
    """What is asked of a kernel, in the words of training; the language with its tools."""
    return prompt(metric, language, device, source.text, counters=_counted(source.reference))


def folder() -> Path:
    """Where libraries of C++ kernels are kept."""
    return settings.cache_folder() / "kernels"


@lru_cache(maxsize=4)
def _counted(reference: bytes) -> Mapping[str, float]:
    return text.counters(Kernel.parse(reference))
