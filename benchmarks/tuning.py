"""How fast kernels get with how few candidates: our model, random sampling and MetaSchedule's evolutionary search.

    python benchmarks/tuning.py workloads.jsonl.gz --held resnet --held bert --checkpoint DIR --seed 0 --seed 1 --seed 2
    python benchmarks/tuning.py workloads.jsonl.gz --held resnet --models evolutionary --candidates 1000 --seed 0

Programs are those that only networks of the held-out families use, `--each` of each family with the most work in their
networks. All methods are measured by one worker: built, compared with NumPy, timed; a wrong or refused candidate counts
as one. A result is kept as it comes: an interrupted run is called again. Before every method of a program its default
is timed, so that a slow minute of the machine shows.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from _lines import Line, Lines, digest, summarise, weights
from _metaschedule import run_metaschedule

from forerun.cli.render import Progress
from forerun.core import Model, Source
from forerun.corpora import workloads
from forerun.corpora.workloads import Workload
from forerun.errors import ForerunError
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.solve import Budget, solve
from forerun.stats import bootstrap, geometric_mean
from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import target as targets

RESULTS = Path(__file__).parent / "results" / "tuning.json"
AT = (1, 4, 16, 64, 1000)
OURS, JUDGED_NOT, UNIFORM, RANDOM, EVOLUTIONARY = (
    "scheduler",
    "scheduler, not judged",
    "uniform",
    "random",
    "evolutionary",
)
METHODS = (OURS, JUDGED_NOT, UNIFORM, RANDOM, EVOLUTIONARY)
TIMEOUT_S = 10.0


def main() -> int:
    options = _options()
    lines = Lines(options.output.with_suffix(".jsonl"), ("program", "threads", "seed", "method"))
    chosen = programs(workloads.read(options.workloads), options.held, options.each)
    progress = Progress(len(chosen) * len(options.seed) * len(options.models) * len(options.threads), "searches")
    try:
        with Pool(1, Limits(timeout_s=TIMEOUT_S)) as pool:
            for line in asked(options, chosen, lines, pool):
                if line is not None:
                    lines.keep(line)
                progress.step("" if line is None else f"{line['program']} {line['method']}, seed {line['seed']}")
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
    parser.add_argument("--each", type=int, default=6, help="programs of each family (6)")
    parser.add_argument("--models", nargs="*", choices=METHODS, default=METHODS, help="only these (all)")
    parser.add_argument("--checkpoint", type=Path, default=SHIPPED, help="the model of schedules (the one that ships)")
    parser.add_argument("--candidates", type=int, default=64, help="of each search (64)")
    parser.add_argument("--seed", action="append", type=int, help="of the searches (0)")
    parser.add_argument("--threads", action="append", type=int, help="of a kernel (1)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    options.seed, options.threads = options.seed or [0], options.threads or [1]
    return options


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
        for threads in options.threads:
            for one in chosen:
                for method in options.models:
                    line: Line = {"program": one.name, "family": one.family, "threads": threads, "seed": seed}
                    line |= {"method": method, "asked": options.candidates, "text": digest(one.text)}
                    if method in (OURS, JUDGED_NOT):
                        line["checkpoint"] = weights(options.checkpoint)
                    known = lines.known(line)
                    if line.items() <= {**known, "asked": min(known.get("asked", 0), options.candidates)}.items():
                        yield None
                        continue
                    source = one.source(targets.here(threads))
                    try:
                        yield line | searched(source, method, options, seed, pool)
                    except ForerunError as error:
                        print(f"{one.name}, {method}: {error.what}: {error.why}", file=sys.stderr)
                        yield None


def searched(source: Source, method: str, options: argparse.Namespace, seed: int, pool: Pool) -> Line:
    """The default's seconds, and those of the candidates in order, None for those that failed."""
    made: dict[str, Callable[[], Model]] = {
        UNIFORM: Uniform,
        OURS: lambda: Scheduler(options.checkpoint),
        JUDGED_NOT: lambda: Scheduler(options.checkpoint, judged=False),
    }
    task = Schedule()
    if method in made:
        result = solve(task, made[method](), source, pool=pool, budget=Budget(options.candidates), seed=seed)
        measured = [trial.measurement for trial in result.trials]
        return {"default": result.before, "seconds": [m.values["latency"] if m.ok else None for m in measured]}
    default = next(m for _, m in pool.measure(task, source, [None]))
    strategy = "evolutionary" if method == EVOLUTIONARY else "replay-trace"
    runs = run_metaschedule([source], strategy, options.candidates, seed, pool)
    return {"default": default.values["latency"], "seconds": [run.seconds for run in runs]}


def best(line: Line, count: int) -> float:
    """Seconds of the best of the first candidates, or the default's: nobody keeps a kernel that is slower."""
    return min([line["default"], *(s for s in line["seconds"][:count] if s is not None)])


def summary(lines: Iterable[Line]) -> Line:
    """For each method and number of candidates: how fast, as a share of the best that is known of a program, and how
    often it is the fastest; means over seeds, then geometric means over programs with bootstrap intervals."""
    lines, known = list(lines), dict[tuple[str, int], float]()
    for line in lines:
        key = line["program"], line["threads"]
        known[key] = min(known.get(key, math.inf), best(line, len(line["seconds"])))
    rows = []
    for threads in sorted({line["threads"] for line in lines}):
        for method in METHODS:
            mine = [line for line in lines if line["threads"] == threads and line["method"] == method]
            for count in AT:
                shares: dict[str, list[float]] = {}
                for line in mine:
                    if line["asked"] >= count:
                        shares.setdefault(line["program"], []).append(
                            known[line["program"], threads] / best(line, count)
                        )
                if shares:
                    rows.append(_row(threads, method, count, shares))
    return {"best known": {f"{name}, {threads}": seconds for (name, threads), seconds in known.items()}, "table": rows}


def _row(threads: int, method: str, count: int, shares: dict[str, list[float]]) -> Line:
    means = [geometric_mean(values) for values in shares.values()]
    found = bootstrap([[mean] for mean in means], geometric_mean)
    row = {"threads": threads, "method": method, "candidates": count, "programs": len(means)}
    return row | {"seeds": max(map(len, shares.values())), "share": found.value, "low": found.low, "high": found.high}


if __name__ == "__main__":
    sys.exit(main())
