"""Of `forerun collect`: what every collection of facts shows while it goes on, and of what failed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from forerun import settings
from forerun.cli.render import Progress, counted
from forerun.collect import Measured, X, measure
from forerun.tasks._numbers import Numbers


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
