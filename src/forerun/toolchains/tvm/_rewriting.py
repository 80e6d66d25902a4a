"""Calls of a Relax module that become others before TVM's own passes see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Rule = tuple[Any, Callable[[Any, Any], Any]]
"""A pattern, and what a call that it matches becomes, from the call and what was matched."""


def rewriting(tvm: Any, rules: Callable[[Any], Sequence[Rule]]) -> Any:
    """A pass: in every function, by one of its `rules` after the other."""
    from tvm import relax
    from tvm.relax.dpl import rewrite_call

    def rewritten(module: Any, _: Any) -> Any:
        module = module.clone()
        for name, function in module.functions_items():
            if isinstance(function, relax.Function):
                for pattern, into in rules(function):
                    function = rewrite_call(pattern, into, function)
                module.update_func(name, function)
        return module

    return tvm.transform.module_pass(rewritten, opt_level=0)


def dropouts_left_out(_: Any) -> tuple[Rule, ...]:
    """Where a network runs nothing is dropped: its elements are given on, and the mask is ones. TVM's change of layouts
    fails where a convolution reads the first of the two."""
    from tvm import relax
    from tvm.relax.dpl import is_op, is_tuple_get_item, wildcard

    dropped = wildcard()
    pair = is_op("relax.nn.dropout")(dropped)
    return (
        (is_tuple_get_item(pair, 0), lambda _, matched: matched[dropped]),
        (is_tuple_get_item(pair, 1), lambda _, matched: relax.op.ones_like(matched[dropped])),
    )


def biases_into_means(function: Any) -> tuple[Rule, ...]:
    """What is added to a convolution before it is normalised is taken from the mean instead, where nothing else reads
    the sum. TVM folds only those normalisations into weights that follow a convolution at once, and in many networks
    convolutions have biases."""
    from tvm import relax
    from tvm.relax.dpl import is_op, wildcard

    convolved, bias, sizes = is_op("relax.nn.conv2d")(wildcard(), wildcard()), wildcard(), wildcard()
    scale, shift, mean, variance = (wildcard() for _ in range(4))
    biased = is_op("relax.add")(convolved, is_op("relax.reshape")(bias, sizes))
    bindings = (binding for block in function.body.blocks for binding in block.bindings)
    readers = Counter(read for binding in bindings for read in relax.analysis.used_vars(binding.value))

    def moved(call: Any, matched: Any) -> Any:
        own, axes = call.attrs, [int(size) for size in matched[sizes]]
        channels = [int(size) for size in matched[mean].ty.shape]
        if int(own.axis) != 1 or axes != [1, *channels, 1, 1] or own.training or readers[call.args[0]] > 1:
            return call
        found = relax.op.reshape(matched[bias], channels)
        return relax.op.nn.batch_norm(
            matched[convolved], matched[scale], matched[shift], relax.op.subtract(matched[mean], found),
            matched[variance], axis=1, epsilon=float(own.epsilon), center=bool(own.center), scale=bool(own.scale),
            momentum=float(own.momentum), training=False,
        )  # fmt: skip

    return ((is_op("relax.nn.batch_norm")(biased, scale, shift, mean, variance), moved),)
