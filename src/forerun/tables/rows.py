"""Rows to and from files, and rows of a user's own table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from forerun.core import Metric
from forerun.errors import InputError, ToolMissing, UsageError
from forerun.prompts import readable
from forerun.rows import Row, check_units
from forerun.tables import files
from forerun.tables.files import OnRow, Record, WrongCell
from forerun.tasks import _graphs
from forerun.tasks._programs import question
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.process.languages import of_file, spelled

_NEEDED = {"metric": str, "unit": str, "prompt": str, "value": float}
_OTHERS = {"group": str, "device": str, "name": str, "licence": str}
_UNITS = {"s": "s", "ms": "ms", "us": "us", "ns": "ns", "bytes": "B", "b": "B", "kb": "kB", "mb": "MB", "mib": "MiB"}
"""What the end of a column's name says of its unit."""
_NETWORK = ".onnx"
_NAMED = 5
"""Rows that are wrong, of which an error names the numbers."""


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Writes rows as .csv, .tsv, .jsonl or .parquet, all but the last also with .gz behind, whole or not at all.

    Returns how many. Text that is no Unicode (bytes of another encoding) loses those characters. Raises InputError
    where there are no rows, UsageError for another kind of file, ToolMissing, ForerunError.
    """
    files.check(path)
    records = [_record(row) for row in rows]
    if not records:
        raise InputError(f"there is nothing to write to {path}", "there are no rows", "look at what they come from")
    files.write(path, _NEEDED | _OTHERS, records)
    return len(records)


def read_rows(
    path: Path, left_out: Callable[[InputError], None] | None = None, on_row: OnRow = lambda _: None
) -> list[Row]:
    """What `write_rows` wrote; rows that are wrong are left out where there is a `left_out`, as `read_table` does.
    `on_row` hears of each that is read.

    Raises InputError with the rows that are wrong, UsageError, ToolMissing.
    """

    def row(number: int, record: Record) -> Row:
        if number == 1 and not set(_NEEDED) <= set(record):
            why = f"it has no column {next(name for name in _NEEDED if name not in record)!r}, but {', '.join(record)}"
            todo = f"of a table of yours: forerun data import {path} --text COLUMN --target COLUMN -o rows.jsonl"
            raise InputError(f"{path} is no table of rows", why, f"{todo} (forerun train takes both options itself)")
        return _row(path, number, record)

    return _each(path, [row], left_out, on_row)


def read_table(
    path: Path,
    text: str = "code",
    target: str | Sequence[str] = "latency_s",
    group: str | None = None,
    language: str | None = None,
    device: str | None = None,
    unit: str | None = None,
    left_out: Callable[[InputError], None] | None = None,
    on_row: OnRow = lambda _: None,
) -> list[Row]:
    """A user's table: one program a row, its text and its number in two columns, or several numbers in columns of
    their own: each is a metric, whose unit its column's name tells.

    `group` is a column; where it says nothing, and without it, each distinct text is a group. `language`, `device` and
    `unit` are columns where the table has one of that name, else what holds for all rows; without a language programs
    are `text`. Without a unit the end of the target's name may tell: `latency_s` is the metric `latency` in seconds.
    Networks, whose language is `onnx`, are named by .onnx files, from the table's folder on, or written in ONNX's own
    syntax (`onnx.printer.to_text`); sizes that one leaves open stand in columns of their names.
    Where there is a `left_out`, rows without a text or a finite number are, or with a time or size of less than 0 or a
    text of more than a mebibyte, unless all of a metric are so, and it is told of them; of several numbers of a row one
    may be left out. `on_row` hears of each row that is read,
    of JSON lines twice: which columns there are is looked through first.

    Raises InputError with the columns that are there, with the rows that are so, or with two units of one metric;
    UsageError, also for one column that is to be both, and for one unit of several columns; ToolMissing.
    """
    targets = [target] if isinstance(target, str) else list(dict.fromkeys(target))
    if text in targets:
        why = "what is to be predicted would stand in what it is predicted from"
        raise UsageError(f"{text!r} is both the text and the target", why, "name a column with numbers as the target")
    if unit and len(targets) > 1:
        why = f"it would be that of {' and of '.join(targets)}"
        raise UsageError(f"one unit, {unit!r}, of several targets", why, "rename the columns: latency_ms, memory_mb")
    others, columns = (language or "", device or "", unit), dict.fromkeys(files.columns(path, on_row))

    def row(target: str, number: int, record: Record) -> Row:
        record = {**columns, **record}  # what a record of JSON lines lacks, it says nothing of
        code, value = files.text_in(path, number, text, record), files.number_in(path, number, target, record)
        files.check_length(path, number, text, code)
        about = {name: value for name, value in record.items() if name != text}  # which may be called "text"
        language, device, unit = (_named(about.get(name, name)) if name else name for name in others)
        language = _spelled(language or "text")
        metric = metric_of(target, unit)
        files.check_sign(path, number, target, value, metric.unit)
        cell = _Cell(path, number, text, code)
        if language.partition(",")[0] == _graphs.LANGUAGE:
            asked = _of_network(cell, metric, language, device or "", record)
        else:
            cell.check_no_file()
            asked = question(metric, language, device or "", code)
        return Row(
            metric.name,
            metric.unit,
            asked,
            value,
            "" if group is None else _named(files.column(path, group, record)),
            device or "",
            f"{path.name}:{number}",
        )

    return _each(path, [partial(row, target) for target in targets], left_out, on_row)


def _each(
    path: Path, made: Sequence[Callable[[int, Record], Row]], left_out: Callable[[InputError], None] | None,
    on_row: OnRow,
) -> list[Row]:  # fmt: skip
    """What is made of each record. Raises InputError that names those that are wrong, after all were read, or says it;
    and as `check_units` does."""
    found, wrong, some = list[Row](), dict[int, WrongCell](), set[int]()
    for number, record in enumerate(files.read(path), 1):
        on_row(number)
        for place, row in enumerate(made):
            try:
                found.append(row(number, record))
                some.add(place)
            except WrongCell as error:
                wrong.setdefault(number, error)
    if wrong and left_out and len(some) == len(made):
        left_out(_wrong(path, wrong))
    elif wrong:
        told = _wrong(path, wrong)
        raise InputError(told.what, told.why, "no other row is left: correct them") if left_out else told
    check_units(found, str(path))
    return found


def _wrong(path: Path, wrong: Mapping[int, WrongCell]) -> InputError:
    """An error that names rows, and why the first of them is wrong."""
    first, cell = next(iter(wrong.items()))
    if len(wrong) == 1:
        return cell
    named = ", ".join(map(str, list(wrong)[:_NAMED])) + f" and {len(wrong) - _NAMED} more" * (len(wrong) > _NAMED)
    kinds = {one.told for one in wrong.values()}
    what = f"{path}: {len(wrong)} rows {' or '.join(sorted(kinds, reverse=True))}: {named}"
    return InputError(what, f"row {first}: {cell.why}", cell.todo)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A text in a row of a table, and where it stands."""

    path: Path
    row: int
    column: str
    text: str

    def wrong(self, what: str, why: str, todo: str) -> WrongCell:
        """The error about it."""
        return WrongCell(f"{self.path}, row {self.row}: {what}", f"column {self.column!r} holds {why}", todo)

    @property
    def file(self) -> Path | None:
        """The file that it names, from the table's folder on; None for a text of several lines."""
        name = self.text.strip()
        return None if "\n" in name or not Path(name).suffix else self.path.parent / name

    def check_no_file(self) -> None:
        """Raises WrongCell where it is the name of a file: what stands in it is meant."""
        if (file := self.file) is None:
            return
        network = file.suffix.lower() == _NETWORK
        if not (network and " " not in self.text.strip()) and not ((network or of_file(file)) and _is_file(file)):
            return
        todo = "put the program's text there"
        if network:
            todo = f"name the language of networks, which are read from their files: --language {_graphs.LANGUAGE}"
        raise self.wrong("no text", f"the name of a file: {self.text.strip()!r:.80}", todo)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long a name, or a zero byte in it
        return False


def _of_network(cell: _Cell, metric: Metric, language: str, device: str, record: Record) -> str:
    """The prompt about a network, as it is asked about. Raises WrongCell for one that cannot be read, ToolMissing."""
    try:
        model = proto.load(cell.file) if cell.file else proto.written(cell.text)
        given = {
            name: files.size_in(cell.path, cell.row, name, record) for name in proto.symbols(model) if name in record
        }
        proto.check_sizes(proto.fix(model, given), "it")
        found = _graphs.carried(model, "", cell.text[:40])
        counted = _graphs.counted(found.reference)
    except (WrongCell, ToolMissing):
        raise
    except UsageError as error:  # sizes are open
        todo = (
            f"give the table a column for each of them, or export it with fixed shapes; or leave it out: {files.LEAVE}"
        )
        raise cell.wrong("no fixed shape", f"a network with {error.why}", todo) from error
    except InputError as error:
        todo = f"name an .onnx file, or write it as onnx.printer.to_text does; or leave it out: {files.LEAVE}"
        raise cell.wrong("no network", f"{cell.text!r:.60}: {error.what}: {error.why}", todo) from error
    return _graphs.question(metric, device, found.text, counted, language.partition(",")[2].strip())


def _spelled(language: str) -> str:
    """As answers name it, with its tool behind: `c++, gcc 12` of `C++,gcc 12`."""
    name, _, tool = (part.strip() for part in language.partition(","))
    return ", ".join(filter(None, (spelled(name), tool)))


def metric_of(column: str, unit: str | None = None) -> Metric:
    """The metric that a column's name tells: `latency_s` is `latency` in seconds, if no other unit is given."""
    name, _, end = column.rpartition("_")
    if name and end.lower() in _UNITS:
        return Metric(name, unit or _UNITS[end.lower()])
    return Metric(column, unit or "")


def _record(row: Row) -> Record:
    texts = {name: readable(getattr(row, name)) for name in (*_NEEDED, *_OTHERS) if name != "value"}
    return texts | {"value": row.value}


def _named(value: object) -> str:
    """What a cell says; an empty one says nothing."""
    return "" if value is None else str(value)


def _row(path: Path, number: int, record: Record) -> Row:
    texts = {name: str(files.column(path, name, record)) for name in ("metric", "unit")}
    texts["prompt"] = files.text_in(path, number, "prompt", record)
    value = files.number_in(path, number, "value", record)
    files.check_sign(path, number, "value", value, texts["unit"])
    return Row(value=value, **texts, **{name: str(record.get(name) or "") for name in _OTHERS})
