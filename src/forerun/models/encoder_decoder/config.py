"""The shape of an encoder–decoder, from one dial."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from forerun import plain
from forerun.errors import InputError, reason
from forerun.models.encoder_decoder.numeric import ATOMS

FORMAT = 2
"""Version of the checkpoint's layout."""

_SIZES = "vocabulary width layers decoder_layers heads kv_heads head_width hidden window global_every context".split()


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of the network. The names follow T5Gemma (Zhang et al. 2025), whose encoders load into ours.

    `window` is how many tokens to each side a local layer of the encoder sees; every `global_every`-th layer sees all.
    Attention is kept in bounds by normalised queries and keys (T5Gemma 2) or by a cap on its logits (T5Gemma).

    What only pre-trained encoders need: `window_before`, where a local layer sees fewer tokens before a token than
    after it; `rope_base_global`, the base of the layers that see all (0: as the others); `query_scalar`, by whose root
    logits of attention are divided (0: the width of a head); `answer_tokens`, how many of the first tokens the decoder
    knows (0: all).
    """

    vocabulary: int
    width: int = 256
    layers: int = 4
    decoder_layers: int = 2
    heads: int = 4
    kv_heads: int = 1
    head_width: int = 64
    hidden: int = 768
    window: int = 256
    global_every: int = 2
    context: int = 8192
    rope_base: float = 10_000.0
    norm_epsilon: float = 1e-6
    qk_norm: bool = True
    softcap: float = 0.0
    numeric: bool = False
    """Whether the embeddings of numbers know their sizes (`forerun.models.encoder_decoder.numeric`)."""
    window_before: int | None = None
    rope_base_global: float = 0.0
    query_scalar: float = 0.0
    answer_tokens: int = 0
    format: int = FORMAT

    @classmethod
    def of_depth(cls, depth: int, vocabulary: int, context: int = 8192) -> Config:
        """The dial: width is 64 a layer, one key-value head for four heads, a decoder a quarter as deep."""
        width = 64 * depth
        return cls(
            vocabulary=vocabulary,
            context=context,
            width=width,
            layers=depth,
            decoder_layers=max(1, depth // 4),
            heads=depth,
            kv_heads=max(k for k in range(1, max(1, depth // 4) + 1) if depth % k == 0),
            hidden=3 * width,
            numeric=vocabulary > len(ATOMS),
        )

    def to_json(self) -> str:
        """As `config.json` of a checkpoint."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, where: str) -> Config:
        """Reads `to_json`. Raises InputError for what is no config, or one of another version."""
        try:
            values = json.loads(text)
            found = values["format"]
        except (ValueError, TypeError, KeyError) as error:
            why = reason(error) if isinstance(error, ValueError) else "its config.json has no entry 'format'"
            raise InputError(f"{where} is no checkpoint of forerun", why, "train or download it again") from error
        if found != FORMAT:
            todo = "install the version of forerun that wrote it, or train it again"
            raise InputError(
                f"{where} is of another version", f"it has format {found}, this version reads {FORMAT}", todo
            )
        try:
            config = plain.value(values, cls, "it")
            if least := [name for name in _SIZES if getattr(config, name) < 1]:
                raise ValueError(f"{least[0]} is {getattr(config, least[0])}, not above zero")
            if config.head_width % 2 or config.heads % config.kv_heads:
                raise ValueError("head_width must be even, and heads a multiple of kv_heads")
        except (TypeError, ValueError) as error:
            raise InputError(f"{where} cannot be read", f"config.json: {error}", "train it again") from error
        return config  # type: ignore[no-any-return]
