"""What a user may say of a question, and what clang understands of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forerun.errors import UsageError
from forerun.toolchains.llvm.target import LEVELS


@dataclass(frozen=True, slots=True)
class Options:
    """What to ask. Empty fields are filled from what the file is and what the model was trained on.

    `flags` are the compiler's, of C and C++ whose `size` is asked for; `stdin` is what a program reads; `sizes` are
    those that an ONNX model leaves open.
    """

    metrics: tuple[str, ...] = ()
    device: str = ""
    language: str = ""
    flags: tuple[str, ...] = ()
    stdin: bytes | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def read(self) -> bytes:
        """What a program is told to read, nothing where nobody said; an empty input is told as an empty line: what goes
        through it is known, and as good as nothing."""
        return self.stdin or (b"" if self.stdin is None else b"\n")


def level_of(flags: Sequence[str]) -> str:
    """The last one that is named, as clang reads it; z where there is none. Raises UsageError, for -O0 too: no object
    of it was learned from."""
    named = next((flag.removeprefix("-O") for flag in reversed(flags) if flag.startswith("-O")), "z")
    level = {"": "1", "g": "1", "fast": "3", "4": "3"}.get(named, named)
    known = [one for one in LEVELS if one != "0"]
    if level not in known:
        why = f"levels: {', '.join(f'-O{one}' for one in known)}"
        raise UsageError(f"-O{named} is no level that a model knows", why, "name one of them behind --")
    return level
