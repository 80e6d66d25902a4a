"""What is put into a list if it is not there yet: `if x not in seen: seen.append(x)`, whichever way that is asked."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

_ADDING = frozenset("append add push insert".split())
_EXTENDING = frozenset("extend update concat".split())


class Gathers(NamedTuple):
    """The list, what goes into it, and whether that happens where the test holds."""

    into: ast.expr
    what: ast.expr
    holds: bool


def gathers(node: ast.If) -> Gathers | None:
    """What a branch puts into a list that its test asks for it; None of others."""
    for body, holds in ((node.body, True), (node.orelse, False)):
        for each in body:
            call = each.value if isinstance(each, ast.Expr) else None
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
                continue
            into, what = call.func.value, call.args[-1]
            if call.func.attr in _ADDING and not isinstance(what, ast.Constant):
                asked = {ast.dump(one) for one in ast.walk(node.test) if isinstance(one, ast.expr)}
                if ast.dump(into) in asked and ast.dump(what) in asked:
                    return Gathers(into, what, holds)
    return None


def sought(loop: ast.stmt, behind: Sequence[ast.stmt]) -> ast.Name | None:
    """What a loop looks for and leaves the function with, where it is put somewhere behind the loop if it was not
    found: `for e in chain: if e.key == key: return e` with `chain.append(Entry(key))` behind it; None of others."""
    if not isinstance(loop, (ast.For, ast.While)):
        return None
    for each in loop.body:
        if not (isinstance(each, ast.If) and each.body and isinstance(each.body[-1], ast.Return)):
            continue
        for test in each.test.values if isinstance(each.test, ast.BoolOp) else [each.test]:
            if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
                continue
            sides = (test.left, test.comparators[0])
            for what, other in (sides, sides[::-1]):
                held = isinstance(other, (ast.Attribute, ast.Subscript))
                if isinstance(what, ast.Name) and held and any(_puts(stmt, what.id) for stmt in behind):
                    return what
    return None


def _puts(stmt: ast.stmt, name: str) -> bool:
    """Whether a statement keeps what has a name, in a field, a place, or something that it adds."""
    for one in ast.walk(stmt):
        given: list[ast.expr] = []
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], (ast.Attribute, ast.Subscript)):
            given = [one.value]
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _ADDING:
            given = [*one.args]
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id[:1].isupper():
            given = [*one.args, *(each.value for each in one.keywords)]
        if any(isinstance(each, ast.Name) and each.id == name for value in given for each in ast.walk(value)):
            return True
    return False


def takes_apart(inside: Sequence[ast.AST], calls: Collection[ast.Call]) -> bool:
    """Whether a function puts what stands in what others give it, of these calls, into something else: `a(n) + [n] +
    a(n)`, `for p in all(rest): out.append([x] + p)`."""
    names = {
        target.id for one in inside if isinstance(one, ast.Assign) and any(each is one.value for each in calls)
        for target in one.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    for one in inside:
        taken: list[ast.expr] = []
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            taken = [one.left, one.right]
        elif isinstance(one, (ast.For, ast.comprehension)):
            taken = [one.iter]
        elif isinstance(one, ast.Dict):
            taken = [value for key, value in zip(one.keys, one.values, strict=True) if key is None]
        elif isinstance(one, (ast.Starred, ast.FormattedValue, ast.AugAssign)):
            taken = [one.value]
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _EXTENDING:
            taken = [one.func.value, *one.args]
        if any(each in calls or (isinstance(each, ast.Name) and each.id in names) for each in taken):
            return True
    return False


def new(often: float, different: float) -> float:
    """How often one of so many different ones is there for the first time, of so many times that one is asked for."""
    return different * -math.expm1(-often / different) / often


def there(often: float, different: float) -> float:
    """How many are there in the mean of these times."""
    return different * (1.0 - new(often, different))
