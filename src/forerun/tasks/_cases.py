"""How often each case of a `match` is the one, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from forerun.tasks._objects import MANY, Number, Written

_RARE = 0.1
"""How many of what is left of a number's values there are at least."""


def _ways(pattern: ast.pattern) -> tuple[Sequence[ast.pattern], bool]:
    """The patterns that are as good as this one, and whether it takes all that is left."""
    several = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    return several, isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _values(case: ast.match_case) -> tuple[list[Any] | None, bool]:
    """What a case is there for, all written out, and whether it takes all that is left; None where more is asked."""
    each, rest = _ways(case.pattern)
    values = [one.value.value for one in each
              if isinstance(one, ast.MatchValue) and isinstance(one.value, ast.Constant)]  # fmt: skip
    return None if case.guard is not None or (not rest and len(values) < len(each)) else values, rest


def _written_shares(shares: Mapping[str, float], cases: Sequence[ast.match_case]) -> list[float]:
    """The same of a text that is one of a few."""
    found = list[float]()
    for case in cases:
        values, rest = _values(case)
        if values is None:
            return []
        found.append(max(1.0 - sum(found), 0.0) if rest else sum(shares.get(str(one), 0.0) for one in values))
    return found


def _told(value: Any, cases: Sequence[ast.match_case]) -> list[float]:
    """The same where it is known what is asked about; none where that is not enough."""
    found = list[float]()
    for case in cases:
        values, rest = _values(case)
        if values is None:
            return []
        same = rest or value in values
        found.append(float(same and not any(found)))
    return found if any(found) else []


def shares(subject: Any, cases: Sequence[ast.match_case], alone: bool = False) -> list[float]:
    """How often each of these is the one: of a number that is drawn each of those that are written out comes as often
    as any other, and what is left takes the rest; nobody knows of others, which are as often one as another."""
    even = [1 / max(len(cases), 1)] * len(cases)
    if alone and getattr(subject, "known", None) is not None and (told := _told(subject.known, cases)):
        return told
    if isinstance(subject, Written) and subject.shares is not None:
        return _written_shares(subject.shares, cases) or even
    if not (isinstance(subject, Number) and subject.drawn and subject.distinct < MANY):
        return even
    found = list[float]()
    for case in cases:
        each, rest = _ways(case.pattern)
        if case.guard is not None or not (rest or all(isinstance(one, ast.MatchValue) for one in each)):
            return even
        few = sum(found) + len(each)
        found.append(max(subject.distinct - few + 1, _RARE) if rest else float(len(each)))
    return [share / sum(found) for share in found]
