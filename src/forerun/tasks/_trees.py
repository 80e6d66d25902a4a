"""Syntax trees of programs, by tree-sitter's grammars: each is a wheel of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

GRAMMARS: Mapping[str, tuple[str, str]] = {
    "c": ("tree_sitter_c", "language"),
    "c++": ("tree_sitter_cpp", "language"),
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "perl": ("tree_sitter_perl", "language"),
    "lua": ("tree_sitter_lua", "language"),
}
"""By language the module, and what of it gives the grammar. All but Python's are there wherever this package is."""


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser

    module, function = GRAMMARS[language]
    grammar = getattr(import_module(module), function)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Perl's is a plain address
        return Parser(Language(grammar))


def parsed(language: str, text: str) -> Tree:
    """Its tree. Raises KeyError where no grammar is known, ImportError where it is not there."""
    return _parser(language).parse(text.encode("utf-8", "replace"))
