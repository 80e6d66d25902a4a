"""From a folder of programs to what they cost, and from there to predictions."""

from __future__ import annotations

import codecs
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from forerun import settings
from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora import programs
from forerun.corpora.programs import Program, group_of, licence, load, texts
from forerun.errors import InputError, UsageError
from forerun.sandbox import Limits, Pool
from forerun.store import Store
from forerun.tasks import _programs
from forerun.tasks._inputs import understood
from forerun.tasks._numbers import log_error
from forerun.tasks.memory import Memory
from forerun.tasks.runtime import Runtime
from forerun.testing import check_grammar
from forerun.toolchains.process import languages
from forerun.toolchains.process.languages import LANGUAGES
from forerun.toolchains.process.target import Target

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy"
SUM = 'my $n = <STDIN>; my $x = "a" x $n; print length $x;'


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def source(language: str, text: str, stdin: bytes | None = None) -> Source:
    target = Target.here(languages.named(language), stdin)
    return Source(text, language, f"x/y/main.{language}", str(target), stdin or b"")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two problems, each solved twice or more; one solution fails."""
    root = tmp_path / "suite"
    files = {
        "LICENSE": MIT,
        "hello/hello.pl": "print 'hello'",
        "hello/hello.py": "print('hello')",
        "sum/sum.pl": SUM,
        "sum/sum.in": "1000\n",
        "sum/broken.pl": "die 'no'",
    }
    write(root, files)
    return root


def names(found: tuple[Program, ...]) -> list[str]:
    return [program.source.name for program in found]


def test_a_byte_order_mark_is_no_part_of_a_program(folder: Path) -> None:
    marked = folder / "hello" / "hello.py"
    marked.write_bytes(codecs.BOM_UTF8 + marked.read_bytes())
    assert load(folder).programs[1].source.text == "print('hello')" and "print('hello')" in texts(folder)


def test_texts_without_labels_are_programs_and_what_compilers_write(folder: Path) -> None:
    write(folder, {"out/sum.ll": "ret void", "out/sum.s": "retq", "out/SUM.S": "ret", "out/notes.txt": "none"})
    assert {"ret void", "retq", "ret", "print('hello')"} <= {*texts(folder)} and "none" not in texts(folder)


def test_a_folder_becomes_sources(folder: Path) -> None:
    found = load(folder)
    assert names(found.programs) == [
        "suite/hello/hello.pl", "suite/hello/hello.py", "suite/sum/broken.pl", "suite/sum/sum.pl",
    ]  # fmt: skip
    assert [program.group for program in found.programs] == ["hello", "hello", "sum", "sum"]
    assert {program.licence for program in found.programs} == {"MIT"}
    assert [program.source.reference for program in found.programs] == [b"", b"", b"", b"1000\n"]
    assert group_of(found.programs[0].source) == "suite/hello"
    assert "stdin" in found.programs[3].source.target and "stdin" not in found.programs[0].source.target
    assert found.skipped == {"no program by its suffix": 1, "no program: an input": 1}
    assert load(folder, languages=["python"]).skipped["another language"] == 3
    with pytest.raises(InputError, match="there is no folder"):
        load(folder / "nowhere")


def test_problems_are_grouped_as_asked(tmp_path: Path) -> None:
    write(tmp_path, {"a/007/x.pl": "1", "a/python/p12-v3.py": "1", "b/perl/y.pl": "2", "z.pl": "3"})
    expected = {
        "parent": ["", "a/007", "a/python", "b/perl"],
        "top": ["", "a", "a", "b"],
        "file": ["p12-v3", "x", "y", "z"],
        "number": ["12", "7", "y", "z"],
    }
    for kind, groups in expected.items():
        assert sorted(p.group for p in load(tmp_path, group_by=kind).programs) == groups
    assert sorted(expected) == sorted(programs.GROUPINGS)


def test_inputs_lie_beside_a_program_or_in_a_folder(tmp_path: Path) -> None:
    files = {
        "a.pl": "1",
        "a.in": "1",
        "a.stdin": "2",
        "inputs/a.1": "3",
        "inputs/a/x.py": "4",
        "inputs/b.1": "5",
        "b.pl": "2",
    }
    write(tmp_path, files)
    found = load(tmp_path)
    given = [(p.source.text, p.source.reference) for p in found.programs]
    assert given == [("1", b"1"), ("1", b"2"), ("1", b"4"), ("1", b"3"), ("2", b"5")]
    assert len({p.source.key for p in found.programs}) == 5
    assert found.skipped == {"no program: an input": 5}


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "again.pl": "print 1", "print.pl": "print 1", "empty.py": "", "blank.py": " \n", "long.py": "#" * 999,
        "data.bin": b"\0", "zero.py": b"a = '\0'", "part.c": "int f(void) { return 1; }", "page.php": "no code",
        "local.c": '#include "x.h"\nint main(void) {}', "whole.c": "int main(void) { return 0; }",
        "latin.py": b"# \xe4\n", ".git/x.py": "1", "node_modules/x.js": "1",
    }  # fmt: skip
    write(tmp_path, files)
    (tmp_path / "link.py").symlink_to(tmp_path / "latin.py")
    found = load(tmp_path, most=500)
    assert [Path(name).name for name in names(found.programs)] == ["again.pl", "latin.py", "whole.c"]
    assert found.skipped == {
        "the same text again": 1, "empty": 2, "longer than 500 B": 1, "no program by its suffix": 1, "no text": 1,
        "no main in c": 1, "no main in php": 1, "needs other files in c": 1, "a link or no file": 1,
    }  # fmt: skip


def test_a_language_without_a_tool_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    languages.find.cache_clear()
    write(tmp_path, {"a.rb": "puts 1", "a.py": "1"})
    try:
        found = load(tmp_path)
    finally:
        languages.find.cache_clear()
    assert len(found.programs) == 1 and found.skipped == {"no ruby on this machine": 1}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("LICENSE", MIT, "MIT"),
        ("COPYING", "GNU GENERAL PUBLIC LICENSE\n   Version 2, June 1991", "GPL-2.0-only"),
        ("LICENCE.txt", "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 3", "LGPL-3.0-only"),
        ("License.md", "Apache License\n Version 2.0", "Apache-2.0"),
        ("LICENSE", "Ask me first", "see LICENSE"),
        ("README", MIT, "unknown"),
    ],
)
def test_the_licence_is_read(tmp_path: Path, name: str, text: str, expected: str) -> None:
    write(tmp_path, {name: text})
    assert licence(tmp_path) == expected


def test_one_run_answers_both_questions() -> None:
    memory, runtime = Memory(), Runtime()
    assert memory.id == runtime.id == Memory(objective="traced").id == "program/2"
    assert pickle.loads(pickle.dumps(memory)) == memory
    found = memory.measure(source("python", "x = bytearray(20_000_000)"), None)
    assert found.ok and found.tool.startswith("cpython 3.")
    assert found.values["memory"] > 20e6 and found.values["traced"] == pytest.approx(20e6, rel=0.02)
    assert 0 < found.values["runtime"] < 5 and found.values["runs"] == 3
    assert found.values["memory_spread"] < 0.05 and found.values["runtime_spread"] >= 0
    assert {"wall", "faults", "output", "exit", "compile", "isolated", "beside"} <= set(found.values)
    with pytest.raises(UsageError, match="objective"):
        Memory(objective="beauty")


def test_slow_programs_run_less_often() -> None:
    slow = source("perl", "while (1) { my @t = times; last if $t[0] + $t[1] >= .7 }")
    assert Runtime(timeout_s=1).measure(slow, None).values["runs"] == 1


def test_a_prediction_is_told_how_far_off_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    program = source("perl", "print 1")
    task = Memory()
    truth = task.measure(program, (1e6,))
    expected = abs(math.log(1e6 / truth.values["memory"]))
    assert truth.ok and truth.values["log_error_memory"] == pytest.approx(expected)
    assert truth.values["log_error_runtime"] > 10
    monkeypatch.setattr(_programs, "_measured", lambda *_: pytest.fail("it ran again"))
    exact = task.measure(program, (truth.values["memory"],))
    assert exact.values["log_error_memory"] == 0
    assert log_error(0.0, 1.0) == log_error(math.nan, 1.0) == log_error(-1.0, 1.0) == math.inf
    assert log_error(2.0, 1.0) == log_error(1.0, 2.0) == pytest.approx(math.log(2))


def test_the_middle_answer_is_chosen_and_measurements_are_not_looked_at() -> None:
    task, program = Memory(), source("perl", "1")
    best = Measurement({"memory": 1.0, "log_error_memory": 0.0}, checked=True)

    def trial(answer: tuple[float, ...] | None) -> Trial[tuple[float, ...]]:
        return Trial(task.id, program, Draft(answer), best if answer == (9.0,) else Measurement())

    trials = [trial((float(n),)) for n in (9, 2, 3)]
    assert task.choose(trial(None), trials).draft.answer == (3.0,)
    assert task.choose(trial(None), trials[:2]).draft.answer == (2.0,)
    assert task.choose(trial(None), []).draft.answer is None
    assert task.rank([trial(None), *trials]) == trials


@pytest.mark.parametrize("task", [Memory(), Memory(objective="traced"), Runtime()])
def test_the_prompt_says_what_is_asked_and_where(task: Memory | Runtime) -> None:
    program = source("perl", SUM, b"12\n")
    head, _, code = task.prompt(program).partition("\n\n")
    assert code == SUM
    lines = head.splitlines()
    assert lines[:2] == [f"metric {task.metric.name}", f"unit {task.metric.unit}"]
    assert lines[2].startswith("language perl, perl 5.") and lines[3].startswith("device ")
    name, _, given = lines[4].partition(": ")
    assert name == "input 3 B" and understood(given).stretches[0].first == "12"
    check_grammar(task.grammar(program), [(12.0,), (1e-3,)], walks=20)


@pytest.mark.parametrize(
    ("language", "text", "error"),
    [
        ("perl", "exit 3", "exit status 3"),
        ("perl", "my $x = <STDIN>", "input: it reads standard input"),
        ("perl", "sleep 60", "timeout: more than 2 s by the clock"),
        ("c", "int main(void) { return y; }", "compile: exit status 1: main.c:1"),
        ("python", "raise SystemExit('no')", "exit status 1: no"),
    ],
)
def test_a_program_that_fails_is_a_measurement(language: str, text: str, error: str) -> None:
    found = Memory(timeout_s=1).measure(source(language, text), None)
    assert found.error.startswith(error) and not found.ok and found.tool
    assert Memory(timeout_s=1).measure(source(language, text), (1.0,)).error == found.error


def test_another_version_of_the_tool_does_not_answer() -> None:
    found = Memory().measure(Source("print 1", "perl", target="perl 4.0; pdp11"), None)
    assert found.error.startswith("tool: it ran with perl 4.0, here is perl 5.")
    assert Memory().measure(Source("print 1", "perl", target="?"), None).error.startswith("not started")


def test_a_worker_measures_too() -> None:
    with Pool(2, Limits(60)) as pool:
        found = dict(pool.measure(Memory(repeats=1), source("perl", "print 1"), [None, (5e6,)]))
    assert found[0].ok and found[1].ok and "log_error_memory" in found[1].values


def collect(run_forerun: Any, *words: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    code, out, err = run_forerun("collect", *words, "--format", "json")
    return code, {row["language"]: row for row in json.loads(out)} if out.strip() else {}, err


def test_collecting_is_resumed(folder: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("memory", "--folder", str(folder), "--repeats", "2")
    code, rows, err = collect(run_forerun, *words, "--language", "perl")
    assert code == 0 and rows["perl"] | {"programs": 3, "measured": 2, "problems": 2, "licences": "MIT"} == rows["perl"]
    assert "1 program failed: exit status" in err and "1 file left out: another language" in err
    with Store(settings.cache_folder() / "trials.sqlite") as store:
        found = store.baselines("program/2")
        assert len(found) == store.count() == 3
        assert {group_of(s) for s in store.sources("program/2")} == {"suite/hello", "suite/sum"}
    measured = []
    original = _programs._measured
    monkeypatch.setattr(_programs, "_measured", lambda task, s: measured.append(s.lang) or original(task, s))
    again = collect(run_forerun, *words)
    assert measured == ["python"] and again[1]["perl"] == rows["perl"] and again[1]["python"]["measured"] == 1


def test_two_workers_are_noise_to_each_other(
    folder: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite"
    words = ("--folder", str(folder), "--repeats", "1", "--store", str(store))
    monkeypatch.setenv("FORERUN_WORKERS", "2")
    code, _, err = collect(run_forerun, "memory", *words)
    assert code == 0 and "2 at a time" in err
    assert beside(store) == {1.0}
    export = ("data", "export", "runtime", "--store", str(store), "-o", str(tmp_path / "rows.jsonl"))
    code, _, err = run_forerun(*export)
    assert code == 1 and "ran beside others, for memory" in err and "forerun collect runtime" in err
    monkeypatch.delenv("FORERUN_WORKERS")
    # Times want silence: those that succeeded are measured again, alone; then memory is content with them.
    code, rows, err = collect(run_forerun, "runtime", *words)
    assert code == 0 and "1 at a time" in err and rows["perl"]["measured"] == 2 and rows["perl"]["median"] < 1
    assert beside(store) == {0.0, 1.0}
    assert run_forerun(*export)[0] == 0
    before = store.read_bytes()
    assert collect(run_forerun, "memory", *words)[0] == 0
    with Store(store) as opened:
        assert opened.count() == 4 and before


def beside(store: Path) -> set[float]:
    with Store(store) as opened:
        return {found.values["beside"] for found in opened.baselines("program/2").values()}


def test_which_program_failed_and_what_it_lacks_is_said(tmp_path: Path, run_forerun: Any) -> None:
    write(tmp_path / "p", {"a.py": "open('data.txt')", "b.py": "print(input())"})
    words = ("memory", "--folder", str(tmp_path / "p"), "--repeats", "1")
    code, _, err = collect(run_forerun, *words)
    assert code == 1 and "1 program failed: exit status (p/a.py: " in err and "'data.txt')" in err
    assert "1 program failed: input (p/b.py: input: it reads standard input)" in err
    write(tmp_path / "p", {"b.in": "7"})
    assert collect(run_forerun, *words)[0] == 0


def test_what_lacked_a_package_runs_again_where_an_interpreter_is_named(
    tmp_path: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "p", {"a.py": "import some_package", "b.py": "print(1)"})
    words = ("memory", "--folder", str(tmp_path / "p"), "--repeats", "1")
    monkeypatch.delenv("FORERUN_PYTHON", raising=False)
    code, rows, err = collect(run_forerun, *words)
    assert code == 0 and rows["python"]["measured"] == 1 and "FORERUN_PYTHON" in err
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    packages = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    (packages / "some_package.py").touch()
    try:
        for named, count in ((tmp_path / "env" / "bin" / "python", 2), (tmp_path / "nowhere", 0)):
            monkeypatch.setenv("FORERUN_PYTHON", str(named))
            languages.find.cache_clear()
            code, rows, err = collect(run_forerun, *words)
            assert rows["python"]["measured"] == count if count else code == 2 and "nowhere" in err
    finally:
        languages.find.cache_clear()


def test_what_ran_into_a_limit_is_run_again_when_asked(tmp_path: Path, run_forerun: Any) -> None:
    write(tmp_path / "p", {"slow.pl": "while (1) { my @t = times; last if $t[0] + $t[1] >= 1.5 }"})
    words = ("runtime", "--folder", str(tmp_path / "p"), "--repeats", "1")
    code, _, err = collect(run_forerun, *words, "--timeout", "1")
    assert code == 1 and "1 program failed: timeout" in err
    assert collect(run_forerun, *words, "--timeout", "20")[0] == 1
    code, rows, _ = collect(run_forerun, *words, "--timeout", "20", "--again")
    assert code == 0 and 1.4 < rows["perl"]["median"] < 3


def test_the_command_line_says_what_is_wrong(tmp_path: Path, run_forerun: Any) -> None:
    code, _, err = run_forerun("collect", "memory")
    assert code == 2 and "--folder" in err
    code, _, err = run_forerun("collect", "memory", "--folder", str(tmp_path / "nowhere"))
    assert code == 1 and "there is no folder" in err
    store = tmp_path / "nowhere" / "x.sqlite"
    code, _, err = run_forerun("collect", "memory", "--folder", str(tmp_path), "--store", str(store))
    assert code == 2 and f"no such folder: {store.parent}" in err and not store.parent.exists()
    code, _, err = run_forerun("collect", "runtime", "--folder", str(tmp_path), "--language", "latin")
    assert code == 2 and "languages: c, c++" in err
    write(tmp_path, {"x.txt": "no program"})
    code, _, err = run_forerun("collect", "memory", "--folder", str(tmp_path))
    assert code == 2 and "no program by its suffix" in err
    code, _, err = run_forerun("collect", "memory", "--folder", str(tmp_path), "--timeout", "0")
    assert code == 2 and "at least a second" in err


def test_some_of_each_language_are_drawn(tmp_path: Path, run_forerun: Any) -> None:
    write(tmp_path / "p", {f"{n}.pl": f"print {n}" for n in range(9)} | {f"{n}.py": f"print({n})" for n in range(9)})
    words = ("memory", "--folder", str(tmp_path / "p"), "--each", "1", "--repeats", "1")
    _, rows, _ = collect(run_forerun, *words)
    assert {language: row["programs"] for language, row in rows.items()} == {"perl": 1, "python": 1}


@pytest.mark.parametrize(
    "language, text, why",
    [
        ("c", "int main()" + "\n" * 1_000_000, ""),
        ("go", "package main\n" * 80_000, "no main"),
        ("pascal", "begin\n" * 100_000, "no main"),
        ("rust", "fn main() {}" + "\n" * 1_000_000 + "//", ""),
    ],
)
def test_odd_texts_are_looked_through_once(language: str, text: str, why: str) -> None:
    """A pattern that begins at each line and reads to the end would take hours."""
    assert programs.incomplete(LANGUAGES[language], text).startswith(why)
