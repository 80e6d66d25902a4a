"""Networks of the library transformers, made from their configurations: published widths, random weights.

Networks of equal layers have one of them: the others would give the same programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Sizes = tuple[int, int]
"""Batch, and side of an image, pieces of a text or samples."""
_IMAGES: tuple[Sizes, ...] = ((1, 224), (1, 160), (4, 128))
_TEXTS: tuple[Sizes, ...] = ((1, 128), (1, 64), (4, 32))


@dataclass(frozen=True, slots=True)
class Published:
    """A configuration, by the name of its type in transformers."""

    family: str
    kind: str
    config: Mapping[str, Any]
    sizes: Sequence[Sizes] = _IMAGES
    reads: str = "image"
    """`image`, `text`, `audio` (raw samples) or `speech` (a spectrogram)."""


def _text(width: int, heads: int, inner: int, **more: Any) -> dict[str, Any]:
    layers = {"hidden_size": width, "num_hidden_layers": 1, "num_attention_heads": heads, "intermediate_size": inner}
    return layers | {"vocab_size": 1024, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2} | more


def _image(width: int, heads: int, patch: int = 16) -> dict[str, Any]:
    layers = {"hidden_size": width, "num_hidden_layers": 1, "num_attention_heads": heads}
    return layers | {"intermediate_size": 4 * width, "patch_size": patch}


def _gpt(width: int, heads: int) -> dict[str, Any]:
    return {"n_embd": width, "n_head": heads, "n_layer": 1, "vocab_size": 1024, "bos_token_id": 1, "eos_token_id": 2}


def _t5(width: int, heads: int) -> dict[str, Any]:
    sizes = {"d_model": width, "d_kv": width // heads, "d_ff": 4 * width, "num_heads": heads}
    return sizes | {"num_layers": 1, "vocab_size": 1024}


def _whisper(width: int, heads: int) -> dict[str, Any]:
    sizes = {"d_model": width, "encoder_attention_heads": heads, "encoder_ffn_dim": 4 * width, "encoder_layers": 1}
    rest = {"decoder_layers": 1, "decoder_attention_heads": heads, "decoder_ffn_dim": 4 * width, "vocab_size": 1024}
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0}
    return sizes | rest | tokens


def _pyramid(kind: str, depths: Sequence[int], widths: Sequence[int]) -> dict[str, Any]:
    return {"layer_type": kind, "depths": list(depths), "hidden_sizes": list(widths), "embedding_size": 64}


_WIDE, _NARROW = (256, 512, 1024, 2048), (64, 128, 256, 512)

PUBLISHED: Mapping[str, Published] = {
    "resnet18": Published("resnet", "resnet", _pyramid("basic", (2, 2, 2, 2), _NARROW)),
    "resnet34": Published("resnet", "resnet", _pyramid("basic", (3, 4, 6, 3), _NARROW), ((1, 192), (8, 96))),
    "resnet50": Published("resnet", "resnet", _pyramid("bottleneck", (3, 4, 6, 3), _WIDE), ((1, 224), (4, 160))),
    "mobilenet_v1": Published("mobilenet", "mobilenet_v1", {"image_size": 224}),
    "mobilenet_v2": Published("mobilenet", "mobilenet_v2", {"image_size": 224}),
    "efficientnet-b0": Published(
        "efficientnet",
        "efficientnet",
        {"width_coefficient": 1.0, "depth_coefficient": 1.0, "hidden_dim": 1280, "image_size": 224},
    ),
    "vit-tiny": Published("vit", "vit", _image(192, 3), ((1, 224), (4, 224))),
    "vit-base": Published("vit", "vit", _image(768, 12), ((1, 224), (1, 160))),
    "vit-base-32": Published("vit", "vit", _image(768, 12, 32), ((1, 224), (4, 224))),
    "vit-large-32": Published("vit", "vit", _image(1024, 16, 32), ((1, 224), (1, 320))),
    "deit-small": Published("vit", "deit", _image(384, 6), ((1, 224), (1, 160))),
    "deit-base": Published("vit", "deit", _image(768, 12), ((1, 176), (2, 144))),
    "dinov2-base": Published("vit", "dinov2", _image(768, 12, 14), ((1, 112), (1, 210))),
    "swin-tiny": Published("swin", "swin", {"depths": [2, 2, 2, 2]}, ((1, 224),)),
    "convnext-tiny": Published("convnext", "convnext", {"depths": [1, 1, 1, 1]}),
    "poolformer-s12": Published("poolformer", "poolformer", {"depths": [1, 1, 1, 1]}, ((1, 224), (4, 128))),
    "regnet-y-400m": Published(
        "regnet",
        "regnet",
        {"depths": [1, 3, 6, 6], "hidden_sizes": [48, 104, 208, 440], "groups_width": 8, "layer_type": "y"},
        ((1, 224), (4, 128)),
    ),
    "segformer-b0": Published("segformer", "segformer", {"depths": [1, 1, 1, 1]}, ((1, 128), (1, 256))),
    "mobilevit-s": Published("mobilevit", "mobilevit", {}, ((1, 256), (1, 128))),
    "levit-128s": Published(
        "levit",
        "levit",
        {"hidden_sizes": [128, 256, 384], "num_attention_heads": [4, 6, 8], "depths": [1, 1, 1]},
        ((1, 224),),
    ),
    "bert-tiny": Published("bert", "bert", _text(128, 2, 512), ((1, 128), (8, 128)), "text"),
    "bert-base": Published("bert", "bert", _text(768, 12, 3072), ((1, 128), (1, 256), (4, 64)), "text"),
    "distilbert": Published(
        "bert",
        "distilbert",
        {"dim": 768, "n_heads": 12, "hidden_dim": 3072, "n_layers": 1, "vocab_size": 1024},
        ((1, 96), (2, 128)),
        "text",
    ),
    "minilm": Published("bert", "bert", _text(384, 12, 1536), ((1, 128), (8, 32)), "text"),
    "gpt2": Published("gpt2", "gpt2", _gpt(768, 12), _TEXTS, "text"),
    "gpt2-medium": Published("gpt2", "gpt2", _gpt(1024, 16), ((1, 1), (1, 64)), "text"),
    "opt-125m": Published("gpt2", "opt", _text(768, 12, 3072, ffn_dim=3072), ((1, 1), (1, 128)), "text"),
    "tinyllama": Published(
        "llama", "llama", _text(2048, 32, 5632, num_key_value_heads=4), ((1, 1), (1, 16), (1, 64)), "text"
    ),
    "smollm-135m": Published(
        "llama", "llama", _text(576, 9, 1536, num_key_value_heads=3), ((1, 1), (1, 128), (4, 32)), "text"
    ),
    "smollm-360m": Published(
        "llama", "llama", _text(960, 15, 2560, num_key_value_heads=5), ((1, 48), (1, 96), (1, 192)), "text"
    ),
    "llama-3.2-1b": Published(
        "llama", "llama", _text(2048, 32, 8192, num_key_value_heads=8), ((1, 24), (1, 80)), "text"
    ),
    "qwen2-0.5b": Published("llama", "qwen2", _text(896, 14, 4864, num_key_value_heads=2), ((1, 1), (1, 128)), "text"),
    "qwen3-0.6b": Published(
        "llama", "qwen3", _text(1024, 16, 3072, num_key_value_heads=8, head_dim=128), ((1, 40), (1, 112)), "text"
    ),
    "clip-text": Published("clip", "clip_text_model", _text(512, 8, 2048), ((1, 77), (3, 77)), "text"),
    "clip-text-large": Published("clip", "clip_text_model", _text(768, 12, 3072), ((1, 77), (2, 77)), "text"),
    "t5-small": Published("t5", "t5", _t5(512, 8), ((1, 128), (4, 64)), "text"),
    "t5-base": Published("t5", "t5", _t5(768, 12), ((1, 72), (1, 160)), "text"),
    "whisper-tiny": Published("whisper", "whisper", _whisper(384, 6), ((1, 300), (1, 150), (2, 150)), "speech"),
    "whisper-base": Published("whisper", "whisper", _whisper(512, 8), ((1, 300),), "speech"),
    "wav2vec2-base": Published("wav2vec2", "wav2vec2", {"num_hidden_layers": 1}, ((1, 8000), (2, 4000)), "audio"),
}


def made(name: str, sizes: Sizes) -> tuple[Any, tuple[Any, ...]]:
    """A network with random weights, always the same, and what it reads. Attention is written out."""
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(0)
    network = PUBLISHED[name]
    config = AutoConfig.for_model(network.kind, **network.config)
    config.use_cache = False
    batch, size = sizes
    if network.reads == "image" and hasattr(config, "image_size"):
        config.image_size = size
    if network.reads == "speech":  # as many positions as are left of the spectrogram
        config.max_source_positions = size
    module = AutoModel.from_config(config, attn_implementation="eager")  # type: ignore[no-untyped-call]
    if config.is_encoder_decoder:
        module = module.get_encoder()
    return _first(module), (_read(network.reads, config, batch, size),)


def _read(kind: str, config: Any, batch: int, size: int) -> Any:
    import torch

    if kind == "text":
        return torch.randint(0, config.vocab_size, (batch, size))
    shapes = {"image": (batch, 3, size, size), "audio": (batch, size)}
    return torch.randn(shapes[kind] if kind in shapes else (batch, config.num_mel_bins, 2 * size))


def _first(module: Any) -> Any:
    """The module as one that returns its first output alone."""
    import torch

    class First(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, x: torch.Tensor) -> Any:
            return self.module(x)[0]

    return First()
