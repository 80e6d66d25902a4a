"""Pre-trained encoders of the T5Gemma family, from a local folder or the Hub, with a new decoder for our answers.

T5Gemma (Zhang et al. 2025, arXiv:2504.06225) and the text part of T5Gemma 2 (arXiv:2512.14856). The encoder's weights
and the tokenizer are taken as they are; the special tokens and the pieces of numbers come before the tokens of text,
and their embeddings are new, as is the decoder, which knows nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from forerun.errors import InputError, ToolMissing, reason
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.network import Network
from forerun.models.encoder_decoder.numeric import ATOMS
from forerun.models.encoder_decoder.tokenizer import SPECIAL, Tokenizer

HUB = "hub:"
_FILES = ("config.json", "tokenizer.json", "*.safetensors")
_OURS = re.compile(r"(?:model\.)?encoder\.(?:text_model\.)?(layers|norm|embed_tokens)(\..*)")
_NAMES = {"layers": "encoder", "norm": "encoder_norm", "embed_tokens": "embed_tokens"}
_LOCAL, _GLOBAL = "sliding_attention", "full_attention"
_PADDING = 64
"""Tokens that prompts are padded to a multiple of, where no layer has a window."""


def folder(place: str | Path) -> Path:
    """A local folder as it is; `hub:OWNER/NAME` is downloaded once. Raises InputError, ToolMissing."""
    name = str(place)
    if not name.startswith(HUB):
        return Path(place)
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ToolMissing("the Hub needs huggingface_hub", str(error), "pip install huggingface_hub") from error
    try:
        return Path(snapshot_download(name.removeprefix(HUB), allow_patterns=list(_FILES)))
    except Exception as error:  # no connection, no such name, no permission: of many libraries
        why = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be downloaded", why, "name a local folder with these files") from error


def tokenizer(place: str | Path) -> Tokenizer:
    """The encoder's own, with our special tokens and numbers before it. Raises InputError, ToolMissing."""
    path = folder(place) / "tokenizer.json"
    try:
        found = tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises bare Exceptions
        todo = "put tokenizer.json there"
        raise InputError(f"{place} has no tokenizer that can be read", reason(error), todo) from error
    found.no_truncation()
    found.no_padding()
    return Tokenizer(ATOMS, found)


def network(place: str | Path, tokens: Tokenizer, context: int) -> Network:
    """The encoder with its weights, and a new decoder, drawn from torch's generator.

    `tokens` is what `tokenizer` gave, `context` how many tokens of a prompt will be read. Raises InputError where the
    folder holds no such encoder, or one that ours cannot be; ToolMissing.
    """
    own = folder(place)
    try:
        text = _text(json.loads((own / "config.json").read_text(encoding="utf-8")))
        config = _config(text, tokens, context)
        weights = _weights(own)
        made = Network(config)
        _take(made, weights, tokens)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        why = f"no {error} there" if isinstance(error, KeyError) else reason(error)[:300]
        todo = "name a checkpoint of forerun, or of T5Gemma with config.json, tokenizer.json and safetensors"
        raise InputError(f"{place} has no encoder to start from", why, todo) from error
    return made


def _text(found: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a config that describes the encoder of text. Raises ValueError for another family."""
    kind, encoder = found.get("model_type"), found.get("encoder")
    if kind not in ("t5gemma", "t5gemma2") or not isinstance(encoder, dict):
        raise ValueError(f"config.json is of {kind or 'no model'}, not of t5gemma or t5gemma2")
    return {**encoder.get("text_config", encoder), "second": kind == "t5gemma2"}


def _config(text: Mapping[str, Any], tokens: Tokenizer, context: int) -> Config:
    """Our config of their encoder. Raises ValueError for what ours has no counterpart for."""
    activation, bias = text.get("hidden_activation", "gelu_pytorch_tanh"), text.get("attention_bias", False)
    if activation != "gelu_pytorch_tanh" or bias:
        raise ValueError(f"attention has biases: {bias}; the activation is {activation}, not gelu_pytorch_tanh")
    second, layers, window = text["second"], text["num_hidden_layers"], text["sliding_window"]
    every = _global_every(text.get("layer_types") or [], layers, 6 if second else 2)
    before, after = ((window - 1) // 2, window // 2) if second else (window, window)
    local, whole = _bases(text)
    if every > 1 and context <= before + 1 and local == whole:  # a window that holds every prompt is none
        every, before, after = 1, _PADDING, _PADDING
    return Config(
        vocabulary=tokens.size,
        width=text["hidden_size"],
        layers=layers,
        decoder_layers=max(1, layers // 4),
        heads=text["num_attention_heads"],
        kv_heads=text["num_key_value_heads"],
        head_width=text["head_dim"],
        hidden=text["intermediate_size"],
        window=after,
        window_before=before,
        global_every=every,
        context=context,
        rope_base=local,
        rope_base_global=whole,
        norm_epsilon=text.get("rms_norm_eps", 1e-6),
        qk_norm=second,
        softcap=text.get("attn_logit_softcapping") or 0.0,
        query_scalar=float(text.get("query_pre_attn_scalar", 256)),
        numeric=True,
        answer_tokens=SPECIAL + len(tokens.atoms),
    )


def _global_every(kinds: list[str], layers: int, usual: int) -> int:
    """Which layers see everything: every n-th. Raises ValueError where it is not so."""
    kinds = kinds or [_LOCAL if (i + 1) % usual else _GLOBAL for i in range(layers)]
    every = kinds.index(_GLOBAL) + 1 if _GLOBAL in kinds else layers + 1
    if kinds != [_LOCAL if (i + 1) % every else _GLOBAL for i in range(layers)]:
        raise ValueError(f"local and global layers do not take turns: {', '.join(kinds)}")
    return every


def _bases(text: Mapping[str, Any]) -> tuple[float, float]:
    """Of the rotary positions of local and of global layers. Raises ValueError for positions that are scaled."""
    found = text.get("rope_parameters") or {}
    if not text["second"]:
        one = {"rope_theta": text.get("rope_theta", 10_000.0), **found}
        found = {_LOCAL: one, _GLOBAL: one}
    elif not found:
        local, whole = text.get("rope_local_base_freq", 10_000.0), text.get("rope_theta", 1_000_000.0)
        found = {_LOCAL: {"rope_theta": local}, _GLOBAL: {"rope_theta": whole, **(text.get("rope_scaling") or {})}}
    kinds = {part.get("rope_type", "default") for part in found.values()}
    if kinds != {"default"}:
        raise ValueError(f"positions are scaled: {', '.join(sorted(kinds))}")
    return float(found[_LOCAL]["rope_theta"]), float(found[_GLOBAL]["rope_theta"])


def _weights(own: Path) -> dict[str, Tensor]:
    """The encoder's tensors by their names in ours, and `embed_tokens.weight`. Raises ValueError without any."""
    found = {}
    for path in sorted(own.glob("*.safetensors")):
        for name, tensor in load_file(path).items():
            if match := _OURS.fullmatch(name):
                found[_NAMES[match[1]] + match[2]] = tensor.float()
    if not found:
        raise ValueError("no safetensors with an encoder in them")
    return found


def _take(made: Network, weights: dict[str, Tensor], tokens: Tokenizer) -> None:
    """Puts the weights into the network. Raises ValueError, RuntimeError where they do not fit."""
    first, rows = SPECIAL + len(tokens.atoms), weights.pop("embed_tokens.weight")
    if tokens.size - first > len(rows):
        raise ValueError(f"the tokenizer has {tokens.size - first} tokens, the encoder {len(rows)}")
    weights.pop("embed_tokens.eoi_embedding", None)  # the end of an image
    ours = {name for name in made.state_dict() if name.startswith(("encoder.", "encoder_norm."))}
    if ours != set(weights):
        raise ValueError(f"weights that are missing or not known: {', '.join(sorted(ours ^ set(weights))[:3])} …")
    made.load_state_dict(weights, strict=False)
    with torch.no_grad():
        made.embed_tokens.weight[first:] = rows[: tokens.size - first]
