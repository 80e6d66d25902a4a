"""What whole networks are compared with: PyTorch's operator of a program, curves of searches, results that are kept."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forerun.core import Source
from forerun.errors import InputError
from forerun.grammars.decisions import Decisions
from forerun.models.uniform import Uniform
from forerun.tables.schedules import Sentence

pytest.importorskip("tvm_ffi")
torch = pytest.importorskip("torch")

from forerun.toolchains.tvm import database, extract, frontends, reference  # noqa: E402
from forerun.toolchains.tvm import target as targets  # noqa: E402
from forerun.toolchains.tvm.space import Program, parsed  # noqa: E402

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
pytestmark = pytest.mark.filterwarnings("ignore")
nn = torch.nn


@pytest.fixture(scope="module")
def benchmark() -> Iterator[Any]:
    """The scripts, as modules by their names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module


class Product(nn.Module):
    def forward(self, x: Any, y: Any) -> Any:
        return x @ y


class Mean(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.mean((2, 3))


def conv(groups: int = 1, **options: Any) -> Any:
    return nn.Conv2d(8, 16 if groups < 8 else 8, 3, groups=groups, **options)


IMAGE, ROWS = (1, 8, 9, 9), (2, 5, 16)
OPERATORS = [
    (Product(), [(2, 4, 8), (2, 8, 6)], "matmul"),
    (nn.Linear(16, 6, bias=False), [ROWS], "matmul"),
    (conv(stride=2, padding=1, bias=False), [IMAGE], "conv2d"),
    (conv(8, padding=1, bias=False), [IMAGE], "depthwise conv2d"),
    (conv(4, dilation=2, bias=False), [IMAGE], "grouped conv2d"),
    (nn.Conv2d(1, 4, (5, 3), stride=2, padding=(2, 1), bias=False), [(1, 1, 9, 9)], "conv2d"),
    (nn.Conv1d(8, 4, 3, padding=1, bias=False), [(1, 8, 9)], "conv1d"),
    (nn.MaxPool2d(3, 2, 1), [IMAGE], "max pool"),
    (Mean(), [IMAGE], "mean"),
    (nn.Softmax(-1), [ROWS], "softmax"),
    (nn.LayerNorm(16), [ROWS], "layer norm"),
]


def programs(module: Any, shapes: Any, layout: str = extract.GIVEN) -> list[extract.Extracted]:
    torch.manual_seed(0)
    relax = frontends.from_torch(module, [torch.randn(shape) for shape in shapes])
    return list(extract.extract(relax, targets.made(targets.here(1)), layout).workloads)


@pytest.mark.parametrize(
    ("module", "shapes", "name"), OPERATORS, ids=lambda value: value if isinstance(value, str) else ""
)
@pytest.mark.parametrize("layout", extract.LAYOUTS)
def test_the_vendors_operator_computes_what_the_program_does(
    benchmark: Any, module: Any, shapes: Any, name: str, layout: str
) -> None:
    vendor = benchmark("_vendor")
    found = programs(module, shapes, layout)
    one = next(one for one in found if "reshape" not in one.name and not one.name.startswith("transpose"))
    found = vendor.recognised(one.text)
    function = parsed(Source(one.text, "tensorir", one.name))["main"]
    inputs = reference.inputs(function, 0)
    (expected,) = reference.evaluate(function, inputs)
    given = [array for shape in found.shapes for array in inputs if array.shape == shape]
    computed = vendor.called(found, vendor.laid(found, [torch.from_numpy(array) for array in given[: len(inputs)]]))
    if found.last:
        computed = computed.movedim(1, -1)
    assert found.last == (layout != extract.GIVEN and "conv" in name)
    assert vendor.label(found) == name and found.beyond == 0
    assert reference.agrees(computed.numpy().reshape(expected.shape), expected)


@pytest.mark.parametrize(
    ("module", "shape"), [(nn.Conv2d(8, 192, 3, 2, bias=False), IMAGE), (nn.Linear(16, 192, bias=False), ROWS)]
)
def test_weights_in_panels_are_those_of_the_operator(benchmark: Any, module: Any, shape: Any) -> None:
    vendor = benchmark("_vendor")
    one = next(each for each in programs(module, [shape], extract.WINOGRAD) if "transpose" not in each.name)
    found = vendor.recognised(one.text)
    function = parsed(Source(one.text, "tensorir", one.name))["main"]
    data, weights = reference.inputs(function, 0)
    assert weights.ndim == len(found.shapes[1]) + 1 and found.shapes[1][-1] == 192
    laid = np.moveaxis(weights, 0, -2).reshape(found.shapes[1])
    computed = vendor.called(found, vendor.laid(found, [torch.from_numpy(array) for array in (data, laid)]))
    (expected,) = reference.evaluate(function, [data, weights])
    assert reference.agrees((computed.movedim(1, -1) if found.last else computed).numpy(), expected)


def test_what_a_program_computes_beyond_its_operator_is_counted(benchmark: Any) -> None:
    vendor = benchmark("_vendor")
    (one,) = programs(nn.Sequential(conv(padding=1), nn.ReLU()), [IMAGE])
    found = vendor.recognised(one.text)
    assert found.shapes == (IMAGE, (16, 8, 3, 3)) and found.options["padding"] == (1, 1)
    assert found.beyond == 2, "the bias and the activation"


def test_pooling_is_recognised_with_channels_last(benchmark: Any) -> None:
    vendor = benchmark("_vendor")
    found = programs(nn.Sequential(conv(), nn.MaxPool2d(3, 2, 1)), [IMAGE], extract.CHANNELS_LAST)
    one = vendor.recognised(next(one.text for one in found if "pool" in one.name))
    assert vendor.label(one) == "max pool" and one.last
    assert (one.options["kernel_size"], one.options["padding"]) == ((3, 3), (1, 1))


@pytest.mark.parametrize(
    ("module", "shapes", "why"),
    [
        (nn.ConvTranspose2d(8, 4, 2, 2), [IMAGE], "reads what it computes itself"),
        (nn.GELU(), [ROWS], "no operator that is known"),
        (nn.Softmax(1), [ROWS], "no operator that is known"),
    ],
)
def test_other_programs_are_not_recognised(benchmark: Any, module: Any, shapes: Any, why: str) -> None:
    (one,) = programs(module, shapes)
    with pytest.raises(InputError) as error:
        benchmark("_vendor").recognised(one.text)
    assert why in error.value.why


def test_rules_are_applied_to_a_copy(benchmark: Any) -> None:
    (one,) = programs(nn.Sequential(nn.Linear(16, 8), nn.ReLU()), [(1, 16)])
    module = parsed(Source(one.text, "tensorir", one.name))
    before = module.script()
    scheduled = benchmark("_ways").by_rules(module, targets.made(targets.here(1)))
    assert scheduled["main"].attrs["tirx.is_scheduled"] and module.script() == before != scheduled.script()


def test_a_line_of_a_database_makes_the_schedule_again() -> None:
    from tvm_ffi import structural_equal

    (one,) = programs(Product(), [(16, 16), (16, 16)])
    program = Program(Source(one.text, "tensorir", one.name, targets.here(1)))
    (draft,) = Uniform().sample("", Decisions(program), 1, 0)
    schedule = program.scheduled(draft.answer)
    line = database.line(program, schedule.trace, 0.5)
    assert structural_equal(database.scheduled(program, line), schedule.mod)
    assert len(database.opened(database.texts([(program, line)]))) == 1


def test_the_curve_of_a_search_is_that_of_all_kernels(benchmark: Any) -> None:
    networks = benchmark("networks")
    tasks = {"a": networks.Task(None, 2, 3.0), "b": networks.Task(None, 1, 4.0)}
    runs = [(1.0, "a", 2.0), (2.0, "b", None), (3.0, "b", 5.0), (4.0, "b", 1.0), (5.0, "a", 2.5)]
    found = networks.curve(tasks, runs)
    assert found == [(0.0, 10.0), (1.0, 8.0), (4.0, 5.0)]
    assert [networks.reached(found, total) for total in (10, 8, 6, 4.9)] == [0.0, 1.0, 4.0, None]
    assert [networks.after(found, seconds) for seconds in (0, 0.9, 1, 100)] == [10.0, 10.0, 8.0, 5.0]


def test_the_curve_of_what_is_timed_again_is_that_of_what_a_search_chose(benchmark: Any) -> None:
    kernels = {"a": {"weight": 2, "default": 3.0}, "b": {"weight": 1, "default": 4.0}}
    runs = [(1.0, "a", 2.0), (2.0, "a", 2.5), (3.0, "b", 1.0), (4.0, "b", None), (5.0, "a", 1.0)]
    assert benchmark("networks").chosen(kernels, runs) == [(0.0, 10.0), (1.0, 8.0), (3.0, 6.0)]


def test_a_row_says_who_was_faster_and_when(benchmark: Any) -> None:
    networks = benchmark("networks")

    def search(seconds: float, *points: tuple[float, float]) -> dict[str, Any]:
        return {"seconds": seconds, "trials": 4, "curve": [(0.0, 10.0), *points], "kernels": {"a": {}}}

    runs = {
        name: {"latency": s} for name, s in (("default", 8.0), ("dlight", 6.0), ("ours", 2.0), ("metaschedule", 3.0))
    }
    parts = {
        "static": search(2.0, (1.0, 7.0)),
        "ours": search(10.0, (2.0, 5.0), (9.0, 2.0)),
        "metaschedule": search(90.0, (5.0, 8.0), (50.0, 2.0)),
        "whole": {"runs": runs, "missing": {}},
    }
    row = networks.row("net", 1, parts)
    assert (row["static over ours"], row["metaschedule over ours"]) == (3.0, 1.5)
    assert (row["time to equal latency"], row["time ratio"]) == (50.0, 5.0)
    assert (row["time to its end"], row["its end ratio"], row["its own near ratio"]) == (9.0, 50 / 9, 50 / 9)
    assert (row["static over ours at equal time"], row["metaschedule over ours at equal time"]) == (1.4, 4.0)
    parts["metaschedule"] = search(90.0, (5.0, 8.0))
    row = networks.row("net", 1, parts)
    assert row["time ratio"] is None and (row["time to its end"], row["its end ratio"]) == (2.0, 2.5)
    parts["ours"] = search(10.0, (2.0, 8.5))
    assert networks.row("net", 1, parts)["time to its end"] is None
    again = {"ours": [(0.0, 10.0), (4.0, 7.0)], "metaschedule": [(0.0, 10.0), (6.0, 7.2), (60.0, 7.0)]}
    row = networks.row("net", 1, parts | {"kept": {"curves": again}})
    assert (row["time to its end"], row["its end ratio"], row["its own near ratio"]) == (4.0, 15.0, 1.5)
    assert row["total"] == {"static": 7.0, "ours": 7.0, "metaschedule": 7.0} and row["timed again"]
    row = networks.row("net", 1, parts | {"kept": {"curves": again, "searches": "of before"}})
    assert (row["time to its end"], row["timed again"]) == (None, False), "what is timed again is of these searches"
    del parts["metaschedule"], runs["metaschedule"]
    alone = networks.row("net", 1, parts)
    assert alone["static over ours"] == 3.0 and "time to its end" not in alone


def test_stages_are_judged_by_the_fastest_kernel_of_all(benchmark: Any) -> None:
    stages = benchmark("stages")

    def line(stage: str, program: str, better: float, *found: tuple[int, float, str]) -> dict[str, Any]:
        return {"stage": stage, "program": program, "default": 8.0, "better": better, "records": list(found)}

    lines = [
        line("random", "p", 0.5, (2, 5.0, "b")), line("round-1", "p", 0.9, (1, 3.0, "c"), (9, 1.0, "a")),
        line("random", "q", 0.4), line("round-1", "q", 0.8, (1, 2.0, "d")),
        {"stage": "again", "program": "p", "kernels": {"": 8.0, "a": 1.0, "b": 4.0, "c": 2.0}},
        {"stage": "again", "program": "q", "kernels": {"": 8.0, "d": 2.0}},
    ]  # fmt: skip
    random, made = stages.summary(lines)["table"]
    assert (random["stage"], random["programs"], random["outdone"]) == ("random", 2, pytest.approx(0.45))
    assert [random[at][0] for at in ("1", "4", "16")] == pytest.approx([(1 / 32) ** 0.5, 0.25, 0.25])
    assert [made[at][0] for at in ("1", "4", "16")] == pytest.approx([0.5**0.5, 0.5**0.5, 1.0])
    sentence = Sentence(0, ("T8/2/0", "L-1,0", "C4"), ("T4,2", "L0", "C1"), 1.0, True, "x")
    assert stages.beginning(sentence).asked == ("T8/2/0",) and stages.beginning(sentence).decided == ("T4,2",)


def test_results_are_kept_one_for_each_place(benchmark: Any, tmp_path: Path) -> None:
    made = benchmark("_lines").Lines
    lines = made(tmp_path / "x.jsonl", ("name", "seed"))
    for seconds in (1, 2):
        lines.keep({"name": "a", "seed": 0, "seconds": seconds})
    lines.keep({"name": "b", "seconds": 3})
    again = made(tmp_path / "x.jsonl", ("name", "seed"))
    assert [line["seconds"] for line in again] == [2, 3]
    assert again.known({"name": "a", "seed": 0})["seconds"] == 2 and again.known({"name": "a", "seed": 1}) == {}
