"""What all of something is gone through, moved or copied for, each time that a little is looked for, taken out or
added, for `forerun.tasks._walked`: `x in seen`, `queue.pop(0)`, `text = word + text`, `all = {**all, key: value}`.

In a loop what grows has half of what it has in the end, in the mean.
"""

from __future__ import annotations

import ast
from typing import Any

from forerun.tasks._containers import Containers
from forerun.tasks._objects import MANY, Boxes, Written

_COPIED_NS, _FAR_NS, _CACHE = 0.025, 0.1, 3.2e7
"""Nanoseconds of a byte that is copied to a new place, of one of so much that no cache holds it, and how many bytes
that is."""
_LISTS = frozenset(("list", "tuple", "array", "bytearray"))
_SHORT = 8.0
"""Elements up to which the call takes longer than they do."""
_HALF = 0.5
_TEXT, _COMPILED_TEXT = 2.2, 3.5
"""How many times as long it takes to compare an element that is a text, and where that is compiled."""


class Copying(Containers):
    """How long it takes, beside the call."""

    def unseen(self, nanoseconds: float) -> None:
        """So long, which no loop shows."""
        before = self.seconds
        self.work(nanoseconds)
        self.hidden += self.seconds - before

    def copied(self, size: float) -> None:
        """So many bytes, to a new place."""
        self.unseen(size * (_COPIED_NS if size <= _CACHE else _FAR_NS))

    def sought(self, box: Any) -> None:
        """One is looked for among the elements of a list, and is there half of the time, where nobody knows: then
        halfway, in the mean."""
        if isinstance(box, Boxes) and box.kind in _LISTS and (many := self.length(box) or 0.0) > _SHORT:
            absent = _HALF if self.absent is None else self.absent
            hard = 1.0 if not isinstance(box.one, Written) else _TEXT if not self.tempo.missed else _COMPILED_TEXT
            self.unseen(self.tempo.sought * hard * many * (1.0 - _HALF * (1.0 - absent)))

    def shifted(self, box: Boxes, place: Any) -> None:
        """All that is behind a place of a list moves by one; of a list that is emptied so half, in the mean."""
        first = place is box or getattr(place, "known", None) == 0.0
        many = self.length(box) or 0.0
        if box.kind not in _LISTS or not (first or place is None) or many <= _SHORT:
            return
        wide = box.each / 8.0 if box.kind != "list" or box.flat else 1.0
        emptied = self.times > 1.0 and self.times >= _HALF * box.puts
        self.unseen(self.tempo.moved * many * wide * (_HALF if emptied else 1.0))

    def copied_all(self, box: Boxes) -> None:
        """All elements of a list, or keys of a mapping, that grows to be so large."""
        many = _HALF * (self.length(box) or 0.0)
        self.unseen(many * self.tempo.spread) if box.kind == "dict" else self.copied(8.0 * many)

    def joined(self, text: Written, ahead: bool) -> None:
        """A text is made of itself and some more, which may be `ahead` of it: all of it is copied, where a language
        does not add what is behind it in its place."""
        if ahead >= self.tempo.joins:
            self.copied(_HALF * min(text.length, MANY))


def within(source: ast.expr, name: str) -> list[ast.expr] | None:
    """What is put together to a text, or a list, one of which has this name, and no other; None of others."""
    parts = _summed(source)
    return parts if sum(isinstance(one, ast.Name) and one.id == name for one in parts) == 1 < len(parts) else None


def _summed(source: ast.expr) -> list[ast.expr]:
    if isinstance(source, ast.BinOp) and isinstance(source.op, ast.Add):
        return [*_summed(source.left), *_summed(source.right)]
    if isinstance(source, ast.JoinedStr):
        plain = (one.value if isinstance(one, ast.FormattedValue) else one for one in source.values)
        return [part for one in plain for part in _summed(one)]
    return [source]


def spread_out(source: ast.expr, name: str) -> list[tuple[ast.expr | None, ast.expr]] | None:
    """Of `[*name, x]`, `name + [x]` and `{**name, key: x}` what is added: keys, if any, and values."""
    if isinstance(source, ast.Dict):
        pairs = [*zip(source.keys, source.values, strict=True)]
        own = [value for key, value in pairs if key is None]
        if [ast.unparse(one) for one in own] == [name] and len(pairs) > 1:
            return [(key, value) for key, value in pairs if key is not None]
    if (
        isinstance(source, ast.BinOp) and isinstance(source.op, ast.Add) and isinstance(source.right, ast.List)
        and ast.unparse(source.left) == name
    ):  # fmt: skip
        return [(None, value) for value in source.right.elts if not isinstance(value, ast.Starred)] or None
    if isinstance(source, (ast.List, ast.Tuple)):
        stars = [one.value for one in source.elts if isinstance(one, ast.Starred)]
        if [ast.unparse(one) for one in stars] == [name] and len(source.elts) > 1:
            return [(None, one) for one in source.elts if not isinstance(one, ast.Starred)]
    return None
