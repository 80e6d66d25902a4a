"""Files that are whole or absent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from forerun.errors import ForerunError


def write_atomically(path: Path, data: bytes, mask: int | None = None) -> None:
    """Writes beside the target, then renames. Raises ForerunError where the folder or the disk refuses.

    `mask` is the file mode mask of whoever wants the file, where that is not this process.
    """
    path = Path(path)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # /dev/null, a pipe: nothing to rename onto
            path.write_bytes(data)
            return
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(temporary).chmod(_mode(path, mask))
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise ForerunError(f"cannot write {path}", error.strerror or str(error)) from error


def _mode(path: Path, mask: int | None) -> int:
    """The mode that a plain open() would give or keep."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        if mask is None:
            mask = os.umask(0o22)
            os.umask(mask)
        return 0o666 & ~mask


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on `path` (made when absent), across processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
