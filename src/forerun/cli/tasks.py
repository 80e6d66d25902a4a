"""`forerun tasks`: the questions."""

from __future__ import annotations

import argparse
import inspect

from forerun import registry
from forerun.cli.render import Column, Table, add_format, show
from forerun.errors import ForerunError


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints every registered task."""
    show(listing("tasks"), options.format)
    return 0


def listing(kind: str, only: str = "") -> Table:
    """Every registered name of a kind, or one of them, with the first line of its documentation."""
    rows = [{"name": name, "what": _summary(kind, name)} for name in registry.names(kind) if only in ("", name)]
    return Table([Column("name", kind.removesuffix("s")), Column("what", "what it is")], rows)


def _summary(kind: str, name: str) -> str:
    try:
        return (inspect.getdoc(registry.find(kind, name)) or "").partition("\n")[0]
    except ForerunError as error:  # one broken plugin must not hide the others
        return f"broken: {error.why}"
