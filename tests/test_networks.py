"""Questions about networks: what they read, what is measured, where the networks come from."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora import nasbench, onnx_models
from forerun.corpora._families import FAMILIES
from forerun.errors import InputError
from forerun.prompts import parts
from forerun.rows import Row
from forerun.sandbox import Limits, Pool
from forerun.tasks import _graphs
from forerun.tasks._graphs import Graphs
from forerun.tasks.accuracy import Accuracy
from forerun.tasks.latency import Latency
from forerun.testing import check_grammar
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.build import Builder, serialised
from forerun.toolchains.onnx.counts import counters
from forerun.toolchains.onnx.reading import graph
from forerun.toolchains.onnx.target import Target
from forerun.toolchains.onnx.text import flat, operators, text, unfolded

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

CELL = "|nor_conv_3x3~0|+|none~0|nor_conv_1x1~1|+|skip_connect~0|avg_pool_3x3~1|nor_conv_3x3~2|"
SKIPS = "|skip_connect~0|+|none~0|none~1|+|skip_connect~0|none~1|none~2|"
NOTHING = "|none~0|+|none~0|none~1|+|none~0|none~1|none~2|"
QUICK = Latency(repeats=3, seconds=0.01)


def source(target: str = "") -> Source:
    b = Builder((1, 8))
    b.each("Relu", b.linear(0, 4))
    return _graphs.source(serialised(b.graph()), target or str(Target.here()), "x/relu.onnx")


def trial(task: Graphs, answer: float, **values: float) -> Trial[tuple[float, ...]]:
    return Trial(task.id, source(), Draft((answer,)), Measurement(values, checked=True))


def test_where_a_network_runs_is_one_line() -> None:
    for target in (Target.here(), Target.here(2, "a; b"), Target("pixel3"), Target("x y", "onnxruntime 1.2", 3)):
        assert Target.parse(str(target)) == target
    assert Target.here(device="a; b").device == "a, b"
    for wrong in ("", "a; b", "a; b; 2 cores", "a; b; x threads"):
        with pytest.raises(ValueError, match="not where a network runs"):
            Target.parse(wrong)


@pytest.mark.parametrize("task", [Latency(), Accuracy()])
def test_a_question_says_what_is_asked(task: Graphs) -> None:
    assert pickle.loads(pickle.dumps(task)) == task and task.metric.name in task.metrics
    asked = source("pixel3" if task.name == "latency" else "cifar10, validation")
    found = parts(task.prompt(asked))
    assert found.head["metric"] == task.name and found.head["unit"] == task.metric.unit
    assert found.text == asked.text == "input 1x8\nGemm 4xc 4 transB=1 > sx4 Relu"
    assert found.counters["parameters"] == 36 and found.counters["nodes"] == 2
    assert found.head.get("data", found.head["device"]) == asked.target
    check_grammar(task.grammar(asked), [(0.5,), (1e-3,)], walks=20)


def test_the_prompt_of_this_machine_names_the_runtime_and_the_threads() -> None:
    found = parts(Latency().prompt(source()))
    assert found.head["language"].startswith("onnx, onnxruntime ") and found.head["device"].endswith("1 thread")


def test_a_source_alone_is_timed_in_a_worker(pool: Pool) -> None:
    (_, truth), (_, told) = pool.measure(QUICK, source(), [None, (1.0,)])
    assert truth.ok and truth.tool.startswith("onnxruntime") and truth.values["samples"] >= 3
    assert 0 < truth.values["latency_least"] <= truth.values["latency"] < 1 and truth.values["cpu"] > 0
    assert told.values["log_error_latency"] == pytest.approx(-math.log(told.values["latency"]))


def test_what_cannot_be_measured_is_said(pool: Pool) -> None:
    asked = [(QUICK, "pixel3"), (QUICK, "onnxruntime 0.1; x; 1 thread"), (QUICK, "a; b"), (Accuracy(), "cifar10, test")]
    errors = [next(m for _, m in pool.measure(task, source(target), [None])).error for task, target in asked]
    assert [error.partition(":")[0] for error in errors] == ["device", "tool", "device", "accuracy"]
    assert "pixel3 is not this machine" in errors[0]


def test_a_single_number_is_an_input_too(pool: Pool) -> None:
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    ends = [helper.make_tensor_value_info(name, kind, ()) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    asked = _graphs.source(model.SerializeToString(), str(Target.here()))
    ((_, found),) = pool.measure(QUICK, asked, [None])
    assert found.ok, found.error


def test_a_network_that_does_not_run_is_a_measurement(pool: Pool) -> None:
    b = Builder((1, 8))
    b.node("Strange", (0,), (1, 8))
    here = str(Target.here())
    found = next(m for _, m in pool.measure(QUICK, _graphs.source(serialised(b.graph()), here), [None]))
    assert found.error.startswith("run: ") and "Strange" in found.error and not found.ok
    broken = Source("input ?", "onnx", "-", here, b"nonsense")
    found = next(m for _, m in pool.measure(QUICK, broken, [None]))
    assert found.error.startswith("model: ")


def test_too_much_memory_is_a_measurement() -> None:
    b = Builder((1, 1 << 14))
    b.linear(b.linear(0, 1 << 14), 4)
    large = _graphs.source(serialised(b.graph()), str(Target.here()))
    with Pool(1, Limits(timeout_s=20, memory_bytes=1 << 30)) as tight:
        found = next(m for _, m in tight.measure(QUICK, large, [None]))
    assert found.error.startswith("memory") and found.transient


@pytest.mark.parametrize("task", [Latency(), Accuracy()])
def test_the_middle_answer_is_chosen_and_measurements_are_not_looked_at(task: Graphs) -> None:
    baseline = Trial(task.id, source(), Draft(None), Measurement({task.name: 1.0}, checked=True))
    trials = [trial(task, answer, **{task.name: 1.0}) for answer in (5.0, 1.0, 3.0, 9.0)]
    assert task.choose(baseline, trials).draft.answer == (3.0,)
    assert task.choose(baseline, [baseline]) is baseline


def test_cells_are_read_as_they_are_written() -> None:
    assert nasbench.cell(CELL)[1] == ("none", "nor_conv_1x1")
    every = list(itertools.islice(nasbench.cells(), 50))
    assert all(nasbench.spelled(nasbench.cell(a)) == a for a in every) and every[0] == NOTHING
    assert sum(1 for _ in nasbench.cells()) == 5**6
    for wrong in ("", "|conv~0|", CELL[:-1], CELL.replace("avg_pool_3x3", "max_pool_3x3"), CELL.replace("~1", "~0")):
        with pytest.raises(ValueError, match="NAS-Bench-201"):
            nasbench.cell(wrong)


def test_the_network_of_skips_alone_has_the_weights_of_what_is_around_its_cells() -> None:
    """Stem 3·16·9 + 4·16; two reductions; last normalisation 4·64; classifier 640 + 10. Four a channel and norm."""
    reductions = sum(c * 2 * c * 9 + 4 * 2 * c + 2 * c * 2 * c * 9 + 4 * 2 * c + c * 2 * c for c in (16, 32))
    found = counters(nasbench.network(SKIPS))
    assert found["parameters"] == 3 * 16 * 9 + 4 * 16 + reductions + 4 * 64 + 650
    convolutions = counters(nasbench.network(SKIPS.replace("|skip_connect~0|none~1", "|nor_conv_3x3~0|none~1")))
    assert convolutions["parameters"] - found["parameters"] == 5 * sum(9 * c * c + 4 * c for c in (16, 32, 64))


def test_a_network_of_cells_is_short_and_its_cell_stands_there_once() -> None:
    found = text(nasbench.network(CELL))
    assert len(found) < 1000 and found.count("5x {") == 1 and found.count("5x #1") == 2
    assert operators(found)["AveragePool"] == 15 + 2 and operators(found)["Conv"] == 15 * 3 + 1 + 2 * 3
    assert operators(text(nasbench.network(NOTHING)))["Mul"] == 15 * 6


@pytest.mark.parametrize("architecture", [CELL, SKIPS, NOTHING])
def test_shapes_are_those_that_onnx_infers(architecture: str) -> None:
    built = nasbench.network(architecture, 2, 16, 120)
    found = graph(proto.parse(serialised(built)))
    assert found == built and found.values[-1].shape == (2, 120)


@pytest.mark.parametrize("family", FAMILIES)
def test_drawn_networks_are_models_whose_shapes_onnx_infers(family: str) -> None:
    for seed in range(3):
        _, built = FAMILIES[family](Random(seed))
        data = serialised(built)
        found = graph(proto.parse(data))
        assert unfolded(text(found)) == flat(found) == flat(built) and counters(found) == counters(built)
        assert found.values == built.values


def test_every_family_runs(pool: Pool) -> None:
    drawn = list(onnx_models.generated(len(FAMILIES), 3, str(Target.here())))
    for network in drawn:
        found = next(m for _, m in pool.measure(QUICK, network.source, [None]))
        assert found.ok, f"{network.group}: {found.error}"


def test_drawn_networks_are_distinct_and_the_same_each_time() -> None:
    more, fewer = (list(onnx_models.generated(n, 5, "here")) for n in (60, 30))
    assert more[:30] == fewer and len({n.source.text for n in more}) == 60
    assert {n.group.partition(" ")[0] for n in more} == set(FAMILIES)
    assert [n.source.text for n in onnx_models.generated(30, 6, "here")] != [n.source.text for n in fewer]


def table(path: Path, *lines: str) -> Path:
    head = "arch,latency_ms.pixel3,latency_ms.1080ti_32,accuracy_percent.imagenet-test,note"
    path.write_bytes(gzip.compress("\n".join([head, *lines]).encode()))
    return path


def test_a_table_becomes_rows(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv.gz", f"{CELL},3.5,10,62.5,x", f"{SKIPS},,nan,5,x", f"{NOTHING},1,2,0.83,x")
    rows = list(nasbench.rows(path))
    assert [(r.metric, r.device, r.value) for r in rows[:3]] == [
        ("latency", "pixel3", 0.0035),
        ("latency", "1080ti_32", 0.01),
        ("accuracy", "imagenet16-120, test", 0.625),
    ]
    assert len(rows) == 7 and {r.group for r in rows} == {CELL, SKIPS, NOTHING}
    first, second, third = (parts(r.prompt) for r in rows[:3])
    assert first.head["device"] == "pixel3" and first.text.startswith("input 1x3x32x32\n")
    assert second.head["device"] == "1080ti" and second.text.startswith("input 32x3x32x32\n")
    assert third.head["data"] == "imagenet16-120, test" and third.text.startswith("input 1x3x16x16\n")
    assert list(nasbench.rows(path, ["latency"], ["pixel3"])) == [r for r in rows if r.device == "pixel3"]
    assert list(nasbench.rows(path, among={SKIPS, NOTHING})) == [r for r in rows if r.group != CELL]
    assert nasbench.architectures(path) == [CELL, SKIPS, NOTHING]


def test_the_prompt_of_a_row_is_that_of_the_task(tmp_path: Path) -> None:
    row: Row = next(nasbench.rows(table(tmp_path / "t.csv.gz", f"{CELL},3.5,10,62.5,x")))
    asked = _graphs.source(serialised(nasbench.network(CELL)), row.device)
    assert Latency().prompt(asked) == row.prompt


@pytest.mark.parametrize("line", ["|no|,1,2,3,x", f"{CELL},fast,2,3,x"])
def test_a_wrong_line_of_a_table_is_named(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3"):
        list(nasbench.rows(table(tmp_path / "t.csv.gz", f"{SKIPS},1,2,3,x", line)))


def test_what_is_no_table_is_said_so(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(b"no gzip")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\x00")
    for path in (other, broken, binary, tmp_path / "nowhere.csv"):
        with pytest.raises(InputError):
            list(nasbench.rows(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two networks, one of them twice; one with an open size; one that is none."""
    root = tmp_path / "zoo"
    for name, width in (("a/one", 8), ("b/two", 16), ("b/again", 16)):
        b = Builder((1, width))
        b.each("Relu", b.linear(0, 4))
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).with_suffix(".onnx").write_bytes(serialised(b.graph()))
    model = onnx.ModelProto.FromString((root / "a/one.onnx").read_bytes())
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    (root / "a/open.onnx").write_bytes(model.SerializeToString())
    (root / "b/none.onnx").write_bytes(b"none")
    (root / "LICENSE").write_text(
        "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy"
    )
    return root


def test_a_folder_becomes_networks(folder: Path) -> None:
    found = onnx_models.load(folder, "here")
    assert [(n.source.name, n.group) for n in found.networks] == [("zoo/a/one.onnx", "a"), ("zoo/b/again.onnx", "b")]
    assert sorted(found.skipped.values()) == [1, 1, 1] and any("batch" in reason for reason in found.skipped)
    sized = onnx_models.load(folder, "here", {"batch": 3})
    assert [n.source.text.split("\n")[0] for n in sized.networks] == ["input 1x8", "input 3x8", "input 1x16"]
    with pytest.raises(InputError, match="there is no folder"):
        onnx_models.load(folder / "nowhere", "here")


def test_collecting_is_resumed(folder: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ("--repeats", "3", "--seconds", "0.01", "--format", "json")
    collect = ("collect", "latency", "--folder", str(folder), "--size", "batch=3", "--generated", "2", *quick)
    code, out, err = run_forerun(*collect)
    assert code == 0, err
    rows = {row["family"]: row for row in json.loads(out)}
    assert rows["zoo"]["measured"] == 3 and sum(row["measured"] for row in rows.values()) == 5
    assert "1 file left out: a file is no ONNX model" in err
    monkeypatch.setattr(Latency, "measure", None)
    again, out_again, err = run_forerun(*collect)
    assert again == 0 and json.loads(out_again) == json.loads(out), err


def test_the_command_line_says_what_is_wrong(tmp_path: Path, run_forerun: Any) -> None:
    wrong = {
        (): "nothing to collect from",
        ("--generated", "1", "--threads", "99999"): "99999 threads",
        ("--generated", "1", "--repeats", "1"): "--repeats 1",
        ("--generated", "1", "--size", "batch"): "--size batch",
        ("--folder", str(tmp_path / "nowhere")): "there is no folder",
    }
    for arguments, said in wrong.items():
        code, out, err = run_forerun("collect", "latency", *arguments)
        assert code in (1, 2) and said in err and "Traceback" not in err and not out
