"""The command line: one file a verb, imported when it is called."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from forerun.errors import ForerunError

VERBS = {
    "optimize": "make a C, C++ or LLVM IR file smaller, and show what did it",
    "cc": "compile as clang does, with smaller objects: forerun cc clang -Oz -c a.c",
    "verify": "replay a lock file with stock opt and llc, and compare bytes",
    "collect": "gather trials from corpora of real programs",
    "train": "learn what ships from stored trials",
    "tasks": "list the questions that can be asked",
    "models": "list the ways to answer them",
    "doctor": "show what was found on this machine, and every setting",
}
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 answered, 1 failed, 2 usage, 3 a tool is missing, 4 a gate failed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except ForerunError as error:
        print(f"forerun: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("forerun: interrupted; what was measured is kept", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader is gone: nothing to tell it, and Python must not try again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _dispatch(arguments: list[str]) -> int:
    verb = arguments[0] if arguments else "--help"
    if verb == "cc":  # everything after it belongs to the compiler
        return int(import_module("forerun.cli.cc").run(arguments[1:]))
    parser = parser_of(verb)
    own, compiler = _split(arguments)
    options = parser.parse_args(own or ["--help"])
    options.compiler = compiler
    code = int(import_module(f"forerun.cli.{verb}").run(options))
    sys.stdout.flush()
    return code


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what stands behind `--` for the compiler."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def parser_of(verb: str) -> argparse.ArgumentParser:
    """The parser of the command line, with the options of one verb."""
    from forerun import __version__

    parser = argparse.ArgumentParser(
        prog="forerun",
        description="Language models that read code, know what it costs, and make it better; "
        "every answer checked by the machine.",
    )
    parser.add_argument("--version", action="version", version=f"forerun {__version__}")
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in VERBS.items():
        # Only the verb that was asked for is imported: help answers at once.
        sub = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", add_help=name != "cc")
        if name == verb and name != "cc":
            import_module(f"forerun.cli.{name}").configure(sub)
    return parser
