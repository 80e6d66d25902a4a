"""Go."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from tree_sitter import Node

from forerun.tasks._tongues._braced import appended, field, is_equal, joined, length, listed, printed, unquoted
from forerun.tasks._tongues._kinds import NOTHING, Kind
from forerun.tasks._tongues._translator import (
    COMPARED,
    added,
    assigned,
    called,
    constant,
    function_of,
    in_place,
    lambda_of,
    method,
    name,
    path,
    spelt,
    text_of,
)
from forerun.tasks._tongues._typed import (
    Typed,
    any_of,
    apart,
    asks_for,
    children,
    for_each,
    marked,
    name_of,
    needed,
    only_value,
    quiet,
    said,
    spread,
    tuple_of,
    written,
)

_FLOAT, _INT, _TEXT, _BOOL, _ERROR = map(Kind, ("float64", "int64", "string", "bool", "error"))
_LIST: Final = "list"
_PLACES: Final = (ast.Name, ast.Attribute, ast.Subscript)
_PLACE: Final = re.compile(r"\w+(?:\.\w+)?")
_WIDE: Final = {"int": "int64", "uint": "uint64", "uintptr": "uint64"}
_LIMITS: Final = {
    "MaxInt64": 2**63 - 1, "MinInt64": -(2**63), "MaxInt32": 2**31 - 1, "MinInt32": -(2**31), "MaxInt": 2**63 - 1,
    "MinInt": -(2**63), "MaxUint32": 2**32 - 1, "MaxUint64": 2**64 - 1, "Pi": 3.141592653589793, "MaxFloat64": 1e308,
    "E": 2.718281828459045, "MaxInt16": 2**15 - 1, "MaxUint8": 255, "MaxUint16": 2**16 - 1, "MaxInt8": 127,
    "Sqrt2": 1.4142135623730951, "Ln2": 0.6931471805599453, "SmallestNonzeroFloat64": 5e-324,
}  # fmt: skip
_SORTING: Final = {
    "Slice SliceStable": "A.sort(key=lambda __x: B(0, 0))",
    "SortFunc SortStableFunc": "A.sort(key=lambda __x: B(__x, __x))",
    "Ints Strings Float64s Sort Stable": "A.sort()",
    "SearchInts SearchStrings SearchFloat64s": "bisect.bisect_left(A, B)",
    "BinarySearch": "(bisect.bisect_left(A, B), True)",
}
_SAID: Final = {package: spread(table) for packages, table in {
    "": {
        "len cap": "len(A)", "delete": "A.pop(B, None)", "clear": "A.clear()", "close recover": "None",
        "complex": "A + B", "real imag": "A",
    },
    "strings bytes": {
        "NewReader": "A", "NewReplacer": "None", "Map": "''.join(map(A, B))",
        "IndexFunc ContainsFunc": "''.join(map(B, A))", "Join": "B.join(A)",
        "Contains ContainsRune ContainsAny": "B in A", "Repeat": "A * B", "Compare": "A < B", "ToLower": "A.lower()",
        "ToUpper": "A.upper()", "TrimSpace Trim TrimFunc": "A.strip()", "TrimRight": "A.rstrip()",
        "TrimLeft": "A.lstrip()", "TrimPrefix": "A.removeprefix(B)", "TrimSuffix": "A.removesuffix(B)",
        "HasPrefix EqualFold": "A.startswith(B)", "HasSuffix": "A.endswith(B)",
        "Index IndexByte IndexRune IndexAny": "A.find(B)", "LastIndex LastIndexByte": "A.rfind(B)",
        "Fields FieldsFunc": "A.split()", "Split SplitN": "A.split(B)", "Replace": "A.replace(B)",
        "ReplaceAll": "A.replace(B, C)", "Count": "A.count(B)", "Title": "A.title()",
    },
    "strconv": {"Atoi ParseInt ParseUint": "(int(A), None)", "ParseFloat ParseBool": "(float(A), None)"},
    "sort": _SORTING,
    "slices": {
        "Contains Index": "B in A", "Max": "max(A)", "Min": "min(A)", "Sorted": "sorted(A)",
        "Collect Clone": "list(A)", "Reverse": "A.reverse()", **_SORTING,
    },
    "maps": {"Keys": "A.keys()", "Values": "A.values()"},
    "heap": {"Push": "heapq.heappush(A, B)", "Pop Remove": "heapq.heappop(A)", "Init": "heapq.heapify(A)"},
    "math cmplx": {
        "Inf NaN": "1e308", "Max": "max(A, B)", "Min": "min(A, B)", "Abs": "abs(A)", "Mod Remainder": "math.fmod(A, B)",
        "Cbrt": "math.sqrt(A)", "Round": "math.floor(A)", "Atan2": "math.atan2(A, B)", "Pow": "math.pow(A, B)",
        "Hypot": "math.hypot(A, B)",
    } | {
        each.capitalize(): f"math.{each}(A)" for each in "sqrt sin cos tan asin acos atan exp log log2 log10 floor ceil"
        " trunc sinh cosh tanh expm1 log1p".split()
    },
    "bits": {
        "RotateLeft32": f"(A << B) & {2**32 - 1}", "RotateLeft RotateLeft64": f"(A << B) & {2**64 - 1}",
        "TrailingZeros TrailingZeros8 TrailingZeros16 TrailingZeros32 TrailingZeros64": "A % 3",
    },
    "rand": {
        "New NewSource Seed NewPCG": "None", "Float64 Float32": "random.random()", "NormFloat64": "random.gauss(0, 1)",
        "ExpFloat64": "random.expovariate()", "Perm": "list(range(A))",
    },
    "time": {"Now Since": "time.monotonic()"},
    "bufio": {"NewReader NewReaderSize NewScanner": "sys.stdin"},
    "csv": {"NewReader": "sys.stdin"},
    "errors": {"Is As": "False"},
    "os io ioutil": {"Exit": "sys.exit()", "ReadFile ReadAll": "(sys.stdin.read(), None)"},
    "unicode": {"IsDigit IsNumber": "A < 58", "IsSpace": "A < 33", "IsUpper": "A < 91", "IsLetter IsLower": "A < 123",
                "IsPunct": "A < 48"},
}.items() for package in packages.split() or [""]}  # fmt: skip
"""What packages have; the rest of them is `_OTHERS`."""
_OTHERS: Final = spread({
    "strconv": "str(A)", "math cmplx": "abs(A)", "bits": "A % 64", "unicode": "A", "errors": "'error'",
    "time bufio os io ioutil heap": "None", "crc32": "zlib.crc32(A)",
})  # fmt: skip
_READ: Final = frozenset("Fscan Fscanln Scan Scanln Fscanf Scanf Sscan Sscanf Sscanln".split())
_OF_TEXT: Final = r"(?:strings|bytes)\.NewReader\("
_READING: Final = {"ReadString": 2, "ReadLine": 3, "ReadBytes": 2, "ReadSlice": 2}
"""How much is given with a line."""
_IDLE: Final = frozenset("Flush Add Done Wait Lock Unlock RLock RUnlock Buffer Split Close Err Grow Seed".split())
"""Methods that do nothing that takes time."""
_ADDED: Final = frozenset("WriteString WriteByte WriteRune Write".split())
_BUILDERS: Final = frozenset("Builder Buffer".split())
_TYPES: Final[dict[str, Callable[[str], Kind]]] = spread({
    "math cmplx": lambda named: _FLOAT,
    "strings": lambda named: (
        Kind(_LIST, (_TEXT,)) if named in ("Split", "Fields", "SplitN")
        else Kind("tuple", (_TEXT, _TEXT, _BOOL)) if named == "Cut"
        else _INT if named.startswith(("Index", "Has", "Count")) else _TEXT
    ),
    "strconv": lambda named: (
        Kind("tuple", (_FLOAT if named == "ParseFloat" else _INT, _ERROR)) if named[:1] in "AP" else _TEXT
    ),
    "bufio": lambda named: Kind(named.removeprefix("New").removesuffix("Size")),
    "rand": lambda named: Kind("Rand") if named.startswith("New") else NOTHING,
    "fmt": lambda named: _TEXT if named.startswith("S") else NOTHING,
    "bits": lambda named: _INT if named[:3] not in ("Rot", "Rev") else Kind("uint64" if "64" in named else "uint32"),
    "errors": lambda named: _BOOL if named in ("Is", "As") else _ERROR,
    "csv": lambda named: Kind("csv") if named == "NewReader" else NOTHING,
})  # fmt: skip
"""What functions of packages give."""
_BEGUN: Final = {"map": "{}", "string": "''", "bool": "False"}
_MARK = re.compile(r"%([-+# 0]*)(\d*)(\.\d+)?([a-zA-Z%])")


class Go(Typed):
    """Programs of one file."""

    constants: ClassVar[dict[str, object]] = {"nil": None, "true": True, "false": False}

    def __init__(self) -> None:
        super().__init__()
        self.names = dict[str, Kind]()
        """Types that were given a name, and are no structures."""
        self.embedded = dict[str, list[str]]()
        self.own = dict[str, dict[str, Node]]()
        """Methods of types."""
        self.takes = dict[str, list[Kind]]()
        """Types of what functions of the program's own take."""
        self.there = dict[str, ast.expr]()
        """Names that say whether something was found."""
        self.listed_under = dict[str, str]()
        """Names of lists that a mapping has, if it has them, with their places there."""
        self.results: list[list[tuple[str, Kind]]] = [[]]
        """Names of what the function gives that is under way."""
        self.places = dict[str, Node]()
        """Names that point at places of lists and things."""
        self.receiver = ""
        self.takers = set[str]()
        """Functions that take from what they are given, one by one."""
        self.readers = set[str]()
        """Functions that read a number letter by letter."""
        self.iota = 0
        self._deep = 0

    # The program.

    def program(self, root: Node) -> list[ast.stmt]:
        self.text = text_of(root)
        items, made = children(root), list[ast.stmt]()
        for node in items:
            if node.type == "type_declaration":
                self._types(node)
        for node in items:
            self._survey(node)
        made += self.statements(node for node in items if node.type == "const_declaration")
        done = set[str]()
        for named in [*self.fields]:
            self._ordered(named, done, made)
        for named, methods in self.own.items():
            made += [self.method(node, named) for node in methods.values()] if named not in self.fields else []
        made += self.statements(node for node in items if node.type == "function_declaration")
        made += self.statements(node for node in items if node.type == "var_declaration")
        made += [ast.Expr(called("init"), lineno=1)] if "init" in self.known else []
        return [*made, *([ast.Expr(called("main"), lineno=root.end_point[0] or 1)] if "main" in self.known else [])]

    def _types(self, node: Node) -> None:
        found = [(name_of(each), needed(each, "type")) for each in children(node) if field(each, "type") is not None]
        for named, of in found:
            if of.type == "struct_type":
                self.fields[named] = {}
            elif of.type != "interface_type":
                self.names[named] = NOTHING
        for named, of in found:
            if of.type == "struct_type":
                self.fields[named] = self._fields(of, named)
            elif named in self.names:
                self.names[named] = self.declared(of)

    def _fields(self, node: Node, owner: str) -> dict[str, Kind]:
        found = dict[str, Kind]()
        for each in children(node.named_children[0]):
            kind, names = self.declared(field(each, "type")), each.children_by_field_name("name")
            found |= dict.fromkeys(map(text_of, names), kind)
            if not names:
                self.embedded.setdefault(owner, []).append(self.bare(kind).name)
        return found

    def _survey(self, node: Node) -> None:
        """What there is, before anything is said."""
        named, text = name_of(node), text_of(field(node, "body"))
        if node.type == "function_declaration":
            self.known.add(named)
            self.gives[named] = self._result(node)
            self.takes[named] = [kind for _, kind in self._parameters(field(node, "parameters"))]
            takes = re.search(r"(\w+) <-chan", text_of(field(node, "parameters")))
            if takes and re.search(rf"range {takes[1]}\b|<- ?{takes[1]}\b", text):
                self.takers.add(named)
        elif node.type == "method_declaration":
            owner = self._receiver(node)[1]
            self.own.setdefault(owner, {})[named] = node
            self.gives[f"{owner}.{named}"] = self._result(node)
        elif node.type in ("var_declaration", "const_declaration"):
            for each in _all(node, ("var_spec", "const_spec")):
                kind, values = self.declared(field(each, "type")), children(field(each, "value"))
                for one in (text_of(one) for one in each.children_by_field_name("name") if one.is_named):
                    self.scopes[0][one] = kind if kind.name or not values else self.type_of(values[0])
                    self.globals.add(one)
        if re.search(r"\* ?10", text) and "'0'" in text and re.search(r"ReadByte|\bbuf|Read\(", text):
            self.readers.add(named)
        self.readers.discard("main")

    def _receiver(self, node: Node) -> tuple[str, str]:
        """The name of the thing whose method it is, and its type."""
        one = needed(node, "receiver").named_children[0]
        return name_of(one), text_of(field(one, "type")).lstrip("*(").partition("[")[0].rstrip(")")

    def _result(self, node: Node) -> Kind:
        """What a function gives."""
        result = field(node, "result")
        if result is None or result.type != "parameter_list":
            return self.declared(result)
        kinds = [kind for _, kind in self._parameters(result)]
        return Kind("tuple", tuple(kinds)) if len(kinds) > 1 else kinds[0] if kinds else NOTHING

    def _parameters(self, node: Node | None) -> list[tuple[str, Kind]]:
        found = list[tuple[str, Kind]]()
        for each in children(node):
            kind = self.declared(field(each, "type"))
            kind = Kind(_LIST, (kind,)) if each.type.startswith("variadic") else kind
            found += [(text_of(one), kind) for one in each.children_by_field_name("name")] or [("", kind)]
        return found

    def _ordered(self, named: str, done: set[str], made: list[ast.stmt]) -> None:
        """A structure behind those that it consists of."""
        if named not in done:
            done.add(named)
            for base in self.embedded.get(named, ()):
                if base in self.fields:
                    self._ordered(base, done, made)
            made.append(self.structure(named))

    def structure(self, named: str) -> ast.stmt:
        """A class with what its fields begin with, and its methods."""
        bases = [each for each in self.embedded.get(named, ()) if each in self.fields]
        for base in bases:
            self.fields[named] = self.fields[named] | self.fields[base]
        fields = self.fields[named]
        methods = [self.method(node, named) for node in self.own.get(named, {}).values()]
        values = [(spelt(each), self.begun(kind)) for each, kind in fields.items()]
        plain = fields and all(kind.scalar or kind.name == "string" for kind in fields.values())
        body: list[ast.stmt]
        if plain and f"map[{named}]" in self.text:  # it is a key
            body = [ast.AnnAssign(ast.Name(each, ast.Store()), name("int"), value, 1) for each, value in values]
            made = ast.ClassDef(spelt(named), [said("collections.NamedTuple")], [], [*body, *methods], [])
        else:
            plain_ = [value if isinstance(value, ast.Constant) else constant(None) for _, value in values]
            body = self.begins(fields, [*plain_], rf"\[\w*\]{named}\b")
            if not re.search(rf"[&*]{named}\b|\bnew\({named}\)", self.text):  # it stands where it is used
                body.insert(0, assigned(name("__flat__"), constant(1)))
            made = ast.ClassDef(spelt(named), [name(spelt(base)) for base in bases], [], [*body, *methods], [])
        made.lineno = 1
        return made

    def method(self, node: Node, owner: str) -> ast.stmt:
        self.receiver = self._receiver(node)[0]
        about, named = ("self", Kind(owner)), spelt(name_of(node))
        if owner not in self.fields:
            about, named, self.receiver = (self.receiver or "_", Kind(owner)), f"{owner}__{name_of(node)}", ""
        made = self.function(node, named, about)
        self.receiver = ""
        return made

    def function(self, node: Node, named: str, *first: tuple[str, Kind]) -> ast.FunctionDef:
        there, self.there = self.there, dict(self.there)
        self.listed_under.clear()
        result = field(node, "result")
        given = self._parameters(result) if result is not None and result.type == "parameter_list" else []
        self.results.append(given if all(each for each, _ in given) else [])
        names, inside = list[str](), list[ast.stmt]()
        with self.scope(), self.aside():
            if first and self.receiver:
                self.declare(self.receiver, first[0][1])
            for each, kind in (*first, *self._parameters(field(node, "parameters"))):
                names.append(each if each not in ("", "_") else self.fresh())
                self.declare(names[-1], kind)
                self.there.pop(each, None)
            for each, kind in self.results[-1]:
                self.declare(each, kind)
                inside.append(assigned(name(spelt(each)), self.begun(kind)))
            reads = name_of(node) in self.readers
            inside += [ast.Return(called("int", self.word()))] if reads else self.block(field(node, "body"))
            inside = self.shared(inside)
        self.results.pop()
        self.there = there
        made = function_of(named, [*map(spelt, names)], inside)
        made.lineno = node.start_point[0] + 1
        return made

    # Types.

    def declared(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        kind, inner = node.type, children(node)
        parts = {one: self.declared(found) for one in _PARTS.get(kind, ()) if (found := field(node, one)) is not None}
        if kind in ("pointer_type", "parenthesized_type"):
            of = self.declared(inner[0])
            return Kind("pointer", (of,)) if kind == "pointer_type" else of
        if kind in ("slice_type", "implicit_length_array_type", "map_type", "channel_type", "array_type"):
            named = {"map_type": "map", "channel_type": "chan", "array_type": "array"}.get(kind, _LIST)
            return Kind(named, tuple(parts.values()), self.value(field(node, "length")) if named == "array" else None)
        if kind == "function_type":
            return Kind("function", (self._result(node),))
        if kind == "struct_type":
            named = f"T{self.fresh()}"
            self.fields[named] = self._fields(node, named)
            self.before.append(self.structure(named))
            return Kind(named)
        if kind == "generic_type":
            return self.declared(field(node, "type"))
        named = name_of(node) if kind == "qualified_type" else text_of(node)
        return Kind(_WIDE.get(named, named))

    def bare(self, kind: Kind) -> Kind:
        """What a pointer points at."""
        while kind.name == "pointer" and kind.of:
            kind = kind.one
        return kind

    def plain(self, kind: Kind) -> Kind:
        """A type that was given a name, as what it is."""
        while self.names.get(kind.name, NOTHING).name not in ("", kind.name):
            kind = self.names[kind.name]
        return kind

    def begun(self, kind: Kind) -> ast.expr:
        """What something is that is given nothing."""
        kind = self.plain(kind)
        if kind.name == "array" and kind.size is not None:
            return in_place(self.several(kind.size, kind.one))
        if kind.name in _BUILDERS:
            return said("_tongue.builder()")
        if kind.name == _LIST:
            return self.typed(kind.one)
        if kind.name in self.fields:
            return self.filled(kind, None) if self._deep < 4 else constant(None)
        if kind.name == "map" and self.plain(kind.one).name == _LIST:  # `m[k] = append(m[k], x)` begins one
            return said("collections.defaultdict(list)")
        return said(_BEGUN.get(kind.name, "0.0" if kind.floating else "0" if kind.whole else "None"))

    def typed(self, one: Kind) -> ast.expr:
        return super().typed(self.plain(one))

    def several(self, count: ast.expr, kind: Kind) -> ast.expr:
        """So many of these."""
        kind = self.plain(kind)
        if kind.name in ("array", *_BUILDERS, *self.fields):
            return listed(count, self.begun(kind), several=True)
        if kind.name in (_LIST, "map"):
            return listed(count, ast.List([], ast.Load()) if kind.name == _LIST else ast.Dict([], []), several=True)
        size = kind.bytes if kind.name != "string" else 16
        return called("_tongue.filled", count, self.begun(kind), constant(int(size)))

    def extent(self, kind: Kind) -> float:
        kind = self.plain(kind)
        if kind.scalar or kind.name in ("pointer", "map", "function", "chan"):
            return kind.bytes
        if kind.name not in self.fields and re.fullmatch(r"[A-Z]\d?", kind.name):  # a type that nobody knows yet
            return 8.0
        return 16.0 if kind.name in ("error", "any") else 0.0

    def type_of(self, node: Node | None) -> Kind:
        return self.bare(self._type_of(node))

    def _type_of(self, node: Node | None) -> Kind:
        kind = node.type if node is not None else "int_literal"
        if node is None or kind in _WRITTEN:
            return _WRITTEN[kind]
        if kind == "expression_list":
            return self._type_of(node.named_children[0])
        if kind in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
            named = self._instantiated(node) if kind == "type_conversion_expression" else None
            return self.declared(field(node, "type")) if named is None else self.gives.get(named, NOTHING)
        if kind == "func_literal":
            return Kind("function", (self._result(node),))
        if kind in ("unary_expression", "slice_expression", "index_expression"):
            found = self.type_of(field(node, "operand"))
            if kind == "unary_expression":
                return found.one if text_of(node).startswith("<-") else found
            found = self.plain(found)
            if kind == "slice_expression":
                return Kind(_LIST, found.of) if found.name == "array" else found
            return Kind("byte") if found.name == "string" else found.one
        if kind == "selector_expression":
            owner, named = field(node, "operand"), text_of(field(node, "field"))
            if text_of(owner) == "math" and named in _LIMITS:
                return _FLOAT if isinstance(_LIMITS[named], float) else NOTHING
            return self.fields.get(self.type_of(owner).name, {}).get(named, NOTHING)
        operator = text_of(field(node, "operator"))
        if kind == "binary_expression" and (operator in COMPARED or operator in ("&&", "||")):
            return _BOOL
        if kind == "binary_expression" and operator in ("<<", ">>"):
            return self.type_of(field(node, "left"))
        return super().type_of(node)

    def given(self, node: Node) -> Kind:
        function, kinds = needed(node, "function"), [*map(self.type_of, _given(node))]
        text = text_of(function).partition("[")[0]
        if function.type == "parenthesized_expression":
            return self.declared(function.named_children[0])
        if text in ("make", "new"):
            return self.declared(_given(node)[0])
        if text == "append":
            return kinds[0]
        if text in ("len", "cap", "copy"):
            return _INT
        if text in ("min", "max") and text not in self.known:
            return next((kind for kind in kinds if kind.name), NOTHING)
        if Kind(text).scalar or text in ("string", "complex128", *self.names, *self.fields):
            return Kind(_WIDE.get(text, text))
        if text in self.gives:
            return self.gives[text]
        if function.type != "selector_expression":
            found = self.type_of(function)
            return found.one if found.name == "function" else NOTHING
        package, named = text_of(field(function, "operand")), text_of(field(function, "field"))
        if package in _TYPES and (kind := _TYPES[package](named)).name:
            return kind
        owner = self.type_of(field(function, "operand"))
        if f"{owner.name}.{named}" in self.gives:
            return self.gives[f"{owner.name}.{named}"]
        if named in self.fields.get(owner.name, {}):
            return self.fields[owner.name][named].one
        if named in _METHODS:
            return _METHODS[named]
        own = [self.gives[f"{each}.{named}"] for each, methods in self.own.items() if named in methods]
        return own[0] if len(own) == 1 else NOTHING

    # Declarations.

    _do_package_clause = _do_fallthrough_statement = _do_method_declaration = Typed._do_empty_statement
    _of_blank_identifier = Typed._of_identifier

    def _do_statement_list(self, node: Node) -> list[ast.stmt]:
        """What is done by others at the same time waits for what it is given."""
        made, waiting = list[ast.stmt](), list[ast.stmt]()
        for each in children(node):
            text = text_of(each)
            begins = each.type == "go_statement" or (each.type == "for_statement" and "range " in text)
            taken = (
                re.findall(r"(?:range |<-\s*)(\w+)", text) if begins and re.search(r"\bgo\s+(func|\w)", text) else []
            )
            taken += [found for call in re.findall(r"\bgo\s+(\w+)\(([^()]*)\)", text) if call[0] in self.takers
                      for found in re.findall(r"\w+", call[1])]  # fmt: skip
            if any(self.bare(self.kind(found)).name == "chan" for found in taken):
                waiting += self.statement(each)
                continue
            if waiting and each.type != "go_statement" and re.search(r"<-|\brange \w|\.Wait\(", text):
                made, waiting = [*made, *waiting], []
            made += self.statement(each)
        returns = [made.pop()] if waiting and made and isinstance(made[-1], ast.Return) else []
        return [*made, *waiting, *returns]

    def _do_function_declaration(self, node: Node) -> list[ast.stmt]:
        return [self.function(node, spelt(name_of(node)))]

    def _do_type_declaration(self, node: Node) -> list[ast.stmt]:
        before = {*self.fields}
        self._types(node)
        return [self.structure(each) for each in [*self.fields] if each not in before]

    def _do_const_declaration(self, node: Node) -> list[ast.stmt]:
        made, last = list[ast.stmt](), list[Node]()
        for self.iota, each in enumerate(one for one in children(node) if one.type == "const_spec"):
            last = children(field(each, "value")) or last
            names = [one for one in each.children_by_field_name("name") if one.is_named]
            for one, value in zip(names, last, strict=False):
                kind = self.declared(field(each, "type"))
                self.declare(text_of(one), kind if kind.name else self.type_of(value))
                if text_of(one) != "_":
                    made.append(self.at(assigned(name(spelt(text_of(one))), self.value(value)), each))
        return made

    def _of_iota(self, node: Node) -> ast.expr:
        return constant(self.iota)

    def _do_var_declaration(self, node: Node) -> list[ast.stmt]:
        made = list[ast.stmt]()
        for each in _all(node, ("var_spec",)):
            kind, values = self.declared(field(each, "type")), children(field(each, "value"))
            names = [one for one in each.children_by_field_name("name") if one.is_named]
            if values:
                made += self.gave(names, values, kind)
                continue
            for one in names:
                self.declare(text_of(one), kind)
                if kind.name != "function":
                    made.append(assigned(name(spelt(text_of(one))), self.begun(kind)))
        return made

    def _do_short_var_declaration(self, node: Node) -> list[ast.stmt]:
        return self.gave(children(field(node, "left")), children(field(node, "right")))

    def gave(self, names: list[Node], values: list[Node], kind: Kind = NOTHING, anew: bool = True) -> list[ast.stmt]:
        """Gives names their values, those that a function gives several of among them."""
        if len(values) == 1 and len(names) > 1:
            kinds = self._type_of(values[0])
            made = self._found(names, values[0])
            for each, one in zip(names, kinds.of if kinds.name == "tuple" else [kinds, _BOOL], strict=False):
                if anew:
                    self.declare(text_of(each), one)
            return made
        made, pairs = list[ast.stmt](), list[tuple[ast.expr, ast.expr]]()
        for each, value in zip(names, values, strict=False):
            own, named = kind if kind.name else self._type_of(value), text_of(each)
            if value.type == "func_literal" and each.type == "identifier":
                self.declare(named, own)
                made.append(self.function(value, spelt(named)))
                continue
            inner = field(value, "operand") if text_of(value).startswith("&") else None
            if inner is not None and inner.type in ("index_expression", "selector_expression"):
                self.places[named] = inner
            found = self.element(value, kind)
            if value.type == "nil" and not anew and self.plain(self._type_of(each)).name in (_LIST, "map"):
                found = self.begun(self._type_of(each))  # it begins anew
            if anew:
                self.declare(named, own if own.name or value.type != "int_literal" else _INT)
                self.there.pop(named, None)
            if named == "_":
                made += quiet(found)
                continue
            self.listed_under.pop(named, None)
            if anew and self._is_keyed(value) and self.plain(self._type_of(value)).name == _LIST:
                self.listed_under[named] = ast.unparse(found)
            target = self.value(self.places.get(named[1:] if named.startswith("*") else "", each))
            if ast.unparse(target) not in self.listed_under.values() or ast.unparse(target) != ast.unparse(found):
                pairs.append((target, found))
        if anew or len(pairs) < 2:
            return [*made, *(assigned(*pair) for pair in pairs)]
        return [*made, *apart(tuple_of(*(one for one, _ in pairs)), tuple_of(*(value for _, value in pairs)))]

    def _found(self, names: list[Node], value: Node) -> list[ast.stmt]:
        """`v, ok := m[k]` and its kin."""
        first, last = text_of(names[0]), text_of(names[-1])
        targets = [name(self.fresh()) if text_of(each) == "_" else self.value(each) for each in names]
        if value.type == "index_expression":
            owner, key = self.value(field(value, "operand")), self.value(field(value, "index"))
            self.there[last] = said("B in A", owner, key)
            return [assigned(targets[0], method(owner, "get", key))] if first != "_" else []
        found, own = self.value(value), self._type_of(value)
        if value.type in ("unary_expression", "type_assertion_expression"):
            self.there[last] = constant(True)
            return [assigned(targets[0], found)]
        if own.name == "tuple" and len(own.of) == len(names) and own.of[-1] == _ERROR:
            self.there[last] = constant(None)
        if not isinstance(found, ast.Tuple) or len(found.elts) != len(names):
            return [assigned(tuple_of(*targets), found)]
        made = list[ast.stmt]()
        for each, target, one in zip(names, targets, found.elts, strict=True):
            if isinstance(one, ast.Constant) and one.value is None:
                self.there[text_of(each)] = constant(None)
            elif text_of(each) != "_":
                made.append(assigned(target, one))
        return made

    def _do_assignment_statement(self, node: Node) -> list[ast.stmt]:
        operator = text_of(field(node, "operator")) or "="
        names, values = children(field(node, "left")), children(field(node, "right"))
        if operator != "=":
            if self._is_keyed(names[0]):
                return [self.keyed(names[0], operator.removesuffix("="), self.value(values[0]))]
            return self.assign(names[0], operator, self.value(values[0]))
        made = self._shortened(names[0], values[0]) if len(names) == 1 else None
        return self.gave(names, values, anew=False) if made is None else made

    def _is_keyed(self, node: Node) -> bool:
        """`m[k]`."""
        return node.type == "index_expression" and self.plain(self.type_of(node.named_children[0])).name == "map"

    def keyed(self, node: Node, operator: str, value: ast.expr) -> ast.stmt:
        """`m[k] += v`."""
        place = self.value(node)
        assert isinstance(place, ast.Subscript)
        one = self.begun(self.plain(self.type_of(node.named_children[0])).one)
        old = method(place.value, "get", place.slice, one)
        return assigned(place, self.operation(old, operator, value, True))

    def _shortened(self, left: Node, right: Node) -> list[ast.stmt] | None:
        """`x = append(x, …)` and `x = x[1:]`."""
        own, given = text_of(left).lstrip("*"), _given(right)
        if text_of(field(right, "function")) == "append" and text_of(given[0]).lstrip("*") == own:
            place = self.listed_under.get(own)
            return [ast.Expr(each) for each in self._appended(said(place) if place else self.value(left), given[1:])]
        text = self.plain(self.type_of(left)).name == "string"
        if right.type != "slice_expression" or text_of(field(right, "operand")).lstrip("*") != own or text:
            return None
        start, end, owner = field(right, "start"), text_of(field(right, "end")).replace(" ", ""), self.value(left)
        if start is None and end in ("0", f"len({own})-1"):
            return [ast.Expr(method(owner, "clear" if end == "0" else "pop"))]
        if start is None and end:  # what is behind that goes
            rest = ast.Slice(self.value(field(right, "end")), None, None)
            return [ast.Delete([ast.Subscript(owner, rest, ast.Del())])]
        if start is None or end:
            return None
        if text_of(start) == "1":
            return [ast.Expr(method(owner, "pop", constant(0)))]
        return [ast.Delete([ast.Subscript(owner, ast.Slice(None, self.value(start), None), ast.Del())])]

    def _appended(self, owner: ast.expr, given: Sequence[Node]) -> list[ast.expr]:
        return [
            method(owner, "extend", self.value(each.named_children[0]))
            if each.type == "variadic_argument" else appended(owner, self.value(each)) for each in given
        ]  # fmt: skip

    def _do_inc_statement(self, node: Node) -> list[ast.stmt]:
        inner, operator = node.named_children[0], "+" if node.type == "inc_statement" else "-"
        if self._is_keyed(inner):
            return [self.keyed(inner, operator, constant(1))]
        return [added(self.value(inner), ast.Add if operator == "+" else ast.Sub, constant(1))]

    _do_dec_statement = _do_inc_statement

    # Statements.

    def _do_return_statement(self, node: Node) -> list[ast.stmt]:
        inner = children(node)
        values: list[ast.expr] = self.values(children(inner[0]) if inner else [])
        values = values if inner else [name(spelt(each)) for each, _ in self.results[-1]]
        return [ast.Return(tuple_of(*values) if len(values) > 1 else values[0] if values else None)]

    def _do_if_statement(self, node: Node) -> list[ast.stmt]:
        with self.scope():
            start = self.statement(field(node, "initializer"))
            test, there = self.test(field(node, "condition")), dict(self.there)
            then, self.there = self.body(field(node, "consequence")), there
            return [*start, ast.If(test, then, self.block(field(node, "alternative")))]

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        body = needed(node, "body")
        clause = next((each for each in children(node) if each != body), None)
        with self.scope():
            if clause is None:
                return [ast.While(constant(True), self.body(body), [])]
            if clause.type == "range_clause":
                return self._through(clause, body)
            if clause.type != "for_clause":
                return self._consumed(clause, body) or [self.looped(clause, self.block(body))]
            start = _apart(self.initialised(field(clause, "initializer")))
            steps = _apart(self.statements(self.each_of(clause, "update")))
            return self.repeated(start, field(clause, "condition"), steps, self.block(body), node)

    def _consumed(self, condition: Node, body: Node) -> list[ast.stmt] | None:
        """`for len(p) >= 8 { …; p = p[8:] }`."""
        found = re.fullmatch(r"len\((\w+)\) (?:>=|>) (\d+)", text_of(condition))
        if found is None or not re.search(rf"\b{found[1]} = {found[1]}\[({found[2]}|1):\]", text_of(body)):
            return None
        if self.plain(self.kind(found[1])).one.bytes > 2:
            return None
        over = said("range(len(A) // B)", name(spelt(found[1])), constant(max(int(found[2]), 1)))
        return [for_each(name("_"), over, [each for each in self.block(body) if not isinstance(each, ast.Delete)])]

    def _through(self, clause: Node, body: Node) -> list[ast.stmt]:
        """`for i, v := range x`."""
        right, names = needed(clause, "right"), children(field(clause, "left"))
        kind, over = self.plain(self.type_of(right)), self.value(right)
        first = kind.of[0] if kind.name == "map" else kind.one if kind.name == "chan" else _INT
        for each, one in zip(names, (first, Kind("rune") if kind.name == "string" else kind.one), strict=False):
            self.declare(text_of(each), one)
        targets = [*self.values(names), name("_")]
        own, other = (text_of(each) not in ("_", "") for each in [*names, None, None][:2])
        if kind.name == "chan":
            return [ast.While(over, [assigned(targets[0], method(over, "popleft")), *self.block(body)], [])]
        both = tuple_of(*targets[:2])
        inside = self.body(body)
        if kind.name == "map":
            over = method(over, "items" if own else "values") if other else over
            return [for_each((both if own else targets[1]) if other else targets[0], over, inside)]
        if other:
            return [for_each(both, called("enumerate", over), inside) if own else for_each(targets[1], over, inside)]
        counts = kind.scalar or isinstance(over, ast.Constant) or right.type == "binary_expression"
        counts = counts or (not kind.name and right.type == "call_expression")
        return [for_each(targets[0], called("range", over if counts else length(over)), inside)]

    def _do_expression_switch_statement(self, node: Node) -> list[ast.stmt]:
        found, chain = list[tuple[list[ast.expr], list[ast.stmt]]](), list[ast.stmt]()
        value = field(node, "value")
        with self.scope():
            made = self.statement(field(node, "initializer"))
            for each in children(node):
                if each.type in ("expression_case", "default_case"):
                    values = field(each, "value")
                    labels = [self.test(one) for one in children(values)]
                    inside = self.statements([one for one in children(each) if one != values])
                    chain = inside if each.type == "default_case" else chain
                    found.append((labels, [*inside, ast.Break()]))
        plain = all(isinstance(label, ast.Constant) for labels, _ in found for label in labels)
        subject = self.value(value) if value is not None else None
        if subject is not None and plain:
            return [*made, *self.cases(subject, found)]
        for labels, inside in reversed(found):
            if labels:
                asked = [is_equal(subject, label) if subject is not None else label for label in labels]
                chain = [ast.If(any_of(asked), inside[:-1] or [ast.Pass()], chain)]
        return [*made, *chain]

    def _do_type_switch_statement(self, node: Node) -> list[ast.stmt]:
        cases, alias = list[list[ast.stmt]](), text_of(field(node, "alias"))
        with self.scope():
            made = self.statement(field(node, "initializer"))
            subject = spelt(alias) if alias else self.fresh()
            made.append(assigned(name(subject), self.value(field(node, "value"))))
            for each in children(node):
                if each.type in ("type_case", "default_case"):
                    kinds = each.children_by_field_name("type")
                    with self.scope():
                        self.declare(alias, self.declared(kinds[0]) if kinds else NOTHING)
                        cases.append(self.statements([one for one in children(each) if one not in kinds]))
        return [*made, *_one_of(name(subject), cases)]

    def _do_select_statement(self, node: Node) -> list[ast.stmt]:
        return _one_of(constant(None), [self.statements(children(each)) for each in children(node)])

    def _do_receive_statement(self, node: Node) -> list[ast.stmt]:
        left, right = children(field(node, "left")), needed(node, "right")
        return self.gave(left, [right]) if left else self.effect(right)

    def _do_send_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Expr(appended(self.value(field(node, "channel")), self.value(field(node, "value"))))]

    def _do_continue_statement(self, node: Node) -> list[ast.stmt]:
        around, label = node.parent, text_of(node.named_children[0]) if node.named_children else ""
        while label and around is not None and around.type != "for_statement":
            around = around.parent
        own = around is not None and text_of(around.parent).startswith(f"{label}:")
        return [ast.Break() if label and not own else ast.Continue()]

    # Expressions.

    def named(self, named: str) -> ast.expr:
        if named in self.there:
            return said(ast.unparse(self.there[named]))
        if named in self.constants:
            return constant(self.constants[named])
        return name("self" if named == self.receiver else spelt(named))

    def _of_imaginary_literal(self, node: Node) -> ast.expr:
        return constant(1.0)

    def _of_selector_expression(self, node: Node) -> ast.expr:
        package, named = text_of(field(node, "operand")), text_of(field(node, "field"))
        if package in ("math", "cmplx") and self.kind(package) is NOTHING:
            return constant(_LIMITS[named]) if named in _LIMITS else said(f"math.{named.lower()}")
        if package == "os" and named in ("Stdin", "Args"):
            return said("sys.stdin" if named == "Stdin" else "['x']")
        return ast.Attribute(self.value(field(node, "operand")), spelt(named), ast.Load())

    def _of_unary_expression(self, node: Node) -> ast.expr:
        value, operator = self.value(field(node, "operand")), node.children[0].type
        return method(value, "popleft") if operator == "<-" else self.turned(operator.replace("^", "~"), value)

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, right, operator = needed(node, "left"), field(node, "right"), text_of(field(node, "operator"))
        other, value = text_of(right), self.value(left)
        if operator in ("==", "!=") and other in ("nil", "io.EOF"):
            if isinstance(value, ast.Constant) or text_of(left) == "err" or self.type_of(left) == _ERROR:
                return constant((operator == "==") == (other == "nil"))
            return said("A is None" if operator == "==" else "A is not None", value)
        kind, beside = self.plain(self.type_of(left)), self.plain(self.type_of(right))
        kind = kind if kind.name or operator in ("<<", ">>") else beside
        empty = other == "0" and operator in (">", "!=", "==")
        if empty and isinstance(value, ast.Call) and ast.unparse(value.func) == "len":
            return said("not A" if operator == "==" else "A", value.args[0])
        parted = kind.floating or kind.name.startswith("complex") or beside.floating
        made = self.operation(value, operator, self.value(right), parted)
        sides = [made.left, made.right] if isinstance(made, ast.BinOp) else []
        known = all(isinstance(each, ast.Constant) for each in sides)
        return self.limited(made, kind) if operator in ("*", "<<") and not known else made

    def _of_index_expression(self, node: Node) -> ast.expr:
        owner, key = field(node, "operand"), field(node, "index")
        last = text_of(key).replace(" ", "") == f"len({text_of(owner)})-1"
        return said("A[B]", self.value(owner), constant(-1) if last else self.value(key))

    def _of_slice_expression(self, node: Node) -> ast.expr:
        start, end = field(node, "start"), field(node, "end")
        value = self.value(field(node, "operand"))
        if start is None and end is None:
            return value
        lower = self.value(start) if start is not None and text_of(start) != "0" else None
        part = ast.Slice(lower, self.value(end) if end is not None else None, None)
        return ast.Subscript(value, part, ast.Load())

    def _of_type_assertion_expression(self, node: Node) -> ast.expr:
        return self.value(field(node, "operand"))

    def _of_type_conversion_expression(self, node: Node) -> ast.expr:
        if (named := self._instantiated(node)) is not None:
            return called(spelt(named), self.value(field(node, "operand")))
        return self._of_type_assertion_expression(node)

    def _instantiated(self, node: Node) -> str | None:
        """The function of the program's own that `New[int](1)` calls, which reads like a conversion; None of others."""
        of = field(node, "type")
        named = text_of(field(of, "type")) if of is not None and of.type == "generic_type" else ""
        return named if named in self.known else None

    def _of_type_instantiation_expression(self, node: Node) -> ast.expr:
        """`New[int]`, or `grid[p.row][p.column]`, which reads like it."""
        of = field(node, "type") or node.named_children[0]
        inside = field(of, "type_arguments")
        places = [
            *(inside.named_children if inside is not None else []),
            *(each for each in node.named_children if each != of),
        ]
        named = text_of(field(of, "type")) if inside is not None else ""
        if len(places) < 2 or named in self.known or not all(map(_PLACE.fullmatch, map(text_of, places))):
            return name(spelt(text_of(of)))
        made: ast.expr = name(spelt(named))
        for each in places:
            made = said("A[B]", made, path(*map(spelt, text_of(each).split("."))))
        return made

    def _of_func_literal(self, node: Node) -> ast.expr:
        made = self.fresh()
        function = self.function(node, made)
        if (value := only_value(function.body)) is not None:
            return lambda_of([each.arg for each in function.args.args], value)
        self.before.append(function)
        return name(made)

    def _of_composite_literal(self, node: Node) -> ast.expr:
        return self.filled(self.declared(field(node, "type")), field(node, "body"))

    def filled(self, kind: Kind, body: Node | None) -> ast.expr:
        """What is written out of a type."""
        self._deep += 1
        kind = self.plain(self.bare(kind))
        pairs = [
            (each.named_children[0] if each.type == "keyed_element" else None, each.named_children[-1])
            if each.type == "keyed_element" else (None, each) for each in children(body)
        ]  # fmt: skip
        made: ast.expr
        if kind.name in self.fields:
            made = self._thing(kind, pairs)
        elif kind.name == "map" and not pairs:
            made = self.begun(kind)
        elif kind.name == "map":
            keys: list[ast.expr | None] = [self.element(key, kind.of[0]) for key, _ in pairs if key is not None]
            made = ast.Dict(keys, [self.element(value, kind.one) for _, value in pairs])
        elif not pairs:
            made = self.begun(kind) if kind.name else ast.List([], ast.Load())
        else:
            values = [self.element(value, kind.one) for _, value in pairs]
            key = kind.name == "array" and len(values) < 5 and "map[[" in self.text
            made = tuple_of(*values) if key else ast.List(values, ast.Load())
        self._deep -= 1
        return made

    def _thing(self, kind: Kind, pairs: Sequence[tuple[Node | None, Node]]) -> ast.Call:
        made, fields = called(spelt(kind.name)), self.fields[kind.name]
        written = {text_of(key) for key, _ in pairs if key is not None}
        for key, of in fields.items() if written or not pairs else ():
            if key not in written and self.plain(of).name in (_LIST, "array", "map", *_BUILDERS, *self.fields):
                made.keywords.append(ast.keyword(spelt(key), self.begun(of)))
        for own, (key_, value) in zip([*fields, *[""] * len(pairs)], pairs, strict=False):
            key = text_of(key_) if key_ is not None else own
            made.keywords.append(ast.keyword(spelt(key), self.element(value, fields.get(key, NOTHING))))
        return made

    def element(self, node: Node, kind: Kind) -> ast.expr:
        """One that is written out."""
        inner = node.named_children[0] if node.type == "literal_element" else node
        if inner.type == "literal_value":
            return self.filled(kind, inner)
        value = self.value(inner)
        whole = isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value
        return (
            constant(float(whole))
            if kind.floating and isinstance(value, ast.Constant) and whole is not False
            else value
        )

    # Calls.

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, given = needed(node, "function"), _given(node)
        if function.type in ("parenthesized_expression", "slice_type", "array_type", "map_type", "pointer_type"):
            return self.value(given[0])
        if function.type == "func_literal":
            made = self.fresh()
            self.before.append(self.at(self.function(function, made), node))
            return called(made, *self.values(given))
        text = text_of(function.named_children[0] if function.type == "index_expression" else function).partition("[")[
            0
        ]
        if function.type in ("identifier", "type_instantiation_expression", "index_expression"):
            if text in self.known:
                kinds = [*self.takes.get(text, ()), *[NOTHING] * len(given)]
                return called(name(spelt(text)), *map(self._handed, given, kinds))
            found = self.builtin(text, given) if self.kind(text) is NOTHING else None
        elif function.type == "selector_expression":
            owner, named = needed(function, "operand"), text_of(field(function, "field"))
            package = text_of(owner) if owner.type == "identifier" and self.kind(text_of(owner)) is NOTHING else "-"
            found = self.library(package, named, given) or self._method(owner, named, given)
        else:
            found = None
        return called(self.value(function), *self.values(given)) if found is None else found

    def _handed(self, node: Node, kind: Kind) -> ast.expr:
        """What a function is given: of `nil` a list that has nothing yet, where it takes one."""
        return self.begun(kind) if node.type == "nil" and self.plain(kind).name == _LIST else self.value(node)

    def _method(self, owner: Node, named: str, given: list[Node]) -> ast.expr:
        of, having = self.type_of(owner), [each for each, methods in self.own.items() if named in methods]
        known = of.name in self.fields or of.name in self.own
        found = self.standard(owner, of, named, given, bool(having)) if not known else None
        if found is not None:
            return found
        of = Kind(having[0]) if not of.name and len(having) == 1 else of
        if named in self.own.get(of.name, {}) and of.name not in self.fields:
            if _gives_length(self.own[of.name][named]):
                return length(self.value(owner))
            return called(f"{of.name}__{named}", self.value(owner), *self.values(given))
        return method(self.value(owner), spelt(named), *self.values(given))

    def standard(self, owner: Node, of: Kind, named: str, given: list[Node], own: bool) -> ast.expr | None:
        """A method of the language's own; None of others."""
        if of.name in _BUILDERS:
            value = self.value(owner)
            forms = {"String": "''.join(A)", "Bytes": "''.join(A)", "Len": "len(A)", "Reset": "A.clear()"}
            return (
                appended(value, _as_text(self.value(given[0])))
                if named in _ADDED
                else said(forms.get(named, "None"), value)
            )
        if named in _ADDED and not own:
            return printed(*self.values(given))
        line = f"{re.sub(r'[^a-zA-Z0-9]', '_', text_of(owner))}_line"
        if named == "Scan" and not given:
            words = re.search(rf"\b{re.escape(text_of(owner))}\.Split\(bufio\.ScanWords\)", self.text)
            return ast.NamedExpr(ast.Name(line, ast.Store()), self.word() if words else self.line())
        if named in ("Text", "Bytes") and not given:
            return name(line)
        if named in _READING:
            return tuple_of(self.line(), *[constant(None)] * (_READING[named] - 1))
        if named in ("ReadByte", "ReadRune"):
            return tuple_of(self.letter(), constant(None))
        if named in _IDLE and not own:
            return constant(None)
        if of.name == "Rand":
            return self.library("rand", named, given)
        if of.name == "csv" and named in ("Read", "ReadAll"):
            over, one = self.value(owner), name(self.fresh())
            if named == "ReadAll":
                return tuple_of(said("[B.split(',') for B in A]", over, one), constant(None))
            text = re.search(rf"\b{re.escape(text_of(owner))} :?= csv\.NewReader\({_OF_TEXT}", self.text)
            return tuple_of(said("A.split(',')", said("next(A)", over) if text else self.line()), constant(None))
        if named == "Error" and not given:
            return constant("error")
        return called(self.value(given[0])) if named == "Do" and not own else None

    def builtin(self, named: str, given: list[Node]) -> ast.expr | None:
        """A function that needs no module, or a type."""
        if named == "make":
            kind, size = self.plain(self.declared(given[0])), text_of(given[1]) if len(given) > 1 else ""
            if kind.name == "chan":
                return called("collections.deque")
            if kind.name != _LIST or not size or size == "0":
                return self.begun(kind)
            return self.several(self.value(given[1]), kind.one)
        if named == "new":
            return self.begun(self.declared(given[0]))
        if named == "append":
            return self._append(given[0], given[1:])
        if named == "panic":
            return self.gave_up()
        values = self.values(given)
        if named == "copy":
            each = constant(int(self.plain(self.type_of(given[0])).one.bytes))
            return said("_tongue.copy(A, B, len(B) * C)", *values, each)
        if named in ("min", "max", "print", "println"):
            return called(named.removesuffix("ln"), *values)
        if named in _SAID[""]:
            return said(_SAID[""][named], *values)
        if not values or not (Kind(named).scalar or named == "string" or named in self.names):
            return None
        own, kind = self.type_of(given[0]), self.plain(Kind(named))
        if kind.name in ("byte", "uint8") and own.whole and own.bytes > 1:
            return said("A & 255", values[0])
        return called("chr", values[0]) if kind.name == "string" and own.whole else self.cast(kind, values[0], given[0])

    def _append(self, first: Node, given: list[Node]) -> ast.expr:
        if _is_empty(first) and len(given) == 1 and given[0].type == "variadic_argument":
            return called("list", self.value(given[0].named_children[0]))
        copied = _copied(first)
        owner = self.value(first if copied is None else copied)  # another list is made of it in any case
        if text_of(first) in self.listed_under:  # `p := m[k]; m[k] = append(p, …)`
            owner = said(self.listed_under[text_of(first)])
        if copied is None and isinstance(owner, _PLACES) and first.type != "slice_expression":
            self.before += [ast.Expr(each) for each in self._appended(owner, given)]
            return owner
        for each in given:
            inner = each.named_children[0] if each.type == "variadic_argument" else each
            owner = said("A + B" if each.type == "variadic_argument" else "A + [B]", owner, self.value(inner))
        return owner

    def library(self, package: str, named: str, given: list[Node]) -> ast.expr | None:
        """What a function of a package gives; None of others."""
        gives = getattr(self, f"_p_{package}", None)
        if gives is not None and (found := gives(named, given)) is not None:
            return found  # type: ignore[no-any-return]
        template = _SAID.get(package, {}).get(named) or _OTHERS.get(package)
        if template is None:
            return None
        values = self.values(given) if asks_for(template) else []
        return said(template, *values) if len(values) >= asks_for(template) else constant(None)

    def _p_csv(self, named: str, given: list[Node]) -> ast.expr | None:
        """Records of the input, or of a text."""
        of_text = named == "NewReader" and given and re.match(_OF_TEXT, text_of(given[0]))
        return said("iter(A.splitlines())", self.value(given[0])) if of_text else None

    def _p_fmt(self, named: str, given: list[Node]) -> ast.expr | None:
        if named in _READ:
            return self._scanned(named, given)
        if named in ("Sprintf", "Errorf"):
            return self.formatted(given)
        if named.startswith("Sprint"):
            return joined(self.values(given))
        if not named.startswith(("Print", "Fprint")):
            return None
        inner = given[0].named_children[-1] if given and given[0].type == "unary_expression" else given and given[0]
        if named.startswith("F") and inner and self.type_of(inner).name in _BUILDERS:
            return appended(self.value(inner), self.formatted(given[1:]))
        return printed(*self.values(given[named.startswith("F") + named.endswith("f") :]))

    def _scanned(self, named: str, given: list[Node]) -> ast.expr:
        words = self.held(said("iter(A.split())", self.value(given[0]))) if named.startswith("Ss") else None
        places = [each for each in given[named.startswith(("F", "Ss")) :] if each.type == "unary_expression"]
        for each in places:
            inner = field(each, "operand")
            word = said("next(A)", words) if words is not None else self.word()
            kind = self.plain(self.type_of(inner))
            word = word if kind.name == "string" else called("float" if kind.floating else "int", word)
            self.before.append(assigned(self.value(inner), word))
        return tuple_of(constant(len(places)), constant(None))

    def formatted(self, given: list[Node]) -> ast.expr:
        """A text with what stands in it."""
        form = unquoted(text_of(given[0])) if given and "string_literal" in given[0].type else ""
        rest = iter(self.values(given[1:]))

        def filled(mark: re.Match[str]) -> ast.expr | None:
            value = next(rest, None) if mark[4] != "%" else None
            shape = f"{mark[2]}{mark[3] or ''}"
            shape += mark[4] if shape and mark[4] in "fxd" else ""
            return marked(value, f"{'0' if '0' in mark[1] else ''}{shape}") if value is not None else None

        return ast.JoinedStr([*written(form, _MARK, filled), *map(marked, rest)] or [constant("")])

    def _p_strings(self, named: str, given: list[Node]) -> ast.expr | None:
        if named != "Cut":
            return None
        parts = self.held(said("A.split(B, 1)", *self.values(given)))
        return said("(A[0], A[1], True)", parts)

    def _p_sort(self, named: str, given: list[Node]) -> ast.expr | None:
        if named != "Search":
            return None
        many, function = self.values(given)
        rounds = said("range(int(math.log2(A + 1) + 1))", many)
        self.before.append(for_each(name(self.fresh()), rounds, [ast.Expr(said("B(A // 2)", many, function))]))
        return said("A // 2", many)

    def _p_rand(self, named: str, given: list[Node]) -> ast.expr | None:
        if named in _SAID["rand"]:
            return None
        values = self.values(given)
        if named == "Shuffle":
            place = self.fresh()
            swaps = ast.Expr(said("A(B, B)", values[1], name(place)))
            self.before.append(for_each(name(place), called("range", values[0]), [swaps]))
            return constant(None)
        return called("random.randrange", constant(0), *(values or [constant(2**31 - 1)])[:1])

    def _p_atomic(self, named: str, given: list[Node]) -> ast.expr | None:
        inner = given[0].named_children[-1]
        if named.startswith("Add"):
            self.before.append(added(self.value(inner), ast.Add, self.value(given[1])))
        return self.value(inner)


_WRITTEN: Final = spread({
    "int_literal": NOTHING, "float_literal": _FLOAT, "rune_literal": Kind("rune"), "true false": _BOOL,
    "interpreted_string_literal raw_string_literal": _TEXT,
})  # fmt: skip
_PARTS: Final = spread({
    "slice_type implicit_length_array_type array_type": ("element",), "map_type": ("key", "value"),
    "channel_type": ("value",),
})  # fmt: skip
"""What types consist of."""
_METHODS: Final = spread(
    {"ReadString": Kind("tuple", (_TEXT, _ERROR)), "Text String": _TEXT, "Float64 Float32": _FLOAT}
)


def _given(node: Node) -> list[Node]:
    return children(field(node, "arguments"))


def _is_empty(node: Node) -> bool:
    """A list that has nothing yet: `[]int{}`, `[]int(nil)`, `nil`, `make([]int, 0, n)`."""
    if node.type == "call_expression":
        many = _given(node)[1:2]
        return text_of(field(node, "function")) == "make" and [*map(text_of, many)] in ([], ["0"])
    if node.type in ("type_conversion_expression", "parenthesized_expression"):
        return _is_empty(node.named_children[-1])
    return node.type == "nil" or (node.type == "composite_literal" and not children(field(node, "body")))


def _copied(node: Node) -> Node | None:
    """The list that `append([]int{}, list...)` copies; None of others."""
    given = _given(node) if text_of(field(node, "function")) == "append" else []
    copies = len(given) == 2 and given[1].type == "variadic_argument" and _is_empty(given[0])
    return given[1].named_children[0] if copies else None


def _gives_length(node: Node) -> bool:
    """`func (q Queue) Len() int { return len(q) }`."""
    receiver = name_of(needed(node, "receiver").named_children[0])
    return (
        re.fullmatch(rf"\{{\s*return len\(\*?{re.escape(receiver)}\)\s*\}}", text_of(field(node, "body"))) is not None
    )


def _as_text(value: ast.expr) -> ast.expr:
    """Of a letter that is written out the text."""
    letter = isinstance(value, ast.Constant) and isinstance(value.value, int)
    return called("chr", value) if letter else value


def _all(node: Node, kinds: Sequence[str]) -> list[Node]:
    """All nodes of these kinds."""
    inner = children(node) if node.type != "block" else []
    return [node] if node.type in kinds else [found for each in inner for found in _all(each, kinds)]


def _one_of(subject: ast.expr, cases: Sequence[list[ast.stmt]]) -> list[ast.stmt]:
    """Nobody knows which."""
    made = [ast.match_case(ast.MatchAs(None, None), constant(True), each or [ast.Pass()]) for each in cases]
    return [ast.Match(subject, made)] if made else []


def _apart(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """`i, j = a, b` as two statements."""
    made = list[ast.stmt]()
    for each in statements:
        target, value = (each.targets[0], each.value) if isinstance(each, ast.Assign) else (None, None)
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            made += [ast.Assign([one], of, lineno=each.lineno) for one, of in zip(target.elts, value.elts, strict=True)]
        else:
            made.append(each)
    return made
