"""Families of networks as published, their sizes drawn at random: what `onnx_models` makes its samples of.

Each function gives a topology, the choices that change more than sizes, and the network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random

from forerun.corpora import nasbench
from forerun.toolchains.onnx.build import Builder
from forerun.toolchains.onnx.graph import Constant, Graph

Drawn = tuple[str, Graph]
_WIDTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
_SIDES = (16, 24, 32, 48, 64, 96, 112)
_BATCHES = (1, 1, 1, 2, 4, 8)


def _image(draw: Random) -> Builder:
    side = draw.choice(_SIDES)
    return Builder((draw.choice(_BATCHES), 3, side, side))


def _act(b: Builder, x: int, kind: str) -> int:
    if kind == "Clip":
        return b.each("Clip", x, Constant((0.0,)), Constant((6.0,)))
    if kind == "Gelu":
        return _gelu(b, x)
    return b.each(kind, x)


def _gelu(b: Builder, x: int) -> int:
    """x Φ(x) with the error function (Hendrycks and Gimpel 2016), as exporters write it."""
    erf = b.each("Erf", b.each("Div", x, Constant((math.sqrt(2),))))
    return b.each("Mul", b.each("Mul", x, b.each("Add", erf, Constant((1.0,)))), Constant((0.5,)))


def mlp(draw: Random) -> Drawn:
    """Layers of one width."""
    depth, kind, normed = draw.randint(1, 8), draw.choice(("Relu", "Sigmoid", "Tanh", "Gelu")), draw.random() < 0.3
    b = Builder((draw.choice((1, 4, 16, 64, 256)), draw.choice((16, 64, 100, 256, 784))))
    x, width = 0, draw.choice((16, 32, 64, 100, 128, 256, 512, 1024))
    for _ in range(depth):
        x = b.linear(x, width)
        x = _act(b, b.norm(x) if normed else x, kind)
    b.linear(x, draw.choice((1, 10, 100)))
    return f"{depth}-{kind}-{normed:d}", b.graph()


def cnn(draw: Random) -> Drawn:
    """Plain convolutions and pooling (Simonyan and Zisserman 2014)."""
    stages, each, kernel = draw.randint(1, 4), draw.randint(1, 3), draw.choice((3, 3, 5))
    normed, pool, b = draw.random() < 0.5, draw.choice(("MaxPool", "AveragePool")), _image(draw)
    x, width = 0, draw.choice(_WIDTHS[:7])
    for stage in range(stages):
        for _ in range(each):
            x = b.conv(x, width << stage, kernel, bias=not normed)
            x = b.each("Relu", b.norm(x) if normed else x)
        x = b.pool(pool, x, 2, 2)
    b.linear(b.global_pool(x), draw.choice((10, 100)))
    return f"{stages}x{each}-k{kernel}-{pool}-{normed:d}", b.graph()


def residual(draw: Random) -> Drawn:
    """Basic and bottleneck blocks (He et al. 2015)."""
    stages, each, narrow = draw.randint(1, 4), draw.randint(1, 4), draw.random() < 0.4
    b, width = _image(draw), draw.choice(_WIDTHS[:6])
    x = b.each("Relu", b.norm(b.conv(0, width, 3, draw.choice((1, 2)))))
    for stage in range(stages):
        for block in range(each):
            stride = 2 if stage and not block else 1
            x = _block(b, x, width << stage, stride, narrow)
    b.linear(b.global_pool(x), draw.choice((10, 100, 1000)))
    return f"{stages}x{each}-{'narrow' if narrow else 'basic'}", b.graph()


def _block(b: Builder, x: int, width: int, stride: int, narrow: bool) -> int:
    out = 4 * width if narrow else width
    steps = ((1, 1, width), (3, stride, width), (1, 1, out)) if narrow else ((3, stride, width), (3, 1, out))
    y = x
    for i, (kernel, step, channels) in enumerate(steps):
        y = b.norm(b.conv(b.each("Relu", y) if i else y, channels, kernel, step))
    same = stride == 1 and b.shape(x)[1] == out
    return b.each("Relu", b.each("Add", y, x if same else b.norm(b.conv(x, out, 1, stride))))


def mobile(draw: Random) -> Drawn:
    """Inverted residuals with depthwise convolutions (Sandler et al. 2018), perhaps squeezed (Hu et al. 2018)."""
    stages, each, expand = draw.randint(1, 4), draw.randint(1, 3), draw.choice((1, 3, 4, 6))
    kernel, kind, squeezed = draw.choice((3, 5)), draw.choice(("Clip", "HardSwish", "Relu")), draw.random() < 0.4
    b, width = _image(draw), draw.choice(_WIDTHS[:5])
    x = _act(b, b.norm(b.conv(0, width, 3, 2)), kind)
    for stage in range(stages):
        for block in range(each):
            y = _inverted(b, x, (width * (2 + stage)) // 2, 1 if block else 2, expand, kernel, kind, squeezed)
            x = b.each("Add", x, y) if b.shape(x) == b.shape(y) else y
    b.linear(b.global_pool(x), draw.choice((10, 100, 1000)))
    return f"{stages}x{each}-e{expand}-k{kernel}-{kind}-{squeezed:d}", b.graph()


def _inverted(b: Builder, x: int, out: int, stride: int, expand: int, kernel: int, kind: str, squeezed: bool) -> int:
    inner = b.shape(x)[1] * expand
    y = _act(b, b.norm(b.conv(x, inner, 1)), kind) if expand > 1 else x
    y = _act(b, b.norm(b.conv(y, inner, kernel, stride, groups=inner)), kind)
    y = _squeezed(b, y) if squeezed else y
    return b.norm(b.conv(y, out, 1))


def _squeezed(b: Builder, x: int) -> int:
    n, c, *_ = b.shape(x)
    pooled = b.node("GlobalAveragePool", (x,), (n, c, 1, 1))
    gate = b.conv(b.each("Relu", b.conv(pooled, max(1, c // 4), 1, bias=True)), c, 1, bias=True)
    return b.each("Mul", x, b.each("Sigmoid", gate))


def transformer(draw: Random) -> Drawn:
    """Encoder layers (Vaswani et al. 2017), normalised before or after."""
    layers, before, kind = draw.randint(1, 6), draw.random() < 0.5, draw.choice(("Relu", "Gelu"))
    heads, wider = draw.choice((1, 2, 4, 8)), draw.choice((2, 4))
    width = heads * draw.choice((8, 16, 32, 64))
    b = Builder((draw.choice((1, 1, 2, 4)), draw.choice((8, 16, 32, 64, 128, 196, 256)), width))
    x = 0
    for _ in range(layers):
        y = b.each("Add", x, _attention(b, b.layer_norm(x) if before else x, heads, heads))
        x = y if before else b.layer_norm(y)
        hidden = _act(b, b.linear(b.layer_norm(x) if before else x, wider * width), kind)
        y = b.each("Add", x, b.linear(hidden, width))
        x = y if before else b.layer_norm(y)
    return f"{layers}-{'pre' if before else 'post'}-{kind}-{heads}h-{wider}", b.graph()


def attention(draw: Random) -> Drawn:
    """Attention alone, keys and values shared by some heads (Shazeer 2019), one layer or two."""
    layers, heads = draw.randint(1, 2), draw.choice((1, 2, 4, 8, 12))
    shared = draw.choice([k for k in (1, 2, 4, 8, 12) if heads % k == 0])
    steps, width = draw.choice((8, 16, 32, 48, 64, 100, 128, 256, 384)), heads * draw.choice((8, 16, 32, 64))
    b, x = Builder((draw.choice((1, 2, 4)), steps, width)), 0
    for _ in range(layers):
        x = _attention(b, x, heads, shared)
    return f"{layers}-{heads}h-{shared}kv", b.graph()


def _attention(b: Builder, x: int, heads: int, shared: int) -> int:
    """`[N, T, D]`; each of `shared` keys and values serves `heads / shared` queries."""
    n, t, d = b.shape(x)
    size, group = d // heads, heads // shared

    def split(y: int, count: int, *order: int) -> int:
        return b.transpose(b.reshape(y, n, t, count, size), *order)

    query = split(b.linear(x, d), heads, 0, 2, 1, 3)
    query = b.reshape(query, n, shared, group * t, size) if group > 1 else query
    scores = b.matmul(query, split(b.linear(x, shared * size), shared, 0, 2, 3, 1))
    weights = b.each("Softmax", b.each("Div", scores, Constant((math.sqrt(size),))))
    mixed = b.matmul(weights, split(b.linear(x, shared * size), shared, 0, 2, 1, 3))
    mixed = b.reshape(mixed, n, heads, t, size) if group > 1 else mixed
    return b.linear(b.reshape(b.transpose(mixed, 0, 2, 1, 3), n, t, d), d)


def recurrent(draw: Random) -> Drawn:
    """Layers of GRU (Cho et al. 2014) or LSTM (Hochreiter and Schmidhuber 1997), one way or both."""
    layers, kind, ways = draw.randint(1, 3), draw.choice(("GRU", "LSTM")), draw.choice((1, 2))
    steps, batch = draw.choice((4, 8, 16, 32, 50, 64, 100)), draw.choice((1, 1, 4, 16))
    b, hidden, x = Builder((steps, batch, draw.choice((8, 16, 32, 64, 128)))), draw.choice((16, 32, 64, 128, 256)), 0
    for _ in range(layers):
        x = _cells(b, x, kind, hidden, ways)
    last = b.node("Gather", (x, Constant((-1,), (), "i64")), (batch, ways * hidden))
    b.linear(last, draw.choice((1, 10, 100)))
    return f"{layers}-{kind}-{ways}", b.graph()


def _cells(b: Builder, x: int, kind: str, hidden: int, ways: int) -> int:
    steps, batch, width = b.shape(x)
    gates = {"GRU": 3, "LSTM": 4}[kind] * hidden
    weights = (b.weight(ways, gates, width), b.weight(ways, gates, hidden), b.weight(ways, 2 * gates))
    direction = {"direction": "bidirectional"} if ways > 1 else {}
    y = b.node(kind, (x, *weights), (steps, ways, batch, hidden), hidden_size=hidden, **direction)
    return b.reshape(b.transpose(y, 0, 2, 1, 3), steps, batch, ways * hidden)


def unet(draw: Random) -> Drawn:
    """Down and up again with what was seen on the way (Ronneberger et al. 2015)."""
    levels, each, learned = draw.randint(1, 3), draw.randint(1, 2), draw.random() < 0.5
    side = draw.choice((32, 48, 64, 96))
    b, width, x = Builder((draw.choice((1, 1, 2)), draw.choice((1, 3)), side, side)), draw.choice(_WIDTHS[:5]), 0
    seen = []
    for level in range(levels):
        x = _convs(b, x, width << level, each)
        seen.append(x)
        x = b.pool("MaxPool", x, 2, 2)
    x = _convs(b, x, width << levels, each)
    for level in reversed(range(levels)):
        x = _convs(b, b.concat(seen[level], _doubled(b, x, width << level, learned)), width << level, each)
    b.conv(x, draw.choice((1, 2, 21)), 1, bias=True)
    return f"{levels}x{each}-{'transposed' if learned else 'resized'}", b.graph()


def _convs(b: Builder, x: int, width: int, each: int) -> int:
    for _ in range(each):
        x = b.each("Relu", b.norm(b.conv(x, width, 3)))
    return x


def _doubled(b: Builder, x: int, width: int, learned: bool) -> int:
    n, c, h, w = b.shape(x)
    if learned:
        weights = (b.weight(c, width, 2, 2), b.weight(width))
        return b.node("ConvTranspose", (x, *weights), (n, width, 2 * h, 2 * w), strides=(2, 2))
    scales = Constant((1.0, 1.0, 2.0, 2.0), (4,))
    return b.conv(b.node("Resize", (x, None, scales), (n, c, 2 * h, 2 * w)), width, 1)


def dense(draw: Random) -> Drawn:
    """Every layer reads all before it (Huang et al. 2016)."""
    stages, each = draw.randint(1, 3), draw.randint(2, 6)
    b, grow = _image(draw), draw.choice((4, 8, 12, 16, 24, 32))
    x = b.conv(0, 2 * grow, 3, 2)
    for stage in range(stages):
        x = b.pool("AveragePool", b.conv(b.each("Relu", b.norm(x)), b.shape(x)[1] // 2, 1), 2, 2) if stage else x
        for _ in range(each):
            y = b.conv(b.each("Relu", b.norm(x)), 4 * grow, 1)
            x = b.concat(x, b.conv(b.each("Relu", b.norm(y)), grow, 3))
    b.linear(b.global_pool(b.each("Relu", b.norm(x))), draw.choice((10, 100)))
    return f"{stages}x{each}", b.graph()


def mixer(draw: Random) -> Drawn:
    """Dense layers across places, then across channels (Tolstikhin et al. 2021)."""
    layers, patch = draw.randint(1, 8), draw.choice((4, 8))
    side, width, n = draw.choice((16, 32, 48, 64)), draw.choice((16, 32, 64, 128, 256)), draw.choice((1, 1, 2, 4))
    b, places = Builder((n, 3, side, side)), (side // patch) ** 2
    patches = b.node("Conv", (0, b.weight(width, 3, patch, patch), b.weight(width)),
                     (n, width, side // patch, side // patch), strides=(patch, patch))  # fmt: skip
    x = b.transpose(b.reshape(patches, n, width, places), 0, 2, 1)
    for _ in range(layers):
        y = b.linear(_gelu(b, b.linear(b.transpose(b.layer_norm(x), 0, 2, 1), 2 * places)), places)
        x = b.each("Add", x, b.transpose(y, 0, 2, 1))
        x = b.each("Add", x, b.linear(_gelu(b, b.linear(b.layer_norm(x), 4 * width)), width))
    return f"{layers}-p{patch}", b.graph()


def nas_cell(draw: Random) -> Drawn:
    """Cells of NAS-Bench-201 at several widths, depths and resolutions."""
    operators = [draw.choice(nasbench.OPERATORS) for _ in range(6)]
    architecture = nasbench.spelled((tuple(operators[:1]), tuple(operators[1:3]), tuple(operators[3:])))
    side, width, depth = draw.choice((16, 24, 32, 48)), draw.choice((4, 8, 12, 16, 24)), draw.randint(1, 4)
    return architecture, nasbench.network(architecture, draw.choice((1, 1, 2)), side, 10, width, depth)


FAMILIES: Mapping[str, Callable[[Random], Drawn]] = {
    f.__name__: f for f in (mlp, cnn, residual, mobile, transformer, attention, recurrent, unet, dense, mixer, nas_cell)
}
