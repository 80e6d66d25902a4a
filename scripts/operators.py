"""Writes which operators the cost model of schedules has seen, and which of those around it has not.

    python scripts/operators.py            # writes src/forerun/weights/scheduler/operators.json
    python scripts/operators.py --check    # compares

Of `benchmarks/measured`: it has seen the programs that have kernels enough to learn from; others are those of all
networks there. Programs of TVM's own benchmarks have names that are no operators, and do not count.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from forerun.corpora import workloads
from forerun.models.scheduler import OPERATORS, SHIPPED
from forerun.tables import schedules
from forerun.train.judge import timed

MEASURED = Path(__file__).parents[1] / "benchmarks" / "measured"
_BLOCK = re.compile(r'T\.sblock\("T_([a-z_]+?)(?:_\d+)?"\)')

_WHOLE = ("conv1d_transpose", "conv2d_transpose", "conv3d_transpose")
"""Operators whose parts are operators too."""


def main() -> int:
    """Writes the file, or says whether it is as it would be written."""
    found = list(schedules.read(MEASURED / "schedules.jsonl.gz"))
    others = workloads.read(MEASURED / "tensor-programs.jsonl.gz")
    known = _known([*found, *others])
    seen = {operator for each in found if timed(each) for operator in _operators(each.name, known)}
    every = {operator for each in (*found, *others) for operator in _operators(each.name, known)}
    told = {"seen": sorted(seen), "not seen": sorted(every - seen)}
    text, path = json.dumps(told, indent=1) + "\n", SHIPPED / OPERATORS
    if "--check" in sys.argv:
        return int(not path.is_file() or path.read_text(encoding="utf-8") != text)
    path.write_text(text, encoding="utf-8")
    return 0


def _known(programs: Iterable[schedules.Sentences | workloads.Workload]) -> set[str]:
    """Names of operators: of programs that are fused of nothing, of blocks, and what others have between these."""
    known, words = set(_WHOLE), set[str]()
    for each in programs:
        own = list(_words(each.name))
        words.update(own)
        known.update(_BLOCK.findall(each.text), () if "/fused_" in each.name else own[:1] if len(own) == 1 else ())
    for part in sorted(words, key=lambda part: (part.count("_"), part)):
        known.update(_split(part, known))
    return known


def _words(name: str) -> Iterator[str]:
    """Of `vit/fused_conv2d10_add14_add_relu`: conv2d, add, add_relu; only numbers tell names apart."""
    own = name.rpartition("/")[2].removeprefix("fused_").replace("tir_", "")
    if re.fullmatch(r"[a-z_\d]+", own):
        yield from (re.sub(r"\d+$", "", part) for part in re.split(r"(?<=\d)_", own))


def _operators(name: str, known: set[str]) -> Iterator[str]:
    for part in _words(name):
        yield from _split(part, known)


def _split(part: str, known: set[str]) -> list[str]:
    """The longest known operators of `add_relu`, from the left, and what is not known between them."""
    found, open_, words = list[str](), list[str](), part.split("_")
    while words:
        lengths = range(len(words), 0, -1)
        length = next((n for n in lengths if "_".join(words[:n]) in known), 0)
        if length == 0:
            open_.append(words.pop(0))
            continue
        found += ["_".join(open_)] if open_ else []
        found.append("_".join(words[:length]))
        open_, words = [], words[length:]
    return [*found, "_".join(open_)] if open_ else found


if __name__ == "__main__":
    sys.exit(main())
