"""Networks of PyTorch and ONNX as modules of Relax, through TVM's importers."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from forerun.errors import InputError, ToolMissing, UsageError, reason
from forerun.factories import guarded
from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.lowered import lower
from forerun.toolchains.onnx.lowered import operator as name_of
from forerun.toolchains.onnx.recurrent import unroll
from forerun.toolchains.onnx.renewed import renew
from forerun.toolchains.onnx.settled import settle, sized
from forerun.toolchains.onnx.target import package
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._onnx_operators import CONVERTED
from forerun.toolchains.tvm._operators import converted

Shapes = Mapping[str, Sequence[int]]
"""The shape of each input, by its name."""
_EXPORT = "run it with onnxruntime; if it runs there, export it again with opset 17 or 18"
_OTHERS = frozenset(("Attention",))
"""Operators of others that TVM has under a name of ONNX's own."""
_NO_TENSORS = (bool, int, float, str, type(None))
"""What a network may return beside tensors."""
_PLACES = re.compile(r"(\[\d+\])*")
"""The name of what has none."""


def in_a_row(network: Any) -> Any:
    """A `torch.nn.Module` that gives the tensors of another one's outputs, in their order: others' classes of outputs
    are known only to a process that has imported them, and cannot be saved where nobody said how. Once it has run, its
    `outputs` are their names (`named`).
    """
    torch = _torch()
    from torch.utils import _pytree

    noted = dict[str, tuple[str, ...]](outputs=())  # no part of a module, which nothing may change while it is traced

    class InARow(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        @property
        def outputs(self) -> tuple[str, ...]:
            return noted["outputs"]

        def forward(self, *inputs: Any) -> Any:
            found = self.network(*inputs)
            noted["outputs"] = named(found)
            leaves = _pytree.tree_leaves(found)
            tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
            known = len(tensors) == sum(not isinstance(leaf, _NO_TENSORS) for leaf in leaves)
            return found if not known or isinstance(found, torch.Tensor) else tensors

    return InARow()


def named(found: Any) -> tuple[str, ...]:
    """The names of the tensors that a network gives in their order, each as it is reached: `logits`, `hidden[1]`; none
    where they have places alone."""
    names = tuple(_reached(found, ""))
    return names if any(not _PLACES.fullmatch(name) for name in names) else ()


def _reached(found: Any, own: str) -> Iterator[str]:
    if hasattr(found, "detach") or hasattr(found, "dtype"):
        yield own
    elif isinstance(found, Mapping):
        for key, each in found.items():
            yield from _reached(each, f"{own}.{key}" if own else str(key))
    elif isinstance(found, tuple) and (fields := getattr(found, "__match_args__", ())):
        yield from _reached(dict(zip(fields, found, strict=False)), own)
    elif isinstance(found, list | tuple):
        for place, each in enumerate(found):
            yield from _reached(each, f"{own}[{place}]")


def exported(network: Any, inputs: Sequence[Any]) -> Any:
    """What `torch.export` makes of a `torch.nn.Module` in evaluation mode, run on `inputs`: tensors, whose shapes it
    keeps. Raises InputError, ToolMissing.
    """
    torch = _torch()
    if not isinstance(network, torch.nn.Module):
        told = f"it is of the type {type(network).__name__}"
        raise InputError("the network is no torch.nn.Module", told, "give a module and a tuple of example inputs")
    if any(isinstance(part, torch.jit.ScriptModule) for part in network.modules()):
        todo = "give the torch.nn.Module that it was made of, or export it: net.onnx, net.pt2"
        raise InputError("the network is a ScriptModule", "torch.export does not trace these", todo)
    for place, each in enumerate(inputs):
        if not isinstance(each, torch.Tensor):
            told = f"it is of the type {type(each).__name__}"
            todo = "make its forward take tensors alone, and give them as one tuple: (first, second)"
            raise InputError(f"inputs[{place}] of the network is no tensor", told, todo)
    training = [part for part in network.modules() if part.training]
    try:
        with torch.no_grad():
            return guarded(
                "torch.export cannot trace the network",
                "make its forward run on the example inputs without control flow on values",
                lambda: torch.export.export(network.eval(), tuple(inputs)),
            )
    except InputError:
        todo = "give inputs that its forward takes, as one tuple"
        with torch.no_grad():  # what fails without torch.export is nothing that it cannot trace
            guarded("the network does not run on its inputs", todo, lambda: network.eval()(*inputs))
        raise
    finally:
        for part in training:
            part.training = True


def loaded(path: Path) -> Any:
    """What `torch.export.save` wrote, with the inputs that it was traced on. Raises InputError, ToolMissing."""
    torch, todo = _torch(), "write it with torch.export.save(torch.export.export(network, inputs), PATH)"
    if not path.is_file():
        raise InputError(f"cannot read {path}", "there is no such file", todo)
    program = guarded(f"cannot read {path}", todo, torch.export.load, str(path))
    inputs, named = program.example_inputs or ((), {})
    if named or not inputs or not all(isinstance(each, torch.Tensor) for each in inputs):
        given = f"inputs by name ({', '.join(named)})" if named else "inputs that are no tensors" if inputs else "none"
        raise InputError(f"{path} is not run on tensors in their order", f"it was traced on {given}", todo)
    return program


def to_onnx(program: Any) -> bytes:
    """A serialised ONNX model of what `torch.export` made. Raises ToolMissing, and whatever PyTorch's exporter does."""
    package("onnxscript", "PyTorch exports to ONNX with onnxscript", "tune")
    import torch

    with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.onnx.export(program, dynamo=True, verbose=False)
    assert made is not None, "where it is to write no file it gives the model"
    return bytes(made.model_proto.SerializeToString())


def from_exported(program: Any) -> Any:
    """The Relax module of what `exported` gave; weights are bound as constants, so that what depends on them alone can
    be worked out beforehand. Raises InputError, ToolMissing.
    """
    load()
    from tvm.relax.frontend.torch import from_exported_program

    tensors = [*program.state_dict.values(), *(program.example_inputs or ((),))[0]]
    types = {str(each.dtype) for each in tensors if each.is_floating_point()}
    todo = "replace what is named, or export the network to ONNX"
    if other := sorted(types - {"torch.float32"}):
        there = other[0].removeprefix("torch.")
        todo = f"TVM takes products for float32, here is {there}: give network.float(), and float32 inputs: x.float()"
    with _without_views(program):
        return guarded(
            "TVM cannot import the exported network",
            todo,
            lambda: from_exported_program(program, unwrap_unit_return_tuple=True, custom_convert_map=converted()),
        )


@contextlib.contextmanager
def _without_views(program: Any) -> Iterator[None]:
    """Views are new shapes meanwhile, which are the same here and may be copies: of two sequences attention that is
    taken apart lies otherwise in memory than as a whole, so that the view behind it would be none."""
    torch = _torch()
    aten = torch.ops.aten
    graphs = [each.graph for each in program.graph_module.modules() if isinstance(each, torch.fx.GraphModule)]
    views = [node for graph in graphs for node in graph.nodes if node.target is aten.view.default]
    for node in views:
        node.target = aten.reshape.default
    try:
        yield
    finally:
        for node in views:
            node.target = aten.view.default


def from_torch(network: Any, inputs: Sequence[Any]) -> Any:
    """The Relax module of a `torch.nn.Module` on `inputs`, see `exported`. Raises InputError, ToolMissing."""
    load()
    return from_exported(exported(network, inputs))


def from_onnx(path: Path, shapes: Shapes | None = None, halves: bool = False) -> Any:
    """The Relax module of an ONNX file, weights bound as constants. `shapes` bind inputs whose sizes are left open.
    Without `halves` numbers of float16 are computed with as float32, and rounded behind each operator: on processors
    that is fast, and what onnxruntime does.

    Raises InputError where the file is no network, has an operator that TVM does not import, or leaves sizes open;
    UsageError where `shapes` name no input or do not fit it; ToolMissing.
    """
    load()
    library = onnx_model.library()
    light = onnx_model.load(path)  # and says what is wrong with a file
    proto = guarded(f"cannot read the weights of {path}", "export it again", lambda: library.load(str(path)))
    if proto.functions:
        proto = guarded(f"cannot read {path}", "export it again", library.inliner.inline_local_functions, proto)
    fixed = _fixed(path, light.graph, shapes or {})
    for each in (light, proto):
        sized(each, fixed)
        renew(each)
    settle(light, proto)
    unroll(light, proto)
    known, first = _operators(), None
    _known(path, proto, guarded(f"cannot read the operators of {path}", _EXPORT, lower, light, proto, known, halves))
    while True:
        try:
            return guarded(f"TVM cannot import {path}", _EXPORT, _imported, path, proto, fixed)
        except InputError as failed:
            first = first or failed
            operator = failed.operator if isinstance(failed, _Unlike) else ""
            if operator:
                known -= {operator}
                guarded(f"cannot read the operators of {path}", _EXPORT, lower, light, proto, known, halves)
            if not operator or any(node.op_type == operator for node in proto.graph.node):
                raise InputError(first.what, first.why, first.todo) from failed


class _Unlike(InputError):
    """An operator that TVM's importer has, but not as it is here: of halves, mostly. It may be made of others."""

    operator = ""


def _imported(path: Path, proto: Any, shapes: Shapes) -> Any:
    """By TVM's importer, which does not say where it fails."""
    from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter

    class Importer(ONNXGraphImporter):  # type: ignore[misc]
        def _convert_operator(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
            try:
                found = None
                if op_name in CONVERTED and any(_runs(each) for each in inputs):
                    found = CONVERTED[op_name](self.bb.emit, [*inputs], attrs)
                return super()._convert_operator(op_name, inputs, attrs, opset) if found is None else found
            except Exception as error:  # TVM's and Python's own
                name = attrs["tvm_custom"]["name"]
                node = f"{op_name} {name}" if name else f"an {op_name}" if op_name[0] in "AEIOU" else f"a {op_name}"
                why = f"{node}: {type(error).__name__}: {reason(error)[:200]}"
                failed = _Unlike(f"TVM cannot import {path}", why, _EXPORT)
                failed.operator = op_name
                raise failed from error

    importer = Importer(shapes, "float32")
    return importer.from_onnx(proto.graph, onnx_model.opset(proto))


def _runs(value: Any) -> bool:
    """Whether an input of an operator is known only when the network runs."""
    from tvm import ir, relax

    return isinstance(value, relax.Expr) and not isinstance(value, (ir.GenericConst, relax.ShapeExpr))


def _operators() -> frozenset[str]:
    """Those of ONNX that TVM's importer has, as far as it has them right."""
    from tvm.relax.frontend.onnx import onnx_frontend

    return frozenset({*onnx_frontend._get_convert_map(), "Constant", "If"} - _OTHERS)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ToolMissing("networks of PyTorch need torch", reason(error), "pip install 'forerun[train]'") from error
    return torch


def _fixed(path: Path, graph: Any, shapes: Shapes) -> dict[str, list[int]]:
    """The sizes of every input of an ONNX graph. Raises InputError where some are missing, UsageError where `shapes`
    are of no use."""
    weights = {tensor.name for tensor in graph.initializer}
    inputs = {each.name: each.type.tensor_type for each in graph.input if each.name not in weights}
    for name in shapes:
        if name not in inputs:
            known = ", ".join(inputs)
            raise UsageError(f"there is no input {name}", f"{path} has: {known}", "name one of them")
    if texts := [name for name, kind in inputs.items() if kind.elem_type == onnx_model.library().TensorProto.STRING]:
        raise InputError(f"the input {texts[0]} is of texts", "TVM has numbers alone", "cut out what reads it")
    told = {
        axis.dim_param: int(size)
        for name, wanted in shapes.items()
        for axis, size in zip(inputs[name].shape.dim, wanted, strict=False)
        if axis.dim_param
    }
    for kind in [kind for name, kind in inputs.items() if name not in shapes]:
        for axis in kind.shape.dim:
            if axis.dim_param in told:
                axis.dim_value = told[axis.dim_param]
    return {name: _bound(name, kind, shapes.get(name)) for name, kind in inputs.items()}


def _bound(name: str, kind: Any, wanted: Sequence[int] | None) -> list[int]:
    ranked = kind.HasField("shape")
    known = [axis.dim_value if axis.HasField("dim_value") else axis.dim_param or "?" for axis in kind.shape.dim]
    told = known if ranked else None
    if wanted is None:
        sizes = [size for size in known if isinstance(size, int)]
        if not ranked or len(sizes) < len(known):
            raise unsized(name, told)
        if 0 in sizes:
            raise InputError(f"the input {name} is empty", f"its shape is {_told(told)}", "export it with other sizes")
        return sizes
    pairs = zip(known if ranked else wanted, wanted, strict=False)
    same = all(isinstance(size, str) or size == asked for size, asked in pairs)
    if not same or (ranked and len(known) != len(wanted)) or min(wanted, default=1) < 1:
        why = f"its shape is {_told(told)}"
        raise UsageError(f"{tuple(wanted)} does not fit the input {name}", why, "give sizes that do")
    return [int(size) for size in wanted]


def _known(path: Path, proto: Any, left: Sequence[str]) -> None:
    """Raises InputError for operators that TVM does not import, and for what is `left` that it imports wrong."""
    nodes = onnx_model.every(proto.graph)
    if unknown := sorted({name_of(node) for node in nodes} - _operators()):
        why = f"TVM's importer has no operator {', '.join(unknown)}"
        told = next((each for each in left if re.split("[:, ]", each)[0] in unknown), "")
        raise InputError(f"{path} cannot be tuned", f"{why} ({told})" if told else why, _otherwise(unknown))
    if left:
        raise InputError(f"{path} cannot be tuned", left[0], "export it otherwise, or cut the part around it out")


def _otherwise(unknown: Sequence[str]) -> str:
    """What to do about operators that are not known."""
    if any(name.startswith("com.microsoft.nchwc.") for name in unknown):
        return "write it with ORT_ENABLE_EXTENDED: ORT_ENABLE_ALL lays its images out for one processor"
    if any(name.startswith("com.microsoft.") for name in unknown):
        return "tune the network as it was before onnxruntime fused it, or fuse it without them"
    return "export it with others, or cut the part around them out"


def unsized(name: str, known: Sequence[int | str] | None, todo: str = "") -> InputError:
    """The error about an input whose sizes are open. `known` are sizes, or what stands in their place; None where not
    even their number is known. To be done is to give an ONNX file's, unless it is told."""
    what, why = f"the input {name} has no fixed sizes", f"its shape is {_told(known)}"
    if todo:
        return InputError(what, why, todo)
    image = (1, 3, 224, 224)
    usual = image if known is None or len(known) == len(image) else (1,) * len(known)
    sizes = tuple(size if isinstance(size, int) else one for size, one in zip(known or image, usual, strict=True))
    shape = shlex.quote(f"{name}={'x'.join(map(str, sizes))}")
    given = f"--shape {shape}, in Python shapes={{{json.dumps(name)}: {sizes}}}"
    return InputError(what, why, f"give its sizes, for example {given}; or export the network with fixed ones")


def _told(known: Sequence[int | str] | None) -> str:
    return "unknown" if known is None else f"({', '.join(map(str, known))})"
