"""Columns of pandas: numbers, dates and texts, and what their methods give.

Measured once (pandas 3.1 whose texts are Python's, one thread of an AMD EPYC, Zen 4).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from forerun.tasks._arrays import (
    INDEX,
    REST,
    Accessor,
    Array,
    Block,
    Function,
    Groups,
    Many,
    Named,
    Range,
    Table,
    Thing,
    element,
    length_of,
)
from forerun.tasks._expressions import Expressions

CELL, POINTER, PLACE, _TEXT, WORD = 8.0, 8.0, 8.0, 49.0, 10.0
"""Bytes of a number, of a place in a column or a list, of a text beside its characters, and characters of one that
nobody knows."""
UNKNOWN = 0.5
"""To this power of the rows there are different values, where nobody knows how many."""
_FEW, _FILLED = 5000.0, 0.8
"""Texts that are taken to differ, and how long those of a list are for the longest one."""
_EACH_NS = 150.0
"""Nanoseconds of a cell that Python is asked for."""
COPIED: Mapping[str, tuple[float, float]] = {
    "copy": (0, 0.8), "fillna": (1, 1.0), "ffill": (4, 2.0), "bfill": (4, 2.0), "replace": (4, 5.0), "clip": (4, 7.0),
    "round": (0, 3.0), "abs": (0, 1.0), "shift": (0, 1.0), "diff": (0, 2.0), "pct_change": (16, 4.0),
    "cumsum": (9, 5.0), "cumprod": (9, 5.0), "cummax": (9, 5.0), "cummin": (9, 5.0), "rank": (25, 160.0),
    "where": (5, 11.0), "mask": (5, 11.0), "interpolate": (11, 3.0), "convert_dtypes": (8, 20.0), "reindex": (9, 5.0),
    "add": (0, 4.0), "sub": (0, 4.0), "mul": (0, 4.0), "div": (0, 4.0), "combine_first": (9, 10.0), "update": (8, 8.0),
    "sort_values": (9, 60.0), "sort_index": (9, 40.0), "transform": (8, 5.0),
}  # fmt: skip
"""What gives as many cells anew: bytes of a cell beside these meanwhile, and nanoseconds."""
_SORTED = frozenset("sort_values sort_index".split())
_ANEW = _SORTED | frozenset(
    "ffill bfill fillna shift pct_change rank interpolate replace mask combine_first reindex".split()
)
"""Those of a column that arrays have not, or that do something else there."""
_PARTS: Mapping[str, float] = {
    "month": 12, "hour": 24, "dayofweek": 7, "day_of_week": 7, "weekday": 7, "day": 31, "quarter": 4, "minute": 60,
    "second": 60, "dayofyear": 366, "day_name": 7, "month_name": 12, "year": 5, "date": 365, "normalize": 365,
    "days": 365, "is_month_end": 2,
}  # fmt: skip
"""How many different ones there are of a date, as programs have them."""
_TESTS = frozenset("contains startswith endswith match fullmatch isdigit isnumeric isalpha islower isupper".split())
_COUNTS = frozenset("len count find rfind".split())
_DATES = frozenset("floor to_period normalize round ceil tz_localize tz_convert total_seconds".split())
_TEXTS = frozenset("strftime day_name month_name date isoformat".split())


class Columns(Expressions):
    """Columns of tables, which are arrays of one dimension."""

    @abstractmethod
    def _applied(self, known: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function, or what can be called, gives."""

    @abstractmethod
    def _groups(self, own: Table, by: Any, options: Mapping[str, Any]) -> Groups:
        """Rows that are alike."""

    def _worded(self, count: float, long: float) -> Array:
        """A column of so many new texts of this length."""
        texts = Block()
        texts.bytes = count * 16.0 * math.ceil((_TEXT + long) / 16.0)
        made = replace(self._alloc((count,), "O", POINTER), texts=texts)
        self._passing.append(made)
        self._look()
        return made

    def _like(self, own: Array, kind: str, more: float, ns: float, each: float = CELL) -> Array:
        """A column as long as this one; meanwhile it takes so much more of each row."""
        count = own.count
        self._alloc((count,), "x", more)
        self._spend(count * ns)
        return self._alloc(own.shape, kind, each)

    def _column(self, value: Any, rows: float) -> Array:
        """A column of what is given for it."""
        if isinstance(value, Array):
            if value.kind == "U" and value.shape:
                made = self._worded(value.count, value.each / 4 * _FILLED).known(value.distinct)
                self._spend(value.count * 76.0)
                return made
            if not value.shape:
                return self._alloc((rows,), value.kind, value.each).known(1.0)
            return self._alloc(value.shape[:1], value.kind, value.each).akin(value)
        if isinstance(value, (Many, tuple, Range)) and not isinstance(value, Table):
            count = length_of(value) or 0.0
            one = (value[0] if value else None) if isinstance(value, tuple) else value.one
            if isinstance(one, str) or (one is None and isinstance(value, Many)):
                texts = value.block if isinstance(value, Many) else None
                self._alloc((count,), "x", _TEXT if isinstance(one, str) else 0.0)
                made = replace(self._alloc((count,), "O", POINTER), texts=texts)
                return made.known(count if count <= _FEW else 0.0)
            kind = "O" if isinstance(one, (Thing, tuple, Many)) else "i" if isinstance(value, Range) else "f"
            made = self._alloc((count,), kind, CELL)
            return replace(made, distinct=count) if isinstance(value, Range) else made
        made = self._alloc((rows,), "O" if isinstance(value, str) else "f", CELL)
        return made.known(1.0) if isinstance(value, (str, float)) else made

    def _as(self, one: Array, told: Any) -> Array:
        """A column of other elements."""
        name = told.last if isinstance(told, Named) else told
        if name == "category":
            extra, ns = (50.0, 99.0) if one.kind == "O" else (20.0, 30.0)
            made = self._like(one, "i", extra, ns, each=1.0 if 0 < one.distinct < 128 else 2.0)
            return replace(made, distinct=one.distinct)
        if name in ("str", "string", "object") and one.kind != "O":
            self._spend(one.count * (1000.0 if one.kind == "f" else 180.0))
            return self._worded(one.count, 18.0 if one.kind == "f" else 5.0).known(one.distinct)
        kind, each = element(told, (one.kind, one.each))
        return self._alloc(one.shape, kind, each).akin(one)

    def _taken_column(self, one: Array, rows: float) -> Array:
        made = self._alloc((rows, *(one.shape or (0.0,))[1:]), one.kind, one.each)
        return made.akin(one)

    def _wide(self, rows: float, columns: float) -> Table:
        """So many columns of numbers, which nobody names."""
        whole = self._alloc((rows, columns), "f", CELL)
        made = Table(values={"": whole}, rows=rows)
        made.values[INDEX] = self._alloc((rows,), "i", CELL)
        return made

    def _repeatedly(self, function: Any, arguments: list[Any], count: float, ns: float) -> Any:
        """What a function gives that is called so many times."""
        self._spend(count * ns)
        before, self._times = self._times, self._times * max(count, 1.0)
        given = self._applied(function, arguments, {}) if isinstance(function, Function) else None
        self._times = before
        return given

    def _given(self, value: Any, rows: float) -> Array:
        """A column of what a function gives for each row."""
        if isinstance(value, str):
            return self._worded(rows, float(len(value)))
        if isinstance(value, (tuple, Many, Thing)):
            return self._worded(rows, 40.0 * (length_of(value) or 1.0))
        return self._alloc((rows,), "f", CELL)

    def _texts_together(self, left: Any, right: Any) -> Any:
        """Texts of a column with others behind them."""
        long, rows = 0.0, 0.0
        for one in (left, right):
            if isinstance(one, Array):
                rows = max(rows, one.count)
                own = one.texts.bytes / max(one.count, 1.0) - _TEXT - POINTER if one.texts else 0.0
                long += one.each / 4.0 if one.kind == "U" else max(own, 1.0)
            elif isinstance(one, str):
                long += len(one)
        self._spend(rows * 100.0)
        known = [one.distinct for one in (left, right) if isinstance(one, Array)]
        return self._worded(rows, long).known(math.prod(known))

    def _of_column(self, own: Array, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a method of a column gives that arrays have not, or that does something else; `NotImplemented` of what
        is none."""
        first, count = arguments[0] if arguments else None, own.count
        distinct = own.distinct or count**UNKNOWN
        if own.kind == "M" and (name in _PARTS or name in _TEXTS or name in ("to_period", "floor")):
            return self._accessed(Accessor(own, "dt"), name, [], {})
        if name == "groupby":
            table = Table(values={"value": own}, rows=count)
            return replace(self._groups(table, options.get("by", first), options), chosen=("value",), single=True)
        if name in ("rolling", "expanding", "ewm"):
            return Groups(count, None, Table(values={"value": own}, rows=count), ("value",), True, True)
        if name == "resample":
            return Groups(count / 60.0, None, Table(values={"value": own}, rows=count), ("value",), True)
        if name in ("map", "apply"):
            if isinstance(first, Function):
                made = self._given(self._repeatedly(first, [None], count, _EACH_NS), count)
                self._alloc((count,), "x", 48.0)
                return made.known(own.distinct)
            if isinstance(first, Thing):
                values = [one for key, one in first.values.items() if key != REST]
                text = any(isinstance(one, str) for one in values)
                self._spend(count * (47.0 if text else 6.0))
                self._alloc((count,), "x", 8.0)
                return self._alloc((count,), "O" if text else "f", CELL).known(float(len(values)) or own.distinct)
            self._spend(count * 100.0)
            return self._alloc((count,), "f", CELL).known(own.distinct)
        if name == "value_counts":
            self._alloc((count,), "x", 10.0 if distinct < 0.1 * count else 47.0)
            self._spend(count * (200.0 if own.kind == "O" else 50.0))
            return self._alloc((distinct,), "i", 16.0)
        if name == "nunique":
            self._alloc((min(distinct, count),), "x", 42.0)
            self._spend(count * 20.0)
            return None
        if name in ("isin", "between", "duplicated", "isna", "isnull", "notna", "notnull"):
            listed = length_of(first) or 1.0
            often = {
                "isin": min(listed / distinct, 1.0),
                "between": _inside(own, arguments),
                "duplicated": 1 - distinct / max(count, 1.0),
            }
            few = 0.05 if name.startswith("is") else 0.95
            self._spend(count * (12.0 if name == "isin" else 2.0))
            return self._alloc((count,), "b", 1.0).true(often.get(name, few))
        if name == "astype" and options.get("copy") is not False:
            return self._as(own, options.get("dtype", first))
        if name == "to_frame":
            return Table(values={first if isinstance(first, str) else "value": own}, rows=count)
        if name == "reset_index":
            if options.get("drop") is True:
                return own
            named = options.get("name")
            return Table(
                values={
                    "index": Array((count,), "i", 0.0, distinct=count),
                    named if isinstance(named, str) else "value": own,
                },
                rows=count,
            )
        if name == "unstack":
            self._alloc((count,), "x", 40.0)
            return self._wide(count**UNKNOWN, count**UNKNOWN)
        if name in ("rename", "squeeze", "rename_axis", "tz_localize", "tz_convert", "infer_objects", "set_axis"):
            return own
        if name in ("head", "tail"):
            return own.viewed((min(first if isinstance(first, float) else 5.0, count),))
        if name in ("dropna", "drop_duplicates", "sample", "nlargest", "nsmallest"):
            rows = {"dropna": 0.95 * count, "drop_duplicates": distinct}.get(
                name, first if isinstance(first, float) else 5.0
            )
            return self._taken_column(own, min(rows, count))
        if name in _ANEW:
            more, ns = COPIED[name]
            made = self._like(
                own,
                "f" if name in ("rank", "pct_change") else own.kind,
                more + (8.0 if name in _SORTED else 0.0),
                ns,
                each=own.each if name != "rank" else CELL,
            )
            return made.akin(own)
        if name == "where" and arguments and isinstance(first, Array):
            return self._like(own, own.kind, 5.0, 11.0, each=own.each)
        if name == "to_dict":
            named = Many(count)
            named.block.bytes = count * 91.0
            self._passing.append(named)
            self._spend(count * 126.0)
            return named
        if name == "items":
            return Range(count, (None, None))
        if name == "to_list":
            return self._listed(own)
        return NotImplemented

    def _listed(self, own: Array) -> Many:
        """The elements as a list: numbers become things of their own, texts are there."""
        made = Many(0.0)
        self._put(made, 0.0, own.count, small=PLACE if own.kind in "Ob" else PLACE + 24.0)
        self._spend(own.count * 10.0)
        return made

    def _accessed(self, own: Accessor, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        column = own.of
        count = column.count
        if own.name == "dt":
            texts = name in _TEXTS
            self._spend(count * (200.0 if texts else 15.0))
            known = _PARTS.get(name, 0.0)
            if texts and known and name != "date":
                return self._alloc((count,), "O", POINTER).known(known)
            if texts:
                return self._worded(count, WORD if name == "strftime" else 0.0).known(365.0)
            whole = name in _DATES
            made = self._alloc((count,), "M" if whole else "i", CELL if whole else 4.0)
            return made.known(known or column.distinct / 60.0)
        if own.name == "cat":
            return self._alloc((count,), "i", 1.0).known(column.distinct) if name == "codes" else column
        if name in _TESTS:
            self._spend(count * 120.0)
            return self._alloc((count,), "b", 1.0).true(0.3)
        if name in _COUNTS:
            self._alloc((count,), "x", 8.0)
            self._spend(count * 60.0)
            return self._alloc((count,), "i", CELL).known(20.0)
        if name in ("split", "rsplit", "partition", "findall"):
            self._spend(count * 1200.0)
            self._alloc((count,), "x", 40.0)
            if options.get("expand") is True or name == "partition":
                self._alloc((count,), "x", 170.0)
                n = options.get("n")
                width = int(n + 1) if isinstance(n, float) and 0 < n < 8 else 2
                return Table(values={f"{n}": self._worded(count, WORD) for n in range(width)}, rows=count)
            return self._worded(count, 200.0)
        if name == "extract":
            groups = str(arguments[0]).count("(") - str(arguments[0]).count("(?:") if arguments else 1
            self._spend(count * 1200.0 * max(groups, 1))
            self._alloc((count,), "x", 70.0 * max(groups, 1))
            table = Table(values={f"{n}": self._worded(count, WORD) for n in range(max(groups, 1))}, rows=count)
            return table if options.get("expand") is not False or groups > 1 else table.values["0"]
        if name == "get":
            return self._alloc((count,), "O", POINTER)
        if name == "get_dummies":
            return self._wide(count, 10.0)
        self._spend(count * 150.0)
        self._alloc((count,), "x", 8.0)
        long = column.texts.bytes / max(count, 1.0) - _TEXT - POINTER if column.texts else WORD
        return self._worded(count, min(max(long, 0.0), 200.0)).known(column.distinct)


def _inside(own: Array, bounds: Sequence[Any]) -> float:
    """Which share of a column lies between two bounds."""
    low, high = (*bounds, None, None)[:2]
    if own.law and isinstance(low, float) and isinstance(high, float):
        return own.law.below(high) - own.law.below(low)
    if own.distinct and own.kind in "iu" and isinstance(low, float) and isinstance(high, float):
        return min((high - low + 1.0) / own.distinct, 1.0)
    return 0.5
