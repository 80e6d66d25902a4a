"""A compiler that notes what it is asked to compile, and the steps of a build that calls it.

Works for any build system that honours CC and CXX, because it asks the build system nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forerun.corpora.units import Unit, compiled_file, once
from forerun.errors import ToolMissing

# One file an invocation, its words ended by NUL: no quoting to undo, and no writer waits for another.
# A note is withdrawn when the compiler fails, because a unit is a promise that its command works.
RECORDER = """#!/bin/sh
note=$(mktemp {log}/XXXXXXXXXXXX) && printf '%s\\0' "$PWD" "$@" > "$note"
{compiler} "$@"
status=$?
test $status = 0 || rm -f "$note"
exit $status
"""

# What a configuration asks of a compiler is not a program that anyone wrote. CMake compiles files of its own
# in such folders, so the folder tells as much as the file.
PROBE = re.compile(r"/conftest[^/]*$|/CMakeFiles/|/CMakeTmp/|/CMakeScratch/|/meson-private/|/config\.tests/")

PLUS = {"clang": "clang++", "gcc": "g++", "cc": "c++"}


@dataclass(frozen=True, slots=True)
class Compilers:
    """The absolute paths of a C compiler and of the C++ compiler that belongs to it."""

    c: str
    cxx: str

    @classmethod
    def found(cls, cc: str) -> Compilers:
        """From the name of the C compiler: clang-22 gives clang++-22, gcc gives g++. Raises ToolMissing."""
        c = shutil.which(cc)
        if c is None:
            raise ToolMissing(f"no compiler {cc!r}", "it is not on the PATH", "apt install clang")
        path = Path.cwd() / c
        cxx = path.with_name(re.sub(r"(?<![a-z])(clang|gcc|cc)(?![a-z+])", lambda c: PLUS[c[1]], path.name))
        return cls(c=str(path), cxx=shutil.which(str(cxx)) or str(path))


@dataclass(frozen=True, slots=True)
class Recorder:
    """A folder with a recording compiler for C and one for C++, and what they noted."""

    folder: Path
    compilers: Compilers

    @property
    def cc(self) -> Path:
        """The recording C compiler."""
        return self.folder / "bin-c" / Path(self.compilers.c).name

    @property
    def cxx(self) -> Path:
        """The recording C++ compiler."""
        return self.folder / "bin-c++" / Path(self.compilers.cxx).name

    def log(self, wrapper: Path) -> Path:
        """Where `wrapper` notes its invocations."""
        return wrapper.parent / "log"

    def write(self) -> None:
        """Creates both scripts, each under the name of its compiler: Makefiles look for "clang" in $(CC)."""
        for wrapper, compiler in ((self.cc, self.compilers.c), (self.cxx, self.compilers.cxx)):
            self.log(wrapper).mkdir(parents=True, exist_ok=True)
            log = shlex.quote(str(self.log(wrapper)))
            wrapper.write_text(RECORDER.format(log=log, compiler=shlex.quote(compiler)), encoding="utf-8")
            wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    def units(self, project: str, licence: str) -> list[Unit]:
        """What was compiled so far, each file once, in order; sources that are gone are left out."""
        notes = [note for wrapper in (self.cc, self.cxx) for note in self.log(wrapper).iterdir()]
        notes.sort(key=lambda note: (note.stat().st_mtime_ns, note.name))
        found = (self.unit(note, project, licence) for note in notes)
        return once(unit for unit in found if unit and Path(unit.file).is_file())

    def unit(self, note: Path, project: str, licence: str) -> Unit | None:
        """The unit of one invocation, or None where it compiled none or several, or was only a probe."""
        directory, *words = os.fsdecode(note.read_bytes()).split("\0")[:-1]
        compiler = self.compilers.c if note.parent == self.log(self.cc) else self.compilers.cxx
        command = (compiler, *words)
        file = compiled_file(command, directory)
        if file is None or PROBE.search(file) or PROBE.search(f"{directory}/"):
            return None
        return Unit(project, licence, directory, file, command)


@dataclass(frozen=True, slots=True)
class Build:
    """How a tree is built: commands, run in turn in `tree`, with `env` over the process's own environment.

    `{cc}`, `{cxx}` and `{flags}` stand for the recording compilers and the flags, in commands and values.
    """

    tree: Path
    steps: tuple[str, ...]
    env: Mapping[str, str]
    timeout_s: float

    def run(self, recorder: Recorder, flags: Sequence[str], log: Path) -> str | None:
        """Runs the steps, output to `log`; the first failure ends the build and is returned as one line."""
        recorder.write()
        known = {"cc": str(recorder.cc), "cxx": str(recorder.cxx), "flags": shlex.join(flags)}
        env = os.environ | {name: value.format(**known) for name, value in self.env.items()}
        with log.open("wb") as out:
            for step in self.steps:
                words = [word.format(**known) for word in shlex.split(step)]
                error = run_step(words, self.tree, env, self.timeout_s, out.fileno())
                if error:
                    return f"{step}: {error}"
        return None


def run_step(words: list[str], folder: Path, env: Mapping[str, str], timeout_s: float, out: int) -> str | None:
    """Runs one command in a process group of its own; what went wrong, or None."""
    try:
        process = subprocess.Popen(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    except OSError as error:
        return str(error)
    try:
        code = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return f"stopped after {timeout_s:g} s"
    finally:
        stop(process)
    return f"exit status {code}" if code else None


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends what is left of the step: make leaves its children running when it alone is killed."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
