"""Loops that go on until a sum is large whose steps become longer, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from forerun.tasks._shapes import plain, uses

_MOST, _HALVED = 1e8, 40
"""Rounds, at most, and steps in which they are found."""
_PLACES, _APART = 28, 10**0.5
"""Where steps are looked at that follow from what has been reached, and how much further each of these is."""
_SIMPSON = (0.0, 0.5, 0.5, 0.5, 0.5, 1.0)
"""Where steps are looked at that become longer: their mean is right up to cubes."""


def counters(body: Sequence[ast.stmt], step: ast.expr) -> list[tuple[str, ast.expr]]:
    """Of `total += k * k` with `k += 1` what the steps follow from, and by how much that goes on each round."""
    if not plain(step):
        return []
    adds = [one for one in body if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add)]
    found = [(one.target.id, one.value) for one in adds if isinstance(one.target, ast.Name)]
    return [(name, by) for name, by in found if uses(step, name)]


def rounds_to(far: float, step: Callable[[float], float], by: float) -> float:
    """Rounds in which a sum goes so far, where a step is as long as `step` says once something has gone on by so much,
    which it does by so much each round."""

    def sum_of(rounds: float) -> float:
        return rounds * sum(abs(step(share * rounds * by)) for share in _SIMPSON) / len(_SIMPSON)

    few, many = 1.0, 2.0
    while many < _MOST and sum_of(many) < far:
        few, many = many, 2 * many
    for _ in range(_HALVED):
        middle = (few + many) / 2
        few, many = (middle, many) if sum_of(middle) < far else (few, middle)
    return many


def rounds_along(start: float, end: float, step: Callable[[float], float]) -> float | None:
    """Rounds in which something goes so far, where a step is as long as `step` says of what has been reached; None of
    those that go nowhere."""
    places = [start, *(each for k in range(_PLACES + 1) if (each := end * _APART ** (k - _PLACES)) > start)]
    rounds = 0.0
    for low, high in pairwise(places):
        middle = math.sqrt(low * high) if low > 0 else high / 2
        if (by := step(middle)) <= 0:
            return None
        rounds += math.log(high / low) / math.log1p(by / middle) if low > 0 else high / by
    return rounds
