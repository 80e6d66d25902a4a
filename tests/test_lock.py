from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from forerun import lock
from forerun.errors import InputError, ToolMissing
from forerun.toolchains.llvm import clang
from tests.cc_bench import PROGRAM, Bench, prepare

ENTRY = lock.Entry(
    key="ab", llvm="22.1.8", file="a.c", directory=".", compiler="clang-22", arguments=("-Oz", "-c", "a.c"), target="t",
    level="z", plan="globalopt", before=(3, 2, 1), after=(2, 2, 1), bitcode="b", object="c",
)  # fmt: skip


@pytest.fixture(scope="module")
def compiler() -> str:
    try:
        return str(shutil.which(clang.default_compiler()))
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, compiler: str) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared") / "cache", compiler)


@pytest.fixture
def bench(tmp_path: Path, compiler: str, prepared: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, compiler, prepared)
    (tmp_path / "small.c").write_text("int small(int a) { return a + 1; }\n")
    bench.environment["FORERUN_LOCK"] = str(tmp_path / "forerun.lock")
    yield bench
    bench.stop()


def build(bench: Bench) -> list[bytes]:
    for name in ("a", "small"):
        bench.compile(f"{bench.folder}/{name}.c", "-g", f"-I{bench.folder}/include", "-o", f"{name}.o")
    return [(bench.folder / f"{name}.o").read_bytes() for name in ("a", "small")]


def verify(bench: Bench, *words: str) -> tuple[int, dict[str, str]]:
    run = bench.run("-m", "forerun", "verify", "--format", "json", *words, program=sys.executable, check=False)
    return run.returncode, {row["file"]: row["status"] for row in json.loads(run.stdout or "[]")}


def test_round_trip_and_merge(tmp_path: Path) -> None:
    path = tmp_path / "forerun.lock"
    assert lock.read(path) == {}
    other = replace(ENTRY, key="cd", file="b.c")
    lock.update(path, [other])
    first = path.read_bytes()
    lock.update(path, [ENTRY])
    assert lock.read(path) == {ENTRY.id: ENTRY, other.id: other}
    path.write_bytes(first)
    lock.update(path, [other])
    assert path.read_bytes() == first
    assert [f.name for f in tmp_path.iterdir()] == ["forerun.lock"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 99, "modules": []}', '{"format": 1, "modules": [{}]}'])
def test_what_is_no_lock_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(InputError):
        lock.read(tmp_path / "x")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = lock.LockFile(tmp_path / "forerun.lock")
    text = f"-I{tmp_path}/x {tmp_path}2/y {tmp_path}"
    assert file.relative(text) == f"-I${{root}}/x {tmp_path}2/y ${{root}}"
    assert file.absolute(file.relative(text)) == text


def test_a_build_is_written_down_and_verified(bench: Bench) -> None:
    build(bench)
    entries = lock.read(bench.folder / "forerun.lock")
    plans = {e.file: bool(e.plan) for e in entries.values()}
    assert plans == {"a.c": True, "small.c": False}
    assert str(bench.folder) not in (bench.folder / "forerun.lock").read_text()
    assert verify(bench) == (0, {"a.c": "verified", "small.c": "verified"})


def test_a_build_from_the_lock_file_alone(bench: Bench) -> None:
    first = build(bench)
    written = (bench.folder / "forerun.lock").read_bytes()
    bench.environment["FORERUN_LOCKED"] = "1"
    bench.stop()
    shutil.rmtree(bench.cache / "objects")
    (bench.cache / "trials.sqlite").unlink()
    assert build(bench) == first
    assert not (bench.cache / "trials.sqlite").exists()
    (bench.folder / "new.c").write_text(PROGRAM)
    assert "not in the lock file" in bench.compile("new.c", "-o", "new.o").stderr
    assert (bench.folder / "forerun.lock").read_bytes() == written


def test_tampering_and_changes_are_found(bench: Bench) -> None:
    build(bench)
    path = bench.folder / "forerun.lock"
    entries = lock.read(path)
    changed = next(e for e in entries.values() if e.plan)
    lock.update(path, [replace(changed, plan="globaldce")])
    (bench.folder / "small.c").write_text("int small(int a) { return a + 2; }\n")
    assert verify(bench) == (4, {"a.c": "differs", "small.c": "stale"})


def test_a_tree_that_was_moved_still_builds_from_its_lock_file(bench: Bench) -> None:
    build(bench)
    moved = bench.folder / "elsewhere"
    moved.mkdir()
    for name in ("a.c", "small.c", "forerun.lock"):
        shutil.copy(bench.folder / name, moved)
    bench.environment |= {"FORERUN_LOCK": str(moved / "forerun.lock"), "FORERUN_LOCKED": "1"}
    said = bench.compile(f"{moved}/a.c", "-g", f"-I{moved}/include", "-o", "a.o", cwd=moved).stderr
    assert "as the lock file says" in said


def test_without_a_lock_file(bench: Bench) -> None:
    assert verify(bench)[0] == 2


def test_what_llc_has_no_words_for_is_replayed_with_the_users_compiler(bench: Bench) -> None:
    bench.compile("a.c", "-falign-loops=32", "-fbasic-block-sections=all", f"-I{bench.folder}/include", "-o", "a.o")
    assert verify(bench) == (0, {"a.c": "verified"})


@pytest.mark.parametrize(
    "change",
    [{"plan": "rm -rf"}, {"directory": 5}, {"before": [1, 2]}, {"after": ["a", 1, 2]}, {"arguments": [3]}],
)
def test_a_damaged_lock_file_is_a_clear_error(bench: Bench, change: dict[str, object]) -> None:
    build(bench)
    path = bench.folder / "forerun.lock"
    data = json.loads(path.read_text())
    data["modules"][0] |= change
    path.write_text(json.dumps(data))
    run = bench.run("-m", "forerun", "verify", program=sys.executable, check=False)
    assert run.returncode in (1, 4) and "Traceback" not in run.stderr


def test_sizes_that_somebody_changed_are_found(bench: Bench) -> None:
    build(bench)
    path = bench.folder / "forerun.lock"
    changed = next(e for e in lock.read(path).values() if e.plan)
    lock.update(path, [replace(changed, after=(1, 2, 3))])
    assert verify(bench)[1]["a.c"] == "differs"
    bench.environment["FORERUN_LOCKED"] = "1"
    assert " -> 3 B" not in bench.compile("a.c", "-g", f"-I{bench.folder}/include", "-o", "a.o").stderr
