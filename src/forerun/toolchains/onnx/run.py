"""How long a network takes on this processor: onnxruntime with random weights and inputs.

Weights of two axes or more are uniform with the variance 1/fan-in, so that values neither explode nor vanish; others
lie around 1, so that a variance is positive. Integers are 0 or 1: valid indices of whatever they point into.
"""

from __future__ import annotations

import gc
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forerun.clock import Timing, steady
from forerun.core import Measurement
from forerun.errors import ForerunError, InputError, ToolMissing
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.target import imported, release, runtime

_ACCURACY = "session.qdq_matmulnbits_accuracy_level"
"""By default onnxruntime rounds to 8 bits what it multiplies by dequantised weights of 4: off by 1% of a result."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a network is timed."""

    threads: int = 1
    repeats: int = 30
    """Samples, fewer where they would take longer than `seconds` together, but 3 at least."""
    seconds: float = 2.0
    seed: int = 0


def measure(data: bytes, bounds: Bounds) -> Measurement:
    """Times a serialised model in this process, so call it in a worker (`forerun.sandbox`). Raises ToolMissing.

    `latency` is the median run in seconds, `latency_spread` the interquartile range over it, `latency_least` the
    fastest sample; `cpu` the mean CPU seconds of a run, which others on the machine do not lengthen; `samples`, and
    `runs` in each; `load` the seconds to prepare it; `memory` the bytes that this process grew by at its peak, weights
    included, where the system tells: too few where it had freed as much before. What cannot be run is a Measurement
    with its error.
    """
    tool = release(runtime().version)
    try:
        model = proto.parse(data)
        proto.check_sizes(model)
        return Measurement(_values(model, bounds), checked=True, tool=tool)
    except (ToolMissing, MemoryError):
        raise
    except ForerunError as error:
        return Measurement(error=f"model: {error.what}: {error.why}", tool=tool)
    except Exception as error:  # onnxruntime's own exceptions share no base
        return Measurement(error=f"run: {_first_line(error)}", tool=tool)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().partition("\n")[0][:300]


def _values(model: Any, bounds: Bounds) -> dict[str, float]:
    draw = np.random.default_rng(bounds.seed)
    feeds = {value.name: _input(value, draw) for value in proto.inputs(model.graph)}
    filled = _filled(model, draw)
    before, start = _resident("VmRSS", reset=True), time.perf_counter()
    runner = session(filled, bounds.threads)
    load = time.perf_counter() - start
    timing, runs, cpu = _timed(runner, feeds, bounds)
    peak = _resident("VmHWM")
    values = {
        "latency": timing.median_s / runs,
        "latency_spread": timing.spread,
        "latency_least": min(timing.seconds) / runs,
        "cpu": cpu,
        "samples": float(len(timing.seconds)),
        "runs": float(runs),
        "load": load,
    }
    return values | ({"memory": max(0.0, peak - before)} if before and peak else {})


def _timed(session: Any, feeds: dict[str, Any], bounds: Bounds) -> tuple[Timing, int, float]:
    """The samples, how many runs each holds, and the mean CPU seconds of one."""

    total = -1

    def sample(runs: int) -> None:
        nonlocal total
        total += runs
        for _ in range(runs):
            session.run(None, feeds)

    sample(1)
    start = time.process_time()
    timing, runs = steady(sample, bounds.repeats, bounds.seconds)
    return timing, runs, (time.process_time() - start) / total


def session(data: bytes | str, threads: int, *, exact: bool = False) -> Any:
    """An onnxruntime session of a serialised model, or of the file with a name; one that is `exact` rounds nothing to 8
    bits that the model does not, as products by weights of 4 bits do otherwise. Raises ToolMissing."""
    try:
        onnxruntime = imported()
    except ImportError as error:
        raise ToolMissing(
            "networks are timed by onnxruntime", str(error), "pip install --force-reinstall forerun"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    if exact:
        options.add_session_config_entry(_ACCURACY, "1")
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _filled(model: Any, draw: np.random.Generator) -> bytes:
    """The model with random numbers where its weights have lost theirs."""
    onnx = proto.library()
    for tensor in proto.tensors(model.graph):
        if proto.is_empty(tensor):
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.CopyFrom(onnx.numpy_helper.from_array(_random(tuple(tensor.dims), kind, draw), tensor.name))
    if model.ByteSize() > proto.MOST_BYTES:
        raise InputError("the model is too large", "with its weights it is above 2 GiB", "take a smaller one")
    return bytes(model.SerializeToString())


def _random(shape: tuple[int, ...], kind: Any, draw: np.random.Generator) -> Any:
    if np.dtype(kind).kind == "O":
        raise InputError("the model reads texts", "there are no random ones", "take a model that reads numbers")
    values: Any
    if np.dtype(kind).kind in "iub":
        values = draw.integers(0, 2, shape)
    elif len(shape) < 2:
        values = 0.5 + draw.random(shape, np.float32)
    else:
        values = (draw.random(shape, np.float32) * 2 - 1) * math.sqrt(3 / max(1, math.prod(shape[1:])))
    return np.asarray(values).astype(kind)  # of no axes NumPy draws a number, which onnxruntime does not take


def _input(value: Any, draw: np.random.Generator) -> Any:
    kind = value.type.tensor_type
    shape = tuple(int(size.dim_value) for size in kind.shape.dim)
    return _random(shape, proto.library().helper.tensor_dtype_to_np_dtype(kind.elem_type), draw)


def _resident(name: str, reset: bool = False) -> float:
    """Bytes by proc(5): `VmRSS` now, or `VmHWM`, the most since the last reset; 0 where the system does not tell."""
    try:
        if reset:
            gc.collect()
            Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0.0)
