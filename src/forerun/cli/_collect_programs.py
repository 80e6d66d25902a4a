"""Of `forerun collect`: what programs cost, from any folder of programs."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from forerun import settings
from forerun.cli._measuring import measured
from forerun.cli.render import Column, Table, number, percent, say, say_skipped, show
from forerun.collect import Measured
from forerun.corpora.generated import generated, spoken
from forerun.corpora.programs import GROUPINGS, Program, load
from forerun.errors import UsageError
from forerun.stats import median, quantile
from forerun.tasks._programs import LACKING, Programs
from forerun.tasks.memory import Memory
from forerun.tasks.runtime import Runtime
from forerun.toolchains.process.languages import named

_FLOOR = 1.05
"""Within 5% of the least that any program of the language takes: the start of its runtime and nothing else."""

_ENOUGH = 10
"""Programs of a language below which nobody knows where its floor is."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.description = (
        f"{parser.description} One program at a time for runtime, because others beside it are noise, and one for each"
        " core for memory; the setting `workers` changes both. A run for runtime answers for memory too; one"
        " for memory answers for runtime only where the program ran alone (FORERUN_WORKERS=1). What p.c reads from"
        " standard input lies beside it, as p.in or p.stdin, or in inputs/, as inputs/p.1: a run for each. Python runs"
        " without packages, unless the setting `python` names an interpreter that has some"
        " (FORERUN_PYTHON=DIR/bin/python)."
    )
    parser.add_argument("--folder", action="append", default=[], metavar="DIR", help="a folder of programs")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="so many programs whose sizes are drawn")
    parser.add_argument("--seed", type=int, default=0, help="which ones are drawn (default: 0)")
    parser.add_argument("--idioms", action="store_true", help="drawn ones say it in a line or two of their language")
    parser.add_argument("--reach", type=int, default=1, help="seconds that drawn ones may take, about (default: 1)")
    parser.add_argument("--each", type=int, help="so many programs of each folder and language, at random")
    parser.add_argument("--most", type=int, default=20_000, help="bytes that a program may have (default: 20,000)")
    configure_groups(parser)
    parser.add_argument(
        "--language", action="append", default=[], metavar="NAME", help="only programs in this language"
    )
    parser.add_argument("--timeout", type=float, default=10.0, help="CPU seconds that one run may take (default: 10)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a program, fewer where it is slow (default: 3)")
    parser.add_argument("--device", default="", help="what this machine is called (default: its description)")
    parser.add_argument("--again", action="store_true", help="run those once more that ran into a limit")


def configure_groups(parser: argparse.ArgumentParser) -> None:
    """What belongs together in a folder of programs."""
    parser.add_argument(
        "--group-by",
        choices=GROUPINGS,
        default="parent",
        help="what is one problem: a file's folder (default), its name without the suffix, the folder at the top, or"
        " the first number in its name, else in its folder's",
    )


def run(options: argparse.Namespace) -> int:
    """Measures every program; prints a row for each language."""
    if options.timeout < 1 or options.repeats < 1 or options.generated < 0 or options.reach < 1:
        raise UsageError(
            f"--timeout {options.timeout:g}, --repeats {options.repeats}, --generated {options.generated}, "
            f"--reach {options.reach}",
            "a run takes at least a second, and a program one run",
            "for example: --timeout 10 --repeats 3 --generated 100 --reach 5",
        )
    languages = [named(name).name for name in options.language]
    spelled = _spelled(languages) if options.generated else languages
    drawn = generated(options.generated, options.seed, spelled, options.device, options.reach, options.idioms)
    found = programs(options.folder, options.group_by, languages, options.most, options.each, options.device, drawn)
    if not found:
        raise UsageError(
            "there is nothing to collect from",
            "no folder that was named holds programs in a language that runs here, and none are to be drawn",
            "name a --folder that holds programs, or --generated 100; forerun doctor lists the languages",
        )
    workers = _workers(options.task)
    task = _task(options, beside=workers - 1)
    done = measured(found, "program", task, workers, _kind, options)
    if any(LACKING in one.measurement.error for one in done) and settings.path("python") is None:
        say("forerun: Python runs without packages: FORERUN_PYTHON=DIR/bin/python names an environment that has them")
    show(_table(done, task), options.format)
    return 0 if any(m.measurement.ok for m in done) else 1


def _spelled(languages: Sequence[str]) -> Sequence[str]:
    """In which languages programs are drawn: where none is named, those that run here, which is said."""
    here, missing = spoken()
    if languages or not missing:
        return languages
    why = f"no {', '.join(missing)} on this machine"
    say(f"forerun: {why}: programs are drawn in {', '.join(here)}; --language says which ones it shall be")
    return here


def programs(
    folders: Sequence[str],
    group_by: str,
    languages: Sequence[str],
    most: int,
    each: int | None,
    device: str = "",
    others: Iterable[Program] = (),
    whole: bool = True,
) -> list[Program]:
    """The programs of all folders, and others, in random order, the same one each time.

    So a part is a fair sample of the whole.
    """
    chosen: list[Program] = []
    for folder in map(Path, folders):
        found = load(folder, group_by=group_by, languages=languages, most=most, device=device, whole=whole)
        say_skipped(folder, found.skipped)
        chosen += _some(found.programs, each)
    chosen += others
    random.Random(0).shuffle(chosen)
    return chosen


def _some(found: Sequence[Program], each: int | None) -> Iterable[Program]:
    if each is None:
        return found
    draw = random.Random(0)
    ordered = sorted(found, key=lambda program: program.source.lang)
    groups = (list(rows) for _, rows in groupby(ordered, key=lambda program: program.source.lang))
    return [program for rows in groups for program in draw.sample(rows, min(each, len(rows)))]


def _workers(task: str) -> int:
    """One for time, where another program would be noise, unless the setting says otherwise; for memory all cores."""
    return 1 if task == "runtime" and not settings.get("workers") else settings.workers()


def _task(options: argparse.Namespace, beside: int) -> Programs:
    memory_bytes = int(min(settings.number("memory"), 1e12)) << 20
    kind = Runtime if options.task == "runtime" else Memory
    return kind(options.repeats, options.timeout, memory_bytes, beside)


def _kind(error: str) -> str:
    """What is common to errors of one kind."""
    return "exit status" if error.startswith("exit status") else error.partition(":")[0].partition("\n")[0]


def _table(done: Sequence[Measured[Program]], task: Programs) -> Table:
    rows = [_row(language, done, task) for language in sorted({m.item.source.lang for m in done})]
    show_value = task.metric.show
    return Table(
        [
            Column("language", "language"),
            Column("licences", "licences"),
            Column("programs", "programs", number, True),
            Column("measured", "measured", number, True),
            Column("problems", "problems", number, True),
            Column("least", "least", show_value, True),
            Column("median", "median", show_value, True),
            Column("p90", "90% below", show_value, True),
            Column("floor", "at the floor", percent, True),
            Column("spread", "median spread", percent, True),
        ],
        rows,
    )


def _row(language: str, done: Sequence[Measured[Program]], task: Programs) -> dict[str, object]:
    own = [m for m in done if m.item.source.lang == language]
    good = [m for m in own if task.metric.name in m.measurement.values and m.measurement.ok]
    row: dict[str, object] = {
        "language": language,
        "licences": ", ".join(sorted({m.item.licence for m in own})),
        "programs": len(own),
        "measured": len(good),
        "problems": len({m.item.group for m in good}),
    }
    values = [m.measurement.values[task.metric.name] for m in good]
    if values:
        row |= {"least": min(values), "median": median(values), "p90": quantile(values, 0.9)}
    several = [m.measurement.values for m in good if m.measurement.values["runs"] > 1]  # one run says nothing of it
    if several:
        row["spread"] = median([found[f"{task.metric.name}_spread"] for found in several])
    if len(values) >= _ENOUGH:
        row["floor"] = sum(value <= _FLOOR * min(values) for value in values) / len(values)
    return row
