"""Processes that are forked from one that has imported what they need."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from forerun import forking
from forerun.errors import ForerunError
from forerun.sandbox import Limits, Pool

STRICT = Limits(timeout_s=20)


def modules() -> frozenset[str]:
    return frozenset(sys.modules)


def state() -> tuple[str, str, set[int], int]:
    return os.environ.get("FORERUN_TOLD", ""), str(Path.cwd()), os.sched_getaffinity(0), os.getppid()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that counts how often it is imported, one that cannot be, and one that brings down who imports it."""
    counts = tmp_path / "counts"
    (tmp_path / "counted.py").write_text(f"with open({str(counts)!r}, 'a') as file:\n    file.write('+')\n")
    (tmp_path / "failing.py").write_text("raise OSError('its library is not there')\n")
    (tmp_path / "crashing.py").write_text("import os\nos.abort()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return counts


def test_what_is_named_is_imported_once_and_found_by_every_process(written: Path) -> None:
    for _ in range(2):
        with Pool(1, STRICT, ("failing", "counted")) as one, Pool(1, STRICT, ("counted",)) as other:
            assert all("counted" in pool.call(modules) for pool in (one, other))
    assert written.read_text() == "+"


def test_a_module_that_brings_down_its_process_does_so_where_it_is_needed(written: Path) -> None:
    with Pool(1, STRICT, ("counted", "crashing")) as pool:
        assert "counted" not in pool.call(modules)
        with pytest.raises(ForerunError, match="SIGABRT"):
            pool.call(__import__, "crashing")
        assert pool.call(abs, -1) == 1


def test_a_process_has_the_environment_the_folder_and_the_processors_of_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> tuple[str, str, set[int], int]:
        with Pool(1, STRICT) as pool:
            return pool.call(state)

    mine = os.sched_getaffinity(0)
    *_, template = asked()
    try:
        for told, folder, processors in (("one", tmp_path, {min(mine)}), ("two", tmp_path.parent, mine)):
            monkeypatch.setenv("FORERUN_TOLD", told)
            monkeypatch.chdir(folder)
            os.sched_setaffinity(0, processors)
            assert asked() == (told, str(folder), processors, template)
    finally:
        os.sched_setaffinity(0, mine)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # libraries read it as they are loaded
    *_, other = asked()
    assert other != template


def test_what_libraries_set_when_they_are_first_needed_asks_for_no_other_template(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("ORT_DISABLE_TELEMETRY", "TORCHINDUCTOR_CACHE_DIR", "TVM_BIND_THREADS", "TVM_NUM_THREADS")
    with Pool(1, STRICT) as pool:
        *_, template = pool.call(state)
    for name in names:
        monkeypatch.setenv(name, f"of {template}")
    with Pool(1, STRICT) as pool:
        assert [pool.call(os.getenv, name) for name in names] == [f"of {template}"] * len(names)
        assert pool.call(state)[3] == template


def test_a_template_that_is_gone_is_started_again() -> None:
    with Pool(1, STRICT) as pool:
        *_, template = pool.call(state)
        os.kill(template, signal.SIGKILL)
        with pytest.raises(ForerunError, match="SIGKILL"):
            pool.call(time.sleep, 60)  # what it has forked ends, too
        *_, another = pool.call(state)
        assert another != template


def test_a_template_lives_as_long_as_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(1, STRICT) as pool:
        *_, template = pool.call(state)
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        with Pool(1, STRICT) as other:
            assert other.call(state)[3] != template
        assert pool.call(state)[3] == template
    with pytest.raises(ProcessLookupError):
        os.kill(template, 0)


def test_a_process_that_was_waited_for_is_killed_no_more(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        found = forking.start(os.write, b"to what was passed", output=out.fileno(), passed=out.fileno())
        assert found.wait() == found.wait() == 0
        found.kill()
    assert (tmp_path / "out").read_bytes() == b"to what was passed"
