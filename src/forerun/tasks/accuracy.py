"""How accurate will a network be once it is trained? A share; others have trained it, nothing here does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from forerun.core import Measurement, Metric, Source
from forerun.tasks._graphs import Graphs, counted, question

ACCURACY = Metric("accuracy", "1", lower_is_better=False)


@dataclass(frozen=True)
class Accuracy(Graphs):
    """Predict the share of right answers, 0 to 1, that a network gives after training.

    `source.target` names the data set and the split: `cifar10, validation`. To train it is not what this package does:
    asked to measure, it says so as a Measurement's error.
    """

    name: ClassVar[str] = "accuracy"
    metrics: ClassVar[Mapping[str, Metric]] = {"accuracy": ACCURACY}
    metric: ClassVar[Metric] = ACCURACY  # type: ignore[misc]

    def prompt(self, source: Source) -> str:
        """Metric, unit, language, the data, counters; an empty line; the network."""
        return accuracy_question(source.target, source.text, counted(source.reference))

    def facts(self, source: Source) -> Measurement:
        """Always the error."""
        why = "accuracy: it is known only where somebody has trained the network; import what was recorded"
        return Measurement(error=why, tool="none")


def accuracy_question(data: str, text: str, counters: Mapping[str, float]) -> str:
    """The prompt about a data set with its split. No device: it does not depend on one."""
    return question(ACCURACY, "any", text, counters, notes=[f"data {data}"])
