"""What languages have in common whose names are not declared with types and whose functions are values."""

from __future__ import annotations

import ast
import copy
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple, TypeGuard, TypeVar

from tree_sitter import Node

from forerun.tasks._tongues._braced import Braced, field, unquoted
from forerun.tasks._tongues._kinds import NOTHING, Kind

from forerun.tasks._tongues._translator import (  # isort: skip
    assigned, binary, called, compared, constant, function_of, lambda_of, method, name, negated, spelt, stored, text_of,
)  # fmt: skip

TEXT, NUMBER, LIST, MAP = map(Kind, ("text", "number", "list", "map"))
TEXTS: Final = Kind("list", (TEXT,))
T = TypeVar("T")
Body = Sequence[ast.stmt]
Names = Sequence[str]
BLOCKS: Final = ("statement_block", "compound_statement")
FUNCTIONS: Final = frozenset(
    "arrow_function function_expression function_declaration generator_function generator_function_declaration"
    " method_definition function_definition method_declaration anonymous_function".split()
)


class Callback(NamedTuple):
    """A function that is called for each of several: the names that it is given, and what it gives."""

    targets: list[ast.expr]
    value: ast.expr


def spread(names: Mapping[T, str]) -> dict[str, T]:
    """A table by names, from one of what is said for several."""
    return {each: said for said, several in names.items() for each in several.split()}


# Trees.


def below(node: Node, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds."""
    left = [node]
    while left:
        one = left.pop()
        if one.type in kinds:
            yield one
        left += reversed(one.named_children)


def around(node: Node, kinds: Iterable[str]) -> Node | None:
    """The innermost of these kinds that it stands in."""
    inside = node.parent
    while inside is not None and inside.type not in kinds:
        inside = inside.parent
    return inside


def inner(node: Node | None) -> list[Node]:
    """What stands in it, without comments."""
    return [each for each in node.named_children if not each.is_extra] if node is not None else []


def part(node: Node | None, *names: str) -> Any:
    """The first of these fields that it has; None of nothing."""
    return field(node, *names) if node is not None else None


def is_a(node: Node | None, *kinds: str) -> TypeGuard[Node]:
    return node is not None and node.type in kinds


def bare(node: Node | None) -> Any:
    """An expression without what stands around it."""
    while is_a(node, "parenthesized_expression", "await_expression", "argument", "by_ref") and inner(node):
        node = inner(node)[-1]
    return node


def sides(node: Node) -> tuple[Any, str, Any]:
    """What stands on both sides of an operator, and the operator."""
    return field(node, "left"), text_of(field(node, "operator")) or "=", field(node, "right")


def parameters_of(function: Node) -> list[Node]:
    several = part(function, "parameters", "parameter")
    return inner(several) if is_a(several, "formal_parameters") else [several] if several else []


def returns(function: Node) -> bool:
    """Whether a function is left before its end."""
    return any(around(each, FUNCTIONS) == function for each in below(function, "return_statement"))


# Python.


def attribute(named: str) -> str:
    return f"{named}_" if keyword.iskeyword(named) else named


def begun(named: str) -> ast.Name:
    """A name that is given a value."""
    return ast.Name(named, ast.Store())


def listing(values: Iterable[ast.expr]) -> ast.List:
    return ast.List([*values], ast.Load())


def tupled(values: Iterable[ast.expr]) -> ast.Tuple:
    return ast.Tuple([*values], ast.Load())


def going(target: ast.expr, over: ast.expr, body: Sequence[ast.stmt]) -> ast.For:
    return ast.For(stored(target), over, [*body] or [ast.Pass()], [])


def loaded(target: ast.expr) -> ast.expr:
    """What a target holds then."""
    if isinstance(target, ast.Name):
        return name(target.id)
    return tupled(map(loaded, target.elts)) if isinstance(target, ast.Tuple) else target


def is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def joined(values: Iterable[ast.expr]) -> ast.expr:
    """A text of several."""
    whole = ((isinstance(each, ast.FormattedValue) or is_text(each), each) for each in values)
    return ast.JoinedStr([each if said else ast.FormattedValue(each, -1, None) for said, each in whole])


def pieces(value: ast.expr) -> list[ast.expr]:
    """The parts of a text that is put together."""
    return [*value.values] if isinstance(value, ast.JoinedStr) else [value]


def stores(body: Iterable[ast.AST]) -> set[str]:
    """Names that are given a value there."""
    several = (each for stmt in body for each in ast.walk(stmt) if isinstance(each, ast.Name))
    return {each.id for each in several if isinstance(each.ctx, ast.Store)}


def quotient(value: ast.expr) -> ast.expr | None:
    """A division without its rest; None of what is none."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        return binary(value.left, ast.FloorDiv, value.right)
    return None


def whole_of(value: ast.expr) -> ast.expr:
    """A number without its rest."""
    return quotient(value) or binary(value, ast.FloorDiv, constant(1))


def got(value: ast.expr, *default: ast.expr) -> ast.expr:
    """What a mapping holds there, if anything."""
    return method(value.value, "get", value.slice, *default) if isinstance(value, ast.Subscript) else value


def places(node: Node) -> Iterator[Node | None]:
    """The targets of a list; None where one is left out."""
    lacks = True
    for each in node.children:
        if each.is_named and not each.is_extra:
            yield each
        elif each.type == "," and lacks:
            yield None
        lacks = not each.is_named


@cache
def _parsed(template: str) -> ast.expr:
    made = ast.parse(template, mode="eval").body
    for each in ast.walk(made):
        for named in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            each.__dict__.pop(named, None)
    return made


class _Said(ast.NodeTransformer):
    """A template with what stands for its letters."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if (len(node.id) > 1 and node.id not in self.given) or node.id == "_":
            return node
        found: ast.expr = self.given[node.id]
        if isinstance(found, str):
            return ast.Name(found, node.ctx)
        return stored(found) if isinstance(node.ctx, ast.Store) else found

    def visit_Starred(self, node: ast.Starred) -> Any:
        """Several, or one that there may be."""
        return self.given.get(node.value.id, []) if isinstance(node.value, ast.Name) else node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        for each in ("lower", "upper"):
            if isinstance(one := getattr(node, each), ast.Name) and len(one.id) == 1 and one.id not in self.given:
                setattr(node, each, None)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        value = self.visit(node.operand)
        return negated(value) if isinstance(node.op, ast.Not) else constant(-value.value)


class Scripted(Braced):
    """Programs of one file."""

    whole = False
    first: ClassVar[dict[str, int]] = {}
    """Statements that are there before all others."""
    most: ClassVar[int] = 9
    """How many names a function has that is called for each of several."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = dict[str, Kind]()  # what names hold, wherever they stand
        self.floor = 0  # the first scope of the function that is under way
        self.own = list[set[str]]()  # names that functions which are under way declare
        self.returned = list[list[Kind]]()  # what these give
        self.cursors = dict[str, str]()  # names that only count how much of a list was read, and its name
        self.keyed = set[str]()  # names of what is asked for keys that are reckoned

    def say(self, template: str, **given: Any) -> ast.expr:
        """A piece of Python: letters stand for what is given, `_a` and the like for names that nobody has."""
        given |= {each: self.fresh() for each in sorted({*re.findall(r"\b_[a-z]\b", template)})}
        made: ast.expr = _Said(given).visit(copy.deepcopy(_parsed(template)))
        return made

    def told(self, table: Mapping[str, str], named: str, values: Sequence[ast.expr], **given: Any) -> ast.expr | None:
        """What a function of the language's own gives, as a table has it; None of others, and where too little is
        given. There, `a`, `b` and `c` are what a function is given, `args` all of it, `rest` all but the first."""
        kind = given.pop("kind", "")
        keys = (f"{kind}.{named}", f"{named}/{len(values)}", named)
        template = next((table[each] for each in keys if each in table), None)
        if template is None:
            return None
        try:
            return self.say(template, args=values, rest=values[1:], **dict(zip("abcd", values, strict=False)), **given)
        except KeyError:
            return None

    # Names.

    def declare(self, named: str, kind: Kind) -> None:
        """A name that hides another one of the same function is spelt otherwise."""
        if any(named in scope for scope in self.scopes[self.floor : -1]) and named not in self.scopes[-1]:
            self.scopes[-1][f"={named}"] = Kind(f"{spelt(named)}{self.fresh()[1:]}")
        super().declare(named, kind)
        if self.own:
            self.own[-1].add(self.spelling(named))

    def spelling(self, named: str) -> str:
        scope = next((each for each in reversed(self.scopes) if named in each), {})
        return scope[f"={named}"].name if f"={named}" in scope else spelt(named)

    def named(self, named: str) -> ast.expr:
        return constant(self.constants[named]) if named in self.constants else name(self.spelling(named))

    def target(self, named: str, kind: Kind = NOTHING) -> ast.Name:
        """A name that begins here."""
        self.declare(named, kind)
        return begun(self.spelling(named))

    def kind(self, named: str) -> Kind:
        found = super().kind(named)
        return self.kinds.get(named, NOTHING) if found is NOTHING else found

    def reads(self, named: str, value: ast.expr) -> list[ast.stmt]:
        """A list that is read from its beginning, where only a cursor says how far."""
        if named not in self.cursors.values():
            return []
        self.globals.add(f"__of_{named}")
        return [assigned(name(f"__of_{named}"), called("iter", value))]

    # Statements.

    def statements(self, nodes: Iterable[Node]) -> list[ast.stmt]:
        return super().statements(sorted(nodes, key=lambda each: self.first.get(each.type, 0)))

    def _do_while_statement(self, node: Node) -> list[ast.stmt]:
        """`while (n--)`."""
        condition = bare(field(node, "condition"))
        if is_a(condition, "update_expression") and text_of(condition).endswith("--"):
            count = self.value(field(condition, "argument") or inner(condition)[0])
            body = self.block(field(node, "body"))
            if isinstance(count, ast.Name) and count.id not in stores(body):
                return [going(begun("_"), called("range", count), body)]
        return super()._do_while_statement(node)

    def _do_switch_statement(self, node: Node) -> list[ast.stmt]:
        subject = self.value(field(node, "value", "condition"))
        found, labels, remains = list[tuple[list[ast.expr], list[ast.stmt]]](), list[ast.expr](), False
        for each in inner(field(node, "body")):
            value = field(each, "value")
            labels += [self.value(value)] if value is not None else []
            remains = remains or value is None
            inside = self.statements([one for one in inner(each) if one != value])
            if inside:
                found.append(([] if remains else labels, inside))
                labels, remains = [], False
        return self.cases(subject, found)

    def _do_return_statement(self, node: Node) -> list[ast.stmt]:
        if self.returned:
            self.returned[-1].append(self.type_of(next(iter(inner(node)), None)))
        return super()._do_return_statement(node)

    def _do_colon_block(self, node: Node) -> list[ast.stmt]:
        return self.statements(node.named_children)

    _do_export_statement = _do_compound_statement = _do_colon_block
    _effect_await_expression = _effect_error_suppression_expression = Braced._effect_parenthesized_expression
    _effect_throw_expression, _of_throw_expression = Braced._do_throw_statement, Braced._of_null

    def _effect_binary_expression(self, node: Node) -> list[ast.stmt]:
        """`test && act()`."""
        left, operator, right = sides(node)
        if operator not in ("&&", "||", "??", "and", "or"):
            return [ast.Expr(self.value(node))]
        test, body = self.test(left), self.statement(right)
        return [ast.If(test if operator in ("&&", "and") else negated(test), body or [ast.Pass()], [])]

    def compared_or(self, one: ast.expr, operator: str, other: ast.expr) -> ast.expr:
        """What an operator gives; whether there is nothing is asked as such."""
        operator = {"<>": "!=", "xor": "^"}.get(operator, operator)
        if operator in ("===", "!==", "==", "!=") and isinstance(other, ast.Constant) and other.value is None:
            return compared(one, ast.Is if operator[0] == "=" else ast.IsNot, other)
        if operator == "instanceof":
            return called("isinstance", one, other)
        return self.operation(one, operator, other, parted=True)

    def _of_template_string(self, node: Node) -> ast.expr:
        """`"a$b"`."""
        parts = list[ast.expr]()
        for each in node.named_children:
            if each.type in ("string_fragment", "string_content", "escape_sequence"):
                parts.append(constant(unquoted(f'"{text_of(each)}"')))
            elif each.type not in ("heredoc_start", "heredoc_end"):
                parts += pieces(self.value(each))
        return constant("".join(map(ast.literal_eval, parts))) if all(map(is_text, parts)) else joined(parts)

    _of_encapsed_string = _of_heredoc = _of_heredoc_body = _of_template_string

    def _of_spread_element(self, node: Node) -> ast.expr:
        return ast.Starred(self.value(inner(node)[0]), ast.Load())

    _of_variadic_unpacking = _of_spread_element

    def _of_yield_expression(self, node: Node) -> ast.expr:
        parts = inner(node)
        pair = bool(parts) and parts[0].type == "array_element_initializer"  # `yield $k => $v`
        values = [*map(self.value, inner(parts[0]) if pair else parts)]
        if re.match(r"yield(\s*\*|\s+from\s)", text_of(node)):
            return ast.YieldFrom(values[0])
        return ast.Yield(tupled(values) if len(values) > 1 else values[0] if values else None)

    # What happens beside.

    @contextmanager
    def within(self) -> Iterator[tuple[list[ast.stmt], list[ast.stmt]]]:
        """Something with names of its own; gives what happens before and after it, which is not what is under way."""
        before, after = self.before, self.after
        self.before, self.after = found = list[ast.stmt](), list[ast.stmt]()
        self.scopes.append({})
        try:
            yield found
        finally:
            self.scopes.pop()
            self.before, self.after = before, after

    def does(self, value: ast.expr) -> ast.expr:
        """Something happens before; nothing is given."""
        self.before.append(ast.Expr(value))
        return constant(None)

    def simple(self, value: ast.expr) -> ast.expr:
        """The same as a name, so that it may be said several times."""
        if isinstance(value, (ast.Name, ast.Attribute, ast.Constant)):
            return value
        made = self.fresh()
        self.before.append(assigned(name(made), value))
        return name(made)

    def lined(self, made: Iterable[ast.AST], node: Node) -> None:
        """Gives all of these that have no line that of what they translate."""
        for each in (one for stmt in made for one in ast.walk(stmt)):
            if isinstance(each, ast.stmt) and not hasattr(each, "lineno"):
                each.lineno = node.start_point[0] + 1

    # Functions.

    def function(self, named: str, node: Node, first: str = "", marks: Names = (), ahead: Body = ()) -> ast.FunctionDef:
        """One of the program's functions; a method where it has a `first` name."""
        floor, self.floor = self.floor, len(self.scopes)
        self.own.append(set())
        self.returned.append([])
        made = function_of(named, [first] if first else [], [], marks)
        with self.within():
            inside = [*ahead, *self.parameters(made.args, node), *self.inside(node)]
            shared = sorted(self.shared(inside) - {each.arg for each in made.args.args})
        made.body = [*([ast.Global(shared)] if shared else []), *inside] or [ast.Pass()]
        self.lined([made], node)
        self.own.pop()
        self.floor = floor
        self.gives[self.title(node) or named] = next((each for each in self.returned.pop() if each.name), NOTHING)
        return made

    def title(self, node: Node) -> str:
        """The name that a function has."""
        return text_of(field(node, "name"))

    def parameters(self, arguments: ast.arguments, node: Node) -> list[ast.stmt]:
        """Puts a function's names there; gives what is done with them first."""
        return []

    def parameter(self, arguments: ast.arguments, named: str, default: Node | None) -> None:
        if default is not None or arguments.defaults:
            arguments.defaults.append(self.value(default))
        arguments.args.append(ast.arg(named))

    def inside(self, node: Node) -> list[ast.stmt]:
        """What a function does."""
        body = field(node, "body")
        if is_a(body, *BLOCKS):
            return self.statements(body.named_children)
        value = self.value(body)
        self.returned[-1].append(self.type_of(body))
        return [*self.before, ast.Return(value)]

    def shared(self, body: Sequence[ast.stmt]) -> set[str]:
        """Names of the whole program that it changes."""
        return (stores(body) & {*map(spelt, self.globals)}) - self.own[-1]

    def _of_arrow_function(self, node: Node) -> ast.expr:
        made = self.function(self.fresh(), node)
        plain = not (made.args.defaults or made.args.vararg) and len(made.body) == 1
        if plain and isinstance(made.body[0], ast.Return) and made.body[0].value is not None:
            return lambda_of([each.arg for each in made.args.args], made.body[0].value)
        self.before.append(made)
        return name(made.name)

    _of_function_expression = _of_generator_function = _of_anonymous_function = _of_arrow_function

    # Functions that are given to others.

    def callback(self, node: Node, *kinds: Kind) -> Callback:
        """What a function gives for one of several."""
        node = bare(node)
        if node.type not in FUNCTIONS:
            one = self.fresh()
            return Callback([begun(one)], self.given_to(node, name(one)))
        body, names = field(node, "body"), parameters_of(node)[: self.most]
        only = inner(body) if is_a(body, *BLOCKS) else []
        if len(only) == 1 and only[0].type == "return_statement" and inner(only[0]):
            body = inner(only[0])[0]
        plain = all(is_a(each, "identifier", "array_pattern", "simple_parameter") for each in names)
        if plain and not is_a(body, *BLOCKS):
            with self.within() as hoisted:
                targets = [
                    self.pattern(each, kind) for each, kind in zip(names, [*kinds, *[NOTHING] * 9], strict=False)
                ]
                value = self.value(body)
            if not any(hoisted):
                return Callback(targets, value)
        made = self.function(self.fresh(), node)
        self.before.append(made)
        given = [self.fresh() for _ in names]
        return Callback([*map(begun, given)], called(made.name, *map(name, given)))

    def given_to(self, node: Node, one: ast.expr) -> ast.expr:
        """What a function that has a name gives for this."""
        return called(self.value(node), one)

    def pattern(self, node: Node, kind: Kind = NOTHING) -> ast.expr:
        """A target: a name, or several."""
        return stored(self.value(node))

    def through(self, function: Callback, over: ast.expr) -> tuple[ast.expr, ast.expr]:
        """`for x in over`, `for i, x in enumerate(over)`."""
        one, *place = [*function.targets[:2]] or [begun("_")]
        return (ast.Tuple([*place, one], ast.Store()), called("enumerate", over)) if place else (one, over)

    def each_of_all(self, template: str, over: ast.expr, function: Callback) -> ast.expr:
        """A template of `f`, what a function gives, for each `x` of `o`; `e` is one of them."""
        held = loaded(function.targets[0]) if function.targets else begun("_")
        target, several = self.through(function, over)
        return self.say(template, f=function.value, x=target, o=several, e=held)

    def folded(self, over: ast.expr, function: Callback, start: ast.expr) -> ast.expr:
        """`reduce`: its first name gathers."""
        gathers, one = [*function.targets, begun("_"), begun("_")][:2]
        value, held = function.value, loaded(gathers)
        grows = isinstance(value, ast.BinOp) and ast.dump(value.left) == ast.dump(held)
        step = ast.AugAssign(stored(gathers), value.op, value.right) if grows else assigned(gathers, value)  # type: ignore[attr-defined, arg-type]
        self.before += [assigned(gathers, start), going(one, over, [step])]
        return held

    def ordered(self, owner: ast.expr, function: Callback | None) -> list[ast.stmt]:
        """A list is put in its order; a function is asked as often as two are compared."""
        if function is None:
            return [ast.Expr(self.say("o.sort()", o=owner))]
        often, key, one = self.fresh(), self.fresh(), self.fresh()
        body = [*(assigned(each, name(one)) for each in function.targets), ast.Expr(function.value)]
        within = going(begun("_"), called("range", name(often)), body)
        count = self.say("math.log(len(o) + 2) * 1.44", o=owner)
        call = self.say("o.sort(key=k)", o=owner, k=name(key))
        return [assigned(name(often), count), function_of(key, [one], [within]), ast.Expr(call)]
