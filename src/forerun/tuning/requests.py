"""What a user may ask to tune: a network of ONNX or PyTorch, or one program."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from forerun import factories
from forerun.core import Source
from forerun.corpora import tensor_networks, workloads
from forerun.errors import InputError, UsageError, meant, reason
from forerun.sandbox import Pool
from forerun.tasks._parsing import broken
from forerun.toolchains.tvm import database, extract, frontends, network
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.device import Place, opened
from forerun.toolchains.tvm.space import parsed

Shapes = Mapping[str, Sequence[int]]
"""The shape of an input, by its name."""

_PROGRAMS = (".py", ".tir")
_FILES = (".onnx", ".pt2", *_PROGRAMS)
_WEIGHTS = (".pt", ".pth", ".ckpt", ".safetensors")
_IMPORTS = re.compile(r"^(?:from|import) tvm\b.*$", re.MULTILINE)
"""Of a Python file that runs: the parser of texts knows these names, and takes no imports."""
_PLAIN = re.compile(r"@T\.prim_func(?:\(\))?(?=\s*$)", re.MULTILINE)
"""TVM 0.27 takes a function with blocks only where this says so, which texts for earlier versions do not."""
_ALONE = "tirx.noalias"
"""Says that no two buffers overlap, without which LLVM vectorises little; `tune_tir` sets it, too."""
_HEADS = re.compile(r"^(?=@T\.prim_func\b)", re.MULTILINE)
_FUNCTIONS = re.compile(r"^def (\w+)\(", re.MULTILINE)
_NAMED = 5
"""Functions of a file that are named, at most."""
_EXAMPLES = "for example: net.onnx, module.py:factory, net.pt2, resnet18-1x224, kernel.py, workloads.jsonl.gz:name"
_READ = (
    "run the network once without forerun; if that works, try --layout given, and report this to this project with the"
    " file"
)


Inputs = Sequence[Any] | Mapping[str, Any]
"""Tensors that a module reads, in order or by name."""
Finished = tuple[network.Comparison | None, bytes, str]
"""The comparison of a whole network, the library, and why there is none."""


class Request(Protocol):
    """What is to be tuned."""

    @property
    def name(self) -> str:
        """As people know it."""

    def programs(
        self, reader: Pool, place: Place, tell: Callable[[str, float], None]
    ) -> tuple[Sequence[extract.Extracted], dict[str, str]]:
        """What there is to tune, and what is left out, with the reasons. `tell` hears each stage of reading, and again
        the seconds that it has taken."""

    def finished(
        self, reader: Pool, place: Place, texts: dict[str, str], records: Sequence[database.Record], library: bool
    ) -> Finished:
        """Puts it together with the best of its programs."""


@contextmanager
def request(
    model: Any, inputs: Sequence[Any] | Mapping[str, Any] | None, shapes: Shapes, layout: str
) -> Iterator[Request]:
    """What `forerun.tune` was given. Raises InputError, UsageError, ToolMissing."""
    named = isinstance(model, str | os.PathLike)
    todo = "tune(module, inputs=(torch.randn(1, 3, 224, 224),))"
    if named and inputs is not None:
        raise UsageError("inputs belong to a torch.nn.Module", "a file brings its own", todo)
    if not named and not hasattr(model, "forward"):
        why = f"it is a {type(model).__name__}, neither a torch.nn.Module nor a name"
        raise UsageError("not something to tune", why, f"{_EXAMPLES}; or {todo}")
    if not named and inputs is None:
        raise UsageError(f"the inputs of {type(model).__name__} are missing", "it is run on them", todo)
    if shapes and not (named and Path(model).suffix == ".onnx"):
        raise UsageError("shapes belong to an .onnx file", "other networks have theirs", "leave them out")
    if named and (found := _named(os.fspath(model), shapes, layout)):
        yield found
        return
    name = type(model).__name__
    if named:
        name = os.fspath(model)
        model, inputs = _known(name)
    load()
    import torch

    if isinstance(inputs, Mapping):
        inputs = factories.in_order(name, model, inputs)
    given = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs or ())
    row = frontends.in_a_row(model) if isinstance(model, torch.nn.Module) else model
    program = frontends.exported(row, given)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.pt2"
        torch.export.save(program, path)
        yield _Network(name, network.Network(path, layout=layout, outputs=row.outputs))


def _beside(path: Path) -> list[str]:
    """Files that might be tuned, of the folder where one is looked for."""
    try:
        return [str(path.with_name(each.name)) for each in path.parent.iterdir() if each.suffix in _FILES]
    except OSError:
        return []


def _check(path: Path) -> None:
    """Raises UsageError for a folder and for weights alone, InputError where a file of a network is missing."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "a network is a file, a function or a name", f"name one: {_EXAMPLES}")
    if path.suffix in _WEIGHTS:
        todo = "name a function that makes it and loads them, module.py:factory; or export it: net.onnx, net.pt2"
        raise UsageError(f"not something to tune: {path}", "weights alone do not say what the network computes", todo)
    if path.suffix in _FILES and not path.is_file():
        todo = meant(str(path), _beside(path), 0.6, 3, str) or _EXAMPLES
        raise InputError(f"cannot read {path}", "there is no such file", todo)


def _named(text: str, shapes: Shapes, layout: str) -> Request | None:
    """What is in a file; None where it is none by its name."""
    path = Path(text)
    _check(path)
    if path.suffix == ".onnx":
        sizes = tuple((name, tuple(size)) for name, size in shapes.items())
        return _Network(path.name, network.Network(path, shapes=sizes, layout=layout))
    if path.suffix == ".pt2":
        return _Network(path.name, network.Network(path, layout=layout))
    if path.suffix in _PROGRAMS:
        return _file(path)
    if made := factories.named(text):
        if made[0].is_file() and (there := _functions(content := _content(made[0], "replace"))):
            if made[1] in there:
                return _file(*made)
            if made[1] not in _FUNCTIONS.findall(content):
                todo = meant(made[1], [*there], 0.5, 3, lambda each: f"{made[0]}:{each}")
                todo = todo or _one_of(made[0], there)
                raise UsageError(f"{made[0]} has no function {made[1]}", f"it holds {', '.join(there)}", todo)
        return _Network(text, network.Network(*made, layout=layout))
    place, _, name = text.rpartition(":")
    if place.endswith((".jsonl", ".jsonl.gz")) and name:
        return _line(Path(place), name)
    if text.endswith((".jsonl", ".jsonl.gz")):
        return _line(path, "")
    if path.suffix[1:].isalpha() or os.sep in text or ":" in text:  # in names of networks stand numbers behind a dot
        why = "its name says neither network nor program" if path.exists() else "there is no such file"
        raise UsageError(f"not something to tune: {text}", why, meant(text, _beside(path), 0.6, 3, str) or _EXAMPLES)
    return None


def _known(name: str) -> tuple[Any, Sequence[Any]]:
    """A network that is known by its name, with its inputs."""
    if name not in (known := tensor_networks.named()):
        todo = meant(name, [*known, *_beside(Path(name))], 0.5, 3, str) or _EXAMPLES
        raise UsageError(f"not something to tune: {name}", "there is no such file, and no such network", todo)
    return tensor_networks.networks()[name].made()


def _functions(text: str) -> dict[str, str]:
    """The tensor programs of a Python file, by their names."""
    return {found[1]: part for part in _HEADS.split(text)[1:] if (found := _FUNCTIONS.search(part))}


def _one_of(path: Path, names: Iterable[str]) -> str:
    """What to do where a function of a file is to be named."""
    return f"name it: {' or '.join(f'{path}:{each}' for each in names)}"


def _content(path: Path, errors: str = "strict") -> str:
    """A file's text. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8", errors=errors)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}", reason(error), _EXAMPLES) from error


def _file(path: Path, name: str = "") -> Request:
    text = _content(path)
    if path.suffix == ".py" and (why := broken("python", text)):
        raise InputError(f"{path} does not parse", why, "mend it; Python itself says more: python -m py_compile")
    if path.suffix == ".py" and len(there := _functions(text)) > 1:
        if not name:
            raise UsageError(f"which program of {path}?", f"it holds {', '.join(there)}", _one_of(path, there))
        text = there[name]
    if path.suffix == ".py" and "prim_func" not in text:
        why = "it has no T.prim_func; a network is named with the function that returns it and its inputs"
        names = _FUNCTIONS.findall(text)[:_NAMED] or ["factory"]
        raise InputError(f"{path} is no tensor program", why, _one_of(path, names))
    text = _IMPORTS.sub("", text)
    return _single(_PLAIN.sub("@T.prim_func(s_tir=True)", text), name or path.stem, str(path))


def _line(path: Path, name: str) -> Request:
    known = list[str]()
    for number, each in enumerate(workloads.read(path), 1):
        if name in (each.name, str(number)):
            return _single(each.text, each.name, f"{path}:{name}")
        known.append(each.name)
    todo = f"name one, or its line: {', '.join(f'{path}:{each}' for each in known[:3] or ['1'])}"
    if name:
        todo = meant(name, known, 0.5, 3, lambda each: f"{path}:{each}") or todo
        raise UsageError(f"{path} has no program {name}", "no line has that name", todo)
    raise UsageError(f"which program of {path}?", f"it holds {len(known):,}", todo)


def _single(text: str, name: str, place: str) -> Request:
    module = parsed(Source(text, workloads.LANGUAGE, place))
    module.update_func(module.get_global_var("main"), module["main"].with_attr(_ALONE, True))
    try:
        return _Program(extract.Extracted(name, extract.written(module), 1, extract.work(module)))
    except ValueError as error:
        todo = "give an unscheduled program of fixed sizes"
        raise InputError(f"{place} cannot be tuned", str(error), todo) from error


def _waiting(tell: Callable[[str, float], None], stage: str, since: float) -> None:
    tell(stage, time.monotonic() - since)


@dataclass(frozen=True, slots=True)
class _Network:
    name: str
    network: network.Network

    def programs(
        self, reader: Pool, place: Place, tell: Callable[[str, float], None]
    ) -> tuple[Sequence[extract.Extracted], dict[str, str]]:
        found: tuple[Sequence[extract.Extracted], dict[str, str]] = ((), {})
        for stage, step in network.STEPS.items():
            tell(stage, 0.0)
            waiting = partial(_waiting, tell, stage, time.monotonic())
            what = f"{stage} {self.name} failed"
            found = reader.call(step, self.network, place, what=what, todo=_READ, on_wait=waiting)
        return found

    def finished(
        self, reader: Pool, place: Place, texts: dict[str, str], records: Sequence[database.Record], library: bool
    ) -> Finished:
        asked, what = (self.network, place, texts, library), f"running {self.name} failed"
        comparison = reader.call(network.compared, *asked, what=what, todo=_READ)
        return comparison, comparison.library, comparison.no_library


@dataclass(frozen=True, slots=True)
class _Program:
    program: extract.Extracted

    @property
    def name(self) -> str:
        return self.program.name

    def programs(
        self, reader: Pool, place: Place, tell: Callable[[str, float], None]
    ) -> tuple[Sequence[extract.Extracted], dict[str, str]]:
        return [self.program], {}

    def finished(
        self, reader: Pool, place: Place, texts: dict[str, str], records: Sequence[database.Record], library: bool
    ) -> Finished:
        if not library:
            return None, b"", ""
        tuned = [record.program.scheduled(record.plan).mod for record in records]
        module = tuned[0] if tuned else parsed(Source(self.program.text, workloads.LANGUAGE, self.name))
        with opened(place, network.SESSION_S) as device:
            return None, *device.library(extract.built(module, targets.made(place.target)))
