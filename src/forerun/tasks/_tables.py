"""Tables of pandas: how they are made, which rows are left, what their methods give."""

from __future__ import annotations

import ast
import math
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from forerun.tasks._arrays import (
    INDEX,
    REST,
    Array,
    Block,
    File,
    Function,
    Groups,
    Many,
    Range,
    Spelt,
    Table,
    Thing,
    element,
    length_of,
    shape_of,
    weight,
)
from forerun.tasks._columns import CELL, COPIED, PLACE, WORD
from forerun.tasks._expressions import BLANK
from forerun.tasks._groups import Grouping, words
from forerun.tasks._inputs import Input

_SAME = frozenset(
    "rename_axis set_axis select_dtypes filter squeeze infer_objects swaplevel droplevel reorder_levels truncate"
    " tz_localize tz_convert to_frame xs".split()
)
"""What gives the same columns, or some of them, without a copy."""
_REDUCED = frozenset(
    "sum mean median std var min max count prod nunique quantile skew kurt sem any all idxmin idxmax mode describe"
    " memory_usage agg aggregate corr cov isna isnull notna notnull duplicated eval info corrwith".split()
)
_ROW_NS = 8_000.0
"""Nanoseconds of a row that Python is asked for."""
_PATHS = frozenset("path path_or_buf".split())
_CHUNK, _LONG = 1e5, {"f": 19.0, "i": 6.0, "M": 14.0, "b": 6.0}
"""Rows that are written at once, and characters of a cell with what is behind it."""
_RECORD, _FRESH = 232.0, 24.0
"""Bytes of a mapping of few keys, and of a number that is a thing of its own."""
_FREQUENCIES: Mapping[str, float] = {
    "s": 1, "min": 60, "t": 60, "h": 3600, "d": 86400, "b": 120960, "w": 604800, "ms": 0.001, "m": 2629800,
    "me": 2629800, "q": 7889400, "qe": 7889400, "y": 31557600, "ye": 31557600,
}  # fmt: skip
"""Seconds."""


class Tabling(Grouping):
    """Calls of pandas."""

    def __init__(self) -> None:
        super().__init__()
        self._filed: Table | File | None = None
        """What was written to a file last, or put together as a text."""
        self._files = 0.0
        """How many files of tables were written."""
        self.files: Mapping[str, Input] = {}
        """Those that are told of, by their names."""

    def _pandas(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a class or a function of the package gives; None of what is none."""
        first = arguments[0] if arguments else options.get("data")
        if name in ("DataFrame", "from_dict", "from_records", "json_normalize"):
            return self._frame(first, options)
        if name == "from_codes" and isinstance(first, Array):
            return self._alloc(first.shape, "i", 1.0).known(
                length_of(arguments[1]) or 0.0 if len(arguments) > 1 else 0.0
            )
        if name == "from_product":
            return self._product(first, options)
        if name == "Categorical":
            return self._as(self._column(first, 0.0), "category")
        if name in ("Series", "Index"):
            return self._column(first, length_of(options.get("index")) or 0.0)
        if name in ("date_range", "bdate_range", "timedelta_range", "period_range"):
            return self._dates(arguments, options, name == "bdate_range")
        if name == "concat":
            return self._concatenated(first, options)
        if name in ("merge", "merge_asof", "merge_ordered") and isinstance(first, Table):
            return self._merged(first, arguments[1:], options)
        if name in ("pivot_table", "melt", "pivot") and isinstance(first, Table):
            return self._of_frame(first, name, arguments[1:], options)
        if name == "crosstab":
            return self._crossed(first, arguments[1] if len(arguments) > 1 else None)
        if name == "get_dummies":
            return self._dummies(first, options)
        if name in ("to_datetime", "to_timedelta", "to_numeric") and isinstance(first, Array):
            text = first.kind == "O"
            return self._like(
                first, "M" if name == "to_datetime" else "f", 58.0 if text else 16.0, 200.0 if text else 4.0
            )
        if name in ("cut", "qcut") and isinstance(first, Array):
            bins = arguments[1] if len(arguments) > 1 else options.get("bins", options.get("q", 10.0))
            made = self._like(first, "b", 18.0, 80.0 if name == "qcut" else 28.0, each=1.0)
            return replace(made, kind="i", distinct=bins if isinstance(bins, float) else length_of(bins) or 10.0)
        if name in ("read_csv", "read_table", "read_json", "read_pickle", "read_parquet", "read_feather"):
            return self._read(first, options)
        if name in ("isna", "isnull", "notna", "notnull") and isinstance(first, Array):
            return self._of_column(first, name, arguments[1:], options)
        if name in ("Timestamp", "Timedelta", "DateOffset"):
            return 0.0
        return None

    def _frame(self, data: Any, options: Mapping[str, Any]) -> Table:
        """`DataFrame(data)`, of columns or of rows."""
        named = options.get("columns")
        names = [one for one in named if isinstance(one, str)] if isinstance(named, tuple) else []
        if isinstance(data, Table):
            return Table(values=dict(data.values), rows=data.rows)
        made, index = Table(), options.get("index")
        if isinstance(data, Thing):
            items = {name: one for name, one in data.values.items() if name != REST}
            rest = data.values.get(REST)
            alike = rest.one if isinstance(rest, Many) else None
            made.rows = max((length_of(one) or 0.0 for one in (*items.values(), alike)), default=0.0)
            if isinstance(rest, Many) and isinstance(alike, Array) and alike.shape:
                made.put(REST, self._alloc((alike.shape[0], rest.count), alike.kind, alike.each))
            made.rows = made.rows or length_of(index) or 0.0
            made.values |= {name: self._column(one, made.rows) for name, one in items.items()}
        elif isinstance(data, (Many, Range)) and isinstance(one := data.one, (Thing, tuple)):  # records
            made.rows = data.count or 0.0
            fields = one.values if isinstance(one, Thing) else dict(zip(_endless(names), one, strict=False))
            made.values |= {name: self._field(each, made.rows) for name, each in fields.items() if name != REST}
            self._alloc((made.rows * len(fields),), "x", 14.0)
            self._spend(made.rows * (100.0 + 150.0 * len(fields)))
        elif (shape := shape_of(data)) and len(shape) > 1:
            own = data if isinstance(data, Array) else Array(shape)
            whole = self._alloc(shape[:2], own.kind, own.each)
            made.rows = shape[0]
            if len(names) == shape[1]:
                made.values |= {name: whole.viewed(shape[:1]) for name in names}
            else:
                made.values[""] = whole
        elif shape:
            made.rows = shape[0]
            made.values[names[0] if names else "0"] = self._column(data, made.rows)
        if isinstance(index, Array):
            made.values[INDEX] = index
            made.rows = made.rows or index.count
        elif isinstance(index, Table):
            made.values |= index.values
            made.rows = index.rows
        return made

    def _field(self, value: Any, rows: float) -> Array:
        """A column of what records have under a key; texts and things are theirs."""
        number = isinstance(value, float) or (isinstance(value, Array) and value.shape == ())
        return self._alloc((rows,), "f" if number else "O", CELL)

    def _product(self, parts: Any, options: Mapping[str, Any]) -> Table:
        """`MultiIndex.from_product`: an index of several columns."""
        sizes = [length_of(one) or 1.0 for one in parts] if isinstance(parts, tuple) else []
        made, names = Table(rows=math.prod(sizes)), words(options.get("names"))
        for name, size in zip(_endless(names), sizes, strict=False):
            made.values[name] = self._alloc((made.rows,), "i", 2.0).known(size)
        return made

    def _dates(self, arguments: Sequence[Any], options: Mapping[str, Any], business: bool) -> Array:
        """`date_range(start, end, periods, freq)`."""
        periods = options.get("periods", arguments[2] if len(arguments) > 2 else None)
        if not isinstance(periods, float):
            start = options.get("start", arguments[0] if arguments else None)
            end = options.get("end", arguments[1] if len(arguments) > 1 else None)
            step = _seconds(options.get("freq", arguments[3] if len(arguments) > 3 else "B" if business else "D"))
            span = _span(start, end)
            periods = math.floor(span / step) + 1.0 if span is not None and step else None
        made = self._alloc((periods,) if isinstance(periods, float) else None, "M", CELL)
        return replace(made, distinct=made.count)

    def told(self, path: Any) -> Input | None:
        """What a file holds that is told of: the one of that name, the only one where that is not known."""
        name = posixpath.normpath(path) if isinstance(path, str) and path.strip() else ""
        one = name if name in self.files else next(iter(self.files), "") if len(self.files) == 1 and not name else ""
        if one:
            self.opened.add(one)
        else:
            self.untold = True
        return self.files.get(one)

    def _read(self, path: Any, options: Mapping[str, Any]) -> Any:
        """A file that is told of, or the table that was written last, in columns of its own; dates of it are texts, if
        nobody says that they are none."""
        own, dates = _table_of(self._filed), options.get("parse_dates")
        if own is None and (given := self.told(path)) is not None:
            own = _table_in(given, words(options.get("names")) if options.get("header", 0.0) is None else [])
        if own is None:
            return None
        parsed = dates if isinstance(dates, tuple) else ()
        size = options.get("chunksize")
        rows = min(size, own.rows) if isinstance(size, float) and size else own.rows
        made = Table(rows=rows)
        wanted = options.get("usecols")
        kinds = options.get("dtype")
        for name, one in own.columns.items():
            if isinstance(wanted, tuple) and name not in wanted:
                continue
            told = kinds.values.get(name) if isinstance(kinds, Thing) else kinds
            kind, each = element(told, (one.kind, one.each))
            texts = kind == "O" or (kind == "M" and name not in parsed)
            long = one.texts.bytes / max(one.count, 1.0) if one.texts else WORD
            whole = self._worded(rows, long) if texts else self._alloc((rows,), kind, each if told else CELL)
            if told == "category":
                whole = self._alloc((rows,), "i", 1.0)
            made.values[name] = whole.known(one.distinct)
            self._spend(own.rows * (150.0 if texts else 30.0))
            self._alloc((rows,), "x", 20.0 if texts else 0.0)
        return Range(own.rows / rows, made) if rows and rows < own.rows else made

    def _with_tables(self, op: str, left: Any, right: Any) -> Any:
        """What an operator gives of tables; of a comparison a table of truth values."""
        own = left if isinstance(left, Table) else right
        return self._truths(own) if op == "Compare" else self._copied(own, "copy")

    def _truths(self, own: Table) -> Table:
        """A truth value for each cell."""
        cells = {name: self._alloc(one.shape, "b", 1.0) for name, one in own.columns.items()}
        return Table(values=dict(cells), rows=own.rows)

    def _of_rows(self, own: Table, key: ast.expr) -> Any:
        parts = key.elts if isinstance(key, ast.Tuple) else [key]
        found: Any = own
        for place, part in enumerate(parts):
            if isinstance(part, ast.Slice):
                if place == 0 and isinstance(found, Table) and (part.lower or part.upper):
                    found = self._first_rows(found, self._sliced(found.rows, part))
                elif place == 1 and isinstance(found, Table) and (one := _unnamed(found)) is not None:
                    few = replace(one, shape=(found.rows, self._sliced(found.width, part)))
                    found = Table(values={"": few}, rows=found.rows)
                continue
            value = self._value(part)
            if isinstance(value, str) and isinstance(found, Table) and value in found.values:
                found = found.values[value]
            elif isinstance(value, str) and place == len(parts) - 1 and isinstance(found, Table):
                return _unnamed(found) or Array((found.rows,), each=0.0) if found.rows else None
            elif isinstance(value, tuple) and any(isinstance(one, str) for one in value) and isinstance(found, Table):
                names = [one for one in value if isinstance(one, str)]
                found = _narrower(found, names)
            elif isinstance(value, Array) and value.kind == "b" and value.shape and isinstance(found, Table):
                found = self._some(found, found.rows * value.often)
            elif isinstance(value, (Array, Many, Range)) and place == 0 and isinstance(found, Table):
                found = self._some(found, length_of(value) or found.rows)
            elif isinstance(value, float) and f"{value:.0f}" in own.columns:
                found = own.columns[f"{value:.0f}"]
            elif isinstance(value, float) and place == 0:  # one row
                return Thing(values=dict.fromkeys(own.columns))
        return found

    def _first_rows(self, own: Table, rows: float) -> Table:
        """So many rows, not copied."""
        made = Table(rows=min(rows, own.rows))
        for name, one in own.values.items():
            made.values[name] = one.viewed((made.rows, *one.shape[1:])) if isinstance(one, Array) and one.shape else one
        return made

    def _of_table(self, own: Table, name: str) -> Any:
        columns = own.columns
        if name in columns:
            return columns[name]
        if name == "shape":
            return own.rows, own.width
        if name == "columns":
            many = any(one.shape and len(one.shape) > 1 for one in columns.values())
            return Range(own.width, BLANK) if many else tuple(columns)
        if name in ("loc", "iloc", "at", "iat"):
            return own
        if name == "size":
            return own.rows * own.width
        if name == "index":
            return own.values.get(INDEX) or Array((own.rows,), "i", 0.0, distinct=own.rows)
        if name == "values":
            return self._matrix(own)
        return own if name in ("T", "style", "plot") else None

    def _matrix(self, own: Table) -> Array:
        """All cells as an array."""
        columns = own.columns.values()
        objects = any(one.kind in "OM" for one in columns)
        if objects:  # each a thing of its own
            self._worded(own.rows * own.width * 0.5, 0.0)
        return self._alloc((own.rows, own.width), "O" if objects else "f", CELL)

    def _set_column(self, own: Table, name: str, value: Any) -> None:
        """`table[name] = value`; of one value a whole column."""
        if isinstance(value, Array) and value.kind != "U" and value.shape:
            column = value
        elif value is not None or not own.rows:
            column = self._column(value, own.rows)
        else:
            known = own.values.get(name)
            column = known if isinstance(known, Array) else self._alloc((own.rows,), "f", CELL)
        own.rows = own.rows or column.count
        if BLANK in name:
            if isinstance(rest := own.values[REST], Many):
                self._put(rest, column, 1.0)
        else:
            own.values[name] = column

    def _set_attribute(self, own: Table, name: str, value: Any) -> None:
        """`table.columns = names`, and whatever else is set."""
        if name == "columns":
            names = words(value)
            if len(names) == len(own.columns):
                rest = {INDEX: own.values[INDEX]} if INDEX in own.values else {}
                own.values = dict(zip(names, own.columns.values(), strict=True)) | rest
        elif name == "index" and isinstance(value, Array):
            own.values[INDEX] = value
        elif name in own.values:
            self._set_column(own, name, value)

    def _of_frame(self, own: Table, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a method of a table gives; of one that changes it in place nothing."""
        made = self._made_of(own, name, arguments, options)
        if options.get("inplace") is True and isinstance(made, Table):
            own.values, own.rows = made.values, made.rows
            return None
        return made

    def _made_of(self, own: Table, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        cells = own.rows * own.width
        if name == "groupby":
            return self._groups(own, options.get("by", first), options)
        if name in ("rolling", "expanding", "ewm"):
            return Groups(own.rows, None, own, along=True)
        if name == "resample":
            return Groups(own.rows / 60.0, None, own)
        if name == "insert" and len(arguments) > 2 and isinstance(arguments[1], str):
            self._set_column(own, arguments[1], arguments[2])
            return None
        if name == "assign":
            made = Table(values=dict(own.values), rows=own.rows)
            for key, value in options.items():
                given = self._applied(value, [made], {}) if isinstance(value, Function) else value
                self._set_column(made, key, given)
            return made
        if name == "pipe" and isinstance(first, Function):
            return self._applied(first, [own, *arguments[1:]], dict(options))
        if name in ("head", "tail"):
            return self._first_rows(own, first if isinstance(first, float) else 5.0)
        if name == "drop":
            gone = options.get("columns", first)
            names = gone if isinstance(gone, tuple) else (gone,)
            return Table(values={n: one for n, one in own.values.items() if n not in names}, rows=own.rows)
        if name == "rename":
            told = options.get("columns")
            new = {key: to for key, to in told.values.items() if isinstance(to, str)} if isinstance(told, Thing) else {}
            return Table(values={new.get(n, n): one for n, one in own.values.items()}, rows=own.rows)
        if name == "set_index":
            keys = [own.values[one] for one in words(first) if isinstance(own.values.get(one), Array)]
            values = dict(own.values)
            if len(keys) > 1:
                self._alloc((own.rows,), "x", 41.0)
                self._spend(own.rows * 100.0)
                values[INDEX] = self._alloc((own.rows,), "i", 11.0)
            elif keys:
                values[INDEX] = keys[0]
            return Table(values=values, rows=own.rows)
        if name == "reset_index":
            values = {n: one for n, one in own.values.items() if n != INDEX}
            if options.get("drop") is not True and INDEX in own.values:
                values.setdefault("index", self._alloc((own.rows,), "i", CELL))
            return Table(values=values, rows=own.rows)
        if name in ("get", "pop"):
            return own.values.get(first) if isinstance(first, str) else None
        if name in _SAME:
            return Table(values=dict(own.values), rows=own.rows)
        if name in ("merge", "join"):
            return self._merged(own, arguments, options)
        if name == "query":
            self._alloc((own.rows,), "x", 20.0)
            return self._some(own, own.rows * _often(first, own))
        if name in ("drop_duplicates", "dropna", "sample", "nlargest", "nsmallest", "between_time", "compress"):
            return self._fewer(own, name, first, options)
        if name in ("pivot_table", "pivot"):
            return self._pivoted(own, arguments, options)
        if name in ("melt", "stack", "unstack"):
            return self._long(own, name, options)
        if name == "explode":
            return self._some(own, own.rows * 3.0)
        if name == "astype":
            return self._cast(own, options.get("dtype", first))
        if name in ("apply", "map", "applymap"):
            return self._each_row(own, first, options)
        if name in ("iterrows", "itertuples"):
            one = Thing(values=dict.fromkeys(own.columns))
            self._spend(own.rows * (16_000.0 if name == "iterrows" else 800.0))
            return Range(own.rows, (None, one) if name == "iterrows" else one)
        if name in ("items", "keys"):
            return tuple((key, one) for key, one in own.columns.items()) if name == "items" else tuple(own.columns)
        if name in ("to_numpy", "to_records"):
            return self._matrix(own)
        if name in ("to_csv", "to_json", "to_pickle", "to_parquet", "to_feather"):
            return self._write(own, name, bool(arguments or options.keys() & _PATHS))
        if name == "to_dict":
            return self._mappings(own, options.get("orient", first))
        if name in _REDUCED:
            return self._reduced(own, name, cells)
        if name == "value_counts":
            return self._alloc((min(own.rows, self._count(own, tuple(own.columns))),), "i", 16.0)
        if name in COPIED:
            return self._copied(own, name)
        return None

    def _copied(self, own: Table, name: str) -> Table:
        more, ns = COPIED[name]
        made, columns = Table(rows=own.rows), own.columns
        sorts = name.startswith("sort")
        for key, one in columns.items():
            copied = self._alloc(one.shape, one.kind, one.each)
            made.put(key, copied.akin(one))
        if sorts or INDEX in own.values:
            made.values[INDEX] = self._alloc((own.rows,), "i", CELL) if sorts else own.values[INDEX]
        self._alloc((own.rows * (1.0 if sorts else own.width),), "x", more)
        self._spend(own.rows * ns * own.width)
        return made

    def _fewer(self, own: Table, name: str, first: Any, options: Mapping[str, Any]) -> Table:
        if name == "drop_duplicates":
            keys = words(options.get("subset", first)) or tuple(own.columns)
            self._alloc((own.rows,), "x", 30.0 + 10.0 * len(keys))
            self._spend(own.rows * 50.0 * len(keys))
            return self._some(own, min(own.rows, self._count(own, keys, own.rows)))
        if name == "sample":
            share, count = options.get("frac"), options.get("n", first)
            rows = share * own.rows if isinstance(share, float) else count if isinstance(count, float) else 1.0
            self._spend(own.rows * 50.0)
            return self._some(own, rows)
        if name in ("nlargest", "nsmallest"):
            self._alloc((own.rows,), "x", 16.0)
            return self._some(own, first if isinstance(first, float) else 5.0)
        return self._some(own, own.rows * (0.95 if name == "dropna" else 0.5))

    def _cast(self, own: Table, told: Any) -> Table:
        made = Table(rows=own.rows)
        for name, one in own.values.items():
            asked = told.values.get(name) if isinstance(told, Thing) else told
            made.values[name] = self._as(one, asked) if asked is not None and isinstance(one, Array) else one
        return made

    def _each_row(self, own: Table, function: Any, options: Mapping[str, Any]) -> Any:
        """`apply`: along the rows a function is called for each of them, else for each column."""
        across = options.get("axis") in (1.0, "columns")
        count = own.rows if across else own.width
        one: Any = (
            Thing(values=dict.fromkeys(own.columns))
            if across
            else _unnamed(own) or next(iter(own.columns.values()), None)
        )
        given = self._repeatedly(function, [one], count, _ROW_NS if across else 0.0)
        if not across:
            return (
                self._copied(own, "copy")
                if isinstance(given, Array) and given.shape
                else self._alloc((count,), "f", CELL)
            )
        self._alloc((own.rows,), "x", 100.0)
        return self._given(given, own.rows)

    def _write(self, own: Table, name: str, away: bool) -> Any:
        """To a file, or into a text."""
        self._filed = own
        self._files += self._times if away else 0.0
        if name in ("to_csv", "to_json"):
            texts = sum(one.kind == "O" for one in own.columns.values())
            self._spend(own.rows * (700.0 * (own.width - texts) + 400.0 * texts))
            self._alloc((min(own.rows, _CHUNK),), "x", 50.0 + 25.0 * own.width)
            if not away:
                long = sum(_LONG.get(one.kind, WORD) * one.count for one in own.columns.values())
                self._alloc((long,), "u", 1.0)
                return self._alloc((long,), "u", 1.0)
        return None

    def _mappings(self, own: Table, orient: Any) -> Many:
        """`to_dict`: of things of their own."""
        columns = own.width
        made = Many(own.rows if orient == "records" else columns, Thing(values=dict.fromkeys(own.columns)))
        each = _RECORD + PLACE if orient == "records" else columns * (PLACE if orient == "list" else 2 * _FRESH + 12.0)
        made.block.bytes = own.rows * (each + columns * _FRESH * (0.7 if orient == "records" else 1.0))
        self._passing.append(made)
        self._look()
        self._spend(own.rows * (250.0 + 300.0 * columns))
        return made

    def _reduced(self, own: Table, name: str, cells: float) -> Any:
        """One number of each column, or truth values of all cells."""
        columns = own.width
        if name in ("isna", "isnull", "notna", "notnull"):
            return self._truths(own)
        if name == "duplicated":
            self._alloc((own.rows,), "x", 30.0 + 10.0 * columns)
            return self._alloc((own.rows,), "b", 1.0).true(0.1)
        if name in ("corr", "cov", "describe", "quantile", "median"):
            self._alloc((cells,), "f", 8.0)
        if name in ("corr", "cov"):
            self._spend(own.rows * columns * columns * 1.5)
            return self._frame(self._alloc((columns, columns), "f", CELL), {})
        self._spend(cells * (47.0 if name == "describe" else 3.0))
        return self._alloc((columns,), "f", CELL)


def _narrower(own: Table, names: Sequence[str]) -> Table:
    """The columns of these names; itself where none is known."""
    known = {name: own.values[name] for name in names if name in own.values}
    one, missing = _unnamed(own), float(len(names) - len(known))
    if not known and one is None:
        return own
    made = Table(values=known | ({INDEX: own.values[INDEX]} if INDEX in own.values else {}), rows=own.rows)
    if one is not None and missing:
        made.put(REST, replace(one, shape=(own.rows, missing)))
    return made


def _unnamed(own: Table) -> Array | None:
    """A column that is one of many alike, or of which nobody knows more than that it is there."""
    for one in own.columns.values():
        if one.shape and len(one.shape) > 1:
            return one.viewed(one.shape[:1])
    return None


def _endless(names: Sequence[str]) -> Iterator[str]:
    """Names, then numbers."""
    yield from names
    yield from (f"{n}" for n in range(len(names), 1 << 20))


def _table_in(given: Input, named: Sequence[str]) -> Table:
    """The table of a file: columns of numbers, or of texts, by the names in its first line where nobody says others."""
    head, most = given.stretches[0], max(given.stretches, key=lambda one: one.lines)
    names = [*named] or [one.strip(' "') for one in head.first.split(most.mark or None)]
    made = Table(rows=max(sum(one.lines for one in given.stretches) - (not named), 0.0))
    for place, name in enumerate(names):
        of = most.columns[place] if place < len(most.columns) else most.all
        kind = "O" if math.isnan(of.low) else "i" if of.whole else "f"
        texts = Block()
        texts.bytes = made.rows * of.length
        made.values[name] = Array((made.rows,), kind, CELL, texts=texts if kind == "O" else None).known(of.distinct)
    return made


def _table_of(filed: Table | File | None) -> Table | None:
    """What a file is read as: of lines as many columns as the latest has commas, named by the first one."""
    if not isinstance(filed, File):
        return filed
    if not isinstance(filed.one, str):
        return None
    if isinstance(filed.one, Spelt):
        return _of_records(filed.one.of, filed.count)
    head = filed.head if isinstance(filed.head, str) else ""
    fields, heads = filed.one.strip().split(","), [one.strip() for one in head.strip().split(",")]
    named = heads if len(heads) == len(fields) and head[:1].isalpha() else []
    made = Table(rows=filed.count)
    for name, field in zip(_endless(named), fields, strict=False):
        text = any(each.isalpha() for each in field)
        made.values[name] = Array((filed.count,), "O" if text else "f", CELL)
    return made


def _of_records(record: Thing, rows: float) -> Table:
    """A row for each line, which is what was spelt."""
    made = Table(rows=rows)
    for name, one in record.values.items():
        column = Array((rows,), "f" if isinstance(one, (float, bool)) else "O", CELL)
        if isinstance(one, Thing):
            column = replace(column, texts=Block())
            column.texts.bytes = rows * weight(one)  # type: ignore[union-attr]
        made.values[name] = column
    return made


def _seconds(frequency: Any) -> float | None:
    """Of a frequency as pandas writes it: `15min`, `D`."""
    text = frequency.lower() if isinstance(frequency, str) else ""
    digits = len(text) - len(text.lstrip("0123456789"))
    unit = _FREQUENCIES.get(text[digits:].partition("-")[0])
    return unit * float(text[:digits] or 1) if unit else None


def _span(start: Any, end: Any) -> float | None:
    """Seconds from one date to another, as they are written."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (TypeError, ValueError):
        return None


def _often(query: Any, own: Table) -> float:
    """Which share of the rows a query leaves: of `kind == 'a'` as many as there are kinds, of others half."""
    share = 1.0
    for part in str(query).replace("&", " and ").split(" and "):
        name, equal, _ = part.strip(" ()").partition("==")
        one = own.values.get(name.strip()) if equal else None
        share *= 1.0 / one.distinct if isinstance(one, Array) and one.distinct else 0.5
    return share
