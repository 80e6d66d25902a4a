"""The folder that a tuning fills: the library, MetaSchedule's database, and the report as JSON, Markdown and a plot."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import Any

from forerun.errors import ForerunError, UsageError
from forerun.files import alone, write_together
from forerun.tasks.schedule import gains
from forerun.toolchains.tvm import database
from forerun.toolchains.tvm.extract import Extracted
from forerun.tuning.answers import Kernel, Tuned

LIBRARY, REPORT = "model.so", "report"
_TOLD = f"{REPORT}.json"
_UNFINISHED = "what was found until then, without a library; the same call goes on"
_FILES = (_TOLD, f"{REPORT}.md", f"{REPORT}.svg", database.WORKLOADS, database.RECORDS, LIBRARY)

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 400, 80, 260, 40, 50
_COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


def checked(path: Path) -> Path:
    """The folder, made where it is absent: what cannot be written, or would replace files of others, is told before
    the work. Raises UsageError, ForerunError."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is no folder", "the answer is several files", "name a folder: -o tuned/")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ForerunError(
            f"cannot make {path}", error.strerror or str(error), "name another place to write to"
        ) from error
    if not os.access(path, os.W_OK):
        sealed = os.statvfs(path).f_flag & os.ST_RDONLY
        why = "the file system is read-only" if sealed else "permission denied"
        raise ForerunError(f"cannot write to {path}", why, "name another place to write to")
    if (there := [name for name in _FILES if (path / name).exists()]) and not _tuned(path):
        why = f"{' and '.join(there)} would be replaced, and {_TOLD} does not say that a tuning wrote it"
        raise UsageError(f"{path} holds files of something else", why, "name another folder, or move them away")
    return path


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The folder, checked, for this process alone; one that it made and in which nothing was left is removed again.
    Raises UsageError, ForerunError."""
    new = not path.exists()
    checked(path)
    with alone(path, "tunes into"):
        try:
            yield
        finally:
            if new:  # and nobody else's
                with suppress(OSError):
                    path.rmdir()


def kept(path: Path, name: str, target: str, digest: str = "") -> None:
    """Leaves an answer that was found for another network, or another target. Raises UsageError.

    Networks are told apart by their digest (`digest_of`); without one nothing is said of them yet. The answers of
    versions that wrote none are by their names.
    """
    if not _tuned(path):
        return
    told = _told(path)
    others = told.get("digest")
    another = digest not in ("", others) if others else told.get("name") != name
    if another or told.get("target") != json.loads(target):
        there = f"{told.get('name')} on {json.dumps(told.get('target'), separators=(',', ':'))}"
        here = f"{name} on {target}"
        why = f"it is of {there}; {here} would replace it"
        if there == here:
            why = f"it is of {there}, but of other programs: another network, sizes or layout"
        raise UsageError(f"{path} holds another tuning's answer", why, "name another folder, or remove this one")


def digest_of(programs: Iterable[Extracted], left_out: Iterable[str]) -> str:
    """Of what a network computes: its programs, how often it calls each, and those that cannot be tuned. Weights are no
    part of it."""
    told = [sorted([program.text, program.weight] for program in programs), sorted(left_out)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def ended(folder: Path) -> bool:
    """Whether the answer of a tuning that came to its end lies there."""
    return _tuned(folder) and not any(note.endswith(_UNFINISHED) for note in _told(folder)["notes"])


def unfinished(stopped: BaseException) -> str:
    """The note of a tuning that did not come to its end."""
    why = "interrupted" if isinstance(stopped, KeyboardInterrupt) else f"{type(stopped).__name__}: {stopped}"
    if isinstance(stopped, ForerunError):
        why = f"{stopped.what}: {stopped.why}"
    return f"{why}: {_UNFINISHED}"


def report(folder: Path) -> dict[str, Any]:
    """What a tuning wrote of its answer (`to_json`); empty where none did."""
    told = _told(folder)
    return told if {"proposer", "kernels", "left_out", "notes"} <= told.keys() else {}


def _tuned(folder: Path) -> bool:
    return bool(report(folder))


def _told(folder: Path) -> dict[str, Any]:
    try:
        told = json.loads((folder / _TOLD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def write(tuned: Tuned, folder: Path, texts: dict[str, str], library: bytes) -> None:
    """All files or none; a library of an earlier answer goes. Raises ForerunError where the disk refuses."""
    told = {_TOLD: json.dumps(to_json(tuned), indent=1)}
    files = told | {f"{REPORT}.md": markdown(tuned), f"{REPORT}.svg": plot(tuned)} | texts
    data = {name: text.encode() for name, text in files.items()}
    write_together(folder, data | ({LIBRARY: library} if library else {}))
    if not library:
        (folder / LIBRARY).unlink(missing_ok=True)


def kernel_rows(tuned: Tuned) -> list[dict[str, Any]]:
    """A row for each kernel, the one that takes most of the tuned network first; seconds, `share` of all kernels."""
    total = tuned.after_s
    rows = [
        {
            "task": kernel.name,
            "weight": kernel.weight,
            "default": kernel.before_s,
            "tuned": kernel.after_s,
            "gain": kernel.before_s / kernel.after_s,
            "trials": len(kernel.result.trials),
            "failed": kernel.failed,
            "share": kernel.weight * kernel.after_s / total,
        }
        for kernel in tuned.kernels
    ]
    return sorted(rows, key=lambda row: -row["share"])


def network_rows(tuned: Tuned) -> list[dict[str, Any]]:
    """A row for each way to run the whole network; `off` is how far its outputs are from the tuned ones."""
    if tuned.comparison is None:
        return []
    timings, errors, threads = tuned.comparison.timings, tuned.comparison.errors, tuned.comparison.threads
    before = timings["default"].median_s
    return [
        {
            "network": tuned.name,
            "run": name,
            "threads": threads.get(name),
            "latency": timing.median_s,
            "spread": timing.spread,
            "samples": len(timing.seconds),
            "gain": before / timing.median_s,
            "off": errors.get(name),
        }
        for name, timing in timings.items()
    ]


def to_json(tuned: Tuned) -> dict[str, Any]:
    """Everything, as plain data."""
    known = {kernel.name: kernel for kernel in tuned.kernels}
    kernels = []
    for row in kernel_rows(tuned):
        kernel = known[row["task"]]
        about = {"flops": kernel.flops, "decisions": kernel.decisions, "latencies": _latencies(kernel)}
        kernels.append(row | about | {"source": kernel.result.best.source.key})
    return {
        "name": tuned.name,
        "digest": tuned.digest,
        "target": json.loads(tuned.target),
        "tool": tuned.kernels[0].result.baseline.measurement.tool,
        "proposer": tuned.proposer,
        "seed": tuned.seed,
        "seconds": tuned.seconds,
        "recalled": tuned.recalled,
        "kernels": kernels,
        "order": [tuned.kernels[place].name for place in tuned.order],
        "left_out": dict(tuned.left_out),
        "outputs": list(tuned.comparison.outputs) if tuned.comparison else [],
        "network": network_rows(tuned),
        "notes": list(tuned.notes),
    }


def _latencies(kernel: Kernel) -> list[float | None]:
    """Of each candidate in turn; None for one that failed."""
    found = ((trial.measurement.ok, trial.measurement.values) for trial in kernel.result.trials)
    return [values["latency"] if ok else None for ok, values in found]


def curves(tuned: Tuned) -> list[list[float]]:
    """Seconds after each trial of the network, the default first: all kernels together, then each, times its weight."""
    waiting = [iter(kernel.result.trials) for kernel in tuned.kernels]
    best = [kernel.before_s for kernel in tuned.kernels]
    weights = [kernel.weight for kernel in tuned.kernels]
    found = [[weight * one] for weight, one in zip(weights, best, strict=True)]
    for place in tuned.order:
        measured = next(waiting[place]).measurement
        if gains(tuned.kernels[place].result.baseline.measurement, measured):
            best[place] = min(best[place], measured.values["latency"])
        for kernel, line in enumerate(found):
            line.append(weights[kernel] * best[kernel])
    return [[sum(column) for column in zip(*found, strict=True)], *found]


def markdown(tuned: Tuned) -> str:
    """The report for people."""
    trials = len(tuned.order)
    kernels = [
        [r["task"], r["weight"], _ms(r["default"]), _ms(r["tuned"]), f"{r['gain']:.2f}x", r["trials"], r["failed"],
         f"{r['share']:.1%}"]
        for r in kernel_rows(tuned)
    ]  # fmt: skip
    networks = [
        [r["run"], r["threads"] or "", _ms(r["latency"]), f"{r['spread']:.0%}", r["samples"], f"{r['gain']:.2f}x"]
        for r in network_rows(tuned)
    ]
    known = f" ({tuned.recalled} of them by earlier calls, in time of their own)" if tuned.recalled else ""
    parts = [
        f"# {tuned.name}\n",
        f"{trials} candidates by `{tuned.proposer}`, seed {tuned.seed}, in {tuned.seconds:.0f} s{known}, on"
        f" `{tuned.target}`."
        f" Each kernel that counts was compared with NumPy.\n",
        _grid(["task", "weight", "default", "tuned", "gain", "trials", "failed", "share"], kernels),
        f"\n![Latency against trials]({REPORT}.svg)\n",
    ]
    if networks:
        heads = ["run", "threads", "latency", "spread", "runs", "gain"]
        parts += ["The whole network, runs interleaved:\n", _grid(heads, networks)]
    if tuned.left_out:
        parts += ["\nLeft as they are:\n", *(f"- {name}: {reason}" for name, reason in tuned.left_out.items())]
    return "\n".join([*parts, *(f"\n{note}" for note in tuned.notes)]) + "\n"


def _grid(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    rule = ["---", *["---:"] * (len(heads) - 1)]
    lines = [heads, rule, *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.4g} ms"


def plot(tuned: Tuned) -> str:
    """An SVG image: milliseconds (logarithmic) over trials, of the network and of its heaviest kernels."""
    total, *own = curves(tuned)
    heaviest = sorted(range(len(own)), key=lambda place: -own[place][0])[: len(_COLOURS)]
    lines = [("all kernels", "#000", 3.0, total)]
    lines += [(tuned.kernels[at].name, _COLOURS[i], 1.2, own[at]) for i, at in enumerate(heaviest)]
    values = [value for _, _, _, line in lines for value in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    width, height, most = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM, max(1, len(tuned.order))

    def x(trial: float) -> float:
        return round(_LEFT + width * trial / most, 1)

    def y(seconds: float) -> float:
        return round(_TOP + height * (high - math.log10(seconds)) / (high - low), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{_LEFT}" y="24">{escape(tuned.name)}: kernel time of a run against trials</text>',
    ]
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<path d="M{_LEFT} {at}h{width}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4}" text-anchor="end">{10.0 ** (power + 3):g} ms</text>')
    for trial in sorted({0, most // 4, most // 2, 3 * most // 4, most}):
        parts.append(f'<text x="{x(trial)}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{trial}</text>')
    for place, (name, colour, thick, line) in reversed(list(enumerate(lines))):
        path = "".join(
            f"{'M' if i == 0 else f'H{x(i)}V'}{f'{x(0)} ' if i == 0 else ''}{y(value)}"
            for i, value in enumerate(line)
            if i in (0, len(line) - 1) or value != line[i - 1]
        )
        at = _TOP + 8 + 20 * place
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        parts.append(f'<path d="M{_WIDTH - _RIGHT + 12} {at}h16" stroke="{colour}" stroke-width="{thick}"/>')
        parts.append(f'<text x="{_WIDTH - _RIGHT + 34}" y="{at + 4}">{escape(name[:32])}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
