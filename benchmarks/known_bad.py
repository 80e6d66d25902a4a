"""Would the benchmark of correctness see a miscompilation? Lists that are known to miscompile, on the same programs.

    python benchmarks/known_bad.py

The safe vocabulary refuses each of them; here they are applied all the same.
"""

from __future__ import annotations

import json
from typing import Any

import correctness
from _programs import PROGRAMS

from forerun.files import write_atomically
from forerun.grammars.pipelines import Pipelines, parse_plan
from forerun.sandbox import Pool
from forerun.toolchains.llvm import clang, vocabulary

LISTS = (
    "iroutliner,attributor",
    "attributor,default<Oz>",
    "cgscc(attributor-cgscc),function(gvn-sink)",
    "function(gvn),attributor,function(newgvn)",
)
CHOSEN = ("floats", "libcsv", "utf8proc", "yajl", "figlet", "libdeflate")


def main() -> None:
    compiler = clang.default_compiler()
    rows = []
    with Pool(1) as pool:
        for program in (p for p in PROGRAMS if p.name in CHOSEN):
            ready = correctness.prepared(program, compiler)
            for text in LISTS:
                rows.append({"program": program.name, "list": text, "outcome": outcome(ready, text, pool)})
                print(json.dumps(rows[-1]), flush=True)
    summary: dict[str, Any] = {
        "tool": clang.compiler_version(compiler)[0],
        "refused by the safe vocabulary": sum(refused(text, compiler) for text in LISTS),
        "lists": {
            text: [r["program"] for r in rows if r["list"] == text and r["outcome"] != "right"] for text in LISTS
        },
        "rows": rows,
    }
    write_atomically(correctness.RESULTS / "known-bad.json", (json.dumps(summary, indent=1) + "\n").encode())
    print(json.dumps(summary["broken by"], indent=1))


def outcome(ready: correctness.Ready, text: str, pool: Pool) -> str:
    """What becomes of the program when the list is applied to every unit."""
    objects, broken = [], 0
    for command, (task, source) in zip(ready.tree.commands, ready.units, strict=True):
        made = correctness.built(command, task, source, parse_plan(text), pool)
        broken += isinstance(made, str)
        objects.append(source.reference if isinstance(made, str) else made)
    got = correctness.outputs(ready.program, ready.tree, objects)
    if isinstance(got, str):
        return got
    failed = f", {broken} units left out" if broken else ""
    return ("right" if got == ready.expected else "wrong") + failed


def refused(text: str, compiler: str) -> bool:
    try:
        Pipelines(vocabulary.safe(compiler)).parse(text)
    except ValueError:
        return True
    return False


if __name__ == "__main__":
    main()
