"""From a network to its tuned kernels: programs, candidates of a model, measurements, and the network put together.

`tune` is the library's entry and what the command line calls. Trials are dealt out in small rounds to the program that
promises most (`dealing`); what was measured and drafted is in the store, so the same call goes on where it was
interrupted, and one that was done costs little more than reading the network and comparing it (`resuming`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from forerun import settings
from forerun.core import Model
from forerun.errors import ForerunError, UsageError
from forerun.models._proposer import proposer as chosen
from forerun.models.scheduler import SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.store import Store
from forerun.toolchains.tvm import database, network
from forerun.toolchains.tvm.device import IMPORTS, NO_LIMIT, located, workers
from forerun.toolchains.tvm.extract import WINOGRAD
from forerun.tuning import output as folder
from forerun.tuning import remarks
from forerun.tuning.answers import Kernel, Progress, Tuned, Unwritten
from forerun.tuning.checks import check, check_places
from forerun.tuning.requests import Inputs, Shapes, request
from forerun.tuning.table import Table

__all__ = ["Kernel", "Progress", "Tuned", "Unwritten", "tune"]

_UNCHANGED = "no candidate was faster than its default by more than noise: nothing is changed"
_READING = Limits(timeout_s=network.SESSION_S, memory_bytes=NO_LIMIT)
"""Reading a network is no candidate: it takes what it takes."""


def tune(
    model: Any,
    *,
    inputs: Inputs | None = None,
    shapes: Shapes | None = None,
    target: str | Mapping[str, Any] = "llvm",
    rpc: str | None = None,
    layout: str = WINOGRAD,
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
    four times as fast, and those of 3 x 3 are Winograd's where that is faster, which rounds a little more; with the
    `layout` `channels-last` all are sums of products, and with `given` its programs are those of the network as it is.

    `trials` in all are dealt out by what they promise, 16 for each program where no number is given; `per_task` bounds
    those of each. `proposer` writes the candidates: a model or its name; the scheduler where there is one, with the
    weights that ship or those of a `checkpoint`, else `uniform`. `output` is a folder for the library, the database and
    the report; one that holds the answer of another network or target is refused. Trials are kept in `store`, the
    cache's where none is named: the same call measures none of them again, nor the defaults, which are those of the
    first time. The fastest kernels of each program are built once more, and checked and timed on other inputs, before
    one of them is the answer.

    Interrupted, it leaves the database and the report of what was found until then, not yet checked on other inputs, as
    it does where it raises an error after something was measured. Raises InputError, UsageError, ToolMissing;
    ForerunError where the tuned network computes something else; Unwritten, which has the answer, where the disk
    refuses it.
    """
    began = time.monotonic()
    target = json.dumps(dict(target)) if isinstance(target, Mapping) else target
    check(trials, per_task, seed, target, layout, proposer, {} if shapes is None else shapes)
    seed = int(seed)  # NumPy's are whole numbers, too, but not of JSON
    trials, per_task = (None if given is None else int(given) for given in (trials, per_task))
    check_places({"output": output, "store": store, "rpc": rpc})
    settings.check()
    out = None if output is None else Path(output)
    if on_progress is not None and not callable(on_progress):
        raise UsageError(f"on_progress: {on_progress!r:.60}", "it cannot be called", "give a function of a Progress")
    tell = on_progress or (lambda _: None)
    with ExitStack() as stack:
        if out is not None:
            stack.enter_context(folder.held(out))
        place = located(target, rpc)
        asked = stack.enter_context(request(model, inputs, shapes or {}, layout))
        if out is not None:
            folder.kept(out, asked.name, place.target)
        writer = _proposer(proposer, checkpoint)
        reader = stack.enter_context(Pool(1, _READING, IMPORTS))
        found, left_out = asked.programs(
            reader, place, lambda stage, seconds: tell(Progress(stage, asked.name, seconds=seconds))
        )
        digest = folder.digest_of(found, left_out)
        if out is not None:
            folder.kept(out, asked.name, place.target, digest)
        pool = stack.enter_context(workers(place))
        if isinstance(writer, Scheduler):
            writer = writer.reading(pool)
        kept = stack.enter_context(Store(settings.store_path() if store is None else Path(store)))
        table = Table(writer, place, seed, pool, kept, tell, trials, per_task, len(found), left_out)

        def made(comparison: network.Comparison | None, notes: Sequence[str]) -> Tuned:
            return Tuned(
                asked.name, place.target, writer.name, seed, table.kernels(), table.left_out, table.told(), comparison,
                time.monotonic() - began, out, tuple(notes), table.recalled, digest,
            )  # fmt: skip

        try:
            table.fill(asked.name, found)
            table.play()
            pool.close()
            records = table.records()
            texts = database.written(records)
            tell(Progress("comparing", asked.name))
            comparison, library, why = asked.finished(reader, place, texts, records, out is not None)
        except BaseException as stopped:  # on_progress may raise anything
            if out is not None and table.hands and not folder.ended(out):
                folder.write(made(None, [folder.unfinished(stopped)]), out, database.written(table.records()), b"")
            raise
        notes = [
            *([] if records else [_UNCHANGED]),
            *remarks.unsure(comparison),
            *remarks.untried(table.hands, table.total, writer),
            *remarks.on_hands(table.hands, writer, place, comparison),
            *([f"no library: {why}"] if why else []),
        ]
        tuned = made(comparison, notes)
        tuned = replace(tuned, notes=(*tuned.notes, *remarks.beside(tuned)))
        if out is not None:
            _keep(tuned, out, texts, library)
        return tuned


def _keep(tuned: Tuned, out: Path, texts: dict[str, str], library: bytes) -> None:
    try:
        folder.write(tuned, out, texts, library)
    except ForerunError as error:
        raise Unwritten(error, tuned) from error


def _proposer(asked: str | Model | None, checkpoint: str | Path | None) -> Model:
    return chosen(asked or (Scheduler.name if checkpoint or SHIPPED.is_dir() else Uniform.name), checkpoint)
