"""The laws of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from forerun.core import Grammar, Metric, Model, Trial
from forerun.errors import InputError
from forerun.models._predictor import Predictor
from forerun.prompts import prompt as prompt_of
from forerun.rows import Row

A = TypeVar("A")


def check_model(
    model: Model, grammar: Grammar[A], prompt: str = "", histories: Sequence[Sequence[Trial[A]]] = ((),), n: int = 8
) -> None:
    """Same arguments, same drafts; at most n; every draft lies in the grammar; the history is left alone. All of that
    holds for its hasty variant too.

    A predictor is first taught a few toy rows, and keeps the laws of `check_predictor` too.
    """
    if isinstance(model, Predictor):
        check_predictor(model)
    _drafting(model, grammar, prompt, histories, n)
    if (hasty := model.hasty()) is not model:
        _drafting(hasty, grammar, prompt, histories, n)


def _drafting(model: Model, grammar: Grammar[A], prompt: str, histories: Sequence[Sequence[Trial[A]]], n: int) -> None:
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


def check_predictor(model: Predictor) -> None:
    """Same rows and seed, same beliefs, one a prompt, each a finite number; a cost of zero is a number like others.

    Rows are not changed by it; too few raise InputError. It is left fitted to toy rows.
    """
    try:
        model.fit([])
    except InputError:
        pass
    else:
        raise AssertionError(f"{model.name}: learns from nothing")
    for rows in (toy_rows(zero=True), toy_rows()):
        prompts = [row.prompt for row in rows] + ["", "a text without a head"]
        before = list(rows)
        model.fit(rows, 1)
        first = model.predict(prompts)
        assert rows == before, f"{model.name}: changed the rows"
        assert len(first) == len(prompts), f"{model.name}: {len(first)} beliefs for {len(prompts)} prompts"
        for found in first:
            assert math.isfinite(found.median), f"{model.name}: expects {found.median}"
    model.fit(rows, 1)
    assert model.predict(prompts) == first, f"{model.name}: not the same beliefs twice"
    assert model.predict([]) == [], f"{model.name}: beliefs about nothing"


def toy_rows(*, zero: bool = False) -> list[Row]:
    """Loops in C and Python, three a group, that cost more the longer they are; with `zero` some cost nothing."""
    metric, rows = Metric("memory", "B"), []
    for i in range(36):
        language = ("c", "python")[i % 2]
        one = f"while (x < {i}) x += {i};\n" if language == "c" else f"while x < {i}: x += {i}\n"
        text, device = one * (i // 3 + 1), ("small", "large")[i % 3 == 0]
        made = prompt_of(metric, language, device, text, counters={"loops": i // 3 + 1, "flops": 10.0 * i})
        rows.append(Row(metric.name, metric.unit, made, 0.0 if zero and i % 9 == 0 else 100.0 * (i + 1), f"g{i // 3}"))
    return rows
