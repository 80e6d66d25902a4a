"""The passes that a pipeline may use, derived from the installed LLVM itself.

*safe*: every pass, in the nest and with the parameters in which it stands in the compiler's own O1, O2, O3, Os and Oz
pipelines, and these pipelines themselves. Their combinations are what LLVM's own tests and users exercise.
*extended*: all transformation passes that `opt` lists. Combinations of these are known to miscompile silently, so they
need a test of the user's.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from forerun import settings
from forerun.errors import ForerunError, ToolMissing
from forerun.files import write_atomically
from forerun.grammars.pipelines import flatten
from forerun.toolchains.llvm.lib import INSTALL

_LOOP = "function/loop-mssa/"
OFFICIAL = ("O1", "O2", "O3", "Os", "Oz")

# They change no code: annotations, remarks, checks, and analyses that the pipeline asks for where it needs them.
_INERT = re.compile(
    r"(annotation2metadata|annotation-remarks|declare-to-assign|transform-warning|verify|cg-profile"
    r"|memprof-remove-attributes|ee-instrument|alloc-token|forceattrs|require<should-not-run.*|require<profile-summary>"
    r"|invalidate<.*|move-auto-init|coro-.*|print.*|assign-guid)(<.*>)?$"
)

# Not transformations of one translation unit, or not meant to keep its meaning: instrumentation, symbol changes,
# lowerings that drop guarantees, debugging aids, and what needs data that is not here.
_NEVER = re.compile(
    r"(internalize|.*dead-arg.*|dae|deadarghax.*|lower-atomic|strip.*|metarenamer|.*san(-.*)?|.*sanitizer.*|.*profile.*"
    r"|pgo.*|instr.*prof.*|.*instrument.*|sancov.*|kcfi|cross-dso-cfi|lowertypetests|wholeprogramdevirt|.*print.*|dot-.*"
    r"|view-.*|.*-verifier|verify.*|no-op-.*|trigger-.*|debugify|check-debugify|synthetic-.*|extract-blocks|.*import.*"
    r"|.*bitcode.*|embed.*|rewrite-statepoints.*|place-safepoints|gc-.*|.*-dbg.*|module-inline|inliner-.*|.*-wrapper.*"
    r"|scc-oz-.*|inliner-ml-.*|memprof.*|poison-checking|normalize|canon.*|instnamer|unify-loop-exits"
    r"|loop-versioning-licm|objc-.*|pre-isel.*|expand-.*|dxil-.*|amdgpu.*|nvvm.*|hexagon.*|aarch64-.*|arm-.*|x86-.*"
    r"|ir-library-injection|rel-lookup.*|coro.*|ctx-.*|jmc.*|lint|count-.*|aa-eval|annotation.*|declare-.*|helloworld"
    r"|name-anon-globals|dwarf-eh-prepare|safe-stack|stack-protector|indirectbr-expand|codegenprepare|hardware-loops"
    r"|interleaved-.*|lower-.*intrinsic.*|lower-invoke|lower-switch|lower-emutls|wasm.*|winehprepare|sjlj.*|.*isel.*"
    r"|select-optimize|type-promotion|replace-with-veclib|complex-deinterleaving|callbr.*|atomic-expand|cfguard.*|instcount"
    r"|func-properties-stats|function-info|partially-inline.*|shadow.*|reg2mem|break-crit.*|unify.*|structurizecfg|sink.*tmp"
    # Whole programs: link-time pipelines, and passes that trust to see every caller.
    r"|(thin|fat)?lto.*|norecurse-lto-.*|openmp-opt-postlink|noinline-nonprevailing|simplify-type-tests|globalsplit"
    # Other machines and run times, or no transformation at all: an analysis to drop, a marker, a report.
    r"|hipstdpar-.*|kernel-info|win-eh-.*|invalidate|rewrite-symbols|extra-vector-passes|pa-eval|add-discriminators"
    r"|insert-gcov.*|instrorderfile|pseudo-probe.*|prof-.*|sanmd.*|bounds-checking|lower-allow-check|lower-global-dtors"
    # They end the process: always, and in 3 of 24 runs.
    r"|free-machine-function|fix-irreducible"
    # Levels that the official pipelines already stand for.
    r"|function-simplification)"
    r"(<.*>)?$"
)


def safe(clang: str) -> tuple[str, ...]:
    """The safe steps of this clang's LLVM, the official pipelines first. Raises ToolMissing."""
    return _cached(clang, "safe", lambda: _safe(official(clang).values()))


def extended(clang: str, opt: str) -> tuple[str, ...]:
    """The safe steps, then every other transformation that `opt` lists, with its default parameters."""
    base = safe(clang)
    others = _cached(opt, "extended", lambda: tuple(dict.fromkeys(_listed(_run([opt, "--print-passes"])))))
    have = {step.rpartition("/")[2].partition("<")[0] for step in base}
    return base + tuple(s for s in others if s.rpartition("/")[2].partition("<")[0] not in have)


def official(clang: str) -> dict[str, tuple[str, ...]]:
    """The compiler's own pipelines as steps, by level."""
    command = [clang, "-x", "c", "-c", "/dev/null", "-o", "/dev/null", "-mllvm", "-print-pipeline-passes"]
    return {level: flatten(_run([*command, f"-{level}"]).strip()) for level in OFFICIAL}


def useful(steps: Iterable[str]) -> tuple[str, ...]:
    """Without the passes that change no code."""
    return tuple(step for step in steps if not _INERT.match(step.rpartition("/")[2]))


def _safe(pipelines: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    whole = tuple(f"default<{level}>" for level in OFFICIAL)
    found = [s for steps in pipelines for s in useful(steps)]
    # A function pass that runs inside the call graph's walk runs as well on its own.
    alone = [s.removeprefix("cgscc/") for s in found if s.startswith("cgscc/function/")]
    return tuple(dict.fromkeys([*whole, *found, *alone]))


def _listed(text: str) -> Iterable[str]:
    """The transformations of `opt --print-passes`, each in its nest; its other sections list analyses."""
    nests = {"Module": "", "CGSCC": "cgscc/", "Function": "function/", "LoopNest": _LOOP, "Loop": _LOOP}
    nest: str | None = None
    for line in text.splitlines():
        if not line.startswith(" "):
            heading = re.match(r"(\w+) passes( with params)?:", line)
            nest = nests.get(heading[1]) if heading else None
        elif nest is not None:
            name = line.strip().partition("<")[0]
            if not _NEVER.match(name) and not _INERT.match(name):
                yield nest + _spelled(name)


def _spelled(name: str) -> str:
    # Bare instcombine ends the process when it does not reach a fixpoint in one iteration.
    return "instcombine<no-verify-fixpoint>" if name == "instcombine" else name


def _cached(program: str, kind: str, make: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Kept on disk under the program's version: asking five times costs .2 s, more than a small search."""
    version = _run([program, "--version"])
    name = hashlib.sha256("\n".join((version, _INERT.pattern, _NEVER.pattern, "3")).encode()).hexdigest()
    file = settings.cache_folder() / f"vocabulary-{kind}-{name[:16]}.txt"
    # Neither a cache that cannot be read nor one that cannot be written stands in the way of an answer.
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if kept := tuple(file.read_text(encoding="utf-8").split()):
            return kept
    steps = make()
    with contextlib.suppress(ForerunError):
        write_atomically(file, "\n".join(steps).encode())
    return steps


def _run(command: list[str]) -> str:
    try:
        run = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)
    except OSError as error:
        raise ToolMissing(f"{Path(command[0]).name} does not run", str(error), INSTALL) from error
    if run.returncode:
        raise ToolMissing(f"{command[0]} fails", run.stderr.strip().partition("\n")[0], INSTALL)
    return run.stdout + run.stderr if "--print-passes" in command else run.stdout
