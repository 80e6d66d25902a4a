"""Networks that are trained where they are compared: the laws of predictors, and what makes each of them different."""

from __future__ import annotations

import json
import math
import runpy
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from forerun import registry  # noqa: E402
from forerun.core import END  # noqa: E402
from forerun.corpora import nasbench  # noqa: E402
from forerun.errors import ForerunError, InputError, UsageError  # noqa: E402
from forerun.grammars.floats import Floats  # noqa: E402
from forerun.grammars.ieee import IEEE  # noqa: E402
from forerun.models._regression import thinned  # noqa: E402
from forerun.models.encoder_decoder import EncoderDecoder  # noqa: E402
from forerun.models.encoder_decoder.calibration import Calibration  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.head import Head  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import SPECIAL, learn  # noqa: E402
from forerun.models.mse_head import MseHead, Target  # noqa: E402
from forerun.models.regress_lm import RegressLM, Unmasked, of_draws  # noqa: E402
from forerun.prompts import without_counters  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.stats import spearman  # noqa: E402
from forerun.tables import write_rows  # noqa: E402
from forerun.testing import check_model, toy_rows  # noqa: E402
from forerun.train import head, recipes  # noqa: E402
from forerun.train.batches import collate  # noqa: E402
from forerun.train.examples import Legal, tokenised  # noqa: E402
from forerun.train.fit import HELD, Parts, fit, labelled  # noqa: E402
from forerun.train.loop import moved  # noqa: E402
from forerun.train.trained import NETWORKS, Trained  # noqa: E402

TINY = recipes.named("cpu", depth=1, tokens=300, context=64,
                     steps=60, rows=2, row_tokens=256, evaluate_every=20, learning_rate=5e-3)  # fmt: skip
SHORT = replace(TINY, recipe=replace(TINY.recipe, steps=4, evaluate_every=2))
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
RIVALS = [kind for kind in NETWORKS if kind != EncoderDecoder.name]
torch.set_num_threads(1)  # threads that wait for each other are slower than one where others want the cores too


def medians(model: Trained, rows: Sequence[Row]) -> list[float]:
    return [found.median for found in model.predict([row.prompt for row in rows])]


@pytest.mark.parametrize("kind", RIVALS)
def test_every_network_keeps_the_laws_of_predictors(kind: str) -> None:
    with pytest.raises(InputError, match="learned nothing"):
        Trained(kind).predict(["int x;"])
    check_model(Trained(kind, SHORT), Floats())


@pytest.mark.parametrize("kind", RIVALS)
def test_a_rival_learns_what_is_there_to_learn(kind: str) -> None:
    rows, model = toy_rows(), Trained(kind, TINY)
    model.fit(rows, 1)
    assert spearman(medians(model, rows), [row.value for row in rows]) > 0.8


def test_a_training_that_ran_out_of_time_goes_on_in_its_folder(tmp_path: Path) -> None:
    rows = toy_rows()
    whole = Trained("mse_head", SHORT)
    whole.fit(rows)
    with pytest.raises(ForerunError, match="not trained yet"):
        Trained("mse_head", SHORT, folder=tmp_path, seconds=0).fit(rows)
    again = Trained("mse_head", SHORT, folder=tmp_path)
    again.fit(rows)
    steps = [json.loads(line)["step"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert steps == [1, 2, 3, 4]
    assert medians(again, rows) == medians(whole, rows)
    with pytest.raises(InputError, match="another training"):
        Trained("mse_head", TINY, folder=tmp_path).fit(rows)


def test_a_head_may_be_held_back_by_more_rows_than_say_when_to_stop(tmp_path: Path) -> None:
    rows = toy_rows()
    many = [replace(row, name=f"{row.name}-{i}") for row in rows if "language c\n" in row.prompt for i in range(HELD)]
    model = head.fit(Parts(rows, many[: HELD + 1]), tmp_path, SHORT)
    assert model is not None and len(model.predict([rows[0].prompt])) == 1


def test_one_head_learns_several_metrics_each_on_its_own_scale(tmp_path: Path) -> None:
    memory = toy_rows()
    steps = [replace(row, metric="steps", value=row.value * 1e-9, prompt=_of_steps(row.prompt)) for row in memory]
    model = head.fit(Parts([*memory[8:], *steps[8:]], [*memory[:8], *steps[:8]]), tmp_path, TINY)
    assert model is not None
    found = [[one.median for one in model.predict([row.prompt for row in rows])] for rows in (memory, steps)]
    for rows, estimates in zip((memory, steps), found, strict=True):
        assert 0.1 < float(np.median([e / row.value for e, row in zip(estimates, rows, strict=True)])) < 10
    with pytest.raises(InputError, match="was not trained on power\nit knows memory, steps"):
        model.predict([memory[0].prompt.replace("metric memory", "metric power")])


def _of_steps(prompt: str) -> str:
    assert "metric memory\n" in prompt
    return prompt.replace("metric memory\n", "metric steps\n")


def test_rivals_may_begin_with_the_weights_that_ours_begins_with(tmp_path: Path) -> None:
    rows = toy_rows()
    fit(Parts(rows[8:], rows[:8]), tmp_path / "start", replace(SHORT, ensemble=False, export=False))
    start = EncoderDecoder(tmp_path / "start", device="cpu")
    known = start.network.network.state_dict()  # type: ignore[attr-defined]
    still = replace(SHORT, recipe=replace(SHORT.recipe, learning_rate=0.0))
    rivals = {kind: Trained(kind, still, start=tmp_path / "start") for kind in RIVALS}
    for kind, rival in rivals.items():
        rival.fit(rows)
        assert len(rival.predict([rows[0].prompt])) == 1, kind
    headed = rivals["mse_head"]._model
    assert isinstance(headed, MseHead) and headed._parts[1].atoms == start.tokenizer.atoms
    own = headed._parts[0].state_dict()
    assert all(torch.equal(own[name], value) for name, value in known.items() if not name.startswith("decoder"))
    writer, name = rivals["regress_lm"]._model, "embed_tokens.weight"
    assert isinstance(writer, RegressLM) and writer.tokenizer.atoms == (
        *start.tokenizer.atoms,
        *Unmasked(IEEE()).pieces,
    )
    own, atoms = writer.network.network.state_dict(), SPECIAL + len(start.tokenizer.atoms)  # type: ignore[attr-defined]
    fresh = len(Unmasked(IEEE()).pieces)
    assert torch.equal(own[name][:atoms], known[name][:atoms])
    assert torch.equal(own[name][atoms + fresh :], known[name][atoms:])
    assert all(torch.equal(own[other], value) for other, value in known.items() if other != name)


def test_without_counters_none_is_seen() -> None:
    rows = toy_rows()
    blind = Trained("encoder_decoder", SHORT, counters=False)
    blind.fit(rows)
    bare = [replace(row, prompt=without_counters(row.prompt)) for row in rows]
    assert "counters" in rows[0].prompt and "counters" not in bare[0].prompt
    assert medians(blind, rows[:2]) == medians(blind, bare[:2])
    seeing = Trained("encoder_decoder", SHORT)
    seeing.fit(rows)
    assert isinstance(seeing._model, EncoderDecoder)
    seeing._model.calibration = Calibration()  # it learned next to nothing: its medians lie at the bounds
    assert medians(seeing, rows[:2]) != medians(seeing, bare[:2])


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be trained"):
        Trained("boosted_trees")
    for name in ("mse_head", "regress_lm"):
        with pytest.raises(InputError, match="learned nothing"):
            registry.find("models", name)().predict(["x"])
    with pytest.raises(InputError, match="nothing to learn from"):
        MseHead().fit([])


def test_the_head_reads_each_source_of_a_packed_row_alone() -> None:
    rows = toy_rows()[:5]
    tokenizer = learn([row.prompt for row in rows], 300)
    legal = Legal(tokenizer.size)
    grammars = {"memory": EncoderDecoder.taught}
    examples = tokenised(labelled(rows), grammars, tokenizer, legal, 64)
    torch.manual_seed(0)
    network = Head(Config.of_depth(1, tokenizer.size, 64)).eval()
    torch.nn.init.normal_(network.head.weight)
    assert len(network.decoder) == 0

    def estimates(packed: list[list[Any]]) -> list[float]:
        batch = moved(collate(packed), torch.device("cpu"))
        with torch.no_grad():
            found = network.estimates(batch.ids_BS, batch.segments_BS, batch.positions_BS, batch.segments_BR)
        return [float(x) for x in found[batch.segments_BR > 0]]

    alone = [estimates([[example]])[0] for example in examples]
    assert estimates([examples[:3], examples[3:]]) == pytest.approx(alone, abs=1e-4)
    target = Target.of(np.array([1.0, 10.0, 100.0]))
    assert target.place(target.to(np.array([10.0]))) == pytest.approx([math.log(10)])
    model = MseHead(network, tokenizer, {"memory": target})
    found = [one.median for one in model.predict([row.prompt for row in rows])]
    assert found == pytest.approx([math.exp(target.mean + target.deviation * z) for z in alone], rel=1e-3)
    values = [row.value for row in rows]
    errors = thinned(np.array([math.log(value / one) for value, one in zip(values, found, strict=True)]))
    assert model.with_errors(rows)._parts[2]["memory"].errors == pytest.approx(errors)


def test_regress_lm_chooses_among_all_pieces_and_its_median_is_that_of_its_draws() -> None:
    code = Unmasked(IEEE())
    assert set(code.allowed([])) == set(code.pieces) == {"<+>", "<->", *(f"<{digit}>" for digit in range(10))}
    spelled = code.write([1.005])
    assert code.read(spelled) == (1.004,) and code.allowed(spelled[:-1]) is code.allowed([])
    assert code.allowed(spelled) == (END,)
    assert of_draws([4.0, 1.0, 2.0, 9.0]).median == 3.0 and of_draws([4.0, 1.0, 2.0]).median == 2.0


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs benchmarks/predict.py in this process: its lines by model."""
    script = BENCHMARKS / "predict.py"

    def run(*words: str) -> tuple[int, dict[str, dict[str, Any]]]:
        monkeypatch.setattr(sys, "argv", [str(script), *words, "-o", str(tmp_path / "predict.json")])
        with pytest.raises(SystemExit) as stop:
            runpy.run_path(str(script), run_name="__main__")
        lines = [json.loads(line) for line in (tmp_path / "predict.jsonl").read_text().splitlines()]
        assert len(json.loads((tmp_path / "predict.json").read_text())["table"]) == len({x["model"] for x in lines})
        return int(stop.value.code or 0), {line["model"]: line for line in lines}

    return run


def test_the_benchmark_keeps_what_it_has_and_replaces_what_is_of_another_budget(
    benchmark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [replace(row, prompt=f"{row.prompt} {i}", group=f"{row.group} {i}") for i in range(3) for row in toy_rows()]
    write_rows(tmp_path / "memory.jsonl", rows)
    words = (str(tmp_path / "memory.jsonl"), "--similar", "2", "--depth", "1", "--context", "64", "--models")
    with_trees = "encoder_decoder with trees"
    code, lines = benchmark(*words, "length", "mse_head", with_trees, "stack", "--steps", "2")
    assert code == 0 and list(lines) == ["length", "mse_head", with_trees, "stack"]
    assert lines[with_trees]["scores"]["log_crps"] != lines["stack"]["scores"]["log_crps"]
    assert all(line["experiment"] == "memory" and line["by"] == "group" for line in lines.values())
    assert lines["mse_head"]["parameters"] > 10_000 and lines["length"]["parameters"] is None
    assert lines["length"]["n"] >= 5 and lines["length"]["scores"]["mdape"][0] > 0

    code, again = benchmark(*words, "length", "mse_head", "--steps", "3")
    assert code == 0 and again["length"] == lines["length"] and again["stack"] == lines["stack"]
    assert again["mse_head"]["budget"]["steps"] == 3
    code, stopped = benchmark(*words, "mse_head", "--steps", "4", "--seconds", "0")
    assert code == 1 and stopped == again

    report = runpy.run_path(str(BENCHMARKS / "report.py"))
    monkeypatch.setitem(report["load"].__globals__, "RESULTS", tmp_path)
    shown = report["predict"]()
    assert "**memory**, held out by group" in shown and "mse_head" in shown and "3 steps" in shown
    assert [line.split(" | ")[0] for line in shown.splitlines()[4:]].count("| length") == 1


def test_what_judges_is_known_from_nowhere_and_a_device_not_at_another_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = runpy.run_path(str(BENCHMARKS / "predict.py"))
    for name, value in {"LEARNED": 20, "FEW": 12, "OTHERS": 15}.items():
        monkeypatch.setitem(script["of_nas"].__globals__, name, value)
    path = tmp_path / "table.csv"
    titles = ("latency_ms.titan_rtx_1", "latency_ms.titan_rtx_256", "latency_ms.pixel3", "accuracy_percent.cifar10-val")
    lines = [f"{cell},{i},{i + 1},{i + 2},{i + 3}" for i, cell in enumerate(islice(nasbench.cells(), 1, 31))]
    path.write_text("\n".join([",".join(("arch", *titles)), *lines]))
    asked = Namespace(nas=path, seed=[0, 1], judged=10, only="", unseen=["titan_rtx_1"], pretrain=1)
    experiments = list(script["of_nas"](asked))
    assert [(one.by, one.seed) for one in experiments[:3]] == [("architecture", 0), ("architecture", 0), ("device", 0)]
    for one in experiments:
        assert bool(one.unlabelled) == ("accuracy" in one.name)
        assert not {*one.unlabelled} & {row.prompt for row in one.parts.test}
        learned = {row.group for part in (one.parts.train, one.parts.validation) for row in part}
        assert len(one.parts.test) == 10 and not learned & {row.group for row in one.parts.test}
    sizes = [(len(one.parts.train), len(one.parts.validation)) for one in experiments[:3]]
    assert sizes == [(15, 5), (7, 5), (15 + 7, 5)]
    both = experiments[2]
    assert {row.device for row in both.parts.train} == {"pixel3", "titan_rtx_1"}
    assert {row.device for row in both.parts.test} == {both.device} == {"titan_rtx_1"}
    assert len({one.digest for one in experiments}) == len(experiments) == 6
    only = list(script["of_nas"](Namespace(**vars(asked) | {"only": "of other devices"})))
    assert [one.digest for one in only] == [one.digest for one in experiments if one.device]
