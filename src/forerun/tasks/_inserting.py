"""Functions that put something into a tree or a chain by calling themselves: `node.left = insert(node.left, key)`.

Each call makes one node, at the end of a way down. Such a function is gone through as the loop that does the same:
what a call of itself does is done with the next node, and what it makes where there is none stands where the way ends.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import dataclass

from forerun.tasks._shapes import called

_TOP = "_top"
"""The node that the way begins with."""
_MADE = "_made"
"""What makes a node by several statements."""
_MOST = 1000
"""Nodes of the syntax tree that such a function has, at most."""


def unrolled(module: ast.Module) -> ast.Module:
    """The same program with loops instead of such functions; itself where it has none."""
    if not any(isinstance(node, ast.FunctionDef) and _Way.of(node) for node in ast.walk(module)):
        return module
    copied = deepcopy(module)
    for node in [*ast.walk(copied)]:
        if isinstance(node, ast.FunctionDef) and (way := _Way.of(node)):
            node.body = way.body()
    return ast.fix_missing_locations(copied)


class _Back(ast.NodeTransformer):
    """What is done on the way back, with a node that stays: `node = rotate(node)`, `return rotate(node)`."""

    def __init__(self, named: str) -> None:
        self.named = named

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        kept = any(isinstance(one, ast.Name) and one.id == self.named for one in node.targets)
        return ast.copy_location(ast.Expr(node.value), node) if kept else node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Expr(node.value) if node.value is not None else ast.Pass(), node)


@dataclass(frozen=True, slots=True)
class _Way:
    """A function whose node is `named`, and given at this place; what is in front, what where there is `none`, and the
    `rest`."""

    node: ast.FunctionDef
    named: str
    at: int
    front: list[ast.stmt]
    none: list[ast.stmt]
    rest: list[ast.stmt]

    @classmethod
    def of(cls, node: ast.FunctionDef) -> _Way | None:
        """None of a function that does something else."""
        if not any(isinstance(one, ast.Call) and called(one) == node.name for one in ast.walk(node)):
            return None
        names = [each.arg for each in node.args.args]
        for place, one in enumerate(node.body):
            named = _missing(one.test) if isinstance(one, ast.If) else ""
            if named not in names or not isinstance(one, ast.If):
                continue
            rest = [*one.orelse, *node.body[place + 1 :]]
            if not _returns(one.body) or not rest:
                return None
            at = names.index(named) - (names[0] in ("self", "this") and len(names) > 1)
            way = cls(node, named, at, node.body[:place], one.body, rest)
            return way if way._descends() else None
        return None

    def _descends(self) -> bool:
        """Whether it calls itself for nothing but what is below, and gives its node back."""
        inside = [one for each in self.rest for one in ast.walk(each)]
        ways = sum(self._below(one) is not None for one in inside)
        own = sum(isinstance(one, ast.Call) and called(one) == self.node.name for one in inside)
        if not ways or own != ways or any(isinstance(one, (ast.For, ast.While)) for one in inside):
            return False
        down, _ = self._down()
        early = [one for each in down for one in ast.walk(each) if isinstance(one, ast.Return)]
        last = self.rest[-1]
        gives = isinstance(last, ast.Return) and last.value is not None
        gives = gives and any(isinstance(one, ast.Name) and one.id == self.named for one in ast.walk(last))
        return gives and all(self._is_own(one.value) for one in early) and len(inside) <= _MOST

    def _down(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """What is done on the way down, and on the way back."""
        ways = [self._leads(each) for each in self.rest]
        end = max((place + 1 for place, goes in enumerate(ways) if goes), default=0)
        return self.rest[:end], self.rest[end:]

    def _leads(self, node: ast.stmt) -> bool:
        """Whether it calls itself there."""
        return any(self._below(one) is not None for one in ast.walk(node))

    def _is_own(self, value: ast.expr | None) -> bool:
        return isinstance(value, ast.Name) and value.id == self.named

    def _below(self, node: ast.AST) -> ast.Attribute | None:
        """`node.left` of `node.left = insert(node.left, key)`."""
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call)):
            return None
        target, call = node.targets[0], node.value
        if called(call) != self.node.name or not isinstance(target, ast.Attribute) or not self._is_own(target.value):
            return None
        given = call.args[self.at] if 0 <= self.at < len(call.args) else None
        same = isinstance(given, ast.Attribute) and given.attr == target.attr and self._is_own(given.value)
        return target if same else None

    def body(self) -> list[ast.stmt]:
        """The loop, with what is in front of it; what is done on the way back is done as often on the way down."""
        down, back = self._down()
        done = [_Back(self.named).visit(deepcopy(one)) for one in back]
        done = [one for one in done if not (isinstance(one, ast.Expr) and self._is_own(one.value))]
        front = self.front
        if len(self.none) > 1:
            nothing = ast.arguments([], [], None, [], [], None, [])
            front = [*front, ast.copy_location(ast.FunctionDef(_MADE, nothing, self.none, [], None), self.none[0])]
        new = ast.copy_location(ast.Return(self._new()), self.none[-1])
        first = ast.copy_location(ast.If(_gone(ast.Name(self.named, ast.Load())), [new], []), self.none[0])
        start = ast.Assign([ast.Name(_TOP, ast.Store())], ast.Name(self.named, ast.Load()))
        loop = ast.While(ast.Constant(True), [*done, *self._stepped(down)], [])
        made = (start, loop, ast.Return(ast.Name(_TOP, ast.Load())))
        return [*front, first, *(ast.copy_location(one, down[0]) for one in made)]

    def _stepped(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements of a round, in which each branch goes on to the next node or ends the way."""
        found = list[ast.stmt]()
        for one in body:
            if (below := self._below(one)) is not None:
                found += [self._made(one, below), self._next(one, below)]
            elif isinstance(one, ast.Return):
                found.append(ast.copy_location(ast.Break(), one))
            elif isinstance(one, ast.If) and self._leads(one):
                other = one.orelse[0].body if _either(one) and isinstance(one.orelse[0], ast.If) else one.orelse
                sides = [self._stepped(side) for side in (one.body, other)]
                sides = [side if _ends(side) else [*side, ast.copy_location(ast.Break(), one)] for side in sides]
                found.append(ast.copy_location(ast.If(one.test, *sides), one))
            else:
                found.append(one)
        return found

    def _made(self, at: ast.stmt, below: ast.Attribute) -> ast.stmt:
        """`if node.left is None:` with what is made, and the end of the way."""
        made = [ast.Assign([deepcopy(below)], self._new()), ast.Break()]
        return ast.copy_location(
            ast.If(_gone(self._there(below)), [ast.copy_location(one, at) for one in made], []), at
        )

    def _new(self) -> ast.expr:
        """What is made where there is no node."""
        last = self.none[-1]
        if len(self.none) == 1 and isinstance(last, ast.Return) and last.value is not None:
            return deepcopy(last.value)
        return ast.copy_location(ast.Call(ast.Name(_MADE, ast.Load()), [], []), self.none[0])

    def _next(self, at: ast.stmt, below: ast.Attribute) -> ast.stmt:
        return ast.copy_location(ast.Assign([ast.Name(self.named, ast.Store())], self._there(below)), at)

    def _there(self, below: ast.Attribute) -> ast.expr:
        return ast.Attribute(ast.Name(self.named, ast.Load()), below.attr, ast.Load())


def _gone(value: ast.expr) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [ast.Constant(None)])


def _ends(body: list[ast.stmt]) -> bool:
    """Whether the way ends there in some case."""
    return any(isinstance(one, ast.Break) for each in body for one in ast.walk(each))


def _missing(test: ast.expr) -> str:
    """The name that a test finds to be nothing: `node is None`, `node == None`, `not node`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return test.operand.id
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.Eq))):
        return ""
    left, right = test.left, test.comparators[0]
    nothing = isinstance(right, ast.Constant) and right.value is None
    return left.id if nothing and isinstance(left, ast.Name) else ""


def _either(node: ast.If) -> bool:
    """Whether it is `if key < node.key: … elif key > node.key: …`: what is equal is seldom there."""
    if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return False
    tests = [one for one in (node.test, node.orelse[0].test) if isinstance(one, ast.Compare) and len(one.ops) == 1]
    orders = [type(one.ops[0]) for one in tests]
    sides = {(ast.dump(one.left), ast.dump(one.comparators[0])) for one in tests}
    return orders in ([ast.Lt, ast.Gt], [ast.Gt, ast.Lt]) and len(sides) == 1


def _returns(body: list[ast.stmt]) -> bool:
    """Whether it makes something and gives it back."""
    last = body[-1]
    return isinstance(last, ast.Return) and last.value is not None and not isinstance(last.value, ast.Constant)
