"""What training minimises: the likelihood of answers, how far off the mass is, and the order within a group.

Axes as in `forerun.models.encoder_decoder.network`; A is the number of answer tokens in a batch that are no padding.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def legal_logprobs(logits_AV: Tensor, legal_AV: Tensor) -> Tensor:
    """Log-probabilities over legal tokens; minus infinity elsewhere."""
    return F.log_softmax(logits_AV.float().masked_fill(~legal_AV, float("-inf")), -1)


def likelihood(logprobs_AV: Tensor, targets_A: Tensor) -> Tensor:
    """Cross entropy in nats, each token alone `[A]`."""
    return -logprobs_AV.gather(1, targets_A[:, None])[:, 0]


def ordinal(logprobs_AV: Tensor, targets_A: Tensor, places_AV: Tensor) -> Tensor:
    """How far, in decades, the mass is from the target on average `[A]`: Wasserstein-1 to a point.

    `places_AV` says where a token lies among those of its kind, NaN where that means nothing; tokens whose target has
    no place cost nothing. Wasserstein number-token loss: Zausinger et al. 2024.
    """
    target = places_AV.gather(1, targets_A[:, None])[:, 0]
    apart = (places_AV.nan_to_num() - target.nan_to_num()[:, None]).abs().masked_fill(places_AV.isnan(), 0.0)
    expected = (logprobs_AV.exp() * apart).sum(-1)
    return torch.where(target.isnan(), torch.zeros_like(expected), expected)


def ranking(scores_E: Tensor, values_E: Tensor, groups_E: Tensor, least: float = 0.01) -> Tensor:
    """The mean logistic loss of pairs in one group whose values differ by more than `least`.

    RankNet (Burges et al. 2005). `scores_E` and `values_E` are logarithms of one answer each. 0 where no pair is left.
    """
    pairs = (groups_E[:, None] == groups_E[None]) & (groups_E >= 0)[:, None]
    apart = values_E[:, None] - values_E[None]
    pairs &= apart > least
    losses = F.softplus(-(scores_E[:, None] - scores_E[None]) * 4.0)
    return losses[pairs].sum() / pairs.sum().clamp(min=1)


def expected_places(logprobs_AV: Tensor, places_AV: Tensor) -> Tensor:
    """The mean place of the mass that has one `[A]`: with a decade's and its first digits', a number's logarithm."""
    likely = logprobs_AV.exp() * ~places_AV.isnan()
    return (likely * places_AV.nan_to_num()).sum(-1) / likely.sum(-1).clamp(min=1e-6)
