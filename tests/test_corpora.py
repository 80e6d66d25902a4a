"""Corpora: what is read from a build, without a network."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from forerun.corpora import _apt, _recipes, _recording, debian
from forerun.corpora.units import Unit, compiled_file, load_compile_commands
from forerun.errors import ForerunError, ToolMissing, UsageError

CC = next((name for name in ("clang-22", "clang", "cc") if shutil.which(name)), "")
needs_build = pytest.mark.skipif(not CC or not shutil.which("make"), reason="needs a C compiler and make")


def database(folder: Path, *entries: object) -> Path:
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(list(entries)))
    return path


def test_both_forms_of_a_compilation_database(tmp_path):
    database(
        tmp_path,
        {"directory": "/b", "file": "../s/a.c", "command": "cc -DX='a b' -c ../s/a.c -o a.o"},
        {"directory": "/b", "file": "/s/b.cpp", "arguments": ["c++", "-c", "/s/b.cpp"], "output": "b.o"},
    )
    assert load_compile_commands(tmp_path, project="p") == [
        Unit("p", "unknown", "/b", "/s/a.c", ("cc", "-DX=a b", "-c", "../s/a.c", "-o", "a.o")),
        Unit("p", "unknown", "/b", "/s/b.cpp", ("c++", "-c", "/s/b.cpp")),
    ]


def test_a_file_is_kept_once_and_other_languages_are_left_out(tmp_path):
    first = {"directory": "sub", "file": "a.c", "command": "cc -c a.c -o 1.o"}
    again = {"directory": "sub", "file": "../sub/a.c", "command": "cc -c a.c -fPIC -o 2.o"}
    asm = {"directory": "sub", "file": "a.S", "command": "cc -c a.S"}
    link = {"directory": "sub", "file": "b.c", "command": "cc b.c -o b"}
    (unit,) = load_compile_commands(database(tmp_path, first, again, asm, link))
    assert unit.command[-1] == "1.o"
    assert unit.file == str(tmp_path / "sub/a.c")
    assert unit.project == tmp_path.name


def test_the_build_folder_is_searched_too(tmp_path):
    (tmp_path / "build").mkdir()
    database(tmp_path / "build", {"directory": "/b", "file": "a.c", "command": "cc -c a.c"})
    assert len(load_compile_commands(tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '[{"directory": "/"}]',
        '[{"file": "a.c"}]',
        '[{"file": "a.c", "command": 3}]',
        '[{"file": "a.c", "command": "cc \'"}]',
        '[{"file": "a.c", "arguments": [1]}]',
    ],
)
def test_a_broken_database_is_named(tmp_path, text):
    (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(ForerunError, match="is not a compilation database"):
        load_compile_commands(tmp_path)


def test_a_missing_database_says_how_to_make_one(tmp_path):
    with pytest.raises(ForerunError, match="CMAKE_EXPORT_COMPILE_COMMANDS"):
        load_compile_commands(tmp_path)


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("cc -c a.c", "/d/a.c"),
        ("cc -MF x.c -MT y.c -o z.c -include config.c -c sub/../a.cc", "/d/a.cc"),
        ("cc -I inc.c -c /s/a.c", "/s/a.c"),
        ("cc -c a.c b.c", None),
        ("cc a.c -o a", None),
        ("cc -c a.s", None),
        ("cc -c", None),
    ],
)
def test_the_compiled_file(command, file):
    assert compiled_file(command.split(), "/d") == file


ONE_LINE = """\
# the archive
deb [arch=amd64 signed-by=/k.gpg] https://archive.example/debian bookworm main contrib # why
deb-src https://archive.example/debian bookworm-updates main
deb https://archive.example/debian bookworm-updates main
#deb https://archive.example/debian bookworm-backports main
deb https://vendor.example/linux/debian bookworm stable
deb https://vendor.example/apt cloud-bookworm main
deb https://vendor.example/llvm/ llvm-toolchain-bookworm-22 main
deb cdrom
"""


def test_deb_src_of_one_line_sources():
    assert _apt.deb_src(ONE_LINE, "bookworm").splitlines() == [
        "deb-src [arch=amd64 signed-by=/k.gpg] https://archive.example/debian bookworm main contrib",
        "deb-src https://archive.example/debian bookworm-updates main",
    ]


DEB822 = """\
# See man sources.list
Types: deb
# a comment inside
URIs: https://archive.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: https://archive.example/debian
Suites: bookworm-security
Components: main

Types: deb deb-src
URIs: https://archive.example/security
Suites: bookworm-security
Components: main

Types: deb
URIs: https://vendor.example/node
Suites: nodistro
Components: main
"""


def test_deb_src_of_deb822_sources():
    first, second = _apt.deb822_src(DEB822, "bookworm").split("\n\n")
    assert first.startswith("Types: deb-src\nURIs: https://archive.example/debian\nSuites: bookworm bookworm-updates\n")
    assert "\n .\n abc\n" in first and "comment" not in first
    assert second.startswith("Types: deb-src\nURIs: https://archive.example/security\n")


def test_a_private_configuration_and_no_archive(tmp_path):
    etc, home = tmp_path / "etc", tmp_path / "home"
    (etc / "sources.list.d").mkdir(parents=True)
    with pytest.raises(ForerunError, match="no Debian archive"):
        _apt.configure(home, etc)
    (etc / "sources.list").write_text("deb https://archive.example/debian stable main\n")
    (etc / "sources.list.d/x.list.disabled").write_text("deb https://other.example/debian stable main\n")
    conf = _apt.configure(home, etc)
    assert f'Dir::State::Lists "{home}/lists";' in conf.read_text()
    assert (home / "sources/forerun.list").read_text() == "deb-src https://archive.example/debian stable main\n"


def test_codename(tmp_path):
    (tmp_path / "os").write_text('NAME="X"\nVERSION_CODENAME=trixie\n')
    assert _apt.codename(tmp_path / "os") == "trixie"
    assert _apt.codename(tmp_path / "none") == ""


def test_missing_tools_come_with_an_install_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="apt install apt"):
        debian.fetch("zlib", tmp_path)
    with pytest.raises(ToolMissing, match="no compiler 'clang-99'"):
        _recording.Compilers.found("clang-99")


@pytest.mark.parametrize("name", ["../etc", "-o", "Zlib", "", "a b"])
def test_a_name_that_no_package_can_have(name, tmp_path):
    with pytest.raises(UsageError):
        debian.fetch(name, tmp_path)


def test_what_is_fetched_is_not_fetched_again(monkeypatch, tmp_path):
    calls = []

    def download(name: str, folder: Path, home: Path) -> Path:
        calls.append(name)
        return folder / "x.dsc"

    monkeypatch.setattr(_apt, "download", download)
    monkeypatch.setattr(_apt, "unpack", lambda dsc, target: target.mkdir())
    assert debian.fetch("zlib", tmp_path) == debian.fetch("zlib", tmp_path) == tmp_path / "zlib/source"
    assert calls == ["zlib"]


DEP5 = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: debian/*
License: GPL-2+

Files: *
Copyright: 2001 Someone
License: Expat
 Permission is hereby granted
"""


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (DEP5, "Expat"),
        (DEP5.replace("Files: *", "Files:\n lib/*\n *"), "Expat"),
        ("It is free.", "see debian/copyright"),
        (DEP5.replace("Files: *", "Files: lib/*"), "see debian/copyright"),
    ],
)
def test_licence(tmp_path, text, short):
    (tmp_path / "debian").mkdir()
    (tmp_path / "debian/copyright").write_text(text)
    assert debian.licence(tmp_path) == short
    assert debian.licence(tmp_path / "none") == "see debian/copyright"


MAKEFILE = """\
all: a.o b.o conftest.o late.o
conftest.o: conftest.c
%.o: %.c
	$(CC) $(CFLAGS) -DNAME='"a b"' -c -o $@ $<
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    source = tmp_path / "demo/source"
    (source / "debian").mkdir(parents=True)
    (source / "debian/changelog").write_text("demo (1.0-1) stable; urgency=low\n")
    (source / "debian/copyright").write_text(DEP5)
    (source / "Makefile").write_text(MAKEFILE)
    for name in ("a", "b", "conftest"):
        (source / f"{name}.c").write_text(f"const char *{name}(void) {{ return NAME; }}\n")
    (source / "late.c").write_text("#error not today\n")
    return source


@needs_build
def test_a_build_records_what_compiled_and_why_it_stopped(package):
    report = debian.build_report(package, CC, ("-O1", "-DQ=x y"))
    assert [Path(unit.file).name for unit in report.units] == ["a.c", "b.c"]
    assert "exit status 2" in (report.error or "")
    unit = report.units[0]
    assert unit.project == "demo" and unit.licence == "Expat"
    compiler = _recording.Compilers.found(CC).c
    assert unit.command == (compiler, "-O1", "-DQ=x y", '-DNAME="a b"', "-c", "-o", "a.o", "a.c")
    subprocess.run(unit.command, cwd=unit.directory, check=True)
    assert not list(package.glob("*.o"))


def test_what_a_configuration_tries_is_not_recorded(tmp_path):
    recorder = _recording.Recorder(tmp_path, _recording.Compilers("/bin/cc", "/bin/c++"))
    recorder.write()
    for number, folder in enumerate((tmp_path, tmp_path / "b/CMakeFiles/CMakeScratch/TryCompile-x")):
        note = recorder.log(recorder.cxx) / str(number)
        note.write_text(f"{folder}\0-c\0{__file__[:-3]}.cpp\0")
    units = [recorder.unit(note, "p", "l") for note in sorted(recorder.log(recorder.cxx).iterdir())]
    assert [unit and unit.command[0] for unit in units] == ["/bin/c++", None]


@needs_build
def test_a_build_is_done_once_for_each_compiler_and_flags(package, caplog, monkeypatch):
    units = debian.build(package, CC)
    assert "kept 2 units" in caplog.text
    monkeypatch.setattr(_recording, "run_step", lambda *_: pytest.fail("built again"))
    assert debian.build(package, CC, ("-Oz",)) == units
    with pytest.raises(pytest.fail.Exception):
        debian.build(package, CC, ("-O2",))


@needs_build
def test_a_build_of_nothing_is_an_error(package):
    (package / "Makefile").write_text("all:\n\tfalse\n")
    with pytest.raises(ForerunError, match="nothing was compiled"):
        debian.build(package, CC)
    (package / "Makefile").write_text(MAKEFILE)
    assert debian.build(package, CC)  # tried again


@needs_build
def test_what_a_package_brings_is_not_made_again(package):
    (package / "Makefile").write_text(MAKEFILE + "a.c: a.y\n\tno-such-tool a.y\n")
    (package / "a.y").write_text("%%\n")
    os.utime(package / "a.c", (0, 0))
    assert {Path(unit.file).name for unit in debian.build(package, CC)} == {"a.c", "b.c"}


def test_a_folder_that_is_no_package(tmp_path):
    with pytest.raises(ForerunError, match="no Debian source package"):
        debian.build(tmp_path, "true")
    with pytest.raises(ForerunError, match="do not know how to build"):
        _recipes.guess_steps(tmp_path)


def test_a_step_that_hangs_is_stopped_with_its_children(tmp_path):
    with (tmp_path / "log").open("wb") as out:
        words = ["sh", "-c", "sleep 60 & echo $! > child; wait"]
        error = _recording.run_step(words, tmp_path, {"PATH": "/usr/bin:/bin"}, 0.5, out.fileno())
    assert error == "stopped after 0.5 s"
    # the signal is sent when the step returns, and it is the kernel's to carry it out
    child = Path("/proc") / (tmp_path / "child").read_text().strip() / "stat"
    until = time.monotonic() + 30
    while _alive(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _alive(child)


def _alive(stat):
    """Whether Linux still runs the process of this file; what only waits to be asked for its status does not run."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_c_plus_plus_compiler_that_belongs_to_a_c_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for c, cxx in (("clang-22", "clang++-22"), ("x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-g++-12"), ("cc", "c++")):
        for name in (c, cxx):
            (tmp_path / name).write_text("")
            (tmp_path / name).chmod(0o755)
        assert _recording.Compilers.found(c) == _recording.Compilers(f"{tmp_path}/{c}", f"{tmp_path}/{cxx}")


def test_groups_share_no_package():
    names = [*debian.PROJECTS, *debian.TRAIN, *debian.TEST, *debian.MORE]
    assert len(set(names)) == len(names)
    assert set(_recipes.RECIPES) <= set(names)
