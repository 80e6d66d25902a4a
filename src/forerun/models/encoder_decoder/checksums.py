"""Whether the files of a checkpoint belong together: the SHA-256 of each, written beside them when they are saved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from forerun import plain
from forerun.errors import InputError, reason
from forerun.files import write_atomically

FILE = "checksums.json"
_AGAIN = "copy the whole folder again (install forerun again where it is the one that ships)"


def record(folder: Path, names: tuple[str, ...]) -> None:
    """Writes `checksums.json` of those files that are there."""
    found = {name: digest for name in names if (digest := _digest(folder / name))}
    write_atomically(folder / FILE, (json.dumps(found, indent=1) + "\n").encode())


def check(folder: Path, names: tuple[str, ...]) -> None:
    """Raises InputError where a file is not the one that was saved, or is absent; nothing without `checksums.json`."""
    path = folder / FILE
    if not path.is_file():
        return
    try:
        known = plain.value(json.loads(path.read_text()), Mapping[str, str], "it")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path} cannot be read", reason(error), _AGAIN) from error
    for name in names:
        found = _digest(folder / name)
        if found != known.get(name, ""):
            why = f"{name} is not the file that was saved with the others" if found else f"{name} is missing"
            raise InputError(f"{folder} is not one whole checkpoint", why, _AGAIN)


def _digest(path: Path) -> str:
    """Empty for an absent file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
