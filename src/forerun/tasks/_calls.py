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
    Array,
    Class,
    Function,
    Layer,
    Many,
    Named,
    Range,
    Sparse,
    Thing,
    length_of,
    one_of,
    shape_of,
)  # fmt: skip
from forerun.tasks._estimators import Estimating, Estimator
from forerun.tasks._expressions import FLOP, ROUNDED, counted, mapping, safe
from forerun.tasks._holding import LASTING
from forerun.tasks._layers import LAYERS
from forerun.tasks._linked import Graph, Linking
from forerun.tasks._rules import COSTS, CUBIC, ODD, RULES, SORTING
from forerun.tasks._sparse import Sparsely
from forerun.tasks._tables import framed, method

_MOMENTS: Mapping[str, float] = {"Adam": 2.0, "AdamW": 2.0, "RMSprop": 1.0, "Adagrad": 1.0}
"""Numbers that an optimiser keeps for each parameter."""
_ITSELF = frozenset("to train eval cpu cuda float half double requires_grad_ share_memory".split())
"""Methods of a network that give itself."""
_FLOATING = frozenset(
    "zeros ones empty full rand randn tensor linspace logspace eye normal rand_like randn_like".split()
)
"""What PyTorch makes of four bytes where nothing else is told."""
_UNDER_KEY = 100.0
"""Bytes of a small value with its key."""


class Calls(Estimating, Linking, Sparsely):
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
        if isinstance(owner, (Thing, Class)):
            found = self._attribute(owner, name)
            if isinstance(found, (Function, Class, Layer)) or (isinstance(found, Thing) and found.of):
                return self._applied(found, arguments, options)
            if isinstance(owner, Class) or (owner.of and name in _ITSELF):
                return None if isinstance(owner, Class) else owner
            if name == "setdefault" and len(arguments) > 1:
                self._keyed(owner, arguments[1])
                return arguments[1]
            return method(self._alloc, owner, name, arguments, options)
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
                made = Many(0.0)
                self._put(made, 0.0, owner.count)
                return made
            if owner.kind == "O" and name not in RULES:  # pandas: `names.str.strip()`
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
        own = {"sklearn": self._estimator, "networkx": self._linked, "scipy": self._sparse}.get(function.root)
        if own is not None:
            with suppress(*ODD):
                if (made := own(name, arguments, options)) is not None:
                    return made
        if name == "DataFrame":
            return framed(self._alloc, arguments[0] if arguments else options.get("data"))
        if name in ("date_range", "bdate_range", "timedelta_range"):
            periods = options.get("periods")
            return self._alloc((periods,) if isinstance(periods, float) else None, "i", 8.0)
        if name in ("to_timedelta", "to_datetime", "to_numeric", "cut", "qcut"):
            return self._rules.like(arguments[0], "i", 8.0) if arguments and shape_of(arguments[0]) else None
        if name in ("Timestamp", "Timedelta"):
            return 0.0
        if name == "merge" and arguments and isinstance(arguments[0], Thing):
            return method(self._alloc, arguments[0], name, arguments[1:], options)
        if function.root == "collections":
            lists = arguments and isinstance(arguments[0], Named) and arguments[0].last == "list"
            return Many(0.0) if name == "deque" else mapping(makes_lists=bool(lists))
        if function.root == "asyncio" and name == "run":
            return arguments[0] if arguments else None
        if options.get("dtype") is None and function.root == "torch" and name in _FLOATING:
            options = options | {"dtype": "float32"}
        return self._ruled(name, arguments, options)

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
