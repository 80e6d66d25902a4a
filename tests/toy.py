"""A task without tools: guess a word. Its workers crash, hang and eat memory on request."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from forerun.core import END, Draft, Grammar, Measurement, Metric, Model, Source, Task
from forerun.errors import InputError
from forerun.sandbox import TimedAlone, broken, processor_time


class Letters(Grammar[str]):
    """Words of a, b and c, at most four letters."""

    def write(self, answer: str) -> list[str]:
        return list(answer)

    def read(self, pieces: Sequence[str]) -> str:
        word = "".join(pieces)
        if len(word) > 4 or set(word) - set("abc"):
            raise ValueError(word)
        return word

    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        return [END, "a", "b", "c"] if len(prefix) < 4 else [END]


@dataclass(frozen=True)
class Guess(Task[str]):
    """The distance of a word to the source's text; words with a meaning misbehave."""

    name: ClassVar[str] = "guess"
    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("word",)
    metrics: ClassVar[Mapping[str, Metric]] = {"distance": Metric("distance", "letters")}
    metric: ClassVar[Metric] = metrics["distance"]  # type: ignore[misc]
    log: str = ""

    def prompt(self, source: Source) -> str:
        return source.text

    def grammar(self, source: Source) -> Letters:
        return Letters()

    def measure(self, source: Source, answer: str | None) -> Measurement:
        if self.log:
            with open(self.log, "a") as file:  # noqa: PTH123
                file.write(f"{answer}\n")
        if source.text == "broken":
            return Measurement(error="the baseline is broken", tool="toy 1")
        _misbehave(answer or "")
        word = answer if answer is not None else "cccc"
        distance = sum(a != b for a, b in zip(word.ljust(4), source.text.ljust(4), strict=True))
        return Measurement({"distance": float(distance)}, checked=word != "aac", tool="toy 1")


def _misbehave(answer: str) -> None:
    if answer == "aaaa":
        os.kill(os.getpid(), signal.SIGSEGV)
    if answer == "bbbb":
        time.sleep(600)
    if answer == "baba":
        with processor_time(0.2):
            while True:
                pass
    if answer == "cccc":
        _ = bytearray(8 << 30)
    if answer == "caca":
        broken("the driver is gone")
    if answer == "acac":
        raise InputError("it cannot be read", "it is written backwards", "turn it round")
    if answer == "abab":
        raise RuntimeError("a mistake in the task")


class Fixed(Model):
    """Drafts of a list, in order."""

    name: ClassVar[str] = "fixed"

    def __init__(self, *words: str) -> None:
        self.words = words

    def sample(self, prompt, grammar, n, seed, history=()):  # type: ignore[no-untyped-def]
        seen: set[str] = {t.draft.answer for t in history}
        return [Draft(w, origin="fixed") for w in self.words if w not in seen][:n]


def source(word: str = "abca") -> Source:
    return Source(word, "word", name="toy")


class Slow(Guess):
    """A tenth of a second for each word."""

    def measure(self, source: Source, answer: str | None) -> Measurement:
        time.sleep(0.1 * (answer is not None))
        return super().measure(source, answer)


class TwoHalves(TimedAlone[str], Guess):
    """A tenth of a second for each half, both in the log with their begin and end."""

    def begin(self, source: Source, answer: str | None) -> Callable[[], Measurement]:
        self._half("begin", answer)
        _misbehave(answer or "")
        return lambda: self._ended(source, answer)

    def _ended(self, source: Source, answer: str | None) -> Measurement:
        self._half("end", answer)
        _misbehave({"ca": "aaaa", "cb": "bbbb"}.get(answer or "", ""))
        return Guess().measure(source, answer)

    def _half(self, name: str, answer: str | None) -> None:
        start = time.monotonic()
        time.sleep(0.1)
        with open(self.log, "a") as file:  # noqa: PTH123
            file.write(f"{name} {answer} {start} {time.monotonic()}\n")


class OneHalf(TwoHalves):
    """Has a word of its own on measurements: the distance is doubled."""

    def measure(self, source: Source, answer: str | None) -> Measurement:
        found = super().measure(source, answer)
        return replace(found, values={name: 2 * value for name, value in found.values.items()})


class Nothing(Guess):
    """Breaks the contract."""

    def measure(self, source: Source, answer: str | None) -> Measurement:
        return None  # type: ignore[return-value]


class Unmeasured(Guess):
    """Its baseline is no number."""

    def measure(self, source: Source, answer: str | None) -> Measurement:
        return Measurement({"distance": float("nan")}, checked=True, tool="toy 1")
