"""Constrained decoding against brute force: a small network whose every answer can be enumerated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from forerun.core import END, Grammar
from forerun.errors import InputError
from forerun.models._decode import Prefix, Vocabulary, expand, following, sample


class Words(Grammar[tuple[str, ...]]):
    """Up to three words; `no` ends the answer, `bar` and `baz` share a beginning."""

    def write(self, answer: tuple[str, ...]) -> list[str]:
        return list(answer)

    def read(self, pieces: Sequence[str]) -> tuple[str, ...]:
        return tuple(pieces)

    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        if len(prefix) == 3 or (prefix and prefix[-1] == "no"):
            return {END}
        return {"a", "no", "bar", "baz"} | ({END} if prefix else set())


VOCABULARY = Vocabulary({"a": 10, "no": 11}, begin=1, end=2, close=3, encode=lambda text: [ord(c) for c in text])


class Remembering:
    """Logits that depend on the source and on every token so far; its cache is the tokens themselves."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int]] = []

    def encode(self, prompts: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        return [tuple(prompt) for prompt in prompts]

    def begin(self, memory: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
        return [[()] for _ in memory]

    def step(self, memory: Any, cache: Any, parents: NDArray[np.int64], tokens: NDArray[np.int64]) -> tuple[Any, Any]:
        self.rows.append(parents.shape)
        new = [
            [(*rows[parent], int(token)) for parent, token in zip(*pair, strict=True)]
            for rows, pair in zip(cache, zip(parents, tokens, strict=True), strict=True)
        ]
        return np.array([[logits(source, row) for row in rows] for source, rows in zip(memory, new, strict=True)]), new


def logits(source: tuple[int, ...], tokens: tuple[int, ...]) -> NDArray[np.float32]:
    return np.random.default_rng([*source, 77, *tokens]).normal(size=128).astype(np.float32) * 2


def by_hand(source: tuple[int, ...]) -> dict[tuple[str, ...], float]:
    """Every answer and its probability, one token at a time."""
    found: dict[tuple[str, ...], float] = {}

    def walk(pieces: tuple[str, ...], partial: tuple[int, ...], tokens: tuple[int, ...], logprob: float) -> None:
        ways = {}
        for piece in Words().allowed(pieces):
            spelled = VOCABULARY.spell(piece)
            if spelled[: len(partial)] == partial:
                ways[spelled[len(partial)]] = piece if len(spelled) == len(partial) + 1 else None
        values = logits(source, tokens).astype(float)
        norm = math.log(sum(math.exp(values[token]) for token in ways))
        for token, piece in ways.items():
            next_logprob = logprob + values[token] - norm
            if piece == END:
                found[pieces] = next_logprob
            elif piece is None:
                walk(pieces, (*partial, token), (*tokens, token), next_logprob)
            else:
                walk((*pieces, piece), (), (*tokens, token), next_logprob)

    walk((), (), (VOCABULARY.begin,), 0.0)
    return found


def test_no_spelling_begins_with_another() -> None:
    spelled = [VOCABULARY.spell(piece) for piece in ("a", "no", "bar", "baz", "ba", END)]
    assert not any(x != y and y[: len(x)] == x for x in spelled for y in spelled)
    assert VOCABULARY.tokens(["a", "bar"]) == [10, 98, 97, 114, 3, 2]


@pytest.mark.parametrize("sources", [[(5, 6)], [(5, 6), (9,), (1, 2, 3)]])
def test_the_whole_tree_is_the_exact_distribution(sources: list[tuple[int, ...]]) -> None:
    memory = Remembering().encode(sources)
    found = expand(Remembering(), VOCABULARY, memory, [Words()] * len(sources), width=10_000, floor=1e-30)
    for source, leaves in zip(sources, found, strict=True):
        expected = by_hand(source)
        assert {leaf.pieces for leaf in leaves} == set(expected) and all(leaf.complete for leaf in leaves)
        for leaf in leaves:
            assert leaf.logprob == pytest.approx(expected[leaf.pieces], abs=1e-5)
        assert sum(math.exp(leaf.logprob) for leaf in leaves) == pytest.approx(1)
        assert [leaf.logprob for leaf in leaves] == sorted((leaf.logprob for leaf in leaves), reverse=True)


@pytest.mark.parametrize(
    ("width", "floor", "longest"), [(4, 1e-30, 64), (1000, 0.02, 64), (1000, 1e-30, 2), (1, 0.5, 9)]
)
def test_a_pruned_tree_loses_no_mass(width: int, floor: float, longest: int) -> None:
    network = Remembering()
    memory = network.encode([(5, 6)])
    (leaves,) = expand(network, VOCABULARY, memory, [Words()], width=width, floor=floor, longest=longest)
    assert sum(math.exp(leaf.logprob) for leaf in leaves) == pytest.approx(1)
    assert any(not leaf.complete for leaf in leaves) and max(rows for _, rows in network.rows) <= width
    expected = by_hand((5, 6))
    for leaf in leaves:
        if leaf.complete:
            assert leaf.logprob == pytest.approx(expected[leaf.pieces], abs=1e-5)
    # What is left of a prefix stays with it: every prefix has all the mass of the answers that begin with it.
    for start in ("a", "bar", "no"):
        under = sum(math.exp(leaf.logprob) for leaf in leaves if leaf.pieces[:1] == (start,))
        whole = sum(math.exp(logprob) for pieces, logprob in expected.items() if pieces[0] == start)
        assert under <= whole + 1e-6


def test_draws_follow_the_distribution_and_the_seed() -> None:
    def draw(n: int, seed: int, temperature: float = 1.0) -> list[Prefix]:
        sources, grammars = [(7,), (5, 6)], [Words()] * 2
        memory = Remembering().encode(sources)
        return sample(Remembering(), VOCABULARY, memory, grammars, n=n, seed=seed, temperature=temperature)[1]

    found, expected = draw(4000, 0), by_hand((5, 6))
    counts = Counter(prefix.pieces for prefix in found)
    for pieces, logprob in expected.items():
        share, p = counts[pieces] / 4000, math.exp(logprob)
        assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / 4000) + 1e-3, pieces
    assert all(prefix.logprob == pytest.approx(expected[prefix.pieces], abs=1e-5) for prefix in found[:50])
    assert draw(5, 1) == draw(5, 1) != draw(5, 2)
    assert len({prefix.pieces for prefix in draw(5, 1, temperature=0.0)}) == 1


def test_an_answer_that_does_not_end_is_incomplete() -> None:
    found = sample(Remembering(), VOCABULARY, Remembering().encode([(7,)]), [Words()], n=20, seed=0, longest=1)[0]
    assert any(not prefix.complete for prefix in found)
    assert all(
        prefix.complete == (prefix.pieces == ("no",)) for prefix in found
    )  # the end is certain, so not waited for
    assert any(prefix.complete for prefix in found)


def test_a_grammar_without_a_way_on_is_an_error() -> None:
    class Stuck(Words):
        def allowed(self, prefix: Sequence[str]) -> Collection[str]:
            return set()

    with pytest.raises(ValueError, match="dead end"):
        expand(Remembering(), VOCABULARY, Remembering().encode([(1,)]), [Stuck()])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_network_that_gives_no_numbers_is_an_error(wrong: float) -> None:
    class Damaged(Remembering):
        def step(self, *given: Any) -> tuple[Any, Any]:
            found, cache = super().step(*given)
            found[..., 100] = wrong  # of a token that no answer has
            return found, cache

    memory = Damaged().encode([(7,)])
    reads: list[Callable[[], object]] = [
        lambda: expand(Damaged(), VOCABULARY, memory, [Words()]),
        lambda: sample(Damaged(), VOCABULARY, memory, [Words()], n=4, seed=0),
        lambda: following(Damaged(), VOCABULARY, memory, [[10, 2]]),
    ]
    for read in reads:
        with pytest.raises(InputError, match="gives no numbers"):
            read()
