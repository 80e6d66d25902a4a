"""Ruby."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from forerun.tasks._tongues._braced import field, listed, printed
from forerun.tasks._tongues._scripts import (
    ESCAPES,
    Scripted,
    again,
    below,
    changed,
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
    lined,
    list_of,
    mapping_of,
    matching,
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
    written,
)
from forerun.tasks._tongues._translator import (
    added,
    assigned,
    binary,
    called,
    compared,
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

_INPUTS = frozenset(("$stdin", "STDIN", "ARGF", "$<"))
_SAME = frozenset(
    "to_sym freeze to_proc itself lazy b force to_r to_c to_str unicode_normalize succ! rewind each entries then_some"
    " curry".split()
)
_RENAMED = {
    "strip": "strip", "chomp": "rstrip", "lstrip": "lstrip", "rstrip": "rstrip", "upcase": "upper", "capitalize":
    "title", "downcase": "lower", "start_with?": "startswith", "end_with?": "endswith", "pop": "pop", "clear":
    "clear", "ljust": "ljust", "rjust": "rjust", "center": "center", "concat": "extend", "replace": "extend",
    "insert": "insert", "merge": "union", "merge!": "update", "update": "update", "keys": "keys", "values":
    "values", "split": "split", "add": "add", "enq": "append", "bit_length": "bit_length", "index": "index",
    "rindex": "rindex", "swapcase": "lower", "find_index": "index", "subset?": "issubset", "intersect?":
    "isdisjoint", "lines": "splitlines", "each_line": "splitlines", "chomp!": "rstrip", "strip!": "strip", "sort!":
    "sort", "reverse!": "reverse", "lstrip!": "lstrip", "squeeze": "strip",
}  # fmt: skip
_CALLED = {
    "size": "len", "length": "len", "bytesize": "len", "to_i": "int", "to_f": "float", "to_s": "str", "inspect":
    "str", "min": "min", "max": "max", "sum": "sum", "abs": "abs", "ord": "ord", "chr": "chr", "sort": "sorted",
    "to_a": "list", "chars": "list", "uniq": "set", "to_set": "set", "to_h": "dict", "tally":
    "collections.Counter", "round": "round", "hash": "hash", "hex": "int", "magnitude": "abs", "codepoints": "list",
    "to_enum": "iter", "truncate": "int", "next": "next", "each_char": "list", "count": "len",
    "each_entry": "list",
}  # fmt: skip
_MATHS = {"floor": "math.floor", "ceil": "math.ceil", "gcd": "math.gcd", "lcm": "math.lcm"}
_SENT = {
    "shift": "a.pop(0)", "deq": "a.pop(0)", "join": "b.join(a)", "join/0": "''.join(a)", "reverse": "a[::-1]",
    "fetch/1": "a[b]", "fetch/2": "a.get(b, c)", "dig/1": "a[b]", "dig/2": "a[b][c]", "dig/3": "a[b][c][d]",
    "delete_at": "a.pop(*z)", "tr": "a.replace(*z)", "scan": "re.findall(*z, a)", "zip": "list(zip(a, *z))",
    "transpose": "list(zip(*a))", "sample": "random.choice(a)", "succ": "a + 1", "pred": "a - 1",
    "divmod": "divmod(a, *z)", "minmax": "(min(a), max(a))", "inject": "sum(a)", "reduce": "sum(a)",
    "clamp": "max(min(a, c), b)", "between": "b <= a <= c", "equal": "a == b", "eql": "a == b", "empty": "not a",
    "none?": "not a", "any?/0": "a", "zero?": "a == 0", "positive?": "a > 0", "negative?": "a < 0",
    "nil?": "a is None", "even?": "a % 2 == 0", "odd?": "a % 2 == 1", "first": "a[0]", "last": "a[-1]",
    "first/1": "a[:b]", "take": "a[:b]", "last/1": "a[-b:]", "drop": "a[b:]", "min/1": "sorted(a)[:b]",
    "max/1": "sorted(a)[:b]", "merge": "{**a, **b}",
    "merge/0": "{**a, **{}}", "merge!": "a.update(*z)", "strip": "a.strip()",
    "chomp": "a.rstrip()", "lines": "a.splitlines()",
    **dict.fromkeys("unshift prepend".split(), "a.insert(0, b)"),
    **dict.fromkeys("dup clone".split(), "a[:]"), "compact": "list(a)",
    **dict.fromkeys("getbyte byteslice slice at values_at".split(), "a[b]"),
    **dict.fromkeys("is_a kind_of instance_of respond_to".split(), "isinstance(a, *z)"),
    **dict.fromkeys("include? key? has_key? member? cover? value?".split(), "b in a"),
    **dict.fromkeys("call yield ===".split(), "a(*z)"),
}  # fmt: skip
"""What methods give: those of `named/count` where they are given so many."""
_KERNEL = {
    "readlines": "sys.stdin.readlines()", "read": "sys.stdin.read()", "Integer": "int(a)", "Float": "float(a)",
    "String": "str(a)", "Array": "list(a)", "Rational": "float(a)", "block_given?": "True",
    **dict.fromkeys("puts print p pp warn putc".split(), "print(*z)"),
    **dict.fromkeys("gets readline".split(), "sys.stdin.readline()"),
    **dict.fromkeys("exit exit! abort".split(), "sys.exit()"),
    **dict.fromkeys("binding raise private require srand sleep at_exit __method__ __dir__".split(), "None"),
}  # fmt: skip
_MADE = {
    "Set.new": "set(*z)", "String.new": "''", "Random.new": "random.Random()", "Struct.new": "None",
    "Integer.sqrt": "math.isqrt(*z)", "JSON.parse": "json.loads(a)", "JSON.generate": "json.dumps(a)",
}  # fmt: skip
_OVER = {
    "times": "range(a)", "each_index": "range(len(a))", "each_key": "a.keys()", "each_value": "a.values()",
    "combination": "itertools.combinations(a, *z)", "permutation": "itertools.permutations(a, *z)",
    "repeated_combination": "itertools.combinations_with_replacement(a, *z)", "downto": "range(a, b - 1, -1)",
}  # fmt: skip
"""What loops go through."""
_LOOPS = frozenset(
    "each each_with_index times upto downto step loop each_pair each_char each_line reverse_each".split()
)
_EACH = frozenset(
    "each each_with_index times upto downto step each_char each_byte each_line each_pair each_key each_value each_slice"
    " each_cons reverse_each each_index each_entry combination permutation product cycle each_codepoint chars bytes"
    " lines repeated_combination with_index".split()
)
_LETTERS = ("C*", "c*", "U*")
"""Forms in which numbers are letters of a text."""
_PLAIN = frozenset("each each_pair each_char each_line each_entry chars lines".split())
_ASKING = frozenset(
    "map collect select filter reject flat_map collect_concat filter_map sum count any? all? none? one? find detect"
    " find_index index min_by max_by sort_by group_by partition inject reduce each_with_object to_h uniq take_while"
    " drop_while map! select! reject! delete_if keep_if sort min max collect! sort_by! sort! find_all tally_by sum"
    " chunk_while slice_when zip uniq! transform_values transform_keys filter! minmax_by to_set then tap fetch"
    " each_entry".split()
)
_CORE = frozenset("Integer Float Numeric String Symbol Array Hash".split())
"""Classes of the language's own, which programs may add to."""
_COMMON = frozenset((*_RENAMED, *_CALLED, *_EACH, *_ASKING, "first", "last", "<<"))
_OPERATORS = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "[]": "__getitem__", "[]=": "__setitem__", "==": "__eq__",
    "<=>": "__cmp__", "<<": "append", "/": "__div__", "%": "__mod__",
}  # fmt: skip
_SHOVED = re.compile(r"(?<=[\w\])])<<(?=[a-z_@(\[])")
"""`rows<<row`, which reads like a text that begins below."""
_FLOATS = re.compile(r"to_f|fdiv|Math\.|Float\(|(?<![\w.])\d+\.\d")
_CONSTANTS: dict[str, object] = {"Float::INFINITY": 1e308, "Math::PI": 3.141592653589793, "Float::MAX": 1e308}
_MAPPINGS = frozenset("tally group_by to_h transform_values merge invert".split())
_LISTS = frozenset(
    "to_a map chars sort sort_by select reject split dup bytes values keys flat_map filter_map uniq reverse first last"
    " filter shuffle readlines lines partition zip each_slice scan".split()
)
_STREAMS = frozenset(
    "each_slice each_cons each_char times each_with_index each_index combination upto downto step permutation each_line"
    " each_byte reverse_each product each with_index each_pair".split()
)
_KEEPING = frozenset(
    "select filter find_all reject select! reject! filter! delete_if keep_if take_while drop_while partition".split()
)
_TELLING = frozenset("any? all? none? one? find detect find_index index count".split())
_ASKED = {
    **dict.fromkeys(_KEEPING, "[a for a in b if c]"),
    **dict.fromkeys("reject reject! delete_if drop_while".split(), "[a for a in b if not c]"),
    **dict.fromkeys("find detect find_index index".split(), "next((a for a in b if c), None)"),
    **dict.fromkeys("flat_map collect_concat".split(), "[d for a in b for d in c]"),
    "partition": "([a for a in b if c], [a for a in b if not c])", "filter_map": "[d for d in [c for a in b] if d]",
    "any?": "any(c for a in b)", "one?": "any(c for a in b)", "all?": "all(c for a in b)",
    "none?": "not any(c for a in b)", "count": "sum(1 for a in b if c)", "sum": "sum(c for a in b)",
}  # fmt: skip
"""What is made of all, `b`, each of which is `a` and gives `c`."""
_SORTING = frozenset("sort_by sort_by! min_by max_by uniq group_by minmax_by tally_by".split())
_SHARED = frozenset(
    "each size length first last push pop map sum count to_s min max add shift empty? keys values include? delete"
    " insert clear".split()
)
_CHANGING = frozenset("map! collect! select! reject! delete_if keep_if uniq! filter!".split())
_IGNORED = frozenset("require require_relative private include extend attr_reader using srand".split())
_BODIES = ("body_statement", "block_body", "then", "else", "do", "begin", "parenthesized_statements", "ensure")
_LEAVING = ("return", "next", "break", "redo", "retry", "method", "class", "module", "singleton_method")
_TURNED = ("unless", "unless_modifier", "until", "until_modifier")
_STATED = "while until while_modifier until_modifier for operator_assignment rescue_modifier".split()
_BARE = ("pair", "block_argument", "hash_splat_argument")
Sink = Callable[[ast.expr], list[ast.stmt]]


_SAID: dict[str, Callable[..., object]] = {
    "_of_constant": lambda self, node: name(spelt(text_of(node))),
    "_do_method _do_singleton_method": lambda self, node: [self.function(node, own=False)],
    "_do_alias _do_heredoc_body _do_undef": lambda self, node: [],
    "_do_case": lambda self, node: self._case(node, None),
    "_do_case_match": lambda self, node: self._matching(node, None),
    "_do_rescue_modifier": lambda self, node: self.statement(field(node, "body")),
    "_of_rescue_modifier": lambda self, node: self.value(field(node, "body")),
    "_do_yield _do_super": lambda self, node: [ast.Expr(self.value(node))],
    "_of_yield": lambda self, node: called(name(self.block_name[-1]), *self._values(node)),
    "_of_super": lambda self, node: put("super().__init__()"),
    "_of_next _of_break _of_return _of_redo": lambda self, node: constant(None),
    "_of_rational": lambda self, node: self.value(node.named_children[0]),
    "_of_chained_string": lambda self, node: text_from([*map(self.value, node.named_children)]),
    "_of_heredoc_beginning": lambda self, node: self.value(self.heredocs.pop(0)) if self.heredocs else constant(""),
    "_of_simple_symbol _of_hash_key_symbol _of_bare_symbol": lambda self, node: constant(text_of(node).lstrip(":")),
    "_of_character": lambda self, node: constant(text_of(node)[1:]),
    "_of_array _of_string_array _of_symbol_array": lambda self, node: list_of(map(self.value, inside(node))),
    "_of_right_assignment_list": lambda self, node: tuple_of(map(self.value, node.named_children)),
    "_of_hash": lambda self, node: self.pairs(node.named_children),
    "_of_lambda": lambda self, node: self.closure(field(node, "parameters"), part(field(node, "body"), "body")),
    "_sent_rand": lambda self, owner, values, given: self._drawn(given),
    "_do_body_statement _do_then _do_else _do_do _do_block_body _do_begin _do_parenthesized_statements": lambda self,
        node: self.valued(node, None),
    "_do_next _do_redo _do_retry _do_break": lambda self, node: self._do_return(node) if self.rounds[-1] != "loop"
        else [ast.Break() if node.type == "break" else ast.Continue()],
    "_of_operator_assignment": lambda self, node: self.first(self._do_operator_assignment(node)) or
        self.value(field(node, "left")),
    "_of_while _of_until _of_while_modifier _of_until_modifier _of_for": lambda self, node:
        self.first(self.statement(node)) or constant(None),
    "_sent_push _sent_append": lambda self, owner, values, given: self.all_done([extended(owner, one) for one in
        values]),
}  # fmt: skip
"""Methods of one expression."""


class Ruby(Scripted, said=_SAID):
    """Programs of one file."""

    def __init__(self) -> None:
        super().__init__()
        self.methods_of = dict[str, dict[str, Node]]()
        """Of classes, and the functions of modules, which belong to no thing."""
        self.statics = dict[str, dict[str, Node]]()
        self.bases, self.mixed = dict[str, str](), dict[str, list[str]]()
        self.fields_of = set[str]()
        """What things of classes have, as others ask for it."""
        self.structs = dict[str, list[str]]()
        self.keyed = set[str]()
        self.listing = set[str]()
        """Classes that say what they have one by one, and are asked for that as lists are."""
        """Those whose fields are given by name."""
        self.functions = dict[str, Node]()
        """Those of no class."""
        self.hashes, self.arrays, self.words, self.points = set[str](), set[str](), set[str](), set[str]()
        """What is a mapping, a list, a text and a number with a rest, as it is written."""
        self.symbols, self.growing = set[str](), set[str]()
        """Names that a method may be asked for by, and lists that are filled by their places."""
        self.rounds = ["loop"]
        """Whether a block that is under way is a loop or a function."""
        self.static = False
        """Whether a function of a class or module is under way that belongs to no thing."""
        self.block_name = ["block_"]
        self.heredocs = list[Node]()
        self.yields = list[str]()
        """What generators that are under way give their values to."""

    # The whole program.

    def prepared(self, text: str) -> str:
        return _SHOVED.sub(" << ", text)

    def program(self, root: Node) -> list[ast.stmt]:
        self._survey(root, "")
        for node in below(root):
            if node.type in ("simple_symbol", "bare_symbol"):
                self.symbols.add(text_of(node).lstrip(":"))
            elif node.type in ("assignment", "operator_assignment"):
                self._survey_assignment(node)
        text, puts = text_of(root), r"\s*(<<|\.push|\.concat|\.unshift)"
        self.growing = {one for one in self.growing if not re.search(rf"(?<!\w){re.escape(one)}{puts}", text)}
        self.heredocs = [*below(root, "heredoc_body")]
        asked = {text_of(each).lower() for each in below(root, "constant")} & {"csv", "json"}
        tables = [ast.Import([ast.alias(each)], lineno=1) for each in sorted(asked)]
        return [*tables, *self.statements(root.named_children)]

    def _survey(self, node: Node | None, owner: str, static: bool = False) -> None:
        """What there is, before anything is said."""
        for each in inside(node):
            kind, named, body = each.type, written(each, "name"), field(each, "body")
            if kind in ("class", "module"):
                named = named.rpartition("::")[2]
                self._survey_class(named)
                base = next(iter(inside(field(each, "superclass"))), None)
                if base is not None:
                    self.bases[named] = text_of(base).rpartition("::")[2]
                    self._survey_struct(named, base)
                self._survey(body, named, _is_static(body))
            elif kind == "singleton_class":
                self._survey(body, owner, static=True)
            elif kind in ("method", "singleton_method"):
                free = static or kind == "singleton_method"
                (self.statics if free else self.methods_of).setdefault(owner, {})[named] = each
                if not owner:
                    self.functions[named] = each
            elif kind == "call" and written(each, "method") == "refine":
                self._survey_class(refined := "".join(map(text_of, _arguments(each)[:1])))
                self._survey(part(field(each, "block"), "body"), refined)
            elif kind == "call" and written(each, "method") == "include" and "Enumerable" in text_of(each):
                self.listing.add(owner)
            elif kind == "call" and written(each, "method") in ("include", "prepend") and owner:
                self.mixed.setdefault(owner, []).extend(text_of(one).rpartition("::")[2] for one in _arguments(each))
            elif kind == "call" and written(each, "method").startswith("attr_"):
                self.fields_of.update(text_of(one).lstrip(":") for one in _arguments(each))
            elif kind == "assignment" and (right := field(each, "right")) is not None:
                self._survey_struct(written(each, "left"), right)
            elif kind in ("body_statement", "call"):
                self._survey(each, owner, static)

    def _survey_class(self, named: str) -> None:
        self.methods_of.setdefault(named, {})
        self.statics.setdefault(named, {})

    def _survey_struct(self, named: str, right: Node) -> None:
        if right.type != "call" or written(right, "receiver") not in ("Struct", "Data"):
            return
        self.structs[named] = [text_of(one).lstrip(":") for one in _arguments(right) if one.type == "simple_symbol"]
        self.fields_of.update(self.structs[named])
        if "keyword_init" in text_of(right):
            self.keyed.add(named)
        self._survey_class(named)
        self._survey(part(field(right, "block"), "body"), named)

    def _survey_assignment(self, node: Node) -> None:
        """What names are given."""
        left, _, right = sides(node)
        pairs = [(left, right)]
        if left.type == "left_assignment_list":
            pairs = [*zip(left.named_children, right.named_children, strict=False)] if "list" in right.type else []
        for target, value in pairs:
            while value.type == "call" and written(value, "method") in ("freeze", "dup"):
                value = field(value, "receiver") or value.named_children[0]
            text, said = text_of(target), text_of(value)
            last = written(value, "method") if value.type == "call" else ""
            made = written(value, "receiver") if last == "new" else ""
            mapping = last in _MAPPINGS or re.search(r"with_object\(({\}|Hash)", said)
            if value.type == "hash" or made == "Hash" or mapping:
                self.hashes.add(text)
            elif value.type.endswith("array") or made == "Array" or last in _LISTS:
                self.arrays.add(text)
                self.growing.update([text] if said == "[]" else ())
            elif value.type == "string" or made == "String" or last == "join" or re.match(r"\+['\"]", said):
                self.words.add(text)
            parted = re.search(r"to_f|fdiv|Math\.|Float\(", said) or (value.type == "binary" and _FLOATS.search(said))
            if value.type == "float" or parted:
                self.points.add(text)

    # Names.

    @staticmethod
    def plain(named: str) -> str:
        """A method's name as Python may have it."""
        ending = {"?": "_q", "!": "_x", "=": "_set"}.get(named[-1:], "")
        return _OPERATORS.get(named) or f"{named.rstrip('?!=')}{ending}"

    def lineage(self, owner: str) -> list[str]:
        """A class and those above it."""
        above = [one for one in (self.bases.get(owner, ""), *self.mixed.get(owner, ())) if one != owner]
        return [owner, *(each for one in above if one in self.methods_of for each in self.lineage(one))]

    def _has(self, owner: str, named: str) -> bool:
        return any(named in self.methods_of.get(each, ()) for each in self.lineage(owner))

    def _anyone_has(self, named: str) -> bool:
        return any(named in methods for owner, methods in self.methods_of.items() if owner)

    def _of_identifier(self, node: Node) -> ast.expr:
        named = text_of(node)
        return name(spelt(named)) if named in self.own[-1] else self.bare(named, [], node)

    def _of_scope_resolution(self, node: Node) -> ast.expr:
        text = text_of(node)
        return constant(_CONSTANTS[text]) if text in _CONSTANTS else name(spelt(written(node, "name")))

    def _of_instance_variable(self, node: Node) -> ast.expr:
        text = text_of(node).lstrip("@")
        own = bool(self.owner) and text in self.methods_of.get(self.owner[-1], ())
        named = f"{text}_" if own else fielded(text)  # its methods have other names
        if not self.owner or self.static or node.type == "class_variable":
            return name(f"{self.owner[-1] if self.owner else ''}__{named}")
        return path("self", named)

    _of_class_variable = _of_instance_variable

    def _of_global_variable(self, node: Node) -> ast.expr:
        text = text_of(node)
        if text in _INPUTS:
            return path("sys", "stdin")
        if text[1:].isdigit():
            return subscript(name("__m"), constant(int(text[1:])))
        return name(spelt(f"G_{text[1:]}")) if text[1:].isidentifier() else constant(None)

    def target(self, node: Node) -> ast.expr:
        """What is given a value."""
        kind, inner = node.type, node.named_children
        if kind == "identifier":
            self.own[-1].add(text_of(node))
            return name(spelt(text_of(node)))
        if kind in ("rest_assignment", "splat_parameter"):
            return ast.Starred(self.target(inner[0]) if inner else name("_"), ast.Store())
        if kind in ("destructured_left_assignment", "destructured_parameter", "left_assignment_list"):
            return ast.Tuple([*map(self.target, inner)], ast.Store())
        if kind == "call":
            return ast.Attribute(self.value(field(node, "receiver")), fielded(written(node, "method")), ast.Load())
        return self.place(self.value(node))

    # Declarations.

    def _do_class(self, node: Node) -> list[ast.stmt]:
        named = written(node, "name").rpartition("::")[2]
        return self._declared(named, field(node, "body"), self.bases.get(named, ""))

    _do_module = _do_class

    def _declared(self, named: str, body: Node | None, base: str | None = None) -> list[ast.stmt]:
        """A class, and beside it what belongs to no thing of it."""
        self.owner.append(named)
        methods, beside, left = list[ast.stmt](), list[ast.stmt](), inside(body)
        fields = self.structs.get(named, [])
        if fields and "initialize" not in self.methods_of.get(named, ()):
            begins: list[ast.stmt] = [assigned(path("self", fielded(each)), name(spelt(each))) for each in fields]
            start = function_of("__init__", ["self", *map(spelt, fields)], begins)
            start.args.defaults = [constant(None) for _ in fields]
            methods.append(start)
        while left:
            each = left.pop(0)
            if each.type == "method" and not _is_static(body):
                methods.append(self.at(self.function(each, own=True), each))
            elif each.type in ("method", "singleton_method"):
                beside += self._beside(each, named)
            elif each.type == "singleton_class":
                methods_there = [one for one in inside(field(each, "body")) if one.type == "method"]
                beside += [made for one in methods_there for made in self._beside(one, named)]
            elif each.type in ("class", "module"):
                beside += self.statement(each)
            elif each.type == "call" and written(each, "method") == "refine":
                body_there = part(field(each, "block"), "body")
                beside += self._declared("".join(map(text_of, _arguments(each)[:1])), body_there)
            elif each.type == "call":  # `private def`
                left = [*(one for one in _arguments(each) if one.type == "method"), *left]
            elif each.type in ("assignment", "operator_assignment"):
                beside += self._beside(each, named)
        if named in self.listing and "each" in self.methods_of[named]:
            methods.append(self.at(_listed(_block_name(self.methods_of[named]["each"])), body))
        self.owner.pop()
        above = [one for one in (base, *self.mixed.get(named, ())) if one != named and one in self.methods_of]
        bases: list[ast.expr] = [name(spelt(one)) for one in above if one]
        made = ast.ClassDef(spelt(named), bases, [], methods or [ast.Pass()], [])
        return [made, *beside] if methods or not beside or named in self.structs else beside

    def _beside(self, node: Node, named: str) -> list[ast.stmt]:
        """What belongs to a class itself."""
        self.static = True
        method = node.type in ("method", "singleton_method")
        made = [self.at(self.function(node, own=False, of=named), node)] if method else self.statement(node)
        self.static = False
        return made

    def function(self, node: Node, own: bool, of: str = "") -> ast.FunctionDef:
        """One of the program's functions."""
        named = written(node, "name")
        starts, plain = named == "initialize", self.plain(named)
        spelled = ("__init__" if starts else plain) if own else spelt(f"{of}__{plain}" if of else plain)
        self.own.append(set())
        made = self.inner(spelled, field(node, "parameters"), field(node, "body"), ["self"] if own else [], not starts)
        self.own.pop()
        return made

    def inner(
        self, named: str, parameters: Node | None, body: Node | None, names: list[str], returns: bool = True
    ) -> ast.FunctionDef:
        """A function."""
        closure = named.startswith("__") and named[2:].isdigit()
        defaults, more, block = list[ast.expr](), "", ""
        keywords, ahead = dict[str, ast.expr](), list[ast.stmt]()
        self.rounds.append("function")
        with self.aside():
            for each in inside(parameters):
                text = written(each, "name") or text_of(each)
                if each.type == "destructured_parameter":
                    names.append(self.fresh())
                    ahead.append(assigned(self.target(each), name(names[-1])))
                    continue
                self.own[-1].add(text)
                if each.type == "splat_parameter":
                    more = spelt(text.lstrip("*")) or "_"
                elif each.type == "keyword_parameter":
                    keywords[spelt(text)] = self.value(field(each, "value"))
                elif each.type == "block_parameter":
                    block = spelt(text.lstrip("&")) or "block_"
                elif each.type in ("identifier", "optional_parameter"):
                    names.append(spelt(text))
                    if each.type == "optional_parameter" or closure:
                        defaults.append(self.value(field(each, "value")))
        if not block and re.search(r"\byield\b|\bblock_given\?", text_of(body)):
            block = "block_"
        self.block_name.append((block or "block_") if not closure else self.block_name[-1])
        made = [*ahead, *self.valued(body, _returned if returns else None)]
        self.block_name.pop()
        self.rounds.pop()
        shared = sorted(each for each in changed(made) if each.startswith("G_") or re.match(r"[A-Z]?\w*__[a-z]", each))
        function = function_of(named, names, [ast.Global(shared), *made] if shared else made)
        if block and not closure:
            keywords[block] = constant(None)
        function.args.defaults = defaults
        function.args.vararg = ast.arg(more) if more else None
        function.args.kwonlyargs, function.args.kw_defaults = [*map(ast.arg, keywords)], [*keywords.values()]
        return function

    # What is done, and what is made of its value.

    def valued(self, node: Node | None, sink: Sink | None) -> list[ast.stmt]:
        """What a body does; its value, that of its last statement, goes there."""
        if node is None:
            return sink(constant(None)) if sink is not None else []
        if node.type not in _BODIES:
            return self.into(node, sink)
        rescues = [each for each in inside(node) if each.type in ("rescue", "ensure", "else")]
        inner = [each for each in inside(node) if each not in rescues and each.type != "heredoc_body"]
        made = self.statements(inner[:-1])
        made += self.into(inner[-1], sink) if inner else []
        handled, last = list[ast.stmt](), list[ast.stmt]()
        for each in rescues:
            if each.type == "ensure":
                last = self.statements(each.named_children)
            elif each.type == "rescue":
                self.own[-1].update(map(text_of, inside(field(each, "variable"))))
                handled = self.valued(field(each, "body"), sink) or [ast.Pass()]
            else:
                made += self.statements(each.named_children)
        if handled:
            made = [ast.Try(made or [ast.Pass()], [ast.ExceptHandler(None, None, handled)], [], [])]
        return [*made, *last]

    def into(self, node: Node, sink: Sink | None) -> list[ast.stmt]:
        """What a statement does, and what is made of its value."""
        if sink is None or node.type in _LEAVING:
            return self.statement(node)
        return self.stated(lambda: self._into(node, sink), node)

    def _into(self, node: Node, sink: Sink) -> list[ast.stmt]:
        kind, left = node.type, field(node, "left")
        if kind in ("if", "unless", "elsif", "if_modifier", "unless_modifier"):
            test, modifier = self.test(field(node, "condition")), kind.endswith("modifier")
            then = self.valued(field(node, "body" if modifier else "consequence"), sink)
            rest = self.valued(field(node, "alternative"), sink) if not modifier else []
            return [chosen(test, then, rest, kind in _TURNED)]
        if kind in ("case", "case_match"):
            return self._case(node, sink) if kind == "case" else self._matching(node, sink)
        if kind in _BODIES:
            return self.valued(node, sink)
        if kind in _STATED:
            return [*self.statement(node), *(sink(self.value(left)) if left is not None else ())]
        if kind == "assignment" and left is not None and left.type == "element_reference" and not self.before:
            return self._placed(node, sink)
        named = written(node, "method")
        if kind == "call" and named in _LOOPS and field(node, "block") is not None and not self._user(node, named):
            return self.statement(node)
        if kind == "binary" and written(node, "operator") == "<<" and self._adds(node, True):
            return [*self._do_binary(node), *sink(self.value(left))]
        return sink(self.value(node))

    def _placed(self, node: Node, sink: Sink) -> list[ast.stmt]:
        """`a[k] = value`, and what is made of that value."""
        made = self._do_assignment(node)
        last = made[-1] if made else None
        if not (isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Subscript)):
            return [*made, *sink(self.value(field(node, "left")))]
        if isinstance(last.value, (ast.Name, ast.Constant)) or not any(
            isinstance(one, ast.Call) for one in ast.walk(last.targets[0])
        ):
            plain = isinstance(last.value, (ast.Name, ast.Constant))
            return [*made, *sink(last.value if plain else again(last.targets[0]))]
        kept = self.fresh()
        made[-1:] = [assigned(name(kept), last.value), assigned(last.targets[0], name(kept))]
        return [*made, *sink(name(kept))]

    def _case(self, node: Node, sink: Sink | None) -> list[ast.stmt]:
        of = field(node, "value")
        given = subject = self.value(of) if of is not None else None
        if isinstance(given, (ast.Call, ast.NamedExpr)):
            subject = name(self.fresh())
        branches, last = list[tuple[list[ast.expr], list[ast.stmt]]](), list[ast.stmt]()
        for each in node.named_children:
            if each.type == "when":
                labels = [one.named_children[0] for one in each.children_by_field_name("pattern")]
                tests = [self._label(subject, one) for one in labels]
                branches.append((tests, self.valued(field(each, "body"), sink) or [ast.Pass()]))
            elif each.type == "else":
                last = self.valued(each, sink)
        values = [[one for test in tests if (one := _label_value(test)) is not None] for tests, _ in branches]
        plain = all(len(one) == len(tests) for one, (tests, _) in zip(values, branches, strict=True))
        if plain and given is not None and len(branches) > 2:
            cases = [(one, body) for one, (_, body) in zip(values, branches, strict=True)]
            return [matching(given, [*cases, *([(list[ast.expr](), last)] if last else [])])]
        for tests, body in reversed(branches):
            last = [self.at(ast.If(tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests), body, last), node)]
        return last if given is subject or subject is None or given is None else [assigned(subject, given), *last]

    def _matching(self, node: Node, sink: Sink | None) -> list[ast.stmt]:
        """`case … in …`: names are bound ahead of what guards them."""
        subject, ahead, last = self.value(field(node, "value")), list[ast.stmt](), list[ast.stmt]()
        if not isinstance(subject, ast.Name):
            kept = self.fresh()
            ahead, subject = [assigned(name(kept), subject)], name(kept)
        branches = list[tuple[list[ast.stmt], ast.expr, list[ast.stmt]]]()
        for each in node.named_children:
            if each.type == "else":
                last = self.valued(each, sink)
            elif each.type == "in_clause":
                tests, bound = self._pattern(subject, must(each, "pattern"))
                if (guard := field(each, "guard")) is not None:
                    test = self.test(field(guard, "condition"))
                    tests.append(negated(test) if guard.type == "unless_guard" else test)
                test = ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0] if tests else constant(True)
                body = self.valued(field(each, "body"), sink) or [ast.Pass()]
                branches.append((bound if guard is not None else [], test, body if guard is not None else bound + body))
        for bound, test, body in reversed(branches):
            last = lined([*bound, ast.If(test, body, last)], node)
        return [*ahead, *last]

    def _pattern(self, of: ast.expr, node: Node) -> tuple[list[ast.expr], list[ast.stmt]]:
        """What a pattern asks of a value, and the names that it binds."""
        tests, bound, kind = list[ast.expr](), list[ast.stmt](), node.type
        parts = list[tuple[ast.expr, Node]]()
        if kind == "identifier":
            bound.append(assigned(self.target(node), of))
        elif kind == "as_pattern":
            tests, bound = self._pattern(of, must(node, "value"))
            bound.append(assigned(self.target(must(node, "name")), of))
        elif kind in ("hash_pattern", "keyword_pattern"):
            for each in (one for one in node.named_children if one.type == "keyword_pattern"):
                key, value = written(each, "key"), field(each, "value")
                if value is not None:
                    parts.append((subscript(of, constant(key)), value))
                else:
                    tests.append(compared(constant(key), ast.In, of))
                    bound.append(assigned(name(spelt(key)), subscript(of, constant(key))))
        elif kind in ("array_pattern", "find_pattern"):
            for place, each in enumerate(node.named_children):
                if each.type != "splat_parameter":
                    parts.append((subscript(of, constant(place)), each))
                elif (rest := field(each, "name")) is not None:
                    bound.append(assigned(self.target(rest), subscript(of, ast.Slice(constant(place), None, None))))
            tests.append(compared(called("len", of), ast.Eq, constant(len(parts))))
        elif kind == "alternative_pattern":
            tests.append(ast.BoolOp(ast.Or(), [self._label(of, each) for each in node.named_children]))
        elif kind != "constant":
            tests.append(self._label(of, node))
        for inner, one in parts:
            more, names = self._pattern(inner, one)
            tests, bound = [*tests, *more], [*bound, *names]
        return tests, bound

    def _label(self, subject: ast.expr | None, node: Node) -> ast.expr:
        if subject is None:
            return self.test(node)
        if node.type == "range":
            return put("a <= b <= c", self.value(field(node, "begin")), subject, self.value(field(node, "end")))
        if node.type == "regex":
            return called("re.search", self.value(node), subject)
        return compared(subject, ast.Eq, self.value(node))

    # Statements.

    def _do_if(self, node: Node) -> list[ast.stmt]:
        test, then = self.test(field(node, "condition")), self.statement(field(node, "consequence", "body"))
        return [chosen(test, then, self.statement(field(node, "alternative")), node.type in _TURNED)]

    _do_unless = _do_if_modifier = _do_unless_modifier = _do_elsif = _do_conditional = _do_if

    def round(self, body: Node | None, sink: Sink | None = None) -> list[ast.stmt]:
        """What a loop does each time."""
        self.rounds.append("loop")
        made = self.valued(body, sink) if sink is not None else self.statement(body)
        self.rounds.pop()
        return made

    def _do_while(self, node: Node) -> list[ast.stmt]:
        condition, taken = must(node, "condition"), list[ast.stmt]()
        if condition.type == "parenthesized_statements":
            condition = condition.named_children[0]
        right = part(condition, "right")
        if condition.type == "assignment" and written(right, "method") in ("shift", "pop"):
            taken = self.statement(condition)  # `while (x = queue.shift)`
            condition = part(right, "receiver") or condition
        return [self.turning(condition, [*taken, *self.round(field(node, "body"))], node.type in _TURNED)]

    _do_until = _do_while_modifier = _do_until_modifier = _do_while

    def _do_for(self, node: Node) -> list[ast.stmt]:
        target = self.target(field(node, "pattern") or node.named_children[0])
        return [going(target, self.sequence(inside(field(node, "value"))[0]), self.round(field(node, "body")))]

    def _do_return(self, node: Node) -> list[ast.stmt]:
        values = self._values(node)
        return [ast.Return(one_of(values) if values and self.rounds[-1] != "generator" else None)]

    def _values(self, node: Node) -> list[ast.expr]:
        inner = node.named_children
        inner = inner[0].named_children if inner and inner[0].type == "argument_list" else inner
        return [*map(self.value, inner)]

    def _do_assignment(self, node: Node) -> list[ast.stmt]:
        left, _, right = sides(node)
        asked = f"{written(left, 'method')}="
        if left.type == "constant" and text_of(left) in self.structs:
            return self._declared(text_of(left), part(field(right, "block"), "body"))
        if right.type == "assignment":  # `a = b = c`
            return [*self._do_assignment(right), assigned(self.target(left), self.value(field(right, "left")))]
        if left.type == "left_assignment_list":
            slots, given = left.named_children, right.named_children
            alone = not any(text_of(one) in text_of(right) for one in slots)
            if right.type == "right_assignment_list" and len(slots) == len(given) and alone:
                values = [*map(self.value, given)]
                return [assigned(self.target(one), value) for one, value in zip(slots, values, strict=True)]
            value = self.value(right)
            return [assigned(self.target(left), value)]
        if right.type in ("if", "case", "begin", "unless"):
            target = self.target(left)
            return self.into(right, lambda value: [assigned(target, value)])
        if left.type == "call" and self._anyone_has(asked):
            return [ast.Expr(method(self.value(field(left, "receiver")), self.plain(asked), self.value(right)))]
        value, inner = self.value(right), left.named_children
        if left.type == "element_reference" and text_of(inner[0]) in self.growing and len(inner) == 2:
            own = re.search(rf"(?<!\w){re.escape(text_of(inner[0]))}\[", text_of(right))
            if inner[1].type in ("identifier", "binary") and not own:
                return [ast.Expr(extended(self.value(inner[0]), value))]
        return [assigned(self.target(left), value)]

    def _of_assignment(self, node: Node) -> ast.expr:
        left = must(node, "left")
        if left.type == "identifier":
            value = self.value(field(node, "right"))
            self.own[-1].add(text_of(left))
            return ast.NamedExpr(to(spelt(text_of(left))), value)
        self.before += self._do_assignment(node)
        return self.value(left.named_children[0] if left.type == "left_assignment_list" else left)

    def _do_operator_assignment(self, node: Node) -> list[ast.stmt]:
        left, operator, right = sides(node)
        sign = operator.removesuffix("=")
        if sign in ("||", "&&"):
            element = left.type == "element_reference" and text_of(left.named_children[0]) not in self.arrays
            test = has(self.value(left)) if element and sign == "||" else self.test(left)
            target = self.target(left)
            then = self.into(right, lambda value: [assigned(target, value)])
            return [ast.If(test if sign == "&&" else negated(test), then, [])]
        value = self.value(right)
        if sign == "<<" and text_of(left) in self.arrays:
            return [ast.Expr(extended(self.value(left), value))]
        made = self.operation(self.value(left), sign, value, self.has_point(left) or self.has_point(right))
        if isinstance(made, ast.BinOp):
            return [added(self.target(left), type(made.op), made.right)]
        return [assigned(self.target(left), made)]

    def has_point(self, node: Node | None) -> bool:
        """Whether it is a number with a rest."""
        if text_of(node) in self.points or _FLOATS.search(text_of(node)):
            return True
        return any(text_of(each) in self.points for each in below(node, "identifier", "instance_variable"))

    def _do_binary(self, node: Node) -> list[ast.stmt]:
        left, operator, right = sides(node)
        if operator == "<<" and self._adds(node, True):
            made = self._do_binary(left) if _is_put(left) else []
            while left.type == "binary":
                left = must(left, "left")
            value, text = self.value(right), text_of(left)
            if text in self.yields:
                return [*made, ast.Expr(ast.Yield(value))]
            if text in self.words:
                return [*made, added(self.target(left), ast.Add, value)]
            return [*made, ast.Expr(extended(self.value(left), value))]
        if operator in ("and", "or", "&&", "||"):
            return [chosen(self.test(left), self.statement(right), turned=operator in ("or", "||"))]
        return self.effect(node)

    def _adds(self, node: Node, alone: bool) -> bool:
        """Whether `<<` puts something into something."""
        left = must(node, "left")
        while _is_put(left):
            left = must(left, "left")
        known = alone or text_of(left) in {*self.arrays, *self.words, *self.yields}
        return known and left.type not in ("integer", "parenthesized_statements")

    # Values.

    def _of_string(self, node: Node) -> ast.expr:
        parts = list[ast.expr]()
        for each in node.named_children:
            text = text_of(each)
            if each.type == "interpolation":
                parts.append(self.value(each.named_children[0]) if each.named_children else constant(""))
            elif each.type == "escape_sequence":
                parts.append(constant({**ESCAPES, "e": "\x1b", "s": " "}.get(text[1:], text[1:2])))
            elif each.type != "heredoc_end":
                parts.append(constant(text))
        return text_from(parts)

    _of_heredoc_body = _of_bare_string = _of_delimited_symbol = _of_subshell = _of_string

    def _of_regex(self, node: Node) -> ast.expr:
        if next(below(node, "interpolation"), None) is not None:
            return self._of_string(node)
        text = text_of(node)
        text = text[text.find("/") + 1 : text.rfind("/")] if "/" in text else text[3:-1]
        return pattern_of(text.replace(r"\A", "^").replace(r"\h", "[0-9a-fA-F]"))

    def _of_splat_argument(self, node: Node) -> ast.expr:
        return starred(self.value(node.named_children[0]) if node.named_children else name("_"))

    def pairs(self, nodes: Sequence[Node]) -> ast.expr:
        keys, values = list[ast.expr | None](), list[ast.expr]()
        for each in nodes:
            key, value = field(each, "key"), field(each, "value")
            if each.type == "pair":
                keys.append(self.value(key))
                values.append(self.value(value) if value is not None else self.bare(text_of(key), [], each))
            elif each.type == "hash_splat_argument":
                keys.append(None)
                values.append(self.value(each.named_children[0]))
        return ast.Dict(keys, values)

    def _of_range(self, node: Node) -> ast.expr:
        low, high = field(node, "begin"), field(node, "end")
        start = self.value(low) if low is not None else constant(0)
        if high is None:
            return called("itertools.count", start)
        end = self.value(high)
        end = plus(end) if written(node, "operator") == ".." else end
        return called("range", *([] if is_value(start, 0) else [start]), end)

    def _of_parenthesized_statements(self, node: Node) -> ast.expr:
        inner = inside(node)
        self.before += self.statements(inner[:-1])
        return self.value(inner[-1]) if inner else constant(None)

    _of_begin = _of_then = _of_else = _of_block_body = _of_body_statement = _of_parenthesized_statements

    def _of_if(self, node: Node) -> ast.expr:
        test = self.test(field(node, "condition"))
        sides = field(node, "consequence", "body"), field(node, "alternative")
        if any(each is not None and each.type in ("then", "else") and len(each.named_children) > 1 for each in sides):
            return self._of_case(node)
        one, two = map(self.value, sides)
        return ast.IfExp(test, two, one) if node.type in _TURNED else ast.IfExp(test, one, two)

    _of_unless = _of_if_modifier = _of_unless_modifier = _of_conditional = _of_elsif = _of_if

    def _of_case(self, node: Node) -> ast.expr:
        """The value of a statement, under a name."""
        made = self.fresh()
        self.before += self.into(node, lambda value: [assigned(name(made), value)])
        return name(made)

    def _of_unary(self, node: Node) -> ast.expr:
        operator, inner = written(node, "operator"), field(node, "operand")
        if operator in ("!", "not"):
            return negated(self.test(inner))
        return constant(True) if operator == "defined?" else self.turned(operator, self.value(inner))

    def _of_binary(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if operator in ("=~", "!~"):
            pattern, of = (left, right) if left.type == "regex" else (right, left)
            found = searched(self.value(pattern), self.value(of))
            if "(" in text_of(pattern):
                self.before.append(found)
            made = is_none(name("__m"), without=True) if "(" in text_of(pattern) else found.value
            return negated(made) if operator == "!~" else made
        if operator == "<<" and self._adds(node, False):
            self.before += self._do_binary(node)
            return self.value(left)
        if operator == "<=>":
            return put("(a > b) - (a < b)", self.value(left), self.value(right))
        if operator == "*" and re.match(r"[\"']\\0[\"']", text_of(left)):
            return called("bytearray", self.value(right))
        if operator in ("and", "or", "&&", "||"):
            return self.operation(self.test(left), operator, self.value(right))
        parted = self.has_point(left) or self.has_point(right)
        return self.operation(self.value(left), operator, self.value(right), parted)

    def asks(self, node: Node) -> bool:
        return node.type == "element_reference" and text_of(node.named_children[0]) in self.hashes

    def _of_element_reference(self, node: Node) -> ast.expr:
        inner = [each for each in node.named_children if each.type != "block"]
        owner = self.value(inner[0])
        if len(inner) == 1:
            return called(owner)
        if text_of(inner[0]) == "Hash":
            return called("dict", self.value(inner[1]))
        if text_of(inner[0]) in ("Set", "SortedSet"):
            return ast.Set([*map(self.value, inner[1:])])
        if len(inner) > 2:
            start, count = self.value(inner[1]), self.value(inner[2])
            return put("a[b:c]", owner, start, count if is_value(start, 0) else binary(start, ast.Add, count))
        if inner[1].type == "range":
            low, high = (self.value(at) if at is not None else None for at in map(inner[1].child_by_field_name, _ENDS))
            if high is not None and written(inner[1], "operator") == "..":
                high = None if is_value(high, -1) else plus(high)
            return subscript(owner, ast.Slice(low, high, None))
        return put("re.search(b, a)[0]" if inner[1].type == "regex" else "a[b]", owner, self.value(inner[1]))

    # Functions as values.

    def closure(self, parameters: Node | None, body: Node | None) -> ast.expr:
        """A function without a name."""
        self.own.append({*self.own[-1]})
        made = self.inner(self.fresh(), parameters, body, [])
        self.own.pop()
        if parameters is None and (implied := _implied(body)):
            made.args.args = [ast.arg(implied)]
        return self.unnamed(made)

    def block_of(self, node: Node) -> ast.expr | None:
        """The block that a call is given, as a function."""
        block, argument = field(node, "block"), _passed(node)
        if block is not None:
            return self.closure(field(block, "parameters"), field(block, "body"))
        return self.passed_block(argument) if argument is not None else None

    def passed_block(self, node: Node) -> ast.expr:
        """`&:name`, `&function`."""
        if not node.named_children:
            return name(self.block_name[-1])
        inner = node.named_children[0]
        if inner.type == "simple_symbol":
            return lambda_of(["x"], self.sent(name("x"), text_of(inner).lstrip(":"), []))
        return self.value(inner)

    # Calls.

    def _do_call(self, node: Node) -> list[ast.stmt]:
        named, block = written(node, "method"), field(node, "block")
        if field(node, "receiver") is None:
            if named in ("raise", "fail", "abort"):
                return [ast.Raise(None, None)]
            if named in _IGNORED:
                return []
            if named == "loop" and block is not None:
                return [ast.While(constant(True), self.round(field(block, "body")) or [ast.Pass()], [])]
            if named == "catch" and block is not None:
                return self.statement(field(block, "body"))
        if block is not None and not self._user(node, named):
            loop = self.each(node, block)
            if loop is not None:
                return loop
        return effect(self.value(node))

    def _user(self, node: Node, named: str) -> bool:
        """Whether it is one of the program's own methods."""
        receiver = field(node, "receiver")
        if receiver is None or receiver.type == "self":
            return named in self.functions or bool(self.owner and self._has(self.owner[-1], named))
        text = text_of(receiver)
        if text in self.arrays | self.hashes | self.words or receiver.type in ("array", "hash", "string", "integer"):
            return False
        if receiver.type in ("constant", "scope_resolution"):
            return text.rpartition("::")[2] in self.statics
        return self._anyone_has(named) and (named not in _COMMON or named not in _SHARED)

    def each(self, node: Node, block: Node) -> list[ast.stmt] | None:
        """A call that does something with each of several, as a loop; None of others."""
        parameters = _parameters(block)
        if written(node, "method") == "each_with_object" and len(parameters) > 1:
            return self._gathered(node, block)
        over = self.over(node, len(parameters))
        if over is None:
            return None
        return [going(self._target(block, over[1]), over[0], self.round(field(block, "body")))]

    def _gathered(self, node: Node, block: Node) -> list[ast.stmt]:
        """`each_with_object`."""
        one, kept = _parameters(block)
        given = _arguments(node)
        start = assigned(self.target(kept), self.value(given[0]))
        mapping = given[0].type == "hash" or text_of(given[0]).startswith("Hash")
        (self.hashes if mapping else self.arrays).add(text_of(kept))
        target, over = self.target(one), self.sequence(field(node, "receiver"), _count(one))
        return [start, going(target, over, self.round(field(block, "body")))]

    def _target(self, block: Node, turned: bool = False) -> ast.expr:
        """What a block's parameters are bound to."""
        nodes = _parameters(block)
        if not nodes:
            implied = _implied(field(block, "body"))
            self.own[-1].update([implied] if implied else ())
            return to(implied or "_")
        targets = [*map(self.target, nodes)]
        for each in ast.walk(tuple_of(targets)):
            if isinstance(each, (ast.Name, ast.Tuple, ast.Starred)):
                each.ctx = ast.Store()
        targets = [targets[1], targets[0]] if turned and len(targets) > 1 else targets
        return targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())

    def over(self, node: Node, count: int) -> tuple[ast.expr, bool] | None:
        """What a call goes through, and whether its places come first there; None of others."""
        named, receiver = written(node, "method"), field(node, "receiver")
        if receiver is None:
            return None
        if named in ("with_index", "each_with_index"):
            found = None
            if written(receiver, "method") in _INDEXED:
                found = self.over(receiver, 1)
                receiver, count = field(receiver, "receiver") if found is None else receiver, 2
            return called("enumerate", found[0] if found else self.sequence(receiver)), count > 1
        values = [self.value(each) for each in _arguments(node)]
        if named in _OVER:
            return put(_OVER[named], self.value(receiver), *values), False
        if named in ("each_byte", "bytes"):
            return method(self.value(receiver), "encode"), False
        if named in _PLAIN:
            if named == "each_line" and text_of(receiver) not in _INPUTS:
                return method(self.value(receiver), "splitlines"), False
            return self.sequence(receiver, 2 if named == "each_pair" else count), False
        made = self._over(named, receiver, values)
        return (made, False) if made is not None else None

    def _over(self, named: str, receiver: Node, values: list[ast.expr]) -> ast.expr | None:
        if named == "upto":
            return called("range", self.value(receiver), plus(values[0]))
        if named == "step":
            over = self.value(receiver)
            if isinstance(over, ast.Call) and ast.unparse(over.func) == "range" and values:
                return called("range", *_ends(over), values[0])
            return called("range", over, plus(values[0]), values[1]) if len(values) > 1 else over
        if named == "each_slice":
            owner, place = self.value(receiver), self.fresh()
            some = put("a[b : b + c]", owner, name(place), values[0])
            return each_of(some, to(place), put("range(0, len(a), b)", owner, values[0]))
        if named == "each_cons":
            owner, many = self.value(receiver), values[0].value if isinstance(values[0], ast.Constant) else 2
            return called("zip", owner, *(put(f"a[{one}:]", owner) for one in range(1, int(str(many)))))
        if named == "reverse_each":
            return called("reversed", self.sequence(receiver))
        return called("itertools.product", self.value(receiver), *values) if named == "product" and values else None

    def sequence(self, node: Node | None, count: int = 1) -> ast.expr:
        """All of something, to be gone through; pairs of a mapping."""
        text, named = text_of(node), written(node, "method")
        streams = node is not None and node.type == "call" and named in _STREAMS and field(node, "block") is None
        if streams and node is not None:
            indexed = named in ("each_with_index", "with_index")
            found = self.over(node, 2 if named == "each_with_index" else 1)
            if found is not None and indexed:
                place, one = self.fresh(), self.fresh()
                target = ast.Tuple([to(place), to(one)], ast.Store())
                return each_of(tuple_of([name(one), name(place)]), target, found[0])
            if found is not None:
                return found[0]
        if text in _INPUTS:
            return path("sys", "stdin")
        value = self.value(part(node, "receiver") if streams else node) if node is not None else name("self")
        mapping = isinstance(value, ast.Name) and value.id in self.hashes
        pairs = text in self.hashes or mapping or (count > 1 and isinstance(value, (ast.Dict, ast.DictComp)))
        pairs = pairs or (count > 1 and named in self.hashes and not written(node, "arguments"))
        return method(value, "items") if pairs else value

    def _of_call(self, node: Node) -> ast.expr:
        receiver, named, given = field(node, "receiver"), written(node, "method"), _arguments(node)
        if receiver is None:
            return self.bare(named, given, node)
        if not named:  # `f.(x)`
            return called(self.value(receiver), *self.passed(given))
        text = text_of(receiver)
        if receiver.type in ("constant", "scope_resolution", "self") or text == "self.class":
            found = self._of_class(text.rpartition("::")[2], named, given, node)
            if found is not None:
                return found
        if self._user(node, named):
            return self._called(self.value(receiver), named, given, node)
        if field(node, "block") is not None or _passed(node) is not None:
            made = self._asked(node, named, receiver, given)
            if made is not None:
                return made
        own = named not in ("size", "length", "first", "last") or text not in self.arrays | self.hashes
        if not given and named in self.fields_of and own:
            return ast.Attribute(self.value(receiver), fielded(named), ast.Load())
        if text in _INPUTS:
            return put(_KERNEL[named] if named in ("gets", "readline", "read") else _KERNEL["readlines"])
        if named in _STREAMS and field(node, "block") is None:
            return self.sequence(node)
        if named == "rand":
            return self._drawn(given)
        owner = self.value(receiver)
        if text in self.hashes and named in ("sort", "to_a", "first", "sum", "max", "min", "zip"):
            owner = method(owner, "items")
        return self.sent(owner, named, given, receiver)

    def _drawn(self, given: Sequence[Node]) -> ast.expr:
        if not given:
            return called("random.random")
        over = self.value(given[0])
        if ".." in text_of(given[0]) and isinstance(over, ast.Call):
            return called("random.randrange", *_ends(over))
        return called("random.randrange", over)

    def passed(self, given: Sequence[Node]) -> list[ast.expr]:
        """Arguments, without those that have a name."""
        return [self.value(each) for each in given if each.type not in _BARE]

    def _called(self, owner: ast.expr, named: str, given: Sequence[Node], node: Node) -> ast.expr:
        """A method of the program's own."""
        nodes = [methods[named] for methods in self.methods_of.values() if named in methods]
        return self._handed(ast.Attribute(owner, self.plain(named), ast.Load()), nodes, given, node)

    def _handed(self, function: ast.expr, nodes: Sequence[Node], given: Sequence[Node], node: Node) -> ast.expr:
        """A call of one of the program's functions with what it is given; one that gives to a block, and has none, is a
        list of that."""
        made, pairs = called(function, *self.passed(given)), [each for each in given if each.type == "pair"]
        if pairs and any(one.type == "keyword_parameter" for each in nodes for one in _parameters(each)):
            made.keywords += self._named(pairs)
        elif pairs:
            made.args.append(self.pairs(pairs))
        block = self.block_of(node) if node.type == "call" else None
        named = next((one for one in map(_block_name, nodes) if one), "block_")
        if block is not None:
            return keyed(made, **{named: block})
        if any(re.search("to_enum|enum_for", text_of(each)) for each in nodes):
            kept, collects = self.kept(list_of()), ast.arguments([], [], ast.arg("all_"), [], [], None, [])
            keyed(made, **{named: ast.Lambda(collects, put("a.append(all_)", kept))})
            self.before.append(ast.Expr(made))
            return kept
        return made

    def _named(self, pairs: Sequence[Node]) -> list[ast.keyword]:
        """Arguments that have a name."""
        keys = [spelt(written(each, "key").rstrip(":")) for each in pairs]
        values = [field(each, "value") for each in pairs]
        return [
            ast.keyword(key, self.value(value) if value is not None else name(key))
            for key, value in zip(keys, values, strict=True)
        ]

    def _of_class(self, owner: str, named: str, given: Sequence[Node], node: Node) -> ast.expr | None:
        """What a function of a class or module gives; None of others."""
        owner = self.owner[-1] if owner in ("self", "self.class", "class") and self.owner else owner
        for each in self.lineage(owner):
            if named in self.statics.get(each, ()):
                return self._handed(name(f"{each}__{self.plain(named)}"), [self.statics[each][named]], given, node)
        if named == "new" and owner in self.methods_of:
            lines = [self.methods_of[each] for each in self.lineage(owner)]
            starts = [methods["initialize"] for methods in lines if "initialize" in methods]
            made = self._handed(name(spelt(owner)), starts, given, node)
            if owner in self.keyed and isinstance(made, ast.Call):
                made.args, made.keywords = [], self._named([each for each in given if each.type == "pair"])
            return made
        own = getattr(self, f"_{owner.lower()}_{named}", None) if owner in ("Array", "Hash", "Enumerator") else None
        if own is not None:
            found: ast.expr = own(given, node)
            return found
        if owner == "CSV" and given:
            return self._table(named, self.value(given[0]), text_of(field(node, "arguments")))
        if owner == "Random" and named == "rand":
            return self._drawn(given)
        form = f"math.{named}(*z)" if owner == "Math" else _MADE.get(f"{owner}.{named}")
        form = "time.monotonic()" if owner in ("Process", "Time") else form
        return put(form, *self.passed(given)) if form else None

    def _table(self, named: str, of: ast.expr, said: str) -> ast.expr:
        """Rows of `CSV`, whose fields have names, or places."""
        if named in ("parse_line", "generate_line"):
            return put("a.split(',')" if named == "parse_line" else "','.join(a)", of)
        source = ast.unparse(of)
        if named == "parse" and source != "sys.stdin":
            of = path("sys", "stdin") if source == "sys.stdin.read()" else method(of, "splitlines")
        made = called("csv.DictReader" if "headers:" in said else "csv.reader", of)
        made = keyed(made, converted=constant(True)) if re.search(r"\bconverters:", said) else made
        return keyed(made, dialect=constant("lower")) if "converters: :symbol" in said else made

    def _array_new(self, given: Sequence[Node], node: Node) -> ast.expr:
        block = field(node, "block")
        if block is not None:
            return self.comprehended(block, called("range", self.value(given[0])), "map")
        if not given:
            return list_of()
        return listed(self.value(given[0]), self.value(given[1] if len(given) > 1 else None), several=False)

    def _hash_new(self, given: Sequence[Node], node: Node) -> ast.expr:
        block = field(node, "block")
        if block is None:
            value = self.value(given[0]) if given else None
            if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
                return called("collections.defaultdict", name("float" if isinstance(value.value, float) else "int"))
            return ast.Dict([], [])
        last, key = inside(field(block, "body"))[-1], "".join(map(text_of, _parameters(block)[1:2]))
        self.own.append({*self.own[-1], *map(text_of, _parameters(block))})
        made = self.value(field(last, "right") if last.type == "assignment" else last)
        self.own.pop()
        return mapping_of(made, spelt(key))

    def _enumerator_new(self, given: Sequence[Node], node: Node) -> ast.expr:
        """A function that gives one after the other."""
        block, made = must(node, "block"), self.fresh()
        self.yields.append(text_of(_parameters(block)[0]))
        self.rounds.append("generator")
        self.own.append({*self.own[-1]})
        body = self.statement(field(block, "body"))
        self.own.pop()
        self.rounds.pop()
        self.yields.pop()
        self.before.append(function_of(made, [], body))
        return called(made)

    def bare(self, named: str, given: Sequence[Node], node: Node) -> ast.expr:
        """A call without a thing in front, or a name."""
        owner, call = self.owner[-1] if self.owner else "", node.type == "call"
        for each in self.lineage(owner) if owner else ():
            if named in self.statics.get(each, ()) and (self.static or named not in self.methods_of.get(each, ())):
                return self._handed(name(f"{each}__{self.plain(named)}"), [self.statics[each][named]], given, node)
        if owner:
            if self._has(owner, named):
                return self._called(name("self"), named, given, node)
            if named == "new":
                return self._of_class(owner, "new", given, node) or constant(None)
            if named in self.fields_of and not given:
                return path("self", fielded(named))
            if named == "super":
                return put("super().__init__(*z)", *self.passed(given))
        if named in self.functions:
            return self._handed(name(spelt(self.plain(named))), [self.functions[named]], given, node)
        lists = (owner in self.listing or owner in ("Array", "Hash")) and not self.static
        if lists and (named in _ASKING or named in _CALLED or named in ("first", "include?")):
            made = self._asked(node, named, None, given) if call else None
            return made if made is not None else self.sent(name("self"), named, given)
        if named in ("format", "sprintf", "printf"):
            values = self.passed(given)
            made = formatted(values[0], values[1:])
            return printed(made) if named == "printf" else made
        if named in ("lambda", "proc") and (block := field(node, "block")) is not None:
            return self.closure(field(block, "parameters"), field(block, "body"))
        if named == "rand":
            return self._drawn(given)
        if named == "method" and given:
            return name(spelt(self.plain(text_of(given[0]).lstrip(":"))))
        if named in _KERNEL:
            return put(_KERNEL[named], *(self.passed(given) if "(" in _KERNEL[named] else ()))
        if named == "loop" and call:
            self.before += self._do_call(node)
            return constant(None)
        core = owner in _CORE and not self.static and named not in self.own[-1]
        if core and (named.rstrip("?!") in _SENT or named in _SENT or named in _CALLED or named in _RENAMED):
            return self.sent(name("self"), named, given)
        return called(name(spelt(self.plain(named))), *self.passed(given)) if call else name(spelt(named))

    def sent(self, owner: ast.expr, named: str, given: Sequence[Node], receiver: Node | None = None) -> ast.expr:
        """What a method of Ruby's own gives."""
        other = receiver is not None and (named in _SHARED or named in _CALLED)
        if self._anyone_has(named) and not other:
            return method(owner, self.plain(named), *self.passed(given))
        if not given and named in self.fields_of:
            return ast.Attribute(owner, fielded(named), ast.Load())
        values, plain = self.passed(given), named.rstrip("?!")
        own = getattr(self, f"_sent_{plain}", None)
        if own is not None:
            found: ast.expr = own(owner, values, given)
            return found
        kinds = (f"{plain}/{len(values)}", f"{named}/{len(values)}", named, plain)
        form = next((_SENT[each] for each in kinds if each in _SENT), None)
        if form == "b in a" and isinstance(owner, ast.Call) and ast.unparse(owner.func) == "range" and values:
            return put("a <= c < b", *_ends(owner)[:2], values[0])
        if form is not None:
            return put(form, owner, *values)
        if named in _SAME:
            return owner
        several = owner.elts if isinstance(owner, ast.List) else []
        if named in ("min", "max") and len(several) > 1 and not any(isinstance(x, ast.Starred) for x in several):
            return called(named, *several)  # no list is made
        if named in _CALLED:
            return called(_CALLED[named], owner)
        if named in _MATHS:
            return floored(owner, _MATHS[named], *values)
        if named in _RENAMED:
            return method(owner, _RENAMED[named], *values)
        operator = {"fdiv": "/", "pow": "**", "modulo": "%", "div": "/"}.get(named, named)
        if operator in ("+", "-", "*", "/", "%", "&", "|", "^", "**") and values:
            return self.operation(owner, operator, values[0], named == "fdiv")
        if values:
            return tuple_of([owner, *values])
        return method(owner, self.plain(named)) if named.isidentifier() else owner

    def _sent_send(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        """`send(:name, …)`: one of those that it may be."""
        if isinstance(values[0], ast.Constant):
            return method(owner, self.plain(str(values[0].value)), *values[1:])
        found = sorted(self.symbols & {each for methods in self.methods_of.values() for each in methods})
        if not found:
            return tuple_of([owner, *values])
        kept, made = self.fresh(), [(each, method(owner, self.plain(each), *values[1:])) for each in found]
        cases = [(constant(each), assigned(name(kept), value)) for each, value in made]
        self.before.append(matching(values[0], [([label], [done]) for label, done in cases]))
        return name(kept)

    _sent_public_send = _sent___send__ = _sent_send

    def _sent_delete(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        return method(owner, "pop" if ast.unparse(owner) in self.hashes else "remove", *values)

    def _sent_add(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        """`if set.add?(x)`: whether it was there is asked first, unless `add` is one of the program's own."""
        if any("add" in methods for methods in self.methods_of.values()):
            return method(owner, "add", *values)
        values = [one if isinstance(one, (ast.Name, ast.Constant)) else self.kept(one) for one in values]
        new = self.kept(put("b not in a", owner, *values))
        self.before.append(ast.Expr(method(owner, "add", *values)))
        return new

    def _sent_bytes(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        return called("list", method(owner, "encode"))

    def _sent_pack(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        """`bytes.pack("C*")`: a text of as many letters."""
        form = values[0].value if values and isinstance(values[0], ast.Constant) else ""
        return called("bytes", owner) if form in _LETTERS else tuple_of([owner, *values])

    def _sent_unpack(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        form = values[0].value if values and isinstance(values[0], ast.Constant) else ""
        return called("list", owner) if form in _LETTERS else tuple_of([owner, *values])

    def _sent_gsub(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        form = "a.replace(*z)" if given[0].type == "string" and len(values) > 1 else "re.sub(b, c, a)"
        return put(form, owner, *values, *([constant("")] if len(values) < 2 else []))

    _sent_sub = _sent_gsub

    def _sent_match(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        return put("re.search(b, a)" if given[0].type in ("regex", "constant") else "re.search(a, *z)", owner, *values)

    def _sent_split(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        kind = given[0].type if given else "string"
        regex, text = kind == "regex", text_of(given[0])[1:-1] if given and kind in ("regex", "string") else " "
        text = text if kind in ("regex", "string") else "?"
        if text in ((r"\s+", r"\s", " +", " ") if regex else (" ",)):
            return method(owner, "split")
        if text == "" and not regex:
            return called("list", owner)
        if not regex:
            return method(owner, "split", values[0], *([constant(1)] if len(values) > 1 else []))
        if re.fullmatch(r"\\?[^\w\s\\\[\](){}.*+?^$]|\\n(\{2,\}|\\n|\+)?|,\s*\*?|\\[|.]", text):
            mark = "\n\n" if text in (r"\n{2,}", r"\n\n") else "\n" if text.startswith(r"\n") else text.strip("\\")[:1]
            return method(owner, "split", constant(mark))
        return called("re.split", values[0], owner)

    def _sent_flatten(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        one, some = self.fresh(), self.fresh()
        made = each_of(name(one), to(some), owner)
        made.generators.append(ast.comprehension(to(one), name(some), [], 0))
        return made

    def _sent_shuffle(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        made = self.kept(called("list", owner))
        self.before.append(ast.Expr(called("random.shuffle", made)))
        return made

    def _sent_setbyte(self, owner: ast.expr, values: list[ast.expr], given: Sequence[Node]) -> ast.expr:
        self.before.append(assigned(subscript(owner, values[0]), values[1]))
        return constant(None)

    # What is done with each of several.

    def _asked(self, node: Node, named: str, receiver: Node | None, given: Sequence[Node]) -> ast.expr | None:
        """A call with a block that is asked about each, or makes something of it."""
        block, indexed = field(node, "block"), named in ("with_index", "each_with_index")
        if block is None:
            return self._by_symbol(node, named, receiver)
        parameters, body = _parameters(block), field(block, "body")
        if indexed and receiver is not None and receiver.type == "call":
            named = written(receiver, "method")
        if named in _EACH:
            self.before += self.each(node, block) or []
            plain = receiver is not None and receiver.type in ("identifier", "instance_variable")
            return self.value(receiver) if plain else constant(None)
        if named in ("with_object", "each_with_object"):
            self.before += self._gathered(node, block)
            return self.target(parameters[1])
        if named in ("inject", "reduce") and len(parameters) > 1:
            kept, start = self.target(parameters[0]), self.value(given[0]) if given else constant(0)
            target, over = self.target(parameters[1]), self.sequence(receiver, _count(parameters[1]))
            made = self.round(body, lambda value: [assigned(kept, value)])
            self.before += [assigned(kept, start), going(target, over, made)]
            return self.target(parameters[0])
        if named in ("then", "tap", "yield_self"):
            kept = self._target(block) if parameters else name(self.fresh())
            self.before.append(assigned(kept, self.value(receiver)))
            if named != "tap":
                return self.value(body)
            self.before += self.statement(body)
            return self.target(parameters[0]) if parameters else kept
        if named in ("sort", "sort!", "min", "max") and len(parameters) == 2:
            function = self.closure(field(block, "parameters"), body)
            key = lambda_of(["__x"], called(function, name("__x"), name("__x")))
            return self._sorted(named, self.sequence(receiver), key)
        if named in ("gsub", "sub", "gsub!", "scan") and given:
            owner, pattern = self.value(receiver), self.value(given[0])
            self.own[-1].update(map(text_of, parameters))
            target = to(spelt(text_of(parameters[0])) if parameters else "__m")
            self.before.append(going(target, called("re.finditer", pattern, owner), self.round(body)))
            return put("re.sub(a, '', b)", pattern, owner) if named != "scan" else constant(None)
        if named not in _ASKING:
            return None
        found = self.over(node, len(parameters)) if indexed else None
        if (
            len(parameters) == 2 and receiver is not None and _places(receiver)
        ):  # `each_with_index.map { |one, place| … }`
            found = self.over(receiver, 2)
        over, turned = found or (self.sequence(receiver, max(len(parameters), 1)), False)
        if named in ("min_by", "max_by") and given:  # so many of them
            ordered = self.comprehended(block, over, "sort_by", turned, receiver)
            return put("a[:b]", ordered, self.value(given[0]))
        return self.comprehended(block, over, named, turned, receiver)

    def _by_symbol(self, node: Node, named: str, receiver: Node | None) -> ast.expr | None:
        """`map(&:name)`, `sum(&function)`."""
        argument = _passed(node)
        if argument is None:
            return None
        if named in ("inject", "reduce"):
            return called("sum", self.sequence(receiver))
        inner, one = argument.named_children, self.fresh()
        if inner and inner[0].type == "simple_symbol":
            made = self.sent(name(one), text_of(inner[0]).lstrip(":"), [])
        else:
            made = called(self.passed_block(argument), name(one))
        if named in _EACH:
            self.before.append(going(to(one), self.sequence(receiver), [ast.Expr(made)]))
            return constant(None)
        return self._made(named, to(one), self.sequence(receiver), made, receiver)

    def comprehended(
        self, block: Node, over: ast.expr, named: str, turned: bool = False, receiver: Node | None = None
    ) -> ast.expr:
        """What a block makes of each."""
        target, keeps, kept = self._target(block, turned), named in _KEEPING | _TELLING, self.fresh()
        puts = "extend" if named in ("flat_map", "collect_concat") else "append"

        def sink(value: ast.expr) -> list[ast.stmt]:
            one: ast.stmt = ast.Expr(method(name(kept), puts, again(target) if keeps else value))
            return [ast.If(value, [one], [])] if keeps else [one]

        made = self.round(field(block, "body"), sink)
        only, test = made[0] if len(made) == 1 else None, None
        if keeps and isinstance(only, ast.If) and not only.orelse and len(only.body) == 1:
            test, only = only.test, only.body[0]
        call = only.value if isinstance(only, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith(f"{kept}."):
            return self._made(named, target, over, test or call.args[0], receiver)
        if named == "transform_values" and isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute):
            key = self.fresh()
            for each in (one for stmt in made for one in ast.walk(stmt)):
                call = each.value if isinstance(each, ast.Expr) else None
                gives = isinstance(call, ast.Call) and ast.unparse(call.func) == f"{kept}.append"
                if gives and isinstance(each, ast.Expr) and isinstance(call, ast.Call):
                    each.value = put("a.update({b: c})", name(kept), name(key), call.args[0])
            target = ast.Tuple([to(key), target], ast.Store())
            self.before += [assigned(name(kept), put("{}")), going(target, over, made)]
            self.hashes.add(kept)
            return name(kept)
        self.before += [assigned(name(kept), list_of()), going(target, over, made)]
        return self._of_made(named, name(kept), receiver)

    def _made(self, named: str, target: ast.expr, over: ast.expr, value: ast.expr, receiver: Node | None) -> ast.expr:
        """What a method gives whose block gives this."""
        if named == "take_while":
            taken = self.kept(list_of())
            stops = ast.If(negated(value), [ast.Break()], [])
            self.before.append(going(target, over, [stops, ast.Expr(extended(taken, again(target)))]))
            return taken
        if named in _ASKED:
            inner = [to(self.fresh())] if named in ("flat_map", "collect_concat", "filter_map") else []
            made = put(_ASKED[named], target, over, value, *inner)
            return self._of_made(named, made, receiver) if named in _CHANGING else made
        if named in _SORTING:
            return self._by_key(named, target, over, value)
        if named == "to_h" and isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 2:
            return put("{c: d for a in b}", target, over, *value.elts)
        if named == "transform_values":
            key = to(self.fresh())
            pairs = isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "items"
            of = over.func.value if pairs else over if isinstance(over, ast.Name) else self.value(receiver)  # type: ignore[attr-defined]
            return put("{d: c for d, a in b.items()}", target, of, value, key)
        return self._of_made(named, put("[c for a in b]", target, over, value), receiver)

    def _of_made(self, named: str, made: ast.expr, receiver: Node | None) -> ast.expr:
        kinds = ("identifier", "instance_variable", "element_reference")
        if named in _CHANGING and receiver is not None and receiver.type in kinds:
            self.before.append(assigned(self.target(receiver), made))
            return self.value(receiver)
        forms = {"sum": "sum(a)", "count": "len(a)", "sort_by": "sorted(a)", "group_by": "dict(zip(a, a))"}
        single = isinstance(made, ast.Name) and named in ("find", "detect", "min_by", "max_by")
        return put("a[0]" if single else forms.get(named, "a"), made)

    def _by_key(self, named: str, target: ast.expr, over: ast.expr, value: ast.expr) -> ast.expr:
        """`sort_by` and its kin: a function gives what things are put in order by."""
        if named in ("group_by", "tally_by"):
            groups = named == "group_by"
            kept = self.kept(called("collections.defaultdict", name("list" if groups else "int")))
            one: ast.stmt = ast.Expr(put("a[b].append(c)", kept, value, again(target)))
            one = one if groups else added(subscript(kept, value), ast.Add, constant(1))
            self.before.append(going(target, over, [one]))
            if isinstance(kept, ast.Name):
                self.hashes.add(kept.id)
            return kept
        if named == "uniq":
            return put("list(set(a))", over)
        if isinstance(target, ast.Name):
            return self._sorted(named, over, lambda_of([target.id], value))
        parted = self.fresh()
        function = function_of(self.fresh(), [parted], [assigned(target, name(parted)), ast.Return(value)])
        self.before.append(function)
        return self._sorted(named, over, lambda_of([parted], called(function.name, name(parted))))

    def _sorted(self, named: str, over: ast.expr, key: ast.expr) -> ast.expr:
        kinds = {"min_by": "min", "max_by": "max", "min": "min", "max": "max", "minmax_by": "min"}
        return keyed(called(kinds.get(named, "sorted"), over), key=key)


_ENDS = ("begin", "end")
_INDEXED = frozenset("map each select reject each_char each_line filter_map flat_map times".split())


def _listed(block: str) -> ast.stmt:
    """`__iter__` of a class that gives each of what it has to a block."""
    put_in = lambda_of(["one_"], put("all_.append(one_)"))
    asked = keyed(called("self.each"), **{block or "block_": put_in})
    body: list[ast.stmt] = [assigned(name("all_"), list_of()), ast.Expr(asked), ast.Return(name("all_"))]
    return function_of("__iter__", ["self"], body)


def _returned(value: ast.expr) -> list[ast.stmt]:
    return [ast.Return(value)]


def _is_static(body: Node | None) -> bool:
    """Whether the functions of a module belong to no thing."""
    return any(text_of(one) in ("module_function", "extend self") for one in inside(body))


def _places(node: Node) -> bool:
    """Whether a call gives what there is with its places: `each_with_index`."""
    named, block = written(node, "method"), field(node, "block")
    return named in ("with_index", "each_with_index") and block is None and not _arguments(node)


def _is_put(node: Node) -> bool:
    return node.type == "binary" and written(node, "operator") == "<<"


def _label_value(test: ast.expr) -> ast.expr | None:
    """What a subject is compared with."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        return test.comparators[0]
    return None


def _ends(over: ast.Call) -> list[ast.expr]:
    """From where to where a range goes."""
    return over.args if len(over.args) > 1 else [constant(0), *over.args]


def _count(parameter: Node) -> int:
    return 2 if parameter.type == "destructured_parameter" else 1


def _block_name(node: Node) -> str:
    """What a function calls the block that it is given."""
    for each in _parameters(node):
        if each.type == "block_parameter":
            return spelt(written(each, "name")) or "block_"
    return "block_" if re.search(r"\byield\b|block_given\?", written(node, "body")) else ""


def _given(node: Node) -> list[Node]:
    given = field(node, "arguments")
    return inside(given) if given is not None and given.type == "argument_list" else []


def _arguments(node: Node) -> list[Node]:
    return [each for each in _given(node) if each.type != "block_argument"]


def _passed(node: Node) -> Node | None:
    """`&block`."""
    return next((each for each in _given(node) if each.type == "block_argument"), None)


def _parameters(node: Node) -> list[Node]:
    return inside(field(node, "parameters"))


def _implied(body: Node | None) -> str:
    """`it` or `_1`, where a block has no parameters."""
    return next((text_of(each) for each in below(body, "identifier") if text_of(each) in ("it", "_1")), "")


def fielded(named: str) -> str:
    """A field's name as Python may have it."""
    return f"{named}_" if keyword.iskeyword(named) else named
