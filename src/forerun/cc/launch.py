"""Where the native client and the server meet: builds the client, and writes down beside it how to reach the server.

In `CACHE/bin/<path of the installation>/` lie `forerun-cc-<hash of client.c>`, the symlink `forerun-cc` to it, and
`server`: what the client needs to know, one fact a line. Sockets lie in the user's runtime folder or `CACHE/run`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import forerun
from forerun import settings
from forerun.errors import ForerunError, ToolMissing
from forerun.files import locked, write_atomically

PACKAGE = Path(__file__).resolve().parent.parent
SOURCE = Path(__file__).with_name("client.c")


def folder() -> Path:
    """Where the client of this installation lies in the cache; the script `bin/forerun` looks there, too."""
    here = os.environ.get("FORERUN_LAUNCHER") or str(Path(sys.executable).parent)
    return settings.cache_folder() / "bin" / here.lstrip("/")


def _hash() -> str:
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]


def client(compiler: str | None = None) -> Path:
    """The client, built where it is absent. Raises ForerunError where it cannot be built or written."""
    home = folder()
    program = home / f"forerun-cc-{_hash()}"
    link = home / "forerun-cc"
    if not (program.exists() and (home / "server").exists() and link.resolve() == program.resolve()):
        _install(home, program, link, compiler, str(_sockets()))
    return link


def _sockets() -> Path:
    """A socket's path has room for 107 bytes only, so a cache with a long name keeps its sockets elsewhere."""
    own = settings.cache_folder() / "run"
    return own if len(os.fsencode(own)) < 80 else Path(f"/tmp/forerun-{os.geteuid()}")


def _install(home: Path, program: Path, link: Path, compiler: str | None, sockets: str) -> None:
    try:
        with locked(home / "lock"):
            if not program.exists():
                _build(program, compiler)
            write_config(home, sockets)
            _point(link, program.name)
    except OSError as error:
        raise ForerunError(f"cannot write to {home}", error.strerror or str(error), _ELSEWHERE) from error


_ELSEWHERE = "choose another folder with FORERUN_CACHE"


def _build(program: Path, compiler: str | None) -> None:
    temporary = program.with_name(f".{program.name}.{os.getpid()}")
    said = "no C compiler was found"
    for name in (compiler, "cc", "clang", "gcc"):
        path = name and shutil.which(name)
        if not path:
            continue
        run = subprocess.run(
            [path, "-O2", "-std=c11", "-x", "c", str(SOURCE), "-o", str(temporary)], capture_output=True, check=False
        )
        if run.returncode == 0:
            temporary.replace(program)
            return
        said = run.stderr.decode("utf-8", "replace").strip()
    raise ToolMissing("the client of `forerun cc` cannot be built", said, "install a C compiler and its headers")


def _point(link: Path, name: str) -> None:
    temporary = link.with_name(f".{link.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(name)
    temporary.replace(link)


def refresh(home: Path) -> None:
    """Brings a client's folder up to date with the package. Raises ForerunError."""
    sockets = (home / "server").read_text(encoding="utf-8").splitlines()[1]
    _install(home, home / f"forerun-cc-{_hash()}", home / "forerun-cc", None, sockets)


def write_config(home: Path, sockets: str) -> None:
    """Writes down for the client how to reach and start the server of the package as it is now."""
    files = package_files()
    times = [(file, file.stat().st_mtime_ns) for file in files]
    name = _name(home, times)
    # The server must find what this Python finds, whatever a build does to PYTHONPATH.
    paths = [p for p in sys.path if Path(p).is_absolute() and (p != str(Path.cwd()) or p == str(PACKAGE.parent))]
    code = f"import sys; sys.path[:] = {paths!r}; from forerun.cc.server import main; main()"
    stats = [f"{time // 10**9} {time % 10**9} {file}" for file, time in times]
    lines = [name, sockets, sys.executable, code, *stats]
    write_atomically(home / "server", ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def package_files() -> list[Path]:
    """Every file of the package whose change makes a running server old."""
    return sorted(f for pattern in ("*.py", "*.c", "*.json") for f in PACKAGE.rglob(pattern))


def _name(home: Path, times: list[tuple[Path, int]]) -> str:
    facts = (forerun.__version__, os.getuid(), str(home), sys.executable, [(str(f), t) for f, t in times])
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def run_compiler(argv: list[str]) -> int:
    """Becomes the real compiler. Returns 127 where there is none."""
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        print(f"forerun: {argv[0]} does not run: {error.strerror}", file=sys.stderr)
        return 127
