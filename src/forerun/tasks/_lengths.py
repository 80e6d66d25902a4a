"""Lists of which nothing but how long they are is told, for `forerun.tasks._skeletons`: of `items[:i] + items[i + 1:]`
that it has one less than `items`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_ADDING, _TAKING = frozenset("append appendleft insert".split()), frozenset("pop popleft".split())
_ORDERING = frozenset("sort reverse".split())
_EXTENDING = "extend"
_EMPTYING = "clear"
_ALTERING = _ADDING | _TAKING | _ORDERING | {_EXTENDING, _EMPTYING, "remove"}
PLAIN = frozenset("len min max abs list tuple sorted reversed range enumerate print sum set str any all zip".split())
"""Functions that leave lists as they are which they are given."""
_READING = frozenset("copy index count join".split())
"""The same of methods."""


@dataclass(frozen=True, slots=True)
class Many:
    """A list, or a text, of so many."""

    count: int
    one: Any = None
    """What all of its elements are alike: a list of so many, or a text; None where they are not, or nobody knows."""

    def __len__(self) -> int:
        return self.count


def long_of(value: Any) -> int | None:
    """How long a list is; None of what is none."""
    return len(value) if isinstance(value, (tuple, Many)) else None


def alike(values: Iterable[Any]) -> Any:
    """What all of these are: lists, or texts, of as many; None of others."""
    kinds = {Many(len(one)) if isinstance(one, (str, tuple, Many)) else None for one in values}
    return kinds.pop() if len(kinds) == 1 else None


def through(value: Any) -> Any:
    """A list of all that something has."""
    return value if isinstance(value, Many) else tuple(value)


def joined(parts: Sequence[tuple[bool, Any]], unknown: Any) -> Any:
    """A list that is written out: which of its parts are lists themselves that are spread out there, and what they are;
    `unknown` where that does not tell how long it is."""
    made, count, told = list[Any](), 0, True
    for spread, value in parts:
        if spread and long_of(value) is None and not isinstance(value, str):
            return unknown
        told = told and not isinstance(value, Many) and value is not unknown
        count += len(value) if spread else 1
        made += value if spread and told else [value]
    return tuple(made) if told else Many(count, None if any(spread for spread, _ in parts) else alike(made))


def moved(owner: Any, method: str, given: Sequence[Any], unknown: Any) -> Any:
    """What a list is behind one of its methods."""
    long = len(owner)
    if method in _READING:
        return owner
    if method in _ORDERING:
        return Many(long, one_of(owner))
    if method in _ADDING:
        return Many(long + 1, alike([*([one_of(owner)] if long else []), *given[-1:]]))
    if method in _TAKING:
        return Many(max(long - 1, 0), one_of(owner))
    more = long_of(given[0]) if method == _EXTENDING and len(given) == 1 else None
    return Many(long + more) if more is not None else Many(0) if method == _EMPTYING else unknown


def one_of(value: Any) -> Any:
    """What all elements of a list are alike."""
    return value.one if isinstance(value, Many) else alike(value)


def compared(op: ast.cmpop, one: Any, other: Any, unknown: Any) -> Any:
    """Whether two lists are the same, where how long they are tells that."""
    longs = long_of(one), long_of(other)
    if not isinstance(op, (ast.Eq, ast.NotEq)) or None in longs or (longs[0] == longs[1] and longs[0]):
        return unknown
    return (longs[0] == longs[1]) == isinstance(op, ast.Eq)


def altered(node: ast.AST) -> set[str]:
    """Names of lists that become longer or shorter there, without being given another one."""
    return {
        one.func.value.id for one in ast.walk(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _ALTERING
        and isinstance(one.func.value, ast.Name)
    }  # fmt: skip
