"""Packs what was measured of kernels: the numbers, not the kernels, which Inductor writes again.

    python benchmarks/kernels.py trials.sqlite … -o benchmarks/measured/kernels.csv.gz

A line has where it was measured, the family and its network (as `forerun.corpora.inductor.drawn` names it), sizes, type
and whether it was trained, the kernel's place in the network, the first half of the SHA-256 of its text, and the
seconds with their spread. `forerun collect kernels` with the same seed and versions writes the same texts.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from forerun.corpora.inductor import Network, drawn
from forerun.files import write_atomically
from forerun.store import Store
from forerun.tasks.kernels import Kernels
from forerun.toolchains.inductor.kernel import CPP
from forerun.toolchains.onnx.target import Target

COLUMNS = "device tool language family network sizes dtype train kernel text_sha256 latency_s spread".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("stores", nargs="+", type=Path, metavar="STORE", help="files with trials of `kernels`")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="a .csv.gz file to write")
    options = parser.parse_args()
    found = sorted({line for store in options.stores for line in lines(store)})
    write_atomically(options.output, gzip.compress(_table([COLUMNS, *found]).encode(), mtime=0))
    print(f"{len(found):,} kernels of {len({line[3] for line in found})} families in {options.output}")


def lines(path: Path) -> Iterator[tuple[str, ...]]:
    """A line for each kernel that was measured."""
    with Store(path) as store:
        for key, found in store.baselines(Kernels().id).items():
            if not found.ok:
                continue
            source = store.source(key)
            where = Target.parse(source.target)
            _, family, name, place = source.name.split("/")
            network = _networks(*map(int, name.split("-")), source.lang != CPP)
            sizes = " ".join(f"{batch}x{length}" for batch, length in network.sizes)
            digest = hashlib.sha256(source.text.encode()).hexdigest()
            numbers = (f"{found.values['latency']:.4g}", f"{found.values['latency_spread']:.2g}")
            about = (family, name, sizes, network.dtype, str(int(network.train)), place)
            yield (where.device, where.tool, source.lang, *about, digest[:32], *numbers)


@cache
def _networks(seed: int, number: int, large: bool) -> Network:
    return list(drawn(number + 1, seed, large))[number]


def _table(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    main()
