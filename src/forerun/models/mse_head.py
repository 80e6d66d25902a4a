"""An encoder with a head that estimates one number: what a decoder of numbers has to beat.

The estimate is a place on the scale of the simple rivals (logarithms where all values are positive), normalised to mean
0 and deviation 1. Its errors on rows that were not learned from make it a distribution, as theirs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._decode import padded
from forerun.models._predictor import Predictor
from forerun.models._regression import Scale, Vector, thinned, untaught
from forerun.rows import Row

if TYPE_CHECKING:
    from forerun.models.encoder_decoder.head import Head
    from forerun.models.encoder_decoder.tokenizer import Tokenizer

_AT_ONCE = 16
"""Prompts that are encoded together."""
_FAR = 100.0
"""No estimate is as many deviations away."""


@dataclass(frozen=True)
class Target:
    """What is learned of a value: its place on the scale, normalised. `errors` are those of places."""

    scale: Scale
    mean: float
    deviation: float
    errors: Vector = field(default_factory=lambda: np.zeros(1))

    @classmethod
    def of(cls, values: Vector) -> Target:
        """That of these values."""
        scale = Scale.of(values)
        places = scale.to(values)
        return cls(scale, float(places.mean()), float(places.std()) or 1.0)

    def to(self, values: Vector) -> Vector:
        """Values as they are learned."""
        return (self.scale.to(values) - self.mean) / self.deviation

    def place(self, estimates: Vector) -> Vector:
        """Estimates on the scale."""
        return self.mean + self.deviation * np.clip(estimates, -_FAR, _FAR)


class MseHead(Predictor):
    """An encoder with a linear head, trained on the squared error of the normalised logarithm."""

    name: ClassVar[str] = "mse_head"

    def __init__(self, network: Head | None = None, tokenizer: Tokenizer | None = None, target: Target | None = None):
        """Of its parts, as `forerun.train.head` makes them."""
        self._known = (network.eval(), tokenizer, target) if network and tokenizer and target else None

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Nothing: it is taken as `forerun.train.head` left it. Raises InputError without rows."""
        if not rows:
            raise InputError("there is nothing to learn from", "no rows were given", "give the rows of one metric")

    def with_errors(self, rows: Sequence[Row]) -> MseHead:
        """The same, with the errors that it makes on rows it has not learned from."""
        network, tokenizer, target = self._parts
        values = np.array([row.value for row in rows])
        errors = target.scale.to(values) - self._places([row.prompt for row in rows])
        known = Target(target.scale, target.mean, target.deviation, thinned(errors))
        return MseHead(network, tokenizer, known)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before it was trained."""
        target = self._parts[2]
        return [target.scale.distribution(place, target.errors) for place in self._places(prompts).tolist()]

    def _places(self, prompts: Sequence[str]) -> Vector:
        """On the scale, `[prompts]`."""
        import torch

        network, tokenizer, target = self._parts
        tokens = [tokenizer.ends(prompt, network.config.context) for prompt in prompts]
        device, found = network.head.weight.device, np.empty(len(prompts))
        ordered = sorted(range(len(prompts)), key=lambda i: len(tokens[i]))
        for start in range(0, len(ordered), _AT_ONCE):
            places = ordered[start : start + _AT_ONCE]
            ids, segments = (torch.from_numpy(x).to(device) for x in padded([tokens[i] for i in places]))
            positions = torch.arange(ids.shape[1], device=device)[None].expand_as(ids)
            with torch.inference_mode():
                estimates = network.estimates(ids, segments, positions, torch.ones_like(ids[:, :1]))
            found[places] = target.place(estimates[:, 0].double().cpu().numpy())
        return found

    @property
    def _parts(self) -> tuple[Head, Tokenizer, Target]:
        if self._known is None:
            raise untaught(self.name)
        return self._known
