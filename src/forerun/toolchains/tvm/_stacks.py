"""Who called TVM's words for a program, told without searching every module that was imported.

`inspect.stack` looks each file of the stack up among all modules: 20 to 70 ms, twice for each text that TVM reads and
once for each of its tensor intrinsics, which took 25 of 27 seconds.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
import sys
import types
from typing import Any

_ASKING = tuple(f"tvm.{name}.entry" for name in ("tirx.script.parser", "script.parser.ir", "relax.script.parser"))
"""TVM's modules that ask."""


class _Inspect(types.ModuleType):
    """The module `inspect`, but for the stack."""

    def __getattr__(self, name: str) -> Any:
        return getattr(inspect, name)

    @staticmethod
    def stack(context: int = 1) -> list[inspect.FrameInfo]:
        """The callers, the nearest first, each with its line where that is known."""
        found, frame = [], sys._getframe(1)
        while frame is not None:
            code, number = frame.f_code, frame.f_lineno
            line = linecache.getline(code.co_filename, number, frame.f_globals) if context else ""
            known = ([line], 0) if line else (None, None)
            found.append(inspect.FrameInfo(frame, code.co_filename, number, code.co_name, *known))
            frame = frame.f_back  # type: ignore[assignment]
        return found


def register() -> None:
    """From now on TVM's parsers ask here."""
    for name in _ASKING:
        importlib.import_module(name).inspect = _Inspect("inspect")  # type: ignore[attr-defined]
