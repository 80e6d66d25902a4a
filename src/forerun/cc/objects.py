"""Built objects by content: what was asked -> the object and how it came about.

An entry is one file: a checksum, then a line of JSON, then the object. It is written beside and renamed, so two builds
may share the folder; one that does not match its checksum counts as absent and is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forerun.files import write_atomically

_SPARED = 0.8
"""The part of the allowed size that trimming leaves, so that it does not run at every write."""


@dataclass(frozen=True, slots=True)
class Built:
    """An object, and JSON facts about it."""

    facts: dict[str, Any]
    object: bytes = field(repr=False)


def key(parts: Iterable[str]) -> str:
    """A name for everything that determines an object."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def get(folder: Path, name: str) -> Built | None:
    """The entry of this name; None where it is absent or damaged."""
    path = _path(folder, name)
    try:
        data = path.read_bytes()
        os.utime(path)  # the trimming removes what was not read for longest
    except OSError:
        return None
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        return None
    facts, _, built = data[32:].partition(b"\n")
    return Built(json.loads(facts), built)


def put(folder: Path, name: str, built: Built) -> None:
    """Writes an entry. Raises ForerunError where the disk refuses."""
    data = json.dumps(built.facts, sort_keys=True).encode() + b"\n" + built.object
    write_atomically(_path(folder, name), hashlib.sha256(data).digest() + data)


def trim(folder: Path, limit_bytes: float) -> None:
    """Removes the entries read longest ago until the folder is well within the limit."""
    entries = []
    for path in folder.glob("??/*"):
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    if total <= limit_bytes:
        return
    for _, size, path in sorted(entries):
        path.unlink(missing_ok=True)
        total -= size
        if total <= _SPARED * limit_bytes:
            return


def _path(folder: Path, name: str) -> Path:
    return folder / name[:2] / name[2:]
