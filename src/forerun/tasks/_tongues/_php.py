"""PHP, as it runs at the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from tree_sitter import Node

from forerun.tasks._tongues._braced import appended, field, length, listed, printed, unquoted
from forerun.tasks._tongues._kinds import NOTHING, Kind

from forerun.tasks._tongues._scripted import (  # isort: skip
    FUNCTIONS, LIST, MAP, NUMBER, TEXT, TEXTS, Body, Callback, Names, Scripted, around, attribute, bare, begun, below,
    going, got, inner, is_a, joined, listing, part, pieces, places, quotient, sides, spread, tupled, whole_of,
)  # fmt: skip
from forerun.tasks._tongues._translator import (  # isort: skip
    added, assigned, binary, called, compared, constant, function_of, method, name, path, spelt, stored, subscript,
    text_of,
)  # fmt: skip

_SPL: Final = spread({
    Kind("queue"): "SplQueue SplDoublyLinkedList", Kind("ranked"): "SplPriorityQueue",
    Kind("heap"): "SplMinHeap SplMaxHeap", MAP: "SplObjectStorage",
    LIST: "SplStack SplFixedArray ArrayObject ArrayIterator",
})  # fmt: skip
_LITERAL: Final = spread({
    TEXT: "string encapsed_string heredoc nowdoc", NUMBER: "integer float update_expression",
})  # fmt: skip
_GIVES: Final = spread({
    TEXT: "trim ltrim rtrim chop strtolower strtoupper ucfirst ucwords implode join substr str_replace str_repeat"
    " str_pad sprintf number_format strrev chr strval fgets readline json_encode md5 sha1 preg_replace dechex decbin"
    " stream_get_contents file_get_contents mb_substr date hash",
    TEXTS: "explode preg_split str_split file array_keys fgetcsv str_getcsv",
    LIST: "array_map array_filter array_values array_merge array_slice array_fill range array_reverse array_unique"
    " array_column array_chunk array_splice iterator_to_array array_pad",
    MAP: "array_flip array_combine array_count_values array_fill_keys json_decode",
    NUMBER: "count strlen intval floatval intdiv floor ceil round abs sqrt array_sum max min ord strpos mt_rand rand"
    " random_int array_product pow sizeof",
})  # fmt: skip
_LIBRARY: Final = spread({
    "abs(*args)": "abs", "bin(*args)": "decbin", "chr(*args)": "chr", "float(*args)": "floatval doubleval",
    "hex(*args)": "dechex", "int(*args)": "bindec hexdec gmp_init gmp_intval",
    "len(*args)": "strlen count sizeof mb_strlen iterator_count", "list(*args)": "iterator_to_array",
    "math.cos(*args)": "cos acos", "math.exp(*args)": "exp", "math.fmod(*args)": "fmod",
    "math.hypot(*args)": "hypot atan2", "math.log(*args)": "log10 log2", "math.pow(*args)": "pow",
    "math.prod(*args)": "array_product", "math.sin(*args)": "sin tan atan asin", "math.sqrt(*args)": "sqrt",
    "max(*args)": "max", "min(*args)": "min", "ord(*args)": "ord",
    "print(*args)": "printf print_r var_dump fprintf fwrite fputs fputcsv var_export vprintf",
    "random.choice(*args)": "array_rand", "random.randint(*args)": "mt_rand rand random_int",
    "random.random(*args)": "lcg_value", "random.shuffle(*args)": "shuffle",
    "str(*args)": "strval base_convert gmp_strval base64_encode", "zlib.crc32(*args)": "crc32", "a.strip()": "trim",
    "a.lstrip()": "ltrim", "a.rstrip()": "rtrim chop", "a.title()": "ucfirst ucwords",
    "a.lower()": "strtolower mb_strtolower lcfirst nl2br addslashes htmlspecialchars wordwrap",
    "a.upper()": "strtoupper mb_strtoupper", "a.isdigit()": "ctype_digit", "a.isalpha()": "ctype_alpha",
    "a.isalnum()": "ctype_alnum", "a.isspace()": "ctype_space", "a.isupper()": "ctype_upper",
    "a.islower()": "ctype_lower", "a.isprintable()": "ctype_punct", "a.isdecimal()": "is_numeric",
    "a.pop()": "array_pop", "a.popleft()": "array_shift",
    "None": "ini_set error_reporting set_time_limit fclose fflush mt_srand srand gc_collect_cycles ob_start flush"
    " fwrite_error memory_get_usage memory_get_peak_usage gc_disable gc_enable ob_end_flush ob_get_clean"
    " spl_autoload_register declare setlocale date_default_timezone_set assert stream_set_blocking usleep sleep fopen"
    " feof",
    "a is not None": "is_array is_int is_string is_callable is_float is_bool is_object is_null function_exists",
    "a + b": "bcadd gmp_add array_merge array_pad", "a + b + c": "array_merge/3", "a + b + c + d": "array_merge/4",
    "a": "array_merge/1", "a - b": "bcsub gmp_sub", "a * b": "bcmul gmp_mul str_repeat", "a % b": "bcmod gmp_mod",
    "a // b": "bcdiv gmp_div_q intdiv", "a ** b": "bcpow gmp_pow",
    "a < b": "strcmp strcasecmp strncmp strnatcmp", "a in b": "array_key_exists in_array", "b in a": "str_contains",
    "a.find(*rest)": "strpos stripos mb_strpos strstr", "a.rfind(*rest)": "strrpos", "not a": "empty",
    "a.startswith(*rest)": "str_starts_with", "a.endswith(*rest)": "str_ends_with", "a.count(*rest)": "substr_count",
    "a.rpartition(b)[2]": "strrchr", "time.monotonic()": "microtime hrtime time",
    "json.dumps(*args)": "serialize", "json.dumps(a)": "json_encode",
    "json.loads(a)": "json_decode", "hashlib.md5(a)": "md5", "hashlib.sha1(a)": "sha1",
    "hashlib.sha256(b)": "hash hash_hmac", "math.log(a)": "log", "random.randrange(0, 2147483648)": "rand/0 mt_rand/0",
    "a // 1": "round/1", "float(a)": "round", "b.split(a)": "explode", "a.split(',')": "str_getcsv", "a[-1]": "end",
    "b.split(a, c - 1)": "explode/3",
    "a[b:b + c]": "substr mb_substr array_slice", "a[b:]": "substr/2 mb_substr/2 array_slice/2",
    "c.replace(a, b)": "str_replace strtr str_ireplace", "a.replace(*rest)": "strtr/2",
    "a[::-1]": "strrev array_reverse", "a.ljust(b)": "str_pad", "list(range(a, b + 1, *c))": "range",
    "list(a)": "str_split mb_str_split array_values", "list(b.encode())": "unpack",
    "collections.Counter(a)": "count_chars", "list(a.values())": "map.array_values",
    "2147483647": "mt_getrandmax getrandmax",
    "{_a: b for _a in a}": "array_fill_keys", "{_a: 0 for _a in a}": "array_flip array_count_values",
    "dict(zip(a, b))": "array_combine", "list(set(a))": "array_unique", "b.index(a) >= 0": "array_search",
    "set(a).difference(b)": "array_diff array_intersect array_diff_key array_intersect_key",
    "next(iter(a))": "array_key_first key array_key_last", "a[0]": "reset current",
    "[a[_a:_a + b] for _a in range(0, len(a), b)]": "array_chunk str_split/2 mb_str_split/2",
    "[_a[b] for _a in a]": "array_column",
    "a(*rest)": "call_user_func call_user_func_array", "len(a.split())": "str_word_count",
    "sys.stdin.readline()": "fgets readline stream_get_line", "sys.stdin.readlines()": "file",
    "sys.stdin.readline().split(',')": "fgetcsv", "_tongue.letter()": "fgetc",
    "sys.stdin.read()": "stream_get_contents file_get_contents fread", "a.insert(0, b)": "array_unshift",
    "sum(a)": "array_sum", "sum(a.values())": "map.array_sum", "a.join(b)": "implode join",
    "a.join(b.values())": "map.implode map.join", "''.join(a)": "implode/1 join/1", "list(a.keys())": "array_keys",
    "list(range(len(a)))": "list.array_keys", "re.search(a, b)": "preg_match",
    "len(re.findall(a, b))": "preg_match_all/2", "re.sub(a, b, c)": "preg_replace preg_replace_callback",
    "a.split()": "sscanf",
})  # fmt: skip
"""Functions of the language's own."""
_WAYS: Final = spread({
    "not o": "isEmpty", "o": "valid", "len(o)": "count getSize", "heapq.heappush(o, *args)": "insert",
    "heapq.heappush(o, (b, a))": "ranked.insert", "heapq.heappop(o)": "extract",
    "heapq.heappop(o)[1]": "ranked.extract", "o[0][1]": "ranked.top", "o[0]": "heap.top bottom current", "o[-1]": "top",
    "o.append(a)": "enqueue push", "o.pop()": "pop", "o.popleft()": "dequeue shift", "a in o": "contains offsetExists",
    "o.setdefault(a, *rest)": "attach", "o.update({a: b})": "offsetSet",
    "None": "setExtractFlags rewind next setIteratorMode",
})  # fmt: skip
"""Methods of queues, stacks and heaps."""
_NEW: Final = spread({
    "collections.deque()": "SplQueue SplDoublyLinkedList", "{}": "SplObjectStorage", "a": "ArrayObject ArrayIterator",
    "[]": "SplStack SplMinHeap SplMaxHeap SplPriorityQueue ArrayObject/0 ArrayIterator/0",
    "sys.stdin": "SplFileObject", "_tongue.filled(a, None, 16)": "SplFixedArray",
    "_tongue.filled(0, None, 16)": "SplFixedArray/0",
})  # fmt: skip
"""What is made of things of the language's own."""
_SPECIAL: Final = {"__construct": "__init__", "getIterator": "__iter__", "count": "__len__"}
_SORTS: Final = frozenset("sort rsort asort arsort ksort krsort natsort usort uasort uksort".split())
_BY_KEY: Final = frozenset("ksort arsort asort uasort uksort krsort".split())
_FILLS: Final = frozenset("array_push array_unshift array_splice sort rsort usort shuffle".split())
_DECLARED: Final = ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration")
_MEMBERS: Final = frozenset(f"{each}_access_expression" for each in ("member", "scoped_property", "nullsafe_member"))


class PHP(Scripted):
    """Programs of one file."""

    first: ClassVar[dict[str, int]] = {"function_definition": -2, **dict.fromkeys(_DECLARED, -1)}
    constants: ClassVar[dict[str, object]] = {
        "PHP_EOL": "\n", "PHP_INT_MAX": 2**63 - 1, "PHP_INT_MIN": -(2**63), "INF": 1e308, "NAN": 0.0, "$argc": 1,
        "PHP_FLOAT_EPSILON": 2.0**-52, "PHP_FLOAT_MAX": 1e308, "M_PI": 3.141592653589793, "M_E": 2.718281828459045,
        "STDIN": None, "STDOUT": None, "STDERR": None, "PHP_INT_SIZE": 8, "PHP_VERSION": "8",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.pushed = set[str]()  # names that gather one after the other
        self.types = set[str]()  # names of classes
        self.heaps = set[str]()  # of those the ones that are heaps
        self.used = list[set[str]]()  # names of the whole program that functions under way say that they use
        self.statics = list[ast.stmt]()

    def program(self, root: Node) -> list[ast.stmt]:
        self._survey(root)
        self._survey_cursors(root)
        body = self.statements(root.named_children)
        imports = ast.Import([ast.alias(each) for each in ("json", "hashlib", "zlib", "copy")])
        self.lined([imports, *self.statics], root.children[0])
        return [imports, *self.statics, *body]

    def _survey(self, root: Node) -> None:
        for node in below(root, *_DECLARED):
            self.types.add(text_of(field(node, "name")))
            if any(
                re.search("Heap|PriorityQueue", text_of(each)) for each in inner(node) if each.type == "base_clause"
            ):
                self.heaps.add(text_of(field(node, "name")))
        self.known |= {text_of(field(node, "name")) for node in below(root, "function_definition")}
        whole, within = set[str](), set[str]()
        for node in below(root, "subscript_expression"):
            owner, *key = inner(node)
            if not key:
                self.pushed.add(_key(owner))
            elif _is_target(node) and not self._is_counted(key[0]):
                self.keyed.add(_key(owner))
            elif _is_target(node):
                (within if is_a(node.parent, "subscript_expression") else whole).add(_key(owner))
        self.keyed |= within - whole - self.pushed  # `$grid[$i][$j] = …` makes the rows
        for node in below(root, "function_call_expression"):
            named, given = text_of(field(node, "function")), inner(field(node, "arguments"))[:1]
            self.pushed |= {_key(each) for each in given if named in _FILLS}
            self.keyed |= {_key(each) for each in given if named in _BY_KEY}
        kinds = ("assignment_expression", "property_element", "simple_parameter", "static_variable_declaration")
        for node in (*below(root, *kinds), *below(root, *kinds)):
            target, kind = field(node, "left", "name"), text_of(field(node, "type"))
            found = self.type_of(field(node, "right", "default_value", "value"))
            if found is NOTHING:
                found = Kind(kind) if kind in self.types else TEXT if kind == "string" else NOTHING
            if found is not NOTHING and target is not None and target.type != "subscript_expression":
                self.kinds.setdefault(_key(target), found)

    def _survey_cursors(self, root: Node) -> None:
        """`$words[$at++]`, where nothing else is done with `$at`."""
        used, read = dict[str, set[str]](), set[str]()
        for node in below(root, "assignment_expression"):
            if re.search(r"explode|preg_split|STDIN|stdin|file\(", text_of(field(node, "right"))):
                read.add(_last(field(node, "left")))
        for node in below(root, "variable_name"):
            parent = node.parent
            begins = is_a(parent, "assignment_expression") and text_of(field(parent, "right")) == "0"
            if begins or is_a(parent, "global_declaration"):
                continue
            above = parent.parent if is_a(parent, "update_expression") else None
            taken = is_a(above, "subscript_expression") and not _is_target(above)
            used.setdefault(_last(node), set()).add(_last(inner(above)[0]) if taken else "")
        self.cursors = {named: lists.pop() for named, lists in used.items() if len(lists) == 1 and lists <= read}

    def _is_counted(self, key: Node) -> bool:
        """Whether it is the variable of a loop around it that counts from nothing."""
        loop: Node | None = key
        while loop is not None and (loop := around(loop, ("for_statement",))) is not None:
            if re.search(rf"{re.escape(text_of(key))}\s*=\s*0\b", text_of(field(loop, "initialize"))):
                return True
        return key.type == "integer"

    # Kinds.

    def type_of(self, node: Node | None) -> Kind:
        node = bare(node)
        if node is None:
            return NOTHING
        kind, parts, operator = node.type, inner(node), text_of(field(node, "operator"))
        if kind in _LITERAL:
            return _LITERAL[kind]
        if kind == "array_creation_expression":
            return self._array_kind(node)
        if kind == "object_creation_expression" and parts:
            named = text_of(parts[0]).lstrip("\\")
            return _SPL.get(named, Kind("heap") if named in self.heaps else Kind(named))
        if kind == "variable_name" or kind in _MEMBERS:
            return self.kinds.get(_key(node), NOTHING)
        if kind == "subscript_expression":
            owner = self.type_of(parts[0])
            return TEXT if owner == TEXT else owner.one
        if kind == "cast_expression":
            to = text_of(field(node, "type"))
            return TEXT if to == "string" else NUMBER if to != "array" else LIST
        if kind == "binary_expression" and operator != "??":
            return TEXT if operator == "." else NUMBER
        if kind == "binary_expression":
            left = self.type_of(field(node, "left"))
            return self.type_of(field(node, "right")) if left is NOTHING else left
        if kind in ("conditional_expression", "assignment_expression", "augmented_assignment_expression"):
            return self.type_of(field(node, "alternative", "right"))
        if kind == "function_call_expression":
            named = text_of(field(node, "function")).lstrip("\\")
            given = self._given(node)
            if named in ("array_filter", "array_slice", "array_map"):
                of = given[named == "array_map" and len(given) > 1]
                return MAP if self.type_of(of).name == "map" else LIST
            return self.gives.get(named, NOTHING) if named in self.known else _GIVES.get(named, NOTHING)
        if kind in ("member_call_expression", "scoped_call_expression"):
            return self.gives.get(text_of(field(node, "name")), NOTHING)
        return NOTHING

    def _array_kind(self, node: Node) -> Kind:
        parts = inner(node)
        if pair := next((inner(each) for each in parts if len(inner(each)) == 2), None):
            return Kind("map", (self.type_of(pair[1]),))
        if parts and inner(parts[0]):
            return Kind("list", (self.type_of(inner(parts[0])[0]),))
        named = _key(part(node.parent, "left", "name"))
        return MAP if not parts and named in self.keyed and named not in self.pushed else LIST

    def spelling(self, named: str) -> str:
        return "self" if named == "$this" else super().spelling(named)

    # Statements.

    _do_php_tag = _do_text_interpolation = _do_namespace_use_declaration = Scripted._do_empty_statement
    _do_interface_declaration = _do_use_declaration = _do_declare_statement = _do_text = _do_php_tag

    def _do_namespace_definition(self, node: Node) -> list[ast.stmt]:
        return self.block(field(node, "body"))

    def _do_const_declaration(self, node: Node) -> list[ast.stmt]:
        elements = [inner(each) for each in inner(node) if each.type == "const_element"]
        return [assigned(name(spelt(text_of(each[0]))), self.value(each[-1])) for each in elements]

    def _do_echo_statement(self, node: Node) -> list[ast.stmt]:
        parts = inner(node)
        while parts and parts[-1].type == "sequence_expression":
            parts = [*parts[:-1], *inner(parts[-1])]
        return [ast.Expr(printed(*map(self.value, parts)))]

    def _do_if_statement(self, node: Node) -> list[ast.stmt]:
        made = last = ast.If(self.test(field(node, "condition")), self.body(field(node, "body")), [])
        for each in node.children_by_field_name("alternative"):
            if each.type == "else_if_clause":
                again = ast.If(self.test(field(each, "condition")), self.body(field(each, "body")), [])
                last.orelse, last = [self.at(again, each)], again
            else:
                last.orelse = self.block(field(each, "body"))
        return [made]

    def _do_for_statement(self, node: Node) -> list[ast.stmt]:
        start, test, step = (field(node, each) for each in ("initialize", "condition", "update"))
        first, steps = (self.effect(each) if each is not None else [] for each in (start, step))
        for each in (*first, *steps):
            self.at(each, node)
        body = [made for each in node.children_by_field_name("body") for made in self.block(each)]
        return self.repeated(first, test, steps, body, node)

    def _do_foreach_statement(self, node: Node) -> list[ast.stmt]:
        over, target, *_ = inner(node)
        kind, value = self.type_of(over), self.value(over)
        if target.type == "pair":
            key, one = inner(target)
            into: ast.expr = ast.Tuple([self.pattern(key), self.pattern(one, kind.one)], ast.Store())
            numbered = kind is NOTHING and _last(key) in ("i", "idx", "index", "j", "pos")
            if numbered or kind.name in ("list", "queue", "heap", "stream"):
                value = called("enumerate", value)
            elif kind.name != "pairs":
                value = method(value, "items")
        else:
            into = self.pattern(target, kind.one)
            value = method(value, "values") if kind.name == "map" else value
        inside = self.block(field(node, "body"))
        first, self.after = self.after, []
        return [going(into, value, [*first, *inside])]

    def pattern(self, node: Node, kind: Kind = NOTHING) -> ast.expr:
        """A target: a name, or several."""
        if node.type == "by_ref":
            return self.pattern(inner(node)[0], kind)
        if node.type == "simple_parameter":
            return self.target(_last(field(node, "name")))
        if node.type == "variable_name":
            if kind is not NOTHING:
                self.kinds.setdefault(_key(node), kind)
            return begun(self.spelling(_last(node)))
        if node.type not in ("list_literal", "array_creation_expression"):
            return stored(self.value(node))
        if any(each.type == "=>" for each in node.children):
            whole = self.fresh()
            self.after += self.unkeyed(node, name(whole))
            return begun(whole)
        several = [inner(each)[0] if is_a(each, "array_element_initializer") else each for each in places(node)]
        return ast.Tuple([self.pattern(each, kind.one) if each else begun("_") for each in several], ast.Store())

    def unkeyed(self, node: Node, whole: ast.expr) -> list[ast.stmt]:
        """`['a' => $a] = …`."""
        parts = [one for each in inner(node) for one in (inner(each) if "initializer" in each.type else [each])]
        pairs = zip(parts[::2], parts[1::2], strict=False)
        return [assigned(self.pattern(target), subscript(whole, self.value(key))) for key, target in pairs]

    def asked(self, condition: Node) -> ast.expr:
        """Whether a line was read is asked by reading it; of queues, whether there is anything."""
        condition = bare(condition)
        if condition.type == "binary_expression":
            left, operator, right = sides(condition)
            if operator in ("&&", "and"):
                return self.operation(self.asked(left), "&&", self.asked(right))
            if text_of(right) in ("false", "null", "0") and operator in ("!==", "!=", ">"):
                left = bare(left)
                if left.type == "assignment_expression" or text_of(left).startswith(("count(", "sizeof(")):
                    return self.asked(left)
        if text_of(field(condition, "function")) in ("count", "sizeof"):
            return self.value(self._given(condition)[0])
        if text_of(condition).replace(" ", "").startswith("!feof("):
            return constant(True)
        return self.test(condition)

    def _do_continue_statement(self, node: Node) -> list[ast.stmt]:
        """Of a loop around the innermost one, `continue 2`: that one is left."""
        return [ast.Break() if any(text_of(each) not in ("", "1") for each in inner(node)) else ast.Continue()]

    def _do_unset_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Delete([self.value(each)]) for each in inner(node) if is_a(each, "subscript_expression")]

    def _do_exit_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Expr(called("sys.exit"))]

    def _do_global_declaration(self, node: Node) -> list[ast.stmt]:
        if self.used:
            self.used[-1] |= {spelt(_last(each)) for each in inner(node)}
        return []

    def _do_function_static_declaration(self, node: Node) -> list[ast.stmt]:
        for each in inner(node):
            self.statics.append(assigned(name(spelt(_last(field(each, "name")))), self.value(field(each, "value"))))
            self.used[-1].add(spelt(_last(field(each, "name"))))
        return []

    def _do_function_definition(self, node: Node) -> list[ast.stmt]:
        return [self.function(spelt(text_of(field(node, "name"))), node)]

    def function(self, named: str, node: Node, first: str = "", marks: Names = (), ahead: Body = ()) -> ast.FunctionDef:
        self.used.append(set())
        made = super().function(named, node, first, marks, ahead)
        self.used.pop()
        yields = [each for each in below(node, "yield_expression") if around(each, FUNCTIONS) == node]
        if yields:
            pairs = any(len(inner(one)) > 1 for each in yields for one in inner(each)[:1] if "=>" in text_of(one))
            self.gives[self.title(node) or named] = Kind("pairs" if pairs else "stream")
        return made

    def parameters(self, arguments: ast.arguments, node: Node) -> list[ast.stmt]:
        ahead = list[ast.stmt]()
        for each in inner(field(node, "parameters")):
            own = _last(field(each, "name"))
            if each.type == "variadic_parameter":
                arguments.vararg = ast.arg(spelt(own))
                continue
            self.parameter(arguments, spelt(own), field(each, "default_value"))
            if each.type == "property_promotion_parameter":
                ahead.append(assigned(path("self", attribute(own)), name(spelt(own))))
        return ahead

    def shared(self, body: Sequence[ast.stmt]) -> set[str]:
        return self.used[-1]

    def _do_class_declaration(self, node: Node) -> list[ast.stmt]:
        return [self.class_of(spelt(text_of(field(node, "name"))), node)]

    _do_trait_declaration = _do_enum_declaration = _do_class_declaration

    def class_of(self, named: str, node: Node) -> ast.ClassDef:
        body, starts, methods = list[ast.stmt](), list[ast.stmt](), list[ast.FunctionDef]()
        self.owner.append(named)
        members = inner(field(node, "body"))
        clauses = [each for each in inner(node) if each.type == "base_clause"]
        clauses += [each for each in members if each.type == "use_declaration"]  # traits as well
        bases = [text_of(one) for each in clauses for one in inner(each)]
        for each in members:
            static = any(one.type == "static_modifier" for one in inner(each))
            if each.type == "const_declaration":
                body += self._do_const_declaration(each)
            elif each.type == "enum_case":
                value = field(each, "value")
                target = name(spelt(text_of(field(each, "name"))))
                body.append(assigned(target, self.value(value) if value else constant(0)))
            elif each.type == "property_declaration":
                for one in (one for one in inner(each) if one.type == "property_element"):
                    value, own = field(one, "default_value"), attribute(_last(field(one, "name")))
                    if static:
                        body.append(assigned(name(own), self.value(value)))
                    elif value is not None:
                        starts.append(assigned(path("self", own), self.value(value)))
            elif each.type == "method_declaration" and field(each, "body") is not None:
                title = _SPECIAL.get(text_of(field(each, "name")), text_of(field(each, "name")))
                first, marks = ("cls", ["classmethod"]) if static else ("self", [])
                self.lined(starts, node)
                methods.append(self.function(title, each, first, marks, starts if title == "__init__" else ()))
        if starts and not any(each.name == "__init__" for each in methods):
            methods.insert(0, function_of("__init__", ["self"], starts))
        self.owner.pop()
        heap = named in self.heaps
        made_of = [name("list" if heap else spelt(each)) for each in bases if heap or each in self.types]
        found = ast.ClassDef(named, [*made_of], [], [*body, *methods] or [ast.Pass()], [])
        self.lined([found], node)
        return found

    # Effects.

    def _effect_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, operator, right = sides(node)
        if is_a(right, "assignment_expression"):  # `$a = $b = 0`
            made, target, last = self._effect_assignment_expression(right), field(right, "left"), part(right, "right")
            while is_a(last, "assignment_expression"):
                last = part(last, "right")
            array = is_a(last, "array_creation_expression")  # each has one of its own
            return [*made, *self.assign(left, "=", self.value(last if array else target))]
        if is_a(right, *FUNCTIONS) and left.type == "variable_name":
            return [self.function(self.spelling(_last(left)), right)]
        return self.assign(left, operator, self.value(right))

    _effect_augmented_assignment_expression = _effect_reference_assignment_expression = _effect_assignment_expression

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        if left.type in ("list_literal", "array_creation_expression"):
            if any(child.type == "=>" for each in (left, *inner(left)) for child in each.children):
                whole = self.fresh()
                return [assigned(name(whole), value), *self.unkeyed(left, name(whole))]
            return [assigned(self.pattern(left), tupled(value.elts) if isinstance(value, ast.List) else value)]
        if left.type == "subscript_expression":
            owner, *key = inner(left)
            plain = operator == "=" and self.type_of(owner).name != "map" and _key(owner) not in self.keyed
            counted = bool(key) and key[0].type != "integer" and self._is_counted(key[0])
            if not key or (plain and counted and self._begins_empty(owner)):
                return [ast.Expr(appended(self.place(owner), value))]
            target: ast.expr = subscript(self.place(owner, keyed=True), self.value(key[0]))
        else:
            target = self.value(left)
        if operator == "??=" and isinstance(target, ast.Subscript):
            if isinstance(value, ast.Call):  # it is made where there is none
                return [ast.If(compared(target.slice, ast.NotIn, target.value), [assigned(target, value)], [])]
            return [ast.Expr(method(target.value, "setdefault", target.slice, value))]
        if operator == ".=":
            text = self.type_of(part(left.parent, "right")) == TEXT
            return [added(target, ast.Add, value if text else joined([value]))]
        if operator == "=":
            begins = self.reads(_last(left), self.value(left)) if is_a(left, "variable_name") else []
            return [assigned(target, value), *begins]
        changed = self.operation(self.value(left), operator.removesuffix("="), value, parted=True)
        if isinstance(changed, ast.BinOp):
            return [added(target, type(changed.op), changed.right)]
        return [assigned(target, changed)]

    def _begins_empty(self, node: Node) -> bool:
        """Whether an array begins with nothing."""
        whole = text_of(around(node, ("program",)))
        return re.search(rf"{re.escape(text_of(node))}\s*=\s*(\[\]|array\(\))", whole) is not None

    def place(self, node: Node, keyed: bool = False) -> ast.expr:
        """An array that is changed, which is made where there is none yet."""
        parts = inner(node)
        if node.type == "subscript_expression" and len(parts) == 2:
            kind = self.type_of(parts[0])
            if kind.name == "map" or (_key(parts[0]) in self.keyed and kind.name not in ("list", "text")):
                empty: ast.expr = ast.Dict([], []) if keyed else listing([])
                return method(self.place(parts[0], keyed=True), "setdefault", self.value(parts[1]), empty)
        return self.value(node)

    # Expressions.

    def _of_variable_name(self, node: Node) -> ast.expr:
        text = text_of(node)
        if text in ("$argv", "$_SERVER"):
            return constant(None)
        return self.named(text if text in ("$this", "$argc") else text[1:])

    def _of_name(self, node: Node) -> ast.expr:
        return self.named(text_of(node).rpartition("\\")[2])

    _of_qualified_name = _of_name

    def _of_boolean(self, node: Node) -> ast.expr:
        return constant(text_of(node).lower() == "true")

    _of_nowdoc = Scripted._of_string_literal

    def _of_array_creation_expression(self, node: Node) -> ast.expr:
        parts = [each for each in map(inner, inner(node)) if each]
        pairs = [(self.value(each[0]) if len(each) == 2 else None, self.value(each[-1])) for each in parts]
        if self._array_kind(node).name != "map":
            return listing(value for _, value in pairs)
        keys = [key or (None if isinstance(one, ast.Starred) else constant(at)) for at, (key, one) in enumerate(pairs)]
        return ast.Dict(keys, [one.value if isinstance(one, ast.Starred) else one for _, one in pairs])

    def _of_list_literal(self, node: Node) -> ast.expr:
        return tupled(map(self.value, inner(node)))

    def _of_unary_op_expression(self, node: Node) -> ast.expr:
        argument = field(node, "argument") or inner(node)[-1]
        operator = text_of(field(node, "operator")) or node.children[0].type
        return self.turned(operator, self.test(argument) if operator == "!" else self.value(argument))

    def _of_clone_expression(self, node: Node) -> ast.expr:
        return called("copy.copy", self.value(inner(node)[0]))

    def _of_cast_expression(self, node: Node) -> ast.expr:
        to, value = text_of(field(node, "type")), self.value(field(node, "value"))
        if to in ("int", "integer"):
            return quotient(value) or called("int", value)
        if to in ("float", "double"):
            return value if self.type_of(field(node, "value")) == NUMBER else called("float", value)
        return called("str", value) if to == "string" else value

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        one, other = self.value(left), self.value(right)
        if operator == ".":
            return joined([*pieces(one), *pieces(other)])
        if operator == "??":
            return self.or_else(left, one, other)
        if operator == "<=>":
            texts = TEXT in (self.type_of(left), self.type_of(right))
            return compared(one, ast.Lt, other) if texts else binary(one, ast.Sub, other)
        return self.compared_or(one, operator, other)

    def or_else(self, left: Node, one: ast.expr, other: ast.expr) -> ast.expr:
        """`$m[$k] ?? 0`."""
        if isinstance(one, ast.Constant):
            return other
        if isinstance(one, ast.Subscript) and isinstance(other, (ast.Constant, ast.Name)):
            if self.type_of(inner(left)[0]).name != "list":
                return got(one, other)
            return ast.IfExp(compared(one.slice, ast.Lt, length(one.value)), one, other)
        return self.operation(got(one), "||", other)

    def _of_conditional_expression(self, node: Node) -> ast.expr:
        test, body = self.test(field(node, "condition")), field(node, "body")
        other = self.value(field(node, "alternative"))
        if isinstance(test, ast.Constant):
            return self.value(body) if test.value and body is not None else other
        return ast.IfExp(test, self.value(body), other) if body is not None else self.operation(test, "||", other)

    def _of_assignment_expression(self, node: Node) -> ast.expr:
        left, _, right = sides(node)
        again = re.search(rf"{re.escape(text_of(left))}\b", text_of(right))
        if again or left.type != "variable_name" or node.type != "assignment_expression":
            self.before += self._effect_assignment_expression(node)
            return self.value(left)
        return ast.NamedExpr(begun(self.spelling(_last(left))), self.value(right))

    _of_augmented_assignment_expression = _of_assignment_expression

    def _of_subscript_expression(self, node: Node) -> ast.expr:
        owner, *keys = inner(node)
        if text_of(owner) in ("$argv", "$_SERVER", "$_GET"):
            return constant(None)
        if not keys:
            return self.value(owner)
        if is_a(keys[0], "update_expression") and (at := _last(field(keys[0], "argument"))) in self.cursors:
            return called("next", name(f"__of_{self.cursors[at]}"))
        return subscript(self.value(owner), self.value(keys[0]))

    def _of_member_access_expression(self, node: Node) -> ast.expr:
        owner = self.value(field(node, "object")) if field(node, "object") else self.scope(field(node, "scope"))
        return ast.Attribute(owner, attribute(_last(field(node, "name"))), ast.Load())

    _of_nullsafe_member_access_expression = _of_scoped_property_access_expression = _of_member_access_expression

    def scope(self, node: Node | None) -> ast.expr:
        """Whose a name behind `::` is."""
        text = text_of(node)
        if text in ("self", "static"):
            return name(self.owner[-1] if self.owner else "self")
        return called("super") if text == "parent" else name(spelt(text.rpartition("\\")[2]))

    def _of_class_constant_access_expression(self, node: Node) -> ast.expr:
        owner, named = inner(node)[:2]
        return ast.Attribute(self.scope(owner), spelt(text_of(named)), ast.Load())

    def _of_match_expression(self, node: Node) -> ast.expr:
        subject, made = self.value(field(node, "condition")), self.value(None)
        for each in reversed(inner(field(node, "body"))):
            value, cases = self.value(field(each, "return_expression")), inner(part(each, "conditional_expressions"))
            tests = [*map(self.value, cases)]
            if not isinstance(subject, ast.Constant):
                tests = [compared(subject, ast.Eq, one) for one in tests]
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
            made = ast.IfExp(test, value, made) if each.type != "match_default_expression" else value
        return made

    def given_to(self, node: Node, one: ast.expr) -> ast.expr:
        if node.type == "string":
            named = unquoted(text_of(node))
            found = None if named in self.known else self.free(named, [one]) or self.free(named, [one, one])
            return found or called(name(spelt(named)), one)
        if node.type == "array_creation_expression" and len(inner(node)) == 2:  # `[$this, 'compare']`
            owner, named_of = (inner(each)[0] for each in inner(node))
            return called(ast.Attribute(self.value(owner), unquoted(text_of(named_of)), ast.Load()), one)
        return called(self.value(node), one)

    def _given(self, node: Node) -> list[Any]:
        arguments = field(node, "arguments") or next((each for each in inner(node) if each.type == "arguments"), None)
        return [bare(each) for each in inner(arguments) if each.type != "variadic_placeholder"]

    def _of_object_creation_expression(self, node: Node) -> ast.expr:
        parts, values = inner(node), [*map(self.value, self._given(node))]
        if parts[0].type == "anonymous_class":
            made = self.class_of(self.fresh(), parts[0])
            self.before.append(made)
            return called(made.name)
        named = text_of(parts[0]).lstrip("\\")
        if named not in self.types and (named in _NEW or named.endswith("Exception")):
            return self.told(_NEW, named, values) or constant(None)
        return called(self.scope(parts[0]), *values)

    def _of_scoped_call_expression(self, node: Node) -> ast.expr:
        scope, named = field(node, "scope"), text_of(field(node, "name"))
        values = [*map(self.value, self._given(node))]
        if text_of(scope) == "SplFixedArray" and values:
            return called("list", values[0])
        own = {"__construct": "__init__"}.get(named, named)
        if text_of(scope) in ("self", "static", *self.owner[-1:]):
            within = inner(around(node, ("method_declaration",)))
            return called(
                path("cls" if any(each.type == "static_modifier" for each in within) else "self", own), *values
            )
        return method(self.scope(scope), own, *values)

    def _of_member_call_expression(self, node: Node) -> ast.expr:
        owner, named = field(node, "object"), _last(field(node, "name"))
        value, kind = self.value(owner), self.type_of(owner).name
        values = [*map(self.value, self._given(node))]
        if kind in ("queue", "list", "heap", "ranked", "map"):
            made = self.told(_WAYS, named, values, o=value, kind=kind)
            if made is not None:
                return made
        return method(value, {"__construct": "__init__"}.get(named, named), *values)

    _of_nullsafe_member_call_expression = _of_member_call_expression

    def _of_function_call_expression(self, node: Node) -> ast.expr:
        function, given = field(node, "function"), self._given(node)
        named = text_of(function).rpartition("\\")[2]
        own = is_a(function, "name", "qualified_name") and named not in self.known
        made = self.library(named.lower(), given) if own else None
        return made or called(self.value(function), *map(self.value, given))

    # Functions of the language's own.

    def library(self, named: str, given: list[Node]) -> ast.expr | None:
        """What a function of the language's own gives; None of others."""
        if (made := self.way(named, given)) is not None:
            return made
        if named in _SORTS:
            return self.sorted(named, given)
        kind = self.type_of(given[-1 if named in ("implode", "join") else 0]).name if given else ""
        return self.free(named, [*map(self.value, given)], kind)

    def free(self, named: str, values: list[ast.expr], kind: str = "") -> ast.expr | None:
        """The same of functions that are given no others."""
        if not values:
            return self.told(_LIBRARY, named, values)
        first, *rest = values
        if named in ("floor", "ceil"):
            return whole_of(first)
        if named == "intval":
            return quotient(first) or called("int", first)
        if named in ("sprintf", "number_format", "vsprintf", "date"):
            return joined(rest if named == "sprintf" and rest else values[:1])
        if named == "array_fill":
            if isinstance(rest[1], (ast.List, ast.Dict, ast.Call, ast.ListComp)):
                return listed(rest[0], rest[1], several=True)
            return called("_tongue.filled", rest[0], rest[1], constant(16))
        if named.startswith("preg_"):
            values = [_pattern(first), *rest]
        return self.told(_LIBRARY, named, values, kind=kind)

    def sorted(self, named: str, given: list[Node]) -> ast.expr:
        value = self.value(given[0])
        if named in _BY_KEY:
            several, what = self.fresh(), "keys" if "k" in named else "values"
            self.before.append(assigned(name(several), called("list", method(value, what))))
            value = name(several)
        function = self.callback(given[1]) if named[0] == "u" else None
        if function is not None and len(function.targets) == 1:  # one that has a name
            call = function.value
            if isinstance(call, ast.Call) and len(call.args) == 1:
                function = Callback(function.targets, called(call.func, call.args[0], call.args[0]))
        self.before += self.ordered(value, function)
        return constant(None)

    def way(self, named: str, given: list[Node]) -> ast.expr | None:
        """What a function gives that is more than a template; None of others."""
        if named == "isset":
            tests = [*map(self.is_set, given)]
            return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        if named == "define":
            self.before.append(assigned(name(spelt(unquoted(text_of(given[0])))), self.value(given[1])))
            return constant(None)
        if named == "fscanf":  # a word for each place
            kinds = re.findall(r"%\d*[a-z]*?([dfs])", unquoted(text_of(given[1])))
            python = {"d": "int", "f": "float"}
            words = [self.word() if each == "s" else called(python[each], self.word()) for each in kinds]
            self.before += [assigned(self.value(each), word) for each, word in zip(given[2:], words, strict=False)]
            return constant(len(words)) if len(given) > 2 else tupled(words)
        if named == "sscanf" and len(given) > 2:
            targets = ast.Tuple([*map(self.value, given[2:])], ast.Store())
            self.before.append(assigned(targets, method(self.value(given[0]), "split")))
            return constant(len(targets.elts))
        if named == "array_push":
            owner = self.place(given[0])
            for value in map(self.value, given[1:]):
                several = isinstance(value, ast.Starred)
                self.does(method(owner, "extend", value.value) if several else appended(owner, value))  # type: ignore[attr-defined]
            return constant(None)
        if named == "array_splice":
            owner, at, *rest = map(self.value, given)
            if len(rest) > 1:
                new = rest[1].elts if isinstance(rest[1], ast.List) else [rest[1]]
                for value in new:
                    self.does(method(owner, "insert", at, value))
            gone = self.told(_LIBRARY, "array_slice", [owner, at, *rest[:1]])
            if len(rest) > 1 or not isinstance(gone, ast.Subscript):
                return gone
            kept = self.fresh()
            self.before += [assigned(name(kept), gone), ast.Delete([ast.Subscript(owner, gone.slice, ast.Del())])]
            return name(kept)
        if named in ("preg_match", "preg_match_all") and len(given) > 2:
            into, every = self.value(given[2]), named == "preg_match_all"
            values, template = [*map(self.value, given[:2])], "[re.findall(p, t)]" if every else "re.search(p, t)"
            self.before.append(assigned(into, self.say(template, p=_pattern(values[0]), t=values[1])))
            return self.say("len(o[0])" if every else "o is not None", o=self.value(given[2]))
        return self.asking(named, given) or (self.parted_at(given) if named == "preg_split" else None)

    def is_set(self, node: Node) -> ast.expr:
        """`isset`."""
        owner, *key = inner(node)
        if text_of(node).startswith(("$argv", "$_SERVER", "$_GET")):
            return constant(False)
        if node.type != "subscript_expression" or not key:
            return self.say("o is not None", o=self.value(node))
        counts = self.type_of(owner).name in ("list", "text")
        return self.say("k < len(o)" if counts else "k in o", o=self.value(owner), k=self.value(key[0]))

    def asking(self, named: str, given: list[Node]) -> ast.expr | None:
        """What functions give that ask another one about each; None of others."""
        if named not in ("array_map", "array_filter", "array_reduce", "array_walk"):
            return None
        if named == "array_filter" and len(given) < 2:
            return self.say("[_a for _a in o if _a]", o=self.value(given[0]))
        array, of = given[named == "array_map"], given[named != "array_map"]
        over, function = self.value(array), self.callback(of)
        alone, mapping = Callback(function.targets[:1], function.value), self.type_of(array).name == "map"
        if named == "array_filter":
            return self.each_of_all(
                "{_k: e for _k, x in o.items() if f}" if mapping else "[e for x in o if f]", over, alone
            )
        if named == "array_map" and len(given) > 2:
            several, targets = (
                called("zip", over, *map(self.value, given[2:])),
                ast.Tuple(function.targets, ast.Store()),
            )
            return self.say("[f for x in o]", f=function.value, x=targets, o=several)
        if named == "array_map":
            return self.each_of_all("{_k: f for _k, x in o.items()}" if mapping else "[f for x in o]", over, alone)
        over = method(over, "values") if mapping else over
        if named == "array_reduce":
            return self.folded(over, function, self.value(given[2]) if len(given) > 2 else constant(0))
        self.before.append(going((function.targets or [begun("_")])[0], over, [ast.Expr(function.value)]))
        return constant(None)

    def parted_at(self, given: list[Node]) -> ast.expr:
        """`preg_split`."""
        pattern = unquoted(text_of(given[0]))[1:].rpartition("/")[0].replace("\\R", "\\n")
        if re.match(r"\(?\[\^?.{3,}\][+*]?\)?$", pattern):  # one of many letters, or of all but some
            return called("re.split", constant(pattern), self.value(given[1]))
        text, mark = self.value(given[1]), re.sub(r"\\[rs][?*+]?|[+*?^$()\[\]]", "", pattern)
        if mark.strip(" "):
            return method(text, "split", constant(mark.replace("\\n", "\n").replace("\\", "")[:1]))
        return method(text, "split") if "\\s" in pattern or pattern.strip("+") == " " else called("list", text)


def _pattern(value: ast.expr) -> ast.expr:
    """A pattern without what stands around it."""
    text = value.value if isinstance(value, ast.Constant) else None
    if not isinstance(text, str) or len(text) < 3:
        return value
    return constant(text[1 : text.rfind({"(": ")", "{": "}", "[": "]"}.get(text[0], text[0]))] or text)


def _last(node: Node | None) -> str:
    """The name of what a value is kept in."""
    node = bare(node)
    if is_a(node, "subscript_expression"):
        return f"{_last(inner(node)[0])}[]"
    return text_of(field(node, "name") if is_a(node, *_MEMBERS) else node).lstrip("$")


def _key(node: Node | None) -> str:
    """The same, of names of functions with their function's place."""
    node = bare(node)
    if is_a(node, "subscript_expression"):
        return f"{_key(inner(node)[0])}[]"
    if not is_a(node, "variable_name", "name"):
        return _last(node)
    scopes, named = FUNCTIONS - {"arrow_function"}, re.escape(text_of(node))
    function = around(node, scopes)
    while function is not None and re.search(rf"(global|use)\b[^;{{]*{named}\b", text_of(function)):
        function = around(function, scopes)  # which are those of what is around it
    return _last(node) if function is None else f"{function.start_byte}:{_last(node)}"


def _is_target(node: Node) -> bool:
    """Whether it is given a value, or something that it holds."""
    parent = node.parent
    if is_a(parent, "subscript_expression") and inner(parent)[0] == node:
        return _is_target(parent)
    assigns = "assignment_expression", "augmented_assignment_expression", "reference_assignment_expression"
    return is_a(parent, "update_expression", *assigns) and field(parent, "left", "argument") == node
