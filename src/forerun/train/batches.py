"""Batches of packed rows, in an order that resumes exactly.

Tasks are mixed with a temperature: a task with n examples is drawn in proportion to n^(1/T) (Raffel et al. 2020), each
task in an order of its own that is new in every epoch. Short sources share a row: rows are filled first-fit, so a batch
is nearly free of padding. Examples of one group are drawn in small sets, so that a ranking loss finds pairs; those that
answer one source, which is then one array, stand in the row with it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from forerun.models.encoder_decoder.tokenizer import BEGIN, PAD
from forerun.train.examples import Example

X = TypeVar("X")

ANSWERS = 64
"""Answers in one row, at most."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[X]):
    """Sources packed in rows, and their answers: `[B, S]` and `[B, R]` with T answer tokens; 0 pads everywhere.

    `inputs` are the answers shifted by one, from BEGIN; `weights` are 0 for padding, and for what is given. Answer r of
    a row belongs to the source whose segment is `segments_BR[b, r]`.
    """

    ids_BS: X
    segments_BS: X
    positions_BS: X
    segments_BR: X
    inputs_BRT: X
    targets_BRT: X
    choices_BRT: X
    weights_BRT: X
    values_BR: X
    groups_BR: X


@dataclass
class Position:
    """Where a sampler stands: what a checkpoint keeps of it."""

    seed: int
    drawn: int = 0
    epochs: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


class Sampler:
    """Draws examples without end. Same examples, seed and position: same draws."""

    def __init__(
        self,
        examples: Sequence[Example],
        position: Position,
        temperature: float = 2.0,
        run: int = 1,
        together: int = 4,
    ) -> None:
        """`run` examples of a task are drawn one after the other, `together` of them from one group."""
        self.examples, self.position, self._run = examples, position, run
        found: dict[int, list[int]] = {}
        for i, example in enumerate(examples):
            found.setdefault(example.task, []).append(i)
        self._tasks = sorted(found)
        self._of_task = {task: np.array(found[task]) for task in self._tasks}
        sizes = np.array([len(found[task]) for task in self._tasks], float) ** (1 / temperature)
        self._share = np.cumsum(sizes / sizes.sum())
        self._together = together
        self._orders: dict[int, tuple[int, NDArray[np.int64]]] = {}

    def __iter__(self) -> Iterator[Example]:
        while True:
            yield self.draw()

    def draw(self) -> Example:
        """The next example."""
        chance = np.random.default_rng((self.position.seed, self.position.drawn // self._run)).random()
        place = min(int(np.searchsorted(self._share, chance, side="right")), len(self._tasks) - 1)
        self.position.drawn += 1
        return self.examples[self._next(self._tasks[place])]

    def _next(self, task: int) -> int:
        name, position = str(task), self.position
        epoch, place = position.epochs.get(name, 0), position.places.get(name, 0)
        if place >= len(self._of_task[task]):
            epoch, place = epoch + 1, 0
        position.epochs[name], position.places[name] = epoch, place + 1
        return int(self._order(task, epoch)[place])

    def _order(self, task: int, epoch: int) -> NDArray[np.int64]:
        """All examples of a task, those of a group in sets that stay together."""
        known = self._orders.get(task)
        if known and known[0] == epoch:
            return known[1]
        random = np.random.default_rng((self.position.seed, 1 + task, epoch))
        shuffled = random.permutation(self._of_task[task])
        groups: dict[int, list[int]] = {}
        sets: list[list[int]] = []
        for i in shuffled.tolist():
            group = self.examples[i].group
            waiting = groups.setdefault(group, [])
            if group < 0 or not waiting:
                sets.append(waiting := [])
                groups[group] = waiting
            waiting.append(i)
            if len(waiting) >= self._together:
                groups[group] = []
        order = np.array([i for s in random.permutation(len(sets)) for i in sets[s]])
        self._orders[task] = (epoch, order)
        return order


def batches(sampler: Sampler, rows: int, row_tokens: int) -> Iterator[Batch[Any]]:
    """Batches of `rows` rows of at most `row_tokens` tokens.

    A source longer than a row has a row of its own. The sampler's position after a batch is where the next one begins.
    """
    waiting: Example | None = None
    while True:
        packed: list[list[Example]] = [[] for _ in range(rows)]
        room = [row_tokens] * rows
        while True:
            example = waiting or sampler.draw()
            waiting = None
            needs = [min(_need(row, example), row_tokens) for row in packed]
            fit = [i for i in range(rows) if room[i] >= needs[i] and len(packed[i]) < ANSWERS]
            if not fit:
                # It is drawn again: a batch must not depend on what the one before it could not hold.
                _put_back(sampler, example)
                break
            best = min(fit, key=lambda i: (needs[i], room[i]))
            packed[best].append(example)
            room[best] -= needs[best]
        yield collate([row for row in packed if row])


def _need(row: Sequence[Example], example: Example) -> int:
    """Tokens that a row grows by."""
    return 0 if _shares(row, example) else len(example.ids)


def _shares(row: Sequence[Example], example: Example) -> bool:
    """Whether the last one of a row answers the same source."""
    return bool(row) and row[-1].ids is example.ids


def _put_back(sampler: Sampler, example: Example) -> None:
    position, name = sampler.position, str(example.task)
    position.drawn -= 1
    position.places[name] -= 1


def once(examples: Sequence[Example], rows: int, row_tokens: int) -> Iterator[Batch[Any]]:
    """Every example once, short ones first, in batches as `batches` makes them."""
    packed: list[list[Example]] = [[]]
    room = row_tokens
    for example in sorted(examples, key=lambda e: len(e.ids)):
        if packed[-1] and (_need(packed[-1], example) > room or len(packed[-1]) >= ANSWERS):
            if len(packed) >= rows:
                yield collate(packed)
                packed = []
            packed.append([])
            room = row_tokens
        room -= _need(packed[-1], example)
        packed[-1].append(example)
    if packed[-1]:
        yield collate(packed)


def collate(packed: Sequence[Sequence[Example]]) -> Batch[Any]:
    """The arrays of packed rows."""
    size = (len(packed), max(sum(_need(row[:r], e) for r, e in enumerate(row)) for row in packed))
    many = max(map(len, packed))
    length = max(len(e.target) for row in packed for e in row)
    sources = {name: np.full(size, PAD, np.int64) for name in ("ids", "segments", "positions")}
    answers = {name: np.zeros((len(packed), many, length), np.int64) for name in ("inputs", "targets", "choices")}
    weights = np.zeros((len(packed), many, length), np.float32)
    groups = np.full((len(packed), many), -1, np.int64)
    segments, values = np.zeros((len(packed), many), np.int64), np.full((len(packed), many), np.nan, np.float32)
    for b, row in enumerate(packed):
        start = segment = 0
        for r, example in enumerate(row):
            if not _shares(row[:r], example):
                segment += 1
                here = slice(start, start + len(example.ids))
                sources["ids"][b, here] = example.ids
                sources["segments"][b, here] = segment
                sources["positions"][b, here] = np.arange(len(example.ids))
                start = here.stop
            n = len(example.target)
            answers["inputs"][b, r, :n] = [BEGIN, *example.target[:-1]]
            answers["targets"][b, r, :n] = example.target
            answers["choices"][b, r, :n] = example.choices
            weights[b, r, example.given : n] = 1
            segments[b, r], values[b, r], groups[b, r] = segment, example.value, example.group
    return Batch(
        sources["ids"], sources["segments"], sources["positions"], segments,
        answers["inputs"], answers["targets"], answers["choices"], weights,
        values, groups,
    )  # fmt: skip
