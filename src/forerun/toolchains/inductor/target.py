"""Where a kernel runs, in the words of `forerun.toolchains.onnx.target`: `inductor 2.13 g++ 12; x86_64 …; 1 thread`."""

from __future__ import annotations

import re
import subprocess
from functools import cache

from forerun.core import Tool
from forerun.errors import ToolMissing, UsageError
from forerun.toolchains.inductor.kernel import CPP
from forerun.toolchains.onnx.target import Target, package
from forerun.toolchains.process.target import this_device

DEVICES = ("cpu", "cuda")
"""PyTorch's names of what kernels are made for."""

_EXTRA = "kernels"


def compiler() -> Tool:
    """What makes kernels. Raises ToolMissing."""
    return package("torch", "kernels are made by PyTorch", _EXTRA)


def networks(library: str = "transformers") -> Tool:
    """What they are made of. Raises ToolMissing."""
    what, todo = f"kernels are made of networks in {library}", "install the torchvision that goes with your PyTorch"
    return package(library, what, _EXTRA, "" if library == "transformers" else todo)


def here(device: str = "cpu", called: str = "") -> Target:
    """This machine's processor, or its GPU. Raises ToolMissing without one, UsageError for another."""
    if device not in DEVICES:
        raise UsageError(f"no device is called {device!r}", f"devices: {', '.join(DEVICES)}", "name one of them")
    name = called.replace(";", ",") or (this_device() if device == "cpu" else _gpu())
    return Target(name, tool(device))


def prompted(target: Target, lang: str) -> str:
    """The device as a model reads it: a processor with its threads."""
    return target.where if lang == CPP else target.device


@cache
def tool(device: str) -> str:
    """Inductor's version and that of what compiles its kernels. Raises ToolMissing."""
    inductor = f"inductor {_release(compiler().version)}"
    if device == "cpu":
        return f"{inductor} {_native()}"
    return f"{inductor} triton {_release(package('triton', 'kernels for GPUs are compiled by Triton', _EXTRA).version)}"


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _native() -> str:
    """The C++ compiler that Inductor takes. Raises ToolMissing."""
    try:
        from torch._inductor.cpp_builder import get_cpp_compiler

        path = get_cpp_compiler()
        version = subprocess.run([path, "-dumpversion"], capture_output=True, encoding="utf-8", check=True).stdout
    except Exception as error:  # PyTorch's own, where it finds no compiler
        todo = "apt install g++"
        raise ToolMissing("Inductor has no C++ compiler", str(error).partition("\n")[0], todo) from error
    return f"{re.split(r'[-/]', path)[-1] if 'clang' in path else 'g++'} {version.partition('.')[0].strip()}"


def _gpu() -> str:
    """The GPU's own name. Raises ToolMissing."""
    import torch

    if not torch.cuda.is_available():
        why = f"PyTorch {torch.__version__} sees none here"
        raise ToolMissing("there is no GPU to time kernels on", why, "leave out --device cuda")
    return torch.cuda.get_device_name()
