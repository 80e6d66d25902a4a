"""The resident server of `forerun cc`: takes compile commands from native clients, and ends when there is no more work.

A request is one message: its length (4 bytes, this machine's order), then strings that end in a zero byte: the file
mode mask, the working directory, the real compiler, the number of arguments, the arguments, the environment; with it
come the client's standard output and error. The answer is `D` and the exit code, or `E`: run the real compiler. A dot
every second says that the server lives.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forerun.cc.workshop import Workshop

_BEAT_S = 1.0
_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """One command of a client: what the real compiler would see."""

    mask: int
    directory: str
    compiler: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    stdout: int
    stderr: int
    connection: socket.socket = field(compare=False)

    def abandoned(self) -> bool:
        """Whether nobody waits for the answer any more."""
        try:
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:  # nothing to read, but it is open
            return False
        except OSError:
            return True

    def tell(self, data: bytes) -> None:
        """Writes to the client's standard error."""
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self.stderr, data) :]


@dataclass(frozen=True, slots=True)
class Answer:
    """The compiler's exit code; or None: the real compiler must run, for this reason."""

    code: int | None
    reason: str = ""

    def encode(self) -> bytes:
        """As the client reads it."""
        return b"E" if self.code is None else b"D" + bytes([self.code & 255])


def main() -> None:
    """Started by the client with a socket path and a descriptor to close when ready, or with `refresh`."""
    what, ready, home = sys.argv[1:4]
    if what == "refresh":
        from forerun.cc import launch

        launch.refresh(Path(home))
        return
    path = Path(what)
    listener = _listen(path)
    os.close(int(ready))
    for name in (signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    _Server(listener, path).run()


def _listen(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.parent.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        path.parent.chmod(0o700)  # fails where it belongs to somebody else
    path.unlink(missing_ok=True)  # the client holds the lock: whoever made it is dead
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(128)
    return listener


class _Server:
    def __init__(self, listener: socket.socket, path: Path) -> None:
        self.listener, self.path = listener, path
        self.clients: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.busy = 0
        self.idle_s = 60.0
        self.last = time.monotonic()

    def run(self) -> None:
        # Imported once the client can connect: what it sends waits in the socket meanwhile.
        from forerun.cc.workshop import Workshop

        workshop = Workshop()
        threading.Thread(target=self._beat, daemon=True).start()
        while self._wanted():
            if select.select([self.listener], [], [], min(_BEAT_S, self.idle_s / 4))[0]:
                connection = self.listener.accept()[0]
                with self.lock:
                    self.busy += 1
                threading.Thread(target=self._serve, args=(connection, workshop), daemon=True).start()
        # Whoever comes from here on finds no server and starts another; a client in between tries again.
        self.path.unlink(missing_ok=True)
        workshop.close()

    def _wanted(self) -> bool:
        with self.lock:
            return self.busy > 0 or time.monotonic() - self.last < self.idle_s

    def _serve(self, connection: socket.socket, workshop: Workshop) -> None:
        from forerun.cc.compile import compile_for, idle_s

        with contextlib.suppress(OSError, ValueError, struct.error), connection, _received(connection) as request:
            with self.lock:
                self.clients.add(connection)
            answer = compile_for(request, workshop)
            with self.lock:
                self.clients.remove(connection)
                self.idle_s, self.last = idle_s(request), time.monotonic()
            connection.sendall(answer.encode())
        with self.lock:
            self.clients.discard(connection)
            self.busy -= 1

    def _beat(self) -> None:
        while True:
            time.sleep(_BEAT_S)
            with self.lock:
                for connection in self.clients:
                    with contextlib.suppress(OSError):
                        connection.send(b".", socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


@contextlib.contextmanager
def _received(connection: socket.socket) -> Iterator[Request]:
    """The request; its descriptors are closed afterwards. Raises ValueError where it is none."""
    data, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 2)
    try:
        size = struct.unpack_from("=I", data)[0] + 4
        if size > _LARGEST or len(descriptors) != 2:
            raise ValueError("not a request")
        parts = [data]
        have = len(data)
        while have < size:
            parts.append(connection.recv(min(size - have, 1 << 20)))
            have += len(parts[-1])
            if not parts[-1]:
                raise ValueError("the request is cut off")
        yield _request(b"".join(parts)[4:], descriptors, connection)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _request(data: bytes, descriptors: list[int], connection: socket.socket) -> Request:
    mask, directory, compiler, count, *rest = (os.fsdecode(part) for part in data.split(b"\0")[:-1])
    environment = dict(entry.split("=", 1) for entry in rest[int(count) :] if "=" in entry)
    path = os.path.join(directory, compiler)  # noqa: PTH118 - pathlib would drop a leading `./` that names the program
    arguments = tuple(rest[: int(count)])
    return Request(int(mask), directory, path, arguments, environment, descriptors[0], descriptors[1], connection)
