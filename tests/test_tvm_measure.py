"""Kernels are built, checked and timed; what is wrong, refused or broken is a value with its reason."""

import itertools
import time
import tracemalloc
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from forerun.core import Draft, Measurement, Source, Trial
from forerun.models.scheduler import HOPELESS, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.solve import Budget, solve
from forerun.store import Store
from forerun.tables import schedules
from forerun.tasks.schedule import Again, Schedule
from forerun.testing import check_model

pytest.importorskip("tvm_ffi")

from forerun.toolchains.tvm import extract
from forerun.toolchains.tvm import measure as measuring
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import Device, _here, by_clock
from forerun.toolchains.tvm.measure import Bounds, measure, timed
from forerun.toolchains.tvm.space import parsed
from tests.test_tvm_space import source as made

TASK = Schedule(samples=3, seconds=0.02)


def source(name: str) -> Source:
    found = made(name)
    return Source(found.text, found.lang, found.name, targets.parse("llvm:1"))


def plans(asked: Source, n: int, seed: int = 0):
    return [draft.answer for draft in Uniform(1).sample("", TASK.grammar(asked), n, seed)]


def test_a_schedule_is_checked_and_timed():
    asked = source("GMM")
    found = [measure(asked, plan, Bounds(samples=3, seconds=0.02)) for plan in (None, *plans(asked, 3))]
    for each in found:
        assert each.ok, each.error
        assert 0 < each.values["latency_least"] <= each.values["latency"] < 1
        assert each.values["samples"] >= 1 and each.values["runs"] >= 1 and each.values["build"] > 0
        assert each.tool.startswith("tvm 0.27")


def test_a_wrong_kernel_is_told(monkeypatch):
    asked = source("GMM")
    plan = plans(asked, 1)[0]
    assert measure(asked, plan).ok
    bench = measuring._bench(asked, 0, None)
    right = bench.expected[0]
    wrong = right.copy()
    wrong.flat[np.abs(right).argmax()] *= 1.01
    monkeypatch.setattr(bench, "expected", [wrong])
    found = measure(asked, plan)
    assert found.error.startswith("wrong: output 0 is off by") and not found.ok
    assert "latency" not in found.values


ROUNDED = {
    "halves": ('T.Cast("float32", T.Cast("float16", p[vi, vj]))', "float32"),
    "steps": ("T.round(p[vi, vj] / T.float32(0.02)) * T.float32(0.02)", "float32"),
    "whole numbers": ('T.Cast("int32", T.round(p[vi, vj] / T.float32(0.02)))', "int32"),
}
PRODUCT = """
@T.prim_func(s_tir=True)
def main(a: T.Buffer((96, 192), "float32"), b: T.Buffer((192, 128), "float32"), c: T.Buffer((96, 128), "{type}")):
    p = T.sblock_alloc_buffer((96, 128))
    for i, j, k in T.grid(96, 128, 192):
        with T.sblock("product"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                p[vi, vj] = T.float32(0)
            p[vi, vj] = p[vi, vj] + a[vi, vk] * b[vk, vj]
    for i, j in T.grid(96, 128):
        with T.sblock("rounded"):
            vi, vj = T.axis.remap("SS", [i, j])
            c[vi, vj] = {value}
"""


@pytest.mark.parametrize("name", ROUNDED)
def test_what_is_rounded_the_other_way_is_no_wrong_kernel(name):
    value, type_ = ROUNDED[name]
    asked = Source(PRODUCT.format(value=value, type=type_), "tensorir", name, targets.parse("llvm:1"))
    bench, device = measuring._bench(asked, 0, None), _here(asked.target)
    found = measure(asked, None, Bounds(samples=1, seconds=0.01))
    assert found.ok, found.error
    tensors = measuring._kept(bench, device)
    (made,), (right,) = bench.outputs(tensors), bench.expected
    assert np.abs(made.numpy() - right).max() > 1e-3, "sums lie where they are rounded to either"
    for wrong in (np.roll(right, 1, 0), np.where(np.arange(96)[:, None] == 50, 0, right).astype(right.dtype)):
        made.copyfrom(wrong)
        assert bench.wrong(tensors).startswith("output 0 is off")


MASKED = """
@T.prim_func(s_tir=True)
def main(
    a: T.Buffer((32, 48), "float32"), b: T.Buffer((48, 32), "float32"), m: T.Buffer((32, 32), "{type}"),
    d: T.Buffer((32, 32), "float32"),
):
    c = T.sblock_alloc_buffer((32, 32))
    for i, j, k in T.grid(32, 32, 48):
        with T.sblock("c"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                c[vi, vj] = T.float32(0)
            c[vi, vj] = c[vi, vj] + {product}
    for i, j in T.grid(32, 32):
        with T.sblock("d"):
            vi, vj = T.axis.remap("SS", [i, j])
            d[vi, vj] = {masked}
"""
MASKS = {
    "added": ("float32", "c[vi, vj] + (T.float32(1) - m[vi, vj]) * T.float32(-1e9)"),
    "chosen": ("bool", "T.if_then_else(m[vi, vj], c[vi, vj], T.float32(-1e9))"),
    "the least float": ("float32", "c[vi, vj] + (T.float32(1) - m[vi, vj]) * T.float32(-3.4028234663852886e38)"),
}


BYTES = {
    "floats": ("T.max(T.min(T.round(p[vi, vj] * T.float32(0.0005)), T.float32(127)), T.float32(-128))", "float32"),
    "bytes": ('T.Cast("int8", T.max(T.min(T.round(p[vi, vj] * T.float32(0.0005)), T.float32(127)), T.float32(-128)))',
              "int8"),
}  # fmt: skip


@pytest.mark.parametrize("name", BYTES)
def test_what_becomes_8_bits_has_inputs_that_tell_a_kernel_without_its_product(name):
    value, type_ = BYTES[name]
    asked = Source(PRODUCT.format(value=value, type=type_), "tensorir", name, targets.parse("llvm:1"))
    bench, device = measuring._bench(asked, 0, None), _here(asked.target)
    assert np.unique(bench.expected[0]).size >= 32 and measure(asked, None, Bounds(samples=1, seconds=0.01)).ok
    tensors = measuring._kept(bench, device)
    bench.outputs(tensors)[0].copyfrom(np.zeros_like(bench.expected[0]))
    assert bench.wrong(tensors).startswith("output 0 is off")


@pytest.mark.parametrize("mask", MASKS)
def test_behind_a_mask_a_kernel_without_its_product_is_wrong(mask):
    dtype, masked = MASKS[mask]
    right, wrong = (
        Source(MASKED.format(type=dtype, product=product, masked=masked), "tensorir", mask, targets.parse("llvm:1"))
        for product in ("a[vi, vk] * b[vk, vj]", "T.float32(0)")
    )
    bounds = Bounds(samples=1, seconds=0.01)
    assert measure(right, None, bounds).ok
    found = measuring.begun(right, lambda _: parsed(wrong), bounds)
    assert isinstance(found, Measurement) and found.error.startswith("wrong: output 0 is off by")


def test_inputs_follow_from_the_seed_and_no_kernel_changes_them_for_the_next(monkeypatch):
    asked, seeds, real = source("GMM"), [], measuring._bench
    monkeypatch.setattr(measuring, "_bench", lambda *given: seeds.append(given[1]) or real(*given))
    for seed in (0, 5, -1):
        assert replace(TASK, seed=seed).measure(asked, None).ok
        again = Again(seed=seed).measure(asked, None)
        assert again.ok and again.checked and again.values["latency"] > 0
    assert len(set(seeds)) == 6 and seeds[0] == 0
    assert replace(TASK, seed=5).id == TASK.id and Again(seed=5).id == Again().id != TASK.id
    kept = measuring._kept(bench := real(asked, 0, None), _here(asked.target))
    kept[0].copyfrom(np.zeros_like(bench.inputs[0]))
    assert TASK.measure(asked, None).ok


def test_what_is_not_written_is_told(monkeypatch):
    asked = source("GMM")
    bench = measuring._bench(asked, 0, None)
    tensors = bench.tensors(Device(asked.target))
    bench.poison(tensors)
    assert bench.wrong(tensors).startswith("output 0 is off by inf")
    monkeypatch.setattr(Device, "loaded", lambda *_: {"main": lambda *tensors: None})
    assert measure(asked, None).error.startswith("wrong: ")


def test_what_tvm_refuses_or_cannot_build_is_a_value(monkeypatch):
    asked = source("GMM")

    def broken(*_):
        raise RuntimeError("LLVM said no")

    monkeypatch.setattr(Device, "loaded", broken)
    assert measure(asked, None).error == "build: RuntimeError: LLVM said no"


def test_no_memory_for_tvm_is_no_memory():
    """Which a user can give more of."""
    tvm = measuring._load.load()
    with pytest.raises(MemoryError):
        measuring.begun(source("GMM"), lambda _: tvm.runtime.empty((1 << 50,), "uint8"))


@pytest.mark.parametrize("stopped", [False, True])
def test_neither_making_machine_code_nor_what_others_do_counts(monkeypatch, stopped):
    """TVM makes machine code when a function is first asked for; what builds meanwhile may stop a first run."""
    measuring._bench.cache_clear()
    real, waits = Device.loaded, iter([0.3])

    class Slow(dict):
        def __missing__(self, name):
            if not stopped:
                time.sleep(0.3)
            return self.setdefault(name, self.called)

        def called(self, *tensors):
            time.sleep(next(waits, 0) if stopped else 0)
            return self.module["main"](*tensors)

    def loaded(self, made):
        found = Slow()
        found.module = real(self, made)
        return found

    monkeypatch.setattr(Device, "loaded", loaded)
    monkeypatch.setattr(
        Device, "timer", lambda self, module, name, *tensors, turns=(): by_clock(lambda: module[name](*tensors))
    )
    found = measure(source("GMM"), None, Bounds(samples=3, seconds=0.1))
    assert found.values["samples"] == 3 and found.values["latency"] < 0.1
    assert stopped or found.values["build"] > 0.3


def test_runs_of_a_sample_are_called_by_tvm(monkeypatch):
    device = Device(targets.here(1))
    called = list[int]()
    module = device.loaded(extract.built(parsed(made("GMM", (1, 8, 8, 8))), targets.made(targets.here(1))))
    tensors = [device.tensor(np.ones((1, 8, 8), np.float32)) for _ in range(3)]

    class Counted:
        def __getitem__(self, name):
            return lambda *given: (called.append(1), module[name](*given))

        def time_evaluator(self, *asked, **how):
            return module.time_evaluator(*asked, **how)

    timer = device.timer(Counted(), "main", *tensors)
    assert len(timer(1, 1)) == 1 and len(called) == 1
    assert len(timer(50, 3)) == 3 and len(called) == 1, "Python calls none of them"


def test_weights_that_have_left_the_caches_are_others_each_time(monkeypatch):
    asked, seen, timer = source("GMM"), list[list[int]](), Device.timer

    def heard(self, module, name, *tensors, turns=()):
        class Told:
            def __getitem__(self, name):
                return lambda *given: (seen.append([each.data_ptr() for each in given]), module[name](*given))

        return timer(self, Told(), name, *tensors, turns=turns)

    monkeypatch.setattr(Device, "timer", heard)
    size = measuring._bench(asked, 0, None).inputs[1].nbytes
    found = measure(asked, plans(asked, 1)[0], Bounds(samples=3, seconds=0.1, weights=extract.Weights((1,), 4 * size)))
    assert found.ok, found.error
    data, others, made = zip(*seen, strict=True)
    assert len({*data}) == len({*made}) == 1 and len({*others}) == 4
    assert all(one != other for one, other in itertools.pairwise(others))


def test_weights_that_no_cache_holds_are_not_copied():
    bench, device = measuring._bench(source("GMM"), 0, None), _here(targets.parse("llvm:1"))
    measuring._kept(bench, device)
    size = bench.inputs[1].nbytes
    tracemalloc.start()
    try:
        assert measuring._turns(bench, device, extract.Weights((1,), size)) == []
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < size / 2


def test_what_is_measured_with_weights_elsewhere_is_another_row():
    alone, there, then = (Schedule(weights=each) for each in (None, *(extract.Weights((1,), n) for n in (64, 128))))
    assert len({alone.id, there.id, then.id}) == 3 and replace(then, seed=1).id == then.id


@pytest.mark.parametrize("runs", [1, 2])
def test_time_in_which_others_have_the_processor_counts_only_where_threads_wait_for_each_other(runs):
    """Sleep is what nothing else tells from it."""

    class Sleeping:
        def __getitem__(self, name):
            return lambda *given: time.sleep(0.02)

        def time_evaluator(self, name, device, number, repeat):
            def timed(*given):
                time.sleep(0.02 * number * repeat)
                return SimpleNamespace(results=[0.02] * repeat)

            return timed

    device = Device(targets.here(1))
    alone = device.timer(Sleeping(), "main")(runs, 3)
    device.single = False
    together = device.timer(Sleeping(), "main")(runs, 3)
    assert len(alone) == len(together) == 3
    assert max(alone) < 0.01 < 0.02 <= min(together)


def test_a_hopeless_kernel_is_timed_once():
    def run():
        return sum(range(1000))

    assert timed(by_clock(run), best_s=1e-9, bounds=Bounds())["samples"] == 1
    assert timed(by_clock(run), best_s=np.inf, bounds=Bounds(samples=5, seconds=0.5))["samples"] == 5


def test_a_worker_that_hangs_is_stopped_and_the_search_goes_on(tmp_path):
    asked = source("C2D")
    with Pool(1, Limits(timeout_s=0.01)) as pool:
        assert next(m for _, m in pool.measure(TASK, asked, [None])).error.startswith("timeout")


def test_a_search_never_ends_worse_than_the_program_as_it_is(tmp_path):
    asked = source("GMM")
    with Pool(1) as pool, Store(tmp_path / "trials.sqlite") as store:
        result = solve(TASK, Uniform(1), asked, pool=pool, budget=Budget(6), store=store)
    assert result.after <= result.before and len(result.trials) == 6
    found = list(schedules.stored(tmp_path / "trials.sqlite", {asked.text: ("tvm",)}))
    assert len(found) == 1 and found[0].families == ("tvm",) and found[0].default == result.before
    assert [each.seconds for each in found[0].sentences] == [t.measurement.values.get("latency") for t in result.trials]
    assert {each.plan for each in found[0].sentences} == {t.draft.answer for t in result.trials}
    assert found[0].prompt == TASK.prompt(asked)
    apart = replace(TASK, weights=extract.Weights((1,), 1 << 26))
    with Pool(1) as pool, Store(tmp_path / "trials.sqlite") as store:
        other = solve(apart, Uniform(2), asked, pool=pool, budget=Budget(8), store=store)
    (more,) = schedules.stored(tmp_path / "trials.sqlite", {})
    assert more.default == other.before and len(more.sentences) == 8


def test_the_cost_model_that_ships_tells_kernels_apart():
    asked = made("GMM", (1, 128, 128, 128))
    grammar, model = TASK.grammar(asked), Scheduler()
    contiguous, scattered = map(
        grammar.parse,
        ("S2 T1,1,1,1 T16,2,2,2 T2,1,4,16 T32,4 C2", "S2 T1,1,1,1 T2,1,1,64 T128,1,1,1 T2,64 C0"),
    )
    assert model.judge is not None
    first, second = model.judge.scores(grammar.spaces, [contiguous, scattered])
    assert first > second + 0.2
    drafts = model.sample(TASK.prompt(asked), grammar, 4, seed=0)
    scores = model.judge.scores(grammar.spaces, [draft.answer for draft in drafts])
    random = model.judge.scores(grammar.spaces, plans(asked, 40))
    check_model(model, grammar)
    assert scores[0] == scores.max() and scores.min() > np.median(random) and random.std() > 0.05


def test_each_design_space_is_tried_and_one_of_wrong_kernels_is_left():
    asked = made("GMM", (1, 64, 64, 64))
    grammar, model = TASK.grammar(asked), Scheduler()
    first = [draft.answer for draft in model.sample("", grammar, 16, seed=0)]
    assert {plan.space for plan in first} == set(range(len(grammar.spaces))) and len(first) == 16

    def tried(plan, seconds):
        found = Measurement({"latency": seconds}, True) if seconds else Measurement(error="wrong: output 0")
        return Trial(TASK.id, asked, Draft(plan), found)

    # Of the first space all are wrong, of the second one is right, of the third too few were tried.
    own = [[plan for plan in plans(asked, 80) if plan.space == space] for space in range(3)]
    history = [tried(plan, None) for plan in (*own[0][:HOPELESS], *own[1][:HOPELESS], *own[2][: HOPELESS - 1])]
    after = model.sample("", grammar, 16, 1, [*history, tried(own[1][HOPELESS], 1e-4)])
    assert len(after) == 16 and {draft.answer.space for draft in after} <= {1, 2}
    wrong = [tried(plan, None) for each in own for plan in each[:HOPELESS]]
    assert model.sample("", grammar, 4, 1, wrong)  # else nothing would be left


def test_what_else_runs_is_timed_by_the_same_clock():
    def waits():
        time.sleep(0.02)

    one, two = (Device(targets.here(threads)).clock(waits) for threads in (1, 2))
    assert max(one(1, 2)) < 0.01 < 0.02 <= min(two(1, 2)), "of one thread what it had of the processor"
