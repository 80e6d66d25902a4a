"""Settings: flags > `FORERUN_*` > `[tool.forerun]` in the nearest pyproject.toml > defaults."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import platformdirs

from forerun.errors import InputError, UsageError
from forerun.threads import cores


@dataclass(frozen=True, slots=True)
class Setting:
    """A name, its default as text, and what it is for."""

    name: str
    default: str
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"FORERUN_{self.name.upper()}"


SETTINGS = {
    s.name: s
    for s in (
        Setting("llvm", "", "libLLVM to use: a major version, the library, its folder, or an llvm-config"),
        Setting("cache", "", "folder for measured trials and built objects (default: the platform's cache folder)"),
        Setting("workers", "", "worker processes that measure (default: one for each usable core)"),
        Setting(
            "timeout",
            "30",
            "seconds that one candidate may take before it is stopped; to build a processor's kernel, a twelfth of it",
        ),
        Setting("memory", "4096", "MiB of address space that one worker may use"),
        Setting(
            "python",
            "",
            "interpreter of Python programs that are measured, its packages with it (default: without any)",
        ),
        Setting("objective", "size", "what `optimize` and `cc` make smaller: size, text, instructions or cycles"),
        Setting("budget", "20", "compilations that `cc` spends on one module, or seconds when it ends in `s`"),
        Setting("lock", "", "lock file that `cc` reads and extends"),
        Setting("locked", "", "1: `cc` builds from the lock file alone and never searches"),
        Setting("verbose", "", "1: `cc` says on stderr what it did with each file"),
        Setting("cache_size", "2048", "MiB of built objects that `cc` keeps; the least recently used go first"),
        Setting("idle", "60", "seconds without work after which the server of `cc` ends by itself"),
    )
}
_NUMBERS = ("timeout", "memory", "cache_size", "idle")
"""Settings that are positive numbers."""

_flags: dict[str, str] = {}
_user: ContextVar[tuple[Mapping[str, str], Path] | None] = ContextVar("_user", default=None)


@contextmanager
def acting_for(environ: Mapping[str, str], folder: Path) -> Iterator[None]:
    """In this thread, settings are those of somebody else's environment and working directory."""
    _project.cache_clear()  # a server outlives edits of the file
    token = _user.set((environ, folder))
    try:
        yield
    finally:
        _user.reset(token)


def override(name: str, value: str) -> None:
    """A flag of the command line: stands above everything else in this process."""
    _flags[_known(name).name] = value


def get(name: str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    """The value in force, as text."""
    return origin(name, environ, folder)[0]


def number(name: str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> float:
    """The value in force, as a positive number. Raises UsageError."""
    value, where = origin(name, environ, folder)
    try:
        result = float(value)
    except ValueError:
        result = -1.0
    if not 0 < result < math.inf:
        raise _refused(name, "a positive number", value, where)
    return result


def _refused(name: str, kind: str, value: str, where: str) -> UsageError:
    todo = f"for example: {_known(name).variable}={SETTINGS[name].default or 2}"
    return UsageError(f"the setting `{name}` must be {kind}, not {value!r}", f"it was set by: {where}", todo)


def origin(name: str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> tuple[str, str]:
    """The value in force, and where it came from."""
    setting = _known(name)
    own_environ, own_folder = _user.get() or (os.environ, None)
    environ = own_environ if environ is None else environ
    if name in _flags:
        return _flags[name], "the command line"
    if setting.variable in environ:
        return environ[setting.variable], setting.variable
    project, values = _project(folder or own_folder or Path.cwd())
    if name in values:
        return values[name], project
    return setting.default, "default"


def cache_folder() -> Path:
    """Where trials and built objects are kept; made when first written to."""
    return path("cache") or Path(platformdirs.user_cache_dir("forerun"))


def store_path() -> Path:
    """The file that trials are kept in where no other is named."""
    return cache_folder() / "trials.sqlite"


def existing_store(named: Path | None, todo: str) -> Path:
    """The store that was named, or the usual one, where there is one. Raises InputError, which says what `todo`."""
    found = named or store_path()
    if not found.is_file():
        raise InputError(f"there are no trials: {found}", "there is no such file", todo)
    return found


def path(name: str) -> Path | None:
    """The value in force as an absolute path, or None where it is empty.

    A relative one stands beside the pyproject.toml that names it, else in the working directory.
    """
    value, where = origin(name)
    if not value:
        return None
    user = _user.get()
    folder = Path(where).parent if where.endswith("pyproject.toml") else user[1] if user else Path.cwd()
    try:
        return folder / Path(value).expanduser()
    except RuntimeError as error:  # ~somebody, who is not known here
        raise UsageError(
            f"the setting `{name}` names no path: {value!r}", f"{where}: {error}", "write the path out"
        ) from error


def workers() -> int:
    """How many worker processes measure at once."""
    if not get("workers"):
        return cores()
    wanted = number("workers")
    if not wanted.is_integer():
        raise _refused("workers", "a whole number", *origin("workers"))
    return int(wanted)


def problems() -> Iterator[UsageError]:
    """What is wrong with the values in force that are numbers, and with the names in the project's file."""
    asked: list[Callable[[], float]] = [workers, *(partial(number, name) for name in _NUMBERS)]
    for ask in asked:
        try:
            ask()
        except UsageError as error:
            yield error


def check() -> None:
    """Raises the first of `problems`: before work, not in its midst."""
    for problem in problems():
        raise problem


def unread() -> str:
    """Why settings in the nearest pyproject.toml do not count, where it has some; else empty."""
    try:
        file = _nearest(Path.cwd())
        text = file.read_bytes() if file else b""
    except OSError:  # the working directory was deleted, or the file is not ours to read
        return ""
    try:
        tomllib.loads(text.decode())
    except ValueError as error:  # no TOML, or no UTF-8
        told = f"{file} does not parse ({str(error)[:80]}): its [tool.forerun] does not count"
        return told if b"[tool.forerun" in text else ""
    return ""


def _known(name: str) -> Setting:
    if name not in SETTINGS:
        raise UsageError(f"no such setting: {name}", f"settings: {', '.join(SETTINGS)}", "name one of them")
    return SETTINGS[name]


@cache
def _project(folder: Path) -> tuple[str, dict[str, str]]:
    """The `[tool.forerun]` table of the nearest pyproject.toml, as text."""
    file = _nearest(folder)
    return (str(file), _table(file)) if file else ("", {})


def _nearest(folder: Path) -> Path | None:
    return next((file for each in (folder, *folder.parents) if (file := each / "pyproject.toml").is_file()), None)


def _table(file: Path) -> dict[str, str]:
    try:
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}  # somebody else's broken file must not stop a build, see `unread`
    table = tools.get("forerun", {}) if isinstance(tools, dict) else {}
    where = f"[tool.forerun] of {file}"
    if not isinstance(table, dict):
        raise UsageError("[tool.forerun] must be a table", f"it stands in {file}", "for example: [tool.forerun]")
    for name, value in table.items():
        if name not in SETTINGS:
            raise UsageError(f"no such setting: {name}", f"it stands in {where}", f"settings: {', '.join(SETTINGS)}")
        if not isinstance(value, (str, int, float)):
            raise _refused(name, "text or a number", str(value), where)
    return {name: str(int(value) if isinstance(value, bool) else value) for name, value in table.items()}
