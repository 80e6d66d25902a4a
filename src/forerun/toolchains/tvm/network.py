"""A network before and after it is tuned: its programs, whether it computes what others compute, how long it takes.

Reading a network takes PyTorch or ONNX, TVM's front ends and gigabytes: call `programs` and `compared` in a worker
(`forerun.sandbox.Pool.call`). The same worker keeps what it read for the second call; another one reads it again.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from forerun import factories
from forerun.clock import Timing, runs_of, samples_of
from forerun.errors import ForerunError, InputError, reason
from forerun.toolchains.onnx import run as onnx_run
from forerun.toolchains.tvm import database, differing, extract, frontends
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._nodes import kind
from forerun.toolchains.tvm.agreement import LARGE, agrees, agrees_in_steps, error, large
from forerun.toolchains.tvm.device import Device, Place, Timer, by_clock, opened

DEFAULT, TUNED, _ONNXRUNTIME = "default", "tuned", "onnxruntime"
SESSION_S = 3600.0
"""How long another machine is used for a whole network."""
_SECONDS, _MOST = 20.0, 30
"""Samples of a whole network take so long together, and are at most so many; three at least."""
_SLOW_S = 3.0
"""A run that takes longer is timed once."""
_SAMPLE_S = 5e-3
_CHOOSING_S, _CHOOSING = 1.0, 7
"""As much for each number of threads that something else may be better with."""
_DIVIDING = frozenset(f"relax.{name}" for name in ("divide", "floor_divide", "mod", "floor_mod"))
_ROUNDING = frozenset(f"relax.{name}" for name in ("quantize", "round"))
_FEW_DIGITS = frozenset(("float16", "bfloat16"))
_NOTHING = "relax.null_value"
_SAID = 200
"""Characters of what others say."""
_TERMS = 1_000_000
"""Errors of layers add up: outputs of networks agree where those of a sum of so many terms do, at 1e-3 for float32."""


@dataclass(frozen=True, slots=True)
class Network:
    """Where a network is: a file of ONNX, a Python file and its `factory`, or a program that torch.export saved (.pt2).

    `shapes` are the sizes of inputs that an ONNX file leaves open, `layout` one of `extract.LAYOUTS`; `outputs` the
    names of what it gives, where the file has lost them.
    """

    path: Path
    factory: str = ""
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    layout: str = extract.WINOGRAD
    outputs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As people know it."""
        return f"{self.path.name}:{self.factory}" if self.factory else self.path.name


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole run of a network, interleaved: `default`, `tuned`, and what a user would run instead of TVM, which is not
    timed where the network runs on a GPU or another machine.

    `errors` are the largest differences of the tuned outputs from those of the others (`agreement.error`), `missing`
    says why what might run it has no time.
    """

    timings: Mapping[str, Timing]
    errors: Mapping[str, float]
    library: bytes = field(default=b"", repr=False)
    """The tuned network as a shared library for Relax's virtual machine."""
    no_library: str = ""
    """Why there is none."""
    unknown: tuple[int, ...] = ()
    """The outputs that are NaN or infinite all over: nothing tells whether they are right."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """Of a processor, on how many each ran."""
    waited: float = 0.0
    """The share of the time of the comparison in which others had the processor. It is not in the spread where they
    always have it."""
    branches: bool = False
    """Whether it has kernels that run on some inputs alone: not all of them are in the timings."""
    outputs: tuple[str, ...] = ()
    """The names of the outputs in their order, as `frontends.named` has them; none where they have only places."""
    missing: Mapping[str, str] = field(default_factory=dict)


def programs(network: Network, place: Place) -> tuple[tuple[extract.Extracted, ...], dict[str, str]]:
    """The tensor programs of a network, and those that cannot be tuned, each with the reason.

    Raises InputError for what TVM does not import, what does not run, what TVM computes otherwise than PyTorch or
    onnxruntime, or what has no programs at all; UsageError, ToolMissing.
    """
    found = read(network, place).extraction
    if not found.workloads and not found.left_out:
        why = _without_programs(found.module["main"])
        raise InputError(f"{network.name} has no program to tune", why, "run it as it is")
    return found.workloads, dict(found.left_out)


def _without_programs(main: Any) -> str:
    """What the function of a prepared module does that has no tensor programs."""
    from tvm import relax

    called, free = list[str](), relax.analysis.free_vars(main.body)

    def noted(expression: Any) -> None:
        if kind(expression) == "Call":
            packed = kind(expression.args[0]) == "ExternFunc" if len(expression.args) else False
            called.append(str(expression.args[0].global_symbol if packed else getattr(expression.op, "name", "?")))

    relax.analysis.post_order_visit(main, noted)
    if {*called} == {_NOTHING}:
        return "it returns nothing"
    if called:
        return f"functions of TVM's runtime do its work, which have no schedules: {', '.join(dict.fromkeys(called))}"
    return (
        "its outputs are inputs of it, as they are" if free else "its outputs are constants, known without running it"
    )


def compared(network: Network, place: Place, texts: dict[str, str], library: bool) -> Comparison:
    """Compiles a network with a database (`database.written`), checks what it computes, and times it. With an empty one
    it is the network as it was, which is timed once, for both.

    Raises ForerunError where the tuned network computes something else than the untuned one; ToolMissing.
    """
    known = read(network, place)
    made = known.default
    if changed := bool(texts[database.RECORDS]):
        made = extract.compiled(known.extraction.module, targets.made(place.target), database.opened(texts))
    with opened(place, SESSION_S) as device:
        default = Running(device, known.default, known.inputs)
        default()
        tuned = Running(device, made, known.inputs) if changed else default
        found, errors = flat(tuned()), dict[str, float]()
        for name, expected in known.expected.items():
            errors[name] = off(found, expected, known.large)
            if not same(found, expected, known.large, known.rounds):
                raise ForerunError(
                    f"the tuned network does not compute what {name} does",
                    f"outputs are off by {errors[name]:.2g} of their size, though every kernel was right by itself",
                    "use the network as it was, and report the kernels of the database to this project",
                )
        timers = {DEFAULT: default.timer} | ({TUNED: tuned.timer} if changed else {})
        threads, missing = dict.fromkeys((DEFAULT, TUNED), targets.threads(place.target)), dict[str, str]()
        for name, rival in known.rival.items() if device.own else ():
            if device.timed_here:
                run, threads[name] = rival.fastest()
                timers[name] = device.clock(run)
            elif targets.device(place.target) == "cuda" and (timer := rival.on_gpu()):
                timers[name] = timer
        for name, rival in known.others.items() if device.own and device.timed_here else ():
            try:
                run, count = rival.fastest()
                theirs = flat(run())
            except ForerunError as failed:
                missing[name] = f"{failed.what}: {failed.why}: {failed.todo}"
                continue
            except Exception as failed:  # PyTorch's and onnxruntime's share no base
                missing[name] = reason(failed)[:_SAID]
                continue
            apart = off(found, theirs, known.large)
            if same(known.expected[DEFAULT], theirs, known.large, known.rounds):
                timers[name], threads[name], errors[name] = device.clock(run), count, apart
            else:
                missing[name] = f"what it computes is off by {apart:.2g} of its size"
        data, why = device.library(made) if library else (b"", "")
        unknown = tuple(place for place, array in enumerate(found) if array.size and not np.isfinite(array).any())
        here = device.own and device.timed_here
        clock = time.thread_time if device.single else time.process_time
        start, busy = time.perf_counter(), clock()
        timings = timed(timers)
        timings = {DEFAULT: timings[DEFAULT], TUNED: timings[TUNED if changed else DEFAULT], **timings}
        had = (clock() - busy) / (time.perf_counter() - start)
        threads = threads if targets.device(place.target) == "cpu" else {}
        waited = max(0.0, 1 - had) if here else 0.0
        branches = _branches(known.extraction.module["main"])
        return Comparison(timings, errors, data, why, unknown, threads, waited, branches, known.outputs, missing)


def _branches(main: Any) -> bool:
    """Whether a function of Relax does one thing or another."""
    from tvm import relax

    found = list[str]()
    relax.analysis.post_order_visit(main, lambda expression: found.append(kind(expression)))
    return "If" in found


def timed(timers: Mapping[str, Timer], seed: int = 0) -> dict[str, Timing]:
    """Seconds of a run, in turns, of what ran before. Samples are several runs of a small network, or each finds
    others' caches; the first sample of a turn wakes threads that slept, and does not count. What takes so long that
    this is nothing runs once.

    Each turn has an order of its own, drawn from the seed: threads of PyTorch and onnxruntime go on spinning for
    milliseconds, and whoever always came after them would always be slower.
    """
    first = {name: timer(1, 1)[0] for name, timer in timers.items()}
    slow = {name: Timing((seconds,)) for name, seconds in first.items() if seconds > _SLOW_S}
    timers = {name: timer for name, timer in timers.items() if name not in slow}
    once = {name: min(first[name], *timer(1, 2)) for name, timer in timers.items()}
    many = {name: runs_of(seconds, _SAMPLE_S) for name, seconds in once.items()}
    repeats = samples_of(2 * sum(once[name] * many[name] for name in timers), _MOST, _SECONDS)

    draw = Random(seed)

    def sample(name: str) -> float:
        timers[name](many[name], 1)
        return timers[name](many[name], 1)[0]

    turns = [{name: sample(name) for name in draw.sample([*timers], len(timers))} for _ in range(repeats)]
    found = slow | {name: Timing(tuple(turn[name] for turn in turns)) for name in timers}
    return {name: found[name] for name in first}


class Running:
    """A network on a device, with its inputs."""

    def __init__(self, device: Device, made: Any, inputs: Sequence[Any]) -> None:
        # As another machine is asked: objects of TVM stay there.
        self._machine = load().relax.VirtualMachine(device.loaded(made), device.handle)
        self._machine.set_input("main", *(device.tensor(array) for array in inputs))
        self.timer = device.timer(self._machine.module, "invoke_stateful", "main")

    def __call__(self) -> Any:
        """The outputs."""
        self._machine.invoke_stateful("main")
        return self._machine.get_outputs("main")


@dataclass(frozen=True, slots=True)
class Rival:
    """What the user would run instead, as it is `made` for a number of threads; `threads` are the target's."""

    made: Callable[[int], Callable[[], object]]
    threads: int
    on_gpu: Callable[[], Timer | None] = lambda: None
    """What times it on this machine's first GPU; None where it does not run there."""

    def fastest(self) -> tuple[Callable[[], object], int]:
        """It on the target's threads or on one, where that is faster, and on how many it is. Where others use the
        cores, too, threads that wait for each other take a thousand times as long, and steadily so."""
        if self.threads == 1:
            return self.made(1), 1
        taken = {threads: _median_s(self.made(threads)) for threads in (self.threads, 1)}
        threads = min(taken, key=taken.__getitem__)
        return self.made(threads), threads


def _median_s(run: Callable[[], object]) -> float:
    timer = by_clock(run)
    (once,) = timer(1, 1)
    if once > _SLOW_S:
        return once
    once = min(once, *timer(1, 2))
    runs = runs_of(once, _SAMPLE_S)
    return Timing(tuple(timer(runs, samples_of(once * runs, _CHOOSING, _CHOOSING_S)))).median_s


@dataclass(frozen=True)
class Known:
    """A network that was read, in the process that read it."""

    extraction: extract.Extraction
    inputs: Sequence[Any]
    """NumPy arrays."""
    rival: Mapping[str, Rival]
    """What the user would run instead, by its name."""
    others: Mapping[str, Rival]
    """What may run it as well, where that computes the same."""
    default: Any
    """What TVM compiled of it as it is."""
    expected: Mapping[str, Sequence[Any]]
    """The outputs of the default and of the rival."""
    large: float = math.inf
    """The smallest constant that is large, see `agreement.error`."""
    rounds: bool = False
    """Whether it rounds on its way, see `agreement.agrees_in_steps`."""
    outputs: tuple[str, ...] = ()
    """As `Comparison` has them."""


@dataclass(frozen=True)
class _Imported:
    """A network that neither ran nor was translated yet."""

    module: Any
    inputs: Sequence[Any]
    name: str
    """Of what the user would run instead."""
    rival: Rival
    others: Mapping[str, Rival] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _imported(network: Network, place: Place) -> _Imported:
    threads = targets.threads(place.target)
    if network.path.suffix == ".onnx":
        module = frontends.from_onnx(network.path, dict(network.shapes), _halves(place))
        inputs = _drawn(module)
        rival = Rival(cache(lambda count: onnxruntime(network.name, str(network.path), inputs, count)), threads)
        return _Imported(module, inputs, _ONNXRUNTIME, rival)
    torch_network, examples, program = _torch(network)
    module = frontends.from_exported(program)
    todo = "give dense tensors in the memory of the processor, of types that NumPy has"
    inputs = _tried(_runs_not(network), todo, lambda: [each.detach().numpy() for each in examples])
    gpu = partial(pytorch_on_gpu, torch_network, inputs)
    rival = Rival(partial(pytorch, torch_network, inputs), threads, gpu)
    file = cache(partial(frontends.to_onnx, program))
    other = Rival(cache(lambda count: onnxruntime(network.name, file(), inputs, count)), threads)
    return _Imported(module, inputs, "PyTorch", rival, {_ONNXRUNTIME: other})


def _halves(place: Place) -> bool:
    """Whether it computes with halves; processors do so slowly."""
    return targets.device(place.target) != "cpu"


def _runs_not(network: Network) -> str:
    return f"{network.name} does not run"


@lru_cache(maxsize=1)
def _untuned(network: Network, place: Place) -> tuple[Sequence[Any], tuple[str, ...]]:
    """What it gives where the user would run it, and the names of that."""
    known = _imported(network, place)
    todo = f"make it run in {known.name} first, and return tensors of types that NumPy has"
    run = known.rival.made(targets.threads(place.target))

    def once() -> tuple[list[Any], tuple[str, ...]]:
        found = run()
        return [array.copy() for array in flat(found)], network.outputs or frontends.named(found)

    (theirs, outputs), (again, _) = (_tried(_runs_not(network), todo, once) for _ in range(2))
    if not same(again, theirs):
        raise InputError(
            f"{network.name} does not compute the same twice",
            f"outputs of two runs in {known.name} on the same inputs are off by {off(again, theirs):.2g} of their size",
            "take out what is random, keeps state or writes to its inputs; F.dropout needs training=self.training",
        )
    return theirs, outputs if len(outputs) == len(theirs) else ()


@lru_cache(maxsize=1)
def read(network: Network, place: Place) -> Known:
    """Reads a network and runs it, or says what this process knows of it. Raises as `programs` does."""
    before, (theirs, outputs) = _imported(network, place), _untuned(network, place)
    module, inputs, name, rival = before.module, before.inputs, before.name, before.rival
    extraction = extract.extract(module, targets.made(place.target), network.layout)
    what, todo = _runs_not(network), "leave out the operator that is named"
    made = _tried(what, todo, lambda: extract.compiled(extraction.module, targets.made(place.target)))
    with opened(place, SESSION_S) as device:
        ours = _tried(what, todo, lambda: flat(Running(device, made, inputs)()))
    smallest = min(_large(extraction.module), default=math.inf)
    rounds = any(map(_rounds, _bound(module["main"])))
    if not same(ours, theirs, smallest, rounds):
        plainer = extract.LAYOUTS[extract.LAYOUTS.index(network.layout) + 1 :]
        other = f"try --layout {' or '.join(plainer)}; else " if plainer else ""
        why = unlike(ours, theirs) or f"outputs are off by {off(ours, theirs, smallest):.2g} of their size"
        node = _first(network, place, inputs, smallest, rounds) if network.path.suffix == ".onnx" else ""
        told = f"export it without {node.partition(',')[0]}" if node else "find the operator by cutting the network"
        raise InputError(
            f"TVM does not compute what {name} does of {network.name}",
            f"{why}, the first that differ are those of {node}" if node else why,
            f"{other}{told}, and report it to Apache TVM",
        )
    for step in (_imported, _untuned):  # all that is needed of them is known now
        step.cache_clear()
    expected = {DEFAULT: ours, name: theirs}
    return Known(extraction, inputs, {name: rival}, before.others, made, expected, smallest, rounds, outputs)


def _first(network: Network, place: Place, inputs: Sequence[Any], smallest: float, rounds: bool) -> str:
    """The node of an ONNX network from which on something else is computed; empty where none is found."""

    def ours(module: Any) -> Sequence[Any]:
        target = targets.made(place.target)
        made = extract.compiled(extract.extract(module, target, network.layout).module, target)
        with opened(place, SESSION_S) as device:
            return flat(Running(device, made, inputs)())

    def alike(found: Any, expected: Any) -> bool:
        return same([found], [expected], smallest, rounds)

    try:
        return differing.first(network.path, dict(network.shapes), inputs, ours, alike, _halves(place))
    except Exception:  # TVM's and onnxruntime's share no base; what was found out before is told all the same
        return ""


def _begin(network: Network, place: Place) -> None:
    _imported(network, place)


def _run(network: Network, place: Place) -> None:
    _untuned(network, place)


STEPS: Mapping[str, Callable[[Network, Place], Any]] = {"reading": _begin, "running": _run, "translating": programs}
"""What `programs` does, one after the other in the same worker, which keeps what it has: each may take minutes."""


def _torch(network: Network) -> tuple[Any, Sequence[Any], Any]:
    """What runs, its example inputs, and what torch.export makes of it."""
    if network.factory:
        module, examples = factories.made(network.path, network.factory)
        program = frontends.exported(module, examples)
        return module.eval(), examples, program
    program = frontends.loaded(network.path)
    return program.module(), program.example_inputs[0], program


def _tried(what: str, todo: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except (ForerunError, MemoryError):
        raise
    except Exception as failed:  # TVM's, PyTorch's and onnxruntime's share no base
        raise InputError(what, f"{type(failed).__name__}: {reason(failed)[:300]}", todo) from failed


def _drawn(module: Any) -> list[Any]:
    """Values for inputs that have none: floats are N(0, 1), integers 0 or 1, valid indices of anything; 1 alone where
    the network divides by integers."""
    draw, least = np.random.default_rng(0), int(_divides(module["main"]))
    found = []
    for parameter in module["main"].params:
        shape, kind = tuple(int(size) for size in parameter.ty.shape), np.dtype(str(parameter.ty.dtype))
        low = least if kind.kind in "iu" else 0
        values = draw.integers(low, 2, shape) if kind.kind in "iub" else draw.standard_normal(shape)
        found.append(values.astype(kind))
    return found


def _divides(function: Any) -> bool:
    """Whether a Relax function divides by integers that are no constants."""
    by = (value.args[1] for value in _bound(function) if _operator(value) in _DIVIDING)
    return any(kind(each) != "Constant" and np.dtype(str(each.ty.dtype)).kind in "iu" for each in by)


def _rounds(value: Any) -> bool:
    """Whether what is bound is rounded, to whole numbers or to halves."""
    return _operator(value) in _ROUNDING or str(getattr(value.ty, "dtype", "")) in _FEW_DIGITS


def _bound(function: Any) -> Iterator[Any]:
    """The values that a Relax function binds."""
    return (binding.value for block in function.body.blocks for binding in block.bindings)


def _operator(value: Any) -> str:
    """The name of the operator that is called, if one is."""
    return str(getattr(getattr(value, "op", None), "name", ""))


def onnxruntime(name: str, model: bytes | str, inputs: Sequence[Any], threads: int) -> Callable[[], Any]:
    """Runs a serialised ONNX model, or the file with a name, in onnxruntime, on NumPy arrays in the order of its
    inputs. Raises InputError, ToolMissing."""
    session = _tried(
        f"{name} does not run",
        "make it run in onnxruntime first",
        lambda: onnx_run.session(model, threads, exact=True),
    )
    feeds = dict(zip((one.name for one in session.get_inputs()), inputs, strict=True))
    names = [one.name for one in session.get_outputs()]
    return lambda: dict(zip(names, session.run(names, feeds), strict=True))


def pytorch(network: Any, inputs: Sequence[Any], threads: int) -> Callable[[], Any]:
    """A PyTorch network on these inputs."""
    import torch

    tensors = [torch.from_numpy(array) for array in inputs]

    def run() -> Any:
        if torch.get_num_threads() != threads:  # of the whole process, whoever asked last
            torch.set_num_threads(threads)
        with torch.no_grad():
            return network(*tensors)

    return run


def pytorch_on_gpu(network: Any, inputs: Sequence[Any]) -> Timer | None:
    """What times a copy of a PyTorch network on the first GPU; None without one, or where it does not run there: its
    graph may name the processor."""
    import torch

    if not torch.cuda.is_available():
        return None

    def timed(runs: int, samples: int) -> Sequence[float]:
        def sample() -> float:
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(runs):
                copied(*tensors)
            torch.cuda.synchronize()
            return (time.perf_counter() - start) / runs

        with torch.no_grad():
            return [sample() for _ in range(samples)]

    try:
        copied, tensors = deepcopy(network).cuda(), [torch.from_numpy(array).cuda() for array in inputs]
        timed(1, 1)
    except Exception:  # PyTorch's share no base
        return None
    return timed


def flat(found: Any) -> list[Any]:
    """The outputs as NumPy arrays, in their order, however they are nested."""
    if isinstance(found, np.ndarray):
        return [found]
    if kind(found) == "Shape":  # TVM's own
        return [np.array([*found], np.int64)]
    if hasattr(found, "detach"):
        return [found.detach().numpy()]
    if hasattr(found, "numpy"):
        return [found.numpy()]
    if isinstance(found, Mapping):
        found = found.values()
    return [array for one in found for array in flat(one)] if hasattr(found, "__iter__") else []


def same(found: Sequence[Any], expected: Sequence[Any], large: float = math.inf, rounds: bool = False) -> bool:
    """Whether outputs of networks agree (`agreement.agrees`; where they round `agreement.agrees_in_steps` will do)."""
    return len(found) == len(expected) and all(
        agrees(*pair, _TERMS, large) or (rounds and agrees_in_steps(*pair))
        for pair in zip(found, expected, strict=False)
    )


def off(found: Sequence[Any], expected: Sequence[Any], large: float = math.inf) -> float:
    """The largest `agreement.error` of an output."""
    if len(found) != len(expected):
        return float("inf")
    return max((error(*pair, large) for pair in zip(found, expected, strict=True)), default=0.0)


def unlike(found: Sequence[Any], expected: Sequence[Any]) -> str:
    """How outputs differ that have no differences: in number, shape or type; empty where they are alike."""
    if len(found) != len(expected):
        return f"it has {len(found)} outputs, not {len(expected)}"
    for place, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return f"output {place} is {ours.dtype} {ours.shape}, not {theirs.dtype} {theirs.shape}"
    return ""


def _large(module: Any) -> list[float]:
    """The magnitudes of the large constants of a prepared module: those in its programs, and numbers given to them."""
    from tvm import relax

    found = list[float]()

    def noted(expression: Any) -> None:
        if kind(expression) == "GenericConst" and math.prod(expression.value.shape) == 1:
            data = expression.value.numpy().reshape(())
            found.append(abs(float(data)) if data.dtype.kind == "f" else 0.0)

    for function in module.functions.values():
        if kind(function) == "Function":
            relax.analysis.post_order_visit(function, noted)
        else:
            with contextlib.suppress(InputError):  # of what has no evaluation, nothing is known
                found.extend(large(function))
    return [value for value in found if value >= LARGE]
