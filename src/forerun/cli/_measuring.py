"""Of `forerun collect`: what every collection of facts shows while it goes on, and of what failed."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence

from forerun import settings
from forerun.cli.render import Column, Progress, counted, percent, say
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
_NAMED = 3
"""Others that failed in the same way, by name."""


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
    """Measures all items, each a `what`; says how far it is, how many failed with each `kind` of error, one of them
    with the whole of it, and the names of some others."""
    store = options.store or settings.store_path()
    say(f"{counted(len(items), what)}, {workers} at a time")
    progress, done = Progress(len(items), f"{what}s"), []
    for one in measure(items, task, store, workers, options.again):
        done.append(one)
        progress.step(one.item.source.name)
    progress.end()
    say(f"trials are in {store}")
    failed = [one for one in done if one.measurement.error]
    for reason, count in Counter(kind(one.measurement.error) for one in failed).most_common():
        own = [one for one in failed if kind(one.measurement.error) == reason]
        first, *others = sorted(own, key=lambda one: one.item.source.name)
        error = first.measurement.error.partition("\n")[0][:150]
        whole = "" if error == reason else f": {error}"
        also = [one.item.source.name for one in others[:_NAMED]] + ["…"] * (len(others) > _NAMED)
        names = "; ".join([f"{first.item.source.name}{whole}", *also])
        say(f"{counted(count, what)} failed: {reason} ({names})")
    return done
