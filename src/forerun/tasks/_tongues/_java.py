"""Java."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import copy

from tree_sitter import Node

from forerun.tasks._tongues._braced import field, joined, length, listed, printed
from forerun.tasks._tongues._declared import Declared, below, child, from_table, let, lettered, list_of, sides
from forerun.tasks._tongues._kinds import NOTHING, Kind
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
from forerun.tasks._tongues._typed import children, for_each, name_of, needed, said, spread, tuple_of

_SORTS = spread({
    "Map HashMap TreeMap LinkedHashMap EnumMap ConcurrentHashMap Hashtable SortedMap NavigableMap": "Map",
    "Set HashSet TreeSet LinkedHashSet EnumSet SortedSet NavigableSet BitSet": "Set",
    "List ArrayList Vector Stack Collection Iterable": "List", "Deque ArrayDeque Queue LinkedList": "Queue",
    "StringBuilder StringBuffer": "StringBuilder", "String CharSequence": "String",
    "Scanner BufferedReader StreamTokenizer InputStreamReader DataInputStream InputStream": "Reader",
    "PrintWriter BufferedWriter PrintStream BufferedOutputStream": "Writer",
    "Random SplittableRandom ThreadLocalRandom SecureRandom": "Random",
    "Integer Long Double Short Byte Float Character Boolean": "Boxed", "Math StrictMath": "Math",
})  # fmt: skip
"""What classes are like."""
_MATHS = frozenset(
    "sqrt sin cos tan asin acos atan atan2 exp log log10 pow hypot floor ceil cbrt sinh cosh tanh toRadians".split()
)
_APPLIED = frozenset("apply applyAsInt applyAsLong applyAsDouble test accept get call run compare getAsInt".split())
_SAME = frozenset(
    "stream parallelStream boxed distinct unordered parallel sequential iterator chars intValue longValue doubleValue"
    " toString trim orElse get asLongStream asDoubleStream toArray toList skip asList unmodifiableList copyOf"
    " orElseThrow getAsInt getAsDouble getAsLong intern strip descendingIterator listIterator descendingMap"
    " descendingSet descendingKeySet elements join run close start shutdown useDelimiter".split()
)
_ENDING = frozenset(
    "sum count max min average reduce anyMatch allMatch noneMatch findFirst findAny summaryStatistics".split()
)
_ANY = ("anyMatch", "allMatch", "noneMatch")
_MAPPING = frozenset(
    "put containsKey getOrDefault merge computeIfAbsent entrySet keySet putIfAbsent computeIfPresent compute".split()
)
_READ = spread({
    "nextInt nextLong nextShort nextByte": "int(_tongue.word())", "nextDouble nextFloat": "float(_tongue.word())",
    "next nextToken nextBigInteger": "_tongue.word()", "nextLine readLine": "sys.stdin.readline()",
    "read": "_tongue.letter()", "lines": "sys.stdin.readlines()", "readAllBytes": "sys.stdin.read()",
    "hasNext hasNextInt hasNextLong hasNextDouble hasNextLine ready": "True",
})  # fmt: skip
_DRAWN = spread({
    "nextInt/0 nextLong/0": "random.randrange(0, 2147483648)", "nextInt/1 nextLong/1": "random.randrange(0, A)",
    "nextInt nextLong": "random.randrange(A, B)", "nextGaussian": "random.gauss(0, 1)",
    "nextBoolean": "random.randrange(0, 2)", "nextDouble nextFloat": "random.random()",
})  # fmt: skip
_FUNCTIONS = spread({
    "Math.max": "max(A, B)", "Math.min": "min(A, B)", "Math.abs": "abs(A)", "Math.random": "random.random()",
    "Math.floorMod": "A % B", "Math.floorDiv": "A // B", "Math.addExact": "A + B", "Math.multiplyExact": "A * B",
    "Math.subtractExact": "A - B", "Math.round Math.rint": "math.floor(A)", "Math.cbrt Math.toRadians": "math.sqrt(A)",
    "Boxed.compare": "A < B", "Boxed.max Boxed.min Boxed.sum": "A + B",
    "System.arraycopy": "_tongue.copy(A, E)", "System.nanoTime System.currentTimeMillis": "time.monotonic()",
    "Arrays.fill": "_tongue.fill(A, len(A))", "Arrays.copyOf Arrays.copyOfRange Arrays.asList/1": "list(A)",
    "Arrays.stream": "A", "String.join": "A.join(B)", "Arrays.binarySearch": "bisect.bisect(A, B)",
    "Arrays.equals": "_tongue.copy(A, len(A)) == B", "Map.of/0": "dict()", "Set.of/0": "set()",
    "Arrays.hashCode": "sum(A)",
})  # fmt: skip
"""Functions that belong to classes, as Python says them."""
_COLLECTIONS = spread({
    "range": "range(A, B)", "rangeClosed": "range(A, B + 1)", "reverse": "A.reverse()", "shuffle": "random.shuffle(A)",
    "max": "max(A)", "min": "min(A)", "nCopies": "[B] * A", "emptyList empty": "[]", "equals": "A == B",
    "iterate/2": "map(B, range(10))", "iterate": "map(C, range(10))",
})  # fmt: skip
_METHODS = spread({
    "size length": "len(A)", "isEmpty": "not A", "nextToken": "next(A)", "hasMoreTokens countTokens": "True",
    "PriorityQueue.add PriorityQueue.offer": "heapq.heappush(A, B)", "PriorityQueue.peek": "A[0]",
    "PriorityQueue.poll PriorityQueue.remove PriorityQueue.element": "heapq.heappop(A)",
    "Set.add": "A.add(B)", "Queue.push Queue.addFirst Queue.offerFirst": "A.appendleft(B)",
    "add/3": "A.insert(B, C)", "add addLast offer offerLast push addFirst offerFirst addElement": "A.append(B)",
    "Set.remove Set.pollFirst Set.pollLast": "A.discard(B)", "Queue.pollLast Queue.removeLast": "A.pop()",
    "Queue.poll Queue.pollFirst Queue.removeFirst Queue.pop Queue.remove": "A.popleft()", "remove/2": "A.pop(B)",
    "poll pollFirst removeFirst pop remove pollLast removeLast": "A.pop()", "Set.first": "min(A)",
    "peek peekFirst getFirst first firstElement": "A[0]",
    "get/2 charAt elementAt codePointAt": "A[B]", "contains containsAll": "B in A",
    "Set.addAll Set.retainAll Set.removeAll": "A.update(B)", "addAll retainAll removeAll": "A.extend(B)",
    "getKey": "A[0]", "getValue": "A[1]", "sorted": "sorted(A)", "removeIf": "sum(map(B, A))", "filter": "filter(B, A)",
    "limit": "itertools.islice(A, B)",
    "map mapToInt mapToLong mapToDouble mapToObj peek/2 flatMap takeWhile dropWhile flatMapToInt": "map(B, A)",
    "equals equalsIgnoreCase": "A == B", "compareTo compareToIgnoreCase": "A < B", "substring/2": "A[B:]",
    "substring subList": "A[B:C]", "indexOf lastIndexOf": "A.index(B)", "toUpperCase": "A.upper()",
    "toLowerCase": "A.lower()",
    "String.indexOf String.lastIndexOf StringBuilder.indexOf StringBuilder.lastIndexOf": "A.find(B)",
    "startsWith": "A.startswith(B)", "endsWith": "A.endswith(B)", "trim strip": "A.strip()", "repeat": "A * B",
    "replace replaceAll": "A.replace(B, C)", "toCharArray clone": "list(A)", "getBytes": "A.encode()",
    "StringBuilder.reverse": "A", "StringBuilder.deleteCharAt StringBuilder.insert StringBuilder.delete": "None",
    "Map.get": "A.get(B)", "Map.getOrDefault": "A.get(B, C)", "Map.containsKey": "B in A", "Map.remove": "A.pop(B)",
    "Map.entrySet": "A.items()", "Map.values": "A.values()", "Map.keySet Map.navigableKeySet": "A.keys()",
    "Map.clear": "A.clear()", "Map.putAll": "A.update(B)",
    "Map.floorKey Map.ceilingKey Map.firstKey Map.lastKey Map.higherKey Map.lowerKey": "_tongue.key(A)",
    "Map.firstEntry Map.lastEntry Map.floorEntry Map.ceilingEntry Map.higherEntry Map.lowerEntry Map.pollFirstEntry"
    " Map.pollLastEntry": "(_tongue.key(A), A.get(B))",
})  # fmt: skip
"""Methods as Python says them, with the sort of thing ahead where only one has them so."""
_KINDS = spread({
    "size length indexOf parseInt hashCode nextInt ordinal compareTo": Kind("int"), "charAt": Kind("char"),
    "nextDouble parseDouble doubleValue": Kind("double"), "toCharArray": Kind("array", (Kind("char"),)),
    "substring toString trim toUpperCase toLowerCase readLine nextLine nextToken format repeat": Kind("String"),
    "split": Kind("array", (Kind("String"),)), "matcher": Kind("Matcher"), "group": Kind("String"),
})  # fmt: skip
"""What methods give."""
_ONE_OF = frozenset(
    "get getOrDefault poll peek pop remove first last getFirst getLast removeFirst removeLast pollFirst pollLast"
    " peekFirst peekLast next getValue".split()
)
"""Methods that give one of what there is."""
_LARGEST = {"Long": 2**63 - 1, "Double": 1e308, "Short": 2**15}
_CLASSES = ("class_declaration", "record_declaration", "enum_declaration")


class Java(Declared):
    """Programs of one file."""

    def __init__(self) -> None:
        super().__init__()
        self.static = set[str]()
        """Functions that belong to classes, not to things."""
        self.outer = list[ast.stmt]()
        """What is said of them."""
        self.starts = list[ast.stmt]()
        """What happens before the program begins."""
        self.own = dict[str, set[str]]()
        """Methods of each class."""
        self.records = dict[str, list[str]]()
        self.held_texts = False
        """Whether texts that become longer stand in lists and mappings, so that they are lists of their parts."""

    def program(self, root: Node) -> list[ast.stmt]:
        self.held_texts = any(mark in text_of(root) for mark in ("StringBuilder>", "StringBuilder[]"))
        for node in below(root, "method_declaration"):
            self.static |= {name_of(node)} if _is_static(node) else set()
            if not children(field(node, "parameters")):
                self.reads(name_of(node), text_of(field(node, "body")), "read")
            self.gives.setdefault(name_of(node), self.declared(field(node, "type")))
        for node in below(root, *_CLASSES, "interface_declaration"):
            self.fields.setdefault(name_of(node), {})
        for node in below(root, *_CLASSES):
            self._survey(node)
        made = [*self.statements(root.named_children), *self.outer, *self.starts]
        return [*made, *[ast.Expr(called("main"), lineno=root.end_point[0] or 1)] * ("main" in self.static)]

    def _survey(self, node: Node) -> None:
        """Fields and methods of a class, before anything is said."""
        own, methods = self.fields[name_of(node)], self.own.setdefault(name_of(node), set())
        if node.type == "record_declaration":
            pairs = self.parameters(node)
            self.records[name_of(node)] = [*pairs]
            own |= pairs
        for each in _members(node):
            static = _is_static(each)
            if each.type == "field_declaration":
                names = [name_of(one) for one in each.children_by_field_name("declarator")]
                self.globals |= {*names} if static else set()
                kind = self.declared(field(each, "type"))
                (self.scopes[0] if static else own).update(dict.fromkeys(names, kind))
            elif each.type == "method_declaration" and not static:
                methods.add(name_of(each))

    # Types.

    def declared(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        if node.type == "array_type":
            return _arrays_of(self.declared(field(node, "element")), text_of(field(node, "dimensions")).count("["))
        of = [self.declared(each) for each in children(child(node, "type_arguments"))]
        named = text_of(node.named_children[0] if node.type == "generic_type" else node).rpartition(".")[2]
        return Kind(named, tuple(of) if node.type == "generic_type" else ())

    def made(self, kind: Kind) -> ast.expr:
        """What a field has that is given nothing."""
        return constant(0.0 if kind.floating else 0 if kind.whole and _SORTS.get(kind.name) != "Boxed" else None)

    def constructed(self, kind: Kind, given: list[ast.expr], nodes: Sequence[Node]) -> ast.expr:
        """`new T(…)`."""
        named, sort = kind.name, _SORTS.get(kind.name, kind.name)
        of = self.type_of(nodes[0]) if given else NOTHING
        copied = given if given and not (of.whole or nodes[0].type == "decimal_integer_literal") else []
        if sort == "Map":
            return called("dict", *(copied if _SORTS.get(of.name) == "Map" else []))
        if sort == "Set" or (sort == "List" and copied):
            return called(sort.lower(), *copied)
        if sort == "Queue":
            return called("collections.deque", *copied)
        if sort in ("List", "PriorityQueue"):
            return list_of()
        if sort == "StringBuilder" and self.held_texts:
            return list_of(*copied)
        if sort in ("StringBuilder", "String", "StringJoiner"):
            return copied[0] if copied and sort != "StringJoiner" else constant("")
        if named == "StringTokenizer":
            return called("iter", method(given[0], "split", *given[1:2]))
        if named in self.fields:
            return called(spelt(named), *given)
        if named.startswith("Atomic") or sort == "Boxed":
            return given[0] if given else constant(0)
        if named == "Thread" and given:
            return self.done(ast.Expr(called(given[0])))
        return tuple_of(*given) if named.endswith("Entry") else constant(None)

    # Classes.

    def _do_class_declaration(self, node: Node) -> list[ast.stmt]:
        named = name_of(node)
        bases = [self.declared(each).name for each in children(field(node, "superclass"))[:1]]
        for base in bases:
            self.fields[named] = self.fields.get(base, {}) | self.fields[named]
        interfaces = [self.declared(one).name for each in children(field(node, "interfaces")) for one in children(each)]
        bases += [each for each in interfaces if each in self.fields]
        self.owner.append(named)
        self.methods.append(self.own.get(named, set()))
        inner, told, started = list[ast.stmt](), list[ast.stmt](), list[ast.stmt]()
        constructors = list[Node]()
        for each in _members(node):
            if each.type in ("constructor_declaration", "compact_constructor_declaration"):
                constructors.append(each)
            elif each.type == "field_declaration":
                (self.starts if _is_static(each) else started).extend(self._fields(each))
            elif each.type == "method_declaration":
                (self.outer if _is_static(each) else told).extend(self._method(each))
            elif each.type == "static_initializer":
                self.starts += self.statements(each.named_children)
            elif each.type == "block":
                started += self.statement(each)
            else:
                inner += self.statement(each)
        told.insert(0, self._started(named, started, constructors))
        self.owner.pop()
        self.methods.pop()
        return [*inner, ast.ClassDef(spelt(named), [name(spelt(each)) for each in bases], [], told, [])]

    _do_interface_declaration = _do_record_declaration = _do_class_declaration

    def _do_enum_declaration(self, node: Node) -> list[ast.stmt]:
        made, named = self._do_class_declaration(node), name_of(node)
        starts, values = list[ast.stmt](), list[ast.expr]()
        for place, each in enumerate(below(needed(node, "body"), "enum_constant")):
            arguments = field(each, "arguments")
            value: ast.expr = constant(place)
            if arguments is not None and self.fields.get(named):
                value = called(spelt(named), *self.arguments_of(arguments))
            self.scopes[0][name_of(each)] = Kind(named)
            values.append(name(name_of(each)))
            starts.append(assigned(name(name_of(each)), value))
        starts.append(assigned(name(f"{named}__values"), list_of(*values)))
        self.starts[:0] = [self.at(each, node) for each in starts]
        return made

    def _fields(self, node: Node) -> list[ast.stmt]:
        kind, static = self.declared(field(node, "type")), _is_static(node)
        made = list[ast.stmt]()
        for each in node.children_by_field_name("declarator"):
            member, value = name_of(each), field(each, "value")
            self.before = []
            found = self.filled(kind, value) if value is not None else self.made(kind)
            made += [*self.before, assigned(name(spelt(member)) if static else path("self", member), found)]
            self.before = []
        return [self.at(each, node) for each in made]

    def _started(self, named: str, started: list[ast.stmt], constructors: list[Node]) -> ast.stmt:
        """`__init__`: what fields begin with, and what the longest constructor does."""
        names = self.records.get(named, [])
        given: list[ast.stmt] = [assigned(path("self", each), name(spelt(each))) for each in names]
        if not constructors:
            return function_of("__init__", ["self", *map(spelt, names)], [*given, *started])
        longest = max(constructors, key=lambda each: len(text_of(field(each, "body"))))
        made = self.function("__init__", longest)
        if longest.type == "compact_constructor_declaration":
            made.args.args += [ast.arg(spelt(each)) for each in names]
            started = [*given, *started]
        made.body = [*started, *made.body]
        if len(constructors) > 1:
            made.args.defaults = [constant(0) for _ in made.args.args[1:]]
        return made

    def _method(self, node: Node) -> list[ast.stmt]:
        if field(node, "body") is None:
            return []
        owner, static = self.owner, _is_static(node)
        self.owner = [] if static else owner
        made = self.function(name_of(node), node, static)
        self.owner = owner
        return [made]

    def function(self, named: str, node: Node, static: bool = False) -> ast.FunctionDef:
        """One of a class's functions; a thing's method where it is not `static`."""
        with self.scope():
            self.scopes[-1].update(self.parameters(node))
            names = [*["self"] * (not static), *self.scopes[-1]]
            inside = self.inside(named, field(node, "body"))
        if named == "main" and static:
            inside, names = [*[let(each, list_of()) for each in names], *inside], []
        made = function_of(spelt(named) if static else named, [*map(spelt, names)], inside)
        made.lineno = node.start_point[0] + 1
        return made

    def parameters(self, node: Node) -> dict[str, Kind]:
        """What a function is given."""
        found = field(node, "parameters")
        if found is not None and found.type == "identifier":
            return {text_of(found): NOTHING}
        given = {each: each.named_children[-1] if each.type == "spread_parameter" else each for each in children(found)}
        return {name_of(one) or text_of(one): self.declared(field(each, "type")) for each, one in given.items()}

    # Statements.

    def _do_local_variable_declaration(self, node: Node) -> list[ast.stmt]:
        kind, made = self.declared(field(node, "type")), list[ast.stmt]()
        for each in node.children_by_field_name("declarator"):
            named, value = name_of(each), field(each, "value")
            own = self.type_of(value) if kind.name == "var" else kind
            if value is not None and value.type == "lambda_expression":
                names = dict.fromkeys(self.parameters(value), NOTHING)
                made.append(self.named_lambda(named, names, field(value, "body")))
            elif value is not None:
                made.append(let(named, self.filled(own, value)))
            self.declare(named, own)
        return made

    def filled(self, kind: Kind, value: Node) -> ast.expr:
        """What a name is given that is declared so."""
        if value.type == "array_initializer":
            inside, one = children(value), kind.one
            if len(inside) > 12 and one.scalar:
                size = constant(int(one.bytes))
                return called("_tongue.filled", constant(len(inside)), self.value(inside[0]), size)
            return list_of(*[self.filled(one, each) for each in inside])
        cut = kind.whole and self.type_of(value).floating and value.type != "cast_expression"
        return called("int", self.value(value)) if cut else self.value(value)

    def _do_enhanced_for_statement(self, node: Node) -> list[ast.stmt]:
        value, named, kind = field(node, "value"), name_of(node), self.declared(field(node, "type"))
        with self.scope():
            over = self.value(value)
            self.declare(named, self.type_of(value).one if kind.name == "var" else kind)
            return [for_each(name(spelt(named)), over, self.block(field(node, "body")))]

    def _do_switch_expression(self, node: Node) -> list[ast.stmt]:
        return self.switched(self.value(field(node, "condition")), self._labelled(field(node, "body")))

    _effect_switch_expression = _do_switch_statement = _do_switch_expression

    def _labelled(self, body: Node | None) -> Iterator[tuple[list[ast.expr], bool, list[ast.stmt]]]:
        for each in children(body):
            labels = [one for one in each.named_children if one.type == "switch_label"]
            values = [self.value(value) for one in labels for value in one.named_children]
            made = self.statements(one for one in each.named_children if one.type != "switch_label")
            ends: list[ast.stmt] = [ast.Break()] if each.type == "switch_rule" else []
            yield values, any(not one.named_children for one in labels), [*made, *ends]

    def _of_switch_expression(self, node: Node) -> ast.expr:
        """What the one case gives that holds."""
        target, subject = self.fresh(), self.value(field(node, "condition"))
        cases = list[tuple[list[ast.expr], list[ast.stmt]]]()
        for each in children(field(node, "body")):
            labels, made = list[ast.expr](), list[ast.stmt]()
            for one in children(each):
                if one.type == "switch_label":
                    labels += self.values(one.named_children)
                elif one.type == "expression_statement":
                    with self.aside():
                        value = self.value(one.named_children[0])
                        made += [*self.before, let(target, value)]
                else:
                    made += self.statement(one)
            cases.append((labels, [*made, ast.Break()]))
        self.before += self.cases(subject, cases)
        return name(target)

    def _do_yield_statement(self, node: Node) -> list[ast.stmt]:
        return [ast.Expr(self.value(node.named_children[0]))]

    def _do_try_with_resources_statement(self, node: Node) -> list[ast.stmt]:
        ahead = list[ast.stmt]()
        for each in children(field(node, "resources")):
            kind, value = self.declared(field(each, "type")), field(each, "value")
            kind = self.type_of(value) if kind.name == "var" else kind
            self.declare(name_of(each), kind)
            if value is not None and _SORTS.get(kind.name) not in ("Reader", "Writer"):
                ahead.append(let(name_of(each), self.filled(kind, value)))
        return [*ahead, *self._do_try_statement(node)]

    def _do_synchronized_statement(self, node: Node) -> list[ast.stmt]:
        return self.block(field(node, "body"))

    def _do_local_class_declaration(self, node: Node) -> list[ast.stmt]:
        return self.statements(node.named_children)

    def _do_assert_statement(self, node: Node) -> list[ast.stmt]:
        return []

    def _do_explicit_constructor_invocation(self, node: Node) -> list[ast.stmt]:
        if text_of(field(node, "constructor")) != "super":
            return []
        return [ast.Expr(method(called("super"), "__init__", *self.arguments_of(field(node, "arguments"))))]

    # Expressions.

    def type_of(self, node: Node | None) -> Kind:
        if node is None:
            return NOTHING
        if node.type in ("string_literal", "character_literal"):
            return Kind("String" if node.type == "string_literal" else "char")
        if node.type == "object_creation_expression":
            return self.declared(field(node, "type"))
        if node.type == "this":
            return Kind(self.owner[-1]) if self.owner else NOTHING
        if node.type == "array_creation_expression":
            count = sum(each.type in ("dimensions_expr", "dimensions") for each in node.named_children)
            return _arrays_of(self.declared(field(node, "type")), count)
        if node.type == "binary_expression":
            left, operator, right = sides(node)
            if operator == "+" and "String" in (self.type_of(left).name, self.type_of(right).name):
                return Kind("String")
        if node.type == "field_access" and text_of(field(node, "field")) == "length":
            return Kind("int")
        return super().type_of(node)

    def given(self, node: Node) -> Kind:
        owner, named = field(node, "object"), name_of(node)
        kind = self.type_of(owner)
        if text_of(owner) == "Math":
            arguments = children(field(node, "arguments"))
            rest = named in _MATHS or named == "random"
            return Kind("double") if rest else self.type_of(arguments[0]) if arguments else NOTHING
        if named in _ONE_OF:
            return kind.one
        if named in _KINDS:
            return _KINDS[named]
        if named in ("entrySet", "keySet"):
            return Kind("Set", (Kind("Entry", kind.of),) if named == "entrySet" else kind.of[:1])
        if named == "values":
            return Kind("List", kind.of[-1:])
        if named == "getKey":
            return (*kind.of, NOTHING)[0]
        if kind.name in self.records and named in self.fields[kind.name]:
            return self.fields[kind.name][named]
        return self.gives.get(named, NOTHING)

    def _of_binary_expression(self, node: Node) -> ast.expr:
        left, operator, right = sides(node)
        if operator == "+" and self.type_of(node).name == "String":
            return joined(self.values([needed(node, "left"), needed(node, "right")]))
        if operator in ("!=", "==") and text_of(right) == "null":
            value = self.value(left)
            if isinstance(value, ast.NamedExpr):
                return value if operator == "!=" else negated(value)
            return compared(value, ast.IsNot if operator == "!=" else ast.Is, constant(None))
        return super()._of_binary_expression(node)

    def assign(self, left: Node, operator: str, value: ast.expr) -> list[ast.stmt]:
        if operator == "+=" and self.type_of(left).name == "String":
            value = lettered(value)
            plain = isinstance(value, (ast.Constant, ast.JoinedStr))
            return [added(self.value(left), ast.Add, value if plain else called("str", value))]
        return super().assign(left, operator, value)

    def _of_array_creation_expression(self, node: Node) -> ast.expr:
        kind, value = self.declared(field(node, "type")), field(node, "value")
        open_ = sum(text_of(each).count("[") for each in node.named_children if each.type == "dimensions")
        if value is not None:
            return self.filled(_arrays_of(kind, open_), value)
        counts = [self.value(each.named_children[0]) for each in node.named_children if each.type == "dimensions_expr"]
        size = kind.bytes if kind.scalar and not open_ and _SORTS.get(kind.name) != "Boxed" else 4.0
        size = 2.0 if kind.name == "char" and not open_ else size
        start = constant(0.0 if kind.floating else 0 if kind.scalar and not open_ else None)
        made: ast.expr = called("_tongue.filled", counts.pop(), start, constant(int(size)))
        while counts:
            made = listed(counts.pop(), made, several=True)
        return made

    def _of_field_access(self, node: Node) -> ast.expr:
        owner, named = field(node, "object"), text_of(field(node, "field"))
        text = text_of(owner)
        if named == "length" and text not in self.fields:
            return length(self.value(owner))
        if named in ("MAX_VALUE", "MIN_VALUE", "POSITIVE_INFINITY"):
            largest = _LARGEST.get(text, 2**31 - 1)
            return constant(-largest if named == "MIN_VALUE" else largest)
        if text in self.fields or text == "Math":
            return constant(3.141592653589793) if named == "PI" else name(spelt(named))
        return self.value(owner) if named in ("nval", "sval") else ast.Attribute(self.value(owner), named, ast.Load())

    def _of_instanceof_expression(self, node: Node) -> ast.expr:
        value, named = self.value(field(node, "left")), name_of(node)
        if named:
            self.declare(named, self.declared(field(node, "right")))
            self.before.append(let(named, value))
        return called("isinstance", value, name(spelt(text_of(field(node, "pattern", "right")))))

    def _of_object_creation_expression(self, node: Node) -> ast.expr:
        kind, nodes = self.declared(field(node, "type")), children(field(node, "arguments"))
        if (body := child(node, "class_body")) is not None:
            return self._anonymous(kind, body)
        return self.constructed(kind, self.values(nodes), nodes)

    def _anonymous(self, kind: Kind, body: Node) -> ast.expr:
        """A class without a name that is made where it stands."""
        methods = [each for each in body.named_children if each.type == "method_declaration"]
        made = self.fresh()
        if len(methods) == 1:
            self.before.append(self.function(made, methods[0], static=True))
            return name(made)
        told: list[ast.stmt] = [self.function(name_of(each), each) for each in methods]
        bases: list[ast.expr] = [name(spelt(kind.name))] if kind.name in self.fields else []
        self.before.append(ast.ClassDef(made, bases, [], told or [ast.Pass()], []))
        return called(made)

    def _of_lambda_expression(self, node: Node) -> ast.expr:
        return self.inner_function([*map(spelt, self.parameters(node))], field(node, "body"))

    def _of_method_reference(self, node: Node) -> ast.expr:
        owner, named = node.named_children[0], text_of(node.children[-1])
        if named == "new":
            return lambda_of([], self.constructed(self.declared(owner), [], []))
        if named in self.static or text_of(owner) == "this":
            return name(spelt(named)) if named in self.static else path("self", named)
        if text_of(owner) in ("Integer", "Long", "Double", "Math"):
            return lambda_of(["__x"], name("__x"))
        return lambda_of(["__x"], self._asked(name("__x"), NOTHING, named, [], []))

    def _of_method_invocation(self, node: Node) -> ast.expr:
        owner, named, nodes = field(node, "object"), name_of(node), children(field(node, "arguments"))
        text, kind = text_of(owner), self.type_of(owner)
        sort = _SORTS.get(kind.name)
        if kind.name == "StreamTokenizer" and named == "nextToken":
            return self.done(assigned(self.value(owner), called("int", self.word())), 0)
        if sort == "Reader" or text == "System.in":
            return from_table(_READ, named) or constant(None)
        given = self.values(nodes)
        if owner is None:
            return called(*[spelt(named)] if named in {*self.static, *self.known} else [path("self", named)], *given)
        if text.startswith(("System.out", "System.err")) or sort == "Writer":
            return printed(*given) if named != "close" else constant(None)
        if text == "super":
            return method(called("super"), named, *given)
        if sort == "Random" or text.startswith("ThreadLocalRandom"):
            return from_table(_DRAWN, named, *given) or constant(None)
        plain = text.rpartition(".")[2] if kind is NOTHING and text[:1].isupper() else ""
        found = self._of_class(plain, named, given, nodes) if plain else None
        return found or self._asked(self.value(owner), kind, named, given, nodes)

    def _of_class(self, owner: str, named: str, given: list[ast.expr], nodes: Sequence[Node]) -> ast.expr | None:
        """What a function gives that belongs to a class."""
        first, sort = (*given, constant(None))[0], _SORTS.get(owner, owner)
        if owner in self.fields and named in self.static:
            return called(spelt(named), *given)
        if owner in self.fields and named in ("values", "valueOf"):
            return name(f"{owner}__values") if named == "values" else first
        if owner.startswith("Optional"):
            return first
        if owner == "Pattern" and named in ("compile", "matches"):
            return called("re.compile" if named == "compile" else "re.search", *given)
        if named == "copyOf" and len(given) > 1:
            one = self.type_of(nodes[0]).one
            return called("_tongue.filled", given[1], constant(0), constant(int(one.bytes) if one.scalar else 4))
        if named == "asList" and self.type_of(nodes[0]).name != "array":
            return list_of(*given)
        if sort == "Arrays" and named in ("sort", "parallelSort"):
            return self._sorted(first, given[-1] if len(given) in (2, 4) else None)
        if sort == "Boxed" and (named.startswith("parse") or named == "valueOf"):
            return called("float" if owner in ("Double", "Float") else "int", first)
        if (found := from_table(_FUNCTIONS, f"{sort}.{named}", *given)) is not None:
            return found
        if sort == "Math":
            return called(f"math.{named}", *given)
        if sort == "Boxed":
            return called("str", first) if named.startswith("to") else binary(first, ast.BitAnd, constant(63))
        if sort in ("String", "Arrays"):
            return joined(given[1:]) if named == "format" else called("str", first)
        if sort in ("List", "Set", "Collections", "Map", "Stream", "IntStream", "LongStream", "Objects"):
            return self._collections(sort, named, given, nodes)
        return constant(None) if sort in ("System", "Thread") else None

    def _sorted(self, owner: ast.expr, by: ast.expr | None) -> ast.expr:
        """What sorts; a comparison of two things is a function that is asked about each."""
        if by is None or isinstance(by, ast.Constant):
            return method(owner, "sort")
        one = isinstance(by, ast.Lambda) and len(by.args.args) == 1
        two = "lambda __x: B(__x, __x)" if isinstance(by, (ast.Lambda, ast.Name)) else "lambda __x: __x"
        return said(f"A.sort(key={'B' if one else two})", owner, by)

    def _collections(self, sort: str, named: str, given: list[ast.expr], nodes: Sequence[Node]) -> ast.expr:
        first = (*given, constant(None))[0]
        if named == "of":
            if sort == "Map":
                return ast.Dict([*given[::2]], given[1::2])
            return ast.Set(given) if sort == "Set" else list_of(*given)
        if named == "sort":
            return self._sorted(first, (*given, None)[1])
        if named == "swap":
            one, other = subscript(first, given[1]), subscript(self.value(nodes[0]), given[2])
            return self.done(assigned(tuple_of(one, other), tuple_of(other, one)))
        if named == "hash":
            return called("hash", tuple_of(*given))
        return from_table(_COLLECTIONS, named, *given) or first

    def _asked(self, owner: ast.expr, kind: Kind, named: str, given: list[ast.expr], nodes: Sequence[Node]) -> ast.expr:
        """What a method gives."""
        sort = "Map" if named in _MAPPING else _SORTS.get(kind.name, kind.name)
        records = self.records.values() if kind is NOTHING else [self.records.get(kind.name, [])]
        if not given and any(named in names for names in records):
            return ast.Attribute(owner, named, ast.Load())
        if kind.name in self.fields or (kind is NOTHING and any(named in names for names in self.own.values())):
            general = named in ("ordinal", "name", "getClass", "hashCode", "compareTo")
            same = general and named not in self.own.get(kind.name, ())
            return owner if same else method(owner, named, *given)
        if (found := self._perhaps(owner, kind, named, given)) is not None:
            return found
        if sort == "StringBuilder" and named == "append":
            return self._appended(owner, given[0], nodes)
        if sort == "StringBuilder" and self.held_texts and named in ("toString", "length"):
            return said("''.join(A)" if named == "toString" else "len(''.join(A))", owner)
        special = self._mapping if sort == "Map" else self._special
        if (found := special(owner, kind, named, given, nodes)) is not None:
            return found
        for key in (f"{kind.name}.{named}", f"{sort}.{named}", named):
            if (found := from_table(_METHODS, key, owner, *given)) is not None:
                return found
        if named in _ENDING and (kind is NOTHING or given):
            if given and named in ("reduce", *_ANY):
                return said(f"sum(map(lambda __x: B(__x{', __x' * (named == 'reduce')}), A))", owner, given[-1])
            return called(named if named in ("max", "min") else "sum", owner)
        if named in _APPLIED and sort not in ("List", "Map"):
            return called(owner, *given)
        return owner if named in _SAME and sort != "Map" else method(owner, named, *given)

    def _perhaps(self, owner: ast.expr, kind: Kind, named: str, given: list[ast.expr]) -> ast.expr | None:
        """What is asked of what may be nothing, and of patterns; None of others."""
        if kind.name.startswith("Optional"):
            if named in ("isPresent", "isEmpty"):
                return compared(owner, ast.Is if named == "isEmpty" else ast.IsNot, constant(None))
            if named in ("get", "orElse", "orElseThrow", "orElseGet"):
                return owner
            return called(given[0], owner) if named == "map" else None
        if kind.name == "Pattern" and named == "matcher":
            return method(owner, "search", *given)
        if kind.name != "Matcher":
            return None
        if named in ("matches", "find", "lookingAt"):
            return compared(owner, ast.IsNot, constant(None))
        if named in ("replaceAll", "replaceFirst"):
            if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
                return method(owner.func.value, "sub", *given, *owner.args)
            return owner
        return method(owner, named, *given) if named == "group" else None

    def _appended(self, owner: ast.expr, value: ast.expr, nodes: Sequence[Node]) -> ast.expr:
        """A text that becomes longer."""
        if not isinstance(owner, (ast.Name, ast.Attribute, ast.Subscript)) and not self.held_texts:
            return owner
        value = lettered(value) if nodes[0].type == "character_literal" else value
        is_text = isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))
        is_text = is_text or _SORTS.get(self.type_of(nodes[0]).name) in ("String", "StringBuilder")
        longer = copy(owner)
        if self.held_texts:
            self.before.append(ast.Expr(method(owner, "append", value if is_text else called("str", value))))
            return longer
        self.before.append(added(owner, ast.Add, value if is_text else called("str", value)))
        return longer

    def _special(
        self, owner: ast.expr, kind: Kind, named: str, given: list[ast.expr], nodes: Sequence[Node]
    ) -> ast.expr | None:
        """What needs more than a template."""
        first = (*given, constant(None))[0]
        if named in ("set", "setCharAt", "setElementAt") and len(given) > 1:
            return self.done(assigned(subscript(owner, first), given[1]))
        if named == "sort":
            return self._sorted(owner, first)
        if named in ("peekLast", "getLast", "last", "lastElement") or (named == "peek" and kind.name == "Stack"):
            return subscript(owner, constant(-1)) if _SORTS.get(kind.name) != "Set" else called("min", owner)
        if named in ("forEach", "forEachOrdered", "ifPresent"):
            if isinstance(first, ast.Lambda) and len(first.args.args) > 1:
                return self._each_pair(owner, first)
            return self.done(for_each(name("__x"), owner, [ast.Expr(called(first, name("__x")))]))
        if named == "collect":
            return self._collected(owner, nodes[0])
        if named == "split":
            plain = isinstance(first, ast.Constant) and str(first.value).strip("\\s+* []") == ""
            return method(owner, "split", *([] if plain else given[:1]))
        if named == "setLength":
            self.before += [assigned(owner, constant(""))] if text_of(nodes[0]) == "0" else []
            return constant(None)
        if named in ("incrementAndGet", "getAndIncrement", "addAndGet"):
            return self.done(added(owner, ast.Add, first if given else constant(1)), 0)
        return None

    def _each_pair(self, owner: ast.expr, function: ast.Lambda) -> ast.expr:
        names = tuple_of(*[name(each.arg) for each in function.args.args])
        return self.done(for_each(names, method(owner, "items"), [ast.Expr(function.body)]))

    def _mapping(
        self, owner: ast.expr, kind: Kind, named: str, given: list[ast.expr], nodes: Sequence[Node]
    ) -> ast.expr | None:
        first, second = (*given, constant(None), constant(None))[:2]
        if named in ("put", "putIfAbsent", "replace") and len(given) > 1:
            return self.done(assigned(subscript(owner, first), second))
        if named == "merge":
            how = given[2] if len(given) > 2 else None
            plain = not isinstance(how, ast.Lambda) or isinstance(how.body, ast.BinOp)
            more = second if plain else said("A(B, B)", given[2], second)
            return self.done(assigned(subscript(owner, first), said("A.get(B, 0) + C", owner, first, more)), 0)
        if named in ("compute", "computeIfPresent"):
            value = said("C(B, A.get(B))", owner, first, second)
            return self.done(assigned(subscript(owner, first), value), 0)
        if named == "computeIfAbsent":
            value = second.body if isinstance(second, ast.Lambda) else called(second, first)
            return method(owner, "setdefault", first, value)
        return self._each_pair(owner, first) if named == "forEach" and isinstance(first, ast.Lambda) else None

    def _collected(self, owner: ast.expr, node: Node) -> ast.expr:
        text = text_of(node)
        if "joining" in text:
            return said("' '.join(A)", owner)
        if not any(each in text for each in ("groupingBy", "toMap", "partitioningBy")):
            return called("set" if "toSet" in text else "list", owner)
        made, key = self.fresh(), self.arguments_of(field(node, "arguments"))[0]
        self.before.append(let(made, called("collections.defaultdict", name("list"))))
        put = said("A[B(__x)].append(__x)", name(made), key)
        self.before.append(for_each(name("__x"), owner, [ast.Expr(put)]))
        return name(made)


def _is_static(node: Node) -> bool:
    return "static" in text_of(child(node, "modifiers"))


def _members(node: Node) -> list[Node]:
    """Of a class, with those that stand behind an enumeration's names."""
    found = children(field(node, "body"))
    return [*found, *(one for each in found if each.type == "enum_body_declarations" for one in children(each))]


def _arrays_of(kind: Kind, count: int) -> Kind:
    return _arrays_of(Kind("array", (kind,)), count - 1) if count else kind
