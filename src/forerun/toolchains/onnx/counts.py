"""Cheap facts about a network: work, memory, size. Sizes that are not known count as 1.

Work is in floating-point operations, a multiply-add counts as two. What moves data without computing counts nothing;
an operator that is not known here counts its output's elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from forerun.toolchains.onnx.graph import WIDTHS, Constant, Graph, Node, Operand, Parameter

_MOVES = frozenset(
    "Cast Concat Constant ConstantOfShape DepthToSpace Dropout Expand Flatten Gather GatherElements GatherND Identity"
    " Pad Reshape Resize Shape Size Slice SpaceToDepth Split Squeeze Tile Transpose Unsqueeze Upsample".split()
)
_PER_ELEMENT = {"BatchNormalization": 2, "Softmax": 5, "LogSoftmax": 6} | dict.fromkeys(
    ("LayerNormalization", "InstanceNormalization", "GroupNormalization"), 8
)
"""Operations for each element: scale and shift; maximum, difference, exponential, sum and quotient (and a logarithm);
mean (1), variance (3), normalisation (2), scale and shift (2)."""
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


_LAYERS = frozenset("Conv ConvTranspose Gemm MatMul RNN GRU LSTM Attention Einsum".split())
_LAYERS |= frozenset("MatMulInteger QLinearMatMul ConvInteger QLinearConv".split())
_BODIES = frozenset(("Loop", "Scan", "If", "SequenceMap"))
"""Operators that run others, which no count sees."""
_SLOW = frozenset("TopK CumSum Unique NonMaxSuppression RoiAlign GridSample DFT STFT".split())
"""Operators that take many times as long for an element as those that add, and of which nothing was learned."""
_SPREADING = frozenset(("Expand", "Range", "Tile", "EyeLike"))
_LARGE = 1_000_000
"""Elements from which on what those write takes longer than all that was learned of them."""
_MOST_S = 1e-7
"""Seconds for an element of slow operators, at most: a cubic Resize takes half of it."""


def counters(graph: Graph) -> dict[str, float]:
    """`flops`, `parameters`, `weight_bytes`, `activation_bytes` (all that nodes make), `nodes`, `depth` (nodes on the
    longest path) and `operators` (distinct ones); then what is left of the network when nothing is counted that cannot
    change its outputs, see `Flow`."""
    weights = graph.parameters()
    flow = Flow.of(graph)
    return {
        "flops": math.fsum(flops(graph, node) for node in graph.nodes),
        "parameters": float(sum(p.elements for p in weights)),
        "weight_bytes": math.fsum(p.elements * WIDTHS[p.dtype] for p in weights),
        "activation_bytes": math.fsum(value.size_bytes for value in graph.values[graph.inputs :]),
        "nodes": float(len(graph.nodes)),
        "depth": float(depth(graph)),
        "operators": float(len({node.operator for node in graph.nodes})),
        "live_flops": math.fsum(flops(graph, node) for node in flow.live),
        "live_parameters": float(
            sum(p.elements for node in flow.live for p in node.inputs if isinstance(p, Parameter))
        ),
        "layers_longest": float(flow.longest),
        "layers_shortest": float(flow.shortest),
        "layers_mean": flow.mean,
        "paths_log2": flow.paths_log2,
    }


def unsure(graph: Graph) -> dict[str, float]:
    """Operators of whose cost little is known, and seconds that all of each may take, at most; without end where
    they run others, or belong to a domain of which nothing is known."""
    found = dict[str, float]()
    for node in graph.nodes:
        name, made = node.operator, _made(graph, node)
        smooth = name in ("Resize", "Upsample") and node.attribute("mode") in ("linear", "cubic")
        if name in _BODIES:
            found[name] = math.inf
        elif name in _SLOW or smooth or (name in _SPREADING and made >= _LARGE):
            read = _elements(graph, node.inputs[0]) if node.inputs else 0
            found[name] = found.get(name, 0.0) + _MOST_S * max(made, read)
    return found


@dataclass(frozen=True, slots=True)
class Flow:
    """How an input reaches the outputs, along live nodes: those that depend on it and on which an output depends.

    What is multiplied by the constant zero depends on nothing. Paths are counted by their layers (nodes that multiply
    by a matrix of weights or of values): the fewest, the most, the mean over all paths, which of residual networks says
    more than the longest (Veit et al. 2016). All are 0 where no output depends on an input.
    """

    live: tuple[Node, ...]
    longest: int = 0
    shortest: int = 0
    mean: float = 0.0
    paths_log2: float = 0.0

    @classmethod
    def of(cls, graph: Graph) -> Flow:
        """Two passes over the nodes."""
        found = {place: _Paths(0, 0, 0.0, 0.0) for place in range(graph.inputs)}
        for node in graph.nodes:
            before = [] if _zeroed(node) else [found[place] for place in node.reads if place in found]
            if before:
                here = _Paths.joined(before, node.operator in _LAYERS)
                found |= {place: here for place in node.outputs if place is not None}
        wanted = {place for place in graph.outputs if place in found}
        live = []
        for node in reversed(graph.nodes):
            if not wanted.isdisjoint(place for place in node.outputs if place is not None):
                live.append(node)
                wanted |= {place for place in node.reads if place in found}
        ends = [found[place] for place in graph.outputs if place in found]
        if not ends:
            return cls(())
        end = _Paths.joined(ends, False)
        return cls(tuple(reversed(live)), end.longest, end.shortest, end.mean, end.log2)


@dataclass(frozen=True, slots=True)
class _Paths:
    """All paths from the inputs to a value. Their number is kept as its logarithm: residual blocks double it."""

    longest: int
    shortest: int
    mean: float
    log2: float

    @classmethod
    def joined(cls, before: Sequence[_Paths], layer: bool) -> _Paths:
        most = max(paths.log2 for paths in before)
        shares = [2.0 ** (paths.log2 - most) for paths in before]
        total = math.fsum(shares)
        return cls(
            max(paths.longest for paths in before) + layer,
            min(paths.shortest for paths in before) + layer,
            math.fsum(share * paths.mean for share, paths in zip(shares, before, strict=True)) / total + layer,
            most + math.log2(total),
        )


def _weights(node: Node) -> int:
    return sum(operand.elements for operand in node.inputs if isinstance(operand, Parameter))


def _zeroed(node: Node) -> bool:
    return node.operator == "Mul" and any(isinstance(x, Constant) and not any(x.values) for x in node.inputs)


def depth(graph: Graph) -> int:
    """Nodes on the longest path."""
    longest = dict.fromkeys(range(graph.inputs), 0)
    for node in graph.nodes:
        here = 1 + max((longest[place] for place in node.reads), default=0)
        longest |= {place: here for place in node.outputs if place is not None}
    return max(longest.values(), default=0)


def flops(graph: Graph, node: Node) -> float:
    """Floating-point operations of one node."""
    if node.operator in _MOVES:
        return 0.0
    if node.operator in _GATES:
        return _recurrent(graph, node)
    if special := _SPECIAL.get(node.operator):
        return special(graph, node)
    if node.operator.startswith(("Reduce", "Global", "ArgM")):
        return float(_elements(graph, node.inputs[0]))
    return float(_made(graph, node) * _PER_ELEMENT.get(node.operator, 1))


def _conv(graph: Graph, node: Node) -> float:
    """The weight is `[M, C / groups, *kernel]`."""
    made = _made(graph, node)
    return 2.0 * made * math.prod(_sizes(graph, node.inputs[1])[1:]) + _bias(node, 2, made)


def _conv_transpose(graph: Graph, node: Node) -> float:
    """The weight is `[C, M / groups, *kernel]`: each input element is spread over it."""
    spread = math.prod(_sizes(graph, node.inputs[1])[1:])
    return 2.0 * _elements(graph, node.inputs[0]) * spread + _bias(node, 2, _made(graph, node))


def _gemm(graph: Graph, node: Node) -> float:
    made = _made(graph, node)
    inner = _size(graph, node.inputs[0], 0 if node.attribute("transA") else -1)
    return 2.0 * made * inner + _bias(node, 2, made)


def _matmul(graph: Graph, node: Node) -> float:
    return 2.0 * _made(graph, node) * _size(graph, node.inputs[0], -1)


def _einsum(graph: Graph, node: Node) -> float:
    """A multiply-add for each combination of all indices and each operand but the first."""
    equation = str(node.attribute("equation") or "").replace(" ", "").replace("...", "")
    terms = equation.partition("->")[0].split(",")
    sizes = {
        letter: size
        for term, operand in zip(terms, node.inputs, strict=False)
        for letter, size in zip(reversed(term), reversed(_sizes(graph, operand)), strict=False)
    }
    return 2.0 * math.prod(sizes.values()) * max(1, len(node.inputs) - 1)


def _quantised_conv(graph: Graph, node: Node) -> float:
    """As `_conv`; the weight is the fourth input."""
    return 2.0 * _made(graph, node) * math.prod(_sizes(graph, node.inputs[3])[1:])


def _pool(graph: Graph, node: Node) -> float:
    kernel = node.attribute("kernel_shape")
    sizes = kernel if isinstance(kernel, tuple) else ()
    return float(_made(graph, node) * math.prod(size for size in sizes if isinstance(size, int)))


def _sum(graph: Graph, node: Node) -> float:
    return float(_made(graph, node) * (len(node.inputs) - 1))


def _recurrent(graph: Graph, node: Node) -> float:
    """The products alone: input `[S, B, I]`, recurrent weight `[directions, gates · H, H]`."""
    steps, batch, width = ([*_sizes(graph, node.inputs[0]), 1, 1, 1])[:3]
    directions, _, hidden = ([*_sizes(graph, node.inputs[2]), 1, 1, 1])[:3]
    return 2.0 * steps * batch * directions * _GATES[node.operator] * hidden * (width + hidden)


_SPECIAL: Mapping[str, Callable[[Graph, Node], float]] = {
    "Einsum": _einsum, "MatMulInteger": _matmul, "QLinearMatMul": _matmul, "ConvInteger": _conv,
    "QLinearConv": _quantised_conv, "Conv": _conv, "ConvTranspose": _conv_transpose, "Gemm": _gemm,
    "MatMul": _matmul, "AveragePool": _pool,
    "MaxPool": _pool, "LpPool": _pool, "Sum": _sum, "Mean": _sum, "Max": _sum, "Min": _sum,
}  # fmt: skip


def _made(graph: Graph, node: Node) -> int:
    return max((graph.values[place].elements for place in node.outputs if place is not None), default=0)


def _bias(node: Node, place: int, made: int) -> int:
    return made if len(node.inputs) > place and node.inputs[place] is not None else 0


def _sizes(graph: Graph, operand: Operand) -> list[int]:
    return [size if isinstance(size, int) else 1 for size in graph.shape(operand) or ()]


def _size(graph: Graph, operand: Operand, axis: int) -> int:
    return (_sizes(graph, operand) or [1])[axis]


def _elements(graph: Graph, operand: Operand) -> int:
    return operand.elements if isinstance(operand, Parameter) else math.prod(_sizes(graph, operand))
