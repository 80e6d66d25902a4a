"""Programs that are others only by a name: what is known of the one is known of the other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from forerun.prompts import parts
from forerun.tasks._trees import GRAMMARS, parsed

_NAMES = ("main", "run", "value", "result", "data", "count", "item", "compute", "x", "helper")
"""That any program may use."""


def renamed(prompts: Sequence[str]) -> list[str]:
    """The prompts with another name for one thing in each program, the next one in each; without texts that are no
    program, or name nothing."""
    found = []
    for i, prompt in enumerate(prompts):
        asked = parts(prompt)
        own = sorted(set(_names(asked.head.get("language", "").partition(",")[0], asked.text)))
        others = [name for name in _NAMES if not re.search(rf"\b{name}\b", asked.text)]
        if own and others:
            text = re.sub(rf"\b{re.escape(own[i % len(own)])}\b", others[i % len(others)], asked.text)
            found.append(prompt.removesuffix(asked.text) + text)
    return found


def _names(language: str, text: str) -> Iterator[str]:
    """Of functions and variables; of Python those that the program itself names."""
    if language == "python":
        try:
            nodes = [*ast.walk(ast.parse(text))]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                yield node.name
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
    elif language in GRAMMARS:
        below = [parsed(language, text).root_node]
        while below:
            found = below.pop()
            below += found.children
            if found.type == "identifier" and found.text:
                yield found.text.decode()
