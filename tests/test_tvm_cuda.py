"""GPUs: the target, design spaces whose sentences replay, and kernels as CUDA source; what needs one is skipped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from forerun.core import Source
from forerun.errors import ToolMissing, UsageError
from forerun.grammars.decisions import Decisions
from forerun.models.scheduler import Scheduler
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits

pytest.importorskip("tvm_ffi")

from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import _cuda, device, extract, space
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.device import Place
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


@pytest.mark.parametrize("name", ["GMM", "SFM", "DEP"])
def test_what_may_be_written_replays_to_exactly_that(name: str) -> None:
    program = Program(source(name))
    drafts = Uniform(1).sample("", Decisions(program), 8, 0)
    assert len(drafts) == 8
    for draft in drafts:
        program.replay(draft.answer)  # raises Refused where TVM decides otherwise


def test_drafts_are_not_ranked_but_those_that_post_processing_refuses_are_left_out() -> None:
    program = Program(source("SFM"))
    drafts = Scheduler().sample("", Decisions(program), 4, 0)
    plans = [plan for plan in dict.fromkeys(program.random(128, 0)) if program.takes(plan)]
    assert [draft.answer for draft in drafts] == plans[:4] and len(drafts) == 4


def test_drafts_are_drawn_until_enough_are_taken() -> None:
    """Of the first 64 plans of a product of matrices some two or three are."""
    program = Program(source("GMM"))
    drafts = Scheduler().sample("", Decisions(program), 8, 1)
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


def test_the_network_is_loaded_only_where_it_writes() -> None:
    model = Scheduler()
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
