"""Which lines of C a compiler reads here."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from shutil import which

import pytest

from forerun.models._conditionals import compiled


def read(*lines: str, plus: bool = False) -> str:
    """The names of the lines that stay, in their order."""
    return " ".join(line for line in compiled("\n".join(lines), plus)[0].split("\n") if not line.startswith("#"))


@pytest.mark.parametrize(
    "condition, stays",
    [
        ("if 0", "b"), ("if 1", "a"), ("if 0x0L", "b"), ("ifdef _WIN32", "b"), ("ifndef _WIN32", "a"),
        ("ifdef __linux__", "a"),
        ("if defined(_MSC_VER) || defined __APPLE__", "b"), ("if defined(_WIN32) || defined(__unix__)", "a"),
        ("if defined(HAVE_IT)", "a b"), ("if HAVE_IT && defined(_WIN64)", "b"), ("if HAVE_IT || __GNUC__ >= 3", "a"),
        ("if !defined(__x86_64__) /* no */", "b"), ("if __GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ >= 2)", "a"),
        ("if __has_include(<x.h>)", "a b"), ("if (", "a b"), ("if", "a b"), ("ifdef __cplusplus", "b"),
        ("if LEVEL(3)", "a b"),
        ("if UNKNOWN_THING + 1", "a b"), ("if MSC_VER", "b"), ("if defined _M_IX86 && !X", "b"),
        ("if 010 == 8 && 0b11 == 3", "a"), ("if 08", "a b"), ("if !!1 == 1 && !!!1 == 0", "a"),
        ("if __STDC_VERSION__ > 201710L", "b"), ("if 1 == 3 <= 2", "b"), ("if 0 == 3 <= 2", "a"),
    ],
)  # fmt: skip
def test_a_condition_decides_what_can_be_told(condition: str, stays: str) -> None:
    assert read(f"#{condition}", "a", "# else", "b", "#endif") == stays


def test_sides_after_the_one_that_is_read_are_not() -> None:
    chain = ("#if _WIN32", "a", "#elif defined(__linux__)", "b", "#elif HAVE_IT", "c", "#else", "d", "#endif", "e")
    assert read(*chain) == "b e"
    assert read("#ifdef HAVE_IT", "a", "#elif 1", "b", "#else", "c", "#endif") == "a b"
    text, unsure = compiled("#ifdef HAVE_IT\na\n#else\nb\n#endif\nc")
    assert text.split("\n") == ["#ifdef HAVE_IT", "a", "#else", "b", "#endif", "c"] and unsure == 2
    assert compiled("#if 1\na\n#endif")[0] == "a"


def test_names_that_the_text_defines_are_known_from_there_on() -> None:
    assert read("#ifdef MINE", "a", "#endif", "#define MINE", "#ifdef MINE", "b", "#else", "c", "#endif") == "a b"
    assert read("#define LEVEL 2", "#if LEVEL > 1", "a", "#endif", "#undef LEVEL", "#ifdef LEVEL", "b", "#endif") == "a"
    assert read("#ifdef IT", "#define MINE", "#endif", "#ifdef MINE", "a", "#endif") == "a"
    assert (
        read("#ifndef X_H", "#define X_H", "a", "#endif") == "a"
        and compiled("#ifndef X_H\n#define X_H\na\n#endif")[1] == 0
    )
    assert read("#ifdef __cplusplus", "a", "#else", "b", "#endif", plus=True) == "a"


def test_what_is_within_something_that_is_not_read_is_not() -> None:
    assert read("#if 0", "#if 1", "a", "#else", "b", "#endif", "c", "#elif 1", "d", "#endif") == "d"
    assert (
        read("#if 0", "#ifdef HAVE_IT", "a", "#else", "b", "#endif", "#define M 1", "#endif", "#if M", "c", "#endif")
        == "c"
    )


def test_lines_that_go_on_and_what_is_broken() -> None:
    assert read("#if defined(_WIN32) || \\", "    defined(__APPLE__)", "a", "#endif", "b") == "b"
    assert read("#endif", "#else", "a", "#if 1", "b") == "a b" and read("#if 0", "a") == "" and read("") == ""
    assert read(f"#if {'(' * 5000}1", "a", "#endif") == "a"
    assert read(f"#if {'!' * 100_000}1", "a", "#else", "b", "#endif") == "a"
    assert read("#if 0 && \\\r", " X\r", "a", "#else", "b", "#endif") == "b"


def test_what_stands_in_a_comment_tells_nothing() -> None:
    assert read("/* as in", "#if 0", "*/", "a", "#endif").endswith("*/ a")
    assert read('s = "/*";', "#if 0", "a", "#else", "b */", "#endif") == 's = "/*"; b */'
    assert read("// don't /*", "#if 0", "a", "#endif", "b") == "// don't /* b"


def test_macros_have_the_values_that_c_gives_them() -> None:
    assert read("#define F(x) 0", "#ifdef F", "a", "#else", "b", "#endif") == "a"
    assert read("#define F(x) 0", "#if F(1)", "a", "#else", "b", "#endif") == "a b"
    assert read("#define N 0x10UL", "#if N == 020", "a", "#else", "b", "#endif") == "a"
    assert read("#define N 3", "#ifndef N", "#define N 5", "a", "#endif", "#if N == 3", "b", "#endif") == "b"
    assert read("#ifdef __STDC_VERSION__", "a", "#else", "b", "#endif", plus=True) == "b"


def test_nested_conditions_take_time_in_proportion() -> None:
    began = time.process_time()
    text, _ = compiled("#if 1\n" * 20_000 + "x\n" * 20_000)
    assert text.count("x") == 20_000 and time.process_time() - began < 10


@pytest.mark.skipif(which("clang-22") is None, reason="compares with clang-22")
def test_what_is_left_out_clang_leaves_out(tmp_path: Path) -> None:
    """Every name that is thought to be there or not is so for the preprocessor."""
    names = (
        "__linux__ linux __unix__ __x86_64__ __LP64__ __SSE2__ __GNUC__ __clang__ _WIN32 _WIN64 WIN32 _MSC_VER"
        " __APPLE__ sun __MINGW32__ __CYGWIN__ __arm__ __aarch64__ __ARM_NEON __powerpc__ __AVX2__"
        " __SSE4_1__ __FreeBSD__ MSDOS __cplusplus __i386__ __ANDROID__ __STDC__ __ELF__"
    ).split()
    text = "\n".join(f"#ifdef {name}\nyes_{i}\n#else\nno_{i}\n#endif" for i, name in enumerate(names))
    (tmp_path / "a.c").write_text(text)
    said = subprocess.run(
        ["clang-22", "-E", "-P", "-std=gnu17", "-target", "x86_64-linux-gnu", str(tmp_path / "a.c")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert compiled(text)[0].split() == said.stdout.split()
