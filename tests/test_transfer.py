"""Another device or metric from a few rows: what a model knows, carried over."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

import forerun
from forerun.core import Metric
from forerun.errors import GateFailed, InputError, UsageError
from forerun.grammars.floats import Floats
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.encoder_decoder.card import Kind
from forerun.models.transfer import Transfer
from forerun.prompts import parts, prompt
from forerun.rows import Row
from forerun.tables import write_rows
from forerun.tasks._programs import question
from forerun.testing import check_model, toy_rows
from forerun.train.adapt import adapt

Run = Callable[..., tuple[int, str, str]]
KINDS = (
    Kind("latency", "s", "c, cc 1", "old", {"batch": "1"}, 90),
    Kind("latency", "s", "c, cc 1", "odd", {}, 80),
    Kind("energy", "J", "c, cc 1", "old", {}, 70),
    Kind("latency", "s", "python", "old", {}, 9),
)


def believed(prompts: Sequence[str]) -> list[float]:
    """As long as the text is, times what stands for the device; of the odd one noise."""
    found = []
    for one in prompts:
        head, n = parts(one).head, len(parts(one).text)
        noise = random.Random(n).uniform(0.01, 100.0)
        found.append(noise if head["device"] == "odd" else n * (7.0 if head["metric"] == "energy" else 1.0))
    return found


def asked(n: int, metric: str = "latency", language: str = "c", device: str = "new") -> str:
    return prompt(Metric(metric, "s"), language, device, "x" * n, counters={"lines": n % 7}, notes=["input 3 B: 'abc'"])


def rows(count: int, metric: str = "latency", language: str = "c") -> list[Row]:
    """Twice as long a text takes twice to the .7 as long."""
    draw = random.Random(0)
    sizes = [draw.randint(10, 9000) for _ in range(count)]
    return [Row(metric, "s", asked(n, metric, language), 5e-3 * n**0.7 * draw.uniform(0.97, 1.03)) for n in sizes]


def test_rows_that_differ_in_one_number_say_little_of_others() -> None:
    """Ten times as long for forty lines more, though no more is believed: of other programs lines say nothing."""

    def text(lines: int, n: int) -> str:
        return prompt(Metric("latency", "s"), "c", "new", "x" * n, counters={"lines": lines})

    model = Transfer(believed, KINDS)
    model.fit([Row("latency", "s", text(100 + k, 4000), 5e-3 * 10 ** (k / 40)) for k in range(41)])
    few, many, short = (belief.median for belief in model.predict([text(1, 4000), text(9999, 4000), text(1, 400)]))
    assert 4e-3 < few < 6e-3 and 4e-2 < many < 6e-2
    assert few / 20 < short < few, "a tenth, as the one device has it"


def test_what_lies_beyond_the_rows_is_told_less_surely() -> None:
    """From one power of what is believed nobody knows how another metric goes on; within the rows nothing is wider."""
    for metric, power in (("latency", 0.5), ("heat", 0.0)):
        carried = Transfer(believed, KINDS)
        carried.fit([row for row in rows(80, metric) if len(parts(row.prompt).text) < 2000])
        kept = Transfer.from_json(json.loads(json.dumps(carried.to_json())), believed, KINDS)
        within, beyond = (one.interval(0.9) for one in kept.predict([asked(1500, metric), asked(200_000, metric)]))
        assert within[1] / within[0] < 1.5
        top = 5e-3 * 2000**0.7
        assert beyond[0] < 1.5 * top * 100**power and beyond[1] > 0.6 * top * 100**1.5, (metric, beyond)


def test_numbers_that_no_belief_follows_are_told_less_surely() -> None:
    """A text with a size in it takes as long as that; beliefs are of its length alone."""

    def text(n: int, length: int = 50) -> str:
        return prompt(Metric("latency", "s"), "c", "new", f"run({n:07d})" + "x" * length)

    draw = random.Random(0)
    sizes = [draw.randint(10, 1000) for _ in range(60)]
    carried = Transfer(believed, KINDS)
    carried.fit([Row("latency", "s", text(n, 40 + n % 20), 1e-3 * n) for n in sizes])
    kept = Transfer.from_json(json.loads(json.dumps(carried.to_json())), believed, KINDS)
    (usual, near), (far, unlike) = kept.read([text(500), text(1_000_000)])
    assert near > 0 == unlike and usual.interval(0.9)[1] < 10 and far.interval(0.9)[1] > 900
    assert kept.predict([text(1_000_000)]) == [far] and far.median == pytest.approx(usual.median)
    followed, longer = kept.predict([text(1_000_000, 50_000), text(500, 50_000)])
    assert followed == longer, "as much more is believed: the number adds nothing"


def test_it_keeps_the_laws_of_predictors() -> None:
    kinds = [Kind("memory", "B", language, "small", {}, 9) for language in ("c", "python")]
    check_model(Transfer(believed, kinds), Floats())
    with pytest.raises(InputError, match="learned nothing"):
        Transfer(believed, kinds).predict([toy_rows()[0].prompt])


@pytest.mark.parametrize("metric", ["latency", "energy", "heat"])
def test_sixteen_rows_tell_how_a_device_differs(metric: str) -> None:
    carried = Transfer(believed, KINDS)
    carried.fit(rows(16, metric))
    truth = {n: 5e-3 * n**0.7 for n in (20, 300, 4000)}
    for n, found in zip(truth, carried.predict([asked(n, metric) for n in truth]), strict=True):
        low, high = found.interval(0.9)
        assert found.median == pytest.approx(truth[n], rel=0.1) and low <= truth[n] * 1.05 and truth[n] <= high * 1.05
    assert len(carried.errors) == 16 and np.abs(carried.errors).max() < 0.3
    kept = Transfer.from_json(json.loads(json.dumps(carried.to_json())), believed, KINDS)
    assert kept.predict([asked(77, metric)]) == carried.predict([asked(77, metric)])
    head = parts(carried.known(asked(5, metric))).head
    first = {"latency": "latency", "energy": "energy", "heat": "latency"}[metric]
    assert head["metric"] == first and head["device"] == "old" and head["language"] == "c, cc 1"
    assert head["input"] == "3 B: 'abc'" and ("batch" in head) == (first == "latency")


def test_what_is_known_of_each_language_is_asked() -> None:
    both = [*rows(12), *rows(12, language="python")]
    carried = Transfer(believed, KINDS)
    carried.fit(both)
    assert parts(carried.known(asked(9, language="python"))).head["language"] == "python"
    assert carried.predict([asked(500, language="python")])[0].median == pytest.approx(5e-3 * 500**0.7, rel=0.1)
    assert parts(carried.known(asked(9, language="go"))).head["language"] == "c, cc 1"
    with pytest.raises(InputError, match="knows nothing to carry over") as caught:
        Transfer(believed, KINDS).fit(rows(16, language="go"))
    assert "go of these rows; it knows: c, python" in caught.value.why


def test_values_of_both_signs_are_carried_over() -> None:
    made = [Row("shift", "s", asked(n, "shift"), float(n - 50)) for n in range(10, 100, 3)]
    carried = Transfer(believed, KINDS)
    carried.fit(made)
    low, high = (carried.predict([asked(n, "shift")])[0].median for n in (15, 95))
    assert low < 0 < high
    kept = Transfer.from_json(json.loads(json.dumps(carried.to_json())), believed, KINDS)
    assert kept.predict([asked(40, "shift")]) == carried.predict([asked(40, "shift")])


PROGRAM = """#include <stdlib.h>
#include <string.h>
int main(void) {{ char *p = malloc({0}); memset(p, 1, {0}); return p[{1}]; }}
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Programs on a laptop that holds half a megabyte beside twice what they ask for, and what they cost there."""
    made = []
    for metric, unit in (("memory", "B"), ("price", "")):
        for i in range(20):
            size = 1000 * 3**i // 2**i * 100
            text, value = PROGRAM.format(size, size // 2), 5e5 + 2.0 * size
            asks = question(Metric(metric, unit), "c", "laptop", text)
            made.append(Row(metric, unit, asks, value if metric == "memory" else 1e-6 * value, f"g{i}", "laptop"))
    write_rows(tmp_path / "rows.jsonl", made)
    return tmp_path / "rows.jsonl"


def test_a_checkpoint_answers_for_a_device_that_it_was_told_of(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("train", "--recipe", "adapt", "--data", str(table))
    code, out, err = run_forerun(*words, "-o", "mine", "--format", "json")
    assert code == 0 and "forerun predict FILE --model mine --metric memory --device laptop" in err, err
    told = {row["metric"]: row for row in json.loads(out)}
    assert told["memory"]["rows"] == 20 and 1 <= told["memory"]["off"] <= told["memory"]["most"] < 4
    Path("a.c").write_text(PROGRAM.format(30_000_000, 7))
    code, out, err = run_forerun("predict", "a.c", "--model", "mine", "--device", "laptop", "--format", "json")
    found = {row["metric"]: row for row in json.loads(out)}
    assert code == 0 and {"memory", "price"} <= set(found) and found["memory"]["device"] == "laptop"
    assert found["memory"]["value"] == pytest.approx(6e7, rel=0.7) and found["price"]["value"] == pytest.approx(
        60, rel=0.7
    )
    assert found["memory"]["familiarity"] > 0.05
    Path("other.c").write_text(
        "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n" * 40 + "int main() { f(9); }\n"
    )
    other = forerun.predict("other.c", metric="price", model="mine", device="laptop")
    assert other.familiar == "unlike anything seen"
    base = forerun.predict("other.c", metric="memory")
    elsewhere = forerun.predict("other.c", metric="memory", model="mine", device="laptop")
    assert elsewhere.high / elsewhere.low >= 0.99 * base.high / base.low, (
        "a few rows say nothing of what is unlike them"
    )
    Path("a.lua").write_text("local x = 1\n")
    code, out, err = run_forerun("predict", "a.lua", "--model", "mine", "--metric", "memory", "--device", "laptop")
    assert code == 0 and "nothing in lua was measured on 'laptop', only in c" in err and "unlike" in out, err
    usual, mine = (forerun.predict("a.c", metric="memory", model=model) for model in ("encoder_decoder", "mine"))
    assert (usual.value, usual.low, usual.device) == (mine.value, mine.low, mine.device)
    code, out, _ = run_forerun("models", "mine", "--format", "json")
    assert {"metric": "price", "where": "laptop", "rows": 20}.items() <= json.loads(out)[-1].items()

    again = EncoderDecoder("mine")
    again.save_pretrained("copy")
    assert (tmp_path / "copy/carried.json").read_text() == (tmp_path / "mine/carried.json").read_text()
    assert (tmp_path / "copy/learned.json").read_text() == (tmp_path / "mine/learned.json").read_text()
    code, out, err = run_forerun("eval", str(table), "--model", "length", "--checkpoint", "copy", "--similar", "2")
    assert code == 2 and not out and "copy has learned from" in err
    one = question(Metric("price", ""), "c", "laptop", PROGRAM.format(5, 5))
    assert EncoderDecoder("copy").predict([one]) == again.predict([one])
    (tmp_path / "copy/checksums.json").unlink()
    (tmp_path / "copy/carried.json").write_text('[{"place": ["a", "b", "c"], "transfer": {}}]')
    with pytest.raises(InputError, match=r"carried.json cannot be read") as caught:
        EncoderDecoder("copy")
    assert "--recipe adapt" in caught.value.todo

    known = [Row("memory", "B", row_of("laptop", i), 1e6 * i, f"g{i}", "laptop") for i in range(1, 10)]
    write_rows(tmp_path / "other.jsonl", known)
    more = ("train", "--recipe", "adapt", "--start", "mine", "--data", "other.jsonl", "-o", "mine")
    code, out, err = run_forerun(*more, "--format", "json")
    assert code == 0 and "9 rows, fewer than 16" in err and len(json.loads(out)) == 1
    assert set(EncoderDecoder("mine").carried.members) == {
        ("memory", "c", "laptop"), ("price", "c", "laptop"), ("memory", "python", "laptop")
    }  # fmt: skip


def waits(values: Sequence[float], metric: str = "wait") -> list[Row]:
    """Of programs on a laptop."""
    texts = [f"x = [0] * {i * 100_000}\n" for i in range(1, len(values) + 1)]
    asks = [question(Metric(metric, "s"), "python", "laptop", text) for text in texts]
    return [Row(metric, "s", ask, value, ask, "laptop") for ask, value in zip(asks, values, strict=True)]


def test_rows_of_one_value_are_told(tmp_path: Path, run_forerun: Run) -> None:
    rows, adapt = tmp_path / "rows.jsonl", ("train", "--recipe", "adapt", "-o", str(tmp_path / "mine"))
    for values, told in (([1e-3] * 20, True), ([1e-3 * i for i in range(1, 21)], False)):
        write_rows(rows, waits(values))
        code, _, err = run_forerun(*adapt, "--data", str(rows))
        assert code == 0 and ("all rows of wait have one value" in err) == told, err


def test_times_of_the_one_device_that_it_was_told_of_need_no_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("rows.jsonl"), waits([1e-3 * i for i in range(1, 21)]))
    assert run_forerun("train", "--recipe", "adapt", "--data", "rows.jsonl", "-o", "mine")[0] == 0
    Path("a.py").write_text("x = [0] * 300_000\n")
    code, out, err = run_forerun("predict", "a.py", "--model", "mine", "--metric", "wait")
    assert code == 0 and "laptop" in out and "no --device was named" not in err, err
    code, _, err = run_forerun("predict", "a.py", "--model", "mine", "--metric", "runtime")
    assert code == 0 and "no --device was named" in err and "--recipe adapt" in err, err
    code, _, err = run_forerun("predict", "a.py", "--model", "mine", "--metric", "wait,runtime")
    assert code == 0 and "it was told of laptop (--device)" in err and "--recipe adapt" not in err, err
    Path("b.py").write_text("a = []\nwhile True:\n    a.append(1)\n")
    code, _, err = run_forerun("predict", "b.py", "--model", "mine", "--metric", "wait", "--fail-over", "99s")
    assert code == GateFailed.exit_code and "b.py: its text sets no limit to what it takes" in err, err


def test_all_that_a_checkpoint_has_not_had_may_judge_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    noise = random.Random(0)
    rows = waits([1e-3 * i * noise.lognormvariate(0.0, 0.1) for i in range(1, 61)])
    write_rows(Path("few.jsonl"), rows[::3])
    write_rows(Path("all.jsonl"), rows)
    assert run_forerun("train", "--recipe", "adapt", "--data", "few.jsonl", "-o", "mine")[0] == 0
    judge = ("eval", "all.jsonl", "--model", "length", "--by", "unseen", "--similar", "2", "--format", "json")
    code, out, err = run_forerun(*judge, "--checkpoint", "mine")
    assert code == 0, err
    found = {row["model"]: row for row in json.loads(out)}
    assert {row["n"] for row in found.values()} == {40} and found["length"]["by"] == "unseen"
    assert found["encoder_decoder"]["spearman"] > 0.9 and found["encoder_decoder"]["coverage"] > 0.6
    write_rows(Path("others.jsonl"), [row for i, row in enumerate(rows) if i % 3])
    of_others = ("eval", "others.jsonl", *judge[4:], "--checkpoint", "mine")
    code, out, err = run_forerun(*of_others)
    assert code == 0 and "learned from 0 of these rows of wait: it is judged by all others, alone" in err, err
    alone = {row["model"]: row for row in json.loads(out)}
    assert "length" not in alone and alone["encoder_decoder"]["n"] == 40
    assert alone["encoder_decoder"]["spearman"] == found["encoder_decoder"]["spearman"]
    code, _, err = run_forerun(*of_others, "--model", "length")
    assert code == 2 and "length has too little to learn from" in err, err
    for more, said in (((), "it says which rows judge"), (("--checkpoint", "mine", "--seed", "1"), "nothing is drawn")):
        code, _, err = run_forerun(*judge, *more)
        assert code == 2 and said in err


def test_what_a_folder_holds_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_forerun: Run) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("waits.jsonl"), waits([1e-3 * i for i in range(1, 21)]))
    write_rows(Path("other.jsonl"), waits([1e-3 * i for i in range(1, 21)], "rest"))
    adapt = ("train", "--recipe", "adapt", "--data")
    for _ in range(2):  # the same again is no loss
        assert run_forerun(*adapt, "waits.jsonl", "-o", "mine")[0] == 0
    code, _, err = run_forerun(*adapt, "other.jsonl", "-o", "mine")
    assert code == 2 and "what it knows of wait of python on laptop would be lost" in err and "--start mine" in err
    assert run_forerun(*adapt, "other.jsonl", "--start", "mine", "-o", "mine")[0] == 0
    assert {metric for metric, *_ in EncoderDecoder("mine").carried.members} == {"wait", "rest"}
    code, _, err = run_forerun("show", "mine")
    assert code == 1 and "as --recipe adapt writes" in err and "forerun models mine" in err
    Path("mine/training.json").write_text("{}")
    code, _, err = run_forerun(*adapt, "waits.jsonl", "-o", "mine")
    assert code == 2 and "mine holds a training" in err
    Path("begun").mkdir()
    Path("begun/training.json").write_text("{}")  # as a training leaves it before its end
    code, _, err = run_forerun(*adapt, "waits.jsonl", "-o", "begun")
    assert code == 2 and "begun holds a training\nit has not come to its end" in err
    with pytest.raises(UsageError, match="begun holds a training"):
        EncoderDecoder("mine").save_pretrained("begun")
    assert [path.name for path in Path("begun").iterdir()] == ["training.json"]


def test_what_another_process_adapts_meanwhile_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit, others = Transfer.fit, ["rest", "pause"]

    def interrupted(self: Transfer, rows: Sequence[Row], seed: int = 0) -> None:
        if rows[0].metric == "wait":  # another process begins and ends while this one works
            name = others.pop(0)
            adapt(waits([1e-3 * i for i in range(1, 21)], name), start, tmp_path / "mine")
        fit(self, rows, seed)

    monkeypatch.setattr(Transfer, "fit", interrupted)
    for start, kept in ((None, {"rest"}), (tmp_path / "mine", {"rest", "pause"})):
        with pytest.raises(UsageError, match="mine holds another checkpoint"):
            adapt(waits([1e-3 * i for i in range(1, 21)]), start, tmp_path / "mine")
        assert {metric for metric, *_ in EncoderDecoder(tmp_path / "mine").carried.members} == kept


def row_of(device: str, i: int) -> str:
    return question(Metric("memory", "B"), "python", device, f"x = [0] * {i * 100_000}\n")


@pytest.mark.parametrize(
    ("device", "language", "more", "said"),
    [
        ("", "python", (), "--device laptop"),
        ("x86_64 AMD EPYC 2 cores 24 GiB", "python, cpython 3.11", (), "is known"),
        ("laptop", "brainfuck", (), "knows nothing to carry over"),
        ("laptop", "python", ("--depth", "2"), "--depth is of trainings"),
        ("laptop", "python", ("--start", "nowhere"), "there is no such folder"),
    ],
)
def test_what_cannot_be_adapted_to_is_told(
    device: str, language: str, more: tuple[str, ...], said: str, tmp_path: Path, run_forerun: Any
) -> None:
    made = [
        Row(
            "memory", "B", question(Metric("memory", "B"), language, device, f"x = [0] * {i}"), 1e6 + i, f"g{i}", device
        )
        for i in range(20)
    ]
    write_rows(tmp_path / "rows.jsonl", made)
    words = ("train", "--recipe", "adapt", "--data", str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "made"))
    code, _, err = run_forerun(*words, *more)
    assert code in (1, 2) and said in err, err
    assert not (tmp_path / "made").exists()
