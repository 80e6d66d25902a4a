"""Matrix products and softmax whose sizes divide into no tiles or vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import forerun
from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.toolchains.tvm import extract as tasks
from forerun.toolchains.tvm import frontends, reference
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._larger import Product, in_panels
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._softmax import apart
from forerun.toolchains.tvm.measure import measure
from forerun.toolchains.tvm.network import flat
from forerun.toolchains.tvm.space import Program
from forerun.toolchains.tvm.text import described
from tests.test_tvm_winograd import ONE, ran

tvm = load()
LANES = targets.vectors(tvm.target.Target(ONE))[1] // 32
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    "rows, columns, known, lanes, larger",
    [
        (197, 768, True, 16, (198, 768)),
        (197, 197, False, 16, (198, 208)),
        (257, 257, False, 16, (258, 272)),
        (577, 577, False, 8, (580, 584)),
        (128, 1000, True, 16, (128, 1008)),
        (128, 1000, True, 8, (128, 1000)),
        (96, 96, False, 16, (96, 96)),
        (77, 77, False, 16, (77, 80)),
        (50, 50, True, 16, (50, 50)),
        (16, 1000, True, 16, (16, 1000)),
        (32, 1000, False, 16, (32, 1000)),
        (13, 97, True, 16, (13, 97)),
        (1, 50257, True, 16, (1, 50257)),
        (17, 17, True, 16, (18, 17)),
        (19, 64, False, 4, (20, 64)),
    ],
)
def test_what_divides_stays(rows: int, columns: int, known: bool, lanes: int, larger: tuple[int, int]) -> None:
    assert Product(rows, columns, known).larger(lanes) == larger


class Known(nn.Module):
    """By weights, and what follows is fused into it."""

    def __init__(self, steps: int, columns: int) -> None:
        super().__init__()
        self.product = nn.Linear(steps, columns)

    def forward(self, x: Any) -> Any:
        return nn.functional.gelu(self.product(x))


class Unknown(nn.Module):
    """By what the network makes of its input, of which some is the same for a whole batch."""

    def __init__(self, alike: bool) -> None:
        super().__init__()
        self.alike = alike

    def forward(self, x: Any) -> Any:
        other = x.flip(-1)
        scores = x @ (other[:1] if self.alike else other).transpose(-1, -2)
        return torch.softmax(scores, -1) @ other


def computed(network: nn.Module, shape: Sequence[int], layout: str) -> tuple[list[tasks.Extracted], Any, float]:
    """The programs with matrix products, the result, and its error."""
    found, made, error = ran(network, shape, layout)
    return [one for one in found if 'T.sblock("matmul")' in one.text], made, error


@pytest.mark.parametrize(
    "network, shape, count",
    [
        (Known(24, 100), (19, 24), 1),
        (Known(24, 99), (24, 24), 1),
        (Known(24, 99), (1, 37, 24), 1),
        (Known(24, 90), (3, 2, 29, 24), 1),
        (Unknown(False), (3, 79, 16), 2),
        (Unknown(True), (2, 3, 74, 24), 2),
        (Unknown(False), (71, 32), 2),
    ],
)
def test_products_are_those_of_pytorch(network: nn.Module, shape: Sequence[int], count: int) -> None:
    larger, made, error = computed(network, shape, tasks.WINOGRAD)
    given, plain, _ = computed(network, shape, tasks.GIVEN)
    assert sum("inside" in one.text for one in larger) == len(larger) == len(given) == count
    assert not any("inside" in one.text for one in given)
    assert made.shape == plain.shape and error < 1e-5


def test_zeros_stand_behind_weights_beforehand() -> None:
    (one,), _, _ = computed(Known(24, 99), (24, 24), tasks.WINOGRAD)
    assert "(T.int64(24), T.int64(100))" in one.text and "if_then_else" not in one.text


def test_their_schedules_are_right_and_told() -> None:
    programs, _, _ = computed(Unknown(False), (2, 79, 16), tasks.WINOGRAD)
    target = json.dumps(ONE)
    for one in programs:
        source = Source(one.text, LANGUAGE, one.name, target)
        program = Program(source)
        function = program.module["main"]
        a, b = reference.inputs(function, 0)
        (found,) = reference.evaluate(function, [a, b])
        assert np.allclose(found, (a.astype(np.float64) @ b)[..., : found.shape[-1]], rtol=1e-4, atol=1e-5)
        assert any("min(" in line for line in described(one.text)[1])
        plans = program.random(4, 0)
        assert len(plans) == 4 and all(measure(source, plan).ok for plan in plans)


class Shares(nn.Module):
    """Softmax along an axis; what follows is fused into it."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def forward(self, x: Any) -> Any:
        return torch.softmax(x, self.axis) * 3


@pytest.mark.parametrize(
    "shape, axis, own",
    [
        ((3, 79), -1, True),
        ((2, 3, 5, 13), 3, True),
        ((4, 9), -1, True),
        ((4, 7), -1, False),
        ((4, 96), -1, False),
        ((79, 3), 0, False),
        ((79,), 0, False),
    ],
)
def test_shares_of_a_row_are_those_of_pytorch(shape: Sequence[int], axis: int, own: bool) -> None:
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(0)) * 20
    target = tvm.target.Target(ONE)
    found = tasks.extract(frontends.from_torch(Shares(axis), (x,)), target, tasks.WINOGRAD)
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target), tvm.cpu())
    (made,) = flat(machine["main"](tvm.runtime.tensor(x.numpy())))
    assert np.allclose(made, torch.softmax(x.double(), axis).numpy() * 3, rtol=1e-5, atol=1e-7)
    (program,) = (one for one in found.workloads if "softmax" in one.name)
    assert ('T.sblock("maximums")' in program.text) == own
    source = Source(program.text, LANGUAGE, program.name, json.dumps(ONE))
    assert all(measure(source, plan).ok for plan in Program(source).random(3, 0))


@pytest.mark.parametrize("columns, lanes, own", [(197, 16, True), (197, 4, True), (31, 16, False), (104, 16, False)])
def test_rows_of_half_vectors_are_left_to_tvm(columns: int, lanes: int, own: bool) -> None:
    assert apart(columns, lanes) == own


def test_a_network_of_them_is_tuned(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(
        "import torch\n\n\nclass Attention(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.softmax(x @ x.transpose(-1, -2), -1) @ x\n\n\n"
        "def network():\n    return Attention(), (torch.randn(2, 67, 32),)\n"
    )
    tuned = forerun.tune(f"{file}:network", target="llvm:1", trials=8, store=tmp_path / "trials.sqlite")
    assert tuned.comparison is not None and max(tuned.comparison.errors.values()) < 1e-4
    assert sum(kernel.result.best.draft.answer is not None for kernel in tuned.kernels) >= 2


class Reduced(nn.Module):
    """Over axes that are not the last one."""

    def forward(self, x: Any) -> Any:
        picture = torch.relu(x)
        return (
            picture.mean((1, 2)), picture.mean((1, 2), keepdim=True), picture.sum(1), picture.sum((0, 2)),
            picture.amax((1, 2)), picture.amin(1, keepdim=True), picture.mean(-1), picture.mean(),
        )  # fmt: skip


def test_sums_go_along_what_lies_side_by_side() -> None:
    module, x, target = Reduced(), torch.randn(3, 5, 4, 24) - 0.5, tvm.target.Target(ONE)
    x[1, 2, 1, 3] = float("inf")
    whole = frontends.from_torch(module, (x,))
    found = tasks.extract(whole, target, tasks.WINOGRAD)
    ours = [one for one in found.workloads if '"schedule_rule": "None"' in one.text]
    assert len(ours) == 6, "neither the last axis nor all"
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target).jit(), tvm.cpu())
    expected = [each.numpy() for each in module(x)]
    for mine, right in zip(flat(machine["main"](tvm.runtime.tensor(x.numpy()))), expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-5)
    for one in ours:
        source = Source(one.text, LANGUAGE, one.name, json.dumps(ONE))
        assert measure(source, Program(source).random(1, 0)[0]).ok
    narrow = tasks.extract(frontends.from_torch(module, (x[..., :1],)), target, tasks.WINOGRAD)
    assert not any("schedule_rule" in one.text for one in narrow.workloads)


@pytest.mark.parametrize("rows, steps, columns, panels", [(40, 24, 64, True), (1, 24, 48, True), (17, 24, 40, False)])
def test_weights_lie_in_panels(rows: int, steps: int, columns: int, panels: bool) -> None:
    programs, _, off = ran(Known(steps, columns), (2, rows, steps), tasks.WINOGRAD)
    (text,) = (one.text for one in programs if "matmul" in one.name)
    shape = f"(T.int64({columns // (4 * LANES)}), T.int64({steps}), T.int64({4 * LANES}))"
    assert (shape in text) == panels and off < 1e-6
    assert not any("panels" in one.name for one in programs), "that is done beforehand"


def test_weights_of_one_row_stay_as_they_are() -> None:
    programs, _, off = ran(Known(24, 12 * LANES), (1, 1, 24), tasks.WINOGRAD)
    (text,) = (one.text for one in programs if "matmul" in one.name)
    assert f"(T.int64(24), T.int64({12 * LANES}))" in text and off < 1e-6
    told = [in_panels(rows, columns) for rows, columns in ((1, 512), (2, 3072), (4, 16384), (4, 49152), (17, 49152))]
    assert told == [False, True, True, False, True]


@pytest.mark.parametrize(
    "network, shape, kernel",
    [
        (nn.Conv1d(8, 12 * LANES, 3, padding=1), (2, 8, 21), (3, 8)),
        (nn.Conv2d(8, 12 * LANES, 1), (1, 8, 9, 7), (1, 1, 8)),
        (nn.Conv2d(8, 12 * LANES, 3, stride=2), (2, 8, 9, 7), (3, 3, 8)),
        (nn.Conv3d(8, 12 * LANES, 2), (1, 8, 5, 4, 6), (2, 2, 2, 8)),
        (nn.Conv2d(8, 12 * LANES, 3, groups=2), (1, 8, 9, 7), ()),
        (nn.Conv2d(8, 10 * LANES, 3, stride=2), (1, 8, 9, 7), ()),
        (nn.Conv2d(8, 4 * LANES, 3, stride=2), (1, 8, 9, 7), ()),
    ],
)
def test_weights_of_convolutions_lie_in_panels(network: nn.Module, shape: Sequence[int], kernel: Sequence[int]) -> None:
    programs, _, off = ran(nn.Sequential(network, nn.ReLU()), shape, tasks.WINOGRAD)
    (one,) = (one for one in programs if "conv" in one.name)
    lying = ", ".join(f"T.int64({size})" for size in (3, *kernel, 4 * LANES))
    assert (f"in1: T.Buffer(({lying})" in one.text) == bool(kernel) and off < 1e-6
    source = Source(one.text, LANGUAGE, "convolution", json.dumps(ONE))
    assert measure(source, Program(source).random(1, 0)[0]).ok


def test_weights_of_winograds_products_lie_in_panels() -> None:
    channels = 12 * LANES
    programs, _, off = ran(nn.Conv2d(channels, channels, 3, padding=1), (1, channels, 16, 16), tasks.WINOGRAD)
    (text,) = (one.text for one in programs if one.name == "matmul")
    lying = ", ".join(f"T.int64({size})" for size in (36, 3, channels, 4 * LANES))
    assert f"in1: T.Buffer(({lying})" in text and off < 1e-5
