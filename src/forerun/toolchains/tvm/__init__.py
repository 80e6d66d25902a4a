"""TVM: tensor programs, their design spaces, and what a schedule makes of them on this machine.

`space` has the design spaces and replays decisions, `text` is what models read, `measure` builds, checks and times,
`reference` computes a program in NumPy, `extract` finds programs in networks, `target` describes the hardware.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from forerun.core import Tool, Toolchain
from forerun.toolchains.tvm import _load


class Tvm(Toolchain):
    """Apache TVM, which compiles tensor programs and runs them here."""

    name: ClassVar[str] = "tvm"
    # Only who tunes tensor programs needs it.
    needed: ClassVar[frozenset[str]] = frozenset()

    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """The compiler."""
        return {"tvm": _load.found}
