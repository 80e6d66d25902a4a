"""A plan replayed with LLVM's stock tools: `llvm-as`, `opt`, `llc`; the same bytes as forerun's own library gives.

The library writes bitcode without the order of uses, so the stock tools must not keep it either at the places where the
library writes; in between, where it does not write, they must.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from forerun.errors import InputError
from forerun.grammars.pipelines import Plan, merge
from forerun.toolchains.llvm.clang import tool
from forerun.toolchains.llvm.target import Target

_FORGET = "--preserve-bc-uselistorder=false"
_KEEP = "--preserve-bc-uselistorder=true"
_DEFINED = re.compile(r"^define [^@\n]*@(?:\"((?:[^\"\\]|\\.)*)\"|([\w.$-]+))", re.MULTILINE)


def bitcode(text: str, plan: Plan, target: Target, major: int) -> bytes:
    """IR text after a plan. Raises ToolMissing, and InputError where a tool refuses."""
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        source, module = Path(folder) / "a.ll", Path(folder) / "a.bc"
        source.write_bytes(text.encode("utf-8", "surrogateescape"))
        _run([tool("llvm-as", major), _FORGET, str(source), "-o", str(module)])
        opt = [tool("opt", major), *_machine(target), str(module), "-o", str(module)]
        last = _FORGET if not plan.functions else _KEEP
        _run([*opt, last, f"-passes={merge(plan.steps)}"])
        names = _names(module, major) if plan.functions else []
        for i, (name, steps) in enumerate(plan.functions):
            last = _FORGET if i + 1 == len(plan.functions) else _KEEP
            _on_function(opt, last, name, steps, names)
        return module.read_bytes()


def object_file(data: bytes, target: Target, major: int) -> bytes:
    """The object of optimised bitcode. Raises ToolMissing, InputError."""
    with tempfile.TemporaryDirectory(prefix="forerun-") as folder:
        module, output = Path(folder) / "a.bc", Path(folder) / "a.o"
        module.write_bytes(data)
        _run(target.llc(tool("llc", major), str(module), str(output)))
        return output.read_bytes()


# Between the two, functions are optnone without noinline, which the verifier forbids; reading bitcode with debug
# information verifies as well, for the sake of upgrading it.
_UNCHECKED = ("--disable-verify", "--disable-auto-upgrade-debug-info")


def _on_function(opt: list[str], order: str, name: str, steps: Sequence[str], names: Sequence[str]) -> None:
    """`opt` has no way to name one function: all others are marked `optnone` meanwhile, which it leaves alone."""
    others = [other for other in names if other != name]
    passes = merge(step.removeprefix("function/") for step in steps)
    mark = [f"--force-attribute={other}:optnone" for other in others]
    unmark = [f"--force-remove-attribute={other}:optnone" for other in others]
    _run([*opt, _KEEP, *_UNCHECKED, *mark, f"-passes=forceattrs,function({passes})"])
    _run([*opt, order, *_UNCHECKED, *unmark, "-passes=forceattrs"])


def _names(module: Path, major: int) -> list[str]:
    """The functions that there are now: the module's own steps rename some, and make others."""
    text = _run([tool("llvm-dis", major), str(module), "-o", "-"])
    return [m[1] or m[2] for m in _DEFINED.finditer(text)]


def _machine(target: Target) -> list[str]:
    return [o for o in target.options if o.startswith(("--relocation-model", "--code-model"))]


def _run(command: list[str]) -> str:
    run = subprocess.run(command, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False)
    if run.returncode:
        said = (run.stderr.strip() or f"exit status {run.returncode}").splitlines()
        raise InputError(
            f"{Path(command[0]).name} fails", said[0][:300], f"see all that it says: {shlex.join(command)}"
        )
    return run.stdout
