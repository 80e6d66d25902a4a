"""Whole numbers of Python that become longer each time: `product *= n`, `hashed = hashed * 31 + letter`,
`a, b = b, a + b`.

Reckoning with them takes as long as they are (CPython 3.11, one core of an AMD EPYC, Zen 4).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

DIGIT_BITS, DIGIT_NS = 30.0, 0.75
"""Bits of a digit, and nanoseconds of one that is added to another, or multiplied by it."""
FIBONACCI_BITS = 0.694
"""By which a number is longer that is the sum of the last two: the golden ratio's logarithm."""
_SHORTENING = (ast.Mod, ast.FloorDiv, ast.Div, ast.RShift, ast.BitAnd)


@dataclass(frozen=True, slots=True)
class Longer:
    """A name that has a longer number behind a statement, and what it is multiplied by; None of a sum of the last
    two."""

    name: str
    factor: ast.expr | None


def longer(module: ast.Module) -> dict[int, Longer]:
    """Statements that make numbers longer which nothing makes shorter again, by their identity."""
    given = [(node, name, value) for node in ast.walk(module) for name, value in _given(node)]
    follows = {(name, value.id) for _, name, value in given if isinstance(value, ast.Name)}
    short = {name for _, name, value in given if _shortens(value)}
    found = dict[int, Longer]()
    for node, name, value in given:
        if name in short:
            continue
        if (factor := _factor(name, value)) is not None:
            found[id(node)] = Longer(name, factor)
        elif _of_last_two(name, value, follows):
            found[id(node)] = Longer(name, None)
    return found


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names that a statement gives something."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, ast.BinOp(node.target, node.op, node.value)
    for target in node.targets if isinstance(node, ast.Assign) else ():
        assert isinstance(node, ast.Assign)
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = [*zip(target.elts, node.value.elts, strict=False)]
        else:
            pairs = [(target, node.value)]
        yield from ((one.id, value) for one, value in pairs if isinstance(one, ast.Name))


def _shortens(value: ast.expr) -> bool:
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, _SHORTENING) for one in ast.walk(value))


def _factor(name: str, value: ast.expr) -> ast.expr | None:
    """Of `name * factor`, or that and something more, the factor, which is something else."""
    product = value.left if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)) else value
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return None
    for side, other in ((product.left, product.right), (product.right, product.left)):
        if _is(side, name) and not any(_is(one, name) for one in ast.walk(other)):
            return other
    return None


def _of_last_two(name: str, value: ast.expr, follows: set[tuple[str, str]]) -> bool:
    """`a, b = b, a + b`, or `c = a + b; a = b; b = c`, where `follows` says which names are given which."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
        return False
    if not isinstance(value.left, ast.Name) or not isinstance(value.right, ast.Name):
        return False
    orders = ((value.left.id, value.right.id), (value.right.id, value.left.id))
    return any((one, other) in follows and (other == name or (other, name) in follows) for one, other in orders)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
