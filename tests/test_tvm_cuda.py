"""GPUs: the target, design spaces whose sentences replay, and kernels as CUDA source; what needs one is skipped."""

from __future__ import annotations

import json

import pytest

from forerun.core import Source
from forerun.errors import ToolMissing, UsageError
from forerun.grammars.decisions import Decisions
from forerun.models.scheduler import Scheduler
from forerun.models.uniform import Uniform

pytest.importorskip("tvm_ffi")

from forerun.tasks.schedule import Schedule
from forerun.toolchains.tvm import device, extract
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import load
from forerun.toolchains.tvm.measure import Bounds, measure
from forerun.toolchains.tvm.space import Program
from tests.test_tvm_space import source as made

pytestmark = pytest.mark.filterwarnings("ignore")
TARGET = targets.written(
    {
        "kind": "cuda", "arch": "sm_70", "max_threads_per_block": 1024, "max_shared_memory_per_block": 49152,
        "thread_warp_size": 32, "registers_per_block": 65536, "multi_processor_count": 80,
    }
)  # fmt: skip
"""Before sm_80 TVM's spaces have no tensor cores, whose intrinsics take 10 seconds to load."""


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
    assert told == "cuda capability 70 SMs 80 threads 1024 warp 32 shared 49152 registers 65536"
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
        (kernel,) = load().compile(module, program.target).mod.imports
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
