"""What is looked for in chains and lists, and put there where it is not found, whichever way that is written: `while e
and e.key != key: e = e.next` with `if not e: e = Entry(key)` behind it, or a function that gives what it finds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forerun.tasks._gathering import is_name
from forerun.tasks._searching import leaving

_PASSING = frozenset("print printf puts write hash_ len".split())
"""Functions that keep nothing of what they are given."""
_ABSENT = (None, 0, -1, False)
"""What stands for nothing that was found."""


class Sought(NamedTuple):
    """What is looked for, and the name that says whether it was found."""

    what: ast.expr
    name: str


def chased(loop: ast.stmt) -> Sought | None:
    """What a loop looks for, along a chain or a list: it ends where that is found; None of others."""
    if not isinstance(loop, (ast.While, ast.For)):
        return None
    if isinstance(loop, ast.While) and isinstance(loop.test, ast.BoolOp) and isinstance(loop.test.op, ast.And):
        for test in loop.test.values[1:]:
            asked = loop.test.values[0]
            one = asked.left if isinstance(asked, ast.Compare) else asked
            for what, other in _compared(test, same=False):
                if isinstance(one, ast.Name) and _of(other, one.id):
                    return Sought(what, one.id)
    for each in loop.body:
        for what, other in _compared(each.test, same=True) if isinstance(each, ast.If) else ():
            if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break) and (name := _kept(each, loop, other)):
                return Sought(what, name)
    return None


def asked_along(loop: ast.While) -> ast.expr | None:
    """What a loop along a chain looks for that ends, or leaves the function, where that is found; None of others."""
    if (found := chased(loop)) is not None:
        return found.what
    ways = (one for one in loop.body if isinstance(one, ast.If) and leaving(one.body))
    return next((what for one in ways for what, _ in _compared(one.test, same=True)), None)


def along(loop: ast.While) -> str:
    """The name that goes along a chain, `while e: …; e = e.next`, whatever else is asked; nothing of others."""
    asked = loop.test
    both = isinstance(asked, ast.BoolOp) and isinstance(asked.op, ast.And)
    first = asked.values[0] if isinstance(asked, ast.BoolOp) and both else asked
    if isinstance(first, ast.Compare) and isinstance(first.ops[0], (ast.NotEq, ast.IsNot)):
        first = first.left
    name = first.id if isinstance(first, ast.Name) else ""
    steps = [one for one in loop.body if isinstance(one, ast.Assign) and is_name(one.targets[0], name)]
    goes = [one for one in steps if isinstance(one.value, ast.Attribute) and is_name(one.value.value, name)]
    return name if goes and len(goes) == len(steps) else ""


def _kept(found: ast.If, loop: ast.For | ast.While, other: ast.expr) -> str:
    """The name that something has that was found where a loop ends then: a flag, or what was found itself."""
    for one in found.body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            return one.targets[0].id
    asked = loop.test if isinstance(loop, ast.While) else None
    inner = asked.left if isinstance(asked, ast.Compare) else asked
    return inner.id if isinstance(inner, ast.Name) and _of(other, inner.id) else ""


def seeks(function: ast.FunctionDef) -> int | None:
    """Which of what it is given a function looks for, that gives what it finds, or nothing; None of others."""
    names = [each.arg for each in function.args.args]
    found: ast.expr | None = None
    for place, each in enumerate(function.body):
        if not isinstance(each, (ast.While, ast.For)):
            continue
        behind = function.body[place + 1 :]
        sought = chased(each)
        gives = behind[0].value if behind and isinstance(behind[0], ast.Return) else None
        if sought is not None and len(behind) == 1 and isinstance(gives, ast.Name) and gives.id == sought.name:
            found = sought.what
        elif not behind or (len(behind) == 1 and isinstance(behind[0], ast.Return) and _nothing(gives)):
            ways = [one for one in each.body if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return)]
            given = [what for one in ways for what, _ in _compared(one.test, same=True)]
            found = given[0] if len(ways) == 1 and given else found
    return names.index(found.id) if isinstance(found, ast.Name) and found.id in names else None


def _nothing(value: ast.expr | None) -> bool:
    plain = value.operand if isinstance(value, ast.UnaryOp) else value
    return value is None or (isinstance(plain, ast.Constant) and plain.value in (*_ABSENT, 1))


def _compared(test: ast.expr, same: bool) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is compared with what stands in a thing or a place, and that, where a test holds for what is the same, or is
    not."""
    turned = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    plain = test.operand if isinstance(test, ast.UnaryOp) and turned else test
    if isinstance(plain, ast.BoolOp) and isinstance(plain.op, ast.And) and same and not turned:
        for each in plain.values:  # its hash, and itself
            yield from _compared(each, same)
        return
    if not (isinstance(plain, ast.Compare) and len(plain.ops) == 1):
        return
    if isinstance(plain.ops[0], ast.Eq if same != turned else ast.NotEq):
        sides = (plain.left, plain.comparators[0])
        for what, other in (sides, sides[::-1]):
            if isinstance(what, ast.Name) and isinstance(other, (ast.Attribute, ast.Subscript)):
                yield what, other


def _of(node: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def absent(test: ast.expr) -> tuple[ast.expr, bool] | None:
    """What a test asks for, and whether it holds where that is not there; None of others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = absent(test.operand)
        return (inner[0], not inner[1]) if inner is not None else None
    if isinstance(test, (ast.Name, ast.Call, ast.NamedExpr)):
        return test, False
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    op, last = test.ops[0], test.comparators[0]
    minus = isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.USub)
    plain = last.operand if isinstance(last, ast.UnaryOp) and minus else last
    if not isinstance(plain, ast.Constant) or plain.value not in (*_ABSENT, 1):
        return None
    if isinstance(op, (ast.Eq, ast.Is)):
        return test.left, True
    if isinstance(op, (ast.NotEq, ast.IsNot)):
        return test.left, False
    below = isinstance(op, ast.Lt) and plain.value == 0
    return (test.left, below) if below or isinstance(op, (ast.Gt, ast.GtE)) else None


def inserts(node: ast.If, behind: Sequence[ast.stmt], lacks: bool, what: ast.expr) -> bool:
    """Whether what is looked for is put somewhere where a test says that it is not there: where it holds, `lacks`, or
    elsewhere, in another branch or `behind`."""
    where = node.body if lacks else [*node.orelse, *(behind if leaving(node.body) else ())]
    names = {one.id for one in ast.walk(what) if isinstance(one, ast.Name)}
    for one in (each for stmt in where for each in ast.walk(stmt)):
        given: list[ast.expr] = []
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], (ast.Attribute, ast.Subscript)):
            given = [one.value]
        elif isinstance(one, ast.Call) and ast.unparse(one.func).rpartition(".")[2] not in _PASSING:
            given = [*one.args, *(each.value for each in one.keywords)]
        if any(isinstance(each, ast.Name) and each.id in names for value in given for each in ast.walk(value)):
            return True
    return False
