"""Whole programs, mostly in Python: what was said of them before their text was gone through, and what is.

    python benchmarks/packages.py
    python benchmarks/packages.py public.jsonl -o benchmarks/results/public.json
    python benchmarks/packages.py benchmarks/measured/inputs.jsonl.gz -o benchmarks/results/inputs.json

The programs are those of `measured/packages.jsonl.gz`, in eleven sets by as many people who were shown nothing of how
predictions are made, or those of public repositories, of which `measured/public.csv.gz` tells (`measured/README.md` how
rows are made of it): those at hand, and two sets drawn at random later, the second when all was done; or those of
`measured/inputs.jsonl.gz` that are given an input, four sets in Python, of which the last came when all was done but
for what it showed, and small and larger programs in six other languages. Of the eleven, the fourth is with
scikit-learn, NetworkX, sparse matrices and pandas, the fifth and the sixth with pandas, the last five without packages.
What functions give was written beside the first, what objects take beside the seventh; the intervals of the second hold
errors of the third, those of the third errors of the second, those of the fifth errors of the sixth and the other way
round, those of the first and the fourth of the second and the third, those of the last five and of public programs
errors of these, but for their own, and those of what is given an input of others that are. How long Python takes was
written beside the seventh and the eighth, of whose runtimes no errors count.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forerun.distribution import Distribution
from forerun.files import write_atomically
from forerun.models.encoder_decoder import EncoderDecoder, Reading
from forerun.models.encoder_decoder.imports import Imports
from forerun.prompts import parts
from forerun.rows import Row
from forerun.tables import read_rows

HERE = Path(__file__).parent
ROWS = HERE / "measured" / "packages.jsonl.gz"
RESULT, PUBLIC_RESULT = HERE / "results" / "packages.json", HERE / "results" / "public.json"
WRITTEN, PUBLIC = ("ninth", "tenth", "eleventh"), ("public", "fresh", "fresh2")
GIVEN, LANGUAGES = ("input", "input2", "input3", "input4"), "languages"
"""Programs that are given an input, in Python and in others."""
BY = {"first": ("second", "third"), "second": ("third",), "third": ("second",), "fourth": ("second", "third")}
BY |= {"fifth": ("sixth",), "sixth": ("fifth",)}
BY |= {name: tuple({"eighth", *WRITTEN, *PUBLIC} - {name}) for name in ("seventh", "eighth", *WRITTEN)}
BY |= {name: tuple({*WRITTEN, *PUBLIC} - {name}) for name in PUBLIC}
BY |= {name: tuple({*GIVEN} - {name}) for name in GIVEN} | {LANGUAGES: (LANGUAGES,)}
"""Whose errors make intervals."""
BESIDE = frozenset({"seventh", "eighth"})
"""Of whose runtimes none do."""
FASTER: dict[str, float] = defaultdict(lambda: 1.25, fifth=0.77, sixth=0.985)
FASTER |= dict.fromkeys(("seventh", "eighth", *WRITTEN, *PUBLIC, *GIVEN, LANGUAGES), 1.12)
"""Times as fast as the machine of the rows is the one that runtimes are told of: by an empty program, and of the fifth
and the sixth set, which were measured when the machine was quieter, by a program that only imports pandas."""


def main() -> int:
    """0: all were read."""
    options = _options()
    model = EncoderDecoder()
    files = {path: read_rows(path) for path in (ROWS, options.rows)}
    rows = [replace(row, prompt=_there(row, model), value=_scaled(row)) for each in files.values() for row in each]
    known, sets = model.imports, {_set(row) for row in files[options.rows]}
    model.imports = Imports()
    asked = {row.prompt: one for row, one in zip(rows, model.read([row.prompt for row in rows]), strict=True)}
    found, there = [], {_set(row) for row in rows}
    beside = [
        line for line in json.loads(PUBLIC_RESULT.read_text(encoding="utf-8"))["rows"] if line["set"] not in there
    ]
    for name in (name for name in BY if name in sets):
        others = [row for row in rows if _set(row) in BY[name]]
        errors = _errors(known, others, asked)
        for each in (each for each in beside if each["set"] in BY[name]):
            errors[each["metric"]][each["kind"]].append(math.log(each["measured"] / each["told"]))
        told = replace(known, errors=errors)
        for row in (row for row in rows if _set(row) == name):
            if name in BY[name]:  # by all others
                told = replace(known, errors=_errors(known, [one for one in others if one.name != row.name], asked))
            old = asked[row.prompt]
            asks = row.prompt, not old.cut, old.distribution.median
            if belief := told.belief(*asks):
                line: dict[str, Any] = {"set": name, "name": row.name, "metric": row.metric}
                line |= {"kind": told.trust(*asks[:2])[0], "told": told.middle(*asks)}
                line |= {"measured": row.value} | _said("before", old.distribution) | _said("now", belief)
                found.append(line)
    write_atomically(options.output, (json.dumps({"rows": found}, indent=1) + "\n").encode())
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", type=Path, nargs="?", default=ROWS)
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    return parser.parse_args()


def _there(row: Row, model: EncoderDecoder) -> str:
    """The prompt, about the device that the model knows such programs on."""
    language = parts(row.prompt).head["language"]
    device = next(each.device for each in model.card.kinds if (each.metric, each.language) == (row.metric, language))
    return row.prompt.replace(f"\ndevice {parts(row.prompt).head['device']}\n", f"\ndevice {device}\n", 1)


def _scaled(row: Row) -> float:
    return row.value / FASTER[_set(row)] if row.metric == "runtime" else row.value


def _set(row: Row) -> str:
    first, second, *_ = row.name.split("/")
    return second if first == "packages" else first


def _errors(known: Imports, rows: Sequence[Row], read: Mapping[str, Reading]) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        one = read[row.prompt]
        errs = known.trust(row.prompt, not one.cut)[0]
        if errs and not (row.metric == "runtime" and _set(row) in BESIDE):
            told = known.middle(row.prompt, not one.cut, one.distribution.median)
            found[row.metric][errs].append(math.log(row.value / told))
    return found


def _said(when: str, belief: Distribution) -> dict[str, float]:
    low, high = belief.interval(0.9)
    return {f"value {when}": belief.median, f"low {when}": low, f"high {when}": high}


if __name__ == "__main__":
    sys.exit(main())
