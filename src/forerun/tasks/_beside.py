"""Files that a program opens by names that its text says, as far as they are there: beside it, or where one works."""

from __future__ import annotations

import ast
import json
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from forerun.tasks._inputs import BYTES, Beginning, Input, described, understood
from forerun.tasks._opened import read_of, reads
from forerun.tasks._python import tree

_MOST, _NAMES, _FOLDERS, _LONG = 8, 500, 8, 200
"""Files that are told of, texts that may be names of some, folders among these, and letters of a name."""
_SPOTS, _SPOT, _LIKE = 8, 1 << 16, 1.5
"""Where behind its beginning a file is looked at, how many bytes, and how many times as many lines or words stand there
as in what is like it."""
_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\\n]){1,200})\1""")
_HIDDEN = ("/proc/", "/dev/", "/sys/")
"""Where files are no texts that lie there."""

Files = Mapping[str, tuple[int, bytes]]
"""By their names, as a text has them: how long each is, and its beginning."""


def found(language: str, text: str, place: str) -> Files:
    """Those that a program may read which lies at a place. Never raises."""
    if not reads(language, text):
        return {}
    made: dict[str, tuple[int, bytes]] = {}
    for name in _candidates(language, text, Path(place).parent):
        for path in (Path(place).parent / name, Path(name)):
            if (one := _content(path)) is not None:
                made[name] = one
                break
        if len(made) == _MOST:
            break
    return made


def told(files: Files) -> str:
    """What they hold, in few words, as `filed` reads it."""
    inside = {name: json.loads(described(data or b"\n", size)) for name, (size, data) in files.items()}
    return json.dumps(inside, ensure_ascii=False, separators=(",", ":"))


def filed(text: str) -> dict[str, Input]:
    """What `told` wrote. Raises ValueError."""
    try:
        return {posixpath.normpath(name): understood(json.dumps(one)) for name, one in json.loads(text).items()}
    except AttributeError as error:
        raise ValueError(f"{text[:40]!r} describes no files") from error


def _candidates(language: str, text: str, folder: Path) -> Iterator[str]:
    """Names that stand in a text, as they are and in folders that it names, too."""
    if language == "python":
        try:
            inside = (one.value for one in ast.walk(tree(text)) if isinstance(one, ast.Constant))
            words: Iterable[str] = [one for one in inside if isinstance(one, str)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    else:
        words = (one[2] for one in _QUOTED.finditer(read_of(language, text)))
    names = [*dict.fromkeys(one.strip("/") if one[:1] == "/" and one.count("/") == 1 else one for one in words)]
    names = [one for one in names if 0 < len(one) <= _LONG and "\0" not in one and "\n" not in one][:_NAMES]
    yield from names
    folders = [one for one in names if _is_folder(folder / one) or _is_folder(Path(one))][:_FOLDERS]
    yield from (posixpath.join(one, name) for one in folders for name in names if name not in folders)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def beginning(file: BinaryIO, size: int) -> bytes:
    """Of a file of so many bytes what it begins with, or all of it. Raises OSError."""
    data = file.read(BYTES)
    if size <= len(data):
        return data
    here = _lines_and_words([data[spot * BYTES // _SPOTS :][:_SPOT] for spot in range(_SPOTS)])
    rest = []
    for spot in range(_SPOTS):
        file.seek(len(data) + (size - len(data)) * spot // _SPOTS)
        rest.append(file.read(_SPOT))
    there = _lines_and_words(rest)
    alike = all(a <= _LIKE * b and b <= _LIKE * a for a, b in zip(here, there, strict=True))
    return Beginning(data, size, alike)


def _lines_and_words(pieces: Sequence[bytes]) -> list[float]:
    """How many there are of each byte, and one where there is none."""
    long = max(sum(map(len, pieces)), 1)
    return [max(sum(one.count(b"\n") for one in pieces), 1) / long, sum(len(one.split()) for one in pieces) / long]


def _content(path: Path) -> tuple[int, bytes] | None:
    """How long a file is, and its beginning; None of what is none."""
    try:
        if str(path.resolve()).startswith(_HIDDEN) or not stat.S_ISREG(path.stat().st_mode):
            return None
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            about = os.fstat(file.fileno())
            return (about.st_size, beginning(file, about.st_size)) if stat.S_ISREG(about.st_mode) else None
    except (OSError, ValueError, RuntimeError):  # of a link that goes round
        return None
