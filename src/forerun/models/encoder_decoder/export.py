"""The network as two ONNX graphs: the encoder with the decoder's keys and values, and one step of the decoder.

They are written operator by operator, as `network.py` computes, from the weights and the sizes: in milliseconds, where
tracing and decomposing the modules takes half a minute. The second keeps the embeddings once more, so that each graph
stands alone. Weights become 8-bit where that is asked for: matrices by channel, activations as they come (dynamic
quantisation).

Axes are named as there; G heads share a key-value head, and N blocks of a row of sources lie along B.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import helper, numpy_helper

from forerun.files import write_atomically
from forerun.models.encoder_decoder.checksums import DECODER, ENCODER
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.network import Network

_OPSET, _IR = 20, 10
"""What onnxruntime 1.20 reads."""
LARGEST = 2**31 - 2**20
"""Bytes of weights: what protobuf writes is smaller than 2 GiB."""
_NOWHERE = -1e30
"""Added to the logit of a place where a query may not look."""

Weights = Mapping[str, NDArray[np.float32]]
Shape = Sequence[str | int]


def export(network: Network, folder: Path, *, int8: bool = False) -> None:
    """Writes both graphs into a folder; none of a network that is too large for them, which only PyTorch runs."""
    plain = network.to("cpu").float().folded()
    weights = {name: tensor.detach().numpy() for name, tensor in plain.state_dict().items()}
    if sum(weight.nbytes for weight in weights.values()) > LARGEST:
        return
    for name, made in ((ENCODER, encoder(plain.config, weights)), (DECODER, step(plain.config, weights))):
        content = made.SerializeToString()
        write_atomically(folder / name, quantised(content) if int8 else content)


def encoder(config: Config, weights: Weights) -> onnx.ModelProto:
    """`ids` and `segments` `[B, S]`, S a multiple of the window, to `keys` and `values` `[L, B, K, S, C]`."""
    graph = _Graph(config, weights)
    x_BSD = graph.embedded("ids", config.vocabulary)
    place_S11 = graph.reshaped(graph("Cast", graph.places("ids", 1), to=onnx.TensorProto.FLOAT), (-1, 1, 1))
    bases = {True: config.rope_base, False: config.rope_base_global or config.rope_base}
    kinds = [(i + 1) % config.global_every != 0 for i in range(config.layers)]
    ropes = {local: graph.rope(place_S11, bases[local]) for local in set(kinds)}
    masks = {local: graph.near("segments") if local else graph.same("segments") for local in set(kinds)}
    shape_3 = graph("Concat", graph("Shape", "ids"), graph.integers(config.heads * config.head_width), axis=0)
    for i, local in enumerate(kinds):
        name = f"encoder.{i}"
        inner = graph.norm(x_BSD, f"{name}.pre_self_attn_layernorm")
        queries, keys = (graph.rotated(graph.heads(inner, f"{name}.self_attn", which), ropes[local]) for which in "qk")
        values = graph.heads(inner, f"{name}.self_attn", "v")
        found = graph.attention(queries, keys, values, masks[local], config.window if local else 0)
        found = graph.projected(graph("Reshape", found, shape_3), f"{name}.self_attn.o_proj")
        x_BSD = graph("Add", x_BSD, graph.norm(found, f"{name}.post_self_attn_layernorm"))
        x_BSD = graph.fed_forward(x_BSD, name)
    states = graph.norm(x_BSD, "encoder_norm")
    crossing = [f"decoder.{j}.cross_attn" for j in range(config.decoder_layers)]
    pairs = {which: [graph.heads(states, name, which) for name in crossing] for which in "kv"}
    for name, each in zip(("keys", "values"), pairs.values(), strict=True):
        graph.stacked([graph("Transpose", x, perm=(0, 2, 1, 3)) for x in each], name)
    kept = (config.decoder_layers, "rows", config.kv_heads, "tokens", config.head_width)
    source = ("rows", "tokens")
    return graph.model("encoder", {"ids": source, "segments": source}, {"keys": kept, "values": kept})


def step(config: Config, weights: Weights) -> onnx.ModelProto:
    """One further token `ids` `[B, R]` of each answer, with the memory and what is cached, to `logits` `[B, R, V]` and
    the longer cache. What the decoder cannot write is left out."""
    graph, known = _Graph(config, weights), config.answer_tokens or config.vocabulary
    heads, kv, width = config.heads, config.kv_heads, config.head_width
    x_BRD = graph.embedded("ids", known)
    written = graph("Cast", graph("Shape", "past_keys", start=4, end=5), to=onnx.TensorProto.FLOAT)
    rope = graph.rope(written, config.rope_base)
    asked = graph("Equal", graph.unsqueezed("segments", 1, 2), graph.integers([1]))
    mask_B11S = graph.bias(asked)
    grown = dict[str, list[str]](k=[], v=[])
    for j in range(config.decoder_layers):
        name = f"decoder.{j}"
        inner = graph.norm(x_BRD, f"{name}.pre_self_attn_layernorm")
        queries, new_keys = (graph.rotated(graph.heads(inner, f"{name}.self_attn", which), rope) for which in "qk")
        new = {"k": new_keys, "v": graph.heads(inner, f"{name}.self_attn", "v")}
        for which, past in (("k", "past_keys"), ("v", "past_values")):
            both = graph("Concat", graph.layer(past, j), graph.unsqueezed(new[which], 3), axis=3)
            grown[which].append(both)
        queries = graph.reshaped(queries, (0, 0, kv, heads // kv, width))
        keys_BRKCT = graph("Transpose", grown["k"][-1], perm=(0, 1, 2, 4, 3))
        found = graph.reshaped(graph.looked(queries, keys_BRKCT, grown["v"][-1]), (0, 0, heads * width))
        found = graph.projected(found, f"{name}.self_attn.o_proj")
        x_BRD = graph("Add", x_BRD, graph.norm(found, f"{name}.post_self_attn_layernorm"))

        inner = graph.norm(x_BRD, f"{name}.pre_cross_attn_layernorm")
        queries = graph.reshaped(graph.heads(inner, f"{name}.cross_attn", "q"), (0, 0, kv, heads // kv, width))
        queries = graph.reshaped(graph("Transpose", queries, perm=(0, 2, 1, 3, 4)), (0, 0, -1, width))
        keys_BKCS = graph("Transpose", graph.layer("keys", j), perm=(0, 1, 3, 2))
        found = graph.looked(queries, keys_BKCS, graph.layer("values", j), mask_B11S)
        found = graph("Transpose", graph.reshaped(found, (0, 0, -1, heads // kv, width)), perm=(0, 2, 1, 3, 4))
        found = graph.projected(graph.reshaped(found, (0, 0, heads * width)), f"{name}.cross_attn.o_proj")
        x_BRD = graph("Add", x_BRD, graph.norm(found, f"{name}.post_cross_attn_layernorm"))
        x_BRD = graph.fed_forward(x_BRD, name)
    graph.scored(graph.norm(x_BRD, "decoder_norm"), "ids", known, "logits")
    graph.stacked(grown["k"], "new_keys")
    graph.stacked(grown["v"], "new_values")
    memory = (config.decoder_layers, "rows", kv, "tokens", width)
    before, after = ((config.decoder_layers, "rows", "answers", kv, t, width) for t in ("written", "written + 1"))
    asked_of = {"ids": ("rows", "answers"), "keys": memory, "values": memory, "segments": ("rows", "tokens")}
    given = {"logits": ("rows", "answers", known), "new_keys": after, "new_values": after}
    return graph.model("step", asked_of | {"past_keys": before, "past_values": before}, given)


class _Graph:
    """Operators in order. Called with an operator and the names of its inputs it gives the name of its output."""

    def __init__(self, config: Config, weights: Weights) -> None:
        self.config, self.weights = config, weights
        self._nodes = list[onnx.NodeProto]()
        self._arrays = dict[str, NDArray[Any]]()

    def __call__(self, operator: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def array(self, name: str, value: ArrayLike) -> str:
        """A constant."""
        self._arrays[name] = np.asarray(value)
        return name

    def integers(self, *values: Any) -> str:
        """`[n]` of them, or what one array holds."""
        return self.array(f"integers {values}", np.asarray(values, np.int64).reshape(-1))

    def number(self, value: float) -> str:
        """A scalar."""
        return self.array(f"number {value!r}", np.float32(value))

    def reshaped(self, x: str, shape: Sequence[int]) -> str:
        """A size of 0 stays what it is."""
        return self("Reshape", x, self.integers(*shape))

    def unsqueezed(self, x: str, *axes: int) -> str:
        """With axes of size 1."""
        return self("Unsqueeze", x, self.integers(*axes))

    def layer(self, x: str, index: int) -> str:
        """One of those that are stacked."""
        if self.config.decoder_layers == 1:
            return self("Squeeze", x, self.integers(0))
        return self("Gather", x, self.array(f"layer {index}", np.int64(index)), axis=0)

    def stacked(self, parts: Sequence[str], name: str) -> str:
        """Along a new first axis."""
        return self("Concat", *(self.unsqueezed(x, 0) for x in parts), axis=0, out=name)

    def embedded(self, ids: str, known: int) -> str:
        """`[..., D]`."""
        found = self("Gather", self._table(known), ids, axis=0)
        return self("Mul", found, self.number(math.sqrt(self.config.width)))

    def scored(self, states: str, ids: str, known: int, name: str) -> str:
        """`[B, R, V]`, by the table that tokens are looked up in."""
        flat = self("Gemm", self.reshaped(states, (-1, self.config.width)), self._table(known), transB=1)
        shape = self("Concat", self("Shape", ids), self.integers(known), axis=0)
        return self("Reshape", flat, shape, allowzero=1, out=name)

    def _table(self, known: int) -> str:
        return self.array("embed_tokens.weight", self.weights["embed_tokens.weight"][:known])

    def norm(self, x: str, name: str, by: float = 1.0) -> str:
        """RMSNorm over the last axis, times a number."""
        mean = self("ReduceMean", self("Pow", x, self.number(2.0)), self.integers(-1))
        root = self("Sqrt", self("Add", mean, self.number(self.config.norm_epsilon)))
        return self(
            "Mul", self("Div", x, root), self.array(f"{name}.weight", (1 + self.weights[f"{name}.weight"]) * by)
        )

    def projected(self, x: str, name: str, by: float = 1.0) -> str:
        """By the matrix of a linear layer, times a number."""
        return self("MatMul", x, self.array(f"{name}.weight", self.weights[f"{name}.weight"].T * by))

    def fed_forward(self, x: str, name: str) -> str:
        """The feed-forward block of a layer, with what goes around it."""
        inner = self.norm(x, f"{name}.pre_feedforward_layernorm")
        gate, up = (self.projected(inner, f"{name}.mlp.{which}_proj") for which in ("gate", "up"))
        found = self.projected(self("Mul", self("Gelu", gate, approximate="tanh"), up), f"{name}.mlp.down_proj")
        return self("Add", x, self.norm(found, f"{name}.post_feedforward_layernorm"))

    def heads(self, x: str, attention: str, which: str) -> str:
        """Queries `[..., H, C]`, divided as logits are to be, keys or values `[..., K, C]`."""
        config, normed = self.config, self.config.qk_norm and which != "v"
        by = (config.query_scalar or config.head_width) ** -0.5 if which == "q" else 1.0
        count = config.heads if which == "q" else config.kv_heads
        found = self.projected(x, f"{attention}.{which}_proj", 1.0 if normed else by)
        found = self.reshaped(found, (0, 0, count, config.head_width))
        return self.norm(found, f"{attention}.{which}_norm", by) if normed else found

    def places(self, x: str, axis: int) -> str:
        """0, 1, … as many as an axis is long."""
        size = self("Squeeze", self("Shape", x, start=axis, end=axis + 1))
        zero, one = (self.array(f"integer {i}", np.int64(i)) for i in (0, 1))
        return self("Range", zero, size, one)

    def rope(self, places: str, base: float) -> tuple[str, str]:
        """Cosines and sines of rotary positions for `rotated`."""
        width = self.config.head_width
        steps = np.float32(base) ** (-np.arange(0, width, 2, dtype=np.float32) / width)
        angles = self("Mul", places, self.array(f"steps {base}", np.concatenate((steps, steps)).astype(np.float32)))
        signs = self.array("signs", np.repeat(np.array((-1, 1), np.float32), width // 2))
        return self("Cos", angles), self("Mul", self("Sin", angles), signs)

    def rotated(self, x: str, rope: tuple[str, str]) -> str:
        """The first and the second half of the last axis are the axes of its planes."""
        half = self.config.head_width // 2
        left, right = (self.sliced(x, -1, *ends) for ends in ((0, half), (half, 2 * half)))
        turned = self("Concat", right, left, axis=-1)
        return self("Add", self("Mul", x, rope[0]), self("Mul", turned, rope[1]))

    def sliced(self, x: str, axis: int, begin: int, end: int) -> str:
        """From `begin` to before `end`."""
        return self("Slice", x, *map(self.integers, (begin, end, axis)))

    def attention(self, queries: str, keys: str, values: str, mask: str, window: int) -> str:
        """Of the encoder: `[B, S, H, C]` and twice `[B, S, K, C]` to `[B, S, K, G, C]`. Where there is a window each
        block of so many tokens looks at itself and at those beside it: to `[BN, W, K, G, C]`."""
        heads, kv, width = self.config.heads, self.config.kv_heads, self.config.head_width
        begin = (-1, window) if window else (0, 0)
        queries = self("Transpose", self.reshaped(queries, (*begin, kv, heads // kv, width)), perm=(0, 2, 3, 1, 4))
        if window:
            keys, values = (self.beside(x, (kv, width)) for x in (keys, values))
        keys, values = (self.unsqueezed(x, 3) for x in (keys, values))
        keys, values = self("Transpose", keys, perm=(0, 2, 3, 4, 1)), self("Transpose", values, perm=(0, 2, 3, 1, 4))
        return self("Transpose", self.looked(queries, keys, values, mask), perm=(0, 3, 1, 2, 4))

    def looked(self, queries: str, keys: str, values: str, mask: str = "") -> str:
        """`[..., T, C]`, `[..., C, S]` and `[..., S, C]` to `[..., T, C]`; the mask is added to the logits."""
        logits, cap = self("MatMul", queries, keys), self.config.softcap
        if cap:
            logits = self("Mul", self("Tanh", self("Div", logits, self.number(cap))), self.number(cap))
        if mask:
            logits = self("Add", logits, mask)
        return self("MatMul", self("Softmax", logits, axis=-1), values)

    def beside(self, x: str, rest: tuple[int, ...], past: float = 0.0) -> str:
        """`[B, S, …]` to `[BN, 3W, …]`: each block with the one before and the one after it."""
        window, none = self.config.window, [0] * len(rest)
        value = self.number(past) if rest else self.array("nobody's", np.int64(past))
        padded = self("Pad", x, self.integers(0, window, *none, 0, window, *none), value)
        blocks = self.reshaped(padded, (0, -1, window, *rest))
        parts = (self.sliced(blocks, 1, *ends) for ends in ((0, -2), (1, -1), (2, np.iinfo(np.int64).max)))
        return self.reshaped(self("Concat", *parts, axis=2), (-1, 3 * window, *rest))

    def same(self, segments: str) -> str:
        """`[B, 1, 1, S, S]` for tokens of one source."""
        return self.bias(self("Equal", self.unsqueezed(segments, 1, 2, 4), self.unsqueezed(segments, 1, 2, 3)))

    def near(self, segments: str) -> str:
        """`[BN, 1, 1, W, 3W]` for those that are no further apart than a window. Past the ends is no segment."""
        window, before = self.config.window, self.config.window_before
        apart = np.arange(3 * window) - window - np.arange(window)[:, None]
        band = (apart >= -(window if before is None else before)) & (apart <= window)
        ours, theirs = self.reshaped(segments, (-1, 1, 1, window, 1)), self.beside(segments, (), -1)
        same = self("Equal", ours, self.unsqueezed(theirs, 1, 2, 3))
        return self.bias(self("And", same, self.array("band", band)))

    def bias(self, mask: str) -> str:
        """What is added to logits."""
        return self("Where", mask, self.number(0.0), self.number(_NOWHERE))

    def model(self, name: str, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]) -> onnx.ModelProto:
        """The graph, checked."""
        given, made = ([_value(of, shape) for of, shape in group.items()] for group in (inputs, outputs))
        arrays = [numpy_helper.from_array(value, of) for of, value in self._arrays.items()]
        graph = helper.make_graph(self._nodes, name, given, made, arrays)
        opset = helper.make_opsetid("", _OPSET)
        found = helper.make_model(graph, opset_imports=[opset], ir_version=_IR, producer_name="forerun")
        onnx.checker.check_model(found)
        return found


def _value(name: str, shape: Shape) -> onnx.ValueInfoProto:
    whole = name in ("ids", "segments")
    return helper.make_tensor_value_info(name, onnx.TensorProto.INT64 if whole else onnx.TensorProto.FLOAT, shape)


def quantised(graph: bytes) -> bytes:
    """With 8-bit matrices."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as place:
        plain, prepared, small = (Path(place) / f"{name}.onnx" for name in ("plain", "prepared", "small"))
        plain.write_bytes(graph)
        quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(str(prepared), str(small), weight_type=QuantType.QInt8, per_channel=True)
        return small.read_bytes()
