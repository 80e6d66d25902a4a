"""Trees of the weights that ship, grown anew beside a network that stays as it is."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from safetensors.numpy import load_file

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from forerun.core import Metric  # noqa: E402
from forerun.distribution import Distribution  # noqa: E402
from forerun.models.encoder_decoder import PARTS, EncoderDecoder, calibration, checksums  # noqa: E402
from forerun.models.encoder_decoder.card import Card  # noqa: E402
from forerun.models.encoder_decoder.ensemble import Ensemble  # noqa: E402
from forerun.models.encoder_decoder.imports import Imports, Reckoned  # noqa: E402
from forerun.models.encoder_decoder.learned import Learned  # noqa: E402
from forerun.prompts import prompt  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.tables import write_rows  # noqa: E402
from forerun.train import recipes  # noqa: E402
from forerun.train.fit import Parts, fit  # noqa: E402

SCRIPTS = Path(__file__).parents[1] / "scripts"
TINY = recipes.named("cpu", bf16=False, depth=1, tokens=300, context=64, export=False, steps=2, rows=2, row_tokens=256)
torch.set_num_threads(1)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location("weights_script", SCRIPTS / "weights.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def rows(metric: str, values: int, language: str = "c") -> list[Row]:
    """Each costs what a counter of it says, in so many steps."""
    found = []
    for i in range(120):
        size = 10.0 ** (1 + i % values)
        text = prompt(
            Metric(metric, "B"), language, "here", f"{metric} " + f"word{i} other{i} " * 9, counters={"n": size}
        )
        found.append(Row(metric, "B", text, size, f"{metric} {i}", "here", f"{metric} {i}"))
    return found


def test_trees_of_one_metric_are_grown_anew_and_nothing_else_changes(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, tables = tmp_path / "made", {name: tmp_path / f"{name}.jsonl" for name in ("spent", "kept")}
    for name, path in tables.items():
        write_rows(path, rows(name, 3))
    both = [*rows("spent", 1), *rows("kept", 3)]
    assert fit(Parts(both[::2], both[1::2]), folder, TINY)
    lines = [{"metric": name, "model": script.OURS, "n": 9, "groups": 9} for name in tables]
    Card.load(folder).with_results(lines).save(folder)
    before, files = EncoderDecoder(folder), {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(
        sys, "argv", ["weights.py", "grow", *map(str, tables.values()), "--metric", "spent", "-o", str(folder)]
    )
    assert script.main() == 0
    after, card = EncoderDecoder(folder), Card.load(folder)
    checksums.check(folder, [name for name in PARTS if (folder / name).is_file()])
    changed = {path.name for path in folder.iterdir() if files[path.name] != path.read_bytes()}
    assert changed == {"ensemble.safetensors", "calibration.json", "card.json", "README.md", "checksums.json"}
    asked = {name: [row.prompt for row in rows(name, 3)] for name in tables}
    trees = [
        {name: one.ensemble.members[name].trees.predict(asked[name]) for name in tables} for one in (before, after)
    ]
    assert trees[0]["kept"] == trees[1]["kept"]
    assert {round(d.median) for d in trees[0]["spent"]} == {10} and len(
        {round(d.median) for d in trees[1]["spent"]}
    ) == 3
    assert before.calibration.factors["kept"] == after.calibration.factors["kept"]
    assert (before.calibration.ranges["spent"][1], after.calibration.ranges["spent"][1]) == (100, 10_000)
    assert [line["metric"] for line in card.results] == ["kept"]
    assert set(card.recipe["rows of the trees"]) == {"spent"} and set(card.metrics) == {"spent", "kept"}


def test_trees_are_kept_beside_a_network_that_goes_on(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, made, table = tmp_path / "start", tmp_path / "made", tmp_path / "spent.jsonl"
    own = rows("spent", 3)
    write_rows(table, own)
    assert fit(Parts(own[::2], own[1::2]), start, TINY)
    lines = [{"metric": "spent", "model": name, "n": 9, "groups": 9} for name in (script.OURS, "length")]
    Card.load(start).with_results(lines).save(start)
    words = ["train", str(table), "--start", str(start), "--trees", str(start), "--steps", "2", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", ["weights.py", *words, "-o", str(made)])
    assert script.main() == 0
    checksums.check(made, [name for name in PARTS if (made / name).is_file()])
    before, after = EncoderDecoder(start), EncoderDecoder(made)
    asked = [row.prompt for row in own]
    trees = [one.ensemble.members["spent"].trees.predict(asked) for one in (before, after)]
    assert trees[0] == trees[1] and before.without_trees().predict(asked) != after.without_trees().predict(asked)
    assert after.calibration.factors["spent"] > 0 and before.learned.train == after.learned.train
    assert [line["model"] for line in after.card.results] == ["length"], "it has not been judged, the rivals have"


def test_the_mean_of_networks_that_began_as_one(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, table, own = tmp_path / "start", tmp_path / "spent.jsonl", rows("spent", 3)
    write_rows(table, own)
    assert fit(Parts(own[::2], own[1::2]), start, TINY)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder, rate in zip(folders, (1e-3, 2e-3), strict=True):
        training = replace(TINY, recipe=replace(TINY.recipe, learning_rate=rate), ensemble=False)
        assert fit(Parts(own[::2], own[1::2]), folder, training, start=start)
    words = ["mean", str(table), *(f"--of={folder}" for folder in folders), "--trees", str(start)]
    monkeypatch.setattr(sys, "argv", ["weights.py", *words, "-o", str(tmp_path / "mean")])
    assert script.main() == 0
    a, b, mean = (load_file(folder / "model.safetensors") for folder in (*folders, tmp_path / "mean"))
    assert all(np.allclose(mean[name], (a[name] + b[name]) / 2, atol=1e-6) for name in mean)
    assert any(not np.array_equal(a[name], b[name]) for name in mean)
    model = EncoderDecoder(tmp_path / "mean")
    assert model.card.recipe["mean of"] == 2 and model.calibration.factors["spent"] > 0
    assert set(model.ensemble.members) == {"spent"} and model.learned == EncoderDecoder(start).learned


def test_rows_are_dealt_as_they_were_whatever_others_there_are() -> None:
    old, new = rows("spent", 3), [replace(row, prompt=row.prompt + " new") for row in rows("spent", 3)]
    learned = Learned.of(old[:80], old[80:100])
    unseen = [replace(row, group=f"other {row.group}") for row in new]
    dealt = learned.dealt([*new, *reversed(old), *unseen])
    assert {row.name for row in dealt.train} == {row.name for row in old[:80]}
    assert {row.name for row in dealt.validation} == {row.name for row in old[80:100]}
    assert dealt.test == [*new[100:], *reversed(old[100:]), *unseen], "groups that it learned from judge nobody"


def test_networks_that_something_times_have_trees_apart_from_recorded_ones() -> None:
    recorded, timed = rows("latency", 3, "onnx"), rows("latency", 2, "onnx, onnxruntime 1.32")
    kinds = [row for kind in (recorded, timed, rows("latency", 1, "c")) for row in [*kind] * 4]
    grown = Ensemble.of(kinds, kinds, [row.value for row in kinds])
    assert {"latency/onnx", "latency/onnxruntime"} <= set(grown.members)
    assert grown.member(timed[0].prompt.replace("1.32", "1.40")) == "latency/onnxruntime"
    assert grown.member(recorded[0].prompt) == "latency/onnx"
    assert grown.members["latency/onnxruntime"].trees.most < 1e3


def test_what_is_familiar_is_told_anew_and_nothing_else_changes(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, table = tmp_path / "made", tmp_path / "spent.jsonl"
    unseen = [replace(row, prompt=f"{row.prompt} new", group=f"new {row.group}") for row in rows("spent", 3)]
    write_rows(table, [*rows("spent", 3), *unseen])
    both = [*rows("spent", 1), *rows("kept", 3)]
    assert fit(Parts([row for i, row in enumerate(both) if i % 4], both[::4]), folder, TINY)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(calibration, "_ROWS", 1)
    monkeypatch.setattr(calibration, "_HELD", 5)
    monkeypatch.setattr(sys, "argv", ["weights.py", "know", str(table), "-o", str(folder)])
    assert script.main() == 0
    checksums.check(folder, [name for name in PARTS if (folder / name).is_file()])
    changed = {path.name for path in folder.iterdir() if files[path.name] != path.read_bytes()}
    assert changed == {"calibration.json", "card.json", "README.md", "checksums.json"}
    after = EncoderDecoder(folder).calibration
    assert set(after.kinds) == {"spent/c"} and capsys.readouterr().out.startswith("spent/c ")
    assert Card.load(folder).limits == script.SAID


def test_intervals_are_judged_by_groups_that_did_not_say_how_wide_they_are(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, table, made = tmp_path / "made", tmp_path / "rows.jsonl", tmp_path / "coverage.json"
    known = [*rows("memory", 3), *rows("kept", 3)]
    assert fit(Parts([row for i, row in enumerate(known) if i % 4], known[::4]), folder, TINY)
    names = {script.OWN[0]: 0, "": 40}
    unseen = [
        replace(row, name=f"{name}{row.name}", prompt=f"{row.prompt} new {name}", group=f"new {name}{row.group}")
        for name, first in names.items()
        for row in rows("memory", 3)[first:]
    ]
    write_rows(table, [*known, *unseen])
    words = ["coverage", str(table), f"--of={folder}", "--dealings=20", "-o", str(made)]
    monkeypatch.setattr(sys, "argv", ["weights.py", *words])
    assert script.main() == 0
    found = json.loads(made.read_text())
    memory, kept = found["table"]
    assert [memory["metric"], kept["metric"]] == ["memory", "kept"] and found["dealings"] == 20
    assert memory["rows"] == memory["groups"] == 80 + 30, "the project's own programs judge nobody"
    assert kept["test"] is None and kept["rows"] == 30
    assert memory["low"] <= memory["coverage"] <= memory["high"] and 0 <= memory["test"] <= 1
    capsys.readouterr()
    assert script.main() == 0 and capsys.readouterr().out == "", "it has all"


def test_how_wide_one_metric_is_is_told_anew_and_nothing_else_changes(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, table, both = tmp_path / "made", tmp_path / "rows.jsonl", [*rows("spent", 3), *rows("kept", 3)]
    assert fit(Parts(both[::2], both[1::2]), folder, TINY)
    write_rows(table, both)
    asked = ((name, model) for name in ("spent", "kept") for model in (script.OURS, "length"))
    lines = [{"metric": name, "model": model, "n": 9, "groups": 9} for name, model in asked]
    Card.load(folder).with_results(lines).save(folder)
    told, before = calibration.Calibration.load(folder), {one.name: one.read_bytes() for one in folder.iterdir()}
    wrong = dict.fromkeys(told.factors, 9.0)
    replace(told, factors=wrong).save(folder)
    checksums.record(folder, PARTS)
    monkeypatch.setattr(sys, "argv", ["weights.py", "widen", str(table), "--metric", "spent", "-o", str(folder)])
    assert script.main() == 0
    checksums.check(folder, [name for name in PARTS if (folder / name).is_file()])
    changed = {one.name for one in folder.iterdir() if before[one.name] != one.read_bytes()}
    assert changed == {"calibration.json", "card.json", "README.md", "checksums.json"}
    after = calibration.Calibration.load(folder).factors
    assert after["kept"] == 9 and 0 < after["spent"] < 9
    assert [(line["metric"], line["model"]) for line in Card.load(folder).results] == [
        ("spent", "length"), ("kept", script.OURS), ("kept", "length"),
    ]  # fmt: skip


def test_what_texts_tell_is_as_wide_as_public_programs_were_off(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, table = tmp_path / "made", tmp_path / "rows.jsonl"
    metric, own = Metric("memory", "B"), rows("memory", 3)
    texts = [f"print({i})\n" for i in range(len(own))]
    prompts = [prompt(metric, "python, cpython 3.11", "here", text) for text in texts]
    own = [replace(row, value=1e7 * 1.5, prompt=asked) for row, asked in zip(own, prompts, strict=True)]
    assert fit(Parts(own[::2], own[1::2]), folder, TINY)
    Imports({"memory": 1e7}, {"memory": {"re": 1e6}}, {"re": ()}, {"memory": {"plain": [0.0] * 12}}).save(folder)
    checksums.record(folder, PARTS)
    write_rows(table, own)
    Card.load(folder).with_results([{"metric": "memory", "model": script.OURS, "n": 9, "groups": 9}]).save(folder)
    monkeypatch.setattr(sys, "argv", ["weights.py", "reckon", str(table), "-o", str(folder)])
    assert script.main() == 0
    found = EncoderDecoder(folder)
    errors = found.imports.public["memory"]["plain"]
    assert errors == [round(math.log(1.5), 4)] * len(own[1::2]) and not found.card.results
    assert sorted(found.imports.widths["memory"]["plain"])[-1] == pytest.approx(math.log(1.5), abs=1e-4)


def test_what_such_as_do_little_hold_is_told_by_rows_that_are_learned_from(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, table, metric = tmp_path / "made", tmp_path / "rows.jsonl", Metric("memory", "B")
    own = rows("memory", 3)
    texts = [f"int main() {{ return {i}; }}\n" for i in range(len(own))]
    prompts = [prompt(metric, "c, gcc 12 -O2", "here", text) for text in texts]
    given = [*enumerate(zip(own, prompts, strict=True))]
    own = [replace(row, value=1e6 + 1e4 * i if i % 2 else 9e6, prompt=asked) for i, (row, asked) in given]
    assert fit(Parts(own[1::2], own[::2]), folder, TINY)
    own += [replace(own[1], name=f"{script.OWN[0]}more", value=1.0, prompt=f"{own[1].prompt} ")]  # drawn, not public
    Imports({"memory": 1e7}, {"memory": {}}, {"re": ()}, languages={"c": {"memory": 2e6}}).save(folder)
    checksums.record(folder, PARTS)
    write_rows(table, own)
    monkeypatch.setattr(sys, "argv", ["weights.py", "reckon", str(table), "-o", str(folder)])
    monkeypatch.setattr(script.dealings, "_FEWEST", len(own))
    assert script.main() == 0 and not EncoderDecoder(folder).imports.holds, "a few say nothing"
    monkeypatch.setattr(script.dealings, "_FEWEST", len(own) // 2)
    assert script.main() == 0
    learned = [row.value for row in own[1:-1:2]]
    assert EncoderDecoder(folder).imports.holds == {"c": tuple(np.quantile(learned, (0.5, 0.05)).tolist())}


def test_what_texts_tell_says_nothing_of_how_wide_others_are(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, table, metric = tmp_path / "made", tmp_path / "rows.jsonl", Metric("memory", "B")
    asked, own = rows("memory", 3), f"{script.OWN[0]}more"
    told = [replace(row, prompt=prompt(metric, "python, cpython 3.11", "here", f"print({i})\n"), value=5 * row.value)
            for i, row in enumerate(asked)]  # fmt: skip
    both = [*asked, *told]
    drawn = [replace(row, name=f"{own}{i}", value=row.value * 1e4) for i, row in enumerate(both)]
    assert fit(Parts(both[::2], both[1::2]), folder, TINY)
    Imports({"memory": 1e7}, {"memory": {}}, {"re": ()}, {"memory": {"plain": [0.0] * 12}}).save(folder)
    checksums.record(folder, PARTS)
    before = calibration.Calibration.load(folder)
    replace(before, factors={"memory": 9.0, "memory/python, cpython 3.11": 9.0, "kept": 9.0}).save(folder)
    checksums.record(folder, PARTS)
    write_rows(table, [*both, *drawn])
    monkeypatch.setattr(sys, "argv", ["weights.py", "widen", str(table), "--metric", "memory", "-o", str(folder)])
    assert script.main() == 0
    model, alone = EncoderDecoder(folder), [row for row in both[1::2] if row in asked]
    wide = [script.factors(each, script.dealings.believed(model, each)) for each in (alone, both[1::2])]
    assert model.calibration.factors == wide[0] | {"kept": 9.0} != wide[1] | {"kept": 9.0}


def test_coverage_is_the_mean_over_ways_of_dealing_groups(script: ModuleType) -> None:
    draw, dealings = np.random.default_rng(0), script.dealings
    model = EncoderDecoder.of(None, None, None)  # type: ignore[arg-type]
    narrow = Distribution.of((x, x, 1.0) for x in np.exp(0.2 * np.linspace(-2, 2, 41)).tolist())
    values = np.exp(draw.normal(size=480)).tolist()
    measured = [
        replace(row, value=value, group=f"{i}")
        for i, (row, value) in enumerate(zip(rows("m", 1) * 4, values, strict=True))
    ]
    held = [dealings.Held(row, row.group, "m", "test", True, narrow, None) for row in measured]
    found = dealings.covered(model, held, 30)["m"]
    assert found.shipped < 0.4 and abs(found.coverage - 0.9) < 0.02, "as wide as they have to be"
    assert found.low < found.coverage < found.high and 0 < found.spread < 0.04
    off = (0.2 * np.linspace(-2, 2, 41)).tolist()
    model.imports = Imports(errors={"m": {"plain": off, "plain, working": off}})
    told = [replace(one, told=Reckoned("m", "plain, working", 1.0)) for one in held]
    same = dealings.covered(model, told, 30)["m"]
    assert abs(same.coverage - found.shipped) < 0.03 and same.told == 480, "factors are of network and trees"
    told = [replace(one, told=Reckoned("m", "plain", 1.0)) for one in held]
    beside = dealings.covered(model, told, 30)["m"]
    assert beside.shipped == same.shipped and 0.75 < beside.coverage < 0.9, "half of the errors are of the others"
    drawn = [replace(one, row=replace(one.row, value=9e9), judges=False) for one in held]
    assert dealings.covered(model, [*held, *drawn], 30)["m"].width == found.width
    apart = [*held[::2], *(replace(one, believed=narrow.scaled(1e3)) for one in told[1::2])]
    assert abs(dealings.covered(model, apart, 30)["m"].width / found.width - 1) < 0.3, "they are told by their text"
