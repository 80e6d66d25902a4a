"""What people type first: small programs that loop, fill, sort and join, each measured here and predicted.

    python benchmarks/plain.py

The programs are those of `plain.txt`, and nothing has learned from them; some read how much, which lies beside them as
`NAME.in`, those of the folder `whole` have functions and classes, as what is kept has, and those of `text` put texts
together. They are measured in the sandbox, one at a time; `results/plain.json` has what each took and what was said
before.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import forerun
from forerun.cli.render import Progress
from forerun.corpora.programs import load
from forerun.files import write_atomically
from forerun.tasks.runtime import Runtime

HERE = Path(__file__).parent
RESULT = HERE / "results" / "plain.json"
METRICS = ("memory", "runtime")


def main() -> int:
    """Measures and predicts every program whose language runs here."""
    task, rows, places = Runtime(repeats=3, timeout_s=60.0), [], {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for part in (HERE / "plain.txt").read_text().split("=== ")[1:]:
            title, _, text = part.partition("\n")
            places[text] = title
            (folder / title).parent.mkdir(exist_ok=True)
            (folder / title).write_text(text)
        found = load(folder, group_by="file").programs
        progress = Progress(len(found), "programs")
        for program in found:
            measured, name = task.facts(program.source), places[program.source.text]
            if measured.ok:
                stdin = program.source.reference
                for said in forerun.predict(str(folder / name), metric=METRICS, stdin=stdin):
                    true = {"measured": measured.values[said.metric], "name": name, "reads": bool(stdin)}
                    rows.append(said.to_json() | true)
            progress.step(name)
        progress.end()
    write_atomically(RESULT, (json.dumps({"rows": rows}, indent=1) + "\n").encode())
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
