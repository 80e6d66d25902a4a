"""What operators of ONNX are made of that are functions: ONNX's own definitions, put in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.written import Written, renamed


def opened(given: Given, written: Written) -> bool:
    """Writes what a node of ONNX's own operators is made of; False where it is no function, or one only for types that
    are not known. https://onnx.ai/onnx/intro/concepts.html#functions"""
    onnx, opset = onnx_model.library(), given.facts.opset
    try:
        schema = onnx.defs.get_schema(given.node.op_type, opset, "")
    except onnx.defs.SchemaError:
        return False
    body = _body(schema, given)
    if body is None:
        return False
    ends = dict(zip(body.output, given.node.output, strict=False))
    names = dict.fromkeys(body.input, "") | dict(zip(body.input, given.node.input, strict=False))
    names |= {name: end for name, end in ends.items() if end}
    told = {each.name: each for each in given.node.attribute}
    defaults = {name: each.default_value for name, each in schema.attributes.items() if each.default_value.name}
    for node in body.node:
        for name in node.output:
            names.setdefault(name, f"{written.name}/{name}" if name else "")
        made = renamed(node, names)
        made.name = f"{written.name}/{len(written.nodes)}"
        _attributes(made, defaults | told)
        written.nodes.append(made)
    return True


def _body(schema: Any, given: Given) -> Any:
    """The function that a node is; None where it is none."""
    onnx, opset, made = onnx_model.library(), given.facts.opset, None
    if schema.has_context_dependent_function:
        version = max((each for each in schema.context_dependent_function_opset_versions if each <= opset), default=0)
        types = _types(onnx, given)
        if version and types is not None:
            made = schema.get_context_dependent_function_with_opset_version(
                version, given.node.SerializeToString(), types
            )
    elif schema.has_function:
        version = max((each for each in schema.function_opset_versions if each <= opset), default=0)
        made = schema.get_function_with_opset_version(version) if version else None
    return onnx.FunctionProto.FromString(made) if made else None


def _types(onnx: Any, given: Given) -> Sequence[bytes] | None:
    """The types of a node's inputs, as ONNX writes them down; None where one is not known."""
    found = []
    for name in given.node.input:
        kind = given.facts.types.get(name, 0)
        if name and not kind:
            return None
        made = onnx.helper.make_tensor_type_proto(kind, given.facts.shapes.get(name)) if name else onnx.TypeProto()
        found.append(made.SerializeToString())
    return found


def _attributes(node: Any, told: dict[str, Any]) -> None:
    """Attributes that a body names as those of the whole become what these are; such as are not told are left out."""
    own = list(node.attribute)
    del node.attribute[:]
    for each in own:
        if not each.ref_attr_name:
            node.attribute.append(each)
        elif each.ref_attr_name in told:
            made = node.attribute.add()
            made.CopyFrom(told[each.ref_attr_name])
            made.name = each.name
