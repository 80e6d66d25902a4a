"""From rows to a checkpoint that predicts: it learns, it resumes, it adapts, and it refuses what is wrong."""

from __future__ import annotations

import json
import math
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from forerun import prompts  # noqa: E402
from forerun.core import Metric  # noqa: E402
from forerun.distribution import Distribution  # noqa: E402
from forerun.errors import InputError, UsageError  # noqa: E402
from forerun.models import boosted_trees  # noqa: E402
from forerun.models._familiarity import Known  # noqa: E402
from forerun.models._pieces import FOLDER as GROWING  # noqa: E402
from forerun.models._pieces import Pieces  # noqa: E402
from forerun.models._renamed import renamed  # noqa: E402
from forerun.models.boosted_trees import BoostedTrees  # noqa: E402
from forerun.models.encoder_decoder import PARTS, EncoderDecoder, checksums  # noqa: E402
from forerun.models.encoder_decoder.calibration import Calibration, kinds, ranges  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.ensemble import FILE as ENSEMBLE  # noqa: E402
from forerun.models.encoder_decoder.ensemble import Ensemble  # noqa: E402
from forerun.models.encoder_decoder.network import Network  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import END, MASKS, Tokenizer, learn  # noqa: E402
from forerun.prompts import prompt  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.stats import spearman  # noqa: E402
from forerun.train import lora, recipes  # noqa: E402
from forerun.train.denoise import corrupted, denoised  # noqa: E402
from forerun.train.examples import Legal  # noqa: E402
from forerun.train.fit import Parts, fit, pretrain  # noqa: E402

TINY = recipes.named("cpu", bf16=False, depth=1, tokens=300, context=64, export=False,
                     steps=100, rows=2, row_tokens=256, evaluate_every=30, learning_rate=5e-3)  # fmt: skip
torch.set_num_threads(1)  # threads that wait for each other are slower than one where others want the cores too


def rows(n: int, seed: int, device: str = "here", factor: float = 1.0) -> list[Row]:
    """Ten times as slow for each nested loop."""
    draw = random.Random(seed)
    found = []
    for i in range(n):
        depth = draw.randint(1, 4)
        text = "for " * depth + "x" * draw.randint(1, 20)
        written = prompt(Metric("runtime", "s"), "c", device, text, counters={"loops": depth})
        found.append(Row("runtime", "s", written, factor * 10.0**depth, f"group {seed} {i % 9}", device))
    return found


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint")
    assert fit(Parts(rows(300, 0), rows(60, 1)), folder, TINY)
    return folder


def test_a_checkpoint_predicts_what_it_learned(trained: Path) -> None:
    model, held = EncoderDecoder(trained), rows(40, 2)
    found = model.predict([row.prompt for row in held])
    assert spearman([d.median for d in found], [row.value for row in held]) > 0.95
    readings = model.read([held[0].prompt, "something else entirely " * 9])
    assert readings[0].familiarity is not None and readings[1].familiarity is not None
    assert readings[0].familiarity > 0.02 > readings[1].familiarity and readings[1].cut > 0
    inside = [
        d.interval(0.9)[0] * 0.99 <= r.value <= d.interval(0.9)[1] * 1.01 for d, r in zip(found, held, strict=True)
    ]
    assert sum(inside) >= 0.75 * len(inside)
    lines = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, TINY.recipe.steps + 1))


def test_what_lies_beyond_the_rows_is_not_taken_for_one_of_them(trained: Path) -> None:
    def asked(loops: int) -> str:
        return prompt(Metric("runtime", "s"), "c", "here", "for for x", counters={"loops": loops})

    usual, most, beyond = EncoderDecoder(trained).read([asked(2), asked(4), asked(4000)])
    assert usual.outside == most.outside == () and usual.familiarity
    (low, high), (_, far) = most.distribution.interval(0.9), beyond.distribution.interval(0.9)
    assert beyond.familiarity == 0 and [one.name for one in beyond.outside] == ["loops"]
    assert far > 500 * high > 500 * low, "at the least as many times as the number lies beyond"


@pytest.mark.parametrize("values", [(-10.0, 100.0, -1e3, 1e4), (-10.0, -100.0, -1e3, -1e4), (0.0, 0.0, 0.0, 1e4)])
def test_a_number_that_is_no_cost_is_learned_too(values: tuple[float, ...], tmp_path: Path) -> None:
    def signed(n: int, seed: int) -> list[Row]:
        return [replace(row, value=values[round(math.log10(row.value)) - 1] * (1 + 0.1 * math.sin(i)))
                for i, row in enumerate(rows(n, seed))]  # fmt: skip

    with_trees = replace(TINY, ensemble=max(values) > 0 > min(values))
    assert fit(Parts(signed(300, 0), signed(60, 1)), tmp_path, with_trees)
    model, held = EncoderDecoder(tmp_path), signed(40, 2)
    readings = model.read([row.prompt for row in held])
    found = [reading.distribution for reading in readings]
    assert spearman([d.median for d in found], [row.value for row in held]) > 0.8
    for one, reading, row in zip(found, readings, held, strict=True):
        low, high = one.interval(0.9)
        assert -1.1e5 <= low <= one.median <= high <= 1.1e5
        assert high - low < 11 * abs(row.value) + 1 or not reading.familiarity
    inside = [d.interval(0.9)[0] <= r.value <= d.interval(0.9)[1] for d, r in zip(found, held, strict=True)]
    assert sum(inside) >= 0.75 * len(inside)


def test_what_was_stopped_goes_on_and_other_data_is_refused(trained: Path, tmp_path: Path) -> None:
    parts = Parts(rows(300, 0), rows(60, 1))
    while not fit(parts, tmp_path, TINY, seconds=0.7):
        assert not (tmp_path / "model.safetensors").exists()
        with pytest.raises(InputError, match="holds no checkpoint") as caught:
            EncoderDecoder(tmp_path)
        assert "has not come to its end" in caught.value.why and f"-o {tmp_path}" in caught.value.todo
    assert (tmp_path / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()
    heard, saved = list[str](), (tmp_path / "card.json").stat().st_mtime_ns
    again = replace(TINY, recipe=replace(TINY.recipe, save_every_s=9.0))  # which shapes nothing
    assert fit(parts, tmp_path, again, on_trees=lambda metric, *_: heard.append(metric))
    assert not heard and (tmp_path / "card.json").stat().st_mtime_ns == saved, "what has ended is not done again"
    (tmp_path / "model.safetensors").unlink()
    assert fit(parts, tmp_path, again, on_trees=lambda metric, done, of: heard.append(f"{metric} {done} of {of}"))
    assert (
        heard[0] == "runtime 0 of 14"
        and heard[-1] == "runtime, from all rows 14 of 14"
        and (tmp_path / "model.safetensors").exists()
    )
    other = replace(TINY, depth=2, recipe=replace(TINY.recipe, steps=7))
    for found, training, why in (
        (Parts(rows(299, 0), rows(60, 1)), TINY, "it was begun with other rows"),
        (parts, other, f"it was begun with steps {TINY.recipe.steps} (now 7), depth {TINY.depth} (now 2)"),
    ):
        with pytest.raises(InputError, match="another training") as caught:
            fit(found, tmp_path, training)
        assert caught.value.why == why
    begun = json.loads((tmp_path / "training.json").read_text())
    del begun["training"]["recipe"]["dropout"], begun["training"]["export"]  # as a version began it that had neither
    begun["training"]["recipe"]["save_every_s"] = 1.0
    (tmp_path / "training.json").write_text(json.dumps(begun))
    with pytest.raises(InputError) as caught:
        fit(parts, tmp_path, again)
    assert caught.value.why == "it was begun with export True (now False)"
    (tmp_path / "training.json").write_text("[")
    with pytest.raises(InputError, match=r"training\.json cannot be read"):
        fit(parts, tmp_path, TINY)


def test_a_checkpoint_that_did_not_end_a_training_is_not_overwritten(trained: Path, tmp_path: Path) -> None:
    EncoderDecoder(trained).save_pretrained(tmp_path / "copy", onnx=False)
    before = (tmp_path / "copy" / ENSEMBLE).read_bytes()
    with pytest.raises(InputError, match="copy holds another checkpoint") as caught:
        fit(Parts(rows(100, 5), rows(60, 1)), tmp_path / "copy", TINY)
    assert caught.value.why == "no training.json says how it was begun" and "another folder" in caught.value.todo
    (tmp_path / "copy" / "config.json").unlink()
    few = replace(TINY, recipe=replace(TINY.recipe, steps=2))
    assert fit(Parts(rows(100, 5), rows(60, 1)), tmp_path / "copy", few)
    assert (tmp_path / "copy" / ENSEMBLE).read_bytes() != before, "trees of what was there are none of these rows"


def test_numbers_that_no_scale_holds_are_told_before_the_training(tmp_path: Path) -> None:
    far = [replace(row, unit="", value=[1e308, -1e308][i % 2]) for i, row in enumerate(rows(60, 0))]
    with pytest.raises(InputError, match="the values of runtime are too far apart"):
        fit(Parts(far, far[:9]), tmp_path / "made", TINY)
    assert not (tmp_path / "made").exists()


def test_numbers_of_one_metric_have_one_unit(tmp_path: Path) -> None:
    mixed = [replace(row, unit="ms", value=1e3 * row.value) if i % 2 else row for i, row in enumerate(rows(60, 0))]
    with pytest.raises(InputError, match="runtime is in several units") as caught:
        fit(Parts(mixed, rows(60, 1)), tmp_path, TINY)
    assert caught.value.why == "s and ms"


@pytest.fixture
def forests(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of forests that have grown, all of them small."""
    grown, fitted = list[int](), boosted_trees._fitted

    def noted(x: Any, y: Any, trees: int, *how: Any, **more: Any) -> Any:
        grown.append(trees)
        return fitted(x, y, trees, *how, **more)

    monkeypatch.setattr(boosted_trees, "_MOST", 9)
    monkeypatch.setattr(boosted_trees, "_fitted", noted)
    return grown


FEW = replace(TINY, recipe=replace(TINY.recipe, steps=4))


def _of_two_metrics() -> Parts:
    """The second one has enough rows to grow anew from all of them."""
    told = [
        [replace(row, metric=name, prompt=row.prompt.replace("runtime", name)) for row in rows(n, seed)]
        for seed, sizes in ((0, (40, 100)), (1, (20, 20)))
        for name, n in zip(("runtime", "memory"), sizes, strict=True)
    ]
    return Parts(told[0] + told[1], told[2] + told[3])


def _same(one: Path, other: Path) -> bool:
    return not (one / GROWING).exists() and all(
        (one / name).read_bytes() == (other / name).read_bytes()
        for name in (*PARTS, "card.json")
        if (other / name).exists()
    )


@pytest.mark.parametrize("grows", [True, False])
def test_trees_that_have_grown_stay_when_the_others_are_interrupted(
    grows: bool, forests: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parts, heard, whole, one = _of_two_metrics(), list[tuple[str, int, int]](), tmp_path / "whole", tmp_path / "one"
    assert fit(parts, whole, FEW, on_trees=lambda *told: heard.append(told)) and not (whole / GROWING).exists()
    assert [done for _, done, _ in heard] == sorted(done for _, done, _ in heard)
    assert heard[0] == ("runtime", 0, 21) and heard[-1] == ("memory, from all rows", 21, 21)
    assert list(dict.fromkeys(name for name, _, _ in heard)) == ["runtime", "memory", "memory, from all rows"]
    of, fitted = len(forests), boosted_trees._fitted
    for stop in (2, 6, 9, 17):

        def interrupted(name: str, done: int, of: int, stop: int = stop) -> None:
            if done == stop:
                raise KeyboardInterrupt

        def killed(*asked: Any, stop: int = stop, **how: Any) -> Any:
            if len(forests) == of + stop - 1:
                raise KeyboardInterrupt
            return fitted(*asked, **how)

        if grows:
            monkeypatch.setattr(boosted_trees, "_fitted", killed)
        with pytest.raises(KeyboardInterrupt):
            fit(parts, one, FEW, on_trees=(lambda *_: None) if grows else interrupted)
        assert not (one / "model.safetensors").exists() and [*(one / GROWING).iterdir()]
        monkeypatch.setattr(boosted_trees, "_fitted", fitted)
    assert fit(parts, one, FEW) and _same(one, whole)
    assert len(forests) == 2 * of, "nothing grows twice"


def test_trees_stop_when_the_time_is_over_and_go_on(forests: list[int], tmp_path: Path) -> None:
    parts, whole, one = _of_two_metrics(), tmp_path / "whole", tmp_path / "one"
    assert fit(parts, whole, FEW)
    of = len(forests)
    for _ in range(FEW.recipe.steps - 1):
        assert not fit(parts, one, FEW, seconds=0.0) and len(forests) == of
    for n in range(1, 6):
        assert not fit(parts, one, FEW, seconds=0.0) and len(forests) == of + n
    kept = [*(one / GROWING).iterdir()]
    assert len(kept) == 5 and not (one / ENSEMBLE).exists()
    for path in kept[:2]:
        path.write_bytes(b"damaged")
    assert fit(parts, one, FEW, seconds=1e9) and _same(one, whole)
    assert len(forests) == 2 * of + 2


def test_pieces_are_of_what_they_follow_from(tmp_path: Path) -> None:
    made, x = list[int](), np.arange(6.0)

    def piece(*of: object) -> float:
        return float(
            Pieces(tmp_path / "kept").get(of, lambda: {"n": np.array([len(made), made.append(1) or 7])})["n"][0]
        )

    asked = [(x, 1), (x + 1, 1), (x, 2), (x.astype(np.float32), 1), (x.reshape(2, 3), 1)]
    assert [piece(*of) for of in asked] == [piece(*of) for of in asked] == [0, 1, 2, 3, 4]
    Pieces(tmp_path / "kept").clear()
    assert not [*tmp_path.iterdir()] and piece(x, 1) == 5


def test_a_training_overwrites_nothing_of_others(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        fit(Parts(rows(40, 0), rows(20, 1)), tmp_path, TINY)
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]


def test_a_network_that_does_not_fit_into_memory_leaves_the_folder_free(tmp_path: Path) -> None:
    parts = Parts(rows(40, 0), rows(20, 1))
    with pytest.raises(UsageError, match="not enough memory") as caught:
        fit(parts, tmp_path, replace(TINY, depth=10_000_000))
    assert all(word in caught.value.todo for word in ("--depth", "--context", "rows"))
    other = replace(TINY, tokens=280, recipe=replace(TINY.recipe, steps=2))
    assert not fit(parts, tmp_path, other, seconds=0.0)
    assert json.loads((tmp_path / "training.json").read_text())["training"]["depth"] == TINY.depth
    assert Tokenizer.load(tmp_path).size < learn([row.prompt for row in parts.train], 300).size
    with pytest.raises(InputError, match="another training"):
        fit(parts, tmp_path, TINY)


def test_a_new_device_from_a_few_examples(trained: Path, tmp_path: Path) -> None:
    few = Parts(rows(48, 3, "there", 1e-6), rows(24, 4, "there", 1e-6))
    adapting = recipes.named("lora", steps=120, rows=2, row_tokens=256, context=64, learning_rate=1e-2, export=False)
    assert fit(few, tmp_path, adapting, start=trained)
    held = rows(30, 5, "there", 1e-6)
    before, after = (EncoderDecoder(place, device="cpu") for place in (trained, tmp_path))

    def off(model: EncoderDecoder) -> float:
        found = model.predict([row.prompt for row in held])
        return float(np.median([abs(math.log10(d.median / r.value)) for d, r in zip(found, held, strict=True)]))

    assert off(after) < 0.5 < 4 < off(before)
    assert before.config == after.config


def test_trees_beside_the_network_are_kept_and_take_their_share(trained: Path, tmp_path: Path) -> None:
    model = EncoderDecoder(trained)
    member = model.ensemble.members["runtime"]
    share = member.shares.get("c", member.share)
    assert 0 <= share <= 1 and (trained / "ensemble.safetensors").is_file()
    asked = [row.prompt for row in rows(20, 6)]
    both = [one.median for one in model.predict(asked)]
    model.ensemble = Ensemble({})
    alone = [one.median for one in model.predict(asked)]
    model.ensemble = Ensemble({"runtime": replace(member, share=0.5, shares={})})
    mixed = [one.median for one in model.predict(asked)]
    trees = [one.median for one in member.trees.predict(asked)]
    assert mixed == pytest.approx([math.sqrt(a * b) for a, b in zip(alone, trees, strict=True)], rel=1e-6)
    assert both == pytest.approx([a * (b / a) ** share for a, b in zip(alone, trees, strict=True)], rel=1e-6)
    (tmp_path / "ensemble.safetensors").write_bytes((trained / "ensemble.safetensors").read_bytes()[:-9])
    with pytest.raises(InputError, match="ensemble"):
        Ensemble.load(tmp_path)


def test_few_trees_grow_anew_from_all_rows() -> None:
    every = rows(120, 3)
    train, held = every[:-20], every[-20:]
    first = Ensemble.of(train, held, [row.value for row in held])
    again = first.anew(every)
    (name, before), after = next(iter(first.members.items())), again.members
    assert after[name].share == before.share == pytest.approx(0, abs=0.1), "the network is never off"
    asked, alone = [row.prompt for row in held], BoostedTrees(before.trees.reading)
    alone.fit(every)
    found = [one.median for one in after[name].trees.predict(asked)]
    assert found == [one.median for one in alone.predict(asked)]
    assert found != [one.median for one in before.trees.predict(asked)]
    assert first.anew(train[:90]).members[name] is before, "too few"


def test_low_rank_updates_begin_as_nothing_and_end_in_the_weights() -> None:
    network = Network(Config.of_depth(1, 300))
    ids = torch.randint(0, 300, (1, 9))
    asked = (ids, torch.ones_like(ids), torch.arange(9)[None])
    before, names = network.encode(*asked), set(network.state_dict())
    lora.add(network, 2)
    assert torch.equal(network.encode(*asked), before)
    trainable = [p for p in network.parameters() if p.requires_grad]
    assert {min(p.shape) for p in trainable} == {2}
    for parameter in trainable:
        torch.nn.init.normal_(parameter)
    changed = network.encode(*asked)
    lora.merge(network)
    assert set(network.state_dict()) == names and torch.allclose(network.encode(*asked), changed, atol=1e-5)
    assert not torch.allclose(changed, before) and all(p.requires_grad for p in network.parameters())


def test_gaps_and_what_stood_in_them() -> None:
    ids = np.arange(1000, 1200, dtype=np.int32)
    kept, answer = corrupted(ids, np.random.default_rng(0))
    assert 0.05 < 1 - (kept >= 1000).mean() * len(kept) / len(ids) < 0.3
    gaps: dict[int, list[int]] = {}
    for token in answer[:-1].tolist():
        (gaps.setdefault(mask := token, []) if token in MASKS else gaps[mask].append(token))
    assert answer[-1] == END
    whole = [t for token in kept.tolist() for t in (gaps[token] if token in MASKS else [token])]
    assert whole == ids.tolist()


def test_pre_training_on_text_alone(tmp_path: Path) -> None:
    texts = [f"for (int i = 0; i < {n}; i++) {{ sum += a[i]; }}\n" for n in range(60)]
    assert pretrain(texts, tmp_path, replace(TINY, recipe=replace(TINY.recipe, steps=40, evaluate_every=10)))
    losses = [json.loads(line)["validation"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    found = [loss for loss in losses if loss is not None]
    assert min(found[1:]) < 0.9 * found[0]
    tokenizer = learn(texts, 300, ["a"])
    assert denoised(["x"], tokenizer, Legal(tokenizer.size), 64) == []


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    good = rows(20, 0)
    for parts, why in (
        (Parts(good[:3], good[3:]), "too little"),
        (Parts(good, []), "too little"),
        (Parts([replace(good[0], value=math.nan), *good], good), "nan"),
    ):
        with pytest.raises(InputError, match=why):
            fit(parts, tmp_path, TINY)
    with pytest.raises(InputError, match="3 texts"):
        pretrain(["a"] * 3, tmp_path, TINY)
    with pytest.raises(UsageError, match="no recipe"):
        recipes.named("abacus")


def test_a_short_training_is_validated_as_often_as_a_long_one() -> None:
    whole = recipes.named("cpu").recipe
    for steps, every in ((150, 12), (3, 1), (whole.steps, 200), (9000, 200)):
        assert recipes.named("cpu", steps=steps).recipe.evaluate_every == every
        assert steps > 2400 or steps < 12 or steps // every == whole.steps // whole.evaluate_every
    assert recipes.named("cpu", steps=150, evaluate_every=30).recipe.evaluate_every == 30


def test_low_rank_updates_start_from_a_checkpoint_of_ours(tmp_path: Path) -> None:
    parts = Parts(rows(20, 0), rows(10, 1))
    for start, why in ((None, "none was named"), (tmp_path, f"{tmp_path} is none"), (Path("hub:a/b"), "hub:a/b is")):
        with pytest.raises(UsageError, match="low-rank updates start from") as caught:
            fit(parts, tmp_path / "new", recipes.named("lora"), start=start)
        assert why in caught.value.why and not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("config.json", {"width": "64"}, 'width is "64", not int'),
        ("config.json", {"heads": 0}, "heads is 0, not above zero"),
        ("config.json", {"global_every": None}, "global_every is null, not int"),
        ("config.json", {"colour": 1}, "unknown entries: colour"),
        ("card.json", {"kinds": [7]}, r"kinds[0] is 7, no object"),
        ("card.json", {"limits": "none"}, 'limits is "none", not tuple'),
        ("calibration.json", {"factors": [1]}, "'list' object has no attribute 'items'"),
        ("calibration.json", {"known": {"mean": [1], "whitening": [1], "distances": [1]}}, "do not fit each other"),
    ],
)
def test_entries_of_a_wrong_type_are_told(
    name: str, change: dict[str, object], why: str, trained: Path, tmp_path: Path
) -> None:
    place = shutil.copytree(trained, tmp_path / "copy")
    path = place / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    checksums.record(place, PARTS)
    for device in ("", "cpu"):
        with pytest.raises(InputError) as caught:
            EncoderDecoder(place, device=device)
        assert why in caught.value.why and len(str(caught.value).splitlines()) == 3
    (place / "pieces.json").write_text("[1, 2]")
    path.write_text((trained / name).read_text())
    with pytest.raises(InputError, match="no tokenizer") as caught:
        EncoderDecoder(place)
    assert "it[0] is 1, not str" in caught.value.why


def test_answers_stay_near_what_was_learned_from() -> None:
    rows = [Row("memory", "B", prompt(Metric("memory", "B"), "c", "here", str(v)), v) for v in (2.0, 30.0)]
    assert ranges(rows) == {"memory": (0.2, 300), "memory/c": (0.2, 300)}
    assert ranges([*rows, replace(rows[0], value=0.0)])["memory"] == (0, 300)
    assert ranges([*rows, replace(rows[0], value=-4.0)])["memory"] == (-40, 300)
    head = prompts.parts(prompt(Metric("gain", "1"), "c", "here", ""))
    signed = Calibration(ranges={"gain": (-40.0, 300.0)})
    assert signed.bounds(head, 0.0) == (-40, 300) and signed.bounds(head, -9.0) == (-90, 300)
    assert [signed.unseen(head, value) for value in (-9.0, -7.0, 0.0, 59.0, 61.0)] == [True, *[False] * 3, True]
    below = Calibration(
        ranges=ranges([Row("gain", "1", prompt(Metric("gain", "1"), "c", "", "x"), v) for v in (-9, -2)])
    )
    assert below.bounds(head, -3.0) == (-90, -0.2) and below.unseen(head, 0.0) and not below.unseen(head, -1.5)


def test_what_is_familiar_is_so_among_rows_of_its_own_kind_of_question() -> None:
    draw = np.random.default_rng(0)

    def around(place: float, n: int) -> Any:
        return draw.normal(place, 1, size=(n, 6)).astype(np.float32)

    training = {"accuracy/onnx": around(0, 300), "latency/onnx": around(20, 300), "memory/c": around(5, 9)}
    held = {"accuracy/onnx": around(0, 150), "latency/onnx": around(20, 30), "memory/c": around(5, 150)}
    told = kinds(training, held)
    assert set(told) == {"accuracy/onnx", "latency/onnx"}, "nine rows tell of no kind"
    every = Known.of(*(np.concatenate(list(own.values())) for own in (training, held)))
    calibration = Calibration(known=every, kinds=told)
    asked = [prompt(Metric(name, "1"), "onnx", "here", "") for name in ("accuracy", "latency", "text")]
    found = calibration.familiarity(asked, np.full((3, 6), 20, np.float32))
    assert found[0] == 0 and found[1] and found[1] > 0.9 and found[2] and found[2] > 0.1
    assert Calibration(kinds=told).familiarity(asked[2:], np.zeros((1, 6), np.float32)) == [None]
    of_metric = kinds(training | {"latency/c": training["accuracy/onnx"]}, held | {"latency/c": around(9, 150)})
    assert of_metric["latency/onnx"].distances[-1] > 2 * told["latency/onnx"].distances[-1], "30 rows say little of 0"
    assert of_metric["latency/c"].familiarity(np.full((1, 6), 9, np.float32))[0] > 0.1


def test_another_name_is_no_other_program_where_all_are_alike(tmp_path: Path) -> None:
    def asked(text: str, language: str = "python") -> str:
        return prompt(Metric("latency", "s"), language, "", text)

    def loops(name: str, n: int) -> str:
        return f"def {name}():\n    total = 0\n    for i in range({n}):\n        total += i\n    return total\n"

    draw = random.Random(0)
    alike = [Row("latency", "s", asked(loops("f0", n)), 1e-7 * n, f"g{n}") for n in draw.sample(range(100, 999), 80)]
    few = replace(TINY, recipe=replace(TINY.recipe, steps=30))
    assert fit(Parts(alike[:60], alike[60:]), tmp_path, few)
    others = [
        "items = [3, 1, 2] * 100\nitems.sort()\nprint(items)\n",
        "class A:\n    def of(self, x):\n        return x",
    ]
    found = EncoderDecoder(tmp_path).read(
        [asked(loops("f0", 500)), asked(loops("main", 500)), asked(loops("sums", 500)), *map(asked, others)]
    )
    own, main, sums, *strange = (one.familiarity for one in found)
    assert own and main and sums and own > 0.1 and main > 0.1 and sums > 0.02
    assert strange == [0, 0]
    assert found[1].distribution.interval(0.9)[1] < 5 * found[0].distribution.interval(0.9)[1]


def test_one_name_of_a_program_becomes_another_one() -> None:
    def asked(text: str, language: str) -> str:
        return prompt(Metric("latency", "s"), language, "", text, counters={"loops": 3})

    given = [
        asked("def f(a):\n    b = len(a)\n    return b\n", "python"),
        asked("int f(int n) { return n + main; }", "c, clang 22"),
        asked('{"rows": 3}', "json"),
        asked("def f(:", "python"),
    ]
    python, c = map(prompts.parts, renamed(given))
    assert python.text == "def f(main):\n    b = len(main)\n    return b\n" and python.counters == {"loops": 3}
    assert c.text == "int f(int n) { return n + value; }"


def test_what_is_beside_the_held_rows_is_as_familiar() -> None:
    draw = np.random.default_rng(0)
    training, held = (draw.normal(size=(n, 6)).astype(np.float32) for n in (200, 20))
    known, moved = Known.of(training, held), held + np.float32(6)
    wider = known.beside(moved)
    assert known.familiarity(moved).max() == 0 < wider.familiarity(moved).min() + 0.02
    assert wider.familiarity(moved).mean() > 0.2 and wider.familiarity(held + np.float32(20)).max() == 0
    assert np.allclose(known.beside(held).distances, known.distances, atol=0.1)


def test_machine_code_is_not_smaller_than_its_functions() -> None:
    def asked(metric: str, kept: float, instructions: float) -> Any:
        counted = {"kept": kept, "instructions": instructions}
        return prompts.parts(prompt(Metric(metric, "B"), "llvm, LLVM 22", "x86_64", "", counters=counted))

    belief, calibration = Distribution.of((x, x, 1.0) for x in (1.0, 2.0, 4.0)), Calibration()
    assert calibration.possible(asked("text", 2, 10), belief).median == pytest.approx(6)
    assert calibration.possible(asked("text", 3, 3), belief).median == pytest.approx(3), "of `ret` alone"
    assert calibration.possible(asked("text", 3, 4), belief).median == pytest.approx(5), "and one that adds"
    assert calibration.possible(asked("text", 0, 10), belief) == calibration.possible(asked("memory", 9, 9), belief)
    low, high = calibration.possible(asked("instructions", 5, 20), belief).interval(0.9)
    assert 5 <= low < high, "each has one"


def test_calibration_is_kept_and_knows_what_it_has_seen(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    known = Known.of(draw.normal(size=(500, 6)).astype(np.float32), draw.normal(size=(200, 6)).astype(np.float32))
    near, far = np.zeros((1, 6), np.float32), np.full((1, 6), 9, np.float32)
    assert known.familiarity(near)[0] > 0.9 and known.familiarity(far)[0] < 0.02
    Calibration({"memory": 1.5, "memory/c, clang 22": 2.0}, known, kinds={"memory/go, gc 1.26": known}).save(tmp_path)
    again = Calibration.load(tmp_path)
    assert again.kinds["memory/go, gc 1.26"].familiarity(near)[0] == pytest.approx(known.familiarity(near)[0], abs=0.02)
    asked = [prompt(Metric("memory", "B"), language, "here", "") for language in ("c, clang 22", "go, gc 1.26")]
    assert [again.factor(prompts.parts(text)) for text in (*asked, "no head")] == [2, 1.5, 1]
    assert again.known and again.known.familiarity(far)[0] == known.familiarity(far)[0]
    bounded = Calibration(ranges={"runtime": (1.0, 5.0), "runtime/c, clang 22": (2.0, 9.0), "memory": (1.0, 99.0)})
    bounded.save(tmp_path)
    timed = [prompt(Metric("runtime", "s"), language, "here", "") for language in ("c, clang 22", "go, gc 1.26")]
    kept, heads = Calibration.load(tmp_path), [prompts.parts(text) for text in (*timed, "no head")]
    assert [kept.bounds(head, 3.0) for head in heads] == [(0.3, 30), (0.3, 30), (-math.inf, math.inf)]
    assert kept.bounds(heads[0], 400.0) == (2, 4000) and kept.bounds(heads[0], 0.1) == (0.01, 9)
    assert kept.bounds(prompts.parts(asked[0]), 3.0) == (8, 99)  # no program holds less than its language takes
    wide = Calibration(ranges={"runtime": (1.0, 500.0)})
    assert [wide.unseen(heads[1], value) for value in (4.0, 6.0, 99.0, 101.0)] == [True, False, False, True]
    assert not wide.unseen(heads[2], 1e30)
    (tmp_path / "calibration.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        Calibration.load(tmp_path)
