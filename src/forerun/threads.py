"""Calls side by side, of libraries that let other threads run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from forerun.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def too_many(threads: int, most: int, other: str = "") -> UsageError:
    """The error about threads that are more than the cores for them; `other` is what else may be asked for."""
    there, ask = ("one core is", "ask for 1") if most == 1 else (f"{most} cores are", f"ask for 1 to {most}")
    return UsageError(f"{threads} thread{'s' * (threads != 1)}", f"{there} there for it", f"{ask}{other}")


def mapped(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """`work` of each item, in their order, on all cores. Raises what the first one raises."""
    if cores() == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(cores()) as threads:
        return list(threads.map(work, items))
