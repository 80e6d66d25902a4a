"""What a checkpoint answers from a few numbers that it was told: `carried.json`, a `Transfer` for each of them.

They stand for a metric, a language and a device as prompts spell them. All that it knew before it still knows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forerun.distribution import Distribution
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models.encoder_decoder.card import Kind
from forerun.models.transfer import Ask, Transfer
from forerun.prompts import parts

FILE = "carried.json"
Place = tuple[str, str, str]
"""Metric, language with its tool, device."""


@dataclass(frozen=True)
class Carried:
    """By place."""

    members: Mapping[Place, Transfer]

    def known(self, prompt: str) -> str:
        """The prompt as a question that the network knows: itself, where nothing was carried over for it."""
        member = self.members.get(place(prompt))
        return member.known(prompt) if member else prompt

    def read(self, prompts: Sequence[str]) -> dict[int, tuple[Distribution, float]]:
        """What is believed of those prompts that something was carried over for, and how near its rows are."""
        places, found = defaultdict(list), dict[int, tuple[Distribution, float]]()
        for i, prompt in enumerate(prompts):
            places[place(prompt)].append(i)
        for where, here in places.items():
            if member := self.members.get(where):
                found |= zip(here, member.read([prompts[i] for i in here]), strict=True)
        return found

    def save(self, folder: Path) -> None:
        """Writes `carried.json`; removes it where there is nothing to write."""
        if not self.members:
            (folder / FILE).unlink(missing_ok=True)
            return
        rows = [{"place": list(where), "transfer": member.to_json()} for where, member in self.members.items()]
        write_atomically(folder / FILE, (json.dumps(rows) + "\n").encode())

    @classmethod
    def load(cls, folder: Path, ask: Ask, kinds: Sequence[Kind]) -> Carried:
        """Reads what `save` wrote; an empty one where there is no such file. Raises InputError."""
        path = folder / FILE
        if not path.is_file():
            return cls({})
        try:
            members = {}
            for row in json.loads(path.read_text(encoding="utf-8")):
                metric, language, device = map(str, row["place"])
                members[metric, language, device] = Transfer.from_json(row["transfer"], ask, kinds)
            return cls(members)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            todo = "make it again (forerun train --recipe adapt), or delete it"
            raise InputError(f"{path} cannot be read", reason(error), todo) from error


def place(prompt: str) -> Place:
    """What a prompt asks."""
    head = parts(prompt).head
    return head.get("metric", ""), head.get("language", ""), head.get("device", "")
