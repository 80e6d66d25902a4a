"""Texts that a program puts together of several with a mark between them, for `forerun.tasks._walked`: what it takes
apart again is what it was."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from forerun.tasks._figures import ANEW, FEW, WRITTEN_OUT, wide
from forerun.tasks._objects import MANY, Number, Words, Written, any_where_unknown, differing, drawn, merged

_MARKS = frozenset((",", " ", "\t", ";", "|", ":"))


def as_word(value: Any, spec: str = "") -> Written | None:
    """A value as it is written, in this form; None where it may hold marks itself."""
    if isinstance(value, Written):
        plain = value.words is None and value.pieces is None and not any(mark in value.sample for mark in _MARKS)
        return value if plain else None
    if not isinstance(value, Number) or value.usual:
        return None
    long = wide(value, spec)
    many = max(min(differing(any_where_unknown(value)), MANY), ANEW)
    return Written("x" * int(min(long, WRITTEN_OUT)), long, many, number=value, drawn=drawn(value))


def rowed(each: Sequence[Written | None], mark: str) -> Words | None:
    """The words of a text that is made of these; None where that is not told."""
    found = [one for one in each if one is not None]
    if not 2 <= len(found) == len(each) <= FEW or mark not in _MARKS:
        return None
    return Words(float(len(found)), reduce(merged, found), tuple(found), "" if mark == " " else mark)


def mark_of(node: ast.JoinedStr) -> str:
    """What stands between all values of a text that is written out: nothing where that differs, or where there is more
    than one value or the end of a line around them."""
    values = [place for place, each in enumerate(node.values) if isinstance(each, ast.FormattedValue)]
    if len(values) < 2 or values[0] > 0 or len(node.values) - values[-1] > 2:
        return ""
    last = node.values[-1]
    if isinstance(last, ast.Constant) and str(last.value).strip("\r\n"):
        return ""
    between = [node.values[place + 1 : after] for place, after in pairwise(values)]
    marks = {str(one[0].value) if len(one) == 1 and isinstance(one[0], ast.Constant) else "" for one in between}
    return marks.pop() if len(marks) == 1 else ""
