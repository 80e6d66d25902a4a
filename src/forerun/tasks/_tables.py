"""Tables of pandas, as far as their columns are arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from forerun.tasks._arrays import REST, Array, Many, Range, Thing, shape_of
from forerun.tasks._rules import Alloc

_AS_LONG = frozenset(
    "copy sort_values fillna dropna assign reset_index merge join astype sort_index shift diff mask where rank"
    " pct_change drop_duplicates".split()
)
"""Methods of a table that give one with as many rows."""


def framed(alloc: Alloc, data: Any) -> Thing:
    """`DataFrame(data)`, of columns or of rows."""
    made, shape = Thing(), shape_of(data)
    if isinstance(data, Thing):
        for name, column in data.values.items():
            kind = (column.kind, column.each) if isinstance(column, Array) else ("O", 8.0)
            long = shape_of(column)
            made.values[name] = alloc(long[:1] if long else None, *kind)
    elif shape:
        made.values[""] = data if isinstance(data, Array) else alloc(shape, "O", 8.0)
    made.rows = max((one.shape[0] for one in _columns(made) if one.shape), default=0.0)
    return made


def method(alloc: Alloc, own: Thing, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """What a method of a table gives, or one of a mapping."""
    if name in ("items", "values", "keys"):
        values = tuple(one for key, one in own.values.items() if key != REST)
        rest = own.values.get(REST)
        if isinstance(rest, Many) and rest.count:
            one = rest.one if rest.one is not None else next(iter(values), None)
            return Range(rest.count + len(values), (None, one) if name == "items" else one)
        return tuple((None, one) for one in values) if name == "items" else values
    if name == "get":
        return own.values.get(arguments[0]) if arguments and isinstance(arguments[0], str) else None
    cells = sum(one.count for one in _columns(own))
    if not own.rows:
        return None
    if name in _AS_LONG:
        made, others = Thing(rows=own.rows), [one for one in arguments if isinstance(one, Thing)]
        named = [*own.values.items(), *(item for one in others for item in one.values.items()), *options.items()]
        for column, one in named:
            if isinstance(one, Array) and one.shape:
                made.values[column] = alloc((own.rows, *one.shape[1:]), one.kind, one.each)
        return made
    if name in ("melt", "stack"):
        return Thing(values={column: alloc((cells,), "f", 8.0) for column in ("id", "variable", "value")}, rows=cells)
    return alloc((own.rows, max(cells / own.rows, 1.0)), "f", 8.0) if name == "to_numpy" else None


def with_column(alloc: Alloc, own: Thing, name: str, value: Any) -> None:
    """`table[name] = value`; of one value a whole column."""
    whole = isinstance(value, (Array, Many, tuple)) or not own.rows
    own.values[name] = value if whole else alloc((own.rows,), "f", 8.0)


def _columns(own: Thing) -> list[Array]:
    return [one for one in own.values.values() if isinstance(one, Array)]
