"""`forerun doctor`: what was found on this machine, and every setting with where it came from."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable

from forerun import __version__, settings
from forerun.cli.render import Column, Table, add_format, show
from forerun.errors import ForerunError, ToolMissing
from forerun.sandbox import Pool
from forerun.toolchains.llvm import clang, lib


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints tools and settings; exits with 3 where LLVM or clang is missing."""
    rows = [
        {"what": "forerun", "value": __version__, "origin": f"Python {platform.python_version()}", "ok": True},
        _row("libLLVM", _library),
        _row("clang", _clang),
        *(_row(name, lambda name=name: _stock(name)) for name in ("opt", "llc", "llvm-as", "llvm-mca")),  # type: ignore[misc]
        *_settings(),
    ]
    show(Table([Column("what", "what"), Column("value", "value"), Column("origin", "where from")], rows), options.format)
    if all(row["ok"] for row in rows if row["what"] in ("libLLVM", "clang")):
        return 0
    print(f"forerun: {lib.INSTALL}", file=sys.stderr)
    return ToolMissing.exit_code


def _row(what: str, find: Callable[[], tuple[str, str]]) -> dict[str, object]:
    try:
        value, origin = find()
    except ForerunError as error:
        return {"what": what, "value": "missing", "origin": str(error).replace("\n", "; "), "ok": False}
    return {"what": what, "value": value, "origin": origin, "ok": True}


def _library() -> tuple[str, str]:
    location = lib.find()
    with Pool(1) as pool:  # loaded in a worker: a broken library must not take this process with it
        version, targets = pool.call(_loaded, location.path)
    return f"{version} for {', '.join(targets)}", f"{location.path} ({location.how})"


def _loaded(path: str) -> tuple[str, tuple[str, ...]]:
    library = lib.load(path)
    return library.version, library.targets


def _clang() -> tuple[str, str]:
    compiler = clang.default_compiler()
    return clang.compiler_version(compiler)[0], compiler


def _stock(name: str) -> tuple[str, str]:
    path = clang.tool(name, lib.find().major)
    return "found", path


def _settings() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, setting in settings.SETTINGS.items():
        value, origin = settings.origin(name)
        rows.append({"what": f"setting {name}", "value": value or "–", "origin": origin, "ok": True, "help": setting.help})
    rows.append({"what": "cache folder", "value": str(settings.cache_folder()), "origin": "in use", "ok": True})
    return rows
