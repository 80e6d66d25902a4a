"""Labelled facts: what a model reads, and the number that was measured of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forerun.errors import InputError


@dataclass(frozen=True, slots=True)
class Row:
    """One fact. `value` is in `unit`; `group` is what must not be split: a problem, a project, an architecture."""

    metric: str
    unit: str
    prompt: str
    """As `forerun.prompts.prompt` writes it."""
    value: float
    group: str = ""
    device: str = ""
    name: str = ""
    licence: str = ""


def check_units(rows: Iterable[Row], where: str) -> None:
    """Raises InputError where numbers of one metric are in several units: they would be taken for one."""
    units: dict[str, Row] = {}
    for row in rows:
        other = units.setdefault(row.metric, row)
        if other.unit != row.unit:
            told = (f"{one.unit or 'no unit'}{f' ({one.name})' if one.name else ''}" for one in (other, row))
            todo = "write all of them in one unit, or give what was measured otherwise a name of its own"
            raise InputError(f"{where}: {row.metric} is in several units", " and ".join(told), todo)
