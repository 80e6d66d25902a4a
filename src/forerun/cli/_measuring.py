"""Of `forerun collect`: what every collection of facts shows while it goes on, and of what failed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from forerun import settings
from forerun.cli.render import Column, Progress, counted, percent
from forerun.collect import Measured, X, measure
from forerun.core import Measurement
from forerun.stats import median, quantile
from forerun.tasks._numbers import Numbers
from forerun.tasks.latency import LATENCY

TIMES = [
    Column("least", "least", LATENCY.show, True),
    Column("median", "median", LATENCY.show, True),
    Column("p90", "90% below", LATENCY.show, True),
    Column("spread", "median spread", percent, True),
]
"""Columns for what `times` says."""


def times(good: Sequence[Measurement]) -> dict[str, float]:
    """How latencies are spread, in seconds; nothing where there are none."""
    if not good:
        return {}
    values = [each.values["latency"] for each in good]
    spread = median([each.values["latency_spread"] for each in good])
    return {"least": min(values), "median": median(values), "p90": quantile(values, 0.9), "spread": spread}


def measured(
    items: Sequence[X], what: str, task: Numbers, workers: int, kind: Callable[[str], str], options: argparse.Namespace
) -> list[Measured[X]]:
    """Measures all items, each a `what`; says how far it is, and how many failed with each `kind` of error."""
    store = options.store or settings.store_path()
    print(f"{counted(len(items), what)}, {workers} at a time", file=sys.stderr)
    progress, done = Progress(len(items), f"{what}s"), []
    for one in measure(items, task, store, workers, options.again):
        done.append(one)
        progress.step(one.item.source.name)
    progress.end()
    print(f"trials are in {store}", file=sys.stderr)
    for reason, count in Counter(kind(m.measurement.error) for m in done if m.measurement.error).most_common():
        print(f"{counted(count, what)} failed: {reason}", file=sys.stderr)
    return done
