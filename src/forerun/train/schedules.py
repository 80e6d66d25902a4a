"""Trains the model that writes schedules, from what was measured of them (`forerun.tables.schedules`).

Every measurement is used. Decisions are learned after the grade of their kernel, so that the network, asked for the
best, knows what tells those from the others; grades are learned after decisions, so that it judges those of others.
Kernels that failed have the lowest grade, and nothing is learned of their decisions. What a cost model believes of
schedules that nobody measured (`forerun.train.drafts`) is learned like measurements, but for judging; sentences without
seconds that nobody measured teach the language.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from forerun.errors import InputError
from forerun.files import write_atomically
from forerun.grammars import decisions, graded
from forerun.grammars.decisions import Decisions
from forerun.grammars.graded import JUDGE, UNKNOWN, Graded, GradedDecisions, grade, ranked
from forerun.models.encoder_decoder import CONFIG, EncoderDecoder
from forerun.models.encoder_decoder._torch import TorchNetwork
from forerun.models.encoder_decoder.numeric import ATOMS
from forerun.models.encoder_decoder.tokenizer import SPECIAL, Tokenizer
from forerun.models.scheduler import CARD, kinds
from forerun.splits import by_families
from forerun.tables.schedules import Recorded, Sentence, Sentences
from forerun.train import leads
from forerun.train.curves import best, points_of
from forerun.train.examples import Dataset, Example, Legal, places, spelled
from forerun.train.fit import enough_memory, learned, network_of, same_as_before, save, tokenizer_of
from forerun.train.loop import Progress
from forerun.train.recipes import Training

PIECES = (*decisions.PIECES, *graded.PIECES)
"""What is written, a token each."""


@enough_memory()
def fit(
    found: Sequence[Sentences],
    validate: Collection[str],
    folder: Path,
    training: Training,
    *,
    start: Path | None = None,
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
) -> bool:
    """Trains on the programs that no family of `validate` uses, from the checkpoint `start` where one is given; whether
    it came to its end.

    Programs of only those families say when to stop. Then the folder holds a checkpoint. Raises InputError where there
    is too little to learn from, the folder holds another training, or `start` writes no schedules.
    """
    train, held = by_families(found, validate)
    if start is not None and not _writes(start):
        why = "it has none of the pieces that they are written in" if start.is_dir() else "there is no such folder"
        raise InputError(f"{start} writes no schedules", why, "name a folder that `forerun train schedule` wrote")
    digest = hashlib.sha256(repr((train, held)).encode()).hexdigest()
    same_as_before(folder, training, digest, start)
    tokenizer = tokenizer_of(folder, start, [each.prompt for each in train], training.tokens, PIECES)
    legal = Legal(tokenizer.size)
    parts = [
        [one for task, each in enumerate(part) for one in examples(each, task, tokenizer, legal, training.context)]
        for part in (train, held)
    ]
    data = Dataset(parts[0], parts[1], legal, places(legal, tokenizer))
    network = network_of(tokenizer, training, start, SPECIAL + len(ATOMS) + len(PIECES))
    if not learned(network, data, training, folder, seconds, on_step):
        return False
    if not leads():
        return True
    points = points_of(folder)
    facts = {
        "before": before(start),
        "programs": len({each.text for each in train}),
        "sentences": sum(len(each.sentences) for each in train),
        "kinds": sorted({json.loads(each.target)["kind"] for each in train} | (kinds(start) if start else set())),
        "families": sorted(set[str]().union(*(each.families for each in train))),
        "validated with": sorted(validate),
        "held programs": len({each.text for each in held}),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "steps": points[-1]["step"],
        "nats": best(points),
        "uniform": uniform(parts[1], legal),
    }
    model = EncoderDecoder.of(TorchNetwork(network, training.device), tokenizer, network.config)
    save(model, folder, training)
    write_atomically(folder / CARD, (json.dumps(facts, indent=1) + "\n").encode())
    return True


def _writes(folder: Path) -> bool:
    """Whether it is a checkpoint whose words are those of schedules."""
    return (folder / CONFIG).is_file() and {*PIECES} <= {*Tokenizer.load(folder).vocabulary.atoms}


def before(start: Path | None) -> list[str]:
    """The trainings, in their order, that a checkpoint came from."""
    path = start and start / CARD
    if not path or not path.is_file():
        return []
    facts = json.loads(path.read_text(encoding="utf-8"))
    last = f"{facts['sentences']:,} schedules of {facts['programs']:,} programs, {facts['steps']:,} steps"
    return [*facts.get("before", []), last]


def uniform(examples: Sequence[Example], legal: Legal) -> float:
    """Nats of an answer where all that is legal is equally likely, in the mean."""
    many = np.log([len(tokens) for tokens in legal.tokens])
    return float(np.mean([many[one.choices[one.given :]].sum() for one in examples]))


def examples(found: Sentences, task: int, tokenizer: Tokenizer, legal: Legal, context: int) -> Iterator[Example]:
    """Those of one program, which share its prompt; the order of its sentences."""
    ids = np.array(tokenizer.ends(found.prompt, context), np.int32)
    for sentence, answer in answers(found):
        grammar = GradedDecisions(Decisions(Recorded(found.spaces, sentence)))
        target, choices = spelled(grammar.write(answer), grammar, tokenizer, legal)
        given = len(target) - 2 if answer.grade else 1
        yield Example(task, ids, target, choices, math.nan, task, given)


def answers(found: Sentences) -> Iterator[tuple[Sentence, Graded]]:
    """What is learned of a program's sentences."""
    measured = [one for one in found.sentences if one.measured]
    for one in measured:
        known = grade(found.best / one.seconds if found.best and one.seconds else 0.0)
        if one.seconds:
            yield one, Graded(known, one.plan)
        yield one, Graded(JUDGE, one.plan, known)
    believed = [one for one in found.sentences if not one.measured and one.seconds]
    for one, known in zip(believed, ranked([one.seconds or 0.0 for one in believed]), strict=True):
        yield one, Graded(known, one.plan)
    for one in found.sentences:
        if not one.measured and not one.seconds:
            yield one, Graded(UNKNOWN, one.plan)
