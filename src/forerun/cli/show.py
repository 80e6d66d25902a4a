"""`forerun show`: the curves of a training, while it goes on or afterwards; the report of a tuning."""

from __future__ import annotations

import argparse
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

from forerun.cli.render import Column, Table, add_format, number, show
from forerun.errors import InputError
from forerun.train.curves import LOG, Point, best, points_of

_HEIGHT = 16
_TRAINING, _VALIDATION = "·", "o"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = "Of a training other formats than table print every step."
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="what `forerun train -o` or `forerun tune -o` writes to"
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the curves, or the tables of a tuning."""
    if (options.folder / "report.json").is_file() and _report(options.folder, options.format):
        return 0
    if not options.folder.is_dir():
        todo = "name what `forerun train -o` or `forerun tune -o` wrote to"
        raise InputError(f"{options.folder} cannot be shown", "there is no such folder", todo)
    if (options.folder / "report.json").is_file() and not (options.folder / LOG).is_file():
        why = "report.json is damaged, or of something else"
        raise InputError(
            f"{options.folder} cannot be shown",
            why,
            "tune into another folder: what was measured is kept, the same call measures nothing again",
        )
    points = points_of(options.folder)
    if options.format == "table":
        print(chart(points, min(shutil.get_terminal_size().columns, 100)))
    else:
        show(_table(points), options.format)
    return 0


def _report(folder: Path, form: str) -> bool:
    """Prints what a tuning found; false where the folder is of none."""
    from forerun.cli.tune import show_report
    from forerun.tuning import output

    if told := output.report(folder):
        show_report(told["kernels"], told["network"], told["left_out"], told["notes"], form)
    return bool(told)


def chart(points: Sequence[Point], width: int) -> str:
    """Both losses over the steps, in nats an answer: the training's as the mean of each column, the validation's where
    it was measured."""
    columns = max(width - 10, 20)
    most = points[-1]["step"]
    training = _means([(point["step"], point["nll"]) for point in points], columns, most)
    measured = [(p["step"], p["validation"]) for p in points if p["validation"] is not None]
    validation = _means(measured, columns, most)
    shown = [loss for loss in (*training.values(), *validation.values()) if math.isfinite(loss)] or [0.0]
    low, high = min(shown), max(shown)
    grid = [[" "] * columns for _ in range(_HEIGHT)]
    for mark, losses in ((_TRAINING, training), (_VALIDATION, validation)):
        for x, loss in losses.items():
            if math.isfinite(loss):
                grid[round((high - loss) / ((high - low) or 1.0) * (_HEIGHT - 1))][x] = mark
    ticks = {0: high, _HEIGHT // 2: high - (high - low) * (_HEIGHT // 2) / (_HEIGHT - 1), _HEIGHT - 1: low}
    lines = [f"{f'{ticks[y]:.3f}' if y in ticks else '':>8} │{''.join(row).rstrip()}" for y, row in enumerate(grid)]
    axis = f"{'':>8} └{'─' * columns}\n{'':>10}1{f'step {most:,}':>{columns - 1}}"
    return "\n".join([*lines, axis, _legend(points, measured)])


def _means(found: Sequence[tuple[int, float]], columns: int, most: int) -> dict[int, float]:
    """By column."""
    kept: dict[int, list[float]] = {}
    for step, loss in found:
        kept.setdefault(min((step - 1) * columns // most, columns - 1), []).append(loss)
    return {x: math.fsum(losses) / len(losses) for x, losses in kept.items()}


def _legend(points: Sequence[Point], measured: Sequence[tuple[int, float]]) -> str:
    last, lowest = points[-1], best(points)
    words = [f"{_TRAINING} training nll {last['nll']:.3f}"]
    if lowest is not None:
        step = next(step for step, loss in measured if loss == lowest)
        words.append(f"{_VALIDATION} validation nll {measured[-1][1]:.3f}, best {lowest:.3f} at step {step:,}")
    return "; ".join([*words, f"step {last['step']:,} of {last['steps']:,}, {last['tokens_per_s']:,.0f} tokens/s"])


def _table(points: Sequence[Point]) -> Table:
    names = ("step", "nll", "validation", "loss", "learning_rate", "tokens_per_s")
    return Table([Column(name, name.replace("_", " "), number, True) for name in names], points)
