"""What a table of one's own taught: how far its numbers reach, and which values there were at all.

A network that has read `range(100)` to `range(1000)` takes `range(1000000)` for one more of these, and trees say no
more than they have seen. So the range of each number is kept, by the word in front of it or the name of the counter.
One that lies farther out than those of groups do that are held out in turn (as in cross-conformal prediction, Vovk
2015) moves the end of an interval by how many times it lies beyond, to the power by which values grow with it, 1 at
least. Of what nothing near was learned from, nobody knows more than which values there were: the interval then reaches
as far as that of a mixture with all of these, half and half, some of them beyond the least and the most.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from forerun.distribution import Distribution
from forerun.models._features import COUNTER, language, line
from forerun.models._regression import Mask, Vector, folds
from forerun.prompts import Parts, parts
from forerun.rows import Row
from forerun.tasks._packages import foreign

_TOKEN = re.compile(
    r"(?P<word>[^\W\d]\w*)|(?<![\w.%@!#$])(?P<number>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)"
    r"(?P<more>(?:x\d+)*)(?P<unit>[A-Za-z]{0,3})(?!\w)"
)
"""A word, or a number with further dimensions (`1x64x56`) or a unit (`512MB`); LLVM's registers are none."""
_FEW = 4.0
"""Added before the logarithm: whether there are none, one or two of something is a matter of shape, not of size."""
_LEAST_ROWS, _LEAST_SHARE = 5, 0.05
"""Rows that have a number of a name, and their share, from which on its range is told."""
_FOLDS = 5
_NEAR, FAR = math.log(1.25), math.log(2.0)
"""How much farther than is usual a number lies beyond the range to count, and from where on nothing is like it."""
_POWERS = (1.0, 3.0)
"""By which values grow beyond what was learned from, at least and at most."""
_PARTS = 40
"""Of the values, as probable as each other."""
_TAIL, _BEYOND = 0.05, 10.0
"""The share of values that is taken to lie beyond either end, and up to how many times."""
_LARGEST = 300.0
"""Of the logarithm by which an end moves."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Of the numbers of one name, as `_place` has them: the `least` and the `most`, how far beyond those of other
    groups those of one lay (`usual`), and by which `power` values grow with them."""

    least: float
    most: float
    usual: float
    power: float

    @classmethod
    def of(cls, places: Vector, values: Vector, masks: Sequence[Mask]) -> Extent:
        """From places and values `[n]` of rows, NaN where a row has no such number, and masks `[n]` of groups."""
        there, usual = ~np.isnan(places), 0.0
        for held in masks:
            rest, out = places[there & ~held], places[there & held]
            if rest.size and out.size:
                usual = max(usual, float(out.max() - rest.max()), float(rest.min() - out.min()))
        grown = there & (values > 0) & (places >= np.median(places[there]))  # where it shows: small ones cost little
        power = line(places[grown], np.log(values[grown]))[0] if grown.sum() >= _LEAST_ROWS else 0.0
        return cls(float(places[there].min()), float(places[there].max()), usual, power)

    def beyond(self, place: float) -> float:
        """How far a number lies above the most, or (negative) below the least; 0 where that is nothing unusual."""
        out = max(place - self.most, 0.0) + min(place - self.least, 0.0)
        return out if abs(out) > self.usual + _NEAR else 0.0

    def end(self, out: float) -> float:
        """The number that lies nearest to one so far out."""
        return math.exp(self.most if out > 0 else self.least) - _FEW

    def moves(self, out: float) -> tuple[float, float]:
        """By how much (a logarithm, from 0) the lower and the upper end move of what lies so far out."""
        least, most = _POWERS
        along, against = min(max(self.power, least), most) * abs(out), min(max(-self.power, 0.0), most) * abs(out)
        return (against, along) if out > 0 else (along, against)


@dataclass(frozen=True, slots=True)
class Outside:
    """A number of a prompt that lies beyond those that were learned from: `end` is the nearest of them."""

    name: str
    value: float
    end: float

    def __str__(self) -> str:
        many, few = ("at most", "more") if self.value > self.end else ("at least", "less")
        return f"{self.name} is {_shown(self.value)}, {few} than in any row ({many} {_shown(self.end)})"


@dataclass(frozen=True, slots=True)
class Doubt:
    """What lies `outside`, the farthest first; by which factors the ends of an interval move `below` and `above`; and
    whether that is so `far` out that nothing like it was learned from."""

    outside: tuple[Outside, ...] = ()
    below: float = 1.0
    above: float = 1.0
    far: bool = False


@dataclass(frozen=True)
class Taught:
    """Of the rows of a metric: `extents` of numbers by name, 41 quantiles of the `values`, and the `packages` that
    programs use which are no part of their languages."""

    extents: Mapping[str, Extent]
    values: tuple[float, ...]
    packages: frozenset[str] = frozenset()

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Taught:
        """Of rows of one metric, one at least."""
        found, values = [numbers(parts(row.prompt)) for row in rows], np.array([row.value for row in rows])
        counts = Counter(name for own in found for name in own)
        least, masks = max(_LEAST_ROWS, _LEAST_SHARE * len(rows)), [*folds([row.group for row in rows], _FOLDS, 0)]
        extents = {
            name: Extent.of(np.array([_place(own.get(name, math.nan)) for own in found]), values, masks)
            for name, count in sorted(counts.items())
            if count >= least
        }
        told = tuple(np.quantile(values, np.linspace(0, 1, _PARTS + 1), method="nearest").tolist())
        asked = [parts(row.prompt) for row in rows]
        return cls(extents, told, frozenset(name for one in asked for name in foreign(language(one), one.text)))

    def doubt(self, asked: Parts) -> Doubt:
        """What makes a prompt unlike the rows."""
        known = [(name, value, self.extents[name]) for name, value in numbers(asked).items() if name in self.extents]
        found = [(name, value, own, out) for name, value, own in known if (out := own.beyond(_place(value)))]
        if not found:
            return Doubt()
        found.sort(key=lambda one: -abs(one[3]))
        outside = [Outside(name.removeprefix(COUNTER), value, own.end(out)) for name, value, own, out in found]
        moves = {name: own.moves(out) for name, _, own, out in found}
        below, above = (_together({name: both[end] for name, both in moves.items()}) for end in (0, 1))
        return Doubt(tuple(outside), math.exp(below), math.exp(above), abs(found[0][3]) >= FAR)

    def among(self, belief: Distribution, level: float) -> tuple[float, float]:
        """The central interval of `level` of a mixture of a belief with all values, half and half."""
        parts = zip(belief.lows, belief.highs, belief.weights, strict=True)
        least, most, each = self.values[0], self.values[-1], (1 - 2 * _TAIL) / _PARTS
        ends = [(beyond(least, -1, _BEYOND), least, _TAIL), (most, beyond(most, 1, _BEYOND), _TAIL)]
        return Distribution.of([*parts, *((a, b, each) for a, b in pairwise(self.values)), *ends]).interval(level)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        extents = {name: list(astuple(one)) for name, one in self.extents.items()}
        return {"extents": extents, "values": [*self.values], "packages": sorted(self.packages)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Taught:
        """What `to_json` gave. Raises ValueError, KeyError, TypeError, AttributeError for anything else."""
        values = tuple(map(float, found["values"]))
        if len(values) != _PARTS + 1 or not all(a <= b for a, b in pairwise(values)):
            raise ValueError("the values that were learned from are no quantiles")
        extents = {name: Extent(*map(float, one)) for name, one in found["extents"].items()}
        return cls(extents, values, frozenset(map(str, found.get("packages", ()))))


def beyond(value: float, way: int, times: float) -> float:
    """So many times farther down (-1) or up (1): a positive number goes down towards zero, a negative one from it."""
    return value * times if value * way > 0 else value / times


def numbers(found: Parts) -> dict[str, float]:
    """The largest number of each name in a prompt: its counters, and numbers of its text by the word in front, with
    the unit behind."""
    made = {f"{COUNTER}{name}": abs(value) for name, value in found.counters.items() if math.isfinite(value)}
    word = ""
    for token in _TOKEN.finditer(found.text):
        if token["word"]:
            word = token["word"]
            continue
        name = f"{word} {token['unit']}".strip()
        for text in (token["number"].replace("_", ""), *token["more"].split("x")[1:]):
            if math.isfinite(value := float(text)):
                made[name] = max(made.get(name, 0.0), value)
    return made


def _shown(value: float) -> str:
    """Six digits; as whole numbers are written by people."""
    return f"{float(f'{value:.6g}'):,.12g}"


def _place(value: float) -> float:
    return math.log(value + _FEW)


def _together(moves: Mapping[str, float]) -> float:
    """How far an end moves: names of a text are sizes that multiply, counters tell of the same ones again."""
    counted = max((move for name, move in moves.items() if name.startswith(COUNTER)), default=0.0)
    return min(max(counted, sum(move for name, move in moves.items() if not name.startswith(COUNTER))), _LARGEST)
