"""`forerun cc COMPILER …`: hands over to the native client."""

from __future__ import annotations

import os
import sys

USAGE = """usage: forerun cc COMPILER [OPTION...]

Compile as COMPILER does, with smaller objects:  forerun cc clang -Oz -c a.c -o a.o
In make:   make CC="forerun cc clang -Oz"
In CMake:  cmake -DCMAKE_C_COMPILER_LAUNCHER="forerun;cc"
Symlink:   ln -s "$(forerun cc --path)" ~/bin/clang      (with ~/bin first on the PATH)

Everything that is not a compilation by clang to one object runs the real compiler, unchanged; FORERUN_VERBOSE=1 says
why. `forerun doctor` lists the settings: FORERUN_BUDGET, FORERUN_LOCK, FORERUN_CACHE and others.

  --path  print the path of the native client
  --help  show this text"""


def run(argv: list[str]) -> int:
    """Does not return where the client or the compiler can be started. Returns 2 for wrong usage."""
    if not argv or argv[0] == "--help":
        print(USAGE, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    if argv[0].startswith("-") and argv != ["--path"]:
        print(f"forerun: cc knows no option {argv[0]}\n{USAGE}", file=sys.stderr)
        return 2
    # Imported only now: help costs nothing.
    from forerun.cc import launch
    from forerun.errors import ForerunError

    if argv == ["--path"]:
        print(launch.client())
        return 0
    try:
        path = str(launch.client(argv[0]))
        os.execv(path, ["forerun-cc", *argv])
    except (ForerunError, OSError) as error:
        if os.environ.get("FORERUN_VERBOSE") == "1":
            print(f"forerun: {error}; the real compiler runs", file=sys.stderr)
        return launch.run_compiler(argv)
