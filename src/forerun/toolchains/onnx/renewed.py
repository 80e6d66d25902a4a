"""Operators of old ONNX files as newer ones have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from forerun.toolchains.onnx import model as onnx_model

_OLD = {"Upsample": ("scales",), "Resize": (), "Slice": ("starts", "ends", "axes")}
"""Operators that had other inputs before opset 11, with the attributes that are inputs now, in their order."""


def renew(proto: Any) -> None:
    """Rewrites them in place, also in branches. Before opset 11 `Upsample`, which there is no more, and `Resize` took
    an output's pixel for what lies where it begins; what they scale by, and what `Slice` cuts out, may stand in the
    node.
    """
    if onnx_model.opset(proto) >= 11:
        return
    onnx = onnx_model.library()
    for node in [node for node in onnx_model.every(proto.graph) if node.op_type in _OLD and onnx_model.standard(node)]:
        settings = {each.name: each for each in node.attribute}
        inputs = [*node.input]
        for name in [name for name in _OLD[node.op_type] if name in settings]:
            tensor = onnx.numpy_helper.from_array(_listed(settings.pop(name)), f"{node.output[0]}/{name}")
            proto.graph.initializer.append(tensor)
            inputs.append(tensor.name)
        kind = "Slice" if node.op_type == "Slice" else "Resize"
        if kind == "Resize":
            inputs.insert(1, "")
            told = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            settings |= {name: onnx.helper.make_attribute(name, value) for name, value in told.items()}
        node.CopyFrom(onnx.helper.make_node(kind, inputs, node.output, node.name))
        node.attribute.extend(settings.values())


def _listed(attribute: Any) -> Any:
    return np.array(attribute.floats, np.float32) if attribute.floats else np.array(attribute.ints, np.int64)
