"""Do programs still give the right answers? Real ones, each built with many random plans of the safe vocabulary.

    python benchmarks/correctness.py
    python benchmarks/correctness.py --programs lua,zlib --pipelines 10 --seed 1

Every unit of a program is optimised with a plan of its own drawn from the same seed, emitted by the user's compiler and
linked; the outputs and exit codes must be those of the plain -Oz build. Every other seed gives a list of its own to
each function. A unit that breaks its compiler, or whose symbols change, keeps the plain object, as in `forerun cc`.
Rows are kept as they come, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _programs import OWN, PROGRAMS, Program, Tree, given, tree

from forerun import improve, parallel
from forerun.cli.render import Progress
from forerun.core import Source
from forerun.errors import ForerunError
from forerun.files import write_atomically
from forerun.grammars.pipelines import Plan
from forerun.models.mix import SHARED, compose
from forerun.models.uniform import Uniform, stream
from forerun.sandbox import Pool
from forerun.store import Store
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object

RESULTS = Path(__file__).parent / "results"
CHUNK = 5
"""Plans that a worker tries on one unit before the next: it keeps few modules parsed."""
TIMEOUT_S = 60.0
"""Plain builds take .01 to 1 s; passes that slow a program a hundredfold would be a finding as well."""

Outputs = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Ready:
    """A program whose front end has run, and what its plain build answers."""

    program: Program
    tree: Tree
    units: tuple[tuple[Passes, Source], ...]
    expected: Outputs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(p.name for p in PROGRAMS), help="names, separated by commas")
    parser.add_argument("--pipelines", type=int, default=100, help="plans for each program (100)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    compiler = clang.default_compiler()
    wanted = [p for p in PROGRAMS if p.name in options.programs.split(",")]
    ready = {p.name: prepared(p, compiler) for p in wanted}
    rows = measured(ready, range(options.seed, options.seed + options.pipelines), RESULTS / "correctness.jsonl")
    summary = summarise(ready, rows, compiler, options.pipelines)
    write_atomically(RESULTS / "correctness.json", (json.dumps(summary, indent=1) + "\n").encode())
    print(json.dumps({k: v for k, v in summary.items() if k != "programs"}, indent=1))


def prepared(program: Program, compiler: str) -> Ready:
    """Raises ForerunError where it does not compile, AssertionError where its plain build is wrong."""
    found = tree(program, compiler)
    units = tuple(improve.prepare(c, improve.Options(), clang.front_end(c)) for c in found.commands)
    expected = outputs(program, found, [source.reference for _, source in units])
    assert isinstance(expected, list), f"{program.name}: {expected}"
    assert not any(code for code, _ in expected), f"{program.name} fails as it is: {expected}"
    assert not program.round_trip or expected[-1][1] == digest(given(program.input)), program.name
    return Ready(program, found, units, expected)


def measured(ready: dict[str, Ready], seeds: range, path: Path) -> list[dict[str, Any]]:
    """A row for each program and seed: read from the file where it is there, measured and appended where not."""
    path.parent.mkdir(exist_ok=True)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    rows = [row for row in rows if row["program"] in ready and row["seed"] in seeds]
    done = {(row["program"], row["seed"]) for row in rows}
    todo = [(name, seed) for name in ready for seed in seeds if (name, seed) not in done]
    chunks = [todo[i : i + CHUNK] for i in range(0, len(todo), CHUNK)]
    progress = Progress(len(chunks), f"chunks of {CHUNK} plans")

    def work(chunk: list[tuple[str, int]], pool: Pool, _: Store) -> list[dict[str, Any]]:
        return [row for name in dict(chunk) for row in tried(ready[name], [s for n, s in chunk if n == name], pool)]

    # Interrupted, the summary is one of what there is.
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder, suppress(KeyboardInterrupt):
        for found in parallel.each(chunks, work, Path(folder) / "unused.sqlite"):
            rows += found
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in found)
            bad = sum(row["outcome"] not in ("right", "unchanged") for row in rows)
            progress.step(f"{found[0]['program']}, {bad} not right")
    progress.end()
    return rows


def tried(ready: Ready, seeds: Sequence[int], pool: Pool) -> Iterator[dict[str, Any]]:
    """A row for each seed of one program."""
    objects: dict[int, list[bytes]] = {seed: [] for seed in seeds}
    notes: dict[int, list[str]] = {seed: [] for seed in seeds}
    for command, (task, source) in zip(ready.tree.commands, ready.units, strict=True):
        for seed in seeds:
            made = built(command, task, source, plan_of(task, source, seed), pool)
            objects[seed].append(source.reference if isinstance(made, str) else made)
            notes[seed] += [f"{Path(command.source).name}: {made}"] if isinstance(made, str) else []
    for seed in seeds:
        same = objects[seed] == [source.reference for _, source in ready.units]
        got = outputs(ready.program, ready.tree, objects[seed])
        outcome = got if isinstance(got, str) else "right" if got == ready.expected else "wrong"
        yield {
            "program": ready.program.name,
            "seed": seed,
            "outcome": "unchanged" if same and outcome == "right" else outcome,
            "units": len(ready.units),
            "notes": notes[seed],
        }


def plan_of(task: Passes, source: Source, seed: int) -> Plan:
    """Even seeds: any plan of the grammar; odd ones: shared steps, then a list for each function."""
    grammar = task.grammar(source)
    if seed % 2 == 0:
        answer = Uniform().sample("", grammar, 1, seed)[0].answer
        assert answer is not None
        return answer
    draw = stream(seed, "correctness")
    local, shared = tuple(grammar.local), draw.choice(SHARED)
    names = (name.removeprefix("@") for name in grammar.functions)
    return compose(shared, {name: tuple(draw.choices(local, k=draw.randint(1, 45))) for name in names})


def built(command: clang.Command, task: Passes, source: Source, plan: Plan, pool: Pool) -> bytes | str:
    """The object, or why there is none: the compiler broke, or the symbols are others."""
    try:
        made = clang.emit(command, improve.apply(pool, task, source, plan))
    except ForerunError as error:
        return f"broken: {error}"
    problem = read_object(made).replaces(read_object(source.reference))
    return f"refused: {problem}" if problem else made


def outputs(program: Program, found: Tree, objects: Sequence[bytes]) -> Outputs | str:
    """Exit code and digest of the output of each step, or what went wrong before there was one."""
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        files = [Path(folder) / f"{i}.o" for i in range(len(objects))]
        for file, data in zip(files, objects, strict=True):
            file.write_bytes(data)
        program_file = Path(folder) / program.name
        link = [found.commands[0].compiler, *map(str, files), "-o", str(program_file), "-lm", "-lpthread", "-ldl"]
        run = subprocess.run(link, capture_output=True, check=False)
        if run.returncode:
            return f"link: {run.stderr.decode('utf-8', 'replace')[:200]}"
        return _ran(program, program_file, found.folder)


def _ran(program: Program, file: Path, folder: Path) -> Outputs | str:
    data, said = given(program.input), []
    (file.parent / "input").write_bytes(data)
    for step in program.steps:
        argv = [str(file), *(word.format(own=OWN, tree=folder) for word in step)]
        try:
            run = subprocess.run(argv, input=data, cwd=file.parent, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return "hang"
        data = run.stdout
        said.append((run.returncode, digest(data)))
    return said


def digest(data: bytes) -> str:
    """Short: it tells outputs apart, it protects nothing."""
    return hashlib.sha256(data).hexdigest()[:16]


def summarise(ready: dict[str, Ready], rows: Sequence[dict[str, Any]], compiler: str, asked: int) -> dict[str, Any]:
    """The counts over everything, then for each program."""
    return {
        "tool": clang.compiler_version(compiler)[0],
        "vocabulary": "safe",
        "pipelines for each": asked,
        **counts(rows),
        "programs": [
            {
                "program": name,
                "package": entry.program.package,
                "licence": entry.tree.licence,
                "instructions": sum(source.text.count("\n  ") for _, source in entry.units),
                **counts([row for row in rows if row["program"] == name]),
            }
            for name, entry in ready.items()
        ],
    }


def counts(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Program runs by outcome, and compilations of units by what came of them."""
    notes = [note for row in rows for note in row["notes"]]
    outcomes = [row["outcome"] for row in rows]
    return {
        "runs": len(rows),
        "right": outcomes.count("right"),
        "unchanged": outcomes.count("unchanged"),
        "wrong": outcomes.count("wrong"),
        "program hangs": outcomes.count("hang"),
        "links failed": sum(outcome.startswith("link") for outcome in outcomes),
        "compilations": sum(row["units"] for row in rows),
        "compiler hangs": sum("timeout" in note for note in notes),
        "compiler crashes": sum("crash" in note for note in notes),
        "compiler errors": sum("broken" in n and "crash" not in n and "timeout" not in n for n in notes),
        "refused": sum("refused" in note for note in notes),
        "failures": [row for row in rows if row["outcome"] not in ("right", "unchanged")],
    }


if __name__ == "__main__":
    main()
