"""Of `forerun train`: the coreset of pass pipelines that ships."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from forerun import settings
from forerun.cli.render import Column, Progress, Table, percent, show
from forerun.files import write_atomically
from forerun.toolchains.llvm import clang
from forerun.train import coreset


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = "Learns from the sources that `forerun collect` stored. Interrupted, it goes on where it stopped."
    parser.add_argument("--store", type=Path, help="file with the trials (default: in the cache folder)")
    parser.add_argument("--size", type=int, default=40, help="pipelines in the coreset (default: 40)")
    parser.add_argument("--search", type=int, default=100, help="compilations of the search on each module (100)")
    parser.add_argument("--candidates", type=int, default=200, help="lists that are tried on all modules (200)")
    parser.add_argument("--generations", type=int, default=3, help="rounds of refinement of what is chosen (3)")
    parser.add_argument("--cc", help="the clang whose pipelines are the start (default: the one that was found)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("passes-coreset.json"),
        help="file to write (default: passes-coreset.json)",
    )


def run(options: argparse.Namespace) -> int:
    """Search, broadcast, selection; writes the coreset and prints it."""
    store = settings.existing_store(options.store, "gather some first: forerun collect passes --debian train")
    progress = Progress(None, "modules")
    recipe = coreset.Recipe(options.size, options.search, options.candidates, options.generations)
    learned = coreset.train(store, options.cc or clang.default_compiler(), recipe, lambda stage: progress.step(stage))
    progress.end()
    write_atomically(options.output, (json.dumps(learned, indent=1) + "\n").encode())
    columns = [Column("gain", "mean gain", percent, True), Column("pipeline", "pipeline")]
    show(Table(columns, learned["entries"]), options.format)
    return 0
