"""Lua."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from forerun.tasks._tongues._braced import field, joined, length
from forerun.tasks._tongues._scripts import (
    ESCAPES,
    Scripted,
    below,
    effect,
    extended,
    floored,
    formatted,
    going,
    inside,
    is_none,
    is_value,
    leaving,
    lined,
    list_of,
    must,
    one_of,
    part,
    pattern_of,
    plus,
    put,
    sides,
    starred,
    to,
    tuple_of,
    within,
    written,
)
from forerun.tasks._tongues._translator import (
    BINARY,
    added,
    assigned,
    called,
    constant,
    function_of,
    lambda_of,
    method,
    name,
    negated,
    path,
    spelt,
    subscript,
    text_of,
)

_CALCULATING = {"..": BINARY["+"], **{each: BINARY[each] for each in "+ - * / % //".split()}}
_TEXTUAL = frozenset("sub byte find match gmatch gsub rep upper lower len reverse format char".split())
_LIBRARIES = frozenset("math string table io os coroutine utf8 debug".split())
_LISTING = frozenset("table.insert table.remove table.sort table.concat ipairs insert remove concat".split())
_MAKERS = ("new", "create", "make", "init", "__call")
_DERIVING = ("extend", "subclass", "derive")
_FUNCTIONS = ("function_declaration", "function_definition")
_LOOPS = ("for_statement", "while_statement", "repeat_statement")
_CONSTANTS: dict[str, object] = {
    "math.huge": 1e308, "math.pi": 3.141592653589793, "math.maxinteger": 2**63 - 1, "math.mininteger": -(2**63),
}  # fmt: skip
_CLASSES = {
    "a": "A-Za-z", "d": r"\d", "l": "a-z", "s": r"\s", "u": "A-Z", "w": r"A-Za-z0-9", "x": "0-9A-Fa-f",
    "p": r"!-/:-@\[-`{-~", "c": r"\x00-\x1f", "g": "!-~",
}  # fmt: skip
_LIBRARY = {
    **{f"math.{each}": f"math.{each}(*z)" for each in "sqrt sin cos tan asin acos atan exp log fmod ceil pow".split()},
    "math.max": "max(*z)", "math.min": "min(*z)", "math.abs": "abs(*z)", "math.randomseed": "None",
    "math.random": "random.randint(*z)", "math.random/1": "random.randint(1, a)", "math.random/0": "random.random()",
    "table.insert": "a.append(b)", "table.insert/3": "a.insert(b, c)", "table.concat": "b.join(a)",
    "table.concat/1": "''.join(a)", "io.write": "print(*z)", "print": "print(*z)", "io.lines": "sys.stdin",
    "tonumber": "int(a)", "tostring": "str(a)", "type": "type(a)", "assert": "a", "pcall": "(True, a(*z))",
    "xpcall": "(True, a(*z))", "next": "next(iter(a))", "ipairs": "a", "pairs": "a", "rawget": "a[b]",
    "rawequal": "a == b", "rawlen": "len(a)", "os.time": "time.time()", "os.clock": "time.time()",
    "os.exit": "sys.exit()", "coroutine.resume": "(True, a(*z))", "string.rep": "a * b",
    "string.upper": "a.upper()", "string.lower": "a.lower()", "string.len": "len(a)", "string.reverse": "a[::-1]",
    **dict.fromkeys(("error", "require", "collectgarbage", "getmetatable"), "None"),
}  # fmt: skip
"""What functions give: those of `named/count` where they are given so many."""
_OPERATING = {
    **{f"__{each}": f"__{each}__" for each in "add sub mul mod pow len".split()},
    "__div": "__truediv__", "__idiv": "__floordiv__",
}  # fmt: skip
"""What a class does with operators."""
Root = tuple[str, str]


_SAID: dict[str, Callable[..., object]] = {
    "_of_vararg_expression": lambda self, node: starred(name("_args")),
    "_do_do_statement": lambda self, node: self.block(field(node, "body")),
    "_do_label_statement": lambda self, node: [],
    "_do_goto_statement": lambda self, node: [ast.Continue()] if within(node, *_LOOPS) else [],
    "_base_math_floor": lambda self, given: floored(self.value(given[0]), "math.floor"),
    "_base_table_unpack _base_unpack": lambda self, given: starred(self.value(given[0])),
    "_base_string_format": lambda self, given: formatted(self.value(given[0]), self.given_to(given[1:])),
    "_base_string_gmatch": lambda self, given: self._all(self.value(given[0]), self.pattern(given[1])),
}  # fmt: skip
"""Methods of one expression."""


class Lua(Scripted, said=_SAID):
    """Programs of one file. Tables are what they are used as: lists, mappings, or things with fields."""

    whole = False

    def __init__(self) -> None:
        super().__init__()
        self.shapes = dict[Root, dict[int, str]]()
        """What tables are used as, and those that they have."""
        self.counters = set[str]()
        """What counts on, as it is written."""
        self.classes = dict[str, list[Node]]()
        """Methods of classes, and functions of other tables."""
        self.bases = dict[str, str]()
        self.derived = dict[str, str]()
        """Classes that are made of others by a call, `Point = Object:extend()`, with what fills a thing of theirs."""
        self.things = set[str]()
        """Tables that others have as their class."""
        self.static = set[str]()
        """Functions of tables, under their Python name."""
        self.sought = set[str]()
        """Names of what tables are asked for, and may not have."""
        self.aliases, self.ends = dict[str, str](), dict[str, str]()
        """Names of functions of the libraries."""
        self.made = [set[str]()]
        """Tables that functions make which are under way."""
        self.selves = [""]
        """What the thing is called that is made."""
        self.through = list[str]()
        """Tables that are gone through."""
        self.filled = dict[tuple[int, str], int]()
        """Where lists are filled, by the function and the name."""
        self.streams = set[str]()
        """Functions that give one after the other."""
        self.yielding = False

    # The whole program.

    def program(self, root: Node) -> list[ast.stmt]:
        self._survey(root)
        made = list[ast.stmt]()
        for named in sorted(sorted(self.things), key=lambda one: len(self._line(one))):
            self.owner.append(named)
            functions = [each for each in self.classes.get(named, ()) if _is_method(each) or _makes(each)]
            methods = [
                self.at(self.function(each, "__init__" if self._starts(each) else _method_name(each)), each)
                for each in functions
            ]
            self.owner.pop()
            bases = [spelt(self.bases[named])] if self.bases.get(named) in self.things else []
            if any(re.search(r"\bself\[", text_of(each)) for each in functions):
                bases = bases or ["list"]
            body = methods or [ast.Pass()]
            made.append(ast.ClassDef(spelt(named), [*map(name, bases)], [], body, [], lineno=1))
        return [*made, *self.statements(root.named_children)]

    def _starts(self, node: Node) -> bool:
        """Whether a method makes a thing, or fills one that is made."""
        return _makes(node) or _method_name(node) == self.derived.get(_owner(node))

    def _line(self, named: str) -> list[str]:
        base = self.bases.get(named)
        return [named, *(self._line(base) if base in self.things and base != named else ())]

    def _survey(self, root: Node) -> None:
        """What there is, before anything is said."""
        for node in below(root):
            kind = node.type
            if kind == "function_declaration":
                self._survey_function(node)
            elif kind == "variable_declaration" and not within(node, *_FUNCTIONS):
                self.globals.update(_declared(node))
            elif kind == "function_call":
                self._survey_call(node)
            elif kind == "for_numeric_clause":
                self.counters.add(written(node, "name"))
            elif kind == "bracket_index_expression":
                self._survey_place(node)
            elif kind == "assignment_statement":
                self._survey_assignment(node)
            elif kind == "unary_expression" and written(node, "operator") == "#":
                self._shaped(field(node, "operand"), "list")
        self.things.update(named for named, functions in self.classes.items() if any(map(_makes, functions)))
        self._survey_derived(root)

    def _survey_derived(self, root: Node) -> None:
        """`Point = Object:extend()`, where a table makes classes, and things of these that `:init(...)` fills."""
        for node in below(root, "assignment_statement"):
            for target, value in zip(*_sides(node), strict=False):
                found = re.match(r"(\w+)[:.](\w+)\(", text_of(value))
                if found is None or found[2] not in _DERIVING or target.type != "identifier":
                    continue
                own = self.classes.get(found[1], ())
                fills = [re.search(r":(\w+)\(\.\.\.\)", written(each, "body")) for each in own if _makes(each)]
                start = self.derived.get(found[1]) or next((each[1] for each in fills if each is not None), "")
                if start:
                    self.derived[text_of(target)], self.bases[text_of(target)] = start, found[1]
        self.things -= {self.bases[each] for each in self.derived} - self.derived.keys()
        self.things.update(self.derived)

    def _survey_function(self, node: Node) -> None:
        named, owner = field(node, "name"), _owner(node)
        if owner:
            self.classes.setdefault(owner, []).append(node)
            self.static.add(_joined(owner, _method_name(node)))
            return
        self.known.add(text_of(named))
        if any("coroutine.wrap" in text_of(each) for each in below(node, "return_statement")):
            self.streams.add(text_of(named))

    def _survey_call(self, node: Node) -> None:
        named, given = written(node, "name"), inside(field(node, "arguments"))
        if given and (named in _LISTING or named == "pairs"):
            self._shaped(given[0], "dict" if named == "pairs" else "list")
        elif named == "setmetatable" and len(given) > 1:
            if given[1].type == "identifier":
                self.things.add(text_of(given[1]))
            elif (found := re.search(r"__index\s*=\s*(\w+)", text_of(given[1]))) is not None:
                self.bases[text_of(given[0])] = found[1]

    def _survey_place(self, node: Node) -> None:
        """`t[k]`: a list where the place is a number that counts."""
        kind, text = part(node, "field"), written(node, "field")
        of = kind.type if kind is not None else ""
        counts = of in ("number", "unary_expression") or (of == "identifier" and text in self.counters)
        counts = counts or (of == "binary_expression" and re.search(r"[-+*/]\s*\d+$", text) is not None)
        texts = of == "string" or (of == "binary_expression" and ".." in text)
        self._shaped(field(node, "table"), "dict" if texts else "list" if counts else "table")

    def _survey_assignment(self, node: Node) -> None:
        for target, value in zip(*_sides(node), strict=False):
            left, text = text_of(target), text_of(value)
            if value.type == "binary_expression":
                if re.search(rf"(?<![\w.]){re.escape(left)}(?![\w.\[])", text):
                    self.counters.add(left)
                if text.replace(" ", "").startswith(f"({left}or0)".replace(" ", "")):
                    self._shaped(target, "#")
            elif value.type == "dot_index_expression" and text.split(".")[0] in _LIBRARIES and text not in _CONSTANTS:
                self.aliases[left] = text
            elif value.type == "function_definition":
                self.known.add(left)
            elif value.type == "table_constructor" and value.named_children:
                self._shaped(target, "list" if field(value.named_children[0], "name") is None else "table")

    def _shaped(self, node: Node | None, kind: str) -> None:
        root, depth = _chain(node)
        if root is not None:
            shape = self.shapes.setdefault(root, {})
            before = shape.get(depth)
            if before in (None, "table") or (kind == "#" and before not in ("list", "dict")):
                shape[depth] = kind

    def empty(self, root: Root | None, level: int = 0) -> ast.expr:
        """A table as it begins."""
        shape = self.shapes.get(root, {}) if root is not None else {}
        if shape.get(level) == "list":
            return list_of()
        return put("collections.defaultdict(int)" if shape.get(level + 1) == "#" else "{}")

    # Functions.

    def function(self, node: Node, named: str) -> ast.FunctionDef:
        """One of the program's functions."""
        body, declared = field(node, "body"), field(node, "name")
        names, making = _parameters(node), named == "__init__" and _makes(node)
        own = making or (declared is not None and declared.type == "method_index_expression")
        if own and names[:1] != ["self"]:
            names.insert(0, "self")
        alias = re.search(r"local (\w+)\s*=\s*setmetatable\(", text_of(body))
        self.selves.append("" if not making else alias[1] if alias is not None else "!")
        self.own.append({*map(spelt, names)})
        self.made.append(set())
        made = self.statements(body.named_children if body is not None else ())
        made = self.shared([each for each in made if not (making and isinstance(each, ast.Return))])
        self.made.pop()
        self.own.pop()
        self.selves.pop()
        function = function_of(named, [*map(spelt, names)], made)
        if any(each.type == "vararg_expression" for each in inside(field(node, "parameters"))):
            function.args.vararg = ast.arg("_args")
        function.args.defaults = [constant(None) for each in names[names[:1] == ["self"] :]]
        return function

    def _do_function_declaration(self, node: Node) -> list[ast.stmt]:
        owner, plain = _owner(node), spelt(written(node, "name"))
        if not owner:
            self.own[-1].add(plain)
            return [self.function(node, plain)]
        if owner in self.things and (_is_method(node) or _makes(node)):
            return []
        made = self.function(node, _joined(owner, _method_name(node)))
        if owner in self.things or not within(node, *_FUNCTIONS) or "." in owner:
            return [made]
        return [made, assigned(path(spelt(owner), _method_name(node)), name(made.name))]  # others are given the table

    def _of_function_definition(self, node: Node) -> ast.expr:
        owner, self.owner = self.owner, []
        made = self.function(node, self.fresh())
        self.owner = owner
        return self.unnamed(made)

    # Statements.

    def _do_variable_declaration(self, node: Node) -> list[ast.stmt]:
        self.own[-1].update(_declared(node))
        inner = node.named_children[0]
        if inner.type == "assignment_statement":
            return self._do_assignment_statement(inner)
        return [assigned(name(each), constant(None)) for each in _declared(node)]

    def _do_assignment_statement(self, node: Node) -> list[ast.stmt]:
        targets, values = _sides(node)
        if len(values) == 1 < len(targets):
            return [assigned(tuple_of(map(self.target, targets)), self._several(values[0], len(targets)))]
        patterns = [rf"(?<![\w.]){re.escape(text_of(target))}(?!\w)" for target in targets]
        swaps = any(re.search(pattern, text_of(value)) for pattern in patterns for value in values)
        if swaps and 1 < len(targets) == len(values):
            return [assigned(tuple_of(map(self.target, targets)), tuple_of(map(self.value, values)))]
        made = [one for pair in zip(targets, values, strict=False) for one in self._given(*pair)]
        return [*made, *(assigned(self.target(each), constant(None)) for each in targets[len(values) :])]

    def _several(self, value: Node, count: int) -> ast.expr:
        """What a call gives that gives so many."""
        named = written(field(value, "name"), "method", "field")
        own = any(_method_name(each) == named for functions in self.classes.values() for each in functions)
        if value.type == "function_call" and named in ("match", "find", "gsub") and not own:
            return self.matched(value, named, count)
        return self.value(value)

    def _given(self, left: Node, right: Node) -> list[ast.stmt]:
        """`left = right`."""
        text, kind = text_of(left), right.type
        makes = kind == "table_constructor" or (kind == "function_call" and written(right, "name") == "setmetatable")
        if makes and left.type == "identifier":
            self.made[-1].add(text)
            self.filled.pop((id(self.made[-1]), text), None)
        if kind == "table_constructor" and left.type == "identifier" and text in self.things:
            return []
        if kind == "function_call" and left.type == "identifier" and text in self.derived:
            return []
        if text.endswith(".__index") or (kind == "dot_index_expression" and text in self.aliases):
            return []
        if kind == "nil" and left.type == "bracket_index_expression":
            owner, key = self.value(field(left, "table")), self.value(field(left, "field"))
            return [ast.Delete([ast.Subscript(owner, key, ast.Del())])]
        if kind == "binary_expression":
            operator, plain, second = written(right, "operator"), written(right, "left"), field(right, "right")
            if (found := re.fullmatch(r"\((.*?)\s+or\s+(0|0\.0)\)", plain)) is not None:
                plain = found[1]
            if plain == text and operator in _CALCULATING:  # `x = x + 1`, `t[k] = (t[k] or 0) + 1`
                return [added(self.target(left), _CALCULATING[operator], self.value(second))]
            if plain == text and operator == "or" and second is not None:  # `t[k] = t[k] or {}`
                return [ast.If(negated(self.test(left)), self._given(left, second), [])]
        if kind == "function_call" and text == self.selves[-1]:
            return self._thing(right)
        value = self._made(right, *_chain(left))
        if isinstance(value, ast.Subscript) and left.type == "identifier" and self.asks(right) and _tried(left):
            value = method(value.value, "get", value.slice)  # `local i = t[k]`, `if not i then`
            self.sought.add(text)
        ends = re.fullmatch(r"#\s*([\w.]+)\s*\+\s*1", text_of(right)) if left.type == "identifier" else None
        self.ends[text] = ends[1] if ends is not None else ""
        if left.type == "bracket_index_expression" and self._fills(left, text_of(right)):
            return [ast.Expr(extended(self.value(field(left, "table")), value))]
        last = self.before[-1] if self.before else None
        if kind == "function_definition" and left.type == "identifier" and isinstance(last, ast.FunctionDef):
            last.name = spelt(text)
            return []
        return [assigned(self.target(left), value)]

    def _fills(self, left: Node, value: str) -> bool:
        """Whether it puts something behind all that a list has."""
        owner, key = written(left, "table"), written(left, "field")
        if re.fullmatch(rf"#\s*{re.escape(owner)}\s*\+\s*1", key):
            return True
        if self._listed(left) and (end := self.ends.get(key)) and (end == owner or value.replace(" ", "") == "{}"):
            return True  # `local i = #t + 1`, `t[i] = …`
        plain = re.sub(r"\s*[-+]\s*\d+$", "", key)
        if not self._listed(left) or plain not in self.counters or owner in self.through:
            return False
        if re.search(rf"(?<![\w.]){re.escape(owner)}\s*\[", value):
            return False
        if re.split(r"[.\[]", owner)[0] not in self.made[-1]:
            return ("." in owner and "." in key) or owner == "self"
        at = _loop_of(left)  # in another one all is there already
        return self.filled.setdefault((id(self.made[-1]), owner), at) == at

    def _listed(self, node: Node) -> bool:
        """Whether an element is one of a list."""
        root, depth = _chain(field(node, "table"))
        return (written(node, "table") == "self" and bool(self.owner)) or self._shape(root, depth) == "list"

    def _shape(self, root: Root | None, depth: int) -> str | None:
        return self.shapes.get(root, {}).get(depth) if root is not None else None

    def _made(self, node: Node, root: Root | None, depth: int) -> ast.expr:
        if node.type == "table_constructor" and not node.named_children:
            return self.empty(root, depth)
        return self.value(node)

    def _thing(self, call: Node) -> list[ast.stmt]:
        """`setmetatable({…}, Class)`, where that is made."""
        made = list[ast.stmt]()
        for each in inside(inside(field(call, "arguments"))[0]):
            key, value = written(each, "name"), field(each, "value")
            if key and value is not None:
                made.append(assigned(path("self", key), self._made(value, (".", key), 0)))
            else:
                made.append(ast.Expr(extended(name("self"), self.value(value))))
        return made

    def target(self, node: Node) -> ast.expr:
        return self.place(self.value(node))

    def _branch(self, node: Node) -> ast.If:
        return ast.If(self.test(field(node, "condition")), self.body(field(node, "consequence")), [])

    def _do_if_statement(self, node: Node) -> list[ast.stmt]:
        made = last = self._branch(node)
        for each in node.children_by_field_name("alternative"):
            if each.type == "else_statement":
                last.orelse = self.block(field(each, "body"))
                continue
            with self.aside() as (ahead, _):
                inner = self._branch(each)
            last.orelse = lined([*ahead, inner], each)
            last = inner
        return [made]

    def _do_while_statement(self, node: Node) -> list[ast.stmt]:
        """`while`, `repeat`, whose first round is one like all others."""
        body, condition = self.block(field(node, "body")), must(node, "condition")
        return [self.at(self.turning(condition, body, node.type == "repeat_statement"), condition)]

    _do_repeat_statement = _do_while_statement

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        clause = must(node, "clause")
        if clause.type == "for_generic_clause":
            return self._generic(clause, node)
        self.ends.pop(written(clause, "name"), None)
        parts = [self.value(each) for key in ("start", "end", "step") if (each := field(clause, key)) is not None]
        parts[1] = plus(parts[1], -1 if ast.unparse(parts[-1]).startswith("-") and len(parts) > 2 else 1)
        variable = spelt(written(clause, "name"))
        self.own[-1].add(variable)
        return [going(to(variable), called("range", *parts), self.block(field(node, "body")))]

    def _generic(self, clause: Node, node: Node) -> list[ast.stmt]:
        """`for … in …`."""
        names = [spelt(text_of(each)) for each in clause.named_children[0].named_children]
        over = clause.named_children[-1].named_children[0]
        self.own[-1].update(names)
        slots: list[ast.expr] = [*map(to, names)]
        target = slots[0] if len(slots) == 1 else ast.Tuple(slots, ast.Store())
        named, given, of = written(over, "name"), inside(field(over, "arguments")), field(over, "name")
        named, plain = self.aliases.get(named, named), written(of, "method", "field")
        going_through, stream = given and named in ("pairs", "ipairs"), ""
        if going_through:
            target, made = self._pairs(slots, given[0], named == "ipairs")
        elif named == "io.lines" or plain == "lines":
            target, made = slots[0], path("sys", "stdin")
        elif plain == "gmatch" and of is not None:
            subject, mark = (field(of, "table"), given[0]) if of.type == "method_index_expression" else given
            made = self._all(self.value(subject), self.pattern(mark))
            made = called("_tongue.passed", made) if isinstance(made, ast.Call) else made
        elif named in self.streams or named == "coroutine.wrap":
            made = self.value(over)
        else:
            stream, made = self.fresh(), self.value(over)
            self.before.append(assigned(name(stream), made))
        self.through.append(text_of(given[0]) if going_through else "")
        body = self.body(field(node, "body"))
        self.through.pop()
        if not stream:
            return [ast.For(target, made, body, [])]
        taken = assigned(target, called(stream))
        return [ast.While(constant(True), [taken, leaving(is_none(name(names[0]))), *body], [])]

    def _pairs(self, slots: list[ast.expr], of: Node, places: bool) -> tuple[ast.expr, ast.expr]:
        """What is given, and what is gone through."""
        value = self.value(of)
        listed = places or self._shape(*_chain(of)) == "list" or isinstance(value, ast.List)
        if len(slots) == 1:
            return slots[0], called("range", length(value)) if listed else value
        if ast.unparse(slots[0]) == "_":
            return slots[1], value if listed else method(value, "values")
        return ast.Tuple(slots, ast.Store()), called("enumerate", value) if listed else method(value, "items")

    def _do_return_statement(self, node: Node) -> list[ast.stmt]:
        found = [one for each in node.named_children for one in (
            each.named_children if each.type == "expression_list" else [each])]  # fmt: skip
        if found and self.selves[-1] == "!" and written(found[0], "name") == "setmetatable":
            return self._thing(found[0]) or [ast.Pass()]
        return [ast.Return(one_of([*map(self.value, found)]) if found else None)]

    def _effect_function_call(self, node: Node) -> list[ast.stmt]:
        return [ast.Raise(None, None)] if written(node, "name") == "error" else effect(self.value(node))

    # Expressions.

    def _of_identifier(self, node: Node) -> ast.expr:
        named = text_of(node)
        return name("self" if named == self.selves[-1] else spelt(named))

    def _of_string(self, node: Node) -> ast.expr:
        text = written(node, "content")
        if not text_of(node).startswith("["):
            text = re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text, flags=re.DOTALL)
        return constant(text)

    def _of_dot_index_expression(self, node: Node) -> ast.expr:
        text, owner, plain = text_of(node), written(node, "table"), written(node, "field")
        if text in _CONSTANTS:
            return constant(_CONSTANTS[text])
        if _joined(owner, plain) in self.static and owner not in self.things:
            return name(_joined(owner, plain))
        return ast.Attribute(self.value(field(node, "table")), _OPERATING.get(plain, plain), ast.Load())

    def _of_bracket_index_expression(self, node: Node) -> ast.expr:
        owner = self.value(field(node, "table"))
        if written(node, "field").replace(" ", "") == f"#{written(node, 'table')}".replace(" ", ""):
            return subscript(owner, constant(-1))
        key = self.value(field(node, "field"))
        counts = isinstance(key, ast.Constant) and isinstance(key.value, int) and key.value > 0
        return subscript(owner, plus(key, -1) if counts else key)

    def _of_table_constructor(self, node: Node) -> ast.expr:
        keys, values, listed = list[ast.expr](), list[ast.expr](), list[ast.expr]()
        for each in inside(node):
            key, value = field(each, "name"), field(each, "value") or each
            if key is None:
                listed.append(self.value(value))
                continue
            bracket = any(child.type == "[" for child in each.children)
            keys.append(self.value(key) if bracket else constant(text_of(key)))
            values.append(self._made(value, None if bracket else (".", text_of(key)), 0))
        if keys and not listed and all(is_value(each, 0) for each in keys):
            return list_of(values)  # `{[0] = 1}`
        if not keys:
            return list_of(listed)
        return ast.Dict([*keys, *(constant(place + 1) for place in range(len(listed)))], [*values, *listed])

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if operator == "..":
            return joined(self._parts(node))
        if operator == "or" and _joins(left, "and"):  # `a and b or c`
            test = self.test(part(left, "left"))
            return ast.IfExp(test, self.value(part(left, "right")), self.value(right))
        if operator in ("==", "~=") and right.type == "nil":
            test = self.test(left)
            if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In):
                return negated(test) if operator == "==" else test
            return is_none(test, operator == "~=")
        operator = {"//": "~/", "^": "**", "~": "^"}.get(operator, operator)
        return self.operation(self.value(left), operator, self.value(right), parted=True)

    def _parts(self, node: Node | None) -> list[ast.expr]:
        """Texts that are put together."""
        if _joins(node, ".."):
            return [*self._parts(part(node, "left")), *self._parts(part(node, "right"))]
        return [self.value(node)]

    def _of_unary_expression(self, node: Node) -> ast.expr:
        operator, inner = written(node, "operator"), field(node, "operand")
        if operator == "not":
            return is_none(self.value(inner)) if text_of(inner) in self.sought else negated(self.test(inner))
        return length(self.value(inner)) if operator == "#" else self.turned(operator, self.value(inner))

    def asks(self, node: Node) -> bool:
        return node.type == "bracket_index_expression" and not self._listed(node)

    # Calls.

    def given_to(self, given: Sequence[Node]) -> list[ast.expr]:
        return [*map(self.value, given)]

    def _of_function_call(self, node: Node) -> ast.expr:
        function, given = must(node, "name"), inside(field(node, "arguments"))
        named = text_of(function)
        named = self.aliases.get(named, named)
        if function.type == "method_index_expression":
            return self._method_called(function, given)
        if function.type == "identifier" and named in self.known:
            return called(spelt(named), *self.given_to(given))
        owner, _, plain = named.rpartition(".")
        if self._class_makes(owner, plain):
            return called(spelt(owner), *self.given_to(given))
        owner = self.bases.get(owner.removesuffix(".super"), owner) if owner.endswith(".super") else owner
        own = [each for each in self.classes.get(owner, ()) if _method_name(each) == plain]
        if owner in self.things and any(map(_is_method, own)):
            values = self.given_to(given)
            above = self.owner and owner in self._line(self.owner[-1])[1:] and text_of(given[0]) == "self"
            whose = called("super") if above else values[0]
            return method(whose, "__init__" if any(map(self._starts, own)) else plain, *values[1:])
        if own:
            return called(_joined(owner, plain), *self.given_to(given))
        return self.library(named, given) or called(self.value(function), *self.given_to(given))

    def _class_makes(self, owner: str, plain: str) -> bool:
        lines = [each for line in self._line(owner) for each in self.classes.get(line, ())]
        return owner in self.things and any(_method_name(each) == plain and _makes(each) for each in lines)

    def _method_called(self, function: Node, given: list[Node]) -> ast.expr:
        """`x:m(…)`."""
        table, plain, owner = must(function, "table"), written(function, "method"), written(function, "table")
        if self._class_makes(owner, plain) or (owner in self.derived and plain in _MAKERS):
            return called(spelt(owner), *self.given_to(given))
        own = [each for each in self.classes if plain in map(_method_name, self.classes[each])]
        if own and not self.things & {*own}:
            return called(_joined(owner if owner in own else own[0], plain), *self.given_to([table, *given]))
        if not own and plain in ("read", "lines", "write", "close"):
            return self.library(f"io.{plain}", given) or constant(None)
        if not own and plain in _TEXTUAL:
            return self.library(f"string.{plain}", [table, *given]) or constant(None)
        return method(self.value(table), plain, *self.given_to(given))

    def library(self, named: str, given: list[Node]) -> ast.expr | None:
        """What a function of Lua's own gives; None of others."""
        root, own = named.rpartition(".")[0], getattr(self, f"_base_{named.replace('.', '_')}", None)
        if own is not None:
            found: ast.expr = own(given)
            return found
        form = _LIBRARY.get(f"{named}/{len(given)}") or _LIBRARY.get(named)
        form = form or ("int(a)" if root == "math" and given else "(*z,)" if root in _LIBRARIES else "")
        return put(form, *self.given_to(given)) if form else None

    def _base_table_remove(self, given: list[Node]) -> ast.expr:
        places = [constant(0) if text_of(each) == "1" else self.value(each) for each in given[1:]]
        return method(self.value(given[0]), "pop", *places)

    def _base_table_sort(self, given: list[Node]) -> ast.expr:
        made, key = method(self.value(given[0]), "sort"), self.ordering(given[1]) if len(given) > 1 else None
        made.keywords += [ast.keyword("key", key)] if key is not None else []
        return made

    def ordering(self, node: Node) -> ast.expr | None:
        """A function that compares two things, as one that is asked about each."""
        statements = inside(field(node, "body")) if node.type == "function_definition" else []
        alone = len(statements) == 1 and statements[0].type == "return_statement"
        test = next(below(statements[0], "binary_expression"), None) if alone else None
        if written(test, "operator") in ("<", ">"):
            side, names = part(test, "left"), _parameters(node)
            own = names[0] if re.search(rf"\b{names[0]}\b", text_of(side)) else names[1]
            return lambda_of([spelt(own)], self.value(side)) if text_of(side) != own else None
        return lambda_of(["__x"], called(self.value(node), name("__x"), name("__x")))

    def _base_io_read(self, given: list[Node]) -> ast.expr:
        kinds = [text_of(each).strip("\"'*")[:1] for each in given] or ["l"]
        forms = {"n": "int(_tongue.word())", "a": "sys.stdin.read()"}
        return one_of([put(forms.get(kind, "sys.stdin.readline()")) for kind in kinds])

    def _base_setmetatable(self, given: list[Node]) -> ast.expr:
        owner = text_of(given[-1])
        if owner not in self.things or given[0].type != "table_constructor" or self.owner:
            return self.value(given[0])
        if not inside(given[0]) or any(map(_makes, self.classes.get(owner, ()))):
            return called(spelt(owner))
        made = self.kept(called(spelt(owner)))
        for each in inside(given[0]):
            key, value = written(each, "name"), field(each, "value") or each
            one = self._made(value, (".", key) if key else None, 0)
            bracket = any(child.type == "[" for child in each.children)
            self.before.append(
                ast.Expr(extended(made, one)) if not key or bracket else assigned(path(made.id, key), one)
            )
        return made

    def _base_select(self, given: list[Node]) -> ast.expr:
        everything = text_of(given[0]).strip("\"'") == "#"
        return length(name("_args")) if everything else subscript(name("_args"), self.value(given[0]))

    def _base_coroutine_wrap(self, given: list[Node]) -> ast.expr:
        outer, self.yielding = self.yielding, True
        made = self.value(given[0])
        self.yielding = outer
        return called(made)

    def _base_coroutine_create(self, given: list[Node]) -> ast.expr:
        """It is resumed until it ends."""
        made = self.value(given[0])
        made = made if isinstance(made, ast.Name) else self.kept(made)
        self.before.append(ast.Expr(called(made)))
        return made

    def _base_coroutine_yield(self, given: list[Node]) -> ast.expr:
        value = one_of(self.given_to(given))
        return ast.Yield(value) if self.yielding else value

    # Texts.

    def _base_string_sub(self, given: list[Node]) -> ast.expr:
        owner, start = self.value(given[0]), plus(self.value(given[1]), -1)
        if len(given) > 2 and text_of(given[1]) == text_of(given[2]):
            return subscript(owner, start)
        end = self.value(given[2]) if len(given) > 2 else None
        return subscript(owner, ast.Slice(start, None if is_value(end, -1) else end, None))

    def _base_string_byte(self, given: list[Node]) -> ast.expr:
        place = plus(self.value(given[1]), -1) if len(given) > 1 else constant(0)
        return called("ord", subscript(self.value(given[0]), place))

    def _base_string_char(self, given: list[Node]) -> ast.expr:
        found: list[ast.expr] = [called("chr", each) for each in self.given_to(given)]
        return found[0] if len(found) == 1 else joined(found)

    def _base_string_find(self, given: list[Node]) -> ast.expr:
        if len(given) > 3 or not re.search(r"[%.\[\]*+?^$()-]", text_of(given[1]).strip("\"'")):
            return method(self.value(given[0]), "find", self.value(given[1]))
        return called("re.search", self.pattern(given[1]), self.value(given[0]))

    def _base_string_match(self, given: list[Node]) -> ast.expr:
        pattern = self.pattern(given[1])
        found = called("re.search", pattern, self.value(given[0]))
        groups = isinstance(pattern, ast.Constant) and "(" in str(pattern.value)
        return subscript(self.kept(found), constant(1)) if groups else found

    def _base_string_gsub(self, given: list[Node]) -> ast.expr:
        owner, pattern, more = self.value(given[0]), self.pattern(given[1]), self.value(given[2])
        asks = given[2].type == "identifier" and self._shape(*_chain(given[2])) != "table"
        if asks or given[2].type == "function_definition":
            found = self.fresh()
            call = ast.Expr(called(more, subscript(name(found), constant(0))))
            self.before.append(going(to(found), called("re.finditer", pattern, owner), [call]))
            more = constant("")
        return called("re.sub", pattern, more, owner)

    def _all(self, subject: ast.expr, pattern: ast.expr) -> ast.expr:
        """All that a pattern finds."""
        text = str(pattern.value) if isinstance(pattern, ast.Constant) else ""
        if text in (r"\S+", r"[^\s]+", r"(\S+)"):
            return method(subject, "split")
        if text == "([^\n]*)\n?":
            return method(subject, "splitlines")
        if (found := re.fullmatch(r"\(?\[\^(.|\\.)\][+*]\)?", text)) is not None:
            return method(subject, "split", constant(found[1].removeprefix("\\")))
        return subject if text == "." else called("re.findall", pattern, subject)

    def matched(self, call: Node, named: str, count: int) -> ast.expr:
        """`a, b = s:match(…)`."""
        function, given = field(call, "name"), inside(field(call, "arguments"))
        if function is not None and function.type == "method_index_expression":
            given = [function.named_children[0], *given]
        if named == "gsub":
            return tuple_of([self._base_string_gsub(given), *[constant(1)] * (count - 1)])
        kept = self.kept(called("re.search", self.pattern(given[1]), self.value(given[0])))
        parts = [put(f"a.{each}()", kept) for each in ("start", "end")] if named == "find" else []
        parts += [subscript(kept, constant(place)) for place in range(1, count - len(parts) + 1)]
        return tuple_of(parts[:count])

    def pattern(self, node: Node | None) -> ast.expr:
        """A pattern as Python writes it."""
        made = self.value(node)
        return _pattern(made.value) if isinstance(made, ast.Constant) and isinstance(made.value, str) else made


def _pattern(text: str) -> ast.expr:
    made, within = "", False
    for one in re.findall(r"%.|.", text, re.DOTALL):
        kind = one[1:].lower()
        if kind in _CLASSES:
            turned = {"s": r"\S", "d": r"\D", "w": r"\W"}.get(kind, f"[^{_CLASSES[kind]}]")
            plain = _CLASSES[kind] if within or kind in "sd" else f"[{_CLASSES[kind]}]"
            made += turned if one[1].isupper() else plain
        elif kind:
            made += re.escape(one[1])
        else:
            within = one == "[" or (within and one != "]")
            made += "*?" if one == "-" and not within else one
    return pattern_of(made.replace("()", ""))


def _joins(node: Node | None, *operators: str) -> bool:
    return node is not None and node.type == "binary_expression" and written(node, "operator") in operators


def _owner(node: Node) -> str:
    """The table whose function it is."""
    return written(field(node, "name"), "table")


def _method_name(node: Node) -> str:
    named = written(field(node, "name"), "method", "field")
    return _OPERATING.get(named, named)


def _is_method(node: Node) -> bool:
    named = field(node, "name")
    own = _parameters(node)[:1] == ["self"] or _method_name(node) in _OPERATING.values()
    return own or (named is not None and named.type == "method_index_expression")


def _loop_of(node: Node) -> int:
    """Where the innermost loop around it begins; 0 where there is none."""
    inside = node.parent
    while inside is not None and inside.type not in _LOOPS:
        inside = inside.parent
    return inside.start_byte if inside is not None else 0


def _makes(node: Node) -> bool:
    """Whether it makes a thing of its class."""
    made = rf"setmetatable\(.*,\s*({re.escape(_owner(node))}|self)\s*\)"
    return bool(_owner(node)) and _method_name(node) in _MAKERS and bool(re.search(made, text_of(node), re.DOTALL))


def _declared(node: Node) -> list[str]:
    """Names that are declared."""
    names = inside(next(below(node, "variable_list"), None))
    return [spelt(text_of(each)) for each in names if each.type == "identifier"]


def _tried(node: Node) -> bool:
    """Whether what a name is given is asked for at once: is there any?"""
    statement = node.parent
    while statement is not None and statement.type in ("variable_list", "assignment_statement", "variable_declaration"):
        node, statement = statement, statement.parent
    test = written(node.next_named_sibling, "condition") if node.next_named_sibling is not None else ""
    return test in (f"not {_named(node)}", f"{_named(node)} == nil")


def _named(node: Node) -> str:
    """The one name that a statement gives something."""
    return re.sub(r"^local\s+", "", text_of(node)).partition("=")[0].strip()


def _sides(node: Node) -> tuple[list[Node], list[Node]]:
    left, right = node.named_children[0], node.named_children[-1]
    return [each for each in left.named_children if each.type != "attribute"], right.named_children


def _parameters(node: Node) -> list[str]:
    return [text_of(each) for each in inside(field(node, "parameters")) if each.type == "identifier"]


def _joined(owner: str, plain: str) -> str:
    return f"{owner.replace('.', '__')}__{plain}"


def _chain(node: Node | None) -> tuple[Root | None, int]:
    """The name or the field that something belongs to, and how deep inside it is."""
    depth = 0
    while node is not None:
        if node.type == "identifier":
            return ("", text_of(node)), depth
        if node.type == "dot_index_expression":
            return (".", written(node, "field")), depth
        if node.type == "bracket_index_expression":
            depth, node = depth + 1, field(node, "table")
        else:
            node = node.named_children[0] if node.type == "parenthesized_expression" else None
    return None, 0
