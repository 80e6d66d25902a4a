"""Whole projects as their users build them: how, what comes out, and what their own tests are. Data for `projects.py`.

Code comes from Debian source packages, fetched at run time; `programs/` holds a script of this repository. Commands run
with `sh` in the project's folder; `$CC` and `$CFLAGS` are the compiler and `-Oz`, which some makefiles must be told.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A test: its command must end with 0 and, where `same` is set, print what the plain build's prints."""

    command: str
    same: bool = False
    needs: str = ""
    """The environment variable without which it is left out."""


@dataclass(frozen=True, slots=True)
class Project:
    """A Debian source package: `configure` runs once in each copy, then `make` and `clean` as often as wanted."""

    package: str
    configure: tuple[str, ...]
    make: str
    clean: str
    library: str
    """The static library that comes out."""
    linked: tuple[str, ...]
    """Shared libraries and programs that come out."""
    checks: tuple[Check, ...]


def _autopkgtest(name: str) -> Check:
    """A test of the Debian package, with the build in place of the installed package."""
    there = 'PATH="$PWD:$PATH" LD_LIBRARY_PATH="$PWD" AUTOPKGTEST_TMP="$(mktemp -d -p "$PWD")"'
    return Check(f"{there} sh debian/tests/{name}")


_LUA_HEADER = "echo '#define DEB_HOST_MULTIARCH \"lib\"' > src/lua5.4-deb-multiarch.h"
_YAML = 'for f in examples/*.yaml regression-inputs/*; do echo "== $f"; {} "$f" 2>&1; echo "exit $?"; done'
_LZ4_TESTS = (
    "test-lz4-essentials test-lz4-opt-parser test-lz4-sparse test-lz4-skippable test-amalgamation listTest"
    " test-decompress-partial test-freestanding"
)

PROJECTS = (
    Project(
        "zlib",
        ("./configure",),
        "make",
        "make clean",
        "libz.a",
        ("libz.so", "minigzip"),
        (Check("make test"), Check("make infcover && ./infcover"), Check("./minigzip -9 < zlib.3.pdf", same=True)),
    ),
    Project(
        "lua5.4",
        # The author's own makefile: Debian's wants a libtool that its package makes, and sets -Os for three files.
        ("patch -R -p1 -s < debian/patches/0001-build-system.patch", _LUA_HEADER),
        'make -C src linux CC="$CC -std=gnu99" MYCFLAGS="$CFLAGS"',
        "make -C src clean",
        "src/liblua.a",
        ("src/lua", "src/luac"),
        (
            Check("make -C src test"),
            Check('src/lua "$OWN/check.lua"', same=True),
            Check('src/luac -l -l -s -o luac.out "$OWN/check.lua" | sed "s/0x[0-9a-f]*//g"; cksum luac.out', same=True),
            # The author's own tests come apart from the source: https://www.lua.org/tests/lua-5.4.4-tests.tar.gz
            Check(
                'rm -rf suite && cp -r "$LUA_TESTS" suite && cd suite && ../src/lua -e"_U=true" all.lua',
                needs="LUA_TESTS",
            ),
        ),
    ),
    Project(
        "libyaml",
        ("autoreconf -fi", "./configure"),
        "make",
        "make clean",
        "src/.libs/libyaml.a",
        ("src/.libs/libyaml.so",),
        (
            Check("make check"),
            *(
                Check(_YAML.format(f"tests/{program}"), same=True)
                for program in ("run-scanner", "run-parser", "run-loader", "run-emitter", "run-dumper")
            ),
        ),
    ),
    Project(
        "bzip2",
        (),
        'make CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" libbz2.a libbz2.so bzip2 bzip2recover',
        "make clean",
        "libbz2.a",
        ("libbz2.so", "bzip2"),
        (
            Check('make CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" test'),
            *(_autopkgtest(name) for name in ("compress", "compare", "grep")),
            Check("LD_LIBRARY_PATH=. ./bzip2 -9 < manual.ps", same=True),
        ),
    ),
    Project(
        "lz4",
        (),
        'make CC="$CC"',
        "make clean",
        "lib/liblz4.a",
        ("lib/liblz4.so", "lz4"),
        (
            # Without the tests of files of gigabytes; the fuzzers run 20 s each instead of 90 s.
            Check(f'make -C tests CC="$CC" {_LZ4_TESTS}'),
            Check('make -C tests CC="$CC" FUZZER_TIME=-T20s test-frametest test-fuzzer'),
            Check("./lz4 -9 -c < doc/lz4_manual.html", same=True),
        ),
    ),
)
