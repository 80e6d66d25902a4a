"""What lies in a file: its language, its text, the module that it compiles to; or why none can be read there."""

from __future__ import annotations

import codecs
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from forerun.core import Source
from forerun.errors import InputError, ToolMissing, UsageError, meant
from forerun.prompts import MOST_BYTES
from forerun.questions.options import Options, level_of
from forerun.tasks import _graphs
from forerun.tasks._beside import Files, beginning, found, told
from forerun.tasks._opened import asks
from forerun.tasks._several import Several, whole
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.target import Target
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.process.languages import LANGUAGES, OTHERS, of_file, spelled

MOST_GIVEN = 1 << 28
"""Of an input, in bytes."""
LLVM, ONNX, TEXT = "llvm", _graphs.LANGUAGE, "text"
COMPILED = ("c", "c++")
"""Languages that clang makes a module of."""

_CONTROLS = bytes({*range(32), 127} - set(b"\a\b\t\n\v\f\r\x1a\x1b"))
"""Characters that a text has no use for."""
_MOST_CONTROLS = 0.01
"""Their share of a text: of 23,000 programs none has a thousandth, of machine code and images they are a tenth."""
_NEAR = {
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh"), "c++"),
    **dict.fromkeys((".ts", ".tsx", ".jsx", ".cjs"), "javascript"),
    ".pyi": "python",
    ".pyx": "python",
}
"""Suffixes of other files, and the language that they look most like."""
_MOST_NEAR = 1000
"""Files among which the one that was meant is looked for."""
_NOTEBOOK = ".ipynb"
_OF_PYTORCH = (".pt2", ".pt", ".pth", ".ckpt", ".safetensors")
_TRIPLE = re.compile(r'^target triple = "([^"\s]+)"', re.MULTILINE)
_SHEBANG = re.compile(rb"#! *(?:\S*/env +(?:-S +)?)?(?:\S*/)?([a-z]+)")
"""How a script says which interpreter it is for."""

What = str | os.PathLike[str] | Source


@dataclass(slots=True)
class File:
    """A source, and where it lies: nowhere (empty) for standard input and for a text that the library was given."""

    source: Source
    place: str = ""
    compiled: Source | None = None
    written: str = ""
    """The text of LLVM IR as it was given, before the front end read it; nothing of bitcode."""
    sizes: tuple[str, ...] = ()
    """Those that a network leaves open."""
    whole: Several = field(default_factory=Several)
    """Of a program that lies somewhere what it is made of, with the files beside it."""
    beside: Files = field(default_factory=dict)
    """Files that a program may open, where it lies."""
    _files: str = ""

    @property
    def text(self) -> str:
        """All of it, with files beside it that it is made of."""
        return self.whole.text or self.source.text

    @property
    def files(self) -> str:
        """What these hold, in few words; nothing where one of them stands for the input."""
        if self.beside and not self._files and (self.source.lang == "python" or not self.source.reference):
            self._files = told(self.beside)
        return self._files

    @property
    def languages(self) -> tuple[str, ...]:
        """What it can be read as: itself, and for C and C++ the module that it compiles to."""
        own = self.source.lang
        return (own, LLVM) if own in COMPILED else (own,)

    def module(self, flags: Sequence[str]) -> Source:
        """LLVM IR as the front end hands it on. Raises InputError, ToolMissing."""
        if self.source.lang == LLVM:
            return self.source
        if self.compiled is None:
            data = self.source.text.encode("utf-8", "surrogateescape")
            self.compiled = _module(self.source.name, data, flags, self.place, self.source.lang)
        return self.compiled


def opened(what: What, options: Options, languages: Iterable[str]) -> File:
    """What the library was given. Raises InputError, UsageError, ToolMissing."""
    if isinstance(what, Source):
        if not what.text.strip():
            raise _empty("the source" if what.name == "-" else what.name)
        if what.lang == LLVM and not what.target:
            data = what.text.encode("utf-8", "surrogateescape")
            return File(_module(what.name, data, options.flags, ""), written=what.text)
        return File(replace(what, reference=options.read) if options.read and what.lang in LANGUAGES else what)
    if not isinstance(what, (str, os.PathLike)):
        why = "a source is a path, a forerun.Source, or a list of them"
        todo = "name a file: forerun.predict('a.py'), or give a text: forerun.Source(text, 'python')"
        raise UsageError(f"not a source: {what!r:.60}", why, todo)
    if not os.fspath(what):
        raise UsageError("not a source: ''", "it names no file", "name one: forerun.predict('a.py')")
    return read(os.fsdecode(what), options, languages=languages)


def read(path: str, options: Options, data: bytes | None = None, languages: Iterable[str] = ()) -> File:
    """What lies in a file, or `data` that came from standard input. Raises InputError, UsageError, ToolMissing.

    `languages` are those that a checkpoint knows, to be named where it cannot be told.
    """
    if data is None and Path(path).is_dir():
        raise InputError(f"{path} is a folder", "files are read one by one", f"name those in it: '{path}/*.py'")
    _check_kind(path)
    place = "" if data is not None else path
    try:
        language = _seen(path, options, data) or language_of(path, options.language, languages)
    except UsageError:
        if data is None:
            _check(path, content(path))  # of what is no text no language would help
        raise
    if language == ONNX:
        model = proto.load(Path(path)) if data is None else proto.parse(data, path)
        left = tuple(proto.symbols(model))
        fixed = proto.fix(model, {name: size for name, size in options.sizes.items() if name in left})
        proto.check_sizes(fixed, path, [name for name in options.sizes if name not in left])
        return File(_graphs.carried(fixed, "", path), place, sizes=left)
    data = (content(path) if data is None else data).removeprefix(codecs.BOM_UTF8)
    _check(path, data)
    if language == LLVM:
        written = "" if data.startswith(clang.BITCODE) else data.decode("utf-8", "surrogateescape")
        return File(_module(path, data, options.flags, place), place, written=written)
    source = Source(data.decode("utf-8", "surrogateescape"), language, path, reference=options.read)
    return _with_others(File(source, place), options)


def _with_others(file: File, options: Options) -> File:
    """With the files beside it that a program is made of, and those that it opens."""
    source, language = file.source, file.source.lang
    if not file.place or language not in LANGUAGES:
        return file
    file.whole = whole(language, source.text, file.place)
    beside = found(language, file.text, file.place)
    if language == "python":
        file.beside = beside
    elif beside and options.stdin is None and not asks(language, file.text):
        file.beside = beside
        if len(beside) == 1:
            (_, data), *_ = beside.values()  # whatever is read there is the input
            file.source = replace(source, reference=data or b"\n")
    return file


def _check_kind(path: str) -> None:
    """Raises InputError for files that hold what is asked about in another form."""
    suffix = Path(path).suffix.lower()
    if suffix == _NOTEBOOK:
        todo = f"convert it: jupyter nbconvert --to script {shlex.quote(path)}"
        raise InputError(f"{path} is a notebook", "its program stands in cells, beside what they gave", todo)
    if suffix in _OF_PYTORCH:
        todo = "export it with torch.onnx.export and name net.onnx, or name what makes it: module.py:factory"
        raise InputError(f"{path} is a file of PyTorch", "of networks ONNX and source code are read", todo)


def _seen(path: str, options: Options, data: bytes | None) -> str:
    """The language that a text without suffix tells by itself, where none was named; empty where it does not."""
    if options.language or Path(path).suffix:
        return ""
    if data is None:
        data = content(path)
    elif clang.looks_like_ir(data):
        return LLVM
    first = _SHEBANG.match(data)
    word = first[1].decode() if first else ""
    known = {tool.rstrip("*-.0123456789"): each.name for each in LANGUAGES.values() for tool in each.tools}
    return word if word in LANGUAGES else known.get(word, "")


def _check(path: str, data: bytes) -> None:
    if not data.strip():
        raise _empty(path)
    if len(data) > MOST_BYTES:
        why = f"a text may have {MOST_BYTES:,} bytes, and a model reads a few thousand words of it"
        raise InputError(f"{path} is too large", why, "name the part that matters, as a file of its own")
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if (b"\0" in data or controls > _MOST_CONTROLS * len(data)) and not data.startswith(clang.BITCODE):
        if path.endswith(".bc"):
            why = "it does not begin as bitcode does"
            raise InputError(f"{path} is no LLVM bitcode", why, "make it again: clang -c -emit-llvm")
        why = f"it holds {'a zero byte' if 0 in data else 'control characters'}, as binary files and UTF-16 do"
        todo = "name its source code, in UTF-8; of an ONNX model, --language onnx"
        raise InputError(f"{path} is no text", why, todo)


def _empty(name: str) -> InputError:
    return InputError(
        f"{'standard input' if name == '-' else name} is empty",
        "there is nothing to read",
        "name a file with a program in it",
    )


def language_of(path: str, named: str = "", languages: Iterable[str] = ()) -> str:
    """The language's name, given by a user (`c++`, `cpp`, `C++`) or by a suffix. Raises UsageError, which names those
    that may be given, or `languages`.

    As answers name it (`c, gcc 12 -O2`) it has a tool behind, and a module that C was compiled to is of C. Where
    texts of no language are all that is known, each is one.
    """
    if not named and {*languages} == {TEXT}:
        return TEXT
    named, _, tool = (part.strip() for part in named.partition(","))
    if tool and named == LLVM and (own := of_file(Path(path))) and own.name in COMPILED:
        return own.name
    if named:
        return spelled(named)
    suffix = Path(path).suffix.lower()
    if known := of_file(Path(f"x{suffix}")):
        return known.name
    if suffix in OTHERS:
        return OTHERS[suffix]
    bare = f"{'standard input' if path == '-' else 'it'} has no suffix"
    why = f"the suffix {suffix!r} is not known" if suffix else bare
    near = _NEAR.get(suffix)
    todo = f"say it: --language {near or 'NAME'}" + (
        "" if near else f", one of {', '.join(sorted(languages) or (*LANGUAGES, LLVM, ONNX))}"
    )
    raise UsageError(f"cannot tell the language of {path}", why, todo)


def content(path: str) -> bytes:
    """What a file holds, or a little more than `MOST_BYTES` of it. Raises InputError."""
    with _readable(path) as file:
        return file.read(MOST_BYTES + 1) if file.seekable() else file.read()


def given(path: str) -> bytes:
    """What programs read that are given a file. Raises InputError."""
    with _readable(path) as file:
        about = os.fstat(file.fileno())
        if stat.S_ISCHR(about.st_mode) and os.path.samestat(about, Path(os.devnull).stat()):
            return b""
        if stat.S_ISCHR(about.st_mode):
            raise InputError(f"{path} is no input", "it is a device, which may have no end", "name a file or a pipe")
        if stat.S_ISREG(about.st_mode):
            return beginning(file, about.st_size)
        data = file.read(MOST_GIVEN + 1)
    if len(data) > MOST_GIVEN:
        why, todo = f"an input may have {MOST_GIVEN:,} bytes", "name a part of it: what it holds is counted"
        raise InputError(f"{path} is too long", why, todo)
    return data


@contextmanager
def _readable(path: str) -> Iterator[BinaryIO]:
    """A file that is read. Raises InputError."""
    try:
        with Path(path).open("rb") as file:
            yield file
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = getattr(error, "strerror", "") or str(error)
        near = _near(path) if isinstance(error, FileNotFoundError) else ""
        raise InputError(f"cannot read {path}", why, near or "name a file that can be read") from error


def _near(path: str) -> str:
    """Which file of the same folder was meant, if one was."""
    folder = Path(path).parent
    try:
        there = [str(folder / each.name) for each in islice(folder.iterdir(), _MOST_NEAR) if each.is_file()]
    except OSError:
        return ""
    return meant(path, there, 0.8, show=str)


def called(file: File) -> str:
    """The language that a file is called after; nothing of C and C++, which share names."""
    own = of_file(Path(file.place)) if file.place else None
    return own.name if own and not {own.name, file.source.lang} <= {*COMPILED} else ""


def _module(path: str, data: bytes, flags: Sequence[str], place: str, language: str = "ir") -> Source:
    """IR as a front end hands it on, and how it is emitted. Without clang the text of IR is taken as it is."""
    try:
        words, stdin = ([*flags], None) if place else ([*flags, "-x", language], data)
        command = _command(path, place or "-", words, stdin)
        return Source(clang.front_end(command).text, LLVM, path, str(clang.target(command)))
    except ToolMissing:
        if language != "ir" or data.startswith(clang.BITCODE):
            raise
    except InputError as error:
        if language != "ir":
            raise
        todo = "write it again; of a newer LLVM: FORERUN_LLVM=N, the version that wrote it"
        raise InputError(error.what, error.why, todo) from error
    text = data.decode("utf-8", "surrogateescape")
    return Source(text, LLVM, path, str(Target(triple_in(text) or "x86_64-pc-linux-gnu", level_of(flags))))


def triple_in(text: str) -> str:
    """The machine that LLVM IR says it is for, if it does."""
    found = _TRIPLE.search(text)
    return found[1] if found else ""


def _command(path: str, place: str, words: Sequence[str], stdin: bytes | None) -> clang.Command:
    from forerun import improve  # and the store: only who compiles needs them

    level_of(words)
    try:
        return improve.command_for(place, None, words, stdin)
    except UsageError as error:
        why = "nothing is written" if any(word.startswith("-o") for word in words) else error.why
        raise UsageError(f"{path}: its size with these flags cannot be predicted", why, "leave that out") from error
