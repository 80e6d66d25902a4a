"""What a program that is gone through takes, and which of its lines take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Lines = Mapping[int, float]
"""By the line, from 1."""


@dataclass(frozen=True, slots=True)
class Used:
    """Of a program: bytes, the most that is held at once; seconds of one processor, importing left out.

    `rises` are bytes by which the most rose at each line, which add up to it; `takes` the seconds of each line;
    `guessed` are lines of what happens nobody knows how often: loops and functions that call themselves. `believed` is
    whether the bytes are any that there can be, and `followed` whether it was gone through at all.
    """

    bytes: float = 0.0
    seconds: float = 0.0
    rises: Lines = field(default_factory=dict)
    takes: Lines = field(default_factory=dict)
    guessed: frozenset[int] = frozenset()
    believed: bool = True
    followed: bool = True


class Accounts:
    """Of a program that is under way."""

    def __init__(self) -> None:
        self.most = self.seconds = 0.0
        self.line = 0
        self.rises = dict[int, float]()
        self.takes = dict[int, float]()
        self.guessed = set[int]()

    def hold(self, found: float) -> None:
        """So many bytes are held now."""
        if found > self.most:
            self.rises[self.line] = self.rises.get(self.line, 0.0) + found - self.most
            self.most = found

    def spend(self, seconds: float) -> None:
        """So long it takes."""
        self.takes[self.line] = self.takes.get(self.line, 0.0) + seconds
        self.seconds += seconds

    def used(self, most: float, longest: float) -> Used:
        """All of it: nothing of bytes beyond the `most` that are believed, of seconds the `longest` at most."""
        believed = self.most <= most
        rises, held = (self.rises, self.most) if believed else ({}, 0.0)
        return Used(held, min(self.seconds, longest), rises, self.takes, frozenset(self.guessed), believed)
