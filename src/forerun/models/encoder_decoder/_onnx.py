"""Runs the exported network in onnxruntime: what a plain install predicts with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, ToolMissing
from forerun.models._decode import Logits, padded
from forerun.models.encoder_decoder.checksums import DECODER, ENCODER, again
from forerun.toolchains.onnx.target import imported


class Memory(NamedTuple):
    """Keys and values `[L, B, K, S, C]` of the sources, and the segments `[B, S]`."""

    keys: NDArray[np.float32]
    values: NDArray[np.float32]
    segments: NDArray[np.int64]


class Cache(NamedTuple):
    """Keys and values `[L, B, R, K, T, C]` of the answers so far."""

    keys: NDArray[np.float32]
    values: NDArray[np.float32]


class OnnxNetwork:
    """`forerun.models.encoder_decoder.Reader` from two graphs in a folder. Raises ToolMissing, InputError."""

    files: ClassVar[tuple[str, ...]] = (ENCODER, DECODER)
    """What it is read from."""

    def __init__(self, folder: Path, window: int, threads: int = 0) -> None:
        self.window = window
        self.encoder, self.decoder = (_session(folder / name, threads) for name in (ENCODER, DECODER))

    def encode(self, prompts: Sequence[Sequence[int]]) -> Memory:
        """One row for each prompt, read in whole windows; what pads all of them is left out of the memory."""
        ids, segments = padded(prompts, self.window)
        keys, values = self.encoder.run(None, {"ids": ids, "segments": segments})
        longest = int(segments.sum(1).max())
        return Memory(keys[:, :, :, :longest], values[:, :, :, :longest], segments[:, :longest])

    def summaries(self, memory: Memory) -> NDArray[np.float32]:
        """`[B, K·C]`."""
        real = (memory.segments > 0)[:, None, :, None]
        means = (memory.values[-1] * real).sum(2) / np.maximum(real.sum(2), 1)
        return np.asarray(means.reshape(len(means), -1), np.float32)

    def begin(self, memory: Memory) -> Cache:
        """Nothing is written yet, one row for each prompt."""
        layers, rows, heads, _, width = memory.keys.shape
        empty = np.zeros((layers, rows, 1, heads, 0, width), np.float32)
        return Cache(empty, empty)

    def step(
        self, memory: Memory, cache: Cache, parents: NDArray[np.int64], tokens: NDArray[np.int64]
    ) -> tuple[Logits, Cache]:
        """`[B, R]` tokens, each after the row of the cache that `parents` names."""
        index = parents[None, :, :, None, None, None]
        kept = (np.take_along_axis(x, index, 2) if x.shape[4] else _wider(x, parents.shape[1]) for x in cache)
        feeds: dict[str, Any] = dict(zip(("past_keys", "past_values"), kept, strict=True))
        feeds |= {"ids": tokens, "keys": memory.keys, "values": memory.values, "segments": memory.segments}
        logits, keys, values = self.decoder.run(None, feeds)
        return logits, Cache(keys, values)


def _wider(x: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    return np.zeros((*x.shape[:2], rows, *x.shape[3:]), np.float32)


def _session(path: Path, threads: int) -> Any:
    try:
        onnxruntime = imported()
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C within its start comes as "initialization failed"
            raise error.__cause__ from None
        raise ToolMissing("predictions need onnxruntime", str(error), "pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4  # errors are raised; told twice they would stand on the user's terminal
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own exceptions share no base
        why = str(error).partition("\n")[0]
        raise InputError(f"the network cannot be read: {path}", why, again(path.parent, path.name)) from error
