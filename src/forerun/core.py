"""The nouns: what flows through `forerun.solve`.

    Source --prompt--> text --sample within Grammar--> Draft --measure--> Trial --choose--> Result

Standard library only. Everything here is data or an interface; the verbs live elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

A = TypeVar("A")

END = ""
"""The piece that ends an answer."""


@dataclass(frozen=True, slots=True)
class Source:
    """A program, and all that is needed to measure answers about it.

    `target` names where it will run and how it is emitted, in the checking tool's own words.
    `reference` is what the user has today (for LLVM: the object of the user's own compiler).
    """

    text: str
    lang: str
    name: str = "-"
    target: str = ""
    reference: bytes = field(default=b"", repr=False)
    key: str = field(init=False, compare=False)
    """Content address: language, target and text, never the name."""

    def __post_init__(self) -> None:
        parts = [part.encode("utf-8", "surrogateescape") for part in (self.lang, self.target, self.text)]
        whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        object.__setattr__(self, "key", hashlib.sha256(whole).hexdigest())


@dataclass(frozen=True, slots=True)
class Metric:
    """One number that is measured, in SI units inside."""

    name: str
    unit: str
    lower_is_better: bool = True

    def gain(self, before: float, after: float) -> float:
        """Relative improvement: .04 means 4% better, negative means worse, 0 where `before` is 0."""
        change = before - after if self.lower_is_better else after - before
        return change / abs(before) if before else 0.0

    def better(self, a: float, b: float) -> bool:
        """Whether `a` is strictly better than `b`."""
        return a < b if self.lower_is_better else a > b

    def show(self, value: float) -> str:
        """The value with its unit, for people."""
        whole = float(value).is_integer() and abs(value) < 1e15
        return f"{value:{',.0f' if whole else ',.4g'}} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class Measurement:
    """What the machine said of one answer. A failing candidate is a value, never an exception."""

    values: Mapping[str, float] = field(default_factory=dict)
    checked: bool = False
    error: str = ""
    tool: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What each part of the program (a function) contributes to the objective, where the tool can tell."""

    @property
    def ok(self) -> bool:
        """Measured, checked and without an error."""
        return self.checked and not self.error

    @property
    def transient(self) -> bool:
        """Whether the error came from this machine's limits and may not come again."""
        return self.error.startswith(("timeout", "memory"))


@dataclass(frozen=True, slots=True)
class Draft(Generic[A]):
    """What a model wrote, before anyone checked. `answer` is None for the baseline."""

    answer: A | None
    logprob: float = math.nan
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Trial(Generic[A]):
    """One draft and its measurement: the only row that is stored, served, plotted and trained on."""

    task: str
    source: Source
    draft: Draft[A]
    measurement: Measurement


@dataclass(frozen=True, slots=True)
class Result(Generic[A]):
    """Everything needed to believe an answer. `best` is the baseline where nothing checked was better."""

    metric: Metric
    baseline: Trial[A]
    best: Trial[A]
    trials: tuple[Trial[A], ...] = ()

    @property
    def before(self) -> float:
        """The baseline's value of the objective."""
        return self.baseline.measurement.values[self.metric.name]

    @property
    def after(self) -> float:
        """The best answer's value of the objective."""
        return self.best.measurement.values[self.metric.name]

    @property
    def gain(self) -> float:
        """Relative improvement over the baseline, never negative."""
        return max(0.0, self.metric.gain(self.before, self.after))

    def _repr_html_(self) -> str:
        cells = (self.metric.name, self.metric.show(self.before), self.metric.show(self.after), f"{self.gain:.2%}")
        return f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>"


class Grammar(ABC, Generic[A]):
    """An output language: what may be written, piece by piece.

    Laws: `read(write(a)) == a`; every sequence that `allowed` can produce is readable; one answer has one spelling.
    """

    @abstractmethod
    def write(self, answer: A) -> list[str]:
        """The one spelling of an answer, without END."""

    @abstractmethod
    def read(self, pieces: Sequence[str]) -> A:
        """The answer that the pieces spell. Raises ValueError where they spell none."""

    @abstractmethod
    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        """The pieces that may follow a prefix, END among them where the answer may end."""

    def text(self, answer: A) -> str:
        """The answer as a person or a tool reads it; also its name in the store."""
        return " ".join(self.write(answer))

    def parse(self, text: str) -> A:
        """The inverse of `text`. Raises ValueError."""
        return self.read(text.split())

    def adapt(self, text: str) -> A:
        """The nearest answer to one written for another version of the tool. Raises ValueError where there is none."""
        return self.parse(text)


class Task(ABC, Generic[A]):
    """One question. Must be picklable: it is sent to the workers that measure."""

    name: ClassVar[str]
    version: ClassVar[int]
    """Changes when the prompt or the measurement changes meaning; part of the store's key."""
    reads: ClassVar[tuple[str, ...]]
    """The languages of the sources that it takes."""
    metrics: ClassVar[Mapping[str, Metric]]
    metric: Metric
    """The objective."""

    @property
    def id(self) -> str:
        """The task's name in the store: name, version, and whatever else changes what a measurement means."""
        return f"{self.name}/{self.version}"

    @abstractmethod
    def prompt(self, source: Source) -> str:
        """What the model reads."""

    @abstractmethod
    def grammar(self, source: Source) -> Grammar[A]:
        """What the model may write."""

    @abstractmethod
    def measure(self, source: Source, answer: A | None) -> Measurement:
        """Check and measure one answer; None asks for the baseline, what the user has today."""

    def rank(self, trials: Sequence[Trial[A]]) -> list[Trial[A]]:
        """The checked trials that carry the objective, best first; earlier ones first among equals."""
        name, sign = self.metric.name, 1 if self.metric.lower_is_better else -1
        usable = [t for t in trials if t.measurement.ok and name in t.measurement.values]
        return sorted(usable, key=lambda t: sign * t.measurement.values[name])

    def choose(self, baseline: Trial[A], trials: Sequence[Trial[A]]) -> Trial[A]:
        """The best checked trial; a tie goes to the baseline."""
        best = next(iter(self.rank(trials)), baseline)
        values = (t.measurement.values[self.metric.name] for t in (best, baseline))
        return best if self.metric.better(*values) else baseline


class Model(ABC):
    """One way to write drafts."""

    name: ClassVar[str]

    @abstractmethod
    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """At most `n` drafts. Same arguments, same drafts.

        `history` holds the distinct trials so far in the order they were made, best first where the task could
        rank them; a model that learns from measurements reads it, others ignore it. An empty list says: no more.
        """

    def hasty(self) -> Model:
        """One that answers sooner, if less well; itself where there is none."""
        return self


@dataclass(frozen=True, slots=True)
class Tool:
    """A program or library on this machine that can check answers."""

    name: str
    version: str
    path: str
    how: str = ""
    """Where it was found: a setting, the PATH, the usual folders."""


class Toolchain(ABC):
    """A world that can check; without the tools in `needed` it cannot."""

    name: ClassVar[str]
    needed: ClassVar[frozenset[str]]

    @abstractmethod
    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """What belongs to it, needed ones first; each call finds one, or raises ToolMissing with the install line."""
