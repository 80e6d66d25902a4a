"""Tables: rows to files and back, users' tables, public data sets, and what is wrong with them."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.core import Draft, Measurement, Source, Trial
from forerun.errors import ForerunError, InputError, UsageError
from forerun.models.encoder_decoder.card import Card
from forerun.prompts import MOST_BYTES, number, parts
from forerun.questions import Options, language_of, questions
from forerun.rows import Row
from forerun.splits import split
from forerun.store import Store
from forerun.tables import files, read_public, read_rows, read_table, rows_of, write_rows
from forerun.tables.rows import metric_of
from forerun.tasks.memory import Memory
from forerun.tasks.runtime import Runtime

Run = Callable[..., tuple[int, str, str]]
SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz")
ROWS = [
    Row(
        "memory",
        "B",
        f'metric memory\ncounters x {number(3.0)}\n\nint x = "a,b";\r\n\tß\0',
        1.5,
        "p/1",
        "cpu",
        "a",
        "MIT",
    ),
    Row("runtime", "s", "x", 1e-300, "", "", "", ""),
    Row("memory", "B", " y\n", 0.1 + 0.2, "p/2", "cpu", "b", ""),
]


def skip_without(suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_rows_come_back_as_they_were(suffix: str, tmp_path: Path) -> None:
    skip_without(suffix)
    path = tmp_path / "folder" / f"rows{suffix}"
    assert write_rows(path, iter(ROWS)) == 3
    assert read_rows(path) == ROWS
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    write_rows(path, [replace(ROWS[1], prompt="bytes \udcff")])
    assert read_rows(path)[0].prompt == "bytes ?"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
UNITS = TEXTS.map("x".__add__)  # none of time or size, of which no value is less than 0


@settings(max_examples=25)
@given(
    rows=st.lists(
        st.builds(Row, TEXTS, UNITS, TEXTS.map("x".__add__), st.floats(allow_nan=False, allow_infinity=False)),
        max_size=3,
        unique_by=lambda row: row.metric,  # which has one unit
    )
)
def test_any_rows_come_back(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rows")
    for suffix in SUFFIXES[:3]:
        if rows:
            write_rows(folder / f"r{suffix}", rows)
            assert read_rows(folder / f"r{suffix}") == rows
        else:
            with pytest.raises(InputError, match="nothing to write"):
                write_rows(folder / f"r{suffix}", rows)


def test_a_metric_has_one_unit(tmp_path: Path) -> None:
    mine = table(tmp_path / "mine.csv", ["code", "latency", "unit"], ["f", 5, "ms"], ["g", 7, "ms"], ["h", 1, "s"])
    with pytest.raises(InputError, match=r"mine\.csv: latency is in several units") as caught:
        read_table(mine, "code", "latency", unit="unit")
    assert caught.value.why == "ms (mine.csv:1) and s (mine.csv:3)" and "in one unit" in caught.value.todo
    assert [row.unit for row in read_table(mine, "code", "latency", unit="ms")] == ["ms"] * 3


def table(path: Path, columns: Sequence[str], *rows: Sequence[object]) -> Path:
    """A table of any kind, written by what users write it with."""
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(table(path.with_suffix(""), columns, *rows).read_bytes()))
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter="," if path.suffix == ".csv" else "\t").writerows([columns, *rows])
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({c: [row[i] for row in rows] for i, c in enumerate(columns)}), path)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_users_table_becomes_rows(suffix: str, tmp_path: Path) -> None:
    path = table(
        tmp_path / f"t{suffix}", ["code", "latency_s", "kind", "lang"], ["x()", 0.25, "a", "c"], ["y", 3, "b", "go"]
    )
    first, second = read_table(path, group="kind", language="lang", device="my gpu")
    assert (first.metric, first.unit, first.value, first.group, first.device) == ("latency", "s", 0.25, "a", "my gpu")
    assert second.value == 3.0 and second.name == f"t{suffix}:2"
    found = parts(first.prompt)
    assert found.head == {"metric": "latency", "unit": "s", "language": "c", "device": "my gpu"}
    assert found.text == "x()" and found.counters["calls"] == 1
    plain = read_table(path, unit="furlongs")[0]
    assert parts(plain.prompt).head["language"] == "text" and plain.unit == "furlongs" and plain.metric == "latency"


def test_units_stand_at_the_end_of_names() -> None:
    found = [metric_of(name) for name in ("latency_s", "peak_bytes", "time_ms", "score", "_s")]
    expected = [("latency", "s"), ("peak", "B"), ("time", "ms"), ("score", ""), ("_s", "")]
    assert [(metric.name, metric.unit) for metric in found] == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("value", "error"),
    [(None, "row 2: no"), (math.nan, "row 2: no finite number"), (-math.inf, "row 2: no finite number")],
)
def test_labels_that_are_no_numbers(suffix: str, value: float | None, error: str, tmp_path: Path) -> None:
    path = table(tmp_path / f"t{suffix}", ["code", "latency_s"], ["x", 1.0], ["y", value])
    with pytest.raises(InputError) as found:
        read_table(path)
    assert error in found.value.what or "row 2: not a number" in found.value.what
    assert "latency_s" in found.value.why and found.value.todo


def test_all_rows_that_are_wrong_are_counted(tmp_path: Path) -> None:
    rows = [["x", math.nan if i % 3 == 0 else 1.0] for i in range(1, 25)]
    path = table(tmp_path / "t.csv", ["code", "latency_s"], *rows, ["", 1.0])
    with pytest.raises(InputError) as found:
        read_table(path)
    assert found.value.what.endswith("t.csv: 9 rows lack a text or a number: 3, 6, 9, 12, 15 and 4 more")
    assert found.value.why == "row 3: column 'latency_s' holds 'nan'" and found.value.todo
    rows = [["memory", "B", "", 1.0], ["memory", "B", "x", math.inf]]
    with pytest.raises(InputError, match="2 rows lack a text or a number: 1, 2"):
        read_rows(table(tmp_path / "r.csv", ["metric", "unit", "prompt", "value"], *rows))


@pytest.mark.parametrize(("target", "unit"), [("latency_s", None), ("memory_bytes", None), ("cost", "MB")])
def test_no_time_or_size_is_less_than_nothing(target: str, unit: str | None, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"code,{target}\na,1\nb,-0.5\nc,0\n")
    with pytest.raises(InputError, match="row 2: less than 0") as found:
        read_table(table, target=target, unit=unit)
    assert "holds -0.5 " in found.value.why and "--skip-bad-rows" in found.value.todo
    told: list[InputError] = []
    rows = read_table(table, target=target, unit=unit, left_out=told.append)
    assert [row.value for row in rows] == [1, 0] and len(told) == 1
    table.write_text(f"code,{target}\na,-1\nb,-2\n,3\nc,1\n")
    with pytest.raises(InputError, match="3 rows lack a text or a number or hold less than 0: 1, 2, 3"):
        read_table(table, target=target, unit=unit)
    table.write_text(f"code,{target}\na,-1\nb,-2\nc,1\n")
    with pytest.raises(InputError, match="2 rows hold less than 0: 1, 2"):
        read_table(table, target=target, unit=unit)


def test_a_text_that_nothing_is_predicted_of_is_not_learned_from(tmp_path: Path) -> None:
    rows = [["x" * MOST_BYTES, 1.0], ["ü" * (MOST_BYTES // 2 + 1), 2.0], ["y", 3.0], ["", 4.0]]
    path = table(tmp_path / "t.csv", ["code", "latency_s"], *rows[:3])
    with pytest.raises(InputError, match="row 2: too long") as found:
        read_table(path)
    assert "holds 1,048,578 bytes, and a text may have 1,048,576" in found.value.why
    table(path, ["code", "latency_s"], *rows)
    with pytest.raises(InputError, match="2 rows lack a text or a number or hold too long a text: 2, 4"):
        read_table(path)
    told: list[InputError] = []
    assert [row.value for row in read_table(path, left_out=told.append)] == [1.0, 3.0] and len(told) == 1
    public = table(tmp_path / "p.csv", CODE[0], CODE[1], ["APPS_2", "APPS", rows[1][0], 1.0, "", ""])
    assert len(list(read_public("code-regression", str(public), left_out=told.append))) == 1
    assert "too long" in told[-1].what


def test_what_is_no_unicode_in_json_is_read_as_it_would_be_written(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record = {"code": "a \ud83d \U0001f600", "n\udc00": "g\ud83d"}
    path.write_text("\n".join(json.dumps({**record, "y": i}) for i in range(9)))
    rows = read_table(path, target="y", group="n?")
    assert {(parts(row.prompt).text, row.group) for row in rows} == {("a ? \U0001f600", "g?")}
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows
    assert split([replace(row, prompt=f"{row.prompt} {row.value}", group="") for row in rows], similar=2).test


def test_one_column_is_not_both_text_and_target(tmp_path: Path, run_forerun: Run) -> None:
    path = table(tmp_path / "t.csv", ["code", "y"], ["1", 1.0], ["2", 2.0])
    code, _, err = run_forerun(
        "data", "import", str(path), "--text", "y", "--target", "y", "-o", str(tmp_path / "o.csv")
    )
    assert code == 2 and "'y' is both the text and the target" in err and not (tmp_path / "o.csv").exists()


def test_a_table_has_several_metrics_of_each_program(tmp_path: Path, run_forerun: Run) -> None:
    path = table(tmp_path / "t.csv", ["code", "latency_ms", "peak_mb"], ["f(1)", 5, 2], ["g", 7, ""], ["h", "n/a", 4])
    out = tmp_path / "rows.jsonl"
    words = ("data", "import", str(path), "--text", "code", "--language", "c", "-o", str(out))
    both = (*words, "--target", "latency_ms", "--target", "peak_mb")
    code, _, err = run_forerun(*both)
    assert (
        code == 1 and "2 rows lack a text or a number: 2, 3" in err and "row 2: column 'peak_mb' holds nothing" in err
    )
    assert run_forerun(*both, "--skip-bad-rows", "--target", "peak_mb")[0] == 0
    rows = read_rows(out)
    assert [(row.metric, row.unit, row.value, row.name) for row in rows] == [
        ("latency", "ms", 5.0, "t.csv:1"), ("peak", "MB", 2.0, "t.csv:1"), ("latency", "ms", 7.0, "t.csv:2"),
        ("peak", "MB", 4.0, "t.csv:3"),
    ]  # fmt: skip
    assert [parts(row.prompt).head["metric"] for row in rows[:2]] == ["latency", "peak"]
    assert read_table(path, target=["latency_ms"], left_out=lambda _: None)[0].value == 5.0
    code, _, err = run_forerun(*both, "--unit", "ms", "--skip-bad-rows")
    assert code == 2 and "one unit, 'ms', of several targets" in err
    none = table(tmp_path / "t.csv", ["code", "latency_ms", "peak_mb"], ["f(1)", 5, ""], ["g", 7, ""])
    code, _, err = run_forerun(*both, "--skip-bad-rows")
    assert none == path and code == 1 and "no other row is left" in err, "a metric without rows is none"
    code, _, err = run_forerun(*words, "--target", "latency_ms", "--layout", "code-regression", "--target", "x")
    assert code == 2 and "leave one of both out" in err
    words = (
        "data",
        "import",
        str(path),
        "--layout",
        "code-regression",
        "-o",
        str(out),
        "--target",
        "a",
        "--target",
        "b",
    )
    code, _, err = run_forerun(*words)
    assert code == 2 and "a --layout has one --target" in err


def test_other_numbers_may_be_negative(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("code,gain\na,-1\nb,2\n")
    rows = read_table(table, target="gain")
    assert [row.value for row in rows] == [-1, 2]
    path = tmp_path / "rows.jsonl"
    write_rows(path, [replace(rows[0], unit="s"), rows[1]])
    with pytest.raises(InputError, match="row 1: less than 0"):
        read_rows(path)


def test_records_of_json_lines_may_lack_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    records: list[dict[str, object]] = [
        {"code": "x", "ms": 1.0},
        {"code": "y", "ms": 2.0, "lang": "go", "kind": "a"},
        {"code": "z", "kind": "b"},
        {"ms": 3.0, "lang": "c"},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    ask: dict[str, str] = {"target": "ms", "language": "lang", "group": "kind"}
    with pytest.raises(InputError, match="2 rows lack a text or a number: 3, 4") as found:
        read_table(path, **ask)
    assert found.value.why == "row 3: column 'ms' holds nothing" and "--skip-bad-rows" in found.value.todo
    told: list[InputError] = []
    rows = read_table(path, **ask, left_out=told.append)
    assert [(parts(row.prompt).head["language"], row.group) for row in rows] == [("text", ""), ("go", "a")]
    assert len(told) == 1 and "3, 4" in told[0].what
    with pytest.raises(InputError, match="has no column 's'") as found:
        read_table(path, target="s", left_out=told.append)
    assert found.value.why == "its columns: code, ms, lang, kind"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_wrong_columns_name_those_that_are_there(suffix: str, tmp_path: Path) -> None:
    path = table(tmp_path / f"t{suffix}", ["code", "latency_ms"], ["x", 1.0])
    with pytest.raises(InputError) as found:
        read_table(path)
    assert found.value.what.endswith("has no column 'latency_s'")
    assert found.value.why == "its columns: code, latency_ms" and found.value.todo == "did you mean 'latency_ms'?"
    with pytest.raises(InputError, match="has no column 'metric'"):
        read_rows(path)
    with pytest.raises(InputError, match="'problem'"):
        read_table(path, target="latency_ms", group="problem")


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\0\1\2" * 100, "is no table"),
        ("a.csv", b"code,latency_s\n", "is empty"),
        ("a.jsonl", b"\n\n", "is empty"),
        ("a.csv", b"code,latency_s\nx,1\ny\n", "row 2: not the table's"),
        ("a.csv", b"code,latency_s\nx,1,2\n", "row 1: not the table's"),
        ("a.csv", b"code,code\nx,1\n", "two columns 'code'"),
        ("a.csv", b"code;latency_s\nx;1\n", "separated by ';'"),
        ("a.csv", b"code\tlatency_s\nx,y\t1\n", "separated by '.t'"),
        ("a.tsv", b"code,latency_s\nx,1\n", "separated by ','"),
        ("a.csv", b'code,latency_s\nx,"1,234"\n', "row 1: not a number"),
        ("a.csv.gz", b"code,latency_s\nx,1\n", "cannot read"),
        ("a.csv.gz", gzip.compress(b"code,latency_s\nx,1\n" * 99, mtime=0)[:-9], "cannot read"),
        ("a.jsonl.gz", gzip.compress(b"{}\n", mtime=0)[:10] + b"\xff\xff\xff\xff", "cannot read"),
        ("a.csv", b"code,latency_s\nx,fast\n", "row 1: not a number"),
        ("a.csv", b'code,latency_s\n"x,1\n', "cannot read"),
        ("a.csv", b"code,latency_s\n ,1\n", "row 1: no text"),
        ("a.csv", b"code,latency_s\n\xe4\xff,1\n", "not UTF-8"),
        ("a.jsonl", b'{"code": "x"\n', "row 1: not JSON"),
        ("a.jsonl", b"[1]\n", "row 1: no object"),
        ("a.jsonl", b"[" * 100_000, "row 1: not JSON"),
        ("a.jsonl", b'{"code": 3, "latency_s": 1}\n', "row 1: no text"),
        ("a.jsonl", b'{"code": "x", "latency_s": true}\n', "row 1: no finite number"),
        ("a.jsonl", b'{"code": "x", "latency_s": [1]}\n', "row 1: not a number"),
        ("a.jsonl", b'{"code": "x", "latency_s": 1' + b"0" * 400 + b"}\n", "row 1: not a number"),
        ("a.jsonl", b'{"code": "x", "latency_s": 1, "latency_s": 2}\n', "row 1 has two columns 'latency_s'"),
        ("a.jsonl", b"\xff\xfe", "not UTF-8"),
        ("a.parquet", b"PAR1 and no more", "cannot read"),
        ("a.parquet", b"", "cannot read"),
    ],
)
def test_tables_that_cannot_be_read(name: str, data: bytes, error: str, tmp_path: Path) -> None:
    skip_without(Path(name).suffix)
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=error) as found:
        read_table(path)
    assert all((found.value.what, found.value.why, found.value.todo))


def test_a_table_may_begin_with_empty_lines_and_have_a_column_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n\r\n,code,latency_s\n\n0,x,1\n1,y,2\n")
    assert [row.value for row in read_table(path)] == [1.0, 2.0]
    with pytest.raises(InputError) as found:
        read_table(path, target="s")
    assert found.value.why == "its columns: '', code, latency_s"
    assert found.value.todo == "name another one: '', latency_s"


def test_two_columns_of_one_name_in_parquet(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    made = arrow.table([["a"], ["b"], [1.0]], names=["code", "code", "latency_s"])
    parquet.write_table(made, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="two columns 'code'"):
        read_table(tmp_path / "t.parquet")


def test_another_encoding_is_told_apart_from_utf_16(tmp_path: Path) -> None:
    for data, name in (("code,latency_s\n".encode("utf-16"), "utf-16"), ("\xe4\xfc".encode("latin1"), "latin1")):
        (tmp_path / "a.csv").write_bytes(data)
        with pytest.raises(InputError, match="not UTF-8") as caught:
            read_table(tmp_path / "a.csv")
        assert f"iconv -f {name} " in caught.value.todo


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfcode,latency_s\nx,1.5\n")
    assert [row.value for row in read_table(tmp_path / "a.csv")] == [1.5]


def test_a_number_of_a_spreadsheet_is_told_how_to_be_written(tmp_path: Path) -> None:
    for text in ("1,234.5", "0,25", "1.234,5", "-1,000,000"):
        with pytest.raises(InputError) as caught:
            read_table(table(tmp_path / "a.csv", ["code", "latency_s"], ["x", text]))
        assert "without commas" in caught.value.todo, text
    with pytest.raises(InputError, match="not a number"):
        read_table(table(tmp_path / "a.csv", ["code", "latency_s"], ["x", "1_5"]))


def test_only_columns_that_fit_are_suggested(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", ["code", "cost", "node_count"], ["x", 1, 2])
    for names, todo in (
        ({"target": "nodes_count"}, "did you mean 'node_count'?"),
        ({"target": "node"}, "name another one: cost, node_count"),
        ({"target": "program"}, "name another one: cost, node_count"),
        ({"target": "xyz"}, "name another one: cost, node_count"),
        ({"text": "cod", "target": "cost"}, "did you mean 'code'?"),
        ({"text": "zzz", "target": "cost"}, "name another one: code"),
    ):
        with pytest.raises(InputError, match="has no column") as caught:
            read_table(path, **names)
        assert caught.value.todo == todo
    path = table(tmp_path / "b.csv", ["code", "cost_text"], ["x", "y"])
    with pytest.raises(InputError, match="no column 'cost'") as caught:
        read_table(path, target="cost")
    assert caught.value.todo == "give a table that has one: none of these fits"


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a kind of table"):
        write_rows(tmp_path / "a.xlsx", ROWS)
    for name in ("a.parquet.gz", "a.gz", "csv.gz"):
        with pytest.raises(UsageError, match="not a kind of table"):
            write_rows(tmp_path / name, ROWS)
    with pytest.raises(UsageError, match="not a kind of table"):
        read_table(tmp_path)
    with pytest.raises(InputError, match="cannot read"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(ForerunError, match="cannot write"):
        write_rows(Path("/proc/no/rows.csv"), ROWS)


CODE = (
    ["identifier", "space", "input", "target", "target_metric", "metadata"],
    ["APPS_1", "APPS", "print(1)", 6012.0, "val_accuracy", "{'problem_id': 7}"],
    ["CDSS_1", "CDSS", "int main() {}", 4096.0, "val_accuracy", '{"language": "C++", "problem_id": "p02534"}'],
    ["KBSS_1", "KBSS", "@triton.jit", 2.5, "val_accuracy", "nothing"],
    ["KBSS_2", "KBSS", "@triton.jit", math.nan, "val_accuracy", ""],
)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv"])
def test_code_regression_is_read(suffix: str, tmp_path: Path) -> None:
    path = table(tmp_path / f"data{suffix}", *CODE)
    found = list(read_public("code-regression", str(path)))
    assert [(row.metric, row.unit, row.value, row.group) for row in found] == [
        ("memory", "B", 6012.0, "APPS/7"),
        ("memory", "B", 4096.0, "CDSS/p02534"),
        ("latency", "s", 0.0025, ""),
    ]
    assert [parts(row.prompt).head["language"] for row in found] == ["python", "c++", "triton"]
    assert [row.name for row in found] == ["APPS_1", "CDSS_1", "KBSS_1"]
    assert len(list(read_public("code-regression", str(path), limit=1))) == 1


def test_grapharch_regression_is_read(tmp_path: Path) -> None:
    columns = ["identifier", "uid", "space", "input", "val_accuracy", "flops"]
    path = table(tmp_path / "data.jsonl", columns, ["n1", 1, "NASBench101", "graph (x) {}", 0.93, 5e8])
    accuracy, flops = (next(read_public("grapharch-regression", str(path), target)) for target in ("", "flops"))
    assert (accuracy.metric, accuracy.value, accuracy.group) == ("accuracy", 0.93, "NASBench101/n1")
    assert (flops.metric, flops.value) == ("flops", 5e8) and parts(flops.prompt).head["space"] == "NASBench101"
    with pytest.raises(InputError, match="no column 'latency'"):
        next(read_public("grapharch-regression", str(path), "latency"))


def test_a_folder_is_read_by_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("datasets")
    (tmp_path / "data").mkdir()
    table(tmp_path / "data" / "train.jsonl", *CODE)
    assert [row.value for row in read_public("code-regression", str(tmp_path / "data"))] == [6012.0, 4096.0, 0.0025]
    with pytest.raises(InputError, match="cannot load"):
        next(read_public("code-regression", str(tmp_path / "nowhere")))
    with pytest.raises(UsageError, match="no such layout"):
        read_public("nonsense")


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Two programs, measured; one ran beside others, one failed."""
    path, task = tmp_path / "s.sqlite", Memory()
    facts = {
        "suite/p1/a.py": Measurement(
            {"memory": 9e6, "runtime": 0.5, "traced": 100.0, "beside": 0.0}, True, "", "cpython"
        ),
        "suite/p2/b.py": Measurement({"memory": 8e6, "runtime": 0.4, "beside": 1.0}, True, "", "cpython"),
        "suite/p2/c.py": Measurement({"memory": 7e6}, error="exit status 1", tool="cpython"),
    }
    with Store(path) as store:
        for name, found in facts.items():
            source = Source(f"print({name!r})", "python", name, "cpython 3.12; x86_64 here")
            store.add([Trial(task.id, source, Draft(None), found)], task.grammar(source))
    return path


def test_stored_programs_become_rows(stored: Path) -> None:
    with Store(stored) as store:
        memory, runtime = list(rows_of(store, "memory")), list(rows_of(store, "runtime"))
        source = next(s for s in store.sources(Memory().id) if s.name == "suite/p1/a.py")
        with pytest.raises(UsageError, match="nonsense"):
            rows_of(store, "nonsense")
        assert not list(rows_of(store, "size"))
    assert sorted((row.metric, row.value, row.group) for row in memory) == [
        ("memory", 8e6, "suite/p2"), ("memory", 9e6, "suite/p1"), ("traced", 100.0, "suite/p1"),
    ]  # fmt: skip
    assert [(row.value, row.unit, row.device) for row in runtime] == [(0.5, "s", "x86_64 here")]
    assert runtime[0].prompt == Runtime().prompt(source)


def test_the_command_line(stored: Path, run_forerun: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    words = ("data", "export", "memory", "--store", str(stored), "-o", str(out), "--format", "json")
    code, printed, err = run_forerun(*words)
    assert code == 0 and "3 rows in" in err
    lines = {line["metric"]: line for line in json.loads(printed)}
    assert lines["memory"] | {"rows": 2, "groups": 2, "least": 8e6, "median": 8.5e6, "most": 9e6} == lines["memory"]
    assert lines["traced"]["language"] == "python, cpython 3.12" and lines["traced"]["device"] == "x86_64 here"
    assert run_forerun("data", "show", str(out), "--format", "json")[1] == printed

    own = table(tmp_path / "own.csv", ["source", "time_ms"], ["f(1)", 5], ["g", 7])
    target = tmp_path / "own.jsonl"
    words = ("--text", "source", "--target", "time_ms", "--language", "c", "-o", str(target))
    assert run_forerun("data", "import", str(own), *words)[0] == 0
    assert [(row.value, row.unit) for row in read_rows(target)] == [(5.0, "ms"), (7.0, "ms")]
    own = table(
        tmp_path / "mine.jsonl", ["code", "latency_s", "kind"], ["f(1)", 5, "a"], ["g", 7, "a"], ["f(1)", 3, None]
    )
    words = ("data", "import", str(own), "--text", "code", "--target", "latency_s")
    words += ("-o", str(target), "--format", "json")
    for more, groups, said in (
        ((), 2, ("--group", "--language text")),
        (("--group", "kind", "--language", "c"), 2, ()),
    ):
        code, printed, err = run_forerun(*words, *more)
        line = json.loads(printed)[0]
        assert (code, line["rows"], line["groups"]) == (0, 3, groups)
        assert line["language"] == ("c" if more else "text")
        assert len(err.splitlines()) == 1 + len(said) and all(name in err for name in said)
    holed = table(tmp_path / "holed.csv", ["code", "latency_s"], ["f", 5], ["", 7], ["g", "n/a"], ["h", "inf"])
    words = ("data", "import", str(holed), "--text", "code", "--target", "latency_s", "-o", str(target))
    code, _, err = run_forerun(*words)
    assert code == 1 and "3 rows lack a text or a number: 2, 3, 4" in err and "--skip-bad-rows" in err
    code, _, err = run_forerun(*words, "--skip-bad-rows")
    assert code == 0 and [row.value for row in read_rows(target)] == [5.0]
    assert "left out: " in err and "3 rows lack a text or a number: 2, 3, 4: row 2: column 'code'" in err
    holed = table(tmp_path / "holed.csv", ["code", "latency_s"], ["", 7], ["g", "n/a"])
    code, _, err = run_forerun(*words, "--skip-bad-rows")
    assert code == 1 and "2 rows lack" in err and "left out" not in err, "nothing would be left"
    assert "correct them" in err and "--skip-bad-rows" not in err
    public = table(tmp_path / "public.jsonl", *CODE)
    code, _, err = run_forerun("data", "import", str(public), "--layout", "code-regression", "-o", str(target))
    assert code == 0 and len(read_rows(target)) == 3
    assert "1 row left out, the first: " in err and "row 4: no finite number: column 'target' holds nan" in err.lower()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("export", "memory", "--store", "none.sqlite", "-o", "a.csv"), 1, "forerun collect memory"),
        (("export", "memory", "--store", "none.sqlite"), 2, "-o/--output"),
        (("export", "beauty", "-o", "a.csv"), 2, "beauty"),
        (("export", "size", "--store", "s.sqlite", "-o", "a.csv"), 1, "forerun collect size"),
        (("export", "memory", "--store", "s.sqlite", "-o", "a.txt"), 2, "not a kind of table"),
        (("export", "size", "--each", "-1", "-o", "a.csv"), 2, "not a number of rows"),
        (("export", "memory", "--store", "s.sqlite", "-o", "nowhere/a.csv"), 2, "mkdir -p nowhere"),
        (
            ("import", "own.csv", "--text", "coda", "--target", "latency_s", "-o", "nowhere/a.csv"),
            2,
            "mkdir -p nowhere",
        ),
        (("schedules", "--workloads", "w.jsonl", "-o", "nowhere/a.jsonl"), 2, "mkdir -p nowhere"),
        (("drafts", "--workloads", "w.jsonl", "-o", "nowhere/a.jsonl"), 2, "mkdir -p nowhere"),
        (("show", "none.csv"), 1, "cannot read"),
        (("import", "-o", "a.csv"), 2, "no file was named"),
        (("import", "own.csv", "-o", "a.csv"), 2, "a table of yours needs --text and --target"),
        (("import", "own.csv", "-o", "a.csv"), 2, "there is no --text and no --target"),
        (("import", "own.csv", "--text", "code", "-o", "a.csv"), 2, "there is no --target"),
        (
            ("import", "own.csv", "--layout", "code-regression", "--skip-bad-rows", "-o", "a.csv"),
            2,
            "leave one of both",
        ),
        (("import", "own.csv", "--text", "code", "--target", "latency_s", "-o", "a.csv"), 1, "did you mean"),
    ],
)
def test_wrong_words_get_three_lines(
    words: Sequence[str],
    code: int,
    said: str,
    stored: Path,
    run_forerun: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    table(Path("own.csv"), ["coda", "latency_s"], ["f(1)", 5])
    found, out, err = run_forerun("data", *words)
    assert found == code and said in err and not out and "Traceback" not in err
    assert len(err.strip().splitlines()) == 3 and not Path("a.csv").exists() and not Path("nowhere").exists()


def test_a_column_without_a_name_is_no_device(tmp_path: Path) -> None:
    """As pandas writes the index."""
    (tmp_path / "mine.csv").write_text(",code,latency_s\n" + "".join(f"{i},int x{i};,{i}\n" for i in range(1, 9)))
    rows = read_table(tmp_path / "mine.csv")
    assert {row.device for row in rows} == {""}


def test_the_end_of_a_name_may_be_large_and_an_open_quote_is_told(tmp_path: Path) -> None:
    (tmp_path / "MINE.CSV").write_text("code,latency_s\nint x;,1\n")
    assert len(read_table(tmp_path / "MINE.CSV")) == 1
    (tmp_path / "open.csv").write_text('code,latency_s\n"int x;,1\n')
    with pytest.raises(InputError, match="a quote is open") as caught:
        read_table(tmp_path / "open.csv")
    assert "close every quote" in caught.value.todo


def test_languages_are_called_as_elsewhere_however_a_table_writes_them(tmp_path: Path) -> None:
    words = ("C", "c++", "Ruby", "klingon", "Klingon")
    text = "code,latency_s,lang\n" + "".join(f"int x{i};,{i + 1},{word}\n" for i, word in enumerate(words))
    (tmp_path / "mine.csv").write_text(text)
    rows = read_table(tmp_path / "mine.csv", language="lang")
    assert [parts(row.prompt).head["language"] for row in rows] == ["c", "c++", "ruby", "klingon", "klingon"]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_how_far_a_large_table_is_read_is_shown(
    suffix: str, run_forerun: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / f"mine{suffix}", tmp_path / "rows.jsonl"
    files.write(path, {"code": str, "latency_s": float}, [{"code": f"f({i})", "latency_s": 1.0} for i in range(40)])
    ticks = iter(range(0, 10**9, 4))  # seconds: each row takes some
    monkeypatch.setattr("forerun.cli.render.time.monotonic", lambda: next(ticks))
    words = ("--text", "code", "--target", "latency_s", "-o", str(out))
    _, _, err = run_forerun("data", "import", str(path), *words)
    assert re.search(rf"^rows \d+  \d+ s  of mine{suffix} read$", err, re.MULTILINE), err
    for words in (("data", "show", str(out)), ("train", "--data", str(out), "--recipe", "adapt", "-o", str(tmp_path))):
        assert "of rows.jsonl read" in run_forerun(*words)[2], words


def test_what_takes_a_while_after_reading_is_said(
    run_forerun: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, [Row("latency", "s", f"metric latency\n\nf({i})", 1.0 + i, f"g{i}") for i in range(20)])
    judge = ("eval", str(path), "--model", "length", "--similar", "2")
    assert "near-duplicates" not in run_forerun(*judge)[2]
    monkeypatch.setattr("forerun.cli.data._MANY", 20)
    code, _, err = run_forerun(*judge)
    assert "20 rows read; which of them are near-duplicates is looked for" in err, (code, err)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--device", "dveice"), "has no column 'dveice', so that is the device of all rows: did you mean 'device'?"),
        (("--language", "pyhton"), "that is the language of all rows: did you mean 'python'?"),
        (("--text", "file"), "20 of 20 rows of t.csv hold no program but what looks like the name of a file"),
        (("--target", "all, in s"), "the name of 'all, in s' has a comma, which --metric takes for two"),
        (("--device", "laptop", "--language", "C++, gcc 12", "--unit", "ms"), ""),
        (("--device", "device", "--language", "Kotlin"), ""),
    ],
)
def test_what_a_table_is_perhaps_meant_to_say(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ([f"f({i})", i, i, "pi", f"a{i}.py"] for i in range(20))
    table(Path("t.csv"), ["code", "time_s", "all, in s", "device", "file"], *rows)
    usual = {"--text": "code", "--target": "time_s"}
    more = [word for option in usual.items() if option[0] not in words for word in option]
    code, _, err = run_forerun("data", "import", "t.csv", "-o", "rows.jsonl", *words, *more)
    assert code == 0 and (told in err if told else not re.search("did you mean|name of a file|comma", err)), err


@pytest.mark.parametrize(("cell", "unit"), [("12 ms", "ms"), ("-1.5e3GB", "GB"), ("0.25 µs", "µs")])
def test_the_unit_of_a_cell_has_an_option(cell: str, unit: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1: not a number") as caught:
        read_table(table(tmp_path / "t.csv", ["code", "time"], ["f()", cell]), "code", "time")
    assert caught.value.todo == f"write the number alone, and name the unit that all have: --unit {unit}"


def test_a_network_of_a_table_is_asked_about_as_its_file_is(tmp_path: Path) -> None:
    """By its name or in ONNX's own syntax: the same text and the same counters, of which no program has any."""
    onnx = pytest.importorskip("onnx")
    body = "<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { h = MatMul(x, w) y = Relu(h) }"
    text = f'<ir_version: 8, opset_import: ["" : 17]> agraph (float[B, 4] x) => (float[B, 2] y) {body}'
    (tmp_path / "nets").mkdir()
    onnx.save(onnx.parser.parse_model(text.replace("B,", "3,")), tmp_path / "nets" / "a net.onnx")
    head = ["net", "latency_s", "B"]
    rows = [["nets/a net.onnx", 1.5, ""], [onnx.printer.to_text(onnx.parser.parse_model(text)), 2.5, 3]]
    found = read_table(table(tmp_path / "t.csv", head, *rows), "net", "latency_s", language="ONNX", device="pi")
    card = Card.of(found, {})
    asked = questions(str(tmp_path / "nets" / "a net.onnx"), card, Options())
    assert {row.prompt for row in found} == {asked[0].prompt}
    assert parts(asked[0].prompt).counters["parameters"] == 8 and "loops" not in parts(asked[0].prompt).counters
    named = read_table(tmp_path / "t.csv", "net", "latency_s", language="onnx, onnxruntime 1.32")
    assert parts(named[0].prompt).head["language"] == "onnx, onnxruntime 1.32"
    for size, why in (("", "row 2: no fixed shape"), ("-1", "row 2: no size"), ("x", "row 2: not a number")):
        wrong = table(tmp_path / "w.csv", head, rows[0], [rows[1][0], 2.5, size]) if size else tmp_path / "w.csv"
        if not size:
            table(wrong, head[:2], rows[0][:2], rows[1][:2])
        with pytest.raises(InputError, match=why):
            read_table(wrong, "net", "latency_s", language="onnx")
    for cell, why in (("gone.onnx", "cannot read .*gone.onnx"), ("input 1x4\nRelu", "no network in ONNX's syntax")):
        table(tmp_path / "w.csv", head, [cell, 1.0, 1], rows[0])
        with pytest.raises(InputError, match="row 1: no network") as caught:
            read_table(tmp_path / "w.csv", "net", "latency_s", language="onnx")
        assert re.search(why, caught.value.why) and "onnx.printer.to_text" in caught.value.todo


def test_the_name_of_a_file_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    for cell, todo in (("nets/a.onnx", "--language onnx"), ("a.py", "put the program's text there")):
        path = table(tmp_path / "t.csv", ["code", "time_s"], [cell, 1.0])
        with pytest.raises(InputError, match="row 1: no text") as caught:
            read_table(path, "code", "time_s")
        assert todo in caught.value.todo
    fine = table(tmp_path / "t.csv", ["code", "time_s"], ["b.py", 1.0], ["run a.onnx", 1.0], ["x" * 400 + ".py", 1.0])
    assert len(read_table(fine, "code", "time_s")) == 3


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("C++", "c++"),
        ("cpp", "c++"),
        ("JS", "javascript"),
        ("Kotlin", "kotlin"),
        ("ll", "llvm"),
        ("c,gcc 12", "c, gcc 12"),
    ],
)
def test_a_language_is_called_as_predict_calls_it(word: str, name: str, tmp_path: Path) -> None:
    found = read_table(table(tmp_path / "t.csv", ["code", "time_s"], ["x = 1", 1.0]), "code", "time_s", language=word)
    assert parts(found[0].prompt).head["language"] == name
    assert language_of("x", word) == name.partition(",")[0]


def test_a_column_that_is_called_text_is_no_language(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", ["text", "cost_s"], ["run it", 1.0], ["run 2", 2.0])
    for language in (None, "text"):
        found = read_table(path, "text", "cost_s", language=language)
        assert {parts(row.prompt).head["language"] for row in found} == {"text"}


def test_two_columns_of_programs_are_not_one(run_forerun: Run, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", ["code", "old", "a_s"], ["run it", "run", 1.0])
    ask = ("data", "import", str(path), "--target", "a_s", "--text", "code", "-o", str(tmp_path / "rows.jsonl"))
    code, _, err = run_forerun(*ask, "--text", "old")
    assert code == 2 and "--text code and old" in err and "forerun data import" in err
    assert run_forerun(*ask, "--text", "code")[0] == 0
