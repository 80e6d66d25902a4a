"""Tensor programs with the networks that they come from, as a file of JSON lines (gzipped where its name says so)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from forerun import plain
from forerun.core import Source

LANGUAGE = "tensorir"
"""What sources of tensor programs are written in."""


@dataclass(frozen=True, slots=True)
class Use:
    """A network that runs a program `weight` times. What is held out is a `family`, at every batch size."""

    network: str
    family: str
    batch: int
    weight: int
    layouts: tuple[str, ...] = ()
    """Of its convolutions, in which it does (`forerun.toolchains.tvm.extract.LAYOUTS`); none where nobody kept them."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One distinct tensor program: TVMScript of a module with the function `main`, and the operations of a run."""

    name: str
    text: str
    flops: float
    uses: tuple[Use, ...]

    @property
    def family(self) -> str:
        """That of the first network."""
        return self.uses[0].family

    @property
    def families(self) -> frozenset[str]:
        """Of all networks that run it: it belongs to a part of the data only where all of them do."""
        return frozenset(use.family for use in self.uses)

    @property
    def layouts(self) -> frozenset[str]:
        """Of convolutions, in which any network runs it."""
        return frozenset(layout for use in self.uses for layout in use.layouts)

    def source(self, target: str) -> Source:
        """To be measured on a target (`forerun.toolchains.tvm.target`)."""
        return Source(self.text, LANGUAGE, self.name, target)


def read(path: Path) -> list[Workload]:
    """Raises InputError."""
    return plain.read_lines(
        path, Workload, "tensor programs", "name a file that `forerun collect schedule --extract` wrote"
    )


def write(path: Path, found: Iterable[Workload]) -> None:
    """Replaces the file."""
    plain.write_lines(path, found)
