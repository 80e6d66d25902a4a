"""What each stage of training teaches the network that writes schedules: on its own, neither judged nor mutated.

    python benchmarks/stages.py FOLDER
    python benchmarks/stages.py FOLDER --judge

All start from the same random schedules of the same programs. *language* learns them as they are; then the paper's
stage, the best measured kernels alone, or all measured kernels after their grades. *believed* learns them after the
grades of the cost model; then measured kernels, or rounds: what the scheduler makes of the network's own drafts is
graded by the cost model and learned. *believed-longer* is what as many steps on random schedules alone give. With
`--judge` the networks write candidates for programs of held-out families, which are built, compared with NumPy and
timed by one worker; the best of each are timed again, in turn. Whatever was done is kept: an interrupted run is called
again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast
from zlib import crc32

import numpy as np
from _lines import Line, Lines, summarise
from _metaschedule import compared
from tuning import LEARNED, best, candidates, of_layout, programs, records

from forerun.cli.render import Progress
from forerun.core import Source
from forerun.corpora.workloads import Workload
from forerun.errors import ForerunError
from forerun.grammars.decisions import Decisions, Plan
from forerun.grammars.graded import BEST, UNKNOWN
from forerun.models._judge import PROCESSOR, Judge, named
from forerun.models.encoder_decoder import CONFIG
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.solve import Budget, solve
from forerun.stats import bootstrap, geometric_mean
from forerun.tables import schedules
from forerun.tables.schedules import Sentence, Sentences
from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import IMPORTS
from forerun.toolchains.tvm.extract import GIVEN
from forerun.toolchains.tvm.space import Program
from forerun.train import recipes
from forerun.train.drafts import drafted
from forerun.train.schedules import fit

RESULTS = Path(__file__).parent / "results" / "stages.json"
PROGRAMS = Path(__file__).parent / "measured" / "tensor-programs.jsonl.gz"
HELD = ("resnet", "mobilenet", "bert", "unet", "whisper", "gpt2")
"""The families that judge: no stage sees them."""
VALIDATE = ("segformer", "vgg", "levit")
"""The families that say when to stop."""
LEARNS, STOPS, EACH = 160, 24, 256
"""Programs that are learned from and that say when to stop, and random schedules of each."""
GOOD = 0.85
"""Of the best one's speed: what the paper's stage learns."""
AT = (1, 4, 16)
UNIFORM, SHIPS = "random", "ships"
BELIEVED, LANGUAGE, FIRST, SECOND = "believed", "language", "round-1", "round-2"
AGAINST = 256
"""Random schedules that the cost model sees beside what a network writes."""


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.judge:
        for name in options.only or STAGES:
            trained(name, options)
        return 0
    lines = Lines(options.output.with_suffix(".jsonl"), ("stage", "program"))
    chosen = programs(list(unlearned()), HELD, options.each)
    try:
        judged(options, chosen, lines)
    finally:
        summarise(options.output, summary(list(lines)))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the trainings and what they learn from")
    parser.add_argument("--steps", type=int, default=400, help="of the first stage; those after it have half (400)")
    parser.add_argument("--only", action="append", choices=STAGES, help="train only these")
    parser.add_argument("--judge", action="store_true", help="judge what was trained")
    parser.add_argument("--each", type=int, default=2, help="programs of each family that judge (2)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    return parser.parse_args()


def random(options: argparse.Namespace) -> list[Sentences]:
    """Random schedules, with what the cost model thinks of them."""
    return gathered(options.folder / "random.jsonl.gz", None)


def ungraded(options: argparse.Namespace) -> list[Sentences]:
    """Random schedules."""
    return [with_all(each, [replace(one, seconds=None) for one in each.sentences]) for each in random(options)]


def measured(options: argparse.Namespace) -> list[Sentences]:
    """Measured kernels, as far as a network writes them."""
    found = schedules.read(LEARNED)
    return [with_all(each, [beginning(one) for one in each.sentences if one.seconds]) for each in found if each.best]


def only_best(options: argparse.Namespace) -> list[Sentences]:
    """The best of them, all with the best grade."""
    found = []
    for each in measured(options):
        good = (one for one in each.sentences if one.seconds and (each.best or 0) / one.seconds >= GOOD)
        found.append(with_all(each, [replace(one, seconds=each.best) for one in good]))
    return found


def bred_by(stage: str) -> Callable[[argparse.Namespace], list[Sentences]]:
    """What the scheduler makes of the drafts of a stage's network, beside random schedules."""

    def found(options: argparse.Namespace) -> list[Sentences]:
        return gathered(options.folder / f"bred by {stage}.jsonl.gz", placed(stage, options))

    return found


STAGES: dict[str, tuple[str, Callable[[argparse.Namespace], list[Sentences]]]] = {
    BELIEVED: ("", random),
    FIRST: (BELIEVED, bred_by(BELIEVED)),
    SECOND: (FIRST, bred_by(FIRST)),
    "believed-longer": (BELIEVED, random),
    "believed-measured": (BELIEVED, measured),
    LANGUAGE: ("", ungraded),
    "language-best": (LANGUAGE, only_best),
    "language-measured": (LANGUAGE, measured),
}
"""Of each the stage before it, and what it learns."""


def trained(name: str, options: argparse.Namespace) -> None:
    """The stage's checkpoint, with the cost model beside it."""
    before, learned = STAGES[name]
    folder = options.folder / name
    if (folder / CONFIG).is_file():
        return
    steps = options.steps // 2 if before else options.steps
    if name == "believed-longer":
        steps = options.steps
    training = recipes.named("schedule", steps=steps, evaluate_every=max(1, steps // 4))
    progress = Progress(steps, "steps")
    try:
        fit(
            learned(options), VALIDATE, folder, training, start=placed(before, options) if before else None,
            on_step=lambda at: progress.step(f"{name}, {at.validation or at.loss:.2f}"),
        )  # fmt: skip
    finally:
        progress.end()
    shutil.copyfile(SHIPPED / named(PROCESSOR), folder / named(PROCESSOR))


def placed(stage: str, options: argparse.Namespace) -> Path:
    """Where its checkpoint is."""
    return SHIPPED if stage == SHIPS else options.folder / stage


def gathered(path: Path, checkpoint: Path | None) -> list[Sentences]:
    """Schedules of the programs that are learned from, graded by the cost model; kept in a file."""
    judge, scheduler = Judge.load(SHIPPED), Scheduler(checkpoint) if checkpoint else None
    assert judge is not None
    known = schedules.read(path) if path.is_file() else []
    asked = asked_about()[len(known) :]
    progress = Progress(len(asked), "programs")
    for i, each in enumerate(asked):
        known.append(drafted(each, targets.here(1), judge, EACH, crc32(each.text.encode()), scheduler))
        if i % 10 == 9 or i == len(asked) - 1:
            schedules.write(path, known)
        progress.step(path.stem)
    progress.end()
    return known


def asked_about() -> list[Workload]:
    """Some of the programs of the other families, in an order by their texts; those first that validate."""
    every = [each for each in of_layout(PROGRAMS, GIVEN) if not each.families & {*HELD} and 1e5 <= each.flops <= 1.2e9]
    every.sort(key=lambda each: crc32(each.text.encode()))
    validate = [each for each in every if each.families <= {*VALIDATE}]
    return validate[:STOPS] + [each for each in every if not each.families & {*VALIDATE}][:LEARNS]


def unlearned() -> Iterator[Workload]:
    """The programs that the cost model has not learned from."""
    learned = {each.text for each in schedules.read(LEARNED)}
    return (each for each in of_layout(PROGRAMS, GIVEN) if each.text not in learned)


def with_all(found: Sentences, sentences: Sequence[Sentence]) -> Sentences:
    """The program with other sentences."""
    return replace(found, sentences=tuple(sentences))


def beginning(one: Sentence) -> Sentence:
    """A sentence as far as its first place, as `forerun.toolchains.tvm.space.Beginnings` ends it."""
    end = next((i for i, asked in enumerate(one.asked) if asked.startswith("L")), len(one.asked))
    return replace(one, asked=one.asked[:end], decided=one.decided[:end])


def judged(options: argparse.Namespace, chosen: Sequence[Workload], lines: Lines) -> None:
    """A line for each network and program: its candidates as they came, and how the cost model sees its drafts."""
    names = [UNIFORM, SHIPS, *(name for name in STAGES if (options.folder / name / named(PROCESSOR)).is_file())]
    progress, task = Progress(len(names) * len(chosen), "searches"), Schedule()
    with Pool(1, Limits(timeout_s=10.0), IMPORTS) as pool:
        for one in chosen:
            source, searches = one.source(targets.here(1)), list[Line]()
            for name in names:
                line: Line = {"stage": name, "program": one.name, "family": one.family}
                if not lines.known(line):
                    model = writer(name, options)
                    result = solve(task, model, source, pool=pool, budget=Budget(max(AT)), seed=0, at_once=8)
                    line["records"] = records(candidates(result.trials, task.grammar(source).text))
                    line |= {"default": result.before, "better": outdone(model, source)}
                    lines.keep(line)
                searches.append(lines.known(line))
                progress.step(f"{one.name}, {name}")
            texts = sorted({best(line, at) for line in searches for at in AT} - {""})
            again: Line = {"stage": "again", "program": one.name}
            if not {*texts} <= {*lines.known(again).get("kernels", ())}:
                try:
                    with Pool(1, Limits(timeout_s=600.0), IMPORTS) as alone:
                        seconds = alone.call(compared, source, texts)
                except ForerunError as error:
                    print(f"{one.name} is not timed again: {error.what}: {error.why}", file=sys.stderr)
                    continue
                default = min(line["default"] for line in searches)
                lines.keep(again | {"kernels": {"": default, **dict(zip(texts, seconds, strict=True))}})
    progress.end()


def writer(stage: str, options: argparse.Namespace) -> Uniform | Scheduler:
    """What writes candidates alone; the language without grades is not asked for one."""
    asked = UNKNOWN if stage == LANGUAGE else BEST
    return Uniform() if stage == UNIFORM else Scheduler(placed(stage, options), judged=False, asked=asked)


def outdone(model: Uniform | Scheduler, source: Source) -> float | None:
    """What share of random schedules the cost model likes less than the median of what the network writes."""
    judge, program, task = Judge.load(SHIPPED), Program(source), Schedule()
    assert judge is not None
    plans = [cast(Plan, one.answer) for one in model.sample(task.prompt(source), Decisions(program), 64, 1)]
    if not plans:
        return None
    own, others = judge.scores(program, plans), judge.scores(program, program.random(AGAINST, 2))
    return float(np.mean(others < np.median(own)) + np.mean(others == np.median(own)) / 2)


def summary(lines: Sequence[Line]) -> Line:
    """For each network: how fast the best of its first candidates are, as shares of the fastest kernel of any network,
    geometric means over programs with bootstrap intervals; and the mean of `outdone`."""
    timed = {line["program"]: line["kernels"] for line in lines if line["stage"] == "again"}
    rows = []
    for name in dict.fromkeys(line["stage"] for line in lines if line["stage"] != "again"):
        own = [line for line in lines if line["stage"] == name and line["program"] in timed]
        row: Line = {"stage": name, "programs": len(own), "outdone": float(np.mean([line["better"] for line in own]))}
        for at in AT:
            shares = []
            for line in own:
                kernels = timed[line["program"]]
                shares.append(min(kernels.values()) / min(kernels[best(line, at)], kernels[""]))
            found = bootstrap([[share] for share in shares], geometric_mean)
            row[str(at)] = [found.value, found.low, found.high]
        rows.append(row)
    return {"table": rows}


if __name__ == "__main__":
    sys.exit(main())
