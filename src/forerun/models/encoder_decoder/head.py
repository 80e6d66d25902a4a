"""The network's encoder with a linear head instead of the decoder: one number for each source.

Names of tensors end in their axes, as in `network`.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor, nn

from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.network import Network


class Head(Network):
    """Tokens of sources to a number each: the mean of a source's states, times a weight."""

    def __init__(self, config: Config) -> None:
        super().__init__(replace(config, decoder_layers=0))
        self.decoder_norm.requires_grad_(False)  # nothing is decoded: of several processes none awaits its gradient
        self.head = nn.Linear(config.width, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def estimates(self, ids_BS: Tensor, segments_BS: Tensor, positions_BS: Tensor, segments_BR: Tensor) -> Tensor:
        """`[B, R]`: one number for each segment that is asked for."""
        states_BSD = self.encode(ids_BS, segments_BS, positions_BS).float()
        own_BRS = (segments_BR[:, :, None] == segments_BS[:, None, :]).float()
        means_BRD = own_BRS @ states_BSD / own_BRS.sum(-1, keepdim=True).clamp(min=1)
        found: Tensor = self.head(means_BRD)
        return found[:, :, 0]
