"""Of `forerun collect`: how much code modules become. Trials of `passes`, with plans that nobody searched for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from forerun import settings
from forerun.cli._collect_passes import configure_units, followed, named_units
from forerun.cli.render import Column, Table, number, show
from forerun.collect import Collected, Job, RandomPipelines
from forerun.errors import UsageError
from forerun.improve import Options
from forerun.solve import Budget
from forerun.stats import median
from forerun.toolchains.llvm import clang

_LEVELS = ("1", "2", "3", "s", "z")


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    configure_units(parser)
    parser.add_argument(
        "--level", action="append", default=[], choices=_LEVELS, help="compiled at this level (default: z, then 3)"
    )
    parser.add_argument(
        "--pipelines", type=int, default=3, help="random pipelines for each module and level (default: 3)"
    )


def run(options: argparse.Namespace) -> int:
    """Compiles every module at every level, and with random pipelines; prints a row for each project and level."""
    if options.pipelines < 0:
        raise UsageError(f"--pipelines {options.pipelines}", "it is a number of pipelines", "for example: 3, or 0")
    compiler = options.cc or clang.default_compiler()
    found = named_units(options, compiler)
    levels = tuple(dict.fromkeys(options.level)) or ("z", "3")
    jobs = [_job(options, compiler, level) for level in levels]
    done = followed(found, jobs, options.store or settings.store_path())
    show(_table(done, levels), options.format)
    return 0 if any(c.result for c in done) else 1


def _job(options: argparse.Namespace, compiler: str, level: str) -> Job:
    """A level is one of the front end as well: it marks functions that are to be small."""
    chosen = Options("text", Budget(options.pipelines), "uniform", seed=options.seed)
    extra = (*options.compiler, f"-O{level}")
    return Job(RandomPipelines, chosen, compiler, most=options.most, extra=extra)


def _table(done: Sequence[Collected], levels: Sequence[str]) -> Table:
    projects = dict.fromkeys(c.unit.project for c in done)
    rows = [row for project in projects for level in levels for row in _rows(done, project, level)]
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
