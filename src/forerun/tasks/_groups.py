"""Groups, merges and other shapes of tables of pandas.

How many rows a merge gives and how many groups there are follows from how many different values a column has, as far as
that is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from forerun.tasks._arrays import INDEX, REST, Array, Function, Groups, Many, Range, Table, Thing, element, length_of
from forerun.tasks._columns import CELL, POINTER, UNKNOWN, Columns

_ALONG = frozenset(
    "transform cumsum cumprod cummax cummin cumcount shift diff rank pct_change ffill bfill fillna ngroup".split()
)
"""What gives one value for each row, also within groups."""
_GROUPED, _GROUPED_TEXT, _GROUPED_MANY = (16.0, 15.0), (28.0, 55.0), (45.0, 100.0)
"""Bytes and nanoseconds of a row whose group is looked for: by a number, a text, and one that few others have."""
_HASHED, _MET = 5e5, 50.0
"""Values that pandas makes room for at once when it looks for different ones, and rows of one table that a row of
another meets at most: where it were more, something is not known."""
_AGGREGATED_NS, _GROUP_NS = 5.0, 40_000.0
"""Nanoseconds of a cell that is added up, and of a group that Python is asked for."""


class Grouping(Columns):
    """Rows that are alike, and tables beside or below each other."""

    def _some(self, own: Table, rows: float) -> Table:
        """So many rows, copied."""
        made = Table(rows=rows)
        for name, one in own.columns.items():
            made.put(name, self._taken_column(one, rows))
        made.values.setdefault(INDEX, self._alloc((rows,), "i", CELL))
        self._spend(own.rows * 2.0 + rows * 5.0 * len(made.values))
        return made

    def _count(self, own: Table, keys: Sequence[str], otherwise: float = 0.0) -> float:
        """How many different rows there are of these columns."""
        found = [own.values.get(key) for key in keys]
        known = [one.distinct or otherwise or own.rows**UNKNOWN for one in found if isinstance(one, Array)]
        places = math.prod(known) if known else otherwise or own.rows**UNKNOWN
        if len(known) > 1:  # of all that could be, as many as are drawn
            places *= -math.expm1(-own.rows / max(places, 1.0))
        return min(max(places, 1.0), own.rows)

    def _groups(self, own: Table, by: Any, options: Mapping[str, Any]) -> Groups:
        keys = [one for one in (by if isinstance(by, tuple) else (by,)) if isinstance(one, (str, Array))]
        named = Table(values=dict(own.values), rows=own.rows)
        named.values |= {f" {place}": one for place, one in enumerate(keys) if isinstance(one, Array)}
        names = [one if isinstance(one, str) else f" {place}" for place, one in enumerate(keys)]
        count = self._count(named, names)
        for name in names:
            one = named.values.get(name)
            text = isinstance(one, Array) and one.kind == "O"
            many = (one.distinct if isinstance(one, Array) else 0.0) > 0.1 * own.rows
            more, ns = _GROUPED_TEXT if text else _GROUPED_MANY if many else _GROUPED
            self._alloc((own.rows,), "x", more)
            self._alloc((min(own.rows, _HASHED),), "x", 30.0 if text else 20.0)
            self._spend(own.rows * ns)
        part = Table(rows=own.rows / max(count, 1.0))
        part.values |= {name: self._taken_column(one, part.rows) for name, one in own.columns.items()}
        return Groups(count, (None, part), own)

    def _of_groups(self, own: Groups, key: Any) -> Groups:
        names = tuple(words(key))
        return replace(own, chosen=names, single=isinstance(key, str)) if names else own

    def _grouped(self, own: Groups, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a method of groups, or of windows, gives."""
        table, count, first = own.table, own.count or 0.0, arguments[0] if arguments else None
        if name in ("rolling", "expanding", "ewm"):
            self._alloc((table.rows,), "x", 70.0)
            return replace(own, along=True)
        if name == "resample":
            return own
        chosen = [one for key, one in table.columns.items() if not own.chosen or key in own.chosen]
        if name in ("size", "cumcount", "ngroup", "ngroups"):
            chosen = chosen[:1]
        cells = table.rows * max(len(chosen), 1)
        self._spend(cells * (_AGGREGATED_NS if name != "rank" else 300.0))
        functions = [one for one in (first, *options.values()) if isinstance(one, Function)]
        functions += [one[1] for one in options.values() if isinstance(one, tuple) and isinstance(one[-1], Function)]
        part = own.one[1] if isinstance(own.one, tuple) else table
        inner = next((one for one in part.columns.values() if own.single), part)
        given = None
        for function in functions:
            given = self._repeatedly(function, [inner], count, _GROUP_NS)
        if name in ("apply", "pipe", "filter") and functions:
            return self._some(table, table.rows * 0.5) if name == "filter" else self._together(own, given, count)
        if name in ("head", "tail", "nth", "sample"):
            return self._some(table, min(count * (first if isinstance(first, float) else 5.0), table.rows))
        if own.along or name in _ALONG:
            self._alloc((cells,), "x", 10.0 if own.along else 0.0)
            keys = [key for key in table.columns if not own.chosen or key in own.chosen]
            made = Table(rows=table.rows)
            for key in keys[: len(chosen)]:
                shape = table.columns[key].shape or (0.0,)
                made.values[key] = self._alloc((table.rows, *shape[1:]), "f", CELL)
            return next(iter(made.values.values()), None) if own.single or len(keys) == 1 else made
        if name == "get_group":
            return self._some(table, table.rows / max(count, 1.0))
        if name in ("__iter__", "groups", "indices"):
            return own
        return self._aggregated(own, name, first, options, count)

    def _aggregated(self, own: Groups, name: str, first: Any, options: Mapping[str, Any], count: float) -> Any:
        """A row for each group."""
        table = own.table
        names = (
            [key for key, one in options.items() if isinstance(one, (tuple, str, Function))]
            if name in ("agg", "aggregate")
            else []
        )
        if isinstance(first, Thing):
            names = list(first.values)
        several = len(first) if isinstance(first, tuple) else 1
        if own.single and several == 1 and not names:
            made = self._alloc((count,), "f", CELL)
            self._alloc((count,), "i", CELL)
            return made
        names = names or [key for key in table.columns if not own.chosen or key in own.chosen]
        result = Table(rows=count)
        for key in names:
            for place in range(several):
                shape = one.shape if isinstance(one := table.values.get(key), Array) and one.shape else (0.0,)
                name_of = key if several == 1 else f"{key}_{place}"
                result.values[name_of] = self._alloc((count, *shape[1:]), "f", CELL)
        for key, one in table.columns.items():  # those that made the groups stand beside them, or name the rows
            if key not in result.values and one.distinct and one.distinct <= count * 1.01:
                result.values[key] = replace(Array((count,), one.kind, one.each), distinct=min(one.distinct, count))
        result.values[INDEX] = self._alloc((count,), "i", CELL)
        return result

    def _together(self, own: Groups, given: Any, count: float) -> Any:
        """What a function gave for each group, one below the other."""
        if isinstance(given, Table):
            return self._some(Table(values=given.values, rows=given.rows), min(given.rows, own.table.rows) * count)
        rows = count * ((length_of(given) or 1.0) if isinstance(given, Array) and given.shape else 1.0)
        return self._alloc((rows,), "f", CELL)

    def _crossed(self, one: Any, other: Any) -> Any:
        if not isinstance(one, Array) or not isinstance(other, Array):
            return None
        self._alloc((one.count,), "x", 90.0)
        self._spend(one.count * 250.0)
        return self._wide(one.distinct or one.count**UNKNOWN, other.distinct or other.count**UNKNOWN)

    def _pivoted(self, own: Table, arguments: Sequence[Any], options: Mapping[str, Any]) -> Table:
        """`pivot_table`: a row for each value of one column, a column for each of another."""
        index, columns = words(options.get("index")), words(options.get("columns"))
        values = words(options.get("values", arguments[0] if arguments else None))
        self._alloc((own.rows,), "x", 45.0)
        self._alloc((min(own.rows, _HASHED),), "x", 25.0)
        self._spend(own.rows * 130.0)
        rows = self._count(own, index) if index else 1.0
        across = self._count(own, columns) if columns else 1.0
        return self._wide(rows, across * max(len(values), 1))

    def _concatenated(self, parts: Any, options: Mapping[str, Any]) -> Any:
        """`concat`: below each other, or beside each other."""
        tables = list(parts) if isinstance(parts, tuple) else []
        if isinstance(parts, Thing):
            tables = [one for key, one in parts.values.items() if key != REST]
        times = 1.0
        if isinstance(parts, (Many, Range)):
            tables, times = [parts.one], parts.count or 0.0
        if isinstance(parts, Thing) and isinstance(rest := parts.values.get(REST), Many):
            tables, times = ([rest.one], rest.count) if rest.count else (tables, times)
        known = [one for one in tables if isinstance(one, Table)]
        if not known:
            columns = [one for one in tables if isinstance(one, Array) and one.shape]
            if not columns:
                return None
            if options.get("axis") in (1.0, "columns"):
                return Table(values={f"{n}": one for n, one in enumerate(columns)}, rows=columns[0].count)
            total = sum(one.count for one in columns) * times
            return self._alloc((total,), columns[0].kind, columns[0].each).akin(columns[0])
        if options.get("axis") in (1.0, "columns"):
            made = Table(rows=max(one.rows for one in known))
            for place, one in enumerate(tables):
                values = one.columns if isinstance(one, Table) else {f"{place}": one}
                made.values |= {f"{key}_{place}" if key in made.values else key: each for key, each in values.items()}
            return made
        rows = sum(one.rows for one in known) * times
        made = Table(rows=rows)
        for name in dict.fromkeys(key for one in known for key in one.columns):
            one = next(each.columns[name] for each in known if name in each.columns)
            copied = self._alloc((rows, *(one.shape or (0.0,))[1:]), one.kind, one.each)
            made.put(name, copied.akin(one))
        if options.get("ignore_index") is not True:
            made.values[INDEX] = self._alloc((rows,), "i", CELL)
        self._spend(rows * 3.0 * max(len(made.values), 1) + 50_000.0 * times)
        return made

    def _merged(self, left: Table, arguments: Sequence[Any], options: Mapping[str, Any]) -> Table:
        """`merge`: as many rows as keys of one meet keys of the other."""
        right = arguments[0] if arguments else options.get("right", options.get("other"))
        if isinstance(right, Array):
            right = Table(values={"other": right}, rows=right.count)
        if not isinstance(right, Table):
            return Table(values=dict(left.values), rows=left.rows)
        on = options.get("on", options.get("left_on", arguments[1] if len(arguments) > 1 else None))
        keys = words(on) or tuple(key for key in left.columns if key in right.columns)
        theirs = words(options.get("right_on")) or keys
        if options.get("how") == "cross":
            rows, unique = left.rows * right.rows, False
        else:
            different = self._count(right, theirs, right.rows) if theirs else right.rows
            each = right.rows / max(different, 1.0)
            unique = not 1.05 < each <= _MET
            rows = left.rows * (1.0 if unique else each)
            self._alloc((left.rows,), "x", 16.0)
            self._alloc((right.rows,), "x", 24.0)
            self._spend((left.rows + right.rows) * (60.0 if left.rows < 10.0 * right.rows else 20.0))
        made = Table(rows=rows)
        for name, one in left.columns.items():
            made.values[name] = one if unique else self._taken_column(one, rows)
        for name, one in right.columns.items():
            if name not in theirs or name not in keys:
                made.values[name if name not in made.values else f"{name}_y"] = self._taken_column(one, rows)
        if not unique:
            self._alloc((rows,), "x", 16.0)
        self._spend(rows * 4.0 * len(made.values))
        return made

    def _long(self, own: Table, name: str, options: Mapping[str, Any]) -> Any:
        """`melt`, `stack`, `unstack`: a row for each cell."""
        kept = words(options.get("id_vars"))
        named = words(options.get("value_vars"))
        width = len(named) or max(own.width - len(kept), 1.0)
        rows = own.rows * width
        self._spend(rows * 60.0)
        if name == "melt":
            made = Table(rows=rows)
            for key in kept:
                if isinstance(one := own.values.get(key), Array):
                    made.values[key] = self._taken_column(one, rows)
            made.values["variable"] = self._alloc((rows,), "O", POINTER).known(float(width))
            made.values["value"] = self._alloc((rows,), "f", CELL)
            self._alloc((rows,), "x", 24.0)
            return made
        self._alloc((rows,), "x", 39.0)
        return replace(self._alloc((rows,), "f", CELL), distinct=rows)

    def _dummies(self, value: Any, options: Mapping[str, Any]) -> Any:
        """`get_dummies`: a column of truth values for each different value."""
        told = element(options.get("dtype"), ("b", 1.0))
        if isinstance(value, Array):
            self._alloc((value.count,), "x", 53.0)
            return self._flags(value, Table(rows=value.count), "", *told)
        if not isinstance(value, Table):
            return None
        asked = words(options.get("columns")) or tuple(key for key, one in value.columns.items() if one.kind == "O")
        made = Table(values={key: one for key, one in value.values.items() if key not in asked}, rows=value.rows)
        for key in asked:
            if isinstance(one := value.values.get(key), Array):
                self._flags(one, made, key, *told)
        return made

    def _flags(self, one: Array, made: Table, name: str, kind: str, each: float) -> Table:
        self._alloc((one.count, one.distinct or 10.0), kind, each)  # rows of it, before they are columns
        whole = self._alloc((one.count, one.distinct or 10.0), kind, each)
        made.values[f"{name}_"] = whole
        self._spend(one.count * 64.0)
        return made


def words(value: Any) -> tuple[str, ...]:
    """The texts of a value: one, or several of a list."""
    several = value if isinstance(value, tuple) else (value,)
    return tuple(one for one in several if isinstance(one, str))
