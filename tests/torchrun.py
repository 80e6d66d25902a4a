"""One of two processes of a training, for test_training: whole, and stopped after each step."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from forerun.train.loop import Recipe, train
from tests.test_training import World

RECIPE = Recipe(steps=8, rows=2, row_tokens=128, learning_rate=3e-3, evaluate_every=4, bf16=False)


def main(place: Path) -> None:
    """Writes `NAME-RANK.weights` of both trainings, and where this process's sampler stands as `RANK.json`."""
    world, rank = World(120), os.environ["RANK"]
    for name, seconds in (("whole", float("inf")), ("parts", 0.0)):
        folder = place / name
        folder.mkdir(exist_ok=True)
        done = False
        while not done:
            network = world.network()
            done = train(network, world.data, RECIPE, folder, seconds=seconds)
        save_file(network.state_dict(), place / f"{name}-{rank}.weights")
    last = folder / ("last.safetensors" if rank == "0" else f"last-{rank}.safetensors")
    with safe_open(last, framework="pt") as file:
        position = json.loads(file.metadata()["forerun"])["position"]
    (place / f"{rank}.json").write_text(json.dumps(position))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
