"""Drafts of matrix products, and what is like them, of which something stays in vector registers.

Sums: a register tile of outputs is summed up over nearly all of the reduction, of which a step or a few are innermost,
so that each element of one operand that is loaded meets a vector of the other: the micro-kernel of Goto and van de
Geijn (ACM TOMS 2008), how large it may be as Low et al. (ACM TOMS 2016) have it, from the number and the bits of the
registers. Or an operand, as in systolic arrays whose weights are stationary: a few steps of the reduction of a strip of
columns, which all rows of a block go past, whose sums lie in the first cache; then large operands are read once and in
order. TVM's own sampling draws either as seldom as all other tiles. A window of a convolution is summed up whole, or
step by step, for each block of its channels.

What is summed up along a loop and is no product, as in a normalisation or a softmax, has a vector of partial sums or a
few, of neighbours, in design spaces that take the sum apart (`rfactor`): one sum can only go on when the last addition
has ended, and TVM's own sampling has as many parts of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random

from forerun.grammars.decisions import Decision, Plan, Tile
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.space import Program

_SPATIAL, _REDUCED = 4, 2
"""Into how many parts TVM tiles the loops of outputs, and those of a reduction, for processors."""
_FLOAT = 32
"""Bits of what is summed up."""
_VECTORS = (0.5, 1, 1, 2, 2, 3, 4)
"""How many vectors a row of the register tile has."""
_FILLED = (8, 12, 16, 16, 24, 28, 28, 28)
"""Of 32 registers those that hold sums."""
_STEPS, _CHANNELS = (1, 1, 2, 4), (1, 4, 8, 16, 32, 64)
"""Of the reduction that are innermost; of the channels of a window."""
_GREEDY, _WHOLE, _INNER, _SPLIT = 0.7, 0.5, 0.3, 0.2
"""How often a loop gives all that fits to the register tile; is not tiled beyond that; has its part of it innermost;
has it in two parts."""
_STRIPS, _OPERANDS = (2, 4, 4, 4), (16, 16, 24)
"""Where an operand stays: how many vectors a strip of columns has; of 32 registers those that hold it."""
_PASSING, _SUMS = (1, 1, 2), (4096, 8192, 16384)
"""Rows that go past at once, and bytes of the sums of all of a block."""

_PARTIAL = (0.5, 1, 1, 2, 4)
"""How many vectors partial sums fill."""

Group = list[tuple[int, Tile]]
"""Tiles that are asked for one after the other, with the numbers of their questions."""
Tiling = Callable[[Group, Group, int, int, Random], Iterator[tuple[int, Decision]]]
"""The tiles of a block, of its outputs and its reduction, from the number of registers and the floats in each."""


def register_tiles(program: Program, n: int, seed: int, windows: bool = True) -> list[Plan]:
    """At most `n` distinct plans whose sums stay in registers, the rest of whose decisions is drawn by TVM: none where
    nothing is summed up in tiles of registers, or for the `windows` of a convolution where they are not wanted. Same
    arguments, same plans."""
    return _plans(program, n, seed, Random(f"registers {seed}"), _sums, windows)


def stationary_tiles(program: Program, n: int, seed: int) -> list[Plan]:
    """Likewise plans of which an operand stays there: none where it is a window's."""
    return _plans(program, n, seed, Random(f"resting {seed}"), _operand, windows=False)


def partial_sums(program: Program, n: int, seed: int) -> list[Plan]:
    """Likewise plans of which as many sums as can be are taken apart into vectors of neighbours: none where some are
    tiled, as above."""
    spaces = range(len(program))
    if any(_blocks(program, each, True) for each in spaces):
        return []
    tiles = {each: own for each in spaces if (own := _apart(program, each))}
    if not tiles:
        return []
    most = max(map(len, tiles.values()))
    draw, lanes = Random(f"partial {seed}"), targets.registers(program.source.target)[1] // _FLOAT
    begun = list[Plan]()
    for space in draw.choices([space for space, own in tiles.items() if len(own) == most], k=n):
        widths = [(tile, _row(tile, _PARTIAL, lanes, draw)) for tile in tiles[space]]
        begun.append(Plan(space, tuple((tile.extent // wide, wide) for tile, wide in widths)))
    return list(dict.fromkeys(program.completed(begun, seed)))


def _apart(program: Program, space: int) -> list[Tile]:
    """The tiles that are asked for first, where the inner part of each becomes a loop of partial sums."""
    instructions = program.spaces[space].trace.insts
    apart = [one.inputs[0] for one in instructions if one.kind.name == "RFactor"]
    splits = [one for one in instructions if one.kind.name == "Split"]
    found, trivial = list[Tile](), list[Decision]()
    for at in program.spaces[space].asks[: len(apart)]:
        step, outer = program.step(space, tuple(trivial)), instructions[at].outputs[0]
        inner = [one.outputs[-1] for one in splits if outer.same_as(one.inputs[1])]
        if not isinstance(step, Tile) or not any(one.same_as(loop) for one in inner for loop in apart):
            return []
        found.append(step)
        trivial.append((step.extent, 1))
    return found


def _plans(program: Program, n: int, seed: int, draw: Random, tiling: Tiling, windows: bool) -> list[Plan]:
    asked = {number: blocks for number in range(len(program)) if (blocks := _blocks(program, number, windows))}
    spaces = draw.choices([*asked], k=n) if asked else []
    begun = [_begun(program, number, asked[number], draw, tiling) for number in spaces]
    return list(dict.fromkeys(program.completed(begun, seed)))


def _blocks(program: Program, space: int, windows: bool) -> list[tuple[Group, Group]]:
    """What is asked of each block: tiles of its outputs, then of its reduction. Nothing where other tiles are asked
    for first, or where a block has a window and none is wanted."""
    parts, trivial, tiles = program.spaces[space].parts, list[Decision](), list[Tile]()
    for _ in range(program.spaces[space].begins):
        step = program.step(space, tuple(trivial))
        if not isinstance(step, Tile):
            break
        tiles.append(step)
        trivial.append((step.extent, *(1 for _ in range(step.parts - 1))))
    runs = [(count, list(run)) for count, run in groupby(enumerate(tiles), key=lambda each: parts[each[0]])]
    counts = [count for count, _ in runs]
    if not runs or counts != [_SPATIAL, _REDUCED] * (len(runs) // 2):
        return []
    if not windows and any(_window(reduced) for _, reduced in runs[1::2]):
        return []
    return [(outputs, reduced) for (_, outputs), (_, reduced) in zip(runs[::2], runs[1::2], strict=True)]


def _begun(program: Program, space: int, blocks: list[tuple[Group, Group]], draw: Random, tiling: Tiling) -> Plan:
    """The tiles."""
    count, bits = targets.registers(program.source.target)
    found = dict[int, Decision]()
    for outputs, reduced in blocks:
        found |= tiling(outputs, reduced, count, bits // _FLOAT, draw)
    return Plan(space, tuple(found[number] for number in sorted(found)))


def _sums(outputs: Group, reduced: Group, registers: int, lanes: int, draw: Random) -> Iterator[tuple[int, Decision]]:
    """A row of vectors of the last loop, as many rows of the others as registers are to be filled; then a step or a few
    of the reduction, of a window all or none of a loop but that of channels, the longest."""
    last, tile = outputs[-1]
    row = _row(tile, _VECTORS, lanes, draw)
    rows = max(draw.choice(_FILLED) * registers * lanes // (32 * row), 1)
    yield last, (*_outer(tile.extent // row, draw), 1, row)
    for number, tile in reversed(outputs[:-1]):
        fitting = _divisors(tile.extent, rows)
        own = max(fitting) if draw.random() < _GREEDY else draw.choice(fitting)
        rows //= own
        inner = (1, own) if draw.random() < _INNER and _fits(tile, own) else (own, 1)
        if draw.random() < _SPLIT:
            inner = _split(own, draw)
        yield number, (*_outer(tile.extent // own, draw), *(inner if _fits(tile, inner[-1]) else (own, 1)))
    longest, steps = max(tile.extent for _, tile in reduced), _CHANNELS if _window(reduced) else _STEPS
    for number, tile in reduced:
        inside = steps if tile.extent == longest else (1, tile.extent)
        own = draw.choice([each for each in inside if tile.extent % each == 0])
        yield number, (tile.extent // own, own)


def _window(reduced: Group) -> bool:
    """Whether a block sums up along more than one loop."""
    return sum(tile.extent > 1 for _, tile in reduced) > 1


def _operand(
    outputs: Group, reduced: Group, registers: int, lanes: int, draw: Random
) -> Iterator[tuple[int, Decision]]:
    """As many steps of the reduction of a strip of columns as registers are to be filled; as many rows as have their
    sums in the cache."""
    last, tile = outputs[-1]
    row = _row(tile, _STRIPS, lanes, draw)
    yield last, (*_outer(tile.extent // row, draw), 1, row)
    held = draw.choice(_OPERANDS) * registers * lanes // (32 * row)
    for number, tile in reduced:
        steps = max(_divisors(tile.extent, held))
        yield number, (tile.extent // steps, steps)
    rows = draw.choice(_SUMS) // (row * _FLOAT // 8)
    for number, tile in reversed(outputs[:-1]):
        own = max(_divisors(tile.extent, rows))
        rows //= own
        passing = draw.choice(_PASSING)
        inner = (own // passing, passing) if own % passing == 0 and _fits(tile, passing) else (own, 1)
        yield number, (*_outer(tile.extent // own, draw), *inner)


def _row(tile: Tile, vectors: Sequence[float], lanes: int, draw: Random) -> int:
    """What is innermost of the last loop: so many vectors where they divide it."""
    wide = [int(each * lanes) for each in vectors]
    whole = [each for each in wide if each > 0 and tile.extent % each == 0 and _fits(tile, each)]
    return draw.choice(whole) if whole else max(each for each in _divisors(tile.extent, wide[-1]) if _fits(tile, each))


def _fits(tile: Tile, innermost: int) -> bool:
    return not tile.innermost or innermost <= tile.innermost


def _outer(rounds: int, draw: Random) -> tuple[int, int]:
    """What is left of a loop, in the two outer parts."""
    return _split(rounds, draw) if draw.random() < _WHOLE else (rounds, 1)


def _split(count: int, draw: Random) -> tuple[int, int]:
    """A number as a product: each of its prime factors goes to either side."""
    first, rest, prime = 1, count, 2
    while rest > 1:
        prime = rest if prime * prime > rest else prime
        while rest % prime == 0:
            rest //= prime
            first *= prime if draw.random() < 0.5 else 1
        prime += 1
    return first, count // first


def _divisors(count: int, most: int) -> list[int]:
    """Those up to a number."""
    return [each for each in range(1, max(most, 1) + 1) if count % each == 0]
