"""From rows to a checkpoint: split, tokens, network, training, and what was learned about its own errors.

The folder is the state: called again with the same rows and recipe, training goes on where it stopped.

Numbers may be zero or negative, as a difference of accuracies is: the network writes their sign and learns from all.
What compares numbers in logarithms learns from the positive ones alone: the ranking loss, and the shares of trees.
Intervals are widened for what has the sign of the median (`forerun.models._calibrated`), and stay near what was learned
from.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from forerun import __version__
from forerun.core import Grammar
from forerun.distribution import Distribution
from forerun.errors import InputError, UsageError, reason
from forerun.files import write_atomically
from forerun.models._calibrated import widths
from forerun.models._familiarity import Known
from forerun.models._pieces import FOLDER as GROWING
from forerun.models._pieces import Pieces, TimeOver
from forerun.models._regression import check_reach
from forerun.models._renamed import renamed
from forerun.models.encoder_decoder import (
    ANSWER,
    BEGUN,
    CONFIG,
    PARTS,
    EncoderDecoder,
    checksums,
    claim,
    numeric,
    sizes,
    t5gemma,
)
from forerun.models.encoder_decoder import calibration as calibrating
from forerun.models.encoder_decoder._torch import TorchNetwork
from forerun.models.encoder_decoder.calibration import Calibration, ranges
from forerun.models.encoder_decoder.card import Card
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.ensemble import Ensemble
from forerun.models.encoder_decoder.learned import Learned
from forerun.models.encoder_decoder.network import Network
from forerun.models.encoder_decoder.tokenizer import PIECES, SPECIAL, TOKENIZER, Tokenizer, learn
from forerun.prompts import parts as parts_of
from forerun.rows import Row, check_units
from forerun.splits import SIMILAR, groups_of
from forerun.train import checkpoint, leads, lora
from forerun.train.curves import best, points_of
from forerun.train.denoise import denoised
from forerun.train.examples import Dataset, Labelled, Legal, places, tokenised
from forerun.train.loop import BEST, LAST, Objective, Progress, Recipe, train
from forerun.train.recipes import Training

LEARNED_FROM = 20_000
"""Prompts that the tokenizer is learned on, at most."""

HELD = 300
"""Validation rows of each metric and language, at most: they say when to stop, the shares of trees, and the widths of
intervals."""

SUMMARISED, SUMMARISED_EACH = 2000, 800
"""Prompts of the training that tell what the network knows, about; of each kind of question, at most."""

GROUPS = 10
"""Of validation rows of a kind, from which on they say how far out it may lie: by those of one package of modules, half
of another one's were unlike."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Rows to learn from, and rows of other groups that say when to stop and how wide the intervals must be."""

    train: Sequence[Row]
    validation: Sequence[Row]
    similar: float = SIMILAR
    """Of the split that they are parts of, which has the seed of the training."""


@contextmanager
def enough_memory() -> Iterator[None]:
    """Around whatever builds or trains a network. Raises UsageError where an allocation fails."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # PyTorch has no class of its own for it on a processor
        if isinstance(error, RuntimeError) and not re.search("(?i)alloc|out of memory|overflow", str(error)):
            raise
        todo = "make --depth, --context or the rows of a step (of the --recipe) smaller"
        raise UsageError("there is not enough memory to train", reason(error), todo) from error


@enough_memory()
def fit(
    parts: Parts,
    folder: Path,
    training: Training,
    *,
    start: Path | None = None,
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
    on_trees: Callable[[str, int, int], None] = lambda metric, done, of: None,
    kind: type[EncoderDecoder] = EncoderDecoder,
) -> bool:
    """Trains on labelled rows, from the checkpoint `start` where one is given; whether it came to its end.

    A checkpoint of T5Gemma, in a folder or as `hub:OWNER/NAME`, gives its encoder and tokenizer.

    Then the folder holds a checkpoint for `kind`, and nothing is done again. `on_trees` hears of each forest that has
    grown of which metric it is, and how many of all have. Those stay where it is interrupted or stops after `seconds`.
    Raises InputError where there is too little to learn from, or the folder holds another training, UsageError for
    low-rank updates that do not start from a checkpoint of ours, where memory does not suffice, and where another
    training runs in the folder.
    """
    if training.lora and not (start and _ours(start)):
        raise lora.unfounded(start)
    training = as_started(training, start)
    tokenizer = begun(parts, folder, training, start, kind.atoms)
    pieces = Pieces(folder / GROWING, on_trees)
    if _ended(folder):
        pieces.clear()
        return True
    data = dataset(parts, tokenizer, training, kind.taught)
    network = network_of(tokenizer, training, start)
    pieces.ends = time.monotonic() + seconds
    if not learned(network, data, training, folder, seconds, on_step):
        return False
    if not leads():
        return True
    model = kind.of(TorchNetwork(network, training.device), tokenizer, network.config)
    held = some(parts.validation)
    beliefs = model.predict([row.prompt for row in held])
    if training.ensemble:
        try:
            model.ensemble, beliefs = _grown(parts, held, beliefs, pieces)
        except TimeOver:
            return False
    model.calibration = calibration(model, parts.train, held, beliefs)
    model.card = Card.of(parts.train, _recipe(folder, parts, model, start))
    model.learned = Learned.of(parts.train, parts.validation, training.recipe.seed, parts.similar)
    if start and _ours(start):
        model.learned = model.learned.beside(Learned.load(start))
    save(model, folder, training)
    pieces.clear()
    return True


def _grown(
    parts: Parts, held: Sequence[Row], beliefs: Sequence[Distribution], pieces: Pieces
) -> tuple[Ensemble, list[Distribution]]:
    """Trees, and what they and the network believe of held rows before the trees learn from these, too."""
    every, medians = [*parts.train, *parts.validation], [one.median for one in beliefs]
    first = Ensemble.of(parts.train, held, medians, every=every, pieces=pieces)
    moved = first.moved([row.prompt for row in held], beliefs)
    return first.anew(every, pieces), moved


def _ended(folder: Path) -> bool:
    """Whether a folder holds the whole checkpoint that the training which it was begun with ended with. Of several
    processes each trains: the others may not see that folder."""
    if "WORLD_SIZE" in os.environ or not (folder / checksums.FILE).is_file():
        return False
    try:
        checksums.check(folder, PARTS)
        recipe, steps = Card.load(folder).recipe, points_of(folder)[-1]["step"]
    except InputError:
        return False
    return (recipe.get("digest of the rows"), recipe.get("steps")) == (_begun(folder)["data"], steps)


def _recipe(folder: Path, parts: Parts, model: EncoderDecoder, start: Path | None) -> dict[str, Any]:
    """What was trained, and how far; no place of this machine."""
    assert isinstance(model.network, TorchNetwork)
    begun, points = _begun(folder), points_of(folder)
    return {
        "forerun": __version__,
        "parameters": sum(p.numel() for p in model.network.network.parameters()),
        "rows": len(parts.train),
        "validation rows": len(parts.validation),
        "digest of the rows": begun["data"],
        "steps": points[-1]["step"],
        "best validation loss": best(points),
        "started from": start.name if start else "random weights",
        **begun["training"],
    }


@enough_memory()
def pretrain(
    texts: Sequence[str],
    folder: Path,
    training: Training,
    *,
    start: Path | None = None,
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
) -> bool:
    """Trains on code without labels (`forerun.train.denoise`); a twentieth of the texts, at most `HELD`, says when to
    stop.

    From the checkpoint `start`, where one is given, with tokens that are learned anew on these texts.
    """
    if len(texts) < 40:
        todo = "give a folder with more programs: 40 at least"
        raise InputError(f"{len(texts)} texts", "too few to learn a language from", todo)
    if start and not _ours(start):
        raise UsageError("tokens are learned anew for checkpoints of forerun", f"{start} is none", "leave out --start")
    training = as_started(training, start)
    whole = "\0".join(texts).encode("utf-8", "surrogateescape")
    same_as_before(folder, training, hashlib.sha256(whole).hexdigest(), start)
    known = Tokenizer.load(start) if start else None
    atoms = known.atoms[len(numeric.ATOMS) :] if known else ()
    tokenizer = tokenizer_of(folder, None, texts, training.tokens, atoms)
    legal = Legal(tokenizer.size)
    texts, held = random.Random(training.recipe.seed).sample(texts, len(texts)), min(HELD, max(1, len(texts) // 20))
    validation = denoised(texts[:held], tokenizer, legal, training.context, seed=training.recipe.seed)
    examples = denoised(texts[held:], tokenizer, legal, training.context, seed=training.recipe.seed + 1)
    data = Dataset(examples, validation, legal, places(legal, tokenizer))
    network = network_of(tokenizer, training, start)
    if not learned(network, data, training, folder, seconds, on_step):
        return False
    if not leads():
        return True
    model = EncoderDecoder.of(TorchNetwork(network, training.device), tokenizer, network.config)
    if start:
        model.learned = Learned.load(start)
    save(model, folder, training)
    return True


def as_started(training: Training, start: Path | None) -> Training:
    """The training, reading as many tokens as the network of the checkpoint of ours to start from."""
    own = sizes(start) if start else None
    return replace(training, context=own.context) if own else training


def begun(
    parts: Parts, folder: Path, training: Training, start: Path | None = None, atoms: Sequence[str] = ()
) -> Tokenizer:
    """The tokenizer of a training that the folder holds or may begin. Raises InputError where it may not."""
    _check(parts)
    same_as_before(folder, training, _digest([*parts.train, *parts.validation]), start)
    return tokenizer_of(folder, start, [row.prompt for row in parts.train], training.tokens, atoms)


def dataset(
    parts: Parts, tokenizer: Tokenizer, training: Training, grammar: Grammar[tuple[float, ...]] = ANSWER
) -> Dataset:
    """The rows as tokens. Metrics are tasks; values within a group and device are ranked against each other."""
    grammars = {row.metric: grammar for row in parts.train}
    legal = Legal(tokenizer.size)
    examples, validation = (
        tokenised(labelled(rows), grammars, tokenizer, legal, training.context)
        for rows in (parts.train, some([row for row in parts.validation if row.metric in grammars]))
    )
    return Dataset(examples, validation, legal, places(legal, tokenizer))


def labelled(rows: Sequence[Row]) -> list[Labelled]:
    """With numbers as answers. A group with one value of a metric and device ranks with all others."""
    together = Counter((row.metric, row.device, row.group) for row in rows)
    found = []
    for row in rows:
        key = (row.metric, row.device, row.group)
        group = "\0".join(key if together[key] > 1 else key[:2])
        value = math.log10(row.value) if row.value > 0 else math.nan
        ranked = group if row.value > 0 else ""
        found.append(Labelled(row.metric, row.prompt, (row.value,), value, ranked))
    return found


def learned(
    network: Network,
    data: Dataset,
    training: Training,
    folder: Path,
    seconds: float,
    on_step: Callable[[Progress], None],
    objective: Callable[[Network, Dataset, Recipe], nn.Module] = Objective,
) -> bool:
    """Whether training came to its end: then the network has the best weights."""
    if training.lora:
        lora.add(network, training.lora)
    how: dict[str, Any] = {"device": training.device, "seconds": seconds, "on_step": on_step, "objective": objective}
    if not train(network, data, training.recipe, folder, **how):
        return False
    best = folder / BEST
    if best.exists():
        checkpoint.restore(best, checkpoint.load(best), network, [])
    lora.merge(network)
    return True


def save(model: EncoderDecoder, folder: Path, training: Training) -> None:
    """Writes the checkpoint that a training ends with."""
    assert isinstance(model.network, TorchNetwork)
    model.network = TorchNetwork(model.network.network, "cpu")
    model.write(folder, onnx=training.export)


def some(rows: Sequence[Row], most: int = HELD) -> list[Row]:
    """At most so many rows of each metric and language, evenly from all of them."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        kinds.setdefault((row.metric, parts_of(row.prompt).head.get("language", "")), []).append(i)
    kept = {
        places[i * len(places) // min(len(places), most)]
        for places in kinds.values()
        for i in range(min(len(places), most))
    }
    return [row for i, row in enumerate(rows) if i in kept]


def calibration(
    model: EncoderDecoder, train: Sequence[Row], held: Sequence[Row], beliefs: Sequence[Distribution]
) -> Calibration:
    """How wide intervals must be for what is believed of held rows, and what it knows."""
    seen, there = [row.prompt for row in train], [row.prompt for row in held]
    known = Known.of(model.summaries(_every(seen)), model.summaries(there))
    told = kinds_of(model, train, held)
    if others := renamed(there):
        where, asked = model.summaries(others), np.array([calibrating.question(prompt) for prompt in others])
        known = known.beside(where)
        told |= {name: told[name].beside(where[asked == name]) for name in {*told} & {*asked.tolist()}}
    return Calibration(factors(held, beliefs), known, ranges(train), told, calibrating.taught(train))


def kinds_of(model: EncoderDecoder, train: Sequence[Row], held: Sequence[Row]) -> dict[str, Known]:
    """What it knows of each kind of question, of at most `SUMMARISED_EACH` of its rows."""
    groups: dict[str, set[str]] = {}
    for row, group in zip(held, groups_of(held), strict=True):
        groups.setdefault(calibrating.question(row.prompt), set()).add(group)
    found = []
    for rows in (some(train, SUMMARISED_EACH), held):
        prompts: dict[str, list[str]] = {}
        for row in rows:
            if len(groups.get(name := calibrating.question(row.prompt), ())) >= GROUPS:
                prompts.setdefault(name, []).append(row.prompt)
        found.append({name: model.summaries(own) for name, own in prompts.items()})
    return calibrating.kinds(*found)


def factors(held: Sequence[Row], beliefs: Sequence[Distribution]) -> dict[str, float]:
    """By which intervals must be widened for what is believed of held rows, by metric, and by metric and kind."""
    found: dict[str, float] = {}
    for metric in dict.fromkeys(row.metric for row in held):
        own = [i for i, row in enumerate(held) if row.metric == metric]
        factor, of_kinds = widths([held[i] for i in own], [beliefs[i] for i in own])
        found |= {metric: factor, **{f"{metric}/{name}": one for name, one in of_kinds.items()}}
    return found


def _every(prompts: Sequence[str]) -> Sequence[str]:
    """One in so many that about `SUMMARISED` are left."""
    return prompts[:: max(1, len(prompts) // SUMMARISED)]


def network_of(tokenizer: Tokenizer, training: Training, start: Path | None, answer_tokens: int = 0) -> Network:
    """That of the checkpoint to start from, translated where it had other tokens, or a new one, whose decoder knows the
    first `answer_tokens` (0: all)."""
    torch.manual_seed(training.recipe.seed)
    if start is not None and not _ours(start):
        return t5gemma.network(start, tokenizer, training.context)
    if start is not None:
        loaded = EncoderDecoder(start, device="cpu")
        assert isinstance(loaded.network, TorchNetwork)
        return translated(loaded.network.network, loaded.tokenizer, tokenizer)
    return Network(config(training, tokenizer, answer_tokens))


def translated(network: Network, known: Tokenizer, tokenizer: Tokenizer) -> Network:
    """The network for other tokens than the known ones: each is at first the mean of those that are read in it so far
    (Gee et al. 2022, fast vocabulary transfer); further atoms begin as they do in a new network."""
    if (known.atoms, known.bytes.to_str()) == (tokenizer.atoms, tokenizer.bytes.to_str()):
        return network
    weights, made = network.state_dict(), Network(replace(network.config, vocabulary=tokenizer.size))
    before, begins, atoms = weights["embed_tokens.weight"], SPECIAL + len(known.atoms), SPECIAL + len(tokenizer.atoms)
    assert tokenizer.atoms[: len(known.atoms)] == known.atoms, "atoms keep their places"
    means = torch.stack([before[ids].mean(0) for ids in known.of(tokenizer)])
    fresh = made.embed_tokens.weight.detach()[begins:atoms]
    made.load_state_dict({**weights, "embed_tokens.weight": torch.cat([before[:begins], fresh, means])})
    return made


def config(training: Training, tokenizer: Tokenizer, answer_tokens: int = 0) -> Config:
    """The shape of a network that is to be trained; its decoder knows the first `answer_tokens` (0: all)."""
    shape = Config.of_depth(training.depth, tokenizer.size, training.context)
    return replace(shape, decoder_layers=training.decoder or shape.decoder_layers, answer_tokens=answer_tokens)


def tokenizer_of(
    folder: Path, start: Path | None, texts: Sequence[str], size: int, atoms: Sequence[str] = ()
) -> Tokenizer:
    """That of the checkpoint to start from, or of this folder, or a new one; with further atoms."""
    if start is not None:
        known = Tokenizer.load(start) if _ours(start) else t5gemma.tokenizer(start)
        return Tokenizer((*known.atoms, *(piece for piece in atoms if piece not in known.atoms)), known.bytes)
    if (folder / PIECES).is_file():
        return Tokenizer.load(folder)
    step = max(1, len(texts) // LEARNED_FROM)
    made = learn(texts[::step], size, atoms)
    made.save(folder)
    return made


def _ours(start: Path) -> bool:
    """Whether it is a checkpoint of ours; else it may be an encoder of T5Gemma."""
    return (start / PIECES).is_file()


def _check(parts: Parts) -> None:
    check_units((*parts.train, *parts.validation), "rows to learn from")
    wrong = next((row for row in (*parts.train, *parts.validation) if not math.isfinite(row.value)), None)
    if wrong:
        raise InputError(f"{wrong.name or 'a row'} has the value {wrong.value}", "a cost is a number", "leave it out")
    for metric in dict.fromkeys(row.metric for row in parts.train):  # before hours of training, not when trees grow
        check_reach([row for row in (*parts.train, *parts.validation) if row.metric == metric])
    if len(parts.train) < 8 or not parts.validation:
        few = f"{len(parts.train)} rows to learn from, {len(parts.validation)} to validate with"
        raise InputError("too little to learn from", few, "give at least 16 rows of at least 4 groups")


def same_as_before(folder: Path, training: Training, digest: str, start: Path | None) -> None:
    """Writes down what is trained. Raises InputError where the folder holds another training, or a checkpoint of which
    nothing says so, and as `claim` does."""
    claim(folder)
    facts: dict[str, Any] = {"training": asdict(training), "data": digest, "start": str(start) if start else None}
    path = folder / BEGUN
    known = _begun(folder) if path.is_file() else None
    changed = "" if known is None else ", ".join(_changed(_whole(known), facts))
    if known is None or changed:
        if (folder / LAST).is_file() or (folder / CONFIG).is_file():
            why = f"it was begun with {changed}" if changed else f"no {BEGUN} says how it was begun"
            todo = f"{'ask for the same again, ' if changed else ''}name another folder, or delete this one"
            raise InputError(f"{folder} holds another {'training' if changed else 'checkpoint'}", why, todo)
        for name in (TOKENIZER, PIECES):  # of what was begun with those settings
            (folder / name).unlink(missing_ok=True)
    write_atomically(path, (json.dumps(facts, indent=1) + "\n").encode())


def _begun(folder: Path) -> dict[str, Any]:
    """What `same_as_before` wrote down. Raises InputError."""
    path = folder / BEGUN
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError(f"it holds {found!r:.60}, no object")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read", reason(error), "name another folder, or delete this one") from error
    return found


def _whole(known: dict[str, Any]) -> dict[str, Any]:
    """With what settings are by default that the version which began it did not have."""
    training = known.get("training")
    if not isinstance(training, dict) or not isinstance(recipe := training.get("recipe"), dict):
        return known
    return known | {"training": asdict(Training(Recipe())) | training | {"recipe": asdict(Recipe()) | recipe}}


def _changed(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """What another training was begun with, setting by setting."""
    if isinstance(before, dict) and isinstance(now, dict):
        unnamed = ["save_every_s"]  # which shapes nothing
        if before.get("steps") != now.get("steps"):
            unnamed.append("evaluate_every")  # which follows from the steps
        for each in [each for each in now | before if each not in unnamed]:
            yield from _changed(before.get(each), now.get(each), each)
    elif before != now:
        yield "other rows" if name == "data" else f"{name} {before} (now {now})"


def _digest(rows: Sequence[Row]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(repr((row.metric, row.prompt, row.value)).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
