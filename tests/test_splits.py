"""Splits: groups and near-duplicates stay together, and rows stay where they are when others come."""

from __future__ import annotations

import hashlib
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
from forerun.splits import SIMILAR, Split, groups_of, near_duplicates, place, split

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


@settings(max_examples=40)
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


@settings(max_examples=10)
@given(st.integers(1, 20), st.integers(0, 9))
def test_rows_stay_where_they_are_when_others_come(more: int, seed: int) -> None:
    for named in (True, False):
        rows = [row(program(i), f"g{i}" * named) for i in range(250 + more)]
        before, after = where(split(rows[:250], "group", seed)), where(split(rows[::-1], "group", seed))
        assert all(after[one] == before[one] for one in rows[:250])
        assert not named or all(after[one] == place(one.group, seed) for one in rows)


def test_small_tables_are_dealt_by_their_shares() -> None:
    rows = [row(program(i), f"p{i}") for i in range(60)]
    for seed in range(40):
        sizes = [len(part) for part in vars(split(rows, "group", seed, similar=2)).values()]
        assert min(sizes[1:]) >= 6 and sizes[0] >= 35


def test_shares_are_about_right_and_seeds_differ() -> None:
    places = [[place(f"key {i}", seed) for i in range(5000)] for seed in (0, 1)]
    for found in places:
        counts = Counter(found)
        assert abs(counts["train"] - 4000) < 150 and abs(counts["test"] - 500) < 100
    assert places[0] != places[1]
    rows = [row(program(i), f"g{i}") for i in range(60)]
    assert where(split(rows, "group", 0)) == where(split(rows, "group", 0)) != where(split(rows, "group", 1))


def test_a_cluster_goes_where_its_smallest_key_goes() -> None:
    same, others = program(1), [row(program(i), f"q{i}") for i in range(2, 240)]
    for seed in range(4):
        rows = [row(same, "z"), row(edited(same, 30), "a"), row(program(999), "z"), *others]
        found = where(split(rows, "group", seed))
        assert {found[one] for one in rows[:3]} == {place("a", seed)}
        assert all(found[one] == place(one.group, seed) for one in others)


def test_families_that_share_programs_are_held_out_and_what_they_share_is_left_out() -> None:
    shared = program(0)
    own = [row(program(1 + i), f"f{i // 4}") for i in range(400)]
    rows = [*own, *(row(edited(shared, 10 + i % 40), f"f{i}") for i in range(100))]
    with pytest.raises(UsageError, match="that leaves 1"):
        split(rows, "group")
    for seed in range(3):
        found = split(rows, "family", seed)
        families = [{one.group for one in kept} for kept in vars(found).values()]
        assert sum(map(len, families)) == len(set().union(*families)) == 100
        # What all share is learned from, and judges nobody.
        assert [len(kept) for kept in vars(found).values()] == [
            n * len(f) for n, f in zip((5, 4, 4), families, strict=True)
        ]
    with pytest.raises(UsageError, match="nothing can be held out"):
        split(rows[:8], "family")


def test_why_nothing_can_be_held_out_has_a_next_step() -> None:
    alike = [row(program(0) + f"x{i}", f"g{i}") for i in range(9)]
    shared = [row(program(i % 4), f"g{i // 4}") for i in range(16)]
    with pytest.raises(UsageError) as caught:
        split(alike, "group")
    assert "near-duplicates" in caught.value.why and "(--similar 2)" in caught.value.todo
    assert split(alike, "group", similar=2).train
    for similar in (0.8, 2.0):
        with pytest.raises(UsageError) as caught:
            split(shared, "group", similar=similar)
        assert caught.value.why == "of 4 groups, those that hold the same text are one: that leaves 1"
        assert "in no other" in caught.value.todo and "rows without groups" in caught.value.todo
        assert "similar" not in caught.value.todo
    assert split([row(parts(one.prompt).text, "") for one in shared], "group").train


@settings(max_examples=60)
@given(st.integers(3, 25), st.integers(0, 999))
def test_no_part_is_empty_and_only_as_many_move_as_parts_lack(groups: int, seed: int) -> None:
    rows = [row(program(i), f"g{i % groups}") for i in range(groups + 5)]
    for by in ("group", "random"):
        parts_of = split(rows, by, seed)  # type: ignore[arg-type]
        assert parts_of.train and parts_of.validation and parts_of.test
        found = where(parts_of)
        assert found == where(split(rows[::-1], by, seed))  # type: ignore[arg-type]
        if by == "group":
            hashed = {one.group: place(one.group, seed) for one in rows}
            moved = {one.group for one in rows if found[one] != hashed[one.group]}
            tenth = max(1, round(len(hashed) / 10))
            least = {"train": min(10, len(hashed) - 2 * tenth), "validation": tenth, "test": tenth}
            had = Counter(hashed.values())
            assert len(moved) == sum(max(0, most - had[name]) for name, most in least.items())
            assert all(had[hashed[name]] > least[hashed[name]] for name in moved)


def test_what_is_too_large_to_be_held_out_is_learned_from() -> None:
    for others, large in ((2, 8), (8, 4), (60, 15)):  # four fifths, a third, a fifth of all rows
        held = next(name for i in range(99) if place(name := f"large {i}", 0) == "test")
        small = [row(program(i), f"g{i}") for i in range(others)]
        rows = [*small, *(row(program(100 + i), held) for i in range(large))]
        for by in ("group", "family"):
            found = split(rows, by)  # type: ignore[arg-type]
            assert found.train and found.validation and found.test
            assert {one.group for one in [*found.validation, *found.test]} <= {one.group for one in small}
    assert held in {one.group for one in split(rows[:-1]).test}  # as its hash says, where it is not so large


def test_of_groups_that_all_hash_to_the_training_the_last_are_held_out() -> None:
    names = [name for i in range(40) if place(name := f"g{i}", 0) == "train"][:12]
    order = sorted(names, key=lambda name: hashlib.sha256(f"0\0{name}".encode()).digest())
    found = where(split([row(program(i), name) for i, name in enumerate(names)]))
    placed = {one.group: part for one, part in found.items()}
    assert placed == dict.fromkeys(names, "train") | {order[-2]: "validation", order[-1]: "test"}


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


@pytest.mark.parametrize(
    ("by", "groups", "why", "todo"),
    [
        ("group", "a", "all rows are of 1 group", "at least 3 groups"),
        ("group", "ab", "all rows are of 2 groups", "at least 3 groups"),
        ("random", "abc", "all rows are of 2 distinct programs", "at least 3 distinct programs"),
        (
            "group",
            "abcd",
            "of 4 groups, those that hold near-duplicates of each other are one: that leaves 2",
            "above 1",
        ),
    ],
)
def test_nothing_to_hold_out_is_refused(by: str, groups: str, why: str, todo: str) -> None:
    texts = [program(1), program(1), program(2), edited(program(2), 5)]
    if by == "random":
        texts = texts[:3]
    rows = [row(text, (groups * 4)[i]) for i, text in enumerate(texts)]
    with pytest.raises(UsageError, match="nothing can be held out") as caught:
        split(rows, by)  # type: ignore[arg-type]
    assert caught.value.why == why and todo in caught.value.todo
    assert ("similar" in caught.value.todo) == (len(set(groups)) == 4)
    assert "without groups" not in caught.value.todo  # two programs differ, and would not do either


def test_what_helps_where_groups_are_few_helps() -> None:
    rows = [row(program(i), "the only one") for i in range(9)]
    with pytest.raises(UsageError, match="nothing can be held out") as caught:
        split(rows)
    assert caught.value.todo.endswith("or rows without groups: then each distinct program is one")
    assert split([replace(one, group="") for one in rows]).test


def test_a_row_without_a_group_is_of_that_of_its_text() -> None:
    names = groups_of([row("a"), row("b", "g"), row("a", metric="runtime"), row("c")])
    assert names[0] == names[2] and names[1] == "g" and len(set(names)) == 3


def test_no_rows_and_no_such_split() -> None:
    with pytest.raises(UsageError, match="no split"):
        split([], "time")  # type: ignore[arg-type]
    for similar in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="similar="):
            split([row(program(i)) for i in range(9)], similar=similar)
    assert split([]) == Split([], [], [])
