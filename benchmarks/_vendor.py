"""What PyTorch calls the operator of a tensor program: the same shapes, types and layout, by the vendor's library.

A program is recognised by its blocks, as models read them (`forerun.toolchains.tvm.text.described`): a matrix product,
a convolution (dense, depthwise, grouped; one to three axes), pooling by maxima, a mean, a softmax or a layer
normalisation, of what it is called with. Blocks before and after it (an addition, an activation) are `beyond` it: ours
computes them and the library does not, which is in the library's favour.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.errors import InputError
from forerun.toolchains.tvm._nodes import kind, shape, walk
from forerun.toolchains.tvm.space import parsed
from forerun.toolchains.tvm.text import described

Shape = tuple[int, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Operator:
    """Its name and options as `called` reads them, and the shapes of what it is called with."""

    name: str
    shapes: tuple[Shape, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    beyond: int = 0
    """Blocks of the program that compute something else."""
    last: bool = False
    """Whether channels are the last axis, of the weights the last two."""


def recognised(text: str) -> Operator:
    """The operator of a program, TVMScript of a module with the function `main`. Raises InputError for none of them."""
    program = _Program(text)
    if {program.types[number] for number in program.arguments} != {"float32"}:
        raise _not("its values are not all of the type float32")
    for rule in (_softmax, _layer_norm, _mean, _max_pool, _contraction):
        if found := rule(program):
            return found
    raise _not("its blocks are those of no operator that is known here")


def laid(operator: Operator, tensors: Sequence[Any]) -> list[Any]:
    """Tensors of a program's shapes as `called` takes them: channels that come last in memory are PyTorch's second
    axis, and its library's weights have them last, too."""
    if not operator.last:
        return list(tensors)
    data, *weights = tensors
    inner = range(1, data.dim() - 1)
    turned = [weight.permute(-1, -2, *(axis - 1 for axis in inner)) for weight in weights]
    return [data.permute(0, -1, *inner), *(_side_by_side(weight) for weight in turned)]


def _side_by_side(weight: Any) -> Any:
    import torch

    kinds = {4: torch.channels_last, 5: torch.channels_last_3d}
    return weight.contiguous(memory_format=kinds.get(weight.dim(), torch.contiguous_format))


def called(operator: Operator, tensors: Sequence[Any]) -> Any:
    """What PyTorch computes of what `laid` gives; channels are its second axis."""
    import torch
    from torch.nn import functional

    axes = len(operator.shapes[0]) - 2
    calls: dict[str, Callable[..., Any]] = {
        "matmul": lambda x, w, turned: torch.matmul(x, w.mT if turned else w),
        "conv": lambda x, w, **options: getattr(functional, f"conv{axes}d")(x, w, None, **options),
        "max pool": lambda x, **options: getattr(functional, f"max_pool{axes}d")(x, **options),
        "mean": lambda x, axes: x.mean(axes),
        "softmax": lambda x: x.softmax(-1),
        "layer norm": lambda x, w, b, eps: functional.layer_norm(x, w.shape, w, b, eps),
    }
    return calls[operator.name](*tensors, **operator.options)


def label(operator: Operator) -> str:
    """Its name as a table has it."""
    if operator.name != "conv":
        return operator.name
    shape = operator.shapes[0]
    kinds = {shape[-1 if operator.last else 1]: "depthwise ", 1: ""}
    return f"{kinds.get(operator.options['groups'], 'grouped ')}conv{len(shape) - 2}d"


def _not(why: str) -> InputError:
    return InputError("no operator of PyTorch", why, "leave it out")


@dataclass(frozen=True, slots=True)
class _Block:
    """`extents` of its axes by their letters; what it computes, and where a reduction starts (empty for none)."""

    extents: Mapping[str, int]
    equation: str
    start: str


class _Program:
    """Buffers by their numbers, arguments first, and the blocks."""

    def __init__(self, text: str) -> None:
        function = parsed(Source(text, LANGUAGE, "")).functions_items()[0][1]
        nodes = [part for part in walk(function.body) if kind(part) == "SBlock"]
        buffers = [*function.params, *(each for node in nodes for each in node.alloc_buffers)]
        _, lines = described(text)
        self.shapes = [shape(each) for each in buffers]
        self.types = [line.split(" ")[2] for line in lines if line.startswith(("arg ", "temp "))]
        said = [line for line in lines if line.startswith("block ")]
        found = [node for node in nodes if len(node.iter_vars)]
        if len(said) != len(found) or len(said) + len(buffers) != len(lines):
            raise _not("it has blocks of several statements, or without axes")
        self.blocks = [_block(line, node) for line, node in zip(said, found, strict=True)]
        self.arguments = range(len(function.params))

    def operator(self, name: str, inputs: Sequence[int], used: int, last: bool = False, **options: Any) -> Operator:
        """One that computes what `used` blocks do, of buffers that the program is called with."""
        if any(number not in self.arguments for number in inputs):
            raise _not(f"its {name} reads what it computes itself")
        shapes = tuple(self.shapes[one] for one in inputs)
        return Operator(name, shapes, options, len(self.blocks) - used, last)

    def reductions(self) -> list[_Block]:
        return [block for block in self.blocks if block.start]


def _block(line: str, node: Any) -> _Block:
    head, _, equation = line.partition(": ")
    letters = "abcdefghijklmnopqrstuvwxyz"
    extents = {letter: int(one.dom.extent) for letter, one in zip(letters, node.iter_vars, strict=False)}
    return _Block(extents, equation, head.partition(" from ")[2])


_SOFTMAX = (
    (r"(?P<max>\d+)\[(?P<rows>.*)\] = max\((?P=max)\[(?P=rows)\], (?P<x>\d+)\[(?P<all>.*)\]\)", "lowest"),
    (r"(?P<exp>\d+)\[{all}\] = exp\({x}\[{all}\] - {max}\[{rows}\]\)", ""),
    (r"(?P<sum>\d+)\[{rows}\] = (?P=sum)\[{rows}\] \+ {exp}\[{all}\]", "0.0"),
    (r"\d+\[{all}\] = {exp}\[{all}\] / {sum}\[{rows}\]", ""),
)
_LAYER_NORM = (
    (r"(?P<sum>\d+)\[(?P<rows>.*)\] = (?P=sum)\[(?P=rows)\] \+ (?P<x>\d+)\[(?P<all>.*)\]", "0.0"),
    (r"(?P<mean>\d+)\[{rows}\] = {sum}\[{rows}\] / (?P<n>[\d.]+)", ""),
    (
        r"(?P<var>\d+)\[{rows}\] = (?P=var)\[{rows}\] \+ "
        r"\({x}\[{all}\] - {mean}\[{rows}\]\) \* \({x}\[{all}\] - {mean}\[{rows}\]\)",
        "0.0",
    ),
    (
        r"\d+\[{all}\] = \({x}\[{all}\] - {mean}\[{rows}\]\) \* "
        r"rsqrt\({var}\[{rows}\] / {n} \+ (?P<eps>[\d.e-]+)\) \* (?P<w>\d+)\[(?P<last>\w)\] \+ (?P<b>\d+)\[(?P=last)\]",
        "",
    ),
)


def _sequence(program: _Program, patterns: Sequence[tuple[str, str]]) -> dict[str, str]:
    """What the first blocks with these equations say; empty where the program's reductions are others."""
    first = next((place for place, block in enumerate(program.blocks) if block.start), 0)
    blocks = program.blocks[first : first + len(patterns)]
    starts = [start for _, start in patterns if start]
    if [block.start for block in program.reductions()] != starts or len(blocks) < len(patterns):
        return {}
    said: dict[str, str] = {}
    for block, (pattern, start) in zip(blocks, patterns, strict=True):
        for name, value in said.items():
            pattern = pattern.replace(f"{{{name}}}", re.escape(value))
        match = re.fullmatch(pattern, block.equation)
        if match is None or block.start != start:
            return {}
        said |= match.groupdict()
    return said


def _last(said: Mapping[str, str]) -> bool:
    """Whether it reduces the last axis alone."""
    return said["all"].rpartition(", ")[0] == said["rows"]


def _softmax(program: _Program) -> Operator | None:
    said = _sequence(program, _SOFTMAX)
    return program.operator("softmax", [int(said["x"])], 4) if said and _last(said) else None


def _layer_norm(program: _Program) -> Operator | None:
    said = _sequence(program, _LAYER_NORM)
    if not said or not _last(said) or program.shapes[int(said["x"])][-1] != float(said["n"]):
        return None
    return program.operator("layer norm", [int(said[name]) for name in "xwb"], 4, eps=float(said["eps"]))


_MEAN = (
    (r"(?P<sum>\d+)\[(?P<rows>.*)\] = (?P=sum)\[(?P=rows)\] \+ (?P<x>\d+)\[(?P<all>[\w, ]*)\]", "0.0"),
    (r"\d+\[{rows}\] = {sum}\[{rows}\] / (?P<n>[\d.]+)", ""),
)


def _mean(program: _Program) -> Operator | None:
    said = _sequence(program, _MEAN)
    if not said:
        return None
    read, x = said["all"].split(", "), int(said["x"])
    axes = tuple(axis for axis, letter in enumerate(read) if letter not in said["rows"].split(", "))
    count = math.prod(program.shapes[x][axis] for axis in axes)
    return program.operator("mean", [x], 2, axes=axes) if count == float(said["n"]) else None


_MAX_POOL = re.compile(r"(\d+)\[(.*)\] = max\(\1\[\2\], (\d+)\[([^\[\]]*)\]\)")
_PRODUCT = re.compile(r"(\d+)\[(.*)\] = \1\[\2\] \+ (\d+)\[([^\[\]]*)\] \* (\d+)\[([^\[\]]*)\]")
_TERM = re.compile(r"([a-z])(?: \* (\d+))?")
_GROUP = re.compile(r"(\w)(?: // (\d+) \* (\d+))? \+ (\w)")


def _max_pool(program: _Program) -> Operator | None:
    reductions = program.reductions()
    match = _MAX_POOL.fullmatch(reductions[0].equation) if len(reductions) == 1 else None
    if match is None or reductions[0].start != "lowest":
        return None
    for last in (False, True):
        (written, out), (read, channel) = (_ordered(match[group].split(", "), last) for group in (2, 4))
        windows = _windows(written[1:], read[1:])
        if windows is None or (read[0], channel) != (written[0], out):
            continue
        letters, strides, dilations = windows
        x, padding, used = _unpadded(program, int(match[3]), "lowest", last)
        kernel = tuple(reductions[0].extents[letter] for letter in letters)
        options = {"kernel_size": kernel, "stride": strides, "padding": padding, "dilation": dilations}
        return program.operator("max pool", [x], 1 + used, last, **options)
    return None


def _ordered(axes: Sequence[T], last: bool) -> tuple[Sequence[T], T]:
    """All axes but that of channels, and that."""
    place = len(axes) - 1 if last else 1
    return [*axes[:place], *axes[place + 1 :]], axes[place]


def _contraction(program: _Program) -> Operator | None:
    reductions = program.reductions()
    match = _PRODUCT.fullmatch(reductions[0].equation) if len(reductions) == 1 else None
    if match is None or reductions[0].start != "0.0":
        return None
    x, w = int(match[3]), int(match[5])
    written, left, right = (match[group].split(", ") for group in (2, 4, 6))
    if (panels := _panels(right)) is not None:
        *others, lanes = program.shapes[w]
        right = [*right[:panels], *right[panels + 1 : -1], right[-1].partition(" % ")[0]]
        program.shapes[w] = (*others[:panels], *others[panels + 1 :], others[panels] * lanes)
    if found := _matmul(program, x, w, written, left, right):
        return found
    return next((one for last in (False, True) if (one := _conv(program, x, w, written, left, right, last))), None)


def _panels(read: Sequence[str]) -> int | None:
    """The axis that counts panels of the last one, where weights lie so."""
    letter, _, size = read[-1].partition(" % ")
    return next((place for place, index in enumerate(read[:-1]) if size and index == f"{letter} // {size}"), None)


def _matmul(program: _Program, x: int, w: int, out: list[str], left: list[str], right: list[str]) -> Operator | None:
    """Matrices are the last two axes, the second one turned or not; axes before them are of both or of the first."""
    if len(out) < 2 or left[:-1] != out[:-1] or left[-1] in out:
        return None
    (*batch, _, columns), inner = out, left[-1]
    for first in (batch, []):
        for turned, last in ((False, [inner, columns]), (True, [columns, inner])):
            if right == [*first, *last]:
                return program.operator("matmul", [x, w], 1, turned=turned)
    return None


def _conv(
    program: _Program, x: int, w: int, out: list[str], left: list[str], right: list[str], last: bool
) -> Operator | None:
    """Channels first, as PyTorch has them, or last, and those of weights, too: inner, then outer."""
    if len(left) < 3 or not len(out) == len(left) == len(right):
        return None
    block, weights = program.reductions()[0], program.shapes[w]
    (written, made), (read, channel) = _ordered(out, last), _ordered(left, last)
    window, outer, inner = (right[:-2], right[-1], right[-2]) if last else (right[2:], right[0], right[1])
    windows = _windows(written[1:], read[1:])
    if windows is None or read[0] != written[0] or outer != made or window != list(windows[0]):
        return None
    _, strides, dilations = windows
    x, padding, used = _unpadded(program, x, "0.0", last)
    kernel = (weights[-1], weights[-2]) if last else weights[:2]
    groups = _groups(_ordered(program.shapes[x], last)[1], kernel, made, channel, inner, block.extents)
    if groups is None:
        return None
    options = {"stride": strides, "padding": padding, "dilation": dilations, "groups": groups}
    return program.operator("conv", [x, w], 1 + used, last, **options)


def _windows(out: Sequence[str], read: Sequence[str]) -> tuple[tuple[str, ...], Shape, Shape] | None:
    """Of indices as `c * 2 + f`: the letters of the window, strides and dilations."""
    letters, strides, dilations = [], [], []
    if len(out) != len(read):
        return None
    for axis, index in zip(out, read, strict=True):
        terms = [match for term in index.split(" + ") if (match := _TERM.fullmatch(term))]
        steps = {match[1]: int(match[2] or 1) for match in terms}
        if len(steps) != 2 or len(terms) != index.count("+") + 1 or axis not in steps:
            return None
        strides.append(steps.pop(axis))
        letter, dilation = steps.popitem()
        letters.append(letter)
        dilations.append(dilation)
    return tuple(letters), tuple(strides), tuple(dilations)


def _groups(channels: int, kernel: Shape, out: str, read: str, inner: str, extents: Mapping[str, int]) -> int | None:
    """How many groups of channels there are, where the index of the channel that is read says so."""
    if read == inner:
        return 1
    match = _GROUP.fullmatch(read)
    if match is None or match[1] != out or match[4] != inner or channels % kernel[1]:
        return None
    groups = channels // kernel[1]
    outer, width = int(match[2] or 1), int(match[3] or 1)
    return groups if outer * groups == kernel[0] and width == kernel[1] == extents[inner] else None


def _unpadded(program: _Program, number: int, value: str, last: bool) -> tuple[int, Shape, int]:
    """What a buffer is a padded copy of, the padding of its inner axes, and how many blocks that takes."""
    pattern = re.compile(rf"{number}\[(.*)\] = (?:if_then_else\(.*, )?(\d+)\[([^\[\]]*)\](?:, (.*)\))?")
    none = (number, (0,) * (len(program.shapes[number]) - 2), 0)
    match = next((found for block in program.blocks if (found := pattern.fullmatch(block.equation))), None)
    if match is None or match[4] not in (None, value):
        return none
    letters, indices = match[1].split(", "), match[3].split(", ")
    shifts = [re.fullmatch(rf"{letter}(?: - (\d+))?", index) for letter, index in zip(letters, indices, strict=False)]
    if len(letters) != len(indices) or None in shifts:
        return none
    padding = tuple(int(shift[1] or 0) for shift in shifts if shift)
    inner, outer = program.shapes[int(match[2])], program.shapes[number]
    (batch, *sides), channels = _ordered(padding, last)
    if outer != tuple(size + 2 * pad for size, pad in zip(inner, padding, strict=True)) or batch or channels:
        raise _not("its padding is not the same on both sides")
    return int(match[2]), tuple(sides), 1
