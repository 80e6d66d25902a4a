"""What containers of a plain Python program gather, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from forerun.tasks._figures import HARDLY, any_of, spelt
from forerun.tasks._lines import Accounts
from forerun.tasks._objects import (
    MANY,
    Boxes,
    DataModel,
    Defined,
    Module,
    Number,
    Passing,
    Place,
    Written,
    any_where_unknown,
    known,
    merged,
    power,
)
from forerun.tasks._speeds import PYTHON

_MAKING = frozenset(("JoinedStr", "BinOp", "Call", "Subscript"))
"""Expressions that may make a text."""


class Letters(NamedTuple):
    """A loop through the letters of words: what one is called, how many there are, words and letters that differ, and
    words."""

    name: str
    length: float
    words: float
    differing: float
    times: float

    @property
    def new(self) -> float:
        """How often a node of a tree of letters is new: words have so many beginnings that differ."""
        steps = max(self.length, 1.0)
        nodes = sum(min(self.words, power(self.differing, depth + 1.0)) for depth in range(int(min(steps, 64))))
        return min(nodes / max(self.times * steps, 1.0), 1.0)


class Containers(Accounts, ABC):
    """How often what is gone through happens, what it makes, and what goes into it."""

    def __init__(self) -> None:
        super().__init__()
        self.tempo, self.language = PYTHON, "python"
        self.layout: DataModel | None = None
        self.spelt = 0.0
        """Bytes of texts that were made."""
        self.frames: list[dict[str, Any]] = [{}]
        self.flight: list[Any] = []
        """What expressions that are under way hold."""
        self.shared: dict[int, set[str]] = {}
        """Names of a frame that are the module's."""
        self.pace = 1.0
        """Which share of how often something happens takes time: not all that a loop may reach."""
        self.nodes = 0.0
        """That are gone through, each as often as that may happen."""
        self.grown = False
        """Whether anything was added since somebody looked."""
        self.sites: dict[Any, Boxes] = {}
        self.path: tuple[int, ...] = ()
        """Calls that are under way, by their place in the text."""
        self.at: ast.AST | None = None
        self.spread: tuple[float | None, Any] = (0.0, None)
        """Of the call that is under way: how many its starred argument has, and one of them."""
        self.files: dict[str, Boxes] = {}
        """What was opened, by its name."""
        self.sizes: dict[tuple[int, int], float] = {}
        """What `len` gave the last time, by its place in the text."""
        self.reach: list[float] = []
        """How many places searches have that are under way."""
        self.shares_ahead = dict[str, float]()
        """How much of an input stands ahead of lines that begin stretches of it."""
        self.given = False
        """Whether there is an input: how many of its words differ is known."""
        self.got: tuple[Any, Any] | None = None
        """What was asked for a key the last time, and for which."""
        self.asked_for: dict[str, tuple[Any, Any]] = {}
        """Of names that were given what a mapping has under a key, or nothing: which, and under which."""
        self.streams: list[Passing] = []
        """What is given one by one, as it is asked for."""
        self.steady: list[tuple[str, bool]] = []
        """What loops over numbers count with, and whether one by one."""
        self.along: dict[str, str] = {}
        """Names that go along with what a loop counts, by one each time: `place = row * width + column`."""
        self.halved = set[int]()
        """Lists that are halved when they are full, by their identity."""
        self.trees = list[ast.AST]()
        """What is gone through besides: what it makes is known by where it stands in memory."""
        self.told = dict[int, float]()
        """Of what calls itself how often tests hold, and how often loops go round, by their identity."""
        self.absent: float | None = None
        """How often what a test asks for is not there, where that is told."""
        self.letters: list[Letters] = []
        """Loops through the letters of words that are under way."""

    @contextmanager
    def hardly(self) -> Iterator[None]:
        """What is gone through there is only asked."""
        times = self.times
        self.times = times * HARDLY
        try:
            yield
        finally:
            self.times = times

    @abstractmethod
    def bind(self, target: ast.expr, value: Any) -> None: ...

    @abstractmethod
    def call(self, function: Any, arguments: list[Any], options: dict[str, Any]) -> Any: ...

    @abstractmethod
    def set_field(self, owner: Boxes, name: str, value: Any) -> None: ...

    @abstractmethod
    def attribute(self, owner: Any, name: str) -> Any: ...

    @abstractmethod
    def powered(self, base: float, by: float) -> None: ...

    @abstractmethod
    def above(self) -> Any: ...

    @abstractmethod
    def of_place(self, own: Place, name: str, arguments: list[Any]) -> Any: ...

    @abstractmethod
    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any: ...

    def new(self, kind: str, node: ast.AST | None = None, extra: Any = None) -> Boxes:
        """Containers that this place makes, as many more as it is come to."""
        key = (id(node or self.at), kind, self.path, extra)
        if key not in self.sites:
            self.sites[key] = Boxes(kind, 0.0, layout=self.layout)
        box = self.sites[key]
        box.made += self.times
        self.flight.append(box)
        self.grown = True
        return box

    def named(self, name: str) -> Any:
        """What a name is."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return None

    def value(self, node: ast.expr | None) -> Any:
        """What an expression gives; None where nobody knows."""
        if node is None:
            return None
        kind = type(node).__name__
        self.at_node(kind)
        method = getattr(self, f"_of_{kind.lower()}", None)
        found = method(node) if method is not None else None
        if self.layout is not None and kind in _MAKING and isinstance(found, Written) and found.length > 1:
            self.spelt += min(self.times, MANY) * self.layout.size(found)
        return found

    def at_node(self, kind: str) -> None:
        """A node of the tree is gone through."""
        self.nodes += min(self.times, MANY)
        self.work(self.tempo.nodes.get(kind, self.tempo.others) * self.tempo.node)

    def work(self, nanoseconds: float) -> None:
        """So long, as often as what is gone through happens."""
        self.spend(min(self.times, MANY) * self.pace * nanoseconds * 1e-9)

    def through(self, value: Any) -> tuple[float | None, Any]:
        """How many a loop over it is given, and one of them."""
        if isinstance(value, Passing):
            return value.left, value.one
        if isinstance(value, Written):
            if value.raw:
                return value.length, Number(128.0, 0.0, 255.0, 256.0)
            letters = max(len({*value.sample}), 20.0 if value.distinct > 1 else 1.0)
            return value.length, Written(value.sample[:1] or " ", 1.0, min(letters, 60.0) if value.length else 1.0)
        if isinstance(value, Boxes):
            if value.kind == "dict":
                key = value.key if value.key is not None else spelt(value.fields)
                return value.entries, key
            if value.kind == "file":
                return value.apiece, value.one
            if value.fields and value.kind in ("tuple", "named"):
                return float(len(value.fields)), any_of([*value.fields.values()])
            if value.kind in ("object", "slots"):
                method = self.attribute(value, "__iter__")
                if isinstance(method, Defined):
                    given = self.call(method, [], {})
                    return self.through(given) if not isinstance(given, Boxes) or given.of is None else (None, None)
            if value.kind == "bytearray":
                return value.entries, Number(128.0, 0.0, 255.0, 256.0)
            return self.many(value), value.one
        return None, None

    def many(self, box: Boxes) -> float:
        """How many elements one has; of lists that are being filled as many as those before them."""
        if box.kind not in ("list", "bytearray", "array"):
            return box.entries
        return min(max(box.entries, box.top, box.amid if box.made <= 1 else 0.0), box.bound)

    def length(self, value: Any) -> float | None:
        """How many it has."""
        if isinstance(value, Written):
            return value.length
        if isinstance(value, Passing):
            return value.left
        if isinstance(value, Boxes):
            if value.kind in ("object", "slots"):
                method = self.attribute(value, "__len__")
                found = self.call(method, [], {}) if isinstance(method, Defined) else None
                return found.value if isinstance(found, Number) else self.through(value)[0]
            return float(len(value.fields)) if value.kind in ("tuple", "named") and value.fields else self.many(value)
        return None

    def parts(self, value: Any, count: int) -> list[Any]:
        """What several names are given."""
        if isinstance(value, Boxes) and value.fields and value.kind in ("tuple", "named", "list"):
            found = list(value.fields.values())
            return (found + [value.one if value.kind == "list" else None] * count)[:count]
        if isinstance(value, Passing) and value.first:
            return [*value.first, *[value.one] * count][:count]
        _, one = self.through(value)
        return [one] * count

    def starred(self, value: Any, count: int, place: int) -> list[Any]:
        """What several names are given one of which, at this place, is given a list of what the others leave."""
        many, one = self.through(value)
        first = [*known(value).values()]
        rest = self.listed(Passing(max((many or 0.0) - count + 1, 0.0), one, tuple(first[place:])))
        found = (first + [one] * count)[: count - 1]
        return [*found[:place], rest, *found[place:]]

    def tupled(self, values: Sequence[Any], node: ast.AST | None = None) -> Boxes:
        """A tuple of these."""
        made = self.new("tuple", node, len(values))
        for place, each in enumerate(values):
            old = made.fields.get(str(place))
            made.fields[str(place)] = merged(old, made.hold(each, self.times))
        return made

    def tuples(self, count: float | None, values: Sequence[Any]) -> Passing:
        """So many tuples of these."""
        times, self.times = self.times, min(self.times * max(count or 1.0, 0.0), MANY)
        one = self.tupled(values)
        one.inside = self.layout is not None and self.layout.open  # nobody keeps it as it is
        self.times = times
        return Passing(count, one)

    def listed(self, value: Any, kind: str = "list") -> Boxes:
        """A new list, or another container, of what something has."""
        count, one = self.through(value)
        first = known(value) if kind in ("list", "tuple") else {}
        if kind == "tuple" and len(first) != count:  # which has all of its own, or none
            first = {}
        made = self.new(kind)
        self.extend(made, value, (count, one))
        others = made.made > self.times * (1 + 1e-9)  # that were made here before
        made.fields = {
            at: merged(made.fields.get(at), one) for at, one in first.items() if at in made.fields or not others
        }
        return made

    def extend(self, box: Boxes, value: Any, told: tuple[float | None, Any] | None = None) -> None:
        """Adds all that something has, as it was `told` before the box was made."""
        count, one = told or self.through(value)
        if value is box and box.made > 1:  # what one of them has goes to another
            self.grown = True
            return
        if count is not None:
            self.add(box, one, count)
        self.grown = True

    def add(self, box: Boxes, value: Any, count: float = 1.0) -> None:
        """So many elements."""
        times = self.times * count
        if box.kind == "set":
            self.under(box, value, None, times)
            box.one = merged(box.one, value)
        else:
            box.put(value, times)
        self.grown = True

    def under(self, box: Boxes, key: Any, value: Any, times: float | None = None) -> None:
        """A value under a key; a search has no more of them than there are places."""
        box.keyed(any_where_unknown(key), value, self.times if times is None else times)
        if self.reach and box.most > self.reach[-1] > 1:
            box.most = self.reach[-1]
            for link in box.links.values():
                link[1] = min(link[1], box.most * box.made)

    def less(self, box: Boxes, count: float = 1.0) -> None:
        """An element goes, or so many, but of what is known to keep so many."""
        if box.bound >= MANY:
            box.drop(self.times * count)

    def built(self, maker: Any, node: ast.AST, key: Any = None) -> Any:
        """What `list`, `dict` or a function makes that is given nothing, or a key."""
        if isinstance(maker, Module) and maker.last in ("list", "dict", "set", "deque", "defaultdict", "Counter"):
            kind = {"defaultdict": "dict", "Counter": "dict"}.get(maker.last, maker.last)
            return self.new(kind, node)
        if isinstance(maker, Module) and maker.last in ("int", "float"):
            return Number(0.0, 0.0, MANY, MANY, maker.last == "int")
        self.at = node
        asks = isinstance(maker, Defined) and isinstance(maker.node, ast.Lambda) and bool(maker.node.args.args)
        return self.call(maker, [key] if asks else [], {})
