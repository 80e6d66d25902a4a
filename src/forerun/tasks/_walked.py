"""How many bytes of objects a plain Python program holds at once, and how long it works, as far as its text tells: it
is gone through, not run.

An abstract interpretation (Cousot and Cousot 1977) in one pass. What a loop does is done once, as often as the loop
goes round; all objects that one place of the text makes are one population (`forerun.tasks._objects`), so that lists
of lists, things with lists and mappings of mappings cost the same as one list. How many keys of a mapping differ
follows from what they are made of. What is not known counts as nothing, so the answer is from below.
"""

from __future__ import annotations

import ast
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Any

from forerun.tasks import _digits as digits
from forerun.tasks._beside import filed
from forerun.tasks._cases import shares
from forerun.tasks._copying import spread_out, within
from forerun.tasks._figures import ANEW, HARDLY, put_together, wide
from forerun.tasks._flushing import begins
from forerun.tasks._gathering import all_as_long, stretched, takes_apart
from forerun.tasks._inputs import Input, described, understood
from forerun.tasks._inserting import unrolled
from forerun.tasks._layouts import layout
from forerun.tasks._lengths import Many
from forerun.tasks._lines import Used
from forerun.tasks._objects import (
    MANY,
    THERE,
    Above,
    Bound,
    Boxes,
    Classed,
    DataModel,
    Defined,
    Either,
    Module,
    Number,
    Passing,
    Written,
    drawn,
    held,
    merged,
)
from forerun.tasks._opened import as_input, at_end, sized
from forerun.tasks._openings import lines_of, placed
from forerun.tasks._python import imported, tree
from forerun.tasks._recursion import DEEP, Recursive, last, numbers_of
from forerun.tasks._searching import endless, ends, exits, leaving
from forerun.tasks._several import file_of, joined, module_of, modules_of
from forerun.tasks._shapes import adds, called, measured, taken_from, takes_out, unlinks
from forerun.tasks._speeds import tempo
from forerun.tasks._starting import starting
from forerun.tasks._terms import OPERATORS
from forerun.tasks._tests import OWN
from forerun.tasks._tongues import translated
from forerun.tasks._verdicts import Verdict, alike, gone, rest

_TEXT, _STEPS, _LONG_S = 1 << 18, 30_000, 1e9
_TRUSTED, _PATIENCE, _PATIENCE_S, _LITTLE = 1e11, 1.2e10, 30.0, 1e8
"""Bytes, nodes and seconds, and bytes of what has more of these, beyond which something was multiplied that must not
be."""
_FUNCTION, _CLASS, _MARKED = 190.0, 2_280.0, 4_200.0
"""Bytes of a function and of a class, and of what a dataclass has beside that."""
_NONE = Number(None)
"""Nothing that was counted."""
_RARE = 0.1
"""How often a branch is taken that leaves the block."""
_MOSTLY = 0.05
"""Of the places of an array, which share is given something else at least where those that are asked for have that."""
_UNUSUAL = 0.01
"""How often a branch is taken at most that adds much less than it looks."""
_NEARLY = 0.99
"""How often that happens, or more, which nearly always does."""
_NEVER = 1e-9
"""How often that happens which does not."""
_SEEN = 10
"""Objects that are looked at in the time of a step."""
_GATHERING = {"dict": "dict", "OrderedDict": "dict", "defaultdict": "dict", "Counter": "dict", "UserDict": "dict"}
_GATHERING |= {"list": "list", "UserList": "list", "set": "set", "deque": "deque"}
"""What classes that inherit from these gather things as."""
_MAKING = (ast.BinOp, ast.JoinedStr, ast.List, ast.Dict)
"""What may be made of what it was, and some more."""
_GATHERED = frozenset(_GATHERING.values())
"""What does not hold the one that was in its place before."""
_ADDS = 0.5
"""Elements that a run of a function adds to what it puts together of what it gives itself: each second one ends."""
_SINGLE = frozenset(("object", "slots", "atom"))
"""What holds no more and no less whatever is put into it."""
_DEFINING = (ast.FunctionDef, ast.ClassDef)
_CACHED = 128.0
"""What `lru_cache` keeps where nothing is said."""
_LYING = 0.5
"""Which share of what was made and let go lies there until it is collected, where there is room."""
_LONG_LIST = 1e4
"""Elements of a list, from which on what it had before it became longer is large."""
_LET_GO = 10.0
"""How many times as much was made as is held, from which on it is much less than it looks."""
_WARM_S = 0.015
"""Seconds after which most of what is compiled while a program runs has been."""
_OFTEN = 60
"""Calls of a function, by different ways, from which on all others are like the last one."""
_SCARCE, _SELDOM = _STEPS // 2, 3
"""Steps that are left from which on functions are gone through less often, and how often."""
_COUNTED = 1.5
"""How often a function that is under way runs for each call, from which on that is told of what calls itself."""
_PLACES = 1e7
"""Places of a list that is filled by giving them something, at most."""
_STEPPED = 8.0
"""Letters of a text that one goes on by at once, at most."""

_ALONG = frozenset("importlib.import_module __import__ builtins.__import__ runpy.run_module runpy.run_path".split())
"""What goes through another file that it names."""


class Ended(Exception):
    """The steps are over."""


@lru_cache(maxsize=8)
def walked(text: str, given: str = "", language: str = "python", files: str = "") -> Used:
    """What a program without packages works with that is `given` an input, as `forerun.tasks._inputs` describes one,
    and may open `files`, as `forerun.tasks._beside` tells them. Never raises."""
    text, own = at_end(language, text) if not given else (text, "")
    if len(text) > _TEXT:
        return Used(followed=False)
    try:
        reads = understood(given or described(own.encode())) if given or own else Input()
        reads = replace(reads, files=filed(files)) if files else reads
        size = max(map(_size, (reads, *reads.files.values())))
        module = unrolled(tree(text) if language == "python" else _translated(language, text, size))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Used(followed=False)
    walker = Walker(module, reads)
    body, walker.modules = modules_of(text, module) if language == "python" else (module.body, {})
    walker.taken = bool(size and language != "python" and sized(language, text))
    walker.tempo, walker.layout, walker.language = tempo(language), layout(language), language
    if walker.layout is not None:
        walker.opening = placed(lines_of(language, text), module) if files else {}
        walker.starting = _nearest(starting(language, text), module)
        walker.removing, walker.parting = takes_out(module.body)
    try:
        walker.run(body)
        walker.look()
        walker.end()
    except Exception:  # what is left of it is not gone through
        walker.guessed.add(walker.line)
    if given or walker.opened:  # which says how much there is to do
        walker.endless.clear()
    soon = (walker.nodes <= _PATIENCE or walker.layout is not None) and walker.seconds <= _PATIENCE_S
    sure = not (walker.guessed or walker.unsure)
    return walker.used(_TRUSTED if soon or sure else _LITTLE, _LONG_S)


def _size(given: Input) -> float:
    """Bytes of an input."""
    return sum(one.lines * (one.length + 1) for one in given.stretches)


def _translated(language: str, text: str, size: float) -> ast.Module:
    """A program of several files in the order in which they are needed, each statement with its line of the text. Its
    input has so many bytes."""
    whole, lines = joined(language, text)
    made = translated(language, as_input(language, whole, size) if size else whole)
    numbered = {id(node): node for node in ast.walk(made) if lines and isinstance(node, (ast.stmt, ast.expr))}
    for node in numbered.values():
        node.lineno = lines[min(max(node.lineno, 1), len(lines)) - 1]
    return made


def _nearest(lines: frozenset[int], module: ast.Module) -> frozenset[int]:
    """Lines that say something, for lines of which nothing was left: those before, else the first one."""
    if not lines:
        return lines
    there = sorted(
        {one.lineno for one in ast.walk(module) if isinstance(one, ast.stmt) and not isinstance(one, _DEFINING)}
    )
    return frozenset(there[max(bisect_right(there, line) - 1, 0)] for line in lines if there)


class Walker(Recursive):
    """Statements, and calls of the program's own functions."""

    def __init__(self, module: ast.Module, given: Input) -> None:
        super().__init__(module, given)
        self.frames[0]["__name__"] = Written.like("__main__")
        self._left = _STEPS
        self._results = list[list[Any]]()
        self._returns = list[list[float]]()
        """How often each of these was returned."""
        self._nothing = list[float]()
        """How often nothing was, as it is written there."""
        self._verdicts = list[Verdict]()
        """What functions say that are under way, if that is yes or no."""
        self._yields = list[list[Any]]()
        self._entered = list[float]()
        """How often functions are gone through that are under way."""
        self.below = 1.0
        """How often functions run that are under way and call themselves each time that another one calls them."""
        self._paths = list[tuple[int, ...]]()
        """By which calls these were come to."""
        self._ends = dict[tuple[int, str], tuple[Number, float]]()
        """Names that count something, with what each held last, and what it holds once all is counted."""
        self._pieces = dict[int, dict[str, dict[int, tuple[float, Written]]]]()
        """Of texts that names of a frame hold what each statement added, and how often, since they were given anything
        else."""
        self._most = dict[int, dict[str, float]]()
        """Letters of texts that are begun anew once they have so many."""
        self._longer: dict[int, digits.Longer] | None = None
        """Statements that make whole numbers longer."""
        self._told = dict[int, tuple[int, float, Any]]()
        """How often each function was gone through, the seconds of one call, and what it gave."""
        self.defined = 0.0
        """Bytes of functions and classes."""
        self._reaching = set[int]()
        """Lists that are filled by giving their places something, by their identity."""
        self._ruled = dict[str, float]()
        """Which share of what is asked about is something else, as was asked before."""
        self.modules = dict[str, list[ast.stmt]]()
        """What stands in files of its own."""
        self._along = dict[str, Classed]()
        """Those that were gone through."""
        self.thinned = taken_from(module)
        """Names and fields of which something is taken out."""
        self.unlinks = unlinks(module)
        """Whether things are taken out of chains."""
        self.starting = frozenset[int]()
        """Lines where other programs are started."""
        self.opening = dict[int, list[ast.expr]]()
        """Statements that open files, by their identity, and how these are called."""
        self._over = False
        """Whether what stands behind a statement is not come to."""
        self._keeping = 0.0
        """Seconds that were spent on what is held."""

    def new(self, kind: str, node: ast.AST | None = None, extra: Any = None) -> Boxes:
        box = super().new(kind, node, extra)
        if self.below > _COUNTED:
            box.below = max(box.below, self.below)
        return box

    def look(self) -> None:
        """How much is held now."""
        named = {(name, id(value)): value for frame in self.frames for name, value in frame.items()}
        roots = [*named.values()]  # what functions that are under way hand on is there once
        found, steps = held([*roots, *self.flight], self._kept() if self.unlinks else None)
        found += self.defined + self.buffers
        more = max(found - self.most, 0.0) * self.tempo.kept * 1e-9
        self.spend(more)
        self._keeping += more
        self.hold(found)
        self._left -= (steps + len(roots)) // _SEEN

    def _kept(self) -> dict[int, float]:
        """How many things of a chain there are, at most, that are taken out of it: as many as a mapping keeps that is
        bound."""
        found = dict[int, float]()
        for box in self.sites.values():
            if box.bound < MANY and box.kind in _GATHERED and box.made <= self.times:
                for inner, _ in box.links.values():
                    if inner.kind in ("object", "slots"):
                        found[id(inner)] = max(found.get(id(inner), 0.0), box.bound * box.made + 1.0)
        return found

    def end(self) -> None:
        """What lies there until it is collected, and what a compiler takes that works beside the program."""
        if self.layout is None:
            return
        self.line = 0
        made = self._ever_made(self.layout)
        if self.language == "rust" and made > _LET_GO * self.most:  # nothing that was let go lies there
            self.settled = True
        lies = max(self.layout.garbage, self.layout.share * self.most)
        self.hold(self.most + min(_LYING * max(made - self.most, 0.0), lies))
        self.spend(self.tempo.warming * -math.expm1(-self.seconds / _WARM_S))

    def _ever_made(self, layout: DataModel) -> float:
        """Bytes of all that was made; where that is collected with texts, and what lists had before they grew."""
        plain = ("tuple",) if layout.views else ()  # several values at once
        boxes = [one for one in self.sites.values() if one.kind not in plain and not _in_place(one)]
        if not layout.open:
            return self.spelt + sum(box.made * box.shell for box in boxes)
        boxes = [one for one in boxes if not one.flat]
        texts: Iterable[Boxes] = (one for box in boxes for one, _ in box.links.values() if one.kind == "atom")
        grown = sum(box.made * box.shell for box in boxes if box.kind == "list" and box.entries > _LONG_LIST)
        return self.spelt + grown + sum(one.made * one.shell for one in (*boxes, *{id(x): x for x in texts}.values()))

    def run(self, body: Iterable[ast.stmt]) -> None:
        """One statement after the other; behind a branch that leaves, what is left of the times."""
        times, line, left = self.times, self.line, [*body]
        for place, node in enumerate(left):
            self.line, self.behind = node.lineno, left[place + 1 :]
            self._step(node)
            before = len(self.flight)
            method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if method is not None:
                method(node)
            if self.grown:
                self.grown = False
                self.look()
            del self.flight[before:]
            self.line = line
            self.looks(node)
            if isinstance(node, (ast.For, ast.While)) and self._calls and self.times > 1:
                self.times *= self.found_anew(node, left[place + 1 :])
            if ends(node):
                self._over = True
            if self._over:  # nothing comes behind it
                self._over, self.settled = False, self.settled or place < len(left) - 1
                break
        self.times = times

    def _step(self, node: ast.stmt) -> None:
        self._left -= 1
        if self._left < 0:
            raise Ended
        self.at_node(type(node).__name__)
        for named in self.opening.get(id(node), ()):
            self.turn_to(self.value(named))
        if node.lineno in self.starting and not isinstance(node, _DEFINING):
            self.unknown()
            self.starts.add(node.lineno)

    def _do_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, path in imported(node).items():
            own = self.frames[0].get(path.removeprefix(OWN)) if path.startswith(OWN) else self._of_own_file(path)
            self.frames[-1][name] = Module(path) if own is None else own
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            every = self._of_own_file(node.module or "")
            self.frames[-1] |= every.values if isinstance(every, Classed) else {}

    _do_importfrom = _do_import

    def _of_own_file(self, path: str) -> Any:
        """What stands in a file of the program's own, which is gone through when it is first asked for."""
        name, last = file_of(path, self.modules)
        if not name:
            return None
        own = self._gone_through(name)
        return own.values.get(last) if last else own

    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments and function.path in _ALONG else None
        if isinstance(first, Written) and first.known and self.modules:
            own = self._of_own_file(module_of(first.known) if function.path == "runpy.run_path" else first.known)
            if own is not None:
                return own
        return super().library(function, arguments, options)

    def _gone_through(self, name: str) -> Classed:
        """A file of the program's own."""
        made = self._along.get(name)
        if made is None:
            body = self.modules[name]
            node = ast.ClassDef(name.rpartition(".")[2], [], [], [], [], lineno=self.line)
            made = self._along[name] = Classed(node, values={"__name__": Written.like(name)})
            self.frames.append(made.values)
            self.run(body)
            self.frames.pop()
        return made

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if not self._calls and self.layout is None:
            self.defined += _FUNCTION
        made = Defined(node, frame=self.frames[-1] if len(self.frames) > 1 else None)
        for mark in node.decorator_list:
            if called(mark) in ("lru_cache", "cache"):
                given = [*mark.args, *(each.value for each in mark.keywords)] if isinstance(mark, ast.Call) else []
                most = self.value(given[0]) if given else None
                bound = most.known if isinstance(most, Number) else None
                unbound = called(mark) == "cache" or given
                made.cached = Boxes("dict", 1.0, bound=bound or (MANY if unbound else _CACHED))
        for mark in reversed(node.decorator_list):
            if isinstance(by := self.value(mark), Defined):  # one of the program's own may give another function
                given = self.call(by, [made], {})
                made = given if isinstance(given, Defined) else made
        self.frames[-1][node.name] = made

    _do_asyncfunctiondef = _do_functiondef

    def _do_classdef(self, node: ast.ClassDef) -> None:
        made = Classed(node, tuple(self.value(base) for base in node.bases))
        marks = {called(mark): mark for mark in node.decorator_list}
        if not self._calls and self.layout is None:
            methods = sum(isinstance(each, ast.FunctionDef) for each in node.body)
            self.defined += _CLASS + _FUNCTION * methods + _MARKED * ("dataclass" in marks)
        base = [one.last for one in made.bases if isinstance(one, Module)]
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        names = [each.target.id for each in fields if isinstance(each.target, ast.Name)]
        inherited = [name for line in made.bases if isinstance(line, Classed) for name in line.named]
        if "NamedTuple" in base:
            made.kind, made.named = "named", tuple(names)
        elif "dataclass" in marks:
            shared = {
                each.target.id
                for each in fields
                if isinstance(each.target, ast.Name) and "ClassVar" in ast.dump(each.annotation)
            }
            made.named = tuple(dict.fromkeys([*inherited, *(name for name in names if name not in shared)]))
            mark = marks["dataclass"]
            if isinstance(mark, ast.Call) and any(k.arg == "slots" for k in mark.keywords):
                made.kind = "slots"
        elif any(name in ("Enum", "IntEnum", "Flag", "StrEnum", "IntFlag") for name in base):
            made.kind = "enum"
        self.frames[-1][node.name] = made
        self.frames.append(made.values)
        self.run(each for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign, ast.ClassDef)))
        self.frames.pop()
        if "__slots__" in made.values:
            made.kind = "slots"
        made.kind = next((_GATHERING[name] for name in base if name in _GATHERING), made.kind)

    def _do_global(self, node: ast.Global) -> None:
        for name in node.names:
            self.shared.setdefault(id(self.frames[-1]), set()).add(name)

    def _do_expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _do_return(self, node: ast.Return) -> None:
        plain = self.layout is not None and self.layout.views  # several values at once are none that is made
        several = self._of_tuple(node.value) if plain and isinstance(node.value, ast.Tuple) else None
        found = self.value(node.value) if node.value is not None and several is None else several
        before = self._results[-1] if self._results and self.layout is not None else []
        both = isinstance(found, Boxes) and bool(before) and isinstance(before[-1], Boxes)
        if both and self.times < _RARE * self._entered[-1]:
            return  # it is mostly the one that was returned before
        if self._results:
            self._verdicts[-1].says(self._judged(node.value, found), self.times / max(self._entered[-1], 1e-300))
            self._results[-1].append(found)
            self._returns[-1].append(self.times)
            if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
                self._nothing[-1] += self.times

    def _judged(self, node: ast.expr | None, found: Any) -> Any:
        """What a function gives that only compares there, with how often that holds."""
        both = isinstance(node, ast.BoolOp) and all(isinstance(one, ast.Compare) for one in node.values)
        if not self._verdicts[-1].told or not (isinstance(node, ast.Compare) or both):
            return found
        with self.hardly():
            often = self._compares(node)
        return found if often is None else Number(often, 0.0, 1.0, 2.0)

    def _compares(self, node: ast.expr | None) -> float | None:
        """How often a comparison holds at the end of a function, whose sides follow from what it is given."""
        if isinstance(node, ast.BoolOp):
            found = [self._compares(one) for one in node.values]
            shares = [one if isinstance(node.op, ast.And) else 1 - one for one in found if one is not None]
            often = math.prod(shares)
            return None if len(shares) < len(found) else often if isinstance(node.op, ast.And) else 1 - often
        if not isinstance(node, ast.Compare) or len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return None
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            same = alike(self.value(node.left), self.value(node.comparators[0]))
            if same is not None:
                return same if isinstance(node.ops[0], ast.Eq) else 1 - same
        return self.likely(node)

    def _leaves(self, node: ast.If, body: Sequence[ast.stmt], told: float | None) -> None:
        """Which share of its calls a function leaves by a branch."""
        verdict = self._verdicts[-1] if self._verdicts else None
        returns = verdict and verdict.told and any(isinstance(x, ast.Return) for one in body for x in ast.walk(one))
        if verdict is None or not returns:
            return
        if told is None:
            verdict.told = False
        elif isinstance(body[-1], ast.Return) and self.begun_at:
            by = rest(node.test, self.sources) if body is node.body else None
            with self.hardly():
                divisor = self.value(by.right) if by is not None else None
            verdict.leaves = gone(divisor, told, self.times / max(self._entered[-1], 1e-300))

    def _do_assign(self, node: ast.Assign) -> None:
        self._lengthen(node)
        if self.loops and self._follows(node):
            return
        if self._gives_each(node) or self._renews(node):
            return
        value = self.value(node.value)
        if isinstance(node.targets[0], ast.Name):
            self.sources[node.targets[0].id] = node.value
        asks = isinstance(node.value, ast.Call) and called(node.value) == "get"
        for target in node.targets:
            self._wait(target, node.value)
            self.bind(target, self._varying(target, node.value, value))
            if isinstance(target, ast.Name):
                self.along.pop(target.id, None)
                if self.steady and _added(node.value, self.steady[-1][0]):
                    self.along[target.id] = self.steady[-1][0]
                self.asked_for.pop(target.id, None)
                if asks and self.got is not None:
                    self.asked_for[target.id] = self.got

    def _gives_each(self, node: ast.Assign) -> bool:
        """`self.left, self.right = left, right`: things go where they go, and no tuple is made."""
        target, given = node.targets[0], node.value
        plain = (ast.Name, ast.Attribute, ast.Constant)
        if not (isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple)) or len(target.elts) != len(given.elts):
            return False
        if not all(isinstance(one, ast.Attribute) for one in target.elts):
            return False
        if not all(isinstance(one, plain) for one in given.elts):
            return False
        self.at_node("Tuple")
        values = [self.value(one) for one in given.elts]
        for one, value in zip(target.elts, values, strict=True):
            self.bind(one, value)
        return True

    def _renews(self, node: ast.Assign) -> bool:
        """`batch = []` behind one that was full: there is another one of its kind."""
        target = node.targets[0]
        if not begins(node.value) or len(node.targets) > 1:
            return False
        owner = self._owner(target)
        old = self.named(target.id) if isinstance(target, ast.Name) else owner and owner.fields.get(last(target))
        if not isinstance(old, Boxes) or not old.renewed:
            return False
        self.at_node(type(node.value).__name__)
        old.made += self.times
        return True

    def _follows(self, node: ast.Assign) -> bool:
        """`text = word + text`, `all = [*all, one]`: each round copies what it is, and adds some more."""
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Name) or not isinstance(node.value, _MAKING):
            return False
        old, name, frame = self.named(target.id), target.id, self._frame_of(target.id)
        often, since = self._repeats(name), self._since(name)
        if isinstance(old, Written) and (parts := within(node.value, name)) is not None:
            made, pieces = self.value(node.value), self._pieces.get(frame, {}).get(name, {})
            if not isinstance(made, Written):
                return False
            more = Written("", max(made.length - old.length, 1.0), MANY, drawn=made.drawn)
            pieces = {**pieces, id(node): (often, more)}
            if often > 1:
                made = self._so_far(frame, name, put_together([*pieces.values()], drawn(old)), more)
            self.joined(made, ahead=ast.unparse(parts[0]) != name or self._anew(target, node.value))
            self.bind(target, made)
            self._pieces.setdefault(frame, {})[name] = pieces
        elif isinstance(old, Boxes) and often > 1 and (given := spread_out(node.value, name)) is not None:
            if old.kind not in ("list", "dict"):
                return False
            self.at_node(type(node.value).__name__)
            for key, value in given:
                one = self.value(value)
                self.under(old, self.value(key), one) if key is not None else self.add(old, one)
            self.copied_all(old)
            self.bind(target, old)
        else:
            return False
        if since is not None:
            self.since[frame][name] = since
        return True

    def full(self, asked: ast.expr, most: float, another: bool) -> None:
        """What is filled until it has so many, and then begins anew, by `another` one or the same."""
        value, (holder, name) = self.value(asked), self._holder(asked)
        if isinstance(value, Boxes):
            value.bound = min(value.bound, most + 1)
            self.halved.add(id(value))
            value.renewed = value.renewed or (another and self.layout is None)
        elif isinstance(value, Written) and name:
            self._most.setdefault(holder, {})[name] = most

    def _so_far(self, holder: int, name: str, made: Written, piece: Written) -> Written:
        """A text that was put together, as long as it becomes until it is begun anew."""
        most = self._most.get(holder, {}).get(name, math.inf) + piece.length
        if made.length <= most or made.pieces is None:
            return made
        several, one = made.pieces
        return replace(made, length=most, pieces=(several * most / made.length, one))

    def _fills(self, test: ast.expr) -> float | None:
        """How often a text is full that is begun anew then."""
        for one in ast.walk(test):
            asked = measured(one.left) if isinstance(one, ast.Compare) else None
            holder, name = (0, "") if asked is None else self._holder(asked)
            if (most := self._most.get(holder, {}).get(name)) is None:
                continue
            pieces = [*self._pieces.get(holder, {}).get(name, {}).values()]
            since = self.since.get(holder, {}).get(name, self.times)
            each = sum(max(often * since / self.times, 1.0) * piece.length for often, piece in pieces)
            return min(max(each, 1.0) / most, 1.0)
        return None

    def _anew(self, target: ast.expr, how: ast.AST) -> bool:
        """Whether Python copies a text that something is added to. From 3.11 on it adds in its place for names of
        functions alone, and not by an f-string: 200,000 letters for a name of the module took 1 s instead of 18 ms."""
        if self.layout is not None:
            return False
        if not isinstance(target, ast.Name):
            return isinstance(target, ast.Attribute)
        return isinstance(how, ast.JoinedStr) or self._frame_of(target.id) == id(self.frames[0])

    def _holder(self, target: ast.expr) -> tuple[int, str]:
        """Of a name its frame, by its identity, of an attribute the thing that is named, and how it is called there."""
        if isinstance(target, ast.Name):
            return self._frame_of(target.id), target.id
        owner = self._owner(target)
        return (0, "") if owner is None else (id(owner), last(target))

    def _owner(self, target: ast.expr) -> Boxes | None:
        """The thing that has an attribute and is named."""
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            return None
        owner = self.named(target.value.id)
        return owner if isinstance(owner, Boxes) and owner.kind in ("object", "slots") else None

    def _wait(self, target: ast.expr, source: ast.expr) -> None:
        """How long what follows from itself waits for itself, `x = x * 31 + y`."""
        if self.tempo.waited and isinstance(target, (ast.Name, ast.Attribute)) and (self.loops or self.times > 1):
            self.work(self.tempo.waited * (_multiplied(source, ast.unparse(target)) or 0))

    def _varying(self, target: ast.expr, source: ast.expr, value: Any) -> Any:
        """A number that follows from itself, `x = x * 5 % 97`, is another one each time."""
        if not isinstance(value, Number) or value.usual or not (self.loops or self.times > 1):
            return value
        if isinstance(target, ast.Tuple):
            return value
        named = ast.unparse(target)
        if not any(
            isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) == named for one in ast.walk(source)
        ):
            return value
        low, high = (value.low, value.high) if value.known is None else (-math.inf, math.inf)
        if isinstance(source, ast.BinOp) and isinstance(source.op, (ast.Mod, ast.BitAnd)):
            limit = self.value(source.right)
            if isinstance(limit, Number) and limit.known is not None and limit.known > 0:
                low, high = 0.0, limit.known
        spread = high - low + 1 if value.whole and math.isfinite(high - low) else MANY
        middle = (low + high) / 2 if math.isfinite(high - low) else value.value
        return replace(
            value, value=middle, low=low, high=high, distinct=min(max(spread, 2.0), MANY), atom=None, drawn=True
        )

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _lengthen(self, node: ast.Assign | ast.AugAssign) -> None:
        """What a whole number takes besides that has become long."""
        if self.layout is not None or not self.loops:
            return
        if self._longer is None:
            self._longer = digits.longer(self.module)
        if (one := self._longer.get(id(node))) is None:
            return
        with self.hardly():
            factor = self.value(one.factor) if one.factor is not None else Number.of(2.0**digits.FIBONACCI_BITS, True)
        old = self.named(one.name)
        if not (isinstance(old, Number) and isinstance(factor, Number) and factor.value):
            return
        bits = math.log2(max(abs(factor.value), 1.0)) if old.whole and factor.whole else 0.0
        many = self._repeats(one.name) * bits / digits.DIGIT_BITS / 2
        if many > 1:
            self.unseen(many * max(bits / digits.DIGIT_BITS, 1.0) * digits.DIGIT_NS)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        self._lengthen(node)
        old, more = self.value(node.target), self.value(node.value)
        if isinstance(node.op, ast.Sub) and (by := self._parts(node)) is not None:
            self.bind(node.target, self.operated(ast.Mod(), old, self.value(by)))
            return
        if isinstance(node.op, ast.Add) and isinstance(more, Number) and more.known and not isinstance(old, Boxes):
            place = last(node.target)
            self._advanced[place] = self._advanced.get(place, 0.0) + self.times * more.known
            if self.layout is not None and isinstance(old, Written) and old.known is None and more.known <= _STEPPED:
                return  # a place in a text
        if isinstance(old, Boxes):
            if old.kind in ("object", "slots") or isinstance(old.of, Classed):
                self._operate(node, old, more)
            elif old.kind in ("list", "deque", "set", "array", "bytearray") and more is not None:
                self.extend(old, more)
            return
        spells = self.layout is not None and isinstance(node.op, ast.Add) and isinstance(old, Written)
        if spells and isinstance(more, Number):  # as it is written
            more = Written("", wide(more, ""), more.distinct, drawn=more.drawn)
        made = self.operated(node.op, old, more)
        self._wait(node.target, ast.BinOp(node.target, node.op, node.value))
        if self.layout is not None and isinstance(node.op, ast.BitXor) and isinstance(made, Number):
            made = self._varying(node.target, ast.BinOp(node.target, node.op, node.value), made)  # it is drawn
        elif isinstance(made, Number) and isinstance(node.target, ast.Name) and self.loops:
            most = made.high
            if isinstance(old, Number) and isinstance(more, Number) and isinstance(node.op, ast.Add):
                most = old.high + max(more.high, 0.0) * self._repeats(node.target.id)
            made = Number(made.value, min(made.low, most), most, MANY, made.whole, made.usual)
            if self.layout is not None and isinstance(node.op, ast.Add):
                self._counting(node.target.id, old, more, made)
        frame, named = self._holder(node.target)
        since, pieces = self.since.get(frame, {}).get(named), self._pieces.get(frame, {}).get(named, {})
        if isinstance(made, Written) and self.loops and isinstance(node.op, ast.Add):
            often = self._often(since)
            first = pieces[id(node)][0] if id(node) in pieces else 0.0
            often += first if first <= 1.0 < often else 0.0  # the first round was gone through by itself
            piece = more if isinstance(more, Written) else Written("", 1.0, MANY)
            pieces = {**pieces, id(node): (often, piece)}
            if often <= 1 and isinstance(old, Written):
                made = replace(made, distinct=max(min(old.distinct * piece.distinct, MANY), ANEW), atom=None)
            else:
                made = self._so_far(frame, named, put_together([*pieces.values()], drawn(old)), piece)
            anew = self._anew(node.target, node)
            if self.tempo.adds or anew:
                self.joined(made, ahead=anew)
        self.bind(node.target, made)
        if since is not None:
            self.since[frame][named] = since
            self._pieces.setdefault(frame, {})[named] = pieces

    def _parts(self, node: ast.AugAssign) -> ast.expr | None:
        """Of `k = n // v; n -= k * v` the `v`, whose rest is left then."""
        product = node.value
        if not (isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)):
            return None
        for many, by in ((product.left, product.right), (product.right, product.left)):
            whole = self.sources.get(many.id) if isinstance(many, ast.Name) else None
            if not (isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.FloorDiv)):
                continue
            if [*map(ast.unparse, (whole.left, whole.right))] == [*map(ast.unparse, (node.target, by))]:
                return by
        return None

    def _operate(self, node: ast.AugAssign, old: Boxes, more: Any) -> None:
        """`total += one` of things whose class says what that does."""
        name = OPERATORS.get(type(node.op), "")
        own, plain = (self.attribute(old, f"__{kind}{name}__") for kind in ("i", ""))
        if isinstance(own, Defined):
            self.call(own, [more], {})
        elif isinstance(plain, Defined):
            self.bind(node.target, self.call(plain, [more], {}))

    def _since(self, name: str) -> float | None:
        return self.since.get(self._frame_of(name), {}).get(name)

    def _counting(self, name: str, old: Any, more: Any, made: Number) -> None:
        """A name that counts: what it is in the end is kept until all rounds are over."""
        start, step = getattr(old, "value", None), getattr(more, "value", None)
        if start is not None and step is not None and math.isfinite(far := start + step * self._repeats(name)):
            self._ends[self._frame_of(name), name] = made, far

    def counted(self, body: Sequence[ast.stmt]) -> None:
        """What was counted there is what it is in the end."""
        steps = [each for stmt in body for each in ast.walk(stmt) if isinstance(each, ast.AugAssign)]
        falls = {ast.unparse(each.target) for each in steps if not isinstance(each.op, ast.Add)}
        for one in steps:
            if isinstance(one.target, ast.Name) and one.target.id not in falls:
                place, named = self._frame_of(one.target.id), one.target.id
                last, far = self._ends.get((place, named), (_NONE, 0.0))
                frame = self.frames[0] if place == id(self.frames[0]) else self.frames[-1]
                if frame.get(named) is last:
                    frame[named] = replace(last, value=far, low=max(last.low, far / 2), high=max(last.high, far))

    def _frame_of(self, name: str) -> int:
        """Where a name has its value, by its identity."""
        here = id(self.frames[-1])
        return id(self.frames[0]) if name in self.shared.get(here, ()) else here

    def _repeats(self, name: str) -> float:
        """How often this happens for each time that a name was given a value."""
        return self._often(self._since(name))

    def _often(self, since: float | None) -> float:
        """The same of what was given a value so often."""
        return max(self.times / max(since or self.times, 1e-300), 1.0)

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.frames[-1].pop(target.id, None)
            elif isinstance(target, ast.Subscript) and isinstance(owner := self.value(target.value), Boxes):
                gone = target.slice if isinstance(target.slice, ast.Slice) else None
                self.less(owner, 1.0 if gone is None else self.cut(owner, gone))

    def _do_if(self, node: ast.If) -> None:
        absent = self.absent = self.gathered_anew(node)
        absent = self.lacking(node) if absent is None else absent
        told, times = self.likely(node.test), self.times
        told, self.absent = told if absent is None else absent, None
        if self.layout is not None and times > 1 and told is not None and told < _UNUSUAL and adds(node.body):
            self.settled = True  # which looks like much
        asked, part = self._asked_for(node.test, told)
        if part is not None:  # of those that are left
            told = min(part / max(1.0 - self._ruled.get(asked, 0.0), part, HARDLY), 1.0)
        if _record(node) and times > 1 and not self._clamped(node):  # the best so far: seldom
            told = min(math.log(times + 1) / times, 0.5)
        leaves, elsewhere = leaving(node.body), leaving(node.orelse)
        skips = leaves and isinstance(node.body[-1], ast.Continue)
        if skips and told is not None and told > _NEARLY and _differs(node.test):  # what is no longer true
            told = None
        self._limits(node)
        told = self._fills(node.test) if told is None and times > 1 else told
        often = told if told is not None else _RARE if leaves and not skips and not node.orelse else 0.5
        frame, found = self.frames[-1], list[tuple[float, dict[str, Any]]]()
        first = dict(frame) if self.layout is not None else {}
        limited = self._limited(node) if self.layout is not None else None
        for share, body in ((often, node.body), (1 - often, node.orelse)):
            if share > 0 and body:
                before, ruled = dict(frame), self._ruled
                if part is not None and body is node.orelse:
                    self._ruled = {**ruled, asked: ruled.get(asked, 0.0) + part}
                self._leaves(node, body, told if body is node.body or told is None else 1 - told)
                self.times = min(times * share, self._once(body[-1]))
                self.run(body)
                if self._verdicts:
                    self._verdicts[-1].leaves = None
                self._ruled = ruled
                left = leaving(body)
                found.append((share, {} if left else {k: v for k, v in frame.items() if v is not before.get(k)}))
        if len(found) == 2:  # what is one thing or the other
            (often_one, ones), (_, others) = found
            for name in ones.keys() & others.keys():
                one, other = ones[name], others[name]
                if isinstance(other, Boxes) and isinstance(one, Boxes):
                    frame[name] = other.joins(one, often_one)
                elif not isinstance(other, Boxes):
                    frame[name] = merged(one, other)
        if 0 < often < 1:
            self._flags(first)
        if limited is not None:
            frame[limited[0]] = limited[1]
        at_once = leaves and isinstance(node.body[-1], ast.Return) and times <= 1 and not self.again
        self._over = often == 1.0 and not self.loops and (exits(node.body[-1]) or at_once)
        self.times = times * ((1 - often if leaves else often if elsewhere else 1.0) or _NEVER)

    def _asked_for(self, test: ast.expr, told: float | None) -> tuple[str, float | None]:
        """Of `kind == "T"` what is asked about, and which share that is of all there are, where that is told."""
        if told is None or not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq)):
            return "", None
        plain = isinstance(test.left, ast.Name) and isinstance(test.comparators[0], ast.Constant)
        value = self.value(test.left) if plain else None
        shares = value.shares if isinstance(value, Written) else None
        return ast.unparse(test.left), told if shares is not None else None

    def _flags(self, before: dict[str, Any]) -> None:
        """What was true before a branch, and is not behind it, may be either, as it may not have been taken."""
        frame = self.frames[-1]
        for name, old in before.items():
            new = frame.get(name)
            if not isinstance(new, Number) or new is old or new.known not in (0.0, 1.0):
                continue
            if old is None or (isinstance(old, Number) and 0 <= old.low <= old.high <= 1 and old.known != new.known):
                frame[name] = replace(new, low=0.0, high=1.0, distinct=2.0)

    def _once(self, last: ast.stmt) -> float:
        """How often something happens at most that ends with this: what leaves a loop, or a function, does so once."""
        if isinstance(last, ast.Return):
            return self._entered[-1] if self._entered else MANY
        if exits(last):
            return 1.0
        return self.begun_at[-1] if isinstance(last, ast.Break) and self.begun_at else MANY

    def _limited(self, node: ast.If) -> tuple[str, Number] | None:
        """Of `if high > n: high = n` the name, and what it is behind that: the smaller one."""
        test, body = node.test, node.body[0]
        if len(node.body) > 1 or node.orelse or not isinstance(test, ast.Compare) or not isinstance(body, ast.Assign):
            return None
        name, orders = test.left, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
        if not (isinstance(name, ast.Name) and len(test.ops) == 1 and isinstance(test.ops[0], orders)):
            return None
        most = test.comparators[0]
        if [*map(ast.unparse, body.targets)] != [name.id] or ast.unparse(most) != ast.unparse(body.value):
            return None
        old, new = self.named(name.id), self.value(most)
        if not (isinstance(old, Number) and isinstance(new, Number)) or old.value is None or new.value is None:
            return None
        pick = min if isinstance(test.ops[0], (ast.Gt, ast.GtE)) else max
        low, high = pick(old.low, new.low), pick(old.high, new.high)
        return name.id, replace(old, value=pick(old.value, new.value), low=low, high=high)

    def _clamped(self, node: ast.If) -> bool:
        """`if level > MOST: level = MOST`."""
        test, value = node.test, node.body[0].value if isinstance(node.body[0], ast.Assign) else None
        if not isinstance(test, ast.Compare) or value is None:
            return False
        most = self.value(value)
        return ast.unparse(test.comparators[0]) == ast.unparse(value) and getattr(most, "known", None) is not None

    def _do_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.run(node.body)

    _do_asyncwith = _do_with

    def _do_try(self, node: ast.Try) -> None:
        self.run([*node.body, *node.orelse, *node.finalbody])
        times = self.times
        for handler in node.handlers:
            lacking = handler.type is not None and called(handler.type) in ("KeyError", "IndexError")
            self.times = times * (0.5 if lacking else _RARE * _RARE)
            self.run(handler.body)
        self.times = times

    def _do_match(self, node: ast.Match) -> None:
        subject, times = self.value(node.subject), self.times
        for case, share in zip(node.cases, shares(subject, node.cases, not self.loops), strict=True):
            if not share:
                continue
            self.times = times * share
            self._capture(case.pattern, subject)
            self.run(case.body)
        self.times = times

    def _capture(self, pattern: ast.pattern, value: Any) -> None:
        """The names that a pattern binds."""
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self._capture(pattern.pattern, value)
            if pattern.name:
                self.frames[-1][pattern.name] = value
        elif isinstance(pattern, ast.MatchSequence):
            for each, part in zip(pattern.patterns, self.parts(value, len(pattern.patterns)), strict=True):
                self._capture(each, part)
        elif isinstance(pattern, ast.MatchStar) and pattern.name:
            self.frames[-1][pattern.name] = self.listed(value)
        elif isinstance(pattern, (ast.MatchMapping, ast.MatchClass, ast.MatchOr)):
            plain = isinstance(pattern, ast.MatchClass) and isinstance(self.value(pattern.cls), Module)  # `int(n)`
            for each in pattern.patterns:
                self._capture(each, value if plain or isinstance(pattern, ast.MatchOr) else None)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Gives a name, an attribute or a place its value."""
        if isinstance(target, ast.Name):
            frame = self.frames[-1]
            if target.id in self.shared.get(id(frame), ()):
                frame = self.frames[0]
            if value is None and self.loops and isinstance(frame.get(target.id), Boxes):
                return  # `node = node.next`: another one of them
            frame[target.id] = value
            self.since.setdefault(id(frame), {})[target.id] = self.times
            self._pieces.get(id(frame), {}).pop(target.id, None)
            self.looked.pop((id(frame), target.id), None)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            several = [n for n, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
            parts = (
                self.starred(value, len(target.elts), several[0]) if several else self.parts(value, len(target.elts))
            )
            for each, part in zip(target.elts, parts, strict=True):
                self.bind(each, part)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, Boxes):
                self.set_field(owner, target.attr, value)
                self.since.setdefault(id(owner), {})[target.attr] = self.times
                self._pieces.get(id(owner), {}).pop(target.attr, None)
            elif isinstance(owner, Classed):
                owner.values[target.attr] = value
        elif isinstance(target, ast.Subscript):
            self._bind_place(target, value)

    def _bind_place(self, target: ast.Subscript, value: Any) -> None:
        owner, key = self.value(target.value), self._counted_on(target, self.value(target.slice))
        if isinstance(owner, Written) and isinstance(target.value, ast.Name):  # another letter somewhere in a text
            several = min(owner.distinct * max(owner.length, 1.0), MANY)
            self.frames[-1][target.value.id] = replace(owner, distinct=several, atom=None, number=None)
        if not isinstance(owner, Boxes):
            return
        self.grown = True
        if owner.kind == "bytearray" and self.tempo.missed:
            self.far(owner, target)
        if owner.kind == "dict":
            self.work(self.tempo.keyed)
            if isinstance(key, Written) and key.known is not None and (key.known in owner.fields or not self.loops):
                self.set_field(owner, key.known, value)
            else:
                self.under(owner, key, value)
        elif owner.kind == "config":
            owner.puts += 8.0 * self.times
            owner.spilt += 8.0 * 230.0 * self.times
        elif owner.kind in ("object", "slots"):
            method = self.attribute(owner, "__setitem__")
            if isinstance(method, Defined):
                self.call(method, [key, value], {})
        elif owner.inside and [*owner.fields] == ["0"]:  # the place of a name, as it was given to a function
            owner.fields["0"] = value
        elif owner.kind in ("list", "deque") and not isinstance(target.slice, ast.Slice):
            if self.tempo.missed:
                self.far(owner, target)
            self._reach_out(owner, key, value)
            share = min(self.times, owner.puts)
            if owner.puts:  # in the place of others
                for link in owner.links.values():
                    link[1] *= 1 - share / owner.puts
            kept = owner.hold(value, share)
            mostly = self.layout is not None and owner.flat and share >= _MOSTLY * owner.puts
            owner.one = merged(kept, owner.one) if mostly and kept is not None else merged(owner.one, kept)

    def _counted_on(self, node: ast.Subscript, key: Any) -> Any:
        """`self.rows[self.n] = row`, where another statement counts on what is in a field, and nothing is taken out."""
        often = self._advanced.get(last(node.slice), 0.0) if isinstance(node.slice, ast.Attribute) else 0.0
        if not isinstance(key, Number) or key.known is None or often <= 1 or last(node.value) in self.thinned:
            return key
        return replace(key, high=key.high + often, distinct=min(often, MANY), atom=None)

    def _reach_out(self, owner: Boxes, key: Any, value: Any) -> None:
        """Where a place behind the end of a list is given something, the list has one more."""
        plain = owner.kind == "list" and not owner.flat and owner.start is None and owner.top >= 0
        if self.layout is None or not self.layout.open or not plain or not isinstance(key, Number):
            return
        if owner.puts and id(owner) not in self._reaching:
            return
        self._reaching.add(id(owner))
        room = key.distinct * owner.made - owner.puts if key.distinct > 1 and key.high < _PLACES else 0.0
        owner.put(value, min(self.times, room))

    def set_field(self, owner: Boxes, name: str, value: Any) -> None:
        """Gives an attribute, or a key that is written out, its value."""
        old = owner.fields.get(name)
        if isinstance(old, Boxes) and old is not value:
            owner.links.pop(id(old), None)
        if not isinstance(value, Boxes):
            self._set_scalar(owner, name, value, old)
            return
        owner.fields[name] = value
        chained = value.kind not in _GATHERED and value.made > owner.made and _holds(value, owner)
        share = self.times if value is owner or chained else min(self.times, owner.made)
        share = share if owner.kind != "dict" or owner.made > 1 else owner.made
        for one, often in value.ways():
            before = (
                owner.links.get(id(one), (one, 0.0))[1] if self.again and owner.below else 0.0
            )  # others have theirs
            owner.links[id(one)] = [one, max(share * often, before)]

    def _set_scalar(self, owner: Boxes, name: str, value: Any, old: Any) -> None:
        """A number or a text in the place of another one: all things have one then."""
        there = old.atom if isinstance(old, (Number, Written)) else None
        if not isinstance(value, (Number, Written)):
            owner.fields[name] = value if old is None else merged(old, value)
        elif value.atom is THERE or not (size := owner.layout.size(value) if owner.layout else value.bytes):
            owner.fields[name] = replace(value, atom=there or THERE)
            if there is not None and there is not THERE and isinstance(value, Written):  # others may be kept elsewhere
                there.made = max(there.made, self.times)
        else:
            own = value.atom is None
            atom = value.atom or (there if there is not THERE else None) or Boxes("atom", 0.0, each=size)
            if there is not None and there is not atom:
                owner.links.pop(id(there), None)
            if own:
                atom.made, atom.each = max(atom.made, owner.made), max(atom.each, size)
            owner.links[id(atom)] = [atom, owner.made]
            owner.fields[name] = replace(value, atom=atom)

    def call(self, function: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function or a class of the program's own gives."""
        if isinstance(function, Classed):
            self.work(self.tempo.followed if "__flat__" in function.values else self.tempo.made)
            return self._instance(function, arguments, options)
        if isinstance(function, Module):
            return self.library(function, arguments, options)
        if isinstance(function, Boxes):
            method = self.attribute(function, "__call__")
            return self.call(method, arguments, options) if isinstance(method, Defined) else None
        if isinstance(function, Bound):
            return self.asked(function.own, function.name, arguments, options)
        if isinstance(function, Either):
            times, self.times = self.times, self.times / len(function.each)
            found = [self.call(each, arguments, options) for each in function.each]
            self.times = times
            return reduce(merged, found)
        if not isinstance(function, Defined):
            return None
        self.work(self.tempo.followed)
        if function.own is not None:
            arguments = [function.own, *arguments]
        if function.cached is not None:
            self._remember(function, arguments)
        deep = sum(each is function.node for each, _ in self._calls)
        if deep and self._nearer(function.node, arguments):
            return self._followed(function, arguments, options)
        if len(self._calls) > DEEP or deep > 1:
            if not deep:
                self.guessed.add(function.node.lineno)
            return self._given_before() if deep else None
        told = self._told.get(id(function.node))
        often = _OFTEN if self.layout is None or self._left > _SCARCE else _SELDOM
        if told is not None and told[0] >= often:  # it was gone through before, again and again
            self.spend(self.times * self.pace * told[1])
            return told[2]
        if not deep:
            return self._followed(function, arguments, options)
        times = self.times  # how often it calls itself nobody knows: once each time
        if function.cached is None and id(function.node) not in self.recurring:
            self.guessed.add(function.node.lineno)
            counted = self._entered[-1] > _COUNTED * self._calls[-1][1]
            if not counted and self._several_ways(function.node, _class_of(function)):
                self.endless.add(function.node.lineno)
        place = next(n for n, (each, _) in enumerate(self._calls) if each is function.node)
        self.times = min(times, self._calls[place][1])
        if id(function.node) in self.recurring and self._entered[place] > _COUNTED * self.times:  # what others make
            self.path = self._paths[place]
        self.again += 1
        found = self._followed(function, arguments, options)
        self.again -= 1
        self.times = times
        told_all = id(function.node) in self.gathered
        if id(function.node) in self.recurring and not told_all and self._grows(function.node, found):
            self.guessed.add(function.node.lineno)
        return found

    def _given_before(self) -> Any:
        """What a function that is under way gave last: of lists one that has anything, if there is one."""
        found = self._results[-1] if self._results else []
        empty = bool(found) and isinstance(found[-1], Boxes) and found[-1].kind == "list" and not found[-1].puts
        some = [one for one in found if isinstance(one, Boxes) and one.kind == "list" and one.puts] if empty else []
        return some[-1] if some else found[-1] if found else None

    def _grows(self, node: ast.AST, found: Any) -> bool:
        """Whether what a function gives is put together of what it gives itself: how long that becomes is not told."""
        several = isinstance(found, Written) or (isinstance(found, Boxes) and found.kind not in _SINGLE)
        if not several or not isinstance(node, ast.FunctionDef):
            return False
        inside = self.everything(node)
        return takes_apart(inside, [one for one in inside if isinstance(one, ast.Call) and called(one) == node.name])

    def _followed(self, function: Defined, arguments: list[Any], options: dict[str, Any]) -> Any:
        """The same, with what it took kept for when it is called again and again."""
        before, times = self.seconds - self._keeping, max(self.times * self.pace, 1e-300)
        hidden = self.hidden
        read = dict(self._advanced)
        found = self._follow(function, arguments, options)
        if self.layout is not None and (rest := self._unread(function, read)) > 0:
            once, self.times = self.times, self.times * rest
            found = self._follow(function, arguments, options)
            self.times = once
        if id(function.node) in self.recurring:
            self.hide(hidden, before + self._keeping)
        many = self._told.get(id(function.node), (0, 0.0, None))[0]
        self._told[id(function.node)] = (many + 1, (self.seconds - self._keeping - before) / times, found)
        return found

    def _follow(self, function: Defined, arguments: list[Any], options: dict[str, Any]) -> Any:
        node = function.node
        named = node.args
        names = [each.arg for each in (*named.posonlyargs, *named.args)]
        frame = self._around(function.frame)
        defaults = [self.value(each) for each in named.defaults]
        frame |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        frame |= {each.arg: self.value(given) for each, given in zip(named.kwonlyargs, named.kw_defaults, strict=True)}
        frame |= dict(zip(names, arguments, strict=False)) | options
        if named.vararg:
            frame[named.vararg.arg] = self.tupled(arguments[len(names) :])
        self.frames.append(frame)
        self._results.append([])
        self._returns.append([])
        self._nothing.append(0.0)
        self._yields.append([0.0, None])
        self._verdicts.append(Verdict(told=id(node) not in self.recurring and not self.again))
        self._calls.append((node, self.times))
        self._paths.append(self.path)
        self._numbers.append(numbers_of(node, arguments))
        times, loops, pace = self.times, self.loops, self.pace
        self.pace *= self._dividing(node, frame)
        self.times *= self._goes_again(node, frame, names, function.own)
        self._entered.append(self.times)
        runs = self.times / times if times else 0.0
        below, self.below = self.below, max(self.below, runs)
        begun_at, begun_s, self.begun_at = self.begun_at, self.seconds, []
        try:
            if isinstance(node, ast.Lambda):
                self._results[-1].append(self.value(node.body))
            else:
                self.run(node.body)
            self.look()
        finally:
            self.frames.pop()
            self.since.pop(id(frame), None)  # another frame may have its place
            self._pieces.pop(id(frame), None)
            self._most.pop(id(frame), None)
            self.forget(frame)
            self.shared.pop(id(frame), None)
            self._calls.pop()
            self._paths.pop()
            self._numbers.pop()
            self._entered.pop()
            self.begun_at = begun_at
            found, often, (given, one) = self._results.pop(), self._returns.pop(), self._yields.pop()
            verdict = self._verdicts.pop()
            nothing = self._nothing.pop()
            self.times, self.loops, self.pace, self.below = times, loops, pace, below
        if given:
            count = given / max(times, 1e-300)
            spent = (self.seconds - begun_s) / given if endless(node) else 0.0
            return self.stream(Passing(count, one, self.begun(one, count), often=max(times, 1e-300), each_s=spent))
        result = None
        for n, each in enumerate(found):
            if isinstance(each, Boxes) and isinstance(result, Boxes):
                result = each.joins(result, n / (n + 1))
            else:
                result = each if isinstance(each, Boxes) or result is None else merged(result, each)
        if self.layout is not None and len(often) == len(found) > 1 and isinstance(result, Written) and sum(often) > 0:
            texts = [(one.length, many) for one, many in zip(found, often, strict=True) if isinstance(one, Written)]
            if len(texts) == len(found) and result.known is None:
                result = replace(result, length=sum(long * many for long, many in texts) / sum(often))
            if nothing and texts:
                result = replace(result, empty=nothing / sum(often))
        if (share := verdict.share) is not None and id(node) not in self.recurring:
            result = Number(share, 0.0, 1.0, 2.0)
        if function.cached is not None:
            function.cached.hold(result, function.cached.entries)
        if runs > 1.0 and id(node) in self._exactly and self._grows(node, result):
            told = self.gathered.get(id(node))
            if told is not None and isinstance(result, Boxes):  # not what the last ones give
                result = max((one for one, _ in result.ways()), key=lambda one: one.puts)
                result.beside.clear()
                if isinstance(told.one, Many):
                    all_as_long(result, told.one.count)
            self._gather_all(result, _ADDS * runs if told is None else float(told.count))
        return result

    def _gather_all(self, result: Any, many: float) -> None:
        """What is put together of what a function gives itself has what all runs of it add."""
        for one, _ in result.ways() if isinstance(result, Boxes) else ():
            stretched(one, many)
        self.flight.append(result)
        self.look()
        self.flight.pop()

    def _around(self, made_in: dict[str, Any] | None) -> dict[str, Any]:
        """The names that a function knows from where it was made; where that is under way those that are hidden by
        others that were called since."""
        if not made_in:
            return {}
        place = next((n for n, one in enumerate(self.frames) if one is made_in), None)
        if place is None:
            return dict(made_in)
        return {name: made_in[name] for frame in self.frames[place + 1 :] for name in frame.keys() & made_in.keys()}

    def above(self) -> Above | None:
        """What `super()` gives: the thing, as one of the class above that of the method that is under way."""
        node = self._calls[-1][0] if self._calls else None
        for own in self.frames[-1].values():
            if isinstance(own, Boxes) and isinstance(own.of, Classed):
                lines = [*own.of.lines()]
                place = next((i for i, line in enumerate(lines) if node in line.node.body), -1)
                return Above(own, lines[place + 1]) if 0 <= place < len(lines) - 1 else None
        return None

    def _instance(self, of: Classed, arguments: list[Any], options: dict[str, Any]) -> Any:
        if of.kind == "enum":
            return None
        made = self.new(of.kind)
        made.of = of
        if isinstance(size := of.values.get("__size__"), Number) and size.known is not None:
            made.each = size.known
        if of.kind in _GATHERING.values() and arguments:
            self.extend(made, arguments[0])
        named = [*of.named]
        given = dict(zip(named, arguments, strict=False)) | {key: options[key] for key in options if key in named}
        for line in reversed([*of.lines()]):
            for each in line.node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value is not None:
                    name = each.target.id
                    if name in named and name not in given:
                        given[name] = self._default(each.value)
        for name in named:
            self.set_field(made, name, given.get(name))
        start = self.attribute(made, "__init__") if of.kind != "named" else None
        if isinstance(start, Defined):
            self.call(start, arguments, options)
        after = self.attribute(made, "__post_init__") if named else None
        if isinstance(after, Defined):
            self.call(after, [], {})
        return made

    def _default(self, node: ast.expr) -> Any:
        """Of a field: what `field(default_factory=list)` makes."""
        if isinstance(node, ast.Call) and called(node) == "field":
            for each in node.keywords:
                if each.arg == "default_factory":
                    return self.built(self.value(each.value), each)
                if each.arg == "default":
                    return self.value(each.value)
            return None
        return self.value(node)

    def _of_lambda(self, node: ast.Lambda) -> Any:
        return Defined(node, frame=self.frames[-1] if len(self.frames) > 1 else None)

    def _of_yield(self, node: ast.Yield) -> Any:
        value = self.value(node.value) if node.value is not None else None
        if self._yields:
            self._yields[-1][0] += self.times
            self._yields[-1][1] = merged(self._yields[-1][1], value)

    def _of_yieldfrom(self, node: ast.YieldFrom) -> Any:
        count, one = self.through(self.value(node.value))
        if self._yields:
            self._yields[-1][0] += self.times * (count or 0.0)
            self._yields[-1][1] = merged(self._yields[-1][1], one)


def _class_of(function: Defined) -> str:
    """Of a constructor the name of the class; nothing of other functions."""
    own = function.own.of if isinstance(function.own, Boxes) and isinstance(function.own.of, Classed) else None
    constructs = own is not None and getattr(function.node, "name", "") == "__init__"
    return own.node.name if own is not None and constructs else "()"


def _in_place(box: Boxes) -> bool:
    """Whether something stands where its name does: nobody has to collect it."""
    return box.inside or (isinstance(box.of, Classed) and "__flat__" in box.of.values)


def _holds(value: Boxes, owner: Boxes) -> bool:
    """Whether one of these may hold the one that was in its place before."""
    inside = [link[0] for link in value.links.values()]
    return value.of is owner.of or owner in inside or any(id(owner) in one.links for one in inside)


def _record(node: ast.If) -> bool:
    """`if x > best: best = x`, and `if x > best[0]: best = [x, y]`."""
    test = node.test
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Gt, ast.Lt))):
        return False
    sides = (test.left, test.comparators[0])
    return any(_beats(own, best, one) for own, best in (sides, sides[::-1]) for one in node.body)


def _beats(own: ast.expr, best: ast.expr, one: ast.stmt) -> bool:
    """Whether a statement puts a number in the place of the best one, or what has it in that place: `best = own`,
    `best[0] = own`, `best = [own, y]`, and `all.append([own, y])` where it was asked of `all[-1][0]`."""
    added = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
    if isinstance(one, ast.Assign) and len(one.targets) == 1:
        to, given = ast.unparse(one.targets[0]), one.value
    elif added and isinstance(added.func, ast.Attribute) and added.func.attr == "append" and added.args:
        to, given = f"{ast.unparse(added.func.value)}[-1]", added.args[0]
    else:
        return False
    part = best.slice.value if isinstance(best, ast.Subscript) and isinstance(best.slice, ast.Constant) else None
    several = given.elts if isinstance(given, (ast.Tuple, ast.List)) else []
    if isinstance(best, ast.Subscript) and isinstance(part, int) and 0 <= part < len(several):
        best, given = best.value, several[part]
    elif added:  # all that become larger may be kept
        return False
    return [to, ast.unparse(given)] == [*map(ast.unparse, (best, own))]


def _differs(test: ast.expr) -> bool:
    """`d != known[u]`."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.NotEq)):
        return False
    return not any(isinstance(each, ast.Constant) for each in (test.left, *test.comparators))


def _added(source: ast.expr, name: str) -> bool:
    """Whether something has this name, or is that and something else."""
    if isinstance(source, ast.BinOp) and isinstance(source.op, (ast.Add, ast.Sub)):
        return _added(source.left, name) or (isinstance(source.op, ast.Add) and _added(source.right, name))
    return isinstance(source, ast.Name) and source.id == name


def _multiplied(source: ast.expr, name: str) -> int | None:
    """Multiplications between what has the name and what is made of it; None where nothing is."""
    if isinstance(source, (ast.Name, ast.Attribute)):
        return 0 if ast.unparse(source) == name else None
    if isinstance(source, ast.BinOp):
        found = [_multiplied(one, name) for one in (source.left, source.right)]
        own = isinstance(source.op, ast.Mult)
        return max((each + own for each in found if each is not None), default=None)
    within = [source.operand] if isinstance(source, ast.UnaryOp) else []
    within += source.args if isinstance(source, ast.Call) else []
    return max((each for one in within if (each := _multiplied(one, name)) is not None), default=None)
