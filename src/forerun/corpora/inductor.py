"""Kernels to time: what Inductor makes of the layers of published networks, drawn by a seed.

The networks are those of the libraries transformers and torchvision, made from their configurations alone: one layer
(or one block a stage), random weights, other widths, batches, lengths and types each time. Some are trained, so that
kernels of the backward pass come too; of some the sizes are left open, and the same kernels run at several of them. A
group is the family, whichever library has it: what must not be split.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import ModuleType
from typing import Any

from forerun.core import Source
from forerun.corpora import _layers_torchvision, _layers_transformers
from forerun.errors import ForerunError, out_of_memory
from forerun.files import write_atomically
from forerun.tasks import kernels
from forerun.toolchains.inductor.kernel import Kernel

LIBRARIES: Mapping[str, ModuleType] = {"transformers": _layers_transformers, "torchvision": _layers_torchvision}
"""What says which families a library has, what is drawn of their settings, and makes a network of them."""


@dataclass(frozen=True, slots=True)
class Network:
    """One network, and the sizes of its inputs: everything that its kernels depend on."""

    family: str
    name: str
    kind: str
    """`text`, `image`, `video`, `audio` (raw samples) or `speech` (a spectrogram): what it reads."""
    config: tuple[tuple[str, Any], ...]
    sizes: tuple[tuple[int, int], ...]
    """Batch and length (or height and width) of each run; more than one leaves the sizes open."""
    dtype: str
    train: bool
    eager: bool
    """Whether attention is written out, operator by operator, where the library would call one for all of it."""
    library: str = "transformers"


def drawn(count: int, seed: int, large: bool = False, library: str = "transformers") -> Iterator[Network]:
    """`count` networks of a library, each family in turn; a larger count begins with the same ones. `large`: as a GPU
    wants."""
    families = LIBRARIES[library].FAMILIES
    for number in range(count):
        family = list(families)[number % len(families)]
        draw = Random(f"{seed}/{number}")
        kind, config = families[family]
        scale = 4 if large else 1
        train = draw.random() < 0.25
        several = 1 if train else draw.choice((1, 4))
        least = 2 if several > 1 else 1  # a size of 1 would be made a constant
        sizes = [(max(least, draw.choice((1, 2, 3, 4, 8)) * scale), _length(draw, kind, scale)) for _ in range(several)]
        if kind in ("image", "video"):  # networks know how large an image is
            sizes = [(batch, sizes[0][1]) for batch, _ in sizes]
        dtype = draw.choice(
            ("float32", "float32", "bfloat16", "float16") if large else ("float32", "float32", "bfloat16")
        )
        chosen = tuple(sorted(config(draw).items()))
        distinct = tuple(dict.fromkeys(sizes))
        eager, named = draw.random() < 0.5, "" if library == "transformers" else f"{library}-"
        yield Network(family, f"{named}{seed}-{number}", kind, chosen, distinct, dtype, train, eager, library)


def library_of(name: str) -> str:
    """Whose network it is that `drawn` named so."""
    return next((each for each in LIBRARIES if name.startswith(f"{each}-")), "transformers")


def _length(draw: Random, kind: str, scale: int) -> int:
    """Pieces of a text, pixels of a side, or samples."""
    if kind == "text":
        return draw.choice((16, 32, 48, 64, 96, 128, 192, 256)) * (1 if draw.random() < 0.5 else scale)
    if kind in ("image", "video"):
        return draw.choice((64, 96, 128, 160, 224) if scale > 1 else (64, 96, 128))
    return draw.choice((3200, 4800, 8000)) * scale if kind == "audio" else 2 * draw.choice((64, 100, 150)) * scale


def made(network: Network, device: str) -> list[bytes] | str:
    """The kernels of a network as `written` gives them, and compiled; or why not. Call it in a worker."""
    from forerun.toolchains.inductor import gpu, native

    found = written(network, device)
    if isinstance(found, str):
        return found
    some = [Kernel.parse(data) for data in found]
    # Where one of them does not compile, each is compiled again when it is measured, which says why.
    with contextlib.suppress(ForerunError):
        if device == "cpu":
            native.build(some, kernels.folder())
        else:
            gpu.build(some)
    return found


def written(network: Network, device: str, vectors: int = 0) -> list[bytes] | str:
    """The kernels that Inductor writes of a network, each as `forerun.toolchains.inductor.kernel` does; or why not.

    Call it in a worker. The device is `cpu`, `cuda`, or the name of a GPU in `forerun.toolchains.inductor.absent`, here
    or not. C++ is for vector registers of that many bits: 256, 512, or as many as are here (0). It is done once for a
    network, an Inductor and a device: what came of it is kept.
    """
    from forerun.toolchains.inductor import gpu
    from forerun.toolchains.inductor.target import tool

    place = gpu.name() if device == "cuda" else device
    told = repr((kernels.Kernels.version, network, place, tool(device), vectors)).encode()
    kept = kernels.folder() / f"{hashlib.sha256(told).hexdigest()[:24]}.network"
    if kept.exists():
        found = json.loads(zlib.decompress(kept.read_bytes()))
    else:
        found = _written(network, device, vectors)
        write_atomically(kept, zlib.compress(json.dumps(found).encode()))
    return found if isinstance(found, str) else [each.encode() for each in found]


def _written(network: Network, device: str, vectors: int) -> list[str] | str:
    """The kernels that Inductor writes. What it, or the library, refuses is a reason."""
    import torch

    from forerun.toolchains.inductor import absent
    from forerun.toolchains.inductor.capture import capture

    torch.set_num_threads(1)
    try:
        gpu = absent.KNOWN.get(device)
        module, inputs = LIBRARIES[network.library].ready(network, "cpu" if gpu else device)
        found = capture(module, inputs, network.train, vectors, gpu)
        return [kernel.serialised().decode() for kernel in found]
    except Exception as error:  # theirs share no base
        if out_of_memory(error):  # which says nothing of the network: not to be kept
            raise MemoryError from error
        first = (str(error).strip() or "no reason given").partition("\n")[0]
        return f"{type(error).__name__}: {first[:150]}"


@dataclass(frozen=True, slots=True)
class Found:
    """One kernel with what it is launched on: ready to be timed."""

    source: Source
    group: str
    licence: str
    """Of the networks; the text is written by Inductor, which is under BSD-3-Clause."""


def named(network: Network, serialised: Sequence[bytes], where: str) -> Iterator[Found]:
    """The kernels that `made` gave, each with a name by the network and its place."""
    for place, data in enumerate(serialised):
        kernel = Kernel.parse(data)
        name = f"kernels/{network.family}/{network.name}/{place}"
        yield Found(kernels.source(kernel, where, name), network.family, LIBRARIES[network.library].LICENCE)
