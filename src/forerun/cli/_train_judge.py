"""Of `forerun train`: the cost model that ranks drafts of schedules, from stored trials."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from forerun import settings
from forerun.cli.render import Column, Progress, Table, number, show
from forerun.corpora import workloads
from forerun.errors import UsageError
from forerun.files import write_atomically
from forerun.train import judge


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = "Learns from what `forerun collect schedule` stored; the figures are of held-out families."
    parser.add_argument("--store", type=Path, help="file with the trials (default: in the cache folder)")
    parser.add_argument("--workloads", type=Path, required=True, metavar="FILE", help="the programs and their networks")
    parser.add_argument(
        "--validate", action="append", default=[], metavar="FAMILY", help="whose programs are held out, for the figures"
    )
    parser.add_argument("--but", action="append", default=[], metavar="FAMILY", help="whose programs are left out")
    parser.add_argument("--seed", type=int, default=0, help="of the trees (default: 0)")
    parser.add_argument("-o", "--output", type=Path, default=Path("checkpoint"), help="folder for the checkpoint")


def run(options: argparse.Namespace) -> int:
    """Trains without the held-out families, then on all: the figures are of the former, the trees of the latter."""
    if not options.validate:
        raise UsageError(
            "nothing is held out", "without it nobody knows how good it is", "--validate swin, for example"
        )
    store, but = settings.existing_store(options.store, "gather some first: forerun collect schedule"), set(options.but)
    of_texts = {each.text: each.families for each in workloads.read(options.workloads) if not each.families & but}
    progress, found = Progress(None, "programs"), list[judge.Measured]()
    for each in judge.measured(store, of_texts):
        found.append(each)
        progress.step(f"{len(each.shares)} kernels")
    progress.end()
    report = judge.validated(found, options.validate, options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    judge.fit(found, options.seed).save(options.output)
    kernels = sum(len(each.shares) for each in found)
    row = {"learned": len(found), "kernels": kernels, **asdict(report)}
    families = sorted(set[str]().union(*(each.families for each in found)))
    card = row | {"families": families, "validated with": options.validate, "seed": options.seed}
    write_atomically(options.output / "judge.json", (json.dumps(card, indent=1) + "\n").encode())
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
