"""Perl."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import NamedTuple

from tree_sitter import Node

from forerun.tasks._tongues._braced import field, joined, length, listed
from forerun.tasks._tongues._scripts import (
    ESCAPES,
    GROUP,
    Scripted,
    again,
    below,
    chosen,
    each_of,
    effect,
    extended,
    floored,
    formatted,
    going,
    has,
    inside,
    is_none,
    is_value,
    keyed,
    list_of,
    mapping_of,
    must,
    one_of,
    part,
    pattern_of,
    plus,
    put,
    searched,
    sides,
    starred,
    text_from,
    to,
    tuple_of,
    unstarred,
    within,
    written,
)
from forerun.tasks._tongues._translator import (
    added,
    assigned,
    binary,
    called,
    constant,
    function_of,
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
from forerun.tasks._trees import parsed

_WORDS = dict(zip("lt gt le ge eq ne and or xor".split(), "< > <= >= == != && || !=".split(), strict=True))
_CALCULATING = frozenset("+ - * / % ** < > <= >= == != <=> & | ^ << >> ..".split())
_TEXTUAL = frozenset("eq ne lt gt le ge cmp .".split())
_CHANGING = frozenset("+= -= *= /= **= |= &= ^= %=".split())
_MATHS = frozenset("sqrt sin cos exp log floor ceil fmod pow tan atan2".split())
_PYTHONS = {
    "abs": "abs", "ord": "ord", "chr": "chr", "hex": "int", "oct": "int", "max": "max", "min": "min", "sum": "sum",
    "sum0": "sum", "maxstr": "max", "minstr": "min",
}  # fmt: skip
_OUTPUT = frozenset("print printf say warn".split())
_DYING = frozenset("die croak confess".split())
_NOTHING = frozenset("chomp close open binmode srand select local unlink opendir closedir flock seek".split())
_LISTS = frozenset("keys values split reverse splice localtime unpack uniq uniqnum shuffle".split())
_KINDS = {"array": "@", "array_deref_expression": "@", "hash": "%", "hash_deref_expression": "%"}
"""What stands for several, and what for pairs."""
_SIGNS = {"scalar": "$", "array": "@", "arraylen": "@", "hash": "%"}
_ELEMENTS = {"array_element_expression": "@", "hash_element_expression": "%"}
_CONTAINERS = ("container_variable", "slice_container_variable")
_LOGICAL = ("lowprec_logical_expression", "binary_expression")
_CHANGES = ("substitution_regexp", "transliteration_expression")
_CALLED = ("func1op_call_expression", "function_call_expression", "ambiguous_function_call_expression")
_GROUPED = ("list_expression", "parenthesized_expression", "stub_expression")
_SEVERAL = frozenset((
    *_KINDS, "list_expression", "map_grep_expression", "sort_expression", "slice_expression", "stub_expression",
    "anonymous_slice_expression", "quoted_word_list",
))  # fmt: skip
_STATEMENTS = (
    "postfix_for_expression", "postfix_loop_expression", "postfix_conditional_expression", "loopex_expression",
    "variable_declaration", "return_expression",
)  # fmt: skip
_OPERATED = ("assignment_expression", "binary_expression", "equality_expression", "relational_expression")
_FUNCTIONS = ("subroutine_declaration_statement", "anonymous_subroutine_expression")
_SHIFTED = "shifted"
_SELVES = ("self", "class", "this", "proto")
_FRESH = re.compile(r"(\w+\.)*(sorted|list|split|findall|readlines|map)\(")
_ONE = {
    "defined": "a is not None", "length": "len(a)", "ref": "type(a)", "lc": "a.lower()", "uc": "a.upper()",
    "lcfirst": "a.lower()", "ucfirst": "a.title()",
}  # fmt: skip
"""What functions give of one thing, which may be `$_`."""
_GIVES = {
    "index": "a.find(*z)", "rindex": "a.rfind(*z)", "wantarray": "True", "exit": "sys.exit()", "time": "time.time()",
    "readline": "sys.stdin.readline()", "scalar": "a", "bstr": "str(a)", "bsstr": "str(a)", "numify": "str(a)",
    "as_int": "str(a)", "badd": "a + b", "bmul": "a * b", "bsub": "a - b", "bpow": "a ** b",
}  # fmt: skip
_OF_SEVERAL = {"uniq": "set(a)", "uniqnum": "set(a)", "sort": "sorted(a)"}
Root = tuple[str, str]
Body = Callable[[], list[ast.stmt]]


class Signature(NamedTuple):
    """What a function is given: names with their signs and what they begin with; statements that say so."""

    names: list[tuple[str, str, Node | None]]
    said: int
    rest: bool


_SAID: dict[str, Callable[..., object]] = {
    "_of_stub_expression": lambda self, node: list_of(),
    "_of_loopex_expression _of_undef_expression": lambda self, node: constant(None),
    "_of_scalar": lambda self, node: self.variable(node, "$"),
    "_of_arraylen": lambda self, node: put("len(a) - 1", self.variable(node, "@")),
    "_of_autoquoted_bareword": lambda self, node: constant(text_of(node)),
    "_of_function _of_func0op_call_expression": lambda self, node: self.function_called(text_of(node), []),
    "_do_subroutine_declaration_statement _do_heredoc_content": lambda self, node: [],
    "_do_loop_statement": lambda self, node: self._while(node, lambda: self.round(field(node, "block"))),
    "_do_else": lambda self, node: self.statement(field(node, "block")),
    "_do_substitution_regexp _do_transliteration_expression": lambda self, node: self.substituted(None, node),
    "_of_logical_not_expression": lambda self, node: negated(self.test(field(node, "operand"))),
    "_of_parenthesized_expression": lambda self, node: self.value(inside(node)[-1]),
    "_of_list_expression": lambda self, node: tuple_of(self.all_of(node)),
    "_of_quoted_word_list": lambda self, node: list_of(self.all_of(node)),
    "_of_anonymous_array_expression": lambda self, node: self.listed(self.all_in(node.named_children)),
    "_of_string_literal": lambda self, node: constant(_between(node).replace("\\'", "'").replace("\\\\", "\\")),
    "_of_match_regexp": lambda self, node: self.matched(node, self.topic(), several=False),
    "_of_quoted_regexp": lambda self, node: self.pattern(node),
    "_call_keys": lambda self, given, several: put("a.keys()" if several else "len(a)", self.many(given[0])),
    "_call_values": lambda self, given, several: put("a.values()" if several else "len(a)", self.many(given[0])),
    "_call_each": lambda self, given, several: put("next(iter(a.items()))", self.many(given[0])),
    "_call_pop": lambda self, given, several: put("a.pop()", self.many(given[0])) if given else constant(None),
    "_of_readline_expression": lambda self, node: called("sys.stdin.read" if self.slurped or self.ending else
        "sys.stdin.readline"),
    "_of_array _of_hash _of_array_deref_expression _of_hash_deref_expression": lambda self, node:
        length(self.many(node)),
    "_do_block_statement _do_expression_statement _do_parenthesized_expression _do_list_expression": lambda self,
        node: self.statements(node.named_children),
    "_of_variable_declaration": lambda self, node: self.first(self._do_variable_declaration(node)) or
        self.target(_targets(node)[0]),
    "_of_substitution_regexp _of_transliteration_expression": lambda self, node: self.first(self.substituted(None,
        node)) or self.topic(),
    "_of_function_call_expression _of_ambiguous_function_call_expression _of_func1op_call_expression": lambda self,
        node: self.call(node),
    "_call_shift": lambda self, given, several: name(self.handed[-1][0]) if not given and self.handed and
        self.handed[-1] in (["self"], [_SHIFTED]) else put("_args.pop(0)" if len(self.own) > 1 else "None") if not given
        or text_of(given[0]) in ("@_", "@ARGV") else put("a.pop(0)", self.many(given[0])),
    "_call_join": lambda self, given, several: method(self.value(given[0]), "join", _sequence(self.all_in(given[1:]))),
    "_call_reverse": lambda self, given, several: put("a[::-1]", self.value(given[0])) if not several and len(given)
        == 1 and not self._is_list(given[0]) else called("reversed", _sequence(self.all_in(given))),
}  # fmt: skip
"""Methods of one expression."""


class Perl(Scripted, said=_SAID):
    """Programs of one file. Lists and mappings that come to be by being used begin as what they are used as."""

    whole = False

    def __init__(self) -> None:
        super().__init__()
        self.topics, self.sorted = ["it"], ""
        """What `$_` is called, and both `$a` and `$b`."""
        self.signs = dict[str, set[str]]()
        """What a name is used for: `$`, `@` and `%` of it are three things."""
        self.shapes = dict[Root, dict[int, str]]()
        """What containers hold, and what these hold."""
        self.pushed = set[Root]()
        """Lists that are not filled by their places alone."""
        self.filled = set[Root]()
        """What has something put into what is in it, which may be there because of that alone."""
        self.numbers, self.texts, self.read = set[Root](), set[Root](), set[Root]()
        """Names that are used as numbers, and as texts, and those that are given what was read."""
        self.below, self.places, self.sized = dict[str, Node](), dict[Root, list[list[str]]](), set[Root]()
        """Than what names are smaller; those that are places of lists; lists whose size follows from that."""
        self.lists, self.signatures = set[str](), dict[str, Signature]()
        """Functions that give lists, and what functions are given."""
        self.packages, self.overloads = dict[str, list[Node]](), dict[str, list[Node]]()
        """Functions and operators by their package."""
        self.bases, self.fields_of = dict[str, list[str]](), set[str]()
        """What things of the program's classes have."""
        self.package, self.making = "main", False
        self.handed = list[list[str]]()
        """What functions that are under way are given."""
        self.slurped, self.integer, self.figures, self.ending = False, False, "int", ""
        self.heredocs, self.outer, self.labels = list[Node](), list[Node](), list[str]()
        self.marks = list[ast.stmt]()
        """What happens whether a test holds or not, but behind it."""

    # The whole program.

    def prepared(self, text: str) -> str:
        return _SPANNED.sub(r"\1 ..", text)

    def program(self, root: Node) -> list[ast.stmt]:
        self._survey(root)
        self.globals.update(self.spelled(text_of(each)[0], text_of(each)[1:]) for each in self.outer)
        self.heredocs = [*below(root, "heredoc_content")]
        made, classes = list[ast.stmt](), [one for one in self.packages if self._is_class(one)]
        for package in sorted(classes, key=lambda one: len(self._line(one))):
            self.package = package
            self.owner.append(package)
            methods = [self._function(each) for each in self.packages[package] if self._is_method(each)]
            self.owner.pop()
            methods += [one for node in self.overloads.get(package, ()) for one in self._overloaded(node)]
            bases: list[ast.expr] = [name(spelt(each)) for each in self.bases.get(package, ()) if each in classes]
            made.append(ast.ClassDef(spelt(package), bases, [], methods or [ast.Pass()], [], lineno=1))
        for package, functions in self.packages.items():
            self.package = package
            made += [self._function(one) for one in functions if package not in classes or not self._is_method(one)]
        self.package = "main"
        return [*made, *self.statements(root.named_children)]

    def _overloaded(self, node: Node) -> list[ast.stmt]:
        """Operators of a class."""
        flat, made = [one for each in node.named_children[1:] for one in _flat(each)], list[ast.stmt]()
        for key, value in zip(flat[::2], flat[1::2], strict=False):
            named = {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__"}.get(_between(key))
            of = re.sub(r"\W", "", text_of(value))
            if named is not None and value.type == "anonymous_subroutine_expression":
                made.append(self.at(self.function(value, named), value))
            elif named is not None and of in self.known:
                own, other = name("self"), name("other")
                gives = method(own, of, other) if self._method_of(of) else called(spelt(of), own, other)
                made.append(self.at(function_of(named, ["self", "other"], [ast.Return(gives)]), value))
        return made

    def _is_class(self, package: str) -> bool:
        own = any("bless" in text_of(each) for each in self.packages.get(package, ()))
        return package != "main" and (own or bool(self.bases.get(package)))

    def _line(self, package: str) -> list[str]:
        """A class and those above it."""
        return [package, *(one for base in self.bases.get(package, ()) if base != package for one in self._line(base))]

    def _is_method(self, node: Node) -> bool:
        names = self._signature(node).names
        if not names or names[0][0] != "$":
            return False
        makes = rf"\bbless\b.*,\s*\${re.escape(names[0][1])}\b"  # whatever it calls the class
        return names[0][1] in _SELVES or (written(node, "name") == "new" and bool(re.search(makes, text_of(node))))

    def _survey(self, root: Node) -> None:
        """What there is, before anything is said."""
        package = "main"
        for node in below(root):
            kind = node.type
            if kind == "package_statement":
                package = written(node, "name")
                self.packages.setdefault(package, [])
            elif kind == "subroutine_declaration_statement":
                named = written(node, "name")
                self.known.add(named)
                self.packages.setdefault(package, []).append(node)
                self.signatures[named] = self._signature(node)
                if self._gives_list(node):
                    self.lists.add(named)
            elif kind == "use_statement":
                self._survey_module(node, package)
            elif kind == "variable_declaration" and not within(node, *_FUNCTIONS):
                self.outer += _targets(node)
            elif kind == "regexp_content":
                self.figures = "float" if {r"\.", r"\d"} <= {*re.findall(r"\\.", text_of(node))} else self.figures
            elif kind in _OPERATED:
                self._survey_use(node, package)
            elif kind in ("postinc_expression", "preinc_expression"):
                self._shaped(field(node, "operand"), "#")
                self._fills(field(node, "operand"), 2)
            elif kind in _SIGNS or kind in _CONTAINERS:
                self._survey_name(node)
            elif kind in _ELEMENTS:
                self._survey_element(node)
            elif kind in _CALLED:
                self._survey_call(node)
            elif kind == "sort_expression" and re.search(r"[$]a\s*<=>\s*[$]b", written(node, "callback")):
                self.numbers.update(_roots(_flat(field(node, "list"))))
            elif kind == "for_statement" and _reads(field(node, "list"), self.read):
                self.read.add(("$", written(node, "variable")[1:] or "_"))

    def _survey_module(self, node: Node, package: str) -> None:
        module = written(node, "module")
        self.integer |= module == "integer"
        if module in ("parent", "base"):
            self.bases.setdefault(package, []).extend(re.findall(r"\b[A-Z][\w:]*", text_of(node)))
            self.packages.setdefault(package, [])
        elif module == "overload":
            self.overloads.setdefault(package, []).append(node)
        elif module == "constant":
            self.globals.update(spelt(text_of(each)) for each in below(node, "autoquoted_bareword"))

    def _survey_name(self, node: Node) -> None:
        inner = node.named_children[0] if node.named_children else None
        if inner is not None and inner.type == "varname" and not inner.named_children:
            parent, sign = node.parent, _SIGNS.get(node.type)
            sign = sign or ("@" if part(parent, "array") == node else "%")
            self.signs.setdefault(text_of(inner), set()).add(sign)
        elif inner is not None and node.type in _KINDS:
            inner = inner.named_children[0] if inner.type == "varname" else inner
            while inner.type in ("block", "expression_statement") and len(inner.named_children) == 1:
                inner = inner.named_children[0]
            self._shaped(inner, _KINDS[node.type])

    def _survey_element(self, node: Node) -> None:
        """What an element is an element of, and names that are the places in a list."""
        owner, index, key = node.named_children[0], written(node, "index"), written(node, "key")
        self._shaped(owner, _ELEMENTS[node.type])
        if re.fullmatch(r"\$\w+", index):
            self.numbers.add(("$", index[1:]))
        if text_of(owner) in ("$self", "$this") and key.isidentifier():
            self.fields_of.add(key)
        if node.parent is not None and node.parent.type not in _ELEMENTS and (root := _root(node)) is not None:
            names = list[str]()
            while node.type == "array_element_expression":
                names.insert(0, written(node, "index"))
                node = node.named_children[0]
            if root[0] == "@" and all(re.fullmatch(r"\$\w+", each) for each in names):
                self.places.setdefault(root, []).append(names)

    def _sized(self, root: Root) -> ast.expr | None:
        """A list that is filled by its places, which are said to be below some numbers; None of others."""
        for names in self.places.get(root, ()) if root not in self.pushed and root[0] == "@" else ():
            sizes = [self.below.get(each) for each in names]
            if len(names) > 1 and None not in sizes:
                made: ast.expr = constant(None)
                for place, each in enumerate(reversed(sizes)):
                    made = listed(self.numeral(each), made, several=place > 0)
                return made
        return None

    def _survey_call(self, node: Node) -> None:
        named, given = written(node, "function"), self._arguments(node)
        if named in ("push", "unshift", "splice") and given and given[0].type in _KINDS:
            roots = _roots(given[:1])
            self.pushed.update(one for one in roots if one[0] != "@" or not _chain(given[0])[1])
            self._fills(given[0], 1)
            self.read.update(roots if _reads(given[-1], self.read) else ())
        elif named in ("lc", "uc", "split", "substr") and given:
            self.texts.update(_operands(given[0] if named != "split" else given[-1]))
        elif named in ("sum", "sum0", "max", "min"):
            self.numbers.update(_roots(given))
        elif named in self.signatures:
            for each, (sign, own, _) in zip(given, self.signatures[named].names, strict=False):
                if (sign, own) in self.numbers and each.type == "scalar":
                    self.numbers.add(("$", text_of(each)[1:]))

    def _survey_use(self, node: Node, package: str) -> None:
        """What sides of an operator are used as."""
        left, operator, right = sides(node)
        operands = {*_operands(left), *_operands(right)}
        if operator in (">=", "<"):
            self.below[text_of(left)] = right
        if node.type != "assignment_expression":
            self.numbers.update(operands if operator in _CALCULATING else ())
            self.texts.update(operands if operator in _TEXTUAL else ())
            return
        if operator in _CHANGING:
            self._shaped(left, "#")
            self.numbers.update(operands)
        self._fills(left, 2)
        target = left.named_children[-1] if left.type == "variable_declaration" else left
        if _KINDS.get(target.type) == "@" and operator == "=":
            self.pushed.update(_roots([target]))
            if text_of(target) == "@ISA":
                self.bases.setdefault(package, []).extend(re.findall(r"\b[A-Z][\w:]*", text_of(right)))
        if _reads(right, self.read):
            self.read.update(_roots(_targets(left)))
        elif right.type == "scalar" and self.numbers & {*_operands(left)}:
            self.numbers.update(_operands(right))

    def _fills(self, node: Node | None, deep: int) -> None:
        """Something is put in that deep."""
        root, depth = _chain(node)
        if root is not None and depth >= deep:
            self.filled.add(root)

    def _shaped(self, node: Node | None, kind: str) -> None:
        """Something is used as this."""
        root, depth = _chain(node)
        if root is not None:
            shape = self.shapes.setdefault(root, {})
            if shape.get(depth) in (None, "#") or (depth == 0 and root[0] in "@%"):
                shape[depth] = kind

    def _gives_list(self, node: Node) -> bool:
        given, last = [*below(field(node, "body"), "return_expression")], inside(field(node, "body"))[-1:]
        given += [each for each in last if each.type == "expression_statement"]
        return any(self._is_list(each.named_children[0]) for each in given if each.named_children)

    def _is_list(self, node: Node | None) -> bool:
        """Whether it gives several where several are asked for."""
        if node is None:
            return False
        kind, inner = node.type, node.named_children
        if kind in ("parenthesized_expression", "return_expression"):
            return not inner or self._is_list(inner[0])
        if kind in _CALLED:
            return written(node, "function") in _LISTS | self.lists
        if kind == "conditional_expression":
            return self._is_list(field(node, "consequent")) or self._is_list(field(node, "alternative"))
        if kind == "binary_expression":
            repeats = inner[0].type in ("parenthesized_expression", "quoted_word_list")
            operator = written(node, "operator")
            return operator == ".." or _is_range(node) or (operator == "x" and repeats) or _is_match(node)
        return kind in _SEVERAL

    # Functions.

    def _signature(self, node: Node) -> Signature:
        """What a function takes out of `@_` at its beginning."""
        names, said, body = list[tuple[str, str, Node | None]](), 0, inside(field(node, "body"))
        for one in inside(next(below(node, "signature"), None)):
            text = text_of(one.named_children[0] if one.named_children else one)
            names.append((text[:1], text[1:], field(one, "default")))
        for each in body:
            inner = each.named_children[0] if each.named_children else each
            left, right, default = field(inner, "left"), field(inner, "right"), None
            if right is not None and right.type == "binary_expression":
                default, right = field(right, "right"), field(right, "left")
            source, declares = text_of(right), inner.type == "assignment_expression" and left is not None
            if not declares or left is None or left.type != "variable_declaration":
                break
            if not re.fullmatch(r"shift(\(\)|\(@_\)| @_)?|@_|\$_\[\d\]", source):
                break
            said += 1
            names += [(text_of(one)[0], text_of(one)[1:], default) for one in _targets(left)]
            if source == "@_":
                break
        rest = "\n".join(map(text_of, body[said:]))
        more = bool(re.search(r"@_|\bshift\b(?!\s*[@(]\s*[@$])|@\$_\[", rest))
        once = re.search(r"\bshift(\s*->)?", rest) if more and not said else None
        if once is not None and len(re.findall(r"\bshift\b", rest)) == 1 and not re.search(r"@_|\$_\[|\bsub\b", rest):
            makes = re.search(r"\bbless\b", rest) is not None
            names, more = [("$", "self" if makes or once[1] else _SHIFTED, None)], False
        places = [int(one) for one in re.findall(r"\$_\[(\d+)\]", rest)]
        if places and not more:
            names += [("$", f"_{place}", None) for place in range(len(names), max(places) + 1)]
        return Signature(names, said, more)

    def _function(self, node: Node) -> ast.stmt:
        named = written(node, "name")
        self.making = bool(self.owner) and named == "new"
        made = self.function(node, "__init__" if self.making else named if self.owner else spelt(named))
        self.making = False
        return self.at(made, node)

    def function(self, node: Node, named: str) -> ast.FunctionDef:
        """One of the program's functions."""
        signature = self._signature(node)
        outer, before = (self.topics, self.sorted, self.labels), (self.before, self.after)
        self.topics, self.sorted, self.labels, self.before, self.after = ["it"], "", [], [], []
        self.own.append(set())
        names, more, defaults = list[str](), "", list[ast.expr]()
        for sign, each, default in signature.names:
            spelled = self.spelled(sign, each)
            self.own[-1].add(spelled)
            if sign == "@" or (sign == "%" and default is None and node.type != "subroutine_declaration_statement"):
                more = spelled
                continue
            names.append(spelled)
            if default is not None or defaults:
                defaults.append(self.value(default))
        more = more or ("_args" if signature.rest else "")
        if self.making or (self.owner and names and names[0].rstrip("_") in _SELVES):
            names[:1] = ["self"]
        self.handed.append(names)
        body = self._body(inside(field(node, "body"))[signature.said :])
        body = self.shared([each for each in body if not (self.making and isinstance(each, ast.Return))])
        self.own.pop()
        self.handed.pop()
        (self.topics, self.sorted, self.labels), (self.before, self.after) = outer, before
        made = function_of(named, names, body)
        made.args.defaults = defaults
        made.args.vararg = ast.arg(more) if more else None
        return made

    def _body(self, nodes: list[Node]) -> list[ast.stmt]:
        """What a function does; the value of its last statement is what it gives."""
        last = nodes[-1] if nodes else None
        gives = last.named_children[0] if last is not None and last.named_children else None
        plain = last is None or last.type != "expression_statement" or self.making or gives is None
        if plain or last is None or gives is None or gives.type in _STATEMENTS:
            return self.statements(nodes)
        return [*self.statements(nodes[:-1]), *self.stated(lambda: [ast.Return(self.returned(gives))], last)]

    def statement(self, node: Node | None) -> list[ast.stmt]:
        outer, self.marks = self.marks, []
        made = [*super().statement(node), *self.marks]
        self.marks = outer
        return made

    def _of_anonymous_subroutine_expression(self, node: Node) -> ast.expr:
        owner, self.owner, making, self.making = self.owner, [], self.making, False
        made = self.function(node, self.fresh())
        self.owner, self.making = owner, making
        self.before.append(made)
        return name(made.name)

    def returned(self, node: Node | None) -> ast.expr:
        """What a function gives."""
        found = self.all_of(node)
        return unstarred(one_of(found)) if found else list_of()

    # Names.

    def spelled(self, sign: str, named: str) -> str:
        """A name as Python may have it."""
        plain = spelt(named.replace("'", "__"))
        first = next(one for one in "$@%" if one in self.signs.get(named, sign))
        return plain if sign == first else f"{plain}_{'list' if sign == '@' else 'map' if sign == '%' else 'one'}"

    def variable(self, node: Node, sign: str) -> ast.expr:
        """What a name stands for, or what a reference is to."""
        inner = node.named_children[0] if node.named_children else None
        if inner is not None and inner.type == "varname" and inner.named_children:
            inner = inner.named_children[0]
        if inner is None or inner.type == "varname":
            return self.sign(sign, text_of(inner) if inner is not None else text_of(node)[1:])
        return self.inside(inner) if inner.type == "block" else self.value(inner)

    def sign(self, sign: str, named: str) -> ast.expr:
        if named == "_":
            return name(self.topics[-1] if sign == "$" else "_args")
        if sign == "$" and named.isdigit():
            return put("__m[a]", constant(int(named)))
        if sign == "$" and named in ("a", "b") and self.sorted:
            return name(self.sorted)
        if not re.match(r"[A-Za-z_]", named) or named in ("ENV", "INC", "ISA", "ARGV"):
            return list_of() if named == "ARGV" else constant(None)
        if named in ("self", "this") and self.owner:
            return name("self")
        return name(self.spelled(sign, named.rpartition("::")[2] if sign == "$" else named))

    def inside(self, block: Node) -> ast.expr:
        """What a block gives."""
        inner = inside(block)
        plain = bool(inner) and inner[-1].type == "expression_statement"
        self.before += self.statements(inner[:-1] if plain else inner)
        return self.value(inner[-1].named_children[0]) if plain else constant(None)

    def topic(self) -> ast.expr:
        return name(self.topics[-1])

    def many(self, node: Node, sign: str = "@") -> ast.expr:
        """A list or a mapping itself."""
        if node.type.endswith("_deref_expression"):
            return self.value(node.named_children[0])
        own = node.type in _KINDS or node.type in _CONTAINERS
        return self.variable(node, _KINDS.get(node.type, sign)) if own else self.value(node)

    def _of_array_element_expression(self, node: Node) -> ast.expr:
        owner, index = node.named_children[0], written(node, "index")
        if owner.type == "container_variable" and text_of(owner) == "$_" and self.handed:
            place, names = int(index) if index.isdigit() else 0, self.handed[-1]
            return name(names[place]) if place < len(names) else put("_args[a]", constant(place))
        made = self.variable(owner, "@") if owner.type in _CONTAINERS else self.value(owner)
        return subscript(made, self.numeral(field(node, "index")))

    def _of_hash_element_expression(self, node: Node) -> ast.expr:
        inner = node.named_children[0]
        owner = self.variable(inner, "%") if inner.type in _CONTAINERS else self.value(inner)
        key = self.value(field(node, "key"))
        if inner.type != "container_variable" and isinstance(key, ast.Constant) and key.value in self.fields_of:
            return ast.Attribute(owner, str(key.value), ast.Load())
        return subscript(owner, key)

    def _of_bareword(self, node: Node) -> ast.expr:
        named = text_of(node)
        if named in self.known:
            return self.function_called(named, [])
        return name(spelt(named)) if named in self.globals else constant(named)

    def _of_slice_expression(self, node: Node) -> ast.expr:
        container = field(node, "array", "hash") or node.named_children[0]
        return self._elements(self.many(container, _sign(node)), node, alone=False)

    def _of_anonymous_slice_expression(self, node: Node) -> ast.expr:
        return self._elements(self.sequence(field(node, "list")), node, alone=True)

    def _elements(self, owner: ast.expr, node: Node, alone: bool) -> ast.expr:
        key = node.named_children[-1]
        if key.type == "binary_expression" and (ends := self._range(key)) is not None:
            return put("a[b:c]", owner, *ends)
        found = self.all_of(key)
        if any(isinstance(each, ast.Starred) for each in found):
            topic = self.fresh()
            return each_of(subscript(owner, name(topic)), to(topic), _sequence(found))
        made = [subscript(owner, each) for each in found]
        return made[0] if alone and len(made) == 1 else tuple_of(made)

    # Several.

    def all_of(self, node: Node | None) -> list[ast.expr]:
        """What something gives where several are asked for."""
        if node is None or node.is_extra:
            return []
        kind, inner, several = node.type, node.named_children, self._is_list(node)
        if kind in _KINDS:
            made = self.many(node)
            pairs = "items" if _KINDS[kind] == "%" else "values" if self._by_places(_root(node)) else ""
            return [starred(method(made, pairs) if pairs else made)]
        if kind in _GROUPED:
            return self.all_in(inner)
        if kind == "variable_declaration":
            return self.all_in(_targets(node))
        if kind == "quoted_word_list":
            return [constant(each) for each in written(node, "content").split()]
        if kind == "readline_expression":
            return [starred(self.records() or called("sys.stdin.read" if self.slurped else "sys.stdin.readlines"))]
        if kind == "do_expression" and inner and inside(inner[0]):
            last = inside(inner[0])[-1]
            if last.type == "expression_statement" and self._is_list(last.named_children[0]):
                before = (self.slurped, self.ending)
                self.before += self.statements(inside(inner[0])[:-1])
                given = self.all_of(last.named_children[0])
                self.slurped, self.ending = before
                return given
        if kind == "conditional_expression" and several:
            then, other = (self.sequence(field(node, each)) for each in ("consequent", "alternative"))
            return [starred(ast.IfExp(self.test(field(node, "condition")), then, other))]
        if kind == "binary_expression" and (found := self._all_of_operation(node, several)) is not None:
            return [starred(found)]
        if kind == "match_regexp":
            return [starred(self.matched(node, self.topic(), several=True))]
        if kind in _CALLED:
            made = self.call(node, several=True)
            return [starred(made) if several else made]
        if kind in ("map_grep_expression", "sort_expression", "slice_expression", "anonymous_slice_expression"):
            made = self.mapped(node) if kind == "map_grep_expression" else self.value(node)
            alone = kind == "anonymous_slice_expression" and not isinstance(getattr(made, "slice", None), ast.Slice)
            return made.elts if isinstance(made, ast.Tuple) else [made if alone else starred(made)]
        gives = kind == "method_call_expression" and written(node, "method") in self.lists
        return [starred(self.value(node)) if gives or text_of(node) == "split" else self.value(node)]

    def _all_of_operation(self, node: Node, several: bool) -> ast.expr | None:
        left, operator, right = sides(node)
        if (ends := self._range(node)) is not None:
            return called("range", *ends)
        if operator == "x" and several:
            return binary(self.sequence(left), ast.Mult, self.numeral(right))
        if _is_match(node):
            return self.matched(right, self.value(left), several=True)
        return self.value(node) if operator in ("||", "//", "&&") and self._is_list(right) else None

    def all_in(self, nodes: Sequence[Node]) -> list[ast.expr]:
        return [made for each in nodes for made in self.all_of(each)]

    def sequence(self, node: Node | None) -> ast.expr:
        """All of them, to be gone through."""
        return _sequence(self.all_of(node))

    def listed(self, found: list[ast.expr]) -> ast.expr:
        """A new list of these."""
        if len(found) != 1 or not isinstance(found[0], ast.Starred):
            return list_of(found)
        inner = found[0].value
        fresh = isinstance(inner, (ast.ListComp, ast.List, ast.BinOp)) or _FRESH.match(f"{_last(inner)}(")
        return inner if fresh else called("list", inner)

    def _range(self, node: Node) -> tuple[ast.expr, ast.expr] | None:
        """From where to where `..` goes; Python's end is one more."""
        if written(node, "operator") not in ("..", "...") and not _is_range(node):
            return None
        return self.numeral(field(node, "left")), plus(self.numeral(field(node, "right")))

    def pairs(self, nodes: Sequence[Node]) -> ast.expr:
        """A mapping of what stands there in turn."""
        flat = [one for node in nodes for one in _flat(node)]
        if len(flat) == 1 and flat[0].type == "map_grep_expression":
            return self.mapped(flat[0], pairs=True)
        keys, values, waiting = list[ast.expr | None](), list[ast.expr](), list[ast.expr]()
        for each in flat:
            hashed, mapped = _KINDS.get(each.type) == "%", each.type == "map_grep_expression"
            if waiting and not hashed and not mapped:
                keys.append(waiting.pop())
                values.append(self.value(each))
            elif hashed or mapped or _KINDS.get(each.type) == "@" or (each.type in _CALLED and self._is_list(each)):
                some = self.many(each) if hashed else self.mapped(each, pairs=True) if mapped else None
                some = some or put("dict(zip(a, a))", self.sequence(each))
                if len(flat) == 1 and not hashed:
                    return some
                keys.append(None)
                values.append(some)
            else:
                waiting.append(self.value(each))
        return ast.Dict(keys, values)

    def _by_places(self, root: Root | None) -> bool:
        """Whether a list is a mapping of its places, which are there once something is put into what is in them."""
        shape = self.shapes.get(root, {}) if root is not None else {}
        if root is None or root[0] != "@" or not shape.get(1):
            return False
        return root in self.filled - self.pushed - self.sized

    def empty(self, root: Root, level: int = 0) -> ast.expr:
        """A container as it begins, with what comes to be in it by being used."""
        shape = self.shapes.get(root, {})
        if level == 0 and (sized := self._sized(root)) is not None:
            self.sized.add(root)
            return sized
        kind, inner = shape.get(level) or ("@" if root[0] == "@" else "%"), shape.get(level + 1)
        if kind == "@" and (root in self.pushed or not inner or (level == 0 and root not in self.filled)):
            return list_of()
        if inner == "#":
            return put("collections.defaultdict(int)")
        return ast.Dict([], []) if inner is None else mapping_of(self.empty(root, level + 1))

    # Statements.

    def _do_package_statement(self, node: Node) -> list[ast.stmt]:
        return [made for each in inside(node) if each.type == "block" for made in self.statements(each.named_children)]

    def _do_use_statement(self, node: Node) -> list[ast.stmt]:
        if written(node, "module") != "constant":
            return []
        given = node.named_children[1:]
        several = bool(given) and given[0].type == "anonymous_hash_expression"
        flat = [one for each in (given[0].named_children if several else given) for one in _flat(each)]
        pairs = [*zip(flat[::2], flat[1::2], strict=False)][: None if several else 1]
        self.globals.update(spelt(text_of(key)) for key, _ in pairs)
        return [assigned(name(spelt(text_of(key))), self.value(value)) for key, value in pairs]

    def _do_statement_label(self, node: Node) -> list[ast.stmt]:
        self.labels.append(f"!{written(node, 'label')}")
        return self.statement(field(node, "statement"))

    def round(self, node: Node | None) -> list[ast.stmt]:
        """What a loop does each time; a loop around it may be gone on with from there."""
        label = self.labels.pop()[1:] if self.labels and self.labels[-1].startswith("!") else ""
        self.labels.append(label)
        made = self.statement(node)
        self.labels.pop()
        return made

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        return self._going(node, written(node, "variable"), lambda: self.round(field(node, "block")))

    def _do_postfix_for_expression(self, node: Node) -> list[ast.stmt]:
        return self._going(node, "", lambda: self.statement(node.named_children[0]))

    def _going(self, node: Node, variable: str, body: Body) -> list[ast.stmt]:
        """`for`, through these."""
        of = field(node, "list")
        over = self.sequence(of)
        topic = self.spelled("$", variable[1:]) if variable else f"it{len(self.topics)}"
        self.own[-1].add(topic)
        ahead = self.numbered([("$", variable[1:])]) if variable and _reads(of, self.read) else []
        made = self._topical(topic, body) if not variable else body()
        return [going(to(topic), over, [*ahead, *made])]

    def _topical(self, topic: str, body: Body) -> list[ast.stmt]:
        self.topics.append(topic)
        made = body()
        self.topics.pop()
        return made

    def _do_cstyle_for_statement(self, node: Node) -> list[ast.stmt]:
        keys = ("initialiser", "condition", "iterator")
        start, test, step = ([one for one in node.children_by_field_name(each) if one.is_named] for each in keys)
        begun = [one for made in self.statements(start) for one in _parted(made)]
        steps = self.statements([inner for each in step for inner in _flat(each)])
        condition = test[0] if test else None
        if condition is not None and condition.type == "expression_statement":
            condition = condition.named_children[0]
        return self.repeated(begun, condition, steps, self.round(field(node, "block")), node)

    def _do_postfix_loop_expression(self, node: Node) -> list[ast.stmt]:
        inner = node.named_children[0]
        body = inner.named_children[0] if inner.type == "do_expression" else inner
        return self._while(node, lambda: self.statement(body))

    def _while(self, node: Node, body: Body) -> list[ast.stmt]:
        condition, until = _bare(must(node, "condition")), any(each.type == "until" for each in node.children)
        left, right = field(condition, "left"), field(condition, "right")
        of, given = written(right, "function"), self._arguments(right) if right is not None else []
        if condition.type == "assignment_expression" and right is not None and left is not None:
            targets = _targets(left)
            if of == "each" and len(targets) == 2:
                names = [stored(self.target(each)) for each in targets]
                return [going(ast.Tuple(names, ast.Store()), method(self.many(given[0]), "items"), body())]
            if of in ("shift", "pop") and given:
                return [ast.While(self.many(given[0]), [*self.statement(condition), *body()], [])]
            if right.type == "readline_expression" and (records := self.records()) is not None:
                return [going(stored(self.target(targets[0])), records, body())]
            if right.type == "readline_expression":
                target, ahead = stored(self.target(targets[0])), self.numbered(_roots(targets[:1]))
                test = ast.NamedExpr(target, self.value(right))  # type: ignore[arg-type]
                return [ast.While(test, [*ahead, *body()] or [ast.Pass()], [])]
        if condition.type == "readline_expression":
            topic = f"it{len(self.topics)}"
            if (records := self.records()) is not None:
                return [going(to(topic), records, self._topical(topic, body))]
            test = ast.NamedExpr(to(topic), self.value(condition))
            return [ast.While(test, self._topical(topic, body) or [ast.Pass()], [])]
        if _is_match(condition) and "g" in _modifiers(right) and not until:
            return [going(to("__m"), called("re.finditer", self.pattern(right), self.value(left)), body())]
        return [self.turning(condition, body(), until)]

    def branched(self, node: Node, then: Body, other: Sequence[Node] = ()) -> list[ast.stmt]:
        """`if`, with what its test does."""
        outer, self.marks = self.marks, []
        test = self.test(field(node, "condition"))
        marks, self.marks = self.marks, outer
        rest, made = self.statements(other), [*marks, *then()]
        turned = any(each.type == "unless" for each in node.children)
        return [chosen(test, made, [*map(deepcopy, marks), *rest], turned)]

    def _do_conditional_statement(self, node: Node) -> list[ast.stmt]:
        other = [each for each in node.named_children if each.type in ("elsif", "else")]
        return self.branched(node, lambda: self.statement(field(node, "block")), other)

    _do_elsif = _do_conditional_statement

    def _do_postfix_conditional_expression(self, node: Node) -> list[ast.stmt]:
        return self.branched(node, lambda: self.statement(node.named_children[0]))

    def _do_conditional_expression(self, node: Node) -> list[ast.stmt]:
        one, other = (self.statement(field(node, each)) for each in ("consequent", "alternative"))
        return [chosen(self.test(field(node, "condition")), one, other)]

    def _do_binary_expression(self, node: Node) -> list[ast.stmt]:
        """`this or that`: that only happens where this does not hold."""
        left, operator, right = sides(node)
        operator = _WORDS.get(operator, operator)
        if right.type in _CHANGES:
            return self.substituted(left, right)
        if operator not in ("&&", "||", "//"):
            return self.effect(node)
        if written(right, "function") in ("die", "warn"):
            return self.statement(left)
        return [chosen(self.test(left), self.statement(right), turned=operator != "&&")]

    _do_lowprec_logical_expression = _do_binary_expression

    def _do_do_expression(self, node: Node) -> list[ast.stmt]:
        return self.statement(node.named_children[0])

    def _do_eval_expression(self, node: Node) -> list[ast.stmt]:
        made = self._do_do_expression(node)
        return [ast.Try(made or [ast.Pass()], [ast.ExceptHandler(None, None, [ast.Pass()])], [], [])]

    def _do_loopex_expression(self, node: Node) -> list[ast.stmt]:
        label = next((text_of(each) for each in node.named_children if each.type == "label"), "")
        outer = label and label in self.labels and self.labels[-1] != label
        return [ast.Break() if outer or written(node, "loopex") == "last" else ast.Continue()]

    def _do_return_expression(self, node: Node) -> list[ast.stmt]:
        inner = inside(node)[0] if inside(node) else None
        if inner is not None and inner.type in _LOGICAL and written(inner, "operator") in ("or", "and"):
            inner = field(inner, "left")
        return [ast.Return(self.returned(inner) if inner is not None else None)]

    # Assignments.

    def _do_variable_declaration(self, node: Node) -> list[ast.stmt]:
        """Names that are given nothing."""
        made = list[ast.stmt]()
        for each in _targets(node) if not text_of(node).startswith("our @ISA") else ():
            target, root = self.target(each), _root(each)
            if root is not None and each.type in ("array", "hash"):
                made.append(assigned(target, self.empty(root)))
            else:
                zero = root is not None and ("$", root[1]) in self.numbers
                made.append(assigned(target, constant(0 if zero else None)))
        return made

    def target(self, node: Node) -> ast.expr:
        """What is given a value; declared names are those of the function, or the program's."""
        if node.type in ("variable_declaration", "localization_expression"):
            node = node.named_children[0]
        made = self.many(node) if node.type in _KINDS else self.value(node)
        if isinstance(made, ast.Name) and node.parent is not None and node.parent.type == "variable_declaration":
            (self.own[-1] if len(self.own) > 1 else self.globals).add(made.id)
        return self.place(made)

    def numbered(self, roots: Sequence[Root]) -> list[ast.stmt]:
        """What was read, as the numbers that it is used as."""
        found = [name(self.spelled(*root)) for root in roots if root[0] == "$" and self._numeric(root)]
        return [assigned(name(one.id), self.figure(one)) for one in found]

    def _numeric(self, root: Root | None) -> bool:
        return root in self.numbers and root not in self.texts

    def figure(self, text: ast.expr) -> ast.expr:
        """A text as a number."""
        return called(self.figures, text)

    def _do_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, operator, right = sides(node)
        if text_of(left).removeprefix("local ") == "$/":
            mark = text_of(right)
            quoted = right.type in ("string_literal", "interpolated_string_literal")
            self.ending = _between(right).encode().decode("unicode_escape") or "\n\n" if quoted else ""
            self.ending = self.ending.removesuffix("\n") if self.ending == "\n" else self.ending
            self.slurped = mark == "undef"
            return []
        if operator != "=":
            return self._changed(left, operator, right)
        inner = field(right, "left")
        if right.type == "assignment_expression" and inner is not None and left.type != "stub_expression":
            made = self._do_assignment_expression(right)  # `a = b = c`
            if inner.type != "stub_expression":
                return [*made, assigned(self.target(left), self.value(_targets(inner)[0]))]
        return self._given(left, right)

    _effect_assignment_expression = _do_assignment_expression

    def _given(self, left: Node, right: Node) -> list[ast.stmt]:
        """`left = right`."""
        targets = _targets(left)
        if left.type == "variable_declaration" and text_of(targets[0]) == "@ISA":
            return []
        if left.type == "slice_expression":
            return self._sliced(left, right)
        if left.type in _CALLED:  # `substr(…) = …`, `pos(…) = …`
            value, named, first = self.value(right), written(left, "function"), self._arguments(left)[0]
            if named == "substr":
                return [assigned(self.target(first), joined([self.value(first), value]))]
            return [assigned(self.value(left), value) if named == "pos" else ast.Expr(value)]
        if left.type in _GROUPED or any(each.type == "(" for each in left.children):
            return self._several(targets, right)
        if targets[0].type in _KINDS:
            value = self._container(targets[0], right)
            return [assigned(self.target(targets[0]), value)]
        root, reads, value = _root(targets[0]), _reads(right, self.read), self.value(right)
        target = self.target(targets[0])
        if self.making and isinstance(target, ast.Name) and target.id == "self":
            return self._begun(value)
        if reads and self._numeric(root) and _is_text(value):
            value = self.figure(value)
        if isinstance(target, ast.Subscript) and targets[0].type == "array_element_expression":
            of, level = _chain(targets[0])
            if of is not None and self._filled(of, level - 1):
                return [ast.Expr(extended(target.value, value))]
        return [assigned(target, value)]

    def _filled(self, root: Root, level: int) -> bool:
        """Whether a list is filled by its places alone, one by one."""
        inner = self.shapes.get(root, {}).get(level + 1)
        return root not in self.pushed | self.sized and root[0] in "@%" and not inner and (level > 0 or root[0] == "@")

    def _begun(self, value: ast.expr) -> list[ast.stmt]:
        """The fields of a thing that is made."""
        if not isinstance(value, ast.Dict):
            return effect(value)
        made = list[ast.stmt]()
        for key, each in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and str(key.value).isidentifier():
                root = (".", str(key.value))
                empty = root in self.shapes and ast.unparse(each) in ("{}", "[]")
                made.append(assigned(path("self", root[1]), self.empty(root) if empty else each))
        return made

    def _container(self, target: Node, right: Node) -> ast.expr:
        """What a list or a mapping is given."""
        inner, root = _flat(right), _root(target)
        if not inner and root is not None:
            return self.empty(root)
        if _KINDS[target.type] == "%":
            copied = len(inner) == 1 and _KINDS.get(inner[0].type) == "%"
            return called("dict", self.many(inner[0])) if copied else self.pairs(inner)
        found = self.listed(self.all_of(right))
        if _reads(right, self.read) and self._numeric(root):
            return put(f"list(map({self.figures}, a))", found)
        return found

    def _several(self, targets: list[Node], right: Node) -> list[ast.stmt]:
        """`(a, b) = …`."""
        found, slots = self.all_of(right), list[ast.expr]()
        numbered = _roots(targets) if _reads(right, self.read) else []
        for each in targets:
            made = name("_") if text_of(each) == "undef" else self.target(each)
            slots.append(ast.Starred(made, ast.Store()) if each.type in _KINDS else made)
        alone, spread = len(found) == 1, any(isinstance(each, ast.Starred) for each in found)
        rests = any(isinstance(each, ast.Starred) for each in slots)
        if not targets:
            return [ast.Expr(_sequence(found))]
        if alone and spread:
            given, single = unstarred(found[0]), len(slots) == 1 and not rests
            target = slots[0] if single else tuple_of(slots)
            return [assigned(target, put("a[0]", given) if single else given), *self.numbered(numbered)]
        if alone and len(slots) > 1 and isinstance(found[0], ast.Call):  # a function's
            return [assigned(tuple_of(slots), found[0]), *self.numbered(numbered)]
        if len(found) == len(slots) and not spread and not rests:
            return [assigned(one_of(slots), one_of(found))]
        made_of = list[ast.stmt]()
        for place, slot in enumerate(slots):
            rest = found[place:]
            if isinstance(slot, ast.Starred):
                root = _root(targets[place]) or (_KINDS[targets[place].type], "")
                made_of.append(assigned(slot.value, self.listed(rest) if rest else self.empty(root)))
            else:
                made_of.append(assigned(slot, unstarred(rest[0]) if rest else constant(None)))
        return made_of

    def _sliced(self, left: Node, right: Node) -> list[ast.stmt]:
        """`@h{…} = …`, `@a[…] = …`."""
        owner = self.many(field(left, "array", "hash") or left.named_children[0], _sign(left))
        keys, found = self.all_of(left.named_children[-1]), self.all_of(right)
        if len(keys) == len(found) and not any(isinstance(each, ast.Starred) for each in (*keys, *found)):
            return [assigned(tuple_of(subscript(owner, each) for each in keys), tuple_of(found))]
        return [ast.Expr(put("a.update(zip(b, c))", owner, _sequence(keys), _sequence(found)))]

    def _changed(self, left: Node, operator: str, right: Node) -> list[ast.stmt]:
        """`left += right`, `left ||= right`."""
        sign = operator.removesuffix("=")
        if sign in ("||", "//", "&&"):
            if right.type == "do_expression":
                block = right.named_children[0]
                then = self.stated(lambda: [assigned(self.target(left), self.inside(block))], right)
            else:
                then = self._given(left, right)
            return [chosen(self.test(left), then, turned=sign != "&&")]
        target = self.target(left)
        if sign == ".":
            return [added(target, ast.Add, self.value(right))]
        value, owner = self.numeral(right), self.many(left) if left.type in _KINDS else self.value(left)
        made = binary(owner, ast.Mult, value) if sign == "x" else self.operation(owner, sign, value, not self.integer)
        if isinstance(made, ast.BinOp) and sign != "x":
            return [added(target, type(made.op), made.right)]
        return [assigned(target, made)]

    def _do_postinc_expression(self, node: Node) -> list[ast.stmt]:
        target = self.target(must(node, "operand"))
        return [added(target, ast.Add if written(node, "operator") == "++" else ast.Sub, constant(1))]

    _do_preinc_expression = _do_postinc_expression

    def _of_postinc_expression(self, node: Node) -> ast.expr:
        made = self._do_postinc_expression(node)
        self.before += made if node.type == "preinc_expression" else []
        self.after += made if node.type == "postinc_expression" else []
        return self.value(field(node, "operand"))

    _of_preinc_expression = _of_postinc_expression

    def _of_assignment_expression(self, node: Node) -> ast.expr:
        left = must(node, "left")
        if left.type == "stub_expression":  # `() = …` is asked how many
            return length(self.sequence(field(node, "right")))
        self.before += self._do_assignment_expression(node)
        targets = _targets(left)
        if left.type == "slice_expression" or not targets:
            return constant(None)
        return self.many(targets[0]) if targets[0].type in _KINDS else self.value(targets[0])

    def _of_localization_expression(self, node: Node) -> ast.expr:
        self.slurped |= text_of(node).endswith("$/")
        return constant(None)

    def records(self) -> ast.expr | None:
        """What an input is made of where something else than an end of line parts it."""
        return method(called("sys.stdin.read"), "split", constant(self.ending)) if self.ending else None

    # Tests.

    def test(self, node: Node | None) -> ast.expr:
        if node is None:
            return constant(True)
        kind, inner, operator, operand = (
            node.type,
            node.named_children,
            written(node, "operator"),
            part(node, "operand"),
        )
        if kind in ("parenthesized_expression", "expression_statement") and len(inner) == 1:
            return self.test(inner[0])
        if kind in _KINDS:
            return self.many(node)
        if kind == "logical_not_expression" or (kind == "unary_expression" and operator == "!"):
            return negated(self.test(operand))
        if kind in _LOGICAL:
            operator = _WORDS.get(operator, operator)
            if operator in ("&&", "||", "//"):
                return self.operation(self.test(field(node, "left")), operator, self.test(field(node, "right")))
            if _is_match(node):
                return self.found(field(node, "right"), self.value(field(node, "left")), operator == "!~")
        if kind == "match_regexp":
            return self.found(node, self.topic())
        if kind == "hash_element_expression":
            return has(self.value(node))
        if kind == "postinc_expression" and operand is not None and operand.type == "hash_element_expression":
            self.marks += self._do_postinc_expression(node)  # `$seen{$x}++`
            return self.test(operand)
        if kind == "func1op_call_expression" and (given := self._arguments(node)):
            named = written(node, "function")
            if named in ("exists", "defined") and given[0].type in _ELEMENTS:
                made = self.value(given[0])
                keyed = given[0].type == "hash_element_expression" and isinstance(made, ast.Subscript)
                return _in(made) if keyed else is_none(made, without=True)
            if named in ("defined", "scalar"):
                return self.test(given[0])
        if kind == "map_grep_expression" and text_of(node).startswith("grep"):
            return self.mapped(node)
        right = part(node, "right") if kind == "assignment_expression" else None
        if right is not None and (_is_match(right) or right.type == "match_regexp"):
            self.before += self._do_assignment_expression(node)
            return put("__m is not None")
        return self.value(node)

    def numeral(self, node: Node | None) -> ast.expr:
        """What it gives where a number is asked for."""
        if node is None:
            return constant(None)
        node = _bare(node)
        made = self.value(node)
        root = _root(node)
        text = node.type == "scalar" and root in self.read and not self._numeric(root)
        text = text or (node.type in ("scalar", "readline_expression") and _is_read(made))
        chosen = isinstance(made, ast.IfExp) and root is None and "eq" in text_of(node)
        return self.figure(made) if text or chosen else made

    # Operators.

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, written_as, right = sides(node)
        operator = _WORDS.get(written_as, written_as)
        if _is_match(node):
            return self.matched(right, self.value(left), several=False)
        if right.type in _CHANGES:
            if right.type == "transliteration_expression" and not text_of(_replacement(right)):
                return method(self.value(left), "count", constant(written(right, "content")))
            if "r" in _modifiers(right):
                return self.value(left)
            *before, made = self.substituted(left, right)
            self.before += [*before, made]
            return again(made.targets[0]) if isinstance(made, ast.Assign) else self.value(left)
        if (ends := self._range(node)) is not None:
            return called("range", *ends)
        if operator == ".":
            return joined(self._parts(node))
        if operator == "x":
            repeated = self.sequence(left) if self._is_list(node) else self.value(left)
            return binary(repeated, ast.Mult, self.numeral(right))
        if operator in ("||", "//", "&&"):
            second = self.many if right.type in _KINDS else self.value
            return self.operation(self.value(left), operator, second(right))
        if operator in ("<=>", "cmp"):
            gives = self.numeral if operator == "<=>" else self.value
            return put("(a > b) - (a < b)", gives(left), gives(right))
        textual = written_as in ("eq", "ne") or (operator == "==" and right.type in _TEXTS)
        if textual and (node.type == "equality_expression" or written_as == "=="):
            return self.operation(self.value(left), operator, self.value(right))
        return self.operation(self.numeral(left), operator, self.numeral(right), not self.integer)

    _of_equality_expression = _of_relational_expression = _of_lowprec_logical_expression = _of_binary_expression

    def _parts(self, node: Node | None) -> list[ast.expr]:
        """Texts that are put together."""
        if node is not None and node.type == "binary_expression" and written(node, "operator") == ".":
            return [*self._parts(field(node, "left")), *self._parts(field(node, "right"))]
        made = self.value(node)
        parts = made.values if isinstance(made, ast.JoinedStr) else [made]
        return [each.value if isinstance(each, ast.FormattedValue) else each for each in parts
                if not isinstance(each, ast.FormattedValue) or each.format_spec is None]  # fmt: skip

    def _of_unary_expression(self, node: Node) -> ast.expr:
        operator, inner = written(node, "operator"), field(node, "operand")
        if operator in ("!", "not"):
            return negated(self.test(inner))
        return self.value(inner) if operator == "+" else self.turned(operator, self.numeral(inner))

    def _of_conditional_expression(self, node: Node) -> ast.expr:
        parts = [field(node, each) for each in ("consequent", "alternative")]
        return ast.IfExp(self.test(field(node, "condition")), *map(self.value, parts))

    def _of_refgen_expression(self, node: Node) -> ast.expr:
        inner = node.named_children[0]
        if text_of(inner).startswith("&"):
            return name(spelt(text_of(inner).lstrip("&")))
        return self.many(inner) if inner.type in _KINDS else self.value(inner)

    def _of_anonymous_hash_expression(self, node: Node) -> ast.expr:
        left = part(node.parent, "left")
        root, depth = _chain(_targets(left)[0]) if left is not None and _targets(left) else (None, 0)
        begins = root is not None and depth == 0 and root in self.shapes and not inside(node)
        return self.empty(root) if begins and root is not None else self.pairs(inside(node))

    def _of_do_expression(self, node: Node) -> ast.expr:
        """A block that gives something."""
        before = (self.slurped, self.ending)
        made = self.inside(node.named_children[0])
        self.slurped, self.ending = before
        return made

    _of_eval_expression = _of_do_expression

    def _of_return_expression(self, node: Node) -> ast.expr:
        return self.returned(node.named_children[0]) if node.named_children else constant(None)

    # Texts.

    def _of_interpolated_string_literal(self, node: Node) -> ast.expr:
        content = field(node, "content")
        return self._interpolated(content, node) if content is not None else constant(_between(node))

    def _of_heredoc_token(self, node: Node) -> ast.expr:
        content = self.heredocs.pop(0)
        plain = text_of(node).endswith("'")
        return constant(text_of(content).rpartition("\n")[0] + "\n") if plain else self._interpolated(content, content)

    def _interpolated(self, node: Node, around: Node) -> ast.expr:
        """A text with what is put into it."""
        quoted = around is not node and around.child_count > 1
        ends = any(each.type == "heredoc_end" for each in around.named_children)
        named = quoted and around.children[0].type == "qq" and around.child_count > 2
        at = around.children[int(named)].end_byte if quoted else around.start_byte
        stop = around.children[-1].start_byte if quoted or ends else around.end_byte
        whole, begin, parts = around.text or b"", around.start_byte, list[ast.expr]()
        for each in node.named_children:
            if each.type == "heredoc_end":
                break
            parts.append(constant(whole[at - begin : each.start_byte - begin].decode("utf-8", "replace")))
            at = each.end_byte
            if each.type == "escape_sequence":
                parts.append(constant({**ESCAPES, "$": "$", "@": "@"}.get(text_of(each)[1:], "x")))
            elif _KINDS.get(each.type) == "@" or each.type == "slice_expression":
                parts.append(put("' '.join(a)", self.many(each)))
            else:
                parts.append(self.value(each))
        parts.append(constant(whole[at - begin : stop - begin].decode("utf-8", "replace")))
        return text_from(parts)

    # Patterns.

    def pattern(self, node: Node | None) -> ast.expr:
        """As Python writes it."""
        content = part(node, "content")
        if content is None:
            return self.value(node) if node is not None and node.type == "scalar" else constant("")
        if any(each.type in ("scalar", "array", *_ELEMENTS) for each in content.named_children):
            return self._interpolated(content, content)
        flags = "".join(each for each in _modifiers(node) if each in "imsx")
        text = text_of(content).replace(r"\G", "").replace(r"\h", r"\s")
        return pattern_of(f"(?{flags})" + text if flags and not text.startswith("(?<") else text)

    def matched(self, node: Node | None, of: ast.expr, several: bool) -> ast.expr:
        """What a pattern finds."""
        pattern = self.pattern(node)
        if "g" in _modifiers(node):
            text = str(pattern.value) if isinstance(pattern, ast.Constant) else ""
            pattern = constant(text[1:-1]) if re.fullmatch(r"\([^()]+\)", text) else pattern  # all of it
            return called("re.findall", pattern, of)
        found = called("re.search", pattern, of)
        if not several:
            kept = (
                node is not None and node.type == "scalar"
            )  # `$text =~ $pattern`: what is found there may be asked for
            return ast.NamedExpr(to("__m"), found) if kept or "(" in text_of(node) else found
        self.before.append(assigned(name("__m"), found))
        groups = len(GROUP.findall(text_of(node)))
        return tuple_of([put(f"__m[{place + 1}]") for place in range(groups)] or [name("__m")])

    def found(self, node: Node | None, of: ast.expr, without: bool = False) -> ast.expr:
        """Whether a pattern is found."""
        found, at = searched(self.pattern(node), of), isinstance(of, ast.Name) and r"\G" in text_of(node)
        made: ast.expr = found.value
        if GROUP.search(text_of(node)) or at or (node is not None and node.type == "scalar"):
            self.before.append(found)
            made = put("__m is not None")
        if at and isinstance(of, ast.Name):
            self.before.append(added(name(f"{of.id}__at"), ast.Add, put("len(__m[0])")))
        return negated(made) if without else made

    def substituted(self, left: Node | None, node: Node) -> list[ast.stmt]:
        """`s/…/…/`, `tr/…/…/`."""
        made = list[ast.stmt]()
        if left is not None and left.type == "parenthesized_expression":  # `(my $t = $s) =~ s/…/…/`
            inner = left.named_children[0]
            if inner.type == "assignment_expression":
                made += self._do_assignment_expression(inner)
                left = _targets(must(inner, "left"))[0]
        target = self.target(left) if left is not None else self.topic()
        value = again(target)
        if node.type == "transliteration_expression":
            return [*made, assigned(target, put("str(a.lower())", value))]
        pattern, replacement = self.pattern(node), text_of(_replacement(node))
        if "e" in _modifiers(node):
            body = self.statements(parsed("perl", replacement).root_node.named_children)
            for each in body:
                for one in ast.walk(each):
                    if isinstance(one, ast.stmt):
                        one.lineno = node.start_point[0] + 1
            made.append(going(to("__m"), called("re.finditer", pattern, value), body))
            replacement = ""
        return [*made, assigned(target, called("re.sub", pattern, constant(replacement), value))]

    # Calls.

    def _arguments(self, node: Node) -> list[Node]:
        """What a function is given."""
        given, function = field(node, "arguments"), field(node, "function")
        skipped = ("indirect_object", "function")
        nodes = [given] if given is not None else [
            each for each in node.named_children if each != function and each.type not in skipped
        ]  # fmt: skip
        while len(nodes) == 1 and nodes[0].type in ("list_expression", "parenthesized_expression"):
            nodes = nodes[0].named_children
        return [each for each in nodes if not each.is_extra]

    def call(self, node: Node, several: bool = False) -> ast.expr:
        function, given = must(node, "function"), self._arguments(node)
        inner = next(iter(below(function, "varname")), None)
        if text_of(function).startswith("&") and inner is not None and inner.named_children:  # `&$f(…)`
            target = inner.named_children[0]
            owner = self.inside(target) if target.type == "block" else self.value(target)
            return called(owner, *self.all_in(given))
        indirect = next((each for each in node.named_children if each.type == "indirect_object"), None)
        return self.function_called(text_of(function).lstrip("&"), given, indirect, several)

    def _of_coderef_call_expression(self, node: Node) -> ast.expr:
        given = self._arguments(node)[(field(node, "arguments") is None) :]
        return called(self.value(node.named_children[0]), *self.all_in(given))

    def passed_to(self, signature: Signature | None, given: Sequence[Node], skipped: int = 0) -> list[ast.expr]:
        """Arguments of one of the program's functions."""
        names = signature.names[skipped:] if signature is not None else []
        if names and names[-1][0] == "%":
            return [*self.all_in(given[: len(names) - 1]), self.pairs(given[len(names) - 1 :])]
        return self.all_in(given)

    def function_called(
        self, named: str, given: list[Node], indirect: Node | None = None, several: bool = False
    ) -> ast.expr:
        """What a function gives."""
        package, _, plain = named.rpartition("::")
        if plain in self.known and (not package or package in self.packages):
            return called(spelt(plain), *self.passed_to(self.signatures.get(plain), given))
        if indirect is not None and plain not in (*_OUTPUT, "exec", "system"):
            return self._asking(plain, indirect, given)
        own = getattr(self, f"_call_{plain}", None)
        if own is not None:
            found: ast.expr = own(given, several)
            return found
        return self._library(plain, given)

    def _library(self, named: str, given: list[Node]) -> ast.expr:
        if named in _NOTHING:
            self.before += self.statements([each for each in given if each.type not in ("scalar", "array", "hash")])
        if named in _NOTHING or named in _DYING:
            return constant(None)
        if named in _MATHS and given:
            return called(f"math.{named}", *map(self.numeral, given))
        if named in _ONE:
            return put(_ONE[named], self._first(given))
        if named in _GIVES:
            return put(_GIVES[named], *map(self.value, given))
        values = self.all_in(given)
        if named in _OF_SEVERAL:
            return put(_OF_SEVERAL[named], _sequence(values))
        if named in _OUTPUT:
            values = [formatted(values[0], values[1:])] if named == "printf" else values
            return called("print", *(values or [self.topic()]))
        if named in _PYTHONS:
            single = len(values) < 2 or any(isinstance(one, ast.Starred) for one in values)
            if named.startswith(("sum", "max", "min")) and (single or named.startswith("sum")):
                values = [_sequence(values)]
            return called(_PYTHONS[named], *(values or [self.topic()]))
        plain_values = all(isinstance(each, (ast.Constant, ast.Name)) for each in values)
        return constant(None) if plain_values else tuple_of(values)

    def _first(self, given: Sequence[Node]) -> ast.expr:
        return self.value(given[0]) if given else self.topic()

    def _effect_function_call_expression(self, node: Node) -> list[ast.stmt]:
        named = written(node, "function")
        if named in _DYING:
            return [ast.Raise(None, None)]
        return self._do_return_expression(node) if named == "return" else effect(self.value(node))

    _effect_ambiguous_function_call_expression = _effect_func1op_call_expression = _effect_function_call_expression

    def _asking(self, named: str, indirect: Node, given: list[Node]) -> ast.expr:
        """`first { … } …`, `reduce { … } …`."""
        block, over = indirect.named_children[0], _sequence(self.all_in(given))
        if named == "reduce":
            result, topic = self.fresh(), self.fresh()
            outer, self.sorted = self.sorted, topic
            with self.aside() as (before, _):
                made = self.inside(block)
            self.sorted = outer
            body = [*before, assigned(name(result), made)]
            self.before += [assigned(name(result), constant(0)), going(to(topic), over, body)]
            return name(result)
        found = self.over(block, over, named not in ("pairmap", "max_by", "min_by", "sort_by", "sum_by", "uniq_by"))
        if named in ("any", "all", "none", "notall") and isinstance(found, ast.ListComp):
            plain = found.generators[0]
            generator = ast.GeneratorExp(plain.ifs[0], [ast.comprehension(plain.target, plain.iter, [], 0)])
            return called("any", generator)
        return put("a[0]" if named == "first" else "a", found)

    # What Perl's own functions give.

    def _call_exists(self, given: list[Node], several: bool) -> ast.expr:
        made = self.value(given[0])
        return _in(made) if isinstance(made, ast.Subscript) else made

    def _call_delete(self, given: list[Node], several: bool) -> ast.expr:
        made = self.value(given[0])
        return method(made.value, "pop", made.slice) if isinstance(made, ast.Subscript) else constant(None)

    def _call_int(self, given: list[Node], several: bool) -> ast.expr:
        made = self.numeral(given[0]) if given else self.topic()
        if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Mult) and _last(made.left) == "random":
            return called("random.randrange", made.right)
        return floored(made, "int")

    def _call_rand(self, given: list[Node], several: bool) -> ast.expr:
        return put("random.random() * a" if given else "random.random()", *map(self.numeral, given))

    def _call_push(self, given: list[Node], several: bool) -> ast.expr:
        owner, root, made = self.many(given[0]), _root(given[0]), list[ast.expr]()
        for each in given[1:]:
            numeric = self._numeric(root) and _reads(each, self.read)
            for one in self.all_of(each):
                if numeric and isinstance(one, ast.Starred):
                    one = starred(put(f"map({self.figures}, a)", one.value))
                elif numeric and _is_text(one):
                    one = self.figure(one)
                made.append(extended(owner, one))
        return self.all_done(made)

    def _call_unshift(self, given: list[Node], several: bool) -> ast.expr:
        owner = self.many(given[0])
        return self.all_done([extended(owner, one, "insert", constant(0)) for one in self.all_in(given[1:])])

    def _call_splice(self, given: list[Node], several: bool) -> ast.expr:
        owner, values = self.many(given[0]), [*map(self.numeral, given[1:3])]
        self.before += [ast.Expr(extended(owner, one, "insert", values[0])) for one in self.all_in(given[3:])]
        if len(values) > 1 and is_value(values[1], 0, 1):
            return method(owner, "pop", values[0]) if is_value(values[1], 1) else constant(None)
        form = "a[b : b + c]" if len(values) > 1 else "a[b:]"
        made = put(form, owner, *values)
        gone = again(made)
        gone.ctx = ast.Del()  # type: ignore[attr-defined]
        self.after.append(ast.Delete([gone]))
        return made

    def _call_split(self, given: list[Node], several: bool) -> ast.expr:
        of, most = self._first(given[1:]), [constant(1)] * (len(given) > 2)
        regex = bool(given) and given[0].type == "match_regexp"
        content = written(given[0], "content") if regex else _between(given[0]) if given else " "
        if content == "" and " " not in text_of(given[0]):  # blanks between the slashes are no content
            return called("list", of)
        if content in ("", " ", r"\s+", r"\s"):
            return method(of, "split", *([constant(None), *most] if most else []))
        if re.fullmatch(r"\\?[^\w\s\\\[\](){}.*+?^$]|[\w ,;:=-]+|\\[tn.|*+?$]|\s+", content):
            mark = {r"\t": "\t", r"\n": "\n"}.get(content, content.replace("\\", ""))
            return method(of, "split", constant(mark), *most)
        if (found := re.fullmatch(r"\\s[*+](\\?[^\w\s])\\s[*+]|(\\?[^\w\s])\\s[*+]", content)) is not None:
            return method(of, "split", constant((found[1] or found[2]).replace("\\", "")))
        if (found := re.match(r"\[([^\\\]])|(\\?[^\w\s(\\])\|", content)) is not None:
            return method(of, "split", constant(found[1] or found[2]))
        return called("re.split", self.pattern(given[0]), of)

    def _call_substr(self, given: list[Node], several: bool) -> ast.expr:
        of, start, *count = self.value(given[0]), *map(self.numeral, given[1:3])
        forms = ["a[b:]", "a[b:c]" if is_value(start, 0) else "a[b : b + c]"]
        made = put("a[b]" if count and is_value(count[0], 1) else forms[len(count)], of, start, *count)
        if len(given) > 3 and isinstance(of, (ast.Name, ast.Attribute, ast.Subscript)):
            self.after.append(assigned(self.target(given[0]), joined([of, self.value(given[3])])))
        return made

    def _call_sprintf(self, given: list[Node], several: bool) -> ast.expr:
        values = self.all_in(given)
        return formatted(values[0], values[1:])

    def _call_shuffle(self, given: list[Node], several: bool) -> ast.expr:
        found = self.kept(self.listed(self.all_in(given)))
        self.before.append(ast.Expr(called("random.shuffle", found)))
        return found

    def _call_bless(self, given: list[Node], several: bool) -> ast.expr:
        if self.making:
            self.before += self._begun(self.value(given[0]))
            return name("self")
        if self.owner and given[0].type == "anonymous_hash_expression":
            return self.kept(called(spelt(self.owner[-1])))
        return self.value(given[0])

    def _call_unpack(self, given: list[Node], several: bool) -> ast.expr:
        form = _between(given[0]) if given else ""
        text = self.value(given[1]) if len(given) > 1 else self.topic()
        if re.fullmatch(r"%\d*[CUW]\*", form):
            return called("zlib.crc32", text)
        if re.fullmatch(r"[CUW]\*", form):
            return put("list(map(ord, a))", text)
        if (parts := re.fullmatch(r"\([aA](\d+)\)\*", form)) is None:
            return constant(None)
        place, long = self.fresh(), constant(int(parts[1]))
        return put("[a[b : b + c] for d in range(0, len(a), c)]", text, name(place), long, to(place))

    def _call_pos(self, given: list[Node], several: bool) -> ast.expr:
        return name(f"{text_of(given[0])[1:]}__at") if given and given[0].type == "scalar" else constant(0)

    # Methods.

    def _of_method_call_expression(self, node: Node) -> ast.expr:
        invocant, named = must(node, "invocant"), written(node, "method")
        given = self._arguments(node) if field(node, "arguments") is not None else []
        text, (base, _, plain) = text_of(invocant), named.rpartition("::")
        signature, of = self.signatures.get(plain), self._method_of(plain)
        if base == "SUPER":
            start = "__init__" if plain == "new" else plain
            return put(f"super().{start}(*z)", *self.passed_to(signature, given, 1))
        own = text in ("__PACKAGE__", "$class", "$proto")
        if invocant.type == "bareword" or own:
            package = self.package if own else text
            line = self._line(package) if package in self.packages else []
            if plain == "new" and any(map(self._is_class, line)):
                starts = [one for each in line for one in self.packages.get(each, ()) if written(one, "name") == "new"]
                start_of = self._signature(starts[0]) if starts else None
                return called(spelt(package), *self.passed_to(start_of, given, 1))
            if plain in self.known:
                function = path(spelt(package), plain) if of else name(spelt(plain))
                return called(function, constant(None), *self.passed_to(signature, given, 1))
            values = self.all_in(given)
            return put("int(a)", *values) if plain in ("new", "from_dec", "bone", "bzero") else tuple_of(values)
        owner = self.value(invocant)
        if named.startswith("$"):
            return called(self.value(field(node, "method")), owner, *self.all_in(given))
        if of:
            return method(owner, plain, *self.passed_to(signature, given, 1))
        if plain in self.known:
            return called(spelt(plain), owner, *self.passed_to(signature, given, 1))
        values = [owner, *self.all_in(given)]
        return put(_GIVES[plain], *values) if plain[:1] == "b" and plain in _GIVES else tuple_of(values)

    def _method_of(self, named: str) -> bool:
        """Whether a class of the program's has a method of this name."""
        classes = [functions for package, functions in self.packages.items() if self._is_class(package)]
        functions = [each for some in classes for each in some if written(each, "name") == named]
        return any(map(self._is_method, functions))

    # What is done with each of several.

    def _of_map_grep_expression(self, node: Node) -> ast.expr:
        """How many, where one is asked for."""
        made, kind = self.mapped(node), node.parent.type if node.parent is not None else ""
        asked = kind in ("equality_expression", "relational_expression", "binary_expression")
        asked = asked or written(node.parent, "function") == "scalar"
        left = part(node.parent, "left") if kind == "assignment_expression" else None
        if left is not None and not any(each.type == "(" for each in left.children):
            asked = all(each.type == "scalar" for each in _targets(left))
        return length(made) if asked else made

    def mapped(self, node: Node, pairs: bool = False) -> ast.expr:
        """`map`, `grep`."""
        over = self.sequence(field(node, "list"))
        return self.over(field(node, "callback"), over, text_of(node.children[0]) == "grep", pairs)

    def over(self, callback: Node | None, over: ast.expr, kept: bool, pairs: bool = False) -> ast.expr:
        """A list of what is kept, or of what a function makes of each; a loop where more than that is done."""
        topic, (marks, self.marks) = f"it{len(self.topics)}", (self.marks, [])
        self.topics.append(topic)
        with self.aside() as (done, behind):
            found = self._made(callback, kept, pairs)
        behind, self.marks = [*self.marks, *behind], marks
        self.topics.pop()
        paired, single = pairs and len(found) == 2, len(found) == 1 and not isinstance(found[0], ast.Starred)
        if done or behind:
            result = self.fresh()
            put_in: ast.stmt = ast.Expr(put(f"{result}.extend(a)", _sequence(found)))
            if kept:
                put_in = ast.If(found[0], [ast.Expr(put(f"{result}.append({topic})"))], [])
            elif paired:
                put_in = assigned(put(f"{result}[a]", found[0]), found[1])
            elif single:
                put_in = ast.Expr(put(f"{result}.append(a)", found[0]))
            self.before += [assigned(name(result), put("{}" if paired else "[]"))]
            self.before.append(going(to(topic), over, [*done, put_in, *behind]))
            return name(result)
        if kept:
            return each_of(name(topic), to(topic), over, *found[:1])
        if paired:
            return ast.DictComp(found[0], found[1], [ast.comprehension(to(topic), over, [], 0)])
        if single:
            return each_of(found[0], to(topic), over)
        inner = self.fresh()
        made = each_of(name(inner), to(topic), over)
        made.generators.append(ast.comprehension(to(inner), unstarred(one_of(found)), [], 0))
        return made

    def _made(self, callback: Node | None, kept: bool, pairs: bool) -> list[ast.expr]:
        """What a function gives of each."""
        last = callback
        if callback is not None and callback.type == "block":
            *first, last = inside(callback)
            self.before += self.statements(first)
            last = last.named_children[0] if last.type == "expression_statement" else last
        while last is not None and last.type == "unary_expression" and written(last, "operator") == "+":
            last = field(last, "operand")
        if last is None or kept:
            return [self.test(last)]
        if last.type in ("block", "block_statement"):
            return [self.pairs(last.named_children)]
        made = self.pairs([last]) if pairs else None
        if isinstance(made, ast.Dict):
            return [each for pair in zip(made.keys, made.values, strict=True) for each in pair if each is not None]
        return [made] if made is not None else self.all_of(last)

    def _of_sort_expression(self, node: Node) -> ast.expr:
        made, callback = called("sorted", self.sequence(field(node, "list"))), field(node, "callback")
        if callback is None:
            return made
        topic, turned = f"a{len(self.topics)}", False
        outer, self.sorted = self.sorted, topic
        with self.aside() as (ahead, _):
            if callback.type == "block":
                keys, turned = self._keys(callback)
            else:
                keys = [self.function_called(text_of(callback).lstrip("$"), [])]
        self.sorted = outer
        if ahead:
            function = function_of(self.fresh(), [topic], [*ahead, ast.Return(one_of(keys))])
            self.before.append(function)
            keyed(made, key=name(function.name))
        elif ast.unparse(one_of(keys)) != topic:
            keyed(made, key=lambda_of([topic], one_of(keys)))
        return keyed(made, reverse=constant(True)) if turned else made

    def _keys(self, block: Node) -> tuple[list[ast.expr], bool]:
        """What things are put in order by, and whether the other way round."""
        *first, last = inside(block)
        self.before += self.statements(first)
        clauses = _clauses(last.named_children[0])
        compares = [written(each, "operator") in ("<=>", "cmp") for each in clauses]
        keys = [field(each, "left") if of else each for each, of in zip(clauses, compares, strict=True)]
        return [*map(self.value, keys)], "$b" in written(clauses[0], "left")


_TEXTS = ("string_literal", "interpolated_string_literal")


def _sign(node: Node) -> str:
    return "%" if field(node, "hash") is not None else "@"


def _in(made: ast.expr) -> ast.expr:
    """Whether it is in there."""
    return put("b in a", made.value, made.slice) if isinstance(made, ast.Subscript) else made


def _between(node: Node) -> str:
    """What stands between the quotes; the content of a text begins behind its blanks."""
    if node.child_count < 2:
        return text_of(node)
    named = node.children[0].type in ("q", "qq") and node.child_count > 2
    first, last = node.children[int(named)].end_byte - node.start_byte, node.children[-1].start_byte - node.start_byte
    return (node.text or b"")[first:last].decode("utf-8", "replace")


def _bare(node: Node) -> Node:
    """What stands in parentheses."""
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    return node


def _flat(node: Node | None) -> list[Node]:
    """What stands in a list."""
    if node is None or node.is_extra:
        return []
    return [one for each in node.named_children for one in _flat(each)] if node.type in _GROUPED else [node]


def _targets(node: Node) -> list[Node]:
    """What is given a value."""
    if node.type in ("variable_declaration", "localization_expression"):
        return [one for each in node.named_children for one in _targets(each)]
    return _flat(node)


def _root(node: Node | None) -> Root | None:
    """The name that something belongs to."""
    return _chain(node)[0]


def _roots(nodes: Sequence[Node]) -> list[Root]:
    return [root for each in nodes if (root := _root(each)) is not None]


def _operands(node: Node) -> list[Root]:
    """Names that are an operand."""
    inner = _bare(node)
    return _roots([inner]) if inner.type == "scalar" or inner.type in _ELEMENTS else []


def _chain(node: Node | None) -> tuple[Root | None, int]:
    """The name that something belongs to, or the written key of a mapping, and how deep inside it is."""
    depth = 0
    while node is not None and node.named_children:
        kind, inner, sign = node.type, node.named_children[0], _SIGNS.get(node.type)
        if kind in _ELEMENTS:
            key = field(node, "key")
            if key is not None and key.type in ("autoquoted_bareword", "string_literal"):
                return (".", text_of(key).strip("'\"")), depth
            depth, node = depth + 1, inner
            if node.type != "container_variable":
                continue
            sign, inner = _ELEMENTS[kind], node.named_children[0]
        if sign is not None:
            if inner.type != "varname":
                return None, 0
            if not inner.named_children:
                return (sign, text_of(inner)), depth
            node = inner.named_children[0]  # `@$x`, `@{ … }`
        elif kind == "variable_declaration" or len(node.named_children) == 1:
            wraps = ("variable_declaration", "block", "expression_statement", "parenthesized_expression")
            node = inner if kind in wraps else None
        else:
            return None, 0
    return None, 0


def _reads(node: Node | None, known: set[Root]) -> bool:
    """Whether something was read, which is a text."""
    if node is None:
        return False
    kind, inner, left = node.type, node.named_children, field(node, "left")
    if kind in ("readline_expression", "match_regexp"):
        return True
    if kind == "scalar":
        return text_of(node)[1:].isdigit() or ("$", text_of(node)[1:]) in known
    if kind in _ELEMENTS or _KINDS.get(kind) == "@":
        return _root(node) in known
    if kind in ("list_expression", "parenthesized_expression"):
        return any(_reads(each, known) for each in inner)
    if kind in (*_CALLED, "function"):
        named = written(node, "function") or text_of(node)
        passes = named in ("shift", "pop", "reverse", "sort", "scalar", "lc", "uc", "substr", "chomp")
        return named in ("split", "readline") or (passes and any(_reads(each, known) for each in inner))
    if kind in ("map_grep_expression", "sort_expression"):
        return _reads(field(node, "list"), known) and (kind == "sort_expression" or "split" in text_of(node))
    if kind == "conditional_expression":
        return any(_reads(field(node, each), known) for each in ("consequent", "alternative"))
    joins = kind == "lowprec_logical_expression" or written(node, "operator") in ("||", "//")
    return (kind in _LOGICAL and joins and _reads(left, known)) or (kind == "binary_expression" and _is_match(node))


_SPANNED = re.compile(r"(?<![\w.\"'])(\d+)\.\.(?=[$@\w(])")
"""`0..$n-1`, whose first point would be taken for that of a number, and what follows for less than all of it."""


def _is_range(node: Node) -> bool:
    """`1..n`, whose first point is taken for that of the number."""
    left = written(node, "left")
    return written(node, "operator") == "." and left.endswith(".") and left[:-1].isdigit()


def _is_match(node: Node) -> bool:
    """`$x =~ /…/`."""
    right = field(node, "right")
    return right is not None and written(node, "operator") in ("=~", "!~") and right.type not in _CHANGES


def _is_text(value: ast.expr) -> bool:
    """Whether it is what was read itself, or a part of it."""
    return isinstance(value, (ast.Name, ast.Attribute)) or _is_read(value)


def _is_read(value: ast.expr) -> bool:
    """Whether it is a part of what a pattern found, or a line."""
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and value.value.id == "__m"
    return isinstance(value, ast.Call) and _last(value) in ("readline", "read", "pop", "strip", "next")


def _replacement(node: Node) -> Node | None:
    """What stands in the place of what was found."""
    return next((each for each in node.named_children if each.type == "replacement"), None)


def _modifiers(node: Node | None) -> str:
    return written(node, "modifiers")


def _clauses(node: Node) -> list[Node]:
    """Comparisons one after the other."""
    node = _bare(node)
    if node.type not in _LOGICAL or written(node, "operator") not in ("||", "or"):
        return [node]
    return [*_clauses(must(node, "left")), *_clauses(must(node, "right"))]


def _sequence(found: Sequence[ast.expr]) -> ast.expr:
    """All of these, to be gone through."""
    return unstarred(found[0]) if len(found) == 1 and isinstance(found[0], ast.Starred) else list_of(found)


def _last(call: ast.expr) -> str:
    """The name of what is called."""
    return ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""


def _parted(made: ast.stmt) -> list[ast.stmt]:
    """`a, b = c, d` as two."""
    if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Tuple) and isinstance(made.value, ast.Tuple):
        return [assigned(*pair) for pair in zip(made.targets[0].elts, made.value.elts, strict=False)]
    return [made]
