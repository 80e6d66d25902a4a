"""Whole programs in Python: what was said of them before their text was gone through, and what is.

    python benchmarks/packages.py

The programs are those of `measured/packages.jsonl.gz`, in eleven sets by as many people who were shown nothing of how
predictions are made, the fourth with scikit-learn, NetworkX, sparse matrices and pandas, the fifth and the sixth with
pandas, the last five without packages. What functions give was written beside the first, what objects take beside the
seventh; the intervals of the second hold errors of the third, those of the third errors of the second, those of the
fifth errors of the sixth and the other way round, those of the first and the fourth of the second and the third, and
those of the last five of the eighth to the tenth. How long Python takes was written beside the seventh
and the eighth: runtimes have errors of the ninth and the tenth alone.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forerun.distribution import Distribution
from forerun.files import write_atomically
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.encoder_decoder.imports import Imports, kind
from forerun.prompts import parts
from forerun.rows import Row
from forerun.tables import read_rows

HERE = Path(__file__).parent
ROWS = HERE / "measured" / "packages.jsonl.gz"
RESULT = HERE / "results" / "packages.json"
BY = {"first": ("second", "third"), "second": ("third",), "third": ("second",), "fourth": ("second", "third")}
BY |= {"fifth": ("sixth",), "sixth": ("fifth",), "seventh": ("eighth", "ninth", "tenth")}
BY |= {"eighth": ("ninth", "tenth"), "ninth": ("eighth", "tenth"), "tenth": ("eighth", "ninth")}
BY |= {"eleventh": ("eighth", "ninth", "tenth")}
"""Whose errors make intervals."""
BESIDE = frozenset({"seventh", "eighth"})
"""Of whose runtimes none do."""
FASTER: dict[str, float] = defaultdict(lambda: 1.25, fifth=0.77, sixth=0.985)
FASTER |= dict.fromkeys(("seventh", "eighth", "ninth", "tenth", "eleventh"), 1.12)
"""Times as fast as the machine of the rows is the one that runtimes are told of: by an empty program, and of the fifth
and the sixth set, which were measured when the machine was quieter, by a program that only imports pandas."""


def main() -> int:
    model = EncoderDecoder()
    rows = [replace(row, prompt=_there(row, model), value=_scaled(row)) for row in read_rows(ROWS)]
    known = model.imports
    model.imports = Imports()
    read = model.read([row.prompt for row in rows])
    whole = {row.prompt for row, one in zip(rows, read, strict=True) if not one.cut}
    found = []
    for name, others in BY.items():
        told = replace(known, errors=_errors(known, [row for row in rows if _set(row) in others], whole))
        for row, old in zip(rows, read, strict=True):
            if _set(row) == name and (belief := told.belief(row.prompt, row.prompt in whole)):
                line: dict[str, Any] = {
                    "set": name,
                    "name": row.name,
                    "metric": row.metric,
                    "kind": kind(parts(row.prompt)),
                }
                line |= {"measured": row.value} | _said("before", old.distribution) | _said("now", belief)
                found.append(line)
    write_atomically(RESULT, (json.dumps({"rows": found}, indent=1) + "\n").encode())
    return 0


def _there(row: Row, model: EncoderDecoder) -> str:
    """The prompt, about the device that the model knows such programs on."""
    language = parts(row.prompt).head["language"]
    device = next(each.device for each in model.card.kinds if (each.metric, each.language) == (row.metric, language))
    return row.prompt.replace(f"\ndevice {parts(row.prompt).head['device']}\n", f"\ndevice {device}\n", 1)


def _scaled(row: Row) -> float:
    return row.value / FASTER[_set(row)] if row.metric == "runtime" else row.value


def _set(row: Row) -> str:
    return row.name.split("/")[1]


def _errors(known: Imports, rows: Sequence[Row], whole: Collection[str]) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        text = parts(row.prompt)
        beside = row.metric == "runtime" and _set(row) in BESIDE
        if known.tells(row.prompt, row.prompt in whole) and not beside:
            found[row.metric][kind(text)].append(math.log(row.value / known.told(row.metric, text.text)))
    return found


def _said(when: str, belief: Distribution) -> dict[str, float]:
    low, high = belief.interval(0.9)
    return {f"value {when}": belief.median, f"low {when}": low, f"high {when}": high}


if __name__ == "__main__":
    sys.exit(main())
