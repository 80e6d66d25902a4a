"""Macros of C and C++ that are more than a value: they are put in the place of their names before a text is parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?[ \t]*((?:[^\\\n]|\\(?:.|\n))*)$", re.MULTILINE)
_TOKEN = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|\d[\w.]*|##|\s+|.", re.DOTALL
)
_VALUE = re.compile(r"[\s\w+*/%<>()'.,&|^~!=?:\[\]-]*")
_WORDS = frozenset(
    "for while if else do return switch case break continue struct class typedef using const static auto int long"
    " double float char void bool unsigned vector string map set pair begin end std first second sizeof".split()
)
_DEEPEST, _LONGEST = 4, 1 << 19


class _Macro(NamedTuple):
    names: list[str] | None
    body: str


def unfolded(text: str) -> str:
    """The text with those macros in it that are no values, its lines where they are."""
    macros = dict[str, _Macro]()
    for found in _DEFINED.finditer(text):
        body = re.sub(r"\\\n", " ", found[3]).split("//")[0].strip()
        names = [each.strip() for each in found[2][1:-1].split(",")] if found[2] else None
        if body and not _is_value(body, names):
            macros[found[1]] = _Macro(names, body)
    if not macros:
        return text
    made, last = list[str](), 0
    for found in re.finditer(r"^[ \t]*#(?:[^\\\n]|\\(?:.|\n))*$", text, re.MULTILINE):
        made += [_replaced(text[last : found.start()], macros, _DEEPEST), found[0]]
        last = found.end()
    made.append(_replaced(text[last:], macros, _DEEPEST))
    whole = "".join(made)
    return whole if len(whole) <= _LONGEST else text


def _is_value(body: str, names: list[str] | None) -> bool:
    """Whether it can be worked out where it stands: it has nothing of types, statements, or names alone."""
    words = set(re.findall(r"[A-Za-z_]\w*", body))
    if words & _WORDS or "##" in body or not _VALUE.fullmatch(body) or body[0] in ".[":
        return False
    if names is None and "," in body:
        return False
    plain = re.fullmatch(r"[A-Za-z_]\w*", body)
    return not plain or (names is None and body.isupper())


def _replaced(text: str, macros: Mapping[str, _Macro], deep: int) -> str:
    tokens = _TOKEN.findall(text)
    made, i = list[str](), 0
    while i < len(tokens):
        macro = macros.get(tokens[i])
        if macro is None or deep <= 0:
            made.append(tokens[i])
            i += 1
            continue
        if macro.names is None:
            made.append(_replaced(macro.body, {k: v for k, v in macros.items() if v is not macro}, deep - 1))
            i += 1
            continue
        given, end = _arguments(tokens, i + 1)
        if given is None:
            made.append(tokens[i])
            i += 1
            continue
        lines = "".join(tokens[i:end]).count("\n")
        made.append(_filled(macro, given, macros, deep) + "\n" * lines)
        i = end
    return "".join(made)


def _arguments(tokens: list[str], i: int) -> tuple[list[str] | None, int]:
    """What stands between the parentheses from `i` on, and where they end."""
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i >= len(tokens) or tokens[i] != "(":
        return None, i
    given, depth = [""], 0
    for at in range(i, len(tokens)):
        token = tokens[at]
        depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
        if not depth:
            return [each.strip() for each in given], at + 1
        if token == "," and depth == 1:
            given.append("")
        elif at > i:
            given[-1] += token.replace("\n", " ")
    return None, i


def _filled(macro: _Macro, given: list[str], macros: Mapping[str, _Macro], deep: int) -> str:
    names = macro.names or []
    if names and names[-1] == "...":
        names, given = [*names[:-1], "__VA_ARGS__"], [*given[: len(names) - 1], ", ".join(given[len(names) - 1 :])]
    values = dict(zip(names, given, strict=False))
    body = "".join(values.get(token, token) for token in _TOKEN.findall(macro.body) if token != "##")
    return _replaced(body, {k: v for k, v in macros.items() if v is not macro}, deep - 1)
