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


class Untranslated(ValueError):
    """There is something in a program that cannot be said."""


def translated(language: str, text: str) -> ast.Module:
    """A program as Python would say it. Raises Untranslated."""
    if language not in SPOKEN:
        raise Untranslated(language)
    module, speaker = _SPEAKERS[language]
    try:
        speaks = getattr(import_module(f"{__name__}.{module}"), speaker)()
        made: ast.Module = speaks.module(parsed(language, speaks.prepared(text)).root_node)
    except Exception as error:  # nobody has seen all programs
        raise Untranslated(f"{language}: {error}") from error
    return made
