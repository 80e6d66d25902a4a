"""The user's own test as a judge: what makes it fail is found, named, and left out.

A module that breaks the test is found by bisection over modules, then the pass by bisection over its plan. The plan
without that pass is tried; where it fails too, or saves nothing, the module keeps the compiler's own object.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forerun import improve
from forerun.core import Draft
from forerun.errors import ForerunError, GateFailed, InputError, UsageError
from forerun.files import write_atomically
from forerun.grammars.pipelines import Plan
from forerun.improve import Improved
from forerun.models.mix import Steps, compose
from forerun.sandbox import Pool
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object

Say = Callable[[str], None]
Pair = tuple[str, str]
"""A function's name ("" for the module) and a step."""

LONGEST_S = 3600.0
"""Seconds that a test may take with the compiler's own objects; later runs may take ten times what that took."""


def accept(done: Sequence[Improved], outputs: Sequence[Path | None], test: str, pool: Pool, say: Say) -> list[Improved]:
    """The modules such that the test passes with all of their objects in place.

    Raises UsageError without outputs, InputError where the test fails with the compiler's own objects, GateFailed where
    it passes and fails with the same ones. Then, and when it is interrupted, the files are what they were.
    """
    files = places(outputs)
    judge = _Judge(files, [improved.source.reference for improved in done], test)
    before = [file.read_bytes() if file.is_file() else None for file in files]
    try:
        judge.calibrate()
        return _accepted(done, judge, pool, say)
    except BaseException:
        _restore(files, before)
        raise


def places(outputs: Sequence[Path | None]) -> list[Path]:
    """Where a test finds the objects. Raises UsageError where an output is none."""
    found = [output for output in outputs if output and output.suffix not in (".ll", ".bc")]
    if len(found) < len(outputs):
        raise UsageError(
            "--test needs objects to test",
            "there is no -o, or it asks for IR",
            "say with -o where to write them: -o build/",
        )
    return found


def _accepted(done: Sequence[Improved], judge: _Judge, pool: Pool, say: Say) -> list[Improved]:
    accepted = list(done)
    while not judge.passes([improved.object for improved in accepted]):
        at = judge.first_bad(accepted)
        if accepted[at].plan is None:  # it has the compiler's own object, which passed
            raise GateFailed(
                f"the test is not steady: {judge.test}", "it passes and fails with the same objects", "make it steady"
            )
        accepted[at] = _mended(accepted, at, judge, pool, say)
    return accepted


def _restore(files: Sequence[Path], before: Sequence[bytes | None]) -> None:
    for file, data in zip(files, before, strict=True):
        with contextlib.suppress(ForerunError, OSError):
            if data is None:
                file.unlink(missing_ok=True)
            else:
                write_atomically(file, data)


@dataclass
class _Judge:
    places: Sequence[Path]
    originals: Sequence[bytes]
    test: str
    timeout_s: float = 0.0

    def calibrate(self) -> None:
        """Runs the test on the compiler's own objects, and takes its time: broken code may never end."""
        start, self.timeout_s = time.monotonic(), LONGEST_S
        if not self.passes(self.originals):
            raise InputError(
                f"the test fails with the compiler's own objects: {self.test}",
                f"or it did not end within {self.timeout_s:g} s: so it cannot tell whether a pass broke something",
                "make it pass first, and check that it uses the objects that -o names",
            )
        self.timeout_s = min(self.timeout_s, 10 + 10 * (time.monotonic() - start))

    def passes(self, objects: Sequence[bytes]) -> bool:
        """Whether the test succeeds with these objects in place."""
        for place, data in zip(self.places, objects, strict=True):
            write_atomically(place, data)
        process = subprocess.Popen(  # noqa: S602 - the user's own command
            self.test, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return process.wait(self.timeout_s) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(process)

    def first_bad(self, modules: Sequence[Improved]) -> int:
        """The module whose object breaks the test when those before it are in place, and those behind are not."""

        def good(n: int) -> bool:
            return self.passes([m.object for m in modules[:n]] + list(self.originals[n:]))

        return _first_false(len(modules), good) - 1


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the test and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _first_false(n: int, good: Callable[[int], bool]) -> int:
    """The smallest k in 1..n with good(k) false, given that good(0) holds and good(n) does not."""
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return high


def _mended(modules: Sequence[Improved], at: int, judge: _Judge, pool: Pool, say: Say) -> Improved:
    """The module without the pass that breaks the test, or with the compiler's own object."""
    broken = modules[at]
    before = [m.object for m in modules[:at]]
    behind = list(judge.originals[at + 1 :])
    assert broken.plan is not None
    pairs = _pairs(broken.plan)

    def good(n: int) -> bool:
        variant = _variant(broken, _plan(pairs[:n]), pool)
        return variant is None or judge.passes([*before, variant.object, *behind])

    culprit = _first_false(len(pairs), good) - 1
    name = broken.command.source
    say(f"{name}: the test fails with {pairs[culprit][1]}" + (f" on {pairs[culprit][0]}" if pairs[culprit][0] else ""))
    rest = _variant(broken, _plan([p for p in pairs if p[1] != pairs[culprit][1]]), pool)
    if rest and rest.result.gain > 0 and judge.passes([*before, rest.object, *behind]):
        say(f"{name}: without it the test passes")
        return rest
    say(f"{name}: keeps the compiler's own object")
    return _kept(broken)


def _variant(improved: Improved, plan: Plan, pool: Pool) -> Improved | None:
    """The same module with another plan, whether it is smaller or not; None where it cannot be built."""
    task, source = improved.task, improved.source
    measurement = next(m for _, m in pool.measure(task, source, [plan]))
    if not measurement.ok:
        return None
    try:
        bitcode = improve.apply(pool, task, source, plan)
        data = clang.emit(improved.command, bitcode)
    except ForerunError:
        return None
    trial = replace(improved.result.best, draft=Draft(plan, origin="bisection"), measurement=measurement)
    result = replace(improved.result, best=trial)
    return replace(improved, result=result, after=read_object(data), object=data, bitcode=bitcode)


def _kept(improved: Improved) -> Improved:
    result = replace(improved.result, best=improved.result.baseline)
    original = improved.source.reference
    return replace(improved, result=result, after=improved.before, object=original, bitcode=b"")


def _pairs(plan: Plan) -> list[Pair]:
    return [("", step) for step in plan.steps] + [(name, step) for name, steps in plan.functions for step in steps]


def _plan(pairs: Sequence[Pair]) -> Plan:
    lists: dict[str, Steps] = {}
    for name, step in pairs:
        lists[name] = (*lists.get(name, ()), step)
    return compose(lists.pop("", ()), lists)
