"""Operators of onnxruntime's own on images whose channels lie last, as those whose channels lie second."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.fused import OPEN
from forerun.toolchains.onnx.written import Written


def _turned(kind: str, always: bool, given: Given, written: Written) -> bool | str:
    """The same with its channels second, between two transpositions where they are last."""
    shape = given.shape(0)
    if shape is None:
        return OPEN
    told = {name: value for name, value in given.told.items() if name != "channels_last"}
    if not always and not given.told.get("channels_last"):
        written.node(kind, *given.node.input, output=given.output(0), **told)
        return True
    last = len(shape) - 1
    value = written.node("Transpose", given.input(0), perm=[0, last, *range(1, last)])
    made = written.node(kind, value, *given.node.input[1:], **told)
    written.node("Transpose", made, perm=[0, *range(2, last + 1), 1], output=given.output(0))
    return True


RULES: Mapping[str, Any] = {
    "com.microsoft.QLinearConv": partial(_turned, "QLinearConv", False),
    "com.microsoft.NhwcMaxPool": partial(_turned, "MaxPool", True),
}
