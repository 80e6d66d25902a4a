"""What a program that is gone through holds, and how long it works: the accounts of `forerun.tasks._used`."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from forerun.tasks._arrays import NUMBER, Array, Many, held, leaves, shape_of, weight
from forerun.tasks._lines import Accounts
from forerun.tasks._rules import Rules

LASTING = "g"
"""Kind of what stays from one step of a training to the next."""
_STEPS, _LOOKED = 40_000, 100
"""Nodes that are gone through, and things that are looked at in the time of one."""
MOST = 1e18
"""Bytes, elements, rounds."""
_SMALL, _SLIGHT = float(1 << 14), 1e-3
"""Bytes, and the share of the most so far, below which nobody looks how much is held."""
_MAPPED, _NEW_NS, _AGAIN_NS = 32e6, 0.3, 0.05
"""Bytes from which on memory is asked of the system each time; nanoseconds that a byte of it takes, and another one."""
_CALL_NS, _NODE_NS = 600.0, 25.0
"""Nanoseconds that NumPy takes for a call, and Python for a node of its tree."""


class Ended(Exception):
    """The steps are over."""


class Holding(Accounts, ABC):
    """Names in frames, and what expressions that are under way hold."""

    def __init__(self) -> None:
        super().__init__()
        self._rules = Rules(self._alloc)
        self._frames: list[dict[str, Any]] = [{}]
        self._results: list[list[Any]] = [[]]
        self._passing: list[Any] = []
        """What expressions that are under way hold."""
        self._kept: list[Array] = []
        """What PyTorch keeps: what layers gave, for the gradients, and these."""
        self._parameters, self._graded, self._learning = 0.0, 0.0, True
        """Bytes of all layers, of those that have gradients, and whether these are asked for."""
        self._yielded: list[tuple[float, Any]] = [(0.0, None)]
        """Of each function: how many values it has given on its way, and the latest."""
        self._stars: list[str] = []
        """Modules all of whose names are there."""
        self._left, self._share, self._times = _STEPS, 1.0, 1.0
        """Steps, how often a branch is taken of the rounds of its loop, and how often what is gone through happens."""

    @abstractmethod
    def run(self, body: Iterable[ast.stmt]) -> None:
        """One statement after the other. Raises Ended."""

    def _alloc(self, shape: Any, kind: str, each: float) -> Array:
        made = Array(shape, kind, each)
        made.block.bytes = min(max(made.bytes, 0.0), MOST) if not math.isnan(made.bytes) else 0.0
        self._passing.append(made)
        if made.block.bytes >= max(_SMALL, _SLIGHT * self.most):
            self._look()
        self._spend(made.block.bytes * (_NEW_NS if made.block.bytes >= _MAPPED else _AGAIN_NS))
        return made

    def _look(self) -> None:
        """How much is held now."""
        there = (*self._names(), *self._passing, *self._kept, *chain(*self._results))
        self.hold(min(held(there, self._walked), MOST))

    def _walked(self, count: int) -> None:
        """Looking takes steps, too."""
        self._left -= count // _LOOKED

    def _names(self) -> Iterator[Any]:
        """What all names hold."""
        return chain.from_iterable(frame.values() for frame in self._frames)

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Ended
        self._spend(_NODE_NS)

    def _work(self, *values: Any, each: float) -> None:
        """Nanoseconds for each element of the largest value."""
        count = max((math.prod(shape) for one in values if (shape := shape_of(one))), default=0.0)
        if math.isfinite(count * each):
            self._spend(_CALL_NS + count * each)

    def _spend(self, nanoseconds: float) -> None:
        """So long, as often as what is gone through happens; nothing where that is no time."""
        if 0.0 <= nanoseconds < math.inf:
            self.spend(self._times * nanoseconds * 1e-9)

    def _put(self, many: Many, value: Any, count: float, small: float = NUMBER + 8) -> None:
        """So many values like this one, in a list."""
        count = min(count, MOST)
        many.count += count * self._share
        many.one = value if value is not None else many.one
        many.head = value if many.head is None else many.head
        each = 57.0 + len(value) if isinstance(value, str) and small > 8 else small
        many.block.bytes = min(many.block.bytes + count * self._share * (weight(value) or each), MOST)
        self._look()

    def _forget(self) -> None:
        """What layers gave goes with the round of a loop."""
        self._kept = [one for one in self._kept if one.kind == LASTING]

    def _lists(self) -> list[Many]:
        found = (one for one in leaves(self._names(), self._walked) if isinstance(one, Many))
        return list({id(one): one for one in found}.values())
