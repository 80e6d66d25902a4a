"""MetaSchedule's own searches as rivals: TVM proposes as it always does, and our worker builds, checks and times.

The task scheduler, the cost model, the database and the callbacks are the stock ones. Only the builder and the runner
are ours, so that a rival's kernel is judged like any other: a wrong one counts as failed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from forerun.clock import interleaved, runs_of
from forerun.core import Measurement, Source
from forerun.errors import ForerunError
from forerun.grammars.decisions import Decisions
from forerun.sandbox import Pool
from forerun.toolchains.tvm import measure
from forerun.toolchains.tvm._load import intrinsics, load
from forerun.toolchains.tvm.space import Program
from forerun.toolchains.tvm.text import plain

_SAMPLES = 15
"""Of each kernel that is timed again."""


@dataclass(frozen=True, slots=True)
class Run:
    """One candidate: its decisions, or its trace as JSON where no design space has it; seconds of one that is right."""

    text: str
    seconds: float | None
    error: str = ""


def run_metaschedule(
    source: Source, strategy: Any, trials: int, seed: int, pool: Pool, at_once: int = 64, cost_model: str = "xgb"
) -> list[Run]:
    """What a search strategy (`evolutionary`, `replay-trace`, an object) proposed, in order, as the pool measured it.

    `at_once` candidates are proposed before one is measured; 64 is TVM's own default. The search has one thread and no
    torch; its cost model is XGBoost's unless another is named. Raises InputError for a source without design spaces,
    ToolMissing.
    """
    program = Program(source)
    intrinsics(program.target)
    from tvm.s_tir import meta_schedule as ms

    seen: list[Run] = []
    context = ms.TuneContext(
        mod=program.module,
        target=program.target,
        space_generator="post-order-apply",
        search_strategy=strategy,
        task_name="main",
        rand_state=seed + 1,  # 0 is none that TVM takes
        num_threads=1,
    )
    ms.tune.tune_tasks(
        tasks=[context.clone()],
        task_weights=[1.0],
        work_dir="",
        max_trials_global=trials,
        num_trials_per_iter=at_once,
        builder=builder(),
        runner=runner(source, pool),
        database="memory",
        cost_model=ms.CostModel.create(cost_model, num_tuning_cores=1, tree_method="auto"),
        measure_callbacks=[*ms.MeasureCallback.create("default"), _recorder(program, seen)],
    )
    return seen[:trials]


def mercy() -> None:
    """What a worker of TVM's does first: loads TVM without torch, and no intrinsics of other processors.

    Without it every stock candidate costs some 36 seconds more.
    """
    from tvm.target import Target

    intrinsics(Target({"kind": "llvm", "num-cores": 1}))


def judged(source: Source, path: str) -> Measurement:
    """Measures the module in a file as `forerun.tasks.schedule` measures a plan: in a worker."""
    text = Path(path).read_text()
    return measure.judged(source, lambda program: load().ir.load_json(text))


def builder() -> Any:
    """Only writes modules down: they are built where they are run."""
    load()
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder

    @derived_object
    class Builder(PyBuilder):  # type: ignore[misc]
        def build(self, build_inputs: Sequence[Any]) -> list[Any]:
            return [BuilderResult(written(each.mod), None) for each in build_inputs]

    return Builder()


def written(module: Any) -> str:
    """A file in a folder of its own, which TVM removes after the run."""
    path = Path(tempfile.mkdtemp(prefix="forerun-")) / "module.json"
    path.write_text(load().ir.save_json(module))
    return str(path)


def runner(source: Source, pool: Pool) -> Any:
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.runner import PyRunner, PyRunnerFuture, RunnerResult

    @derived_object
    class Future(PyRunnerFuture):  # type: ignore[misc]
        def __init__(self, measurement: Measurement) -> None:
            self.measurement = measurement

        def done(self) -> bool:
            return True

        def result(self) -> Any:
            found = self.measurement
            return RunnerResult([found.values["latency"]], None) if found.ok else RunnerResult(None, found.error)

    @derived_object
    class Runner(PyRunner):  # type: ignore[misc]
        def run(self, runner_inputs: Sequence[Any]) -> list[Any]:
            return [Future(measured(pool, source, str(each.artifact_path))) for each in runner_inputs]

    return Runner()


def measured(pool: Pool, source: Source, path: str) -> Measurement:
    """What a worker says of the module in a file."""
    try:
        return pool.call(judged, source, path)
    except ForerunError as error:  # it crashed, or took too long
        return Measurement(error=error.why)


def _recorder(program: Program, seen: list[Run]) -> Any:
    """A callback that keeps what was measured, in order."""
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

    @derived_object
    class Recorder(PyMeasureCallback):  # type: ignore[misc]
        def apply(self, _: Any, __: int, candidates: Sequence[Any], ___: Any, results: Sequence[Any]) -> None:
            for candidate, result in zip(candidates, results, strict=True):
                failed = result.error_msg is not None
                seconds = None if failed else float(result.run_secs[0])
                seen.append(Run(_text(program, candidate.sch.trace), seconds, str(result.error_msg) if failed else ""))

    return Recorder()


def _text(program: Program, trace: Any) -> str:
    try:
        return Decisions(program).text(program.plan(trace))
    except ValueError:
        return json.dumps(trace.as_json(remove_postproc=True), default=plain)


def compared(source: Source, texts: Sequence[str]) -> list[float]:
    """Seconds of several kernels, named as runs are, timed in turn: in a worker.

    What was measured during a search is the luckier the more was measured. Raises AssertionError for one that is wrong.
    """
    bench, runs, counts = measure.Bench(source, 0), dict[str, Callable[[], object]](), list[int]()
    for text in texts:
        function = measure.built(scheduled(bench.program, text), bench.program.target, source.target)
        run = partial(function, *bench.tensors)
        bench.poison()
        counts.append(runs_of(interleaved({"": run}, 1)[""].median_s))
        assert not bench.wrong(), f"{text}: {bench.wrong()}"
        runs[text] = partial(_repeated, run, counts[-1])
    found = interleaved(runs, _SAMPLES)
    return [timing.median_s / count for timing, count in zip(found.values(), counts, strict=True)]


def _repeated(run: Callable[[], object], times: int) -> None:
    for _ in range(times):
        run()


def scheduled(program: Program, text: str) -> Any:
    """The module of a run."""
    if not text.startswith("["):
        return program.scheduled(Decisions(program).parse(text)).mod
    from tvm.s_tir import Schedule
    from tvm.s_tir.schedule import Trace

    schedule = Schedule(program.module, error_render_level="none")
    Trace.apply_json_to_schedule(json.loads(text), schedule)
    return program.finished(schedule).mod
