"""Where tensor programs run: TVM's target, and the hardware's properties as a model reads them.

A target is canonical JSON, `{"kind":"llvm","mcpu":"znver4","num-cores":2}`: `num-cores` is also how many threads run
it. A model never reads a processor's name, only what it can do, so that one that nobody has measured is not unknown.
Of a GPU, `multi_processor_count` is ours: TVM's targets have no word for it.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from forerun.errors import ForerunError, UsageError
from forerun.threads import cores, too_many
from forerun.toolchains.tvm._load import load, triple_of

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_OWN = frozenset({"multi_processor_count"})
_GPU = {
    "arch": "capability",
    "multi_processor_count": "SMs",
    "max_threads_per_block": "threads",
    "thread_warp_size": "warp",
    "max_shared_memory_per_block": "shared",
    "registers_per_block": "registers",
    "l2_cache_size_bytes": "L2",
}
"""What a model reads of a GPU, by TVM's names: a block's threads, bytes of shared memory and registers."""
_FEW_REGISTERS = ("5.3", "6.2")
"""Capabilities of GPUs with 32,768 registers for a block; later ones than 5.0 have twice as many: CUDA C++ Programming
Guide, "Technical Specifications". TVM asks the driver for everything but them."""
_X86, _VECTORS = ("x86_64", "i686"), (("avx512f", 32, 512), ("avx", 16, 256))
"""Triples of these processors, and how many registers of how many bits they have that have a feature."""
_ELSEWHERE = frozenset("c opencl rocm metal vulkan webgpu hexagon".split())
_EXAMPLES = 'for example: llvm, llvm:1, cuda, nvidia/nvidia-a100, {"kind":"llvm","num-cores":2}'


def here(threads: int = 0, session: Any = None) -> str:
    """The processor of this machine, or of the one of TVM's RPC session; 0 threads are all that this process may use.

    Raises ToolMissing, UsageError for more threads than it has, or for another machine that cannot say what it is.
    """
    local = load().get_global_func
    asked = local if session is None else session.get_function
    try:
        cpu, triple = (str(asked(f"target.llvm_get_system_{name}")()) for name in ("cpu", "triple"))
        most = cores() if session is None else int(asked("runtime.NumThreads")())
    except AttributeError as error:  # it has TVM's runtime alone
        todo = 'name it: --target \'{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a76","num-cores":4}\''
        raise UsageError(
            "the other machine does not know its processor", "TVM's compiler is not there", todo
        ) from error
    if not 0 <= threads <= most:
        raise too_many(threads, most, ", or 0 for all")
    values = {"kind": "llvm", "mcpu": cpu, "num-cores": threads or most}
    if triple != local("target.llvm_get_system_triple")():
        values["mtriple"] = triple
    return written(values)


def gpu(session: Any = None) -> str:
    """The first CUDA device of this machine, or of the one of TVM's RPC session. Raises ToolMissing, UsageError."""
    handle = (load() if session is None else session).device("cuda")
    if not handle.exist:
        why = "TVM finds no device, or no driver"
        raise UsageError("there is no CUDA device to describe", why, f"name what it is to be: {_EXAMPLES}")
    values = {
        "kind": "cuda",
        "arch": f"sm_{str(handle.compute_version).replace('.', '')}",
        "max_threads_per_block": handle.max_threads_per_block,
        "max_shared_memory_per_block": handle.max_shared_memory_per_block,
        "thread_warp_size": handle.warp_size,
        "registers_per_block": 1 << (15 if handle.compute_version in _FEW_REGISTERS else 16),
        "l2_cache_size_bytes": handle.l2_cache_size_bytes,
        "multi_processor_count": handle.multi_processor_count,
    }
    return written({name: value for name, value in values.items() if value})


def written(target: dict[str, Any]) -> str:
    """The canonical text of a target."""
    return json.dumps(target, sort_keys=True, separators=(",", ":"))


def parse(text: str, session: Any = None) -> str:
    """A target as a user writes it, canonical: JSON, one of TVM's tags, `cuda` for the first GPU, `llvm` for the
    processor, `llvm:2` for two threads of it: of this machine, or of the one of TVM's RPC session.

    Raises UsageError, ToolMissing.
    """
    text = text.strip()
    kind, _, threads = text.partition(":")
    if kind == "llvm" and re.fullmatch("[0-9]*", threads):
        return here(int(threads or 0), session)
    if text == "cuda":
        return gpu(session)
    if kind in _ELSEWHERE:
        raise UsageError(f"not a target: {text}", "TVM has it, and forerun knows llvm and cuda", _EXAMPLES)
    try:
        return _tag(text) or _read(text, session)
    except ForerunError:
        raise
    except Exception as error:  # TVM's own errors share no base
        why = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise UsageError(f"not a target: {text}", why, _EXAMPLES) from error


def _tag(name: str) -> str:
    """A target that TVM knows by a tag; empty where it knows none."""
    load()
    from tvm.target import Target, list_tags

    return text(Target(name)) if name in (list_tags() or {}) else ""


def _read(text: str, session: Any) -> str:
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict) or "kind" not in values:
        raise UsageError(f"not a target: {text}", "it is neither a name that TVM knows nor JSON with a kind", _EXAMPLES)
    if values["kind"] == "c":
        raise UsageError(f"not a target to measure: {text}", "kernels of kind c are source, no code", _EXAMPLES)
    if values["kind"] == "cuda" and "arch" not in values:  # TVM would take what the oldest GPUs can do
        raise UsageError(f"not a whole target: {text}", "it has no arch", f"name it, sm_90: {_EXAMPLES}")
    if values["kind"] == "llvm":
        values = _processor(values, session)
    made(written(values))
    return written(values)


def _processor(values: dict[str, Any], session: Any) -> dict[str, Any]:
    """With as many cores as there are where none are named, of this machine not more than this process may use; and as
    what it is, where neither a processor nor what it can do is named."""
    threads = values.get("num-cores", 0)
    if type(threads) is not int or threads < 0 or (threads == 0 and "num-cores" in values):
        raise UsageError(f"num-cores {threads!r}", "it is no number of threads", "give a whole number above 0")
    if session is None and "mtriple" not in values:
        own = json.loads(here(threads))
        values = {**values, "num-cores": own["num-cores"]}
        if not {"mcpu", "mattr"} & values.keys():
            values["mcpu"] = own["mcpu"]
    values.setdefault("num-cores", 1)
    processor = values.get("mcpu")
    # Without a name of its own LLVM prints what it knows, and goes on with what is generic.
    known = made(written({name: value for name, value in values.items() if name != "mcpu"}))
    valid = load().get_global_func("target.llvm_is_valid_cpu")  # it lists no other names of the same: apple-m1
    if processor is not None and not valid(str(processor), triple_of(known)):
        todo = "name one of theirs (llc -mcpu=help), or leave it out"
        raise UsageError(f"LLVM knows no processor {processor!r}", f"of {values.get('mtriple', 'this machine')}", todo)
    return values


def text(target: Any) -> str:
    """The canonical text of TVM's target."""
    return written({name: value for name, value in json.loads(str(target)).items() if value})


@lru_cache(maxsize=16)
def made(text: str) -> Any:
    """TVM's target for a text of `written`."""
    load()
    from tvm.target import Target

    return Target({name: value for name, value in json.loads(text).items() if name not in _OWN})


def generating(target: Any) -> Any:
    """TVM's target as code is made for it: for x86-64 LLVM does not schedule instructions once more after registers are
    allocated, which takes a fifth of the time of making machine code. Of 230 measured kernels, the best of as many
    programs, the time is 1.000 of what it is with it, between .98 and 1.03 for nine of ten.
    """
    from tvm.target import Target

    if not x86_64(target):
        return target
    attributes = json.loads(str(target))
    return Target({**attributes, "cl-opt": [*attributes.get("cl-opt", ()), "-disable-post-ra=true"]})


def x86_64(target: Any) -> bool:
    """Whether LLVM makes code for x86-64 where it makes code for TVM's target."""
    return triple_of(target).startswith("x86_64")


def device(text: str) -> str:
    """What TVM calls the kind of device that runs a target: `cpu`, `cuda`, …"""
    kind = str(made(text).kind.name)
    return "cpu" if kind in ("llvm", "c") else kind


def threads(text: str) -> int:
    """How many threads of a processor a kernel may use."""
    return int(json.loads(text).get("num-cores", 1))


def multiprocessors(text: str) -> int:
    """How many a GPU has; 1 where it is not said."""
    return int(json.loads(text).get("multi_processor_count", 1))


@lru_cache(maxsize=16)
def described(text: str) -> str:
    """The hardware as a model reads it: kind, cores, bits of a vector, bytes of its caches where they are known; of a
    GPU what `_GPU` names."""
    values, target = json.loads(text), made(text)
    if values["kind"] != "llvm":
        known = {**target.attrs, **values, "arch": str(values.get("arch", "")).removeprefix("sm_")}
        return " ".join(
            [str(values["kind"]), *(f"{word} {known[name]}" for name, word in _GPU.items() if known.get(name))]
        )
    from tvm.target import codegen

    parts = ["llvm", f"cores {threads(text)}", f"vector {registers(text)[1]}"]
    if values.get("mcpu") == str(codegen.llvm_get_system_cpu()):
        parts += [f"{name} {size}" for name, size in caches().items()]
    return " ".join(parts)


@lru_cache(maxsize=16)
def registers(text: str) -> tuple[int, int]:
    """How many vector registers there are, and their bits; of a GPU those of a thread, and the bits that it loads at
    once."""
    return (255, 128) if json.loads(text)["kind"] != "llvm" else vectors(made(text))


def vectors(target: Any) -> tuple[int, int]:
    """How many vector registers a processor has, a TVM target, and their bits."""
    from tvm.target import codegen

    if not triple_of(target).startswith(_X86):
        return 32, int(codegen.llvm_get_vector_width(target))
    able = {*map(str, codegen.llvm_get_cpu_features(target))}  # TVM takes every x86 for one with AVX-512
    return next(((count, bits) for feature, count, bits in _VECTORS if feature in able), (16, 128))


@lru_cache(maxsize=1)
def caches() -> dict[str, int]:
    """Bytes of this processor's data caches by level (`L1`, `L2`, `L3`), as far as the system tells."""
    found = {}
    for place in sorted(_CACHES.glob("index*")):
        try:
            kind, level, size = (
                (place / name).read_text(encoding="utf-8").strip() for name in ("type", "level", "size")
            )
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K"):
            found[f"L{level}"] = int(size[:-1]) << 10
    return found
