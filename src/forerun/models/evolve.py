"""An evolutionary search with one population for each function, all measured at once.

Function passes change one function at a time, so one compilation of a module tries a new list on every function of it:
a module of thirty functions gets thirty trials for one measurement. The rest is the usual steady state: a parent among
the function's best lists, a crossing with another function's, a few edits.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from forerun.core import Draft, Grammar, Model, Trial
from forerun.grammars.pipelines import Pipelines, Plan
from forerun.models.mix import SHARED, Group, Steps, compose, groups
from forerun.models.uniform import stream

A = TypeVar("A")


class Evolve(Model):
    """Evolutionary search with a population for each function, all tried in one compilation (pass pipelines)."""

    name: ClassVar[str] = "evolve"

    def __init__(self, longest: int = 45, crossover: float = 0.3, fresh: float = 0.25, borrowed: float = 0.25) -> None:
        self.longest, self.crossover, self.fresh, self.borrowed = longest, crossover, fresh, borrowed

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """Plans that give every function a new list; one random list for all while nothing is known."""
        if not isinstance(grammar, Pipelines):
            return []
        draw = stream(seed, self.name)
        local = tuple(grammar.local)
        known = groups(history, "text")
        return [Draft(self._plan(known, local, draw), origin=self.name) for _ in range(n)]  # type: ignore[arg-type]

    def _plan(self, known: list[Group], local: Steps, draw: random.Random) -> Plan:
        if not known:
            return Plan(draw.choice(SHARED) + tuple(draw.choices(local, k=draw.randint(1, self.longest))))
        group = known[0] if draw.random() < 0.8 else draw.choice(known)
        everything = [steps for entries in group.lists.values() for _, steps in entries]
        lists = {
            name: self._child([steps for _, steps in entries], everything, local, draw)
            for name, entries in group.lists.items()
        }
        return compose(group.shared, lists)

    def _child(self, own: list[Steps], everything: list[Steps], local: Steps, draw: random.Random) -> Steps:
        kind = draw.random()
        if kind < self.fresh:
            return tuple(draw.choices(local, k=draw.randint(1, self.longest)))
        if kind < self.fresh + self.borrowed:
            return draw.choice(everything)
        steps = draw.choice(own)
        if draw.random() < self.crossover:
            other = draw.choice(everything)
            steps = steps[: draw.randint(0, len(steps))] + other[draw.randint(0, len(other)) :]
        for _ in range(1 + min(int(draw.expovariate(0.7)), 6)):
            steps = edited(steps, local, draw)
        return steps[: 2 * self.longest]


def edited(steps: Steps, local: Steps, draw: random.Random) -> Steps:
    """The list after one insertion, replacement, removal or move."""
    at = draw.randint(0, len(steps))
    kind = draw.choice(("insert", "insert", "replace", "remove", "move"))
    if kind == "insert":
        return (*steps[:at], draw.choice(local), *steps[at:])
    if kind == "replace":
        return (*steps[:at], draw.choice(local), *steps[at + 1 :])
    if kind == "remove" or not steps:
        return steps[:at] + steps[at + 1 :]
    rest = list(steps)
    step = rest.pop(draw.randrange(len(rest)))
    rest.insert(draw.randint(0, len(rest)), step)
    return tuple(rest)
