"""What people type first: small programs that loop, fill, sort and join, each measured here and predicted.

    python benchmarks/plain.py
    python benchmarks/plain.py --kept
    python benchmarks/plain.py --kept --metric memory

The programs are those of `plain.txt`, and nothing has learned from them; some read how much, which lies beside them as
`NAME.in`. Those of the folder `whole` have functions and classes, as what is kept has, those of `text` put texts
together, and those of `stranger` and `another` are whole programs of two who knew nothing of how predictions are made.
They are measured in the sandbox, one at a time; `results/plain.json` has what each took and what was said before. With
`--kept` what stands there is what they took, and only those that it has not are measured, by what `--metric` names;
weights say theirs anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import forerun
from forerun.cli.render import Progress
from forerun.corpora.programs import load
from forerun.files import write_atomically
from forerun.tasks.runtime import Runtime

HERE = Path(__file__).parent
RESULT = HERE / "results" / "plain.json"
METRICS = ("memory", "runtime")
Took = tuple[str, bytes, Mapping[str, float]]
"""A program's name, what it reads, and what each metric was."""


def main() -> int:
    """Measures and predicts every program whose language runs here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", action="store_true", help="measure what the results have not")
    parser.add_argument("--metric", action="append", choices=METRICS, help="what is measured (both)")
    options = parser.parse_args()
    before, rows = kept() if options.kept else {}, []
    with tempfile.TemporaryDirectory() as made:
        folder, places = Path(made), {}
        for part in ("\n" + (HERE / "plain.txt").read_text(encoding="utf-8").removesuffix("\n")).split("\n=== ")[1:]:
            title, text = f"{part}\n".split("\n", 1)
            places[text] = title
            (folder / title).parent.mkdir(exist_ok=True)
            (folder / title).write_text(text, encoding="utf-8")
        progress = Progress(len(places), "files")
        for name, stdin, true in took(folder, places, before, options.metric or METRICS):
            for said in forerun.predict(str(folder / name), metric=[*true], stdin=stdin):
                notes = [note.removeprefix(f"{folder}/") for note in said.notes]
                own = {"measured": true[said.metric], "name": name, "reads": bool(stdin), "notes": notes}
                rows.append({key: value for key, value in said.to_json().items() if key != "parts"} | own)
            progress.step(name)
        progress.end()
    write_atomically(RESULT, (json.dumps({"rows": rows}, indent=1) + "\n").encode())
    return 0 if rows else 1


def took(
    folder: Path, places: Mapping[str, str], before: Mapping[str, Mapping[str, float]], metrics: Sequence[str]
) -> Iterator[Took]:
    """What each took before; and what each of the others takes that run here."""
    for name, own in before.items():
        given = (folder / name).with_suffix(".in")
        yield name, given.read_bytes() if given.is_file() else b"", own
    task = Runtime(repeats=3, timeout_s=60.0)
    for program in load(folder, group_by="file").programs:
        name = places[program.source.text]
        if name not in before and (found := task.facts(program.source)).ok:
            yield name, program.source.reference, {metric: found.values[metric] for metric in metrics}


def kept() -> dict[str, dict[str, float]]:
    """What the programs of the results took, by metric."""
    true: dict[str, dict[str, float]] = {}
    for row in json.loads(RESULT.read_text(encoding="utf-8"))["rows"]:
        true.setdefault(row["name"], {})[row["metric"]] = row["measured"]
    return true


if __name__ == "__main__":
    sys.exit(main())
