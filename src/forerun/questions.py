"""What is asked of a file: which metrics fit it, on which device, in the words that a model was trained on.

A program is asked about as text, a network (ONNX) as the text of its graph, LLVM IR as a module; C and C++ as both a
program and the module that clang makes of it. A network of PyTorch, `module.py:factory`, is asked about as the kernels
that its compiler makes.
"""

from __future__ import annotations

import codecs
import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forerun import factories
from forerun.core import Metric, Source
from forerun.corpora.programs import incomplete
from forerun.errors import ForerunError, InputError, ToolMissing, UsageError, meant
from forerun.models.encoder_decoder.card import Card, Kind
from forerun.prompts import parts
from forerun.tasks import _graphs, _programs, kernels, size
from forerun.tasks._counters import reads_sizes
from forerun.tasks._endless import counted, endless
from forerun.tasks._footprint import asked
from forerun.tasks._packages import foreign
from forerun.tasks._parsing import broken
from forerun.tasks.accuracy import ACCURACY
from forerun.toolchains.inductor.kernel import CPP, TRITON, Kernel
from forerun.toolchains.inductor.target import compiler, here, prompted
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.target import LEVELS, Target
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.process.languages import LANGUAGES, of_file

MOST_BYTES = 1 << 20
"""Of a text: a model reads thousands of tokens; to count and cut those of a megabyte takes 1.6 s and 250 MB."""

_CONTROLS = bytes({*range(32), 127} - set(b"\a\b\t\n\v\f\r\x1a\x1b"))
"""Characters that a text has no use for."""
_MOST_CONTROLS = 0.01
"""Their share of a text: of 23,000 programs none has a thousandth, of machine code and images they are a tenth."""

_LLVM, _ONNX, _TEXT = "llvm", _graphs.LANGUAGE, "text"
_SIZES = "zs1230"
"""Levels of compilers, the smallest code first."""
_COMPILED = ("c", "c++")
"""Languages that clang makes a module of."""
_SUFFIXES = {".ll": _LLVM, ".bc": _LLVM, ".onnx": _ONNX, ".s": "assembly", ".asm": "assembly"}
_NEAR = {
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh"), "c++"),
    **dict.fromkeys((".ts", ".tsx", ".jsx", ".cjs"), "javascript"),
    ".pyi": "python",
    ".pyx": "python",
}
"""Suffixes of other files, and the language that they look most like."""
_TASKS = {"size": "text"}
"""Tasks whose metric has another name than they."""

_SOME = 3
"""Packages that are named."""
_TRITON = re.compile(r"^@(?:triton\.)?(?:jit|autotune)\b", re.MULTILINE)
"""How a kernel of Triton begins."""
_REGISTERS = 512
"""Bits, of the processors of x86-64 whose kernels were measured: for others Inductor writes others."""

What = str | os.PathLike[str] | Source


@dataclass(frozen=True, slots=True)
class Options:
    """What to ask. Empty fields are filled from what the file is and what the model was trained on.

    `flags` are the compiler's, of C and C++ whose `size` is asked for; `stdin` is what a program reads; `sizes` are
    those that an ONNX model leaves open.
    """

    metrics: tuple[str, ...] = ()
    device: str = ""
    language: str = ""
    flags: tuple[str, ...] = ()
    stdin: bytes = b""
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """One number to be predicted: the prompt, and what it was made from."""

    name: str
    kind: Kind
    device: str
    prompt: str = field(repr=False)
    notes: tuple[str, ...] = ()
    strange: bool = False
    """Whether it is known to be unlike all that was learned from: another device, a program that does not end."""
    sizes: tuple[str, ...] = ()
    """Those that a network left open."""
    asks: float = 0.0
    """What its text asks for, in the unit; without end where nothing ends it; 0 where it does not tell."""
    counted: bool = False
    """Whether its loops say how often they go round, of what runs."""


def questions(what: What | File, card: Card, options: Options) -> list[Question]:
    """What is asked of one source. Raises InputError, UsageError, ToolMissing.

    Where no metric was named, one that this machine cannot ask about (a module without a compiler) is left out.
    """
    if isinstance(what, str) and (network := factories.named(what)):
        return _kernels(*network, card, options)
    own = {kind.language.partition(",")[0] for kind in card.kinds} - {""}
    file = what if isinstance(what, File) else _opened(what, options, own)
    found: list[Question] = []
    failures: list[ForerunError] = []
    for kinds in _chosen(file, card, options):
        try:
            found.append(_first_of(kinds, file, card, options))
        except (InputError, ToolMissing) as error:
            if options.metrics:
                raise
            failures.append(error)
    if not found:
        raise failures[0]
    notes, whole = _unused(file, found, card, options), True
    if why := broken(file.source.lang, file.source.text):
        notes.append(f"{file.source.name} does not parse ({why}): the answer is that of the program it looks like")
        whole = False
    runs = any(_ran(one.kind.metric) for one in found)
    if file.source.lang in LANGUAGES and (told := _suffix(file)) not in ("", file.source.lang):
        notes.append(f"{file.source.name} is called as {told} is, and read as {file.source.lang}")
        whole = False
    if any(_takes(one.kind) for one in found) and (loop := endless(file.source.lang, file.source.text)):
        why = f"nothing is seen that ends the loop in line {loop.line}" + (", which adds to something" * loop.grows)
        notes.append(f"{file.source.name}: {why}: the answer is that of programs that end")
        found = [_for_ever(one, loop.grows) if _takes(one.kind) else one for one in found]
    if runs and counted(file.source.lang, file.source.text):
        found = [replace(one, counted=_ran(one.kind.metric)) for one in found]
    if runs and (used := foreign(file.source.lang, file.source.text)):
        told = ", ".join(used[:_SOME]) + (f" and {len(used) - _SOME} more" if len(used) > _SOME else "")
        why = "nothing is known of what packages take: the answer is that of a program without them"
        notes.append(f"{file.source.name} uses {told}: {why}")
        whole = False
    if runs and not options.stdin and reads_sizes(file.source.lang, file.source.text):
        why = "how much it takes follows from what it reads, and no input was named (--stdin)"
        notes.append(f"{file.source.name}: {why}: the answer is that of usual programs")
    if file.source.lang == _LLVM and not re.search(r"^define\b", file.source.text, re.MULTILINE):
        notes.append(f"{file.source.name} defines no function: is it the whole module?")
        whole = False
    if file.source.lang == _ONNX and (others := _graphs.foreign(file.source.reference)):
        notes.append(f"{file.source.name}: nothing is known of what {', '.join(others)} costs: it counts as little")
    if file.source.lang == "python" and _TRITON.search(file.source.text):
        why = (
            "the answer is that of a Python program; of kernels name the network that launches them: module.py:factory"
        )
        notes.append(f"{file.source.name} defines kernels of Triton: {why}")
    if failures:
        notes.append(f"the metrics of its machine code are left out: {failures[0].what}: {failures[0].why}")
        whole = whole and not any(isinstance(failure, InputError) for failure in failures)  # no compiler takes it
    found[0] = replace(found[0], notes=(*found[0].notes, *notes), sizes=file.sizes)
    return found if whole else [replace(one, strange=True) for one in found]


def _suffix(file: File) -> str:
    """The language that a file is called after; nothing of C and C++, which share names."""
    own = of_file(Path(file.place)) if file.place else None
    return own.name if own and not {own.name, file.source.lang} <= {*_COMPILED} else ""


def check_sizes(asked: Sequence[Question], sizes: Mapping[str, int]) -> None:
    """Raises UsageError for a size that was named and that none of the networks leaves open."""
    networks = [question for question in asked if question.kind.base == _ONNX]
    there = dict.fromkeys(name for question in networks for name in question.sizes)
    if networks and (unknown := [name for name in sizes if name not in there]):
        why = f"sizes that are left open: {', '.join(there) or 'none'}"
        todo = "name one of them" if there else f"leave --size {unknown[0]}={sizes[unknown[0]]} out"
        raise UsageError(f"no network has an open size {unknown[0]!r}", why, todo)


def _first_of(kinds: Sequence[Kind], file: File, card: Card, options: Options) -> Question:
    """The first kind whose tools are here, with why others cannot be asked about. Raises what that one does."""
    notes: list[str] = []
    for kind in kinds[:-1]:
        try:
            found = _question(file, kind, card, options)
            return replace(found, notes=(*notes, *found.notes))
        except ToolMissing as error:
            notes.append(f"{kind.metric} is estimated from the text: {error.what}: {error.why}")
    found = _question(file, kinds[-1], card, options)
    return replace(found, notes=(*notes, *found.notes))


def _unused(file: File, found: Sequence[Question], card: Card, options: Options) -> list[str]:
    """The options that say nothing of such a file."""
    language, notes = file.source.lang, []
    answered = {question.kind.metric for question in found}
    if left := [word for word, metric in _named(options, card).items() if metric not in answered]:
        notes.append(f"{file.source.name}: of {language} the model knows no {' and no '.join(left)}")
    if options.sizes and language != _ONNX:
        notes.append(f"sizes are of ONNX models: they change nothing of {language}")
    if options.stdin and not any(_ran(question.kind.metric) for question in found):
        notes.append(f"standard input is of programs that run: it changes nothing of these metrics of {language}")
    if options.flags and not any(question.kind.metric in size.METRICS for question in found):
        notes.append(f"words for the compiler are of machine code: they change nothing of these metrics of {language}")
    return notes


@dataclass(slots=True)
class File:
    """A source, and where it lies: nowhere (empty) for standard input and for a text that the library was given."""

    source: Source
    place: str = ""
    compiled: Source | None = None
    sizes: tuple[str, ...] = ()
    """Those that a network leaves open."""

    @property
    def languages(self) -> tuple[str, ...]:
        """What it can be read as: itself, and for C and C++ the module that it compiles to."""
        own = self.source.lang
        return (own, _LLVM) if own in _COMPILED else (own,)

    def module(self, flags: Sequence[str]) -> Source:
        """LLVM IR as the front end hands it on. Raises InputError, ToolMissing."""
        if self.source.lang == _LLVM:
            return self.source
        if self.compiled is None:
            data = self.source.text.encode("utf-8", "surrogateescape")
            self.compiled = _module(self.source.name, data, flags, self.place, self.source.lang)
        return self.compiled


def _opened(what: What, options: Options, languages: Iterable[str]) -> File:
    if isinstance(what, Source):
        if not what.text.strip():
            raise _empty(what.name)
        if what.lang == _LLVM and not what.target:
            return File(_module(what.name, what.text.encode("utf-8", "surrogateescape"), options.flags, ""))
        return File(replace(what, reference=options.stdin) if options.stdin and what.lang in LANGUAGES else what)
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
    place = "" if data is not None else path
    try:
        language = (
            _LLVM
            if not options.language and data and clang.looks_like_ir(data)
            else language_of(path, options.language, languages)
        )
    except UsageError:
        if data is None:
            _check(path, content(path))  # of what is no text no language would help
        raise
    if language == _ONNX:
        model = proto.load(Path(path)) if data is None else proto.parse(data, path)
        left = tuple(proto.symbols(model))
        fixed = proto.fix(model, {name: size for name, size in options.sizes.items() if name in left})
        proto.check_sizes(fixed, path, [name for name in options.sizes if name not in left])
        return File(_graphs.carried(fixed, "", path), place, sizes=left)
    data = (content(path) if data is None else data).removeprefix(codecs.BOM_UTF8)
    _check(path, data)
    if language == _LLVM:
        return File(_module(path, data, options.flags, place), place)
    return File(Source(data.decode("utf-8", "surrogateescape"), language, path, reference=options.stdin), place)


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

    As answers name it (`c, gcc 12 -O2`) it has a tool behind, and a module that C was compiled to is of C.
    """
    named, _, tool = (part.strip() for part in named.partition(","))
    if tool and named == _LLVM and (own := of_file(Path(path))) and own.name in _COMPILED:
        return own.name
    if named.lower() in LANGUAGES:
        return named.lower()
    suffix = f".{named.lower()}" if named else Path(path).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if (known := of_file(Path(f"x{suffix}"))) or named:
        return known.name if known else named.lower()
    bare = f"{'standard input' if path == '-' else 'it'} has no suffix"
    why = f"the suffix {suffix!r} is not known" if suffix else bare
    near = _NEAR.get(suffix)
    todo = f"say it: --language {near or 'NAME'}" + (
        "" if near else f", one of {', '.join(sorted(languages) or (*LANGUAGES, _LLVM, _ONNX))}"
    )
    raise UsageError(f"cannot tell the language of {path}", why, todo)


def content(path: str) -> bytes:
    """What a file holds, or a little more than `MOST_BYTES` of it. Raises InputError."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1) if file.seekable() else file.read()
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        why = getattr(error, "strerror", "") or str(error)
        raise InputError(f"cannot read {path}", why, "name a file that can be read") from error


def _module(path: str, data: bytes, flags: Sequence[str], place: str, language: str = "ir") -> Source:
    """IR as a front end hands it on, and how it is emitted. Without clang the text of IR is taken as it is."""
    try:
        words, stdin = ([*flags], None) if place else ([*flags, "-x", language], data)
        command = _command(path, place or "-", words, stdin)
        return Source(clang.front_end(command).text, _LLVM, path, str(clang.target(command)))
    except ToolMissing:
        if language != "ir" or data.startswith(clang.BITCODE):
            raise
    except InputError as error:
        if language != "ir":
            raise
        todo = "write it again; of a newer LLVM: FORERUN_LLVM=N, the version that wrote it"
        raise InputError(error.what, error.why, todo) from error
    text = data.decode("utf-8", "surrogateescape")
    triple = re.search(r'^target triple = "([^"\s]+)"', text, re.MULTILINE)
    return Source(text, _LLVM, path, str(Target(triple[1] if triple else "x86_64-pc-linux-gnu", _level(flags))))


def _command(path: str, place: str, words: Sequence[str], stdin: bytes | None) -> clang.Command:
    from forerun import improve  # and the store: only who compiles needs them

    _level(words)
    try:
        return improve.command_for(place, None, words, stdin)
    except UsageError as error:
        why = "nothing is written" if any(word.startswith("-o") for word in words) else error.why
        raise UsageError(f"{path}: its size with these flags cannot be predicted", why, "leave that out") from error


def _chosen(file: File, card: Card, options: Options) -> list[list[Kind]]:
    """The kinds of question to ask of a file, for each metric one, and others for where that cannot be asked."""
    language, name = file.source.lang, file.source.name
    fitting = [kind for kind in card.kinds if kind.base in file.languages and not _kernel(kind)]
    if not fitting:
        why = f"it was trained on: {', '.join(dict.fromkeys(kind.base for kind in card.kinds))}"
        todo = "name another --model, or train one on such files: forerun train --help"
        if near := meant(language, [kind.base for kind in card.kinds], 0.7, show="--language {}".format):
            todo = near
        elif any(kind.base == _TEXT for kind in card.kinds):
            todo = "its table named no language: add --language text"
        raise UsageError(f"{name}: the model knows nothing of {language}", why, todo)
    if "," in options.language:
        fitting = _with_tool(name, fitting, options.language)
    there = [metric for metric in card.metrics if any(kind.metric == metric for kind in fitting)]
    named = _named(options, card)
    unknown = [word for word, metric in named.items() if metric not in there]
    if none := [word for word in unknown if len(unknown) == len(named) or named[word] not in card.metrics]:
        why = f"of {language} it knows: {', '.join(there)}"
        raise UsageError(f"{name}: the model knows no metric {none[0]!r}", why, "name one of them, or another --model")
    asked = (
        list(dict.fromkeys(metric for word, metric in named.items() if word not in unknown))
        or [m for m in there if m != ACCURACY.name and not (_ran(m) and _part(file.source))]
        or there
    )
    return [_ordered([kind for kind in fitting if kind.metric == metric], language, options.device) for metric in asked]


def _named(options: Options, card: Card) -> dict[str, str]:
    """The metrics that were asked for, by the words for them."""
    return {word: word if word in card.metrics else _TASKS.get(word, word) for word in options.metrics}


def _kernels(path: Path, function: str, card: Card, options: Options) -> list[Question]:
    """What PyTorch's compiler makes of a network for the device that is asked about, each kernel for itself. Raises
    InputError, UsageError, ToolMissing."""
    name = f"{path}:{function}"
    known = [kind for kind in card.kinds if _kernel(kind)]
    if not known:
        todo = (
            "export it to ONNX and name that file, or name another --model: forerun collect kernels makes rows for one"
        )
        raise UsageError(f"{name}: the model knows no kernels of PyTorch's compiler", "none were learned from", todo)
    there = dict.fromkeys(kind.metric for kind in known)
    if unknown := [metric for metric in options.metrics if metric not in there]:
        why = f"of a network's kernels it knows: {', '.join(there)}"
        raise UsageError(f"{name}: the model knows no metric {unknown[0]!r}", why, "name one of them")
    options = replace(options, device=_measured(name, options.device, known))
    asked, found, notes = list[Kind](), list[Question](), list[str]()
    for metric in options.metrics or there:
        own = [kind for kind in known if kind.metric == metric]
        asked.append(max(own, key=lambda kind: (_there(kind, options.device), kind.base == CPP, kind.rows)))
    places = dict.fromkeys((kind.base, kind.where) for kind in asked)
    made = dict[tuple[str, str], list[tuple[str, Kernel]]]()
    for place in places:
        made[place], apart = _captured(path, function, *place)
        if apart:
            told = f"PyTorch compiles it in parts, as for inputs that are zero: {apart[0].rstrip('.')}"
            notes.append(f"{name}: {told}")
    for kind in asked:
        device, strange = _device(kind, card, options.device or kind.where)
        notes += strange
        for label, kernel in made[kind.base, kind.where]:
            source = kernels.source(kernel, kind.where, f"{name}/{label}")
            text = kernels.question(Metric(kind.metric, kind.unit), kind.language, device, source)
            found.append(Question(source.name, kind, device, text, strange=bool(strange)))
    notes.append(
        f"{name}: what PyTorch leaves to libraries (most products and convolutions) is not among these kernels"
    )
    return [replace(found[0], notes=tuple(notes)), *found[1:]]


def _measured(name: str, device: str, known: Sequence[Kind]) -> str:
    """The device that is named, or the only one whose name has these words: kernels are written for one device, and no
    others' tell how long they take. Raises UsageError for one where none was measured."""
    places = list(dict.fromkeys(kind.where for kind in known))
    words = device.casefold()
    if not device or any(place.casefold() == words for place in places):
        return device
    if len(found := [place for place in places if words in place.casefold()]) == 1:
        return found[0]
    todo = meant(device, places, 0.6) or f"name one of these: {', '.join(map(repr, places))}"
    raise UsageError(f"{name}: the model knows no kernels of {device!r}", "none were measured there", todo)


def _captured(path: Path, function: str, language: str, where: str) -> tuple[list[tuple[str, Kernel]], list[str]]:
    """The kernels of a network in a language, for where they are to run, and what to call them; and why it is not
    compiled as a whole, if it is not."""
    compiler()
    from forerun.toolchains.inductor.absent import KNOWN
    from forerun.toolchains.inductor.capture import breaks, materialised, named

    network, inputs = factories.made(path, function)
    if not callable(getattr(network, "train", None)):
        todo = f"make `{function}()` return a torch.nn.Module and a tuple of example tensors"
        raise InputError(f"{path}:{function} returns no network", f"it is a {type(network).__name__}", todo)
    wide, gpu = 0, KNOWN.get(where) if language == TRITON else None
    if language == TRITON and gpu is None:
        here("cuda")
        network, inputs = network.cuda(), tuple(one.cuda() for one in inputs)
    elif language == CPP:
        network, inputs = materialised(network, inputs)
    if language == CPP and platform.machine() == "x86_64" and where != prompted(here(), CPP):
        wide = _REGISTERS
    todo = "run it in PyTorch without forerun: torch.compile(network)(*inputs)"
    what, how = f"PyTorch cannot compile {path}:{function}", (False, wide, gpu)
    made = factories.guarded(what, todo, named, network, [inputs], *how)
    apart = breaks()
    if not made:
        why = f"PyTorch does not compile it: {apart[0]}" if apart else "all that it does is left to libraries"
        raise InputError(f"{path}:{function} has no kernels of its own", why, "export it to ONNX and name that file")
    labels = [label for label, _ in made]
    told = [
        (label if labels.count(label) == 1 else f"{label}, launch {labels[: i + 1].count(label)}", kernel)
        for i, (label, kernel) in enumerate(made)
    ]
    return told, apart


def _with_tool(name: str, kinds: Sequence[Kind], named: str) -> list[Kind]:
    """Those of a language with its tool, as answers name it. Raises UsageError."""
    asked = ", ".join(part.strip() for part in named.split(",")).lower()
    if "inductor" in asked:
        why = "kernels are asked about with what they are launched on"
        raise UsageError(f"{name} is taken for a program", why, "name the network that they are of: module.py:factory")
    if fitting := [kind for kind in kinds if kind.language.lower() == asked]:
        return fitting
    why = f"it knows: {'; '.join(dict.fromkeys(kind.language for kind in kinds))}"
    todo = f"name one of them, or no tool: --language {asked.partition(',')[0]}"
    raise UsageError(f"{name}: the model knows nothing of {named}", why, todo)


def _there(kind: Kind, device: str) -> bool:
    """Whether it is about the device that is asked about."""
    return kind.where.casefold() == device.casefold()


def _kernel(kind: Kind) -> bool:
    """Whether it is about kernels of PyTorch's compiler: a program in their language is none."""
    return "inductor" in kind.language


def _ordered(kinds: Sequence[Kind], language: str, device: str) -> list[Kind]:
    """One kind of each form of input, the device that was asked for before others, then the most rows.

    Machine code is asked about by the module that a file compiles to, then by its text; all else by its text.
    """
    own = sorted(kinds, key=lambda kind: (kind.where == device != "", kind.rows), reverse=True)
    first = _LLVM if own[0].metric in size.METRICS else language
    best = {kind.base: kind for kind in reversed(own)}
    return sorted(best.values(), key=lambda kind: kind.base != first)


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is better: all are costs but one."""
    return metric != ACCURACY.name


def _ran(metric: str) -> bool:
    return metric in _programs.METRICS


def _takes(kind: Kind) -> bool:
    """Whether it is time or memory that a program takes, whatever a user's table calls it."""
    return _ran(kind.metric) or (kind.base in LANGUAGES and kind.unit in ("s", "B") and kind.metric not in size.METRICS)


def _for_ever(question: Question, grows: bool) -> Question:
    """Of a program that nothing ends, and that may hold more and more."""
    unbounded = grows or question.kind.unit == "s"
    return replace(question, strange=True, asks=math.inf if unbounded else question.asks)


def _asked(prompt: str, kind: Kind) -> float:
    """Bytes that sizes in a program's text ask for, where bytes are asked about."""
    held = _ran(kind.metric) and kind.unit == "B"
    return asked(kind.base, parts(prompt).counters.get("elements", 0.0)) if held else 0.0


def _part(source: Source) -> str:
    """Why it is no whole program, if it is none."""
    language = LANGUAGES.get(source.lang)
    return incomplete(language, source.text) if language else ""


def _question(file: File, kind: Kind, card: Card, options: Options) -> Question:
    module = file.module(options.flags) if kind.base == _LLVM else None
    device = options.device or (Target.parse(module.target).triple if module else kind.where)
    device, notes = _device(kind, card, device)
    strange = bool(notes)
    if not device and options.device:
        why = f"the model knows no devices, and answers for where its rows were measured, not for {options.device}"
        notes.append(f"{kind.metric}: {why}: leave --device out, or train one on rows with --device")
    if _ran(kind.metric) and (why := _part(file.source)):
        notes.append(f"{kind.metric} is of whole programs: {why}")
    level = asked = ""
    if kind.metric in size.METRICS:
        asked = Target.parse(module.target).level if module else _level(options.flags)
        level = _learned(asked, kind)
        if level != asked:
            notes.append(f"no size at -O{asked} was learned from: the answer is that of -O{level}")
        elif not any(flag.startswith("-O") for flag in options.flags):
            notes.append(f"the size is that of -O{level}: no level was named")
    prompt = _prompt(module or file.source, kind, device, level)
    strange = strange or level != asked
    return Question(file.source.name, kind, device, prompt, tuple(notes), strange, asks=_asked(prompt, kind))


def _device(kind: Kind, card: Card, named: str) -> tuple[str, list[str]]:
    """The device as the model spells it, none where it knows none; and why it does not know that one, if so."""
    like = [one for one in card.kinds if one.metric == kind.metric and _kernel(one) == _kernel(kind)]
    known = list(dict.fromkeys(one.where for one in like))
    device = next((one for one in known if one.casefold() == named.casefold()), named) if any(known) else ""
    if device in known:
        own = list(dict.fromkeys(one.where for one in like if one.base == kind.base))
        if device in own:
            return device, []
        others = ", ".join(dict.fromkeys(one.base for one in like if one.where == device))
        why = f"nothing in {kind.base} was measured on {device!r}, only in {others}"
        return device, [f"{kind.metric}: {why}: the answer is that of {', '.join(filter(None, own)) or 'others'}"]
    those = meant(device, known, 0.8) or f"it knows: {', '.join(filter(None, known))}"
    return device, [f"{kind.metric}: the model has seen no device {device!r}; {those}"]


def _learned(level: str, kind: Kind) -> str:
    """The level whose sizes were learned that makes code most like the one that is asked for, of two the smaller."""
    if level in kind.levels or not kind.levels:
        return level
    return min(sorted(kind.levels, key=_SIZES.index), key=lambda one: abs(_SIZES.index(one) - _SIZES.index(level)))


def _level(flags: Sequence[str]) -> str:
    """The last one that is named, as clang reads it; z where there is none. Raises UsageError, for -O0 too: no object
    of it was learned from."""
    named = next((flag.removeprefix("-O") for flag in reversed(flags) if flag.startswith("-O")), "z")
    level = {"": "1", "g": "1", "fast": "3", "4": "3"}.get(named, named)
    known = [one for one in LEVELS if one != "0"]
    if level not in known:
        why = f"levels: {', '.join(f'-O{one}' for one in known)}"
        raise UsageError(f"-O{named} is no level that a model knows", why, "name one of them behind --")
    return level


def _prompt(source: Source, kind: Kind, device: str, level: str) -> str:
    """In the very words of training: each kind of input has one place that spells its question."""
    metric, tool = Metric(kind.metric, kind.unit), kind.language.partition(", ")[2]
    if kind.metric in size.METRICS:
        cpu = ("--mcpu=x86-64",) if device.startswith("x86_64-") else ()
        target = Target(device, level, ("--relocation-model=pic", *cpu))  # as clang emits without further words
        if kind.base == _LLVM:
            target = replace(Target.parse(source.target), triple=device, level=level)
        return size.question(metric, replace(source, target=str(target)), "", int(tool.rpartition(" ")[2] or 0))
    lines = dict(kind.notes) | ({"data": device} if "data" in kind.notes else {})
    notes, device = [f"{name} {text}" for name, text in lines.items()], kind.device if "data" in lines else device
    if kind.base == _ONNX:
        return _graphs.question(metric, device, source.text, _graphs.counted(source.reference), tool, notes)
    return _programs.question(metric, kind.language, device, source.text, notes, source.reference)
