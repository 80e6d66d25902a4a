"""ONNX networks as users have them: what TVM's importer lacks or has wrong, beside what onnxruntime computes."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from forerun.errors import InputError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")

from forerun.toolchains.onnx.run import session
from forerun.toolchains.tvm import _onnx_operators, extract, frontends, network
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.device import Place

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")

Arrays = Mapping[str, Any]
node = helper.make_node
draw = np.random.default_rng(0)


@pytest.fixture(scope="module")
def target() -> Any:
    return tvm.target.Target({"kind": "llvm", "num-cores": 1})


def saved(folder: Path, nodes: Sequence[Any], inputs: Arrays, weights: Arrays, ends: Sequence[str], opset: int) -> Path:
    """A network as a file."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in inputs.items()}
    begins = [helper.make_tensor_value_info(name, kinds[name], array.shape) for name, array in inputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    outputs = [helper.make_empty_tensor_value_info(name) for name in ends]
    graph = helper.make_graph(nodes, "g", begins, outputs, tensors)
    versions = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    path = folder / "net.onnx"
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=8 if opset < 21 else 10), str(path))
    return path


def compiled(path: Path, target: Any) -> Callable[[Arrays], Sequence[Any]]:
    made = extract.compiled(extract.extract(frontends.from_onnx(path), target).module, target)
    machine = tvm.relax.VirtualMachine(made, tvm.cpu())
    return lambda inputs: network.flat(machine["main"](*map(tvm.runtime.tensor, inputs.values())))


def ours(path: Path, inputs: Arrays, target: Any) -> Sequence[Any]:
    return compiled(path, target)(inputs)


@pytest.fixture
def agrees(tmp_path: Path, target: Any) -> Callable[..., None]:
    """Runs a network here and in onnxruntime, and compares all its last node makes, or what is named."""

    def checked(nodes: Sequence[Any], inputs: Arrays, weights: Arrays = {}, opset: int = 17, **told: Any) -> None:  # noqa: B006
        ends = told.get("ends", [name for name in nodes[-1].output if name])
        path = saved(tmp_path, nodes, inputs, weights, ends, opset)
        theirs = session(str(path), 1).run(None, dict(inputs))
        for found, expected in zip(ours(path, inputs, target), theirs, strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found.astype(float), expected.astype(float), 1e-4, 1e-5)

    return checked


def floats(*shape: int) -> Any:
    return draw.standard_normal(shape).astype(np.float32)


def convolutional(folder: Path) -> Path:
    """A small network of images with what such ones are made of."""
    weights = {
        name: floats(*shape) / 5 for name, shape in (("w1", (8, 3, 3, 3)), ("w2", (8, 8, 3, 3)), ("w3", (8, 1, 3, 3)))
    }
    weights |= {"b1": floats(8), "w4": floats(16, 10) / 4, "b4": floats(10)}
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4, strides=[2, 2]),
        node("Relu", ["c1"], ["r1"]),
        node("MaxPool", ["r1"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p", "w2"], ["c2"], pads=[1] * 4),
        node("Sigmoid", ["c2"], ["s"]),
        node("Mul", ["c2", "s"], ["m"]),
        node("Add", ["m", "p"], ["a"]),
        node("Conv", ["a", "w3"], ["c3"], pads=[1] * 4, group=8),
        node("LeakyRelu", ["c3"], ["l"], alpha=0.1),
        node("Concat", ["l", "a"], ["k"], axis=1),
        node("GlobalAveragePool", ["k"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "w4", "b4"], ["y"]),
    ]
    return saved(folder, nodes, {"x": floats(1, 3, 16, 16)}, weights, ["y"], 17)


def quantised(folder: Path, how: str) -> Path:
    """The same as onnxruntime quantises it."""
    logging.disable(logging.WARNING)
    from onnxruntime import quantization as q

    class Reader(q.CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [{"x": floats(1, 3, 16, 16)} for _ in range(3)]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    before, after = convolutional(folder), folder / "quantised.onnx"
    try:
        if how == "dynamic":
            q.quantize_dynamic(before, after)
        else:
            kinds = {"activation_type": q.QuantType[how], "weight_type": q.QuantType.QInt8}
            per_channel = how == "QUInt8"
            q.quantize_static(before, after, Reader(), q.QuantFormat.QOperator, per_channel=per_channel, **kinds)
    finally:
        logging.disable(logging.NOTSET)
    return after


@pytest.mark.parametrize("how, operator", [("QUInt8", "QLinearConv"), ("QInt8", "QGemm"), ("dynamic", "ConvInteger")])
def test_networks_that_onnxruntime_quantises(how: str, operator: str, tmp_path: Path, target: Any) -> None:
    path = quantised(tmp_path, how)
    assert operator in {each.op_type for each in onnx.load(str(path)).graph.node}
    x = floats(1, 3, 16, 16)
    (expected,) = session(str(path), 1).run(None, {"x": x})
    (found,) = ours(path, {"x": x}, target)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_quantised_operators_that_stand_alone(agrees: Callable[..., None]) -> None:
    a, b = (draw.integers(0, 255, shape).astype(np.uint8) for shape in ((3, 5), (5, 4)))
    s, z = np.float32(0.1), np.uint8(120)
    scales = {"s": s, "z": z, "t": np.array([0.2, 0.1, 0.3, 0.4], np.float32), "o": np.array([3, 4, 5, 6], np.uint8)}
    agrees([node("QLinearMatMul", ["a", "s", "z", "b", "t", "o", "s", "z"], ["y"])], {"a": a}, {"b": b, **scales})
    product = node("QLinearMatMul", ["a", "as", "z", "b", "s", "z", "s", "z"], ["y"])
    agrees([product], {"a": a, "as": np.float32([0.1])}, {"b": b, **scales})
    for kind, told in (("QLinearSoftmax", {"opset": 17, "axis": -1}), ("QLinearLeakyRelu", {"alpha": 0.2})):
        one = node(kind, ["a", "s", "z", "s2", "z"], ["y"], domain="com.microsoft", **told)
        agrees([one], {"a": a}, {**scales, "s2": np.float32(0.01)})


def test_weights_in_blocks(agrees: Callable[..., None]) -> None:
    nodes = [node("DequantizeLinear", ["q", "s", "z"], ["w"], axis=0, block_size=3), node("MatMul", ["x", "w"], ["y"])]
    weights = {"q": draw.integers(-9, 9, (6, 4)).astype(np.int8), "s": np.abs(floats(2, 4))}
    agrees(nodes, {"x": floats(2, 6)}, {**weights, "z": draw.integers(-3, 3, (2, 4)).astype(np.int8)}, 21)


def test_weights_of_four_bits_with_a_scale_for_each_column(agrees: Callable[..., None]) -> None:
    nodes = [node("DequantizeLinear", ["q", "s", "z"], ["w"], axis=-1), node("MatMul", ["x", "w"], ["y"])]
    kind = helper.tensor_dtype_to_np_dtype(TensorProto.INT4)
    weights = {"q": draw.integers(-8, 8, (6, 4)).astype(kind), "z": draw.integers(-8, 8, 4).astype(kind)}
    agrees(nodes, {"x": floats(2, 6)}, {**weights, "s": np.abs(floats(4))}, 21)


def test_weights_of_four_bits_that_are_given_on_are_not_rounded_otherwise(tmp_path: Path) -> None:
    """By default onnxruntime rounds what is multiplied by them, too."""
    nodes = [
        node("Identity", ["q"], ["i"]),
        node("DequantizeLinear", ["i", "s", "z"], ["w"], axis=1),
        node("MatMul", ["x", "w"], ["y"]),
    ]
    kind = helper.tensor_dtype_to_np_dtype(TensorProto.INT4)
    weights = {"q": draw.integers(-8, 8, (16, 8)).astype(kind), "z": np.zeros(8, kind), "s": np.abs(floats(8))}
    path = saved(tmp_path, nodes, {"x": floats(4, 16)}, weights, ["y"], 21)
    known = network.read(network.Network(path), Place('{"kind":"llvm","num-cores":1}'))
    assert [each.name for each in known.extraction.workloads] == ["matmul"]
    ours, theirs = (found[0] for found in known.expected.values())
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("signal", [0.0, 1.0, -3.0])
def test_what_is_quantised_while_it_runs(signal: float, agrees: Callable[..., None]) -> None:
    """Zeros alone, too: their scale is 1."""
    agrees([node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])], {"x": np.abs(floats(3, 4)) * np.float32(signal)})


@pytest.mark.parametrize("causal, heads", [(0, 4), (1, 2)])
def test_attention_of_opset_23(causal: int, heads: int, agrees: Callable[..., None]) -> None:
    """The other `Attention`, of onnxruntime, is what TVM knows by this name."""
    q, k, v = floats(2, 4, 5, 8), floats(2, heads, 6, 8), floats(2, heads, 6, 8)
    attention = node("Attention", ["q", "k", "v"], ["y"], is_causal=causal, scale=0.3)
    agrees([attention], {"q": q, "k": k, "v": v}, opset=23)


def test_rotations_and_norms_of_opset_23(agrees: Callable[..., None]) -> None:
    angles = floats(16, 4)
    rotated = node("RotaryEmbedding", ["x", "c", "s", "p"], ["r"])
    norm = node("RMSNormalization", ["r", "w"], ["y"], axis=-1)
    weights = {"c": np.cos(angles), "s": np.sin(angles), "p": np.arange(5)[None].repeat(2, 0), "w": floats(8)}
    agrees([rotated, norm], {"x": floats(2, 4, 5, 8)}, weights, 23)


@pytest.mark.parametrize(
    "scales, told",
    [
        ([1, 1, 1.5, 0.6], {"mode": "linear"}),
        ([1, 1, 2, 2], {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
        ([1, 1, 1.7, 2.2], {"mode": "cubic", "cubic_coeff_a": -0.5, "exclude_outside": 1}),
        ([1, 1, 0.4, 0.6], {"mode": "linear", "antialias": 1}),
        ([1, 1, 1.3, 0.7], {"mode": "nearest", "nearest_mode": "ceil"}),
        ([1, 1, 2, 3], {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
    ],
)
def test_resizes_in_all_modes(scales: Sequence[float], told: dict[str, Any], agrees: Callable[..., None]) -> None:
    resize = node("Resize", ["x", "", "s"], ["y"], **told)
    agrees([resize], {"x": floats(1, 2, 7, 6)}, {"s": np.array(scales, np.float32)}, 18)


def test_resizes_of_a_part_to_sizes(agrees: Callable[..., None]) -> None:
    told = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 9.0}
    weights = {"r": np.array([0, 0, 0.4, 0.6, 1, 1, 1.2, 0.8], np.float32), "n": np.array([1, 2, 3, 3])}
    agrees([node("Resize", ["x", "r", "", "n"], ["y"], **told)], {"x": floats(1, 2, 7, 6)}, weights)


def test_resizes_to_what_only_data_tell_are_refused(tmp_path: Path) -> None:
    resize = node("Resize", ["x", "", "s"], ["y"], name="enlarge")
    path = saved(tmp_path, [resize], {"x": floats(1, 1, 2, 2), "s": np.ones(4, np.float32)}, {}, ["y"], 17)
    with pytest.raises(
        InputError, match=r"(?s)cannot be tuned.*Resize enlarge: its scales or sizes are known only when"
    ):
        frontends.from_onnx(path)


def info(name: str, kind: int, *shape: int) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def test_loops_of_a_known_count_are_written_out(agrees: Callable[..., None]) -> None:
    kinds = TensorProto.INT64, TensorProto.BOOL
    body = helper.make_graph(
        [
            node("Add", ["state", "x"], ["sum"]),
            node("Mul", ["sum", "w"], ["next"]),
            node("Cast", ["i"], ["turn"], to=TensorProto.FLOAT),
            node("Add", ["next", "turn"], ["kept"]),
            node("Identity", ["on"], ["still"]),
        ],
        "body",
        [info("i", kinds[0]), info("on", kinds[1]), info("state", 1, 2, 3)],
        [info("still", kinds[1]), info("next", 1, 2, 3), info("kept", 1, 2, 3)],
        [numpy_helper.from_array(np.float32(0.5), "w")],
    )
    nodes = [node("Relu", ["x"], ["r"]), node("Loop", ["n", "", "r"], ["y", "all"], body=body)]
    agrees(nodes, {"x": floats(2, 3)}, {"n": np.array(3)})


def scanned(told: Mapping[str, Any], opset: int = 17) -> Any:
    """A state, two inputs that are scanned, and two outputs: its body has a constant, and reads a weight around it."""
    body = helper.make_graph(
        [
            node("Constant", [], ["half"], value=numpy_helper.from_array(np.float32(0.5))),
            node("MatMul", ["state", "w"], ["turned"]),
            node("Mul", ["turned", "half"], ["less"]),
            node("Add", ["less", "one"], ["sum"]),
            node("Cast", ["two"], ["other"], to=TensorProto.FLOAT),
            node("Add", ["sum", "other"], ["next"]),
            node("Mul", ["next", "other"], ["kept"]),
            node("Identity", ["state"], ["before"]),
        ],
        "body",
        [info("state", 1, 2, 3), info("one", 1, 2, 3), info("two", TensorProto.INT32, 2, 1)],
        [info("next", 1, 2, 3), info("kept", 1, 2, 3), info("before", 1, 2, 3)],
    )
    return node("Scan", ["s", "x", "i"], ["last", "kept", "before"], body=body, num_scan_inputs=2, **told)


TURNED = {"scan_input_axes": [1, -1], "scan_input_directions": [0, 1]}
TURNED |= {"scan_output_axes": [2, -2], "scan_output_directions": [1, 0]}


@pytest.mark.parametrize("told, opset, shapes", [({}, 9, ((4, 2, 3), (4, 2, 1))), (TURNED, 17, ((2, 4, 3), (2, 1, 4)))])
def test_scans_of_a_known_size_are_written_out(
    told: dict[str, Any], opset: int, shapes: Sequence[Sequence[int]], agrees: Callable[..., None]
) -> None:
    numbers = draw.integers(-3, 4, shapes[1]).astype(np.int32)
    agrees([scanned(told)], {"s": floats(2, 3), "x": floats(*shapes[0]), "i": numbers}, {"w": floats(3, 3)}, opset)


@pytest.mark.parametrize(
    "size, opset, why",
    [(3000, 17, "3000 rounds of 7 nodes are more than the 8192"), (2, 8, "it is of opset 8, which scans several")],
)
def test_scans_that_stay_are_refused(size: int, opset: int, why: str, tmp_path: Path) -> None:
    inputs = {"s": floats(2, 3), "x": floats(size, 2, 3), "i": np.ones((size, 2, 1), np.int32)}
    path = saved(tmp_path, [scanned({})], inputs, {"w": floats(3, 3)}, ["last"], opset)
    with pytest.raises(InputError, match=why):
        frontends.from_onnx(path)


def test_branches_of_known_conditions_are_chosen(agrees: Callable[..., None]) -> None:
    """By a size here; the other branch has an operator whose result's size only data decide."""
    taken = helper.make_graph(
        [node("Mul", ["x", "k"], ["o"])], "t", [], [info("o", 1, 2, 3)], [numpy_helper.from_array(np.float32(2), "k")]
    )
    other = helper.make_graph([node("Exp", ["x"], ["o2"])], "e", [], [info("o2", 1, 2, 3)])
    nodes = [
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "zero"], ["size"]),
        node("Equal", ["size", "two"], ["is"]),
        node("If", ["is"], ["y"], then_branch=taken, else_branch=other),
    ]
    agrees(nodes, {"x": floats(2, 3)}, {"zero": np.array(0), "two": np.array(2)})


@pytest.mark.parametrize("least", [0.3, -3.0, None])
def test_boxes_are_selected_by_any_scores(least: float | None, tmp_path: Path, target: Any) -> None:
    numbers = {"most": np.array([9]), "overlap": np.array([0.5], np.float32)}
    numbers |= {} if least is None else {"least": np.array([least], np.float32)}
    inputs = {"b": floats(1, 12, 4), "s": floats(1, 2, 12)}
    path = saved(tmp_path, [node("NonMaxSuppression", ["b", "s", *numbers], ["y"])], inputs, numbers, ["y"], 17)
    machine, theirs = compiled(path, target), session(str(path), 1)
    for _ in range(20):
        boxes = draw.uniform(0, 1, (1, 12, 4)).astype(np.float32)
        boxes[..., 2:] += boxes[..., :2]
        inputs = {"b": boxes, "s": floats(1, 2, 12) - 1}
        np.testing.assert_array_equal(machine(inputs)[0], theirs.run(None, inputs)[0])


def test_sums_of_exponentials_of_infinities(agrees: Callable[..., None]) -> None:
    x = floats(3, 4)
    x[0, 1], x[1] = np.inf, -np.inf
    agrees([node("ReduceLogSumExp", ["x"], ["y"], axes=[1], keepdims=0)], {"x": x})


def test_maxima_means_and_casts_are_taken_one_by_one(agrees: Callable[..., None]) -> None:
    x, y, z = floats(2, 3), floats(3), floats(2, 1)
    for kind in ("Max", "Min", "Sum", "Mean"):
        agrees([node(kind, ["x", "y", "z"], ["v"])], {"x": x, "y": y, "z": z})
    for kind in (TensorProto.INT32, TensorProto.UINT8, TensorProto.INT64):
        agrees([node("Cast", ["x"], ["v"], to=kind)], {"x": np.abs(x) * 50})


def test_remainders_powers_and_truths(tmp_path: Path, target: Any) -> None:
    """As onnx's own evaluator has them: onnxruntime has no remainders of floats with the sign of what divides."""
    infinity = np.inf
    a = np.array([-3, 3, -1, 1, infinity, -5.5, 5.5, 1, -4, 0], np.float32)
    b = np.array([infinity, infinity, -infinity, -infinity, 2, 2, -2, 0, 2, -2], np.float32)
    inputs = {
        "a": a,
        "b": b,
        "i": np.array([-3, 2, 7, 0]),
        "j": np.array([3, 30, 2, 0]),
        "t": draw.random((3, 4)) < 0.3,
    }
    nodes = [
        node("Mod", ["a", "b"], ["m"]),
        node("Pow", ["i", "j"], ["p"]),
        node("Pow", ["five", "j"], ["r"]),
        node("Pow", ["j", "half"], ["s"]),
        node("ReduceMax", ["t", "one"], ["any"], keepdims=0),
        node("ReduceMin", ["t"], ["all"]),
    ]
    weights = {"one": np.array([1]), "five": np.float32(1.5), "half": np.float32(0.5)}
    path = saved(tmp_path, nodes, inputs, weights, ["m", "p", "r", "s", "any", "all"], 20)
    theirs = ReferenceEvaluator(str(path)).run(None, dict(inputs))
    for found, expected in zip(ours(path, inputs, target), theirs, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-6 if found.dtype.kind == "f" else 0)


def test_extrema_of_infinities_alone(agrees: Callable[..., None]) -> None:
    """Not the largest number there is, which some masks are made of."""
    least = np.finfo(np.float32).min
    x = np.array([[-np.inf, -np.inf], [least, -np.inf], [1, 2], [np.inf, 1]], np.float32)
    nodes = [node("ReduceMax", ["x"], ["a"], axes=[1]), node("Neg", ["x"], ["n"]), node("ReduceMin", ["n"], ["b"])]
    agrees(nodes, {"x": x}, ends=["a", "b"])


def test_rows_that_a_mask_hides_altogether(agrees: Callable[..., None]) -> None:
    q, k, v = floats(1, 2, 3, 8), floats(1, 2, 3, 8), floats(1, 2, 3, 8)
    mask = np.array([[True, False, False], [False, False, False], [True, True, True]])
    agrees([node("Attention", ["q", "k", "v", "m"], ["y"])], {"q": q, "k": k, "v": v, "m": mask}, opset=23)


def test_classes_places_and_windows(agrees: Callable[..., None]) -> None:
    """Of indices from the end, of maxima, and put together again."""
    kinds = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1], "ceil_mode": 1}
    nodes = [
        node("OneHot", ["i", "depth", "values"], ["hot"], axis=1),
        node("MaxPool", ["x"], ["most", "place"], **kinds),
        node("MaxPool", ["x"], ["others", "columns"], kernel_shape=[2, 2], dilations=[2, 1], storage_order=1),
        node("Col2Im", ["w", "image", "window"], ["whole"], strides=[2, 2], pads=[1] * 4),
    ]
    inputs = {"i": np.array([[-1, 0], [3, 9]]), "x": floats(2, 3, 7, 6), "w": floats(1, 18, 9)}
    weights = {
        "depth": np.array(4),
        "values": np.float32([0, 2]),
        "image": np.array([6, 6]),
        "window": np.array([3, 3]),
    }
    agrees(nodes, inputs, weights, 18, ends=["hot", "most", "place", "others", "columns", "whole"])


def test_what_operators_give_beside_their_first_result(agrees: Callable[..., None]) -> None:
    nodes = [
        node("LayerNormalization", ["x", "scale"], ["y", "mean", "deviation"], axis=-1),
        node("Dropout", ["y"], ["z", "kept"]),
        node("IsInf", ["x"], ["up"], detect_negative=0),
        node("IsInf", ["x"], ["down"], detect_positive=0),
    ]
    x = floats(3, 8)
    x[0, 0], x[0, 1] = np.inf, -np.inf
    agrees(nodes, {"x": x}, {"scale": floats(8)}, ends=["mean", "deviation", "z", "kept", "up", "down"])


@pytest.mark.parametrize("told", [{"output_shape": [10, 8]}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"}])
def test_transposed_convolutions_of_a_size(told: dict[str, Any], agrees: Callable[..., None]) -> None:
    transposed = node("ConvTranspose", ["x", "w"], ["y"], strides=[3, 2], **told)
    agrees([transposed], {"x": floats(1, 1, 3, 3)}, {"w": floats(1, 2, 3, 3)})


@pytest.mark.parametrize(
    "refused, why",
    [
        (node("Dropout", ["x", "", "on"], ["y"]), "it drops at random"),
        (node("BatchNormalization", ["x", *"cccc"], ["y", "", ""], training_mode=1), "it is in training mode"),
        (node("Expand", ["x", "sizes"], ["y"]), "its sizes are known only when it runs"),
        (node("RoiAlign", ["x", "boxes", "images"], ["y"], mode="max"), "maxima of regions are not known"),
        (node("Cast", ["x"], ["y"], to=TensorProto.FLOAT8E5M2), "numbers of the type float8e5m2"),
        (node("QuantizeLinear", ["x", "one", "few"], ["y"]), "QuantizeLinear, output y: numbers of the type uint4"),
        (node("TopK", ["large", "k"], ["", "y"]), "TopK, output y: numbers of the type uint64"),
        (node("Slice", ["x", "sizes", "sizes"], ["y"]), "where it begins and ends is known only when it runs"),
        (node("ConstantOfShape", ["sizes"], ["y"]), "ConstantOfShape, output y: its sizes are known only when it runs"),
        (node("HannWindow", ["sizes"], ["y"]), "HannWindow, output y: its size is known only when it runs"),
        (node("Identity", ["words"], ["y"]), "TVM has numbers alone"),
    ],
)
def test_what_would_be_computed_otherwise_is_refused(refused: Any, why: str, tmp_path: Path) -> None:
    inputs = {"x": floats(1, 2, 3, 3), "sizes": np.array([1, 2, 3, 3]), "large": np.ones(3, np.uint64)}
    inputs |= {"words": np.array(["a"], object)} if "words" in refused.input else {}
    weights = {"on": np.array(True), "c": floats(2), "boxes": floats(1, 4), "images": np.array([0]), "k": np.array([1])}
    few = helper.tensor_dtype_to_np_dtype(TensorProto.UINT4)
    weights |= {"one": np.float32(1), "few": np.zeros((), few)} if "few" in refused.input else {}
    path = saved(tmp_path, [refused], inputs, weights, ["y"], 21)
    with pytest.raises(InputError, match=why):
        frontends.from_onnx(path)


def test_halves_that_the_importer_fails_at_are_opened(tmp_path: Path, target: Any) -> None:
    x = floats(2, 3).astype(np.float16)
    path = saved(tmp_path, [node("Elu", ["x"], ["y"], alpha=0.5)], {"x": x}, {}, ["y"], 18)
    (found,) = ours(path, {"x": x}, target)
    wide = x.astype(np.float32)
    np.testing.assert_allclose(found, np.where(wide > 0, wide, 0.5 * np.expm1(wide)), 5e-3, 1e-3)


@pytest.mark.parametrize("halves", [False, True])
def test_products_of_halves_are_of_floats_where_processors_run_them(halves: bool, tmp_path: Path, target: Any) -> None:
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("TopK", ["p", "k"], ["v", "i"])]
    inputs, weights = {"x": floats(2, 8).astype(np.float16)}, {"w": floats(8, 4).astype(np.float16), "k": np.array([1])}
    path = saved(tmp_path, nodes, inputs, weights, ["v", "i"], 18)
    found = extract.extract(frontends.from_onnx(path, halves=halves), target)
    (product,) = (each.text for each in found.workloads if "matmul" in each.name)
    assert ('in0: T.Buffer((T.int64(2), T.int64(8)), "float16")' in product) == halves


def test_a_quantised_network_is_tuned(tmp_path: Path, run_forerun: Any) -> None:
    path = quantised(tmp_path, "QUInt8")
    told = ("--target", "llvm:1", "--trials", "2", "--model", "uniform", "--format", "json")
    code, out, err = run_forerun("tune", str(path), "-o", str(tmp_path / "tuned"), *told)
    assert code == 0, err
    rows = json.loads(out)
    assert sum(row.get("trials", 0) for row in rows) == 2
    assert any("conv2d" in row["task"] and "round" in row["task"] for row in rows if "task" in row)
    x = floats(1, 3, 16, 16)
    (expected,) = session(str(path), 1).run(None, {"x": x})
    machine = tvm.relax.VirtualMachine(tvm.runtime.load_module(str(tmp_path / "tuned" / "model.so")), tvm.cpu())
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(x)).numpy(), expected, 1e-5, 1e-6)


def test_the_node_that_an_import_fails_at_is_named(tmp_path: Path) -> None:
    nodes = [node("Relu", ["x"], ["r"]), node("CumSum", ["r", "a"], ["y"], name="grow")]
    path = saved(tmp_path, nodes, {"x": floats(2), "a": np.array(0)}, {}, ["y"], 17)
    with pytest.raises(InputError, match="CumSum grow: "):
        frontends.from_onnx(path)


def test_the_node_that_is_imported_as_another_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outputs of the whole network tell that there is one, and those of each node which it is."""
    nodes = [node("Relu", ["x"], ["r"]), node("Max", ["r", "x", "k"], ["m"], name="most"), node("Exp", ["m"], ["y"])]
    path = saved(tmp_path, nodes, {"x": floats(4, 4)}, {"k": np.float32(0.1)}, ["y"], 17)
    place = Place('{"kind":"llvm","num-cores":1}')
    assert network.read(network.Network(path), place).inputs
    network.read.cache_clear()
    wrong = {**_onnx_operators.CONVERTED, "Max": _onnx_operators.CONVERTED["Min"]}
    monkeypatch.setattr(frontends, "CONVERTED", wrong)
    with pytest.raises(InputError, match="the first that differ are those of Max most, output m"):
        network.read(network.Network(path), place)
    network.read.cache_clear()


def test_a_size_of_one_input_is_that_of_others_by_its_name(tmp_path: Path) -> None:
    begins = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in "xz"]
    ends = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([node("Add", ["x", "z"], ["y"])], "g", begins, ends)
    path = tmp_path / "net.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    for given in ("x", "z"):
        main = frontends.from_onnx(path, {given: (2, 3)})["main"]
        assert [[int(size) for size in each.ty.shape.values] for each in main.params] == [[2, 3], [2, 3]]
