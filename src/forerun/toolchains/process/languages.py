"""The languages of programs: one row each, and what of them is on this machine.

A program is one file. What it costs depends on its interpreter or compiler, so each row fixes how it is run: compiled
with the optimisation that the language's users ship with, warnings off, and with what its standard library needs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forerun import settings
from forerun.core import Tool
from forerun.errors import ForerunError, ToolMissing, UsageError
from forerun.files import write_atomically

Names = Callable[[str], Mapping[str, str]]
"""From a program's text to the names that its row leaves open."""


@dataclass(frozen=True, slots=True)
class Language:
    """How programs of one language are known, compiled and run.

    Words of `compile` and `run` may hold `{tool}` and `{second}` (their paths), `{file}` (the program's), `{cache}` (a
    folder that lasts) and what `names` finds in the text. Commands run in the folder of the program; `run` in an empty
    one inside it.
    """

    name: str
    suffixes: tuple[str, ...]
    tools: tuple[str, ...]
    """Programs to look for on the PATH, preferred first; a `*` takes the highest version."""
    package: str
    """The Debian package that brings it."""
    run: tuple[str, ...] = ("../main",)
    file: str = ""
    """The program's file; `main` and the first suffix where it is empty."""
    compile: tuple[str, ...] = ()
    second: str = ""
    """A second program of the same package, for the one that runs what was compiled."""
    ask: tuple[str, ...] = ("--version",)
    """Arguments on which the tool tells its version."""
    say: str = ""
    """What it reads from standard input then."""
    whole: str = ""
    """What the text of a whole program must contain, as a regular expression of many lines."""
    parts: str = ""
    """What it must not contain: other files that are not there."""
    names: Names | None = None
    env: tuple[tuple[str, str], ...] = ()

    @property
    def level(self) -> str:
        """The optimisation it is compiled with, where there is one: part of what its cost means."""
        return " ".join(word for word in self.compile if re.fullmatch(r"-O\w*|-d:release", word))

    def fill(self, words: Sequence[str], values: Mapping[str, str]) -> list[str]:
        """A command, its names filled in."""
        return [word.format_map(values) for word in words]


def _java_names(text: str) -> dict[str, str]:
    """The file is named after its public class; the program starts in the class that holds `main`."""
    kind = r"(?:(?:public|final|abstract|strictfp)\s+)*(?:class|interface|enum|record)\s+(\w+)"
    main = re.search(r"static\s+(?:final\s+)?(?:public\s+)?void\s+main\b", text)
    before = text[: main.start()] if main else text
    # What is indented stands inside another class, or all of them are.
    found = re.findall(rf"^{kind}", before, re.MULTILINE) or re.findall(rf"^[ \t]*{kind}", before, re.MULTILINE)[:1]
    entry = found[-1] if found else "Main"
    public = re.search(rf"^[ \t]*public\s+{kind}", text, re.MULTILINE)
    package = re.search(r"^[ \t]*package\s+([\w.]+)\s*;", text, re.MULTILINE)
    return {"public": public[1] if public else entry, "entry": f"{package[1]}.{entry}" if package else entry}


def _ada_names(text: str) -> dict[str, str]:
    """GNAT wants a file to be named after its unit."""
    unit = re.search(r"^procedure\s+(\w+)\s*(?:is|with)", text, re.MULTILINE | re.IGNORECASE)
    return {"unit": (unit[1] if unit else "main").lower()}


def _fortran_names(text: str) -> dict[str, str]:
    """Fixed form (statements from column 7 on) needs another suffix; what stands further left shows free form."""
    free = re.search(r"^ {0,4}(?![cCdD*!])[A-Za-z]", text, re.MULTILINE)
    return {"form": "f90" if free else "f"}


_C_PARTS = r'^[ \t]*#[ \t]*include\s*"'
_RUST = (("RUSTUP_HOME", "{home}/.rustup"), ("CARGO_HOME", "{home}/.cargo"))
_GO = (("GOCACHE", "{cache}/go"), ("GO111MODULE", "off"), ("CGO_ENABLED", "0"), ("GOFLAGS", ""))

OTHERS = {".ll": "llvm", ".bc": "llvm", ".onnx": "onnx", ".s": "assembly", ".asm": "assembly"}
"""Suffixes of what is no program's source, and what it is in."""

LANGUAGES: Mapping[str, Language] = {
    row.name: row
    for row in (
        Language(
            "c", (".c",), ("gcc", "clang", "clang-*", "cc"), "gcc",
            compile=("{tool}", "-O2", "-w", "-std=gnu11", "-pthread", "{file}", "-o", "main", "-lm"),
            whole=r"\bmain\s*\(", parts=_C_PARTS,
        ),
        Language(
            "c++", (".cpp", ".cc", ".cxx", ".c++"), ("g++", "clang++", "clang++-*", "c++"), "g++",
            compile=("{tool}", "-O2", "-w", "-std=gnu++17", "-pthread", "{file}", "-o", "main"),
            whole=r"\bmain\s*\(", parts=_C_PARTS,
        ),
        Language(
            "python", (".py",), (), "python3", ("{tool}", "../{file}"),
            env=(("PYTHONHASHSEED", "0"), ("PYTHONDONTWRITEBYTECODE", "1")), parts=r"^[ \t]*from\s+\.",
        ),
        Language(
            "go", (".go",), ("go",), "golang-go", ask=("version",), env=_GO,
            compile=("{tool}", "build", "-o", "main", "{file}"),
            whole=r"\A(?=[\s\S]*^package\s+main\b)[\s\S]*^func\s+main\s*\(",
        ),
        Language(
            "rust", (".rs", ".rust"), ("rustc",), "rustc", env=_RUST, whole=r"\bfn\s+main\s*\(",
            compile=("{tool}", "-O", "--edition=2021", "--cap-lints=allow", "{file}", "-o", "main"),
            parts=r"^[ \t]*(?:pub\s+)?mod\s+\w+\s*;",
        ),
        Language("javascript", (".js", ".mjs"), ("node", "nodejs"), "nodejs", ("{tool}", "../{file}")),
        Language(
            "java", (".java",), ("javac",), "default-jdk-headless",
            ("{second}", "-XX:-UsePerfData", "-cp", "..", "{entry}"),
            file="{public}.java", compile=("{tool}", "-nowarn", "-d", ".", "{file}"), second="java", names=_java_names,
            whole=r"static\s+(?:final\s+)?(?:public\s+)?void\s+main\b",
        ),
        Language("ruby", (".rb",), ("ruby",), "ruby", ("{tool}", "../{file}"), parts=r"^[ \t]*require_relative\b"),
        Language("perl", (".pl",), ("perl",), "perl", ("{tool}", "../{file}"), ask=("-e", 'printf "%vd", $^V')),
        Language("lua", (".lua",), ("lua5.4", "lua5.3", "lua"), "lua5.4", ("{tool}", "../{file}"), ask=("-v",)),
        Language(
            "php", (".php",), ("php",), "php-cli", ("{tool}", "../{file}"), whole=r"<\?",
            env=(("PHP_INI_SCAN_DIR", ""),),
        ),
        Language(
            "tcl", (".tcl",), ("tclsh", "tclsh8*"), "tcl", ("{tool}", "../{file}"), ask=(), say="puts $tcl_patchLevel",
        ),
        Language(
            "awk", (".awk",), ("gawk", "mawk"), "gawk", ("{tool}", "-f", "../{file}"),
            ask=("-W", "version"),  # which both know
        ),
        Language("r", (".r",), ("Rscript",), "r-base-core", ("{tool}", "../{file}")),
        Language("shell", (".sh", ".bash"), ("bash",), "bash", ("{tool}", "../{file}")),
        Language(
            "haskell", (".hs",), ("ghc",), "ghc", compile=("{tool}", "-O", "-w", "-v0", "{file}", "-o", "main"),
            whole=r"^main\b", ask=("--numeric-version",),
        ),
        Language(
            "ocaml", (".ml", ".ocaml"), ("ocamlopt",), "ocaml-nox", file="main.ml", ask=("-version",),
            compile=("{tool}", "-w", "-a", "unix.cmxa", "str.cmxa", "{file}", "-o", "main"),
        ),
        Language("julia", (".jl", ".julia"), ("julia",), "julia", ("{tool}", "../{file}"), file="main.jl"),
        Language(
            "pascal", (".pas", ".pascal", ".pp"), ("fpc",), "fp-compiler", ask=("-iV",),
            compile=("{tool}", "-O2", "-v0", "{file}", "-omain"), whole=r"(?i)\A(?=[\s\S]*\bbegin\b)[\s\S]*\bend\s*\.",
        ),
        Language(
            "fortran", (".f90", ".f95", ".f03", ".f08", ".f"), ("gfortran",), "gfortran", file="main.{form}",
            compile=("{tool}", "-O2", "-w", "{file}", "-o", "main"), names=_fortran_names,
        ),
        Language(
            "d", (".d",), ("ldc2",), "ldc", whole=r"\bmain\s*\(",
            compile=("{tool}", "-O2", "-w", "{file}", "-of=main"),
        ),
        Language(
            "nim", (".nim",), ("nim",), "nim",
            compile=("{tool}", "c", "-d:release", "--hints:off", "-w:off", "--nimcache:parts", "-o:main", "{file}"),
        ),
        Language(
            "ada", (".adb", ".ada"), ("gnatmake",), "gnat", file="{unit}.adb", names=_ada_names,
            compile=("{tool}", "-q", "-O2", "-gnatws", "{file}", "-o", "main"),
            whole=r"(?i)^procedure\s+\w+\s+(?:is|with)",
        ),
        Language(
            "scheme", (".scm", ".ss"), ("guile", "guile-3*"), "guile-3.0", ("{tool}", "--no-auto-compile", "../{file}"),
        ),
        Language(
            "lisp", (".lisp", ".cl"), ("sbcl",), "sbcl",
            # Its heap is one mapping that may be written to, so all of it counts against the limit.
            ("{tool}", "--dynamic-space-size", "2048", "--script", "../{file}"),
        ),
        Language("forth", (".fth", ".4th"), ("gforth",), "gforth", ("{tool}", "../{file}", "-e", "bye")),
        Language(
            "icon", (".icn", ".icon"), ("icont",), "icont iconx", second="iconx", file="main.icn", ask=("-V",),
            compile=("{tool}", "-s", "-u", "-o", "main", "{file}"), whole=r"^[ \t]*procedure\s+main\b",
        ),
    )
}  # fmt: skip

_BY_SUFFIX = {suffix: row for row in LANGUAGES.values() for suffix in row.suffixes}


def of_file(path: Path) -> Language | None:
    """The language of a file, by its suffix."""
    return _BY_SUFFIX.get(path.suffix.lower())


def spelled(word: str) -> str:
    """The name of a language by a user's word for it: `c++` of `C++` and `cpp`, `llvm` of `ll`."""
    name = word.lower()
    if name in LANGUAGES:
        return name
    known = of_file(Path(f"x.{name}"))
    return OTHERS.get(f".{name}") or (known.name if known else name)


def named(name: str) -> Language:
    """The row of a language. Raises UsageError with the names there are."""
    if name not in LANGUAGES:
        raise UsageError(f"no language is called {name!r}", f"languages: {', '.join(LANGUAGES)}", "name one of them")
    return LANGUAGES[name]


@cache
def find(name: str) -> Tool:
    """The compiler or interpreter of a language; the version holds its name. Raises ToolMissing."""
    row = named(name)
    if row.name == "python":
        return _python()
    for path in _on_path(row.tools):
        if (version := _version(path, row)) and (not row.second or shutil.which(row.second)):
            return Tool(row.name, f"{Path(path).name.rstrip('-.0123456789') or row.name} {version}", path, "the PATH")
    looked = ", ".join((*row.tools, row.second) if row.second else row.tools)
    raise ToolMissing(
        f"programs in {row.name} cannot run", f"looked for {looked}", f"install it with: apt-get install {row.package}"
    )


def _python() -> Tool:
    """The Python that the setting names, with its packages; else the one that runs this, in an environment of its own
    without any.

    What is on the PATH may be a shell script; and packages of the interpreter may have modules imported whenever it
    starts (`.pth`), which takes as much as most small programs.
    """
    if (named := settings.path("python")) is not None:
        return _named_python(named)
    base = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    version = ".".join(map(str, sys.version_info[:3]))
    return Tool("python", f"{sys.implementation.name} {version}", _bare(Path(base)), "runs forerun")


def _named_python(path: Path) -> Tool:
    """Raises UsageError for what is no Python."""
    ask = "import sys; print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])))"
    said = _said(str(path), ("-I", "-c", ask))
    if not re.fullmatch(r"\w+ \d+\.\d+\.\d+", said):
        why = f"{settings.SETTINGS['python'].variable}={path}: it does not answer as a Python does"
        raise UsageError("programs in python cannot run", why, "name one of an environment: DIR/bin/python")
    return Tool("python", said, str(path), "the setting `python`")


def _bare(python: Path) -> str:
    """An interpreter in an empty virtual environment, which lasts; itself where nothing can be written."""
    folder = settings.cache_folder().absolute() / "python" / hashlib.sha256(bytes(python)).hexdigest()[:12]
    found = folder / "bin" / python.name
    about = f"home = {python.parent}\ninclude-system-site-packages = false\n"
    try:
        write_atomically(folder / "pyvenv.cfg", about.encode("utf-8", "surrogateescape"))
        found.parent.mkdir(exist_ok=True)
        if not found.exists():
            found.unlink(missing_ok=True)  # a link to what is gone
            with contextlib.suppress(FileExistsError):  # another process was faster
                found.symlink_to(python)
    except (ForerunError, OSError):
        return str(python)
    return str(found)


def _on_path(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if "*" not in name:
            yield from filter(None, [shutil.which(name)])
            continue
        folders = [Path(folder) for folder in os.get_exec_path() if Path(folder).is_dir()]
        versions = re.compile(re.escape(name).replace(r"\*", r"\d[\d.]*"))
        found = [file for folder in folders for file in folder.glob(name) if versions.fullmatch(file.name)]
        yield from map(
            str, sorted(found, key=lambda file: [int(n) for n in re.findall(r"\d+", file.name)], reverse=True)
        )


def _version(path: str, row: Language) -> str:
    """The first number with a point in what the tool says; some say it on standard error, or fail in passing."""
    found = re.search(r"\d+\.\d[\d.]*", _said(path, row.ask, row.say))
    return found[0].rstrip(".") if found else ""


def _said(path: str, words: Sequence[str], say: str = "") -> str:
    """What a tool says, on either stream; nothing where it does not run."""
    try:
        run = subprocess.run(
            [path, *words], input=say, capture_output=True, encoding="utf-8", timeout=20, errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{run.stdout}\n{run.stderr}".strip()


def version_class(tool: Tool) -> str:
    """Name and version as far as it matters for cost: `gcc 12`, `cpython 3.11`, `node 20`."""
    name, _, version = tool.version.rpartition(" ")
    numbers = version.split(".")
    return f"{name} {numbers[0]}" if int(numbers[0]) >= 10 else f"{name} {'.'.join(numbers[:2])}"
