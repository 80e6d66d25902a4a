"""Another device, or another metric, from a few measurements: what a model knows of other ones, carried over.

A text is asked about as on each device, or as of each metric, that the model knows. A ridge regression says what these
beliefs tell of the new number, in logarithms, and the prompt's counters where that helps (stacked regressions, Breiman
1996; how much it leans on them is what is best on rows left out one by one, Allen 1974). Where the model knows the
metric, only its devices are asked. Intervals come from rows that were held out, so all rows teach and all calibrate;
where beliefs, or numbers that these do not follow, lie beyond the rows, they are as wide as what may follow from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from forerun.core import Metric
from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._calibrated import LEVEL
from forerun.models._familiarity import Known
from forerun.models._regression import Fitted, Regression, Scale, Vector, untaught
from forerun.models._taught import FAR, Doubt, Taught, beyond
from forerun.prompts import Parts, parts, prompt
from forerun.rows import Row

if TYPE_CHECKING:
    from forerun.models.encoder_decoder.card import Kind

Ask = Callable[[Sequence[str]], Sequence[float]]
"""What a model believes of prompts: medians."""

_LEAST = 1e-280
_ALPHAS = np.logspace(-3, 4, 29)
_BEYOND = (0.5, 1.5)
"""What twice as much, as the model has it, is on another device where no row tells: between 2 to the one and to the
other. Forty loops that differed in one number gave counters weights that made other programs a hundredth."""
_OTHER = (0.0, 1.5)
"""And what it is of another metric, whose weights may be of any size where rows are few: between nothing and that."""
_COUNTERS = (0.0, 0.3)
"""What a standard deviation of a counter weighs beside one of a belief: not looked at, or leaned on less."""


@dataclass(frozen=True)
class Linear:
    """From features `[N, F]` to places on a scale `[N]`. Beyond the range of the rows that it was learned from,
    `least` to `most`, a feature counts by `slopes`."""

    weights: Vector
    offset: float
    least: Vector
    most: Vector
    slopes: Vector

    def __call__(self, features: Any) -> Vector:
        """The places."""
        within = np.clip(features, self.least, self.most)
        return np.asarray(within @ self.weights + self.further(features) + self.offset, np.float64)

    def further(self, features: Any) -> Vector:
        """`[N]`: how far beyond what the rows show the places are."""
        return np.asarray((features - np.clip(features, self.least, self.most)) @ self.slopes, np.float64)

    def doubt(self, features: Any, beliefs: int, powers: tuple[float, float]) -> tuple[Vector, Vector]:
        """`[N]`, `[N]`: how much lower and higher a place may be, as the first `beliefs` features lie beyond the rows,
        where what is beyond counts by any of the `powers`."""
        out = features - np.clip(features, self.least, self.most)
        more, (least, most) = self.further(features), powers
        up, down = out[:, :beliefs].max(1).clip(min=0.0), out[:, :beliefs].min(1).clip(max=0.0)
        lower, higher = more - (least * up + most * down), least * down + most * up - more
        return lower.clip(min=0.0), higher.clip(min=0.0)


class Transfer(Regression):
    """Learns from 16 to 100 rows of one metric and device what the beliefs of another model tell of it."""

    name: ClassVar[str] = "transfer"
    folds: ClassVar[int] = 10

    def __init__(self, ask: Ask | None = None, kinds: Sequence[Kind] = ()) -> None:
        """`kinds` are the questions that are asked, the model's own; of the checkpoint that ships where none are
        named."""
        super().__init__()
        self._ask, self._kinds = ask, tuple(kinds)
        self._others: tuple[tuple[str, str], ...] = ()
        self._same = False
        self._counters: tuple[str, ...] = ()
        self._near: Known | None = None
        self._taught: Taught | None = None

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Learns from rows of one metric. Raises InputError where they are too few, a value is not finite, or the model
        knows nothing of their language."""
        if self._ask is None:
            from forerun.models.encoder_decoder import EncoderDecoder

            shipped = EncoderDecoder()
            self._ask, self._kinds = shipped.medians, shipped.card.kinds
        super().fit(rows, seed)
        assert self._fitted is not None
        self._fitted = replace(self._fitted, own={})
        self._taught = Taught.of(rows)

    @property
    def errors(self) -> Vector:
        """How far off rows were that were held out, on the scale. Raises InputError before `fit`."""
        if self._fitted is None:
            raise untaught(self.name)
        return self._fitted.errors

    def read(self, prompts: Sequence[str]) -> list[tuple[Distribution, float]]:
        """As `predict`, and the share of the rows that lie at least as far from the others as this prompt from all;
        0 where numbers lie so far beyond theirs. Raises InputError before `fit`."""
        if self._fitted is None or self._near is None:
            raise untaught(self.name)
        if not prompts:
            return []
        found, x, above = self._believed(prompts)
        near = np.where(above < FAR, self._near.familiarity(x.astype(np.float32)), 0.0)
        return list(zip(found, near.tolist(), strict=True))

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before `fit`."""
        return self._believed(prompts)[0] if prompts or self._fitted is None else []

    def _believed(self, prompts: Sequence[str]) -> tuple[list[Distribution], Any, Vector]:
        """What it believes of each, wider where beliefs or numbers lie beyond those of the rows, the features, and by
        how much (`[N]`, logarithms) numbers are beyond what beliefs followed. Raises InputError before `fit`."""
        if self._fitted is None:
            raise untaught(self.name)
        asked = [parts(one) for one in prompts]
        x, line = self._features(asked), self._fitted.estimate
        assert isinstance(line, Linear)
        found, more = self._asked(self._fitted, x)[0], line.further(x)
        lower, higher = line.doubt(x, len(self._others), _BEYOND if self._same else _OTHER)
        doubts = [self._taught.doubt(one) if self._taught else Doubt() for one in asked]
        below = np.log([doubt.below for doubt in doubts]) + np.minimum(more, 0.0)
        above = np.log([doubt.above for doubt in doubts]) - np.maximum(more, 0.0)
        lower, higher = np.maximum(lower, below), np.maximum(higher, above)
        for i in np.flatnonzero(lower + higher):
            low, high = found[i].interval(LEVEL)
            ends = beyond(low, -1, math.exp(lower[i])), beyond(high, 1, math.exp(higher[i]))
            found[i] = found[i].spanning(*ends, LEVEL)
        return found, x, above

    def known(self, asked: str) -> str:
        """The prompt as the first of the questions that are asked."""
        return self._as_known(parts(asked))[0]

    def to_json(self) -> dict[str, Any]:
        """What it learned, as plain data, but the model. Raises InputError before `fit`."""
        fitted = self._fitted
        if fitted is None or self._near is None:
            raise untaught(self.name)
        assert isinstance(fitted.estimate, Linear)
        found: dict[str, Any] = {"near": self._near.to_json()}
        found |= {"asked": [list(one) for one in self._others], "same": self._same, "counters": list(self._counters)}
        found |= {name: np.asarray(value).tolist() for name, value in vars(fitted.estimate).items()}
        scale = {"unit": fitted.scale.unit, "least": None if np.isinf(fitted.scale.least) else fitted.scale.least}
        found |= {"taught": self._taught.to_json()} if self._taught else {}
        return found | {"errors": fitted.errors.tolist(), "low": fitted.low, "high": fitted.high, "scale": scale}

    @classmethod
    def from_json(cls, found: Mapping[str, Any], ask: Ask, kinds: Sequence[Kind]) -> Transfer:
        """What `to_json` gave, with the model. Raises ValueError, KeyError, TypeError for anything else."""
        made = cls(ask, kinds)
        made._others = tuple((str(metric), str(device)) for metric, device in found["asked"])
        made._same = bool(found.get("same", False))
        made._taught = Taught.from_json(found["taught"]) if "taught" in found else None
        made._counters, made._near = tuple(map(str, found["counters"])), Known.from_json(found["near"])
        errors, count = np.array(found["errors"], np.float64), len(made._others) + len(made._counters)
        vectors = {name: np.array(found.get(name, default), np.float64) for name, default in _vectors(count).items()}
        shapes = {made._near.mean.shape, *(vector.shape for vector in vectors.values())}
        if shapes != {(count,)} or errors.ndim != 1 or not len(errors):
            raise ValueError(f"{shapes} for {len(made._others)} beliefs and {len(made._counters)} counters")
        if unknown := [one for one in made._others if one not in {(kind.metric, kind.where) for kind in kinds}]:
            raise ValueError(f"the card knows no {' on '.join(unknown[0])}")
        least, unit = found["scale"]["least"], float(found["scale"]["unit"])
        scale = Scale(unit) if least is None else Scale(unit, float(least))
        estimate = Linear(offset=float(found["offset"]), **vectors)
        made._fitted = Fitted(scale, errors, {}, estimate, float(found["low"]), float(found["high"]))
        return made

    def _learn(self, found: Sequence[Parts]) -> Any:
        languages = dict.fromkeys(_base(one) for one in found)
        metric = found[0].head.get("metric", "")
        of_all = [
            {(kind.metric, kind.where) for kind in self._kinds if kind.base == language} for language in languages
        ]
        there = [(kind.metric, kind.where) for kind in self._kinds]
        common = [one for one in dict.fromkeys(there) if all(one in own for own in of_all)]
        if not common:
            known = ", ".join(dict.fromkeys(kind.base for kind in self._kinds)) or "nothing"
            why = f"{' and '.join(languages)} of these rows; it knows: {known}"
            todo = "name the --language of the rows, or train a network on them: --recipe cpu"
            raise InputError("the model knows nothing to carry over", why, todo)
        same = [one for one in common if one[0] == metric]
        self._others, self._same = tuple(same or common), bool(same)
        self._counters = tuple(sorted({name for one in found for name in one.counters}))
        x = self._features(found)
        self._near = Known.alone(x.astype(np.float32))
        return x

    def _features(self, found: Sequence[Parts]) -> Any:
        assert self._ask is not None
        medians = self._ask([asked for one in found for asked in self._as_known(one)])
        beliefs = np.log(np.maximum(np.reshape(np.asarray(medians, np.float64), (len(found), -1)), _LEAST))
        counts = [[max(one.counters.get(name, 0.0), 0.0) for name in self._counters] for one in found]
        return np.hstack([beliefs, np.log1p(np.reshape(np.asarray(counts, np.float64), (len(found), -1)))])

    def _as_known(self, found: Parts) -> list[str]:
        """The prompt as each question that is asked, of its language where that is known."""
        base, made = _base(found), []
        for asked in self._others:
            fitting = [kind for kind in self._kinds if (kind.metric, kind.where) == asked]
            kind = next((kind for kind in fitting if kind.base == base), fitting[0])
            metric, notes = Metric(kind.metric, kind.unit), kind.further(found.head)
            made.append(prompt(metric, kind.language, kind.device, found.text, counters=found.counters, notes=notes))
        return made

    def _regress(self, x: Any, y: Vector, setting: Any, seed: int) -> Linear:
        """The ridge regression with the least error on rows left out one by one."""
        mean, deviation = x.mean(0), x.std(0)
        told = deviation > 1e-9 * np.maximum(np.abs(mean), 1.0)
        centred, middle, n = x - mean, float(y.mean()), len(y)
        best, chosen = np.inf, np.zeros(x.shape[1])
        for weight in _COUNTERS:
            by = np.where(np.arange(x.shape[1]) < len(self._others), 1.0, weight) * told
            by = np.divide(by, deviation, out=np.zeros_like(by), where=told)
            z = centred * by
            values, vectors = np.linalg.eigh(z @ z.T)
            values, turned = np.maximum(values, 0.0), vectors.T @ (y - middle)
            for alpha in _ALPHAS:
                kept = values / (values + alpha)
                rest = y - middle - vectors @ (kept * turned)
                out = rest / np.maximum(1 - vectors**2 @ kept - 1 / n, 1e-6)
                if (error := float(out @ out)) < best:
                    best, chosen = error, by * (z.T @ (vectors @ (turned / (values + alpha))))
        slopes = self._slopes(chosen) if np.ptp(y) > 0 else np.zeros_like(chosen)  # what never differs does nowhere
        return Linear(chosen, middle - float(chosen @ mean), x.min(0), x.max(0), slopes)

    def _slopes(self, weights: Vector) -> Vector:
        """Beliefs of the same metric count about as much as they are, on the whole, those of others as they do within
        the rows; counters do not count."""
        own, slopes = len(self._others), np.where(np.arange(len(weights)) < len(self._others), weights, 0.0)
        if self._same:
            leaning = np.maximum(slopes[:own], 0.0) if slopes[:own].max() > 0 else np.ones(own)
            slopes[:own] = leaning / leaning.sum() * np.clip(weights[:own].sum(), *_BEYOND)
        return np.asarray(slopes, np.float64)


def _vectors(count: int) -> dict[str, Any]:
    """Those of a `Linear`, by name, and what stands for them in files of versions that had none."""
    none = [0.0] * count
    return {"weights": (), "least": [-np.inf] * count, "most": [np.inf] * count, "slopes": none}


def _base(found: Parts) -> str:
    return found.head.get("language", "").partition(",")[0]
