"""JSON becomes values of the kinds that were asked for, or is told what is wrong where."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest

from forerun.plain import read


@dataclass(frozen=True)
class Inner:
    name: str
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    rate: float = 1.0
    on: bool = False
    most: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)


def test_values_come_back() -> None:
    value = Outer((Inner("a", (1, 2)), Inner("b")), 2, True, 3, {"x": 1}, {"y": [None, "z"]})
    assert read(json.dumps(asdict(value)), Outer) == value
    assert read('{"inner": []}', Outer) == Outer(())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", r"it is \[\], no object"),
        ("{}", "missing entries: inner"),
        ('{"inner": {}}', r"inner is {}, not tuple"),
        ('{"inner": [{"name": 1}]}', r"inner\[0\].name is 1, not str"),
        ('{"inner": [{"name": "a", "sizes": [1, "2"]}]}', r'sizes\[1\] is "2", not int'),
        ('{"inner": [], "rate": "fast"}', 'rate is "fast", not float'),
        ('{"inner": [], "rate": true}', "rate is true, not float"),
        ('{"inner": [], "on": 1}', "on is 1, not bool"),
        ('{"inner": [], "most": 1.5}', r"most is 1.5, not int \| None"),
        ('{"inner": [], "counts": {"x": null}}', "counts.x is null, not int"),
        ('{"inner": [], "rest": 3}', "rest is 3, not Mapping"),
        ('{"inner": [], "other": 3}', "unknown entries: other"),
    ],
)
def test_what_is_wrong_is_named(text: str, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        read(text, Outer)
