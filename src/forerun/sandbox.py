"""Checking in child processes that may die: a crash, a hang or too much memory becomes a Measurement.

A worker is a Python process that imports the task, keeps what the task prepares for a source (a parsed module), and
answers one request at a time over a socket. It is no fork of its caller, who may have threads (`forerun.forking`); it
ends when its caller does. What takes time to prepare is prepared on all cores, and what is timed is timed alone
(`TimedAlone`).
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, BinaryIO, TypeVar

from forerun import forking, settings
from forerun.core import Measurement, Source, Task
from forerun.errors import ForerunError, ToolMissing

A = TypeVar("A")
T = TypeVar("T")

_BEGUN = 4
"""Measurements that a worker may have begun: what they take to prepare varies, and several even it out."""
_TOLD_S = 1.0
"""How often somebody who waits for a call is told so."""
_START_S = 60.0
"""How long a worker may take to start: importing on a cold, busy machine."""

_NO_MEMORY = (
    "out of memory", "bad_alloc", "MemoryError", "can't start new thread", "Cannot allocate memory",
    "failed to map segment",
)  # fmt: skip
"""What libraries say when the limit is reached."""
_MORE = "give it more: FORERUN_TIMEOUT (seconds), FORERUN_MEMORY (MiB); or leave this file to the compiler"
_REPORT = "see whether what you gave runs without forerun; if it does, report this to this project with the file"


def installed_bytes() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


_worker = False
"""Whether this process is one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one measurement."""

    timeout_s: float = 30.0
    memory_bytes: int = 4 << 30

    @classmethod
    def from_settings(cls) -> Limits:
        """The limits that the settings name."""
        # Beyond what the system calls take, a limit is none.
        return cls(min(settings.number("timeout"), 1e6), int(min(settings.number("memory"), 1e12)) << 20)


@contextlib.contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """A worker that uses the processor for longer meanwhile is ended, whatever library it is in: a `timeout` of what it
    measures. Outside of workers nothing is ended, since nobody would be left to say so.
    """
    if not _worker or not math.isfinite(seconds):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (until if soft == resource.RLIM_INFINITY else min(until, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def broken(why: str) -> str:
    """Ends a worker whose process is of no more use, as what it measures crashed it; what it had begun is begun again
    in another one. Outside of workers nothing is ended, and it is what a measurement says."""
    if _worker:
        sys.stderr.write(f"Error: {why}\n")
        sys.stderr.flush()
        os.abort()
    return f"crash: {why}"


class TimedAlone(Task[A]):
    """A task whose measurements end with what nothing may run beside.

    A subclass defines `begin`. Where one defines `measure`, the pool calls that instead, with nothing beside it.
    """

    @abstractmethod
    def begin(self, source: Source, answer: A | None) -> Measurement | Callable[[], Measurement]:
        """Does all that others may do at the same time. Gives the second half, which is called when nothing else runs;
        or the measurement, where there is nothing to time."""

    def measure(self, source: Source, answer: A | None) -> Measurement:
        """Both halves."""
        found = self.begin(source, answer)
        return found() if callable(found) else found


class Pool:
    """Worker processes that measure answers in parallel. Use as a context manager; not shared between threads."""

    def __init__(self, workers: int | None = None, limits: Limits | None = None, imports: Sequence[str] = ()) -> None:
        """`imports` are modules that take long to import and start no threads: workers begin with them."""
        self.limits = limits or Limits.from_settings()
        self._workers = [_Worker(self.limits, imports) for _ in range(workers or settings.workers())]

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Of workers."""
        return len(self._workers)

    def close(self) -> None:
        """Ends every worker."""
        for worker in self._workers:
            worker.stop()

    def kill(self) -> None:
        """Ends what the workers do, from any thread: who waits for it is told that they died."""
        for worker in self._workers:
            worker.kill()

    def measure(
        self, task: Task[A], source: Source, answers: Iterable[A | None]
    ) -> Generator[tuple[int, Measurement], None, None]:
        """Measures each answer; yields its place and its measurement as they come. Closed, it ends what still runs.

        Raises ToolMissing where a worker finds that nothing can be measured on this machine.
        """
        return self.measure_each((task, source, answer) for answer in answers)

    def measure_each(
        self, asked: Iterable[tuple[Task[A], Source, A | None]]
    ) -> Generator[tuple[int, Measurement], None, None]:
        """As `measure`, of answers to several tasks and sources."""
        waiting = deque(enumerate(asked))
        busy: dict[_Worker, tuple[int, tuple[Task[A], Source, A | None]]] = {}
        begun: dict[int, tuple[_Worker, tuple[Task[A], Source, A | None]]] = {}
        most = _BEGUN * len(self._workers) if len(self._workers) > 1 else 1

        def answered() -> Iterator[tuple[int, Measurement]]:
            for worker, found in list(_finished(busy)):
                place, one = busy.pop(worker)
                if isinstance(found, _Begun):
                    begun[place] = worker, one
                    continue
                if not worker.runs:  # with it died what it had begun
                    lost = [other for other, (owner, _) in begun.items() if owner is worker]
                    waiting.extendleft((other, begun.pop(other)[1]) for other in lost)
                yield place, _measurement(found)

        try:
            while waiting or begun:
                while busy or (waiting and len(begun) < most):
                    for worker in self._workers:
                        if waiting and worker not in busy and len(busy) + len(begun) < most:
                            place, (task, source, answer) = busy[worker] = waiting.popleft()
                            worker.submit(task, source, place, answer)
                    yield from answered()
                while begun:
                    place = next(iter(begun))
                    worker, one = begun.pop(place)
                    busy[worker] = place, one
                    worker.submit_end(place)
                    while busy:
                        yield from answered()
        finally:
            for worker in {*busy, *(owner for owner, _ in begun.values())}:  # the caller stopped listening
                worker.stop()

    def call(
        self,
        function: Callable[..., T],
        *arguments: object,
        what: str = "",
        todo: str = "",
        on_wait: Callable[[], None] | None = None,
    ) -> T:
        """The value of a module-level function, computed in a worker.

        Raises ForerunError where the worker died or ran out of time, or where the function raised anything; errors of
        ours come as they are. `what` says that it failed, `todo` what to do then; where none is given it is to raise
        the limit that was reached, else to report the failure. `on_wait` is called each second until then.
        """
        worker = self._workers[0]
        worker.submit_call(function, arguments)
        try:
            answer = next(answer for _, answer in _answers([worker], on_wait))
        except BaseException:  # an interrupt: what it works on is not wanted
            worker.stop()
            raise
        if isinstance(answer, _Value):
            return answer.value  # type: ignore[no-any-return]
        why = _measurement(answer).error
        limited = why.startswith(("timeout:", "memory:"))
        if why.startswith("memory:") and self.limits.memory_bytes > installed_bytes():
            why, todo = "memory: it takes more than there is", "do it on a machine with more, or give less at once"
        raise ForerunError(what or f"{function.__name__} failed", why, todo or (_MORE if limited else _REPORT))


@dataclass(frozen=True, slots=True)
class _Value:
    """What a called function gave."""

    value: Any


@dataclass(frozen=True, slots=True)
class _Begun:
    """The worker keeps the second half of a measurement."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """Not a candidate's failure: every other one would fail in the same way. Or what a called function had to say."""

    error: ForerunError


def _measurement(answer: Measurement | _Raised) -> Measurement:
    if isinstance(answer, _Raised):
        raise answer.error
    return answer


@dataclass(frozen=True, slots=True)
class _Ready:
    """A new worker has imported what it needs: only now its time runs."""


def _answers(busy: Sequence[_Worker], on_wait: Callable[[], None] | None = None) -> Iterator[tuple[_Worker, Any]]:
    """Waits for one answer at least."""
    while not (found := list(_finished(busy, _TOLD_S if on_wait else math.inf))):
        if on_wait:
            on_wait()
    yield from found


def _finished(busy: Iterable[_Worker], most_s: float = math.inf) -> Iterator[tuple[_Worker, Measurement | _Raised]]:
    """Waits until at least one worker has answered, died, run out of time, or become ready, which yields nothing; and
    no longer than `most_s`."""
    workers = {worker.connection: worker for worker in busy}
    earliest = min(worker.deadline for worker in workers.values())
    ready = wait(list(workers), timeout=min(most_s, max(0.0, earliest - time.monotonic())))
    for connection, worker in workers.items():
        if connection in ready:
            answer = worker.receive()
            if not isinstance(answer, _Ready):
                yield worker, answer
        elif time.monotonic() >= worker.deadline:
            yield worker, worker.give_up()


@dataclass(eq=False)
class _Worker:
    limits: Limits
    imports: Sequence[str] = ()
    deadline: float = 0.0
    _process: forking.Forked | None = None
    _connection: Connection | None = None
    _log: BinaryIO | None = None
    _sent: tuple[Any, Any] = field(default=(None, None))

    @property
    def connection(self) -> Connection:
        assert self._connection
        return self._connection

    @property
    def runs(self) -> bool:
        """Whether it has a process; else the next request starts one."""
        return self._process is not None

    def submit(self, task: Task[A], source: Source, place: int, answer: A | None) -> None:
        self._send(lambda: ("measure", None if self._sent == (task, source) else (task, source), (place, answer)))
        self._sent = (task, source)

    def submit_end(self, place: int) -> None:
        self._send(lambda: ("end", place, None))

    def submit_call(self, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        self._send(lambda: ("call", function, arguments))

    def _send(self, message: Callable[[], object]) -> None:
        """The message is made once the worker runs: a fresh one has been sent nothing yet."""
        fresh = self._process is None
        if fresh:
            self._start()
        self.deadline = time.monotonic() + self.limits.timeout_s + (_START_S if fresh else 0)
        with contextlib.suppress(OSError):  # it died between two requests: receive() finds out and says how
            self.connection.send(message())

    def receive(self) -> Any:
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            return Measurement(error=self._post_mortem())
        if isinstance(answer, _Ready):
            self.deadline = time.monotonic() + self.limits.timeout_s
        return answer

    def give_up(self) -> Measurement:
        self.stop()
        return Measurement(error=f"timeout: stopped after {self.limits.timeout_s:g} s")

    def kill(self) -> None:
        if process := self._process:
            process.kill()

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._connection:
            self._connection.close()
        if self._log:
            self._log.close()
        self._process, self._connection, self._log, self._sent = None, None, None, (None, None)

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        self._process = forking.start(
            serve, self.limits.memory_bytes, output=self._log.fileno(), passed=theirs.fileno(), imports=self.imports
        )
        theirs.close()
        self._connection = Connection(ours.detach())

    def _post_mortem(self) -> str:
        assert self._process and self._log
        status = self._process.wait()
        self._log.seek(0)
        said = self._log.read().decode("utf-8", "replace")
        self.stop()
        return _cause(status, said)


def _cause(status: int, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if any(sign in line for line in lines for sign in _NO_MEMORY):
        return "memory: the worker reached its memory limit"
    if status == -signal.SIGXCPU:
        return "timeout: stopped after more time of the processor than this step may take"
    telling = [line for line in lines if "LLVM ERROR" in line or "Assertion" in line or "Error" in line]
    reason = (telling or [""])[0]
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return f"crash: {how}" + (f": {reason[:200]}" if reason else "")


def serve(descriptor: int, memory: int) -> None:
    """The worker's side: answers until the other end closes."""
    global _worker
    _worker = True
    # The soft limit alone: a program that is measured gets limits of its own, which may be wider.
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    connection = Connection(descriptor)
    task: Any = None
    source: Any = None
    begun: dict[int, Callable[[], Measurement]] = {}
    fresh = True
    while True:
        try:
            kind, first, second = connection.recv()
            if fresh:
                connection.send(_Ready())
        except (EOFError, ConnectionError):
            os._exit(0)
        fresh = False
        if kind == "measure":
            task, source = first or (task, source)
            place, answer = second
            found = _guarded(_begun, task, source, answer)
            if callable(found):
                begun[place] = partial(_checked, task, found)
            connection.send(_Begun() if callable(found) else found)
        elif kind == "end":
            connection.send(_guarded(begun.pop(first)))
        else:
            connection.send(_guarded(_valued, first, second))


def _begun(task: Task[A], source: Source, answer: A | None) -> Measurement | Callable[[], Measurement]:
    if not isinstance(task, TimedAlone):
        return _checked(task, lambda: task.measure(source, answer))
    if type(task).measure is not TimedAlone.measure:
        return lambda: task.measure(source, answer)
    found = task.begin(source, answer)
    return found if callable(found) else _checked(task, lambda: found)


def _checked(task: Task[A], measure: Callable[[], Measurement]) -> Measurement:
    found = measure()
    if not isinstance(found, Measurement):
        raise TypeError(f"measure() of the task {task.name} gave a {type(found).__name__}, not a Measurement")
    return found


def _valued(function: Callable[..., object], arguments: tuple[object, ...]) -> _Value | _Raised:
    try:
        return _Value(function(*arguments))
    except ForerunError as error:
        return _Raised(error)


def _guarded(function: Callable[..., T], *arguments: object) -> T | Measurement | _Raised:
    try:
        return function(*arguments)
    except MemoryError:
        return Measurement(error="memory: the worker reached its memory limit")
    except ToolMissing as error:
        return _Raised(error)
    except ForerunError as error:  # of one answer, in one line: what to do is about a whole call
        return Measurement(error=f"{error.what}: {error.why}")
    except Exception as error:  # a plugin's mistake must not end a search
        return Measurement(error=f"{type(error).__name__}: {error}")
