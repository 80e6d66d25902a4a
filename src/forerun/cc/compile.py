"""What the server does with one command: front end, then the cache, the lock file or a search, then the object."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forerun import __version__, lock, settings
from forerun.cc import objects
from forerun.cc.server import Answer, Request
from forerun.cc.workshop import Workshop
from forerun.core import Source
from forerun.errors import ForerunError, InputError, UsageError
from forerun.files import write_atomically
from forerun.improve import Options, apply, assembles_files, improve
from forerun.lock import Entry, LockFile
from forerun.solve import Budget
from forerun.store import Store
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang, lib
from forerun.toolchains.llvm.elf import read_object

_PROBE = re.compile(r"(^|/)(conftest\w*|ztest\d+)\.\w+$|/(CMakeTmp|CMakeScratch|TryCompile-\w+|meson-private)(/|$)")
"""Sources that a build only compiles to learn about the compiler, as autoconf, zlib, CMake and Meson name them."""


_TOLD_LATE = re.compile(
    r"\"(warn-stack-size|dontcall-warn)\"|llvm\.loop\.(unroll|vectorize|interleave|distribute)\.(enable|full|count|width)"
)
"""What makes the code generator or a pass warn, after the front end: large frames, calls of what has
the attribute `warning`, loops that were not transformed."""


_SHARED = ("-o", "-x", "-MF", "-MJ", "-MT", "-MQ")
"""With several sources, these are mistakes or depend on the order: the compiler itself must deal with them."""


class _Gone(Exception):
    """The client does not wait any more."""


def idle_s(request: Request) -> float:
    """Seconds without work after which the server ends, as the latest client wants it."""
    try:
        with settings.acting_for(request.environment, Path(request.directory)):
            return settings.number("idle")
    except ForerunError:
        return 60.0


def compile_for(request: Request, shop: Workshop) -> Answer:
    """Never raises: whatever goes wrong, the real compiler runs."""
    verbose = False
    try:
        with settings.acting_for(request.environment, Path(request.directory)):
            verbose = settings.get("verbose") == "1"
            answer = _all(shop, request)
    except _Gone:
        return Answer(None, "the client is gone")
    except ForerunError as error:
        answer = Answer(None, str(error).replace("\n", ": "))
    except Exception as error:  # a build must not fail because of us
        answer = Answer(None, f"{type(error).__name__}: {error}")
    if verbose and answer.reason:
        tail = "; the real compiler runs" if answer.code is None else ""
        request.tell(f"forerun: {answer.reason}{tail}\n".encode("utf-8", "surrogateescape"))
    return answer


def _all(shop: Workshop, request: Request) -> Answer:
    """The command; or each of its sources in turn, with the real compiler for those that are not for us."""
    parts = _parts(request)
    if len(parts) == 1:
        return _Job(shop, request).run()
    answers = [_Job(shop, part).run() for part in parts]
    codes = [_real(part) if answer.code is None else answer.code for part, answer in zip(parts, answers, strict=True)]
    return Answer(max(codes), "\nforerun: ".join(answer.reason for answer in answers if answer.reason))


def _real(request: Request) -> int:
    """The exit code of the real compiler, run here on what is a part of the client's command. Raises _Gone."""
    if request.abandoned():
        raise _Gone
    code = subprocess.run(
        [request.compiler, *request.arguments],
        cwd=request.directory,
        env=request.environment,
        umask=request.mask,
        stdin=subprocess.DEVNULL,
        stdout=request.stdout,
        stderr=request.stderr,
        check=False,
    ).returncode
    return code if code >= 0 else 128 - code


def _parts(request: Request) -> list[Request]:
    """One request for each source of `cc -c a.c b.c`; the request itself where it is not that, and nothing more."""
    words = request.arguments
    at = [i for i, word in enumerate(words) if word.endswith(clang.SUFFIXES) and not word.startswith("-")]
    if len(at) < 2 or any(word.startswith(_SHARED) for word in words):
        return [request]
    parts = [replace(request, arguments=tuple(w for j, w in enumerate(words) if j == i or j not in at)) for i in at]
    for i, part in zip(at, parts, strict=True):
        command = _read(part)
        if isinstance(command, str) or command.source != words[i]:  # the word may belong to an option before it
            return [request]
    return parts


@dataclass
class _Job:
    shop: Workshop
    request: Request
    command: clang.Command = field(init=False)
    version: str = field(init=False)
    library: lib.Location = field(init=False)
    options: Options = field(init=False)
    frontend: clang.Frontend = field(init=False)
    lock: LockFile | None = field(init=False)
    folder: Path = field(init=False)

    def run(self) -> Answer:
        command = _read(self.request)
        if isinstance(command, str):
            return Answer(None, command)
        self.command = command
        self.version, major = clang.compiler_version(command.compiler, command.environment)
        self.library = self.shop.library(major)
        self.options = _options()
        self.lock = _lock_file()
        self.folder = settings.cache_folder() / "objects"
        try:
            self.frontend = clang.front_end(command, dependencies=True, colour=_coloured(self.request))
        except InputError:
            return Answer(None)  # the compiler itself says why, once
        if assembles_files(self.frontend.text):
            return Answer(None, f"{command.source}: it reads files through the assembler")
        if settings.get("locked") == "1":
            return self._from_lock()
        return self._from_cache() or self._searched()

    def _key(self, *more: str) -> str:
        status = Path(self.library.path).stat()
        warnings = [a for a in self.command.arguments if a.startswith("-W")]
        return objects.key(
            (
                self.frontend.text,
                repr((self.command.flags, warnings)),
                self.version,
                f"{self.library.path} {status.st_size} {status.st_mtime_ns}",
                repr(self.options),
                __version__,
                *more,
            )
        )

    def _from_cache(self) -> Answer | None:
        found = objects.get(self.folder, self._key())
        if found is None:
            return None
        if self.lock:
            self.lock.add(self._entry(found.facts, found.object))
        return self._deliver(found, "from the cache")

    def _searched(self) -> Answer:
        with self.shop.pool() as pool, Store(settings.store_path()) as store:
            improved = improve(
                self.command, self.options, pool=pool, store=store, frontend=self.frontend, on_trial=self._check
            )
        built = objects.Built(lock.facts(improved) | {"said": self._told_late()}, improved.object)
        if self.lock:
            self.lock.add(self._entry(built.facts, built.object))
        answer = self._deliver(built, "; ".join(improved.notes) or f"{len(improved.result.trials)} compilations")
        return self._kept(self._key(), built, answer)

    def _kept(self, key: str, built: objects.Built, answer: Answer) -> Answer:
        """The answer is delivered already: a cache that cannot be written must not cost it."""
        try:
            objects.put(self.folder, key, built)
        except ForerunError as error:
            return replace(answer, reason=f"{answer.reason}; not kept: {error.what}: {error.why}")
        self.shop.wrote(self.folder)
        return answer

    def _from_lock(self) -> Answer:
        if self.lock is None or not self.lock.path.is_file():
            # The user asked for a build that can be repeated: it is told even where nothing else is.
            there = "no lock file is named" if self.lock is None else f"there is no {self.lock.path}"
            self.request.tell(f"forerun: the build is locked, but {there}: name it with FORERUN_LOCK\n".encode())
            return Answer(None, f"{self.command.source}: there is no lock file")
        target = str(self.shop.target(self.command, self.version))
        entry = self.lock.find(self.frontend.text, target, lock.release(self.version))
        if entry is None:
            return Answer(None, f"{self.command.source}: not in the lock file {self.lock.path}")
        if not entry.plan:
            return Answer(None, f"{self.command.source}: the lock file keeps the compiler's own object")
        key = self._key("locked", entry.plan)
        found = objects.get(self.folder, key)
        built = found or self._applied(entry, target)
        answer = self._deliver(built, "as the lock file says")
        return answer if found else self._kept(key, built, answer)

    def _applied(self, entry: Entry, target: str) -> objects.Built:
        source = Source(self.frontend.text, "llvm", self.command.source, target)
        task = Passes(self.library.path, (), self.options.objective)
        with self.shop.pool() as pool:
            bitcode = apply(pool, task, source, lock.plan_of(entry))
        made = clang.emit(self.command, bitcode)
        after = {"after": lock.sizes(read_object(made))}
        return objects.Built(entry.facts() | after | {"said": self._told_late()}, made)

    def _entry(self, facts: dict[str, Any], built: bytes) -> Entry:
        assert self.lock
        kept = {name: value for name, value in facts.items() if name != "said"}
        return self.lock.entry(self.command, self.frontend.text, lock.release(self.version), kept, built)

    def _told_late(self) -> str:
        late = _TOLD_LATE.search(self.frontend.text)
        return clang.says(self.command).decode("utf-8", "replace") if late else ""

    def _check(self, _: object) -> None:
        if self.request.abandoned():
            raise _Gone

    def _deliver(self, built: objects.Built, how: str) -> Answer:
        self._check(None)
        output = Path(self.request.directory) / self.command.output
        write_atomically(output, built.object, self.request.mask, folders=False)
        self.request.tell(built.facts["said"].encode() or self.frontend.said)
        before, after = (sum(built.facts[when][:2]) for when in ("before", "after"))
        return Answer(0, f"{self.command.source}: {before:,} -> {after:,} B of text and data ({how})")


def _read(request: Request) -> clang.Command | str:
    command = clang.read_command([request.compiler, *request.arguments], request.directory)
    if isinstance(command, str):
        return command
    if _PROBE.search(f"{request.directory}/{command.source}"):
        return "a probe of the build's configuration"
    if command.source == "-":
        return "the source is standard input"
    if "CCC_OVERRIDE_OPTIONS" in request.environment:
        return "CCC_OVERRIDE_OPTIONS changes the command"
    return replace(command, environment=request.environment)


def _options() -> Options:
    text, where = settings.origin("budget")
    try:
        return Options(settings.get("objective"), Budget.parse(text))
    except UsageError as error:
        raise UsageError(f"the setting `budget`: {error.what}", f"it was set by: {where}", error.todo) from error


def _lock_file() -> LockFile | None:
    path = settings.path("lock")
    return LockFile(path) if path else None


def _coloured(request: Request) -> bool:
    asked = any(a.startswith(("-fdiagnostics-color", "-fcolor-diag", "-fno-color")) for a in request.arguments)
    return not asked and os.isatty(request.stderr) and request.environment.get("TERM", "dumb") != "dumb"
