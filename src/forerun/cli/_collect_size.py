"""Of `forerun collect`: how much code modules become, and programs.

Of modules trials of `passes`, with plans that nobody searched for; of programs, which are read as source, facts.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from forerun import settings
from forerun.cli._collect_passes import configure_units, followed, named_units
from forerun.cli._collect_programs import configure_groups, programs
from forerun.cli._measuring import measured
from forerun.cli.render import Column, Table, number, show
from forerun.collect import Collected, Job, Measured, RandomPipelines
from forerun.corpora.programs import Program
from forerun.errors import UsageError
from forerun.improve import Options
from forerun.solve import Budget
from forerun.stats import median
from forerun.tasks.size import LANGUAGES, Size, target
from forerun.toolchains.llvm import clang

_LEVELS = ("1", "2", "3", "s", "z")

_MOST_BYTES = 100_000
"""Of a program's text."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    configure_units(parser)
    parser.add_argument(
        "--sources", action="append", default=[], metavar="DIR", help="a folder of C and C++ files, each compiled alone"
    )
    configure_groups(parser)
    parser.add_argument("--again", action="store_true", help="compile programs once more that ran into a limit")
    parser.add_argument(
        "--level", action="append", default=[], choices=_LEVELS, help="compiled at this level (default: z, then 3)"
    )
    parser.add_argument(
        "--pipelines", type=int, default=3, help="random pipelines for each module and level (default: 3)"
    )


def run(options: argparse.Namespace) -> int:
    """Compiles every module at every level, and with random pipelines, and every program at every level.

    Prints a row for each project or folder and level.
    """
    if options.pipelines < 0:
        raise UsageError(f"--pipelines {options.pipelines}", "it is a number of pipelines", "for example: 3, or 0")
    compiler = options.cc or clang.default_compiler()
    levels = tuple(dict.fromkeys(options.level)) or ("z", "3")
    texts = programs(options.sources, options.group_by, LANGUAGES, _MOST_BYTES, options.each, whole=False)
    found = [] if texts and not (options.folder or options.debian) else named_units(options, compiler)
    jobs = [_job(options, compiler, level) for level in levels]
    done = followed(found, jobs, options.store or settings.store_path()) if found else []
    sizes = _measured(texts, compiler, levels, options) if texts else []
    show(_table([*_of_modules(done, levels), *_of_programs(sizes, levels)]), options.format)
    return 0 if any(c.result for c in done) or any(m.measurement.ok for m in sizes) else 1


def _job(options: argparse.Namespace, compiler: str, level: str) -> Job:
    """A level is one of the front end as well: it marks functions that are to be small."""
    chosen = Options("text", Budget(options.pipelines), "uniform", seed=options.seed)
    extra = (*options.compiler, f"-O{level}")
    return Job(RandomPipelines, chosen, compiler, most=options.most, extra=extra)


def _measured(
    texts: Sequence[Program], compiler: str, levels: Sequence[str], options: argparse.Namespace
) -> list[Measured[Program]]:
    """Every program at every level, as clang reads it: alone, without input."""
    task = replace(Size.here(), compiler=compiler)
    items = [_compiled(program, compiler, level) for program in texts for level in levels]
    return measured(items, "program", task, settings.workers(), _kind, options)


def _compiled(program: Program, compiler: str, level: str) -> Program:
    emitted = str(target(compiler, program.source.lang, level))
    return replace(program, source=replace(program.source, target=emitted, reference=b""))


def _kind(error: str) -> str:
    return error.partition(" cannot compile ")[0].partition("\n")[0]


def _table(rows: Sequence[dict[str, object]]) -> Table:
    return Table(
        [
            Column("project", "project"),
            Column("licence", "licence"),
            Column("level", "level"),
            Column("modules", "modules", number, True),
            Column("trials", "pipelines", number, True),
            Column("failed", "failed", number, True),
            Column("text", "median text (B)", number, True),
        ],
        rows,
    )


def _of_modules(done: Sequence[Collected], levels: Sequence[str]) -> list[dict[str, object]]:
    projects = dict.fromkeys(c.unit.project for c in done)
    return [row for project in projects for level in levels for row in _rows(done, project, level)]


def _rows(done: Sequence[Collected], project: str, level: str) -> list[dict[str, object]]:
    own = [c for c in done if c.unit.project == project]
    results = [c.result for c in own if c.result and f" -O{level}" in c.result.baseline.source.target]
    if not results:
        return []
    trials = [trial for result in results for trial in result.trials]
    return [
        {
            "project": project,
            "licence": own[0].unit.licence,
            "level": f"-O{level}",
            "modules": len(results),
            "trials": len(trials),
            "failed": sum(not trial.measurement.ok for trial in trials),
            "text": median([result.before for result in results]),
        }
    ]


def _of_programs(done: Sequence[Measured[Program]], levels: Sequence[str]) -> list[dict[str, object]]:
    """A folder's failures are programs that clang does not compile."""
    rows: list[dict[str, object]] = []
    for folder in sorted({_folder(m) for m in done}):
        for level in levels:
            own = [m for m in done if _folder(m) == folder and f" -O{level}" in m.item.source.target]
            good = [m.measurement.values["text"] for m in own if m.measurement.ok]
            if good:
                licences = ", ".join(sorted({m.item.licence for m in own}))
                row: dict[str, object] = {"project": folder, "licence": licences, "level": f"-O{level}"}
                row |= {"modules": len(good), "trials": 0, "failed": len(own) - len(good), "text": median(good)}
                rows.append(row)
    return rows


def _folder(one: Measured[Program]) -> str:
    return one.item.source.name.partition("/")[0]
