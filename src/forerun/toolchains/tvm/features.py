"""What a schedule makes of a program, in numbers: the features that MetaSchedule's own cost model reads, and decisions.

The former are TVM's features of each buffer store of the scheduled program (Zheng et al., OSDI 2020, appendix B):
operations by kind, loops that are vectorised, unrolled and parallel, for each buffer the bytes, cache lines and reuse
of its accesses, arithmetic intensity. A program has one row: the store with most operations, the next one, and the sum
of all. They do not say in which order loops of results and of reductions stand in each other, and so not how much is
summed up in registers, which the decisions of multi-level tiling do: the sizes of its levels, of the last axes alone,
and products of levels, since trees do not multiply. A tile is good for vectors of one length and for so many registers:
sizes stand beside the target's too; and of a loop whose rounds several cores share, how evenly they do. On a GPU the
levels are blocks, virtual threads, threads and what one of these does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.grammars.decisions import Plan
from forerun.threads import cores, mapped
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.space import Program, Refused

_OPERATIONS = 16
"""How many of a store's features, the first ones, count operations."""
_OF_STORE = 164
_PARALLEL = 39
"""Where a store's features tell, as log2(1 + n), the rounds of the parallel loops around it."""
_SPATIAL, _REDUCED = 4, 2
"""Parts of a tile of an axis of results, and of one that is summed over: processors' loops are S S R S R S."""
_GPU_SPATIAL, _GPU_REDUCED = 5, 3
"""GPUs' are S S S R R S R S."""
_LONGEST = 64
"""The most numbers that TVM writes as one vector."""
_BITS = 32
"""Of a number; of most there is."""
_TILED, _GPU_TILED, _LISTED, _TARGET, _SHARED = 27, 30, 5, 4, 3
"""Features of tiles, of choices and places, of a processor's registers, and of what its cores share."""
BUSY = 3 * _OF_STORE + _TILED + _LISTED + _TARGET + _SHARED
"""Where a row of features tells, of a processor's kernel, what share of the threads' time its rounds fill."""
_ABSENT = -9.0
"""Below every place."""
_WARP = 32
"""Threads that a GPU runs in step."""


def features(program: Program, plans: Sequence[Plan]) -> NDArray[np.float64]:
    """`[N, F]`, a row for each plan; NaN where post-processing refuses it. `F` is one number for processors, another
    for GPUs."""
    from tvm.s_tir import meta_schedule as ms

    extractor = ms.feature_extractor.PerStoreFeature()

    def candidate(plan: Plan) -> Any:
        try:
            schedule = program.scheduled(plan)
        except Refused:
            return None
        return ms.MeasureCandidate(schedule, ms.arg_info.ArgInfo.from_entry_func(schedule.mod, False))

    candidates = {place: one for place, one in enumerate(mapped(candidate, plans)) if one is not None}
    threads = targets.threads(program.source.target) if str(program.target.kind.name) == "llvm" else 0
    if threads:
        width = _TILED + _LISTED + _TARGET + _SHARED
        told = partial(decided, *targets.registers(program.source.target))
    else:
        width, told = _GPU_TILED + _LISTED, partial(decided_on_gpu, targets.multiprocessors(program.source.target))
    found = np.full((len(plans), 3 * _OF_STORE + 1 + width), np.nan)
    if candidates:
        context = ms.TuneContext(mod=program.module, target=program.target, num_threads=cores())
        for place, stores in zip(candidates, extractor.extract_from(context, [*candidates.values()]), strict=True):
            row = _row(stores.numpy())
            shared = _shared(round(2.0 ** row[_PARALLEL] - 1), threads) if threads else []
            found[place] = np.concatenate([row, told(plans[place]), shared])
    return found


def _shared(rounds: int, threads: int) -> list[float]:
    """`[_SHARED]`: logarithms of the threads and of the rounds that each has of the parallel loops around the store
    with most operations, and what share of the threads' time these fill."""
    rounds = max(1, rounds)
    return [math.log2(threads), math.log2(rounds / threads), rounds / (threads * math.ceil(rounds / threads))]


def _row(stores: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(-stores[:, :_OPERATIONS].sum(1), kind="stable")
    return np.concatenate([stores[order[0]], stores[order[min(1, len(order) - 1)]], stores.sum(0), [len(stores)]])


def decided(count: int, bits: int, plan: Plan) -> NDArray[np.float64]:
    """`[_TILED + _LISTED + _TARGET]`: what the decisions say of the loops, beside so many vector registers of so many
    bits; -1 without tiles, `_ABSENT` for what is not chosen."""
    lanes = bits // _BITS
    spatial, reduced = _tiles(plan, _SPATIAL), _tiles(plan, _REDUCED)
    found = _tiled(spatial, reduced, lanes) if spatial else [-1.0] * _TILED
    innermost = np.log2(spatial).sum(0)[[3, 2]].cumsum() - math.log2(lanes * count) if spatial else [_ABSENT] * 2
    return np.array([*found, *_listed(plan), count, lanes, *innermost])


def decided_on_gpu(units: int, plan: Plan) -> NDArray[np.float64]:
    """`[_GPU_TILED + _LISTED]`: the same of a GPU with so many multiprocessors."""
    spatial, reduced = _tiles(plan, _GPU_SPATIAL), _tiles(plan, _GPU_REDUCED)
    return np.array([*(_tiled_on_gpu(spatial, reduced, units) if spatial else [-1.0] * _GPU_TILED), *_listed(plan)])


def _tiles(plan: Plan, parts: int) -> list[tuple[int, ...]]:
    return [decision for decision in plan.decisions if isinstance(decision, tuple) and len(decision) == parts]


def _listed(plan: Plan) -> list[float]:
    listed = [float(decision) for decision in plan.decisions if isinstance(decision, int)][:_LISTED]
    return [*listed, *[_ABSENT] * (_LISTED - len(listed))]


def _tiled_on_gpu(spatial: Sequence[tuple[int, ...]], reduced: Sequence[tuple[int, ...]], units: int) -> list[float]:
    """Logarithms, but where it is said: of the sizes of levels, of the last two axes alone, of what is summed up; of a
    thread's results, a block's, what it has of them in shared memory at once, blocks for each multiprocessor."""
    levels, last = np.log2(spatial).sum(0), np.log2(spatial[-1])
    before = np.log2(spatial[-2]) if len(spatial) > 1 else np.zeros(_GPU_SPATIAL)
    sums = np.log2(reduced).sum(0) if reduced else np.zeros(_GPU_REDUCED)
    first = np.log2(reduced[0]) if reduced else np.zeros(_GPU_REDUCED)
    block, threads = levels[1:].sum(), round(2.0 ** levels[2])
    return [
        *levels, *last, *before, *sums, *first,
        levels[1] + levels[3] + levels[4], block, block + sums[1] + sums[2], levels[0] - math.log2(units),
        last[1:].sum(), last[3] + last[4], float(threads % _WARP == 0), float(len(spatial)), float(len(reduced)),
    ]  # fmt: skip


def _tiled(spatial: Sequence[tuple[int, ...]], reduced: Sequence[tuple[int, ...]], lanes: int) -> list[float]:
    """Logarithms, but where it is said; the levels from the outermost to the innermost."""
    levels = np.log2(spatial).sum(0)
    sums = np.log2(reduced).sum(0) if reduced else np.zeros(_REDUCED)
    last, before = spatial[-1], spatial[-2] if len(spatial) > 1 else (1,) * _SPATIAL
    run = _run([tile[-1] for tile in spatial])
    vectors, held, inner = levels[3] - math.log2(run), levels[3] + levels[2], sums[1]
    return [
        *levels, *np.log2(last), *np.log2(before), *sums,
        held, held + inner, levels[3] + inner, held + levels[1] + sums.sum(),
        math.log2(run), float(run % lanes == 0), float(run % max(1, lanes // 2) == 0), vectors,
        float(last[-1] % lanes == 0), float(last[-1] == 1),
        math.log2(reduced[0][1]) if reduced else 0.0, float(len(spatial)), float(len(reduced)),
    ]  # fmt: skip


def _run(innermost: Sequence[int]) -> int:
    """How many numbers the vectorised loop goes through: axes are fused into it from the last one, while they fit."""
    run = 1
    for extent in reversed(innermost):
        if run * extent > _LONGEST:
            break
        run *= extent
    return run
