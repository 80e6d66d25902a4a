"""One model after another: `mix+coreset+evolve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from forerun import registry
from forerun.core import Draft, Grammar, Model, Trial

A = TypeVar("A")


class Chain(Model):
    """Asks the first model; what it leaves open, the next one fills. Each sees the whole history."""

    name: ClassVar[str] = "chain"

    def __init__(self, *models: Model) -> None:
        self.models = models

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Drafts of the first model, then of the next, until there are `n`."""
        drafts: list[Draft[A]] = []
        for model in self.models:
            drafts += model.sample(prompt, grammar, n - len(drafts), seed, history)
            if len(drafts) >= n:
                break
        return drafts


def model(name: str) -> Model:
    """The model behind a name, or several joined by `+`. Raises UsageError."""
    parts = [registry.find("models", part)() for part in name.split("+")]
    return parts[0] if len(parts) == 1 else Chain(*parts)
