"""Shared: a cache of one's own for every test, a small C file, and its task and source."""

from __future__ import annotations

import gc
import importlib.util
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

from forerun import improve, settings
from forerun.core import Source
from forerun.errors import ToolMissing
from forerun.models import boosted_trees
from forerun.sandbox import Limits, Pool
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang

# A test run that was started in the background ignores Ctrl-C, and so would every program that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No property is one of speed: on a busy machine an example takes as long as it takes.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

CHECKSUM = """\
#include <stdio.h>
#include <string.h>
unsigned crc(const unsigned char *p, int n) {
  unsigned c = ~0u;
  for (int i = 0; i < n; i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0xEDB88320u : c >> 1;
  }
  return ~c;
}
int sorted(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int x = a[i], j = i - 1;
    while (j >= 0 && a[j] > x) { a[j + 1] = a[j]; j--; }
    a[j + 1] = x;
  }
  return a[0];
}
static int twice(int x) { return x * 2; }
int main(void) {
  int a[] = {3, 1, 2};
  printf("%u %d %d\\n", crc((const unsigned char *)"forerun", 7), sorted(a, 3), twice(21));
  return 0;
}
"""


def pytest_collection_finish() -> None:
    """What was imported stays, and is looked through for garbage no more: that took a tenth of all the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


def _has_llvm() -> bool:
    try:
        return bool(clang.default_compiler())
    except ToolMissing:
        return False


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing that a test writes reaches the user's cache, and no setting of one test reaches another, nor a folder
    that its programs are imported from, which would ask for processes of another template."""
    monkeypatch.setenv("FORERUN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(settings, "_flags", {})
    yield


@pytest.fixture(autouse=True, scope="session")
def one_forest() -> Iterator[None]:
    """Of boosted trees, with a seventh of the trees: four of the whole err less and take many times as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosted_trees, "_FORESTS", 1)
        patch.setattr(boosted_trees, "_MOST", 40)
        yield


@pytest.fixture(scope="session")
def compiler() -> str:
    """clang of the LLVM that is here. The package is about compilers: without one, the tests say so and fail."""
    assert _has_llvm(), "no clang and libLLVM of one supported version on this machine: run `make test`"
    return clang.default_compiler()


@pytest.fixture(scope="session")
def measured() -> ModuleType:
    """The script that packs numbers without their texts."""
    path = Path(__file__).parents[1] / "scripts" / "measured.py"
    spec = importlib.util.spec_from_file_location("measured", path)
    assert spec and spec.loader
    module = sys.modules["measured"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def c_file(tmp_path: Path) -> Path:
    """A small program that checks itself."""
    path = tmp_path / "checksum.c"
    path.write_text(CHECKSUM)
    return path


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """One worker for all tests that only measure."""
    with Pool(1, Limits(timeout_s=60)) as opened:
        yield opened


@pytest.fixture(scope="session")
def prepared(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Passes, Source]:
    """The task and the source of the small program, with the objective `text`."""
    path = tmp_path_factory.mktemp("prepared") / "checksum.c"
    path.write_text(CHECKSUM)
    command = improve.command_for(str(path), compiler)
    return improve.prepare(command, improve.Options("text"), clang.front_end(command), name="checksum.c")


@pytest.fixture
def run_forerun(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs a command line in this process: `(exit code, stdout, stderr)`."""
    from forerun.cli import main

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capfd.readouterr()
        return code, out, err

    return run


@pytest.fixture
def two_files(tmp_path: Path, compiler: str) -> Path:
    """A build of two files, one of which does not compile, and a header."""
    (tmp_path / "good.c").write_text(CHECKSUM)
    (tmp_path / "bad.c").write_text("int f( {")
    rows = [
        {"directory": str(tmp_path), "file": name, "arguments": [compiler, "-O2", "-c", name, "-o", f"{name}.o"]}
        for name in ("good.c", "bad.c")
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(rows))
    return tmp_path
