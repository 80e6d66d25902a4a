"""Numbers as tokens that know their size: one token for a number in a prompt, features for every numeric token.

A counter such as ⟨1.2e6⟩ is one token, `e6:12`. Its embedding, like that of the decades and digits of answers, is a
learned linear map of fixed features of its logarithm (waves of several lengths, as positions have them: Vaswani et al.
2017), so that a size never seen lies between its neighbours, in prompts and in answers.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from forerun.grammars.floats import DECADES, LEADS, PAIRS, PIECES

_RANGE = range(-9, 18)
"""Decades of numbers that are one token: billionths to billions of billions; others are spelled."""
READ = tuple(f"e{decade}:{lead}" for decade, lead in product(_RANGE, LEADS))
"""Numbers in prompts, two digits each."""
ATOMS = (*PIECES, *READ)
"""The numeric tokens in the order of their ids."""

_DECADES = (1024.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5)
"""Wave lengths over logarithms, in decades; decades of answers have those of 4 and more."""
_DIGITS = (2.0, 1.0, 0.5, 0.25)
"""Wave lengths over digits, in decades or tens of hundreds."""
FEATURES = 4 + 2 * len(_DECADES) + 2 * len(_DIGITS)


def token(pieces: list[str]) -> str:
    """The one token of a spelled number, where it has one: `+ e6 12` is `e6:12`."""
    return ":".join(pieces[1:]) if len(pieces) == 3 and pieces[0] == "+" else ""


def features() -> NDArray[np.float32]:
    """`[len(ATOMS), FEATURES]`: kind, waves over the logarithm, waves over digits; zero for signs and specials."""
    found = np.zeros((len(ATOMS), FEATURES), np.float32)
    kinds, logs, digits = 0, 4, 4 + 2 * len(_DECADES)
    for row, atom in zip(found, ATOMS, strict=True):
        decade, _, lead = atom.partition(":")
        if lead:
            row[kinds] = 1
            row[logs:digits] = _waves(int(decade[1:]) + math.log10(int(lead) / 10), _DECADES)
        elif atom in _DECADE_SET:
            row[kinds + 1] = 1
            slow = _waves(int(atom[1:]) + 0.5, _DECADES[:6])
            row[logs : logs + len(slow)] = slow
        elif atom in _PAIR_SET:
            row[kinds + 2] = 1
            row[kinds + 3] = int(atom) / 100
            row[digits:] = _waves(math.log10(max(int(atom), 1) / 10), _DIGITS)
    return found


_DECADE_SET, _PAIR_SET = frozenset(DECADES), frozenset(PAIRS)


def _waves(x: float, lengths: tuple[float, ...]) -> list[float]:
    return [wave(2 * math.pi * x / length) for length in lengths for wave in (math.sin, math.cos)]
