"""Labelled facts: what a model reads, and the number that was measured of it."""

from __future__ import annotations

from dataclasses import dataclass


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
