"""The lock file: which pass pipeline each module gets, so that a build needs no search and everyone can replay it.

JSON, sorted; one entry for each module, keyed by its IR and the release of LLVM. Paths are relative to the folder of
the file; where a command names that folder itself, `${root}` stands for it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from forerun.core import Source
from forerun.errors import ForerunError, InputError
from forerun.files import write_atomically
from forerun.grammars.pipelines import Plan, parse_plan
from forerun.improve import Improved
from forerun.toolchains.llvm.clang import Command, compiler_version
from forerun.toolchains.llvm.elf import ObjectFile

FORMAT = 1
ROOT = "${root}"
Sizes = tuple[int, int, int]
"""Text, data and unwind tables in bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One module: how its IR is made, what was done with it, and what came out."""

    key: str
    """Content address of the IR and its target, with the lock file's folder written as `${root}`."""
    llvm: str
    file: str
    directory: str
    compiler: str
    arguments: tuple[str, ...]
    target: str
    level: str
    plan: str
    """Empty where the compiler's own object stays."""
    before: Sizes
    after: Sizes
    bitcode: str
    """SHA-256 of the optimised bitcode; empty where the plan is."""
    object: str
    """SHA-256 of the object."""

    @property
    def id(self) -> str:
        """The entry's name in the file."""
        return f"{self.key}/{self.llvm}"

    def facts(self) -> dict[str, Any]:
        """What does not depend on where the module lies."""
        names = ("target", "level", "plan", "before", "after", "bitcode")
        return {name: getattr(self, name) for name in names}


def read(path: Path) -> dict[str, Entry]:
    """Every entry by its id; none where the file is absent. Raises InputError where it is no lock file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"it has format {data['format']}, this version reads {FORMAT}")
        entries = [_entry(**row) for row in data["modules"]]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a lock file: {path}", str(error), "name another file, or delete it and build") from error
    return {entry.id: entry for entry in entries}


def update(path: Path, entries: Iterable[Entry]) -> None:
    """Adds or replaces entries, across processes. Raises ForerunError where the file cannot be read or written."""
    try:
        with _alone_in(path.parent):
            known = read(path)
            merged = known | {entry.id: entry for entry in entries}
            if merged != known or not path.exists():
                write_atomically(path.resolve(), _text(merged).encode())  # a link to it stays
    except OSError as error:
        raise ForerunError(
            f"cannot write the lock file {path}", error.strerror or str(error), "name another place with FORERUN_LOCK"
        ) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    # The folder itself is locked: a file for that would stay beside the user's own.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def extend(path: Path, improved: Iterable[Improved]) -> None:
    """Writes down what was done with modules that came from files. Raises ForerunError."""
    file, entries = LockFile(path), []
    for module in (m for m in improved if m.command.stdin is None):
        version = release(compiler_version(module.command.compiler, module.command.environment)[0])
        entries.append(file.entry(module.command, module.source.text, version, facts(module), module.object))
    update(path, entries)


def facts(improved: Improved) -> dict[str, Any]:
    """What does not depend on where a module lies, as `Entry.facts` gives it."""
    plan = improved.plan
    return {
        "target": improved.source.target,
        "level": improved.command.level,
        "plan": "" if plan is None else str(plan),
        "before": sizes(improved.before),
        "after": sizes(improved.after),
        "bitcode": "" if plan is None else hashlib.sha256(improved.bitcode).hexdigest(),
    }


def release(version: str) -> str:
    """`22.1.8` of clang's version line."""
    match = re.search(r"clang version (\S+)", version)
    return match[1] if match else ""


def plan_of(entry: Entry) -> Plan:
    """The plan of an entry that has one. Raises InputError where somebody changed it into none."""
    try:
        return parse_plan(entry.plan)
    except ValueError as error:
        todo = "build again with FORERUN_LOCK set"
        raise InputError(f"the lock file's plan for {entry.file} cannot be read", str(error), todo) from error


def sizes(found: ObjectFile) -> Sizes:
    """As entries hold them."""
    return (found.text, found.data, found.unwind)


def _text(entries: Mapping[str, Entry]) -> str:
    rows = sorted((asdict(e) for e in entries.values()), key=lambda row: (row["file"], row["key"], row["llvm"]))
    return json.dumps({"format": FORMAT, "modules": rows}, indent=1, sort_keys=True) + "\n"


def _entry(**row: Any) -> Entry:
    """Raises TypeError or ValueError for fields of another kind."""
    lists = {name: tuple(row[name]) for name in ("arguments", "before", "after")}
    texts = [*(value for name, value in row.items() if name not in lists), *lists["arguments"]]
    numbers = (*lists["before"], *lists["after"])
    if not all(isinstance(x, str) for x in texts) or not all(type(x) is int for x in numbers) or len(numbers) != 6:
        raise ValueError(f"the entry of {row.get('file')!r} has a field of another kind")
    return Entry(**(row | lists))


@dataclass(frozen=True, slots=True)
class LockFile:
    """A lock file, and the folder that its paths are relative to."""

    path: Path
    root: str = ""

    @property
    def folder(self) -> str:
        """The root as an absolute path."""
        return os.path.abspath(self.root or self.path.parent)  # noqa: PTH100 - links stay as the user wrote them

    def key(self, text: str, target: str) -> str:
        """A module's content address. A tree that was moved keeps it, where only its own folder's name differs."""
        return Source(self.relative(text), "llvm", target=target).key

    def relative(self, text: str) -> str:
        """With this file's folder written as `${root}`."""
        if self.folder == "/" or self.folder not in text:
            return text
        return re.sub(rf"{re.escape(self.folder)}(?![\w.+-])", lambda _: ROOT, text)

    def absolute(self, text: str) -> str:
        """The inverse of `relative`."""
        return text.replace(ROOT, self.folder)

    def find(self, text: str, target: str, llvm: str) -> Entry | None:
        """The entry of a module. Raises InputError."""
        return read(self.path).get(f"{self.key(text, target)}/{llvm}")

    def add(self, entry: Entry) -> None:
        """Writes one entry. Raises ForerunError."""
        update(self.path, [entry])

    def entry(self, command: Command, text: str, llvm: str, facts: Mapping[str, Any], built: bytes) -> Entry:
        """What is written down of a module: its IR text, facts as `Entry.facts` gives them, and its object."""
        source = os.path.join(command.directory, command.source)  # noqa: PTH118 - as above
        both = {when: tuple(facts[when]) for when in ("before", "after")}
        return Entry(
            key=self.key(text, facts["target"]),
            llvm=llvm,
            file=os.path.relpath(source, self.folder),
            directory=os.path.relpath(command.directory, self.folder),
            compiler=_plain(command),
            arguments=tuple(self.relative(a) for a in command.arguments),
            object=hashlib.sha256(built).hexdigest(),
            **(dict(facts) | both),
        )


def _plain(command: Command) -> str:
    """The compiler's name alone, where the PATH leads to it."""
    name = Path(command.compiler).name
    found = shutil.which(name, path=(command.environment or os.environ).get("PATH"))
    same = found and Path(found).resolve() == Path(command.compiler).resolve()
    return name if same else command.compiler
