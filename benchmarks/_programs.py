"""Programs that know, or whose plain build tells, what they must print: data for the benchmarks of correctness.

Code comes from Debian source packages, fetched at run time; `programs/` holds drivers and scripts of this repository.
"""

from __future__ import annotations

import fnmatch
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forerun import settings
from forerun.corpora import debian
from forerun.corpora.units import Unit, once
from forerun.toolchains.llvm import clang

OWN = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Program:
    """Translation units, what the program is run with, and whether its last output must be its first input.

    `steps` are argument lists that run in turn, each on the output of the one before it, in a folder with the file
    `input`; `{own}` and `{tree}` are this repository's folder and the package's.
    """

    name: str
    package: str = ""
    units: tuple[str, ...] = ()
    """Patterns of the package's files."""
    own: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """For the units of `own`."""
    steps: tuple[tuple[str, ...], ...] = ((),)
    input: str = ""
    round_trip: bool = False


PROGRAMS = (
    Program("bits", own=("bits.c",)),
    Program("floats", own=("floats.c",)),
    Program("control", own=("control.c",)),
    Program("libcsv", "libcsv", ("libcsv.c",), ("libcsv.c",), ("-I.",), input="csv"),
    Program("utf8proc", "utf8proc", ("utf8proc.c",), ("utf8proc.c",), ("-I..", "-DUTF8PROC_STATIC")),
    Program("cjson", "cjson", ("cJSON.c",), ("cjson.c",), ("-I..",), input="json"),
    Program(
        "yajl",
        "yajl",
        ("src/yajl*.c", "reformatter/json_reformat.c"),
        steps=((), ("-m",), ("-s", "-e")),
        input="json",
    ),
    Program("libmd", "libmd", ("src/md5.c", "src/sha1.c", "src/sha2.c"), ("libmd.c",), ("-I../include",)),
    Program(
        "figlet",
        "figlet",
        ("figlet.c", "zipio.c", "crc.c", "inflate.c", "utf8.c"),
        steps=(("-d", "{tree}/fonts", "-w", "100", "-c"),),
        input="words",
    ),
    Program(
        "libdeflate",
        "libdeflate",
        ("lib/*.c", "programs/*.c"),
        steps=(("-c", "-n", "-12"), ("-d", "-c"), ("-c", "-n", "-6"), ("-d", "-c")),
        input="text",
        round_trip=True,
    ),
    Program("bc", "bc", ("lib/*.c", "bc/*.c"), steps=(("-l", "-q", "{own}/check.bc"),)),
    Program("zopfli", "zopfli", ("src/zopfli/*.c",), steps=(("--i2", "-c", "input"),), input="words"),
    Program(
        "bzip2",
        "bzip2",
        ("blocksort.c", "huffman.c", "c*table.c", "r*table.c", "*compress.c", "bzlib.c", "bzip2.c"),
        steps=(("-9",), ("-d",), ("-1",), ("-ds",)),
        input="text",
        round_trip=True,
    ),
    Program("zlib", "zlib", ("[!mt]*.c", "trees.c", "test/example.c"), steps=(("example.gz",),)),
    Program(
        "lz4",
        "lz4",
        ("*.c",),
        steps=(("-1",), ("-dc",), ("-9", "-BD"), ("-dc",)),
        input="text",
        round_trip=True,
    ),
    Program("mawk", "mawk", ("*.c",), steps=(("-f", "{own}/check.awk"),), input="text"),
    Program("lua", "lua5.4", ("src/l[!u]*.c", "src/lu[!a]*.c", "src/lua.c"), steps=(("{own}/check.lua",),)),
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A program's folder, its licence, and the command that compiles each of its units."""

    folder: Path
    licence: str
    commands: tuple[clang.Command, ...]


def tree(program: Program, compiler: str) -> Tree:
    """Fetches and builds the program's package where that was not done yet. Raises ForerunError."""
    flags = ("-Oz", "-g0", "-w")
    units = list(_units(program, compiler))
    folder = units[0].directory if units else str(OWN)
    own = [(folder, ["-I.", *program.flags, "-c", str(OWN / name)]) for name in program.own]
    theirs = [(unit.directory, list(unit.command[1:])) for unit in units]
    commands = []
    for directory, arguments in theirs + own:
        command = clang.read_command([compiler, *arguments, *flags], directory)
        assert not isinstance(command, str), command
        commands.append(command)
    licence = units[0].licence if units else "Apache-2.0"
    return Tree(_root(Path(folder)), licence, tuple(commands))


def _units(program: Program, compiler: str) -> Iterator[Unit]:
    if not program.package:
        return
    package = debian.fetch(program.package, settings.cache_folder() / "debian")
    for unit in once(debian.build(package, compiler)):
        path = Path(unit.file).relative_to(_root(Path(unit.directory)))
        if any(fnmatch.fnmatchcase(str(path), pattern) for pattern in program.units):
            yield unit


def _root(folder: Path) -> Path:
    """The package's own folder: builds may run in a part of it."""
    return next((p for p in (folder, *folder.parents) if p.name == "tree"), folder)


def given(kind: str) -> bytes:
    """The input of a kind, the same on every machine."""
    draw = random.Random(kind)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(draw.choices(letters, range(26, 0, -1), k=draw.randint(1, 9))) for _ in range(400)]
    prose = "\n".join(" ".join(draw.choices(words, k=draw.randint(3, 14))) for _ in range(900))
    made = {
        "": "",
        "words": "\n".join(prose.splitlines()[:12]),
        "text": prose + "".join(map(chr, draw.choices(range(1, 127), k=4000))) + "\n",
        "csv": "\n".join(",".join(_quoted(draw.choice(words), draw) for _ in range(9)) for _ in range(200)) + "\n",
        "json": json.dumps({word: _nested(words, draw, 3) for word in words[:20]}),
    }
    return made[kind].encode()


def _quoted(word: str, draw: random.Random) -> str:
    return draw.choice((word, f'"{word}"', f'"{word[:2]}"",{word[2:]}"', "", " " + word))


def _nested(words: list[str], draw: random.Random, depth: int) -> object:
    if depth == 0:
        text = draw.choice(words) + draw.choice(("", "\n", '"', "é", "\\", "€"))
        return draw.choice((draw.randint(-(10**9), 10**9), draw.uniform(-9, 9), text, None, True, False))
    if draw.random() < 0.5:
        return [_nested(words, draw, depth - 1) for _ in range(draw.randint(0, 5))]
    return {draw.choice(words): _nested(words, draw, depth - 1) for _ in range(draw.randint(0, 5))}
