"""What expressions of a Python program give, for `forerun.tasks._used`: nothing is computed but sizes."""

from __future__ import annotations

import ast
import math
import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from forerun.tasks._arrays import (
    REST,
    Accessor,
    Array,
    Class,
    Function,
    Groups,
    Layer,
    Many,
    Named,
    Range,
    Sparse,
    Spelt,
    Table,
    Thing,
    Wide,
    broadcast,
    length_of,
    numeric,
    one_of,
    promoted,
    shape_of,
)  # fmt: skip
from forerun.tasks._holding import MOST, Holding
from forerun.tasks._rules import RULES

_PLAIN: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.LShift: lambda a, b: a * 2**b, ast.RShift: lambda a, b: a // 2**b,
}  # fmt: skip
ROUNDED: Mapping[str, Callable[[float], float]] = {
    "int": math.trunc, "round": round, "abs": abs, "float": float, "sqrt": math.sqrt, "ceil": math.ceil,
    "floor": math.floor, "isqrt": lambda x: math.isqrt(int(x)), "log2": math.log2, "log": math.log, "exp": math.exp,
}  # fmt: skip
_TYPES = frozenset("int float bool complex str object list".split())
BLANK = " " * 6
_TEXT_NS = 90.0
"""Nanoseconds in which a column of texts is compared."""
_COPIES, _LONG = 64, 1000
"""Things that stand for one each, and how long a list is of which each is known."""
FLOP = 0.03
"""Nanoseconds of one of a product's multiplications and additions."""


class Expressions(Holding):
    """All expressions but calls."""

    @abstractmethod
    def _follow(self, function: Function, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function of the program's own gives."""

    @abstractmethod
    def _with_sparse(self, name: str, left: Any, right: Any) -> Any:
        """An operator between a sparse matrix and something else."""

    @abstractmethod
    def _with_tables(self, op: str, left: Any, right: Any) -> Any:
        """An operator between a table and something else."""

    @abstractmethod
    def _texts_together(self, left: Any, right: Any) -> Any:
        """Texts of a column with others behind them."""

    @abstractmethod
    def _of_rows(self, own: Table, key: ast.expr) -> Any:
        """What brackets behind a table give."""

    @abstractmethod
    def _of_groups(self, own: Groups, key: Any) -> Any:
        """Groups of fewer columns."""

    @abstractmethod
    def _of_table(self, own: Table, name: str) -> Any:
        """An attribute of a table."""

    @abstractmethod
    def _accessed(self, own: Accessor, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What is asked of a column's texts or dates."""

    @abstractmethod
    def _bind(self, target: ast.expr, value: Any) -> None:
        """Gives a name, an attribute or a place its value."""

    def _value(self, node: ast.expr | None) -> Any:
        if node is None:
            return None
        self._step()
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        return method(node) if method is not None else None

    def _of_constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool) or node.value is None:
            return node.value
        if isinstance(node.value, complex):
            return Array((), "c", 16.0)
        if isinstance(node.value, (int, float)):
            return safe(float, node.value)
        return node.value

    def _of_joinedstr(self, node: ast.JoinedStr) -> Any:
        return "".join(map(self._spelt, node.values))

    def _spelt(self, part: ast.expr) -> str:
        """A part of a text that is put together; blanks for what nobody knows."""
        if isinstance(part, ast.Constant):
            return str(part.value)
        known = (
            self._value(part.value) if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) else 0
        )
        return known if isinstance(known, str) and known else BLANK

    def _of_name(self, node: ast.Name) -> Any:
        for frame in reversed(self._frames):  # an inner function sees what the outer one names
            if node.id in frame:
                return frame[node.id]
        if self._stars and node.id in RULES:
            return Named(f"{self._stars[-1]}.{node.id}")
        return Named(node.id) if node.id in _TYPES else None

    def _of_tuple(self, node: ast.Tuple) -> Any:
        return self._written(node.elts)

    def _of_list(self, node: ast.List) -> Any:
        return self._written(node.elts) or Many(0.0)

    def _written(self, nodes: list[ast.expr]) -> Any:
        """What is written out: each of it, where it is not long."""
        if len(nodes) <= _LONG:
            return tuple(self._spread(nodes))
        made = Many(0.0)
        self._put(made, self._value(nodes[0]), float(len(nodes)))
        return made

    def _spread(self, nodes: Iterable[ast.expr]) -> Iterable[Any]:
        for each in nodes:
            if isinstance(each, ast.Starred):
                inner = self._value(each.value)
                yield from inner if isinstance(inner, tuple) else self._copies(inner)
            else:
                yield self._value(each)

    def _copies(self, value: Any) -> Iterator[Any]:
        """What a list has, of which only one is known: layers with weights of their own."""
        one = one_of(value)
        for _ in range(int(min(length_of(value) or 0.0, _COPIES))):
            yield self._another(one) if isinstance(one, Layer) else one

    def _another(self, layer: Layer) -> Layer:
        weight = self._rules.like(layer.weight) if layer.weight else None
        self._parameters += weight.bytes if weight else 0.0
        return replace(layer, weight=weight, inner=tuple(map(self._another, layer.inner)))

    def _of_dict(self, node: ast.Dict) -> Any:
        made = mapping() if not node.keys else Thing()
        for key, each in zip(node.keys, node.values, strict=True):
            name, value = self._value(key), self._value(each)
            if key is None and isinstance(value, Thing):
                made.values |= value.values
            else:
                made.values[name if isinstance(name, str) else f"{len(made.values)}"] = value
        return made

    def _of_lambda(self, node: ast.Lambda) -> Any:
        return Function(node)

    def _of_starred(self, node: ast.Starred) -> Any:
        return self._value(node.value)

    def _of_await(self, node: ast.Await) -> Any:
        return self._value(node.value)

    def _of_yield(self, node: ast.Yield) -> Any:
        value, (count, one) = self._value(node.value), self._yielded[-1]
        self._yielded[-1] = count + self._times, value if value is not None else one

    def _of_yieldfrom(self, node: ast.YieldFrom) -> Any:
        value, (count, one) = self._value(node.value), self._yielded[-1]
        self._yielded[-1] = count + self._times * (length_of(value) or 0.0), one_of(value) or one

    def _of_namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self._value(node.value)
        self._bind(node.target, value)
        return value

    def _of_ifexp(self, node: ast.IfExp) -> Any:
        found = [self._value(node.body), self._value(node.orelse)]
        return next((one for one in found if one is not None), None)

    def _of_boolop(self, node: ast.BoolOp) -> Any:
        found = [self._value(each) for each in node.values]
        return next((one for one in reversed(found) if one is not None), None)

    def _of_unaryop(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if isinstance(value, float):
            return -value if isinstance(node.op, ast.USub) else value
        return self._rules.like(value).true(1.0 - value.often) if isinstance(value, Array) else None

    def _of_compare(self, node: ast.Compare) -> Any:
        values = [self._value(each) for each in (node.left, *node.comparators)]
        if any(isinstance(one, Table) for one in values):
            return self._with_tables("Compare", values[0], values[-1])
        self._work(*values, each=_TEXT_NS if any(isinstance(one, str) for one in values) else 0.6)
        made = self._rules.elementwise(numeric(values), "b", 1.0)
        return made.true(self._share_of(node.ops[0], values[0], values[-1])) if isinstance(made, Array) else made

    def _share_of(self, op: ast.cmpop, left: Any, right: Any) -> float:
        """How many of a comparison's truth values are true: of `x == 3` as many as there are different ones, of `x < 3`
        as many as are drawn below that."""
        if not isinstance(left, Array):
            return 0.5
        if isinstance(op, (ast.Eq, ast.NotEq)) and left.distinct:
            return 1.0 / left.distinct if isinstance(op, ast.Eq) else 1.0 - 1.0 / left.distinct
        if left.law and isinstance(right, float) and isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            below = left.law.below(right)
            return below if isinstance(op, (ast.Lt, ast.LtE)) else 1.0 - below
        return 0.5

    def _of_binop(self, node: ast.BinOp) -> Any:
        before = len(self._passing)
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(left, float) and isinstance(right, float):
            return reckoned(node.op, left, right)
        if isinstance(left, str) and isinstance(right, str):
            return _joined(left, right) if isinstance(node.op, ast.Add) else None
        if isinstance(node.op, ast.Add) and any(isinstance(one, Array) and one.kind in "OU" for one in (left, right)):
            made = self._texts_together(left, right)
        elif isinstance(left, Table) or isinstance(right, Table):
            made = self._with_tables(type(node.op).__name__, left, right)
        elif isinstance(left, Sparse) or isinstance(right, Sparse):
            made = self._with_sparse(type(node.op).__name__, left, right)
        elif isinstance(node.op, ast.MatMult):
            made = self._rules.call("matmul", (left, right), {})
            inner = (shape_of(left) or (1.0,))[-1]
            self._work(made, each=FLOP * 2 * inner * promoted((left, right))[1] / 8)
        elif isinstance(node.op, ast.Mult) and isinstance(left, (Many, tuple)) and not isinstance(right, Array):
            return self._repeated(left, right)
        elif isinstance(node.op, ast.Add) and isinstance(left, (Many, tuple)) and isinstance(right, (Many, tuple)):
            short = isinstance(left, tuple) and isinstance(right, tuple) and len(left) + len(right) <= _LONG
            return left + right if short else self._lengthened(left, right)  # type: ignore[operator]
        else:
            kind, each = promoted((left, right))
            pointed = any(
                isinstance(one, ast.Constant) and isinstance(one.value, float) for one in (node.left, node.right)
            )
            if kind in "biu" and (pointed or isinstance(node.op, ast.Div)):
                kind, each = "f", 8.0
            made = self._mixed(node.op, left, right, self._reusing(node, left, right, kind, each))
            powers = isinstance(node.op, ast.Pow) and right != 2.0
            divides = isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))
            self._work(made, each=6.0 if powers else 1.5 if divides else 0.8)
        del self._passing[before:]
        if made is not None:
            self._passing.append(made)
        return made

    def _reusing(self, node: ast.BinOp, left: Any, right: Any, kind: str, each: float) -> Any:
        """The result; in the memory of an operand that nobody else holds, as NumPy does where that is large."""
        shape = broadcast([shape_of(one) for one in numeric((left, right))]) if numeric((left, right)) else None
        for operand, value, other in ((node.left, left, right), (node.right, right, left)):
            temporary = isinstance(operand, (ast.BinOp, ast.Call, ast.UnaryOp)) and isinstance(value, Array)
            alike = shape_of(other) in ((), shape)
            if temporary and alike and value.shape == shape and value.each == each and value.block.bytes == value.bytes:
                return value
        return self._rules.elementwise(numeric((left, right)), kind, each)

    def _mixed(self, op: ast.operator, left: Any, right: Any, made: Any) -> Any:
        """What is known of the elements of a result: how many are different, how many are true."""
        if not isinstance(made, Array):
            return made
        if isinstance(op, ast.Mod) and isinstance(right, float):
            return made.known(right)
        if isinstance(op, ast.FloorDiv) and isinstance(right, float) and isinstance(left, Array) and right:
            return made.known(left.distinct / abs(right))
        if isinstance(left, Array) and isinstance(right, Array) and isinstance(op, (ast.BitAnd, ast.BitOr)):
            both = left.often * right.often
            return made.true(both if isinstance(op, ast.BitAnd) else left.often + right.often - both)
        return made

    def _lengthened(self, left: Any, right: Any) -> Any:
        """A list of what both have."""
        made = Many(0.0)
        self._passing.append(made)
        for one in (left, right):
            self._put(made, one_of(one), length_of(one) or 0.0)
        return made

    def _repeated(self, value: Any, times: Any) -> Any:
        count = (length_of(value) or 0.0) * (times if isinstance(times, float) else 0.0)
        made = Many(0.0, value.one if isinstance(value, Many) else value[0] if value else None)
        self._passing.append(made)
        self._put(made, made.one, count, small=8.0)
        return made

    def _of_listcomp(self, node: ast.ListComp) -> Any:
        return self._comprehended(node.elt, node.generators)

    _of_setcomp = _of_listcomp

    def _of_generatorexp(self, node: ast.GeneratorExp) -> Any:
        before = len(self._passing)
        count, value = self._each(node.elt, node.generators)
        self._passing[before:] = [value]
        return Range(count, value)

    def _of_dictcomp(self, node: ast.DictComp) -> Any:
        return Thing(values={REST: self._comprehended(node.value, node.generators)})

    def _comprehended(self, element_of: ast.expr, generators: list[ast.comprehension]) -> Any:
        made = Many(0.0)
        self._passing.append(made)
        count, value = self._each(element_of, generators)
        self._put(made, value, count or 0.0)
        return made

    def _each(self, element_of: ast.expr, generators: list[ast.comprehension]) -> tuple[float | None, Any]:
        """How many elements a comprehension has, and one of them."""
        count: float | None = 1.0
        for each in generators:
            over = self._value(each.iter)
            self._bind(each.target, one_of(over))
            length = length_of(over)
            count = None if count is None or length is None else min(count * length, MOST)
        times, self._times = self._times, min(self._times * (count or 1.0), MOST)
        value = self._value(element_of)
        self._times = times
        return count, value

    def _of_attribute(self, node: ast.Attribute) -> Any:
        return self._attribute(self._value(node.value), node.attr)

    def _attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Named):
            return Named(f"{owner.path}.{name}")
        if isinstance(owner, Table):
            return self._of_table(owner, name)
        if isinstance(owner, Accessor):
            return self._accessed(owner, name, [], {})
        if isinstance(owner, Sparse):
            turned = Sparse(values=owner.values, shape=(owner.shape[1], owner.shape[0]), count=owner.count)
            return {"shape": owner.shape, "nnz": owner.count, "T": turned}.get(name)
        if isinstance(owner, Thing):
            if name in owner.values:
                return owner.values[name]
            return self._method(owner, name)
        if isinstance(owner, Class):
            return self._of_class(owner, name, owner)
        if not isinstance(owner, Array):
            return None
        if name == "shape":
            return owner.shape
        if name in ("T", "mT"):
            return owner.viewed(None if owner.shape is None else tuple(reversed(owner.shape)))
        if name in ("size", "nbytes", "ndim") and owner.shape is not None:
            return {"size": owner.count, "nbytes": owner.bytes, "ndim": float(len(owner.shape))}[name]
        if name in ("str", "dt", "cat"):
            return Accessor(owner, name)
        if owner.kind == "M" and (made := self._accessed(Accessor(owner, "dt"), name, [], {})) is not None:
            return made
        if name in ("values", "flat", "data", "iloc", "loc", "iat", "at", "array", "index"):
            return owner
        return Array(owner.shape, "f", owner.each / 2, owner.block) if name in ("real", "imag") else None

    def _method(self, owner: Thing, name: str) -> Any:
        return self._of_class(owner.of, name, owner) if owner.of else None

    def _of_class(self, of: Class, name: str, owner: Thing | Class) -> Any:
        """What a class has of this name, or what it inherits from: a value, or a method of the owner's."""
        for line in of.lines():
            if name in line.values:
                return line.values[name]
            for each in line.node.body:
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name:
                    return self._bound(each, of, owner)
        return None

    def _bound(self, node: ast.FunctionDef | ast.AsyncFunctionDef, of: Class, owner: Thing | Class) -> Any:
        marks = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
        if marks & {"property", "cached_property"}:
            return self._follow(Function(node, owner), [], {})
        if "staticmethod" in marks or ("classmethod" not in marks and isinstance(owner, Class)):
            return Function(node)
        return Function(node, of if "classmethod" in marks else owner)

    def _of_subscript(self, node: ast.Subscript) -> Any:
        owner = self._value(node.value)
        if isinstance(owner, (tuple, Many)):
            key = self._value(node.slice)
            if isinstance(owner, tuple) and isinstance(key, float) and -len(owner) <= key < len(owner):
                return owner[int(key)]
            if isinstance(node.slice, ast.Slice) and isinstance(owner, tuple):
                return owner[: int(self._sliced(float(len(owner)), node.slice))]
            return one_of(owner) if not isinstance(node.slice, ast.Slice) else owner
        if isinstance(owner, Sparse):
            return self._rows_of(owner, node.slice)
        if isinstance(owner, Table):
            return self._of_rows(owner, node.slice)
        if isinstance(owner, Groups):
            return self._of_groups(owner, self._value(node.slice))
        if isinstance(owner, Accessor):
            return self._accessed(owner, "slice", [], {})
        if isinstance(owner, Thing):
            key, rest = self._value(node.slice), owner.values.get(REST)
            if isinstance(key, str) and key in owner.values:
                return owner.values[key]
            if isinstance(rest, Many):
                return rest if owner.makes_lists else rest.one
            return None if isinstance(key, str) else owner
        if isinstance(owner, Named):  # np.mgrid[0:n, 0:m]
            return self._grid(owner, node.slice)
        return self._taken(owner, node.slice) if isinstance(owner, Array) else None

    def _rows_of(self, owner: Sparse, key: ast.expr) -> Any:
        """Rows and columns that brackets behind a sparse matrix name."""
        parts = list(key.elts) if isinstance(key, ast.Tuple) else [key]
        if not any(isinstance(each, ast.Slice) for each in parts):
            return None
        sizes = [
            self._sliced(n, one) if isinstance(one, ast.Slice) else 1.0
            for n, one in zip(owner.shape, parts, strict=False)
        ]
        return self._part(owner, *(*sizes, owner.shape[1])[:2])

    def _part(self, owner: Sparse, rows: float, columns: float) -> Sparse:
        """So many rows and columns of a sparse matrix, with their share of what is stored."""
        share = rows * columns / max(math.prod(owner.shape), 1.0)
        held = self._alloc((share * owner.values[""].bytes,), "u", 1.0)
        return Sparse(values={"": held}, shape=(rows, columns), count=owner.count * share)

    def _grid(self, owner: Named, key: ast.expr) -> Any:
        if owner.last not in ("mgrid", "ogrid"):
            return None
        parts = key.elts if isinstance(key, ast.Tuple) else [key]
        sizes = [self._points(each) for each in parts if isinstance(each, ast.Slice)]
        if not all(isinstance(size, float) for size in sizes):
            return None
        if owner.last == "ogrid":
            return tuple(self._alloc((size,), "i", 8.0) for size in sizes)
        return self._alloc((float(len(sizes)), *sizes), "i", 8.0)

    def _points(self, one: ast.Slice) -> Any:
        """How many there are of `0:n`, or of `-1:1:n * 1j`, where the step says so."""
        start, stop, step = self._value(one.lower) or 0.0, self._value(one.upper), one.step
        for part in ast.walk(step) if step else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, complex):
                factors = (step.left, step.right) if isinstance(step, ast.BinOp) else ()
                times = [found for each in factors if isinstance(found := self._value(each), float)]
                return abs(part.value.imag) * math.prod(times)
        known = isinstance(start, float) and isinstance(stop, float)
        by = self._value(step) if step else 1.0
        return counted((stop - start) / (by or 1.0)) if known and isinstance(by, float) else None

    def _taken(self, own: Array, key: ast.expr) -> Any:
        """What brackets behind an array give: a view, or where an array says which ones, a copy."""
        parts = list(key.elts) if isinstance(key, ast.Tuple) else [key]
        if own.shape is None:
            return own.viewed(None)
        if len(parts) == 1 and isinstance(several := self._value(parts[0]), tuple) and several:
            return self._alloc(shape_of(several[0]), own.kind, own.each)
        left, found, copied = list(own.shape), list[float](), None
        rest = sum(not (isinstance(one, ast.Constant) and one.value in (None, ...)) for one in parts)
        for one in parts:
            if isinstance(one, ast.Constant) and one.value is Ellipsis:
                keep = max(len(left) - rest, 0)
                found += left[:keep]
                del left[:keep]
                continue
            if isinstance(one, ast.Constant) and one.value is None:
                found.append(1.0)
                continue
            rest -= 1
            if isinstance(one, ast.Slice):
                if left:
                    found.append(self._sliced(left.pop(0), one))
                continue
            value = self._value(one)
            if isinstance(value, Named) and value.last == "newaxis":
                found.append(1.0)
                continue
            if isinstance(value, (Array, Many)) and (shape := shape_of(value)) is not None:
                mask = isinstance(value, Array) and value.kind == "b"
                del left[: len(shape) if mask else 1]
                if copied is None or mask:
                    found += (math.prod(shape) * value.often,) if mask else shape  # type: ignore[union-attr]
                copied = value
            elif left:
                left.pop(0)
        shape = tuple(found + left)
        if copied is not None:
            self._work(Array(shape), each=6.0)
            made = replace(self._alloc(shape, own.kind, own.each), texts=own.texts)
            return made.known(own.distinct or (own.count if own.count < made.count else 0.0))
        return own.viewed(shape) if shape else None

    def _sliced(self, size: float, one: ast.Slice) -> float:
        start, stop, step = (self._value(each) for each in (one.lower, one.upper, one.step))
        if one.lower is not None and start is None and stop is None and (long := self._behind(one.lower, one.upper)):
            return min(long, size)
        start = start if isinstance(start, float) else 0.0
        stop = stop if isinstance(stop, float) else size
        start, stop = (max(each + size, 0.0) if each < 0 else min(each, size) for each in (start, stop))
        jump = abs(step) if isinstance(step, float) and step else 1.0
        return counted((stop - start) / jump) or 0.0

    def _behind(self, lower: ast.expr, upper: ast.expr | None) -> float | None:
        """How far a slice goes whose place nobody knows: `text[p : p + 100]`."""
        if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) and ast.dump(upper.left) == ast.dump(lower):
            long = self._value(upper.right)
            return long if isinstance(long, float) else None
        return None


def _joined(left: str, right: str) -> str:
    """One text behind another; a mapping that is spelt stays one."""
    if not isinstance(left, Spelt):
        return left + right
    made = Spelt(left + right)
    made.of = left.of
    return made


def mapping(makes_lists: bool = False) -> Thing:
    """An empty one."""
    return Thing(values={REST: Many(0.0)}, makes_lists=makes_lists)


def reckoned(op: ast.operator, left: float, right: float) -> float | None:
    plain = _PLAIN.get(type(op))
    found = safe(plain, left, right) if plain else None
    wide = found is not None and (isinstance(left, Wide) or isinstance(right, Wide))
    return Wide(found) if wide and found is not None else found


def counted(rounds: float) -> float | None:
    """Whole rounds; None of what is no number."""
    return max(float(math.ceil(rounds)), 0.0) if math.isfinite(rounds) else None


def safe(function: Callable[..., float], *values: float) -> float | None:
    try:
        found = float(function(*values))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return found if math.isfinite(found) else None
