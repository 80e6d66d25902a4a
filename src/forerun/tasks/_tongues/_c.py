"""C."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar

from tree_sitter import Node

from forerun.tasks._searching import otherwise
from forerun.tasks._tongues._braced import field, length, listed, printed, unquoted
from forerun.tasks._tongues._conditions import kept
from forerun.tasks._tongues._declared import Declared, bare, below, from_table, let, list_of, sides
from forerun.tasks._tongues._kinds import NOTHING, Kind
from forerun.tasks._tongues._macros import unfolded
from forerun.tasks._tongues._translator import (
    TONGUE,
    assigned,
    binary,
    called,
    compared,
    constant,
    function_of,
    method,
    name,
    negated,
    path,
    spelt,
    subscript,
    text_of,
)
from forerun.tasks._tongues._typed import children, for_each, marked, name_of, needed, spread, written
from forerun.tasks._tongues._untyped import typed
from forerun.tasks._trees import parsed

_CHARACTER = frozenset("getchar getchar_unlocked getc fgetc getc_unlocked".split())
_OUTPUT = frozenset("printf puts putchar fputs fprintf fwrite putc fputc perror putchar_unlocked".split())
_MATHS = frozenset(
    "sqrt sin cos tan asin acos atan atan2 exp log log2 log10 pow hypot floor ceil cbrt sqrtf sinf cosf expf logf powf"
    " floorf ceilf fmod round lround llround trunc exp2 log1p expm1 sinh cosh tanh".split()
)
_LIKE = {"round": "floor", "lround": "floor", "llround": "floor", "cbrt": "sqrt", "log1p": "log"}
_LIBRARY = spread({
    "free fflush srand setvbuf assert fclose close exit_handler va_start va_end setlocale __builtin_prefetch":
    "None",
    "atoi atol atoll strtol strtoll strtoul strtoull stoi stol stoll stoull": "int(A)",
    "atof strtod stod stof strtof": "float(A)", "abs labs llabs fabs fabsf": "abs(A)",
    "getenv secure_getenv": "0",
    "isdigit isalpha isalnum isspace isupper islower ispunct isxdigit isprint toupper tolower": "A & 255",
    "__builtin_popcount __builtin_popcountll __builtin_ctz __builtin_ctzll __builtin_clz __builtin_clzll": "A & 63",
    "fmax max": "max(A, B)", "fmin min": "min(A, B)", "strlen": "len(A)", "strdup strndup": "str(A)",
    "strcmp strncmp memcmp strcasecmp": "not A == B", "strchr strstr strrchr": "A.find(B)", "exit": "sys.exit()",
    "memset": "_tongue.fill(A, C, B)", "memcpy memmove strncpy": "_tongue.copy(A, B, C)",
    "strcat": "_tongue.joined(A, B)", "strcpy": "_tongue.copy(A, B)",
    "rand random lrand48 arc4random": "random.randrange(0, 2147483647)",
    "qsort": "A.sort(key=lambda __x: D(__x, __x))", "bsearch": "bisect.bisect(B, A)",
    "clock time clock_gettime gettimeofday": "time.monotonic()",
})  # fmt: skip
"""Functions as Python says them."""
_TAKEN = re.compile(r"\(?(\w+)=\*(\w+)\+\+\)?(?:!=(?:'\\0'|0))?")
_MARK = re.compile(r"%([-+# 0]*)(\d*)(\.\d+)?(?:hh?|ll?|[zjtL])?([a-zA-Z%])")
"""Of a format."""
_MEASURED = re.compile(r"\bstrlen\s*\(\s*(\w+)\s*\)")
_THINGS = ("struct_specifier", "union_specifier", "class_specifier")
_POINTED = ("pointer_declarator", "abstract_pointer_declarator")
_ARRAYS = ("array_declarator", "abstract_array_declarator")
_NAMES = ("identifier", "field_identifier", "type_identifier", "qualified_identifier")
_KEPT = ("init_declarator", "assignment_expression", "argument_list")
"""Where a place in an array is given a name."""
_LACKING = ("exit", "abort", "perror", "stderr", "return 1", "return -1")
_LETTERS = (*_CHARACTER, "fread", "buf", "*p", "gc(", "nextchar", "read_char", "next_char")
_READ = ("scanf", "fgets", "getline", *_CHARACTER)
_PLACES = re.compile(r"&\s*(?P<of>\w+)\s*\[([^][]+)\]\s*(?:[=!]=|[<>]=?)\s*&\s*(?P=of)\s*\[([^][]+)\]")
"""`&rows[i] == &rows[n]` asks for places."""
_ENDS = ("EOF", "NULL", "stdin", "-1", "0", "'\\n'", "1", "2", "3")

_ARRAYED = re.compile(
    r"\b(?=(\w+)\s+\w+\s*\[)"
    r"|\b(?=(\w+)\s*\*\s*\w+\s*=[^;]*alloc\w*\((?!\s*1\s*,)[^;]*(?:,|(?<!sizeof)(?<!sizeof )(?<!sizeof\()\*))"
    r"|(?=(?:vector|deque|array)\s*<\s*(\w+))"
)
"""Where a type stands that an array or a list is of: `Node all[9]`, `Node *all = malloc(n * …)`, `vector<Node>`."""

_SINGLY = re.compile(
    r"\b(?:malloc|calloc)\s*\(\s*(?:1\s*,\s*)?sizeof\s*"
    r"(?:\(\s*(?:struct\s+)?(\w+)\s*\)|\*\s*(\w+)|\(\s*\*\s*(\w+)\s*\))\s*\)"
    r"|\b(?:new|make_(?:unique|shared)\s*<)\s*(\w+)\b(?!\s*\[)"
)
"""Where one thing is asked for by itself: by its type, or by a name that is a pointer to it."""
_HEAD, _CHUNK, _LEAST = 8.0, 16.0, 32.0
"""Bytes that are kept of what `malloc` gives, of which all that it gives is a multiple, and that it takes at least."""


class C(Declared):
    """Programs of one file."""

    language: ClassVar[str] = "c"
    constants: ClassVar[dict[str, object]] = {
        "EOF": -1, "NULL": None, "RAND_MAX": 2**31 - 1, "INT_MAX": 2**31 - 1, "INT_MIN": -(2**31), "argc": 1,
        "LONG_MAX": 2**63 - 1, "UINT_MAX": 2**32 - 1, "SIZE_MAX": 2**64 - 1, "UINT64_MAX": 2**64 - 1, "DBL_MAX": 1e308,
        "INT64_MAX": 2**63 - 1, "INT32_MAX": 2**31 - 1, "UINT32_MAX": 2**32 - 1, "M_PI": 3.141592653589793,
        "CLOCKS_PER_SEC": 1000000, "LLONG_MIN": -(2**63), "LONG_MIN": -(2**63), "INFINITY": 1e308,
        "ULLONG_MAX": 2**64 - 1, "LLONG_MAX": 2**63 - 1,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.names = dict[str, Kind]()
        """Types that were given a name."""
        self.told = set[str]()
        """Structures of which it was said what they hold."""
        self.regrown, self.counted = set[str](), set[str]()
        """Names of arrays that become longer, and of what says how much they have."""
        self.grown_by = dict[str, Node]()
        """Which array has one more where a name counts on; not of those that are given each one as a whole."""
        self.ending = 0
        """Whether it is asked how long a loop goes on."""

    def prepared(self, text: str) -> str:
        text = unfolded(kept(text, self.language))
        return typed(text) if self.language == "c" else text

    def program(self, root: Node) -> list[ast.stmt]:
        self.text = text_of(root)
        for node in below(root, "call_expression"):
            if text_of(field(node, "function")) == "realloc" and (given := children(field(node, "arguments"))):
                asks = [needed(each, "condition") for each in around(node, "if_statement", "while_statement")]
                if asks:
                    self.regrown.add(_last(given[0]))
                    names = {*map(_last, below(asks[0], "identifier", "field_identifier"))}
                    self.counted |= names
                    own = re.escape(_last(given[0]))
                    if not re.search(rf"\b{own}\s*\[[^][]*\b(?:{'|'.join(names)})\b[^][]*\]\s*=[^=]", self.text):
                        self.grown_by |= dict.fromkeys(names, given[0])
        for node in below(root, "function_definition"):
            declarator = function_declarator(node)
            named = text_of(field(declarator, "declarator")) if declarator is not None else ""
            self.known.add(named)
            if named != "main":
                self.reads(named, text_of(field(node, "body")), *_LETTERS)
        body = self.statements(root.named_children)
        return [*body, *[ast.Expr(called("main"), lineno=root.end_point[0] or 1)] * ("main" in self.known)]

    # Types.

    def declared(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        text = text_of(node)
        if node.type == "type_descriptor":
            kind = self.declared(field(node, "type"))
            return Kind("pointer", (kind,)) if field(node, "declarator") is not None else kind
        if node.type in _THINGS:
            if (body := field(node, "body")) is not None:
                self.thing(name_of(node) or self.fresh(), body)
            return Kind(name_of(node))
        if node.type == "enum_specifier":
            self.enumerated(node)
            return Kind("int")
        if node.type == "sized_type_specifier":
            plain = next((each for each in ("char", "double", "short", "long") if each in text), "int")
            return Kind({"long": "uint64_t", "int": "unsigned"}.get(plain, plain) if "unsigned" in text else plain)
        return self.names.get(text, Kind(text))

    def thing(self, named: str, body: Node | None) -> None:
        """The fields of a structure."""
        found = self.fields.setdefault(named, {})
        for each in children(body):
            if each.type == "field_declaration":
                kind = self.declared(field(each, "type"))
                found.update(self.declarator(one, kind) for one in each.children_by_field_name("declarator"))

    def enumerated(self, node: Node) -> None:
        """Names that stand for numbers."""
        count = 0
        for each in children(field(node, "body")):
            if each.type == "enumerator":
                value = field(each, "value")
                made = self.value(value) if value is not None else constant(count)
                if isinstance(made, ast.Constant) and isinstance(made.value, int):
                    count = made.value
                self.before.append(let(name_of(each), made))
                count += 1

    def declarator(self, node: Node | None, kind: Kind) -> tuple[str, Kind]:
        """The name that is declared, and its type."""
        while node is not None and node.type not in _NAMES:
            if node.type in _ARRAYS:
                sizes = list[ast.expr]()
                while node is not None and node.type in _ARRAYS:
                    size = field(node, "size")
                    sizes.append(self.value(size) if size is not None else constant(0))
                    node = field(node, "declarator")
                for count in sizes:
                    kind = Kind("array", (kind,), count)
                continue
            if node.type in _POINTED:
                kind = Kind("pointer", (kind,))
            elif node.type == "function_declarator":
                kind = Kind("function", (kind,))
            node = _within(node)
        return text_of(node), kind

    def made(self, kind: Kind) -> ast.expr | None:
        """What a name holds that is declared so and given nothing; None where it is no container or thing."""
        if kind.name == "array" and kind.size is not None:
            return self.several(kind.size, kind.one)
        return called(kind.name) if kind.name in self.fields else None

    def begun(self, kind: Kind) -> ast.expr:
        """What a field holds that is declared so and given nothing."""
        return self.made(kind) or constant(None if not kind.scalar else 0.0 if kind.floating else 0)

    def several(self, count: ast.expr, kind: Kind) -> ast.expr:
        """An array of so many of these."""
        if kind.name == "char":
            return called("bytearray", count)
        if (one := self.made(kind)) is not None:
            return listed(count, one, several=True)
        return called("_tongue.filled", count, constant(0.0 if kind.floating else 0), constant(kind.wide))

    # Declarations.

    def _do_preproc_def(self, node: Node) -> list[ast.stmt]:
        text = text_of(field(node, "value")).strip()
        value = self.parsed(text) if text else None
        return [let(name_of(node), value)] if value is not None else []

    def _do_preproc_function_def(self, node: Node) -> list[ast.stmt]:
        names = [text_of(each) for each in children(field(node, "parameters"))]
        with self.scope():
            self.scopes[-1].update(dict.fromkeys(names, NOTHING))
            value = self.parsed(text_of(field(node, "value")).strip())
        if value is None:
            return []
        self.known.add(name_of(node))
        return [function_of(spelt(name_of(node)), [*map(spelt, names)], [ast.Return(value)])]

    def parsed(self, text: str) -> ast.expr | None:
        """What an expression gives that stands in a text by itself."""
        root = parsed(self.language, f"int __f(void) {{ return ({text}); }}").root_node
        returned = next(below(root, "return_statement"), None)
        return self.value(returned.named_children[0]) if returned is not None and not root.has_error else None

    def _do_preproc_ifdef(self, node: Node) -> list[ast.stmt]:
        return self.statements(each for each in node.named_children if each.type not in ("identifier", "preproc_else"))

    _do_preproc_if = _do_preproc_ifdef

    def _do_preproc_call(self, node: Node) -> list[ast.stmt]:
        return []

    def _do_type_definition(self, node: Node) -> list[ast.stmt]:
        of = needed(node, "type")
        kind = self.declared(of)
        for each in node.children_by_field_name("declarator"):
            named, own = self.declarator(each, kind)
            if of.type in _THINGS and not kind.name:  # `typedef struct { … } T`
                self.thing(named, field(of, "body"))
                own = Kind(named)
            if own.name != named:
                self.names[named] = own
        return self.classes()

    def classes(self) -> list[ast.stmt]:
        """Structures of which nobody has said yet what they hold."""
        new = [each for each in self.fields if each not in self.told]
        self.told |= {*new}
        return [self.structure(each, self.fields[each]) for each in new]

    def structure(self, named: str, fields: dict[str, Kind]) -> ast.stmt:
        """A class with what its fields begin with."""
        body: list[ast.stmt] = [assigned(path("self", each), name(each)) for each in fields]
        start = function_of("__init__", ["self", *fields], body)
        start.args.defaults = [self.empty(key, kind) or self.begun(kind) for key, kind in fields.items()]
        return ast.ClassDef(named, [], [], [self.sized(named, fields), start], [])

    def sized(self, named: str, fields: dict[str, Kind]) -> ast.stmt:
        """Bytes of a thing; where it stands in arrays itself, those of a place in a list are among them, where it is
        asked for by itself, those that are kept of that."""
        size = sum(map(self.extent, fields.values()))
        size = size if size <= 8 else math.ceil(size / 8) * 8
        if named in self._arrayed:
            size -= 8.0
        elif named in self._alone:
            size = max(math.ceil((size + _HEAD) / _CHUNK) * _CHUNK, _LEAST)
        return assigned(name("__size__"), constant(max(size, 0.0)))

    @cached_property
    def _arrayed(self) -> frozenset[str]:
        """Types that stand in arrays themselves."""
        return frozenset(named for each in _ARRAYED.findall(self.text) for named in each)

    @cached_property
    def _alone(self) -> frozenset[str]:
        """Types of things that are asked for one by one."""
        found = _SINGLY.findall(self.text)
        names = {name for one in found for name in one[1:3] if name}
        pointed = re.findall(r"\b(\w+)\s*\*\s*(\w+)\b", self.text) if names else ()
        return frozenset(
            [name for one in found for name in (one[0], one[3])] + [of for of, name in pointed if name in names]
        )

    def extent(self, kind: Kind) -> float:
        """Bytes of a value that stands in its place itself, as far as that is told."""
        if kind.name == "array":
            count = kind.size.value if isinstance(kind.size, ast.Constant) else 1
            return self.extent(kind.one) * (count if isinstance(count, int) and kind.one.name == "char" else 1)
        if kind.name in self.fields:
            return sum(map(self.extent, self.fields[kind.name].values()))
        return kind.bytes if kind.scalar else 8.0

    def _do_struct_specifier(self, node: Node) -> list[ast.stmt]:
        self.declared(node)
        return self.classes()

    _do_union_specifier = _do_enum_specifier = _do_struct_specifier

    def _do_declaration(self, node: Node) -> list[ast.stmt]:
        kind = self.declared(field(node, "type"))
        made = self.classes()
        for each in node.children_by_field_name("declarator"):
            begun = each.type == "init_declarator"
            inner, value = (field(each, "declarator"), field(each, "value")) if begun else (each, None)
            made += self.introduced(inner, kind, value)
        return made

    def introduced(self, node: Node | None, kind: Kind, value: Node | None) -> list[ast.stmt]:
        """One of the names that a declaration has; none where it is a function's."""
        named, own = self.declarator(node, kind)
        if own.name == "function":
            return self.declaration(named, NOTHING, value) if value is not None else []
        return self.declaration(named, own, value)

    def declaration(self, named: str, kind: Kind, value: Node | None) -> list[ast.stmt]:
        """A name that is declared, and what it is given."""
        if len(self.scopes) == 1:
            self.globals.add(named)
        self.declare(named, kind)  # `T *rows = malloc(n * sizeof *rows)` speaks of itself
        found = self.made(kind) if value is None else self.filled(kind, value)
        if value is None or _nothing(found):
            found = self.empty(named, kind) or found
        if found is None and kind.scalar and len(self.scopes) == 1:
            found = constant(0)
        return [let(named, found)] if found is not None else []

    def filled(self, kind: Kind, value: Node) -> ast.expr:
        """What a name is given that is declared so."""
        if value.type == "initializer_list":
            inner, size = children(value), kind.size
            if kind.name in self.fields:
                return self.thing_of(kind, inner)
            if kind.name == "array":
                empty = isinstance(size, ast.Constant) and size.value == 0
                if not empty and size is not None and len(inner) <= 1:
                    return self.several(size, kind.one)
                return list_of(*[self.filled(kind.one, each) for each in inner])
            return self.value(inner[0]) if len(inner) == 1 else list_of(*self.values(inner))
        found = self.value(value)
        if (made := self.allocated(found, kind)) is not None:
            return made
        if kind.whole and self.type_of(value).floating:
            return called("int", found)
        return self.limited(found, kind) if isinstance(found, ast.BinOp) else found

    def thing_of(self, kind: Kind, values: list[Node]) -> ast.expr:
        """A structure whose fields are written out."""
        made, fields = called(kind.name), self.fields[kind.name]
        for named, each in zip([*fields, *[""] * len(values)], values, strict=False):
            paired = each.type == "initializer_pair"
            key = text_of(field(each, "designator")).lstrip(".") if paired else named
            value = needed(each, "value") if paired else each
            if key in fields:
                given = self.filled(fields[key], value)
                given = (self.empty(key, fields[key]) if _nothing(given) else None) or given
                made.keywords.append(ast.keyword(key, given))
        return made

    def empty(self, named: str, kind: Kind) -> ast.expr | None:
        """An array that has nothing yet and becomes longer; None of others."""
        return self.several(constant(0), kind.one) if kind.name == "pointer" and named in self.regrown else None

    def allocated(self, value: ast.expr, kind: Kind) -> ast.expr | None:
        """What `malloc` gives, as its type says."""
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "asked"):
            return None
        (count, size), of = value.args, kind.one
        bytes_of = size.value if isinstance(size, ast.Constant) else None
        sizes, inner = list[ast.expr](), of
        while inner.name == "array" and inner.size is not None:
            sizes.append(inner.size)
            inner = inner.one
        if sizes:  # `double (*rows)[N] = malloc(n * N * sizeof(double))`
            for each in sizes if bytes_of == inner.bytes else ():
                count = binary(count, ast.FloorDiv, each)
        elif bytes_of == 1 and self.extent(of) > 1 and not (isinstance(count, ast.Constant) and of.name in self.fields):
            count = binary(count, ast.FloorDiv, constant(int(self.extent(of))))
        one = isinstance(count, ast.Constant) and count.value == 1
        if of.name in self.fields:
            return called(of.name) if one else listed(count, called(of.name), several=True)
        return list_of() if one and not of.scalar and of.name != "pointer" else self.several(count, of)

    def _do_function_definition(self, node: Node) -> list[ast.stmt]:
        kind, declarator = self.declared(field(node, "type")), function_declarator(node)
        made = self.classes()
        if declarator is None:
            return made
        named = text_of(field(declarator, "declarator"))
        self.gives[named] = self.declarator(field(node, "declarator"), kind)[1].one
        return [*made, self.function(named, declarator, field(node, "body"))]

    def function(self, named: str, declarator: Node, body: Node | None, own: bool = False) -> ast.FunctionDef:
        """One of the program's functions; a method where it is its class's `own`."""
        given = self.parameters(declarator)
        names = [*["self"] * own, *[each for each, _ in given]] if named != "main" else []
        with self.scope():
            self.scopes[-1].update(given)
            inside = self.inside(named, body)
        made = function_of(named if own else spelt(named), [*map(spelt, names)], inside)
        optional = [each for each in children(field(declarator, "parameters")) if field(each, "default_value")]
        made.args.defaults = [self.value(field(each, "default_value")) for each in optional] if names else []
        return made

    def parameters(self, declarator: Node | None) -> list[tuple[str, Kind]]:
        """What a function is given."""
        given = children(field(declarator, "parameters")) if declarator is not None else []
        kinds = ("parameter_declaration", "optional_parameter_declaration")
        plain = [each for each in given if each.type in kinds]
        pairs = [self.declarator(field(each, "declarator"), self.declared(field(each, "type"))) for each in plain]
        return [(named, kind) for named, kind in pairs if named]

    # Statements.

    def _do_switch_statement(self, node: Node) -> list[ast.stmt]:
        return self.switched(self.value(field(node, "condition")), self._labelled(field(node, "body")))

    def _labelled(self, body: Node | None) -> Iterator[tuple[list[ast.expr], bool, list[ast.stmt]]]:
        for each in children(body):
            if each.type == "case_statement":
                value = field(each, "value")
                labels = [self.value(value)] if value is not None else []
                yield labels, value is None, self.statements(one for one in each.named_children if one != value)

    def statements(self, nodes: Iterable[Node]) -> list[ast.stmt]:
        """One after the other; from a label to what goes back there is a loop."""
        rest, made = list(nodes), list[ast.stmt]()
        while rest:
            node = rest.pop(0)
            labelled = node.type == "labeled_statement"
            back = next((at for at, each in enumerate(rest) if _goes_back(node, each)), None) if labelled else None
            if back is None:
                made += self.statement(node)
                continue
            ahead = [each for each in node.named_children if each.type != "statement_identifier"]
            body = self.statements([*ahead, *rest[:back]])
            asks = self.statement(rest[back])[:-1]  # what the condition does beside
            test = self.test(field(rest[back], "condition"))
            loop = ast.While(constant(True), [*body, *asks, ast.If(otherwise(test), [ast.Break()], [])], [])
            loop.lineno = node.start_point[0] + 1
            made, rest = [*made, loop], rest[back + 1 :]
        return made

    def _do_goto_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Break()] if any(around(node, "for_statement", "while_statement", "do_statement")) else []

    def _do_while_statement(self, node: Node) -> list[ast.stmt]:
        """`while (*p) … *p++` goes through a text."""
        text = text_of(field(node, "condition")).strip("()").replace(" ", "")
        named = text.removeprefix("*").removesuffix("!='\\0'").removesuffix("!=0")
        moves = f"{named}++" in text_of(field(node, "body")).replace(" ", "")
        if text.startswith("*") and named.isidentifier() and moves:
            return self.through(named, name(named), node)
        if taken := _TAKEN.fullmatch(text):  # `while ((c = *p++)) …`
            return [self.at(for_each(name(taken[1]), name(taken[2]), self.block(field(node, "body"))), node)]
        return self.measured(super()._do_while_statement(node), node)

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        return self.measured(super()._do_for_statement(node), node)

    def measured(self, made: list[ast.stmt], node: Node) -> list[ast.stmt]:
        """A loop whose condition asks for the length of a text that it writes to: each round goes through all of it."""
        found = _MEASURED.search(text_of(field(node, "condition")))
        loop = made[-1] if made else None
        if found and isinstance(loop, (ast.For, ast.While)):
            written = re.search(rf"\b{found[1]}\s*\[[^]]*\]\s*(?:[-+*/%&|^]|<<|>>)?=[^=]", text_of(field(node, "body")))
            if written:
                loop.body.insert(0, ast.Expr(called("_tongue.measured", name(found[1]))))
        return made

    def through(self, named: str, over: ast.expr, node: Node) -> list[ast.stmt]:
        """A loop in which a name stands for one element after the other."""
        self.elements.add(named)
        body = [each for each in self.block(field(node, "body")) if not _goes_on(each, named)]
        self.elements.discard(named)
        return [self.at(for_each(name(named), over, body), node)]

    def pointed(self, node: Node, start: list[ast.stmt]) -> list[ast.stmt] | None:
        """`for (p = s; *p; p++)`, `for (h = 0; *s; s++)`."""
        named, condition = text_of(field(node, "update")).replace("++", ""), text_of(field(node, "condition"))
        steps = text_of(field(node, "update")) in (f"{named}++", f"++{named}") and named.isidentifier()
        if not steps or condition not in (f"*{named}", f"*{named} != '\\0'", f"*{named} != 0"):
            return None
        begun = [one for one in start if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == named]
        over = begun[0].value if begun and isinstance(begun[0], ast.Assign) else name(named)
        return [*(one for one in start if one not in begun), *self.through(named, over, node)]

    def _do_if_statement(self, node: Node) -> list[ast.stmt]:
        """Where memory lacks, nothing of all this happens."""
        text = text_of(field(node, "condition")).strip("()").replace(" ", "")
        named = text.removeprefix("!").removesuffix("==NULL").removesuffix("==nullptr")
        lacks = text != named and self.kind(named).name in ("pointer", "array")
        then = text_of(field(node, "consequence"))
        return [] if lacks and any(each in then for each in _LACKING) else super()._do_if_statement(node)

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        if operator == "=" and left.type == "subscript_expression":
            owner, key = field(left, "argument"), field(left, "index", "indices")
            key = key.named_children[0] if key is not None and key.type == "subscript_argument_list" else key
            if _last(owner) in self.regrown and _last(key) in self.counted:  # `rows[count++] = row`
                self.value(key)
                value = self.allocated(value, self.type_of(left)) or value
                return [ast.Expr(method(self.value(owner), "append", value))]
        if operator == "=" and _nothing(value) and (made := self.empty(_last(left), self.type_of(left))) is not None:
            return [assigned(self.value(left), made)]
        return super().assign(left, operator, self.allocated(value, self.type_of(left)) or value)

    def _effect_update_expression(self, node: Node) -> list[ast.stmt]:
        """`rows[count].x = x; count++`: the array has one more then."""
        made, counted = super()._effect_update_expression(node), _last(node)
        if counted not in self.grown_by or "++" not in text_of(node):
            return made
        array = self.grown_by[counted]
        kind = self.type_of(array).one
        return [*made, ast.Expr(method(self.value(array), "append", self.begun(kind)))] if kind.name else made

    def asked(self, condition: Node) -> ast.expr:
        self.ending += 1
        made = super().asked(condition)
        self.ending -= 1
        return made

    def test(self, node: Node | None) -> ast.expr:
        """Of loops, `s[i]` and `s[i] != 0` ask whether a text ends there."""
        inner = node = bare(node)
        if inner is not None and inner.type == "binary_expression":
            left, operator, right = sides(inner)
            if operator == "&&":
                return self.operation(self.test(left), "&&", self.test(right))
            inner = left if operator == "!=" and text_of(right) in ("'\\0'", "0") else inner
        if self.ending and inner is not None and inner.type == "subscript_expression":
            owner, key = field(inner, "argument"), field(inner, "index", "indices")
            kind = self.type_of(owner)
            if kind.name == "string" or (kind.name in ("array", "pointer") and kind.one.name == "char"):
                return compared(self.value(key), ast.Lt, length(self.value(owner)))
        return self.value(node)

    # Expressions.

    def _of_sizeof_expression(self, node: Node) -> ast.expr:
        if (inner := field(node, "type")) is not None:
            return constant(int(self.extent(self.declared(inner))) or 8)
        inside = bare(node.named_children[-1])
        points = inside is not None and inside.type == "pointer_expression"
        kind = self.type_of(inside).one if points else self.type_of(inside)
        if kind.name == "array" and kind.size is not None:
            count = kind.size if points else length(self.value(inside))
            return binary(count, ast.Mult, constant(int(self.extent(kind.one)) or 8))
        return constant(int(self.extent(kind)) or 8)

    def _of_pointer_expression(self, node: Node) -> ast.expr:
        inner = field(node, "argument")
        value, kind = self.value(inner), self.type_of(inner)
        held = kind.one.scalar or kind.one.name in ("pointer", "array")
        if node.children[0].type == "&" or (isinstance(value, ast.Name) and value.id in self.elements) or not held:
            return value
        return subscript(value, constant(0)) if kind.name in ("pointer", "array") else value

    def _of_compound_literal_expression(self, node: Node) -> ast.expr:
        return self.filled(self.declared(field(node, "type")), needed(node, "value"))

    def _of_initializer_list(self, node: Node) -> ast.expr:
        return list_of(*self.values(children(node)))

    def _of_initializer_pair(self, node: Node) -> ast.expr:
        return self.value(field(node, "value"))

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, given = needed(node, "function"), children(field(node, "arguments"))
        named = text_of(function)
        if function.type == "identifier" and named in self.known:
            return called(spelt(named), *[self._lent(each) or self.value(each) for each in given])
        made = self.library(named, given) if function.type == "identifier" else None
        return made or called(self.value(function), *self.values(given))

    def _lent(self, node: Node) -> ast.expr | None:
        """`&n` of a number, which a function gives another value; None of others."""
        inner = field(node, "argument") if node.type == "pointer_expression" and node.children[0].type == "&" else None
        if inner is None or inner.type != "identifier" or not self.type_of(inner).scalar:
            return None
        place = self.held(called(f"{TONGUE}.place", self.value(inner)))
        self.after.append(assigned(self.value(inner), subscript(place, constant(0))))
        return place

    def library(self, named: str, given: list[Node]) -> ast.expr | None:
        """What a function of the language's own gives; None of others."""
        if named in ("scanf", "fscanf", "scanf_s", "sscanf"):
            return self.scanned(named, given)
        if named in ("fgets", "gets", "getline"):
            return self.read_line(named, given)
        if named in _CHARACTER:
            return self.letter()
        if named == "mmap" and len(given) > 3 and "MAP_ANON" in text_of(given[3]):
            return called("_tongue.asked", *self.parted_size(given[1]))
        if named in ("malloc", "calloc", "realloc", "aligned_alloc", "alloca"):
            return self.memory(named, given)
        values = self.values(given)
        if named in _OUTPUT:
            return printed(*values)
        if named in _MATHS:
            return called(f"math.{_LIKE.get(named, named.removesuffix('f'))}", *values)
        if named in ("strcpy", "strncpy") and isinstance(values[0], (ast.Attribute, ast.Subscript, ast.Name)):
            return self.done(assigned(values[0], values[1]))
        if named in ("snprintf", "sprintf"):
            at = 1 if named == "sprintf" else 2
            told = self.formatted(given[at : at + 1], values[at + 1 :])
            return self.done(assigned(values[0], ast.JoinedStr(told or [constant("")])), 1)
        if named == "strtok":  # the first call parts a text, the others give what comes next
            if not (isinstance(values[0], ast.Constant) and values[0].value is None):
                self.before.append(let("__tokens", called("iter", method(values[0], "split"))))
                self.globals.add("__tokens")
            return called("next", name("__tokens"))
        if named == "fread" and text_of(given[-1]) == "stdin":
            behind = isinstance(values[0], ast.BinOp)  # `fread(data + n, 1, left, stdin)`
            place = values[0].left if isinstance(values[0], ast.BinOp) else values[0]
            self.before.append(assigned(place, called("sys.stdin.read")))
            return length(place if behind else self.value(given[0]))
        return from_table(_LIBRARY, named, *values)

    def formatted(self, form: list[Node], values: list[ast.expr]) -> list[ast.expr]:
        """The parts of a text that is written by a format."""
        rest = iter(values)

        def filled(mark: re.Match[str]) -> ast.expr | None:
            value = next(rest, None) if mark[4] != "%" else None
            shape = f"{mark[2]}{mark[3] or ''}"
            shape += mark[4] if shape and mark[4] in "fxd" else ""
            return marked(value, f"{'0' if '0' in mark[1] else ''}{shape}") if value is not None else None

        text = unquoted(text_of(form[0])) if form and form[0].type == "string_literal" else ""
        return [*written(text, _MARK, filled), *map(marked, rest)]

    def memory(self, named: str, given: list[Node]) -> ast.expr:
        """So many of what its type will say, each of so many bytes as is said here."""
        if named == "realloc":
            return self.value(given[0])
        return called("_tongue.asked", *(self.values(given) if named == "calloc" else self.parted_size(given[-1])))

    def parted_size(self, node: Node | None) -> tuple[ast.expr, ast.expr]:
        """Of `n * sizeof(T)` both sides."""
        node = bare(node)
        if node is not None and node.type == "sizeof_expression":
            return constant(1), self.value(node)
        if node is None or node.type != "binary_expression" or "sizeof" not in text_of(node):
            return self.value(node), constant(1)
        left, operator, right = sides(node)
        if operator == "+" and "sizeof" not in text_of(left):  # some bytes, and one more
            return self.value(node), constant(1)
        if operator != "*":
            return constant(1), constant(8)  # one, and what stands behind it
        one, other = (left, right) if "sizeof" in text_of(left) else (right, left)
        count, size = self.parted_size(one)
        whole = isinstance(count, ast.Constant) and count.value == 1
        return (self.value(other) if whole else binary(self.value(other), ast.Mult, count)), size

    def scanned(self, named: str, given: list[Node]) -> ast.expr:
        """`scanf`: a word for each place."""
        ahead = 1 if named in ("scanf", "scanf_s") else 2
        form, stream = unquoted(text_of(given[ahead - 1])), ""
        if named == "sscanf":
            source, stream = self.value(given[0]), self.fresh()
            self.before.append(let(stream, called("_tongue.scanned", source, constant(form))))
        specs = [part[:4].lstrip("0123456789*")[:2] for part in form.split("%")[1:]]
        for place, each in enumerate(given[ahead:]):
            inner = each.named_children[-1] if each.type == "pointer_expression" else each
            word = called("next", name(stream)) if stream else self.word()
            spec = specs[place] if place < len(specs) else "d"
            if spec[:1] in ("d", "u", "i", "x") or spec in ("ll", "lu", "ld", "hd", "zu"):
                word = called("int", word)
            elif spec[:1] in ("f", "g") or spec == "lf":
                word = called("float", word)
            self.before.append(assigned(self.value(inner), word))
        return constant(len(given) - ahead)

    def read_line(self, named: str, given: list[Node]) -> ast.expr:
        """A line, which is what the first argument holds then."""
        target = self.value(given[0])
        if isinstance(target, ast.Name):
            return ast.NamedExpr(ast.Name(target.id, ast.Store()), self.line())
        self.before.append(assigned(target, self.line()))
        return target

    def _of_binary_expression(self, node: Node) -> ast.expr:
        """Whether something was read is asked by reading it."""
        left, operator, right = sides(node)
        inner, text = bare(left), text_of(right)
        if places := _PLACES.fullmatch(text_of(node)):
            return self.parsed(f"{places[2]} {operator} {places[3]}") or super()._of_binary_expression(node)
        if operator == "+" and node.parent is not None and node.parent.type in _KEPT:
            kind = self.type_of(left)
            numbers = kind.name in ("pointer", "array") and kind.one.scalar and kind.one.name != "char"
            if numbers and self.type_of(right).name not in ("pointer", "array"):
                return self.value(left)  # a place in it, which is given a name
        if text not in _ENDS or inner is None or inner.type not in ("call_expression", "assignment_expression"):
            return super()._of_binary_expression(node)
        if any(word in text_of(inner) for word in _READ):
            value = self.value(inner)
            if "scanf" in text_of(inner):
                succeeds = text not in ("EOF", "-1", "0") or operator == ">"
                return constant((operator in ("==", ">=", ">")) == succeeds)
            if text == "'\\n'":
                return compared(value, ast.NotEq, constant(10))
            return value if operator in ("!=", ">", ">=") else negated(value)
        if inner.type == "call_expression" and text == "0":
            value = self.value(inner)
            if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):  # `strcmp(a, b) == 0`
                return value.operand if operator == "==" else value
        return super()._of_binary_expression(node)


def _last(node: Node | None) -> str:
    """The last name of `v->rows`, `&rows[n]` and `count++`."""
    while node is not None and node.type in ("update_expression", "parenthesized_expression", "cast_expression"):
        node = node.named_children[-1]
    return text_of(field(node, "field") if node is not None and node.type == "field_expression" else node)


def _nothing(value: ast.expr | None) -> bool:
    """`NULL`."""
    return isinstance(value, ast.Constant) and value.value in (None, 0)


def _within(node: Node) -> Node | None:
    """What a declarator is about."""
    return field(node, "declarator") or (node.named_children[-1] if node.named_children else None)


def function_declarator(node: Node) -> Node | None:
    """A function's name with what it is given."""
    found = field(node, "declarator")
    while found is not None and found.type != "function_declarator":
        found = _within(found)
    return found


def _goes_on(node: ast.stmt, named: str) -> bool:
    """`p++`."""
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == named


def around(node: Node, *kinds: str) -> Iterator[Node]:
    """Those of these kinds that it stands in."""
    while node.parent is not None:
        node = node.parent
        if node.type in kinds:
            yield node


def _goes_back(label: Node, node: Node) -> bool:
    """Whether it is `if (…) goto label;`."""
    if node.type != "if_statement" or field(node, "alternative") is not None:
        return False
    then = field(node, "consequence")
    if then is not None and then.type == "compound_statement" and then.named_child_count == 1:
        then = then.named_child(0)
    if then is None or then.type != "goto_statement":
        return False
    return text_of(field(then, "label")) == text_of(field(label, "label"))
