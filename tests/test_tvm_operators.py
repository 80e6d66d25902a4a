"""Operators of PyTorch that TVM lacks or imports as something else: values, shapes and types are PyTorch's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")
    torch = pytest.importorskip("torch")

from torch.nn import functional

from forerun.errors import InputError
from forerun.toolchains.tvm import frontends
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.network import flat

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")

Calls = dict[str, Callable[..., Any]]
INTEGERS = torch.tensor([[3, 1, 9, 4, 2], [7, 5, 1, 8, 6]])
TRUTHS = torch.arange(60).reshape(2, 5, 6) % 7 > 2
NUMBERS = torch.linspace(-3, 3, 2 * 10 * 32).sin().mul(3).reshape(2, 10, 32)
IMAGES = torch.linspace(-2, 2, 2 * 4 * 12 * 12).mul(9).cos().reshape(2, 4, 12, 12)
TURNS = torch.arange(10) % 4

PROMOTIONS: Calls = {
    "half": lambda a: a * 0.5,
    "quotient": lambda a: (a / 2, a / a, 1.5 - a, a + 1.5),
    "powers": lambda a: (a**0.5, a**2, 2**a, 2.0**a),
    "comparisons": lambda a: (a < 1.5, a == 1.5, torch.where(a > 3, a, 1.5), torch.minimum(a, a * 0.5)),
    "functions": lambda a: (a.sqrt(), a.exp(), a.sin(), a.log(), a.sigmoid(), a.reciprocal(), torch.erf(a)),
    "floors": lambda a: (a // 2, -a // 2, -a % 3, torch.div(-a, 2, rounding_mode="trunc")),
    "floors of numbers": lambda a: (a.float() // 2, torch.div(-a.float(), 2, rounding_mode="trunc")),
    "sums": lambda a: (a.sum(), a.sum(1), a.cumsum(1), a.prod(1), a.amax(1), a.max(1)),
    "clamped": lambda a: (a.clamp(min=3), a.clamp(max=3), a.clamp(2, 5), a.clamp(min=2.5)),
    "bits": lambda a: (a << 2, a >> 1, a << a % 3),
    "mixed": lambda a: (torch.cat([a, a.float()], 1), a.any(1), torch.isfinite(a), a @ a.T),
}
TRUTH: Calls = {
    "arithmetic": lambda a: (a + a, a * a, a * 2, a * 0.5, a == True, a.sum(1)),  # noqa: E712
    "reductions": lambda a: (a.any(), a.all(1), a.any(-1, keepdim=True), a.amax(1), a.max(1)[0], a.cumsum(1)),
    "puts": lambda a: (_put(a, a), _put(a, a[:, :, 0])),
}
ELEMENTS: Calls = {
    "units": lambda a: (functional.selu(a), functional.celu(a, 2.0), functional.elu(a, 1.5)),
    "functions": lambda a: (torch.erfc(a), torch.exp2(a), torch.logaddexp(a, a - 1), torch.isfinite(a / a)),
    "nan": lambda a: (_without_nan(a.sqrt()), _without_nan(a), a != a),
    "nan-counted": lambda a: (torch.count_nonzero(a.sqrt(), 0), a.sqrt() != a, a.sqrt().any(-1)),
    "clamped": lambda a: (a.clamp(min=0), a.clamp(max=0.5), a.clamp(-1, 1)),
    "largest": lambda a: (a.amax((1, 2), keepdim=True), a.amin(), a.max(1), a.min(-1, keepdim=True), a.logsumexp(-1)),
    "moments": lambda a: (torch.var_mean(a, -1), torch.std_mean(a, dim=(1, 2), unbiased=False), a[:, :3].prod(1)),
}
PLACES: Calls = {
    "from the end": lambda a: (a[:, -1], a[..., -2], a[:, [-1, 0]], a[:, -3:]),
    "several": lambda a: (
        a[:, torch.tensor([0, 1]), torch.tensor([3, -1])],
        a[torch.tensor([0, 1]), :, torch.tensor([3, 4])],
        a[:, torch.tensor([0, 1])[:, None], torch.tensor([3, -1])],
        a[torch.arange(2), torch.tensor([3, 4])],
    ),
    "windows": lambda a: (a.unfold(1, 4, 2), a.unfold(-1, 8, 8)),
    "puts": lambda a: (
        _put(a, (torch.tensor([0, 1]), torch.tensor([1, 3])), torch.ones(2, 32)),
        _put(a, (slice(None), torch.tensor([0, 2])), 3.0),
        _put(a, (slice(None), -1), 2.0),
        a.clone().index_put_((torch.tensor([0, 1, 0]), torch.ones(3, dtype=torch.long)), torch.ones(3, 32), True),
        torch.zeros(2, 10, 32).index_copy(1, torch.arange(10).flip(0), a),
    ),
    "sums": lambda a: (
        torch.zeros(4, 32).index_add(0, TURNS, a[0]),
        torch.zeros(2, 4, 32).index_add(1, TURNS, a),
        torch.zeros(2, 4, 32).scatter_add(1, TURNS[None, :, None].expand(2, 10, 32), a),
        torch.zeros(2, 10, 32).scatter(1, torch.zeros(1, 3, 32, dtype=torch.long), a),
        torch.zeros(2, 4, 32).scatter_reduce(1, TURNS[None, :, None].expand(2, 10, 32), a, "amax"),
    ),
}
RESIZED: Calls = {
    "pools": lambda a: (
        functional.adaptive_max_pool2d(a, 1),
        functional.adaptive_max_pool2d(a, (3, 5)),
        functional.max_pool2d(a, 2),
    ),
    "means": lambda a: (
        functional.avg_pool2d(a, 3, 2, 1, divisor_override=5),
        functional.avg_pool2d(a[0], 2),
        functional.group_norm(a, 2),
    ),
    "nearest": lambda a: (functional.interpolate(a, size=(7, 17)), functional.interpolate(a, scale_factor=2)),
    "smooth": lambda a: tuple(
        functional.interpolate(a, (5, 7), mode=m, antialias=True) for m in ("bilinear", "bicubic")
    ),
    "scaled": lambda a: tuple(
        functional.interpolate(
            a[..., :11], scale_factor=scale, mode=mode, **{"align_corners": False} if mode != "nearest" else {}
        )
        for mode in ("nearest", "bilinear", "bicubic")
        for scale in (1.7, (2.06, 2.0), 0.6)
    ),
    "cornered": lambda a: functional.interpolate(a, scale_factor=1.7, mode="bilinear", align_corners=True),
    "sampled": lambda a: tuple(
        functional.grid_sample(a, a[:, :2, :5, :6].permute(0, 2, 3, 1), mode, padding, align_corners=corners)
        for mode, padding, corners in (("bilinear", "zeros", False), ("nearest", "border", True))
    ),
    "columns": lambda a: (
        functional.unfold(a, 3, padding=1, stride=2),
        functional.fold(functional.unfold(a, 2, stride=2), (12, 12), 2, stride=2),
    ),
    "lines": lambda a: functional.interpolate(a[:, :, 0], scale_factor=2, mode="linear"),
}


def _put(a: Any, places: Any, values: Any = 0.5) -> Any:
    changed = torch.ones(a.shape) if a.dtype == torch.bool else a.clone()
    changed[places] = values
    return changed


def _without_nan(a: Any) -> Any:
    return torch.where(a != a, 0.0, a), a == a


class Called(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


@pytest.mark.parametrize(
    ("calls", "tensor"),
    [
        pytest.param(calls, tensor, id=name)
        for name, calls, tensor in (
            ("integers", PROMOTIONS, INTEGERS),
            ("truth values", TRUTH, TRUTHS),
            ("elements", ELEMENTS, NUMBERS),
            ("places", PLACES, NUMBERS),
            ("images", RESIZED, IMAGES),
        )
    ],
)
def test_a_network_computes_what_it_does_in_pytorch(calls: Calls, tensor: Any) -> None:
    whole = Called(lambda a: tuple(call(a) for call in calls.values()))
    program = tvm.relax.build(frontends.from_torch(whole, [tensor]), target="llvm")
    found = flat(tvm.relax.VirtualMachine(program, tvm.cpu())["main"](tvm.runtime.tensor(tensor.numpy())))
    names = [name for name, call in calls.items() for _ in flat(call(tensor))]
    wanted = flat(whole(tensor))
    assert len(found) == len(wanted)
    for name, ours, theirs in zip(names, found, wanted, strict=True):
        assert (name, ours.dtype, ours.shape) == (name, theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda a: functional.max_pool2d(a, 2, return_indices=True), "gives only the first is known"),
        (
            lambda a: torch.ones(9).scatter_reduce(0, torch.arange(9), a[0, 0, 0, :9], "sum", include_self=False),
            "alone",
        ),
    ],
)
def test_what_is_not_known_is_refused_instead_of_computed_otherwise(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(InputError) as caught:
        frontends.from_torch(Called(function), [IMAGES])
    assert why in caught.value.why
    assert "replace what is named" in caught.value.todo
