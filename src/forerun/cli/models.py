"""`forerun models`: the ways to answer, and what a checkpoint knows."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from forerun import registry
from forerun.cli.render import Column, Table, add_format, number, show
from forerun.cli.tasks import listing


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = (
        "Names are joined by +: each model fills what the one before it leaves open. The whole card of a checkpoint is"
        " the README.md in its folder. Memory is at its peak, a runtime is CPU time."
    )
    text = "a checkpoint, or encoder_decoder for the one that ships: what it was trained on; of another name what it is"
    parser.add_argument("checkpoint", nargs="?", metavar="DIR", help=text)
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints every registered model, one of them, or the metrics, languages and devices that a checkpoint knows."""
    from forerun.estimate import MODEL

    place = options.checkpoint or ""
    named = place != MODEL and place in registry.names("models") and not Path(place).exists()
    show(listing("models", place) if named or not place else _known(place), options.format)
    return 0


def _known(place: str) -> Table:
    from forerun.estimate import checkpoint
    from forerun.models.encoder_decoder import PARTS, checksums, located

    folder, card = located(place), checkpoint(place).card
    checksums.check(folder, [name for name in PARTS if (folder / name).is_file()])
    if doubt := checksums.doubt(folder):
        print(f"forerun: {doubt}", file=sys.stderr)
    rows = [asdict(kind) | {"where": kind.where} for kind in card.kinds]
    words = [Column("metric", "metric"), Column("unit", "unit"), Column("language", "language")]
    counts = [Column("rows", "rows", number, True), Column("groups", "groups", number, True)]
    return Table([*words, Column("where", "device"), *counts], rows)
