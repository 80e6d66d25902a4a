"""Builds a schedule, checks what it computes, and times it: on a device of this process, so call it in a worker, or on
another machine.

On a processor of this machine nothing is written and no other process is started: compiling and loading take a tenth of
a second. Outputs are filled with NaN before the run, so that what a kernel does not write is seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from forerun import settings
from forerun.clock import Timing, runs_of, samples_of
from forerun.core import Measurement, Source
from forerun.errors import reason
from forerun.grammars.decisions import Plan
from forerun.sandbox import processor_time
from forerun.toolchains.tvm import _load, extract, machine_code, reference
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import Device, Place, Timer, opened
from forerun.toolchains.tvm.remote import Remote
from forerun.toolchains.tvm.space import Program, Refused

_SAMPLE_S = 2e-4
"""A sample holds as many runs as take so long: reading the clock is then under 1% of it."""
_BEHIND, _FEW = 1.5, 3
"""How many times as long as the best one a kernel takes of which few samples tell enough."""
_BESIDE = 2.0
"""How many times as long a run of one thread takes at most while others build."""
_KEPT = 64
"""Kernels that were built to be read, the latest, which are not built again to be measured: those of a round."""
Built = tuple[Any, float]
"""An executable, and the seconds that it took."""
_READ: dict[tuple[Source, Plan | None], Built] = {}
_CACHE, _BEYOND, _TURNS = 1 << 25, 2, 1 << 10
"""Bytes of the last cache where the system tells none; how many times as many are beyond it; copies, at most."""
_NO_MEMORY = "bad_alloc"
"""What TVM says where C++ gets no memory."""
_WARM_S = 1e-3
"""What a first run takes beside what later ones take is little of that."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a kernel is timed: `samples` at most, fewer where they would take longer than `seconds` together.

    Of one that is well behind the best one so far there are three samples. One whose three first runs all take
    `hopeless` times as long as that is not timed again, nor is one of which the run that was checked tells as much. In
    a worker, one that the processor needs longer to build than `build_s` is given up.
    """

    samples: int = 10
    seconds: float = 0.1
    hopeless: float = 3.0
    seed: int = 0
    """Of the inputs that it is checked on."""
    build_s: float = math.inf
    weights: extract.Weights | None = None
    """What is not in the near caches when the program runs. On a processor of this machine as much as that is read
    between two runs, of copies."""


class Bench:
    """One program with its inputs, and what it must give."""

    def __init__(self, source: Source, seed: int) -> None:
        """Raises InputError for what is no program, or what NumPy cannot compute."""
        self.program = _program(source)
        function = self.program.module["main"]
        self.inputs, self.expected = reference.example(function, seed)
        self.terms = reference.terms(function)
        self.large = min(reference.large(function), default=math.inf)
        self.rounding = reference.rounding(function)
        self.parameters = reference.parameters(function)
        self.best_s = math.inf
        """The fastest right kernel that was measured here."""

    def tensors(self, device: Device) -> list[Any]:
        """What a kernel is called with."""
        given = iter(self.inputs)
        return [device.tensor(np.zeros(a.shape, a.dtype) if a.written else next(given)) for a in self.parameters]

    def restore(self, tensors: Sequence[Any]) -> None:
        """Gives the inputs their values again: a wrong kernel may have written to them."""
        read = (held for held, about in zip(tensors, self.parameters, strict=True) if not about.written)
        for held, values in zip(read, self.inputs, strict=True):
            held.copyfrom(values)

    def outputs(self, tensors: Sequence[Any]) -> list[Any]:
        """Those of them that kernels write."""
        return [held for held, about in zip(tensors, self.parameters, strict=True) if about.written]

    def poison(self, tensors: Sequence[Any]) -> None:
        """Overwrites what kernels write, with what none of them computes."""
        for output, expected in zip(self.outputs(tensors), self.expected, strict=True):
            if expected.dtype.kind in "iub":
                output.copyfrom(expected == 0 if expected.dtype.kind == "b" else ~expected)
            else:
                output.copyfrom(np.full(expected.shape, np.nan, expected.dtype))

    def wrong(self, tensors: Sequence[Any]) -> str:
        """What is wrong with the outputs; empty where they are right."""
        for number, (output, expected) in enumerate(zip(self.outputs(tensors), self.expected, strict=True)):
            if not reference.agrees(found := output.numpy(), expected, self.terms, self.large, self.rounding):
                off = reference.error(found, expected, self.large)
                return f"output {number} is off by {off:.2g} of its elements' size"
        return ""


def measure(source: Source, plan: Plan | None, bounds: Bounds = Bounds(), remote: Remote | None = None) -> Measurement:
    """Seconds of a schedule, or without a plan of the program as it is. Raises InputError, ToolMissing.

    On a GPU, where nothing runs as it is, the default is what `extract.scheduled` makes of it. `latency` is the median
    sample, `latency_spread` the interquartile range over it, `latency_least` the fastest one; `samples`, and `runs` in
    each; of one thread of this machine `waited`, the share of the time in which others had the processor; `build` the
    seconds to compile and load it. What cannot be built, crashes TVM's runtime with an error or gives a wrong result is
    a Measurement with its error; as is what another machine's connection was lost on.
    """
    bench = _bench(source, bounds.seed, remote)
    with opened(Place(source.target, remote), settings.number("timeout")) as device:
        return _ended(_steps(bench, device, partial(_scheduled, plan), bounds))


def begin(source: Source, plan: Plan | None, bounds: Bounds = Bounds()) -> Measurement | Callable[[], Measurement]:
    """As `measure` on this machine, but for the timing: what does that is given, where there is something to time."""
    return begun(source, partial(_scheduled, plan), bounds, _READ.pop((source, plan), None))


def begun(
    source: Source, scheduled: Callable[[Program], Any], bounds: Bounds = Bounds(), read: Built | None = None
) -> Measurement | Callable[[], Measurement]:
    """As `begin`, of the module that `scheduled` makes of the program, or raises Refused, unless `read` is what was
    built of it already."""
    with opened(Place(source.target), settings.number("timeout")) as device:
        steps = _steps(_bench(source, bounds.seed, None), device, scheduled, bounds, read)
        return _next(steps) or partial(_ended, steps)


def read(source: Source, plan: Plan, build_s: float = math.inf) -> Measurement:
    """The features of a schedule's machine code (`machine_code`), by their places. In a worker, one that the processor
    needs longer to build than `build_s` is given up. Raises InputError, ToolMissing."""
    try:
        start = time.perf_counter()
        with processor_time(build_s):
            made = _made(_program(source), partial(_scheduled, plan))
            found = machine_code.features(made.mod.inspect_source("asm"))
    except Refused as error:
        return Measurement(error=f"schedule: {error}", tool=named())
    except MemoryError:
        raise
    except Exception as error:  # TVM's own errors share no base
        return Measurement(error=f"build: {type(error).__name__}: {reason(error)[:300]}", tool=named())
    _READ[source, plan] = made, time.perf_counter() - start
    for _ in range(len(_READ) - _KEPT):
        del _READ[next(iter(_READ))]
    return Measurement({str(place): float(value) for place, value in enumerate(found)}, checked=True, tool=named())


def named() -> str:
    """The tool of each measurement, as the store has it. Raises ToolMissing."""
    return f"tvm {_load.found().version}"


def _scheduled(plan: Plan | None, program: Program) -> Any:
    return extract.scheduled(program.module, program.target) if plan is None else program.scheduled(plan).mod


def _made(program: Program, scheduled: Callable[[Program], Any]) -> Any:
    return extract.built(scheduled(program), program.target, asserts=False)


def _next(steps: Generator[None, None, Measurement]) -> Measurement | None:
    """Takes a step; the measurement where it was the last one."""
    try:
        next(steps)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    return None


def _ended(steps: Generator[None, None, Measurement]) -> Measurement:
    while (found := _next(steps)) is None:
        pass
    return found


def _steps(
    bench: Bench, device: Device, scheduled: Callable[[Program], Any], bounds: Bounds, read: Built | None = None
) -> Generator[None, None, Measurement]:
    """Builds and checks; then times."""
    tool = named()
    try:
        start = time.perf_counter()
        with processor_time(bounds.build_s):
            made, before_s = read or (_made(bench.program, scheduled), 0.0)
            module = device.loaded(made)
            main = module["main"]  # LLVM makes its machine code now
        build = before_s + time.perf_counter() - start
        tensors = _kept(bench, device) if device.own else bench.tensors(device)
        if device.own:
            bench.restore(tensors)
        bench.poison(tensors)
        start, busy = time.perf_counter(), time.process_time()
        main(*tensors)
        # Others build meanwhile: what the processor did for this process is at most what a run alone takes.
        once = min(time.perf_counter() - start, time.process_time() - busy)
        if problem := bench.wrong(tensors):
            return Measurement({"build": build}, error=f"wrong: {problem}", tool=tool)
        hopeless = max(_BESIDE * bounds.hopeless * bench.best_s, _WARM_S) if device.single else math.inf
        if device.own and once > min(bounds.seconds, hopeless):  # what takes so long needs no second run to tell
            values = _told(Timing((once,)), 1)
        else:
            yield
            turns = _turns(bench, device, bounds.weights) if device.own and bounds.weights else ()
            start, busy = time.perf_counter(), time.thread_time()
            values = timed(device.timer(module, "main", *tensors, turns=turns), bench.best_s, bounds)
            if device.single:
                values["waited"] = max(0.0, 1 - (time.thread_time() - busy) / (time.perf_counter() - start))
    except Refused as error:
        return Measurement(error=f"schedule: {error}", tool=tool)
    except MemoryError:
        raise
    except Exception as error:  # TVM's own errors share no base
        if device.own and _NO_MEMORY in str(error):
            raise MemoryError from error
        return Measurement(error=device.failure(error), tool=tool)
    bench.best_s = min(bench.best_s, values["latency"])
    return Measurement({**values, "build": build}, checked=True, tool=tool)


def timed(timer: Timer, best_s: float, bounds: Bounds) -> dict[str, float]:
    """The timing's values. `best_s` is what others took."""
    (once,) = timer(1, 1)
    if once <= bounds.seconds / 2:  # a run that something else stopped, or that woke threads, says nothing
        once = min(once, *timer(1, 2)) if once > bounds.hopeless * best_s else once
    if once > bounds.hopeless * best_s or once > bounds.seconds:
        return _told(Timing((once,)), 1)
    runs = runs_of(once, _SAMPLE_S)
    most = bounds.samples if once <= _BEHIND * best_s else min(bounds.samples, _FEW)
    samples = samples_of(once * runs, most, bounds.seconds)
    return _told(Timing(tuple(timer(runs, samples))), runs)


def _told(timing: Timing, runs: int) -> dict[str, float]:
    return {
        "latency": timing.median_s,
        "latency_spread": timing.spread if len(timing.seconds) > 1 else 0.0,
        "latency_least": min(timing.seconds),
        "samples": float(len(timing.seconds)),
        "runs": float(runs),
    }


@lru_cache(maxsize=2)
def _program(source: Source) -> Program:
    return Program(source)


@lru_cache(maxsize=2)
def _bench(source: Source, seed: int, remote: Remote | None) -> Bench:
    """A worker measures many schedules of one program; what is fast there says nothing of here."""
    return Bench(source, seed)


@lru_cache(maxsize=2)
def _kept(bench: Bench, device: Device) -> list[Any]:
    return bench.tensors(device)


@lru_cache(maxsize=1)
def _turns(bench: Bench, device: Device, weights: extract.Weights) -> list[list[Any]]:
    """What a kernel is called with in turn: together as many weights as the network has, or as are more than the
    caches hold. None where it makes no difference."""
    if not device.timed_here:
        return []
    least = min(weights.among, _BEYOND * max(targets.caches().values(), default=_CACHE))
    about = [bench.parameters[place] for place in weights.places]
    bytes_ = sum(math.prod(each.shape) * each.dtype.itemsize for each in about)
    if (count := min(least // bytes_, _TURNS)) < 2:
        return []
    tensors = _kept(bench, device)
    given = {place: tensors[place].numpy() for place in weights.places}
    copies = [{place: device.tensor(array) for place, array in given.items()} for _ in range(count - 1)]
    return [tensors, *([own.get(at, one) for at, one in enumerate(tensors)] for own in copies)]
