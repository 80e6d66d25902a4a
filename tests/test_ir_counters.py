"""What is left of LLVM IR, counted by hand: one small function for each thing that optimisers do."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.tasks._counters import counters
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm._folding import arithmetic, compares, wrapped
from forerun.toolchains.llvm._ir import read
from forerun.toolchains.llvm._layout import Layout
from forerun.toolchains.llvm.counts import counts
from tests.conftest import CHECKSUM


def left(body: str, returned: str = "void", parameters: str = "", around: str = "") -> dict[str, float]:
    """What is left of one function: its counters that are not zero, but for those that every function has."""
    found = counts(f"{around}\ndefine {returned} @f({parameters}) {{\n{body}\n}}\n")
    assert found["kept"] == 1, found
    return {
        name: value
        for name, value in found.items()
        if value and name not in ("functions", "local", "kept", "blocks", "globals")
    }


def check(found: dict[str, float], **expected: float) -> None:
    assert {name: found.get(name, 0) for name in expected} == expected


def test_what_is_known_before_it_runs_is_not_computed() -> None:
    body = """  %1 = alloca i32, align 4
  store i32 38, ptr %1, align 4
  %2 = load i32, ptr %1, align 4
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %6

4:                                                ; preds = %0
  %5 = call i32 @g(i32 1)
  br label %6

6:                                                ; preds = %4, %0
  ret void"""
    assert left(body) == {"instructions": 1}


def test_variables_that_differ_by_the_way_are_joined() -> None:
    body = """  %2 = alloca i32
  %3 = alloca i32
  store i32 %0, ptr %2
  store i32 5, ptr %3
  %4 = load i32, ptr %2
  %5 = icmp slt i32 %4, 9
  br i1 %5, label %6, label %7
6:
  store i32 7, ptr %3
  br label %7
7:
  %8 = load i32, ptr %3
  ret i32 %8"""
    assert left(body, "i32", "i32 %0") == {"instructions": 2, "phis": 1, "phi_constants": 2}, "selected, not branched"
    assert left(body.replace("i32 7", "i32 5"), "i32", "i32 %0") == {"instructions": 2}, "the same on both ways"
    summed = body.replace("  store i32 7, ptr %3", "  %9 = add i32 %0, 2\n  store i32 %9, ptr %3")
    check(left(summed, "i32", "i32 %0"), conditions=0, arithmetic=1)
    divided = body.replace("  store i32 7, ptr %3", "  %9 = sdiv i32 %0, 3\n  store i32 %9, ptr %3")
    check(left(divided, "i32", "i32 %0"), conditions=1, divisions=1)
    called = body.replace("  store i32 7, ptr %3", "  %9 = call i32 @g()\n  store i32 %9, ptr %3")
    assert left(called, "i32", "i32 %0") == {
        "instructions": 3, "tails": 1, "conditions": 1, "phis": 1, "phi_constants": 1, "phi_values": 1,
    }, "what is called gives what is returned"  # fmt: skip


LOOP = """  %2 = alloca i32
  store i32 0, ptr %2
  br label %3
3:
  %4 = load i32, ptr %2
  %5 = icmp slt i32 %4, %0
  br i1 %5, label %6, label %9
6:
  %7 = load i32, ptr %2
  %8 = add nsw i32 %7, 1
  store i32 %8, ptr %2
  BODY
  br label %3
9:
  ret void"""


def test_a_loop_keeps_what_goes_round() -> None:
    found = left(LOOP.replace("BODY", "store i8 1, ptr @a"), parameters="i32 %0")
    assert found == {
        "instructions": 4, "arithmetic": 1, "stores": 1, "small": 1, "references": 1, "conditions": 1, "loops": 1,
        "inner_stores": 1, "straight_loops": 1, "phis": 1, "phi_values": 1,
    }  # fmt: skip
    found = left(LOOP.replace("BODY", "call void @g()"), parameters="i32 %0")
    check(found, calls=1, loops=1, inner_stores=0, straight_loops=0, registers=2, spilled=0)


def test_a_loop_whose_end_is_never_reached_is_none() -> None:
    body = LOOP.replace("BODY", "call void @g()\n  br i1 true, label %9, label %10\n10:")
    check(left(body, parameters="i32 %0"), loops=0, phis=0, calls=0, tails=1)


def test_parts_of_structures_are_variables() -> None:
    body = """  %3 = alloca %struct.pair, align 8
  %4 = getelementptr inbounds nuw %struct.pair, ptr %3, i32 0, i32 1
  store i64 %1, ptr %4
  %5 = getelementptr inbounds nuw %struct.pair, ptr %3, i32 0, i32 0
  store i8 3, ptr %5
  %6 = getelementptr inbounds nuw %struct.pair, ptr %3, i32 0, i32 1
  %7 = load i64, ptr %6
  ret i64 %7"""
    around = "%struct.pair = type { i8, i64 }"
    assert left(body, "i64", "ptr %0, i64 %1", around) == {"instructions": 1}
    known = body.replace("  ret", "  call void @g(ptr %3)\n  ret")
    check(left(known, "i64", "ptr %0, i64 %1", around), own=1, with_own=1, own_args=1, stores=2, calls=1)


def test_a_variable_that_is_given_to_what_is_inlined_becomes_a_value() -> None:
    text = """define i32 @f() {
  %1 = alloca i32
  call void @init(ptr %1)
  %2 = load i32, ptr %1
  ret i32 %2
}
define internal void @init(ptr %0) {
  %2 = alloca ptr
  store ptr %0, ptr %2
  %3 = load ptr, ptr %2
  store i32 4, ptr %3
  ret void
}
"""
    found = counts(text)
    check(found, functions=2, local=1, kept=1, instructions=1, stores=0, own=0)
    volatile = counts(text.replace("store i32 4", "store volatile i32 4"))
    check(volatile, instructions=3, stores=1, loads=1, own=1)


INLINED = """define void @f(i32 %0) {
  call void @other(i32 %0)
  call void @other(i32 7)
  ret void
}
define internal void @other(i32 %0) #0 {
  %2 = icmp sgt i32 %0, 5
  br i1 %2, label %3, label %4
3:
  call void @g(i32 %0)
  br label %4
4:
  ret void
}
attributes #0 = { ATTRIBUTES nounwind }
"""


def test_what_is_inlined_counts_where_it_is_called() -> None:
    """With a constant the condition is none."""
    for attributes in ("alwaysinline", "alwaysinline minsize", "uwtable"):
        check(counts(INLINED.replace("ATTRIBUTES", attributes)), kept=1, conditions=1, calls=1, tails=1)
    for attributes in ("minsize", "noinline"):  # of more code than a call is
        check(counts(INLINED.replace("ATTRIBUTES", attributes)), kept=2, conditions=1, calls=1, tails=2)


def test_functions_that_nobody_calls_are_not_counted() -> None:
    text = """define internal void @unused() {
  call void @also()
  call void @also()
  ret void
}
define internal void @also() #0 {
  %1 = sdiv i32 7, %0
  ret void
}
define linkonce_odr void @header() {
  call void @g()
  ret void
}
define available_externally void @elsewhere() {
  call void @g()
  ret void
}
attributes #0 = { noinline }
"""
    check(counts(text), functions=3, local=2, kept=0, instructions=0, calls=0)
    used = "@table = constant [1 x ptr] [ptr @header]\n" + text
    check(counts(used), kept=1, instructions=2, tails=1, globals=8)


def test_functions_that_call_themselves_are_kept() -> None:
    body = "define internal void @NAME() #0 {\n  call void @OTHER()\n  ret void\n}\n"
    two = body.replace("NAME", "a").replace("OTHER", "b") + body.replace("NAME", "b").replace("OTHER", "a")
    caller = "define void @f() {\n  call void @a()\n  call void @b()\n  ret void\n}\n"
    found = counts(f"{two}{caller}attributes #0 = {{ nounwind alwaysinline }}\n")
    assert 1 <= found["kept"] <= 3 and found["calls"] + found["tails"] >= 1


def test_what_was_computed_is_not_computed_again() -> None:
    body = """  %3 = add i32 %0, %1
  %4 = add i32 %1, %0
  %5 = mul i32 %3, %4
  %6 = icmp eq i32 %0, %1
  br i1 %6, label %7, label %9
7:
  %8 = add i32 %0, %1
  store i32 %8, ptr @a
  br label %9
9:
  %10 = add i32 %0, %1
  %11 = mul i32 %10, %5
  ret i32 %11"""
    check(left(body, "i32", "i32 %0, i32 %1"), arithmetic=1, multiplications=2, conditions=1, stores=1)


def test_memory_is_known_within_a_block() -> None:
    body = """  %2 = load i32, ptr %0, !tbaa !1
  BETWEEN
  %3 = load i32, ptr %0, !tbaa !1
  %4 = add i32 %2, %3
  ret i32 %4"""
    between = {
        "store i32 7, ptr @a, !tbaa !1": 2,
        "store i64 7, ptr @a, !tbaa !2": 1,
        "call void @g()": 2,
        "%5 = call i32 @read(ptr %0)": 1,
        "%5 = load volatile i32, ptr @a": 2,
        "fence seq_cst": 2,
    }
    around = "declare i32 @read(ptr) #0\nattributes #0 = { nounwind willreturn memory(read) }\n"
    for text, loads in between.items():
        check(left(body.replace("BETWEEN", text), "i32", "ptr %0", around), loads=loads)
    check(left(body.replace("load i32", "load volatile i32"), "i32", "ptr %0"), loads=2)


def test_branches_tell_what_holds_behind_them() -> None:
    body = """  %2 = icmp ult i32 %0, 4
  br i1 %2, label %3, label %8
3:
  %4 = icmp uge i32 %0, 4
  br i1 %4, label %5, label %6
5:
  call void @g()
  br label %6
6:
  %7 = call i32 @h()
  br label %8
8:
  ret void"""
    check(left(body, parameters="i32 %0"), conditions=1, calls=0, tails=1)


def test_what_nothing_uses_is_dropped() -> None:
    body = """  %2 = load i32, ptr %0
  %3 = sdiv i32 %2, 3
  %4 = call i32 @pure(i32 %3)
  %5 = call i32 @effect(i32 1)
  ret void"""
    around = "declare i32 @pure(i32) #0\nattributes #0 = { nounwind willreturn memory(none) }\n"
    assert left(body, "void", "ptr %0", around) == {"instructions": 2, "tails": 1, "constant_args": 1}


def test_a_call_and_a_return_are_one_jump() -> None:
    text = "  %2 = call i32 @g(i32 %0)\n  BETWEEN\n  ret i32 RETURNED"
    jump = text.replace("BETWEEN\n  ", "").replace("RETURNED", "%2")
    check(left(jump, "i32", "i32 %0"), tails=1, calls=0)
    check(left(jump.replace("i32 %2", "i32 %0"), "i32", "i32 %0"), tails=0, calls=1)
    check(left(text.replace("BETWEEN", "store i32 1, ptr @a").replace("RETURNED", "%2"), "i32", "i32 %0"), calls=1)
    own = "  %2 = alloca i32\n  call void @g(ptr %2)\n  ret void"
    check(left(own, "void", "i32 %0"), tails=0, calls=1, own=1, own_args=1)


def test_arguments_in_their_places_cost_nothing() -> None:
    body = "  %3 = call i32 @g(i32 %0, i32 %1)\n  ret i32 %3"
    check(left(body, "i32", "i32 %0, i32 %1"), moved_args=0)
    check(left(body.replace("i32 %0, i32 %1)", "i32 %1, i32 %0)"), "i32", "i32 %0, i32 %1"), moved_args=2)
    check(left(body.replace("i32 %0, i32 %1)", "i32 0, i32 7)"), "i32", "i32 %0, i32 %1"), constant_args=1)


def test_equal_ends_count_once() -> None:
    body = """  %3 = icmp sgt i32 %0, %1
  br i1 %3, label %4, label %6
4:
  store i32 %0, ptr @b
  %5 = call i32 @g(i32 1)
  store i32 %5, ptr @a
  ret void
6:
  %7 = call i32 @g(i32 1)
  store i32 %7, ptr @a
  ret void"""
    check(left(body, "void", "i32 %0, i32 %1"), merged=2, calls=1, stores=2)
    check(left(body.replace("%7, ptr @a", "%7, ptr @c"), "void", "i32 %0, i32 %1"), merged=0, calls=2, stores=3)


SWITCH = """  switch i8 %0, label %2 [
CASES
  ]
2:
  ret i32 0
3:
  %4 = call i32 @g()
  ret i32 %4
5:
  %6 = call i32 @h()
  ret i32 %6"""


def switched(cases: dict[int, int]) -> dict[str, float]:
    lines = "\n".join(f"    i8 {value}, label %{label}" for value, label in cases.items())
    return left(SWITCH.replace("CASES", lines), "i32", "i8 %0")


def test_cases_of_a_switch() -> None:
    digits = dict.fromkeys(range(48, 58), 3)
    check(switched(digits), runs=1, cases=0, bits=0)
    check(switched(digits | dict.fromkeys(range(97, 103), 5)), runs=2)
    check(switched(dict.fromkeys((1, 5, 9), 3)), bits=1, runs=0)
    check(switched({value: (3, 5)[value % 2] for value in range(20)}), cases=20, runs=0)
    check(switched({value * 30: (3, 5)[value % 2] for value in range(4)}), cases=0, runs=4)
    check(switched({1: 3, 2: 2}), runs=1)
    known = left(SWITCH.replace("i8 %0", "i8 7").replace("CASES", "    i8 7, label %5"), "i32", "i8 %0")
    assert known == {"instructions": 2, "tails": 1}


def test_addresses_fold_into_loads_and_stores() -> None:
    body = """  %3 = add nsw i32 %1, 1
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds TYPE, ptr %0, i64 %4
  %6 = load i32, ptr %5
  ret i32 %6"""
    found = left(body.replace("TYPE", "i32"), "i32", "ptr %0, i32 %1")
    check(found, arithmetic=0, indexed=1, displaced=1, scaled=0, loads=1)
    check(left(body.replace("TYPE", "[3 x i32]"), "i32", "ptr %0, i32 %1"), indexed=1, displaced=1, scaled=1)
    check(left(body.replace("i32 %1, 1", "i32 %1, 0"), "i32", "ptr %0, i32 %1"), indexed=1, displaced=0)
    check(left(body.replace("ptr %0, i64", "ptr @a, i64"), "i32", "ptr %0, i32 %1"), references=1)


@pytest.mark.parametrize(
    ("operation", "counter"),
    [
        ("add i32 %0, 0", ""),
        ("sub i32 %0, %0", ""),
        ("and i32 %0, -1", ""),
        ("mul i32 %0, 8", "shifts"),
        ("udiv i32 %0, 16", "shifts"),
        ("urem i32 %0, 16", "arithmetic"),
        ("sdiv i32 %0, 16", "divisions"),
        ("mul i32 %0, %1", "multiplications"),
        ("srem i32 %0, %1", "divisions"),
        ("xor i32 undef, %1", ""),
        ("udiv i32 %0, 0", ""),
        ("shl i32 1, 40", ""),
        ("add i32 2147483647, 1", ""),
        ("select i1 true, i32 %0, i32 %1", ""),
    ],
)
def test_arithmetic_is_done_before_it_runs_and_counted_by_kind(operation: str, counter: str) -> None:
    found = left(f"  %3 = {operation}\n  ret i32 %3", "i32", "i32 %0, i32 %1")
    assert found == {"instructions": 1 + bool(counter)} | ({counter: 1} if counter else {})


def test_conditions_of_one_bit() -> None:
    body = """  %3 = icmp slt i32 %0, %1
  %4 = zext i1 %3 to i32
  %5 = icmp PREDICATE i32 %4, NUMBER
  %6 = xor i1 %5, true
  %7 = xor i1 %6, true
  br i1 %7, label %8, label %9
8:
  call void @g()
  br label %9
9:
  ret void"""
    for predicate, number in (("ne", 0), ("eq", 1)):
        text = body.replace("PREDICATE", predicate).replace("NUMBER", str(number))
        assert left(text, "void", "i32 %0, i32 %1") == {"instructions": 3, "tails": 1, "conditions": 1}, (
            "one comparison"
        )
    assert left(body.replace("PREDICATE", "eq").replace("NUMBER", "2"), "void", "i32 %0, i32 %1") == {"instructions": 1}


def test_bits_that_turn_round_are_one_shift() -> None:
    body = "  %2 = shl i32 %0, 7\n  %3 = lshr i32 %0, 25\n  %4 = or i32 %2, %3\n  ret i32 %4"
    assert left(body, "i32", "i32 %0") == {"instructions": 2, "shifts": 1}
    check(left(body.replace("25", "24"), "i32", "i32 %0"), shifts=2, arithmetic=1)


def test_a_truth_of_two_ways_is_joined() -> None:
    """The entry is a block without a label: what comes from there is named by the number behind the parameters."""
    body = """  %3 = icmp eq i32 %0, 0
  br i1 %3, label %6, label %4
4:
  %5 = call i1 @g()
  br label %6
6:
  %7 = phi i1 [ true, %2 ], [ %5, %4 ]
  ret i1 %7"""
    check(left(body, "i1", "i32 %0, i32 %1"), phis=1, phi_constants=1, calls=0, tails=1, conditions=1)


def test_kinds_of_calls() -> None:
    body = """  %2 = load ptr, ptr %0
  %3 = call i32 %2(i32 1)
  %4 = call i32 (ptr, ...) @printf(ptr @s, i32 %3)
  call void asm sideeffect "cpuid\\0A\\09nop;nop", "~{memory}"()
  call void asm sideeffect "", "~{memory}"()
  call void @llvm.memcpy.p0.p0.i64(ptr %0, ptr %2, i64 40, i1 false)
  call void @llvm.memset.p0.i64(ptr %0, i8 0, i64 4000, i1 false)
  call void @llvm.trap()
  call void @llvm.va_start.p0(ptr %0)
  call void @llvm.lifetime.start.p0(ptr %0)
  %5 = call double @llvm.fabs.f64(double 1.0)
  ret void"""
    found = left(body, "void", "ptr %0")
    check(found, indirect=1, varargs=1, assembly=3, copied=3, copies=1, intrinsics=1, variadic=1, loads=1, references=1)
    assert found["calls"] == 3 and "tails" not in found


def test_floats_vectors_and_wide_ones() -> None:
    body = """  %3 = fadd double %0, %1
  %4 = fptosi double %3 to i64
  %5 = add i64 %4, 12345678901
  %6 = insertelement <2 x i64> zeroinitializer, i64 %5, i32 0
  %7 = add <2 x i64> %6, %6
  store <2 x i64> %7, ptr @a
  %8 = trunc i64 %5 to i16
  store i16 %8, ptr @b
  ret void"""
    found = left(body, "void", "double %0, double %1")
    check(found, floats=2, conversions=1, vectors=3, literals=1, wide=1, free=1, small=1, stores=2, arithmetic=2)


def test_an_index_that_is_shifted_is_a_scale() -> None:
    body = "  %3 = shl i64 %1, NUMBER\n  %4 = getelementptr i8, ptr %0, i64 %3\n  %5 = load i8, ptr %4\n  ret i8 %5"
    check(left(body.replace("NUMBER", "3"), "i8", "ptr %0, i64 %1"), shifts=0, indexed=1, scaled=0)
    check(left(body.replace("NUMBER", "5"), "i8", "ptr %0, i64 %1"), shifts=0, indexed=1, scaled=1)
    check(left(body.replace("NUMBER", "-1"), "i8", "ptr %0, i64 %1"), shifts=1, indexed=1, scaled=0)


def test_names_in_quotes_are_names() -> None:
    body = """entry:
  %"x, y" = alloca i32, align 4
  store i32 3, ptr %"x, y", align 4
  %"z(" = load i32, ptr %"x, y", align 4
  br label %"a b"
"a b":
  call void @"g, align 4"(i32 %"z(")
  ret void"""
    assert left(body) == {"instructions": 2, "tails": 1, "constant_args": 1}


def test_globals_take_what_their_types_take() -> None:
    text = """%struct.s = type { i32, [4 x i16], %struct.t, ptr }
%struct.t = type <{ double, i1 }>
@a = dso_local global %struct.s zeroinitializer, align 8
@b = internal constant [3 x [5 x i8]] [[5 x i8] c"a = g", [5 x i8] c"12345", [5 x i8] zeroinitializer]
@c = external global [1000 x i64], align 16
@e = private constant [6 x i8] c"extern"
@"q q" = thread_local(initialexec) global i64 0
@d = private unnamed_addr constant <4 x float> zeroinitializer
"""
    assert counts(text)["globals"] == 32 + 15 + 6 + 8 + 16


@pytest.mark.parametrize(
    ("type_", "size", "align"),
    [
        ("i1", 1, 1), ("i24", 4, 4), ("i128", 16, 16), ("ptr", 8, 8), ("x86_fp80", 16, 16), ("<3 x float>", 16, 16),
        ("{ i8, i32, i8 }", 12, 4), ("<{ i8, i32 }>", 5, 1), ("[3 x { ptr, i8 }]", 48, 8), ("{}", 0, 1),
        ("%self", 0, 1), ("nonsense", 0, 1), ("[x", 0, 1), ("{ i8, [2 x", 1, 1),
    ],
)  # fmt: skip
def test_layout_of_types(type_: str, size: int, align: int) -> None:
    assert Layout({"%self": "{ %self, %self }"}).extent(type_) == (size, align)


@given(st.integers(-(1 << 70), 1 << 70), st.integers(-(1 << 70), 1 << 70), st.sampled_from([1, 8, 32, 64]))
def test_integers_wrap(x: int, y: int, width: int) -> None:
    a, b = wrapped(x, width), wrapped(y, width)
    assert (
        (a - x) % (1 << width) == 0
        and wrapped(a, width) == a
        and (width == 1 or -(1 << width - 1) <= a < 1 << width - 1)
    )
    product, difference = arithmetic("mul", a, b, width), arithmetic("sub", a, b, width)
    assert product is not None and (product - x * y) % (1 << width) == 0
    assert difference is not None and (difference - x + y) % (1 << width) == 0
    quotient, rest = arithmetic("sdiv", a, b, width), arithmetic("srem", a, b, width)
    if b and width > 1:
        assert quotient is not None and rest is not None and wrapped(quotient * b + rest, width) == a
    elif not b:
        assert quotient is None
    assert compares("ult", a, b, width) == (a % (1 << width) < b % (1 << width)) == (not compares("uge", a, b, width))
    assert compares("eq", a, b, width) == (a == b)


# Never raises, and in proportion to the text.


@pytest.fixture(scope="session")
def unoptimised(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """IR as clang emits it."""
    path = tmp_path_factory.mktemp("ir") / "a.c"
    path.write_text(CHECKSUM)
    command = clang.read_command([compiler, "-Oz", "-c", str(path)])
    assert not isinstance(command, str)
    return clang.front_end(command).text


def test_a_program_is_about_what_the_compiler_makes_of_it(unoptimised: str) -> None:
    """LLVM 22 leaves 59 instructions of it at -Oz."""
    found = counts(unoptimised)
    check(found, functions=4, local=1, kept=3, loops=4, own=1, with_own=1, varargs=1)
    assert 40 <= found["instructions"] <= 75
    assert found["conditions"] <= 6 and found["spilled"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_real_ir_that_is_broken_is_counted(seed: int, unoptimised: str) -> None:
    draw = random.Random(seed)
    words = re.split(r"([ ,\n()%@]+)", unoptimised)
    for _ in range(25):
        changed = list(words)
        for _ in range(draw.choice((1, 5, 50))):
            changed[draw.randrange(len(changed))] = draw.choice(
                (*words[:400], "", "\n", '"', "(", "}", "-1", "%1", "{ i8,")
            )
        text = "".join(changed)[: draw.randrange(len(unoptimised))]
        assert all(value >= 0 for value in counts(text).values())
    lines = unoptimised.split("\n")
    draw.shuffle(lines)
    assert all(value >= 0 for value in counts("\n".join(lines)).values())
    assert counts("\n".join(line[: draw.randrange(40)] for line in unoptimised.split("\n"))) is not None


PIECES = (
    "define void @f() {", "define internal i32 @g(i32 %0, ...) #0 {", "}", "1:", "2:", "  br label %1",
    "  br label %2", "  br i1 %3, label %1, label %2", "  br i1", "  %3 = icmp", "  %3 = icmp eq i32 %3, %4",
    "  %4 = phi i32 [ 1, %1 ], [", "  %4 = phi i1 [ true, %1 ], [ %4, %2 ]", "  %5 = getelementptr",
    "  %5 = getelementptr { i8, [9 x", "  ret", "  store", "  switch i32 %3, label %1 [", "    i32 1, label %2",
    "  ]", "  invoke void @f()", "          to label %1 unwind label %2", "  %6 = alloca %t",
    "  %6 = alloca i32, i32 %3", "  store i32 %6, ptr %6", "  %3 = load i32, ptr %6", "  call void @f()",
    "  %3 = call i32 @g(i32 %3, i32", "%t = type { %t, [9 x %t] }", "@a = global %t", "  %3 = add i1 %3, true",
    "  %3 = select i1", "  %3 = sext", "  %3 = extractvalue", "  ret i32 %3",
    "attributes #0 = { alwaysinline nounwind }", "  call void @llvm.memcpy(ptr %6)", "  call void @llvm.memcpy()",
    "  call void @llvm.memset.p0.i64(ptr %6, i8 0, i64 -40)", "  call void @llvm.expect()", "  %3 = icmp  i32 %3, 4",
    "  indirectbr ptr %5, [label %1, label %2]", "  unreachable", "  %3 = freeze i32 7",
)  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_pieces_of_ir_are_counted(lines: list[str]) -> None:
    for text in ("\n".join(lines), "define void @h(i32 %3) {\n" + "\n".join(lines)):
        assert all(value >= 0 for value in counts(text).values())


@settings(max_examples=100)
@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_bytes_are_counted(data: bytes) -> None:
    text = data.decode("latin-1")
    for whole in (text, f"define void @f() {{\n  {text}\n}}", "define void @f() {\n  " + text.replace(" ", "\n  ")):
        assert all(value >= 0 for value in counts(whole).values())


def nested(deep: int) -> str:
    """Blocks each of which a condition leads into, and out again."""
    blocks = "".join(
        f"b{i}:\n  %c{i} = icmp eq i32 %x, {i}\n  br i1 %c{i}, label %b{i + 1}, label %end\n" for i in range(deep)
    )
    variables = "".join(f"  %v{i} = alloca i32\n  store i32 %x, ptr %v{i}\n" for i in range(200))
    loads = "".join(f"  %l{i} = load i32, ptr %v{i}\n  call void @g(i32 %l{i})\n" for i in range(200))
    entry = f"define void @f(i32 %x) {{\n{variables}  br label %b0\n"
    return f"{entry}{blocks}b{deep}:\n  br label %end\nend:\n{loads}  ret void\n}}\n"


def chain(name: str, functions: int) -> str:
    """Functions that each call the next one twice, which must be inlined."""
    body = "define void @{0}{1}() #0 {{\n  call void @{0}{2}()\n  call void @{0}{2}()\n  ret void\n}}\n"
    made = "".join(body.format(name, i, i + 1) for i in range(functions))
    return f"{made}attributes #0 = {{ alwaysinline nounwind }}\n"


LARGE = {
    "nested blocks": nested(10_000),
    "functions in functions": chain("f", 500),
    "types in types": "@a = global " + "[2 x " * 50_000 + "i8" + "]" * 50_000,
    "structures in structures": "@a = global " + "{ i8, " * 50_000,
    "brackets": "define void @f() {\n  %1 = phi i32 " + "[ " * 100_000 + "\n}",
    "cases": "define void @f(i32 %0) {\n  switch i32 %0, label %1 [\n"
    + "".join(f"    i32 {i}, label %l{i}\n" for i in range(10_000))
    + "  ]\n1:\n  ret void\n"
    + "".join(f"l{i}:\n  call void @g(i32 {i})\n  br label %1\n" for i in range(10_000))
    + "}",
    "loops in loops": "define void @f(i1 %c) {\n  br label %l0\n"
    + "".join(f"l{i}:\n  br label %l{i + 1}\n" for i in range(3000))
    + "l3000:\n  br label %m3000\n"
    + "".join(f"m{i}:\n  br i1 %c, label %l{i}, label %m{i - 1}\n" for i in range(3000, 0, -1))
    + "m0:\n  ret void\n}",
    "one long block": "define void @f(ptr %p) {\n"
    + "".join(f"  store i32 {i}, ptr %p\n  %q{i} = getelementptr i8, ptr %p, i64 {i}\n" for i in range(50_000))
    + "}",
    "addresses of addresses": "define void @f(ptr %q0, i64 %i) {\n"
    + "".join(f"  %q{i + 1} = getelementptr i8, ptr %q{i}, i64 %i\n" for i in range(20_000))
    + "  store i8 1, ptr %q20000\n  ret void\n}",
    "casts of casts": "define i1 @f(i1 %x1) {\n"
    + "".join(f"  %x{i + 1} = zext i{i} %x{i} to i{i + 1}\n" for i in range(1, 5000))
    + "  %y = icmp eq i5000 %x5000, 0\n  ret i1 %y\n}",
    "numbers": "define i32 @f() {\n  ret i32 "
    + "9" * 5000
    + "\n}\n@a = global ["
    + "9" * 5000
    + " x i8] zeroinitializer",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_texts_take_a_moment(name: str) -> None:
    began = time.process_time()
    assert all(value >= 0 for value in counts(LARGE[name]).values())
    assert time.process_time() - began < 20, "quadratic time would be minutes"


def test_time_is_linear_in_the_text(unoptimised: str) -> None:
    """All functions again and again under other names, megabytes in the end; about 4 MB take a second."""

    def seconds(times: int) -> tuple[float, float]:
        text = "\n".join(re.sub(r"@(crc|sorted|twice|main)\b", rf"@\g<1>{i}", unoptimised) for i in range(times))
        began = time.process_time()
        found = counts(text)
        assert found["kept"] == 3 * times
        return time.process_time() - began, len(text) / 1e6

    few, many = seconds(50), seconds(500)
    assert many[0] / many[1] < 3 * few[0] / few[1] + 0.1


def test_counters_of_ir_are_these() -> None:
    text = "define void @f() {\n  store\n  load\n  call\n  br\n}\n"
    assert counters("llvm", text) == counts(text)
    check(counts(text), instructions=3, stores=1, loads=0, assembly=0)


def test_what_is_read() -> None:
    found = read("define void @f(i32 noundef %0, ptr %x, ...) #3 {\n  br i1 %c, label %a, label %b, !prof !1\n}\n")
    function = found.functions["@f"]
    assert (function.parameters, function.varargs, function.group) == (["%0", "%x"], True, "3")
    assert [(i.op, i.args, i.labels) for i in function.blocks["%1"]] == [("br", ("%c",), ["%a", "%b"])]


def test_the_counters_have_an_order() -> None:
    names = list(counts(""))
    assert len(names) == len(set(names)) and names == list(counts(chain("f", 3)))
    assert not any(counts("").values()) and not any(counts("\n\nno IR at all: {}").values())
