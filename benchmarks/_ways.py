"""Ways to run a whole network, timed side by side, and one kernel beside the vendor's: in a worker that has read it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _metaschedule import kernel
from _vendor import Operator, called, laid

from forerun import factories
from forerun.clock import Timing
from forerun.core import Source
from forerun.errors import reason
from forerun.toolchains.tvm import database, extract, measure, network
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.device import Device, Place
from forerun.toolchains.tvm.network import Known, Network, Rival, Running

DLIGHT, INDUCTOR = "dlight", "Inductor"
Run = Callable[[], Any]
Texts = Mapping[str, str]
"""A database's files (`forerun.toolchains.tvm.database`)."""


@dataclass(frozen=True, slots=True)
class Raced:
    """Interleaved runs of one network, the seconds that each took to be made, and why others are missing."""

    timings: Mapping[str, Timing]
    made: Mapping[str, float]
    missing: Mapping[str, str]


def raced(asked: Network, target: str, databases: Mapping[str, tuple[Network, Texts]], rules: bool) -> Raced:
    """A network as it is, by dlight's `rules` where they are wanted (LLVM takes half an hour for some networks), with
    each database, and by PyTorch, its Inductor and onnxruntime.

    A database has the layout of its own network. PyTorch and onnxruntime have the target's threads, or one where that
    is faster. All compute what the untuned network does, or are missing. Raises as
    `forerun.toolchains.tvm.network.programs`.
    """
    known, device, built = network.read(asked, Place(target)), Device(target), targets.made(target)
    whole = known.extraction.module

    def tuned(own: Network, texts: Texts) -> Run:
        module = whole if own == asked else network.read(own, Place(target)).extraction.module
        return Running(device, extract.compiled(module, built, database.opened(dict(texts))), known.inputs)

    ways: dict[str, Callable[[], Run]] = {name: partial(tuned, *own) for name, own in databases.items()}
    if rules:
        ways[DLIGHT] = lambda: Running(device, extract.compiled(by_rules(whole, built), built), known.inputs)
    default = Running(device, known.default, known.inputs)
    default()
    with TemporaryDirectory() as folder:
        if asked.path.suffix != ".onnx":
            module, _ = factories.made(asked.path, asked.factory)
            module.eval()
            ways[INDUCTOR] = lambda: _inductor(module, known, Path(folder), targets.threads(target))
        ways |= {name: partial(_fastest, rival) for name, rival in known.others.items()}
        runs: dict[str, Run] = {network.DEFAULT: default}
        runs |= {name: _fastest(rival) for name, rival in known.rival.items()}
        made, missing = dict[str, float](), dict[str, str]()
        for name, way in ways.items():
            try:
                began = time.monotonic()
                run = way()
                found = network.flat(run())
                made[name] = time.monotonic() - began
            except Exception as error:  # theirs share no base
                missing[name] = f"{type(error).__name__}: {reason(error)[:200]}"
                continue
            expected = known.expected[network.DEFAULT]
            if network.same(found, expected):
                runs[name] = run
            else:
                missing[name] = f"wrong: outputs are off by {network.off(found, expected):.2g} of their size"
        timers = {name: run.timer if isinstance(run, Running) else device.clock(run) for name, run in runs.items()}
        return Raced(network.timed(timers), made, missing)


def by_rules(module: Any, target: Any) -> Any:
    """A module whose programs have the schedules of TVM's rules for processors, where one applies.

    TVM writes them into the module that it is given: that is a copy.
    """
    load()
    from tvm.s_tir import dlight

    with target:
        return dlight.ApplyDefaultSchedule(dlight.cpu.GEMV(), dlight.cpu.Reduction())(module.clone())


def _inductor(module: Any, known: Known, folder: Path, threads: int) -> Run:
    """Compiled from scratch; weights are constants, as TVM has them."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    import torch
    from torch._inductor import config

    config.freezing, config.fx_graph_cache, config.compile_threads = True, False, 1
    return network.pytorch(torch.compile(module), known.inputs, threads)


def _fastest(rival: Rival) -> Run:
    return rival.fastest()[0]


def beside(source: Source, line: str, operator: Operator) -> dict[str, float]:
    """Seconds of a program, with the schedule of a database's line where there is one, and of PyTorch's operator.

    Raises ForerunError where the kernel does not compute what NumPy does.
    """
    import torch

    torch.set_num_threads(targets.threads(source.target))
    bench, device = measure.Bench(source, 0), Device(source.target)
    module = database.scheduled(bench.program, line) if line else bench.program.module
    ours = kernel(bench, device, bench.tensors(device), module)
    tensors = laid(operator, [torch.randn(shape) for shape in operator.shapes])

    def vendor() -> None:
        with torch.inference_mode():
            called(operator, tensors)

    vendor()
    timings = network.timed({"ours": device.clock(ours), "vendor": device.clock(vendor)})
    return {name: timing.median_s for name, timing in timings.items()}
