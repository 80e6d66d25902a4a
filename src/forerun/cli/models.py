"""`forerun models`: the ways to answer."""

from __future__ import annotations

import argparse

from forerun.cli.render import add_format, show
from forerun.cli.tasks import listing


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = "Names are joined by +: each model fills what the one before it leaves open."
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Prints every registered model."""
    show(listing("models"), options.format)
    return 0
