"""One of two processes of a training, for test_training: whole, stopped after each step, or killed before its end.

What test_training has is imported late: it imports this module, too.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from forerun.train.loop import Progress, train


def errors(place: Path, rank: int) -> Path:
    """Where a process that was forked says what went wrong."""
    return place.with_name(f"{place.name}-{rank}.err")


def ranked(rank: int, port: int, place: Path) -> None:
    """A process that was forked, with the variables that `torchrun` sets."""
    with errors(place, rank).open("w") as said:
        os.dup2(said.fileno(), 2)
    of_all = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": f"{port}", "GLOO_SOCKET_IFNAME": "lo"}
    os.environ |= of_all | {"RANK": f"{rank}", "LOCAL_RANK": f"{rank}"}
    torch.set_num_threads(1)
    main(place)


def main(place: Path) -> None:
    """Writes `NAME-RANK.weights` of both trainings, and the last checkpoint's facts as `0.json`."""
    from tests.test_training import OF_TWO, World

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


def killed(place: Path) -> None:
    """The second process is killed after its third step, as by the system where memory is short."""

    def on_step(report: Progress) -> None:
        if report.step == 3 and os.environ["RANK"] == "1":
            os.kill(os.getpid(), signal.SIGKILL)

    from tests.test_training import OF_TWO, World

    world = World(120)
    train(world.network(), world.data, replace(OF_TWO, save_every_s=0.0), place, on_step=on_step)


if __name__ == "__main__":
    killed(Path(sys.argv[-1]))
