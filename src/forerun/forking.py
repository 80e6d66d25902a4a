"""Processes that begin with what they need imported: forked from a process that has done nothing else.

The caller is never forked: it may have threads, and its state is nobody's business. A template is a fresh interpreter
that imports modules and forks itself when it is asked to; importing them takes seconds, a fork takes milliseconds. What
libraries read as they are loaded, the environment, decides which template is asked.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

_LATE = (
    "FORERUN_", "PYTEST_", "ORT_DISABLE_TELEMETRY", "TORCHINDUCTOR_CACHE_DIR", "TVM_BIND_THREADS", "TVM_NUM_THREADS",
)  # fmt: skip
"""How variables begin that are read when they are needed: ours, and those that are set as a process first needs
onnxruntime, PyTorch or a kernel. Another template would take 4 seconds to import TVM again."""
_MOST = 3
"""Descriptors that go with a request, at most."""
_LOOKING_S = 1.0
"""How often a process looks whether the one before it is still there."""


@dataclass(eq=False)
class Forked:
    """A process of a template. It leads a session of its own, and ends some time after its template does."""

    pid: int
    _template: _Template
    _status: int | None = None

    def kill(self) -> None:
        """Ends it at once, unless it was waited for."""
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Waits for its end. Its exit status, or the negative number of the signal that ended it."""
        if self._status is None:
            self._status = self._template.wait(self.pid)
        return self._status


def start(
    function: Callable[..., object], *arguments: object, output: int, passed: int, imports: Sequence[str] = ()
) -> Forked:
    """Calls a module-level function in a new process, which ends with it; the first argument is the descriptor that is
    `passed`, as it is called there. Its output and errors go to `output`, there is no input, and its environment,
    folder and processors are those of the caller. `imports` are the modules that it finds imported, as far as they can
    be: what keeps one from it, it will meet again.
    """
    with _lock:
        for fresh in (False, True):
            template = _template(fresh)
            try:
                # A library that brings down what imports it shall do so in the process that needs it.
                return template.fork(function, arguments, (output, passed), () if fresh else imports)
            except (EOFError, OSError):
                template.retire()
    raise OSError("no process could be started")


@dataclass(eq=False)
class _Template:
    """One of this process."""

    _process: subprocess.Popen[bytes]
    _socket: socket.socket
    _connection: Connection
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _children: int = 0
    _retired: bool = False

    @classmethod
    def started(cls) -> _Template:
        ours, theirs = socket.socketpair()
        process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-c",
                f"from forerun import forking; forking.serve({theirs.fileno()}, {os.getpid()})",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            start_new_session=True,
        )
        theirs.close()
        return cls(process, ours, Connection(os.dup(ours.fileno())))

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def fork(
        self,
        function: Callable[..., object],
        arguments: tuple[object, ...],
        descriptors: Sequence[int],
        imports: Sequence[str],
    ) -> Forked:
        """Raises OSError, EOFError where the template ended."""
        with self._lock:
            self._connection.send((tuple(imports), _inherited(), function, arguments))
            socket.send_fds(self._socket, [b"\0"], list(descriptors))
            pid = self._connection.recv()
            self._children += 1
        return Forked(pid, self)

    def wait(self, pid: int) -> int:
        with self._lock:
            try:
                self._connection.send(pid)
                status: int = self._connection.recv()
            except (EOFError, OSError):  # the template was killed: its processes end, too
                status = -signal.SIGKILL
            self._children -= 1
        self._close_unused()
        return status

    def retire(self) -> None:
        """It is asked for no more processes, and ends with the last one."""
        self._retired = True
        self._close_unused()

    def _close_unused(self) -> None:
        if self._retired and not self._children:
            self.close()

    def close(self) -> None:
        self._connection.close()
        self._socket.close()
        self._process.wait()


_lock = threading.Lock()
_current: tuple[tuple[object, ...], _Template] | None = None


def _template(fresh: bool) -> _Template:
    """The one that a process of now is forked from; called with the lock."""
    global _current
    early = frozenset(each for each in os.environ.items() if not each[0].startswith(_LATE))
    key = (sys.executable, tuple(sys.path), early)
    if _current and (_current[0] != key or fresh or not _current[1].runs):
        _current[1].retire()
        _current = None
    if not _current:
        _current = key, _Template.started()
    return _current[1]


def _forget() -> None:
    """A process that was forked from this one has no part in its templates."""
    global _current, _lock
    _current, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


@atexit.register
def _end() -> None:
    if _current:
        with contextlib.suppress(OSError):
            _current[1].close()


def _inherited() -> tuple[dict[str, str], str, set[int]]:
    """What a new process has of its caller: the environment, the folder, the processors."""
    try:
        folder = str(Path.cwd())
    except OSError:  # it is gone
        folder = "/"
    return dict(os.environ), folder, os.sched_getaffinity(0)


def serve(descriptor: int, caller: int) -> None:
    """The template's side: imports, forks and waits, until its caller ends."""
    control = socket.socket(fileno=descriptor)
    connection = Connection(os.dup(descriptor))
    own = os.getpid()
    while True:
        try:
            while not connection.poll(_LOOKING_S):
                if os.getppid() != caller:  # others may have the descriptor, too
                    os._exit(0)
            asked = connection.recv()
            if isinstance(asked, int):
                connection.send(os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1]))
                continue
            descriptors = socket.recv_fds(control, 1, _MOST)[1]
        except (EOFError, OSError):
            os._exit(0)
        imports, (environment, folder, processors), function, arguments = asked
        for name in imports:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        gc.freeze()  # what is imported stays: no process that comes of this one need look through it for garbage
        pid = os.fork()
        if pid == 0:
            connection.close()
            control.close()
            _become(environment, folder, processors, descriptors[0])
            threading.Thread(target=_end_with, args=(own,), daemon=True).start()
            function(descriptors[1], *arguments)
            sys.exit(0)
        for each in descriptors:
            os.close(each)
        connection.send(pid)


def _become(environment: dict[str, str], folder: str, processors: set[int], output: int) -> None:
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(environment)
    with contextlib.suppress(OSError):  # it has gone meanwhile, or those have
        os.chdir(folder)
        os.sched_setaffinity(0, processors)


def _end_with(template: int) -> None:
    # What is inside a long compilation reads no socket, so it would outlive a caller that was killed.
    while os.getppid() == template:
        time.sleep(_LOOKING_S)
    os._exit(0)
