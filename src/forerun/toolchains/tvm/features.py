"""What a schedule makes of a program, in numbers: the features that MetaSchedule's own cost model reads.

They are TVM's features of each buffer store of the scheduled program (Zheng et al., OSDI 2020, appendix B): operations
by kind, loops that are vectorised, unrolled and parallel, for each buffer the bytes, cache lines and reuse of its
accesses, arithmetic intensity. A program has one row: the store with most operations, the next one, and the sum of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.grammars.decisions import Plan
from forerun.threads import cores, mapped
from forerun.toolchains.tvm.space import Program, Refused

_OPERATIONS = 16
"""How many of a store's features, the first ones, count operations."""
_OF_STORE = 164
WIDTH = 3 * _OF_STORE + 1


def features(program: Program, plans: Sequence[Plan]) -> NDArray[np.float64]:
    """`[N, WIDTH]`, a row for each plan; NaN where post-processing refuses it."""
    from tvm.s_tir import meta_schedule as ms

    extractor = ms.feature_extractor.PerStoreFeature()

    def candidate(plan: Plan) -> Any:
        try:
            schedule = program.scheduled(plan)
        except Refused:
            return None
        return ms.MeasureCandidate(schedule, ms.arg_info.ArgInfo.from_entry_func(schedule.mod, False))

    candidates = {place: one for place, one in enumerate(mapped(candidate, plans)) if one is not None}
    found = np.full((len(plans), WIDTH), np.nan)
    if candidates:
        context = ms.TuneContext(mod=program.module, target=program.target, num_threads=cores())
        for place, stores in zip(candidates, extractor.extract_from(context, [*candidates.values()]), strict=True):
            found[place] = _row(stores.numpy())
    return found


def _row(stores: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(-stores[:, :_OPERATIONS].sum(1), kind="stable")
    return np.concatenate([stores[order[0]], stores[order[min(1, len(order) - 1)]], stores.sum(0), [len(stores)]])
