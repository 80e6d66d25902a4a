"""The errors a user can meet.

    ForerunError            exit 1   something failed
    ├── InputError          exit 1   the given file cannot be read, parsed or compiled
    ├── UsageError          exit 2   the request itself is wrong
    ├── ToolMissing         exit 3   a tool is absent or has the wrong version
    └── GateFailed          exit 4   the answer exists, but does not pass the asked condition

A candidate that fails is not an error: it is a `Measurement` with its `error` set.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable
from pathlib import Path


class ForerunError(Exception):
    """What happened, why, and what to do next: one line each."""

    exit_code = 1

    def __init__(self, what: str, why: str, todo: str) -> None:
        self.what, self.why, self.todo = what, why, todo
        super().__init__(what)

    def __reduce__(self) -> tuple[type[ForerunError], tuple[str, str, str]]:
        """Errors travel between processes."""
        return type(self), (self.what, self.why, self.todo)

    def __str__(self) -> str:
        return f"{self.what}\n{self.why}\n{self.todo}"


class InputError(ForerunError):
    """A file given by the user cannot be read, parsed or compiled."""


class UsageError(ForerunError):
    """The request is wrong: an unknown name, a bad option, a contradiction."""

    exit_code = 2


class ToolMissing(ForerunError):
    """A tool that the request needs is absent or has the wrong version."""

    exit_code = 3


class GateFailed(ForerunError):
    """An answer was found, but it fails the condition that was asked for."""

    exit_code = 4


def reason(error: BaseException) -> str:
    """Why it came to another error, in one line: of the system's errors its words, without their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{Path(error.filename).name}: {error.strerror}" if isinstance(error.filename, str) else error.strerror
    first, *more = (line.strip() for line in str(error).strip().split("\n"))
    return (f"{first} {more[0]}" if first.endswith(":") and more else first) or type(error).__name__


def out_of_memory(error: BaseException | None) -> bool:
    """Whether memory did not suffice: for Python, for a library to be loaded, or in the words of one."""
    said = "failed to map segment|allocate|allocation|bad.alloc|can't start new thread"
    while error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        if not isinstance(error, ForerunError) and re.search(said, str(error), re.IGNORECASE):
            return True
        error = error.__cause__ or error.__context__
    return False


def meant(name: str, known: Iterable[str], alike: float, most: int = 1, show: Callable[[str], str] = repr) -> str:
    """What to do next about a name that is not known: `did you mean 'this'?`, of at most so many that are so much alike
    (from 0 to 1), but for capitals where none is, as they are shown; empty where none is."""
    from difflib import get_close_matches  # which takes longer to import than most answers to find

    names = list(known)
    small = {each.casefold(): each for each in names}
    near = get_close_matches(name, names, most, alike) or [
        small[each] for each in get_close_matches(name.casefold(), small, most, alike)
    ]
    return f"did you mean {' or '.join(map(show, near))}?" if near else ""
