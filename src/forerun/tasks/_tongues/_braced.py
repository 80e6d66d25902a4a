"""What languages have in common whose blocks stand in braces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tree_sitter import Node

from forerun.tasks._tongues._kinds import NOTHING, Kind
from forerun.tasks._tongues._translator import (
    Translator,
    added,
    assigned,
    binary,
    called,
    changes,
    compared,
    constant,
    function_of,
    method,
    name,
    negated,
    spelt,
    stored,
    subscript,
    text_of,
)

_BEGINS = ("initializer", "init")
_GOES_ON = ("update", "increment")
_OWNERS = ("argument", "array", "object", "operand", "value")
_FIELDS = ("field", "property", "attribute")


def field(node: Node, *names: str) -> Node | None:
    """The first of these fields that it has."""
    return next((found for each in names if (found := node.child_by_field_name(each)) is not None), None)


class Braced(Translator):
    """Statements and expressions of C and its kin."""

    constants: ClassVar[dict[str, object]] = {}
    """Names that stand for numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.owner: list[str] = []
        """Classes that are under way."""
        self.methods: list[set[str]] = []
        """Names of their methods."""
        self.known: set[str] = set()
        """Names of the program's functions."""
        self.globals: set[str] = set()
        """Names that belong to no function."""
        self.elements: set[str] = set()
        """Names that stand for the elements that they point at."""

    # Statements.

    def _do_block(self, node: Node) -> list[ast.stmt]:
        self.scopes.append({})
        made = self.statements(node.named_children)
        self.scopes.pop()
        return made

    _do_compound_statement = _do_statement_block = _do_else_clause = _do_block

    def _do_expression_statement(self, node: Node) -> list[ast.stmt]:
        return [made for each in node.named_children if not each.is_extra for made in self.effect(each)]

    def _do_if_statement(self, node: Node) -> list[ast.stmt]:
        test = self.test(field(node, "condition"))
        return [ast.If(test, self.body(field(node, "consequence")), self.block(field(node, "alternative")))]

    def body(self, node: Node | None) -> list[ast.stmt]:
        """What a block does; something at least."""
        return self.block(node) or [ast.Pass()]

    def _do_while_statement(self, node: Node) -> list[ast.stmt]:
        self.scopes.append({})
        condition = field(node, "condition")
        made = self.looped(condition, self.block(field(node, "body")))
        self.scopes.pop()
        return [made]

    def _do_do_statement(self, node: Node) -> list[ast.stmt]:
        """The first round is one like all others."""
        body = self.block(field(node, "body"))
        made = self.looped(field(node, "condition"), body)
        if isinstance(made, ast.While):
            constant_false = isinstance(made.test, ast.Constant) and not made.test.value
            if constant_false:  # `do { } while (0)`
                return list(body)
            setattr(made, "behind", True)  # noqa: B010
        return [made]

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        self.scopes.append({})
        try:
            start = self.initialised(field(node, *_BEGINS))
            condition = self.unwrapped(field(node, "condition"))
            steps = [made for each in self.each_of(node, *_GOES_ON) for made in self.statement(each)]
            if (through := self.pointed(node, start)) is not None:
                return through
            body = self.block(field(node, "body"))
            return self.repeated(start, condition, steps, body, node)
        finally:
            self.scopes.pop()

    def repeated(
        self, start: list[ast.stmt], condition: Node | None, steps: list[ast.stmt], body: list[ast.stmt], node: Node
    ) -> list[ast.stmt]:
        """`for (start; condition; steps) body`."""
        first = start[0] if len(start) == 1 and not steps else None
        if isinstance(first, ast.Assign) and isinstance(target := first.targets[0], ast.Name):
            down = re.fullmatch(rf"{target.id} ?-- ?(?:(?:>|!=) ?0)?", text_of(condition))
            if down and not changes(body, target.id):  # `for (i = n; i-- > 0;)`
                over = called("range", binary(first.value, ast.Sub, constant(1)), constant(-1), constant(-1))
                return [self.at(ast.For(stored(name(target.id)), over, [*body] or [ast.Pass()], []), node)]
        before, after, self.before, self.after = self.before, self.after, [], []
        test = self.asked(condition) if condition is not None else None
        plain = not self.before and not self.after
        self.before, self.after = before, after
        for place, first in enumerate(start):
            others = steps
            mine = [each for each in steps if _is_step(each, first)]
            if plain and len(mine) == 1:
                others = [each for each in steps if each is not mine[0]]
                made = self.counting(first, _both_limits(test, first, [*body, *others]), mine, [*body, *others])
                if made is not None:
                    rest = [each for at, each in enumerate(start) if at != place]
                    return [*rest, self.at(made, node)]
        return [*start, self.at(self.looped(condition, body, steps), node)]

    def pointed(self, node: Node, start: list[ast.stmt]) -> list[ast.stmt] | None:
        """C: `for (p = s; *p; p++)` goes through the elements; None of other loops."""
        return None

    def initialised(self, node: Node | None) -> list[ast.stmt]:
        """What a loop begins with."""
        return [made for each in self.statement(node) for made in ([each] if not isinstance(each, ast.Pass) else [])]

    def unwrapped(self, node: Node | None) -> Node | None:
        """A condition without the statement around it."""
        if node is None or node.type in ("empty_statement", ";"):
            return None
        return node.named_children[0] if node.type == "expression_statement" and node.named_children else node

    def each_of(self, node: Node, *names: str) -> Iterator[Node]:
        for named in names:
            for each in node.children_by_field_name(named):
                if each.is_named:
                    yield each

    def _do_return_statement(self, node: Node) -> list[ast.stmt]:
        inner = [each for each in node.named_children if not each.is_extra]
        return [ast.Return(self.value(inner[0]) if inner else None)]

    def _do_break_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Break()]

    def _do_continue_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Continue()]

    def _do_labeled_statement(self, node: Node) -> list[ast.stmt]:
        return self.statements(node.named_children[1:])

    def _do_empty_statement(self, node: Node) -> list[ast.stmt]:
        return []

    _do_using_declaration = _do_import_declaration = _do_package_declaration = _do_preproc_include = _do_empty_statement

    def _do_throw_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Raise(None, None)]

    def _do_try_statement(self, node: Node) -> list[ast.stmt]:
        made = self.block(field(node, "body", "block"))
        for each in node.named_children:
            if each.type in ("finally_clause", "finally"):
                made += self.statements(each.named_children)
            elif each.type in ("catch_clause", "catch"):
                handled = self.block(field(each, "body"))
                made = [ast.Try(made or [ast.Pass()], [ast.ExceptHandler(None, None, handled or [ast.Pass()])], [], [])]
        return made

    def cases(self, subject: ast.expr, found: Sequence[tuple[list[ast.expr], list[ast.stmt]]]) -> list[ast.stmt]:
        """`switch`: labels and what is done there; none is what remains. Where nothing ends a case the next one goes
        on."""
        made = list[ast.match_case]()
        for place, (labels, body) in enumerate(found):
            at = place
            while not _ends(body) and at + 1 < len(found):
                at += 1
                body = [*body, *found[at][1]]
            while body and isinstance(body[-1], ast.Break):
                body = body[:-1]
            patterns: list[ast.pattern] = [ast.MatchValue(each) for each in labels]
            pattern = ast.MatchAs(None, None) if not patterns else patterns[0]
            pattern = ast.MatchOr(patterns) if len(patterns) > 1 else pattern
            made.append(ast.match_case(pattern, None, [*body] or [ast.Pass()]))
        return [ast.Match(subject, made)] if made else []

    # Effects.

    def _effect_parenthesized_expression(self, node: Node) -> list[ast.stmt]:
        return self.effect(node.named_children[0]) if node.named_children else []

    def _effect_comma_expression(self, node: Node) -> list[ast.stmt]:
        return [made for each in node.named_children for made in self.effect(each)]

    _effect_sequence_expression = _effect_comma_expression

    def _effect_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, right = field(node, "left"), field(node, "right")
        operator = text_of(field(node, "operator")) or "="
        assert left is not None
        if right is not None and right.type == "assignment_expression":  # `a = b = c`
            made = self._effect_assignment_expression(right)
            inner = field(right, "left")
            return [*made, assigned(self.value(left), self.value(inner))]
        return self.assign(left, operator, self.value(right))

    _effect_augmented_assignment_expression = _effect_assignment_expression

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        """Gives something a value, or changes the one it has."""
        target = self.value(left)
        if isinstance(target, ast.Call):  # what it gives is given a value: `m(i, j) = x`
            if (place := self.placed(left)) is not None:
                sign = operator.removesuffix("=")
                value = self.operation(target, sign, value, self.parted(left)) if sign else value
                return [ast.Expr(method(place, "__place__", *target.args, value))]
            return [ast.Expr(target), *([] if isinstance(value, (ast.Name, ast.Constant)) else [ast.Expr(value)])]
        if operator == "=":
            return [assigned(target, value)]
        sign = operator.removesuffix("=")
        if sign in ("&&", "||", "??"):
            return [assigned(target, self.operation(self.value(left), sign, value))]
        kind = self.type_of(left)
        made = self.operation(self.value(left), sign, value, self.parted(left))
        if not isinstance(made, ast.BinOp):
            return [assigned(target, made)]
        if kind.bits and isinstance(made.op, (ast.Mult, ast.LShift)):
            return [assigned(target, self.limited(made, kind))]
        return [added(target, type(made.op), made.right)]

    def placed(self, node: Node) -> ast.expr | None:
        """Whose place a call gives, where it gives one; None of others."""
        return None

    def limited(self, value: ast.expr, kind: Kind) -> ast.expr:
        """A number without a sign begins again at zero."""
        return binary(value, ast.BitAnd, constant((1 << kind.bits) - 1)) if kind.bits else value

    def _effect_update_expression(self, node: Node) -> list[ast.stmt]:
        inner = field(node, "argument") or node.named_children[0]
        operator = ast.Add if "++" in (child.type for child in node.children) else ast.Sub
        return [added(self.value(inner), operator, constant(1))]

    # Expressions.

    def _of_identifier(self, node: Node) -> ast.expr:
        return self.named(text_of(node))

    def named(self, named: str) -> ast.expr:
        """What a name stands for, which may be a field of the thing whose method is under way."""
        if named in self.constants:
            return constant(self.constants[named])
        for scope in reversed(self.scopes[1:]):
            if named in scope:
                return name(spelt(named))
        if self.owner and named in self.fields.get(self.owner[-1], ()):
            return ast.Attribute(name("self"), named, ast.Load())
        return name(spelt(named))

    def _of_this(self, node: Node) -> ast.expr:
        return name("self")

    _of_self = _of_this

    def _of_parenthesized_expression(self, node: Node) -> ast.expr:
        inner = [each for each in node.named_children if not each.is_extra]
        return self.value(inner[0]) if inner else constant(None)

    _of_condition_clause = _of_parenthesized_expression

    def _of_true(self, node: Node) -> ast.expr:
        return constant(True)

    def _of_false(self, node: Node) -> ast.expr:
        return constant(False)

    def _of_null(self, node: Node) -> ast.expr:
        return constant(None)

    _of_nullptr = _of_null_literal = _of_nil = _of_undefined = _of_null

    def _of_number_literal(self, node: Node) -> ast.expr:
        return constant(number(text_of(node)))

    _of_decimal_integer_literal = _of_hex_integer_literal = _of_octal_integer_literal = _of_number_literal
    _of_binary_integer_literal = _of_decimal_floating_point_literal = _of_number = _of_number_literal
    _of_int_literal = _of_float_literal = _of_integer_literal = _of_integer = _of_float = _of_number_literal

    def _of_string_literal(self, node: Node) -> ast.expr:
        return constant(unquoted(text_of(node)))

    _of_string = _of_raw_string_literal = _of_interpreted_string_literal = _of_concatenated_string = _of_string_literal
    _of_text_block = _of_string_literal

    def _of_char_literal(self, node: Node) -> ast.expr:
        """A letter is a number."""
        text = unquoted(text_of(node))
        return constant(ord(text) if len(text) == 1 else 0)

    _of_character_literal = _of_rune_literal = _of_char_literal

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, right = field(node, "left"), field(node, "right")
        assert left is not None
        assert right is not None
        operator = text_of(field(node, "operator"))
        return self.operation(self.value(left), operator, self.value(right), self.parted(left) or self.parted(right))

    def parted(self, node: Node | None) -> bool:
        """Whether it is a number with a rest."""
        if node is None or not self.whole:
            return True
        return self.type_of(node).floating

    def type_of(self, node: Node | None) -> Kind:
        """What it gives, as far as it is declared."""
        if node is None:
            return NOTHING
        kind, inner = node.type, node.named_children
        if kind in ("identifier", "field_identifier"):
            named = text_of(node)
            found = self.kind(named)
            if found is NOTHING and self.owner:
                found = self.fields.get(self.owner[-1], {}).get(named, NOTHING)
            return found
        if kind in ("number_literal", "float_literal", "decimal_floating_point_literal"):
            return Kind("double" if isinstance(number(text_of(node)), float) else "int")
        if kind in ("parenthesized_expression", "unary_expression", "reference_expression", "pointer_expression"):
            return self.type_of(inner[-1]) if inner else NOTHING
        if kind == "binary_expression":
            sides = [self.type_of(field(node, side)) for side in ("left", "right")]
            return next((side for side in sides if side.floating), next((s for s in sides if s.name), NOTHING))
        if kind in ("subscript_expression", "array_access", "index_expression"):
            return self.type_of(field(node, *_OWNERS) or (inner[0] if inner else None)).one
        if kind in ("field_expression", "field_access", "selector_expression", "member_expression"):
            owner = self.type_of(field(node, *_OWNERS))
            while owner.name in ("pointer", "shared_ptr", "unique_ptr", "Box", "Rc", "Option") and owner.of:
                owner = owner.one
            return self.fields.get(owner.name, {}).get(text_of(field(node, *_FIELDS)), NOTHING)
        if kind in ("cast_expression", "type_cast_expression"):
            return self.declared(field(node, "type"))
        if kind in ("conditional_expression", "ternary_expression"):
            return self.type_of(field(node, "consequence"))
        if kind in ("call_expression", "method_invocation"):
            return self.given(node)
        return NOTHING

    def given(self, node: Node) -> Kind:
        """What a call gives."""
        function = field(node, "function", "name")
        named = text_of(function).rpartition("::")[2].rpartition(".")[2]
        if named in FLOATING:
            return Kind("double")
        return self.gives.get(named, NOTHING)

    def declared(self, node: Node | None) -> Kind:
        """The type that is written there."""
        return Kind(text_of(node))

    def _of_unary_expression(self, node: Node) -> ast.expr:
        inner = field(node, "argument", "operand") or node.named_children[-1]
        operator = text_of(field(node, "operator")) or node.children[0].type
        return self.turned(operator, self.value(inner))

    def turned(self, operator: str, value: ast.expr) -> ast.expr:
        if operator in ("!", "not"):
            return negated(value)
        if operator == "-":
            if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
                return constant(-value.value)
            return ast.UnaryOp(ast.USub(), value)
        if operator == "~":
            return ast.UnaryOp(ast.Invert(), value)
        return value

    def _of_update_expression(self, node: Node) -> ast.expr:
        inner = field(node, "argument") or node.named_children[0]
        made = self._effect_update_expression(node)
        if node.children[0].is_named:  # `i++`
            self.after += made
        else:
            self.before += made
        return self.value(inner)

    def _of_assignment_expression(self, node: Node) -> ast.expr:
        left, right = field(node, "left"), field(node, "right")
        operator = text_of(field(node, "operator")) or "="
        assert left is not None
        target = self.value(left)
        if operator == "=":
            return ast.NamedExpr(stored(target), self.value(right))  # type: ignore[arg-type]
        self.before += self._effect_assignment_expression(node)
        return self.value(left)

    _of_augmented_assignment_expression = _of_assignment_expression

    def _of_comma_expression(self, node: Node) -> ast.expr:
        *first, last = node.named_children
        for each in first:
            self.before += self.effect(each)
        return self.value(last)

    _of_sequence_expression = _of_comma_expression

    def _of_conditional_expression(self, node: Node) -> ast.expr:
        test = self.test(field(node, "condition"))
        return ast.IfExp(test, self.value(field(node, "consequence")), self.value(field(node, "alternative")))

    _of_ternary_expression = _of_conditional_expression

    def _of_subscript_expression(self, node: Node) -> ast.expr:
        inner = node.named_children
        key = field(node, "index", "indices") or inner[-1]
        if key.type == "subscript_argument_list" and key.named_children:
            key = key.named_children[0]
        return subscript(self.value(field(node, *_OWNERS) or inner[0]), self.value(key))

    _of_array_access = _of_index_expression = _of_subscript_expression

    def _of_field_expression(self, node: Node) -> ast.expr:
        return ast.Attribute(self.value(field(node, *_OWNERS)), text_of(field(node, *_FIELDS)), ast.Load())

    _of_field_access = _of_member_expression = _of_selector_expression = _of_field_expression

    def _of_cast_expression(self, node: Node) -> ast.expr:
        return self.cast(self.declared(field(node, "type")), self.value(field(node, "value")), field(node, "value"))

    def cast(self, kind: Kind, value: ast.expr, node: Node | None) -> ast.expr:
        """A number as one of another type."""
        if kind.floating and not self.type_of(node).floating:
            return value if isinstance(value, ast.Constant) else called("float", value)
        if kind.whole and self.type_of(node).floating:
            return called("int", value)
        return value

    def _of_lambda_expression(self, node: Node) -> ast.expr:
        return constant(None)

    def arguments_of(self, node: Node | None) -> list[ast.expr]:
        return [self.value(each) for each in node.named_children if not each.is_extra] if node is not None else []

    def inner_function(self, names: Sequence[str], body: Node | None) -> ast.expr:
        """A function without a name, which is given one where it is more than an expression."""
        self.scopes.append(dict.fromkeys(names, NOTHING))
        if body is not None and body.type in ("compound_statement", "statement_block", "block"):
            before, after, self.before, self.after = self.before, self.after, [], []
            inside = self.statements(body.named_children)
            self.before, self.after = before, after
            self.scopes.pop()
            if len(inside) == 1 and isinstance(inside[0], ast.Return) and inside[0].value is not None:
                return ast.Lambda(_arguments(names), inside[0].value)
            made = self.fresh()
            self.before.append(function_of(made, names, inside))
            return name(made)
        before, after, self.before, self.after = self.before, self.after, [], []
        value = self.value(body)
        inside = [*self.before, *([ast.Return(value)]), *self.after]
        self.before, self.after = before, after
        self.scopes.pop()
        if len(inside) > 1:
            made = self.fresh()
            self.before.append(function_of(made, names, [*inside[:-1], inside[-1]]))
            return name(made)
        return ast.Lambda(_arguments(names), value)


_RECKONED = (ast.BinOp, ast.Name, ast.Constant, ast.operator, ast.expr_context)
"""What a sum of names and numbers consists of."""
FLOATING = frozenset(
    "sqrt sin cos tan exp log log2 log10 pow fabs atof strtod hypot atan atan2 floor ceil random".split()
)
"""Functions that give numbers with a rest."""


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, [])


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing goes on behind it."""
    return bool(body) and isinstance(body[-1], (ast.Break, ast.Return, ast.Continue, ast.Raise))


def _both_limits(test: ast.expr | None, start: ast.stmt, body: Sequence[ast.stmt]) -> ast.expr | None:
    """`i < a && i < b` as `i < min(a, b)`, where neither becomes another one in between."""
    if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and len(test.values) == 2):
        return test
    one, other = test.values
    begun = ast.unparse(start.targets[0]) if isinstance(start, ast.Assign) else ""
    if not (isinstance(one, ast.Compare) and isinstance(other, ast.Compare) and len(one.ops) == len(other.ops) == 1):
        return test
    same = type(one.ops[0]) is type(other.ops[0]) and isinstance(one.ops[0], (ast.Lt, ast.LtE))
    limits = [one.comparators[0], other.comparators[0]]
    inside = [each for limit in limits for each in ast.walk(limit)]
    plain = all(isinstance(each, _RECKONED) for each in inside)
    moves = any(isinstance(each, ast.Name) and changes(body, each.id) for each in inside)
    if not (same and plain and not moves and ast.unparse(one.left) == ast.unparse(other.left) == begun):
        return test
    return compared(one.left, type(one.ops[0]), called("min", *limits))


def _is_step(step: ast.stmt, start: ast.stmt) -> bool:
    """Whether one changes what the other begins."""
    target = (
        step.target if isinstance(step, ast.AugAssign) else step.targets[0] if isinstance(step, ast.Assign) else None
    )
    begun = start.targets[0] if isinstance(start, ast.Assign) else None
    return isinstance(target, ast.Name) and isinstance(begun, ast.Name) and target.id == begun.id


def number(text: str) -> int | float:
    """The number that is written there; 0 where none is."""
    plain = text.replace("_", "").replace("'", "").lower()
    if plain.startswith("-"):
        return -number(plain[1:])
    try:
        if plain.startswith("0x") and "p" in plain:
            return float.fromhex(plain.rstrip("fl") if plain[-1] == "l" else plain)
        if plain.startswith(("0x", "0b", "0o")):
            digits = plain[2:]
            for suffix in ("i64", "u64", "i32", "u32", "usize", "u8", "u128"):
                digits = digits.removesuffix(suffix)
            return int(digits.rstrip("ulnz" if plain[1] == "x" else "ulnzi"), {"x": 16, "b": 2, "o": 8}[plain[1]])
        for suffix in ("usize", "isize", "i128", "u128", "i64", "u64", "i32", "u32", "u16", "i16", "u8", "i8"):
            if plain.endswith(suffix):
                return int(plain.removesuffix(suffix))
        if plain.endswith(("f32", "f64")):
            return float(plain[:-3])
        if plain.rstrip("ulnz").isdecimal():
            digits = plain.rstrip("ulnz")
            return (
                int(digits, 8)
                if digits[0] == "0" and len(digits) > 1 and set(digits) <= set("01234567")
                else int(digits)
            )
        return float(plain.rstrip("fdlu"))
    except ValueError:
        return 0


def unquoted(text: str) -> str:
    """A text as it is said, without what stands around it and with what stands for one letter."""
    for quote in ('"""', "'''", '"', "'", "`"):
        start = text.find(quote)
        if 0 <= start <= 3 and text.endswith(quote) and len(text) >= start + 2 * len(quote):
            text = text[start + len(quote) : len(text) - len(quote)]
            break
    if "\\" not in text:
        return text
    for written, said in (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"), ("\\0", "\0"), ("\\'", "'"), ('\\"', '"')):
        text = text.replace(written, said)
    return text.replace("\\\\", "\\")


def is_equal(left: ast.expr, right: ast.expr) -> ast.expr:
    return compared(left, ast.Eq, right)


def listed(count: ast.expr, one: ast.expr, several: bool) -> ast.expr:
    """So many of these; each a thing of its own where there are `several`."""
    if not several:
        return binary(ast.List([one], ast.Load()), ast.Mult, count)
    return ast.ListComp(one, [ast.comprehension(ast.Name("_", ast.Store()), called("range", count), [], 0)])


def joined(values: Sequence[ast.expr]) -> ast.expr:
    """A text of several."""
    return ast.JoinedStr([
        each if isinstance(each, ast.Constant) and isinstance(each.value, str) else ast.FormattedValue(each, -1, None)
        for each in values
    ])  # fmt: skip


def printed(*values: ast.expr) -> ast.expr:
    return called("print", *values)


def length(value: ast.expr) -> ast.expr:
    return called("len", value)


def appended(owner: ast.expr, value: ast.expr) -> ast.expr:
    return method(owner, "append", value)
