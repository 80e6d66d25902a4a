"""What `memory` and `runtime` share: one run of a program answers both, where it ran alone; beside others memory only.

So both name their trials alike, `program/2`: the store keeps facts about programs, and a task is a view that says which
of them is the objective. Two names would either run every program twice or store every run twice. What is measured of
an answer, a prediction, is how far it is off each metric, whichever was asked: the facts never depend on the view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from forerun import settings
from forerun.core import Measurement, Metric, Source
from forerun.errors import ForerunError, ToolMissing
from forerun.prompts import prompt
from forerun.tasks._counters import counters
from forerun.tasks._inputs import described, long
from forerun.tasks._numbers import NOT_STARTED, Numbers
from forerun.toolchains.process.languages import LANGUAGES, find, named
from forerun.toolchains.process.runner import Bounds, Built, Spent, built, confinable
from forerun.toolchains.process.target import Target, tool_of

LACKING = "ModuleNotFoundError"
"""In the error of a Python program whose package is not there."""


@dataclass(frozen=True)
class Programs(Numbers):
    """Predict what a program costs. `source.target` says how it runs, `source.reference` is its standard input.

    The values of a measurement, each the median of the runs: `memory` (bytes, peak resident set), `runtime` (CPU
    seconds, user and system), `wall` (seconds), `faults` (pages touched for the first time: a finer measure of small
    memory); `memory_spread` and `runtime_spread` (half the range over the median); `runs`, `output` (bytes), `compile`
    (CPU seconds), `isolated` (1 inside namespaces), `beside` (other programs that were measured at the same time); for
    Python `traced` (bytes, peak of tracemalloc in a further run). With an answer also `log_error_memory` and so on: the
    natural logarithm of how many times it is off.
    """

    version: ClassVar[int] = 2
    reads: ClassVar[tuple[str, ...]] = tuple(LANGUAGES)
    shut_in: ClassVar[bool] = True

    repeats: int = 3
    """Runs of a program; fewer where all of them together would take longer than `timeout_s`."""
    timeout_s: float = 10.0
    """CPU seconds of one run; it may take twice as long by the clock."""
    memory_bytes: int = 4 << 30
    beside: int = 0
    """How many others measure at the same time: the caller knows."""

    @property
    def id(self) -> str:
        """Shared by all tasks of this kind."""
        return f"program/{self.version}"

    @property
    def bounds(self) -> Bounds:
        """What one run may use."""
        return Bounds(self.timeout_s, self.memory_bytes)

    def prompt(self, source: Source) -> str:
        """Metric, unit, language, device, input and counters, a line each; an empty line; the code."""
        target = Target.parse(source.target)
        stdin = source.reference if target.stdin else b""
        return question(self.metric, f"{source.lang}, {target.tool}", target.device, source.text, stdin=stdin)

    def accepts(self, measurement: Measurement) -> bool:
        """But a program that lacked a package, where the interpreter that the setting names may have it."""
        return LACKING not in measurement.error or settings.path("python") is None

    def facts(self, source: Source) -> Measurement:
        """Compiles and runs the program. Raises ToolMissing."""
        return _measured(self, source)

    def judged(self, truth: Measurement) -> Iterator[str]:
        """All metrics that were measured, whichever was asked."""
        return (name for name in METRICS if name in truth.values)


METRICS = {m.name: m for m in (Metric("memory", "B"), Metric("runtime", "s"), Metric("traced", "B"))}


def question(
    metric: Metric,
    language: str,
    device: str,
    text: str,
    notes: Sequence[str] = (),
    stdin: bytes = b"",
    files: str = "",
) -> str:
    """The prompt about a program's text, what it reads, and the files beside it as `forerun.tasks._beside` tells them.
    `language` may name the tool as well: `c, gcc 12 -O2`."""
    found = counters(language.partition(",")[0], text, stdin)
    read = [f"input {long(stdin)} B: {described(stdin)}"] if stdin else []
    read += [f"files {files}"] if files else []
    return prompt(metric, language, device, text, counters=found, notes=[*notes, *read])


def _measured(task: Programs, source: Source) -> Measurement:
    language = named(source.lang)
    tool, here = find(language.name).version, tool_of(language)
    try:
        asked = Target.parse(source.target)
        if asked.tool != here:
            return Measurement(error=f"tool: it ran with {asked.tool}, here is {here}", tool=tool)
        with built(language, source.text) as program:
            if program.compiled and program.compiled.error:
                values = {"compile": program.compiled.cpu_s}
                return Measurement(values, error=_first(program.compiled.error), tool=tool)
            stdin = source.reference if asked.stdin else None
            runs = list(_runs(task, program, stdin))
            return _summary(task, program, runs, stdin, tool)
    except ToolMissing:
        raise
    except (ForerunError, OSError, ValueError) as error:
        return Measurement(error=f"{NOT_STARTED}: {error}", tool=tool)


def _first(error: str) -> str:
    """A compiler's failure; one that ran into a limit stays what it is, because that may not come again."""
    return error if error.startswith(("timeout", "memory")) else f"compile: {error}"


def _runs(task: Programs, program: Built, stdin: bytes | None) -> Iterator[Spent]:
    elapsed = 0.0
    for _ in range(task.repeats):
        spent = program.run(stdin, task.bounds)
        elapsed += spent.wall_s
        yield spent
        if spent.error or elapsed + spent.wall_s > task.timeout_s:
            return


def _summary(task: Programs, program: Built, runs: Sequence[Spent], stdin: bytes | None, tool: str) -> Measurement:
    memory, runtime = [float(r.memory_bytes) for r in runs], [r.cpu_s for r in runs]
    values = {
        "memory": median(memory),
        "runtime": median(runtime),
        "wall": median(r.wall_s for r in runs),
        "memory_spread": _spread(memory),
        "runtime_spread": _spread(runtime),
        "faults": float(median(r.faults for r in runs)),
        "runs": float(len(runs)),
        "output": float(runs[-1].output_bytes),
        "exit": float(runs[-1].status),
        "compile": program.compiled.cpu_s if program.compiled else 0.0,
        "isolated": float(confinable()),
        "beside": float(task.beside),
    }
    failed = next((run.error for run in runs if run.error), "")
    if failed:
        return Measurement(values, error=failed, tool=tool)
    traced = program.traced_bytes(stdin, task.bounds) if program.language.name == "python" else None
    return Measurement(values | ({} if traced is None else {"traced": traced}), checked=True, tool=tool)


def _spread(values: Sequence[float]) -> float:
    """Half the range over the median; 0 of a single run."""
    middle = median(values)
    return (max(values) - min(values)) / 2 / middle if middle else 0.0


def metrics(*names: str) -> Mapping[str, Metric]:
    """The metrics of one view."""
    return {name: METRICS[name] for name in names}
