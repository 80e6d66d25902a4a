"""Loops that a condition may end early, and how much of what they take that is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from forerun.tasks._shapes import OPPOSITE, called

EXITS = frozenset("sys.exit exit quit os._exit os.abort abort".split())
"""What ends a program."""
LONG_S, _SHORT_S = 1.0, 0.01
"""Seconds of a loop from which on it matters whether it ends early, and of one that tries one choice after another."""
_CHOICES = frozenset("combinations permutations product combinations_with_replacement".split())
HALFWAY = 0.5
"""How far such a loop goes in the mean that ends with what it looks for."""


def exits(node: ast.stmt) -> bool:
    """Whether a statement ends the program."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in EXITS


def ends(node: ast.stmt) -> bool:
    """Whether what stands behind a statement is not come to from there."""
    return isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)) or exits(node)


def leaving(body: Sequence[ast.stmt]) -> bool:
    """Whether what stands behind a block is not come to from there."""
    return bool(body) and ends(body[-1])


def in_turn(body: Sequence[ast.stmt], calls: Sequence[ast.Call]) -> tuple[int, int]:
    """How many of these calls are done one after the other, at most: where statements go on behind these, and where
    they have left the function."""
    goes, left = 0, 0
    for each in body:
        if isinstance(each, (ast.If, ast.Match)):
            bodies = [each.body, each.orelse] if isinstance(each, ast.If) else [case.body for case in each.cases]
            asked = each.test if isinstance(each, ast.If) else each.subject
            test = sum(one in calls for one in ast.walk(asked))
            ways = [in_turn(inside, calls) for inside in bodies]
            left = max(left, *(goes + test + way[1] for way in ways))
            on = [way[0] for way, inside in zip(ways, bodies, strict=True) if not leaving(inside)]
            if not on:
                return 0, left
            goes += test + max(on)
            continue
        several = isinstance(each, (ast.For, ast.While))
        goes += sum(one in calls for one in ast.walk(each)) * (2 if several else 1)
        if leaving([each]):
            return 0, max(left, goes)
    return goes, left


def may_end(body: list[ast.stmt], inside: bool = False) -> bool:
    """Whether something in a loop may end it: `if found: break`."""
    for each in body:
        if isinstance(each, ast.If):
            if may_end(each.body, True) or may_end(each.orelse, True):
                return True
        elif inside and (isinstance(each, (ast.Break, ast.Return)) or exits(each)):
            return True
    return False


def chooses(node: ast.expr | None) -> bool:
    """Whether it is all choices among some: `combinations(range(9), 2)`."""
    return isinstance(node, ast.Call) and called(node) in _CHOICES


def matters(over: ast.expr | None, seconds: float) -> bool:
    """Whether it matters that a loop through something may end early, which takes so long if it does not."""
    return seconds > (_SHORT_S if chooses(over) else LONG_S)


def endless(node: ast.AST) -> bool:
    """Whether a function gives one after the other without an end: by `while True` or `for n in count()`."""
    for one in ast.walk(node):
        if isinstance(one, ast.While) and isinstance(one.test, ast.Constant) and one.test.value:
            return True
        if isinstance(one, ast.For) and called(one.iter) in ("count", "cycle"):
            return True
    return False


def search(node: ast.Call) -> tuple[ast.GeneratorExp, ast.expr] | None:
    """Of `any(x > 3 for x in all)`, `all(…)` and `next(x for x in all if x > 3)` what they go through, and what ends
    that; None of others."""
    given = node.args[0] if node.args else None
    if not isinstance(given, ast.GeneratorExp) or not isinstance(node.func, ast.Name) or len(given.generators) > 1:
        return None
    over, named = given.generators[0], called(node)
    if named == "next":
        return (given, over.ifs[0]) if len(over.ifs) == 1 else None
    if over.ifs or named not in ("any", "all"):
        return None
    return given, given.elt if named == "any" else otherwise(given.elt)


def otherwise(test: ast.expr) -> ast.expr:
    """What holds where this does not."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and (op := OPPOSITE.get(type(test.ops[0]))):
        return ast.Compare(test.left, [op()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def as_loop(found: tuple[ast.GeneratorExp, ast.expr]) -> ast.For:
    """The same as a loop."""
    over = found[0].generators[0]
    made = ast.For(over.target, over.iter, [ast.If(found[1], [ast.Break()], [])], [])
    return ast.fix_missing_locations(ast.copy_location(made, found[0]))
