"""What Rust and Go have in common, and what their libraries do as templates of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from tree_sitter import Node

from forerun.tasks._tongues._braced import Braced, field
from forerun.tasks._tongues._kinds import Kind
from forerun.tasks._tongues._translator import (
    assigned,
    called,
    constant,
    function_of,
    name,
    path,
    spelt,
    stored,
    text_of,
)

_T = TypeVar("_T")


@lru_cache(maxsize=512)
def _template(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def said(template: str, *values: ast.expr) -> ast.expr:
    """Python with these in the place of `A`, `B` and so on."""
    given = dict(zip("ABCDE", values, strict=False))

    def filled(of: object) -> object:
        if isinstance(of, list):
            return [filled(each) for each in of]
        if isinstance(of, ast.Name) and of.id in given:
            value = given[of.id]
            if isinstance(of.ctx, ast.Load):
                return value
            return ast.Name(value.id, ast.Store()) if isinstance(value, ast.Name) else stored(value)
        return type(of)(**{key: filled(each) for key, each in ast.iter_fields(of)}) if isinstance(of, ast.AST) else of

    return filled(_template(template))  # type: ignore[return-value]


def asks_for(template: str) -> int:
    """How many values a template wants."""
    return sum(letter in re.findall(r"\b[A-E]\b", template) for letter in "ABCDE")


def spread(table: Mapping[str, _T]) -> dict[str, _T]:
    """Names that stand together, each for itself."""
    return {one: value for names, value in table.items() for one in names.split()}


def all_of(tests: Sequence[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), [*tests]) if len(tests) > 1 else tests[0] if tests else constant(True)


def any_of(tests: Sequence[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.Or(), [*tests]) if len(tests) > 1 else tests[0]


def tuple_of(*values: ast.expr) -> ast.Tuple:
    return ast.Tuple([*values], ast.Load())


def quiet(value: ast.expr) -> list[ast.stmt]:
    """Nobody asks for it."""
    return [] if isinstance(value, (ast.Constant, ast.Name)) else [ast.Expr(value)]


def for_each(target: ast.expr, over: ast.expr, body: Sequence[ast.stmt]) -> ast.For:
    return ast.For(stored(target), over, [*body] or [ast.Pass()], [])


def only_value(body: Sequence[ast.stmt]) -> ast.expr | None:
    """What a function gives that does nothing else."""
    last = body[0] if len(body) == 1 else None
    return last.value if isinstance(last, ast.Return) else None


def apart(target: ast.expr, value: ast.expr) -> list[ast.stmt]:
    """`a, b = b, a` one after the other."""
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)):
        return [assigned(target, value)]
    made, later = list[ast.stmt](), list[ast.stmt]()
    for place, (one, given) in enumerate(zip(target.elts, value.elts, strict=True)):
        text = ast.unparse(one)
        if any(text in ast.unparse(other) for other in value.elts[place + 1 :]):
            fresh = f"__{text if text.isidentifier() else 'swapped'}_{place}"
            made.append(assigned(name(fresh), given))
            later.append(assigned(one, name(fresh)))
        else:
            made += apart(one, given)
    return [*made, *later]


def written(form: str, mark: re.Pattern[str], fill: Callable[[re.Match[str]], ast.expr | None]) -> list[ast.expr]:
    """The parts of a text with what stands in the place of its marks."""
    parts, end = list[ast.expr](), 0
    for found in mark.finditer(form):
        parts += [constant(form[end : found.start()])] if found.start() > end else []
        end = found.end()
        part = fill(found)
        parts += [part] if part is not None else []
    return [*parts, constant(form[end:])] if end < len(form) else parts


def marked(value: ast.expr, form: str = "") -> ast.FormattedValue:
    return ast.FormattedValue(value, -1, ast.JoinedStr([constant(form)]) if form else None)


def needed(node: Node, *names: str) -> Node:
    """A field that is always there."""
    found = field(node, *names)
    assert found is not None
    return found


def children(node: Node | None) -> list[Node]:
    """What it consists of, without comments."""
    return [each for each in node.named_children if not each.is_extra] if node is not None else []


def name_of(node: Node | None) -> str:
    """The name that it has."""
    return text_of(field(node, "name")) if node is not None else ""


class Typed(Braced):
    """Programs whose names have types."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names that are declared there are no longer known behind it."""
        self.scopes.append({})
        yield
        self.scopes.pop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What happens there is no part of the statement that is under way."""
        before, after, self.before, self.after = self.before, self.after, [], []
        yield
        self.before, self.after = before, after

    def held(self, value: ast.expr) -> ast.Name:
        """A value under a name of its own."""
        fresh = self.fresh()
        self.before.append(assigned(name(fresh), value))
        return name(fresh)

    def values(self, nodes: Sequence[Node]) -> list[ast.expr]:
        return [self.value(each) for each in nodes]

    def gave_up(self) -> ast.expr:
        """The program ends."""
        self.before.append(ast.Raise(None, None))
        return constant(None)

    def typed(self, one: Kind) -> ast.expr:
        """A list that grows, of such elements."""
        if one.scalar and one.bytes != 8:
            return called("_tongue.filled", constant(0), constant(0), constant(one.wide))
        return ast.List([], ast.Load())

    def extent(self, kind: Kind) -> float:
        """Bytes of a value that stands in its place itself and is no thing that has bytes of its own."""
        return kind.bytes

    def begins(self, fields: Mapping[str, Kind], defaults: list[ast.expr], inline: str) -> list[ast.stmt]:
        """What a class of such fields begins with; `inline` finds where its things stand in lists."""
        size = sum(map(self.extent, fields.values())) - (8.0 if re.search(inline, self.text) else 0.0)
        names = [*map(spelt, fields)]
        start = function_of("__init__", ["self", *names], [assigned(path("self", each), name(each)) for each in names])
        start.args.defaults = defaults
        return [assigned(name("__size__"), constant(max(size, 0.0))), start]

    def shared(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A function's statements, where it changes names of the whole program."""
        nodes = [each for stmt in body for each in ast.walk(stmt)]
        changed = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        shared = sorted(changed & {*map(spelt, self.globals)} - {*map(spelt, self.scopes[-1])})
        return [ast.Global(shared), *body] if shared else body
