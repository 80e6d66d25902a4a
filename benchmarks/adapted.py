"""What a few measurements of a machine are worth: others of its rows, as the weights that ship answer and as adapted.

    python benchmarks/adapted.py judge.jsonl --checkpoint DIR

The rows are those of `forerun data export`, measured under the name of a device (`forerun collect … --device NAME`)
that `DIR` was told of by `forerun train --recipe adapt`. The weights that ship are asked as anybody asks them who names
no device.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from forerun.cli.render import Column, Table, number, show
from forerun.models._calibrated import LEVEL
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.prompts import parts
from forerun.rows import Row
from forerun.tables import read_rows


def main() -> int:
    """Asks both of every row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--checkpoint", type=Path, required=True)
    options = parser.parse_args()
    rows, shipped = read_rows(options.rows), EncoderDecoder()
    adapted = judged("adapted", EncoderDecoder(options.checkpoint), rows, [row.prompt for row in rows])
    usual = judged("as it ships", shipped, rows, [_usual(shipped, row) for row in rows])
    columns = [Column("model", "model"), *(Column(name, name, number, True) for name in list(usual)[1:])]
    show(Table(columns, [usual, adapted]), "md")
    return 0


def judged(name: str, model: EncoderDecoder, rows: Sequence[Row], prompts: Sequence[str]) -> dict[str, object]:
    """How many of the values lie in the intervals, how far off medians are, and how wide intervals."""
    found = model.predict(prompts)
    ends = [one.interval(LEVEL) for one in found]
    inside = sum(low <= row.value <= high for (low, high), row in zip(ends, rows, strict=True))
    ratios = [one.median / row.value for one, row in zip(found, rows, strict=True)]
    return {
        "model": name,
        "programs": len(rows),
        "in the 90% interval": inside,
        "off by, median": math.exp(median(abs(math.log(ratio)) for ratio in ratios)),
        "said over measured, median": median(ratios),
        "ends of the interval apart, times": median(high / low for low, high in ends),
    }


def _usual(model: EncoderDecoder, row: Row) -> str:
    """The question on the device on which most rows were measured."""
    head = parts(row.prompt).head
    kinds = [kind for kind in model.card.kinds if (kind.metric, kind.language) == (row.metric, head["language"])]
    device = max(kinds, key=lambda kind: kind.rows).device
    return row.prompt.replace(f"\ndevice {head['device']}\n", f"\ndevice {device}\n", 1)


if __name__ == "__main__":
    sys.exit(main())
