"""Mutation and recombination of the best answers so far: an evolutionary search over any grammar.

A steady-state genetic algorithm (Syswerda 1991) with tournament selection, after a first generation of random answers.
Works on pieces, so it serves every task; what the grammar refuses is drawn again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from forerun.core import Draft, Grammar, Model, Trial
from forerun.models.uniform import Uniform, stream

A = TypeVar("A")

_ATTEMPTS = 20


class Search(Model):
    """Evolutionary search over whole answers of any grammar: mutation and recombination of the best so far."""

    name: ClassVar[str] = "search"

    def __init__(self, population: int = 20, first: int = 16, crossover: float = 0.3) -> None:
        self.population, self.first, self.crossover = population, first, crossover
        self._random = Uniform()

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Random drafts until there are parents, then children of the best."""
        parents = [
            grammar.write(t.draft.answer)
            for t in history[: self.population]
            if t.measurement.ok and t.draft.answer is not None
        ]
        if len(history) < self.first or not parents:
            return self._random.sample(prompt, grammar, n, seed)
        draw = stream(seed, self.name)
        return [Draft(self._child(grammar, parents, draw), origin=self.name) for _ in range(n)]

    def _child(self, grammar: Grammar[A], parents: list[list[str]], draw: random.Random) -> A:
        for _ in range(_ATTEMPTS):
            pieces = list(_tournament(parents, draw))
            if draw.random() < self.crossover:
                pieces = _cross(pieces, _tournament(parents, draw), draw)
            try:
                for _ in range(_edits(draw)):
                    pieces = _mutate(grammar, pieces, draw)
                return grammar.read(pieces)
            except ValueError:  # an edit, or the crossing before it, that the grammar refuses
                continue
        return grammar.read(parents[0])


def _tournament(parents: list[list[str]], draw: random.Random) -> list[str]:
    """The better of two: parents are ordered best first."""
    return parents[min(draw.randrange(len(parents)), draw.randrange(len(parents)))]


def _cross(a: list[str], b: list[str], draw: random.Random) -> list[str]:
    return a[: draw.randint(0, len(a))] + b[draw.randint(0, len(b)) :]


def _edits(draw: random.Random) -> int:
    return 1 + min(int(draw.expovariate(0.7)), 5)


def _mutate(grammar: Grammar[A], pieces: list[str], draw: random.Random) -> list[str]:
    at = draw.randint(0, len(pieces))
    kind = draw.choice(("insert", "insert", "replace", "remove", "remove", "move"))
    tail = pieces[at + 1 :] if kind in ("replace", "remove") else pieces[at:]
    if kind in ("insert", "replace"):
        choices = [p for p in grammar.allowed(pieces[:at]) if p]
        return [*pieces[:at], draw.choice(choices), *tail] if choices else pieces
    if kind == "move" and pieces:
        rest = list(pieces)
        piece = rest.pop(draw.randrange(len(rest)))
        rest.insert(draw.randint(0, len(rest)), piece)
        return rest
    return pieces[:at] + tail
