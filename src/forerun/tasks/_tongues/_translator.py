"""Programs of other languages as Python would say it, so that `forerun.tasks._walked` can go through them: statement by
statement, each with its line.

What is said is what happens and how often, not what comes out: an integer may be too large, a copy may be the thing
itself. Trees are those of tree-sitter's grammars.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from tree_sitter import Node

from forerun.tasks._shapes import OPPOSITE, leaves
from forerun.tasks._tongues._kinds import NOTHING, Kind

BINARY: Final[dict[str, type[ast.operator]]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "%": ast.Mod, "<<": ast.LShift, ">>": ast.RShift,
    ">>>": ast.RShift, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "**": ast.Pow, "//": ast.FloorDiv,
    "&^": ast.BitAnd, "~/": ast.FloorDiv,
}  # fmt: skip
COMPARED: Final[dict[str, type[ast.cmpop]]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq, "===": ast.Eq,
    "!==": ast.NotEq, "~=": ast.NotEq, "lt": ast.Lt, "gt": ast.Gt, "le": ast.LtE, "ge": ast.GtE, "eq": ast.Eq,
    "ne": ast.NotEq,
}  # fmt: skip
_JOINED: Final[dict[str, type[ast.boolop]]] = {
    "&&": ast.And, "||": ast.Or, "and": ast.And, "or": ast.Or, "??": ast.Or, "//": ast.Or,
}  # fmt: skip
_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.NotEq: ast.NotEq,
}  # fmt: skip
TONGUE: Final = "_tongue"
"""The module of what Python itself has no word for: `forerun.tasks._foreign`."""
_MODULES: Final = (TONGUE, "sys", "math", "random", "heapq", "bisect", "collections", "itertools", "re", "time")
_TAKEN: Final = frozenset((*dir(builtins), *keyword.kwlist, *_MODULES, "json", "hashlib", "zlib", "copy", "csv"))
"""Names that mean something in Python."""


def spelt(of: str) -> str:
    """A name as Python may have it."""
    plain = of.replace("$", "").replace("::", "__").replace("@", "").replace("?", "").replace("!", "")
    return f"{plain}_" if plain in _TAKEN else plain


def name(of: str) -> ast.Name:
    return ast.Name(of, ast.Load())


def constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]


def path(*names: str) -> ast.expr:
    """`a.b.c`."""
    made: ast.expr = name(names[0])
    for each in names[1:]:
        made = ast.Attribute(made, each, ast.Load())
    return made


def called(function: ast.expr | str, *arguments: ast.expr) -> ast.Call:
    function = path(*function.split(".")) if isinstance(function, str) else function
    return ast.Call(function, [*arguments], [])


def method(owner: ast.expr, named: str, *arguments: ast.expr) -> ast.Call:
    return called(ast.Attribute(owner, named, ast.Load()), *arguments)


def subscript(owner: ast.expr, key: ast.expr) -> ast.Subscript:
    return ast.Subscript(owner, key, ast.Load())


def binary(left: ast.expr, operator: type[ast.operator], right: ast.expr) -> ast.BinOp:
    return ast.BinOp(left, operator(), right)


def compared(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> ast.Compare:
    return ast.Compare(left, [operator()], [right])


def negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Constant) and isinstance(test.value, bool):
        return constant(not test.value)
    return ast.UnaryOp(ast.Not(), test)


def opposite(test: ast.expr) -> ast.expr:
    """What is not so, as loops ask it: not both of two is not one or not the other, no less is at least as much."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return asked_plainly(test.operand)
    if isinstance(test, ast.BoolOp):
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        return ast.BoolOp(other, [*map(opposite, test.values)])
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        return ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
    return negated(test)


def asked_plainly(test: ast.expr) -> ast.expr:
    """A loop's test without what turns all of it around."""
    turned = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    if turned and isinstance(test, ast.UnaryOp) and isinstance(test.operand, (ast.BoolOp, ast.Compare, ast.UnaryOp)):
        return opposite(test.operand)
    return test


def stored(target: ast.expr) -> ast.expr:
    """The same to be given a value."""
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        target.ctx = ast.Store()
    elif isinstance(target, (ast.Tuple, ast.List)):
        target.ctx = ast.Store()
        target.elts = [stored(each) for each in target.elts]
    return target


def assigned(target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.Assign([stored(target)], value)


def added(target: ast.expr, operator: type[ast.operator], value: ast.expr) -> ast.AugAssign:
    return ast.AugAssign(stored(target), operator(), value)  # type: ignore[arg-type]


def lambda_of(names: Sequence[str], body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, []), body)


def function_of(named: str, names: Sequence[str], body: list[ast.stmt], marks: Sequence[str] = ()) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, [])
    return ast.FunctionDef(named, arguments, body or [ast.Pass()], [name(mark) for mark in marks], None)


def in_place(array: ast.expr) -> ast.expr:
    """An array that stands in its place itself."""
    if isinstance(array, ast.Call) and isinstance(array.func, ast.Attribute) and array.func.attr == "filled":
        array.keywords = [ast.keyword("inside", constant(True))]
    return array


class Translator:
    """One text. For each kind of a tree's nodes there is a method: `_do_` those that do something, `_of_` those that
    give something."""

    whole: ClassVar[bool] = True
    """Whether numbers are divided without a rest where nothing tells that they have one."""

    def __init__(self) -> None:
        self.before, self.after = list[ast.stmt](), list[ast.stmt]()
        """What happens before and after the statement that is under way."""
        self.scopes: list[dict[str, Kind]] = [{}]
        self.fields = dict[str, dict[str, Kind]]()
        """Of things, by their name."""
        self.gives = dict[str, Kind]()
        """What functions give."""
        self._fresh = 0

    def module(self, root: Node) -> ast.Module:
        """The whole program."""
        modules = ast.Import([ast.alias(each) for each in _MODULES], lineno=1)
        return ast.fix_missing_locations(ast.Module([modules, *self.program(root)], []))

    def prepared(self, text: str) -> str:
        """The text as it is parsed."""
        return text

    def program(self, root: Node) -> list[ast.stmt]:
        return self.statements(root.named_children)

    # Statements.

    def statements(self, nodes: Iterable[Node]) -> list[ast.stmt]:
        """One after the other."""
        return [made for node in nodes for made in self.statement(node)]

    def statement(self, node: Node | None) -> list[ast.stmt]:
        """What it does, with what happens before and after."""
        if node is None or node.is_extra:
            return []
        before, after, self.before, self.after = self.before, self.after, [], []
        does = getattr(self, f"_do_{node.type}", None)
        made = does(node) if does is not None else self.effect(node)
        leaves = [*made[-1:]] if made and isinstance(made[-1], ast.Return) else []
        made = [*self.before, *made[: len(made) - len(leaves)], *self.after, *leaves]  # `return queue[head++]`
        self.before, self.after = before, after
        for each in made:
            if not hasattr(each, "lineno"):
                each.lineno = node.start_point[0] + 1
        return made

    def block(self, node: Node | None) -> list[ast.stmt]:
        """What a block does, or the one statement that stands in its place; its names are its own."""
        if node is None:
            return []
        self.scopes.append({})
        made = self.statement(node)
        self.scopes.pop()
        return made

    def effect(self, node: Node) -> list[ast.stmt]:
        """What an expression does whose value nobody asks for."""
        does = getattr(self, f"_effect_{node.type}", None)
        if does is not None:
            return list(does(node))
        value = self.value(node)
        return [] if isinstance(value, (ast.Constant, ast.Name)) else [ast.Expr(value)]

    def looped(self, condition: Node | None, body: Sequence[ast.stmt], later: Sequence[ast.stmt] = ()) -> ast.stmt:
        """`while`; what its condition does beside happens each time."""
        before, after, self.before, self.after = self.before, self.after, [], []
        test = asked_plainly(self.asked(condition)) if condition is not None else constant(True)
        ahead, behind, self.before, self.after = self.before, self.after, before, after
        inside = [*behind, *body, *later]
        if ahead:
            if not isinstance(test, ast.Constant):
                ahead.append(ast.If(negated(test), [ast.Break()], []))
            return self.at(ast.While(constant(True), [*ahead, *inside], []), condition)
        return self.at(ast.While(test, inside or [ast.Pass()], []), condition)

    def asked(self, condition: Node) -> ast.expr:
        """Whether a loop goes on."""
        return self.test(condition)

    def at(self, made: ast.stmt, node: Node | None) -> ast.stmt:
        """With the line of what it translates, and what it holds that has none."""
        if node is not None:
            made.lineno = node.start_point[0] + 1
        return made

    def counting(
        self, start: ast.stmt | None, test: ast.expr | None, step: Sequence[ast.stmt], body: list[ast.stmt]
    ) -> ast.For | None:
        """`for (i = a; i < b; i += c)` as `for i in range(a, b, c)`; None of other loops."""
        last = step[-1] if step else None
        if not (isinstance(start, ast.Assign) and isinstance(start.targets[0], ast.Name) and len(step) == 1):
            return None
        variable = start.targets[0].id
        by = _step(last, variable)
        if by is None or changes(body, variable, *_names(by)):  # `total += ++k` goes further each time
            return None
        rest = list[ast.expr]()
        bound: tuple[type[ast.cmpop], ast.expr] | None = None
        tests = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        for each in tests:
            found = _limit(each, variable) if bound is None and each is not None else None
            if found is not None:
                bound = found
            elif each is not None:
                rest.append(each)
        if bound is None or changes(body, *_names(bound[1])):
            return None
        operator, end = bound
        down = isinstance(by, ast.UnaryOp)
        if (operator in (ast.Gt, ast.GtE)) != down and operator is not ast.NotEq:
            return None
        if operator in (ast.LtE, ast.GtE):
            end = _plus(end, -1 if down else 1)
        one = isinstance(by, ast.Constant) and by.value == 1
        if one:
            first = isinstance(start.value, ast.Constant) and start.value.value == 0
            over = called("range", end) if first else called("range", start.value, end)
        else:
            over = called("range", start.value, end, by)
        leaving: list[ast.stmt] = [ast.If(negated(each), [ast.Break()], []) for each in rest]
        return ast.For(ast.Name(variable, ast.Store()), over, [*leaving, *body] or [ast.Pass()], [])

    # Expressions.

    def value(self, node: Node | None) -> ast.expr:
        """What it gives."""
        if node is None:
            return constant(None)
        gives = getattr(self, f"_of_{node.type}", None)
        if gives is not None:
            return gives(node)  # type: ignore[no-any-return]
        inner = node.named_children
        if len(inner) == 1:
            return self.value(inner[0])
        if inner and node.child_count < 12:
            return ast.Tuple([self.value(each) for each in inner], ast.Load())
        return constant(None)

    def test(self, node: Node | None) -> ast.expr:
        """What is asked."""
        return self.value(node)

    def operation(self, left: ast.expr, operator: str, right: ast.expr, parted: bool = False) -> ast.expr:
        """What an operator gives; `parted` where a division has a rest."""
        if operator in _JOINED and (operator != "//" or not self.whole):
            kind = _JOINED[operator]
            parts = [
                part
                for each in (left, right)
                for part in (each.values if isinstance(each, ast.BoolOp) and isinstance(each.op, kind) else [each])
            ]
            return ast.BoolOp(kind(), parts)
        if operator in COMPARED:
            return compared(left, COMPARED[operator], right)
        if operator == "/" and not parted:
            return binary(left, ast.FloorDiv, right)
        if operator in ("<<", ">>") and isinstance(right, ast.Constant) and right.value == 1:
            return binary(left, ast.Mult if operator == "<<" else ast.FloorDiv, constant(2))
        if operator in BINARY:
            return binary(left, BINARY[operator], right)
        return ast.Tuple([left, right], ast.Load())

    # Names and what they hold.

    def declare(self, named: str, kind: Kind) -> None:
        self.scopes[-1][named] = kind

    def kind(self, named: str) -> Kind:
        """What a name was declared to hold."""
        for scope in reversed(self.scopes):
            if named in scope:
                return scope[named]
        return NOTHING

    def fresh(self) -> str:
        """A name that nobody has."""
        self._fresh += 1
        return f"__{self._fresh}"

    def word(self) -> ast.expr:
        """The next word of the input."""
        return called(f"{TONGUE}.word")

    def letter(self) -> ast.expr:
        """Its next character."""
        return called(f"{TONGUE}.letter")

    def line(self) -> ast.expr:
        """Its next line."""
        return called("sys.stdin.readline")


def text_of(node: Node | None) -> str:
    """As it is written."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def _is(node: ast.expr, value: int) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _plus(node: ast.expr, value: int) -> ast.expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return constant(node.value + value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _is(node.right, value):
        return node.left  # `n - 1` and one more
    return binary(node, ast.Add if value > 0 else ast.Sub, constant(abs(value)))


def _step(node: ast.stmt | None, variable: str) -> ast.expr | None:
    """By how much a loop's variable goes on."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == variable:
        operator, by = node.op, node.value
    elif (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == variable
        and isinstance(node.value, ast.BinOp) and isinstance(node.value.left, ast.Name)
        and node.value.left.id == variable
    ):  # fmt: skip
        operator, by = node.value.op, node.value.right
    else:
        return None
    if variable in _names(by):
        return None
    if isinstance(operator, ast.Add):
        return by
    return ast.UnaryOp(ast.USub(), by) if isinstance(operator, ast.Sub) else None


def _limit(test: ast.expr, variable: str) -> tuple[type[ast.cmpop], ast.expr] | None:
    """How far a loop's variable goes."""
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or type(test.ops[0]) not in _TURNED:
        return None
    left, operator, right = test.left, type(test.ops[0]), test.comparators[0]
    if isinstance(right, ast.Name) and right.id == variable:
        left, operator, right = right, _TURNED[operator], left
    if not (isinstance(left, ast.Name) and left.id == variable) or variable in _names(right):
        return None
    return operator, right


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def changes(body: Sequence[ast.stmt], *names: str) -> bool:
    """Whether one of these names is given another value there, and the loop goes on."""
    left: list[ast.AST] = [*body]
    while left:
        one = left.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in names:
            return True
        if not leaves(one):
            left += ast.iter_child_nodes(one)
        else:
            left += one.orelse
    return False
