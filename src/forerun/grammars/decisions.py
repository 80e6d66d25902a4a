"""Schedule decisions of a tensor program as a language: only legal ones can be written, and each in one way.

A sentence chooses a design space, then answers each of its sampling instructions in the order of the trace. Where only
one answer is legal nothing is written. A tile says what is tiled first, so that whoever writes the next piece need not
look it up: parts, how many tiles in as many parts follow at once (none: it is the innermost loop of its band), extent;
then its factors, the innermost first and without the outermost, which is what is left.
A number is its power of two, then its odd primes in rising order: a shape that nobody has seen has no unknown word.

    space 0, 28 in 4 parts (7, 1, 2, 2)              S0 T4+0 2^2 p7 2^1 2^1 2^0 .
    (1, 1, 1, 28), after which nothing is left       S0 T4+0 2^2 p7 2^2 p7
    (1, 28, 1, 1)                                    S0 T4+0 2^2 p7 2^0 2^0 2^2 p7
    then the second choice, computed at loop 4       … C1 L4

The last factor that is written ends with a full stop where more primes could follow. Primes above 37 are `P0`, `P1`, …:
the first, the second one of that extent. The method is that of the tensor language model (Zhai et al., OSDI 2024),
whose sentences were not kept legal.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import Protocol

from forerun.core import END, Grammar

SPACES, POWERS, PARTS, BAND, CHOICES, LOOPS = 64, 31, 8, 8, 32, 64
"""How many there may be of each."""
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
STOP = "."
_LARGE = 6
"""Distinct primes above those in one extent: more need an extent above 4e9."""

PIECES = (
    *(f"S{i}" for i in range(SPACES)),
    *(f"T{i}+{more}" for i in range(2, PARTS + 1) for more in range(BAND)),
    *(f"2^{i}" for i in range(POWERS)),
    *(f"p{prime}" for prime in PRIMES),
    *(f"P{i}" for i in range(_LARGE)),
    STOP,
    *(f"C{i}" for i in range(CHOICES)),
    *(f"L{i}" for i in range(-2, LOOPS)),
)
"""All pieces that there are."""

_KEPT = 200_000
"""Prefixes whose states are remembered."""

Decision = tuple[int, ...] | int
"""Factors of a tile, outermost first; the place of a category; where a block is computed."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A loop of `extent` in `parts` whose product it is; the innermost is at most `innermost` (0: any).

    `more` tiles in as many parts are asked for right after it.
    """

    extent: int
    parts: int
    innermost: int = 0
    more: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `options`."""

    options: int


@dataclass(frozen=True, slots=True)
class Place:
    """A loop of the consumer by its index; -1 is outside of all, -2 inlined."""

    places: tuple[int, ...]


Step = Tile | Choice | Place


class Spaces(Protocol):
    """The design spaces of a workload. Equal arguments, equal answers."""

    def __len__(self) -> int:
        """How many there are."""

    def step(self, space: int, decisions: tuple[Decision, ...]) -> Step | None:
        """What the next sampling instruction asks after these decisions, None after the last."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A design space, and a decision for each of its sampling instructions."""

    space: int
    decisions: tuple[Decision, ...]

    def __len__(self) -> int:
        return len(self.decisions)


@dataclass(frozen=True, slots=True)
class _State:
    """After some pieces: decisions so far, what is asked, and what of the answer is written.

    `told` counts the pieces that repeat a tile's parts and extent. Of its factors `done` are complete, innermost first;
    `factor` is the one that is being written, 0 before its power of two; `left` what may still be given away.
    """

    space: int = -1
    decisions: tuple[Decision, ...] = ()
    step: Step | None = None
    told: int = 0
    done: tuple[int, ...] = ()
    factor: int = 0
    left: int = 0
    prime: int = 0


@dataclass(frozen=True)
class Decisions(Grammar[Plan]):
    """The decisions of one workload's design spaces."""

    spaces: Spaces
    _states: dict[tuple[str, ...], _State] = field(default_factory=dict, compare=False, repr=False)

    def write(self, answer: Plan) -> list[str]:
        """Raises ValueError for what is not legal."""
        if not 0 <= answer.space < len(self.spaces):
            raise ValueError(f"no design space {answer.space}: there are {len(self.spaces)}")
        pieces = [f"S{answer.space}"]
        for i, decision in enumerate(answer.decisions):
            step = self.spaces.step(answer.space, answer.decisions[:i])
            if step is None or not legal(step, decision):
                raise ValueError(f"decision {i} is {decision}, asked is {step}")
            pieces += _spelled(step, decision)
        if (step := self.spaces.step(answer.space, answer.decisions)) is not None:
            raise ValueError(f"decision {len(answer.decisions)} is missing: {step}")
        return pieces

    def read(self, pieces: Sequence[str]) -> Plan:
        """Raises ValueError for pieces that `allowed` does not give."""
        state = self._state(tuple(pieces))
        if state.space < 0 or state.step is not None:
            raise ValueError(f"unfinished after {len(pieces)} pieces: asked is {state.step}")
        return Plan(state.space, state.decisions)

    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        """At most a few dozen pieces. Raises ValueError after an illegal prefix."""
        return _following(self._state(tuple(prefix)), len(self.spaces))

    def text(self, answer: Plan) -> str:
        """`S0 T1,1,1,1 T7,1,2,2 C1 L4`: every decision, also those that nothing needs to be written for."""
        steps = (self.spaces.step(answer.space, answer.decisions[:i]) for i in range(len(answer.decisions)))
        return " ".join([f"S{answer.space}", *map(_named, steps, answer.decisions)])

    def parse(self, text: str) -> Plan:
        """Raises ValueError."""
        plan = plan_of(text)
        self.write(plan)
        return plan

    def _state(self, prefix: tuple[str, ...]) -> _State:
        if not prefix:
            return _State()
        found = self._states.get(prefix)
        if found is None:
            before = self._state(prefix[:-1])
            if prefix[-1] not in _following(before, len(self.spaces)):
                raise ValueError(f"{prefix[-1]!r} may not follow {' '.join(prefix[:-1])!r}")
            found = self._settled(_after(before, prefix[-1]))
            if len(self._states) >= _KEPT:
                self._states.clear()
            self._states[prefix] = found
        return found

    def _settled(self, state: _State) -> _State:
        """Goes on to where something can be chosen."""
        space, decisions, step = state.space, state.decisions, state.step
        while step is None or (decision := _forced(step, state)) is not None:
            if step is not None and decision is not None:
                decisions = (*decisions, decision)
            step = self.spaces.step(space, decisions)
            if step is None:
                return _State(space, decisions)
            state = _State(space, decisions, step, left=step.extent if isinstance(step, Tile) else 0)
        return state


def following(parts: Sequence[int], number: int) -> int:
    """How many tiles in as many parts are asked for right after one: `parts` of each question, 0 of what is no tile."""
    return sum(1 for _ in takewhile(lambda own: own == parts[number], parts[number + 1 :]))


def legal(step: Step, decision: Decision) -> bool:
    """Whether a decision answers what is asked."""
    if isinstance(step, Tile):
        return (
            isinstance(decision, tuple)
            and len(decision) == step.parts
            and all(factor > 0 for factor in decision)
            and math.prod(decision) == step.extent
            and (not step.innermost or decision[-1] <= step.innermost)
        )
    if isinstance(step, Choice):
        return isinstance(decision, int) and 0 <= decision < step.options
    return isinstance(decision, int) and decision in step.places


def _forced(step: Step, state: _State) -> Decision | None:
    """The decision, where all of it is known; else None."""
    if isinstance(step, Choice):
        return 0 if step.options == 1 else None
    if isinstance(step, Place):
        return step.places[0] if len(step.places) == 1 else None
    written = (*state.done, state.factor) if state.factor else state.done
    if len(state.done) == step.parts - 1:
        return (state.left, *reversed(written))
    return (*(1,) * (step.parts - len(written)), *reversed(written)) if state.left == 1 else None


def _spelled(step: Step, decision: Decision) -> list[str]:
    """The pieces of a legal decision: none where there is no other one."""
    if isinstance(step, Choice):
        return [f"C{decision}"] if step.options > 1 else []
    if isinstance(step, Place):
        return [f"L{decision}"] if len(step.places) > 1 else []
    assert isinstance(decision, tuple)
    if step.extent == 1:
        return []
    pieces, left = _heading(step), step.extent
    for place, factor in enumerate(decision[:0:-1]):
        left //= factor
        pieces += _number(factor, step.extent)
        if left == 1:
            break
        last = max(_odd(factor), default=0)
        if place == step.parts - 2 and _addable(left, factor, last, _most(step, place)):
            pieces.append(STOP)
    return pieces


@lru_cache(maxsize=65536)
def _following(state: _State, spaces: int) -> tuple[str, ...]:
    """The pieces that may come next; the same object for equal states."""
    step = state.step
    if state.space < 0:
        return tuple(f"S{i}" for i in range(spaces))
    if step is None:
        return (END,)
    if isinstance(step, Choice):
        return tuple(f"C{i}" for i in range(step.options))
    if isinstance(step, Place):
        return tuple(f"L{i}" for i in step.places)
    head, place = _heading(step), len(state.done)
    if state.told < len(head):
        return (head[state.told],)
    primes = _addable(state.left, state.factor, state.prime, _most(step, place)) if state.factor else []
    last = bool(state.factor) and place == step.parts - 2
    most = _most(step, place + bool(state.factor))
    powers = [] if last else [f"2^{i}" for i in range(_twos(state.left) + 1) if 2**i <= most]
    return (*(_prime(p, step.extent) for p in primes), *powers, *([STOP] if last else []))


def _after(state: _State, piece: str) -> _State:
    """One legal piece later; what is complete then is left to `_settled`."""
    step = state.step
    if step is None:
        return _State(int(piece[1:]))
    if not isinstance(step, Tile):
        return _State(state.space, (*state.decisions, int(piece[1:])))
    if state.told < len(_heading(step)):
        return replace(state, told=state.told + 1)
    done = (*state.done, state.factor) if state.factor else state.done
    if piece == STOP:
        return replace(state, done=done, factor=0)
    if piece.startswith("2^"):
        power = 2 ** int(piece[2:])
        state = replace(state, done=done, factor=power, left=state.left // power, prime=0)
    else:
        prime = next(p for p in _odd(step.extent) if _prime(p, step.extent) == piece)
        state = replace(state, factor=state.factor * prime, left=state.left // prime, prime=prime)
    place = len(state.done)
    if place == step.parts - 2 and not _addable(state.left, state.factor, state.prime, _most(step, place)):
        return replace(state, done=(*state.done, state.factor), factor=0)
    return state


def _most(step: Tile, place: int) -> int:
    """The largest factor at a place, counted from the innermost."""
    return step.innermost if place == 0 and step.innermost else step.extent


def _addable(left: int, factor: int, last: int, most: int) -> list[int]:
    """The distinct odd primes, rising, that may still be multiplied to a factor whose `last` one is known."""
    return [prime for prime in dict.fromkeys(_odd(left)) if prime >= last and prime * factor <= most]


def _heading(step: Tile) -> list[str]:
    return [f"T{step.parts}+{min(step.more, BAND - 1)}", *_number(step.extent, step.extent)]


def _number(value: int, extent: int) -> list[str]:
    """A divisor of an extent: its power of two, its odd primes."""
    return [f"2^{_twos(value)}", *(_prime(prime, extent) for prime in _odd(value))]


def _prime(prime: int, extent: int) -> str:
    if prime <= PRIMES[-1]:
        return f"p{prime}"
    return f"P{[p for p in dict.fromkeys(_odd(extent)) if p > PRIMES[-1]].index(prime)}"


def _twos(value: int) -> int:
    return (value & -value).bit_length() - 1


@lru_cache(maxsize=4096)
def _odd(value: int) -> tuple[int, ...]:
    """The odd primes of a number, rising, each as often as it divides."""
    left, found, prime = value >> _twos(value), list[int](), 3
    while prime * prime <= left:
        while left % prime == 0:
            found.append(prime)
            left //= prime
        prime += 2
    return (*found, left) if left > 1 else tuple(found)


def _named(step: Step | None, decision: Decision) -> str:
    if isinstance(decision, tuple):
        return "T" + ",".join(map(str, decision))
    return f"{'C' if isinstance(step, Choice) else 'L'}{decision}"


def decision_of(word: str) -> Decision:
    """A decision of a plan's text: `T1,2,2`, `C1`, `L-2`. Raises ValueError."""
    kind, numbers = word[:1], word[1:]
    if kind == "T":
        return tuple(map(int, numbers.split(",")))
    if kind in ("C", "L"):
        return int(numbers)
    raise ValueError(f"a decision begins with T, C or L: {word!r}")


def plan_of(text: str) -> Plan:
    """A plan of its text, of which nobody asks whether it is legal. Raises ValueError."""
    space, *decisions = text.split()
    if space[:1] != "S":
        raise ValueError(f"a design space is S and its number: {space!r}")
    return Plan(int(space[1:]), tuple(map(decision_of, decisions)))
