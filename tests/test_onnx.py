"""Networks: the same structure gives the same text, folds come apart again, counters are those counted by hand."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun import registry
from forerun.errors import InputError, UsageError
from forerun.testing import check_toolchain
from forerun.toolchains.onnx import checked
from forerun.toolchains.onnx import model as proto
from forerun.toolchains.onnx.build import Builder, serialised
from forerun.toolchains.onnx.counts import counters, unsure
from forerun.toolchains.onnx.fold import fold, unfold
from forerun.toolchains.onnx.graph import WIDTHS, Constant, Graph, Node, Value
from forerun.toolchains.onnx.reading import dtype, graph
from forerun.toolchains.onnx.text import flat, operators, text

onnx = pytest.importorskip("onnx")
helper = onnx.helper


def model(
    nodes: list[Any], shapes: dict[str, list[Any]], weights: dict[str, Any], outputs: tuple[str, ...], **more: Any
) -> Any:
    """A model of float32 inputs; weights are arrays, or shapes of zeros."""
    import numpy as np

    inputs = [helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()]
    made = [helper.make_tensor_value_info(name, 1, None) for name in outputs]
    tensors = [
        onnx.numpy_helper.from_array(np.zeros(w, np.float32) if isinstance(w, tuple) else w, name)
        for name, w in weights.items()
    ]
    proto = helper.make_graph(nodes, "g", inputs, made, tensors)
    domains = [helper.make_opsetid("", 17), *(helper.make_opsetid(d, 1) for d in more.get("domains", ()))]
    return helper.make_model(proto, opset_imports=domains, ir_version=8)


def read(made: Any) -> Graph:
    return graph(proto.parse(made.SerializeToString()))


def small(names: str = "abcd", swapped: bool = False) -> Any:
    """Convolution, activation, and a sum with the first, under any names and in two orders."""
    a, b, c, d = names
    nodes = [
        helper.make_node(
            "Conv", [a, "w"], [b], name=f"n{names}", pads=[1, 1, 1, 1], kernel_shape=[3, 3], strides=[1, 1]
        ),
        helper.make_node("Relu", [b], [c]),
        helper.make_node("Sigmoid", [b], [d]),
        helper.make_node("Add", [c, d], ["out"]),
    ]
    if swapped:
        nodes[1], nodes[2] = nodes[2], nodes[1]
    return model(nodes, {a: [1, 8, 4, 4]}, {"w": (16, 8, 3, 3)}, ("out",))


def test_the_text_is_what_its_description_says() -> None:
    assert text(read(small())).split("\n") == [
        "input 1x8x4x4",
        "Conv 16xcx3x3 pads=1 > sx16xsxs Relu",
        "Sigmoid ^2",
        "Add ^2 ^1",
    ]


def test_names_and_the_order_of_the_file_do_not_matter() -> None:
    texts = {
        text(read(small(names, swapped))) for names in ("abcd", "wxyz".replace("w", "v")) for swapped in (False, True)
    }
    assert len(texts) == 1


def test_weights_have_no_values_and_settings_do() -> None:
    import numpy as np

    weights = {
        "w": (16, 8, 3, 3),
        "shape": np.array([1, -1], np.int64),
        "half": np.array(0.5, np.float32),
        "scales": np.array([1, 1, 2, 2], np.float32),
        "table": np.arange(100),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Resize", ["a", "", "scales"], ["b"], mode="linear"),
        helper.make_node("Mul", ["b", "half"], ["c"]),
        helper.make_node("Reshape", ["c", "shape"], ["d"]),
        helper.make_node("Cast", ["table"], ["e"], to=1),
        helper.make_node("Add", ["d", "e"], ["out"]),
    ]
    made = proto.parse(model(nodes, {"x": [1, 8, 4, 4]}, weights, ("d", "e")).SerializeToString())
    found = text(graph(made))
    assert "Resize _ [1,1,2,2] mode=linear > sxsx8x8" in found and " Mul 0.5 " in found
    assert "Reshape [1,-1] > 1x1024" in found and "Cast 100:i64 to=1" in found and found.endswith("output ^2 ^1")
    assert len(made.SerializeToString()) < 1000


def test_symbolic_sizes_have_no_names_and_can_be_set() -> None:
    made = model([helper.make_node("Relu", ["x"], ["out"])], {"x": ["batch", 3, "side", "batch"]}, {}, ("out",))
    assert text(read(made)) == "input ?1x3x?2x?1\nRelu"
    assert proto.symbols(made) == ["batch", "side"]
    with pytest.raises(UsageError, match="batch=1"):
        proto.check_sizes(made)
    with pytest.raises(UsageError, match="no size 'width'"):
        proto.fix(made, {"width": 3})
    fixed = proto.fix(made, {"batch": 2, "side": 5})
    proto.check_sizes(fixed)
    assert text(read(fixed)) == "input 2x3x5x2\nRelu"


def test_an_operator_of_another_domain_has_unknown_shapes() -> None:
    nodes = [
        helper.make_node("Blur", ["x"], ["y"], domain="com.example", radius=2),
        helper.make_node("Relu", ["y"], ["out"]),
    ]
    found = read(model(nodes, {"x": [1, 8]}, {}, ("out",), domains=("com.example",)))
    assert flat(found)[1] == "com.example.Blur radius=2 > ?:?" and flat(found)[2].startswith("Relu")
    assert counters(found)["flops"] == 2.0


def test_functions_are_inlined_and_subgraphs_named_by_their_operators() -> None:
    body = helper.make_function("local", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
                                [helper.make_opsetid("", 17)])  # fmt: skip
    made = model(
        [helper.make_node("Twice", ["x"], ["out"], domain="local")], {"x": [4]}, {}, ("out",), domains=("local",)
    )
    made.functions.append(body)
    assert text(read(made)) == "input 4\nAdd $1"

    def branch(operator: str) -> Any:
        node = helper.make_node(operator, ["x"], ["y"])
        return helper.make_graph([node], "b", [], [helper.make_tensor_value_info("y", 1, [4])])

    chosen = helper.make_node("If", ["which"], ["out"], then_branch=branch("Relu"), else_branch=branch("Tanh"))
    made = model([chosen], {"x": [4]}, {}, ("out",))
    made.graph.input.append(helper.make_tensor_value_info("which", 9, []))
    assert text(read(made)).split("\n")[2] == "If $1 else_branch=Tanh then_branch=Relu > 4"


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 99, b"no model at all", b"\xff" * 50, small().SerializeToString()[:-40]]
)
def test_what_is_no_model_is_said_so(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        graph(proto.load(path))
    assert "no ONNX model, or damaged" in caught.value.what and caught.value.why and caught.value.todo
    with pytest.raises(InputError, match="cannot read"):
        proto.load(tmp_path / "nowhere.onnx")


def test_damaged_graphs_are_refused() -> None:
    with pytest.raises(InputError, match="damaged"):
        read(model([helper.make_node("Relu", ["nothing"], ["out"])], {"x": [4]}, {}, ("out",)))
    twice = [helper.make_node("Relu", ["x"], ["out"]), helper.make_node("Tanh", ["x"], ["out"])]
    with pytest.raises(InputError, match="damaged"):
        read(model(twice, {"x": [4]}, {}, ("out",)))
    with pytest.raises(InputError, match="proper name"):
        text(Graph((Value((4,)), Value((4,))), 1, (Node("2x {", (0,), (1,)),), (1,)))


def test_operators_of_a_set_that_nobody_knows_are_refused() -> None:
    made = model([helper.make_node("Relu", ["x"], ["out"])], {"x": [4]}, {}, ("out",))
    made.opset_import[0].version = onnx.defs.onnx_opset_version()
    assert read(made).nodes[0].operator == "Relu"
    made.opset_import[0].version = 999
    with pytest.raises(InputError, match="opset 999") as caught:
        read(made)
    assert "update onnx" in caught.value.todo


def test_a_file_above_the_limit_of_protobuf_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.truncate(proto.MOST_BYTES + 1)
    with pytest.raises(InputError, match="too large"):
        proto.load(path)


LINES = st.lists(st.sampled_from(["a", "b", "c", "Relu ^2", "Add 5"]), max_size=60)


@given(LINES, st.integers(1, 5), LINES, st.integers(1, 4))
def test_folds_come_apart_again(head: list[str], times: int, block: list[str], outer: int) -> None:
    lines = (head + block * times) * outer + head
    folded = fold(lines)
    assert unfold(folded) == lines and len(folded) <= len(lines) + 2 * len(lines) // 3


def test_blocks_are_folded_also_inside_each_other_and_named_when_they_come_again() -> None:
    cell = ["x", "y", "y", "y", "y", "z"]
    assert fold(cell * 5 + ["-"] + cell * 5) == ["5x {", "x", "4x {", "y", "}", "z", "}", "-", "5x #1"]
    assert fold(["a", "b"]) == ["a", "b"]
    for wrong in (["}"], ["2x {", "a"], ["2x #1"]):
        with pytest.raises(ValueError, match="block"):
            unfold(wrong)
    for mark in ("}", "3x {", "3x #1", "a\nb"):
        with pytest.raises(ValueError, match="mark"):
            fold([mark])


def test_a_long_network_is_folded_quickly() -> None:
    draw = Random(0)
    lines = [draw.choice("abcdefgh") for _ in range(1500)] + list("abcdefgh") * 250
    folded = fold(lines)
    assert unfold(folded) == lines and len(folded) < 1600


def test_operators_are_counted_through_folds() -> None:
    b = Builder((1, 64))
    x = 0
    for _ in range(15):
        x = b.each("Relu", b.linear(x, 64))
    assert text(b.graph()).split("\n") == ["input 1x64", "15x {", "Gemm cxc c transB=1 Relu", "}"]
    assert operators(text(b.graph())) == {"Gemm": 15, "Relu": 15}


def test_the_counters_of_an_image_network() -> None:
    b = Builder((2, 3, 8, 8))
    x = b.conv(0, 16, 3, 2, bias=True)  # 2·16·4·4 = 512 elements of 3·9 products
    x = b.pool("MaxPool", b.each("Relu", b.norm(x)), 2, 2)  # 128 elements of 4
    b.linear(b.global_pool(x), 10)  # 128 elements read; 20 elements of 16 products
    found = counters(b.graph())
    assert found["flops"] == (2 * 512 * 27 + 512) + 2 * 512 + 512 + 128 * 4 + 128 + (2 * 20 * 16 + 20)
    assert found["parameters"] == 16 * 27 + 16 + 4 * 16 + 160 + 10
    assert found["weight_bytes"] == 4 * found["parameters"]
    assert found["activation_bytes"] == 4 * (3 * 512 + 128 + 32 + 32 + 20)
    assert (found["nodes"], found["depth"], found["operators"]) == (7, 7, 7)


def test_paths_are_counted_along_what_can_change_the_output() -> None:
    b = Builder((1, 4, 8, 8))
    dead = b.each("Mul", b.conv(0, 4, 3), Constant((0.0,)))
    deep = b.conv(b.conv(0, 4, 1), 4, 1)
    once = b.each("Add", b.each("Add", dead, deep), 0)
    b.each("Add", once, once)
    found = counters(b.graph())
    assert found["live_parameters"] == 2 * (4 * 4) and found["parameters"] == found["live_parameters"] + 4 * 4 * 9
    assert found["live_flops"] == found["flops"] - 2 * (4 * 64) * 36 - 4 * 64
    assert (found["layers_longest"], found["layers_shortest"], found["layers_mean"]) == (2, 0, 1)
    assert found["paths_log2"] == 2
    b.each("Mul", once, Constant((0.0,)))
    found = counters(b.graph())
    assert found["live_flops"] == found["layers_longest"] == found["paths_log2"] == 0 < found["flops"]


def test_the_counters_of_sequences() -> None:
    b = Builder((5, 2, 8))
    weights = (b.weight(1, 64, 8), b.weight(1, 64, 16), b.weight(1, 128))
    b.node("LSTM", (0, *weights), (5, 1, 2, 16), hidden_size=16)
    assert counters(b.graph())["flops"] == 2 * 5 * 2 * 64 * (8 + 16)
    b = Builder((2, 4, 6))
    x = b.each("Softmax", b.matmul(0, b.transpose(0, 0, 2, 1)))
    b.node("Sum", (x, x, x), (2, 4, 4))
    found = counters(b.graph())
    assert found["flops"] == 2 * 32 * 6 + 5 * 32 + 2 * 32 and found["depth"] == 4
    b = Builder((1, 4, 3, 3))
    b.node("ConvTranspose", (0, b.weight(4, 2, 2, 2)), (1, 2, 6, 6), strides=(2, 2))
    assert counters(b.graph())["flops"] == 2 * 36 * 8
    b = Builder((1, 6))
    b.node("Strange", (0,), (1, 7))
    assert counters(b.graph())["flops"] == 7


def test_products_by_other_names_are_counted() -> None:
    b = Builder((8, 4, 6), (8, 6, 5))
    b.node("Einsum", (0, 1), (8, 4, 5), equation="bij,bjk->bik")
    assert counters(b.graph())["flops"] == 2 * 8 * 4 * 6 * 5
    b = Builder((4, 6), dtype="u8")
    b.node("MatMulInteger", (0, b.weight(6, 5)), (4, 5))
    assert counters(b.graph())["flops"] == 2 * 4 * 6 * 5
    b = Builder((1, 3, 8, 8), dtype="u8")
    scales = (Constant((0.1,)), Constant((0,), dtype="u8"))
    b.node("QLinearConv", (0, *scales, b.weight(16, 3, 3, 3), *scales, *scales), (1, 16, 6, 6))
    assert counters(b.graph())["flops"] == 2 * 16 * 36 * 27


def test_operators_of_unknown_cost_are_told_with_what_they_may_take() -> None:
    b = Builder((1, 3, 64, 64))
    b.node("Resize", (0, None, Constant((1.0, 1.0, 4.0, 4.0), (4,))), (1, 3, 256, 256), mode="cubic")
    assert unsure(b.graph()) == {"Resize": pytest.approx(3 * 256 * 256 * 1e-7)}
    b = Builder((1, 3, 64, 64))
    b.node("Resize", (0, None, Constant((1.0, 1.0, 4.0, 4.0), (4,))), (1, 3, 256, 256))
    assert unsure(b.graph()) == {}, "the nearest ones are only moved"
    for name, size, seconds in (("TopK", 5, 1e-4), ("Loop", 1000, math.inf), ("Expand", 1000, None)):
        b = Builder((1000,))
        b.node(name, (0,), (size,))
        assert unsure(b.graph()) == ({} if seconds is None else {name: pytest.approx(seconds)})


def test_models_that_would_not_run_are_known(tmp_path: Path) -> None:
    def faults(made: Any) -> str:
        return "; ".join(checked.faults(proto.parse(made.SerializeToString())))

    twice = [helper.make_node("Relu", ["x"], ["a"], name="n"), helper.make_node("Relu", ["a"], ["y"], name="n")]
    assert faults(small()) == "" and faults(model(twice, {"x": [2]}, {}, ("y",))) == "2 nodes have the name 'n'"
    assert "input size 1" in faults(model([helper.make_node("MatMul", ["x"], ["y"])], {"x": [2, 2]}, {}, ("y",)))
    here = helper.make_tensor_value_info("here", onnx.TensorProto.BOOL, [])
    made, weight = (helper.make_tensor_value_info("y", 1, [2]), helper.make_tensor("w", 1, [2], [1.0, 2.0]))
    way = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "way", [], [made], [weight])
    node = helper.make_node("If", ["here"], ["y"], then_branch=way, else_branch=way)
    branches = model([node], {"x": [2]}, {}, ("y",))
    branches.graph.input.append(here)
    assert faults(branches) == "", "weights of branches have no values either"
    onnx.save(small(), tmp_path / "a.onnx", save_as_external_data=True, location="a.data", size_threshold=0)
    assert checked.missing(tmp_path / "a.onnx") == []
    (tmp_path / "a.data").unlink()
    assert checked.missing(tmp_path / "a.onnx") == ["a.data"]


def test_a_weight_that_is_used_twice_is_counted_once() -> None:
    b = Builder((1, 8))
    w = b.weight(8, 8)
    b.node("MatMul", (b.node("MatMul", (0, w), (1, 8)), w), (1, 8))
    assert counters(b.graph())["parameters"] == 64
    assert counters(read(onnx.ModelProto.FromString(serialised(b.graph()))))["parameters"] == 64


def test_nodes_that_nothing_uses_are_left_out() -> None:
    b = Builder((1, 8), (1, 8))
    kept = b.each("Relu", 0)
    b.each("Tanh", kept)
    assert text(b.graph(kept)) == "input 1x8\ninput 1x8\nRelu $1"
    assert text(b.graph(kept, kept)).endswith("output ^1 ^1")


def test_other_element_types_are_written() -> None:
    g = Graph((Value((2,), "i64"), Value((2,), "f16")), 1, (Node("Cast", (0,), (1,), (("to", 10),)),), (1,))
    assert text(g) == "input 2:i64\nCast to=10 > s:f16"
    assert read(onnx.ModelProto.FromString(serialised(g))) == g
    shown = dataclasses.replace(g, nodes=(Node("Pad", (0, Constant((True, "a b"), (2, 1), "str")), (1,)),))
    assert '[true,"a\\u0020b"]@2x1:str' in text(shown)


def test_every_element_type_of_onnx_has_a_width() -> None:
    assert {dtype(number) for number in onnx.TensorProto.DataType.values()} <= set(WIDTHS)


def test_the_toolchain_keeps_the_laws() -> None:
    check_toolchain(registry.find("toolchains", "onnx")())
