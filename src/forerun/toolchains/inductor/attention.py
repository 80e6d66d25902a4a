"""Which attention PyTorch calls on an NVIDIA GPU, and how, without the driver that its own dispatcher asks.

It is what `aten/src/ATen/native/transformers/attention.cpp` and `cuda/sdp_utils.cpp` beside it do in release 2.11 for
CUDA 13, on GPUs of compute capability 8.0 and more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_LEAST = -65504.0
"""What cuDNN is given where nothing is to be seen: it takes no infinity."""


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of `scaled_dot_product_attention`: batch x heads x length x width."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None = None
    dropout: float = 0.0
    causal: bool = False
    scale: float | None = None
    grouped: bool = False

    @property
    def all(self) -> tuple[Tensor, Tensor, Tensor]:
        """What is multiplied."""
        return self.query, self.key, self.value

    @property
    def learns(self) -> bool:
        """Whether a backward pass follows."""
        return torch.is_grad_enabled() and any(each.requires_grad for each in self.all)


@contextmanager
def chosen(major: int) -> Iterator[None]:
    """Attention is what a GPU of that compute capability gets, for a while."""

    def attention(*plain: Any, scale: float | None = None, enable_gqa: bool = False) -> Any:
        call = replace(Call(*plain), scale=scale, grouped=enable_gqa)
        return _CALLS[choose(call, major)](call)

    with torch.library._scoped_library("aten", "IMPL") as library:
        library.impl("scaled_dot_product_attention", attention, "AutogradCUDA")
        yield


def choose(call: Call, major: int) -> str:
    """`cudnn`, `flash`, `efficient` or `math`."""
    if not all(each.dim() == 4 for each in call.all):
        return "math"
    if major in (9, 10) and torch._C._get_cudnn_sdp_enabled() and _suits_cudnn(call):
        return "cudnn"
    if torch._C._get_flash_sdp_enabled() and _suits_flash(call):
        return "flash"
    return "efficient" if torch._C._get_mem_efficient_sdp_enabled() and _suits_efficient(call) else "math"


def _suits_cudnn(call: Call) -> bool:
    widths = call.query.size(3), call.value.size(3)
    return (
        call.query.dtype in _HALF
        and _covers(call)
        and _regular(call, narrow=True)
        and (_divided(call, call.key) and _divided(call, call.value) if call.grouped else _same_heads(call))
        and all(width <= 256 and width % 8 == 0 for width in widths)
        and call.key.size(2) != 1
        and not (call.query.size(2) == 1 and call.dropout)
    )


def _suits_flash(call: Call) -> bool:
    width = call.query.size(3)
    return (
        call.query.dtype in _HALF
        and call.mask is None
        and width == call.key.size(3) == call.value.size(3)
        and width <= 256
        and not (call.causal and call.query.size(2) != call.key.size(2))
        and _regular(call, narrow=True)
        and (call.key.size(1) == call.value.size(1) and _divided(call, call.key) if call.grouped else _same_heads(call))
    )


def _suits_efficient(call: Call) -> bool:
    step = 8 if call.query.dtype in _HALF else 4
    widths = call.query.size(3), call.value.size(3)
    return (
        call.query.dtype in (*_HALF, torch.float32)
        and widths[0] == call.key.size(3)
        and all(width % step == 0 and width > 0 for width in widths)
        and _regular(call, narrow=False)
        and _same_heads(call)
    )


def _regular(call: Call, narrow: bool) -> bool:
    """One batch, some positions, and each row in one piece; `narrow`: or of one element."""
    dense = all(each.stride(-1) == 1 for each in call.all) or (narrow and call.query.size(3) == 1)
    return (
        call.query.size(0) == call.key.size(0) == call.value.size(0)
        and call.query.size(2) != 0
        and call.key.size(2) != 0
        and dense
        and (call.mask is None or call.mask.stride(-1) == 1)
    )


def _same_heads(call: Call) -> bool:
    return call.query.size(1) == call.key.size(1) == call.value.size(1)


def _divided(call: Call, part: Tensor) -> bool:
    return call.query.size(1) % part.size(1) == 0


def _covers(call: Call) -> bool:
    """Whether cuDNN can repeat the mask along what it lacks."""
    mask, (batch, heads, rows, _) = call.mask, call.query.shape
    if mask is None:
        return True
    if mask.requires_grad or mask.size(-2) not in (rows, 1) or mask.size(-1) not in (call.key.size(2), 1):
        return False
    return mask.dim() == 2 or (mask.dim() == 4 and mask.size(0) in (1, batch) and mask.size(1) in (1, heads))


def _bias(call: Call, least: float = -math.inf) -> Tensor | None:
    """What is added: nothing where the mask is true, `least` where not."""
    mask = call.mask
    if mask is None or mask.dtype != torch.bool:
        return mask
    hidden = _aten.scalar_tensor.default(least, dtype=call.query.dtype, device=mask.device)
    return _aten.where.ScalarSelf(mask, 0.0, hidden)  # type: ignore[no-any-return]


def _cudnn(call: Call) -> Any:
    bias, rest = _bias(call, _LEAST), (call.dropout, call.causal, False)
    return _aten._scaled_dot_product_cudnn_attention.default(*call.all, bias, call.learns, *rest, scale=call.scale)[0]


def _flash(call: Call) -> Any:
    width, rest = call.query.size(3), (call.dropout, call.causal, False)
    scale = 1 / math.sqrt(width) if call.scale is None else call.scale
    found = _aten._scaled_dot_product_flash_attention.default(*map(_padded, call.all), *rest, scale=scale)[0]
    return found if found.size(-1) == width else _aten.slice.Tensor(found, -1, 0, width)


def _efficient(call: Call) -> Any:
    bias, rest = _bias(call), (call.dropout, call.causal)
    if bias is not None:
        if not _aligned(bias):
            bias = _aten.slice.Tensor(_longer(bias), -1, 0, bias.size(-1))
        bias = bias.expand(*call.query.shape[:3], call.key.size(2))
    return _aten._scaled_dot_product_efficient_attention.default(*call.all, bias, call.learns, *rest, scale=call.scale)[
        0
    ]


def _math(call: Call) -> Any:
    rest = _bias(call), call.dropout, call.causal, None
    return _aten._scaled_dot_product_attention_math.default(
        *call.all, *rest, scale=call.scale, enable_gqa=call.grouped
    )[0]


_CALLS: Mapping[str, Any] = MappingProxyType({"cudnn": _cudnn, "flash": _flash, "efficient": _efficient, "math": _math})


def _padded(tensor: Tensor) -> Tensor:
    """Rows of a multiple of 8 elements."""
    return _longer(tensor) if tensor.size(-1) % 8 else tensor


def _longer(tensor: Tensor) -> Tensor:
    """Rows of the next multiple of 8 elements."""
    return _aten.pad.default(tensor, [0, 8 - tensor.size(-1) % 8])  # type: ignore[no-any-return]


def _aligned(bias: Tensor) -> bool:
    """Whether every row begins at a multiple of 8 elements, as far as that is known."""
    *outer, inner = bias.stride()
    return all(isinstance(stride, int) and stride % 8 == 0 for stride in outer) and inner == 1
