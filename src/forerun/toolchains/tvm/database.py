"""MetaSchedule's database: what `MetaScheduleApplyDatabase` and `tune_relax` read, as two files of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from forerun.errors import ForerunError, reason
from forerun.grammars.decisions import Plan
from forerun.toolchains.tvm.space import Program

WORKLOADS, RECORDS = "database_workload.json", "database_tuning_record.json"
"""TVM's own names of the files."""


@dataclass(frozen=True, slots=True)
class Record:
    """A program, the plan that is its best, and the seconds that a run took."""

    program: Program
    plan: Plan
    seconds: float


def written(records: Sequence[Record]) -> dict[str, str]:
    """The text of each file, by its name. Raises `forerun.toolchains.tvm.space.Refused` for a plan without a schedule.

    TVM's database would append to files itself, without a word where the disk is full.
    """
    traces = ((record.program, record.program.scheduled(record.plan).trace, record.seconds) for record in records)
    return texts([(program, line(program, trace, seconds)) for program, trace, seconds in traces])


def line(program: Program, trace: Any, seconds: float) -> str:
    """What TVM writes of a trace that was measured, as JSON."""
    from tvm.s_tir import meta_schedule as ms

    about = ms.arg_info.ArgInfo.from_entry_func(program.module)
    workload = ms.database.Workload(program.module)
    return json.dumps(ms.database.TuningRecord(trace, workload, [seconds], program.target, about).as_json())


def texts(found: Sequence[tuple[Program, str]]) -> dict[str, str]:
    """The files of programs and their lines, one each."""
    from tvm.s_tir import meta_schedule as ms

    workloads = [json.dumps(ms.database.Workload(program.module).as_json()) + "\n" for program, _ in found]
    records = [f"[{place}, {written}]\n" for place, (_, written) in enumerate(found)]
    return {WORKLOADS: "".join(workloads), RECORDS: "".join(records)}


def scheduled(program: Program, line: str) -> Any:
    """The module that a line's trace makes of a program."""
    from tvm.s_tir import Schedule
    from tvm.s_tir import meta_schedule as ms

    schedule = Schedule(program.module)
    record = ms.database.TuningRecord.from_json(json.loads(line), ms.database.Workload(program.module))
    record.trace.apply_to_schedule(schedule, remove_postproc=False)
    return schedule.mod


def opened(texts: dict[str, str]) -> Any:
    """TVM's database of what `written` gave. Raises ForerunError where the disk refuses."""
    from tvm.s_tir import meta_schedule as ms

    try:
        with TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            return ms.database.JSONDatabase(work_dir=folder)
    except OSError as error:
        todo = "free some space, or name a folder that has it: TMPDIR=/var/tmp; what was measured is kept"
        raise ForerunError("cannot write temporary files", reason(error), todo) from error
