"""A checkpoint that also answers for another device or metric, from 16 to 100 measurements: in seconds, no torch."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forerun.errors import UsageError
from forerun.files import alone
from forerun.models.encoder_decoder import BEGUN, CONFIG, EncoderDecoder, check_unfinished, claim, located
from forerun.models.encoder_decoder.card import Card
from forerun.models.encoder_decoder.carried import Carried, Place, place
from forerun.models.encoder_decoder.learned import Learned
from forerun.models.transfer import Transfer
from forerun.rows import Row


@dataclass(frozen=True, slots=True)
class Adapted:
    """What was learned for one place, and by which factor rows that were held out were off: in the median, and nine in
    ten at most. NaN where values are not all positive."""

    metric: str
    language: str
    device: str
    rows: int
    off: float
    most: float


def adapt(rows: Sequence[Row], start: Path | None, folder: Path, seed: int = 0) -> list[Adapted]:
    """Writes the checkpoint `start`, the one that ships where none is named, with what the rows add to it.

    Rows of each metric, language and device are learned for themselves (`forerun.models.transfer`). What the checkpoint
    knew before it answers as before. Raises InputError where rows are too few, a value is not finite or the checkpoint
    knows nothing of their language, UsageError for what it has learned already, or for a folder that holds another
    training, or something carried over that the new checkpoint would not have, also where another process writes it
    meanwhile.
    """
    model = EncoderDecoder(start)
    places = {*map(place, (row.prompt for row in rows)), *model.carried.members}
    _check_place(folder, start, places)
    own = dict(model.carried.members)
    kinds = [kind for kind in model.card.kinds if (kind.metric, kind.language, kind.device) not in own]
    known = {(kind.metric, kind.language, kind.device) for kind in kinds}
    of_places: dict[Place, list[Row]] = defaultdict(list)
    for row in rows:
        of_places[place(row.prompt)].append(row)
    found = []
    for (metric, language, device), taught in of_places.items():
        where = f"{metric} of {language} on {device}" if device else f"{metric} of {language}"
        if (metric, language, device) in known:
            why = "the checkpoint was trained on such rows"
            raise UsageError(f"{where} is known", why, "name another --device, or train it again: --start DIR")
        if not device and any(metric == kind.metric for kind in kinds):
            todo = "name where it was measured: --device laptop; then ask with the same words"
            raise UsageError(f"{where}: on which device?", "the checkpoint knows that metric on others", todo)
        carried = Transfer(model.medians, kinds)
        carried.fit(taught, seed)
        own[metric, language, device] = carried
        found.append(_told(metric, language, device, taught, carried))
    model.carried = Carried(own)
    model.learned = Learned.of(rows, (), model.learned.seed, model.learned.similar).beside(model.learned)
    new = Card.of(rows, {})
    told = {(kind.metric, kind.language, kind.device) for kind in new.kinds}
    kept = [kind for kind in model.card.kinds if (kind.metric, kind.language, kind.device) not in told]
    model.card = replace(model.card, kinds=(*kept, *new.kinds))
    claim(folder)
    with alone(folder, "writes into"):
        _check_place(folder, start, places)  # what another process wrote meanwhile
        model.save_pretrained(folder)
    return found


def _check_place(folder: Path, start: Path | None, places: Collection[Place]) -> None:
    itself = folder.resolve() == located(start or EncoderDecoder.name).resolve()
    check_unfinished(folder)
    if not (folder / CONFIG).is_file():
        return
    todo = f"name another folder, or go on from what is there: --start {folder}"
    if (folder / BEGUN).is_file() and not itself:
        raise UsageError(f"{folder} holds a training", "it would be lost", todo)
    lost = [where for where in EncoderDecoder(folder).carried.members if where not in places]
    if lost:
        metric, language, device = lost[0]
        what = f"{metric} of {language}{f' on {device}' if device else ''}"
        raise UsageError(f"{folder} holds another checkpoint", f"what it knows of {what} would be lost", todo)


def _told(metric: str, language: str, device: str, rows: Sequence[Row], carried: Transfer) -> Adapted:
    off = np.exp(np.abs(carried.errors))
    positive = all(row.value > 0 for row in rows)
    # Of few errors the share p ends at place p(n + 1), as intervals do.
    median, most = (float(np.quantile(off, q, method="weibull")) if positive else math.nan for q in (0.5, 0.9))
    return Adapted(metric, language, device, len(rows), median, most)
