"""C++ kernels: built as Inductor builds them, many in one library, and timed alone on one thread."""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from forerun.clock import Timing, steady
from forerun.errors import ForerunError
from forerun.toolchains.inductor.capture import parameters
from forerun.toolchains.inductor.kernel import Kernel, Tensor

_FUNCTION = re.compile(r'extern "C"\s+void\s+kernel\(')
_PREFIX = "#include <torch/csrc/inductor/cpp_prefix.h>"
_INCLUDE = re.compile(r"^\s*#include.*$", re.MULTILINE)


def build(kernels: Sequence[Kernel], folder: Path) -> None:
    """Makes a library of those that the folder lacks. Raises ForerunError with the compiler's first complaint.

    Much of the time goes into linking and the headers that every kernel includes, so one library holds them all: it
    has a name for each of them.
    """
    missing = {path: kernel for kernel in kernels if not (path := library(kernel, folder)).exists()}
    if not missing:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        made = _compiled(_unit(list(missing.values())), Path(place))
        for path in missing:
            path.unlink(missing_ok=True)
            path.hardlink_to(made)


def library(kernel: Kernel, folder: Path) -> Path:
    """Where a kernel's library stands, or will."""
    return folder / f"{_identity(kernel)}.so"


def measure(kernel: Kernel, folder: Path, repeats: int, seconds: float) -> dict[str, float]:
    """Times a kernel on random data in this process, so call it in a worker. Raises ForerunError.

    `latency` is the median run in CPU seconds of its one thread, which others on the machine do not lengthen, its data
    in the caches where it fits; `latency_spread` the interquartile range over it, `latency_least` the fastest sample;
    `samples`, and `runs` in each.
    """
    build([kernel], folder)
    # A kernel that halves its own input again and again would soon compute on denormal numbers, many times slower.
    torch.set_flush_denormal(True)
    function = getattr(ctypes.CDLL(str(library(kernel, folder))), f"run_{_identity(kernel)}")
    tensors = {name: filled(value) for name, value in kernel.arguments.items() if isinstance(value, Tensor)}
    numbers = {name: _number(kernel, name, value) for name, value in kernel.arguments.items() if name not in tensors}
    places = [
        tensors[name].data_ptr() if name in tensors else ctypes.addressof(numbers[name]) for name in kernel.arguments
    ]
    pointers = (ctypes.c_void_p * len(places))(*places)
    try:
        timing, runs = steady(lambda n: function(pointers, ctypes.c_int64(n)), repeats, seconds, time.thread_time)
    finally:
        torch.set_flush_denormal(False)  # loading a library of fast mathematics has set it too, for whoever comes next
    return timed(timing, runs)


def timed(timing: Timing, runs: int = 1) -> dict[str, float]:
    """What is stored of samples of so many runs each."""
    return {
        "latency": timing.median_s / runs,
        "latency_spread": timing.spread,
        "latency_least": min(timing.seconds) / runs,
        "samples": float(len(timing.seconds)),
        "runs": float(runs),
    }


def filled(value: Tensor, device: str = "cpu") -> torch.Tensor:
    """Random numbers between -1 and 1; integers are 0 or 1: valid indices of whatever they point into."""
    dtype = getattr(torch, value.dtype)
    made = torch.rand(value.elements, device=device) * 2 - 1
    return made.to(dtype) if dtype.is_floating_point or dtype.is_complex else (made > 0).to(dtype)


def _number(kernel: Kernel, name: str, value: Any) -> Any:
    """A scalar in the type that the kernel reads it in."""
    kinds = {"float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool}
    kind = _types(kernel)[parameters("kernel", kernel.code).index(name)]
    return kinds.get(kind.removeprefix("const "), ctypes.c_int64)(value)


def _types(kernel: Kernel) -> list[str]:
    found = re.search(r"\bkernel\((.*?)\)", kernel.code, re.DOTALL)
    return [re.sub(r"\w+$", "", each.strip()).strip() for each in (found[1] if found else "").split(",")]


def _identity(kernel: Kernel) -> str:
    return hashlib.sha256(kernel.code.encode()).hexdigest()[:24]


def _unit(kernels: Sequence[Kernel]) -> str:
    headers = sorted({line.strip() for kernel in kernels for line in _INCLUDE.findall(kernel.code)} - {_PREFIX})
    return "\n".join([*headers, *map(_function, kernels)])


def _function(kernel: Kernel) -> str:
    """The kernel, and a loop around it that the compiler cannot see through."""
    name = _identity(kernel)
    own = f'extern "C" __attribute__((noinline)) void kernel_{name}('
    code = _FUNCTION.sub(own, _INCLUDE.sub("", kernel.code))
    passed = ", ".join(
        f"({kind})p[{i}]" if kind.endswith("*") else f"*({kind}*)p[{i}]" for i, kind in enumerate(_types(kernel))
    )
    loop = f'for (int64_t i = 0; i < n; i++) {{ kernel_{name}({passed}); asm volatile("" ::: "memory"); }}'
    return f'namespace n_{name} {{\n{code}\nextern "C" void run_{name}(void** p, int64_t n) {{ {loop} }}\n}}'


def _compiled(code: str, place: Path) -> Path:
    """A library of some code."""
    source, header = place / "kernels.cpp", place.parent / "prefix.h"
    source.write_text(code, encoding="utf-8")
    prefix = header.with_suffix(".h.gch")
    if not prefix.exists():  # made once: reading these headers costs as much as compiling twenty kernels
        header.write_text(_PREFIX, encoding="utf-8")
        Path(_run(header, place / "prefix", precompiling=True)).replace(prefix)
    return Path(_run(source, place / "kernels", header))


def _run(source: Path, made: Path, header: Path | None = None, precompiling: bool = False) -> str:
    """Runs the compiler with the options that Inductor gives it; what it made."""
    from torch._inductor import config
    from torch._inductor.cpp_builder import CppBuilder, CppTorchDeviceOptions
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    with config.patch({"cpp.threads": 1}):
        options = CppTorchDeviceOptions(
            vec_isa=pick_vec_isa(), device_type="cpu", include_pytorch=True, shared=True, precompiling=precompiling
        )
        options.precompiled_header = str(header) if header else None
        builder = CppBuilder(str(made), str(source), options)
    done = subprocess.run([*builder.get_command_line().split(), "-w"], capture_output=True, encoding="utf-8")
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit status {done.returncode}"]
        raise ForerunError("a kernel does not compile", told[0].rpartition("error: ")[2][:200], "leave it out")
    return str(builder.get_target_file_path())
