"""Networks with channels last: they compute the same, and nothing but inputs and outputs is reordered."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")
    torch = pytest.importorskip("torch")

from torch import nn
from torch.nn import functional

from forerun.toolchains.tvm import extract as tasks
from forerun.toolchains.tvm import frontends
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.network import flat, same

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")


class Between(nn.Module):
    """A convolution, a function, a convolution."""

    def __init__(self, function: Callable[[Any], Any], channels: int = 8) -> None:
        super().__init__()
        self.first, self.function, self.last = nn.Conv2d(3, 8, 3, padding=1), function, nn.Conv2d(channels, 4, 1)

    def forward(self, x: Any) -> Any:
        return self.last(self.function(self.first(x)))


def extracted(network: Any, *inputs: Any, layout: str = tasks.CHANNELS_LAST) -> tasks.Extraction:
    """What it computes is compared with PyTorch."""
    torch.manual_seed(0)
    target = tvm.target.Target({"kind": "llvm", "num-cores": 1})
    found = tasks.extract(frontends.from_torch(network.eval(), inputs), target, layout)
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target), tvm.cpu())
    made = flat(machine["main"](*(tvm.runtime.tensor(x.numpy()) for x in inputs)))
    assert same(made, flat(network(*inputs)))
    return found


def reordered(found: tasks.Extraction) -> int:
    """Programs that reorder axes."""
    return sum("transpose" in workload.name for workload in found.workloads)


def moved(x: Any) -> Any:
    """What looks at axes by their numbers."""
    x = torch.cat([x[:, ::2], x.flip(3)[:, 1::2]], 1) + x.mean((2, 3), keepdim=True).softmax(1)
    x = functional.interpolate(x, scale_factor=2.0) * x.sum(dtype=x.dtype) + torch.linspace(0, 1, 16)
    return sum(x.chunk(2, 1)).repeat(1, 2, 1, 1).cumsum(1) + functional.pad(x[:, :, 1:], (0, 0, 0, 1), value=2.0)


def normalised(x: Any) -> Any:
    x = functional.group_norm(x, 2, torch.ones(8), torch.zeros(8)) * functional.silu(x)
    return functional.layer_norm(x, x.shape[1:]) + functional.instance_norm(x) + functional.normalize(x, dim=1)


def attended(x: Any) -> Any:
    """Squeeze, excite, and put it into one row."""
    weights = functional.linear(x.mean((2, 3)), torch.eye(8)).sigmoid()
    x = (x * weights[:, :, None, None]).flatten(2).transpose(1, 2).softmax(-1)
    return x.transpose(1, 2).reshape(1, 8, 8, 8).squeeze(0).unsqueeze(0)


@pytest.mark.parametrize("function", [moved, normalised, attended])
def test_what_lies_between_convolutions_computes_the_same(function: Callable[[Any], Any]) -> None:
    assert any("conv2d_nhwc" in w.text for w in extracted(Between(function), torch.randn(1, 3, 8, 8)).workloads)


def test_only_inputs_and_outputs_are_reordered() -> None:
    """Paddings and clips, of which TVM knows no layout, residuals, pooling, groups."""

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8))
            self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.wide = nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=2)

        def forward(self, x: Any) -> Any:
            x = functional.relu6(self.stem(x))
            x = x + functional.hardswish(self.wide(functional.relu6(self.deep(x))))
            return functional.max_pool2d(x, 2)

    found = extracted(Residual(), torch.randn(1, 3, 16, 16))
    assert reordered(found) == 2 and not any("T.if_then_else" in w.text and "pool" in w.name for w in found.workloads)
    assert reordered(extracted(Residual(), torch.randn(1, 3, 16, 16), layout=tasks.GIVEN)) == 0


@pytest.mark.parametrize(
    "network, size",
    [
        (lambda: nn.Sequential(nn.Conv1d(3, 8, 3), nn.MaxPool1d(2), nn.Conv1d(8, 4, 3), nn.AvgPool1d(2)), (16,)),
        (lambda: nn.Sequential(nn.Conv3d(3, 4, 3), nn.ReLU(), nn.AvgPool3d(2), nn.Conv3d(4, 2, 1)), (6, 6, 6)),
        (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.ConvTranspose2d(4, 4, 3, 2), nn.Conv2d(4, 2, 1)), (6, 6)),
        (lambda: nn.Sequential(nn.ConstantPad2d(1, 1.0), nn.Conv2d(3, 4, 3), nn.ReflectionPad2d(1)), (6, 6)),
        (lambda: nn.Sequential(nn.ZeroPad2d((0, -1, 0, -1)), nn.Conv2d(3, 4, 3)), (6, 6)),
    ],
)
def test_other_convolutions_and_paddings_compute_the_same(network: Callable[[], Any], size: tuple[int, ...]) -> None:
    found = extracted(network(), torch.randn(1, 3, *size))
    assert any("nwc" in w.text or "nhwc" in w.text or "ndhwc" in w.text for w in found.workloads)


def test_where_weights_are_not_known_all_stays_as_it_is() -> None:
    class Given(nn.Module):
        def forward(self, x: Any, weight: Any) -> Any:
            return functional.conv2d(x, weight)

    found = extracted(Given(), torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3))
    assert reordered(found) == 0 and "conv2d_nchw" in found.workloads[0].text
