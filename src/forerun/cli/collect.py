"""`forerun collect`: trials from real programs, a file for each kind of question."""

from __future__ import annotations

import argparse
from pathlib import Path

from forerun.cli import (
    _collect_kernels,
    _collect_models,
    _collect_passes,
    _collect_programs,
    _collect_schedule,
    _collect_size,
)
from forerun.cli.render import add_format
from forerun.files import in_folder

units = _collect_passes.units
_TASKS = {
    "passes": (_collect_passes, "pass pipelines, on the modules of real builds"),
    "size": (_collect_size, "how much code modules become, at levels and with random pipelines"),
    "memory": (_collect_programs, "how much memory programs take"),
    "runtime": (_collect_programs, "how much CPU time programs take"),
    "latency": (_collect_models, "how long neural networks take on this processor"),
    "kernels": (_collect_kernels, "how long kernels of PyTorch's compiler take, on this processor or GPU"),
    "schedule": (_collect_schedule, "how long schedules of tensor programs take on this processor"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """A parser for each question."""
    parser.epilog = "Interrupted, it goes on where it stopped when called again."
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for name, (kind, text) in _TASKS.items():
        own = tasks.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", epilog=parser.epilog)
        kind.configure(own)
        own.add_argument("--store", type=Path, help="file for the trials (default: in the cache folder)")
        add_format(own)


def run(options: argparse.Namespace) -> int:
    """Gathers; prints what came of it. Raises UsageError for a store in a folder that is not there."""
    if options.store:
        in_folder("--store", options.store)
    return int(_TASKS[options.task][0].run(options))
