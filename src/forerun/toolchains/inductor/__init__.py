"""TorchInductor: the kernels that PyTorch's compiler makes of networks, C++ for processors and Triton for GPUs.

`capture` has it write the kernels of a network, `kernel` and `text` say what they are, `native` builds and times C++,
`gpu` does so with Triton.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from forerun.core import Tool, Toolchain
from forerun.toolchains.inductor import target


class Inductor(Toolchain):
    """PyTorch's compiler, and the library that the networks come from."""

    name: ClassVar[str] = "inductor"
    # Whoever shrinks programs needs neither.
    needed: ClassVar[frozenset[str]] = frozenset()

    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """The compiler, and the networks."""
        return {"torch": target.compiler, "transformers": target.networks}
