"""Values of a plain Python program, and what its objects take: a population stands for all objects that one place of
the text makes.

Bytes were measured once (CPython 3.11, 64 bits, two hundred thousand objects of each kind in a list).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final

MANY: Final = 1e15
"""Different values, where each is another."""
_DEEP: Final = 4
"""Things in things that are looked at."""
_AROUND: Final = 8
"""So often come to again, things that lead to each other are all reached."""
OBJECT: Final = 32.0
"""Bytes of a number that is no small one."""
_DIGITS: Final = 24
"""Letters of a text that may be a number."""
_SMALL: Final = 256.0
"""Numbers up to this are there once."""
_TEXT, _BYTES, _ROUNDED = 49.0, 33.0, 16.0
_SLOT: Final = 8.9
"""Of a list or a queue, for each element: lists that grow have some to spare."""
_HEADS: Mapping[str, float] = {
    "list": 64.0, "tuple": 48.0, "dict": 64.0, "set": 216.0, "deque": 784.0, "object": 88.0, "slots": 40.0,
    "named": 56.0, "array": 80.0, "bytearray": 64.0, "view": 0.0, "file": 0.0, "element": 72.0,
}  # fmt: skip
"""Bytes of an empty one."""
_USUAL: Mapping[str, float] = {"datetime": 48.0, "date": 32.0, "timedelta": 40.0, "Decimal": 112.0, "Fraction": 112.0}


@dataclass(frozen=True, slots=True)
class Number:
    """A number: one in the middle, the least and the most it may be, how many different ones there are."""

    value: float | None = None
    low: float = -math.inf
    high: float = math.inf
    distinct: float = MANY
    whole: bool = True
    usual: str = ""
    """What else it is that is as large as a number: `datetime`, `Decimal`."""
    atom: Boxes | None = None
    """What stands for the objects, where something holds them."""
    drawn: bool = False
    """Whether it is drawn at random, so that some come more often than once before all have come."""
    seen: bool = False
    """Whether somebody looked at all of them: one is the least, one the most."""

    @classmethod
    def of(cls, value: float, whole: bool) -> Number:
        """One that is known."""
        return cls(value, value, value, 1.0, whole)

    @property
    def known(self) -> float | None:
        """The number, where it is always the same."""
        return self.value if self.low == self.high else None

    @property
    def bytes(self) -> float:
        """Of one that somebody keeps; small ones and those that stand in the text are there already."""
        if self.usual:
            return _USUAL.get(self.usual, 48.0)
        if self.distinct <= 1 or (self.whole and self.low > -6 and self.high <= _SMALL):
            return 0.0
        digits = max(math.log2(max(abs(self.high), abs(self.low), 2.0)) / 30.0, 1.0) if self.whole else 1.0
        return OBJECT if not math.isfinite(digits) or digits <= 2 else rounded(24.0 + 4.0 * digits)


@dataclass(frozen=True, slots=True)
class Written:
    """A text, or bytes: one as it may be, how long it is, how many different ones there are."""

    sample: str = ""
    """As far as it is known; blanks for the rest."""
    length: float = 0.0
    distinct: float = 1.0
    raw: bool = False
    """Whether it is bytes."""
    pieces: tuple[float, Any] | None = None
    """Of how many parts it was put together, and one of them."""
    of: Any = None
    """What it says, where it is written as JSON or pickled."""
    atom: Boxes | None = None
    """What stands for the objects, where something holds them."""
    drawn: bool = False
    """Whether what it says is drawn at random."""
    number: Number | None = None
    """What it is as a number, if it is one."""
    words: Words | None = None
    shares: Mapping[str, float] | None = None
    """How often it is which of a few."""
    begins: Mapping[str, float] | None = None
    """How often it begins with which of a few letters."""
    empty: float | None = None
    """How often there is nothing in it."""

    @classmethod
    def like(cls, sample: str, distinct: float = 1.0) -> Written:
        """One that is written out."""
        return cls(sample, float(len(sample)), distinct)

    @property
    def known(self) -> str | None:
        """The text, where it is always the same."""
        return self.sample if self.distinct <= 1 and len(self.sample) == self.length else None

    @property
    def numeric(self) -> Number | None:
        """What it is as a number, if that is known."""
        if self.number is None and self.known is not None and len(self.known) <= _DIGITS:
            with suppress(ValueError):
                value = float(self.known)
                return Number.of(value, value.is_integer())
        return self.number

    @property
    def bytes(self) -> float:
        """Of one that somebody keeps."""
        return 0.0 if self.known is not None or self.length <= 1 else self.whole

    @property
    def whole(self) -> float:
        """Of one, whoever keeps it."""
        return rounded((_BYTES if self.raw else _TEXT) + self.length)


@dataclass(frozen=True, slots=True)
class Words:
    """What a text is made of: how many words, one of them, the first ones as far as they are known, and what parts
    them: nothing for spaces."""

    count: float
    one: Written
    first: tuple[Written, ...] = ()
    mark: str = ""
    lines: tuple[Written, ...] = ()
    """Of several lines the first ones, as far as they are known."""
    blanks: float = 0.0
    """Of several lines: how often there is a blank one."""
    fed: float | None = None
    """Of all that is left of the input: the lines that had been."""


@dataclass(frozen=True, slots=True)
class DataModel:
    """How things lie in memory in a language that is not Python: bytes of a place in a list, of a field of a thing, of
    what is under a key beside its place in the table, of a text and of each of its letters, of a number that is kept,
    and of what stands in front of containers and things."""

    slot: float
    field: float
    keyed: float
    text: float
    letter: float = 1.0
    number: float = 0.0
    list: float = 24.0
    dict: float = 64.0
    thing: float = 16.0
    short: float = 0.0
    """Letters of a text that stand in its head."""
    garbage: float = 0.0
    """Bytes that nobody holds any more and that lie there until they are collected, at most."""
    views: bool = False
    """Whether a part of a list is the list itself, seen in part."""
    share: float = 0.0
    """As many times of what is held may lie there beside."""
    few: tuple[float, float] = 0.0, 0.0
    """Bytes of the places of a list and of a mapping that has anything, at least."""
    own: bool = False
    """Whether each number and text in a list is one of its own, whatever is the same elsewhere."""
    open: bool = False
    """Whether a list grows where a place behind its end is given something."""

    def size(self, value: Number | Written) -> float:
        """Bytes of one that somebody keeps."""
        if isinstance(value, Number):
            return self.number if value.bytes else 0.0
        if value.known is not None:
            return 0.0
        return self.text + (self.letter * value.length if value.length > self.short else 0.0)

    def shell(self, box: Boxes) -> float:
        """Bytes of a container or a thing without what it holds."""
        each = box.entries
        some = min(each, 1.0)
        if box.kind in ("dict", "set"):
            return self.dict + max(each * self.keyed, some * self.few[1])
        if box.kind in ("object", "slots", "named", "tuple", "element"):
            return self.thing + (box.each if box.each != _SLOT else self.field * max(len(box.fields), each))
        if box.inside:
            return max(each * box.each - self.slot, 0.0)
        head = some * self.list if self.few[0] else self.list  # one that is empty is there once
        return head + max(each * (self.slot if box.each == _SLOT else box.each), some * self.few[0])


@dataclass(slots=True, eq=False)
class Boxes:
    """Containers or things that one place makes, all of them together."""

    kind: str
    made: float
    """How many are made in the whole run."""
    puts: float = 0.0
    """Elements of all."""
    one: Any = None
    """An element, or a value under a key."""
    key: Any = None
    most: float = MANY
    """Different keys of one."""
    bound: float = MANY
    """Elements of one, at most."""
    top: float = 0.0
    """Elements of a list, the most that one had: others are being filled."""
    given: float = 0.0
    """Elements that were ever put in, of all."""
    drawn: bool = False
    """Whether its keys are drawn at random."""
    each: float = _SLOT
    """Bytes of a place."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Of a thing, a tuple or a mapping that is written out."""
    links: dict[int, list[Any]] = field(default_factory=dict)
    """Boxes inside, by their identity: which, and how many of them all hold."""
    of: Any = None
    """A thing's class."""
    makes: Any = None
    """What makes a value for a key that is missing."""
    spilt: float = 0.0
    """Bytes beside all that, of all: what a database or a file in memory holds."""
    text: Any = None
    """Of letters: the text that they are all of."""
    amid: float = 0.0
    """Elements of one in the mean of the rounds of the loop that is under way, in which it grows."""
    due: float = 0.0
    """How many there will be after the loop that is under way."""
    later: float = 0.0
    """The same of those that functions make, which only says how full one of them may have been."""
    beside: dict[int, tuple[Boxes, float]] = field(default_factory=dict)
    """What stands in the same place at other times, and how often."""
    start: Any = None
    """What a list was filled with at once."""
    flat: bool = False
    """Whether numbers stand in it themselves."""
    inside: bool = False
    """Whether an array of so many stands where its name or its place does, instead of being held from there."""
    fed: float | None = None
    """Of a list of the words of the input: the lines that had been."""
    spelt: dict[tuple[str, float], list[Any]] | None = None
    """Of a text that is added to: how often which pieces are."""
    layout: DataModel | None = None
    """How it lies in memory, where that is not as Python has it."""
    renewed: bool = False
    """Whether there is another one of its kind once it has as many as it may."""
    below: float = 0.0
    """Of what a function makes that calls itself: how many, at most, it makes each time that others call it."""

    def put(self, value: Any, times: float) -> None:
        """So many elements like this one."""
        if times <= 0:
            return
        self.puts += times
        self.given += times
        self.top = max(self.top, min(self.entries, self.puts / max(self.later, 1e-12)))
        if self.spelt is not None and isinstance(value, (Number, Written)):
            self.one = merged(self.one, self._spell(value, times, self.spelt))
        elif self.layout is not None and self.layout.own and isinstance(value, (Number, Written)) and not self.flat:
            self.one = merged(self.one, self._own(value, times, self.layout))
        else:
            self.one = merged(self.one, value if self.kind in ("array", "bytearray") else self.hold(value, times))

    def _spell(self, value: Number | Written, times: float, pieces: dict[tuple[str, float], list[Any]]) -> Written:
        """A piece of a text, or a letter of it."""
        piece = value if isinstance(value, Written) else Written("x", 1.0, max(value.distinct, 1.0), drawn=value.drawn)
        pieces.setdefault((piece.sample, piece.length), [0.0, piece])[0] += times
        self.spilt += piece.length * times
        return piece

    def _own(self, value: Number | Written, times: float, layout: DataModel) -> Number | Written:
        """A number or a text that is made anew to be kept here."""
        size = layout.number if isinstance(value, Number) else layout.text + value.length
        atom = Boxes("atom", times, each=size)
        self.links[id(atom)] = [atom, times]
        return replace(value, atom=atom)

    def hold(self, value: Any, times: float) -> Any:
        """Keeps so many of these; gives the value as something that is kept."""
        if isinstance(value, (Number, Written)):
            if value.atom is THERE or (self.flat and isinstance(value, Number)):
                return value
            if not (size := self.layout.size(value) if self.layout else value.bytes):
                return replace(value, atom=THERE)
            atom = value.atom or Boxes("atom", 0.0, each=size)
            if value.atom is None:
                atom.made, value = max(times, 1e-12), replace(value, atom=atom)
            self.links.setdefault(id(atom), [atom, 0.0])[1] += times
            return value
        self.link(value, times)
        return value

    def link(self, value: Any, times: float) -> None:
        """So many of these boxes are held."""
        if isinstance(value, Boxes):
            for one, often in value.ways():
                self.links.setdefault(id(one), [one, 0.0])[1] += times * often

    def ways(self) -> list[tuple[Boxes, float]]:
        """Itself, and what stands in its place at other times."""
        rest = 1.0 - sum(often for _, often in self.beside.values())
        return [(self, max(rest, 0.0)), *self.beside.values()] if self.beside else [(self, 1.0)]

    def joins(self, other: Any, often: float) -> Boxes:
        """The same, with another one that stands there so often."""
        if isinstance(other, Boxes) and other is not self and id(self) not in other.beside:
            ways = [(one, share) for one, share in other.ways() if one is not self]
            for one, share in ways:
                self.beside[id(one)] = (one, share * often)
        return self

    def keyed(self, key: Any, value: Any, times: float) -> None:
        """So many values under keys like this one; most of those keys may be there already."""
        before = self._all if self.renewed else self.entries
        self.most = max(min(differing(key), MANY), self.most if self.key is not None and self.most < MANY else 0.0)
        self.puts += times
        if self.layout is not None:
            self.given += times
        self.drawn = self.drawn or drawn(key)
        new = max((self._all if self.renewed else self.entries) - before, 0.0) * self.made
        self.key = merged(self.key, self.hold(key, new))
        self.one = merged(self.one, self.hold(value, new))

    def drop(self, times: float) -> None:
        """So many elements go."""
        self.top = -MANY  # what it had says nothing of what it has
        if self.puts > 0:
            left = max(self.puts - times, 0.0) / self.puts
            for link in self.links.values():
                link[1] *= left
            self.puts *= left
            for piece in self.spelt.values() if self.spelt else ():
                self.spilt -= piece[0] * (1.0 - left) * piece[1].length
                piece[0] *= left

    @property
    def apiece(self) -> float:
        """Elements that were put into one."""
        return self.puts / max(self.made, self.due, 1e-12)

    @property
    def entries(self) -> float:
        """Elements of one; of a set or a mapping those that differ."""
        return min(self._all, self.bound) + (len(self.fields) if self.kind == "dict" else 0)

    @property
    def _all(self) -> float:
        """The same, if it might have any number of them."""
        each = self.apiece
        if self.kind in ("dict", "set") and self.most < MANY:
            random = self.most * -math.expm1(-each / max(self.most, 1.0))
            return max(random, min(each, 1.0)) if self.drawn else min(each, self.most)
        return each

    @property
    def shell(self) -> float:
        """Bytes of one without the boxes that it holds."""
        if self.kind == "atom":
            return self.each
        if self.layout:
            return self.layout.shell(self) + self.spilt / max(self.made, 1e-12)
        each, head = self.entries, _HEADS.get(self.kind, 64.0)
        own = self.spilt / max(self.made, 1e-12)
        if self.kind == "dict":
            head += each * (self.each - _SLOT)  # of those that are ordered
            return head + _table(each, 24.0 if not isinstance(self.key or _first(self.fields), Written) else 16.0) + own
        if self.kind == "set":
            return head + (16.0 * 2.0 ** math.ceil(math.log2(max(each * 5 / 3, 8.0))) if each > 5 else 0.0) + own
        if self.kind in ("object", "slots", "named", "tuple", "element"):
            return rounded(head + 8.0 * max(len(self.fields), each)) + own
        return head + each * self.each + own


THERE: Final = Boxes("atom", 1.0, each=0.0)
"""What the text has, and small numbers: nobody makes it anew."""


@dataclass(frozen=True, slots=True)
class Passing:
    """What is gone through: so many, one like this, and the first ones, where they are known."""

    count: float | None
    one: Any = None
    first: tuple[Any, ...] = ()
    gone: list[float] = field(default_factory=lambda: [0.0])
    """How many were taken from it one by one."""
    often: float = 1.0
    """How often there is such a thing."""
    fed: float | None = None
    """Of the words of the input: the lines that had been."""
    each_s: float = 0.0
    """Seconds of one more, where there is no end of them."""

    @property
    def left(self) -> float | None:
        """How many there are still."""
        return self.count if self.count is None else max(self.count - self.gone[0], 0.0)

    def next(self, times: float) -> Any:
        """The one that comes next, or one of those that are taken as often as this happens."""
        at = self.gone[0]
        self.gone[0] += times / self.often
        alone = times <= self.often * (1 + 1e-9) and at < len(self.first)
        return self.first[int(at)] if alone else self.one


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says that is JSON, as `forerun.tasks._inputs` describes it."""

    shape: Any


@dataclass(frozen=True, slots=True)
class Module:
    """A module, or what stands in it: `collections.deque`."""

    path: str

    @property
    def last(self) -> str:
        """What it is called there."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a container or a text that has a name of its own: `push = rows.append`."""

    own: Any
    name: str


@dataclass(slots=True, eq=False)
class Defined:
    """A function of the program's own, with what it is a method of."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    own: Any = None
    frame: dict[str, Any] | None = None
    """The names around it."""
    cached: Boxes | None = None
    """What it remembers."""


@dataclass(slots=True, eq=False)
class Classed:
    """A class of the program's own."""

    node: ast.ClassDef
    bases: tuple[Any, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    kind: str = "object"
    named: tuple[str, ...] = ()
    """Fields that are given in this order."""

    def lines(self) -> Iterator[Classed]:
        """Itself and what it inherits from."""
        yield self
        for base in self.bases:
            if isinstance(base, Classed):
                yield from base.lines()


@dataclass(frozen=True, slots=True)
class Either:
    """One of several functions or classes of the program's own, each as often as any other."""

    each: tuple[Defined | Classed, ...]


class Above:
    """What `super()` gives."""

    def __init__(self, own: Boxes, base: Classed) -> None:
        self.own, self.base = own, base


class Layout:
    """What `struct.Struct` gives."""

    def __init__(self, text: str) -> None:
        self.text = text


class Place:
    """A path."""

    def __init__(self, key: str) -> None:
        self.key = key


def known(value: Any) -> dict[str, Any]:
    """The first ones of what is gone through, by their places, as far as they are known."""
    if isinstance(value, Passing):
        return {str(place): one for place, one in enumerate(value.first)} if not value.gone[0] else {}
    return dict(value.fields) if isinstance(value, Boxes) and value.kind in ("list", "tuple") else {}


def placed(value: Any) -> str:
    return value.sample if isinstance(value, Written) else value.key if isinstance(value, Place) else "x"


class Digest:
    """What hashes are taken of."""

    def __init__(self, name: str, length: float, distinct: float) -> None:
        self.name, self.length, self.distinct = name, length, distinct


class Pattern:
    """A regular expression."""

    def __init__(self, text: Any = None) -> None:
        self.text = text


class Match:
    """What it found in a text of this length: all of it, or its parts, some of which have names."""

    def __init__(
        self, length: float, whole: Written | None = None, parts: Sequence[Written] = (),
        names: Mapping[str, int] | None = None, often: float | None = None,
    ) -> None:  # fmt: skip
        self.length, self.whole, self.parts, self.names = length, whole, parts, names or {}
        self.often = often
        """How often it finds anything, where that is known."""


def rounded(size: float) -> float:
    """As memory is dealt out."""
    return math.ceil(size / _ROUNDED) * _ROUNDED


def _table(count: float, entry: float) -> float:
    """Bytes of a mapping's table with so many keys."""
    if count < 1:  # some have none
        return count * _table(1.0, entry) if count > 0 else 0.0
    places = 2.0 ** max(math.ceil(math.log2(max(count, 1.0) * 1.5)), 3)
    index = 1 if places <= 128 else 2 if places <= 32768 else 4
    return rounded(32.0 + places * index + math.floor(places * 2 / 3) * entry)


def _first(fields: Mapping[str, Any]) -> Any:
    return Written.like(next(iter(fields))) if fields else None


def drawn(value: Any, deep: int = 0) -> bool:
    """Whether it is drawn at random, or a part of it."""
    if deep > _DEEP:
        return False
    if isinstance(value, (Number, Written)):
        return value.drawn
    if isinstance(value, Boxes) and value.kind in ("tuple", "named", "slots"):
        return drawn(value.one, deep + 1) or any(drawn(one, deep + 1) for one in value.fields.values())
    return False


def among(fields: Mapping[str, Any], one: Any = None) -> Any:
    """What stands for all of these."""
    return reduce(merged, fields.values(), one)


def any_where_unknown(value: Any) -> Any:
    """A value, or any: what nobody knows may be another one each time."""
    return value if value is not None else Ellipsis


def power(base: float, exponent: float) -> float:
    """Different ones of so many, each one of these; not more than MANY."""
    return math.exp(min(exponent * math.log(max(base, 1.0)), math.log(MANY)))


def differing(value: Any, deep: int = 0) -> float:
    """How many different ones there are of it."""
    if deep > _DEEP:
        return MANY
    if isinstance(value, (Number, Written)):
        return max(value.distinct, 1.0)
    if isinstance(value, Boxes):
        if value.kind in ("tuple", "named", "slots") and value.fields:
            return min(math.prod(differing(one, deep + 1) for one in value.fields.values()), MANY)
        if value.one is not None:
            return power(differing(value.one, deep + 1), max(value.entries, 1.0))
        return MANY
    return MANY if value is Ellipsis else 1.0


def merged(one: Any, other: Any) -> Any:
    """What stands for both."""
    if one is None or one is other:
        return other
    if isinstance(one, Number) and isinstance(other, Number):
        value = one.value if one.value is not None else other.value
        distinct = max(one.distinct, other.distinct, 2.0 if one.known != other.known else 1.0)
        return replace(
            one, value=value, low=min(one.low, other.low), high=max(one.high, other.high), distinct=distinct,
            whole=one.whole and other.whole, atom=_main(one, other), drawn=one.drawn or other.drawn,
            seen=(one.seen or one.known is not None) and (other.seen or other.known is not None),
        )  # fmt: skip
    if isinstance(one, Written) and isinstance(other, Written):
        longer, shorter = (one, other) if one.length >= other.length else (other, one)
        distinct = max(one.distinct, other.distinct, 2.0 if one.known != other.known else 1.0)
        return replace(
            longer, distinct=distinct, atom=_main(one, other), drawn=one.drawn or other.drawn,
            shares=longer.shares or (shorter.shares if longer.distinct <= shorter.distinct else None),
            number=merged(one.numeric, other.numeric) if one.numeric and other.numeric else None,
        )  # fmt: skip
    if isinstance(one, Boxes) and isinstance(other, Boxes) and one.kind == other.kind and one.of is other.of:
        for name in one.fields.keys() & other.fields.keys():
            if all(isinstance(each.fields[name], (Defined, Either)) for each in (one, other)):
                one.fields[name] = other.fields[name] = merged(one.fields[name], other.fields[name])
    if isinstance(other, Boxes) and (not isinstance(one, Boxes) or other.made >= one.made):
        return other
    if isinstance(one, (Defined, Classed, Either)) and isinstance(other, (Defined, Classed, Either)):
        several = [part for each in (one, other) for part in (each.each if isinstance(each, Either) else (each,))]
        places = {id(each.node): each for each in reversed(several)}
        return Either(tuple(places.values())[:_AROUND]) if len(places) > 1 else one
    return one


def _main(one: Number | Written, other: Number | Written) -> Boxes | None:
    """The objects that most of both are."""
    if one.atom in (None, THERE) or other.atom in (None, THERE):
        found = [each.atom for each in (one, other) if each.atom not in (None, THERE)]
        return found[0] if found else one.atom if one.atom is other.atom else None
    return one.atom if one.atom.made > other.atom.made else other.atom


def held(roots: Iterable[Any], most: Mapping[int, float] | None = None) -> tuple[float, int]:
    """Bytes of all that names hold, each object once, and how many steps it took to see that. Of some boxes, by their
    identity, there are so many at `most`."""
    most = most or {}
    kept, left = dict[int, float](), dict[int, Boxes]()
    own, shared = 0.0, set[int]()
    queue = list[tuple[Boxes, float]]()
    for root in roots:
        if isinstance(root, Boxes):
            queue.append((root, 1.0))
        elif isinstance(root, Written) and id(root) not in shared:
            shared.add(id(root))
            own += root.whole if root.length > 64 and root.known is None else 0.0
        elif isinstance(root, Classed):
            queue += [(one, 1.0) for one in root.values.values() if isinstance(one, Boxes)]
        elif isinstance(root, Defined):
            names = root.frame.values() if root.frame else ()
            queue += [(one, 1.0) for one in (root.cached, root.own, *names) if isinstance(one, Boxes)]
        elif isinstance(root, Passing) and isinstance(root.one, Boxes):
            queue.append((root.one, 1.0))
    steps, visits = 0, dict[int, int]()
    while queue and steps < 20_000:
        box, many = queue.pop()
        steps += 1
        before = kept.get(id(box), 0.0)
        visits[id(box)] = visits.get(id(box), 0) + 1
        rooted = box.below > 0 and id(box) in box.links
        if rooted:  # trees: with each first one all that is below it
            many *= box.below
        around = visits[id(box)] > _AROUND and many > 0.3 * before / visits[id(box)]
        there = min(max(box.made, 1.0), most.get(id(box), MANY))
        now = there if around else min(before + many, there)
        if now <= before * (1 + 1e-9):
            continue
        kept[id(box)], left[id(box)] = now, box
        bounded = box.puts and (box.renewed or box.kind not in ("dict", "set"))
        scale = min(box.bound * box.made / box.puts, 1.0) if bounded else 1.0
        for inner, times in box.links.values():
            share = (now - before) * times * scale / max(box.made, 1e-12)
            if share <= 0 or (rooted and inner is box):
                continue
            if inner is box:  # chains and trees of nodes: from the first one all of its own are reached
                share = (now - before) * box.made / max(box.made - min(times, 0.999 * box.made), 1.0)
            queue.append((inner, share))
        for inner in box.fields.values():
            if isinstance(inner, Boxes) and id(inner) not in box.links:
                queue.append((inner, now - before))
    return own + sum(kept[key] * box.shell for key, box in left.items()), steps
