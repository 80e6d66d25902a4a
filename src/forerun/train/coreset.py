"""The coreset of pass pipelines: which few of them, tried on a module nobody has seen, shrink it most?

Function passes change one function at a time, so a pipeline is judged on every function of every training module at
once: `mix` later gives each function the best of the lists tried after the same module steps. Selection is greedy on
exactly that quantity: the mean over modules of the bytes saved when each function takes the best list chosen so far.

The road there, all of it `solve` over the store's sources, so it resumes where it stopped:
1. search: the official lists, then an evolutionary search on every module;
2. broadcast: what won somewhere, edited versions and random lists are measured on all modules;
3. refinement: edited versions of the lists that would be chosen now are measured on all modules, a few times over;
4. greedy selection.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun import parallel
from forerun.core import Model, Result, Source, Trial
from forerun.errors import InputError
from forerun.grammars.pipelines import Plan, flatten, merge
from forerun.models._chain import Chain
from forerun.models.coreset import Coreset
from forerun.models.evolve import Evolve, edited
from forerun.models.mix import SHARED, Mix, Steps, groups, split
from forerun.sandbox import Pool
from forerun.solve import Budget, solve
from forerun.store import Store
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang, lib, vocabulary

Shared = Steps


@dataclass
class Module:
    """What was measured of one training module: bytes by module steps, function list and function."""

    baseline: float
    sizes: dict[Shared, dict[Steps, dict[str, float]]] = field(default_factory=dict)

    def add(self, trial: Trial[Plan]) -> None:
        """Learns from a checked trial of a plan without parts for single functions."""
        plan, measured = trial.draft.answer, trial.measurement
        if plan is None or plan.functions or not measured.ok:
            return
        shared, steps = split(plan.steps)
        self.sizes.setdefault(shared, {})[steps] = dict(measured.parts)


@dataclass
class _Known:
    """One module under the lists that are chosen so far, kept so that every further list is judged at once.

    `sizes[shared]` are bytes `[lists, functions]` in the order of `lists[shared]`, infinite for a list that failed;
    `best[shared]` `[functions]` the smallest of the chosen ones.
    """

    baseline: float
    sizes: dict[Shared, NDArray[np.float64]]
    best: dict[Shared, NDArray[np.float64]]

    @classmethod
    def of(cls, module: Module, lists: dict[Shared, list[Steps]]) -> _Known:
        """Nothing is chosen yet."""
        sizes = {}
        for shared, steps in lists.items():
            measured = module.sizes.get(shared, {})
            names = sorted(set().union(*measured.values()))
            rows = [measured.get(s) for s in steps]
            # A function that a list left no code of has no size there, and costs nothing.
            filled = [[math.inf] * len(names) if row is None else [row.get(n, 0.0) for n in names] for row in rows]
            sizes[shared] = np.array(filled, float).reshape(len(steps), len(names))
        best = {shared: np.full(array.shape[1], math.inf) for shared, array in sizes.items()}
        return cls(module.baseline, sizes, best)

    @property
    def saved(self) -> float:
        """The share of the baseline that the best group saves; 0 where the baseline is best."""
        totals = [float(best.sum()) for best in self.best.values() if best.size]
        return max(0.0, 1 - min(totals, default=math.inf) / self.baseline)

    def gains(self, shared: Shared) -> NDArray[np.float64]:
        """What would be saved with each further list of a group."""
        if not self.best[shared].size:
            return np.full(len(self.sizes[shared]), self.saved)
        mixed: NDArray[np.float64] = np.minimum(self.sizes[shared], self.best[shared]).sum(axis=1)
        return np.fmax(self.saved, 1 - mixed / self.baseline)

    def choose(self, shared: Shared, place: int) -> None:
        """Takes a list."""
        self.best[shared] = np.minimum(self.best[shared], self.sizes[shared][place])


def official(clang: str) -> list[str]:
    """The function passes of the compiler's own pipelines after each of the shared steps, as pipelines."""
    pipelines = []
    for steps in vocabulary.official(clang).values():
        inner = (s.replace("cgscc/function/", "function/", 1) for s in vocabulary.useful(steps))
        own = tuple(s for s in inner if s.startswith("function/"))
        pipelines += [merge(shared + own) for shared in SHARED]
    return list(dict.fromkeys(pipelines))


def winners(trials: Iterable[Sequence[Trial[Plan]]], n: int) -> list[Steps]:
    """The lists that made a function smallest in the trials of some module, those that saved most bytes first."""
    saved: dict[Steps, float] = defaultdict(float)
    for of_one_module in trials:
        for group in groups(of_one_module, "text"):
            for entries in group.lists.values():
                worst, (best, steps) = entries[-1][0], entries[0]
                saved[steps] += 1 + worst - best
    return sorted(saved, key=lambda s: (-saved[s], s))[:n]


def candidates(found: Sequence[Steps], local: Steps, n: int, seed: int = 0) -> list[str]:
    """The lists found, edited versions of them, and random ones, after each of the shared steps: `n` lists."""
    draw = random.Random(f"candidates:{seed}")
    lists = dict.fromkeys(found)
    while len(lists) < n:
        steps = tuple(draw.choices(local, k=draw.randint(5, 45)))
        if draw.random() < 0.5 and found:
            steps = draw.choice(found)
            for _ in range(draw.randint(1, 12)):
                steps = edited(steps, local, draw)
        lists[steps] = None
    return [merge(shared + steps) for steps in list(lists)[:n] for shared in SHARED]


def children(pipelines: Sequence[str], local: Steps, each: int, seed: int) -> list[str]:
    """Edited versions of pipelines, and crossings of two; the steps for the whole module stay."""
    draw = random.Random(f"children:{seed}")
    parents = [split(flatten(pipeline)) for pipeline in pipelines]
    made: dict[str, None] = {}
    for shared, steps in parents:
        for _ in range(each):
            child = steps
            if draw.random() < 0.3:
                other = draw.choice(parents)[1]
                child = steps[: draw.randint(0, len(steps))] + other[draw.randint(0, len(other)) :]
            for _ in range(draw.randint(1, 5)):
                child = edited(child, local, draw)
            made[merge(shared + child)] = None
    return list(made)


def learn(modules: Sequence[Module], size: int) -> list[tuple[str, float]]:
    """Greedy selection (Nemhauser, Wolsey and Fisher 1978): pipelines, with the mean gain after each."""
    lists: dict[Shared, list[Steps]] = {}
    for shared, steps in sorted({(p, s) for m in modules for p, found in m.sizes.items() for s in found}):
        lists.setdefault(shared, []).append(steps)
    places = [(shared, i) for shared, found in lists.items() for i in range(len(found))]
    # The shorter list first among equals.
    order = sorted(range(len(places)), key=lambda k: len(lists[places[k][0]][places[k][1]]))
    known = [_Known.of(module, lists) for module in modules]
    chosen: list[tuple[str, float]] = []
    while len(chosen) < min(size, len(places)):
        means = np.mean([np.concatenate([module.gains(shared) for shared in lists]) for module in known], axis=0)
        top = max(order, key=means.__getitem__)
        mean = float(means[top])
        if chosen and mean <= chosen[-1][1] * (1 + 1e-9):
            break
        shared, place = places[top]
        for module in known:
            module.choose(shared, place)
        chosen.append((merge(shared + lists[shared][place]), mean))
    return chosen


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much to spend: pipelines kept, compilations of the search on each module, lists tried on all modules,
    and generations of refinement with so many edited versions of each pipeline that is kept."""

    size: int = 40
    search: int = 100
    candidates: int = 200
    generations: int = 3
    children: int = 4


def train(store: Path, compiler: str, recipe: Recipe, on_module: Callable[[str], None]) -> dict[str, Any]:
    """The coreset as it ships: entries, and how they came about. Raises InputError where the store has no sources."""
    _, major = clang.compiler_version(compiler)
    steps = vocabulary.safe(compiler)
    task = Passes(lib.find(major).path, steps, "text")
    with Store(store) as opened:
        sources = opened.sources(task.id)
    if not sources:
        raise InputError(
            f"{store} has nothing to learn from",
            f"it has no sources of the task {task.id}",
            "gather some first: forerun collect passes --debian train",
        )
    start, local = official(compiler), tuple(s for s in steps if s.startswith("function/"))
    searched = _solved(task, Chain(Mix(), Coreset(start), Evolve()), recipe.search, sources, store, on_module, "search")
    found = winners([result.trials for result in searched], recipe.candidates // 2)
    pipelines = [*start, *candidates(found, local, recipe.candidates)]
    learning: dict[str, Module] = {}
    for generation in range(recipe.generations + 1):
        stage = f"generation {generation}" if generation else "broadcast"
        for result in _solved(task, Coreset(pipelines), len(pipelines), sources, store, on_module, stage):
            module = learning.setdefault(result.baseline.source.key, Module(result.before))
            for trial in result.trials:
                module.add(trial)
        chosen = learn(list(learning.values()), recipe.size)
        pipelines = children([pipeline for pipeline, _ in chosen], local, recipe.children, generation)
    return {
        "entries": [{"pipeline": pipeline, "gain": gain} for pipeline, gain in chosen],
        "metric": "mean share of -Oz text saved on the training modules when this entry and all before it are tried",
        "tool": searched[0].baseline.measurement.tool,
        "modules": len(learning),
        "projects": sorted({source.name.partition("/")[0] for source in sources}),
        "recipe": asdict(recipe),
    }


def _solved(
    task: Passes,
    model: Model,
    budget: int,
    sources: list[Source],
    store: Path,
    on_module: Callable[[str], None],
    stage: str,
) -> list[Result[Plan]]:
    def work(source: Source, pool: Pool, opened: Store) -> Result[Plan]:
        result = solve(task, model, source, pool=pool, budget=Budget(budget), store=opened)
        on_module(stage)
        return result

    # In the order of the sources, whoever was done first: the same store gives the same coreset.
    results = {r.baseline.source.key: r for r in parallel.each(sources, work, store)}
    return [results[source.key] for source in sources]
