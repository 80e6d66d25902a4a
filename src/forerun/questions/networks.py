"""A network of PyTorch, `module.py:factory`, as the kernels that its compiler makes of it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forerun import factories
from forerun.core import Metric
from forerun.errors import InputError, UsageError, meant
from forerun.models.encoder_decoder.card import Card, Kind
from forerun.questions.kinds import device_of, of_kernels
from forerun.questions.options import Options
from forerun.questions.question import Question
from forerun.tasks import kernels
from forerun.toolchains.inductor.kernel import CPP, TRITON, Kernel
from forerun.toolchains.inductor.target import compiler, here, prompted

_REGISTERS = 512
"""Bits, of the processors of x86-64 whose kernels were measured: for others Inductor writes others."""


def kernels_of(path: Path, function: str, card: Card, options: Options) -> list[Question]:
    """What PyTorch's compiler makes of a network for the device that is asked about, each kernel for itself. Raises
    InputError, UsageError, ToolMissing."""
    name = f"{path}:{function}"
    known = [kind for kind in card.kinds if of_kernels(kind)]
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
        device, strange = device_of(kind, card, options.device or kind.where)
        notes += strange
        for label, kernel in made[kind.base, kind.where]:
            source = kernels.source(kernel, kind.where, f"{name}/{label}")
            text = kernels.question(Metric(kind.metric, kind.unit), kind.language, device, source)
            found.append(Question(source.name, kind, device, text, strange=bool(strange)))
    notes.append(
        f"{name}: what PyTorch leaves to libraries (most products and convolutions) is not among these kernels"
    )
    return [replace(found[0], notes=tuple(notes)), *found[1:]]


def _there(kind: Kind, device: str) -> bool:
    """Whether it is about the device that is asked about."""
    return kind.where.casefold() == device.casefold()


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
