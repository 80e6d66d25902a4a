"""The value of an expression of TensorIR at all points of a box of loop indices at once.

A value over a box of rank r is an array with r axes, one for each loop, of length 1 where it does not depend on that
loop; so a term is computed once for each point that it depends on. An integer that is affine in the loop indices stays
symbolic (`Affine`): a read at affine indices is a strided view, not a copy.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from forerun.toolchains.tvm._nodes import dtype, is_buffer, kind, unsupported

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Affine:
    """The integer `constant` + the sum over the loops k of `factors[k]` · index of k."""

    factors: tuple[int, ...]
    constant: int

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """This and `times` the other."""
        factors = tuple(a + times * b for a, b in zip(self.factors, other.factors, strict=True))
        return Affine(factors, self.constant + times * other.constant)

    def times(self, factor: int) -> Affine:
        """This, `factor` times."""
        return Affine(tuple(a * factor for a in self.factors), self.constant * factor)


Value: TypeAlias = Affine | Array


@dataclass(frozen=True, slots=True)
class Box:
    """The loop indices `lows[k]` ≤ index of k < `lows[k] + sizes[k]`."""

    lows: tuple[int, ...]
    sizes: tuple[int, ...]

    def part(self, axis: int, start: int, size: int) -> Box:
        """The same box, in one axis only from `start` (counted from its low) on."""
        lows, sizes = list(self.lows), list(self.sizes)
        lows[axis] += start
        sizes[axis] = size
        return Box(tuple(lows), tuple(sizes))

    def at(self, axes: Sequence[int]) -> Box:
        """The same box, of length 1 in these axes."""
        return Box(self.lows, tuple(1 if k in axes else size for k, size in enumerate(self.sizes)))

    def points(self, axes: frozenset[int] | set[int]) -> int:
        """How many points it has in these axes."""
        return math.prod(self.sizes[k] for k in axes)

    def bounds(self, value: Affine) -> tuple[int, int]:
        """The least and the largest value."""
        low = high = value.constant
        for factor, start, size in zip(value.factors, self.lows, self.sizes, strict=True):
            ends = (factor * start, factor * (start + size - 1))
            low, high = low + min(ends), high + max(ends)
        return low, high

    def first(self, value: Affine) -> int:
        """The value at the first point."""
        return value.constant + sum(a * b for a, b in zip(value.factors, self.lows, strict=True))

    def array(self, value: Affine) -> Array:
        """The values, int64."""
        result = np.full((1,) * len(self.sizes), value.constant, np.int64)
        for k, (factor, start, size) in enumerate(zip(value.factors, self.lows, self.sizes, strict=True)):
            if factor:
                axis = [1] * len(self.sizes)
                axis[k] = size
                result = result + factor * np.arange(start, start + size).reshape(axis)
        return result


def strided(data: Array, indices: Sequence[Affine], box: Box, writeable: bool = False) -> Array | None:
    """The elements of a buffer at affine indices, as a view with the box's axes; None where one is out of bounds."""
    for index, extent in zip(indices, data.shape, strict=True):
        low, high = box.bounds(index)
        if low < 0 or high >= extent:
            return None
    corner = data[...]
    for k, index in enumerate(indices):
        corner = corner[(slice(None),) * k + (slice(box.first(index), None),)]
    steps = strides(data, indices, len(box.sizes))
    sizes = [size if step else 1 for size, step in zip(box.sizes, steps, strict=True)]
    return as_strided(corner, sizes, steps, writeable=writeable)


def strides(data: Array, indices: Sequence[Affine], axes: int) -> list[int]:
    """How many bytes lie between the elements of a buffer at affine indices, for each of so many axes."""
    steps = list(zip(indices, data.strides, strict=True))
    return [sum(index.factors[k] * step for index, step in steps) for k in range(axes)]


def _divide(a: Array, b: Array) -> Array:
    return a / b if a.dtype.kind not in "iu" else (a - np.fmod(a, b)) // b


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _erf(x: Array) -> Array:
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), np.float64).astype(x.dtype)


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divide, "Mod": np.fmod,
    "FloorDiv": np.floor_divide, "FloorMod": np.mod, "Min": np.minimum, "Max": np.maximum,
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal,
    "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
    "LShift": np.left_shift, "RShift": np.right_shift,
}  # fmt: skip
_DIVISIONS = ("Div", "Mod", "FloorDiv", "FloorMod")
_CALLS: dict[str, Callable[..., Array]] = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(x.dtype.type(10), x), "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "pow": np.power,
    "tanh": np.tanh, "sigmoid": _sigmoid, "erf": _erf, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "fabs": np.abs, "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.rint, "nearbyint": np.rint, "fmod": np.fmod, "hypot": np.hypot,
    "copysign": np.copysign, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "likely": lambda x: x,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.invert, "shift_left": np.left_shift, "shift_right": np.right_shift,
}  # fmt: skip


class Scope:
    """Evaluates expressions over one box. `arrays` are the buffers, `states` those that a reduction is changing."""

    def __init__(self, box: Box, arrays: Mapping[Any, Array]) -> None:
        self.box = box
        self.arrays = arrays
        self.states: dict[Any, Array] = {}
        self._values: dict[Any, Value] = {}
        self._definitions: dict[Any, Any] = {}
        self._mask: Array | None = None

    def bind(self, variable: Any, value: Value) -> None:
        """Gives a variable its value."""
        self._values[variable] = value

    def define(self, variable: Any, expression: Any) -> None:
        """Gives a variable the value of an expression, when it is first asked for."""
        self._definitions[variable] = expression

    def index(self, axis: int) -> Affine:
        """The index of one loop."""
        return Affine(tuple(int(k == axis) for k in range(len(self.box.sizes))), 0)

    def axes(self, variable: Any) -> frozenset[int]:
        """The loops that a variable depends on."""
        value = self.value(variable)
        depends = value.factors if isinstance(value, Affine) else [size - 1 for size in value.shape]
        return frozenset(k for k, factor in enumerate(depends) if factor)

    def array(self, expression: Any) -> Array:
        """The values of an expression: broadcastable to the box, of the expression's type."""
        value = self.value(expression)
        return self.box.array(value).astype(dtype(expression)) if isinstance(value, Affine) else value

    def value(self, expression: Any) -> Value:
        """The values of an expression, symbolic where they are affine. Raises InputError where it has no evaluation."""
        name = kind(expression)
        if name in ("And", "Or"):
            return self._logical(name, expression)
        if name in _BINARY:
            return self._binary(name, expression)
        method = getattr(self, "_" + name.lower(), None)
        if method is None:
            raise unsupported(f"an expression of the kind {name}")
        result: Value = method(expression)
        return result

    def _constant(self, value: Any) -> Array:
        return np.asarray(value).reshape((1,) * len(self.box.sizes))

    def _intimm(self, node: Any) -> Value:
        if dtype(node).kind == "b":
            return self._constant(bool(node.value))
        return Affine((0,) * len(self.box.sizes), int(node.value))

    def _floatimm(self, node: Any) -> Value:
        return self._constant(dtype(node).type(node.value))

    def _var(self, node: Any) -> Value:
        if node not in self._values:
            if node not in self._definitions:
                raise unsupported(f"the variable {node.name}, which nothing in it gives a value")
            mask, self._mask = self._mask, None  # the value is kept, for all points
            self._values[node] = self.value(self._definitions[node])
            self._mask = mask
        return self._values[node]

    def _let(self, node: Any) -> Value:
        self.bind(node.var, self.value(node.value))
        return self.value(node.body)

    def _cast(self, node: Any) -> Value:
        value, target = self.value(node.value), dtype(node)
        if isinstance(value, Affine):
            if target.kind in "iu" and self._fits(value, target):
                return value
            value = self.box.array(value)
        return value.astype(target)

    def _fits(self, value: Affine, target: np.dtype[Any]) -> bool:
        low, high = self.box.bounds(value)
        return bool(np.iinfo(target).min <= low and high <= np.iinfo(target).max)

    def _not(self, node: Any) -> Value:
        return np.logical_not(self.array(node.a))

    def _bitwisenot(self, node: Any) -> Value:
        return np.invert(self.array(node.a))

    def _logical(self, name: str, node: Any) -> Value:
        left = self.array(node.a)
        with self._where(left if name == "And" else ~left):
            right = self.array(node.b)
        return left & right if name == "And" else left | right

    def _binary(self, name: str, node: Any) -> Value:
        left, right = self.value(node.a), self.value(node.b)
        if isinstance(left, Affine) and isinstance(right, Affine):
            exact = self._affine(name, left, right)
            if exact is not None and self._fits(exact, dtype(node)):
                return exact
        a, b = (self._as_array(value, part) for value, part in ((left, node.a), (right, node.b)))
        if name in _DIVISIONS and b.dtype.kind in "iu" and not b.all():
            raise unsupported("a division of integers by zero")
        return _BINARY[name](a, b)

    def _as_array(self, value: Value, expression: Any) -> Array:
        return self.box.array(value).astype(dtype(expression)) if isinstance(value, Affine) else value

    def _affine(self, name: str, a: Affine, b: Affine) -> Affine | None:
        """An operation on affine values, where its result is one."""
        if name == "Add":
            return a.plus(b)
        if name == "Sub":
            return a.plus(b, -1)
        if name == "Mul" and not any(a.factors):
            return b.times(a.constant)
        if name == "Mul" and not any(b.factors):
            return a.times(b.constant)
        if name in _DIVISIONS and not any(b.factors) and b.constant > 0:
            return self._division(name, a, b.constant)
        if name in ("Min", "Max"):
            low, high = self.box.bounds(a.plus(b, -1))
            if low >= 0 or high <= 0:
                return a if (low >= 0) == (name == "Max") else b
        return None

    def _division(self, name: str, a: Affine, by: int) -> Affine | None:
        """By a positive constant that divides all but a rest below it: (32·g + c) // 32 is g where c < 32."""
        if name in ("Div", "Mod") and self.box.bounds(a)[0] < 0:  # these round to zero
            return None
        rest = Affine(tuple(0 if f % by == 0 else f for f in a.factors), a.constant % by)
        low, high = self.box.bounds(rest)
        if low // by != high // by:
            return None
        rest = rest.plus(Affine((0,) * len(a.factors), low // by * by), -1)
        if name in ("Mod", "FloorMod"):
            return rest
        whole = a.plus(rest, -1)
        return Affine(tuple(f // by for f in whole.factors), whole.constant // by)

    def _select(self, node: Any) -> Value:
        return self._choose(node.condition, node.true_value, node.false_value)

    def _choose(self, condition: Any, yes: Any, no: Any) -> Value:
        chosen = self.array(condition)
        if chosen.all():
            return self.value(yes)
        if not chosen.any():
            return self.value(no)
        with self._where(chosen):
            a = self.array(yes)
        with self._where(~chosen):
            b = self.array(no)
        return np.where(chosen, a, b)

    @contextlib.contextmanager
    def _where(self, chosen: Array) -> Iterator[None]:
        """Within it, only the points where `chosen` holds count."""
        before = self._mask
        self._mask = chosen if before is None else before & chosen
        try:
            yield
        finally:
            self._mask = before

    def _call(self, node: Any) -> Value:
        name = str(node.op.name).rpartition(".")[2]
        if name == "if_then_else":
            return self._choose(*node.args)
        if name not in _CALLS:
            raise unsupported(f"a call of {node.op.name}")
        return _CALLS[name](*(self.array(part) for part in node.args))

    def _tensorload(self, node: Any) -> Value:
        buffer = node.source
        if buffer in self.states:
            return self.states[buffer]
        if not is_buffer(buffer) or buffer not in self.arrays:
            raise unsupported(f"a read of {buffer.name} before it is written")
        data = self.arrays[buffer]
        indices = [self.value(index) for index in node.indices]
        affine = [index for index in indices if isinstance(index, Affine)]
        if len(affine) == len(indices):
            view = strided(data, affine, self.box)
            if view is not None:
                return view
        return data[self.positions(indices, data.shape, buffer.name)]

    def positions(self, indices: Sequence[Value], shape: tuple[int, ...], name: str) -> tuple[Array, ...]:
        """Indices as arrays, within bounds. Raises InputError where a point that counts lies outside."""
        found = []
        for index, extent in zip(indices, shape, strict=True):
            position = self.box.array(index) if isinstance(index, Affine) else index.astype(np.int64)
            outside = (position < 0) | (position >= extent)
            if outside.any():
                if self._mask is None or (outside & self._mask).any():
                    raise unsupported(f"an access to {name} out of its bounds")
                position = np.clip(position, 0, extent - 1)
            found.append(position)
        return tuple(found)

    def masked(self, mask: Array | None) -> contextlib.AbstractContextManager[None]:
        """Within it, only the points of the mask count; all where there is none."""
        return contextlib.nullcontext() if mask is None else self._where(mask)
