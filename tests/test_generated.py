"""Programs whose sizes are drawn: the same ones each time, and all of them run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from forerun.corpora._dialects import DIALECTS
from forerun.corpora._templates import TEMPLATES
from forerun.corpora.generated import again, drawn, generated
from forerun.corpora.programs import Program
from forerun.errors import ToolMissing
from forerun.tasks._counters import counters
from forerun.toolchains.process import target
from forerun.toolchains.process.languages import Tool, find, named
from forerun.toolchains.process.runner import Bounds, built


def here() -> list[str]:
    found = []
    for name in DIALECTS:
        try:
            found.append(find(name).name)
        except ToolMissing:
            continue
    return found


def test_a_seed_draws_the_same_programs() -> None:
    fewer, more = (list(generated(n, 3, here())) for n in (20, 40))
    assert [p.source for p in fewer] == [p.source for p in more[:20]]
    assert len({p.source.text for p in more}) == 40
    assert [p.source.text for p in generated(20, 4, here())] != [p.source.text for p in fewer]
    assert all(p.group == p.source.name.split("/")[1] for p in more)
    for program in (*more, *generated(20, 3, here(), reach=15), *generated(40, 3, here(), idioms=True)):
        assert again(program.source.name) == (program.group, program.source.lang, program.source.text)
    assert again("euler/1.py") is None


def test_a_language_that_is_not_installed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Any
) -> None:
    def only_python(name: str) -> Tool:
        if name == "python":
            return find(name)
        raise ToolMissing(f"programs in {name} cannot run", f"looked for {name}", f"apt-get install {name}")

    monkeypatch.setattr(target, "find", only_python)
    collect = ("collect", "runtime", "--generated", "2", "--seed", "4242", "--repeats", "1")
    collect = (*collect, "--store", str(tmp_path / "trials.db"), "--format", "json")
    code, out, err = run_forerun(*collect)
    assert code == 0 and [row["language"] for row in json.loads(out)] == ["python"], err
    assert "go" in err and "on this machine: programs are drawn in python; --language" in err
    code, out, err = run_forerun(*collect, "--language", "go")
    assert code == 3 and not out and "programs in go cannot run" in err


def test_some_reach_farther() -> None:
    near, far = (sorted(_largest(generated(300, 3, here(), reach=reach))) for reach in (1, 15))
    assert 5 < far[-30] / near[-30] < 50


def _largest(programs: Iterable[Program]) -> list[float]:
    return [counters(program.source.lang, program.source.text)["largest"] for program in programs]


@pytest.mark.parametrize("language", DIALECTS)
def test_every_language_says_most_families(language: str) -> None:
    said = [family for family in TEMPLATES if drawn(family, language, Random(family))]
    assert len(said) >= len(TEMPLATES) - 7


def test_sizes_are_heard() -> None:
    """A program of a family that holds an array asks for as much as its text says."""
    for language in DIALECTS:
        text = drawn("fill", language, Random(1))
        found = counters(language, text)
        assert found["iterations"] == pytest.approx(max(found["largest"], found["iterations"]), rel=0.01)
        assert found["iterations"] > 10


@pytest.mark.parametrize("family", TEMPLATES)
def test_one_of_each_family_runs(family: str) -> None:
    """In a language of the machine, another for each family; its largest sizes stay out, they take a second."""
    ready = [language for language in here() if language not in ("go", "java")]
    place = list(TEMPLATES).index(family)
    for turn in range(len(ready)):
        language = ready[(place + turn) % len(ready)]
        text = drawn(family, language, Random(f"{family}/{language}"))
        if text:
            break
    with built(named(language), text) as program:
        assert not (program.compiled and program.compiled.error)
        spent = program.run(None, Bounds(10.0, 4 << 30))
    assert not spent.error and spent.output_bytes > 0
