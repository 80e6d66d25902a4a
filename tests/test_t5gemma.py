"""Encoders of T5Gemma: the same states as in transformers, and a training that starts from one."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tokenizers import Tokenizer as Plain  # noqa: E402
from tokenizers import models, pre_tokenizers, trainers  # noqa: E402

from forerun.core import Metric  # noqa: E402
from forerun.errors import InputError  # noqa: E402
from forerun.models.encoder_decoder import EncoderDecoder, t5gemma  # noqa: E402
from forerun.models.encoder_decoder._onnx import OnnxNetwork  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import SPECIAL  # noqa: E402
from forerun.prompts import prompt  # noqa: E402
from forerun.rows import Row  # noqa: E402
from forerun.train import recipes  # noqa: E402
from forerun.train.fit import Parts, fit  # noqa: E402

SIZES = {
    "vocab_size": 300, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "sliding_window": 8, "query_pre_attn_scalar": 24, "num_hidden_layers": 3,
}  # fmt: skip
SECOND = {**SIZES, "num_hidden_layers": 7, "sliding_window": 16}
PICTURES = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
            "image_size": 28, "patch_size": 14}  # fmt: skip
torch.set_num_threads(1)


def made(kind: str) -> Any:
    """A small one with random weights, its norms too."""
    torch.manual_seed(0)
    if kind == "t5gemma":
        model = transformers.T5GemmaModel(transformers.T5GemmaConfig(encoder=SIZES, decoder=SIZES, vocab_size=300))
    else:
        encoder = {"text_config": SECOND, "vision_config": PICTURES}
        model = transformers.T5Gemma2Model(transformers.T5Gemma2Config(encoder=encoder, decoder=SECOND))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.set_attn_implementation("eager")
    return model.eval()


@pytest.fixture(scope="module", params=["t5gemma", "t5gemma2"])
def theirs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A model of transformers, and the folder where it is saved with a tokenizer."""
    model, folder = made(request.param), tmp_path_factory.mktemp(request.param)
    model.save_pretrained(folder)
    words = Plain(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=290, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    words.train_from_iterator(["for (int i = 0; i < n; i++) sum += a[i];"] * 9, trainer)
    words.enable_truncation(5)
    words.save(str(folder / "tokenizer.json"))
    return model, folder


@pytest.mark.parametrize(("tokens", "context"), [(5, 8), (9, 9), (100, 512), (16, 17)])
def test_the_same_states_as_in_transformers(theirs: tuple[Any, Path], tokens: int, context: int) -> None:
    model, folder = theirs
    tokenizer = t5gemma.tokenizer(folder)
    ours = t5gemma.network(folder, tokenizer, context).eval()
    first = SPECIAL + len(tokenizer.atoms)
    ids = torch.randint(1, tokenizer.size - first, (2, tokens), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        encoder = getattr(model.encoder, "text_model", model.encoder)
        expected = encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        found = ours.encode(ids + first, torch.ones_like(ids), torch.arange(tokens)[None].expand_as(ids))
    torch.testing.assert_close(found, expected, atol=2e-4, rtol=1e-3)


def test_training_starts_from_it(theirs: tuple[Any, Path], tmp_path: Path) -> None:
    _, folder = theirs
    rows = [
        Row("runtime", "s", prompt(Metric("runtime", "s"), "c", "", "for " * (i % 4)), 10.0 ** (i % 4), f"g{i % 9}", "")
        for i in range(60)
    ]
    training = recipes.named("cpu", steps=30, rows=2, row_tokens=256, context=64, evaluate_every=10)
    assert fit(Parts(rows[:40], rows[40:]), tmp_path, training, start=folder)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["validation"] < 0.7 * lines[0]["parts"]["nll"]
    plain, reference = EncoderDecoder(tmp_path), EncoderDecoder(tmp_path, device="cpu")
    assert isinstance(plain.network, OnnxNetwork)
    assert plain.config.answer_tokens < plain.config.vocabulary == plain.tokenizer.size
    prompts = [row.prompt for row in rows[:4]]
    for one, other in zip(plain.predict(prompts), reference.predict(prompts), strict=True):
        assert one.median == pytest.approx(other.median, rel=1e-2)


def test_a_checkpoint_in_parts_and_in_half_precision(theirs: tuple[Any, Path], tmp_path: Path) -> None:
    model, folder = theirs
    shutil.copy(folder / "tokenizer.json", tmp_path)
    copy.deepcopy(model).bfloat16().save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    tokenizer = t5gemma.tokenizer(tmp_path)
    one, other = (t5gemma.network(place, tokenizer, 64).state_dict() for place in (folder, tmp_path))
    for name in one:
        if name.startswith("encoder"):
            assert torch.equal(one[name].bfloat16().float(), other[name]), name


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"model_type": "bert"}, "is of bert"),
        ({"hidden_activation": "relu"}, "relu"),
        ({"hidden_size": 16}, "size"),
        ({"num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]}, "take turns"),
        ({"num_hidden_layers": 1, "layer_types": ["full_attention"]}, "not known"),
        ({"head_dim": None}, ""),
        ({"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4}}, "scaled: linear"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    made("t5gemma").save_pretrained(tmp_path)
    with pytest.raises(InputError, match="has no tokenizer"):
        t5gemma.tokenizer(tmp_path)
    words = Plain(models.BPE())
    words.add_tokens(["a", "b"])
    words.save(str(tmp_path / "tokenizer.json"))
    config = json.loads((tmp_path / "config.json").read_text())
    (config if "model_type" in change else config["encoder"]).update(change)
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="has no encoder to start from") as caught:
        t5gemma.network(tmp_path, t5gemma.tokenizer(tmp_path), 64)
    assert why in caught.value.why


def test_folders_without_one_are_refused(tmp_path: Path) -> None:
    words = Plain(models.BPE())
    words.add_tokens([f"w{i}" for i in range(301)])
    words.save(str(tmp_path / "tokenizer.json"))
    tokenizer = t5gemma.tokenizer(tmp_path)
    with pytest.raises(InputError, match="has no encoder"):
        t5gemma.network(tmp_path, tokenizer, 64)
    model = made("t5gemma")
    model.config.save_pretrained(tmp_path)
    with pytest.raises(InputError) as caught:
        t5gemma.network(tmp_path, tokenizer, 64)
    assert "no safetensors" in caught.value.why
    model.save_pretrained(tmp_path)
    with pytest.raises(InputError) as caught:
        t5gemma.network(tmp_path, tokenizer, 64)
    assert "the tokenizer has 301 tokens, the encoder 300" in caught.value.why
    training = replace(recipes.cpu(), context=64)
    with pytest.raises(InputError, match="no tokenizer"):
        fit(Parts([Row("m", "s", "x", 1.0, "g", "")] * 9, [Row("m", "s", "y", 1.0, "h", "")]), tmp_path / "new",
            training, start=tmp_path / "nowhere")  # fmt: skip
