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

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

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

    def gain(self, known: dict[Shared, dict[str, float]], shared: Shared, steps: Steps) -> float:
        """The share of the baseline saved when this list has been tried too."""
        parts = self.sizes.get(shared, {}).get(steps)
        if parts is None:
            return self.saved(known)
        best = known.get(shared, {})
        mixed = sum(min(size, best.get(name, size)) for name, size in parts.items())
        return max(self.saved(known), 1 - mixed / self.baseline)

    def saved(self, known: dict[Shared, dict[str, float]]) -> float:
        """The share of the baseline saved by the best lists known; 0 where the baseline is best."""
        totals = [sum(best.values()) for best in known.values() if best]
        return max(0.0, 1 - min(totals) / self.baseline) if totals else 0.0


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


def learn(
    modules: Sequence[Module], size: int, on_entry: Callable[[str, float], None] | None = None
) -> list[tuple[str, float]]:
    """Greedy selection (Nemhauser, Wolsey and Fisher 1978): pipelines, with the mean gain after each."""
    known: list[dict[Shared, dict[str, float]]] = [{} for _ in modules]
    chosen: list[tuple[str, float]] = []
    left = sorted(
        {(p, s) for m in modules for p, lists in m.sizes.items() for s in lists}, key=lambda c: (len(c[1]), c)
    )
    while left and len(chosen) < size:
        totals = [sum(m.gain(k, *choice) for m, k in zip(modules, known, strict=True)) for choice in left]
        top = max(range(len(left)), key=totals.__getitem__)
        mean = totals[top] / len(modules)
        if chosen and mean <= chosen[-1][1]:
            break
        shared, steps = left.pop(top)
        for module, best in zip(modules, known, strict=True):
            group = best.setdefault(shared, {})
            for name, value in module.sizes.get(shared, {}).get(steps, {}).items():
                group[name] = min(value, group.get(name, value))
        chosen.append((merge(shared + steps), mean))
        if on_entry:
            on_entry(*chosen[-1])
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
        raise InputError(f"{store} has no sources of the task {task.id}")
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
