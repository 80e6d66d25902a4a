"""Writes docs/reference.md from the command line's own help and the settings; `--check` only compares."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

os.environ["COLUMNS"] = "100"

from forerun import settings
from forerun.cli import VERBS, parser_of

TARGET = Path(__file__).parents[1] / "docs" / "reference.md"


def page() -> str:
    """The whole page."""
    parts = ["# Reference\n\nWritten by `scripts/reference.py` from the program itself.\n\n## Commands\n"]
    parts += [f"### `{parser.prog}`\n\n```text\n{parser.format_help().strip()}\n```\n" for parser in parsers()]
    commands = len(parts)
    parts.append(
        "## Settings\n\nA flag stands above the environment variable, that above `[tool.forerun]` in the nearest\n"
    )
    parts.append(
        "`pyproject.toml`, that above the default. `forerun doctor` shows each value and where it came from.\n\n"
    )
    parts.append("| setting | variable | default | what it is for |\n| --- | --- | --- | --- |\n")
    for s in settings.SETTINGS.values():
        parts.append(f"| `{s.name}` | `{s.variable}` | {s.default or '–'} | {s.help} |\n")
    return "\n".join(parts[:commands]) + "\n" + "".join(parts[commands:])


def parsers() -> Iterator[argparse.ArgumentParser]:
    """Every verb, and the questions below it where it has some."""
    for verb in VERBS:
        parser = below(parser_of(verb))[verb]
        yield parser
        yield from below(parser).values()


def below(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The parsers of the next word."""
    return next((a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)), {})


def main() -> int:
    """Writes the page, or says whether it is up to date."""
    if "--check" in sys.argv:
        return int(TARGET.read_text(encoding="utf-8") != page())
    TARGET.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
