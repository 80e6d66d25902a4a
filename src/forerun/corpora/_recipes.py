"""How Debian packages are built where their own files do not say it plainly; small data, no code of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forerun.errors import ForerunError


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one package is built where the guess of `guess_steps` is not enough.

    `steps` run in turn in the package's folder, without a shell; `{cc}`, `{cxx}` and `{flags}` are filled in,
    in `env` too, which comes over `ENV`.
    """

    package: str
    steps: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()


# Documentation is no unit, so its tools are answered by `true`.
ENV = {
    "CC": "{cc}",
    "CXX": "{cxx}",
    "CFLAGS": "{flags}",
    "CXXFLAGS": "{flags}",
    "MAKEINFO": "true",
    "HELP2MAN": "true",
    "LC_ALL": "C",
    "FORCE_UNSAFE_CONFIGURE": "1",
}


def configure(options: str = "", make: str = "make") -> tuple[str, ...]:
    """Autoconf: static, because shared libraries compile every file twice."""
    return f"./configure --disable-shared --disable-nls {options}".strip(), make


def cmake(options: str = "", source: str = ".") -> tuple[str, ...]:
    """CMake with an empty build type, which adds no -O of its own; the minimum lets CMake 4 read old projects."""
    base = f"cmake -S {source} -B b -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE= -DCMAKE_POLICY_VERSION_MINIMUM=3.5"
    return f"{base} {options}".strip(), "cmake --build b"


def make(arguments: str = "") -> tuple[str, ...]:
    """A plain Makefile, whose own assignments of CC would win over the environment."""
    return (f"make CC={{cc}} CXX={{cxx}} {arguments}".strip(),)


def each(folder: str, files: str, options: str = "") -> tuple[str, ...]:
    """Compiles each file alone, for programs whose Makefile compiles all at once."""
    loop = f"for f in {files}; do $CC $CFLAGS {options} -c $f || bad=1; done"
    return (f"sh -c 'cd {folder} && bad=0; {loop}; exit $bad'",)


GUESSES = {
    "CMakeLists.txt": cmake(),
    "configure": configure(),
    "configure.ac": ("autoreconf -fi", *configure()),
    "configure.in": ("autoreconf -fi", *configure()),
    "GNUmakefile": make(),
    "Makefile": make(),
    "makefile": make(),
}


def guess_steps(tree: Path) -> tuple[str, ...]:
    """The usual steps for the build system that `tree` has. Raises ForerunError where it has none."""
    for file, steps in GUESSES.items():
        if (tree / file).is_file():
            return steps
    raise ForerunError(f"do not know how to build {tree}", f"none of {', '.join(GUESSES)}", "add a Recipe for it")


# GSL is over 1,300 C files, more than all other packages of its group; these folders are 396 of them.
GSL = "gsl err sys complex poly cblas blas permutation sort statistics interpolation min roots randist cdf specfunc"
GSL_MAKE = f"sh -c 'for d in {GSL}; do make -C $d || exit 1; done'"

# Debian's rules write this header; its one macro names the folder of binary modules.
LUA_HEADER = """sh -c 'echo "#define DEB_HOST_MULTIARCH \\"lib\\"" > src/lua5.4-deb-multiarch.h'"""

# Patched files look newer than what was generated from them; the shipped ones are good.
NO_AUTOTOOLS = tuple((name, ":") for name in ("ACLOCAL", "AUTOCONF", "AUTOHEADER", "AUTOMAKE"))

# Clang 16 made an error of what was a warning when these were written.
NO_POINTER_ERROR = (("CFLAGS", "{flags} -Wno-incompatible-function-pointer-types"),)
NO_IMPLICIT_ERROR = (("CFLAGS", "{flags} -Wno-implicit-function-declaration"),)

# One author's programs: their configure reads no environment.
LZIP = ("./configure CXX={cxx} CXXFLAGS={flags}", "make")

RECIPES = {
    recipe.package: recipe
    for recipe in (
        Recipe("zlib", ("./configure --static", "make")),
        Recipe("lua5.4", (LUA_HEADER, *each("src", "l*.c", "-std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX"))),
        Recipe("libyaml", cmake("-DBUILD_TESTING=OFF")),
        Recipe("lz4", cmake(source="build/cmake")),
        Recipe(
            "bc",
            configure(make="make MAKEINFO=true"),
            (*NO_AUTOTOOLS, *NO_IMPLICIT_ERROR),
        ),
        Recipe("bearssl", make('CFLAGS="{flags}" lib tools')),
        Recipe("bzip2", make('CFLAGS="{flags} -D_FILE_OFFSET_BITS=64"')),
        Recipe("cjson", cmake("-DENABLE_CJSON_TEST=OFF -DENABLE_CJSON_UTILS=ON -DBUILD_SHARED_AND_STATIC_LIBS=OFF")),
        Recipe("discount", ("./configure.sh", "make"), NO_POINTER_ERROR),
        Recipe("duktape", each("src-separate", "*.c")),
        Recipe("ed", ("./configure CC={cc} CFLAGS={flags}", "make")),
        Recipe("figlet", make('CFLAGS="{flags}"')),
        Recipe("flac", cmake("-DWITH_OGG=OFF -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DINSTALL_MANPAGES=OFF")),
        Recipe("giflib", make("OFLAGS={flags} libgif.a libutil.a gifbuild giftext giftool gifclrmp")),
        Recipe("gsl", ("./configure --disable-shared", GSL_MAKE)),
        Recipe("http-parser", make("package test_fast parsertrace")),
        Recipe("hiredis", make(), NO_POINTER_ERROR),
        Recipe("jansson", cmake("-DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF")),
        Recipe("jimtcl", ("./configure --full --math", "make")),
        Recipe("json-c", cmake("-DBUILD_TESTING=OFF -DDISABLE_WERROR=ON")),
        Recipe(
            "libevent",
            cmake(
                "-DEVENT__DISABLE_TESTS=ON -DEVENT__DISABLE_SAMPLES=ON -DEVENT__DISABLE_BENCHMARK=ON"
                " -DEVENT__DISABLE_OPENSSL=ON -DEVENT__DISABLE_MBEDTLS=ON -DEVENT__LIBRARY_TYPE=STATIC"
            ),
        ),
        Recipe("libogg", configure()),
        Recipe("libonig", cmake("-DBUILD_TEST=OFF")),
        Recipe("libsodium", ("autoreconf -fi", *configure("--disable-asm"))),
        Recipe("libtomcrypt", make('-f makefile.unix CFLAGS="{flags}" libtomcrypt.a')),
        Recipe("libtommath", make('-f makefile.unix CFLAGS="{flags}" libtommath.a')),
        Recipe("libuv1", cmake("-DLIBUV_BUILD_TESTS=OFF -DBUILD_TESTING=OFF")),
        Recipe("lzip", LZIP),
        Recipe("lzo2", configure()),
        Recipe("mujs", each(".", "js*.c regexp.c utf.c main.c pp.c")),
        Recipe("nettle", configure("--disable-assembler --enable-mini-gmp --disable-documentation")),
        Recipe("opus", configure("--disable-doc --disable-intrinsics --disable-extra-programs")),
        Recipe("speex", configure("--disable-binaries")),
        Recipe("tcc", ("./configure --cc={cc}", "make CC={cc} ONE_SOURCE=no tcc")),
        Recipe("tinyxml2", cmake()),
        Recipe("box2d", cmake("-DBOX2D_BUILD_TESTBED=OFF -DBOX2D_BUILD_UNIT_TESTS=OFF")),
        Recipe("fmtlib", cmake("-DFMT_TEST=OFF")),
        Recipe("gddrescue", LZIP),
        Recipe("gperf", configure(), (("CXXFLAGS", "{flags} -std=gnu++98"),)),
        Recipe("indent", configure(), NO_IMPLICIT_ERROR),
        Recipe("jpegoptim", configure()),
        Recipe("lziprecover", LZIP),
        Recipe("muparser", cmake("-DENABLE_SAMPLES=OFF -DENABLE_OPENMP=OFF")),
        Recipe("re2", each(".", "re2/*.cc util/rune.cc util/strutil.cc", "-I.")),
        Recipe("yaml-cpp", cmake("-DYAML_CPP_BUILD_TESTS=OFF")),
    )
}
