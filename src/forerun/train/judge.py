"""Trains the cost model of schedules (`forerun.models._judge`) on measured kernels of many programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, ToolMissing, reason
from forerun.grammars.decisions import Plan
from forerun.models._forest import Forest
from forerun.models._judge import Judge, slowest
from forerun.splits import by_families
from forerun.stats import mean, spearman
from forerun.tables.schedules import Sentences

_FEW = 6
"""Kernels that a program must have."""
_FORESTS = 2
"""Of which the mean is taken: each tree looks at features of its own."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The kernels of one program: features `[N, F]`, and the logarithm of each one's share of the best speed `[N]`."""

    families: frozenset[str]
    kind: str
    """Of its target, as TVM calls it."""
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


def timed(found: Sentences) -> list[tuple[Plan, float]]:
    """The kernels that are learned from, with their seconds: none where they are few."""
    kernels = [(one.plan, one.seconds) for one in found.sentences if one.measured and one.seconds]
    return kernels if len(kernels) >= _FEW else []


def measured(found: Iterable[Sentences]) -> Iterator[Measured]:
    """What is known of programs with kernels enough. Raises ToolMissing, InputError."""
    from forerun.toolchains.tvm.features import features

    for each in found:
        if kernels := timed(each):
            program = each.program()
            table = features(program, [plan for plan, _ in kernels])
            seconds = np.array([each for _, each in kernels])
            kind = str(program.target.kind.name)
            yield Measured(frozenset(each.families), kind, table, np.log(seconds.min() / seconds))


def validated(found: Sequence[Measured], validate: Collection[str], seed: int = 0) -> Report:
    """Learns from the programs that no family of `validate` uses, and reports on those that only they use.

    Raises InputError where there are none, ToolMissing without scikit-learn.
    """
    train, held = by_families(found, validate)
    return report(fit(train, seed).forest, held)


def fit(found: Collection[Measured], seed: int = 0) -> Judge:
    """Learns from all programs that are given. Raises InputError for targets of several kinds, ToolMissing without
    scikit-learn."""
    kinds = sorted({each.kind for each in found})
    if len(kinds) > 1:
        todo = "give files of one kind, and the same -o for each: they stand side by side there"
        raise InputError(f"kernels for {' and '.join(kinds)}", "each kind has a cost model of its own", todo)
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
    except ImportError as error:
        raise ToolMissing("training needs scikit-learn", reason(error), "pip install 'forerun[train]'") from error
    table = np.concatenate([each.table for each in found])
    aims = np.concatenate([np.maximum(each.shares, -slowest(kinds[0])) for each in found])
    models = [
        HistGradientBoostingRegressor(
            max_iter=400, learning_rate=0.05, max_leaf_nodes=63, l2_regularization=1.0, max_features=0.4,
            random_state=_FORESTS * seed + number,
        ).fit(table, aims)
        for number in range(_FORESTS)
    ]  # fmt: skip
    return Judge(Forest.of(*models), kind=kinds[0])


def report(forest: Forest, held: Collection[Measured]) -> Report:
    """On programs whose kernels differ."""
    alike, first, every = list[float](), list[float](), list[float]()
    for each in held:
        if np.ptp(each.shares) > 0.1:
            believed = forest.predict(each.table)
            ranks = np.ptp(believed) > 0  # few kernels teach nothing
            alike.append(spearman(believed.tolist(), each.shares.tolist()) if ranks else 0.0)
            first.append(float(np.exp(each.shares[believed.argmax()])))
            every.append(float(np.exp(each.shares).mean()))
    return Report(len(alike), mean(alike), mean(first), mean(every)) if alike else Report(0, *[float("nan")] * 3)
