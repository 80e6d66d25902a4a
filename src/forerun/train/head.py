"""Trains the encoder with a head: the loop, the batches and the optimiser are those of the encoder-decoder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from forerun.models._regression import Vector, labels
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.head import Head
from forerun.models.encoder_decoder.network import Network
from forerun.models.mse_head import MseHead, Target
from forerun.train.batches import Batch
from forerun.train.examples import Dataset, Example
from forerun.train.fit import Parts, begun, dataset, enough_memory, learned, some
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
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
) -> MseHead | None:
    """The model, trained on rows of one metric; None where the time was over before: called again, it goes on.

    Its errors are those on the validation rows. Raises InputError as `forerun.train.fit.fit` does, and for rows of
    several metrics.
    """
    tokenizer = begun(parts, folder, training)
    asked = Parts(parts.train, some(parts.validation))
    values = labels([*asked.train, *asked.validation])
    target = Target.of(values)
    trained, held = np.split(target.to(values), [len(asked.train)])
    data = dataset(asked, tokenizer, training)
    data = replace(data, examples=_aimed(data.examples, trained), validation=_aimed(data.validation, held))
    torch.manual_seed(training.recipe.seed)
    network = Head(Config.of_depth(training.depth, tokenizer.size, training.context))
    if not learned(network, data, training, folder, seconds, on_step, SquaredError):
        return None
    return MseHead(network, tokenizer, target).with_errors(parts.validation)


def _aimed(examples: Sequence[Example], values: Vector) -> list[Example]:
    """The examples with what the head is to give."""
    return [replace(example, value=value) for example, value in zip(examples, values.tolist(), strict=True)]
