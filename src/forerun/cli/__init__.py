"""The command line: one file a verb, imported when it is called."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import resource
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn

from forerun.errors import ForerunError, InputError, ToolMissing, UsageError, out_of_memory

VERBS = {
    "optimize": "make a C, C++ or LLVM IR file smaller, and show what did it",
    "cc": "compile as clang does, with smaller objects: forerun cc clang -Oz -c a.c",
    "verify": "replay a lock file with stock opt and llc, or the compiler where llc lacks a flag, and compare objects",
    "collect": "gather trials from corpora of real programs",
    "data": "tables of what was measured: from stored trials, from your own files, to CSV, JSON lines or Parquet",
    "predict": "say what programs, modules or networks will cost, before they run",
    "tune": "find fast kernels for a network, from a handful of measurements, each checked",
    "train": "learn what ships, or a model of your own from a table",
    "show": "draw the curves of a training",
    "eval": "judge predictors on what they have not learned from",
    "tasks": "list the questions that can be asked",
    "models": "list the ways to answer them",
    "doctor": "show what was found on this machine, and every setting",
}
INTERRUPTED = 130
_MEASURING = ("optimize", "collect", "tune", "train passes")
"""Commands that write down what they measure as they go."""


class NothingKept(KeyboardInterrupt):
    """An interrupt before anything was measured."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 answered, 1 failed, 2 usage, 3 a tool is missing, 4 a gate failed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        with _sigterm_interrupts():
            return _dispatch(arguments)
    except KeyboardInterrupt as stopped:
        keeps = " ".join(arguments).startswith(_MEASURING) and "--no-store" not in arguments
        keeps = keeps and not isinstance(stopped, NothingKept)
        kept = "; what was measured is kept" if keeps else ""
        print(f"forerun: interrupted{kept}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        forget_stdout()  # the reader is gone: nothing to tell it
        return 0
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        print(f"forerun: {told}", file=sys.stderr)
        return told.exit_code


def _told(error: Exception) -> ForerunError | None:
    """An error in three lines: one of ours, or of the machine's memory and files; none for what is a fault of ours."""
    # A library that does not fit into memory reads as one that is not installed, or as a file that is damaged.
    if isinstance(error, ToolMissing | InputError) or not isinstance(error, ForerunError):
        if out_of_memory(error):
            most = resource.getrlimit(resource.RLIMIT_AS)[0]
            limit = "" if most == resource.RLIM_INFINITY else f" within the limit of {most / 1e6:,.0f} MB (ulimit -v)"
            why = f"a library could not be loaded, or an array did not fit{limit}"
            return ForerunError(
                "there is not enough memory", why, "free some, raise the limit, or ask for less at once"
            )
        if isinstance(error, OSError):  # stdout on a full disk, a working directory that was deleted
            forget_stdout()
            what = f"cannot use {error.filename}" if error.filename else "input or output failed"
            todo = "look at the working directory, the disk's free space and its permissions"
            return ForerunError(what, error.strerror or str(error), todo)
    return error if isinstance(error, ForerunError) else None


@contextlib.contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does; once: the second one has its usual effect. Nothing where it is ignored, or
    for a caller that handles it."""

    def interrupt(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _open_streams() -> None:
    """Standard streams that the caller closed lead to nowhere; names that are no text in their encoding are escaped."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_stdout() -> None:
    """What reads it is gone. Python would try again, and complain, when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        self._negative_number_matcher = re.compile(r"-(\.?\d|inf|nan)")  # whoever reads -5MB says why not

    def error(self, message: str) -> NoReturn:
        """Raises UsageError: three lines, as every other error."""
        raise UsageError(f"wrong arguments of `{self.prog}`", message, f"see: {self.prog} --help")


def _dispatch(arguments: list[str]) -> int:
    verb = arguments[0] if arguments else "--help"
    if verb == "cc":  # everything after it belongs to the compiler
        return int(import_module("forerun.cli.cc").run(arguments[1:]))
    parser = parser_of(verb)
    own, compiler = _split(arguments)
    default = getattr(sys.modules.get(f"forerun.cli.{verb}"), "DEFAULT", "")
    if default and len(own) > 1 and own[1].startswith("-") and own[1] not in ("-h", "--help"):
        own.insert(1, default)
    try:
        options, unknown = parser.parse_known_args(own or ["--help"])
    except UsageError as error:
        raise UsageError(error.what, error.why, _dashed([*own, *compiler]) + _behind(compiler) + error.todo) from None
    if unknown:  # the parser of the first word would point to its own help
        todo = f"{_dashed(unknown)}see: forerun {verb} --help"
        if "folder" in options and not unknown[0].startswith("-"):
            todo = f"{_in_words_of_options(unknown[0], 'language' in options)}; {todo}"
        raise UsageError(f"wrong arguments of `forerun {verb}`", f"not known: {' '.join(unknown)}", todo)
    for before, word in pairwise(own):
        if re.fullmatch(r"(--[\w-]+=)?", word):
            todo = "leave it out, or give it a value"
            raise UsageError(f"wrong arguments of `forerun {verb}`", f"nothing stands after {word or before}", todo)
    options.compiler = compiler
    from forerun import settings

    if lost := settings.unread():
        print(f"forerun: {lost}", file=sys.stderr)
    code = int(import_module(f"forerun.cli.{verb}").run(options))
    with answering():
        sys.stdout.flush()
    return code


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """What is printed may have lost its reader, who had enough: the command goes on, as its exit code says more."""
    try:
        yield
    except BrokenPipeError:
        forget_stdout()


def _dashed(words: Sequence[str]) -> str:
    """How a file is named that is taken for an option, if there is one among the words."""
    named = [word for word in words if re.match("-.", word) and os.path.lexists(word)]
    return f"{named[0]} is a file: ./{named[0]}; " if named else ""


def _behind(compiler: Sequence[str]) -> str:
    """Where a file has to stand that stands behind `--`, if one does."""
    there = any(os.path.lexists(word) for word in compiler)
    return "what stands behind -- is for the compiler: name files before it; " if there else ""


def _in_words_of_options(word: str, languages: bool) -> str:
    """How a word that stands alone might have been meant where folders, and perhaps languages, are named by options."""
    if os.path.isdir(word):  # noqa: PTH112
        return f"a folder is named so: --folder {word}"
    return "a folder is named so: --folder DIR" + f", a language so: --language {word}" * languages


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what stands behind `--` for the compiler."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def parser_of(verb: str) -> argparse.ArgumentParser:
    """The parser of the command line, with the options of one verb."""
    from forerun import __version__

    parser = _Parser(
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
