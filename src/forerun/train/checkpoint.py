"""A training that was stopped goes on as if it had not been: weights, optimiser, data position, random state.

A checkpoint is one safetensors file with every tensor, and the rest as JSON in its header; it is written beside the old
one and then takes its place, so a kill at any moment leaves a whole one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from forerun.errors import InputError, reason
from forerun.files import write_atomically

FORMAT = 1


def write(path: Path, network: nn.Module, optimisers: list[torch.optim.Optimizer], facts: dict[str, Any]) -> None:
    """Everything that training needs to go on. `facts` must be plain data. Raises ForerunError for a full disk."""
    tensors = {f"network.{name}": value for name, value in network.state_dict().items()}
    states = []
    for i, optimiser in enumerate(optimisers):
        state = optimiser.state_dict()
        tensors |= {
            f"optimiser.{i}.{row}.{name}": value if isinstance(value, Tensor) else torch.tensor(value)
            for row, values in state["state"].items()
            for name, value in values.items()
        }
        states.append(state["param_groups"])
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    header = {"format": FORMAT, "groups": states, **facts}
    kept = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    write_atomically(path, save(kept, metadata={"forerun": json.dumps(header)}))


def read(path: Path, network: nn.Module, optimisers: list[torch.optim.Optimizer]) -> dict[str, Any]:
    """Puts everything back; the facts. Raises InputError for a file that is damaged or of another network."""
    try:
        with safe_open(path, framework="pt") as file:
            header: dict[str, Any] = json.loads((file.metadata() or {})["forerun"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if header["format"] != FORMAT:
            raise ValueError(f"it has format {header['format']}, this version reads {FORMAT}")
        network.load_state_dict(_under("network.", tensors))
    except (SafetensorError, OSError, ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"the checkpoint {path} cannot be read", reason(error), "delete it to begin anew") from error
    for i, (optimiser, groups) in enumerate(zip(optimisers, header["groups"], strict=True)):
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(f"optimiser.{i}.", tensors).items():
            row, _, key = name.partition(".")
            state.setdefault(int(row), {})[key] = value
        optimiser.load_state_dict({"state": state, "param_groups": groups})
    torch.set_rng_state(tensors["random.cpu"])
    if torch.cuda.is_available() and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return header


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
