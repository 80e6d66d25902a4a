"""Of `forerun train`: the language model of schedules, from files of measured ones."""

from __future__ import annotations

import argparse
from pathlib import Path

from forerun.cli._train_predict import dial_options, dialled, trained
from forerun.errors import UsageError
from forerun.splits import by_families
from forerun.tables import schedules


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = "Called again with the same data and folder, it goes on where it stopped; Ctrl-C loses nothing."
    parser.add_argument(
        "--data", action="append", default=[], type=Path, metavar="FILE", help="as `forerun data schedules` writes them"
    )
    parser.add_argument(
        "--validate",
        action="append",
        default=[],
        metavar="FAMILY",
        help="one at least, which says when to stop",
    )
    parser.add_argument(
        "--recipe", default="schedule", help="schedule, cpu or gpu: how it is trained (default: schedule)"
    )
    parser.add_argument(
        "--start", type=Path, metavar="DIR", help="the checkpoint to go on from, scheduler for the one that ships"
    )
    dial_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checkpoint"), help="folder for the checkpoint (default: checkpoint)"
    )


def run(options: argparse.Namespace) -> int:
    """Trains; prints where it stands."""
    if not options.data:
        why = "no file is named"
        raise UsageError("there is nothing to learn from", why, "for example: --data FILE --validate poolformer")
    from forerun.models.scheduler import SHIPPED, Scheduler

    start = SHIPPED if str(options.start) == Scheduler.name else options.start
    training = dialled(options, ("schedule", "cpu", "gpu"), start)
    found = [each for path in options.data for each in schedules.read(path)]
    by_families(found, options.validate)

    def fit(**how: object) -> bool:
        from forerun.train.schedules import fit

        return fit(found, set(options.validate), options.output, training, start=start, **how)  # type: ignore[arg-type]

    return trained(fit, training, options)
