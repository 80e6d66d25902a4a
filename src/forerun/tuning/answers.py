"""What a tuning gives: how far it is, and what the network became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forerun.core import Result
from forerun.errors import ForerunError
from forerun.grammars.decisions import Plan
from forerun.toolchains.tvm import network


@dataclass(frozen=True, slots=True)
class Kernel:
    """One program of a network: how often a run calls it, and what became of it."""

    name: str
    weight: int
    flops: float
    result: Result[Plan] = field(repr=False)
    decisions: str = field(repr=False)
    """The winning schedule as text; empty where the default stays."""

    @property
    def before_s(self) -> float:
        """Seconds of the default."""
        return self.result.before

    @property
    def after_s(self) -> float:
        """Seconds of the best that was found, the default's where nothing was faster by more than noise."""
        return self.result.after

    @property
    def failed(self) -> int:
        """Candidates that crashed, ran into a limit, or gave a wrong result."""
        return sum(not trial.measurement.ok for trial in self.result.trials)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a network became. Times are in seconds. `kernels` have `name`, `weight` (calls in a run), `before_s`,
    `after_s` and `decisions`; `comparison.timings` are those of whole runs, by what ran."""

    name: str
    target: str
    proposer: str
    seed: int
    kernels: tuple[Kernel, ...]
    left_out: Mapping[str, str]
    """Programs that keep their default unmeasured, each with the reason."""
    order: tuple[int, ...]
    """The kernel of each trial, by its place, in the order they were measured."""
    comparison: network.Comparison | None
    """Of the whole network; None for a single program, which is measured as it is."""
    seconds: float
    output: Path | None = None
    notes: tuple[str, ...] = ()
    """What a user should know of how the answer came about."""
    recalled: int = 0
    """Trials that earlier calls had measured: `seconds` were not spent on them."""
    digest: str = field(default="", repr=False)
    """Of what the network computes, as `output.digest_of` has it."""

    @property
    def before_s(self) -> float:
        """All calls of all kernels, with their defaults."""
        return sum(kernel.weight * kernel.before_s for kernel in self.kernels)

    @property
    def after_s(self) -> float:
        """All calls of all kernels, as tuned."""
        return sum(kernel.weight * kernel.after_s for kernel in self.kernels)

    def __repr__(self) -> str:
        kernels = f"{len(self.kernels)} kernel{'s' * (len(self.kernels) != 1)}"
        return f"<Tuned {self.name}: {kernels}, {self.before_s:.3g} s -> {self.after_s:.3g} s>"

    def _repr_html_(self) -> str:
        cells = ((k.name, k.weight, f"{k.before_s:.3g} s", f"{k.after_s:.3g} s") for k in self.kernels)
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
        return f"<table><tr><th>kernel<th>weight<th>default<th>tuned</tr>{rows}</table>"


class Unwritten(ForerunError):
    """The disk refuses an answer, which is at hand: `tuned`."""

    def __init__(self, error: ForerunError, tuned: Tuned) -> None:
        super().__init__(error.what, error.why, f"{error.todo}: the same call measures nothing again")
        self.tuned = tuned


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tuning is: what it works on, trials of all, and the seconds of kernel and network, as far as known."""

    stage: str
    """`reading`, `running` (untuned), `translating`, `default`, `tuning`, `checking` or `comparing`."""
    kernel: str = ""
    trials: int = 0
    of: int = 0
    before_s: float = 0.0
    best_s: float = 0.0
    network_before_s: float = 0.0
    network_best_s: float = 0.0
    faster: int = 0
    """Programs of which something is faster than the default, of so many that are known:"""
    programs: int = 0
    seconds: float = 0.0
    """How long `reading`, `running` or `translating` has taken so far: each is told once a second."""
