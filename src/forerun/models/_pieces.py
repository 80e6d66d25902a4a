"""What takes minutes to learn is kept piece by piece, so that who was interrupted goes on.

A piece lies in a file that is called by the digest of all that it follows from: of other rows, settings or versions it
is another one, and what was left of these is not looked at.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun import __version__
from forerun.files import write_atomically

Arrays = Mapping[str, NDArray[Any]]

FOLDER = "growing"
"""In that of a checkpoint."""


class TimeOver(Exception):
    """The time is over, and what was made until then is kept."""


class Pieces:
    """Makes pieces or finds them in a folder, and counts them; without a folder it only makes them."""

    def __init__(
        self,
        folder: Path | None = None,
        on_piece: Callable[[str, int, int], None] = lambda whose, done, of: None,
        ends: float = math.inf,
    ) -> None:
        """`on_piece` hears of each piece whose it is, and how many of all are done; `ends` is a time of
        `time.monotonic`."""
        self.folder, self.ends = folder, ends
        self.done = self.of = 0
        self._whose, self._on_piece = "", on_piece

    @contextmanager
    def counted(self, whose: str, pieces: int) -> Iterator[None]:
        """Around what is made of so many pieces at the most: they are all done behind it."""
        self._whose, until = whose, self.done + pieces
        self._count(self.done)
        yield
        if self.done < until:
            self._count(until)

    def get(self, of: tuple[object, ...], make: Callable[[], Arrays]) -> Arrays:
        """The piece that follows from arrays and what has a `repr`. Raises TimeOver where it was made, and is kept,
        when the time is over."""
        path = self.folder / f"{_digest(of)}.safetensors" if self.folder else None
        found = None if path is None else _read(path)
        if found is None:
            found = make()
            if path:
                _write(path, found)
        else:
            path = None
        self._count(self.done + 1)
        if path and time.monotonic() >= self.ends:
            raise TimeOver
        return found

    def clear(self) -> None:
        """Removes what is kept: all is done."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _count(self, done: int) -> None:
        self.done = done
        self._on_piece(self._whose, done, self.of)


def _digest(of: tuple[object, ...]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for one in (__version__, _version("scikit-learn"), *of):
        array = isinstance(one, np.ndarray)
        digest.update(repr((one.dtype.str, one.shape) if array else one).encode())  # type: ignore[attr-defined]
        digest.update(np.ascontiguousarray(one) if array else b"\0")  # type: ignore[arg-type]
    return digest.hexdigest()


def _version(package: str) -> str:
    """Empty where it is not installed: who asks for it then says so."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _read(path: Path) -> Arrays | None:
    """None where there is none, or a damaged one."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError):
        return None


def _write(path: Path, arrays: Arrays) -> None:
    """Raises ForerunError for a full disk."""
    from safetensors.numpy import save

    write_atomically(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
