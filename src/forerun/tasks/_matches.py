"""What regular expressions find in a text of which the beginning is known, for `forerun.tasks._walked`."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from typing import Any

from forerun.tasks._objects import Written

LOOKED = 160
"""Letters that are looked at."""
_NESTED = re.compile(r"[*+}]\)?[*+{]|\)[*+{]|\\\d|\(\?P=")
"""What may take as long as it likes: repeated groups, and references."""
_REPEATED = re.compile(r"(?<!\\)\{(\d+)")
"""How often something comes at least."""


def found(pattern: Any, text: Any, name: str) -> list[tuple[str, ...]]:
    """What a pattern finds in the beginning of a text, as `match`, `search` or `findall` does: the groups of each, all
    of it first. Nothing where either is not known, or it may take long."""
    known = pattern.known if isinstance(pattern, Written) else None
    if not known or not isinstance(text, Written) or (text.words is None and text.known is None):
        return []
    if len(known) > LOOKED or _NESTED.search(known):
        return []
    sample = text.sample[:LOOKED]
    try:
        made = _compiled(known)
        one = made.search(sample) if name == "search" else made.match(sample)
        matches = [one] if name in ("match", "search", "fullmatch") else [*made.finditer(sample)]
    except (re.error, OverflowError, RecursionError):
        return []
    return [tuple(part or "" for part in (each[0], *each.groups())) for each in matches if each]


def least(pattern: Any) -> float:
    """How many letters it finds at least, as far as it says how often they come: `[ACGT]{20,}`."""
    known = pattern.known if isinstance(pattern, Written) else None
    return float(sum(map(int, _REPEATED.findall(known or ""))))


def wordwise(pattern: Any) -> bool:
    """Whether it finds one word after the other, `\\w+`."""
    known = pattern.known if isinstance(pattern, Written) else None
    if not known or len(known) > LOOKED or _NESTED.search(known):
        return False
    with suppress(re.error, OverflowError, RecursionError):
        return [one[0] for one in _compiled(known).finditer("two words")] == ["two", "words"]
    return False


def repeats(pattern: Any) -> bool:
    """Whether it finds one letter after the other, `a+`."""
    known = pattern.known if isinstance(pattern, Written) else None
    return known is not None and re.fullmatch(r"(\\x\w\w|\\?.)\+", known) is not None


def names(pattern: Any) -> dict[str, int]:
    """Those of its groups, where a pattern is known."""
    known = pattern.known if isinstance(pattern, Written) else None
    try:
        return dict(_compiled(known or "").groupindex)
    except (re.error, OverflowError, RecursionError):
        return {}


def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it may mean, which is not asked
        return re.compile(pattern)
