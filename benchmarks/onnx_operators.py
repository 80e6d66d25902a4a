"""Which operators of ONNX does `forerun tune` compute as ONNX says? The cases that the package onnx ships, one by one.

    python benchmarks/onnx_operators.py             # writes results/onnx-operators.json, goes on where it was stopped
    python benchmarks/onnx_operators.py softmax     # those whose name has it, to read

Each case is a network of one operator, or of those that an operator is said to be made of, with inputs and what comes
of them. It is imported, prepared and compiled as a network of a user's is, with TVM's default schedules, and runs on
the inputs: once as it is, and once with all inputs but the first as weights, as exported networks have their shapes,
axes and scales. Each case runs in a process of its own, which may crash or hang; what it came to with the same sources
is not asked again. The results count what cases come to, and name those that are not right.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from _lines import Lines, digest, summarise

import forerun
from forerun.errors import ForerunError
from forerun.toolchains.onnx import model as onnx_model
from forerun.toolchains.onnx.run import session
from forerun.toolchains.tvm import extract, frontends
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.network import flat

RESULTS = Path(__file__).parent / "results"
SECONDS = 60
RIGHT, REFUSED, UNCLEAR, WRONG, CRASHED = OUTCOMES = ("right", "refused", "unclear", "wrong", "crashed")
"""A refusal is clear where it names an operator of the network, or an input and what is wrong with its type or size."""
_OF_HALVES = {"float16": 4e-3, "bfloat16": 3e-2}
"""Where the expected numbers were rounded once, and those of a kernel at each step."""
WAYS = ("inputs", "weights")
_PARTS = "_expanded"
"""In the name of a case whose operator stands as what it is made of."""


def main() -> None:
    """Runs the cases, and writes or prints what becomes of them."""
    asked, code = sys.argv[1:], sources()
    lines = Lines(RESULTS / "onnx-operators.jsonl", ("code", "case", "way"))
    _warm()
    rows = list[Mapping[str, str]]()
    for case in cases():
        if asked and not any(word in case.name for word in asked):
            continue
        for way in ways(case):
            place = {"code": code, "case": case.name, "way": way}
            if not lines.known(place):
                lines.keep({**place, **outcome(case, way)})
                print(json.dumps(lines.known(place)), flush=True)
            rows.append(lines.known(place))
    counted = summary(rows)
    print(json.dumps(counted, indent=1))
    if not asked:
        told = {"onnx": onnx.__version__, "tvm": load().__version__, "code": code, "cases": len(rows), **counted}
        left = sorted((row for row in rows if row["outcome"] != RIGHT), key=lambda row: OUTCOMES.index(row["outcome"]))
        names = {f"{row['case']}, {row['way']}": f"{row['outcome']}: {row['why']}"[:140] for row in left}
        summarise(RESULTS / "onnx-operators.json", {**told, "not right": names})


def sources() -> str:
    """Names what reads and compiles networks."""
    folder = Path(forerun.__file__).parent / "toolchains"
    read = sorted(path for part in ("onnx", "tvm") for path in (folder / part).glob("*.py"))
    return digest(b"".join(path.read_bytes() for path in read))


def _warm() -> None:
    """Imports here what every case would: one is imported and prepared, none runs, and no thread begins."""
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
    graph = onnx.helper.make_graph([node], "warm", ends[:1], ends[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        onnx.save(model, str(path))
        target = load().target.Target({"kind": "llvm", "num-cores": 1})
        extract.compiled(extract.extract(frontends.from_onnx(path), target).module, target)


def cases() -> Sequence[Any]:
    """Those of operators, of the package onnx."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(collect_testcases(None))


def ways(case: Any) -> Sequence[str]:
    """Both; one where it has one input."""
    inputs = list(map(_array, case.data_sets[0][0]))
    alike = len(inputs) < 2 or not all(isinstance(each, np.ndarray) for each in inputs)
    return WAYS[: 1 if alike else 2]


def outcome(case: Any, way: str) -> dict[str, str]:
    """What becomes of a case in a way."""
    inputs, outputs = (list(map(_array, each)) for each in case.data_sets[0])
    model, given = (case.model, inputs) if way == "inputs" else weighted(case.model, inputs)
    found, why = apart(lambda: computed(model, given, outputs, (case.rtol, case.atol)))
    return {"operator": operator(case), "outcome": found, "why": why}


def _array(value: Any) -> Any:
    """Numbers of types that NumPy has not stand as messages."""
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def operator(case: Any) -> str:
    """What a case is about."""
    node = case.model.graph.node[0]
    if _PARTS in case.name:
        return "parts"
    return f"{node.domain}.{node.op_type}" if node.domain else str(node.op_type)


def weighted(model: Any, inputs: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """A network whose inputs but the first are weights."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for value, array in zip(model.graph.input[1:], inputs[1:], strict=True):
        if value.name not in {each.name for each in made.graph.initializer}:
            made.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), value.name))
    del made.graph.input[1:]
    return made, inputs[:1]


def computed(model: Any, inputs: Sequence[Any], outputs: Sequence[Any], near: tuple[float, float]) -> tuple[str, str]:
    """What becomes of one network, and why."""
    tvm, names = load(), [node.op_type for node in onnx_model.every(model.graph)]
    target = tvm.target.Target({"kind": "llvm", "num-cores": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        onnx.save(model, str(path))
        try:
            found = extract.extract(frontends.from_onnx(path), target)
        except ForerunError as error:
            told = f"{error.what}: {error.why}".replace(folder, "")
            clear = error.what.startswith("the input") or (
                any(re.match(rf"[^:]*\b{name}(\b|\d)[^:]*: ", error.why) for name in names)
                or ("TVM cannot" not in error.what and any(name in error.why for name in names))
            )
            return (REFUSED if clear else UNCLEAR), told[:200]
    made = extract.compiled(found.module, target)
    got = flat(tvm.relax.VirtualMachine(made, tvm.cpu())["main"](*map(tvm.runtime.tensor, inputs)))
    outcome, why = compared(got, outputs, near)
    with contextlib.suppress(Exception):  # its own share no base
        if outcome == WRONG and compared(got, by_onnxruntime(model, inputs), near)[0] == RIGHT:
            return RIGHT, "as onnxruntime has it"
    return outcome, why


def by_onnxruntime(model: Any, inputs: Sequence[Any]) -> Sequence[Any]:
    """What it computes, where ONNX's own cases say something else; it is what networks are compared with."""
    running = session(model.SerializeToString(), 1)
    return list(running.run(None, {one.name: each for one, each in zip(running.get_inputs(), inputs, strict=True)}))


def compared(got: Sequence[Any], outputs: Sequence[Any], near: tuple[float, float]) -> tuple[str, str]:
    """Whether outputs are as they should be; those of a sequence stand one after the other."""
    outputs = [one for each in outputs for one in (each if isinstance(each, list) else [each])]
    if len(got) != len(outputs):
        return WRONG, f"{len(got)} outputs, not {len(outputs)}"
    for place, (ours, theirs) in enumerate(zip(got, outputs, strict=True)):
        theirs = np.asarray(theirs)
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return WRONG, f"output {place} is {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
        kind = ours.dtype.name
        if ours.dtype.kind not in "iub":
            ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
        relative, absolute = (max(each, _OF_HALVES.get(kind, 0)) for each in near)
        if not np.allclose(ours, theirs, relative, absolute, equal_nan=True):
            return WRONG, f"output {place}: {ours.ravel()[:4]}, not {theirs.ravel()[:4]}"
    return RIGHT, ""


def apart(function: Any) -> tuple[str, str]:
    """What a function gives in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _child(function, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        data = stream.read()
    status = os.waitpid(child, 0)[1]
    if data:
        outcome, why = json.loads(data)
        return str(outcome), str(why)
    return CRASHED, f"it ended with {os.waitstatus_to_exitcode(status)}"


def _child(function: Any, writer: int) -> None:
    signal.alarm(SECONDS)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    warnings.simplefilter("ignore")
    try:
        found = function()
    except BaseException as error:
        found = CRASHED, f"{type(error).__name__}: {error}"[:300]
    os.write(writer, json.dumps(found).encode())
    os._exit(0)


def summary(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """How many cases of operators, and of what they are made of, come to what."""
    found = dict[str, Any]()
    for way in WAYS:
        for kind, part in (("operators", False), ("parts", True)):
            own = [row for row in rows if row["way"] == way and (row["operator"] == "parts") == part]
            counts = Counter(row["outcome"] for row in own)
            found[f"{kind}, {way}"] = {outcome: counts[outcome] for outcome in OUTCOMES}
    return found


if __name__ == "__main__":
    main()
