"""MetaSchedule's own searches as rivals: TVM proposes as it always does, and our worker builds, checks and times.

The task scheduler, the cost model, the database and the callbacks are the stock ones. Only the builder and the runner
are ours, so that a rival's kernel is judged like any other: a wrong one counts as failed.
"""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from forerun.clock import interleaved, runs_of
from forerun.core import Measurement, Source
from forerun.errors import ForerunError
from forerun.grammars.decisions import Decisions, Plan
from forerun.sandbox import Pool
from forerun.tasks.schedule import Again, Schedule
from forerun.toolchains.tvm import database, extract, measure
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import intrinsics, load
from forerun.toolchains.tvm.device import Device
from forerun.toolchains.tvm.space import Program

_SAMPLES = 15
"""Of each kernel that is timed again."""

TASK = "forerun.task"
"""Attribute of a function: the number of its program. TVM tells builders and runners no more than a module."""


@dataclass(frozen=True, slots=True)
class Run:
    """One candidate of a program, by its number; `seconds` of one that is right."""

    task: int
    trace: Any
    seconds: float | None
    error: str = ""
    at_s: float = 0.0
    """Since the search began."""

    def text(self, program: Program) -> str:
        """Its decisions; where no design space has it, what TVM's database writes of it."""
        try:
            return Decisions(program).text(program.plan(self.trace))
        except ValueError:
            return database.line(program, self.trace, self.seconds or 0.0)


def run_metaschedule(
    sources: Sequence[Source],
    strategy: Any,
    trials: int,
    seed: int,
    pool: Pool,
    weights: Sequence[float] | None = None,
    at_once: int = 64,
    cost_model: str = "xgb",
    threads: int = 1,
) -> list[Run]:
    """What a search strategy (`evolutionary`, `replay-trace`, an object) proposed, in order, as the pool measured it.

    The gradient-based task scheduler deals `trials` out to the programs, by what a run of the network calls them
    (`weights`, 1 each without). `at_once` candidates are proposed before one is measured; 64 is TVM's own default. The
    search has so many `threads` and no torch; its cost model is XGBoost's unless another is named. Raises InputError
    for a source without design spaces, ToolMissing.
    """
    began = time.monotonic()
    programs = [Program(source) for source in sources]
    intrinsics(programs[0].target)
    from tvm.s_tir import meta_schedule as ms

    contexts = [
        ms.TuneContext(
            mod=numbered(program.module, number),
            target=program.target,
            space_generator="post-order-apply",
            search_strategy=strategy,
            task_name=source.name,
            rand_state=seed + 1,  # 0 is none that TVM takes
            num_threads=threads,
        )
        for number, (program, source) in enumerate(zip(programs, sources, strict=True))
    ]
    seen, times = list[Run](), [deque[float]() for _ in sources]
    ms.tune.tune_tasks(
        tasks=[context.clone() for context in contexts],
        task_weights=list(weights or [1.0] * len(sources)),
        work_dir="",
        max_trials_global=trials,
        num_trials_per_iter=at_once,
        builder=builder(),
        runner=runner(sources, pool, times),
        database="memory",
        cost_model=ms.CostModel.create(cost_model, num_tuning_cores=1, tree_method="auto"),
        measure_callbacks=[*ms.MeasureCallback.create("default"), _recorder(seen, times, began)],
        task_scheduler=ms.task_scheduler.GradientBased(seed=seed + 1),
    )
    return sorted(seen, key=lambda run: run.at_s)[:trials]


def numbered(module: Any, number: int) -> Any:
    """The program, saying which one it is."""
    return load().IRModule({"main": module["main"].with_attr(TASK, number)})


class Taking(Schedule):
    """A schedule that waits for its turn on a GPU to be timed: searches of several processes may share one."""

    def begin(self, source: Source, answer: Plan | None) -> Measurement | Callable[[], Measurement]:
        """As any schedule's, but for the turn."""
        found = self._begun(source, answer)
        return partial(_timed, source, found) if callable(found) else found

    def _begun(self, source: Source, answer: Any) -> Measurement | Callable[[], Measurement]:
        return super().begin(source, answer)


class TakingAgain(Taking, Again):
    """The same of a kernel that is measured again."""


class Module(Taking):
    """The same of modules in files, whose paths are the answers."""

    def _begun(self, source: Source, answer: Any) -> Measurement | Callable[[], Measurement]:
        text = Path(answer).read_text(encoding="utf-8")
        return measure.begun(source, lambda program: load().ir.load_json(text))


class Recorded(Schedule):
    """The same of kernels whose answers are a database's lines."""

    def begin(self, source: Source, answer: Any) -> Measurement | Callable[[], Measurement]:
        """Builds and checks it."""
        return measure.begun(source, lambda program: database.scheduled(program, answer), self._bounds(source, answer))


def _timed(source: Source, timing: Callable[[], Measurement]) -> Measurement:
    with _turn(source):
        return timing()


@contextlib.contextmanager
def _turn(source: Source) -> Iterator[None]:
    """On a GPU one process is timed at a time."""
    if targets.device(source.target) == "cpu":
        yield
        return
    with Path(tempfile.gettempdir(), "forerun-gpu.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def builder() -> Any:
    """Only writes modules down: they are built where they are run."""
    load()
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder

    @derived_object
    class Builder(PyBuilder):  # type: ignore[misc]
        def build(self, build_inputs: Sequence[Any]) -> list[Any]:
            return [BuilderResult(written(each.mod, _number(each.mod)), None) for each in build_inputs]

    return Builder()


def _number(module: Any) -> int:
    return int((module["main"].attrs or {}).get(TASK, 0))


def written(module: Any, number: int = 0) -> str:
    """A file with the number of its program, in a folder of its own, which TVM removes after the run."""
    path = Path(tempfile.mkdtemp(prefix="forerun-")) / f"{number}.json"
    path.write_text(load().ir.save_json(module), encoding="utf-8")
    return str(path)


def runner(sources: Sequence[Source], pool: Pool, times: Sequence[deque[float]] | None = None) -> Any:
    """Has the pool measure what the builder wrote down; `times` get the moment of each, by program."""
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
            paths = [str(each.artifact_path) for each in runner_inputs]
            numbers = [int(Path(path).stem) for path in paths]
            asked: list[Any] = [(Module(), sources[number], path) for number, path in zip(numbers, paths, strict=True)]
            found = dict[int, Measurement]()
            for place, measurement in pool.measure_each(asked):
                found[place] = measurement
                if times is not None:
                    times[numbers[place]].append(time.monotonic())
            return [Future(found[place]) for place in range(len(asked))]

    return Runner()


def measured(pool: Pool, source: Source, path: str) -> Measurement:
    """What a worker says of the module in a file."""
    answers: list[Any] = [path]
    return next(found for _, found in pool.measure(Module(), source, answers))


def _recorder(seen: list[Run], times: Sequence[deque[float]], began: float) -> Any:
    """A callback that keeps what was measured; TVM hands a program's results over when it turns to it again."""
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

    @derived_object
    class Recorder(PyMeasureCallback):  # type: ignore[misc]
        def apply(self, _: Any, task: int, candidates: Sequence[Any], __: Any, results: Sequence[Any]) -> None:
            for candidate, result in zip(candidates, results, strict=True):
                failed = result.error_msg is not None
                seconds = None if failed else float(result.run_secs[0])
                error, at_s = str(result.error_msg) if failed else "", times[task].popleft() - began
                seen.append(Run(int(task), candidate.sch.trace, seconds, error, at_s))

    return Recorder()


def compared(source: Source, texts: Sequence[str]) -> list[float]:
    """Seconds of several kernels, named as runs are, timed in turn: in a worker.

    What was measured during a search is the luckier the more was measured. Raises ForerunError for one that is wrong.
    """
    bench, device = measure.Bench(source, 0), Device(source.target)
    program, tensors = bench.program, bench.tensors(device)
    runs = dict[str, Callable[[], object]]()
    for text in texts:
        outside = text.startswith(("{", "["))
        module = database.scheduled(program, text) if outside else program.scheduled(Decisions(program).parse(text)).mod
        runs[text] = kernel(bench, device, tensors, module)
    with _turn(source):
        once = [interleaved({"": partial(_repeated, run, 1, device)}, 1, warm_up=0)[""] for run in runs.values()]
        counts = [runs_of(timing.median_s) for timing in once]
        repeated = {
            text: partial(_repeated, run, count, device)
            for (text, run), count in zip(runs.items(), counts, strict=True)
        }
        found = interleaved(repeated, _SAMPLES)
    return [timing.median_s / count for timing, count in zip(found.values(), counts, strict=True)]


def kernel(bench: measure.Bench, device: Device, tensors: Sequence[Any], module: Any) -> Callable[[], object]:
    """What runs a module of the bench's program on this machine's device. It ran once.

    Raises ForerunError where it does not compute what NumPy does.
    """
    function = device.loaded(extract.built(module, bench.program.target))["main"]
    bench.poison(tensors)
    function(*tensors)
    if problem := bench.wrong(tensors):
        raise ForerunError(f"a kernel of {bench.program.source.name} is wrong", problem, "report its schedule")
    return partial(function, *tensors)


def _repeated(run: Callable[[], object], times: int, device: Device) -> None:
    for _ in range(times):
        run()
    device.handle.sync()  # a GPU may still be at it
