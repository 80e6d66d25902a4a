"""Constrained decoding: a network proposes tokens, a grammar says which are legal; no task ever sees a token.

Two ways to read an answer out of a network. `expand` follows every likely prefix at once and returns the distribution
over answers, as a tree whose leaves hold nearly all of its mass: nothing is random, and nothing is lost to sampling
noise. `sample` draws answers. Both decode all prefixes of a source in one step over one shared memory, with cached keys
and values, and take the softmax over legal tokens only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from forerun.core import END, Grammar
from forerun.errors import InputError

Logits = NDArray[np.float32]

_KNOWN = 4096
"""Sets of choices that are remembered."""


class Network(Protocol):
    """What decoding needs of a network, whoever runs it. Memories and caches are its own affair."""

    def encode(self, prompts: Sequence[Sequence[int]]) -> Any:
        """The memory of sources, from their tokens."""

    def begin(self, memory: Any) -> Any:
        """The cache before the first token."""

    def step(
        self, memory: Any, cache: Any, parents: NDArray[np.int64], tokens: NDArray[np.int64]
    ) -> tuple[Logits, Any]:
        """One more token for each row: `parents` and `tokens` are `[B, R]`; the logits `[B, R, V]`, and the new cache.

        Row r of a source goes on from row `parents[b, r]` of the cache.
        """


@dataclass(frozen=True)
class Vocabulary:
    """How the pieces of answers are spelled in tokens: those in `atoms` by one, others by text and a closing token."""

    atoms: Mapping[str, int]
    begin: int
    end: int
    close: int
    encode: Callable[[str], Sequence[int]]
    _known: dict[tuple[int, tuple[int, ...]], tuple[Collection[str], Choices]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def spell(self, piece: str) -> tuple[int, ...]:
        """The tokens of a piece. No spelling begins with another one."""
        if piece == END:
            return (self.end,)
        atom = self.atoms.get(piece)
        return (atom,) if atom is not None else (*self.encode(piece), self.close)

    def tokens(self, pieces: Sequence[str]) -> list[int]:
        """An answer as a network learns it, END with it."""
        return [token for piece in (*pieces, END) for token in self.spell(piece)]

    def choices(self, allowed: Collection[str], partial: tuple[int, ...]) -> Choices:
        """The tokens that may come next where `allowed` may follow, `partial` tokens of which are written.

        A grammar that gives the same object for the same choices is asked once: hashing six hundred pieces at every
        step would cost more than the step.
        """
        key = (id(allowed), partial)
        asked, found = self._known.get(key, (None, None))
        if asked is not allowed or found is None:
            found = self._choices(allowed, partial)
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[key] = (allowed, found)
        return found

    def _choices(self, allowed: Collection[str], partial: tuple[int, ...]) -> Choices:
        written, following = len(partial), {}
        for piece in sorted(allowed):
            spelled = self.spell(piece)
            if spelled[:written] == partial:
                following[spelled[written]] = piece if len(spelled) == written + 1 else None
        if not following:
            raise ValueError(f"a dead end: nothing may follow the tokens {partial}")
        return Choices(np.array(sorted(following)), following)


@dataclass(frozen=True, slots=True)
class Choices:
    """Legal tokens in order, and the piece that each completes (None where it only goes on)."""

    tokens: NDArray[np.int64]
    completes: Mapping[int, str | None]


@dataclass(frozen=True, slots=True)
class Prefix:
    """The beginning of an answer: whole pieces, tokens of the next one, and the log-probability of all that."""

    pieces: tuple[str, ...] = ()
    partial: tuple[int, ...] = ()
    logprob: float = 0.0
    complete: bool = False

    def then(self, token: int, piece: str | None, logprob: float) -> Prefix:
        """With one more token, which may complete a piece, or the answer."""
        if piece is None:
            return Prefix(self.pieces, (*self.partial, token), logprob)
        if piece == END:
            return Prefix(self.pieces, (), logprob, complete=True)
        return Prefix((*self.pieces, piece), (), logprob)


def expand(
    network: Network,
    vocabulary: Vocabulary,
    memory: Any,
    grammars: Sequence[Grammar[Any]],
    *,
    width: int = 256,
    floor: float = 1e-3,
    longest: int = 64,
) -> list[list[Prefix]]:
    """For each source the leaves of the tree of likely answers, most probable first; their probabilities add up to 1.

    `memory` is what the network made of the sources, `grammars` names one for each of them.

    At each level the `width` most probable prefixes are followed that have at least the probability `floor`. The others
    stay in the answer as incomplete leaves, those that are next to nothing under the prefix that they begin with, so no
    mass is lost. So does all that is left after `longest` tokens.
    """
    cache = network.begin(memory)
    live: list[list[Prefix]] = [[Prefix()] for _ in grammars]
    leaves: list[list[Prefix]] = [[] for _ in grammars]
    parents, tokens = _rows([[0]] * len(grammars)), _rows([[vocabulary.begin]] * len(grammars))
    for _ in range(longest):
        logits, cache = _stepped(network, memory, cache, parents, tokens)
        kept = []
        for i, grammar in enumerate(grammars):
            level = _level(live[i], logits[i], vocabulary, grammar, floor / 10)
            follow = [entry for entry in level.children if entry.prefix.logprob >= math.log(floor)][:width]
            leaves[i] += level.leaves + [entry.prefix for entry in level.children[len(follow) :]]
            live[i] = [entry.prefix for entry in follow]
            kept.append(follow)
        if not any(live):
            break
        parents = _rows([[entry.row for entry in follow] for follow in kept])
        tokens = _rows([[entry.token for entry in follow] for follow in kept])
    return [sorted(found + rest, key=lambda leaf: -leaf.logprob) for found, rest in zip(leaves, live, strict=True)]


@dataclass(frozen=True, slots=True)
class _Child:
    """An incomplete prefix, the row that it goes on from, and the token that does."""

    prefix: Prefix
    row: int
    token: int


@dataclass(frozen=True, slots=True)
class _Level:
    """What one step gives: children, the most probable first, and what is a leaf already."""

    children: list[_Child]
    leaves: list[Prefix]


def _level(
    live: Sequence[Prefix], logits: Logits, vocabulary: Vocabulary, grammar: Grammar[Any], least: float
) -> _Level:
    """Children of at least the probability `least`; the rest of each prefix's mass stays with it, as a leaf."""
    children, leaves = list[_Child](), list[Prefix]()
    together: dict[int, tuple[Choices, list[int]]] = {}
    for row, prefix in enumerate(live):
        choices = vocabulary.choices(grammar.allowed(prefix.pieces), prefix.partial)
        together.setdefault(id(choices), (choices, []))[1].append(row)
    for choices, rows in together.values():
        of_rows = np.array([live[row].logprob for row in rows])
        scores = of_rows[:, None] + _log_softmax(logits[np.array(rows)][:, choices.tokens])
        likely = scores >= math.log(least)
        rest = np.where(likely, 0.0, np.exp(scores)).sum(axis=1)
        leaves += [replace(live[row], logprob=math.log(mass)) for row, mass in zip(rows, rest, strict=True) if mass > 0]
        for place, column in zip(*np.nonzero(likely), strict=True):
            row, token = rows[place], int(choices.tokens[column])
            child = live[row].then(token, choices.completes[token], float(scores[place, column]))
            if child.complete:
                leaves.append(child)
            elif _must_end(child, grammar):
                leaves.append(Prefix(child.pieces, (), child.logprob, complete=True))
            else:
                children.append(_Child(child, row, token))
    return _Level(sorted(children, key=lambda child: -child.prefix.logprob), leaves)


def sample(
    network: Network,
    vocabulary: Vocabulary,
    memory: Any,
    grammars: Sequence[Grammar[Any]],
    *,
    n: int,
    seed: int,
    temperature: float = 1.0,
    longest: int = 512,
) -> list[list[Prefix]]:
    """`n` draws for each source, with their log-probabilities (at temperature 1). Incomplete after `longest` tokens."""
    draws = np.random.Generator(np.random.PCG64(seed))
    cache = network.begin(memory)
    live = [[Prefix()] * n for _ in grammars]
    parents, tokens = _rows([[0] * n] * len(grammars)), _rows([[vocabulary.begin] * n] * len(grammars))
    for _ in range(longest):
        logits, cache = _stepped(network, memory, cache, parents, tokens)
        for i, grammar in enumerate(grammars):
            for row, prefix in enumerate(live[i]):
                chance = draws.random()  # drawn for finished rows too: a row's luck is its own
                if not prefix.complete:
                    live[i][row], tokens[i, row] = _drawn(
                        prefix, logits[i, row], vocabulary, grammar, temperature, chance
                    )
        if all(prefix.complete for rows in live for prefix in rows):
            break
        parents = _rows([list(range(n))] * len(grammars))
    return live


def following(network: Network, vocabulary: Vocabulary, memory: Any, written: Sequence[Sequence[int]]) -> Logits:
    """`[R, V]`: the logits after each of R token sequences, none empty, that answer one source."""
    longest = max(map(len, written))
    rows = np.array([[*tokens, *[0] * (longest - len(tokens))] for tokens in written], np.int64)
    given = np.concatenate([np.full((len(rows), 1), vocabulary.begin), rows], axis=1)
    cache, parents = network.begin(memory), np.zeros((1, len(rows)), np.int64)
    found: list[Logits] = [np.empty(0, np.float32)] * len(rows)
    for place in range(longest + 1):
        logits, cache = _stepped(network, memory, cache, parents, given[None, :, place])
        for row in (i for i, tokens in enumerate(written) if len(tokens) == place):
            found[row] = logits[0, row]
        parents = np.arange(len(rows))[None]
    return np.stack(found)


def _stepped(
    network: Network, memory: Any, cache: Any, parents: NDArray[np.int64], tokens: NDArray[np.int64]
) -> tuple[Logits, Any]:
    """One more token. Raises InputError for a network whose logits are no numbers."""
    logits, cache = network.step(memory, cache, parents, tokens)
    if not np.isfinite(logits).all():
        why = "its weights are damaged, or its training diverged"
        raise InputError("the network gives no numbers", why, "copy the checkpoint again, or install forerun again")
    return logits, cache


def _must_end(prefix: Prefix, grammar: Grammar[Any]) -> bool:
    """Whether nothing but END may follow: then its probability is 1, and no step is needed to know it."""
    allowed = () if prefix.partial else grammar.allowed(prefix.pieces)
    return len(allowed) == 1 and END in allowed


def _drawn(
    prefix: Prefix, logits: Logits, vocabulary: Vocabulary, grammar: Grammar[Any], temperature: float, chance: float
) -> tuple[Prefix, int]:
    choices = vocabulary.choices(grammar.allowed(prefix.pieces), prefix.partial)
    legal = logits[choices.tokens]
    if temperature > 0:
        likely = np.exp(_log_softmax(legal / temperature)).cumsum()
        place = min(int(np.searchsorted(likely, chance * likely[-1], side="right")), len(likely) - 1)
    else:
        place = int(legal.argmax())
    token = int(choices.tokens[place])
    logprob = prefix.logprob + float(_log_softmax(legal)[place])
    drawn = prefix.then(token, choices.completes[token], logprob)
    return replace(drawn, complete=drawn.complete or _must_end(drawn, grammar)), token


def _log_softmax(logits: Logits) -> NDArray[np.float64]:
    """Over the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # type: ignore[no-any-return]


def padded(prompts: Sequence[Sequence[int]], multiple: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tokens and segments `[B, S]` of prompts, one a row; S is a multiple of `multiple`. None is empty: it has a 0."""
    filled = [prompt or [0] for prompt in prompts]
    return _rows(filled, multiple), _rows([[1] * len(prompt) for prompt in filled], multiple)


def _rows(values: Sequence[Sequence[int]], multiple: int = 1) -> NDArray[np.int64]:
    """Ragged rows `[B, R]`, filled up with zeros."""
    width = -(-max(map(len, values)) // multiple) * multiple
    return np.array([[*row, *[0] * (width - len(row))] for row in values], np.int64)
