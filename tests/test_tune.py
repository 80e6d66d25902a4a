"""`forerun tune`: from a network to its tuned kernels, and what is said where something is wrong."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import re
import shutil
import sqlite3
import textwrap
import time
import xml.etree.ElementTree
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from forerun import cli, factories, files, sandbox, settings
from forerun.cli import tune as cli_tune
from forerun.clock import Timing
from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora import tensor_networks, workloads
from forerun.errors import ForerunError, InputError, ToolMissing, UsageError

pytest.importorskip("tvm_ffi")

from forerun import tuning
from forerun.grammars.decisions import Decisions, Plan
from forerun.models._proposer import identity
from forerun.models.scheduler import READ, SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.store import Store
from forerun.tasks.schedule import Again, Reading, Schedule, gains, unsteady
from forerun.toolchains.tvm import _load, database, device, extract, frontends, measure
from forerun.toolchains.tvm import network as networks
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.space import Refused
from forerun.tuning import output, remarks, resuming, table
from forerun.tuning.dealing import Hand, deal
from forerun.tuning.requests import request

pytestmark = pytest.mark.filterwarnings("ignore")
Run = Callable[..., tuple[int, str, str]]


def saved(graph: Any, path: Path) -> Path:
    """A graph as a file of opset 17."""
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def network(folder: Path, batch: Any = 1, operator: str = "Relu") -> Path:
    """Two convolutions, then a product."""
    draw = np.random.default_rng(0)

    def weights(name: str, *shape: int) -> Any:
        return helper.make_tensor(name, TensorProto.FLOAT, shape, 0.3 * draw.standard_normal(math.prod(shape)))

    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node(operator, ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["c"], strides=[2, 2]),
        helper.make_node("Flatten", ["c"], ["d"]),
        helper.make_node("MatMul", ["d", "w3"], ["y"]),
    ]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", (batch, 3, 9, 9)), ("y", None))
    ]
    tensors = [weights("w1", 8, 3, 3, 3), weights("w2", 8, 8, 3, 3), weights("w3", 128, 10)]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], tensors)
    return saved(graph, folder / "net.onnx")


PROGRAM = """
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((64, 64), "float32"), b: T.Buffer((64, 64), "float32"), c: T.Buffer((64, 64), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(64, 64, 64):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0.0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
"""


EMPTY = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((0,), "float32"), b: T.Buffer((0,), "float32")):
        for i in range(0):
            with T.sblock("double"):
                vi = T.axis.spatial(0, i)
                b[vi] = a[vi] * T.float32(2.0)
"""


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[tuning.Tuned, list[tuning.Progress], Path]]:
    """One network, tuned once for all tests that look at the answer."""
    place, seen = tmp_path_factory.mktemp("tuned"), list[tuning.Progress]()
    found = tuning.tune(
        network(place), target="llvm:1", trials=15, proposer="uniform", output=place / "out",
        store=place / "trials.sqlite", on_progress=seen.append,
    )  # fmt: skip
    yield found, seen, place


def test_a_network_becomes_faster_and_computes_the_same(tuned: Any) -> None:
    found, seen, _ = tuned
    assert len(found.kernels) == 5 and not found.left_out and found.proposer == "uniform"
    assert len(found.order) == 15 == sum(len(kernel.result.trials) for kernel in found.kernels)
    assert all(kernel.result.trials for kernel in found.kernels)  # each got one at least
    assert found.after_s < found.before_s and all(kernel.after_s <= kernel.before_s for kernel in found.kernels)
    assert set(found.comparison.timings) == {"default", "tuned", "onnxruntime"}
    assert max(found.comparison.errors.values()) < 1e-5 and found.comparison.outputs == ("y",)
    stages = [each.stage for each in seen]
    assert [*dict.fromkeys(stages)][:4] == ["reading", "running", "translating", "default"]
    assert stages[0] == "reading" and stages[-1] == "comparing" and stages.count("tuning") == 15
    assert [each for each in seen if each.stage == "tuning"][-1].network_best_s == pytest.approx(found.after_s, rel=0.5)
    assert stages[-6:-1] == ["checking"] * 5


@pytest.mark.parametrize("written", ["(s_tir=True)", ""])
def test_a_function_alone_is_a_program(tmp_path: Path, written: str) -> None:
    head, _, function = PROGRAM.partition("@I.ir_module\nclass Module:\n")
    alone = _written(tmp_path / "alone.py", head + textwrap.dedent(function).replace("(s_tir=True)", written))
    found = tuning.tune(alone, target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s")
    assert [kernel.name for kernel in found.kernels] == ["alone"] and found.kernels[0].flops == 2 * 64**3


def test_the_example_of_a_program_in_the_documentation_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    text = page.partition("### A `kernel.py`")[2].partition("```python\n")[2].partition("```")[0]
    with request(_written(tmp_path / "kernel.py", text), None, {}, "given") as asked:
        ((program,), _) = asked.programs(None, None, None)  # type: ignore[arg-type]
    assert program.name == "kernel" and program.flops == 2 * 128 * 64 * 256
    old = _written(tmp_path / "old.py", text.replace("T.sblock", "T.block").replace("(s_tir=True)", ""))
    with pytest.raises(InputError, match="no tensor program") as caught, request(old, None, {}, "given"):
        pass
    assert caught.value.todo.startswith("write T.sblock for T.block")


def test_one_of_several_functions_is_named(tmp_path: Path) -> None:
    _, _, function = PROGRAM.partition("@I.ir_module\nclass Module:\n")
    one = textwrap.dedent(function)
    other = one.replace("def main", "def other").replace("64", "32")
    path = _written(tmp_path / "two.py", f"from tvm.script import tirx as T\n{one}\n{other}")
    with pytest.raises(UsageError, match=r"which program of .*two\.py") as caught:
        tuning.tune(path, target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s", output=tmp_path / "out")
    assert "two.py:main or " in caught.value.todo and "two.py:other" in caught.value.todo
    assert not (tmp_path / "out").exists()  # nothing was left in it
    found = tuning.tune(f"{path}:other", target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s")
    assert [kernel.name for kernel in found.kernels] == ["other"] and found.kernels[0].flops == 2 * 32**3
    with pytest.raises(UsageError, match=r"two\.py has no function third") as caught:
        tuning.tune(f"{path}:third", target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s")
    assert caught.value.why == "it holds main, other" and "two.py:other" in caught.value.todo


def test_a_file_of_programs_that_does_not_parse_is_told_its_line(tmp_path: Path) -> None:
    path = _written(tmp_path / "broken.py", "from tvm.script import tirx as T\n@T.prim_func\ndef f(:\n")
    with pytest.raises(InputError, match=r"broken\.py does not parse") as caught:
        tuning.tune(path, target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s")
    assert caught.value.why.startswith("line 3")


def test_a_program_whose_default_takes_too_long_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORERUN_TIMEOUT", "0.001")
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    with pytest.raises(InputError, match=r"no program of .* can be tuned") as caught:
        tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=1, proposer="uniform", store=tmp_path / "s")
    assert "FORERUN_TIMEOUT" in caught.value.todo and caught.value.why.startswith("matmul: the baseline")


class Slow(Schedule):
    """Its default takes too long."""

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        time.sleep(1000 if answer is None else 0)
        return super().begin(source, answer)


def test_a_program_whose_default_takes_too_long_is_tuned_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "Schedule", Slow)
    monkeypatch.setenv("FORERUN_TIMEOUT", "8")
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    found = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=6, proposer="uniform", store=tmp_path / "s")
    (kernel,) = found.kernels
    assert len(kernel.result.trials) == 6 and kernel.before_s == 8 > kernel.after_s and not found.left_out
    assert "matmul: its default was stopped after 8 s, which stand for it: it gains more" in found.notes


class Noisy(Schedule):
    """Its default is measured beside something else at first, or always."""

    always = False

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        found = measure.measure(source, answer)
        if answer is None:
            values = dict(found.values)
            seen = settings.cache_folder() / "seen"
            if self.always or not seen.exists():
                seen.parent.mkdir(parents=True, exist_ok=True)
                seen.touch()
                values |= {"latency": 2 * values["latency"], "latency_spread": 1.0}
            return replace(found, values=values)
        return found


class NoisyAlways(Noisy):
    always = True


@pytest.mark.parametrize("task", [Noisy, NoisyAlways])
def test_a_default_that_was_measured_beside_something_else_hides_no_gain(
    task: type[Schedule], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "Schedule", task)
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    how: dict[str, Any] = {"target": "llvm:1", "trials": 8, "proposer": "uniform", "store": tmp_path / "s"}
    (kernel,) = tuning.tune(tmp_path / "matmul.tir", **how).kernels
    baseline = kernel.result.baseline.measurement
    assert (baseline.values["latency_spread"] == 1.0) == (task is NoisyAlways) and kernel.after_s < kernel.before_s
    with Store(tmp_path / "s") as store:
        kept = store.baseline(task(), kernel.result.baseline.source, baseline.tool)
        assert kept is not None and kept.values == baseline.values


def test_faster_than_the_fastest_sample_of_a_default_is_faster() -> None:
    def taken(latency: float, spread: float, least: float) -> Measurement:
        values = {"latency": latency, "latency_spread": spread, "latency_least": least}
        return Measurement(values, checked=True)

    noisy = taken(4e-3, 1.0, 1.9e-3)
    assert gains(noisy, taken(8e-5, 0.01, 7.9e-5)) and unsteady(noisy) and not unsteady(taken(1.0, 0.2, 0.9))
    assert not gains(noisy, taken(1.9e-3, 0.01, 1.8e-3)) and not gains(noisy, taken(1.5e-3, 0.9, 1e-4))


def test_buffers_of_a_program_do_not_overlap(tmp_path: Path) -> None:
    """As TVM's own `tune_tir` takes it: without that LLVM vectorises little."""
    texts = [PROGRAM, PROGRAM.replace('        T.func_attr({"tirx.noalias": True})\n', "")]
    assert texts[0] != texts[1]
    known = []
    for number, text in enumerate(texts):
        path = _written(tmp_path / f"{number}.tir", text)
        with request(path, None, {}, "given") as asked:
            known.append(asked.programs(None, None, None)[0][0].text)  # type: ignore[arg-type]
    assert known[0] == known[1] and "noalias" in known[1]


def test_a_network_that_became_slower_or_that_noise_hides_is_told() -> None:
    def compared(*tuned: float) -> networks.Comparison:
        return networks.Comparison({"default": Timing((1.0, 1.0, 1.0)), "tuned": Timing(tuned)}, {})

    assert not remarks.unsure(None) and not remarks.unsure(compared(0.9, 0.9, 0.9)), "faster"
    assert not remarks.unsure(compared(1.0, 1.0, 1.0)), "the same, where nothing was changed"
    (said,) = remarks.unsure(compared(2.0, 2.0, 2.0))
    assert "2.00 times as long as TVM's default" in said and "spread by 0%" in said
    assert not remarks.unsure(compared(0.02, 0.02, 0.6)), "noise only ever adds"
    for steady in ((1.02, 1.02, 1.02), (0.98, 0.98, 0.981)):
        (said,) = remarks.unsure(compared(*steady))
        assert "as fast as TVM's default, within 5%" in said and "again" not in said, steady
    for noisy in ((0.5, 0.8, 1.1), (0.8, 1.1, 1.4)):
        (said,) = remarks.unsure(compared(*noisy))
        assert "nobody can tell" in said and "spread by" in said, noisy


def test_a_network_in_memory_stays_as_it_is(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Sum(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.drop, self.kept = torch.nn.Dropout(), torch.nn.Dropout().eval()

        def forward(self, a: Any, b: Any) -> Any:
            return torch.nn.functional.max_pool2d(self.drop(a) - self.kept(b), 3, ceil_mode=True)

    network = Sum()
    inputs = {"b": torch.randn(1, 2, 7, 7), "a": torch.randn(1, 2, 7, 7)}
    how: dict[str, Any] = {"target": "llvm:1", "trials": 1, "proposer": "uniform", "store": tmp_path / "s"}
    found = tuning.tune(network, inputs=inputs, **how)
    assert found.comparison and max(found.comparison.errors.values()) < 1e-3
    assert [part.training for part in (network, network.drop, network.kept)] == [True, True, False]
    with pytest.raises(InputError, match="does not take"):
        tuning.tune(network, inputs={"c": torch.randn(1)}, **how)


def test_the_folder_holds_what_tvm_reads(tuned: Any) -> None:
    found, _, place = tuned
    tvm = _load.load()
    from tvm.s_tir import meta_schedule as ms

    known = ms.database.JSONDatabase(work_dir=str(place / "out"), allow_missing=False)
    better = [kernel for kernel in found.kernels if kernel.decisions]
    assert better and len(known) == len(better)
    target = targets.made(found.target)
    prepared = extract.extract(frontends.from_onnx(place / "net.onnx"), target).module
    with target, known:
        applied = tvm.relax.transform.MetaScheduleApplyDatabase()(prepared)
    scheduled = [name.name_hint for name, f in applied.functions_items() if f.attrs and "tirx.is_scheduled" in f.attrs]
    assert sorted(scheduled) == sorted(kernel.name for kernel in better)


def lines(after: str) -> str:
    """The first lines of Python in the README after some words of it."""
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    return readme[readme.index(after) :].split("```python\n")[1].split("```")[0]


def test_the_library_of_a_network_runs_without_us(tuned: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, place = tuned
    import onnxruntime

    (tmp_path / "tuned").symlink_to(place / "out")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TVM_NUM_THREADS", "1")  # which what is run sets, too
    x = np.random.default_rng(1).standard_normal((1, 3, 9, 9), dtype=np.float32)
    exec(lines("That of a network"), names := {"x": x})
    (expected,) = onnxruntime.InferenceSession(str(place / "net.onnx")).run(None, {"x": x})
    np.testing.assert_allclose(names["y"], expected, rtol=1e-4, atol=1e-5)


def test_the_report_tells_all_of_it(tuned: Any) -> None:
    found, _, place = tuned
    told = json.loads((place / "out" / "report.json").read_text())
    assert [row["run"] for row in told["network"]] == ["default", "tuned", "onnxruntime"]
    assert sum(row["share"] for row in told["kernels"]) == pytest.approx(1)
    for row in told["kernels"]:
        likely = [row["default"], *(seconds for seconds in row["latencies"] if seconds)]
        assert 0.5 * min(likely) <= row["tuned"] <= row["default"] and row["gain"] >= 1
    lines = output.curves(found)
    assert lines[0][0] == pytest.approx(found.before_s) and lines[0][-1] == pytest.approx(found.after_s, rel=0.5)
    assert all(line == sorted(line, reverse=True) and len(line) == 16 for line in lines)
    image = xml.etree.ElementTree.fromstring((place / "out" / "report.svg").read_text())
    assert image.tag.endswith("svg") and "net.onnx" in (place / "out" / "report.md").read_text()


def test_the_report_is_shown_again(tuned: Any, run_forerun: Run, tmp_path: Path) -> None:
    found, _, place = tuned
    code, out, err = run_forerun("show", str(place / "out"))
    assert code == 0 and all(name in out for name in ("conv2d", "whole network", "onnxruntime"))
    assert all(note in err for note in found.notes)
    code, out, _ = run_forerun("show", str(place / "out"), "--format", "json")
    kernels, networks = output.kernel_rows(found), output.network_rows(found)
    told = json.loads(out)
    assert code == 0 and [row["tuned"] for row in told[:5]] == [row["tuned"] for row in kernels]
    assert told[5:] == networks
    (tmp_path / "report.json").write_text("{}")
    assert run_forerun("show", str(tmp_path))[0] == 1


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every answer that workers measure from here on."""
    found, measure = list[Any](), sandbox.Pool.measure_each

    def counted(self: Any, each: Any) -> Any:
        each = list(each)
        found.extend(answer for *_, answer in each)
        return measure(self, each)

    monkeypatch.setattr(sandbox.Pool, "measure_each", counted)
    return found


def refused(*_: Any) -> Any:
    raise AssertionError("it was asked again")


def test_the_same_call_measures_and_drafts_nothing(
    tuned: Any, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _, place = tuned
    monkeypatch.setattr(Uniform, "sample", refused)
    monkeypatch.setattr(Decisions, "text", refused)
    again = tuning.tune(
        place / "net.onnx", target="llvm:1", trials=15, proposer="uniform", store=place / "trials.sqlite"
    )
    assert asked == [] and again.output is None and again.order == found.order
    assert found.recalled == 0 and again.recalled == len(found.order)
    assert f"({len(found.order)} of them by earlier calls" in output.markdown(again)
    assert [kernel.result for kernel in again.kernels] == [kernel.result for kernel in found.kernels]
    assert [kernel.decisions for kernel in again.kernels] == [kernel.decisions for kernel in found.kernels]


def test_a_program_of_a_file(tmp_path: Path, run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    arguments = ("--target", "llvm:1", "--trials", "3", "--model", "uniform", "--format", "json")
    code, out, err = run_forerun("tune", str(tmp_path / "matmul.tir"), "-o", str(tmp_path / "tuned"), *arguments)
    assert code == 0, err
    (row,) = json.loads(out)
    assert row["task"] == "matmul" and row["trials"] == 3 and row["gain"] >= 1
    names = {path.name for path in (tmp_path / "tuned").iterdir()}
    assert names == {database.WORKLOADS, database.RECORDS, "model.so", "report.json", "report.md", "report.svg"}
    monkeypatch.chdir(tmp_path)
    a, b = np.random.default_rng(1).standard_normal((2, 64, 64), dtype=np.float32)
    exec(lines("That of a single program"), buffers := {"a": a, "b": b, "c": np.zeros_like(a)})
    np.testing.assert_allclose(buffers["c"], a @ b, rtol=1e-4, atol=1e-5)


class Told:
    """A search whose rounds give what a list says."""

    def __init__(self, first: float, *latencies: float, build_s: float = 0.1) -> None:
        self.task, self.trials, self.left, self.build_s = Schedule(), list[Any](), list(latencies), build_s
        self.baseline = self._trial(first)
        self.hand: Any = None

    def _trial(self, latency: float) -> Trial[Plan]:
        measured = Measurement({"latency": latency, "build": self.build_s}, checked=True)
        return Trial("", Source("", "tensorir"), Draft(None), measured)

    @property
    def dry(self) -> bool:
        return not self.left

    def round(self, n: int, model: Any = None) -> list[Any]:
        made = [self._trial(latency) for latency in self.left[:n]]
        self.left = self.left[n:]
        self.trials += made
        self.hand.best_s = min([self.hand.best_s, *(t.measurement.values["latency"] for t in made)])
        return made


def hand(weight: int, *latencies: float, flops: float = 1.0, build_s: float = 0.1) -> Hand:
    search = Told(*latencies, build_s=build_s)
    search.hand = Hand(extract.Extracted(str(weight), "", weight, flops), search)  # type: ignore[arg-type]
    return search.hand  # type: ignore[no-any-return]


def test_trials_go_where_they_promise_most() -> None:
    light, heavy, short = hand(1, 1.0, *[1.0] * 99), hand(50, 1.0, *[0.9] * 99), hand(9, 1.0, 0.5, 0.4)
    deal([light, heavy, short], 60)
    counts = [len(each.search.trials) for each in (light, heavy, short)]
    assert counts[0] == 8 and counts[2] == 2 and sum(counts) == 60  # one round each at least; the dry one stops
    even = [hand(weight, 1.0, *[0.5] * 99) for weight in (1, 4)]
    deal(even, 100)
    assert len(even[0].search.trials) == pytest.approx(20, abs=8)  # by what they take: rounds save alike
    few = [hand(1, 1.0, *[1.0] * 9), hand(5, 1.0, *[1.0] * 9), hand(2, 1.0, *[1.0] * 9)]
    deal(few, 2)
    assert [len(each.search.trials) for each in few] == [0, 1, 1]
    bound = [hand(1, 1.0, *[1.0] * 99), hand(5, 1.0, *[1.0] * 99)]
    deal(bound, 40, 12)
    assert [len(each.search.trials) for each in bound] == [12, 12]


def test_what_is_as_fast_as_can_be_or_takes_long_to_build_gets_less() -> None:
    fast, slow = (hand(1, 1.0, *[1.0] * 999, flops=flops) for flops in (100.0, 55.0))
    deal([fast, slow], 600)  # a tenth and half of what each takes may go
    assert len(slow.search.trials) / len(fast.search.trials) == pytest.approx(0.5 / (1 - 1 / 1.1), rel=0.1)
    quick, long = (hand(1, 1.0, *[1.0] * 999, build_s=seconds) for seconds in (0.1, 0.4))
    deal([quick, long], 600)
    assert len(quick.search.trials) / len(long.search.trials) == pytest.approx(4, rel=0.1)


def test_what_was_measured_before_counts() -> None:
    light, heavy = hand(1, 1.0, *[0.5] * 99), hand(19, 1.0, *[0.5] * 99)
    for each in (light, heavy):
        each.round(1)
    deal([light, heavy], 20, 16)
    assert [len(each.search.trials) for each in (light, heavy)] == [4, 16]
    deal([light, heavy], 20, 16)
    assert len(light.search.trials) + len(heavy.search.trials) == 20


def timed(latency: float, spread: float = 0.0, error: str = "") -> Trial[Plan]:
    measurement = Measurement({"latency": latency, "latency_spread": spread}, not error, error)
    return Trial("", Source("", "tensorir"), Draft(None), measurement)


@pytest.mark.parametrize(
    "default, candidates, chosen",
    [
        ((1.0, 0.01), [(0.9, 0.01), (0.8, 0.01)], 1),  # the fastest one
        ((1.0, 0.2), [(0.85, 0.01)], None),  # within the default's spread
        ((1.0, 0.01), [(0.85, 0.2)], None),  # within its own
        ((1.0, 0.01), [(0.7, 0.6), (0.8, 0.01)], 1),  # one that is surely faster rather than one that may be
        ((2.99e-6, 0.001), [(2.84e-6, 0.001)], None),  # samples of one measurement do not tell what another one gives
        ((1.0, 0.0), [], None),
    ],
)  # fmt: skip
def test_noise_is_no_gain(default: Any, candidates: list[Any], chosen: int | None) -> None:
    baseline, trials = timed(*default), [timed(*each) for each in candidates]
    expected = baseline if chosen is None else trials[chosen]
    assert Schedule().choose(baseline, trials) is expected
    assert Schedule().choose(baseline, [timed(0.1, 0.0, "wrong: output 0"), *trials]) is expected


@pytest.mark.parametrize(
    ("model", "how", "said"),
    [
        (3, {}, "it is a int, neither a torch.nn.Module nor a name"),
        (None, {}, "neither a torch.nn.Module nor a name"),
        (SimpleNamespace(forward=0), {}, "the inputs of SimpleNamespace are missing"),
        ("net.onnx", {"inputs": (1,)}, "a file brings its own"),
        ("net.onnx", {"trials": "4"}, "it is no whole number"),
        ("net.onnx", {"trials": True}, "it is no whole number"),
        ("net.onnx", {"trials": 0}, "there is nothing to measure"),
        ("net.onnx", {"on_progress": 3}, "it cannot be called"),
    ],
)
def test_what_python_is_given_that_does_not_fit_is_told(model: Any, how: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        tuning.tune(model, **{"target": {"kind": "llvm", "num-cores": 1}, **how})
    assert said in f"{caught.value.what}: {caught.value.why}"


def single(folder: Path, operator: str, inputs: int = 1, output: int = TensorProto.FLOAT) -> Path:
    """One operator, of an input that has a strange name or of a constant."""
    x = helper.make_tensor_value_info("an input", TensorProto.FLOAT, (2, "n"))
    y = helper.make_tensor_value_info("y", output, None)
    made = helper.make_tensor("c", TensorProto.FLOAT, (2, 2), [1.0, 2.0, 3.0, 4.0])
    node = helper.make_node(operator, ["an input" if inputs else "c"], ["y"])
    graph = helper.make_graph([node], "g", [x] * inputs, [y], [] if inputs else [made])
    return saved(graph, folder / "single.onnx")


MUTE = """
import torch
class Mute(torch.nn.Module):
    def forward(self, x):
        x + 1
def factory():
    return Mute(), (torch.ones(2),)
"""
BAD: dict[str, tuple[Callable[[Path], list[str]], int, str]] = {
    "operator": (lambda p: [str(network(p, operator="Det"))], 1, "no operator Det"),
    "open sizes": (lambda p: [str(network(p, "batch"))], 1, "no fixed sizes"),
    "an input to be quoted": (lambda p: [str(single(p, "Relu"))], 1, "--shape 'an input=2x1', in Python"),
    "a function of the runtime": (
        lambda p: [str(single(p, "NonZero", output=TensorProto.INT64)), "--shape", "an input=2x3"],
        1,
        "no schedules: relax.run.nonzero",
    ),
    "a constant": (lambda p: [str(single(p, "Relu", 0))], 1, "its outputs are constants"),
    "an input as it is": (lambda p: [str(single(p, "Identity")), "--shape", "an input=2x3"], 1, "outputs are inputs"),
    "no input of that name": (lambda p: [str(network(p, "batch")), "--shape", "z=1x3x9x9"], 2, "no input z"),
    "not sizes": (lambda p: [str(network(p)), "--shape", "x=1xa"], 2, "--shape x=1xa"),
    "two shapes": (
        lambda p: [str(network(p, "batch")), *("--shape", "x=1x3x9x9", "--shape", "x=2x3x9x9")],
        2,
        "1x3x9x9 and 2x3x9x9 were named",
    ),
    "no trials": (lambda p: [str(network(p)), "--trials", "0"], 2, "nothing to measure"),
    "no trials of a task": (lambda p: [str(network(p)), "--trials-per-task", "-1"], 2, "nothing to measure"),
    "target": (lambda p: [str(network(p)), "--target", "abacus"], 2, "not a target"),
    "proposer": (lambda p: [str(network(p)), "--model", "nobody"], 2, "nobody"),
    "two proposers": (lambda p: [str(network(p)), "--model", "uniform", "--checkpoint", "x"], 2, "reads no checkpoint"),
    "no checkpoint": (lambda p: [str(network(p)), "--checkpoint", str(p)], 1, "forerun: "),
    "kind": (lambda p: ["net.tar"], 2, "not something to tune"),
    "no network of that name": (lambda p: ["resnet18-1x225"], 2, "did you mean resnet18-"),
    "a name with a dot": (lambda p: ["qwen2-0.5b-1x2"], 2, "did you mean qwen2-0.5b-1x"),
    "a folder": (lambda p: [str(p)], 2, " is a folder"),
    "a misspelt file": (lambda p: [str(network(p).with_name("nett.onnx"))], 1, "net.onnx?"),
    "a missing file": (lambda p: [str(p / "nowhere" / "net.tar")], 2, "there is no such file"),
    "weights alone": (lambda p: [str(_written(p / "net.pth", ""))], 2, "module.py:factory; or export it"),
    "no name that is near": (lambda p: ["xyzzy"], 2, "resnet18-1x224, kernel.py"),
    "all lines": (lambda p: [str(_line(p / "w.jsonl", PROGRAM))], 2, "w.jsonl:mine"),
    "no line of that name": (lambda p: [f"{_line(p / 'w.jsonl', PROGRAM)}:mime"], 2, "w.jsonl:mine"),
    "no file": (lambda p: [str(p / "no.onnx")], 1, "no.onnx"),
    "no program": (lambda p: [str(_written(p / "own.py", "x = 1"))], 1, "no tensor program"),
    "no factory named": (lambda p: [str(_written(p / "own.py", "def mlp():\n    pass"))], 1, "own.py:mlp"),
    "crash": (lambda p: [f"{_written(p / 'own.py', 'import os; os.abort()')}:factory"], 1, "own.py:factory failed"),
    "no exported program": (lambda p: [str(p / "no.pt2")], 1, "no such file"),
    "no outputs": (lambda p: [f"{_written(p / 'own.py', MUTE)}:factory"], 1, "it returns nothing"),
    "no factory": (lambda p: [f"{_written(p / 'own.py', 'x = 1')}:factory"], 1, "no function factory"),
    "no file of a factory": (lambda p: [f"{p / 'no.py'}:factory"], 1, "there is no such file"),
    "no line": (lambda p: [f"{_written(p / 'w.jsonl', '')}:3"], 2, "no program 3"),
    "a line that is empty": (lambda p: [f"{_line(p / 'w.jsonl', EMPTY)}:mine"], 1, "w.jsonl:mine cannot be tuned"),
    "a line that is no program": (lambda p: [f"{_line(p / 'w.jsonl', 'x = 1')}:1"], 1, "w.jsonl:1 is no tensor"),
    "an empty program": (lambda p: [str(_written(p / "own.tir", EMPTY))], 1, "a tensor of the shape (0,) is empty"),
    "a target of TVM's": (lambda p: [str(network(p)), "--target", "opencl"], 2, "forerun knows llvm and cuda"),
    "a folder in none": (lambda p: [str(network(p)), "-o", str(p / "nowhere" / "out")], 2, "no such folder"),
    "a file for a folder": (lambda p: [str(network(p)), "-o", str(_written(p / "out", ""))], 2, "no folder"),
}


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _line(path: Path, text: str) -> Path:
    workloads.write(path, [workloads.Workload("mine", text, 1.0, ())])
    return path


@pytest.mark.parametrize("name", BAD)
def test_bad_requests_are_told_in_three_lines(name: str, tmp_path: Path, run_forerun: Run) -> None:
    arguments, code, said = BAD[name]
    if name == "no factory":
        pytest.importorskip("torch")
    found, out, err = run_forerun("tune", *arguments(tmp_path))
    assert (found, out) == (code, "") and said in err, err
    assert len(err[err.index("forerun: ") :].splitlines()) == 3


def test_only_a_network_that_exists_asks_for_what_makes_it(
    run_forerun: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tensor_networks.networks.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "transformers" else name)
    extract = ("collect", "schedule", "--workloads", "w.jsonl", "--extract")
    for name, code, said in (("resnet18-1x224", 3, "made by transformers"), ("resnet18", 2, "did you mean resnet18-")):
        for verb in (("tune",), extract):
            found, _, err = run_forerun(*verb, name)
            assert found == code and said in err, err


def test_networks_that_are_known_without_pytorch_are_those_that_it_makes() -> None:
    pytest.importorskip("torch")
    from forerun.corpora import _networks_sizes, _networks_written

    assert [*_networks_sizes.WRITTEN] == [*_networks_written.MADE]


@pytest.mark.parametrize("version, said", [(None, "need TVM"), ("0.16.0", "0.16.0 does not fit")])
def test_no_tvm_and_another_one(
    version: str | None, said: str, tmp_path: Path, run_forerun: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.metadata.distribution

    def distribution(name: str) -> Any:
        if name != "apache-tvm":
            return real(name)
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        found = real(name)
        return type("Other", (), {"version": version, "locate_file": found.locate_file})()

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    _load.load.cache_clear()
    _load.found.cache_clear()
    try:
        code, _, err = run_forerun("tune", str(network(tmp_path)), "--target", "llvm:1")
    finally:
        _load.load.cache_clear()
        _load.found.cache_clear()
    assert code == 3 and said in err and "pip install 'forerun[tune]'" in err


class Hurried(Uniform):
    """Says which of the two was asked, and for how many."""

    def __init__(self, name: str, asked: list[tuple[str, int]], sooner: Uniform | None = None) -> None:
        super().__init__(1)
        self._name, self._asked, self._sooner = name, asked, sooner

    def sample(self, prompt: str, grammar: Any, n: int, seed: int, history: Any = ()) -> list[Draft[Any]]:
        self._asked.append((self._name, n))
        return super().sample(prompt, grammar, n, seed, history)

    def hasty(self) -> Uniform:
        return self._sooner or self


@pytest.mark.parametrize("hurries", [True, False])
def test_any_model_may_have_a_hasty_variant_for_first_kernels(tmp_path: Path, hurries: bool) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    asked = list[tuple[str, int]]()
    model = Hurried("whole", asked, Hurried("hasty", asked) if hurries else None)
    found = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=3, proposer=model)
    assert asked == ([("hasty", 1), ("whole", 2)] if hurries else [("whole", 3)]) and len(found.order) == 3


class Broken(Schedule):
    """Its first candidate crashes, the second hangs, the third is wrong."""

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        from forerun.toolchains.tvm.measure import _bench

        if answer is None:
            return super().begin(source, answer)
        counter = settings.cache_folder() / "count"
        number = int(counter.read_text()) if counter.exists() else 0
        counter.write_text(str(number + 1))
        if number == 0:
            os.abort()
        if number == 1:
            time.sleep(1000)
        bench = _bench(source, 0, None)
        right = bench.expected
        bench.expected = [each + 1 for each in right] if number == 2 else right
        try:
            return super().begin(source, answer)
        finally:
            bench.expected = right


def test_kernels_that_crash_hang_or_are_wrong_never_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "Schedule", Broken)
    monkeypatch.setenv("FORERUN_TIMEOUT", "8")
    monkeypatch.setenv("FORERUN_WORKERS", "1")
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    found = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=5, proposer="uniform")
    (kernel,) = found.kernels
    errors = [trial.measurement.error for trial in kernel.result.trials]
    assert [error.partition(":")[0] for error in errors] == ["crash", "timeout", "wrong", "", ""]
    assert kernel.failed == 3 and kernel.after_s <= kernel.before_s
    assert kernel.result.best.measurement.ok


class Doubted(Again):
    """The first kernel that it is asked about is wrong, the second one crashes."""

    def begin(self, source: Source, answer: Plan | None) -> Measurement:
        counter = settings.cache_folder() / "count"
        number = int(counter.read_text()) if counter.exists() else 0
        counter.parent.mkdir(parents=True, exist_ok=True)
        counter.write_text(str(number + 1))
        if number == 1:
            os.abort()
        return Measurement(error="wrong: output 0") if number == 0 else super().begin(source, answer)


def test_the_best_kernel_is_right_on_other_inputs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[Any]
) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM.replace("64", "128"))
    monkeypatch.setattr(table, "Again", Doubted)
    monkeypatch.setattr(Schedule, "choose", lambda self, first, trials: next(iter(self.rank(trials)), first))
    given = {"target": "llvm:1", "trials": 4, "proposer": "uniform", "store": tmp_path / "s"}
    (kernel,) = tuning.tune(tmp_path / "matmul.tir", **given).kernels  # type: ignore[arg-type]
    trials = kernel.result.trials
    wrong = sorted(trial.measurement.error.partition(":")[0] for trial in trials if not trial.measurement.ok)
    assert wrong == ["crash", "wrong"] and kernel.failed == 2 and kernel.decisions
    assert all("on other inputs" in trial.measurement.error for trial in trials if not trial.measurement.ok)
    with Store(tmp_path / "s") as kept:
        stored = [row.measurement for row in kept.trials(Schedule().id) if row.answer is not None]
    assert sorted(m.error for m in stored) == sorted(trial.measurement.error for trial in trials)
    assert len([one for one in asked if one is not None]) == 4 + 3  # a default is measured until its samples agree


class Unlucky(Again):
    """The kernel that it is asked about first takes a second this time."""

    def begin(self, source: Source, answer: Plan | None) -> Measurement:
        counter = settings.cache_folder() / "asked"
        first = not counter.exists()
        counter.parent.mkdir(parents=True, exist_ok=True)
        counter.touch()
        return Measurement({"latency": 1.0 if first else 1e-9}, checked=True)


def test_the_fastest_kernels_are_timed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[Any]) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM.replace("64", "128"))
    monkeypatch.setattr(table, "Again", Unlucky)
    monkeypatch.setattr(resuming, "_CLOSE", 1e6)
    monkeypatch.setenv("FORERUN_WORKERS", "1")
    given = {"target": "llvm:1", "trials": 12, "proposer": "uniform", "store": tmp_path / "s"}
    (kernel,) = tuning.tune(tmp_path / "matmul.tir", **given).kernels  # type: ignore[arg-type]
    best, ranked = kernel.result.best, Schedule().rank(kernel.result.trials)
    assert best.draft.answer == ranked[1].draft.answer
    assert best.measurement.values["latency"] == pytest.approx((ranked[1].measurement.values["latency"] * 1e-9) ** 0.5)
    asked.clear()
    (same,) = tuning.tune(tmp_path / "matmul.tir", **given).kernels  # type: ignore[arg-type]
    assert same.decisions == kernel.decisions and same.after_s == kernel.after_s and not asked


def test_a_faster_kernel_of_an_earlier_call_stays(tmp_path: Path) -> None:
    path = tmp_path / "matmul.tir"
    path.write_text(PROGRAM.replace("64", "128"))
    many, few = (
        tuning.tune(path, target="llvm:1", trials=n, proposer="uniform", seed=n, store=tmp_path / "s") for n in (12, 1)
    )
    assert few.kernels[0].after_s == many.kernels[0].after_s and few.kernels[0].decisions == many.kernels[0].decisions
    assert len(few.order) == 1 and any("of an earlier call" in note for note in few.notes)
    assert not any("of an earlier call" in note for note in many.notes)


def test_a_kernel_of_another_version_that_no_design_space_has_is_left(tmp_path: Path) -> None:
    path = _written(tmp_path / "matmul.tir", PROGRAM)
    given = {"target": "llvm:1", "trials": 4, "proposer": "uniform", "store": tmp_path / "s"}
    first = tuning.tune(path, **given)  # type: ignore[arg-type]
    with contextlib.closing(sqlite3.connect(tmp_path / "s")) as store, store:
        for number, answer in [*store.execute("SELECT id, answer FROM trials WHERE answer IS NOT NULL")]:
            other = re.sub(r"T(\d+),", "T7,", zlib.decompress(answer).decode(), count=1)
            values = json.dumps({"latency": 1e-9, "latency_spread": 0.0, "samples": 3.0})
            row = zlib.compress(other.encode()), hashlib.sha256(other.encode()).hexdigest(), values
            columns = "source, tool, parts, checked, error, logprob, origin"
            store.execute(
                f"INSERT OR IGNORE INTO trials (task, answer, digest, measured, {columns})"
                f" SELECT task, ?, ?, ?, {columns} FROM trials WHERE id = ?",
                (*row, number),
            )
    again = tuning.tune(path, output=tmp_path / "out", **given)  # type: ignore[arg-type]
    assert again.kernels[0].after_s == first.kernels[0].after_s and "T7," not in again.kernels[0].decisions


def test_an_interrupt_keeps_what_was_measured(
    tmp_path: Path, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resuming, "_CLOSE", 0.0)  # one finalist, however alike kernels are
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    seen = list[tuning.Progress]()

    def stop(now: tuning.Progress) -> None:
        seen.append(now)
        if now.trials == 3:
            raise KeyboardInterrupt

    store = tmp_path / "trials.sqlite"
    with pytest.raises(KeyboardInterrupt):
        tuning.tune(
            tmp_path / "matmul.tir", target="llvm:1", trials=5, proposer="uniform", store=store, on_progress=stop
        )
    with Store(store) as kept:
        rows = [row for row in kept.trials(Schedule().id) if row.answer is not None]
    assert len(rows) == 3 and None in asked  # a default is measured until its samples agree
    assert len([one for one in asked if one is not None]) == 5
    asked.clear()
    again = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=5, proposer="uniform", store=store)
    texts = [Decisions.text(Schedule().grammar(t.source), t.draft.answer) for t in again.kernels[0].result.trials]
    assert {row.answer for row in rows} <= set(texts) and len(texts) == 5
    assert len(asked) in (2, 3) and None not in asked  # and whether the best one is right on other inputs
    asked.clear()
    # Another seed has other drafts, and the same default.
    tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=2, proposer="uniform", store=store, seed=1)
    assert len(asked) in (2, 3) and None not in asked


def test_drafts_are_known_by_all_that_they_depend_on(tmp_path: Path) -> None:
    shipped = Scheduler()
    assert identity(shipped) == identity(Scheduler()) and identity(Uniform()) == identity(Uniform())
    others = [shipped.hasty(), Scheduler(asked="G1"), Scheduler(corrected=False), Scheduler(written=False)]
    others += [Scheduler(tiled=False), Uniform(3)]
    known = [identity(shipped), *map(identity, others), identity(Uniform())]
    assert len(set(known)) == len(known) and "" not in known
    assert identity(Hurried("whole", [])) == ""  # what others' models depend on is not known
    shutil.copy(SHIPPED / "judge.safetensors", tmp_path)
    own = identity(Scheduler(tmp_path))
    (tmp_path / "judge.json").write_text("{}")
    assert own not in known and identity(Scheduler(tmp_path)) != own


@pytest.mark.skipif(not targets.x86_64(targets.made(targets.here(1))), reason="only x86-64 is read")
def test_machine_code_is_read_before_kernels_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    asked, measure_each = list[str](), sandbox.Pool.measure_each

    def heard(pool: Any, each: Any) -> Any:
        each = list(each)
        asked.extend(task.name for task, *_ in each)
        return measure_each(pool, each)

    monkeypatch.setattr(sandbox.Pool, "measure_each", heard)
    for proposer, reads in ((Scheduler(), True), (Scheduler(reads=False), False), (Uniform(), False)):
        asked.clear()
        tuned = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", trials=3, proposer=proposer)
        assert (asked.count(Reading.name) >= 2 * READ) == reads and len(tuned.order) == 3


def matmul(place: Path, trials: int, on_progress: Callable[[tuning.Progress], None]) -> tuning.Tuned:
    """Tunes one program into a folder, from a store beside it."""
    (place / "matmul.tir").write_text(PROGRAM)
    return tuning.tune(
        place / "matmul.tir", target="llvm:1", trials=trials, proposer="uniform", output=place / "out",
        store=place / "trials.sqlite", on_progress=on_progress,
    )  # fmt: skip


@pytest.mark.parametrize("stages", [["reading"], ["reading", "default"], ["reading", "default", "default"]])
def test_an_interrupt_says_that_something_is_kept_only_where_something_is(
    stages: list[str], run_forerun: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, on_progress: Callable[[tuning.Progress], None], **__: Any) -> None:
        for stage in stages:
            on_progress(tuning.Progress(stage))
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning, "tune", stopped)
    code, _, err = run_forerun("tune", "net.onnx")
    kept = len(stages) > 2
    assert code == cli.INTERRUPTED and ("is kept" in err) == kept == ("the same command goes on" in err), err


def test_a_stage_says_how_long_it_has_taken(capsys: pytest.CaptureFixture[str]) -> None:
    live = cli_tune._Live()
    live.progress._last -= 60
    for seconds in (0.0, 61.0, 62.0):
        live.told(tuning.Progress("reading", "net.onnx", seconds=seconds))
    assert capsys.readouterr().err == "reading it\nreading: 61 s so far\n"


def test_an_interrupt_leaves_what_was_found(tmp_path: Path) -> None:
    def stop(now: tuning.Progress) -> None:
        if now.trials == stops:
            raise KeyboardInterrupt

    stops, out = 9, tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        matmul(tmp_path, 10, stop)
    told = json.loads((out / "report.json").read_text())
    assert len(told["order"]) == len(told["kernels"][0]["latencies"]) == 8 and "interrupted" in told["notes"][0]
    assert (out / "database_workload.json").is_file() and not (out / "model.so").exists()
    assert "<svg" in (out / "report.svg").read_text()
    stops = 99
    matmul(tmp_path, 10, stop)
    whole = (out / "report.json").read_text()
    assert not any("interrupted" in note for note in json.loads(whole)["notes"]) and (out / "model.so").is_file()
    stops = 3
    with pytest.raises(KeyboardInterrupt):
        matmul(tmp_path, 10, stop)
    assert (out / "report.json").read_text() == whole and (out / "model.so").is_file()


@pytest.mark.parametrize(
    "stopped",
    [
        KeyboardInterrupt(),
        ForerunError("it is wrong", "outputs are off", "report it"),
        StopIteration("outputs are off"),
    ],
)
def test_what_does_not_come_to_its_end_leaves_what_was_found(tmp_path: Path, stopped: BaseException) -> None:
    def stop(now: tuning.Progress) -> None:
        if stops and now.stage == "comparing":
            raise stopped

    stops, out = True, tmp_path / "out"
    with pytest.raises(type(stopped)):
        matmul(tmp_path, 2, stop)
    told = json.loads((out / "report.json").read_text())
    why = {KeyboardInterrupt: "interrupted", StopIteration: "StopIteration: outputs are off"}.get(
        type(stopped), "it is wrong: outputs are off"
    )
    assert len(told["order"]) == 2 and len(told["notes"]) == 1 and told["notes"][0].startswith(f"{why}: what was found")
    assert (out / "database_workload.json").is_file() and not (out / "model.so").exists() and not output.ended(out)
    stops = False
    matmul(tmp_path, 2, stop)
    assert (out / "model.so").is_file() and output.ended(out)


def test_a_draft_that_cannot_be_written_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    text, refused = resuming.Resuming.text, list[Any]()

    def written(search: resuming.Resuming, answer: Any) -> str:
        if not refused or answer == refused[0]:
            refused[:] = [answer]
            raise Refused("replay: loops are not there")
        return text(search, answer)

    monkeypatch.setattr(resuming.Resuming, "text", written)
    found = tuning.tune(
        tmp_path / "matmul.tir", target="llvm:1", trials=3, proposer="uniform", store=tmp_path / "trials.sqlite"
    )
    plans = [trial.draft.answer for trial in found.kernels[0].result.trials]
    assert len(plans) == 3 and refused and refused[0] not in plans


def test_a_busy_machine_is_told(tuned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _, _ = tuned
    about = {"task": Schedule(), "trials": [], "stopped": None, "inherited": False, "remembered": False}

    def hands(waited: float) -> list[Hand]:
        searches = []
        for kernel in found.kernels:
            measured = kernel.result.baseline.measurement
            told = replace(measured, values=dict(measured.values) | {"waited": waited})
            baseline = replace(kernel.result.baseline, measurement=told)
            searches.append((kernel.name, SimpleNamespace(baseline=baseline, **about)))
        return [Hand(extract.Extracted(name, "", 1, 1.0), one) for name, one in searches]  # type: ignore[arg-type]

    baselines = hands(0.01)
    notes = partial(remarks.on_hands, baselines, Uniform(), device.Place(found.target))

    def notes_of(busy: list[Hand]) -> list[str]:
        return remarks.on_hands(busy, Uniform(), device.Place(found.target), None)

    (note,) = (one for one in notes_of(hands(0.4)) if "40%" in one)
    assert note.startswith("the machine is busy: others had the processor for 40% of the time of kernels: measure")
    about["remembered"] = True
    assert any("40% of the time of kernels when an earlier call" in one for one in notes_of(hands(0.4)))
    monkeypatch.setattr(remarks, "BUSY", -1.0)
    assert any(note.startswith("the machine is busy") and "%" in note for note in notes(None))
    wide = {"default": Timing((1.0, 1.0, 1.0)), "PyTorch": Timing((1.0, 5.0, 1.0, 9.0))}
    monkeypatch.setattr(remarks, "BUSY", 0.15)
    said = notes(networks.Comparison(wide, {}))
    assert any("whole network (PyTorch) spread by" in note for note in said)
    monkeypatch.setattr(remarks, "BUSY", 1e9)
    assert notes(networks.Comparison(wide, {}, waited=0.05)) == []
    (note,) = notes(networks.Comparison(wide, {}, waited=0.3))
    assert "others had the processor for 30% of the time" in note
    # What was measured on a busy machine stays in the store: a run of the whole network tells.
    threads = {"default": 2, "tuned": 2, "onnxruntime": 1, "PyTorch": 2}
    (note,) = notes(networks.Comparison(wide, {}, threads=threads))
    assert note.startswith("onnxruntime took less on one thread") and "--target llvm:1" in note
    together = sum(hand.before_s for hand in baselines)
    (note,) = notes(networks.Comparison({"default": Timing((together / 4,))}, {}))
    assert "together they take 4.0 times as long" in note and "FORERUN_CACHE" in note
    (note,) = notes(networks.Comparison({"default": Timing((together / 4,))}, {}, branches=True))
    assert note.startswith("the network has branches") and "busy" not in note


def test_a_network_with_branches_is_known_as_one(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (2, 3)) for name in "xy")
    here = helper.make_tensor_value_info("here", TensorProto.BOOL, ())
    ways = (helper.make_graph([helper.make_node(one, ["x"], ["y"])], one, [], [y]) for one in ("Relu", "Tanh"))
    node = helper.make_node("If", ["here"], ["y"], **dict(zip(("then_branch", "else_branch"), ways, strict=True)))
    place = saved(helper.make_graph([node], "g", [here, x], [y]), tmp_path / "if.onnx")
    for path, branches in ((place, True), (network(tmp_path), False)):
        known = networks.read(networks.Network(path), device.Place(targets.parse("llvm:1")))
        assert networks._branches(known.extraction.module["main"]) is branches


def test_fewer_candidates_than_were_asked_for_are_explained(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (2, 3)) for name in "xy")
    path = saved(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y]), tmp_path / "tiny.onnx")
    how: dict[str, Any] = {"target": "llvm:1", "proposer": "uniform", "store": tmp_path / "s"}
    told, none = (tuning.tune(path, trials=trials, **how) for trials in (4, 1))
    assert len(told.order) == 1 and "1 of 4 candidates were measured: uniform has no others for relu" in told.notes
    assert not any("were measured" in note for note in none.notes)
    hands = [hand(1, 1.0) for _ in range(5)]
    (note,) = remarks.untried(hands, 9, Uniform())  # type: ignore[arg-type]
    assert note.endswith("has no others for 1, 1, 1 and 2 more")


def test_time_that_is_no_kernels_is_told(tuned: Any) -> None:
    found, _, _ = tuned
    slow = networks.Comparison({"tuned": Timing((found.after_s * 2,))}, {})
    (note,) = remarks.beside(replace(found, comparison=slow, left_out={}))
    assert note.startswith("the kernels, timed one at a time, take 50% of the tuned network's time; the rest is data")
    (note,) = remarks.beside(replace(found, comparison=slow, left_out={"fused_sum": "why"}))
    assert "the rest is programs that were not tuned (1), data that comes from memory" in note
    near = networks.Comparison({"tuned": Timing((found.after_s * 1.2,))}, {})
    assert remarks.beside(replace(found, comparison=near)) == remarks.beside(replace(found, comparison=None)) == []


def test_the_live_line_tells_what_is_faster_so_far(tuned: Any) -> None:
    found, seen, _ = tuned
    *_, last = (each for each in seen if each.stage == "tuning")
    assert last.programs == 5 and last.faster == sum(kernel.after_s < kernel.before_s for kernel in found.kernels)
    now = tuning.Progress("tuning", "conv2d", 3, 9, 4e-3, 1e-3, 8e-3, 5e-3, 1, 2)
    assert cli_tune._note(now) == "all 8 ms → 5 ms, 1 of 2 tasks faster; conv2d 4 ms → 1 ms, 4.00x"


def test_names_of_fused_kernels_are_cut_in_notes_too(capsys: pytest.CaptureFixture[str]) -> None:
    name = "fused_" + "reshape_" * 200 + "add7"
    cli_tune.show_report([], [], {name: "no space"}, [f"{name}: all 3 candidates failed"], "json")
    assert max(map(len, capsys.readouterr().err.splitlines())) < 100


def test_names_of_fused_kernels_are_cut_for_people() -> None:
    long = "fused_matmul_" + "add_" * 60 + "gelu7"
    seen = cli_tune._short(long)
    assert len(seen) == 60 and seen.startswith("fused_matmul_add") and seen.endswith("gelu7") and "…" in seen
    assert cli_tune._short("fused_matmul_add") == "fused_matmul_add"


def test_threads_that_wake_are_not_timed() -> None:
    """The first run after a pause takes 20 ms: neither how many runs a sample has nor its time know of that."""

    class Sleepy:
        def __init__(self) -> None:
            self.asleep = True

        def __call__(self) -> None:
            time.sleep(0.02 if self.asleep else 2e-5)
            self.asleep = False

    runs = {"a": Sleepy(), "b": Sleepy()}

    def timer(name: str) -> Any:
        inner, other = device.by_clock(runs[name]), runs["b" if name == "a" else "a"]

        def timed(count: int, samples: int) -> Any:
            other.asleep = True
            return inner(count, samples)

        return timed

    found = networks.timed({name: timer(name) for name in runs})
    assert all(one.median_s < 1e-3 for one in found.values()), found


def test_a_network_that_takes_long_runs_once() -> None:
    called = list[tuple[str, int]]()

    def timer(name: str, seconds: float) -> Any:
        def run(runs: int, samples: int) -> list[float]:
            called.append((name, runs * samples))
            return [seconds] * samples

        return run

    found = networks.timed({"slow": timer("slow", 20.0), "fast": timer("fast", 1.0)})
    assert list(found) == ["slow", "fast"] and sum(count for name, count in called if name == "slow") == 1
    assert found["slow"].seconds == (20.0,) and len(found["fast"].seconds) >= 3
    assert networks.timed({"slow": timer("slow", 20.0)})["slow"].median_s == 20.0


def test_each_turn_has_its_own_order_and_warms_up() -> None:
    called = list[str]()

    def timer(name: str) -> Any:
        def run(runs: int, samples: int) -> list[float]:
            slow = called[-1:] == ["rival"] and name != "rival"  # its threads still spin
            called.append(name)
            return [(2.0 if slow else 1.0) * 1e-2] * samples

        return run

    names = ["default", "tuned", "rival"]
    found = networks.timed({name: timer(name) for name in names})
    assert list(found) == names and all(one.median_s == 1e-2 for one in found.values())
    turns = [tuple(called[at : at + 6 : 2]) for at in range(6, len(called), 6)]
    assert called[6::2] == called[7::2] and all(sorted(turn) == sorted(names) for turn in turns)
    assert all({turn[place] for turn in turns} == set(names) for place in range(3))
    before, called[:] = called[:], []
    networks.timed({name: timer(name) for name in names})
    assert called == before


def test_others_have_the_number_of_threads_that_is_better_for_them() -> None:
    taken = {1: 2e-5, 2: 2e-3}  # as on a machine where others use the cores, too
    rival = networks.Rival(lambda threads: lambda: time.sleep(taken[threads]), 2)
    assert rival.fastest()[1] == 1
    taken[1] = 2e-2
    assert rival.fastest()[1] == 2
    assert networks.Rival(rival.made, 1).fastest()[1] == 1


def test_where_nothing_is_better_nothing_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Schedule, "choose", lambda self, default, trials: default)
    found = tuning.tune(network(tmp_path), target="llvm:1", trials=1, proposer="uniform", output=tmp_path / "out")
    default, tuned = (found.comparison.timings[name] for name in ("default", "tuned"))  # type: ignore[union-attr]
    assert default is not None and default == tuned and tuning._UNCHANGED in found.notes
    gains = {row["run"]: row["gain"] for row in output.network_rows(found)}
    assert {row["threads"] for row in output.network_rows(found)} == {1}
    assert gains["tuned"] == 1 and list(gains) == ["default", "tuned", "onnxruntime"]
    assert (tmp_path / "out" / output.LIBRARY).stat().st_size > 0


def test_one_slow_run_condemns_no_kernel() -> None:
    def timer(seconds: list[float]) -> Any:
        left = iter(seconds)
        return lambda runs, samples: [next(left, seconds[-1]) for _ in range(samples)]

    woken = measure.timed(timer([1e-3, 2e-6, 2e-6]), 1e-6, measure.Bounds())
    assert woken["samples"] > 1 and woken["latency"] == pytest.approx(2e-6)
    slow = measure.timed(timer([1e-3, 9e-4, 8e-4]), 1e-6, measure.Bounds())
    assert slow["samples"] == 1 and slow["latency"] == pytest.approx(8e-4)


@pytest.mark.parametrize("name", ["length", "mix+coreset", "nonsense"])
def test_what_writes_no_schedules_is_refused_first(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="writes no schedules") as error:
        tuning.tune(tmp_path / "there_is_none.tir", proposer=name)
    assert error.value.todo == "name scheduler or uniform"


def test_arguments_of_other_types_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="target: None"):
        tuning.tune(tmp_path / "x.tir", target=None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="3 writes no schedules"):
        tuning.tune(tmp_path / "x.tir", target="llvm:1", proposer=3)  # type: ignore[arg-type]
    for size in (5, "1x3", ["a"]):
        with pytest.raises(UsageError, match="shapes: x: "):
            tuning.tune(tmp_path / "x.onnx", shapes={"x": size})  # type: ignore[dict-item]
    wrong: list[dict[str, Any]] = [{"output": 5}, {"store": 5}, {"rpc": Path("host")}, {"shapes": [("x", (8, 64))]}]
    for given in wrong:
        with pytest.raises(UsageError, match=f"{next(iter(given))}: "):
            tuning.tune(tmp_path / "x.onnx", **given)


def test_a_full_disk_is_told_and_leaves_the_answer_before(
    tuned: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output.write(tuned[0], tmp_path, {database.RECORDS: "before"}, b"library")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    made = os.fdopen

    def full(descriptor: int, mode: str) -> Any:
        if len([*tmp_path.glob(".*")]) > 3:
            os.close(descriptor)
            raise OSError(errno.ENOSPC, "No space left on device")
        return made(descriptor, mode)

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(ForerunError, match="cannot write") as error:
        output.write(tuned[0], tmp_path, {database.RECORDS: "after"}, b"another library")
    assert "No space left" in error.value.why
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_answer_that_the_disk_refuses_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise ForerunError("cannot write out/model.so", "No space left on device", "make room")

    monkeypatch.setattr(output, "write", full)
    program = _written(tmp_path / "matmul.py", PROGRAM)
    words = [
        "tune",
        str(program),
        "--target",
        "llvm:1",
        "--trials",
        "1",
        "--model",
        "uniform",
        "-o",
        str(tmp_path / "o"),
    ]
    assert cli.main(words) == 1
    out, err = capsys.readouterr()
    assert "matmul" in out and "No space left on device" in err and "the same call measures nothing again" in err


def test_a_folder_of_something_else_is_left(tuned: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert output.checked(tmp_path) == tmp_path
    for name, text in ((database.RECORDS, ""), ("report.json", "[1]"), ("report.json", '{"kernels": 3}')):
        held = _written(tmp_path / name, text)
        with pytest.raises(UsageError, match="files of something else") as error:
            tuning.tune(network(tmp_path), target="llvm:1", output=tmp_path)
        assert name in error.value.why and held.read_text() == text
        held.unlink()
    output.write(tuned[0], tmp_path, {}, b"")
    (tmp_path / "report.md").unlink()
    assert output.checked(tmp_path) == tmp_path


def test_the_answer_of_another_network_or_target_is_left(tuned: Any, tmp_path: Path) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    network(tmp_path)
    output.write(tuned[0], tmp_path, {}, b"library")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = '{"kind":"llvm","mcpu":"x86-64","num-cores":1}'
    for name, target in ((tmp_path / "matmul.tir", "llvm:1"), (tmp_path / "net.onnx", other)):
        with pytest.raises(UsageError, match="holds another tuning's answer") as error:
            tuning.tune(name, target=target, output=tmp_path)
        assert "it is of net.onnx on {" in error.value.why and f"{name.name.removesuffix('.tir')} on" in error.value.why
        assert "another folder" in error.value.todo
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    output.kept(tmp_path, "net.onnx", tuned[0].target)


def test_another_network_of_the_same_name_is_told_and_one_of_another_name_is_known(tuned: Any, tmp_path: Path) -> None:
    found, _, place = tuned
    there = shutil.copytree(place / "out", tmp_path / "out")
    before = (there / output.LIBRARY).read_bytes()
    with pytest.raises(UsageError, match="holds another tuning's answer") as error:
        tuning.tune(network(tmp_path, 2), target="llvm:1", output=there)
    assert "net.onnx" in error.value.why and "another network" in error.value.why
    assert (there / output.LIBRARY).read_bytes() == before
    output.kept(there, "renamed.onnx", found.target, found.digest)
    told = json.loads((there / "report.json").read_text())
    assert told.pop("digest") == found.digest
    (there / "report.json").write_text(json.dumps(told))  # as earlier versions wrote it
    output.kept(there, "net.onnx", found.target, "of something else")
    with pytest.raises(UsageError):
        output.kept(there, "renamed.onnx", found.target, found.digest)


def test_a_folder_is_tuned_into_once_at_a_time(tmp_path: Path) -> None:
    with files.alone(tmp_path, "tunes into"), pytest.raises(UsageError, match="another process tunes into"):
        tuning.tune(network(tmp_path), target="llvm:1", output=tmp_path)


def test_who_comes_second_into_a_new_folder_leaves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not there when both looked."""
    made = output.checked
    with ExitStack() as first:

        def overtaken(path: Path) -> Path:
            first.enter_context(files.alone(made(path), "tunes into"))
            return path

        monkeypatch.setattr(output, "checked", overtaken)
        with pytest.raises(UsageError, match="another process tunes into"):
            tuning.tune(network(tmp_path), target="llvm:1", output=tmp_path / "new")
        assert (tmp_path / "new").is_dir()
    monkeypatch.setattr(output, "checked", made)
    with pytest.raises(InputError):
        tuning.tune(tmp_path / "none.onnx", target="llvm:1", output=tmp_path / "other")
    assert not (tmp_path / "other").exists(), "but nothing is left by who had it alone"


def test_a_program_that_torch_export_saved(tmp_path: Path, run_forerun: Run) -> None:
    torch = pytest.importorskip("torch")
    module, given = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh()), (torch.randn(4, 16),)
    path = tmp_path / "own.pt2"
    torch.export.save(torch.export.export(module, given), path)
    found = tuning.tune(path, target="llvm:1", trials=2, proposer="uniform")
    assert found.name == "own.pt2" and found.comparison is not None and found.comparison.errors["PyTorch"] < 1e-5
    for program, said in (
        (b"no program", "write it with torch.export.save"),
        (torch.export.export(torch.nn.Bilinear(3, 4, 5), (), {"input1": given[0][:, :3], "input2": given[0][:, :4]}),
         "inputs by name (input1, input2)"),
    ):  # fmt: skip
        path.write_bytes(program) if isinstance(program, bytes) else torch.export.save(program, path)
        code, _, err = run_forerun("tune", str(path))
        assert code == 1 and said in err, err


def test_outputs_of_others_classes_are_tensors_in_a_row(tmp_path: Path) -> None:
    """Which the process that reads the network has not imported, or nobody said how to save."""
    torch = pytest.importorskip("torch")
    outputs = pytest.importorskip("transformers.modeling_outputs")

    class Named(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            top = x.max(1)
            return outputs.BaseModelOutput(last_hidden_state=x.exp(), hidden_states=(top.values, None)), top, 3

    asked = {"inputs": (torch.randn(4, 16),), "target": "llvm:1", "trials": 1, "proposer": "uniform"}
    found = tuning.tune(Named(), **asked, store=tmp_path / "trials.sqlite", output=tmp_path / "out")
    assert found.name == "Named" and found.comparison is not None and found.comparison.errors["PyTorch"] < 1e-5
    names = ["[0].last_hidden_state", "[0].hidden_states[0]", "[1].values", "[1].indices"]
    assert json.loads((tmp_path / "out" / "report.json").read_text())["outputs"] == names == [*found.comparison.outputs]


def test_outputs_have_the_names_that_the_network_gives_them() -> None:
    one, other = np.zeros((2, 3), np.float32), np.zeros(3, np.int64)
    given = {"logits": one, "hidden": (one, other), "loss": None}
    assert frontends.named(given) == ("logits", "hidden[0]", "hidden[1]")
    assert frontends.named(one) == frontends.named([one, (other,)]) == frontends.named(None) == ()


def test_whole_numbers_of_numpy_are_some(tmp_path: Path) -> None:
    (tmp_path / "matmul.tir").write_text(PROGRAM)
    numbers: dict[str, Any] = {"trials": np.int64(2), "per_task": np.int32(2), "seed": np.int64(1)}
    where: dict[str, Any] = {"store": tmp_path / "trials.sqlite", "output": tmp_path / "out"}
    found = tuning.tune(tmp_path / "matmul.tir", target="llvm:1", proposer="uniform", **numbers, **where)
    assert len(found.order) == 2 and json.loads((tmp_path / "out" / "report.json").read_text())["seed"] == 1


def test_outputs_of_other_shapes_are_told_as_such() -> None:
    one, other = np.zeros((2, 3), np.float32), np.zeros((3,), np.int64)
    assert networks.unlike([one], [one + 1]) == "" and "2 outputs, not 1" in networks.unlike([one, other], [one])
    assert networks.unlike([one, other], [one, one]) == "output 1 is int64 (3,), not float32 (2, 3)"


def test_a_network_that_rounds_may_be_a_step_off(tmp_path: Path) -> None:
    """Sums that lie between two steps go to either, by the last digit of their error."""
    draw, nodes, tensors, last, channels = np.random.default_rng(0), [], [], "x", 3
    kinds = (("step", TensorProto.FLOAT, 0.03), ("zero", TensorProto.UINT8, 128), ("own", TensorProto.FLOAT, 0.002))
    tensors += [helper.make_tensor(name, kind, (), [value]) for name, kind, value in kinds]
    for layer in range(3):
        weights = draw.integers(-127, 127, (16, channels, 3, 3))
        tensors.append(helper.make_tensor(f"w{layer}", TensorProto.INT8, weights.shape, weights.ravel()))
        nodes += [
            helper.make_node("QuantizeLinear", [last, "step", "zero"], [f"q{layer}"]),
            helper.make_node("DequantizeLinear", [f"q{layer}", "step", "zero"], [f"d{layer}"]),
            helper.make_node("DequantizeLinear", [f"w{layer}", "own"], [f"f{layer}"]),
            helper.make_node("Conv", [f"d{layer}", f"f{layer}"], [f"c{layer}"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"]),
        ]
        last, channels = f"r{layer}", 16
    nodes.append(helper.make_node("QuantizeLinear", [last, "step", "zero"], ["q"]))
    nodes.append(helper.make_node("DequantizeLinear", ["q", "step", "zero"], ["y"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 32, 32))]
    ends = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    path = saved(helper.make_graph(nodes, "g", inputs, ends, tensors), tmp_path / "quantised.onnx")
    known = networks.read(networks.Network(path), device.located("llvm:1", None))
    ours, theirs = known.expected.values()
    assert known.rounds and networks.same(ours, theirs, rounds=True)
    assert not networks.same([ours[0] + np.float32(0.3)], theirs, rounds=True)
    plain = networks.read(networks.Network(network(tmp_path)), device.located("llvm:1", None))
    assert not plain.rounds


def test_outputs_that_nobody_can_judge_are_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    told = "no finite number is in the network's output 1: nobody could tell whether it is right"
    given = "{'a': x.exp(), 'b': (-x).log()}"
    body = f"import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return {given}\n"
    own = _written(tmp_path / "own.py", body + "def factory():\n    return N(), (torch.ones(3, 8),)\n")
    found = tuning.tune(f"{own}:factory", target="llvm:1", trials=2, proposer="uniform")
    assert told in found.notes and found.comparison is not None and found.comparison.outputs == ("a", "b")


def test_without_a_compiler_there_is_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_linker", lambda: None)
    data, why = device.Device(targets.here(1)).library(None)
    assert data == b"" and "C++ compiler" in why


def test_a_module_of_pytorch_with_its_inputs() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh())
    with pytest.raises(UsageError):
        tuning.tune(module)
    found = tuning.tune(module, inputs=(torch.randn(4, 16),), target="llvm:1", trials=2, proposer=Uniform())
    assert found.comparison is not None
    assert [*found.comparison.timings] == ["default", "tuned", "PyTorch", "onnxruntime"]
    assert max(found.comparison.errors.values()) < 1e-5 and not found.comparison.missing


def test_why_onnxruntime_is_not_beside_a_module_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    torch.export.save(torch.export.export(torch.nn.Tanh(), (torch.randn(4, 16),)), tmp_path / "own.pt2")
    other = frontends.to_onnx(torch.export.export(torch.nn.Sigmoid(), (torch.randn(4, 16),)))

    def found() -> networks.Comparison:
        networks.read.cache_clear()
        texts = dict.fromkeys((database.WORKLOADS, database.RECORDS), "")
        return networks.compared(networks.Network(tmp_path / "own.pt2"), device.located("llvm:1", None), texts, False)

    monkeypatch.setattr(frontends, "to_onnx", lambda program: other)
    assert found().missing["onnxruntime"].startswith("what it computes is off by")

    def fails(program: Any) -> bytes:
        raise ToolMissing("PyTorch exports to ONNX with onnxscript", "no package onnxscript is installed", "pip")

    monkeypatch.setattr(frontends, "to_onnx", fails)
    missing = found()
    assert [*missing.timings] == ["default", "tuned", "PyTorch"]
    notes = remarks.on_hands([], Uniform(), device.located("llvm:1", None), missing)
    told = "PyTorch exports to ONNX with onnxscript: no package onnxscript is installed"
    assert any(note.startswith(f"onnxruntime is not timed beside it: {told}") for note in notes)


def embedding(folder: Path) -> Path:
    """Rows of a table, multiplied by weights and by one number; inputs are called as TVM's texts call other things."""
    draw = np.random.default_rng(0)
    tensors = [
        helper.make_tensor(name, TensorProto.FLOAT, shape, draw.standard_normal(math.prod(shape)))
        for name, shape in (("table", (50, 16)), ("w", (16, 8)))
    ]
    nodes = [
        helper.make_node("Gather", ["table", "main"], ["a"]),
        helper.make_node("MatMul", ["a", "w"], ["b"]),
        helper.make_node("Mul", ["b", "s"], ["y"]),
    ]
    ids = helper.make_tensor_value_info("main", TensorProto.INT64, (1, 12))
    s, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("s", ()), ("y", None)))
    graph = helper.make_graph(nodes, "g", [ids, s], [y], tensors)
    return saved(graph, folder / "embedding.onnx")


def test_integers_that_are_divided_by_are_not_zero(tmp_path: Path) -> None:
    nodes = [helper.make_node("Div", ["a", "b"], ["q"]), helper.make_node("Mod", ["q", "b"], ["y"])]
    ends = [helper.make_tensor_value_info(name, TensorProto.INT64, (4, 8)) for name in "aby"]
    path = saved(helper.make_graph(nodes, "g", ends[:2], ends[2:]), tmp_path / "divided.onnx")
    assert tuning.tune(path, target="llvm:1", trials=1, proposer="uniform").comparison


def test_lookups_and_scalars_are_tuned_and_compute_the_same(tmp_path: Path) -> None:
    import onnxruntime

    path = embedding(tmp_path)
    found = tuning.tune(path, target="llvm:1", trials=3, proposer="uniform", output=tmp_path / "out")
    assert {"take", "fused_matmul_multiply"} <= {kernel.name.rstrip("0123456789") for kernel in found.kernels}
    assert not found.left_out
    tvm = _load.load()
    library = tvm.runtime.load_module(str(tmp_path / "out" / output.LIBRARY))
    ids, s = np.random.default_rng(1).integers(0, 50, (1, 12)), np.array(2.5, np.float32)
    run = tvm.relax.VirtualMachine(library, tvm.cpu())["main"]
    (expected,) = onnxruntime.InferenceSession(str(path)).run(None, {"main": ids, "s": s})
    y = run(tvm.runtime.tensor(ids), tvm.runtime.tensor(s)).numpy()
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


def test_an_embedding_of_pytorch_is_tuned_and_computes_the_same(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    module, ids = torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.Linear(16, 8)), torch.randint(0, 50, (1, 12))
    found = tuning.tune(module, inputs=(ids,), target="llvm:1", trials=2, proposer="uniform", output=tmp_path)
    assert "take" in {kernel.name for kernel in found.kernels} and not found.left_out
    tvm = _load.load()
    library = tvm.runtime.load_module(str(tmp_path / output.LIBRARY))
    other = torch.randint(0, 50, (1, 12))
    y = tvm.relax.VirtualMachine(library, tvm.cpu())["main"](tvm.runtime.tensor(other.numpy())).numpy()
    np.testing.assert_allclose(y, module(other).detach().numpy(), rtol=1e-4, atol=1e-5)


def factory(folder: Path, forward: str) -> networks.Network:
    """A network of PyTorch that is given what is far from N(0, 1)."""
    body = f"import torch\nclass N(torch.nn.Module):\n    def forward(self, x, y):\n        return {forward}\n"
    given = "def factory():\n    return N(), (torch.full((3, 8), 20.0), torch.arange(24.0).reshape(8, 3).t())\n"
    return networks.Network(_written(folder / "own.py", body + given), "factory")


def test_threads_of_pytorch_are_those_that_were_asked_for(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    own = factory(tmp_path, "x + y + torch.get_num_threads()")
    network, inputs = factories.made(own.path, "factory")
    given = [each.numpy() for each in inputs]
    one, three = (networks.pytorch(network, given, threads) for threads in (1, 3))
    assert [float((run() - one())[0, 0]) for run in (one, three, one)] == [0, 2, 0]
    torch.set_num_threads(1)


def test_inputs_of_a_factory_are_those_that_it_runs_on(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    x, y = torch.full((3, 8), 20.0), torch.arange(24.0).reshape(8, 3)
    known = networks.read(factory(tmp_path, "torch.log(x) @ y.t()"), device.located("llvm:1", None))
    for found, expected in zip(known.inputs, (x, y.t()), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(known.expected[networks.DEFAULT][0], torch.log(x) @ y, rtol=1e-5)


def test_large_constants_of_a_network_are_known(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    here = device.located("llvm:1", None)
    assert networks.read(factory(tmp_path, "x @ y.t() + (1 - x[:, :3]) * -1e9"), here).large == 1e9
    (tmp_path / "other").mkdir()
    hidden = "(x @ y.t()).masked_fill(x[:, :3] > 0, -1e8)"
    assert networks.read(factory(tmp_path / "other", hidden), here).large == 1e8


@pytest.mark.parametrize("forward", ["x + torch.randn(3, 8)", "x.add_(y[0, 1])"])
def test_a_network_that_does_not_repeat_itself_is_told(tmp_path: Path, forward: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="same twice") as error:
        networks.read(factory(tmp_path, forward), device.located("llvm:1", None))
    assert "random" in error.value.todo
