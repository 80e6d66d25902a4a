"""Results as they come: a file of JSON lines beside the summary, so that an interrupted run is called again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forerun.files import write_atomically

Line = dict[str, Any]


class Lines:
    """One line for each place: what the values of `keys` name, None for those that it lacks."""

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        self.path, self._keys = path, keys
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
        self._lines: dict[tuple[Any, ...], Line] = {self._place(line): line for line in found}

    def __iter__(self) -> Any:
        return iter(self._lines.values())

    def known(self, asked: Line) -> Line:
        """The line of the place of what is asked; empty where there is none."""
        return self._lines.get(self._place(asked), {})

    def keep(self, line: Line) -> None:
        """Replaces the line of its place, in the file too."""
        self._lines[self._place(line)] = line
        write_atomically(self.path, "".join(json.dumps(one) + "\n" for one in self).encode())

    def _place(self, line: Line) -> tuple[Any, ...]:
        return tuple(line.get(key) for key in self._keys)


def weights(folder: Path) -> str:
    """Names a checkpoint by what it holds."""
    return digest(b"".join(path.read_bytes() for path in sorted(folder.glob("*.safetensors"))))


def digest(data: str | bytes) -> str:
    """16 digits that name it."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:16]


def summarise(path: Path, summary: Line) -> None:
    """Writes the summary."""
    write_atomically(path, (json.dumps(summary, indent=1) + "\n").encode())
