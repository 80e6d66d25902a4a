"""Who gets the next trials: the program whose next round promises to save most of the network's time for its own.

What a round saves was measured in 90 searches of programs of held-out networks (`benchmarks/results/tuning.jsonl`), as
a share of what its kernel takes beyond what it would at the rate of the fastest program, 118 GFLOP/s. After the next 8
trials it is .56, .37, .49 and .37 where there was 1, for quarters from the slowest to the fastest; .11, .18, .16 and
.09 where there were 9, .08, .08, .08 and .08 where there were 17, .03, .02, .03 and .07 where there were 33: one and a
quarter over their number, whatever the rate. As a factor that all have alike, that decides nothing. What the last round
saved says little beside it: after 33 trials .0064 of the whole where the one before saved nothing, else .0087.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forerun.core import Model
from forerun.toolchains.tvm.extract import Extracted
from forerun.tuning.resuming import Resuming

ROUND = 8
"""Trials that are dealt at once: a worker prepares inputs and reference again when it turns to another program."""
_AHEAD = 1.1
"""How many times as fast as the fastest program of a network any may become."""
_BUILD_S = 0.1
"""Seconds to build a kernel where none was built."""


@dataclass
class Hand:
    """A program and its search."""

    program: Extracted
    search: Resuming
    best_s: float = 0.0
    """The fastest right kernel so far, the default at first."""

    def __post_init__(self) -> None:
        self.best_s = self.before_s

    @property
    def before_s(self) -> float:
        """Seconds of the default."""
        metric = self.search.task.metric.name
        return self.search.baseline.measurement.values[metric]

    @property
    def rate(self) -> float:
        """Operations in a second of its fastest kernel."""
        return self.program.flops / self.best_s

    def promise(self, rate: float) -> float:
        """What each second of another round may save of the network's time, in proportion to those of others, where no
        program has more operations in a second than `rate`. Rounds take as long as kernels take to be built."""
        beyond_s = max(self.best_s - self.program.flops / rate, 0.0)
        found = [seconds for each in self.search.trials if (seconds := each.measurement.values.get("build"))]
        build_s = sum(found) / len(found) if found else _BUILD_S
        return self.program.weight * beyond_s / max(1, len(self.search.trials)) / build_s

    def round(self, n: int, model: Model | None = None) -> int:
        """Measures a round of `n`, of the search's own model or another one; how many were new."""
        return len(self.search.round(n, model=model))


def deal(hands: Sequence[Hand], trials: int, per_task: int | None = None) -> None:
    """Deals until there are `trials` in all, at most `per_task` of a hand; those that were before count. Each that had
    none gets a round first, those that weigh most before others; one whose search is dry gets no more.
    """
    most = trials if per_task is None else per_task
    left = trials - sum(len(hand.search.trials) for hand in hands)
    untried = [hand for hand in hands if not hand.search.trials]
    first = max(1, min(ROUND, left // len(hands)))
    for hand in sorted(untried, key=lambda hand: -hand.program.weight * hand.best_s):
        left -= hand.round(min(first, most, left)) if left else 0
    while left and (open_ := [h for h in hands if not h.search.dry and len(h.search.trials) < most]):
        rate = _AHEAD * max(hand.rate for hand in hands)
        hand = max(open_, key=lambda hand: hand.promise(rate))
        left -= hand.round(min(ROUND, most - len(hand.search.trials), left))
