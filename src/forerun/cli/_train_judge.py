"""Of `forerun train`: the cost model that ranks drafts of schedules, from files of measured ones."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from forerun.cli.render import Column, Progress, Table, number, show
from forerun.errors import UsageError
from forerun.files import write_atomically
from forerun.models._judge import named
from forerun.splits import by_families
from forerun.tables import schedules
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
    kept = [each for path in options.data for each in schedules.read(path) if not {*each.families} & {*options.but}]
    by_families(kept, options.validate)
    progress, found = Progress(len(kept), "programs"), list[judge.Measured]()
    for each in judge.measured(kept):
        found.append(each)
        progress.step(f"{len(each.shares)} kernels")
    progress.end()
    report = judge.validated(found, options.validate, options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    made = judge.fit(found, options.seed)
    made.save(options.output)
    kernels = sum(len(each.shares) for each in found)
    row = {"learned": len(found), "kernels": kernels, **asdict(report)}
    families = sorted(set[str]().union(*(each.families for each in found)))
    card = row | {"families": families, "validated with": options.validate, "seed": options.seed}
    write_atomically(options.output / named(made.kind, "json"), (json.dumps(card, indent=1) + "\n").encode())
    columns = [
        Column("learned", "programs", number, True),
        Column("kernels", "kernels", number, True),
        Column("programs", "held out", number, True),
        Column("spearman", "rank correlation", number, True),
        Column("first", "ranked first", number, True),
        Column("mean", "mean kernel", number, True),
    ]
    show(Table(columns, [row]), options.format)
    return 0
