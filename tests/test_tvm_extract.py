"""Tensor programs out of networks: what is extracted, that it applies afterwards, and what is said of bad input."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from forerun.errors import InputError, UsageError
from forerun.factories import made

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")

from forerun.toolchains.tvm import extract as tasks
from forerun.toolchains.tvm import frontends
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.network import flat

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def target() -> Any:
    return tvm.target.Target({"kind": "llvm", "num-cores": 1})


def run(module: Any, target: Any, *arrays: np.ndarray, database: Any = None) -> np.ndarray:
    machine = tvm.relax.VirtualMachine(tasks.compiled(module, target, database), tvm.cpu())
    found: np.ndarray = machine["main"](*map(tvm.runtime.tensor, arrays)).numpy()
    return found


def convolutional() -> Any:
    """Two convolutions with normalisations, and a dense layer, whose numbers are not the trivial ones."""
    torch = pytest.importorskip("torch")
    from torch import nn

    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU()]
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10), nn.Softmax(-1))
    for tensor in (network[1].running_mean, network[1].running_var, network[1].weight.data, network[1].bias.data):
        tensor.uniform_(0.5, 2.0)
    return network.eval(), torch.randn(1, 3, 16, 16)


def saved(folder: Path, nodes: Sequence[Any], inputs: Sequence[Any], ends: Sequence[Any], *tensors: Any) -> Path:
    """A network as a file of opset 17."""
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.own", 1)]
    graph, path = helper.make_graph(nodes, "g", inputs, ends, tensors), folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=8), str(path))
    return path


def model(tmp_path: Path, sizes: tuple[Any, ...] = (1, 8), operator: str = "Relu", **domain: str) -> Path:
    """A dense layer, then an operator."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, (8, 4), np.linspace(-1, 1, 32, dtype=np.float32))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node(operator, ["y"], ["z"], **domain)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, s) for name, s in (("x", sizes), ("z", None))]
    return saved(tmp_path, nodes, ends[:1], ends[1:], weight)


@pytest.mark.parametrize("layout, programs", [("given", 5), ("channels-last", 7)])
def test_a_network_of_pytorch_gives_the_programs_it_runs(target: Any, layout: str, programs: int) -> None:
    network, x = convolutional()
    found = tasks.extract(frontends.from_torch(network, (x,)), target, layout)
    names = [workload.name for workload in found.workloads]
    assert len(names) == programs and not found.left_out, names
    assert any("conv2d_nchw" in workload.text for workload in found.workloads) == (layout == "given")
    # The normalisation is folded into the weights: none of its divisions is left, and the activation is fused.
    assert not any("divide" in name for name in names) and sum("relu" in name for name in names) == 2
    np.testing.assert_allclose(run(found.module, target, x.numpy()), network(x).detach(), atol=1e-6)


@pytest.mark.parametrize("other", ["float64", "bfloat16"])
def test_what_tvm_takes_for_float32_is_told(other: str) -> None:
    torch = pytest.importorskip("torch")
    network, x = torch.nn.Linear(4, 4).to(getattr(torch, other)), torch.ones(1, 4, dtype=getattr(torch, other))
    with pytest.raises(InputError) as error:
        frontends.from_torch(network, (x,))
    assert other in error.value.todo and "network.float(), and float32 inputs: x.float()" in error.value.todo
    frontends.from_torch(network.float(), (x.float(),))


@pytest.mark.parametrize("layout", tasks.LAYOUTS)
def test_normalisations_behind_biases_are_folded_too(target: Any, layout: str) -> None:
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, again: bool) -> None:
            super().__init__()
            self.first, self.norm, self.again = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), again
            self.norm.running_mean.normal_()

        def forward(self, x: Any) -> Any:
            y = self.first(x)
            return self.norm(y) * y if self.again else self.norm(y)

    x = torch.randn(1, 3, 9, 9)
    for again in (False, True):
        network = Block(again).eval()
        found = tasks.extract(frontends.from_torch(network, (x,)), target, layout)
        (name,) = [each.name for each in found.workloads if "conv2d" in each.name]  # never two
        assert ("divide" in name) == again
        np.testing.assert_allclose(run(found.module, target, x.numpy()), network(x).detach(), atol=1e-5)


def test_views_behind_attention_of_several_sequences_are_shapes(target: Any) -> None:
    """As GPT-2 has them."""
    torch = pytest.importorskip("torch")

    class Layer(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(32, 16))

        def forward(self, x: Any) -> Any:
            heads = x.view(2, 7, 4, 8).transpose(1, 2)
            seen = torch.nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
            return seen.transpose(1, 2).reshape(2, 7, 32).contiguous().view(-1, 32) @ self.weight

    network, x = Layer(), torch.randn(2, 7, 32)
    program = frontends.exported(network, (x,))
    found = tasks.extract(frontends.from_exported(program), target)
    np.testing.assert_allclose(run(found.module, target, x.numpy()), network(x).detach(), atol=1e-5)
    torch.testing.assert_close(program.module()(x), network(x))


def test_what_accumulates_has_the_type_that_pytorch_gives_it(target: Any) -> None:
    """As the masks of transformers count which sequence a token is of."""
    torch = pytest.importorskip("torch")

    class Counts(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return (x > 0).cumsum(-1), (x * 3).int().cumsum(0), (x * 3).int().cumprod(dim=1), x.cumsum(1)

    x = torch.randn(3, 40)
    prepared = tasks.extract(frontends.from_torch(Counts(), (x,)), target).module
    machine = tvm.relax.VirtualMachine(tasks.compiled(prepared, target), tvm.cpu())
    for found, expected in zip(machine["main"](tvm.runtime.tensor(x.numpy())), Counts()(x), strict=True):
        assert str(found.dtype) == str(expected.dtype).removeprefix("torch.")
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)


def test_texts_parse_back_name_no_weights_and_count_work(target: Any) -> None:
    network, x = convolutional()
    found = tasks.extract(frontends.from_torch(network, (x,)), target)
    for workload in found.workloads:
        again = tvm.script.from_source(workload.text)
        assert tasks.written(again) == workload.text  # a fixed point: equal programs have equal texts
        assert len(workload.text) < 8000 and "metadata" not in workload.text
    first = next(w for w in found.workloads if "conv2d" in w.text and 'T.int64(3)), "float32")' in w.text)
    assert first.flops >= 2 * 8 * 16 * 16 * 27


def test_equal_layers_are_one_program_with_a_weight(target: Any) -> None:
    torch = pytest.importorskip("torch")
    layers = [layer for _ in range(3) for layer in (torch.nn.Linear(16, 16), torch.nn.ReLU())]
    found = tasks.extract(frontends.from_torch(torch.nn.Sequential(*layers), (torch.randn(2, 16),)), target)
    assert [workload.weight for workload in found.workloads] == [3]


def test_weights_are_those_that_every_call_has_from_the_network(target: Any) -> None:
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Layers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.small = nn.Linear(96, 96), nn.Linear(96, 96), nn.Linear(96, 3)
            self.shared = nn.Parameter(torch.randn(128, 96))

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.second(torch.relu(self.first(x))))
            y = x @ x.mT @ self.shared
            return self.small(torch.tanh(y)), torch.tanh(y @ self.shared.T) @ self.shared

    found = tasks.extract(frontends.from_torch(Layers().eval(), (torch.randn(128, 96),)), target, tasks.GIVEN)
    told = {one.name: one.weights for one in found.workloads}
    layer = next(one for one in found.workloads if one.name.startswith("fused_matmul") and "relu" in one.name)
    among = 4 * (2 * 96 * 97 + 2 * 128 * 96 + 3 * 97)
    assert layer.weight == 2 and told[layer.name] == tasks.Weights((1, 2), 1 << among.bit_length())
    few = [one for one in found.workloads if "T.int64(96), T.int64(3)" in one.text]
    assert few and all(one.weights is None for one in few), "what takes no time wherever it is"
    assert any(one.weights is None for one in found.workloads if one.name.startswith("matmul")), "of what was computed"


@pytest.mark.parametrize("layout", tasks.LAYOUTS)
def test_weights_that_layers_share_count_once(target: Any, layout: str) -> None:
    torch = pytest.importorskip("torch")

    class Shared(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(128, 128, bias=False)

        def forward(self, x: Any) -> Any:
            for _ in range(8):
                x = torch.relu(self.layer(x))
            return x

    (found,) = tasks.extract(frontends.from_torch(Shared(), (torch.randn(32, 128),)), target, layout).workloads
    assert found.weight == 8 and found.weights == tasks.Weights((1,), 1 << (4 * 128 * 128).bit_length())


def test_programs_of_two_networks_have_one_text(target: Any) -> None:
    """Whatever stands before them: names of inputs come from the network."""
    torch = pytest.importorskip("torch")
    nn = torch.nn
    long = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Softmax(-1), nn.Linear(16, 8))
    texts = [
        {w.text for w in tasks.extract(frontends.from_torch(network, (torch.randn(2, size),)), target).workloads}
        for network, size in ((long, 4), (nn.Sequential(nn.Softmax(-1)), 16))
    ]
    assert texts[1] < texts[0]


@pytest.fixture
def recorded(target: Any) -> Iterator[Any]:
    """A function that tunes one program by hand: its loops split, and each split's record in a database."""
    from tvm.s_tir import Schedule
    from tvm.s_tir import meta_schedule as ms

    database = ms.database.MemoryDatabase()

    def tune(text: str, block: str) -> Any:
        program = tvm.script.from_source(text)
        schedule = Schedule(program)
        outer = schedule.get_loops(schedule.get_sblock(block))[1]
        schedule.split(outer, [None, 2])
        schedule.annotate(schedule.get_loops(schedule.get_sblock(block))[0], "pragma_tuned_by_hand", 1)
        workload = database.commit_workload(program)
        record = ms.database.TuningRecord(schedule.trace, workload, [1e-9], target, None)
        database.commit_tuning_record(record)
        return database

    yield tune


def test_a_record_of_an_extracted_program_applies(target: Any, recorded: Any) -> None:
    network, x = convolutional()
    found = tasks.extract(frontends.from_torch(network, (x,)), target)
    workload = next(w for w in found.workloads if "conv2d_nhwc" in w.text)
    database = recorded(workload.text, "conv2d_nhwc")
    with target, database:
        applied = tvm.relax.transform.MetaScheduleApplyDatabase()(found.module)
    tuned = [name.name_hint for name, f in applied.functions_items() if f.attrs and "tirx.is_scheduled" in f.attrs]
    assert tuned == [workload.name]
    assert "pragma_tuned_by_hand" in applied[workload.name].script()
    np.testing.assert_allclose(run(found.module, target, x.numpy(), database=database), network(x).detach(), atol=1e-6)


def test_a_file_gives_what_onnxruntime_computes(tmp_path: Path, target: Any, recorded: Any) -> None:
    path = model(tmp_path, (3, 8))
    found = tasks.extract(frontends.from_onnx(path), target)
    (workload,) = found.workloads
    x = np.random.default_rng(0).standard_normal((3, 8), dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})
    for database in (None, recorded(workload.text, "matmul")):
        np.testing.assert_allclose(run(found.module, target, x, database=database), expected, atol=1e-6)


@pytest.mark.parametrize("masked", [False, True])
def test_nothing_is_dropped_in_front_of_a_convolution(masked: bool, tmp_path: Path, target: Any) -> None:
    weight = helper.make_tensor("w", TensorProto.FLOAT, (4, 3, 3, 3), np.linspace(-1, 1, 108, dtype=np.float32))
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Dropout", ["r"], ["d", "m"] if masked else ["d"]),
        helper.make_node("Conv", ["d", "w"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 8, 8))]
    ends = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    ends += [helper.make_tensor_value_info("m", TensorProto.BOOL, None)] if masked else []
    path = saved(tmp_path, nodes, inputs, ends, weight)
    x = np.random.default_rng(0).standard_normal((1, 3, 8, 8), dtype=np.float32)
    expected = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})
    tvm = load()
    made = tasks.compiled(tasks.extract(frontends.from_onnx(path), target).module, target)
    found = tvm.relax.VirtualMachine(made, tvm.cpu())["main"](tvm.runtime.tensor(x))
    for ours, theirs in zip(found if masked else [found], expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("operator, opset", [("Upsample", 7), ("Upsample", 9), ("Resize", 10)])
def test_operators_of_old_files_that_enlarge(operator: str, opset: int, mode: str, tmp_path: Path, target: Any) -> None:
    scales = [1.0, 1.0, 2.0, 3.0]
    told: dict[str, Any] = {"scales": scales} if opset == 7 else {}
    nodes = [
        helper.make_node(operator, ["x"] if told else ["x", "s"], ["big"], mode=mode, **told),
        helper.make_node("Relu", ["big"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "old",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 2, 5, 4))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [] if told else [helper.make_tensor("s", TensorProto.FLOAT, (4,), scales)],
    )
    path = tmp_path / "old.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=4).SerializeToString()
    )
    x = np.random.default_rng(0).standard_normal((1, 2, 5, 4), dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})
    found = tasks.extract(frontends.from_onnx(path), target)
    np.testing.assert_allclose(run(found.module, target, x), expected, atol=1e-6)


def test_sizes_that_a_network_reads_of_itself_are_known_where_they_are_given(tmp_path: Path, target: Any) -> None:
    """Twice: what is behind the first reshape has a size of its own only then."""
    numbers = {"first": [0], "all": [-1], "half": [2]}
    tensors = [helper.make_tensor(name, TensorProto.INT64, (1,), list_) for name, list_ in numbers.items()]
    weight = helper.make_tensor("w", TensorProto.FLOAT, (64, 6), np.linspace(-1, 1, 384, dtype=np.float32))
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "first"], ["n"]),
        helper.make_node("Concat", ["n", "all"], ["flat"], axis=0),
        helper.make_node("Reshape", ["x", "flat"], ["f"]),
        helper.make_node("MatMul", ["f", "w"], ["h"]),
        helper.make_node("Shape", ["h"], ["t"]),
        helper.make_node("Slice", ["t", "all", "end"], ["c"]),
        helper.make_node("Div", ["c", "half"], ["d"]),
        helper.make_node("Concat", ["n", "half", "d"], ["parts"], axis=0),
        helper.make_node("Reshape", ["h", "parts"], ["y"]),
    ]
    tensors.append(helper.make_tensor("end", TensorProto.INT64, (1,), [9]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("batch", 4, 16))]
    ends = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    path = saved(tmp_path, nodes, inputs, ends, weight, *tensors)
    x = np.random.default_rng(0).standard_normal((3, 4, 16), dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})
    found = tasks.extract(frontends.from_onnx(path, {"x": (3, 4, 16)}), target)
    ours = run(found.module, target, x)
    assert ours.shape == (3, 2, 3)
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_what_an_old_file_cuts_out(tmp_path: Path, target: Any) -> None:
    node = helper.make_node("Slice", ["x"], ["y"], axes=[1, 2], starts=[1, -3], ends=[9, -1])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, s) for name, s in (("x", (2, 4, 6)), ("y", None))]
    graph, path = helper.make_graph([node], "old", ends[:1], ends[1:]), tmp_path / "old.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=4), str(path))
    x = np.random.default_rng(0).standard_normal((2, 4, 6), dtype=np.float32)
    made = tasks.compiled(tasks.extract(frontends.from_onnx(path), target).module, target)
    found = tvm.relax.VirtualMachine(made, tvm.cpu())["main"](tvm.runtime.tensor(x))
    np.testing.assert_array_equal(found.numpy(), x[:, 1:, -3:-1])


@pytest.mark.parametrize(
    "kind, opset, told",
    [
        ("LSTM", 17, {"direction": "bidirectional"}),
        ("LSTM", 9, {"direction": "reverse", "given": True}),
        ("GRU", 17, {"direction": "bidirectional", "linear_before_reset": 1, "given": True}),
        ("GRU", 14, {"bias": False}),
        ("RNN", 17, {"activations": ["Relu"]}),
        ("LSTM", 17, {"direction": "bidirectional", "given": True, "lengths": True}),
        ("GRU", 17, {"lengths": True}),
        ("RNN", 14, {"direction": "reverse", "lengths": True}),
    ],
)
def test_steps_of_recurrent_operators_are_written_out(
    kind: str, opset: int, told: dict[str, Any], tmp_path: Path, target: Any
) -> None:
    draw, steps, batch, size, hidden = np.random.default_rng(0), 4, 3, 5, 6
    gates, sides = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind], 1 + (told.get("direction") == "bidirectional")
    shapes = {"w": (sides, gates * hidden, size), "r": (sides, gates * hidden, hidden)}
    inputs = ["x", "w", "r", "", "", "", ""]
    if told.pop("bias", True):
        shapes["b"], inputs[3] = (sides, 2 * gates * hidden), "b"
    if told.pop("given", False):
        shapes["h"], inputs[5] = (sides, batch, hidden), "h"
        if kind == "LSTM":
            shapes["c"], inputs[6] = (sides, batch, hidden), "c"
    fed = {"x": draw.standard_normal((steps, batch, size), dtype=np.float32)}
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (steps, batch, size))]
    if told.pop("lengths", False):
        inputs[4], fed["n"] = "n", np.array([4, 2, 1], np.int32)
        values.append(helper.make_tensor_value_info("n", TensorProto.INT32, (batch,)))
    inputs = inputs[: 7 if kind == "LSTM" else 6]
    tensors = [
        helper.make_tensor(name, TensorProto.FLOAT, shape, draw.uniform(-1, 1, math.prod(shape)))
        for name, shape in shapes.items()
    ]
    outputs = ["y", "last", "cell"][: 3 if kind == "LSTM" else 2]
    graph = helper.make_graph(
        [helper.make_node(kind, inputs, outputs, hidden_size=hidden, **told)],
        "g",
        values,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        tensors,
    )
    path = tmp_path / "recurrent.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=4), str(path))
    expected = onnxruntime.InferenceSession(str(path)).run(None, fed)
    made = tasks.compiled(tasks.extract(frontends.from_onnx(path), target).module, target)
    found = tvm.relax.VirtualMachine(made, tvm.cpu())["main"](*map(tvm.runtime.tensor, fed.values()))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)


@pytest.mark.parametrize("told", [{"clip": 0.5}, {"activations": ["HardSigmoid", "Tanh", "Tanh"]}, {"input_forget": 1}])
def test_recurrent_operators_that_are_not_known_are_named(told: dict[str, Any], tmp_path: Path) -> None:
    shapes = {"w": (1, 8, 3), "r": (1, 8, 2)}
    tensors = [helper.make_tensor(name, TensorProto.FLOAT, s, np.zeros(math.prod(s))) for name, s in shapes.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 1, 3))]
    ends = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    nodes = [helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=2, **told)]
    with pytest.raises(InputError, match="cannot be tuned") as caught:
        frontends.from_onnx(saved(tmp_path, nodes, inputs, ends, *tensors))
    assert "no operator LSTM" in caught.value.why


def test_truths_are_compared(tmp_path: Path, target: Any) -> None:
    """TVM's own comparison of them is none that LLVM takes."""
    nodes = [helper.make_node("Equal", ["a", "b"], ["same"]), helper.make_node("Where", ["same", "x", "y"], ["z"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.BOOL, (4, 2)) for name in "ab"]
    inputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, (4, 2)) for name in "xy"]
    ends = [helper.make_tensor_value_info("z", TensorProto.FLOAT, (4, 2))]
    found = tasks.extract(frontends.from_onnx(saved(tmp_path, nodes, inputs, ends)), target)
    draw = np.random.default_rng(0)
    a, b = (draw.integers(0, 2, (4, 2)).astype(bool) for _ in "ab")
    x, y = (draw.normal(size=(4, 2)).astype("float32") for _ in "xy")
    assert found.workloads and np.array_equal(run(found.module, target, a, b, x, y), np.where(a == b, x, y))


def test_sizes_that_are_outputs_are_tensors(tmp_path: Path, target: Any) -> None:
    """Also where another node reads them."""
    nodes = [
        helper.make_node("Relu", ["x"], ["y"]),
        helper.make_node("Shape", ["y"], ["sizes"]),
        helper.make_node("Size", ["y"], ["size"]),
        helper.make_node("Expand", ["one", "sizes"], ["ones"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 40)),
        helper.make_tensor_value_info("one", TensorProto.FLOAT, (1, 40)),
    ]
    shapes = {"y": (2, 40), "sizes": (2,), "size": (), "ones": (2, 40)}
    kinds = {"y": TensorProto.FLOAT, "ones": TensorProto.FLOAT}
    ends = [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.INT64), s) for name, s in shapes.items()]
    found = tasks.extract(frontends.from_onnx(saved(tmp_path, nodes, inputs, ends)), target)
    machine = tvm.relax.VirtualMachine(tasks.compiled(found.module, target), tvm.cpu())
    x, one = np.random.default_rng(0).normal(size=(2, 40)).astype("float32"), np.ones((1, 40), "float32")
    y, sizes, size, ones = (each.numpy() for each in machine["main"](*map(tvm.runtime.tensor, (x, one))))
    assert np.array_equal(y, np.maximum(x, 0)) and np.array_equal(ones, one + 0 * x)
    assert [*sizes] == [2, 40] and size == 80
    assert [*flat(tvm.runtime.ShapeTuple((3, 4)))[0]] == [3, 4]


def test_open_sizes_are_told_and_can_be_given(tmp_path: Path, target: Any) -> None:
    path = model(tmp_path, ("batch", 8))
    with pytest.raises(InputError) as error:
        frontends.from_onnx(path)
    assert "input x" in error.value.what and error.value.why == "its shape is (batch, 8)"
    assert "--shape x=1x8, " in error.value.todo and 'shapes={"x": (1, 8)}' in error.value.todo
    (workload,) = tasks.extract(frontends.from_onnx(path, {"x": (5, 8)}), target).workloads
    assert "T.Buffer((T.int64(5), T.int64(8))" in workload.text


def test_a_module_with_open_sizes_is_told_too(target: Any) -> None:
    torch = pytest.importorskip("torch")
    free = ({0: torch.export.Dim("rows", min=2, max=99)},)
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(3, 8),), dynamic_shapes=free)
    with pytest.raises(InputError, match="no fixed sizes") as error:
        tasks.extract(frontends.from_exported(program), target)
    assert re.fullmatch(r"its shape is \(\w+, 8\)", error.value.why) and "without dynamic_shapes" in error.value.todo


@pytest.mark.parametrize("shapes", [{"y": (1, 8)}, {"x": (1, 9)}, {"x": (8,)}, {"x": (0, 8)}, {"x": ()}])
def test_sizes_that_do_not_fit_are_refused(tmp_path: Path, shapes: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(UsageError):
        frontends.from_onnx(model(tmp_path, ("batch", 8)), shapes)


@pytest.mark.parametrize("operator, domain", [("Fancy", {"domain": "com.own"}), ("Det", {})])
def test_operators_that_are_not_known_are_named(tmp_path: Path, operator: str, domain: dict[str, str]) -> None:
    with pytest.raises(InputError, match="cannot be tuned") as error:
        frontends.from_onnx(model(tmp_path, operator=operator, **domain))
    assert operator in error.value.why


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.onnx").write_bytes(b"\x00no model")
    for path in (tmp_path / "no.onnx", tmp_path / "missing.onnx", tmp_path):
        with pytest.raises(InputError):
            frontends.from_onnx(path)
    pytest.importorskip("torch")
    with pytest.raises(InputError, match=r"no torch\.nn\.Module"):
        frontends.from_torch(len, ())


BODIES = {
    "def factory():\n    raise RuntimeError('no weights here')": "no weights here (line 2)",
    "def factory():\n    return 3": "it returned one value (int)",
    "def factory():\n    raise SystemExit(3)": "SystemExit: 3",
    "def other():\n    return 3": "no such name",
    "import nothing_of_this_name": "nothing_of_this_name",
    "import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return x if x.sum() > 0 else -x\n"
    "def factory():\n    return N(), (torch.ones(2),)": "data-dependent",
}


@pytest.mark.parametrize("body", BODIES)
def test_a_factory_that_fails_is_told_why(tmp_path: Path, body: str) -> None:
    pytest.importorskip("torch")
    (tmp_path / "own.py").write_text(body)
    with pytest.raises(InputError) as error:
        frontends.from_torch(*made(tmp_path / "own.py", "factory"))
    assert BODIES[body] in error.value.why and len(str(error.value).splitlines()) == 3


def test_a_factory_gives_its_network(tmp_path: Path, target: Any) -> None:
    pytest.importorskip("torch")
    (tmp_path / "own.py").write_text("import torch\ndef factory():\n    return torch.nn.Linear(4, 2), torch.ones(1, 4)")
    (workload,) = tasks.extract(frontends.from_torch(*made(tmp_path / "own.py", "factory")), target).workloads
    assert "matmul" in workload.name


def test_a_factory_loads_as_python_would_run_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its classes find their module, and it finds its neighbours, also from its forward."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_layers.py").write_text("from torch.nn import Linear")
    (tmp_path / "own_ends.py").write_text("def end(x): return x.exp()")
    (tmp_path / "json.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport own_layers\n"
        "@dataclass\nclass Sizes:\n    n: int = 4\n"
        "class Own(own_layers.Linear):\n    def forward(self, x):\n        import own_ends\n"
        "        return own_ends.end(super().forward(x))\n"
        "def factory():\n    import torch\n    return Own(Sizes().n, 2), torch.ones(1, 4)\n"
    )
    monkeypatch.chdir(tmp_path.parent)
    network, inputs = made(Path(tmp_path.name) / "json.py", "factory")
    assert network(*inputs).shape == (1, 2) and isinstance(network, torch.nn.Module)
    assert "JSONDecoder" in dir(sys.modules["json"])


def test_a_file_that_does_not_load_is_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own.py").write_text("import nothing_of_this_name")
    known = set(sys.modules)
    with pytest.raises(InputError):
        made(tmp_path / "own.py", "factory")
    assert set(sys.modules) == known


@pytest.mark.parametrize("second", [[], {}, 3.0, None, np.ones(3)], ids=lambda each: type(each).__name__)
def test_inputs_that_are_no_tensors_are_named(second: Any) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(InputError, match=r"inputs\[1\]") as error:
        frontends.exported(torch.nn.ReLU(), (torch.ones(3), second))
    assert type(second).__name__ in error.value.why and "tensors alone" in error.value.todo


def test_a_program_of_an_empty_tensor_is_left_out(target: Any) -> None:
    torch = pytest.importorskip("torch")
    found = tasks.extract(frontends.from_torch(torch.nn.ReLU(), (torch.ones(0, 8),)), target)
    assert not found.workloads and found.left_out == {"relu": "a tensor of the shape (0, 8) is empty"}


def test_networks_have_families_and_their_programs_are_described(target: Any) -> None:
    pytest.importorskip("torch")
    from forerun.corpora import tensor_networks as corpus

    families = {network.family for network in corpus.networks().values()}
    assert len(families) >= 12
    found, left_out = corpus.programs("mlp-784-8x784", target)
    assert not left_out and all(not program.unfit for program in found)
    first = next(p for p in found if "T.int64(784)" in p.workload.text)
    assert first.ops[0] == "matmul"
    # input, weights, bias, the product, its sum with the bias, and the output
    assert first.buffer_bytes == 4 * (8 * 784 + 784 * 512 + 512 + 3 * 8 * 512)
    assert first.unfit == ""
    with pytest.raises(UsageError):
        corpus.programs("nothing", target)


def test_programs_are_known_by_the_layouts_that_have_them(target: Any) -> None:
    pytest.importorskip("torch")
    from forerun.corpora import tensor_networks as corpus

    found, _ = corpus.programs("espcn-1x1x96x96", target)
    own = {layout: [each for each in found if layout in each.layouts] for layout in tasks.LAYOUTS}
    assert any("conv2d_nhwc" in program.ops for program in own[tasks.CHANNELS_LAST])
    assert not any("conv2d_nhwc" in program.ops for program in own[tasks.GIVEN])
    assert len(found) == len({program.workload.text for program in found}) and all(each.layouts for each in found)
    names = {program.name for program in found}
    assert len(names) == len(found) and "espcn-1x1x96x96/channels-last/fused_conv2d_add_tir_tanh" in names
    assert "espcn-1x1x96x96/winograd/winograd_apart" in names
    dense, _ = corpus.programs("mlp-784-8x784", target)
    panels = {(tasks.WINOGRAD,), (tasks.CHANNELS_LAST, tasks.GIVEN)}
    assert {program.layouts for program in dense} == {*panels, tasks.LAYOUTS}, "ten columns lie as they are"


def test_what_moves_or_is_too_much_is_unfit(target: Any) -> None:
    torch = pytest.importorskip("torch")
    from forerun.corpora import tensor_networks as corpus

    class Moves(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, mask: Any) -> Any:
            return x.transpose(1, 2).flip(1), mask.transpose(0, 1), x.exp()

    inputs = (torch.randn(1, 4, 6), torch.ones(3, 5, dtype=torch.bool))
    network = corpus.Network("moves", "own", "moves", (1,), "paper")
    found = [
        corpus._program(network, workload, tasks.LAYOUTS)
        for workload in tasks.extract(frontends.from_torch(Moves(), inputs), target).workloads
    ]
    sizes = {program.ops: (program.unfit, program.buffer_bytes) for program in found}
    assert sizes["T_transpose",] == ("moves data only", 2 * 15)
    assert sizes["compute",] == ("", 2 * 4 * 24)
    large, _ = corpus.programs("tvm-C3D", target)
    assert large[0].unfit == "too much work"


def test_what_puts_many_tensors_together_is_left_out(target: Any) -> None:
    torch = pytest.importorskip("torch")

    class Joins(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, *parts: Any) -> Any:
            return torch.cat(parts).exp()

    found = tasks.extract(frontends.from_torch(Joins(), [torch.randn(2, 3) for _ in range(40)]), target)
    assert not found.workloads and [*found.left_out.values()] == [
        "it puts 41 tensors together, which is no work to schedule"
    ]


def test_operators_of_tvm_are_programs_too(target: Any) -> None:
    pytest.importorskip("torch")
    from forerun.corpora import tensor_networks as corpus

    found, _ = corpus.programs("tvm-GMM", target)
    assert found[0].buffer_bytes == 4 * 3 * 128 * 128
    assert found[0].workload.flops == 2 * 128**3


def test_names_that_relax_counts_along_the_network_are_numbered_anew(target: Any) -> None:
    """A program that is called twice is named after the value that it reads first."""
    torch = pytest.importorskip("torch")

    class Residual(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.then = (torch.nn.InstanceNorm2d(4, affine=True) for _ in range(2))

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.first(x.exp()))
            return self.then(y) + x

    found = tasks.extract(frontends.from_torch(Residual(), (torch.randn(1, 4, 8, 8),)), target)
    names = {
        name
        for workload in found.workloads
        for name in re.findall(r"(?<!\w)(?:v_)?((?:lv|gv|x)\d*)(?=_|\b)", workload.text)
    }
    assert names == {"lv0"}


def test_why_a_module_is_not_exported_is_told() -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(16, 4)
    with pytest.raises(InputError, match="does not run on its inputs") as caught:
        frontends.exported(layer, [torch.zeros(2, 17)])
    assert "give inputs that its forward takes" in caught.value.todo
    with pytest.raises(InputError, match="is a ScriptModule"):
        frontends.exported(torch.jit.script(layer), [torch.zeros(2, 16)])

    class Chooses(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2 if x.sum() > 0 else x - 1

    with pytest.raises(InputError, match=r"torch\.export cannot trace") as caught:
        frontends.exported(Chooses(), [torch.zeros(2, 3)])
    assert "control flow on values" in caught.value.todo
