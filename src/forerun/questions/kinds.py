"""Which kinds of question a model can be asked about a file, and which of them is the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forerun.corpora.programs import incomplete
from forerun.errors import UsageError, meant
from forerun.models.encoder_decoder.card import Card, Kind
from forerun.questions.files import LLVM, TEXT, File
from forerun.questions.options import Options
from forerun.tasks import _programs, size
from forerun.tasks.accuracy import ACCURACY
from forerun.toolchains.process.languages import LANGUAGES

_TASKS = {"size": "text"}
"""Tasks whose metric has another name than they."""
_SIZES = "zs1230"
"""Levels of compilers, the smallest code first."""


def chosen(file: File, card: Card, options: Options) -> list[list[Kind]]:
    """The kinds of question to ask of a file, for each metric one, and others for where that cannot be asked."""
    language, name = file.source.lang, file.source.name
    of_programs = [kind for kind in card.kinds if not of_kernels(kind)]
    fitting = [kind for kind in of_programs if kind.base in file.languages]
    if not fitting:
        if language in {kind.base for kind in card.kinds}:
            raise _of_kernels(name)
        known = dict.fromkeys(kind.base for kind in of_programs)
        why = f"it was trained on: {', '.join(known)}"
        todo = "name another --model, or train one on such files: forerun train --help"
        if near := meant(language, known, 0.7, show="--language {}".format):
            todo = near
        elif TEXT in known:
            todo = "its table named no language: add --language text"
        raise UsageError(f"{name}: the model knows nothing of {language}", why, todo)
    if "," in options.language:
        fitting = _with_tool(name, fitting, options.language)
    there = [metric for metric in card.metrics if any(kind.metric == metric for kind in fitting)]
    named = named_metrics(options, card)
    unknown = [word for word, metric in named.items() if metric not in there]
    if none := [word for word in unknown if len(unknown) == len(named) or named[word] not in card.metrics]:
        why = f"of {language} it knows: {', '.join(there)}"
        todo = meant(none[0], there, 0.7, show="--metric {}".format) or "name one of them, or another --model"
        raise UsageError(f"{name}: the model knows no metric {none[0]!r}", why, todo)
    asked = (
        list(dict.fromkeys(metric for word, metric in named.items() if word not in unknown))
        or [m for m in there if m != ACCURACY.name and not (ran(m) and part_of(file))]
        or there
    )
    return [_ordered([kind for kind in fitting if kind.metric == metric], language, options.device) for metric in asked]


def named_metrics(options: Options, card: Card) -> dict[str, str]:
    """The metrics that were asked for, by the words for them."""
    return {word: word if word in card.metrics else _TASKS.get(word, word) for word in options.metrics}


def _with_tool(name: str, kinds: Sequence[Kind], named: str) -> list[Kind]:
    """Those of a language with its tool, as answers name it. Raises UsageError."""
    asked = ", ".join(part.strip() for part in named.split(",")).lower()
    if "inductor" in asked:
        raise _of_kernels(name)
    if fitting := [kind for kind in kinds if kind.language.lower() == asked]:
        return fitting
    why = f"it knows: {'; '.join(dict.fromkeys(kind.language for kind in kinds))}"
    todo = f"name one of them, or no tool: --language {asked.partition(',')[0]}"
    raise UsageError(f"{name}: the model knows nothing of {named}", why, todo)


def _of_kernels(name: str) -> UsageError:
    why = "kernels are asked about with what they are launched on"
    todo = "name the network that they are of, module.py:factory; as a program, leave --language out"
    return UsageError(f"{name} is taken for a program", why, todo)


def of_kernels(kind: Kind) -> bool:
    """Whether it is about kernels of PyTorch's compiler: a program in their language is none."""
    return "inductor" in kind.language


def _ordered(kinds: Sequence[Kind], language: str, device: str) -> list[Kind]:
    """One kind of each form of input, the device that was asked for before others, then the most rows.

    Machine code is asked about by the module that a file compiles to, then by its text; all else by its text.
    """
    own = sorted(kinds, key=lambda kind: (kind.where == device != "", kind.rows), reverse=True)
    first = LLVM if own[0].metric in size.METRICS else language
    best = {kind.base: kind for kind in reversed(own)}
    return sorted(best.values(), key=lambda kind: kind.base != first)


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is better: all are costs but one."""
    return metric != ACCURACY.name


def ran(metric: str) -> bool:
    """Whether it is measured by running a program."""
    return metric in _programs.METRICS


def takes(kind: Kind) -> bool:
    """Whether it is time or memory that a program takes, whatever a user's table calls it."""
    return ran(kind.metric) or (kind.base in LANGUAGES and kind.unit in ("s", "B") and kind.metric not in size.METRICS)


def part_of(file: File) -> str:
    """Why it is no whole program, if it is none: files beside it that are read along belong to it."""
    language = LANGUAGES.get(file.source.lang)
    if language and file.whole.along and not file.whole.lost:
        language = replace(language, parts="")
    return incomplete(language, file.source.text) if language else ""


def device_of(kind: Kind, card: Card, named: str) -> tuple[str, list[str]]:
    """The device as the model spells it, none where it knows none; and why it does not know that one, if so."""
    like = [one for one in card.kinds if one.metric == kind.metric and of_kernels(one) == of_kernels(kind)]
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


def learned(level: str, kind: Kind) -> str:
    """The level whose sizes were learned that makes code most like the one that is asked for, of two the smaller."""
    if level in kind.levels or not kind.levels:
        return level
    return min(sorted(kind.levels, key=_SIZES.index), key=lambda one: abs(_SIZES.index(one) - _SIZES.index(level)))
