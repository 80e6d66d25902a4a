"""Pre-training on code without labels: gaps are cut out of a text, and the decoder writes what stood in them.

Span corruption of T5 (Raffel et al. 2020): 15% of the tokens in gaps of three on average, each gap marked by a token of
its own, which comes before its tokens in the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forerun.models.encoder_decoder.tokenizer import END, MASKS, Tokenizer
from forerun.train.examples import Example, Legal

SHARE = 0.15
"""Of the tokens that are cut out."""
GAP = 3
"""Tokens of a gap, on average."""


def denoised(
    texts: Sequence[str], tokenizer: Tokenizer, legal: Legal, context: int, *, task: int = 0, seed: int = 0
) -> list[Example]:
    """One example from each piece of at most `context` tokens of each text; pieces under eight tokens are left out."""
    anything = np.array([END, *MASKS, *range(MASKS.stop, tokenizer.size)], np.int64)
    row = legal.row(anything)
    draw = np.random.default_rng(seed)
    found = []
    for text in texts:
        ids = tokenizer.encode(text).ids
        for start in range(0, len(ids), context):
            piece = np.array(ids[start : start + context], np.int32)
            if len(piece) >= 8:
                kept, answer = corrupted(piece, draw)
                choices = np.full(len(answer), row, np.int32)
                found.append(Example(task, kept, answer, choices, math.nan, -1))
    return found


def corrupted(ids: NDArray[np.int32], draw: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """A text with gaps, and what stood in them: `[S]` and `[T]`."""
    gaps = min(len(MASKS), max(1, round(len(ids) * SHARE / GAP)))
    lengths = np.minimum(draw.geometric(1 / GAP, gaps), 3 * GAP)
    places = np.sort(draw.choice(len(ids), gaps, replace=False))
    kept: list[NDArray[np.int32]] = []
    answer: list[NDArray[np.int32]] = []
    at = 0
    for place, length, mask in zip(places.tolist(), lengths.tolist(), MASKS, strict=False):
        start, end = max(place, at), min(max(place, at) + length, len(ids))
        if start >= end:
            break
        kept += [ids[at:start], np.array([mask], np.int32)]
        answer += [np.array([mask], np.int32), ids[start:end]]
        at = end
    return np.concatenate([*kept, ids[at:]]), np.concatenate([*answer, np.array([END], np.int32)])
