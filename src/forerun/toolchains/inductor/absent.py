"""A GPU that is not here, by its properties: enough for Inductor to write the kernels that it would write there.

Tensors on it have shapes and no values; `presence` has PyTorch and Triton take it for one that is here. What Inductor
decides by a measurement cannot be had: `capture` has it decide nothing that way, where the GPU is here neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map_only

from forerun.toolchains.inductor.presence import PLACE, Gpu, on_gpu, present

KNOWN: Mapping[str, Gpu] = MappingProxyType(
    {
        gpu.name: gpu
        for gpu in (
            Gpu("NVIDIA H100 80GB HBM3", (9, 0), 132, 80 << 30, 50 << 20, 227 << 10),
            Gpu("NVIDIA H200", (9, 0), 132, 141 << 30, 50 << 20, 227 << 10),
            Gpu("NVIDIA A100-SXM4-80GB", (8, 0), 108, 80 << 30, 40 << 20, 163 << 10),
        )
    }
)
"""Some that are common, by their names. NVIDIA's tuning guides for Hopper and Ampere have the numbers."""


@contextmanager
def placed(gpu: Gpu, module: torch.nn.Module, inputs: Sequence[Any]) -> Iterator[list[Any]]:
    """A module's parameters and buffers stand on the GPU for a while; so do the inputs that it gives."""
    with present(gpu), _Shapes(allow_non_fake_inputs=True) as shapes, ExitStack() as stack:
        there: dict[int, torch.Tensor] = {}
        for part in module.modules():
            for owned in list[dict[str, Any]]((part._parameters, part._buffers)):
                stack.callback(owned.update, dict(owned))
                owned.update(
                    {name: each if each is None else shapes.moved(each, there) for name, each in owned.items()}
                )
        plain = [dict(each) if isinstance(each, Mapping) else list(each) for each in inputs]
        yield [tree_map_only(torch.Tensor, shapes.of, each) for each in plain]


class _Shapes(FakeTensorMode):  # type: ignore[no-untyped-call]
    """What is asked of the GPU gives shapes; the processor computes."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """As PyTorch calls it."""
        kwargs = kwargs or {}
        if any(isinstance(leaf, FakeTensor) or on_gpu(leaf) for leaf in tree_leaves((args, kwargs))):
            return super().__torch_dispatch__(function, types, args, kwargs)
        return function(*args, **kwargs)

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """Its shape on the GPU."""
        return self.from_tensor(tensor).to(PLACE)

    def moved(self, tensor: torch.Tensor, there: dict[int, torch.Tensor]) -> torch.Tensor:
        """A parameter or buffer on the GPU, the same one for the same one."""
        if id(tensor) not in there:
            shape = self.of(tensor.detach())
            is_parameter = isinstance(tensor, torch.nn.Parameter)
            there[id(tensor)] = torch.nn.Parameter(shape, tensor.requires_grad) if is_parameter else shape
        return there[id(tensor)]
