"""The network: an encoder over code and a small decoder over answers, in the manner of T5Gemma.

Names of tensors end in their axes: B rows of sources, S source tokens, R answers to one row that are decoded side by
side, T answer tokens, D width, H heads, K key-value heads, C width of a head, V vocabulary, N blocks of W tokens.

The encoder is Gemma's with the causal mask taken away: rotary positions (Su et al. 2021), grouped-query attention
(Ainslie et al. 2023), RMSNorm before and after each block (Zhang and Sennrich 2019), GeGLU, and layers that see a
window in turn with layers that see everything. The decoder adds attention to the encoder's memory. All answers to a
row share its memory: to attention they are more queries, so it is never copied.

Several sources may be packed into one row. Segments tell them apart: 0 is padding, and a token sees its own segment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from forerun.models.encoder_decoder import numeric
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.tokenizer import SPECIAL


class Rope(NamedTuple):
    """Cosines and sines of rotary positions: `[B, 1, tokens, C]`."""

    cos: Tensor
    sin: Tensor


class Memory(NamedTuple):
    """What the decoder sees of the sources: for each of its layers keys and values, and the segment of each token."""

    keys_LBKSC: Tensor
    values_LBKSC: Tensor
    segments_BS: Tensor


class Cache(NamedTuple):
    """Keys and values of the answer tokens so far, for each layer of the decoder."""

    keys_LBRKTC: Tensor
    values_LBRKTC: Tensor


def split(x: Tensor, axis: int, sizes: tuple[int, int]) -> Tensor:
    """One axis as two; one of the sizes may be -1."""
    return torch.unflatten(x, axis, sizes)


class Norm(nn.Module):
    """RMSNorm; the weight is kept as its distance from one, as Gemma keeps it."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Over the last axis, in single precision."""
        return F.rms_norm(x.float(), self.weight.shape, 1 + self.weight.float(), self.epsilon).type_as(x)


class FeedForward(nn.Module):
    """GeGLU (Shazeer 2020)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.hidden, bias=False)
        self.up_proj = nn.Linear(config.width, config.hidden, bias=False)
        self.down_proj = nn.Linear(config.hidden, config.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """`[..., D]` to `[..., D]`."""
        inner: Tensor = self.down_proj(F.gelu(self.gate_proj(x), approximate="tanh") * self.up_proj(x))
        return inner


class Attention(nn.Module):
    """Grouped-query attention: projections, and the product itself."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_width = config.heads, config.kv_heads, config.head_width
        self.softcap, self.scale = config.softcap, (config.query_scalar or config.head_width) ** -0.5
        self.q_proj = nn.Linear(config.width, config.heads * config.head_width, bias=False)
        self.k_proj = nn.Linear(config.width, config.kv_heads * config.head_width, bias=False)
        self.v_proj = nn.Linear(config.width, config.kv_heads * config.head_width, bias=False)
        self.o_proj = nn.Linear(config.heads * config.head_width, config.width, bias=False)
        norm = config.qk_norm
        self.q_norm = Norm(config.head_width, config.norm_epsilon) if norm else nn.Identity()
        self.k_norm = Norm(config.head_width, config.norm_epsilon) if norm else nn.Identity()

    def queries(self, x_BTD: Tensor) -> Tensor:
        """`[B, H, T, C]`."""
        queries: Tensor = self.q_norm(self._split(self.q_proj(x_BTD), self.heads))
        return queries

    def keys_values(self, x_BSD: Tensor) -> tuple[Tensor, Tensor]:
        """Both `[B, K, S, C]`."""
        keys = self.k_norm(self._split(self.k_proj(x_BSD), self.kv_heads))
        return keys, self._split(self.v_proj(x_BSD), self.kv_heads)

    def forward(self, q_BHTC: Tensor, k_BKSC: Tensor, v_BKSC: Tensor, mask: Tensor | None) -> Tensor:
        """`[B, T, D]`; `mask` is true where a query may look, and broadcasts to `[B, H, T, S]`."""
        if self.softcap:
            found = self._capped(q_BHTC, k_BKSC, v_BKSC, mask)
        else:
            found = F.scaled_dot_product_attention(q_BHTC, k_BKSC, v_BKSC, mask, scale=self.scale, enable_gqa=True)
        out: Tensor = self.o_proj(found.transpose(1, 2).flatten(2))
        return out

    def _capped(self, q_BHTC: Tensor, k_BKSC: Tensor, v_BKSC: Tensor, mask: Tensor | None) -> Tensor:
        share = self.heads // self.kv_heads
        keys, values = k_BKSC.repeat_interleave(share, 1), v_BKSC.repeat_interleave(share, 1)
        scores = (q_BHTC @ keys.transpose(-1, -2) * self.scale).float()
        scores = torch.tanh(scores / self.softcap) * self.softcap
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return scores.softmax(-1).type_as(values) @ values

    def _split(self, x: Tensor, heads: int) -> Tensor:
        return split(x, -1, (heads, self.head_width)).transpose(1, 2)


class EncoderLayer(nn.Module):
    """Attention within the source, then a feed-forward block, each between two norms."""

    def __init__(self, config: Config, local: bool) -> None:
        super().__init__()
        self.window = config.window if local else 0
        self.before = config.window if config.window_before is None else config.window_before
        self.self_attn, self.mlp = Attention(config), FeedForward(config)
        self.pre_self_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.post_self_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.pre_feedforward_layernorm = Norm(config.width, config.norm_epsilon)
        self.post_feedforward_layernorm = Norm(config.width, config.norm_epsilon)
        self.dropout = nn.Dropout(0)

    def forward(self, x_BSD: Tensor, rope: Rope, segments_BS: Tensor) -> Tensor:
        """`[B, S, D]`; S is a multiple of the window."""
        attention = self.self_attn
        inner = self.pre_self_attn_layernorm(x_BSD)
        queries = rotate(attention.queries(inner), rope)
        keys, values = attention.keys_values(inner)
        keys = rotate(keys, rope)
        if self.window:
            found = self._local(queries, keys, values, segments_BS)
        else:
            found = attention(queries, keys, values, same_segment(segments_BS, segments_BS))
        x_BSD = x_BSD + self.dropout(self.post_self_attn_layernorm(found))
        inner = self.mlp(self.pre_feedforward_layernorm(x_BSD))
        out: Tensor = x_BSD + self.dropout(self.post_feedforward_layernorm(inner))
        return out

    def _local(self, q_BHSC: Tensor, k_BKSC: Tensor, v_BKSC: Tensor, segments_BS: Tensor) -> Tensor:
        """Each block of `window` tokens looks at itself and at the blocks beside it: cost grows with S, not S²."""
        window, (rows, tokens) = self.window, segments_BS.shape
        blocks = split(q_BHSC, 2, (-1, window)).transpose(1, 2).flatten(0, 1)
        keys, values = (beside(x, window).transpose(1, 2).flatten(0, 1) for x in (k_BKSC, v_BKSC))
        theirs = beside(segments_BS[:, None, :, None], window)[:, 0, :, :, 0].flatten(0, 1)
        place = torch.arange(window, device=segments_BS.device)
        apart = torch.arange(3 * window, device=segments_BS.device) - window - place[:, None]
        mask = same_segment(segments_BS.reshape(-1, window), theirs) & (apart >= -self.before) & (apart <= window)
        found: Tensor = self.self_attn(blocks, keys, values, mask)
        return found.reshape(rows, tokens, -1)


def beside(x_BKSC: Tensor, window: int) -> Tensor:
    """`[B, K, N, 3W, C]`: each block with the one before and the one after it; -1 or zeros past the ends."""
    blocks = F.pad(x_BKSC, (0, 0, window, window), value=-1 if x_BKSC.dtype == torch.int64 else 0.0)
    blocks = split(blocks, 2, (-1, window))
    return torch.cat((blocks[:, :, :-2], blocks[:, :, 1:-1], blocks[:, :, 2:]), 3)


def same_segment(ours_BT: Tensor, theirs_BS: Tensor) -> Tensor:
    """`[B, 1, T, S]`, true where both tokens are of one source. Padding sees padding: no row of a softmax is empty."""
    return (ours_BT[:, :, None] == theirs_BS[:, None, :])[:, None]


class DecoderLayer(nn.Module):
    """Attention within the answer, attention to the memory, then a feed-forward block, each between two norms."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn, self.cross_attn, self.mlp = Attention(config), Attention(config), FeedForward(config)
        self.pre_self_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.post_self_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.pre_cross_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.post_cross_attn_layernorm = Norm(config.width, config.norm_epsilon)
        self.pre_feedforward_layernorm = Norm(config.width, config.norm_epsilon)
        self.post_feedforward_layernorm = Norm(config.width, config.norm_epsilon)
        self.dropout = nn.Dropout(0)

    def forward(
        self, x_BRTD: Tensor, rope: Rope, past: tuple[Tensor, Tensor], memory: tuple[Tensor, Tensor], masks: Masks
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The new states `[B, R, T, D]`, and keys and values `[B, R, K, all T, C]`."""
        rows, answers, tokens, _ = x_BRTD.shape
        inner = self.pre_self_attn_layernorm(x_BRTD).flatten(0, 1)
        queries = rotate(self.self_attn.queries(inner), rope)
        new_keys, new_values = self.self_attn.keys_values(inner)
        keys = torch.cat((past[0], split(rotate(new_keys, rope), 0, (rows, answers))), 3)
        values = torch.cat((past[1], split(new_values, 0, (rows, answers))), 3)
        found = self.self_attn(queries, keys.flatten(0, 1), values.flatten(0, 1), masks.causal)
        x_BRTD = x_BRTD + self.dropout(self.post_self_attn_layernorm(split(found, 0, (rows, answers))))

        inner = self.pre_cross_attn_layernorm(x_BRTD).flatten(1, 2)
        found = self.cross_attn(self.cross_attn.queries(inner), *memory, masks.memory)
        x_BRTD = x_BRTD + self.dropout(self.post_cross_attn_layernorm(split(found, 1, (answers, tokens))))

        inner = self.mlp(self.pre_feedforward_layernorm(x_BRTD))
        return x_BRTD + self.dropout(self.post_feedforward_layernorm(inner)), (keys, values)


@dataclass(frozen=True, slots=True)
class Masks:
    """Where the tokens of answers may look: `causal` into their answer `[T, all T]`, `memory` `[B, 1, R·T, S]`."""

    causal: Tensor
    memory: Tensor


class Network(nn.Module):
    """Tokens of sources to a memory, and tokens of answers to what may follow them."""

    numbers_NF: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        if config.numeric:
            self.register_buffer("numbers_NF", torch.from_numpy(numeric.features()), persistent=False)
            self.embed_numbers = nn.Linear(numeric.FEATURES, config.width, bias=False)
        self.encoder = nn.ModuleList(
            EncoderLayer(config, local=(i + 1) % config.global_every != 0) for i in range(config.layers)
        )
        self.encoder_norm = Norm(config.width, config.norm_epsilon)
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.decoder_norm = Norm(config.width, config.norm_epsilon)
        self.dropout = nn.Dropout(0)
        self.apply(_initialise)
        if config.numeric:
            nn.init.normal_(self.embed_numbers.weight, std=(numeric.FEATURES * config.width) ** -0.5)

    def encode(self, ids_BS: Tensor, segments_BS: Tensor, positions_BS: Tensor) -> Tensor:
        """The states `[B, S, D]`; positions begin anew in each segment. S is padded to blocks inside."""
        tokens = ids_BS.shape[1]
        short = -tokens % self.config.window
        ids, segments, positions = (F.pad(x, (0, short)) for x in (ids_BS, segments_BS, positions_BS))
        x_BSD = self._embed(ids)
        base = self.config.rope_base
        local, whole = self._rope(positions, base), self._rope(positions, self.config.rope_base_global or base)
        for layer in self.encoder:
            x_BSD = layer(x_BSD, local if layer.window else whole, segments)
        states: Tensor = self.dropout(self.encoder_norm(x_BSD))
        return states[:, :tokens]

    def memory(self, states_BSD: Tensor, segments_BS: Tensor) -> Memory:
        """Keys and values of the sources for every layer of the decoder."""
        pairs = [attention.keys_values(states_BSD) for attention in self._cross_attention()]
        return Memory(torch.stack([k for k, _ in pairs]), torch.stack([v for _, v in pairs]), segments_BS)

    def _cross_attention(self) -> Iterator[Attention]:
        return (layer.cross_attn for layer in self.decoder if isinstance(layer, DecoderLayer))

    def drop(self, share: float) -> None:
        """Leaves out this share of the states while it is trained (Srivastava et al. 2014), as T5 does but for
        the weights of attention."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = share

    def empty(self, rows: int, answers: int, like: Tensor) -> Cache:
        """The cache before the first token."""
        config = self.config
        shape = (config.decoder_layers, rows, answers, config.kv_heads, 0, config.head_width)
        return Cache(like.new_zeros(shape), like.new_zeros(shape))

    def decode(self, ids_BRT: Tensor, segments_BR: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """The states `[B, R, T, D]` of further tokens, and the cache with them."""
        rows, answers, tokens = ids_BRT.shape
        before = cache.keys_LBRKTC.shape[4]
        place = torch.arange(before + tokens, device=ids_BRT.device)
        causal = place[None, :] <= place[before:, None]
        asked = segments_BR[:, :, None].expand(rows, answers, tokens).flatten(1)
        masks = Masks(causal, same_segment(asked, memory.segments_BS))
        rope = self._rope(place[None, before:], self.config.rope_base)
        x_BRTD, kept = self._embed(ids_BRT), []
        for i, layer in enumerate(self.decoder):
            past = (cache.keys_LBRKTC[i], cache.values_LBRKTC[i])
            x_BRTD, found = layer(x_BRTD, rope, past, (memory.keys_LBKSC[i], memory.values_LBKSC[i]), masks)
            kept.append(found)
        new = Cache(torch.stack([k for k, _ in kept]), torch.stack([v for _, v in kept]))
        return self.dropout(self.decoder_norm(x_BRTD)), new

    def logits(self, states_D: Tensor, pieces: Tensor | None = None) -> Tensor:
        """`[..., V]`, or only those of some tokens."""
        weight = self.embeddings()[: self.config.answer_tokens or None]
        return F.linear(states_D, weight if pieces is None else weight[pieces])

    def embeddings(self) -> Tensor:
        """`[V, D]`: what is learned for each token, and for numbers what follows from their sizes."""
        weight: Tensor = self.embed_tokens.weight
        if not self.config.numeric:
            return weight
        numbers = self.embed_numbers(self.numbers_NF)
        return weight + F.pad(numbers, (0, 0, SPECIAL, len(weight) - SPECIAL - len(numbers)))

    def folded(self) -> Network:
        """The same network with the embeddings as they are, for those that only run it."""
        plain = Network(replace(self.config, numeric=False))
        weights = {name: value for name, value in self.state_dict().items() if not name.startswith("embed_numbers")}
        plain.load_state_dict(weights | {"embed_tokens.weight": self.embeddings().detach()})
        return plain

    def _embed(self, ids: Tensor) -> Tensor:
        embedded: Tensor = self.dropout(F.embedding(ids, self.embeddings()) * math.sqrt(self.config.width))
        return embedded

    def _rope(self, positions_BT: Tensor, base: float) -> Rope:
        width = self.config.head_width
        steps = torch.arange(0, width, 2, device=positions_BT.device, dtype=torch.float32)
        angles = positions_BT[:, None, :, None].float() * base ** (-steps / width)
        angles = torch.cat((angles, angles), -1)
        return Rope(angles.cos(), angles.sin())


def rotate(x_BHTC: Tensor, rope: Rope) -> Tensor:
    """Rotary positions: the first and the second half of a head are the axes of its planes."""
    left, right = x_BHTC.float().chunk(2, -1)
    return (x_BHTC.float() * rope.cos + torch.cat((-right, left), -1) * rope.sin).type_as(x_BHTC)


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=module.in_features**-0.5)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
