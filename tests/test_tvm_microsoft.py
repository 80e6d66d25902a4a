"""Networks with operators of onnxruntime's own, beside what onnxruntime computes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from forerun.errors import InputError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("tvm")

from forerun.toolchains.onnx.run import session
from forerun.toolchains.tvm import frontends
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

    def checked(nodes: Sequence[Any], inputs: Arrays, weights: Arrays = {}, opset: int = 17) -> None:  # noqa: B006
        path = saved(tmp_path, nodes, inputs, weights, [name for name in nodes[-1].output if name], opset)
        theirs = session(str(path), 1).run(None, dict(inputs))
        for found, expected in zip(ours(path, inputs, target), theirs, strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found.astype(float), expected.astype(float), 1e-4, 2e-5)

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
    old = [helper.make_node("LayerNormalization", ["x", "g", "h"], ["y"], axis=-1, epsilon=1e-3)]
    agrees(old, inputs, weights, opset=15)
    simple = [helper.make_node("SimplifiedLayerNormalization", ["x", "g"], ["y"], axis=2, epsilon=1e-3)]
    agrees(simple, inputs, {"g": weights["g"]})


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


@pytest.mark.parametrize("bits, zeros", [(4, "bytes"), (4, ""), (8, "bytes"), (4, "floats")])
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


def test_attention_with_what_is_past(agrees: Callable[..., None]) -> None:
    weights = {"w": floats(8, 24) / 3, "b": floats(24)}
    inputs = {"x": floats(2, 3, 8), "p": floats(2, 2, 2, 4, 4)}
    told = {"num_heads": 2, "unidirectional": 1, "scale": 0.3}
    agrees([node("Attention", ["x", "w", "b", "", "p"], ["y", "present"], **told)], inputs, weights)
    added = {"x": floats(2, 3, 8), "a": floats(1, 2, 3, 3)}
    agrees([node("Attention", ["x", "w", "b", "", "", "a"], ["y"], num_heads=2)], added, weights)


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
