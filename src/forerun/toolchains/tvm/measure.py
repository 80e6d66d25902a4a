"""Builds a schedule, checks what it computes, and times it: in this process, so call it in a worker.

Nothing is written and no other process is started: compiling and loading take a tenth of a second. Outputs are filled
with NaN before the run, so that what a kernel does not write is seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from forerun.clock import Timing, interleaved, runs_of, samples_of
from forerun.core import Measurement, Source
from forerun.errors import reason
from forerun.grammars.decisions import Plan
from forerun.toolchains.tvm import _load, reference
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.space import Program, Refused

_SAMPLE_S = 2e-4
"""A sample holds as many runs as take so long: reading the clock is then under 1% of it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a kernel is timed: `samples` at most, fewer where they would take longer than `seconds` together.

    A kernel that takes `hopeless` times as long as the best one so far is not timed again: its second run is its time.
    """

    samples: int = 10
    seconds: float = 0.1
    hopeless: float = 3.0
    seed: int = 0


class Bench:
    """One program with its inputs, and what it must give."""

    def __init__(self, source: Source, seed: int) -> None:
        """Raises InputError for what is no program, or what NumPy cannot compute."""
        self.program = Program(source)
        function = self.program.module["main"]
        inputs = reference.inputs(function, seed)
        self.expected = reference.evaluate(function, inputs)
        self.terms = reference.terms(function)
        self.best_s = math.inf
        """The fastest right kernel that was measured here."""
        given, tensor = iter(inputs), _load.load().runtime.tensor
        described = reference.parameters(function)
        self.tensors = [tensor(np.zeros(a.shape, a.dtype) if a.written else next(given)) for a in described]
        self.outputs = [held for held, about in zip(self.tensors, described, strict=True) if about.written]

    def poison(self) -> None:
        """Overwrites what kernels write, with what none of them computes."""
        for output, expected in zip(self.outputs, self.expected, strict=True):
            if expected.dtype.kind in "iub":
                output.copyfrom(expected == 0 if expected.dtype.kind == "b" else ~expected)
            else:
                output.copyfrom(np.full(expected.shape, np.nan, expected.dtype))

    def wrong(self) -> str:
        """What is wrong with the outputs; empty where they are right."""
        for number, (output, expected) in enumerate(zip(self.outputs, self.expected, strict=True)):
            if not reference.agrees(found := output.numpy(), expected, self.terms):
                return f"output {number} is off by {reference.error(found, expected):.2g} of its elements' size"
        return ""


def measure(source: Source, plan: Plan | None, bounds: Bounds = Bounds()) -> Measurement:
    """Seconds of a schedule, or without a plan of the program as it is. Raises InputError, ToolMissing.

    `latency` is the median sample, `latency_spread` the interquartile range over it, `latency_least` the fastest one;
    `samples`, and `runs` in each; `build` the seconds to compile and load it. What cannot be built, crashes TVM's
    runtime with an error or gives a wrong result is a Measurement with its error.
    """
    return judged(source, lambda program: program.module if plan is None else program.scheduled(plan).mod, bounds)


def judged(source: Source, scheduled: Callable[[Program], Any], bounds: Bounds = Bounds()) -> Measurement:
    """As `measure`, of the module that `scheduled` makes of the program, or raises Refused."""
    tool = f"tvm {_load.found().version}"
    bench = _bench(source, bounds.seed)
    try:
        start = time.perf_counter()
        program = bench.program
        module = scheduled(program)
        function = built(module, program.target, source.target)
        build = time.perf_counter() - start
        bench.poison()
        function(*bench.tensors)
    except Refused as error:
        return Measurement(error=f"schedule: {error}", tool=tool)
    except MemoryError:
        raise
    except Exception as error:  # TVM's own errors share no base
        return Measurement(error=f"build: {type(error).__name__}: {reason(error)[:300]}", tool=tool)
    if problem := bench.wrong():
        return Measurement({"build": build}, error=f"wrong: {problem}", tool=tool)
    values = timed(lambda: function(*bench.tensors), bench.best_s, bounds)
    bench.best_s = min(bench.best_s, values["latency"])
    return Measurement({**values, "build": build}, checked=True, tool=tool)


def timed(run: Callable[[], object], best_s: float, bounds: Bounds) -> dict[str, float]:
    """The timing's values. `best_s` is what others took."""
    once = interleaved({"": run}, 1, warm_up=0)[""].median_s
    if once > bounds.hopeless * best_s or once > bounds.seconds:
        return _told(Timing((once,)), 1)
    runs = runs_of(once, _SAMPLE_S)

    def sample() -> None:
        for _ in range(runs):
            run()

    return _told(interleaved({"": sample}, samples_of(once * runs, bounds.samples, bounds.seconds))[""], runs)


def _told(timing: Timing, runs: int) -> dict[str, float]:
    return {
        "latency": timing.median_s / runs,
        "latency_spread": timing.spread if len(timing.seconds) > 1 else 0.0,
        "latency_least": min(timing.seconds) / runs,
        "samples": float(len(timing.seconds)),
        "runs": float(runs),
    }


def built(module: Any, target: Any, text: str) -> Any:
    """A function of this process that runs a module's `main` on as many threads as its target has."""
    tvm = _load.load()
    _load.use_threads(targets.threads(text))
    return tvm.compile(module, target).jit()["main"]


@lru_cache(maxsize=2)
def _bench(source: Source, seed: int) -> Bench:
    """A worker measures many schedules of one program."""
    return Bench(source, seed)
