"""`forerun train` and `forerun eval` on a user's own table."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from forerun.cli._train_predict import FEW  # noqa: E402
from forerun.core import Metric  # noqa: E402
from forerun.corpora._families import mlp  # noqa: E402
from forerun.models import boosted_trees  # noqa: E402
from forerun.models.encoder_decoder import PARTS, SHIPPED, EncoderDecoder, checksums  # noqa: E402
from forerun.models.encoder_decoder.learned import Learned  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.splits import split  # noqa: E402
from forerun.tables import read_rows, write_rows  # noqa: E402
from forerun.tasks._programs import question  # noqa: E402
from forerun.toolchains.onnx.build import serialised  # noqa: E402
from forerun.train.curves import points_of  # noqa: E402
from forerun.train.fit import network_of, translated  # noqa: E402
from forerun.train.recipes import cpu  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Programs that take ten times as long for each nested loop."""
    draw = random.Random(0)
    path = tmp_path / "mine.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["code", "latency_s", "problem"])
        for i in range(240):
            depth = draw.randint(1, 4)
            writer.writerow(["for " * depth + "x" * draw.randint(1, 20) + str(i), 10.0**depth, f"p{i % 60}"])
    return path


def test_a_table_becomes_a_checkpoint_that_is_judged_beside_its_rivals(
    table: Path, run_forerun: Any, tmp_path: Path
) -> None:
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--group", "problem", "--language", "c")
    small = ("--depth", "1", "--context", "64", "--steps", "30", "--similar", "2", "-o", str(tmp_path / "made"))
    code, out, err = run_forerun("train", *mine, *small, "--seconds", "0.01", "--format", "json")
    assert code == 0 and json.loads(out)[0]["done"].startswith("no")
    told = re.findall(r"^(\d+) rows to learn from, (\d+) to validate with, (\d+) kept to judge by$", err, re.MULTILINE)
    learn, held, kept = map(int, told[0])
    assert (
        learn + held + kept == 240
        and 0 < held < FEW < learn
        and f"{held} rows of latency calibrate its intervals, fewer than {FEW}" in err
    )
    code, out, err = run_forerun("train", *mine, *small, "--format", "json")
    assert f"training nll {points_of(tmp_path / 'made')[-1]['nll']:.3f}" in err
    assert code == 0 and json.loads(out)[0] | {"steps": 30, "done": "yes"} == json.loads(out)[0]
    assert "nothing was left to do" not in err
    again = run_forerun("train", *mine, *small, "--format", "json")
    assert again[:2] == (0, out) and "nothing was left to do" in again[2]

    rows = tmp_path / "rows.jsonl"
    words = ("import", str(table), "--text", "code", "--target", "latency_s", "--group", "problem", "--language", "c")
    assert run_forerun("data", *words, "-o", str(rows))[0] == 0
    models = ("--model", "length,mse_head", "--depth", "1", "--steps", "2")
    models = (*models, "--checkpoint", str(tmp_path / "made"))
    code, out, err = run_forerun("eval", str(rows), *models, "--similar", "2", "--format", "json")
    assert code == 0, err
    found = {row["model"]: row for row in json.loads(out)}
    assert set(found) == {"length", "mse_head", "encoder_decoder", "encoder_decoder without trees"}
    assert all(row["metric"] == "latency" and row["n"] > 5 for row in found.values())
    seen = ("eval", str(rows), *models, "--card")
    for other, named in (
        (("--seed", "1", "--similar", "2"), "--seed"),
        (("--seed", "0,1", "--similar", "3"), "--seed and --similar"),
        (("--by", "random", "--similar", "2"), "--by"),
    ):
        before = (tmp_path / "made" / "card.json").read_bytes()
        code, out, err = run_forerun(*seen, *other)
        assert code == 2 and not out and f"leave {named} out" in err and "made has learned from" in err, err
        assert (tmp_path / "made" / "card.json").read_bytes() == before
    code, out, _ = run_forerun("eval", str(rows), "--model", "length", "--similar", "2", "--seed", "0,3")
    shown = dict(zip(*(line.split("  ") for line in re.sub(" {2,}", "  ", out).strip().split("\n")), strict=True))
    assert shown["seeds"] == "0, 3" and int(shown["n"]) > 10 and float(shown["mape"]) > 0
    for name in ("spearman", "mdape", "coverage"):
        value, low, high = map(float, re.findall(r"-?\d\.\d{3}", shown[name]))
        assert low <= value <= high
    assert found["length"]["spearman_low"] <= found["length"]["spearman"] <= found["length"]["spearman_high"]


def test_a_checkpoint_is_judged_by_the_split_of_its_training(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    mine = (str(table), "--text", "code", "--target", "latency_s", "--group", "problem", "--language", "c")
    small = ("--depth", "1", "--context", "64", "--steps", "2", "--similar", "2", "--seed", "3", "--optimizer", "muon")
    made = tmp_path / "made"
    assert run_forerun("train", "--data", *mine, *small, "-o", str(made))[0] == 0
    assert json.loads((made / "training.json").read_text())["training"]["recipe"]["optimiser"] == "muon"
    assert run_forerun("data", "import", *mine, "-o", str(tmp_path / "rows.jsonl"))[0] == 0
    judge = ("--model", "length", "--checkpoint", str(made), "--format", "json")
    code, out, err = run_forerun("eval", str(tmp_path / "rows.jsonl"), *judge)
    assert code == 0 and "learned" not in err and {tuple(row["seeds"]) for row in json.loads(out)} == {(3,)}
    rows = read_rows(tmp_path / "rows.jsonl")
    parts = split(rows, "group", 3, similar=2)
    others = [replace(row, prompt=row.prompt.replace("for", "while"), group=f"other {row.group}") for row in rows]
    write_rows(tmp_path / "others.jsonl", others)
    code, out, err = run_forerun("eval", str(tmp_path / "others.jsonl"), *judge, "--seed", "0")
    assert code == 0 and "learned" not in err, err
    write_rows(tmp_path / "some.jsonl", [*others, *(replace(row, group=_judging(others)) for row in parts.train[:2])])
    code, out, err = run_forerun("eval", str(tmp_path / "some.jsonl"), *judge)
    assert code == 0 and "has learned from 2 of the" in err and "they are left out" in err, err
    write_rows(tmp_path / "own.jsonl", parts.train)
    code, out, err = run_forerun("eval", str(tmp_path / "own.jsonl"), *judge)
    assert code == 1 and not out and "give rows that it has not learned from" in err, err
    (made / "learned.json").unlink()
    code, out, err = run_forerun("eval", str(tmp_path / "rows.jsonl"), *judge)
    assert code == 1 and not out and "learned.json is missing" in err
    checksums.record(made, PARTS)  # as of a checkpoint that never had one
    code, out, err = run_forerun("eval", str(tmp_path / "rows.jsonl"), *judge)
    assert code == 0 and "does not say which rows it has learned from" in err


def _judging(rows: Sequence[Row]) -> str:
    """A group of the test."""
    return split(rows, "group", 3, similar=2).test[0].group


def test_the_weights_that_ship_are_started_from_by_their_name(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    with table.open("a", newline="") as file:
        csv.writer(file).writerows([[f"while {i} y", 3.0, f"more {i}"] for i in range(400)])
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--similar", "2")
    folder = tmp_path / "made"
    code, _, err = run_forerun("train", *mine, "--start", "encoder_decoder", "--seconds", "0", "-o", str(folder))
    assert code == 0 and "calibrate" not in err, err
    assert "each distinct text is a group" in err and "--language text" in err
    assert json.loads((folder / "training.json").read_text())["start"] == str(SHIPPED)


def test_the_weights_that_ship_are_judged_by_their_name(run_forerun: Any, tmp_path: Path) -> None:
    texts = [f"#include <stdlib.h>\nint main(void) {{ return !malloc({n}); }}\n" for n in range(90)]
    made = [question(Metric("memory", "B"), "c", "", text) for text in texts]
    rows = [Row("memory", "B", prompt, 1e6 + i, f"g{i}") for i, prompt in enumerate(made)]
    write_rows(tmp_path / "rows.csv", rows)
    words = ("eval", str(tmp_path / "rows.csv"), "--checkpoint", "encoder_decoder", "--similar", "2")
    code, out, err = run_forerun(*words, "--model", "length", "--format", "json")
    found = {row["model"]: row for row in json.loads(out)}
    assert code == 0 and list(found) == ["length", "encoder_decoder", "encoder_decoder without trees"], err
    whole, alone = (found[name] for name in ("encoder_decoder", "encoder_decoder without trees"))
    assert whole["n"] == alone["n"] and whole["mdape"] != alone["mdape"]
    code, _, err = run_forerun(*words, "--card")
    assert code == 2 and "would replace the shipped card" in err


def test_numbers_that_no_cost_has_are_told(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    with table.open("a", newline="") as file:
        csv.writer(file).writerows([[f"while {i} y", -float(i > 3), f"more {i}"] for i in range(7)])
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--similar", "2", "--seconds", "0")
    code, _, err = run_forerun("train", *mine, "-o", str(tmp_path / "made"))
    assert code == 1 and "3 rows hold less than 0: 245, 246, 247" in err and "--skip-bad-rows" in err
    code, _, err = run_forerun("train", *mine, "--skip-bad-rows", "-o", str(tmp_path / "made"))
    assert code == 0 and "4 of 244 rows of latency are zero or negative" in err and "leave them out" in err
    assert "one value" not in err
    rows = [Row("heat", "J", f"metric heat\n\nint x{i};", 2.0, f"g{i}") for i in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    words = ("--data", str(tmp_path / "rows.jsonl"), "--similar", "2", "--seconds", "0", "-o", str(tmp_path / "other"))
    code, _, err = run_forerun("train", *words)
    assert code == 0 and "all rows of heat have one value" in err


def test_intervals_over_few_groups_are_told(run_forerun: Any, tmp_path: Path) -> None:
    draw = random.Random(0)
    for groups, told in (
        (3, "x: all rows that judge are of one group: no interval"),
        (20, "x: its intervals are drawn over 2 whole groups, fewer than 5"),
        (90, ""),
    ):
        made = [
            Row("x", "s", f"metric x\n\n{draw.random()} {draw.random()} {draw.random()}", 1 + i, f"g{i % groups}")
            for i in range(180)
        ]
        write_rows(tmp_path / "rows.csv", made)
        code, out, err = run_forerun("eval", str(tmp_path / "rows.csv"), "--model", "length", "--format", "json")
        assert code == 0 and (told in err if told else not err), err
        (row,) = json.loads(out)
        assert row["mdape"] is not None and (row["mdape_low"] is None) == (row["mdape_high"] is None) == (groups == 3)


def test_errors_that_are_vast_are_told_in_few_digits(run_forerun: Any, tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = [
        Row("x", "s", f"metric x\n\n{draw.random()} {draw.random()}", 10.0 ** draw.uniform(-300, 300), f"g{i % 90}")
        for i in range(180)
    ]
    write_rows(tmp_path / "rows.csv", rows)
    code, out, err = run_forerun("eval", str(tmp_path / "rows.csv"), "--model", "length")
    shown = dict(zip(*(line.split("  ") for line in re.sub(" {2,}", "  ", out).strip().split("\n")), strict=True))
    assert code == 0 and not err and len(max(out.splitlines(), key=len)) < 250
    assert re.fullmatch(r"\d\.\de\+\d+", shown["mape"]) and re.fullmatch(r"\d+\.\d{3}", shown["log_crps"])


def test_an_interrupted_training_says_how_to_go_on(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    mine = ("-o", str(folder), "--data", str(table), "--text", "code", "--target", "latency_s", "--similar", "2")

    over = threading.Event()

    def interrupt() -> None:
        while not over.wait(0.05):
            if (folder / "metrics.jsonl").exists():
                os.kill(os.getpid(), signal.SIGINT)
                return

    threading.Thread(target=interrupt).start()
    code, out, err = run_forerun("train", *mine, "--depth", "1", "--context", "64", "--steps", "100000")
    over.set()
    assert code == 130 and not out and f"the same command goes on: the training is in {folder}" in err
    assert (folder / "last.safetensors").exists()
    code, _, err = run_forerun("predict", str(table), "--model", str(folder))
    assert code == 1 and "has not come to its end" in err and f"-o {folder}" in err
    code, _, err = run_forerun("train", *mine, "--depth", "1", "--context", "64", "--steps", "9")
    assert code == 1 and "it was begun with steps 100000 (now 9)\n" in err
    for words in (
        ("eval", str(table), "--checkpoint", str(folder)),
        ("train", *mine[2:], "--start", str(folder), "-o", str(tmp_path / "other")),
        ("train", *mine[2:], "--start", str(folder), "--recipe", "lora", "-o", str(tmp_path / "other")),
    ):
        code, _, err = run_forerun(*words)
        assert code == 1 and "made holds no checkpoint" in err and "has not come to its end" in err
    assert not (tmp_path / "other").exists()


def test_trees_that_time_stops_go_on(
    table: Path, run_forerun: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boosted_trees, "_MOST", 9)
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--language", "c", "--similar", "2")
    small = ("--depth", "1", "--context", "64", "--steps", "1", "-o", str(tmp_path / "made"), "--format", "json")
    code, out, err = run_forerun("train", *mine, *small, "--seconds", "0")
    assert code == 0 and json.loads(out)[0] | {"steps": 1, "done": "no: call it again"} == json.loads(out)[0]
    assert "forests" not in err and len([*(tmp_path / "made" / "growing").iterdir()]) == 1
    code, out, err = run_forerun("train", *mine, *small)
    assert code == 0 and json.loads(out)[0]["done"] == "yes" and not (tmp_path / "made" / "growing").exists()
    assert re.search(r"^forests 14/14  \d s  of latency, from all rows$", err, re.MULTILINE), err


def test_what_a_killed_training_lost_and_another_one_forgets_is_told(
    table: Path, run_forerun: Any, tmp_path: Path
) -> None:
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--language", "c", "--similar", "2")
    small = ("--depth", "1", "--context", "64", "--steps", "4", "-o", str(tmp_path / "made"))
    assert run_forerun("train", *mine, *small, "--seconds", "0")[0] == 0
    _, _, err = run_forerun("train", *mine, *small, "--seconds", "0")
    assert "it goes on after step 1\n" in err and "anew" not in err
    (tmp_path / "made" / "last.safetensors").unlink()  # as a kill in the first half minute leaves it
    code, _, err = run_forerun("train", *mine, *small)
    assert code == 0 and "left before anything was saved: it begins anew" in err and "goes on" not in err
    lora = ("--recipe", "lora", "--start", str(tmp_path / "made"), "--steps", "2", "-o", str(tmp_path / "other"))
    assert "forgotten" not in run_forerun("train", *mine, *lora, "--seconds", "0")[2]
    rows = [Row("heat", "J", f"metric heat\n\nint x{i};", 2.0 + i, f"g{i}") for i in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    _, _, err = run_forerun("train", "--data", str(tmp_path / "rows.jsonl"), *lora[:-1], str(tmp_path / "third"))
    assert "what made knows of other rows than these will be forgotten (latency): --recipe adapt keeps it" in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("train",), "required"),
        (("train", "--steps", "3"), "nothing to learn from"),
        (("train", "-o", "made"), "nothing to learn from"),
        (("train", "-o", "made", "--data", "mine.csv", "--text", "code"), "go together"),
        (("train", "--data", "mine.csv", "-o"), "expected one argument"),
        (("train", "made"), "invalid choice: 'made'"),
        (("train", "--data", "mine.csv"), "data import mine.csv --text COLUMN --target COLUMN"),
        (
            ("data", "import", "mine.csv", "--text", "code", "--target", "latency_s", "-o", "mine.csv"),
            "it would be replaced",
        ),
        (("data", "import", "mine.csv", "--layout", "code-regression", "-o", "mine.csv"), "it would be replaced"),
        (("data", "show", "mine.csv"), "data import mine.csv --text COLUMN --target COLUMN"),
        (("train", "--data", "mine.csv", "--text", "code"), "go together"),
        (("train", "--data", "mine.csv", "--skip-bad-rows"), "is no table of rows"),
        (("train", "--data", "mine.csv", "--text", "code", "--target", "speed"), "latency_s"),
        (("train", "--data", "mine.csv", "--recipe", "soup"), "recipes: cpu, gpu, lora, adapt\n"),
        (("train", "--data", "no rows are read.csv", "--recipe", "lora"), "none was named"),
        (("train", "--data", "mine.csv", "--learning-rate", "0"), "--learning-rate 0"),
        (("train", "--data", "mine.csv", "--tokens", "255"), "it is a number from 256"),
        (("train", "--data", "mine.csv", "--optimizer", "adamw", "--recipe", "adapt"), "--optimizer is of trainings"),
        (("train", "--data", "mine.csv", "--recipe", "schedule"), "no recipe 'schedule' here"),
        (("train", "schedule", "--data", "rows.jsonl", "--recipe", "lora"), "recipes: schedule, cpu, gpu\n"),
        (("train", "--data", "mine.csv", "--start", "nowhere"), "there is no such folder"),
        (("train", "--data", "mine.csv", "--start", "scheduler"), "it writes schedules"),
        (("train", "--data", "mine.csv", "--start", "."), ". holds no checkpoint"),
        (("eval", "mine.csv", "--checkpoint", "nowhere"), "there is no such folder"),
        (("eval", "mine.csv", "--checkpoint", "."), ". holds no checkpoint"),
        (("eval", "mine.csv", "--checkpoint", "mine.csv"), "it is a file, and a checkpoint is a folder"),
        (("train", "--data", "mine.csv", "--start", "encoder_decoder", "--depth", "7"), "has its own, 2"),
        (("train", "--data", "mine.csv", "--start", "encoder_decoder", "--tokens", "999"), "--tokens with --start"),
        (("train", "--data", "mine.csv", "--context", "9000000"), "no memory holds"),
        (("train", "schedule", "--data", "x.jsonl", "--start", "scheduler", "--depth", "7"), "has its own, "),
        (("train", "--data", "mine.csv", "--seed", "-1"), "it is a number from 0"),
        (("train", "--data", "mine.csv", "--seed", "9" * 20), "it is a number from 0 to 4294967295"),
        (("train", "--data", "mine.csv", "--tokens", "9" * 10), "it is a number from 256 to 1048576"),
        (("eval", "rows.jsonl", "--depth", "2"), "none is to be trained"),
        (
            ("data", "import", "mine.csv", "--text", "code", "--target", "latency_s", "--limit", "3", "-o", "a.csv"),
            "--limit of a table of yours",
        ),
        (("data", "export", "memory", "--each", "3", "-o", "a.csv"), "rows of memory have no pipelines"),
        (("data", "export", "size", "--each", "0", "-o", "a.csv"), "one pipeline is kept at least"),
        (("show", "nowhere"), "there is no such folder"),
        (("train", "--data", "nowhere.csv"), "nowhere.csv"),
        (("train", "--data", "mine.csv", "-o", "nowhere/made"), "no such folder: nowhere"),
        (("train", "passes", "-o", "nowhere/c.json"), "no such folder: nowhere"),
        (("train", "-o", "made", "--data", "nowhere.csv", "--seconds", "-3"), "--seconds -3"),
        (("eval", "rows.jsonl", "--seed", "one"), "not a number"),
        (("eval", "rows.jsonl", "--seed", ","), "not a number"),
        (("eval", "rows.jsonl", "--seed", "0,4294967296"), "a seed is at most 4294967295: '4294967296'"),
        (("eval", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_is_wrong_is_said(
    words: tuple[str, ...], why: str, table: Path, run_forerun: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    code, out, err = run_forerun(*words)
    assert code in (1, 2) and not out and why in err and len(err.strip().splitlines()) == 3


def test_a_training_goes_into_a_folder(table: Path, run_forerun: Any) -> None:
    words = ("--data", str(table), "--text", "code", "--target", "latency_s", "--similar", "2")
    code, out, err = run_forerun("train", *words, "-o", str(table))
    assert code == 2 and not out and "mine.csv is a file" in err and "name a folder" in err


def test_a_model_that_predicts_nothing_and_a_metric_that_is_not_there(
    table: Path, run_forerun: Any, tmp_path: Path
) -> None:
    rows = str(tmp_path / "rows.csv")
    run_forerun("data", "import", str(table), "--text", "code", "--target", "latency_s", "-o", rows)
    assert "predicts no numbers" in run_forerun("eval", rows, "--model", "uniform")[2]
    unknown = run_forerun("eval", rows, "--model", "nope")[2]
    assert "no model is called 'nope'" in unknown and "length, " in unknown and "uniform" not in unknown
    assert "metrics: latency" in run_forerun("eval", rows, "--metric", "beauty")[2]


def test_code_without_labels_is_where_a_training_starts(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    folder = tmp_path / "code" / "deeper"
    folder.mkdir(parents=True)
    for i in range(50):
        (folder / f"{i}.c").write_text(f"int f{i}(int n) {{ for (int i = 0; i < n; i++) n += {i}; return n; }}\n")
    (folder / "readme.txt").write_text("nothing to learn")
    (folder / "f.ll").write_text("define i32 @f() {\n  ret i32 1\n}\n")
    (folder / "f.s").write_text("f:\n\tmovl $1, %eax\n\tretq\n")
    (folder / "net.onnx").write_bytes(serialised(mlp(random.Random(0))[1]))
    (folder / "damaged.onnx").write_bytes(b"noise")
    (folder / "latin.c").write_bytes(b"/* caf\xe9 */ int g(int n) { return n; }\n")
    language, small = tmp_path / "language", ("--depth", "1", "--context", "64", "--format", "json")
    words = ("train", "code", "--folder", str(tmp_path / "code"), *small, "--steps", "5", "-o", str(language))
    code, out, err = run_forerun(*words)
    assert code == 0 and json.loads(out)[0]["done"] == "yes" and "54 texts to learn from" in err
    assert "code: 1 file left out: " in err
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "--group", "problem", "--language", "c")
    start = ("--start", str(language), "--similar", "2", "--steps", "2", "-o", str(tmp_path / "made"))
    code, out, err = run_forerun("train", *mine, *small, *start)
    assert code == 0 and json.loads(out)[0]["done"] == "yes", err
    assert (tmp_path / "made" / "tokenizer.json").read_bytes() == (language / "tokenizer.json").read_bytes()

    asm = tmp_path / "asm"
    asm.mkdir()
    for i in range(60):
        (asm / f"{i}.s").write_text(f"f{i}:\n\tvpaddd %ymm{i % 16}, %ymm1, %ymm2\n\tvzeroupper\n\tretq\n")
    other, old = tmp_path / "other", EncoderDecoder(tmp_path / "made")
    words = ("train", "code", "--folder", str(asm), "--start", str(tmp_path / "made"), *small, "--steps", "2")
    code, out, err = run_forerun(*words, "--tokens", "274", "-o", str(other))
    assert code == 0 and json.loads(out)[0]["done"] == "yes", err
    new, text = EncoderDecoder(other), "vpaddd %ymm7, %ymm1, %ymm2\n"
    (token, *_), pieces = new.tokenizer.encode("vpaddd").ids, old.tokenizer.encode("vpaddd").ids
    assert len(new.tokenizer.encode("vpaddd").ids) == 1 < len(pieces) and new.tokenizer.bytes.get_vocab_size() == 274
    known = network_of(old.tokenizer, cpu(), tmp_path / "made")
    begins = translated(known, old.tokenizer, new.tokenizer)
    assert torch.allclose(begins.embed_tokens.weight[token], known.embed_tokens.weight[pieces].mean(0))
    assert torch.equal(begins.encoder[0].mlp.gate_proj.weight, known.encoder[0].mlp.gate_proj.weight)
    assert new.tokenizer.decode(new.tokenizer.encode(text).ids) == text and new.learned == old.learned != Learned()
    for told in ("asm holds no checkpoint", "leave out --start"):
        code, out, err = run_forerun(*words[:4], "--start", str(asm), "-o", str(tmp_path / "none"))
        assert code != 0 and told in err and not (tmp_path / "none").exists()
        (asm / "config.json").write_text("{}")  # as of an encoder of T5Gemma

    code, out, err = run_forerun("train", "code", "-o", str(tmp_path / "none"))
    assert code == 2 and "no folder and no file is named" in err
    code, out, err = run_forerun("train", "code", "--folder", str(tmp_path / "absent"), "-o", str(tmp_path / "none"))
    assert code == 1 and "there is no folder" in err


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_its_recipe_says_so(table: Path, run_forerun: Any, tmp_path: Path) -> None:
    mine = ("--data", str(table), "--text", "code", "--target", "latency_s", "-o", str(tmp_path / "made"))
    code, _, err = run_forerun("train", *mine, "--recipe", "gpu", "--steps", "1")
    assert code == 2 and "--recipe gpu needs a GPU" in err and "name --recipe cpu" in err


def test_rows_that_lack_something_are_left_out_wherever_rows_are_read(run_forerun: Any, tmp_path: Path) -> None:
    asked = question(Metric("wait", "s"), "c", "", "int x;")
    rows = [Row("wait", "s", f"{asked}{i}", 1.0 + i, f"g{i}") for i in range(120)]
    write_rows(tmp_path / "rows.jsonl", rows)
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write(json.dumps({"metric": "wait", "unit": "s", "prompt": asked, "value": None}) + "\n")
    for words in (("data", "show"), ("eval", "--model", "length", "--similar", "2")):
        given = (*words[:2], str(tmp_path / "rows.jsonl"), *words[2:]) if words[0] == "data" else (
            words[0], str(tmp_path / "rows.jsonl"), *words[1:])  # fmt: skip
        code, _, err = run_forerun(*given)
        assert code == 1 and "row 121" in err and "--skip-bad-rows" in err
        code, _, err = run_forerun(*given, "--skip-bad-rows")
        assert code == 0 and "left out" in err, err


def test_a_checkpoint_is_not_judged_by_what_it_knows_nothing_of(run_forerun: Any, tmp_path: Path) -> None:
    for metric, language in (("wait", "c"), ("memory", "klingon")):
        asks = [question(Metric(metric, "B"), language, "", f"int x = {i};") for i in range(60)]
        write_rows(tmp_path / "rows.csv", [Row(metric, "B", ask, 1e6 + i, f"g{i}") for i, ask in enumerate(asks)])
        words = ("eval", str(tmp_path / "rows.csv"), "--checkpoint", "encoder_decoder", "--similar", "2")
        code, _, err = run_forerun(*words, "--model", "length")
        if metric == "wait":
            assert code == 2 and "encoder_decoder knows no wait" in err and "memory" in err
        else:
            assert code == 0 and "of none like 60 of these rows (klingon on no device)" in err
