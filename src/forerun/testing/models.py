"""The laws of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from forerun.core import Grammar, Model, Trial

A = TypeVar("A")


def check_model(
    model: Model, grammar: Grammar[A], prompt: str = "", histories: Sequence[Sequence[Trial[A]]] = ((),), n: int = 8
) -> None:
    """Same arguments, same drafts; at most n; every draft lies in the grammar; the history is left alone."""
    for history in histories:
        for seed in (0, 1):
            before = list(history)
            first = model.sample(prompt, grammar, n, seed, history)
            again = model.sample(prompt, grammar, n, seed, history)
            assert [d.answer for d in first] == [d.answer for d in again], f"{model.name}: not the same drafts twice"
            assert list(history) == before, f"{model.name}: changed the history"
            assert len(first) <= n, f"{model.name}: {len(first)} drafts where {n} were asked for"
            for draft in first:
                assert draft.answer is not None, f"{model.name}: a draft without an answer"
                assert draft.origin, f"{model.name}: a draft that does not say where it comes from"
                assert grammar.parse(grammar.text(draft.answer)) == draft.answer, f"{model.name}: outside the grammar"
        assert model.sample(prompt, grammar, 0, 0, history) == [], f"{model.name}: drafts where none were asked for"
