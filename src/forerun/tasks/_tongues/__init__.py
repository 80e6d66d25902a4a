"""Programs of other languages as Python would say it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module

from forerun.tasks._trees import parsed

_SPEAKERS: Mapping[str, tuple[str, str]] = {
    "php": ("_php", "PHP"),
    "javascript": ("_javascript", "JavaScript"),
    "c": ("_c", "C"),
    "c++": ("_cpp", "Cpp"),
    "java": ("_java", "Java"),
    "rust": ("_rust", "Rust"),
    "go": ("_go", "Go"),
    "perl": ("_perl", "Perl"),
    "ruby": ("_ruby", "Ruby"),
    "lua": ("_lua", "Lua"),
}
SPOKEN = frozenset(_SPEAKERS)
"""Languages that are translated."""


def translated(language: str, text: str) -> ast.Module:
    """A program as Python would say it. Raises what there is to raise: nobody has seen all programs."""
    module, speaker = _SPEAKERS[language]
    speaks = getattr(import_module(f"{__name__}.{module}"), speaker)()
    made: ast.Module = speaks.module(parsed(language, speaks.prepared(text)).root_node)
    return made
