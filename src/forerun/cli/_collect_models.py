"""Of `forerun collect`: how long networks take, of a folder of .onnx files or drawn from published families."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from forerun import settings
from forerun.cli._measuring import TIMES, measured, times
from forerun.cli._quantities import sized
from forerun.cli.render import Column, Table, number, say_skipped, show
from forerun.collect import Measured
from forerun.corpora.onnx_models import Network, generated, load
from forerun.errors import UsageError
from forerun.tasks.latency import Latency
from forerun.toolchains.onnx.target import Target


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.description = (
        f"{parser.description} Weights and inputs are random. One network at a time, because others beside it are"
        " noise; the setting `workers` changes that."
    )
    parser.add_argument("--folder", action="append", default=[], metavar="DIR", help="a folder of .onnx files")
    parser.add_argument(
        "--size", action="append", default=[], metavar="NAME=N", help="a value for a symbolic size, as in batch=1"
    )
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="so many networks of published families")
    parser.add_argument("--seed", type=int, default=0, help="which ones are drawn (default: 0)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a run (default: 1)")
    parser.add_argument("--repeats", type=int, default=30, help="samples of a network (default: 30)")
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="that the samples of a network may take together (default: 2)"
    )
    parser.add_argument("--device", default="", help="what this machine is called (default: its description)")
    parser.add_argument("--again", action="store_true", help="run those once more that ran into a limit")


def run(options: argparse.Namespace) -> int:
    """Times every network; prints a row for each family or folder."""
    if options.generated < 0 or options.repeats < 3 or not options.seconds > 0:
        raise UsageError(
            f"--generated {options.generated}, --repeats {options.repeats}, --seconds {options.seconds:g}",
            "a network has 3 samples at least, and they take time",
            "for example: --generated 100 --repeats 30 --seconds 2",
        )
    found = networks(options)
    if not found:
        raise UsageError(
            "there is nothing to collect from",
            "no folder that was named holds a network with fixed sizes, and none are to be drawn",
            "name a --folder that holds .onnx files, or --generated 100",
        )
    workers = settings.workers() if settings.get("workers") else 1
    task = Latency(options.repeats, options.seconds)
    done = measured(found, "network", task, workers, _kind, options)
    show(_table(done), options.format)
    return 0 if any(t.measurement.ok for t in done) else 1


def networks(options: argparse.Namespace) -> list[Network]:
    """Those of all folders, then the drawn ones."""
    target = str(Target.here(options.threads, options.device))
    sizes = dict(map(sized, options.size))
    chosen: list[Network] = []
    for folder in map(Path, options.folder):
        found = load(folder, target, sizes)
        say_skipped(folder, found.skipped)
        chosen += found.networks
    return [*chosen, *generated(options.generated, options.seed, target)]


def _table(done: Sequence[Measured[Network]]) -> Table:
    families = sorted({_family(timed) for timed in done})
    return Table(
        [
            Column("family", "family"),
            Column("networks", "networks", number, True),
            Column("measured", "measured", number, True),
            Column("groups", "groups", number, True),
            *TIMES,
        ],
        [_row(family, [timed for timed in done if _family(timed) == family]) for family in families],
    )


def _kind(error: str) -> str:
    return error.partition("\n")[0][:150]


def _family(timed: Measured[Network]) -> str:
    """The family of a drawn one, the folder of a file."""
    place, _, rest = timed.item.source.name.partition("/")
    return timed.item.group.partition(" ")[0] if place == "generated" and rest else place


def _row(family: str, own: Sequence[Measured[Network]]) -> dict[str, object]:
    good = [t for t in own if t.measurement.ok]
    groups = len({t.item.group for t in good})
    about: dict[str, object] = {"family": family, "networks": len(own), "measured": len(good), "groups": groups}
    return about | times([t.measurement for t in good])
