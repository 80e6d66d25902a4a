"""Programs that are measured, and programs that do their worst."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forerun import registry
from forerun.core import Source
from forerun.errors import ToolMissing, UsageError
from forerun.sandbox import Limits, Pool
from forerun.tasks.memory import Memory
from forerun.testing import check_toolchain
from forerun.toolchains.process import languages, runner
from forerun.toolchains.process.runner import Bounds, Spent, built
from forerun.toolchains.process.target import Target, processor

QUICK = Bounds(cpu_s=1)
MIB = 1 << 20
FILL = """\
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *volatile p = malloc(%d << 20);
  memset(p, 1, %d << 20);
  return p[12345] - 1;
}
"""


@pytest.fixture(params=["namespaces", "limits only"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both ways to shut a program in, where this machine has both."""
    if request.param == "namespaces" and not runner.confinable():
        pytest.skip("this kernel gives this user no namespaces")
    confined: bool = request.param == "namespaces"
    monkeypatch.setattr(runner, "confinable", lambda: confined)
    return confined


@pytest.fixture
def shut() -> None:
    """For what only namespaces can do."""
    if not runner.confinable():
        pytest.skip("this kernel gives this user no namespaces")


def run(language: str, text: str, stdin: bytes | None = None, bounds: Bounds = QUICK) -> Spent:
    with built(languages.named(language), text) as program:
        if program.compiled and program.compiled.error:
            return program.compiled
        return program.run(stdin, bounds)


def test_the_toolchain_keeps_its_laws() -> None:
    check_toolchain(registry.find("toolchains", "process")())
    with pytest.raises(UsageError, match="brainfuck"):
        languages.named("brainfuck")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", FILL % (64, 64)),
        ("python", "x = bytearray(64 << 20)"),
        ("perl", 'my $x = "a" x (64 << 20); print length $x'),
    ],
)
def test_a_known_amount_of_memory_is_measured(either: bool, language: str, text: str) -> None:
    nothing = {"c": FILL % (0, 0), "python": "pass", "perl": "1"}[language].replace("p[12345] - 1", "0")
    floor = run(language, nothing)
    found = run(language, text)
    assert not floor.error and not found.error
    # Perl makes the string at compile time and copies it.
    amount = (64 if language != "perl" else 128) * MIB
    assert found.memory_bytes - floor.memory_bytes == pytest.approx(amount, rel=0.03)


def test_the_floor_is_the_programs_and_not_ours(either: bool) -> None:
    ballast = bytearray(os.urandom(1 << 20) * 300)
    found = run("c", "int main(void) { return 0; }")
    assert not found.error and len(ballast) > 300_000_000
    assert found.memory_bytes < 4 * MIB


def test_children_count_whether_they_are_waited_for_or_not(either: bool) -> None:
    waited = run("perl", 'if (fork) { wait } else { my $x = "a"; $x x= 100 << 20; }')
    assert not waited.error and waited.memory_bytes > 100 * MIB
    left = run("perl", 'if (!fork) { setpgrp; my $x = "a"; $x x= 100 << 20; sleep 60 } select undef, undef, undef, .5')
    assert not left.error and left.memory_bytes > 100 * MIB and left.wall_s < 30


def test_cpu_time_is_what_the_program_itself_counts(either: bool) -> None:
    spin = "while (1) { my @t = times; last if $t[0] + $t[1] >= .5 }"
    assert 0.45 < run("perl", spin).cpu_s < 0.8
    both = run("perl", f"my $child = fork; {spin} wait if $child;")
    assert 0.9 < both.cpu_s < 1.6
    assert run("perl", "sleep 1").cpu_s < 0.2 < run("perl", "sleep 1").wall_s


def test_on_a_busy_machine_a_program_has_its_time() -> None:
    # Six processes on one core: by the clock it takes far longer than it may.
    text = """
import os, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for _ in range(5):
    if not os.fork():
        break
while time.process_time() < 0.5:
    pass
"""
    with built(languages.named("python"), text) as program:
        found = program.run(None, Bounds(cpu_s=1))
    assert not found.error and found.cpu_s > 0.5 and found.wall_s > 2


@pytest.mark.parametrize(
    ("language", "text", "error"),
    [
        ("c", "#include <stdlib.h>\nint main(void) { abort(); }", "crash: SIGABRT"),
        ("perl", "kill 11, $$; sleep 9", "crash: SIGSEGV"),
        ("perl", 'die "no luck\\n"', "exit status 255: no luck"),
        ("python", "import os\nos._exit(3)", "exit status 3"),
        ("python", "1 / 0", "exit status 1: ZeroDivisionError: division by zero"),
        ("python", "def f(:", "exit status 1: SyntaxError: invalid syntax"),
        ("c", "int main(void) { return x; }", "exit status 1: main.c:1"),
        ("perl", "sleep 60", "timeout: more than 2 s by the clock"),
        ("perl", "1 while 1", "timeout: more than 1 s of CPU time"),
        ("perl", 'print "x" x 99999 while 1', "output: a file of more than 16 MiB"),
        ("perl", 'open F, ">", "big"; print F "x" x 99999 while 1', "output: a file of more than 16 MiB"),
        ("perl", "my $x = <STDIN>; print 1", "input: it reads standard input"),
        ("python", "print(input())", "input: it reads standard input"),
        ("perl", "print while <>", "input: it reads standard input"),
    ],
)
def test_what_goes_wrong_has_a_name(either: bool, language: str, text: str, error: str) -> None:
    found = run(language, text)
    assert found.error.startswith(error), found
    assert found.wall_s < 30


def test_a_program_that_takes_too_much_memory_ends(either: bool) -> None:
    little = Bounds(cpu_s=5, memory_bytes=256 * MIB)
    assert run("python", "x = bytearray(1 << 30)", bounds=little).error.startswith("memory")
    many = "for (1 .. 4) { if (!fork) { my $x = 'a'; $x x= 90 << 20; sleep 20; exit } } 1 while wait > 0;"
    assert run("perl", many, bounds=little).error == "memory: more than 256 MiB"


def test_a_fork_bomb_ends_and_leaves_nothing(shut: None) -> None:
    found = run("perl", 'BEGIN { $0 = "forerun-bomb" } while (1) { fork }', bounds=Bounds(cpu_s=5, processes=64))
    assert found.error.startswith(("processes", "timeout")), found
    assert not named_processes("forerun-bomb")


def test_what_a_program_leaves_behind_is_ended(either: bool) -> None:
    text = 'BEGIN { $0 = "forerun-left" } if (!fork) { setpgrp; if (!fork) { setpgrp; sleep 60 } }'
    assert not run("perl", text).error
    assert not named_processes("forerun-left")


def named_processes(name: str) -> list[str]:
    def title(process: Path) -> bytes:
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""

    return [p.name for p in Path("/proc").glob("[0-9]*") if title(p).startswith(name.encode())]


def test_nothing_outside_is_written(shut: None, tmp_path: Path) -> None:
    places = [
        str(tmp_path / "x"),
        "../x",
        "../main.py",
        "/dev/shm/forerun-x",
        "/run/forerun-x",
        "/proc/sys/vm/swappiness",
    ]
    text = f"""
import os
for place in {places!r}:
    try:
        open(place, "w").write("60")
    except OSError as error:
        print(place, error.strerror)
open("x", "w").write("mine")
open(os.environ["HOME"] + "/y", "w").write("mine")
open("/dev/null", "w").write("gone")
assert not os.path.exists("/dev/kmsg") and os.listdir("/run") in ([], ["forerun-x"])
assert "CapEff:\\t0000000000000000" in open("/proc/self/status").read()
assert len([p for p in os.listdir("/proc") if p.isdigit()]) < 5
"""
    before = Path("/proc/sys/vm/swappiness").read_text()
    with built(languages.named("python"), text) as program:
        found = program.run(None, QUICK)
        assert not found.error, found
        said = (program.folder / "out").read_text()
        assert not (program.folder / "box" / "x").exists()
    assert not (tmp_path / "x").exists() and not Path("/dev/shm/forerun-x").exists()
    assert not Path("/run/forerun-x").exists() and Path("/proc/sys/vm/swappiness").read_text() == before
    assert f"{tmp_path}/x Read-only file system" in said


def test_what_a_killed_run_left_behind_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.tempfile, "tempdir", str(tmp_path))
    names = {"gone": f"forerun-{2**22 + 1}-a", "fresh": f"forerun-{2**22 + 1}-b", "ours": f"forerun-{os.getpid()}-c"}
    for name in names.values():
        (tmp_path / name / "box").mkdir(parents=True)
    for name in ("gone", "ours"):
        os.utime(tmp_path / names[name], (0, 0))
    runner._sweep.cache_clear()
    with built(languages.named("python"), "print(1)\n"):
        assert {each.name for each in tmp_path.iterdir()} > {names["fresh"], names["ours"]}
        assert not (tmp_path / names["gone"]).exists()


def test_there_is_no_network(shut: None) -> None:
    text = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 9), 1)\nexcept OSError:\n    print('none')"
    assert run("python", text).error == "network: it wants to reach another machine"


def test_all_files_together_are_bounded(shut: None) -> None:
    text = """
import sys
for number in range(99):
    try:
        open(str(number), "wb").write(bytes(9 << 20))
    except OSError:
        sys.exit(str(number))
"""
    assert run("python", text).error == "exit status 1: 28"


def test_an_input_is_read_and_may_be_ignored(either: bool) -> None:
    text = '#include <stdio.h>\nint main(void) { int x; return scanf("%d", &x) == 1 && x == 42 ? 0 : 1; }'
    assert run("c", text, b"42\n").error == ""
    assert run("c", text, b"41\n").error == "exit status 1"
    assert run("perl", "print 1", b"42\n").error == ""
    assert run("python", "import sys\nassert sys.stdin.read() == ''", b"").error == ""


def test_sources_are_bytes(either: bool) -> None:
    text = b"# -*- coding: latin-1 -*-\nassert len('\xe4') == 1".decode("utf-8", "surrogateescape")
    assert run("python", text).error == ""
    assert run("python", "").error == "" and run("perl", "").error == ""
    assert run("c", "").error


def test_tracemalloc_counts_what_python_allocates() -> None:
    with built(languages.named("python"), "x = bytearray(20_000_000)\nprint('50')") as program:
        assert program.traced_bytes(None, QUICK) == pytest.approx(20e6, rel=0.01)
    with built(languages.named("python"), "import os\nos._exit(0)") as program:
        assert program.traced_bytes(None, QUICK) is None


def test_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run("perl", 'mkdir "a"; open F, ">", "a/b"; print F 1; close F; chmod 0, "a"')
    assert not list(tmp_path.glob("forerun-*"))


def test_reserved_addresses_are_no_memory() -> None:
    # As the runtimes of Java, Go and JavaScript do; in a worker, whose own addresses are bounded.
    text = """\
#include <sys/mman.h>
int main(void) {
  return mmap(0, 16ull << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
}
"""
    source = Source(text, "c", "reserve.c", str(Target.here(languages.named("c"))))
    with Pool(1, Limits(60, 1 << 30)) as pool:
        found = next(m for _, m in pool.measure(Memory(repeats=1), source, [None]))
    assert found.ok and found.values["memory"] < 4 * MIB, found


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH without anything on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    languages.find.cache_clear()
    yield folder
    languages.find.cache_clear()


def test_a_missing_compiler_says_how_to_get_it(bare: Path) -> None:
    with pytest.raises(ToolMissing) as error:
        languages.find("c")
    assert error.value.todo == "install it with: apt-get install gcc"
    with pytest.raises(ToolMissing), Pool(1) as pool:
        list(pool.measure(Memory(), Source("int main;", "c", target="gcc 12 -O2; x86_64"), [None]))
    assert languages.find("python").version.startswith("cpython 3.")


def test_python_starts_without_what_its_packages_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_CACHE", str(tmp_path / "cache"))
    languages.find.cache_clear()
    try:
        tool = languages.find("python")
        told = "import sys, site; print(*sys.path, sep='\\n'); quit()"
        run = subprocess.run([tool.path, "-c", told], capture_output=True, text=True, check=True)
        assert "packages" not in run.stdout and str(tmp_path) in tool.path
        (tmp_path / "sealed").write_text("a file")
        monkeypatch.setenv("FORERUN_CACHE", str(tmp_path / "sealed"))
        languages.find.cache_clear()
        assert subprocess.run([languages.find("python").path, "-c", told], capture_output=True, check=True).stdout
    finally:
        languages.find.cache_clear()


def test_python_may_be_one_with_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    packages = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    (packages / "some_package.py").write_text("held = b'x' * 50_000_000\n", encoding="utf-8")
    program = "import some_package\nprint(len(some_package.held))\n"

    def spent() -> Spent:
        languages.find.cache_clear()
        with built(languages.named("python"), program) as found:
            return found.run(None, Bounds())

    try:
        assert "some_package" in spent().error
        monkeypatch.setenv("FORERUN_PYTHON", str(tmp_path / "env" / "bin" / "python"))
        took = spent()
        assert not took.error and took.memory_bytes > 50_000_000
        assert languages.find("python").version == f"cpython {sys.version.split()[0]}"
        for wrong in (tmp_path / "nowhere", Path(shutil.which("true") or "/bin/true")):
            monkeypatch.setenv("FORERUN_PYTHON", str(wrong))
            with pytest.raises(UsageError, match="python"):
                spent()
    finally:
        languages.find.cache_clear()


@pytest.mark.parametrize(
    ("name", "says", "version"),
    [("gawk", "GNU Awk 5.1.0, API: 3.0", "gawk 5.1.0"), ("mawk", "mawk 1.3.4 20200120", "mawk 1.3.4")],
)
def test_any_awk_will_do(name: str, says: str, version: str, bare: Path) -> None:
    tool, shell = bare / name, shutil.which("sh", path=os.defpath) or "/bin/sh"
    tool.write_text(f'#!{shell}\n[ "$1 $2" = "-W version" ] && echo "{says}" && exit\nexit 2\n')
    tool.chmod(0o755)
    assert languages.find("awk").version == version


def test_the_highest_version_is_taken(bare: Path) -> None:
    shell = shutil.which("sh", path=os.defpath) or "/bin/sh"
    for version in ("9", "14", "22"):
        (bare / f"clang-{version}").write_text(f"#!{shell}\necho clang version {version}.1.2\n")
        (bare / f"clang-{version}").chmod(0o755)
    (bare / "clang-format-99").symlink_to(bare / "clang-9")
    found = languages.find("c")
    assert (found.version, found.path) == ("clang 22.1.2", str(bare / "clang-22"))
    assert languages.version_class(found) == "clang 22"


def test_names_come_from_the_text() -> None:
    def file(language: str, text: str) -> dict[str, str]:
        names = languages.named(language).names
        assert names
        return dict(names(text))

    java = "package a.b;\ninterface X {}\npublic class Y { }\nclass Z { public static void main(String[] a) {} }"
    assert file("java", java) == {"public": "Y", "entry": "a.b.Z"}
    assert file("java", "class A {}\nclass B {\n class C {}\n static void main(") == {"public": "B", "entry": "B"}
    assert file("ada", "with X;\nprocedure Hello_World is") == {"unit": "hello_world"}
    assert file("fortran", "c comment\n      program x\n      end") == {"form": "f"}
    assert file("fortran", "! comment\nprogram x\nend") == {"form": "f90"}


def test_a_target_is_read_as_it_is_written() -> None:
    row = languages.named("python")
    for stdin in (None, b"", b"12\n"):
        target = Target.here(row, stdin)
        assert Target.parse(str(target)) == target and bool(target.stdin) == (stdin is not None)
    with pytest.raises(ValueError, match="not how a program runs"):
        Target.parse("a; b; c")


def test_signals_are_not_ignored(either: bool) -> None:
    text = """
import signal
for name in ("SIGHUP", "SIGTERM", "SIGCHLD", "SIGUSR1"):
    assert signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN, name
assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
"""
    assert run("python", text).error == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz", "Intel Core i7-9750H"),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7763 64-Core"),
        ("AMD EPYC", "AMD EPYC family 25 model 17"),
        ("Intel(R) Xeon(R) Processor @ 2.20GHz", "Intel Xeon family 25 model 17"),
    ],
)
def test_processors_are_told_apart(name: str, words: str) -> None:
    text = f"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: {name}\nstepping\t: 1\n"
    assert " ".join(processor(text * 2)) == words
    assert processor("processor\t: 0\nBogoMIPS\t: 50.00\n") == []


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (["0xd0c", "0xd0c"], "implementer 0x41 part 0xd0c"),
        (["0xd03", "0xd03", "0xd09"], "implementer 0x41 part 0xd03 0xd09"),
    ],
)
def test_an_aarch64_is_told_by_its_parts(parts: list[str], words: str) -> None:
    """It has no name in what Linux says of it."""
    said = (
        "processor\t: {}\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd crc32 atomics asimddp\nCPU implementer\t: 0x41\n"
        "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: {}\nCPU revision\t: 1\n\n"
    )
    assert " ".join(processor("".join(said.format(*each) for each in enumerate(parts)))) == words
