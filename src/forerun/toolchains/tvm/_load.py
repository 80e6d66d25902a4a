"""The one place that imports TVM: the version that fits, without what it would load for nothing, and its elementary
functions as arithmetic."""

from __future__ import annotations

import importlib
import os
import re
import sys
import types
from functools import cache, lru_cache
from typing import Any

from forerun.core import Tool
from forerun.errors import ToolMissing
from forerun.toolchains.onnx.target import package
from forerun.toolchains.tvm import _cuda, _elementary, _stacks

TVM, FFI = "0.27.", "0.1.14"
"""Versions that work together: the next ffi crashes where databases write modules."""

_INTRINSICS = {
    "arm_cpu": "aarch64|arm",
    "cuda": "cuda",
    "hexagon": "hexagon",
    "metal": "metal",
    "riscv_cpu": "riscv",
    "rocm": "rocm",
}
"""Modules of `tvm.s_tir.tensor_intrin`, and by what in kind, keys or triple of a target their owners are told."""
_WITHOUT = re.compile(r"sm_([1-6]\d|7[0-4])")
"""GPUs for whose tensor cores TVM has no design spaces."""


@cache
def found() -> Tool:
    """TVM, without importing it. Raises ToolMissing for none, or one that does not fit."""
    tool, ffi = (package(name, "tensor programs need TVM", "tune") for name in ("apache-tvm", "apache-tvm-ffi"))
    for name, version, wanted in (("apache-tvm", tool.version, TVM), ("apache-tvm-ffi", ffi.version, FFI)):
        if not version.startswith(wanted):
            what = f"{name} {version} does not fit"
            raise ToolMissing(
                what, f"this version of forerun works with {wanted.rstrip('.')}", "pip install 'forerun[tune]'"
            )
    return Tool("tvm", tool.version, tool.path, "a Python package")


@cache
def load() -> Any:
    """The module `tvm`. Raises ToolMissing.

    `tvm_ffi` imports torch where it is installed, for a conversion that nobody here uses: 3 of 5 seconds. So it is not
    found, unless it is there already.
    """
    found()
    _cuda.prepare()
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import tvm
    except (ImportError, OSError, RuntimeError) as error:
        raise ToolMissing("TVM does not load", str(error), "pip install --force-reinstall 'forerun[tune]'") from error
    finally:
        if hidden:
            del sys.modules["torch"]
    _elementary.register(tvm)
    _cuda.register()
    _stacks.register()
    return tvm


@lru_cache(maxsize=1)
def use_threads(count: int) -> None:
    """How many threads kernels of this process run on, from its first kernel on.

    TVM would bind this thread to the first cores, whatever else runs there and whichever this process may use. And
    without the second variable it takes half of the processors, as if each core were two, and at each parallel loop
    asks the system anew how many there are: 8 µs, where such a kernel takes .15 µs.
    """
    os.environ["TVM_BIND_THREADS"] = "0"
    os.environ["TVM_NUM_THREADS"] = str(count)
    load().get_global_func("runtime.config_threadpool")(1, count)


def triple_of(target: Any) -> str:
    """For which processor LLVM makes code of a TVM target: the one that it names, else this one; of a GPU none."""
    if target.kind.name != "llvm":
        return ""
    from tvm.target import codegen

    return str(target.attrs.get("mtriple") or codegen.llvm_get_system_triple())


def intrinsics(target: Any, of_use: bool = True) -> None:
    """Loads the tensor intrinsics that TVM's design spaces of a target ask for, where they are `of_use`.

    Those of other hardware take 2 seconds: they are empty modules, until a target asks for them.
    """
    load()
    without = _WITHOUT.fullmatch(str(target.attrs.get("arch", ""))) or not of_use
    told = "" if without else f"{target.kind.name} {' '.join(target.keys)} {triple_of(target)}"
    for name, owner in _INTRINSICS.items():
        full = f"tvm.s_tir.tensor_intrin.{name}"
        if not (owned := re.search(owner, told)) and full not in sys.modules:
            sys.modules[full] = types.ModuleType(full)
        elif owned and not hasattr(sys.modules.get(full, types), "__file__"):
            del sys.modules[full]
            importlib.import_module(full)
    import tvm.s_tir.tensor_intrin  # noqa: F401


def plain(target: Any = None) -> None:
    """What MetaSchedule and its workers may do first: loads the tensor intrinsics of a target, or of this processor,
    alone; with the first task come those of all hardware otherwise."""
    load()
    from tvm.target import Target

    intrinsics(target or Target({"kind": "llvm", "num-cores": 1}))
