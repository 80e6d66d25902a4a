"""What a model reads: lines about the question, an empty line, the program.

    metric memory
    unit B
    language c, clang 22.1.8
    device x86-64
    counters lines ⟨1.2e1⟩ loops ⟨2⟩

    int main(void) { …

Whoever predicts, a network or nearest neighbours, gets this text and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from forerun.core import Metric
from forerun.grammars.floats import Floats

MOST_BYTES = 1 << 20
"""Of a program: a model reads thousands of tokens; to count and cut those of a megabyte takes 1.6 s and 250 MB."""
COUNTER = Floats(digits=2)
"""How numbers in prompts are written: two digits tell programs apart well enough, in three tokens."""

_START, _END = "\x02", "\x03"
NUMBER = re.compile(f"{_START}([^{_START}{_END}]*){_END}")
"""A number that is read in the very pieces that answers are written in."""


def number(value: float) -> str:
    """A number in a prompt, as numeric pieces."""
    return f"{_START}{COUNTER.text(COUNTER.round((value,)))}{_END}"


def plain(text: str) -> str:
    """A program's text without the marks of numbers."""
    return text.replace(_START, "\ufffd").replace(_END, "\ufffd")


def readable(text: str) -> str:
    """With question marks for bytes that are no UTF-8, which a text carries as surrogates."""
    return text.encode("utf-8", "replace").decode()


def prompt(
    metric: Metric,
    language: str,
    device: str,
    text: str,
    *,
    counters: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The prompt. `counters` are cheap facts about the program, `notes` further lines, each with a name in front."""
    head = [f"metric {metric.name}", f"unit {metric.unit}", f"language {language}", f"device {device}", *notes]
    if counters:
        head.append(" ".join(["counters", *(f"{name} {number(value)}" for name, value in counters.items())]))
    return "\n".join([*map(_line, head), "", plain(text)])


@dataclass(frozen=True, slots=True)
class Parts:
    """A prompt taken apart again."""

    head: Mapping[str, str]
    counters: Mapping[str, float]
    text: str


def parts(prompt: str) -> Parts:
    """The inverse of `prompt`, for those who count instead of read. A text without a head is all program."""
    head, empty, text = prompt.partition("\n\n")
    lines = dict(line.partition(" ")[::2] for line in head.split("\n"))
    if not empty or "metric" not in lines:
        return Parts({}, {}, prompt)
    words = NUMBER.sub(lambda found: _parsed(found[1]), lines.pop("counters", "")).split(" ")
    return Parts(lines, {name: float(value) for name, value in zip(words[::2], words[1::2], strict=False)}, text)


@lru_cache(maxsize=1 << 14)
def _parsed(text: str) -> str:
    """A counter as Python writes it. Numbers of two digits are few, and prompts are taken apart again and again."""
    return repr(COUNTER.parse(text)[0])


def without_counters(prompt: str) -> str:
    """The prompt as plain text: without its counters, which are all the numbers that are marked."""
    return without(prompt, "counters")


def without(prompt: str, name: str) -> str:
    """The prompt without a line of its head."""
    head, empty, text = prompt.partition("\n\n")
    lines = head.split("\n")
    if not empty or not any(line.startswith("metric ") for line in lines):
        return prompt
    return "\n".join([*(line for line in lines if not line.startswith(f"{name} ")), "", text])


def _line(text: str) -> str:
    return text.replace("\n", " ")
