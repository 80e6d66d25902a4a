"""What a network learned about itself on rows it was not trained on: how wide to be, and what it knows.

Intervals: for each metric (and language, where there are enough rows) the factor by which distances from the median are
widened, so that the central 90% hold 90% of the truths (split conformal prediction). Familiarity: how far a source's
summary lies from those of the training of its own kind of question, by Mahalanobis distance (Lee et al. 2018), as a
share of validation rows. A perceptron is nothing new to a network that learned the latencies of some, and nothing like
the cells from which it learned accuracies: among all rows together both are familiar.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from forerun.distribution import Distribution
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models._calibrated import kind
from forerun.models._familiarity import Floats32, Known
from forerun.models._taught import Taught, beyond
from forerun.models.boosted_trees import HELD
from forerun.prompts import Parts, parts
from forerun.rows import Row

T = TypeVar("T")
U = TypeVar("U")

FILE = "calibration.json"
FAR = 10.0
"""The ends of an interval are at most so many times beyond what was learned from, or beyond its middle where that lies
outside: a wide interval knows no better."""
_UNSEEN = 2.0
"""Times beyond what was learned from, where an answer is no longer of a kind that was seen."""
_FLOOR = 0.8
"""Of the least that any program of a language held: other versions and machines take a little less."""
_LEAST = {"text": 3.0, "instructions": 1.0}
"""What a function becomes that has to be kept, `xor eax, eax` and `ret`: of 400 programs and 670 modules none has less
for each. But one of `ret` alone is a byte: what is left of it to do besides is counted, too."""
_ROWS, _HELD = 4, 20
"""Training rows of a kind for each number of a summary, and validation rows, from which on it is told apart."""
_ENOUGH = 100
"""Validation rows that say how far out a kind may lie: of fewer, those of all kinds of the metric do."""


def kinds(training: Mapping[str, Floats32], validation: Mapping[str, Floats32]) -> dict[str, Known]:
    """Of the summaries `[N, F]` of kinds, by `metric/language`: those that have enough."""
    enough = [name for name, found in training.items() if len(found) >= _ROWS * found.shape[1]]
    told = [name for name in enough if len(validation.get(name, ())) >= _HELD]
    found = {name: Known.of(training[name], validation[name]) for name in told}
    out = {name: known.distance(validation[name]) for name, known in found.items()}

    def beside(name: str) -> Floats32:
        metric = name.partition("/")[0]
        return np.concatenate([own for other, own in out.items() if other.partition("/")[0] == metric])

    return {name: known if len(out[name]) >= _ENOUGH else known.among(beside(name)) for name, known in found.items()}


def question(prompt: str) -> str:
    """The kind of question of a prompt: `metric/language`, the language with its tool."""
    head = parts(prompt).head
    return f"{head.get('metric', '')}/{head.get('language', '')}"


def ranges(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """`FAR` times beyond the values of each metric, and of its languages: away from zero where that lies inside."""
    values = {name: [row.value for row in own] for name, own in _both(rows).items()}
    return {name: (beyond(min(own), -1, FAR), beyond(max(own), 1, FAR)) for name, own in values.items()}


def taught(rows: Sequence[Row]) -> dict[str, Taught]:
    """What the rows of each metric, and of each of its languages where these are several, taught."""
    both = _both(rows)
    apart = {name: own for name, own in both.items() if len(own) < len(both[own[0].metric])}
    return {name: Taught.of(own) for name, own in both.items() if name in apart or name == own[0].metric}


def _both(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """By metric, and by metric and language."""
    found = defaultdict(list)
    for row in rows:
        for name in (row.metric, question(row.prompt)):
            found[name].append(row)
    return found


def _of(told: Mapping[str, T], found: Parts, other: U) -> T | U:
    """What is told of a prompt's metric and language, else of its metric."""
    metric, language = found.head.get("metric", ""), found.head.get("language", "")
    return told.get(f"{metric}/{language}", told.get(metric, other))


@dataclass(frozen=True)
class Calibration:
    """`factors` by `metric` and `metric/kind` (see `kind`); `ranges`, ten times beyond what was learned of, by `metric`
    and `metric/language`; what is `known` of all rows together, and of `kinds` of questions by `metric/language`; and
    what the rows `taught`, by both, of which what ships has nothing.

    All parts may be absent.
    """

    factors: Mapping[str, float] = field(default_factory=dict)
    known: Known | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    kinds: Mapping[str, Known] = field(default_factory=dict)
    taught: Mapping[str, Taught] = field(default_factory=dict)

    def familiarity(self, prompts: Sequence[str], summaries_BF: Floats32) -> list[float | None]:
        """Of each prompt, among rows of its kind of question, else among all; None where nothing is known."""
        known = [self.kinds.get(question(prompt), self.known) for prompt in prompts]
        return [
            None if one is None else float(one.familiarity(summaries_BF[i : i + 1])[0]) for i, one in enumerate(known)
        ]

    def factor(self, found: Parts) -> float:
        """For a prompt: that of its language and pipeline, else of its metric, else 1."""
        metric = found.head.get("metric", "")
        return self.factors.get(f"{metric}/{kind(found)}", self.factors.get(metric, 1.0))

    def bounds(self, found: Parts, middle: float) -> tuple[float, float]:
        """The least and the most for a prompt whose answer has this middle; none where no range is known. No program
        holds less than its language takes."""
        least, most = self._range(found)
        floor = least * FAR * _FLOOR if found.head.get("metric") == HELD else min(least, beyond(middle, -1, FAR))
        return floor, max(most, beyond(middle, 1, FAR))

    def unseen(self, found: Parts, middle: float) -> bool:
        """Whether an answer lies beyond what was learned of its language, else of its metric."""
        least, most = self._range(found)
        return not beyond(least, -1, _UNSEEN / FAR) <= middle <= beyond(most, 1, _UNSEEN / FAR)

    def most(self, found: Parts) -> float:
        """The most that was measured of its language, else of its metric."""
        return beyond(self._range(found)[1], 1, 1 / FAR)

    def possible(self, found: Parts, belief: Distribution) -> Distribution:
        """What is believed of machine code, moved up as a whole where its functions cannot be as small as its middle:
        modules of a few bytes were hardly learned from."""
        kept, least = found.counters.get("kept", 0.0), _LEAST.get(found.head.get("metric", ""), 0.0)
        more = max(found.counters.get("instructions", 0.0) - kept, 0.0)  # than a return of each
        floor = kept * min(least, 1.0) + min(more, kept) * max(least - 1.0, 0.0)
        middle = belief.median
        return belief.scaled(floor / middle).within(kept, math.inf) if 0 < middle < floor else belief

    def rows(self, found: Parts) -> Taught | None:
        """What the rows of its language taught, else those of its metric; None where it is not told."""
        return _of(self.taught, found, None)

    def _range(self, found: Parts) -> tuple[float, float]:
        return _of(self.ranges, found, (-math.inf, math.inf))

    def save(self, folder: Path) -> None:
        """Writes `calibration.json`."""
        rows = None if self.known is None else self.known.to_json()
        told = {name: known.to_json() for name, known in self.kinds.items()}
        found = {"factors": dict(self.factors), "ranges": dict(self.ranges), "known": rows, "kinds": told}
        found |= {"taught": {name: one.to_json() for name, one in self.taught.items()}} if self.taught else {}
        write_atomically(folder / FILE, (json.dumps(found) + "\n").encode())

    @classmethod
    def load(cls, folder: Path) -> Calibration:
        """Reads what `save` wrote; an empty one where there is no such file. Raises InputError."""
        path = folder / FILE
        if not path.is_file():
            return cls()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            known = Known.from_json(found["known"]) if found["known"] else None
            told = {name: Known.from_json(each) for name, each in found.get("kinds", {}).items()}
            factors = {name: float(x) for name, x in found["factors"].items()}
            if not all(0 < x < math.inf for x in factors.values()):
                raise ValueError("a factor is not a positive number")
            ranges = {name: (float(least), float(most)) for name, (least, most) in found.get("ranges", {}).items()}
            taught = {name: Taught.from_json(each) for name, each in found.get("taught", {}).items()}
            return cls(factors, known, ranges, told, taught)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} cannot be read", reason(error), "calibrate it again, or delete it") from error
