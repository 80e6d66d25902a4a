"""Trains the cost model of schedules (`forerun.models._judge`) on measured kernels of many programs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from forerun.core import Draft, Trial
from forerun.errors import InputError, ToolMissing, reason
from forerun.grammars.decisions import Plan
from forerun.models._forest import Forest
from forerun.models._judge import Judge, busy, slowest
from forerun.sandbox import Pool
from forerun.splits import by_families
from forerun.stats import mean, spearman
from forerun.store import Store
from forerun.tables.schedules import Sentences
from forerun.tasks.schedule import Reading
from forerun.toolchains.tvm.machine_code import WIDTH

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
    """As if all threads had work all the time, which the cost model reckons with by itself."""
    code: NDArray[np.float64] | None = None
    """What stands in their machine code `[N, WIDTH]` (`forerun.toolchains.tvm.machine_code`); NaN where none could be
    made, None where it was not read."""

    @property
    def read(self) -> Measured:
        """The kernels whose machine code was read, which stands behind their other features."""
        assert self.code is not None
        there = ~np.isnan(self.code).any(axis=1)
        return replace(self, table=np.hstack([self.table, self.code])[there], shares=self.shares[there], code=None)


@dataclass(frozen=True, slots=True)
class Report:
    """How well kernels of held-out programs are ranked: the mean rank correlation within a program, and what share of
    the best speed the kernel has that is ranked first, beside the mean of all."""

    programs: int
    spearman: float
    first: float
    mean: float
    read: Report | None = None
    """Likewise of those whose machine code was read, by that too; None where none was."""


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
            shares = np.log(seconds.min() / seconds) - np.nan_to_num(busy(table, kind))
            yield Measured(frozenset(each.families), kind, table, shares - max(shares))


def read(found: Sentences, pool: Pool, store: Store) -> NDArray[np.float64]:
    """`[N, WIDTH]`: what stands in the machine code of the kernels that are learned from, made by a pool where it is
    not in the store; NaN where none can be made. Raises ToolMissing, InputError."""
    from forerun.toolchains.tvm.measure import named

    task = Reading()
    plans, grammar = [plan for plan, _ in timed(found)], task.grammar(found.source)
    known = store.known(task, found.source, named())
    texts = {plan: grammar.text(plan) for plan in plans}
    new = [plan for plan, text in texts.items() if text not in known]
    for place, made in pool.measure(task, found.source, new):
        known[texts[new[place]]] = made
        store.add([Trial(task.id, found.source, Draft(new[place]), made)], grammar)
    values = [known[texts[plan]].values for plan in plans]
    return np.array([[each.get(str(number), math.nan) for number in range(WIDTH)] for each in values])


def validated(found: Sequence[Measured], validate: Collection[str], seed: int = 0) -> Report:
    """Learns from the programs that no family of `validate` uses, and reports on those that only they use.

    Raises InputError where there are none, ToolMissing without scikit-learn.
    """
    train, held = by_families(found, validate)
    made = fit(train, seed)
    told = report(made.forest, held)
    read = [each.read for each in held if each.code is not None]
    return replace(told, read=report(made.both, read)) if made.code and read else told


def fit(found: Collection[Measured], seed: int = 0) -> Judge:
    """Learns from all programs that are given, and from those with machine code what that tells beside. Raises
    InputError for targets of several kinds, ToolMissing without scikit-learn."""
    kinds = sorted({each.kind for each in found})
    if len(kinds) > 1:
        todo = "give files of one kind, and the same -o for each: they stand side by side there"
        raise InputError(f"kernels for {' and '.join(kinds)}", "each kind has a cost model of its own", todo)
    read = [each.read for each in found if each.code is not None]
    return Judge(_forest(found, seed), kind=kinds[0], code=_forest(read, seed) if read else None)


def _forest(found: Collection[Measured], seed: int) -> Forest:
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
    except ImportError as error:
        raise ToolMissing("training needs scikit-learn", reason(error), "pip install 'forerun[train]'") from error
    table = np.concatenate([each.table for each in found])
    aims = np.concatenate([np.maximum(each.shares, -slowest(each.kind)) for each in found])
    models = [
        HistGradientBoostingRegressor(
            max_iter=400, learning_rate=0.05, max_leaf_nodes=63, l2_regularization=1.0, max_features=0.4,
            random_state=_FORESTS * seed + number,
        ).fit(table, aims)
        for number in range(_FORESTS)
    ]  # fmt: skip
    return Forest.mean(*map(Forest.of, models))


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
    return (
        Report(len(alike), mean(alike), mean(first), mean(every)) if alike else Report(0, math.nan, math.nan, math.nan)
    )
