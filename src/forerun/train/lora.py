"""Low-rank updates (Hu et al. 2022): few numbers to train beside frozen weights, added to them when done."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from forerun.errors import UsageError


class Update(nn.Module):
    """A weight `[out, in]` plus a product of rank r. It begins as no change at all."""

    def __init__(self, weight: Tensor, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(weight.new_zeros(weight.shape[0], rank))
        self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) * weight.shape[1] ** -0.5)

    def forward(self, weight: Tensor) -> Tensor:
        """The weight as the network sees it."""
        return weight + self.up @ self.down


def unfounded(start: Path | None) -> UsageError:
    """What to raise where there is no checkpoint of ours to update."""
    why = f"{start} is none" if start else "none was named"
    todo = "add --start encoder_decoder, the one that ships, or a folder that `forerun train` wrote"
    return UsageError("low-rank updates start from a checkpoint of forerun", why, todo)


def add(network: nn.Module, rank: int) -> None:
    """Freezes the network, and puts a trainable update on the weight of every linear layer."""
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    for module in [m for m in network.modules() if isinstance(m, nn.Linear)]:
        parametrize.register_parametrization(module, "weight", Update(module.weight, rank))


def merge(network: nn.Module) -> None:
    """Adds the updates to the weights: the network is a plain one again, and all of it can be trained."""
    for module in [m for m in network.modules() if parametrize.is_parametrized(m)]:
        parametrize.remove_parametrizations(module, "weight", leave_parametrized=True)
    for parameter in network.parameters():
        parameter.requires_grad_(True)
