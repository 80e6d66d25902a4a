"""Measured schedules as a file that training reads: JSON lines, one for each program and target.

The program is in it, and what was asked at each decision, so that a network learns from it without TVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forerun import plain
from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.errors import InputError, UsageError
from forerun.grammars.decisions import Choice, Decision, Decisions, Place, Plan, Step, Tile, decision_of, following
from forerun.store import Store
from forerun.tasks.schedule import ELSEWHERE, Schedule

if TYPE_CHECKING:  # TVM is an extra
    from forerun.toolchains.tvm.space import Program


@dataclass(frozen=True, slots=True)
class Sentence:
    """One plan: what was asked (`T28/4/64`, `C4`, `L-2,-1,3`), what was decided, and the seconds of a run.

    It failed where it was measured and has no seconds. Seconds that nobody measured are what a cost model believes, and
    mean something beside each other only (`forerun.train.drafts`).
    """

    space: int
    asked: tuple[str, ...]
    decided: tuple[str, ...]
    seconds: float | None
    measured: bool
    origin: str

    @property
    def plan(self) -> Plan:
        """The decisions."""
        return Plan(self.space, tuple(map(decision_of, self.decided)))


@dataclass(frozen=True, slots=True)
class Sentences:
    """What is known of one program on one target. `default` is the time of the program as it is."""

    name: str
    families: tuple[str, ...]
    text: str
    """TVMScript, as in `forerun.corpora.workloads`."""
    target: str
    prompt: str
    spaces: int
    default: float | None
    sentences: tuple[Sentence, ...]

    @property
    def source(self) -> Source:
        """The program, to be measured on the same target."""
        return Source(self.text, LANGUAGE, self.name, self.target)

    def program(self) -> Program:
        """With the design spaces that the sentences are of. Raises InputError where TVM makes others, ToolMissing."""
        from forerun.toolchains.tvm.space import Program

        program = Program(self.source)
        if len(program) != self.spaces:
            why = f"{len(program)} are made here, its schedules are of {self.spaces}"
            raise InputError(f"{self.name} has other design spaces", why, "measure it again: forerun collect schedule")
        return program

    @property
    def best(self) -> float | None:
        """The least seconds of all that were measured."""
        return min((each.seconds for each in self.sentences if each.measured and each.seconds), default=None)


class Recorded:
    """The design spaces of a program as far as one sentence went through them."""

    def __init__(self, spaces: int, sentence: Sentence) -> None:
        self._spaces, self._space = spaces, sentence.space
        steps = [*map(_step, sentence.asked)]
        parts = [step.parts if isinstance(step, Tile) else 0 for step in steps]
        self._steps = [
            replace(step, more=following(parts, i)) if isinstance(step, Tile) else step for i, step in enumerate(steps)
        ]

    def __len__(self) -> int:
        return self._spaces

    def step(self, space: int, decisions: tuple[Decision, ...]) -> Step | None:
        """What was asked after so many decisions."""
        assert space == self._space, "a space that this sentence is not of"
        return self._steps[len(decisions)] if len(decisions) < len(self._steps) else None


def stored(path: Path, families: Mapping[str, tuple[str, ...]]) -> Iterator[Sentences]:
    """Every measured program of a store; `families` by the program's text. Where one was timed with weights in the
    caches and out of them, those of which there are more. Raises ToolMissing, InputError."""
    task = Schedule()
    with Store(path) as store:
        found: dict[str, dict[str, list[tuple[str | None, float | None, str]]]] = {}
        sources = {}
        own = [one for one in store.tasks() if one == task.id or one.startswith(f"{task.id} {ELSEWHERE}")]
        for row in (row for one in own for row in store.trials(one)):
            sources[row.source.key] = row.source
            seconds = row.measurement.values.get("latency") if row.measurement.ok else None
            if not row.measurement.transient or "timeout" in row.measurement.error:
                timed = found.setdefault(row.source.key, {})
                timed.setdefault(row.task, []).append((row.answer, seconds, row.origin))
    for key, timed in found.items():
        trials = max(timed.values(), key=len)
        source, grammar = sources[key], task.grammar(sources[key])
        sentences = [
            sentence(grammar, grammar.parse(answer), seconds, True, origin)
            for answer, seconds, origin in trials
            if answer is not None
        ]
        default = next((seconds for answer, seconds, _ in trials if answer is None), None)
        known = families.get(source.text, ())
        about = (source.name, known, source.text, source.target, task.prompt(source), len(grammar.spaces), default)
        yield Sentences(*about, tuple(sentences))


def sentence(grammar: Decisions, plan: Plan, seconds: float | None, measured: bool, origin: str) -> Sentence:
    """A plan with what was asked. Raises ValueError for what is not legal."""
    asked = (grammar.spaces.step(plan.space, plan.decisions[:i]) for i in range(len(plan)))
    decided = tuple(grammar.text(plan).split()[1:])
    return Sentence(plan.space, tuple(map(_asked, asked)), decided, seconds, measured, origin)


def read(path: Path) -> list[Sentences]:
    """Raises InputError."""
    return plain.read_lines(path, Sentences, "schedules", "name a file that `forerun data schedules` wrote")


def write(path: Path, found: Iterable[Sentences]) -> None:
    """Replaces the file. Raises UsageError where its name says that it holds something else."""
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise UsageError(f"{path}: not a name for schedules", "they are JSON lines", "name a .jsonl or .jsonl.gz file")
    plain.write_lines(path, found)


def _asked(step: Step | None) -> str:
    if isinstance(step, Tile):
        return f"T{step.extent}/{step.parts}/{step.innermost}"
    if isinstance(step, Choice):
        return f"C{step.options}"
    assert isinstance(step, Place)
    return f"L{','.join(map(str, step.places))}"


def _step(text: str) -> Step:
    kind, rest = text[0], text[1:]
    if kind == "T":
        return Tile(*map(int, rest.split("/")))
    return Choice(int(rest)) if kind == "C" else Place(tuple(map(int, rest.split(","))))
