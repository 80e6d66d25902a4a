"""`forerun eval`: who predicts best on what nobody has learned from."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forerun import registry
from forerun.cli._quantities import MOST_SEED, names
from forerun.cli.data import known_rows, say_many, skipping
from forerun.cli.render import Column, Table, add_format, counted, number, say, show
from forerun.errors import InputError, ToolMissing, UsageError
from forerun.models._predictor import Predictor
from forerun.models._regression import folds
from forerun.prompts import parts
from forerun.rows import Row
from forerun.splits import By, Split, near_duplicates

if TYPE_CHECKING:
    from forerun.models.encoder_decoder.learned import Learned

RIVALS = ("length", "group_mean", "flops", "tfidf_ridge", "neighbours", "boosted_trees")
NETWORKS = ("encoder_decoder", "mse_head", "regress_lm")
UNSEEN = "unseen"
"""What is held out where a checkpoint says which rows it had, and all others judge."""
_CALIBRATING = 4
"""One group in so many calibrates where the checkpoint's own rows have to do both."""
_FEWEST_HAD = 15
"""Rows that a checkpoint has had of a metric, from which on others learn from them beside it."""
FEW = 5
"""Groups that judge, from which on a bootstrap over them tells something."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = (
        "A checkpoint is judged by the test part of the split that it was trained with, and by no row that it has"
        " learned from: where another split would have such rows judge it, that is refused."
    )
    parser.add_argument("data", type=Path, help="rows as `forerun data` writes them")
    lists: Any = {"action": "extend", "type": names, "default": [], "metavar": "NAMES"}
    parser.add_argument("--metric", **lists, help="only these, with commas between them (default: each in turn)")
    parser.add_argument(
        "--model",
        **lists,
        help=f"predictors (default: {', '.join(RIVALS)}); {', '.join(NETWORKS)} are trained on the spot",
    )
    parser.add_argument("--recipe", help="cpu or gpu: how networks are trained that --model names (cpu)")
    parser.add_argument("--depth", type=int, help="their size: layers, each 64 wide (default: the recipe's)")
    parser.add_argument("--steps", type=int, help="steps of their training (default: the recipe's)")
    parser.add_argument(
        "--checkpoint",
        type=Path,
        metavar="DIR",
        help="a trained encoder-decoder to put beside them, with its trees and without; encoder_decoder for the one"
        " that ships",
    )
    parser.add_argument("--card", action="store_true", help="write these results into the checkpoint's card")
    text = "what is held out: groups, those near each other as one; family: each for itself (default: group)"
    text += (
        "; unseen: all rows judge that the checkpoint has not had, but those that are near to or of the group of one"
    )
    parser.add_argument("--by", choices=("group", "family", "random", "device", UNSEEN), default="group", help=text)
    seeds = lists | {"type": _seeds, "metavar": "N"}
    text = "a split and a learning, or several: 0,1,2 (default: the checkpoint's, or 0)"
    parser.add_argument("--seed", **seeds, help=text)
    parser.add_argument("--stack", **lists, help="also a stack of these")
    text = "Jaccard of near-duplicates, which never cross (default: the checkpoint's, or .8; above 1 none are)"
    parser.add_argument("--similar", type=float, help=text)
    skipping(parser)
    add_format(parser)


def _seeds(text: str) -> list[int]:
    found = names(text)
    if not found or not all(name.isdecimal() for name in found):
        raise argparse.ArgumentTypeError(f"not a number, nor several with commas: {text!r}")
    if large := next((name for name in found if int(name) > MOST_SEED), ""):
        raise argparse.ArgumentTypeError(f"a seed is at most {MOST_SEED}: {large!r}")
    return [int(name) for name in found]


def run(options: argparse.Namespace) -> int:
    """Fits every predictor on the same parts; prints a row for each and metric."""
    from forerun.evaluate import evaluate
    from forerun.models.encoder_decoder import SHIPPED, WITHOUT, EncoderDecoder, configuration, located
    from forerun.models.encoder_decoder.card import Card

    trains = [name for name in options.model if name in NETWORKS]
    asked = {"--depth": options.depth, "--steps": options.steps, "--recipe": options.recipe}
    if not trains and (idle := next((name for name, value in asked.items() if value is not None), "")):
        todo = f"leave it out, or name one: --model {NETWORKS[0]}"
        raise UsageError(f"{idle} is of networks that --model names", "none is to be trained", todo)
    if options.card and not options.checkpoint:
        raise UsageError("--card has no checkpoint to write to", "none was named", "add --checkpoint DIR")
    if options.card and located(options.checkpoint) == SHIPPED:
        raise UsageError("--card would replace the shipped card", "it belongs to forerun", "copy the checkpoint first")
    if options.checkpoint:
        configuration(located(options.checkpoint))  # says what is there where it is no checkpoint
    rows = known_rows(options.data, options)
    say_many(rows)
    if options.checkpoint:
        _check_known(options, rows)
    judged = _Judged.asked(options)
    how: dict[str, Any] = {"metrics": _metrics(options, rows), "stack": options.stack, "similar": judged.similar}
    predictors = _predictors(options)
    if options.by == UNSEEN:
        dealt, ready = judged.dealt()(rows), (EncoderDecoder.name, f"{EncoderDecoder.name} {WITHOUT}")
        how |= {"dealt": lambda _: dealt, "ready": ready}
        had = Counter(row.metric for row in (*dealt.train, *dealt.validation))
        asked = how["metrics"] or dict.fromkeys(row.metric for row in rows)
        if few := next((metric for metric in asked if had[metric] < _FEWEST_HAD), ""):
            _alone(options, f"{options.checkpoint} has learned from {number(had[few])} of these rows of {few}")
            predictors = {name: one for name, one in predictors.items() if name in ready}
    by: By = "group" if options.by == UNSEEN else options.by
    found = evaluate(rows, predictors, by, judged.seeds, unseen=judged.unseen, **how)
    for metric, groups in {one.metric: one.groups / len(one.seeds) for one in found}.items():
        if groups < FEW:
            why = f"its intervals are drawn over {number(groups)} whole groups, fewer than {FEW}: they are too narrow"
            why = "all rows that judge are of one group: no interval is drawn" if groups == 1 else f"{why} to believe"
            say(f"forerun: {metric}: {why}; give rows of more groups")
    lines = [_line(one) | {"by": options.by} for one in found]
    if options.card:
        Card.load(options.checkpoint).with_results(lines).save(options.checkpoint)
    show(_table(lines, options.format), options.format)
    return 0


def _check_known(options: argparse.Namespace, rows: Sequence[Row]) -> None:
    """Says of how many rows a checkpoint knows neither language nor device. Raises UsageError for a metric that it does
    not know: what it writes then is no answer."""
    from forerun.models.encoder_decoder import located
    from forerun.models.encoder_decoder.card import Card

    kinds = Card.load(located(options.checkpoint)).kinds
    for metric in options.metric or dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric]
        known = {(kind.language, kind.device) for kind in kinds if kind.metric == metric}
        if not known:
            why = f"it was trained on {', '.join(sorted({kind.metric for kind in kinds})) or 'code without numbers'}"
            todo = "name what it knows with --metric, or leave --checkpoint out"
            raise UsageError(f"{options.checkpoint} knows no {metric}", why, todo)
        told = [(parts(row.prompt).head.get("language", ""), row.device) for row in own]
        strange = [f"{language} on {device or 'no device'}" for language, device in told
                   if not {(language, device), (language, "any"), (language, "")} & known]  # fmt: skip
        if strange:
            what = f"{options.checkpoint} has learned {metric} of none like {number(len(strange))} of these rows"
            say(f"forerun: {what} ({strange[0]}): what it says of them is a guess")


def _alone(options: argparse.Namespace, why: str) -> None:
    """Says that no rivals stand beside a checkpoint, as rows that it has had are all that they learn from. Raises
    UsageError where some were named."""
    if named := [*options.model, *options.stack]:
        todo = "leave --model and --stack out, or take another --by: then all learn from a part of the rows"
        raise UsageError(f"{named[0]} has too little to learn from", why, todo)
    say(
        f"forerun: {why}: it is judged by all others, alone; with --by group others learn from a part of them beside it"
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """The splits that judge: where nothing else was asked for, as the checkpoint was trained."""

    learned: Learned
    checkpoint: str
    by: str
    seeds: Sequence[int]
    similar: float

    @classmethod
    def asked(cls, options: argparse.Namespace) -> _Judged:
        from forerun.models.encoder_decoder import CONFIG, located
        from forerun.models.encoder_decoder.learned import Learned

        learned, name = Learned(), str(options.checkpoint or "")
        if options.checkpoint:
            folder = located(options.checkpoint)
            learned = Learned.load(folder)
            if not learned.train and (folder / CONFIG).is_file():
                say(f"forerun: {name} does not say which rows it has learned from: none of them is left out")
        similar = learned.similar if options.similar is None else options.similar
        return cls(learned, name, options.by, options.seed or [learned.seed], similar)

    def unseen(self, parts: Split) -> Split:
        """Without what the checkpoint has learned from, which is said. Raises UsageError where that is of the split
        that was asked for, InputError where nothing is left."""
        found = self.learned.unseen(parts)
        gone, count = len(parts.test) - len(found.test), len(parts.test)
        if not gone:
            return found
        what = f"{self.checkpoint} has learned from {number(gone)} of the {counted(count, 'row')} that would judge it"
        if other := self._other():
            why = f"it was trained with {' '.join(other.values())}, on another part of these rows"
            raise UsageError(what, why, f"leave {' and '.join(other)} out, or train another one with what you ask for")
        if gone == count:
            todo = "give rows that it has not learned from"
            raise InputError(what, "nobody is judged by what was learned from", todo)
        say(f"forerun: {what}: they are left out")
        return found

    def dealt(self) -> Callable[[Sequence[Row]], Split]:
        """How rows are split where all judge that the checkpoint has not had. Raises UsageError where that is not told,
        or another seed is asked for."""
        if not self.learned.train:
            what = self.checkpoint or "no checkpoint"
            why = "it does not say which rows it has learned from" if self.checkpoint else "it says which rows judge"
            raise UsageError(f"--by {UNSEEN} of {what}", why, "name one that a training wrote: --checkpoint DIR")
        if list(self.seeds) != [self.learned.seed]:
            raise UsageError(f"--by {UNSEEN} with --seed", "nothing is drawn", "leave --seed out")
        return partial(unseen, replace(self.learned, similar=self.similar))

    def _other(self) -> dict[str, str]:
        """The options by which the split is another one than that of the training, and what they were then."""
        learned = self.learned
        ways = {
            "--by": (self.by != "group", "--by group"),
            "--seed": (list(self.seeds) != [learned.seed], f"--seed {learned.seed}"),
            "--similar": (self.similar != learned.similar, f"--similar {learned.similar:g}"),
        }
        return {name: said for name, (differs, said) in ways.items() if differs}


def unseen(learned: Learned, rows: Sequence[Row]) -> Split:
    """The rows as a checkpoint had them; all others judge, but for near-duplicates of those.

    Where few calibrated it, as after an adaptation, some of those that it learned from calibrate the rivals.
    """
    found = learned.dealt(rows)
    had = [*found.train, *found.validation]
    near = near_duplicates([parts(row.prompt).text for row in (*had, *found.test)], learned.similar)
    known = set(near[: len(had)])
    test = [row for row, cluster in zip(found.test, near[len(had) :], strict=True) if cluster not in known]
    if len(found.validation) >= FEW or not had:
        return Split(found.train, found.validation, test)
    held = next(folds([row.group for row in had], _CALIBRATING, learned.seed))
    train, calibrating = ([row for row, out in zip(had, held, strict=True) if out == which] for which in (0, 1))
    return Split(train, calibrating, test)


def _metrics(options: argparse.Namespace, rows: Sequence[Row]) -> list[str]:
    """Those that were named. Raises UsageError for one that no row is about."""
    found, asked = dict.fromkeys(row.metric for row in rows), dict.fromkeys(options.metric)
    if unknown := [name for name in asked if name not in found]:
        raise UsageError(f"no row is about {unknown[0]}", f"metrics: {', '.join(found)}", "name one of them")
    return list(asked)


def _predictors(options: argparse.Namespace) -> dict[str, Callable[[], Predictor]]:
    made: dict[str, Callable[[], Predictor]] = {}
    for name in options.model or RIVALS:
        kind = registry.find("models", name) if name in registry.names("models") else None
        if not (kind and issubclass(kind, Predictor)):
            what = f"{name} predicts no numbers" if kind else f"no model is called {name!r}"
            raise UsageError(what, f"those that predict: {', '.join((*RIVALS, *NETWORKS))}", "name one of them")
        made[name] = _trained(name, options) if name in NETWORKS else kind
    if options.checkpoint:
        from forerun.models.encoder_decoder import WITHOUT, EncoderDecoder, ensemble, located

        folder = located(options.checkpoint)
        made[EncoderDecoder.name] = partial(EncoderDecoder, folder)
        if (folder / ensemble.FILE).is_file():
            made[f"{EncoderDecoder.name} {WITHOUT}"] = lambda: EncoderDecoder(folder).without_trees()
    return made


def _trained(name: str, options: argparse.Namespace) -> Callable[[], Predictor]:
    if not find_spec("torch"):
        raise ToolMissing("training needs PyTorch", "torch is not installed", "pip install 'forerun[train]'")
    from forerun.train import recipes
    from forerun.train.trained import Trained

    recipe = options.recipe or "cpu"
    recipes.check(recipe, ("cpu", "gpu"))
    return partial(Trained, name, recipes.named(recipe, depth=options.depth, steps=options.steps))


def _line(scores: Any) -> dict[str, Any]:
    row = {"model": scores.model, "metric": scores.metric, "by": scores.by, "seeds": list(scores.seeds)}
    row |= {"n": scores.n, "groups": scores.groups}
    for name, score in scores.values.items():
        parts = {"": score.value, "_low": score.low, "_high": score.high, "_spread": score.spread}
        row |= {f"{name}{end}": value if math.isfinite(value) else None for end, value in parts.items()}
    return row


def _table(lines: list[dict[str, Any]], form: str) -> Table:
    """For people the scores that count most have their intervals, in the same cell."""
    from forerun.models.encoder_decoder.card import SCORES, scored, short

    if form in ("table", "md"):
        lines = [line | {name: scored(line, name) for name in SCORES} for line in lines]
    words = [Column("metric", "metric"), Column("model", "model"), Column("by", "held out by")]
    counts = [Column("n", "n", number, True), Column("groups", "groups", number, True)]
    seeds = Column("seeds", "seeds", lambda seeds: ", ".join(map(str, seeds)), True)
    names = ("spearman", "kendall", "within_spearman", "mdape", "mape", "coverage", "width", "log_crps")
    scores = [Column(name, name, str if name in SCORES else short, True) for name in names]
    return Table([*words, *counts, seeds, *scores], lines)
