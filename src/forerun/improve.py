"""From a compile command to a smaller object: front end, search, the user's compiler again, and a last check.

`optimize` is the library's entry; `improve` does one compile command with workers and a store that are already there,
and is what the command line and `cc` call.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType

from forerun import registry
from forerun.core import Result, Source, Trial
from forerun.errors import ForerunError, InputError, UsageError
from forerun.files import in_folder, write_atomically
from forerun.grammars.pipelines import Plan
from forerun.minimise import minimise
from forerun.models._chain import model
from forerun.sandbox import Pool
from forerun.solve import Budget, solve
from forerun.store import Store
from forerun.tasks import passes
from forerun.toolchains.llvm import clang, lib, vocabulary
from forerun.toolchains.llvm.elf import ObjectFile, read_object
from forerun.toolchains.llvm.module import named_target

MODEL = "mix+coreset+evolve"

BUDGET = Budget(100)
"""Compilations of one module where the user gives no number and waits for the answer."""

_ASSEMBLED_FILE = re.compile(r"asm\b[^\"\n]*\"[^\"\n]*\.(?i:incbin|include)\b")


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. The defaults are those of the command line."""

    objective: str = "size"
    budget: Budget = BUDGET
    model: str = MODEL
    vocabulary: str = "safe"
    hot: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.objective not in passes.Passes.objectives:
            raise UsageError(
                f"no such objective: {self.objective}",
                f"objectives: {', '.join(passes.Passes.objectives)}",
                "name one of them",
            )
        if self.vocabulary not in ("safe", "extended"):
            raise UsageError(
                f"no such vocabulary: {self.vocabulary}", "vocabularies: safe, extended", "name one of them"
            )
        _check("budget", self.budget, (Budget,), "a forerun.solve.Budget", "Budget(100)")
        _check("model", self.model, (str,), "a name", repr(MODEL))
        _check("seed", self.seed, (int,), "a whole number", "0")
        for part in self.model.split("+"):
            registry.find("models", part)


@dataclass(frozen=True, slots=True)
class Improved:
    """One module: what it was, what it became, and the plan that did it (None where the baseline stays)."""

    command: clang.Command
    source: Source
    task: passes.Passes
    result: Result[Plan]
    before: ObjectFile
    after: ObjectFile
    object: bytes = field(repr=False)
    bitcode: bytes = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan | None:
        """The winning plan."""
        return self.result.best.draft.answer


def prepare(
    command: clang.Command, options: Options, frontend: clang.Frontend, name: str = ""
) -> tuple[passes.Passes, Source]:
    """The task and the source of a command. Raises InputError, ToolMissing."""
    _, major = clang.compiler_version(command.compiler, command.environment)
    location = lib.find(major)
    steps = (
        vocabulary.safe(command.compiler)
        if options.vocabulary == "safe"
        else vocabulary.extended(command.compiler, clang.tool("opt", major))
    )
    target = str(clang.target(command))
    source = Source(frontend.text, "llvm", name or command.source, target, clang.baseline(command))
    return passes.Passes(location.path, steps, options.objective, options.hot), source


def improve(
    command: clang.Command,
    options: Options,
    *,
    pool: Pool,
    store: Store | None = None,
    frontend: clang.Frontend | None = None,
    on_trial: Callable[[Trial[Plan]], None] | None = None,
) -> Improved:
    """The best object for a command that the options' model finds. Raises InputError, ToolMissing."""
    frontend = frontend or clang.front_end(command)
    if command.is_ir:
        _check_machine(command, frontend, pool)
    task, source = prepare(command, options, frontend)
    if assembles_files(source.text):
        store = None
    budget, notes = _affordable(source.text, options.budget)
    drafted = solve(
        task, model(options.model), source, pool=pool, budget=budget, seed=options.seed, store=store, on_trial=on_trial
    )
    return finish(command, task, source, drafted, pool, [*notes, *_remarks(task, drafted, budget)])


def assembles_files(text: str) -> bool:
    """Whether assembly in IR brings in a file: then the object depends on more than the IR says."""
    return _ASSEMBLED_FILE.search(text) is not None


def _remarks(task: passes.Passes, result: Result[Plan], budget: Budget) -> list[str]:
    """What a user should know of how the answer came about."""
    refused = [t.measurement.error for t in result.trials if not t.measurement.ok]
    notes = [] if result.trials or not budget.candidates else ["the time was over before anything was measured"]
    if refused and len(refused) == len(result.trials):
        notes.append(f"all {len(refused)} candidates were refused, the first because {refused[0]}")
    if task.objective == "cycles":
        notes.append(
            "cycles are an estimate by llvm-mca: it cannot compare loops that are unrolled or vectorised differently;"
            " time the result"
        )
    return notes


def _check_machine(command: clang.Command, frontend: clang.Frontend, pool: Pool) -> None:
    """Raises InputError for IR of another machine: clang makes code for its own of it, and only warns."""
    if b"overriding the module target triple" not in frontend.said:
        return
    _, major = clang.compiler_version(command.compiler, command.environment)
    theirs = pool.call(named_target, lib.find(major).path, clang.read_source(command))
    ours = clang.target(command).triple
    if theirs and _machine(theirs) != _machine(ours):
        todo = f"say for which machine: forerun optimize {command.source} -- --target={theirs}"
        raise InputError(f"{command.source} is IR for {theirs}", f"{command.compiler} makes code for {ours}", todo)


def _machine(triple: str) -> str:
    name = triple.partition("-")[0]
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, re.sub(r"i[3-6]86", "x86", name))


def _affordable(text: str, budget: Budget) -> tuple[Budget, list[str]]:
    """The budget that this module is worth, and what to tell the user."""
    size = passes.instructions(text)
    if size == 0:
        return Budget(0), ["it defines no function: there is nothing to optimise"]
    if "@llvm.coro.begin" in text:
        return Budget(0), ["it has coroutines, which only the compiler's own pipeline can lower"]
    notes = [_left_alone(kept)] if (kept := _optnone(text)) else []
    allowed = max(1, passes.EFFORT // size)
    if allowed < budget.candidates and budget.seconds is None:
        notes.append(f"{size} instructions: {allowed} of {budget.candidates} compilations are tried")
        budget = Budget(allowed)
    return budget, notes


def _optnone(text: str) -> int:
    """How many functions no pass touches."""
    groups = set(re.findall(r"^attributes (#\d+) = \{.*\boptnone\b", text, re.MULTILINE))
    return sum(not groups.isdisjoint(line.split()) for line in re.findall(r"^define .*", text, re.MULTILINE))


def _left_alone(functions: int) -> str:
    who = "one function is" if functions == 1 else f"{functions} functions are"
    return f"{who} marked optnone: no pass touches what the source, or -O0, marks so"


def finish(
    command: clang.Command,
    task: passes.Passes,
    source: Source,
    result: Result[Plan],
    pool: Pool,
    notes: Sequence[str] = (),
) -> Improved:
    """Emits the best trial with the user's own compiler, and checks that object; falls back to the next best.

    The search measures objects that this library emits; what ships is what the user's compiler makes of the same IR,
    and it must hold there as well.
    """
    said = list(notes)
    before = read_object(source.reference)
    better = [t for t in task.rank(result.trials) if task.metric.better(_value(task, t), result.before)]
    for trial in better[:8]:
        try:
            bitcode = apply(pool, task, source, _answer(trial))
            data = clang.emit(command, bitcode)
        except ForerunError as error:
            said.append(str(error))
            continue
        after = read_object(data)
        problem = (
            after.replaces(before, passes.discardable(source.text))
            or after.lacks(before)
            or _not_smaller(task, before, after)
        )
        if not problem:
            final = Result(task.metric, result.baseline, trial, result.trials)
            return Improved(command, source, task, final, before, after, data, bitcode, tuple(said))
        said.append(f"a candidate was dropped: {problem}")
    kept = Result(task.metric, result.baseline, result.baseline, result.trials)
    return Improved(command, source, task, kept, before, before, source.reference, b"", tuple(said))


def shortened(improved: Improved, pool: Pool, budget: Budget) -> Improved:
    """With the passes removed from its plan that make nothing smaller: as good, or better.

    Where the budget is in seconds, this may take as many again.
    """
    result = minimise(improved.task, improved.source, improved.result, pool, budget.seconds)
    if result is improved.result:
        return improved
    return finish(improved.command, improved.task, improved.source, result, pool, improved.notes)


def apply(pool: Pool, task: passes.Passes, source: Source, plan: Plan | None) -> bytes:
    """The bitcode of a source after a plan (None: the level's own pipeline), made in a worker. Raises ForerunError."""
    return pool.call(passes.optimised, task.library, source, plan)


def text_of(pool: Pool, task: passes.Passes, source: Source, bitcode: bytes) -> str:
    """The IR text of bitcode, made in a worker. Raises ForerunError."""
    return pool.call(passes.disassembled, task.library, source, bitcode)


def optimize(
    path: str | os.PathLike[str],
    *,
    flags: Sequence[str] = ("-Oz",),
    compiler: str | None = None,
    objective: str = "size",
    budget: int | str = BUDGET.candidates,
    model: str = MODEL,
    seed: int = 0,
    store: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Result[Plan]:
    """The best pass pipeline for one C, C++ or LLVM IR file, with every trial that led to it.

    Compares with the object that `compiler` (clang of the installed LLVM) makes with `flags`. `budget` is compilations,
    or seconds as in "5s". `output` is where to write the answer: IR for .ll, bitcode for .bc, else the object. Raises
    InputError where the file does not compile, UsageError for a wrong request, ToolMissing where LLVM is not installed.
    """
    if isinstance(flags, str) or not isinstance(flags, Sequence):
        todo = f"flags={flags.split() if isinstance(flags, str) else ['-Oz']}"
        raise UsageError(f"flags={flags!r}", "flags are a sequence of words", todo)
    for flag in flags:
        _check("flag", flag, (str,), "a word without NUL", "'-Oz'")
    for name, place, example in (("store", store, "'trials.sqlite'"), ("output", output, "'a.o'")):
        _check(name, place, (str, os.PathLike, NoneType), "a file's name", example)
    _check("compiler", compiler, (str, NoneType), "a program's name", "'clang'")
    options = Options(objective, Budget.parse(str(budget)), model, seed=seed)
    command = command_for(str(path), compiler, flags)
    if output is not None:
        check_output("output", in_folder("output", Path(output)), command)
    with ExitStack() as stack:
        pool = stack.enter_context(Pool())
        opened = None if store is None else stack.enter_context(Store(Path(store)))
        improved = shortened(improve(command, options, pool=pool, store=opened), pool, options.budget)
        if output is not None:
            write(improved, Path(output), pool)
        return improved.result


def _check(name: str, value: object, kinds: tuple[type, ...], kind: str, example: str) -> None:
    """Raises UsageError for a value of another kind, for no text, and for text that no program or file can be given."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else "-"
    if not isinstance(value, kinds) or not text or "\0" in text:
        raise UsageError(f"wrong {name}: {value!r}", f"{name} must be {kind}", f"for example: {example}")


def check_output(option: str, output: Path, command: clang.Command) -> None:
    """Raises UsageError for a place that the answer to a command cannot be written to."""
    todo = f"write to {output.stem if output.stem not in ('', '-') else 'a'}.o for example"
    if str(output) == "-":
        raise UsageError(f"{option} -: no file", "standard output has the table", todo)
    if output.suffix in (".s", ".S", ".asm"):
        raise UsageError(f"{option} {output}: assembly is not written", "an answer is an object, IR or bitcode", todo)
    if output.is_dir():
        raise UsageError(f"{option} {output}: it is a folder", "one answer is one file", todo)
    of_source = output.suffix in clang.C_SUFFIXES + clang.CXX_SUFFIXES
    if of_source or (command.stdin is None and output.resolve() == Path(command.source).resolve()):
        raise UsageError(f"{option} {output}: it would overwrite a source file", "an answer is no source", todo)


def write(improved: Improved, output: Path, pool: Pool) -> None:
    """Writes IR for .ll, bitcode for .bc, else the object. Raises ForerunError where the place cannot be written."""
    if output.suffix not in (".bc", ".ll"):
        write_atomically(output, improved.object)
        return
    bitcode = apply(pool, improved.task, improved.source, improved.plan)
    if output.suffix == ".ll":
        bitcode = text_of(pool, improved.task, improved.source, bitcode).encode("utf-8", "surrogateescape")
    write_atomically(output, bitcode)


def command_for(
    path: str, compiler: str | None = None, flags: Sequence[str] = ("-Oz",), stdin: bytes | None = None
) -> clang.Command:
    """The compile command of one file, at -Oz where the flags name no level.

    Raises InputError for what is no C, C++ or IR, UsageError for other flags.
    """
    if stdin is None and not Path(path).is_file():
        why = "it is no regular file" if Path(path).exists() else "no such file"
        raise InputError(f"cannot read {path}", why, "give a .c, .cpp, .ll or .bc file, or - for standard input")
    if any(flag.startswith("-o") for flag in flags):
        raise UsageError(
            "-o stands among the compiler's flags", "forerun itself writes the answer", "say -o before --, or output="
        )
    level = () if any(flag.startswith("-O") for flag in flags) else ("-Oz",)
    command = clang.read_command([compiler or clang.default_compiler(), *flags, *level, "-c", path])
    if isinstance(command, str):
        raise UsageError(
            f"{path} cannot be optimised with these flags", command, "leave that out: compile with clang alone"
        )
    clang.compiler_version(command.compiler)
    return clang.with_stdin(command, stdin)


def _answer(trial: Trial[Plan]) -> Plan:
    assert trial.draft.answer is not None
    return trial.draft.answer


def _value(task: passes.Passes, trial: Trial[Plan]) -> float:
    return trial.measurement.values[task.metric.name]


def _not_smaller(task: passes.Passes, before: ObjectFile, after: ObjectFile) -> str:
    if task.objective not in ("size", "text"):
        return ""
    sizes = getattr(before, task.objective), getattr(after, task.objective)
    return "" if sizes[1] < sizes[0] else f"the compiler's own object has {sizes[1]} bytes, the baseline {sizes[0]}"
