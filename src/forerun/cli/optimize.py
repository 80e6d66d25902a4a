"""`forerun optimize`: smaller objects from files, with what did it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from forerun import acceptance, lock, minimise, settings
from forerun import improve as flow
from forerun.cli.render import Column, Progress, Table, add_format, number, percent, say, show
from forerun.errors import InputError, UsageError
from forerun.files import in_folder
from forerun.grammars.pipelines import merge
from forerun.sandbox import Pool
from forerun.solve import Budget
from forerun.store import Store
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = "Everything after -- goes to the compiler: forerun optimize a.c -- -O2 -Iinclude -DNDEBUG"
    parser.add_argument("files", nargs="+", metavar="FILE", help="C, C++, .ll or .bc; - reads stdin")
    parser.add_argument("-o", "--output", help="where to write: .o, .ll or .bc; a folder for several files")
    parser.add_argument("--objective", choices=Passes.objectives, help="what to make smaller (default: as set, size)")
    parser.add_argument("--budget", help="compilations, or seconds as in 5s (default: 100)")
    parser.add_argument("--model", default=flow.MODEL, help=f"who proposes (default: {flow.MODEL})")
    parser.add_argument("--vocabulary", choices=("safe", "extended"), default="safe", help="extended needs --test")
    parser.add_argument("--test", metavar="CMD", help="run CMD on the result; fall back where it fails")
    parser.add_argument("--hot", action="append", default=[], metavar="NAME", help="function whose cycles count")
    parser.add_argument("--cc", help="the compiler (default: clang of the LLVM that was found)")
    parser.add_argument("--lang", choices=("c", "c++", "ir"), help="the language of stdin (default: c, or ir if it is)")
    parser.add_argument("--explain", action="store_true", help="show what each pass contributed")
    parser.add_argument("--lock", help="lock file to extend, for `forerun verify` and `forerun cc`")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another search (default: 0)")
    parser.add_argument("--no-store", action="store_true", help="measure everything again, keep nothing")
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Optimises each file, writes what was asked for, prints before and after."""
    chosen = _options(options)
    commands = [_command(name, options) for name in options.files]
    outputs = _outputs(options, commands)
    _check_places(options, commands, outputs)
    with ExitStack() as stack:
        pool = stack.enter_context(Pool())
        store = None if options.no_store else stack.enter_context(Store(settings.store_path()))
        found = _each(commands, chosen, pool, store)
        done = [improved for improved in found if improved]
        outputs = [output for improved, output in zip(found, outputs, strict=True) if improved]
        if options.test:
            done = acceptance.accept(done, outputs, options.test, pool, say)
        for improved, output in zip(done, outputs, strict=True):
            if output:
                flow.write(improved, output, pool)
        if options.lock:
            lock.extend(Path(options.lock), done)
        _answer(done, options, pool)
    return 0 if len(done) == len(commands) else InputError.exit_code


def _each(
    commands: Sequence[clang.Command], options: flow.Options, pool: Pool, store: Store | None
) -> list[flow.Improved | None]:
    """What became of each file; None where it cannot be compiled. Raises InputError where none can."""
    found: list[flow.Improved | None] = []
    failures: list[InputError] = []
    for command in commands:
        try:
            found.append(_improved(command, options, pool, store))
        except InputError as error:
            failures.append(error)
            found.append(None)
            if len(commands) > 1:
                say(f"forerun: {error}")
    if not any(found):
        raise failures[-1]
    return found


def _answer(done: Sequence[flow.Improved], options: argparse.Namespace, pool: Pool) -> None:
    """One table; for people the pipelines and what each pass does stand below it, for machines in its rows."""
    for_people = options.format in ("table", "md")
    parts = [_contributions(improved, pool) for improved in done] if options.explain else []
    rows = [_row(improved) for improved in done]
    for row, found in zip(rows, parts, strict=False):
        row["explain"] = found
    show(_table(rows), options.format)
    if options.format == "table":
        _pipelines(done)
    if options.explain and for_people:
        _explain([{"file": row["file"]} | part for row in rows for part in row["explain"]], options.format)


def _options(options: argparse.Namespace) -> flow.Options:
    if options.vocabulary == "extended" and not options.test:
        raise UsageError(
            "--vocabulary extended needs --test CMD",
            "combinations of these passes are known to miscompile silently",
            "give a command that fails when the program is wrong: --test 'make check'",
        )
    if options.objective:
        settings.override("objective", options.objective)
    if options.hot and settings.get("objective") != "cycles":
        raise UsageError("--hot needs cycles", "the other objectives count every function", "add --objective cycles")
    budget = Budget.parse(options.budget) if options.budget else flow.BUDGET
    if not options.budget and settings.origin("budget")[1] != "default":
        budget = Budget.parse(settings.get("budget"))
    return flow.Options(
        settings.get("objective"), budget, options.model, options.vocabulary, tuple(options.hot), options.seed
    )


def _command(name: str, options: argparse.Namespace) -> clang.Command:
    flags = list(options.compiler)
    if name != "-":
        return flow.command_for(name, options.cc, flags)
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise InputError("standard input is empty", "there is nothing to compile", "pipe C, C++ or LLVM IR into it")
    language = options.lang or ("ir" if clang.looks_like_ir(data) else "c")
    return flow.command_for("-", options.cc, [*flags, "-x", language], data)


def _improved(command: clang.Command, options: flow.Options, pool: Pool, store: Store | None) -> flow.Improved:
    progress = Progress(None if options.budget.seconds else options.budget.candidates, command.source)
    try:
        improved = flow.improve(command, options, pool=pool, store=store, on_trial=lambda _: progress.step())
    finally:
        progress.end()
    for note in improved.notes:
        say(f"{command.source}: {note}")
    return flow.shortened(improved, pool, options.budget)


def _outputs(options: argparse.Namespace, commands: Sequence[clang.Command]) -> list[Path | None]:
    if not options.output:
        return [None] * len(commands)
    output = Path(options.output)
    if len(commands) == 1 and not output.is_dir() and not options.output.endswith("/"):
        return [in_folder("-o", output)]
    if (output.exists() and not output.is_dir()) or output.suffix in (".o", ".ll", ".bc"):
        raise UsageError(f"-o {output} is one file", f"{len(commands)} files are given", "give a folder: -o build/")
    names = [output / f"{Path(c.source).stem if c.source != '-' else 'stdin'}.o" for c in commands]
    if len(set(names)) < len(names):
        raise UsageError(f"-o {output}: two answers go to one place", "two files have one name", "optimise them apart")
    in_folder("-o", output)
    return list(names)


def _check_places(
    options: argparse.Namespace, commands: Sequence[clang.Command], outputs: Sequence[Path | None]
) -> None:
    """Raises now what would be raised after the search. Raises UsageError, InputError."""
    for command, output in zip(commands, outputs, strict=True):
        if output:
            flow.check_output("-o", output, command)
    if options.test:
        acceptance.places(outputs)
    if options.lock:
        lock.read(in_folder("--lock", Path(options.lock)))


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    def sizes(key: str) -> list[Column]:
        return [Column(f"{key}_before", f"{key} before", number, True), Column(f"{key}_after", "after", number, True)]

    columns = [Column("file", "file"), *sizes("text"), *sizes("data"), *sizes("unwind")]
    objective = rows[0]["objective"]
    if objective not in ("size", "text"):
        columns += sizes(objective)
    columns += [
        Column("gain", f"{objective} gain", percent, True),
        Column("compilations", "tried", number, True),
    ]
    return Table(columns, rows)


def _row(improved: flow.Improved) -> dict[str, Any]:
    result, before, after = improved.result, improved.before, improved.after
    row: dict[str, Any] = {"file": improved.command.source}
    for key in ("text", "data", "unwind"):
        row |= {f"{key}_before": getattr(before, key), f"{key}_after": getattr(after, key)}
    if improved.task.objective not in row:
        row |= {f"{improved.task.objective}_before": result.before, f"{improved.task.objective}_after": result.after}
    return row | {
        "objective": improved.task.objective,
        "gain": result.gain,
        "compilations": len(result.trials),
        "pipeline": str(improved.plan) if improved.plan else None,
        "tool": result.best.measurement.tool,
        "source": improved.source.key,
    }


def _pipelines(done: Sequence[flow.Improved]) -> None:
    for improved in done:
        plan = improved.plan
        print(f"\n{improved.command.source}: {'the compiler keeps its own pipeline' if plan is None else 'passes'}")
        if plan and plan.steps:
            print(f"  module  {merge(plan.steps)}")
        for name, steps in plan.functions if plan else ():
            print(f"  {name}  {merge(step.removeprefix('function/') for step in steps)}")


def _explain(rows: Sequence[dict[str, Any]], form: str) -> None:
    if not rows:
        say("there is nothing to explain: the compiler keeps its own pipeline")
        return
    columns = [
        Column("file", "file"),
        Column("function", "function"),
        Column("after", "when it stops here", number, True),
        Column("without", "without this pass", number, True),
        Column("step", "pass"),
    ]
    print()
    show(Table(columns, rows), form)


def _contributions(improved: flow.Improved, pool: Pool) -> list[dict[str, Any]]:
    if not improved.plan:
        return []
    found = minimise.explain(improved.task, improved.source, improved.plan, pool)
    return [{key: None if value != value else value for key, value in asdict(part).items()} for part in found]
