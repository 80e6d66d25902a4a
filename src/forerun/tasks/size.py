"""How many bytes of code does this module become? A number, checked by compiling it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import ClassVar

from forerun.core import Measurement, Metric, Source
from forerun.errors import InputError, UsageError
from forerun.grammars.pipelines import Plan, parse_plan
from forerun.prompts import prompt
from forerun.tasks._counters import counters
from forerun.tasks._numbers import Numbers
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.compact import compact
from forerun.toolchains.llvm.lib import LLVMFailure, find, load
from forerun.toolchains.llvm.module import Module
from forerun.toolchains.llvm.target import LEVELS, Target

METRICS = {m.name: m for m in (Metric("text", "B"), Metric("instructions", ""))}

LANGUAGES = ("c", "c++")
"""What clang reads."""
_NO_CODE = ("--addrsig", "--debugger-tune", "--dwarf64", "--strict-dwarf", "--emit-call-site-info")
"""Options of `llc` that change no byte of code."""


@dataclass(frozen=True)
class Size(Numbers):
    """Predict how large a module's code is after a pipeline, in bytes, or in instructions of LLVM IR.

    `pipeline` is a level (`-Oz`) or a pass pipeline in LLVM's own spelling, functions' own passes behind it as in
    `passes`; empty, it is the level of the source's target. The source is unoptimised IR with a target in the words of
    `llc`, as for `passes`, or C or C++ without headers of its own, which clang then reads at the target's level. A
    level's name brings the code generation of that level too. `library` is the path of the libLLVM that compiles.
    Raises UsageError for another objective and for what is no pipeline.
    """

    name: ClassVar[str] = "size"
    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("llvm", *LANGUAGES)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    library: str
    major: int
    """Of the libLLVM; another version is another compiler."""
    pipeline: str = ""
    objective: str = "text"
    compiler: str = "clang"
    """Reads C and C++."""

    def __post_init__(self) -> None:
        if self.objective not in self.metrics:
            raise UsageError(
                f"`size` has no objective {self.objective!r}",
                f"objectives: {', '.join(self.metrics)}",
                "name one of them",
            )
        try:
            plan_of(self.pipeline)
        except ValueError as error:
            todo = "for example: -Oz, -O3, or globalopt,function(sroa)"
            raise UsageError(f"not a pipeline: {self.pipeline!r}", str(error), todo) from error

    @classmethod
    def here(cls, pipeline: str = "", objective: str = "text") -> Size:
        """With the LLVM of this machine. Raises ToolMissing, UsageError."""
        location = find()
        return cls(location.path, location.major, pipeline, objective, clang.default_compiler())

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The objective."""
        return self.metrics[self.objective]

    @property
    def id(self) -> str:
        """Every pipeline is a question of its own; the objective is not: all facts are always measured."""
        return f"{self.name}/{self.version}/{self.pipeline or 'level'}"

    def prompt(self, source: Source) -> str:
        """Metric, unit, language, machine, pipeline, how it is emitted and counters, a line each; then the code."""
        return question(self.metric, source, self.pipeline, self.major)

    def facts(self, source: Source) -> Measurement:
        """`text`, `data` and `unwind` in bytes, and `instructions` of IR, after the pipeline. Raises ToolMissing."""
        lib = load(self.library)
        tool = f"LLVM {lib.version}"
        try:
            found = _module(self, source).evaluate(plan_of(_named(self.pipeline, source)))
        except (LLVMFailure, InputError, ValueError) as error:
            return Measurement(error=str(error), tool=tool)
        kept = found.object
        sizes = {"text": float(kept.text), "data": float(kept.data), "unwind": float(kept.unwind)}
        return Measurement(sizes | {"instructions": float(found.instructions)}, checked=True, tool=tool)

    def judged(self, truth: Measurement) -> Iterator[str]:
        """Both, whichever was asked: what is stored does not depend on the view."""
        return iter(METRICS)


def question(metric: Metric, source: Source, pipeline: str, major: int) -> str:
    """The prompt about a source after a pipeline, with LLVM of a major version."""
    target = Target.parse(source.target)
    emitted = [f"-O{target.level}", *(o for o in target.options if not o.startswith(_NO_CODE))]
    notes = [f"pipeline {_named(pipeline, source)}", f"emit {' '.join(emitted)}"]
    text, tool = _read(source), "LLVM" if source.lang == "llvm" else "clang"
    language, found = f"{source.lang}, {tool} {major}", _counted(source)
    return prompt(metric, language, target.triple, text, counters=found, notes=notes)


def plan_of(pipeline: str) -> Plan:
    """The plan of a level or of a pipeline's text. Raises ValueError."""
    level = pipeline.removeprefix("-O")
    if level != pipeline:
        if level not in LEVELS:
            raise ValueError(f"no such level: {pipeline}")
        return Plan((f"default<O{level}>",))
    return parse_plan(pipeline)


def _named(pipeline: str, source: Source) -> str:
    """The pipeline; the level of the source's target where it is empty. Raises ValueError."""
    return pipeline or f"-O{Target.parse(source.target).level}"


@lru_cache(maxsize=4)
def _counted(source: Source) -> Mapping[str, float]:
    return counters(source.lang, source.text)


@lru_cache(maxsize=4)
def _read(source: Source) -> str:
    return compact(source.text) if source.lang == "llvm" else source.text


@lru_cache(maxsize=4)
def _module(task: Size, source: Source) -> Module:
    target = Target.parse(source.target)
    text = source.text if source.lang == "llvm" else _front_end(task.compiler, source, target.level)
    if task.pipeline.startswith("-O"):
        target = replace(target, level=task.pipeline.removeprefix("-O"))
    return Module(load(task.library), text, target)


@cache
def target(compiler: str, language: str, level: str) -> Target:
    """How clang emits C or C++ at a level. Raises InputError, ToolMissing, ValueError."""
    return clang.target(_command(compiler, language, level))


def _front_end(compiler: str, source: Source, level: str) -> str:
    return clang.front_end(_command(compiler, source.lang, level, source.text)).text


def _command(compiler: str, language: str, level: str, text: str = "") -> clang.Command:
    command = clang.read_command([compiler, "-x", language, f"-O{level}", "-w", "-c", "-", "-o", "main.o"])
    if isinstance(command, str):
        raise ValueError(command)
    return clang.with_stdin(command, text.encode("utf-8", "surrogateescape"))
