"""How loops end: whether nothing in the text ends one, so that the program runs until it is stopped and no model has
seen it to its end; and whether all of them say how often they go round.

The first is a sign for people: only loops that say themselves that they go on for ever count, and none where a word
stands that could end one: one that leaves a loop in it, one that ends more anywhere if it calls something. Of 7,534
programs that were run to their end it names eight, whose loops are in functions that nobody calls, or in threads
that end with the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import islice

from forerun.tasks._counters import skipped
from forerun.tasks._growth import GROWING

_EVER = re.compile(
    r"(?<!\})(?<!\}\s)\bwhile\s*\(\s*(?:1|true)\s*\)|\bfor\s*\(\s*;\s*;\s*\)|\bwhile\s+(?:1|[Tt]rue)\s*(?::|\bdo\b|\n|(?=\{))"
    r"|\bloop\s*(?:(?=\{)|\bdo\b)|\bfor\s*(?=\{)|\bfor\s+\w+\s+in\s+(?:itertools\.)?(?:count|cycle)\s*\([^()\n]*\)\s*:"
)
_DO = re.compile(r"\bdo\s*(?=\{)")
_DONE = re.compile(r"\s*while\s*\(\s*(?:1|true)\s*\)")
_LEAVING = re.compile(r"\b(?:break|goto|last|leave|next|return|until|yield)\b|\?")
_ENDING = re.compile(
    r"\b(?:abort|assert\w*|catch|die|error|exec\w*|[Ee]xcept\w*|_?[eE]xit|[Ff]atal\w*|gets?|halt|input|kill"
    r"|longjmp|os|panic|process|quit|raise|read\w*|recv|scanf|signal|stop|sys|System|throws?|unreachable)\b"
)
_MACRO = re.compile(r"(?m)^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*")
_MACRO_RULES = re.compile(r"\bmacro_rules\b")
_WHILE = re.compile(r"\b(?:while|until|loop)\b")
_LOOPING = re.compile(r"\b(?:for|foreach|while|until|loop|do|each|times|upto)\b")
_GO_WHILE = re.compile(r"\bfor\b(?![^{;\n]*\brange\b)[^{;\n]*\{")
_CALL = re.compile(r"[\w\]]\s*[(!]|\.\s*\w")
_LANGUAGES = frozenset("python c c++ java go rust javascript php perl ruby lua".split())
_BLANKS = frozenset(("ruby", "lua"))
"""Languages whose loops have neither braces nor what is further in."""
_MOST = 100
"""Loops of a form that are looked at: each may have all of the text in it."""
_GROWS = re.compile(rf"\b(?:{'|'.join(sorted(GROWING))})\b|<<|\[\]\s*=")
_ALLOCATES = re.compile(r"\b(?:new|realloc|strdup)\b")
_ALLOCATING = frozenset(("c", "c++"))
"""Languages where what is made stays until it is freed."""
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
    return next((loop for head in _loops(plain) if (loop := _judged(language, plain, head))), None)


def _loops(plain: str) -> list[tuple[int, int]]:
    """Where loops that go on for ever begin, and where their heads end, in order: the first ones of each form."""
    heads = [found.span() for found in islice(_EVER.finditer(plain), _MOST)]
    for found in islice(_DO.finditer(plain), _MOST):
        body = _body(plain, found.end())
        if body is not None and _DONE.match(plain, found.end() + len(body)):
            heads.append(found.span())
    return sorted(heads)


def _judged(language: str, plain: str, head: tuple[int, int]) -> Endless | None:
    """The loop, if nothing is seen that ends it."""
    start, end = head
    body = _indented(plain, start, end) if language == "python" else _body(plain, end)
    if body is None and language not in _BLANKS:
        body = _statement(plain, end)
    where = plain if body is None or _CALL.search(body) else body
    leaves = where if body is None or _MACRO_RULES.search(where) else body
    if language in _ALLOCATING:
        leaves += "".join(_MACRO.findall(where))
    if _LEAVING.search(leaves) or _ENDING.search(where):
        return None
    inside = _indented(plain, start, end) if body is None else body
    adds = _GROWS.search(inside) or (language in _ALLOCATING and _ALLOCATES.search(inside))
    return Endless(plain.count("\n", 0, start) + 1, bool(adds) and not _SHRINKS.search(inside))


def counted(language: str, text: str) -> bool:
    """Whether its loops say how often they go round, as far as it is known: none that goes on while something holds,
    which may soon be over however large the numbers in it are (Euclid's, for one). Never raises."""
    if language not in _LANGUAGES:
        return False
    plain = _plain(language, text)
    return not (_WHILE.search(plain) or (language == "go" and _GO_WHILE.search(plain)))


def may_end(language: str, text: str) -> bool:
    """Whether it has a loop, and a word that may end one. Never raises."""
    plain = _plain(language, text) if language in _LANGUAGES else text
    return bool(_LOOPING.search(plain) and _LEAVING.search(plain.replace("return 0", "")))


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


def _statement(text: str, start: int) -> str | None:
    """The simple one behind a loop's head; None where it is another."""
    found, semicolon, _ = text[start:].partition(";")
    return found if semicolon and "{" not in found else None


def _indented(text: str, start: int, end: int) -> str:
    """What stands behind a loop's head: in its line, and in the lines below that are further in."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    depth = len(line) - len(line.lstrip())
    first, *rest = text[end:].split("\n")
    out = next(
        (n for n, line in enumerate(rest) if line.strip() and len(line) - len(line.lstrip()) <= depth), len(rest)
    )
    return "\n".join([first, *rest[:out]])


@cache
def _hidden(language: str) -> re.Pattern[str]:
    return re.compile(skipped(language))
