"""The laws of a toolchain."""

from __future__ import annotations

from pathlib import Path

from forerun.core import Toolchain
from forerun.errors import ToolMissing


def check_toolchain(toolchain: Toolchain) -> None:
    """Finds the same tools twice; what is missing says how to install it; the needed ones are among its tools."""
    tools = toolchain.tools()
    assert toolchain.needed <= set(tools), f"{toolchain.name}: a needed tool is not among its tools"
    for name, find in tools.items():
        try:
            found = find()
        except ToolMissing as error:
            assert "install" in f"{error.todo}", f"{toolchain.name}: {name} is missing, and nothing says how to get it"
            continue
        assert found == find(), f"{toolchain.name}: {name} is found twice, differently"
        assert found.name == name, f"{toolchain.name}: {name} calls itself {found.name}"
        assert found.version, f"{toolchain.name}: {name} has no version"
        assert Path(found.path).name, f"{toolchain.name}: {name} has no path"
