"""What is asked of a file: which metrics fit it, on which device, in the words that a model was trained on.

A program is asked about as text, a network (ONNX) as the text of its graph, LLVM IR as a module; C and C++ as both a
program and the module that clang makes of it. A network of PyTorch, `module.py:factory`, is asked about as the kernels
that its compiler makes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from forerun import factories
from forerun.errors import ForerunError, InputError, ToolMissing, UsageError
from forerun.models.encoder_decoder.card import Card, Kind
from forerun.questions import remarks
from forerun.questions.files import ONNX, File, What, content, given, language_of, opened, read
from forerun.questions.kinds import chosen, lower_is_better, named_metrics, ran, takes
from forerun.questions.networks import kernels_of
from forerun.questions.options import Options
from forerun.questions.question import Question, question_of
from forerun.tasks import size
from forerun.tasks._endless import counted, endless

__all__ = [
    "File",
    "Options",
    "Question",
    "What",
    "check_sizes",
    "content",
    "given",
    "language_of",
    "lower_is_better",
    "questions",
    "read",
]


def questions(what: What | File, card: Card, options: Options) -> list[Question]:
    """What is asked of one source. Raises InputError, UsageError, ToolMissing.

    Where no metric was named, one that this machine cannot ask about (a module without a compiler) is left out.
    """
    if isinstance(what, str) and (network := factories.named(what)):
        return kernels_of(*network, card, options)
    file = what if isinstance(what, File) else opened(what, options, card.languages)
    found: list[Question] = []
    failures: list[ForerunError] = []
    for kinds in chosen(file, card, options):
        try:
            found.append(_first_of(kinds, file, card, options))
        except (InputError, ToolMissing) as error:
            if options.metrics:
                raise
            failures.append(error)
    if not found:
        raise failures[0]
    language, text = file.source.lang, file.text
    made = [*remarks.on_source(file)]
    if reach := max((remark.reach for remark in made), default=0.0):
        found = [replace(one, reach=reach) if one.kind.unit == "s" else one for one in found]
    if any(takes(one.kind) for one in found) and (loop := endless(language, text)):
        made.append(remarks.on_loop(file, loop))
        found = [_for_ever(one, loop.grows) if takes(one.kind) else one for one in found]
    if any(ran(one.kind.metric) for one in found):
        of_run = [*remarks.on_run(file, options.stdin)]
        made += of_run
        if any(remark.unbounded for remark in of_run):
            found = [_for_ever(one, True) if ran(one.kind.metric) else one for one in found]
        if counted(language, text):
            found = [replace(one, counted=ran(one.kind.metric)) for one in found]
    if failures:
        left_out = f"the metrics of its machine code are left out: {failures[0].what}: {failures[0].why}"
        refused = any(isinstance(failure, InputError) for failure in failures)  # no compiler takes it
        made.append(remarks.Remark(left_out, refused))
    notes = (*found[0].notes, *_unused(file, found, card, options), *(remark.text for remark in made))
    found[0] = replace(found[0], notes=notes, sizes=file.sizes)
    return [replace(one, strange=True) for one in found] if any(remark.strange for remark in made) else found


def check_sizes(asked: Sequence[Question], sizes: Mapping[str, int]) -> None:
    """Raises UsageError for a size that was named and that none of the networks leaves open."""
    networks = [question for question in asked if question.kind.base == ONNX]
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
            found = question_of(file, kind, card, options)
            return replace(found, notes=(*notes, *found.notes))
        except ToolMissing as error:
            notes.append(f"{kind.metric} is estimated from the text: {error.what}: {error.why}")
    found = question_of(file, kinds[-1], card, options)
    return replace(found, notes=(*notes, *found.notes))


def _unused(file: File, found: Sequence[Question], card: Card, options: Options) -> list[str]:
    """The options that say nothing of such a file."""
    language, notes = file.source.lang, []
    answered = {question.kind.metric for question in found}
    if left := [word for word, metric in named_metrics(options, card).items() if metric not in answered]:
        notes.append(f"{file.source.name}: of {language} the model knows no {' and no '.join(left)}")
    if options.sizes and language != ONNX:
        notes.append(f"sizes are of ONNX models: they change nothing of {language}")
    if options.stdin and not any(ran(question.kind.metric) for question in found):
        notes.append(f"standard input is of programs that run: it changes nothing of these metrics of {language}")
    if options.flags and not any(question.kind.metric in size.METRICS for question in found):
        notes.append(f"words for the compiler are of machine code: they change nothing of these metrics of {language}")
    return notes


def _for_ever(question: Question, grows: bool) -> Question:
    """Of a program that nothing ends, and that may hold more and more."""
    unbounded = grows or question.kind.unit == "s"
    return replace(question, strange=True, asks=math.inf if unbounded else question.asks)
