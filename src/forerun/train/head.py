"""Trains the encoder with a head: the loop, the batches and the optimiser are those of the encoder-decoder."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from torch import Tensor, nn

from forerun.models._regression import labels
from forerun.models.encoder_decoder.head import Head
from forerun.models.encoder_decoder.network import Network
from forerun.models.mse_head import MseHead, Target
from forerun.rows import Row
from forerun.train.batches import Batch
from forerun.train.examples import Dataset, Example
from forerun.train.fit import Parts, as_started, begun, dataset, enough_memory, learned, network_of, some
from forerun.train.loop import Progress, Recipe
from forerun.train.recipes import Training


class SquaredError(nn.Module):
    """The mean squared error of normalised places: up to constants, the likelihood if all errors were alike."""

    def __init__(self, network: Network, data: Dataset, recipe: Recipe) -> None:
        super().__init__()
        assert isinstance(network, Head)
        self.network = network

    def forward(self, batch: Batch[Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss, and its parts."""
        found = self.network.estimates(batch.ids_BS, batch.segments_BS, batch.positions_BS, batch.segments_BR)
        asked = batch.segments_BR > 0
        loss = (found - batch.values_BR)[asked].square().mean()
        return loss, {"nll": loss}


@enough_memory()
def fit(
    parts: Parts,
    folder: Path,
    training: Training,
    *,
    start: Path | None = None,
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
) -> MseHead | None:
    """The model, trained on rows of one metric or several, from the encoder of the checkpoint `start` where one is
    given; None where the time was over before: called again, it goes on.

    Its errors are those on the validation rows. Raises InputError as `forerun.train.fit.fit` does.
    """
    training = as_started(training, start)
    tokenizer = begun(parts, folder, training, start)
    metrics = dict.fromkeys(row.metric for row in parts.train)
    known = [row for row in parts.validation if row.metric in metrics]
    asked = Parts(parts.train, some(known))
    together = [*asked.train, *asked.validation]
    targets = {name: Target.of(labels([row for row in together if row.metric == name])) for name in metrics}
    data = dataset(asked, tokenizer, training)
    examples, validation = (
        _aimed(data.examples, asked.train, targets),
        _aimed(data.validation, asked.validation, targets),
    )
    data = replace(data, examples=examples, validation=validation)
    whole = network_of(tokenizer, training, start)
    network = Head(whole.config)
    shared = {name: value for name, value in whole.state_dict().items() if not name.startswith("decoder")}
    network.load_state_dict(network.state_dict() | shared)
    if not learned(network, data, training, folder, seconds, on_step, SquaredError):
        return None
    return MseHead(network, tokenizer, targets).with_errors(known)


def _aimed(examples: Sequence[Example], rows: Sequence[Row], targets: Mapping[str, Target]) -> list[Example]:
    """The examples with what the head is to give."""
    pairs = zip(examples, rows, strict=True)
    return [replace(one, value=float(targets[row.metric].to(np.array(row.value)))) for one, row in pairs]
