"""What a tensor program computes, in NumPy: the reference that a scheduled kernel's result is compared with.

The programs are unscheduled TensorIR, as TE and Relax's legalisation make it, fused or not: loop nests one after the
other, each around one block. Each nest is evaluated over all its loops at once (`_expressions`). Sums of floats are
accumulated in float64 and rounded once, so that the reference is nearer to the truth than any kernel; everything else
is computed in the type that the program names. Sums of products go through BLAS (`_contraction`); other reductions
whose update is one associative operation through NumPy's; any other update (the pairs of an argmax) step by step over
the reduction, in the program's order. Memory beyond the buffers stays below some 512 MB: what is larger is evaluated in
parts. A program that holds anything else raises InputError and names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from forerun.errors import InputError
from forerun.toolchains.tvm._blocks import Block
from forerun.toolchains.tvm._expressions import Array
from forerun.toolchains.tvm._nests import nest
from forerun.toolchains.tvm._nodes import kind, unsupported
from forerun.toolchains.tvm.agreement import WHOLE, agrees, error, large, rounding, terms
from forerun.toolchains.tvm.inputs import Parameter, inputs, parameters

__all__ = ["Parameter", "agrees", "error", "evaluate", "example", "inputs", "large", "parameters", "rounding", "terms"]

_SCALES = (1, 4, 16, 64)
"""Of inputs: a product of two such grows by up to 4,096, which is 8 bits of each."""
_DISTINCT = 32
"""Values of a result that tell enough."""


def example(func: Any, seed: int) -> tuple[list[Array], list[Array]]:
    """Inputs of a function, the same for the same seed, and its outputs for them. Raises InputError as `evaluate`.

    What rounds to whole numbers has larger inputs where that gives more different results: sums of small ones, which
    are to become 8 bits, are all rounded to 0, and so are those of any kernel.
    """
    found: tuple[list[Array], list[Array]] = [], []
    most = -1
    for scale in _SCALES if WHOLE in rounding(func) else _SCALES[:1]:
        given = inputs(func, seed, scale)
        made = evaluate(func, given)
        distinct = min((np.unique(each).size for each in made if each.size), default=0)
        if distinct > most:
            found, most = (given, made), distinct
        if most >= min([_DISTINCT, *(each.size for each in made)]):
            break
    return found


def evaluate(func: Any, arrays: Sequence[Array]) -> list[Array]:
    """The outputs of a function (a PrimFunc of tensors, unscheduled), for its inputs in the order of its parameters.

    Both are told apart by `parameters`; shapes and types are those of the buffers. Raises InputError where the
    program holds what has no evaluation here, where it reads out of bounds, and where inputs do not fit.
    """
    described = parameters(func)
    given = [(buffer, about) for buffer, about in zip(func.params, described, strict=True) if not about.written]
    if len(given) != len(arrays):
        raise InputError(
            "the inputs do not fit the tensor program", f"it reads {len(given)}, given are {len(arrays)}",
            "pass one array for each buffer that it reads",
        )  # fmt: skip
    program = _Program({buffer: _input(about, array) for (buffer, about), array in zip(given, arrays, strict=True)})
    with np.errstate(all="ignore"):
        program.run(func.body)
    outputs = [buffer for buffer, about in zip(func.params, described, strict=True) if about.written]
    return [program.arrays[buffer] for buffer in outputs]


def _input(about: Parameter, array: Array) -> Array:
    if array.shape != about.shape or array.dtype != about.dtype:
        raise InputError(
            "the inputs do not fit the tensor program",
            f"{about.name} is {about.dtype}{list(about.shape)}, given is {array.dtype}{list(array.shape)}",
            "make them with `inputs`",
        )
    return np.asarray(array, order="C")


class _Program:
    """Runs statements over arrays."""

    def __init__(self, arrays: dict[Any, Array]) -> None:
        self.arrays = arrays

    def run(self, statement: Any) -> None:
        """A statement outside of loops."""
        name = kind(statement)
        if name == "SeqStmt":
            for part in statement.seq:
                self.run(part)
        elif name == "SBlockRealize" and not len(statement.block.iter_vars):
            if len(statement.block.match_buffers) or kind(statement.predicate) != "IntImm":
                raise unsupported("a block of the whole program with a predicate or matched buffers")
            self.run(statement.block.body)
        elif name != "AllocBuffer":
            Block(nest(statement), self.arrays).run()
