"""Tuning tasks of a network: its fused operators as TensorIR, through Relax.

A network becomes a Relax module (`frontends`), whose `extract` gives the distinct programs that tuning is about and the
prepared module that `compiled` puts together again, with what a database knows.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from forerun.errors import reason
from forerun.factories import guarded
from forerun.toolchains.tvm import _larger, _softmax, _sums, _winograd
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._layout import channels_last
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm._rewriting import biases_into_means, dropouts_left_out, rewriting
from forerun.toolchains.tvm.frontends import unsized
from forerun.toolchains.tvm.space import told

_BUILDING = {"tirx.disable_cse_tir": True}
"""LLVM finds common subexpressions anyway: of 151 kernels the time is .999 of what it is where TVM looks for them, too,
which is a third of lowering."""
_FLOAT = 32
"""Bits."""
_MANY = 1 << 15
"""Bytes of a program's weights: fewer are read in no time, wherever they are."""
_BUFFERS = 32
"""Tensors of a program, at most: each trial of what puts 50 states of a recurrent network together took a minute."""
_FIXED = "export it with fixed ones: torch.export.export(network, inputs), without dynamic_shapes"
WINOGRAD, CHANNELS_LAST, GIVEN = LAYOUTS = "winograd", "channels-last", "given"
"""Of convolutions, the plainest last: what a processor is fast with, by Winograd's algorithm where that is faster or as
sums of products; and what the network has. With the first also products and softmax are others whose sizes divide into
no tiles."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Inputs of a program that are weights of its network, which are not where the program last left them: all weights
    of the network were read since."""

    places: tuple[int, ...]
    """Of its buffers."""
    among: int
    """Bytes of all weights, equal ones once, the next power of two."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """One distinct tensor program of a network."""

    name: str
    """The function's in the prepared module."""
    text: str
    """TVMScript of an IRModule with the PrimFunc `main`. Weights are parameters of it, never constants."""
    weight: int
    """How often a run of the network calls it."""
    flops: float
    """Additions, multiplications, divisions, minima and maxima of a run, as TVM counts them; exponentials and the like
    count nothing."""
    weights: Weights | None = None
    """What comes from further away than the near caches in each run of the network; None where it is little."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What there is to tune in a network, and the network to put the tuned programs into."""

    module: Any
    """The prepared Relax module: `compiled` takes it."""
    workloads: tuple[Extracted, ...]
    left_out: Mapping[str, str]
    """Functions that are not tuned, by name, each with the reason."""


def extract(module: Any, target: Any, layout: str = CHANNELS_LAST) -> Extraction:
    """The distinct tensor programs of a Relax module on a TVM target. Raises InputError where sizes are left open.

    The passes are those of `relax_integration.compile_relax`, in its order, so that what is tuned here is what TVM
    looks up in a database: sort and sampling go to their libraries, operators become TensorIR, each is annotated with
    how it may be fused, what depends on weights alone is worked out, and operators and then their programs are fused.
    Four steps are added. Before: normalisations are folded into the weights of the convolution before them, also behind
    its bias, or taken apart into sums and products, which fuse; and where the target is a processor and the `layout` is
    not `given`, convolutions get their channels last, of which some become three programs each with the layout
    `winograd`, with which products and softmax are others whose sizes divide into no tiles. After: what only gives a
    buffer another shape becomes a view, and is no program; and the ranges of what is left are such that texts can tell
    them. Two programs are one where TVM's structural hash and equality say so.
    """
    tvm = load()
    from tvm.s_tir.meta_schedule.relax_integration import extract_tasks

    _closed(tvm, module)
    prepared = guarded(
        "TVM cannot prepare the network",
        "report the operator that is named to Apache TVM, or leave it out of the network",
        lambda: _prepared(tvm, module, target, layout),
    )
    workloads, left_out, weights = [], {}, _weights(tvm, prepared)
    for task in sorted(extract_tasks(prepared, target), key=lambda task: str(task.task_name)):
        program, name = task.dispatched[0], str(task.task_name)
        try:
            known = weights.get(name)
            workloads.append(Extracted(name, written(program), int(task.weight), work(program), known))
        except ValueError as error:
            left_out[name] = str(error)
    return Extraction(prepared, tuple(workloads), left_out)


def _weights(tvm: Any, module: Any) -> dict[str, Weights]:
    """Those of the programs, by name, that every call of one has from the network, where there are many."""
    from tvm import relax

    calls: dict[str, list[list[Any]]] = defaultdict(list)

    def noted(node: Any) -> None:
        if isinstance(node, relax.Call) and getattr(node.op, "name", "") == "relax.call_tir":
            calls[str(node.args[0].name_hint)].append(list(node.args[1]))

    for _, function in module.functions_items():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, noted)
    found = dict[str, tuple[int, ...]]()
    constants = set[Any]()
    for name, each in calls.items():
        for given in each:
            constants |= {one for one in given if isinstance(one, tvm.ir.GenericConst)}
        always = [[isinstance(one, tvm.ir.GenericConst) for one in given] for given in each]
        found[name] = tuple(place for place, known in enumerate(zip(*always, strict=True)) if all(known))
    among = 1 << _together(constants).bit_length()
    return {
        name: Weights(places, among)
        for name, places in found.items()
        if sum(_bytes(calls[name][0][place]) for place in places) >= _MANY
    }


def _together(constants: Iterable[Any]) -> int:
    """Bytes of all constants, equal ones once, as a library has them: layers that share their weights have them each
    from a transposition of its own."""
    alike: dict[tuple[object, ...], list[Any]] = defaultdict(list)
    for one in constants:
        alike[*map(int, one.value.shape), str(one.value.dtype)].append(one)
    return sum(_bytes(each[0]) * (len({*map(_digest, each)}) if len(each) > 1 else 1) for each in alike.values())


def _digest(constant: Any) -> bytes:
    return hashlib.sha256(constant.value.numpy().tobytes()).digest()


def _bytes(constant: Any) -> int:
    return math.prod(map(int, constant.value.shape)) * int(constant.value.dtype.itemsize)


def written(program: Any) -> str:
    """The TVMScript of an IRModule with the PrimFunc `main`: equal programs of two networks have equal texts.

    Inputs are numbered, as are the blocks and buffers that TVM named after them: their names come from the network and
    mean nothing. Raises ValueError, with a reason, where a program has open sizes, an empty tensor, too many of them or
    a schedule, or does not parse back to a structurally equal one.
    """
    tvm = load()
    from tvm_ffi import structural_equal

    function = program["main"]
    if function.attrs and function.attrs.get("tirx.is_scheduled", False):
        raise ValueError("it has its schedule already")
    shapes = [_sizes(tvm, parameter) for parameter in function.params]
    if None in shapes:
        raise ValueError("its sizes are known only when it runs")
    if empty := [shape for shape in shapes if shape and 0 in shape]:
        raise ValueError(f"a tensor of the shape {empty[0]} is empty")
    text = told(_numbered(program.script()))
    if len(shapes) > _BUFFERS:
        raise ValueError(f"it puts {len(shapes)} tensors together, which is no work to schedule")
    if "T.call_packed(" in text:
        raise ValueError("a function of TVM's runtime does its work (a sort), which has no schedule")
    try:
        again = tvm.script.from_source(text)
    except Exception as error:  # the parser's own share no base
        raise ValueError(f"its text does not parse back: {reason(error)[:150]}") from error
    if not structural_equal(program, again, map_free_vars=True):
        raise ValueError("TVM reads its text as another program (a scan's, mostly): it keeps its default")
    return text


def work(program: Any) -> float:
    """Arithmetic operations of a run of an IRModule of PrimFuncs, see `Extracted.flops`."""
    from tvm.s_tir.analysis import estimate_tir_flops

    return float(estimate_tir_flops(program))


def compiled(module: Any, target: Any, database: Any = None) -> Any:
    """The executable of a prepared module for Relax's virtual machine; programs that `database` knows are as tuned.

    After the database come the passes that `relax_integration.compile_relax` ends with. Those before it are left out:
    a module that was fused is not fused again, or its functions would be others than those that were tuned.
    """
    tvm = load()
    from tvm import relax

    ways, steps = relax.pipeline, relax.transform
    lower = (steps.ToNonDataflow, steps.RemovePurityChecking, steps.CallTIRRewrite)
    known = contextlib.nullcontext() if database is None else database
    with target, known, tvm.transform.PassContext(opt_level=3, config=_BUILDING):
        passes = [steps.MetaScheduleApplyDatabase()] if database is not None else []
        passes += [*_defaults(target), *(step() for step in lower), *ways.finalize_passes(target)]
        pipeline = tvm.transform.Sequential(passes)
        return relax.build(module.clone(), target=targets.generating(target), relax_pipeline=pipeline)


def built(module: Any, target: Any, *, asserts: bool = True) -> Any:
    """The executable of tensor programs that are scheduled, by the same code generator as `compiled`'s.

    Without `asserts` it does not look at what it is called with, which takes LLVM a tenth less time to make.
    """
    tvm = load()
    config = _BUILDING | ({} if asserts else {"tirx.disable_assert": True})
    with target, tvm.transform.PassContext(config=config):  # CUDA's compiler asks which GPU the target is
        return tvm.compile(module, targets.generating(target))


def scheduled(module: Any, target: Any) -> Any:
    """A module of tensor programs with TVM's default schedules for a target; as it is for a processor."""
    tvm = load()
    with target:
        return tvm.transform.Sequential(_defaults(target))(module.clone())  # dlight changes what it is given


def _defaults(target: Any) -> list[Any]:
    """Passes that schedule what has no schedule yet, where it would not run so."""
    from tvm import relax
    from tvm.s_tir import dlight

    if not relax.pipeline.BackendDispatcher.is_gpu_target(target):
        return []
    rules = dlight.gpu
    kinds = (rules.Matmul, rules.GEMV, rules.Reduction, rules.GeneralReduction)
    return [dlight.ApplyDefaultSchedule(*(_tried(dlight, kind()) for kind in kinds), rules.Fallback())]


def _tried(dlight: Any, rule: Any) -> Any:
    """A rule that leaves a program to the next one where it fails: TVM's for products of matrices does at one in thirty
    programs of networks, a convolution whose result is padded for the next one, and no network with one would run."""

    class Tried(dlight.ScheduleRule):  # type: ignore[misc]
        def apply(self, *given: Any) -> Any:
            try:
                return rule.apply(*given)
            except Exception:  # AssertionError, IndexError, TVM's own
                return None

    return Tried()


def _prepared(tvm: Any, module: Any, target: Any, layout: str) -> Any:
    from tvm import relax

    steps, fast = relax.transform, layout != GIVEN and str(target.kind.name) == "llvm"
    first = (
        rewriting(tvm, dropouts_left_out), rewriting(tvm, biases_into_means), steps.FoldConstant(),
        steps.DeadCodeElimination(), steps.FoldBatchnormToConv2D(), steps.DecomposeOpsForInference(),
        steps.CanonicalizeBindings(),
    )  # fmt: skip
    fused = (steps.AnnotateTIROpPattern, steps.FoldConstant, steps.FuseOps, steps.FuseTIR)
    own: dict[str, Any] | None = None
    if fast and layout == WINOGRAD:
        lanes = targets.vectors(target)[1] // _FLOAT
        own = {}
        for each in (_winograd, _larger, _softmax, _sums):
            own |= each.legalized(tvm, lanes)
    passes = [*relax.pipeline.library_dispatch_passes(target), steps.LegalizeOps(own)]
    passes += [step() for step in (*fused, steps.RewriteDataflowReshape)]
    with target, tvm.transform.PassContext(opt_level=3):
        found = tvm.transform.Sequential(first)(module)
        if fast:
            found = channels_last(tvm, found)
        found = tvm.transform.Sequential(passes)(found)
    for name, function in found.functions_items():
        if isinstance(function, tvm.tirx.PrimFunc):
            found.update_func(name, _mended(tvm, function))
    return found


def _mended(tvm: Any, function: Any) -> Any:
    """A PrimFunc that TVM writes down and compiles. Its ranges have one type: where indices that are data are narrower
    than its sizes (embeddings), TVM gives a range the type of both, for which its texts have no words. And truths that
    are compared (masks of one token) are numbers: TVM asks LLVM to compare them as if they had a point."""
    from tvm_ffi import structural_map

    def one(range_: Any) -> Any:
        least, size = range_.min, range_.extent
        if not isinstance(size, tvm.tirx.IntImm) or size.ty == least.ty:
            return range_
        return tvm.ir.Range.from_min_extent(least, tvm.tirx.IntImm(str(least.ty.dtype), int(size)))

    def numbers(compared: Any) -> Any:
        if str(compared.a.ty.dtype) != "bool":
            return compared
        return type(compared)(*(tvm.tirx.Cast("int8", each) for each in (compared.a, compared.b)))

    return structural_map(function, [(tvm.ir.Range, one), ((tvm.tirx.EQ, tvm.tirx.NE), numbers)])


def _closed(tvm: Any, module: Any) -> None:
    """Raises InputError where an input has sizes that are left open."""
    for parameter in module["main"].params:
        if _sizes(tvm, parameter.ty) is None:
            shape = getattr(parameter.ty, "shape", None)
            known = [int(size) if isinstance(size, tvm.tirx.IntImm) else str(size) for size in shape or ()]
            raise unsized(parameter.name, None if shape is None else known, _FIXED)


def _sizes(tvm: Any, shaped: Any) -> tuple[int, ...] | None:
    """Of a buffer or a type; None where they are not all numbers."""
    sizes = getattr(shaped, "shape", None)
    if sizes is None or not all(isinstance(size, (int, tvm.tirx.IntImm)) for size in sizes):
        return None
    return tuple(int(size) for size in sizes)


_PARAMETERS = re.compile(r"(?:(?<=def main\()|(?<=\), ))(\w+): T\.Buffer")
_BOUND = re.compile(r"(?<![\w.])((?:lv|gv)\d*)(?=\b|_)")
_WRITES = re.compile(r"T\.writes\(([^\n]*)\)")


def _numbered(script: str) -> str:
    """A script whose inputs are `in0`, `in1`, … in their order, with what is named after them; and `lv0`, … what Relax
    numbered along the whole network."""
    head = script[: script.index("\n", script.index("def main("))]
    made = {name for line in _WRITES.findall(script) for name in re.findall(r"(\w+)\[", line)}
    names = {name: f"in{place}" for place, name in enumerate(n for n in _PARAMETERS.findall(head) if n not in made)}
    bound = dict.fromkeys(name for name in _BOUND.findall(script) if name not in names)
    names |= {name: f"lv{place}" for place, name in enumerate(bound)}
    longest = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    anew = rf"(?<![\w.])(v_|)({longest})(?=\b|_)"
    own = script.index("main(") + len("main(")  # what stands before is TVM's: its `s_tir` comes from no input s
    return script[:own] + re.sub(anew, lambda found: found[1] + names[found[2]], script[own:]) if names else script
