"""`forerun models`: the ways to answer, and what a checkpoint knows."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from forerun import registry
from forerun.cli.render import Column, Table, add_format, number, show
from forerun.cli.tasks import listing
from forerun.errors import InputError, reason

SCHEDULER, JUDGE, JUDGE_OF_CODE, JUDGE_OF_GPUS = "scheduler", "judge.json", "judge-code.json", "judge-cuda.json"
_DATA = {"families": "families", "validated with": "families held out for the figures"}
_JUDGES = (
    {"learned": "tensor programs", "kernels": "kernels that were measured"}
    | _DATA
    | {
        "programs": "programs held out",
        "spearman": "rank correlation within one of them",
        "first": "share of the best speed: ranked first",
        "mean": "share of the best speed: mean kernel",
    }
)
_CARDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    JUDGE: ("cost model", _JUDGES),
    JUDGE_OF_CODE: ("cost model of machine code", _JUDGES),
    JUDGE_OF_GPUS: ("cost model of GPUs", _JUDGES),
    "network.json": (
        "network",
        {"kinds": "kinds of targets", "programs": "tensor programs", "sentences": "schedules, graded by the cost model"}
        | _DATA
        | {
            "held programs": "programs held out",
            "nats": "nats a schedule of theirs",
            "uniform": "nats where all that is legal is equally likely",
            "parameters": "parameters",
            "steps": "steps of training",
            "before": "trained before that",
        },
    ),
}
"""The files that trainings leave, whose they are, and what their keys mean, in the order of telling."""
_LIMITS = re.compile(r"^# scheduler$.*?^Limits: (.+?)\n(?:\n|\Z)", re.MULTILINE | re.DOTALL)
"""In the page of the folder where the checkpoint stands."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = (
        "Names are joined by +: each model fills what the one before it leaves open. The whole card of a checkpoint,"
        " with results, is the README.md in its folder. Memory is at its peak, a runtime is CPU time."
    )
    text = (
        "a checkpoint, or encoder_decoder or scheduler for those that ship: what they were trained on; of another name"
        " what it is"
    )
    parser.add_argument("checkpoint", nargs="?", metavar="DIR", help=text)
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints every registered model, one of them, or what a checkpoint knows: metrics, languages and devices, or
    schedules."""
    from forerun.estimate import MODEL

    place = options.checkpoint or ""
    if folder := _of_schedules(place):
        show(_schedules(folder), options.format)
        return 0
    named = place != MODEL and place in registry.names("models") and not Path(place).exists()
    show(listing("models", place) if named or not place else _known(place), options.format)
    return 0


def _of_schedules(place: str) -> Path | None:
    """The folder of a checkpoint that writes or ranks schedules, if it is one."""
    if place == SCHEDULER and not Path(place).exists():
        from forerun.models.scheduler import SHIPPED

        return SHIPPED
    return Path(place) if place and any((Path(place) / name).is_file() for name in _CARDS) else None


def _schedules(folder: Path) -> Table:
    """Data, families that were held out, results, and limits, as the training left them beside the weights."""
    from forerun.models.encoder_decoder import PARTS, checksums
    from forerun.models.scheduler import OPERATORS

    checksums.check(folder, [name for name in PARTS if (folder / name).is_file()])
    rows = list[dict[str, Any]]()
    for name, (part, words) in _CARDS.items():
        told = _object(folder / name)
        rows += [{"part": part, "about": words[key], "value": told[key]} for key in words if key in told]
        if name == JUDGE:
            about = {f"operators {key}": names for key, names in _object(folder / OPERATORS).items()}
            rows += [{"part": part, "about": key, "value": names} for key, names in about.items()]
    page = folder.parent / "README.md"
    if limits := _LIMITS.search(page.read_text(encoding="utf-8") if page.is_file() else ""):
        rows.append({"part": "both", "about": "limits", "value": " ".join(limits[1].split())})
    return Table([Column("part", "part"), Column("about", "about"), Column("value", "value", _said)], rows)


def _object(path: Path) -> dict[str, Any]:
    """What a file of JSON says; nothing where there is none. Raises InputError."""
    try:
        told = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read", reason(error), "copy the whole folder again") from error
    return told if isinstance(told, dict) else {}


def _said(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(value) if any("," in one for one in value) else ", ".join(value)
    return value if isinstance(value, str) else number(value)


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
