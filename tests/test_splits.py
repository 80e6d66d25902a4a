"""Splits: groups and near-duplicates stay together, and rows stay where they are when others come."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.core import Metric
from forerun.errors import UsageError
from forerun.prompts import parts, prompt
from forerun.rows import Row
from forerun.splits import SIMILAR, Split, near_duplicates, place, split

WORDS = [f"w{i}" for i in range(400)]


def program(seed: int, tokens: int = 60) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=tokens))


def edited(text: str, at: int) -> str:
    words = text.split()
    return " ".join([*words[:at], "changed", *words[at + 1 :]])


def row(text: str, group: str = "", device: str = "cpu", metric: str = "memory") -> Row:
    return Row(metric, "B", prompt(Metric(metric, "B"), "c", device, text), 1.0, group, device)


def where(found: Split) -> dict[Row, str]:
    named = {"train": found.train, "validation": found.validation, "test": found.test}
    return {one: name for name, rows in named.items() for one in rows}


@st.composite
def many(draw: st.DrawFn) -> list[Row]:
    """Programs of several groups, some of them edited copies of others."""
    seeds = draw(st.lists(st.integers(0, 30), min_size=3, max_size=25))
    rows = []
    for seed in seeds:
        text = program(seed)
        if draw(st.booleans()):
            text = edited(text, draw(st.integers(0, 59)))
        rows.append(row(text, f"g{draw(st.integers(0, 12))}", metric=draw(st.sampled_from(["memory", "runtime"]))))
    return rows


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


@settings(deadline=None, max_examples=40)
@given(many(), st.integers(0, 3), st.sampled_from(["random", "group"]))
def test_near_duplicates_and_groups_never_cross(rows: list[Row], seed: int, by: str) -> None:
    try:
        found = where(split(rows, by, seed))  # type: ignore[arg-type]
    except UsageError:
        return
    assert set(found) == set(rows)
    for a in rows:
        for b in rows:
            one, other = (shingles(parts(r.prompt).text) for r in (a, b))
            if len(one & other) >= SIMILAR * len(one | other) or (by == "group" and a.group == b.group):
                assert found[a] == found[b]


@settings(deadline=None, max_examples=30)
@given(st.integers(3, 20), st.integers(3, 20), st.integers(0, 9))
def test_rows_stay_where_they_are_when_others_come(few: int, more: int, seed: int) -> None:
    rows = [row(program(i), f"g{i}") for i in range(few + more)]
    for by in ("random", "group"):
        before, after = where(split(rows[:few], by, seed)), where(split(rows[::-1], by, seed))  # type: ignore[arg-type]
        assert all(after[one] == before[one] for one in rows[:few])


def test_shares_are_about_right_and_seeds_differ() -> None:
    places = [[place(f"key {i}", seed) for i in range(5000)] for seed in (0, 1)]
    for found in places:
        counts = Counter(found)
        assert abs(counts["train"] - 4000) < 150 and abs(counts["test"] - 500) < 100
    assert places[0] != places[1]
    rows = [row(program(i), f"g{i}") for i in range(60)]
    assert where(split(rows, "group", 0)) == where(split(rows, "group", 0)) != where(split(rows, "group", 1))


def test_a_cluster_goes_where_its_smallest_key_goes() -> None:
    same = program(1)
    for seed in range(10):
        rows = [row(same, "z"), row(edited(same, 30), "a"), row(program(2), "z"), row(program(3), "q")]
        found = where(split(rows, "group", seed))
        assert {found[one] for one in rows[:3]} == {place("a", seed)} and found[rows[3]] == place("q", seed)


def test_the_same_program_is_one_whatever_is_asked_of_it() -> None:
    rows = [row(program(i // 3), "", "ab"[i % 2], ("memory", "runtime")[i % 2]) for i in range(60)]
    found = where(split(rows, "random", 3))
    assert all(found[a] == found[b] for a in rows for b in rows if parts(a.prompt).text == parts(b.prompt).text)


def test_devices_are_held_out_whole() -> None:
    rows = [row(program(i), "", f"device {d}") for i in range(4) for d in range(23)]
    found = split(rows, "device", 0)
    devices = [{one.device for one in part} for part in (found.train, found.validation, found.test)]
    assert [len(names) for names in devices] == [19, 2, 2] and len(set().union(*devices)) == 23
    with pytest.raises(UsageError, match="too few devices"):
        split([replace(one, device="only") for one in rows], "device")


def test_what_is_similar_is_a_matter_of_shingles() -> None:
    text = program(5, 400)
    distant = text
    for at in range(0, 400, 20):
        distant = edited(distant, at)
    texts = [text, edited(text, 200), distant, text.replace(" ", "\n"), program(6, 400), "", "x", "x y", ""]
    assert near_duplicates(texts) == [0, 0, 2, 0, 4, 5, 6, 7, 5]
    assert near_duplicates(texts, 2.0) == [0, 1, 2, 3, 4, 5, 6, 7, 5]


def test_chains_are_one_cluster() -> None:
    chain = [program(9, 200)]
    for at in range(0, 200, 9):
        chain.append(edited(chain[-1], at))
    one, last = (shingles(text) for text in (chain[0], chain[-1]))
    assert len(one & last) < SIMILAR * len(one | last)
    assert set(near_duplicates(chain)) == {0}


def test_nothing_to_hold_out_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing can be held out"):
        split([row("int x;", "a"), row("int x;", "b")])
    with pytest.raises(UsageError, match="no split"):
        split([], "time")  # type: ignore[arg-type]
    assert split([]) == Split([], [], [])
