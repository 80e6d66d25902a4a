"""Who gets the next trials: the program whose next round promises to save most of the network's time.

The method is that of Ansor's task scheduler (Zheng et al., OSDI 2020, section 6), as MetaSchedule's gradient scheduler
has it: what the last round saved, and what the program would save if its latency fell as one over the rounds, weighed
.2 to .8, times how often the network calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from forerun.core import Model
from forerun.grammars.decisions import Plan
from forerun.solve import Search
from forerun.toolchains.tvm.extract import Extracted

ROUND = 8
"""Trials that are dealt at once: a worker prepares inputs and reference again when it turns to another program."""
_SLOPE = 0.2


@dataclass
class Hand:
    """A program and its search."""

    program: Extracted
    search: Search[Plan]
    best_s: float = 0.0
    """The fastest right kernel so far, the default at first."""
    bests: list[float] = field(default_factory=list)
    """After each round."""

    def __post_init__(self) -> None:
        self.best_s = self.before_s

    @property
    def before_s(self) -> float:
        """Seconds of the default."""
        metric = self.search.task.metric.name
        return self.search.baseline.measurement.values[metric]

    @property
    def promise(self) -> float:
        """Seconds of the network's time that another round may save."""
        saved = self.bests[-2] - self.bests[-1] if len(self.bests) > 1 else 0.0
        return self.program.weight * (_SLOPE * saved + (1 - _SLOPE) * self.best_s / max(1, len(self.bests)))

    def round(self, n: int, model: Model | None = None) -> int:
        """Measures a round of `n`, of the search's own model or another one; how many were new."""
        made = len(self.search.round(n, model=model))
        self.bests.append(self.best_s)
        return made


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
