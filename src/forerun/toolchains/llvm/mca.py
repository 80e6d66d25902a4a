"""Cycles estimated by llvm-mca: each basic block's throughput, weighted by how deep in loops it stands.

An estimate of straight-line execution with every load in the first-level cache and no branch missed (the tool's
model), times the classic guess of ten iterations a loop (Wu and Larus 1994 measure better ones from profiles): good for
comparing two versions of one function, not for telling time.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from forerun.toolchains.llvm.clang import tool
from forerun.toolchains.llvm.lib import LLVMFailure

ITERATIONS_A_LOOP = 10.0
_RUNS = 100
_LABEL = re.compile(r"(?:\.LBB\d+_\d+:|# %bb\.\d+:|// %bb\.\d+:)")
_DEPTH = re.compile(r"Depth[= ](\d+)")


@dataclass
class Block:
    """Straight-line code: its function, its depth in loops, its instructions as assembly lines."""

    function: str
    depth: int
    lines: list[str]


def blocks(assembly: str) -> Iterator[Block]:
    """The basic blocks of assembly text as LLVM prints it, with the loop depth from its comments."""
    function, block = "", Block("", 0, [])
    for line in assembly.splitlines():
        stripped = line.strip()
        if match := re.match(r"\s*\.type\s+([^,]+),[@%]function", line):
            function = match[1].strip('"')
            block = Block(function, 0, [])
        elif _LABEL.match(stripped):
            if block.lines:
                yield block
            block = Block(function, _depth(stripped), [])
        elif stripped.startswith(("#", "//")):
            block.depth = max(block.depth, _depth(stripped))
        elif function and line.startswith("\t") and not stripped.startswith("."):
            block.lines.append(line)
    if block.lines:
        yield block


def cycles(assembly: str, triple: str, cpu: str, major: int, hot: Collection[str] = ()) -> float:
    """Estimated cycles of the functions named in `hot` (all where it is empty). Raises LLVMFailure."""
    chosen = [b for b in blocks(assembly) if not hot or b.function in hot]
    # A hot function that was inlined away would count as free.
    missing = sorted(set(hot) - {b.function for b in chosen})
    if missing or not chosen:
        raise LLVMFailure(f"there is no code of {', '.join(missing) or 'any function'} to estimate cycles of")
    comment = "//" if triple.startswith(("aarch64", "arm64")) else "#"
    text = []
    for number, block in enumerate(chosen):
        text += [f"{comment} LLVM-MCA-BEGIN b{number}", *block.lines, f"{comment} LLVM-MCA-END b{number}"]
    spent = _analyse("\n".join(text) + "\n", triple, cpu, major)
    return sum(spent.get(f"b{n}", 0.0) * ITERATIONS_A_LOOP**b.depth for n, b in enumerate(chosen))


def _depth(comment: str) -> int:
    return max((int(d) for d in _DEPTH.findall(comment)), default=0)


def _analyse(text: str, triple: str, cpu: str, major: int) -> dict[str, float]:
    # llvm-mca refuses the generic x86-64, which has no scheduling model of its own.
    named = cpu if cpu not in ("", "x86-64", "generic") else {"x86": "haswell", "aar": "cortex-a57"}.get(triple[:3], "")
    command = [tool("llvm-mca", major), f"-mtriple={triple}", f"-mcpu={named}", f"-iterations={_RUNS}", "--json"]
    # A call has no known cost, and an instruction without a model must not end the analysis of the others.
    command += ["--skip-unsupported-instructions=any", "-"] if major >= 19 else ["-"]
    run = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", timeout=120, check=False)
    if run.returncode or not run.stdout.strip():
        raise LLVMFailure(f"llvm-mca cannot analyse the code: {run.stderr.strip()[:200]}")
    regions = json.loads(run.stdout)["CodeRegions"]
    return {r["Name"]: r["SummaryView"]["TotalCycles"] / _RUNS for r in regions}
