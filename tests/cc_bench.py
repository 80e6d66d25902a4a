"""What the tests of `forerun cc` share: a client with a cache of its own, and no server left behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "src"
PROGRAM = """
#include <stdio.h>
#include <string.h>
int weigh(int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { sum += a[i] * 3; if (a[i] > 5) sum -= n; }
    return sum;
}
int main(int count, char **words) {
    int x[5] = {1, 2, 3, 4, count};
    char buffer[20];
    memset(buffer, 0, 20);
    printf("%d %s\\n", weigh(x, 5), buffer);
    return 0;
}
"""


@dataclass
class Bench:
    """A folder with `a.c`, and an environment whose cache and server are its own."""

    folder: Path
    compiler: str
    prepared: Path

    def __post_init__(self) -> None:
        (self.folder / "a.c").write_text(PROGRAM)
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("FORERUN_", "XDG_"))}
        own = {"FORERUN_CACHE": str(self.cache), "FORERUN_BUDGET": "6", "FORERUN_WORKERS": "2", "FORERUN_IDLE": "30"}
        self.environment = keep | own | {"PYTHONPATH": str(SOURCES), "FORERUN_VERBOSE": "1", "HOME": str(self.folder)}
        shutil.copytree(self.prepared, self.cache, symlinks=True)
        self.run("-m", "forerun", "cc", "--path", program=sys.executable)

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def client(self) -> str:
        return str(self.cache / "bin" / str(Path(sys.executable).parent).lstrip("/") / "forerun-cc")

    def run(
        self, *words: str, program: str = "", check: bool = True, **more: object
    ) -> subprocess.CompletedProcess[str]:
        options: dict[str, object] = {"cwd": self.folder, "env": self.environment, "stdin": subprocess.DEVNULL} | more
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            [program or self.client, *words], check=check, capture_output=True, text=True, timeout=60, **options
        )

    def compile(self, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
        return self.run(self.compiler, "-Oz", "-c", *words, **more)  # type: ignore[arg-type]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command, pipe = [self.client, *words], subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stderr=pipe)

    def plain(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run("-Oz", "-c", *words, program=self.compiler, check=check)

    def servers(self) -> list[int]:
        """The process of each server that listens in this cache."""
        found = (_listener(path) for path in (self.cache / "run").glob("*") if path.is_socket())
        return [process for process in found if process]

    def stop(self) -> None:
        """Ends every server."""
        for process in self.servers():
            os.kill(process, signal.SIGKILL)
        wait_for(lambda: not self.servers())


def _listener(path: Path) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return 0
        return int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])


def wait_for(condition: object, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def prepare(cache: Path, compiler: str) -> Path:
    """A cache with the client and the vocabulary: what each test would otherwise make again."""
    environment = {**os.environ, "FORERUN_CACHE": str(cache), "PYTHONPATH": str(SOURCES)}
    environment.pop("FORERUN_LAUNCHER", None)
    code = (
        "from forerun.cc import launch; from forerun.toolchains.llvm import vocabulary;"
        f"launch.client(); vocabulary.safe({compiler!r})"
    )
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    for server in cache.rglob("server"):
        server.unlink()
    return cache


__all__ = ["PROGRAM", "SOURCES", "Bench", "prepare", "wait_for"]
