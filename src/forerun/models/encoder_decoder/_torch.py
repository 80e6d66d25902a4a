"""Runs the network in PyTorch: for training, for a GPU, and as the reference of the runtime that needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from forerun.errors import ToolMissing, UsageError, reason
from forerun.models._decode import Logits, padded
from forerun.models.encoder_decoder.checksums import WEIGHTS
from forerun.models.encoder_decoder.network import Cache, Memory, Network


class TorchNetwork:
    """`forerun.models.encoder_decoder.Reader` on a device."""

    files: ClassVar[tuple[str, ...]] = (WEIGHTS,)
    """What it is read from."""

    def __init__(self, network: Network, device: str = "cpu") -> None:
        """Raises UsageError for what is no device of PyTorch, ToolMissing for one that is not here."""
        try:
            self.device = torch.device(device)
        except (RuntimeError, TypeError) as error:
            raise UsageError(f"device={device!r}", reason(error).partition(": ")[0], "name 'cpu' or 'cuda'") from error
        try:
            self.network = network.to(self.device).eval()
        except (AssertionError, RuntimeError, NotImplementedError) as error:
            raise ToolMissing(f"PyTorch cannot use the device {device}", reason(error), "name 'cpu'") from error

    @torch.inference_mode()
    def encode(self, prompts: Sequence[Sequence[int]]) -> Memory:
        """One row for each prompt, padded to the longest."""
        ids, segments = (torch.from_numpy(x).to(self.device) for x in padded(prompts))
        positions = torch.arange(ids.shape[1], device=self.device)[None].expand_as(ids)
        return self.network.memory(self.network.encode(ids, segments, positions), segments)

    @torch.inference_mode()
    def summaries(self, memory: Memory) -> NDArray[np.float32]:
        """`[B, K·C]`."""
        real = (memory.segments_BS > 0)[:, None, :, None]
        means = (memory.values_LBKSC[-1] * real).sum(2) / real.sum(2).clamp(min=1)
        return means.flatten(1).float().cpu().numpy()

    @torch.inference_mode()
    def begin(self, memory: Memory) -> Cache:
        """Nothing is written yet, one row for each prompt."""
        return self.network.empty(len(memory.segments_BS), 1, memory.keys_LBKSC)

    @torch.inference_mode()
    def step(
        self, memory: Memory, cache: Cache, parents: NDArray[np.int64], tokens: NDArray[np.int64]
    ) -> tuple[Logits, Cache]:
        """`[B, R]` tokens, each after the row of the cache that `parents` names."""
        rows = torch.from_numpy(parents).to(self.device)
        kept = Cache(*(_rows_of(x, rows) for x in cache))
        ids = torch.from_numpy(tokens).to(self.device)[:, :, None]
        states, cache = self.network.decode(ids, torch.ones_like(ids[:, :, 0]), memory, kept)
        return self.network.logits(states[:, :, 0]).float().cpu().numpy(), cache


def _rows_of(x_LBRKTC: torch.Tensor, rows_BR: torch.Tensor) -> torch.Tensor:
    index = rows_BR[None, :, :, None, None, None].expand(x_LBRKTC.shape[0], -1, -1, *x_LBRKTC.shape[3:])
    return torch.gather(x_LBRKTC, 2, index)
