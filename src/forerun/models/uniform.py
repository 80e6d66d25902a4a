"""Random answers of the grammar: the rival that every other model must beat."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from forerun.core import END, Draft, Grammar, Model, Trial

A = TypeVar("A")


def stream(seed: int, origin: str) -> random.Random:
    """Random numbers of their own for each seed and user."""
    return random.Random(f"{origin}:{seed}")


class Uniform(Model):
    """Random answers: draws a length, then each piece uniformly among the allowed ones.

    Ending only when the drawn length is reached keeps long answers as likely as short ones: ending with the chance of
    any other piece would give answers as long as the vocabulary is wide.
    """

    name: ClassVar[str] = "uniform"

    def __init__(self, longest: int = 40) -> None:
        self.longest = longest

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Independent drafts."""
        draw = stream(seed, self.name)
        return [self._one(grammar, draw) for _ in range(n)]

    def _one(self, grammar: Grammar[A], draw: random.Random) -> Draft[A]:
        pieces: list[str] = []
        length, logprob = draw.randint(1, self.longest), -math.log(self.longest)
        while True:
            allowed = grammar.allowed(pieces)
            going = [p for p in allowed if p != END]
            if not going or (END in allowed and len(pieces) >= length):
                return Draft(grammar.read(pieces), logprob, self.name)
            pieces.append(draw.choice(going))
            logprob -= math.log(len(going))
