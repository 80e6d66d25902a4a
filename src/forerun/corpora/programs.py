"""Any folder of programs: one file, one program, in the language that its suffix names.

Nothing is copied: the folder is read where it lies. What is no whole program by its looks is left out and counted, by
reason. Inputs lie beside a program `p.c` as `p.in` or `p.stdin`, or in a folder `inputs/`, as `inputs/p.1` or as
`inputs/p/1`; each of them makes a source of its own.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forerun.core import Source
from forerun.errors import InputError, ToolMissing
from forerun.toolchains.process.languages import Language, of_file
from forerun.toolchains.process.target import Target

GROUPINGS = ("parent", "file", "top", "number")
"""What is one problem: the folder that holds the file, the file's name without its suffix, the folder at the top, or
the first number in the file's name, else in the name of the nearest folder around it that has one."""

_LICENCES = re.compile(r"(?i)(licen[cs]e|copying|unlicense)(\.\w+)?")
_INPUTS = (".in", ".stdin")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_COMPILED = frozenset({".ll", ".s", ".asm"})
"""Suffixes of what compilers write."""

# The first that is found names the licence; the more special ones stand first.
_SPDX = (
    ("AGPL-3.0-only", r"GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-3.0-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-2.1-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1"),
    ("GPL-3.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("GFDL-1.3-only", r"GNU Free Documentation License\s+Version 1\.3"),
    ("GFDL-1.2-only", r"GNU Free Documentation License\s+Version 1\.2"),
    ("MPL-2.0", r"Mozilla Public License,?\s+Version 2\.0"),
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("CC0-1.0", r"CC0 1\.0 Universal"),
    ("CC-BY-SA-4.0", r"Attribution-ShareAlike 4\.0"),
    ("Unlicense", r"This is free and unencumbered software"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms[\s\S]*Neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and(?:/or)? distribute this software"),
    ("MIT", r"Permission is hereby granted, free of charge"),
)


@dataclass(frozen=True, slots=True)
class Program:
    """One program with one input, or none: ready to be measured."""

    source: Source
    group: str
    licence: str


@dataclass(frozen=True, slots=True)
class Found:
    """The programs of a folder, and how many files were left out, by reason."""

    programs: tuple[Program, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def load(
    folder: Path,
    *,
    group_by: str = "parent",
    languages: Collection[str] = (),
    most: int = 20_000,
    device: str = "",
    whole: bool = True,
) -> Found:
    """The programs in a folder and in those below it, in the order of their paths.

    `languages` are the names to take, all where it is empty; `most` is how many bytes a program may have; `device` is
    what this machine is called in `Source.target`, its own description where it is empty. Where they need not be
    `whole`, files without a main are taken, too. A source's name is the folder's name, the group and the file's name,
    so that `group_of` can tell problems apart in a store. Texts that were seen before are left out. Raises InputError
    where there is no such folder.
    """
    root = _root(folder)
    walk = _Walk(root, group_by, languages, most, device, whole)
    programs = tuple(program for path in _files(root) for program in walk.programs(path))
    return Found(programs, dict(walk.skipped))


def texts(folder: Path, most: int = 1 << 20) -> Iterator[str]:
    """Files of `most` bytes at most in a language that is measured, in LLVM IR or assembly, by their suffixes, whole
    programs or not, each text once.

    Raises InputError where there is no such folder.
    """
    seen = set[str]()
    for path in _files(_root(folder)):
        known = of_file(path) or path.suffix.lower() in _COMPILED
        if known and path.is_file() and not path.is_symlink() and path.stat().st_size <= most:
            text = _text(path)
            if text.strip() and "\0" not in text and text not in seen:
                seen.add(text)
                yield text


def _text(path: Path) -> str:
    """What a file holds, whatever its encoding; no mark of its byte order."""
    return path.read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def group_of(source: Source) -> str:
    """The problem that a source of a folder solves: its name without the file."""
    return source.name.rpartition("/")[0]


def licence(folder: Path) -> str:
    """The SPDX name of the licence that a folder's own file states; where to read it otherwise; `unknown` without."""
    for path in sorted(folder.iterdir()):
        if path.is_file() and _LICENCES.fullmatch(path.name):
            text = path.read_text(errors="replace", encoding="utf-8")
            return next((name for name, pattern in _SPDX if re.search(pattern, text)), f"see {path.name}")
    return "unknown"


def _root(folder: Path) -> Path:
    root = Path(folder).resolve()
    if not root.is_dir():
        raise InputError(f"there is no folder {folder}", "no such folder", "name a folder with programs: --folder DIR")
    return root


def _files(root: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        yield from (Path(name, file) for file in sorted(files))


@dataclass
class _Walk:
    root: Path
    group_by: str
    languages: Collection[str]
    most: int
    device: str
    whole: bool
    skipped: Counter[str] = field(default_factory=Counter)
    seen: set[tuple[str, str]] = field(default_factory=set)
    licences: dict[Path, str] = field(default_factory=dict)

    def programs(self, path: Path) -> list[Program]:
        """One for each input of a file; none where it is left out, which is counted."""
        language = of_file(path)
        if reason := self._uninteresting(path, language):
            self.skipped[reason] += 1
            return []
        assert language
        text = _text(path)
        if reason := incomplete(language, text, self.whole) or self._unusable(language, text):
            self.skipped[reason] += 1
            return []
        self.seen.add((language.name, text))
        return [self._program(path, language, text, stdin) for stdin in inputs(path) or (None,)]

    def _uninteresting(self, path: Path, language: Language | None) -> str:
        if path.is_symlink() or not path.is_file():
            return "a link or no file"
        if language is None or "inputs" in path.relative_to(self.root).parts[:-1]:
            return "no program: an input" if _is_input(path) else "no program by its suffix"
        if self.languages and language.name not in self.languages:
            return "another language"
        size = path.stat().st_size
        return "empty" if not size else f"longer than {self.most:,} B" if size > self.most else ""

    def _unusable(self, language: Language, text: str) -> str:
        if (language.name, text) in self.seen:
            return "the same text again"
        try:
            Target.here(language)
        except ToolMissing:
            return f"no {language.name} on this machine"
        return ""

    def _program(self, path: Path, language: Language, text: str, stdin: bytes | None) -> Program:
        group = self._group(path)
        name = "/".join(part for part in (self.root.name, group, path.name) if part)
        target = str(Target.here(language, stdin, self.device))
        return Program(Source(text, language.name, name, target, stdin or b""), group, self._licence(path.parent))

    def _group(self, path: Path) -> str:
        below = path.relative_to(self.root)
        if self.group_by == "number":
            numbers = (re.search(r"\d+", name) for name in (below.stem, *reversed(below.parts[:-1])))
            return next((str(int(found[0])) for found in numbers if found), below.stem)
        if self.group_by == "file":
            return below.stem
        return below.parts[0] if self.group_by == "top" and len(below.parts) > 1 else below.parent.as_posix().strip(".")

    def _licence(self, folder: Path) -> str:
        """The nearest one, from the file's folder up to the root."""
        if folder not in self.licences:
            own = licence(folder)
            above = own == "unknown" and folder != self.root
            self.licences[folder] = self._licence(folder.parent) if above else own
        return self.licences[folder]


def incomplete(language: Language, text: str, whole: bool = True) -> str:
    """Why a text is no program by its looks, or no whole one, or nothing; compiling is the judge of what passes."""
    if "\0" in text:
        return "no text"
    if not text.strip():
        return "empty"
    if whole and language.whole and not re.search(language.whole, text, re.MULTILINE):
        return f"no main in {language.name}"
    if language.parts and re.search(language.parts, text, re.MULTILINE):
        return f"needs other files in {language.name}"
    return ""


def _is_input(path: Path) -> bool:
    return path.suffix in _INPUTS or "inputs" in path.parts


def inputs(path: Path) -> list[bytes]:
    """What lies beside a program to be read by it, in the order of the names."""
    beside = [file for suffix in _INPUTS if (file := path.with_suffix(suffix)).is_file()]
    folder = path.parent / "inputs"
    if folder.is_dir():
        beside += sorted(f for f in (*folder.glob(f"{path.stem}.*"), *(folder / path.stem).glob("*")) if f.is_file())
    return [file.read_bytes() for file in beside]
