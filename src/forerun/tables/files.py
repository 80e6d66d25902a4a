"""Records in files: CSV, in .tsv with tabs, JSON lines, all also gzipped, and Parquet. A file is whole or absent; what
cannot be read is told with its row. Only JSON can spell characters that are no Unicode, halves of a surrogate pair:
they are read as question marks, as they would be written."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, ClassVar

from forerun.errors import InputError, ToolMissing, UsageError, meant
from forerun.files import write_atomically
from forerun.prompts import MOST_BYTES, readable
from forerun.toolchains.onnx.model import MOST_SIZE

Record = Mapping[str, Any]
OnRow = Callable[[int], None]
"""Hears of each row that is read, from 1 on."""


class WrongCell(InputError):
    """A row has no text or number where it needs one."""

    told: ClassVar[str] = "lack a text or a number"
    """Of several such rows."""


class LessThanNothing(WrongCell):
    """A row has a negative time or size."""

    told = "hold less than 0"


class TooLong(WrongCell):
    """A row has a text that no model reads."""

    told = "hold too long a text"


def read(path: Path) -> Iterator[Record]:
    """The records of a file, one after another; the first is row 1. Those of JSON lines may lack columns.

    Raises InputError where the file cannot be read or holds no record, UsageError for another kind of file,
    ToolMissing where Parquet's library is not installed.
    """
    reader = _kind(path)[0]
    try:
        empty = True
        for record in reader(path):
            empty = False
            yield record
    except UnicodeDecodeError as error:
        why = f"byte {error.object[error.start]:#04x} at {error.start} of what was being read: {error.reason}"
        wide = error.object[:2] in (b"\xff\xfe", b"\xfe\xff")  # the mark of UTF-16, as spreadsheets write it
        todo = f"write it again in UTF-8: iconv -f {'utf-16' if wide else 'latin1'} -t utf-8 {path} > utf8{path.suffix}"
        raise InputError(f"{path} is not UTF-8", why, todo) from error
    except csv.Error as error:
        todo = "close every quote; in a text that is quoted a quote is two"
        raise InputError(f"cannot read {path}", f"{error}: a quote is open, or one stands in a text", todo) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}", getattr(error, "strerror", None) or str(error), _READABLE) from error
    if empty:
        raise InputError(f"{path} is empty", "it holds no row", "give a table with a row for each program")


def columns(path: Path, on_row: OnRow = lambda _: None) -> list[str]:
    """Those that any record has; only records of JSON lines may differ. Raises as `read` does."""
    found = dict[str, None]()
    for number, record in enumerate(read(path), 1):
        on_row(number)
        found |= dict.fromkeys(record)
        if _kind(path)[0] is not _jsonl:
            break
    return list(found)


def write(path: Path, columns: Mapping[str, type], records: Sequence[Record]) -> None:
    """Writes `str` and `float` columns. Raises ForerunError, UsageError, ToolMissing."""
    data = _kind(path)[1](columns, records)
    write_atomically(path, gzip.compress(data, mtime=0) if _packed(path) else data)


def column(path: Path, name: str, record: Record, fits: Callable[[object], bool] = lambda _: True) -> Any:
    """A value of a record. Raises InputError with the columns that are there, and those whose values fit: the nearest
    one where it is so near that it may be meant."""
    if name in record:
        return record[name]
    fitting = [other for other, value in record.items() if fits(value)]
    others = f"name another one: {_listed(fitting)}" if fitting else "give a table that has one: none of these fits"
    todo = meant(name, fitting, 0.6) or others
    raise InputError(f"{path} has no column {name!r}", f"its columns: {_listed(record)}", todo)


def _listed(names: Iterable[str]) -> str:
    """Names of columns; `''` for the one without, as pandas writes the index."""
    return ", ".join(name or "''" for name in names)


def text_in(path: Path, row: int, name: str, record: Record) -> str:
    """A text that is not blank. Raises InputError."""
    value = column(path, name, record, lambda value: isinstance(value, str) and not _is_number(value))
    if not isinstance(value, str) or not value.strip():
        why = f"column {name!r} holds {_shown(value)}"
        raise WrongCell(f"{path}, row {row}: no text", why, f"fill it in, or leave the row out: {LEAVE}")
    return value


def check_length(path: Path, row: int, name: str, text: str) -> None:
    """Raises InputError for a text that is longer than one that can be asked about."""
    if (size := len(text.encode())) > MOST_BYTES:
        why = f"column {name!r} holds {size:,} bytes, and a text may have {MOST_BYTES:,}"
        raise TooLong(f"{path}, row {row}: too long", why, f"give the part that matters, or leave it out: {LEAVE}")


def number_in(path: Path, row: int, name: str, record: Record) -> float:
    """A finite number. Raises InputError."""
    value = column(path, name, record, _is_number)
    try:
        found = _number(value)
    except (TypeError, ValueError, OverflowError):
        why = f"column {name!r} holds {_shown(value)}"
        todo = f"name another column, mend the row, or leave it out: {LEAVE}"
        if isinstance(value, str) and _GROUPED.fullmatch(value.strip()):
            todo = f"write it without commas between digits, and with a decimal point, or leave it out: {LEAVE}"
        elif isinstance(value, str) and (found_unit := _WITH_UNIT.fullmatch(value.strip())):
            todo = f"write the number alone, and name the unit that all have: --unit {found_unit[1]}"
        raise WrongCell(f"{path}, row {row}: not a number", why, todo) from None
    if math.isfinite(found):
        return found
    why = f"column {name!r} holds {_shown(value)}"
    raise WrongCell(f"{path}, row {row}: no finite number", why, f"measure it, or leave the row out: {LEAVE}")


def size_in(path: Path, row: int, name: str, record: Record) -> int:
    """A size of a network: a whole number from 1 on. Raises InputError."""
    found = number_in(path, row, name, record)
    if found != int(found) or not 1 <= found <= MOST_SIZE:
        why = f"column {name!r} holds {_shown(record[name])}, and a size is a whole number from 1 to {MOST_SIZE}"
        raise WrongCell(f"{path}, row {row}: no size", why, f"write one, or leave the row out: {LEAVE}")
    return int(found)


def check_sign(path: Path, row: int, name: str, value: float, unit: str) -> None:
    """Raises InputError for less than nothing of what is a time or a size by its unit."""
    if value < 0 and unit in _MEASURED:
        why = f"column {name!r} holds {value:g} {unit}, and no time or size is less than 0"
        todo = f"measure it, give the --unit that it has, or leave the row out: {LEAVE}"
        raise LessThanNothing(f"{path}, row {row}: less than 0", why, todo)


_MEASURED = frozenset("s ms us µs ns min h B kB KB KiB MB MiB GB GiB".split())
"""Units of what cannot be negative."""
_READABLE = "give a .csv, .tsv, .jsonl or .parquet file, all but the last perhaps with .gz behind"
LEAVE = "--skip-bad-rows"
"""How rows are left out."""
_PACKED = ".gz"
_GROUPED = re.compile(r"[-+]?\d[\d.]*(,\d+)+(\.\d*)?")
"""As spreadsheets write numbers: 1,234.5 or 0,25."""
_WITH_UNIT = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?\s*([A-Za-zµ]+)")
"""12 ms or 1.5GB."""


def _number(value: Any) -> float:
    if isinstance(value, str) and "_" in value:  # which Python alone takes for digits
        raise ValueError(value)
    return math.nan if value is None or isinstance(value, bool) else float(value)


def _is_number(value: object) -> bool:
    try:
        return math.isfinite(_number(value))
    except (TypeError, ValueError, OverflowError):
        return False


def _shown(value: object) -> str:
    return "nothing" if value is None or value == "" else repr(value)[:60]


def _csv(delimiter: str, path: Path) -> Iterator[Record]:
    csv.field_size_limit(sys.maxsize)  # a program is one field
    with _opened(path) as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        names = next((names for names in reader if names), [])
        if any("\0" in name for name in names):
            raise InputError(f"{path} is no table", "it holds a zero byte, as binary files and UTF-16 do", _READABLE)
        others = ",;\t|".replace(delimiter, "")
        if len(names) == 1 and (mark := next((mark for mark in others if mark in names[0]), "")):
            why = f"its header has one column, {names[0]!r:.60}"
            named = next((kind for kind, other in _SEPARATED.items() if other == mark), "")
            todo = f"name it {named}" if named else "write it again with commas between the columns"
            raise InputError(f"{path} is separated by {mark!r}", why, todo)
        _check_names(str(path), names)
        for row, values in enumerate((v for v in reader if v), 1):
            if len(values) != len(names):
                why = f"it has {len(values)} field{'s' * (len(values) != 1)}, the header names {len(names)}"
                raise InputError(f"{path}, row {row}: not the table's", why, "quote texts that hold commas or lines")
            yield dict(zip(names, values, strict=True))


def _check_names(where: str, names: Sequence[str]) -> None:
    """Raises InputError where two columns have one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where} has two columns {twice!r}", "which of them is meant?", "rename one")


def _jsonl(path: Path) -> Iterator[Record]:
    with _opened(path) as file:
        for row, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{path}, row {row}"
            try:
                record = json.loads(line, object_pairs_hook=partial(_object, where))
            except (ValueError, RecursionError) as error:
                raise InputError(f"{where}: not JSON", str(error), "write one object a line") from error
            if not isinstance(record, dict):
                why = f"it is {type(record).__name__}"
                raise InputError(f"{where}: no object", why, 'write one a line: {"code": "…", "target": 1}')
            yield record


def _object(where: str, pairs: Sequence[tuple[str, Any]]) -> Record:
    """An object of JSON, with texts that are Unicode. Raises InputError for two of one name."""
    found = [(readable(name), readable(value) if isinstance(value, str) else value) for name, value in pairs]
    _check_names(where, [name for name, _ in found])
    return dict(found)


def _opened(path: Path) -> IO[str]:
    """Its text, unpacked where its name says so."""
    if _packed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _packed(path: Path) -> bool:
    return path.suffix.lower() == _PACKED


def _parquet(path: Path) -> Iterator[Record]:
    parquet, arrow = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            _check_names(str(path), file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=64):
                yield from batch.to_pylist()
    except arrow.ArrowException as error:
        raise InputError(f"cannot read {path}", str(error).partition("\n")[0], "is it a whole Parquet file?") from error


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        todo = "install it with: pip install 'forerun[data]'   (or use .csv or .jsonl)"
        raise ToolMissing("Parquet needs pyarrow", str(error), todo) from error
    return pyarrow.parquet, pyarrow


def _to_csv(delimiter: str, columns: Mapping[str, type], records: Sequence[Record]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(columns), delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().encode()


def _to_jsonl(columns: Mapping[str, type], records: Sequence[Record]) -> bytes:
    return "".join(json.dumps({name: record[name] for name in columns}) + "\n" for record in records).encode()


def _to_parquet(columns: Mapping[str, type], records: Sequence[Record]) -> bytes:
    parquet, arrow = _arrow()
    schema = arrow.schema(
        [(name, arrow.string() if kind is str else arrow.float64()) for name, kind in columns.items()]
    )
    out = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(list(records), schema), out, compression="zstd")
    return out.getvalue()


_Reader = Callable[[Path], Iterator[Record]]
_Writer = Callable[[Mapping[str, type], Sequence[Record]], bytes]
_SEPARATED = {".csv": ",", ".tsv": "\t"}
"""What stands between the columns."""
_KINDS: Mapping[str, tuple[_Reader, _Writer]] = {
    **{kind: (partial(_csv, mark), partial(_to_csv, mark)) for kind, mark in _SEPARATED.items()},
    ".jsonl": (_jsonl, _to_jsonl),
    ".parquet": (_parquet, _to_parquet),
}


def _kind(path: Path) -> tuple[_Reader, _Writer]:
    name = path.with_suffix("") if _packed(path) else path
    kind = name.suffix.lower()
    if kind not in _KINDS or (name != path and kind == ".parquet"):
        raise UsageError(f"{path}: not a kind of table", f"its name ends in {path.suffix or 'nothing'}", _READABLE)
    return _KINDS[kind]


def check(path: Path) -> None:
    """Raises UsageError for a name that no table has, ToolMissing where its library is not installed."""
    _kind(path)
    if path.suffix.lower() == ".parquet":
        _arrow()
