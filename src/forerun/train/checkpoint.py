"""A training that was stopped goes on as if it had not been: weights, optimiser, data position, random state.

A checkpoint is one safetensors file with every tensor, and the rest as JSON in its header; it is written beside the old
one and then takes its place, so a kill at any moment leaves a whole one. Of several processes it holds what is each
one's own, too: they go on from one step, or none does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from forerun.errors import InputError, reason
from forerun.files import write_atomically

FORMAT = 1


Random = dict[str, Tensor]
"""The state of a process's random numbers, by device."""


def random_state() -> Random:
    """Of this process."""
    found = {"cpu": torch.get_rng_state()}
    return found | {"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else found


def set_random_state(state: Random) -> None:
    """Of this process, as it was."""
    torch.set_rng_state(state["cpu"])
    if torch.cuda.is_available() and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"])


def write(
    path: Path,
    network: nn.Module,
    optimisers: list[torch.optim.Optimizer],
    facts: dict[str, Any],
    others: Sequence[Random] = (),
) -> None:
    """Everything that training needs to go on. `facts` must be plain data; `others` are the random states of the
    processes after this one. Raises ForerunError for a full disk."""
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
    for rank, random in enumerate([random_state(), *others]):
        tensors |= {f"{_random(rank)}{name}": value for name, value in random.items()}
    header = {"format": FORMAT, "groups": states, **facts}
    kept = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    write_atomically(path, save(kept, metadata={"forerun": json.dumps(header)}))


Loaded = tuple[dict[str, Any], dict[str, Tensor]]
"""The facts and the tensors of a checkpoint."""


def load(path: Path) -> Loaded:
    """What a file holds. Raises InputError where it is damaged."""
    with _readable(path), safe_open(path, framework="pt") as file:
        header: dict[str, Any] = json.loads((file.metadata() or {})["forerun"])
        if header["format"] != FORMAT:
            raise ValueError(f"it has format {header['format']}, this version reads {FORMAT}")
        return header, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def restore(path: Path, loaded: Loaded, network: nn.Module, optimisers: list[torch.optim.Optimizer]) -> None:
    """Puts weights and optimisers back. Raises InputError for another network."""
    header, tensors = loaded
    with _readable(path):
        network.load_state_dict(_under("network.", tensors))
    for i, (optimiser, groups) in enumerate(zip(optimisers, header["groups"], strict=True)):
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(f"optimiser.{i}.", tensors).items():
            row, _, key = name.partition(".")
            state.setdefault(int(row), {})[key] = value
        optimiser.load_state_dict({"state": state, "param_groups": groups})


def random_of(loaded: Loaded, rank: int) -> Random:
    """The random state of one of the processes."""
    return _under(_random(rank), loaded[1])


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (SafetensorError, OSError, ValueError, KeyError, RuntimeError) as error:
        todo = f"delete the folder {path.parent} to begin anew"
        raise InputError(f"the checkpoint {path} cannot be read", reason(error), todo) from error


def _random(rank: int) -> str:
    """How the names of a process's random states begin: those of the first one as of the only one."""
    return f"random.{rank}." if rank else "random."


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
