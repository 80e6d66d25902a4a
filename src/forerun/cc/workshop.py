"""What all commands of a server share: the workers that measure, and what was found out about compilers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forerun import settings
from forerun.cc import objects
from forerun.sandbox import Limits, Pool
from forerun.toolchains.llvm import clang, lib
from forerun.toolchains.llvm.target import Target

_TRIM_EVERY = 200
"""Writes between two looks at the size of the cache: reading the folder costs as much as a few compilations."""


class Workshop:
    """One for a server; every method may be called from any thread."""

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(settings.workers())
        self._lock = threading.Lock()
        self._idle: list[Pool] = []
        self._targets: dict[tuple[object, ...], Target] = {}
        self._libraries: dict[tuple[object, ...], lib.Location] = {}
        self._writes = 0

    def close(self) -> None:
        """Ends the workers."""
        for pool in self._idle:
            pool.close()

    @contextmanager
    def pool(self) -> Iterator[Pool]:
        """One worker; as many are lent at once as the setting allows, or `make -j8` would fill the machine."""
        limits = Limits.from_settings()
        with self._places:
            with self._lock:
                found = next((p for p in self._idle if p.limits == limits), None)
                if found:
                    self._idle.remove(found)
            pool = found or Pool(1, limits)
            try:
                yield pool
            finally:
                with self._lock:
                    self._idle.append(pool)

    def library(self, major: int) -> lib.Location:
        """The libLLVM of that version, looked for once: that reads a dozen folders. Raises ToolMissing."""
        key = (major, settings.get("llvm"))
        if key not in self._libraries or not Path(self._libraries[key].path).exists():
            self._libraries[key] = lib.find(major)
        return self._libraries[key]

    def target(self, command: clang.Command, version: str) -> Target:
        """How the command emits code: a question of its flags, asked once. Raises InputError."""
        suffix = Path(command.source).suffix
        key = (command.compiler, version, command.flags, suffix, "c++" in str(command.arguments))
        if key not in self._targets:
            self._targets[key] = clang.target(command)
        return self._targets[key]

    def wrote(self, folder: Path) -> None:
        """Counts an object that was added to the cache."""
        with self._lock:
            self._writes += 1
            due = self._writes % _TRIM_EVERY == 1
        if due:
            objects.trim(folder, settings.number("cache_size") * 2**20)
