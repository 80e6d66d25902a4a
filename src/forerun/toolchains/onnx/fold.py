"""Repeated blocks of lines, written once: `5x {` … `}`, and later `5x #1` for the first block again.

    Gemm 64x64          5x {
    Relu                Gemm 64x64
    Gemm 64x64          Relu
    Relu                }
    …

Blocks may hold blocks. They are counted from 1 in the order in which they open. `unfold` gives the lines again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import eq

LONGEST = 512
"""Lines that a block may have at most."""
_TIMES = re.compile(r"(\d+)x (?:(\{)|#(\d+))")


def fold(lines: Sequence[str]) -> list[str]:
    """The lines with their repeated blocks folded. No line may look like a mark of a fold: ValueError."""
    for line in lines:
        if line == "}" or _TIMES.fullmatch(line) or "\n" in line:
            raise ValueError(f"a line that is a mark of its own: {line!r}")
    state = _Fold()
    return list(state.written([*state.parts(tuple(lines))]))


def unfold(lines: Sequence[str]) -> list[str]:
    """The inverse of `fold`. Raises ValueError where marks do not fit together."""
    flat: list[str] = []
    open_at: list[tuple[int, int, int]] = []
    blocks: dict[int, list[str]] = {}
    opened = 0
    for line in lines:
        if found := _TIMES.fullmatch(line):
            if found[2]:
                opened += 1
                open_at.append((int(found[1]), len(flat), opened))
            elif int(found[3]) in blocks:
                flat += blocks[int(found[3])] * int(found[1])
            else:
                raise ValueError(f"no block before {line!r} has this number")
        elif line == "}":
            if not open_at:
                raise ValueError("a block ends that never began")
            times, start, number = open_at.pop()
            blocks[number] = flat[start:]
            flat += blocks[number] * (times - 1)
        else:
            flat.append(line)
    if open_at:
        raise ValueError("a block does not end")
    return flat


_Lines = tuple[str, ...]


@dataclass
class _Fold:
    """The blocks found so far, and the numbers of those that are written."""

    known: set[_Lines] = field(default_factory=set)
    numbers: dict[_Lines, int] = field(default_factory=dict)

    def parts(self, lines: _Lines, whole: bool = True) -> Iterator[tuple[int, _Lines]]:
        """The lines as blocks with their counts, the one that saves most taken first; `whole` allows all as one."""
        waiting = [(lines, 0)]
        while waiting:
            piece, times = waiting.pop()
            found = None if times else self._best(piece, whole or piece is not lines)
            if found:
                _, start, length, count = found
                block, end = piece[start : start + length], start + length * count
                self.known.add(block)
                waiting += [(piece[end:], 0), (block, count), (piece[:start], 0)]
            elif times:
                yield times, piece
            else:
                yield from ((1, (line,)) for line in piece)

    def written(self, parts: Iterable[tuple[int, _Lines]]) -> Iterator[str]:
        """What stands in the text."""
        for times, block in parts:
            if times == len(block) == 1:
                yield block[0]
            elif block in self.numbers:
                yield f"{times}x #{self.numbers[block]}"
            else:
                self.numbers[block] = len(self.numbers) + 1
                yield f"{times}x {{"
                yield from self.written([*self.parts(block, whole=False)])
                yield "}"

    def _best(self, lines: _Lines, whole: bool) -> tuple[int, int, int, int] | None:
        """Lines saved, place, length and count of the best block; the latest among equals.

        The latest, because a stage of a network more often follows something like its blocks' end than it precedes
        something like their beginning.
        """
        known = (block for block in self.known if len(block) < len(lines) + whole)
        return max(chain(_runs(lines), *(_again(lines, block) for block in known)), default=None)


def _runs(lines: _Lines) -> Iterator[tuple[int, int, int, int]]:
    """Stretches that stand several times in a row: saved lines, place, length, count."""
    for length in range(1, min(LONGEST, len(lines) // 2) + 1):
        run = 0
        for place, same in enumerate(chain(map(eq, lines, lines[length:]), [False])):
            if same:
                run += 1
                continue
            times = run // length + 1
            if length * (times - 1) > 2:
                yield length * (times - 1) - 2, place - run + run % length, length, times
            run = 0


def _again(lines: _Lines, block: _Lines) -> Iterator[tuple[int, int, int, int]]:
    """Where a known block stands."""
    length, place = len(block), 0
    while place + length <= len(lines):
        times = 0
        while lines[place + times * length : place + (times + 1) * length] == block:
            times += 1
        if length * times > 1:
            yield length * times - 1, place, length, times
        place += max(1, length * times)
