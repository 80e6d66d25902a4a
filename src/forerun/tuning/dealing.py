"""Who gets the next trials: the program whose next round promises to save most of the network's time.

What a round saves was measured: in 102 searches of programs of held-out networks (`benchmarks/results/tuning.jsonl`)
the best kernel takes less by .19 of its time after the next 8 trials where there was 1, by .033 where there were 9,
.023 after 17, .0070 after 33, .0036 after 49. That is a quarter over their number, within a factor of one and a half;
as a factor that all have alike, the quarter decides nothing. What the last round saved says little beside it: after 33
trials .0064 where the one before saved nothing, else .0087.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forerun.core import Model
from forerun.toolchains.tvm.extract import Extracted
from forerun.tuning.resuming import Resuming

ROUND = 8
"""Trials that are dealt at once: a worker prepares inputs and reference again when it turns to another program."""


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
    def promise(self) -> float:
        """What another round may save of the network's time, in proportion to what it may save of others' programs."""
        return self.program.weight * self.best_s / max(1, len(self.search.trials))

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
    for hand in sorted(untried, key=lambda hand: -hand.promise):
        left -= hand.round(min(first, most, left)) if left else 0
    while left and (open_ := [h for h in hands if not h.search.dry and len(h.search.trials) < most]):
        hand = max(open_, key=lambda hand: hand.promise)
        left -= hand.round(min(ROUND, most - len(hand.search.trials), left))
