"""What else there is to be said of a source than its answer: why it is unlike what was learned from, or half of it."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forerun.models.encoder_decoder.imports import working
from forerun.questions.files import LLVM, ONNX, File, called
from forerun.tasks import _graphs
from forerun.tasks._counters import reads_sizes
from forerun.tasks._endless import Endless
from forerun.tasks._inputs import Beginning, described
from forerun.tasks._lines import Used
from forerun.tasks._opened import asks, opens, parses
from forerun.tasks._packages import foreign
from forerun.tasks._parsing import broken
from forerun.tasks._reading_on import reads_on, takes_arguments
from forerun.tasks._several import where
from forerun.tasks._starting import others, starting
from forerun.toolchains.onnx import checked, counts
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.process.languages import LANGUAGES

_DEFINED = re.compile(r"^define\b", re.MULTILINE)
"""How a function of LLVM IR begins."""
_NAMED = 3
"""Files that are named."""
_STARTING = re.compile(r"\b(?:subprocess|pty)\b|\bos\.(?:system|popen|exec|spawn|posix_spawn)")
"""What a text of Python names that starts other programs."""
_TRITON = re.compile(r"^@(?:triton\.)?(?:jit|autotune)\b", re.MULTILINE)
"""How a kernel of Triton begins."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A note, and whether the source is `strange` for that: unlike all that was learned from."""

    text: str
    strange: bool = False
    reach: float = 0.0
    """Seconds that it may take for that, at most."""
    unbounded: bool = False
    """Whether a run may take any time, and hold any number of bytes, for that."""


def on_source(file: File) -> Iterator[Remark]:
    """Of any source, whatever is asked of it."""
    name, language, text = file.source.name, file.source.lang, file.source.text
    if why := broken(language, text):
        yield Remark(f"{name} does not parse ({why}): the answer is that of the program it looks like", True)
    if language in LANGUAGES and (told := called(file)) not in ("", language):
        yield Remark(f"{name} is called as {told} is, and read as {language}", True)
    if language == LLVM and not _DEFINED.search(text):
        yield Remark(f"{name} defines no function: is it the whole module?", True)
    if language == ONNX:
        yield from _on_network(file)
    if language == "python" and _TRITON.search(text):
        named = "of kernels name the network that launches them: module.py:factory"
        yield Remark(f"{name} defines kernels of Triton: the answer is that of a Python program; {named}")


def _on_network(file: File) -> Iterator[Remark]:
    name, reference = file.source.name, file.source.reference
    others = dict.fromkeys(_graphs.foreign(reference), math.inf) | counts.unsure(_graphs.network(reference))
    if others:
        told = f"nothing is known of what {', '.join(others)} costs: it counts as little"
        yield Remark(f"{name}: {told}, and the upper end as much as it may", True, sum(others.values()))
    for why in checked.faults(proto.parse(reference)):
        yield Remark(f"{name} is no valid model ({why}): the answer is that of the network it looks like", True)
    if file.place and (lost := checked.missing(Path(file.place))):
        told = f"its weights are not there ({', '.join(lost)}): it does not run, but their shapes are known"
        yield Remark(f"{name}: {told}")


def on_run(file: File, stdin: bytes | None) -> Iterator[Remark]:
    """Of a program that is asked what its run takes."""
    name, language, text = file.source.name, file.source.lang, file.text
    if file.whole.along:
        yield Remark(f"{name} is read with {_some(file.whole.along)}")
    if file.whole.lost:
        lost = _some(file.whole.lost)
        yield Remark(f"{name}: {lost}, which it is made of, was not found: it is not counted", True, unbounded=True)
    if file.whole.unread:
        unread = _some([f"{one} ({why})" if why else one for one, why in file.whole.unread])
        yield Remark(f"{name}: {unread}, which it is made of, is not read: it is not counted", True, unbounded=True)
    if takes_arguments(language, text):
        yield Remark(f"{name} looks at its arguments: the answer is that of a run without any")
    if lines := _started(file):
        told = f"line {_some([where(text, line) for line in lines])} starts other programs"
        yield Remark(f"{name}: {told}: what they take is not counted", True, unbounded=True)
    opened = _opened(file)
    if opened:
        there = "it is now" if len(opened) == 1 else "they are now"
        yield Remark(f"{name}: the answer is that of {_some(opened)}, as {there}")
    begun = {"its input": stdin or b""} | {each: file.beside[each][1] for each in opened if each in file.beside}
    for what, data in begun.items():
        if isinstance(data, Beginning):
            why = f"only the first {len(data) >> 20} MiB of {what} are read: the rest is taken to be like that"
            yield Remark(
                f"{name}: {why}{'' if data.alike else ', which it is not'}", not data.alike, 0.0, not data.alike
            )
    if (
        stdin is None
        and not file.source.reference
        and (not opened or asks(language, text))
        and (reads_on(language, text) or reads_sizes(language, text))
    ):
        why = "how much it takes follows from what it reads, and no input was named (--stdin FILE, or /dev/null)"
        yield Remark(f"{name}: {why}: the answer is that of usual programs", True, unbounded=True)
    elif not opened and file.beside and language != "python":
        why = f"how much it takes follows from {_some([*file.beside])}, which it reads in a way that is not followed"
        yield Remark(f"{name}: {why}: the answer is that of usual programs", True, unbounded=True)
    elif not opened and opens(language, text):
        why = "how much it takes follows from the files that it reads, whose size is not known here"
        yield Remark(f"{name}: {why}: the answer is that of usual programs", True, unbounded=True)


def _some(names: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _started(file: File) -> list[int]:
    """Lines that start other programs, whose time and memory are those of a run, too."""
    language, text = file.source.lang, file.text
    if language not in LANGUAGES or not (_STARTING.search(text) if language == "python" else starting(language, text)):
        return []
    done = _done(file)
    plain = done.followed and not (language == "python" and foreign(language, text))
    return others(language, text, done.starts if plain else starting(language, text))


def _opened(file: File) -> list[str]:
    """Files that it opens, where all of these are told of."""
    if not file.beside:
        return []
    done, language = _done(file), file.source.lang
    if language == "python":
        return sorted(done.told)
    if file.files:
        return [*file.beside] if done.told == {*map(posixpath.normpath, file.beside)} else []
    return [*file.beside] if done.taken and not parses(language, file.text) else []


def _done(file: File) -> Used:
    """What a program does by its text."""
    given = described(file.source.reference) if file.source.reference else ""
    return working(file.text, given, file.source.lang, file.files)


def on_loop(file: File, loop: Endless) -> Remark:
    """Of a loop that nothing is seen to end."""
    why = f"nothing is seen that ends the loop in line {where(file.text, loop.line)}" + (
        ", which adds to something" * loop.grows
    )
    return Remark(f"{file.source.name}: {why}: the answer is that of programs that end")
