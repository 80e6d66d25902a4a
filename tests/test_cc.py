from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forerun.cc import objects
from forerun.cc.compile import _options
from forerun.cc.server import Request
from forerun.errors import ToolMissing, UsageError
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object
from tests.cc_bench import PROGRAM, Bench, prepare, wait_for


@pytest.fixture(scope="session")
def compiler() -> str:
    try:
        return str(shutil.which(clang.default_compiler()))
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, compiler: str) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared") / "cache", compiler)


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory, compiler: str, prepared: Path) -> Iterator[Bench]:
    # A short name: a cache with a long one keeps its sockets elsewhere.
    bench = Bench(tmp_path_factory.mktemp("cc"), compiler, prepared)
    yield bench
    bench.stop()


def test_the_object_is_smaller_and_the_program_works(bench: Bench) -> None:
    said = bench.compile("a.c", "-o", "a.o").stderr
    bench.plain("a.c", "-o", "plain.o")
    ours, theirs = (read_object((bench.folder / f).read_bytes()) for f in ("a.o", "plain.o"))
    assert ours.size < theirs.size and not ours.replaces(theirs), said
    bench.run(bench.compiler, "a.o", "-o", "a")
    assert bench.run(program=str(bench.folder / "a")).stdout == "33 \n"


def test_a_second_build_comes_from_the_cache_and_is_the_same(bench: Bench) -> None:
    bench.compile("a.c", "-o", "a.o")
    first = (bench.folder / "a.o").read_bytes()
    assert "from the cache" in bench.compile("a.c", "-o", "b.o").stderr
    assert (bench.folder / "b.o").read_bytes() == first
    bench.stop()
    shutil.rmtree(bench.cache / "objects")
    (bench.cache / "trials.sqlite").unlink()
    bench.environment["FORERUN_WORKERS"] = "1"
    bench.compile("a.c", "-o", "c.o")
    assert (bench.folder / "c.o").read_bytes() == first


def test_dependency_files_are_those_of_the_compiler(bench: Bench) -> None:
    (bench.folder / "out").mkdir()
    for words in (["-MD"], ["-MMD", "-MP"], ["-MD", "-MF", "x.d"], ["-MMD", "-MT", "all", "-MF", "out/y.d"]):
        files = []
        for tool in (bench.plain, bench.compile):
            tool("a.c", "-o", "out/a.o", *words)
            made = [f for f in bench.folder.rglob("*.d") if f.is_file()]
            files.append({str(f.relative_to(bench.folder)): f.read_bytes() for f in made})
            for file in made:
                file.unlink()
        assert files[0] == files[1] and files[0]


def test_a_syntax_error_is_told_once_with_the_compilers_exit_code(bench: Bench) -> None:
    (bench.folder / "bad.c").write_text("int f( { return 1; }\n")
    theirs, ours = (tool("bad.c", "-o", "bad.o", check=False) for tool in (bench.plain, bench.compile))
    assert ours.returncode == theirs.returncode != 0
    assert ours.stderr == theirs.stderr
    assert not (bench.folder / "bad.o").exists()


def test_warnings_are_told_once(bench: Bench) -> None:
    (bench.folder / "w.c").write_text("int f(int a) { int unused; return a; }\n")
    bench.environment.pop("FORERUN_VERBOSE")
    expected = bench.plain("-Wall", "w.c", "-o", "w.o").stderr
    assert "unused" in expected
    for _ in range(2):
        assert bench.compile("-Wall", "w.c", "-o", "w.o").stderr == expected


def test_warnings_of_the_code_generator_are_told(bench: Bench) -> None:
    (bench.folder / "w.c").write_text("void g(char *); void f(void) { char big[9000]; g(big); }\n")
    bench.environment.pop("FORERUN_VERBOSE")
    expected = bench.plain("-Wframe-larger-than=100", "w.c", "-o", "w.o").stderr
    assert "stack frame" in expected
    for _ in range(2):
        assert bench.compile("-Wframe-larger-than=100", "w.c", "-o", "w.o").stderr == expected


def test_the_warnings_of_an_attribute_are_told(bench: Bench) -> None:
    (bench.folder / "w.c").write_text('__attribute__((warning("not this"))) void g(void); void f(void) { g(); }\n')
    bench.environment.pop("FORERUN_VERBOSE")
    expected = bench.plain("w.c", "-o", "w.o").stderr
    assert "not this" in expected
    for _ in range(2):
        assert bench.compile("w.c", "-o", "w.o").stderr == expected


@pytest.mark.parametrize(
    "text",
    [
        '__asm__(".data\\n.globl d\\nd:\\n.incbin \\"data\\"\\n.text");\nextern int d; int f(void) { return d; }\n',
        'int f(void) { __asm__(".INCLUDE \\"data\\"\\n\\tnop"); return 1; }\n',
    ],
)
def test_what_reads_files_through_the_assembler_is_never_cached(bench: Bench, text: str) -> None:
    (bench.folder / "i.c").write_text(text)
    for locked in ("", "1"):
        bench.environment |= {"FORERUN_LOCK": "lock.toml", "FORERUN_LOCKED": locked}
        for data in (".byte 1,2\n", ".byte 3,4\n"):
            (bench.folder / "data").write_text(data)
            bench.plain("i.c", "-o", "plain.o")
            assert "it reads files through the assembler" in bench.compile("i.c", "-o", "i.o").stderr
            assert (bench.folder / "i.o").read_bytes() == (bench.folder / "plain.o").read_bytes()


def test_a_folder_that_is_absent_is_not_made(bench: Bench) -> None:
    theirs, ours = (tool("a.c", "-o", "nodir/x.o", check=False) for tool in (bench.plain, bench.compile))
    assert ours.returncode == theirs.returncode != 0 and theirs.stderr in ours.stderr
    assert not (bench.folder / "nodir").exists()


@pytest.mark.parametrize("budget", ["0", "-1", "0s", "-2s", "nans", "many"])
def test_a_budget_must_be_positive(budget: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_BUDGET", budget)
    with pytest.raises(UsageError, match="not a budget"):
        _options()


def test_a_budget_of_nothing_leaves_it_to_the_compiler(bench: Bench) -> None:
    bench.environment["FORERUN_BUDGET"] = "0"
    said = bench.compile("a.c", "-o", "a.o").stderr
    assert "not a budget" in said and "the real compiler runs" in said
    bench.plain("a.c", "-o", "plain.o")
    assert (bench.folder / "a.o").read_bytes() == (bench.folder / "plain.o").read_bytes()


def test_a_client_that_went_away_is_noticed_at_once() -> None:
    ours, theirs = socket.socketpair()
    request = Request(0o22, "/", "clang", (), {}, 1, 2, ours)
    with ours:
        ours.send(b".")  # a beat, which a killed client leaves unread
        assert not request.abandoned()
        theirs.close()
        assert request.abandoned()


def test_the_cache_keeps_within_its_size(tmp_path: Path) -> None:
    for i in range(20):
        objects.put(tmp_path, f"{i:02}aa", objects.Built({}, bytes(1000)))
        os.utime(tmp_path / f"{i:02}" / "aa", (i, i))
    assert objects.get(tmp_path, "00aa") is not None  # read: now the youngest
    objects.trim(tmp_path, 10_500)
    left = {f.parent.name for f in tmp_path.glob("*/*")}
    assert left == {"00", *(f"{i:02}" for i in range(13, 20))}


def test_what_is_no_compilation_needs_no_server(bench: Bench) -> None:
    assert "weigh" in bench.run(bench.compiler, "-E", "a.c").stdout
    bench.run(bench.compiler, "a.c", "-o", "linked")
    bench.run(bench.compiler, "-S", "a.c")
    assert (bench.folder / "linked").exists() and (bench.folder / "a.s").exists() and not bench.servers()


def test_what_cannot_be_improved_goes_to_the_real_compiler(bench: Bench) -> None:
    for words, why in ((["-flto"], "-flto"), (["-O0"], "-O0"), (["-fsanitize=address"], "instrumentation")):
        assert why in bench.compile("a.c", *words, "-o", "x.o").stderr
    if shutil.which("gcc"):
        assert "not clang" in bench.run("gcc", "-Os", "-c", "a.c", "-o", "g.o").stderr
        assert read_object((bench.folder / "g.o").read_bytes()).text


def test_the_reason_is_told_on_request_only(bench: Bench) -> None:
    del bench.environment["FORERUN_VERBOSE"]
    assert bench.compile("a.c", "-flto", "-o", "x.o").stderr == ""


def test_eight_clients_start_one_server(bench: Bench) -> None:
    started = [bench.start(bench.compiler, "-Oz", "-c", "a.c", "-o", f"{i}.o") for i in range(8)]
    for process in started:
        assert process.communicate(timeout=60)[0] is None and process.returncode == 0
    assert len({(bench.folder / f"{i}.o").read_bytes() for i in range(8)}) == 1
    assert len(bench.servers()) == 1


def test_a_server_that_is_killed_breaks_no_build(bench: Bench) -> None:
    bench.compile("a.c", "-o", "a.o")
    (bench.folder / "b.c").write_text(PROGRAM.replace("weigh", "other"))
    bench.environment["FORERUN_BUDGET"] = "300"
    started = bench.start(bench.compiler, "-Oz", "-c", "b.c", "-o", "b.o")
    for _ in range(2):  # the client tries twice, then runs the compiler itself
        time.sleep(0.4)
        for process in bench.servers():
            os.kill(process, signal.SIGKILL)
    started.communicate(timeout=60)
    assert started.returncode == 0 and read_object((bench.folder / "b.o").read_bytes()).text


def test_a_cache_that_cannot_be_written_breaks_no_build(bench: Bench) -> None:
    (bench.cache / "objects").write_text("a file stands where a folder is needed")
    said = bench.compile("a.c", "-o", "a.o").stderr
    assert "compilations); not kept: cannot write" in said and "the real compiler runs" not in said
    bench.plain("a.c", "-o", "plain.o")
    assert 0 < (bench.folder / "a.o").stat().st_size < (bench.folder / "plain.o").stat().st_size


def test_a_locked_build_without_a_lock_file_says_so(bench: Bench) -> None:
    bench.environment |= {"FORERUN_LOCKED": "1", "FORERUN_VERBOSE": "0"}
    assert "no lock file is named" in bench.compile("a.c", "-o", "a.o").stderr
    bench.environment["FORERUN_LOCK"] = str(bench.folder / "absent.lock")
    assert "absent.lock" in bench.compile("a.c", "-o", "b.o").stderr
    assert (bench.folder / "b.o").is_file()


def test_no_cache_at_all_breaks_no_build(bench: Bench) -> None:
    (bench.folder / "file").write_text("")
    bench.environment["FORERUN_CACHE"] = str(bench.folder / "file")
    run = bench.run("-m", "forerun", "cc", bench.compiler, "-Oz", "-c", "a.c", program=sys.executable)
    assert "the real compiler runs" in run.stderr and (bench.folder / "a.o").exists()


def test_a_damaged_cache_entry_is_made_again(bench: Bench) -> None:
    bench.compile("a.c", "-o", "a.o")
    entry = next(f for f in (bench.cache / "objects").rglob("*") if f.is_file())
    whole = entry.read_bytes()
    for damaged in (whole[:-3], whole[:200] + b"x" + whole[201:], b""):
        entry.write_bytes(damaged)
        assert "from the cache" not in bench.compile("a.c", "-o", "b.o").stderr
        assert (bench.folder / "b.o").read_bytes() == (bench.folder / "a.o").read_bytes()
    assert entry.read_bytes() == whole


def test_by_symlink(bench: Bench) -> None:
    (bench.folder / "bin").mkdir()
    name = Path(bench.compiler).name
    (bench.folder / "bin" / name).symlink_to(bench.client)
    bench.environment["PATH"] = f"{bench.folder / 'bin'}:{bench.environment['PATH']}"
    run = subprocess.run(
        [name, "-Oz", "-c", "a.c"], cwd=bench.folder, env=bench.environment, capture_output=True, text=True, check=True
    )
    assert "compilations" in run.stderr
    assert "clang version" in bench.run("--version", program=str(bench.folder / "bin" / name)).stdout


def test_the_server_ends_by_itself(bench: Bench) -> None:
    bench.environment["FORERUN_IDLE"] = "0.2"
    bench.compile("a.c", "-o", "a.o")
    wait_for(lambda: not bench.servers())
    assert "from the cache" in bench.compile("a.c", "-o", "a.o").stderr  # and another one starts


def test_closed_standard_streams(bench: Bench) -> None:
    command = f'"{bench.client}" {bench.compiler} -Oz -c a.c -o a.o <&- >&- 2>&-'
    bench.run("-c", command, program="/bin/sh")
    assert (bench.folder / "a.o").exists()


def test_output_to_dev_null_and_default_names(bench: Bench) -> None:
    bench.compile("a.c", "-o", "/dev/null")
    assert not Path("/dev/null").is_file()
    bench.compile("a.c")
    assert (bench.folder / "a.o").exists()


def test_paths_with_spaces_and_the_file_mode(bench: Bench) -> None:
    (bench.folder / "my dir").mkdir()
    (bench.folder / "my dir" / "ä b.c").write_text(PROGRAM)
    bench.compile("my dir/ä b.c", "-DX=a b", "-o", "my dir/ä b.o", umask=0o027)
    output = bench.folder / "my dir" / "ä b.o"
    assert output.stat().st_mode & 0o777 == 0o640


def test_an_interrupted_client_leaves_nothing_behind(bench: Bench) -> None:
    bench.compile("a.c", "-o", "a.o")
    (bench.folder / "b.c").write_text(PROGRAM.replace("weigh", "slow"))
    bench.environment["FORERUN_BUDGET"] = "400"
    # A process in the background may have to ignore it, and what it starts as well; a handler is not inherited.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    started = bench.start(bench.compiler, "-Oz", "-c", "b.c", "-o", "b.o")
    signal.signal(signal.SIGINT, before)
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=20)
    assert started.returncode != 0
    time.sleep(1.5)
    assert sorted(f.name for f in bench.folder.glob("*b.o*")) == []
    assert bench.servers()


def test_make_in_parallel(bench: Bench) -> None:
    names = [f"m{i}" for i in range(6)]
    for name in names:
        (bench.folder / f"{name}.c").write_text(f"int {name}(int a) {{ return a * {len(name)} + a; }}\n")
    rules = "all: " + " ".join(f"{n}.o" for n in names) + "\n"
    (bench.folder / "Makefile").write_text(rules)
    bench.run("-j8", f"CC={bench.client} {bench.compiler} -Oz", program="make")
    assert all((bench.folder / f"{n}.o").exists() for n in names) and len(bench.servers()) == 1


def test_a_changed_package_does_not_talk_to_the_old_server(bench: Bench) -> None:
    bench.compile("a.c", "-o", "a.o")
    old = bench.servers()
    config = Path(bench.client).with_name("server")
    lines = config.read_text().splitlines()
    lines[0], lines[5] = "0" * 16, "1 2 " + lines[5].split(" ", 2)[2]
    config.write_text("\n".join(lines) + "\n")
    assert "from the cache" in bench.compile("a.c", "-o", "a.o").stderr
    assert bench.servers() == old and config.read_text().splitlines()[0] != "0" * 16


def test_usage(bench: Bench) -> None:
    assert bench.run("-m", "forerun", "cc", program=sys.executable, check=False).returncode == 2
    assert "CMAKE_C_COMPILER_LAUNCHER" in bench.run("-m", "forerun", "cc", "--help", program=sys.executable).stdout
    assert bench.run("no-such-compiler", "-c", "a.c", check=False).returncode == 127
