"""How fast kernels get with how few candidates: our model, random sampling and MetaSchedule's evolutionary search.

    python benchmarks/tuning.py workloads.jsonl.gz --held resnet --held bert --checkpoint DIR --seed 0 --seed 1 --seed 2
    python benchmarks/tuning.py workloads.jsonl.gz --held resnet --models evolutionary --candidates 1000 --seed 0

Programs are those that only networks of the held-out families use and no model learned from, as they are with one
layout of convolutions, `--each` of each family with the most work in their networks. All methods are measured by one
worker: built, compared with NumPy, timed; a wrong or refused candidate counts as one. In the end the best kernels of
all methods are timed again, in turn, by three processes one after the other: what was measured during a search is the
luckier the more was measured. Ours chooses among its fastest ones as `tune` does, by a second measurement. A result is
kept as it comes: an interrupted run is called again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from _lines import Line, Lines, digest, summarise, weights
from _metaschedule import Taking, TakingAgain, compared, run_metaschedule

from forerun.cli.render import Progress
from forerun.core import Source, Trial
from forerun.corpora import workloads
from forerun.corpora.workloads import Workload
from forerun.errors import ForerunError
from forerun.grammars.decisions import Plan
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.stats import bootstrap, geometric_mean
from forerun.tables import schedules
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import IMPORTS, NO_LIMIT
from forerun.toolchains.tvm.extract import CHANNELS_LAST, LAYOUTS
from forerun.toolchains.tvm.space import Program
from forerun.tuning.dealing import ROUND
from forerun.tuning.resuming import Resuming

RESULTS = Path(__file__).parent / "results" / "tuning.json"
LEARNED = Path(__file__).parent / "measured" / "schedules.jsonl.gz"
AT = (1, 4, 16, 64, 1000)
BESIDE = (64, 1000)
"""Where ours stands beside the evolutionary search."""
OURS, UNIFORM, RANDOM, EVOLUTIONARY = "scheduler", "uniform", "random", "evolutionary"
WITHOUT: dict[str, dict[str, Any]] = {
    "scheduler, no network": {"written": False},
    "scheduler, no register tiles": {"tiled": False},
    "scheduler, not judged": {"judged": False},
    "scheduler, not corrected": {"corrected": False},
    "scheduler, no machine code": {"reads": False},
    "scheduler, no mutations": {"generations": 0},
}
"""Ours without a part of it."""
AGAIN, AFRESH = "again", 3
"""What a line with seconds of kernels that were timed again is called, and by how many processes they were."""
METHODS = (OURS, UNIFORM, RANDOM, EVOLUTIONARY)
TIMEOUT_S, GPU_TIMEOUT_S = 10.0, 60.0
"""CUDA's compiler takes 3 to 20 seconds for a product of matrices."""
TIE = 0.02
"""Kernels whose times differ by less are equally fast."""


def main() -> int:
    options = _options()
    lines = Lines(options.output.with_suffix(".jsonl"), ("program", "threads", "seed", "method"))
    known = (each for path in options.learned for each in schedules.read(path))
    learned = {each.text for each in known if not {*each.families} & {*options.held}}  # trainings leave these out
    found = [each for each in of_layout(options.workloads, options.layout) if each.text not in learned]
    chosen = programs(found, options.held, options.each)
    progress = Progress(len(chosen) * len(options.seed) * len(options.models) * len(options.threads), "searches")
    try:
        with workers(options) as pool:
            for line in asked(options, chosen, lines, pool):
                if line is not None:
                    lines.keep(line)
                progress.step("" if line is None else f"{line['program']} {line['method']}, seed {line['seed']}")
        with ExitStack() as stack:
            fresh = [stack.enter_context(workers(options, 60)) for _ in range(1 if options.gpu else AFRESH)]
            for line in again(chosen, places(options), list(lines), fresh):
                lines.keep(line)
    finally:
        progress.end()
        summarise(options.output, summary(lines))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", type=Path, help="tensor programs with their networks (forerun.corpora.workloads)")
    parser.add_argument(
        "--held", action="append", required=True, metavar="FAMILY", help="a family that no model has seen"
    )
    parser.add_argument(
        "--learned",
        action="append",
        type=Path,
        metavar="FILE",
        help="what it learned from (benchmarks/measured)",
    )
    parser.add_argument("--layout", choices=LAYOUTS, default=CHANNELS_LAST, help="of convolutions (channels-last)")
    parser.add_argument("--each", type=int, default=6, help="programs of each family (6)")
    parser.add_argument("--models", nargs="*", choices=(*METHODS, *WITHOUT), default=METHODS, help="only these")
    parser.add_argument("--checkpoint", type=Path, default=SHIPPED, help="the model of schedules (the one that ships)")
    parser.add_argument("--candidates", type=int, default=64, help="of each search (64)")
    parser.add_argument("--seed", action="append", type=int, help="of the searches (0)")
    parser.add_argument("--threads", action="append", type=int, help="of a kernel (1)")
    parser.add_argument("--gpu", action="store_true", help="on the first GPU, which is 0 threads in the results")
    parser.add_argument("--workers", type=int, default=8, help="that build for a GPU side by side (8)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    options.seed, options.threads = options.seed or [0], options.threads or [1]
    options.learned = options.learned or [LEARNED]
    return options


def places(options: argparse.Namespace) -> dict[int, str]:
    """The targets, by threads; of the GPU, by 0."""
    return {0: targets.gpu()} if options.gpu else {threads: targets.here(threads) for threads in options.threads}


def workers(options: argparse.Namespace, times: float = 1.0) -> Pool:
    """One that measures on a processor; for a GPU several, which build and check side by side and time alone. They may
    take so many times as long as for a candidate."""
    if not options.gpu:
        return Pool(1, Limits(timeout_s=times * TIMEOUT_S), IMPORTS)
    return Pool(options.workers, Limits(timeout_s=times * GPU_TIMEOUT_S, memory_bytes=NO_LIMIT))


def of_layout(path: Path, layout: str) -> list[Workload]:
    """The programs that a network has with this layout of convolutions."""
    return [each for each in workloads.read(path) if layout in each.layouts]


def programs(found: Sequence[Workload], held: Sequence[str], each: int) -> list[Workload]:
    """Of each family the programs with the most work, weighted by how often a network calls them, its networks in turn;
    none that a network of another family uses."""
    chosen: list[Workload] = []
    for family in held:
        own = [one for one in found if one.families == {family} and 1e6 <= one.flops <= 1.2e9]
        networks: dict[str, list[Workload]] = {}
        for one in sorted(own, key=lambda one: -one.flops * max(use.weight for use in one.uses)):
            networks.setdefault(one.uses[0].network, []).append(one)
        turns = [list(queue) for queue in networks.values()]
        mine: list[Workload] = []
        while len(mine) < each and any(turns):
            mine += [queue.pop(0) for queue in turns if queue][: each - len(mine)]
        chosen += mine
    return chosen


def asked(options: argparse.Namespace, chosen: Sequence[Workload], lines: Lines, pool: Pool) -> Iterator[Line | None]:
    """A line for each search that is not there yet; None for one that is."""
    for seed in options.seed:
        for threads, target in places(options).items():
            for one in chosen:
                for method in options.models:
                    line: Line = {"program": one.name, "family": one.family, "threads": threads, "seed": seed}
                    line |= {"method": method, "asked": options.candidates, "text": digest(one.text)}
                    if method == OURS or method in WITHOUT:
                        line["checkpoint"] = weights(options.checkpoint)
                    known = lines.known(line)
                    if line.items() <= {**known, "asked": min(known.get("asked", 0), options.candidates)}.items():
                        yield None
                        continue
                    source = one.source(target)
                    try:
                        yield line | searched(source, method, options, seed, pool)
                    except ForerunError as error:
                        print(f"{one.name}, {method}: {error.what}: {error.why}", file=sys.stderr)
                        yield None


def searched(source: Source, method: str, options: argparse.Namespace, seed: int, pool: Pool) -> Line:
    """The default's seconds, and each candidate that was the best so far: its place from 1, seconds, and what it is."""
    task = Taking()
    if method not in (RANDOM, EVOLUTIONARY):
        model = (
            Uniform() if method == UNIFORM else Scheduler(options.checkpoint, **WITHOUT.get(method, {})).reading(pool)
        )
        search = Resuming(task, model, source, pool=pool, seed=seed)
        search.spend(options.candidates, ROUND)
        line = {"default": search.result().before, "records": records(candidates(search.trials, search.text))}
        return line | {"finals": {str(count): final(search, count) for count in AT if count <= options.candidates}}
    default = next(m for _, m in pool.measure(task, source, [None]))
    strategy = "evolutionary" if method == EVOLUTIONARY else "replay-trace"
    program = Program(source)
    threads = options.workers if options.gpu else 1
    runs = run_metaschedule([source], strategy, options.candidates, seed, pool, threads=threads)
    found = [None if run.seconds is None else (run.seconds, run.text(program)) for run in runs]
    return {"default": default.values["latency"], "records": records(found)}


def candidates(trials: Iterable[Trial[Plan]], text: Callable[[Plan], str]) -> list[tuple[float, str] | None]:
    """Seconds and text of each in its order; None is one that failed."""
    return [
        (trial.measurement.values["latency"], text(trial.draft.answer)) if trial.measurement.ok else None
        for trial in trials
        if trial.draft.answer is not None
    ]


def final(search: Resuming, count: int) -> str:
    """What is chosen among the first candidates; empty is the default."""
    every, search.trials = search.trials, search.trials[:count]
    search.confirm(TakingAgain())
    plan, search.trials = search.result().best.draft.answer, every
    return "" if plan is None else search.text(plan)


def records(found: Sequence[tuple[float, str] | None]) -> list[tuple[int, float, str]]:
    """The candidates that were the best so far; None is one that failed."""
    kept: list[tuple[int, float, str]] = []
    for place, one in enumerate(found, 1):
        if one and (not kept or one[0] < kept[-1][1]):
            kept.append((place, *one))
    return kept


def again(
    chosen: Sequence[Workload], where: Mapping[int, str], lines: Sequence[Line], fresh: Sequence[Pool]
) -> Iterator[Line]:
    """For each program the seconds of its best kernels, timed in turn: medians over processes, since where a process
    has its tensors makes some kernels half as fast again. Of the default, whose name is empty, what the searches
    measured: it may take seconds."""
    known = {(line["program"], line["threads"]): line["kernels"] for line in lines if line["method"] == AGAIN}
    for one in chosen:
        for count, target in where.items():
            own = [line for line in lines if (line["program"], line["threads"]) == (one.name, count)]
            searches = [line for line in own if line["method"] != AGAIN]
            texts = sorted({best(line, at) for line in searches for at in AT} - {""})
            if not searches or {*texts} <= {*known.get((one.name, count), ())}:
                continue
            try:
                each = [pool.call(compared, one.source(target), texts) for pool in fresh]
            except ForerunError as error:
                print(f"{one.name} is not timed again: {error.what}: {error.why}", file=sys.stderr)
                continue
            yield {
                "program": one.name, "family": one.family, "threads": count, "seed": None, "method": AGAIN,
                "kernels": {"": min(line["default"] for line in searches)}
                | {text: median(seconds) for text, *seconds in zip(texts, *each, strict=True)},
            }  # fmt: skip


def best(line: Line, count: int) -> str:
    """The one of the first candidates that is chosen, the best by what the search measured where it does not choose
    otherwise, or the default: nobody keeps a slower kernel."""
    if (chosen := line.get("finals", {}).get(str(count))) is not None:
        return str(chosen)
    right: list[tuple[float, str]] = [(seconds, answer) for place, seconds, answer in line["records"] if place <= count]
    return min([(line["default"], ""), *right])[1]


def summary(lines: Iterable[Line]) -> Line:
    """For each method and number of candidates: how fast, as a share of the best that is known of a program, and of how
    many programs it has that; means over seeds, then geometric means over programs with bootstrap intervals. And ours
    beside the evolutionary search, on the programs that both have."""
    lines = list(lines)
    timed = {(line["program"], line["threads"]): line["kernels"] for line in lines if line["method"] == AGAIN}
    rows, beside = list[Line](), list[Line]()
    for threads in sorted({line["threads"] for line in lines}):
        found = shares([line for line in lines if line["threads"] == threads], timed)
        rows += [_row(threads, method, count, own) for (method, count), own in found.items()]
        rivals = {count: found[EVOLUTIONARY, count] for count in BESIDE if (EVOLUTIONARY, count) in found}
        for (method, count), own in found.items():
            if method == OURS:
                both = {at: rival for at, rival in rivals.items() if own.keys() & rival}
                beside += [_beside(threads, count, own, at, rival) for at, rival in both.items()]
    fastest = {f"{name}, {threads}": min(kernels.values()) for (name, threads), kernels in timed.items()}
    return {"best known": fastest, "table": rows, "beside": beside}


Shares = dict[str, list[float]]
"""Of the best that is known of a program, one for each seed."""


def shares(lines: Sequence[Line], timed: dict[tuple[str, int], dict[str, float]]) -> dict[tuple[str, int], Shares]:
    """By method and number of candidates."""
    found: dict[tuple[str, int], Shares] = {}
    methods = dict.fromkeys((*METHODS, *WITHOUT, *(line["method"] for line in lines)))
    for method, count in product(methods, AT):
        for line in lines:
            kernels = timed.get((line["program"], line["threads"]), {})
            if line["method"] == method != AGAIN and line["asked"] >= count and best(line, count) in kernels:
                seconds = min(kernels[best(line, count)], kernels[""])
                own = found.setdefault((method, count), {})
                own.setdefault(line["program"], []).append(min(kernels.values()) / seconds)
    return found


def _row(threads: int, method: str, count: int, own: Shares) -> Line:
    means = [geometric_mean(values) for values in own.values()]
    found = bootstrap([[mean] for mean in means], geometric_mean)
    row = {"threads": threads, "method": method, "candidates": count, "programs": len(means)}
    row["won"] = sum(mean > 1 - TIE for mean in means)
    return row | {"seeds": max(map(len, own.values())), "share": found.value, "low": found.low, "high": found.high}


def _beside(threads: int, count: int, ours: Shares, at: int, rival: Shares) -> Line:
    """How much faster ours is after so many candidates than the evolutionary search after `at`, where both were run."""
    ratios = [geometric_mean(ours[name]) / geometric_mean(rival[name]) for name in ours if name in rival]
    found = bootstrap([[ratio] for ratio in ratios], geometric_mean)
    row = {"threads": threads, "candidates": count, "at": at, "programs": len(ratios)}
    row |= {"won": sum(ratio > 1 - TIE for ratio in ratios)}
    return row | {"ratio": found.value, "low": found.low, "high": found.high}


if __name__ == "__main__":
    sys.exit(main())
