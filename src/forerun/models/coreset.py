"""A short list of complementary answers, learned from trials: what one of them misses, another one finds.

For pass pipelines the idea is Coreset-NVP's (Liang et al., ICML 2023); how ours is learned: `forerun.train.coreset`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import ClassVar, TypeVar

from forerun.core import Draft, Grammar, Model, Trial

A = TypeVar("A")


class Coreset(Model):
    """A learned list of complementary answers, in order, adapted to the tool's version where the grammar differs."""

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
        return [grammar.adapt(text)]
    except ValueError:
        return []


@cache
def shipped() -> tuple[str, ...]:
    """The coreset of the package."""
    text = resources.files("forerun.weights").joinpath("passes-coreset.json").read_text()
    return tuple(entry["pipeline"] for entry in json.loads(text)["entries"])
