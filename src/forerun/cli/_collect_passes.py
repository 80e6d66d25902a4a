"""Of `forerun collect`: trials of `passes`, from the modules of real builds."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from forerun import settings
from forerun.cli.render import Column, Progress, Table, counted, number, percent, show
from forerun.collect import Collected, Job, collect
from forerun.corpora import debian
from forerun.corpora.units import Unit, load_compile_commands
from forerun.errors import ForerunError, UsageError
from forerun.improve import MODEL, Options
from forerun.models._chain import model
from forerun.solve import Budget
from forerun.stats import mean
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang

GROUPS = {"train": debian.TRAIN, "test": debian.TEST, "projects": debian.PROJECTS, "more": debian.MORE}


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    configure_units(parser)
    parser.add_argument("--model", default=MODEL, help=f"who proposes (default: {MODEL})")
    parser.add_argument(
        "--budget", default="100", help="compilations for each module, or seconds as in 5s (default: 100)"
    )
    parser.add_argument("--objective", choices=Passes.objectives, default="text", help="what to make smaller (text)")


def configure_units(parser: argparse.ArgumentParser) -> None:
    """Which modules, and what compiles them."""
    parser.add_argument(
        "--folder", action="append", default=[], metavar="DIR", help="a build with compile_commands.json"
    )
    parser.add_argument(
        "--debian", action="append", default=[], metavar="NAME", help=f"a source package, or {', '.join(GROUPS)}"
    )
    parser.add_argument("--each", type=int, help="so many modules of each project, at random")
    parser.add_argument(
        "--most", type=int, default=20_000, help="instructions that a module may have (default: 20,000)"
    )
    parser.add_argument("--cc", help="the compiler (default: clang of the LLVM that was found)")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another search (default: 0)")


def run(options: argparse.Namespace) -> int:
    """Solves every unit; prints a row for each project."""
    chosen = Options(options.objective, Budget.parse(options.budget), options.model, seed=options.seed)
    compiler = options.cc or clang.default_compiler()
    found = named_units(options, compiler)
    store = options.store or settings.store_path()
    # Behind the unit's own flags: packages that ask for -O2 are learned from as the others are.
    job = Job(
        lambda: model(options.model), chosen, compiler, most=options.most, extra=tuple(options.compiler) or ("-Oz",)
    )
    done = followed(found, [job], store)
    show(_table(done), options.format)
    return 0 if any(c.result for c in done) else 1


def followed(found: list[Unit], jobs: Sequence[Job], store: Path) -> list[Collected]:
    """Does one job after another on all units, and says how far it is and what was left out."""
    progress = Progress(len(found) * len(jobs), "modules")
    done = []
    for job in jobs:
        for collected in collect(found, job, store):
            done.append(collected)
            progress.step(f"{collected.unit.project}/{Path(collected.unit.file).name}")
    progress.end()
    print(f"trials are in {store}", file=sys.stderr)
    for reason, count in Counter(_why(c.reason) for c in done if c.reason).most_common(10):
        print(f"{counted(count, 'module')} left out: {reason}", file=sys.stderr)
    return done


def named_units(options: argparse.Namespace, compiler: str) -> list[Unit]:
    """What the options name. Raises UsageError where that is nothing."""
    found = list(units(options.folder, options.debian, compiler, options.each))
    if not found:
        raise UsageError(
            "there is nothing to collect from",
            "no folder or package that was named has C or C++ files that it compiles",
            "name a --folder with compile_commands.json or a --debian package",
        )
    return found


def _why(reason: str) -> str:
    """What happened and the compiler's first words, without the file's name: what many modules share."""
    what, *rest = reason.splitlines()
    return f"{what.partition(' cannot compile ')[0]}: {rest[0].rpartition('error: ')[2]}" if rest else what


def units(folders: list[str], packages: list[str], compiler: str, each: int | None = None) -> Iterator[Unit]:
    """The units of compile databases and Debian packages, a source file once. What does not build is told and left."""
    for folder in folders:
        yield from _some(load_compile_commands(Path(folder)), each)
    for name in (name for given in packages for name in GROUPS.get(given, (given,))):
        try:
            package = debian.fetch(name, settings.cache_folder() / "debian")
            yield from _some(debian.build(package, compiler), each)
        except ForerunError as error:
            print(f"{name}: {error}", file=sys.stderr)


def _some(found: list[Unit], each: int | None) -> list[Unit]:
    """All of them, or as many at random, the same ones each time."""
    return found if each is None else random.Random(0).sample(found, min(each, len(found)))


def _table(done: list[Collected]) -> Table:
    rows = []
    for project in dict.fromkeys(c.unit.project for c in done):
        results = [c.result for c in done if c.unit.project == project and c.result]
        licence = next(c.unit.licence for c in done if c.unit.project == project)
        rows.append(
            {
                "project": project,
                "licence": licence,
                "modules": len(results),
                "trials": sum(len(r.trials) for r in results),
                "gain": mean([r.gain for r in results]) if results else None,
            }
        )
    return Table(
        [
            Column("project", "project"),
            Column("licence", "licence"),
            Column("modules", "modules", number, True),
            Column("trials", "trials", number, True),
            Column("gain", "mean gain", percent, True),
        ],
        rows,
    )
