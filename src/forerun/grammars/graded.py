"""Schedule decisions with a grade: how near a kernel comes to the best one that is known of its program.

A sentence begins with what is asked for. After a grade come decisions of that grade: a model learns from every
measurement, and is then asked for the best. After `?` come decisions and then their grade: that is how it judges
candidates. After `U` come decisions that nobody measured.

    Q9 S0 T4 …        decisions of a kernel within 5% of the best
    ? S0 T4 … Q3      decisions, then how good they are
    U S0 T4 …         decisions
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from forerun.core import END, Grammar
from forerun.grammars.decisions import Decisions, Plan

SHARES = (0.02, 0.06, 0.15, 0.27, 0.4, 0.55, 0.7, 0.85, 0.95)
"""From which share of the best program's speed on a kernel has the next grade."""
GRADES = tuple(f"Q{i}" for i in range(len(SHARES) + 1))
BEST = GRADES[-1]
ALIKE = 1.01
"""Schedules that are thought to differ by less in seconds."""
RANKS = (0.03, 0.07, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.96)
"""Likewise of what nobody measured: from which share of a program's schedules on a worse one is thought of.

What a cost model thinks of the best and the worst is nearer to each other than they are.
"""
CENTRES = tuple((low + high) / 2 for low, high in zip((0.0, *SHARES), (*SHARES, 1.0), strict=True))
"""The share that a grade stands for."""
JUDGE, UNKNOWN = "?", "U"

PIECES = (*GRADES, JUDGE, UNKNOWN)


def grade(share: float) -> str:
    """Of a kernel that has a share of the best one's speed; one that failed has none of it."""
    return GRADES[sum(share >= least for least in SHARES)]


def ranked(seconds: Sequence[float]) -> list[str]:
    """The grades of schedules of one program by what is believed of them; UNKNOWN where all are thought to be alike."""
    order = sorted(range(len(seconds)), key=lambda i: -seconds[i])
    if not order or seconds[order[0]] / seconds[order[-1]] < ALIKE:
        return [UNKNOWN] * len(seconds)
    found = [""] * len(seconds)
    for worse, i in enumerate(order):
        found[i] = GRADES[sum(worse >= least * (len(order) - 1) for least in RANKS)]
    return found


@dataclass(frozen=True, slots=True)
class Graded:
    """A plan, the piece that was asked with, and, where it was `?`, the grade."""

    asked: str
    plan: Plan
    grade: str = ""


@dataclass(frozen=True)
class GradedDecisions(Grammar[Graded]):
    """Decisions of one workload with grades; where `asked` is named, sentences begin with it alone."""

    decisions: Decisions
    asked: str = ""

    def write(self, answer: Graded) -> list[str]:
        """Raises ValueError for what is not legal."""
        pieces = [answer.asked, *self.decisions.write(answer.plan), *([answer.grade] if answer.grade else [])]
        if answer.asked not in self._first() or (answer.asked == JUDGE) != (answer.grade in GRADES):
            raise ValueError(f"no grade belongs there: {answer.asked!r}, {answer.grade!r}")
        return pieces

    def read(self, pieces: Sequence[str]) -> Graded:
        """Raises ValueError."""
        first, *rest = pieces or [""]
        judged = first == JUDGE and rest and rest[-1] in GRADES
        if first not in self._first() or (first == JUDGE and not judged):
            raise ValueError(f"no graded decisions: {' '.join(pieces)!r}")
        return Graded(first, self.decisions.read(rest[:-1] if judged else rest), rest[-1] if judged else "")

    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        """Raises ValueError after an illegal prefix."""
        if not prefix:
            return self._first()
        if prefix[0] not in self._first():
            raise ValueError(f"a sentence does not begin with {prefix[0]!r}")
        if prefix[0] == JUDGE and len(prefix) > 1 and prefix[-1] in GRADES:
            return _DONE
        following = self.decisions.allowed(prefix[1:])
        return GRADES if prefix[0] == JUDGE and END in following else following

    def _first(self) -> tuple[str, ...]:
        return (self.asked,) if self.asked else PIECES


_DONE = (END,)
