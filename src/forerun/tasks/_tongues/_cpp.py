"""C++."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from tree_sitter import Node

from forerun.tasks._tongues._braced import FLOATING, field, listed, printed
from forerun.tasks._tongues._c import C, around, function_declarator
from forerun.tasks._tongues._declared import below, child, from_table, let, lettered, list_of, sides
from forerun.tasks._tongues._kinds import NOTHING, Kind
from forerun.tasks._tongues._translator import (
    added,
    assigned,
    called,
    changes,
    compared,
    constant,
    function_of,
    in_place,
    lambda_of,
    method,
    name,
    negated,
    path,
    spelt,
    stored,
    subscript,
    text_of,
)
from forerun.tasks._tongues._typed import children, for_each, name_of, needed, said, spread, tuple_of

_SORTS = spread({
    "map unordered_map multimap unordered_multimap flat_hash_map": "map",
    "set unordered_set multiset unordered_multiset": "set", "deque queue": "queue", "pair tuple": "tuple",
    "vector list stack array valarray basic_string span initializer_list": "list",
    "unique_ptr shared_ptr weak_ptr optional reference_wrapper pointer": "pointer",
    "istringstream stringstream ostringstream": "stringstream",
    "uniform_int_distribution uniform_real_distribution exponential_distribution normal_distribution": "drawn",
    "lognormal_distribution bernoulli_distribution discrete_distribution poisson_distribution": "drawn",
    "mt19937 mt19937_64 default_random_engine minstd_rand random_device": "drawing",
})  # fmt: skip
"""What types are like."""
_MADE = {"string": "''", "set": "set()", "queue": "collections.deque()"}
_CASTS = frozenset("static_cast reinterpret_cast const_cast dynamic_cast".split())
_FIRST = frozenset("vector priority_queue queue stack deque set list unordered_set".split())
"""Containers of which only the first argument is said."""
_OPERATORS = {"()": "__call__", "[]": "__getitem__"} | {
    f"{sign}{assigns and '='}": f"__{assigns}{named}__"
    for sign, named in (
        ("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv"), ("%", "mod"), ("^", "xor"), ("|", "or"),
        ("&", "and"),
    )
    for assigns in ("", "i")
}  # fmt: skip
_SIGNS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "==": "eq", "<": "lt", "%": "mod", "^": "xor", "|": "or"}
_LARGEST = {"int": 2**31 - 1, "long": 2**63 - 1, "unsigned": 2**32 - 1, "double": 1e308, "uint64_t": 2**64 - 1}
_PLAIN = ("std::endl", "endl", "std::fixed", "fixed", "std::flush")
_EACH = "find find_if count count_if any_of all_of none_of for_each transform copy_if remove_if partition"
_SORTING = "sort stable_sort partial_sort nth_element"
_ALGORITHMS = spread({
    _SORTING: "A.sort()", "reverse": "A.reverse()", "max_element max": "max(A)", "min_element min": "min(A)",
    "shuffle random_shuffle": "random.shuffle(A)", "accumulate reduce": "sum(A)", _EACH: "A.count(B)",
    "fill fill_n iota": "_tongue.fill(A, len(A))", "push_heap make_heap": "heapq.heapify(A)", "exchange": "(A := B)",
    "pop_heap": "heapq.heappop(A)", "lower_bound upper_bound binary_search equal_range": "bisect.bisect(A, C)",
    "unique copy swap_ranges rotate merge set_intersection partial_sum": "_tongue.copy(A, len(A))",
    "next_permutation prev_permutation": "_tongue.permuted(A)",
    "to_string": "str(A)", "gcd __gcd": "math.gcd(A, B)", "lcm": "math.lcm(A, B)",
    "move forward ref cref as_const string_view string get data c_str str begin cbegin rbegin value next prev advance"
    " back_inserter": "A", "distance": "len(A)",
})  # fmt: skip
"""What is done with all of `A`; the last argument is `B`."""
_WITH_FUNCTION = spread({
    _SORTING: "A.sort(key=lambda __x: B(__x, __x))", _EACH: "sum(map(B, A))",
    "accumulate reduce": "sum(map(lambda __x: B(__x, __x), A))",
})  # fmt: skip
_APPENDED = "push_back emplace_back push emplace push_front emplace_front"
_APPENDING = frozenset(_APPENDED.split())
_METHODS = spread({
    "size length": "len(A)", "empty": "not A", "front priority_queue.back priority_queue.top": "A[0]",
    "at operator[]": "A[B]", "count contains find lower_bound upper_bound": "B in A", "string.find": "A.find(B)",
    "map.find map.lower_bound map.upper_bound": "A.get(B)", "pop_back pop": "A.pop()", "erase": "A.discard(B)",
    "pop_front queue.pop": "A.popleft()", "priority_queue.pop": "heapq.heappop(A)", "map.erase": "A.pop(B)",
    "begin rbegin cbegin get c_str data str value has_value": "A", "clear": "A.clear()", "substr/2": "A[B:]",
    "substr": "A[B:B + C]", "end rend cend reserve shrink_to_fit reset swap flush close release seed": "None",
    _APPENDED: "A.append(B)", "priority_queue.push priority_queue.emplace": "heapq.heappush(A, B)",
    "set.emplace set.insert/2": "A.add(B)", "set.insert": "A.update(B)", "insert/4": "A.extend(C)",
})  # fmt: skip
"""Methods of a container `A`, with the sort of container ahead where only one has them so."""


class Cpp(C):
    """Programs of one file."""

    language: ClassVar[str] = "c++"

    def __init__(self) -> None:
        super().__init__()
        self.outside = dict[str, list[Node]]()
        """Methods that are defined outside of their classes."""
        self.looked_up = set[str]()
        """Names of what was looked up in a mapping."""
        self.ranges = dict[str, list[ast.expr]]()
        """Between which numbers is drawn, by the name of what draws."""
        self.begun_with = dict[str, list[str]]()
        """What constructors are given, by their classes."""
        self.places = set[str]()
        """Classes of things that are asked for a place by a call."""
        self.operators = dict[tuple[str, str], str]()
        """What operators give that are functions of their own, by their signs and the words of what they are given."""
        self.asked_of = dict[str, set[str]]()
        """Methods of things, by their classes."""

    def program(self, root: Node) -> list[ast.stmt]:
        self.text = text_of(root)
        for node in below(root, "function_definition"):
            declarator, named = _declared_name(node)
            if declarator is None or named is None:
                continue
            if named.type == "operator_name" and not any(around(node, "class_specifier", "struct_specifier")):
                words = re.findall(r"\w+", text_of(field(declarator, "parameters")))
                self.operators |= {(_sign(named), word): text_of(field(node, "type")) for word in words}
            if named.type == "qualified_identifier":
                self.outside.setdefault(_untemplated(field(named, "scope")), []).append(node)
        return super().program(root)

    # Types.

    def declared(self, node: Node | None) -> Kind:
        kind = node.type if node is not None else "auto"
        if node is None or kind in ("placeholder_type_specifier", "auto", "decltype"):
            return NOTHING
        if kind == "qualified_identifier":
            return self.declared(field(node, "name"))
        if kind == "dependent_type":
            return self.declared(node.named_children[-1])
        if kind == "template_type":
            return self._template(name_of(node), children(field(node, "arguments")))
        if kind in ("struct_specifier", "class_specifier") and field(node, "body") is not None:
            self.before += self._class(node)
            return Kind(name_of(node))
        return super().declared(node)

    def _template(self, named: str, arguments: list[Node]) -> Kind:
        of, size = list[Kind](), None
        for each in arguments:
            if each.type == "type_descriptor" and not (named == "array" and of):
                of.append(self.declared(each))
            else:
                size = self.parsed(text_of(each))
        if named == "vector" and [one.name for one in of[:1]] == ["bool"]:
            of[0] = Kind("bool:1")
        count = 1 if named in _FIRST else 2 if named == "array" or _SORTS.get(named) == "map" else len(of)
        return self.names.get(named) or Kind(named, tuple(of[:count]), size if named == "array" else None)

    def declarator(self, node: Node | None, kind: Kind) -> tuple[str, Kind]:
        return super().declarator(_unreferenced(node), kind)

    def made(self, kind: Kind) -> ast.expr | None:
        sort = _SORTS.get(kind.name, kind.name)
        if kind.name == "array" and kind.size is not None:
            return in_place(self.several(kind.size, kind.one))
        if sort in ("list", "priority_queue"):
            return self.several(constant(0), kind.one) if kind.one.scalar else list_of()
        if sort == "map":
            return called("collections.defaultdict", self.maker(kind.one))
        if sort == "tuple":
            return tuple_of(*[self.made(each) or constant(0) for each in kind.of])
        if sort in _MADE:
            return said(_MADE[sort])
        return called(spelt(kind.name)) if kind.name in self.fields else None

    def maker(self, kind: Kind) -> ast.expr:
        """What makes a value for a new key."""
        made = self.made(kind) or constant(None)
        if kind.scalar:
            return name("float" if kind.floating else "int")
        if isinstance(made, ast.List) or _SORTS.get(kind.name) == "set":
            return name("list" if isinstance(made, ast.List) else "set")
        return lambda_of([], made)

    def constructed(self, kind: Kind, given: list[ast.expr], nodes: list[Node]) -> ast.expr:
        """`T(…)`."""
        named, sort = kind.name, _SORTS.get(kind.name, kind.name)
        if named in self.fields and len(nodes) == 1 and self.type_of(nodes[0]).name == named:
            return given[0]  # another one like it
        if named in self.fields or (named and named in self.known):
            return called(spelt(named), *given)
        if not given:
            return self.made(kind) or constant(None)
        if named == "function":
            return given[0]
        if nodes and "istreambuf_iterator" in text_of(nodes[0]):
            return called("sys.stdin.read")
        if nodes and nodes[0].type == "call_expression" and text_of(nodes[0]).replace("()", "").endswith("begin"):
            return called({"set": "set", "map": "dict"}.get(sort, "list"), given[0])
        if named in ("vector", "valarray", "deque", "list"):
            if len(given) > 1 and not (kind.one.scalar or isinstance(given[1], ast.Constant)):
                return listed(given[0], given[1], several=True)
            if len(given) > 1:
                return called("_tongue.filled", given[0], given[1], constant(kind.one.wide))
            copied = nodes and self.type_of(nodes[0]).name == named
            if copied and re.match(r"(std::)?move\(", text_of(nodes[0])):
                return given[0]
            return called("list", given[0]) if copied else self.several(given[0], kind.one)
        if named == "string" and len(given) > 1:
            return said("' ' * A", given[0])
        if sort == "tuple":
            return tuple_of(*given)
        if sort in ("string", "stringstream", "pointer") or kind.scalar:
            return given[0]
        if sort in ("map", "set", "queue", "list") or not named:
            return self.made(kind) or constant(None)
        return called(spelt(named), *given)

    # Classes.

    def _do_class_specifier(self, node: Node) -> list[ast.stmt]:
        return self._class(node) if field(node, "body") is not None else []

    _do_struct_specifier = _do_class_specifier

    def classes(self) -> list[ast.stmt]:
        """They are said where they stand."""
        return []

    def _class(self, node: Node) -> list[ast.stmt]:
        named = _untemplated(field(node, "name")) or self.fresh()
        types = ("type_identifier", "template_type", "qualified_identifier")
        clause = children(child(node, "base_class_clause"))
        bases = [self.declared(each).name for each in clause if each.type in types]
        inherited = {key: kind for each in bases for key, kind in self.fields.get(each, {}).items()}
        own = self.fields.setdefault(named, {})
        own |= inherited
        inner, begins, members = list[ast.stmt](), dict[str, Node](), children(field(node, "body"))
        members = [each.named_children[-1] if each.type == "template_declaration" else each for each in members]
        for each in members:
            if each.type in ("struct_specifier", "class_specifier", "alias_declaration", "type_definition"):
                inner += self.statement(each)
        for each in members:
            if each.type == "field_declaration":
                inner += self._members(each, own, begins)
        friends = [one for each in members if each.type == "friend_declaration"
                   for one in children(each) if one.type == "function_definition"]  # fmt: skip
        operators = [one for one in friends if self.method_name(one).startswith("__")]
        functions = [each for each in members if each.type == "function_definition"] + self.outside.get(named, [])
        self.owner.append(named)
        self.methods.append({self.method_name(each) for each in functions})
        self.asked_of[named] = {self.method_name(each) for each in functions if not _static(each)}
        told: list[ast.stmt] = [made for each in functions for made in self._method(named, each, begins)]
        for each in operators:  # the first that it is given is the thing itself
            if (declarator := function_declarator(each)) is not None:
                told.append(self.function(self.method_name(each), declarator, field(each, "body")))
        if not any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in told):
            fields = {key: kind for key, kind in own.items() if key not in inherited}
            body: list[ast.stmt] = [assigned(path("self", each), name(spelt(each))) for each in fields]
            start = function_of("__init__", ["self", *map(spelt, fields)], body)
            start.args.defaults = [self._begun(kind, begins.get(key)) for key, kind in fields.items()]
            taken = next((one for one in bases if any(f"{one}::{one}" in text_of(each) for each in members)), "")
            if given := self.begun_with.get(taken):  # `using Base::Base`
                ahead = method(called("super"), "__init__", *map(name, given))
                pairs = zip(fields, start.args.defaults, strict=True)
                begun: list[ast.stmt] = [assigned(path("self", each), value) for each, value in pairs]
                start = function_of("__init__", ["self", *given], [ast.Expr(ahead), *begun])
                self.begun_with[named] = given
            told.insert(0, start)
        self.owner.pop()
        self.methods.pop()
        bases_of: list[ast.expr] = [name(spelt(each)) for each in bases]
        held = re.search(rf"\bnew\s+{named}\b|\bmake_(?:unique|shared)\s*<\s*{named}\b", self.text)
        flat = [assigned(name("__flat__"), constant(1))] if not held and not bases_of else []  # it stands in its place
        return [*inner, ast.ClassDef(spelt(named), bases_of, [], [self.sized(named, own), *flat, *told], [])]

    def _members(self, node: Node, own: dict[str, Kind], begins: dict[str, Node]) -> list[ast.stmt]:
        """Fields, with what they begin with; and what is said ahead of them."""
        kind = self.declared(field(node, "type"))
        ahead, self.before = self.before, []
        for each in node.children_by_field_name("declarator"):
            member, found = self.declarator(each, kind)
            if member and (found.name != "function" or kind.name == "function"):
                own[member] = found
                if (default := field(node, "default_value")) is not None:
                    begins[member] = default
        return ahead

    def _begun(self, kind: Kind, value: Node | None) -> ast.expr:
        """What a field begins with."""
        return self.filled(kind, value) if value is not None else self.begun(kind)

    def method_name(self, node: Node) -> str:
        """As Python says it."""
        inner = _declared_name(node)[1]
        if inner is not None and inner.type == "qualified_identifier":
            inner = field(inner, "name")
        operator = inner is not None and inner.type == "operator_name"
        return _OPERATORS.get(_sign(inner), "__other__") if operator else text_of(inner)

    def _method(self, owner: str, node: Node, begins: dict[str, Node]) -> list[ast.stmt]:
        named, declarator, body = self.method_name(node), function_declarator(node), field(node, "body")
        if declarator is None or named.startswith("~") or text_of(declarator).startswith("~"):
            return []
        self.gives.setdefault(named, self.declared(field(node, "type")))
        if named != owner:
            static = _static(node)
            if body is None:
                return []
            told = self.function(named, declarator, body, own=not static)
            told.decorator_list = [name("staticmethod")] * static
            return [told, *self._place(owner, told)]
        made = self.function("__init__", declarator, body, own=True)
        self.begun_with[owner] = [each.arg for each in made.args.args[1:]]
        fields, ahead = dict(self.fields[owner]), list[ast.stmt]()
        with self.scope():
            self.scopes[-1].update(self.parameters(declarator))
            for each in children(child(node, "field_initializer_list")):
                member, inside = text_of(each.named_children[0]), each.named_children[-1].named_children
                if member in fields:
                    value = self.constructed(fields.pop(member), self.values(inside), list(inside))
                    ahead.append(assigned(path("self", member), value))
                elif member in self.begun_with and member != owner:  # what it inherits from
                    ahead.append(ast.Expr(method(called("super"), "__init__", *self.values(inside))))
        started = [assigned(path("self", key), self._begun(kind, begins.get(key))) for key, kind in fields.items()]
        made.body = [*started, *ahead, *made.body]
        return [made]

    def _place(self, owner: str, told: ast.FunctionDef) -> list[ast.stmt]:
        """`T& operator()(i, j) { return a[i * m + j]; }` as what gives that place a value."""
        last = told.body[-1] if told.body else None
        if told.name != "__call__" or not (isinstance(last, ast.Return) and isinstance(last.value, ast.Subscript)):
            return []
        self.places.add(owner)
        names = [each.arg for each in told.args.args]
        target = ast.Subscript(last.value.value, last.value.slice, ast.Store())
        return [function_of("__place__", [*names, "__value"], [*told.body[:-1], assigned(target, name("__value"))])]

    def placed(self, node: Node) -> ast.expr | None:
        function = field(node, "function")
        kind = self.type_of(function)
        kind = kind.one if kind.name == "pointer" else kind
        return self.value(function) if kind.name in self.places else None

    def _do_function_definition(self, node: Node) -> list[ast.stmt]:
        inner = _declared_name(node)[1]
        if inner is not None and inner.type == "qualified_identifier":
            return []  # its class has it
        made = super()._do_function_definition(node)
        for each in made:
            if isinstance(each, ast.FunctionDef) and each.name.startswith("operator"):
                each.name = f"operator_{_SIGNS.get(each.name.removeprefix('operator'), 'other')}"
        return made

    def _do_template_declaration(self, node: Node) -> list[ast.stmt]:
        """Of a class it is made as it is asked for first."""
        inner, before = node.named_children[-1], dict(self.names)
        parameters = [name_of(each) or text_of(each.named_children[-1]) if each.named_children else ""
                      for each in children(field(node, "parameters"))]  # fmt: skip
        used = re.search(rf"\b{_untemplated(field(inner, 'name'))}<([\w:, ]+)>\s*[\w(]", self.text)
        if inner.type in ("struct_specifier", "class_specifier") and used:
            given = [each.strip().rpartition("::")[2] for each in used[1].split(",")]
            scalar = [(named, Kind(each)) for named, each in zip(parameters, given, strict=False) if Kind(each).scalar]
            self.names |= dict(scalar)
        made = self.statement(inner)
        self.names = before | {key: kind for key, kind in self.names.items() if key not in parameters}
        return made

    def _do_namespace_definition(self, node: Node) -> list[ast.stmt]:
        return self.statements(children(field(node, "body")))

    _do_linkage_specification = _do_namespace_definition

    def _do_alias_declaration(self, node: Node) -> list[ast.stmt]:
        self.names[name_of(node)] = self.declared(field(node, "type"))
        return []

    def enumerated(self, node: Node) -> None:
        super().enumerated(node)
        self.names |= {name_of(node): Kind("int")} if name_of(node) else {}

    # Declarations.

    def introduced(self, node: Node | None, kind: Kind, value: Node | None) -> list[ast.stmt]:
        bound = _unreferenced(node)
        if bound is not None and bound.type == "structured_binding_declarator":
            names = [text_of(one) for one in bound.named_children]
            self.scopes[-1].update(dict.fromkeys(names, NOTHING))
            if value is not None and len(names) == 2 and (made := self._entered(names, value)):
                return made
            found = self.value(value)
            return [assigned(tuple_of(*[name(spelt(one)) for one in names]), found)]
        if node is not None and node.type == "function_declarator" and len(self.scopes) > 1:
            return self._made_by_call(node, kind)
        return super().introduced(node, kind, value)

    def _entered(self, names: list[str], value: Node) -> list[ast.stmt]:
        """`auto [it, fresh] = m.try_emplace(key, value)`; nothing for others."""
        function, given = field(value, "function"), children(field(value, "arguments"))
        if function is None or text_of(field(function, "field")) not in ("try_emplace", "emplace", "insert"):
            return []
        owner_node = field(function, "argument")
        kind, owner = _pointed_at(self.type_of(owner_node)), self.value(owner_node)
        sort, values = _SORTS.get(kind.name), self.values(given)
        first = values[0] if values else None
        if isinstance(first, (ast.Tuple, ast.List)) and len(first.elts) == 2 and sort == "map":
            values = first.elts
        fresh = assigned(name(spelt(names[1])), ast.Compare(values[0], [ast.NotIn()], [owner])) if values else None
        if sort == "map" and fresh is not None:
            begun = values[1] if len(values) > 1 else self.made(kind.one) or constant(0)
            self.looked_up.add(names[0])
            return [fresh, assigned(name(spelt(names[0])), method(owner, "setdefault", values[0], begun))]
        if sort == "set" and fresh is not None:
            return [fresh, ast.Expr(method(owner, "add", values[0])), assigned(name(spelt(names[0])), values[0])]
        return []

    def _made_by_call(self, node: Node, kind: Kind) -> list[ast.stmt]:
        """`vector<int> v(n);`, which reads like the declaration of a function."""
        named = text_of(field(node, "declarator"))
        given = [self.parsed(text_of(each)) or constant(None) for each in children(field(node, "parameters"))]
        self.declare(named, kind)
        if _SORTS.get(kind.name) == "stringstream" and given:
            return [let(named, self.stream(named, given[0]))]
        reads = "istreambuf_iterator" in text_of(node)
        return [let(named, called("sys.stdin.read") if reads else self.constructed(kind, given, []))]

    def declaration(self, named: str, kind: Kind, value: Node | None) -> list[ast.stmt]:
        sort = _SORTS.get(kind.name)
        if value is not None and value.type == "lambda_expression":
            names = dict(self.parameters(field(value, "declarator")))
            return [self.named_lambda(named, names, field(value, "body"))]
        if sort == "drawing" or (value is not None and sort in ("drawn", "stringstream")):
            given = self.arguments_of(value) if sort != "drawing" else []
            self.declare(named, kind)
            if sort == "drawn":
                self.ranges[named] = given
            return [let(named, self.stream(named, given[0]))] if sort == "stringstream" and given else []
        if value is not None and kind is NOTHING:
            inner = value.named_children[0] if value.type == "initializer_list" and value.named_children else value
            kind, function = self.type_of(inner), field(inner, "function")
            if function is not None and text_of(function).endswith(".find"):
                owner = self.type_of(field(function, "argument"))
                self.looked_up |= {named} if owner.name not in ("string", "") else set()
        return super().declaration(named, kind, value)

    def stream(self, named: str, source: ast.expr) -> ast.expr:
        """The parts of a text that are taken one by one."""
        mark = re.search(rf"getline\(\s*{re.escape(named)}\s*,\s*\w+\s*,\s*'(.)'", self.text)
        return called("iter", method(source, "split", *([constant(mark[1])] if mark else [])))

    def filled(self, kind: Kind, value: Node) -> ast.expr:
        inside, sort = children(value), _SORTS.get(kind.name, kind.name)
        if sort == "string" and "istreambuf_iterator" in text_of(value):
            return called("sys.stdin.read")
        if value.type == "argument_list" or (sort == "string" and value.type == "initializer_list" and inside):
            return self.constructed(kind, self.values(inside), inside)
        if value.type != "initializer_list":
            return super().filled(kind, value)
        if sort in ("list", "queue") and inside:
            if len(inside) > 12 and kind.one.scalar and all(each.child_count == 0 for each in inside):
                size = constant(kind.one.wide)
                return called("_tongue.filled", constant(len(inside)), self.value(inside[0]), size)
            return list_of(*[self.filled(kind.one, each) for each in inside])
        if sort == "map" and inside:
            pairs = [each.named_children for each in inside if len(each.named_children) == 2]
            return ast.Dict([self.value(key) for key, _ in pairs], [self.filled(kind.one, one) for _, one in pairs])
        if sort == "set" and inside:
            return ast.Set(self.values(inside))
        if sort == "tuple":
            return tuple_of(*self.values(inside))
        if kind.name in self.fields:
            return called(spelt(kind.name), *self.braced(kind, inside))
        if len(inside) == 1:
            return self.value(inside[0])
        return super().filled(kind, value) if inside else self.made(kind) or constant(0)

    def braced(self, kind: Kind, nodes: list[Node]) -> list[ast.expr]:
        """What a structure is made of in braces, those of its fields among them that are structures: `{{0, 1}, 2}`."""
        kinds = [*self.fields[kind.name].values(), *[NOTHING] * len(nodes)]
        return [
            self.filled(of, each) if each.type == "initializer_list" and of.name in self.fields else self.value(each)
            for each, of in zip(nodes, kinds, strict=False)
        ]

    # Statements.

    def _do_for_range_loop(self, node: Node) -> list[ast.stmt]:
        right, declarator = field(node, "right"), _unreferenced(field(node, "declarator"))
        of, kind = self.type_of(right), self.declared(field(node, "type"))
        mapped = _SORTS.get(of.name) == "map"
        with self.scope():
            over = method(self.value(right), "items") if mapped else self.value(right)
            if declarator is not None and declarator.type == "structured_binding_declarator":
                names = [text_of(each) for each in declarator.named_children]
                kinds = [*(of.of if mapped else of.one.of), *[NOTHING] * len(names)]
                self.scopes[-1].update(zip(names, kinds, strict=False))
                target: ast.expr = tuple_of(*[name(spelt(each)) for each in names])
            else:
                named, kind = self.declarator(declarator, kind if kind is not NOTHING else of.one)
                self.declare(named, Kind("pair", of.of) if mapped else kind)
                target = name(spelt(named))
            body = self.block(field(node, "body"))
            refers = text_of(field(node, "declarator")).startswith("&") and not mapped
            if refers and isinstance(target, ast.Name) and changes(body, target.id):  # what it refers to changes, too
                body = [*body, assigned(subscript(self.value(right), constant(0)), name(target.id))]
        return [for_each(target, over, body)]

    def pointed(self, node: Node, start: list[ast.stmt]) -> list[ast.stmt] | None:
        """`for (auto it = m.begin(); it != m.end(); ++it)`."""
        initializer, condition = (text_of(field(node, each)).replace(" ", "") for each in ("initializer", "condition"))
        begun = start[0].targets[0] if len(start) == 1 and isinstance(start[0], ast.Assign) else None
        named = begun.id if isinstance(begun, ast.Name) else ""
        whole = re.search(r"=([\w.>-]+?)(?:\.|->)c?r?begin\(\)", initializer)
        owner = self.parsed(whole[1]) if whole and re.fullmatch(rf"{named}!=.*end\(\)", condition) else None
        if not whole or owner is None:
            return super().pointed(node, start)
        plain = whole[1].removeprefix("this->")
        of = self.kind(plain)
        if of is NOTHING and self.owner:
            of = self.fields[self.owner[-1]].get(plain, NOTHING)
        mapped = _SORTS.get(of.name) == "map"
        self.declare(named, Kind("pair", of.of) if mapped else of.one)
        return self.through(named, method(owner, "items") if mapped else owner, node)

    def _of_condition_clause(self, node: Node) -> ast.expr:
        initializer, value = field(node, "initializer"), field(node, "value")
        self.before += self.statements(children(initializer))
        if value is None or value.type != "declaration":
            return self.test(value)
        if (given := field(value, "value")) is not None:  # `while (long f = next())`
            self.before += self.introduced(field(value, "declarator"), self.declared(field(value, "type")), given)
        else:
            self.before += self._do_declaration(value)
        last = self.before[-1] if self.before else None
        return last.targets[0] if isinstance(last, ast.Assign) else constant(None)

    def test(self, node: Node | None) -> ast.expr:
        clause = node is not None and node.type == "condition_clause"
        return self.value(node) if clause else super().test(node)

    def _do_return_statement(self, node: Node) -> list[ast.stmt]:
        """`return {x, y};` makes what the function gives."""
        inner = child(node, "initializer_list")
        within = next(around(node, "function_definition", "lambda_expression"), None) if inner is not None else None
        if inner is None or within is None or within.type != "function_definition":
            return super()._do_return_statement(node)
        return [ast.Return(self.filled(self.declared(field(within, "type")), inner))]

    def _effect_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, operator, right = sides(node)
        if left is None or right is None or operator != "=" or right.type != "initializer_list":
            return super()._effect_assignment_expression(node)
        return self.assign(left, operator, self.filled(self.type_of(left), right))

    def _do_delete_expression(self, node: Node) -> list[ast.stmt]:
        return []

    _effect_delete_expression = _do_delete_expression

    def _of_throw_expression(self, node: Node) -> ast.expr:
        return constant(None)

    # Expressions.

    def _of_qualified_identifier(self, node: Node) -> ast.expr:
        inner: Node | None = node
        while inner is not None and inner.type == "qualified_identifier":
            inner = field(inner, "name")
        return constant(-1) if text_of(node).endswith("::npos") else self.named(text_of(inner))

    def _of_new_expression(self, node: Node) -> ast.expr:
        kind, declarator = self.declared(field(node, "type")), field(node, "declarator")
        if declarator is not None:
            return self.several(self.value(field(declarator, "length")), kind)
        inside = children(field(node, "arguments"))
        return self.constructed(kind, self.values(inside), inside)

    def _of_lambda_expression(self, node: Node) -> ast.expr:
        names = [spelt(named) for named, _ in self.parameters(field(node, "declarator"))]
        return self.inner_function(names, field(node, "body"))

    def _of_initializer_list(self, node: Node) -> ast.expr:
        return tuple_of(*self.values(children(node)))

    def _of_template_function(self, node: Node) -> ast.expr:
        return self.named(name_of(node))

    def _of_field_expression(self, node: Node) -> ast.expr:
        owner, named = field(node, "argument"), text_of(field(node, "field"))
        value = self.value(owner)
        if named not in ("first", "second") or named in self.fields.get(self.type_of(owner).name, ()):
            return ast.Attribute(value, named, ast.Load())
        found = isinstance(value, ast.Name) and value.id in self.looked_up
        return value if found else subscript(value, constant(int(named == "second")))

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if operator in (">>", "<<"):
            parts = _chain(node, operator)
            first, kind = text_of(parts[0]).removeprefix("std::"), self.type_of(parts[0])
            whole = first == "cin" or kind.name in ("istream", "ifstream")
            stream = _SORTS.get(kind.name) == "stringstream"
            if operator == ">>" and (whole or stream):
                return self._read(parts[1:], "" if whole else first)
            if operator == "<<" and (first in ("cout", "cerr", "clog") or stream or kind.name == "ostream"):
                told = [each for each in parts[1:] if text_of(each) not in _PLAIN and "set" not in text_of(each)[:8]]
                return printed(*self.values(told))
        if operator in ("+", "-") and re.search(r"(?:\.|->)(?:data|c?begin|c_str)\(\)$", text_of(left)):
            return self.value(left)  # a place in it
        if operator == "-" and re.search(r"(?:\.|->)c?begin\(\)$", text_of(right)):
            return self.value(left)  # how far it is from there
        if operator in ("==", "!=") and text_of(right).endswith(("end()", "npos", "nullopt")):
            value = self.value(left)
            if isinstance(value, ast.Compare):
                return value if operator == "!=" else negated(value)
            return compared(value, ast.IsNot if operator == "!=" else ast.Is, constant(None))
        if self._own_operator(node) is not None:
            return called(f"operator_{_SIGNS.get(operator, 'other')}", self.value(left), self.value(right))
        return super()._of_binary_expression(node)

    def _own_operator(self, node: Node) -> str | None:
        """What an operation gives that is a function of the program's own; None of others."""
        left, operator, right = sides(node)
        own = next((of for each in (left, right) if (of := self.type_of(each).name) in self.fields), "")
        return self.operators.get((operator, own))

    def _read(self, places: list[Node], source: str) -> ast.expr:
        for each in places:
            kind = self.type_of(each)
            word = called("next", self.named(source)) if source else self.word()
            if kind.name == "char":
                word = word if source else self.letter()
            elif kind.name != "string":
                word = called("float" if kind.floating else "int", word)
            self.before.append(assigned(self.value(each), word))
        return constant(True)

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        if operator == "+=" and self.type_of(left).name == "string":
            return [added(self.value(left), ast.Add, lettered(value))]
        return super().assign(left, operator, value)

    def type_of(self, node: Node | None) -> Kind:
        kind = node.type if node is not None else ""
        if node is None or kind == "string_literal":
            return Kind("string") if node is not None else NOTHING
        if kind == "qualified_identifier":
            return self.type_of(field(node, "name"))
        if kind == "new_expression":
            several, of = field(node, "declarator") is not None, self.declared(field(node, "type"))
            return Kind("array" if several else "pointer", (of,))
        if kind == "compound_literal_expression":
            return self.declared(field(node, "type"))
        if kind == "this":
            return Kind(self.owner[-1]) if self.owner else NOTHING
        if kind == "binary_expression" and self.operators and (gives := self._own_operator(node)) is not None:
            return self.names.get(gives, Kind(gives))
        if kind == "field_expression" and text_of(field(node, "field")) in ("first", "second"):
            owner, named = self.type_of(field(node, "argument")), text_of(field(node, "field"))
            if named not in self.fields.get(owner.name, ()):
                owner = _pointed_at(owner)
                return (owner.of[0] if named == "first" else owner.one) if owner.of else NOTHING
        return super().type_of(node)

    def given(self, node: Node) -> Kind:
        function = needed(node, "function")
        if function.type == "field_expression":
            named, owner = text_of(field(function, "field")), self.type_of(field(function, "argument"))
            return self._given_by(owner if named in ("get", "value") else _pointed_at(owner), named)
        if function.type in ("template_function", "qualified_identifier") and "<" in text_of(function):
            inner = next(below(function, "template_function", "template_type"), None)
            kinds = [self.declared(each) for each in below(inner, "type_descriptor")] if inner is not None else []
            named = name_of(inner)
            if named in _CASTS and kinds:
                return kinds[0]
            if named in ("make_unique", "make_shared") and kinds:
                return Kind("pointer", (kinds[0],))
            if _SORTS.get(named) in ("list", "map"):
                return Kind(named, tuple(kinds[:2]))
        text = text_of(function).rpartition("::")[2]
        if text in ("max", "min", "abs", "move"):
            return self.type_of((*children(field(node, "arguments")), None)[0])
        if text in self.fields or text == "to_string":
            return Kind(text) if text in self.fields else Kind("string")
        return Kind("double") if text in FLOATING else self.gives.get(text, NOTHING)

    def _given_by(self, owner: Kind, named: str) -> Kind:
        """What a container's method gives."""
        if named in ("begin", "end") or (named == "find" and owner.name != "string"):
            return owner
        if named in ("top", "front", "back", "at", "value", "get", "extract"):
            return owner.one if owner.name != "string" else Kind("char")
        if named in ("size", "length", "count", "find"):
            return Kind("size_t")
        return Kind("string") if named in ("substr", "str") else self.gives.get(named, NOTHING)

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, given = needed(node, "function"), children(field(node, "arguments"))
        if function.type == "primitive_type":
            return self.cast(self.declared(function), self.value(given[0]), given[0]) if given else constant(0)
        if function.type == "field_expression":
            return self._asked(function, given)
        text = text_of(function)
        plain = text.partition("<")[0].rpartition("::")[2]
        if "<" in text and (found := self._templated(function, given)) is not None:
            return found
        if "numeric_limits" in text:
            of = re.search(r"<\s*(?:std::)?([\w ]+)>", text)
            largest = next((value for key, value in _LARGEST.items() if of and key in of[1]), 2**31 - 1)
            return constant(largest if text.endswith(("max", "infinity")) else -largest)
        if self.owner and plain in self.methods[-1] and function.type == "identifier":
            return called(path("self", plain), *self.values(given))
        scope = re.search(r"(\w+)(?:<[^<>]*>)?::\w+$", text)
        if scope and self.owner and plain in self.asked_of.get(scope[1], ()):  # that of the class above
            return called(path(spelt(scope[1]), plain), name("self"), *self.values(given))
        if scope and scope[1] in self.fields and plain not in self.known:
            return called(path(spelt(scope[1]), text.rpartition("::")[2]), *self.values(given))
        if plain in self.fields:
            return self.constructed(Kind(plain), self.values(given), given)
        if len(given) == 1 and Kind(plain).scalar:  # `std::uint64_t(x)`
            return self.cast(Kind(plain), self.value(given[0]), given[0])
        if plain in self.known:
            return called(spelt(plain), *self.values(given))
        kind = self.type_of(function) if function.type == "identifier" else NOTHING
        if _SORTS.get(kind.name) == "drawing":
            return said("random.randrange(0, 4294967296)")
        if _SORTS.get(kind.name) == "drawn":
            return self._drawn(kind.name, self.ranges.get(plain, []))
        if (made := self.algorithm(plain, given) or self.library(plain, given)) is not None:
            return made
        container = _SORTS.get(plain, plain) in ("list", "map", "set", "string") or plain == "pair"
        if plain in self.names or container:
            return self.constructed(self.names.get(plain, Kind(plain)), self.values(given), given)
        return called(self.value(function), *self.values(given))

    def _drawn(self, kind: str, given: list[ast.expr]) -> ast.expr:
        """A number that is drawn as the library's distributions do it."""
        if kind in ("exponential_distribution", "bernoulli_distribution"):
            form = "random.expovariate(A)" if kind.startswith("exp") else "random.random() < A"
            return said(form, *(given or [constant(1.0 if kind.startswith("exp") else 0.5)])[:1])
        if kind in ("normal_distribution", "lognormal_distribution"):
            return said("random.gauss(A, B)", *(*given, constant(0.0), constant(1.0))[:2])
        if kind == "discrete_distribution":
            several = len(given[0].elts) if given and isinstance(given[0], (ast.Tuple, ast.List)) else 2
            return called("random.randrange", constant(several))
        if kind == "poisson_distribution":
            return said("random.randint(0, 2 * A)", *(given or [constant(1)])[:1])
        low, high = (*given, constant(0), constant(1))[:2]
        return called("random.uniform" if "real" in kind else "random.randint", low, high)

    def _templated(self, function: Node, given: list[Node]) -> ast.expr | None:
        """`static_cast<T>(x)`, `make_unique<T>(…)`, `vector<T>(n)`, `get<0>(t)`."""
        inner = next(below(function, "template_function", "template_type"), None)
        if inner is None:
            return None
        plain, arguments = name_of(inner).rpartition("::")[2], children(field(inner, "arguments"))
        first = (*arguments, None)[0]
        if plain in _CASTS and given:
            return self.cast(self.declared(first), self.value(given[0]), given[0])
        if plain in ("make_unique", "make_shared"):
            text = text_of(first)
            if text.endswith("[]") and given:
                return self.several(self.value(given[0]), Kind(text.removesuffix("[]").strip()))
            return self.constructed(self.declared(first), self.values(given), given)
        if plain == "get" and given:
            return subscript(self.value(given[0]), self.parsed(text_of(first)) or constant(0))
        if plain in self.known:
            return called(spelt(plain), *self.values(given))
        if plain in ("numeric_limits", "max", "min", "accumulate", "function"):
            return None
        return self.constructed(self._template(plain, arguments), self.values(given), given)

    def algorithm(self, named: str, given: list[Node]) -> ast.expr | None:
        """What the library's functions do with all of a container; None of others."""
        if not given:
            return None
        first, *values = self.values(given)
        if len(given) > 1 and given[1].type == "binary_expression" and "begin()" not in text_of(given[0]):
            left, operator, right = sides(given[1])
            if operator == "+" and text_of(left) == text_of(given[0]):  # `accumulate(row, row + n, 0)`
                first = ast.Subscript(first, ast.Slice(None, self.value(right), None), ast.Load())
        last = (constant(None), *values)[-1]
        function = given[-1].type == "lambda_expression" or text_of(given[-1]) in self.known
        if named in ("swap", "iter_swap"):
            targets = tuple_of(self.value(given[0]), self.value(given[1]))
            return self.done(assigned(targets, tuple_of(values[0], first)))
        if named == "generate_n" and len(values) == 2:
            one = called(values[1])
            adds = "back_inserter" in text_of(given[0])
            made = method(first, "append", one) if adds else assigned(subscript(first, name("__i")), one)
            body = [ast.Expr(made) if isinstance(made, ast.expr) else made]
            return self.done(for_each(name("__i"), called("range", values[0]), body))
        if named in ("max", "min") and given[0].type == "initializer_list":
            return called(named, *self.values(children(given[0])))
        if named in ("max", "min") and values and not function:
            return called(named, first, values[0])
        if named in ("make_pair", "make_tuple", "tie", "pair", "tuple"):
            return tuple_of(first, *values)
        table = _WITH_FUNCTION if function and named in _WITH_FUNCTION else _ALGORITHMS
        return from_table(table, named, first, last, values[1] if len(values) > 1 else last)

    def read_line(self, named: str, given: list[Node]) -> ast.expr:
        if named != "getline":
            return super().read_line(named, given)
        target = self.value(given[1])
        first = text_of(given[0]).removeprefix("std::")
        if first == "cin" or self.type_of(given[0]).name in ("istream", "ifstream"):
            return ast.NamedExpr(stored(target), self.line())  # type: ignore[arg-type]
        return self.done(assigned(target, called("next", self.value(given[0]))), True)

    def _asked(self, function: Node, given: list[Node]) -> ast.expr:
        """A method."""
        owner_node, named = field(function, "argument"), text_of(field(function, "field"))
        kind, owner = self.type_of(owner_node), self.value(owner_node)
        kind = kind if named in ("get", "reset", "has_value", "value") else _pointed_at(kind)
        text = text_of(owner_node).removeprefix("std::")
        if text in ("cin", "cout", "cerr") or _SORTS.get(kind.name) == "drawing":
            goes = constant(True if named in ("good", "eof") else None)
            return self.letter() if text == "cin" and named == "get" else goes
        if kind.name in self.fields or (kind is NOTHING and (text == "this" or named in self.gives)):
            return method(owner, named, *self.values(given))
        return self.contained(owner, kind, named, given)

    def contained(self, owner: ast.expr, kind: Kind, named: str, given: list[Node]) -> ast.expr:
        """What a container's method gives."""
        sort = _SORTS.get(kind.name, kind.name)
        braced = len(given) == 1 and given[0].type == "initializer_list" and sort != "map" and named in _APPENDING
        values = [self.filled(kind.one, given[0])] if braced else self.values(given)
        first = (*values, constant(None))[0]
        if sort == "map" and named in (*_APPENDING, "insert", "try_emplace", "insert_or_assign"):
            pair = first.elts if isinstance(first, ast.Tuple) and len(first.elts) == 2 else values
            return self.done(assigned(subscript(owner, pair[0]), pair[1])) if len(pair) > 1 else constant(None)
        if named in _APPENDING:
            emplaced = not braced and named.startswith("emplace") and bool(kind.one.name)
            if emplaced and (len(values) != 1 or kind.one.name in self.fields):
                values = [self.constructed(kind.one, values, given)]
            elif len(values) > 1:
                values = [tuple_of(*values)]
            if sort == "string":
                return self.done(added(owner, ast.Add, lettered(values[0])))
        if named in ("resize", "assign"):
            copied = len(given) == 2 and text_of(given[0]).endswith("begin()")
            value = called("list", first) if copied else self.constructed(kind, values, given)
            return self.done(assigned(owner, value))
        if named == "append":
            return self.done(added(owner, ast.Add, first))
        if named in ("back", "top") and sort != "priority_queue":
            return subscript(owner, constant(-1))
        made = from_table(_METHODS, f"{sort}.{named}", owner, *values) or from_table(_METHODS, named, owner, *values)
        return made or method(owner, named, *values)


def _declared_name(node: Node) -> tuple[Node | None, Node | None]:
    """Of a function, with what declares it."""
    declarator = function_declarator(node)
    return declarator, field(declarator, "declarator") if declarator is not None else None


def _static(node: Node) -> bool:
    """Whether a method is no thing's."""
    return any(text_of(each) == "static" for each in node.children if each.type == "storage_class_specifier")


def _sign(node: Node | None) -> str:
    """Of an operator."""
    return text_of(node).removeprefix("operator").strip()


def _untemplated(node: Node | None) -> str:
    return re.sub(r"<.*", "", text_of(node))


def _unreferenced(node: Node | None) -> Node | None:
    """What is declared by reference."""
    while node is not None and node.type in ("reference_declarator", "variadic_declarator"):
        node = node.named_children[-1] if node.named_children else None
    return node


def _pointed_at(kind: Kind) -> Kind:
    while _SORTS.get(kind.name) == "pointer" and kind.of:
        kind = kind.one
    return kind


def _chain(node: Node, operator: str) -> list[Node]:
    """`a << b << c`."""
    parts = list[Node]()
    while node.type == "binary_expression" and text_of(field(node, "operator")) == operator:
        parts.append(needed(node, "right"))
        node = needed(node, "left")
    return [node, *reversed(parts)]
