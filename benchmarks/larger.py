"""Attention and layers of which a size divides into no tiles, and means over pictures: as they are, and computed
larger, or in another order.

    taskset -c 0 python benchmarks/larger.py

One thread. Each program that has a matrix product or shares of a row is tuned by itself with as many candidates, as the
network has it and as `tune` makes it, and its kernel timed where it was. Weights are known beforehand, all else comes
from the input. What moves data alone is not tuned: it is counted as it is. The error is the largest one, as a share of
the largest result in float64, of each way untuned.
"""

from __future__ import annotations

import argparse
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _lines import Line, Lines, summarise
from winograd import computed, tuned

from forerun.cli.render import Progress
from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.stats import bootstrap, geometric_mean
from forerun.toolchains.tvm import extract, frontends
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.measure import measure

RESULTS = Path(__file__).parent / "results" / "larger.json"
WAYS = {"given": extract.CHANNELS_LAST, "larger": extract.WINOGRAD}
ATTENTION = ((3, 197, 64), (12, 197, 64), (8, 77, 64), (16, 257, 64), (12, 50, 64), (6, 131, 32), (2, 577, 64))
"""Heads, tokens, and numbers of a token in each."""
LAYERS = ((197, 192, 768), (257, 1024, 1024), (59, 384, 384), (131, 512, 1000), (37, 256, 1000), (62, 768, 770))
"""Rows, and numbers of a row before and after."""

MEANS = ((112, 112, 32), (56, 56, 144), (28, 28, 240), (14, 14, 672), (7, 7, 1280), (197, 1, 768))
"""Rows and columns of a picture, or tokens, and channels."""


class Mean(torch.nn.Module):
    """Of each channel, which are last."""

    def forward(self, picture: Any) -> Any:
        """[1, rows, columns, channels]."""
        return picture.mean((1, 2))


class Attention(torch.nn.Module):
    """Of each token to all."""

    def forward(self, queries: Any, keys: Any, values: Any) -> Any:
        """[1, heads, tokens, numbers] each."""
        return torch.softmax(queries @ keys.transpose(-1, -2), -1) @ values


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=16, help="of each program (16)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    lines = Lines(options.output.with_suffix(".jsonl"), ("kind", "shape"))
    asked = [*(("attention", shape) for shape in ATTENTION), *(("layer", shape) for shape in LAYERS)]
    asked += [("mean", shape) for shape in MEANS]
    progress = Progress(len(asked), "networks")
    for kind, shape in asked:
        line: Line = {"kind": kind, "shape": "x".join(map(str, shape)), "trials": options.trials}
        if not line.items() <= lines.known(line).items():
            lines.keep(line | measured(kind, shape, options.trials))
        progress.step(line["shape"])
    progress.end()
    summarise(options.output, summary([*lines]))
    return 0


def measured(kind: str, shape: tuple[int, int, int], trials: int) -> Line:
    """Seconds both ways, and how far off either is."""
    torch.manual_seed(0)
    network, inputs = _network(kind, shape)
    with torch.no_grad():
        exact = deepcopy(network).double()(*(each.double() for each in inputs)).numpy()
    module, line = frontends.from_torch(network, inputs), Line()
    for way, layout in WAYS.items():
        found = extract.extract(module, targets.made(targets.here(1)), layout)
        line[way] = {one.name: one.weight * _seconds(one, trials) for one in found.workloads}
        line[f"{way} off"] = float(np.abs(computed(found, *inputs) - exact).max() / np.abs(exact).max())
    return line


def _network(kind: str, shape: tuple[int, int, int]) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    if kind == "attention":
        return Attention().eval(), tuple(torch.randn(1, *shape) for _ in range(3))
    if kind == "mean":
        return Mean().eval(), (torch.randn(1, *shape),)
    rows, before, after = shape
    layer = torch.nn.Sequential(torch.nn.Linear(before, after), torch.nn.ReLU())
    return layer.eval(), (torch.randn(rows, before),)


def _seconds(program: extract.Extracted, trials: int) -> float:
    if program.flops:
        return tuned(program.text, trials)
    source = Source(program.text, LANGUAGE, program.name, targets.here(1))
    return measure(source, None).values["latency"]


def summary(lines: list[Line]) -> Line:
    """All, and how much faster those are that became others, by kind."""
    made = {}
    for kind in dict.fromkeys(line["kind"] for line in lines):
        own = [sum(line["given"].values()) / sum(line["larger"].values()) for line in lines if line["kind"] == kind]
        found = bootstrap([[ratio] for ratio in own], geometric_mean)
        made[kind] = {"mean": found.value, "low": found.low, "high": found.high}
    return {"networks": lines, "faster": made}


if __name__ == "__main__":
    sys.exit(main())
