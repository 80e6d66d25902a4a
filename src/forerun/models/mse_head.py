"""An encoder with a head that estimates one number: what a decoder of numbers has to beat.

The estimate is a place on the scale of the simple rivals (logarithms where all values of a metric are positive),
normalised to mean 0 and deviation 1; the prompt tells which metric is asked for. Its errors on rows that were not
learned from make it a distribution, as theirs do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models._decode import padded
from forerun.models._predictor import Predictor
from forerun.models._regression import Scale, Vector, thinned, untaught
from forerun.prompts import parts
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
    """What is learned of a metric's value: its place on the scale, normalised. `errors` are those of places."""

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

    def __init__(
        self,
        network: Head | None = None,
        tokenizer: Tokenizer | None = None,
        targets: Mapping[str, Target] | None = None,
    ) -> None:
        """Of its parts, as `forerun.train.head` makes them, with a target for each metric."""
        self._known = (network.eval(), tokenizer, dict(targets)) if network and tokenizer and targets else None

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Nothing: it is taken as `forerun.train.head` left it. Raises InputError without rows."""
        if not rows:
            raise InputError("there is nothing to learn from", "no rows were given", "give the rows of one metric")

    def with_errors(self, rows: Sequence[Row]) -> MseHead:
        """The same, with the errors that it makes on rows it has not learned from."""
        network, tokenizer, targets = self._parts
        places = np.array([place for _, place in self._placed([row.prompt for row in rows])])
        for metric, target in targets.items():
            own = [i for i, row in enumerate(rows) if row.metric == metric]
            if own:
                errors = target.scale.to(np.array([rows[i].value for i in own])) - places[own]
                targets = {**targets, metric: replace(target, errors=thinned(errors))}
        return MseHead(network, tokenizer, targets)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each. Raises InputError before it was trained, and for a metric that it was not trained
        on."""
        return [target.scale.distribution(place, target.errors) for target, place in self._placed(prompts)]

    def _target(self, prompt: str) -> Target:
        targets = self._parts[2]
        if len(targets) == 1:
            return next(iter(targets.values()))
        metric = parts(prompt).head.get("metric", "")
        if metric not in targets:
            asked = f"{self.name} was not trained on {metric or 'a prompt without a metric'}"
            raise InputError(asked, f"it knows {', '.join(targets)}", "give rows of it to a training")
        return targets[metric]

    def _placed(self, prompts: Sequence[str]) -> list[tuple[Target, float]]:
        """The target of each one's metric, and its place on that scale."""
        import torch

        network, tokenizer, _ = self._parts
        tokens = [tokenizer.ends(prompt, network.config.context) for prompt in prompts]
        device, found = network.head.weight.device, np.empty(len(prompts))
        ordered = sorted(range(len(prompts)), key=lambda i: len(tokens[i]))
        for start in range(0, len(ordered), _AT_ONCE):
            places = ordered[start : start + _AT_ONCE]
            ids, segments = (torch.from_numpy(x).to(device) for x in padded([tokens[i] for i in places]))
            positions = torch.arange(ids.shape[1], device=device)[None].expand_as(ids)
            with torch.inference_mode():
                estimates = network.estimates(ids, segments, positions, torch.ones_like(ids[:, :1]))
            found[places] = estimates[:, 0].double().cpu().numpy()
        targets = map(self._target, prompts)
        return [(target, float(target.place(found[i : i + 1])[0])) for i, target in enumerate(targets)]

    @property
    def _parts(self) -> tuple[Head, Tokenizer, dict[str, Target]]:
        if self._known is None:
            raise untaught(self.name)
        return self._known
