"""Operators of PyTorch that TVM's importer lacks, or imports as something else, in Relax.

`converted` gives what `from_exported_program` takes as `custom_convert_map`: by an operator's name, a function of its
node in the exported graph and of the importer. `_CONVERTED` has functions of what an operator's schema names
(https://docs.pytorch.org/docs/stable/torch.compiler_ir.html), tensors as Relax; further of `made`, which is what
PyTorch says of the result, and of `emit`, which binds an expression and so gives it a type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

Relax = Any
Made = Any
"""A torch tensor without values, or several: the result's shape and type."""
Emit = Callable[[Relax], Relax]
Convert = Callable[[Any, Any], Relax]
"""Of a node of the exported graph and the importer."""

_FIRST, _BOTH, _CHOICES = (0,), (0, 1), (1, 2)
_SAME = frozenset(("eq", "ne"))
_COMPARING = _SAME | {"lt", "le", "gt", "ge"}
_PROMOTED = {
    **dict.fromkeys("add sub mul pow rsub remainder fmod maximum minimum atan2".split(), _BOTH),
    **dict.fromkeys(_COMPARING, _BOTH),
    **dict.fromkeys(
        "sqrt rsqrt reciprocal exp expm1 log log2 log10 log1p sigmoid erf sum cumsum cumprod".split(), _FIRST
    ),
    **dict.fromkeys("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split(), _FIRST),
    **dict.fromkeys("mm bmm matmul".split(), ()),
    "where": _CHOICES,
}
"""Operators that compute in another type than an operand's, and the places of what is brought to it."""


def converted() -> dict[str, Convert]:
    """For one call of TVM's `from_exported_program`. Raises ImportError where there is no torch."""
    from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

    known: dict[str, Any] = {}
    names = ExportedProgramImporter().create_convert_map()
    found: dict[str, Convert] = {
        name: partial(_promoting, known, name, _PROMOTED[operator])
        for name in names
        if isinstance(name, str) and (operator := name.partition(".")[0]) in _PROMOTED
    }
    found |= {name: partial(_first, known, name) for name in names if str(name).endswith("_with_indices.default")}
    return found | {name: partial(_converting, function) for name, function in _CONVERTED.items()}


def _promoting(known: dict[str, Any], name: str, places: Sequence[int], node: Any, importer: Any) -> Relax:
    """As TVM imports it, with operands in the type that PyTorch computes in: TVM brings numbers to the tensor's type,
    where half of an integer is none."""
    import torch

    operands = [node.args[place] for place in places if place < len(node.args)]
    values = [each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in operands]
    made, emit = node.meta["val"].dtype, importer.block_builder.emit
    operator = name.partition(".")[0]
    if operator in _SAME and operands[0] is operands[-1] and values[0].is_floating_point():
        return _itself(emit, operator, importer.env[operands[0]])
    computed = torch.result_type(*values) if operator in _COMPARING else made
    if operator == "pow" and not made.is_floating_point:  # which TVM has none of
        computed = torch.float64
    if computed == torch.bool and operator != "where":  # with which TVM does no arithmetic
        computed = torch.int8
    before = {}
    for operand, value in zip(operands, values, strict=True):
        if isinstance(operand, torch.fx.Node) and value.dtype != computed and operand not in before:
            before[operand] = importer.env[operand]
            importer.env[operand] = emit(_cast(before[operand], computed))
    unequal = operator == "ne" and computed.is_floating_point  # of which TVM says no where one is NaN
    try:
        found = _own(known, importer)[f"eq{name[2:]}" if unequal else name](node)
        return _as(emit, emit(_op().logical_not(found)) if unequal else found, made)
    finally:
        importer.env |= before


def _itself(emit: Emit, operator: str, tensor: Relax) -> Relax:
    """Whether elements equal themselves, as all but NaN do: TVM simplifies it to yes."""
    unequal = emit(_op().isnan(tensor))
    return unequal if operator == "ne" else emit(_op().logical_not(unequal))


def _first(known: dict[str, Any], name: str, node: Any, importer: Any) -> Relax:
    """As TVM imports it, which is the first result; without a stride it is the size of what is pooled. Raises
    NotImplementedError where the graph uses another one."""
    if any(user.args[1] for user in node.users):
        raise NotImplementedError(f"of what {node.target} gives only the first is known")
    if node.args[2:] and not node.args[2]:
        node.update_arg(2, node.args[1])
    return _own(known, importer)[name](node)


def _own(known: dict[str, Any], importer: Any) -> dict[str, Any]:
    """The importer's own functions, kept from call to call."""
    if not known:
        known |= importer.create_convert_map()
    return known


def _converting(function: Callable[..., Relax], node: Any, importer: Any) -> Relax:
    """Raises NotImplementedError where the graph uses more results than the function gives."""
    schema = node.target._schema.arguments
    given = {each.name: each.default_value for each in schema if each.has_default_value()}
    given |= dict(zip((each.name for each in schema), node.args, strict=False)) | dict(node.kwargs)
    tensors = {name: importer._retrieve_args(value) for name, value in given.items()}
    found = function(importer.block_builder.emit, node.meta["val"], **tensors)
    if not isinstance(found, list):
        return importer.block_builder.emit(found)
    if any(user.args[1] >= len(found) for user in node.users):
        raise NotImplementedError(f"of what {node.target} gives only the first is known")
    from tvm import relax

    return importer.block_builder.emit(relax.Tuple([importer.block_builder.emit(each) for each in found]))


def _op() -> Any:
    from tvm import relax

    return relax.op


def _constant(value: Any, dtype: str | None = None) -> Relax:
    from tvm import relax

    return relax.const(value, dtype)


def _cast(tensor: Relax, dtype: Any) -> Relax:
    """In a type of PyTorch's."""
    return _op().astype(tensor, str(dtype).removeprefix("torch."))


def _as(emit: Emit, tensor: Relax, dtype: Any) -> Relax:
    """In a type of PyTorch's, where it is not yet."""
    return tensor if tensor.ty.dtype == str(dtype).removeprefix("torch.") else emit(_cast(tensor, dtype))


def _shape(tensor: Relax) -> list[int]:
    return [int(size) for size in tensor.ty.shape]


def _number(value: Any, like: Relax) -> Relax:
    """A number as a constant of a tensor's type; a tensor as it is."""
    return _constant(value, like.ty.dtype) if isinstance(value, (int, float)) else value


def _not_negative(emit: Emit, index: Relax, size: int) -> Relax:
    """Places from the end as those from the start: TVM would read what lies before."""
    from tvm.ir import GenericConst

    if isinstance(index, GenericConst):
        places = index.data.numpy()
        return _constant(np.where(places < 0, places + size, places), index.ty.dtype)
    op = _op()
    zero, end = _constant(0, index.ty.dtype), _constant(size, index.ty.dtype)
    return emit(op.where(emit(op.less(index, zero)), emit(op.add(index, end)), index))


# What comes to fewer dimensions.


def _reduced(name: str, emit: Emit, made: Made, self: Relax, dim: Any = None, keepdim: bool = False) -> Relax:
    axes = None if dim in (None, []) else [dim] if isinstance(dim, int) else list(dim)
    if self.ty.dtype == "bool":  # for which TVM has no reductions
        return _cast(emit(getattr(_op(), name)(emit(_op().astype(self, "int8")), axes, keepdim)), made.dtype)
    return getattr(_op(), name)(self, axes, keepdim)


def _prod(emit: Emit, made: Made, self: Relax, dim: int, keepdim: bool, dtype: Any = None) -> Relax:
    return _op().prod(_as(emit, self, made.dtype), [dim], keepdim)


def _any(emit: Emit, made: Made, self: Relax, dim: Any = None, keepdim: bool = False) -> Relax:
    if self.ty.dtype != "bool":
        self = emit(_op().logical_not(emit(_op().equal(self, _constant(0, self.ty.dtype)))))
    return _reduced("max", emit, made, self, dim, keepdim)


def _extremum(name: str, emit: Emit, made: Made, self: Relax, dim: int, keepdim: bool = False) -> list[Relax]:
    """TVM takes the largest by sorting."""
    if self.ty.dtype == "bool":
        self = emit(_op().astype(self, "int8"))
    place = emit(getattr(_op(), f"arg{name}")(self, dim, keepdim))
    value = emit(_reduced(name, emit, made[0], self, dim, keepdim))
    return [_as(emit, value, made[0].dtype), _as(emit, place, made[1].dtype)]


def _var_mean(
    emit: Emit, made: Made, self: Relax, dim: Any = None, correction: Any = None, keepdim: bool = False
) -> list[Relax]:
    op, shape = _op(), _shape(self)
    axes = list(range(len(shape))) if dim in (None, []) else list(dim)
    count = math.prod(shape[axis] for axis in axes)
    left = max(count - (1 if correction is None else correction), 0)
    scale = _constant(count / left if left else math.nan, self.ty.dtype)
    return [op.multiply(emit(op.variance(self, axes, keepdim)), scale), op.mean(self, axes, keepdim)]


# Element by element.


def _elu(
    emit: Emit, made: Made, self: Relax, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0
) -> Relax:
    op, number = _op(), partial(_number, like=self)
    inner = self if input_scale == 1 else emit(op.multiply(self, number(input_scale)))
    below = emit(op.multiply(emit(op.subtract(emit(op.exp(inner)), number(1.0))), number(alpha * scale)))
    above = self if scale == 1 else emit(op.multiply(self, number(scale)))
    return op.where(emit(op.greater(self, number(0.0))), above, below)


def _clamp(emit: Emit, made: Made, self: Relax, min: Any = None, max: Any = None) -> Relax:
    tensor, op = _as(emit, self, made.dtype), _op()
    if made.dtype.is_floating_point:
        return op.clip(tensor, -math.inf if min is None else min, math.inf if max is None else max)
    if min is not None:
        tensor = emit(op.maximum(tensor, _number(min, tensor)))
    return tensor if max is None else op.minimum(tensor, _number(max, tensor))


def _isfinite(emit: Emit, made: Made, self: Relax) -> Relax:
    op = _op()
    if "float" not in self.ty.dtype:
        return op.equal(self, self)
    return op.less(emit(op.abs(self)), _constant(math.inf, self.ty.dtype))


def _erfc(emit: Emit, made: Made, self: Relax) -> Relax:
    return _op().subtract(_constant(1.0, self.ty.dtype), emit(_op().erf(self)))


def _exp2(emit: Emit, made: Made, self: Relax) -> Relax:
    tensor = _as(emit, self, made.dtype)
    return _op().exp(emit(_op().multiply(tensor, _constant(math.log(2), tensor.ty.dtype))))


def _logaddexp(emit: Emit, made: Made, self: Relax, other: Relax) -> Relax:
    op, one = _op(), _constant(1.0, self.ty.dtype)
    apart = emit(op.exp(emit(op.negative(emit(op.abs(emit(op.subtract(self, other))))))))
    return op.add(emit(op.maximum(self, other)), emit(op.log(emit(op.add(apart, one)))))


def _div(emit: Emit, made: Made, self: Relax, other: Any, rounding_mode: str | None = None) -> Relax:
    op, first = _op(), _as(emit, self, made.dtype)
    second = _number(other, first)
    second = _as(emit, second, made.dtype)
    if rounding_mode == "floor":
        return op.floor_divide(first, second)
    found = op.divide(first, second)
    return op.trunc(emit(found)) if rounding_mode == "trunc" and made.dtype.is_floating_point else found


def _floor_divide(emit: Emit, made: Made, self: Relax, other: Any) -> Relax:
    return _div(emit, made, self, other, "floor")


def _shifted(name: str, emit: Emit, made: Made, self: Relax, other: Any) -> Relax:
    return getattr(_op(), name)(self, _number(other, self))


def _cat(emit: Emit, made: Made, tensors: Sequence[Relax], dim: int = 0) -> Relax:
    kept = [_as(emit, each, made.dtype) for each in tensors if _shape(each) != [0] or len(made.shape) == 1]
    return _op().concat(kept, dim)


# By places.


def _select(emit: Emit, made: Made, self: Relax, dim: int, index: int) -> Relax:
    return _op().take(self, _constant(index if index >= 0 else index + _shape(self)[dim], "int64"), dim)


def _known(indices: Sequence[Relax | None]) -> list[int]:
    """The dimensions that have indices."""
    known = {place: each for place, each in enumerate(indices) if each is not None}
    if any(each.ty.dtype == "bool" for each in known.values()):
        raise NotImplementedError("how many elements truth values choose is known only when it runs")
    return list(known)


def _index(emit: Emit, made: Made, self: Relax, indices: Sequence[Relax | None]) -> Relax:
    op, shape, places = _op(), _shape(self), _known(indices)
    known = [_not_negative(emit, indices[place], shape[place]) for place in places]
    if len(places) == 1:
        return op.take(self, known[0], places[0])
    order = _order(len(shape), places)
    tensor = self if order == sorted(order) else emit(op.permute_dims(self, order))
    found = emit(op.index_tensor(tensor, known))
    back = _back(len(shape), places, max(len(_shape(each)) for each in known))
    return found if back == sorted(back) else op.permute_dims(found, back)


def _order(count: int, places: Sequence[int]) -> list[int]:
    """Dimensions, those that have indices first."""
    return [*places, *(each for each in range(count) if each not in places)]


def _back(count: int, places: Sequence[int], several: int) -> list[int]:
    """Where the dimensions of what `index_tensor` gives go: those of the indices, of which there are `several`, come
    first there, and first in PyTorch's result where something stands between the indices, else where the first was."""
    rest = [several + each for each in range(count - len(places))]
    adjacent = places[-1] - places[0] == len(places) - 1
    ahead = places[0] if adjacent else 0
    return [*rest[:ahead], *range(several), *rest[ahead:]]


def _index_put(
    emit: Emit, made: Made, self: Relax, indices: Sequence[Relax | None], values: Relax, accumulate: bool = False
) -> Relax:
    op, shape = _op(), _shape(self)
    first = next(each for each in indices if each is not None)
    if first.ty.dtype == "bool" and len(indices) == 1 and math.prod(_shape(values)) == 1 and not accumulate:
        ahead = emit(op.reshape(first, [*_shape(first), *[1] * (len(shape) - len(_shape(first)))]))
        return op.where(ahead, emit(op.reshape(values, [1] * len(shape))), self)
    places = _known(indices)
    known = [_not_negative(emit, indices[place], shape[place]) for place in places]
    common = list(np.broadcast_shapes(*(_shape(each) for each in known)))
    at = emit(op.stack([emit(op.broadcast_to(each, common)) for each in known], -1))
    order = _order(len(shape), places)
    back = _back(len(shape), places, len(common))
    inner = [*common, *(shape[each] for each in order[len(places) :])]
    full = emit(op.broadcast_to(values, [inner[each] for each in back]))
    updates = full if back == sorted(back) else emit(op.permute_dims(full, list(np.argsort(back))))
    tensor = self if order == sorted(order) else emit(op.permute_dims(self, order))
    found = emit(op.scatter_nd(tensor, at, updates, "add" if accumulate else "update"))
    return found if order == sorted(order) else op.permute_dims(found, [int(each) for each in np.argsort(order)])


_REDUCTIONS = {"sum": "add", "prod": "mul", "mean": "mean", "amax": "max", "amin": "min"}
"""TVM's names of what `scatter_reduce` does."""


def _scattered(how: str, emit: Emit, made: Made, self: Relax, dim: int, index: Relax, src: Relax) -> Relax:
    op, shape = _op(), _shape(index)
    if _shape(src) != shape:
        axes = list(range(len(shape)))
        src = emit(op.strided_slice(src, axes, [0] * len(shape), shape))
    return op.scatter_elements(self, index, src, dim, how)


def _scatter_reduce(
    emit: Emit, made: Made, self: Relax, dim: int, index: Relax, src: Relax, reduce: str, include_self: bool = True
) -> Relax:
    if not include_self:
        raise NotImplementedError("scatter_reduce is known with include_self=True alone")
    return _scattered(_REDUCTIONS[reduce], emit, made, self, dim, index, src)


def _unfold(emit: Emit, made: Made, self: Relax, dimension: int, size: int, step: int) -> Relax:
    shape = _shape(self)
    axis = dimension % len(shape)
    starts = np.arange(0, shape[axis] - size + 1, step)
    windows = _constant(starts[:, None] + np.arange(size), "int64")
    order = [*range(axis + 1), *range(axis + 2, len(shape) + 1), axis + 1]
    return _op().permute_dims(emit(_op().take(self, windows, axis)), order)


# Of images.


def _adaptive_max_pool(emit: Emit, made: Made, self: Relax, output_size: Sequence[int]) -> list[Relax]:
    op, shape = _op(), _shape(self)
    count = len(shape)
    for axis, wanted in zip((count - 2, count - 1), output_size, strict=True):
        size = shape[axis]
        parts = []
        for place in range(wanted):
            begin, end = place * size // wanted, -(-(place + 1) * size // wanted)
            part = emit(op.strided_slice(self, [axis], [begin], [end]))
            parts.append(emit(op.max(part, [axis], True)))
        self = emit(op.concat(parts, axis))
    return [self]


def _avg_pool(
    emit: Emit,
    made: Made,
    self: Relax,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Relax:
    op, tensor = _op(), self if len(made.shape) == 4 else emit(_op().expand_dims(self, 0))
    counted = count_include_pad or divisor_override is not None
    how = {"ceil_mode": ceil_mode, "count_include_pad": counted, "layout": "NCHW"}
    found = emit(op.nn.avg_pool2d(tensor, kernel_size, list(stride) or kernel_size, list(padding), **how))
    if divisor_override is not None:
        area = kernel_size[0] * kernel_size[-1]
        found = emit(op.multiply(found, _constant(area / divisor_override, found.ty.dtype)))
    return found if len(made.shape) == 4 else op.squeeze(found, [0])


def _group_norm(
    emit: Emit, made: Made, input: Relax, weight: Any, bias: Any, group: int, eps: float, **sizes: int
) -> list[Relax]:
    axes, channels = list(range(2, len(_shape(input)))), sizes["C"]
    gamma = _constant(np.ones(channels, str(input.ty.dtype))) if weight is None else weight
    beta = _constant(np.zeros(channels, str(input.ty.dtype))) if bias is None else bias
    return [_op().nn.group_norm(input, gamma, beta, group, 1, axes, eps)]


def _nearest(emit: Emit, made: Made, input: Relax, output_size: Any = None, scale_factors: Any = None) -> Relax:
    """TVM rounds elsewhere where the sizes are no multiples."""
    import torch

    op, sizes, wanted = _op(), _shape(input)[2:], [int(size) for size in made.shape[2:]]
    whole = all(after % before == 0 for before, after in zip(sizes, wanted, strict=True))
    if whole and _told_by_sizes(sizes, wanted, scale_factors):
        return op.image.resize2d(
            input, wanted, layout="NCHW", method="nearest_neighbor", coordinate_transformation_mode="half_pixel"
        )
    for axis, (before, after) in enumerate(zip(sizes, wanted, strict=True), 2):
        scale = None if scale_factors is None else scale_factors[axis - 2]
        # As of an image: in one of twice the size, but in no line, PyTorch takes places by the sizes.
        line = torch.arange(before, dtype=torch.float64)[None, None, :, None]
        places = torch.ops.aten.upsample_nearest2d(line, [after, 1], scale)[0, 0, :, 0]
        input = emit(op.take(input, _constant(places.numpy().astype("int64")), axis))
    return input


def _grid_sample(
    emit: Emit, made: Made, input: Relax, grid: Relax, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Relax:
    """TVM has the coordinates ahead of the image's dimensions."""
    method, outside = (
        ("bilinear", "nearest", "bicubic")[interpolation_mode],
        ("zeros", "border", "reflection")[padding_mode],
    )
    places = emit(_op().permute_dims(grid, [0, 3, 1, 2]))
    return _op().image.grid_sample(input, places, method, "NCHW", outside, align_corners)


def _told_by_sizes(sizes: Sequence[int], wanted: Sequence[int], scales: Sequence[float] | None) -> bool:
    """Whether a resize does as the sizes before and after say: PyTorch takes places by the scales that it was given,
    also where what they give is rounded to a size."""
    if scales is None:
        return True
    return all(scale * size == after for scale, size, after in zip(scales, sizes, wanted, strict=True))


def _resized(name: str, emit: Emit, made: Made, self: Relax, **how: Any) -> Relax:
    """A resize that smooths."""
    import torch

    resize = getattr(torch.ops.aten, name).default
    sizes, wanted = _shape(self)[2:], [int(size) for size in made.shape[2:]]
    rows, columns = (
        resize(torch.eye(size)[None, None], [after, size], how["align_corners"])[0, 0]
        for size, after in zip(sizes, wanted, strict=True)
    )
    return _of_identity(emit, self, rows, columns)


def _between(
    name: str,
    method: str,
    emit: Emit,
    made: Made,
    input: Relax,
    output_size: Any = None,
    align_corners: bool = False,
    scale_factors: Any = None,
) -> Relax:
    import torch

    op, sizes, wanted = _op(), _shape(input)[2:], [int(size) for size in made.shape[2:]]
    if align_corners or _told_by_sizes(sizes, wanted, scale_factors):
        corners = "align_corners" if align_corners else "half_pixel"
        return op.image.resize2d(input, wanted, layout="NCHW", method=method, coordinate_transformation_mode=corners)
    resize = getattr(torch.ops.aten, name).vec
    rows, columns = (
        resize(torch.eye(size)[None, None], None, False, [scale, 1.0])[0, 0]
        for size, scale in zip(sizes, scale_factors, strict=True)
    )
    return _of_identity(emit, input, rows, columns)


def _of_identity(emit: Emit, self: Relax, rows: Any, columns: Any) -> Relax:
    """A resize is linear in each dimension: what PyTorch makes of the identity along its rows, by those of the image,
    says how."""
    op, kind = _op(), self.ty.dtype
    found = emit(op.matmul(_constant(rows.numpy(), kind), self))
    return op.matmul(found, _constant(np.ascontiguousarray(columns.numpy().T), kind))


_CONVERTED: dict[str, Callable[..., Relax]] = {
    "amax.default": partial(_reduced, "max"),
    "amin.default": partial(_reduced, "min"),
    "max.dim": partial(_extremum, "max"),
    "min.dim": partial(_extremum, "min"),
    "any.default": _any,
    "any.dim": _any,
    "any.dims": _any,
    "prod.dim_int": _prod,
    "var_mean.correction": _var_mean,
    "elu.default": _elu,
    "clamp.default": _clamp,
    "isfinite.default": _isfinite,
    "erfc.default": _erfc,
    "exp2.default": _exp2,
    "logaddexp.default": _logaddexp,
    "div.Tensor": _div,
    "div.Scalar": _div,
    "div.Tensor_mode": _div,
    "div.Scalar_mode": _div,
    "floor_divide.default": _floor_divide,
    "cat.default": _cat,
    "__lshift__.Scalar": partial(_shifted, "left_shift"),
    "__lshift__.Tensor": partial(_shifted, "left_shift"),
    "__rshift__.Scalar": partial(_shifted, "right_shift"),
    "__rshift__.Tensor": partial(_shifted, "right_shift"),
    "select.int": _select,
    "index.Tensor": _index,
    "index_put.default": _index_put,
    "scatter.src": partial(_scattered, "update"),
    "scatter_add.default": partial(_scattered, "add"),
    "scatter_reduce.two": _scatter_reduce,
    "unfold.default": _unfold,
    "adaptive_max_pool2d.default": _adaptive_max_pool,
    "avg_pool2d.default": _avg_pool,
    "native_group_norm.default": _group_norm,
    "upsample_nearest2d.vec": _nearest,
    "upsample_bilinear2d.vec": partial(_between, "upsample_bilinear2d", "linear"),
    "upsample_bicubic2d.vec": partial(_between, "upsample_bicubic2d", "cubic"),
    "grid_sampler_2d.default": _grid_sample,
    "_upsample_bilinear2d_aa.default": partial(_resized, "_upsample_bilinear2d_aa"),
    "_upsample_bicubic2d_aa.default": partial(_resized, "_upsample_bicubic2d_aa"),
}
