"""Compiles a program and runs it, both shut in by `jail.py`, and says what each took."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from forerun import settings
from forerun.core import Tool
from forerun.errors import ForerunError, ToolMissing
from forerun.toolchains.process import jail
from forerun.toolchains.process.languages import Language, find

_SHELL = "/bin/sh"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_SLACK_S = 60.0
"""How long the supervisor may take beyond all that it gives its program, on a machine that is busy."""
_IDLE_S = 3600.0
"""After so long a folder whose process is gone is nobody's: where folders are shared, processes may not be."""
_NO_MEMORY = (
    "out of memory",
    "Out of memory",
    "bad_alloc",
    "MemoryError",
    "OutOfMemoryError",
    "Cannot allocate memory",
)
_TRACED = """\
import sys, tracemalloc
with open(sys.argv[1], "rb") as file:
    code = compile(file.read(), sys.argv[1], "exec")
peak, sys.argv = sys.argv[2], sys.argv[1:2]
try:
    tracemalloc.start()
    exec(code, {"__name__": "__main__", "__file__": sys.argv[0], "__builtins__": __builtins__})
finally:
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with open(peak, "w") as file:
        file.write(str(most))
"""
"""Runs a Python program and writes the peak of what it allocated; compiling it is not counted."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one command may use. Wall-clock time is twice the CPU time, for programs that wait."""

    cpu_s: float = 10.0
    memory_bytes: int = 4 << 30
    file_bytes: int = 16 << 20
    """The longest file that it may write, its standard output among them."""
    scratch_bytes: int = 256 << 20
    """What all its files may hold, where namespaces can be had."""
    processes: int = 512
    """Threads are counted."""

    @property
    def wall_s(self) -> float:
        """Seconds until it is stopped."""
        return 2 * self.cpu_s


_COMPILING = Bounds(cpu_s=60.0, memory_bytes=8 << 30, file_bytes=1 << 30, processes=1024)
"""Compilers are trusted with more, but what they read is not: a template may never end."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What became of one command: how it ended, and what it used, its children with it."""

    status: int
    """Its exit status, or the signal that ended it, negative."""
    memory_bytes: int
    """Peak resident set of the largest of its processes."""
    cpu_s: float
    """User and system time of all its processes."""
    wall_s: float
    faults: int
    """Pages that were touched for the first time, or again after they were given back: finer than the resident set."""
    output_bytes: int
    error: str = ""
    """Why it does not count, starting with the kind: timeout, memory, output, input, network, crash, exit."""


@cache
def confinable() -> bool:
    """Whether this kernel lets this user have namespaces, tried once; docker's default profile, for one, does not."""
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        told = _jailed(_spec(["true"], Path(folder), Bounds(cpu_s=5), {"PATH": _PATH}) | {"confine": True})
    return told.get("status") == 0


def sandbox() -> Tool:
    """What programs are shut in by. Raises ToolMissing without a POSIX shell or outside of Linux."""
    if sys.platform != "linux" or not Path(_SHELL).exists():
        raise ToolMissing(
            "programs cannot be measured here", "it takes Linux and /bin/sh", "install it with: apt-get install dash"
        )
    kind = "namespaces and limits" if confinable() else "limits only: network and files are open"
    return Tool("sandbox", kind, _SHELL, f"Linux {os.uname().release}")


@dataclass(frozen=True, slots=True)
class Built:
    """A program that is ready to run in its folder."""

    language: Language
    folder: Path
    values: Mapping[str, str]
    compiled: Spent | None
    """What compiling took; None where there is nothing to compile."""

    def run(self, stdin: bytes | None, bounds: Bounds) -> Spent:
        """Runs it once, with an input or without any."""
        return self._spent(self.language.fill(self.language.run, self.values), stdin, bounds)

    def traced_bytes(self, stdin: bytes | None, bounds: Bounds) -> float | None:
        """The peak of what a Python program allocates, by tracemalloc; None where it does not come that far."""
        script, peak = self.folder / "box" / ".traced.py", self.folder / "box" / "run" / "peak"
        script.write_text(_TRACED, encoding="utf-8")
        # What is written inside is gone with the namespaces, so the number comes out as the last line of the output.
        show = f'"$@" > /dev/null && cat {peak.name}'
        words = [_SHELL, "-c", show, "traced", self.values["tool"], str(script), f"../{self.values['file']}", str(peak)]
        spent = self._spent(words, stdin, bounds)
        said = (self.folder / "out").read_text(errors="replace", encoding="utf-8")
        return float(said) if not spent.error and said.isdigit() else None

    def _spent(self, command: Sequence[str], stdin: bytes | None, bounds: Bounds) -> Spent:
        return _confined(command, self.folder, bounds, _environment(self.language, self.values), stdin)


@contextmanager
def built(language: Language, text: str, bounds: Bounds | None = None) -> Iterator[Built]:
    """A program in a temporary folder, compiled; the folder is gone afterwards. Raises ToolMissing."""
    _sweep()
    with tempfile.TemporaryDirectory(prefix=f"forerun-{os.getpid()}-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        values = _values(language, text)
        (folder / "box").mkdir()
        (folder / "box" / values["file"]).write_bytes(text.encode("utf-8", "surrogateescape"))
        compiled = None
        if language.compile:
            command = language.fill(language.compile, values)
            writable = [folder / "box", *_lasting(language, values)]
            environment = _environment(language, values)
            compiled = _confined(command, folder, bounds or _COMPILING, environment, None, writable)
        yield Built(language, folder, values, compiled)


@cache
def _sweep() -> None:
    """Removes the folders of processes that were killed, an hour after they were last used."""
    for folder in Path(tempfile.gettempdir()).glob("forerun-*-*"):
        process = folder.name.split("-")[1]
        with suppress(OSError):
            idle = time.time() - folder.stat().st_mtime > _IDLE_S
            if process.isdigit() and idle and not Path(f"/proc/{process}").exists():
                shutil.rmtree(folder, ignore_errors=True)


def _values(language: Language, text: str) -> dict[str, str]:
    kept = settings.cache_folder().absolute() / "programs"
    values = {"tool": find(language.name).path, "cache": str(kept), "home": os.path.expanduser("~")}  # noqa: PTH111
    values["second"] = shutil.which(language.second) or "" if language.second else ""
    values |= language.names(text) if language.names else {}
    values["file"] = (language.file or f"main{language.suffixes[0]}").format_map(values)
    return values


def _lasting(language: Language, values: Mapping[str, str]) -> list[Path]:
    """The folder that lasts, where the language asks for it."""
    if not any("{cache}" in value for _, value in language.env):
        return []
    folder = Path(values["cache"])
    folder.mkdir(parents=True, exist_ok=True)
    return [folder]


def _environment(language: Language, values: Mapping[str, str]) -> dict[str, str]:
    """What all programs see, and what their language needs; nothing of the caller's."""
    own = {name: _own(name, value) or value.format_map(values) for name, value in language.env}
    path = f"{Path(values['tool']).parent}:{_PATH}"
    return {"PATH": path, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC"} | own


def _own(name: str, value: str) -> str | None:
    """Where the caller keeps a tool's parts, if not at home."""
    return os.environ.get(name) if value.startswith("{home}") else None


def _confined(
    command: Sequence[str],
    folder: Path,
    bounds: Bounds,
    environment: Mapping[str, str],
    stdin: bytes | None,
    writable: Sequence[Path] = (),
) -> Spent:
    spec = _spec(command, folder, bounds, environment, writable)
    if stdin is not None:
        (folder / "in").write_bytes(stdin)
        spec["stdin"] = str(folder / "in")
    told = _jailed(spec)
    if "broken" in told:
        raise ForerunError("a program could not be started", told["broken"], "see: forerun doctor")
    return _spent(told, folder, bounds, reading=bool(writable))


def _spec(
    command: Sequence[str], folder: Path, bounds: Bounds, environment: Mapping[str, str], writable: Sequence[Path] = ()
) -> dict[str, Any]:
    """Compiling happens in the program's folder, running in an empty one that nothing else may be written beside."""
    box = folder / "box"
    scratch = box / "run"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    place = box if writable else scratch
    return asdict(bounds) | {
        "command": list(command),
        "shell": _SHELL,
        "env": {**environment, "HOME": str(place), "TMPDIR": str(place)},
        "cwd": str(place),
        "writable": [str(path) for path in writable],
        "scratch": "" if writable else str(scratch),
        "stdin": "",
        "stdout": str(folder / "out"),
        "stderr": str(folder / "err"),
        "wall_s": bounds.wall_s,
    }


def _jailed(spec: dict[str, Any]) -> dict[str, Any]:
    asked = {"confine": False} if "confine" not in spec and not confinable() else {"confine": True}
    command = [sys.executable, "-I", "-S", jail.__file__, json.dumps(spec | asked)]
    limit = 11 * spec["wall_s"] + _SLACK_S
    try:
        # A session of its own: an interrupt from the keyboard ends the collection, not the program that is in hand.
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, check=False, start_new_session=True
        )
    except subprocess.TimeoutExpired:
        return {"broken": f"its supervisor did not end within {limit:g} s"}
    try:
        return dict(json.loads(run.stdout))
    except ValueError:
        said = run.stderr.decode("utf-8", "replace").strip().splitlines()
        return {"broken": said[-1] if said else f"its supervisor ended with {run.returncode}"}


def _spent(told: Mapping[str, Any], folder: Path, bounds: Bounds, reading: bool) -> Spent:
    size = (folder / "out").stat().st_size
    said = _tail(folder / "err") or (_tail(folder / "out") if reading else [])
    said = [line.replace(f"{folder}/box/", "") for line in said]
    error = _stopped(told, bounds, max(size, (folder / "err").stat().st_size))
    if not error and told["status"]:
        error = _failed(told["status"], said, first=reading)
    used = {name: told[name] for name in ("status", "memory_bytes", "cpu_s", "wall_s", "faults")}
    return Spent(**used, output_bytes=size, error=error)


def _stopped(told: Mapping[str, Any], bounds: Bounds, size: int) -> str:
    """Why it may not count although it might have ended well."""
    if told["status"] == -signal.SIGXFSZ or size >= bounds.file_bytes:
        return f"output: a file of more than {bounds.file_bytes >> 20} MiB"
    if told["status"] == -signal.SIGXCPU:
        return f"timeout: more than {bounds.cpu_s:g} s of CPU time"
    if told["stopped"] == "timeout":
        return f"timeout: more than {bounds.wall_s:g} s by the clock"
    if told["stopped"] == "memory":
        return f"memory: more than {bounds.memory_bytes >> 20} MiB"
    if told["stopped"] == "processes":
        return f"processes: more than {bounds.processes}"
    if told["read_input"]:
        return "input: it reads standard input"
    return "network: it wants to reach another machine" if told["network"] else ""


def _failed(status: int, said: Sequence[str], first: bool) -> str:
    """A compiler tells the cause first, a program that ends with an exception tells it last."""
    if any(sign in line for line in said for sign in _NO_MEMORY):
        return "memory: it had no more"
    if status < 0:
        return f"crash: {signal.Signals(-status).name}"
    errors = [line for line in said if "rror" in line] or [line for line in said if line.strip()] or [""]
    reason = errors[0 if first else -1].strip()[:200]
    return f"exit status {status}" + (f": {reason}" if reason else "")


def _tail(path: Path, most: int = 1 << 16) -> list[str]:
    """The lines at the end of what it said."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read().decode("utf-8", "replace").splitlines()
