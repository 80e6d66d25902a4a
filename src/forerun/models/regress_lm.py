"""The recipe of regress-lm (Song et al. 2025; Akhauri et al., arXiv:2509.26476), in a network of ours.

Its code for numbers (`forerun.grammars.ieee`, the default of its library), learned by cross entropy over all pieces of
the code, so without masks, from plain text without counters; answers are drawn 64 times within the code, and their
median is the estimate. Network, tokenizer, batches and steps are those of `encoder_decoder`, so that only the recipe
differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from forerun.core import END, Grammar
from forerun.distribution import Distribution
from forerun.grammars.ieee import IEEE
from forerun.grammars.p10 import Places
from forerun.models import _decode
from forerun.models._regression import untaught
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.prompts import parts, without_counters

SAMPLES = 64
_AT_ONCE = 16
"""Prompts that are decoded together."""


@dataclass(frozen=True)
class Unmasked(Grammar[tuple[float, ...]]):
    """A code as it is taught: any of its pieces may stand at any place."""

    code: Places

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """All pieces of the code."""
        return tuple(dict.fromkeys(piece for place in self.code.places for piece in place))

    def write(self, answer: Sequence[float]) -> list[str]:
        """As the code writes it."""
        return self.code.write(answer)

    def read(self, pieces: Sequence[str]) -> tuple[float, ...]:
        """As the code reads it. Raises ValueError for what it would not write."""
        return self.code.read(pieces)

    def allowed(self, prefix: Sequence[str]) -> tuple[str, ...]:
        """The code's length is known, so nothing has to be learned about the end."""
        return self.pieces if len(prefix) < len(self.code.places) * self.code.metrics else (END,)


CODE = IEEE()


class RegressLM(EncoderDecoder):
    """Regress-lm's recipe at equal parameters, data and steps: its number code, 64 draws, their median."""

    name: ClassVar[str] = "regress_lm"
    taught: ClassVar[Grammar[tuple[float, ...]]] = Unmasked(CODE)
    atoms: ClassVar[tuple[str, ...]] = Unmasked(CODE).pieces

    def __init__(self, place: str | Path | None = None, *, device: str = "", threads: int = 0) -> None:
        """As `EncoderDecoder` is made; none ships, so a folder must be named. Raises InputError."""
        if place is None:
            raise untaught(self.name)
        super().__init__(place, device=device, threads=threads)

    def seen(self, prompt: str) -> str:
        """The plain text."""
        return without_counters(prompt)

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What 64 draws say of each. Same prompts in the same order, same draws."""
        tokens, found = [self.tokens(prompt) for prompt in prompts], dict[int, Distribution]()
        ordered = sorted(range(len(prompts)), key=lambda i: len(tokens[i]))
        for start in range(0, len(ordered), _AT_ONCE):
            places = ordered[start : start + _AT_ONCE]
            memory = self.network.encode([tokens[i] for i in places])
            codes = [CODE] * len(places)
            drawn = _decode.sample(self.network, self.tokenizer.vocabulary, memory, codes, n=SAMPLES, seed=start)
            for i, answers in zip(places, drawn, strict=True):
                values = [CODE.read(answer.pieces)[0] for answer in answers]
                found[i] = of_draws(values).widened(self.calibration.factor(parts(prompts[i])))
        return [found[i] for i in range(len(prompts))]


def of_draws(values: Sequence[float]) -> Distribution:
    """As much mass on each; the two in the middle of an even number meet at their mean, which is the median."""
    ordered, half = sorted(values), len(values) // 2
    if len(ordered) % 2 == 0:
        ordered[half - 1 : half + 1] = [(ordered[half - 1] + ordered[half]) / 2] * 2
    return Distribution.of((value, value, 1.0) for value in ordered)
