"""Operators of onnxruntime's own on images whose channels lie last, as those whose channels lie second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.fused import OPEN
from forerun.toolchains.onnx.written import Written


def _turned(kind: str, domain: str, always: bool, given: Given, written: Written) -> bool | str:
    """The same with its channels second, between two transpositions."""
    if given.told.get("channels_last", int(always)) == 0 and domain:
        return False
    shape = given.shape(0)
    if shape is None:
        return OPEN
    told = {name: value for name, value in given.told.items() if name != "channels_last"}
    value, last = given.input(0), len(shape) - 1
    if always or given.told.get("channels_last"):
        value = written.node("Transpose", value, perm=[0, last, *range(1, last)])
        made = written.node(kind, value, *given.node.input[1:], domain=domain, **told)
        written.node("Transpose", made, perm=[0, *range(2, last + 1), 1], output=given.output(0))
    else:
        written.node(kind, *given.node.input, output=given.output(0), domain=domain, **told)
    return True


def _rule(kind: str, domain: str = "", always: bool = False) -> Any:
    return lambda given, written: _turned(kind, domain, always, given, written)


RULES: Mapping[str, Any] = {
    "com.microsoft.QLinearConv": _rule("QLinearConv"),
    "com.microsoft.NhwcMaxPool": _rule("MaxPool", always=True),
}
