"""The laws of a grammar."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

from forerun.core import END, Grammar

A = TypeVar("A")


def walk(grammar: Grammar[A], draw: random.Random, most: int = 60) -> list[str]:
    """One random sequence that `allowed` produces, ended as soon as it may be after `most` pieces."""
    pieces: list[str] = []
    while True:
        allowed = list(grammar.allowed(pieces))
        assert allowed, f"a dead end: nothing may follow {pieces}"
        assert len(allowed) == len(set(allowed)), f"a piece is offered twice after {pieces}"
        if END in allowed and (len(pieces) >= most or draw.random() < 0.1 or allowed == [END]):
            return pieces
        assert len(pieces) < 100 * most, "the grammar does not let an answer end"
        pieces.append(draw.choice([piece for piece in allowed if piece != END]))


def check_grammar(grammar: Grammar[A], answers: Iterable[A] = (), walks: int = 200, seed: int = 0) -> None:
    """`read(write(a)) == a`; what `allowed` produces is readable; an answer has one spelling; text and back."""
    draw = random.Random(seed)
    for answer in answers:
        _round_trip(grammar, answer)
    for _ in range(walks):
        pieces = walk(grammar, draw)
        answer = grammar.read(pieces)
        assert grammar.write(answer) == pieces, f"two spellings of {answer}: {pieces} and {grammar.write(answer)}"
        _round_trip(grammar, answer)


def _round_trip(grammar: Grammar[A], answer: A) -> None:
    pieces = grammar.write(answer)
    assert grammar.read(pieces) == answer, f"read(write(a)) is not a: {answer}"
    for i in range(len(pieces)):
        assert pieces[i] in grammar.allowed(pieces[:i]), f"{pieces[i]!r} is written but not allowed after {pieces[:i]}"
    assert END in grammar.allowed(pieces), f"the answer may not end: {answer}"
    text = grammar.text(answer)
    assert grammar.parse(text) == answer, f"parse(text(a)) is not a: {text}"
