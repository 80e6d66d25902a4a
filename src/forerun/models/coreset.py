"""A short list of complementary answers, learned from trials: what one of them misses, another one finds.

Greedy selection maximises the mean gain of the best entry over the training modules; the gain is submodular, so greedy
is within 1 - 1/e of the best list of that length (Nemhauser, Wolsey and Fisher 1978; for pass pipelines: Coreset-NVP,
Liang et al., ICML 2023).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import ClassVar, TypeVar

from forerun.core import Draft, Grammar, Model, Trial

A = TypeVar("A")


class Coreset(Model):
    """The entries in order, without those that the grammar cannot read (a pass that this tool's version lacks)."""

    name: ClassVar[str] = "coreset"

    def __init__(self, entries: Sequence[str] | None = None) -> None:
        self.entries = tuple(shipped() if entries is None else entries)

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """The next `n` entries that are not in the history; none when the list is through."""
        seen = {grammar.text(t.draft.answer) for t in history if t.draft.answer is not None}
        left = [answer for entry in self.entries for answer in _readable(grammar, entry)]
        return [Draft(a, origin=self.name) for a in left if grammar.text(a) not in seen][:n]


def _readable(grammar: Grammar[A], text: str) -> list[A]:
    try:
        return [grammar.parse(text)]
    except ValueError:
        return []


@cache
def shipped() -> tuple[str, ...]:
    """The coreset of the package."""
    text = resources.files("forerun.weights").joinpath("passes-coreset.json").read_text()
    return tuple(entry["pipeline"] for entry in json.loads(text)["entries"])


def learn(gains: Mapping[str, Mapping[str, float]], size: int) -> list[tuple[str, float]]:
    """Greedy coreset of answers from their gains, `{answer: {source: gain}}`; with the mean gain after each entry.

    A source that an answer was not measured on counts as no gain. Equal answers: the shorter text first.
    """
    sources = sorted({s for row in gains.values() for s in row})
    best = dict.fromkeys(sources, 0.0)
    chosen: list[tuple[str, float]] = []
    left = sorted(gains, key=lambda a: (len(a), a))
    while left and len(chosen) < size:
        totals = [sum(max(0.0, g - best[s]) for s, g in gains[a].items()) for a in left]
        top = max(range(len(left)), key=totals.__getitem__)
        if totals[top] <= 0:
            break
        answer = left.pop(top)
        best |= {s: max(best[s], g) for s, g in gains[answer].items()}
        chosen.append((answer, sum(best.values()) / len(sources)))
    return chosen
