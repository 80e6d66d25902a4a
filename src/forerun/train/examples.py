"""What a network is trained on: a prompt's tokens, an answer's tokens, and what could have stood in their place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.core import END, Grammar
from forerun.grammars.floats import DECADES, LEADS
from forerun.models.encoder_decoder.tokenizer import Tokenizer

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Example:
    """One prompt and its answer. `choices[t]` names the row of `Legal.table` for the token `target[t]`.

    `value` is the answer as a number where it is one, in log units for losses (NaN elsewhere); `group` is what ranking
    compares within, -1 for none.
    """

    task: int
    ids: Ints
    target: Ints
    choices: Ints
    value: float
    group: int
    given: int = 0
    """How many of the answer's first tokens are given: nothing is to be learned of them."""


@dataclass
class Legal:
    """The distinct sets of legal tokens, as rows."""

    vocabulary: int
    rows: dict[bytes, int] = field(default_factory=dict)
    tokens: list[NDArray[np.int64]] = field(default_factory=list)

    def row(self, tokens: NDArray[np.int64]) -> int:
        """The row for a set of tokens, a new one where it is new."""
        key = tokens.tobytes()
        if key not in self.rows:
            self.rows[key] = len(self.tokens)
            self.tokens.append(tokens)
        return self.rows[key]

    def table(self) -> NDArray[np.bool_]:
        """`[rows, V]`, true where a token is legal."""
        found = np.zeros((len(self.tokens), self.vocabulary), bool)
        for row, tokens in zip(found, self.tokens, strict=True):
            row[tokens] = True
        return found


@dataclass(frozen=True, slots=True)
class Labelled:
    """A prompt with its answer, before tokens: what corpora and stores give to training."""

    task: str
    prompt: str
    answer: Any
    value: float = float("nan")
    group: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """All that a training reads: `places` is what `places` makes of the legal sets, with those of both parts in it."""

    examples: Sequence[Example]
    validation: Sequence[Example]
    legal: Legal
    places: NDArray[np.float32]


def tokenised(
    rows: Iterable[Labelled], grammars: Mapping[str, Grammar[Any]], tokenizer: Tokenizer, legal: Legal, context: int
) -> list[Example]:
    """Examples for training. Prompts are cut to `context` tokens."""
    tasks = {name: i for i, name in enumerate(grammars)}
    groups: dict[str, int] = {}
    found = []
    for row in rows:
        pieces = grammars[row.task].write(row.answer)
        target, choices = spelled(pieces, grammars[row.task], tokenizer, legal)
        ids = np.array(tokenizer.ends(row.prompt, context), np.int32)
        group = groups.setdefault(f"{row.task}\0{row.group}", len(groups)) if row.group else -1
        found.append(Example(tasks[row.task], ids, target, choices, row.value, group))
    return found


def spelled(pieces: Sequence[str], grammar: Grammar[Any], tokenizer: Tokenizer, legal: Legal) -> tuple[Ints, Ints]:
    """The tokens of an answer, END with it, and for each the row of those that were legal in its place."""
    vocabulary, target, choices = tokenizer.vocabulary, list[int](), list[int]()
    for i, piece in enumerate([*pieces, END]):
        allowed = grammar.allowed(pieces[:i])
        spelled = vocabulary.spell(piece)
        for t, token in enumerate(spelled):
            choices.append(legal.row(vocabulary.choices(allowed, spelled[:t]).tokens))
            target.append(token)
    return np.array(target, np.int32), np.array(choices, np.int32)


def places(legal: Legal, tokenizer: Tokenizer) -> NDArray[np.float32]:
    """`[rows, V]`: where a legal token lies among those of its kind, in decades; NaN where that means nothing.

    A decade lies at itself and a first pair of digits at its logarithm, so that the sum is the number's. Later pairs
    matter too little to be told where they lie.
    """
    atoms = {i: piece for piece, i in tokenizer.vocabulary.atoms.items()}
    found = np.full((len(legal.tokens), legal.vocabulary), np.nan, np.float32)
    for row, tokens in zip(found, legal.tokens, strict=True):
        pieces = [atoms.get(int(token), "") for token in tokens]
        if set(pieces) <= set(DECADES):
            row[tokens] = [int(piece[1:]) for piece in pieces]
        elif set(pieces) <= set(LEADS):
            row[tokens] = [math.log10(int(piece) / 10) for piece in pieces]
    return found
