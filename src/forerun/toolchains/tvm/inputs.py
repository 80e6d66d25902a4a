"""The parameters of a tensor program: which it reads, which it writes, and fresh values to read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forerun.toolchains.tvm._expressions import Array
from forerun.toolchains.tvm._nodes import dtype, is_buffer, kind, loads, same, shape, unsupported, walk
from forerun.toolchains.tvm.agreement import large

_POSITIVE = {"sqrt", "rsqrt", "log", "log2", "log10", "log1p"}
_DRAWN = 16_777_259
"""Normal numbers that are drawn, at most, which takes half a second: of more, the weights of a large vocabulary, they
come again. A prime, so that no row or column is another one."""
_STEP = 1 / 16
"""Beside a large constant, what is nearly 0 or 1 would be neither hidden by it nor let through."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A buffer that a program is called with."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    written: bool
    """Whether it is a result; else it is read, or only stands in the signature."""


def parameters(func: Any) -> list[Parameter]:
    """The buffers that a function is called with, in order. Raises InputError for other parameters and open shapes."""
    written = {part.buffer for part in walk(func.body) if kind(part) == "BufferStore"}
    for parameter in func.params:
        if not is_buffer(parameter):
            raise unsupported(f"the parameter {parameter.name}, which is no buffer")
    return [Parameter(str(one.name), shape(one), dtype(one), one in written) for one in func.params]


def inputs(func: Any, seed: int, scale: int = 1) -> list[Array]:
    """Values for the buffers that a function reads, in the order of its parameters, the same for the same seed, which
    is any whole number.

    Floats are normal, N(0, 1); uniform between 0.5 and 2 where the program divides by them, or takes a root, a
    logarithm or a power of them, as of a variance. Integers that are used as indices lie within the bounds of what
    they index, others between -8 and 7 (0 and 7 without a sign).

    Where the program has a large constant (`agreement.large`), any input may be its mask: of the normal ones and of the
    integers that are no indices a quarter is exactly 0 and a quarter exactly 1, and floats are multiples of 1/16.

    Floats that are normal, and integers of 8 bits that are no indices, are `scale` times as large, as far as their type
    goes.
    """
    roles = _Roles(func)
    random = np.random.default_rng(seed % (1 << 64))
    draw = _masking if large(func) else _values
    described = zip(func.params, parameters(func), strict=True)
    return [draw(about, buffer, roles, random, scale) for buffer, about in described if not about.written]


def _values(about: Parameter, buffer: Any, roles: _Roles, random: np.random.Generator, scale: int) -> Array:
    if about.dtype.kind == "b":
        return random.random(about.shape) < 0.5
    if about.dtype.kind in "iu":
        signed = about.dtype.kind == "i" and buffer not in roles.positive
        low, high = (0, roles.indices[buffer]) if buffer in roles.indices else (-8 if signed else 0, 8)
        if about.dtype.itemsize == 1 and buffer not in roles.indices:
            most = np.iinfo(about.dtype)
            low, high = max(scale * low, int(most.min)), min(scale * high, int(most.max) + 1)
        low += buffer in roles.positive
        return random.integers(low, max(high, low + 1), about.shape).astype(about.dtype)
    if buffer in roles.positive:
        return random.uniform(0.5, 2, about.shape).astype(about.dtype)
    size = math.prod(about.shape)
    values = random.standard_normal(min(size, _DRAWN))
    if scale != 1:
        values *= scale
    values = values.astype(about.dtype)
    return np.resize(values, about.shape) if size > _DRAWN else values.reshape(about.shape)


def _masking(about: Parameter, buffer: Any, roles: _Roles, random: np.random.Generator, scale: int) -> Array:
    values = _values(about, buffer, roles, random, scale)
    if about.dtype.kind == "b" or buffer in roles.indices or buffer in roles.positive or values.size == 1:
        return values
    if about.dtype.kind not in "iu":
        values = (np.round(values.astype(np.float64) / _STEP) * _STEP).astype(about.dtype)
    parts = random.permutation(values.size).reshape(values.shape) % 4
    return np.where(parts < 2, parts.astype(about.dtype), values)


class _Roles:
    """What the inputs of a function are used for: followed through the intermediate buffers to what reads them."""

    def __init__(self, func: Any) -> None:
        self.stores: dict[Any, list[Any]] = {}
        self.lets: dict[Any, Any] = {}
        for part in walk(func.body):
            if kind(part) == "BufferStore":
                self.stores.setdefault(part.buffer, []).append(part.value)
            elif kind(part) == "Bind":
                self.lets[part.var] = part.value
        self.positive: set[Any] = set()
        self.indices: dict[Any, int] = {}
        """The number of elements that each input that is an index may point to."""
        for part in walk(func.body):
            if kind(part) == "TensorLoad":
                self._index(part)
            for expression in _denominators(part):
                self._positive(expression, set())

    def _index(self, read: Any) -> None:
        for index, extent in zip(read.indices, shape(read.source), strict=True):
            for buffer in self._sources(index, set()):
                self.indices[buffer] = min(extent, self.indices.get(buffer, extent))

    def _sources(self, expression: Any, seen: set[Any]) -> Iterator[Any]:
        """The buffers of integers that an expression is computed from."""
        for read in loads(expression):
            if read.source not in seen and dtype(read.source).kind in "iu":
                seen.add(read.source)
                yield read.source
                for value in self.stores.get(read.source, []):
                    yield from self._sources(value, seen)

    def _positive(self, expression: Any, seen: set[Any]) -> None:
        """Notes the inputs that make an expression positive by being so themselves."""
        name = kind(expression)
        if name == "TensorLoad" and expression.source not in seen:
            seen.add(expression.source)
            self.positive.add(expression.source)
            parts: Sequence[Any] = self.stores.get(expression.source, [])
        elif name in ("Add", "Max", "Div") or (name == "Mul" and not same(expression.a, expression.b)):
            parts = (expression.a, expression.b)
        elif name == "Cast":
            parts = (expression.value,)
        else:
            parts = (self.lets[expression],) if name == "Var" and expression in self.lets else ()
        for part in parts:
            self._positive(part, seen)


def _denominators(node: Any) -> list[Any]:
    """What must be positive for a node to have a value that means something."""
    if kind(node) in ("Div", "Mod", "FloorDiv", "FloorMod"):
        return [node.b]
    if kind(node) != "Call":
        return []
    name = str(node.op.name).rpartition(".")[2]
    whole = name == "pow" and kind(node.args[1]) == "FloatImm" and float(node.args[1].value).is_integer()
    return [node.args[0]] if name in _POSITIVE or (name == "pow" and not whole) else []
