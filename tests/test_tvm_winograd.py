"""Convolutions of 3 x 3 by Winograd's algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import forerun
from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.errors import InputError, UsageError
from forerun.toolchains.tvm import extract as tasks
from forerun.toolchains.tvm import frontends, reference
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._winograd import POINTS, Convolution, transforms
from forerun.toolchains.tvm.network import flat
from forerun.toolchains.tvm.space import Program
from forerun.toolchains.tvm.text import described, prompt

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")
ONE = {"kind": "llvm", "num-cores": 1}


@pytest.mark.parametrize("points", [(0, 1, -1), (0, 1, -1, 2, -2), POINTS, (0, 1, -1, 2, -2, Fraction(1, 2), 3)])
def test_sums_of_three_neighbours_come_out(points: Sequence[int | Fraction]) -> None:
    data, weights, result = transforms([Fraction(point) for point in points])
    draw = np.random.default_rng(0)
    d, g = draw.standard_normal(len(points) + 1), draw.standard_normal(3)
    expected = [d[place : place + 3] @ g for place in range(len(points) - 1)]
    assert np.allclose(result @ ((weights @ g) * (data @ d)), expected, rtol=1e-10, atol=1e-10)


class Residual(nn.Module):
    """A convolution to which its input is added."""

    def __init__(self, channels: int, padding: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(channels, channels, 3, padding=padding)

    def forward(self, x: Any) -> Any:
        return torch.relu(self.convolution(x) + x)


def ran(network: Any, shape: Sequence[int], layout: str) -> tuple[Sequence[tasks.Extracted], Any, float]:
    """The programs, the result, and its largest error as a share of the largest result in float64."""
    torch.manual_seed(0)
    network, x = network.eval(), torch.randn(*shape)
    target = tvm.target.Target(ONE)
    found = tasks.extract(frontends.from_torch(network, (x,)), target, layout)
    assert not found.left_out
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target), tvm.cpu())
    (made,) = flat(machine["main"](tvm.runtime.tensor(x.numpy())))
    exact = deepcopy(network).double()(x.double()).detach().numpy()
    return found.workloads, made, float(np.abs(made - exact).max() / np.abs(exact).max())


def computed(network: Any, shape: Sequence[int], layout: str = tasks.WINOGRAD) -> tuple[list[str], list[str], float]:
    """The names of the programs, their texts, and the error."""
    found, _, error = ran(network, shape, layout)
    return [one.name for one in found], [one.text for one in found], error


@pytest.mark.parametrize(
    "network, shape",
    [
        (nn.Sequential(nn.Conv2d(32, 48, 3, padding=1), nn.ReLU()), (1, 32, 16, 16)),
        (nn.Conv2d(32, 32, 3, bias=False), (2, 32, 19, 14)),
        (nn.Conv2d(64, 32, 3, padding=(2, 0)), (1, 64, 9, 21)),
        (nn.Sequential(nn.ZeroPad2d((0, 1, 2, 1)), nn.Conv2d(32, 32, 3)), (3, 32, 11, 13)),
        (Residual(32, "same"), (1, 32, 20, 17)),
        (nn.Sequential(nn.Conv2d(48, 48, 3, padding=1), nn.BatchNorm2d(48), nn.SiLU()), (1, 48, 15, 15)),
    ],
)
def test_convolutions_are_those_of_pytorch(network: Any, shape: Sequence[int]) -> None:
    names, _, error = computed(network, shape)
    assert sum("winograd" in name for name in names) == 2 and "matmul" in names and error < 1e-5
    assert not any("conv2d" in name for name in names)
    names, _, direct = computed(network.float(), shape, tasks.CHANNELS_LAST)
    assert any("conv2d" in name for name in names) and error < 10 * direct


@pytest.mark.parametrize(
    "network, shape",
    [
        (nn.Conv2d(64, 64, 3, stride=2, padding=1), (1, 64, 32, 32)),
        (nn.Conv2d(64, 64, 3, dilation=2), (1, 64, 32, 32)),
        (nn.Conv2d(64, 64, 3, groups=4), (1, 64, 32, 32)),
        (nn.Conv2d(64, 64, 5), (1, 64, 32, 32)),
        (nn.Conv2d(64, 64, (3, 1)), (1, 64, 32, 32)),
        (nn.Conv2d(3, 32, 3), (1, 3, 32, 32)),
        (nn.Conv2d(256, 256, 3, padding=1), (1, 256, 6, 6)),
    ],
)
def test_other_convolutions_are_sums_of_products(network: Any, shape: Sequence[int]) -> None:
    names, _, error = computed(network, shape)
    assert any("conv2d" in name for name in names) and not any("winograd" in name for name in names) and error < 1e-5


def test_weights_that_are_inputs_are_not_taken_apart() -> None:
    class Given(nn.Module):
        def forward(self, x: Any, weights: Any) -> Any:
            return nn.functional.conv2d(x, weights, padding=1)

    inputs = torch.randn(1, 32, 16, 16), torch.randn(32, 32, 3, 3)
    found = tasks.extract(frontends.from_torch(Given(), inputs), tvm.target.Target(ONE), tasks.WINOGRAD)
    assert [one.name for one in found.workloads] == ["conv2d"]


def test_sums_of_whole_numbers_stay_exact() -> None:
    network = nn.Conv2d(64, 32, 3, padding=1, bias=False).eval()
    network.weight.data = torch.randint(-128, 128, network.weight.shape).float()
    x = torch.randint(-128, 128, (1, 64, 16, 16)).float()
    target = tvm.target.Target(ONE)
    found = tasks.extract(frontends.from_torch(network, (x,)), target, tasks.WINOGRAD)
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target), tvm.cpu())
    (made,) = flat(machine["main"](tvm.runtime.tensor(x.numpy())))
    assert np.array_equal(made, network.double()(x.double()).detach().numpy())


def test_what_is_saved_is_known_beforehand() -> None:
    padding = (1, 1, 1, 1)
    assert Convolution((1, 56, 56, 64), 64, padding).worth and Convolution((1, 14, 14, 256), 256, padding).worth
    assert not Convolution((1, 7, 7, 512), 512, padding).worth  # 38 MB of weights
    assert Convolution((8, 7, 7, 512), 512, padding).worth  # which eight samples share
    assert not Convolution((1, 224, 224, 3), 64, padding).worth  # most of it is to put the tiles together
    assert Convolution((1, 9, 8, 4), 6, (0, 1, 2, 3)).result == (1, 9, 10, 6)


def test_their_programs_are_scheduled_and_checked_as_any_other() -> None:
    _, texts, _ = computed(Residual(32, 1), (1, 32, 18, 18))
    texts = [text for text in texts if 'sblock("columns")' in text or 'sblock("tiles")' in text]
    assert len(texts) == 2
    for text in texts:
        program = Program(Source(text, LANGUAGE, "it", targets.here(1)))
        function = program.module["main"]
        inputs = reference.inputs(function, 0)
        (expected,) = reference.evaluate(function, inputs)
        assert "space 0" in prompt(program) and len(described(text)[0]) > 2
        assert len(text) < 20_000  # parsing it takes most of the time of reading a network
        for plan in program.random(3, 0):
            built = tasks.built(program.scheduled(plan).mod, targets.made(targets.here(1)))
            made = tvm.runtime.tensor(np.zeros(expected.shape, np.float32))
            built["main"](*(tvm.runtime.tensor(array) for array in inputs), made)
            assert reference.agrees(made.numpy(), expected, reference.terms(function))


def test_a_network_is_tuned_with_them(tmp_path: Path) -> None:
    network, inputs = nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.ReLU()).eval(), (torch.randn(1, 32, 12, 12),)
    asked: dict[str, Any] = {"inputs": inputs, "target": "llvm:1", "trials": 8, "store": tmp_path / "trials"}
    tuned = forerun.tune(network, output=tmp_path / "tuned", **asked)
    names = {kernel.name for kernel in tuned.kernels}
    assert {"winograd_apart", "matmul"} < names and not any("conv2d" in name for name in names)
    assert tuned.comparison is not None and max(tuned.comparison.errors.values()) < 1e-4
    with pytest.raises(UsageError) as refused:
        forerun.tune(network, output=tmp_path / "tuned", layout=tasks.CHANNELS_LAST, **asked)
    assert "other programs" in refused.value.why


def test_where_numbers_spread_a_plainer_layout_is_named(tmp_path: Path) -> None:
    x = torch.randn(1, 32, 16, 16)
    x[0, 0, 5, 5] = np.inf
    asked: dict[str, Any] = {"inputs": (x,), "target": "llvm:1", "trials": 1, "store": tmp_path / "trials"}
    network = nn.Conv2d(32, 32, 3, padding=1).eval()
    with pytest.raises(InputError, match="does not compute") as refused:
        forerun.tune(network, output=tmp_path / "tuned", **asked)
    assert "--layout channels-last or given" in refused.value.todo
    assert forerun.tune(network, output=tmp_path / "plain", layout=tasks.CHANNELS_LAST, **asked).kernels


def stores(first: str, second: str) -> Any:
    text = f"""
@T.prim_func(s_tir=True)
def main(a: T.Buffer((8,), "float32"), b: T.Buffer((16,), "float32")):
    for i in range(8):
        with T.sblock("both"):
            v = T.axis.spatial(8, i)
            T.reads(a[v])
            T.writes(b[0:16])
            b[{first}] = a[v] + T.float32(1)
            b[{second}] = a[v] * T.float32(2)
"""
    return tvm.script.from_source(text)


def test_several_elements_of_a_buffer_are_written_at_once() -> None:
    a = np.arange(8, dtype=np.float32)
    (b,) = reference.evaluate(stores("v * 2", "v * 2 + 1"), [a])
    assert np.array_equal(b, np.stack([a + 1, a * 2], 1).reshape(16))


@pytest.mark.parametrize("first, second", [("v", "v"), ("v", "v + 7"), ("v * 2", "v * 2 + 2"), ("v * 2", "v")])
def test_an_element_that_may_be_written_twice_is_refused(first: str, second: str) -> None:
    with pytest.raises(InputError, match="cannot be evaluated") as raised:
        reference.evaluate(stores(first, second), [np.zeros(8, np.float32)])
    assert "twice" in raised.value.why
