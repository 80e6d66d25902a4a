"""Of `forerun collect`: how long kernels take that PyTorch's compiler makes of the layers of published networks."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from forerun import parallel, settings
from forerun.cli._measuring import TIMES, times
from forerun.cli.render import Column, Progress, Table, counted, number, show
from forerun.collect import Measured, stream
from forerun.corpora.inductor import LIBRARIES, Found, Network, drawn, made, named
from forerun.errors import ForerunError, UsageError
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tasks.kernels import Kernels
from forerun.toolchains.inductor.target import DEVICES, here, networks


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    counts = " or ".join(f"{len(library.FAMILIES)} of {name}" for name, library in LIBRARIES.items())
    parser.description = (
        f"{parser.description} {counts}: families of networks in turn, weights and inputs random. Networks are"
        " compiled by as many workers as the setting `workers` says (one, for the processor), while one worker times"
        " kernels, one after another."
    )
    parser.add_argument("--networks", type=int, default=120, metavar="N", help="so many networks (default: 120)")
    parser.add_argument(
        "--library", choices=LIBRARIES, default="transformers", help="whose networks (default: transformers)"
    )
    parser.add_argument("--seed", type=int, default=0, help="which ones are drawn (default: 0)")
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="what they are made for (default: cpu)")
    parser.add_argument(
        "--called", default="", metavar="NAME", help="what the device is called (default: its own name)"
    )
    parser.add_argument("--minutes", type=float, help="stop after so long; what is measured is kept")
    parser.add_argument("--repeats", type=int, default=15, help="samples of a kernel (default: 15)")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="that the samples of a kernel may take together (default: 0.3)"
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, help="seconds that compiling one network may take (default: 300)"
    )
    parser.add_argument("--again", action="store_true", help="run those once more that ran into a limit")


def run(options: argparse.Namespace) -> int:
    """Times every kernel; prints a row for each family."""
    if options.networks < 1 or options.repeats < 3 or not options.seconds > 0 or not options.timeout > 0:
        raise UsageError(
            f"--networks {options.networks}, --repeats {options.repeats}, --seconds {options.seconds:g},"
            f" --timeout {options.timeout:g}",
            "there is one network at least, a kernel has 3 samples at least, and all of it takes time",
            "for example: --networks 120 --repeats 15 --seconds 0.3 --timeout 300",
        )
    networks(options.library)
    settings.override("timeout", str(options.timeout))
    store, refused = options.store or settings.store_path(), Counter[str]()
    task, ends = Kernels(options.repeats, options.seconds), _ends(options.minutes)
    done, progress, compiling = [], Progress(None, "kernels"), _Compiling(ends)
    groups = _compiled(options, store, compiling, refused)
    with closing(stream(groups, task, store, options.again)) as measured, compiling:
        for one in measured:
            done.append(one)
            progress.step(one.item.source.name)
            if time.monotonic() > ends:
                break
    progress.end()
    print(f"trials are in {store}", file=sys.stderr)
    for reason, count in refused.most_common():
        print(f"{counted(count, 'network')} left out: {reason}", file=sys.stderr)
    for reason, count in Counter(m.measurement.error.partition("\n")[0][:150] for m in done).most_common():
        if reason:
            print(f"{counted(count, 'kernel')} failed: {reason}", file=sys.stderr)
    show(_table(done), options.format)
    return 0 if any(m.measurement.ok for m in done) else 1


def _ends(minutes: float | None) -> float:
    return time.monotonic() + 60 * minutes if minutes else float("inf")


@dataclass
class _Compiling:
    """What compiles networks until the time is over; networks in hand are then nobody's any more."""

    ends: float
    pools: set[Pool] = field(default_factory=set)

    @property
    def over(self) -> bool:
        return time.monotonic() > self.ends

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.ends = -math.inf
        for pool in list(self.pools):
            pool.kill()


def _compiled(
    options: argparse.Namespace, store: Path, compiling: _Compiling, refused: Counter[str]
) -> Iterator[list[Found]]:
    """The kernels of each network, ready to run; `refused` counts the reasons of those that are not."""
    where = str(here(options.device, options.called))
    workers = settings.workers() if options.device != "cpu" or settings.get("workers") else 1

    def work(network: Network, pool: Pool, _: Store) -> list[Found] | str:
        compiling.pools.add(pool)
        if compiling.over:
            return []
        try:
            found = pool.call(made, network, options.device)
        except ForerunError as error:
            return [] if compiling.over else error.why.partition("\n")[0][:150]
        return found if isinstance(found, str) else list(named(network, found, where))

    chosen = drawn(options.networks, options.seed, options.device != "cpu", options.library)
    print(f"{counted(options.networks, 'network')}, {workers} at a time, on {where}", file=sys.stderr)
    for found in parallel.each(chosen, work, store, workers):
        if isinstance(found, str):
            refused[found] += 1
        else:
            yield found


def _table(done: Sequence[Measured[Found]]) -> Table:
    families = sorted({one.item.group for one in done})
    return Table(
        [
            Column("family", "family"),
            Column("kernels", "kernels", number, True),
            Column("measured", "measured", number, True),
            *TIMES,
        ],
        [_row(family, [one for one in done if one.item.group == family]) for family in families],
    )


def _row(family: str, own: Sequence[Measured[Found]]) -> dict[str, object]:
    good = [one.measurement for one in own if one.measurement.ok]
    return {"family": family, "kernels": len(own), "measured": len(good), **times(good)}
