"""Prompts: what is written is what is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forerun.core import Metric
from forerun.prompts import COUNTER, Parts, parts, plain, prompt, without_counters

MEMORY = Metric("memory", "B")


@given(st.text(), st.dictionaries(st.text("abc_", min_size=1), st.floats(allow_nan=False)))
def test_a_prompt_is_taken_apart_into_what_it_was_made_of(text: str, counters: dict[str, float]) -> None:
    made = prompt(MEMORY, "c, clang", "a\nmachine", text, counters=counters, notes=["input 3 B"])
    found = parts(made)
    assert found.text == plain(text)
    assert found.head == {
        "metric": "memory",
        "unit": "B",
        "language": "c, clang",
        "device": "a machine",
        "input": "3 B",
    }
    assert found.counters == {name: COUNTER.round((value,))[0] for name, value in counters.items()}


def test_a_text_without_a_head_is_all_program() -> None:
    for text in ("", "int x;", "a\n\nb", "metric\n"):
        assert parts(text) == Parts({}, {}, text)


def test_plain_text_has_no_counters() -> None:
    with_them, without = (
        prompt(MEMORY, "c", "here", "int x;\n\ncounters y", counters=counters, notes=["input 3 B"])
        for counters in ({"loops": 2.0}, {})
    )
    assert without_counters(with_them) == without_counters(without) == without
    assert without_counters("a\n\ncounters b") == "a\n\ncounters b"
