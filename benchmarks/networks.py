"""Whole networks: ours, TVM's default and rules, MetaSchedule, PyTorch, Inductor, onnxruntime; operators: the vendor's.

    python benchmarks/networks.py resnet18-1x224 bert-tiny-8x128 --trials 16 --rival-trials 64
    python benchmarks/networks.py net.onnx --threads 1 --threads 2 --checkpoint DIR
    python benchmarks/networks.py vit-tiny-1x224 swin-tiny-1x224 --rival-trials 0 -o runtimes.json

A network is a name of `forerun.corpora.tensor_networks`, `module.py:factory` or an .onnx file of fixed sizes. For each,
one after the other on this machine: every program's default and TVM's own rules (`static`), `forerun.tune` from an
empty store (`ours`), and MetaSchedule's evolutionary search over the programs as TVM has them (`metaschedule`), each
with one worker that builds, compares with NumPy and times, what is not ours with weights in the caches, as TVM does (no
MetaSchedule where it has no trials); then what both searches kept, from first to last, timed again together with
weights out of the caches, of which the curves are; then all ways to run the whole network, interleaved; then each
kernel of ours beside PyTorch's operator, interleaved. A result is kept as it comes: an interrupted run is called again.
A search that was interrupted begins anew, since its seconds are a result.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from _lines import Line, Lines, digest, summarise, weights
from _metaschedule import Recorded, measured, run_metaschedule, written
from _vendor import label, recognised
from _ways import DLIGHT, beside, by_rules, raced

import forerun
from forerun.cli.render import Progress
from forerun.core import Source
from forerun.corpora.workloads import LANGUAGE
from forerun.errors import ForerunError, InputError
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.sandbox import Limits, Pool
from forerun.stats import bootstrap, geometric_mean
from forerun.tasks.schedule import AGAIN, Schedule
from forerun.toolchains.tvm import database, network
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import IMPORTS, Place
from forerun.toolchains.tvm.extract import GIVEN, Extracted
from forerun.toolchains.tvm.network import DEFAULT, Network
from forerun.toolchains.tvm.space import Program

RESULTS = Path(__file__).parent / "results" / "networks.json"
KEYS = ("network", "threads", "part", "program")
STATIC, OURS, METASCHEDULE = "static", "ours", "metaschedule"
OTHERS = ("onnxruntime", "PyTorch", "Inductor")
KEPT, WHOLE, OPERATOR = "kept", "whole", "operator"
_TIMES = 3
"""How often what a search kept is timed again."""
_READING = Limits(timeout_s=3600, memory_bytes=1 << 40)
_FACTORY = """from forerun.corpora.tensor_networks import networks


def network():
    return networks()[{name!r}].made()
"""

Programs = dict[str, Extracted]
"""By their names."""
Kept = tuple[float, str, str]
"""Seconds since a search began, a program, and a database's line of what was the fastest of it from then on."""
Curve = list[tuple[float, float]]
"""Seconds since a search began, and those of all kernels of a run with the best so far; from 0 on, and falling."""


def main() -> int:
    options = _options()
    lines = Lines(options.output.with_suffix(".jsonl"), KEYS)
    progress = Progress(len(options.networks) * len(options.threads), "networks")
    failed = 0
    try:
        for name in options.networks:
            for threads in options.threads:
                try:
                    with Asked(options, name, threads, lines) as asked:
                        asked.run()
                except ForerunError as error:
                    failed += 1
                    print(f"{name}, {threads} threads: {error.what}: {error.why}", file=sys.stderr)
                progress.step(name)
    finally:
        progress.end()
        summarise(options.output, summary(lines))
    return int(failed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", help="names of networks, module.py:factory, or .onnx files")
    parser.add_argument("--trials", type=int, default=16, help="ours, of each program in the mean (16)")
    parser.add_argument(
        "--rival-trials",
        type=int,
        default=64,
        help="MetaSchedule's, of each in the mean (64); 0: none, and no whole network by TVM's rules",
    )
    parser.add_argument(
        "--at-once",
        type=int,
        default=16,
        help="candidates that MetaSchedule proposes before it learns (16; its own: 64)",
    )
    parser.add_argument("--threads", action="append", type=int, help="of a kernel (1)")
    parser.add_argument("--seed", type=int, default=0, help="of the searches (0)")
    parser.add_argument("--checkpoint", type=Path, default=SHIPPED, help="the model of schedules (the one that ships)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="the summary; results stand beside it")
    options = parser.parse_args()
    options.threads = options.threads or [1]
    return options


@dataclass(frozen=True, slots=True)
class Task:
    """A program of a network, how often a run calls it, and seconds of its default."""

    source: Source
    weight: int
    default_s: float


class Asked:
    """One network on so many threads. Use as a context manager."""

    def __init__(self, options: argparse.Namespace, name: str, threads: int, lines: Lines) -> None:
        self.options, self.name, self.lines, self.threads = options, name, lines, threads
        self.target = targets.here(threads)

    def __enter__(self) -> Asked:
        self._folder = TemporaryDirectory()
        self.network = _found(self.name, Path(self._folder.name))
        self.given = replace(self.network, layout=GIVEN)
        self._reader = Pool(1, _READING, IMPORTS)
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self._folder.cleanup()

    def run(self) -> None:
        """Measures what is not there yet. Raises ForerunError."""
        self.programs = self._programs(self.given)
        tuned = self._programs(self.network)
        options = self.options
        static = self._line(STATIC, self._static, programs=_digest(self.programs))
        asked = {"programs": _digest(tuned), "seed": options.seed, "trials": options.trials}
        ours = self._line(
            OURS, lambda: self._ours(len(tuned)), **asked, checkpoint=weights(options.checkpoint)
        )  # fmt: skip
        searches = {OURS: (self.network, tuned, ours)}
        if options.rival_trials:
            asked = {"programs": _digest(self.programs), "seed": options.seed}
            asked |= {"trials": options.rival_trials, "at once": options.at_once}
            rival = self._line(METASCHEDULE, lambda: self._metaschedule(static), **asked)
            searches[METASCHEDULE] = (self.given, self.programs, rival)
        said = digest(repr((static, *(_without_kept(line) for _, _, line in searches.values()))))
        if len(searches) > 1 and all("kept" in line for _, _, line in searches.values()):
            self._line(KEPT, lambda: self._again(searches), searches=said)
            for _, _, line in searches.values():  # half a megabyte, which nobody needs any more
                self.lines.keep(_without_kept(line))
        self._line(WHOLE, lambda: self._whole(searches), searches=said)
        for name, one in ours["kernels"].items():
            text, record = tuned[name].text, one["record"]
            self._line(OPERATOR, partial(self._operator, text, record), name, record=record)

    def _programs(self, asked: Network) -> Programs:
        found, _ = self._reader.call(network.programs, asked, Place(self.target))
        return {one.name: one for one in found}

    def _line(self, part: str, measure: Callable[[], Line], program: str | None = None, **asked: Any) -> Line:
        """What is known of a part, measured where it is not."""
        line: Line = {"network": self.name, "threads": self.threads, "part": part, "program": program, **asked}
        known = self.lines.known(line)
        if not line.items() <= known.items():
            known = line | measure()
            self.lines.keep(known)
        return known

    def _source(self, program: Extracted) -> Source:
        return Source(program.text, LANGUAGE, program.name, self.target)

    def _static(self) -> Line:
        """Each program as it is, then by TVM's rules, where one applies."""
        began, tasks, runs = time.monotonic(), dict[str, Task](), list[tuple[float, str, float | None]]()
        left_out, wrong = {}, {}
        with Pool(1, imports=IMPORTS) as pool:
            for name, program in self.programs.items():
                source = self._source(program)
                try:
                    module = Program(source).module
                    found = next(m for _, m in pool.measure(Schedule(), source, [None]))
                except InputError as error:
                    left_out[name] = error.why
                    continue
                if not found.ok:
                    left_out[name] = found.error
                    continue
                tasks[name] = Task(source, program.weight, found.values["latency"])
                scheduled = by_rules(module, targets.made(self.target))
                if not (scheduled["main"].attrs or {}).get("tirx.is_scheduled", False):
                    continue
                file = Path(written(scheduled))
                found = measured(pool, source, str(file))
                shutil.rmtree(file.parent)
                runs.append((time.monotonic() - began, name, found.values.get("latency") if found.ok else None))
                if not found.ok:
                    wrong[name] = found.error
        return _search(tasks, runs, time.monotonic() - began) | {"left out": left_out, "failed": wrong}

    def _ours(self, count: int) -> Line:
        """`forerun.tune`; its curve begins where the network is read, and ends before it is put together."""
        marks: dict[str, float] = {}
        saved: Curve = []
        measured_at: dict[int, float] = {}

        def told(now: Any) -> None:
            at = time.monotonic()
            marks.setdefault(now.stage, at)
            if now.stage == "tuning":
                measured_at.setdefault(now.trials, at - marks["default"])
                saved.append((at - marks["default"], now.network_before_s - now.network_best_s))

        with TemporaryDirectory() as folder:
            tuned = forerun.tune(
                self._asked(), target=f"llvm:{self.threads}", trials=self.options.trials * count,
                proposer=Scheduler(self.options.checkpoint), store=Path(folder) / "trials.sqlite",
                seed=self.options.seed, on_progress=told,
            )  # fmt: skip
        seconds = marks["comparing"] - marks["default"]
        kernels, kept = {}, list[Kept]()
        for place, kernel in enumerate(tuned.kernels):
            program = Program(kernel.result.best.source)
            own = (measured_at.get(number + 1, seconds) for number, one in enumerate(tuned.order) if one == place)
            best_s = kernel.before_s
            for at_s, trial in zip(own, kernel.result.trials, strict=True):
                if trial.measurement.ok and trial.measurement.values["latency"] < best_s:
                    best_s = trial.measurement.values["latency"]
                    kept.append((at_s, kernel.name, _record(program, trial.draft.answer, best_s)))
            record = _record(program, kernel.result.best.draft.answer, kernel.after_s)
            kept.append((seconds, kernel.name, record))
            kernels[kernel.name] = {
                "weight": kernel.weight, "default": kernel.before_s, "seconds": kernel.after_s, "record": record,
                "failed": kernel.failed,
            }  # fmt: skip
        curve = _falling([(0.0, tuned.before_s), *((at, tuned.before_s - less) for at, less in saved)])
        return {
            "seconds": seconds, "in all": tuned.seconds, "curve": curve, "kernels": kernels, "kept": sorted(kept)
        }  # fmt: skip

    def _asked(self) -> str:
        path, factory = self.network.path, self.network.factory
        return f"{path}:{factory}" if factory else str(path)

    def _metaschedule(self, static: Line) -> Line:
        """The stock search, on the programs that TVM has."""
        tasks = {
            name: Task(self._source(self.programs[name]), one["weight"], one["default"])
            for name, one in static["kernels"].items()
        }
        names, options = list(tasks), self.options
        began = time.monotonic()
        with Pool(1, imports=IMPORTS) as pool:
            found = run_metaschedule(
                [task.source for task in tasks.values()], "evolutionary", options.rival_trials * len(tasks),
                options.seed, pool, [float(task.weight) for task in tasks.values()], options.at_once,
            )  # fmt: skip
        seconds = time.monotonic() - began
        line = _search(tasks, [(run.at_s, names[run.task], run.seconds) for run in found], seconds)
        line["kept"] = kept = list[Kept]()
        for number, (name, task) in enumerate(tasks.items()):
            own = [run for run in found if run.task == number]
            best_s, program, record = task.default_s, Program(task.source), ""
            for run in own:
                if run.seconds is not None and run.seconds < best_s:
                    best_s, record = run.seconds, database.line(program, run.trace, run.seconds)
                    kept.append((run.at_s, name, record))
            line["kernels"][name] |= {"record": record, "failed": sum(run.seconds is None for run in own)}
        return line

    def _again(self, searches: Mapping[str, tuple[Network, Programs, Line]]) -> Line:
        """The curves of all searches, by kernels that are timed again together: each search chose by its own clock."""
        asked = sorted({
            (search, name, record) for search, (_, _, line) in searches.items() for _, name, record in line["kept"]
            if record
        })  # fmt: skip
        found: dict[tuple[str, str, str], list[float]] = {one: [] for one in asked}
        with Pool(1, imports=IMPORTS) as pool:
            for turn in range(_TIMES):
                Random(turn).shuffle(asked)
                programs = [searches[search][1][name] for search, name, _ in asked]
                tasks = [
                    (Recorded(weights=program.weights), self._source(program), record)
                    for program, (_, _, record) in zip(programs, asked, strict=True)
                ]
                for place, measurement in pool.measure_each(tasks):
                    if measurement.ok:
                        found[asked[place]].append(measurement.values["latency"])
        curves = {}
        for search, (_, _, line) in searches.items():
            runs = [
                (at_s, name, median(times) if (times := found.get((search, name, record))) else None)
                for at_s, name, record in sorted(line["kept"])
            ]
            curves[search] = chosen(line["kernels"], runs)
        return {"curves": curves, "kernels": len(asked)}

    def _whole(self, searches: Mapping[str, tuple[Network, Programs, Line]]) -> Line:
        """Every way to run the network, side by side."""
        texts = {}
        for name, (asked, programs, line) in searches.items():
            best = {task: one["record"] for task, one in line["kernels"].items() if one["record"]}
            found = [(Program(self._source(programs[task])), record) for task, record in best.items()]
            texts[name] = asked, database.texts(found)
        race = self._reader.call(raced, self.given, self.target, texts, METASCHEDULE in searches)
        runs = {
            name: {
                "latency": one.median_s,
                "spread": one.spread,
                "samples": len(one.seconds),
                "made": race.made.get(name),
            }
            for name, one in race.timings.items()
        }
        return {"runs": runs, "missing": dict(race.missing)}

    def _operator(self, text: str, record: str) -> Line:
        """Our best kernel and PyTorch's operator, where the program is one."""
        try:
            operator = recognised(text)
        except InputError as error:
            return {"operator": None, "why": error.why}
        told = {"operator": label(operator), "shapes": operator.shapes, "beyond": operator.beyond}
        return told | self._reader.call(beside, Source(text, LANGUAGE, "", self.target), record, operator)


def _without_kept(line: Line) -> Line:
    return {name: value for name, value in line.items() if name != "kept"}


def _digest(programs: Programs) -> str:
    return digest("".join(one.text for one in programs.values()))


def _found(name: str, folder: Path) -> Network:
    """A file as it is; a name as a file whose function makes the network."""
    place, _, factory = name.rpartition(":")
    if name.endswith(".onnx"):
        return Network(Path(name))
    if place.endswith(".py"):
        return Network(Path(place), factory)
    path = folder / "named.py"
    path.write_text(_FACTORY.format(name=name), encoding="utf-8")
    return Network(path, "network")


def _search(tasks: Mapping[str, Task], runs: Sequence[tuple[float, str, float | None]], seconds: float) -> Line:
    """What a search came to; nobody keeps a kernel that is slower than the default."""
    kernels = {}
    for name, task in tasks.items():
        best = min([task.default_s, *(s for _, one, s in runs if one == name and s is not None)])
        kernels[name] = {"weight": task.weight, "default": task.default_s, "seconds": best}
    return {"seconds": seconds, "curve": curve(tasks, runs), "kernels": kernels}


def _record(program: Program, plan: Any, seconds: float) -> str:
    return "" if plan is None else database.line(program, program.scheduled(plan).trace, seconds)


def chosen(kernels: Mapping[str, Line], runs: Iterable[tuple[float, str, float | None]]) -> Curve:
    """Of what a search chose in its order, which may be slower than what it chose before: None is the default. From the
    time on when it first had as little."""
    now = {name: one["default"] for name, one in kernels.items()}

    def total() -> float:
        return math.fsum(kernels[name]["weight"] * seconds for name, seconds in now.items())

    found = [(0.0, total())]
    for at_s, name, seconds in runs:
        now[name] = kernels[name]["default"] if seconds is None else seconds
        found.append((at_s, total()))
    return _falling(found)


def curve(tasks: Mapping[str, Task], runs: Iterable[tuple[float, str, float | None]]) -> Curve:
    """Of runs in their order: seconds since the beginning, the program, and its own seconds, None where it failed."""
    best = {name: task.default_s for name, task in tasks.items()}

    def total() -> float:
        return sum(tasks[name].weight * seconds for name, seconds in best.items())

    found = [(0.0, total())]
    for at_s, name, seconds in runs:
        if seconds is not None and seconds < best[name]:
            best[name] = seconds
            found.append((at_s, total()))
    return found


def _falling(found: Curve) -> Curve:
    """Without the points at which nothing was better."""
    kept = found[:1]
    for at_s, total in found[1:]:
        if total < kept[-1][1]:
            kept.append((at_s, total))
    return kept


def reached(found: Sequence[Sequence[float]], total_s: float) -> float | None:
    """Seconds after which a search first was as fast; None where it never was."""
    return next((at_s for at_s, total in found if total <= total_s), None)


def after(found: Sequence[Sequence[float]], seconds: float) -> float:
    """Seconds of all kernels when a search had taken so long."""
    return [total for at_s, total in found if at_s <= seconds][-1]


def summary(lines: Iterable[Line]) -> Line:
    """A row for each network that was run as a whole, a row for each kind of operator, and what was not recognised."""
    places: dict[tuple[str, int], dict[str, Line]] = {}
    operators = []
    for line in lines:
        if line["part"] == OPERATOR:
            operators.append(line)
        else:
            places.setdefault((line["network"], line["threads"]), {})[line["part"]] = line
    networks = [row(*place, parts) for place, parts in places.items() if WHOLE in parts]
    unknown = [f"{line['network']}: {line['program']}: {line['why']}" for line in operators if not line["operator"]]
    return {
        "networks": networks,
        "beside": [
            beside_all(run, threads, [one for one in networks if one["threads"] == threads])
            for threads in sorted({one["threads"] for one in networks})
            for run in OTHERS
        ],
        "operators": list(by_operator(operators)),
        "not recognised": sorted(set(unknown)),
    }


def beside_all(run: str, threads: int, networks: Sequence[Line]) -> Line:
    """The geometric mean over networks of what another way to run them takes over what ours does."""
    ratios = [one["runs"][run]["latency"] / one["runs"][OURS]["latency"] for one in networks if run in one["runs"]]
    told: Line = {"run": run, "threads": threads, "networks": len(ratios), "ahead": sum(r >= 1 for r in ratios)}
    if not ratios:
        return told
    mean = bootstrap([[ratio] for ratio in ratios], geometric_mean)
    return told | {"mean": mean.value, "low": mean.low, "high": mean.high}


def row(name: str, threads: int, parts: Mapping[str, Line]) -> Line:
    """What a network's searches and runs say of each other. `total` is the time of all kernels, by the searches."""
    static, ours, whole = (parts[part] for part in (STATIC, OURS, WHOLE))
    runs = whole["runs"]
    mine = runs[OURS]["latency"]
    fixed = min(runs[one]["latency"] for one in (DEFAULT, DLIGHT) if one in runs)
    searches = {part: parts[part] for part in (STATIC, OURS, METASCHEDULE) if part in parts}
    curves = {part: line["curve"] for part, line in searches.items()}
    if again := KEPT in parts and parts[KEPT].get("searches") == whole.get("searches"):  # else of others
        curves |= parts[KEPT]["curves"]
    found = {
        "network": name,
        "threads": threads,
        "programs": len(ours["kernels"]),
        "trials": {part: line["trials"] for part, line in searches.items() if part != STATIC},
        "seconds": {part: line["seconds"] for part, line in searches.items()},
        "total": {part: curve[-1][1] for part, curve in curves.items()},
        "timed again": again,
        "runs": runs,
        "missing": whole["missing"],
        "static over ours": fixed / mine,
        "static over ours at equal time": static["curve"][-1][1] / after(curves[OURS], static["seconds"]),
    }
    return found | (beside_its(curves, ours["seconds"], runs) if METASCHEDULE in parts else {})


def beside_its(curves: Mapping[str, Curve], seconds: float, runs: Mapping[str, Line]) -> Line:
    """What MetaSchedule's search says of ours, which took so many seconds."""
    ours, its, mine = curves[OURS], curves[METASCHEDULE], runs[OURS]["latency"]
    met = reached(its, ours[-1][1])
    ended_s, end = its[-1]
    level = reached(ours, (1 + AGAIN) * end)
    near = reached(its, (1 + AGAIN) * end)
    return {
        "metaschedule over ours": runs[METASCHEDULE]["latency"] / mine if METASCHEDULE in runs else None,
        "time to equal latency": met,
        "time ratio": None if met is None else met / seconds,
        "time to its end": level,
        "its end ratio": None if level is None else ended_s / level,
        "its own near ratio": None if level is None or near is None else near / level,
        "metaschedule over ours at equal time": after(its, seconds) / ours[-1][1],
    }


def by_operator(lines: Sequence[Line]) -> Iterator[Line]:
    """The vendor's seconds over ours by kind and threads: geometric means with bootstrap intervals over programs."""
    kinds: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        if line["operator"]:
            kinds.setdefault((line["operator"], line["threads"]), []).append(line)
    for (kind, threads), own in sorted(kinds.items()):
        found = bootstrap([[line["vendor"] / line["ours"]] for line in own], geometric_mean)
        told = {"operator": kind, "threads": threads, "programs": len(own)}
        faster = sum(line["ours"] <= line["vendor"] for line in own)
        yield told | {"share": found.value, "low": found.low, "high": found.high, "faster": faster}


if __name__ == "__main__":
    sys.exit(main())
