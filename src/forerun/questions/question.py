"""One question: the prompt, in the words that a model was trained on, and what it was made from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from forerun.core import Metric, Source
from forerun.models.encoder_decoder.card import Card, Kind
from forerun.prompts import parts
from forerun.questions.files import LLVM, ONNX, File, triple_in
from forerun.questions.kinds import device_of, learned, part_of, ran
from forerun.questions.options import Options, level_of
from forerun.tasks import _graphs, _programs, size
from forerun.tasks._footprint import asked
from forerun.toolchains.llvm.target import Target


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
    own: frozenset[str] = frozenset()
    """What its own files are called that are not told of as others are: itself, and what is not read."""
    reach: float = 0.0
    """How far its parts of unknown cost may take it, in the unit; 0 where there are none."""


def question_of(file: File, kind: Kind, card: Card, options: Options) -> Question:
    """A question of this kind about a file. Raises InputError, UsageError, ToolMissing."""
    module = file.module(options.flags) if kind.base == LLVM else None
    device = options.device or (Target.parse(module.target).triple if module else kind.where)
    device, notes = device_of(kind, card, device)
    strange = bool(notes)
    if not device and options.device:
        why = f"the model knows no devices, and answers for where its rows were measured, not for {options.device}"
        notes.append(f"{kind.metric}: {why}: leave --device out, or train one on rows with --device")
    if ran(kind.metric) and (why := part_of(file)):
        notes.append(f"{kind.metric} is of whole programs: {why}")
    level = asked = ""
    if kind.metric in size.METRICS:
        asked = Target.parse(module.target).level if module else level_of(options.flags)
        level = learned(asked, kind)
        if level != asked:
            notes.append(f"no size at -O{asked} was learned from: the answer is that of -O{level}")
        elif not any(flag.startswith("-O") for flag in options.flags):
            notes.append(f"the size is that of -O{level}: no level was named")
        if (meant := triple_in(file.written)) and _processor(meant) != _processor(device):
            how = f"as clang makes it here; of its own: -- --target={meant}"
            notes.append(f"{file.source.name} is for {meant}, and the answer is that of {device}, {how}")
            strange = True
    runs = ran(kind.metric) and module is None
    source = replace(file.source, text=file.text) if runs else module or file.source
    if module and file.written and kind.metric not in size.METRICS:
        source = replace(module, text=file.written)  # a table's rows are learned from as they are written
    prompt = _prompt(source, kind, device, level, file.files if runs else "")
    strange = strange or level != asked
    own = file.whole.names | ({Path(file.place).stem} if file.place else frozenset())
    return Question(file.source.name, kind, device, prompt, tuple(notes), strange, asks=_asked(prompt, kind), own=own)


def _processor(triple: str) -> str:
    """The first part of a triple, as LLVM spells it."""
    first = triple.partition("-")[0]
    return {"arm64": "aarch64", "amd64": "x86_64"}.get(first, first)


def _asked(prompt: str, kind: Kind) -> float:
    """Bytes that sizes in a program's text ask for, where bytes are asked about."""
    held = ran(kind.metric) and kind.unit == "B"
    return asked(kind.base, parts(prompt).counters.get("elements", 0.0)) if held else 0.0


def _prompt(source: Source, kind: Kind, device: str, level: str, files: str = "") -> str:
    """In the very words of training: each kind of input has one place that spells its question."""
    metric, tool = Metric(kind.metric, kind.unit), kind.language.partition(", ")[2]
    if kind.metric in size.METRICS:
        cpu = ("--mcpu=x86-64",) if device.startswith("x86_64-") else ()
        target = Target(device, level, ("--relocation-model=pic", *cpu))  # as clang emits without further words
        if kind.base == LLVM:
            target = replace(Target.parse(source.target), triple=device, level=level)
        return size.question(metric, replace(source, target=str(target)), "", int(tool.rpartition(" ")[2] or 0))
    lines = dict(kind.notes) | ({"data": device} if "data" in kind.notes else {})
    notes, device = [f"{name} {text}" for name, text in lines.items()], kind.device if "data" in lines else device
    if kind.base == ONNX:
        return _graphs.question(metric, device, source.text, _graphs.counted(source.reference), tool, notes)
    return _programs.question(metric, kind.language, device, source.text, notes, source.reference, files)
