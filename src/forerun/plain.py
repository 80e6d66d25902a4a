"""JSON as the values that a program expects, dataclasses among them; the type of every entry is checked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from forerun.errors import InputError, reason
from forerun.files import write_atomically

T = TypeVar("T")

_PLAIN: Mapping[Any, tuple[type, ...]] = {
    int: (int,), float: (int, float), str: (str,), bool: (bool,), NoneType: (NoneType,)
}  # fmt: skip
"""What stands for what: whole numbers are numbers too; true and false are none."""


def read(text: str, kind: type[T]) -> T:
    """A value of a kind: a dataclass of such values, `tuple[X, ...]`, `Mapping[str, X]`, a union, or a plain type.

    Raises ValueError for what is no JSON, TypeError where something else stands in a place, or where an entry is
    missing or not known.
    """
    return value(json.loads(text), kind, "it")  # type: ignore[no-any-return]


def read_lines(path: Path, kind: type[T], what: str, todo: str) -> list[T]:
    """A file of dataclasses, one a line, gzipped where its name says so. Raises InputError: it holds no `what`."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [value(json.loads(line), kind, "a line") for line in text.splitlines()]
    except (OSError, EOFError, ValueError, TypeError) as error:
        raise InputError(f"{path} holds no {what}", reason(error), todo) from error


def write_lines(path: Path, found: Iterable[Any]) -> None:
    """Replaces a file by what `read_lines` reads."""
    data = "".join(json.dumps(asdict(each)) + "\n" for each in found).encode()
    write_atomically(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def value(found: Any, kind: Any, where: str) -> Any:
    """What JSON gave, as a value of a kind. `where` names it in errors. Raises TypeError."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record(found, kind, where)
    if origin is tuple and isinstance(found, list):
        if set(map(type, found)) == {inner[0]}:  # of tens of thousands there is no need to look at each
            return tuple(found)
        return tuple(value(one, inner[0], f"{where}[{i}]") for i, one in enumerate(found))
    if origin is Mapping and isinstance(found, dict):
        return {name: value(one, inner[1], _inside(where, name)) for name, one in found.items()}
    if kind is Any or any(_plain(found, each) for each in (inner if origin is UnionType else (kind,))):
        return found
    wanted = getattr(origin or kind, "__name__", str(kind))
    raise TypeError(f"{where} is {json.dumps(found):.60}, not {wanted if origin is not UnionType else kind}")


def _plain(found: Any, kind: Any) -> bool:
    return type(found) in _PLAIN.get(kind, ())


@cache
def _entries(kind: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The kinds of a dataclass's entries, and which of them have to be there. To find that out for each line of a file
    took two thirds of the time of reading it."""
    hints, own = get_type_hints(kind), fields(kind)
    needed = (each.name for each in own if each.default is MISSING and each.default_factory is MISSING)
    return {each.name: hints[each.name] for each in own}, frozenset(needed)


def _record(found: Any, kind: Any, where: str) -> Any:
    if not isinstance(found, dict):
        raise TypeError(f"{where} is {json.dumps(found):.60}, no object")
    kinds, needed = _entries(kind)
    if wrong := sorted(found.keys() - kinds):
        raise TypeError(f"unknown entries: {', '.join(wrong)}")
    if missing := sorted(needed - found.keys()):
        raise TypeError(f"missing entries: {', '.join(missing)}")
    return kind(**{name: value(one, kinds[name], _inside(where, name)) for name, one in found.items()})


def _inside(where: str, name: str) -> str:
    return name if where == "it" else f"{where}.{name}"
