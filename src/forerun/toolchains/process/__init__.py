"""Processes: any program in any language, run shut in, as the checker of what programs cost.

`languages` knows how each language is compiled and run, `runner` does it, `jail` is what it is done in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from forerun.core import Tool, Toolchain
from forerun.toolchains.process import runner
from forerun.toolchains.process.languages import LANGUAGES, find


class Process(Toolchain):
    """The languages whose programs can be measured on this machine."""

    name: ClassVar[str] = "process"
    # A machine without some language measures the others, and `optimize` needs none of them.
    needed: ClassVar[frozenset[str]] = frozenset()

    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """What programs are shut in by, and a compiler or interpreter a language."""
        return {"sandbox": runner.sandbox, **{name: partial(find, name) for name in LANGUAGES}}
