"""What is put into a list if it is not there yet: `if x not in seen: seen.append(x)`, whichever way that is asked."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from forerun.tasks._objects import Boxes

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


def multiplied(body: Sequence[ast.stmt]) -> list[str]:
    """Names of what has several, after a round of a loop, for each one that it had before, whatever these are:
    `layer = [n.add() for n in layer for _ in range(7)]`, `all += [[*one, x] for one in all]`, `text = text + text`."""
    steps = [one for one in body if isinstance(one, (ast.Assign, ast.AugAssign))]
    named = [(one.targets[0] if isinstance(one, ast.Assign) else one.target, one) for one in steps]
    return [one.id for one, step in named if isinstance(one, ast.Name) and _several_of(step, one.id, body)]


def _several_of(step: ast.Assign | ast.AugAssign, name: str, body: Sequence[ast.stmt]) -> bool:
    """Whether a step gives a name several of each that it had."""
    value = step.value
    if isinstance(step, ast.AugAssign):
        return isinstance(step.op, ast.Add) and bool(_all_of(value, name))
    if isinstance(value, ast.Name):
        return any(_adds(loop, value.id) > 1 for loop in body if isinstance(loop, ast.For) and is_name(loop.iter, name))
    if isinstance(value, ast.ListComp) and len(value.generators) > 1:
        return is_name(value.generators[0].iter, name) and not any(one.ifs for one in value.generators)
    return _all_of(value, name) > 1


def _all_of(value: ast.expr, name: str) -> int:
    """How often all that has a name stands in what is put together of several."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _all_of(value.left, name) + _all_of(value.right, name)
    if isinstance(value, ast.ListComp):
        return int(is_name(value.generators[0].iter, name) and not any(one.ifs for one in value.generators))
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return int(is_name(value.value, name) and value.slice.lower is value.slice.upper is None)
    return int(is_name(value, name))


def is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is a name alone, this one."""
    return isinstance(node, ast.Name) and node.id == name


def _adds(loop: ast.For, name: str) -> int:
    """How often a round of a loop adds to what has a name, whatever that asks: twice stands for often."""
    found = 0
    for one in loop.body:
        if isinstance(one, ast.For):
            found += 2 * _adds(one, name)
        elif (
            isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute)
        ):
            found += one.value.func.attr in _ADDING and is_name(one.value.func.value, name)
        elif isinstance(one, (ast.If, ast.Continue, ast.Break)):
            return 0
    return found


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


def all_as_long(box: Boxes, many: float) -> None:
    """All lists in one have so many elements at least."""
    for inner, _ in box.links.values():
        stretched(inner, many)


def stretched(box: Boxes, many: float) -> None:
    """A list that has so many elements at least, of those that it has."""
    if box.kind in ("list", "tuple") and 0 < box.apiece < many:
        more = many / box.apiece
        for link in box.links.values():
            link[1] *= more
        box.puts = box.given = box.puts * more
