"""Layers of the library transformers, made from configurations alone: one layer, or one block a stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forerun.corpora.inductor import Network

Draw = Random
Config = dict[str, Any]
"""Settings of a configuration in transformers."""
LICENCE = "Apache-2.0"


def ready(network: Network, device: str) -> tuple[Any, list[dict[str, Any]]]:
    """The module, and what it reads."""
    import torch
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(network.family, **dict(network.config))
    config.use_cache = False
    if network.kind == "image" and hasattr(config, "image_size"):
        config.image_size = network.sizes[0][1]
    dtype = getattr(torch, network.dtype)
    attention = "eager" if network.eager else None
    module = AutoModel.from_config(config, attn_implementation=attention)  # type: ignore[no-untyped-call]
    module = module.to(device, dtype)
    return module, [_read(network, config, *sizes, device=device, dtype=dtype) for sizes in network.sizes]


def _read(network: Network, config: Any, batch: int, length: int, **like: Any) -> dict[str, Any]:
    import torch

    tokens = torch.zeros(batch, length, dtype=torch.long, device=like["device"])
    if network.kind == "image":
        return {"pixel_values": torch.zeros(batch, 3, length, length, **like)}
    if network.kind == "audio":
        return {"input_values": torch.zeros(batch, length, **like)}
    if network.kind == "speech":
        features = torch.zeros(batch, config.num_mel_bins, 2 * config.max_source_positions, **like)
        return {"input_features": features, "decoder_input_ids": tokens[:, :32]}
    return {"input_ids": tokens} | ({"decoder_input_ids": tokens} if config.is_encoder_decoder else {})


def _text(draw: Draw, **more: Any) -> Config:
    """The names that most configurations know; the rest follows from them."""
    heads = draw.choice((2, 4, 6, 8, 12))
    width = heads * draw.choice((32, 64))
    shared = {"hidden_size": width, "num_hidden_layers": 1, "num_attention_heads": heads, "vocab_size": 1024}
    inner = {"intermediate_size": draw.choice((2, 3, 4)) * width, "max_position_embeddings": 2048}
    return shared | inner | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2} | more


def _grouped(draw: Draw) -> Config:
    """With fewer heads for keys than for queries."""
    config = _text(draw)
    heads = config["num_attention_heads"]
    return config | {
        "num_key_value_heads": draw.choice((heads, heads // 2)),
        "head_dim": config["hidden_size"] // heads,
    }


def _sequences(draw: Draw) -> Config:
    """Encoder and decoder."""
    config = _text(draw)
    heads, width, inner = (config[name] for name in ("num_attention_heads", "hidden_size", "intermediate_size"))
    names = {"encoder_layers": 1, "decoder_layers": 1, "d_model": width, "encoder_ffn_dim": inner}
    heads_of = {"encoder_attention_heads": heads, "decoder_attention_heads": heads, "decoder_ffn_dim": inner}
    most = {"max_source_positions": draw.choice((64, 100, 150)), "max_target_positions": 64}
    shared = {name: config[name] for name in ("vocab_size", "max_position_embeddings", "pad_token_id", "bos_token_id")}
    return shared | {"eos_token_id": 2, "decoder_start_token_id": 0} | names | heads_of | most


def _t5(draw: Draw) -> Config:
    config = _text(draw)
    heads, width = config["num_attention_heads"], config["hidden_size"]
    sizes = {"d_model": width, "d_kv": width // heads, "d_ff": config["intermediate_size"], "num_heads": heads}
    return {"vocab_size": 1024, "num_layers": 1, "num_decoder_layers": 1, "decoder_start_token_id": 0} | sizes


def _patches(draw: Draw) -> Config:
    """An image cut into patches, all of one width. Its side is the input's, positions are interpolated or fixed."""
    config = _text(draw)
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    return {name: config[name] for name in names} | {"patch_size": draw.choice((8, 16))}


def _stages(draw: Draw, **more: Any) -> Config:
    """A pyramid of convolutions, a block each stage."""
    width = draw.choice((16, 24, 32, 48, 64))
    return {"hidden_sizes": [width, 2 * width, 4 * width, 8 * width], "depths": [1, 1, 1, 1]} | more


def _resnet(draw: Draw) -> Config:
    return _stages(draw, embedding_size=32, layer_type=draw.choice(("basic", "bottleneck")))


def _windows(draw: Draw) -> Config:
    return {
        "embed_dim": draw.choice((24, 48, 96)),
        "depths": [2, 1],
        "num_heads": [2, 4],
        "window_size": 4,
        "image_size": 64,
    }


def _multiplied(draw: Draw, name: str) -> Config:
    return {name: draw.choice((0.35, 0.5, 0.75, 1.0)), "image_size": 64}


def _waves(draw: Draw) -> Config:
    config = _text(draw)
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    convolutions = {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2, "mask_time_prob": 0.0}
    return {name: config[name] for name in names} | convolutions


_plain: Callable[[Draw], Config] = _text

FAMILIES: Mapping[str, tuple[str, Callable[[Draw], Config]]] = {
    "bert": ("text", _plain),
    "resnet": ("image", _resnet),
    "gpt2": ("text", _plain),
    "vit": ("image", _patches),
    "llama": ("text", _grouped),
    "convnext": ("image", _stages),
    "t5": ("text", _t5),
    "whisper": ("speech", _sequences),
    "distilbert": ("text", _plain),
    "mobilevit": ("image", lambda draw: {}),
    "albert": ("text", _plain),
    "regnet": ("image", partial(_stages, groups_width=8)),
    "mistral": ("text", _grouped),
    "wav2vec2": ("audio", _waves),
    "electra": ("text", _plain),
    "mobilenet_v2": ("image", partial(_multiplied, name="depth_multiplier")),
    "gemma2": ("text", _grouped),
    "poolformer": ("image", _stages),
    "deberta-v2": ("text", _plain),
    "dinov2": ("image", _patches),
    "qwen3": ("text", _grouped),
    "swin": ("image", _windows),
    "opt": ("text", _plain),
    "mobilenet_v1": ("image", partial(_multiplied, name="depth_multiplier")),
    "bloom": ("text", _plain),
    "convnextv2": ("image", _stages),
    "falcon": ("text", _plain),
    "segformer": ("image", _stages),
    "gpt_neox": ("text", _plain),
    "efficientnet": ("image", lambda draw: {"width_coefficient": 1.0, "hidden_dim": 1280, "depth_coefficient": 0.1}),
    "mpnet": ("text", _plain),
    "focalnet": ("image", lambda draw: {"embed_dim": draw.choice((24, 48, 96)), "depths": [1, 1, 1, 1]}),
    "bart": ("text", _sequences),
    "pvt": ("image", partial(_stages, num_attention_heads=[1, 2, 4, 8])),
    "hubert": ("audio", _waves),
    "olmo2": ("text", _grouped),
    "mobilevitv2": ("image", lambda draw: {"width_multiplier": draw.choice((0.5, 1.0))}),
    "stablelm": ("text", _grouped),
    "beit": ("image", _patches),
    "phi": ("text", _plain),
    "levit": ("image", lambda draw: {"depths": [1, 1, 1]}),
    "nystromformer": ("text", _plain),
    "convbert": ("text", _plain),
    "swiftformer": ("image", lambda draw: {"depths": [1, 1, 1, 1]}),
    "granite": ("text", _grouped),
    "siglip_vision_model": ("image", _patches),
    "cohere": ("text", _grouped),
    "bit": ("image", partial(_stages, embedding_size=32, num_groups=8)),
    "mpt": ("text", _plain),
    "xglm": ("text", _plain),
    "roformer": ("text", _plain),
    "biogpt": ("text", _plain),
    "ctrl": ("text", _plain),
    "openai-gpt": ("text", _plain),
    "starcoder2": ("text", _grouped),
    "rembert": ("text", _plain),
}
"""The model type in transformers, what it reads, and what is drawn of its configuration."""
