"""Whole trainings as frozen values: what is dialled, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import torch

from forerun.errors import UsageError
from forerun.train.loop import Recipe


@dataclass(frozen=True, slots=True)
class Training:
    """A network's size, its reading, and how it is trained. `depth` is the dial: see `Config.of_depth`."""

    recipe: Recipe
    depth: int = 4
    decoder: int = 0
    """Layers of the decoder; 0: a quarter of the depth."""
    tokens: int = 4096
    """Byte-level tokens that are learned."""
    context: int = 512
    """Tokens of a prompt that are read; what is longer loses its middle."""
    lora: int = 0
    """Rank of low-rank updates (Hu et al. 2022) where only those are trained; 0 trains everything."""
    device: str = "cpu"
    ensemble: bool = True
    """Whether boosted trees are grown beside the network, each having a share in the answers."""
    export: bool = True
    """Whether the graphs for onnxruntime are written when it is done: else only PyTorch can run it."""


def cpu() -> Training:
    """One core in under an hour: 1.5 million parameters, two thirds of them embeddings."""
    recipe = Recipe(
        steps=2400, rows=8, row_tokens=1024, learning_rate=3e-3, evaluate_every=200, patience=8, bf16=_fast_bf16()
    )
    return Training(recipe, depth=2)


def _fast_bf16() -> bool:
    """Whether this processor multiplies matrices of bfloat16; others do so in many more steps."""
    known = torch.cpu.get_capabilities()
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))


def gpu() -> Training:
    """One data-centre GPU: 6 million parameters, 1,024 tokens of context.

    An H100 does a step in 53 ms, so all of them in a minute and a half. Without dropout a network of this size learns
    24,600 rows by heart from step 800 on. Nothing is compiled: a minute of that, beside other work, led to no step. The
    network that ships is of depth 2: 1,600 steps with rates up to 2e-3 and a dropout of 0.05.
    """
    recipe = Recipe(
        steps=1600, rows=32, row_tokens=2048, learning_rate=1.5e-3, weight_decay=0.1, dropout=0.1, mixture=1.3,
        evaluate_every=200, patience=4,
    )  # fmt: skip
    return Training(recipe, depth=4, tokens=5120, context=1024, device="cuda")


def schedule() -> Training:
    """Schedules, on one core in half an hour: as many layers write as read, for a sentence depends on itself most, and
    most of a step goes to the hundreds of sentences that answer a few prompts."""
    recipe = Recipe(
        steps=1500, rows=4, row_tokens=512, run=64, learning_rate=2e-3, evaluate_every=250, patience=6, ordinal=0.0,
        ranking=0.0, bf16=_fast_bf16(),
    )  # fmt: skip
    return Training(recipe, depth=2, decoder=2, tokens=1024, context=256, ensemble=False)


def lora() -> Training:
    """A new metric or device from a hundred examples and more, from a trained checkpoint, which forgets the others."""
    recipe = Recipe(steps=200, rows=4, row_tokens=1024, learning_rate=1e-3, evaluate_every=20, patience=4, bf16=False)
    return Training(recipe, lora=8)


RECIPES: dict[str, Callable[[], Training]] = {"cpu": cpu, "gpu": gpu, "lora": lora, "schedule": schedule}


def check(name: str, offered: Collection[str]) -> None:
    """Raises UsageError for a recipe that is not among those that are offered."""
    if name not in offered:
        raise UsageError(f"there is no recipe {name!r} here", f"recipes: {', '.join(offered)}", "name one of them")


def named(name: str, **changes: object) -> Training:
    """A recipe, with other values for some of its fields or its loop's. Raises UsageError.

    Fewer steps are validated as often as all of them are, so that they too can end early.
    """
    check(name, RECIPES)
    training = RECIPES[name]()
    own = {key: value for key, value in changes.items() if value is not None}
    of_loop = {key: own.pop(key) for key in list(own) if key in Recipe.__dataclass_fields__}
    of_loop = {"evaluate_every": _every(training.recipe, of_loop.get("steps")), **of_loop}
    return replace(training, recipe=replace(training.recipe, **of_loop), **own)  # type: ignore[arg-type]


def _every(recipe: Recipe, steps: object) -> int:
    """Steps between validations where there are so many instead of the recipe's."""
    if not isinstance(steps, int) or steps >= recipe.steps:
        return recipe.evaluate_every
    return max(1, recipe.evaluate_every * steps // recipe.steps)
