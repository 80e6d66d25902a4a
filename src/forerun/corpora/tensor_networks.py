"""Networks to tune, by name, and the tensor programs of each: what a model of schedules learns from.

Three sources: published networks from their configurations in transformers, networks written down from their papers,
and the operators of TVM's own workload set. A family is what must not be split: no program of a held-out family, at
any batch size, is learned from. Every definition, of transformers, TVM and this project, is under Apache-2.0.
"""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from forerun.corpora._networks_published import PUBLISHED
from forerun.corpora._networks_sizes import WRITTEN
from forerun.errors import ToolMissing, UsageError
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.extract import GIVEN, LAYOUTS, Extracted, extract, work, written
from forerun.toolchains.tvm.frontends import from_torch

MOST_FLOPS, MOST_BYTES = 4e9, 400e6
"""Work of a run and bytes of all buffers above which a program is left out: a bad schedule would run for minutes."""
OWN = "tvm-"
"""How the names of TVM's own begin."""
_BROKEN = "C2D_WIN_NHWC"
"""Of TVM's own set: its definition raises an error in TVM 0.27."""
_COMPUTES = re.compile(r"T\.(?:exp|exp2|erf|tanh|sigmoid|sqrt|rsqrt|log|pow|sin|cos|fabs)\(")
"""What TVM's count of operations does not know."""


@dataclass(frozen=True, slots=True)
class Network:
    """One network at fixed sizes."""

    name: str
    family: str
    definition: str
    """Its name in `origin`."""
    sizes: tuple[int, ...]
    """As its definition takes them, the batch first."""
    origin: str
    """Who defines it: `transformers`, `paper`, or `tvm`, whose sets of operators are networks that nothing connects."""

    @property
    def batch(self) -> int:
        """How many inputs a run has."""
        return self.sizes[0]

    def made(self) -> tuple[Any, tuple[Any, ...]]:
        """The `torch.nn.Module` with random weights, always the same, and its inputs. Not for TVM's own."""
        if self.origin == "transformers":
            from forerun.corpora import _networks_published

            return _networks_published.made(self.definition, (self.sizes[0], self.sizes[1]))
        from forerun.corpora import _networks_written

        return _networks_written.made(self.definition, self.sizes)


def named() -> dict[str, Network]:
    """Those that a name alone stands for, by name, whatever is installed: none of TVM's own."""
    published = [(name, each.family, each.sizes) for name, each in PUBLISHED.items()]
    written_down = [(name, family, sizes) for name, (family, sizes) in WRITTEN.items()]
    found = [
        *(_network(name, family, each, "transformers") for name, family, sizes in published for each in sizes),
        *(_network(name, family, each, "paper") for name, family, sizes in written_down for each in sizes),
    ]
    return {network.name: network for network in found}


@cache
def networks() -> Mapping[str, Network]:
    """All of them, by name. Raises ToolMissing without TVM, torch or transformers."""
    load()
    for library in ("torch", "transformers"):
        if importlib.util.find_spec(library) is None:
            raise ToolMissing(
                f"networks are made by {library}", "it is not installed", "pip install 'forerun[kernels]'"
            )
    from tvm.s_tir.meta_schedule.testing.te_workload import CONFIGS

    own = (Network(f"{OWN}{name}", "tvm", name, (1,), "tvm") for name in CONFIGS if name != _BROKEN)
    return named() | {network.name: network for network in own}


def _network(name: str, family: str, sizes: tuple[int, ...], origin: str) -> Network:
    return Network(f"{name}-{'x'.join(map(str, sizes))}", family, name, sizes, origin)


@dataclass(frozen=True, slots=True)
class Program:
    """One tensor program of a network, and what is known of it beforehand."""

    network: Network
    workload: Extracted
    buffer_bytes: int
    """Of everything it reads, writes and keeps in between."""
    ops: tuple[str, ...]
    """The names of its blocks, in their order: `matmul`, `T_add`."""
    layouts: tuple[str, ...]
    """Of the network's convolutions, in which it is a program of the network."""

    @property
    def name(self) -> str:
        """The network's and its own, with the plainest layout where it is a program of another one than is given."""
        return "/".join([self.network.name, *self.layouts[-1:] * (GIVEN not in self.layouts), self.workload.name])

    @property
    def unfit(self) -> str:
        """Why it is not worth tuning; empty where it is."""
        if self.workload.flops > MOST_FLOPS:
            return "too much work"
        if self.buffer_bytes > MOST_BYTES:
            return "too large"
        moves = not self.workload.flops and not _COMPUTES.search(self.workload.text)
        return "moves data only" if moves else ""


def programs(name: str, target: Any) -> tuple[list[Program], Mapping[str, str]]:
    """The tensor programs of a network in every layout, and those that cannot be tuned, each with the reason.

    Up to some gigabytes and a minute: call it in a process of its own. Raises UsageError for an unknown name,
    InputError where TVM does not import the network, ToolMissing.
    """
    if name not in networks():
        raise UsageError(f"there is no network {name}", "no such name", f"take one of: {', '.join(networks())}")
    network = networks()[name]
    if network.origin == "tvm":
        return [_program(network, workload, (GIVEN,)) for workload in _operators(network.definition)], {}
    module = from_torch(*network.made())
    made = {layout: extract(module, target, layout) for layout in LAYOUTS}
    found = {each.text: each for one in made.values() for each in one.workloads}
    known = {layout: {each.text for each in one.workloads} for layout, one in made.items()}
    left_out = {name: reason for one in made.values() for name, reason in one.left_out.items()}
    layouts = {text: tuple(layout for layout in LAYOUTS if text in known[layout]) for text in found}
    return [_program(network, each, layouts[text]) for text, each in found.items()], left_out


def _operators(kind: str) -> Iterator[Extracted]:
    """The shapes that TVM has of one of its operators."""
    from tvm.s_tir.meta_schedule.testing.te_workload import CONFIGS, create_te_workload

    for place, sizes in enumerate(CONFIGS[kind][1]):
        program = load().IRModule({"main": create_te_workload(kind, place)})
        yield Extracted(f"{kind}-{'x'.join(map(str, sizes))}", written(program), 1, work(program))


def _program(network: Network, workload: Extracted, layouts: tuple[str, ...]) -> Program:
    tvm = load()
    from tvm.s_tir import SBlock
    from tvm_ffi import structural_walk

    function = tvm.script.from_source(workload.text)["main"]
    blocks: list[Any] = []
    structural_walk(function, (SBlock, blocks.append), order="pre")
    buffers = [*function.params, *(buffer for block in blocks for buffer in block.alloc_buffers)]
    size = sum(math.prod(map(int, buffer.shape)) * buffer.dtype.itemsize for buffer in buffers)
    kinds = dict.fromkeys(str(block.name_hint) for block in blocks if block.name_hint != "root")
    return Program(network, workload, size, tuple(kinds), layouts)
