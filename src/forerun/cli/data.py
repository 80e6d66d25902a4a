"""`forerun data`: tables of what was measured."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any
from zlib import crc32

from forerun import settings
from forerun.cli._doubts import say_doubts
from forerun.cli.render import Column, Progress, Table, add_format, counted, number, say, show
from forerun.corpora import workloads
from forerun.errors import InputError, UsageError
from forerun.files import in_folder
from forerun.prompts import MOST_BYTES, parts
from forerun.rows import Row
from forerun.splits import groups_of
from forerun.stats import quantile
from forerun.store import Store
from forerun.tables import LAYOUTS, TASKS, read_public, read_rows, read_table, rows_of, schedules, write_rows
from forerun.tables.files import check
from forerun.tables.schedules import Sentences
from forerun.tables.stored import EACH

OF_TABLES = ("text", "target", "group", "language", "device", "unit")
"""Options that say how a table of one's own is read."""
_SAVE_S = 60.0
_MANY = 5000
"""Rows among which near-duplicates are looked for in several seconds and more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """A parser for each thing to do."""
    verbs = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    for name, (text, options, _) in _VERBS.items():
        own = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        options(own)
        add_format(own)


def run(options: argparse.Namespace) -> int:
    """Reads what was measured, writes it where it was asked, and prints what it is."""
    if place := getattr(options, "output", None):
        in_folder("-o", place)
    show(_VERBS[options.what][2](options), options.format)
    return 0


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", choices=TASKS, help="the question that the rows answer")
    parser.add_argument("--store", type=Path, help="file with the trials (default: in the cache folder)")
    parser.add_argument("--each", type=_some, help=f"of size: pipelines of one module (default: {EACH})")
    _output(parser)


def _show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a table of rows, as export and import write it")
    skipping(parser)


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="", help="a .csv, .tsv, .jsonl or .parquet file with a program a row"
    )
    table_options(parser)
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        help="the file is a public data set of this kind; without a file it is loaded from the Hugging Face Hub",
    )
    parser.add_argument("--limit", type=_count, help="so many rows of a public data set, from its start")
    _output(parser)


class _Once(argparse.Action):
    """A column that is named once: of two the first would be left out, and nothing would say so."""

    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, _: str | None = None
    ) -> None:
        before = getattr(options, self.dest)
        if before not in (None, values):
            why = "a table is read for one column of programs"
            todo = (
                "import for each of them with `forerun data import`, and name all files: --data a.jsonl --data b.jsonl"
            )
            raise UsageError(f"--{self.dest} {before} and {values}", why, todo)
        setattr(options, self.dest, values)


def table_options(parser: argparse.ArgumentParser) -> None:
    """Adds those of `OF_TABLES`."""
    own = parser.add_argument_group("of a table of yours")
    own.add_argument(
        "--text", action=_Once, metavar="COLUMN", help="the column with the programs; of networks with .onnx files"
    )
    several = "the column with the numbers; again for each other metric that is measured of the same programs"
    own.add_argument("--target", action="append", metavar="COLUMN", help=several)
    own.add_argument("--group", metavar="COLUMN", help="what belongs together, as the solutions of one problem")
    own.add_argument("--language", help="the language of all programs, or the column that says it")
    own.add_argument("--device", help="where all of them ran, or the column that says it")
    own.add_argument("--unit", help="the unit of all numbers, or the column that says it (default: by the name)")
    skipping(parser)


def skipping(parser: argparse.ArgumentParser) -> None:
    """Adds the option by which `left_out` is told of rows."""
    bad = "leave rows out that lack a text or a finite number, or hold a time or size of less than 0"
    bad += f"; of a table of yours also texts of more than {MOST_BYTES:,} bytes"
    parser.add_argument("--skip-bad-rows", action="store_true", help=bad)


def left_out(options: argparse.Namespace) -> Callable[[InputError], None] | None:
    """What says which rows are left out, where that was asked for."""
    if not options.skip_bad_rows:
        return None
    return lambda error: say(f"forerun: left out: {error.what}: {error.why}")


@contextmanager
def read_along(path: Path) -> Iterator[Callable[[int], None]]:
    """Shows how many rows of a file were read: what hears of them is given."""
    progress = Progress(None, "rows")

    def on_row(number: int) -> None:
        progress.done = number
        progress.step(f"of {path.name} read", 0)

    try:
        yield on_row
    finally:
        progress.end()


def known_rows(path: Path, options: argparse.Namespace) -> list[Row]:
    """The rows of a file that `forerun data` wrote, which says how far it is. Raises as `read_rows` does."""
    with read_along(path) as on_row:
        return read_rows(path, left_out(options), on_row)


def say_many(rows: Sequence[Row]) -> None:
    """Says what is done before anything is split, where that takes a while."""
    if len(rows) >= _MANY:
        say(f"forerun: {counted(len(rows), 'row')} read; which of them are near-duplicates is looked for")


def table_rows(paths: Sequence[Path], options: argparse.Namespace) -> list[Row]:
    """The rows of tables that are read so; says what is taken for granted. Raises UsageError, InputError."""
    if not (options.text and options.target):
        missing = " and no ".join(f"--{name}" for name in ("text", "target") if not getattr(options, name))
        what = "--text and --target go together"
        if not (options.text or options.target):
            what = "a table of yours needs --text and --target: the columns with the programs and with the numbers"
        raise UsageError(what, f"there is no {missing}", "name both columns: --text code --target latency_s")

    about = (options.group, options.language, options.device, options.unit)
    by = left_out(options)
    rows = list[Row]()
    for path in paths:
        with read_along(path) as on_row:
            own = read_table(path, options.text, options.target, *about, by, on_row)
        say_doubts(path, own, options)
        rows += own
    if not options.group:
        say("forerun: no --group was named: each distinct text is a group of its own")
    if not options.language:
        say("forerun: no --language was named: the programs are text, and are asked about with --language text")
    return rows


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number of rows: {text!r}")
    return int(text)


def _some(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError("of each module one pipeline is kept at least")
    return int(text)


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="a .csv, .tsv, .jsonl or .parquet file to write"
    )


def _schedules_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", type=Path, help="file with the trials (default: in the cache folder)")
    _programs(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, help="a .jsonl or .jsonl.gz file to write")


def _programs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workloads", type=Path, required=True, metavar="FILE", help="the programs, with their networks"
    )


def _drafts_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Called again with the same output, it goes on where it stopped; Ctrl-C loses nothing."
    _programs(parser)
    parser.add_argument("--but", action="append", default=[], metavar="FAMILY", help="whose programs are left out")
    parser.add_argument("--target", default="llvm", help="what they are for (default: llvm, this processor)")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="with the cost model (the one that ships)")
    parser.add_argument("--each", type=_count, default=128, help="random schedules of a program (default: 128)")
    parser.add_argument(
        "--bred", action="store_true", help="beside them what it drafts and their mutations, for it to learn from"
    )
    parser.add_argument("--seed", type=int, default=0, help="which ones are drawn (default: 0)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a .jsonl or .jsonl.gz file to write")


def _export(options: argparse.Namespace) -> Table:
    if options.each is not None and options.task != "size":
        raise UsageError(f"--each {options.each}", f"rows of {options.task} have no pipelines", "leave it out")
    todo = f"gather some first: forerun collect {options.task}"
    path = settings.existing_store(options.store, todo)
    check(options.output)
    with Store(path) as store:
        progress, rows = Progress(None, "rows"), list[Row]()
        for row in rows_of(store, options.task, options.each or EACH):
            rows.append(row)
            progress.step(row.name)
        progress.end()
        why = "it holds no such trials"
        if not rows and options.task == "runtime" and next(rows_of(store, "memory"), None):
            why = "its programs ran beside others, for memory: what they took of time is no measure"
    if not rows:
        raise InputError(f"{path} has nothing for {options.task}", why, todo)
    return _written(rows, options.output)


def _import(options: argparse.Namespace) -> Table:
    check(options.output)
    if options.file and Path(options.file).resolve() == options.output.resolve():
        raise UsageError(f"{options.output} is what is read", "it would be replaced", "name another file with -o")
    if options.layout:
        own = (*OF_TABLES, "skip_bad_rows")
        more = [f"--{name.replace('_', '-')}" for name in own if name != "target" and vars(options)[name]]
        if more:
            why = f"a --layout says what its columns are, and {' and '.join(more)} too"
            raise UsageError(f"{' and '.join(more)}: of a table of yours", why, "leave one of both out")
        lacking: list[InputError] = []
        target, *others = options.target or [""]
        if others:
            raise UsageError("a --layout has one --target", f"{len(others) + 1} are named", "name one of them")
        found = list(read_public(options.layout, options.file, target, options.limit, lacking.append))
        if lacking:
            say(f"forerun: {counted(len(lacking), 'row')} left out, the first: {lacking[0].what}: {lacking[0].why}")
        return _written(found, options.output)
    if options.limit is not None:
        why = "it is for a --layout, which may be loaded from the Hub"
        raise UsageError(
            "--limit of a table of yours", why, f"leave it out, or cut the file: head -n {options.limit + 1}"
        )
    if not options.file:
        raise UsageError("no file was named", "there is a table to import, or a --layout", "see: forerun data --help")
    return _written(table_rows([Path(options.file)], options), options.output)


def _show(options: argparse.Namespace) -> Table:
    return summary(known_rows(options.file, options))


def _schedules(options: argparse.Namespace) -> Table:
    path = settings.existing_store(options.store, "gather some first: forerun collect schedule")
    of_texts = {each.text: tuple(sorted(each.families)) for each in workloads.read(options.workloads)}
    found = list(schedules.stored(path, of_texts))
    schedules.write(options.output, found)
    return _families(found)


def _drafts(options: argparse.Namespace) -> Table:
    from forerun.models._judge import Judge
    from forerun.models.scheduler import SHIPPED, Scheduler
    from forerun.toolchains.tvm import target as targets
    from forerun.train.drafts import drafted

    path, target = options.output, targets.parse(options.target)
    kind, folder = str(targets.made(target).kind.name), options.checkpoint or SHIPPED
    judge = Judge.load(folder, kind=kind)
    if judge is None:
        what = f"{folder} has no cost model for {kind}"
        raise InputError(what, "it is what grades drafts", "forerun train judge")
    scheduler = Scheduler(options.checkpoint) if options.bred else None
    known = {(each.text, each.target): each for each in schedules.read(path)} if path.is_file() else {}
    programs = [each for each in workloads.read(options.workloads) if not each.families & {*options.but}]
    asked = [each for each in programs if (each.text, target) not in known]
    progress, saved = Progress(len(asked), "programs"), time.monotonic()
    try:
        for each in asked:
            seed = crc32(each.text.encode()) ^ options.seed
            try:
                made = drafted(each, target, judge, options.each, seed, scheduler)
            except InputError as error:
                print(f"{each.name} is left out: {error.what}: {error.why}", file=sys.stderr)
            else:
                known[made.text, made.target] = made
            progress.step(each.name)
            if time.monotonic() - saved > _SAVE_S:
                schedules.write(path, known.values())
                saved = time.monotonic()
    finally:
        progress.end()
        schedules.write(path, known.values())
    return _families(list(known.values()))


def _families(found: Sequence[Sentences]) -> Table:
    columns = [
        Column("family", "family"),
        Column("programs", "programs", number, True),
        Column("schedules", "schedules", number, True),
        Column("failed", "failed", number, True),
    ]
    return Table(
        columns, [_of_family(name, found) for name in sorted({name for each in found for name in each.families})]
    )


def _of_family(name: str, found: Sequence[Sentences]) -> dict[str, object]:
    own = [each for each in found if name in each.families]
    sentences = [sentence for each in own for sentence in each.sentences]
    failed = sum(sentence.measured and sentence.seconds is None for sentence in sentences)
    return {"family": name, "programs": len(own), "schedules": len(sentences), "failed": failed}


def _written(rows: list[Row], path: Path) -> Table:
    count = write_rows(path, rows)
    print(f"{counted(count, 'row')} in {path}", file=sys.stderr)
    return summary(rows)


_VERBS = {
    "export": ("write rows of stored trials to a file", _export_options, _export),
    "show": ("count what is in a table of rows", _show_options, _show),
    "import": ("make rows of a table of your own, or of a public data set", _import_options, _import),
    "schedules": ("write measured schedules to a file that training reads", _schedules_options, _schedules),
    "drafts": ("gather schedules that nobody measured, as the cost model grades them", _drafts_options, _drafts),
}


def summary(rows: Sequence[Row]) -> Table:
    """A line for each metric, language and device: how many rows and groups, and quantiles of the values."""
    quantiles = [("least", 0.0), ("p10", 0.1), ("median", 0.5), ("p90", 0.9), ("most", 1.0)]
    lines = []
    for key, values, groups in _kinds(rows):
        kind: dict[str, object] = dict(zip(("metric", "unit", "language", "device"), key, strict=True))
        counts = {"rows": len(values), "groups": len(groups)}
        lines.append(kind | counts | {name: quantile(values, q) for name, q in quantiles})
    words = [Column(name, name) for name in ("metric", "unit", "language", "device")]
    numbers = [Column(name, name, number, True) for name in ("rows", "groups", *(name for name, _ in quantiles))]
    return Table([*words, *numbers], lines)


def _kinds(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, ...], list[float], set[str]]]:
    def key(row: Row) -> tuple[str, ...]:
        return row.metric, row.unit, languages[id(row)], row.device

    languages = {id(row): parts(row.prompt).head.get("language", "") for row in rows}
    for found, group in groupby(sorted(rows, key=key), key=key):
        own = list(group)
        yield found, [row.value for row in own], set(groups_of(own))
