"""One model after another: `coreset+search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from forerun import registry
from forerun.core import Draft, Grammar, Model, Trial

A = TypeVar("A")


class Chain(Model):
    """Asks the first model until it has no more to say, then the next; each sees the whole history."""

    name: ClassVar[str] = "chain"

    def __init__(self, *models: Model) -> None:
        self.models = models

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Drafts of the first model that has any."""
        for model in self.models:
            if drafts := model.sample(prompt, grammar, n, seed, history):
                return drafts
        return []


def model(name: str) -> Model:
    """The model behind a name, or several joined by `+`. Raises UsageError."""
    parts = [registry.find("models", part)() for part in name.split("+")]
    return parts[0] if len(parts) == 1 else Chain(*parts)
