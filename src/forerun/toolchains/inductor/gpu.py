"""Triton kernels: compiled as Inductor compiles them, and timed alone on the GPU."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from typing import Any

import torch

from forerun.clock import Timing
from forerun.errors import ForerunError
from forerun.sandbox import broken
from forerun.toolchains.inductor.kernel import Kernel, Tensor
from forerun.toolchains.inductor.native import filled, timed

_WARM_UP_MS = 5
_LEAST_MS = 20
"""Of timing: enough for a thousand runs of most kernels."""


def build(kernels: Sequence[Kernel]) -> None:
    """Compiles each for every configuration that Inductor would try, into the caches that they share.

    Raises ForerunError where one of them does not compile, once the others have been.
    """
    unlimited()
    failed = ""
    for kernel in kernels:
        try:
            _loaded(kernel).precompile(warm_cache_only=True)
        except Exception as error:  # Triton's and Inductor's share no base
            failed = str(error)
    if failed:
        raise ForerunError("a kernel does not compile", failed.partition("\n")[0][:200], "leave it out")


def measure(kernel: Kernel, repeats: int, seconds: float) -> dict[str, float]:
    """Times the configuration that Inductor chooses, on random data in this process, so call it in a worker.

    `latency` is the median run in seconds between two events of the GPU, its caches flushed before each run, by
    Triton's own benchmark; the other values are as for `native.measure`.
    """
    from triton.testing import do_bench

    unlimited()
    tuned = _loaded(kernel)
    arguments = [filled(v, "cuda") if isinstance(v, Tensor) else v for v in kernel.arguments.values()]

    def run() -> None:
        tuned.run(*arguments, stream=torch.cuda.current_stream().cuda_stream)

    try:
        run()  # compiles it, and chooses its configuration
        torch.cuda.synchronize()
    except RuntimeError as error:
        # After a failed check or a bad access nothing runs in this process any more.
        raise ForerunError("it stopped the GPU", broken(str(error)), "leave it out") from error
    most_ms = max(_LEAST_MS, int(seconds * 1000 / 10))
    found = do_bench(run, warmup=_WARM_UP_MS, rep=most_ms, return_mode="all")
    return timed(Timing(tuple(sample / 1000 for sample in found[-max(repeats, 3) :])))


def name() -> str:
    """What this machine's GPU is called."""
    unlimited()
    return torch.cuda.get_device_name()


def unlimited() -> None:
    """Lifts this worker's bound on addresses: a GPU's driver reserves more of them than any machine has memory."""
    resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)


def _loaded(kernel: Kernel) -> Any:
    from torch._inductor.codecache import PyCodeCache

    return getattr(PyCodeCache.load(kernel.code), kernel.name)
