"""How a program runs, in one line: `gcc 12 -O2; x86_64 Intel Xeon; stdin 9f86d081884c7d65 of 12 B`."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forerun.sandbox import installed_bytes
from forerun.toolchains.process.languages import Language, find, version_class


@dataclass(frozen=True, slots=True)
class Target:
    """The tool as far as it matters for cost, the machine, and what the program reads."""

    tool: str
    device: str
    stdin: str = ""
    """Digest and length of its input; empty where there is none."""

    def __str__(self) -> str:
        return "; ".join(part for part in (self.tool, self.device, self.stdin and f"stdin {self.stdin}") if part)

    @classmethod
    def parse(cls, text: str) -> Target:
        """The inverse of `str`. Raises ValueError."""
        tool, device, *rest = text.split("; ")
        if len(rest) > 1 or not all(part.startswith("stdin ") for part in rest):
            raise ValueError(f"not how a program runs: {text!r}")
        return cls(tool, device, rest[0].removeprefix("stdin ") if rest else "")

    @classmethod
    def here(cls, language: Language, stdin: bytes | None = None, device: str = "") -> Target:
        """This machine's. Raises ToolMissing where the language has no tool here."""
        read = "" if stdin is None else f"{hashlib.sha256(stdin).hexdigest()[:16]} of {len(stdin)} B"
        return cls(tool_of(language), device.replace(";", ",") or this_device(), read)


def tool_of(language: Language) -> str:
    """The language's tool on this machine: name, version as far as it matters, optimisation. Raises ToolMissing."""
    return f"{version_class(find(language.name))} {language.level}".strip()


@cache
def this_device() -> str:
    """This machine: the architecture, the processor's model, and how many of it and how much memory programs see.

    The last two belong to it because the runtimes of Java, Go and others choose their heap by them.
    """
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").is_file() else ""
    memory = installed_bytes() / (1 << 30)
    words = [platform.machine(), *processor(text), f"{os.cpu_count()} cores {memory:.0f} GiB"]
    return " ".join(words)


def processor(text: str) -> list[str]:
    """The words that name the processor in what Linux says of it (`/proc/cpuinfo`). Where its name has no number, as in
    many virtual machines, its family and model tell generations apart: of two EPYCs one took 1.4 times as long. An
    AArch64 has no name there, but who made it and which parts it has, several where some cores are larger.
    """
    said = dict(re.findall(r"^(model name|cpu family|model|CPU implementer)\s*: (.*)$", text, re.MULTILINE))
    words = re.sub(r"\((?:R|TM|r|tm)\)|CPU|Processor|@.*|;", " ", said.get("model name", "")).split()
    if words and not re.search(r"\d", " ".join(words)) and {"cpu family", "model"} <= set(said):
        words += ["family", said["cpu family"], "model", said["model"]]
    if "CPU implementer" in said:
        parts = dict.fromkeys(re.findall(r"^CPU part\s*: (\S+)$", text, re.MULTILINE))
        words += ["implementer", said["CPU implementer"], "part", *parts]
    return words
