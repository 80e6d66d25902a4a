"""A network before and after it is tuned: its programs, whether it computes what others compute, how long it takes.

Reading a network takes PyTorch or ONNX, TVM's front ends and gigabytes: call `programs` and `compared` in a worker
(`forerun.sandbox.Pool.call`). The same worker keeps what it read for the second call; another one reads it again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from forerun.clock import Timing, interleaved, runs_of, samples_of
from forerun.errors import ForerunError, InputError, ToolMissing, reason
from forerun.toolchains.llvm import clang
from forerun.toolchains.onnx import run as onnx_run
from forerun.toolchains.tvm import database, extract
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load, use_threads
from forerun.toolchains.tvm.agreement import agrees, error

DEFAULT, TUNED = "default", "tuned"
_SECONDS, _MOST = 20.0, 30
"""Samples of a whole network take so long together, and are at most so many; three at least."""
_SAMPLE_S = 5e-3
_TERMS = 1_000_000
"""Errors of layers add up: outputs of networks agree where those of a sum of so many terms do, at 1e-3 for float32."""


@dataclass(frozen=True, slots=True)
class Network:
    """Where a network is: a file of ONNX, a Python file and its `factory`, or a program that torch.export saved (.pt2).

    `shapes` are the sizes of inputs that an ONNX file leaves open.
    """

    path: Path
    factory: str = ""
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole run of a network, interleaved: `default`, `tuned`, and what a user would run instead of TVM.

    `errors` are the largest differences of the tuned outputs from those of the others (`agreement.error`).
    """

    timings: Mapping[str, Timing]
    errors: Mapping[str, float]
    library: bytes = field(default=b"", repr=False)
    """The tuned network as a shared library for Relax's virtual machine."""
    no_library: str = ""
    """Why there is none."""


def programs(network: Network, target: str) -> tuple[tuple[extract.Extracted, ...], dict[str, str]]:
    """The tensor programs of a network, and those that cannot be tuned, each with the reason.

    Raises InputError for what TVM does not import, what does not run, or what TVM computes otherwise than PyTorch or
    onnxruntime; UsageError, ToolMissing.
    """
    found = read(network, target).extraction
    return found.workloads, dict(found.left_out)


def compared(network: Network, target: str, texts: dict[str, str], library: bool) -> Comparison:
    """Compiles a network with a database (`database.written`), checks what it computes, and times it.

    Raises ForerunError where the tuned network computes something else than the untuned one.
    """
    known = read(network, target)
    made = extract.compiled(known.extraction.module, targets.made(target), database.opened(texts))
    tuned = runner(made, known.inputs)
    runs = {DEFAULT: known.default, TUNED: tuned, **known.rival}
    found, errors = flat(tuned()), dict[str, float]()
    for name, expected in known.expected.items():
        errors[name] = off(found, expected)
        if not same(found, expected):
            raise ForerunError(
                f"the tuned network does not compute what {name} does",
                f"outputs are off by {errors[name]:.2g} of their size, though every kernel was right by itself",
                "use the network as it was, and report the kernels of the database to this project",
            )
    data, why = exported(made) if library else (b"", "")
    return Comparison(timed(runs), errors, data, why)


def timed(runs: Mapping[str, Callable[[], object]]) -> dict[str, Timing]:
    """Seconds of a run, interleaved. Samples are several runs of a small network, or each finds others' caches."""
    once = {name: timing.median_s for name, timing in interleaved(runs, 1, warm_up=1).items()}
    many = {name: runs_of(seconds, _SAMPLE_S) for name, seconds in once.items()}

    def sample(name: str) -> Callable[[], object]:
        return lambda: [runs[name]() for _ in range(many[name])]

    repeats = samples_of(sum(once[name] * many[name] for name in runs), _MOST, _SECONDS)
    found = interleaved({name: sample(name) for name in runs}, repeats, warm_up=0)
    return {name: Timing(tuple(s / many[name] for s in timing.seconds)) for name, timing in found.items()}


def exported(made: Any) -> tuple[bytes, str]:
    """The shared library of what TVM compiled, or why there is none."""
    if (linker := _linker()) is None:
        return b"", "there is no C++ compiler to link it with: apt install g++"
    with TemporaryDirectory() as folder:
        place = Path(folder) / "model.so"
        try:
            made.export_library(str(place), cc=linker)
            return place.read_bytes(), ""
        except Exception as failed:  # the linker's, the disk's, TVM's own
            return b"", f"{Path(linker).name} cannot link it: {reason(failed)[:200]}"


def _linker() -> str | None:
    """A C++ compiler: what TVM would take, else the clang that this project works with."""
    from tvm.support import cc

    try:
        named = cc.get_cc() or clang.default_compiler()
    except ToolMissing:
        return None
    return shutil.which(named)


@dataclass(frozen=True)
class Known:
    """A network that was read, in the process that read it."""

    extraction: extract.Extraction
    inputs: Sequence[Any]
    """NumPy arrays."""
    rival: Mapping[str, Callable[[], object]]
    """What the user would run instead, by its name."""
    default: Callable[[], Any]
    expected: Mapping[str, Sequence[Any]]
    """The outputs of the default and of the rival."""


@lru_cache(maxsize=1)
def read(network: Network, target: str) -> Known:
    """Reads a network and runs it, or says what this process knows of it. Raises as `programs` does."""
    threads = targets.threads(target)
    use_threads(threads)
    if network.path.suffix == ".onnx":
        module = extract.from_onnx(network.path, dict(network.shapes))
        inputs = _inputs(module, [])
        name, rival = "onnxruntime", onnxruntime(network.path, inputs, threads)
    else:
        torch_network, examples, program = _torch(network)
        module = extract.from_exported(program)
        inputs = _inputs(module, [each.detach().numpy() for each in examples])
        name, rival = "PyTorch", _pytorch(torch_network, inputs, threads)
    what = f"{network.path.name} does not run"
    theirs = flat(_tried(what, f"make it run in {name} first", rival))
    extraction = extract.extract(module, targets.made(target))
    todo = "leave out the operator that is named"
    made = _tried(what, todo, lambda: extract.compiled(extraction.module, targets.made(target)))
    default = runner(made, inputs)
    ours = flat(_tried(what, todo, default))
    if not same(ours, theirs):
        raise InputError(
            f"TVM does not compute what {name} does of {network.path.name}",
            f"outputs are off by {off(ours, theirs):.2g} of their size",
            "find the operator by cutting the network, and report it to Apache TVM",
        )
    return Known(extraction, inputs, {name: rival}, default, {DEFAULT: ours, name: theirs})


def _torch(network: Network) -> tuple[Any, Sequence[Any], Any]:
    """What runs, its example inputs, and what torch.export makes of it."""
    if network.factory:
        module, examples = extract.made(network.path, network.factory)
        return module, examples, extract.exported(module, examples)
    import torch

    program = torch.export.load(str(network.path))
    return program.module(), program.example_inputs[0], program


def _tried(what: str, todo: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except (ForerunError, MemoryError):
        raise
    except Exception as failed:  # TVM's, PyTorch's and onnxruntime's share no base
        raise InputError(what, f"{type(failed).__name__}: {reason(failed)[:300]}", todo) from failed


def _inputs(module: Any, examples: Sequence[Any]) -> list[Any]:
    """Fresh values: floats are N(0, 1); integers are those of the examples, else 0 or 1, valid indices of anything."""
    draw = np.random.default_rng(0)
    found = []
    for place, parameter in enumerate(module["main"].params):
        shape, kind = tuple(int(size) for size in parameter.ty.shape), np.dtype(str(parameter.ty.dtype))
        if kind.kind in "iub":
            found.append(examples[place] if examples else draw.integers(0, 2, shape).astype(kind))
        else:
            found.append(draw.standard_normal(shape).astype(kind))
    return found


def runner(made: Any, inputs: Sequence[Any]) -> Callable[[], Any]:
    """Runs what `extract.compiled` made, on NumPy arrays."""
    tvm = load()
    main = tvm.relax.VirtualMachine(made, tvm.cpu())["main"]
    tensors = [tvm.runtime.tensor(array) for array in inputs]
    return lambda: main(*tensors)


def onnxruntime(path: Path, inputs: Sequence[Any], threads: int) -> Callable[[], Any]:
    """Runs an ONNX file in onnxruntime, on NumPy arrays in the order of its inputs. Raises InputError, ToolMissing."""
    session = _tried(
        f"{path.name} does not run", "make it run in onnxruntime first", lambda: onnx_run.session(str(path), threads)
    )
    feeds = dict(zip((one.name for one in session.get_inputs()), inputs, strict=True))
    return lambda: session.run(None, feeds)


def _pytorch(network: Any, inputs: Sequence[Any], threads: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(threads)
    tensors = [torch.from_numpy(array) for array in inputs]

    def run() -> Any:
        with torch.no_grad():
            return network(*tensors)

    return run


def flat(found: Any) -> list[Any]:
    """The outputs as NumPy arrays, in their order, however they are nested."""
    if isinstance(found, np.ndarray):
        return [found]
    if hasattr(found, "detach"):
        return [found.detach().numpy()]
    if hasattr(found, "numpy"):
        return [found.numpy()]
    if isinstance(found, Mapping):
        found = found.values()
    return [array for one in found for array in flat(one)] if hasattr(found, "__iter__") else []


def same(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether outputs of networks agree, see `agreement.agrees`."""
    return len(found) == len(expected) and all(agrees(*pair, _TERMS) for pair in zip(found, expected, strict=True))


def off(found: Sequence[Any], expected: Sequence[Any]) -> float:
    """The largest `agreement.error` of an output."""
    if len(found) != len(expected):
        return float("inf")
    return max((error(*pair) for pair in zip(found, expected, strict=True)), default=0.0)
