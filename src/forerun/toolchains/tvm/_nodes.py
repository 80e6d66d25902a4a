"""Nodes of TensorIR by the names of their classes: what they hold, and the error of those that are not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from forerun.errors import InputError

DATA_PARALLEL, REDUCTION = 0, 2  # TVM's numbers of the kinds of block variables
_BINARY = (
    "Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or "
    "BitwiseAnd BitwiseOr BitwiseXor LShift RShift"
)
_PARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_BINARY.split(), ("a", "b")),
    "Not": ("a",),
    "BitwiseNot": ("a",),
    "Cast": ("value",),
    "Select": ("condition", "true_value", "false_value"),
    "Let": ("value", "body"),
    "Call": ("args",),
    "TensorLoad": ("indices",),
    **dict.fromkeys(("Var", "IntImm", "FloatImm", "AllocBuffer"), ()),
    "For": ("min", "extent", "body"),
    "SBlockRealize": ("iter_values", "predicate", "block"),
    "SBlock": ("init", "body"),
    "SeqStmt": ("seq",),
    "BufferStore": ("indices", "value"),
    "Bind": ("value",),
    "IfThenElse": ("condition", "then_case", "else_case"),
    "Evaluate": ("value",),
}


def kind(node: Any) -> str:
    """The name of a node's class."""
    return type(node).__name__


def unsupported(construct: str) -> InputError:
    """The error of a program that holds what has no evaluation here."""
    return InputError(
        "the tensor program cannot be evaluated", f"it has {construct}", "give one as TE or Relax make it, unscheduled"
    )


def children(node: Any) -> list[Any]:
    """What a node directly holds, in program order. Raises InputError for kinds not known."""
    if kind(node) not in _PARTS:
        raise unsupported(f"a node of the kind {kind(node)}")
    found: list[Any] = []
    for name in _PARTS[kind(node)]:
        part = getattr(node, name)
        found += part if name in ("args", "indices", "seq", "iter_values") else [part]
    return [part for part in found if part is not None]


def walk(node: Any) -> Iterator[Any]:
    """A statement or expression and all that it holds, in program order. Raises InputError for kinds not known."""
    yield node
    for child in children(node):
        yield from walk(child)


def same(a: Any, b: Any) -> bool:
    """Whether two expressions are written alike, over the same variables."""
    if kind(a) != kind(b) or str(a.ty.dtype) != str(b.ty.dtype):
        return False
    if kind(a) in ("Var", "Let"):
        return bool(a.same_as(b))
    if kind(a) in ("IntImm", "FloatImm"):
        return bool(a.value == b.value)
    if kind(a) == "Call" and a.op.name != b.op.name:
        return False
    if kind(a) == "TensorLoad" and not a.source.same_as(b.source):
        return False
    first, second = children(a), children(b)
    return len(first) == len(second) and all(map(same, first, second))


def loads(node: Any) -> list[Any]:
    """The reads of buffers in a statement or expression."""
    return [part for part in walk(node) if kind(part) == "TensorLoad"]


def dtype(typed: Any) -> np.dtype[Any]:
    """The NumPy type of a buffer's elements or of an expression. Raises InputError where there is none."""
    name = str(typed.ty.dtype)
    if name == "bfloat16":
        import ml_dtypes  # noqa: F401 - comes with TVM, and tells NumPy the name

    try:
        return np.dtype(name)
    except TypeError:
        raise unsupported(f"values of the type {name}") from None


def shape(buffer: Any) -> tuple[int, ...]:
    """The extents of a buffer. Raises InputError where one is not known before the program runs, or it has strides."""
    if any(kind(extent) != "IntImm" for extent in buffer.ty.shape):
        raise unsupported(f"the buffer {buffer.name} of no fixed shape")
    if len(buffer.ty.strides):
        raise unsupported(f"the buffer {buffer.name} with strides")
    return tuple(int(extent) for extent in buffer.ty.shape)


def is_buffer(parameter: Any) -> bool:
    """Whether a parameter or variable is a buffer."""
    return kind(parameter.ty) == "BufferType"
