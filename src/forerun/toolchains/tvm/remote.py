"""Another machine that measures, through TVM's RPC: a server's address, or a tracker's with the key of its devices.

On that machine: `TVM_NUM_THREADS=1 python -m tvm.exec.rpc_server --port 9090`, with as many threads as kernels have
(without, each parallel loop asks anew how many processors there are: 8 µs), or with `--tracker HOST:PORT --key KEY`. A
server serves one session at a time, and after a kernel that crashed it takes calls without ever answering: so no call
waits forever.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from forerun.errors import ForerunError, ToolMissing, UsageError, reason
from forerun.toolchains.tvm._load import found, load

T = TypeVar("T")

_PATIENCE_S = 10.0
"""How long a machine may take to answer: others may be using it."""
_NEEDED = ("tvm.rpc.server.load_module", "runtime.config_threadpool", "runtime.RPCTimeEvaluator", "CloseRPCConnection")
"""What TVM of this version offers to its callers."""


@dataclass(frozen=True, slots=True)
class Remote:
    """Where it answers; `key` says that a tracker does, and which of its devices are asked for."""

    host: str
    port: int
    key: str = ""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" + (f"/{self.key}" if self.key else "")

    @classmethod
    def parse(cls, text: str) -> Remote:
        """Of `HOST:PORT` or `HOST:PORT/KEY`. Raises UsageError."""
        address, slash, key = text.partition("/")
        host, _, port = address.rpartition(":")
        named = not slash or re.fullmatch(r"[^\s:/]+", key)
        if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16 or not named:
            todo = "HOST:PORT of an RPC server, or HOST:PORT/KEY of a tracker and its devices"
            raise UsageError(f"not a machine: {text}", "it is no host with a port", todo)
        return cls(host.strip("[]"), int(port), key)

    @contextlib.contextmanager
    def session(self, seconds: float) -> Iterator[Any]:
        """TVM's session, which the server ends after so many seconds. Raises ToolMissing where there is none."""
        load()
        session = self._within(lambda: self._asked(seconds))
        try:
            missing = [name for name in _NEEDED if not _has(session, name)]
            if missing:
                raise self._other_version(f"it has no {', '.join(missing)}")
            yield session
        finally:
            with contextlib.suppress(Exception):  # it is closed, or lost
                session.get_function("CloseRPCConnection")()

    def _asked(self, seconds: float) -> Any:
        from tvm import rpc

        try:
            # TVM would try for a minute where nobody listens.
            socket.create_connection((self.host, self.port), _PATIENCE_S).close()
        except OSError as error:
            todo = (
                "start a server there, with as many threads as kernels have: TVM_NUM_THREADS=1 python -m"
                " tvm.exec.rpc_server --port PORT (TVM takes a free one up to --port-end, 9199, and says which);"
                " look at the address and the network"
            )
            raise ToolMissing(f"nobody answers at {self}", reason(error), todo) from error
        if not self.key:
            return rpc.connect(self.host, self.port, session_timeout=seconds)
        tracker = rpc.connect_tracker(self.host, self.port)
        kinds = {each["key"].removeprefix("server:") for each in tracker.summary()["server_info"]}
        if self.key not in kinds:
            why = f"the tracker knows {', '.join(sorted(kinds)) or 'none at all'}"
            todo = f"start one: python -m tvm.exec.rpc_server --tracker {self.host}:{self.port} --key {self.key}"
            raise ToolMissing(f"no device has the key {self.key}", why, todo)
        return tracker.request(self.key, session_timeout=seconds, max_retry=1)

    def _within(self, function: Callable[[], T]) -> T:
        """What a call gives that may never return."""
        answer = Future[T]()

        def ask() -> None:
            try:
                answer.set_result(function())
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            return answer.result(_PATIENCE_S)
        except TimeoutError:
            why = f"nothing came for {_PATIENCE_S:g} s: it is busy, or its server hangs since a kernel crashed it"
            todo = "start the server anew, and call again: what was measured is kept"
            raise ToolMissing(f"{self} does not answer", why, todo) from None
        except ForerunError:
            raise
        except Exception as error:  # TVM's own errors share no base
            if "version mismatch" in str(error):
                raise self._other_version(reason(error)) from error
            what = "a tracker" if self.key else "an RPC server"
            todo = "HOST:PORT is a server without a key, HOST:PORT/KEY a tracker; else start it anew: work is kept"
            raise ToolMissing(f"{self} does not answer as {what} does", reason(error)[:200], todo) from error

    def _other_version(self, why: str) -> ToolMissing:
        todo = f"install there what is here: pip install apache-tvm=={found().version}"
        return ToolMissing(f"{self} runs another version of TVM", why, todo)


def _has(session: Any, name: str) -> bool:
    try:
        session.get_function(name)
    except AttributeError:
        return False
    return True
