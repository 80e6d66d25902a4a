"""The checkpoint as a whole: saved, loaded, and the same answers with and without PyTorch."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from forerun.errors import InputError  # noqa: E402
from forerun.grammars.floats import PIECES, Floats  # noqa: E402
from forerun.models.encoder_decoder import EncoderDecoder  # noqa: E402
from forerun.models.encoder_decoder._onnx import OnnxNetwork  # noqa: E402
from forerun.models.encoder_decoder._torch import TorchNetwork  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.network import Network  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import learn  # noqa: E402
from forerun.testing import check_model  # noqa: E402

PROMPTS = ["int main(void) { return 0; }\n" * n for n in (1, 3, 20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network with random weights, saved whole."""
    tokenizer = learn(PROMPTS, 300, PIECES)
    torch.manual_seed(0)
    config = Config(
        tokenizer.size, width=64, layers=2, heads=2, kv_heads=1, head_width=32, hidden=96, window=32, context=256
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


@pytest.mark.parametrize("file", ["encoder.onnx", "config.json", "tokenizer.json"])
def test_a_damaged_checkpoint_is_refused(file: str, folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / file).write_bytes((place / file).read_bytes()[:50])
    with pytest.raises(InputError):
        EncoderDecoder.from_pretrained(place)


def test_damaged_weights_and_absent_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "copy"))
    (place / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match="weights"):
        EncoderDecoder.from_pretrained(place, device="cpu")
    for place in (tmp_path / "nowhere", None):  # none ships yet
        with pytest.raises(InputError, match="no checkpoint"):
            EncoderDecoder(place)
