"""A kernel with the arguments of one launch: all that is needed to run it again on random data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forerun.toolchains.onnx.graph import WIDTHS

CPP, TRITON = "c++", "triton"
"""The languages of kernels: for processors, and for GPUs."""

DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool", "complex64": "c64",
}  # fmt: skip
"""PyTorch's names of types, and the short ones that models read."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """What an argument points to: `elements` from its pointer to the end of its memory, `shape` of them seen."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    elements: int

    @property
    def seen(self) -> int:
        """Elements that the shape names, each once however often a stride of 0 repeats it."""
        sizes = (size for size, stride in zip(self.shape, self.strides, strict=True) if stride)
        return 0 if 0 in self.shape else math.prod(sizes)

    @property
    def size_bytes(self) -> float:
        """Of the elements that are seen."""
        return self.seen * WIDTHS[DTYPES[self.dtype]]

    @property
    def contiguous(self) -> bool:
        """Whether the strides are those that the shape implies."""
        expected, wanted = [], 1
        for size in reversed(self.shape):
            expected.append(wanted)
            wanted *= size
        pairs = zip(self.shape, self.strides, reversed(expected), strict=True)
        return all(stride == usual for size, stride, usual in pairs if size != 1)

    def __str__(self) -> str:
        """`2x64`, strides that are not the usual ones: `2x64@1,2`, a type other than f32: `2x64:i64`."""
        sizes = "x".join(map(str, self.shape)) or "scalar"
        strides = "" if self.contiguous else "@" + ",".join(map(str, self.strides))
        short = DTYPES[self.dtype]
        return f"{sizes}{strides}" + (f":{short}" if short != "f32" else "")


Argument = Tensor | int | float


@dataclass(frozen=True, slots=True)
class Kernel:
    """`code` is Inductor's own; `name` is the function in it, `arguments` are in the order of its parameters."""

    lang: str
    name: str
    code: str
    arguments: Mapping[str, Argument]

    @property
    def scalars(self) -> dict[str, int]:
        """The arguments that are whole numbers, by name: sizes, mostly."""
        return {name: value for name, value in self.arguments.items() if isinstance(value, int)}

    def serialised(self) -> bytes:
        """The inverse of `parse`; always the same for the same kernel."""
        values = {name: _packed(value) for name, value in self.arguments.items()}
        return json.dumps([self.lang, self.name, self.code, values], separators=(",", ":")).encode()

    @classmethod
    def parse(cls, data: bytes) -> Kernel:
        """What was serialised. Raises ValueError."""
        lang, name, code, values = json.loads(data)
        return cls(lang, name, code, {key: _unpacked(value) for key, value in values.items()})


def _packed(value: Argument) -> Any:
    return [value.dtype, value.shape, value.strides, value.elements] if isinstance(value, Tensor) else value


def _unpacked(value: Any) -> Argument:
    if not isinstance(value, list):
        return value  # type: ignore[no-any-return]
    dtype, shape, strides, elements = value
    return Tensor(dtype, tuple(shape), tuple(strides), elements)
