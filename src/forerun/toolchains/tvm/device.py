"""Where kernels run: a processor or GPU of this machine, or another machine's.

What TVM compiled is loaded there, tensors live there, and its clock is the one that counts.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from forerun import settings
from forerun.clock import interleaved
from forerun.errors import ToolMissing, UsageError, reason
from forerun.sandbox import Limits, Pool, broken
from forerun.toolchains.llvm import clang
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load, use_threads
from forerun.toolchains.tvm.remote import Remote

Timer = Callable[[int, int], Sequence[float]]
"""Seconds of one run, for each sample: of how many runs a sample is, and how many samples."""

NO_LIMIT = 1 << 60
"""Bytes of addresses."""
IMPORTS = ("forerun.toolchains.tvm._imports",)
"""What workers begin with that measure tensor programs on a processor, or read networks."""
_ASKING_S = 60.0
_INTRINSICS_S = 20.0
"""A worker's first measurement for a GPU may wait for TVM's tensor intrinsics: 2 seconds of a fast, idle core."""
_BUILDERS = 8
"""Workers that build at once, at most: a round of a tuning has no more candidates."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where kernels are to run: a target, and the machine that has it; this one where none is named."""

    target: str
    remote: Remote | None = None


class Device:
    """One of this machine."""

    def __init__(self, target: str) -> None:
        """Raises ToolMissing where there is none."""
        self.handle, self.own = handle(target), True
        self.timed_here = targets.device(target) == "cpu"
        """Whether the kernel is done when its call returns."""
        self.single = self.timed_here and targets.threads(target) == 1
        """Whether what others do meanwhile hardly slows it."""
        use_threads(targets.threads(target))

    def loaded(self, made: Any) -> Any:
        """A module that runs, of what TVM compiled."""
        return made.jit()

    def tensor(self, array: Any) -> Any:
        """A copy of a NumPy array."""
        return load().runtime.tensor(array, self.handle)

    def timer(self, module: Any, name: str, *arguments: Any, turns: Sequence[Sequence[Any]] = ()) -> Timer:
        """How long a function of a loaded module takes, which ran before: each time with the next of the `turns`, as
        far as they are for this machine, else with the arguments.

        Elsewhere, and where a sample is of several runs without turns, TVM calls it, which takes it some 5 ns, and
        Python 100; each call to the timer runs it once more before it counts. Of one thread here only the time counts
        in which it had the processor: what others do meanwhile is no property of a kernel.
        """

        def called(runs: int, samples: int) -> Sequence[float]:
            found = module.time_evaluator(name, self.handle, number=runs, repeat=samples)(*arguments)
            return tuple(found.results)

        if not self.timed_here:
            return called
        function = module[name]
        given = itertools.cycle(turns or (arguments,))
        own = by_clock(lambda: function(*next(given)))

        def here(runs: int, samples: int) -> Sequence[float]:
            return (called if runs > 1 and not turns else own)(runs, samples)

        return _had(here) if self.single else here

    def clock(self, run: Callable[[], object]) -> Timer:
        """How long something else takes here, which ran before: by the same clock as what TVM compiled."""
        return _had(by_clock(run)) if self.single else by_clock(run)

    def library(self, made: Any) -> tuple[bytes, str]:
        """The shared library of what TVM compiled, or why there is none."""
        if (linker := _linker()) is None:
            return b"", "there is no C++ compiler to link it with: apt install g++"
        with TemporaryDirectory() as folder:
            place = Path(folder) / "model.so"
            try:
                made.export_library(str(place), cc=linker)
                return place.read_bytes(), ""
            except Exception as failed:  # the linker's, the disk's, TVM's own
                return b"", f"{Path(linker).name} cannot link it: {reason(failed)[:200]}"

    def failure(self, error: Exception) -> str:
        """What an error of a kernel means, as a measurement has it.

        A GPU answers all calls of a process with the error that a kernel ended with, an illegal address for example:
        such a worker is ended.
        """
        if not self.timed_here:
            try:
                self.handle.sync()
            except Exception as stopped:  # TVM's own errors share no base
                return broken(f"the kernel stopped the GPU: {reason(stopped)[:200]}")
        return f"build: {type(error).__name__}: {reason(error)[:300]}"


def by_clock(run: Callable[[], object]) -> Timer:
    """The timer of what runs in this process, and ran before."""

    def timed(runs: int, samples: int) -> Sequence[float]:
        def sample() -> None:
            for _ in range(runs):
                run()

        # A single sample is what its caller warmed; of more, the one before the first does not count.
        found = interleaved({"": sample}, samples, warm_up=int(samples > 1))[""]
        return [seconds / runs for seconds in found.seconds]

    return timed


def _had(timer: Timer) -> Timer:
    """Of each sample no more than what this thread had of the processor in the meantime. The clock of a process is too
    coarse: it goes by ticks of some milliseconds as soon as a timer of that time was set (`sandbox.processor_time`)."""

    def timed(runs: int, samples: int) -> Sequence[float]:
        found = []
        for _ in range(samples + (samples > 1)):
            busy = time.thread_time()
            (seconds,) = timer(runs, 1)
            found.append(min(seconds, (time.thread_time() - busy) / runs))
        return found[-samples:]

    return timed


class Session(Device):
    """One of another machine, as long as the session lasts."""

    def __init__(self, target: str, remote: Remote, session: Any, seconds: float) -> None:
        """Raises ToolMissing where it has none."""
        self.remote, self.session, self.seconds = remote, session, seconds
        self._places = itertools.count()
        self.handle, self.own = handle(target, session, str(remote)), False
        self.timed_here = self.single = False
        session.get_function("runtime.config_threadpool")(1, targets.threads(target))

    def loaded(self, made: Any) -> Any:
        """Sent as objects, which are linked there."""
        return self.session.load_module(self._sent(made))

    def library(self, made: Any) -> tuple[bytes, str]:
        """As it was linked there."""
        name = self._sent(made)
        try:
            return bytes(self.session.get_function("tvm.rpc.server.download_linked_module")(name)), ""
        except Exception as failed:  # TVM's own errors share no base
            return b"", f"{self.remote} cannot link it: {reason(failed)[:200]}"

    def failure(self, error: Exception) -> str:
        """A session that is over was ended by the kernel, or by the server because it took too long."""
        if "RPCSessionTimeoutError" in str(error):
            return f"timeout: stopped after {self.seconds:g} s"
        try:
            self.session.get_function("runtime.config_threadpool")
        except Exception:  # TVM's own errors share no base
            return f"crash: the connection to {self.remote} was lost: {reason(error)[:200]}"
        return super().failure(error)

    def _sent(self, made: Any) -> str:
        # The server loads a library once: a second one of the same name would be the first one.
        name = f"module{next(self._places)}.tar"
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            made.export_library(str(path))
            self.session.upload(str(path))
        return name


@contextlib.contextmanager
def opened(place: Place, seconds: float) -> Iterator[Device]:
    """The device there; another machine is used for so many seconds at most. Raises ToolMissing where there is none."""
    if place.remote is None:
        yield _here(place.target)
        return
    with place.remote.session(seconds) as session:
        yield Session(place.target, place.remote, session, seconds)


def located(target: str, rpc: str | None) -> Place:
    """The place of a target (`targets.parse`) and an address (`Remote.parse`), which was asked whether it is there.

    Raises UsageError, ToolMissing.
    """
    if rpc is None:
        here = targets.parse(target)
        _of_this_machine(here)
        handle(here)
        return Place(here)
    remote = Remote.parse(rpc)
    with remote.session(_ASKING_S) as session:
        there = targets.parse(target, session)
        handle(there, session, str(remote))
    return Place(there, remote)


def workers(place: Place) -> Pool:
    """What measures there.

    So many workers build kernels of a program at once: as many as the setting `workers` says, else one for each core,
    for a GPU too: CUDA's compiler takes 3 to 20 seconds of one for a product of matrices. One asks another machine. The
    driver of a GPU reserves addresses for all the memory there is, and bears no fork once it is in use.
    """
    count, limits = settings.workers(), Limits.from_settings()
    if not settings.get("workers"):
        count = min(count, _BUILDERS) if place.remote is None else 1
    if targets.device(place.target) == "cpu":
        return Pool(count, limits, IMPORTS)
    return Pool(count, replace(limits, timeout_s=limits.timeout_s + _INTRINSICS_S, memory_bytes=NO_LIMIT))


def _of_this_machine(target: str) -> None:
    """Raises UsageError where a processor's code does not run here."""
    from tvm.target import codegen

    own = str(codegen.llvm_get_system_triple()).partition("-")[0]
    there = str(targets.made(target).attrs.get("mtriple", own)).partition("-")[0]
    if targets.device(target) == "cpu" and there != own:
        todo = "name a machine that does: --rpc HOST:PORT, or HOST:PORT/KEY"
        raise UsageError(f"this machine does not run code of {there}", f"its processor is {own}", todo)


@lru_cache(maxsize=4)
def _here(target: str) -> Device:
    return Device(target)


def handle(target: str, session: Any = None, where: str = "this machine") -> Any:
    """TVM's device for a target, here or where a session is. Raises ToolMissing where there is none."""
    kind = targets.device(target)
    found = (load() if session is None else session).device(kind)
    if not found.exist:
        why = "TVM finds no device or driver of that kind, or was built without it"
        raise ToolMissing(f"{where} has no {kind}", why, "name a machine that has: --rpc HOST:PORT; or another target")
    return found


def _linker() -> str | None:
    """A C++ compiler: what TVM would take, else the clang that this project works with."""
    from tvm.support import cc

    try:
        named = cc.get_cc() or clang.default_compiler()
    except ToolMissing:
        return None
    return shutil.which(named)
