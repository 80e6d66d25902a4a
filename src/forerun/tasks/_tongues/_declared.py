"""What C, C++ and Java have in common."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from forerun.tasks._tongues._braced import field
from forerun.tasks._tongues._kinds import Kind
from forerun.tasks._tongues._translator import TONGUE, assigned, called, constant, function_of, name, spelt, text_of
from forerun.tasks._tongues._typed import Typed, children, said


def below(node: Node, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds."""
    left = [node]
    while left:
        one = left.pop()
        if one.type in kinds:
            yield one
        left += reversed(one.named_children)


def child(node: Node, *kinds: str) -> Node | None:
    """The first of these kinds that it consists of."""
    return next((each for each in node.named_children if each.type in kinds), None)


def bare(node: Node | None) -> Node | None:
    """What stands in parentheses."""
    while node is not None and node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def sides(node: Node) -> tuple[Node | None, str, Node | None]:
    """Of an operation, with its sign between them."""
    return field(node, "left"), text_of(field(node, "operator")), field(node, "right")


def let(named: str, value: ast.expr) -> ast.Assign:
    """A name that is given a value."""
    return assigned(name(spelt(named)), value)


def list_of(*values: ast.expr) -> ast.List:
    return ast.List([*values], ast.Load())


def lettered(value: ast.expr) -> ast.expr:
    """A letter as a text."""
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return constant(chr(value.value % 256))
    return value


def from_table(table: Mapping[str, str], named: str, *values: ast.expr) -> ast.expr | None:
    """What a library has under this name, or under it and the number of values, with None for what is not given."""
    template = table.get(f"{named}/{len(values)}", table.get(named))
    return said(template, *values, *[constant(None)] * 3) if template is not None else None


class Declared(Typed):
    """Programs whose names are declared."""

    def __init__(self) -> None:
        super().__init__()
        self.readers = set[str]()
        """Functions that read a number letter by letter."""

    def reads(self, named: str, text: str, *words: str) -> None:
        """That a function reads a number is seen in its text by some of these words."""
        if all(each in text for each in ("*", "10", "'0'")) and any(each in text for each in words):
            self.readers.add(named)

    def done(self, made: ast.stmt, value: object = None) -> ast.expr:
        """What is done before gives nothing more than this."""
        self.before.append(made)
        return constant(value)

    def inside(self, named: str, body: Node | None) -> list[ast.stmt]:
        """What a function does."""
        if named in self.readers:
            marks = [constant("#")] if "'#'" in text_of(body) else []  # behind which a line says nothing
            return [ast.Return(called("int", called(f"{TONGUE}.word", *marks)))]
        with self.aside():
            return self.shared(self.statements(children(body)))

    def named_lambda(self, named: str, names: Mapping[str, Kind], body: Node | None) -> ast.stmt:
        """A function that is given a name where it is written."""
        with self.scope(), self.aside():
            self.scopes[-1].update(names)
            if body is None or body.type in ("compound_statement", "block"):
                made = self.statements(children(body))
            else:
                value = self.value(body)
                made = [*self.before, ast.Return(value), *self.after]
        self.known.add(named)
        return function_of(spelt(named), [*map(spelt, names)], made)

    def switched(
        self, subject: ast.expr, parts: Iterable[tuple[Sequence[ast.expr], bool, list[ast.stmt]]]
    ) -> list[ast.stmt]:
        """Labels, whether all others are meant, and what is done there, if not what is done at the next."""
        found, labels, remains = list[tuple[list[ast.expr], list[ast.stmt]]](), list[ast.expr](), False
        for own, others, made in parts:
            labels, remains = [*labels, *own], remains or others
            if made:
                found.append(([] if remains else labels, made))
                labels, remains = [], False
        return self.cases(subject, found)
