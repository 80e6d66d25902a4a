"""A running mean of weights (Polyak and Juditsky 1992), which is often better than any of those it is the mean of.

After step t it is `d` times what it was plus `1 - d` times the weights, where `d` is the recipe's `average`, but never
more than `(1 + t) / (10 + t)`: what the weights were at the beginning is forgotten early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """The mean of the weights of a network that are trained; without a decay there is none, and nothing changes."""

    values: dict[str, Tensor]
    """By the weights' names."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self._weights = {name: p for name, p in network.named_parameters() if decay and p.requires_grad}
        self.values = {name: weight.detach().clone() for name, weight in self._weights.items()}

    def restore(self, values: Mapping[str, Tensor]) -> None:
        """As a checkpoint has it, or as the weights are now where it has none."""
        for name, weight in self._weights.items():
            self.values[name].copy_(values.get(name, weight.detach()))

    @torch.no_grad()
    def update(self, step: int) -> None:
        """After a step, which is counted from 1."""
        if self._weights:
            own = 1 - min(self.decay, (1 + step) / (10 + step))
            torch._foreach_lerp_(list(self.values.values()), list(self._weights.values()), own)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Meanwhile the network has the mean's weights; then its own again."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        for name, weight in self._weights.items():
            kept = weight.detach().clone()
            weight.copy_(self.values[name])
            self.values[name].copy_(kept)
