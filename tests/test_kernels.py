"""Kernels of PyTorch's compiler: noted without being run, read as text, counted by hand, built, and timed alone."""

from __future__ import annotations

import ctypes
import json
import pickle
import platform
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forerun import registry
from forerun.core import Source
from forerun.corpora import inductor as corpus
from forerun.errors import ForerunError, UsageError
from forerun.prompts import parts
from forerun.sandbox import Limits, Pool
from forerun.store import Store
from forerun.tables import rows_of
from forerun.tasks import kernels
from forerun.tasks.kernels import Kernels
from forerun.testing import check_grammar, check_toolchain
from forerun.toolchains.inductor import target
from forerun.toolchains.inductor.kernel import CPP, TRITON, Kernel, Tensor
from forerun.toolchains.inductor.text import counters, text

torch = pytest.importorskip("torch")
# PyTorch's compiler warns of parts of itself.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")

F32 = Tensor("float32", (3, 64), (64, 1), 192)
ROWS = Tensor("float32", (3, 1), (1, 3), 3)
SUM = """
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       const int64_t ks0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(ks0); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(16L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = in_ptr0[static_cast<int64_t>(x1 + 64L*x0)];
                            TORCH_CHECK((0 <= tmp0) & (tmp0 < 2L), "index out of bounds");
                            tmp_acc0 = tmp_acc0 + tmp0;
                        }
                    }
                }
                out_ptr0[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
}
"""
TEXT = """\
in_ptr0 3x64
out_ptr0 3x1
ks0 3
for(x0=0; x0<3; x0+=1) {
float acc0 = 0;
for(x1=0; x1<64; x1+=16) {
t0 = in_ptr0[x1 + 64*x0];
acc0 = acc0 + t0;}
out_ptr0[x0] = static_cast<float>(acc0);}"""
NATIVE = Kernel(CPP, "kernel", SUM, {"in_ptr0": F32, "out_ptr0": ROWS, "ks0": 3})

LOOPED = """
import triton
@triton_heuristics.reduction(
    size_hints={'x': 4, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    triton_meta={'signature': {}},
)
@triton.jit
def triton_red_fused_sum_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 3
    r0_numel = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    x0 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)
        # a comment
        tmp1 = tmp0 * tmp0
    tmp2 = tl.sum(tmp1, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp2, xmask)
"""
GPU = Kernel(TRITON, "triton_red_fused_sum_0", LOOPED, {"in_ptr0": F32, "out_ptr0": ROWS, "xnumel": 3, "r0_numel": 64})


def test_arguments_are_short() -> None:
    assert [str(F32), str(ROWS), str(Tensor("int64", (), (), 1))] == ["3x64", "3x1", "scalar:i64"]
    assert str(Tensor("bfloat16", (2, 4), (1, 2), 8)) == "2x4@1,2:bf16"
    spread = Tensor("float16", (2, 4), (0, 1), 4)
    assert (spread.seen, spread.size_bytes) == (4, 8)


def test_a_kernel_survives_its_bytes() -> None:
    for kernel in (NATIVE, GPU):
        assert Kernel.parse(kernel.serialised()) == kernel
        assert Kernel.parse(kernel.serialised()).serialised() == kernel.serialised()


def test_cpp_is_read_without_what_every_kernel_has() -> None:
    assert text(NATIVE) == TEXT


def test_triton_is_read_without_its_place_in_the_grid() -> None:
    lines = text(GPU).split("\n")
    assert lines[:5] == ["in_ptr0 3x64", "out_ptr0 3x1", "xnumel 3", "r0_numel 64", "@reduction {'x':4,'r0_':64}"]
    assert lines[5:8] == ["xnumel = 3", "r0_numel = 64", "x0 = xindex"]
    assert lines[9:11] == [" t0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)", " t1 = t0 * t0"]


@pytest.mark.parametrize(
    ("kernel", "iterations", "flops", "reductions"),
    # C++: the accumulator's start and the store once a row, two statements on each of 64 elements. Triton: by hand too,
    # the loop's three statements on every element, the others once a row.
    [(NATIVE, 3 + 12 + 3, 3 + 2 * 192 + 3, 0), (GPU, 192, 3 * 192 + 3 * 8, 1)],
)
def test_work_is_what_one_counts_by_hand(kernel: Kernel, iterations: int, flops: int, reductions: int) -> None:
    found = counters(kernel)
    assert (found["elements"], found["read_bytes"], found["written_bytes"], found["item_bytes"]) == (3, 768, 12, 4)
    assert (found["iterations"], found["flops"], found["reductions"]) == (iterations, flops, reductions)


def test_bounds_are_worked_out_however_they_are_written() -> None:
    bound = "static_cast<int64_t>(2L*static_cast<int64_t>((c10::div_floor_integer((-3L) + ks0, 4L))*(ks0 + 1L)) + 3L)"
    deep = Kernel(CPP, "kernel", SUM.replace("static_cast<int64_t>(ks0)", bound, 1), NATIVE.arguments | {"ks0": 11})
    assert "for(x0=0; x0<51; x0+=1) {" in text(deep).split("\n")
    assert counters(deep)["iterations"] == 51 + 4 * 51 + 51


def test_unknown_bounds_count_once() -> None:
    strange = Kernel(CPP, "kernel", SUM.replace("(64L)", "(in_ptr9[0])", 1), NATIVE.arguments)
    assert counters(strange)["flops"] == 3 + 2 * 3 + 3


class Small(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Adds, multiplies, and sums rows; once with a matrix product between."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, x: Any) -> Any:
        return self.linear(torch.relu(x) * 2).exp().sum(1)


@pytest.fixture(scope="module")
def captured() -> list[Kernel]:
    from forerun.toolchains.inductor.capture import capture

    return capture(Small(), [{"x": torch.ones(5, 16)}])


def test_capturing_runs_nothing(captured: list[Kernel]) -> None:
    assert [k.lang for k in captured] == [CPP] * len(captured) and len(captured) == 2
    first = captured[0]
    assert {name: str(value) for name, value in first.arguments.items()} == {"in_ptr0": "5x16", "out_ptr0": "5x16"}


def test_parameters_have_names_in_both_languages() -> None:
    from forerun.toolchains.inductor.capture import parameters

    code = "void  kernel(const at::BFloat16* in_ptr0,\n   float* out_ptr0,\n  const int64_t ks0)"
    assert parameters("kernel", code) == ["in_ptr0", "out_ptr0", "ks0"]
    assert parameters(GPU.name, LOOPED) == ["in_ptr0", "out_ptr0", "xnumel", "r0_numel", "XBLOCK", "R0_BLOCK"]


def test_open_sizes_are_arguments() -> None:
    from forerun.toolchains.inductor.capture import capture

    found = capture(Small(), [{"x": torch.ones(n, 16)} for n in (5, 7)])
    assert len(found) == 2 * len({k.code for k in found}) and sorted(found[0].scalars.values()) == [5]
    trained = capture(Small(), [{"x": torch.ones(5, 16)}], train=True)
    assert len(trained) > 2


@pytest.mark.skipif(platform.machine() != "x86_64", reason="widths of x86-64")
def test_kernels_for_vectors_that_are_not_here(captured: list[Kernel]) -> None:
    from forerun.toolchains.inductor.capture import capture

    for bits in (256, 512):
        first = capture(Small(), [{"x": torch.ones(5, 16)}], vectors=bits)[0]
        assert f"x0+=static_cast<int64_t>({bits // 32}L)" in first.code
    assert [kernel.code for kernel in capture(Small(), [{"x": torch.ones(5, 16)}])] == [k.code for k in captured]


@pytest.fixture(scope="module")
def h100() -> Any:
    from forerun.toolchains.inductor.absent import KNOWN

    return KNOWN["NVIDIA H100 80GB HBM3"]


def test_kernels_for_a_gpu_that_is_not_here(h100: Any) -> None:
    from forerun.toolchains.inductor import absent
    from forerun.toolchains.inductor.capture import capture

    found = capture(Small(), [{"x": torch.ones(5, 16)}], gpu=h100)
    assert [k.lang for k in found] == [TRITON, TRITON]
    first, second = ({name: str(value) for name, value in k.arguments.items()} for k in found)
    assert first == {"in_ptr0": "5x16", "out_ptr0": "5x16", "xnumel": "80"}
    assert second == {"in_ptr0": "16", "in_ptr1": "5x16", "out_ptr0": "5", "xnumel": "5", "r0_numel": "16"}
    assert "multi_processor_count=132, cc=90, major=9" in found[0].code
    assert "triton_helpers.maximum(t1, t0)" in text(found[0])
    sizes = capture(Small(), [{"x": torch.ones(n, 16)} for n in (5, 7)], gpu=h100)
    assert [k.arguments["xnumel"] for k in sizes] == [80, 5, 112, 7]
    trained = capture(Small(), [{"x": torch.ones(5, 16)}], train=True, gpu=h100)
    assert len(trained) == 4 and "in_out_ptr0" in trained[2].arguments  # what the forward pass left is overwritten
    older = capture(Small(), [{"x": torch.ones(5, 16)}], gpu=absent.KNOWN["NVIDIA A100-SXM4-80GB"])
    assert "multi_processor_count=108, cc=80, major=8" in older[0].code


class Odd(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Scalars of the program and of the GPU, and tensors that nothing is read for."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = 0.37

    def forward(self, x: Any) -> Any:
        ones = torch.ones(16, device=x.device) * 3
        torch._dynamo.graph_break()
        x = torch.where(x > ones, torch.tensor(0.5, device=x.device), x)
        return (x + self.shift).sum(1)


def test_what_is_made_on_the_gpu_stays_there(h100: Any) -> None:
    from forerun.toolchains.inductor.capture import capture

    found = capture(Odd(), [{"x": torch.ones(n, 16)} for n in (5, 7)], gpu=h100)
    assert {k.lang for k in found} == {TRITON}
    assert any("lift_fresh" in k.name for k in found) and not any("_to_copy" in k.name for k in found)
    assert 0.37 in found[-1].arguments.values()


def test_nothing_stays_of_a_gpu_that_is_not_here(h100: Any, captured: list[Kernel]) -> None:
    from forerun.toolchains.inductor import presence
    from forerun.toolchains.inductor.capture import capture

    places = [(owner, name) for owner, values in presence._answers(h100) for name in values]
    before = [vars(owner).get(name) for owner, name in places]
    module, seen = Small(), (torch.cuda.is_available(), torch.cuda.is_initialized())
    held = list(module.parameters())
    capture(module, [{"x": torch.ones(5, 16)}], train=True, gpu=h100)
    assert all(vars(owner).get(name) is value for (owner, name), value in zip(places, before, strict=True))
    assert all(one is other for one, other in zip(held, module.parameters(), strict=True))
    assert (torch.cuda.is_available(), torch.cuda.is_initialized()) == seen
    assert capture(Small(), [{"x": torch.ones(5, 16)}]) == captured


class Attends(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Attention of two heads, over keys and values of one or two."""

    def forward(self, x: Any, heads: int = 2) -> Any:
        q = (x * 2).unflatten(-1, (2, 32)).transpose(1, 2)
        return torch.nn.functional.scaled_dot_product_attention(q, q[:, :heads], q[:, :heads], enable_gqa=heads < 2)


@pytest.mark.parametrize(
    ("dtype", "heads", "written"), [("bfloat16", 2, False), ("float32", 2, False), ("float32", 1, True)]
)
def test_attention_is_called_as_on_the_gpu(h100: Any, dtype: str, heads: int, written: bool) -> None:
    from forerun.toolchains.inductor.capture import capture

    found = capture(Attends(), [[torch.ones(2, 16, 64, dtype=getattr(torch, dtype)), heads]], gpu=h100)
    assert any("softmax" in kernel.name for kernel in found) == written


def call(dtype: str = "float16", width: int = 64, keys: int = 4, **more: Any) -> Any:
    from forerun.toolchains.inductor.attention import Call

    query, key = (torch.empty(2, heads, 16, width, dtype=getattr(torch, dtype), device="meta") for heads in (4, keys))
    return Call(query, key, key, **more)


@pytest.mark.parametrize(
    ("major", "chosen", "given"),
    # What PyTorch 2.11 chose where its own dispatcher was told of such a GPU.
    [
        (9, "cudnn", {}),
        (8, "flash", {}),
        (9, "cudnn", {"width": 256, "dropout": 0.1}),
        (9, "math", {"width": 260}),
        (8, "flash", {"width": 36}),
        (8, "math", {"width": 36, "mask": torch.ones(16, 16)}),
        (9, "efficient", {"dtype": "float32"}),
        (9, "math", {"dtype": "float32", "width": 33}),
        (9, "math", {"dtype": "float64"}),
        (9, "cudnn", {"keys": 2, "grouped": True}),
        (9, "math", {"keys": 2}),
        (9, "math", {"dtype": "float32", "keys": 2, "grouped": True}),
        (9, "cudnn", {"mask": torch.ones(2, 1, 16, 16)}),
        (8, "efficient", {"mask": torch.ones(2, 1, 16, 16)}),
        (9, "efficient", {"mask": torch.ones(3, 16, 16)}),
        (9, "math", {"mask": torch.ones(2, 1, 16, 1).expand(2, 1, 16, 16)}),
    ],
)
def test_attention_is_chosen_as_on_the_gpu(major: int, chosen: str, given: dict[str, Any]) -> None:
    from forerun.toolchains.inductor.attention import choose

    assert choose(call(**given), major) == chosen


def test_gradients_are_those_of_the_engine() -> None:
    from forerun.toolchains.inductor import engine

    a, b, c = torch.randn(4, 3), torch.randn(3), torch.randn(4, 1, dtype=torch.float64)
    leaves = [each.requires_grad_() for each in (a, b, c)]
    middle = (a * b).exp()
    out = [(middle + c).sum(), (middle * b).sum() * 2, b.sum()]
    for wanted in (leaves, [middle, b], [a, torch.ones(2, requires_grad=True)]):
        expected = torch.autograd.grad(out, wanted, retain_graph=True, allow_unused=True)
        found = engine.run(out, [torch.ones_like(one) for one in out], inputs=wanted)
        assert [one is None for one in found] == [one is None for one in expected]
        for one, other in zip(found, expected, strict=True):
            if one is not None:
                assert one.dtype == other.dtype and torch.allclose(one, other)


def test_a_machine_with_the_gpu_takes_up_what_was_noted_without(monkeypatch: pytest.MonkeyPatch, h100: Any) -> None:
    from forerun.toolchains.inductor import gpu

    network = next(corpus.drawn(1, 0, large=True))
    monkeypatch.setattr(target, "tool", lambda device: "inductor 2.11 triton 3.6")
    monkeypatch.setattr(corpus, "_written", lambda network, device, vectors: [device])
    assert corpus.written(network, h100.name) == [h100.name.encode()]
    monkeypatch.setattr(gpu, "name", lambda: h100.name)
    assert corpus.written(network, "cuda") == [h100.name.encode()]
    monkeypatch.setattr(gpu, "name", lambda: "another")
    assert corpus.written(network, "cuda") == [b"cuda"]


def test_memory_that_did_not_suffice_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from forerun.toolchains.inductor import capture

    def refused(*_: object) -> None:
        raise RuntimeError("InternalError: MemoryError: std::bad_alloc")

    network = next(corpus.drawn(1, 0))
    monkeypatch.setattr(target, "tool", lambda device: "inductor of a test")
    with monkeypatch.context() as refusing, pytest.raises(MemoryError):
        refusing.setattr(capture, "capture", refused)
        corpus.written(network, "cpu")
    monkeypatch.setattr(corpus, "_written", lambda network, device, vectors: ["kernel"])
    assert corpus.written(network, "cpu") == [b"kernel"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where kernels are built: the headers of all of them are compiled once, which takes as long as twenty kernels."""
    yield tmp_path_factory.mktemp("kernels")


def test_a_built_kernel_computes(captured: list[Kernel], folder: Path) -> None:
    from forerun.toolchains.inductor import native

    native.build(captured, folder)
    first = captured[0]
    function = getattr(ctypes.CDLL(str(native.library(first, folder))), f"run_{native.library(first, folder).stem}")
    x, y = torch.randn(5, 16), torch.zeros(5, 16)
    function((ctypes.c_void_p * 2)(x.data_ptr(), y.data_ptr()), ctypes.c_int64(3))
    assert torch.equal(y, torch.relu(x) * 2)
    found = native.measure(first, folder, 3, 0.01)
    assert 0 < found["latency_least"] <= found["latency"] < 1e-3 and found["samples"] == 3
    with pytest.raises(ForerunError, match="does not compile"):
        native.build([Kernel(CPP, "kernel", SUM.replace("float tmp_acc0", "flaot tmp_acc0"), {})], folder)


def test_more_work_takes_longer(folder: Path) -> None:
    from forerun.toolchains.inductor import native

    code = SUM.replace("std::atomic<int> inductor_cpu_integer_div_error{0};", "")
    code = code.replace("inductor_cpu_integer_div_error_flag = nullptr;", "").replace("TORCH_CHECK", "(void)sizeof")
    rows = [
        {"in_ptr0": Tensor("float32", (n, 64), (64, 1), n * 64), "out_ptr0": Tensor("float32", (n,), (1,), n), "ks0": n}
        for n in (64, 4096)
    ]
    few, many = (native.measure(Kernel(CPP, "kernel", code, row), folder, 5, 0.1)["latency"] for row in rows)
    assert many > 10 * few


def source(kernel: Kernel = NATIVE, where: str = "") -> Source:
    return kernels.source(kernel, where or str(target.here()), "kernels/bert/0-0/3")


def test_a_question_says_what_is_asked() -> None:
    task = Kernels()
    assert pickle.loads(pickle.dumps(task)) == task and registry.find("tasks", "kernels") is Kernels
    found = parts(task.prompt(source()))
    assert found.head["metric"] == "latency" and found.head["language"].startswith("c++, inductor ")
    assert found.head["device"].endswith(", 1 thread") and found.counters["read_bytes"] == 770 and found.text == TEXT
    told = parts(task.prompt(source(GPU, "inductor 2.11 triton 3.6; NVIDIA X; 1 thread")))
    assert (told.head["language"], told.head["device"]) == ("triton, inductor 2.11 triton 3.6", "NVIDIA X")
    check_grammar(task.grammar(source()), [(0.5,), (1e-6,)], walks=20)
    check_toolchain(registry.find("toolchains", "inductor")())


def test_what_cannot_be_measured_is_said(pool: Pool) -> None:
    asked = source(where="inductor 0.1 g++ 1; x; 1 thread")
    assert next(m for _, m in pool.measure(Kernels(), asked, [None])).error.startswith("tool: it ran with inductor 0.1")
    with pytest.raises(UsageError, match="no device is called 'tpu'"):
        target.here("tpu")


@pytest.mark.parametrize("library", list(corpus.LIBRARIES))
def test_a_larger_draw_begins_with_a_smaller_one(library: str) -> None:
    drawn, families = partial(corpus.drawn, library=library), list(corpus.LIBRARIES[library].FAMILIES)
    few, many = list(drawn(20, 3)), list(drawn(90, 3))
    assert many[:20] == few and len({network.name for network in many}) == 90
    assert [network.family for network in many[: len(families)]] == families
    assert all(size > 0 for network in many for pair in network.sizes for size in pair)
    assert list(drawn(5, 3)) != list(drawn(5, 4)) != list(drawn(5, 4, large=True))


@pytest.mark.skipif(not find_spec("torchvision"), reason="transformers fails beside one that is for another PyTorch")
def test_layers_of_torchvision_have_kernels() -> None:
    network = replace(next(corpus.drawn(1, 0, library="torchvision")), sizes=((1, 64),), train=False)
    with Pool(1, Limits(timeout_s=120)) as pool:
        found = pool.call(corpus.written, network, "cpu")
    assert len(found) > 3 and all(Kernel.parse(each).lang == CPP for each in found)


def test_what_the_library_refuses_is_a_reason() -> None:
    wrong = corpus.Network("no-such-family", "0-0", "text", (), ((1, 8),), "float32", False, True)
    pytest.importorskip("transformers")
    with Pool(1, Limits(timeout_s=120)) as pool:
        found = pool.call(corpus.made, wrong, "cpu")
        assert isinstance(found, str) and "no-such-family" in found
        assert pool.call(corpus.made, wrong, "cpu") == found


def test_collecting_is_resumed_and_becomes_rows_that_are_written_again(
    measured: ModuleType, run_forerun: Any, tmp_path: Path, folder: Path
) -> None:
    pytest.importorskip("transformers")
    kernels.folder().mkdir(parents=True)
    for header in folder.glob("prefix.h*"):
        shutil.copy2(header, kernels.folder())
    store = tmp_path / "t.sqlite"
    words = ("--networks", "1", "--repeats", "3", "--seconds", "0.01", "--store", str(store), "--format", "json")
    code, out, err = run_forerun("collect", "kernels", *words)
    assert code == 0, err
    (row,) = json.loads(out)
    assert row["family"] == "bert" and row["measured"] == row["kernels"] >= 5
    again, out_again, err = run_forerun("collect", "kernels", *words)
    assert again == 0 and json.loads(out_again) == [row], err
    with Store(store) as opened:
        rows = list(rows_of(opened, "kernels"))
    assert len(rows) == row["kernels"] and {r.group for r in rows} == {"bert"} and min(r.value for r in rows) > 0

    lines = list(measured.pack([store], {}, tmp_path))
    assert len(lines) == len(rows)
    other = replace(lines[0], sha256="0" * 64)  # of a text that Inductor does not write
    assert measured.unpack([other, *lines[1:]], [], tmp_path / "again.sqlite") == (len(rows) - 1, len(rows))
    with Store(tmp_path / "again.sqlite") as opened:
        assert list(rows_of(opened, "kernels")) == [row for row in rows if row.name != lines[0].name]


NETWORKS = """
from torch import nn, relu, randn

class Sums(nn.Module):
    def forward(self, x):
        return (relu(x) * 2).exp().sum(1)

def small(): return Sums(), (randn(8, 64),)
def large(): return Sums(), (randn(8192, 512),)
def linear(): return nn.Linear(8, 8), (randn(2, 8),)
def wrong(): return 3, ()
"""


def test_a_network_is_asked_about_as_its_kernels(run_forerun: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NETWORKS)
    found = []
    for name in ("small", "large"):
        code, out, err = run_forerun("predict", f"{path}:{name}", "--format", "json")
        assert code == 0 and "left to" not in err and "PyTorch leaves to libraries" in err, err
        found += json.loads(out)
    small, large = found
    assert small["metric"] == "latency" and small["name"].startswith(f"{path}:small/cpp_fused_exp_mul_relu_sum")
    assert 10 * small["value"] < large["value"] < 1
    words = ("--device", "nvidia h100 80gb hbm3", "--format", "json")
    code, out, err = run_forerun("predict", f"{path}:small", f"{path}:large", *words)
    assert code == 0 and "seen no device" not in err, err
    found = json.loads(out)
    assert ["triton_" in one["name"] for one in found] == [True, True]
    assert 1e-6 < found[0]["value"] < found[1]["value"] < 1e-3 and found[1]["name"].startswith(f"{path}:large")
    for words, said in (
        ((f"{path}:linear",), "no kernels of its own"),
        ((f"{path}:wrong",), "it is a int"),
        ((f"{path}:none",), "has no function none"),
        ((f"{path}:small", "--metric", "memory"), "of a network's kernels it knows: latency"),
        ((str(path), "--language", "c++, inductor 2.13 g++ 12"), "module.py:factory"),
    ):
        code, out, err = run_forerun("predict", *words)
        assert code in (1, 2) and said in err and not out and "Traceback" not in err, err
    (tmp_path / "kernel.py").write_text(LOOPED)
    code, out, err = run_forerun("predict", str(tmp_path / "kernel.py"), "--metric", "memory")
    assert code == 0 and "defines kernels of Triton" in err


ODD = """
import torch

class Item(torch.nn.Module):
    def forward(self, x):
        return x * 2 + 1 if x.sum().item() > 0 else torch.exp(x - 3)

class Sums(torch.nn.Module):
    def forward(self, a, b=None, c=None):
        return torch.exp(a) * 2 if b is None else torch.exp(a + b)

class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LSTM(8, 8)
    def forward(self, x):
        return torch.tanh(self.layer(x)[0])

class Small(torch.nn.Module):
    def forward(self, x):
        return (x * 2).to(torch.float8_e4m3fn)

def item(): return Item(), (torch.randn(4, 8),)
def by_name(): return Sums(), {"b": torch.randn(8), "a": torch.randn(4, 8)}
def gap(): return Sums(), {"a": torch.randn(8), "c": torch.randn(4, 8)}
def unknown(): return Sums(), {"d": torch.randn(8)}
def nowhere():
    with torch.device("meta"):
        return Sums(), (torch.randn(4, 8),)
def recurrent(): return Recurrent(), (torch.randn(2, 5, 8),)
def shapes(): return torch.nn.Linear(4, 4), (torch.randn(3, 5),)
def small(): return Small(), (torch.randn(4, 8),)
"""


@pytest.mark.parametrize(
    ("name", "device", "ok", "said"),
    [
        ("item", "", True, "compiles it in parts, as for inputs that are zero"),
        ("by_name", "", True, "leaves to libraries"),
        ("nowhere", "", True, "leaves to libraries"),
        ("by_name", "h100", True, "leaves to libraries"),
        ("by_name", "H200", False, "'NVIDIA H100 80GB HBM3'"),
        ("gap", "", False, "its forward takes others before: c"),
        ("unknown", "", False, "does not take"),
        ("recurrent", "", False, "PyTorch does not compile it: Attempted to wrap RNN"),
        ("shapes", "", False, "got [3, 5] X [4, 4]"),
        ("small", "", False, "a kernel has a tensor of float8_e4m3fn"),
    ],
)
def test_odd_networks_are_answered_or_told_why_not(
    run_forerun: Any, tmp_path: Path, capfd: Any, name: str, device: str, ok: bool, said: str
) -> None:
    (tmp_path / "odd.py").write_text(ODD)
    words = ("--device", device) if device else ()
    code, out, err = run_forerun("predict", f"{tmp_path}/odd.py:{name}", *words, "--format", "json")
    assert (code == 0) == ok == bool(out) and said in err and "Traceback" not in err, err
    assert not ok or all(("triton_" in one["name"]) == bool(device) for one in json.loads(out))
    assert "torch/" not in capfd.readouterr().err, "nothing is logged"


def test_the_command_line_says_what_is_wrong(run_forerun: Any) -> None:
    wrong = {("--networks", "0"): "--networks 0", ("--repeats", "1"): "--repeats 1"}
    if not torch.cuda.is_available():
        wrong["--device", "cuda", "--networks", "1"] = "GPU"
    for arguments, said in wrong.items():
        code, out, err = run_forerun("collect", "kernels", *arguments)
        assert code in (2, 3) and said in err and "Traceback" not in err and not out
