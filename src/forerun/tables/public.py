"""Public data sets of programs and their costs, as they lie on the Hugging Face Hub.

Code-Regression has a row for each program: `space`, `input`, `target`, `identifier`, and `metadata`, a dictionary
written as Python or JSON. GraphArch-Regression has a row for each neural network: `space`, `input` (its graph as text),
`val_accuracy`, and further numbers. Both are of arXiv 2509.26476.

| space | metric | unit in the data | language |
| --- | --- | --- | --- |
| APPS | memory | bytes | Python |
| CDSS (CodeNet) | memory | bytes | `language` of the metadata |
| KBSS (KernelBook) | latency | milliseconds, here seconds | Triton |
| all of GraphArch-Regression | the column asked for | as it is | ONNX |
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from forerun.core import Metric
from forerun.errors import InputError, ToolMissing, UsageError
from forerun.prompts import prompt
from forerun.rows import Row
from forerun.tables import files
from forerun.tables.files import Record
from forerun.tasks._programs import question

_MEMORY, _LATENCY = Metric("memory", "B"), Metric("latency", "s")
_SPACES: Mapping[str, tuple[Metric, float, str]] = {
    "APPS": (_MEMORY, 1.0, "python"),
    "CDSS": (_MEMORY, 1.0, ""),
    "KBSS": (_LATENCY, 1e-3, "triton"),
}
_PROBLEM = ("problem_id", "problem", "question_id", "task_id", "p_id")
"""Where the metadata may say which problem a program solves."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a data set lies, what holds its number, and how one record becomes a row."""

    place: str
    target: str
    row: Callable[[Record, float, str], Row]


def read_public(
    layout: str,
    place: str = "",
    target: str = "",
    limit: int | None = None,
    left_out: Callable[[InputError], None] = lambda error: None,
) -> Iterator[Row]:
    """The rows of a public data set. `left_out` is told of those without a text that can be asked about or a finite
    number.

    `place` is a local .parquet, .csv or .jsonl file, a folder or a name of the Hub; the data set's own name on the Hub
    where it is empty. `target` is the column of the number, where it is not the usual one. Raises UsageError for an
    unknown layout, InputError where nothing can be read or a column is missing, ToolMissing.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"no such layout: {layout}", f"layouts: {', '.join(LAYOUTS)}", "name one of them")
    found = LAYOUTS[layout]
    place, target = place or found.place, target or found.target
    return islice(_rows(found, place, target, left_out), limit)


def _rows(layout: Layout, place: str, target: str, left_out: Callable[[InputError], None]) -> Iterator[Row]:
    path = Path(place)
    records = files.read(path) if path.is_file() else _loaded(place)
    for number, record in enumerate(records, 1):
        for name in ("input", "space", target):
            files.column(path, name, record)
        try:
            value = files.number_in(path, number, target, record)
            files.check_length(path, number, "input", files.text_in(path, number, "input", record))
            row = layout.row(record, value, target)
            files.check_sign(path, number, target, row.value, row.unit)
        except InputError as error:
            left_out(error)
            continue
        yield row


def _loaded(place: str) -> Iterator[Record]:
    """Streams a folder or a data set of the Hub: they have gigabytes."""
    try:
        import datasets
    except ImportError as error:
        todo = "install it with: pip install 'forerun[data]'   (or name a local .parquet file)"
        raise ToolMissing("data sets of the Hub need `datasets`", str(error), todo) from error
    try:
        yield from datasets.load_dataset(place, split="train", streaming=True)
    except Exception as error:  # of many layers, each with errors of its own
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        todo = "download its Parquet file and name that, or a folder that holds it"
        raise InputError(f"cannot load {place}", why, todo) from error


def _program(record: Record, value: float, _: str) -> Row:
    space, about = str(record["space"]), _metadata(record.get("metadata"))
    metric, factor, language = _SPACES.get(space, (Metric(str(record.get("metric_type") or "target"), ""), 1.0, ""))
    language = language or str(about.get("language") or "text").lower()
    text = str(record["input"])
    made = question(metric, language, "", text, [f"space {space}"])
    problem = next((str(about[name]) for name in _PROBLEM if about.get(name) is not None), "")
    group = f"{space}/{problem}" if problem else ""
    return Row(metric.name, metric.unit, made, value * factor, group, "", _name(record))


def _network(record: Record, value: float, target: str) -> Row:
    space, name = str(record["space"]), "accuracy" if target == "val_accuracy" else target
    made = prompt(Metric(name, "", name != "accuracy"), "onnx", "", str(record["input"]), notes=[f"space {space}"])
    return Row(name, "", made, value, f"{space}/{_name(record)}", "", _name(record))


def _name(record: Record) -> str:
    return str(record.get("identifier") or record.get("uid") or "")


def _metadata(value: object) -> Mapping[str, Any]:
    """A dictionary, or one that is written as JSON or Python; empty where it is neither."""
    for read in (json.loads, literal_eval):
        if isinstance(value, str):
            try:
                found = read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            return found if isinstance(found, dict) else {}
    return value if isinstance(value, dict) else {}


LAYOUTS: Mapping[str, Layout] = {
    "code-regression": Layout("akhauriyash/Code-Regression", "target", _program),
    "grapharch-regression": Layout("akhauriyash/GraphArch-Regression", "val_accuracy", _network),
}
