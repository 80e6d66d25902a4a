"""Of `forerun collect`: how long schedules of tensor programs take, drawn at random or proposed by a model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

from forerun import registry, settings
from forerun.cli.render import Column, Progress, Table, counted, number, show
from forerun.core import Model, Result
from forerun.corpora import workloads
from forerun.corpora.workloads import Use, Workload
from forerun.errors import ForerunError, UsageError, meant
from forerun.files import in_folder
from forerun.grammars.decisions import Plan
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.solve import Budget, solve
from forerun.stats import geometric_mean
from forerun.store import Store
from forerun.tasks.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Tuned:
    """What became of one workload: the result, or why there is none."""

    workload: Workload
    result: Result[Plan] | None
    reason: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("--workloads", type=Path, required=True, metavar="FILE", help="tensor programs, as JSON lines")
    parser.add_argument(
        "--extract",
        nargs="*",
        metavar="NETWORK",
        help="first write that file, from these networks (all)",
    )
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY", help="those that only these use")
    parser.add_argument("--but", action="append", default=[], metavar="FAMILY", help="those that none of these uses")
    parser.add_argument("--candidates", type=int, default=64, metavar="N", help="of each program (default: 64)")
    parser.add_argument(
        "--target", default="llvm:1", help="where they run (default: llvm:1, one thread of this machine)"
    )
    parser.add_argument(
        "--rpc", metavar="HOST:PORT[/KEY]", help="measure on another machine: TVM's RPC server, or a tracker's device"
    )
    parser.add_argument("--model", default=Uniform.name, help="who proposes (default: uniform)")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="of the model that proposes")
    parser.add_argument("--seed", type=int, default=0, help="which ones are drawn (default: 0)")


def run(options: argparse.Namespace) -> int:
    """Measures every program's candidates; prints a row for each family."""
    from forerun.toolchains.tvm.device import located, workers
    from forerun.tuning.resuming import Resuming

    if options.extract is not None:
        extract(options)
    found = chosen(options)
    if not found or options.candidates < 1:
        why = f"{counted(len(found), 'program')} left of {options.workloads}, --candidates {options.candidates}"
        raise UsageError(
            "there is nothing to measure", why, "name families that are in the file, and 1 candidate at least"
        )
    place, store = located(options.target, options.rpc), options.store or settings.store_path()
    model: Callable[..., Model] = registry.find("models", options.model)
    progress, done = Progress(len(found), "programs"), list[Tuned]()
    proposes = model(options.checkpoint) if options.checkpoint else model()

    def work(workload: Workload, pool: Pool, opened: Store) -> Tuned:
        own = crc32(workload.text.encode()) ^ options.seed
        try:
            task, budget = Schedule(remote=place.remote, seed=options.seed), Budget(options.candidates)
            source = workload.source(place.target)
            result = solve(task, proposes, source, pool=pool, budget=budget, seed=own, store=opened, searching=Resuming)
            return Tuned(workload, result)
        except ForerunError as error:
            return Tuned(workload, None, f"{error.what}: {error.why}")

    # One at a time, its kernels built by all workers: other programs beside it are noise.
    with workers(place) as pool, Store(store) as opened:
        for workload in found:
            done.append(work(workload, pool, opened))
            progress.step(workload.name)
    progress.end()
    print(f"trials are in {store}", file=sys.stderr)
    for tuned in done:
        if tuned.reason:
            print(f"{tuned.workload.name} is left out: {tuned.reason}", file=sys.stderr)
    show(_table(done), options.format)
    return 0 if any(tuned.result for tuned in done) else 1


def extract(options: argparse.Namespace) -> None:
    """Adds the programs of networks to the file; those of networks that are in it already are not made again."""
    from forerun.corpora import tensor_networks
    from forerun.toolchains.tvm import target
    from forerun.toolchains.tvm.device import IMPORTS

    path = in_folder("--workloads", options.workloads)
    found = {each.text: each for each in workloads.read(path)} if path.is_file() else {}
    there = {use.network for each in found.values() for use in each.uses}
    wanted = options.extract or ()
    _check([name for name in wanted if not name.startswith(tensor_networks.OWN)], tensor_networks.named())
    every = tensor_networks.networks()
    _check(wanted, every)
    asked = [name for name in wanted or every if name not in there]
    progress, device = Progress(len(asked), "networks"), target.parse(options.target)
    with Pool(1, Limits(timeout_s=900.0, memory_bytes=16 << 30), IMPORTS) as pool:
        for name in asked:
            try:
                made = pool.call(_programs, name, device)
            except ForerunError as error:
                print(f"{name} is left out: {error.what}: {error.why}", file=sys.stderr)
                made = []
            for each in made:
                known = found.get(each.text)
                found[each.text] = replace(known, uses=known.uses + each.uses) if known else each
            workloads.write(path, found.values())
            progress.step(name)
    progress.end()


def _check(wanted: Sequence[str], known: Mapping[str, object]) -> None:
    """Raises UsageError for a network that there is not."""
    if unknown := [name for name in wanted if name not in known]:
        todo = meant(unknown[0], known, 0.5, 3, str) or f"take some of: {', '.join(known)}"
        raise UsageError(f"--extract {unknown[0]}", "there is no such network", todo)


def _programs(name: str, device: str) -> list[Workload]:
    """In a worker: a network takes up to gigabytes."""
    from forerun.corpora import tensor_networks
    from forerun.toolchains.tvm import target

    made, _ = tensor_networks.programs(name, target.made(device))
    fit = [program for program in made if not program.unfit]
    return [
        Workload(
            one.name, one.workload.text, one.workload.flops,
            (Use(name, one.network.family, one.network.batch, one.workload.weight, one.layouts),),
        )
        for one in fit
    ]  # fmt: skip


def chosen(options: argparse.Namespace) -> list[Workload]:
    """The programs that were asked for, in an order that has nothing to do with where they come from."""
    found = workloads.read(options.workloads)
    only, but = set(options.only), set(options.but)
    kept = [each for each in found if (not only or each.families <= only) and not each.families & but]
    return sorted(kept, key=lambda each: crc32(each.text.encode()))


def _table(done: Sequence[Tuned]) -> Table:
    families = sorted({tuned.workload.family for tuned in done})
    return Table(
        [
            Column("family", "family"),
            Column("programs", "programs", number, True),
            Column("measured", "measured", number, True),
            Column("failed", "failed", number, True),
            Column("speedup", "best over the default", lambda value: f"{value:.2f}x", True),
        ],
        [_row(family, [tuned for tuned in done if tuned.workload.family == family]) for family in families],
    )


def _row(family: str, own: Sequence[Tuned]) -> dict[str, object]:
    results = [tuned.result for tuned in own if tuned.result]
    trials = [trial for result in results for trial in result.trials]
    failed = sum(not trial.measurement.ok for trial in trials)
    row: dict[str, object] = {"family": family, "programs": len(own), "measured": len(trials), "failed": failed}
    return row | ({"speedup": geometric_mean([r.before / r.after for r in results])} if results else {})
