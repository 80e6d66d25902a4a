"""What a program that is gone through takes, and which of its lines take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_LITTLE_S = 0.05
"""Seconds of all that is told, up to which most may be what is not told."""
_NEVER = 1e-8
"""How often that happens which does not."""
Lines = Mapping[int, float]
"""By the line, from 1."""


@dataclass(frozen=True, slots=True)
class Used:
    """Of a program: bytes, the most that is held at once; seconds of one processor, importing left out.

    `rises` are bytes by which the most rose at each line, which add up to it; `takes` the seconds of each line;
    `guessed` are lines of what happens nobody knows how often: loops and functions that call themselves. `believed` is
    whether the bytes are any that there can be, and `followed` whether it was gone through at all. `least` are seconds
    that it takes at the least, where loops that take long may end early, and `unsure` lines of what is told nowhere:
    such loops, what other programs do, and functions that call themselves as often as nobody knows. `settled` is
    whether some of its text is told to be done less often than it looks, or never: code behind an end, a loop that ends
    early. `clocked` are the seconds that a clock says, `hidden` those of what no loop
    shows: what is gone through, moved or copied as a whole by one call, all choices among some, and functions that call
    themselves as often as is told; and `asked` the bytes that it asks for, believed or not.
    """

    bytes: float = 0.0
    seconds: float = 0.0
    rises: Lines = field(default_factory=dict)
    takes: Lines = field(default_factory=dict)
    guessed: frozenset[int] = frozenset()
    believed: bool = True
    followed: bool = True
    least: float = 0.0
    unsure: frozenset[int] = frozenset()
    settled: bool = False
    clocked: float = 0.0
    hidden: float = 0.0
    asked: float = 0.0
    endless: frozenset[int] = frozenset()
    """Of the lines that are unsure those of functions that call themselves several times each time, where little else
    is done."""
    starts: frozenset[int] = frozenset()
    """Lines that start other programs."""
    told: frozenset[str] = frozenset()
    """Files that it opens, where all of these are told of."""
    taken: bool = False
    """Whether its input is read."""


class Accounts:
    """Of a program that is under way."""

    def __init__(self) -> None:
        self.most = self.seconds = 0.0
        self.line = 0
        self.times = 1.0
        """How often what is gone through happens."""
        self.rises = dict[int, float]()
        self.takes = dict[int, float]()
        self.guessed = set[int]()
        self.unsure = set[int]()
        self.endless = set[int]()
        self.starts = set[int]()
        self.settled = False
        self.clocked = 0.0
        self.hidden = 0.0
        """Seconds of what no loop shows."""
        self.spare = 0.0
        """Seconds of loops that may end early."""
        self.taken = False
        self.opened, self.untold = set[str](), False
        """Files that were opened which are told of, and whether another one was."""

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
        seconds = min(self.seconds, longest)
        endless = frozenset(self.endless if seconds < _LITTLE_S else ())
        self.unsure |= endless
        least = min(max(self.seconds - self.spare, 0.0), seconds)
        guessed, unsure = frozenset(self.guessed | self.unsure), frozenset(self.unsure)
        return Used(
            held, seconds, rises, self.takes, guessed, believed, least=least, unsure=unsure, settled=self.settled,
            clocked=self.clocked, hidden=min(self.hidden, seconds), asked=self.most, endless=endless,
            starts=frozenset(self.starts), told=frozenset(() if self.untold else self.opened), taken=self.taken,
        )  # fmt: skip

    def hide(self, hidden: float, seconds: float) -> None:
        """What was spent since there were so many seconds, so many of them hidden, no loop shows."""
        self.hidden = max(self.hidden, hidden + self.seconds - seconds)

    def guess(self, line: int) -> None:
        """How often this line is done nobody knows, if it is at all."""
        if self.times > _NEVER:
            self.guessed.add(line)

    def may_spare(self, line: int, seconds: float, spare: float) -> None:
        """What was spent since there were so many seconds, so many of them to `spare`, may end early."""
        self.unsure.add(line)
        self.spare = spare + self.seconds - seconds
