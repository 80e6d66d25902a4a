"""A translation unit: one source file, and the exact command that compiles it.

`load_compile_commands` reads the Clang project's JSON compilation database, which CMake, Meson,
Bazel and Bear all write: https://clang.llvm.org/docs/JSONCompilationDatabase.html
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forerun.errors import ForerunError

SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP"})

# The word after one of these is its value, so it is never the file that is compiled.
TAKES_VALUE = frozenset(
    [
        "-o",
        "-x",
        "-I",
        "-D",
        "-U",
        "-L",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-include",
        "-include-pch",
        "-imacros",
        "-isystem",
        "-isysroot",
        "-iquote",
        "-idirafter",
        "-iprefix",
        "-iwithprefix",
        "-iwithprefixbefore",
        "--sysroot",
        "-arch",
        "-target",
        "--param",
        "-Xclang",
        "-Xassembler",
        "-Xpreprocessor",
        "-Xlinker",
        "-mllvm",
        "-T",
        "-u",
        "-z",
        "-G",
        "-aux-info",
        "-dumpbase",
    ]
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation unit, ready to be compiled again.

    `command` is the whole argv as the build ran it (compiler first, `-c` and `-o` included), to be run
    in `directory`; `file` is absolute. `licence` is a Debian short name, or where to read it.
    """

    project: str
    licence: str
    directory: str
    file: str
    command: tuple[str, ...]


def compiled_file(command: Sequence[str], directory: str) -> str | None:
    """The absolute path of the one C or C++ file that `command` compiles with `-c`, or None."""
    if "-c" not in command:
        return None
    sources = [word for word in positional(command[1:]) if Path(word).suffix in SUFFIXES]
    return absolute(sources[0], directory) if len(sources) == 1 else None


def positional(words: Sequence[str]) -> Iterator[str]:
    """The words that are neither options nor the values of options."""
    value_next = False
    for word in words:
        if not value_next and not word.startswith("-"):
            yield word
        value_next = not value_next and word in TAKES_VALUE


def absolute(file: str, directory: str) -> str:
    """`file` as seen from `directory`; symbolic links are kept, because `#include` resolves beside them."""
    return os.path.normpath(Path(directory) / file)


def once(units: Iterable[Unit]) -> list[Unit]:
    """The first unit of each file: libtool and CMake compile one file for several libraries."""
    first: dict[str, Unit] = {}
    for unit in units:
        first.setdefault(unit.file, unit)
    return list(first.values())


def load_compile_commands(folder_or_file: Path, project: str | None = None, licence: str = "unknown") -> list[Unit]:
    """The C and C++ units of a `compile_commands.json`, each file once, in the order of the database.

    A folder is searched for the file itself, then for `build/` in it. `project` defaults to the name of
    the folder. Entries that do not compile exactly one C or C++ file with `-c` are left out.

    Raises ForerunError when the database is missing or is not one.
    """
    path = find_database(Path(folder_or_file))
    name = project or path.parent.name
    found = (entry_unit(entry, path, name, licence) for entry in read_database(path))
    return once(unit for unit in found if unit)


def find_database(place: Path) -> Path:
    """The absolute path of the database at `place`, a file or a folder."""
    tries = [place] if place.is_file() else [place / "compile_commands.json", place / "build/compile_commands.json"]
    for path in tries:
        if path.is_file():
            return path.resolve()
    raise ForerunError(
        f"no compile_commands.json at {place}",
        "neither the folder itself nor build/ in it holds one",
        "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON   (or: bear -- make)",
    )


def read_database(path: Path) -> list[Any]:
    """The entries of the database, unchecked."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise broken(path, str(error)) from error
    if not isinstance(entries, list):
        raise broken(path, f"expected a list of entries, found {type(entries).__name__}")
    return entries


def entry_unit(entry: Any, path: Path, project: str, licence: str) -> Unit | None:
    """The unit of one entry, or None where it is not C or C++."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise broken(path, f'an entry has no "file": {json.dumps(entry)[:80]}')
    if Path(entry["file"]).suffix not in SUFFIXES:
        return None
    directory = absolute(str(entry.get("directory", ".")), str(path.parent))
    command = entry_command(entry, path)
    if compiled_file(command, directory) is None:
        return None
    return Unit(project, licence, directory, absolute(entry["file"], directory), command)


def entry_command(entry: dict[str, Any], path: Path) -> tuple[str, ...]:
    """The argv of an entry, from "arguments" (a list) or "command" (shell words)."""
    words = entry.get("arguments", entry.get("command"))
    if isinstance(words, str):
        try:
            return tuple(shlex.split(words))
        except ValueError as error:
            raise broken(path, f'"command" of {entry["file"]}: {error}') from error
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return tuple(words)
    raise broken(path, f'{entry["file"]} has neither "command" nor "arguments"')


def broken(path: Path, why: str) -> ForerunError:
    """The error for a database that cannot be read."""
    return ForerunError(
        f"{path} is not a compilation database", why, "generate it again with the build system that wrote it"
    )
