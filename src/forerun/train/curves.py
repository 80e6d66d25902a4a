"""What a training has written down so far, while it goes on or afterwards. Needs no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forerun.errors import InputError

LOG = "metrics.jsonl"

Point = dict[str, Any]
"""A line of the log: the fields of `forerun.train.loop.Progress`, the parts of the loss among them. `nll` of training
batches is what people are shown, in the same unit as `validation`, nats an answer; `loss` is what is made smaller, with
all its parts."""


def points_of(folder: Path) -> list[Point]:
    """The points of a training's log; a last line that is still being written is left out. Raises InputError."""
    path = folder / LOG
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        found = [_flat(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{LOG}: {error.strerror if isinstance(error, OSError) else error}"
        todo = "name the folder that `forerun train -o` wrote"
        if (folder / "config.json").is_file() and not path.exists():
            why = "it holds a checkpoint without curves, as --recipe adapt writes, or a copy"
            todo = f"see what it knows: forerun models {folder}"
        raise InputError(f"{folder} holds no training", why, todo) from error
    if not found:
        raise InputError(f"{folder} has no curve yet", "its first step is not done", "look again in a minute")
    return found


def _flat(line: Point) -> Point:
    point: Point = {**line, **line["parts"]}
    if not {"step", "steps", "nll", "validation", "tokens_per_s"} <= set(point):
        raise ValueError("a line is no step of a training")
    return {name: value for name, value in point.items() if name != "parts"}


def best(points: Sequence[Point]) -> float | None:
    """The lowest validation loss; None before the first."""
    return min((point["validation"] for point in points if point["validation"] is not None), default=None)
