"""Loops that go on until a time has passed that stands in the text: `end = time.time() + 20; while time.time() < end`.

Seconds of the processor are those of the clock, as long as nothing in the loop waits.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from forerun.tasks._shapes import called, leaves

_CLOCKS = frozenset("time monotonic perf_counter process_time clock thread_time".split())
_NANO = frozenset("time_ns monotonic_ns perf_counter_ns process_time_ns".split())
_WAITING = frozenset("sleep wait join recv accept select poll".split())
_UNITS = {
    "Nanosecond": 1e-9, "Microsecond": 1e-6, "Millisecond": 1e-3, "Second": 1.0, "Minute": 60.0, "Hour": 3600.0,
}  # fmt: skip
"""What Go calls so many seconds."""
_MILLI, _MICRO, _NANO_LEAST = 50.0, 1e5, 1e8
"""Numbers from which on they count thousandths of a second, or less."""
_IN_MILLI = frozenset(("javascript", "java"))
"""Languages whose clocks count thousandths."""
Sources = Mapping[str, ast.expr]
"""What names were given."""


def ends_at(loop: ast.While, sources: Sources) -> ast.expr | None:
    """Of a loop that goes on until a time has passed how long that is, in the clock's unit; None of others."""
    if any(isinstance(one, ast.Call) and called(one) in _WAITING for stmt in loop.body for one in ast.walk(stmt)):
        return None
    for test in loop.test.values if isinstance(loop.test, ast.BoolOp) else [loop.test]:
        if (found := _limit(test, sources, (ast.Lt, ast.LtE))) is not None:
            return found
    if isinstance(loop.test, ast.Constant) and loop.test.value:
        for each in filter(leaves, loop.body):
            if (found := _limit(each.test, sources, (ast.Gt, ast.GtE))) is not None:
                return found
    return None


def seconds(many: float, language: str, nano: bool = False) -> float:
    """So many of a clock's unit."""
    if nano or many >= _NANO_LEAST:
        return many * 1e-9
    if language in _IN_MILLI and many >= _MILLI:
        return many * 1e-3
    return many * 1e-6 if many >= _MICRO else many


def in_seconds(node: ast.expr) -> ast.expr:
    """With numbers for the units that Go has names for."""
    return _Named().visit(ast.parse(ast.unparse(node), mode="eval").body)  # type: ignore[no-any-return]


class _Named(ast.NodeTransformer):
    def visit_Attribute(self, one: ast.Attribute) -> ast.expr:
        return ast.copy_location(ast.Constant(_UNITS[one.attr]), one) if one.attr in _UNITS else one


def counts_nano(loop: ast.While) -> bool:
    """Whether its clock counts in billionths."""
    return any(isinstance(one, ast.Call) and called(one) in _NANO for one in ast.walk(loop))


def _limit(test: ast.expr, sources: Sources, orders: tuple[type[ast.cmpop], ...]) -> ast.expr | None:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], orders)):
        return None
    left, right = test.left, test.comparators[0]
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub):  # `now() - start < 2`
        return right if _now(left.left, {}) and _now(left.right, sources) else None
    if not _now(left, {}):
        return None
    end = sources.get(right.id) if isinstance(right, ast.Name) else right
    if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Add):  # `now() < start + 2`
        for begun, many in ((end.left, end.right), (end.right, end.left)):
            if _now(begun, sources):
                return many
        return None
    elapses = isinstance(right, (ast.BinOp, ast.Constant)) and not any(_now(one, sources) for one in ast.walk(right))
    return right if elapses else None


def _now(node: ast.AST, sources: Sources) -> bool:
    """Whether it is what a clock says."""
    if isinstance(node, ast.Name) and node.id in sources:
        return _now(sources[node.id], {})
    return isinstance(node, ast.Call) and called(node) in _CLOCKS | _NANO and not node.args
