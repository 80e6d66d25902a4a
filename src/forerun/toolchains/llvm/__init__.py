"""LLVM: the compiler as a checker. `lib` finds and binds the library, `clang` drives the user's compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from forerun.core import Tool, Toolchain
from forerun.toolchains.llvm import clang, lib

STOCK = ("opt", "llc", "llvm-as", "llvm-mca")


class LLVM(Toolchain):
    """LLVM's library, clang, and the stock tools that a replay uses."""

    name: ClassVar[str] = "llvm"
    needed: ClassVar[frozenset[str]] = frozenset({"libLLVM", "clang"})

    def tools(self) -> Mapping[str, Callable[[], Tool]]:
        """The library and clang are needed; the stock tools serve `verify` and the objective `cycles`."""
        return {"libLLVM": _library, "clang": _clang, **{name: partial(_stock, name) for name in STOCK}}


def _library() -> Tool:
    location = lib.find()
    return Tool("libLLVM", str(location.major), location.path, location.how)


def _clang() -> Tool:
    compiler = clang.default_compiler()
    return Tool("clang", clang.compiler_version(compiler)[0], compiler, "the PATH")


def _stock(name: str) -> Tool:
    major = lib.find().major
    return Tool(name, str(major), clang.tool(name, major), "the PATH")
