"""What calls give, of layers, packages and Python itself, for `forerun.tasks._used`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from forerun.tasks import _layers as layers
from forerun.tasks._arrays import (
    REST,
    Accessor,
    Array,
    Class,
    File,
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
    length_of,
    one_of,
    shape_of,
)  # fmt: skip
from forerun.tasks._estimators import Estimating, Estimator
from forerun.tasks._expressions import BLANK, FLOP, ROUNDED, counted, mapping, safe
from forerun.tasks._holding import LASTING
from forerun.tasks._inputs import Input
from forerun.tasks._layers import LAYERS
from forerun.tasks._linked import Graph, Linking
from forerun.tasks._rules import COSTS, CUBIC, ODD, RULES, SORTING
from forerun.tasks._sparse import Sparsely
from forerun.tasks._tables import Tabling

_MOMENTS: Mapping[str, float] = {"Adam": 2.0, "AdamW": 2.0, "RMSprop": 1.0, "Adagrad": 1.0}
"""Numbers that an optimiser keeps for each parameter."""
_ITSELF = frozenset("to train eval cpu cuda float half double requires_grad_ share_memory".split())
"""Methods of a network that give itself."""
_FLOATING = frozenset(
    "zeros ones empty full rand randn tensor linspace logspace eye normal rand_like randn_like".split()
)
"""What PyTorch makes of four bytes where nothing else is told."""
_LISTED = frozenset("glob rglob iglob iterdir listdir scandir".split())
_WORD, _SHORT = 6, 4096
"""Characters of a word that nobody knows, and of a text that is put together as it is."""
_LINE_NS = 300.0
"""Nanoseconds that a line takes to be written."""
_UNDER_KEY = 100.0
"""Bytes of a small value with its key."""
_LOADED: Mapping[str, tuple[float, float, float, float]] = {
    "loadtxt": (0.0, 45.0, 0.0, 0.0), "genfromtxt": (410.0, 270.0, 125.0, 95.0),
}  # fmt: skip
"""Nanoseconds of a line, and of a number, that is read from a file, and bytes of each meanwhile."""


class Calls(Estimating, Linking, Sparsely, Tabling):
    """Calls, but of the program's own functions."""

    def _of_call(self, node: ast.Call) -> Any:
        before = len(self._passing)
        function = node.func
        owner = self._value(function.value) if isinstance(function, ast.Attribute) else None
        arguments = list(self._spread(node.args))
        options = dict[str, Any]()
        for each in node.keywords:
            given = self._value(each.value)
            options |= {each.arg: given} if each.arg else given.values if isinstance(given, Thing) else {}
        if isinstance(function, ast.Attribute) and function.attr == "backward":
            self._backward()
            made = None
        elif isinstance(function, ast.Attribute):
            made = self._asked(owner, function.attr, arguments, options)
        else:
            made = self._called(function, arguments, options)
        del self._passing[before:]
        if made is not None:
            self._passing.append(made)
        return made

    def _asked(self, owner: Any, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """A method, or a function of a module."""
        if name in _LISTED and (owner is None or isinstance(owner, Named)) and self._files:
            return Range(self._files)
        if isinstance(owner, Named):
            return self._outside(Named(f"{owner.path}.{name}"), arguments, options)
        if isinstance(owner, Layer) and name in _ITSELF:
            return owner
        if isinstance(owner, (Estimator, Graph, Sparse)):
            with suppress(*ODD):
                if isinstance(owner, Estimator):
                    return self._estimated(owner, name, arguments, options)
                if isinstance(owner, Graph):
                    return self._of_graph(owner, name, arguments, bool(options))
                return self._of_sparse(owner, name, arguments)
            return None
        if isinstance(owner, (Table, Groups, Accessor)):
            with suppress(*ODD):
                if isinstance(owner, Table):
                    return self._of_frame(owner, name, arguments, options)
                if isinstance(owner, Groups):
                    return self._grouped(owner, name, arguments, options)
                return self._accessed(owner, name, arguments, options)
            return None
        if isinstance(owner, (Thing, Class)):
            found = self._attribute(owner, name)
            if isinstance(found, (Function, Class, Layer)) or (isinstance(found, Thing) and found.of):
                return self._applied(found, arguments, options)
            if isinstance(owner, Class) or (owner.of and name in _ITSELF):
                return None if isinstance(owner, Class) else owner
            if name == "add_argument" and arguments and isinstance(arguments[-1], str):
                owner.values[arguments[-1].lstrip("-").replace("-", "_")] = options.get("default")
                return None
            if name in ("parse_args", "add_argument_group"):
                return owner
            if name == "setdefault" and len(arguments) > 1:
                self._keyed(owner, arguments[1])
                return arguments[1]
            return _of_mapping(owner, name, arguments)
        if isinstance(owner, str) and name == "join" and arguments:
            return self._text_of(arguments[0], len(owner))
        if isinstance(owner, File):
            return self._on_file(owner, name, arguments)
        if isinstance(owner, Many):
            if name in ("append", "add", "appendleft", "insert"):
                self._put(owner, arguments[-1] if arguments else None, 1.0)
            elif name == "extend" and arguments:
                self._put(owner, one_of(arguments[0]), length_of(arguments[0]) or 0.0)
            elif name == "clear":
                owner.count = owner.block.bytes = 0.0
            return owner.one if name in ("pop", "popleft") else owner if name in ("copy", "values", "items") else None
        if isinstance(owner, Array):
            if name in ("size", "numel", "dim") and owner.shape is not None:
                place = arguments[0] if arguments else None
                whole = {"size": owner.shape, "numel": owner.count, "dim": float(len(owner.shape))}[name]
                inside = isinstance(place, float) and -len(owner.shape) <= place < len(owner.shape)
                return owner.shape[int(place)] if inside and isinstance(place, float) else whole
            if name == "tolist":
                return self._listed(owner)
            if owner.kind == "u" and (name in ("splitlines", "readlines") or arguments == ["\n"]):
                return self._lines_of(owner)
            if owner.shape is not None and len(owner.shape) == 1:
                with suppress(*ODD):
                    made = self._of_column(owner, name, arguments, options)
                    if made is not NotImplemented:
                        return made
            if owner.kind == "O" and name not in RULES:
                return self._rules.like(owner)
            return self._ruled(name, [owner, *arguments], options)
        return None

    def _ruled(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What there is a rule for."""
        made = self._rules.call(name, arguments, options)
        count = max((math.prod(shape) for one in (made, *arguments) if (shape := shape_of(one))), default=1.0)
        each = COSTS.get(name, 0.7)
        if name in SORTING:
            each *= math.log2(max(count, 2.0))
        elif name in CUBIC:
            each *= (shape_of(arguments[0]) or (1.0,))[-1] if arguments else 1.0
        elif name in ("matmul", "dot", "mm", "bmm", "einsum"):
            each = FLOP * 2 * (shape_of(arguments[-1]) or (1.0,))[-1]
        self._work(made, *arguments, each=each)
        return made

    def _called(self, function: ast.expr, arguments: list[Any], options: dict[str, Any]) -> Any:
        known = self._value(function)
        if isinstance(known, (Function, Class, Layer, Thing)):
            return self._applied(known, arguments, options)
        if isinstance(known, Named) and "." in known.path:
            return self._outside(known, arguments, options)
        name = function.id if isinstance(function, ast.Name) else ""
        return self._builtin(name, arguments)

    def _applied(self, known: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What is called may be a function, a class, a layer, or a thing that can be called."""
        if isinstance(known, Layer):
            return self._through(known, arguments[0] if arguments else None)
        if isinstance(known, Thing):
            found = self._method(known, "__call__") or self._method(known, "forward")
            return self._made(found, arguments, options) if isinstance(found, Function) else None
        return self._made(known, arguments, options) if isinstance(known, (Function, Class)) else None

    def _text_of(self, lines: Any, between: int) -> Any:
        """One text of many."""
        count, one = length_of(lines), one_of(lines)
        one = one if isinstance(one, str) else " " * _WORD
        if not count:
            return None
        if count * len(one) <= _SHORT:
            return " " * int(count * (len(one) + between))
        head = lines.head if isinstance(lines, Many) and isinstance(lines.head, str) else one
        self._filed = File(count, one, head=head)
        self._spend(count * _LINE_NS)
        return self._alloc((count * (len(one) + between),), "u", 1.0)

    def _lines_of(self, text: Array) -> Many | None:
        """The lines of the text that was put together last."""
        made, filed = Many(0.0), self._filed
        if not isinstance(filed, File) or not filed.count:
            return None
        self._put(made, " " * int(min(text.count / filed.count, _SHORT)), filed.count)
        self._passing.append(made)
        return made

    def _on_file(self, own: File, name: str, arguments: list[Any]) -> Any:
        """A method of what lines are written to."""
        first = arguments[0] if arguments else None
        if name in ("write", "writerow", "writelines"):
            line = (
                first if isinstance(first, str) else ",".join(map(_field, first)) if isinstance(first, tuple) else " "
            )
            own.head = own.head or line
            own.count += self._share
            own.one = line
            own.block.bytes += len(line) * self._share if own.inside else 0.0
            self._filed = own
            self._spend(_LINE_NS)
        elif name == "getvalue":
            return self._alloc((own.block.bytes,), "u", 1.0)
        return own if name == "__enter__" else None

    def _keyed(self, owner: Thing, value: Any) -> None:
        """One more value in a mapping, under a key that is not written out."""
        rest = owner.values.setdefault(REST, Many(0.0))
        if isinstance(rest, Many):
            self._put(rest, value, 1.0, small=_UNDER_KEY)

    def _through(self, layer: Layer, value: Any) -> Any:
        """What a layer gives, which is kept for the gradients."""
        before = len(self._passing)
        for each in layer.inner:
            given = self._applied(each, [value], {})
            value = value if given is None else given[0] if isinstance(given, tuple) and given else given
            self._passing[before:] = [value]
        if layer.inner:
            return value
        made = self._alloc(layers.given(layer, shape_of(value)), "f", 4.0)
        self._work(made, each=FLOP * layers.work(layer))
        if self._learning:
            self._kept += [made, self._alloc((layers.kept(layer, made.shape),), "f", 4.0)]
        return (made, None) if layer.name in ("RNN", "GRU", "LSTM", "MultiheadAttention") else made

    def _backward(self) -> None:
        """Gradients of all parameters, beside what layers gave, which goes then."""
        self._lasts(self._parameters - self._graded)
        self._graded = self._parameters
        self._forget()

    def _lasts(self, size: float) -> None:
        """So many bytes stay from one step of a training to the next."""
        self._kept.append(self._alloc((size,), LASTING, 1.0))

    def _builtin(self, name: str, arguments: list[Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "range":
            known = [one for one in arguments if isinstance(one, float)]
            if len(known) != len(arguments) or not known:
                return Range(None)
            start, stop, step = (0.0, *known, 1.0)[:3] if len(known) == 1 else (*known, 1.0)[:3]
            return Range(counted((stop - start) / (step or 1.0)), start)
        if name == "len":
            return length_of(first)
        if name in ROUNDED and isinstance(first, float):
            return safe(ROUNDED[name], first)
        if name in ("min", "max") and arguments and all(isinstance(one, float) for one in arguments):
            return min(arguments) if name == "min" else max(arguments)
        if name == "sum" and isinstance(one := one_of(first), Array):
            return self._rules.like(one)
        if name == "enumerate":
            return Range(length_of(first), (None, one_of(first)))
        if name == "zip":
            lengths = [length for one in arguments if (length := length_of(one)) is not None]
            return Range(min(lengths) if lengths else None, tuple(map(one_of, arguments)))
        if name == "dict" and not arguments:
            return mapping()
        if name == "open":
            return File(0.0)
        if name in ("list", "set", "sorted", "tuple", "dict", "deque", "reversed"):
            if isinstance(first, (tuple, Many)):
                return first
            made = Many(0.0)
            self._put(made, one_of(first), length_of(first) or 0.0)
            return made
        return None

    def _outside(self, function: Named, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a package's function gives."""
        name = function.last
        if name in ("default_rng", "RandomState", "Generator", "PCG64"):
            return Named("numpy.random")
        if function.root == "math" and arguments and isinstance(arguments[0], float) and name in ROUNDED:
            return safe(ROUNDED[name], arguments[0])
        if function.root == "torch" and (made := self._layered(name, arguments, options)) is not None:
            return made
        of_package = {
            "sklearn": self._estimator,
            "networkx": self._linked,
            "scipy": self._sparse,
            "pandas": self._pandas,
        }
        own = of_package.get(function.root)
        if own is not None:
            with suppress(*ODD):
                if (made := own(name, arguments, options)) is not None:
                    return made
        if name == "ArgumentParser":
            return Thing()
        if name == "dumps" and function.root == "json" and arguments and isinstance(arguments[0], Thing):
            fields = arguments[0].values
            spelt = Spelt(
                " " * sum(len(key) + 6 + len(one if isinstance(one, str) else BLANK) for key, one in fields.items())
            )
            spelt.of = arguments[0]
            return spelt
        if function.root == "random" and name in ("choices", "sample") and arguments:
            several = options.get("k", arguments[-1])
            return Many(several if isinstance(several, float) else 1.0, one_of(arguments[0]))
        if function.root == "collections":
            lists = arguments and isinstance(arguments[0], Named) and arguments[0].last == "list"
            return Many(0.0) if name == "deque" else mapping(makes_lists=bool(lists))
        if function.root == "asyncio" and name == "run":
            return arguments[0] if arguments else None
        loads = name in (*_LOADED, "fromfile") and function.root == "numpy"
        if loads and (given := self.told(arguments[0] if arguments else None)) is not None:
            return self._loaded(name, given)
        if name == "StringIO" and function.root == "io":
            first = arguments[0] if arguments else None
            return self._rules.like(first, "u", 4.0) if isinstance(first, Array) else File(0.0, inside=True)
        if options.get("dtype") is None and function.root == "torch" and name in _FLOATING:
            options = options | {"dtype": "float32"}
        return self._ruled(name, arguments, options)

    def _loaded(self, name: str, given: Input) -> Array:
        """Numbers of a file, as it has lines and columns."""
        if name == "fromfile":
            size = sum(one.lines * (one.length + 1) for one in given.stretches)
            return self._alloc((size / 8.0,), "f", 8.0)
        lines, most = sum(one.lines for one in given.stretches), max(given.stretches, key=lambda one: one.lines)
        line_ns, number_ns, line, number = _LOADED[name]
        self._spend(lines * (line_ns + number_ns * most.words))
        self._alloc((lines,), "x", line + number * most.words)
        return self._alloc((lines, most.words) if most.words > 1 else (lines,), "f", 8.0)

    def _layered(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What PyTorch's modules are made of, what feeds them, and what moves their parameters."""
        if name in LAYERS:
            made = layers.made(self._alloc, name, arguments, options)
            self._parameters += made.weight.bytes if made.weight else 0.0
            return made
        if name == "TransformerEncoder" and arguments and isinstance(arguments[0], Layer):
            several = arguments[1] if len(arguments) > 1 else options.get("num_layers")
            return Layer(
                name, inner=tuple(self._copies(Many(several if isinstance(several, float) else 1.0, arguments[0])))
            )
        if name in ("Sequential", "ModuleList"):
            return Layer(name, inner=tuple(self._members(arguments)))
        if name == "TensorDataset":
            return tuple(arguments)
        if name == "DataLoader" and arguments and isinstance(arguments[0], tuple) and arguments[0]:
            size = options.get("batch_size", arguments[1] if len(arguments) > 1 else 1.0)
            count, size = length_of(arguments[0][0]), size if isinstance(size, float) and size else 1.0
            one = tuple(self._alloc((size, *(shape_of(each) or (0.0,))[1:]), "f", 4.0) for each in arguments[0])
            return Range(None if count is None else counted(count / size), one)
        if moments := 1.0 if name == "SGD" and "momentum" in options else _MOMENTS.get(name, 0.0):
            self._lasts(self._parameters * moments)
        return None

    def _members(self, arguments: list[Any]) -> Iterator[Any]:
        """Layers, of a list or a mapping too."""
        for one in arguments:
            if isinstance(one, (Many, Range)):
                yield from self._copies(one)
            elif isinstance(one, tuple):
                yield from (each[-1] if isinstance(each, tuple) and each else each for each in one)
            else:
                yield one

    def _made(self, known: Function | Class, arguments: list[Any], options: dict[str, Any]) -> Any:
        if isinstance(known, Function):
            return self._follow(known, arguments, options)
        thing = Thing(known)
        start = self._method(thing, "__init__")
        if isinstance(start, Function):
            self._follow(start, arguments, options)
        elif any(isinstance(each, ast.AnnAssign) for each in known.node.body):  # a dataclass
            names = [
                each.target.id
                for each in known.node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            thing.values |= dict(zip(names, arguments, strict=False)) | options
        return thing


def _field(value: Any) -> str:
    """What is written of a value that nobody knows."""
    return value if isinstance(value, str) else "0"


def _of_mapping(own: Thing, name: str, arguments: list[Any]) -> Any:
    """What a method of a mapping gives."""
    if name in ("items", "values", "keys"):
        values = tuple(one for key, one in own.values.items() if key != REST)
        rest = own.values.get(REST)
        if isinstance(rest, Many) and rest.count:
            one = rest.one if rest.one is not None else next(iter(values), None)
            return Range(rest.count + len(values), (None, one) if name == "items" else one)
        named = tuple((key, one) for key, one in own.values.items() if key != REST)
        return {"items": named, "keys": tuple(key for key, _ in named)}.get(name, values)
    if name == "get":
        return own.values.get(arguments[0]) if arguments and isinstance(arguments[0], str) else None
    return None
