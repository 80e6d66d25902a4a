"""A cost model of schedules: boosted trees on TVM's features, trained on many programs, that go on learning.

Beforehand the trees alone say how fast a kernel is among those of its program. What was measured of the program then
corrects them: a Gaussian process whose mean are the trees, and in which two kernels are as alike as the share of the
trees that cannot tell them apart (the kernel of a forest; Breiman 2000). It also says how sure it is, so that a batch
is chosen one by one, each also for what the ones before it leave unknown (Desautels et al., JMLR 2014).

Kernels of one thread, from which the trees learn, say nothing of how evenly threads share the work: a kernel of several
is thought to be as much slower as they stand idle.

A schedule does not say what LLVM makes of it. Of kernels whose machine code was read
(`forerun.toolchains.tvm.machine_code`) other trees, which learned from it, say most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.grammars.decisions import Plan
from forerun.models._forest import Forest
from forerun.toolchains.tvm.machine_code import WIDTH
from forerun.toolchains.tvm.space import Program

Features = Mapping[Plan, NDArray[np.float64]]
"""Of machine code, as far as it could be made."""
PROCESSOR = "llvm"
"""The kind of target whose cost model has no kind in its name."""
REFUSED = -1e9
"""What is thought of a plan that post-processing refuses."""
_AMPLITUDES, _NOISES = (0.05, 0.15, 0.3, 0.6), (0.05, 0.15, 0.3, 0.5)
"""In logarithms of time: how far the trees may be off for kernels that are alike, and beside that for one kernel. The
likeliest ones after what was measured."""
_BEFORE = (0.3, 0.15)
"""What is taken for both where nothing was measured."""
_CURIOUS = 0.5
"""How many standard deviations of what is not known count as fast."""
_SLOWEST, _SLOWEST_ELSEWHERE = 1.5, 3.0
"""A kernel that is slower than the best by a larger factor, as a logarithm, is as bad as that one: for processors, and
for GPUs, where the median of what is drawn at random takes five times as long as the best of sixteen."""
_KEPT, _ROWS = 32768, 4096
"""Kernels whose leaves are remembered, the latest: those of some twenty programs that are tuned in turn; and whose
features are."""
CODE = "code"
"""What stands for the kind of target in the names of the files of those trees that learned from machine code."""
_TOLD = 0.85
"""How much of what is thought of a kernel whose machine code was read these trees say."""
_UNREAD = np.full(WIDTH, np.nan)

Leaves = NDArray[np.int32]
Values = NDArray[np.float64]


class Kernel(NamedTuple):
    """One that post-processing takes."""

    leaves: Leaves
    """`[T]`: which it is in of each tree."""
    busy: float = 0.0
    """The logarithm of the share of the threads' time that its work fills."""


def named(kind: str, suffix: str = "safetensors") -> str:
    """`judge.safetensors`, `judge-cuda.safetensors`: the cost model of a kind of target in a checkpoint; `.json` what
    is said of it."""
    return f"judge.{suffix}" if kind == PROCESSOR else f"judge-{kind}.{suffix}"


def slowest(kind: str) -> float:
    """From which factor on, as a logarithm, kernels of a kind of target are as bad as each other."""
    return _SLOWEST if kind == PROCESSOR else _SLOWEST_ELSEWHERE


def busy(table: Values, kind: str) -> Values:
    """`[N]`: the logarithm of the share of the threads' time that the work of each kernel of a table `[N, F]` fills, 0
    on hardware of which nobody counts that; NaN where post-processing refuses it."""
    from forerun.toolchains.tvm.features import BUSY

    return np.log(table[:, BUSY]) if kind == PROCESSOR else np.zeros(len(table))


class Judge:
    """`forest` gives the logarithm of a kernel's share of the speed of the best one of its program. What was measured
    of the program changes nothing where it is not `corrected`. `code` is a forest that reads machine code, too, whose
    features come after the others; `both` is what they say together."""

    def __init__(
        self, forest: Forest, corrected: bool = True, kind: str = PROCESSOR, code: Forest | None = None
    ) -> None:
        self.forest, self.corrected, self.kind, self.code = forest, corrected, kind, code
        self.both = forest.beside(code, _TOLD) if code else forest
        self._rows: dict[tuple[str, Plan], Values] = {}
        self._kernels: dict[tuple[str, Plan, bool], Kernel | None] = {}

    def scores(self, program: Program, plans: Sequence[Plan]) -> Values:
        """`[N]`: what is thought of each plan's kernel before any was measured, more is faster."""
        return self.believed(program, plans, {}).mean

    def believed(
        self, program: Program, plans: Sequence[Plan], measured: Mapping[Plan, float], code: Features | None = None
    ) -> Belief:
        """What is thought of each plan's kernel. `measured` are seconds of some kernels of the program, `inf` where
        they failed; `code` is what was read of the machine code of all of them."""
        measured = measured if self.corrected else {}
        found = self._seen(program, [*plans, *measured], code)
        asked, known = found[: len(plans)], found[len(plans) :]
        seconds = np.array([s for s, kernel in zip(measured.values(), known, strict=True) if kernel])
        there = [kernel for kernel in known if kernel]
        return Belief(self.forest if code is None else self.both, asked, there, seconds, slowest(self.kind))

    def _seen(self, program: Program, plans: Sequence[Plan], code: Features | None) -> list[Kernel | None]:
        """Each plan's kernel; None where post-processing refuses it, or machine code was to be read and there is
        none."""
        key, read = program.source.key, code is not None
        if new := [plan for plan in dict.fromkeys(plans) if (key, plan, read) not in self._kernels]:
            table = self._features(program, new)
            if code is not None:
                table = np.hstack([table, np.array([code.get(plan, _UNREAD) for plan in new])])
            leaves = (self.both if read else self.forest).leaves(table)
            for plan, row, own, filled in zip(new, table, leaves, busy(table, self.kind), strict=True):
                self._kernels[key, plan, read] = None if np.isnan(row[[0, -1]]).any() else Kernel(own, float(filled))
        found = [self._kernels[key, plan, read] for plan in plans]
        for _ in range(len(self._kernels) - _KEPT):
            del self._kernels[next(iter(self._kernels))]
        return found

    def _features(self, program: Program, plans: Sequence[Plan]) -> Values:
        """`[N, F]`, as `forerun.toolchains.tvm.features` has them."""
        from forerun.toolchains.tvm.features import features

        key = program.source.key
        if new := [plan for plan in plans if (key, plan) not in self._rows]:
            self._rows |= zip(((key, plan) for plan in new), features(program, new), strict=True)
        found = np.array([self._rows[key, plan] for plan in plans])
        for _ in range(len(self._rows) - _ROWS):
            del self._rows[next(iter(self._rows))]
        return found

    def save(self, folder: Path) -> None:
        """Writes the file `named` for its kind of target, and where it reads machine code the one named for that."""
        from safetensors.numpy import save

        for name, forest in ((self.kind, self.forest), (CODE, self.code)):
            if forest:
                arrays = {name: np.ascontiguousarray(a) for name, a in forest.arrays().items()}
                write_atomically(folder / named(name), save(arrays))

    @classmethod
    def load(cls, folder: Path, corrected: bool = True, kind: str = PROCESSOR) -> Judge | None:
        """The one of a checkpoint for a kind of target, as TVM calls it; None where it has none. Raises InputError."""
        forest = _forest(folder / named(kind))
        code = _forest(folder / named(CODE)) if kind == PROCESSOR else None
        return cls(forest, corrected, kind, code) if forest else None


def _forest(path: Path) -> Forest | None:
    """One that was saved; None where it was not. Raises InputError."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return Forest.from_arrays(load(path.read_bytes())) if path.is_file() else None
    except (OSError, KeyError, SafetensorError) as error:
        raise InputError(f"{path} cannot be read", reason(error), "copy the whole folder again") from error


class Belief:
    """What is thought of kernels by their leaves and their threads, after some of their program were measured."""

    def __init__(
        self,
        forest: Forest,
        asked: Sequence[Kernel | None],
        known: Sequence[Kernel],
        seconds: Values,
        slowest: float = _SLOWEST,
    ) -> None:
        self.legal = np.array([kernel is not None for kernel in asked], bool)
        legal = [kernel for kernel in asked if kernel]
        trees = len(forest.roots)
        self.leaves = np.array([kernel.leaves for kernel in legal], np.int32).reshape(-1, trees)
        prior = forest.of_leaves(self.leaves) + np.array([kernel.busy for kernel in legal])
        (self.amplitude, self.noise), self.explained = _BEFORE, np.zeros((0, len(self.leaves)))
        if len(known):
            measured, busy = np.array([one.leaves for one in known], np.int32), np.array([one.busy for one in known])
            fastest = seconds.min() if np.isfinite(seconds.min()) else 1.0
            logs = np.maximum(np.log(fastest) - np.log(seconds), -slowest)
            residual, like = logs - busy - forest.of_leaves(measured), _alike(measured, measured)
            fits = [_Fit(like, residual, *scales) for scales in product(_AMPLITUDES, _NOISES)]
            best = max(fits, key=lambda fit: fit.likelihood)
            self.amplitude, self.noise = best.amplitude, best.noise
            beside = best.amplitude**2 * _alike(measured, self.leaves)
            prior = prior + best.offset + beside.T @ best.weights
            self.explained = np.linalg.solve(best.root, beside)
        self._prior = prior

    @property
    def mean(self) -> Values:
        """`[N]`."""
        found = np.full(len(self.legal), REFUSED)
        found[self.legal] = self._prior
        return found

    def batch(self, n: int) -> list[int]:
        """The places of at most `n` legal ones, the most promising first."""
        places, chosen = np.flatnonzero(self.legal), list[int]()
        explained = self.explained
        left = np.maximum(self.amplitude**2 - (explained**2).sum(0), 0.0)
        open_ = np.ones(len(places), bool)
        for _ in range(min(n, len(places))):
            promise = np.where(open_, self._prior + _CURIOUS * np.sqrt(left), -np.inf)
            best = int(promise.argmax())
            chosen.append(int(places[best]))
            open_[best] = False
            like = self.amplitude**2 * _alike(self.leaves[best : best + 1], self.leaves)[0]
            new = (like - explained[:, best] @ explained) / math.sqrt(left[best] + self.noise**2)
            explained = np.vstack([explained, new])
            left = np.maximum(left - new**2, 0.0)
        return chosen


class _Fit:
    """A Gaussian process with an unknown constant, fitted to residuals `[M]` of kernels that are alike `[M, M]`."""

    def __init__(self, like: Values, residual: Values, amplitude: float, noise: float) -> None:
        self.amplitude, self.noise = amplitude, noise
        self.root = np.linalg.cholesky(amplitude**2 * like + noise**2 * np.eye(len(like)))
        white = np.linalg.solve(self.root, np.stack([residual, np.ones(len(like))], 1))
        self.offset = float(white[:, 1] @ white[:, 0] / (white[:, 1] @ white[:, 1]))
        rest = white[:, 0] - self.offset * white[:, 1]
        self.weights = np.linalg.solve(self.root.T, rest)
        self.likelihood = float(-0.5 * rest @ rest - np.log(np.diag(self.root)).sum())


def _alike(some: Leaves, others: Leaves) -> Values:
    """`[A, B]`: the share of the trees that have two kernels in one leaf."""
    return np.stack([(row == others).mean(1) for row in some]) if len(some) else np.zeros((0, len(others)))
