"""exp, erf, tanh and small powers of float32 as arithmetic: TVM's are calls of the C library, on GPUs of fast ones.

Such a call is made for each element, even in a vectorised loop. On one core with AVX-512, half a million elements: erf
takes 6.8 ms there and .34 here, exp 1.5 and .13, tanh 3.8 and .44, a cube 5.7 and .05. The results are within one unit
in the last place of the right ones (fourth powers two), infinities and NaN as they should be; what would be denormal
may be 0. The methods are those of Cody and Waite (Software Manual for the Elementary
Functions, 1980); the coefficients are our own, of the least maximum relative error, found by Lawson's iteration, each
rounded to float32 before the next was.

On GPUs it is tanh and small powers alone. TVM has CUDA's compiler use its fast functions: those of exp and the like are
right to some 1e-6, but tanh is off by up to 5e-4, and of a power of a negative number the fast one is NaN.

They take the place of TVM's rules when TVM is loaded: its passes ask for them when a kernel is compiled, after
scheduling, so that programs, schedules and features are as they were. A kernel tuned with them and compiled without is
right and slower.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

_EXP = (0.4999999403953552, 0.1666652113199234, 0.04166826233267784, 0.008368674665689468, 0.0013821055181324482)
"""exp(r) = 1 + r + r² P(r) for |r| ≤ ln 2 / 2, within 3.1e-9."""
_TANH = (-0.3333328068256378, 0.13331405818462372, -0.05373651534318924, 0.02062816731631756, -0.005692296661436558)
"""tanh(x) = x + x³ P(x²) for |x| ≤ .625, within 4.5e-9."""
_ERF = (
    0.12837916612625122, -0.3761262595653534, 0.11283578723669052, -0.026853347197175026, 0.005187162198126316,
    -0.0007997853099368513, 7.806903886375949e-05,
)  # fmt: skip
"""erf(x) = x + x P(x²) for |x| ≤ 1, within 1.4e-9."""
_ERFC = (
    0.0003537193115334958, 1.1270400285720825, 0.6382256746292114, 0.10303741693496704, -0.021805383265018463,
    0.0029396400786936283, -0.0001855797745520249,
)  # fmt: skip
"""erf(t) = 1 - exp(-P(t)) for 1 ≤ t ≤ 4, within 1e-9. From 4 on, float32 knows it as 1."""
_LOG2E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 0.693359375, -2.12194440e-4
"""ln 2 in two parts, of which the first has so few digits that its multiples are exact."""
_ROUND, _ROUND_BITS = 12582912.0, 0x4B400000
"""1.5 times 2^23: what is added to it is rounded to a whole number, which stands in its last bits."""
_LEAST, _MOST = -86.64, 88.72283
"""Below, exp is less than the least normal number twice over, and 0 here; above it is infinite."""

_FLOAT32 = re.compile(r"float32(x\d+)?")
"""Numbers, and vectors whose length is known."""

Rule = Callable[..., Any]
"""What a call becomes, by what is known of its numbers and by its arguments; None where TVM's own rule is as good."""


@cache
def register(tvm: Any) -> None:
    """Has TVM lower these functions so for processors and GPUs, where they are of float32; all others as it did.

    TVM takes a rule once: a second call does nothing.
    """
    rules: dict[str, Rule] = {"exp": _exp, "erf": _erf, "tanh": _tanh, "pow": _pow}
    for name, rule in rules.items():
        _replace(tvm, "llvm", name, rule)
    for name in ("tanh", "pow"):
        _replace(tvm, "cuda", name, rules[name])


def _replace(tvm: Any, target: str, name: str, rule: Rule) -> None:
    op = tvm.ir.Op.get(f"tirx.{name}")
    before = op.get_attr(f"{target}.FLowerIntrinsic") or op.get_attr("default.FLowerIntrinsic")

    def lowered(call: Any) -> Any:
        found, dtype = None, str(call.ty.dtype)
        if _FLOAT32.fullmatch(dtype):
            numbers, (first, *others) = _Numbers(tvm.tirx, dtype), call.args
            found = numbers.named(first, lambda x: rule(numbers, x, *others))
        return before(call) if found is None else found

    tvm.tirx.register_intrin_lowering(op.name, target=target, f=lowered, level=99)


class _Numbers:
    """Constants of the type of a call, which is a vector's in a vectorised loop; and its operations."""

    def __init__(self, tirx: Any, dtype: str) -> None:
        self.tirx, self.dtype, self.bits = tirx, dtype, dtype.replace("float", "int")

    def __call__(self, value: float) -> Any:
        return self.tirx.const(value, self.dtype)

    def named(self, value: Any, then: Rule) -> Any:
        """`then` of a value, which is computed once; None where it gives none."""
        name = self.tirx.Var("x", self.dtype)
        found = then(name)
        return None if found is None else self.tirx.Let(name, value, found)

    def polynomial(self, x: Any, coefficients: tuple[float, ...]) -> Any:
        """The first coefficient is the constant one."""
        found = self(coefficients[-1])
        for each in reversed(coefficients[:-1]):
            found = found * x + self(each)
        return found

    def clamped(self, x: Any, least: float, most: float) -> Any:
        """NaN stays: these give their second operand where neither is less."""
        return self.tirx.Max(self(least), self.tirx.Min(self(most), x))

    def odd(self, x: Any, near: Any, limit: float, far: Any) -> Any:
        """`near` up to a limit, beyond it `far` with the sign of `x`. Both are computed, once."""
        select = self.tirx.Select
        signed = self.named(far, lambda y: select(x < self(0), self(0) - y, y))
        return select(self.tirx.abs(x) < self(limit), near, signed)


def _exp(n: _Numbers, x: Any) -> Any:
    """2^k exp(r), where x = k ln 2 + r. The power has two factors: k may be 128, which none alone can be."""
    tirx = n.tirx

    def reduced(x: Any) -> Any:
        return n.named(x * n(_LOG2E) + n(_ROUND), lambda shifted: scaled(x, shifted))

    def scaled(x: Any, shifted: Any) -> Any:
        k = shifted - n(_ROUND)
        exponent = tirx.reinterpret(n.bits, shifted) + tirx.const(126 - _ROUND_BITS, n.bits)
        half = tirx.reinterpret(n.dtype, tirx.shift_left(exponent, tirx.const(23, n.bits)))
        rest = x - k * n(_LN2_HIGH) - k * n(_LN2_LOW)
        return n.named(rest, lambda r: (n.polynomial(r, _EXP) * (r * r) + r + n(1)) * half * n(2))

    found = n.named(n.clamped(x, _LEAST, _MOST), reduced)
    return tirx.Select(x > n(_MOST), n(math.inf), tirx.Select(x < n(_LEAST), n(0), found))


def _tanh(n: _Numbers, x: Any) -> Any:
    near = n.polynomial(x * x, _TANH) * (x * x) * x + x
    return n.odd(x, near, 0.625, n(1) - n(2) / (n.tirx.exp(n(2) * n.tirx.abs(x)) + n(1)))


def _erf(n: _Numbers, x: Any) -> Any:
    bounded = n.clamped(x, -4.0, 4.0)
    near = n.polynomial(bounded * bounded, _ERF) * bounded + bounded
    return n.odd(x, near, 1.0, n(1) - n.tirx.exp(n(0) - n.polynomial(n.tirx.abs(bounded), _ERFC)))


def _pow(_: _Numbers, x: Any, power: Any) -> Any:
    """Squares, cubes and fourth powers."""
    value = getattr(power, "value", None)  # of a constant, or of a vector of one
    known: Any = getattr(value, "value", value)
    return {2.0: x * x, 3.0: x * x * x, 4.0: (x * x) * (x * x)}.get(known)
