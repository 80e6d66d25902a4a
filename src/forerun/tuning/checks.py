"""Arguments of `tune` that cannot be meant, told before the work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral

from forerun.core import Model
from forerun.errors import UsageError
from forerun.models._proposer import check as check_proposer
from forerun.toolchains.tvm.extract import LAYOUTS
from forerun.tuning.requests import Shapes


def check(
    trials: int | None, per_task: int | None, seed: int, target: str, layout: str, proposer: str | Model | None,
    shapes: Shapes,
) -> None:  # fmt: skip
    """Raises UsageError."""
    for name, value in (("trials", trials), ("trials of a task", per_task)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
            raise UsageError(f"{name}: {value!r:.60}", "it is no whole number", "for example: 64")
        if value is not None and value < 1:
            raise UsageError(f"{name}: {value!r}", "there is nothing to measure", "give a whole number above 0")
    if not isinstance(seed, Integral):
        raise UsageError(f"seed: {seed!r}", "it is no whole number", "for example: 0")
    if not isinstance(target, str):
        raise UsageError(f"target: {target!r}", "it is no text", 'for example: "llvm", or json.dumps of a mapping')
    if not isinstance(shapes, Mapping):
        raise UsageError(f"shapes: {shapes!r:.60}", "it is no mapping", 'for example: {"x": (1, 3, 224, 224)}')
    if layout not in LAYOUTS:
        raise UsageError(f"layout: {layout!r}", "there is no such layout", f"take one of: {', '.join(LAYOUTS)}")
    for name, size in shapes.items():
        if isinstance(size, str) or not isinstance(size, Sequence) or not all(isinstance(one, int) for one in size):
            raise UsageError(
                f"shapes: {name}: {size!r}", "it is no shape", f'for example: {{"{name}": (1, 3, 224, 224)}}'
            )
    if proposer is not None:
        check_proposer(proposer)


def check_places(places: Mapping[str, object]) -> None:
    """Of what names a folder, a file or a machine. Raises UsageError."""
    for name, given in places.items():
        fitting = isinstance(given, str) or (isinstance(given, os.PathLike) and name != "rpc")
        if given is not None and not fitting:
            example = "host:9090" if name == "rpc" else "tuned"
            raise UsageError(f"{name}: {given!r:.60}", "it is no text", f'for example: "{example}"')
