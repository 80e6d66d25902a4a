"""ONNX: networks as graphs, read, written as text, counted, and timed by onnxruntime.

`model` and `reading` turn a file into a Graph (`graph`), `text` and `counts` read it, `build` writes one, `run` times
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from forerun.core import Tool, Toolchain
from forerun.toolchains.onnx import target


class Onnx(Toolchain):
    """Neural networks as ONNX files, on this machine's processor."""

    name: ClassVar[str] = "onnx"
    # Whoever shrinks programs needs neither.
    needed: ClassVar[frozenset[str]] = frozenset()

    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """The reader of files, and the runtime."""
        return {"onnx": target.reader, "onnxruntime": target.runtime}
