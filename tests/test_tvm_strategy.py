"""Our models as a search strategy of MetaSchedule: records that apply, what is learned from, and programs it leaves."""

from __future__ import annotations

import gc
import importlib
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import forerun
from forerun.core import Draft, Grammar, Model, Source, Trial
from forerun.errors import InputError, UsageError
from forerun.grammars.decisions import PARTS, Decisions
from forerun.models.scheduler import Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Pool
from forerun.tasks.schedule import Schedule

pytest.importorskip("tvm")

from forerun.toolchains.tvm import _load
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import intrinsics, load
from forerun.toolchains.tvm.space import Program

tvm = load()
TARGET = targets.here(1)
intrinsics(targets.made(TARGET))
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
pytestmark = pytest.mark.filterwarnings("ignore")


class Listening(Uniform):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[list[Trial[Any]]] = []
        self.asked: list[tuple[str, int, int]] = []

    def sample(
        self, prompt: str, grammar: Grammar[Any], n: int, seed: int, history: Sequence[Trial[Any]] = ()
    ) -> list[Draft[Any]]:
        self.told.append(list(history))
        self.asked.append((prompt, n, seed))
        return super().sample(prompt, grammar, n, seed, history)


def matmul(n: int = 32) -> Any:
    from tvm.s_tir.meta_schedule.testing.te_workload import matmul as made

    return tvm.IRModule({"main": tvm.te.create_prim_func(list(made(n, n, n))).with_attr("global_symbol", "main")})


def source(n: int = 32) -> Source:
    return Source(matmul(n).script(), "tensorir", "matmul", TARGET)


def started(model: Model | str, trials: int = 10, at_once: int = 4, space: Any = "post-order-apply") -> Any:
    """A tuning context as the task scheduler has it before its first question."""
    from tvm.s_tir import meta_schedule as ms

    context = ms.TuneContext(
        mod=matmul(),
        target=targets.made(TARGET),
        space_generator=space,
        search_strategy=forerun.search_strategy(model, seed=5),
        task_name="matmul",
        rand_state=1,
        num_threads=1,
    ).clone()
    context.pre_tuning(trials, at_once, design_spaces=context.generate_design_space())
    return context


def answered(context: Any, *answers: float | str) -> int:
    """How many candidates there were; each is told its seconds, or why it failed."""
    from tvm.s_tir.meta_schedule.runner import RunnerResult

    candidates = context.generate_measure_candidates() or []
    told = [RunnerResult(None, a) if isinstance(a, str) else RunnerResult([a], None) for a in answers]
    context.notify_runner_results(candidates, told[: len(candidates)])
    return len(candidates)


@pytest.fixture(scope="module")
def rivals() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))  # workers import it by name, too
        yield importlib.import_module("_metaschedule")


@pytest.fixture(scope="module")
def pool(rivals: Any) -> Iterator[Pool]:
    with Pool(1) as made:
        yield made


@pytest.fixture
def quiet() -> Iterator[None]:
    """TVM tells of errors alone. It takes its logger from the others: pytest then adds handlers to it that have no
    names, which TVM's next search asks for."""
    logger = logging.getLogger("tvm.s_tir.meta_schedule")
    logger.setLevel(logging.ERROR)
    yield
    logger.propagate = True


@pytest.mark.usefixtures("quiet")
def test_tune_tir_gives_records_that_apply_and_compute_the_same(rivals: Any, pool: Pool, tmp_path: Path) -> None:
    from tvm.s_tir import meta_schedule as ms

    model, target = Listening(), targets.made(TARGET)
    database = ms.tir_integration.tune_tir(
        matmul(),
        target,
        str(tmp_path),
        6,
        num_trials_per_iter=4,
        builder=rivals.builder(),
        runner=rivals.runner([source()], pool),
        cost_model="random",
        strategy=forerun.search_strategy(model, seed=5),
        num_tuning_cores=1,
    )
    times = sorted(float(record.run_secs[0]) for record in database.get_all_tuning_records())
    assert len(times) == 6 and times[-1] < 1
    assert [asked[1:] for asked in model.asked] == [(4, 5_000_015), (2, 5_000_016)]
    told = [trial.measurement.values["latency"] for trial in model.told[1]]
    assert len(told) == 4 and told == sorted(told) and set(told) < set(times)
    schedule = ms.tir_integration.compile_tir(database, matmul(), target)
    assert schedule.mod.script() != matmul().script()
    a, b = np.random.default_rng(0).random((2, 32, 32), np.float32)
    result = tvm.runtime.tensor(np.zeros((32, 32), np.float32))
    tvm.compile(schedule.mod, target).jit()["main"](*map(tvm.runtime.tensor, (a, b)), result)
    np.testing.assert_allclose(result.numpy(), a @ b, rtol=1e-4)


def test_workers_of_tvm_build_without_the_intrinsics_of_other_hardware() -> None:
    from tvm.s_tir.meta_schedule.builder import BuilderInput
    from tvm.s_tir.meta_schedule.utils import remove_build_dir

    (built,) = forerun.local_builder(workers=1).build([BuilderInput(matmul(), targets.made(TARGET))])
    assert built.error_msg is None
    remove_build_dir(built.artifact_path)
    program = """
import sys
from forerun.toolchains.tvm._load import plain

plain()
cuda, x86 = (sys.modules[f"tvm.s_tir.tensor_intrin.{name}"] for name in ("cuda", "x86"))
assert x86.__spec__ and not cuda.__spec__
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_builder_has_the_intrinsics_of_the_target_that_is_tuned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """TVM's rules for an AArch64 ask for them, whatever a program computes."""
    loaded = list[Any]()
    monkeypatch.setattr(_load, "intrinsics", loaded.append)
    there = targets.made('{"kind":"llvm","mcpu":"neoverse-n1","mtriple":"aarch64-linux-gnu","num-cores":1}')
    forerun.local_builder(workers=1, target=there)
    assert loaded == [there]


def test_what_was_measured_comes_back_best_first_and_failures_last() -> None:
    model = Listening()
    context = started(model)
    assert answered(context, 0.3, "it crashed", 0.1, 0.2) == 4
    assert answered(context, *[0.5] * 4) == 4 and answered(context, *[0.5] * 4) == 2
    assert context.generate_measure_candidates() is None, "ten trials are used up"
    first, second, third = model.told
    assert [len(first), len(second), len(third)] == [0, 4, 8]
    assert [t.measurement.values.get("latency") for t in second] == [0.1, 0.2, 0.3, None]
    assert "it crashed" in second[-1].measurement.error and not second[-1].measurement.ok
    assert len({trial.draft.answer for trial in third}) == 8
    assert {trial.task for trial in third} == {Schedule().id}
    assert {prompt for prompt, *_ in model.asked} == {Schedule().prompt(source())}


def test_the_same_is_proposed_as_by_solve() -> None:
    model = Listening()
    answered(started(model), *[0.5] * 4)
    answered(context := started(model), *[0.5] * 4)
    drafts = Uniform().sample("", Decisions(Program(source())), 4, 5_000_015)
    answered(context, *[0.5] * 4)
    assert {draft.answer for draft in drafts} == {trial.draft.answer for trial in model.told[-1]}
    assert model.told[1] == [], "a clone has measured nothing"


def test_a_model_that_has_no_more_to_say_ends_the_task() -> None:
    class Short(Uniform):
        def sample(self, prompt: str, grammar: Any, n: int, seed: int, history: Any = ()) -> list[Draft[Any]]:
            return super().sample(prompt, grammar, 3, 0)

    context = started(Short(), trials=100)
    assert answered(context, *[0.5] * 3) == 3
    assert context.generate_measure_candidates() is None


def test_what_cannot_be_written_is_sampled_by_tvm_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    from tvm.s_tir.meta_schedule.space_generator import ScheduleFn

    def many(schedule: Any) -> None:
        loop = schedule.get_loops("C")[0]
        schedule.split(loop, schedule.sample_perfect_tile(loop, PARTS + 1))

    model = Listening()
    context = started(model, trials=6, space=ScheduleFn(many, postprocs=[]))
    assert [answered(context, *[0.5] * 4) for _ in range(3)] == [4, 2, 0]
    context.post_tuning()
    (record,) = caplog.records
    assert record.levelname == "WARNING" and "matmul" in record.message and "replay-trace" in record.message
    assert not model.asked


def test_spaces_of_the_users_own_are_used() -> None:
    from tvm.s_tir.meta_schedule.space_generator import ScheduleFn

    def tiled(schedule: Any) -> None:
        loop = schedule.get_loops("C")[0]
        schedule.split(loop, schedule.sample_perfect_tile(loop, 2))

    context = started("uniform", trials=100, at_once=50, space=ScheduleFn(tiled, postprocs=[]))
    assert answered(context, *[0.5] * 50) == 5, "32 is a product of two in five ways, the second at most 16"
    assert context.generate_measure_candidates() is None


@pytest.mark.skipif(not targets.x86_64(targets.made(TARGET)), reason="only x86-64 is read")
def test_machine_code_is_read_where_workers_make_the_same_design_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    from tvm.s_tir.meta_schedule.space_generator import ScheduleFn

    asked, closed, measure, close = list[str](), list[Pool](), Pool.measure, Pool.close

    def counted(pool: Pool, task: Any, source: Source, answers: Any) -> Any:
        asked.extend([task.name] * len(answers))
        return measure(pool, task, source, answers)

    monkeypatch.setattr(Pool, "measure", counted)
    monkeypatch.setattr(Pool, "close", lambda pool: (closed.append(pool), close(pool))[1])

    def tiled(schedule: Any) -> None:
        loop = schedule.get_loops("C")[0]
        schedule.split(loop, schedule.sample_perfect_tile(loop, 2))

    drafts = Scheduler(written=False, generations=0)
    own = started(drafts, space=ScheduleFn(tiled, postprocs=[]))
    assert answered(own, *[0.5] * 4) and not asked
    assert answered(started(Scheduler(written=False, generations=0, reads=False)), *[0.5] * 4) == 4 and not asked
    context = started(drafts)
    assert answered(context, *[0.5] * 4) == 4 and {*asked} == {"machine code"} and len(asked) >= 2 * 4
    del context
    gc.collect()
    assert len(closed) == 1


def test_plans_are_read_back_from_traces() -> None:
    program = Program(source())
    for draft in Uniform().sample("", Decisions(program), 12, 0):
        assert draft.answer is not None
        trace = program.scheduled(draft.answer).trace
        assert program.plan(trace) == program.plan(trace.simplified(True)) == draft.answer
    with pytest.raises(ValueError, match="none of the design spaces"):
        program.plan(tvm.s_tir.Schedule(program.module).trace)


def test_tvms_own_searches_are_judged_like_ours(rivals: Any, pool: Pool) -> None:
    sources = [source(), source(16)]
    runs = rivals.run_metaschedule(sources, "replay-trace", 4, 0, pool, at_once=2, cost_model="random")
    broken = matmul().script().replace("C[v_i, v_j] + A", "C[v_i, v_j] - A")
    found = rivals.measured(pool, source(), rivals.written(tvm.script.from_source(broken)))
    assert [run.task for run in runs] == [0, 0, 1, 1] and all(run.seconds and not run.error for run in runs)
    assert 0 < runs[0].at_s < runs[1].at_s < runs[2].at_s < runs[3].at_s
    for run in runs:
        grammar = Decisions(program := Program(sources[run.task]))
        assert grammar.text(grammar.parse(run.text(program))) == run.text(program)
    assert broken != matmul().script() and found.error.startswith("wrong") and not found.ok


def test_a_worker_may_go_on_using_every_core(rivals: Any, pool: Pool) -> None:
    assert rivals.measured(pool, source(), rivals.written(matmul())).ok
    assert pool.call(os.sched_getaffinity, 0) == os.sched_getaffinity(0)


def test_bad_requests_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="'nothing' writes no schedules"):
        forerun.search_strategy("nothing")
    with pytest.raises(UsageError, match="reads no checkpoint"):
        forerun.search_strategy("uniform", checkpoint="weights")
    with pytest.raises(InputError):
        forerun.search_strategy(checkpoint="no such folder")


def network() -> Any:
    """Three programs: a product, what is positive of it, and its softmax. Its weights."""
    from tvm import relax

    x = relax.Var("x", relax.TensorType((16, 32), "float32"))
    weights = np.random.default_rng(0).standard_normal((32, 24), np.float32)
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            made = builder.emit(relax.op.nn.relu(builder.emit(relax.op.matmul(x, relax.const(weights)))))
            made = builder.emit_output(relax.op.nn.softmax(made))
        builder.emit_func_output(made)
    return relax.transform.LegalizeOps()(builder.finalize()), weights


def here() -> Any:
    """A runner that builds and times in this process: TVM's own starts another one for each kernel, for seconds."""
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.runner import PyRunner, PyRunnerFuture, RunnerResult

    @derived_object
    class Future(PyRunnerFuture):  # type: ignore[misc]
        def __init__(self, module: Any, arguments: Sequence[Any]) -> None:
            self.module, self.arguments = module, arguments

        def done(self) -> bool:
            return True

        def result(self) -> Any:
            made = tvm.compile(self.module, targets.made(TARGET)).jit()
            tensors = [tvm.runtime.tensor(np.ones(tuple(a.shape), str(a.dtype))) for a in self.arguments]
            timed = made.time_evaluator("main", tvm.cpu(), number=1)
            return RunnerResult([timed(*tensors).mean], None)

    @derived_object
    class Runner(PyRunner):  # type: ignore[misc]
        def run(self, runner_inputs: Sequence[Any]) -> list[Any]:
            paths = [Path(str(each.artifact_path)) for each in runner_inputs]
            modules = [tvm.ir.load_json(path.read_text()) for path in paths]
            return [Future(m, each.args_info) for m, each in zip(modules, runner_inputs, strict=True)]

    return Runner()


@pytest.mark.usefixtures("quiet")
def test_tune_relax_tunes_a_network_that_computes_the_same(rivals: Any, tmp_path: Path) -> None:
    from tvm import relax
    from tvm.s_tir import meta_schedule as ms

    module, weights = network()
    target = targets.made(TARGET)
    database = ms.relax_integration.tune_relax(
        module,
        {},
        target,
        str(tmp_path),
        6,
        num_trials_per_iter=2,
        builder=rivals.builder(),
        runner=here(),
        cost_model="random",
        strategy=forerun.search_strategy(),
    )
    assert len(database) >= 6
    with target, database, tvm.transform.PassContext(opt_level=3):
        applied = relax.transform.MetaScheduleApplyDatabase()(module)
    scheduled = {name.name_hint for name, f in applied.functions_items() if f.attrs and "tirx.is_scheduled" in f.attrs}
    assert scheduled == {"matmul", "relu", "softmax"}
    made = ms.relax_integration.compile_relax(database, module, target, {})
    x = np.random.default_rng(1).standard_normal((16, 32), np.float32)
    found = relax.VirtualMachine(made, tvm.cpu())["main"](tvm.runtime.tensor(x)).numpy()
    positive = np.exp(np.maximum(x @ weights, 0))
    np.testing.assert_allclose(found, positive / positive.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
