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
from forerun.sandbox import Limits, Pool
from forerun.toolchains.llvm import lib

Row = dict[str, object]


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints tools and settings; exits with 3 where a needed tool is missing or does not work."""
    rows: list[Row] = [{"what": "forerun", "value": __version__, "origin": f"Python {platform.python_version()}"}]
    problems: list[ForerunError] = []
    for name in registry.names("toolchains"):
        rows += _tools(registry.find("toolchains", name)(), problems)
    rows.append(_works(problems))
    rows += _settings(problems)
    columns = [Column("what", "what"), Column("value", "value"), Column("origin", "where from")]
    show(Table(columns, rows), options.format)
    for problem in dict.fromkeys(map(str, problems)):  # one cause, told once
        print(f"forerun: {problem}", file=sys.stderr)
    return problems[0].exit_code if problems else 0


def _tools(toolchain: Toolchain, problems: list[ForerunError]) -> list[Row]:
    rows: list[Row] = []
    for name, find in toolchain.tools().items():
        row, problem = _found(name, find)
        rows.append(row)
        if problem and name in toolchain.needed:
            problems.append(problem)
    return rows


def _found(name: str, find: Callable[[], Tool]) -> tuple[Row, ForerunError | None]:
    try:
        tool = find()
    except ForerunError as error:
        return {"what": name, "value": "missing", "origin": error.todo or error.what}, error
    return {"what": name, "value": tool.version, "origin": f"{tool.path} ({tool.how})"}, None


def _works(problems: list[ForerunError]) -> Row:
    try:
        with Pool(1, Limits()) as pool:  # in a worker: a broken library must not take this process with it
            version, targets = pool.call(_loaded, lib.find().path)
    except ForerunError as error:
        # Whatever it died of, the library is of no use.
        problems.append(ToolMissing(error.what, error.why, error.todo or lib.INSTALL))
        return {"what": "libLLVM works", "value": "no", "origin": error.what}
    return {"what": "libLLVM works", "value": version, "origin": f"emits for {', '.join(targets)}"}


def _loaded(path: str) -> tuple[str, tuple[str, ...]]:
    library = lib.load(path)
    return library.version, library.targets


def _settings(problems: list[ForerunError]) -> list[Row]:
    rows: list[Row] = []
    for name, setting in settings.SETTINGS.items():
        value, origin = settings.origin(name)
        rows.append({"what": f"setting {name}", "value": value or "–", "origin": origin, "help": setting.help})
    problems += settings.problems()
    rows.append({"what": "cache folder", "value": str(settings.cache_folder()), "origin": "in use"})
    return rows
