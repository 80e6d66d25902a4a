"""How a module is emitted, in the words of stock `llc`: `x86_64-pc-linux-gnu -O2 --relocation-model=pic --addrsig`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

LEVELS = ("0", "1", "2", "3", "s", "z")
_RELOCATION = {"default": 0, "static": 1, "pic": 2, "dynamic-no-pic": 3, "ropi": 4, "rwpi": 5, "ropi-rwpi": 6}
_CODE_MODEL = {"default": 0, "tiny": 2, "small": 3, "kernel": 4, "medium": 5, "large": 6}


@dataclass(frozen=True, slots=True)
class Target:
    """A triple, the optimisation level of the user's compiler, and the options that `llc` needs to emit the same."""

    triple: str
    level: str = "z"
    options: tuple[str, ...] = ("--relocation-model=pic", "--addrsig")

    def __str__(self) -> str:
        return shlex.join([self.triple, f"-O{self.level}", *self.options])

    @classmethod
    def parse(cls, text: str) -> Target:
        """The inverse of `str`. Raises ValueError."""
        triple, level, *options = shlex.split(text)
        if level.removeprefix("-O") not in LEVELS:
            raise ValueError(f"no such optimisation level: {level}")
        return cls(triple, level.removeprefix("-O"), tuple(options))

    def _option(self, name: str, default: str) -> str:
        prefix = f"--{name}="
        return next((o.removeprefix(prefix) for o in reversed(self.options) if o.startswith(prefix)), default)

    @property
    def codegen_level(self) -> int:
        """LLVMCodeGenOptLevel; the size levels generate code as -O2 does."""
        return int(self.level) if self.level.isdigit() else 2

    @property
    def relocation(self) -> int:
        """LLVMRelocMode."""
        return _RELOCATION.get(self._option("relocation-model", "default"), 0)

    @property
    def code_model(self) -> int:
        """LLVMCodeModel."""
        return _CODE_MODEL.get(self._option("code-model", "default"), 0)

    @property
    def cpu(self) -> str:
        """The processor for functions that name none."""
        return self._option("mcpu", "")

    @property
    def function_sections(self) -> bool:
        """Whether each function gets a section of its own."""
        return "--function-sections" in self.options

    def llc(self, program: str, bitcode: str, output: str) -> list[str]:
        """The command that emits the object with the stock tool."""
        return [program, f"-O{self.codegen_level}", "-filetype=obj", *self.options, bitcode, "-o", output]
