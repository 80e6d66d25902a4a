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
