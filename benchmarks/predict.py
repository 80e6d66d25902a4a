"""How well numbers are predicted: ours beside every rival, on rows that none of them has learned from.

    python benchmarks/predict.py memory.jsonl runtime.jsonl size.jsonl --by group --by random --seed 0 --seed 1
    python benchmarks/predict.py --nas table.csv.gz
    python benchmarks/predict.py memory.jsonl --ablate counters,ordinal,ranking

Rows are files of `forerun data`; each metric of each file is an experiment. All files are split together, so a program
that was measured twice is on one side only. `--nas` adds three experiments on a table of NAS-Bench-201: accuracy from
1,000 architectures, latency of a device from 50 measurements, and from 50 beside 300 architectures on devices of other
kinds; what a predictor is calibrated with counts among them, and no judged architecture is known from anywhere.

Networks get the same budget: recipe, depth, steps; *with trees* is ours with trees beside it, as `forerun train` makes
it. A result is kept as it comes, a training goes on where it stopped:
an interrupted run, or one whose `--seconds` were over, is called again. A result of other rows or of another budget is
replaced. The summary is made of all results that are there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from forerun import registry, settings
from forerun.cli.eval import NETWORKS, RIVALS
from forerun.cli.render import Progress
from forerun.corpora import nasbench
from forerun.distribution import Distribution
from forerun.errors import ForerunError, InputError
from forerun.evaluate import HIGHER_IS_BETTER, Score, averaged, count_groups, judged
from forerun.files import write_atomically
from forerun.models._predictor import Predictor
from forerun.models.boosted_trees import BoostedTrees
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.encoder_decoder.card import Card
from forerun.models.transfer import Transfer
from forerun.rows import Row
from forerun.splits import SIMILAR, Split, splits
from forerun.tables import read_rows
from forerun.train import recipes
from forerun.train.fit import pretrain
from forerun.train.recipes import Training
from forerun.train.trained import Trained

RESULTS = Path(__file__).parent / "results" / "predict.json"
OURS, STACK = EncoderDecoder.name, "stack"
ADAPTED = f"{OURS}, adapted"
PRETRAINED = f"{OURS}, pre-trained"
WITH_TREES = f"{OURS} with trees"
CARRIED = "boosted_trees, carried over"
EVERY = (*RIVALS, *NETWORKS, WITH_TREES, STACK)
MEMBERS = (OURS, "boosted_trees", "neighbours")
ABLATIONS = ("counters", "ordinal", "ranking")
UNSEEN = ("pixel3", "fpga", "gold_6226", "titan_rtx_256")
LEARNED, FEW, OTHERS, JUDGED = 1000, 50, 300, 1500
"""Architectures of NAS-Bench-201."""

Line = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """Rows of one metric in three parts. `device` is the one that little is known of, where there is one."""

    name: str
    by: str
    seed: int
    parts: Split
    device: str = ""
    unlabelled: Sequence[str] = ()
    """Texts of which nothing is known, nor judged."""

    @property
    def digest(self) -> str:
        """Names the rows and how they are split."""
        parts = (self.parts.train, self.parts.validation, self.parts.test)
        text = "\0".join(f"{i}\0{row.prompt}\0{row.value!r}" for i, part in enumerate(parts) for row in part)
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True)
class Way:
    """A model of the table: how it is made, to learn in a folder; what its result depends on; of what it is a stack."""

    make: Callable[[Path], Predictor]
    budget: Mapping[str, Any] = field(default_factory=dict)
    members: tuple[str, ...] = ()


class Adapted(Predictor):
    """A model of other devices, then one of a device that goes on from it."""

    name = "adapted"

    def __init__(self, device: str, trained: Predictor, few: Callable[[Sequence[Row]], Predictor]) -> None:
        """`few` makes the second one when the first has learned the rows that it is given."""
        self.device, self.trained, self.make = device, trained, few
        self.few: Predictor = trained

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """On the other devices' rows, then on those of the device. Raises as the two models do."""
        others = [row for row in rows if row.device != self.device]
        self.trained.fit(others, seed)
        self.few = self.make(others)
        self.few.fit([row for row in rows if row.device == self.device], seed)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before `fit`."""
        return self.few.predict(prompts)


def main() -> int:
    options = _options()
    path, deadline = options.output.with_suffix(".jsonl"), time.monotonic() + options.seconds
    lines, progress = known(path), Progress(None, "results")
    try:
        for line in asked(options, lines, deadline):
            lines = [other for other in lines if place(other) != place(line)] + [line]
            write_atomically(path, "".join(json.dumps(one) + "\n" for one in lines).encode())
            progress.step(f"{line['experiment']} by {line['by']}, seed {line['seed']}: {line['model']}")
    except ForerunError as error:
        late = left(deadline) == 0
        print("the seconds are over: call it again" if late else error, file=sys.stderr)
        return 1
    finally:
        progress.end()
        write_atomically(options.output, (json.dumps(summary(lines), indent=1) + "\n").encode())
    return 0


def asked(options: argparse.Namespace, lines: Sequence[Line], deadline: float) -> Iterator[Line]:
    """The results that are not there yet; experiments with too few rows are left out."""
    for experiment in (*of_files(options), *of_nas(options)):
        try:
            yield from results(experiment, options, lines, deadline)
        except InputError as error:
            print(f"{experiment.name} is left out: {error.what}, {error.why}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=Path, help="rows as `forerun data` writes them")
    parser.add_argument("--by", action="append", choices=("group", "random", "device"), help="what is held out (group)")
    parser.add_argument("--nas", type=Path, metavar="TABLE", help="a table of NAS-Bench-201 (forerun.corpora.nasbench)")
    parser.add_argument("--unseen", action="append", help=f"its device that is new ({', '.join(UNSEEN)})")
    parser.add_argument("--judged", type=int, default=JUDGED, help=f"its architectures that judge ({JUDGED:,})")
    parser.add_argument("--only", default="", metavar="TEXT", help="experiments whose name has this in it")
    parser.add_argument("--seed", action="append", type=int, help="a split and a learning (0)")
    parser.add_argument("--similar", type=float, default=SIMILAR, help="Jaccard of near-duplicates, which never cross")
    parser.add_argument("--models", nargs="*", choices=EVERY, help="only these (all)")
    parser.add_argument("--ablate", default="", metavar="WHAT", help=f"ours without it: of {','.join(ABLATIONS)}")
    pretrained = "ours after so many steps of denoising on texts that nobody judges, where there are such"
    parser.add_argument("--pretrain", type=int, default=0, metavar="STEPS", help=pretrained)
    parser.add_argument("--checkpoint", type=Path, help="ours as it was trained, on the same files and seed")
    parser.add_argument("--recipe", default="cpu", help="how networks are trained (cpu)")
    parser.add_argument("--depth", type=int, help="layers, each 64 wide (the recipe's)")
    parser.add_argument("--context", type=int, help="tokens of a prompt that are read (the recipe's)")
    parser.add_argument("--steps", type=int, help="steps of each training (the recipe's)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop then, to be called again")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    options.by, options.seed = options.by or ["group"], options.seed or [0]
    options.models, options.unseen = options.models or EVERY, options.unseen or UNSEEN
    options.ablate = [what for what in options.ablate.split(",") if what]
    if unknown := set(options.ablate) - set(ABLATIONS):
        parser.error(f"{', '.join(sorted(unknown))} cannot be left out: {', '.join(ABLATIONS)} can")
    return options


def known(path: Path) -> list[Line]:
    """The results of a file, or of the summary beside it where there is only that."""
    if path.is_file():
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    summed = path.with_suffix(".json")
    return json.loads(summed.read_text(encoding="utf-8"))["rows"] if summed.is_file() else []


def of_files(options: argparse.Namespace) -> Iterator[Experiment]:
    """One for each metric of each file, way of splitting and seed."""
    rows, names = list[Row](), dict[int, str]()
    for path in options.data:
        for row in read_rows(path):
            rows.append(row)
            names[id(row)] = row.metric if path.stem.startswith(row.metric) else f"{row.metric}, {path.stem}"
    for by in options.by if rows else ():
        for seed, parts in zip(options.seed, splits(rows, by, options.seed, similar=options.similar), strict=True):
            for name in (name for name in dict.fromkeys(names.values()) if options.only in name):
                mine = ([row for row in part if names[id(row)] == name] for part in vars(parts).values())
                yield Experiment(name, by, seed, Split(*mine))


def of_nas(options: argparse.Namespace) -> Iterator[Experiment]:
    """Accuracy from `LEARNED` architectures; latency of each unseen device from `FEW`, alone and beside others."""
    for seed in options.seed if options.nas else ():
        names = sorted(set(nasbench.architectures(options.nas)))
        random.Random(seed).shuffle(names)
        test = names[LEARNED : LEARNED + options.judged]
        name = f"accuracy of NAS-Bench-201, {LEARNED:,} known"
        if options.only in name:
            asked = (("accuracy",), ("cifar10, validation",), {*names[:LEARNED], *test})
            found = {row.group: row for row in nasbench.rows(options.nas, *asked)}
            parts = dealt(found, names[:LEARNED], test)
            free = {*names} - {*test} if options.pretrain else set[str]()
            texts = [row.prompt for row in nasbench.rows(options.nas, *asked[:2], free)] if free else []
            yield Experiment(name, "architecture", seed, parts, unlabelled=texts)
        for device in options.unseen:
            name = f"latency of NAS-Bench-201, {FEW} of {device} known"
            both = f"{name}, {OTHERS} of other devices"
            if options.only not in both:
                continue
            asked = (("latency",), (device,), {*names[:FEW], *test})
            parts = dealt({row.group: row for row in nasbench.rows(options.nas, *asked)}, names[:FEW], test)
            if options.only in name:
                yield Experiment(name, "architecture", seed, parts)
            rows = nasbench.rows(options.nas, ("latency",), (), set(names[:OTHERS]))
            others = [row for row in rows if kind(row.device) != kind(device)]
            yield Experiment(both, "device", seed, replace(parts, train=[*others, *parts.train]), device)


def dealt(found: Mapping[str, Row], learned: Sequence[str], judged_on: Sequence[str]) -> Split:
    """A tenth of what is learned from, five rows at least, calibrates."""
    rows = [found[name] for name in learned if name in found]
    held = max(5, len(rows) // 10)
    return Split(rows[:-held], rows[-held:], [found[name] for name in judged_on if name in found])


def kind(device: str) -> str:
    """A device of NAS-Bench-201 whatever its batch: a GPU that is known at one batch is not unseen at another."""
    column = nasbench.column(f"latency_ms.{device}")
    return device.removesuffix(f"_{column.batch}") if column else device


def results(
    experiment: Experiment, options: argparse.Namespace, lines: Sequence[Line], deadline: float
) -> Iterator[Line]:
    """A line for each model whose result is not there yet."""
    there = {place(line): line for line in lines}
    ways, digest = models(experiment, options, deadline), experiment.digest
    for name in wanted(ways, options):
        line: Line = {"experiment": experiment.name, "by": experiment.by, "seed": experiment.seed, "model": name}
        line |= {"data": digest, "budget": dict(ways[name].budget)}
        if line.items() <= there.get(place(line), {}).items():
            continue
        if left(deadline) == 0:
            raise ForerunError(f"{name} was not measured", "the seconds are over", "call it again")
        start, members = time.monotonic(), ways[name].members
        folders = {one: folder(line, ways[one]) for one in members or (name,)}
        predictors = {one: partial(ways[one].make, where) for one, where in folders.items()}
        scores = judged(experiment.parts, predictors, experiment.seed, stack=members)[name]
        parts, test = experiment.parts, experiment.parts.test
        line |= {"learned": len(parts.train), "calibrated": len(parts.validation), "n": len(test)}
        line |= {"groups": count_groups(test), "seconds": time.monotonic() - start}
        line |= {"parameters": None if members else parameters(folders[name])}
        line["scores"] = {of: [finite(x) for x in (s.value, s.low, s.high)] for of, s in scores.items()}
        yield line


def place(line: Line) -> tuple[Any, ...]:
    """What a result is the only one of."""
    return line["experiment"], line["by"], line["seed"], line["model"]


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def folder(line: Line, way: Way) -> Path:
    """Where a network learns: another one for other rows, another seed or another budget."""
    facts = json.dumps([line["data"], line["seed"], way.budget], sort_keys=True)
    return settings.cache_folder() / "predict" / hashlib.sha256(facts.encode()).hexdigest()[:16]


def parameters(trained: Path) -> int | None:
    """How many numbers a network learned; None where none was trained there."""
    from safetensors import safe_open

    found = max(trained.rglob("best.safetensors"), key=lambda path: path.stat().st_mtime, default=None)
    if found is None:
        return None
    with safe_open(found, framework="np") as file:
        names = [name for name in file.keys() if name.startswith("network.")]  # noqa: SIM118
        return int(sum(math.prod(file.get_slice(name).get_shape()) for name in names))


def wanted(ways: Mapping[str, Way], options: argparse.Namespace) -> list[str]:
    """The rows of the table: what was asked for, and further forms of ours."""
    asked = {*options.models, *(f"{OURS} without {what}" for what in options.ablate)}
    asked |= {further for of, further in ((OURS, ADAPTED), (BoostedTrees.name, CARRIED)) if of in asked}
    asked |= {PRETRAINED}
    return [name for name in ways if name in asked]


def models(experiment: Experiment, options: argparse.Namespace, deadline: float) -> dict[str, Way]:
    """All models, by name."""
    rate = max(50, options.steps // 20) if options.steps else None
    dials = {"depth": options.depth, "context": options.context, "steps": options.steps, "evaluate_every": rate}
    training = recipes.named(options.recipe, **dials)
    few = recipes.named("lora", context=options.context)
    found = {name: Way(lambda _, name=name: registry.find("models", name)()) for name in RIVALS}  # type: ignore[misc]
    found |= {name: network(name, training, deadline) for name in NETWORKS}
    found[WITH_TREES] = network(OURS, training, deadline, trees=True)
    if options.checkpoint:
        found[OURS] = shipped(options.checkpoint)
    found[STACK] = Way(found[OURS].make, {"members": [dict(found[name].budget) for name in MEMBERS]}, MEMBERS)
    for what in ABLATIONS:
        less = training if what == "counters" else recipes.named(options.recipe, **dials, **{what: 0.0})
        found[f"{OURS} without {what}"] = network(OURS, less, deadline, counters=what != "counters")
    if experiment.unlabelled:
        language = recipes.named(options.recipe, **{**dials, "steps": options.pretrain})
        found[PRETRAINED] = pretrained(experiment.unlabelled, language, training, deadline)
    if experiment.device:
        first = network(OURS, training, deadline)

        def adapted(where: Path) -> Predictor:
            others, own = where / "others", where / "device"
            then = Trained(OURS, few, folder=own, start=others, seconds=left(deadline))
            return Adapted(experiment.device, first.make(others), lambda _: then)

        found[ADAPTED] = Way(adapted, {**first.budget, "adapted by": digested(few)})
        found[CARRIED] = Way(lambda _: carried(experiment.device))
    return found


def pretrained(texts: Sequence[str], language: Training, training: Training, deadline: float) -> Way:
    """Ours, which begins with a network that has learned to fill gaps in texts."""

    def make(where: Path) -> Predictor:
        if not pretrain(texts, where / "language", language, seconds=left(deadline)):
            raise ForerunError("the language is not learned yet", "the seconds are over", "call it again")
        own = where / "numbers"
        return Trained(OURS, training, folder=own, start=where / "language", seconds=left(deadline))

    budget = {**network(OURS, training, deadline).budget, "texts": len(texts), "pre-trained by": digested(language)}
    return Way(make, budget)


def carried(device: str) -> Predictor:
    """What trees learned of other devices, carried over to one."""
    trees = BoostedTrees()

    def few(others: Sequence[Row]) -> Predictor:
        return Transfer(lambda prompts: [one.median for one in trees.predict(prompts)], Card.of(others, {}).kinds)

    return Adapted(device, trees, few)


def network(name: str, training: Training, deadline: float, *, counters: bool = True, trees: bool = False) -> Way:
    """One that is trained in its folder until the time is over."""

    def make(where: Path) -> Trained:
        return Trained(name, training, folder=where, counters=counters, trees=trees, seconds=left(deadline))

    dials = {"network": name, "depth": training.depth, "steps": training.recipe.steps, "counters": counters}
    return Way(make, dials | {"training": digested(training)} | ({"trees": True} if trees else {}))


def shipped(checkpoint: Path) -> Way:
    """Ours as it was trained."""
    weights = hashlib.sha256((checkpoint / "config.json").read_bytes())
    weights.update((checkpoint / "model.safetensors").read_bytes())
    return Way(lambda _: EncoderDecoder(checkpoint), {"checkpoint": weights.hexdigest()[:16]})


def left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.0)


def digested(training: Training) -> str:
    return hashlib.sha256(json.dumps(asdict(training), sort_keys=True).encode()).hexdigest()[:16]


def summary(lines: Iterable[Line]) -> dict[str, Any]:
    """Means over seeds, and the results that they are of."""
    rows = sorted(lines, key=lambda line: (line["experiment"], line["by"], line["model"], line["seed"]))
    together: dict[tuple[str, str, str], list[Line]] = {}
    for row in rows:
        together.setdefault((row["experiment"], row["by"], row["model"]), []).append(row)
    return {"table": [averages(found) for found in together.values()], "rows": rows}


def averages(lines: Sequence[Line]) -> Line:
    """One model in one experiment: each score with the ends of its interval and the deviation between seeds."""
    first = lines[0]
    scores = averaged([{name: scored(line["scores"][name]) for name in HIGHER_IS_BETTER} for line in lines])
    kept = {name: first[name] for name in ("experiment", "by", "model", "budget", "parameters")}
    counts = {name: [line[name] for line in lines] for name in ("learned", "calibrated", "n", "groups", "seconds")}
    shown = {name: [finite(x) for x in (s.value, s.low, s.high, s.spread)] for name, s in scores.items()}
    return kept | {"seeds": [line["seed"] for line in lines]} | counts | {"scores": shown}


def scored(values: Sequence[float | None]) -> Score:
    return Score(*(math.nan if value is None else value for value in values))


if __name__ == "__main__":
    sys.exit(main())
