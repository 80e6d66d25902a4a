"""`forerun predict`, `forerun.predict`, model cards: a small network, trained on rows in the words of the tasks."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import forerun  # noqa: E402
from forerun import estimate, improve  # noqa: E402
from forerun.cli._quantities import amount, quantity  # noqa: E402
from forerun.cli.predict import _gate  # noqa: E402
from forerun.cli.render import Column, Table  # noqa: E402
from forerun.core import Source  # noqa: E402
from forerun.corpora.onnx_models import generated  # noqa: E402
from forerun.distribution import Distribution  # noqa: E402
from forerun.errors import GateFailed, InputError, ToolMissing, UsageError  # noqa: E402
from forerun.files import write_atomically  # noqa: E402
from forerun.models.encoder_decoder import SHIPPED, EncoderDecoder, Reading, checksums  # noqa: E402
from forerun.models.encoder_decoder.card import Card, Kind  # noqa: E402
from forerun.questions import Options, files, language_of, questions  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.tables import read_table, write_rows  # noqa: E402
from forerun.tasks._endless import counted, endless  # noqa: E402
from forerun.tasks._parsing import broken  # noqa: E402
from forerun.tasks.accuracy import Accuracy  # noqa: E402
from forerun.tasks.latency import Latency  # noqa: E402
from forerun.tasks.memory import Memory  # noqa: E402
from forerun.tasks.runtime import Runtime  # noqa: E402
from forerun.tasks.size import Size  # noqa: E402
from forerun.toolchains.llvm import clang  # noqa: E402
from forerun.toolchains.onnx import model as proto  # noqa: E402
from forerun.train import recipes  # noqa: E402
from forerun.train.fit import Parts, fit  # noqa: E402

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[1]
TINY = recipes.named("cpu", depth=1, tokens=600, context=256, steps=250, rows=2, row_tokens=512, evaluate_every=50,
                     learning_rate=2e-3)  # fmt: skip
DEVICES = ("x86_64 Big 8 cores 32 GiB", "aarch64 Small 2 cores 1 GiB")
PYTHON, GCC, TARGET = "cpython 3.11", "gcc 12 -O2", f"cpython 3.11; {DEVICES[0]}"
torch.set_num_threads(1)


def program(depth: int, tag: str = "x", language: str = "python") -> str:
    """Loops in loops: ten times as much of everything for each."""
    if language == "c":
        loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) " for k in range(depth))
        return f"int {tag}, n = 10;\nint main(void) {{ {loops}{tag}++; return 0; }}\n"
    lines = [f"{'    ' * k}for i{k} in range(10):" for k in range(depth)]
    return "\n".join([*lines, f"{'    ' * depth}{tag}.append(1)", ""])


def rows(n: int, seed: int) -> list[Row]:
    """Of programs in two languages, on two devices, one of which has twice as many; a few of networks and a module."""
    draw, found = random.Random(seed), list[Row]()
    for i in range(n):
        depth, language = draw.randint(1, 5), draw.choice(("python", "python", "c"))
        device = DEVICES[draw.randint(0, 2) // 2]
        tool, text = PYTHON if language == "python" else GCC, program(depth, f"v{draw.randint(0, 99)}", language)
        source = Source(text, language, f"{i}", f"{tool}; {device}")
        value = 10.0**depth * (1 if device == DEVICES[0] else 100)
        for task, factor in ((Memory(), 1.0), (Runtime(), 1e-6)):
            metric, group = task.metric, f"{seed} {i % 12}"
            found.append(
                Row(metric.name, metric.unit, task.prompt(source), factor * value, group, device, licence="MIT")
            )
    for network in generated(6, seed, "pixel3"):
        found.append(Row("latency", "s", Latency().prompt(network.source), 0.5, network.group, "pixel3"))
        data = replace(network.source, target="cifar10, test")
        found.append(Row("accuracy", "1", Accuracy().prompt(data), 0.9, network.group, "cifar10, test"))
    module = Source("define i32 @f() {\n  ret i32 7\n}\n", "llvm", "m", "x86_64-pc-linux-gnu -Oz")
    return [*found, Row("text", "B", Size("", 22).prompt(module), 40.0, "m", "x86_64-pc-linux-gnu")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has learned that loops in loops are dear."""
    place = tmp_path_factory.mktemp("trained") / "made"
    assert fit(Parts(rows(100, 0), rows(40, 1)), place, TINY)
    return place


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for depth in (1, 3, 5):
        Path(f"p{depth}.py").write_text(program(depth))
        Path(f"p{depth}.c").write_text(program(depth, language="c"))


def test_estimates_of_the_library(folder: Path) -> None:
    found = forerun.predict([f"p{d}.py" for d in (1, 3, 5)], metric="memory", model=folder)
    assert isinstance(found, list) and [one.name for one in found] == ["p1.py", "p3.py", "p5.py"]
    reference = EncoderDecoder(folder).predict(
        [Memory().prompt(Source(program(d), "python", "", TARGET)) for d in (1, 3, 5)]
    )
    assert [one.value for one in found] == pytest.approx([belief.median for belief in reference], rel=1e-3, abs=1)
    assert all(one.value.is_integer() and one.low.is_integer() and one.high.is_integer() for one in found)
    assert 3 < found[0].value < 30 and 300 < found[1].value < 3000 and 3e4 < found[2].value < 3e5
    one = forerun.predict("p3.py", metric="memory", model=folder)
    assert forerun.predict("p3.py", metric="memory", model=EncoderDecoder.from_pretrained(folder)) == one
    assert isinstance(one, forerun.Estimate) and one.unit == "B" and one.language == f"python, {PYTHON}"
    assert one.low <= one.value <= one.high and one.device == DEVICES[0] and one.cut == 0 and one.notes == ()
    assert one.above(one.high) < 0.06 < 0.94 < one.above(one.low * 0.99)
    assert one.above(one.value + 1) < 0.6 and one.above(one.value - 1) > 0.4 and "memory" in one._repr_html_()
    assert json.loads(json.dumps(one.to_json())) == one.to_json() and one.to_json()["value"] == one.value
    assert "one Estimate, or a list" in str(forerun.predict.__doc__).splitlines()[0]
    every = forerun.predict(Path("p3.py"), model=folder)
    assert [each.metric for each in every] == ["memory", "runtime"]
    text = forerun.predict(Source(program(3), "python"), metric=["memory"], model=folder)
    assert text[0].value == one.value and text[0].name == "-"
    module = Source("define i32 @f() {\n  ret i32 7\n}\n", "llvm")
    assert forerun.predict(module, metric="size", model=folder).metric == "text"


def test_what_it_knows_of_devices(folder: Path) -> None:
    big, small = (forerun.predict("p3.py", metric="memory", model=folder, device=device) for device in DEVICES)
    assert small.value > 2 * big.value and small.device == DEVICES[1] and not small.notes
    other = forerun.predict("p3.py", metric="memory", model=folder, device="a toaster")
    assert other.device == "a toaster" and DEVICES[0] in other.notes[0] and "a toaster" in other.notes[0]
    same = forerun.predict("p3.py", metric="memory", model=folder, device=DEVICES[1].upper())
    assert (same.value, same.device, same.notes) == (small.value, small.device, ())
    near = forerun.predict("p3.py", metric="memory", model=folder, device=DEVICES[0].replace("Big", "Bgi"))
    assert f"did you mean {DEVICES[0]!r}?" in near.notes[0] and DEVICES[1] not in near.notes[0]
    assert other.familiar == "unlike anything seen" != big.familiar


def test_familiar_and_not(folder: Path) -> None:
    Path("odd.py").write_text("zork grault waldo fred plugh xyzzy " * 9)
    usual, odd = forerun.predict(["p3.py", "odd.py"], metric="memory", model=folder)
    assert usual.familiar == "familiar" and odd.familiar in ("unusual", "unlike anything seen")
    words = [replace(usual, familiarity=share).familiar for share in (None, 0.0, 0.01, 0.5)]
    assert words == ["unknown", "unlike anything seen", "unusual", "familiar"]
    Path("long.py").write_text(program(3) + "# and so on\n" * 400)
    long = forerun.predict("long.py", metric="memory", model=folder)
    assert long.tokens > 1000 and 2 * long.cut > long.tokens
    assert long.cut == long.tokens - 255
    long = replace(long, familiarity=0.01)
    assert long.familiar == "unusual" and f"<td>{long.cut:,} of {long.tokens:,} tokens cut</td>" in long._repr_html_()
    assert replace(long, familiarity=0.0).familiar == "unlike anything seen", "what was read is"
    assert replace(long, cut=long.tokens // 2, familiarity=0.5).familiar == "familiar"
    Path("long.py").write_text(program(2) * 300)
    assert forerun.predict("long.py", metric="memory", model=folder).cut > 1000


def test_questions_are_asked_in_the_words_of_training(folder: Path, compiler: str) -> None:
    card = Card.load(folder)

    def asked(what: Any, metric: str, **more: Any) -> str:
        return questions(what, card, Options((metric,), **more))[0].prompt

    text, target = program(3), TARGET
    for task in (Memory(), Runtime()):
        assert asked("p3.py", task.name) == task.prompt(Source(text, "python", "p", target))
    fed = replace(Source(text, "python", "p", f"{target}; stdin 12 of 3 B"), reference=b"1 2")
    assert asked("p3.py", "memory", stdin=b"1 2") == Memory().prompt(fed)
    network = next(generated(1, 7, "pixel3")).source
    Path("n.onnx").write_bytes(network.reference)
    assert asked("n.onnx", "latency") == Latency().prompt(network)
    assert asked("n.onnx", "accuracy") == Accuracy().prompt(replace(network, target="cifar10, test"))
    command = improve.command_for("p3.c", compiler, ["-O2"])
    module = Source(clang.front_end(command).text, "llvm", "p3.c", str(clang.target(command)))
    expected = Size("", 22).prompt(module)
    assert "-O2" in expected and asked("p3.c", "size", flags=("-O2",)) == expected
    assert asked(Source(program(3, language="c"), "c"), "text", flags=("-O2",)) == expected
    Path("m.ll").write_text(module.text)
    assert "pipeline -Oz" in asked("m.ll", "size") and asked("m.ll", "size", flags=("-O2",)) == expected


def test_modules_without_a_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> str:
        raise ToolMissing("no clang was found", "none", "apt-get install clang-22")

    monkeypatch.setattr(clang, "default_compiler", absent)
    Path("m.ll").write_text('target triple = "riscv64"\ndefine i32 @f() {\n  ret i32 7\n}\n')
    one = forerun.predict("m.ll", metric="size", model=folder, flags=["-O2"])
    assert one.metric == "text" and one.device == "riscv64" and "x86_64-pc-linux-gnu" in one.notes[0]
    with pytest.raises(ToolMissing, match="clang"):
        forerun.predict("p1.c", metric="size", model=folder)
    found = forerun.predict("p1.c", model=folder)  # what can be asked is asked
    assert [each.metric for each in found] == ["memory", "runtime"] and "no clang" in found[0].notes[0]
    Path("m.bc").write_bytes(b"BC\xc0\xde\0\0\0\0")
    with pytest.raises(ToolMissing):
        forerun.predict("m.bc", model=folder)


def test_ir_for_another_machine_than_its_size_is_told_of_is_said(folder: Path, compiler: str) -> None:
    def asked(triple: str, *flags: str) -> forerun.Estimate:
        Path("m.ll").write_text(f'target triple = "{triple}"\ndefine i32 @f() {{\n  ret i32 7\n}}\n')
        return forerun.predict("m.ll", metric="size", model=folder, flags=["-O2", *flags])

    other, target = asked("aarch64-unknown-linux-gnu"), "--target=aarch64-unknown-linux-gnu"
    (note,) = other.notes
    assert other.device == "x86_64-pc-linux-gnu" and other.familiarity == 0 and f"-- {target}" in note
    own, same = asked("arm64-unknown-linux-gnu", target), asked("x86_64-unknown-linux-gnu")
    assert own.device == "aarch64-unknown-linux-gnu" and not any("is for" in note for note in own.notes)
    assert same.device == other.device and not same.notes


def test_options_that_change_nothing_are_said(folder: Path, run_forerun: Run) -> None:
    Path("in.txt").write_text("7")
    ask = ("predict", "p1.py", "p3.py", "--metric", "memory", "--model", str(folder))
    code, out, err = run_forerun(*ask, "--size", "batch=1", "--format", "json", "--", "-O2")
    assert code == 0 and len(err.strip().splitlines()) == 2, err  # once for both files
    assert "sizes are of ONNX models" in err and "words for the compiler" in err
    code, _, err = run_forerun("predict", "p1.c", "--metric", "memory", "--model", str(folder), "--", "-O0")
    assert code == 0 and "words for the compiler" in err
    assert len(json.loads(out)[0]["notes"]) == 2
    assert run_forerun(*ask, "--stdin", "in.txt")[2] == ""
    Path("latin.py").write_bytes("print('é à ü')\n\f".encode("latin1"))
    module = Source("define i32 @f() {\n  ret i32 7\n}\n", "llvm", "m", "x86_64-pc-linux-gnu -Oz")
    (found,) = forerun.predict([module], metric="size", model=folder, flags=["-O2"], stdin=b"7")
    assert "standard input" in found.notes[0] and len(found.notes) == 1
    assert forerun.predict("latin.py", metric="memory", model=folder).notes == ()


def test_counts_are_whole(folder: Path) -> None:
    loaded = estimate.checkpoint(folder)
    asked = questions("p1.py", loaded.card, Options(("memory", "runtime")))
    believed = Distribution.of([(0.002, 0.004, 0.5), (0.3, 2.2, 0.5)])

    class Small(EncoderDecoder):
        def __init__(self) -> None:
            """Nothing is loaded."""

        def read(self, prompts: Sequence[str], grammar: Any = None) -> list[Reading]:
            return [Reading(believed, None, 0, 9)] * len(prompts)

    memory, runtime = estimate.answers(asked, Small())
    assert (memory.low, memory.value, memory.high) == (1, 1, 2)
    assert (runtime.low, runtime.high) == believed.interval(0.9) and runtime.value == believed.median < 0.31
    assert memory.above(0.01) == runtime.above(0.01) == 0.5


@pytest.mark.parametrize(
    ("language", "text", "why"),
    [
        ("python", "x = 1\nprint('a'\n", "line 2: '(' was never closed"),
        ("python", "x = '\\d'  # warns, and parses\nprint(x)\n", ""),
        ("python", f"x = {'(' * 5000}", "line 1"),
        ("python", "x = '\udcff\ud800'  # of another encoding\n", ""),
        ("c", "int main(void) {\n  return 0;\n", "line 1: nothing closes {"),
        ("c", "int main(void) { puts(\"}\"); return '}' /* } */; } // }\n", ""),
        ("c", "#ifdef A\nint f() {\n#else\nint g() {\n#endif\n}\n", ""),
        ("go", "package main\nfunc main() {\n x := `{`\n}}\n", "line 4: nothing is open that } closes"),
        ("rust", "fn f<'a>(x: &'a [u8]) { let y = ('{', b'}', \"{\"); }\n", ""),
        ("rust", 'fn main() { print("{\n}"); }}\n', "line 2: nothing of rust begins like this"),
        ("rust", 'fn main() { print("{\n}"); }\n', ""),
        ("rust", "fn main() {\n let x = ;\n}\n", "line 2: "),
        ("go", "package main\nfunc main() {\n x := = 3\n}\n", "line 3: nothing of go begins like this"),
        ("lua", "local t = {}\nfor x in\n", "line 2: nothing of lua begins like this"),
        ("lua", "for k, v in pairs(t) do print(k) end\n", ""),
        ("php", "<?php\nfunction f($x) {\n  return $x +;\n}\n", "line 3: name is missing"),
        ("php", "<?php\necho \"{$x['}']}\" . f(2);\n", ""),
        ("javascript", "const a = [1, 2;\n", "line 1: ] is missing"),
        ("javascript", "const s = `${a ? `{` : b}`, r = /[}]/;\n", ""),
        ("perl", "for (@x) {", ""),
        ("java", "class A { int[] a = {1, 2); }", "line 1: nothing is open that ) closes"),
        ("ruby", "puts(", "line 1: "),
        ("ruby", "puts <<~END\n  if (\nEND\n", ""),
        ("python", "(" * 200_000, "line 1"),
        ("python", "(" * 300_000, "line 1: nothing closes ("),
        ("c", "int main(void) {\n" + "f();\n" * 100_000 + "}}", "line 100002: nothing is open that } closes"),
        ("python", f'x = [\n{"(1, 2)," * 40_000}]  # ((\ny = \']\' + """\'("""', ""),
    ],
)
def test_what_does_not_parse(language: str, text: str, why: str) -> None:
    found = broken(language, text)
    assert found.startswith(why) and bool(found) == bool(why)


def test_what_does_not_parse_is_told_and_answered(folder: Path, run_forerun: Run) -> None:
    Path("p9.py").write_text(program(3) + "def f(:\n")
    code, out, err = run_forerun("predict", "p9.py", "p3.py", "--model", str(folder))
    assert code == 0 and "p9.py" in out and err.count("does not parse") == 1
    assert "p9.py does not parse (line 5: " in err


def test_a_byte_order_mark_is_no_part_of_a_program(folder: Path, run_forerun: Run) -> None:
    text = program(3).encode()
    Path("marked.py").write_bytes(codecs.BOM_UTF8 + text)
    code, out, err = run_forerun("predict", "marked.py", "p3.py", "--model", str(folder), "--format", "json")
    values = {row["name"]: (row["metric"], row["value"]) for row in json.loads(out) if row["metric"] == "memory"}
    assert code == 0 and "parse" not in err and values["marked.py"] == values["p3.py"]


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("python", "x = 0\nwhile True:\n    x += 1\n", 2),
        ("python", "while True:\n    if f(x):\n        break\n", 0),
        ("python", "while True:\n    print('break')\n", 1),
        ("python", "while x:\n    x -= 1\n", 0),
        ("c", "int main(void) {\n    for (;;);\n    return 0;\n}\n", 2),
        ("c", "int main(void) { while (1) { x++; } return 0; }", 1),
        ("c", "int main(void) { while (1) { step(); } return 0; }", 1),
        ("c", "void step(void) { exit(0); }\nint main(void) { while (1) { step(); } return 0; }", 0),
        ("c", "#define STEP(x) if (x) \\\n  break\nint main(void) { while (1) { STEP(n--); } return 0; }", 0),
        ("c", "int main(void) {\n  do { x++; } while (1);\n}", 2),
        ("c", "int main(void) { do { if (x) break; x++; } while (1); return 0; }", 0),
        ("c", "#define F(x) do { x; } while (0)\nint main(void) { F(1); return 0; }", 0),
        ("c++", "int main() { while (true) if (f()) { break; } }", 0),
        ("python", "def f():\n    return 1\nwhile True:\n    print(f())\n", 3),
        ("python", "for i in range(9):\n    print(i)\nfor i in itertools.count():\n    print(i)\n", 3),
        ("python", "for i in itertools.count(1):\n    if i > 9:\n        break\n", 0),
        ("rust", "macro_rules! m { () => { break } }\nfn main() { loop { m!(); } }", 0),
        ("c", "int main(void) { do { if (f()) return 1; } while (1); }", 0),
        ("go", "package main\nfunc main() {\n\tfor {\n\t}\n}\n", 3),
        ("go", "func main() { for i := 0; i < 9; i++ { } }", 0),
        ("rust", "fn main() { loop { if done { break; } } }", 0),
        ("rust", "fn main() { loop { n += 1; } }", 1),
        ("ruby", "loop do\n  x += 1\nend", 1),
        ("lua", "while true do x = x + 1 end", 1),
        ("java", "class A { void f() { while (true) { x = it.next(); } } }", 0),
        ("scheme", "(let loop () (loop))", 0),
        ("c", "while(1){{{", 1),
    ],
)
def test_what_never_ends(language: str, text: str, line: int) -> None:
    found = endless(language, text)
    assert (found.line if found else 0) == line


@pytest.mark.parametrize(
    ("language", "text", "grows"),
    [
        ("python", "x = []\nwhile True:\n    x.append(1)\n", True),
        ("python", "x = []\nwhile True:\n    x.append(1)\n    x.pop()\n", False),
        ("python", "x = []\nx.append(1)\nwhile True:\n    y = 1\nx.append(1)\n", False),
        ("c", "int main(void) { for (;;) { p = malloc(1 << 20); memset(p, 1, 1 << 20); } }", True),
        ("c", "int main(void) { for (;;) { p = malloc(1 << 20); free(p); } }", False),
        ("c", "int main(void) {\n  for (;;) { char *p = malloc(9); p[0] = 1; }\n  return 0;\n}\n", True),
        ("c++", "int main() { do { v.push_back(1); } while (1); }", True),
        ("c++", "int main() { for (;;) { auto p = new int[9]; p[0] = 1; } return 0; }", True),
        ("java", "class A { void f() { while (true) { Object x = new Object(); } } }", False),
        ("go", "func main() { for { x = append(x, 1) } }", True),
        ("javascript", "const a = []; while (true) a.push(1);", True),
        ("ruby", "a = []\nloop { a << 1 }", True),
        ("php", "<?php while (true) { $a[] = 1; }", True),
        ("rust", "fn main() { loop { n += 1; } }", False),
    ],
)
def test_what_grows_without_end(language: str, text: str, grows: bool) -> None:
    found = endless(language, text)
    assert found and found.grows == grows


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("python", "for i in range(9):\n    s += i\n", True),
        ("python", "while b:\n    a, b = b, a % b\n", False),
        ("python", "print('while')  # until\n", True),
        ("c", "int main(void) { for (int i = 0; i < 9; i++) { s += i; } return 0; }", True),
        ("c", "int main(void) { do { i++; } while (i < 9); }", False),
        ("go", "func main() { for i := 0; i < 9; i++ { } }", True),
        ("go", "func main() { for i := range 9 { } }", True),
        ("go", "func main() { for i < 9 { i++ } }", False),
        ("ruby", "9.times do |i|\n  s += i\nend\n", True),
        ("rust", "fn main() { loop { i += 1; } }", False),
        ("scheme", "(do ((i 0 (+ i 1))) ((= i 9)) (f))", False),
    ],
)
def test_loops_that_say_how_often_they_go_round(language: str, text: str, told: bool) -> None:
    assert counted(language, text) == told


def test_loops_that_go_round_more_often_than_was_measured_come_last(run_forerun: Run, tmp_path: Path) -> None:
    rounds = ("10**8", "10**9", "10**11", "10**13", "1 << 70")
    for name, often in enumerate(rounds):
        (tmp_path / f"{name}.py").write_text(f"s = 0\nfor i in range({often}):\n    s += i\nprint(s)\n")
    found = [forerun.predict(tmp_path / f"{name}.py", metric="runtime") for name in range(len(rounds))]
    asked = [one.asks or 0 for one in found]
    assert asked[:3] == [0, 0, 0] and 0 < asked[3] < asked[4]  # what takes less than a day is told by the text
    told = [one.value for one in found[:3]]
    assert told == sorted(told) and told[1] > 8 * told[0] and told[2] > 50 * told[1]
    assert all(one.high >= 0.999 * (one.asks or 0) for one in found), "the interval reaches what is asked for"
    code, out, _ = run_forerun("predict", *(str(tmp_path / f"{n}.py") for n in (3, 4, 2, 0)), "--metric", "runtime")
    assert code == 0 and [out.index(f"{n}.py") for n in (0, 2, 3, 4)] == sorted(
        out.index(f"{n}.py") for n in (0, 2, 3, 4)
    )
    code, _, err = run_forerun("predict", str(tmp_path / "3.py"), "--metric", "runtime", "--fail-over", "25s")
    assert code == 4 and "asks for" in err
    (tmp_path / "gcd.py").write_text("a, b = 10**30, 10**18 + 9\nwhile b > 0:\n    a, b = b, a % b\nprint(a)\n")
    assert forerun.predict(tmp_path / "gcd.py", metric="runtime").high < 3600, "a loop that is soon over"


def test_what_never_ends_is_told(folder: Path, run_forerun: Run) -> None:
    Path("p8.py").write_text(program(3) + "while True:\n    pass\n")
    code, _, err = run_forerun("predict", "p8.py", "p3.py", "--model", str(folder))
    assert code == 0 and "p8.py: nothing is seen that ends the loop in line 5" in err
    assert err.count("nothing is seen") == 1
    Path("broken.py").write_text(program(3) + "if:\n")
    names = ("p8.py", "broken.py", "p3.py")
    found = [forerun.predict(name, metric="memory", model=folder).familiarity for name in names]
    assert found[:2] == [0, 0] and found[2]


def test_what_is_read_and_what_is_not_there_is_told(folder: Path, compiler: str) -> None:
    Path("reads.py").write_text(program(3) + "n = int(input())\nfor i in range(n):\n    x = [0] * n\n")
    notes = [forerun.predict("reads.py", metric="memory", model=folder, stdin=read).notes for read in (None, b"5\n")]
    assert any("--stdin" in note for note in notes[0]) and not any("--stdin" in note for note in notes[1])
    Path("cut.ll").write_text('source_filename = "a.c"\n@x = global i32 1\n')
    assert any("defines no function" in note for note in forerun.predict("cut.ll", metric="text", model=folder).notes)
    Path("whole.ll").write_text("define i32 @f() {\n  ret i32 7\n}\n")
    assert not any("defines no" in note for note in forerun.predict("whole.ll", metric="text", model=folder).notes)


def test_other_pipelines_than_were_learned_are_strange(compiler: str) -> None:
    Path("sum.c").write_text("int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n")
    levels = ("-Oz", "-O3", "-O2", "-Os", "-O1", "-O")
    found = {level: forerun.predict("sum.c", metric="text", flags=[level]) for level in levels}
    assert [level for level, one in found.items() if one.familiarity] == ["-Oz", "-O3"]
    told = {level: one.notes[0].rpartition(" ")[2] for level, one in found.items() if one.notes}
    assert told == {"-O2": "-O3", "-Os": "-Oz", "-O1": "-Oz", "-O": "-Oz"}
    assert (found["-O2"].value, found["-Os"].value) == (found["-O3"].value, found["-Oz"].value)
    module = Source("define i32 @f() {\n  ret i32 7\n}\n", "llvm", "m", "x86_64-pc-linux-gnu -O0")
    slow = forerun.predict(module, metric="text")
    assert slow.familiarity == 0 and slow.notes[0].endswith(
        "no size at -O0 was learned from: the answer is that of -O3"
    )


def test_a_table_of_modules_is_asked_about_as_it_is_written(compiler: str) -> None:
    text = "; by hand\ndefine i32 @f() {\n  ret i32 7\n}\n"
    Path("m.ll").write_text(text)
    Path("m.csv").write_text("code,speed_s\n" + '"' + text + '",2\n')
    (row,) = read_table(Path("m.csv"), target="speed_s", language="llvm")
    card = Card((Kind("speed", "s", "llvm", "", rows=9), Kind("text", "B", "llvm, LLVM 22", "", rows=9)))
    speed, size = questions("m.ll", card, Options())
    assert speed.prompt == row.prompt and "by hand" in speed.prompt
    assert "by hand" not in size.prompt and "@f" in size.prompt
    (given,) = questions(Source(text, "llvm"), card, Options(("speed",)))
    assert given.prompt == row.prompt


def test_a_part_of_a_program_is_no_program(folder: Path, compiler: str) -> None:
    Path("part.c").write_text("int twice(int x) { return 2 * x; }\n")
    (found,) = forerun.predict("part.c", model=folder)
    assert (found.metric, found.notes) == ("text", ("the size is that of -Oz: no level was named",))
    assert forerun.predict("part.c", metric="text", model=folder, flags=["-O2"]).notes == ()
    assert "no main in c" in forerun.predict("part.c", metric="memory", model=folder).notes[0]


def test_what_no_compiler_takes_looks_like_no_program(folder: Path, compiler: str) -> None:
    whole = program(3, language="c")
    Path("whole.c").write_text(whole)
    Path("torn.c").write_text(whole.replace(";", "", 1))
    kept, torn = (forerun.predict(name, model=folder) for name in ("whole.c", "torn.c"))
    assert all(one.familiarity for one in kept) and {one.familiarity for one in torn} == {0.0}
    assert "torn.c" in torn[0].notes[-1] and "left out" in torn[0].notes[-1]


def test_the_table_ranks_and_the_gate_closes(folder: Path, run_forerun: Run) -> None:
    ask = ("predict", "p5.py", "p1.py", "p3.py", "--model", str(folder), "--metric", "memory")
    code, out, err = run_forerun(*ask, "--format", "json")
    found = json.loads(out)
    values = [row["value"] for row in found]
    assert code == 0 and not err and values == sorted(values) and len(set(values)) == 3
    assert [row["rank"] for row in found] == [1, 2, 3] and found[0]["unit"] == "B"
    code, out, _ = run_forerun(*ask)
    shown = [line.split()[:5] for line in out.splitlines()[1:]]
    assert shown == [[str(r["rank"]), r["name"], "memory", *quantity(r["value"], "B").split()] for r in found]
    assert DEVICES[0] in out
    code, out, err = run_forerun(*ask, "--fail-over", repr((values[1] + values[2]) / 2), "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert code == 4 and len(err.strip().splitlines()) == 3 and "1 of 3 files over" in err
    assert [float(line["over"]) > 0.5 for line in lines] == [False, False, True]
    assert run_forerun(*ask, "--fail-over", "20 TB")[0] == 0
    limit = repr((values[2] + found[2]["high"]) / 2)
    code, out, _ = run_forerun(*ask, "--fail-over", limit, "--format", "json")
    chance = max(row["over"] for row in json.loads(out))
    assert code == 0 and 0 < chance < 0.5, "no median is over"
    assert run_forerun(*ask, "--fail-over", limit, "--risk", repr(chance + 0.001))[0] == 0
    code, _, err = run_forerun(*ask, "--fail-over", limit, "--risk", repr(0.9 * chance))
    assert code == 4 and f"more than {0.9 * chance:.3g} is too much" in err
    code, out, _ = run_forerun("predict", "p*.py", "--model", str(folder))
    tables = out.strip().split("\n\n")
    assert code == 0 and len(tables) == 2 and all(len(table.splitlines()) == 4 for table in tables)
    assert re.search(r"p1\.py +runtime +\S+ (n|µ|m)?s ", tables[1])
    assert " peak memory " in tables[0].splitlines()[0] and " CPU time " in tables[1].splitlines()[0]


def test_a_limit_at_the_median_passes_whatever_the_last_bit_of_a_sum_is() -> None:
    draw = random.Random(0)
    beliefs = (Distribution.of((i, i + 1, draw.random()) for i in range(1, 20)) for _ in range(100))
    belief = next(belief for belief in beliefs if belief.above(belief.median) > 0.5)
    one = forerun.Estimate("a.py", "runtime", "s", belief.median, 1, 20, "python", "", "", belief)
    _gate([one], 1, repr(belief.median), 0.5)
    with pytest.raises(GateFailed, match="1 of 1 file over") as caught:
        _gate([one], 1, repr(0.99 * belief.median), 0.5)
    with pytest.raises(GateFailed, match="2 of 2 kernels over"):
        _gate([one, one], 1, repr(0.99 * belief.median), 0.5)
    assert "with a probability of 0.5" in caught.value.why and caught.value.todo.endswith("raise --fail-over or --risk")


def test_no_gate_opens_for_what_is_unlike_anything_unless_its_interval_lies_below() -> None:
    belief = Distribution.of([(1.0, 20.0, 1.0)])
    one = forerun.Estimate("a.py", "time", "s", 4.5, 1.2, 17.2, "python", "", "", belief, familiarity=0.5)
    strange = replace(one, familiarity=0.0)
    _gate([one], 1, "10s", 0.5)
    with pytest.raises(GateFailed, match="1 of 2 files over") as caught:
        _gate([one, strange], 2, "10s", 0.5)
    assert "up to 17.2 s, as it is unlike anything seen" in caught.value.why and "more than 0.05" in caught.value.why
    _gate([strange], 1, "18s", 0.5)
    with pytest.raises(GateFailed, match="1 of 1 file over"):
        _gate([strange], 1, "18s", 0.01)


def test_a_gate_of_the_only_metric_needs_no_name(folder: Path, run_forerun: Run) -> None:
    Path("net.onnx").write_bytes(next(generated(1, 7, "pixel3")).source.reference)
    ask = ("predict", "net.onnx", "--device", "pixel3", "--model", str(folder), "--fail-over")
    assert [run_forerun(*ask, limit)[0] for limit in ("2 min", "250us", "5MB")] == [0, 4, 2]


def test_a_number_beyond_the_rows_is_said_and_closes_the_gate(folder: Path, run_forerun: Run) -> None:
    ask = ("predict", "--model", str(folder), "--metric", "memory")
    limit = 2 * forerun.predict("p3.py", metric="memory", model=folder).high
    Path("large.py").write_text(f"{program(3)}print(7 << 70000)\n")
    code, _, err = run_forerun(*ask, "p3.py", "--fail-over", f"{limit:.0f}")
    assert code == 0 and "than in any row" not in err
    code, _, err = run_forerun(*ask, "large.py", "--fail-over", f"{limit:.0f}")
    assert code == 4 and "large.py: largest is 70,000, more than in any row (at most 10)" in err


def test_of_which_device_times_are_is_said_once(folder: Path, run_forerun: Run) -> None:
    ask = ("predict", "p1.py", "p3.py", "p1.c", "--model", str(folder), "--metric")
    _, _, err = run_forerun(*ask, "runtime")
    assert err.count("forerun: ") == 1 and f"times are those of {DEVICES[0]}, as no --device was named" in err
    assert "--recipe adapt" in err
    assert "times are" not in run_forerun(*ask, "memory")[2]
    assert "times are" not in run_forerun(*ask, "runtime", "--device", DEVICES[1])[2]


def test_no_gate_lets_through_what_asks_for_more_than_was_measured(folder: Path, run_forerun: Run) -> None:
    belief = Distribution.of([(1e8, 2e8, 1.0)]).reaching(8e9, 0.9)
    one = forerun.Estimate("a.py", "memory", "B", belief.median, 1e8, 8e9, "python", "", "", belief, asks=8e9)
    _gate([one], 1, "9GB", 0.5)
    with pytest.raises(GateFailed, match="1 of 2 files over") as caught:
        _gate([one, replace(one, asks=None)], 2, "4GB", 0.5)
    assert caught.value.why == "a.py asks for 8 GB of memory: nothing that was measured took so much"
    Path("much.py").write_text(program(1) + "x = [0] * 10**9\n")
    ask = ("--model", str(folder), "--metric", "memory")
    found = forerun.predict("much.py", metric="memory", model=folder)
    assert found.asks == pytest.approx(8e9, rel=0.01) and found.familiarity == 0 and found.high >= found.asks
    code, out, err = run_forerun("predict", "much.py", "p1.py", *ask, "--fail-over", "4GB", "--format", "json")
    assert code == 4 and len(err.splitlines()) == 3 and [row["asks"] for row in json.loads(out)].count(None) == 1
    assert run_forerun("predict", "much.py", *ask, "--fail-over", "10GB")[0] == 4, "nothing so large was learned from"
    assert run_forerun("predict", "much.py", *ask, "--fail-over", f"{found.high + 1:.0f}")[0] == 0
    Path("p8.py").write_text(program(3) + "while True:\n    pass\n")
    code, out, err = run_forerun("predict", "p8.py", *ask[:2], "--metric", "runtime", "--fail-over", "1 h")
    assert code == 4 and "p8.py: its text sets no limit to what it takes" in err and " – " in out
    assert run_forerun("predict", "p8.py", *ask, "--fail-over", "20TB")[0] == 0
    Path("p7.py").write_text(program(3) + "xs = []\nwhile True:\n    xs.append(1)\n")
    code, _, err = run_forerun("predict", "p7.py", *ask, "--fail-over", "20TB")
    assert code == 4 and "in line 6, which adds to something" in err


def test_an_open_gate_says_of_what_it_knows_nothing(folder: Path, run_forerun: Run) -> None:
    ask = ("predict", "p1.py", "p3.py", "--model", str(folder), "--metric", "memory")
    gate, strange = ("--fail-over", "20TB"), ("--device", "a toaster")
    code, _, err = run_forerun(*ask, *gate, *strange)
    assert code == 0 and "knows little of: p1.py is unlike anything seen, and 1 more" in err
    found = (forerun.predict(name, metric="memory", model=folder, device="a toaster") for name in ("p1.py", "p3.py"))
    values = [one.value for one in found]
    code, _, err = run_forerun(*ask, "--fail-over", f"{min(values):.0f}", *strange)
    assert code == 4 and "2 of 2 files over" in err, "the interval of the one at its median reaches over it"
    assert "as it is unlike anything seen; over it with a probability of 1, " in err
    assert "more than 0.05 is too much" in err
    for words in (gate, strange):
        code, _, err = run_forerun(*ask, *words)
        assert code == 0 and "the gate" not in err


def test_an_input_is_read_whole(folder: Path, run_forerun: Run) -> None:
    Path("reads.py").write_text("kept = [float(input()) for _ in range(int(input()))]\n")
    lines = 300_000
    Path("long.in").write_text(f"{lines}\n" + "1.25\n" * lines)  # more than is read of a program
    code, out, err = run_forerun("predict", "reads.py", "--stdin", "long.in", "--metric", "memory", "--format", "json")
    row = json.loads(out)[0]
    assert code == 0 and 0.7 < row["value"] / (9e6 + 32 * lines) < 1.3 and "--stdin" not in err
    Path("empty.in").write_bytes(b"")
    code, out, err = run_forerun("predict", "reads.py", "--stdin", "empty.in", "--metric", "memory")
    assert code == 0 and "--stdin" not in err + out, "one was named"
    code, again, err = run_forerun("predict", "reads.py", "--stdin", os.devnull, "--metric", "memory")
    assert code == 0 and again == out
    Path("lines.lua").write_text("local t = 0\nfor line in io.lines() do t = t + tonumber(line) end\nprint(t)\n")
    assert "guessed" not in run_forerun("predict", "lines.lua", "--stdin", "empty.in", "--metric", "memory")[2]
    for name, why in (("/dev/zero", "device"), ("nowhere.in", "No such file"), (".", "directory")):
        code, _, err = run_forerun("predict", "reads.py", "--stdin", name)
        assert code == 1 and why in err


def test_a_gate_is_shut_for_an_input_that_nobody_named(run_forerun: Run, tmp_path: Path) -> None:
    program = tmp_path / "counts.py"
    program.write_text("import sys\nrows = [line.split() for line in sys.stdin]\nprint(len(rows))\n")
    ask = ("predict", str(program), "--metric", "memory", "--fail-over", "1GB")
    code, _, err = run_forerun(*ask)
    assert code == 4 and "no input was named" in err and "its text sets no limit to what it takes" in err
    (tmp_path / "rows").write_text("1 2 3\n" * 1000)
    assert run_forerun(*ask, "--stdin", str(tmp_path / "rows"))[0] == 0


def test_a_gate_is_shut_for_more_than_a_machine_has(run_forerun: Run, tmp_path: Path) -> None:
    (tmp_path / "huge.py").write_text("x = bytearray(10**13)\n")
    code, _, err = run_forerun("predict", str(tmp_path / "huge.py"), "--metric", "memory", "--fail-over", "5TB")
    assert code == 4 and "asks for 10 TB of memory" in err


def test_standard_input_and_languages(folder: Path, run_forerun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Given:
        buffer = io.BytesIO(program(3).encode())

    monkeypatch.setattr(sys, "stdin", Given)
    words = ("--model", str(folder), "--metric", "memory", "--format", "json")
    code, out, _ = run_forerun("predict", "-", "--language", "Python", *words)
    assert code == 0 and json.loads(out)[0]["value"] == forerun.predict("p3.py", metric="memory", model=folder).value
    code, _, err = run_forerun("predict", "-", *words)
    assert code == 2 and "--language NAME, one of c, llvm, onnx, python\n" in err, "those that the model knows"
    Given.buffer = io.BytesIO(b"; ModuleID = 'x'\ndefine i32 @f() {\n  ret i32 0\n}\n")
    code, _, err = run_forerun("predict", "-", *words)
    assert code == 2 and "of llvm it knows" in err, "what IR is, is seen"
    known = {"x.py": "python", "x.CC": "c++", "x.onnx": "onnx", "x.ll": "llvm", "x.s": "assembly"}
    assert {path: language_of(path) for path in known} == known
    assert language_of("job.json", languages={"text"}) == language_of("a.py", languages={"text"}) == "text"
    assert language_of("a.py", languages={"text", "c"}) == language_of("a.py", "py", {"text"}) == "python"
    for language in (f"python, {PYTHON}", f"Python,{PYTHON}"):
        words = ("--model", str(folder), "--language", language, "--metric", "memory", "--format", "json")
        code, out, _ = run_forerun("predict", "p3.py", *words)
        assert code == 0 and json.loads(out)[0]["language"] == f"python, {PYTHON}"
    named = {("x.c", "llvm, LLVM 22"): "c", ("x", "llvm, LLVM 22"): "llvm", ("x.c", "llvm"): "llvm"}
    assert {given: language_of(*given) for given in named} == named
    assert [language_of("-", name) for name in ("cpp", "C++", "py", "triton", "bc")] == [
        "c++", "c++", "python", "triton", "llvm"]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env python3", "python"), ("#! /usr/bin/python3.11 -u", "python"), ("#!/opt/soup", ""),
        ("#!/usr/bin/perl -w", "perl"), ("#!/usr/bin/lua5.4", "lua"), ("#!/usr/bin/env -S node", "javascript"),
        ("x = 1", ""),
    ],
)  # fmt: skip
def test_a_script_says_for_which_interpreter_it_is(line: str, language: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(f"{line}\nx = 1\n")
    if language:
        assert files.read(str(tmp_path / "script"), Options()).source.lang == language
        assert files.read("-", Options(), line.encode()).source.lang == language
    else:
        with pytest.raises(UsageError, match="cannot tell the language"):
            files.read(str(tmp_path / "script"), Options())


def test_a_language_that_fits_an_unknown_suffix_is_named() -> None:
    told = {}
    for name in ("a.cu", "a.h", "a.hpp", "a.ts", "a.tsx", "a.kt", "a.swift", "a"):
        with pytest.raises(UsageError, match="cannot tell the language") as caught:
            language_of(name)
        told[name] = caught.value.todo
    assert {told[name] for name in ("a.cu", "a.h", "a.hpp")} == {"say it: --language c++"}
    assert {told[name] for name in ("a.ts", "a.tsx")} == {"say it: --language javascript"}
    for name in ("a.kt", "a.swift", "a"):
        assert told[name].startswith("say it: --language NAME, one of c, c++, python, go, ")
    with pytest.raises(UsageError) as caught:
        language_of("a.my", languages={"mine", "other"})
    assert caught.value.todo == "say it: --language NAME, one of mine, other"


def test_a_link_to_nowhere_in_a_folder_is_no_reason(tmp_path: Path) -> None:
    (tmp_path / "x.py").symlink_to(tmp_path / "nowhere")
    Path("p.py").write_text(program(2))
    with pytest.raises(InputError, match="holds no checkpoint"):
        forerun.predict("p.py", model=tmp_path)


def test_names_with_control_characters_stand_in_one_line(folder: Path, run_forerun: Run) -> None:
    name = "a\nb\x1b[31m\t.py"
    Path(name).write_text(program(3))
    ask = ("predict", name, "--metric", "memory", "--model", str(folder))
    for form, head in (("table", 1), ("md", 2)):
        code, out, _ = run_forerun(*ask, "--format", form)
        assert code == 0 and len(out.splitlines()) == head + 1 and r"a\nb\x1b[31m\t.py" in out and "\x1b" not in out
    assert json.loads(run_forerun(*ask, "--format", "json")[1])[0]["name"] == name
    assert next(csv.DictReader(io.StringIO(run_forerun(*ask, "--format", "csv")[1], newline="")))["name"] == name


def test_files_that_begin_with_a_dash_are_told_how_to_be_named(folder: Path, run_forerun: Run) -> None:
    Path("-dash.py").write_text(program(3))
    for words in (("-dash.py",), ("p3.py", "-dash.py")):
        code, out, err = run_forerun("predict", *words, "--model", str(folder))
        assert code == 2 and not out and "-dash.py is a file: ./-dash.py" in err and len(err.splitlines()) == 3, err
    assert run_forerun("predict", "./-dash.py", "--model", str(folder))[0] == 0
    assert "is a file" not in run_forerun("predict", "-other.py")[2]
    code, _, err = run_forerun("predict", "--model", str(folder), "--", "-dash.py")
    assert code == 2 and "-dash.py is a file: ./-dash.py" in err and "name files before it" in err
    assert "name files before it" not in run_forerun("predict", "--model", str(folder), "--", "-O3")[2]


def test_an_open_size_is_of_the_networks_that_have_it(folder: Path, run_forerun: Run) -> None:
    network = proto.parse(next(generated(1, 7, "pixel3")).source.reference)
    Path("fixed.onnx").write_bytes(network.SerializeToString())
    network.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    Path("open.onnx").write_bytes(network.SerializeToString())
    ask = ("predict", "--metric", "latency", "--device", "pixel3", "--model", str(folder), "fixed.onnx")
    code, out, err = run_forerun(*ask, "open.onnx", "--size", "batch=8", "--format", "json")
    assert code == 0 and not err and {row["name"] for row in json.loads(out)} == {"fixed.onnx", "open.onnx"}, err
    files, how = ["fixed.onnx", "open.onnx"], {"metric": "latency", "model": folder}
    assert len(forerun.predict(files, sizes={"batch": 8}, **how)) == 2  # type: ignore[call-overload]
    code, out, err = run_forerun(*ask, "--size", "batch=8")
    assert code == 2 and not out and "no network has an open size 'batch'" in err, err
    assert err.endswith("sizes that are left open: none\nleave --size batch=8 out\n")
    with pytest.raises(UsageError, match="no network has an open size 'beach'") as caught:
        forerun.predict(files, sizes={"batch": 8, "beach": 8}, **how)  # type: ignore[call-overload]
    assert caught.value.why == "sizes that are left open: batch"


def test_operators_of_which_nothing_is_known_are_named(folder: Path, run_forerun: Run) -> None:
    network = proto.parse(next(generated(1, 7, "pixel3")).source.reference)
    ask = ("predict", "net.onnx", "--metric", "latency", "--device", "pixel3", "--model", str(folder))
    Path("net.onnx").write_bytes(network.SerializeToString())
    assert "nothing is known" not in run_forerun(*ask)[2]
    network.opset_import.add(domain="my", version=1)
    last = network.graph.node[-1]
    last.op_type, last.domain = "Foo", "my"
    del last.attribute[:]
    Path("net.onnx").write_bytes(network.SerializeToString())
    code, out, err = run_forerun(*ask)
    assert code == 0 and out and "net.onnx: nothing is known of what my.Foo costs" in err, err
    (row,) = json.loads(run_forerun(*ask, "--format", "json")[1])
    assert row["high"] is None and row["familiarity"] == 0, "it may take any time"


def test_a_network_that_would_not_run_is_told_as_one(folder: Path, run_forerun: Run) -> None:
    network = proto.parse(next(generated(1, 7, "pixel3")).source.reference)
    for node in network.graph.node:
        node.name = "same"
    Path("net.onnx").write_bytes(network.SerializeToString())
    ask = ("predict", "net.onnx", "--metric", "latency", "--device", "pixel3", "--model", str(folder))
    code, out, err = run_forerun(*ask)
    assert code == 0 and out and "net.onnx is no valid model" in err and "have the name 'same'" in err, err


def test_a_model_that_was_told_no_devices_says_so() -> None:
    card = Card((Kind("latency", "s", "python", "", rows=9),))
    (asked,) = questions(Source("x = 1\n", "python", "a.py"), card, Options(device="foo"))
    assert "the model knows no devices" in asked.notes[0] and "leave --device out" in asked.notes[0]
    (usual,) = questions(Source("x = 1\n", "python", "a.py"), card, Options())
    assert usual.notes == () and usual.prompt == asked.prompt and not asked.strange and asked.device == ""
    known = replace(card, kinds=(*card.kinds, Kind("latency", "s", "python", "laptop", rows=3)))
    (asked,) = questions(Source("x = 1\n", "python", "a.py"), known, Options(device="foo"))
    assert "no device 'foo'; it knows: laptop" in asked.notes[0] and asked.strange
    (asked,) = questions(Source("x = 1\n", "python", "a.py"), known, Options(device="LAP_TOP"))
    assert "no device 'LAP_TOP'; did you mean 'laptop'?" in asked.notes[0]


def test_kernels_of_a_language_are_no_programs_in_it() -> None:
    kinds = (Kind("memory", "B", "python", "laptop", rows=3), Kind("runtime", "s", "triton, inductor 2", "gpu", rows=3))
    source = Source("x = 1\n", "triton", "tri.py")
    with pytest.raises(UsageError) as caught:
        questions(source, Card(kinds=kinds), Options(language="triton"))
    assert caught.value.what == "tri.py is taken for a program" and "module.py:factory" in caught.value.todo
    with pytest.raises(UsageError) as caught:
        questions(replace(source, lang="tritom"), Card(kinds=kinds), Options(language="tritom"))
    assert caught.value.why == "it was trained on: python" and "triton" not in caught.value.todo


def test_columns_stand_below_each_other_whatever_characters_names_have() -> None:
    names = ("a.py", "\u65e5\u672c.py", "e\u0301.py", "\udcff\x1b.py", "\u00fc.py")
    table = Table((Column("name", "file"), Column("of", "of")), [{"name": name, "of": "python"} for name in names])
    shown = {
        "a.py": 4,
        "\u65e5\u672c.py": 7,
        "e\u0301.py": 4,
        r"\udcff\x1b.py": 13,
        "\u00fc.py": 4,
    }  # and places that it takes
    lines = [name + " " * (15 - places) + "python" for name, places in shown.items()]
    assert table.render("table").splitlines() == ["file" + " " * 11 + "of", *lines]


WRONG: list[tuple[tuple[str, ...], int, str]] = [
    (("nowhere.py",), 1, "name a file that can be read"),
    (("empyt.py",), 1, "did you mean empty.py?"),
    (("empty.py",), 1, "empty.py is empty"),
    (("binary.py",), 1, "no text"),
    (("binary.bc",), 1, "no LLVM bitcode"),
    (("packed.py",), 1, "it holds control characters"),
    (("packed",), 1, "it holds control characters"),
    (("bare",), 2, "it has no suffix"),
    (("nb.ipynb", "--language", "python"), 1, "jupyter nbconvert --to script nb.ipynb"),
    (("net.pt2",), 1, "torch.onnx.export and name net.onnx"),
    (("big.py",), 1, "too large"),
    (("folder",), 1, "folder/*.py"),
    (("broken.ll",), 1, "FORERUN_LLVM=N"),
    (("p1.py", "--size", "batch=99999999999"), 2, "from 1 to 2147483648"),
    (("p1.py", "--size", "batch=0"), 2, "batch=1"),
    (("folder", "--language", "python"), 1, "folder/*.py"),
    (("what.xyz",), 2, "--language"),
    (("bad.onnx",), 1, "no ONNX model"),
    (("open.onnx",), 2, "--size batch=1"),
    (("open.onnx", "--size", "zork=32"), 2, "open sizes: batch; 'zork' is none of its sizes"),
    (("p1.py", "--language", "triton"), 2, "it was trained on"),
    (("p1.py", "--metric", "beauty"), 2, "memory, runtime"),
    (("p1.py", "--metric", "latency"), 2, "of python it knows"),
    (("p1.py", "--metric", "Memory"), 2, "did you mean --metric memory?"),
    (("p1.py", "--metric", "runtme"), 2, "did you mean --metric runtime?"),
    (("p1.py", "--metric", "size"), 2, "no metric 'size'"),
    (("p1.c", "--language", "c, gcc 11 -O2"), 2, "it knows: c, gcc 12 -O2; llvm, LLVM 22"),
    (("p1.c", "--metric", "size", "--", "--soup"), 2, "--soup"),
    (("p1.c", "--metric", "size", "--", "-O0"), 2, "levels: -O1, -O2, -O3, -Os, -Oz"),
    (("p1.c", "--metric", "size", "--", "-flto"), 2, "its size with these flags cannot be predicted"),
    (("p1.c", "--metric", "size", "--", "-o", "x"), 2, "nothing is written"),
    (("p1.py", "--fail-over", "3MB"), 2, "add --metric memory"),
    (("p1.py", "--fail-over", "3ms"), 2, "add --metric runtime"),
    (("p1.py", "--metric", "memory,runtime", "--fail-over", "3ms"), 2, "name one alone: --metric runtime"),
    (("p1.py", "--metric", "memory", "--fail-over", "3ms"), 2, "512MB"),
    (("p1.py", "--metric", "memory", "--risk", "0.1"), 2, "add --fail-over"),
    (("p1.py", "--metric", "memory", "--fail-over", "3MB", "--risk", "1"), 2, "no probability between 0 and 1"),
    (("p1.py", "--metric", "memory", "--fail-over", "3MB", "--risk", "nan"), 2, "no probability between 0 and 1"),
    (("p1.py", "--size", "batch"), 2, "batch=1"),
    (("p1.py", "--stdin", "nowhere.txt"), 1, "nowhere.txt"),
    (("*.zig",), 1, "no file matches"),
    (("p1.py", "--model", "empty"), 1, "no checkpoint"),
    (("p1.py", "--model", "p1.py"), 1, "it is a file, and a checkpoint is a folder"),
    (("p1.py", "--language", "pyhton"), 2, "did you mean --language python?"),
    (("p1.py", "--metric", "memory", "--fail-over", "1e999"), 2, "not an amount"),
    (("p1.py", "--metric", "memory", "--fail-over", "-5MB"), 2, "an amount is not below zero"),
]


@pytest.mark.parametrize(("words", "status", "why"), WRONG, ids=[" ".join(words) for words, *_ in WRONG])
def test_what_is_wrong_is_said(
    words: tuple[str, ...], status: int, why: str, folder: Path, run_forerun: Run, compiler: str
) -> None:
    Path("empty.py").write_text("  \n")
    for name in ("binary.py", "binary.bc"):
        Path(name).write_bytes(b"\x7fELF\0\0\1")
    Path("packed.py").write_bytes(zlib.compress(random.Random(0).randbytes(2000)).replace(b"\0", b""))
    shutil.copy("packed.py", "packed")
    Path("bare").write_text("x = 1")
    Path("nb.ipynb").write_text('{"cells": []}')
    Path("big.py").write_text("x = 1\n" * 2_000_000)
    Path("what.xyz").write_text("x")
    Path("bad.onnx").write_bytes(b"soup")
    Path("broken.ll").write_text("define soup")
    Path("folder").mkdir()
    Path("empty").mkdir()
    network = proto.parse(next(generated(1, 7, "pixel3")).source.reference)
    network.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    Path("open.onnx").write_bytes(network.SerializeToString())
    at = words.index("--") if "--" in words else len(words)
    model = () if "--model" in words else ("--model", str(folder))
    code, out, err = run_forerun("predict", *words[:at], *model, *words[at:])
    assert code == status and not out and why in err and len(err.strip().splitlines()) == 3, err


def test_one_file_that_cannot_be_read_takes_nothing_from_the_others(folder: Path, run_forerun: Run) -> None:
    Path("empty.py").write_text("")
    code, out, err = run_forerun("predict", "empty.py", "p1.py", "--metric", "memory", "--model", str(folder))
    assert code == 1 and "p1.py" in out and "empty.py is empty" in err
    code, out, err = run_forerun("predict", "p3.py", "p1.py", "--metric", "beauty", "--model", str(folder))
    assert code == 2 and not out and [err.count(f"{name}: the model knows no") for name in ("p3.py", "p1.py")] == [1, 1]


@pytest.mark.parametrize(
    ("file", "change", "why"),
    [
        ("card.json", lambda text: text[:90], "card.json cannot be read"),
        ("card.json", lambda text: re.sub('"format": .', '"format": 99', text), "of another version"),
        ("config.json", lambda text: re.sub('"format": .', '"format": 99', text), "of another version"),
        ("config.json", lambda text: text[:40], "no checkpoint"),
        ("tokenizer.json", lambda text: text[:40], "tokenizer"),
        ("calibration.json", lambda text: text[:40], "calibration.json is not the file that was saved"),
        ("card.json", None, "card.json is missing"),
        ("learned.json", None, "learned.json is missing"),
    ],
)
def test_a_checkpoint_that_cannot_be_used(
    file: str, change: Callable[[str], str] | None, why: str, folder: Path, tmp_path: Path, run_forerun: Run
) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    if change is None:
        (place / file).unlink()
    else:
        (place / file).write_text(change((place / file).read_text()))
    code, out, err = run_forerun("predict", "p1.py", "--model", str(place))
    assert code == 1 and not out and why in err and len(err.strip().splitlines()) == 3


def test_what_a_prediction_does_not_read_is_checked_where_a_checkpoint_is_shown(
    folder: Path, tmp_path: Path, run_forerun: Run
) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / "model.safetensors").write_bytes(b"damaged")
    code, out, err = run_forerun("predict", "p1.py", "--model", str(place))
    assert code == 0 and out and "model.safetensors is not the one that was saved: answers come from the graphs" in err
    code, out, err = run_forerun("models", str(place))
    assert code == 1 and not out and "model.safetensors is not the file" in err
    (place / "model.safetensors").unlink()
    code, out, err = run_forerun("models", str(place))
    assert code == 0 and out and not err
    shutil.copy(folder / "model.safetensors", place)
    (place / "encoder.onnx").unlink()
    code, out, err = run_forerun("predict", "p1.py", "--metric", "memory", "--model", str(place))
    assert code == 0 and out and f"{place} lacks encoder.onnx: PyTorch answers" in err
    shutil.copy(folder / "encoder.onnx", place)
    (place / "checksums.json").unlink()
    for words in (("models", str(place)), ("predict", "p1.py", "--metric", "memory", "--model", str(place))):
        code, out, err = run_forerun(*words)
        assert code == 0 and out and len(err.splitlines()) == 1 and "has no checksums.json" in err


def test_a_file_that_is_named_twice_is_answered_once_and_that_is_said(folder: Path, run_forerun: Run) -> None:
    words = ("--metric", "memory", "--model", str(folder), "--format", "json")
    code, out, err = run_forerun("predict", "p1.py", "p3.py", "p1.*y", *words)
    assert code == 0 and [row["name"] for row in json.loads(out)] == ["p1.py", "p3.py"]
    assert err == "forerun: p1.py was named 2 times: it is answered once\n"
    (folder / "round").symlink_to(folder, target_is_directory=True)
    code, out, err = run_forerun("predict", "**/p1.*y", *words)
    (folder / "round").unlink()
    assert code == 0 and [row["name"] for row in json.loads(out)] == ["p1.py"] and not err, err


def test_a_damaged_graph_is_made_again_as_the_error_says(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    asked: dict[str, Any] = {"metric": "memory", "model": place}
    value = forerun.predict("p3.py", **asked).value
    (place / "decoder.onnx").write_bytes((place / "decoder.onnx").read_bytes()[:1000])
    with pytest.raises(InputError, match="network cannot be read") as caught:
        forerun.predict("p3.py", **asked)
    todo = caught.value.todo
    assert "install" not in todo and "model.safetensors" in todo
    weights = (place / "model.safetensors").read_bytes()
    (place / "model.safetensors").unlink()
    with pytest.raises(InputError, match="network cannot be read") as caught:
        forerun.predict("p3.py", **asked)
    assert caught.value.todo == "copy the whole folder again, or train it again"
    (place / "model.safetensors").write_bytes(weights)
    eval(todo.rpartition(": ")[2], {"EncoderDecoder": EncoderDecoder})
    assert forerun.predict("p3.py", **asked).value == pytest.approx(value, rel=1e-3, abs=1)


def test_only_of_what_ships_the_installation_is_to_blame(tmp_path: Path) -> None:
    for name in checksums.ENCODER, checksums.WEIGHTS, checksums.FILE:
        assert checksums.again(SHIPPED, name).startswith("install forerun again")
        assert "install" not in checksums.again(tmp_path, name)


def test_wrong_arguments_of_the_library(folder: Path) -> None:
    for source in (3, b"", b"p1.py", bytearray(b"x"), "", ["p1.py", b""]):
        with pytest.raises(UsageError, match="not a source"):
            forerun.predict(source, model=folder)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="the source is empty"):
        forerun.predict(Source(" ", "python"), model=folder)
    with pytest.raises(InputError, match="mine is empty"):
        forerun.predict(Source(" \n", "python", "mine"), model=folder)
    with pytest.raises(UsageError, match="flags"):
        forerun.predict("p1.c", model=folder, flags="-O2")
    with pytest.raises(UsageError, match="metric=3"):
        forerun.predict("p1.c", model=folder, metric=3)  # type: ignore[call-overload]
    with pytest.raises(UsageError) as caught:
        forerun.predict("p1.py", model=folder, metric="memory, runtime")
    assert caught.value.todo == "metric=['memory', 'runtime']"
    wrong: dict[str, tuple[Any, ...]] = {
        "metric": ("",),
        "stdin": ("text",),
        "model": (None, ""),
        "device": (3,),
        "language": (3,),
        "sizes": ([("batch", 1)], {"batch": "x"}, {"batch": 0}, {"batch": 1 << 32}),
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(UsageError, match=name):
                forerun.predict("p1.py", **{"model": folder, name: value})
    assert forerun.predict([], model=folder) == []
    estimate = forerun.predict("p1.py", metric="memory", model=folder)
    for most in (float("nan"), "512MB", None):
        with pytest.raises(UsageError, match="above") as caught:
            estimate.above(most)  # type: ignore[arg-type]
        assert "a number of B" in caught.value.why and "estimate.above(" in caught.value.todo
    assert (estimate.above(-float("inf")), estimate.above(float("inf"))) == (1, 0)


def test_too_little_memory_is_said(folder: Path) -> None:
    code = f"""
import resource
import forerun
ask = dict(metric='memory', model={str(folder)!r})
forerun.predict('p1.py', **ask)
pages = int(open('/proc/self/statm').read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (48 << 20),) * 2)
try:
    forerun.predict(['long.py'] * 99, **ask)
except forerun.ForerunError as error:
    print(error)
"""
    Path("long.py").write_text(program(2) * 40)
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert "not enough memory" in run.stdout and len(run.stdout.splitlines()) == 3, run.stdout + run.stderr


@pytest.mark.parametrize("module", ["numpy", "onnxruntime", "safetensors"])
def test_a_library_that_does_not_fit_into_memory_is_said(folder: Path, module: str) -> None:
    code = f"""
import sys

class Full:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise ImportError(name + ".so: failed to map segment from shared object")

sys.meta_path.insert(0, Full())
from forerun.cli import main
sys.exit(main(["predict", "p1.py", "--metric", "memory", "--model", {str(folder)!r}]))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and run.stderr.startswith("forerun: there is not enough memory\n"), run.stderr
    assert len(run.stderr.splitlines()) == 3 and not run.stdout


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(12, "Cannot allocate memory"), RuntimeError("std::bad_alloc")]
)
def test_memory_that_is_gone_is_said_wherever_it_was_asked_for(
    run_forerun: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def full(*_: Any) -> None:
        raise error

    monkeypatch.setattr("forerun.cli.predict.run", full)
    code, out, err = run_forerun("predict", "p1.py")
    assert code == 1 and not out and "there is not enough memory" in err and len(err.splitlines()) == 3
    monkeypatch.setattr("forerun.cli.predict.run", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        run_forerun("predict", "p1.py")


def spent_s(pid: int) -> float:
    """CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_gate_tells_its_verdict_to_whoever_reads_no_answer(folder: Path) -> None:
    Path("p.py").write_text(program(2))
    words = [sys.executable, "-m", "forerun", "predict", "p.py", "p.py", "--model", str(folder), "--metric", "memory"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    for limit, code in (("1B", 4), ("20TB", 0)):
        reading, writing = os.pipe()
        os.close(reading)
        run = subprocess.run([*words, "--fail-over", limit], env=env, stdout=writing, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        assert run.returncode == code and "Traceback" not in run.stderr and "Broken" not in run.stderr


def test_an_interrupt_is_an_answer_too(folder: Path) -> None:
    names = [f"many{i}.py" for i in range(400)]
    for name in names:
        Path(name).write_text(program(2) * 40)
    words = [sys.executable, "-m", "forerun", "predict", *names, "--model", str(folder)]
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and spent_s(run.pid) < 2:  # of ten: starting takes half a second
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130 and not out and "Traceback" not in err and err.endswith("forerun: interrupted\n")


def test_it_answers_without_torch(folder: Path) -> None:
    code = f"""
import sys
import forerun
found = forerun.predict(['p1.py', 'p3.py', 'p5.py'], metric='memory', model={str(folder)!r})
assert len({{one.value for one in found}}) == 3
heavy = {{'torch', 'sklearn', 'scipy', 'sqlite3'}}
print(sorted(heavy & set(sys.modules)))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert run.stdout == "[]\n", run.stderr


def test_the_card_tells_what_it_was_made_of(folder: Path, run_forerun: Run) -> None:
    card = Card.load(folder)
    assert card.metrics[:2] == ("memory", "runtime") and {kind.metric for kind in card.kinds} >= {"latency", "text"}
    first = card.kinds[0]
    assert (first.language, first.device) == (f"python, {PYTHON}", DEVICES[0]) and first.licences == {"MIT": first.rows}
    assert sum(kind.rows for kind in card.kinds) == card.recipe["rows"] == 213 and first.groups == 12
    assert [kind.where for kind in card.kinds if kind.metric == "accuracy"] == ["cifar10, test"]
    assert 0 < card.recipe["steps"] <= 250 and card.recipe["best validation loss"] > 0
    page = (folder / "README.md").read_text()
    assert all(word in page for word in (DEVICES[1], "MIT", "parameters", "Limits", "None were written down"))
    assert str(folder.parent) not in page and str(folder.parent) not in (folder / "card.json").read_text()
    code, out, _ = run_forerun("models", str(folder), "--format", "json")
    assert code == 0 and json.loads(out)[0]["rows"] == first.rows
    assert run_forerun("models", "nowhere")[0] == 1
    code, out, _ = run_forerun("models", "boosted_trees", "--format", "json")
    assert code == 0 and [(row["name"], "boosting" in row["what"]) for row in json.loads(out)] == [
        ("boosted_trees", True)
    ]


def test_results_go_into_the_card(folder: Path, tmp_path: Path, run_forerun: Run) -> None:
    pytest.importorskip("sklearn")
    place, table = Path(shutil.copytree(folder, tmp_path / "copy")), tmp_path / "rows.jsonl"
    write_rows(table, [replace(row, group=f"g{i}") for i, row in enumerate(rows(80, 5)) if row.metric == "memory"])
    words = ("eval", str(table), "--checkpoint", str(place), "--model", "length", "--similar", "2")
    code, out, err = run_forerun(*words, "--card", "--format", "json")
    assert code == 0, err
    card = Card.load(place)
    judged = ["length", "encoder_decoder", "encoder_decoder without trees"]
    assert [result["model"] for result in card.results] == judged
    assert card.results[1]["spearman"] == json.loads(out)[1]["spearman"]
    page = (place / "README.md").read_text()
    assert "| memory | encoder_decoder |" in page and "None were written down" not in page
    again = card.with_results([{"metric": "runtime", "model": "a"}, {"metric": "memory", "model": "b"}])
    assert [result["model"] for result in again.results] == ["a", "b"]
    code, _, err = run_forerun("eval", str(table), "--card")
    assert code == 2 and "--checkpoint" in err


def test_the_curves_of_a_training(folder: Path, tmp_path: Path, run_forerun: Run) -> None:
    code, out, _ = run_forerun("show", str(folder))
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert code == 0 and out.count("o") >= 2 and "·" in out and f"step {lines[-1]['step']:,}" in out
    first, last = (out.splitlines()[i] for i in (0, 15))
    assert "·" in first.partition("│")[2][:8] and float(first.split("│")[0]) > float(last.split("│")[0])
    code, out, _ = run_forerun("show", str(folder), "--format", "json")
    assert code == 0 and [point["nll"] for point in json.loads(out)] == [line["parts"]["nll"] for line in lines]
    going = tmp_path / "going"
    going.mkdir()
    code, _, err = run_forerun("show", str(going))
    assert code == 1 and "no training" in err
    (going / "metrics.jsonl").write_text(json.dumps(lines[0])[:20])
    assert "no curve yet" in run_forerun("show", str(going))[2]
    (going / "metrics.jsonl").write_text(json.dumps(lines[0]) + "\n" + json.dumps(lines[1])[:30])
    code, out, _ = run_forerun("show", str(going))
    assert code == 0 and "step 1 of" in out
    (going / "metrics.jsonl").write_text("soup\n")
    code, _, err = run_forerun("show", str(going))
    assert code == 1 and "metrics.jsonl" in err and len(err.strip().splitlines()) == 3


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "B", "0 B"), (999.6e3, "B", "1 MB"), (12_345_678, "B", "12.3 MB"), (5e15, "B", "5,000 TB"),
        (0.0045, "s", "4.5 ms"), (3e-10, "s", "0.3 ns"), (1234, "s", "1,230 s"), (0.9134, "1", "0.913"),
        (12345, "", "12,300"), (3.14159, "ms", "3.14 ms"), (1e308, "s", "1e+308 s"), (float("inf"), "B", "inf B"),
    ],
)  # fmt: skip
def test_amounts_for_people(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("512MB", "B", 512e6), ("1.5 GiB", "B", 1.5 * 2**30), ("4096", "B", 4096), ("1e6", "B", 1e6),
        ("3ms", "s", 0.003), ("2 min", "s", 120), ("250us", "ms", 0.25), ("0.9", "1", 0.9), ("7 apples", "apples", 7),
    ],
)  # fmt: skip
def test_amounts_of_people(text: str, unit: str, value: float) -> None:
    assert amount(text, unit) == pytest.approx(value)


@pytest.mark.parametrize(("text", "unit"), [("3ms", "B"), ("soup", "s"), ("1.2.3", "s"), ("", "B"), ("5MB", "")])
def test_what_is_no_amount(text: str, unit: str) -> None:
    with pytest.raises(UsageError, match="not an amount"):
        amount(text, unit)


def test_a_checkpoint_whose_files_change_is_read_again(folder: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(folder, tmp_path / "copy")
    first = estimate.checkpoint(copied)
    assert estimate.checkpoint(copied) is first
    card = copied / "card.json"
    write_atomically(card, card.read_bytes() + b"\n")
    assert estimate.checkpoint(copied) is not first


def test_lines_that_are_guessed_are_named_and_widen_the_interval(run_forerun, tmp_path):
    sure = "t = 0\nfor i in range(3_000_000):\n    t += i * i\nprint(t)\n"
    (tmp_path / "sure.py").write_text(sure)
    (tmp_path / "guess.py").write_text(sure + "while t != 1:\n    t = t // 2 if t % 2 == 0 else 3 * t + 1\n")
    paths = [str(tmp_path / name) for name in ("sure.py", "guess.py")]
    code, out, err = run_forerun("predict", *paths, "--metric", "runtime,memory", "--format", "json")
    assert code == 0 and "guess.py: how often line 5 happens nobody can tell" in err and "sure.py: how often" not in err
    found = {(Path(row["name"]).name, row["metric"]): row["high"] / row["low"] for row in json.loads(out)}
    for metric in ("runtime", "memory"):
        assert found["guess.py", metric] > 2 * found["sure.py", metric]
    assert found["sure.py", "memory"] < 1.3  # nothing but an interpreter


def test_what_makes_a_number_up_is_explained(run_forerun, tmp_path):
    (tmp_path / "held.py").write_text("import json\nn = 300_000\nrows = [(i, i * 0.5) for i in range(n)]\n")
    (tmp_path / "small.c").write_text("int main(void) { return 0; }\n")
    ask = ("predict", str(tmp_path / "held.py"), str(tmp_path / "small.c"), "--metric", "memory")
    code, out, err = run_forerun(*ask, "--explain")
    assert code == 0 and "rows = [(i, i * 0.5) for i in range(n)]" in out and "an empty program" in out
    beside = "what such programs took beside it" in out
    assert "small.c, memory: network and trees tell it" in err
    code, out, _ = run_forerun(*ask, "--format", "json")
    small, held = json.loads(out)
    assert small["parts"] == [] and held["parts"][0]["line"] == 3 and "explain" not in out
    whole = sum(part["value"] for part in held["parts"])
    assert 0.5 * held["value"] < whole < 2 * held["value"]
    assert beside == (abs(held["value"] - whole) > 0.01 * held["value"])
    assert "rows =" not in run_forerun(*ask)[1]
