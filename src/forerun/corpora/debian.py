"""Programs of Debian: any source package, by name, fetched and built on this machine at run time.

Nothing of a program is kept in this repository but its name and, where guessing is not enough, its
`Recipe`. A cache folder holds, for each package, `source/` (as Debian ships it) and one folder for each
compiler and flags it was built with: the built tree, the recording compiler, `build.log`, `units.json`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from forerun.corpora import _apt
from forerun.corpora._recipes import ENV, RECIPES, Recipe, guess_steps
from forerun.corpora._recording import Build, Compilers, Recorder
from forerun.corpora.units import Unit
from forerun.errors import ForerunError, UsageError
from forerun.files import locked, write_atomically


@dataclass(frozen=True, slots=True)
class Built:
    """What a build recorded: the units, where they are stored, and the line that ended the build, if one did."""

    units: tuple[Unit, ...]
    path: Path
    error: str | None


# Whole programs to shrink, apart from both groups below.
PROJECTS = ("zlib", "lua5.4", "libyaml", "bzip2", "lz4")

# Programs to learn from, and others to be judged on. Packages that share code are in one group: no unit has the
# same IR in two groups, and what still recurs is public tables (DES, MD2, BLAKE2b) and the skeleton of Bison.
TRAIN = (
    "jansson",
    "libtommath",
    "libtomcrypt",
    "libogg",
    "opus",
    "speex",
    "mujs",
    "sed",
    "libconfig",
    "libuv1",
    "giflib",
    "tinyxml2",
    "lzo2",
    "popt",
    "dash",
    "tre",
    "http-parser",
    "libmd",
    "musl",
    "gzip",
    "diffutils",
    "less",
    "c-ares",
    "libevent",
    "xz-utils",
    "pkgconf",
    "m4",
    "nano",
)
TEST = (
    "cjson",
    "yajl",
    "json-c",
    "libonig",
    "jimtcl",
    "libsodium",
    "bearssl",
    "bc",
    "mawk",
    "figlet",
    "lzip",
    "cmark",
    "gsl",
    "nettle",
    "flac",
    "byacc",
    "libdeflate",
    "duktape",
    "tcc",
    "utf8proc",
    "hiredis",
    "ed",
    "zopfli",
    "discount",
    "libcsv",
)

# Further programs, of which only the size was measured: the learned coreset of `passes` uses none of them. Some share
# code with TRAIN (gnulib, the author's own library), so they are no test for what was learned there.
MORE = (
    "double-conversion",
    "gifsicle",
    "gperf",
    "hello",
    "indent",
    "lame",
    "leveldb",
    "libebml",
    "libmodplug",
    "libsamplerate",
    "ninja-build",
    "potrace",
    "snappy",
    "soundtouch",
    "taglib",
    "uchardet",
    "units",
    "wavpack",
    "box2d",
    "fmtlib",
    "gddrescue",
    "jpegoptim",
    "lziprecover",
    "muparser",
    "re2",
    "yaml-cpp",
    "a52dec",
    "check",
    "cmocka",
    "cppunit",
    "cscope",
    "dropbear",
    "exuberant-ctags",
    "fftw3",
    "file",
    "flatbuffers",
    "fribidi",
    "gdbm",
    "gnuchess",
    "graphite2",
    "hunspell",
    "jhead",
    "lcms2",
    "ldns",
    "libaio",
    "libassuan",
    "libgpg-error",
    "libidn2",
    "libjpeg-turbo",
    "libpcap",
    "libsndfile",
    "libsoxr",
    "libtasn1-6",
    "libunwind",
    "libzstd",
    "make-dfsg",
    "mimalloc",
    "msgpack-c",
    "mxml",
    "ncurses",
    "nghttp2",
    "nlopt",
    "openjpeg2",
    "original-awk",
    "pcre3",
    "prodigal",
    "psmisc",
    "qhull",
    "readline",
    "tar",
    "tidy-html5",
    "tiff",
    "tree",
    "twolame",
)


def fetch(name: str, cache: Path) -> Path:
    """The folder of the source package `name`, downloaded into `cache` unless it is there already.

    Any number of processes may ask at once, with or without root. Raises ToolMissing without apt or
    dpkg-dev, UsageError for what cannot be a package's name, ForerunError when apt cannot get it.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name):
        raise UsageError(
            f"{name!r} is no Debian package",
            "names are lower-case letters, digits and + - .",
            f"one of those to learn from, for example: {TRAIN[0]}",
        )
    source = Path(cache).resolve() / name / "source"
    with locked(source.parent / "lock"):
        if not source.is_dir():
            with tempfile.TemporaryDirectory(prefix=".fetch-", dir=source.parent) as folder:
                dsc = _apt.download(name, Path(folder), source.parent.parent / ".apt")
                _apt.unpack(dsc, Path(folder) / "source")
                (Path(folder) / "source").rename(source)
    return source


def name_and_version(package_dir: Path) -> tuple[str, str]:
    """The source package's name and version, from the head of debian/changelog. Raises ForerunError."""
    found = re.match(r"(\S+) \(([^)\s]+)\)", text_of(package_dir / "debian/changelog"))
    if not found:
        raise ForerunError(
            f"{package_dir} is no Debian source package", "it has no debian/changelog", "give what fetch() returned"
        )
    return found[1], found[2]


def licence(package_dir: Path) -> str:
    """The licence's short name for `Files: *` in a machine-readable debian/copyright (DEP-5).

    https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
    """
    for stanza in re.split(r"\n[ \t]*\n", text_of(package_dir / "debian/copyright")):
        files = re.search(r"^Files:((?:.*(?:\n[ \t].*)*))", stanza, re.MULTILINE | re.IGNORECASE)
        short = re.search(r"^License:[ \t]*(\S.*)", stanza, re.MULTILINE | re.IGNORECASE)
        if files and short and "*" in re.split(r"[\s,]+", files[1]):
            return short[1].strip()
    return "see debian/copyright"


def text_of(path: Path) -> str:
    """The text of a file, empty where there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def build(package_dir: Path, cc: str = "clang", flags: Sequence[str] = ("-Oz",)) -> list[Unit]:
    """The units that building the package with `cc` and `flags` compiles; built once, then read from the cache.

    A build that fails half-way gives the units up to there, and a warning in the log; `build_report` has
    the error. Raises ToolMissing without `cc`, ForerunError where nothing at all was compiled.
    """
    report = build_report(package_dir, cc, flags)
    if report.error:
        logging.getLogger(__name__).warning("%s: kept %d units, then %s", package_dir, len(report.units), report.error)
    if not report.units:
        why = report.error or "no compiler call had -c and one C or C++ file"
        raise ForerunError(f"nothing was compiled in {package_dir}", why, f"see {report.path.with_name('build.log')}")
    return list(report.units)


def build_report(
    package_dir: Path, cc: str = "clang", flags: Sequence[str] = ("-Oz",), *, jobs: int = 1, timeout_s: float = 3600
) -> Built:
    """`build` with its error as a value. `jobs` compile at once; `timeout_s` bounds each step.

    The tree is copied first: commands name absolute paths, and one tree cannot hold two builds. All of the copy is
    equally old: nothing that the package brings (configure, parsers) is made again, by tools that may not be here. A
    build that compiles nothing is tried again the next time.
    """
    package_dir = Path(package_dir).resolve()
    name, _ = name_and_version(package_dir)
    compilers, recipe = Compilers.found(cc), RECIPES.get(name) or Recipe(name, guess_steps(package_dir))
    folder = package_dir.parent / key(compilers, recipe, flags)
    with locked(package_dir.parent / f".{folder.name}.lock"):
        if not (folder / "units.json").is_file():
            env = ENV | dict(recipe.env) | {"MAKEFLAGS": f"-k -j{jobs}"}
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(package_dir, folder / "tree", symlinks=True)
            now = time.time()
            for path in (folder / "tree").rglob("*"):
                os.utime(path, (now, now), follow_symlinks=False)
            recorder = Recorder(folder, compilers)
            error = Build(folder / "tree", recipe.steps, env, timeout_s).run(recorder, flags, folder / "build.log")
            units = recorder.units(name, licence(package_dir))
            if not units:
                return Built((), folder / "units.json", error)
            store(folder / "units.json", units, error)
    return load(folder / "units.json")


def key(compilers: Compilers, recipe: Recipe, flags: Sequence[str]) -> str:
    """The name of the folder of one build: another compiler, recipe or flag is another build."""
    asked = json.dumps([asdict(compilers), asdict(recipe), list(flags)])
    return f"built-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"


def store(path: Path, units: Sequence[Unit], error: str | None) -> None:
    """Writes the units and the error as JSON."""
    content = {"error": error, "units": [asdict(unit) for unit in units]}
    write_atomically(path, json.dumps(content, indent=1).encode())


def load(path: Path) -> Built:
    """Reads what `store` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    units = tuple(Unit(**unit | {"command": tuple(unit["command"])}) for unit in content["units"])
    return Built(units, path, content["error"])
