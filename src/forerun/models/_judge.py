"""A cost model of schedules: boosted trees on TVM's features, trained on many programs, that go on learning.

Beforehand the trees alone say how fast a kernel is among those of its program. What was measured of the program then
corrects them: a Gaussian process whose mean are the trees, and in which two kernels are as alike as the share of the
trees that cannot tell them apart (the kernel of a forest; Breiman 2000). It also says how sure it is, so that a batch
is chosen one by one, each also for what the ones before it leave unknown (Desautels et al., JMLR 2014).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.grammars.decisions import Plan
from forerun.models._forest import Forest
from forerun.toolchains.tvm.space import Program

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
_KEPT = 32768
"""Kernels whose leaves are remembered, the latest: those of some twenty programs that are tuned in turn."""

Leaves = NDArray[np.int32]
Values = NDArray[np.float64]


def named(kind: str, suffix: str = "safetensors") -> str:
    """`judge.safetensors`, `judge-cuda.safetensors`: the cost model of a kind of target in a checkpoint; `.json` what
    is said of it."""
    return f"judge.{suffix}" if kind == PROCESSOR else f"judge-{kind}.{suffix}"


def slowest(kind: str) -> float:
    """From which factor on, as a logarithm, kernels of a kind of target are as bad as each other."""
    return _SLOWEST if kind == PROCESSOR else _SLOWEST_ELSEWHERE


class Judge:
    """`forest` gives the logarithm of a kernel's share of the speed of the best one of its program. What was measured
    of the program changes nothing where it is not `corrected`."""

    def __init__(self, forest: Forest, corrected: bool = True, kind: str = PROCESSOR) -> None:
        self.forest, self.corrected, self.kind = forest, corrected, kind
        self._leaves: dict[tuple[str, Plan], Leaves | None] = {}

    def scores(self, program: Program, plans: Sequence[Plan]) -> Values:
        """`[N]`: what is thought of each plan's kernel before any was measured, more is faster."""
        return self.believed(program, plans, {}).mean

    def believed(self, program: Program, plans: Sequence[Plan], measured: Mapping[Plan, float]) -> Belief:
        """What is thought of each plan's kernel. `measured` are seconds of some kernels of the program, `inf` where
        they failed."""
        measured = measured if self.corrected else {}
        found = self._in_leaves(program, [*plans, *measured])
        asked, known = found[: len(plans)], found[len(plans) :]
        seconds = np.array([s for s, leaves in zip(measured.values(), known, strict=True) if leaves is not None])
        there = [leaves for leaves in known if leaves is not None]
        return Belief(self.forest, asked, there, seconds, slowest(self.kind))

    def _in_leaves(self, program: Program, plans: Sequence[Plan]) -> list[Leaves | None]:
        """`[T]` for each plan; None where post-processing refuses it."""
        from forerun.toolchains.tvm.features import features

        key = program.source.key
        if new := [plan for plan in dict.fromkeys(plans) if (key, plan) not in self._leaves]:
            table = features(program, new)
            leaves = self.forest.leaves(table)
            for plan, row, own in zip(new, table, leaves, strict=True):
                self._leaves[key, plan] = None if np.isnan(row[0]) else own
        found = [self._leaves[key, plan] for plan in plans]
        for _ in range(len(self._leaves) - _KEPT):
            del self._leaves[next(iter(self._leaves))]
        return found

    def save(self, folder: Path) -> None:
        """Writes the file `named` for its kind of target."""
        from safetensors.numpy import save

        arrays = {name: np.ascontiguousarray(a) for name, a in self.forest.arrays().items()}
        write_atomically(folder / named(self.kind), save(arrays))

    @classmethod
    def load(cls, folder: Path, corrected: bool = True, kind: str = PROCESSOR) -> Judge | None:
        """The one of a checkpoint for a kind of target, as TVM calls it; None where it has none. Raises InputError."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        path = folder / named(kind)
        if not path.is_file():
            return None
        try:
            return cls(Forest.from_arrays(load(path.read_bytes())), corrected, kind)
        except (OSError, KeyError, SafetensorError) as error:
            raise InputError(f"{path} cannot be read", reason(error), "copy the whole folder again") from error


class Belief:
    """What is thought of kernels by their leaves, after some of their program were measured."""

    def __init__(
        self,
        forest: Forest,
        asked: Sequence[Leaves | None],
        known: Sequence[Leaves],
        seconds: Values,
        slowest: float = _SLOWEST,
    ) -> None:
        self.legal = np.array([leaves is not None for leaves in asked], bool)
        trees = len(forest.roots)
        self.leaves = np.array([leaves for leaves in asked if leaves is not None], np.int32).reshape(-1, trees)
        prior = forest.of_leaves(self.leaves)
        (self.amplitude, self.noise), self.explained = _BEFORE, np.zeros((0, len(self.leaves)))
        if len(known):
            measured = np.array(known, np.int32)
            fastest = seconds.min() if np.isfinite(seconds.min()) else 1.0
            logs = np.maximum(np.log(fastest) - np.log(seconds), -slowest)
            residual, like = logs - forest.of_leaves(measured), _alike(measured, measured)
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
