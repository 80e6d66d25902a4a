"""Convolutions of 3 x 3 both ways: as sums of products, and by Winograd's algorithm, of which three programs take part.

    taskset -c 0 python benchmarks/winograd.py

A convolution with a bias and a ReLU, channels last, one thread. Each program is tuned by itself with as many
candidates, and its kernel timed where it was; what the three take is added up. In a network the weights come from
memory, which takes longer where they are four times as many. `told` is whether `tune` takes Winograd's. The error is
the largest one, as a share of the largest result in float64, of each way untuned.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from _lines import Line, Lines, summarise

import forerun
from forerun.cli.render import Progress
from forerun.stats import bootstrap, geometric_mean
from forerun.toolchains.tvm import extract, frontends
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._winograd import Convolution
from forerun.toolchains.tvm.network import flat

RESULTS = Path(__file__).parent / "results" / "winograd.json"
WAYS = {"direct": extract.CHANNELS_LAST, "winograd": extract.WINOGRAD}
SHAPES = (
    (1, 256, 64, 64), (1, 256, 32, 32), (1, 112, 64, 128), (1, 112, 32, 32), (1, 56, 64, 64), (1, 56, 32, 32),
    (1, 56, 16, 16), (1, 32, 256, 512), (1, 28, 256, 256), (1, 28, 128, 128), (1, 28, 32, 64), (1, 16, 512, 512),
    (1, 14, 256, 256), (1, 14, 128, 128), (1, 14, 64, 64), (1, 13, 192, 384), (2, 10, 256, 256), (1, 8, 128, 128),
    (4, 7, 512, 512), (1, 8, 512, 512), (1, 7, 512, 512), (1, 64, 64, 3), (1, 64, 3, 64),
)  # fmt: skip
"""Samples, rows and columns, channels read and made."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=16, help="of each program (16)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    lines = Lines(options.output.with_suffix(".jsonl"), ("shape",))
    progress = Progress(len(SHAPES), "convolutions")
    for shape in SHAPES:
        line: Line = {"shape": "x".join(map(str, shape)), "trials": options.trials}
        if not line.items() <= lines.known(line).items():
            lines.keep(line | measured(shape, options.trials))
        progress.step(line["shape"])
    progress.end()
    summarise(options.output, summary([*lines]))
    return 0


def measured(shape: tuple[int, int, int, int], trials: int) -> Line:
    """Seconds both ways, and how far off either is."""
    samples, side, channels, made = shape
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(channels, made, 3, padding=1), torch.nn.ReLU()).eval()
    x = torch.randn(samples, channels, side, side)
    module = frontends.from_torch(network, (x,))
    exact = network.double()(x.double()).detach().numpy()
    told = Convolution((samples, side, side, channels), made, (1, 1, 1, 1)).worth
    line: Line = {"told": told}
    for way, layout in WAYS.items():
        with patch.object(Convolution, "worth", True):
            found = extract.extract(module, targets.made(targets.here(1)), layout)
        kernels = [one for one in found.workloads if not one.name.startswith("transpose")]
        line[way] = sum(one.weight * tuned(one.text, trials) for one in kernels)
        line[f"{way} off"] = float(np.abs(computed(found, x) - exact).max() / np.abs(exact).max())
    return line


def tuned(text: str, trials: int) -> float:
    """Seconds of a program's best kernel."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(text, encoding="utf-8")
        (kernel,) = forerun.tune(
            str(path), target="llvm:1", trials=trials, output=Path(folder) / "tuned", store=Path(folder) / "store"
        ).kernels
        return kernel.after_s


def computed(found: extract.Extraction, *inputs: Any) -> Any:
    """The result of a network that is not tuned."""
    tvm = load()
    made = extract.compiled(found.module, targets.made(targets.here(1)))
    machine = tvm.relax.VirtualMachine(made, tvm.cpu())
    (result,) = flat(machine["main"](*(tvm.runtime.tensor(each.numpy()) for each in inputs)))
    return result


def summary(lines: list[Line]) -> Line:
    """All, and how much faster those are of which it is told."""
    told = [line["direct"] / line["winograd"] for line in lines if line["told"]]
    found = bootstrap([[ratio] for ratio in told], geometric_mean)
    return {"convolutions": lines, "faster": {"mean": found.value, "low": found.low, "high": found.high}}


if __name__ == "__main__":
    sys.exit(main())
