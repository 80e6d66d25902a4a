"""Tensor programs with the networks that they come from, as a file of JSON lines (gzipped where its name says so)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from forerun import plain
from forerun.core import Source
from forerun.errors import InputError, reason
from forerun.files import write_atomically

LANGUAGE = "tensorir"
"""What sources of tensor programs are written in."""


@dataclass(frozen=True, slots=True)
class Use:
    """A network that runs a program `weight` times. What is held out is a `family`, at every batch size."""

    network: str
    family: str
    batch: int
    weight: int


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

    def source(self, target: str) -> Source:
        """To be measured on a target (`forerun.toolchains.tvm.target`)."""
        return Source(self.text, LANGUAGE, self.name, target)


def read(path: Path) -> list[Workload]:
    """Raises InputError."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [plain.value(json.loads(line), Workload, "a line") for line in text.splitlines()]
    except (OSError, EOFError, ValueError, TypeError) as error:
        todo = "name a file that `forerun collect schedule --extract` wrote"
        raise InputError(f"{path} holds no tensor programs", reason(error), todo) from error


def write(path: Path, workloads: Iterable[Workload]) -> None:
    """Replaces the file."""
    data = "".join(json.dumps(asdict(each)) + "\n" for each in workloads).encode()
    write_atomically(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
