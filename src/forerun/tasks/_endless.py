"""Loops that nothing in the text ends: a program with one runs until it is stopped; no model has seen it to its end.

A sign for people: only loops that say themselves that they go on for ever count, and none where a word stands that
could end one: in the loop where that calls nothing, else anywhere. Of 7,534 programs that were run to their end it
names eight, whose loops are in functions that nobody calls, or in threads that end with the program.
"""

from __future__ import annotations

import re
from functools import cache

from forerun.tasks._counters import skipped

_EVER = re.compile(
    r"(?<!\})(?<!\}\s)\bwhile\s*\(\s*(?:1|true)\s*\)|\bfor\s*\(\s*;\s*;\s*\)|\bwhile\s+(?:1|[Tt]rue)\s*(?::|\bdo\b|\n|(?=\{))"
    r"|\bloop\s*(?:(?=\{)|\bdo\b)|\bfor\s*(?=\{)"
)
_ENDING = re.compile(
    r"\b(?:abort|assert\w*|break|catch|die|error|exec\w*|[Ee]xcept\w*|_?[eE]xit|[Ff]atal\w*|gets?|goto|halt|input|kill"
    r"|last|leave|longjmp|next|os|panic|process|quit|raise|read\w*|recv|return|scanf|signal|stop|sys|System|throws?|unreachable"
    r"|until|yield)\b|\?"
)
_CALL = re.compile(r"[\w\]]\s*[(!]|\.\s*\w")
_LANGUAGES = frozenset("python c c++ java go rust javascript php perl ruby lua".split())


def endless(language: str, text: str) -> int:
    """The line of the first such loop; 0 where there is none. Never raises."""
    if language not in _LANGUAGES:
        return 0
    plain = _hidden(language).sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found = _EVER.search(plain)
    if not found:
        return 0
    body = _body(plain, found.end())
    where = plain if body is None or _CALL.search(body) else body
    return 0 if _ENDING.search(where) else plain.count("\n", 0, found.start()) + 1


def _body(text: str, start: int) -> str | None:
    """What stands in the braces of a loop whose head ends there; None where no braces tell."""
    rest = text[start:].lstrip()
    if rest[:1] == ";":
        return ""
    if rest[:1] != "{":
        return None
    depth = 0
    for found in re.finditer(r"[{}]", rest):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return rest[: found.end()]
    return None


@cache
def _hidden(language: str) -> re.Pattern[str]:
    return re.compile(skipped(language))
