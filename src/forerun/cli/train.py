"""`forerun train`: what ships, and models of your own."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path

from forerun.cli import _train_code, _train_judge, _train_passes, _train_predict, _train_schedule
from forerun.cli.render import add_format
from forerun.files import in_folder
from forerun.train import leads

DEFAULT = "predict"
"""What is meant where no task is named: `forerun train --data my.csv`."""
_TASKS = {
    "predict": (_train_predict, "a language model of numbers, from tables of rows (the default)"),
    "code": (_train_code, "a language model of code without labels, from programs, to start from"),
    "schedule": (_train_schedule, "the language model of schedules, from what was measured of them"),
    "judge": (_train_judge, "the cost model that ranks drafts of schedules, from stored trials"),
    "passes": (_train_passes, "the coreset of pass pipelines, from stored trials"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """A parser for each task."""
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for name, (kind, text) in _TASKS.items():
        own = tasks.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        kind.configure(own)
        add_format(own)


def run(options: argparse.Namespace) -> int:
    """Trains; of several processes under `torchrun` the first one says how."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing, ExitStack() as stack:
        if not leads():
            stack.enter_context(redirect_stdout(nothing))
            stack.enter_context(redirect_stderr(nothing))
        in_folder("-o", options.output)
        return int(_TASKS[options.task][0].run(options))
