"""Which rows a checkpoint has learned from or was calibrated on, so that it is never judged by them: `learned.json`.

A row is kept as a digest of its metric, device and program: whoever has the row finds it, nobody reads a program there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from forerun import plain
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models.encoder_decoder.checksums import again
from forerun.prompts import parts
from forerun.rows import Row
from forerun.splits import SIMILAR, Split

FILE = "learned.json"
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Learned:
    """Digests of the rows of the training and of the validation, sorted, and the split by group that they come from.

    Without rows it says nothing: of a checkpoint that does not tell.
    """

    train: tuple[str, ...] = ()
    validation: tuple[str, ...] = ()
    seed: int = 0
    similar: float = SIMILAR

    @classmethod
    def of(cls, train: Iterable[Row], validation: Iterable[Row], seed: int = 0, similar: float = SIMILAR) -> Learned:
        """Those of a split."""
        return cls(_sorted(map(_key, train)), _sorted(map(_key, validation)), seed, similar)

    def beside(self, before: Learned) -> Learned:
        """With what a checkpoint that it was started from had learned from."""
        train, validation = _sorted(self.train + before.train), _sorted(self.validation + before.validation)
        return replace(self, train=train, validation=validation)

    def unseen(self, found: Split) -> Split:
        """The test without what was learned from or calibrated on, the validation without what was learned from."""
        learned, seen = set(self.train), {*self.train, *self.validation}
        validation = [row for row in found.validation if _key(row) not in learned]
        return Split(found.train, validation, [row for row in found.test if _key(row) not in seen])

    def dealt(self, rows: Sequence[Row]) -> Split:
        """As they were dealt to the training, whatever other rows there were; what it has not had is the test, but for
        other rows of groups that it learned from or was calibrated on."""
        known = dict.fromkeys(self.validation, "validation") | dict.fromkeys(self.train, "train")
        places = [known.get(_key(row)) for row in rows]
        seen = {row.group for row, place in zip(rows, places, strict=True) if place}
        found = Split([], [], [])
        for row, place in zip(rows, places, strict=True):
            if place or row.group not in seen:
                getattr(found, place or "test").append(row)
        return found

    def save(self, folder: Path) -> None:
        """Writes `learned.json`; where it says nothing there is none."""
        if self.train:
            write_atomically(folder / FILE, (json.dumps(asdict(self)) + "\n").encode())
        else:
            (folder / FILE).unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> Learned:
        """Reads what `save` wrote; it says nothing where there is no such file. Raises InputError."""
        path = folder / FILE
        try:
            return plain.read(path.read_text(encoding="utf-8"), cls) if path.is_file() else cls()
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{path} cannot be read", reason(error), again(folder, FILE)) from error


def _sorted(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(keys)))


def _key(row: Row) -> str:
    asked = parts(row.prompt)
    what = "\0".join((row.metric, asked.head.get("device", ""), asked.text))
    return hashlib.sha256(what.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
