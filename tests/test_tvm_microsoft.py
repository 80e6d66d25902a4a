"""Networks with operators of onnxruntime's own, beside what onnxruntime computes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from forerun.core import Source
from forerun.errors import InputError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")

from forerun.toolchains.onnx import lowered
from forerun.toolchains.onnx.run import session
from forerun.toolchains.tvm import extract, frontends, space
from forerun.toolchains.tvm._load import load
from tests.test_tvm_onnx import Arrays, ours, saved

tvm = load()
pytestmark = pytest.mark.filterwarnings("ignore")
draw = np.random.default_rng(0)


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **told: Any) -> Any:
    return helper.make_node(kind, inputs, outputs, domain="com.microsoft", **told)


def floats(*shape: int) -> Any:
    return draw.standard_normal(shape).astype(np.float32)


@pytest.fixture
def agrees(tmp_path: Path) -> Callable[..., None]:
    """Runs a network here and in onnxruntime, and compares all that its last node makes."""
    target = tvm.target.Target({"kind": "llvm", "num-cores": 1})

    def checked(
        nodes: Sequence[Any],
        inputs: Arrays,
        weights: Arrays = {},  # noqa: B006
        opset: int = 17,
        near: tuple[float, float] = (1e-4, 2e-5),
    ) -> None:
        path = saved(tmp_path, nodes, inputs, weights, [name for name in nodes[-1].output if name], opset)
        theirs = session(str(path), 1).run(None, dict(inputs))
        for found, expected in zip(ours(path, inputs, target), theirs, strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found.astype(float), expected.astype(float), *near)

    return checked


def test_activations(agrees: Callable[..., None]) -> None:
    x, bias = floats(2, 3, 8), floats(8)
    nodes = [
        node("Gelu", ["x"], ["a"]),
        node("BiasGelu", ["a", "b"], ["c"]),
        node("FastGelu", ["c", "b"], ["d"]),
        node("FastGelu", ["d"], ["e"]),
        node("QuickGelu", ["e"], ["y"], alpha=1.5),
    ]
    agrees(nodes, {"x": x}, {"b": bias})


def test_norms_that_onnx_has_not(agrees: Callable[..., None]) -> None:
    """Of its own domain, where its version has them not yet, or at all."""
    weights, inputs = {"g": floats(8), "h": floats(8)}, {"x": floats(2, 3, 8)}
    old = helper.make_node("LayerNormalization", ["x", "g", "h"], ["n"], axis=-1, epsilon=1e-3)
    agrees([old, node("BiasGelu", ["n", "h"], ["y"])], inputs, weights, opset=15)
    simple = [helper.make_node("SimplifiedLayerNormalization", ["x", "g"], ["y"], axis=2, epsilon=1e-3)]
    agrees(simple, inputs, {"g": weights["g"]})


def test_no_operator_has_two_rules() -> None:
    assert len(lowered._RULES) == sum(map(len, lowered._TABLES))


def test_products_by_their_older_name(agrees: Callable[..., None]) -> None:
    told = {"transA": 1, "transB": 1, "alpha": 0.5}
    agrees([node("TransposeMatMul", ["x", "w"], ["y"], **told)], {"x": floats(2, 5, 3)}, {"w": floats(2, 4, 5)})


@pytest.mark.parametrize("bias, skip", [("b", (2, 3, 8)), ("", (3, 8)), ("b", (1, 3, 8))])
def test_norms_of_sums(bias: str, skip: Sequence[int], agrees: Callable[..., None]) -> None:
    weights = {"g": floats(8), "h": floats(8), "b": floats(8)}
    told = {"epsilon": 1e-5}
    norm = node("SkipLayerNormalization", ["x", "s", "g", "h", bias], ["y", "", "", "sum"], **told)
    agrees([norm], {"x": floats(2, 3, 8), "s": floats(*skip)}, weights)
    norm = node("SkipSimplifiedLayerNormalization", ["x", "s", "g", bias], ["y", "", "", "sum"], **told)
    agrees([norm], {"x": floats(2, 3, 8), "s": floats(*skip)}, weights)


def test_embeddings(agrees: Callable[..., None]) -> None:
    weights = {"w": floats(9, 8), "p": floats(5, 8), "t": floats(2, 8), "g": floats(8), "b": floats(8)}
    ids, mask = draw.integers(0, 9, (2, 4)).astype(np.int32), np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    full = node("EmbedLayerNormalization", ["i", "k", "w", "p", "t", "g", "b", "m"], ["y", "n"])
    agrees([full], {"i": ids, "k": ids % 2, "m": mask}, weights)
    agrees([node("EmbedLayerNormalization", ["i", "", "w", "p", "", "g", "b"], ["y", ""])], {"i": ids}, weights)


def test_embeddings_of_8_bits(agrees: Callable[..., None]) -> None:
    sizes = {"w": (9, 8), "p": (5, 8), "t": (2, 8), "g": (8,), "b": (8,)}
    weights: dict[str, Any] = {name: draw.integers(0, 255, size).astype(np.uint8) for name, size in sizes.items()}
    weights |= {f"{name}s": np.float32(0.01 + place / 90) for place, name in enumerate(sizes)}
    weights |= {f"{name}z": np.uint8(99 + place) for place, name in enumerate(sizes)}
    ids, mask = draw.integers(0, 9, (2, 4)).astype(np.int32), np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    names = ["i", "k", *sizes, "m", *(f"{name}{part}" for part in "sz" for name in sizes)]
    agrees([node("QEmbedLayerNormalization", names, ["y", "n"])], {"i": ids, "k": ids % 2, "m": mask}, weights)


@pytest.mark.parametrize("told", [{"transA": 1}, {"transB": 1, "alpha": 0.3}, {"transBatchA": 1, "transB": 1}])
def test_products_of_what_is_transposed(told: dict[str, Any], agrees: Callable[..., None]) -> None:
    agrees([node("FusedMatMul", ["x", "z"], ["y"], **told)], {"x": floats(4, 4, 4), "z": floats(4, 4, 4)})


def test_functions_of_products(agrees: Callable[..., None]) -> None:
    gemm = node("FusedGemm", ["x", "w", "b"], ["y"], activation="LeakyRelu", activation_alpha=0.2, transB=1)
    agrees([gemm], {"x": floats(3, 4)}, {"w": floats(5, 4), "b": floats(5)})
    for name, numbers in (("Relu", []), ("Clip", [-0.5, 0.5]), ("HardSigmoid", [0.2, 0.4])):
        told = {"activation": name, "pads": [1] * 4, **({"activation_params": numbers} if numbers else {})}
        conv = node("FusedConv", ["x", "w", "b"], ["y"], **told)
        agrees([conv], {"x": floats(1, 3, 5, 5)}, {"w": floats(4, 3, 3, 3), "b": floats(4)})
    conv = node("FusedConv", ["x", "w", "b", "z"], ["y"], activation="Relu", kernel_shape=[3, 3], pads=[1] * 4)
    agrees([conv], {"x": floats(1, 3, 5, 5), "z": floats(1, 4, 5, 5)}, {"w": floats(4, 3, 3, 3), "b": floats(4)})


@pytest.mark.parametrize("bits, zeros", [(4, "bytes"), (4, ""), (8, "bytes"), (4, "floats"), (2, "bytes")])
def test_weights_of_few_bits(bits: int, zeros: str, agrees: Callable[..., None]) -> None:
    k, n, size = 40, 6, 16  # three blocks, the last one not full
    weights = {
        "w": draw.integers(0, 256, (n, 3, size * bits // 8)).astype(np.uint8),
        "s": np.abs(floats(n, 3)),
        "b": floats(n),
    }
    if zeros:
        many = draw.integers(0, 256, (n, -(-3 * bits // 8))).astype(np.uint8)
        weights["z"] = many if zeros == "bytes" else floats(n, 3)
    inputs = ["x", "w", "s", "z" if zeros else "", "", "b"]
    agrees([node("MatMulNBits", inputs, ["y"], bits=bits, block_size=size, K=k, N=n)], {"x": floats(2, 3, k)}, weights)


def test_rows_of_weights_of_four_bits(agrees: Callable[..., None]) -> None:
    """The last block is not full."""
    signed, unsigned = (helper.tensor_dtype_to_np_dtype(kind) for kind in (TensorProto.INT4, TensorProto.UINT4))
    rows = {"v": draw.integers(-8, 8, (9, 40)).astype(signed), "w": draw.integers(0, 16, (9, 40)).astype(unsigned)}
    weights = {**rows, "s": np.abs(floats(9, 3)), "z": draw.integers(0, 16, (9, 3)).astype(unsigned)}
    told = {"block_size": 16, "quantize_axis": 1, "gather_axis": 0}
    read = {"a": ["v", "i", "s"], "b": ["w", "i", "s", "z"], "c": ["w", "i", "s"]}
    nodes = [node("GatherBlockQuantized", names, [name], **told) for name, names in read.items()]
    parts = helper.make_node("Concat", ["a", "b", "c"], ["y"], axis=0)
    agrees([*nodes, parts], {"i": draw.integers(0, 9, (2, 4))}, weights, 21)


MASKS = {
    "none": None,
    "rows": np.array([[1, 1, 1, 1], [1, 1, 0, 0]], np.int32),
    "ends": np.array([4, 2], np.int32),
    "ends and starts": np.array([4, 3, 1, 0], np.int32),
    "steps": np.array([[[1, 1, 0, 1]] * 4, [[1, 0, 1, 1]] * 4], np.int32),
}


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("kind", MASKS)
def test_attention_with_all_masks(kind: str, causal: int, agrees: Callable[..., None]) -> None:
    weights, mask = {"w": floats(8, 24) / 3, "b": floats(24)}, MASKS[kind]
    told = {"num_heads": 2, "unidirectional": causal}
    inputs = {"x": floats(2, 4, 8), **({} if mask is None else {"m": mask})}
    agrees([node("Attention", ["x", "w", "b", "m" if "m" in inputs else ""], ["y"], **told)], inputs, weights)


def test_scores_with_a_mask_have_a_design_space(tmp_path: Path) -> None:
    told = '{"kind":"llvm","num-cores":1}'
    weights, inputs = {"w": floats(16, 48), "b": floats(48)}, {"x": floats(2, 4, 16), "m": MASKS["rows"]}
    path = saved(tmp_path, [node("Attention", ["x", "w", "b", "m"], ["y"], num_heads=2)], inputs, weights, ["y"], 17)
    found = extract.extract(frontends.from_onnx(path), tvm.target.Target(json.loads(told)))
    (scores,) = (each for each in found.workloads if "cast" in each.name and "matmul" in each.name)
    assert len(space.Program(Source(scores.text, "tvm", scores.name, told)))


def test_attention_with_what_is_past(agrees: Callable[..., None]) -> None:
    weights = {"w": floats(8, 24) / 3, "b": floats(24)}
    inputs = {"x": floats(2, 3, 8), "p": floats(2, 2, 2, 4, 4)}
    told = {"num_heads": 2, "unidirectional": 1, "scale": 0.3}
    agrees([node("Attention", ["x", "w", "b", "", "p"], ["y", "present"], **told)], inputs, weights)
    added = {"x": floats(2, 3, 8), "a": floats(1, 2, 3, 3)}
    agrees([node("Attention", ["x", "w", "b", "", "", "a"], ["y"], num_heads=2)], added, weights)


@pytest.mark.parametrize("past", [0, 4])
def test_attention_of_8_bits(past: int, agrees: Callable[..., None]) -> None:
    weights = {"w": draw.integers(-99, 99, (8, 24)).astype(np.int8), "b": floats(24), "s": np.float32(0.02)}
    weights |= {"z": np.uint8(120), "o": np.int8(3), "c": np.abs(floats(24)) / 20}
    inputs = {"x": draw.integers(0, 255, (2, 3, 8)).astype(np.uint8)}
    inputs |= {"p": floats(2, 2, 2, past, 4)} if past else {"m": np.array([[1, 1, 1], [1, 1, 0]], np.int32)}
    names = ["x", "w", "b", "s", *(["s", "", "z", "o", "p"] if past else ["c", "m", "z"])]
    told = {"num_heads": 2, "unidirectional": 1}
    agrees([node("QAttention", names, ["y", *(["present"] if past else [])], **told)], inputs, weights)


@pytest.mark.parametrize("mask", [None, np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)])
def test_attention_of_parts(mask: Any, agrees: Callable[..., None]) -> None:
    inputs = {"q": floats(2, 3, 8), "k": floats(2, 5, 8), "v": floats(2, 5, 12)} | ({} if mask is None else {"m": mask})
    parts = ["q", "k", "v", "b", "m" if mask is not None else "", "a"]
    weights = {"b": floats(28), "a": floats(1, 2, 3, 5)}
    agrees([node("MultiHeadAttention", parts, ["y"], num_heads=2)], inputs, weights)


def test_attention_of_parts_with_what_is_past(agrees: Callable[..., None]) -> None:
    inputs = {"q": floats(2, 3, 8), "k": floats(2, 3, 8), "v": floats(2, 3, 8)}
    inputs |= {"pk": floats(2, 2, 4, 4), "pv": floats(2, 2, 4, 4)}
    parts = ["q", "k", "v", "", "", "", "pk", "pv"]
    agrees([node("MultiHeadAttention", parts, ["y", "nk", "nv"], num_heads=2, unidirectional=1)], inputs)


GROUPED: dict[str, tuple[tuple[int, int, int, int], str, dict[str, Any]]] = {
    "a prompt": ((2, 4, 4, 6), "q c s", {"do_rotary": 1, "rotary_interleaved": 1, "local_window_size": 2}),
    "a step": ((2, 1, 6, 5), "q k v pk pv c s a h", {"do_rotary": 1, "scale": 0.3, "softcap": 2.0}),
    "a step in a buffer": ((2, 1, 5, 8), "q k v pk pv", {"local_window_size": 2, "smooth_softmax": 1}),
    "more steps in a buffer": ((1, 2, 5, 8), "q k v pk pv c s a", {"do_rotary": 1}),
}
"""Texts, steps, those there are together, and those of the buffer of the past; inputs beside lengths."""


@pytest.mark.parametrize("kind", GROUPED)
def test_attention_of_groups(kind: str, agrees: Callable[..., None]) -> None:
    """One of two texts is shorter than the other."""
    (batch, steps, total, past), named, told = GROUPED[kind]
    size, ends, angles = 16, np.full(batch, total - 1, np.int32), floats(9, 8)
    ends[-1] -= 2 * (batch > 1)
    inputs = {"q": floats(batch, steps, (4 if " k " in named else 8) * size), "n": ends}
    inputs |= {name: floats(batch, steps, 2 * size) for name in "kv"}
    inputs |= {name: floats(batch, 2, past, size) for name in ("pk", "pv")}
    weights = {"t": np.array(total, np.int32), "c": np.cos(angles), "s": np.sin(angles)}
    weights |= {"a": floats(1, 4, steps, total), "h": floats(4)}
    there = {"n", "t", *named.split()}
    order = ["q", "k", "v", "pk", "pv", "n", "t", "c", "s", "", "a", "h"]
    names = [name if name in there else "" for name in order]
    attention = node("GroupQueryAttention", names, ["y", "nk", "nv"], num_heads=4, kv_num_heads=2, **told)
    agrees([attention], {name: each for name, each in inputs.items() if name in there}, weights)


def test_halves_are_computed_as_floats(agrees: Callable[..., None]) -> None:
    """As onnxruntime does: what comes of it is off by the rounding of its last step at most."""
    half = np.float16
    shapes = {"w": (8, 24), "b": (24,), "g": (8,), "h": (8,), "o": (8, 8)}
    weights = {name: (floats(*shape) / 3).astype(half) for name, shape in shapes.items()}
    nodes = [
        node("Attention", ["x", "w", "b", "m"], ["a"], num_heads=2),
        helper.make_node("MatMul", ["a", "o"], ["c"]),
        node("SkipLayerNormalization", ["c", "x", "g", "h"], ["y", "", "", "sum"]),
    ]
    inputs = {"x": floats(2, 4, 8).astype(half), "m": MASKS["rows"]}
    agrees(nodes, inputs, weights, near=(4e-3, 2e-3))


@pytest.mark.parametrize("mixed, places", [(0, [[0, 1, 2], [3, 4, 5]]), (1, [2])])
def test_rotations(mixed: int, places: Any, agrees: Callable[..., None]) -> None:
    angles = floats(9, 2)
    weights = {"c": np.cos(angles), "s": np.sin(angles), "p": np.array(places)}
    rotation = node("RotaryEmbedding", ["x", "p", "c", "s"], ["y"], interleaved=mixed)
    agrees([rotation], {"x": floats(2, 3, 8)}, weights)
    agrees([rotation], {"x": floats(2, 2, 3, 4)}, weights)


def test_products_of_8_bits(agrees: Callable[..., None]) -> None:
    a, b = (draw.integers(0, 255, shape).astype(np.uint8) for shape in ((3, 5), (5, 4)))
    weights = {"b": b, "s": np.float32(0.1), "z": np.uint8(120), "t": np.abs(floats(4)), "c": floats(4)}
    agrees([node("MatMulIntegerToFloat", ["a", "b", "s", "t", "z", "z", "c"], ["y"])], {"a": a}, weights)
    agrees([node("MatMulIntegerToFloat", ["a", "b", "s", "s"], ["y"])], {"a": a}, weights)
    agrees([node("DynamicQuantizeMatMul", ["x", "b", "s", "z", "c"], ["y"])], {"x": floats(3, 5)}, weights)
    agrees([node("DynamicQuantizeMatMul", ["x", "b", "s"], ["y"])], {"x": floats(3, 5)}, weights)


def test_channels_that_lie_last(agrees: Callable[..., None]) -> None:
    x = draw.integers(0, 255, (1, 6, 6, 3)).astype(np.uint8)
    pool = node("NhwcMaxPool", ["x"], ["p"], kernel_shape=[2, 2], strides=[2, 2])
    weights = {"w": draw.integers(-99, 99, (4, 3, 3, 3)).astype(np.int8), "s": np.float32(0.1), "t": np.float32(9.0)}
    weights |= {"z": np.uint8(120), "o": np.int8(0)}
    conv = node("QLinearConv", ["p", "s", "z", "w", "s", "o", "t", "z"], ["y"], channels_last=1, pads=[1] * 4)
    agrees([pool, conv], {"x": x}, weights)
    names = ["x", "s", "z", "t", "z"]
    mean = node("QLinearAveragePool", names, ["p"], channels_last=1, kernel_shape=[3, 2], strides=[2, 2], pads=[1] * 4)
    names = ["p", "t", "z", "s", "z"]
    agrees(
        [mean, node("QLinearGlobalAveragePool", names, ["y"], channels_last=1)],
        {"x": x},
        weights | {"t": np.float32(0.12)},
    )


@pytest.mark.parametrize(
    "refused, why",
    [
        (node("Inverse", ["x"], ["y"]), "no operator com.microsoft.Inverse"),
        (node("Attention", ["x", "w"], ["y"], num_heads=2, do_rotary=1), "rotations, and past values"),
    ],
)
def test_what_is_not_known_is_refused(refused: Any, why: str, tmp_path: Path) -> None:
    path = saved(tmp_path, [refused], {"x": floats(1, 4, 4)}, {"w": floats(4, 12)}, refused.output, 17)
    with pytest.raises(InputError, match=why) as failed:
        frontends.from_onnx(path)
    assert "before onnxruntime fused it" in failed.value.todo
