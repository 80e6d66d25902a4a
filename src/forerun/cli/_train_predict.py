"""Of `forerun train`: the language model of numbers, from tables of rows or a table of yours."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forerun.cli import INTERRUPTED
from forerun.cli._quantities import MOST_SEED
from forerun.cli.data import OF_TABLES, known_rows, say_many, table_options, table_rows
from forerun.cli.render import Column, Progress, Table, counted, number, say, show
from forerun.errors import ToolMissing, UsageError
from forerun.prompts import parts
from forerun.rows import Row
from forerun.splits import split
from forerun.train import leads
from forerun.train.curves import LOG, Point, best, points_of

if TYPE_CHECKING:
    from forerun.train.loop import Progress as Step
    from forerun.train.recipes import Training


ADAPT = "adapt"
"""The recipe that trains no network."""
RECIPES = ("cpu", "gpu", "lora", ADAPT)
"""Those of numbers."""
DIALS = ("depth", "context", "tokens", "steps", "learning_rate", "optimizer")
"""Of the recipes that train a network."""
LEAST = {"depth": 1, "context": 1, "tokens": 256, "steps": 1, "seed": 0}
"""Of what is dialled; any byte is a token."""
MOST = {"tokens": 1 << 20, "seed": MOST_SEED}
"""Of what is dialled: a list of more tokens fits no memory."""
GIVEN = ("depth", "context", "tokens")
"""Of a network that is gone on from."""
MOST_CONTEXT = 1 << 16
"""Tokens: attention to more of them fits no memory."""
ENOUGH = 16
"""Rows of a metric that are adapted to, at least, for the intervals to promise something."""
FEW = 30
"""Rows of a metric, from which on the intervals that they calibrate hold about what they promise."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = (
        "Called again with the same data and folder, it goes on where it stopped; Ctrl-C loses no"
        " step, and a kill no more than 30 s; of the trees that grow at the end either loses the forest in hand."
    )
    parser.add_argument(
        "--data", action="append", default=[], type=Path, metavar="FILE", help="rows as `forerun data` writes them"
    )
    table_options(parser)
    parser.add_argument(
        "--recipe",
        default="cpu",
        help="cpu or gpu; lora for low-rank updates (LoRA) of a trained one, which forgets what the rows do not tell;"
        " adapt for another device or metric from 16 to 100 rows: in seconds, beside all that the checkpoint knows"
        " (default: cpu)",
    )
    parser.add_argument(
        "--start",
        type=Path,
        metavar="DIR",
        help="the checkpoint to start from, encoder_decoder for the one that ships; one of T5Gemma, a folder or"
        " hub:OWNER/NAME, gives its encoder",
    )
    dial_options(parser, "another network and another split")
    parser.add_argument(
        "--similar",
        type=float,
        default=0.8,
        help="Jaccard of near-duplicates, which never cross (.8; above 1 none are)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checkpoint"), help="folder for the checkpoint (default: checkpoint)"
    )


def dial_options(parser: argparse.ArgumentParser, seeded: str = "another network") -> None:
    """What a recipe leaves open, and what another seed changes."""
    parser.add_argument("--depth", type=int, help="the network's size: layers, each 64 wide (default: the recipe's)")
    parser.add_argument("--context", type=int, help="tokens of a text that are read (default: the recipe's)")
    tokens = "byte-level tokens, where they are learned (default: the recipe's)"
    parser.add_argument("--tokens", type=int, help=tokens)
    parser.add_argument("--steps", type=int, help="steps of training (default: the recipe's)")
    parser.add_argument("--learning-rate", type=float, metavar="RATE", help="at its highest (default: the recipe's)")
    text = "adamw; muon is for the matrices between the embeddings (default: adamw)"
    parser.add_argument("--optimizer", choices=("adamw", "muon"), help=text)
    parser.add_argument("--seed", type=int, help=f"another seed, {seeded} (default: 0)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop then, to be resumed")


def run(options: argparse.Namespace) -> int:
    """Trains on the training part of the rows; prints where it stands."""
    start = started(options.start)
    if options.recipe == ADAPT:
        return _adapted(start, options)
    training = dialled(options, RECIPES, start)
    rows = read(options)
    say_many(rows)
    found = split(rows, "group", training.recipe.seed, similar=options.similar)
    validate, judge = number(len(found.validation)), number(len(found.test))
    say(f"{counted(len(found.train), 'row')} to learn from, {validate} to validate with, {judge} kept to judge by")
    held, learned = (Counter(row.metric for row in part) for part in (found.validation, found.train))
    for metric in learned:
        if held[metric] < FEW:
            why = f"{counted(held[metric], 'row')} of {metric} calibrate its intervals, fewer than {FEW}"
            say(f"forerun: {why}: they promise little; give more rows, of more groups")
    if start and (forgotten := _forgotten(start, rows)):
        why = f"what {start.name} knows of other rows than these will be forgotten ({', '.join(forgotten)})"
        say(f"forerun: {why}: --recipe {ADAPT} keeps it")
    _say_constant(rows)
    for metric, count in Counter(row.metric for row in rows if row.value <= 0).items():
        of = sum(row.metric == metric for row in rows)
        why = f"{number(count)} of {counted(of, 'row')} of {metric} are zero or negative, and a cost is neither"
        say(f"forerun: {why}: leave them out, unless it is a difference; intervals are then less sure")

    def learn(**how: object) -> bool:
        from forerun.train.fit import Parts, fit

        kept, trees = Parts(found.train, found.validation, options.similar), list[Progress]()

        def on_trees(metric: str, done: int, of: int) -> None:
            if not trees:
                trees.append(Progress(of, "forests"))
            trees[0].step(f"of {metric}", done - trees[0].done)

        return fit(kept, options.output, training, start=start, on_trees=on_trees, **how)  # type: ignore[arg-type]

    return trained(learn, training, options)


def started(name: str | Path | None) -> Path | None:
    """The checkpoint to start from, where one is named. Raises UsageError for a folder that is not there, InputError
    for one that holds no checkpoint, as of a training that has not come to its end."""
    from forerun.models.encoder_decoder import CONFIG, configuration, located
    from forerun.models.scheduler import Scheduler

    start = located(name) if name else None
    if start and not start.exists() and not str(name).startswith("hub:"):
        why, todo = "there is no such folder", "name one that a training wrote, or encoder_decoder"
        if str(name) == Scheduler.name:
            why, todo = "it writes schedules, and numbers are asked for", f"{todo}; of schedules: train schedule --help"
        raise UsageError(f"--start {name}", why, todo)
    if start and start.exists() and not (start / CONFIG).is_file():
        configuration(start)
    return start


def _say_constant(rows: Sequence[Row]) -> None:
    values: dict[str, set[float]] = {}
    for row in rows:
        values.setdefault(row.metric, set()).add(row.value)
    for metric in (metric for metric, own in values.items() if len(own) == 1):
        why = f"all rows of {metric} have one value: there is nothing to tell them apart by"
        say(f"forerun: {why}, and whatever is asked about will be answered with it")


def _forgotten(start: Path, rows: Sequence[Row]) -> list[str]:
    """Metrics of which a checkpoint knows languages that no row is of."""
    from forerun.models.encoder_decoder.card import Card

    own = {(row.metric, parts(row.prompt).head.get("language", "")) for row in rows}
    return sorted({kind.metric for kind in Card.load(start).kinds if (kind.metric, kind.language) not in own})


def _adapted(start: Path | None, options: argparse.Namespace) -> int:
    """Carries what the checkpoint knows over to the rows; prints how far off held-out ones were."""
    from forerun.train.adapt import adapt

    if named := [name.replace("_", "-") for name in DIALS if getattr(options, name) is not None]:
        why = "no network is trained: what the checkpoint knows is carried over"
        raise UsageError(f"--{named[0]} is of trainings", why, f"leave --{named[0]} out, or name --recipe lora")
    rows = read(options)
    if (few := len(rows)) < ENOUGH:
        say(f"forerun: {counted(few, 'row')}, fewer than {ENOUGH}: the intervals promise little; give more rows")
    _say_constant(rows)
    found = adapt(rows, start, options.output, options.seed or 0)
    one = found[0]
    device = f" --device {shlex.quote(one.device)}" if one.device else ""
    say(f"forerun: ask it: forerun predict FILE --model {options.output} --metric {one.metric}{device}")
    columns = [Column(name, name) for name in ("metric", "language", "device")]
    off = [Column("off", "off by (median)", _times, True), Column("most", "90% within", _times, True)]
    rows_ = Column("rows", "rows", number, True)
    show(Table([*columns, rows_, *off], [asdict(each) for each in found]), options.format)
    return 0


def _times(factor: float) -> str:
    return "–" if math.isnan(factor) else f"{factor:.2f}×"


def dialled(
    options: argparse.Namespace, offered: Collection[str], start: Path | None = None, given: Sequence[str] = GIVEN
) -> Training:
    """One of the recipes that are offered, with what was asked of it. Raises ToolMissing, UsageError, also for what is
    `given` by the network of the checkpoint to start from."""
    if not find_spec("torch"):
        raise ToolMissing("training needs PyTorch", "torch is not installed", "pip install 'forerun[train]'")
    from forerun.train import recipes

    recipes.check(options.recipe, offered)
    asked: dict[str, Any] = {name: getattr(options, name) for name in (*DIALS, "seed")}
    asked["optimiser"] = asked.pop("optimizer")
    for name, least in LEAST.items():
        most = MOST.get(name, math.inf)
        if asked[name] is not None and not least <= asked[name] <= most:
            why = f"it is a number from {least}{f' to {most}' if name in MOST else ''}"
            raise UsageError(f"--{name} {asked[name]}", why, f"leave --{name} out, or name one")
    if (context := asked["context"] or 0) > MOST_CONTEXT:
        todo = f"name at most {MOST_CONTEXT}; a text's middle is left out where it is longer"
        raise UsageError(f"--context {context}", "no memory holds the attention to so many tokens", todo)
    if (rate := asked["learning_rate"]) is not None and not 0 < rate < math.inf:
        todo = "leave --learning-rate out, or name one: 0.001"
        raise UsageError(f"--learning-rate {rate:g}", "it is a number above 0", todo)
    if not options.seconds >= 0:
        todo = "leave --seconds out, or name some; 0 begins a training and stops"
        raise UsageError(f"--seconds {options.seconds:g}", "it is no span of time", todo)
    from forerun.models.encoder_decoder import sizes

    own = sizes(start) if start else None
    has = {"depth": own.layers, "context": own.context} if own else {}
    named = next((name for name in given if asked[name] is not None and asked[name] != has.get(name)), "")
    if start and named and has:
        why = f"the network of {start.name} has its own{f', {has[named]}' if named in has else ''}"
        raise UsageError(f"--{named} with --start", why, f"leave --{named} out, or begin a network: without --start")
    training = recipes.named(options.recipe, **asked)
    if training.lora and not own:  # before the rows are read
        from forerun.train.lora import unfounded

        raise unfounded(start)
    if training.device == "cuda":
        import torch

        if not torch.cuda.is_available():
            why = "PyTorch finds none" if torch.version.cuda else "this PyTorch was built without CUDA"
            raise UsageError(f"--recipe {options.recipe} needs a GPU", why, "name --recipe cpu")
    return training


def trained(fit: Callable[..., bool], training: Training, options: argparse.Namespace) -> int:
    """Trains by `fit` with a live line; prints where it stands."""
    from forerun.models.encoder_decoder.checksums import WEIGHTS
    from forerun.train.loop import LAST

    progress, told = Progress(training.recipe.steps, "steps"), False
    ended = (options.output / WEIGHTS).is_file()
    lost = (options.output / LOG).is_file() and not (options.output / LAST).is_file()

    def on_step(step: Step) -> None:
        nonlocal told
        if step.step > 1 and not told:
            say(f"forerun: it goes on after step {step.step - 1:,}")
        elif lost and not told:
            every = f"a training is saved every {training.recipe.save_every_s:g} s"
            say(f"forerun: {options.output} was left before anything was saved: it begins anew; {every}")
        told = True
        progress.done = step.step - 1
        progress.step(f"training nll {step.parts['nll']:.3f}  {step.tokens_per_s:,.0f} tokens/s")

    try:
        done = fit(seconds=options.seconds, on_step=on_step)
    except KeyboardInterrupt:
        progress.end()
        print(f"forerun: interrupted; the same command goes on: the training is in {options.output}", file=sys.stderr)
        return INTERRUPTED
    finally:
        progress.end()
    if leads():
        points, steps = points_of(options.output), training.recipe.steps
        step = points[-1]["step"]
        if ended and not told:
            say(f"forerun: {options.output} was trained to its end before: nothing was left to do")
        elif done and step < steps:
            say(f"forerun: it ended after {step:,} of {steps:,} steps: the validation loss fell no further")
        show(_table(options.output, points, done), options.format)
    return 0


def read(options: argparse.Namespace) -> list[Row]:
    """The rows of all files. Raises UsageError without any, InputError."""
    if not options.data:
        raise UsageError("there is nothing to learn from", "no --data was named", "make some: forerun data --help")
    if any(vars(options)[name] for name in OF_TABLES):
        return table_rows(options.data, options)
    return [row for path in options.data for row in known_rows(path, options)]


def _table(folder: Path, points: Sequence[Point], done: bool) -> Table:
    row = {
        "checkpoint": str(folder),
        "steps": points[-1]["step"],
        "validation": best(points),
        "done": "yes" if done else "no: call it again",
    }
    columns = [
        Column("checkpoint", "checkpoint"),
        Column("steps", "steps", number, True),
        Column("validation", "best validation nll", number, True),
        Column("done", "done"),
    ]
    return Table(columns, [row])
