"""The weights that ship: small, told about, and not a constant. Skipped where the package has none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import forerun
from forerun.core import Source
from forerun.corpora import nasbench
from forerun.errors import UsageError
from forerun.models.encoder_decoder import CONFIG, PARTS, SHIPPED, EncoderDecoder, checksums
from forerun.models.encoder_decoder.card import PAGE, Card
from forerun.models.encoder_decoder.learned import Learned
from forerun.models.scheduler import SHIPPED as SCHEDULER
from forerun.questions import Options, questions
from forerun.stats import spearman
from forerun.tasks import _graphs, _programs, kernels
from forerun.toolchains.inductor.kernel import TRITON, Kernel, Tensor
from forerun.toolchains.onnx.build import Builder, serialised

pytestmark = pytest.mark.skipif(not (SHIPPED / CONFIG).is_file(), reason=f"no weights ship yet: {SHIPPED} is empty")

FUNCTIONS = (1, 4, 16, 64)
PROGRAMS = {
    "c": "#include <stdio.h>\nint main(void) {\n    for (int i = 0; i < 9; i++) putchar(i);\n    return 0;\n}\n",
    "python": "for i in range(100):\n    print(i)\n",
    "javascript": "for (let i = 0; i < 100; i++) {\n    console.log(i);\n}\n",
}
ROUNDS = (1_000, 100_000, 10_000_000, 300_000_000)
BYTES = (1_000, 1_000_000, 50_000_000, 800_000_000)


def slow(language: str, n: int) -> str:
    """Adds up, `n` times."""
    return {
        "python": f"total = 0\nfor i in range({n}):\n    total += i * i % 7\nprint(total)\n",
        "c": "#include <stdio.h>\nint main(void) {\n    unsigned long total = 0;\n"
        f"    for (long i = 0; i < {n}L; i++) total += i * i % 7;\n"
        '    printf("%lu\\n", total);\n    return 0;\n}\n',
    }[language]


def large(language: str, n: int) -> str:
    """Fills `n` bytes."""
    return {
        "python": f"data = bytearray({n})\nfor i in range(0, len(data), 512):\n    data[i] = i % 251\nprint(data[0])\n",
        "c": "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n"
        f"    char *data = malloc({n}L);\n    for (long i = 0; i < {n}L; i++) data[i] = rand();\n"
        f'    printf("%d\\n", data[{n}L / 2]);\n    return 0;\n}}\n',
    }[language]


def module(n: int) -> str:
    """`n` functions."""
    one = "define i32 @f{0}(i32 %a, i32 %b) {{\n  %c = mul i32 %a, {0}\n  %d = xor i32 %c, %b\n  ret i32 %d\n}}\n"
    return "".join(one.format(i) for i in range(n))


def network(width: int) -> Source:
    """Three layers of a perceptron."""
    b = Builder((1, width))
    x = 0
    for _ in range(3):
        x = b.each("Relu", b.linear(x, width))
    return _graphs.source(serialised(b.graph()), "")


def ordered(metric: str, sources: list[Source]) -> None:
    found = [one.value for one in forerun.predict(sources, metric=metric)]
    assert len(set(found)) == len(found) and max(found) > 2 * min(found), f"a constant: {found}"
    assert spearman(found, [float(i) for i in range(len(found))]) > 0.9, found


def test_more_functions_are_more_code() -> None:
    target = "x86_64-pc-linux-gnu -Oz --relocation-model=pic --addrsig"
    ordered("text", [Source(module(n), "llvm", str(n), target) for n in FUNCTIONS])


def test_wider_networks_take_longer() -> None:
    ordered("latency", [network(width) for width in (64, 256, 512, 2048)])


@pytest.mark.parametrize("language", ["python", "c"])
@pytest.mark.parametrize(("metric", "sizes", "write"), [("runtime", ROUNDS, slow), ("memory", BYTES, large)])
def test_more_work_costs_more(
    metric: str, sizes: tuple[int, ...], write: Callable[[str, int], str], language: str
) -> None:
    sources = [Source(write(language, n), language, str(n)) for n in sizes]
    found = [one.value for one in forerun.predict(sources, metric=metric)]
    assert len(set(found)) == len(found) and max(found) > 1.2 * min(found), f"a constant: {found}"
    assert spearman(found, [float(n) for n in sizes]) > 0.7, found


@pytest.mark.parametrize("language", ["python", "c"])
def test_a_program_that_fills_memory_is_not_taken_for_a_small_one(language: str) -> None:
    sizes = (50_000_000, 800_000_000, 2_000_000_000)
    found = forerun.predict([Source(large(language, n), language, str(n)) for n in sizes], metric="memory")
    for n, one in zip(sizes[:2], found, strict=False):
        # Python's bytes are taken for its objects
        assert n / 8 < one.value < 16 * n and one.low < 1.5 * n < 2 * one.high, one
    assert found[2].value > 0.95 * found[1].value, "more is hardly less: only the number is longer"


LOOPS = {
    "python": "total = 0\nfor i in range({n}):\n    total += i\nprint(total)\n",
    "c": "#include <stdio.h>\nint main(void) {{ unsigned long x = 1; for (long i = 0; i < {n}; i++) x = x * 31 + i;"
    ' printf("%lu\\n", x); }}\n',
    "javascript": "let s = 0;\nfor (let i = 0; i < {n}; i++) s = (s * 31 + i) | 0;\nconsole.log(s);\n",
}
ROUND = {"python": 6e-8, "c": 1e-9, "javascript": 4e-9}
"""Seconds of a round, about."""


@pytest.mark.parametrize("language", LOOPS)
def test_a_loop_takes_as_long_as_it_goes_round(language: str) -> None:
    sizes = [int(seconds / ROUND[language]) for seconds in (0.3, 3.0, 30.0, 300.0)]
    sources = [Source(LOOPS[language].format(n=n), language, str(n)) for n in sizes]
    found = forerun.predict(sources, metric="runtime")
    values = [one.value for one in found]
    # Of loops of so many rounds that were measured most end early: answers level off near a second.
    assert values[1] > 0.8 * values[0] and min(values[2:]) > 0.4 * values[1], "more is hardly less"
    for n, one in zip(sizes[:2], found, strict=False):
        truth = n * ROUND[language]
        assert truth / 12 < one.value < 12 * truth and one.low < truth < one.high, one
    assert found[0].familiar != found[3].familiar == "unlike anything seen", "nothing so long was measured"


def test_what_is_read_counts() -> None:
    text = "n = int(input())\nprint(len([0] * n))\n"
    program = Source(text, "python", "n")
    small, huge = (forerun.predict(program, metric="memory", stdin=n).value for n in (b"9", b"10000000"))
    assert huge > 3 * small


@pytest.mark.parametrize(("stdin", "device"), [(b"4000 3000", ""), (b"hello world", ""), (b"", "my laptop")])
def test_an_input_or_another_device_makes_no_answer_senseless(stdin: bytes, device: str) -> None:
    sources = [Source(text, name, name) for name, text in PROGRAMS.items()]
    plain = forerun.predict(sources, metric="memory")
    for one, usual in zip(forerun.predict(sources, metric="memory", stdin=stdin, device=device), plain, strict=True):
        assert one.low < 0.99 * one.high and usual.value / 5 < one.value < 5 * usual.value, (one, usual)


def test_no_program_holds_less_than_its_language_takes() -> None:
    odd = "x = 1\n" * 50
    (found,) = forerun.predict([Source(odd, "python", "odd")], metric="memory")
    assert 6e6 < found.low <= found.value < 1.2e7


CELL = "|nor_conv_3x3~0|+|none~0|skip_connect~1|+|avg_pool_3x3~0|nor_conv_1x1~1|nor_conv_3x3~2|"


def test_accuracies_are_of_cells_like_those_that_were_learned_from() -> None:
    dense, cell = Builder((1, 3072)), _graphs.source(serialised(nasbench.network(CELL)), "", "cell")
    dense.linear(0, 10)
    found = [_graphs.source(serialised(dense.graph()), "", "dense"), network(64), cell]
    strange, learned = "unlike anything seen", "familiar"
    assert [one.familiar for one in forerun.predict(found, metric="accuracy")] == [strange, strange, learned]
    assert [one.familiar for one in forerun.predict(found, metric="latency", device="pixel3")] == [
        strange, strange, learned,
    ]  # fmt: skip
    (wide,) = forerun.predict([network(256)], metric="latency")
    assert wide.familiar != strange, "of this machine many kinds were timed"


def test_what_asks_for_more_memory_than_was_measured_is_told_and_reached() -> None:
    texts = [f"x = [0] * {n}\nprint(len(x))\n" for n in (10**8, 10**9, 10**11)]
    found = [forerun.predict(Source(text, "python"), metric="memory") for text in texts]
    assert [one.asks for one in found] == [None, *(pytest.approx(8.0 * n, rel=0.05) for n in (1e9, 1e11))]
    assert found[0].familiar == "familiar" and {one.familiar for one in found[1:]} == {"unlike anything seen"}
    assert all(one.asks and one.high >= one.asks for one in found[1:])


def test_code_of_a_function_or_two_is_not_smaller_than_it_can_be() -> None:
    target = "x86_64-pc-linux-gnu -Oz --relocation-model=pic --addrsig"
    one = """define dso_local i32 @f{0}(i32 noundef %0) {{
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = add nsw i32 %3, 1
  ret i32 %4
}}
"""
    for n in (1, 2):
        found = forerun.predict(Source("".join(map(one.format, range(n))), "llvm", "", target), metric="text")
        assert found.low <= 4 * n <= found.high and found.value >= 3 * n, found


def test_networks_beyond_all_that_was_measured_are_told_apart_and_unlike_it() -> None:
    found = forerun.predict([network(width) for width in (256, 16_384, 32_768, 65_536)], metric="latency")
    assert found[0].familiar != found[-1].familiar == "unlike anything seen"
    assert [one.value for one in found] == sorted({one.value for one in found})
    assert found[-1].value > 2 * found[-2].value and found[-1].high > found[-1].value > found[-1].low


def test_kernels_take_time_in_proportion_to_what_they_move() -> None:
    code = """
@triton_heuristics.pointwise(size_hints={'x': 1}, triton_meta={'signature': {}})
@triton.jit
def triton_poi_fused_add_relu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
"""
    sizes, prompts = [1 << 14, 1 << 24, 1 << 28, 1 << 33], []
    for n in sizes:
        tensor = Tensor("float32", (n,), (1,), n)
        tensors = dict.fromkeys(("in_ptr0", "in_ptr1", "out_ptr0"), tensor)
        kernel = Kernel(TRITON, "triton_poi_fused_add_relu_0", code, {**tensors, "xnumel": n})
        where = "inductor 2.11 triton 3.6; NVIDIA H100 80GB HBM3; 1 thread"
        prompts.append(kernels.Kernels().prompt(kernels.source(kernel, where, "kernels/x/0-0/0")))
    found = EncoderDecoder().read(prompts)
    seconds = [one.distribution.median for one in found]
    assert seconds == sorted(seconds) and seconds[0] < 1e-5
    assert all(1 / 3 < s / (12 * n / 2.5e12) < 3 for s, n in zip(seconds[1:], sizes[1:], strict=True)), seconds
    assert found[1].familiarity and found[-1].familiarity == 0.0, "more than the card holds"


def test_code_is_estimated_from_the_text_where_no_compiler_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORERUN_LLVM", "/nonexistent")
    card, program = Card.load(SHIPPED), Source(PROGRAMS["c"], "c", "a.c")
    (asked,) = questions(program, card, Options(metrics=("text",), flags=("-Ofast",)))
    assert asked.kind.base == "c" and "\npipeline -O3\nemit -O3 " in asked.prompt
    assert asked.notes[0].startswith("text is estimated from the text: ")
    with pytest.raises(UsageError, match="-Oq is no level"):
        questions(program, card, Options(metrics=("text",), flags=("-Oq",)))


def test_intervals_hold_their_value() -> None:
    for metric in ("memory", "runtime"):
        for one in forerun.predict([Source(text, name, name) for name, text in PROGRAMS.items()], metric=metric):
            assert one.low <= one.value <= one.high
            values = [one.distribution.quantile(q / 50) for q in range(51)]
            assert values == sorted(values)


@pytest.mark.parametrize("metric", ["memory", "runtime"])
def test_what_languages_start_with_is_told_apart(metric: str) -> None:
    ordered(metric, [Source(PROGRAMS[name], name, name, "") for name in ("c", "python", "javascript")])


def test_they_are_small_and_told_about() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 40_000_000
    assert Learned.load(SHIPPED).train, "eval judges nobody by what was learned from"
    card = Card.load(SHIPPED)
    assert set(card.metrics) & {*_programs.METRICS, "text", "latency"} and card.recipe and card.results
    assert (SHIPPED / PAGE).read_text() == card.page()
    assert "does not say how fast it is" in " ".join(card.limits[-1].split()) and "--recipe adapt" in card.limits[-1]


@pytest.mark.parametrize("folder", [SHIPPED, SCHEDULER], ids=lambda folder: folder.name)
def test_their_files_belong_together(folder: Path) -> None:
    assert (folder / checksums.FILE).is_file(), "after changing one: python scripts/weights.py record"
    checksums.check(folder, PARTS)


def test_they_answer_without_torch(tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from forerun.cli import main; sys.exit(main(sys.argv[1:]))"
    path = tmp_path / "a.py"
    path.write_text(PROGRAMS["python"])
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    run = subprocess.run(
        [sys.executable, "-c", code, "predict", str(path)], env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 and "a.py" in run.stdout, run.stderr


@pytest.mark.skipif(not (SCHEDULER / CONFIG).is_file(), reason="no weights of the scheduler ship")
def test_the_card_of_the_scheduler_tells_what_its_files_say(
    tmp_path: Path, run_forerun: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = run_forerun("models", "scheduler", "--format", "json")
    assert code == 0
    told = {(row["part"], row["about"]): row["value"] for row in json.loads(out)}
    trees, network, operators = (
        json.loads((SCHEDULER / f"{name}.json").read_text()) for name in ("judge", "network", "operators")
    )
    assert told["cost model", "kernels that were measured"] == trees["kernels"]
    assert told["cost model", "rank correlation within one of them"] == trees["spearman"]
    assert told["network", "schedules, graded by the cost model"] == network["sentences"]
    for part, card in (("cost model", trees), ("network", network)):
        assert told[part, "families held out for the figures"] == card["validated with"]
    assert told["cost model", "operators not seen"] == operators["not seen"] and "matmul" in operators["seen"]
    page = " ".join((SCHEDULER.parent / "README.md").read_text().split())
    assert told["both", "limits"] in page and "float32" in told["both", "limits"]
    code, out, _ = run_forerun("models", "scheduler")
    assert code == 0 and "levit, segformer, vgg" in out
    own = Path(shutil.copytree(SCHEDULER, tmp_path / "own"))
    (own / "judge.json").write_text('{"kernels": 7')
    code, out, err = run_forerun("models", str(own))
    assert code == 1 and not out and "judge.json cannot be read" in err
    (own / "judge.json").write_text('{"kernels": 7}')
    code, out, _ = run_forerun("models", str(own), "--format", "json")
    assert code == 0 and json.loads(out)[0] == {"part": "cost model", "about": "kernels that were measured", "value": 7}


def test_files_of_several_languages_are_asked_for_what_is_known_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Callable[..., tuple[int, str, str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PROGRAMS["python"])
    Path("b.c").write_text(PROGRAMS["c"])
    code, out, err = run_forerun("predict", "a.py", "b.c", "--metric", "memory,size", "--format", "json")
    assert code == 0 and "a.py: of python the model knows no size" in err
    assert {(row["name"], row["metric"]) for row in json.loads(out)} == {
        ("a.py", "memory"), ("b.c", "memory"), ("b.c", "text"),
    }  # fmt: skip
    code, out, err = run_forerun("predict", "a.py", "--language", "c", "--metric", "memory", "--format", "json")
    assert code == 0 and "a.py is called as python is, and read as c" in err
    assert json.loads(out)[0]["familiar"] == "unlike anything seen"
    for words, wrong in ((("a.py", "--metric", "size"), "size"), (("a.py", "--metric", "memory,szie"), "szie")):
        code, out, err = run_forerun("predict", *words)
        assert code == 2 and not out and f"knows no metric '{wrong}'" in err
