"""Trains the cost model that ranks drafts of schedules (`forerun.models._judge`) on stored trials of many programs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.errors import ToolMissing, reason
from forerun.models._forest import Forest
from forerun.models._judge import Judge
from forerun.splits import by_families
from forerun.stats import mean, ranks, spearman
from forerun.store import Store
from forerun.tasks.schedule import Schedule

_FEW = 6
"""Kernels that a program must have."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The kernels of one program: features `[N, F]`, and the logarithm of each one's share of the best speed `[N]`."""

    families: frozenset[str]
    table: NDArray[np.float64]
    shares: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Report:
    """How well kernels of held-out programs are ranked: the mean rank correlation within a program, and what share of
    the best speed the kernel has that is ranked first, beside the mean of all."""

    programs: int
    spearman: float
    first: float
    mean: float


def measured(path: Path, families: Mapping[str, Collection[str]]) -> Iterator[Measured]:
    """What a store has of programs whose `families` are known, by their text. Raises ToolMissing."""
    from forerun.toolchains.tvm.features import features

    task = Schedule()
    of_program: dict[str, tuple[Any, list[tuple[str, float]]]] = {}
    with Store(path) as store:
        for row in store.trials(task.id):
            if row.answer is not None and row.measurement.ok and row.source.text in families:
                found = of_program.setdefault(row.source.key, (row.source, []))
                found[1].append((row.answer, row.measurement.values["latency"]))
    for source, trials in of_program.values():
        if len(trials) >= _FEW:
            grammar = task.grammar(source)
            table = features(grammar.spaces, [grammar.parse(answer) for answer, _ in trials])  # type: ignore[arg-type]
            seconds = np.array([each for _, each in trials])
            yield Measured(frozenset(families[source.text]), table, np.log(seconds.min() / seconds))


def validated(found: Sequence[Measured], validate: Collection[str], seed: int = 0) -> Report:
    """Learns from the programs that no family of `validate` uses, and reports on those that only they use.

    Raises InputError where there are none, ToolMissing without scikit-learn.
    """
    train, held = by_families(found, validate)
    return report(fit(train, seed).forest, held)


def fit(found: Collection[Measured], seed: int = 0) -> Judge:
    """Learns from all programs that are given. Raises ToolMissing without scikit-learn."""
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
    except ImportError as error:
        raise ToolMissing("training needs scikit-learn", reason(error), "pip install 'forerun[train]'") from error
    model = HistGradientBoostingRegressor(
        max_iter=300, learning_rate=0.05, max_leaf_nodes=15, l2_regularization=1.0, max_features=0.2, random_state=seed
    )
    aims = [standings(each.shares) for each in found]
    model.fit(np.concatenate([each.table for each in found]), np.concatenate(aims))
    return Judge(Forest.of(model))


def report(forest: Forest, held: Collection[Measured]) -> Report:
    """On programs whose kernels differ."""
    alike, first, every = list[float](), list[float](), list[float]()
    for each in held:
        if np.ptp(each.shares) > 0.1:
            believed = forest.predict(each.table)
            alike.append(spearman(believed.tolist(), each.shares.tolist()))
            first.append(float(np.exp(each.shares[believed.argmax()])))
            every.append(float(np.exp(each.shares).mean()))
    return Report(len(alike), mean(alike), mean(first), mean(every)) if alike else Report(0, *[float("nan")] * 3)


def standings(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each of several values stands: 0 the least, 1 the most."""
    return (np.array(ranks(values.tolist())) - 1) / max(1, len(values) - 1)
