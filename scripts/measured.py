"""Tables of what was measured, without the texts: they belong to others, the numbers do not.

    measured.py pack STORE... --folder OWNER/NAME@COMMIT=DIR... -o programs.csv.gz
    measured.py unpack programs.csv.gz --folder DIR... -o store.sqlite
    measured.py sources programs.csv.gz
    measured.py write written.jsonl.gz -o FOLDER

`pack` writes a line for each metric of each program that `forerun collect memory` or `forerun collect size --sources`
measured and whose file lies in one of the folders, of each module of `forerun collect size`, of each generated program,
of each network of `forerun collect latency`, and of each kernel of `forerun collect kernels`, with the version of
transformers that is installed: pack where you measured. `unpack` finds the texts of programs again, by their digest, in
folders of any name, draws what is generated again, has PyTorch's compiler write the kernels again (with the versions of
it and of transformers that the table names), and makes a store of them: `forerun data export` makes rows of it as it
does of any. Modules are compiled again, by `forerun collect size`. `sources` counts what is in a table.
`write` makes a folder of the programs that were written to be measured, each at every one of its sizes: for `forerun
collect memory --group-by top`, and for `unpack`.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import hashlib
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

from forerun import settings
from forerun.cli.render import Column, Table, add_format, counted, number, show
from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora import debian
from forerun.corpora.generated import again
from forerun.corpora.inductor import LIBRARIES, Network, drawn, library_of, named, written
from forerun.corpora.onnx_models import generated
from forerun.corpora.programs import group_of, licence
from forerun.errors import ForerunError, InputError, ToolMissing, UsageError
from forerun.files import write_atomically
from forerun.parallel import each
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tasks import size
from forerun.tasks._numbers import Answer, Numbers
from forerun.tasks._programs import METRICS
from forerun.tasks.kernels import Kernels
from forerun.tasks.latency import LATENCY, Latency
from forerun.tasks.memory import Memory
from forerun.tasks.passes import Passes
from forerun.toolchains.inductor.kernel import CPP
from forerun.toolchains.inductor.target import here, networks
from forerun.toolchains.onnx.target import Target

_PROGRAMS, _NETWORKS, _KERNELS, _MODULES = Memory(), Latency(), Kernels(), f"{Passes.name}/{Passes.version}"
_LATENCY = {"latency": LATENCY}
WRITTEN = "written"
"""The folder of programs that were written to be measured, and how their names begin."""
_SIZES = size.Size("", 0)
"""Without LLVM: nothing is measured here."""


@dataclass(frozen=True, slots=True)
class Line:
    """One number, and where its text is.

    `sha256` is the digest of the file, of a module's IR, of a network's or a kernel's text.
    """

    source: str
    commit: str
    licence: str
    path: str
    sha256: str
    language: str
    name: str
    target: str
    tool: str
    metric: str
    value: float
    spread: float
    """Half the range of the runs over their median; of a network or kernel as its collection tells it."""
    n: int
    """Runs, or samples."""


class Place(NamedTuple):
    """Where a text was found."""

    source: str
    commit: str
    licence: str
    path: str


def digest(text: str) -> str:
    """Of the bytes that a text was read from."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file with the digest of its bytes. Raises InputError where there is no such folder."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", "no such folder", "name a folder with programs: --folder DIR")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield hashlib.sha256(path.read_bytes()).hexdigest(), path


def places(folders: Sequence[str]) -> dict[str, Place]:
    """Where each digest lies first, of folders named OWNER/NAME@COMMIT=DIR. Raises UsageError, InputError."""
    found: dict[str, Place] = {}
    for folder in folders:
        parts = re.fullmatch(r"([^@=]+)@([^@=]+)=(.+)", folder)
        if not parts:
            raise UsageError(f"--folder {folder}", "pack wants to know whose it is", "OWNER/NAME@COMMIT=DIR")
        root = Path(parts[3])
        for key, path in files(root):
            if key not in found:
                found[key] = Place(parts[1], parts[2], _licence(path.parent, root), path.relative_to(root).as_posix())
    return found


@cache
def _licence(folder: Path, root: Path) -> str:
    """The nearest one, from the file's folder up to the root."""
    own = licence(folder)
    return own if own != "unknown" or folder == root else _licence(folder.parent, root)


def pack(stores: Sequence[Path], known: Mapping[str, Place], packages: Path) -> Iterator[Line]:
    """The lines of stores; what lies in no folder is left out. Raises ForerunError, ToolMissing."""
    for path in stores:
        with Store(path) as store:
            for task, metrics, place in (
                (_PROGRAMS.id, METRICS, lambda source: _drawn(source) or known.get(digest(source.text))),
                (_SIZES.id, size.METRICS, lambda source: known.get(digest(source.text))),
                (_MODULES, size.METRICS, lambda source: _package(source, packages)),
                (_NETWORKS.id, _LATENCY, _drawn),
                (_KERNELS.id, _LATENCY, _layers),
            ):
                yield from _lines(store, task, tuple(metrics), place)


def _lines(store: Store, task: str, metrics: Sequence[str], place: Callable[[Source], Place | None]) -> Iterator[Line]:
    for key, found in store.baselines(task).items():
        source = store.source(key)
        where = place(source) if found.ok and not (task == _PROGRAMS.id and source.reference) else None
        if where:
            about = (digest(source.text), source.lang, source.name, source.target, found.tool)
            values, runs = found.values, int(found.values.get("samples", found.values.get("runs", 1)))
            for metric in metrics:
                if metric in values:
                    spread = values.get(f"{metric}_spread", 0.0)
                    yield Line(*where, *about, metric, values[metric], spread, runs)


def _package(source: Source, packages: Path) -> Place:
    project, _, path = source.name.partition("/")
    folder = packages / project / "source"
    return Place(project, debian.name_and_version(folder)[1], debian.licence(folder), path)


def _layers(source: Source) -> Place:
    """The library whose network a kernel is of."""
    library = library_of(source.name.split("/")[2])
    return Place(library, networks(library).version, LIBRARIES[library].LICENCE, "")


def _drawn(source: Source) -> Place | None:
    """Of what is this project's own."""
    whose, _, path = source.name.partition("/")
    if whose not in ("generated", WRITTEN):
        return None
    return Place(whose, "", "Apache-2.0", path if whose == WRITTEN else "")


def written_programs(path: Path) -> Iterator[tuple[str, str]]:
    """The programs that were written to be measured, each at every one of its sizes: the path, and the text.

    A line of the file has the `name` of a file, its `text` with a place such as `@A@` for each size, and the values of
    these in each of the `cases`. Raises InputError.
    """
    try:
        lines = list(map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines()))
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"cannot read {path}", str(error), "name written.jsonl.gz of benchmarks/measured") from error
    for line in lines:
        folder, _, name = line["name"].rpartition("/")
        stem, _, suffix = name.rpartition(".")
        for place, case in enumerate(line["cases"], 1):
            text = line["text"]
            for letter, value in case.items():
                text = text.replace(f"@{letter}@", value)
            if suffix == "java":  # its class is called as its file
                yield f"{folder}/{stem}{place}.java", re.sub(rf"\b{stem}\b", f"{stem}{place}", text)
            else:
                yield f"{folder}/{stem}-{place}.{suffix}", text


def write_programs(path: Path, folder: Path) -> int:
    """Writes all of them into a folder, whose name is that of their corpus. Returns how many."""
    count = 0
    for count, (name, text) in enumerate(written_programs(path), 1):  # noqa: B007
        write_atomically(folder / name, text.encode())
    return count


def write(path: Path, lines: Iterable[Line]) -> int:
    """Writes lines in one order, with one spelling: the same numbers make the same file. Returns how many."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [field.name for field in fields(Line)], lineterminator="\n")
    writer.writeheader()
    ordered = sorted(set(lines), key=lambda line: (line.source, line.path, line.name, line.target, line.metric))
    for line in ordered:
        writer.writerow(asdict(line) | {"value": repr(line.value).removesuffix(".0"), "spread": f"{line.spread:.3g}"})
    packed = gzip.compress(out.getvalue().encode("utf-8", "backslashreplace"), mtime=0)
    write_atomically(path, packed)
    return len(ordered)


def read(path: Path) -> list[Line]:
    """What `write` wrote. Raises InputError."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return [_line(record) for record in csv.DictReader(file, strict=True)]
    except (OSError, EOFError, ValueError, TypeError, KeyError, csv.Error) as error:
        raise InputError(f"cannot read {path}", str(error), "name a table that `pack` wrote") from error


def _line(record: Mapping[str, str]) -> Line:
    words = {field.name: record[field.name] for field in fields(Line) if field.name not in ("value", "spread", "n")}
    return Line(**words, value=float(record["value"]), spread=float(record["spread"]), n=int(record["n"]))


def unpack(lines: Sequence[Line], folders: Sequence[Path], output: Path) -> tuple[int, int]:
    """Stores each text that is found or written again; returns how many, and how many there are but modules.

    Raises UsageError where all lines are of modules, InputError, ForerunError, ToolMissing.
    """
    lines = [line for line in lines if line.language != "llvm"]
    if not lines:
        raise UsageError("modules are not unpacked", "their IR is nowhere", "compile them again: forerun collect size")
    wanted = {line.sha256 for line in lines}
    texts = {key: path for folder in folders for key, path in files(folder) if key in wanted}
    kept = 0
    with Store(output) as store:
        for _, group in groupby(lines, key=lambda line: (line.sha256, line.target)):
            own = list(group)
            if own[0].sha256 in texts:
                text = texts[own[0].sha256].read_bytes().decode("utf-8", "surrogateescape")
                task = _SIZES if own[0].metric in size.METRICS else _PROGRAMS
                kept += _store(store, task, Source(text, own[0].language, own[0].name, own[0].target), own)
        kept += sum(_store(store, _NETWORKS, *drawn) for drawn in _drawn_again(lines))
        kept += sum(_store(store, _PROGRAMS, *drawn) for drawn in _written_again(lines))
        kept += sum(_store(store, _KERNELS, *drawn) for drawn in _compiled_again(lines, output))
    return kept, len({(line.sha256, line.target) for line in lines})


def _drawn_again(lines: Sequence[Line]) -> Iterator[tuple[Source, list[Line]]]:
    """The generated networks: for each seed and target as many are drawn as the last one needs."""
    names = re.compile(r"generated/.*/(\d+)-(\d+)")
    numbered = [(found, line) for line in lines if (found := names.fullmatch(line.name))]
    for seed, target in sorted({(int(found[1]), line.target) for found, line in numbered}):
        own = {line.name: line for found, line in numbered if (int(found[1]), line.target) == (seed, target)}
        for network in generated(sys.maxsize, seed, target):
            line = own.pop(network.source.name, None)
            if line and line.sha256 == digest(network.source.text):
                yield network.source, [line]
            if not own:
                break


def _written_again(lines: Sequence[Line]) -> Iterator[tuple[Source, list[Line]]]:
    """The generated programs."""
    for (name, target), group in groupby(lines, key=lambda line: (line.name, line.target)):
        own = list(group)
        if drawn := again(name):
            _, language, text = drawn
            if digest(text) == own[0].sha256:
                yield Source(text, language, name, target), own


def _compiled_again(lines: Sequence[Line], store: Path) -> Iterator[tuple[Source, list[Line]]]:
    """The kernels, of as many networks at once as there are workers, for vector registers as they were written for."""
    kernels = {(line.name, line.target, line.sha256): line for line in lines if _of_inductor(line)}
    wanted: dict[tuple[str, str, str, str], set[int]] = defaultdict(set)
    for line in kernels.values():
        if found := re.fullmatch(r"kernels/[^/]*/((?:\w+-)?(\d+)-(\d+))/\d+", line.name):
            wanted[library_of(found[1]), found[2], line.language, line.target].add(int(found[3]))
    if wanted:
        settings.override("timeout", "900")  # seconds of one network in Inductor
    for (library, seed, language, target), numbers in wanted.items():
        device = "cpu" if language == CPP else _gpu(target)
        every = enumerate(drawn(max(numbers) + 1, int(seed), device != "cpu", library))
        chosen = (network for number, network in every if number in numbers)
        work = partial(_kernels_of, kernels, target, device, [0, 512, 256] if device == "cpu" else [0])
        for source, line in chain.from_iterable(each(chosen, work, store)):
            yield source, [line]


def _gpu(target: str) -> str:
    """What Inductor writes for: `cuda` where the GPU of a target is here, else that one by its name."""
    name = Target.parse(target).device
    with contextlib.suppress(ToolMissing):
        return "cuda" if here("cuda").device == name else name
    return name


def _kernels_of(
    known: Mapping[tuple[str, str, str], Line],
    target: str,
    device: str,
    widths: list[int],
    network: Network,
    pool: Pool,
    _: Store,
) -> list[tuple[Source, Line]]:
    """Those that are known, for registers of the first of these widths that gives any, which then comes first."""
    for width in [*widths]:
        found = pool.call(written, network, device, width)
        sources = [] if isinstance(found, str) else [kernel.source for kernel in named(network, found, target)]
        keyed = [((source.name, target, digest(source.text)), source) for source in sources]
        if pairs := [(source, known[key]) for key, source in keyed if key in known]:
            widths.sort(key=lambda one: one != width)
            return pairs
    return []


def _store(store: Store, task: Numbers, source: Source, lines: Sequence[Line]) -> bool:
    values = {line.metric: line.value for line in lines} | {f"{line.metric}_spread": line.spread for line in lines}
    runs = "samples" if task.name in (_NETWORKS.name, _KERNELS.name) else "runs"
    found = Measurement(values | {runs: float(lines[0].n)}, checked=True, tool=lines[0].tool)
    draft: Draft[Answer] = Draft(None, origin="baseline")
    store.add([Trial(task.id, source, draft, found)], task.grammar(source))
    return True


def sources(lines: Sequence[Line]) -> Table:
    """A row for each source and licence: programs, groups, languages."""
    rows = []
    for key, group in groupby(sorted(lines, key=_whose), key=_whose):
        own = list(group)
        row: dict[str, object] = dict(zip(("source", "commit", "licence"), key, strict=True))
        row |= {"texts": len({line.sha256 for line in own}), "groups": len({_group(line) for line in own})}
        rows.append(row | {"languages": ", ".join(sorted({line.language for line in own}))})
    words = [Column(name, name) for name in ("source", "commit", "licence")]
    counts = [Column(name, name, number, True) for name in ("texts", "groups")]
    return Table([*words, *counts, Column("languages", "languages")], rows)


def _whose(line: Line) -> tuple[str, str, str]:
    return line.source, line.commit, line.licence


def _group(line: Line) -> str:
    if _of_inductor(line):
        return line.name.split("/")[1]
    return group_of(Source("", line.language, line.name))


def _of_inductor(line: Line) -> bool:
    return line.tool.startswith("inductor ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the docstring above says."""
    options = _options(arguments)
    try:
        if options.verb == "pack":
            count = write(options.output, pack(options.stores, places(options.folder), options.packages))
            print(f"{counted(count, 'line')} in {options.output}", file=sys.stderr)
        elif options.verb == "unpack":
            kept, there = unpack(read(options.table), options.folder, options.output)
            print(f"{kept:,} of {there:,} texts found; trials are in {options.output}", file=sys.stderr)
        elif options.verb == "write":
            count = write_programs(options.programs, options.output)
            print(f"{counted(count, 'program')} in {options.output}", file=sys.stderr)
        else:
            show(sources(read(options.table)), options.format)
    except ForerunError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing, unpacking, counting, writing = (verbs.add_parser(one) for one in ("pack", "unpack", "sources", "write"))
    packing.add_argument("stores", type=Path, nargs="+", metavar="STORE")
    packing.add_argument("--folder", action="append", default=[], metavar="OWNER/NAME@COMMIT=DIR")
    packing.add_argument("--packages", type=Path, default=Path(), metavar="DIR", help="Debian's, as in the cache")
    unpacking.add_argument("table", type=Path)
    unpacking.add_argument("--folder", action="append", default=[], type=Path, metavar="DIR")
    counting.add_argument("table", type=Path)
    add_format(counting)
    writing.add_argument("programs", type=Path)
    for one in (packing, unpacking, writing):
        one.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
