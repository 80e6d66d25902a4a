"""`forerun collect`: trials from real programs, a file for each kind of question."""

from __future__ import annotations

import argparse
from pathlib import Path

from forerun.cli import _collect_passes, _collect_programs
from forerun.cli.render import add_format

units = _collect_passes.units
KINDS = {"passes": _collect_passes, "memory": _collect_programs, "runtime": _collect_programs}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = "Interrupted, it goes on where it stopped when called again."
    parser.add_argument("task", choices=tuple(KINDS), help="the question to gather trials of")
    parser.add_argument(
        "--folder",
        action="append",
        default=[],
        metavar="DIR",
        help="for passes a build with compile_commands.json, else any folder of programs",
    )
    parser.add_argument("--store", type=Path, help="file for the trials (default: in the cache folder)")
    parser.add_argument(
        "--most", type=int, default=20_000, help="IR instructions that a module may have, bytes of a program (20,000)"
    )
    parser.add_argument(
        "--each",
        type=int,
        help="so many modules of each project, programs of each folder and language, at random",
    )
    add_format(parser)
    for kind in dict.fromkeys(KINDS.values()):
        kind.configure(parser)


def run(options: argparse.Namespace) -> int:
    """Gathers; prints what came of it."""
    return int(KINDS[options.task].run(options))
