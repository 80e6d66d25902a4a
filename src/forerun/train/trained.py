"""Networks that learn where they are compared: every `fit` is a training, so they stand beside the other rivals."""

from __future__ import annotations

import math
import shutil
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

from forerun.distribution import Distribution
from forerun.errors import ForerunError, UsageError
from forerun.models._predictor import Predictor
from forerun.models._regression import folds, labels, untaught
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.mse_head import MseHead
from forerun.models.regress_lm import RegressLM
from forerun.prompts import without_counters
from forerun.rows import Row
from forerun.train import head
from forerun.train.fit import Parts
from forerun.train.fit import fit as fit_decoder
from forerun.train.loop import Progress
from forerun.train.recipes import Training, cpu

NETWORKS = (EncoderDecoder.name, MseHead.name, RegressLM.name)
"""What can be trained."""
_HELD = 10
"""One group in so many says when to stop, and how far off estimates are."""


class Trained(Predictor):
    """A network of one of the `NETWORKS`, trained by a recipe on the rows that it is given."""

    name: ClassVar[str] = "trained"

    def __init__(
        self,
        kind: str = EncoderDecoder.name,
        training: Training | None = None,
        *,
        folder: Path | None = None,
        start: Path | None = None,
        counters: bool = True,
        trees: bool = False,
        seconds: float = math.inf,
        on_step: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        """By the recipe `cpu` where no training is given; in a folder that can be gone on from where one is named.

        `start` is a checkpoint to go on from. Without `counters` prompts are plain text, as they are for `regress_lm`
        in any case, which is also trained without an ordinal and a ranking loss. With `trees`, some are grown beside
        `encoder_decoder`, as beside what ships. Raises UsageError for another kind.
        """
        if kind not in NETWORKS:
            raise UsageError(f"{kind!r} cannot be trained", f"networks: {', '.join(NETWORKS)}", "name one of them")
        self.kind, self.training, self.counters = kind, training or cpu(), counters
        if kind == RegressLM.name:
            self.training, self.counters = of_regress_lm(self.training), False
        self.trees = trees and kind == EncoderDecoder.name
        self._folder, self._start, self._seconds, self._on_step = folder, start, seconds, on_step
        self._model: Predictor | None = None

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Trains on nine groups in ten.

        Raises InputError where rows are too few or of several metrics, ForerunError where the seconds were over: called
        again, it goes on if it has a folder.
        """
        labels(rows)
        rows = rows if self.counters else bare(rows)
        held = next(folds([row.group for row in rows], _HELD, seed))
        train, validation = ([r for r, out in zip(rows, held, strict=True) if out == which] for which in (0, 1))
        parts = Parts(train, validation)
        recipe = replace(self.training.recipe, seed=seed)
        training = replace(self.training, recipe=recipe, export=False, ensemble=self.trees)
        model = self._trained(parts, self._place(), training)
        if model is None:
            why = f"{self._seconds:g} seconds were over"
            raise ForerunError(f"{self.kind} is not trained yet", why, "call it again: it goes on where it stopped")
        self._model = model

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before `fit`."""
        if self._model is None:
            raise untaught(self.kind)
        return self._model.predict([self._shown(prompt) for prompt in prompts])

    def _shown(self, prompt: str) -> str:
        return prompt if self.counters else without_counters(prompt)

    def _place(self) -> Path:
        if self._folder:
            return self._folder
        folder = mkdtemp(prefix="forerun-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _trained(self, parts: Parts, folder: Path, training: Training) -> Predictor | None:
        how: dict[str, Any] = {"start": self._start, "seconds": self._seconds, "on_step": self._on_step}
        if self.kind not in DECODERS:
            return head.fit(parts, folder, training, **how)
        kind = DECODERS[self.kind]
        if not fit_decoder(parts, folder, training, kind=kind, **how):
            return None
        return kind(folder, device=training.device)


DECODERS = {EncoderDecoder.name: EncoderDecoder, RegressLM.name: RegressLM}
"""Those that write their answers."""


def of_regress_lm(training: Training) -> Training:
    """By cross entropy alone, as regress-lm learns."""
    return replace(training, recipe=replace(training.recipe, ordinal=0.0, ranking=0.0))


def bare(rows: Sequence[Row]) -> list[Row]:
    """With prompts that are plain text."""
    return [replace(row, prompt=without_counters(row.prompt)) for row in rows]
