"""Trials, content-addressed, in one SQLite file: cache, log and dataset in one.

A row is keyed by what was asked (task with its version, source), the answer's text and the tool that measured it.
Beside them stand drafts of models that cost more than looking them up, by a key of whoever asked for them.
SQLite's write-ahead log keeps the file whole through a kill at any moment, and lets two builds share it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from forerun.core import Grammar, Measurement, Source, Task, Trial
from forerun.errors import ForerunError

A = TypeVar("A")

_PATIENCE_S = 60.0
"""How long to wait for others who write."""

_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    key TEXT PRIMARY KEY, lang TEXT NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL,
    text BLOB NOT NULL, reference BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS trials (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, source TEXT NOT NULL REFERENCES sources(key),
    answer BLOB, digest TEXT NOT NULL, tool TEXT NOT NULL, measured TEXT NOT NULL, parts BLOB NOT NULL,
    checked INTEGER NOT NULL, error TEXT NOT NULL,
    logprob REAL, origin TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS once ON trials (task, source, digest, tool);
CREATE TABLE IF NOT EXISTS drafts (key TEXT PRIMARY KEY, written BLOB NOT NULL);
"""

_LITTLE = 1 << 16
"""Bytes: a disk that has no more left is full."""
_OTHER_STORE = "name another place: FORERUN_CACHE, or --store of a command that has it"


@dataclass(frozen=True, slots=True)
class Written:
    """A draft, its answer as text."""

    answer: str
    logprob: float | None
    origin: str


@dataclass(frozen=True, slots=True)
class Row:
    """A stored trial, its answer as text."""

    task: str
    source: Source
    answer: str | None
    measurement: Measurement
    logprob: float | None
    origin: str


class Store:
    """Use as a context manager, one for each thread. Raises ForerunError where the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failed = False
        """Whether it took no more once, which was told: the searches that share it go on without."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)
            self._write_ahead()
            self._db.execute("PRAGMA synchronous = NORMAL")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, _FORMAT):
                self._db.close()
                raise ForerunError(
                    f"the store {path} is of another version",
                    f"it has format {found}, this version reads {_FORMAT}",
                    f"take the version that wrote it, or {_OTHER_STORE}",
                )
            if not found or not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'drafts'").fetchone():
                self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT;")
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def _write_ahead(self) -> None:
        """For this change SQLite does not wait until others who open the file are done: so we do."""
        ends = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > ends:
                    raise
                time.sleep(0.01)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def known(self, task: Task[A], source: Source, tool: str) -> dict[str, Measurement]:
        """What was measured of a source with this tool, by the answer's text. Errors of the moment are left out."""
        rows = self._query(
            "SELECT answer, measured, parts, checked, error, tool FROM trials"
            " WHERE task = ? AND source = ? AND tool = ? AND answer IS NOT NULL",
            (task.id, source.key, tool),
        )
        try:
            measured = {_unpack(row[0]): _measurement(*row[1:]) for row in rows}
        except (zlib.error, TypeError, ValueError) as error:
            raise self._unusable(error) from error
        return {answer: m for answer, m in measured.items() if not m.transient}

    def baseline(self, task: Task[A], source: Source, tool: str) -> Measurement | None:
        """What this tool measured of a source's baseline; None where it did not."""
        rows = self._query(
            "SELECT measured, parts, checked, error, tool FROM trials"
            " WHERE task = ? AND source = ? AND digest = '' AND tool = ? AND answer IS NULL",
            (task.id, source.key, tool),
        )
        try:
            return _measurement(*rows[0]) if rows else None
        except (zlib.error, TypeError, ValueError) as error:
            raise self._unusable(error) from error

    def drafts(self, key: str) -> list[Written] | None:
        """What `add_drafts` was given; None where nothing was."""
        rows = self._query("SELECT written FROM drafts WHERE key = ?", (key,))
        try:
            return [Written(*each) for each in json.loads(_unpack(rows[0][0]))] if rows else None
        except (zlib.error, TypeError, ValueError) as error:
            raise self._unusable(error) from error

    def add_drafts(self, key: str, drafts: Iterable[Written]) -> None:
        """Writes drafts, instead of those that the key had."""
        packed = _pack(json.dumps([[each.answer, each.logprob, each.origin] for each in drafts]))
        try:
            self._db.execute("INSERT OR REPLACE INTO drafts VALUES (?,?)", (key, packed))
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def baselines(self, task: str) -> dict[str, Measurement]:
        """The latest measurement of each source's baseline for a task (by its id), by the source's key."""
        rows = self._query(
            "SELECT source, measured, parts, checked, error, tool FROM trials"
            " WHERE task = ? AND answer IS NULL ORDER BY id",
            (task,),
        )
        try:
            return {row[0]: _measurement(*row[1:]) for row in rows}
        except (zlib.error, TypeError, ValueError) as error:
            raise self._unusable(error) from error

    def add(self, trials: Iterable[Trial[A]], grammar: Grammar[A]) -> None:
        """Writes trials in one transaction; a trial that is already there is replaced."""
        rows = list(trials)
        sources = {t.source.key: t.source for t in rows}
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO sources VALUES (?,?,?,?,?,?)", map(_source, sources.values()))
            self._db.executemany(
                "INSERT OR REPLACE INTO trials"
                " (task, source, answer, digest, tool, measured, parts, checked, error, logprob, origin)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                [_row(t, grammar) for t in rows],
            )
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):  # a full disk may have ended the transaction already
                self._db.execute("ROLLBACK")
            raise self._unusable(error) from error

    def trials(self, task: str | None = None) -> Iterator[Row]:
        """Every stored trial, of one task (by its id) if asked, in the order it was written."""
        sources: dict[str, Source] = {}
        rows = self._query(
            "SELECT task, source, answer, logprob, origin, measured, parts, checked, error, tool FROM trials"
            " WHERE ? IS NULL OR task = ? ORDER BY source, id",
            (task, task),
        )
        for name, key, answer, logprob, origin, *measured in rows:
            if key not in sources:
                sources = {key: self.source(key)}
            text = None if answer is None else _unpack(answer)
            yield Row(name, sources[key], text, _measurement(*measured), logprob, origin)

    def tasks(self) -> list[str]:
        """Every task that has trials, by its id."""
        return [str(row[0]) for row in self._query("SELECT DISTINCT task FROM trials ORDER BY task", ())]

    def sources(self, task: str) -> list[Source]:
        """Every source that has trials of a task (by its id), in the order of their keys."""
        rows = self._query("SELECT DISTINCT source FROM trials WHERE task = ? ORDER BY source", (task,))
        return [self.source(row[0]) for row in rows]

    def source(self, key: str) -> Source:
        """A stored source. Raises KeyError."""
        rows = self._query("SELECT text, lang, name, target, reference FROM sources WHERE key = ?", (key,))
        if not rows:
            raise KeyError(key)
        text, lang, name, target, reference = rows[0]
        return Source(_unpack(text), lang, name, target, reference)

    def count(self) -> int:
        """How many trials are stored."""
        return int(self._query("SELECT count(*) FROM trials", ())[0][0])

    def _query(self, sql: str, arguments: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(sql, arguments).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> ForerunError:
        what = f"the store {self.path} cannot be used"
        with contextlib.suppress(OSError):
            if shutil.disk_usage(self.path.parent).free < _LITTLE:  # SQLite may say "disk I/O error"
                return ForerunError(what, "its disk is full", "free some space, or name another place: FORERUN_CACHE")
        if self.path.is_file() and not os.access(self.path.parent, os.W_OK):
            why = f"{self.path.parent} cannot be written to, and whoever reads it writes beside it"
            return ForerunError(what, why, f"copy it to a folder that can be, or {_OTHER_STORE}")
        if isinstance(error, OSError | sqlite3.OperationalError):  # what it holds may be whole
            return ForerunError(what, str(error), _OTHER_STORE)
        damaged = "if it is one of forerun, delete the file: it is damaged"
        return ForerunError(what, str(error), f"{_OTHER_STORE}; {damaged}")


def _source(source: Source) -> tuple[object, ...]:
    return source.key, source.lang, _utf8(source.name), source.target, _pack(source.text), source.reference


def _row(trial: Trial[A], grammar: Grammar[A]) -> tuple[object, ...]:
    measurement, draft = trial.measurement, trial.draft
    answer = None if draft.answer is None else grammar.text(draft.answer)
    # Plans that name many functions are long: the index holds their digest.
    digest = "" if answer is None else hashlib.sha256(answer.encode()).hexdigest()
    logprob = None if draft.logprob != draft.logprob else draft.logprob
    return (
        trial.task, trial.source.key, None if answer is None else _pack(answer), digest, measurement.tool,
        json.dumps(dict(measurement.values), sort_keys=True), _pack(json.dumps(dict(measurement.parts))),
        int(measurement.checked), _utf8(measurement.error), logprob, draft.origin,
    )  # fmt: skip


def _measurement(values: str, parts: bytes, checked: int, error: str, tool: str) -> Measurement:
    return Measurement(json.loads(values), bool(checked), error, tool, json.loads(_unpack(parts)))


def _utf8(text: str) -> str:
    """Names of files and symbols may be any bytes; SQLite's texts may not."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogateescape"))


def _unpack(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogateescape")
