"""What one block writes, evaluated over all the loops around it at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from forerun.toolchains.tvm._contraction import contract
from forerun.toolchains.tvm._expressions import Affine, Array, Box, Scope, strided, strides
from forerun.toolchains.tvm._nests import Nest
from forerun.toolchains.tvm._nodes import DATA_PARALLEL, REDUCTION, dtype, kind, loads, same, shape, unsupported, walk

# Points of one array that is computed at once: 32 MB in float64, and an expression holds up to some ten of them.
POINTS = 1 << 22
_COMBINE: dict[str, np.ufunc] = {
    "Add": np.add, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum, "And": np.logical_and, "Or": np.logical_or,
}  # fmt: skip


class Block:
    """Evaluates one loop nest over `arrays`, the buffers written so far; writes its results there."""

    def __init__(self, nest: Nest, arrays: dict[Any, Array]) -> None:
        self.nest = nest
        self.arrays = arrays
        self.stored = {store.buffer: store for store in nest.stores}
        self.lets = {let.var: let.value for let in nest.lets}
        self.splits = _splits(nest)
        self.box = self._bounds()

    def run(self) -> None:
        """Evaluates and writes. Raises InputError where the order of the iterations could matter."""
        if 0 in self.box.sizes:
            return
        self.whole = self._scope(self.box)
        self.reduced = self._reduced()
        starts = self._starts()
        for part in [*self.nest.lets, *self.nest.stores]:
            for read in loads(part.value):
                if read.source in self.stored:
                    self._check_same(read, self.stored[read.source])
        self._check_apart(starts)
        for store in self.nest.stores:
            if store.buffer not in self.arrays:
                # What is never written must not pass for a result.
                empty = 0 if dtype(store.buffer).kind in "iub" else np.nan
                self.arrays[store.buffer] = np.full(shape(store.buffer), empty, dtype(store.buffer))
            self._check_distinct(store)
        if starts is None:
            for piece in _pieces(self.box, [self._all]):
                scope = self._scope(piece)
                mask = self._mask(scope)
                with scope.masked(mask):
                    for store in self.nest.stores:
                        self._write(scope, store, scope.array(store.value), mask)
        else:
            self._reduce(starts)

    @property
    def _all(self) -> frozenset[int]:
        return frozenset(range(len(self.box.sizes)))

    def _bounds(self) -> Box:
        """How long each axis is; where a loop's length depends on outer loops, the greatest."""
        axes = [len(split) for split in self.splits]
        sizes: list[int] = []
        for loop, split in zip(self.nest.loops, self.splits, strict=True):
            if kind(loop.min) != "IntImm":
                raise unsupported("a loop that starts at no fixed index")
            if split == (-1,):
                known = Box((0,) * sum(axes), tuple(sizes + [1] * (sum(axes) - len(sizes))))
                split = (max(0, int(self._scope(known).array(loop.extent).max())),)
            sizes += split
        return Box((0,) * len(sizes), tuple(sizes))

    def _scope(self, box: Box) -> Scope:
        scope = Scope(box, self.arrays)
        axis = 0
        for loop, split in zip(self.nest.loops, self.splits, strict=True):
            index = Affine((0,) * len(box.sizes), int(loop.min))
            for k in range(len(split)):
                index = index.plus(scope.index(axis + k), math.prod(split[k + 1 :]))
            scope.bind(loop.loop_var, index)
            axis += len(split)
        for variable, value in [*self.nest.bindings, *self.lets.items()]:
            scope.define(variable, value)
        return scope

    def _mask(self, scope: Scope) -> Array | None:
        """The points where the block runs; None for all."""
        mask: Array | None = None
        for loop, split in zip(self.nest.loops, self.splits, strict=True):
            if split == (-1,):
                inside = np.asarray(scope.array(loop.loop_var) - int(loop.min) < scope.array(loop.extent))
                mask = inside if mask is None else mask & inside
        for condition in self.nest.conditions:
            with scope.masked(mask):
                holds = scope.array(condition)
            mask = holds if mask is None else mask & holds
        return None if mask is None or mask.all() else mask

    def _always(self) -> bool:
        """Whether the block runs at all points."""
        of = [*self.nest.conditions]
        of += [loop.extent for loop, split in zip(self.nest.loops, self.splits, strict=True) if split == (-1,)]
        axes = self._all if len(of) > len(self.nest.conditions) else frozenset[int]().union(*map(self._depends, of))
        box = self.box.at(sorted(self._all - axes))
        return all(self._mask(self._scope(piece)) is None for piece in _pieces(box, [self._all]))

    def _reduced(self) -> frozenset[int]:
        """The axes that are reduced over. Raises InputError where one is neither that nor of the result, or both."""
        axes: dict[int, frozenset[int]] = {DATA_PARALLEL: frozenset(), REDUCTION: frozenset()}
        for one in self.nest.block.iter_vars:
            if int(one.iter_type) not in axes:
                raise unsupported(f"the block {self.nest.block.name_hint} with ordered or opaque variables")
            axes[int(one.iter_type)] |= self.whole.axes(one.var)
        long = frozenset(k for k, size in enumerate(self.box.sizes) if size > 1)
        if long & axes[DATA_PARALLEL] & axes[REDUCTION] or long - axes[DATA_PARALLEL] - axes[REDUCTION]:
            raise unsupported(f"the block {self.nest.block.name_hint} in loops that are not its own")
        reduced = axes[REDUCTION]
        if any(self._depends(index) & reduced & long for store in self.nest.stores for index in store.indices):
            raise unsupported(f"the block {self.nest.block.name_hint} that writes where it reduces")
        return reduced

    def _starts(self) -> dict[Any, Any] | None:
        """What a reduction starts from, by buffer: its init or the read of what it holds. None where it is none."""
        init = self.nest.block.init
        own = {read.source: read for part in [*self.nest.lets, *self.nest.stores] for read in loads(part.value)}
        own = {buffer: read for buffer, read in own.items() if buffer in self.stored}
        if init is None and not own and not self.reduced:
            return None
        starts = own if init is None else {part.buffer: part.value for part in self._init(init)}
        if starts.keys() != self.stored.keys():
            raise unsupported(f"the reduction {self.nest.block.name_hint} that starts from nothing")
        if init is None and not starts.keys() <= self.arrays.keys():
            raise unsupported(f"the reduction {self.nest.block.name_hint} into what is not written yet")
        return starts

    def _init(self, init: Any) -> list[Any]:
        stores = list(init.seq) if kind(init) == "SeqStmt" else [init]
        if any(kind(part) != "BufferStore" or part.buffer not in self.stored for part in stores):
            raise unsupported(f"an init of {self.nest.block.name_hint} that is more than stores of what it updates")
        for part in stores:
            self._check_same(part, self.stored[part.buffer])
        return stores

    def _check_same(self, access: Any, store: Any) -> None:
        if not all(map(same, access.indices, store.indices)):
            raise unsupported(f"a block that reads {store.buffer.name} elsewhere than it writes it")

    def _check_distinct(self, store: Any) -> None:
        """Raises InputError where two iterations write the same element."""
        scope = self._scope(self.box.at(sorted(self.reduced)))
        indices = [scope.value(index) for index in store.indices]
        affine = [index for index in indices if isinstance(index, Affine)]
        data = self.arrays[store.buffer]
        if len(affine) == len(indices) and strided(data, affine, scope.box) is not None:
            reach = 0
            steps = map(abs, strides(data, affine, len(scope.box.sizes)))
            for step, size in sorted(zip(steps, scope.box.sizes, strict=True)):
                if size > 1 and step <= reach:
                    break
                reach += step * (size - 1)
            else:
                return
        mask = self._mask(scope)
        with scope.masked(mask):
            positions = np.broadcast_arrays(*scope.positions(indices, data.shape, store.buffer.name))
        flat = np.broadcast_to(np.ravel_multi_index(positions, data.shape), scope.box.sizes)
        flat = flat if mask is None else flat[np.broadcast_to(mask, flat.shape)]
        if np.unique(flat).size < flat.size:
            raise unsupported(f"a block that writes an element of {store.buffer.name} twice")

    def _check_apart(self, starts: object) -> None:
        """Raises InputError where several stores may write one element of a buffer, or reduce into one buffer."""
        several = len(self.stored) < len(self.nest.stores)
        if several and starts is not None:
            raise unsupported(f"two stores to one buffer in the block {self.nest.block.name_hint}")
        for one, other in itertools.combinations(self.nest.stores if several else (), 2):
            if one.buffer.same_as(other.buffer) and not any(map(self._apart, one.indices, other.indices)):
                raise unsupported(f"a block that may write an element of {one.buffer.name} twice")

    def _apart(self, one: Any, other: Any) -> bool:
        """Whether two indices never have one value, as 4 i + 1 and 4 j + 2: they leave other rests."""
        first, second = (self.whole.value(index) for index in (one, other))
        if not isinstance(first, Affine) or not isinstance(second, Affine):
            return False
        step, between = math.gcd(*first.factors, *second.factors), first.constant - second.constant
        return between % step != 0 if step else between != 0

    def _write(self, scope: Scope, store: Any, values: Array, mask: Array | None) -> None:
        data = self.arrays[store.buffer]
        values = values.astype(data.dtype)
        indices = [scope.value(index) for index in store.indices]
        affine = [index for index in indices if isinstance(index, Affine)]
        view = strided(data, affine, scope.box, writeable=True) if len(affine) == len(indices) else None
        if view is not None:
            np.copyto(view, values, where=True if mask is None else mask)
            return
        positions = scope.positions(indices, data.shape, store.buffer.name)
        chosen = np.broadcast_to(True if mask is None else mask, scope.box.sizes)
        data[tuple(np.broadcast_to(p, chosen.shape)[chosen] for p in positions)] = np.broadcast_to(
            values, chosen.shape
        )[chosen]

    def _reduce(self, starts: dict[Any, Any]) -> None:
        scope = self._scope(self.box.at(sorted(self.reduced)))
        mask = self._mask(scope)
        states: dict[Any, Array] = {}
        for buffer, start in starts.items():
            exact = np.dtype(np.float64) if dtype(buffer).kind not in "iub" else dtype(buffer)
            with scope.masked(mask):
                value = scope.array(start)
            states[buffer] = np.broadcast_to(value, scope.box.sizes).astype(exact)
        updates = {store.buffer: self._update(store) for store in self.nest.stores}
        if self._always() and None not in updates.values():
            for buffer, update in updates.items():
                self._fold(states[buffer], *update)  # type: ignore[misc]
        else:
            self._follow(states)
        for store in self.nest.stores:
            with scope.masked(mask):
                self._write(scope, store, states[store.buffer], mask)

    def _update(self, store: Any) -> tuple[np.ufunc, Any] | None:
        """The associative operation and the other operand of a store of the kind `S[i] = S[i] + x`."""
        value = self.lets.get(store.value, store.value) if kind(store.value) == "Var" else store.value
        if kind(value) not in _COMBINE:
            return None
        for own, other in ((value.a, value.b), (value.b, value.a)):
            if kind(own) == "TensorLoad" and own.source.same_as(store.buffer) and not self._touches(other):
                return _COMBINE[kind(value)], other
        return None

    def _touches(self, expression: Any) -> bool:
        """Whether an expression reads what the block writes."""
        return any(
            (kind(part) == "TensorLoad" and part.source in self.stored)
            or (kind(part) == "Var" and part in self.lets and self._touches(self.lets[part]))
            for part in walk(expression)
        )

    def _fold(self, state: Array, combine: np.ufunc, operand: Any) -> None:
        """Combines a state, in place, with the operand's values over the reduction."""
        factors = _factors(operand) if combine is np.add else []
        depends = [self._depends(factor) for factor in factors]
        groups = [*depends, self._all - self.reduced] if 0 < len(factors) < 3 else [self._all]
        for piece in _pieces(self.box, groups):
            scope = self._scope(piece)
            if factors:
                arrays = [scope.array(factor).astype(state.dtype) for factor in factors]
                total = contract(arrays, piece.sizes, self.reduced)
            else:
                values = np.broadcast_to(scope.array(operand), piece.sizes)
                total = combine.reduce(values, axis=tuple(sorted(self.reduced)), keepdims=True, dtype=state.dtype)
            part = state[self._within(piece)]
            part[...] = combine(part, total)

    def _depends(self, expression: Any) -> frozenset[int]:
        variables = [part for part in walk(expression) if kind(part) == "Var"]
        return frozenset[int]().union(*(self.whole.axes(variable) for variable in variables))

    def _within(self, piece: Box) -> tuple[slice, ...]:
        """Where a piece lies in an array over all but the axes reduced over."""
        return tuple(
            slice(0, 1) if k in self.reduced else slice(low, low + size)
            for k, (low, size) in enumerate(zip(piece.lows, piece.sizes, strict=True))
        )

    def _follow(self, states: dict[Any, Array]) -> None:
        """Runs the block's statements for one point of the reduction after the other, in the program's order."""
        axes = sorted(self.reduced)
        for piece in _pieces(self.box.at(axes), [self._all]):
            now = {buffer: state[self._within(piece)] for buffer, state in states.items()}
            for point in itertools.product(*(range(self.box.sizes[k]) for k in axes)):
                box = piece
                for k, index in zip(axes, point, strict=True):
                    box = box.part(k, index, 1)
                now = self._step(self._scope(box), now)
            for buffer, state in now.items():
                states[buffer][self._within(piece)] = state

    def _step(self, scope: Scope, states: dict[Any, Array]) -> dict[Any, Array]:
        mask = self._mask(scope)
        scope.states = dict(states)
        with scope.masked(mask):
            for variable in self.lets:
                scope.value(variable)
            for store in self.nest.stores:
                before = scope.states[store.buffer]
                after = scope.array(store.value).astype(before.dtype)
                scope.states[store.buffer] = np.broadcast_to(
                    after if mask is None else np.where(mask, after, before), before.shape
                )
        return scope.states


def _splits(nest: Nest) -> list[tuple[int, ...]]:
    """The axes that each loop is evaluated as, by their lengths; (-1,) where its length is not fixed.

    A loop whose variable is divided by a constant is two: with i = 32·g + c, i // 32 is g, and a read there is a view.
    """
    loops = {loop.loop_var: loop for loop in nest.loops}
    source = {variable: value for variable, value in nest.bindings if kind(value) == "Var"}
    divisors: dict[Any, set[int]] = {variable: set() for variable in loops}
    for part in (part for store in [*nest.lets, *nest.stores] for part in walk(store)):
        if kind(part) in ("FloorDiv", "FloorMod") and kind(part.b) == "IntImm":
            for variable in (one for one in walk(part.a) if kind(one) == "Var"):
                variable = source.get(variable, variable)
                if variable in divisors:
                    divisors[variable].add(int(part.b.value))
    return [_axes(loop.extent, sorted(divisors[loop.loop_var])) for loop in nest.loops]


def _axes(extent: Any, divisors: list[int]) -> tuple[int, ...]:
    if kind(extent) != "IntImm":
        return (-1,)
    length, lengths, inner = int(extent.value), list[int](), 1
    for divisor in divisors:
        if inner < divisor < length and length % divisor == 0 and divisor % inner == 0:
            lengths.insert(0, divisor // inner)
            inner = divisor
    return (length // inner, *lengths)


def _factors(expression: Any) -> list[Any]:
    """The factors of a product."""
    return [*_factors(expression.a), *_factors(expression.b)] if kind(expression) == "Mul" else [expression]


def _pieces(box: Box, groups: Sequence[frozenset[int]]) -> Iterator[Box]:
    """Parts of a box in each of which no group of axes has more than POINTS points."""
    group = max(groups, key=box.points)
    if box.points(group) <= POINTS:
        yield box
        return
    axis = max(group, key=lambda k: box.sizes[k])
    half = box.sizes[axis] // 2
    yield from _pieces(box.part(axis, 0, half), groups)
    yield from _pieces(box.part(axis, half, box.sizes[axis] - half), groups)
