"""A short list of complementary answers, learned from trials: what one of them misses, another one finds.

For pass pipelines the idea is Coreset-NVP's (Liang et al., ICML 2023); how ours is learned: `forerun.train.coreset`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, ClassVar, TypeVar

from forerun.core import Draft, Grammar, Model, Trial

A = TypeVar("A")


class Coreset(Model):
    """A learned list of complementary answers, in order, adapted to the tool's version where the grammar differs."""

    name: ClassVar[str] = "coreset"

    def __init__(self, entries: Sequence[str] | None = None) -> None:
        self.entries = None if entries is None else tuple(entries)
        self._read: tuple[Grammar[Any], tuple[str, ...], list[Any]] | None = None

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """The next `n` entries that are not in the history; none when the list is through."""
        seen = {trial.draft.answer for trial in history}
        answers = self._answers(grammar, shipped() if self.entries is None else self.entries)
        return [Draft(answer, origin=self.name) for answer in answers if answer not in seen][:n]

    def _answers(self, grammar: Grammar[A], entries: tuple[str, ...]) -> list[A]:
        """Asked for every round of a search, and as long to find as a measurement: those of the last grammar stay."""
        if self._read is None or self._read[0] is not grammar or self._read[1] is not entries:
            answers = dict.fromkeys(answer for entry in entries for answer in _readable(grammar, entry))
            self._read = (grammar, entries, list(answers))
        return self._read[2]


def _readable(grammar: Grammar[A], text: str) -> list[A]:
    try:
        return [grammar.adapt(text)]
    except ValueError:
        return []


@cache
def shipped() -> tuple[str, ...]:
    """The coreset of the package."""
    text = resources.files("forerun.weights").joinpath("passes-coreset.json").read_text(encoding="utf-8")
    return tuple(entry["pipeline"] for entry in json.loads(text)["entries"])
