"""Whether a program's text can be one: for Python its own parser says it, for some a grammar, for others like C their
brackets.

A sign for people and no judge: compilers are not asked. Where strings or the preprocessor of a language may hide a
bracket nothing is said, nor of languages without any sign. Of 44,600 files of C, C++, Go, Java and Rust their brackets
name 41; no compiler took any of the dozen that were tried. Of 1,108 files of JavaScript, Lua, PHP, Ruby and Rust their
grammars name two of PHP, which PHP 8 does not take; Perl's names three of 432 that Perl runs, and is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from forerun.tasks._counters import skipped
from forerun.tasks._python import tree
from forerun.tasks._trees import parsed

_MOST = 1 << 18
"""Characters that Python's parser is given: with more it would be waited for. Brackets are looked at in all of them."""
_GRAMMARS = frozenset(("go", "java", "javascript", "lua", "php", "ruby", "rust"))
"""Whose texts are looked at by a grammar, up to as many characters."""
_CLOSING = {")": "(", "]": "[", "}": "{"}
_HIDING: Mapping[str, str] = {
    "c": r"^[ \t]*\#[ \t]*(?:else|elif|define)|\\$",
    "c++": r"^[ \t]*\#[ \t]*(?:else|elif|define)|\\$|R\"",
    "java": r'"""',
    "go": r"(?!)",
    "rust": r"r\#*\"|macro_rules!",
}
"""What may hold brackets that are none, or one of two that are."""


def broken(language: str, text: str) -> str:
    """Why it does not parse, with the line; nothing where it does, or where nothing tells. Never raises."""
    if language == "python":
        return _python(text)
    hidden = language not in _HIDING or re.search(_HIDING[language], text, re.MULTILINE)
    found = "" if hidden else _brackets(language, text)
    return found or (_error(language, text) if language in _GRAMMARS and len(text) <= _MOST else "")


def _python(text: str) -> str:
    if len(text) > _MOST:
        return _brackets("python", text)
    try:
        tree(text)
    except SyntaxError as error:
        return f"line {error.lineno or 1}: {error.msg}"
    except ValueError:  # no text
        return ""
    except (RecursionError, MemoryError):  # nested deeper than it can be told
        return _brackets("python", text)
    return ""


def _error(language: str, text: str) -> str:
    """The first place that a language's grammar has no name for."""
    left = [parsed(language, text).root_node]
    while left:
        node = left.pop()
        if node.is_missing:
            return f"line {node.start_point[0] + 1}: {node.type} is missing"
        if node.is_error:
            return f"line {node.start_point[0] + 1}: nothing of {language} begins like this"
        left += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return ""


def _brackets(language: str, text: str) -> str:
    """The first bracket without its other one."""
    opened: list[tuple[str, int]] = []
    for found in _pattern(language).finditer(text):
        mark = found[0]
        if mark[0] == '"' and (len(mark) == 1 or mark[-1] != '"'):
            return ""  # a string that goes on behind the line: what stands there may be text
        if mark in _CLOSING:
            if not opened or opened.pop()[0] != _CLOSING[mark]:
                return f"{_line(text, found.start())}: nothing is open that {mark} closes"
        elif len(mark) == 1 and mark in "([{":
            opened.append((mark, found.start()))
    if not opened:
        return ""
    mark, start = opened[-1]
    return f"{_line(text, start)}: nothing closes {mark}"


def _line(text: str, place: int) -> str:
    """The line of a place."""
    before = text.count("\n", 0, place)
    return f"line {before + 1}"


@cache
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile(rf"{skipped(language)}|[(\[{{}}\])]")
