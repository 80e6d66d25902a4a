"""A cost model of schedules, trained on many programs: boosted trees on TVM's features that rank unmeasured drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.grammars.decisions import Plan
from forerun.models._forest import Forest
from forerun.toolchains.tvm.space import Program

NAME = "judge.safetensors"


@dataclass(frozen=True, slots=True)
class Judge:
    """`forest` gives where a kernel stands among random ones of its program: 0 is the slowest, 1 the fastest."""

    forest: Forest

    def scores(self, program: Program, plans: Sequence[Plan]) -> NDArray[np.float64]:
        """`[N]`: where each plan's kernel is thought to stand, -1 where post-processing refuses it."""
        from forerun.toolchains.tvm.features import features

        table = features(program, plans)
        return np.where(np.isnan(table[:, 0]), -1.0, self.forest.predict(table))

    def save(self, folder: Path) -> None:
        """Writes `judge.safetensors`."""
        from safetensors.numpy import save

        write_atomically(
            folder / NAME, save({name: np.ascontiguousarray(a) for name, a in self.forest.arrays().items()})
        )

    @classmethod
    def load(cls, folder: Path) -> Judge | None:
        """The one of a checkpoint; None where it has none. Raises InputError."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        path = folder / NAME
        if not path.is_file():
            return None
        try:
            return cls(Forest.from_arrays(load(path.read_bytes())))
        except (OSError, KeyError, SafetensorError) as error:
            raise InputError(f"{path} cannot be read", reason(error), "copy the whole folder again") from error
