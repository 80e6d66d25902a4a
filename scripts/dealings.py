"""Whether intervals hold what they promise, in the mean over many ways of dealing groups that nothing was learned from.

One split says of few groups alone how wide intervals must be, and other few judge them. Here both change places: half
of the groups, drawn at random, says by which factors what is believed has to be widened, just as a training is told
(`forerun.train.fit.factors`), and of the other half is counted how many truths lie inside. Factors are told by rows
that they are for: such as network and trees answer. What the text of a program tells, network and trees beside or
without, is as wide as such programs were off: those that were measured for it, and those of the first half.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from forerun.distribution import Distribution
from forerun.evaluate import RESAMPLES, intervals
from forerun.models.boosted_trees import HELD
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.encoder_decoder.calibration import Calibration
from forerun.models.encoder_decoder.ensemble import Ensemble, form
from forerun.models.encoder_decoder.imports import WORKING, Imports, Reckoned
from forerun.prompts import parts
from forerun.rows import Row
from forerun.scores import resamples, weighted_mean
from forerun.splits import groups_of
from forerun.train.fit import factors, some

_FEWEST = 50
"""Programs of a language from which on they say what such as do little hold."""
Factors = Mapping[str, float]
Rule = Callable[[Sequence[Row], Sequence[Distribution]], Factors]


@dataclass(frozen=True, slots=True)
class Held:
    """A row that nothing was learned from, with what network and trees believe of it, as wide as they believe; and what
    its text tells instead, if it does."""

    row: Row
    group: str
    of: str
    """What is judged together: a metric, or a form of it."""
    part: str
    """`validation`, by which trainings were stopped and shares told, or `test`."""
    judges: bool
    believed: Distribution
    told: Reckoned | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one answer: whether the truth lies in the interval, how wide that is beside the median, and the score."""

    inside: float
    width: float
    log_crps: float

    @classmethod
    def of(cls, belief: Distribution, truth: float) -> Outcome:
        """As `forerun.evaluate.score` judges it."""
        (inside,), (width,) = intervals([belief], np.array([belief.median]), np.array([truth]))
        return cls(float(inside), float(width), belief.log_crps(truth))


def held(
    model: EncoderDecoder, rows: Sequence[Row], of: Sequence[str], where: Sequence[str], judging: Sequence[bool]
) -> list[Held]:
    """Rows with what is believed of each, asked once."""
    prompts, beliefs = [row.prompt for row in rows], believed(model, rows)
    settled = model.settled(prompts, beliefs)  # the middle is the same whatever the factors
    told = [
        reckoned(model, prompt, one.median) if judges else None
        for prompt, one, judges in zip(prompts, settled, judging, strict=True)
    ]
    about = zip(rows, groups_of(rows), of, where, judging, beliefs, told, strict=True)
    return [Held(*each) for each in about]


def reckoned(model: EncoderDecoder, prompt: str, other: float) -> Reckoned | None:
    """What its text tells, beside what network and trees believe; None where these answer alone."""
    found = model.imports.reckoned(prompt, not model.encode(prompt).cut, other)
    return found if found.belief(model.imports.widths) else None


def answered(model: EncoderDecoder, rows: Sequence[Row]) -> list[Row]:
    """Of rows those that network and trees answer alone: how far they are off where the text tells says nothing of
    these."""
    return [row for row in rows if reckoned(model, row.prompt, 1.0) is None]


def holds(imports: Imports, rows: Iterable[Row]) -> dict[str, tuple[float, float]]:
    """Bytes that programs which do little hold, by what they begin as: half of them at the most, and nineteen in twenty
    at the least; where there are enough of them."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.metric == HELD and (begins := imports.little(row.prompt)):
            found.setdefault(begins, []).append(row.value)
    enough = {name: np.quantile(own, (0.5, 0.05)).tolist() for name, own in found.items() if len(own) >= _FEWEST}
    return {name: (usual, least) for name, (usual, least) in sorted(enough.items())}


def off(rows: Iterable[tuple[float, Reckoned]]) -> dict[str, dict[str, list[float]]]:
    """By which factors, as logarithms, programs took more than was told: by metric, and what errs alike. What works as
    long as is told is left out: that it ended within seconds is why it is among public programs that were measured."""
    found: dict[str, dict[str, list[float]]] = {}
    for value, told in (row for row in rows if not row[1].errs.endswith(WORKING)):
        found.setdefault(told.metric, {}).setdefault(told.errs, []).append(round(math.log(value / told.middle), 4))
    return found


def believed(model: EncoderDecoder, rows: Sequence[Row]) -> list[Distribution]:
    """What network and trees believe of each row, as wide as they do."""
    prompts = [row.prompt for row in rows]
    alone = replaced(model, calibration=Calibration(), ensemble=Ensemble({}), imports=Imports())
    return model.ensemble.moved(prompts, alone.predict(prompts))


def replaced(model: EncoderDecoder, **parts: object) -> EncoderDecoder:
    """The same network with other parts beside it."""
    made = model.without_trees()
    for name, part in {"ensemble": model.ensemble, **parts}.items():
        setattr(made, name, part)
    return made


def outcomes(model: EncoderDecoder, rows: Sequence[Held]) -> Callable[[int, Factors, Imports], Outcome]:
    """What becomes of a row's answer by such factors, or by the errors that are beside it."""

    @cache
    def by(i: int, factor: float) -> Outcome:
        row = rows[i]
        told = replace(model.calibration, factors={row.row.metric: factor})
        wide = replaced(model, calibration=told).settled([row.row.prompt], [row.believed])[0]
        return Outcome.of(wide, row.row.value)

    def found(i: int, factors: Factors, beside: Imports) -> Outcome:
        told, value = rows[i].told, rows[i].row.value
        if told is not None and (belief := told.belief(beside.widths)):
            return Outcome.of(belief, value)
        return by(i, Calibration(factors).factor(parts(rows[i].row.prompt)))

    return found


@dataclass(frozen=True, slots=True)
class Covered:
    """Of one metric, or a form of it: the share of truths inside, in the mean over dealings, with its 95% bootstrap
    interval over groups and its deviation between dealings."""

    rows: int
    groups: int
    told: int
    """Rows whose text tells the answer, as wide as such programs were off."""
    coverage: float
    low: float
    high: float
    spread: float
    width: float
    log_crps: float
    test: float | None
    """The share inside of rows of the test alone; None where there is none."""
    shipped: float | None
    """The same by the factors that ship."""


def covered(
    model: EncoderDecoder, rows: Sequence[Held], count: int, rule: Rule = factors, seed: int = 0
) -> dict[str, Covered]:
    """Of all that is judged together, where groups are dealt so many times: half of those of each form."""
    found, drawn = outcomes(model, rows), random.Random(seed)
    forms: dict[str, dict[str, None]] = {}
    for row in rows:
        forms.setdefault(form(row.row.prompt), {})[row.group] = None
    judged: list[dict[int, Outcome]] = []
    for _ in range(count):
        half = {group for groups in forms.values() for group in drawn.sample(sorted(groups), len(groups) // 2)}
        own = [row for row in rows if row.group in half and row.judges and row.told is None]
        chosen = {id(one) for one in some([row.row for row in own])}
        asked = [row for row in own if id(row.row) in chosen]
        told = rule([row.row for row in asked], [row.believed for row in asked])
        errors = off((row.row.value, row.told) for row in rows if row.told and row.group in half)
        beside = replace(model.imports, public=errors)
        others = (i for i, row in enumerate(rows) if row.judges and row.group not in half)
        judged.append({i: found(i, told, beside) for i in others})
    names = dict.fromkeys(row.of for row in rows if row.judges)
    return {name: _covered(model, rows, name, judged, found) for name in names}


def _covered(
    model: EncoderDecoder,
    rows: Sequence[Held],
    name: str,
    judged: Sequence[Mapping[int, Outcome]],
    found: Callable[[int, Factors, Imports], Outcome],
) -> Covered:
    """A row that half of the dealings judge by counts as its mean over these."""
    own = [i for i, row in enumerate(rows) if row.of == name and row.judges and any(i in one for one in judged)]
    inside = np.array([np.mean([one[i].inside for one in judged if i in one]) for i in own])
    scores = [np.mean([one[i].log_crps for one in judged if i in one]) for i in own if rows[i].row.value > 0]
    means = weighted_mean(inside, resamples([rows[i].group for i in own], RESAMPLES, 0))
    low, high = np.quantile(means[1:], (0.025, 0.975), method="nearest")
    each = [dealing for one in judged if (dealing := [one[i] for i in own if i in one])]
    test = np.array([rows[i].part == "test" for i in own])
    ships = model.calibration.factors, model.imports
    shipped = [found(i, *ships).inside for i, tests in zip(own, test, strict=True) if tests]
    return Covered(
        rows=len(own),
        groups=len({rows[i].group for i in own}),
        told=sum(rows[i].told is not None for i in own),
        coverage=float(means[0]),
        low=float(low),
        high=float(high),
        spread=float(np.std([np.mean([one.inside for one in dealing]) for dealing in each])),
        width=float(np.mean([np.median([one.width for one in dealing]) for dealing in each])),
        log_crps=float(np.mean(scores)),
        test=float(inside[test].mean()) if shipped else None,
        shipped=float(np.mean(shipped)) if shipped else None,
    )
