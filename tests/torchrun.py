"""One of two processes of a training, for test_training: whole, and stopped after each step."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from forerun.train.loop import train
from tests.test_training import OF_TWO, World


def main(place: Path) -> None:
    """Writes `NAME-RANK.weights` of both trainings, and the last checkpoint's facts as `0.json`."""
    world, rank = World(120), os.environ["RANK"]
    place = own if (own := place / f"machine-{rank}").exists() else place
    for name, seconds in (("whole", float("inf")), ("parts", 0.0)):
        folder = place / name
        folder.mkdir(exist_ok=True)
        done = False
        while not done:
            network = world.network()
            done = train(network, world.data, OF_TWO, folder, seconds=seconds)
        save_file(network.state_dict(), place / f"{name}-{rank}.weights")
    if rank == "0":
        with safe_open(folder / "last.safetensors", framework="pt") as file:
            (place / "0.json").write_text(file.metadata()["forerun"])
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
