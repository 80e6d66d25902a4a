"""From a folder of programs to trials, and from trials to a coreset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forerun import settings
from forerun.core import Draft, Measurement, Source, Trial
from forerun.grammars.pipelines import Plan, flatten
from forerun.models.coreset import Coreset, shipped
from forerun.store import Store
from forerun.train.coreset import Module, children, learn


def test_collecting_and_learning(two_files: Path, run_forerun: Any, tmp_path: Path) -> None:
    collect = ("collect", "passes", "--folder", str(two_files), "--budget", "6", "--format", "json")
    code, out, err = run_forerun(*collect)
    assert code == 0 and "expected parameter declarator" in err, err
    rows = json.loads(out)
    assert rows[0]["modules"] == 1 and rows[0]["trials"] == 6
    with Store(settings.cache_folder() / "trials.sqlite") as store:
        count = store.count()
    # Called again it has nothing to measure.
    assert run_forerun(*collect)[1] == out
    with Store(settings.cache_folder() / "trials.sqlite") as store:
        assert store.count() == count
        assert not list(two_files.glob("*.o"))

    output = tmp_path / "coreset.json"
    sizes = ("--search", "6", "--candidates", "4", "--generations", "1", "--size", "3")
    code, out, err = run_forerun("train", "passes", *sizes, "-o", str(output), "--format", "json")
    assert code == 0, err
    learned = json.loads(output.read_text())
    gains = [entry["gain"] for entry in learned["entries"]]
    assert 1 <= len(gains) <= 3 and gains == sorted(gains) and gains[-1] > 0
    assert learned["modules"] == 1 and learned["recipe"]["candidates"] == 4
    again = tmp_path / "again.json"
    run_forerun("train", "passes", *sizes, "-o", str(again))
    assert again.read_text() == output.read_text()


def test_there_must_be_something_to_learn_from(run_forerun: Any, tmp_path: Path) -> None:
    code, _, err = run_forerun("train", "passes", "--store", str(tmp_path / "none.sqlite"))
    assert code == 1 and "forerun collect" in err
    code, _, err = run_forerun("collect", "passes")
    assert code == 2 and "--debian" in err
    for word, hint in ((str(tmp_path), f"--folder {tmp_path};"), ("c", "--folder DIR, a language so: --language c;")):
        code, _, err = run_forerun("collect", "memory", word)
        assert code == 2 and hint in err
    code, _, err = run_forerun("collect", "size", "c")
    assert code == 2 and "--folder DIR; see:" in err
    code, _, err = run_forerun("collect", "passes", "--folder", str(tmp_path / "nowhere"))
    assert code in (1, 2) and "Traceback" not in err


def test_the_shipped_coreset_is_one_that_can_be_read_and_says_where_it_comes_from() -> None:
    entries = shipped()
    assert len(entries) >= 20 and len(set(entries)) == len(entries)
    assert all(flatten(entry) for entry in entries)
    assert Coreset(entries).entries == entries


def module(baseline: float, **lists: dict[str, float]) -> Module:
    found = Module(baseline)
    for name, parts in lists.items():
        measured = Measurement({"text": sum(parts.values())}, checked=True, parts=parts)
        plan = Plan(("globalopt", f"function/{name}"))
        found.add(Trial("passes/3", Source("", "llvm"), Draft(plan), measured))
    return found


def test_greedy_selection_prefers_what_complements_what_is_chosen() -> None:
    # a is best alone; b equals it on one function only, c is good exactly where a is not.
    modules = [
        module(100, a={"f": 20, "g": 60}, b={"f": 20, "g": 70}, c={"f": 60, "g": 30}),
        module(100, a={"h": 80}, b={"h": 90}, c={"h": 100}),
    ]
    chosen = learn(modules, 3)
    assert [pipeline for pipeline, _ in chosen] == ["globalopt,function(a)", "globalopt,function(c)"]
    assert chosen[0][1] == pytest.approx((0.2 + 0.2) / 2)
    assert chosen[1][1] == pytest.approx((0.5 + 0.2) / 2)  # f from a, g from c; b adds nothing and is left out


def test_failed_trials_and_plans_for_single_functions_teach_nothing() -> None:
    found = Module(100)
    source = Source("", "llvm")
    failed = Measurement({"text": 1.0}, error="crash", parts={"f": 1.0})
    own = Measurement({"text": 1.0}, checked=True, parts={"f": 1.0})
    found.add(Trial("passes/3", source, Draft(Plan(("globalopt",))), failed))
    found.add(Trial("passes/3", source, Draft(Plan((), (("f", ("function/a",)),))), own))
    assert found.sizes == {}


def test_children_keep_the_steps_for_the_whole_module() -> None:
    local = ("function/gvn<>", "function/sroa<modify-cfg>")
    made = children(["globalopt,function(gvn<>)"], local, 5, seed=1)
    assert made == children(["globalopt,function(gvn<>)"], local, 5, seed=1)
    assert all(flatten(pipeline)[0] == "globalopt" for pipeline in made)
