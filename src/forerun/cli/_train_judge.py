"""Of `forerun train`: the cost model that ranks drafts of schedules, from files of measured ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from forerun.cli.render import Column, Progress, Table, number, show
from forerun.errors import UsageError
from forerun.files import write_atomically
from forerun.models._judge import CODE, named
from forerun.sandbox import Pool
from forerun.splits import by_families
from forerun.store import Store
from forerun.tables import schedules
from forerun.threads import cores
from forerun.toolchains.tvm.device import IMPORTS
from forerun.train import judge


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = "The figures are of held-out families."
    parser.add_argument(
        "--data", action="append", default=[], type=Path, metavar="FILE", help="as `forerun data schedules` writes them"
    )
    parser.add_argument(
        "--validate",
        action="append",
        default=[],
        metavar="FAMILY",
        help="whose programs are held out, for the figures; one at least",
    )
    parser.add_argument("--but", action="append", default=[], metavar="FAMILY", help="whose programs are left out")
    parser.add_argument(
        "--machine-code",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="of these of the files the machine code of all kernels is made, too, and what stands in it learned from:"
        " a tenth of a second of a core each, kept in the output folder until all is done",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the trees (default: 0)")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checkpoint"), help="folder for the checkpoint (default: checkpoint)"
    )


def run(options: argparse.Namespace) -> int:
    """Trains without the held-out families, then on all: the figures are of the former, the trees of the latter."""
    if not options.data:
        raise UsageError(
            "there is nothing to learn from", "no file is named", "for example: --data FILE --validate swin"
        )
    if unnamed := [path for path in options.machine_code if path not in options.data]:
        why = "machine code is made of what is learned from"
        raise UsageError(f"{unnamed[0]} is no file of --data", why, f"--data {unnamed[0]} beside it")
    left = {*options.but}
    kept = [(path, each) for path in options.data for each in schedules.read(path) if not {*each.families} & left]
    by_families([each for _, each in kept], options.validate)
    options.output.mkdir(parents=True, exist_ok=True)
    made = options.output / "machine-code.sqlite"
    progress, found = Progress(len(kept), "programs"), list[judge.Measured]()
    with ExitStack() as stack:
        if options.machine_code:
            pool = stack.enter_context(Pool(cores(), imports=IMPORTS))
            store = stack.enter_context(Store(made))
        for path, each in kept:
            for one in judge.measured([each]):
                read = path in options.machine_code
                found.append(replace(one, code=judge.read(each, pool, store)) if read else one)
                progress.step(f"{len(one.shares)} kernels")
    progress.end()
    report = judge.validated(found, options.validate, options.seed)
    learned = judge.fit(found, options.seed)
    learned.save(options.output)
    for path in options.output.glob(f"{made.name}*"):
        path.unlink()
    rows = [_row(options, learned.kind, found, report)]
    if report.read:
        coded = [each.read for each in found if each.code is not None]
        rows.append(_row(options, CODE, coded, report.read))
    columns = [
        Column("reads", "reads"),
        Column("learned", "programs", number, True),
        Column("kernels", "kernels", number, True),
        Column("programs", "held out", number, True),
        Column("spearman", "rank correlation", number, True),
        Column("first", "ranked first", number, True),
        Column("mean", "mean kernel", number, True),
    ]
    show(Table(columns, rows), options.format)
    return 0


def _row(
    options: argparse.Namespace, kind: str, found: Sequence[judge.Measured], report: judge.Report
) -> dict[str, object]:
    """What is told of trees, which is kept beside them."""
    row: dict[str, object] = {"learned": len(found), "kernels": sum(len(each.shares) for each in found)}
    row |= {name: value for name, value in asdict(report).items() if name != "read"}
    families = sorted(set[str]().union(*(each.families for each in found)))
    card = row | {"families": families, "validated with": options.validate, "seed": options.seed}
    write_atomically(options.output / named(kind, "json"), (json.dumps(card, indent=1) + "\n").encode())
    return {"reads": "machine code, too" if kind == CODE else "schedules"} | row
