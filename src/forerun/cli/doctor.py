"""`forerun doctor`: what was found on this machine, and every setting with where it came from."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable

from forerun import __version__, registry, settings
from forerun.cli.render import Column, Table, add_format, show
from forerun.core import Tool, Toolchain
from forerun.errors import ForerunError, ToolMissing
from forerun.sandbox import Pool
from forerun.toolchains.llvm import lib

Row = dict[str, object]


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints tools and settings; exits with 3 where a needed tool is missing or does not work."""
    rows: list[Row] = [{"what": "forerun", "value": __version__, "origin": f"Python {platform.python_version()}"}]
    problems: list[str] = []
    for name in registry.names("toolchains"):
        rows += _tools(registry.find("toolchains", name)(), problems)
    rows.append(_works(problems))
    columns = [Column("what", "what"), Column("value", "value"), Column("origin", "where from")]
    show(Table(columns, [*rows, *_settings()]), options.format)
    for problem in problems:
        print(f"forerun: {problem}", file=sys.stderr)
    return ToolMissing.exit_code if problems else 0


def _tools(toolchain: Toolchain, problems: list[str]) -> list[Row]:
    rows: list[Row] = []
    for name, find in toolchain.tools().items():
        row, problem = _found(name, find)
        rows.append(row)
        if problem and name in toolchain.needed:
            problems.append(problem)
    return rows


def _found(name: str, find: Callable[[], Tool]) -> tuple[Row, str]:
    try:
        tool = find()
    except ForerunError as error:
        return {"what": name, "value": "missing", "origin": error.todo or error.what}, str(error)
    return {"what": name, "value": tool.version, "origin": f"{tool.path} ({tool.how})"}, ""


def _works(problems: list[str]) -> Row:
    try:
        with Pool(1) as pool:  # in a worker: a broken library must not take this process with it
            version, targets = pool.call(_loaded, lib.find().path)
    except ForerunError as error:
        problems.append(str(error))
        return {"what": "libLLVM works", "value": "no", "origin": error.what}
    return {"what": "libLLVM works", "value": version, "origin": f"emits for {', '.join(targets)}"}


def _loaded(path: str) -> tuple[str, tuple[str, ...]]:
    library = lib.load(path)
    return library.version, library.targets


def _settings() -> list[Row]:
    rows: list[Row] = []
    for name, setting in settings.SETTINGS.items():
        value, origin = settings.origin(name)
        rows.append({"what": f"setting {name}", "value": value or "–", "origin": origin, "help": setting.help})
    rows.append({"what": "cache folder", "value": str(settings.cache_folder()), "origin": "in use"})
    return rows
