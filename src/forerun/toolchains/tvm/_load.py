"""The library TVM, imported where it is first needed."""

from __future__ import annotations

from typing import Any


def load() -> Any:
    """The module `tvm`."""
    import tvm

    return tvm
