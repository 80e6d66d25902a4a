"""Where tensor programs run: TVM's target, and the hardware's properties as a model reads them.

A target is canonical JSON, `{"kind":"llvm","mcpu":"znver4","num-cores":2}`: `num-cores` is also how many threads run
it. A model never reads a processor's name, only what it can do, so that one that nobody has measured is not unknown.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from forerun.errors import UsageError
from forerun.toolchains.tvm._load import load

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def here(threads: int = 0) -> str:
    """This machine's processor; 0 threads are all. Raises ToolMissing, UsageError for more than it has."""
    load()
    from tvm.target import codegen

    most = os.cpu_count() or 1
    if not 0 <= threads <= most:
        raise UsageError(f"{threads} threads", f"this machine has {most} cores", f"ask for 1 to {most}, or 0 for all")
    return written({"kind": "llvm", "mcpu": str(codegen.llvm_get_system_cpu()), "num-cores": threads or most})


def written(target: dict[str, Any]) -> str:
    """The canonical text of a target."""
    return json.dumps(target, sort_keys=True, separators=(",", ":"))


def parse(text: str) -> str:
    """A target as a user writes it, canonical: JSON, `llvm` for this processor, `llvm:2` for two threads of it.

    Raises UsageError, ToolMissing.
    """
    kind, _, threads = text.partition(":")
    if kind == "llvm" and (threads.isdigit() or not threads):
        return here(int(threads or 0))
    try:
        values = json.loads(text)
        made(written(values))
    except Exception as error:  # TVM's own errors share no base
        why = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise UsageError(
            f"not a target: {text}", why, 'for example: llvm, llvm:1, {"kind":"llvm","num-cores":2}'
        ) from error
    return written(values)


def text(target: Any) -> str:
    """The canonical text of TVM's target."""
    return written({name: value for name, value in json.loads(str(target)).items() if value})


@lru_cache(maxsize=16)
def made(text: str) -> Any:
    """TVM's target for a text of `written`."""
    load()
    from tvm.target import Target

    return Target(json.loads(text))


def threads(text: str) -> int:
    """How many threads a kernel may use."""
    return int(json.loads(text).get("num-cores", 1))


@lru_cache(maxsize=16)
def described(text: str) -> str:
    """The hardware as a model reads it: kind, cores, bits of a vector, bytes of its caches where they are known."""
    values, target = json.loads(text), made(text)
    parts = [str(values["kind"]), f"cores {threads(text)}"]
    if values["kind"] == "llvm":
        from tvm.target import codegen

        parts.append(f"vector {codegen.llvm_get_vector_width(target)}")
        if values.get("mcpu") == str(codegen.llvm_get_system_cpu()):
            parts += [f"{name} {size}" for name, size in caches().items()]
    else:
        known = ("max_shared_memory_per_block", "max_threads_per_block", "thread_warp_size")
        parts += [f"{name} {target.attrs[name]}" for name in known if name in target.attrs]
    return " ".join(parts)


@lru_cache(maxsize=1)
def caches() -> dict[str, int]:
    """Bytes of this processor's data caches by level (`L1`, `L2`, `L3`), as far as the system tells."""
    found = {}
    for place in sorted(_CACHES.glob("index*")):
        try:
            kind, level, size = ((place / name).read_text().strip() for name in ("type", "level", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K"):
            found[f"L{level}"] = int(size[:-1]) << 10
    return found
