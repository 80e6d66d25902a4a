"""One table object, every format: for people, and for machines with raw SI values and full digits."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forerun.cli import answering
from forerun.cli._quantities import VAST

FORMATS = ("table", "json", "jsonl", "csv", "md")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that end a line, tell a terminal to do something, or are none: names of files may have them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A key of the rows, its heading, and how people want to read its values."""

    key: str
    title: str
    show: Callable[[Any], str] = str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of raw values, and the columns that people see of them."""

    columns: Sequence[Column]
    rows: Sequence[dict[str, Any]]

    def render(self, form: str) -> str:
        """The table as `table`, `json`, `jsonl`, `csv` or `md`, without a final newline."""
        return {"json": self._json, "jsonl": self._jsonl, "csv": self._csv, "md": self._md}.get(form, self._plain)()

    def _cells(self) -> list[list[str]]:
        def cell(column: Column, row: dict[str, Any]) -> str:
            value = row.get(column.key)
            return "–" if value is None else _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], column.show(value))

        return [[cell(column, row) for column in self.columns] for row in self.rows]

    def _plain(self) -> str:
        lines = [[c.title for c in self.columns], *self._cells()]
        widths = [max(_width(line[i]) for line in lines) for i in range(len(self.columns))]
        aligned = (
            "  ".join(
                " " * (width - _width(text)) + text if column.right else text + " " * (width - _width(text))
                for text, width, column in zip(line, widths, self.columns, strict=True)
            )
            for line in lines
        )
        return "\n".join(line.rstrip() for line in aligned)

    def _md(self) -> str:
        rule = ["---:" if c.right else "---" for c in self.columns]
        lines = [[c.title for c in self.columns], rule, *self._cells()]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

    def _json(self) -> str:
        return json.dumps(list(self.rows), indent=2)

    def _jsonl(self) -> str:
        return "\n".join(json.dumps(row) for row in self.rows)

    def _csv(self) -> str:
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        out = io.StringIO()
        writer = csv.DictWriter(out, keys, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({k: json.dumps(v) if isinstance(v, (list, dict)) else v for k, v in row.items()})
        return out.getvalue().rstrip("\n")


def _width(text: str) -> int:
    """Places that it takes on a terminal, where Chinese characters take two and accents of their own none."""
    if text.isascii():
        return len(text)
    return sum((unicodedata.east_asian_width(c) in "WF") + (not unicodedata.combining(c)) for c in text)


def add_format(parser: argparse.ArgumentParser) -> None:
    """The option that every command has."""
    parser.add_argument("--format", choices=FORMATS, default="table", help="how to print the answer (default: table)")


def show(table: Table, form: str) -> None:
    """Prints the answer on stdout, where somebody reads it."""
    with answering():
        print(table.render(form), flush=True)


def percent(value: float) -> str:
    """.0384 as 3.84%."""
    return f"{value:.2%}"


def number(value: float) -> str:
    """With thousands apart, whole where it is whole."""
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < VAST else f"{value:,.4g}"


def counted(n: int, noun: str) -> str:
    """1 file, 2 files."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def say(text: str) -> None:
    """A line beside the answer, on stderr."""
    print(text, file=sys.stderr)


def say_skipped(folder: Path, skipped: Mapping[str, int]) -> None:
    """How many files of a folder were left out, by reason, the most first."""
    for reason, count in sorted(skipped.items(), key=lambda pair: -pair[1]):
        say(f"{folder}: {counted(count, 'file')} left out: {reason}")


class Progress:
    """One live line on a terminal, a log line every ten seconds elsewhere; on stderr."""

    def __init__(self, total: int | None = None, what: str = "") -> None:
        self.total, self.what, self.done = total, what, 0
        self._live = sys.stderr.isatty()
        self._last = self._start = time.monotonic()

    def step(self, note: str = "", by: int = 1) -> None:
        """Counts, and says so when it is time."""
        self.done += by
        if self._due() or self.done == self.total:
            of = f"/{self.total}" if self.total else ""
            self._print(f"{self.what} {self.done}{of}  {time.monotonic() - self._start:.0f} s  {note}")

    def wait(self, what: str, seconds: float) -> None:
        """Says how long something has taken that has no steps, when it is time."""
        if self._due():
            self._print(f"{what}: {seconds:.0f} s so far")

    def _due(self) -> bool:
        return time.monotonic() - self._last >= (0.1 if self._live else 10)

    def _print(self, line: str) -> None:
        self._last = time.monotonic()
        print(
            f"\r\033[K{line[:150]}" if self._live else line, end="" if self._live else "\n", file=sys.stderr, flush=True
        )

    def end(self) -> None:
        """Clears the live line."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
