"""How much smaller than -Oz, at how many compilations: every model on the same modules of projects none of them saw.

    python benchmarks/passes.py --target x86_64-linux-gnu
    python benchmarks/passes.py --target aarch64-linux-gnu
    python benchmarks/passes.py --target x86_64-linux-gnu --large

Modules come from Debian source packages, fetched and built at run time. The baseline is the object of the user's own
compiler with -Oz; an answer is emitted by that compiler too before it is counted. Rows are kept as they come, so an
interrupted run goes on where it stopped; the summary is made of the rows, and a run that finds no rows takes those of
the summary.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from forerun import parallel, settings
from forerun.cli.collect import units
from forerun.cli.render import Progress
from forerun.core import Result, Source
from forerun.corpora.units import Unit
from forerun.errors import ForerunError
from forerun.files import write_atomically
from forerun.grammars.pipelines import Plan
from forerun.improve import Options, finish, prepare
from forerun.models._chain import model
from forerun.models.coreset import shipped
from forerun.sandbox import Pool
from forerun.solve import Budget, solve
from forerun.stats import bootstrap, geometric_mean
from forerun.store import Store
from forerun.tasks import passes
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object

RESULTS = Path(__file__).parent / "results"
MODELS = {
    "uniform": "uniform",
    "search": "search",
    "coreset, one list for the module": "coreset",
    "coreset": "mix+coreset",
    "coreset, then search": "mix+coreset+evolve",
}
AT = (1, 5, 20, 100, 500)
FLAGS = {
    "x86_64-linux-gnu": (),
    # Debian's libc6-dev-arm64-cross; /usr/include is this machine's own.
    "aarch64-linux-gnu": ("-nostdlibinc", "-isystem", "/usr/aarch64-linux-gnu/include"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=FLAGS, default="x86_64-linux-gnu")
    parser.add_argument("--large", action="store_true", help="1,000 to 20,000 instructions, 100 compilations")
    parser.add_argument("--modules", type=int, default=160, help="at most so many (160)")
    parser.add_argument("--each", type=int, default=12, help="at most so many of one project (12)")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=list(MODELS), help="only these (all)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    name = f"passes-{options.target.partition('-')[0]}{'-large' if options.large else ''}"
    rows = measured(options, RESULTS / f"{name}.jsonl")
    if set(options.models) != set(MODELS):
        return
    summary = {"target": options.target, "seed": options.seed, **summarise(rows)}
    write_atomically(RESULTS / f"{name}.json", (json.dumps(summary, indent=1) + "\n").encode())
    print(json.dumps(summary["table"], indent=1))


def measured(options: argparse.Namespace, path: Path) -> list[dict[str, Any]]:
    """A row for each module: from the file where it is there, and what is missing in it measured and appended."""
    compiler = clang.default_compiler()
    path.parent.mkdir(exist_ok=True)
    lines = (
        map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if path.exists()
        else published(path.with_suffix(".json"))
    )
    rows = {row["file"]: row for row in lines}
    progress = Progress(None, "modules")
    found = list(chosen(units([], ["test"], compiler), options.each, options.seed))
    # Modules that are in the file come first: asked again for other models, the same ones are measured.
    found.sort(key=lambda unit: "models" not in rows.get(label(unit), {}))

    def work(unit: Unit, pool: Pool, _: Store) -> dict[str, Any]:
        return row_of(unit, rows.get(label(unit), {}), options, compiler, pool)

    todo = (unit for unit in found if "left out" not in rows.get(label(unit), {}))
    kept = 0
    for row in parallel.each(todo, work, settings.cache_folder() / "benchmark.sqlite"):
        if row != rows.get(row["file"]):
            rows[row["file"]] = row
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        progress.step(row["file"])
        kept += "models" in row
        if kept >= options.modules:
            break
    progress.end()
    return list(rows.values())


def published(path: Path) -> list[dict[str, Any]]:
    """The rows of a summary, where there is one."""
    return json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []


def chosen(found: Iterable[Unit], each: int, seed: int) -> Iterator[Unit]:
    """Round-robin over the projects, each in a random order: so any first part of it is balanced.

    Three times as many as are wanted of each, since many have not the asked size.
    """
    by_project: dict[str, list[Unit]] = {}
    for unit in found:
        by_project.setdefault(unit.project, []).append(unit)
    for project, rows in by_project.items():
        random.Random(f"{project}:{seed}").shuffle(rows)
    for turn in range(3 * each):
        yield from (rows[turn] for rows in by_project.values() if turn < len(rows))


def label(unit: Unit) -> str:
    """A unit's name without the folders of this machine."""
    return f"{unit.project}/{Path(unit.file).name}"


def stale(known: dict[str, Any], wanted: Iterable[str]) -> list[str]:
    """The models that a row lacks, or has of another coreset."""
    models, digest = known.get("models", {}), coreset_digest()
    old = known.get("coreset") != digest
    return [name for name in wanted if name not in models or (old and "coreset" in MODELS[name])]


@cache
def coreset_digest() -> str:
    """Names the coreset that is shipped now."""
    return hashlib.sha256("\n".join(shipped()).encode()).hexdigest()[:16]


def row_of(unit: Unit, known: dict[str, Any], options: argparse.Namespace, compiler: str, pool: Pool) -> dict[str, Any]:
    """Sizes of one module, before and at each number of compilations for each model; or why it is left out."""
    todo, fresh = stale(known, options.models), set(MODELS) - set(stale(known, MODELS))
    if known and not todo:
        return known
    row: dict[str, Any] = {"file": label(unit), "project": unit.project, "licence": unit.licence}
    flags = ("-Oz", f"--target={options.target}", *FLAGS[options.target])
    command = clang.read_command([compiler, *unit.command[1:], *flags], unit.directory)
    if isinstance(command, str):
        return row | {"left out": command}
    low, high = (1000, 20_000) if options.large else (10, 999)
    try:
        frontend = clang.front_end(command)
        size = passes.instructions(frontend.text)
        if not low <= size <= high:
            return row | {"left out": f"{size} instructions"}
        task, source = prepare(command, Options("text"), frontend, name=label(unit))
        new = {name: sizes(MODELS[name], command, task, source, pool, options) for name in todo}
    except ForerunError as error:
        return row | {"left out": str(error)[:200]}
    before = read_object(source.reference)
    return row | {
        "instructions": size,
        "tool": clang.compiler_version(compiler)[0],
        "text": before.text,
        "size": before.size,
        "models": {name: value for name, value in known.get("models", {}).items() if name in fresh} | new,
        "coreset": coreset_digest(),
    }


def sizes(
    spelled: str, command: clang.Command, task: passes.Passes, source: Source, pool: Pool, options: argparse.Namespace
) -> dict[str, list[float]]:
    """Text, and text + data, at each number of compilations: a solve of its own for each, as a user would ask for it.

    What one solve measured the next one reads from a store in memory. The winner at each number is emitted by the
    user's own compiler and counted there; for text + data the best of the same trials counts.
    """
    found: dict[str, list[float]] = {"text": [], "size": []}
    with Store(Path(":memory:")) as store:
        for n in (n for n in AT if n <= (100 if options.large else 500)):
            budget = Budget(n)
            result = solve(task, model(spelled), source, pool=pool, budget=budget, seed=options.seed, store=store)
            found["text"].append(finish(command, task, source, result, pool).after.text)
            by_size = replace(task, objective="size")
            found["size"].append(finish(command, by_size, source, of_size(result, by_size), pool).after.size)
    return found


def of_size(result: Result[Plan], task: passes.Passes) -> Result[Plan]:
    """The same trials, judged by text + data."""
    return Result(task.metric, result.baseline, task.choose(result.baseline, result.trials), result.trials)


def summarise(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The table, what was left out and why, and the rows it is made of."""
    whole = [r for r in rows if "models" in r and r["text"] > 0 and set(r["models"]) == set(MODELS)]
    kept = sorted(whole, key=lambda r: str(r["file"]))
    reasons: dict[str, int] = {}
    for row in rows:
        reason = row.get("left out", "")
        short = re.sub(r"(cannot compile) .*", r"\1", reason.partition("\n")[0].split(":")[0])
        reason = "size" if reason.endswith(" instructions") else short[:60]
        reasons[reason] = reasons.get(reason, 0) + 1
    reasons.pop("", None)
    return {
        "modules": len(kept),
        "projects": sorted({r["project"] for r in kept}),
        "tool": kept[0]["tool"],
        "instructions": sum(r["instructions"] for r in kept),
        "left out": reasons,
        "table": [
            line(kept, name, metric, i)
            for name in MODELS
            for metric in ("text", "size")
            for i in range(len(kept[0]["models"][name][metric]))
        ],
        "rows": kept,
    }


def line(rows: Sequence[dict[str, Any]], name: str, metric: str, i: int) -> dict[str, Any]:
    """One line of the table: reductions as shares with 95% bootstrap intervals over projects."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratios.setdefault(row["project"], []).append(row["models"][name][metric][i] / row[metric])
    reduction = bootstrap(list(ratios.values()), lambda values: 1 - geometric_mean(values))
    before, after = (sum(r[metric] for r in rows), sum(r["models"][name][metric][i] for r in rows))
    return {
        "model": name,
        "metric": metric,
        "compilations": AT[i],
        "reduction": reduction.value,
        "low": reduction.low,
        "high": reduction.high,
        "total": 1 - after / before,
        "before": before,
        "after": after,
        "improved": sum(r["models"][name][metric][i] < r[metric] for r in rows),
        "larger": sum(r["models"][name][metric][i] > r[metric] for r in rows),
    }


if __name__ == "__main__":
    main()
