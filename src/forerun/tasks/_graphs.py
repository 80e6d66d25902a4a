"""Shared by the questions about networks: `latency` and `accuracy`.

A Source's text is the network as a model reads it (`forerun.toolchains.onnx.text`). Its reference is the serialised
ONNX model with fixed sizes and without the values of its weights: it can be filled with random numbers and run, so a
Source alone is enough to time it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from forerun.core import Measurement, Metric, Source, Task, Trial
from forerun.grammars.floats import Floats
from forerun.prompts import prompt
from forerun.tasks._programs import log_error
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.counts import counters
from forerun.toolchains.onnx.graph import Graph
from forerun.toolchains.onnx.reading import graph
from forerun.toolchains.onnx.text import text

Answer = tuple[float, ...]
LANGUAGE = "onnx"


@dataclass(frozen=True)
class Graphs(Task[Answer]):
    """Predict a number of a network. It never looks at what was measured."""

    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = (LANGUAGE,)

    def grammar(self, source: Source) -> Floats:
        """One number."""
        return Floats(metrics=1, digits=4)

    def measure(self, source: Source, answer: Answer | None) -> Measurement:
        """The truth; for an answer also `log_error_…`, the logarithm of how many times it is off."""
        truth = _truth(self, source)
        if answer is None or truth.error:
            return truth
        name = self.metric.name
        error = {f"log_error_{name}": log_error(answer[0], truth.values[name])}
        return Measurement({**truth.values, **error}, checked=True, tool=truth.tool)

    @abstractmethod
    def truth(self, source: Source) -> Measurement:
        """What the machine says."""

    def rank(self, trials: Sequence[Trial[Answer]]) -> list[Trial[Answer]]:
        """As they were made: whoever predicts may not look at what was measured."""
        return [trial for trial in trials if trial.draft.answer is not None]

    def choose(self, baseline: Trial[Answer], trials: Sequence[Trial[Answer]]) -> Trial[Answer]:
        """The middle answer (the lower of two); the baseline without any."""
        ordered = sorted(self.rank(trials), key=lambda trial: trial.draft.answer or ())
        return ordered[(len(ordered) - 1) // 2] if ordered else baseline


@lru_cache(maxsize=4)
def _truth(task: Graphs, source: Source) -> Measurement:
    """What was measured of a network stays true for the next answer about it."""
    return task.truth(source)


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


def network(reference: bytes) -> Graph:
    """The network in a Source's reference. Raises InputError, ToolMissing."""
    return graph(proto.parse(reference))
