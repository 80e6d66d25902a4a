from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forerun import sandbox
from forerun.errors import ForerunError
from forerun.sandbox import Limits, Pool, processor_time
from tests.toy import Guess, OneHalf, TwoHalves, source


@pytest.fixture(scope="module")
def strict():  # type: ignore[no-untyped-def]
    with Pool(2, Limits(timeout_s=2, memory_bytes=2 << 30)) as pool:
        yield pool


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("aaaa", "crash: SIGSEGV"),
        ("caca", "crash: SIGABRT: Error: the driver is gone"),
        ("bbbb", "timeout: stopped after 2 s"),
        ("cccc", "memory: the worker reached its memory limit"),
        ("abab", "RuntimeError: a mistake in the task"),
        ("acac", "it cannot be read: it is written backwards"),
    ],
)
def test_what_goes_wrong_is_a_measurement(strict: Pool, word: str, error: str) -> None:
    found = dict(strict.measure(Guess(), source(), ["a", word, "b", "c"]))
    assert found[1].error == error
    assert all(found[i].ok for i in (0, 2, 3))


def test_a_step_may_use_the_processor_so_long_and_what_comes_after_longer() -> None:
    with Pool(1, Limits(timeout_s=60)) as pool:
        found = dict(pool.measure(Guess(), source(), ["baba", "a"]))
        assert found[0].error == "timeout: stopped after more time of the processor than this step may take"
        assert found[1].ok and pool.call(busy, 2.5) >= 2.5


def busy(seconds: float) -> float:
    with processor_time(1.0):
        pass
    while time.process_time() < seconds:
        pass
    return time.process_time()


def test_answers_keep_their_places(strict: Pool) -> None:
    words = ["a", "ab", "abc", "abca", "b", "c"]
    found = dict(strict.measure(Guess(), source(), words))
    assert [found[i].values["distance"] for i in range(6)] == [3, 2, 1, 0, 4, 4]


def test_a_task_and_a_source_may_change_between_requests(strict: Pool) -> None:
    for word, expected in (("aaab", 3.0), ("baaa", 4.0), ("aaab", 3.0)):
        assert dict(strict.measure(Guess(), source(word), ["ac"]))[0].values["distance"] == expected


def test_several_sources_are_measured_side_by_side(strict: Pool) -> None:
    asked = [(Guess(), source(word), "ac") for word in ("aaab", "baaa", "aaab", "acaa", "baaa")]
    found = dict(strict.measure_each(asked))
    alone = [dict(strict.measure(Guess(), where, ["ac"]))[0].values["distance"] for _, where, _ in asked]
    assert [found[i].values["distance"] for i in range(5)] == alone and len(set(alone)) > 1


def test_stopping_early_leaves_a_usable_pool(strict: Pool) -> None:
    for _ in strict.measure(Guess(), source(), ["a", "bbbb", "b"]):
        break
    assert dict(strict.measure(Guess(), source(), ["abca"]))[0].values["distance"] == 0


def test_a_function_can_be_called(strict: Pool) -> None:
    assert strict.call(os.path.basename, "/a/b") == "b"
    with pytest.raises(ForerunError, match="basename failed"):
        strict.call(os.path.basename, 3)
    with pytest.raises(ForerunError):
        strict.call(os.abort)
    assert strict.call(os.path.basename, "/a/c") == "c"


def test_a_library_that_does_not_fit_is_a_matter_of_memory() -> None:
    said = "ImportError: /usr/lib/x.so: failed to map segment from shared object"
    assert sandbox._cause(1, f"Traceback\n{said}\n") == "memory: the worker reached its memory limit"


def test_who_waits_for_a_call_hears_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_TOLD_S", 0.05)
    heard = list[float]()
    with Pool(1, Limits(timeout_s=60.0)) as pool:
        pool.call(time.sleep, 0.5, on_wait=lambda: heard.append(time.monotonic()))
    assert len(heard) > 2


def test_what_to_do_about_a_failed_call_is_the_callers_or_fits_the_failure(strict: Pool) -> None:
    limit, other = "FORERUN_MEMORY", "without forerun"
    for function, argument, said in ((bytearray, 3 << 30, limit), (sys.exit, 3, other), (os.path.basename, 3, other)):
        with pytest.raises(ForerunError) as error:
            strict.call(function, argument)
        assert said in error.value.todo
    with pytest.raises(ForerunError) as error:
        strict.call(os.abort, todo="run it with python")
    assert error.value.todo == "run it with python"


def test_two_workers_work_at_once() -> None:
    with Pool(2, Limits(timeout_s=1)) as pool:
        dict(pool.measure(Guess(), source(), ["a", "b"]))
        start = time.monotonic()
        dict(pool.measure(Guess(), source(), ["bbbb", "bbbb"]))
        assert time.monotonic() - start < 1.9  # two hangs of 1 s beside each other


def test_what_is_timed_is_timed_alone(tmp_path: Path) -> None:
    words = ["a", "b", "c", "ab", "ac", "ba", "bc", "abc", "acb", "bac"]
    with Pool(2) as pool:
        found = dict(pool.measure(TwoHalves(str(tmp_path / "log")), source(), words))
    assert all(found[i].ok for i in range(len(words)))
    halves = _halves(tmp_path / "log")
    ends = [times for name, _, *times in halves if name == "end"]
    begins = [times for name, _, *times in halves if name == "begin"]
    assert len(begins) == len(ends) == len(words)
    assert sum(_overlap(a, b) for a in begins for b in begins if a is not b) >= len(words) / 2
    assert not any(_overlap(a, b) for a in ends for b in (*begins, *ends) if a is not b)


def test_what_a_dead_worker_had_begun_is_begun_again(tmp_path: Path) -> None:
    words = ["a", "ab", "aaaa", "ca", "b", "cb", "ac", "bc"]
    with Pool(2, Limits(timeout_s=2)) as pool:
        found = dict(pool.measure(TwoHalves(str(tmp_path / "log")), source(), words))
    errors = {word: found[i].error for i, word in enumerate(words)}
    assert errors["aaaa"] == errors["ca"] == "crash: SIGSEGV"
    assert errors["cb"] == "timeout: stopped after 2 s"
    assert not any(errors[word] for word in words if word not in ("aaaa", "ca", "cb"))
    ended = [word for name, word, *_ in _halves(tmp_path / "log") if name == "end"]
    assert sorted(ended) == sorted(set(words) - {"aaaa"})


def test_halves_of_a_caller_who_stops_listening_are_left(tmp_path: Path) -> None:
    task = TwoHalves(str(tmp_path / "log"))
    with Pool(2) as pool:
        for _ in pool.measure(task, source(), ["a", "b", "c", "ab", "ac"]):
            break
        assert dict(pool.measure(task, source(), ["abca"]))[0].values["distance"] == 0


def test_a_measure_of_ones_own_is_asked_and_is_alone(tmp_path: Path) -> None:
    words = ["a", "ab", "abc", "abca"]
    with Pool(2) as pool:
        found = dict(pool.measure(OneHalf(str(tmp_path / "log")), source(), words))
    assert [found[i].values["distance"] for i in range(4)] == [6, 4, 2, 0]
    times = [times for _, _, *times in _halves(tmp_path / "log")]
    assert len(times) == 8 and not any(_overlap(a, b) for a in times for b in times if a is not b)


def _halves(log: Path) -> list[tuple[str, str, float, float]]:
    lines = (line.split() for line in log.read_text().splitlines())
    return [(name, word, float(start), float(end)) for name, word, start, end in lines]


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def test_callers_with_threads_are_safe() -> None:
    found: list[float] = []

    def work() -> None:
        with Pool(1) as pool:
            found.append(dict(pool.measure(Guess(), source(), ["abca"]))[0].values["distance"])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0, 0, 0]


def test_what_runs_is_ended_from_another_thread() -> None:
    with Pool(1) as pool, ThreadPoolExecutor(1) as thread:
        assert pool.call(abs, -1) == 1
        waits = thread.submit(pool.call, time.sleep, 600)
        while not waits.running():
            time.sleep(0.01)
        time.sleep(0.2)
        pool.kill()
        with pytest.raises(ForerunError, match="SIGKILL"):
            waits.result(timeout=60)
        assert pool.call(abs, -2) == 2  # by a new worker


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "from forerun.sandbox import Pool; from tests.toy import Guess, TwoHalves, source\n"
        "with Pool(1) as pool:\n"
        "    for _ in pool.measure(Guess(), source(), ['a', 'bbbb']):\n"
        "        print(pool._workers[0]._process.pid, flush=True)\n"
    )
    root = Path(__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"}
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=env)
    assert parent.stdout
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(50):
        if not Path(f"/proc/{worker}").exists() or "zombie" in Path(f"/proc/{worker}/status").read_text():
            return
        time.sleep(0.1)
    pytest.fail("the worker outlived its parent by 5 s")
