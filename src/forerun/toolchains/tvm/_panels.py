"""Weights that are known beforehand, in panels of a few vectors' columns, one row of a panel after the other (Goto and
van de Geijn 2008).

A tile of a product, or of a convolution with channels last, then goes through memory from one end to the other; in rows
of all columns each step is on another page, which no processor fetches before it is asked for. In a network weights
have left the caches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from forerun.toolchains.tvm._programs import known_shape, legal

_CONVOLUTIONS = {"relax.nn.conv1d": "WIO", "relax.nn.conv2d": "HWIO", "relax.nn.conv3d": "DHWIO"}
"""And the order of their weights, the columns of the product last."""
_PANEL = 4
"""Vectors in a row of a panel: one tile's columns, or two's."""


def legalized(tvm: Any, lanes: int) -> dict[str, Callable[[Any, Any], Any]]:
    """What `relax.transform.LegalizeOps` takes, of a processor with so many floats in a vector: convolutions with
    channels last by weights in panels; all others as TVM has them."""

    def of(name: str, order: str) -> Callable[[Any, Any], Any]:
        otherwise = legal(tvm, name)

        def made(builder: Any, call: Any) -> Any:
            own = call.attrs
            if int(own.groups) != 1 or own.kernel_layout != order:
                return otherwise(builder, call)
            return laid(tvm, builder, call.args[1], lanes, lambda builder: otherwise(builder, call))

        return made

    return {name: of(name, order) for name, order in _CONVOLUTIONS.items()}


def laid(tvm: Any, builder: Any, weights: Any, lanes: int, made: Callable[[Any], Any], batch: int = 0) -> Any:
    """The call of a program that reads data and weights, which `made` adds to a builder, by weights in panels:
    […, columns / panel, …, panel], where the last axis are the columns of a product, and the first `batch` axes count
    products. As it is where the weights are not known, or their columns fill no panels."""
    shape, panel = known_shape(tvm, weights), _PANEL * lanes
    if not isinstance(weights, tvm.ir.GenericConst) or not shape or shape[-1] == panel or shape[-1] % panel:
        return made(builder)
    found = made(apart := tvm.relax.BlockBuilder())
    schedule = tvm.s_tir.Schedule(tvm.IRModule({"main": apart.get()[found.args[0]]}))
    read = schedule.mod["main"].params[1]
    (block, place), *_ = (
        (block, place)
        for block in schedule.get_child_blocks(schedule.get_sblock("root"))
        for place, region in enumerate(schedule.get(block).reads)
        if region.source.same_as(read)
    )

    def at(*index: Any) -> tuple[Any, ...]:
        *others, column = index
        return *others[:batch], column // panel, *others[batch:], column % panel

    schedule.transform_layout(block, ("read", place), at)
    panels = weights.value.numpy().reshape(*shape[:-1], -1, panel)
    constant = tvm.relax.const(np.ascontiguousarray(np.moveaxis(panels, -2, batch)))
    function = builder.add_func(schedule.mod["main"], str(found.args[0].name_hint))
    return tvm.relax.call_tir(function, [found.args[1][0], constant], out_ty=found.ty_args[0])
