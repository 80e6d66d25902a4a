"""Copies of a project's source that are built apart, and the sizes of what comes out. Helpers of `projects.py`."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from forerun.errors import ForerunError
from forerun.toolchains.llvm.elf import read_object

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAMS = REPOSITORY / "benchmarks" / "programs"
_LIMIT_S = 1800


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with a copy of the source in `tree`, forerun's caches, and `log`: all that commands there printed."""

    folder: Path
    compiler: str
    launcher: Path
    """The folder of the command `forerun`."""
    settings: Mapping[str, str]

    @property
    def tree(self) -> Path:
        """Where commands run."""
        return self.folder / "tree"

    def prepare(self, source: Path, steps: Iterable[str]) -> None:
        """Starts anew from the source. Raises ForerunError."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(source, self.tree, symlinks=True)
        for step in steps:
            self.must(step)

    def run(self, command: str, **environment: str) -> tuple[int, bytes]:
        """Exit code (124 where it takes too long) and what was printed."""
        try:
            run = subprocess.run(
                ["sh", "-c", command],
                cwd=self.tree,
                env=self.environment() | environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_LIMIT_S,
            )
            code, printed = run.returncode, run.stdout
        except subprocess.TimeoutExpired as late:
            code, printed = 124, late.stdout or b""
        with (self.folder / "log").open("ab") as log:
            log.write(f"$ {command}\n".encode() + printed + f"exit {code}\n".encode())
        return code, printed

    def must(self, command: str, **environment: str) -> None:
        """Raises ForerunError where the command fails."""
        code, printed = self.run(command, **environment)
        if code:
            said = printed.decode("utf-8", "replace")[-2000:]
            raise ForerunError(f"{command} ends with {code}", said, f"see {self.folder / 'log'}")

    def output(self, command: str) -> str:
        """What the command prints, whatever its exit code."""
        return self.run(command)[1].decode("utf-8", "replace")

    def environment(self) -> dict[str, str]:
        """The caller's, without what could change a build or where forerun looks."""
        gone = ("FORERUN_", "XDG_", "MAKE", "PYTHON", "CC", "CXX", "CFLAGS", "CPPFLAGS", "LDFLAGS", "VIRTUAL_ENV")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(gone)}
        path = f"{self.launcher}:{os.environ['PATH']}"
        own = {"CC": self.compiler, "CFLAGS": "-Oz", "PATH": path, "LC_ALL": "C", "OWN": str(PROGRAMS)}
        return kept | own | {"FORERUN_CACHE": str(self.folder / "cache")} | dict(self.settings)

    def log(self) -> str:
        """All that was printed so far."""
        return (self.folder / "log").read_text(errors="replace", encoding="utf-8")

    def end(self) -> None:
        """Ends the servers of all its caches."""
        for cache in self.folder.glob("cache*"):
            end_servers(cache)


def install(work: Path) -> Path:
    """Installs the package as it is now, as a user would; gives the folder of its command. Raises ForerunError."""
    place, copy = work / "venv", work / "package"
    shutil.rmtree(copy, ignore_errors=True)
    # A copy, because the build leaves folders beside the source.
    for name in ("src", "bin"):
        shutil.copytree(REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, copy)
    pip = [place / "bin" / "pip", "install", "--quiet", "--force-reinstall", copy]
    for command in ([sys.executable, "-m", "venv", place], pip):
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if run.returncode:
            raise ForerunError("the package cannot be installed", run.stderr.strip(), "look at what pip says of it")
    return place / "bin"


def end_servers(cache: Path) -> None:
    """Ends each server that listens in this cache, and waits until it is gone."""
    for path in (p for p in (cache / "run").glob("*") if p.is_socket()):
        while process := _listener(path):
            os.kill(process, signal.SIGKILL)
            time.sleep(0.02)


def _listener(path: Path) -> int:
    """The process that listens at a socket; 0 where none does."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return 0
        return int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])


def members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each object of an archive as GNU ar writes it."""
    at, names = 8, b""
    while at + 60 <= len(archive):
        name, size = archive[at : at + 16].rstrip(), int(archive[at + 48 : at + 58])
        data = archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if name == b"//":
            names = data
        elif name not in (b"/", b"/SYM64/"):
            full = names[int(name[1:]) :].split(b"/")[0] if name[:1] == b"/" else name.rstrip(b"/")
            yield full.decode(), data


def sizes(data: bytes) -> dict[str, int]:
    """Bytes of an ELF file that are code, data, both, and unwind tables."""
    found = read_object(data)
    return {"text": found.text, "data": found.data, "size": found.size, "unwind": found.unwind}


def binaries(tree: Path) -> dict[str, str]:
    """SHA-256 of each object, library and program below a folder, by its path there."""
    found = {}
    for path in sorted(p for p in tree.rglob("*") if p.is_file() and not p.is_symlink()):
        data = path.read_bytes()
        if data[:4] == b"\x7fELF" or data[:8] == b"!<arch>\n":
            content = repr(list(members(data))).encode() if data[:1] == b"!" else data  # members carry dates
            found[str(path.relative_to(tree))] = hashlib.sha256(content).hexdigest()
    return found
