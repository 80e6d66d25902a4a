"""Measured candidates a minute: MetaSchedule's builder and runner against our worker, the same candidates in one run.

    python benchmarks/measuring.py

Random plans of five programs. The stock side gets modules that are scheduled already, compiles them on all cores and
runs them on one, in workers of which those that run stay. Ours gets plans: workers that stay, as many as cores, replay
them, compile, check against NumPy, and run one at a time. `stock` runs a kernel as often as we do at most (10 times
after the first), `default` as TVM does where nobody says otherwise (for 0.1 s at least). No worker of either side loads
torch or the tensor intrinsics of other processors. The last program is there for kernels that TVM makes wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from forerun.cli.render import Column, Table, number, show
from forerun.core import Source
from forerun.files import write_atomically
from forerun.grammars.decisions import Decisions, Plan
from forerun.models.uniform import Uniform
from forerun.sandbox import Pool
from forerun.stats import bootstrap, geometric_mean
from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import found, intrinsics, plain
from forerun.toolchains.tvm.device import IMPORTS
from forerun.toolchains.tvm.space import Program, Refused

RESULTS = Path(__file__).parent / "results"
WORKLOADS = {
    "matmul 128x128x128": ("GMM", (1, 128, 128, 128)),
    "conv2d 14x14x256x256, 3x3": ("C2D", (1, 14, 14, 256, 256, 3, 1, 1)),
    "depthwise 14x14x512, 3x3": ("DEP", (1, 14, 14, 512, 3, 2, 1)),
    "softmax 256x256": ("SFM", (256, 256)),
}
WAYS = ("forerun", "stock", "default")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan, and the module that it makes."""

    plan: Plan
    module: Any


@dataclass(frozen=True, slots=True)
class Block:
    """Some candidates of one program, measured in one go: the first word of each one's error, empty for none."""

    seconds: float
    errors: tuple[str, ...]


Way = Callable[[Program, Sequence[Candidate]], Block]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=3, help="of each program (3)")
    parser.add_argument("--candidates", type=int, default=64, help="of a block (64: what TVM measures at a time)")
    options = parser.parse_args()
    target = targets.here(1)
    intrinsics(targets.made(target))
    with stock() as theirs, Pool(imports=IMPORTS) as pool:
        rows = measured(
            {"forerun": partial(ours, pool), **theirs}, programs(target), options.blocks, options.candidates
        )
    summary = {
        "tool": f"tvm {found().version}",
        "python": platform.python_version(),
        "target": json.loads(target),
        "cores": len(os.sched_getaffinity(0)),
        "blocks": options.blocks,
        "candidates": options.candidates,
        "programs": rows,
        "ratio": {way: ratio(rows, way) for way in WAYS[1:]},
        "load": os.getloadavg()[0],
    }
    write_atomically(RESULTS / "measuring.json", (json.dumps(summary, indent=1) + "\n").encode())
    printed(rows)
    for way, told in summary["ratio"].items():
        print(f"{told['value']:.2f} [{told['low']:.2f}, {told['high']:.2f}] times the candidates a minute of {way}")


def programs(target: str) -> Iterator[Program]:
    """What is measured: of TVM's own set, and one that it lacks."""
    from tvm import te
    from tvm.s_tir.meta_schedule.testing.te_workload import CONFIGS

    for name, (kind, sizes) in WORKLOADS.items():
        yield _program(name, CONFIGS[kind][0](*sizes), target)
    scores, values = te.placeholder((4, 64, 64), name="scores"), te.placeholder((4, 64, 32), name="values")
    yield _program("softmax, matmul 4x64x64x32", [scores, values, attended(scores, values)], target)


def attended(scores: Any, values: Any) -> Any:
    """The softmax of each row of scores `[H, T, S]`, times values `[H, S, C]`."""
    from tvm import te, topi

    weights = topi.nn.softmax(scores, axis=2)
    over = te.reduce_axis((0, scores.shape[2]), name="over")
    shape = (scores.shape[0], scores.shape[1], values.shape[2])
    return te.compute(shape, lambda h, i, j: te.sum(weights[h, i, over] * values[h, over, j], axis=over), name="out")


def _program(name: str, tensors: Sequence[Any], target: str) -> Program:
    from tvm import IRModule, te

    module = IRModule({"main": te.create_prim_func(list(tensors)).with_attr("global_symbol", "main")})
    return Program(Source(module.script(), Schedule.reads[0], name, target))


def measured(ways: Mapping[str, Way], found: Iterator[Program], blocks: int, size: int) -> list[dict[str, Any]]:
    """A row for each program. Ways take turns, each block in another order."""
    drawn = [(program, candidates(program)) for program in found]
    done: dict[str, dict[str, list[Block]]] = {p.source.name: {way: [] for way in ways} for p, _ in drawn}
    for turn in range(blocks):
        for program, stream in drawn:
            block = list(islice(stream, size))
            for place in range(len(ways)):
                way = list(ways)[(turn + place) % len(ways)]
                done[program.source.name][way].append(ways[way](program, block))
                print(program.source.name, turn, way, done[program.source.name][way][-1].seconds, file=sys.stderr)
    return [_row(name, own) for name, own in done.items()]


def _row(name: str, own: Mapping[str, Sequence[Block]]) -> dict[str, Any]:
    errors = {way: [error for block in blocks for error in block.errors] for way, blocks in own.items()}
    judged = errors["forerun"]
    told = {
        way: {
            "seconds": [block.seconds for block in blocks],
            "a_minute": 60 * len(judged) / sum(block.seconds for block in blocks),
            "errors": dict(Counter(filter(None, errors[way]))),
        }
        for way, blocks in own.items()
    }
    wrong = {way: sum(a == "wrong" and not b for a, b in zip(judged, errors[way], strict=True)) for way in WAYS[1:]}
    return {"program": name, "candidates": len(judged), "wrong_but_accepted": wrong, **told}


def candidates(program: Program) -> Iterator[Candidate]:
    """Distinct random plans that TVM can post-process."""
    seen = set()
    for seed in range(100_000):
        plan = Uniform().sample("", Decisions(program), 1, seed)[0].answer
        if plan is not None and plan not in seen:
            seen.add(plan)
            try:
                yield Candidate(plan, program.scheduled(plan).mod)
            except Refused:
                continue


def ours(pool: Pool, program: Program, block: Sequence[Candidate]) -> Block:
    """Each worker also computes what the program must give."""
    start, errors = time.perf_counter(), [""] * len(block)
    for place, measurement in pool.measure(Schedule(), program.source, [each.plan for each in block]):
        errors[place] = measurement.error.partition(":")[0]
    return Block(time.perf_counter() - start, tuple(errors))


@contextmanager
def stock() -> Iterator[dict[str, Way]]:
    """TVM's local builder with a runner that runs as often as we do, and with one as it comes."""
    from tvm.s_tir.meta_schedule.builder import LocalBuilder
    from tvm.s_tir.meta_schedule.runner import EvaluatorConfig, LocalRunner

    before = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        # TVM's workers import TVM, which imports torch where it is installed, before anything can be told to them.
        (Path(folder) / "torch.py").write_text("raise ModuleNotFoundError('not needed here')\n", encoding="utf-8")
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, sys.path)])
        try:
            builder = LocalBuilder(initializer=plain)
            configs = {"stock": EvaluatorConfig(number=1, repeat=10, min_repeat_ms=0), "default": None}
            runners = {
                name: LocalRunner(initializer=plain, evaluator_config=config) for name, config in configs.items()
            }
            yield {name: partial(_theirs, builder, runner) for name, runner in runners.items()}
        finally:
            os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


def _theirs(builder: Any, runner: Any, program: Program, block: Sequence[Candidate]) -> Block:
    from tvm.s_tir.meta_schedule.arg_info import ArgInfo
    from tvm.s_tir.meta_schedule.builder import BuilderInput
    from tvm.s_tir.meta_schedule.runner import RunnerInput
    from tvm.s_tir.meta_schedule.utils import remove_build_dir

    arguments = ArgInfo.from_prim_func(program.module["main"])
    start = time.perf_counter()
    made = builder.build([BuilderInput(each.module, program.target) for each in block])
    errors = ["" if each.error_msg is None else "build" for each in made]
    paths = {place: str(each.artifact_path) for place, each in enumerate(made) if not errors[place]}
    futures = runner.run([RunnerInput(path, "cpu", arguments) for path in paths.values()])
    for place, future in zip(paths, futures, strict=True):
        message = future.result().error_msg
        errors[place] = "" if message is None else "timeout" if "Timeout" in message else "run"
    seconds = time.perf_counter() - start
    for path in paths.values():
        remove_build_dir(path)
    return Block(seconds, tuple(errors))


def ratio(rows: Sequence[Mapping[str, Any]], way: str) -> dict[str, float]:
    """How many times its candidates a minute we measure: the geometric mean over blocks, drawn by program."""
    groups = [[b / a for a, b in zip(row["forerun"]["seconds"], row[way]["seconds"], strict=True)] for row in rows]
    interval = bootstrap(groups, geometric_mean)
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def printed(rows: Sequence[Mapping[str, Any]]) -> None:
    columns = [
        Column("program", "program"),
        Column("candidates", "candidates", number, True),
        *(Column(way, f"{way}, a minute", lambda value: f"{value:.1f}", True) for way in WAYS),
        Column("wrong", "wrong, accepted by stock", number, True),
    ]
    lines = [
        {"program": row["program"], "candidates": row["candidates"], "wrong": row["wrong_but_accepted"]["stock"]}
        | {way: row[way]["a_minute"] for way in WAYS}
        for row in rows
    ]
    show(Table(columns, lines), "table")


if __name__ == "__main__":
    main()
