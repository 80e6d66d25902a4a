"""Gathers the texts that tokens of the weights that ship are learned on, from what is learned from alone.

    pip download --no-deps -d wheels fla_core==0.6.0 flag_gems==5.0.2 liger_kernel==0.8.5 sageattention==1.0.6 \\
        sglang==0.5.23 xformers==0.0.35
    python scripts/texts.py R modules.jsonl --store modules.sqlite --store more.sqlite --wheels wheels -o texts
    forerun train code --folder texts --data texts/rows.jsonl --start DIR --tokens 5120 --steps 1 -o language

with `R` as in `scripts/weights.py`. The texts are prompts of the training rows, each program once; LLVM IR of modules,
some whole and of others a part, for whole ones would be most of all there is; assembly that clang makes of the same
modules for x86-64 and AArch64, at a level each; and files with Triton kernels from the wheels of libraries. All of it
is read to learn from, and none of it is kept: licences are those of the packages and wheels.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from forerun import settings
from forerun.models.encoder_decoder import SHIPPED
from forerun.models.encoder_decoder.learned import Learned
from forerun.prompts import parts
from forerun.rows import Row
from forerun.store import Store
from forerun.tables import read_rows, write_rows
from forerun.toolchains.llvm import clang

WHOLE = 60
"""Modules whose IR is read whole, as prompts."""
IR, ASSEMBLY, TRITON = 6000, 5000, 5000
"""Characters of a text of each kind, at most."""
MODULES = 1000
"""That assembly is made of, at most."""
TRIPLES = ("x86_64-linux-gnu", "aarch64-linux-gnu")
LEVELS = ("-O0", "-O2", "-O3", "-Oz")
KERNEL = "@triton.jit"


def main() -> int:
    """Writes the texts, each under a digest of what it is of."""
    options = _options()
    draw = random.Random(0)
    train = Learned.load(options.learned).dealt([row for path in options.rows for row in read_rows(path)]).train
    rows = _once(draw.sample(train, len(train)), draw)
    modules = [row for row in rows if _is_ir(row)]
    whole = set(map(id, modules[:WHOLE]))
    options.output.mkdir(parents=True, exist_ok=True)
    write_rows(options.output / "rows.jsonl", [row for row in rows if not _is_ir(row) or id(row) in whole])
    _write(options.output / "ir", ".ll", (_part(parts(row.prompt).text, IR, draw) for row in modules[WHOLE:]))
    names = {row.name for row in train}
    _write(options.output / "assembly", ".s", _assembly(options.store, names, draw))
    _write(options.output / "triton", ".py", _kernels(options.wheels))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", type=Path, help="files of `forerun data export`")
    parser.add_argument("--learned", type=Path, default=SHIPPED, help="the checkpoint that says which rows are learned")
    parser.add_argument("--store", action="append", default=[], type=Path, help="with the modules")
    parser.add_argument("--wheels", type=Path, required=True, help="the folder with the wheels")
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


def _once(rows: Sequence[Row], draw: random.Random) -> list[Row]:
    """Each program once, and one row in ten of another metric of it, for the words of all metrics."""
    seen, kept = set[tuple[str, str]](), list[Row]()
    for row in rows:
        key = (parts(row.prompt).text, row.metric if draw.random() < 0.1 else "")
        if key not in seen:
            seen.add(key)
            kept.append(row)
    return kept


def _is_ir(row: Row) -> bool:
    return parts(row.prompt).head["language"].startswith("llvm")


def _part(text: str, longest: int, draw: random.Random) -> str:
    """From its start, or one time in three from its middle."""
    at = draw.choice((0, 0, len(text) // 2))
    return text[at : at + longest]


def _assembly(stores: Sequence[Path], names: set[str], draw: random.Random) -> Iterator[str]:
    """Of modules of which there are rows."""
    texts = dict[str, str]()
    for path in stores:
        with Store(path) as store:
            texts |= {row.source.name: row.source.text for row in store.trials() if row.source.name in names}
    chosen = draw.sample(sorted(texts), min(MODULES, len(texts)))
    asked = [(texts[name], triple, draw.choice(LEVELS)) for name in chosen for triple in TRIPLES]
    compiler = clang.default_compiler()
    with ThreadPoolExecutor(settings.workers()) as threads:
        for made in threads.map(lambda one: _emitted(compiler, *one), asked):
            if made:
                yield _part(made, ASSEMBLY, draw)


def _emitted(compiler: str, text: str, triple: str, level: str) -> str:
    """Empty where it does not compile for another processor than its own."""
    words = [compiler, "-x", "ir", level, "-w", f"--target={triple}", "-fno-asynchronous-unwind-tables", "-S"]
    done = subprocess.run([*words, "-o", "-", "-"], input=text.encode("utf-8", "surrogateescape"), capture_output=True)
    return "" if done.returncode else done.stdout.decode(errors="replace")


def _kernels(wheels: Path) -> Iterator[str]:
    """What stands around the first kernel of a file."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as files:
            for name in sorted(name for name in files.namelist() if name.endswith(".py")):
                text = files.read(name).decode(errors="replace")
                if (at := text.find(KERNEL)) >= 0:
                    first = max(0, at - 300)
                    yield text[first : first + TRITON]


def _write(folder: Path, ending: str, texts: Iterator[str]) -> None:
    """Each once."""
    folder.mkdir(exist_ok=True)
    for text in texts:
        content = text.encode("utf-8", "surrogateescape")
        (folder / f"{sha256(content).hexdigest()[:16]}{ending}").write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
