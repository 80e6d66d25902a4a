"""Rust."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import ClassVar, Final, NamedTuple

from tree_sitter import Node

from forerun.tasks._tongues._braced import field, is_equal, length, listed, number, printed, unquoted
from forerun.tasks._tongues._kinds import NOTHING, Kind
from forerun.tasks._tongues._translator import (
    BINARY,
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
    negated,
    spelt,
    subscript,
    text_of,
)
from forerun.tasks._tongues._typed import (
    Typed,
    all_of,
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
from forerun.tasks._trees import parsed

Sink = Callable[[ast.expr], list[ast.stmt]]
"""What is done with a value."""
Fitting = tuple[list[ast.expr], list[ast.stmt]]
"""What a pattern asks of something, and what it gives its names."""


class _Call(NamedTuple):
    """A method that is called, what it is given, and the types that are written behind its name."""

    owner: Node
    named: str
    given: list[Node]
    generic: list[Kind]


_WRAPPED: Final = frozenset(
    "Option Box Rc Arc RefCell Cell Mutex RwLock Result Cow Reverse Wrapping Some Ok Weak Pin".split()
)
"""What holds one thing, and is as good as that."""
_READERS: Final = frozenset("Stdin StdinLock BufReader BufRead Read".split())
_LISTS: Final = frozenset("Vec array VecDeque BinaryHeap slice".split())
_MAPS: Final = frozenset("HashMap BTreeMap FxHashMap IndexMap AHashMap".split())
_SETS: Final = frozenset("HashSet BTreeSet FxHashSet IndexSet".split())
_HOLDING: Final = _LISTS | _MAPS | _SETS
_KNOWN: Final = frozenset(("String", "Iterator", "Lines", "Stdin", "char", "tuple", *_HOLDING))
_PLACES: Final = (ast.Name, ast.Attribute, ast.Subscript)
_SAME: Final = frozenset(
    "unwrap expect copied cloned as_ref as_mut as_str as_slice as_bytes as_deref as_deref_mut borrow borrow_mut lock"
    " to_owned into by_ref as_mut_slice into_boxed_slice ok unwrap_or_default into_bytes as_bytes_mut to_le_bytes ok_or"
    " ok_or_else or_else map_err get_mut iter iter_mut into_iter chars bytes fuse peekable into_string"
    " into_inner unwrap_unchecked try_into get_ref from_utf8 from_utf8_lossy take replace read write"
    " into_vec trim_matches deref shrink_to_fit reserve flush as_mut_ptr as_ptr".split()
)
_ITERATING: Final = frozenset(
    "iter iter_mut into_iter chars bytes map filter filter_map flat_map flatten enumerate zip rev skip take step_by"
    " chain take_while skip_while map_while windows chunks chunks_exact chunks_mut chunks_exact_mut split_whitespace"
    " peekable split_ascii_whitespace split lines keys values values_mut into_keys into_values drain cycle char_indices"
    " inspect scan splitn copied cloned by_ref range rsplit split_terminator dedup fuse range_mut".split()
)
_OPERATORS: Final = {
    "wrapping_add": "+", "wrapping_sub": "-", "wrapping_mul": "*", "checked_add": "+", "checked_sub": "-",
    "checked_mul": "*", "saturating_add": "+", "saturating_mul": "*", "rem_euclid": "%", "div_euclid": "//",
    "wrapping_div": "//", "wrapping_rem": "%", "checked_div": "//", "checked_rem": "%", "pow": "**", "powi": "**",
    "wrapping_pow": "**", "checked_pow": "**", "overflowing_add": "+", "wrapping_shl": "<<", "wrapping_shr": ">>",
    "rotate_left": "<<", "rotate_right": ">>", "div_ceil": "//", "overflowing_mul": "*", "overflowing_sub": "-",
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
}  # fmt: skip
_TEXTS: Final = {
    "trim": "strip", "trim_end": "rstrip", "trim_start": "lstrip", "to_uppercase": "upper", "to_lowercase": "lower",
    "to_ascii_uppercase": "upper", "to_ascii_lowercase": "lower", "starts_with": "startswith", "ends_with": "endswith",
    "find": "find", "rfind": "rfind", "replace": "replace", "trim_end_matches": "rstrip",
    "trim_start_matches": "lstrip", "strip_prefix": "removeprefix", "strip_suffix": "removesuffix",
    "make_ascii_lowercase": "lower", "eq_ignore_ascii_case": "startswith", "repeat": "ljust",
    "trim_matches": "strip",
}  # fmt: skip
_PLAIN: Final = {
    "push_back": "append", "push_front": "appendleft", "pop_front": "popleft", "pop_back": "pop", "clear": "clear",
    "extend": "extend", "extend_from_slice": "extend", "append": "extend", "reverse": "reverse", "push": "append",
    "pop": "pop", "keys": "keys", "values": "values", "values_mut": "values", "into_values": "values",
    "into_keys": "keys", "union": "union", "intersection": "intersection", "difference": "difference",
    "symmetric_difference": "symmetric_difference", "swap_remove": "pop",
}  # fmt: skip
_MATHS: Final = spread({
    "ln ln_1p log": "log", "cbrt": "sqrt", "round trunc": "floor", "exp2": "exp", "powf": "pow", "fract": "fmod",
    "to_radians": "radians",
}) | {each: each for each in "sqrt sin cos tan exp log2 asin log10 floor ceil atan acos sinh cosh tanh isqrt atan2"
     " hypot".split()}  # fmt: skip
_BITS: Final = "trailing_zeros trailing_ones count_ones count_zeros leading_zeros ilog2 leading_ones"
_SAID: Final = spread({
    # Numbers.
    "abs unsigned_abs signum": "abs(A)", "abs_diff": "abs(A - B)", "saturating_sub": "max(A - B, 0)",
    "mul_add": "A * B + C", "clamp": "min(max(A, B), C)", "sin_cos": "(math.sin(A), math.cos(A))", "recip": "1.0 / A",
    "trailing_zeros trailing_ones": "A % 3", "count_ones count_zeros leading_zeros ilog2 leading_ones": "A % 64",
    "is_power_of_two": "A & A - 1 == 0", "next_power_of_two": "2 ** math.ceil(math.log2(A))",
    "is_nan is_infinite": "False", "cmp partial_cmp total_cmp then": "A < B",
    # Letters and texts.
    "is_ascii_digit is_numeric is_digit is_ascii_hexdigit": "A < 58", "is_ascii_uppercase is_uppercase": "A < 91",
    "is_ascii_whitespace is_whitespace": "A < 33", "is_ascii_punctuation": "A < 48",
    "is_control is_ascii_control": "A < 32", "is_alphabetic is_ascii_alphabetic": "A > 64",
    "is_alphanumeric is_ascii_alphanumeric": "A > 47", "is_ascii_lowercase is_lowercase": "A > 96",
    "is_ascii_graphic": "A > 32", "is_ascii": "A > 0", "to_digit": "int(A)", "len": "len(A)", "concat": "''.join(A)",
    "lines": "A.splitlines()", "split_once": "A.split(B, 1)", "splitn": "A.split(C, 1)",
    # What may be there.
    "is_some is_ok": "A is not None", "is_none is_err": "A is None", "then_some": "B if A else None",
    # What is gone through.
    "to_vec into_sorted_vec": "list(A)", "enumerate char_indices": "enumerate(A)", "zip": "zip(A, B)",
    "chain": "itertools.chain(A, B)", "rev": "reversed(A)", "cycle": "itertools.cycle(A)", "sum": "sum(A)",
    "product": "math.prod(A)", "sort sort_unstable": "A.sort()",
    "split_at split_at_mut": "(A[:B], A[B:])", "binary_search": "bisect.bisect_left(A, B)",
    "partition_point binary_search_by binary_search_by_key": "bisect.bisect_left(A, 0)",
})  # fmt: skip
_TAKEN: Final = frozenset(
    "pop pop_front pop_back peek first front last back last_mut front_mut back_mut first_mut".split()
)
"""Methods that give one where there is any."""
_GETTING: Final = frozenset("get get_mut remove swap_remove get_unchecked".split())
_LIMITS: Final = {
    "MAX": 1, "MIN": -1, "INFINITY": 1e308, "NEG_INFINITY": -1e308, "EPSILON": 2.2e-16, "PI": 3.141592653589793,
    "NAN": 0.0, "TAU": 6.283185307179586, "E": 2.718281828459045, "SQRT_2": 1.4142135623730951, "LN_2": 0.693,
    "FRAC_PI_2": 1.5707963267948966, "MIN_POSITIVE": 2.2e-308, "BITS": 64,
}  # fmt: skip
_FUNCTIONS: Final = spread({
    "stdin": "sys.stdin", "read_to_string fs::read": "sys.stdin.read()", "args": "['x']", "var vars Err": "None",
    "exit": "sys.exit()", "now elapsed": "time.monotonic()", "size_of": "8",
})  # fmt: skip
"""Functions that need not be given anything."""
_GIVEN: Final = spread(
    {
        "from_digit from_u32": "chr(A)",
        "from_str_radix": "int(A, 16)",
        "repeat": "itertools.repeat(A)",
        "successors once": "[A]",
    }
)
_PYTHON: Final = {"VecDeque": "collections.deque"} | dict.fromkeys(_MAPS, "dict") | dict.fromkeys(_SETS, "set")
_DONE: Final = spread({
    "dedup": "any(A)", "fill": "_tongue.fill(A, len(A) * B)",
    "copy_from_slice clone_from_slice": "_tongue.copy(A, len(A) * B)",
})  # fmt: skip
_BEGUN: Final = {"VecDeque": "collections.deque()", "String": "''", "bool": "False"} | dict.fromkeys(_MAPS, "{}")
_BEGUN.update(dict.fromkeys(_SETS, "set()"))
_CALLED: Final = {"/": "div", "%": "rem", "^": "bitxor", "&": "bitand", "|": "bitor", "<<": "shl", ">>": "shr"}
_TYPED: Final = {
    (f"{trait}{assigns and 'Assign'}", f"{named}{assigns and '_assign'}"): f"__{assigns}{python}__"
    for trait, named, python in (
        ("Add", "add", "add"), ("Sub", "sub", "sub"), ("Mul", "mul", "mul"), ("Div", "div", "truediv"),
        ("Rem", "rem", "mod"), ("BitXor", "bitxor", "xor"), ("BitAnd", "bitand", "and"), ("BitOr", "bitor", "or"),
    )
    for assigns in ("", "i")
}  # fmt: skip
"""What Python calls a trait's method."""
_GIVING_UP: Final = ("panic", "unreachable", "todo", "unimplemented", "bail")
_ASSERTING: Final = ("assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq")
_LEAVING: Final = ("return_expression", "break_expression", "continue_expression")
_FLOWING: Final = frozenset((
    "block", "unsafe_block", "if_expression", "match_expression", "loop_expression", "while_expression",
    "for_expression", "macro_invocation", *_LEAVING, "const_block",
))  # fmt: skip
"""What is more than an expression."""
_AROUND: Final = ("match_pattern", "mut_pattern", "ref_pattern", "reference_pattern")
"""Patterns that are what is within them."""
_COMMON: Final = frozenset(
    "new len push pop get insert iter next clone is_empty contains remove map unwrap min max first last sort abs sum"
    " to_string cmp eq fmt into from as_ref extend take set".split()
)
"""Methods that are the language's own where nobody knows of what they are."""
_MARK = re.compile(r"\{(\w*)(?::([^{}]*))?\}")
_SPEC = re.compile(r"[<>^]?0?\d*(\.\d+)?[xXbo]?")
_TEXT, _BOOL = Kind("String"), Kind("bool")


def _through(*of: Kind) -> Kind:
    return Kind("Iterator", of)


def _elements(of: Kind) -> Kind:
    return _through(Kind("tuple", of.of)) if of.name in _MAPS else Kind("Iterator", of.of[-1:])


def _same_elements(of: Kind) -> Kind:
    return _elements(of) if of.name in _LISTS else _through() if of.name in ("", "Lines") else of


_TYPES: Final[dict[str, Callable[[Kind], Kind]]] = spread({
    "len count capacity position": lambda of: Kind("usize"),
    " ".join(each for each in _MATHS if each != "isqrt"): lambda of: Kind("f64"),
    _BITS: lambda of: Kind("u32"),
    "split_whitespace split_ascii_whitespace split lines splitn rsplit": lambda of: _through(_TEXT),
    "chars": lambda of: _through(Kind("char")),
    "bytes": lambda of: _through(Kind("u8")),
    "keys into_keys": lambda of: Kind("Iterator", of.of[:1]),
    "windows chunks chunks_exact chunks_mut chunks_exact_mut": lambda of: _through(Kind("Vec", of.of)),
    "values values_mut into_values": lambda of: Kind("Iterator", of.of[-1:]),
    "iter iter_mut into_iter drain range": _elements,
    "rev skip take filter step_by copied cloned chain": _same_elements,
    "flatten": lambda of: Kind("Iterator", of.of[-1:] if of.name in _LISTS else of.one.of[-1:] if of.one.name in _LISTS
                               else of.of),
    "entry": lambda of: of.one,
    "to_string to_uppercase to_lowercase join concat repeat trim": lambda of: _TEXT,
    "as_bytes into_bytes": lambda of: Kind("Vec", (Kind("u8"),)),
    "to_vec as_slice as_mut_slice": lambda of: Kind("Vec", of.of),
    "split_at split_at_mut": lambda of: Kind("tuple", (of, of)),
})  # fmt: skip
"""What methods give of something of a type."""


class Rust(Typed):
    """Programs of one file."""

    constants: ClassVar[dict[str, object]] = {"None": None}

    def __init__(self) -> None:
        super().__init__()
        self.aliases = dict[str, Node]()
        """Types that have another name."""
        self.variants = dict[str, tuple[str, int, tuple[str, ...]]]()
        """Of enumerations: of which, the how manieth, and the names of what it holds."""
        self.simple = set[str]()
        """Enumerations that are numbers."""
        self.bodies = dict[str, list[tuple[Node, str]]]()
        """Functions of types, and the traits that they are for."""
        self.bases = dict[str, list[str]]()
        self.own = dict[str, set[str]]()
        """Names of methods."""
        self.free = set[str]()
        """Functions of types that are about no thing."""
        self.macros = dict[str, tuple[list[str], str]]()
        """Of one rule: names of what they are given, and a text with these in it."""
        self.expected: Kind = NOTHING
        self.result: Kind = NOTHING
        self.places = dict[str, ast.Name | ast.Attribute | ast.Subscript]()
        """Names that stand for places of a list."""
        self.labels: list[tuple[str, Sink | None]] = []
        """Loops that are under way, and what is done with what they give."""
        self.words = set[str]()
        """Functions that give the next word of the input."""
        self.owed = list[ast.stmt]()
        """What gives its values to names of patterns that are within others."""
        self._depth = 0

    @contextmanager
    def expecting(self, kind: Kind) -> Iterator[None]:
        """Where a value of this type is wanted."""
        before, self.expected = self.expected, self.bare(kind)
        yield
        self.expected = before

    # The program.

    def program(self, root: Node) -> list[ast.stmt]:
        self.text = text_of(root)
        items = self._items(root)
        for node in items:
            self._survey(node)
        things = [node for node in items if node.type in ("struct_item", "enum_item", "union_item")]
        values = [node for node in items if node.type in ("const_item", "static_item")]
        for node in values:
            self.declare(name_of(node), self.declared(field(node, "type")))
            self.globals.add(name_of(node))
        made = [*self._generics(things), *(self._class(node) for node in items if node.type == "trait_item")]
        made += [
            self._class(node) for node in things if name_of(node) not in self.simple or name_of(node) in self.bodies
        ]
        for named in self.bodies:
            made += self._free(named)
        made += self.statements([*(node for node in items if node.type == "function_item"), *values])
        if "main" in self.known:
            made.append(ast.Expr(called("main"), lineno=root.end_point[0] or 1))
        return made

    def _generics(self, things: Sequence[Node]) -> Iterator[ast.stmt]:
        """Numbers that types have as parameters: the first ones that are written anywhere."""
        for node in things:
            names = re.findall(r"const (\w+)", text_of(field(node, "type_parameters")))
            found = re.search(rf"\b{name_of(node)}(?:::)?<(?:\w+, )*(\d[\d_]*)\b", self.text) if names else None
            if found is not None:
                yield self.at(assigned(name(spelt(names[-1])), constant(number(found[1]))), node)

    def _items(self, root: Node) -> list[Node]:
        """All that stands outside of functions, in modules as well; not the tests."""
        found, test = list[Node](), False
        for node in children(root):
            if node.type == "attribute_item":
                test = test or text_of(node).replace(" ", "") in ("#[cfg(test)]", "#[test]")
                continue
            body = field(node, "body") if node.type == "mod_item" else None
            found += [] if test else self._items(body) if body is not None else [node]
            test = False
        return found

    def _survey(self, node: Node) -> None:
        """What there is, before anything is said."""
        named, body = name_of(node), field(node, "body")
        if node.type == "type_item":
            self.aliases[named] = needed(node, "type")
        elif node.type == "function_item":
            self.known.add(named)
            self._function_survey(named, node)
        elif node.type in ("struct_item", "union_item"):
            self.fields[named] = self._fields(body)
        elif node.type == "enum_item":
            shared = dict[str, Kind]()
            for place, each in enumerate(one for one in children(body) if one.type == "enum_variant"):
                found = self._fields(field(each, "body"))
                self.variants[name_of(each)] = (named, place, tuple(found))
                shared |= found
            if shared:
                self.fields[named] = shared
            else:
                self.simple.add(named)
        elif node.type in ("impl_item", "trait_item"):
            owner = self.declared(field(node, "type" if node.type == "impl_item" else "name")).name
            trait = text_of(field(node, "trait")).partition("<")[0]
            if trait:
                self.bases.setdefault(owner, []).append(trait)
            self.owner.append(owner)
            for each in children(body):
                if each.type in ("function_item", "function_signature_item"):
                    self._method_survey(each, owner, trait)
            self.owner.pop()
        elif node.type == "macro_definition" and "$(" not in text_of(node):
            rule = next(each for each in node.named_children if each.type == "macro_rule")
            parts = dict(re.findall(r"\$(\w+)\s*:\s*(\w+)", text_of(field(rule, "left"))))
            names, form = [*parts], text_of(field(rule, "right"))[1:-1]
            self.macros[named] = (
                names,
                re.sub(r"\$(\w+)", lambda of: f"({of[0]})" if parts.get(of[1]) == "expr" else of[0], form),
            )

    def _method_survey(self, node: Node, owner: str, trait: str) -> None:
        own, about = name_of(node), _is_method(node) or node.type == "function_signature_item"
        if node.type == "function_item":
            self.bodies.setdefault(owner, []).append((node, trait))
        if about:
            self.own.setdefault(owner, set()).add(own)
        else:
            self.free.add(f"{owner}::{own}")
        self._function_survey(f"{owner}{'.' if about else '::'}{own}", node)

    def _function_survey(self, named: str, node: Node) -> None:
        self.gives[named] = self.declared(field(node, "return_type"))
        text = text_of(field(node, "body"))
        reads = "split" in text and "parse" in text and re.search(r"read_line|\.next\(\)|pop\(\)|read_to_string", text)
        short = named != "main" and len(text) < 800 and "for " not in text
        one = self.bare(self.gives[named]).name not in (*_LISTS, "tuple")
        if reads and short and one and re.search(r"<\w+|FromStr", text_of(node)):
            self.words.add(re.split(r"\.|::", named)[-1])

    def _fields(self, body: Node | None) -> dict[str, Kind]:
        if body is not None and body.type == "ordered_field_declaration_list":
            return {f"_{place}": self.declared(each) for place, each in enumerate(body.children_by_field_name("type"))}
        named = [each for each in children(body) if each.type == "field_declaration"]
        return {name_of(each): self.declared(field(each, "type")) for each in named}

    def _class(self, node: Node) -> ast.stmt:
        """A type with what its fields begin with, and its methods."""
        named, body = name_of(node), list[ast.stmt]()
        if fields := self.fields.get(named):
            inline = rf"(Vec|VecDeque|BinaryHeap)<{named}\b|\[{named}\b"
            body = self.begins(fields, [constant(None) for _ in fields], inline)
            if re.search(rf"derive\([^)]*\bCopy\b[^)]*\)\][^;{{]*\bstruct {named}\b", self.text):
                body = [assigned(name("__flat__"), constant(1)), *body]  # it stands in its place
            listed_in = [each for each, kind in fields.items() if kind.name in _LISTS]
            if "Iterator" in self.bases.get(named, ()) and listed_in:  # as many as that has which it goes through
                given = ast.Expr(ast.Yield(method(name("self"), spelt("next"))))
                whole = ast.Attribute(name("self"), spelt(listed_in[0]), ast.Load())
                body.append(function_of("__iter__", ["self"], [for_each(name("__one"), whole, [given])]))
            elif "Iterator" in self.bases.get(named, ()):  # until there is none
                first, further = (assigned(name("__one"), method(name("self"), spelt("next"))) for _ in range(2))
                gives = [ast.Expr(ast.Yield(name("__one"))), further]
                goes = ast.While(said("A is not None", name("__one")), gives, [])
                body.append(function_of("__iter__", ["self"], [first, goes]))
        self.owner.append(named)
        for each, trait in self.bodies.get(named, ()):
            if _is_method(each):
                body.append(self.function(_TYPED.get((trait, name_of(each)), name_of(each)), each))
        self.owner.pop()
        bases = [name(each) for each in dict.fromkeys(self.bases.get(named, ())) if each in self.bodies]
        return self.at(ast.ClassDef(named, [*bases], [], body or [ast.Pass()], []), node)

    def _free(self, named: str) -> list[ast.stmt]:
        """Functions of a type that are about no thing."""
        self.owner.append(named)
        free = [node for node, _ in self.bodies.get(named, ()) if not _is_method(node)]
        made = [self.function(f"{named}__{name_of(node)}", node) for node in free]
        self.owner.pop()
        return made

    def function(self, named: str, node: Node) -> ast.stmt:
        labels, self.labels = self.labels, []
        result, self.result = self.result, self.declared(field(node, "return_type"))
        with self.scope():
            about = _is_method(node)
            if about:
                self.declare("self", Kind(self.owner[-1]))
            given = [each for each in children(field(node, "parameters")) if each.type == "parameter"]
            targets = [self.pattern(field(each, "pattern"), self.declared(field(each, "type"))) for each in given]
            names, inside = self._names(targets)
            if name_of(node) in self.words:
                inside.append(ast.Return(self.word()))
            else:
                with self.expecting(self.result):
                    inside += self.into(field(node, "body"), self.returned)
            inside = self.shared(inside)
        self.result, self.labels = result, labels
        named = named if "__" in named else spelt(named)
        return self.at(function_of(named, ["self", *names] if about else names, inside), node)

    def _names(self, targets: Sequence[ast.expr]) -> tuple[list[str], list[ast.stmt]]:
        """Names of parameters, and what parts those that consist of several."""
        names, prelude = list[str](), list[ast.stmt]()
        for target in targets:
            names.append(target.id if isinstance(target, ast.Name) and target.id != "_" else self.fresh())
            prelude += [] if isinstance(target, ast.Name) else [assigned(target, name(names[-1]))]
        return names, [*prelude, *self.paid()]

    def returned(self, value: ast.expr) -> list[ast.stmt]:
        return [] if _is_nothing(value) and not self.result.name else [ast.Return(value)]

    # Types.

    def declared(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        inner = [each for each in node.named_children if each.type not in ("lifetime", "mutable_specifier")]
        if node.type in ("reference_type", "pointer_type", "parenthesized_type", "bounded_type"):
            return self.declared(field(node, "type") or inner[-1])
        if node.type == "array_type":
            size, one = field(node, "length"), self.declared(field(node, "element"))
            return Kind("array", (one,), self.value(size)) if size is not None else Kind("Vec", (one,))
        if node.type == "tuple_type":
            return Kind("tuple", tuple(map(self.declared, inner)))
        if node.type in ("dynamic_type", "abstract_type"):
            return self.declared(field(node, "trait"))
        named = text_of(field(node, "type") if node.type == "generic_type" else node).rpartition("::")[2]
        if named in _READERS:
            return Kind("Stdin")
        if node.type == "generic_type":
            given = [each for each in children(field(node, "type_arguments")) if each.type != "lifetime"]
            return Kind(named, tuple(map(self.declared, given[: 1 if named == "Result" else None])))
        if named == "Self" and self.owner:
            return Kind(self.owner[-1])
        if named in self.aliases:
            return self.declared(self.aliases[named])
        return Kind({"str": "String", "()": ""}.get(named, named))

    def bare(self, kind: Kind) -> Kind:
        """What is in it."""
        while kind.name in _WRAPPED and kind.of:
            kind = kind.one
        return kind

    def begun(self, kind: Kind) -> ast.expr:
        """What something is by default."""
        kind = self.bare(kind) if kind.name != "Option" else NOTHING
        if kind.name == "array" and kind.size is not None:
            return self.several(kind.size, self.begun(kind.one), kind.one)
        if kind.name in ("Vec", "BinaryHeap"):
            return self.typed(kind.one)
        if kind.name == "tuple":
            return tuple_of(*map(self.begun, kind.of))
        if kind.name in self.fields:
            return self.anew(kind.name)
        whole = kind.whole or kind.name in self.simple
        return said(_BEGUN.get(kind.name, "0.0" if kind.floating else "0" if whole else "None"))

    def anew(self, named: str) -> ast.Call:
        """A thing all of whose fields begin."""
        fields = self.fields[named]
        if self._depth > 3 or named in self._enumerations():
            return called(named)
        self._depth += 1
        made = _thing(named, fields, [*map(self.begun, fields.values())])
        self._depth -= 1
        return made

    def _enumerations(self) -> set[str]:
        return {of for of, *_ in self.variants.values()}

    def typed(self, one: Kind) -> ast.expr:
        return said("_tongue.filled(0, 'x', 4)") if one.name == "char" else super().typed(one)

    def key(self, node: Node) -> ast.expr:
        """What something is kept under: letters as a text."""
        kind, value = self.type_of(node), self.value(node)
        letters = kind.name in ("Vec", "array") and kind.one.name in ("char", "u8") and isinstance(value, ast.Name)
        return said("''.join(A)", value) if letters else value

    def several(self, count: ast.expr, one: ast.expr, kind: Kind) -> ast.expr:
        """So many of these."""
        if isinstance(one, ast.Constant) and isinstance(one.value, float) and not kind.name:
            kind = Kind("f64")
        if kind.scalar or kind.name in self.simple:
            size = kind.bytes if kind.scalar else 1
            return called("_tongue.filled", count, one, constant(int(size)))
        return listed(count, one, several=not isinstance(one, (ast.Constant, ast.Name, ast.UnaryOp)))

    def extent(self, kind: Kind) -> float:
        inner, held = self.bare(kind), kind.one.name in ("Box", "Rc", "Arc")
        if kind.name in ("Box", "Rc", "Arc") or (kind.name == "Option" and held):
            return 8.0 if kind.name == "Option" else 8.0 + 16.0
        unknown = inner.name not in self.fields and re.fullmatch(r"[A-Z]\d?", inner.name)  # a type's parameter
        size = inner.bytes if inner.scalar or unknown else 0.0
        return 1.0 if inner.name in self.simple else size * (2.0 if kind.name == "Option" else 1.0)

    def type_of(self, node: Node | None) -> Kind:
        return self.bare(self._type_of(node))

    def _type_of(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        kind, inner = node.type, node.named_children
        if kind in _TYPE_OF:
            return _TYPE_OF[kind](self, node)
        if kind in ("identifier", "self"):
            named = text_of(node)
            known = self.kind(named)
            return Kind(self.variants[named][0]) if named in self.variants and known is NOTHING else known
        if kind in ("integer_literal", "float_literal"):
            suffix = re.search(r"^(?!0x).*?([iuf](?:8|16|32|64|128|size))$", text_of(node))
            return Kind(suffix[1]) if suffix else Kind("f64") if kind == "float_literal" else NOTHING
        if kind == "binary_expression":
            if text_of(field(node, "operator")) in (*COMPARED, "&&", "||"):
                return _BOOL
            sides = [self.type_of(field(node, side)) for side in ("left", "right")]
            return next((side for side in sides if side.floating), next((one for one in sides if one.name), NOTHING))
        if kind == "index_expression":
            of = self.type_of(inner[0])
            part = of.name not in _MAPS and inner[-1].type == "range_expression"
            return of.one if not part else of if of.name == "String" else Kind("Vec", of.of)
        if kind == "field_expression":
            of, named = self.type_of(field(node, "value")), text_of(field(node, "field"))
            if of.name == "tuple" and named.isdecimal():
                return of.of[int(named)] if int(named) < len(of.of) else NOTHING
            return self.fields.get(of.name, {}).get(f"_{named}" if named.isdecimal() else named, NOTHING)
        if kind == "macro_invocation":
            named = text_of(field(node, "macro"))
            inside = self.reparsed(node, "[", "]") if named == "vec" else None
            return _TEXT if named == "format" else Kind("Vec", self._type_of(inside).of) if named == "vec" else NOTHING
        if kind in ("if_expression", "block", "unsafe_block"):
            last = field(node, "consequence") or (inner[-1] if inner else None)
            if last is not None and last.type == "expression_statement":
                last = last.named_children[0]
            return self._type_of(last)
        if kind == "scoped_identifier":
            first, last_ = self._path(text_of(node))
            if last_ in self.variants:
                return Kind(self.variants[last_][0])
            return self.kind(last_) if last_ not in _LIMITS else Kind(first if Kind(first).scalar else "f64")
        if kind == "call_expression":
            call = self.call_of(node)
            return self._method_type(call) if call is not None else self._call_type(node)
        return NOTHING

    def _path(self, text: str) -> tuple[str, str]:
        """What the last name of a path belongs to, and that name."""
        first, _, last = re.sub(r"(?:::)?<.*?>(?=::|$)", "", text).rpartition("::")
        first = first.rpartition("::")[2]
        first = self.owner[-1] if first == "Self" and self.owner else first
        return self.declared(self.aliases[first]).name if first in self.aliases else first, last

    def _call_type(self, node: Node) -> Kind:
        given = _given(node)
        first, last = self._path(text_of(_function(node)))
        own = f"{first}::{last}" if first else last
        if own in self.gives:
            return self.gives[own]
        if not first and self.kind(last).name == "closure":
            return self.kind(last).one
        kind = self.type_of(given[0]) if given else NOTHING
        if last in _WRAPPED and given:
            return kind
        if whose := self._whose(last):
            return Kind(whose)
        if last == "stdin" or (first in _READERS and any(self.type_of(each).name == "Stdin" for each in given)):
            return Kind("Stdin")
        if first == "env":
            return Kind("Args")
        if last in ("new", "with_capacity", "default", "from", "from_iter") and first:
            if first in _WRAPPED and given:
                return kind
            return self.expected if self.expected.name == first else Kind(first, kind.of if last == "from" else ())
        if last in ("max", "min", "replace", "take", "swap") and given:
            return kind
        if last.startswith("from_utf8"):
            return kind if kind.name == "Stdin" else _TEXT
        if Kind(first).scalar:
            return Kind(first)
        return _TEXT if first == "String" or last == "read_to_string" else NOTHING

    def _method_type(self, call: _Call) -> Kind:
        of, (_, named, given, generic) = self.type_of(call.owner), call
        for each in (of.name, *self.bases.get(of.name, ())):
            if f"{each}.{named}" in self.gives:
                return self.gives[f"{each}.{named}"]
        if of.name == "Stdin":
            kinds = {"lines": Kind("Lines"), "bytes": _through(Kind("u8"))}
            return Kind("usize") if named.startswith("read") else kinds.get(named, of)
        through = of.name in ("Iterator", "Lines")
        if through and named in ("next", "next_back", "nth", "last", "max", "min", "find", "peek"):
            return _TEXT if of.name == "Lines" else of.one
        if named in ("collect", "parse", "sum", "product"):
            told = generic[0] if generic else self.expected
            return told if told.name else of.one if named != "parse" else NOTHING
        if named in ("map", "filter_map", "flat_map") and given:
            if through or of.name == "Args":
                return _through(self.closure_type(given[0], of.one))
            return self.closure_type(given[0], of)
        if named in ("enumerate", "zip"):
            other = self.type_of(given[0]).one if given else of.one
            return _through(Kind("tuple", (Kind("usize"), of.one) if named == "enumerate" else (of.one, other)))
        if named == "fold" and given:
            return self.type_of(given[0])
        if (named in _TAKEN or named in _GETTING) and (of.name in _LISTS or of.name in _MAPS):
            return of if given and given[0].type == "range_expression" else of.one
        if named in _TYPES:
            return _TYPES[named](of)
        return _through() if named in _ITERATING and of.name in ("", "Lines") else of

    def closure_type(self, node: Node, *kinds: Kind) -> Kind:
        """What a function gives that is given such things."""
        if node.type != "closure_expression":
            text = text_of(node)
            last = text.rpartition("::")[2]
            if own := self._whose(last):
                return Kind(own)
            return self.gives.get(text, _TEXT if "String" in text or last == "to_string" else NOTHING)
        if (result := field(node, "return_type")) is not None:
            return self.declared(result)
        with self.scope():
            for pattern, kind in zip(_parameters(node), [*kinds, NOTHING, NOTHING], strict=False):
                self.pattern(pattern, kind)
            body = field(node, "body")
            for each in body.named_children[:-1] if body is not None and body.type == "block" else ():
                if each.type == "let_declaration":
                    of = field(each, "type")
                    kind = self.declared(of) if of is not None else self.type_of(field(each, "value"))
                    self.pattern(field(each, "pattern"), kind)
            return self.type_of(body)

    # Patterns.

    def pattern(self, node: Node | None, kind: Kind) -> ast.expr:
        """What a pattern that always fits gives its values to; what has no name there comes from `owed`."""
        kind, inner = self.bare(kind), _parts(node)
        if node is None or node.type == "_":
            return name("_")
        if node.type in ("identifier", "shorthand_field_identifier"):
            self.declare(text_of(node), kind)
            return name(spelt(text_of(node)))
        if node.type in (*_AROUND, "captured_pattern"):
            return self.pattern(inner[-1 if node.type in _AROUND[1:] else 0], kind)
        if node.type in ("tuple_pattern", "slice_pattern"):
            kinds = kind.of if kind.name == "tuple" else [kind.one] * len(inner)
            kinds = [*kinds, *[NOTHING] * len(inner)]
            return tuple_of(*map(self.pattern, inner, kinds))
        if node.type == "tuple_struct_pattern" and _is_wrapping(node):
            return self.pattern(inner[1], kind)
        if node.type in ("struct_pattern", "tuple_struct_pattern"):
            made = self.fresh()
            self.owed += self.opened(node, name(made), kind)[1]
            return name(made)
        return name("_")

    def paid(self) -> list[ast.stmt]:
        """What is owed."""
        made, self.owed = self.owed, []
        return made

    def opened(self, node: Node, subject: ast.expr, kind: Kind) -> Fitting:
        kind, inner, text = self.bare(kind), _parts(node), text_of(node)
        last = text.rpartition("::")[2]
        if node.type in ("identifier", "scoped_identifier", "shorthand_field_identifier"):
            if text == "None":
                return [said("A is None", subject)], []
            if last in self.variants and last[:1].isupper():
                return self.tagged(subject, last), []
            if node.type == "scoped_identifier" or (last.isupper() and last in self.globals):
                return [is_equal(subject, self.value(node))], []
            self.declare(text, kind)
            return [], [assigned(name(spelt(text)), subject)]
        if node.type in _AROUND:
            return self.opened(inner[-1 if node.type in _AROUND[1:] else 0], subject, kind)
        if node.type == "captured_pattern":
            tests, binds = self.opened(inner[1], subject, kind)
            return tests, [*self.opened(inner[0], subject, kind)[1], *binds]
        if node.type == "or_pattern":
            several = [self.opened(each, subject, kind) for each in inner]
            return [any_of([all_of(tests) for tests, _ in several])], several[0][1]
        if node.type == "range_pattern":
            ends = [self.value(each) for each in inner]
            if len(ends) > 1:
                return [said("B <= A <= C", subject, *ends)], []
            return [said("A <= B" if text.startswith("..") else "A >= B", subject, ends[0])], []
        if node.type in ("tuple_pattern", "slice_pattern"):
            return self._each_opened(inner, subject, kind, node.type == "slice_pattern")
        if node.type == "tuple_struct_pattern":
            named = text_of(inner[0]).rpartition("::")[2].partition("<")[0]
            if named in _WRAPPED and len(inner) > 1:
                tests, binds = self.opened(inner[1], subject, kind)
                return [*([said("A is not None", subject)] if named == "Some" else []), *tests], binds
            return self._fields_opened(named, [(f"_{n}", each) for n, each in enumerate(inner[1:])], subject, kind)
        if node.type == "struct_pattern":
            named = text_of(field(node, "type")).rpartition("::")[2].partition("<")[0]
            own = [each for each in inner if each.type == "field_pattern"]
            parts = [(name_of(each), field(each, "pattern") or needed(each, "name")) for each in own]
            return self._fields_opened(named, parts, subject, kind)
        if text == "_" or node.type in ("remaining_field_pattern", "macro_invocation"):
            return [], []
        return [is_equal(subject, self.value(node))], []

    def tagged(self, subject: ast.expr, variant: str) -> list[ast.expr]:
        """Whether it is this one of an enumeration."""
        of, place, _ = self.variants.get(variant, ("", 0, ()))
        if of in self.simple:
            return [is_equal(subject, constant(place))]
        return [is_equal(ast.Attribute(subject, "tag", ast.Load()), constant(variant))] if of else []

    def _fields_opened(self, named: str, parts: list[tuple[str, Node]], subject: ast.expr, kind: Kind) -> Fitting:
        tests, binds = self.tagged(subject, named), list[ast.stmt]()
        for key, each in parts:
            if each.type != "remaining_field_pattern":
                of = self.fields.get(kind.name, {}).get(key, NOTHING)
                more, bound = self.opened(each, ast.Attribute(subject, spelt(key), ast.Load()), of)
                tests, binds = [*tests, *more], [*binds, *bound]
        return tests, binds

    def _each_opened(self, inner: Sequence[Node], subject: ast.expr, kind: Kind, sized: bool) -> Fitting:
        """The parts of a tuple or of a list, where one may stand for the rest."""
        kinds = ("remaining_field_pattern", "captured_pattern")
        rests = [place for place, each in enumerate(inner) if each.type in kinds and ".." in text_of(each)]
        rest = rests[0] if rests else len(inner)
        tests, binds = list[ast.expr](), list[ast.stmt]()
        if sized and rest == len(inner):
            tests.append(is_equal(length(subject), constant(len(inner))))
        for place, each in enumerate(inner):
            at = place - len(inner) if place > rest else place
            if place == rest:
                if each.type == "captured_pattern":
                    part = subscript(subject, ast.Slice(constant(place), None, None))
                    binds += self.opened(each.named_children[0], part, kind)[1]
                continue
            known = isinstance(subject, ast.Tuple) and 0 <= at < len(subject.elts)
            one = subject.elts[at] if known and isinstance(subject, ast.Tuple) else subscript(subject, constant(at))
            of = (kind.of[place] if place < len(kind.of) else NOTHING) if kind.name == "tuple" else kind.one
            more, bound = self.opened(each, one, of)
            tests, binds = [*tests, *more], [*binds, *bound]
        return tests, binds

    # Statements.

    def _do_block(self, node: Node) -> list[ast.stmt]:
        return self.into(node, quiet)

    _do_unsafe_block = _do_block

    _do_use_declaration = _do_attribute_item = _do_inner_attribute_item = _do_struct_item = _do_enum_item = (
        Typed._do_empty_statement
    )
    _do_impl_item = _do_trait_item = _do_type_item = _do_macro_definition = _do_mod_item = _do_union_item = (
        Typed._do_empty_statement
    )

    def _do_function_item(self, node: Node) -> list[ast.stmt]:
        owner, self.owner = self.owner, []
        made = self.function(name_of(node), node)
        self.owner = owner
        return [made]

    def _do_const_item(self, node: Node) -> list[ast.stmt]:
        kind = self.declared(field(node, "type"))
        self.declare(name_of(node), kind)
        with self.expecting(kind):
            return self.into(field(node, "value"), lambda found: [assigned(name(spelt(name_of(node))), found)])

    _do_static_item = _do_const_item

    def kept(self, value: ast.expr, node: Node) -> ast.expr:
        """Something that is gone through one by one is remembered as far as it was gone through."""
        call = self.call_of(node)
        steps = call is not None and call.named in _ITERATING and self._type_of(node).name == "Iterator"
        return called("iter", value) if steps else value

    def _do_let_declaration(self, node: Node) -> list[ast.stmt]:
        pattern, value, kind = needed(node, "pattern"), field(node, "value"), self.declared(field(node, "type"))
        if value is None:
            self.pattern(pattern, kind)
            return []
        if not kind.name or kind.one.name == "_":
            found = self._type_of(value)
            kind = found if not kind.name or not found.name else Kind(kind.name, found.of)
        kind = self._of_field(pattern, value, self.hinted(pattern, kind))
        if (otherwise := field(node, "alternative")) is not None:  # `let Some(x) = … else { … }`
            setup, test, binds = self.asking(pattern, value)
            other = self.body(otherwise)
            return [*setup, *([ast.If(negated(test), other, [])] if test is not None else []), *binds]
        named = text_of(pattern).removeprefix("mut ")
        if value.type == "closure_expression":
            made = self._of_closure_expression(value, spelt(named))
            self.declare(named, Kind("closure", (self.closure_type(value),)))
            return [assigned(name(spelt(named)), made)] if not isinstance(made, ast.Name) else []
        place = self.value(value) if text_of(value).startswith("&mut") else None
        if isinstance(place, (ast.Subscript, ast.Attribute)):
            self.places[named] = place
        targets = list[tuple[ast.expr, list[ast.stmt]]]()

        def sink(found: ast.expr) -> list[ast.stmt]:
            if not targets:
                targets.append((self.pattern(pattern, kind), self.paid()))
            target, late = targets[0]
            return [*apart(target, self.kept(found, value)), *late]

        with self.expecting(kind):
            return self.into(value, sink)

    def hinted(self, pattern: Node, kind: Kind) -> Kind:
        """A list of which nobody says what it holds, by what is put into it, or by what gives it."""
        if pattern.type == "tuple_pattern" and kind.name == "tuple":
            return Kind("tuple", tuple(map(self.hinted, _parts(pattern), kind.of)))
        named = text_of(pattern).removeprefix("mut ")
        if kind.name not in ("Vec", "VecDeque") or kind.one.name not in ("", "_") or not named.isidentifier():
            return kind
        cast = re.search(rf"\b{named}\.(?:push|push_back)\([^;]* as ([iuf]\d+|usize)\)", self.text)
        if cast is not None:
            return Kind(kind.name, (Kind(cast[1]),))
        result = self.bare(self.result)
        return result if result.name == kind.name and re.search(rf"\b{named}\)?\s*\}}", self.text) else kind

    def _of_field(self, pattern: Node, value: Node, kind: Kind) -> Kind:
        """A list of numbers of which nobody says how large they are, by the field that it becomes."""
        named, text = text_of(pattern).removeprefix("mut "), text_of(value)
        plain = re.match(r"vec!\s*\[(?:\d+;|\])|Vec::(?:new|with_capacity)\(", text) or text.endswith(".collect()")
        told = kind.name == "Vec" and kind.one.name and re.search(rf"\d{kind.one.name}\b", text)
        if not (plain and named.isidentifier()) or told or kind.name not in ("", "Vec", "Iterator"):
            return kind
        for found in re.finditer(rf"\b([A-Z]\w*)\s*\{{([^{{}}]*?[,{{ ])?(?:(\w+): )?{named}\s*[,}}]", self.text):
            fields = self.fields.get(self.owner[-1] if found[1] == "Self" and self.owner else found[1], {})
            of = fields.get(found[3] or named, NOTHING)
            if of.name == "Vec" and of.one.scalar:
                return of
        return kind

    def into(self, node: Node | None, sink: Sink) -> list[ast.stmt]:
        """What an expression does, and what is done with what it gives."""
        if node is None:
            return sink(constant(None))
        before, after, self.before, self.after = self.before, self.after, [], []
        gives = getattr(self, f"_into_{node.type}", None)
        if gives is not None:
            made = gives(node, sink)
        elif sink is quiet:
            made = self.effect(node)
        elif node.type in ("assignment_expression", "compound_assignment_expr"):
            made = [*self.effect(node), *sink(constant(None))]
        else:
            made = sink(self.value(node))
        made = [*self.before, *made, *self.after]
        self.before, self.after = before, after
        for each in made:
            if not hasattr(each, "lineno"):
                self.at(each, node)
        return made

    def _into_block(self, node: Node, sink: Sink) -> list[ast.stmt]:
        inner, made = [each for each in children(node) if each.type != "label"], list[ast.stmt]()
        with self.scope():
            for each in inner:
                if each.type in ("function_item", "struct_item", "enum_item", "impl_item"):
                    self._survey(each)
            for each in inner:
                if each.type in ("struct_item", "enum_item") and name_of(each) not in self.simple:
                    made += [self._class(each), *self._free(name_of(each))]
            for each in inner[:-1]:
                with self.expecting(NOTHING):
                    made += self.statement(each)
            given = inner[-1] if inner else None
            if given is not None and given.type == "expression_statement" and not text_of(given).endswith(";"):
                given = given.named_children[0]
            if given is not None and given.type.endswith(("_statement", "_declaration", "_item")):
                made += self.statement(given)
                if given.named_children and given.named_children[0].type in _LEAVING:
                    return made
                given = None
            return [*made, *(self.into(given, sink) if given is not None or sink is not quiet else [])]

    _into_unsafe_block = _into_const_block = _into_block

    def _into_if_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        if sink is not quiet and (either := self._either(node)) is not None:
            return sink(either)
        with self.scope():
            setup, test, binds = self.condition(needed(node, "condition"))
            then = [*binds, *self.into(field(node, "consequence"), sink)] or [ast.Pass()]
        other = children(field(node, "alternative"))
        behind = self.into(other[0], sink) if other else []
        if test is not None:
            return [*setup, ast.If(test, then, behind)]
        return [*setup, *([ast.Try(then, [ast.ExceptHandler(None, None, behind)], [], [])] if behind else then)]

    def _either(self, node: Node) -> ast.expr | None:
        """`if a { b } else { c }` where each is but a value."""
        condition, other = needed(node, "condition"), children(field(node, "alternative"))
        if condition.type in ("let_condition", "let_chain") or not other:
            return None
        values = [self.test(condition)]
        for each in (needed(node, "consequence"), other[0]):
            parts = children(each) if each.type == "block" else [each]
            one = parts[0] if len(parts) == 1 else each
            several = one.type in ("expression_statement", "let_declaration", "macro_invocation", *_LEAVING)
            if len(parts) != 1 or (several and not text_of(one).startswith("format!")):
                return None
            before, self.before = self.before, []
            flows = one.type in _FLOWING and not several
            found = self._either(one) if one.type == "if_expression" else None if flows else self.value(one)
            more, self.before = self.before, before
            if found is None or more:
                return None
            values.append(found)
        return ast.IfExp(*values)

    def condition(self, node: Node) -> tuple[list[ast.stmt], ast.expr | None, list[ast.stmt]]:
        """What is done before it is asked, what is asked, and what names are given then."""
        if node.type == "let_condition":
            return self.asking(needed(node, "pattern"), needed(node, "value"))
        if node.type == "let_chain":
            parts = [self.condition(each) for each in node.named_children]
            tests = [test for _, test, _ in parts if test is not None]
            return [made for setup, _, binds in parts for made in (*setup, *binds)], all_of(tests), []
        return [], self.test(node), []

    def asking(self, pattern: Node, value: Node) -> tuple[list[ast.stmt], ast.expr | None, list[ast.stmt]]:
        """`let P = v`: what is done before it is asked, what is asked, and what names are given then."""
        call, inner = self.call_of(value), pattern.named_children
        some = pattern.type == "tuple_struct_pattern" and len(inner) > 1 and text_of(inner[0]) in _WRAPPED
        kind = self.type_of(value)
        of = self.type_of(call.owner) if call is not None else NOTHING
        if some and call is not None and not self._own(of, call.named):
            if call.named in ("strip_prefix", "strip_suffix"):
                begins = "startswith" if call.named == "strip_prefix" else "endswith"
                test = method(self.value(call.owner), begins, self.value(call.given[0]))
                return [], test, self._given_to(inner[1], self.value(value), _TEXT)
            if call.named in _TAKEN and of.name not in (*_SETS, *_MAPS, "Iterator"):
                found, container = self.value(value), self.value(call.owner)
                if isinstance(container, _PLACES):
                    return [], container, self._given_to(inner[1], found, kind)
        found, setup = self.value(value), list[ast.stmt]()
        if some and inner[1].type == "identifier":
            setup = self._given_to(inner[1], found, kind)
            there = said("A is not None", name(spelt(text_of(inner[1]))))
            return setup, there if text_of(inner[0]) == "Some" else None, []
        parted = isinstance(found, ast.Tuple) and pattern.type == "tuple_pattern"
        if not parted and not isinstance(found, (ast.Name, ast.Constant)):
            subject = name(self.fresh())
            setup.append(assigned(subject, found))
            found = name(subject.id)
        tests, binds = self.opened(pattern, found, kind)
        return setup, all_of(tests) if tests else None, binds

    def _given_to(self, pattern: Node, value: ast.expr, kind: Kind) -> list[ast.stmt]:
        return [assigned(self.pattern(pattern, kind), value), *self.paid()]

    def _into_match_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        value = needed(node, "value")
        arms = [each for each in children(field(node, "body")) if each.type == "match_arm"]
        arms = [arm for arm in arms if not _hopeless(field(arm, "value"))] or arms
        firsts = [_first(needed(arm, "pattern")) for arm in arms]
        names = [text_of(each).partition("(")[0].strip() for each in firsts]
        if len(arms) == 2 and {*names} in ({"Ok", "Err"}, {"Ok", "_"}):
            return self._tried(value, arms, names.index("Ok"), firsts[names.index("Ok")], sink)
        place = next((names.index(each) for each in ("Some", "true") if each in names), -1)
        place = 1 - names.index("None") if place < 0 and "None" in names else place
        if len(arms) == 2 and place >= 0 and field(needed(arms[place], "pattern"), "condition") is None:
            with self.scope():
                asked = ([], self.test(value), []) if names[place] == "true" else self.asking(firsts[place], value)
                setup, test, binds = asked
                then = [*binds, *self.into(field(arms[place], "value"), sink)] or [ast.Pass()]
            return [*setup, ast.If(test or constant(True), then, self.into(field(arms[1 - place], "value"), sink))]
        return self._matched(value, arms, sink)

    def _tried(self, value: Node, arms: Sequence[Node], place: int, first: Node, sink: Sink) -> list[ast.stmt]:
        """`match v { Ok(x) => …, Err(_) => … }`."""
        with self.scope():
            kind, found = self.type_of(value), self.value(value)
            inner = first.named_children[1:]
            bind = self._given_to(inner[0], found, kind) if inner else [ast.Expr(found)]
            then = self.into(field(arms[place], "value"), sink)
        other = self.into(field(arms[1 - place], "value"), sink) or [ast.Pass()]
        return [ast.Try([*bind, *then], [ast.ExceptHandler(None, None, other)], [], [])]

    def _matched(self, value: Node, arms: Sequence[Node], sink: Sink) -> list[ast.stmt]:
        """`match` as what it is, or as `if` where few or none of its arms ask for a number or a text."""
        outer, self.before = self.before, []
        subject, kind = self.value(value), self.type_of(value)
        if isinstance(subject, ast.Tuple):
            plain = (ast.Name, ast.Constant, ast.Attribute)
            subject.elts = [each if isinstance(each, plain) else self.held(each) for each in subject.elts]
        elif not isinstance(subject, ast.Name):
            subject = self.held(subject)
        made, self.before = [*self.before], outer
        cases, tests = list[ast.match_case](), list[tuple[ast.expr, list[ast.stmt]]]()
        for arm in arms:
            with self.scope():
                pattern = needed(arm, "pattern")
                asked, binds = self.opened(pattern, subject, kind)
                inside = [*binds, *self.into(field(arm, "value"), sink)] or [ast.Pass()]
                if (guard := field(pattern, "condition")) is not None:
                    made += binds
                    asked.append(self.test(guard))
            test = all_of(asked)
            tests.append((test, inside))
            patterns: list[ast.pattern] = [ast.MatchValue(each) for each in _values(asked)]
            one = ast.MatchOr(patterns) if len(patterns) > 1 else patterns[0] if patterns else ast.MatchAs(None, None)
            cases.append(ast.match_case(one, None if patterns or isinstance(test, ast.Constant) else test, inside))
        orders = (ast.Lt, ast.Gt, ast.LtE, ast.GtE)
        ranges = any(isinstance(one, ast.Compare) and isinstance(one.ops[0], orders) for one, _ in tests)
        constants = [each.value for test, _ in tests for each in ast.walk(test) if isinstance(each, ast.Constant)]
        words = isinstance(subject, ast.Tuple) and any(isinstance(each, str) for each in constants)
        if len(tests) != 2 and not ranges and not words:
            return [*made, ast.Match(subject, cases)] if cases else made
        chain = list[ast.stmt]()
        for place, (test, inside) in enumerate(reversed(tests)):
            sure = isinstance(test, ast.Constant) or (place == 0 and sink is not quiet)
            chain = inside if sure else [ast.If(test, inside, chain)]
        return [*made, *chain]

    @contextmanager
    def loop(self, node: Node, sink: Sink | None = None) -> Iterator[None]:
        """What is within a loop."""
        self.labels.append((next((text_of(each) for each in children(node) if each.type == "label"), ""), sink))
        places = dict(self.places)
        with self.scope():
            yield
        self.places = places
        self.labels.pop()

    def _into_loop_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        with self.loop(node, sink):
            return [ast.While(constant(True), self.into(field(node, "body"), quiet) or [ast.Pass()], [])]

    def _into_while_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        condition, body = needed(node, "condition"), field(node, "body")
        with self.loop(node):
            if (through := self._taken(condition, body)) is not None:
                return [through]
            with self.aside():
                setup, test, binds = self.condition(condition)
                setup = [*self.before, *setup]
            inside = [*binds, *self.into(body, quiet)]
            first = setup[0] if len(setup) == 1 else None
            reads = isinstance(first, ast.Assign) and isinstance(first.value, ast.Call)
            if isinstance(first, ast.Assign) and reads and "read_line" in text_of(condition):
                setup, test = [], ast.NamedExpr(first.targets[0], first.value)  # type: ignore[arg-type]
            if setup or test is None:
                leaving = [ast.If(negated(test), [ast.Break()], [])] if test is not None else []
                test, inside = constant(True), [*setup, *leaving, *inside]
            return [ast.While(test, inside or [ast.Pass()], [])]

    def _taken(self, condition: Node, body: Node | None) -> ast.stmt | None:
        """`while let Some(x) = i.next()` where nothing else takes of it; None of others."""
        call = self.call_of(field(condition, "value")) if condition.type == "let_condition" else None
        inner = needed(condition, "pattern").named_children if call is not None else []
        if call is None or call.named != "next" or call.owner.type != "identifier" or len(inner) < 2:
            return None
        of = self.type_of(call.owner)
        if of.name not in ("Iterator", "Lines") or re.search(rf"\b{text_of(call.owner)}\b", text_of(body)):
            return None
        target = self.pattern(inner[1], of.one if of.name == "Iterator" else _TEXT)
        over = said("sys.stdin") if of.name == "Lines" else self.value(call.owner)
        return for_each(target, over, [*self.paid(), *self.into(body, quiet)])

    def _into_for_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        return [self._for(node, needed(node, "pattern"), needed(node, "value"))]

    def _for(self, node: Node, pattern: Node, value: Node) -> ast.stmt:
        kind, body = self.type_of(value), needed(node, "body")
        one = Kind("tuple", kind.of) if kind.name in _MAPS else _TEXT if kind.name == "Lines" else kind.one
        with self.loop(node):
            target, owed = self.pattern(pattern, one), self.paid()
            over = self.value(value)
            if isinstance(over, ast.GeneratorExp) and len(over.generators) == 1 and not over.generators[0].ifs:
                owed = [*apart(target, over.elt), *owed]
                target, over = over.generators[0].target, over.generators[0].iter
            if isinstance(over, ast.List) and over.elts:
                over = tuple_of(*over.elts)
            if kind.name in _MAPS and isinstance(target, ast.Tuple) and not isinstance(over, ast.Call):
                over = method(over, "items")
            return self._round(target, over, value, owed, body)

    def _round(self, target: ast.expr, over: ast.expr, value: Node, owed: list[ast.stmt], body: Node) -> ast.stmt:
        """A loop; `for x in v.iter_mut() { *x = … }` changes what stands in the list."""
        text, own, owner, function = text_of(value), target, over, ""
        if isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(over, ast.Call) and over.args:
            function = ast.unparse(over.func)
            own, owner = target.elts[function == "enumerate"], over.args[0]
        through = isinstance(own, ast.Name) and rf"\*{own.id}\s*([-+*/%^&|]|<<|>>)?=[^=]"
        changes = through and re.search(through, text_of(body)) and isinstance(owner, _PLACES)
        if changes and isinstance(own, ast.Name) and ("iter_mut" in text or text.startswith("&mut")):
            place = target.elts[0] if isinstance(target, ast.Tuple) and function == "enumerate" else None
            if isinstance(place, ast.Name):
                self.places[own.id] = subscript(owner, name(place.id))
            elif function in ("", "zip"):
                fresh = self.fresh()
                self.places[own.id] = subscript(owner, name(fresh))
                target, over = tuple_of(name(fresh), target), called("enumerate", over)
        return for_each(target, over, [*owed, *self.into(body, quiet)])

    def _into_return_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        inner = children(node)
        if not inner or text_of(inner[0]).startswith("Err("):
            return [ast.Raise(None, None) if inner else ast.Return(None)]
        with self.expecting(self.result):
            return self.into(inner[0], lambda value: [ast.Return(value)])

    def _into_break_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        given = [each for each in children(node) if each.type != "label"]
        own = self.labels[-1][1] if self.labels else None
        return [*(self.into(given[0], own) if given and own is not None else []), ast.Break()]

    def _into_continue_expression(self, node: Node, sink: Sink) -> list[ast.stmt]:
        outer = children(node) and self.labels and text_of(children(node)[0]) != self.labels[-1][0]
        return [ast.Break() if outer else ast.Continue()]

    # Macros.

    def _into_macro_invocation(self, node: Node, sink: Sink) -> list[ast.stmt]:
        named = _macro_name(node)
        if named in _GIVING_UP:
            return [ast.Raise(None, None)]
        if named in self.macros:
            return self._expanded(node, sink)
        if named in (*_ASSERTING, "thread_local", "lazy_static"):
            asked = self._inside(node)[:2] if not named.startswith("debug") else []
            return [made for each in asked for made in self.effect(each)]
        return sink(self.value(node))

    def _expanded(self, node: Node, sink: Sink) -> list[ast.stmt]:
        """A macro of the program's own."""
        names, form = self.macros[_macro_name(node)]
        given = dict(zip(names, map(text_of, self._inside(node)), strict=False))
        text = re.sub(r"\$(\w+)", lambda of: given.get(of[1], of[0]), form)
        self._depth += 1
        made = self.into(_parsed(f"{{ {text} }}", node), sink) if self._depth < 8 else []
        self._depth -= 1
        return made

    def reparsed(self, node: Node, left: str, right: str) -> Node | None:
        """What a macro is given, as an expression in such brackets."""
        inner = children(_parsed(f"{{ {left}{_tokens(node)}{right} }}", node))
        found = inner[0] if inner else None
        return found.named_children[0] if found is not None and found.type == "expression_statement" else found

    def _inside(self, node: Node) -> list[Node]:
        """What a macro is given."""
        return _given(self.reparsed(node, "__m(", ")"))

    def _of_macro_invocation(self, node: Node) -> ast.expr:
        named = _macro_name(node)
        if named in self.macros:
            fresh = self.fresh()
            self.before += self._expanded(node, lambda found: [assigned(name(fresh), found)])
            return name(fresh)
        if named == "vec":
            found = self.reparsed(node, "[", "]")
            return self._elements(found) if found is not None else ast.List([], ast.Load())
        if named == "matches":
            subject, pattern = _halves(_tokens(node))
            root = _parsed(f"{{ match {subject} {{ {pattern} => true, }} }}", node)
            value, found = field(_find(root, "match_expression"), "value"), needed(_find(root, "match_arm"), "pattern")
            tests, _ = self.opened(found, self.value(value), self.type_of(value))
            guard = field(found, "condition")
            return all_of([*tests, *([self.test(guard)] if guard is not None else [])])
        if named in _GIVING_UP:
            return self.gave_up()
        given = self._inside(node)
        if named == "format":
            return self.formatted(given)
        if named in ("write", "writeln") and given and self.type_of(given[0]).name == "String":
            self.before.append(added(self.target(given[0]), ast.Add, self.formatted(given[1:])))
            return constant(None)
        if named in ("print", "println", "eprint", "eprintln", "dbg", "write", "writeln"):
            parts = self.formatted(given[1:] if named.startswith("write") else given).values
            return printed(*([each.value for each in parts if isinstance(each, ast.FormattedValue)] or [constant("")]))
        return tuple_of(*self.values(given)) if given else constant(None)

    def formatted(self, given: Sequence[Node]) -> ast.JoinedStr:
        """A text with what stands in it."""
        form = unquoted(text_of(given[0])) if given and "string_literal" in given[0].type else ""
        rest, named = list[ast.expr](), dict[str, ast.expr]()
        for each in given[1:] if given and "string_literal" in given[0].type else given:
            if each.type == "assignment_expression":
                named[text_of(field(each, "left"))] = self.value(field(each, "right"))
            else:
                rest.append(self.value(each))
        following = iter(rest)

        def filled(mark: re.Match[str]) -> ast.expr:
            key, spec = mark[1], (mark[2] or "").replace("?", "").replace("#", "")
            if not key or key.isdecimal():
                value = next(following, constant("")) if not key else [*rest, constant("")][min(int(key), len(rest))]
            else:
                value = named.get(key) or self.named(key)
            spec = spec if _SPEC.fullmatch(spec) else ""
            return marked(value, f"{spec}f" if re.search(r"\.\d+$", spec) else spec)

        parts = written(form.replace("{{", "\x01").replace("}}", "\x02"), _MARK, filled)
        for part in parts:
            if isinstance(part, ast.Constant):
                part.value = str(part.value).replace("\x01", "{").replace("\x02", "}")
        return ast.JoinedStr(parts or [constant("")])

    # Effects.

    def effect(self, node: Node) -> list[ast.stmt]:
        return self.into(node, quiet) if node.type in _FLOWING else super().effect(node)

    def _effect_try_expression(self, node: Node) -> list[ast.stmt]:
        return self.effect(node.named_children[0])

    def _effect_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left = needed(node, "left")
        with self.expecting(self.type_of(left)):
            target = self.target(left)
            return self.into(field(node, "right"), lambda value: apart(target, value))

    def target(self, node: Node) -> ast.expr:
        """What is given a value."""
        if node.type in ("unary_expression", "parenthesized_expression"):
            inner = node.named_children[-1]
            if node.type == "parenthesized_expression" or text_of(inner) not in self.places:
                return self.target(inner)
            made = copy(self.places[text_of(inner)])
            made.ctx = ast.Load()
            return made
        found = self.value(node)
        return found if isinstance(found, (*_PLACES, ast.Tuple)) else name(self.fresh())

    def _effect_compound_assignment_expr(self, node: Node) -> list[ast.stmt]:
        left, right = needed(node, "left"), field(node, "right")
        sign, kind = text_of(field(node, "operator")).removesuffix("="), self.type_of(left)
        with self.expecting(kind):
            value = self.value(right)
        if (entry := self._entry(left)) is not None:
            place, default = entry
            old = method(place.value, "get", place.slice, default)
            return [assigned(place, self.operation(old, sign, value, True))]
        target, again = self.target(left), self.target(left)
        if kind.name in self.fields and sign in BINARY:  # as its type says
            return [added(target, BINARY[sign], value)]
        if kind.name in self.fields or (kind.bits and sign in ("*", "<<")) or sign not in BINARY:
            return [assigned(target, self.limited(self.operation(again, sign, value, True), kind))]
        operator = ast.FloorDiv if sign == "/" and not self.parted(left) and not self.parted(right) else BINARY[sign]
        return [added(target, operator, value)]

    def _entry(self, node: Node) -> tuple[ast.Subscript, ast.expr] | None:
        """`*m.entry(k).or_insert(0)` as a place of a mapping, and what it begins with."""
        while node.type in ("unary_expression", "parenthesized_expression"):
            node = node.named_children[-1]
        call = self.call_of(node)
        entry = self.call_of(call.owner) if call is not None else None
        if call is None or entry is None or entry.named != "entry" or not call.named.startswith("or_"):
            return None
        one = self.type_of(entry.owner).one
        default = self.begun(one) if one.name else constant(0)
        if call.given:
            default = self.value(call.given[0]) if call.named == "or_insert" else self.answer(call.given[0])
        return subscript(self.value(entry.owner), self.key(entry.given[0])), default

    # Expressions.

    def value(self, node: Node | None) -> ast.expr:
        """What takes more than an expression is given a name before."""
        if node is None or node.type not in _FLOWING or node.type == "macro_invocation":
            return super().value(node)
        if node.type == "if_expression" and (either := self._either(node)) is not None:
            return either
        fresh = self.fresh()
        self.before += self.into(node, lambda found: [assigned(name(fresh), found)])
        return constant(None) if node.type in _LEAVING else name(fresh)

    def _as(self, node: Node, kind: Kind) -> ast.expr:
        with self.expecting(kind):
            return self.value(node)

    def named(self, named: str) -> ast.expr:
        if named in self.variants and self.kind(named) is NOTHING:
            return self.variant(named, [])
        return super().named(named)

    def variant(self, named: str, values: Sequence[ast.expr]) -> ast.expr:
        """One of an enumeration's things."""
        of, place, names = self.variants[named]
        return constant(place) if of in self.simple else _thing(of, names, values)

    def _of_boolean_literal(self, node: Node) -> ast.expr:
        return constant(text_of(node) == "true")

    def _of_float_literal(self, node: Node) -> ast.expr:
        return constant(float(re.sub(r"_|f32|f64", "", text_of(node))))

    def _of_char_literal(self, node: Node) -> ast.expr:
        text = unquoted(text_of(node))
        if text_of(node).startswith("b"):
            return constant(ord(text) if len(text) == 1 else 0)
        return constant(text[:1] if not text.startswith("\\u") else "u")

    def _of_string_literal(self, node: Node) -> ast.expr:
        return constant(unquoted(text_of(node).replace("\\\n", "")))

    def _of_reference_expression(self, node: Node) -> ast.expr:
        return self.value(node.named_children[-1])

    def _of_unary_expression(self, node: Node) -> ast.expr:
        inner, operator = node.named_children[-1], node.children[0].type
        kind = self.type_of(inner)
        if operator == "*":
            if (entry := self._entry(node)) is None:
                return self.value(inner)
            return method(entry[0].value, "setdefault", entry[0].slice, entry[1])
        if operator == "-" and "neg" in self.own.get(kind.name, ()):
            return method(self.value(inner), "neg")
        if operator == "!" and kind.whole and kind.name != "bool" and not text_of(inner).endswith(".is_empty()"):
            return ast.UnaryOp(ast.Invert(), self.value(inner))
        return self.turned(operator, self.value(inner))

    _of_negative_literal = _of_unary_expression

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, right, operator = needed(node, "left"), needed(node, "right"), text_of(field(node, "operator"))
        kind, other = self.type_of(left), self.type_of(right)
        if kind.name in self.fields and _CALLED.get(operator) in self.own.get(kind.name, ()):
            return method(self.value(left), _CALLED[operator], self.value(right))
        with self.expecting((kind if kind.name else other) if operator in COMPARED else self.expected):
            value = self.value(left)
            empty = operator in (">", "!=") and text_of(right) == "0" and text_of(left).endswith(".len()")
            if empty and isinstance(value, ast.Call):
                return value.args[0]
            made = self.operation(value, operator, self.value(right), kind.floating or other.floating)
        return self.limited(made, kind) if operator == "<<" else made

    def _of_type_cast_expression(self, node: Node) -> ast.expr:
        inner, kind = field(node, "value"), self.declared(field(node, "type"))
        own, value = self.type_of(inner), self.value(inner)
        if own.name == "char" and kind.whole:
            letter = isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value
            return constant(ord(letter)) if letter else called("ord", value)
        if kind.name == "char" and own.name != "char":
            return called("chr", value)
        if kind.name in ("u8", "u16") and own.whole and own.bytes > kind.bytes:
            return said("A & 255" if kind.name == "u8" else "A & 65535", value)
        return self.cast(kind, value, inner)

    def _of_index_expression(self, node: Node) -> ast.expr:
        owner, key = node.named_children[0], node.named_children[-1]
        if text_of(key).replace(" ", "") == f"{text_of(owner)}.len()-1":
            return subscript(self.value(owner), constant(-1))
        return subscript(self.value(owner), self._slice(key) if key.type == "range_expression" else self.value(key))

    def _slice(self, node: Node) -> ast.expr:
        start, end, inclusive = self._ends(node)
        return ast.Slice(start, _more(end) if end is not None and inclusive else end, None)

    def _ends(self, node: Node) -> tuple[ast.expr | None, ast.expr | None, bool]:
        """Where a range begins and ends, and whether the end is in it."""
        kinds = [each.type for each in node.children if not each.is_extra]
        dots = next(place for place, kind in enumerate(kinds) if kind.startswith(".."))
        values = self.values(children(node))
        return values[0] if dots else None, values[-1] if dots + 1 < len(kinds) else None, kinds[dots] != ".."

    def _of_range_expression(self, node: Node) -> ast.expr:
        start, end, inclusive = self._ends(node)
        if end is None:
            return called("itertools.count", start or constant(0))
        end = _more(end) if inclusive else end
        zero = start is None or (isinstance(start, ast.Constant) and start.value == 0)
        return called("range", end) if zero or start is None else called("range", start, end)

    def _of_field_expression(self, node: Node) -> ast.expr:
        owner, named = field(node, "value"), text_of(field(node, "field"))
        value = self.value(owner)
        if not named.isdecimal():
            return ast.Attribute(value, spelt(named), ast.Load())
        of = self.type_of(owner).name
        if of in self.fields or (text_of(owner) == "self" and of != "tuple"):
            return ast.Attribute(value, f"_{named}", ast.Load())
        return subscript(value, constant(int(named)))

    def _of_tuple_expression(self, node: Node) -> ast.expr:
        kinds = [*(self.expected.of if self.expected.name == "tuple" else ()), *[NOTHING] * node.child_count]
        return tuple_of(*map(self._as, children(node), kinds))

    def _of_array_expression(self, node: Node) -> ast.expr:
        made = in_place(self._elements(node))
        changes = node.parent is not None and any(each.type == "mutable_specifier" for each in node.parent.children)
        return tuple_of(*made.elts) if isinstance(made, ast.List) and not changes else made

    def _elements(self, node: Node) -> ast.expr:
        """Of an array, or a list that is written out."""
        inner, size = [each for each in children(node) if each.type != "attribute_item"], field(node, "length")
        with self.expecting(self.expected.one):
            kind = self.expected
            if size is not None:
                of, one = self.type_of(inner[0]), self.value(inner[0])
                return self.several(self.value(size), one, kind if kind.scalar and not of.name else of)
            if inner and node.parent is not None and node.parent.type == "field_expression":  # `[a, b].iter()`
                return tuple_of(*self.values(inner))
            return ast.List(self.values(inner), ast.Load()) if inner else self.typed(kind)

    def _whose(self, named: str) -> str:
        """Of a variant its enumeration, of a structure itself."""
        return self.variants[named][0] if named in self.variants else named if named in self.fields else ""

    def _thing_of(self, node: Node) -> str:
        """Whose thing it is that is written out."""
        named = self._path(name_of(node).partition("<")[0].removesuffix("::") + "::")[0]
        return self._whose(named) or named

    def _of_struct_expression(self, node: Node) -> ast.expr:
        of = self._thing_of(node)
        made, kinds = called(of), self.fields.get(of, {})
        for each in children(field(node, "body")):
            key = text_of(each if each.type == "shorthand_field_initializer" else field(each, "field", "name"))
            key = f"_{key}" if key.isdecimal() else key
            if each.type == "shorthand_field_initializer":
                made.keywords.append(ast.keyword(spelt(key), self.named(key)))
            elif each.type == "field_initializer":
                value = self._as(needed(each, "value"), kinds.get(key, NOTHING))
                made.keywords.append(ast.keyword(spelt(key), value))
            elif each.type == "base_field_initializer":
                whole, given = self._as(each.named_children[0], Kind(of)), {one.arg for one in made.keywords}
                if isinstance(whole, ast.Call):
                    made.keywords += [one for one in whole.keywords if one.arg not in given]
        return made

    def _of_scoped_identifier(self, node: Node) -> ast.expr:
        first, last = self._path(text_of(node))
        kind = Kind(first)
        if last in self.variants:
            return self.variant(last, [])
        if last in ("MAX", "MIN") and not kind.floating:
            bits, unsigned = int(kind.bytes) * 8, first.startswith("u")
            least = 0 if unsigned else -(2 ** (bits - 1))
            return constant(2 ** (bits - (0 if unsigned else 1)) - 1 if last == "MAX" else least)
        if last in _LIMITS:
            return constant(_LIMITS[last] * (1e308 if last in ("MAX", "MIN") else 1))
        if f"{first}::{last}" in self.free:
            return name(f"{first}__{last}")
        if last in _OPERATORS and (kind.scalar or not first):
            return lambda_of(["__a", "__b"], self.operation(name("__a"), _OPERATORS[last], name("__b"), True))
        return name(spelt(last))

    # Functions without a name.

    def _returning(self, node: Node) -> list[ast.stmt]:
        """What a closure does."""
        labels, self.labels = self.labels, []
        with self.aside():
            made = self.into(field(node, "body"), lambda value: [ast.Return(value)])
        self.labels = labels
        return made

    def _targets(self, node: Node, kinds: Sequence[Kind] = ()) -> list[ast.expr]:
        """A closure's parameters."""
        made = list[ast.expr]()
        for place, pattern in enumerate(_parameters(node)):
            kind, around = kinds[place] if place < len(kinds) else NOTHING, pattern.parent
            if not kind.name and around is not None and around.type == "parameter":
                kind = self.declared(field(around, "type"))
            made.append(self.pattern(pattern, kind))
        return made

    def _of_closure_expression(self, node: Node, named: str = "") -> ast.expr:
        """A function without a name, which is given one where it is more than an expression."""
        text = text_of(field(node, "body"))  # which may read a number digit by digit
        if "10" in text and "b'0'" in text and (found := re.search(r"(\w+)\[\w+\]\s*(?:-|\.is_ascii|[<>])", text)):
            words = self.held(said("iter(A.split())", name(spelt(found[1]))))
            return said("lambda: int(next(A))", words)
        result, self.result = self.result, self.declared(field(node, "return_type"))
        with self.scope():
            names, inside = self._names(self._targets(node))
            with self.expecting(self.result if self.result.name else self.expected):
                self.result = self.result if self.result.name else Kind("?")
                inside += self._returning(node)
        self.result = result
        if (value := only_value(inside)) is not None:
            return lambda_of(names, value)
        made = named or self.fresh()
        self.before.append(function_of(made, names, inside))
        return name(made)

    def inlined(self, node: Node, *kinds: Kind) -> tuple[list[ast.expr], ast.expr]:
        """What a function's parameters are, and what it gives: of a closure that is one expression that itself,
        otherwise a call."""
        if node.type != "closure_expression":
            names = [self.fresh() for _ in kinds]
            return [*map(name, names)], self.applied(node, [*map(name, names)], kinds)
        with self.scope():
            targets = self._targets(node, kinds)
            inside = [*self.paid(), *self._returning(node)]
        if (value := only_value(inside)) is not None:
            return targets, value
        names, prelude = self._names(targets)
        made = self.fresh()
        self.before.append(function_of(made, names, [*prelude, *inside]))
        return [*map(name, names)], called(made, *map(name, names))

    def answer(self, node: Node, values: Sequence[ast.expr] = (), *kinds: Kind) -> ast.expr:
        """What a function gives that is given these, once."""
        if node.type != "closure_expression":
            return self.applied(node, values, kinds)
        targets, found = self.inlined(node, *kinds)
        for target, value in zip(targets, values, strict=False):
            if not (isinstance(target, ast.Name) and target.id == "_"):
                self.before.append(assigned(target, value))
        return found

    def otherwise(self, node: Node) -> ast.expr:
        """A value, or what a function gives that is given nothing."""
        return self.answer(node) if node.type == "closure_expression" else self.value(node)

    def applied(self, node: Node, values: Sequence[ast.expr], kinds: Sequence[Kind]) -> ast.expr:
        """What a function gives whose name is written there."""
        first, last = self._path(text_of(node))
        if last in self.variants:
            return self.variant(last, values)
        if last in self.known or f"{first}::{last}" in self.free or self.kind(last).name == "closure":
            return called(self.value(node), *values)
        if last in self.own.get(first, ()) and values:
            return method(values[0], spelt(last), *values[1:])
        if last in self.fields and not first:
            return _thing(last, self.fields[last], values)
        if not values:
            return self.begun(Kind(first)) if first else called(self.value(node))
        if last in _WRAPPED or last in ("from", "new"):
            return values[0]
        return self.known_method(values[0], kinds[0] if kinds else NOTHING, last, values[1:], Kind(first))

    def known_method(
        self, owner: ast.expr, of: Kind, named: str, values: Sequence[ast.expr], first: Kind = NOTHING
    ) -> ast.expr:
        """What a method gives that needs to know no more than values."""
        if named in _OPERATORS and values:
            sign = _OPERATORS[named]
            square = sign == "**" and isinstance(values[0], ast.Constant) and values[0].value == 2
            made = said("A * A", owner) if square else self.operation(owner, sign, values[0], True)
            return self.limited(made, first if first.scalar else of) if sign in ("*", "<<", "**") else made
        if named in _SAID and asks_for(_SAID[named]) <= len(values) + 1:
            return said(_SAID[named], owner, *values)
        if named in _MATHS:
            return called(f"math.{_MATHS[named]}", owner, *values[:1])
        if named in ("max", "min"):
            return called(named, owner, *values[:1])
        if named in ("to_string", "to_owned"):
            return owner if of.name == "String" else called("str", owner)
        if named == "is_empty":
            return negated(owner)
        if named in _TEXTS:
            return method(owner, _TEXTS[named], *(each for each in values if not isinstance(each, ast.Lambda)))
        return called("float" if self.expected.floating else "int", owner) if named == "parse" else owner

    # Calls.

    def call_of(self, node: Node | None) -> _Call | None:
        """A method that is called there."""
        function = _function(node)
        if function is None or function.type not in ("field_expression", "generic_function"):
            return None
        inner = needed(function, "function") if function.type == "generic_function" else function
        if inner.type != "field_expression":
            return None
        return _Call(needed(inner, "value"), text_of(field(inner, "field")), _given(node), self._generic(function))

    def _generic(self, function: Node) -> list[Kind]:
        """The types that are written behind a function's name."""
        return [*map(self.declared, children(field(function, "type_arguments")))]

    def _effect_call_expression(self, node: Node) -> list[ast.stmt]:
        call = self.call_of(node)
        if call is not None and call.named in ("unwrap", "expect", "ok"):
            return self.effect(call.owner)
        own = call is None or self._own(self.type_of(call.owner), call.named)
        made = self._done(call, self.type_of(call.owner)) if call is not None and not own else None
        return quiet(self.value(node)) if made is None else made

    def _done(self, call: _Call, of: Kind) -> list[ast.stmt] | None:
        """What a method does whose value nobody asks for; None of others."""
        owner, named, given, _ = call
        if named == "for_each" and given[0].type == "closure_expression":
            return [self._for(given[0], _parameters(given[0])[0], owner)]
        if named == "insert" and of.name not in _LISTS and of.name != "String":
            container = self.value(owner)
            if len(given) == 1:
                return [ast.Expr(method(container, "add", self.value(given[0])))]
            value = self._as(given[1], of.one)
            return [assigned(subscript(container, self.key(given[0])), value)]
        if named == "swap" and len(given) == 2:
            one, other = self.values(given)
            pair = [subscript(self.value(owner), key) for key in (one, other, other, one)]
            return apart(tuple_of(*pair[:2]), tuple_of(*pair[2:]))
        if named in ("push_str", "push", "clear") and of.name == "String":
            if named == "clear":
                return [assigned(self.target(owner), constant(""))]
            return [added(self.target(owner), ast.Add, self.value(given[0]))]
        if named == "retain" and of.name not in _MAPS:
            those = self._comprehension(self.value(owner), given[0], of)
            make = ast.SetComp if of.name in _SETS else ast.ListComp
            return [assigned(self.target(owner), make(those.elt, those.generators))]
        if named == "truncate":
            rest = ast.Slice(self.value(given[0]), None, None)
            return [ast.Delete([ast.Subscript(self.value(owner), rest, ast.Del())])]
        if named in ("resize", "resize_with"):
            one = self.value(given[1]) if named == "resize" else self.answer(given[1])
            one = one if isinstance(one, ast.Constant) else lambda_of([], one)
            return [ast.Expr(said("_tongue.resized(A, B, C)", self.value(owner), self.value(given[0]), one))]
        form = _DONE.get(named)
        return [ast.Expr(said(form, self.value(owner), constant(int(of.one.bytes))))] if form else None

    def _own(self, of: Kind, named: str) -> bool:
        """Whether a method is one of the program's own."""
        if of.name in self.own or of.name in self.bases:
            return any(named in self.own.get(each, ()) for each in (of.name, *self.bases.get(of.name, ())))
        if of.scalar or of.name in _KNOWN or named in _COMMON:
            return False
        return any(named in each for each in self.own.values())

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, given, call = _function(node), _given(node), self.call_of(node)
        if call is not None:
            return self._method(call)
        generic = self._generic(function) if function is not None else []
        if function is not None and function.type == "generic_function":
            function = needed(function, "function")
        if function is None or function.type not in ("identifier", "scoped_identifier"):
            return called(self.value(function), *self.values(given))
        return self._called(*self._path(text_of(function)), generic, given)

    def _word(self, generic: Sequence[Kind]) -> ast.expr:
        return called("float" if (generic[0] if generic else self.expected).floating else "int", self.word())

    def _called(self, first: str, last: str, generic: list[Kind], given: list[Node]) -> ast.expr:
        """A function that is called by its name."""
        last = self.owner[-1] if last == "Self" and self.owner else last
        if not first and last in self.words:
            return self._word(generic)
        if f"{first}::{last}" in self.free:
            return called(f"{first}__{last}", *self.values(given))
        if last in self.own.get(first, ()) and given:  # `T::method(x)`
            return method(self.value(given[0]), spelt(last), *self.values(given[1:]))
        if not first and (last in self.known or self.kind(last) is not NOTHING):
            return called(name(spelt(last)), *self.values(given))
        if last in self.variants or (last in self.fields and not first):
            kinds = self.fields.get(self.variants[last][0] if last in self.variants else last, {})
            values = [self._as(each, kinds.get(f"_{n}", NOTHING)) for n, each in enumerate(given)]
            return self.variant(last, values) if last in self.variants else _thing(last, kinds, values)
        makes = last in ("new", "with_capacity", "default", "from", "from_iter", "from_fn", "with_capacity_and_hasher")
        return (self._made(first, last, given) if makes else None) or self._library(first, last, given)

    def _made(self, first: str, last: str, given: list[Node]) -> ast.expr | None:
        """`Vec::new()` and its kin."""
        if any(self.type_of(each).name == "Stdin" for each in given):
            return said("sys.stdin")
        if first in _WRAPPED and given:
            return self.value(given[0])
        if last == "from" and given:
            value, own = self.value(given[0]), self.type_of(given[0])
            if first in _HOLDING:
                return called(_PYTHON.get(first, "list"), value)
            if own.name == "char" and Kind(first).whole:
                return called("ord", value)
            return self.cast(Kind(first), value, given[0])
        if last == "from_fn" and first in ("array", "iter") and given:
            count = self.expected.size or constant(8)
            targets, found = self.inlined(given[0], Kind("usize"))
            return said("[A for B in range(C)]", found, targets[0] if targets else name("_"), count)
        if first in ("Default", ""):
            return self.begun(self.expected) if last == "default" else None
        if first in _HOLDING or first == "String":
            return self.begun(self.expected if self.expected.name == first else Kind(first))
        if last in ("default", "new") and first in self.fields and not given:
            return self.anew(first)
        return self.begun(Kind(first)) if Kind(first).scalar and last == "default" else None

    def _library(self, first: str, last: str, given: list[Node]) -> ast.expr:
        """A function of the language's own."""
        if last in ("swap", "replace", "take") and first in ("mem", ""):
            target, again = self.target(given[0]), self.target(given[0])
            if last == "swap":
                other, back = self.target(given[1]), self.target(given[1])
                self.before += apart(tuple_of(target, other), tuple_of(back, again))
                return constant(None)
            fresh = self.fresh()
            new = self.value(given[1]) if last == "replace" else self.begun(self.type_of(given[0]))
            self.before += [assigned(name(fresh), again), assigned(target, new)]
            return name(fresh)
        if last in ("stdout", "stderr", "drop", "black_box", "sleep", "type_name"):
            self.before += [made for each in given for made in self.effect(each)]
            return constant(None)
        if f"{first}::{last}" in _FUNCTIONS or last in _FUNCTIONS:
            return said(_FUNCTIONS.get(f"{first}::{last}") or _FUNCTIONS[last])
        if last in _WRAPPED and given:
            return self._as(given[0], self.expected)
        if last in ("spawn", "scope", "catch_unwind") and given and given[-1].type == "closure_expression":
            return self.answer(given[-1])
        kinds, values = [self.type_of(each) for each in given], self.values(given)
        if last in _GIVEN and values:
            return said(_GIVEN[last], *values)
        if last in self.known or self.kind(last) is not NOTHING:
            return called(name(spelt(last)), *values)
        return self.known_method(values[0], kinds[0], last, values[1:], Kind(first)) if values else constant(None)

    def _method(self, call: _Call) -> ast.expr:
        """A method that is called."""
        owner, named, given, generic = call
        of = self.type_of(owner)
        if self._own(of, named):
            if named in self.words:
                return self._word(generic)
            return method(self.value(owner), spelt(named), *self.values(given))
        gives = _METHODS.get(named)
        if named in self.fields.get(of.name, {}) and gives is None and named not in _SAME and named not in _PLAIN:
            return called(ast.Attribute(self.value(owner), named, ast.Load()), *self.values(given))
        if of.name in ("Stdin", "Lines") and named not in ("unwrap", "expect", "unwrap_or", "ok", "map_err"):
            return self._read(call)
        if gives is not None and (found := gives(self, call, of)) is not None:
            return found
        if named in _PLAIN:
            with self.expecting(of.one):
                values = self.values(given)
            container = self.value(owner)
            if of.name == "BinaryHeap" and named in ("push", "pop"):
                return called(f"heapq.heap{named}", container, *values)
            return method(container, _PLAIN[named], *values)
        if named in _SAME and (named not in _TEXTS or of.name in _WRAPPED or not given):
            if named == "ok_or":
                self.before += [made for each in given for made in self.effect(each)]
            return self.value(owner)
        wanted = of if of.scalar else self.expected
        value = self._as(owner, wanted)
        kind = self.type_of(given[0]) if given else NOTHING
        with self.expecting(kind if kind.scalar else wanted):
            values = self.values(given)
        with self.expecting(generic[0] if generic else self.expected):
            found = self.known_method(value, of, named, values)
        if found is value and given and given[-1].type == "closure_expression":
            return self.answer(given[-1], [value], of)
        return found

    def _read(self, call: _Call) -> ast.expr:
        """What is read of the input."""
        named, given = call.named, call.given
        if named in ("read_line", "read_until", "read_to_string", "read_to_end") and given:
            target = self.target(given[-1])
            whole = called("sys.stdin.buffer.read" if named == "read_to_end" else "sys.stdin.read")
            line = self.line() if named in ("read_line", "read_until") else whole
            self.declare(text_of(given[-1].named_children[-1] if given[-1].named_children else given[-1]), _TEXT)
            self.before.append(assigned(target, line))
            return length(self.target(given[-1]))
        if named == "next":
            return self.line()
        if named in ("lines", "lock", "by_ref", "bytes", "split", "take", "into_inner", "get_mut", "fill_buf"):
            return said("sys.stdin")
        if named == "skip" and given:
            return called("itertools.islice", said("sys.stdin"), *self.values(given), constant(None))
        gives = _METHODS.get(named)
        if gives is not None and (found := gives(self, call, _through(_TEXT))) is not None:
            return found
        if named in ("enumerate", "zip", "chain", "rev", "cycle"):
            return said(_SAID[named], self.value(call.owner), *self.values(given))
        return said("sys.stdin")

    # Methods, by their name.

    def _clone(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        if of.name in _HOLDING:
            return said("A.copy()", value)
        fields = {} if of.name in self._enumerations() else self.fields.get(of.name, {})
        copied = {key for key, kind in fields.items() if self.bare(kind).name in _HOLDING}
        if not copied or not isinstance(value, (ast.Name, ast.Attribute)):
            return value
        parts = [(key, ast.Attribute(value, spelt(key), ast.Load())) for key in fields]
        return _thing(of.name, fields, [said("A.copy()", one) if key in copied else one for key, one in parts])

    def _get(self, call: _Call, of: Kind) -> ast.expr | None:
        owner, key = self.value(call.owner), call.given[0] if call.given else None
        if key is None or key.type == "range_expression":
            return owner if key is None else subscript(owner, self._slice(key))
        plain = of.name in (*_LISTS, "String") or (not of.name and key.type != "reference_expression")
        return subscript(owner, self.value(key)) if plain else method(owner, "get", self.key(key))

    def _unwrap_or(self, call: _Call, of: Kind) -> ast.expr | None:
        kind = self.type_of(call.given[0])
        value, other = self._as(call.owner, kind if kind.name else self.expected), self.value(call.given[0])
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "get":
            value.args = [value.args[0], other]
        return other if _is_nothing(value) else value

    def _first(self, call: _Call, of: Kind) -> ast.expr | None:
        last = call.named.startswith(("last", "back"))
        set_ = of.name in _SETS or of.name in _MAPS or (last and of.name == "Iterator")
        return said("next(iter(A))" if set_ else "A[B]", self.value(call.owner), constant(-1 if last else 0))

    def _next(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner) if of.name != "Args" else constant(None)
        anew = isinstance(value, ast.Call) and not isinstance(value.func, ast.Name)
        return said("next(iter(A))" if anew else "next(A)", value) if of.name != "Args" else value

    def both(self, call: _Call) -> list[ast.expr]:
        """What a method belongs to, and what it is given."""
        return self.values([call.owner, *call.given])

    def _each(self, call: _Call, *kinds: Kind) -> tuple[ast.expr, ast.expr, ast.expr]:
        """What is gone through, a name for each, and what the function gives of it that is given."""
        over = self.value(call.owner)
        targets, found = self.inlined(call.given[0], *kinds)
        return over, targets[0] if targets else name("_"), found

    def each(self, call: _Call, form: str, *kinds: Kind) -> ast.expr:
        """A template of that."""
        parts = self._each(call, *kinds)
        return said(form, *parts, *([name(self.fresh())] if "D" in form else []))

    def _map(self, call: _Call, of: Kind) -> ast.expr | None:
        if of.name == "Args":
            return constant(None)
        if of.name not in ("Iterator", "Lines") and not self._iterates(call.owner):
            value = self.value(call.owner)
            return value if _is_nothing(value) else self.answer(call.given[0], [value], of)
        over, target, found = self._each(call, of.one)
        if isinstance(target, ast.Name) and ast.unparse(found) in (f"int({target.id})", f"float({target.id})"):
            return said("map(A, B)", found.func, over)  # type: ignore[attr-defined]
        return said("(C for B in A)", over, target, found)

    def _iterates(self, node: Node) -> bool:
        """Whether something is gone through."""
        call = self.call_of(node)
        if call is None:
            inner = node.named_children[0] if node.type == "parenthesized_expression" else None
            return node.type in ("range_expression", "array_expression") or bool(inner and self._iterates(inner))
        if call.named in ("copied", "cloned", "filter", "map", *(_SAME - _ITERATING)):
            return self._iterates(call.owner)
        return call.named in _ITERATING

    def _comprehension(self, over: ast.expr, function: Node, of: Kind, negative: bool = False) -> ast.GeneratorExp:
        """Those of which something holds."""
        targets, test = self.inlined(function, of.one if of.name not in _MAPS else Kind("tuple", of.of))
        if of.name in _MAPS and len(targets) > 1:
            over, targets = method(over, "items"), [tuple_of(*targets)]
        target = self._used(targets[0])
        tests = [negated(test) if negative else test]
        return said("(A for B in C if D)", _again(target), target, over, *tests)  # type: ignore[return-value]

    def _used(self, target: ast.expr) -> ast.expr:
        return name(self.fresh()) if isinstance(target, ast.Name) and target.id == "_" else target

    def _filter(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        if of.name in ("Iterator", "Lines") or self._iterates(call.owner):
            return self._comprehension(value, call.given[0], of)
        value = value if isinstance(value, (ast.Name, ast.Attribute)) else self.held(value)
        return said("A if B else None", value, self.answer(call.given[0], [value], of))

    def _flatten(self, call: _Call, of: Kind) -> ast.expr | None:
        outer, inner, value = name(self.fresh()), name(self.fresh()), self.value(call.owner)
        if of.name == "Lines" or (of.name != "Iterator" and of.one.name not in ("", "Iterator", "String", *_LISTS)):
            return value
        return said("(B for A in C for B in A)", outer, inner, value)

    def _skip(self, call: _Call, of: Kind) -> ast.expr | None:
        value, many = self.both(call)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "reversed":
            return said("reversed(A[:-B])", value.args[0], many)
        return said("A[B:]", value, many)

    def _take(self, call: _Call, of: Kind) -> ast.expr | None:
        value, *many = self.both(call)
        known = isinstance(value, ast.Name) and self.kind(text_of(call.owner).removesuffix(".by_ref()"))
        through = known and known.name == "Iterator"
        return (
            said("[next(A) for _ in range(B)]" if through else "itertools.islice(A, B)", value, *many)
            if many
            else value
        )

    def _step_by(self, call: _Call, of: Kind) -> ast.expr | None:
        value, step = self.both(call)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range":
            return called("range", *([] if len(value.args) > 1 else [constant(0)]), *value.args, step)
        return said("A[::B]", value, step)

    def _take_while(self, call: _Call, of: Kind) -> ast.expr | None:
        over, target, test = self._each(call, of.one)
        target = self._used(target)
        form = "(A for B in C if D)" if isinstance(test, ast.Call) else "(A for B in C)"
        return said(form, _again(target), target, over, test)

    def _windows(self, call: _Call, of: Kind) -> ast.expr | None:
        value, many, place = *self.both(call), name(self.fresh())
        return said("(A[C:C + B] for C in range(len(A) - D))", value, many, place, _more(many, -1))

    def _split(self, call: _Call, of: Kind) -> ast.expr | None:
        plain = call.given and call.given[0].type in ("string_literal", "char_literal", "identifier")
        return method(self.value(call.owner), "split", *(self.values(call.given) if plain else ()))

    def _collect(self, call: _Call, of: Kind) -> ast.expr | None:
        told = call.generic[0] if call.generic else self.expected if self.expected.name else self.result
        kind = self.bare(told)
        value = self._as(call.owner, kind.one)
        through = value if isinstance(value, ast.GeneratorExp) else None
        if kind.name == "String":
            return said("''.join(A)", value)
        if kind.name in _MAPS and through is not None and isinstance(through.elt, ast.Tuple):
            return ast.DictComp(through.elt.elts[0], through.elt.elts[1], through.generators)
        if kind.name in _SETS and through is not None:
            return ast.SetComp(through.elt, through.generators)
        if kind.name in _PYTHON:
            return called(_PYTHON[kind.name], value)
        one = kind.one if kind.one.name not in ("", "_") else of.one
        if one.scalar and one.bytes != 8 and (of.one.name != "char" or through is not None):
            made = self.held(self.typed(one))
            self.before.append(ast.Expr(method(name(made.id), "extend", value)))
            return made
        if through is not None:
            return ast.ListComp(through.elt, through.generators)
        return value if isinstance(value, (ast.ListComp, ast.List)) else called("list", value)

    def _count(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        if isinstance(value, ast.GeneratorExp):
            return called("sum", ast.GeneratorExp(constant(1), value.generators))
        return said("sum((1 for _ in A))", value)

    def _ordered(self, call: _Call, of: Kind) -> ast.expr | None:
        """Functions that compare, or give what is compared, as ones that are asked about each."""
        value, (named, _, by) = self.value(call.owner), call.named.replace("_unstable", "").partition("_by")
        made = method(value, "sort") if named == "sort" else called(named, value)
        natural = r"\|[^|]*\|\s*\w+(\.partial_cmp|\.cmp|\.total_cmp)\(&?\w+\)(\.unwrap\(\))?"
        if by or named != "sort" or not re.fullmatch(natural, text_of(call.given[0])):
            made.keywords = [ast.keyword("key", self.keyed(call.given[0], *[of.one] * (1 if by else 2)))]
        return made

    def keyed(self, function: Node, *kinds: Kind) -> ast.expr:
        targets, found = self.inlined(function, *kinds)
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            return lambda_of([targets[0].id], found)
        made, own = self.fresh(), self.fresh()
        prelude = [assigned(each, name(own)) for each in targets]
        self.before.append(function_of(made, [own], [*prelude, ast.Return(found)]))
        return name(made)

    def _fold(self, call: _Call, of: Kind) -> ast.expr | None:
        """What it begins with comes first; `reduce` begins with nothing."""
        folds = len(call.given) > 1
        first = self.value(call.given[0]) if folds else constant(0)
        kind = self.type_of(call.given[0]) if folds else of.one
        (own, target), found = self.inlined(call.given[-1], kind, of.one)
        total = self.fresh()
        inside: list[ast.stmt] = [assigned(_again(own), name(total)), assigned(name(total), found)]
        if isinstance(own, ast.Name) and own.id != "_":
            total, inside = own.id, [assigned(name(own.id), found)]
        self.before += [assigned(name(total), first), for_each(target, self.value(call.owner), inside)]
        return name(total)

    def _find_map(self, call: _Call, of: Kind) -> ast.expr | None:
        over, target, found = self._each(call, of.one)
        fresh = self.fresh()
        gone = ast.If(said("A is not None", name(fresh)), [ast.Break()], [])
        endless = isinstance(over, ast.Call) and ast.unparse(over.func) == "itertools.count"
        over = said("range(1, 2)") if endless else over
        self.before.append(for_each(target, over, [assigned(name(fresh), found), gone]))
        return name(fresh)

    def _position(self, call: _Call, of: Kind) -> ast.expr | None:
        over, target, test = self._each(call, of.one)
        same = re.fullmatch(r"\|&*(\w+)\| \**\1 == &?\**([\w.]+)", text_of(call.given[0]))
        if same is not None and isinstance(test, ast.Compare):
            if call.named == "rposition":  # from the end, near which it mostly is
                last = self.held(said("len(A) - 1", over))
                other = ast.Compare(subscript(over, last), [ast.NotEq()], test.comparators)
                self.before.append(ast.While(other, [added(name(last.id), ast.Sub, constant(1))], []))
                return last
            return method(over, "index", test.comparators[0])
        place = self.held(constant(0))
        inside = [ast.If(test, [ast.Break()], []), added(name(place.id), ast.Add, constant(1))]
        self.before.append(for_each(target, over, inside))
        return place

    def _map_or(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        value = value if isinstance(value, ast.Name) else self.held(value)
        found = self.answer(call.given[1], [value], of)
        return said("B if A is not None else C", value, found, self.otherwise(call.given[0]))

    def _contains(self, call: _Call, of: Kind) -> ast.expr | None:
        inner = call.owner.named_children[0] if call.owner.type == "parenthesized_expression" else call.owner
        if inner.type == "range_expression":
            start, end, inclusive = self._ends(inner)
            form = "A <= C <= B" if inclusive else "A <= C < B"
            return said(form, start or constant(0), end or constant(0), self.value(call.given[0]))
        if call.given[0].type == "closure_expression":
            return self.each(call, "any(C for B in A)", Kind("char"))
        return said("A in B", self.value(call.given[0]), self.value(call.owner))

    def _insert(self, call: _Call, of: Kind) -> ast.expr | None:
        container, *values = self.both(call)
        if of.name in _LISTS:
            return method(container, "insert", *values)
        if len(values) == 1:
            self.before.append(ast.Expr(method(container, "add", values[0])))
            return said("A not in B", values[0], container)
        self.before.append(assigned(subscript(container, values[0]), values[1]))
        return method(container, "get", values[0])

    def _remove(self, call: _Call, of: Kind) -> ast.expr | None:
        container, key = self.both(call)
        if of.name in _SETS:
            self.before.append(ast.Expr(method(container, "discard", key)))
            return said("A in B", key, container)
        return said("A.pop(B)" if of.name in _LISTS else "A.pop(B, None)", container, key)

    def _drain(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        part = self._slice(call.given[0]) if call.given else ast.Slice(None, None, None)
        made = self.held(subscript(value, part) if of.name in _LISTS else called("list", value))
        self.after.append(ast.Expr(method(value, "clear")))
        return made

    def _split_off(self, call: _Call, of: Kind) -> ast.expr | None:
        value, place = self.both(call)
        made = self.held(said("A[B:]", value, place))
        self.after.append(ast.Delete([ast.Subscript(value, ast.Slice(place, None, None), ast.Del())]))
        return made

    def _or_insert(self, call: _Call, of: Kind) -> ast.expr | None:
        entry, given = self.call_of(call.owner), call.given[0] if call.given else None
        if entry is not None and entry.named == "and_modify":
            return self._modified(entry, given)
        if entry is None or entry.named != "entry":
            return self.value(call.owner)
        one, text = self.type_of(entry.owner).one, text_of(given)
        default: ast.expr = ast.List([], ast.Load())
        if given is not None and not text.endswith("::new"):
            default = self.answer(given) if given.type == "closure_expression" else self._as(given, one)
        elif given is not None or one.name:
            default = self.begun(Kind(text.partition("::")[0]) if given is not None else one)
        return method(self.value(entry.owner), "setdefault", self.key(entry.given[0]), default)

    def _modified(self, call: _Call, given: Node | None) -> ast.expr:
        """`m.entry(k).and_modify(|x| …).or_insert(v)`."""
        entry, closure = self.call_of(call.owner), call.given[0]
        keyed = self.both(entry) if entry is not None else []
        target = self.pattern(_parameters(closure)[0], NOTHING)
        if isinstance(target, ast.Name):
            self.places[target.id] = subscript(*keyed)
        inside = [assigned(target, subscript(*keyed)), *self.into(field(closure, "body"), quiet)]
        other: list[ast.stmt] = [assigned(subscript(*keyed), self.otherwise(given))] if given is not None else []
        self.before.append(ast.If(said("B in A", *keyed), inside, other))
        return subscript(*keyed)

    def _get_or_insert(self, call: _Call, of: Kind) -> ast.expr | None:
        place, made, asked = self.target(call.owner), self.otherwise(call.given[0]), self.target(call.owner)
        self.before.append(ast.If(said("A is None", asked), [assigned(place, made)], []))
        return self.target(call.owner)

    def _extend(self, call: _Call, of: Kind) -> ast.expr | None:
        if of.name == "String":
            more = said("''.join(A)", self.value(call.given[0]))
            self.before.append(added(self.target(call.owner), ast.Add, more))
            return constant(None)
        owner, more = self.both(call)
        return method(owner, "update" if of.name in _SETS or of.name in _MAPS else "extend", more)

    def _partition(self, call: _Call, of: Kind) -> ast.expr | None:
        value = self.value(call.owner)
        parts = [self._comprehension(value, call.given[0], of, negative) for negative in (False, True)]
        return tuple_of(*(ast.ListComp(each.elt, each.generators) for each in parts))


_METHODS: Final[dict[str, Callable[[Rust, _Call, Kind], ast.expr | None]]] = spread({
    "clone": Rust._clone, "get get_mut get_unchecked": Rust._get, "unwrap_or": Rust._unwrap_or,
    "first front front_mut first_mut first_key_value last_key_value last back back_mut last_mut": Rust._first,
    "next next_back": Rust._next, "map and_then map_while filter_map inspect": Rust._map, "filter": Rust._filter,
    "flatten": Rust._flatten, "skip": Rust._skip, "take": Rust._take, "step_by": Rust._step_by,
    "take_while skip_while": Rust._take_while, "windows": Rust._windows, "collect": Rust._collect,
    "split split_whitespace split_ascii_whitespace split_terminator rsplit": Rust._split, "count": Rust._count,
    "max_by_key min_by_key max_by min_by sort_by_key sort_unstable_by_key sort_by sort_unstable_by sort_by_cached_key":
        Rust._ordered,
    "fold try_fold reduce": Rust._fold, "find_map": Rust._find_map, "position rposition": Rust._position,
    "map_or map_or_else": Rust._map_or, "contains contains_key": Rust._contains, "insert": Rust._insert,
    "remove": Rust._remove, "drain": Rust._drain, "split_off": Rust._split_off, "extend": Rust._extend,
    "partition": Rust._partition,
    "or_insert or_default or_insert_with or_insert_with_key": Rust._or_insert,
    "get_or_insert get_or_insert_with": Rust._get_or_insert,
    "unwrap_or_else": lambda own, call, of:
        own.answer(call.given[0]) if _is_nothing(value := own.value(call.owner)) else value,
    "peek": lambda own, call, of: constant(None) if of.name == "Iterator" else said("A[0]", own.value(call.owner)),
    "pop_first pop_last": lambda own, call, of:
        method(own.value(call.owner), "popitem" if of.name in _MAPS else "pop"),
    "nth": lambda own, call, of: constant(None) if of.name == "Args" else said("A[B]", *own.both(call)),
    "flat_map": lambda own, call, of: own.each(call, "(D for B in A for D in C)", of.one),
    "any": lambda own, call, of: own.each(call, "any(C for B in A)", of.one),
    "all": lambda own, call, of: own.each(call, "all(C for B in A)", of.one),
    "chunks chunks_exact chunks_mut chunks_exact_mut rchunks": lambda own, call, of:
        said("(A[C:C + B] for C in range(0, len(A), B))", *own.both(call), name(own.fresh())),
    "join": lambda own, call, of:
        said("B.join(A)", *own.both(call)) if call.given else own.value(call.owner),
    "find": lambda own, call, of: None
        if of.name == "String" or (call.given[0].type != "closure_expression" and of.name != "Iterator")
        else called("next", own._comprehension(own.value(call.owner), call.given[0], of), constant(None)),
    "is_some_and is_none_or": lambda own, call, of: own.answer(call.given[0], [own.value(call.owner)], of),
    "then": lambda own, call, of: said("B if A else None", own.value(call.owner), own.answer(call.given[0]))
        if call.given[0].type == "closure_expression" else None,
    "then_with": lambda own, call, of: said("A or B", own.value(call.owner), own.answer(call.given[0])),
    "range": lambda own, call, of:
        said("itertools.islice(A.items(), 1)" if of.name in _MAPS else "itertools.islice(A, 1)", own.value(call.owner)),
    "iter iter_mut into_iter": lambda own, call, of:
        method(own.value(call.owner), "items") if of.name in _MAPS else None,
    "spawn": lambda own, call, of: own.answer(call.given[0]),
    "rotate_left rotate_right": lambda own, call, of: method(own.value(call.owner), "reverse")
        if of.name in _LISTS else own.limited(said("A << B", *own.both(call)), of if of.bits else Kind("u64")),
})  # fmt: skip
"""What methods give of what they are called of; None of what is a plain value to them."""

_TYPE_OF: Final[dict[str, Callable[[Rust, Node], Kind]]] = spread({
    "boolean_literal": lambda own, node: _BOOL,
    "string_literal raw_string_literal": lambda own, node: _TEXT,
    "char_literal": lambda own, node: Kind("u8" if text_of(node).startswith("b") else "char"),
    "parenthesized_expression unary_expression reference_expression try_expression":
        lambda own, node: own._type_of(node.named_children[-1]),
    "type_cast_expression": lambda own, node: own.declared(field(node, "type")),
    "struct_expression": lambda own, node: Kind(own._thing_of(node)),
    "tuple_expression": lambda own, node: Kind("tuple", tuple(map(own.type_of, node.named_children))),
    "array_expression": lambda own, node:
        Kind("array", (own.type_of(_one(node)),), (size := field(node, "length")) and own.value(size)),
    "range_expression": lambda own, node:
        _through(next((kind for each in node.named_children if (kind := own.type_of(each)).name), Kind("i64"))),
})  # fmt: skip
"""What expressions give."""


def _one(node: Node) -> Node | None:
    return node.named_children[0] if node.named_children else None


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _thing(of: str, keys: Iterable[str], values: Sequence[ast.expr]) -> ast.Call:
    """A thing whose fields are these."""
    made = called(of)
    made.keywords = [ast.keyword(spelt(key), value) for key, value in zip(keys, values, strict=False)]
    return made


def _is_method(node: Node) -> bool:
    return any(each.type == "self_parameter" for each in children(field(node, "parameters")))


def _is_wrapping(node: Node) -> bool:
    """Whether it holds one thing and is as good as that."""
    inner = _parts(node)
    return len(inner) == 2 and text_of(inner[0]).rpartition("::")[2].partition("<")[0] in _WRAPPED


def _inner(node: Node | None) -> Node | None:
    """Without `&` and `?`."""
    while node is not None and node.type in ("try_expression", "reference_expression"):
        node = node.named_children[-1]
    return node


def _function(node: Node | None) -> Node | None:
    """What is called."""
    node = _inner(node)
    return field(node, "function") if node is not None and node.type == "call_expression" else None


def _given(node: Node | None) -> list[Node]:
    """What a call gives."""
    node = _inner(node)
    arguments = field(node, "arguments") if node is not None else None
    return [each for each in children(arguments) if each.type != "attribute_item"]


def _parameters(node: Node) -> list[Node]:
    """The patterns of a closure's parameters."""
    given = _parts(field(node, "parameters"))
    return [needed(each, "pattern") if each.type == "parameter" else each for each in given]


def _parts(node: Node | None) -> list[Node]:
    """What a pattern consists of, `_` as well."""
    kinds = ("mutable_specifier", "lifetime", "line_comment", "block_comment")
    named = [each for each in (node.children if node is not None else ()) if each.is_named or each.type == "_"]
    return [each for each in named if each.type not in kinds]


def _hopeless(node: Node | None) -> bool:
    """Whether it only gives up."""
    return text_of(node).strip("{}; \n").startswith(("unreachable!", "panic!", "unimplemented!", "todo!"))


def _first(node: Node) -> Node:
    """A pattern without what is around it."""
    while node.type in ("match_pattern", "reference_pattern") and node.named_children:
        node = node.named_children[0]
    return node


def _values(tests: Sequence[ast.expr]) -> list[ast.expr]:
    """Values that one test asks for; none where it asks for something else."""
    test = tests[0] if len(tests) == 1 else constant(None)
    found = list[ast.expr]()
    for each in test.values if isinstance(test, ast.BoolOp) else [test]:
        if not (isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], ast.Eq)):
            return []
        value = each.comparators[0]
        if not isinstance(value, ast.Constant) or type(value.value) not in (int, float, str):
            return []
        found.append(value)
    return found


def _more(node: ast.expr, by: int = 1) -> ast.expr:
    """One more, or one less."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return constant(node.value + by)
    return said("A + 1" if by > 0 else "A - 1", node)


def _again(node: ast.expr) -> ast.expr:
    """What a target's names hold."""
    if isinstance(node, ast.Tuple):
        return tuple_of(*map(_again, node.elts))
    return name(node.id) if isinstance(node, ast.Name) else node


def _macro_name(node: Node) -> str:
    return text_of(field(node, "macro")).rpartition("::")[2]


def _tokens(node: Node) -> str:
    """What a macro is given, as it is written."""
    return text_of(next((each for each in node.named_children if each.type == "token_tree"), None))[1:-1]


def _parsed(block: str, node: Node) -> Node | None:
    """What stands in a macro, on its line."""
    root = parsed("rust", "\n" * node.start_point[0] + f"fn __f() {block}").root_node
    return field(root.named_children[-1], "body")


def _halves(text: str) -> tuple[str, str]:
    """What stands before the first comma that is in no bracket, and behind."""
    deep = 0
    for place, letter in enumerate(text):
        deep += (letter in "([{") - (letter in ")]}")
        if letter == "," and not deep:
            return text[:place], text[place + 1 :].rstrip().rstrip(",")
    return text, "_"


def _find(node: Node | None, kind: str) -> Node:
    """The first node of a kind."""
    left = [node] if node is not None else []
    while left[-1].type != kind:
        left += reversed(left.pop().named_children)
    return left[-1]
