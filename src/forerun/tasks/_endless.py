"""How loops end: whether nothing in the text ends one, so that the program runs until it is stopped and no model has
seen it to its end; and whether all of them say how often they go round.

The first is a sign for people: only loops that say themselves that they go on for ever count, and none where a word
stands that could end one: in the loop where that calls nothing, else anywhere. Of 7,534 programs that were run to their
end it names eight, whose loops are in functions that nobody calls, or in threads that end with the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from forerun.tasks._counters import skipped
from forerun.tasks._growth import GROWING

_EVER = re.compile(
    r"(?<!\})(?<!\}\s)\bwhile\s*\(\s*(?:1|true)\s*\)|\bfor\s*\(\s*;\s*;\s*\)|\bwhile\s+(?:1|[Tt]rue)\s*(?::|\bdo\b|\n|(?=\{))"
    r"|\bloop\s*(?:(?=\{)|\bdo\b)|\bfor\s*(?=\{)"
)
_ENDING = re.compile(
    r"\b(?:abort|assert\w*|break|catch|die|error|exec\w*|[Ee]xcept\w*|_?[eE]xit|[Ff]atal\w*|gets?|goto|halt|input|kill"
    r"|last|leave|longjmp|next|os|panic|process|quit|raise|read\w*|recv|return|scanf|signal|stop|sys|System|throws?|unreachable"
    r"|until|yield)\b|\?"
)
_WHILE = re.compile(r"\b(?:while|until|loop)\b")
_GO_WHILE = re.compile(r"\bfor\b(?![^{;\n]*\brange\b)[^{;\n]*\{")
_CALL = re.compile(r"[\w\]]\s*[(!]|\.\s*\w")
_LANGUAGES = frozenset("python c c++ java go rust javascript php perl ruby lua".split())
_GROWS = re.compile(rf"\b(?:{'|'.join(sorted(GROWING))})\b|<<|\[\]\s*=")
_SHRINKS = re.compile(
    r"\b(?:clear|del|delete|dequeue|drop|erase|free|heappop|poll|pop\w*|remove|Reset|resize|shift|splice|truncate)\b"
)


@dataclass(frozen=True, slots=True)
class Endless:
    """A loop that nothing ends."""

    line: int
    grows: bool
    """Whether it says that it adds to something, and not that it takes anything away."""


def endless(language: str, text: str) -> Endless | None:
    """The first such loop, if there is one. Never raises."""
    if language not in _LANGUAGES:
        return None
    plain = _plain(language, text)
    found = _EVER.search(plain)
    if not found:
        return None
    body = _body(plain, found.end())
    where = plain if body is None or _CALL.search(body) else body
    if _ENDING.search(where):
        return None
    inside = _indented(plain, found) if body is None else body
    grows = bool(_GROWS.search(inside)) and not _SHRINKS.search(inside)
    return Endless(plain.count("\n", 0, found.start()) + 1, grows)


def counted(language: str, text: str) -> bool:
    """Whether its loops say how often they go round, as far as it is known: none that goes on while something holds,
    which may soon be over however large the numbers in it are (Euclid's, for one). Never raises."""
    if language not in _LANGUAGES:
        return False
    plain = _plain(language, text)
    return not (_WHILE.search(plain) or (language == "go" and _GO_WHILE.search(plain)))


def _plain(language: str, text: str) -> str:
    """The text with blanks for comments and strings, its lines where they are."""
    return _hidden(language).sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


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


def _indented(text: str, loop: re.Match[str]) -> str:
    """What stands behind a loop's head: in its line, and in the lines below that are further in."""
    line = text[text.rfind("\n", 0, loop.start()) + 1 : loop.start()]
    depth = len(line) - len(line.lstrip())
    first, *rest = text[loop.end() :].split("\n")
    out = next(
        (n for n, line in enumerate(rest) if line.strip() and len(line) - len(line.lstrip()) <= depth), len(rest)
    )
    return "\n".join([first, *rest[:out]])


@cache
def _hidden(language: str) -> re.Pattern[str]:
    return re.compile(skipped(language))
