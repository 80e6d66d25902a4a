"""What is put into a list if it is not there yet: `if x not in seen: seen.append(x)`, whichever way that is asked."""

from __future__ import annotations

import ast
import math
from typing import NamedTuple

_ADDING = frozenset("append add push insert".split())


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


def new(often: float, different: float) -> float:
    """How often one of so many different ones is there for the first time, of so many times that one is asked for."""
    return different * -math.expm1(-often / different) / often


def there(often: float, different: float) -> float:
    """How many are there in the mean of these times."""
    return different * (1.0 - new(often, different))
