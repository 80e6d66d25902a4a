"""Predictors against the truth on rows that none of them has learned from: one row of scores each.

Each learns from the training part of the same split and is calibrated on the validation part; where a seed is one of
several, the split and the learning both change with it. Intervals are bootstraps over whole groups.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from forerun.distribution import Distribution
from forerun.errors import InputError, UsageError
from forerun.models._calibrated import LEVEL, calibrated
from forerun.models._predictor import Predictor
from forerun.models._regression import FEWEST, labels
from forerun.models._stack import Stack
from forerun.rows import Row
from forerun.scores import (
    Vector,
    Weights,
    resamples,
    weighted_kendall,
    weighted_mean,
    weighted_median,
    weighted_spearman,
    within,
)
from forerun.splits import SIMILAR, By, Split, groups_of, splits

RESAMPLES = 300
_ROUNDING = 1e-9
"""Of a number: what logarithms and back move it by is a millionth of that."""
HIGHER_IS_BETTER = {
    "spearman": True,
    "kendall": True,
    "within_spearman": True,
    "within_pairs": True,
    "mdape": False,
    "mape": False,
    "coverage": None,
    "width": False,
    "log_crps": False,
}
"""Every score, and which way is better; coverage should be what the interval promises."""


_HELD_OUT: Mapping[By, tuple[str, Callable[[Sequence[Row]], list[str]]]] = {
    "group": ("group", groups_of),
    "family": ("group", groups_of),
    "random": ("distinct program", lambda rows: groups_of(replace(row, group="") for row in rows)),
    "device": ("device", lambda rows: [row.device for row in rows]),
}
"""What a split holds out, and which of it a row belongs to."""


@dataclass(frozen=True, slots=True)
class Score:
    """The mean over seeds, with the mean ends of its 95% bootstrap intervals, and the deviation between seeds.

    NaN where the rows do not tell: no group with three values, no positive truth, (the ends) one group, or (the
    deviation) one seed.
    """

    value: float
    low: float
    high: float
    spread: float = math.nan


@dataclass(frozen=True)
class Scores:
    """One row of the table: a model on one metric."""

    model: str
    metric: str
    by: str
    seeds: tuple[int, ...]
    n: int
    """Test rows, those of all seeds together."""
    groups: int
    """Groups among them, likewise."""
    values: Mapping[str, Score]
    """By the names of `HIGHER_IS_BETTER`."""


def evaluate(
    rows: Sequence[Row],
    predictors: Mapping[str, Callable[[], Predictor]],
    by: By = "group",
    seeds: Sequence[int] = (0,),
    *,
    metrics: Sequence[str] = (),
    stack: Sequence[str] = (),
    similar: float = SIMILAR,
    unseen: Callable[[Split], Split] = lambda parts: parts,
    dealt: Callable[[Sequence[Row]], Split] | None = None,
    ready: Collection[str] = (),
) -> list[Scores]:
    """A row for each metric (all of them where none is named) and predictor, and one for the `stack` of those named.

    `unseen` takes from a split what a predictor that comes trained must not be judged by, nor calibrated with. Where
    there is a `dealt`, the rows are split as it says, once, instead of by seeds; predictors that are `ready` learn
    nothing more and stay as wide as they come, as what would calibrate them is what they learned from.

    Rows of all metrics are split together, as a training splits them; by device those of each metric, since they have
    devices of their own. Raises UsageError for an unknown name, and InputError where a part of a split is too small.
    """
    unknown = sorted(set(stack) - set(predictors))
    if unknown or not seeds:
        why = f"{', '.join(unknown)}: not among {', '.join(predictors)}" if unknown else "no seed was given"
        raise UsageError("the evaluation cannot be done as asked", why, "name predictors that take part, and a seed")
    by_metric = {name: [row for row in rows if row.metric == name] for name in dict.fromkeys(r.metric for r in rows)}
    asked = {name: by_metric.get(name, []) for name in metrics or by_metric or ("",)}
    for own in asked.values():
        labels(own)
    if dealt:
        whole, seeds = [dealt(rows)], seeds[:1]
    else:
        whole = [] if by == "device" else list(map(unseen, splits(rows, by, seeds, similar=similar)))
    made = []
    for name, own in asked.items():
        parts = [_about(name, one) for one in whole] or list(map(unseen, splits(own, by, seeds, similar=similar)))
        made += _of_metric(name, by, dict(zip(seeds, parts, strict=True)), predictors, stack, ready)
    return made


def _about(metric: str, parts: Split) -> Split:
    own = ([row for row in part if row.metric == metric] for part in vars(parts).values())
    return Split(*own)


def _of_metric(
    metric: str,
    by: By,
    parts: Mapping[int, Split],
    predictors: Mapping[str, Callable[[], Predictor]],
    stack: Sequence[str],
    ready: Collection[str],
) -> list[Scores]:
    """Of the split of each seed."""
    found: dict[str, list[dict[str, Score]]] = defaultdict(list)
    for seed, one in parts.items():
        for name, values in judged(one, predictors, seed, stack=stack, by=by, ready=ready).items():
            found[name].append(values)
    n, groups = (sum(count(one.test) for one in parts.values()) for count in (len, count_groups))
    return [Scores(name, metric, by, tuple(parts), n, groups, averaged(ones)) for name, ones in found.items()]


def judged(
    parts: Split,
    predictors: Mapping[str, Callable[[], Predictor]],
    seed: int = 0,
    *,
    stack: Sequence[str] = (),
    by: By = "group",
    ready: Collection[str] = (),
) -> dict[str, dict[str, Score]]:
    """The scores of each predictor on the test part of one split `by`, and of the `stack` of those named there; those
    that are `ready` are not calibrated.

    Raises InputError where a part is too small that any of them needs.
    """
    found, alone = {}, set(predictors) <= set(ready)
    for name, predictor in _fitted(_checked(parts, by, alone), predictors, stack, seed, ready).items():
        beliefs = predictor.predict([row.prompt for row in parts.test])
        found[name] = score(parts.test, beliefs, seed=seed)
    return found


def _checked(parts: Split, by: By, alone: bool) -> Split:
    """Nothing is learned or calibrated where only what is ready stands `alone`: then the test has to do."""
    sizes = {"train": len(parts.train), "validation": len(parts.validation), "test": len(parts.test)}
    if alone and sizes["test"] < FEWEST:
        why = f"{sizes['test']}: what the checkpoint has had, and what is near to it, judges nobody"
        raise InputError(f"fewer than {FEWEST} rows are left to judge by", why, "give more rows")
    if not alone and min(sizes.values()) < FEWEST:
        noun, held = _HELD_OUT[by]
        count = len(set(held([*parts.train, *parts.validation, *parts.test])))
        why = f"{', '.join(f'{name} {size}' for name, size in sizes.items())}: of {count} {noun}{'s' * (count != 1)}"
        todo = f"give rows of more {noun}s, or name another seed"
        raise InputError(f"a part of the split has fewer than {FEWEST} rows", why, todo)
    return parts


def _fitted(
    parts: Split,
    predictors: Mapping[str, Callable[[], Predictor]],
    stack: Sequence[str],
    seed: int,
    ready: Collection[str],
) -> dict[str, Predictor]:
    inner = {name: make() for name, make in predictors.items()}
    for name, predictor in inner.items():
        if name not in ready:
            predictor.fit(parts.train, seed)
    fitted = {name: one if name in ready else calibrated(one, parts.validation) for name, one in inner.items()}
    if stack:
        fitted[Stack.name] = Stack({name: inner[name] for name in stack})
        fitted[Stack.name].fit(parts.validation, seed)
    return fitted


@np.errstate(over="ignore", invalid="ignore")  # what is beyond doubles is infinite: of such a score no number is told
def score(
    rows: Sequence[Row], beliefs: Sequence[Distribution], *, level: float = LEVEL, seed: int = 0
) -> dict[str, Score]:
    """Predictions against the truth, each score with its bootstrap interval over groups.

    Percentage errors and CRPS are of the rows with a positive truth; a constant prediction ranks with 0. An interval
    covers a truth that lies outside by no more than rounding does.
    """
    truth = np.array([row.value for row in rows])
    median = np.array([one.median for one in beliefs])
    groups = groups_of(rows)
    drawn = _several(resamples(groups, RESAMPLES, seed))
    positive = truth > 0
    ape = np.abs(median[positive] / truth[positive] - 1)
    crps = np.array([one.log_crps(t) for one, t in zip(beliefs, truth.tolist(), strict=True) if t > 0])
    inside, width = intervals(beliefs, median, truth, level)
    values = {
        "spearman": weighted_spearman(median, truth, drawn),
        "kendall": weighted_kendall(median, truth, drawn),
        **_within(groups, median, truth, drawn),
        "mdape": _over(weighted_median, ape, drawn[:, positive]),
        "mape": _over(weighted_mean, ape, drawn[:, positive]),
        "coverage": weighted_mean(inside, drawn),
        "width": weighted_median(width, drawn),
        "log_crps": _over(weighted_mean, crps, drawn[:, positive]),
    }
    return {name: _interval(found) for name, found in values.items()}


def intervals(
    beliefs: Sequence[Distribution], median: Vector, truth: Vector, level: float = LEVEL
) -> tuple[Vector, Vector]:
    """Of beliefs with these medians `[N]`: 1 for each whose interval has the truth `[N]` in it, and how wide they are
    beside the median."""
    ends = np.array([one.interval(level) for one in beliefs])
    slack = _ROUNDING * np.abs(truth)
    inside = ((ends[:, 0] - slack <= truth) & (truth <= ends[:, 1] + slack)).astype(np.float64)
    width = np.divide(ends[:, 1] - ends[:, 0], np.abs(median), out=np.full(len(truth), np.inf), where=median != 0)
    return inside, width


def count_groups(rows: Sequence[Row]) -> int:
    """Groups among rows (`forerun.splits.groups_of`)."""
    return len(set(groups_of(rows)))


def _several(weights: Weights) -> Weights:
    """Without the resamples where all rows are of one group: each of them is the rows themselves."""
    return weights[:1] if (weights == weights[:, :1]).all() else weights


def _over(statistic: Callable[[Vector, Weights], Vector], values: Vector, weights: Weights) -> Vector:
    weights = _several(weights)
    return statistic(values, weights) if len(values) else np.full(len(weights), np.nan)


def _within(groups: Sequence[str], x: Vector, y: Vector, drawn: Weights) -> dict[str, Vector]:
    """Means over groups, each computed once: a resample only weighs them anew."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        places[group].append(i)
    found = [(here[0], within(x[here].tolist(), y[here].tolist())) for here in places.values()]
    known = [(first, pair) for first, pair in found if pair]
    columns = np.array([pair for _, pair in known]).reshape(len(known), 2)
    mean = partial(_over, weighted_mean, weights=drawn[:, [first for first, _ in known]])
    return {"within_spearman": mean(columns[:, 0]), "within_pairs": mean(columns[:, 1])}


def _interval(found: NDArray[np.float64]) -> Score:
    """The score itself, and the middle 95% of the resamples that have one."""
    drawn = found[1:][~np.isnan(found[1:])]
    low, high = np.quantile(drawn, (0.025, 0.975), method="nearest") if drawn.size else (math.nan, math.nan)
    return Score(float(found[0]), float(low), float(high))


def averaged(seeds: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """The mean of each score over seeds, with the deviation between them."""

    def mean(of: Sequence[Score]) -> Score:
        value, low, high = np.mean([(one.value, one.low, one.high) for one in of], axis=0).tolist()
        return Score(value, low, high, float(np.std([one.value for one in of], ddof=1)) if len(of) > 1 else math.nan)

    return {name: mean([one[name] for one in seeds]) for name in HIGHER_IS_BETTER}
