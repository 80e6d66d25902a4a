"""What Python's own functions give, and those of the modules that most programs use, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from forerun.tasks._asking import Asking
from forerun.tasks._figures import (
    ANEW,
    DIGESTS,
    USUAL,
    calculated,
    chosen,
    dated,
    number,
    ranged,
    wide,
    widened,
)
from forerun.tasks._objects import (
    MANY,
    Boxes,
    Classed,
    Module,
    Number,
    Passing,
    Written,
    any_where_unknown,
    differing,
    known,
    placed,
)

_LEAST = 1e-9
"""What is drawn is no less where its logarithm is asked for."""
_OPERATOR_NS = 25.0
"""Nanoseconds of an operator that is called as a function."""
_ORDERED = 120.0
"""Bytes of a key of an ordered mapping, beside its place in the table."""


class Library(Asking):
    """Functions of builtins, numbers and containers."""

    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function of Python's own gives."""
        name, root = function.last, function.path.partition(".")[0]
        if function.path in (f"str.{name}", f"bytes.{name}") and arguments:  # `map(str.strip, lines)`
            return self.asked(arguments[0], name, arguments[1:], options)
        if root == "operator":
            self.work(_OPERATOR_NS)
        else:
            self.worked(name, None, arguments, options)
        own = getattr(self, f"_lib_{root}", None) if "." in function.path else None
        if own is not None and (made := own(name, arguments, options)) is not NotImplemented:
            return made
        if "." not in function.path or root in ("builtins", "operator"):
            made = self._builtin(name, arguments, options)
            if made is not NotImplemented:
                return made
        if name in USUAL or (
            root in ("datetime", "decimal", "fractions")
            and name in ("now", "today", "fromisoformat", "strptime", "fromtimestamp", "combine", "utcnow")
        ):
            usual = USUAL.get(name, USUAL.get(function.path.split(".")[-2], "datetime"))
            if (when := dated(usual, name, arguments, options)) is not None:
                return Number(when, when, when, 1.0, True, usual)
            known = math.prod(differing(one) for one in arguments) if arguments else 1.0
            return Number(None, distinct=min(max(known, 2.0), MANY), whole=False, usual=usual)
        if name in DIGESTS or name in ("hexdigest", "digest"):
            return Written("0" * 8, DIGESTS.get(name, 64.0) / (1.0 if name != "digest" else 2.0), MANY)
        return None

    def _builtin(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "range":
            return ranged(arguments)
        if name == "len":
            size = self.length(first)
            return self._sized(first, size)
        if name in ("list", "sorted"):
            made = self.listed(first) if arguments else self.new("list")
            made.text = first if isinstance(first, Written) else None
            return made
        if name in ("set", "frozenset"):
            return self.listed(first, "set") if arguments else self.new("set")
        if name == "tuple":
            return self.listed(first, "tuple") if arguments else self.tupled([])
        if name == "dict":
            made = self.new("dict")
            if arguments:
                if (
                    isinstance(first, Passing)
                    and first.first
                    and len(first.first) == first.count
                    and _pairs(first.first)
                ):
                    for pair in first.first:
                        key, value = pair.fields.values()
                        self.set_field(made, key.known, value)
                else:
                    self._updated(made, first)
            for key, value in options.items():
                self.set_field(made, key, value)
            return made
        if name in ("enumerate", "zip", "reversed", "iter", "filter", "map"):
            return self._iterated(name, arguments)
        if name in ("int", "float", "round", "abs", "bool", "ord", "hash", "pow", "divmod", "id"):
            return self._numeric(name, arguments)
        if name in ("min", "max", "sum", "next", "any", "all"):
            return self._reduced(name, arguments)
        if name == "chr" and isinstance(first, Number):
            return Written("x", 1.0, min(max(differing(any_where_unknown(first)), ANEW), 256.0))
        if name in ("str", "repr", "chr", "hex", "bin", "oct", "format", "ascii"):
            if isinstance(first, Written):
                return first
            long = wide(first, "")
            return Written("x" * int(min(long, 40)), long, max(differing(any_where_unknown(first)), ANEW))
        if name in ("bytes", "bytearray"):
            size = first.value if isinstance(first, Number) and first.value else self.length(first) or 0.0
            if name == "bytes":
                return Written("", size, max(differing(first), ANEW) if isinstance(first, Written) else MANY, raw=True)
            made = self.new("bytearray")
            made.each = 1.0
            made.puts += size * self.times
            return made
        if name == "__import__" and isinstance(first, Written) and first.known:
            return Module(first.known)
        if name == "memoryview":
            return self.new("view")
        if name == "open":
            made = self.new("file")
            return self._opened(made, first)
        if name == "super":
            return self.above()
        if name in (
            "print",
            "input",
            "isinstance",
            "setattr",
            "getattr",
            "callable",
            "type",
            "vars",
            "exit",
            "hasattr",
        ):
            return None
        return NotImplemented

    def _sized(self, own: Any, size: float | None) -> Number:
        """What `len` gives; another number each time where it grows meanwhile."""
        if size is None:
            return Number(None)
        place = id(self.at), id(own) if isinstance(own, Boxes) else 0  # of others another one may stand there
        before = self.sizes.get(place)
        self.sizes[place] = size
        if (
            self.times > 1
            and before is not None
            and isinstance(own, Boxes)  # a part of one is as long as it is
            and abs(size - before) > 1e-6 * max(size, 1.0)
        ):
            each = self.times / max(own.made, 1.0)  # times of each of them
            top = max(min(each, own.bound), size)
            return Number(top / 2, 0.0, top, max(self.times, 2.0))
        return Number(size, size, size, 1.0)

    def _opened(self, made: Boxes, path: Any) -> Boxes:
        """A file again has what was written to it, as far as one of that name was."""
        key = placed(path)
        if key in self.files and self.files[key] is not made:
            old = self.files[key]
            share = made.made / max(old.made, 1e-12)
            made.puts, made.one = old.puts * share, old.one
            made.fields["bytes"] = old.fields.get("bytes", 0.0) * share
        else:
            self.files[key] = made
        return made

    def _iterated(self, name: str, arguments: list[Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "enumerate":
            count, one = self.through(first)
            place = number(0.0, max((count or 1.0) - 1, 0.0), count or MANY)
            return self.tuples(count, [place, one])
        if name == "zip":
            pairs = [self.through(one) for one in arguments]
            counts = [many for one, (many, _) in zip(arguments, pairs, strict=True)
                      if many is not None and not getattr(one, "each_s", 0.0)]  # fmt: skip
            count = min(counts, default=min((many for many, _ in pairs if many is not None), default=None))
            for one in arguments:
                self.further(one, count or 0.0)
            if len(arguments) < (self.spread[0] or 0.0):  # `zip(*rows)`
                times, self.times = self.times, self.times * (count or 0.0)
                column = self.listed(Passing(self.spread[0], pairs[0][1]), "tuple")
                self.times = times
                return Passing(count, column)
            return self.tuples(count, [one for _, one in pairs])
        if name == "map" and len(arguments) > 1:
            return self._mapped(first, arguments[1:])
        if name == "filter" and len(arguments) > 1:
            count, one = self.through(arguments[1])
            return Passing(count / 2 if count is not None else None, one)
        if name == "iter":
            fed = getattr(first, "fed", None)
            return self.stream(Passing(*self.through(first), tuple(known(first).values()), often=self.times, fed=fed))
        return Passing(*self.through(first))

    def further(self, given: Any, many: float) -> None:
        """So many are asked for of what has no end."""
        if isinstance(given, Passing) and given.each_s and many > (given.count or 0.0):
            self.spend((many - (given.count or 0.0)) * self.times * given.each_s)

    def stream(self, one: Passing) -> Passing:
        """Something that is given one by one."""
        if one.first:
            self.streams.append(one)
        return one

    def _numeric(self, name: str, arguments: list[Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if isinstance(first, Written) and name in ("int", "float"):
            self.work(self.tempo.parsed)
        if isinstance(first, Written) and name in ("int", "float") and (found := _as_number(first, name)) is not None:
            return found
        if not isinstance(first, Number):
            distinct = differing(first) if isinstance(first, Written) else MANY
            top = 255.0 if name == "ord" else MANY
            return Number(None, -1.0 if name == "ord" else -math.inf, top, distinct, name != "float")
        if name == "pow" and isinstance(second, Number):
            third = arguments[2] if len(arguments) > 2 else None
            if isinstance(third, Number) and third.value:
                return number(0.0, third.value, third.value)
            return calculated(ast.Pow(), first, second)
        if name == "divmod" and isinstance(second, Number):
            return self.tupled([calculated(ast.FloorDiv(), first, second), calculated(ast.Mod(), first, second)])
        if name == "abs" and first.value is not None:
            return replace(first, value=abs(first.value), low=0.0, high=max(abs(first.low), abs(first.high)))
        digits = (
            int(second.known) if name == "round" and isinstance(second, Number) and second.known is not None else None
        )
        whole = name in ("int", "ord", "hash", "bool") or (name == "round" and digits is None)
        spread = first.high - first.low
        distinct = min(first.distinct, spread * 10.0 ** (digits or 0) + 1 if whole or digits is not None else MANY)
        value = first.value if first.value is None or not whole else float(math.trunc(first.value))
        if first.known is not None and value is not None:
            return Number.of(value, whole)
        return replace(first, value=value, distinct=max(distinct, 1.0), whole=whole)

    def _reduced(self, name: str, arguments: list[Any]) -> Any:
        first = arguments[0] if arguments else None
        if name in ("any", "all"):
            return Number(0.0, 0.0, 1.0, 2.0)
        if name in ("min", "max") and len(arguments) > 1:
            numbers = [one for one in arguments if isinstance(one, Number) and one.value is not None]
            if len(numbers) < len(arguments):
                return numbers[0] if numbers else first
            pick = min if name == "min" else max
            return replace(
                numbers[0], value=pick(one.value for one in numbers if one.value is not None),
                low=pick(one.low for one in numbers), high=pick(one.high for one in numbers),
                distinct=max(one.distinct for one in numbers),
            )  # fmt: skip
        if name == "next" and isinstance(first, Passing) and first.first:
            return first.next(self.times)
        count, one = self.through(first)
        if name in ("min", "max") and isinstance(one, Number) and one.seen and (count or 0.0) > 1:
            return Number.of(one.low if name == "min" else one.high, one.whole)
        if name == "sum":
            if isinstance(one, Number) and one.value is not None and count is not None:
                return Number(one.value * count, one.low * count, one.high * count, MANY, one.whole)
            return Number(None)
        return one

    def _lib_math(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        known = first.known if isinstance(first, Number) else None
        whole = name in ("floor", "ceil", "isqrt", "trunc", "gcd", "lcm", "comb", "factorial", "perm")
        if name == "inf":
            return Number.of(math.inf, False)
        if known is not None and len(arguments) == 1:
            with suppress(ValueError, OverflowError, TypeError):
                return Number.of(
                    float(getattr(math, name)(int(known) if name in ("isqrt", "factorial") else known)), whole
                )
        if isinstance(first, Number) and first.drawn and name in ("log", "log2", "log10") and len(arguments) == 1:
            low, middle, high = (max(one, _LEAST) for one in (first.low, first.value or 0.0, first.high))
            if math.isfinite(high):
                make = getattr(math, name)
                return Number(make(middle), make(low), make(high), first.distinct, False, drawn=True)
        if isinstance(first, Number) and name in ("floor", "ceil", "trunc", "sqrt", "isqrt"):
            root = name in ("sqrt", "isqrt")
            make = (lambda x: math.sqrt(max(x, 0.0))) if root else (lambda x: x)
            value = None if first.value is None else make(first.value)
            return Number(
                value,
                make(first.low) if math.isfinite(first.low) else first.low,
                make(first.high),
                first.distinct,
                whole,
            )
        return Number(None, whole=whole)

    def _lib_random(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        made = self._random(name, arguments, options)
        return replace(made, drawn=True) if isinstance(made, (Number, Written)) else made

    def _random(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name in ("Random", "SystemRandom"):
            return Module("random")
        if name in ("randint", "randrange"):
            if (
                isinstance(first, Number)
                and isinstance(second, Number)
                and first.value is not None
                and second.value is not None
            ):
                low, high = first.low, second.high - (name == "randrange")
                return number(low, high, high - low + 1)
            if isinstance(first, Number) and first.value is not None:
                return number(0.0, first.high - 1, first.high)
            return Number(None)
        if name == "getrandbits":
            bits = first.value if isinstance(first, Number) and first.value else 32.0
            return number(0.0, 2.0 ** min(bits, 900.0), 2.0 ** min(bits, 49.0))
        if name == "randbytes":
            return Written("", first.value if isinstance(first, Number) and first.value else 16.0, MANY, raw=True)
        if name == "random":
            return number(0.0, 1.0, MANY, whole=False)
        if (
            name == "uniform"
            and isinstance(first, Number)
            and isinstance(second, Number)
            and first.value is not None
            and second.value is not None
        ):
            return number(min(first.low, second.low), max(first.high, second.high), MANY, whole=False)
        if name == "expovariate" and isinstance(first, Number) and first.value:
            return number(0.0, 2.0 / abs(first.value), MANY, whole=False)
        if name == "choice":
            count, one = self.through(first)
            return chosen(first, count, one)
        if name in ("choices", "sample"):
            several = options.get("k", second if name == "sample" else None)
            count, one = self.through(first)
            many = several.value if isinstance(several, Number) and several.value is not None else 1.0
            made = self.new("list")
            one = chosen(first, count, one)
            made.put(replace(one, drawn=True) if isinstance(one, (Number, Written)) else one, many * self.times)
            return made
        if name == "shuffle":
            return None
        return Number(None, distinct=MANY, whole=False)

    def _lib_collections(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name == "deque":
            made = self.new("deque")
            bound = options.get("maxlen", second)
            if isinstance(bound, Number) and bound.value is not None:
                made.bound = bound.value
            if arguments and first is not None:
                self.extend(made, first)
            return made
        if name == "namedtuple":
            spelt = second.known.replace(",", " ").split() if isinstance(second, Written) and second.known else []
            if isinstance(second, Boxes):
                spelt = [one.known for one in second.fields.values() if isinstance(one, Written) and one.known]
            node = ast.ClassDef(name="", bases=[], keywords=[], body=[], decorator_list=[])
            return Classed(node, kind="named", named=tuple(spelt))
        if name in ("defaultdict", "Counter", "OrderedDict", "ChainMap"):
            made = self.new("dict")
            if name == "OrderedDict":
                made.each = _ORDERED
            if name == "defaultdict":
                made.makes = first
                first = second
            if name == "Counter":
                made.makes = Module("int")
            if first is not None:
                self._updated(made, first)
            return made
        return NotImplemented

    def _lib_heapq(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name == "heappush" and isinstance(first, Boxes):
            self.add(first, second)
        if name == "heappop" and isinstance(first, Boxes):
            one = first.one
            self.less(first)
            return widened(one, self.reach[-1], ranked=True) if self.reach else one
        if name in ("heappushpop", "heapreplace") and isinstance(first, Boxes):
            return first.one
        if name in ("nlargest", "nsmallest"):
            count, one = self.through(second)
            few = first.value if isinstance(first, Number) and first.value else 10.0
            return self.listed(Passing(min(few, count or few), one))
        if name == "merge":
            pairs = [self.through(one) for one in arguments]
            return Passing(sum(count or 0.0 for count, _ in pairs), pairs[0][1] if pairs else None)
        return None

    def _lib_bisect(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name.startswith("insort") and isinstance(first, Boxes):
            self.add(first, second)
            return None
        many = self.length(first)
        return number(0.0, many or MANY, many or MANY)

    def _lib_itertools(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        pairs = [self.through(one) for one in arguments]
        counts = [count for count, _ in pairs if count is not None]
        one = pairs[0][1] if pairs else None
        if name in ("combinations", "permutations", "product", "combinations_with_replacement"):
            second = arguments[1] if len(arguments) > 1 else options.get("repeat")
            n = counts[0] if counts else 0.0
            k = len(arguments) if name != "permutations" else int(min(n, 40))
            if isinstance(second, Number) and second.value is not None:
                k = int(min(second.value, 40))
            if name != "permutations" and isinstance(second, Number) and 1 < second.high - second.low < 64:
                sizes = range(max(int(second.low), 0), int(second.high) + 1)
                ways = [n**size if name == "product" else float(math.comb(int(n), size)) for size in sizes]
                return self.tuples(sum(ways) / max(len(sizes), 1), [one] * min(k, 20))
            with suppress(OverflowError, ValueError):
                if name == "product":
                    total = n**k if isinstance(second, Number) else math.prod(counts)
                    inner = [one] * k if isinstance(second, Number) else [one for _, one in pairs]
                    return self.tuples(total, inner[:20])
                total = math.comb(int(n), k) if name != "permutations" else math.perm(int(n), k)
                return self.tuples(float(total), [one] * min(k, 20))
            return Passing(None)
        if name == "chain":
            return Passing(sum(counts), one)
        if name == "pairwise":
            return self.tuples(max(counts[0] - 1, 0.0) if counts else None, [one, one])
        if name == "from_iterable":
            each, part = self.through(one)
            return Passing((counts[0] if counts else 0.0) * (each or 0.0), part)
        if name in ("islice", "repeat") and len(arguments) > 1:
            stop = arguments[2 if len(arguments) > 2 and name == "islice" else 1]
            several = stop.value if isinstance(stop, Number) else None
            if stop is None and name == "islice" and counts and isinstance(start := arguments[1], Number):
                return Passing(max(counts[0] - (start.value or 0.0), 0.0), one)
            if name == "islice" and several is not None:
                self.further(arguments[0], several)
            return Passing(several, one if name == "islice" else arguments[0])
        if name in ("count", "cycle"):
            return Passing(None, one if name == "cycle" else Number(None))
        if name == "accumulate":
            return Passing(counts[0] if counts else None, Number(None, distinct=MANY))
        if name == "compress":
            return Passing(counts[0] / max(math.log(max(counts[0], 2.0)), 1.0) if counts else None, one)
        if name == "pairwise":
            return self.tuples(counts[0] if counts else None, [one, one])
        if name == "groupby":
            n = counts[0] if counts else 0.0
            return Passing(n**0.5, self.tupled([None, Passing(n**0.5, one)]))
        if name == "zip_longest":
            return self.tuples(max(counts, default=0.0), [one for _, one in pairs])
        return Passing(counts[-1] if counts else None, pairs[-1][1] if pairs else None)


def _pairs(values: Sequence[Any]) -> bool:
    """Whether they are known keys with their values."""
    each = [[*one.fields.values()] for one in values if isinstance(one, Boxes)]
    return len(each) == len(values) and all(
        len(one) == 2 and isinstance(one[0], Written) and one[0].known is not None for one in each
    )


def _as_number(text: Written, name: str) -> Number | None:
    """What a text says, if that is known to be a number."""
    found = text.numeric
    return found and replace(found, whole=name == "int", distinct=max(found.distinct, ANEW), atom=None)
