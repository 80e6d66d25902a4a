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
    from tvm.s_tir import meta_schedule as ms

    workloads, lines = list[str](), list[str]()
    for place, record in enumerate(records):
        program = record.program
        workload = ms.database.Workload(program.module)
        about = ms.arg_info.ArgInfo.from_entry_func(program.module)
        trace = program.scheduled(record.plan).trace
        made = ms.database.TuningRecord(trace, workload, [record.seconds], program.target, about)
        workloads.append(json.dumps(workload.as_json()) + "\n")
        lines.append(json.dumps([place, made.as_json()]) + "\n")
    return {WORKLOADS: "".join(workloads), RECORDS: "".join(lines)}


def opened(texts: dict[str, str]) -> Any:
    """TVM's database of what `written` gave. Raises ForerunError where the disk refuses."""
    from tvm.s_tir import meta_schedule as ms

    try:
        with TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / name).write_text(text)
            return ms.database.JSONDatabase(work_dir=folder)
    except OSError as error:
        todo = "free some space, or name a folder that has it: TMPDIR=/var/tmp; what was measured is kept"
        raise ForerunError("cannot write temporary files", reason(error), todo) from error
