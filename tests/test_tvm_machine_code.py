"""What is read of kernels' machine code, and who reads it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from forerun.core import Measurement
from forerun.grammars.decisions import Decisions, Plan
from forerun.models import scheduler
from forerun.models._forest import Forest
from forerun.models._judge import REFUSED, Judge
from forerun.models.scheduler import Scheduler
from forerun.sandbox import Limits, Pool
from forerun.tasks.schedule import Reading

pytest.importorskip("tvm_ffi")

from forerun.toolchains.tvm import measure
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.machine_code import KINDS, WIDTH, features
from forerun.toolchains.tvm.space import Program
from tests.test_tvm_space import source

KERNEL = """
	.globl	main
main:
	pushq	%rbp
	vmovups	(%rdi), %zmm5	# what is summed up
.LBB0_1:
	vmovups	%zmm6, 64(%rsp)
	xorl	%ecx, %ecx
	.p2align	4
.LBB0_2:
	vbroadcastss	(%rdx,%rcx,4), %zmm1
	vmovups	(%rsi,%rcx,4), %zmm0
	vfmadd231ps	%zmm1, %zmm0, %zmm5
	vfmadd231ps	(%rsi,%rcx,4){1to16}, %zmm0, %zmm6
	vfmadd231ps	64(%rsp), %zmm0, %zmm6
	incq	%rcx
	cmpq	$64, %rcx
	jne	.LBB0_2
	vmovups	64(%rsp), %zmm7
	vmovups	%zmm5, (%rdi)
	decq	%rax
	jne	.LBB0_1
	vdivss	%xmm0, %xmm1, %xmm2
	retq
"""


def counts(row: np.ndarray, part: int) -> dict[str, int]:
    """Those of the hottest loop, what is around it, or all."""
    found = np.round(2.0 ** row[part * len(KINDS) : (part + 1) * len(KINDS)] - 1)
    return {kind: int(value) for kind, value in zip(KINDS, found, strict=True) if value}


def test_the_hottest_loop_is_counted_and_what_is_around_it():
    row = features(KERNEL)
    assert row.shape == (WIDTH,) and np.isfinite(row).all()
    assert counts(row, 0) == {
        "all": 8, "sums of 16": 3, "broadcasts": 1, "sums of broadcasts": 1, "loads": 1, "reloads": 1,
        "whole numbers": 3, "registers": 2, "chain": 2,
    }  # fmt: skip
    assert counts(row, 1) == {"all": 6, "spills": 1, "reloads": 1, "stores": 1, "whole numbers": 3}
    assert counts(row, 2)["divisions"] == 1 and counts(row, 2)["all"] == 18
    vectors, share, sums, loads, stack, *_, deep, loops, cycles = row[3 * len(KINDS) :]
    assert (vectors, sums, loads, stack, deep, loops) == (3, 3, 4 / 3, 1 / 3, 2, 2)
    assert cycles == pytest.approx(8 / 3) and share == pytest.approx(3 / 2 / 8)  # two sums wait for each other


def test_code_without_sums_or_without_anything_is_read_too():
    assert counts(features("f:\n\tretq\n"), 0) == {"all": 1, "whole numbers": 1}
    assert np.isfinite(features("")).all()


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(replace(source("GMM", (1, 128, 128, 128)), target=targets.here(1)))


def product(rows: int, columns: int, steps: int) -> Plan:
    """A tile of so many rows and columns, summed up over all but so many steps."""
    tiles = (1, 1, 1, 1), (1, 128 // rows, rows, 1), (1, 128 // columns, 1, columns), (128 // steps, steps)
    return Plan(1, (*tiles, 0))


@pytest.mark.skipif(not targets.x86_64(targets.made(targets.here(1))), reason="only x86-64 is read")
def test_more_sums_than_registers_are_spilled(program: Program):
    registers, bits = targets.registers(program.source.target)
    lanes = bits // 32
    few, many = (measure.read(program.source, product(rows, 2 * lanes, 1)) for rows in (4, 64))
    assert few.ok and many.ok
    few, many = (np.array([found.values[str(i)] for i in range(WIDTH)]) for found in (few, many))
    assert counts(few, 0)["registers"] == 8 and "spills" not in counts(few, 0)
    assert not registers > counts(many, 2).get("reloads", 0) + counts(many, 2).get("sums from memory", 0)


def test_what_cannot_be_scheduled_has_no_machine_code(program: Program):
    found = measure.read(program.source, Plan(0, ()))
    assert not found.ok and found.error.startswith("schedule:") and not found.values


class Told(Pool):
    """Says of every kernel what it is asked to, and remembers for which."""

    def __init__(self, tell) -> None:
        super().__init__(1, Limits(timeout_s=60))
        self.tell, self.asked = tell, list[Plan]()

    def measure(self, task, source, answers):
        assert isinstance(task, Reading)
        for place, plan in enumerate(answers):
            self.asked.append(plan)
            yield place, self.tell(plan)


def narrow(plan: Plan) -> bool:
    return plan.decisions[2][3] <= 16


def reads(plan: Plan) -> Measurement:
    """Machine code whose features are all the innermost tile of columns."""
    return Measurement(dict.fromkeys(map(str, range(WIDTH)), float(plan.decisions[2][3])), checked=True)


@pytest.fixture
def likes_narrow(monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """One whose trees for machine code say that narrow tiles are fast, and outweigh the others."""
    model = Scheduler(written=False, generations=0)
    width = 3 * 164 + 1 + 39
    stump = {
        "base": np.zeros(1), "roots": np.array([0], np.int32), "feature": np.array([width, 0, 0], np.uint16),
        "threshold": np.array([16.5, 0, 0], np.float32), "missing_left": np.zeros(3, bool),
        "left": np.array([1, 1, 2], np.int32), "right": np.array([2, 1, 2], np.int32),
        "value": np.array([0, 90, -90], np.float32),
    }  # fmt: skip
    model.judge = Judge(model.judge.forest, code=Forest(**stump))
    model.reads = True
    return model


@pytest.mark.skipif(not targets.x86_64(targets.made(targets.here(1))), reason="only x86-64 is read")
def test_machine_code_of_the_most_promising_drafts_is_read(program: Program, likes_narrow: Scheduler):
    grammar = Decisions(program)
    with Told(reads) as pool:
        model = likes_narrow.reading(pool)
        before = [draft.answer for draft in likes_narrow.sample("", grammar, 4, 3)]
        found = [draft.answer for draft in model.sample("", grammar, 4, 3)]
        assert len(pool.asked) == scheduler.READ * 4 and {*found} <= {*pool.asked} >= {*before}
        assert sum(map(narrow, found)) > sum(map(narrow, before))
        asked = len(pool.asked)
        assert [draft.answer for draft in model.sample("", grammar, 4, 3)] == found
        assert len(pool.asked) == asked  # what was read once is known
        assert model.hasty().sample("", grammar, 1, 3) and len(pool.asked) == asked
        assert model.depends != likes_narrow.depends


@pytest.mark.skipif(not targets.x86_64(targets.made(targets.here(1))), reason="only x86-64 is read")
def test_drafts_without_machine_code_are_passed_over(program: Program, likes_narrow: Scheduler):
    grammar = Decisions(program)
    failed = Measurement(error="timeout: stopped after 2 s")
    with Told(lambda plan: failed if narrow(plan) else reads(plan)) as pool:
        found = likes_narrow.reading(pool).sample("", grammar, 4, 3)
        assert found and not any(narrow(draft.answer) for draft in found)


def test_where_none_can_be_made_it_is_as_if_nobody_had_read_any(program: Program, likes_narrow: Scheduler):
    grammar = Decisions(program)
    with Told(lambda _: Measurement(error="memory: the worker reached its memory limit")) as pool:
        found = likes_narrow.reading(pool).sample("", grammar, 4, 3)
    assert [each.answer for each in found] == [each.answer for each in likes_narrow.sample("", grammar, 4, 3)]


def test_trees_for_machine_code_say_most_of_what_is_thought(program: Program, likes_narrow: Scheduler):
    judge, plans = likes_narrow.judge, [product(4, 16, 1), product(4, 32, 1), product(8, 16, 1)]
    alone = judge.believed(program, plans, {}).mean
    code = {plan: np.full(WIDTH, float(plan.decisions[2][3])) for plan in plans}
    both = judge.believed(program, plans, {}, code).mean
    assert both == pytest.approx(0.15 * alone + 0.85 * np.array([90.0, -90.0, 90.0]), abs=1e-4)
    code[plans[0]] = np.full(WIDTH, math.nan)
    judge = Judge(judge.forest, code=judge.code)
    assert judge.believed(program, plans, {}, code).mean[0] == REFUSED


def test_a_pool_reads_machine_code(program: Program):
    plan = product(4, 16, 1)
    with Pool(1, Limits(timeout_s=60)) as pool:
        ((_, found),) = pool.measure(Reading(), program.source, [plan])
    assert found.values == measure.read(program.source, plan).values
