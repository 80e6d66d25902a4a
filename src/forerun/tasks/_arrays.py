"""What a Python program works with: arrays of known shapes, lists of so many elements, things with attributes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from forerun.tasks._laws import Law

Shape = tuple[float, ...]
RANK: Final = "biufc"
"""Kinds of elements: booleans, integers, integers without a sign, numbers with a point, complex ones."""
_NAMED: Mapping[str, tuple[str, float]] = {
    "bool": ("b", 1), "bool_": ("b", 1), "int": ("i", 8), "int_": ("i", 8), "long": ("i", 8), "intp": ("i", 8),
    "short": ("i", 2), "byte": ("i", 1), "ubyte": ("u", 1), "float": ("f", 8), "float_": ("f", 8), "double": ("f", 8),
    "single": ("f", 4), "half": ("f", 2), "bfloat16": ("f", 2), "complex": ("c", 16), "cfloat": ("c", 8),
    "object": ("O", 8), "category": ("i", 1), "str": ("O", 8), "string": ("O", 8),
}  # fmt: skip
_BITS: Mapping[str, str] = {"int": "i", "uint": "u", "float": "f", "complex": "c"}


class Block:
    """Memory that is held as long as somebody holds one of its arrays."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0.0


@dataclass(frozen=True, slots=True)
class Array:
    """Of so many elements along each axis, None where that is not known; views share a block."""

    shape: Shape | None
    kind: str = "f"
    each: float = 8.0
    block: Block = field(default_factory=Block, compare=False)
    texts: Block | None = field(default=None, compare=False)
    """What its elements are, where these are things of their own."""
    distinct: float = 0.0
    """How many of its elements are different, 0 where that is not known."""
    often: float = 0.5
    """Of truth values, which share is true."""
    law: Law | None = None
    """What they were drawn from."""

    @property
    def count(self) -> float:
        """Its elements."""
        return math.prod(self.shape) if self.shape is not None else 0.0

    @property
    def bytes(self) -> float:
        """What they take."""
        return self.count * self.each

    def viewed(self, shape: Shape | None) -> Array:
        """The same memory in another shape."""
        return replace(self, shape=shape)

    def drawn(self, distinct: float) -> Array:
        """The same, drawn from so many different ones."""
        return self.known(distinct * -math.expm1(-self.count / distinct)) if distinct > 0 else self

    def known(self, distinct: float) -> Array:
        """The same, whose elements are so many different ones."""
        return replace(self, distinct=max(min(distinct, self.count), 1.0)) if distinct > 0 and self.shape else self

    def akin(self, other: Array) -> Array:
        """The same, whose elements are like those of another one."""
        texts = other.texts if self.kind == "O" else None
        return replace(self, texts=texts, often=other.often, law=other.law).known(other.distinct)

    def true(self, often: float) -> Array:
        """The same, of which such a share is true."""
        return replace(self, often=min(max(often, 0.0), 1.0))


class Wide(float):
    """A number that is NumPy's: it makes narrower ones beside it as wide."""


@dataclass(frozen=True, slots=True)
class Named:
    """A module of a package, or what stands in it: `numpy.random.normal`."""

    path: str

    @property
    def root(self) -> str:
        """The package."""
        return self.path.partition(".")[0]

    @property
    def last(self) -> str:
        """What it is called there."""
        return self.path.rpartition(".")[2]


@dataclass(slots=True)
class Many:
    """A list, or what else gathers values: how many, the latest, and what all hold."""

    count: float
    one: Any = None
    block: Block = field(default_factory=Block)
    head: Any = None
    """The first."""


NUMBER = 32.0
"""Bytes of a number that is a thing of its own, and of most small things; its place in a list takes eight more."""


@dataclass(slots=True)
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    own: Thing | Class | None = None
    """What it is a method of."""


@dataclass(slots=True)
class Class:
    node: ast.ClassDef
    bases: tuple[Any, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    """What its body binds."""

    def lines(self) -> Iterator[Class]:
        """Itself and what it inherits from, as far as the program has it."""
        yield self
        for base in self.bases:
            if isinstance(base, Class):
                yield from base.lines()


@dataclass(slots=True)
class Thing:
    """An instance, with its attributes, or a mapping, with its keys."""

    of: Class | None = None
    values: dict[str, Any] = field(default_factory=dict)
    makes_lists: bool = False
    """Whether it makes a list for a key that it lacks: `defaultdict(list)`."""


@dataclass(slots=True)
class Table(Thing):
    """One of pandas: `values` has its columns, what names its rows and, in a list, columns whose names nobody knows."""

    rows: float = 0.0

    def __post_init__(self) -> None:
        """There is always a list for columns that come, so that loops see it grow."""
        self.values.setdefault(REST, Many(0.0))

    def put(self, name: str, column: Array) -> None:
        """Gives it a column, or several alike."""
        shape = column.shape or (0.0,)
        several = Many(shape[1], column.viewed(shape[:1]), column.block) if len(shape) > 1 else None
        self.values[name] = several if several and name == REST else column

    @property
    def columns(self) -> dict[str, Array]:
        """Those that are known, by their names; many alike are one array."""
        found = {name: one for name, one in self.values.items() if name != INDEX and isinstance(one, Array)}
        rest = self.values.get(REST)
        if isinstance(rest, Many) and rest.count and isinstance(one := rest.one, Array):
            found[REST] = Array((self.rows, rest.count), one.kind, one.each, rest.block)
        return found

    @property
    def width(self) -> float:
        """How many there are."""
        return max(sum(one.shape[1] if one.shape and len(one.shape) > 1 else 1.0 for one in self.columns.values()), 1.0)


@dataclass(slots=True)
class Sparse(Thing):
    """A matrix of which only `count` elements are stored, in what `values` holds."""

    shape: tuple[float, float] = (0.0, 0.0)
    count: float = 0.0


@dataclass(frozen=True, slots=True)
class Layer:
    """One of PyTorch, or several behind each other."""

    name: str
    sizes: tuple[float, ...] = ()
    options: Mapping[str, Any] | None = None
    weight: Array | None = None
    inner: tuple[Any, ...] = ()


@dataclass(slots=True)
class Range:
    """What counts up so many times."""

    count: float | None
    one: Any = None


@dataclass(slots=True)
class Groups(Range):
    """Rows of a table that are alike, `one` of so many such parts."""

    table: Table = field(default_factory=Table)
    chosen: tuple[str, ...] = ()
    """The columns that are asked for."""
    single: bool = False
    """Whether that is one column and no table."""
    along: bool = False
    """Whether these are windows, one for each row."""


@dataclass(slots=True)
class File(Many):
    """What so many lines are written to, a text in memory too."""

    inside: bool = False
    """Whether it is held in memory."""


class Spelt(str):
    """What a mapping is written as."""

    of: Thing


@dataclass(frozen=True, slots=True)
class Accessor:
    """What gives the texts or the dates of a column: `names.str`."""

    of: Array
    name: str


def element(value: Any, otherwise: tuple[str, float]) -> tuple[str, float]:
    """Kind and bytes of a dtype as it is written: `np.float32`, `"int8"`, `float`, `"<f4"`."""
    name = value.last if isinstance(value, Named) else value if isinstance(value, str) else ""
    name = name.lstrip("<>=|").lower() if name else ""
    if name in _NAMED:
        return _NAMED[name]
    for word, kind in _BITS.items():
        if name.startswith(word) and name[len(word) :].isdecimal():
            return kind, int(name[len(word) :]) / 8
    if name[:1] in _BITS.values() and name[1:].isdecimal():
        return name[0], float(name[1:])
    return otherwise


INDEX = " index"
"""The key of what names the rows of a table, where that takes memory."""
REST = "*"
"""The key of all values of a mapping whose own are not written out."""


def dims(value: Any) -> Shape | None:
    """A shape as it is written: a number, or several in brackets."""
    if isinstance(value, float):
        return (value,) if value >= 0 else None
    if isinstance(value, tuple):
        return value if all(isinstance(one, float) and one >= 0 for one in value) else None
    return None


def shape_of(value: Any) -> Shape | None:
    """Of a value: nothing around a number, None where it is not known."""
    if isinstance(value, Array):
        return value.shape
    if isinstance(value, (float, str)):
        return ()
    if isinstance(value, tuple):
        inner = shape_of(value[0]) if value else ()
        return None if inner is None else (float(len(value)), *inner)
    if isinstance(value, (Many, Range)):
        inner = shape_of(value.one) if value.one is not None else ()
        return None if inner is None or value.count is None else (value.count, *inner)
    return None


def broadcast(shapes: Sequence[Shape | None]) -> Shape | None:
    """The shape of what works element by element on arrays of these; of such as do not fit that of the largest."""
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return None
    longest = max(map(len, known))
    padded = [(1.0,) * (longest - len(shape)) + shape for shape in known]
    found = tuple(max(axis) for axis in zip(*padded, strict=True))
    fits = all(
        one in (1.0, most) or one > 0.9 * most for shape in padded for one, most in zip(shape, found, strict=True)
    )
    return found if fits else max(known, key=math.prod)


def promoted(values: Sequence[Any]) -> tuple[str, float]:
    """Elements of what works on these; numbers that stand in the text leave those of arrays as they are."""
    arrays = [Array(()) if isinstance(value, Wide) else value for value in values if isinstance(value, (Array, Wide))]
    if not arrays:
        return "f", 8.0
    kind = max((one.kind for one in arrays), key=lambda k: RANK.find(k))
    each = max(one.each for one in arrays)
    if kind == "f" and any(
        one.kind in "iu" and one.each >= one_f.each for one in arrays for one_f in arrays if one_f.kind == "f"
    ):
        each = 8.0
    return kind, each


def product(left: Shape | None, right: Shape | None) -> Shape | None:
    """Of matrices, or of stacks of them."""
    if left is None or right is None or not left or not right:
        return None
    if len(right) == 1:
        return left[:-1]
    if len(left) == 1:
        return (*right[:-2], right[-1])
    stacks = broadcast([left[:-2], right[:-2]])
    return (*(stacks or ()), left[-2], right[-1])


def leaves(values: Iterable[Any], walked: Callable[[int], None] = lambda count: None) -> Iterator[Array | Many]:
    """The arrays and lists that values hold; `walked` hears through how many things it went."""
    left, seen, count = list(values), set[int](), 0
    while left:
        value, count = left.pop(), count + 1
        if isinstance(value, (Array, Many)):
            yield value
        elif isinstance(value, (Layer, Thing, Class, tuple)) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, Layer):
                left += (value.weight, *value.inner)
            else:
                left += value if isinstance(value, tuple) else value.values.values()
    walked(count)


def held(values: Iterable[Any], walked: Callable[[int], None] = lambda count: None) -> float:
    """Bytes of all that several values hold, whatever several of them share once."""
    found = list(leaves(values, walked))
    blocks = {id(one.block): one.block for one in found}
    blocks |= {id(one.texts): one.texts for one in found if isinstance(one, Array) and one.texts}
    return sum(block.bytes for block in blocks.values())


def weight(value: Any) -> float:
    """Bytes that a value takes by itself, its place in a list with it; 0 of what is small. Of a view nothing."""
    own = 1.0 if isinstance(value, Array) and value.bytes < value.block.bytes else held((value,))
    if isinstance(value, tuple):
        own += 56.0 + 8.0 * len(value) + sum(map(_small, value))
    elif type(value) is Thing and value.of is None and value.values and REST not in value.values:
        own += 120.0 + 22.0 * len(value.values) + sum(map(_small, value.values.values()))
    return own + 8.0 + (112.0 if isinstance(value, Array) else 0.0) if own else 0.0


def _small(value: Any) -> float:
    """Bytes of what stands in something else; what nobody knows is taken for a number."""
    if isinstance(value, str):
        return 49.0 + len(value)
    return NUMBER if value is None or isinstance(value, float) else weight(value) - 8.0 if type(value) is tuple else 0.0


def one_of(value: Any) -> Any:
    """What a loop over it is given."""
    if isinstance(value, (Range, Many)):
        return value.one
    if isinstance(value, tuple):
        return value[0] if value else None
    if isinstance(value, Array) and value.shape:
        return value.viewed(value.shape[1:]) if len(value.shape) > 1 else None
    return None


def length_of(value: Any) -> float | None:
    """How many things a value has."""
    if isinstance(value, (Range, Many)):
        return value.count
    if isinstance(value, (tuple, str)):
        return float(len(value))
    if isinstance(value, Table):
        return value.rows
    if isinstance(value, Thing) and value.of is None and isinstance(rest := value.values.get(REST), Many):
        return len(value.values) - 1 + rest.count
    return value.shape[0] if isinstance(value, Array) and value.shape else None


def longest(value: Any) -> float:
    """Bytes that NumPy takes for a text of a list: as many for each as for the longest one; 0 of what holds none."""
    texts = value if isinstance(value, tuple) else (value.one,) if isinstance(value, Many) else (value,)
    return 4.0 * max((len(one) for one in texts if isinstance(one, str)), default=0)


def numeric(values: Iterable[Any]) -> list[Any]:
    return [
        one for one in values if isinstance(one, (Array, Many, float)) or (isinstance(one, tuple) and shape_of(one))
    ]
