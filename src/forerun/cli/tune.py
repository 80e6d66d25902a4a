"""`forerun tune`: fast kernels for a network, from a handful of measurements."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forerun.cli import NothingKept, render
from forerun.cli._quantities import quantity
from forerun.cli.render import Column, Table, add_format, counted, number, percent, say, show
from forerun.errors import UsageError
from forerun.files import in_folder

if TYPE_CHECKING:
    from forerun.tuning import Progress, Tuned

Row = dict[str, Any]
_seconds = partial(quantity, unit="s")
_NAME = 60
"""Letters of a kernel that people see."""
_LONG = re.compile(rf"\w{{{_NAME + 1},}}")
_STAGES = {
    "reading": "reading it",
    "running": "running it twice, untuned",
    "translating": "translating it to TVM's programs, and running these",
    "default": "measuring the defaults",
    "checking": "checking and timing the best kernels once more, on other inputs",
    "comparing": "comparing whole runs",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = (
        "Every kernel that counts was compared with NumPy; where nothing beats TVM's default by more than noise (5% and"
        " what the samples spread), the default stays."
        " Interrupted, it leaves what was found until then, and goes on where it stopped when called again."
    )
    kinds = (
        "net.onnx, module.py:factory, net.pt2 (torch.export.save), a published network as resnet18-1x224, or a program:"
        " kernel.py, workloads.jsonl.gz:name"
    )
    parser.add_argument("network", metavar="MODEL", help=kinds)
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for the library, the database and the report")
    parser.add_argument("--trials", type=int, metavar="N", help="candidates in all (default: 16 for each task)")
    parser.add_argument("--trials-per-task", type=int, metavar="N", help="candidates of each task, at most")
    parser.add_argument(
        "--target",
        default="llvm",
        help='llvm (all cores), llvm:1 (one thread), cuda, nvidia/nvidia-a100, or JSON as {"kind":"llvm"} (llvm)',
    )
    parser.add_argument(
        "--rpc", metavar="HOST:PORT[/KEY]", help="measure on another machine: TVM's RPC server, or a tracker's device"
    )
    kept = (
        "of convolutions on a processor: channels last, those of 3 x 3 by Winograd's algorithm where it is faster, and"
        " weights in panels; products, softmax and sums a little larger where sizes divide into no tiles, weights in"
        " panels, along channels (winograd, the default), or none of these; given: as the network has it, for a"
        " database of its own programs"
    )
    parser.add_argument("--layout", default="winograd", metavar="winograd|channels-last|given", help=kept)
    parser.add_argument("--model", help="who proposes: scheduler or uniform (default: the first where its weights are)")
    parser.add_argument("--checkpoint", metavar="DIR", help="weights of the scheduler")
    left = "sizes that an .onnx file leaves open; those of the same names in other inputs follow"
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=1x3x224x224", help=left)
    seeded = "another seed, other draws and inputs; what the scheduler tries first stays the same (default: 0)"
    parser.add_argument("--seed", type=int, default=0, help=seeded)
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Tunes; prints a row for each task, then the whole network."""
    live = _Live()
    try:
        return _tuned(options, live)
    except KeyboardInterrupt:
        if not live.measured:
            raise NothingKept from None
        raise
    finally:
        live.progress.end()


def _tuned(options: argparse.Namespace, live: _Live) -> int:
    from forerun.tuning import Unwritten, tune
    from forerun.tuning.output import REPORT, ended

    if options.output:
        in_folder("-o", Path(options.output))
    shapes = _shapes(options.shape)
    try:
        tuned = tune(
            options.network, shapes=shapes, target=options.target, rpc=options.rpc, layout=options.layout,
            trials=options.trials, per_task=options.trials_per_task, proposer=options.model,
            checkpoint=options.checkpoint, output=options.output, seed=options.seed, on_progress=live.told,
        )  # fmt: skip
    except KeyboardInterrupt:
        live.progress.end()
        out = Path(options.output or "")
        kept = ""
        if options.output and ended(out):
            kept = f"{out} keeps the answer that was there before; "
        elif live.measured and options.output and (out / f"{REPORT}.json").is_file():
            kept = f"the database and the report of what was found are in {out}; "
        if kept or live.measured:
            say(f"forerun: {kept}the same command goes on")
        raise
    except Unwritten as error:
        live.progress.end()
        _tell(error.tuned, options.format)
        raise
    live.progress.end()
    _tell(tuned, options.format)
    if tuned.output is not None:
        say(f"library, database and report are in {tuned.output}")
    return 0


def _tell(tuned: Tuned, form: str) -> None:
    from forerun.tuning.output import kernel_rows, network_rows

    show_report(kernel_rows(tuned), network_rows(tuned), tuned.left_out, tuned.notes, form)


class _Live:
    """What is being done, on stderr."""

    def __init__(self) -> None:
        self.progress, self._said, self._last = render.Progress(None, "trials"), set[str](), ""
        self.measured = False
        """Whether an interrupt leaves something: of the first default it is only known that it began."""

    def told(self, now: Progress) -> None:
        """Once for each trial, and where another stage begins: between defaults first kernels are measured."""
        self.measured = self.measured or now.stage == "tuning" or "default" == now.stage == self._last
        self._last = now.stage
        if now.stage == "tuning":
            self.progress.total = now.of
            self.progress.step(_note(now))
        elif now.stage in self._said and now.seconds:
            self.progress.wait(now.stage, now.seconds)
        elif now.stage not in self._said:
            self.progress.end()
            say(_STAGES.get(now.stage, now.stage))
            self._said.add(now.stage)


def _note(now: Progress) -> str:
    all_ = f"all {_seconds(now.network_before_s)} → {_seconds(now.network_best_s)}"
    own = f"{_seconds(now.before_s)} → {_seconds(now.best_s)}, {_times(now.before_s / now.best_s)}"
    return f"{all_}, {now.faster} of {counted(now.programs, 'task')} faster; {_short(now.kernel)} {own}"


def _shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """By the names of the inputs. Raises UsageError."""
    found: dict[str, tuple[int, ...]] = {}
    for name, sizes in map(_shape, texts):
        if found.setdefault(name, sizes) != sizes:
            told = " and ".join("x".join(map(str, each)) for each in (found[name], sizes))
            raise UsageError(f"two shapes of the input {name}", f"{told} were named", "name one")
    return found


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    """A name and sizes, of NAME=1x3x224x224. Raises UsageError."""
    name, _, sizes = text.rpartition("=")
    parts = sizes.split("x")
    if not name or not all(part.isdecimal() and int(part) > 0 for part in parts):
        why = "it is no name with positive sizes"
        raise UsageError(f"--shape {text}", why, "for example: --shape input=1x3x224x224")
    return name, tuple(map(int, parts))


def show_report(
    kernels: Sequence[Row], networks: Sequence[Row], left_out: Mapping[str, str], notes: Sequence[str], form: str
) -> None:
    """The rows of `forerun.tuning.output`, two tables for people, one for machines; what is to be said beside them on
    stderr."""
    told = [f"{name} stays as it is: {reason}" for name, reason in left_out.items()]
    for line in (*told, *(f"forerun: {note}" for note in notes)):
        say(_LONG.sub(lambda found: _short(found[0]), line))
    _show(Table(_kernels(), kernels), Table(_networks(), networks), form)


def _show(kernels: Table, networks: Table, form: str) -> None:
    if form not in ("table", "md"):
        show(Table([*kernels.columns, *networks.columns], [*kernels.rows, *networks.rows]), form)
        return
    show(kernels, form)
    if networks.rows:
        print()
        show(networks, form)


def _kernels() -> list[Column]:
    return [
        Column("task", "task", _short),
        Column("weight", "weight", number, True),
        Column("default", "default", _seconds, True),
        Column("tuned", "tuned", _seconds, True),
        Column("gain", "gain", _times, True),
        Column("trials", "trials", number, True),
        Column("failed", "failed", number, True),
        Column("share", "share", percent, True),
    ]


def _networks() -> list[Column]:
    return [
        Column("run", "whole network"),
        Column("threads", "threads", number, True),
        Column("latency", "latency", _seconds, True),
        Column("spread", "spread", percent, True),
        Column("samples", "runs", number, True),
        Column("gain", "gain", _times, True),
        Column("off", "differs from tuned by", lambda value: f"{value:.1e}", True),
    ]


def _short(name: str) -> str:
    """A fused kernel's name can be hundreds of letters long; its end tells it from others."""
    return name if len(name) <= _NAME else f"{name[: _NAME - 16]}…{name[-15:]}"


def _times(value: Any) -> str:
    return f"{value:.2f}x"
