"""How many plans a second: a worker that holds the module, against `opt` and `llc` as processes; then two workers.

    python benchmarks/speed.py

The same modules (from Debian source packages), the same plans, an object each, everything on one core, in turn in one
run. A worker remembers the objects of equal optimised modules: it is timed with that and without.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from forerun import clock, improve, settings
from forerun.core import Source
from forerun.corpora import debian
from forerun.files import write_atomically
from forerun.grammars.pipelines import Pipelines, Plan, merge
from forerun.models.uniform import Uniform
from forerun.sandbox import Pool
from forerun.stats import median, quantile
from forerun.tasks.passes import Passes, instructions
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.target import Target

RESULTS = Path(__file__).parent / "results"
MODULES = (("zlib", "compress.c"), ("zlib", "inftrees.c"), ("lua5.4", "ldebug.c"))
FORGET = "from forerun.toolchains.llvm import module; module._REMEMBERED = 0"


@dataclass(frozen=True, slots=True)
class Case:
    """One module, ready to be measured by a worker, and as bitcode for the stock tools."""

    name: str
    task: Passes
    source: Source

    @property
    def plans(self) -> Iterator[list[Plan]]:
        """Sets of plans without end, -Oz first in each: every way of measuring draws the same."""
        grammar = Pipelines(self.task.vocabulary)
        for seed in cycle(range(1000)):
            drafts = Uniform(20).sample("", grammar, 29, seed)
            yield [Plan(("default<Oz>",)), *(d.answer for d in drafts if d.answer is not None)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="sets of 30 plans for each module (5)")
    options = parser.parse_args()
    compiler = clang.default_compiler()
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    for package, name in MODULES:
        found = case(package, name, compiler)
        with on(cores[:1]):
            row = against_processes(found, clang.compiler_version(compiler)[1], options.repeats)
        row |= two_workers(found, cores[:2], options.repeats) if len(cores) > 1 else {}
        rows.append({"module": f"{package}/{name}", "instructions": instructions(found.source.text), **row})
        print(json.dumps(rows[-1]), flush=True)
    summary = {"tool": clang.compiler_version(compiler)[0], "plans": 30, "repeats": options.repeats, "modules": rows}
    write_atomically(RESULTS / "speed.json", (json.dumps(summary, indent=1) + "\n").encode())


def case(package: str, name: str, compiler: str) -> Case:
    """Raises ForerunError where the package does not build."""
    units = debian.build(debian.fetch(package, settings.cache_folder() / "debian"), compiler)
    unit = next(unit for unit in units if Path(unit.file).name == name)
    command = clang.read_command([compiler, *unit.command[1:], "-Oz"], unit.directory)
    assert not isinstance(command, str), command
    task, source = improve.prepare(command, improve.Options(), clang.front_end(command))
    return Case(f"{package}/{name}", task, source)


def against_processes(found: Case, major: int, repeats: int) -> dict[str, Any]:
    """Evaluations a second of each way, on the cores of this process, and the ratio of each turn."""
    with Pool(1) as remembering, Pool(1) as distinct, tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        distinct.call(exec, FORGET)
        module = Path(folder) / "a.bc"
        module.write_bytes(bare(found, major))
        timings = clock.interleaved(
            {
                "worker": partial(by_pool, remembering, found, found.plans),
                "worker, equal modules emitted again": partial(by_pool, distinct, found, found.plans),
                "opt and llc": partial(by_tools, module, found, major, found.plans),
            },
            repeats,
        )
    stock = timings["opt and llc"].seconds
    return {name: rate(timing.seconds, stock) for name, timing in timings.items()}


def two_workers(found: Case, cores: Sequence[int], repeats: int) -> dict[str, Any]:
    """One worker and two, both free to use two cores."""
    with on(cores), Pool(1) as one, Pool(2) as two:
        timings = clock.interleaved(
            {"1": partial(by_pool, one, found, found.plans), "2": partial(by_pool, two, found, found.plans)}, repeats
        )
    return {"two workers": rate(timings["2"].seconds, timings["1"].seconds)}


def by_pool(pool: Pool, found: Case, sets: Iterator[list[Plan]]) -> None:
    """One set of plans. Raises AssertionError where one fails."""
    for _, measurement in pool.measure(found.task, found.source, next(sets)):
        assert measurement.values, measurement.error


def by_tools(module: Path, found: Case, major: int, sets: Iterator[list[Plan]]) -> None:
    """The same set through files. Raises CalledProcessError where one fails."""
    target, output = Target.parse(found.source.target), module.with_suffix(".o")
    optimised = module.with_name("b.bc")
    opt, llc = clang.tool("opt", major), target.llc(clang.tool("llc", major), str(optimised), str(output))
    for plan in next(sets):
        passes = f"-passes={merge(plan.steps)}"
        subprocess.run([opt, passes, str(module), "-o", str(optimised)], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(llc, check=True, stderr=subprocess.DEVNULL)


def bare(found: Case, major: int) -> bytes:
    """The module as bitcode, without debug information, as the worker holds it."""
    return subprocess.run(
        [clang.tool("opt", major), "--strip-debug", "-passes=verify", "-", "-o", "-"],
        input=found.source.text.encode("utf-8", "surrogateescape"),
        check=True,
        capture_output=True,
    ).stdout


def rate(seconds: Sequence[float], against: Sequence[float]) -> dict[str, float]:
    """Evaluations a second (median turn) and the speed-up over the other way in the same turn: median, quartiles."""
    ratios = [b / a for a, b in zip(seconds, against, strict=True)]
    return {
        "per second": 30 / median(seconds),
        "times as fast": median(ratios),
        "low": quantile(ratios, 0.25),
        "high": quantile(ratios, 0.75),
    }


@contextmanager
def on(cores: Sequence[int]) -> Iterator[None]:
    """Processes started here stay on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


if __name__ == "__main__":
    main()
