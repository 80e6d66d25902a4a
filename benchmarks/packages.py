"""Whole programs, mostly in Python: what was said of them before their text was gone through, and what is.

    python benchmarks/packages.py
    python benchmarks/packages.py public.jsonl -o benchmarks/results/public.json
    python benchmarks/packages.py benchmarks/measured/inputs.jsonl.gz -o benchmarks/results/inputs.json
    python benchmarks/packages.py benchmarks/measured/languages.jsonl.gz -o benchmarks/results/languages.json

The programs are those of `measured/packages.jsonl.gz`, in eleven sets by as many people who were shown nothing of how
predictions are made, or those of public repositories, of which `measured/public.csv.gz` tells (`measured/README.md` how
rows are made of it): those at hand, and two sets drawn at random later, the second when all was done; or those of
`measured/inputs.jsonl.gz` that are given an input, four sets in Python, of which the last came when all was done but
for what it showed, and small and larger programs in six other languages. Of the eleven, the fourth is with
scikit-learn, NetworkX, sparse matrices and pandas, the fifth and the sixth with pandas, the last five without packages.
What functions give was written beside the first, what objects take beside the seventh; the intervals of the second hold
errors of the third, those of the third errors of the second, those of the fifth errors of the sixth and the other way
round, those of the first and the fourth of the second and the third, those of the last five and of public programs
errors of these, but for their own, and those of what is given an input of others that are. Those of programs in ten
other languages hold what the last four sets were off by when they were first seen, but for their own, which is in
`measured/first.csv` and comes once more beside what is told now. How long Python takes was
written beside the seventh and the eighth, of whose runtimes no errors count.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from forerun.distribution import Distribution
from forerun.files import write_atomically
from forerun.models._predictor import around
from forerun.models._regression import thinned
from forerun.models.encoder_decoder import EncoderDecoder, Reading
from forerun.models.encoder_decoder.imports import BEYOND, Imports
from forerun.prompts import parts
from forerun.rows import Row
from forerun.tables import read_rows

HERE = Path(__file__).parent
FIRST = HERE / "measured" / "first.csv"
ROWS = HERE / "measured" / "packages.jsonl.gz"
RESULT, PUBLIC_RESULT = HERE / "results" / "packages.json", HERE / "results" / "public.json"
WRITTEN, PUBLIC = ("ninth", "tenth", "eleventh"), ("public", "fresh", "fresh2")
GIVEN, LANGUAGES = ("input", "input2", "input3", "input4"), "languages"
"""Programs that are given an input, in Python and in others."""
TONGUES = tuple(f"tongues{n}" if n > 1 else "tongues" for n in range(1, 9))
"""Programs in ten languages but Python, in the order in which they were first seen."""
BY = {"first": ("second", "third"), "second": ("third",), "third": ("second",), "fourth": ("second", "third")}
BY |= {"fifth": ("sixth",), "sixth": ("fifth",)}
BY |= {name: tuple({"eighth", *WRITTEN, *PUBLIC} - {name}) for name in ("seventh", "eighth", *WRITTEN)}
BY |= {name: tuple({*WRITTEN, *PUBLIC} - {name}) for name in PUBLIC}
BY |= {name: tuple({*GIVEN} - {name}) for name in GIVEN} | {LANGUAGES: (LANGUAGES,)}
"""Whose errors make intervals."""
BESIDE = frozenset({"seventh", "eighth"})
"""Of whose runtimes none do."""
FASTER: dict[str, float] = defaultdict(lambda: 1.64, fifth=1.01, sixth=1.3)
FASTER |= dict.fromkeys(("seventh", "eighth", *WRITTEN, *PUBLIC, *GIVEN, LANGUAGES), 1.47)
FASTER |= dict.fromkeys(TONGUES, 1.0) | dict.fromkeys(("tongues6", "tongues7", "tongues8"), 1.03)
"""Times as fast as the machine of the rows is the one that runtimes are told of: by an empty program, and of the fifth
and the sixth set, which were measured when the machine was quieter, by a program that only imports pandas;
of those in ten languages by 28 programs of the tenth and the eleventh set, of the last three by 20 of a set before.
All of these by a third machine that takes 1.32 times as long, as programs in ten languages that do little do there."""


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
        others = list(_off(known, [row for row in rows if _set(row) in BY[name]], asked))
        errors = _errors(others)
        for each in (each for each in beside if each["set"] in BY[name]):
            errors[each["metric"]][each["kind"]].append(math.log(each["measured"] / each["told"]))
        told = replace(known, errors=errors)
        for row in (row for row in rows if _set(row) == name):
            if name in BY[name]:  # by all others
                told = replace(known, errors=_errors(other for other in others if other[0].name != row.name))
            found += _line(row, asked[row.prompt], told)
    found += _tongues(known, [row for row in rows if _set(row) in TONGUES], asked)
    write_atomically(options.output, (json.dumps({"rows": found}, indent=1) + "\n").encode())
    return 0


def _line(row: Row, old: Reading, told: Imports) -> list[dict[str, Any]]:
    """What is said of it now, where its text tells, and was before."""
    asks = row.prompt, not old.cut, old.distribution.median
    if (belief := told.belief(*asks)) is None:
        return []
    line: dict[str, Any] = {"set": _set(row), "name": row.name, "metric": row.metric}
    line |= {"kind": told.trust(*asks[:2])[0], "told": told.middle(*asks)}
    return [line | {"measured": row.value} | _said("before", old.distribution) | _said("now", belief)]


def _tongues(known: Imports, rows: Sequence[Row], read: Mapping[str, Reading]) -> list[dict[str, Any]]:
    """The same of programs in ten other languages, and of what was told when they were first seen."""
    with FIRST.open(encoding="utf-8", newline="") as file:
        first = {(line["name"], line["metric"]): line for line in csv.DictReader(file)}
    found = []
    for name in dict.fromkeys(map(_set, rows)):
        own, errors = [row for row in rows if _set(row) == name], defaultdict[str, dict[str, list[float]]](dict)
        for (program, metric), line in first.items():
            if line["kind"] != BEYOND and not program.startswith(f"{name}/"):
                errors[metric].setdefault(line["kind"], []).append(math.log(float(line["off"])))
        told = replace(known, errors={metric: {**of, **errors[metric]} for metric, of in known.errors.items()})
        for row in own:
            found += _line(row, read[row.prompt], told)
        for row in (row for row in own if (row.name, row.metric) in first):
            line, old = first[row.name, row.metric], read[row.prompt].distribution
            value, off = row.value / float(line["off"]), told.errors[row.metric].get(line["kind"], ())
            if off:
                belief = around(value, np.exp(thinned(np.array(off))).tolist())
                one = {"set": f"{name}, at first sight", "name": row.name, "metric": row.metric, "kind": line["kind"]}
                one |= {"told": value, "measured": row.value} | _said("before", old) | _said("now", belief)
                found.append(one)
    return found


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


def _off(known: Imports, rows: Sequence[Row], read: Mapping[str, Reading]) -> Iterator[tuple[Row, str, float]]:
    """Those that count, what errs as they do, and how far they are off."""
    for row in rows:
        one = read[row.prompt]
        errs = known.trust(row.prompt, not one.cut)[0]
        if errs and not (row.metric == "runtime" and _set(row) in BESIDE):
            told = known.middle(row.prompt, not one.cut, one.distribution.median)
            yield row, errs, math.log(row.value / told)


def _errors(those: Iterable[tuple[Row, str, float]]) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, errs, off in those:
        found[row.metric][errs].append(off)
    return found


def _said(when: str, belief: Distribution) -> dict[str, float]:
    low, high = belief.interval(0.9)
    return {f"value {when}": belief.median, f"low {when}": low, f"high {when}": high}


if __name__ == "__main__":
    sys.exit(main())
