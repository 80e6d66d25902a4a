"""The user's own compiler, driven with the user's own flags.

A compile command is read once. From it come the baseline object (the command as it is), the unoptimised IR (the same
flags, passes disabled), the object of optimised IR (the same flags again, passes still disabled), and the options with
which stock `llc` emits the same bytes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from forerun.errors import InputError, ToolMissing
from forerun.toolchains.llvm import lib
from forerun.toolchains.llvm.target import Target

C_SUFFIXES = (".c", ".i")
CXX_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".ii")
IR_SUFFIXES = (".ll", ".bc")
BITCODE = b"BC\xc0\xde"
"""How it begins."""
SUFFIXES = C_SUFFIXES + CXX_SUFFIXES + IR_SUFFIXES

# Options whose value is the next argument.
_PREPROCESSOR = ("-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-isysroot",
                 "-iwithprefix", "-iwithprefixbefore", "-ivfsoverlay", "-include-pch", "-cxx-isystem")  # fmt: skip
_DEPENDENCY = ("-MF", "-MT", "-MQ", "-MJ")
_OTHER = ("-x", "-target", "-arch", "--param", "-B", "-L", "-l", "-T", "-u", "-z", "-e", "-F", "-framework", "-Xlinker",
          "-Xassembler", "-Xpreprocessor", "-gcc-toolchain", "-resource-dir", "-working-directory",
          "--serialize-diagnostics", "-serialize-diagnostics", "--sysroot", "-stdlib")  # fmt: skip
_VALUED = frozenset((*_PREPROCESSOR, *_DEPENDENCY, *_OTHER, "-o", "-Xclang", "-mllvm")) - {"-stdlib"}

# What the compiler does between the front end and the object that a pass pipeline of ours would not do.
_REASONS = {
    "response files are not read": r"@",
    "the output is not a plain object": r"-flto|-fthinlto|-emit-llvm|-fembed-bitcode|-fwhole-program",
    "not a compilation to an object": r"-S$|-E$|-M$|-MM$|-fsyntax-only|--analyze|--precompile|-###|--version|-v$|--help"
    r"|-print-|-dump",
    "it speaks to the preprocessor": r"-Wp,(?!-[DU][^,]*$)|-Xpreprocessor",
    "instrumentation is inserted by the compiler's own pipeline": r"-fsanitize|-fprofile|-fcs-profile|-fcoverage"
    r"|--coverage|-ftest-coverage|-fmemory-profile|-fauto-profile|-fxray|-pg$|-finstrument|-fpseudo-probe",
    "it reaches into the compiler": r"-Xclang(?! -include)|-mllvm|-fpass-plugin|-fplugin|-Xarch|-cc1",
    "it asks for more outputs": r"-f?no-integrated-as|-femit-compact-unwind|--?save-(temps|stats)|-gsplit-dwarf"
    r"|-ftime-trace|-fsave-optimization-record|-foptimization-record|-fstack-usage|-MJ|--?serialize-diagnostics"
    r"|--write-(user-)?dependencies",
    "it asks for a report on the compilation": r"-R|-ftime-report|-fproc-stat-report",
    "it writes the command line into the object": r"-[fg]record-(command-line|gcc-switches)",
    "the library that measures does not know it": r"-femulated-tls",
    "its language extension needs the compiler's own pipeline": r"-fopenmp-targets|--offload|--cuda|-fcoroutines"
    r"|-fmodules|-fmodule|-Xopenmp",
    # Most long options are other names of short ones: of --output=a.o, for example.
    "a long option that is not read": r"--(?!(target|sysroot|gcc-toolchain|gcc-install-dir|std|stdlib|rtlib|unwindlib"
    r"|param)=|(sysroot|param|pedantic|pedantic-errors|no-default-config|(start|end)-no-unused-arguments)$)",
}
_REFUSED = tuple((re.compile(pattern), why) for why, pattern in _REASONS.items())


@dataclass(frozen=True, slots=True)
class Command:
    """One compilation of one file to one object: the compiler, its arguments, where it runs."""

    compiler: str
    arguments: tuple[str, ...]
    source: str
    output: str
    level: str
    directory: str = "."
    environment: Mapping[str, str] | None = field(default=None, compare=False, repr=False)
    stdin: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def flags(self) -> tuple[str, ...]:
        """The arguments that can change the code: without files, include paths, macros, dependencies and warnings."""
        kept = (a for a in _pairs(self.arguments) if a[0][:2] not in ("-W", "-M"))
        return tuple(w for a in kept if not _is_preprocessor(a) and not _is_file(a, self) for w in a)

    @property
    def is_ir(self) -> bool:
        """Whether the source is LLVM IR."""
        return _language(self.arguments) == "ir" or self.source.endswith(IR_SUFFIXES)


def looks_like_ir(data: bytes) -> bool:
    """Whether bytes that nobody named are LLVM IR, as text or bitcode."""
    return data.startswith((BITCODE, b"; ModuleID")) or b"\ndefine " in data[:100_000]


def read_command(argv: Sequence[str], directory: str = ".") -> Command | str:
    """A compile command, or the reason why it is not one that can be improved."""
    compiler, *arguments = argv
    words = list(_pairs(arguments))
    for word in words:
        for pattern, why in _REFUSED:
            if pattern.match(word[0] if len(word) < 4 else " ".join(word)):
                return f"{word[0]}: {why}"
    files = [w[0] for w in words if not w[0].startswith("-") or w[0] == "-"]
    if ["-c"] not in words:
        return "no -c: it links"
    if len(files) != 1:
        return f"{len(files)} input files"
    return _understood(compiler, arguments, words, files[0], directory)


def _understood(
    compiler: str, arguments: list[str], words: list[list[str]], source: str, directory: str
) -> Command | str:
    if any(word[0].startswith("-x") for word in words[words.index([source]) :]):
        return "-x stands behind the source: the compiler does not apply it"
    language = _language(arguments)
    if language not in ("", "none", "c", "c++", "cpp-output", "c++-cpp-output", "ir"):
        return f"-x {language}: not C, C++ or LLVM IR"
    if language in ("", "none") and not source.endswith(SUFFIXES):
        return f"{source}: not C, C++ or LLVM IR"
    level = _level(w[0] for w in words)
    if level == "0":
        return "-O0: the user asked for unoptimised code"
    outputs = [w[-1].removeprefix("-o") if len(w) == 1 else w[1] for w in words if w[0].startswith("-o")]
    output = outputs[-1] if outputs else f"{Path(source).stem}.o"
    if output == "-":
        return "the object goes to standard output"
    return Command(compiler, tuple(arguments), source, output, level, directory)


def with_stdin(command: Command, stdin: bytes | None) -> Command:
    """The command, reading its source from these bytes instead of a file."""
    return replace(command, stdin=stdin)


def compiler_version(compiler: str, environment: Mapping[str, str] | None = None) -> tuple[str, int]:
    """What a compiler says of itself, and clang's major version. Raises ToolMissing where it is no clang."""
    path = shutil.which(compiler, path=(environment or os.environ).get("PATH"))
    if path is None:
        raise ToolMissing(f"no compiler is called {compiler!r}", "it is not on the PATH", lib.INSTALL)
    status = Path(path).stat()
    return _version(path, status.st_mtime_ns, status.st_size)


@cache
def _version(path: str, _modified: int, _size: int) -> tuple[str, int]:
    try:
        run = subprocess.run(
            [path, "--version"], capture_output=True, encoding="utf-8", check=False, timeout=60, errors="replace"
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolMissing(f"{path} does not run", str(error), lib.INSTALL) from error
    line = run.stdout.partition("\n")[0]
    match = re.search(r"clang version (\d+)\.", line)
    if run.returncode or not match:
        raise ToolMissing(f"{path} is not clang", f"it says: {line or run.stderr.strip()[:80]}", lib.INSTALL)
    return line, int(match[1])


def default_compiler() -> str:
    """clang of the version of the preferred libLLVM that has one. Raises ToolMissing."""
    for location in lib.locations():
        names = (f"clang-{location.major}", f"/usr/lib/llvm-{location.major}/bin/clang", "clang")
        for name in (n for n in names if shutil.which(n)):
            try:
                if compiler_version(name)[1] == location.major:
                    return name
            except ToolMissing:
                continue
    lib.find()
    raise ToolMissing("no clang was found", "none has the version of LLVM's library", lib.INSTALL)


def tool(name: str, major: int) -> str:
    """A stock LLVM tool (`opt`, `llc`, `llvm-as`, `llvm-mca`) of one version. Raises ToolMissing."""
    for candidate in (f"{name}-{major}", f"/usr/lib/llvm-{major}/bin/{name}", f"/usr/lib64/llvm{major}/bin/{name}"):
        if found := shutil.which(candidate):
            return found
    raise ToolMissing(
        f"{name} of LLVM {major} was not found",
        "it is not on the PATH",
        f"install it with: apt-get install llvm-{major}",
    )


@dataclass(frozen=True, slots=True)
class Frontend:
    """What the front end made of a command: IR text, and what it said on stderr."""

    text: str
    said: bytes


def read_source(command: Command) -> bytes:
    """The bytes that the command compiles."""
    return (Path(command.directory) / command.source).read_bytes() if command.stdin is None else command.stdin


def front_end(command: Command, *, dependencies: bool = False, colour: bool = False) -> Frontend:
    """Unoptimised IR of the user's file with the user's flags. Raises InputError with the compiler's message.

    With `dependencies`, the dependency files that the command asks for are written, under the names it would give.
    """
    arguments = ["-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", *_dependencies(command, wanted=dependencies)]
    if colour:
        arguments.append("-fcolor-diagnostics")
    # The front end does not assemble: what the user wants of the assembler would bring a warning here.
    common = [word for word in _common(command, keep=True) if not word.startswith("-Wa,")]
    run = _run(command, [*common, *arguments, *_input(command), "-o", "-"])
    if run.returncode:
        raise _refused(command, run)
    return Frontend(run.stdout.decode("utf-8", "surrogateescape"), run.stderr)


def baseline(command: Command) -> bytes:
    """The object that the command makes, in a place of its own. Raises InputError with the compiler's message."""
    return _to_object(command, [*_common(command, keep=True), "-c", *_input(command)], command.stdin)


def says(command: Command) -> bytes:
    """All that the compiler says on stderr of a command that it can compile, its code generator's warnings included."""
    return _run(command, [*_common(command, keep=True), "-c", *_input(command), "-o", os.devnull]).stderr


def emit(command: Command, bitcode: bytes) -> bytes:
    """The object of optimised bitcode, with the user's flags and no further passes. Raises InputError."""
    arguments = [*_common(command, keep=False), "-w", "-Qunused-arguments", "-Xclang", "-disable-llvm-passes"]
    return _to_object(command, [*arguments, "-c", "-x", "ir", "-"], bitcode)


def target(command: Command) -> Target:
    """How the command emits code, in the words of `llc`. Raises InputError."""
    run = _run(command, [*_common(command, keep=True), "-c", *_input(command), "-###"])
    lines = [line for line in run.stderr.decode("utf-8", "replace").splitlines() if '"-cc1"' in line]
    if run.returncode or len(lines) != 1:
        raise _refused(command, run)
    words = shlex.split(lines[0])
    return Target(_after(words, "-triple"), command.level, tuple(_llc_options(words)))


def _llc_options(words: list[str]) -> Iterable[str]:
    """Options of `clang -cc1` as options of `llc`; attributes and module flags in the IR carry the others."""
    for theirs, ours in (
        ("-mrelocation-model", "relocation-model"),
        ("-mcmodel", "code-model"),
        ("-target-cpu", "mcpu"),
    ):
        value = _after(words, theirs) or next((w.split("=")[1] for w in words if w.startswith(f"{theirs}=")), "")
        if value:
            yield f"--{ours}={value}"
    for theirs, ours in (
        ("-ffunction-sections", "--function-sections"),
        ("-fdata-sections", "--data-sections"),
        ("-faddrsig", "--addrsig"),
        ("-femulated-tls", "--emulated-tls"),
        ("-fno-unique-section-names", "--unique-section-names=false"),
        ("-fstack-size-section", "--stack-size-section"),
        ("-enable-tlsdesc", "--enable-tlsdesc"),
        ("-gstrict-dwarf", "--strict-dwarf"),
        ("-fno-use-init-array", "--use-ctors"),
        ("-mrelax-all", "--mc-relax-all"),
        ("-gdwarf64", "--dwarf64"),
    ):
        if theirs in words:
            yield ours
    tuning = next((w.split("=")[1] for w in words if w.startswith("-debugger-tuning=")), "")
    if tuning:
        yield f"--debugger-tune={tuning}"
    kind = next((w.split("=")[1] for w in words if w.startswith("-debug-info-kind=")), "line-tables-only")
    if not kind.startswith("line-"):
        yield "--emit-call-site-info"  # clang decides it inside -cc1, for optimised code with types in its debug info


def _after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1] if option in words else ""


def _pairs(arguments: Iterable[str]) -> Iterable[list[str]]:
    """Arguments, each together with the value that follows it.

    `-Xclang -include-pch -Xclang FILE` is one, as CMake writes it for a precompiled header.
    """
    rest = deque(arguments)
    while rest:
        word = [rest.popleft()]
        if word[0] in _VALUED:
            word.append(rest.popleft() if rest else "")
        if word[0] == "-Xclang" and word[1] in ("-include-pch", "-include") and len(rest) > 1 and rest[0] == "-Xclang":
            word += [rest.popleft(), rest.popleft()]
        yield word


def _is_preprocessor(word: list[str]) -> bool:
    """Whether it is for the preprocessor alone; `-Xclang` is read no further than that."""
    return word[0] in _PREPROCESSOR or word[0][:2] in ("-I", "-D", "-U") or word[0] == "-Xclang"


def _language(arguments: Iterable[str]) -> str:
    """What the last `-x` says."""
    words = [w for w in _pairs(arguments) if w[0].startswith("-x")]
    return "" if not words else words[-1][-1] if len(words[-1]) == 2 else words[-1][0][2:]


def _level(options: Iterable[str]) -> str:
    level = "0"
    for option in options:
        if match := re.fullmatch(r"-O([0-9]*|s|z|g|fast)", option):
            level = {"": "1", "g": "1", "fast": "3", "4": "3"}.get(match[1], match[1])
    return level if level in "0123sz" else "3"


def _is_file(word: list[str], command: Command) -> bool:
    return word[0] in ("-o", "-c", "-x", command.source) or (word[0].startswith("-o") and len(word) == 1)


def _common(command: Command, *, keep: bool) -> list[str]:
    """The compiler and its flags without input, output and dependencies; `keep` what the front end needs."""
    words = [w for w in _pairs(command.arguments) if not w[0].startswith("-M") and not _is_file(w, command)]
    if not keep:
        words = [w for w in words if not _is_preprocessor(w)]
    return [command.compiler, *(part for word in words for part in word)]


def _input(command: Command) -> list[str]:
    language = _language(command.arguments)
    return [*(["-x", language] if language else []), command.source]


def _dependencies(command: Command, *, wanted: bool) -> list[str]:
    words = [w for w in _pairs(command.arguments) if w[0].startswith("-M")]
    if not wanted or not {"-MD", "-MMD"} & {w[0] for w in words}:
        return []
    named = {w[0][:3] for w in words}
    extra = [] if "-MF" in named else ["-MF", _with_d(command.output)]
    extra += [] if named & {"-MT", "-MQ"} else ["-MQ", command.output]
    return [part for word in words for part in word] + extra


def _with_d(output: str) -> str:
    """As clang names a dependency file: `.o` becomes `.d`, and `foo.` becomes `foo.d`."""
    folder, slash, name = output.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] if '.' in name else name}.d"


def _to_object(command: Command, arguments: list[str], stdin: bytes | None) -> bytes:
    # A file, not a pipe: the object writer seeks.
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        output = Path(folder) / "object.o"
        run = _run(replace(command, stdin=stdin), [*arguments, "-o", str(output)])
        if run.returncode or not output.is_file():
            raise _refused(command, run)
        return output.read_bytes()


def _run(command: Command, argv: list[str]) -> subprocess.CompletedProcess[bytes]:
    source: dict[str, object] = {"stdin": subprocess.DEVNULL} if command.stdin is None else {"input": command.stdin}
    try:
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            argv, capture_output=True, cwd=command.directory, env=command.environment, check=False, **source
        )
    except OSError as error:
        raise ToolMissing(f"{argv[0]} does not run", str(error), lib.INSTALL) from error


def _refused(command: Command, run: subprocess.CompletedProcess[bytes]) -> InputError:
    said = run.stderr.decode("utf-8", "replace").strip().splitlines()
    errors = [line for line in said if "error:" in line] or said or [f"exit status {run.returncode}"]
    if command.is_ir:
        todo = "IR of a newer LLVM is compiled by that version's clang: --cc clang-N"
    else:
        todo = f"see all that it says: {shlex.join([command.compiler, *command.arguments])}"
        if not any(map(_is_preprocessor, _pairs(command.arguments))):
            todo += "; what its build adds goes behind --, as in: -- -Iinclude -DNAME"
    why = errors[0] if len(errors) == 1 else f"{errors[0]} (and {len(errors) - 1} more)"
    return InputError(f"{command.compiler} cannot compile {command.source}", why, todo)
