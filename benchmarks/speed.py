"""How many plans a second: a worker that holds the module, against `opt` and `llc` as processes; then two workers.

    python benchmarks/speed.py

The same modules (from Debian source packages), the same plans, an object each, everything on one core, in turn in one
run. A worker remembers the objects of equal optimised modules: it is timed with that and without.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from forerun import clock, improve, settings
from forerun.core import Source
from forerun.corpora import debian
from forerun.files import write_atomically
from forerun.grammars.pipelines import Pipelines, Plan, merge
from forerun.models.mix import SHARED, compose
from forerun.models.uniform import Uniform, stream
from forerun.sandbox import Pool
from forerun.stats import median, quantile
from forerun.tasks.passes import Passes, instructions
from forerun.toolchains.llvm import clang, stock
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
        for seed in count():
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
        major = clang.compiler_version(compiler)[1]
        row: dict[str, Any] = {"module": found.name, "instructions": instructions(found.source.text)}
        with on(cores[:1]):
            row["one core"] = against_processes(found, major, options.repeats)
            row["one core, a list for each function"] = for_each_function(found, major, options.repeats)
        if len(cores) > 1:
            row["two workers against one"] = two_workers(found, cores[:2], options.repeats)
        rows.append(row | {"load": os.getloadavg()[0]})
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
        ways = {
            "worker": Way(found.plans, partial(by_pool, remembering, found), partial(worker_cpu, remembering)),
            "worker without memory": Way(found.plans, partial(by_pool, distinct, found), partial(worker_cpu, distinct)),
            "opt and llc": Way(found.plans, partial(by_tools, module, found, major), tools_cpu),
        }
        return compared(ways, repeats)


def for_each_function(found: Case, major: int, repeats: int) -> dict[str, Any]:
    """The same with a list for each function. `opt` takes one list for a module, so each function costs two of it."""
    grammar = found.task.grammar(found.source)
    local = tuple(grammar.local)

    def plans() -> Iterator[list[Plan]]:
        for seed in count():
            draw = stream(seed, "speed")
            lists = {name[1:]: tuple(draw.choices(local, k=draw.randint(1, 20))) for name in grammar.functions}
            yield [compose(SHARED[0], lists)]

    with Pool(1) as pool:
        ways = {
            "worker": Way(plans(), partial(by_pool, pool, found), partial(worker_cpu, pool)),
            "stock tools": Way(plans(), partial(by_replay, found, major), tools_cpu),
        }
        return compared(ways, repeats)


@dataclass
class Way:
    """One way of measuring: the sets of plans that it draws, how it runs one, and the CPU seconds it has taken."""

    sets: Iterator[list[Plan]]
    run: Callable[[list[Plan]], None]
    cpu: Callable[[], float]
    used: list[float] = field(default_factory=list)
    """CPU seconds for each plan of each set: other work on the machine lengthens the clock's time, but not these."""

    plans: int = 0
    """In the last set."""

    def __call__(self) -> None:
        """Measures the next set."""
        plans, before = next(self.sets), self.cpu()
        self.run(plans)
        self.plans = len(plans)
        self.used.append((self.cpu() - before) / self.plans)


def worker_cpu(pool: Pool) -> float:
    return pool.call(time.process_time) + time.process_time()


def tools_cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime + time.process_time()


def compared(ways: dict[str, Way], repeats: int) -> dict[str, Any]:
    """Rates, and ratios to the last way."""
    timings = clock.interleaved(ways, repeats)
    last = list(ways)[-1]
    rows = {}
    for name, way in ways.items():
        cpu = rate(way.used[1:], ways[last].used[1:], 1)
        rows[name] = rate(timings[name].seconds, timings[last].seconds, way.plans) | {"by cpu": cpu}
    return rows


def two_workers(found: Case, cores: Sequence[int], repeats: int) -> dict[str, Any]:
    """One worker and two, both free to use two cores."""
    with on(cores), Pool(1) as one, Pool(2) as two:
        timings = clock.interleaved(
            {"1": alternating(one, found), "2": alternating(two, found)},
            repeats,
        )
    return rate(timings["2"].seconds, timings["1"].seconds, 30)


def alternating(pool: Pool, found: Case) -> Callable[[], None]:
    """Measures the next set of plans at each call."""
    sets = found.plans
    return lambda: by_pool(pool, found, next(sets))


def by_pool(pool: Pool, found: Case, plans: list[Plan]) -> None:
    """One set of plans. Raises AssertionError where one fails."""
    for _, measurement in pool.measure(found.task, found.source, plans):
        assert measurement.values, measurement.error


def by_tools(module: Path, found: Case, major: int, plans: list[Plan]) -> None:
    """The same set through files. Raises CalledProcessError where one fails."""
    target, output = Target.parse(found.source.target), module.with_suffix(".o")
    optimised = module.with_name("b.bc")
    opt, llc = clang.tool("opt", major), target.llc(clang.tool("llc", major), str(optimised), str(output))
    for plan in plans:
        passes = f"-passes={merge(plan.steps)}"
        subprocess.run([opt, passes, str(module), "-o", str(optimised)], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(llc, check=True, stderr=subprocess.DEVNULL)


def by_replay(found: Case, major: int, plans: list[Plan]) -> None:
    """Plans with lists for functions, as `forerun verify` replays them."""
    target = Target.parse(found.source.target)
    for plan in plans:
        stock.object_file(stock.bitcode(found.source.text, plan, target, major), target, major)


def bare(found: Case, major: int) -> bytes:
    """The module as bitcode, without debug information, as the worker holds it."""
    return subprocess.run(
        [clang.tool("opt", major), "--strip-debug", "-passes=verify", "-", "-o", "-"],
        input=found.source.text.encode("utf-8", "surrogateescape"),
        check=True,
        capture_output=True,
    ).stdout


def rate(seconds: Sequence[float], against: Sequence[float], plans: int) -> dict[str, Any]:
    """Evaluations a second (median turn) and the speed-up over the other way in the same turn: median, quartiles."""
    ratios = [b / a for a, b in zip(seconds, against, strict=True)]
    return {
        "per second": plans / median(seconds),
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
