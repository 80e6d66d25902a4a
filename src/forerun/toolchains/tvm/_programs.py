"""Tensor programs that are written here, for operators of Relax to become calls of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

FUSED, ALONE = 4, 8
"""TVM's numbers of how a program may be fused: what is computed element by element of its result comes into it, or
nothing."""

LARGEST = 3.4028234663852886e38
"""Of float32: what TVM begins a minimum with, and its opposite a maximum."""
Into = Callable[[Any, Any], Any]
"""Two numbers to one, in whatever order."""


def legal(tvm: Any, name: str) -> Callable[[Any, Any], Any]:
    """What TVM makes of an operator of Relax: of a builder and a call."""
    found: Callable[[Any, Any], Any] = tvm.ir.Op.get(name).get_attr("FLegalize")
    return found


def known_shape(tvm: Any, value: Any) -> tuple[int, ...] | None:
    """Of a tensor of float32 that is not empty; None of others, or where not all of it is known."""
    sizes = getattr(value.ty, "shape", None)
    if not sizes or not all(isinstance(size, tvm.tirx.IntImm) for size in sizes) or str(value.ty.dtype) != "float32":
        return None
    found = tuple(int(size) for size in sizes)
    return None if 0 in found else found


def called(builder: Any, function: Any, name: str, arguments: Sequence[Any], shape: Sequence[int]) -> Any:
    """The call of a program whose one result, of float32, has that shape."""
    from tvm import relax

    made = builder.add_func(function, name)
    return relax.call_tir(made, list(arguments), out_ty=relax.TensorType(list(shape), "float32"))


@contextlib.contextmanager
def program(builder: Any, tirx: Any, kind: int) -> Iterator[None]:
    """The body of a PrimFunc in `builder`, of which may be fused what `kind` says."""
    with builder, tirx.prim_func(s_tir=True):
        tirx.func_name("main")
        tirx.func_attr({"tirx.noalias": True, "op_pattern": kind})
        yield


@contextlib.contextmanager
def block(tirx: Any, name: str, sizes: Sequence[int], kinds: str = "") -> Iterator[Sequence[Any]]:
    """A block in a loop for each size, and its axes: of `kinds` each is spatial (S, as all are by default) or reduced
    (R)."""
    kinds, one = kinds or "S" * len(sizes), len(sizes) == 1
    with tirx.grid(*long(tirx, sizes)) as loops, tirx.sblock(name):
        found = tirx.axis.remap(kinds, [loops] if one else loops)
        yield [found] if one else found


def tensor(tirx: Any, shape: Sequence[int]) -> Any:
    """A buffer of float32."""
    return tirx.buffer(long(tirx, shape), "float32")


def inner(tirx: Any, shape: Sequence[int]) -> Any:
    """A buffer of float32 that is nobody else's."""
    return tirx.sblock_alloc_buffer(long(tirx, shape), "float32")


def long(tirx: Any, sizes: Sequence[int]) -> list[Any]:
    """Sizes in the type of those of Relax."""
    return [tirx.int64(size) for size in sizes]
