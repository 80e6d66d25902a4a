"""The checkpoint as a whole: saved, loaded, and the same answers with and without PyTorch."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from forerun.distribution import Distribution  # noqa: E402
from forerun.errors import ForerunError, InputError, ToolMissing, UsageError  # noqa: E402
from forerun.grammars.floats import Floats  # noqa: E402
from forerun.models.encoder_decoder import BATCH, PARTS, EncoderDecoder, checksums, export  # noqa: E402
from forerun.models.encoder_decoder._onnx import OnnxNetwork  # noqa: E402
from forerun.models.encoder_decoder._torch import TorchNetwork  # noqa: E402
from forerun.models.encoder_decoder.calibration import Calibration  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.ensemble import Ensemble, between  # noqa: E402
from forerun.models.encoder_decoder.learned import Learned  # noqa: E402
from forerun.models.encoder_decoder.network import Network  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import learn  # noqa: E402
from forerun.testing import check_model  # noqa: E402

PROMPTS = ["int main(void) { return 0; }\n" * n for n in (1, 3, 20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network with random weights, saved whole."""
    tokenizer = learn(PROMPTS, 300)
    torch.manual_seed(0)  # of many networks with random weights the median is no finite number
    config = Config(
        tokenizer.size, width=64, layers=2, heads=4, kv_heads=2, head_width=16, hidden=96, window=32, context=256
    )
    place = tmp_path_factory.mktemp("checkpoint")
    EncoderDecoder.of(TorchNetwork(Network(config)), tokenizer, config).save_pretrained(place)
    return place


def test_the_same_distributions_with_and_without_torch(folder: Path) -> None:
    plain, reference = EncoderDecoder.from_pretrained(folder), EncoderDecoder.from_pretrained(folder, device="cpu")
    # Random weights answer alike whatever they read; what they make of it differs.
    ours, theirs = plain.summaries(PROMPTS), reference.summaries(PROMPTS)
    assert np.allclose(ours, theirs, atol=1e-4) and np.abs(ours[0] - ours[1]).max() > 1e-2
    assert isinstance(plain.network, OnnxNetwork) and isinstance(reference.network, TorchNetwork)
    grammar = Floats()
    for ours, theirs in zip(plain.read(PROMPTS, grammar), reference.read(PROMPTS, grammar), strict=True):
        for q in (0.05, 0.5, 0.95):
            assert np.isclose(ours.distribution.quantile(q), theirs.distribution.quantile(q), rtol=1e-2)
    # Alone and in a batch: padding changes nothing.
    (alone,) = plain.read(PROMPTS[:1], grammar)
    assert np.isclose(alone.distribution.median, plain.read(PROMPTS, grammar)[0].distribution.median, rtol=1e-3)


def test_the_same_memory_and_logits_with_and_without_torch(folder: Path) -> None:
    plain, reference = (EncoderDecoder.from_pretrained(folder, device=device).network for device in ("", "cpu"))
    prompts = [[5, 900, 901, 7], [700, *range(800, 870)]]
    parents = [np.zeros((2, 3), np.int64), np.array([[2, 0, 0], [1, 1, 2]])]
    tokens = [np.array([[1, 40, 41], [1, 50, 60]]), np.array([[70, 71, 72], [80, 81, 82]])]
    found = []
    for network in (plain, reference):
        memory = network.encode(prompts)
        cache, logits = network.begin(memory), []
        for above, ids in zip(parents, tokens, strict=True):
            step, cache = network.step(memory, cache, above, ids)
            logits.append(step)
        found.append((*(np.asarray(x)[:, 0, :, :4] for x in memory[:2]), np.asarray(memory[0])[:, 1, :, :71], *logits))
    assert len({x.round(3).tobytes() for x in found[0]}) == 5
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_many_short_prompts_take_no_more_memory_than_few(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = EncoderDecoder.from_pretrained(folder)
    few = model.summaries([f"x = {i};" for i in range(3 * BATCH)])
    read, encode = list[tuple[int, ...]](), model.network.encode

    def encoded(prompts: Sequence[Sequence[int]]) -> Any:
        memory = encode(prompts)
        read.append((len(prompts), max(map(len, prompts)), *memory.keys.shape[1:4:2], *memory.segments.shape))
        return memory

    monkeypatch.setattr(model.network, "encode", encoded)
    assert np.allclose(model.summaries([f"x = {i};" for i in range(3 * BATCH)]), few)
    assert sum(rows for rows, *_ in read) == 3 * BATCH
    for rows, longest, *shapes in read:
        assert rows <= BATCH and shapes == [rows, longest, rows, longest], "nothing pads all of them"


@pytest.mark.parametrize(
    "words",
    [
        {"qk_norm": False, "softcap": 20.0},
        {"window_before": 7, "rope_base_global": 1e6, "query_scalar": 100.0},
        {"decoder_layers": 3, "kv_heads": 1, "answer_tokens": 150},
        {"global_every": 1},
        {"global_every": 9},
    ],
)
def test_the_graphs_compute_what_the_network_does(words: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = replace(Config(200, 64, 4, 2, heads=4, kv_heads=2, head_width=16, hidden=96, window=32), **words)
    network = Network(config)
    for name, weight in network.named_parameters():
        if "norm" in name:
            torch.nn.init.normal_(weight, std=0.3)
    export.export(network, tmp_path)
    ours, theirs = OnnxNetwork(tmp_path, config.window), TorchNetwork(network)
    draw, known = np.random.default_rng(0), config.answer_tokens or config.vocabulary
    prompts = [draw.integers(4, 200, n).tolist() for n in (70, 33, 96)]
    memories = ours.encode(prompts), theirs.encode(prompts)
    for one, other in zip(*map(tuple, memories), strict=True):
        real = np.ones(()) if one.ndim == 2 else (memories[0].segments > 0)[None, :, None, :, None]
        assert np.allclose(one * real, other.detach().numpy() * real, atol=1e-4)
    caches = [network.begin(memory) for network, memory in zip((ours, theirs), memories, strict=True)]
    for parents in ([0], [0, 0, 0], [2, 0, 1]):
        tokens, kept = draw.integers(0, known, (3, len(parents))), np.array([parents] * 3)
        logits, caches[0] = ours.step(memories[0], caches[0], kept, tokens)
        others, caches[1] = theirs.step(memories[1], caches[1], kept, tokens)
        assert logits.shape == (3, len(parents), known) and logits.std() > 0.1
        assert np.allclose(logits, others, atol=1e-4)


def test_a_network_that_is_too_large_for_graphs_is_saved_without(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "LARGEST", 10_000)
    model = EncoderDecoder(folder, device="cpu")
    model.save_pretrained(tmp_path)
    again = EncoderDecoder(tmp_path)
    assert isinstance(again.network, TorchNetwork) and not [*tmp_path.glob("*.onnx")]
    assert again.predict(PROMPTS)[1].median == model.predict(PROMPTS)[1].median


def test_eight_bits_are_smaller_and_nearly_the_same(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    for name in ("encoder.onnx", "decoder.onnx"):
        (place / name).write_bytes(export.quantised((folder / name).read_bytes()))
        checksums.record(place, PARTS)
        assert (place / name).stat().st_size < 0.7 * (folder / name).stat().st_size
    plain, small = (EncoderDecoder.from_pretrained(where) for where in (folder, place))
    ours, theirs = (model.summaries(PROMPTS).ravel() for model in (small, plain))
    assert 0.99 < np.corrcoef(ours, theirs)[0, 1] < 1
    for one, other in zip(small.predict(PROMPTS), plain.predict(PROMPTS), strict=True):
        assert sum(one.weights) == pytest.approx(1) and one.weights != other.weights


def test_draws_are_readable_and_the_seeds(folder: Path) -> None:
    model, grammar = EncoderDecoder.from_pretrained(folder), Floats(metrics=2)
    one, two = (model.sample(PROMPTS[0], grammar, 5, seed) for seed in (1, 2))
    assert len(one) == 5 and one == model.sample(PROMPTS[0], grammar, 5, 1) != two
    assert all(draft.answer is not None and len(draft.answer) == 2 and draft.logprob < 0 for draft in one)


def test_it_keeps_the_laws_of_a_model(folder: Path) -> None:
    check_model(EncoderDecoder.from_pretrained(folder), Floats(), PROMPTS[0])


def test_what_does_not_fit_is_told(folder: Path) -> None:
    model = EncoderDecoder.from_pretrained(folder)
    long = model.encode("x = y;\n" * 1000)
    assert len(long.ids) == 256 and long.cut > 0 and model.encode(PROMPTS[0]).cut == 0


def test_a_place_where_nothing_can_be_saved_is_told(folder: Path, tmp_path: Path) -> None:
    model, file = EncoderDecoder.from_pretrained(folder), tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        model.save_pretrained(file)
    for place in (file / "below", Path("/proc/x")):
        with pytest.raises(ForerunError, match=f"cannot make the folder {place}"):
            model.save_pretrained(place)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("file", ["encoder.onnx", "config.json", "tokenizer.json"])
def test_a_damaged_checkpoint_is_refused(file: str, folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / file).write_bytes((place / file).read_bytes()[:50])
    with pytest.raises(InputError):
        EncoderDecoder.from_pretrained(place)


def test_an_answer_lies_between_that_of_the_network_and_that_of_the_trees() -> None:
    one = Distribution.of((v, v, 1.0) for v in (1.0, 2.0, 4.0))
    other = Distribution.of((v, v, 1.0) for v in (100.0, 200.0, 6400.0))
    assert between(one, other, 0.0) is one and between(one, other, 1.0) is other
    half = between(one, other, 0.5)
    for q in (0.1, 0.5, 0.9):
        assert half.quantile(q) == pytest.approx(math.sqrt(one.quantile(q) * other.quantile(q)))
    assert between(one, other, 0.25).median == pytest.approx(2 * 100**0.25)
    zero = Distribution.of([(0.0, 0.0, 1.0), (2.0, 2.0, 3.0)])
    assert between(zero, other, 0.5) == zero.scaled(10.0)
    assert between(Distribution.point(0.0), other, 0.5) == Distribution.point(0.0)


@pytest.mark.parametrize("file", ["decoder.onnx", "pieces.json", "calibration.json", "ensemble.safetensors"])
def test_parts_of_two_checkpoints_are_refused(file: str, folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    whole = (place / "model.safetensors").read_bytes()
    (place / "model.safetensors").write_bytes(whole[:-1])
    EncoderDecoder(place)
    assert "model.safetensors is not the one that was saved" in checksums.doubt(place)
    (place / "model.safetensors").write_bytes(whole)
    assert not checksums.doubt(place)
    if file == "ensemble.safetensors":
        Ensemble({}).save(place)
    elif file == "calibration.json":
        (place / file).unlink()
    elif file == "decoder.onnx":
        (place / file).write_bytes(export.quantised((place / file).read_bytes()))
    else:
        (place / file).write_bytes((place / file).read_bytes() + b"\n")
    with pytest.raises(InputError, match="not one whole checkpoint") as caught:
        EncoderDecoder(place)
    assert file in caught.value.why and "copy the whole folder" in caught.value.todo
    (place / "checksums.json").write_text("[]")
    for asked in (EncoderDecoder, checksums.doubt):
        with pytest.raises(InputError, match=r"checksums\.json cannot be read"):
            asked(place)
    (place / "checksums.json").unlink()
    EncoderDecoder(place)
    assert "whether its files belong together is not known" in checksums.doubt(place)


def test_which_rows_were_learned_from_is_as_it_was_saved(folder: Path, tmp_path: Path) -> None:
    model = EncoderDecoder(folder)
    model.learned = Learned(("0123456789abcdef",), ("fedcba9876543210",))
    model.save_pretrained(tmp_path)
    place, sums = tmp_path / "learned.json", tmp_path / "checksums.json"
    place.write_text(place.read_text().replace("0123", "0124"))
    with pytest.raises(InputError, match="not one whole checkpoint") as caught:
        EncoderDecoder(tmp_path)
    assert "learned.json is not the file that was saved" in caught.value.why
    known = json.loads(sums.read_text())
    for before in ({"learned.json": "there"}, {}):  # as earlier versions wrote it, and the first ones
        sums.write_text(json.dumps({name: known[name] for name in known if name != "learned.json"} | before))
        assert EncoderDecoder(tmp_path).learned.train == ("0124456789abcdef",)
    sums.write_text(json.dumps(known | {"learned.json": "there"}))
    place.unlink()
    with pytest.raises(InputError, match="not one whole checkpoint"):
        EncoderDecoder(tmp_path)


def test_graphs_that_were_saved_and_are_gone_are_missed(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / "encoder.onnx").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("forerun.models.encoder_decoder.find_spec", lambda name: None)
        with pytest.raises(InputError, match="not one whole checkpoint") as caught:
            EncoderDecoder(place)
        assert "encoder.onnx is missing" in caught.value.why
        (place / "checksums.json").unlink()
        with pytest.raises(ToolMissing, match="no ONNX graphs"):
            EncoderDecoder(place)
    assert not isinstance(EncoderDecoder(place).network, OnnxNetwork)


def test_a_saving_that_does_not_end_leaves_no_checkpoint(folder: Path, tmp_path: Path) -> None:
    model, kept = EncoderDecoder(folder, device="cpu"), Calibration.save

    def full(self: Calibration, folder: Path) -> None:
        raise ForerunError("cannot write it", "no space left", "make some")

    for place in (tmp_path / "new", Path(shutil.copytree(folder, tmp_path / "copy"))):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(ForerunError, match="cannot write"):
            patch.setattr(Calibration, "save", full)
            model.save_pretrained(place)
        with pytest.raises(InputError, match="not one whole checkpoint") as caught:
            EncoderDecoder(place, device="cpu")
        assert "did not end" in caught.value.why and "save it again" in caught.value.todo
    assert Calibration.save is kept
    model.save_pretrained(tmp_path / "new")
    EncoderDecoder(tmp_path / "new", device="cpu")


def test_what_onnxruntime_runs_is_saved_by_copying_its_files(folder: Path, tmp_path: Path) -> None:
    model = EncoderDecoder(folder)
    assert isinstance(model.network, OnnxNetwork)
    model.calibration = Calibration({"memory": 3.0})
    model.save_pretrained(tmp_path / "saved")
    for name in PARTS:
        there, here = tmp_path / "saved" / name, folder / name
        assert there.is_file() == here.is_file()
        assert name == "calibration.json" or not here.is_file() or there.read_bytes() == here.read_bytes()
    again = EncoderDecoder(tmp_path / "saved")
    assert again.calibration.factors == {"memory": 3.0}
    assert again.predict(PROMPTS) == model.predict(PROMPTS)
    again.save_pretrained(tmp_path / "saved")  # into the folder that it came from
    checksums.check(tmp_path / "saved", [name for name in PARTS if (folder / name).is_file()])
    for words in ({"int8": True}, {"onnx": False}):
        with pytest.raises(UsageError, match="only a network in PyTorch") as caught:
            again.save_pretrained(tmp_path / "other", **words)
        assert "device='cpu'" in caught.value.todo
    (tmp_path / "saved" / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(InputError, match="not one whole checkpoint"):
        again.save_pretrained(tmp_path / "other")
    checksums.record(tmp_path / "saved", PARTS)
    with pytest.raises(InputError, match="has changed"):
        again.save_pretrained(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_nothing_of_another_checkpoint_stays(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    Ensemble({}).save(place)
    EncoderDecoder(folder, device="cpu").save_pretrained(place, onnx=False)
    assert not {"ensemble.safetensors", "encoder.onnx", "decoder.onnx"} & {file.name for file in place.iterdir()}
    assert isinstance(EncoderDecoder(place).network, TorchNetwork)


@pytest.mark.parametrize("name", ["README.md", "config.json", "tokenizer.json", "model.safetensors"])
def test_what_is_no_checkpoints_is_not_overwritten(name: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    model = EncoderDecoder(folder)
    with pytest.raises(UsageError, match="holds something else") as caught:
        model.save_pretrained(tmp_path)
    assert name in caught.value.why and (tmp_path / name).read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
    (tmp_path / name).rename(tmp_path / "other.md")
    model.save_pretrained(tmp_path)  # beside what it does not write


def test_devices_that_are_not_there_are_told(folder: Path) -> None:
    with pytest.raises(UsageError, match="moon"):
        EncoderDecoder(folder, device="moon")
    with pytest.raises(ToolMissing, match="cannot use the device"):
        EncoderDecoder(folder, device="cuda:63")


def test_damaged_weights_and_absent_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match="weights"):
        EncoderDecoder.from_pretrained(place, device="cpu")
    (place / "training.json").write_text("{}")
    (place / "config.json").unlink()
    with pytest.raises(InputError, match="no checkpoint") as caught:
        EncoderDecoder(place)
    assert "config.json" in caught.value.why and "copy the whole folder" in caught.value.todo
    for place in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="no checkpoint"):
            EncoderDecoder(place)
