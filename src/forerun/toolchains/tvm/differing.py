"""Which node of an ONNX network it is from which on TVM computes something else than onnxruntime."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx import run
from forerun.toolchains.onnx.lowered import operator
from forerun.toolchains.tvm import frontends

_INSIDE = 1 << 30
"""Bytes from which on weights are written beside the file."""


def first(
    path: Path,
    shapes: frontends.Shapes,
    inputs: Sequence[Any],
    ours: Callable[[Any], Sequence[Any]],
    alike: Callable[[Any, Any], bool],
    halves: bool = False,
) -> str:
    """The node in words, by its operator, its name and its output; empty where each computes what it should by itself.

    The network is run with the values of all nodes as its outputs, by onnxruntime and by `ours`, which runs a module of
    Relax on `inputs`; `alike` compares two arrays, `halves` is as `frontends.from_onnx` has it. Values of branches, and
    those that are no tensors, are not seen. Raises what onnxruntime, TVM and its importer do.
    """
    onnx = onnx_model.library()
    model = onnx.load(str(path))
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    nodes = {name: node for node in model.graph.node for name in node.output if name}
    names = [name for name in nodes if name not in _others(model)]
    del model.graph.output[:]
    model.graph.output.extend(map(onnx.helper.make_empty_tensor_value_info, names))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, str(whole), save_as_external_data=model.ByteSize() > _INSIDE)
        session = run.session(str(whole), 1, exact=True)
        feeds = dict(zip((one.name for one in session.get_inputs()), inputs, strict=True))
        theirs = session.run(names, feeds)
        found = ours(frontends.from_onnx(whole, shapes, halves))
    pairs = zip(names, found, theirs, strict=True)
    return next((_told(nodes[name], name) for name, a, b in pairs if not alike(a, b)), "")


def _others(model: Any) -> set[str]:
    """Values that are no tensors."""
    inferred = onnx_model.infer(model).graph
    return {each.name for each in (*inferred.value_info, *inferred.output) if not each.type.HasField("tensor_type")}


def _told(node: Any, output: str) -> str:
    return f"{operator(node)} {node.name}, output {output}" if node.name else f"{operator(node)}, output {output}"
