"""What of a user's table is taken as it stands, and was perhaps meant otherwise."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from forerun.cli.render import counted, number, say
from forerun.errors import meant
from forerun.rows import Row
from forerun.tables import files
from forerun.toolchains.process.languages import LANGUAGES, of_file, spelled

_ALIKE = 0.8
"""Of two words, from which on one is perhaps the other, mistyped."""


def say_doubts(path: Path, rows: Sequence[Row], options: argparse.Namespace) -> None:
    """Says what looks like a mistyped word, and like names of files where programs should stand."""
    columns = list(next(iter(files.read(path))))
    for option, known in (("language", LANGUAGES), ("device", ()), ("unit", ())):
        word = getattr(options, option)
        if not word or word in columns or spelled(word.partition(",")[0]) in known:
            continue
        if hint := meant(word, [*columns, *known], _ALIKE):
            say(f"forerun: {path} has no column {word!r}, so that is the {option} of all rows: {hint}")
    for target in (target for target in options.target if "," in target):
        say(f"forerun: the name of {target!r} has a comma, which --metric takes for two: rename the column")
    texts = (row.prompt.partition("\n\n")[2].strip() for row in rows)
    named = [text for text in texts if len(text.split()) == 1 and of_file(Path(text))]
    if named:
        what = f"{number(len(named))} of {counted(len(rows), 'row')} of {path} hold no program but what looks like the"
        say(f"forerun: {what} name of a file that is not there ({named[0]:.80}): put the programs' texts there")
