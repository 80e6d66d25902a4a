"""Elementary functions of float32 are arithmetic on processors, as right as the C library's."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

from forerun.toolchains.tvm._load import load

TARGET = {"kind": "llvm", "num-cores": 1}
MANY = 1 << 14
SPECIAL = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    88.72283,
    88.72284,
    -86.6,
    -87.3,
    -103.0,
    1e-30,
    1e38,
    -3.4e38,
    1e-45,
]
EXACT = {
    "exp": np.exp,
    "erf": np.vectorize(math.erf),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "pow2": lambda x: x**2,
    "pow3": lambda x: x**3,
    "pow4": lambda x: x**4,
}
WITHIN = {"sigmoid": 2, "pow4": 2}
"""Units in the last place; of all others 1."""


def compiled(name, dtype="float32", lanes=16):
    """A kernel of one function of `MANY` elements, vectorised where there are lanes, and the text of its LLVM IR."""
    tvm = load()
    from tvm import te, tirx

    def value(x):
        return tirx.pow(x, tirx.const(float(name[3:]), dtype)) if name.startswith("pow") else getattr(tirx, name)(x)

    given = te.placeholder((MANY,), dtype, name="given")
    schedule = tvm.s_tir.Schedule(te.create_prim_func([given, te.compute((MANY,), lambda i: value(given[i]), "made")]))
    if lanes:
        _, inner = schedule.split(schedule.get_loops("made")[0], [None, lanes])
        schedule.vectorize(inner)
    library = tvm.compile(schedule.mod, target=tvm.target.Target(TARGET))
    return library, library.mod.inspect_source("ll")


def answers(library, given):
    tvm = load()
    made = tvm.runtime.tensor(np.zeros_like(given))
    library(tvm.runtime.tensor(given), made)
    return made.numpy()


@pytest.mark.parametrize("lanes", [0, 16])
@pytest.mark.parametrize("name", EXACT)
def test_within_a_unit_in_the_last_place(name, lanes):
    draw = np.random.default_rng(7)
    wide = np.exp(draw.uniform(-20, 5, MANY // 2)) * draw.choice([-1, 1], MANY // 2)
    given = np.concatenate([draw.normal(size=MANY // 2) * 4, wide]).astype(np.float32)
    given[: len(SPECIAL)] = SPECIAL
    library, text = compiled(name, lanes=lanes)
    found = answers(library, given)
    with np.errstate(all="ignore"):
        right = EXACT[name](given.astype(np.float64)).astype(np.float32)
        normal = np.isfinite(right) & (np.abs(right) > 2.4e-38)
        units = np.abs(found[normal].astype(np.float64) - right[normal]) / np.spacing(np.abs(right[normal]))
    assert units.max() <= WITHIN.get(name, 1)
    assert np.array_equal(found[~np.isfinite(right)], right[~np.isfinite(right)], equal_nan=True)
    assert np.abs(found[np.isfinite(right) & ~normal]).max(initial=0.0) <= 2.4e-38
    assert not [each for each in ("exp", "erf", "tanh", "pow") if f"@{each}" in text or f"@llvm.{each}" in text]


@pytest.mark.parametrize(("name", "dtype"), [("exp", "float64"), ("erf", "float64"), ("pow5", "float32")])
def test_others_stay_as_they_were(name, dtype):
    load.cache_clear()  # TVM may be loaded again
    library, text = compiled(name, dtype, lanes=0)
    assert f"@{name[:3]}" in text or f"@llvm.{name[:3]}" in text
    given = np.linspace(0.5, 4, MANY).astype(dtype)
    right = given**5 if name == "pow5" else EXACT[name](given)
    assert np.allclose(answers(library, given), right, rtol=1e-6)
