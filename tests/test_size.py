"""The task `size`: what it asks, what it measures, and the short form of IR that it shows."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.core import Draft, Measurement, Source
from forerun.errors import UsageError
from forerun.prompts import parts
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tables import rows_of
from forerun.tasks.passes import Passes
from forerun.tasks.size import Size, plan_of
from forerun.testing import check_grammar, check_model, check_task
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.compact import compact
from forerun.toolchains.llvm.counts import counts
from tests.conftest import CHECKSUM

Prepared = tuple[Passes, Source]


@pytest.fixture
def size(prepared: Prepared, compiler: str) -> Size:
    """The level of the source, with the LLVM of the fixtures."""
    return Size(prepared[0].library, clang.compiler_version(compiler)[1], compiler=compiler)


def facts(task: Size, source: Source, pool: Pool) -> Measurement:
    return next(m for _, m in pool.measure(task, source, [None]))


@pytest.mark.parametrize("objective", ["text", "instructions"])
def test_the_task_keeps_its_laws(objective: str, size: Size, prepared: Prepared, pool: Pool) -> None:
    task = replace(size, objective=objective)
    check_task(task, prepared[1], [(300.0,), (1e5,), (2.5,)], pool, predicts=True)
    check_grammar(task.grammar(prepared[1]), [(300.0,)], walks=20)
    assert pickle.loads(pickle.dumps(task)) == task


def test_what_is_measured_is_what_passes_measures(size: Size, prepared: Prepared, pool: Pool) -> None:
    passes, source = prepared
    plan = "function(sroa<modify-cfg>,early-cse<>)"
    before, after = (m for _, m in sorted(pool.measure(passes, source, [None, plan_of(plan)]), key=lambda x: x[0]))
    for task, expected in (
        (size, before),
        (replace(size, pipeline="-Oz"), before),
        (replace(size, pipeline=plan), after),
    ):
        found = facts(task, source, pool)
        assert found.ok and {k: expected.values[k] for k in found.values} == found.values
    fast = Source(CHECKSUM, "c", "a.c", source.target.replace(" -Oz", " -O3"))  # in IR of -Oz functions are marked so
    assert facts(size, fast, pool).values["text"] > before.values["text"]


def test_an_answer_is_told_how_far_off_it_is(size: Size, prepared: Prepared, pool: Pool) -> None:
    truth = facts(size, prepared[1], pool)
    found = next(m for _, m in pool.measure(size, prepared[1], [(2 * truth.values["text"],)]))
    assert found.values["log_error_text"] == pytest.approx(math.log(2))
    assert dict(found.values) | truth.values == found.values


def test_c_is_compiled_from_its_text(size: Size, prepared: Prepared, pool: Pool) -> None:
    source = Source(CHECKSUM, "c", "a.c", prepared[1].target)
    assert facts(size, source, pool).values == facts(size, prepared[1], pool).values
    assert parts(size.prompt(source)).text == CHECKSUM
    bad = replace(source, text="int f( {")
    assert "cannot compile" in facts(size, bad, pool).error


@pytest.mark.parametrize(
    ("pipeline", "text", "error"),
    [("no-such-pass", "", "unknown pass name"), ("-Oz", "define nonsense", "expected"), ("-Oz", "\0\xff", "")],
)
def test_what_fails_is_a_value(
    pipeline: str, text: str, error: str, size: Size, prepared: Prepared, pool: Pool
) -> None:
    source = replace(prepared[1], text=text) if text else prepared[1]
    found = facts(replace(size, pipeline=pipeline), source, pool)
    assert found.error and error in found.error and not found.ok and found.tool


@pytest.mark.parametrize(("pipeline", "objective"), [("-O9", "text"), ("a(b", "text"), ("-Oz", "beauty")])
def test_wrong_questions_are_refused(pipeline: str, objective: str) -> None:
    with pytest.raises(UsageError):
        Size.here(pipeline, objective)


def test_the_prompt_says_pipeline_and_how_it_is_emitted(size: Size, prepared: Prepared) -> None:
    source = prepared[1]
    for pipeline, shown in (("", "-Oz"), ("-O3", "-O3"), ("globalopt,function(sroa)", "globalopt,function(sroa)")):
        found = parts(replace(size, pipeline=pipeline).prompt(source))
        assert found.head["pipeline"] == shown and found.head["emit"].startswith("-Oz --relocation-model=pic")
        assert found.head["metric"] == "text" and found.head["unit"] == "B"
        assert found.head["language"] == f"llvm, LLVM {size.major}"
        assert found.head["device"].startswith(source.target.partition("-")[0])
        assert found.counters["functions"] == 4 and "globals" in found.counters
        assert found.text == compact(source.text)


def test_ir_gets_shorter_and_keeps_what_it_does(prepared: Prepared, tmp_path: Path, compiler: str) -> None:
    plain = prepared[1].text
    short = compact(plain)
    assert len(short) < 0.5 * len(plain)
    for gone in ("!tbaa", "attributes", "target ", "source_filename", "noundef", "align", "dso_local", "; "):
        assert gone not in short
    for kept in ("define i32 @crc(ptr %0, i32 %1) {", "@printf(", "%u %d %d", "mul nsw"):
        assert kept in short
    assert compact(short) == short and compact(plain) == short
    named = tmp_path / "a.c"
    named.write_text(CHECKSUM)
    command = clang.read_command([compiler, "-g", "-fno-discard-value-names", "-Oz", "-c", str(named)])
    assert not isinstance(command, str)
    debug = clang.front_end(command).text
    assert counts(debug)["instructions"] == counts(plain)["instructions"]
    assert "for.body:" in debug and compact(debug) == short


def test_strings_and_types_keep_their_names_and_tables_are_cut() -> None:
    text = (
        "%struct.a = type { i32 }\n@t = constant [99 x i32] [" + ", ".join(["i32 7"] * 99) + "]\n"
        '@s = constant [4 x i8] c"%a !b #1\\00", align 1 ; comment\n'
        "define void @f(ptr %x) #0 !dbg !3 {\nentry:\n"
        '  call void asm "mov %0, %1", "r"(ptr %x) #4, !srcloc !9\n'
        "  %y.z = getelementptr %struct.a, ptr %x, i64 1, !tbaa !5\n  br label %far\n\nfar: ; preds = %entry\n"
        "  ret void\n}\n"
    )
    short = compact(text).split("\n")
    assert short[0] == "%struct.a = type { i32 }" and short[1].endswith("…") and len(short[1]) < 100
    assert short[2] == '@s = constant [4 x i8] c"%a !b #1\\00"'
    assert short[3:] == [
        "define void @f(ptr %0) {",
        'call void asm "mov %0, %1", "r"(ptr %0)',
        "%1 = getelementptr %struct.a, ptr %0, i64 1",
        "br label %2",
        "2:",
        "ret void",
        "}",
    ]


@settings(max_examples=80)
@given(st.text() | st.text('%@!#;", \n{}definelabc:0'))
def test_any_text_has_a_short_form(text: str) -> None:
    assert len(compact(text)) <= len(text) + text.count("%") * 12 + text.count(":") * 12 + text.count("\n") + 100


@pytest.mark.parametrize("unit", ["%a", "!", '"', " ", ", !a", ":", "define ", "@a", "\n", "range("])
def test_long_lines_take_a_moment(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert compact(f"define void @f() {{\n  {text}\n}}") is not None and compact(text) is not None


def test_collecting_size_is_resumed_and_becomes_rows(
    two_files: Path, tmp_path: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.sqlite"
    words = ("collect", "size", "--folder", str(two_files), "--pipelines", "2", "--store", str(path))
    words += ("--format", "json")
    monkeypatch.setenv("FORERUN_WORKERS", "1")
    code, out, err = run_forerun(*words)
    assert code == 0 and "expected parameter declarator" in err, err
    lines = json.loads(out)
    assert [(line["level"], line["modules"], line["trials"]) for line in lines] == [("-Oz", 1, 2), ("-O3", 1, 2)]
    assert lines[0]["text"] < lines[1]["text"]
    with Store(path) as store:
        count, rows = store.count(), list(rows_of(store, "size"))
    assert count == 6
    assert run_forerun(*words)[1] == out
    with Store(path) as store:
        assert store.count() == count
        stored = [row for row in store.trials("passes/3") if row.measurement.ok]
    assert len(rows) == 2 * len(stored)
    assert {row.group for row in rows} == {tmp_path.name} and {row.metric for row in rows} == {"text", "instructions"}
    heads = [parts(row.prompt).head for row in rows]
    assert {"-Oz", "-O3"} < {head["pipeline"] for head in heads}
    # What stands in a row is what the task asks, and what it measures.
    row = next(row for row, head in zip(rows, heads, strict=True) if head["pipeline"] == "-O3")
    source = next(s.source for s in stored if " -O3" in s.source.target)
    task = Size.here()
    assert task.prompt(source) == row.prompt
    assert task.measure(source, (row.value,)).values["log_error_text"] == 0
    assert run_forerun("collect", "size", "--folder", str(two_files), "--pipelines", "-1")[0] == 2


def test_programs_are_measured_as_source(tmp_path: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = tmp_path / "s.sqlite", tmp_path / "euler"
    (folder / "7").mkdir(parents=True)
    (folder / "7" / "a.c").write_text('#include <stdio.h>\nint main(void) { return puts("7") < 0; }\n')
    (folder / "7" / "a.in").write_text("an input is nothing to a compiler")
    (folder / "7" / "b.cpp").write_text("int main() { return nothing; }\n")
    (folder / "7" / "c.py").write_text("print(7)\n")
    (folder / "7" / "d.c").write_text("int seven(int x) { return 7 * x; }\n")
    words = ("collect", "size", "--sources", str(folder), "--group-by", "number", "--store", str(path))
    words += ("--format", "json")
    monkeypatch.setenv("FORERUN_WORKERS", "1")
    code, out, err = run_forerun(*words)
    assert code == 0 and "2 programs failed" in err, err
    lines = json.loads(out)
    assert [(line["level"], line["modules"], line["failed"]) for line in lines] == [("-Oz", 2, 1), ("-O3", 2, 1)]
    with Store(path) as store:
        count, rows = store.count(), list(rows_of(store, "size"))
    assert run_forerun(*words)[1] == out
    with Store(path) as store:
        assert store.count() == count == 6
        sources = [store.source(key) for key, found in store.baselines("size/1/level").items() if found.ok]
    assert {(row.name, row.group, row.metric) for row in rows} == {
        (f"euler/7/{name}.c", "euler/7", metric) for name in "ad" for metric in ("text", "instructions")
    }  # fmt: skip
    task, row = Size.here(), next(row for row in rows if row.metric == "text" and "-O3" in row.prompt)
    source = next(source for source in sources if " -O3" in source.target and source.name == row.name)
    assert task.prompt(source) == row.prompt and not source.reference
    assert task.measure(source, (row.value,)).values["log_error_text"] == 0
    assert run_forerun("collect", "size", "--sources", str(tmp_path / "nowhere"))[0] == 1


def test_random_pipelines_differ_from_module_to_module(prepared: Prepared) -> None:
    from forerun.collect import RandomPipelines

    passes, source = prepared
    grammar = passes.grammar(source)
    check_model(RandomPipelines(), grammar)

    def drafts(prompt: str, seed: int) -> list[Draft[Any]]:
        return RandomPipelines().sample(prompt, grammar, 4, seed)

    first = [draft.answer for draft in drafts("a", 1)]
    assert first == [draft.answer for draft in drafts("a", 1)]
    assert first != [draft.answer for draft in drafts("b", 1)] and first != [draft.answer for draft in drafts("a", 2)]
    assert all(not answer.functions for answer in first) and all(grammar.write(answer) for answer in first)
