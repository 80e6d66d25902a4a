"""Where a network runs, in one line: `onnxruntime 1.31; x86_64 Intel Xeon 2 cores 8 GiB; 1 thread`, or a recorded
device's name alone: `pixel3`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from forerun.core import Tool
from forerun.errors import ToolMissing
from forerun.threads import cores, too_many
from forerun.toolchains.process.target import this_device


@dataclass(frozen=True, slots=True)
class Target:
    """The runtime as far as it matters for time, empty where somebody else measured; the machine; its threads."""

    device: str
    tool: str = ""
    threads: int = 1

    def __str__(self) -> str:
        return f"{self.tool}; {self.device}; {_threads(self.threads)}" if self.tool else self.device

    @property
    def where(self) -> str:
        """The machine and its threads, as a model reads it."""
        return f"{self.device}, {_threads(self.threads)}" if self.tool else self.device

    @classmethod
    def parse(cls, text: str) -> Target:
        """The inverse of `str`. Raises ValueError."""
        parts = text.split("; ")
        if len(parts) == 1 and text:
            return cls(text)
        number, _, word = parts[-1].partition(" ")
        if len(parts) != 3 or word not in ("thread", "threads") or not number.isdigit():
            raise ValueError(f"not where a network runs: {text!r}")
        return cls(parts[1], parts[0], int(number))

    @classmethod
    def here(cls, threads: int = 1, device: str = "") -> Target:
        """This machine's. Raises ToolMissing without onnxruntime, UsageError for threads that it has not."""
        most = cores()
        if not 1 <= threads <= most:
            raise too_many(threads, most)
        return cls(device.replace(";", ",") or this_device(), release(runtime().version), threads)


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count != 1)}"


def release(version: str) -> str:
    """The runtime with its version as far as it matters."""
    return f"onnxruntime {'.'.join(version.split('.')[:2])}"


def runtime() -> Tool:
    """What runs networks. Raises ToolMissing."""
    return package("onnxruntime", "networks are timed by onnxruntime")


def imported() -> Any:
    """The module onnxruntime, which from 1.29 on would tell its makers what runs, and keep an identifier of the user:
    where the environment does not say otherwise that is switched off. Raises ImportError."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read once, when it is imported
    import onnxruntime

    return onnxruntime


def reader() -> Tool:
    """What reads their files. Raises ToolMissing."""
    return package("onnx", "ONNX models need onnx")


def package(name: str, what: str, extra: str = "", todo: str = "") -> Tool:
    """A Python package that is installed, without importing it. Raises ToolMissing, which names what brings it: the
    package, an extra of it, or what is said."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except PackageNotFoundError as error:
        why = f"no package {name} is installed"
        brings = f"pip install 'forerun[{extra}]'" if extra else "pip install --force-reinstall forerun"
        raise ToolMissing(what, why, todo or brings) from error
    return Tool(name, found.version, str(found.locate_file(name)), "a Python package")
