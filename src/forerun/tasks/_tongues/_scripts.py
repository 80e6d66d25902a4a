"""What Lua, Perl and Ruby have in common."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache

from tree_sitter import Node

from forerun.tasks._tongues._braced import Braced, field, joined
from forerun.tasks._tongues._translator import (
    asked_plainly,
    assigned,
    binary,
    called,
    compared,
    constant,
    method,
    name,
    negated,
    opposite,
    text_of,
)

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "0": "\0"}
GROUP = re.compile(r"(?<!\\)\((?!\?)")
"""What keeps a part of what a pattern finds."""
_FORM = re.compile(r"%(?:<\w+>)?([-+ 0#]*)(\*|\d+)?(\.\d+)?(?:<\w+>|\{\w+\})?l*([a-zA-Z%]|(?<=\}))")
_LETTERS = "abcd"


class Scripted(Braced):
    """Statements and expressions that need no types."""

    def __init_subclass__(cls, said: Mapping[str, Callable[..., object]]) -> None:
        """Methods by their names, one or several."""
        for names, does in said.items():
            for each in names.split():
                setattr(cls, each, does)

    def __init__(self) -> None:
        super().__init__()
        self.own = [set[str]()]
        """Names that functions declare which are under way."""

    @contextmanager
    def aside(self) -> Iterator[tuple[list[ast.stmt], list[ast.stmt]]]:
        """What happens before and after what is made meanwhile, kept from the statement that is under way."""
        outer, inside = (self.before, self.after), (list[ast.stmt](), list[ast.stmt]())
        self.before, self.after = inside
        yield inside
        self.before, self.after = outer

    def stated(self, make: Callable[[], list[ast.stmt]], node: Node) -> list[ast.stmt]:
        """What is made, with what happens before and after."""
        with self.aside() as (before, after):
            made = make()
        leaves = bool(made) and isinstance(made[-1], ast.Return)
        return lined([*before, *made, *([] if leaves else after)], node)

    def turning(self, condition: Node, body: Sequence[ast.stmt], until: bool) -> ast.stmt:
        """`while`, `until`."""
        with self.aside() as (ahead, behind):
            test = self.test(condition)
        test = opposite(test) if until else asked_plainly(test)
        if ahead and all(isinstance(each, ast.AugAssign) for each in ahead):  # `while (++$i < $n)`
            self.before += ahead
            return ast.While(test, [*behind, *body, *map(deepcopy, ahead)], [])
        if ahead:
            return ast.While(constant(True), [*ahead, leaving(negated(test)), *behind, *body], [])
        return ast.While(test, [*behind, *body] or [ast.Pass()], [])

    def shared(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A function's statements, where it changes names of the whole program."""
        names = sorted((changed(body) & self.globals) - self.own[-1])
        return [ast.Global(names), *body] if names else body

    def unnamed(self, made: ast.FunctionDef) -> ast.expr:
        """A function as a value."""
        only = made.body[0]
        if isinstance(only, ast.Return) and only.value is not None and not made.args.vararg:
            return ast.Lambda(made.args, only.value)
        self.before.append(made)
        return name(made.name)

    def kept(self, value: ast.expr) -> ast.Name:
        """A value under a name of its own."""
        made = self.fresh()
        self.before.append(assigned(name(made), value))
        return name(made)

    def asks(self, node: Node) -> bool:
        """Whether it is asked whether a mapping has something."""
        return False

    def test(self, node: Node | None) -> ast.expr:
        if node is None:
            return constant(True)
        inner, operator = node.named_children, written(node, "operator")
        if node.type.startswith("parenthesized") and len(inner) == 1:
            return self.test(inner[0])
        if node.type in ("binary", "binary_expression") and operator in ("and", "or", "&&", "||"):
            return self.operation(self.test(field(node, "left")), operator, self.test(field(node, "right")))
        return has(self.value(node)) if self.asks(node) else self.value(node)

    def first(self, made: Sequence[ast.stmt]) -> None:
        """This happens before."""
        self.before += made

    def all_done(self, made: Sequence[ast.expr]) -> ast.expr:
        """One after the other."""
        self.before += [ast.Expr(each) for each in made[:-1]]
        return made[-1] if made else constant(None)

    def place(self, made: ast.expr) -> ast.expr:
        """What can be given a value."""
        return made if isinstance(made, (ast.Name, ast.Attribute, ast.Subscript)) else name(self.fresh())


# Trees.


def below(node: Node | None, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds, or of any."""
    left = [node] if node is not None else []
    while left:
        one = left.pop()
        if not kinds or one.type in kinds:
            yield one
        left += reversed(one.named_children)


def within(node: Node, *kinds: str) -> bool:
    """Whether it stands in one of these."""
    while node.parent is not None:
        node = node.parent
        if node.type in kinds:
            return True
    return False


def part(node: Node | None, *names: str) -> Node | None:
    return field(node, *names) if node is not None else None


def written(node: Node | None, *names: str) -> str:
    """What is written there."""
    return text_of(part(node, *names))


def must(node: Node | None, *names: str) -> Node:
    """A field that is there."""
    found = part(node, *names)
    assert found is not None
    return found


def sides(node: Node) -> tuple[Node, str, Node]:
    """Of an operator."""
    return must(node, "left"), written(node, "operator"), must(node, "right")


def inside(node: Node | None) -> list[Node]:
    """What stands there."""
    return [each for each in node.named_children if not each.is_extra] if node is not None else []


# What Python says.


@lru_cache(maxsize=1024)
def _form(template: str) -> ast.expr:
    return ast.parse(template, mode="eval").body


def put(template: str, *values: ast.expr) -> ast.expr:
    """What is written there, with the values in the place of `a`, `b`, …; `*z` are all others."""
    return _put(_form(template), values, values[sum(each in _names(template) for each in _LETTERS) :])  # type: ignore[return-value]


@lru_cache(maxsize=1024)
def _names(template: str) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(_form(template)) if isinstance(each, ast.Name))


def _put(node: object, values: Sequence[ast.expr], others: Sequence[ast.expr]) -> object:
    if isinstance(node, list):
        parts = [others if _is_rest(each) else [_put(each, values, others)] for each in node]
        return [each for some in parts for each in some]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.Name) and node.id in _LETTERS:
        place = _LETTERS.index(node.id)
        value = values[place] if place < len(values) else constant(None)
        given = isinstance(node.ctx, ast.Load) and isinstance(getattr(value, "ctx", None), ast.Store)
        return again(value) if given else value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return negated(_put(node.operand, values, others))  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return constant(ast.literal_eval(node))
    return type(node)(**{key: _put(value, values, others) for key, value in ast.iter_fields(node)})


def _is_rest(node: object) -> bool:
    return isinstance(node, ast.Starred) and isinstance(node.value, ast.Name) and node.value.id == "z"


def to(named: str) -> ast.Name:
    """A name that is given a value."""
    return ast.Name(named, ast.Store())


def again(target: ast.expr) -> ast.expr:
    """What was given a value."""
    made = deepcopy(target)
    for one in ast.walk(made):
        if isinstance(one, (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Attribute, ast.Subscript)):
            one.ctx = ast.Load()
    return made


def starred(value: ast.expr) -> ast.expr:
    return ast.Starred(value, ast.Load())


def unstarred(value: ast.expr) -> ast.expr:
    return value.value if isinstance(value, ast.Starred) else value


def tuple_of(values: Iterable[ast.expr]) -> ast.expr:
    return ast.Tuple([*values], ast.Load())


def one_of(values: Sequence[ast.expr]) -> ast.expr:
    """The one that there is, or all."""
    return values[0] if len(values) == 1 else tuple_of(values)


def list_of(values: Iterable[ast.expr] = ()) -> ast.expr:
    return ast.List([*values], ast.Load())


def mapping_of(value: ast.expr, key: str = "") -> ast.expr:
    """A mapping whose values begin as this, which may be made of their key."""
    if isinstance(value, (ast.List, ast.Dict)) and not (value.elts if isinstance(value, ast.List) else value.keys):
        return called("collections.defaultdict", name("list" if isinstance(value, ast.List) else "dict"))
    asks = key and any(isinstance(one, ast.Name) and one.id == key for one in ast.walk(value))
    given = [ast.arg(key)] if asks else []
    return called("collections.defaultdict", ast.Lambda(ast.arguments([], given, None, [], [], None, []), value))


def each_of(value: ast.expr, target: ast.expr, over: ast.expr, *tests: ast.expr) -> ast.ListComp:
    """A list of what is made of each."""
    return ast.ListComp(value, [ast.comprehension(target, over, [*tests], 0)])


def going(target: ast.expr, over: ast.expr, body: list[ast.stmt]) -> ast.For:
    return ast.For(target, over, body or [ast.Pass()], [])


def leaving(test: ast.expr) -> ast.stmt:
    return ast.If(test, [ast.Break()], [])


def chosen(test: ast.expr, then: list[ast.stmt], other: Sequence[ast.stmt] = (), turned: bool = False) -> ast.stmt:
    return ast.If(negated(test) if turned else test, then or [ast.Pass()], [*other])


def matching(subject: ast.expr, cases: Sequence[tuple[list[ast.expr], list[ast.stmt]]]) -> ast.stmt:
    """One of several; what has no labels is what remains."""
    made = list[ast.match_case]()
    for labels, body in cases:
        values: list[ast.pattern] = [ast.MatchValue(each) for each in labels] or [ast.MatchAs(None, None)]
        made.append(ast.match_case(values[0] if len(values) == 1 else ast.MatchOr(values), None, body))
    return ast.Match(subject, made)


def effect(value: ast.expr) -> list[ast.stmt]:
    """A statement, where something happens."""
    return [] if isinstance(value, (ast.Constant, ast.Name)) else [ast.Expr(value)]


def is_none(value: ast.expr, without: bool = False) -> ast.expr:
    return ast.Compare(value, [ast.IsNot() if without else ast.Is()], [constant(None)])


def has(made: ast.expr) -> ast.expr:
    """Whether a mapping has something, where it is asked for by more than a written key."""
    if not isinstance(made, ast.Subscript) or isinstance(made.slice, (ast.Constant, ast.Slice)):
        return made
    return compared(made.slice, ast.In, made.value)


def plus(node: ast.expr, value: int = 1) -> ast.expr:
    """One more, or one less."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return constant(node.value + value)
    turned = ast.Sub if value > 0 else ast.Add
    if isinstance(node, ast.BinOp) and isinstance(node.op, turned) and is_value(node.right, abs(value)):
        return node.left
    return binary(node, ast.Add if value > 0 else ast.Sub, constant(abs(value)))


def floored(made: ast.expr, function: str, *values: ast.expr) -> ast.expr:
    """A quotient without its rest."""
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div):
        return binary(made.left, ast.FloorDiv, made.right)
    return called(function, made, *values)


def is_value(node: ast.expr | None, *values: object) -> bool:
    return isinstance(node, ast.Constant) and node.value in values


def text_from(parts: Sequence[ast.expr]) -> ast.expr:
    """A text of these."""
    if all(isinstance(each, ast.Constant) for each in parts):
        return constant("".join(str(each.value) for each in parts if isinstance(each, ast.Constant)))
    return joined([each for each in parts if not is_value(each, "")])


def formatted(form: ast.expr, values: Sequence[ast.expr]) -> ast.expr:
    """`sprintf`."""
    if any(isinstance(each, ast.Starred) for each in values) or not isinstance(form, ast.Constant):
        return joined([form, *map(unstarred, values)])
    parts, at, left, text = list[ast.expr](), 0, [*values], str(form.value)
    for found in _FORM.finditer(text):
        parts.append(constant(text[at : found.start()]))
        at = found.end()
        if found[4] == "%":
            parts.append(constant("%"))
        elif left:
            width = (found[2] or "").strip("*")
            spec = ("<" if "-" in found[1] else "0" if "0" in found[1] else "") if width else ""
            spec += width + (found[3] or "") + (found[4] if found[4] in "dfgexXob" else "")
            shown = ast.JoinedStr([constant(spec)]) if spec not in ("", "d") else None
            parts.append(ast.FormattedValue(left.pop(0), -1, shown))
    parts.append(constant(text[at:]))
    return ast.JoinedStr([each for each in parts if not is_value(each, "")] or [constant("")])


def pattern_of(text: str) -> ast.expr:
    """A pattern as Python writes it."""
    text = re.sub(r"\[:(\w+):\]", r"\\w", text).replace(r"\z", r"\Z")
    text = re.sub(r"\(\?<(?![=!])", "(?P<", text)
    try:
        re.compile(text)
    except re.error:
        return constant("(x)" * len(GROUP.findall(text)) or "x")
    return constant(text)


def searched(pattern: ast.expr, of: ast.expr) -> ast.Assign:
    """What a pattern finds, for those that ask for its parts."""
    return assigned(name("__m"), called("re.search", pattern, of))


def keyed(made: ast.Call, **named: ast.expr) -> ast.Call:
    """A call that is given these by name."""
    made.keywords += [ast.keyword(key, value) for key, value in named.items()]
    return made


def extended(owner: ast.expr, value: ast.expr, named: str = "append", *places: ast.expr) -> ast.expr:
    """Puts one into a list, or several."""
    if isinstance(value, ast.Starred):
        return method(owner, "extend", value.value)
    return method(owner, named, *places, value)


def changed(body: Sequence[ast.stmt]) -> set[str]:
    """Names that are given a value there, without what other functions do."""
    left, names = list[ast.AST](body), set[str]()
    while left:
        one = left.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        if not isinstance(one, (ast.FunctionDef, ast.Lambda)):
            left += ast.iter_child_nodes(one)
    return names


def lined(made: list[ast.stmt], node: Node) -> list[ast.stmt]:
    """Statements with the line of what they translate, where they have none."""
    for each in made:
        if not hasattr(each, "lineno"):
            each.lineno = node.start_point[0] + 1
    return made
