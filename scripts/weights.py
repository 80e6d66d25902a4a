"""Trains the weights that ship, and judges them beside the rivals.

    python scripts/weights.py rows --nas table.csv.gz -o nas.jsonl
    python scripts/weights.py train memory.jsonl runtime.jsonl size.jsonl latency.jsonl kernels.jsonl nas.jsonl -o DIR
    python scripts/weights.py mean memory.jsonl runtime.jsonl … --of DIR --of DIR --trees DIR -o DIR
    python scripts/weights.py grow memory.jsonl runtime.jsonl size.jsonl latency.jsonl nas.jsonl --metric memory -o DIR
    python scripts/weights.py judge memory.jsonl runtime.jsonl size.jsonl latency.jsonl kernels.jsonl nas.jsonl -o DIR
    python scripts/weights.py know memory.jsonl runtime.jsonl size.jsonl latency.jsonl nas.jsonl -o DIR
    python scripts/weights.py widen nas.jsonl --metric accuracy --metric latency/onnx -o DIR
    python scripts/weights.py reckon memory.jsonl runtime.jsonl -o DIR
    python scripts/weights.py coverage memory.jsonl runtime.jsonl size.jsonl latency.jsonl nas.jsonl -o coverage.json
    python scripts/weights.py record -o DIR

`train` also grows the trees, or keeps those of another checkpoint (`--trees`) and tells anew what share they have
beside the network; `mean` does so for the mean of networks that began as one (Wortsman et al. 2022); `grow` grows those
of some metrics, or of one form of what they are asked of (`text/source`), anew beside the network as it is, calibrates
them and forgets how they were judged. Rows that came after its training are `--later`, for `judge` and `know` too.
With `--network regress_lm` or `mse_head`, `train` gives that rival; `judge --beside FOLDER` puts those of its folders
that have these names in the table. `know` tells anew how near to its rows each kind of question lies, beside the
network as it is: kinds without rows stay as they were. It prints how many of the test rows are familiar, and how many
were. `record` writes down anew which files belong together, after one was changed by hand.

`rows` draws architectures of NAS-Bench-201. The other files are those of `forerun data export`; `benchmarks/measured`
says how their programs are found again. `train` splits all files together by group, so a program is on one side only,
whatever was measured of it; the others, and `train` with `--trees` or `--start`, deal rows as that checkpoint says that
it had them (`learned.json`): nothing judges that was learned from, and the files of what is asked about are enough.
Programs that `forerun.corpora.generated` draws, and those of `written.jsonl.gz`, are learned from, and judge nobody.
`widen` tells anew how wide the intervals of some metrics, or forms of them, must be, and forgets how ours were judged:
by rows that network and trees answer, of programs that may judge. `reckon` does so of what programs' texts tell: by the
rows that are learned from what such as do little hold (`holds` in `imports.json`), by the validation rows by which
factors these were off (`public`).
`coverage` measures whether the intervals of what ships hold 90%, in the mean over so many `--dealings` of the groups
that nothing was learned from (`dealings.py`), metric by metric; all rows of a metric are to be given at once. It keeps
what its file has of the same checkpoint.
What ships is `train … --recipe gpu --depth 2 --steps 1600 --rate 2e-3 --dropout .05 --trees DIR` but for its seed,
which was 1, with the `--start` that `forerun train code --recipe gpu --depth 2 --context 512 --steps 1200` made of
`scripts/texts.py`.
Called again, training goes on where it stopped, and judging asks only what is not yet in the card.
Results go into the checkpoint's card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import dealings
import measured

from forerun import registry
from forerun.cli.eval import RIVALS
from forerun.corpora import nasbench
from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.evaluate import Score, count_groups, judged, score
from forerun.files import write_atomically
from forerun.models._calibrated import kind
from forerun.models._predictor import Predictor
from forerun.models._regression import FEWEST
from forerun.models._stack import Stack
from forerun.models.encoder_decoder import BEGUN, PARTS, SHIPPED, WITHOUT, EncoderDecoder, checksums
from forerun.models.encoder_decoder._torch import TorchNetwork
from forerun.models.encoder_decoder.calibration import Calibration, question, ranges
from forerun.models.encoder_decoder.card import LIMITS, Card
from forerun.models.encoder_decoder.ensemble import Ensemble, form
from forerun.models.encoder_decoder.learned import Learned
from forerun.models.encoder_decoder.network import Network
from forerun.models.mse_head import MseHead
from forerun.models.regress_lm import RegressLM
from forerun.plain import value
from forerun.prompts import parts
from forerun.rows import Row
from forerun.splits import SIMILAR, Split, groups_of, near_duplicates, place, split
from forerun.tables import read_rows, write_rows
from forerun.tasks import size
from forerun.tasks._programs import METRICS
from forerun.toolchains.inductor.kernel import TRITON
from forerun.train import head, recipes
from forerun.train.fit import Parts, factors, fit, kinds_of, some
from forerun.train.fit import calibration as calibrated
from forerun.train.loop import Progress
from forerun.train.recipes import Training
from forerun.train.trained import DECODERS, NETWORKS, bare, of_regress_lm

ARCHITECTURES, LATENCIES = 5200, 6000
"""Of NAS-Bench-201: those whose accuracy is learned, and latencies of any of them on any device."""
OWN = ("generated/", f"{measured.WRITTEN}/")
"""How names of this project's own programs begin, which judge nobody."""
ALIKE = "nas-bench"
"""How names of architectures begin, whose texts all look alike."""
MEASURED = Path(__file__).parents[1] / "benchmarks" / "measured"
OURS, NETWORK = "ours", f"ours {WITHOUT}"
_OURS = (OURS, NETWORK)
STACKED = (NETWORK, "boosted_trees", "neighbours")
"""What is put together anew: how they are shared out is learned from rows that calibrate."""
TREES = "rows of the trees"
SAID = (
    *LIMITS,
    "Of programs that import packages of Python neither network nor trees have read: what importing them takes was"
    " measured (`imports.json`), what they work with is read off their text. Of packages that are not there nothing is"
    " known.",
    "Of programs that are given an input (`--stdin`) neither has read one: of plain Python, and of what works long or"
    " holds much in C, C++, Go, Java, JavaScript, Lua, Perl, PHP, Ruby and Rust, text and input tell; other answers are"
    " as wide as such programs were off.",
    "Times of the AMD EPYC are of one virtual machine with two cores (Zen 5) that did little else, and its name does"
    " not say how fast it is. `forerun train --recipe adapt` tells it of yours, in seconds.",
)
"""The limits of the weights that ship."""
SCORES = ("spearman", "kendall", "within_spearman", "mdape", "mape", "coverage", "width", "log_crps")


def main() -> int:
    """Runs what is asked for."""
    options = _options()
    if options.what == "rows":
        write_rows(options.output, _architectures(options.nas))
    elif options.what == "train":
        return _train(options)
    elif options.what == "mean":
        _mean(options)
    elif options.what == "grow":
        _grow(options)
    elif options.what == "know":
        _know(options)
    elif options.what == "widen":
        _widen(options)
    elif options.what == "reckon":
        _reckon(options)
    elif options.what == "coverage":
        _coverage(options)
    elif options.what == "record":
        checksums.record(options.output, PARTS)
    else:
        _judge(options)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what", choices=["rows", "train", "mean", "grow", "judge", "know", "widen", "reckon", "coverage", "record"]
    )
    parser.add_argument("rows", nargs="*", type=Path, help="files of `forerun data export`")
    parser.add_argument("--nas", type=Path, help="the table of NAS-Bench-201")
    parser.add_argument("--later", type=Path, nargs="*", default=[], help="rows that came after it was trained")
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        help="grow, widen: of what, or text/source; judge, coverage: only these",
    )
    parser.add_argument("--network", choices=NETWORKS, default=EncoderDecoder.name, help="or the rival of that recipe")
    parser.add_argument("--recipe", default="cpu")
    parser.add_argument("--depth", type=int)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--rate", type=float, help="learning rate (default: the recipe's)")
    parser.add_argument("--dropout", type=float, help="default: the recipe's")
    parser.add_argument("--beside", type=Path, help="judge: a folder with rivals that this script trained")
    parser.add_argument("--start", type=Path, help="a checkpoint to go on from")
    parser.add_argument(
        "--trees", type=Path, metavar="FOLDER", help="train, mean: keep those of this checkpoint, with shares told anew"
    )
    parser.add_argument(
        "--of",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="mean: one of several; coverage: whose (default: what ships)",
    )
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch (default: all cores)")
    parser.add_argument("--dealings", type=int, default=200, help="coverage: how often groups are dealt anew")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop then, to be resumed")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "mean" and (len(options.of) < 2 or not options.trees):
        parser.error("the mean of which networks, beside whose trees? name --of twice or more, and --trees")
    return options


def _architectures(table: Path) -> list[Row]:
    """Their accuracy on the validation part of CIFAR-10, and their latencies one image at a time."""
    names = nasbench.architectures(table)
    random.Random(0).shuffle(names)
    same = [c for c in nasbench.columns(table) if (c.batch, c.side, c.classes) == (1, *nasbench.DATA["cifar10"])]
    wanted = {c.where for c in same if not c.where.endswith("test")}
    found = list(nasbench.rows(table, devices=wanted, among=names[:ARCHITECTURES]))
    latencies = [row for row in found if row.metric == "latency"]
    kept = set(map(id, random.Random(1).sample(latencies, min(LATENCIES, len(latencies)))))
    return [row for row in found if row.metric == "accuracy" or id(row) in kept]


def _read(files: Sequence[Path]) -> list[Row]:
    """With the licences of what was measured."""
    known = {line.name: line.licence for table in MEASURED.glob("*.csv.gz") for line in measured.read(table)}
    read = (row for file in files for row in read_rows(file))
    return [replace(row, licence=row.licence or known.get(row.name, "")) for row in read]


def _split(files: Sequence[Path]) -> Split:
    """By group; architectures look alike: near-duplicates of them may cross."""
    rows = _read(files)
    alike = [row for row in rows if row.name.startswith(ALIKE)]
    others = [row for row in rows if not row.name.startswith(ALIKE)]
    found = [split(own, "group", 0, similar=s) for own, s in ((alike, math.inf), (others, SIMILAR)) if own]
    names = ("train", "validation", "test")
    return Split(*([row for one in found for row in getattr(one, name)] for name in names))


def _dealt(rows: Sequence[Row], learned: Learned) -> Split:
    """As the checkpoint says that it had them. Kernels for GPUs by family: families share more than they differ in, and
    all of them have kernels for processors, too."""
    apart = [row for row in rows if form(row.prompt) == TRITON]
    others = learned.dealt([row for row in rows if form(row.prompt) != TRITON])
    if not apart:
        return others
    found = split(apart, "family", learned.seed, similar=learned.similar)
    return Split(*([*getattr(others, name), *getattr(found, name)] for name in ("train", "validation", "test")))


def _joined(dealt: Split, later: Sequence[Row], learned: Learned) -> Split:
    """With rows that came after the training: each where its group is, a new group where its hash says. What is near to
    a row of another part is left out."""
    if not later:
        return dealt
    known = [(row, name) for name, part in vars(dealt).items() for row in part if not row.name.startswith(ALIKE)]
    of_group = dict(zip(groups_of(row for row, _ in known), (name for _, name in known), strict=True))
    where = [of_group.get(group) or place(group, learned.seed) for group in groups_of(later)]
    own = (row.name.startswith(OWN) for row in later)
    where = ["train" if name == "test" and mine else name for name, mine in zip(where, own, strict=True)]
    asked = [*known, *zip(later, where, strict=True)]
    near = near_duplicates([parts(row.prompt).text for row, _ in asked], learned.similar)
    first: dict[int, str] = {}
    found = Split(*([row for row in part if row.name.startswith(ALIKE)] for part in vars(dealt).values()))
    for i, ((row, name), cluster) in enumerate(zip(asked, near, strict=True)):
        if first.setdefault(cluster, name) == name or i < len(known):
            getattr(found, name).append(row)
    return found


def _train(options: argparse.Namespace) -> int:
    import torch

    if options.threads:
        torch.set_num_threads(options.threads)
    before = Learned.load(known) if (known := options.trees or options.start) else Learned()
    dealt = _dealt(_read(options.rows), before) if before.train else _split(options.rows)
    dials = {name: getattr(options, name) for name in ("depth", "steps", "dropout")}
    training = recipes.named(options.recipe, learning_rate=options.rate, **dials)

    def on_step(step: Progress) -> None:
        if step.step % 20 == 0 or step.validation:
            known = f"  validation {step.validation:.3f}" if step.validation else ""
            loss = f"training loss {step.parts['nll']:.3f}{known}"
            print(f"{step.step} of {step.steps}  {loss}  {step.tokens_per_s:,.0f} tokens/s")

    learning = Parts(dealt.train, dealt.validation)
    how: dict[str, Any] = {"start": options.start, "seconds": options.seconds, "on_step": on_step}
    if options.network != EncoderDecoder.name:
        training = replace(training, ensemble=False, export=False)
    if options.network == MseHead.name:
        return 0 if head.fit(learning, options.output, training, **how) else 3
    if options.network == RegressLM.name:
        learning, training = Parts(bare(dealt.train), bare(dealt.validation)), of_regress_lm(training)
    if options.trees:
        training = replace(training, ensemble=False)
    if not fit(learning, options.output, training, kind=DECODERS[options.network], **how):
        return 3
    if options.trees:
        held = some(dealt.validation)
        _keep(options.trees, options.output, held, _plain(options.output).predict([row.prompt for row in held]))
    return 0


def _mean(options: argparse.Namespace) -> None:
    """Of the weights, where all began as one network and took ways of their own: often better than each of them."""
    model, *others = (EncoderDecoder(folder, device="cpu") for folder in options.of)
    whole = _torch(model)
    states = [one.state_dict() for one in (whole, *map(_torch, others))]
    whole.load_state_dict({name: sum(one[name] for one in states) / len(states) for name in states[0]})
    dealt = _dealt(_read(options.rows), Learned.load(options.trees))
    held = some(dealt.validation)
    model.ensemble, model.calibration = Ensemble({}), Calibration()
    alone = model.predict([row.prompt for row in held])
    model.calibration = calibrated(model, dealt.train, held, alone)
    model.card = Card.of(dealt.train, {**model.card.recipe, "mean of": len(options.of)})
    model.save_pretrained(options.output)
    _keep(options.trees, options.output, held, alone)


def _torch(model: EncoderDecoder) -> Network:
    assert isinstance(model.network, TorchNetwork)
    return model.network.network


def _keep(trees: Path, folder: Path, held: Sequence[Row], alone: Sequence[Distribution]) -> None:
    """Puts the trees of one checkpoint beside the network of another, by what it believes alone of held rows, and what
    the rivals that have neither were judged by. What the trees learned from and this network did not, as its program
    was not at hand, judges it neither."""
    kept = Ensemble.load(trees).shared(held, [one.median for one in alone])
    kept.save(folder)
    calibration, earlier = Calibration.load(folder), Calibration.load(trees)
    told = factors(held, kept.moved([row.prompt for row in held], alone))
    ends = {**earlier.ranges, **calibration.ranges}
    replace(calibration, factors=told, ranges=ends).save(folder)
    Learned.load(folder).beside(Learned.load(trees)).save(folder)
    before, card = Card.load(trees), Card.load(folder)
    rivals = tuple(line for line in before.results if line["model"] in RIVALS)
    recipe = {**card.recipe, TREES: before.recipe.get(TREES, {})}
    replace(card, results=rivals, recipe=recipe, limits=SAID).save(folder)
    checksums.record(folder, PARTS)


def _plain(folder: Path) -> EncoderDecoder:
    """The network of a checkpoint as it is, without trees and with intervals as it believes them."""
    model = EncoderDecoder(folder)
    model.ensemble, model.calibration = Ensemble({}), Calibration()
    return model


def _grow(options: argparse.Namespace) -> None:
    model = _plain(options.output)
    before = _dealt(_read(options.rows), model.learned)
    dealt = _joined(before, _read(options.later), model.learned)
    train, validation = ([r for r in part if _asked(r) & {*options.metric}] for part in (dealt.train, dealt.validation))
    apart = {name for name in options.metric if "/" in name}
    held = some(validation)
    prompts = [row.prompt for row in held]
    known, calibration = Ensemble.load(options.output), Calibration.load(options.output)
    alone = model.predict(prompts)
    grown = Ensemble.of(train, held, [one.median for one in alone], apart)
    moved = dict(zip(map(id, held), grown.moved(prompts, alone), strict=True))
    widening = dealings.answered(EncoderDecoder(options.output), [row for row in held if _may_judge(row)])
    settled = factors(widening, [moved[id(row)] for row in widening])
    Ensemble({**known.members, **grown.members}).save(options.output)
    Learned.of(train, validation, model.learned.seed, model.learned.similar).beside(model.learned).save(options.output)
    learned = ranges(train)
    whole = {*options.metric} - apart
    if apart:  # the factor of these forms is none of the whole metric's
        of_kinds = {(row.metric, kind(parts(row.prompt))) for row in held if row.metric not in whole}
        forms = {f"{m}/{name}": settled.get(f"{m}/{name}", settled[m]) for m, name in of_kinds}
        settled = {name: by for name, by in settled.items() if name.partition("/")[0] in whole} | forms
        learned = {name: ends for name, ends in learned.items() if "/" in name or name in whole}
    learned = {**calibration.ranges, **learned}
    settled = {**calibration.factors, **settled}
    replace(calibration, factors=settled, ranges=learned).save(options.output)
    checksums.record(options.output, PARTS)
    card, again = Card.load(options.output), {_experiment(row) for row in train}
    same = len(dealt.test) == len(before.test)  # rows judge as before
    kept = {MseHead.name, RegressLM.name} if same else set()
    results = [r for r in card.results if r["metric"] not in again or r["model"] in kept]
    fresh = Card.of(train, {}).kinds
    others = [
        kind for kind in card.kinds if (kind.metric, kind.language) not in {(k.metric, k.language) for k in fresh}
    ]
    kinds = sorted([*others, *fresh], key=lambda kind: -kind.rows)
    recipe = {
        **card.recipe,
        TREES: {**card.recipe.get(TREES, {}), **_counted(train, apart)},
    }
    replace(card, results=tuple(results), kinds=tuple(kinds), recipe=recipe, limits=SAID).save(options.output)


def _know(options: argparse.Namespace) -> None:
    model = EncoderDecoder(options.output)
    dealt = _joined(_dealt(_read(options.rows), model.learned), _read(options.later), model.learned)
    held, judging = some(dealt.validation), some(dealt.test)
    found = kinds_of(model, dealt.train, held)
    before = model.calibration
    after = replace(before, kinds={**before.kinds, **found})
    prompts = [row.prompt for row in judging]
    summaries = model.summaries(prompts)
    shares = [dict(zip(prompts, each.familiarity(prompts, summaries), strict=True)) for each in (before, after)]
    for name in sorted(set(map(question, prompts))):
        own = [prompt for prompt in prompts if question(prompt) == name]
        print(name, len(own), *(f"{sum((known[p] or 0) >= 0.05 for p in own) / len(own):.1%}" for known in shares))
    after.save(options.output)
    replace(model.card, limits=SAID).save(options.output)
    checksums.record(options.output, PARTS)


def _asked(row: Row) -> set[str]:
    """What `--metric` may call a row."""
    return {row.metric, f"{row.metric}/{form(row.prompt)}"}


def _counted(rows: Sequence[Row], apart: Collection[str]) -> dict[str, int]:
    """Rows of each metric, or of a form of it."""
    names = (next(iter(_asked(row) & {*apart}), row.metric) for row in rows)
    return dict(Counter(names).most_common())


def _judge(options: argparse.Namespace) -> None:
    model = EncoderDecoder(options.output)
    dealt = _dealt(_read(options.rows), model.learned)
    beside = _beside(options.beside, dealt) if options.beside else {}
    dealt = _joined(dealt, _read(options.later), model.learned)
    experiments: dict[str, Split] = defaultdict(lambda: Split([], [], []))
    for name in ("train", "validation", "test"):
        for row in getattr(dealt, name):
            if name == "train" or _may_judge(row):
                getattr(experiments[_experiment(row)], name).append(row)
    for name, own in experiments.items():
        if options.metric and name not in options.metric:
            continue
        done = {line["model"] for line in Card.load(options.output).results if line["metric"] == name}
        if len(own.test) < FEWEST:
            print(f"{name}: {len(own.test)} rows to be judged by are too few")
            continue
        scores = _ours(model, own) if OURS not in done else {}
        wanted = {*RIVALS, *beside, Stack.name} - done
        stacked = STACKED if Stack.name in wanted else ()
        makes = {one: registry.find("models", one) for one in RIVALS} | {NETWORK: model.without_trees}
        makes |= {one: partial(make, own) for one, make in beside.items()}
        taking = {one: make for one, make in makes.items() if one in wanted or one in stacked}
        found = judged(own, taking, stack=stacked) if taking else {}
        scores |= {one: values for one, values in found.items() if one in wanted}
        lines = [_line(name, model, own, values) for model, values in scores.items()]
        if lines:
            card = Card.load(options.output)
            kept = [line for line in card.results if line["metric"] == name]
            replace(card.with_results([*kept, *lines]), limits=SAID).save(options.output)
        for line in lines:
            print(name, line["model"], *(f"{s} {line[s]:.3f}" for s in SCORES if line[s] is not None))
            sys.stdout.flush()


def _beside(folder: Path, dealt: Split) -> dict[str, Callable[[Split], Predictor]]:
    """The networks that `train` left there, each for the rows of one experiment."""
    found: dict[str, Callable[[Split], Predictor]] = {}
    if (where := folder / RegressLM.name).is_dir():
        plain = RegressLM(where)
        found[RegressLM.name] = lambda own: plain
    if (where := folder / MseHead.name).is_dir():
        begun = json.loads((where / BEGUN).read_text(encoding="utf-8"))
        training, start = value(begun["training"], Training, BEGUN), begun["start"] and Path(begun["start"])
        headed = head.fit(Parts(dealt.train, dealt.validation), where, training, start=start, seconds=0)
        if headed is None:
            raise InputError(f"{where} is not trained to its end", "it was stopped", "call train again")
        found[MseHead.name] = lambda own: headed.with_errors(own.validation)
    return found


def _widen(options: argparse.Namespace) -> None:
    model = EncoderDecoder(options.output)
    validation = _dealt(_read(options.rows), model.learned).validation
    asked = [row for row in validation if _asked(row) & {*options.metric} and _may_judge(row)]
    held = some(dealings.answered(model, asked))
    told = factors(held, dealings.believed(model, held))
    told = {name: by for name, by in told.items() if "/" in name or name in options.metric}
    kept = {name: by for name, by in model.calibration.factors.items() if name.partition("/")[0] not in told}
    replace(model.calibration, factors={**kept, **told}).save(options.output)
    _forget(model.card, {_experiment(row) for row in asked}, options.output)
    checksums.record(options.output, PARTS)


def _forget(card: Card, experiments: Collection[str], folder: Path) -> None:
    """How ours were judged."""
    kept = tuple(each for each in card.results if not (each["metric"] in experiments and each["model"] in _OURS))
    replace(card, results=kept, limits=SAID).save(folder)


def _reckon(options: argparse.Namespace) -> None:
    model = EncoderDecoder(options.output)
    dealt = _dealt(_read(options.rows), model.learned)
    parts_of = (dealt.train, dealt.validation)
    learned, held = ([row for row in part if row.metric in METRICS and _may_judge(row)] for part in parts_of)
    model.imports = replace(model.imports, holds={**model.imports.holds, **dealings.holds(model.imports, learned)})
    prompts = [row.prompt for row in held]
    settled = model.settled(prompts, dealings.believed(model, held))
    told = [dealings.reckoned(model, prompt, one.median) for prompt, one in zip(prompts, settled, strict=True)]
    errors = dealings.off((row.value, one) for row, one in zip(held, told, strict=True) if one)
    replace(model.imports, public={**model.imports.public, **errors}).save(options.output)
    _forget(model.card, {row.metric for row in held}, options.output)
    checksums.record(options.output, PARTS)


def _coverage(options: argparse.Namespace) -> None:
    """Writes after each metric."""
    folder, path = (options.of or [SHIPPED])[0], options.output
    model, sums = EncoderDecoder(folder), hashlib.sha256((folder / checksums.FILE).read_bytes()).hexdigest()
    about = {"checkpoint": sums, "dealings": options.dealings}
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    table = {line["metric"]: line for line in before.get("table", ()) if about.items() <= before.items()}
    dealt = _dealt(_read(options.rows), model.learned)
    unseen = [(row, name) for name in ("validation", "test") for row in getattr(dealt, name)]
    for metric in dict.fromkeys(row.metric for row, _ in unseen):
        rows, where = zip(*(each for each in unseen if each[0].metric == metric), strict=True)
        if (options.metric and metric not in options.metric) or {*map(_experiment, rows)} <= table.keys():
            continue
        judging = [*map(_may_judge, rows)]
        held = dealings.held(model, rows, [*map(_experiment, rows)], where, judging)
        for name, found in dealings.covered(model, held, options.dealings).items():
            table[name] = {"metric": name, **asdict(found)}
            print(*(f"{key} {value}" for key, value in table[name].items()), flush=True)
        write_atomically(path, (json.dumps({**about, "table": [*table.values()]}, indent=1) + "\n").encode())


def _may_judge(row: Row) -> bool:
    """Whether it is none of this project's own programs."""
    return not (row.metric in METRICS and row.name.startswith(OWN))


def _experiment(row: Row) -> str:
    """The metric; of latencies also of what; of machine code also the level, or that it is read as source."""
    found = parts(row.prompt)
    language = found.head["language"].partition(",")[0]
    if row.metric == "latency":
        return f"latency, {'nas-bench-201' if row.name.startswith(ALIKE) else language}"
    if row.metric in size.METRICS:
        return f"{row.metric}, {found.head['pipeline'] if language == 'llvm' else 'source'}"
    return row.metric


def _ours(model: EncoderDecoder, own: Split) -> dict[str, dict[str, Score]]:
    """As it ships, with the intervals that it was calibrated to; and without trees, with the same factors."""
    prompts = [row.prompt for row in own.test]
    found = {OURS: model, NETWORK: model.without_trees()}
    return {name: score(own.test, one.predict(prompts)) for name, one in found.items()}


def _line(experiment: str, model: str, own: Split, values: dict) -> dict[str, object]:  # type: ignore[type-arg]
    line: dict[str, object] = {"metric": experiment, "model": model, "by": "group", "seeds": [0]}
    line |= {"n": len(own.test), "groups": count_groups(own.test)}
    for name in SCORES:
        score = values[name]
        ends = {"": score.value, "_low": score.low, "_high": score.high}
        line |= {f"{name}{end}": None if math.isnan(x) else x for end, x in ends.items()}
    return line


if __name__ == "__main__":
    sys.exit(main())
