"""How many bytes of arrays a Python program holds at once, and how long it works, as far as its text tells: it is gone
through, not run.

An abstract interpretation (Cousot and Cousot 1977) of what NumPy programs do: names hold arrays of known shapes, calls
of the program's own functions are followed, loops are gone through twice and what they gather is counted as often as
they go round. Views share their memory, what an expression leaves behind is gone when its statement ends. What is not
known counts as nothing, so the answer is from below, but for what is decided at run time: all branches are taken.
What each function takes for an element was measured once (NumPy 2.4, one thread of an AMD EPYC, Zen 4).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any

from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._arrays import Array, Class, Function, Many, Named, Range, Table, Thing, held, length_of, one_of
from forerun.tasks._beside import filed
from forerun.tasks._calls import Calls
from forerun.tasks._expressions import BLANK, reckoned
from forerun.tasks._holding import MOST
from forerun.tasks._lines import Used
from forerun.tasks._python import imported, tree
from forerun.tasks._several import file_of, modules_of

_DEEP = 12
"""Calls in each other."""
_GLOBAL = " global"
"""Names of a function that are those of the module."""
_GROWING = frozenset("append extend insert".split())
_EACH, _ENOUGH = 12, 20_000
"""Rounds of a loop that are gone through one by one, and steps that must be left for that."""
_TEXT, _LONG_S = 1 << 18, 1e9
"""Characters of a text that is read, and seconds."""


@lru_cache(maxsize=8)
def used(text: str, files: str = "") -> Used:
    """What a program that uses packages works with, and that may open `files`, as `forerun.tasks._beside` tells them.
    Never raises."""
    if len(text) > _TEXT:
        return Used()
    reader = _Reader()
    with suppress(Exception):  # whatever a text holds: what was found so far is there
        reader.files = filed(files) if files else {}
        reader.read(*modules_of(text, tree(text)))
    return reader.used(MOST, _LONG_S)


class _Reader(Calls):
    """Statements, and calls of the program's own functions."""

    def __init__(self) -> None:
        super().__init__()
        self._modules = dict[str, list[ast.stmt]]()
        self._gone_through = dict[str, Thing]()
        """Files of the program's own, by their names."""
        self._growing = set[str]()
        """Names of lists that something is added to."""

    def run(self, body: Iterable[ast.stmt]) -> None:
        """One statement after the other."""
        for node in body:
            before = len(self._passing)
            self._statement(node)
            del self._passing[before:]

    def read(self, body: list[ast.stmt], modules: dict[str, list[ast.stmt]]) -> None:
        """Goes through a whole program, and files of its own that it imports. Raises Ended, or whatever a text makes
        it raise."""
        self._modules = modules
        statements = [*body, *chain.from_iterable(modules.values())]
        for node in chain.from_iterable(map(ast.walk, statements)):
            if isinstance(node, ast.Attribute) and node.attr in _GROWING and isinstance(node.value, ast.Name):
                self._growing.add(node.value.id)
        self.run(body)
        self._look()

    def _statement(self, node: ast.stmt) -> None:
        line, self.line = self.line, node.lineno
        self._step()
        name = type(node).__name__
        method = getattr(self, f"_do_{name.lower()}", None)
        if method is not None:
            method(node)
        self.line = line

    def _do_import(self, node: ast.Import) -> None:
        for name, path in imported(node).items():
            own = self._of_own_file(path)
            self._frames[-1][name] = Named(path) if own is None else own

    def _do_importfrom(self, node: ast.ImportFrom) -> None:
        for name, path in imported(node).items():
            own = self._of_own_file(path)
            self._frames[-1][name] = Named(path) if own is None else own
        if self._of_own_file(node.module or "") is None and any(each.name == "*" for each in node.names):
            self._stars.append(str(node.module))

    def _of_own_file(self, path: str) -> Any:
        """What stands in a file of the program's own, whose names are those of the whole program."""
        name, last = file_of(path, self._modules)
        if not name:
            return None
        if name not in self._gone_through:
            self._gone_through[name] = made = Thing()
            frames, self._frames = self._frames, self._frames[:1]
            before = dict(self._frames[0])
            self.run(self._modules[name])
            made.values |= {key: one for key, one in self._frames[0].items() if before.get(key) is not one}
            self._frames = frames
        own = self._gone_through[name]
        return own.values.get(last) if last else own

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._frames[-1][node.name] = Function(node)

    _do_asyncfunctiondef = _do_functiondef

    def _do_classdef(self, node: ast.ClassDef) -> None:
        made = Class(node, tuple(self._value(each) for each in node.bases))
        self._frames[-1][node.name] = made
        self._frames.append(made.values)
        self.run(each for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign)))
        self._frames.pop()

    def _do_global(self, node: ast.Global) -> None:
        self._frames[-1][_GLOBAL] = (*self._frames[-1].get(_GLOBAL, ()), *node.names)

    def _do_expr(self, node: ast.Expr) -> None:
        self._value(node.value)

    def _do_return(self, node: ast.Return) -> None:
        if node.value is not None and len(self._results) > 1:
            self._results[-1].append(self._value(node.value))

    def _do_assign(self, node: ast.Assign) -> None:
        value = self._value(node.value)
        for target in node.targets:
            grows = isinstance(target, ast.Name) and target.id in self._growing and isinstance(node.value, ast.List)
            self._bind(target, self._lengthened(value, ()) if grows and isinstance(value, tuple) else value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self._value(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        old, more = self._value(node.target), self._value(node.value)
        if isinstance(old, Array):  # in place
            self._work(old, each=1.0)
            return
        if isinstance(old, float) and isinstance(more, float):
            self._bind(node.target, reckoned(node.op, old, more))
        elif isinstance(old, Many) and isinstance(more, (Many, tuple)):
            self._put(old, more.one if isinstance(more, Many) else more[0] if more else None, length_of(more) or 0.0)
        elif isinstance(more, Array):
            self._bind(node.target, more)

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._frames[-1].pop(target.id, None)

    def _do_if(self, node: ast.If) -> None:
        self._value(node.test)
        before, times, often = self._share, self._times, _often(node.test, self._value)
        self._share, self._times = before * often, times * often
        self.run(node.body)
        self._share, self._times = before, times
        self.run(node.orelse)

    def _do_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self._value(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value)
        learning = self._learning
        self._learning = learning and not any(_without_gradients(item.context_expr) for item in node.items)
        self.run(node.body)
        self._learning = learning

    _do_asyncwith = _do_with

    def _do_try(self, node: ast.Try) -> None:
        self.run([*node.body, *node.orelse, *node.finalbody])

    def _do_match(self, node: ast.Match) -> None:
        self._value(node.subject)
        for case in node.cases:
            self.run(case.body)

    def _do_while(self, node: ast.While) -> None:
        self._value(node.test)
        self._rounds(node.body, self._while(node.test))

    def _while(self, test: ast.expr) -> float:
        """How often a loop goes round as long as something is less than what is known: `while len(q) < n`."""
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Lt, ast.LtE)):
            most = self._value(test.comparators[0])
            left = test.left
            called = isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len"
            if isinstance(most, float) and most >= 1 and (called or isinstance(left, ast.Name)):
                return most
        return UNKNOWN

    def _do_for(self, node: ast.For | ast.AsyncFor) -> None:
        over = self._value(node.iter)
        if isinstance(over, tuple) and 1 < len(over) <= _EACH and self._left > _ENOUGH:
            for one in over:  # written out: each may be something else
                self._bind(node.target, one)
                self.run(node.body)
                self._look()
                self._forget()
            self.run(node.orelse)
            return
        count = length_of(over)
        self._bind(node.target, one_of(over))
        self._rounds(node.body, count)
        self.run(node.orelse)

    _do_asyncfor = _do_for

    def _rounds(self, body: list[ast.stmt], count: float | None) -> None:
        """Twice; lists that grow do so as often as the loop goes round."""
        if count is not None and count < 1:
            return
        before = [(one, one.count, one.block.bytes) for one in self._lists()]
        arrays = {name: one for name, one in self._frames[-1].items() if isinstance(one, Array)}
        times, self._times = self._times, min(self._times * max((count or 2.0) / 2, 0.5), MOST)
        self.run(body)
        self._forget()
        if count is None or count <= 1:
            self._times = times
            return
        for one, had, took in before:
            one.count = min(one.count + (one.count - had) * (count - 2), MOST)
            one.block.bytes = min(one.block.bytes + (one.block.bytes - took) * (count - 2), MOST)
        self._grow(arrays, count - 2)
        self.run(body)
        self._times = times
        self._look()
        self._forget()

    def _grow(self, before: Mapping[str, Array], rounds: float) -> None:
        """Arrays that are made anew with some more each round, `a = np.append(a, x)`, grow by as much in all others."""
        for name, old in before.items():
            new = self._frames[-1].get(name)
            if new is old or not isinstance(new, Array) or not (new.shape and old.shape):
                continue
            if len(new.shape) != len(old.shape):
                continue
            more = [one - had for one, had in zip(new.shape, old.shape, strict=True)]
            if sum(each > 0 for each in more) == 1 and min(more) >= 0 and rounds > 0:
                grown = (one + each * rounds for one, each in zip(new.shape, more, strict=True))
                self._frames[-1][name] = self._alloc(tuple(min(one, MOST) for one in grown), new.kind, new.each)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            whole = target.id in self._frames[-1].get(_GLOBAL, ())
            self._frames[0 if whole else -1][target.id] = value
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if isinstance(value, tuple) else (one_of(value),) * len(target.elts)
            for place, each in enumerate(target.elts):
                self._bind(each, parts[place] if place < len(parts) else None)
        elif isinstance(target, ast.Attribute):
            owner = self._value(target.value)
            if isinstance(owner, Table):
                self._set_attribute(owner, target.attr, value)
            elif isinstance(owner, Thing):
                owner.values[target.attr] = value
        elif isinstance(target, ast.Subscript):
            owner, key = self._value(target.value), self._value(target.slice)
            spelt = isinstance(target.slice, ast.Constant) or (isinstance(key, str) and BLANK not in key)
            if isinstance(owner, Table):
                names = [one for one in (key if isinstance(key, tuple) else (key,)) if isinstance(one, str)]
                if names and (isinstance(key, str) or names[-1] not in owner.values):
                    self._set_column(owner, names[-1], value if isinstance(key, str) else None)
            elif isinstance(owner, Thing) and owner.of is None and not (isinstance(key, str) and spelt):
                self._keyed(owner, value)
            elif isinstance(owner, Thing) and isinstance(key, str):
                owner.values[key] = value
            elif isinstance(owner, Many):
                self._put(owner, value, 1.0 if not isinstance(key, float) else 0.0)

    def _follow(self, function: Function, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function of the program's own gives."""
        if len(self._frames) > _DEEP or sum(frame.get("") is function.node for frame in self._frames) > 1:
            return None
        if function.own is not None:
            arguments = [function.own, *arguments]
        frame: dict[str, Any] = {"": function.node}
        named = function.node.args
        names = [each.arg for each in (*named.posonlyargs, *named.args)]
        defaults = [self._value(each) for each in named.defaults]
        frame |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        frame |= {each.arg: self._value(given) for each, given in zip(named.kwonlyargs, named.kw_defaults, strict=True)}
        frame |= dict(zip(names, arguments, strict=False)) | options
        if named.vararg:
            frame[named.vararg.arg] = tuple(arguments[len(names) :])
        if named.kwarg:
            frame[named.kwarg.arg] = Thing(values=dict(options))
        self._frames.append(frame)
        self._results.append([])
        self._yielded.append((0.0, None))
        before, share, times = len(self._passing), self._share, self._times
        try:
            if isinstance(function.node, ast.Lambda):
                self._results[-1].append(self._value(function.node.body))
            else:
                self.run(function.node.body)
            self._look()
        finally:
            self._frames.pop()
            found, (given, one) = self._results.pop(), self._yielded.pop()
            self._share = share
            del self._passing[before:]
        if given:
            return Range(given / times, one)
        return max((one for one in reversed(found) if one is not None), key=lambda one: held((one,)), default=None)


def _without_gradients(node: ast.expr) -> bool:
    """`torch.no_grad()`."""
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute) and called.attr in ("no_grad", "inference_mode")


def _often(test: ast.expr, value: Callable[[ast.expr], Any]) -> float:
    """How often a branch is taken: of `i % n == 0` one time in n."""
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            every = value(node.right)
            return 1 / every if isinstance(every, float) and every >= 1 else 1.0
    return 1.0
