"""Networks to time: those of a folder of .onnx files, or as many as wanted of published families, drawn by a seed.

A group is what must not be split: of the drawn ones the family with its topology, whatever the sizes; of files the
folder that holds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from forerun.core import Source
from forerun.corpora._families import FAMILIES
from forerun.corpora.programs import licence
from forerun.errors import ForerunError, InputError, ToolMissing
from forerun.tasks import _graphs
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.build import serialised
from forerun.toolchains.onnx.counts import counters
from forerun.toolchains.onnx.text import text

MOST_FLOPS, MOST_BYTES = 2e9, 1 << 28
"""Work of a run, and bytes of weights and activations, above which a drawn network is left out: below, a run takes
well under a second on one core."""


@dataclass(frozen=True, slots=True)
class Network:
    """One network with fixed sizes: ready to be timed."""

    source: Source
    group: str
    licence: str


def generated(count: int, seed: int, target: str) -> Iterator[Network]:
    """`count` distinct networks; a larger count begins with the same ones. Raises ToolMissing."""
    seen: set[str] = set()
    number = 0
    while len(seen) < count:
        draw = Random(f"{seed}/{number}")
        family = list(FAMILIES)[number % len(FAMILIES)]
        number += 1
        topology, graph = FAMILIES[family](draw)
        work, found = counters(graph), text(graph)
        size = work["weight_bytes"] + work["activation_bytes"]
        if found in seen or work["flops"] > MOST_FLOPS or size > MOST_BYTES:
            continue
        seen.add(found)
        group = f"{family} {topology}"
        source = Source(found, _graphs.LANGUAGE, f"generated/{group}/{seed}-{number}", target, serialised(graph))
        yield Network(source, group, "Apache-2.0")


@dataclass(frozen=True, slots=True)
class Found:
    """The networks of a folder, and how many files were left out, by reason."""

    networks: tuple[Network, ...]
    skipped: Mapping[str, int]


def load(folder: Path, target: str, sizes: Mapping[str, int] | None = None) -> Found:
    """The .onnx files in a folder and below it, in the order of their paths; equal texts once.

    `sizes` are values for symbolic sizes; a file that has none of that name is read all the same. Raises InputError
    where there is no such folder, ToolMissing.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise InputError(f"there is no folder {folder}", "no such folder", "name a folder with models: --folder DIR")
    networks: dict[str, Network] = {}
    skipped: Counter[str] = Counter()
    for path in sorted(root.rglob("*.onnx")):
        found = _network(root, path, target, sizes or {})
        if isinstance(found, str):
            skipped[found] += 1
        elif networks.setdefault(found.source.key, found) is not found:
            skipped["the same text again"] += 1
    return Found(tuple(networks.values()), dict(skipped))


def _network(root: Path, path: Path, target: str, sizes: Mapping[str, int]) -> Network | str:
    group = path.relative_to(root).parent.as_posix().strip(".")
    name = "/".join(part for part in (root.name, group, path.name) if part)
    try:
        model = proto.load(path)
        proto.check_sizes(proto.fix(model, {size: sizes[size] for size in proto.symbols(model) if size in sizes}))
        source = _graphs.carried(model, target, name)
    except ToolMissing:
        raise
    except ForerunError as error:
        return f"{error.what}: {error.why}".replace(str(path), "a file").replace(name, "a file")
    return Network(source, group, licence(path.parent))
