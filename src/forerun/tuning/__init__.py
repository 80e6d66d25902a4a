"""From a network to its tuned kernels: programs, candidates of a model, measurements, and the network put together.

`tune` is the library's entry and what the command line calls. Trials are dealt out in small rounds to the program that
promises most (`dealing`); what was measured and drafted is in the store, so the same call goes on where it was
interrupted, and one that was done costs little more than reading the network and comparing it (`resuming`).
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from forerun import settings
from forerun.core import Measurement, Model, Result, Source, Trial
from forerun.errors import ForerunError, InputError, UsageError
from forerun.files import alone
from forerun.grammars.decisions import Plan
from forerun.models._proposer import check as check_proposer
from forerun.models._proposer import proposer as chosen
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.stats import median, quantile
from forerun.store import Store
from forerun.tasks.schedule import AGAIN, Again, Schedule, gains
from forerun.toolchains.tvm import database, measure, network
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import IMPORTS, NO_LIMIT, Place, located, workers
from forerun.toolchains.tvm.extract import CHANNELS_LAST, LAYOUTS, Extracted
from forerun.tuning import output as folder
from forerun.tuning.dealing import Hand, deal
from forerun.tuning.requests import Inputs, Shapes, request
from forerun.tuning.resuming import Resuming

TRIALS = 16
"""Candidates of each program, in the mean, where the user gives no number."""
BUSY = 0.15
"""Samples of one kernel on an idle machine spread by less."""
_BUSY_WHOLE = 3.0
"""Times that for runs of a whole network, which are longer and of several threads."""
_WAITED = 0.1
"""Of the time of a comparison: on an idle machine others have the processor for less than a hundredth of it."""
_TOGETHER = 1.5
"""Kernels one after the other take less than this times the network that they make up, in which caches are colder."""
_BESIDE = 1.5
"""A tuned network takes less than this times its kernels, unless these are short or its weights fit into no cache."""
UNCHANGED = "no candidate was faster than its default by more than noise: nothing is changed"
_ANEW = "measure again when it is idle, into another store: FORERUN_CACHE=DIR"

_INSTEAD = 4
"""Kernels of which one has to run where the default ran for too long."""
_READING = Limits(timeout_s=network.SESSION_S, memory_bytes=NO_LIMIT)
"""Reading a network is no candidate: it takes what it takes."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One program of a network: how often a run calls it, and what became of it."""

    name: str
    weight: int
    flops: float
    result: Result[Plan] = field(repr=False)
    decisions: str = field(repr=False)
    """The winning schedule as text; empty where the default stays."""

    @property
    def before_s(self) -> float:
        """Seconds of the default."""
        return self.result.before

    @property
    def after_s(self) -> float:
        """Seconds of the best that was found, the default's where nothing was faster by more than noise."""
        return self.result.after

    @property
    def failed(self) -> int:
        """Candidates that crashed, ran into a limit, or gave a wrong result."""
        return sum(not trial.measurement.ok for trial in self.result.trials)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a network became. Times are in seconds. `kernels` have `name`, `weight` (calls in a run), `before_s`,
    `after_s` and `decisions`; `comparison.timings` are those of whole runs, by what ran."""

    name: str
    target: str
    proposer: str
    seed: int
    kernels: tuple[Kernel, ...]
    left_out: Mapping[str, str]
    """Programs that keep their default unmeasured, each with the reason."""
    order: tuple[int, ...]
    """The kernel of each trial, by its place, in the order they were measured."""
    comparison: network.Comparison | None
    """Of the whole network; None for a single program, which is measured as it is."""
    seconds: float
    output: Path | None = None
    notes: tuple[str, ...] = ()
    """What a user should know of how the answer came about."""
    digest: str = field(default="", repr=False)
    """Of what the network computes, as `output.digest_of` has it."""

    @property
    def before_s(self) -> float:
        """All calls of all kernels, with their defaults."""
        return sum(kernel.weight * kernel.before_s for kernel in self.kernels)

    @property
    def after_s(self) -> float:
        """All calls of all kernels, as tuned."""
        return sum(kernel.weight * kernel.after_s for kernel in self.kernels)

    def __repr__(self) -> str:
        kernels = f"{len(self.kernels)} kernel{'s' * (len(self.kernels) != 1)}"
        return f"<Tuned {self.name}: {kernels}, {self.before_s:.3g} s -> {self.after_s:.3g} s>"

    def _repr_html_(self) -> str:
        cells = ((k.name, k.weight, f"{k.before_s:.3g} s", f"{k.after_s:.3g} s") for k in self.kernels)
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
        return f"<table><tr><th>kernel<th>weight<th>default<th>tuned</tr>{rows}</table>"


class Unwritten(ForerunError):
    """The disk refuses an answer, which is at hand: `tuned`."""

    def __init__(self, error: ForerunError, tuned: Tuned) -> None:
        super().__init__(error.what, error.why, error.todo)
        self.tuned = tuned


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tuning is: what it works on, trials of all, and the seconds of kernel and network, as far as known."""

    stage: str
    """`reading`, `default`, `tuning`, `checking` or `comparing`."""
    kernel: str = ""
    trials: int = 0
    of: int = 0
    before_s: float = 0.0
    best_s: float = 0.0
    network_before_s: float = 0.0
    network_best_s: float = 0.0
    faster: int = 0
    """Programs of which something is faster than the default, of so many that are known:"""
    programs: int = 0


def tune(
    model: Any,
    *,
    inputs: Inputs | None = None,
    shapes: Shapes | None = None,
    target: str | Mapping[str, Any] = "llvm",
    rpc: str | None = None,
    layout: str = CHANNELS_LAST,
    trials: int | None = None,
    per_task: int | None = None,
    proposer: str | Model | None = None,
    checkpoint: str | Path | None = None,
    output: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Tuned:
    """Finds fast schedules for the programs of a network, each checked against NumPy, and puts the network together.

    `model` is an .onnx file (`shapes` give sizes that it leaves open), `module.py:factory` whose function returns a
    torch.nn.Module and its inputs, a .pt2 file of `torch.export.save`, a torch.nn.Module with `inputs` (in order or by
    name; in training or not, it stays as it is), a network of `forerun.corpora.tensor_networks` by its name
    (`resnet18-1x224`), or one program: a .py or .tir file of TVMScript, or `workloads.jsonl.gz:name`. `target` is
    `llvm`, `llvm:1` for one thread, `cuda`, a tag of TVM's, or JSON. `rpc` names another machine that has it, by the
    address of TVM's RPC server, `HOST:PORT`, or of its tracker with the key of the device, `HOST:PORT/KEY`: all is
    measured there, and linked there. Convolutions of a processor's network get their channels last, which is two to
    four times as fast; with the `layout` `given` its programs are those of the network as it is.

    `trials` in all are dealt out by what they promise, 16 for each program where no number is given; `per_task` bounds
    those of each. `proposer` writes the candidates: a model or its name; the scheduler where there is one, with the
    weights that ship or those of a `checkpoint`, else `uniform`. `output` is a folder for the library, the database and
    the report; one that holds the answer of another network or target is refused. Trials are kept in `store`, the
    cache's where none is named: the same call measures none of them again, nor the defaults, which are those of the
    first time. The best kernel of each program is checked on other inputs, too, before it is the answer.

    Interrupted, it leaves the database and the report of what was found until then, not yet checked on other inputs, as
    it does where it raises an error after something was measured. Raises InputError, UsageError, ToolMissing;
    ForerunError where the tuned network computes something else; Unwritten, which has the answer, where the disk
    refuses it.
    """
    began = time.monotonic()
    target = json.dumps(dict(target)) if isinstance(target, Mapping) else target
    _check(trials, per_task, seed, target, layout, proposer, {} if shapes is None else shapes)
    _check_places({"output": output, "store": store, "rpc": rpc})
    out = None if output is None else Path(output)
    if on_progress is not None and not callable(on_progress):
        raise UsageError(f"on_progress: {on_progress!r:.60}", "it cannot be called", "give a function of a Progress")
    tell = on_progress or (lambda _: None)
    with ExitStack() as stack:
        if out is not None:
            new = not out.exists()
            folder.checked(out)
            stack.enter_context(alone(out, "tunes into"))
            if new:  # and nobody else's
                stack.callback(folder.unmade, out)
        place = located(target, rpc)
        asked = stack.enter_context(request(model, inputs, shapes or {}, layout))
        if out is not None:
            folder.kept(out, asked.name, place.target)
        writer = _proposer(proposer, checkpoint)
        tell(Progress("reading", asked.name))
        reader = stack.enter_context(Pool(1, _READING, IMPORTS))
        found, left_out = asked.programs(reader, place)
        digest = folder.digest_of(found, left_out)
        if out is not None:
            folder.kept(out, asked.name, place.target, digest)
        pool = stack.enter_context(workers(place))
        kept = stack.enter_context(Store(settings.store_path() if store is None else Path(store)))
        table = _Table(writer, place, seed, pool, kept, tell, trials, per_task, len(found))

        def made(comparison: network.Comparison | None, notes: Sequence[str]) -> Tuned:
            return Tuned(
                asked.name, place.target, writer.name, seed, table.kernels(), left_out, table.told(), comparison,
                time.monotonic() - began, out, tuple(notes), digest,
            )  # fmt: skip

        try:
            table.prepare(found)
            for program in sorted(found, key=lambda program: -program.weight * program.flops):
                left_out |= table.seat(program)
            if not table.hands:
                reasons = [f"{name}: {reason}" for name, reason in list(left_out.items())[:3]]
                raise InputError(f"{asked.name} has no program to tune", "; ".join(reasons), table.todo)
            table.play()
            pool.close()
            records = table.records()
            texts = database.written(records)
            tell(Progress("comparing", asked.name))
            comparison, library, why = asked.finished(reader, place, texts, records, out is not None)
        except (KeyboardInterrupt, ForerunError) as stopped:
            if out is not None and table.hands and not folder.ended(out):
                folder.write(made(None, [folder.unfinished(stopped)]), out, database.written(table.records()), b"")
            raise
        notes = [
            *([] if records else [UNCHANGED]),
            *unsure(comparison),
            *table.notes(comparison),
            *([f"no library: {why}"] if why else []),
        ]
        tuned = made(comparison, notes)
        tuned = replace(tuned, notes=(*tuned.notes, *beside(tuned)))
        if out is not None:
            try:
                folder.write(tuned, out, texts, library)
            except ForerunError as error:
                raise Unwritten(error, tuned) from error
        return tuned


def unsure(comparison: network.Comparison | None) -> list[str]:
    """Where the tuned network takes longer than TVM's default, though each of its kernels took less alone; or its runs
    spread so far that nobody can tell."""
    timings = comparison.timings if comparison else {}
    if network.TUNED not in timings or timings[network.TUNED] == timings[network.DEFAULT]:
        return []
    before, after = (timings[name].median_s for name in (network.DEFAULT, network.TUNED))
    spread = max(timings[name].spread for name in (network.TUNED, network.DEFAULT))
    if quantile(timings[network.TUNED].seconds, 0.75) < (1 - AGAIN) * min(timings[network.DEFAULT].seconds):
        return []  # noise only ever adds
    if abs(before - after) <= max(spread, AGAIN) * before:
        return [
            f"whether the tuned network is faster than TVM's default nobody can tell: it took {after / before:.2f}"
            f" times as long, and runs spread by {spread:.0%}. Tune again when the machine is idle"
        ]
    if after < before:
        return []
    return [
        f"the tuned network took {after / before:.2f} times as long as TVM's default, which had no need of tuning:"
        f" their runs spread by {spread:.0%}. Keep the default, or tune again when the machine is idle"
    ]


def beside(tuned: Tuned) -> list[str]:
    """Where much of the tuned network's time is none of its kernels', what it is."""
    together, others = tuned.after_s, tuned.left_out
    whole = tuned.comparison.timings[network.TUNED].median_s if tuned.comparison else 0.0
    if whole <= _BESIDE * together or (tuned.comparison and tuned.comparison.waited > _WAITED):
        return []
    untuned = f"programs that were not tuned ({len(others)}), " if others else ""
    return [
        f"the kernels, timed one at a time, take {together / whole:.0%} of the tuned network's time; the rest is"
        f" {untuned}data that comes from memory where a kernel alone finds it in a cache, and TVM's calls"
    ]


def _check(
    trials: int | None, per_task: int | None, seed: int, target: str, layout: str, proposer: str | Model | None,
    shapes: Shapes,
) -> None:  # fmt: skip
    for name, value in (("trials", trials), ("trials of a task", per_task)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise UsageError(f"{name}: {value!r:.60}", "it is no whole number", "for example: 64")
        if value is not None and value < 1:
            raise UsageError(f"{name}: {value!r}", "there is nothing to measure", "give a whole number above 0")
    if not isinstance(seed, int):
        raise UsageError(f"seed: {seed!r}", "it is no whole number", "for example: 0")
    if not isinstance(target, str):
        raise UsageError(f"target: {target!r}", "it is no text", 'for example: "llvm", or json.dumps of a mapping')
    if not isinstance(shapes, Mapping):
        raise UsageError(f"shapes: {shapes!r:.60}", "it is no mapping", 'for example: {"x": (1, 3, 224, 224)}')
    if layout not in LAYOUTS:
        raise UsageError(f"layout: {layout!r}", "there is no such layout", f"take one of: {', '.join(LAYOUTS)}")
    for name, size in shapes.items():
        if isinstance(size, str) or not isinstance(size, Sequence) or not all(isinstance(one, int) for one in size):
            raise UsageError(
                f"shapes: {name}: {size!r}", "it is no shape", f'for example: {{"{name}": (1, 3, 224, 224)}}'
            )
    if proposer is not None:
        check_proposer(proposer)


def _check_places(places: Mapping[str, object]) -> None:
    for name, given in places.items():
        fitting = isinstance(given, str) or (isinstance(given, os.PathLike) and name != "rpc")
        if given is not None and not fitting:
            example = "host:9090" if name == "rpc" else "tuned"
            raise UsageError(f"{name}: {given!r:.60}", "it is no text", f'for example: "{example}"')


def _proposer(asked: str | Model | None, checkpoint: str | Path | None) -> Model:
    return chosen(asked or (Scheduler.name if checkpoint or SHIPPED.is_dir() else Uniform.name), checkpoint)


@dataclass
class _Table:
    """Where trials are dealt: a hand for each program."""

    proposer: Model
    place: Place
    seed: int
    pool: Pool
    store: Store
    tell: Callable[[Progress], None]
    trials: int | None = None
    """In all, and of each program, where they are given."""
    per_task: int | None = None
    programs: int = 0
    """Those that may have a hand."""

    def __post_init__(self) -> None:
        self.task = Schedule(remote=self.place.remote, seed=self.seed)
        self.hands: list[Hand] = []
        self._defaults: dict[str, Measurement] = {}
        self.order: list[int] = []
        self.todo = "run it as it is"
        """What to do where no program can be tuned."""
        hasty = self.proposer.hasty()
        # CUDA's compiler takes as long for one kernel as, side by side, for a round.
        self._hasty = None if hasty is self.proposer or targets.device(self.place.target) != "cpu" else hasty

    @property
    def total(self) -> int:
        """Trials of all programs."""
        given = (self.trials, None if self.per_task is None else self.per_task * self.programs)
        return min((number for number in given if number is not None), default=TRIALS * self.programs)

    def prepare(self, programs: Sequence[Extracted]) -> None:
        """Measures the defaults that the store does not have, built side by side."""
        if len(self.pool) < 2:
            return
        sources = [self._source(program) for program in programs]
        unknown = [each for each in sources if self.store.baseline(self.task, each, measure.named()) is None]
        for place, found in self.pool.measure_each(self.task, [(source, None) for source in unknown]):
            self.tell(Progress("default", unknown[place].name))
            self._defaults[unknown[place].key] = found

    def _source(self, program: Extracted) -> Source:
        return Source(program.text, "tensorir", program.name, self.place.target)

    def seat(self, program: Extracted) -> dict[str, str]:
        """Measures a program's default, and at once one kernel, where the proposer can be hasty: most of what there is
        to gain. Gives the reason where it is left out."""
        self.tell(Progress("default", program.name))
        place, source = len(self.hands), self._source(program)
        own = crc32(program.text.encode()) ^ self.seed
        try:
            search = Resuming(
                self.task, self.proposer, source, pool=self.pool, seed=own, store=self.store,
                default=self._defaults.pop(source.key, None),
                on_trial=lambda trial: self._measured(place, trial),
            )  # fmt: skip
        except InputError as error:
            return self._left_out(program, error)
        self.hands.append(Hand(program, search))
        left = self.total - len(self.order)
        if left and (self._hasty or search.stopped):
            self.hands[-1].round(min(_INSTEAD, left) if search.stopped else 1, self._hasty)
        if search.stopped and not any(trial.measurement.ok for trial in search.trials):
            self.hands.pop()
            self.order = [each for each in self.order if each != place]
            return self._left_out(program, search.stopped)
        return {}

    def _left_out(self, program: Extracted, error: InputError) -> dict[str, str]:
        self.programs -= 1
        if error.why.startswith(("timeout:", "memory:")):
            self.todo = error.todo
        return {program.name: f"{error.what.removeprefix(f'{program.name}: ')}: {error.why}"}

    def play(self) -> None:
        """Deals all trials, then checks the best of each program on other inputs."""
        deal(self.hands, self.total, self.per_task)
        again = Again(remote=self.place.remote, seed=self.seed)
        for hand in self.hands:
            self.tell(Progress("checking", hand.program.name))
            hand.search.confirm(again)

    def _measured(self, place: int, trial: Trial[Plan]) -> None:
        hand, found = self.hands[place], trial.measurement
        self.order.append(place)
        if gains(hand.search.baseline.measurement, found):
            hand.best_s = min(hand.best_s, found.values[self.task.metric.name])
        before = sum(each.program.weight * each.before_s for each in self.hands)
        best = sum(each.program.weight * each.best_s for each in self.hands)
        faster = sum(each.best_s < each.before_s for each in self.hands)
        self.tell(
            Progress(
                "tuning", hand.program.name, len(self.order), self.total, hand.before_s, hand.best_s, before, best,
                faster, len(self.hands),
            )
        )  # fmt: skip

    def told(self) -> tuple[int, ...]:
        """The kernel of each trial, in their order, without those of a round that was interrupted."""
        left = [len(hand.search.trials) for hand in self.hands]
        found = []
        for place in self.order:
            if left[place]:
                left[place] -= 1
                found.append(place)
        return tuple(found)

    def kernels(self) -> tuple[Kernel, ...]:
        found = []
        for hand in self.hands:
            result, program = hand.search.result(), hand.program
            plan = result.best.draft.answer
            decisions = "" if plan is None else hand.search.text(plan)
            found.append(Kernel(program.name, program.weight, program.flops, result, decisions))
        return tuple(found)

    def records(self) -> list[database.Record]:
        """Those of the programs that have something better than the default."""
        found = []
        for hand in self.hands:
            result = hand.search.result()
            if (plan := result.best.draft.answer) is not None:
                program = hand.search.grammar.spaces  # type: ignore[attr-defined]
                found.append(database.Record(program, plan, result.after))
        return found

    def notes(self, comparison: network.Comparison | None) -> list[str]:
        """What was measured on a busy machine, programs of which every candidate failed, spaces that have no more."""
        measured = [hand.search.baseline.measurement.values for hand in self.hands]
        spreads = [values["latency_spread"] for values in measured if values.get("samples", 0) >= 3]
        whole = {name: one.spread for name, one in (comparison.timings if comparison else {}).items()}
        said = []
        kind = str(targets.made(self.place.target).kind.name)
        if isinstance(self.proposer, Scheduler) and not self.proposer.ranks(kind):
            said.append(f"{self.proposer.name} has no cost model for {kind}: its candidates are not ranked")
        if spreads and (spread := median(spreads)) > BUSY:
            said.append(
                f"the machine is busy: samples of one kernel spread by {spread:.0%} of their median, over {BUSY:.0%}:"
                f" {_ANEW}"
            )
        default = comparison.timings[network.DEFAULT].median_s if comparison else math.inf
        if (together := sum(hand.program.weight * hand.before_s for hand in self.hands)) > _TOGETHER * default:
            said.append(
                f"the machine was busy when the defaults were measured: together they take {together / default:.1f}"
                f" times as long as the network that is made of them, so the gains of kernels are too large: {_ANEW}"
            )
        if whole and whole[widest := max(whole, key=whole.__getitem__)] > _BUSY_WHOLE * BUSY:
            said.append(
                f"the machine is busy: runs of the whole network ({widest}) spread by {whole[widest]:.0%} of their"
                f" median, over {_BUSY_WHOLE * BUSY:.0%}: measure again when it is idle"
            )
        if comparison and comparison.waited > _WAITED:
            said.append(
                f"the machine is busy: others had the processor for {comparison.waited:.0%} of the time in which whole"
                " networks were compared: measure again when it is idle"
            )
        threads = comparison.threads if comparison else {}
        others = [name for name, own in threads.items() if own == 1 < threads[network.TUNED]]
        if others:
            said.append(
                f"{' and '.join(others)} took less on one thread: so may this network, tuned with --target llvm:1"
            )
        if comparison and comparison.unknown:
            told = ", ".join(map(str, comparison.unknown))
            said.append(f"no finite number is in the network's output {told}: nobody could tell whether it is right")
        said += [
            f"{hand.program.name}: its default was stopped after {hand.before_s:g} s, which stand for it: it gains more"
            for hand in self.hands
            if hand.search.stopped
        ]
        if found := sum(hand.search.inherited for hand in self.hands):
            what = "a kernel is" if found == 1 else f"{found} kernels are"
            said.append(f"{what} of an earlier call, which found a faster one than this one's candidates")
        for hand in self.hands:
            errors = [trial.measurement.error for trial in hand.search.trials if not trial.measurement.ok]
            if errors and len(errors) == len(hand.search.trials):
                said.append(f"{hand.program.name}: all {len(errors)} candidates failed, the first because {errors[0]}")
        return said
