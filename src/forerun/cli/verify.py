"""`forerun verify`: makes every module of a lock file again with stock `opt` and `llc`, and compares the objects.

Where the object of `llc` is another one, the user's compiler makes it from the same bitcode: it has flags that `llc`
has no words for. A module that keeps the compiler's own object is compiled once more.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from forerun import lock, settings
from forerun.cli import render
from forerun.errors import ForerunError, GateFailed, UsageError
from forerun.toolchains.llvm import clang, stock
from forerun.toolchains.llvm.elf import read_object
from forerun.toolchains.llvm.target import Target

_COLUMNS = (
    render.Column("file", "module"),
    render.Column("status", "status"),
    render.Column("text_before", "text B before", render.number, right=True),
    render.Column("text_after", "after", render.number, right=True),
    render.Column("data_before", "data B before", render.number, right=True),
    render.Column("data_after", "after", render.number, right=True),
    render.Column("llvm", "LLVM"),
    render.Column("why", "why"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument("lock", nargs="?", metavar="LOCK", help="lock file (default: the setting `lock`)")
    parser.add_argument("--root", metavar="DIR", help="folder that paths are relative to (default: the lock file's)")
    parser.add_argument("--clang", metavar="PROGRAM", help="clang to make the IR with (default: as recorded)")
    render.add_format(parser)


def run(options: argparse.Namespace) -> int:
    """0 where every module was verified. Raises GateFailed otherwise, UsageError where there is no lock file."""
    path = Path(options.lock) if options.lock else settings.path("lock")
    if path is None or not path.is_file():
        raise UsageError(
            f"no such lock file: {path}" if path else "which lock file?",
            "neither the command line nor the setting `lock` names one that is there",
            "name it: forerun verify forerun.lock",
        )
    file = lock.LockFile(path, options.root or "")
    entries = sorted(lock.read(path).values(), key=lambda e: (e.file, e.key))
    rows = [_row(entry, *_verified(file, entry, options.clang)) for entry in entries]
    render.show(render.Table(_COLUMNS, rows), options.format)
    failed = sum(row["status"] != "verified" for row in rows)
    if failed:
        raise GateFailed(
            f"{failed} of {len(rows)} modules are not verified",
            "the table says why",
            "build again with FORERUN_LOCK set",
        )
    return 0


def _row(entry: lock.Entry, status: str, why: str) -> dict[str, Any]:
    return {
        "file": entry.file,
        "status": status,
        "text_before": entry.before[0],
        "text_after": entry.after[0],
        "data_before": entry.before[1],
        "data_after": entry.after[1],
        "llvm": entry.llvm,
        "plan": entry.plan,
        "why": why,
    }


def _verified(file: lock.LockFile, entry: lock.Entry, compiler: str | None) -> tuple[str, str]:
    """A status, and why it is not `verified`."""
    try:
        command = _command(file, entry, compiler)
        version, major = clang.compiler_version(command.compiler)
        if f" {entry.llvm}" not in version:
            return "unsupported", f"made with LLVM {entry.llvm}, {command.compiler} says: {version}"
        text = clang.front_end(command).text
        if file.key(text, entry.target) != entry.key:
            return "stale", "the source, its headers or the flags have changed"
        return _replayed(entry, command, text, major)
    except ForerunError as error:
        return "unsupported", str(error).replace("\n", ": ")


def _command(file: lock.LockFile, entry: lock.Entry, compiler: str | None) -> clang.Command:
    directory = os.path.normpath(Path(file.folder) / entry.directory)
    arguments = [file.absolute(a) for a in entry.arguments]
    command = clang.read_command([compiler or entry.compiler, *arguments], directory)
    if isinstance(command, str):
        raise UsageError("the recorded command is not understood", command, "build again with FORERUN_LOCK set")
    return replace(command, directory=directory)


def _replayed(entry: lock.Entry, command: clang.Command, text: str, major: int) -> tuple[str, str]:
    if not entry.plan:
        same = _sha256(clang.baseline(command)) == entry.object
        return ("verified", "") if same else ("differs", "the compiler's own object has other bytes")
    target, plan = Target.parse(entry.target), lock.plan_of(entry)
    data = stock.bitcode(text, plan, target, major)
    # The object is what counts. Bitcode differs where functions have passes of their own: opt reads the module again
    # for each, so LLVM counts anew when it names local values and, with -g, numbers the groups of source atoms. And
    # what the user asks of the code generator in words that llc does not have is in the flags of the user's compiler.
    for emit in (partial(stock.object_file, data, target, major), partial(clang.emit, command, data)):
        made = emit()
        if _sha256(made) == entry.object:
            found = lock.sizes(read_object(made))
            return ("verified", "") if found == entry.after else ("differs", f"the object has {found[0]} bytes of text")
    other = _sha256(data) != entry.bitcode and not plan.functions
    return "differs", "opt makes other bitcode" if other else "llc and the compiler make another object"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
