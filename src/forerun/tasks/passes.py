"""Which passes make this module small? A pipeline, checked by the compiler itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from forerun.core import Measurement, Metric, Source, Task, Trial
from forerun.grammars.pipelines import Pipelines, Plan
from forerun.toolchains.llvm import mca
from forerun.toolchains.llvm.elf import ObjectFile, read_object
from forerun.toolchains.llvm.lib import LibLLVM, LLVMFailure, load
from forerun.toolchains.llvm.module import Module
from forerun.toolchains.llvm.target import Target

EFFORT = 600_000
"""IR instructions compiled per module: a budget in compilations is cut to this, so that a huge module stays bearable
and the answer still does not depend on the clock."""

_PREPARED = 4
"""Modules that a worker keeps parsed."""


@dataclass(frozen=True)
class Passes(Task[Plan]):
    """Choose a pass pipeline for a module of LLVM IR.

    `source.target` says how it is emitted, `source.reference` is the object of the user's own compiler: the baseline,
    and the symbol table that every candidate must keep. `library` is the path of the libLLVM that applies the plans.
    """

    name: ClassVar[str] = "passes"
    version: ClassVar[int] = 3
    reads: ClassVar[tuple[str, ...]] = ("llvm",)
    metrics: ClassVar[Mapping[str, Metric]] = {
        m.name: m
        for m in (
            Metric("size", "B"),
            Metric("text", "B"),
            Metric("data", "B"),
            Metric("unwind", "B"),
            Metric("instructions", ""),
            Metric("cycles", "cycles"),
        )
    }
    objectives: ClassVar[tuple[str, ...]] = ("size", "text", "instructions", "cycles")

    library: str
    vocabulary: tuple[str, ...] = field(repr=False)
    objective: str = "size"
    hot: tuple[str, ...] = ()
    """Functions whose cycles count; all where it is empty."""

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The objective."""
        return self.metrics[self.objective]

    @property
    def id(self) -> str:
        """Cycles are measured of chosen functions only, so they are kept apart."""
        kind = "/cycles:" + ",".join(self.hot) if self.objective == "cycles" else ""
        return f"{self.name}/{self.version}{kind}"

    def prompt(self, source: Source) -> str:
        """The target, the objective, the IR."""
        return f"{source.target}\n{self.objective}\n{source.text}"

    def grammar(self, source: Source) -> Pipelines:
        """Plans over the vocabulary; functions that the text defines may get passes of their own."""
        return Pipelines(self.vocabulary, _defined(source.text))

    def measure(self, source: Source, answer: Plan | None) -> Measurement:
        """Sizes in bytes, IR instructions; with the objective `cycles`, those too."""
        lib = load(self.library)
        tool = f"LLVM {lib.version}"
        try:
            prepared = _prepare(lib, source)
            if answer is None:
                return self._baseline(prepared, tool)
            result = prepared.module.evaluate(answer)
            values = _sizes(result.object) | {"instructions": float(result.instructions)}
            if self.objective == "cycles":
                bitcode = prepared.module.optimise(answer, prepared.module.bare)
                values["cycles"] = self._cycles(prepared, bitcode)
        except (LLVMFailure, ValueError) as error:
            return Measurement(error=str(error), tool=tool)
        if problem := result.object.replaces(prepared.reference, prepared.discardable):
            return Measurement(values, error=problem, tool=tool)
        # An alias is a second name of the same bytes.
        own = prepared.module.functions
        parts = {name: float(result.object.functions[name]) for name in own if name in result.object.functions}
        return Measurement(values, checked=True, tool=tool, parts=parts)

    def rank(self, trials: Sequence[Trial[Plan]]) -> list[Trial[Plan]]:
        """By the objective, then by text, then the shortest plan."""
        ranked = super().rank(trials)
        name, sign = self.metric.name, 1 if self.metric.lower_is_better else -1

        def order(trial: Trial[Plan]) -> tuple[float, float, int]:
            values = trial.measurement.values
            return sign * values[name], values.get("text", 0.0), len(trial.draft.answer or ())

        return sorted(ranked, key=order)

    def _baseline(self, prepared: _Prepared, tool: str) -> Measurement:
        # The compiler's own object is what counts; its IR is only known through the same level's pipeline.
        level = f"default<O{prepared.module.target.level}>"
        values = _sizes(prepared.reference)
        bitcode = prepared.module.optimise(Plan((level,)), prepared.module.bare)
        values["instructions"] = float(prepared.module.count(bitcode))
        if self.objective == "cycles":
            values["cycles"] = self._cycles(prepared, bitcode)
        return Measurement(values, checked=True, tool=tool)

    def _cycles(self, prepared: _Prepared, bitcode: bytes) -> float:
        assembly = prepared.module.emit(bitcode, kind=0).decode("utf-8", "replace")
        target = prepared.module.target
        return mca.cycles(assembly, target.triple, target.cpu, prepared.module.lib.major, self.hot)


@dataclass(frozen=True)
class _Prepared:
    module: Module
    reference: ObjectFile
    discardable: frozenset[str]


@lru_cache(maxsize=_PREPARED)
def _prepare(lib: LibLLVM, source: Source) -> _Prepared:
    module = Module(lib, source.text, Target.parse(source.target))
    inline = discardable(source.text)
    if source.reference:
        return _Prepared(module, read_object(source.reference), inline)
    # IR without a compiler of the user's: the level's own pipeline stands in for it.
    level = Plan((f"default<O{module.target.level}>",))
    return _Prepared(module, module.evaluate(level).object, inline)


def optimised(library: str, source: Source, plan: Plan | None) -> bytes:
    """The bitcode of a source after a plan, debug information kept; None: its level's own pipeline.

    Runs in a worker. Raises LLVMFailure.
    """
    module = _prepare(load(library), source).module
    return module.optimise(plan or Plan((f"default<O{module.target.level}>",)))


def disassembled(library: str, source: Source, bitcode: bytes) -> str:
    """The IR text of bitcode. Runs in a worker. Raises LLVMFailure."""
    return _prepare(load(library), source).module.disassemble(bitcode)


def instructions(text: str) -> int:
    """About how many instructions IR text has, without LLVM: the indented lines of its functions."""
    return text.count("\n  ")


def discardable(text: str) -> frozenset[str]:
    """The names with linkonce linkage in IR text: every module that uses one defines it."""
    lines = (line for line in text.splitlines() if " linkonce" in line and line.startswith(("@", "define ")))
    return frozenset(line.partition("@")[2].partition("(")[0].partition(" =")[0].strip('"') for line in lines)


def _sizes(found: ObjectFile) -> dict[str, float]:
    return {
        "size": float(found.size),
        "text": float(found.text),
        "data": float(found.data),
        "unwind": float(found.unwind),
    }


def _defined(text: str) -> list[str]:
    names = []
    for line in text.splitlines():
        if line.startswith("define "):
            names.append(line.partition("@")[2].partition("(")[0].strip('"'))
    return names
