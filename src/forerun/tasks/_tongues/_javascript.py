"""JavaScript, as Node runs it."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from tree_sitter import Node

from forerun.tasks._tongues._braced import appended, field, length, listed, unquoted
from forerun.tasks._tongues._kinds import NOTHING, Kind

from forerun.tasks._tongues._scripted import (  # isort: skip
    FUNCTIONS, LIST, MAP, NUMBER, TEXT, TEXTS, Callback, Scripted, around, attribute, bare, begun, below, going, got,
    inner, is_a, joined, listing, parameters_of, part, pieces, places, quotient,
    returns, sides, spread, tupled, whole_of,
)  # fmt: skip
from forerun.tasks._tongues._translator import (  # isort: skip
    assigned, binary, called, compared, constant, function_of, method, name, negated, path, spelt, stored, subscript,
    text_of,
)  # fmt: skip

_SET, _RECORD, _MAYBE, _INPUT = Kind("set"), Kind("record"), Kind("maybe"), Kind("input")
_STDIN, _ARRAY = Kind("stdin"), Kind("typed")
_OWN: Final = frozenset("text number list map set typed input stdin".split())
"""Kinds whose methods are the language's own."""
_LOOPS: Final = ("for_statement", "for_in_statement", "while_statement", "do_statement")
_ROUND: Final = (*FUNCTIONS, *_LOOPS)
_PATTERNS: Final = ("array_pattern", "object_pattern")
_SIZES: Final = {
    "Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Buffer": 1, "Int16Array": 2, "Uint16Array": 2,
    "Int32Array": 4, "Uint32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
}  # fmt: skip
"""Bytes of an element."""
_MADE: Final = spread({
    MAP: "Map WeakMap", _SET: "Set WeakSet", LIST: "Array",
    _ARRAY: "Int8Array Uint8Array Uint8ClampedArray Buffer Int16Array Uint16Array Int32Array Uint32Array Float32Array"
    " Float64Array BigInt64Array BigUint64Array",
})  # fmt: skip
_LITERAL: Final = spread({
    TEXT: "string template_string", NUMBER: "number update_expression unary_expression",
})  # fmt: skip
_GIVES: Final = spread({
    LIST: "map flatMap flat entries concat splice keys values matchAll", TEXTS: "split match",
    TEXT: "join toString trim trimEnd trimStart toUpperCase toLowerCase padStart padEnd toFixed charAt repeat replace"
    " replaceAll substring substr toPrecision toLocaleString",
    NUMBER: "indexOf lastIndexOf charCodeAt codePointAt findIndex localeCompare", _MAYBE: "get find",
})  # fmt: skip
"""What methods give whosesoever they are."""
_SAME: Final = frozenset("filter slice sort reverse fill subarray toSorted toReversed".split())
"""Methods that give what they are of."""
_FREE: Final = spread({
    TEXTS: "Object.keys", LIST: "Object.values Object.entries Array.from Array.of Array",
    TEXT: "String String.fromCharCode JSON.stringify", NUMBER: "Number parseInt parseFloat BigInt",
    _RECORD: "Object.create Object.fromEntries", _ARRAY: "Buffer.alloc", _INPUT: "Buffer.concat",
    _STDIN: "process.stdin",
})  # fmt: skip
_ASKING: Final = spread({
    "[f for x in o]": "map", "[e for x in o if f]": "filter", "[_a for x in o for _a in f]": "flatMap",
    "any(f for x in o)": "some findIndex", "all(f for x in o)": "every",
    "next((e for x in o if f), None)": "find findLast",
})  # fmt: skip
"""Methods that ask a function about each."""
_WAYS: Final = spread({
    "o.strip(*args)": "trim", "o.lstrip(*args)": "trimStart", "o.rstrip(*args)": "trimEnd",
    "o.upper(*args)": "toUpperCase", "o.lower(*args)": "toLowerCase toLocaleLowerCase normalize",
    "o.startswith(*args)": "startsWith", "o.endswith(*args)": "endsWith", "o.rjust(*args)": "padStart",
    "o.ljust(*args)": "padEnd", "o.rfind(*args)": "lastIndexOf", "o.appendleft(*args)": "unshift",
    "o.add(*args)": "add", "o.clear(*args)": "clear", "o.get(*args)": "get", "o.values(*args)": "values",
    "[_b for _a in o for _b in _a]": "flat", "a in o": "has hasOwnProperty includes",
    "o.index(a) >= 0": "list.includes", "o.find(*args)": "indexOf", "o * a": "repeat",
    "o.index(*args)": "list.indexOf literal.indexOf", "o.pop(*args)": "delete", "o.discard(*args)": "set.delete",
    "o.keys()": "keys", "range(len(o))": "list.keys typed.keys", "enumerate(o)": "entries", "o.items()": "map.entries",
    "next(o)": "next", "next(iter(o))": "call.next", "sys.stdin.readline()": "stdin.next",
    "o[a:b]": "slice substring subarray", "o[a:a + b]": "substr", "o[a:]": "substr/1", "o[a]": "at charAt",
    "o[0]": "at/0 charAt/0", "ord(o[a])": "charCodeAt codePointAt", "ord(o[0])": "charCodeAt/0 codePointAt/0",
    "str(o)": "toString toLocaleString", "o": "text.toString input.toString input.join", "a.join(o)": "join",
    "','.join(o)": "join/0", "o.replace(a, b)": "replace replaceAll",
    "re.sub(a, b, o)": "regex.replace regex.replaceAll", "re.search(*args, o)": "match",
    "re.findall(*args, o)": "all.match", "re.finditer(*args, o)": "matchAll", "re.search(o, *args)": "test exec",
    "o < a": "localeCompare", "_tongue.copy(o, len(a))": "typed.set",
})  # fmt: skip
"""Methods of the language's own."""
_LIBRARY: Final = spread({
    "print(*args)": "console.log console.error console.info console.warn process.stdout.write process.stderr.write"
    " util.format fs.writeSync",
    "time.monotonic()": "Date.now performance.now process.hrtime process.hrtime.bigint process.cpuUsage",
    "a()": "setTimeout setImmediate process.nextTick queueMicrotask",
    "int(a)": "Number parseInt BigInt Number.parseInt", "float(a)": "parseFloat Number.parseFloat",
    "a": "Boolean Object.freeze Object.seal Object.assign Promise.all Promise.resolve String.raw Buffer.concat",
    "str(a).isdecimal()": "isNaN isFinite Number.isNaN Number.isFinite Number.isInteger Number.isSafeInteger",
    "int(b)": "BigInt.asUintN", "str(a)": "String", "chr(a)": "String.fromCharCode String.fromCodePoint",
    "json.loads(a)": "JSON.parse", "json.dumps(a)": "JSON.stringify", "copy.deepcopy(a)": "structuredClone",
    "list(a.keys())": "Object.keys", "list(a.values())": "Object.values", "list(a.items())": "Object.entries",
    "{}": "Object.create", "dict(a)": "Object.fromEntries", "isinstance(a, list)": "Array.isArray",
    "[*args]": "Array.of", "sys.exit()": "process.exit", "[]": "process.argv.slice", "max(*args)": "Math.max",
    "min(*args)": "Math.min", "random.random()": "Math.random", "abs(a)": "Math.abs", "a > 0": "Math.sign",
    "a * b & 4294967295": "Math.imul", "a * a & 31": "Math.clz32", "math.pow(*args)": "Math.pow",
    "math.hypot(*args)": "Math.hypot", "math.fabs(a)": "Math.fround", "math.sqrt(a)": "Math.sqrt Math.cbrt",
    "math.sin(a)": "Math.sin Math.tan Math.atan Math.atan2 Math.asin", "math.cos(a)": "Math.cos Math.acos",
    "math.exp(a)": "Math.exp Math.expm1 Math.sinh Math.cosh Math.tanh",
    "math.log(a)": "Math.log Math.log2 Math.log10 Math.log1p",
})  # fmt: skip
"""Functions of the language's own."""
_NEW: Final = spread({
    "{}": "Map WeakMap", "set(*a)": "Set WeakSet", "a(None, None)": "Promise", "a": "RegExp",
    "time.monotonic()": "Date",
})  # fmt: skip
"""What is made of things of the language's own."""
_NUMBERS: Final = {
    "Math.PI": 3.141592653589793, "Math.E": 2.718281828459045, "Math.SQRT2": 1.4142135623730951,
    "Math.LN2": 0.6931471805599453, "Number.MAX_SAFE_INTEGER": 2**53 - 1, "Number.MIN_SAFE_INTEGER": 1 - 2**53,
    "Number.MAX_VALUE": 1e308, "Number.POSITIVE_INFINITY": 1e308, "Number.NEGATIVE_INFINITY": -1e308,
    "Number.EPSILON": 2.0**-52, "Number.NaN": 0.0, "process.argv.length": 2, "process.argv": None,
}  # fmt: skip
_SAYS_NOTHING: Final = re.compile(
    r"(.*\.)?(setEncoding|createInterface)|.*rl\.close|reader\.close|require|pause|resume|Symbol|process\.stdin\.unref"
)
_EVENTS: Final = ("readable", "line", "data", "close", "end", "finish")
_WORD: Final = (1 << 32) - 1


def continued(body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """A function's statements as those of a loop; None where it returns out of another one."""
    made = list[ast.stmt]()
    for each in body:
        if isinstance(each, ast.Return):
            does = isinstance(each.value, (ast.Call, ast.NamedExpr))
            made += [ast.Expr(each.value, lineno=each.lineno)] if does else []  # type: ignore[arg-type]
            return [*made, ast.Continue(lineno=each.lineno)]
        if isinstance(each, (ast.For, ast.While)) and any(isinstance(one, ast.Return) for one in ast.walk(each)):
            return None
        for holder in each.cases if isinstance(each, ast.Match) else [each]:
            for within in ("body", "orelse") if isinstance(holder, (ast.If, ast.Try, ast.match_case)) else ():
                if (found := continued(getattr(holder, within, []))) is None:
                    return None
                setattr(holder, within, found)
        made.append(each)
    return made


def first_apart(loop: ast.For) -> list[ast.stmt]:
    """`for line in input: if not header: header = line; continue`: the first line stands before all others."""
    for place, each in enumerate(loop.body):
        if not isinstance(each, ast.If) or each.orelse or not isinstance(each.body[-1], ast.Continue):
            continue
        test = each.test
        asked = test.left if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq)) else test
        asked = asked.operand if isinstance(asked, ast.UnaryOp) else asked
        given = [target for one in each.body if isinstance(one, ast.Assign) for target in one.targets]
        if isinstance(asked, ast.Name) and any(isinstance(one, ast.Name) and one.id == asked.id for one in given):
            first = assigned(copy.deepcopy(loop.target), called("sys.stdin.readline"))
            ahead = copy.deepcopy(loop.body[:place])
            if any(isinstance(one, (ast.Continue, ast.Break)) for stmt in ahead for one in ast.walk(stmt)):
                ahead = []
            loop.body = [*loop.body[:place], *loop.body[place + 1 :]] or [ast.Pass(lineno=each.lineno)]
            return [first, *ahead, *each.body[:-1], loop]
    return [loop]


class JavaScript(Scripted):
    """Programs of one file."""

    constants: ClassVar[dict[str, object]] = {"Infinity": 1e308, "NaN": 0.0, "undefined": None, "__filename": "main.js"}
    first: ClassVar[dict[str, int]] = {"function_declaration": -1, "generator_function_declaration": -1}
    most = 2

    def __init__(self) -> None:
        super().__init__()
        self.things = set[str]()  # names of properties that things have, in contrast to those of mappings
        self.classes = dict[str, list[tuple[str, Node]]]()  # functions called with `new`, their methods
        self.ways = set[str]()  # names of methods
        self.readers = False  # whether functions read numbers letter by letter
        self.queues = dict[str, str]()  # the like of cursors, of lists that are being filled
        self.taken = dict[str, list[int]]()  # of lists from whose front one is taken, where
        self.shapes = dict[tuple[str, ...], str]()  # things that are written out, by the names of their properties
        self.rows = dict[str, tuple[str, ast.ListComp]]()  # lists of what lines say, with these and how they are made
        self.gathering = set[str]()  # names that gather the input
        self.later = list[tuple[int, list[ast.stmt]]]()  # what happens when the input is there

    def program(self, root: Node) -> list[ast.stmt]:
        self._survey_names(root)
        self._survey_input(root)
        self._survey_kinds(root)
        self._survey_cursors(root)
        body = self.statements(root.named_children)
        body += [each for _, several in sorted(self.later, key=lambda one: one[0]) for each in several]
        made: list[ast.stmt] = [ast.Import([ast.alias("json"), ast.alias("copy")], lineno=1)]
        for keys, named in self.shapes.items():
            fields: list[ast.stmt] = [assigned(path("self", key), name(f"{key}_")) for key in keys]
            start = function_of("__init__", ["self", *(f"{key}_" for key in keys)], fields)
            made.append(ast.ClassDef(named, [], [], [start], [], lineno=1))
        return [*made, *body]

    def kind(self, named: str) -> Kind:
        return _INPUT if named in self.gathering else super().kind(named)

    # What there is, before anything is said.

    def _survey_names(self, root: Node) -> None:
        self.classes = {text_of(field(node, "constructor")): [] for node in below(root, "new_expression")}
        for node in below(root, "class_declaration", "class"):
            self.classes.pop(text_of(field(node, "name")), None)
        self.ways = {_plain(field(node, "name")) for node in below(root, "method_definition")}
        self.readers = any(map(self._reads_number, below(root, *FUNCTIONS)))
        for node in below(root, "subscript_expression", "for_in_statement", "call_expression"):
            if (key := field(node, "index")) is not None and key.type != "number":
                self.keyed.add(_last(field(node, "object")))
            if text_of(field(node, "operator")) == "in":
                self.keyed.add(_last(field(node, "right")))
            if text_of(field(node, "function")) in ("Object.keys", "Object.values", "Object.entries"):
                self.keyed |= {_last(each) for each in inner(field(node, "arguments"))[:1]}
        for node in below(root, "object"):
            if self._is_thing(node):
                self.things |= {_plain(field(each, "key", "name") or each) for each in inner(node)}
        self.things |= {_plain(field(node, "property")) for node in below(root, "field_definition")}
        for node in below(root, "assignment_expression"):
            left, _, right = sides(node)
            named = _plain(part(left, "property"))
            if is_a(part(left, "object"), "this"):
                self.things.add(named)
            prototype = re.fullmatch(r"(\w+)\.prototype", text_of(part(left, "object")))
            if prototype and prototype[1] in self.classes and right.type in FUNCTIONS:
                self.classes[prototype[1]].append((named, right))
                self.ways.add(named)
        self.things |= self.ways
        for node in below(root, "variable_declarator"):
            function, loop = around(node, FUNCTIONS), around(node, ("for_statement", "statement_block"))
            outside = function is None or _at_once(function)
            if outside and (loop is None or (loop.type == "statement_block" and loop.parent == function)):
                kinds = ("identifier", "shorthand_property_identifier_pattern")
                named_of = field(node, "name")
                self.globals |= {text_of(each) for each in (below(named_of, *kinds) if named_of else ())}

    def _survey_input(self, root: Node) -> None:
        """`input.on('data', piece => { text += piece })` and the like."""
        for node in below(root, "call_expression", "for_in_statement"):
            piece, body = field(node, "left"), node
            if node.type == "call_expression":
                given = inner(field(node, "arguments"))
                if _way(node) != "on" or text_of(given[0])[1:-1] != "data":
                    continue
                piece, body = part(given[-1], "parameters", "parameter"), given[-1]
            elif text_of(field(node, "right")) != "process.stdin":
                continue
            named = text_of(piece).strip("()")
            self.gathering |= {_last(into) for into, what in _gatherings(body) if text_of(what) == named}

    def _survey_kinds(self, root: Node) -> None:
        for _ in range(2):  # what follows from what follows
            for node in below(root, "variable_declarator", "assignment_expression", "field_definition", "pair"):
                named = _last(field(node, "name", "left", "property", "key"))
                found = self.type_of(field(node, "value", "right"))
                if found is not NOTHING and self.kinds.get(named, NOTHING) is NOTHING:
                    self.kinds[named] = found
        for node in below(root, "assignment_expression"):
            left, plain = field(node, "left"), ("record", "list", "typed")
            if is_a(left, "member_expression") and self.type_of(field(left, "object")).name not in plain:
                self.things.add(_plain(field(left, "property")))

    def _reads_number(self, node: Node) -> bool:
        text = text_of(field(node, "body"))
        return len(text) < 700 and re.search(r"\* 10\b", text) is not None and "48" in text and "++" in text

    def _survey_cursors(self, root: Node) -> None:
        """`lines[at++]`, where nothing else is done with `at` but perhaps `at < lines.length`."""
        used, read, filled = dict[str, list[Node]](), set[str](), set[str]()
        for node in below(root, "identifier"):
            used.setdefault(text_of(node), []).append(node)
        for node in below(root, "variable_declarator"):
            value, named = field(node, "value"), text_of(field(node, "name"))
            if re.search(r"split\(|readFileSync", text_of(value)):
                read.add(named)
            elif is_a(value, "array"):
                filled.add(named)
        for named, nodes in used.items():
            lists, ends = set[str](), 0
            for parent in (each.parent for each in nodes):
                if is_a(parent, "variable_declarator") and text_of(field(parent, "value")) in ("0", "-1"):
                    continue
                above = parent.parent if is_a(parent, "update_expression") else None
                taken = is_a(above, "subscript_expression") and not _is_target(above)
                ending = re.fullmatch(rf"{re.escape(named)} (<|!==) (\w+)\.length", text_of(parent))
                ends += ending is not None
                lists.add(ending[2] if ending else text_of(part(above, "object")) if taken else "")
            of = lists.pop() if len(lists) == 1 else ""
            if of in read and not ends:
                self.cursors[named] = of
            elif of in filled and ends and of not in read:
                self.queues[named] = of
        for node in below(root, "call_expression"):
            if _way(node) == "shift":
                at = -1 if around(node, _ROUND) else node.start_byte
                self.taken.setdefault(text_of(part(field(node, "function"), "object")), []).append(at)

    # Kinds.

    def type_of(self, node: Node | None) -> Kind:
        node = bare(node)
        if node is None:
            return NOTHING
        kind = node.type
        if kind in _LITERAL:
            return TEXT if text_of(node).startswith("typeof") else _LITERAL[kind]
        if kind == "array":
            return Kind("list", (self.type_of(next(iter(inner(node)), None)),))
        if kind == "object":
            return Kind("thing") if self._is_thing(node) else _RECORD
        if kind == "new_expression":
            named = text_of(field(node, "constructor"))
            return _MADE.get(named, Kind(named))
        if kind in ("assignment_expression", "augmented_assignment_expression"):
            return self.type_of(field(node, "right"))
        if kind == "ternary_expression":
            found = self.type_of(field(node, "consequence"))
            return self.type_of(field(node, "alternative")) if found in (NOTHING, _MAYBE) else found
        if kind == "binary_expression":
            left, right = self.type_of(field(node, "left")), self.type_of(field(node, "right"))
            operator = sides(node)[1]
            if operator == "+":
                return TEXT if TEXT in (left, right) else NUMBER if left == right == NUMBER else NOTHING
            return NUMBER if operator not in ("||", "??", "&&") else right if left in (NOTHING, _MAYBE) else left
        if kind == "subscript_expression":
            owner = self.type_of(field(node, "object"))
            return TEXT if owner == TEXT else NUMBER if owner.name in ("typed", "input") else owner.one
        if kind == "member_expression":
            named = _plain(field(node, "property"))
            return _FREE.get(text_of(node)) or (NUMBER if named == "length" else self.kinds.get(named, NOTHING))
        if kind == "call_expression":
            return self.given(node)
        return self.kind(text_of(node)) if kind == "identifier" else NOTHING

    def given(self, node: Node) -> Kind:
        function = field(node, "function")
        text, named = text_of(function), _way(node)
        if text in _FREE:
            return _FREE[text]
        if "createInterface" in text or text.endswith("asyncIterator]"):
            return _STDIN
        if not is_a(function, "member_expression"):
            return self.gives.get(text, NOTHING)
        owner = self.type_of(field(function, "object"))
        if named == "readFileSync":
            return TEXT if self._as_text(node) else _INPUT
        if named in self.ways and owner.name not in _OWN:
            return self.gives.get(named, NOTHING)
        if named in _SAME:
            return owner
        if named in ("shift", "pop", "at"):
            return owner.one
        return NUMBER if text.startswith("Math.") else _GIVES.get(named, NOTHING)

    def _as_text(self, node: Node) -> bool:
        """Whether what is read is asked for as a text, there or by the name that it is given."""
        parent = node.parent
        asked = is_a(parent, "member_expression") and "toString" in text_of(parent)
        return asked or len(inner(field(node, "arguments"))) > 1

    def _said_later(self, node: Node) -> bool:
        named = text_of(part(node.parent, "name"))
        return bool(named) and f"{named}.toString" in text_of(around(node, ("program",)))

    def _is_thing(self, node: Node) -> bool:
        """Whether an object is a thing with properties that are written out, in contrast to a mapping."""
        parts = inner(node)
        kinds = {each.type for each in parts} | {part(each, "key").type for each in parts if each.type == "pair"}
        plain = {"pair", "shorthand_property_identifier", "method_definition", "property_identifier"}
        of = part(node.parent, "name", "key", "left")
        return bool(parts) and kinds <= plain and (of is None or _last(of) not in self.keyed)

    # Statements.

    def _do_lexical_declaration(self, node: Node) -> list[ast.stmt]:
        made = list[ast.stmt]()
        for each in inner(node):
            target, value = part(each, "name"), field(each, "value")
            named, plain, alone = text_of(target), bare(value), is_a(target, "identifier")
            if value is None:
                self.declare(named, self.kind(named))
            elif alone and plain.type in FUNCTIONS:
                self.declare(named, NOTHING)
                made.append(self.function(self.spelling(named), plain))
            elif alone and plain.type == "class":
                made += self._do_class_declaration(plain, named)
            else:
                with self.within() as (ahead, after):
                    given = _swapped(target, self.value(value))
                if alone and not around(node, _ROUND):
                    ahead += self.lines_of(named, given)
                made += [*ahead, *self.unpacked(target, given, self.type_of(value)), *after]
        return made

    _do_variable_declaration = _do_lexical_declaration

    def lines_of(self, named: str, given: ast.expr) -> list[ast.stmt]:
        """Lines that are said by themselves, so that the first one can be asked for."""
        if not isinstance(given, ast.ListComp) or not isinstance(given.elt, (ast.ListComp, ast.Call)):
            return []
        one, *others = given.generators
        if others or one.ifs or "stdin" not in ast.unparse(one.iter):
            return []
        lines = self.fresh()
        made = assigned(name(lines), one.iter)
        one.iter = name(lines)
        self.rows[named] = (lines, given)
        return [made]

    def unpacked(self, node: Node, value: ast.expr, kind: Kind = NOTHING, new: bool = True) -> list[ast.stmt]:
        """What a pattern's names are given."""
        if node.type != "object_pattern":
            made: list[ast.stmt] = [assigned(self.pattern(node, kind, new), value)]
            return [*made, *(self.reads(text_of(node), self.value(node)) if node.type == "identifier" else [])]
        whole = value.id if isinstance(value, ast.Name) else self.fresh()
        made = [] if isinstance(value, ast.Name) else [assigned(name(whole), value)]
        for each in inner(node):
            key, target = part(each, "key") or each, part(each, "value") or each
            if each.type == "rest_pattern":
                made += self.unpacked(inner(each)[0], name(whole), kind, new)
                continue
            default, named = part(target, "right"), _plain(key)
            if default is not None:
                target = part(target, "left")
                value = self.say("o.get(k, d)", o=name(whole), k=constant(named), d=self.value(default))
            else:
                value = got(self.property(name(whole), named, kind))
            made += self.unpacked(target, value, self.kinds.get(named, NOTHING), new)
        return made

    def pattern(self, node: Node, kind: Kind = NOTHING, new: bool = True) -> ast.expr:
        """A target: a name, or several."""
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            named = text_of(node)
            kind = kind if kind is not NOTHING else self.kinds.get(named, NOTHING)
            return self.target(named, kind) if new else self.named(named)
        if node.type == "array_pattern":
            several = [self.pattern(each, kind.one, new) if each else begun("_") for each in places(node)]
            return ast.Tuple(several, ast.Store())
        if node.type in ("assignment_pattern", "object_assignment_pattern"):
            return self.pattern(part(node, "left"), kind, new)
        if node.type == "rest_pattern":
            return ast.Starred(self.pattern(inner(node)[0], LIST, new), ast.Store())
        if node.type == "object_pattern":
            whole = self.fresh()
            self.after += self.unpacked(node, name(whole), kind, new)
            return begun(whole)
        return stored(self.value(node))

    def _do_function_declaration(self, node: Node) -> list[ast.stmt]:
        named = text_of(field(node, "name"))
        if named in self.classes:
            return [self.class_of(named, [("__init__", node), *self.classes[named]])]
        self.declare(named, NOTHING)
        return [self.function(self.spelling(named), node)]

    _do_generator_function_declaration = _do_function_declaration

    def title(self, node: Node) -> str:
        if (own := field(node, "name")) is not None:
            return _plain(own)
        return "" if is_a(node.parent, "arguments") else _last(part(node.parent, "name", "left", "key"))

    def parameters(self, arguments: ast.arguments, node: Node) -> list[ast.stmt]:
        ahead = list[ast.stmt]()
        for each in parameters_of(node):
            if each.type == "rest_pattern":
                arguments.vararg = ast.arg(self.target(text_of(inner(each)[0]), LIST).id)
                continue
            target = part(each, "left") or each
            plain = target.type == "identifier"
            named = self.pattern(target).id if plain else self.fresh()  # type: ignore[attr-defined]
            self.parameter(arguments, named, field(each, "right"))
            ahead += self.unpacked(target, name(named)) if not plain else []
        return ahead

    def inside(self, node: Node) -> list[ast.stmt]:
        return [ast.Return(called("int", self.word()))] if self._reads_number(node) else super().inside(node)

    def _do_class_declaration(self, node: Node, named: str = "") -> list[ast.stmt]:
        titles = {"constructor": "__init__", "Symbol.iterator": "__iter__"}
        members = [(_plain(field(each, "name")), each) for each in inner(field(node, "body"))]
        parts = [(titles.get(title, title), each) for title, each in members]
        heritage = [one for each in inner(node) if each.type == "class_heritage" for one in inner(each)[:1]]
        return [self.class_of(named or text_of(field(node, "name")) or self.fresh(), parts, heritage)]

    _do_class = _do_class_declaration

    def class_of(self, named: str, parts: Sequence[tuple[str, Node]], heritage: Sequence[Node] = ()) -> ast.ClassDef:
        """A class: its methods, and what its fields begin with."""
        body, starts = list[ast.stmt](), list[ast.stmt]()
        for node in (node for title, node in parts if not title):
            value, key = field(node, "value"), _plain(field(node, "property"))
            static = any(each.type == "static" for each in node.children)
            if value is not None and value.type in FUNCTIONS and not static:
                body.append(self.function(key, value, "self"))
            elif value is not None:
                made = assigned(name(key) if static else path("self", key), self.value(value))
                (body if static else starts).append(made)
        if starts and all(title != "__init__" for title, _ in parts):
            body.append(function_of("__init__", ["self"], starts))
        for title, node in parts:
            if title:
                kinds = {each.type for each in node.children}
                marks = ["staticmethod"] if "static" in kinds else ["property"] if "get" in kinds else []
                own, ahead = "" if "static" in kinds else "self", starts if title == "__init__" else ()
                body.append(self.function(f"set_{title}" if "set" in kinds else title, node, own, marks, ahead))
        bases = [self.value(each) for each in heritage if text_of(each) not in ("Error", "Object", "EventEmitter")]
        return ast.ClassDef(spelt(named), bases, [], body or [ast.Pass()], [])

    def _do_for_in_statement(self, node: Node) -> list[ast.stmt]:
        left, _, right = sides(node)
        kind, body = self.type_of(right), field(node, "body")
        with self.within() as (ahead, _):
            over = self.through_all(right, pairs=left.type == "array_pattern")
        with self.within() as (_, first):
            target = self.pattern(left, TEXT if kind in (TEXT, _STDIN) else kind.one, field(node, "kind") is not None)
            if kind == _STDIN and left.type == "identifier" and (made := self.gathered(left, _gathers(body), node)):
                return [*ahead, *made]
            if kind == _STDIN and text_of(right) == "process.stdin":  # all of it at once
                return [*ahead, assigned(target, self.all()), *self.inputs(left, body)]
            loop = going(target, over, [*first, *self.block(body)])
            return [*ahead, *(first_apart(loop) if kind == _STDIN else [loop])]

    def through_all(self, node: Node | None, pairs: bool = True) -> ast.expr:
        """What a loop goes through."""
        kind = self.type_of(node)
        if kind == _STDIN:
            return path("sys", "stdin")
        value = self.value(bare(node))
        made = isinstance(value, ast.Call) and getattr(value.func, "attr", "") in ("items", "values", "keys")
        plain = isinstance(value, (ast.Name, ast.Attribute, ast.Call)) and not made
        return method(value, "items") if pairs and kind == MAP and plain else value

    def _do_while_statement(self, node: Node) -> list[ast.stmt]:
        """`while ((m = pattern.exec(text)))` goes through all that a pattern finds."""
        for each in below(part(node, "condition"), "assignment_expression"):
            left, _, right = sides(each)
            if is_a(right, "call_expression") and _way(right) == "exec":
                pattern = self.value(part(field(right, "function"), "object"))
                found = called("re.finditer", pattern, *self.arguments_of(field(right, "arguments")))
                return [going(self.value(left), found, self.body(field(node, "body")))]
        return super()._do_while_statement(node)

    _do_import_statement = Scripted._do_empty_statement

    # Input.

    def all(self) -> ast.expr:
        """All of the input."""
        return constant(None) if self.readers else called("sys.stdin.read")

    def inputs(self, given: Node, body: Node | None) -> list[ast.stmt]:
        """What is done with a piece of the input, where that is all of it: `text += piece`, `pieces.push(piece)`."""
        made = list[ast.stmt]()
        for each in inner(body) if is_a(body, "statement_block") else [body] if body else []:
            found = [into for into, _ in _gatherings(each) if _last(into) in self.gathering]
            made += [assigned(self.value(into), self.value(given)) for into in found] or self.statement(each)
        return made

    def gathered(self, line: Node, value: Node | None, node: Node) -> list[ast.stmt] | None:
        """`for (line of input) lines.push(line)`."""
        push = next(iter(below(field(node, "body") or node, "call_expression")), None)
        into = part(part(push, "function"), "object")
        if value is None or not is_a(into, "identifier"):
            return None
        with self.within() as hoisted:
            one = self.value(value)
        if any(hoisted):
            return None
        lines: ast.expr = called("sys.stdin.readlines")
        if value.type != "identifier":
            lines = self.say("[f for x in o]", f=one, x=self.value(line), o=lines)
        self.kinds[text_of(into)] = Kind("list", (self.type_of(value),))
        return self.unpacked(into, lines, self.kinds[text_of(into)], new=False)

    def event(self, arguments: list[Node]) -> ast.expr | None:
        """`input.on('line', …)`."""
        which = unquoted(text_of(arguments[0])) if arguments else ""
        if which in _EVENTS and len(arguments) > 1:
            made = self.handled(which, arguments[1])
            for each in made:
                each.lineno = getattr(each, "lineno", arguments[1].start_point[0] + 1)
            self.later.append((_EVENTS.index(which), made))
        return constant(None) if which else None

    def handled(self, which: str, handler: Node) -> list[ast.stmt]:
        if handler.type not in FUNCTIONS:
            return self.asked_with(self.value(handler), which, which in ("line", "data"))
        body, names = field(handler, "body"), parameters_of(handler)
        with self.within():
            if which == "data" and names:
                return [assigned(self.pattern(names[0], _INPUT), self.all()), *self.inputs(names[0], body)]
            if which == "line" and names:
                target = self.pattern(names[0], TEXT)
                if (made := self.gathered(names[0], _gathers(body), handler)) is not None:
                    return made
                if (found := continued(self.block(body))) is not None:
                    return first_apart(going(target, path("sys", "stdin"), found))
            elif not returns(handler):
                return self.block(body)
            function = self.function(self.fresh(), handler)
            return [function, *self.asked_with(name(function.name), which, which == "line" and bool(names))]

    def asked_with(self, function: ast.expr, which: str, given: bool) -> list[ast.stmt]:
        """A function is called that is told of an event."""
        if which != "line":
            return [ast.Expr(called(function, *([self.all()] if given else [])))]
        return [going(begun("__line"), path("sys", "stdin"), [ast.Expr(called(function, name("__line")))])]

    # Functions that are given to others.

    def given_to(self, node: Node, one: ast.expr) -> ast.expr:
        found = self.free(text_of(node), [one]) if text_of(node) not in self.ways else None
        return found or called(self.value(node), one)

    def _of_class(self, node: Node) -> ast.expr:
        made = self._do_class_declaration(node, self.fresh())
        self.before += made
        return name(made[0].name)  # type: ignore[attr-defined]

    def loop(self, owner: Node, function: Node) -> list[ast.stmt]:
        """`forEach`."""
        kind, over, plain = self.type_of(owner), self.value(owner), bare(function)
        if plain.type not in FUNCTIONS:
            return [going(*self.through(one := self.callback(plain), over), [ast.Expr(one.value)])]
        names = parameters_of(plain)[:2]
        with self.within() as (_, first):
            targets = [self.pattern(each, of) for each, of in zip(names, (kind.one, NUMBER), strict=False)]
            inside = continued(self.block(field(plain, "body")))
        if inside is None:
            found = self.callback(plain)
            targets, first, inside = found.targets, [], [ast.Expr(found.value)]
        target, over_all = self.through(Callback(targets, constant(None)), over)
        pairs = kind == MAP and len(targets) > 1  # a value and its key
        return [going(target, method(over, "items") if pairs else over_all, [*first, *inside])]

    def _gathered(self, function: Node, over: ast.expr, start: Node | None, kind: Kind) -> ast.expr | None:
        """`reduce` of a function that does more than give something, which it gives at its end; None of others."""
        body, names = part(function, "body"), parameters_of(function)[:2]
        if not is_a(body, "statement_block") or len(names) < 2 or start is None:
            return None
        with self.within() as (_, first):
            kinds = self.type_of(start), kind.one
            gathers, one = [self.pattern(each, of) for each, of in zip(names, kinds, strict=True)]
            steps = self.block(body)
        given = [each for step in steps for each in ast.walk(step) if isinstance(each, ast.Return)]
        if len(given) != 1 or steps[-1] is not given[0] or given[0].value is None or not isinstance(gathers, ast.Name):
            return None
        step = assigned(gathers, given[0].value)
        self.before += [assigned(gathers, self.value(start)), going(one, over, [*first, *steps[:-1], step])]
        return name(gathers.id)

    # Effects.

    def _effect_call_expression(self, node: Node) -> list[ast.stmt]:
        plain, arguments = bare(field(node, "function")), inner(field(node, "arguments"))
        if is_a(plain, *FUNCTIONS):  # `(async () => { … })()`
            body = field(plain, "body")
            if not self.own and not returns(plain) and is_a(body, "statement_block") and not arguments:
                return self.statements(body.named_children)
            made = self.function(self.fresh(), plain)
            return [made, ast.Expr(called(made.name, *map(self.value, arguments)))]
        owner = part(plain, "object")
        if owner is not None and (done := self.done(_way(node), owner, arguments)) is not None:
            return done
        if text_of(plain) == "Object.assign" and len(arguments) == 2 and arguments[1].type == "object":
            target, kind, several = self.value(arguments[0]), self.type_of(arguments[0]), list[ast.stmt]()
            for each in inner(arguments[1]):
                if each.type in ("pair", "shorthand_property_identifier"):
                    key = _plain(field(each, "key") or each)
                    value = self.value(field(each, "value")) if each.type == "pair" else self.named(key)
                    several.append(assigned(self.property(target, key, kind), value))
            return several
        value = self.value(node)
        counts = getattr(getattr(value, "func", None), "id", "") == "len"
        return [] if counts or isinstance(value, (ast.Constant, ast.Name, ast.Attribute)) else [ast.Expr(value)]

    def done(self, named: str, owner: Node, given: list[Node]) -> list[ast.stmt] | None:
        """What a method does whose value nobody asks for; None of others."""
        kind = self.type_of(owner)
        if named in ("then", "catch", "finally") and kind.name not in _OWN:
            made = self.effect(owner)
            if named == "then" and given and given[0].type in FUNCTIONS:
                found = [constant(None)] if parameters_of(given[0]) else []
                made.append(ast.Expr(called(self.value(given[0]), *found)))
            return made
        if named in self.ways and kind.name not in _OWN:
            return None
        if named == "splice" and given:
            value, first = self.value(owner), self.value(given[0])
            several = [ast.Expr(method(value, "insert", first, self.value(each))) for each in given[2:]]
            return [*several] or [ast.Expr(method(value, "pop", first))]
        if named == "fill" and kind.name == "list" and given:
            return [assigned(self.value(owner), listed(length(self.value(owner)), self.value(given[0]), several=False))]
        return None

    def _effect_ternary_expression(self, node: Node) -> list[ast.stmt]:
        test = self.test(field(node, "condition"))
        body, other = self.statement(part(node, "consequence")), self.statement(part(node, "alternative"))
        return [ast.If(test, body or [ast.Pass()], other)]

    def _effect_unary_expression(self, node: Node) -> list[ast.stmt]:
        target = part(node, "argument")
        if node.children[0].type != "delete":
            return self.effect(target)
        value = self.value(target)
        return [ast.Delete([value])] if isinstance(value, (ast.Subscript, ast.Attribute)) else []

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        if operator == "=" and (left.type in _PATTERNS or left.type == "identifier"):
            return self.unpacked(left, _swapped(left, value), new=False)
        if left.type == "member_expression":
            if _plain(field(left, "property")) == "length":
                return [ast.Expr(method(self.value(field(left, "object")), "clear"))]
            if ".prototype." in f"{text_of(left)}.":
                return []
        numeric = self.type_of(part(left.parent, "right")) == NUMBER
        if operator == "+=" and numeric and self.type_of(left) == TEXT:
            value = called("str", value)
        return super().assign(left, operator, value)

    def _effect_assignment_expression(self, node: Node) -> list[ast.stmt]:
        left, _, right = sides(node)
        if is_a(right, *FUNCTIONS) and left.type == "identifier":
            return [self.function(self.spelling(text_of(left)), right)]
        if (made := self.lacking(node)) is not None:
            return [ast.Expr(made)]
        if left.type == "member_expression" and text_of(left).startswith(("module.exports", "exports.")):
            return []
        return super()._effect_assignment_expression(node)

    _effect_augmented_assignment_expression = _effect_assignment_expression

    def lacking(self, node: Node) -> ast.expr | None:
        """`m[k] ||= []`, `m[k] = m[k] || []`."""
        left, operator, right = sides(node)
        one, either, other = sides(bare(right))
        if operator == "=" and either in ("||", "??") and text_of(one) == text_of(left):
            right = other
        elif operator not in ("||=", "??="):
            return None
        target, value = self.value(left), self.value(right)
        makes = isinstance(value, (ast.List, ast.Dict, ast.Call, ast.Set)) and isinstance(target, ast.Subscript)
        return method(target.value, "setdefault", target.slice, value) if makes else None  # type: ignore[attr-defined]

    # Expressions.

    def _of_assignment_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if (made := self.lacking(node)) is not None:
            return made
        again = left.type == "identifier" and re.search(rf"\b{re.escape(text_of(left))}\b", text_of(right))
        if again or operator != "=" or left.type in _PATTERNS:
            self.before += self._effect_assignment_expression(node)
            return self.value(left) if left.type not in _PATTERNS else constant(None)
        return super()._of_assignment_expression(node)

    _of_augmented_assignment_expression = _of_assignment_expression

    def test(self, node: Node | None) -> ast.expr:
        """Whether there is something that was looked for is asked as such."""
        node = bare(node)
        if is_a(node, "identifier") and self.kind(text_of(node)) == _MAYBE:
            return self.say("o is not None", o=self.value(node))
        if is_a(node, "binary_expression") and sides(node)[1] in ("&&", "||"):
            left, operator, right = sides(node)
            return self.operation(self.test(left), operator, self.test(right))
        return self.value(node)

    def asked(self, condition: Node) -> ast.expr:
        """Of loops, `queue.length` and `queue.length > 0` ask whether there is anything."""
        node = bare(condition)
        if is_a(node, "binary_expression"):
            left, operator, right = sides(node)
            if operator == "&&":
                return self.operation(self.asked(left), operator, self.asked(right))
            if operator in (">", "!==", "!=") and text_of(right) == "0" and _is_size(left):
                node = left
        if not _is_size(node):
            return self.test(condition)
        owner, size = self.value(field(node, "object")), self.value(node)
        return owner if isinstance(size, ast.Call) and isinstance(owner, (ast.Name, ast.Attribute)) else size

    def _of_unary_expression(self, node: Node) -> ast.expr:
        operator, argument = text_of(field(node, "operator")), part(node, "argument")
        if operator == "!":
            plain = bare(argument)
            if is_a(plain, "identifier") and self.kind(text_of(plain)) == _MAYBE:
                return self.say("o is None", o=self.value(plain))
            return negated(self.test(argument))
        if operator == "delete":
            self.before += self._effect_unary_expression(node)
            return constant(True)
        value = self.value(argument)
        if operator == "~" and text_of(argument).startswith("~"):
            return whole_of(self.value(field(argument, "argument")))
        if operator == "+" and self.type_of(argument) != NUMBER:
            return called("int", value)
        said = {"typeof": called("type", value), "void": constant(None)}
        return said.get(operator) or self.turned(operator, value)

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if operator == "+" and self.type_of(node) == TEXT:
            return joined([*pieces(self.value(left)), *pieces(self.value(right))])
        if text_of(left) in self.queues and operator in ("<", "!=="):
            return self.value(field(right, "object"))
        value = self.value(left)
        if operator in ("||", "??"):
            return self.or_else(left, operator, value, self.value(right))
        if operator in ("|", ">>>") and text_of(right) == "0":
            if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.LShift, ast.Add, ast.BitXor)):
                wraps = any(isinstance(one, (ast.Mult, ast.LShift)) for one in ast.walk(value))
                return binary(value, ast.BitAnd, constant(_WORD)) if wraps else value
            return quotient(value) or value
        other = self.value(right)
        if operator == "in":
            return compared(value, ast.In, other)
        return self.compared_or(value, operator, other)

    def or_else(self, left: Node, operator: str, one: ast.expr, other: ast.expr) -> ast.expr:
        """`m[k] || 0`."""
        if isinstance(one, ast.Constant):
            return one if one.value else other
        owner = part(bare(left), "object") if is_a(bare(left), "subscript_expression") else None
        one = got(one) if self.type_of(owner).name in ("record", "map") else one
        simple = isinstance(other, ast.Constant) and other.value is not None
        if simple and isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "get":
            one.args += [other] if len(one.args) == 1 else []
            return one
        return self.operation(one, operator, other)

    def _of_regex(self, node: Node) -> ast.expr:
        return constant(re.sub(r"\(\?<(?![=!])", "(?P<", text_of(field(node, "pattern"))))

    def _of_array(self, node: Node) -> ast.expr:
        parts = inner(node)
        if len(parts) == 1 and parts[0].type == "spread_element":  # `[...x]`
            over = self.through_all(inner(parts[0])[0])
            made = isinstance(over, ast.Call) and getattr(over.func, "id", "") == "list"
            return over if made else called("list", over)
        return listing(map(self.value, parts))

    _of_array_pattern = _of_array

    def _of_object(self, node: Node) -> ast.expr:
        names, keys, values = list[str](), list[ast.expr | None](), list[ast.expr]()
        for each in inner(node):
            if each.type == "spread_element":
                keys.append(None)
                values.append(self.value(inner(each)[0]))
                continue
            key = field(each, "key", "name")
            names.append(_plain(key or each))
            if each.type == "method_definition":
                function = self.function(self.fresh(), each)
                self.before.append(function)
                values.append(name(function.name))
            else:
                values.append(self.value(field(each, "value")) if each.type == "pair" else self.named(names[-1]))
            reckoned = is_a(key, "computed_property_name")
            keys.append(self.value(inner(key)[0]) if reckoned else constant(names[-1]))
        if not self._is_thing(node):
            return ast.Dict(keys, values)
        return called(self.shapes.setdefault(tuple(names), f"Thing{len(self.shapes) + 1}"), *values)

    def property(self, owner: ast.expr, named: str, kind: Kind) -> ast.expr:
        """What stands behind a point."""
        own = isinstance(owner, ast.Name) and owner.id == "self"
        if kind.name == "record" or (named not in self.things and not own):
            return subscript(owner, constant(named))
        return ast.Attribute(owner, attribute(named), ast.Load())

    def _of_member_expression(self, node: Node) -> ast.expr:
        owner, named, text = part(node, "object"), _plain(field(node, "property")), text_of(node)
        if text in _NUMBERS or text.startswith("process.env"):
            return constant(_NUMBERS.get(text))
        if owner.type == "super":
            return ast.Attribute(called("super"), named, ast.Load())
        kind = self.type_of(owner)
        if named == "length" or (named == "size" and ("size" not in self.things or kind.name in ("map", "set"))):
            return length(self.value(owner))
        if named == "value" and is_a(bare(owner), "call_expression") and ".next" in text_of(owner):
            return self.value(owner)
        if owner.type == "identifier" and text_of(owner)[:1].isupper() and kind is NOTHING:
            return ast.Attribute(self.value(owner), attribute(named), ast.Load())
        made = self.property(self.value(owner), named, kind)
        return made if _is_target(node) else got(made)  # which takes no longer than a field does

    def _of_subscript_expression(self, node: Node) -> ast.expr:
        owner, key = field(node, "object"), part(node, "index")
        if text_of(owner) == "process.argv":
            return constant(None)
        at = text_of(field(key, "argument")) if key.type == "update_expression" else ""
        if at in self.cursors:
            return called("next", name(f"__of_{self.cursors[at]}"))
        if at in self.queues:
            return method(self.value(owner), "popleft")
        if key.type == "number" and text_of(owner) in self.rows and not around(node, _ROUND):  # the first line, apart
            lines, row = self.rows[text_of(owner)]
            return _replaced(row, subscript(name(lines), self.value(key)))
        return subscript(self.value(owner), self.value(key))

    def _of_new_expression(self, node: Node) -> ast.expr:
        named, arguments = text_of(field(node, "constructor")), inner(field(node, "arguments"))
        first = arguments[0] if arguments else None
        if named in ("Map", "WeakMap") and first is not None and text_of(first) != "null":
            pairs = [inner(each) for each in inner(first)] if first.type == "array" else []
            if pairs and all(len(each) == 2 for each in pairs):
                return ast.Dict([self.value(each[0]) for each in pairs], [self.value(each[1]) for each in pairs])
            return called("dict", self.through_all(first))
        if named in _SIZES:
            return self.numbers(named, first)
        if named == "Array":
            return self.array(arguments)
        if named in _NEW or named.endswith(("Error", "Emitter")):
            return self.told(_NEW, named, [*map(self.value, arguments)]) or constant(None)
        return called(self.value(field(node, "constructor")), *map(self.value, arguments))

    def numbers(self, named: str, first: Node | None, begins: ast.expr | None = None) -> ast.expr:
        """An array of numbers, of so many or of what another one has."""
        size, value = constant(_SIZES[named]), self.value(first) if first is not None else constant(0)
        if self.type_of(first).name in ("list", "typed", "set", "map", "input"):
            return self.say("_tongue.filled(len(o), o[0], s)", o=self.simple(value), s=size)
        if _SIZES[named] == 1 and begins is None:
            return called("bytearray", value)
        return called("_tongue.filled", value, begins or constant(0.0 if named.startswith("Float") else 0), size)

    def array(self, arguments: Sequence[Node], begins: ast.expr | None = None) -> ast.expr:
        """`Array(n)`."""
        if len(arguments) != 1:
            return listing(map(self.value, arguments))
        count = self.value(arguments[0])
        if isinstance(begins, ast.Constant) and isinstance(begins.value, (int, float)):
            return called("_tongue.filled", count, begins, constant(8))
        return listed(count, begins or constant(None), several=False)

    def _of_call_expression(self, node: Node) -> ast.expr:
        function, arguments = part(node, "function"), inner(field(node, "arguments"))
        text = text_of(function).replace("?.", ".")
        if function.type == "member_expression":
            return self.method_of(node, function, text, arguments)
        if function.type == "identifier" and (made := self.library(text, arguments)) is not None:
            return made
        own = ast.Attribute(called("super"), "__init__", ast.Load()) if function.type == "super" else None
        return called(own or self.value(function), *map(self.value, arguments))

    def method_of(self, node: Node, call: Node, text: str, arguments: list[Node]) -> ast.expr:
        owner, named = part(call, "object"), _way(node)
        if named == "readFileSync" or text.endswith("stdin.read"):
            texts = self._as_text(node) or self._said_later(node)
            return self.all() if self.readers or texts else called("sys.stdin.buffer.read")
        listens = named in ("on", "once", "addListener") and "on" not in self.ways
        made = (self.event(arguments) if listens else None) or self.library(text, arguments)
        if made is not None:
            return made
        kind = self.type_of(owner)
        asking = named in (*_ASKING, "forEach", "reduce", "sort") and is_a([*arguments, None][0], *FUNCTIONS)
        if named in self.ways and kind.name not in _OWN and (owner.type == "this" or not asking):
            inside = self.value(owner) if owner.type != "super" else called("super")
            return method(inside, attribute(named), *map(self.value, arguments))
        if (found := self.way(named, owner, arguments, kind)) is not None:
            return found
        sort = "literal" if owner.type == "array" else kind.name
        if arguments and arguments[0].type == "regex":
            sort = "all" if "g" in text_of(field(arguments[0], "flags")) and named == "match" else "regex"
        value, values = self.value(owner), [*map(self.value, arguments)]
        sort = "call" if named == "next" and isinstance(value, ast.Call) and kind != _STDIN else sort
        if (made := self.told(_WAYS, named, values, o=value, kind=sort)) is not None:
            return made
        if named in ("call", "apply", "bind"):
            return called(value, *values[1:]) if named != "bind" else value
        if named in self.things and named not in self.ways:  # a function that is kept
            return called(self.value(call), *values)
        return method(value, attribute(named), *values)

    # Functions of the language's own.

    def library(self, named: str, given: list[Node]) -> ast.expr | None:
        """What a function of the language's own gives; None of others."""
        of, _, what = named.rpartition(".")
        if _SAYS_NOTHING.fullmatch(named):
            return constant(None)
        if named == "Array.from" and given:
            return self.listed_from(given)
        if named == "Array" and given:
            return self.array(given)
        if what in ("from", "of", "alloc", "allocUnsafe") and of in _SIZES:
            if what == "from" and given and (len(given) > 1 or _long(given[0])):
                return self.listed_from(given)
            return self.numbers(of, given[0] if given else None)
        if named == "JSON.parse" and text_of(part(bare(given[0]), "function")) == "JSON.stringify":
            return called("copy.deepcopy", *self.arguments_of(part(bare(given[0]), "arguments"))[:1])
        if named in ("Math.max", "Math.min") and len(given) == 1 and given[0].type == "spread_element":
            return called(what, self.value(inner(given[0])[0]))
        known = named in _LIBRARY or of == "Math"
        return self.free(named, [*map(self.value, given)]) if known else None

    def free(self, named: str, values: list[ast.expr]) -> ast.expr | None:
        """The same of functions that are given no others."""
        if named in ("Math.floor", "Math.trunc", "Math.ceil", "Math.round") and values:
            return whole_of(values[0])
        if named.startswith("String.from") and len(values) > 1:
            return joined([called("chr", each) for each in values])
        numeric = bool(values) and isinstance(values[0], ast.Name) and self.kind(values[0].id) == NUMBER
        if numeric and re.search("is(NaN|.*Integer|Finite)", named):
            return constant(not named.endswith("isNaN"))
        return self.told(_LIBRARY, named, values)

    def listed_from(self, given: list[Node]) -> ast.expr:
        """`Array.from`."""
        of, function = given[0], given[1] if len(given) > 1 else None
        lengths = _long(of)
        if not lengths:
            over = self.through_all(of)
            if function is None:
                return called("list", over)
            return self.each_of_all("[f for x in o]", over, self.callback(function, self.type_of(of).one))
        count = self.value(field(lengths[0], "value")) if field(lengths[0], "value") else name("length")
        if function is None:
            return listed(count, constant(None), several=False)
        found = self.callback(function)
        return self.each_of_all("[f for x in o]", called("range", count), Callback(found.targets[1:2], found.value))

    def way(self, named: str, owner: Any, given: list[Node], kind: Kind) -> ast.expr | None:
        """What a method of the language's own gives that is more than a template; None of others."""
        if named in _ASKING and given:
            over, function = self.value(owner), self.callback(given[0], kind.one, NUMBER)
            return self.each_of_all(_ASKING[named], over, function)
        if named == "reduce":
            over, start = self.value(owner), given[1] if len(given) > 1 else None
            if (made := self._gathered(bare(given[0]), over, start, kind)) is not None:
                return made
            function = self.callback(given[0], self.type_of(start), kind.one)
            return self.folded(over, function, self.value(start) if start is not None else constant(0))
        if named == "forEach":
            self.before += self.loop(owner, given[0])
            return constant(None)
        if named in ("sort", "toSorted", "reverse"):
            value = self.value(owner)
            value = self.simple(called("list", value) if named == "toSorted" else value)
            compares = self.callback(given[0], kind.one, kind.one) if given else None
            turned = [ast.Expr(method(value, "reverse"))] if named == "reverse" else None
            self.before += turned or self.ordered(value, compares)
            return value
        if named == "push":
            value = self.value(owner)
            for one in map(self.value, given):
                several = isinstance(one, ast.Starred)
                self.does(method(value, "extend", one.value) if several else appended(value, one))  # type: ignore[attr-defined]
            return length(value)
        if named == "shift":
            value, taken = self.value(owner), sorted(self.taken.get(text_of(owner), [-1]))
            if -1 in taken:
                return method(value, "pop", constant(0))
            self.after.append(ast.Expr(method(value, "pop", constant(0))))
            return subscript(value, constant(sum(place < owner.start_byte for place in taken)))
        if named == "set" and kind.name != "typed" and len(given) == 2:
            value = self.value(owner)
            self.before.append(assigned(subscript(value, self.value(given[0])), self.value(given[1])))
            return value
        if named == "splice":
            value = self.value(owner)
            self.after.append(ast.Delete([stored(subscript(value, constant(0)))]))
            return self.told(_WAYS, "substr", [*map(self.value, given[:2])], o=value)
        if named in ("toFixed", "toPrecision", "toExponential"):
            digits = text_of(given[0]) if given and text_of(given[0]).isdecimal() else "2" if given else "0"
            return self.say(f"f'{{o:.{digits}f}}'", o=self.value(owner))
        if named == "concat":
            value = self.value(owner)
            for other in map(self.value, given):
                value = joined([value, other]) if kind == TEXT else binary(value, ast.Add, other)
            return value
        return (
            self.filled(owner, given)
            if named == "fill"
            else self.parted_at(owner, given[:1])
            if named == "split"
            else None
        )

    def filled(self, owner: Node, given: list[Node]) -> ast.expr:
        plain, begins = bare(owner), self.value(given[0]) if given else constant(None)
        named, arguments = text_of(part(plain, "constructor", "function")), inner(part(plain, "arguments"))
        if named == "Array" and len(arguments) == 1:
            return self.array(arguments, begins)
        if named in _SIZES and arguments:
            return self.numbers(named, arguments[0], begins)
        return self.say("_tongue.fill(o, len(o))", o=self.simple(self.value(owner)))

    def parted_at(self, owner: Node, marks: list[Node]) -> ast.expr:
        """`split`."""
        value = self.value(owner)
        if marks and marks[0].type == "regex":
            pattern = text_of(field(marks[0], "pattern"))
            plain = re.sub(r"\\r\??|\\s[*+]|[*+?^$()]", "", pattern)
            mark = unquoted(f'"{plain}"')
            mark = mark[1] if mark.startswith("[") and len(mark) > 2 else mark.replace("\\", "")
            blank = not mark.strip(" ") or ("\\s" in pattern and plain in ("", "\\s"))
            return method(value, "split", *([] if blank else [constant(mark[:1])]))
        if not marks:
            return listing([value])
        empty = len(unquoted(text_of(marks[0]))) == 0
        return called("list", value) if empty else method(value, "split", self.value(marks[0]))


def _long(of: Node) -> list[Node]:
    """What says how long an object is: `{ length: n }`."""
    said = [each for each in inner(of) if "length" in (text_of(each), text_of(field(each, "key")))]
    return said if of.type == "object" else []


def _swapped(target: Node, value: ast.expr) -> ast.expr:
    """`[a, b] = [b, a]`."""
    return tupled(value.elts) if isinstance(value, ast.List) and target.type == "array_pattern" else value


def _replaced(row: ast.ListComp, by: ast.expr) -> ast.expr:
    """What a comprehension gives for this one."""
    target = row.generators[0].target

    class Replacing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return by if isinstance(target, ast.Name) and node.id == target.id else node

    made: ast.expr = Replacing().visit(copy.deepcopy(row.elt))
    return made


def _way(call: Node) -> str:
    """The name of the method that is called."""
    return _plain(part(field(call, "function"), "property"))


def _gatherings(node: Node) -> Iterator[tuple[Node, Node]]:
    """`text += piece`, `pieces.push(piece)`: into what, and what."""
    for each in below(node, "augmented_assignment_expression", "call_expression"):
        if each.type != "call_expression":
            yield part(each, "left"), part(each, "right")
        elif (one := _gathers(each)) is not None:
            yield part(field(each, "function"), "object"), one


def _gathers(node: Node | None) -> Node | None:
    """What is put into a list, where that is all that happens."""
    while is_a(node, "statement_block", "expression_statement") and len(inner(node)) == 1:
        node = inner(node)[0]
    pushes = is_a(node, "call_expression") and _way(node) == "push"
    arguments = inner(part(node, "arguments"))
    return bare(arguments[0]) if pushes and len(arguments) == 1 else None


def _plain(node: Node | None) -> str:
    """A property's name; another one where it is private."""
    text = text_of(node)
    if text.startswith("["):
        return text.strip("[]")
    if is_a(node, "object_assignment_pattern"):
        return text_of(field(node, "left"))
    return f"_{text[1:]}" if text.startswith("#") else unquoted(text)


def _last(node: Node | None) -> str:
    """The name of what a value is kept in."""
    return _plain(field(node, "property") if is_a(node, "member_expression") else node)


def _is_size(node: Node | None) -> bool:
    return is_a(node, "member_expression") and _plain(field(node, "property")) in ("length", "size")


def _is_target(node: Node) -> bool:
    """Whether it is given a value."""
    parent = node.parent
    changes = ("assignment_expression", "augmented_assignment_expression", "update_expression")
    if is_a(parent, *changes) and field(parent, "left", "argument") == node:
        return True
    within = is_a(parent, "array_pattern", "pair_pattern", "rest_pattern", "for_in_statement")
    return within or text_of(parent).startswith("delete")


def _at_once(function: Node) -> bool:
    """Whether a function is called where it stands, or when the input is there, and never again."""
    parent = function.parent
    while is_a(parent, "parenthesized_expression"):
        parent = parent.parent
    if parent is None or around(function, FUNCTIONS) is not None:
        return False
    call = parent.parent if parent.type == "arguments" else None
    return parent.type == "call_expression" or re.search(r"\.(on|once)$", text_of(part(call, "function"))) is not None
