"""Python's own syntax tree of a text."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

from forerun.prompts import readable


@lru_cache(maxsize=1)
def tree(text: str) -> ast.Module:
    """Python's own; kept, as more than one ask. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it may mean, which is not asked
        return ast.parse(readable(text))  # bytes of another encoding are no matter of syntax


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """The names that a statement binds, with what they stand for: `np` for `numpy`, `sqrt` for `math.sqrt`."""
    if isinstance(node, ast.ImportFrom):
        return {each.asname or each.name: f"{node.module or ''}.{each.name}" for each in node.names if each.name != "*"}
    paths = ((each.asname, each.name if each.asname else each.name.partition(".")[0]) for each in node.names)
    return {name or path: path for name, path in paths}
