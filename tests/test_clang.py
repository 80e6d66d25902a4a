"""Reading compile commands, and what is made of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from forerun import improve
from forerun.errors import InputError, ToolMissing
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object
from forerun.toolchains.llvm.target import Target


@pytest.mark.parametrize(
    ("line", "source", "output", "level"),
    [
        ("clang -Oz -c a.c", "a.c", "a.o", "z"),
        ("clang -O2 -Oz -c -o out/x.o src/a.cpp", "src/a.cpp", "out/x.o", "z"),
        ("clang -c a.c -O -ob.o", "a.c", "b.o", "1"),
        ("clang -I inc -D X=1 -include a.h -MF a.d -MMD -MT t -c a.c -O3", "a.c", "a.o", "3"),
        ("clang -x c -c weird -Os", "weird", "weird.o", "s"),
        ("clang -Ofast -c a.cc", "a.cc", "a.o", "3"),
        ("clang -c a.ll -Oz", "a.ll", "a.o", "z"),
        ("clang -Wp,-D_FORTIFY_SOURCE=2 -Oz -c a.c", "a.c", "a.o", "z"),
        ("clang -Oz -Xclang -include-pch -Xclang a.pch -Xclang -include -Xclang a.h -c a.c", "a.c", "a.o", "z"),
    ],
)
def test_commands_that_can_be_improved(line: str, source: str, output: str, level: str) -> None:
    command = clang.read_command(line.split())
    assert isinstance(command, clang.Command)
    assert (command.source, command.output, command.level) == (source, output, level)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("clang a.o -o a", "it links"),
        ("clang -Oz a.c -o a", "it links"),
        ("clang -Oz -S a.c", "not a compilation to an object"),
        ("clang -Oz -c a.c b.c", "2 input files"),
        ("clang -Oz -c", "0 input files"),
        ("clang -c a.c", "-O0"),
        ("clang -Oz -O0 -c a.c", "-O0"),
        ("clang -Oz -flto -c a.c", "not a plain object"),
        ("clang -Oz -fsanitize=address -c a.c", "instrumentation"),
        ("clang -Oz -fprofile-instr-generate -c a.c", "instrumentation"),
        ("clang -Oz -Xclang -load -c a.c", "reaches into the compiler"),
        ("clang -Oz -Xclang -load -Xclang p.so -c a.c", "reaches into the compiler"),
        ("clang -Oz -Xclang -include-pch -c a.c", "reaches into the compiler"),
        ("clang -Oz -c a.c -x c++", "-x stands behind the source"),
        ("clang -Oz -fpseudo-probe-for-profiling -c a.c", "instrumentation"),
        ("clang -Oz -c a.s", "not C, C++ or LLVM IR"),
        ("clang -Oz -x cuda -c a.cu", "not C, C++ or LLVM IR"),
        ("clang -Oz -c a.c -o -", "standard output"),
        ("clang @args -c a.c", "response files"),
    ],
)
def test_commands_that_are_left_alone_say_why(line: str, why: str) -> None:
    found = clang.read_command(line.split())
    assert isinstance(found, str) and why in found


@pytest.mark.parametrize(
    "flag",
    """-Wp,-MD,a.d -MJa.json --output=b.o --output --write-dependencies --write-user-dependencies -fstack-usage
    -frecord-command-line -grecord-command-line -grecord-gcc-switches -frecord-gcc-switches -foptimization-record-file=a
    -no-integrated-as -Rpass=inline -Rpass-missed=.* -ftime-report -ftime-report=per-pass -fproc-stat-report=a.csv
    --optimize=3 --include-directory=a --config=a.cfg --pedanticx --target --serialize-diagnostics""".split(),
)
def test_flags_whose_effect_would_be_lost_are_left_to_the_compiler(flag: str) -> None:
    found = clang.read_command(["clang", "-Oz", flag, "-c", "a.c"])
    assert isinstance(found, str) and found.startswith(f"{flag}: ")


def test_long_options_that_are_known() -> None:
    line = "clang -Oz --target=x86_64-linux-gnu --sysroot=/ --sysroot / --gcc-toolchain=/usr --std=c11 --param a=1"
    command = clang.read_command([*line.split(), "--pedantic", "-c", "a.c"])
    assert isinstance(command, clang.Command) and command.source == "a.c"


def test_flags_that_change_the_code_name_a_command() -> None:
    line = "clang -Oz -Iinc -DX=1 -Wall -MMD -MF a.d -g -fPIC -ffunction-sections -c a.c -o a.o"
    command = clang.read_command(line.split())
    assert isinstance(command, clang.Command)
    assert command.flags == ("-Oz", "-g", "-fPIC", "-ffunction-sections")


def test_a_precompiled_header_as_cmake_names_it(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text("#define TWICE(x) ((x) * 2)\n")
    (tmp_path / "a.c").write_text("int f(int x) { return TWICE(x); }\n")
    header, pch = str(tmp_path / "all.h"), str(tmp_path / "all.h.pch")
    subprocess.run([compiler, "-Oz", "-x", "c-header", header, "-o", pch], check=True)
    flags = ["-Oz", "-Xclang", "-include-pch", "-Xclang", pch, "-Xclang", "-include", "-Xclang", header]
    command = improve.command_for(str(tmp_path / "a.c"), compiler, flags)
    bitcode = subprocess.run(
        [compiler, *flags, "-emit-llvm", "-c", command.source, "-o", "-"], capture_output=True, check=True
    ).stdout
    assert "@f(" in clang.front_end(command).text
    assert clang.emit(command, bitcode) == clang.baseline(command)


def test_sections_for_other_tools_must_stay(compiler: str, c_file: Path) -> None:
    plain, measured = (
        read_object(clang.baseline(improve.command_for(str(c_file), compiler, ["-Oz", *more])))
        for more in ((), ("-fstack-size-section",))
    )
    assert plain.lacks(measured) == "it lacks sections of the reference: .stack_sizes"
    assert not measured.lacks(plain) and not plain.lacks(plain)


def test_emission_in_process_equals_the_compilers_bytes(compiler: str, c_file: Path) -> None:
    for flags in (["-Oz"], ["-O2", "-fPIC"], ["-Oz", "-ffunction-sections", "-fdata-sections"], ["-Oz", "-g"]):
        command = improve.command_for(str(c_file), compiler, flags)
        bitcode = subprocess.run(
            [compiler, *flags, "-emit-llvm", "-c", str(c_file), "-o", "-"], capture_output=True, check=True
        ).stdout
        assert clang.emit(command, bitcode) == clang.baseline(command), flags


def test_the_target_is_spelled_for_llc(compiler: str, c_file: Path) -> None:
    command = improve.command_for(str(c_file), compiler, ["-Oz", "-ffunction-sections", "-fno-pic", "-fno-pie"])
    target = clang.target(command)
    assert Target.parse(str(target)) == target
    assert target.function_sections and target.level == "z" and target.codegen_level == 2
    assert "--relocation-model=static" in target.options and "--addrsig" in target.options


@pytest.mark.parametrize("flags", [["-MMD"], ["-MD", "-MF", "deps/x.d"], ["-MMD", "-MP", "-MT", "target"]])
def test_dependency_files_are_those_of_the_plain_compiler(
    flags: list[str], compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.h").write_text("int f(void);\n")
    (tmp_path / "a.c").write_text('#include "a.h"\nint f(void) { return 1; }\n')
    (tmp_path / "deps").mkdir()
    argv = [compiler, "-Oz", *flags, "-c", "a.c", "-o", "sub.o"]
    subprocess.run(argv, check=True)
    made = {p: p.read_text() for p in tmp_path.rglob("*.d")}
    for path in made:
        path.unlink()
    command = clang.read_command(argv)
    assert isinstance(command, clang.Command)
    clang.front_end(command, dependencies=True)
    assert {p: p.read_text() for p in tmp_path.rglob("*.d")} == made and made


def test_what_does_not_compile_is_the_compilers_own_message(compiler: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.c"
    path.write_text("int f( {\n")
    with pytest.raises(InputError, match=r"bad\.c:1:8: error: expected") as caught:
        clang.front_end(improve.command_for(str(path), compiler))
    assert "cannot compile" in caught.value.what


def test_a_compiler_that_is_not_clang_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="is not clang"):
        clang.compiler_version("true")
    with pytest.raises(ToolMissing, match="not on the PATH"):
        clang.compiler_version("no-such-compiler")


def test_an_upgraded_compiler_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "cc"
    for version in ("21.1.0", "22.1.8"):
        path.write_text(f"#!/bin/sh\necho 'clang version {version}'\n")
        path.chmod(0o755)
        os.utime(path, ns=(0, int(version[:2])))
        assert clang.compiler_version(str(path)) == (f"clang version {version}", int(version[:2]))


def test_objects_are_read_as_readelf_reads_them(compiler: str, c_file: Path, tmp_path: Path) -> None:
    data = clang.baseline(improve.command_for(str(c_file), compiler, ["-Oz"]))
    found = read_object(data)
    path = tmp_path / "a.o"
    path.write_bytes(data)
    run = subprocess.run(["size", "-A", str(path)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in run.stdout.splitlines()[2:] if line.startswith(".")]
    sizes = {row[0]: int(row[1]) for row in rows}
    assert found.text == sizes[".text"]
    assert found.data == sum(s for n, s in sizes.items() if n.startswith((".rodata", ".data")))
    assert found.unwind == sizes[".eh_frame"]
    assert {s.name for s in found.defined} == {"crc", "sorted", "main"} and "printf" in found.needed
    assert found.replaces(found) == ""


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x7fELF\2\1" + b"\0" * 30, b"\x7fELF\2\1" + b"\xff" * 200, b"PE" * 99]
)
def test_what_is_no_object_is_a_clear_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        read_object(data)


def test_symbols_that_others_need_must_stay(compiler: str, tmp_path: Path) -> None:
    def made(text: str) -> bytes:
        path = tmp_path / "s.c"
        path.write_text(text)
        return clang.baseline(improve.command_for(str(path), compiler))

    both = read_object(made("int f(void){return 1;} int g(void){return 2;}"))
    one = read_object(made("int f(void){return 1;}"))
    calls = read_object(made("int h(void); int f(void){return h();}"))
    prints = read_object(made('int printf(const char *, ...); int f(void){return printf("%d", 1);}'))
    assert "symbol table differs: g" in one.replaces(both)
    assert "needs symbols that the reference does not: h" in calls.replaces(one)
    assert prints.replaces(one) == ""  # the C library's own
