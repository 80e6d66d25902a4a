"""Shared by the questions about networks: `latency` and `accuracy`.

A Source's text is the network as a model reads it (`forerun.toolchains.onnx.text`). Its reference is the serialised
ONNX model with fixed sizes and without the values of its weights: it can be filled with random numbers and run, so a
Source alone is enough to time it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from forerun.core import Measurement, Metric, Source
from forerun.prompts import prompt
from forerun.tasks._numbers import Numbers
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.counts import counters
from forerun.toolchains.onnx.graph import Graph
from forerun.toolchains.onnx.reading import graph
from forerun.toolchains.onnx.text import text

LANGUAGE = "onnx"

_OWN = ("ai.onnx.ml.", "ai.onnx.training.", "ai.onnx.preview.")
"""How operators of domains begin that ONNX defines, beside its first one."""


@dataclass(frozen=True)
class Graphs(Numbers):
    """Predict a number of a network."""

    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = (LANGUAGE,)

    def judged(self, truth: Measurement) -> Iterator[str]:
        """The objective alone."""
        yield self.metric.name


def source(data: bytes, target: str, name: str = "-") -> Source:
    """A network in a serialised model. Raises InputError, ToolMissing."""
    return carried(proto.parse(data, name), target, name)


def carried(model: Any, target: str, name: str) -> Source:
    """A network as `forerun.toolchains.onnx.model` has read it. Raises InputError."""
    return Source(text(graph(model, name)), LANGUAGE, name, target, bytes(model.SerializeToString()))


def read(path: Path, target: str, sizes: Mapping[str, int] | None = None, name: str = "") -> Source:
    """A network in a file, its symbolic sizes set. Raises InputError, UsageError for a size it has not, ToolMissing."""
    return carried(proto.fix(proto.load(path), sizes or {}), target, name or str(path))


def question(
    metric: Metric,
    where: str,
    found: str,
    counted: Mapping[str, float],
    tool: str = "",
    notes: Sequence[str] = (),
) -> str:
    """The prompt about a network's text, with its counters."""
    language = f"{LANGUAGE}, {tool}" if tool else LANGUAGE
    return prompt(metric, language, where, found, counters=counted, notes=notes)


@lru_cache(maxsize=64)
def counted(reference: bytes) -> Mapping[str, float]:
    """The counters of a serialised model. Raises InputError, ToolMissing."""
    return counters(network(reference))


def foreign(reference: bytes) -> list[str]:
    """The operators of a serialised model that are of domains which ONNX does not define, by name. Raises as `network`
    does."""
    found = {node.operator for node in network(reference).nodes}
    return sorted(name for name in found if "." in name and not name.startswith(_OWN))


def network(reference: bytes) -> Graph:
    """The network in a Source's reference. Raises InputError, ToolMissing."""
    return graph(proto.parse(reference))
