from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from forerun.core import Draft, Measurement, Trial
from forerun.errors import ForerunError
from forerun.store import Store, Written
from tests.toy import Guess, Letters, source

TASK, GRAMMAR = Guess(), Letters()


def trial(word: str, distance: float = 1, error: str = "") -> Trial[str]:
    measurement = Measurement({"distance": distance}, not error, error, "toy 1", {"part": distance})
    return Trial(TASK.id, source(), Draft(word, -1.5, "test"), measurement)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with Store(tmp_path / "a" / "trials.sqlite") as store:
        store.add([trial("ab"), trial("abc", 2)], GRAMMAR)
        rows = list(store.trials(TASK.id))
        assert [(r.answer, r.measurement, r.logprob, r.origin) for r in rows] == [
            ("a b", trial("ab").measurement, -1.5, "test"),
            ("a b c", trial("abc", 2).measurement, -1.5, "test"),
        ]
        assert rows[0].source == source() and store.count() == 2
        assert store.sources(TASK.id) == [source()] and store.sources("other") == []


def test_known_answers_are_those_of_the_task_source_and_tool(tmp_path: Path) -> None:
    with Store(tmp_path / "t.sqlite") as store:
        store.add([trial("ab"), trial("b", error="crash: x"), trial("c", error="timeout: x")], GRAMMAR)
        # A crash will come again; a timeout may have been this machine's bad minute.
        assert set(store.known(TASK, source(), "toy 1")) == {"a b", "b"}
        assert store.known(TASK, source(), "toy 2") == {}
        assert store.known(TASK, source("other"), "toy 1") == {}


def test_the_same_trial_is_kept_once(tmp_path: Path) -> None:
    with Store(tmp_path / "t.sqlite") as store:
        store.add([trial("ab", 3)], GRAMMAR)
        store.add([trial("ab", 2)], GRAMMAR)
        assert [r.measurement.values["distance"] for r in store.trials()] == [2]


def test_a_baseline_is_known_by_task_source_and_tool(tmp_path: Path) -> None:
    first = Measurement({"distance": 3}, True, "", "toy 1")
    with Store(tmp_path / "t.sqlite") as store:
        store.add([trial("ab"), Trial(TASK.id, source(), Draft(None), first)], GRAMMAR)
        assert store.baseline(TASK, source(), "toy 1") == first
        assert store.baseline(TASK, source(), "toy 2") is None and store.baseline(TASK, source("b"), "toy 1") is None


def test_drafts_are_kept_by_their_key(tmp_path: Path) -> None:
    drafts = [Written("a b", -1.5, "test"), Written("a", None, "")]
    path = tmp_path / "t.sqlite"
    with Store(path) as store:
        store.add_drafts("k", [])
        store.add_drafts("k", drafts)
    with Store(path) as store:
        assert store.drafts("k") == drafts and store.drafts("other") is None
    with sqlite3.connect(path) as db:  # as a store was before it had any
        db.execute("DROP TABLE drafts")
    db.close()
    with Store(path) as store:
        assert store.drafts("k") is None
        store.add_drafts("k", drafts)
        store._db.execute("UPDATE drafts SET written = 'cut'")
        with pytest.raises(ForerunError, match="cannot be used"):
            store.drafts("k")


def test_two_stores_share_one_file(tmp_path: Path) -> None:
    with Store(tmp_path / "t.sqlite") as one, Store(tmp_path / "t.sqlite") as two:
        one.add([trial("a")], GRAMMAR)
        two.add([trial("b")], GRAMMAR)
        assert one.count() == two.count() == 2


def test_kill_at_any_moment_leaves_a_whole_store(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    script = (
        "import sys; from pathlib import Path; from itertools import count; from forerun.store import Store\n"
        "from tests.test_store import trial, GRAMMAR\n"
        "with Store(Path(sys.argv[1])) as store:\n"
        "    for i in count(): store.add([trial(w, i) for w in ('a', 'b', 'c')], GRAMMAR); print(i, flush=True)\n"
    )
    root = Path(__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"}
    for round_ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, env=env)
        assert writer.stdout
        writer.stdout.readline()
        time.sleep(0.02 * round_)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
        with Store(path) as store:
            # A transaction holds all three words or none: their values are of one round.
            assert len({r.measurement.values["distance"] for r in store.trials()}) == 1
            assert store.count() == 3


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b"SQLite format 3\0 but cut"])
def test_a_file_that_is_no_store_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(content)
    with pytest.raises(ForerunError, match="cannot be used"):
        Store(path)


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ForerunError, match="cannot be used") as caught:
        Store(tmp_path / "file" / "t.sqlite")
    assert "FORERUN_CACHE" in caught.value.todo and "--store" in caught.value.todo


def test_no_store_that_may_be_whole_is_to_be_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "damaged").write_bytes(b"this is not a database" * 100)
    for name, deleted in (("damaged", True), (".", False)):  # SQLite opens no folder
        with pytest.raises(ForerunError, match="cannot be used") as caught:
            Store(tmp_path / name)
        assert ("delete" in caught.value.todo) == deleted and "--store" in caught.value.todo
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ForerunError, match="cannot be written to") as caught:
        Store(tmp_path / "damaged")
    assert "copy it" in caught.value.todo and "delete" not in caught.value.todo


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "t.sqlite") as store:
        store._db.execute("CREATE TRIGGER t BEFORE INSERT ON trials BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END")
        with pytest.raises(ForerunError) as caught:
            store.add([trial("ab")], GRAMMAR)
        assert caught.value.why == "disk I/O error" and "free some space" not in caught.value.todo
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
        with pytest.raises(ForerunError) as caught:
            store.add([trial("ab")], GRAMMAR)
    assert caught.value.why == "its disk is full" and "free some space" in caught.value.todo


def test_a_store_of_another_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(ForerunError, match="format 99") as caught:
        Store(path)
    assert "the version that wrote it" in caught.value.todo and "delete" not in caught.value.todo


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def opened(path: Path, gate: threading.Barrier) -> None:
        gate.wait()
        try:
            with Store(path) as store:
                store.count()
        except BaseException as error:
            errors.append(error)

    for turn in range(60):
        gate = threading.Barrier(6)
        threads = [threading.Thread(target=opened, args=(tmp_path / f"{turn}.sqlite", gate)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
