"""GPUs: the target, design spaces whose sentences replay, and kernels as CUDA source; what needs one is skipped."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from forerun.core import Source
from forerun.errors import ToolMissing, UsageError
from forerun.grammars.decisions import Decisions, Plan
from forerun.models import scheduler
from forerun.models._judge import Judge
from forerun.models.scheduler import CARD, SHIPPED, Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits

pytest.importorskip("tvm_ffi")

from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import _cuda, device, extract, space, text
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.device import Place
from forerun.toolchains.tvm.features import decided_on_gpu
from forerun.toolchains.tvm.measure import Bounds, measure
from forerun.toolchains.tvm.space import Program
from tests.test_tvm_space import source as made

pytestmark = pytest.mark.filterwarnings("ignore")
TARGET = targets.written(
    {
        "kind": "cuda", "arch": "sm_75", "max_threads_per_block": 1024, "max_shared_memory_per_block": 49152,
        "thread_warp_size": 32, "registers_per_block": 65536, "multi_processor_count": 80,
    }
)  # fmt: skip
"""The least that CUDA 13 compiles for."""


def source(name: str) -> Source:
    found = made(name)
    return Source(found.text, found.lang, found.name, TARGET)


def test_a_target_is_a_tag_or_whole() -> None:
    tagged = json.loads(targets.parse("nvidia/nvidia-a100"))
    assert tagged["kind"] == "cuda" and tagged["arch"] == "sm_80" and "a100" not in json.dumps(tagged)
    assert targets.parse(TARGET) == TARGET and targets.device(TARGET) == "cuda"
    with pytest.raises(UsageError, match="not a whole target"):
        targets.parse('{"kind":"cuda"}')


def test_the_hardware_is_told_by_its_properties() -> None:
    told = targets.described(TARGET)
    assert told == "cuda capability 75 SMs 80 threads 1024 warp 32 shared 49152 registers 65536"
    assert Schedule().prompt(source("GMM")).splitlines()[1].startswith("cuda capability ")


@pytest.mark.parametrize("name", ["GMM", "SFM", "DEP", "C2D"])
def test_design_spaces_have_a_text_of_their_own(name: str) -> None:
    program = Program(source(name))
    told, blocks = text.prompt(program), text.described(program.module.script())[0]
    assert text.traces(told, blocks) == [text.insts(found.trace) for found in program.spaces]
    assert "! " not in told, "an instruction that has no form of its own"


@pytest.mark.parametrize("name", ["GMM", "SFM", "DEP"])
def test_what_may_be_written_replays_to_exactly_that(name: str) -> None:
    program = Program(source(name))
    drafts = Uniform(1).sample("", Decisions(program), 8, 0)
    assert len(drafts) == 8
    for draft in drafts:
        program.replay(draft.answer)  # raises Refused where TVM decides otherwise


def blind(monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """One without a cost model for GPUs."""
    found = Scheduler()
    monkeypatch.setattr(found, "_of_others", lambda kind: None)
    return found


def test_what_no_cost_model_knows_is_not_ranked_but_what_is_refused_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program, model = Program(source("SFM")), blind(monkeypatch)
    drafts = model.sample("", Decisions(program), 4, 0)
    plans = [plan for plan in dict.fromkeys(program.random(128, 0)) if program.takes(plan)]
    assert [draft.answer for draft in drafts] == plans[:4] and len(drafts) == 4
    assert not model.ranks("cuda") and model.ranks("llvm") and Scheduler().ranks("cuda")


def test_what_ships_ranks_drafts_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "POPULATION", 96)
    program, model = Program(source("GMM")), Scheduler(generations=2)
    judge = Judge.load(SHIPPED, kind="cuda")
    assert judge is not None
    drafts = [draft.answer for draft in model.sample("", Decisions(program), 8, 0)]
    drawn = [plan for plan in program.random(256, 5) if program.takes(plan)]
    assert len(drafts) == 8 and all(map(program.takes, drafts)) and len(drawn) > 3
    scores, others = judge.scores(program, drafts), judge.scores(program, drawn)
    assert scores.mean() > others.mean() + 0.5  # so many times as fast, as a logarithm, is what is thought of them
    again = Scheduler(generations=2).sample("", Decisions(program), 8, 0)
    assert [draft.answer for draft in again] == drafts
    assert "model" not in vars(model)  # the network does not write for GPUs


def test_a_network_that_learned_gpus_writes_for_them(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path, dirs_exist_ok=True)
    card = json.loads((tmp_path / CARD).read_text())
    (tmp_path / CARD).write_text(json.dumps(card | {"kinds": ["cuda", "llvm"]}))
    found = source("GMM")
    program = Program(found)
    model = Scheduler(tmp_path, generations=0)
    written = model.sample(Schedule().prompt(found), Decisions(program), 64, 0)
    assert any(math.isfinite(draft.logprob) for draft in written)
    assert any(map(program.takes, (draft.answer for draft in written)))


def test_features_of_a_gpu_say_how_work_is_dealt_out() -> None:
    tiles = ((4, 1, 16, 2, 1), (8, 2, 8, 1, 4), (16, 4, 2))
    found = decided_on_gpu(128, Plan(0, (*tiles, 3, 1)))
    assert found[:5].tolist() == [5, 1, 7, 1, 2]  # blocks, virtual threads, threads, and inside of one
    assert found[5:10].tolist() == [3, 1, 3, 0, 2] and found[15:18].tolist() == [4, 2, 1]
    held, block, deep, waves, *_, warps, spatial, reduced = found[21:30].tolist()
    assert (held, block, deep, waves, warps, spatial, reduced) == (4, 11, 14, -2, 1, 2, 1)
    assert found[30:].tolist() == [3, 1, -9, -9, -9]
    assert decided_on_gpu(128, Plan(0, (2, 6))).tolist() == [-1.0] * 30 + [2, 6, -9, -9, -9]


def test_drafts_are_drawn_until_enough_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first 64 plans of a product of matrices some two or three are."""
    program = Program(source("GMM"))
    drafts = blind(monkeypatch).sample("", Decisions(program), 8, 1)
    assert len({draft.answer for draft in drafts}) == 8
    assert all(program.takes(draft.answer) for draft in drafts if draft.answer)


def test_float32_needs_no_tensor_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their intrinsics are not loaded, for GPUs that have them either."""
    loaded = list[tuple[str, bool]]()
    monkeypatch.setattr(space, "intrinsics", lambda target, cores: loaded.append((target.attrs["arch"], cores)))
    found = source("GMM")
    assert len(Program(Source(found.text, found.lang, found.name, TARGET.replace("sm_75", "sm_90")))) == 3
    volta = TARGET.replace("sm_75", "sm_70")
    half = Source(found.text.replace("float32", "float16"), found.lang, found.name, volta)
    assert len(Program(half)) > 0 and loaded == [("sm_90", False), ("sm_70", True)]


def test_fast_functions_that_are_too_wrong_are_not_asked_for() -> None:
    tvm = load()
    from tvm import te, tirx

    given = te.placeholder((256,), name="given")
    made = te.compute((256,), lambda i: tirx.tanh(given[i]) + tirx.pow(given[i], tirx.const(3.0, "float32")), "made")
    module, target = tvm.IRModule({"main": te.create_prim_func([given, made])}), targets.made(TARGET)
    (kernel,) = extract.built(extract.scheduled(module, target), target).mod.imports
    text = kernel.inspect_source().partition("__global__")[2]
    assert "exp" in text and "tanh" not in text and "pow" not in text


def test_a_gpu_that_a_kernel_stopped_is_told_from_a_kernel_that_failed() -> None:
    def stopped() -> None:
        raise RuntimeError("CUDA: an illegal memory access was encountered")

    one = object.__new__(device.Device)
    one.timed_here = False
    for sync, told in ((lambda: None, "build: ValueError: no"), (stopped, "crash: the kernel stopped the GPU: CUDA")):
        one.handle = SimpleNamespace(sync=sync)
        assert one.failure(ValueError("no")).startswith(told)


def test_what_measures_on_a_gpu_may_reserve_all_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_WORKERS", "")
    there = Place(TARGET)
    with device.workers(there) as pool:
        assert pool.limits.memory_bytes > 1 << 48 and 1 <= len(pool) <= 8
    with device.workers(Place('{"kind":"llvm","num-cores":1}')) as pool:
        assert pool.limits == Limits.from_settings()


def test_what_tvm_needs_of_cuda_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").touch(0o755)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cuda_runtime.h").touch()
    libraries = list[str]()
    monkeypatch.setattr(_cuda, "_loaded", lambda library: libraries.append(library) or library.startswith("/"))
    for mode, package in (("nvcc", False), (None, True)):
        monkeypatch.setattr(_cuda, "_there", lambda _, package=package: package)
        for name in ("TVM_CUDA_COMPILE_MODE", "CUDA_PATH"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        _cuda.prepare()
        assert os.environ.get("TVM_CUDA_COMPILE_MODE") == mode and os.environ["CUDA_PATH"] == str(tmp_path)
    assert set(libraries) == {"libcuda.so.1"}  # without a driver nothing more is looked for
    monkeypatch.setattr(_cuda, "_loaded", lambda library: libraries.append(library) or library != "libcudart.so.13")
    _cuda.prepare()
    assert libraries[-1].endswith("/libcudart.so.13")
    monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", "nvrtc")
    monkeypatch.setattr(_cuda, "_there", lambda _: False)
    _cuda.prepare()
    assert os.environ["TVM_CUDA_COMPILE_MODE"] == "nvrtc"


def test_the_network_is_loaded_only_where_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "POPULATION", 32)
    model = Scheduler(generations=1)
    for writer in (model, model.hasty()):
        assert len(writer.sample("", Decisions(Program(source("SFM"))), 2, 0)) == 2
    assert "model" not in vars(model)
    asked = made("SFM")
    model.sample(Schedule().prompt(asked), Decisions(Program(asked)), 1, 0)
    assert model.model is vars(model)["model"] is not None


def test_a_kernel_becomes_cuda_source() -> None:
    program = Program(source("SFM"))
    plan = next(plan for plan in program.random(50, 0) if program.takes(plan))
    for module in (extract.scheduled(program.module, program.target), program.scheduled(plan).mod):
        (kernel,) = extract.built(module, program.target).mod.imports
        assert "__global__" in kernel.inspect_source() and "threadIdx.x" in kernel.inspect_source()


ASKED, WAITED = "  mask[0] = __activemask();\n", "  __syncwarp();\n"


@pytest.mark.parametrize(
    ("before", "waits"),
    [
        ("kernel() {\n", True),
        ("kernel() {\n  for (int i = 0; i < 4; ++i) {\n", True),
        ("kernel() {\n  if (threadIdx.x < 17) {\n    a = b;\n  }\n", True),
        ("kernel() {\n  if (threadIdx.x < 17) {\n", False),
        ("kernel() {\n  if (threadIdx.x < 17) {\n    a = b;\n  } else {\n", False),
    ],
)
def test_threads_of_a_warp_wait_for_each_other_before_they_ask_who_is_there(before: str, waits: bool) -> None:
    assert _cuda.together(before + ASKED) == before + WAITED * waits + ASKED


def test_sums_over_threads_wait_for_all_of_a_warp() -> None:
    program = Program(source("SFM"))
    (kernel,) = extract.built(extract.scheduled(program.module, program.target), program.target).mod.imports
    lines = [line.strip() for line in kernel.inspect_source().splitlines()]
    places = [place for place, line in enumerate(lines) if "__activemask()" in line]
    assert places and all(lines[place - 1] == WAITED.strip() for place in places)


def test_a_default_that_fails_is_left_to_the_next_rule() -> None:
    """TVM's for products of matrices ends with an assertion where the result is padded."""
    tvm = load()
    from tvm import te, tirx
    from tvm.s_tir import dlight

    a, b = (te.placeholder((64, 64), name=name) for name in "ab")
    summed = te.reduce_axis((0, 64), name="summed")
    product = te.compute((64, 64), lambda i, j: te.sum(a[i, summed] * b[summed, j], axis=summed), "product")
    padded = te.compute(
        (66, 64), lambda i, j: tirx.if_then_else(tirx.all(i > 0, i < 65), product[i - 1, j], 0.0), "padded"
    )
    module, target = tvm.IRModule({"main": te.create_prim_func([a, b, padded])}), targets.made(TARGET)
    with target, pytest.raises(AssertionError):
        dlight.ApplyDefaultSchedule(dlight.gpu.Matmul())(module.clone())
    kernels = extract.built(extract.scheduled(module, target), target).mod.imports[0].inspect_source()
    assert kernels.count("__global__") >= 2


@pytest.mark.skipif(load().cuda().exist, reason="there is a GPU")
def test_without_a_gpu_nothing_is_measured() -> None:
    with pytest.raises(ToolMissing, match="this machine has no cuda"):
        measure(source("SFM"), None)
    with pytest.raises(ToolMissing, match="this machine has no cuda"):
        device.located(TARGET, None)
    with pytest.raises(UsageError, match="no CUDA device"):
        targets.parse("cuda")


@pytest.mark.skipif(not load().cuda().exist, reason="no GPU here")
def test_a_kernel_is_checked_and_timed_on_a_gpu() -> None:
    found = made("SFM")
    here = Source(found.text, found.lang, found.name, targets.parse("cuda"))
    program = Program(here)
    plan = next(plan for plan in program.random(50, 0) if program.takes(plan))
    for each in (None, plan):
        measured = measure(here, each, Bounds(samples=3, seconds=0.02))
        assert measured.ok and 0 < measured.values["latency"] < 1, measured
