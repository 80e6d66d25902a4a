"""Files that are whole or absent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from forerun.errors import ForerunError, UsageError, reason


def write_atomically(path: Path, data: bytes, mask: int | None = None, *, folders: bool = True) -> None:
    """Writes beside the target, then renames. Raises ForerunError where the folder or the disk refuses.

    A link to a file is replaced, as the compiler does. `mask` is the file mode mask of whoever wants the file, where
    that is not this process. Absent folders are made, except where `folders` is false.
    """
    with _refusals(path):
        target = Path(path)
        if target.is_relative_to("/dev") or (target.exists() and not target.is_file()):
            target.write_bytes(data)  # /dev/null, a pipe, or a link to one: nothing to rename onto
        else:
            if folders:
                target.parent.mkdir(parents=True, exist_ok=True)
            with _staged(target, data, _mode(target, mask)) as staged:
                staged.replace(target)


def write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files of a folder that belong together: all are beside their targets before the first is renamed, so that
    a full disk leaves the old ones. Raises ForerunError where the folder or the disk refuses."""
    with _refusals(folder), contextlib.ExitStack() as stack:
        paths = {folder / name: data for name, data in files.items()}
        staged = {path: stack.enter_context(_staged(path, data, _mode(path, None))) for path, data in paths.items()}
        for path, one in staged.items():
            one.replace(path)


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """What the system refuses is told."""
    try:
        yield
    except OSError as error:
        raise ForerunError(
            f"cannot write {path}", error.strerror or str(error), "name another place to write to"
        ) from error


def make_folder(folder: Path, why: str) -> None:
    """Makes a folder that may be there. Raises UsageError where a file is, ForerunError where none can be made."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", why, "name a folder, or a place where nothing is")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ForerunError(f"cannot make the folder {folder}", reason(error), "name another place") from error


def in_folder(option: str, path: Path) -> Path:
    """A place of an answer, in a folder that is there. Raises UsageError: who mistypes one wants none made."""
    if not path.parent.is_dir():
        todo = f"mkdir -p {shlex.quote(str(path.parent))}"
        raise UsageError(f"no such folder: {path.parent}", f"{option} {path} cannot be written", todo)
    return path


@contextlib.contextmanager
def _staged(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    """A file beside the target that holds the data, to be renamed; else it goes, after an interrupt as well."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        yield Path(name)
    finally:
        with contextlib.suppress(OSError):
            Path(name).unlink()


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
    with path.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def alone(folder: Path, what: str) -> Iterator[None]:
    """Holds a folder that is there for one process. Raises UsageError where another one has it, which does `what`."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another process {what} {folder}", "both would write its files", "wait for it") from None
        yield
    finally:
        os.close(descriptor)
