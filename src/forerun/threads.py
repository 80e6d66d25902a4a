"""Calls side by side, of libraries that let other threads run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def mapped(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """`work` of each item, in their order, on all cores. Raises what the first one raises."""
    if cores() == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(cores()) as threads:
        return list(threads.map(work, items))
