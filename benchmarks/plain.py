"""What people type first: small programs that loop, fill, sort and join, each measured here and predicted.

    python benchmarks/plain.py
    python benchmarks/plain.py --kept

The programs are those of `plain.txt`, and nothing has learned from them; some read how much, which lies beside them as
`NAME.in`, those of the folder `whole` have functions and classes, as what is kept has, and those of `text` put texts
together. They are measured in the sandbox, one at a time; `results/plain.json` has what each took and what was said
before. With `--kept` nothing is measured: what each took is what stands there, and other weights say theirs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
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
    parser.add_argument("--kept", action="store_true", help="measure nothing")
    took, rows = kept if parser.parse_args().kept else measured, []
    with tempfile.TemporaryDirectory() as made:
        folder, places = Path(made), {}
        for part in (HERE / "plain.txt").read_text().split("=== ")[1:]:
            title, _, text = part.partition("\n")
            places[text] = title
            (folder / title).parent.mkdir(exist_ok=True)
            (folder / title).write_text(text)
        progress = Progress(len(places), "files")
        for name, stdin, true in took(folder, places):
            for said in forerun.predict(str(folder / name), metric=METRICS, stdin=stdin):
                rows.append(said.to_json() | {"measured": true[said.metric], "name": name, "reads": bool(stdin)})
            progress.step(name)
        progress.end()
    write_atomically(RESULT, (json.dumps({"rows": rows}, indent=1) + "\n").encode())
    return 0 if rows else 1


def measured(folder: Path, places: Mapping[str, str]) -> Iterator[Took]:
    """Of those that run here."""
    task = Runtime(repeats=3, timeout_s=60.0)
    for program in load(folder, group_by="file").programs:
        if (found := task.facts(program.source)).ok:
            yield places[program.source.text], program.source.reference, found.values


def kept(folder: Path, _: Mapping[str, str]) -> Iterator[Took]:
    """Of those in the results."""
    true: dict[str, dict[str, float]] = {}
    for row in json.loads(RESULT.read_text())["rows"]:
        true.setdefault(row["name"], {})[row["metric"]] = row["measured"]
    for name, own in true.items():
        given = (folder / name).with_suffix(".in")
        yield name, given.read_bytes() if given.is_file() else b"", own


if __name__ == "__main__":
    sys.exit(main())
