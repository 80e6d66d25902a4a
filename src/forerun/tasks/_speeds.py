"""How long Python takes for what a program is made of, for `forerun.tasks._walked`.

A hundred were measured once, each by itself in a loop (CPython 3.11, one core of an AMD EPYC, Zen 4); others have what
those have that are like them. Nodes are scaled to programs whose sizes were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

NODES = {
    "Assign": 3.7, "AugAssign": 7.4, "For": 15.5, "While": 3.7, "If": 3.1, "Return": 5.0, "Try": 2.5, "With": 150.0,
    "BinOp": 9.9, "Compare": 7.4, "BoolOp": 2.5, "UnaryOp": 6.2, "Call": 13.6, "Attribute": 3.7, "Subscript": 8.7,
    "Slice": 24.8, "JoinedStr": 60.0, "FormattedValue": 60.0, "List": 15.5, "Tuple": 9.3, "Dict": 60.0, "Set": 60.0,
    "ListComp": 120.0, "GeneratorExp": 200.0, "SetComp": 120.0, "DictComp": 120.0, "Yield": 15.5, "Lambda": 24.8,
}  # fmt: skip
"""Nanoseconds of a node of its tree, without those that it has."""
OTHERS = 1.5
"""Of others: names, constants."""


class Speed(NamedTuple):
    """Nanoseconds: of a call, for each element or letter of what it is given, and for each comparison that puts these
    in an order."""

    call: float
    each: float = 0.0
    compared: float = 0.0


_COMPILED = {
    "Assign": 0.03, "AugAssign": 0.06, "For": 0.6, "While": 0.6, "If": 0.5, "Return": 0.1, "Try": 1.0, "With": 1.0,
    "BinOp": 0.03, "Compare": 0.15, "BoolOp": 0.2, "UnaryOp": 0.03, "Call": 0.05, "Attribute": 0.04, "Subscript": 0.03,
    "Slice": 5.0, "JoinedStr": 40.0, "FormattedValue": 40.0, "List": 90.0, "Tuple": 1.0, "Dict": 60.0, "Set": 60.0,
    "ListComp": 60.0, "GeneratorExp": 5.0, "SetComp": 60.0, "DictComp": 60.0, "Yield": 2.0, "Lambda": 0.0,
}  # fmt: skip
"""The same of what a compiler makes of it."""


_INLINE = {
    "len": 0.3, "min": 0.6, "max": 0.6, "abs": 0.3, "int": 0.6, "float": 0.6, "ord": 0.3, "chr": 0.3, "append": 2.0,
    "pop": 1.0, "popleft": 1.0, "appendleft": 2.0, "sqrt": 2.0, "floor": 1.0, "ceil": 1.0, "exp": 8.0, "log": 8.0,
    "sin": 12.0, "cos": 12.0, "pow": 20.0, "hypot": 5.0, "fmod": 8.0, "atan2": 25.0, "log10": 10.0, "log2": 8.0,
    "range": 0.3, "iter": 1.0, "isinstance": 1.0, "random": 4.0, "randrange": 5.0, "randint": 8.0, "uniform": 8.0,
    "gauss": 20.0, "heappush": 25.0, "heappop": 90.0, "get": 2.0, "add": 60.0, "discard": 20.0, "items": 1.0,
    "values": 1.0, "keys": 1.0, "setdefault": 5.0, "str": 25.0, "word": 110.0, "letter": 5.0, "next": 25.0, "key": 30.0,
    "filled": 30.0, "scanned": 200.0, "monotonic": 25.0, "clear": 2.0, "gcd": 15.0, "bisect": 25.0, "hash": 5.0,
    "enumerate": 0.0, "zip": 0.0, "reversed": 0.0, "sum": 1.0, "any": 1.0, "all": 1.0, "map": 0.5, "filter": 0.5,
    "asked": 10.0, "fill": 5.0, "copy": 5.0, "deque": 20.0, "defaultdict": 20.0, "print": 90.0, "readline": 60.0,
}  # fmt: skip
"""Nanoseconds of calls that a compiler makes next to nothing of, or that are others than Python's."""


class Tempo(NamedTuple):
    """How fast a language is: nanoseconds of a node by its kind, and of others; how many times as long its own
    functions take as Python's; nanoseconds of a call of the program's own functions, of an instance of its classes, of
    what is under a key, and of a byte of what is kept: the system gives it, a collector of garbage goes through it."""

    nodes: Mapping[str, float]
    others: float
    library: float
    followed: float
    made: float
    keyed: float
    kept: float
    node: float = 1.0
    calls: Mapping[str, float] = {}
    """Of some functions, whatever they are given."""
    unknown: float | None = None
    """Of functions that nothing is known of."""
    divided: float = 0.0
    """Nanoseconds that a division takes longer than other operations, by what is not written out."""
    waited: float = 0.0
    """Nanoseconds of a multiplication that waits for what the one before gave."""
    sorting: float = 1.0
    """How many times as long it takes to put things in an order."""
    warming: float = 0.0
    """Seconds that it takes to compile what is run often, while it runs."""
    missed: bool = False
    """Whether it shows how far apart places of memory are."""
    round: float = 0.0
    """Nanoseconds of a round of a loop, beside what is in it."""
    sought: float = 5.5
    """Nanoseconds of an element of a list that one is looked for in."""
    moved: float = 0.1
    """The same of an element of eight bytes that moves by a place."""
    spread: float = 8.0
    """The same of a key that is copied to another mapping."""
    joins: float = 1.0
    """From which of these on a text is copied that is given itself and some more: 0 behind it, 1 ahead of it."""
    adds: bool = False
    """Whether it is also where some is added to it, `text += more`."""
    piece: float = 0.0
    """Nanoseconds of each piece that a text is split into, beside what Python takes."""
    parsed: float = 0.0
    """The same of a text that is read as a number."""
    field: float = 0.0
    """Nanoseconds of a field of a table that a text is, beside what Python takes."""
    again: float = 1.0
    """Which share of that time functions take that call themselves again and again: all that they need is near."""


_NEAR, _FAR = 2e6, 3.2e7
"""Bytes that the near caches of a processor hold, and the far one."""
_MISSED_NS, _AWAY_NS, _STRIDDEN = 1.5, 4.0, 0.5
"""Nanoseconds of a place in the far cache, and of one beyond it, and which share of that it takes where it is so many
steps away from the one before."""


def missed(size: float, stridden: bool) -> float:
    """Nanoseconds that a place of something so large takes longer to reach than the one beside it."""
    if size <= _NEAR:
        return 0.0
    return (_STRIDDEN if stridden else 1.0) * (_MISSED_NS if size <= _FAR else _AWAY_NS)


PYTHON = Tempo(NODES, OTHERS, 1.0, 25.0, 120.0, 0.0, 2.5, round=15.0, again=0.6)
_MACHINE = Tempo(
    _COMPILED, 0.0, 0.25, 0.3, 2.0, 140.0, 0.5, calls=_INLINE, unknown=30.0, missed=True, divided=1.5, waited=0.9,
    sorting=0.15, sought=0.3, moved=0.08, round=0.2, again=0.7,
)  # fmt: skip
_INTERPRETED = PYTHON._replace(round=0.0, keyed=20.0, calls={"randint": 40.0, "randrange": 40.0})
_TEMPI = {
    "python": PYTHON,
    "c": _MACHINE,
    "c++": _MACHINE,
    "rust": _MACHINE,
    "go": _MACHINE._replace(node=1.8, followed=0.5, made=5.0, kept=0.6, joins=0.0, adds=True),
    "java": _MACHINE._replace(
        node=1.5, followed=0.6, made=6.0, keyed=80.0, kept=1.0, library=0.3, sorting=2.0, warming=0.2,
        calls=_INLINE | {"word": 170.0, "get": 50.0, "add": 120.0}, joins=0.0,
    ),
    "javascript": _MACHINE._replace(
        node=2.5, followed=1.0, made=10.0, keyed=120.0, kept=2.0, library=0.5, sorting=0.3, warming=0.03, sought=0.5,
        spread=200.0, joins=2.0, piece=90.0, parsed=70.0, again=1.0,
    ),
    "perl": _INTERPRETED._replace(node=2.2, followed=150.0, kept=1.5, library=0.4, moved=0.0, again=0.45),
    "ruby": _INTERPRETED._replace(
        node=1.2, followed=15.0, sought=4.0, moved=0.0, joins=0.0, field=1200.0, again=0.2,
    ),
    "php": _INTERPRETED._replace(node=0.4, followed=10.0, kept=1.3, sought=0.6, moved=1.0, again=0.45),
    "lua": _INTERPRETED._replace(
        node=0.6, followed=12.0, kept=2.0, library=0.5, moved=4.0, joins=0.0, adds=True, again=0.4,
    ),
}  # fmt: skip
"""By language."""


def tempo(language: str) -> Tempo:
    return _TEMPI.get(language, PYTHON)


UNKNOWN, ASKED = Speed(400.0), Speed(60.0)
"""Calls of functions and methods that nothing is known of."""
_EACH = {
    "sum": 6.0, "min": 18.0, "max": 18.0, "any": 15.0, "all": 15.0, "list": 2.0, "tuple": 2.0, "set": 18.0,
    "frozenset": 18.0, "dict": 50.0, "zip": 30.0, "map": 30.0, "filter": 20.0, "enumerate": 30.0, "reversed": 3.0,
    "Counter": 50.0, "deque": 3.0, "fromkeys": 50.0, "OrderedDict": 100.0, "accumulate": 25.0, "chain": 10.0,
    "islice": 10.0, "combinations": 40.0, "permutations": 60.0, "product": 40.0, "groupby": 60.0,
    "shuffle": 180.0, "heapify": 30.0, "nlargest": 40.0, "nsmallest": 40.0, "mean": 400.0, "fmean": 20.0,
    "median": 100.0, "stdev": 600.0, "pstdev": 600.0, "variance": 600.0, "pvariance": 600.0, "deepcopy": 170.0,
    "copy": 3.0, "array": 20.0, "fsum": 15.0, "prod": 25.0, "dist": 20.0,
    "join": 8.0, "extend": 4.0, "update": 40.0, "union": 30.0, "intersection": 30.0, "difference": 30.0,
    "symmetric_difference": 40.0, "index": 8.0, "count": 16.0, "remove": 8.0, "insert": 0.3, "reverse": 1.0,
    "split": 3.0, "replace": 1.0, "lower": 0.5, "upper": 0.5, "title": 4.0, "strip": 0.1, "encode": 0.1, "decode": 0.1,
    "find": 0.5, "splitlines": 1.0, "translate": 1.0, "findall": 16.0, "finditer": 25.0, "sub": 30.0, "search": 8.0,
    "match": 8.0, "fullmatch": 8.0, "sha256": 0.8, "sha1": 1.0, "md5": 1.3, "sha512": 1.5, "blake2b": 1.0,
    "compress": 23.0, "decompress": 4.0, "crc32": 0.3, "adler32": 0.3, "b64encode": 1.0, "b64decode": 2.0,
    "dumps": 100.0, "loads": 10.0, "write": 0.3, "read": 0.3, "writerow": 100.0, "writerows": 600.0,
    "feed": 150.0, "fromstring": 15.0, "read_string": 60.0, "literal_eval": 400.0, "tostring": 20.0, "escape": 2.0,
    "unescape": 10.0, "wrap": 300.0, "fill": 300.0, "pformat": 500.0, "executemany": 600.0, "randbytes": 0.5,
    "write_bytes": 0.3, "write_text": 0.5, "sample": 200.0, "choices": 115.0,
}  # fmt: skip
_OF_TEXTS = {"count": 0.5, "index": 0.3, "list": 4.0, "set": 10.0, "Counter": 30.0, "reversed": 3.0}
"""Nanoseconds for each letter, where that is another time than for an element."""
_CALLS = {
    "random": 25.0, "randint": 300.0, "randrange": 200.0, "choice": 200.0, "uniform": 80.0, "gauss": 330.0,
    "normalvariate": 400.0, "expovariate": 150.0, "betavariate": 1500.0, "gammavariate": 1000.0, "sample": 3000.0,
    "choices": 800.0, "shuffle": 500.0, "getrandbits": 50.0, "triangular": 200.0, "paretovariate": 150.0,
    "lognormvariate": 450.0, "vonmisesvariate": 900.0, "weibullvariate": 200.0,
    "sqrt": 25.0, "sin": 45.0, "cos": 45.0, "exp": 40.0, "log": 50.0, "pow": 60.0, "hypot": 50.0, "gcd": 50.0,
    "isqrt": 80.0, "heappush": 90.0, "heappop": 180.0, "heappushpop": 150.0, "heapreplace": 220.0, "bisect": 100.0,
    "bisect_left": 100.0, "bisect_right": 100.0, "insort": 150.0, "int": 50.0, "float": 60.0, "str": 90.0,
    "repr": 120.0, "round": 130.0, "print": 800.0, "format": 200.0, "sorted": 100.0, "min": 80.0, "max": 80.0,
    "sum": 40.0, "any": 40.0, "all": 40.0, "zip": 120.0, "enumerate": 60.0, "range": 60.0, "set": 60.0, "dict": 80.0,
    "Counter": 1200.0, "deque": 90.0, "deepcopy": 2000.0, "copy": 800.0, "Decimal": 200.0, "Fraction": 1000.0,
    "sha256": 300.0, "md5": 500.0, "hexdigest": 100.0, "dumps": 1500.0, "loads": 1500.0, "match": 250.0,
    "search": 250.0, "findall": 350.0, "sub": 500.0, "split": 60.0, "strptime": 6000.0, "strftime": 900.0,
    "isoformat": 400.0, "append": 8.0, "appendleft": 20.0, "pop": 15.0, "popleft": 20.0, "add": 20.0, "get": 15.0,
    "len": 10.0, "isinstance": 15.0, "abs": 15.0, "ord": 10.0, "chr": 15.0, "hash": 25.0, "join": 50.0,
    "items": 25.0, "values": 25.0, "keys": 25.0, "setdefault": 30.0, "now": 150.0, "monotonic": 30.0,
    "timedelta": 300.0, "perf_counter": 30.0, "namedtuple": 200_000.0, "uuid4": 1500.0,
    "urlparse": 1500.0, "urlsplit": 1200.0, "urlunsplit": 800.0, "urlunparse": 1000.0, "urlencode": 5000.0,
    "parse_qs": 5000.0, "parse_qsl": 4000.0, "quote": 1000.0, "unquote": 500.0, "substitute": 4000.0,
    "safe_substitute": 4000.0, "quantize": 250.0, "SubElement": 500.0, "findtext": 700.0, "escape": 300.0,
    "open": 20_000.0, "write_bytes": 30_000.0, "write_text": 30_000.0, "read_bytes": 20_000.0, "read_text": 25_000.0,
    "unlink": 20_000.0, "mkdir": 30_000.0, "exists": 3000.0, "stat": 3000.0, "getint": 3000.0, "getfloat": 3000.0,
    "getboolean": 3000.0, "execute": 3000.0, "commit": 30_000.0, "blake2b": 500.0, "sha1": 300.0, "digest": 60.0,
    "urandom": 400.0, "compile": 200.0, "pack": 150.0, "unpack": 150.0,
}  # fmt: skip
_COMPARED = {"sorted": 9.0, "sort": 9.0, "merge": 40.0}
"""Nanoseconds of a comparison."""
GIVEN = frozenset(
    "join extend extendleft update union intersection difference symmetric_difference fromkeys write writerows feed"
    " executemany read_string write_bytes write_text".split()
)
"""Methods that go through what they are given, instead of what they are of."""
DRAWN = frozenset("sample choices".split())
"""Functions that give as many as they are asked for."""
TEXTS, TUPLES = 2.0, 4.0
"""How many times as long it takes to compare texts, and tuples, as it does numbers."""
_KEYED = 60.0
"""Nanoseconds of a key function for each element, beside what it does."""


def speed(name: str, method: bool, letters: bool) -> Speed:
    """Of a function of Python's own, or a method, by its name; of `letters`, or of what containers have."""
    call, compared = _CALLS.get(name), _COMPARED.get(name, 0.0)
    each = _EACH.get(name, 0.0)
    if letters and name in _OF_TEXTS:
        each = _OF_TEXTS[name]
    if call is None and not each and not compared:
        return ASKED if method else UNKNOWN
    return Speed(call or 40.0, each, compared)


def nanoseconds(of: Speed, count: float, keyed: bool = False, hard: float = 1.0) -> float:
    """Of a call that is given so many, with a function that gives keys; two of them are so many times as hard to
    compare as numbers."""
    each = of.each + hard * of.compared * math.log2(max(count, 2.0)) + _KEYED * keyed
    return of.call + max(count, 0.0) * each
