"""What is filled until it is full and then begun anew: `if len(batch) >= 100: send(batch); batch = []`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

EMPTIED, ANOTHER = 1, 2
"""All or some is taken out of it, or another one has its name."""
_GATHERING = frozenset("list dict set deque bytearray str StringIO BytesIO".split())


def flushed(body: Sequence[ast.stmt], asked: ast.expr, function: Callable[[str], ast.FunctionDef | None]) -> int:
    """What happens to a name or an attribute in these statements or, of an attribute, in one of the program's own
    functions that they call: `EMPTIED`, `ANOTHER` or nothing."""
    if not isinstance(asked, (ast.Name, ast.Attribute)):
        return 0
    named, inside = ast.unparse(asked), [*_nodes(body)]
    found = max(_what(one, named) for one in inside)
    if found or isinstance(asked, ast.Name):
        return found
    calls = (one.func for one in inside if isinstance(one, ast.Call))
    own = (function(one.attr) for one in calls if isinstance(one, ast.Attribute))
    return max((_what(one, named) for each in own if each is not None for one in _nodes(each.body)), default=0)


def begins(value: ast.expr) -> bool:
    """Whether it is something new that has nothing yet."""
    if isinstance(value, (ast.List, ast.Set, ast.Tuple)):
        return not value.elts
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _GATHERING and not value.args
    return isinstance(value, ast.Dict) and not value.keys


def _nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    return (one for stmt in body for one in ast.walk(stmt))


def _what(node: ast.AST, named: str) -> int:
    if isinstance(node, ast.Assign):
        return max(_given(target, node.value, named) for target in node.targets)
    if isinstance(node, ast.Delete):
        parts = (one for one in node.targets if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice))
        return EMPTIED if any(ast.unparse(one.value) == named for one in parts) else 0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clear":
        return EMPTIED if ast.unparse(node.func.value) == named else 0
    return 0


def _given(target: ast.expr, value: ast.expr, named: str) -> int:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return max(_given(*pair, named) for pair in zip(target.elts, value.elts, strict=True))
    if ast.unparse(target) != named:
        return 0
    if begins(value):
        return ANOTHER
    part = isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) and ast.unparse(value.value) == named
    return EMPTIED if part or (isinstance(value, ast.Constant) and value.value in ("", b"")) else 0
