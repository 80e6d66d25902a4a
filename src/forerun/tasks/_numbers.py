"""What every question shares whose answer is a number: it is predicted, measured, and told how far off it is."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from forerun.core import Measurement, Source, Task, Trial
from forerun.grammars.floats import Floats

Answer = tuple[float, ...]

NOT_STARTED = "not started"
"""How errors begin that are ours and not the program's."""


@dataclass(frozen=True)
class Numbers(Task[Answer]):
    """Predict one number. What is measured of an answer is the facts and how far off it is each of them.

    `log_error_memory`, for example, is the natural logarithm of how many times the answer is off the fact `memory`.
    """

    shut_in: ClassVar[bool] = False
    """Whether measuring needs no worker: its toolchain has processes of its own, with limits."""

    def accepts(self, measurement: Measurement) -> bool:
        """Whether a stored measurement of a source is good enough for this view."""
        return True

    @abstractmethod
    def facts(self, source: Source) -> Measurement:
        """What the machine says, whatever was answered."""

    @abstractmethod
    def judged(self, truth: Measurement) -> Iterator[str]:
        """The names of the facts that an answer is compared with."""

    def grammar(self, source: Source) -> Floats:
        """One number."""
        return Floats(metrics=1, digits=4)

    def measure(self, source: Source, answer: Answer | None) -> Measurement:
        """Measures the source; for an answer also how far off it is. Raises ToolMissing."""
        if answer is None:
            return self.facts(source)
        truth = _truth(self, source)
        if truth.error:
            return truth
        errors = {f"log_error_{name}": log_error(answer[0], truth.values[name]) for name in self.judged(truth)}
        return Measurement({**truth.values, **errors}, checked=True, tool=truth.tool)

    def rank(self, trials: Sequence[Trial[Answer]]) -> list[Trial[Answer]]:
        """As they were made: whoever predicts may not look at what was measured."""
        return [trial for trial in trials if trial.draft.answer is not None]

    def choose(self, baseline: Trial[Answer], trials: Sequence[Trial[Answer]]) -> Trial[Answer]:
        """The middle answer (the lower of two), which minimises the expected log error; the baseline without any."""
        ordered = sorted(self.rank(trials), key=lambda trial: trial.draft.answer or ())
        return ordered[(len(ordered) - 1) // 2] if ordered else baseline


def log_error(answer: float, truth: float) -> float:
    """|ln(answer / truth)|: .1 is 10% off; infinite where one of them is not positive and finite."""
    if not (0 < answer < math.inf and 0 < truth < math.inf):
        return 0.0 if answer == truth else math.inf
    return abs(math.log(answer / truth))


@lru_cache(maxsize=4)
def _truth(task: Numbers, source: Source) -> Measurement:
    """What was measured of a source stays true for the next answer about it."""
    return task.facts(source)
