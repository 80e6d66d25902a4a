"""What TVM needs of CUDA and does not look for: the library of its runtime, a compiler that is there, and headers.

Where the library is not found, TVM has no GPU and does not say why. Kernels are compiled by NVRTC, through the package
cuda-bindings, unless `TVM_CUDA_COMPILE_MODE` says nvcc; NVRTC reads CUDA's headers, which TVM takes to be beside nvcc.

And what its kernels lack: threads of a warp that add up what each of them has ask which of them are there
(`__activemask`), right after a branch that some of them took. Since Volta those need not be back by then, and are left
out (CUDA C++ Programming Guide, "Warp Shuffle Functions"; an H100 gave a wrong mean over 7 by 7 numbers so). They wait
for each other first.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

_DRIVER, _RUNTIME = "libcuda.so.1", "libcudart.so.13"
"""Those that TVM's wheel is linked with."""
_TOOLKIT = Path("/usr/local/cuda")
_MODE, _PLACE = "TVM_CUDA_COMPILE_MODE", "CUDA_PATH"
"""TVM's own variables: what the user sets stays."""
_POSTPROC, _ASKED = "tvm_callback_cuda_postproc", "= __activemask();"
"""Whom TVM gives the source of kernels before they are compiled."""


def prepare() -> None:
    """To be called before TVM is imported."""
    if _MODE not in os.environ and shutil.which("nvcc") and not _there("cuda.bindings"):
        os.environ[_MODE] = "nvcc"
    if _PLACE not in os.environ and (place := _toolkit()):
        os.environ[_PLACE] = str(place)
    if _loaded(_DRIVER) and not _loaded(_RUNTIME):
        for folder in _folders():
            if _loaded(str(folder / _RUNTIME)):  # from now on it is found by its name
                break


def register() -> None:
    """Has kernels pass through `together`, where the user has nothing else do so."""
    import tvm_ffi

    if tvm_ffi.get_global_func(_POSTPROC, allow_missing=True) is None:
        tvm_ffi.register_global_func(_POSTPROC, lambda code, _: together(str(code)))


def together(code: str) -> str:
    """CUDA's source as TVM writes it, where the threads of a warp wait for each other before they ask who is there;
    but not in a branch, which others may not take."""
    lines, heads = list[str](), list[str]()
    for line in code.splitlines(keepends=True):
        text = line.strip()
        if text.startswith("}") and heads:
            heads.pop()
        if text.endswith(_ASKED) and not any(head.startswith(("if", "else", "} else")) for head in heads):
            lines.append(line.replace(text, "__syncwarp();"))
        if text.endswith("{"):
            heads.append(text)
        lines.append(line)
    return "".join(lines)


def _toolkit() -> Path | None:
    """The folder of CUDA's headers: nvcc's own, or the usual one, where nvcc is a script somewhere else."""
    nvcc = shutil.which("nvcc")
    places = [*([Path(nvcc).resolve().parents[1]] if nvcc else []), _TOOLKIT]
    return next((place for place in places if (place / "include" / "cuda_runtime.h").is_file()), None)


def _folders() -> list[Path]:
    """Where the library of the runtime may be: what PyTorch came with, or the toolkit."""
    spec = find_spec("nvidia")
    packages = [Path(place) / "cu13" / "lib" for place in (spec.submodule_search_locations if spec else None) or ()]
    return [*packages, (_toolkit() or _TOOLKIT) / "lib64"]


def _there(package: str) -> bool:
    with contextlib.suppress(ImportError, ValueError):
        return find_spec(package) is not None
    return False


def _loaded(library: str) -> bool:
    with contextlib.suppress(OSError):
        return bool(ctypes.CDLL(library))
    return False
