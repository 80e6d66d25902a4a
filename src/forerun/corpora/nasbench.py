"""NAS-Bench-201 (Dong and Yang, ICLR 2020): cells as text, networks built of them, and a table of what was measured.

A cell `|op~0|+|op~0|op~1|+|op~0|op~1|op~2|` has four nodes: its input and three sums; `op~k` reads node k. The network
is a 3×3 convolution to 16 channels, three stages of five cells with 16, 32 and 64 channels, a residual block that
halves the image before the second and the third, global average pooling, a classifier.

The table is a CSV, perhaps compressed by gzip: a column `arch`, columns `latency_ms.DEVICE_BATCH` or
`latency_ms.DEVICE`, and columns `accuracy_percent.DATA-val` and `-test`, in any order.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import math
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from pathlib import Path

from forerun.errors import InputError
from forerun.rows import Row
from forerun.tasks._graphs import question
from forerun.tasks.accuracy import ACCURACY, accuracy_question
from forerun.tasks.latency import LATENCY
from forerun.toolchains.onnx.build import Builder
from forerun.toolchains.onnx.counts import counters
from forerun.toolchains.onnx.graph import Constant, Graph
from forerun.toolchains.onnx.text import text

OPERATORS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")
DATA = {"cifar10": (32, 10), "cifar100": (32, 100), "imagenet": (16, 120)}
"""Pixels of a side and classes; `imagenet` is ImageNet16-120."""
_NAMES = {"imagenet": "imagenet16-120"}
_SPLITS = {"val": "validation", "test": "test"}

Cell = tuple[tuple[str, ...], ...]
"""For each sum the operators that read the nodes before it."""


def cell(architecture: str) -> Cell:
    """The cell that a string spells. Raises ValueError."""
    nodes = architecture.split("+")
    found = tuple(tuple(re.findall(r"([^|~]+)~\d", node)) for node in nodes)
    if spelled(found) != architecture or [len(node) for node in found] != [1, 2, 3]:
        raise ValueError(f"no cell of NAS-Bench-201: {architecture!r}")
    if unknown := {operator for node in found for operator in node} - set(OPERATORS):
        raise ValueError(f"no operator of NAS-Bench-201: {min(unknown)!r}")
    return found


def spelled(found: Cell) -> str:
    """The string of a cell."""
    return "+".join("|" + "".join(f"{op}~{i}|" for i, op in enumerate(node)) for node in found)


def cells() -> Iterator[str]:
    """The strings of all 15,625 cells."""
    for chosen in itertools.product(OPERATORS, repeat=6):
        yield spelled((chosen[:1], chosen[1:3], chosen[3:]))


def network(
    architecture: str, batch: int = 1, side: int = 32, classes: int = 10, width: int = 16, depth: int = 5
) -> Graph:
    """The network of a cell, for images of `side` pixels; `width` channels in the first stage, `depth` cells a stage.

    As in the benchmark's own implementation `none` multiplies by zero, so all that a cell names is run, also what has
    no effect: it was trained and timed so. Raises ValueError for a string that is no cell.
    """
    found, b = cell(architecture), Builder((batch, 3, side, side))
    x = b.norm(b.conv(0, width, 3))
    for stage in range(3):
        x = _reduced(b, x, width << stage) if stage else x
        for _ in range(depth):
            x = _with_cell(b, x, found)
    x = b.each("Relu", b.norm(x))
    b.linear(b.global_pool(x), classes)
    return b.graph()


def _with_cell(b: Builder, x: int, found: Cell) -> int:
    nodes = [x]
    for operators in found:
        edges = [_edge(b, nodes[i], operator) for i, operator in enumerate(operators)]
        nodes.append(reduce(partial(b.each, "Add"), edges))
    return nodes[-1]


def _edge(b: Builder, x: int, operator: str) -> int:
    if operator == "skip_connect":
        return x
    if operator == "none":
        return b.each("Mul", x, Constant((0.0,)))
    if operator == "avg_pool_3x3":
        return b.pool("AveragePool", x, 3, 1, 1)
    return _relu_conv_norm(b, x, b.shape(x)[1], int(operator[-1]))


def _relu_conv_norm(b: Builder, x: int, channels: int, kernel: int, stride: int = 1) -> int:
    return b.norm(b.conv(b.each("Relu", x), channels, kernel, stride))


def _reduced(b: Builder, x: int, channels: int) -> int:
    inside = _relu_conv_norm(b, _relu_conv_norm(b, x, channels, 3, 2), channels, 3)
    return b.each("Add", b.conv(b.pool("AveragePool", x, 2, 2), channels, 1), inside)


@dataclass(frozen=True, slots=True)
class Column:
    """A measured column: what was measured on which device or data set, for networks of which sizes."""

    title: str
    metric: str
    where: str
    """The device with its batch, or the data set with its split: what Row.device holds."""
    batch: int
    side: int
    classes: int


def column(title: str) -> Column | None:
    """What a column of the table holds; None for one that holds no measurement.

    Latencies are for images of CIFAR-10; a device's batch stands behind its name, else it is 1.
    """
    kind, _, name = title.partition(".")
    if kind == "latency_ms":
        device, _, batch = name.rpartition("_")
        return Column(title, "latency", name, int(batch) if device and batch in _BATCHES else 1, *DATA["cifar10"])
    data, _, split = name.partition("-")
    if kind == "accuracy_percent" and data in DATA and split in _SPLITS:
        return Column(title, "accuracy", f"{_NAMES.get(data, data)}, {_SPLITS[split]}", 1, *DATA[data])
    return None


_BATCHES = frozenset({"1", "32", "256"})


def columns(path: Path) -> list[Column]:
    """What the columns of a table hold. Raises InputError."""
    return [found for title in next(_lines(path), {}) if (found := column(title))]


def architectures(path: Path) -> list[str]:
    """The strings of a table, in its order. Raises InputError."""
    return [line["arch"] for line in _lines(path)]


def rows(
    path: Path,
    metrics: Collection[str] = ("latency", "accuracy"),
    devices: Collection[str] = (),
    among: Collection[str] = (),
) -> Iterator[Row]:
    """The facts of a table, architecture by architecture.

    `devices` (Row.device) and `among` (architectures) are those wanted, all where none is named. Latency in seconds,
    accuracy as a share. An empty field and NaN are no fact. Raises InputError.
    """
    for number, line in enumerate(_lines(path), 2):
        if among and line["arch"] not in among:
            continue
        known = [(c, line[c.title]) for c in map(column, line) if c and c.metric in metrics]
        for found, field in known:
            if devices and found.where not in devices:
                continue
            try:
                row = _row(line["arch"], found, field)
            except ValueError as error:
                raise InputError(f"line {number} of {path} cannot be read", str(error), "mend the table") from error
            if row:
                yield row


def _row(architecture: str, found: Column, field: str | None) -> Row | None:
    if not field or math.isnan(float(field)):
        return None
    shown, counted = described(architecture, found.batch, found.side, found.classes)
    name = f"nas-bench-201/{architecture}"
    if found.metric == "accuracy":
        share = float(field) / 100
        asked = accuracy_question(found.where, shown, counted)
        return Row("accuracy", ACCURACY.unit, asked, share, architecture, found.where, name, "MIT")
    device = found.where.removesuffix(f"_{found.batch}")
    asked = question(LATENCY, device, shown, counted)
    return Row("latency", LATENCY.unit, asked, float(field) / 1e3, architecture, found.where, name, "MIT")


@lru_cache(maxsize=16)
def described(architecture: str, batch: int, side: int, classes: int) -> tuple[str, Mapping[str, float]]:
    """The text and the counters of a cell's network. A table's columns that ask for the same get the same."""
    graph = network(architecture, batch, side, classes)
    return text(graph), counters(graph)


def _lines(path: Path) -> Iterator[dict[str, str]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8", newline="") as file
        ):
            reader = csv.DictReader(file)
            if "arch" not in (reader.fieldnames or ()) or not any(map(column, reader.fieldnames or ())):
                why = "it has no column `arch`, or none with latencies or accuracies"
                raise InputError(f"{path} is no table of NAS-Bench-201", why, "see forerun.corpora.nasbench")
            yield from reader
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise InputError(f"cannot read {path}", str(error), "name a CSV file, or one compressed by gzip") from error
