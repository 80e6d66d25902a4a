"""What functions of NumPy, and of packages that speak like it, give: arrays of what shape, of what elements.

A table of rules, none of which computes a number. What is not known has no shape, and counts as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from forerun.tasks._arrays import (
    Array,
    Many,
    Range,
    Shape,
    Wide,
    broadcast,
    dims,
    element,
    length_of,
    longest,
    product,
    promoted,
    shape_of,
)  # fmt: skip
from forerun.tasks._laws import law

Alloc = Callable[[Shape | None, str, float], Array]
Arguments = Sequence[Any]
Options = Mapping[str, Any]
Rule = Callable[["Rules", Arguments, Options], Any]
ODD = (IndexError, TypeError, ValueError, ArithmeticError)
"""What goes wrong with a call that nobody makes so."""


def _axes(value: Any, rank: int) -> set[int] | None:
    """Axes as they are written; None of what is not known."""
    asked = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(one, float) for one in asked):
        return None
    return {int(one) % max(rank, 1) for one in asked}


class Rules:
    """What is called gives what: `alloc` makes an array that takes memory of its own."""

    def __init__(self, alloc: Alloc) -> None:
        self.alloc = alloc

    def call(self, name: str, arguments: Arguments, options: Options) -> Any:
        """The value of a call of this name, None of what there is no rule for."""
        rule = RULES.get(name)
        try:
            if name in NUMBERS and arguments and all(isinstance(one, float) for one in arguments):
                return Wide(NUMBERS[name](*arguments))
            made = rule(self, arguments, options) if rule else None
            return replace(made, law=law(name, arguments, options)) if isinstance(made, Array) and made.shape else made
        except ODD:
            return None

    def like(self, array: Any, kind: str = "", each: float = 0.0) -> Array:
        """A new array of the shape of another one."""
        own = array if isinstance(array, Array) else Array(shape_of(array))
        return self.alloc(own.shape, kind or own.kind, each or own.each).known(own.distinct)

    def typed(self, shape: Shape | None, options: Options, otherwise: tuple[str, float] = ("f", 8.0)) -> Array:
        """A new array, of elements that the call may name."""
        return self.alloc(shape, *element(options.get("dtype"), otherwise))

    def elementwise(self, values: Sequence[Any], kind: str = "", each: float = 0.0) -> Any:
        """What works element by element; numbers give a number that nobody knows."""
        if not any(isinstance(value, (Array, Many)) for value in values):
            return None
        found = promoted(values)
        shape = broadcast([shape_of(value) for value in values])
        arrays = [value for value in values if isinstance(value, Array)]
        distinct = math.prod(one.distinct for one in arrays)
        return self.alloc(shape, kind or found[0], each or found[1]).known(distinct)

    def floating(self, value: Any) -> Any:
        """A new array of numbers with a point; of a number one of NumPy's, which makes others wide."""
        if isinstance(value, float):
            return Array(())
        if not isinstance(value, (Array, Many)):
            return None
        kind, each = promoted([value])
        return self.elementwise([value], *((kind, each) if kind in "fc" else ("f", 8.0)))

    def reduced(self, arguments: Arguments, options: Options, kind: str = "", each: float = 0.0, whole: int = 0) -> Any:
        """Along an axis, or all of it; `whole` copies of it are made on the way."""
        array = arguments[0] if arguments else None
        shape = shape_of(array)
        if shape is None:
            return None
        own = array if isinstance(array, Array) else Array(shape)
        for _ in range(whole):
            self.alloc(shape, "f" if own.kind in "biu" else own.kind, 8.0 if own.kind in "biu" else own.each)
        axis = options.get("axis", options.get("dim", arguments[1] if len(arguments) > 1 else None))
        axes = _axes(axis, len(shape))
        if axes is None or axes >= set(range(len(shape))):
            return Array((), kind or own.kind, each or own.each)
        kept = options.get("keepdims", options.get("keepdim")) is True
        left = tuple(1.0 if n in axes else one for n, one in enumerate(shape) if kept or n not in axes)
        return self.alloc(left, kind or own.kind, each or own.each)


def _first(arguments: Arguments) -> Shape | None:
    """The shape of the first one."""
    return shape_of(arguments[0]) if arguments else None


def _matrix(arguments: Arguments) -> Shape | None:
    """The same of a matrix, or of a stack of them."""
    shape = _first(arguments)
    return shape if shape and len(shape) > 1 else None


def _parts(arguments: Arguments) -> tuple[list[Any], float]:
    """What is put together, and how often: `concatenate([a, b])`, or a list of which only one is known."""
    value = arguments[0] if arguments else None
    if isinstance(value, Many):
        return [value.one], value.count
    return list(value) if isinstance(value, tuple) else [], 1.0


def _filled(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = options.get("shape", options.get("size", arguments[0] if arguments else None))
    numbers = [one for one in arguments if isinstance(one, float)]
    several = len(numbers) > 1 and len(numbers) == len(arguments)  # torch.zeros(n, m)
    dtype = options.get("dtype", arguments[-1] if len(arguments) > 1 and not several else None)
    return rules.typed(tuple(numbers) if several else dims(shape), {"dtype": dtype})


def _full(rules: Rules, arguments: Arguments, options: Options) -> Any:
    return rules.typed(dims(arguments[0] if arguments else options.get("shape")), options)


def _shaped(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`rand(n, m)`."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        arguments = arguments[0]
    return rules.typed(dims(tuple(arguments)) if arguments else None, options)


def _drawn(place: int, kind: str = "f") -> Rule:
    """`normal(0, 1, (n, m))`, whose size is the argument of this place."""

    def rule(rules: Rules, arguments: Arguments, options: Options) -> Any:
        size = options.get("size", arguments[place] if len(arguments) > place else None)
        shape = dims(size) if size is not None else broadcast([shape_of(a) for a in arguments if isinstance(a, Array)])
        return rules.typed(shape, options, (kind, 8.0))

    return rule


def _arange(rules: Rules, arguments: Arguments, options: Options) -> Any:
    known = [one if isinstance(one, float) else math.nan for one in arguments]
    start, stop, step = 0.0, known[0] if known else math.nan, 1.0
    if len(known) > 1:
        start, stop, step = known[0], known[1], known[2] if len(known) > 2 else 1.0
    step = options["step"] if isinstance(options.get("step"), float) else step
    count = (stop - start) / step if step else math.nan
    whole = all(one == int(one) for one in known if not math.isnan(one) and not math.isinf(one))
    shape = None if math.isnan(count) else (max(float(math.ceil(count)), 0.0),)
    made = rules.typed(shape, options, ("i", 8.0) if whole else ("f", 8.0))
    return replace(made, distinct=made.count)


def _linspace(rules: Rules, arguments: Arguments, options: Options) -> Any:
    count = options.get("num", options.get("steps", arguments[2] if len(arguments) > 2 else 50.0))
    return rules.typed(dims(count), options)


def _square(rules: Rules, arguments: Arguments, options: Options) -> Any:
    n = arguments[0] if arguments else None
    m = options.get("M", arguments[1] if len(arguments) > 1 else n)
    return rules.typed((n, m) if isinstance(n, float) and isinstance(m, float) else None, options)


def _like(rules: Rules, arguments: Arguments, options: Options) -> Any:
    own = arguments[0] if arguments and isinstance(arguments[0], Array) else Array(shape_of(arguments[0]))
    return rules.typed(own.shape, options, (own.kind, own.each))


def _array(rules: Rules, arguments: Arguments, options: Options) -> Any:
    value = arguments[0] if arguments else None
    one = value.one if isinstance(value, Many) else value[0] if isinstance(value, tuple) and value else value
    whole = ("U", longest(value)) if isinstance(one, str) else ("f", 8.0)
    dtype = options.get("dtype", arguments[1] if len(arguments) > 1 else None)
    return rules.typed(shape_of(value), {"dtype": dtype}, (one.kind, one.each) if isinstance(one, Array) else whole)


def _as_array(rules: Rules, arguments: Arguments, options: Options) -> Any:
    value = arguments[0] if arguments else None
    if isinstance(value, Array) and element(options.get("dtype"), (value.kind, value.each)) == (value.kind, value.each):
        return value
    return _array(rules, arguments, options)


def _cast(rules: Rules, arguments: Arguments, options: Options) -> Any:
    own = arguments[0]
    if not isinstance(own, Array):
        return None
    wanted = element(options.get("dtype", arguments[1] if len(arguments) > 1 else None), (own.kind, own.each))
    if options.get("copy") is False and wanted == (own.kind, own.each):
        return own
    return rules.alloc(own.shape, *wanted).known(own.distinct)


def _joined(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Along an axis; the other ones are those of the first part."""
    parts, times = _parts(arguments)
    shapes = [shape_of(part) for part in parts]
    if not shapes or any(shape is None for shape in shapes):
        return None
    axis = options.get("axis", options.get("dim", arguments[1] if len(arguments) > 1 else 0.0))
    first = shapes[0] or (1.0,)
    at = int(axis) % max(len(first), 1) if isinstance(axis, float) else 0
    total = sum((shape or (1.0,))[min(at, len(shape or (1.0,)) - 1)] for shape in shapes if shape is not None) * times
    found = tuple(total if n == at else one for n, one in enumerate(first))
    return rules.alloc(found, *promoted(parts))


def _appended(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`append(a, b)`: both in one row, or along an axis."""
    if "axis" in options or len(arguments) > 2:
        return _joined(rules, (tuple(arguments[:2]), *arguments[2:]), options)
    sizes = [1.0 if isinstance(one, float) or one is None else math.prod(shape_of(one) or ()) for one in arguments]
    own = [shape_of(one) for one in arguments[:1]]
    return rules.alloc((sum(sizes),) if own and own[0] is not None else None, *promoted(arguments))


def _beside(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Columns beside each other; of one dimension, one behind the other for `hstack`, which takes as much."""
    parts, times = _parts(arguments)
    shapes = [shape_of(part) or (0.0,) for part in parts]
    rows = max((shape[0] for shape in shapes), default=0.0)
    columns = sum(shape[1] if len(shape) > 1 else 1.0 for shape in shapes) * times
    return rules.alloc((rows, columns), *promoted(parts))


def _stacked(rules: Rules, arguments: Arguments, options: Options) -> Any:
    parts, _ = _parts(arguments)
    count, *inner = _first(arguments) or (0.0,)
    axis = options.get("axis", options.get("dim", arguments[1] if len(arguments) > 1 else 0.0))
    at = int(axis) % (len(inner) + 1) if isinstance(axis, float) else 0
    return rules.alloc((*inner[:at], count, *inner[at:]), *promoted(parts[:1]))


def _unary(rules: Rules, arguments: Arguments, options: Options) -> Any:
    if isinstance(options.get("out"), Array):
        return options["out"]
    return rules.floating(arguments[0]) if arguments else None


def _same(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """As `_unary`, of elements of the same kind."""
    if isinstance(options.get("out"), Array):
        return options["out"]
    return rules.like(arguments[0]) if arguments and isinstance(arguments[0], (Array, Many)) else None


def _size(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """As `_same`; of complex numbers it is one with a point."""
    own = arguments[0] if arguments else None
    if isinstance(own, Array) and own.kind == "c":
        return rules.alloc(own.shape, "f", own.each / 2)
    return _same(rules, arguments, options)


def _binary(rules: Rules, arguments: Arguments, options: Options) -> Any:
    if isinstance(options.get("out"), Array):
        return options["out"]
    return rules.elementwise([value for value in arguments if isinstance(value, (Array, Many, float))])


def _truth(rules: Rules, arguments: Arguments, options: Options) -> Any:
    return rules.elementwise([value for value in arguments if isinstance(value, (Array, Many, float))], "b", 1.0)


def _where(rules: Rules, arguments: Arguments, options: Options) -> Any:
    if len(arguments) < 3:
        found = _places(rules, arguments, options)
        return (found,)
    texts = [one for one in arguments[1:] if isinstance(one, str)]
    if texts:
        return rules.alloc(_first(arguments), "U", 4.0 * max(map(len, texts))).known(2.0)
    return rules.elementwise(arguments, *promoted(arguments[1:]))


def _places(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _first(arguments)
    return rules.alloc(None if shape is None else (math.prod(shape) / 10,), "i", 8.0)


def _powers(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`vander(x, n)`."""
    shape = _first(arguments)
    n = options.get("N", arguments[1] if len(arguments) > 1 else None)
    return rules.alloc((shape[0], n if isinstance(n, float) else shape[0]) if shape else None, "f", 8.0)


def _triangle(rules: Rules, arguments: Arguments, options: Options) -> Any:
    n = arguments[0] if arguments else None
    if not isinstance(n, float):
        return None
    rules.alloc((n, n), "b", 1.0)
    return tuple(rules.alloc((n * n / 2,), "i", 8.0) for _ in range(2))


def _image(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Pillow's `Image.new("RGB", (width, height))`: a pixel takes four bytes, a grey one takes one."""
    mode, shape = (*arguments, None, None)[:2]
    return rules.alloc(dims(shape), "u", 1.0 if mode in ("1", "L", "P") else 4.0)


def _reducing(kind: str = "", each: float = 0.0, whole: int = 0) -> Rule:
    return lambda rules, arguments, options: rules.reduced(arguments, options, kind, each, whole)


def _adding(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Sums of narrow whole numbers and means of whole ones are wide."""
    own = arguments[0] if arguments else None
    wide = isinstance(own, Array) and own.kind in "biu"
    return rules.reduced(arguments, options, "", 8.0) if wide else rules.reduced(arguments, options)


def _along(kind: str = "", each: float = 0.0, flat: bool = False, widened: str = "b") -> Rule:
    """As many as there were, of elements of the same kind but where it is `widened`."""

    def rule(rules: Rules, arguments: Arguments, options: Options) -> Any:
        own = arguments[0] if arguments else None
        if not isinstance(own, (Array, Many)):
            return None
        found = promoted([own])
        if not kind and found[0] in widened and found[1] < 8:
            found = ("i", 8.0)
            if "dtype" not in options:
                rules.alloc(shape_of(own), *found)
        shape = shape_of(own)
        shape = (math.prod(shape),) if flat and shape else shape
        return rules.alloc(shape, *element(options.get("dtype"), (kind or found[0], each or found[1])))

    return rule


def _repeated(rules: Rules, arguments: Arguments, options: Options) -> Any:
    own, times = (*arguments, options.get("reps", options.get("repeats")))[:2]
    shape = shape_of(own)
    count = math.prod(times) if isinstance(times, tuple) and dims(times) else times
    if shape is None or not isinstance(count, float):
        return None
    one = (own.kind, own.each) if isinstance(own, Array) else promoted([own])
    return rules.alloc((count * math.prod(shape),), *one).known(own.distinct if isinstance(own, Array) else 0.0)


def _outer(rules: Rules, arguments: Arguments, options: Options) -> Any:
    left, right = (shape_of(value) for value in (*arguments, None, None)[:2])
    if left is None or right is None:
        return None
    return rules.alloc((math.prod(left), math.prod(right)), *promoted(arguments[:2]))


def _grid(rules: Rules, arguments: Arguments, options: Options) -> Any:
    sizes = [shape_of(value) for value in arguments]
    known = [math.prod(shape) for shape in sizes if shape is not None]
    shape = tuple(known) if len(known) == len(arguments) else None
    if shape and len(shape) > 1 and options.get("indexing") != "ij":
        shape = (shape[1], shape[0], *shape[2:])
    one = promoted(arguments)
    return tuple(rules.alloc(shape, *one) for _ in arguments)


def _product(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Of matrices; such as have other elements than the result are copied first."""
    left, right = arguments[:2]
    shape, wide = product(shape_of(left), shape_of(right)), promoted((left, right))
    for one in (left, right):
        if isinstance(one, Array) and (one.kind, one.each) != wide:
            rules.alloc(one.shape, *wide)
    return rules.alloc(shape, *wide) if shape else None


def _einsum(rules: Rules, arguments: Arguments, options: Options) -> Any:
    text = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    left, arrow, right = text.replace(" ", "").partition("->")
    sizes: dict[str, float] = {}
    for letters, value in zip(left.split(","), arguments[1:], strict=False):
        for letter, size in zip(letters, shape_of(value) or (), strict=False):
            sizes[letter] = max(size, sizes.get(letter, 0.0))
    if not arrow or not all(letter in sizes for letter in right):
        return None
    return rules.alloc(tuple(sizes[letter] for letter in right), *promoted(arguments[1:]))


def _copied(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """What works on a copy of the largest, and gives that."""
    arrays = [value for value in arguments if isinstance(value, Array)]
    return rules.floating(max(arrays, key=lambda one: one.count)) if arrays else None


def _solved(rules: Rules, arguments: Arguments, options: Options) -> Any:
    copies = [rules.floating(value) for value in arguments[:2]]
    return copies[1] if len(copies) > 1 else None


def _back_solved(rules: Rules, arguments: Arguments, options: Options) -> Any:
    return rules.floating(arguments[1]) if len(arguments) > 1 else None


def _svd(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _matrix(arguments)
    if shape is None:
        return None
    (m, n), each = shape[-2:], promoted(arguments[:1])
    rules.alloc(shape, *each)
    whole, k = options.get("full_matrices", True) is not False, min(m, n)
    u = rules.alloc((m, m if whole else k), *each)
    rules.alloc((k, 8 * k), *each)
    return u, rules.alloc((k,), *each), rules.alloc((n if whole else k, n), *each)


def _qr(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _matrix(arguments)
    if shape is None:
        return None
    (m, n), each = shape[-2:], promoted(arguments[:1])
    rules.alloc(shape, *each)
    return rules.alloc((m, min(m, n)), *each), rules.alloc((min(m, n), n), *each)


def _sloped(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """An array for each axis."""
    own = arguments[0] if arguments else None
    found = tuple(rules.floating(own) for _ in shape_of(own) or ())
    return found[0] if len(found) == 1 or "axis" in options else found


def _split(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Views, as many as are asked for."""
    own, parts = (*arguments, options.get("indices_or_sections", 2.0))[:2]
    if not isinstance(own, Array) or not own.shape:
        return None
    count = parts if isinstance(parts, float) else length_of(parts) or 2.0
    return Range(count, own.viewed((own.shape[0] / max(count, 1.0), *own.shape[1:])))


def _places_of(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = dims(arguments[0]) if arguments else None
    return rules.alloc((float(len(shape)), *shape) if shape else None, "i", 8.0)


def _eigen(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _matrix(arguments)
    if shape is None:
        return None
    rules.alloc(shape, "f", 8.0)
    rules.alloc((*shape[:-1], 2 * shape[-1]), "f", 8.0)
    return rules.alloc(shape[:-1], "f", 8.0), rules.alloc(shape, "f", 8.0)


def _long(arguments: Arguments, options: Options) -> Shape | None:
    """The shape of a series that is cut or filled up to `n`, where that is told: `fft(x, n)`."""
    shape, n = shape_of(arguments[0]), options.get("n", arguments[1] if len(arguments) > 1 else None)
    return (*shape[:-1], n) if shape and isinstance(n, float) else shape


def _fourier(rules: Rules, arguments: Arguments, options: Options) -> Any:
    return rules.alloc(_long(arguments, options), "c", 16.0)


def _fourier_twice(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """Along one axis, then along the other."""
    _fourier(rules, arguments, options)
    return _fourier(rules, arguments, options)


def _half(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _long(arguments, options)
    return rules.alloc((*shape[:-1], math.floor(shape[-1] / 2) + 1) if shape else None, "c", 16.0)


def _back(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape, told = shape_of(arguments[0]), _long(arguments, options)
    same = shape is None or told == shape
    return rules.alloc((*shape[:-1], (shape[-1] - 1) * 2) if shape and same else told, "f", 8.0)


def _frequencies(divisor: float) -> Rule:
    return lambda rules, arguments, options: rules.typed(
        (arguments[0] / divisor,) if arguments and isinstance(arguments[0], float) else None, options
    )


def _viewed(change: Callable[[Shape, Arguments, Options], Shape | None]) -> Rule:
    def rule(rules: Rules, arguments: Arguments, options: Options) -> Any:
        own = arguments[0] if arguments else None
        if not isinstance(own, Array):
            return None
        return own.viewed(None if own.shape is None else change(own.shape, arguments[1:], options))

    return rule


def _reshape(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    wanted = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else tuple(arguments)
    if not wanted or not all(isinstance(one, float) for one in wanted):
        return (math.prod(shape),)
    rest = math.prod(one for one in wanted if one > 0) or 1.0
    return tuple(one if one >= 0 else math.prod(shape) / rest for one in wanted)


def _flat(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    return (math.prod(shape),)


def _flattened(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """NumPy's copy in one row; PyTorch's view, from an axis on."""
    own = arguments[0] if arguments else None
    if not isinstance(own, Array) or own.shape is None:
        return None
    first = options.get("start_dim", arguments[1] if len(arguments) > 1 else None)
    if not isinstance(first, float):
        return rules.alloc((own.count,), own.kind, own.each)
    at = int(first)
    return own.viewed((*own.shape[:at], math.prod(own.shape[at:])))


def _pooled(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape, by = shape_of(arguments[0]), options.get("kernel_size", arguments[1] if len(arguments) > 1 else 2.0)
    by = by if isinstance(by, float) and by else 2.0
    return rules.alloc((*shape[:2], *(one // by for one in shape[2:])) if shape else None, "f", 4.0)


def _turned(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    order = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else tuple(arguments)
    known = [int(one) for one in order if isinstance(one, float)]
    if len(known) == len(shape) and all(-len(shape) <= one < len(shape) for one in known):
        return tuple(shape[one] for one in known)
    return tuple(reversed(shape))


def _squeezed(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    return tuple(one for one in shape if one != 1.0)


def _expanded(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    axis = options.get("axis", options.get("dim", arguments[0] if arguments else 0.0))
    at = int(axis) % (len(shape) + 1) if isinstance(axis, float) else 0
    return (*shape[:at], 1.0, *shape[at:])


def _swapped(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    """Two axes for each other."""
    axes = [int(one) for one in arguments if isinstance(one, float)]
    if len(axes) != 2 or not all(-len(shape) <= one < len(shape) for one in axes):
        return tuple(reversed(shape))
    found, (one, other) = list(shape), axes
    found[one], found[other] = found[other], found[one]
    return tuple(found)


def _moved(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    """An axis to another place."""
    axes = [int(one) for one in arguments if isinstance(one, float)]
    if len(axes) != 2 or not all(-len(shape) <= one < len(shape) for one in axes):
        return shape
    found = list(shape)
    found.insert(axes[1] % len(shape), found.pop(axes[0]))
    return tuple(found)


def _windows(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    window = dims(arguments[0]) if arguments else None
    if not window or len(window) != len(shape):
        return (*shape, *window) if window else None
    return (*(max(one - w + 1, 1.0) for one, w in zip(shape, window, strict=True)), *window)


def _to(shape: Shape, arguments: Arguments, options: Options) -> Shape | None:
    return dims(arguments[0]) if arguments else None


def _padded(rules: Rules, arguments: Arguments, options: Options) -> Any:
    own, more = (*arguments, None, None)[:2]
    shape = shape_of(own)
    if shape is None:
        return None
    grown = tuple(one + 2 * more for one in shape) if isinstance(more, float) else shape
    return rules.alloc(grown, *promoted([own]))


def _chosen(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`choice(a, size)`: numbers below `a`, or elements of it."""
    size = options.get("size", arguments[1] if len(arguments) > 1 else None)
    of = arguments[0] if arguments else None
    if size is None:
        return None
    kind = (of.kind, of.each) if isinstance(of, Array) else ("U", longest(of)) if longest(of) else ("i", 8.0)
    distinct = of.distinct or of.count if isinstance(of, Array) else of if isinstance(of, float) else length_of(of)
    return rules.alloc(dims(size), *kind).drawn(distinct or 0.0)


def _integers(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`integers(low, high, size)`, or below `low`."""
    made = _drawn(2, "i")(rules, arguments, options)
    low, high = arguments[0] if arguments else options.get("low"), arguments[1] if len(arguments) > 1 else None
    high = options.get("high", high)
    low, high = (low, high) if isinstance(high, float) else (0.0, low)
    return made.drawn(high - low) if isinstance(low, float) and isinstance(high, float) else made


def _shuffled(rules: Rules, arguments: Arguments, options: Options) -> Any:
    of = arguments[0] if arguments else None
    return rules.alloc((of,), "i", 8.0) if isinstance(of, float) else rules.like(of) if isinstance(of, Array) else None


def _counted(rules: Rules, arguments: Arguments, options: Options) -> Any:
    least = options.get("minlength")
    return rules.alloc((least if isinstance(least, float) else 256.0,), "i", 8.0)


def _diagonals(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _first(arguments)
    if shape is None:
        return None
    return rules.alloc((shape[0], shape[0]), "f", 8.0) if len(shape) == 1 else rules.alloc((min(shape),), "f", 8.0)


def _correlated(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _first(arguments)
    if not shape or len(shape) != 2:
        return None
    rules.floating(arguments[0])
    n = shape[0] if options.get("rowvar", True) is not False else shape[1]
    return rules.alloc((n, n), "f", 8.0)


def _distances(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`cdist(a, b)`, `cosine_similarity(a)`."""
    left = _first(arguments)
    right = shape_of(arguments[1]) if len(arguments) > 1 else left
    return rules.alloc((left[0], right[0]) if left and right else None, "f", 8.0)


def _pairs(rules: Rules, arguments: Arguments, options: Options) -> Any:
    shape = _first(arguments)
    return rules.alloc((shape[0] * (shape[0] - 1) / 2,) if shape else None, "f", 8.0)


def _square_of_pairs(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`squareform(pdist(x))`."""
    shape = _first(arguments)
    if shape is None:
        return None
    if len(shape) == 2:
        return rules.alloc((shape[0] * (shape[0] - 1) / 2,), "f", 8.0)
    side = round((1 + math.sqrt(1 + 8 * shape[0])) / 2)
    return rules.alloc((float(side), float(side)), "f", 8.0)


def _labelled(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`label(mask)`: a number for each element, and how many there are, which nobody knows."""
    return rules.like(arguments[0], "i", 4.0), None


def _from_edge(rules: Rules, arguments: Arguments, options: Options) -> Any:
    """`distance_transform_edt(mask)`: where the nearest other element is stands beside it for a while."""
    shape = _first(arguments)
    if shape is None:
        return None
    rules.alloc((float(len(shape)), *shape), "i", 12.0)
    return rules.alloc(shape, "f", 8.0)


NUMBERS: Mapping[str, Callable[..., float]] = {
    "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2, "log": math.log, "log10": math.log10,
    "exp": math.exp, "hypot": math.hypot, "round": round, "rint": round, "abs": abs, "maximum": max, "minimum": min,
    "prod": lambda value: value, "power": pow,
}  # fmt: skip
"""What is computed of numbers."""


def _names(words: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(words.split(), rule)


RULES: Mapping[str, Rule] = {
    **_names("zeros ones empty", _filled),
    **_names("full", _full),
    **_names("rand randn", _shaped),
    **_names("random random_sample ranf standard_normal standard_exponential standard_cauchy", _drawn(0)),
    **_names("exponential rayleigh power pareto weibull chisquare standard_gamma standard_t", _drawn(1)),
    **_names("normal uniform lognormal gamma beta laplace logistic gumbel triangular vonmises f rvs", _drawn(2)),
    **_names("poisson geometric", _drawn(1, "i")),
    **_names("integers randint random_integers", _integers),
    **_names("binomial negative_binomial", _drawn(2, "i")),
    **_names("choice", _chosen),
    **_names("permutation randperm", _shuffled),
    **_names("arange", _arange),
    **_names("linspace logspace geomspace", _linspace),
    **_names("eye identity tri", _square),
    **_names("zeros_like ones_like empty_like full_like rand_like randn_like randint_like copy clone", _like),
    **_names("array tensor", _array),
    **_names("asarray asanyarray ascontiguousarray as_tensor from_numpy contiguous to_numpy numpy fromiter", _as_array),
    **_names("astype type", _cast),
    **_names("concatenate concat cat vstack row_stack", _joined),
    **_names("append", _appended),
    **_names("hstack column_stack", _beside),
    **_names("dstack", _stacked),
    **_names("stack", _stacked),
    **_names("sin cos tan arcsin arccos arctan asin acos atan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt"
             " cbrt fabs floor ceil rint trunc reciprocal sigmoid softmax log_softmax softplus erf deg2rad rad2deg"
             " degrees radians normalize", _unary),
    **_names("square negative sign round around relu gelu silu leaky_relu elu nan_to_num conj conjugate"
             " clip clamp roll flip fliplr flipud rot90 triu tril fftshift ifftshift filter rotate resize"
             " convert", _same),
    **_names("abs absolute angle", _size),
    **_names("maximum minimum add subtract multiply divide true_divide floor_divide power mod fmod remainder hypot"
             " arctan2 logaddexp fmax fmin bitwise_and bitwise_or bitwise_xor left_shift right_shift copysign interp",
             _binary),
    **_names("isnan isinf isfinite isclose isin in1d logical_and logical_or logical_not logical_xor greater less"
             " greater_equal less_equal equal not_equal isna notna isnull notnull"
             " binary_erosion binary_dilation binary_opening binary_closing binary_fill_holes", _truth),
    **_names("where select", _where),
    **_names("nonzero flatnonzero argwhere", _places),
    **_names("max min amax amin nanmax nanmin ptp trace", _reducing()),
    **_names("sum prod nansum count_nonzero", _adding),
    **_names("mean nanmean average", _adding),
    **_names("var std nanvar nanstd logsumexp", _reducing(whole=1)),
    **_names("norm", lambda rules, arguments, options: rules.reduced(arguments, options, whole=int("axis" in options))),
    **_names("new", _image),
    **_names("median percentile quantile nanmedian nanpercentile nanquantile mode", _reducing("f", 8.0, whole=1)),
    **_names("argmax argmin nanargmax nanargmin", _reducing("i", 8.0)),
    **_names("any all", _reducing("b", 1.0)),
    **_names("cummax cummin diff sort msort partition", _along()),
    **_names("cumsum cumprod", _along(widened="biu")),
    **_names("gradient", _sloped),
    **_names("split array_split hsplit vsplit chunk", _split),
    **_names("qr", _qr),
    **_names("eigvals eigvalsh", lambda rules, arguments, options: (_eigen(rules, arguments, options) or (None,))[0]),
    **_names("indices", _places_of),
    **_names("fromfunction", lambda rules, arguments, options: _full(rules, arguments[1:], options)),
    **_names("argsort argpartition digitize", _along("i", 8.0)),
    **_names("searchsorted", lambda rules, arguments, options: _along("i", 8.0)(rules, arguments[1:], options)),
    **_names("triu_indices tril_indices", _triangle),
    **_names("unique", _along(flat=True)),
    **_names("repeat tile", _repeated),
    **_names("outer kron", _outer),
    **_names("meshgrid", _grid),
    **_names("matmul dot mm bmm inner", _product),
    **_names("einsum", _einsum),
    **_names("inv pinv cholesky matrix_power expm lu_factor cho_factor convolve correlate fftconvolve convolve2d"
             " gaussian_filter median_filter uniform_filter maximum_filter minimum_filter percentile_filter rank_filter"
             " gaussian_gradient_magnitude grey_erosion grey_dilation sobel laplace zoom filtfilt lfilter sosfiltfilt"
             " sosfilt medfilt savgol_filter hilbert detrend resample", _copied),
    **_names("solve lstsq spsolve", _solved),
    **_names("lu_solve cho_solve", _back_solved),
    **_names("svd", _svd),
    **_names("eig eigh", _eigen),
    **_names("fft ifft", _fourier),
    **_names("fft2 ifft2 fftn ifftn", _fourier_twice),
    **_names("vander", _powers),
    **_names("rfft rfft2 rfftn", _half),
    **_names("irfft irfft2 irfftn", _back),
    **_names("fftfreq", _frequencies(1.0)),
    **_names("rfftfreq", _frequencies(2.0)),
    **_names("reshape view resize unflatten", _viewed(_reshape)),
    **_names("ravel", _viewed(_flat)),
    **_names("permute", _viewed(_turned)),
    **_names("transpose", _viewed(lambda shape, arguments, options: (
        _swapped if len(arguments) == 2 and len(shape) > 2 else _turned)(shape, arguments, options))),
    **_names("swapaxes", _viewed(_swapped)),
    **_names("moveaxis", _viewed(_moved)),
    **_names("flatten", _flattened),
    **_names("max_pool2d avg_pool2d max_pool1d", _pooled),
    **_names("squeeze", _viewed(_squeezed)),
    **_names("expand_dims unsqueeze atleast_2d", _viewed(_expanded)),
    **_names("sliding_window_view", _viewed(_windows)),
    **_names("broadcast_to expand", _viewed(_to)),
    **_names("detach cpu to requires_grad_", _viewed(lambda shape, arguments, options: shape)),
    **_names("pad", _padded),
    **_names("bincount histogram", _counted),
    **_names("diag diagonal", _diagonals),
    **_names("cov corrcoef", _correlated),
    **_names("cdist cosine_similarity euclidean_distances pairwise_distances", _distances),
    **_names("pdist", _pairs),
    **_names("squareform", _square_of_pairs),
    **_names("label", _labelled),
    **_names("distance_transform_edt", _from_edge),
}  # fmt: skip

COSTS: Mapping[str, float] = {
    name: each
    for words, each in (
        ("zeros ones empty full arange zeros_like ones_like empty_like", 0.3),
        ("sum max min mean prod argmax argmin any all", 0.3),
        ("sqrt exp log log2 log10 log1p expm1 tanh arctan arctan2 sigmoid softmax interp where select std var", 2.0),
        ("sin cos tan arcsin arccos sinh cosh", 15.0),
        ("power hypot cumsum cumprod bincount nonzero flatnonzero argwhere", 5.0),
        ("rand random random_sample uniform", 3.0),
        ("randn normal standard_normal lognormal", 15.0),
        ("integers randint choice median percentile quantile histogram searchsorted digitize", 10.0),
        ("exponential gamma beta chisquare standard_t laplace", 30.0),
        ("poisson binomial permutation", 50.0),
        ("sort argsort unique partition argpartition fft ifft fft2 ifft2 rfft irfft rfft2 irfft2", 3.0),
        ("svd", 1.0), ("eig", 4.0), ("eigh", 0.4), ("inv pinv lstsq expm", 0.15), ("solve cholesky det slogdet", 0.04),
        ("filtfilt lfilter sosfiltfilt gaussian_filter median_filter convolve2d tolist isin", 30.0),
    )
    for name in words.split()
}  # fmt: skip
"""Nanoseconds of an element, where they are not those of adding two numbers."""
SORTING = frozenset("sort argsort unique fft ifft fft2 ifft2 rfft irfft rfft2 irfft2".split())
"""What takes so much more for each doubling."""
CUBIC = frozenset("svd eig eigh inv pinv lstsq expm solve cholesky det slogdet".split())
"""What takes so much for each element and row."""
