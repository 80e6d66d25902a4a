"""A hostile and a clumsy user: every mistake has a clear error or a fallback, the right exit code, and no traceback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import forerun
from forerun import acceptance, improve
from forerun.core import Draft, Grammar, Model, Trial
from forerun.errors import GateFailed, InputError, ToolMissing, UsageError
from forerun.files import write_atomically
from forerun.grammars.pipelines import Plan
from forerun.sandbox import Pool
from forerun.toolchains.llvm.elf import read_object
from tests.conftest import CHECKSUM

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[1]
SMALLER = ("function/sroa<modify-cfg>", "cgscc/inline", "function/early-cse<memssa>")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORERUN_WORKERS", "1")
    for setting in ("LLVM", "TIMEOUT", "MEMORY", "OBJECTIVE"):
        monkeypatch.delenv(f"FORERUN_{setting}", raising=False)
    Path("a.c").write_text(CHECKSUM)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "forerun", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **more}


def start(*arguments: str, **more: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*arguments), stdout=pipe, stderr=pipe, text=True, env=environment(**more))


def ir(compiler: str, *flags: str, suffix: str = ".ll") -> Path:
    path = Path(f"made{suffix}")
    form = ["-S"] if suffix == ".ll" else ["-c"]
    words = ["-Oz", *form, "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", str(path), *flags]
    Path("pure.c").write_text("int f(int x) { int y = x; return y * 2 + y; }\n")
    subprocess.run([compiler, *words, "pure.c"], check=True)
    return path


def leftovers() -> list[str]:
    return [str(f) for f in Path().rglob(".*") if f.is_file()]


class Fixed(Model):
    """Drafts these plans, once."""

    name = "fixed"

    def __init__(self, *plans: tuple[str, ...]) -> None:
        self.plans = plans

    def sample(
        self, prompt: str, grammar: Grammar[Any], n: int, seed: int, history: Sequence[Trial[Any]] = ()
    ) -> list[Draft[Any]]:
        return [] if history else [Draft(Plan(steps), origin=self.name) for steps in self.plans]


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes every search try these plans and no others."""
    return lambda *steps: monkeypatch.setattr(improve, "model", lambda _: Fixed(*steps))


UNREADABLE = {
    "syntax.c": b"int f( { return 1; }\n",
    "twice.c": b"int f(void) { return x; }\nint g(void) { return y; }\n",
    "syntax.ll": b"define i32 @f( {\n",
    "dominance.ll": b"define i32 @f() {\n  %1 = add i32 %2, 1\n  %2 = add i32 1, 1\n  ret i32 %1\n}\n",
    "future.ll": b"define i32 @f(i32 %x) {\n  %y = frobnicate i32 %x\n  ret i32 %y\n}\n",
    "binary.c": b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8,
    "garbage.bc": b"BC\xc0\xde" + bytes(range(256)) * 8,
    "header.c": b'#include "not-there.h"\n',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_the_compiler_refuses_is_told_in_its_words(run_forerun: Run, name: str) -> None:
    Path(name).write_bytes(UNREADABLE[name])
    code, out, err = run_forerun("optimize", name, "-o", "out.o")
    assert (code, out) == (1, "") and f"cannot compile {name}" in err and "error:" in err
    assert len(err.splitlines()) == 3 and ("(and 1 more)" in err) == (name == "twice.c")
    assert err.endswith("as in: -- -Iinclude -DNAME\n") == name.endswith(".c")
    code, _, err = run_forerun("optimize", name, "-o", "out.o", "--", "-DNAME")
    assert code == 1 and "behind --" not in err
    assert not Path("out.o").exists() and not leftovers()


def test_truncated_bitcode(run_forerun: Run, compiler: str) -> None:
    path = ir(compiler, suffix=".bc")
    path.write_bytes(path.read_bytes()[:900])
    code, _, err = run_forerun("optimize", str(path))
    assert code == 1 and "cannot compile made.bc" in err


@pytest.mark.parametrize(
    ("name", "why"), [("missing.c", "no such file"), ("folder.c", "no regular file"), ("a.txt", "not C, C++ or LLVM")]
)
def test_what_is_no_source_file(run_forerun: Run, name: str, why: str) -> None:
    Path("folder.c").mkdir()
    Path("a.txt").write_text(CHECKSUM)
    code, out, err = run_forerun("optimize", name)
    assert code == (2 if name == "a.txt" else 1) and not out and why in err and name in err


@pytest.mark.parametrize(("name", "text"), [("e.c", ""), ("e.ll", ""), ("e.bc", ""), ("d.c", "// only\nint f(int);\n")])
def test_nothing_to_optimise_is_said_and_is_no_error(run_forerun: Run, name: str, text: str) -> None:
    Path(name).write_text(text)
    code, out, err = run_forerun("optimize", name, "--format", "json", "-o", "out.o")
    row = json.loads(out)[0]
    assert code == 0 and row["compilations"] == 0 and row["pipeline"] is None
    assert "nothing to optimise" in err and read_object(Path("out.o").read_bytes()).text == 0


def test_ir_of_another_machine_is_not_compiled_for_this_one(run_forerun: Run, compiler: str) -> None:
    for triple in ("aarch64-linux-gnu", "riscv64-linux-gnu"):
        for suffix in (".ll", ".bc"):
            path = ir(compiler, f"--target={triple}", suffix=suffix)
            code, _, err = run_forerun("optimize", str(path))
            assert code == 1 and f"IR for {triple.partition('-')[0]}" in err and "-- --target=" in err
    code, _, err = run_forerun("optimize", "pure.c", "--", "--target=riscv64-linux-gnu")
    assert code == 1 and "only for X86" in err
    code, _, err = run_forerun("optimize", "pure.c", "--budget", "2", "--", "--target=aarch64-linux-gnu")
    assert code == 0, err


def test_ir_that_only_spells_its_machine_differently_is_taken(run_forerun: Run, compiler: str) -> None:
    path = ir(compiler)
    path.write_text(path.read_text().replace("-pc-linux", "-unknown-linux"))
    assert run_forerun("optimize", str(path), "--budget", "1")[0] == 0


@pytest.mark.skipif(not (shutil.which("clang-19") and shutil.which("clang-22")), reason="needs two versions of LLVM")
def test_ir_of_another_version_of_llvm(run_forerun: Run) -> None:
    assert run_forerun("optimize", str(ir("clang-19")), "--cc", "clang-22", "--budget", "1")[0] == 0
    newer = ir("clang-22", suffix=".bc")
    code, _, err = run_forerun("optimize", str(newer), "--cc", "clang-19", "--budget", "1")
    assert code == 1 and "--cc clang-N" in err


def test_optnone_is_said(run_forerun: Run, compiler: str) -> None:
    code, out, err = run_forerun("optimize", str(ir(compiler, "-O0")), "--budget", "2", "--explain")
    assert code == 0 and "optnone" in err and "nothing to explain" in err and " 0.00%" in out


def test_names_of_files(run_forerun: Run) -> None:
    strange = os.fsdecode(b"\xff.c")
    for name in ("a b \u00fc.c", "-dash.c", strange):
        shutil.copy("a.c", name)
    for name in ("a b \u00fc.c", "./-dash.c"):
        code, out, err = run_forerun("optimize", name, "--budget", "1", "-o", "out.o")
        assert code == 0 and name in out, err
    run = start("optimize", strange, "missing" + strange, "--budget", "1")
    assert run.communicate()[1].startswith("forerun: cannot read") and run.returncode == 1
    run = start("optimize", strange, "--budget", "1")
    out, err = run.communicate()
    assert run.returncode == 0 and "\\udcff.c" in out, err
    code, _, err = run_forerun("optimize", "-dash.c")
    assert code == 2 and "forerun optimize --help" in err


def test_standard_input(compiler: str) -> None:
    for data, wanted in ((b"", 1), (b" \n", 1), (Path("a.c").read_bytes(), 0), (b"int f( {", 1)):
        run = subprocess.run(
            command("optimize", "-", "--budget", "1"), input=data, env=environment(), capture_output=True
        )
        assert run.returncode == wanted and b"Traceback" not in run.stderr, run.stderr
        assert data.strip() or b"standard input is empty" in run.stderr
    for suffix in (".ll", ".bc"):
        run = subprocess.run(
            command("optimize", "-", "--budget", "1", "--format", "json"),
            input=ir(compiler, suffix=suffix).read_bytes(),
            env=environment(),
            capture_output=True,
        )
        assert json.loads(run.stdout)[0]["text_before"] > 0, run.stderr


def test_one_file_of_several_that_does_not_compile_costs_only_itself(run_forerun: Run) -> None:
    Path("bad.c").write_text("int f( {\n")
    code, out, err = run_forerun("optimize", "bad.c", "a.c", "--budget", "2", "-o", "out/", "--format", "json")
    assert code == 1 and [row["file"] for row in json.loads(out)] == ["a.c"] and "cannot compile bad.c" in err
    assert [f.name for f in Path("out").iterdir()] == ["a.o"]
    code, out, err = run_forerun("optimize", "bad.c", "bad.c", "--budget", "2")
    assert (code, out) == (1, "")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("/nonexistent", "names no libLLVM"),
        ("/nonexistent/llvm-config", "does not run"),
        ("17", "LLVM's library was not found"),
        ("{here}/a.c", "names no libLLVM"),
        ("{here}/libLLVM.so.22.1", "does not load"),
        ("{here}", "does not load"),
    ],
)
def test_a_wrong_llvm_is_a_missing_tool(
    run_forerun: Run, monkeypatch: pytest.MonkeyPatch, value: str, why: str, compiler: str
) -> None:
    Path("libLLVM.so.22.1").write_text("this is not a library\n")
    monkeypatch.setenv("FORERUN_LLVM", value.format(here=Path.cwd()))
    for words in (["optimize", "a.c", "--budget", "1"], ["doctor"]):
        code, _, err = run_forerun(*words)
        assert code == 3 and why in err and "apt-get install" in err


def test_the_library_of_another_version_than_the_compiler(
    run_forerun: Run, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.setenv("FORERUN_LLVM", "21" if "22" in compiler else "22")
    code, _, err = run_forerun("optimize", "a.c", "--cc", compiler)
    assert code == 3 and "library of LLVM" in err and "the setting `llvm`" in err


def test_a_compiler_that_is_none(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("fake").write_text("#!/bin/sh\necho 'gcc (Debian) 12.2.0'\n")
    Path("fake").chmod(0o755)
    Path("text").write_text("no program\n")
    Path("text").chmod(0o755)
    for name in ("./fake", "no-such-compiler", "./text", "./a.c", "."):
        code, _, err = run_forerun("optimize", "a.c", "--cc", name)
        assert code == 3 and "apt-get install" in err, (name, err)
    with pytest.raises(ToolMissing, match="is not clang"):
        forerun.optimize("a.c", compiler="./fake")
    monkeypatch.setenv("PATH", str(Path.cwd() / "empty"))
    assert run_forerun("optimize", "a.c", "--cc", "clang")[0] == 3


def test_where_nothing_can_be_written(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("a file")
    before = Path("a.c").read_bytes()
    Path("a.ll").write_text("define void @f() {\n  ret void\n}\n")
    for words, why in (
        (["a.c", "-o", "nowhere/a.o"], "no such folder"),
        (["a.c", "-o", "file/a.o"], "no such folder"),
        (["a.c", "-o", "a.c"], "overwrite a source"),
        (["a.ll", "-o", "./a.ll"], "overwrite a source"),
        (["a.c", "-o", "other.c"], "overwrite a source"),
        (["a.c", "-o", "-"], "no file"),
        (["a.c", "-o", "x.s"], "assembly is not written"),
        (["a.c", "a.ll", "-o", "file"], "is one file"),
        (["a.c", "a.ll", "-o", "both.o"], "is one file"),
        (["a.c", "a.ll", "-o", "build/"], "go to one place"),
        (["a.c", "--lock", "nowhere/lock"], "no such folder"),
        (["a.c", "--", "-o", "x.o"], "-o stands among the compiler's flags"),
    ):
        code, out, err = run_forerun("optimize", *words)
        assert (code, out) == (2, "") and why in err, (words, err)
    assert Path("a.c").read_bytes() == before and Path("file").read_text() == "a file"
    code, _, err = run_forerun("optimize", "a.c", "--lock", "file")
    assert code == 1 and "not a lock file" in err and "tried" not in err
    Path("folder").mkdir()
    assert run_forerun("optimize", "a.c", "-o", "folder", "--budget", "1")[0] == 0 and Path("folder/a.o").is_file()
    if Path("/proc").is_dir():
        code, _, err = run_forerun("optimize", "a.c", "-o", "/proc/a.o", "--budget", "1")
        assert code == 1 and "cannot write /proc/a.o" in err


def test_a_link_is_replaced_as_clang_replaces_it() -> None:
    Path("real.o").write_bytes(b"before")
    for name, target in (("link.o", "real.o"), ("dangling.o", "nowhere.o"), ("loop.o", "loop.o")):
        Path(name).symlink_to(target)
        write_atomically(Path(name), b"after")
        assert not Path(name).is_symlink() and Path(name).read_bytes() == b"after"
    assert Path("real.o").read_bytes() == b"before" and not Path("nowhere.o").exists()
    Path("null").symlink_to("/dev/null")
    write_atomically(Path("null"), b"gone")
    assert Path("null").is_symlink()


def test_a_link_to_a_lock_file_stays(run_forerun: Run) -> None:
    Path("kept").mkdir()
    Path("forerun.lock").symlink_to("kept/forerun.lock")
    assert run_forerun("optimize", "a.c", "--budget", "1", "--lock", "forerun.lock")[0] == 0
    assert Path("forerun.lock").is_symlink() and Path("kept/forerun.lock").is_file()


def test_the_library_refuses_what_the_command_refuses() -> None:
    wrong: list[dict[str, Any]] = [
        {"output": "nowhere/a.o"},
        {"output": "a.c"},
        {"output": "a.s"},
        {"flags": "-Oz"},
        {"flags": ["-Oz", "-o", "x.o"]},
        {"flags": None},
        {"flags": {"-Oz"}},
        {"flags": ["-DX=\0"]},
        {"output": ""},
        {"output": "."},
        {"output": "a\0.o"},
        {"output": 3},
        {"store": ""},
        {"compiler": ""},
        {"compiler": Path("clang")},
        {"seed": "x"},
        {"seed": 0.5},
        {"model": 3},
        {"budget": "soon"},
        {"budget": 0},
        {"objective": "beauty"},
        {"model": "oracle"},
    ]
    for words in wrong:
        with pytest.raises(forerun.UsageError) as raised:
            forerun.optimize("a.c", **words)
        assert len(str(raised.value).splitlines()) == 3, words
    assert not Path("nowhere").exists()
    assert forerun.optimize("a.c", budget="1s", flags=["-DX=1"], output="a.o").trials


def test_a_full_disk() -> None:
    """The limit on file sizes stands for it: the same calls fail, on any machine and for any user."""
    Path("a.o").write_bytes(b"before")
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (%d, %d)); "
    code = limited + "from forerun.cli import main; sys.exit(main(sys.argv[1:]))"
    for size, words in ((600, ["--no-store", "-o", "a.o"]), (20_000, ["--budget", "40"])):
        subprocess.run(command("optimize", "a.c", "--budget", "1"), env=environment(), capture_output=True, check=True)
        run = subprocess.run(
            [sys.executable, "-c", code % (size, size), "optimize", "a.c", "--budget", "1", *words],
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert run.returncode == 1 and run.stderr.count("forerun: ") == 1 and "Traceback" not in run.stderr, run.stderr
    assert Path("a.o").read_bytes() == b"before" and not leftovers()


def test_an_answer_that_cannot_be_printed() -> None:
    for words in (["tasks"], ["optimize", "a.c", "--budget", "1"]):
        with Path("/dev/full").open("w") as full:
            run = subprocess.run(command(*words), stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
        assert run.returncode == 1 and "No space left" in run.stderr and "Exception" not in run.stderr


def test_closed_streams_and_broken_pipes() -> None:
    shell = " ".join(command("optimize", "a.c", "--budget", "1", "-o", "out.o"))
    for streams in ("<&- >&-", ">&- 2>&-", "<&- >&- 2>&-", "| head -0"):
        Path("out.o").unlink(missing_ok=True)
        run = subprocess.run(["sh", "-c", f"{shell} {streams}"], env=environment(), capture_output=True, text=True)
        assert run.returncode == 0 and "Traceback" not in run.stderr, run.stderr
        assert read_object(Path("out.o").read_bytes()).text
    run = subprocess.run(
        ["sh", "-c", " ".join(command("optimize", "-", "<&-"))], env=environment(), capture_output=True, text=True
    )
    assert run.returncode == 1 and "standard input is empty" in run.stderr


def test_a_working_directory_that_was_deleted(tmp_path: Path) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && {' '.join(command('optimize', str(tmp_path / 'a.c')))}"
    run = subprocess.run(["sh", "-c", script], env=environment(), capture_output=True, text=True)
    assert run.returncode == 1 and "working directory" in run.stderr and "Traceback" not in run.stderr


def broken_stores(path: Path) -> list[Callable[[], object]]:
    def half_a_table() -> None:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE trials (x)")
        db.close()

    return [path.mkdir, lambda: path.write_bytes(b"no database" * 500), half_a_table]


@pytest.mark.parametrize("kind", range(3))
def test_a_store_that_cannot_be_used(run_forerun: Run, tmp_path: Path, kind: int) -> None:
    path = tmp_path / "cache" / "trials.sqlite"
    path.parent.mkdir(exist_ok=True)
    broken_stores(path)[kind]()
    code, out, err = run_forerun("optimize", "a.c", "--budget", "1", "-o", "out.o")
    assert (code, out) == (1, "") and "cannot be used" in err and "FORERUN_CACHE" in err
    assert run_forerun("optimize", "a.c", "--budget", "1", "--no-store")[0] == 0


def test_rows_of_a_store_that_are_damaged(run_forerun: Run, tmp_path: Path) -> None:
    assert run_forerun("optimize", "a.c", "--budget", "2")[0] == 0
    with sqlite3.connect(tmp_path / "cache" / "trials.sqlite") as db:
        db.execute("UPDATE trials SET answer = x'0102'")
    db.close()
    code, _, err = run_forerun("optimize", "a.c", "--budget", "2")
    assert code == 1 and "cannot be used" in err and "delete the file" in err


def test_a_cache_folder_that_is_a_file(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_CACHE", str(Path("a.c").resolve()))
    code, out, err = run_forerun("optimize", "a.c", "--budget", "1")
    assert (code, out) == (1, "") and "FORERUN_CACHE" in err


def test_two_at_once_on_one_new_store(tmp_path: Path) -> None:
    cache = {"FORERUN_CACHE": str(tmp_path / "shared")}
    both = [start("optimize", "a.c", "--budget", "12", "--format", "json", **cache) for _ in range(2)]
    answers = [(run.communicate(timeout=60), run.returncode) for run in both]
    assert [code for _, code in answers] == [0, 0], answers
    assert len({out for (out, _), _ in answers}) == 1


def running_with(cache: str) -> list[int]:
    """The processes that have this cache folder in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"FORERUN_CACHE={cache}\0".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return [process for process in found if process != os.getpid()]


def stored(cache: Path) -> int:
    try:
        with sqlite3.connect(cache / "trials.sqlite") as db:
            count = int(db.execute("SELECT count(*) FROM trials WHERE answer IS NOT NULL").fetchone()[0])
        db.close()
    except sqlite3.Error:
        return 0
    return count


def searching(cache: Path) -> subprocess.Popen[str]:
    """A long search that has stored something."""
    cache.mkdir()
    run = start("optimize", "a.c", "--budget", "300s", "--model", "uniform", "-o", "out.o", FORERUN_CACHE=str(cache))
    for _ in range(300):
        if stored(cache):
            return run
        time.sleep(0.1)
    run.kill()
    pytest.fail(f"it stored nothing in 30 s: {run.communicate()[1]}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_at_once_and_keeps_the_work(tmp_path: Path, number: signal.Signals) -> None:
    cache = tmp_path / "interrupted"
    run = searching(cache)
    began = time.monotonic()
    run.send_signal(number)
    _, err = run.communicate(timeout=20)
    assert run.returncode == 130 and time.monotonic() - began < 3
    assert "interrupted; what was measured is kept" in err and "Traceback" not in err
    assert stored(cache) and running_with(str(cache)) == [] and not Path("out.o").exists() and not leftovers()


def test_a_kill_in_the_middle_and_another_start(tmp_path: Path) -> None:
    cache = tmp_path / "killed"
    run = searching(cache)
    run.kill()
    run.communicate(timeout=20)
    known = stored(cache)
    run = start("optimize", "a.c", "--budget", "17", "--model", "uniform", "-o", "out.o", FORERUN_CACHE=str(cache))
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0 and read_object(Path("out.o").read_bytes()).text, err
    assert stored(cache) in (known, known + 1)  # nothing was measured twice: only the last draft is another
    for _ in range(40):
        if not running_with(str(cache)):
            return
        time.sleep(0.1)
    pytest.fail("a worker outlived the search that was killed")


def test_a_pass_that_crashes_and_one_that_never_ends(
    run_forerun: Run, monkeypatch: pytest.MonkeyPatch, plans: Callable[..., None], tmp_path: Path
) -> None:
    plans(SMALLER, ("default<O3>",) * 4000, ("function/free-machine-function",), ("no-such-pass",))
    monkeypatch.setenv("FORERUN_TIMEOUT", "1")
    code, out, err = run_forerun("optimize", "a.c", "-o", "out.o", "--format", "json")
    row = json.loads(out)[0]
    assert code == 0 and row["compilations"] == 4 and 0 < row["text_after"] < row["text_before"], err
    with sqlite3.connect(tmp_path / "cache" / "trials.sqlite") as db:
        errors = [
            str(row[0]).partition(":")[0]
            for row in db.execute("SELECT error FROM trials WHERE answer IS NOT NULL ORDER BY id")
        ]
    db.close()
    assert errors[:3] == ["", "timeout", "crash"] and errors[3]


def test_a_memory_limit_that_nothing_fits_in(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_MEMORY", "1")
    code, _, err = run_forerun("optimize", "a.c")
    assert code == 1 and "memory" in err and "Traceback" not in err


def test_a_huge_module_gets_fewer_compilations(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = "for (int i = 0; i < n; i++) {{ if (a[i] > {0}) s += a[i] * {0}; else s ^= a[i] << 3; }}"
    text = "".join(f"int f{i}(int *a, int n) {{ int s = {i}; {loop.format(i % 9)} return s; }}\n" for i in range(400))
    Path("huge.c").write_text(text)
    for module in ("tasks.passes", "minimise"):  # as with 300,000 instructions, in a fraction of the time
        monkeypatch.setattr(f"forerun.{module}.EFFORT", 40_000)
    code, out, err = run_forerun("optimize", "huge.c", "--no-store", "--format", "json")
    row = json.loads(out)[0]
    assert code == 0 and row["compilations"] in (1, 2) and "of 100 compilations are tried" in err
    assert row["text_after"] <= row["text_before"]


USAGE = [
    (["--budget", "0"], "not a budget"),
    (["--budget", "-3"], "not a budget"),
    (["--budget", "many"], "not a budget"),
    (["--budget", "0s"], "not a budget"),
    (["--budget", "infs"], "not a budget"),
    (["--budget", "nan"], "not a budget"),
    (["--budget", "1.5"], "not a budget"),
    (["--objective", "speed"], "invalid choice"),
    (["--format", "yaml"], "invalid choice"),
    (["--vocabulary", "all"], "invalid choice"),
    (["--seed", "x"], "invalid int"),
    (["--model", "oracle"], "no model is called 'oracle'"),
    *[([option, ""], f"nothing stands after {option}") for option in ("-o", "--budget", "--test", "--model", "--lock")],
    (["--cc="], "nothing stands after --cc="),
    (["--model", "uniform+"], "no model is called ''"),
    (["--vocabulary", "extended"], "needs --test"),
    (["--test", "true"], "-o build/"),
    (["--test", "true", "-o", "a.ll"], "-o build/"),
    (["--hot", "crc"], "--objective cycles"),
    (["--nonsense"], "forerun"),
    (["--", "-O0"], "unoptimised"),
    (["--", "-flto"], "-flto"),
    (["--", "b.c"], "2 input files"),
]


@pytest.mark.parametrize(("words", "why"), USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_usage_is_told_before_anything_is_done(run_forerun: Run, words: list[str], why: str) -> None:
    code, out, err = run_forerun("optimize", "a.c", *words)
    assert (code, out) == (2, "") and why in err and err.startswith("forerun: ") and err.count("\n") == 3
    assert sorted(f.name for f in Path().iterdir() if f.name != "cache") == ["a.c"]


def test_what_lies_in_the_working_folder_is_no_module() -> None:
    """Neither for the command nor for its workers."""
    for name in ("random", "numpy", "tokenizers"):
        Path(f"{name}.py").write_text(f"raise SystemExit('{name} of the working folder')\n")
    Path("bin").mkdir()
    Path("bin/python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    Path("bin/python3").chmod(0o755)
    words = [str(shutil.copy(ROOT / "bin" / "forerun", "bin")), "optimize", "a.c", "--budget", "3", "--format", "json"]
    run = subprocess.run(words, capture_output=True, text=True, env=environment())
    assert run.returncode == 0 and len(json.loads(run.stdout)) > 0, run.stderr


def test_wrong_usage_of_other_verbs(run_forerun: Run) -> None:
    for words, wanted in (
        (["nonsense"], 2),
        (["collect"], 2),
        (["collect", "nonsense"], 2),
        (["collect", "passes"], 2),
        (["collect", "passes", "--folder", "nowhere"], 1),
        (["collect", "passes", "--folder", ".", "--budget", "0"], 2),
        (["collect", "passes", "--folder", ".", "--model", "oracle"], 2),
        (["verify", "nowhere"], 2),
        (["verify"], 2),
        (["tasks", "x"], 2),
        (["models", "--format", "x"], 2),
    ):
        code, out, err = run_forerun(*words)
        assert (code, out) == (wanted, "") and err.startswith("forerun: "), (words, err)


def test_a_database_of_commands_that_is_broken(run_forerun: Run) -> None:
    entry = {"directory": str(Path.cwd()), "file": "a.c", "command": "cc -c a.c"}
    for text in ("{", "[3]", "{}", '[{"file": 3}]', json.dumps([entry | {"command": "'"}])):
        Path("compile_commands.json").write_text(text)
        code, out, err = run_forerun("collect", "passes", "--folder", ".", "--budget", "1")
        assert code in (1, 2) and not out and err.startswith("forerun: "), err
    gone = entry | {"file": "gone.c", "command": "cc -c gone.c"}
    Path("compile_commands.json").write_text(json.dumps([entry, gone]))
    code, out, err = run_forerun("collect", "passes", "--folder", ".", "--budget", "2", "--format", "json")
    assert code == 0 and json.loads(out)[0]["modules"] == 1 and "1 module left out" in err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", "abc"),
        ("timeout", "-1"),
        ("timeout", "inf"),
        ("workers", "0"),
        ("workers", "0.5"),
        ("workers", "inf"),
        ("memory", "nan"),
        ("objective", "speed"),
        ("cache", "~nobody-of-this-name/x"),
    ],
)
def test_wrong_settings(run_forerun: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"FORERUN_{name.upper()}", value)
    code, out, err = run_forerun("optimize", "a.c", "--budget", "1")
    assert (code, out) == (2, "") and name in err
    if name in ("timeout", "workers", "memory"):
        code, out, err = run_forerun("doctor")
        assert code == 2 and f"setting {name}" in out and f"FORERUN_{name.upper()}" in err


def test_settings_too_large_for_the_system_are_no_limit(run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_TIMEOUT", "1e300")
    monkeypatch.setenv("FORERUN_MEMORY", "1e30")
    assert run_forerun("optimize", "a.c", "--budget", "1")[0] == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[tool.forerun]\nfoo = 1\n", 2),
        ("[tool.forerun]\nobjective = [1]\n", 2),
        ("[tool]\nforerun = 3\n", 2),
        ("[tool.forerun\n", 0),
        ("tool = 3\n", 0),
        ("\x00\x01", 0),
        ("[tool.forerun]\nobjective = 'text'\n", 0),
    ],
)
def test_settings_of_a_project(run_forerun: Run, text: str, wanted: int) -> None:
    Path("pyproject.toml").write_text(text)
    code, out, err = run_forerun("optimize", "a.c", "--budget", "1", "--format", "json")
    assert code == wanted and (wanted == 0 or "pyproject.toml" in err)
    assert wanted or json.loads(out)[0]["objective"] == ("text" if "text" in text else "size")
    lost = "pyproject.toml does not parse" in err and "[tool.forerun] does not count" in err
    assert lost == (text == "[tool.forerun\n"), "somebody else's broken file is none of ours"


@pytest.mark.parametrize("arguments", [["predict", "a.py"], ["tune", "no.onnx"], ["doctor"]])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.forerun\n", "pyproject.toml does not parse"),
        ("[tool.forerun]\ntimeot = 3\n", "no such setting: timeot"),
        ("[tool.forerun]\ntimeout = 0\n", "the setting `timeout` must be a positive number"),
    ],
)
def test_every_command_reports_settings_that_do_not_count(
    run_forerun: Run, arguments: list[str], text: str, said: str
) -> None:
    if arguments[0] == "tune":
        pytest.importorskip("tvm_ffi")
    Path("pyproject.toml").write_text(text)
    Path("a.py").write_text("print(1)\n")
    code, _, err = run_forerun(*arguments)
    assert said in err and (code == 2 or text == "[tool.forerun\n"), err


def test_the_library_raises_the_same_errors() -> None:
    for make, error in (
        (lambda: forerun.optimize("missing.c"), InputError),
        (lambda: forerun.optimize("a.c", objective="speed"), UsageError),
        (lambda: forerun.optimize("a.c", model="oracle"), UsageError),
        (lambda: forerun.optimize("a.c", budget=0), UsageError),
        (lambda: improve.Options(budget=100), UsageError),  # type: ignore[arg-type]
        (lambda: forerun.optimize("a.c", flags=["-O0"]), UsageError),
        (lambda: forerun.optimize("a.c", compiler="no-such"), ToolMissing),
        (lambda: forerun.optimize("a.c", store=Path("a.c/store"), budget=1), forerun.ForerunError),
    ):
        with pytest.raises(error) as caught:
            make()
        assert caught.value.what


# Wrong, and right all the same with every pass of the compiler's own: an access behind the end of four allocated bytes.
WRONG = """
void *malloc(unsigned long);
void free(void *);
int peek(int i) { char *p = malloc(4); p[i] = 1; int found = p[i]; free(p); return found; }
static int twice(int x) { return x * 2; }
#define SUM(name) int name(const int *a, int n) {\\
  int s = 0; for (int i = 0; i < n; i++) if (a[i] > 3) s += twice(a[i]) * i; return s; }
SUM(sum) SUM(sum2) SUM(sum3) SUM(sum4)
"""
MAIN = """
int peek(int), sum(const int *, int);
int main(void) { int a[] = {5, 1, 7}; return !(peek(6) == 1 && sum(a, 3) == 28); }
"""
BREAKS = "function/bounds-checking"


@pytest.fixture
def test_command(compiler: str) -> str:
    Path("wrong.c").write_text(WRONG)
    Path("main.c").write_text(MAIN)
    return f"{compiler} -w main.c build/wrong.o -o program && ./program"


def test_a_miscompile_is_caught_named_and_left_out(
    run_forerun: Run, plans: Callable[..., None], test_command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The pass that breaks it makes it larger too, and would not outlive a search for shorter plans.
    monkeypatch.setattr(improve, "minimise", lambda task, source, result, pool, seconds: result)
    Path("good.c").write_text("int good(int x) { return x + 1; }\n")
    plans((SMALLER[0], BREAKS, *SMALLER[1:]))
    code, out, err = run_forerun(
        "optimize", "good.c", "wrong.c", "-o", "build/", "--test", test_command, "--format", "json"
    )
    row = json.loads(out)[1]
    assert code == 0 and f"wrong.c: the test fails with {BREAKS}" in err and "without it the test passes" in err
    assert BREAKS.partition("/")[2] not in row["pipeline"] and row["text_after"] < row["text_before"]
    assert subprocess.run(test_command, shell=True).returncode == 0  # noqa: S602
    assert read_object(Path("build/wrong.o").read_bytes()).text == row["text_after"]


def test_a_module_without_a_good_plan_keeps_the_compilers_object(
    run_forerun: Run, plans: Callable[..., None], test_command: str, compiler: str
) -> None:
    plans(SMALLER)
    subprocess.run([compiler, "-Oz", "-c", "wrong.c", "-o", "want.o"], check=True)
    test = "cmp -s build/wrong.o want.o"  # nothing but the compiler's own object will do
    code, out, err = run_forerun("optimize", "wrong.c", "-o", "build/", "--test", test, "--format", "json")
    row = json.loads(out)[0]
    assert code == 0 and "wrong.c: the test fails with " in err and "the compiler's own object" in err
    assert row["pipeline"] is None and row["gain"] == 0 and row["text_after"] == row["text_before"]


def test_a_test_that_fails_or_hangs_with_the_compilers_own_objects(
    run_forerun: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptance, "LONGEST_S", 0.5)
    Path("out.o").write_bytes(b"before")
    for test in ("false", "sleep 60", "exit 3", "no-such-program-of-this-name 2>/dev/null", "kill -9 $$"):
        began = time.monotonic()
        code, out, err = run_forerun("optimize", "a.c", "--budget", "1", "-o", "out.o", "--test", test)
        assert (code, out) == (1, "") and "compiler's own objects" in err and time.monotonic() - began < 20
        assert Path("out.o").read_bytes() == b"before" and not leftovers()


def test_a_test_that_is_not_steady_ends(compiler: str) -> None:
    options = improve.Options(budget=forerun.Budget(2), model="coreset")
    with Pool(1) as pool:
        done = improve.improve(improve.command_for("a.c", compiler), options, pool=pool)
        assert done.plan
        # Right with the compiler's objects once, never again.
        unsteady = "test ! -e seen && touch seen"
        with pytest.raises(GateFailed, match="not steady"):
            acceptance.accept([done], [Path("out.o")], unsteady, pool, lambda _: None)
    assert not Path("out.o").exists()


def test_extended_passes_with_a_test(run_forerun: Run, compiler: str) -> None:
    test = f"{compiler} -w a.o -o program && ./program > /dev/null"
    code, out, err = run_forerun(
        "optimize", "a.c", "--vocabulary", "extended", "--model", "uniform", "--budget", "25", "-o", "a.o",
        "--test", test, "--format", "json",
    )  # fmt: skip
    assert code == 0 and json.loads(out)[0]["compilations"] == 25, err
    assert subprocess.run(test, shell=True).returncode == 0  # noqa: S602
