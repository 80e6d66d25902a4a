"""Where a program in another language than Python opens a file to read it, and by which name: from there on whatever it
reads is that file, as translations say nothing of files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from forerun.tasks._opened import read_plainly
from forerun.tasks._several import joined
from forerun.tasks._tongues._translator import spelt

_NAMED = r"""(?:"([^"\n\\]+)"|'([^'\n\\]+)'|[&$]?([A-Za-z_]\w*))(?!\s*,\s*["'][wax])(?!\s*[(.\[+])"""
"""A name that is written out, or what has it; not of what is written."""
_PATH = rf"(?:(?:java\.nio\.file\.)?Paths?\.(?:of|get)\s*\(\s*)?{_NAMED}"
_OPENS: Mapping[str, str] = {
    "c": rf"\bfopen\s*\(\s*{_NAMED}\s*,\s*\"r|\bopen\s*\(\s*{_NAMED}\s*,\s*O_RDONLY",
    "c++": rf"\bifstream\s+\w+\s*[({{]\s*{_NAMED}|\b(?!out)\w+\.open\s*\(\s*{_NAMED}",
    "javascript": rf"\b(?:readFile(?:Sync)?|createReadStream)\s*\(\s*{_NAMED}",
    "ruby": rf"\b(?:File|IO|CSV)\.(?:read|readlines|foreach|table|binread|new|open)\b\s*\(?\s*{_NAMED}",
    "go": rf"\b(?:os|ioutil)\.(?:ReadFile|Open)\s*\(\s*{_NAMED}",
    "rust": rf"\bFile::open\s*\(\s*{_NAMED}|\bfs::read(?:_to_string)?\s*\(\s*{_NAMED}",
    "java": rf"\bnew\s+File(?:Reader|InputStream)?\s*\(\s*{_NAMED}"
    rf"|\bFiles\.(?:read\w*|lines|newBufferedReader)\s*\(\s*{_PATH}",
    "php": rf"\b(?:file_get_contents|file|fopen|readfile|SplFileObject)\s*\(\s*{_NAMED}",
    "perl": rf"\bopen\b\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*[\"']<[^\"'\n]*[\"']\s*,\s*{_NAMED}",
    "lua": rf"\bio\.(?:open|lines|input)\s*\(\s*{_NAMED}",
}
_OPENS = {**_OPENS, "c++": f"{_OPENS['c++']}|{_OPENS['c']}"}


@lru_cache(maxsize=8)
def openings(language: str, text: str) -> tuple[tuple[int, str], ...]:
    """Lines, from 1, where files are opened, with the expression that says how each is called."""
    pattern, made = _OPENS.get(language), list[tuple[int, str]]()
    for found in re.finditer(pattern, read_plainly(language, text)) if pattern else ():
        place = next(n for n, each in enumerate(found.groups()) if each is not None)
        written, named = found.groups()[place], place % 3 == 2
        made.append((found.string.count("\n", 0, found.start()) + 1, spelt(written) if named else repr(written)))
    return tuple(made)


def lines_of(language: str, text: str) -> tuple[tuple[int, str], ...]:
    """Where a program of several files opens others."""
    whole, lines = joined(language, text)
    return tuple((lines[line - 1] if lines else line, said) for line, said in openings(language, whole))


def placed(lines: tuple[tuple[int, str], ...], module: ast.Module) -> dict[int, list[ast.expr]]:
    """The statements that these lines became, or those behind them, by their identity, with the names."""
    found, there = dict[int, list[ast.expr]](), [*_in_order(module.body)]
    for line, said in lines:
        behind = [one for one in there if one.lineno >= line]
        if behind:
            first = min(behind, key=lambda one: one.lineno)
            found.setdefault(id(first), []).append(ast.parse(said, mode="eval").body)
    return found


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that do something, each in front of those inside."""
    for one in body:
        if not isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            yield one
        for inner in ("body", "orelse", "finalbody"):
            yield from _in_order(getattr(one, inner, []))
        for case in getattr(one, "cases", []):
            yield from _in_order(case.body)
